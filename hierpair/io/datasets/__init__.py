"""Data sets of any size: files as parts, parts as rows, rows as label sets, in bounded memory."""

from hierpair.io.datasets.sides import check_ids, joined
from hierpair.io.datasets.tables import (
    DataPart,
    DataSet,
    PartRows,
    label_sets,
    open_dataset,
)

__all__ = [
    "DataPart",
    "DataSet",
    "PartRows",
    "check_ids",
    "joined",
    "label_sets",
    "open_dataset",
]
