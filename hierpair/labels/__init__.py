"""Label sets of many instances, from whatever form the labels come in."""

from hierpair.labels.annotation_counts import (
    icm_weights,
    information_accretion,
    information_content,
)
from hierpair.labels.columns import Columns
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.resolve import Fault, Unknown
from hierpair.labels.rows import LabelRows
from hierpair.labels.set_operations import are_lowest, lowest_labels, match_instances
from hierpair.labels.sets import LabelSets
from hierpair.labels.tables import column_rows

__all__ = [
    "Columns",
    "Fault",
    "LabelRows",
    "LabelSets",
    "NodeScores",
    "Unknown",
    "are_lowest",
    "column_rows",
    "icm_weights",
    "information_accretion",
    "information_content",
    "lowest_labels",
    "match_instances",
]
