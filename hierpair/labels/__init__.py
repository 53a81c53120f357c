"""Label sets of many instances, from whatever form the labels come in."""

from hierpair.labels.annotation_counts import information_accretion
from hierpair.labels.columns import Columns, column_rows
from hierpair.labels.naming import LabelFault, LabelRows, Unknown
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.sets import LabelSets, are_lowest, lowest_labels, match_instances

__all__ = [
    "Columns",
    "LabelFault",
    "LabelRows",
    "LabelSets",
    "NodeScores",
    "Unknown",
    "are_lowest",
    "column_rows",
    "information_accretion",
    "lowest_labels",
    "match_instances",
]
