"""Files in: hierarchies and label sets from text, with every error named by file and line."""

from hierpair.readers.hierarchies import HIERARCHY_FORMATS, read_hierarchy
from hierpair.readers.labelfiles import LABEL_FORMATS, read_labels

__all__ = ["HIERARCHY_FORMATS", "LABEL_FORMATS", "read_hierarchy", "read_labels"]
