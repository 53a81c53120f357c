"""Data sets of any size: files as parts, parts as rows, rows as label sets, in bounded memory."""

from hierpair.io.datasets.batch_labels import BatchLabels, ids_of, label_sets, sets_of
from hierpair.io.datasets.joining import Joined, joined
from hierpair.io.datasets.opening import open_dataset
from hierpair.io.datasets.parts import DataPart, DataSet, PartReader, PartRows
from hierpair.io.datasets.repeated_ids import IdRange, PartIds, check_ids_across
from hierpair.io.datasets.zipping import OtherOrder, Zipped, zipped

__all__ = [
    "BatchLabels",
    "DataPart",
    "DataSet",
    "IdRange",
    "Joined",
    "OtherOrder",
    "PartIds",
    "PartReader",
    "PartRows",
    "Zipped",
    "check_ids_across",
    "ids_of",
    "joined",
    "label_sets",
    "open_dataset",
    "sets_of",
    "zipped",
]
