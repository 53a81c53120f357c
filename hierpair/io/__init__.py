"""Files in and out: hierarchies and label sets, with every error named by file and line."""

from hierpair.io.hierarchies.edge_list import BREAKING_RULES, EdgeList
from hierpair.io.hierarchies.hierarchy_writing import HIERARCHY_WRITERS, write_hierarchy
from hierpair.io.hierarchies.reading import HIERARCHY_FORMATS, parse_hierarchy, read_hierarchy
from hierpair.io.labels.label_reading import LABEL_FORMATS, parse_labels, read_labels
from hierpair.io.labels.label_writing import LABEL_WRITERS, write_labels

__all__ = [
    "BREAKING_RULES",
    "HIERARCHY_FORMATS",
    "HIERARCHY_WRITERS",
    "LABEL_FORMATS",
    "LABEL_WRITERS",
    "EdgeList",
    "parse_hierarchy",
    "parse_labels",
    "read_hierarchy",
    "read_labels",
    "write_hierarchy",
    "write_labels",
]
