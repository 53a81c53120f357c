"""The hierarchical confusion matrix: predicted root paths paired with true classes.

Riehl et al. 2023. A predicted path and a true class share a prefix of the path (TP); the rest of
the path is FP, the shortest rest of a true path FN, and what lies beside the shared part TN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.exact import exact_pairs
from hierpair.confusion.fields import FIELDS, Fields, fields_of
from hierpair.confusion.overlap import Overlaps
from hierpair.confusion.published_greedy import greedy_pairs
from hierpair.confusion.root_paths import (
    Paths,
    Targets,
    has_one_path,
    predicted_paths,
    true_targets,
)
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.labels import LabelSets

__all__ = [
    "BLANKS",
    "EMPTY",
    "FIELDS",
    "NESTED",
    "PAIRINGS",
    "Confusion",
    "Fields",
    "Overlaps",
    "confusion",
    "fields_of",
    "has_one_path",
]

PAIRINGS = ("exact", "published")
EMPTY = ("root", "none")
NESTED = ("drop", "keep")
BLANKS = ("ignore", "count")


@dataclass(frozen=True, eq=False)
class Confusion:
    """The pairing of a batch and its counts.

    Attributes
    ----------
    overlaps
        All pairs with their counts.
    chosen
        Which pairs were chosen, shape ``(n_pairs,)``.
    alone_paths, alone_targets
        Which paths and which true classes have no partner.
    tp, fp, fn, tn
        Counts of every instance.
    """

    overlaps: Overlaps
    chosen: NDArray[np.bool_]
    alone_paths: NDArray[np.bool_]
    alone_targets: NDArray[np.bool_]
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    fn: NDArray[np.int64]
    tn: NDArray[np.int64]

    @property
    def paths(self) -> Paths:
        """The predicted paths."""
        return self.overlaps.paths

    @property
    def targets(self) -> Targets:
        """The true classes."""
        return self.overlaps.targets


def confusion(
    hierarchy: Hierarchy,
    y_true: LabelSets,
    y_pred: LabelSets,
    pairing: str = "exact",
    empty: str = "root",
    nested: str = "drop",
    blank: str = "ignore",
) -> Confusion:
    """Pair predicted paths with true classes and count.

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes, true labels, and predictions: classes with a single root path, or paths
        (:meth:`LabelSets.from_levels`).
    pairing
        ``"exact"``: most TP, then fewest FN, then most TN; ``"published"``: the static greedy.
    empty
        A prediction without any label is the path of the root alone (``"root"``), which earns
        TN and takes a class, or no path (``"none"``).
    nested
        Labels above others of their set are left out (``"drop"``) or stay (``"keep"``).
    blank
        Blank labels do not count (``"ignore"``), or each is a path to no class (``"count"``).

    Raises
    ------
    BadInput
        For several roots, a class with several root paths, or a broken path.
    """
    paths = predicted_paths(hierarchy, y_pred, empty=empty, nested=nested, blank=blank)
    targets = true_targets(hierarchy, y_true, nested=nested, ordered=pairing == "published")
    o = Overlaps.of_all_pairs(hierarchy, paths, targets)
    chosen = greedy_pairs(o) if pairing == "published" else exact_pairs(o)
    alone_paths = np.ones(len(paths), dtype=bool)
    alone_paths[o.path[chosen]] = False
    alone_targets = np.ones(len(targets.classes), dtype=bool)
    alone_targets[o.target[chosen]] = False
    owner = row_numbers(paths.ptr)
    n = len(y_true)

    def total(values: NDArray[np.int64], instance: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(instance, values, minlength=n).astype(np.int64)

    instance = owner[o.path[chosen]]
    depth = hierarchy.depths[targets.classes[alone_targets]].astype(np.int64)
    return Confusion(
        o,
        chosen,
        alone_paths,
        alone_targets,
        tp=total(o.tp[chosen], instance),
        fp=total(o.fp[chosen], instance) + total(paths.lengths[alone_paths], owner[alone_paths]),
        fn=total(o.fn[chosen], instance) + total(depth, row_numbers(targets.ptr)[alone_targets]),
        tn=total(o.tn[chosen], instance),
    )
