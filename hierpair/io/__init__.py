"""Files in and out: hierarchies and label sets, with every error named by file and line.

Its names are imported when they are first used: the command line needs ``hierpair.io.files``
alone until there is something to read.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hierpair.hierarchy.edge_list import BREAKING_RULES, EdgeList
    from hierpair.io.formats import Format, Formats, Source
    from hierpair.io.hierarchies.registry import (
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

HOMES = {
    "hierarchy.edge_list": "BREAKING_RULES EdgeList",
    "io.formats": "Format Formats Source",
    "io.hierarchies.registry": "HIERARCHY_FORMATS parse_hierarchy read_hierarchy write_hierarchy",
    "io.labels.label_files": "LABEL_FORMATS parse_labels read_labels table_titles write_labels",
}

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


def __getattr__(name: str) -> Any:
    for module, names in HOMES.items():
        if name in names.split():
            return getattr(import_module(f"hierpair.{module}"), name)
    raise AttributeError(f"module 'hierpair.io' has no attribute {name!r}")
