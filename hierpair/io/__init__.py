"""Files in and out: hierarchies and label sets, with every error named by file and line."""

from hierpair.io.formats import Format, Formats, Source
from hierpair.io.hierarchies.edge_list import BREAKING_RULES, EdgeList
from hierpair.io.hierarchies.hierarchy_files import (
    HIERARCHY_FORMATS,
    parse_hierarchy,
    read_hierarchy,
    write_hierarchy,
)
from hierpair.io.labels.label_files import (
    LABEL_FORMATS,
    parse_labels,
    read_labels,
    table_titles,
    write_labels,
)

__all__ = [
    "BREAKING_RULES",
    "HIERARCHY_FORMATS",
    "LABEL_FORMATS",
    "EdgeList",
    "Format",
    "Formats",
    "Source",
    "parse_hierarchy",
    "parse_labels",
    "read_hierarchy",
    "read_labels",
    "table_titles",
    "write_hierarchy",
    "write_labels",
]
