"""Label sets of many instances, from whatever form the labels come in."""

from hierpair.labels.columns import Columns
from hierpair.labels.resolve import Unknown
from hierpair.labels.rows import LabelRows
from hierpair.labels.set_operations import lowest_labels, match_instances
from hierpair.labels.sets import LabelSets
from hierpair.labels.tables import column_rows

__all__ = [
    "Columns",
    "LabelRows",
    "LabelSets",
    "Unknown",
    "column_rows",
    "lowest_labels",
    "match_instances",
]
