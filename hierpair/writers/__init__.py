"""Files out: hierarchies and label sets in the forms that the readers understand."""

from hierpair.writers.hierarchies import HIERARCHY_WRITERS, write_hierarchy
from hierpair.writers.labelsets import LABEL_WRITERS, write_labels

__all__ = ["HIERARCHY_WRITERS", "LABEL_WRITERS", "write_hierarchy", "write_labels"]
