"""Files in: hierarchies and label sets, with every error named by file and line."""

from hierpair.readers.hierarchies import HIERARCHY_FORMATS, parse_hierarchy, read_hierarchy
from hierpair.readers.labelfiles import LABEL_FORMATS, parse_labels, read_labels
from hierpair.readers.lawfiles import LAW_FORMATS, read_law, read_scores
from hierpair.readers.parsed import BREAKING_RULES, EdgeList
from hierpair.readers.scoredfiles import read_scored_labels

__all__ = [
    "BREAKING_RULES",
    "HIERARCHY_FORMATS",
    "LABEL_FORMATS",
    "LAW_FORMATS",
    "EdgeList",
    "parse_hierarchy",
    "parse_labels",
    "read_hierarchy",
    "read_labels",
    "read_law",
    "read_scored_labels",
    "read_scores",
]
