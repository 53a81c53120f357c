"""Data sets of any size: files as parts, parts as rows, rows as label sets, in bounded memory."""

from hierpair.io.datasets.sides import Joined, check_ids, joined
from hierpair.io.datasets.tables import (
    BatchLabels,
    DataPart,
    DataSet,
    PartRows,
    ids_of,
    label_sets,
    open_dataset,
)

__all__ = [
    "BatchLabels",
    "DataPart",
    "DataSet",
    "Joined",
    "PartRows",
    "check_ids",
    "ids_of",
    "joined",
    "label_sets",
    "open_dataset",
]
