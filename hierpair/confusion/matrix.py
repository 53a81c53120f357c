"""The hierarchical confusion matrix of every instance of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.path_pairs import PathPairs
from hierpair.confusion.published_greedy import greedy_pairing
from hierpair.confusion.rule import CONFUSION_RULE
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import LabelSets
from hierpair.pairing import Pairing, formulate, solve_pairing

__all__ = ["BLANKS", "EMPTY", "NESTED", "PAIRINGS", "Confusion", "confusion"]

PAIRINGS = ("exact", "published")
EMPTY = ("root", "none")
NESTED = ("drop", "keep")
BLANKS = ("ignore", "count")


@dataclass(frozen=True, eq=False)
class Confusion:
    """The pairing of a batch and its counts.

    Attributes
    ----------
    pairs
        All pairs of a predicted path and a true class, with their counts.
    pairing
        Which were chosen, and which paths and classes are without partner (``missing``).
    tp, fp, fn, tn
        Counts of every instance.
    """

    pairs: PathPairs
    pairing: Pairing
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    fn: NDArray[np.int64]
    tn: NDArray[np.int64]


@takes_hierarchy
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
        ``"exact"``: by :data:`CONFUSION_RULE`; ``"published"``: the static greedy.
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
    published = pairing == "published"
    pairs = PathPairs.of_labels(
        hierarchy, y_true, y_pred, empty=empty, nested=nested, blank=blank, ordered=published
    )
    found = greedy_pairing(pairs) if published else solve_pairing(formulate(CONFUSION_RULE, pairs))
    n = len(y_true)

    def total(values: NDArray[np.int64], instance: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(instance, values, minlength=n).astype(np.int64)

    instance = pairs.instance[found.chosen]
    path, true = (np.flatnonzero(found.missing[s]) for s in ("predicted", "true"))
    depth = hierarchy.depths[pairs.true_labels.classes[true]].astype(np.int64)
    late = total(pairs.paths.lengths[path], pairs.predicted_labels.instance[path])
    return Confusion(
        pairs,
        found,
        tp=total(pairs.tp[found.chosen], instance),
        fp=total(pairs.fp[found.chosen], instance) + late,
        fn=total(pairs.fn[found.chosen], instance) + total(depth, pairs.true_labels.instance[true]),
        tn=total(pairs.tn[found.chosen], instance),
    )
