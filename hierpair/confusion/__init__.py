"""The hierarchical confusion matrix: predicted root paths paired with true classes.

Riehl et al. 2023. A predicted path and a true class share a prefix of the path (TP); the rest of
the path is FP, the shortest rest of a true path FN, and what lies beside the shared part TN.
"""

from hierpair.confusion.matrix import CONFUSION_RULE, FIELDS, confusion, fields_of
from hierpair.confusion.paths import PathPairs, has_one_path, path_faults

__all__ = [
    "CONFUSION_RULE",
    "FIELDS",
    "PathPairs",
    "confusion",
    "fields_of",
    "has_one_path",
    "path_faults",
]
