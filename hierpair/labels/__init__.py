"""Label sets of many instances, from whatever form the labels come in."""

from hierpair.labels.columns import Columns, column_rows
from hierpair.labels.matching import match_instances
from hierpair.labels.most_specific import lowest_labels
from hierpair.labels.resolve import Unknown
from hierpair.labels.rows import LabelRows
from hierpair.labels.sets import LabelSets

__all__ = [
    "Columns",
    "LabelRows",
    "LabelSets",
    "Unknown",
    "column_rows",
    "lowest_labels",
    "match_instances",
]
