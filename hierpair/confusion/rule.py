"""The pairing rule of the confusion matrix: most TP, then fewest FN, then most TN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.path_pairs import PathPairs
from hierpair.errors import BadInput
from hierpair.pairing import Builder, Degree, Lexicographic, Pairs, Rule

__all__ = ["CONFUSION_RULE", "FieldCost", "LeftOver"]


@dataclass(frozen=True)
class FieldCost:
    """What a pair of a root path and a true class costs in one field of the confusion matrix.

    Parameters
    ----------
    field
        ``"FP"``: classes of the path alone, which are fewest where TP are most, as the paths are
        given; ``"FN"``: classes that the path misses; ``"TN"``: how many fewer TN it has than
        the pair of its instance with the most, as the number of chosen pairs is given.
    """

    field: Literal["FP", "FN", "TN"]

    def __call__(self, pairs: Pairs) -> NDArray[np.int64]:
        """Return one whole number per pair."""
        pairs = _with_paths(pairs)
        if self.field == "FP":
            return pairs.fp
        if self.field == "FN":
            return pairs.fn
        filled = np.flatnonzero(np.diff(pairs.ptr))
        if not len(filled):
            return pairs.tn
        most = np.maximum.reduceat(pairs.tn, pairs.ptr[filled])
        return np.repeat(most, np.diff(pairs.ptr)[filled]) - pairs.tn


@dataclass(frozen=True)
class LeftOver:
    """Of the side with more labels, those without partner: a path is FP, a true class FN."""

    def __call__(self, builder: Builder) -> None:
        """Open the arcs to the default class where a side has more labels than the other."""
        pairs = _with_paths(builder.pairs)
        depths = pairs.hierarchy.depths[pairs.true_labels.classes].astype(np.int64)
        n, m = (np.diff(builder.labels(s).ptr) for s in ("predicted", "true"))
        paths_left = (n > m)[pairs.predicted_labels.instance]
        classes_left = (m > n)[pairs.true_labels.instance]
        builder.short("predicted", (pairs.paths.lengths, 0, 0), paths_left)
        builder.short("true", (0, depths, 0), classes_left)


CONFUSION_RULE = Rule(
    Lexicographic((FieldCost("FP"), FieldCost("FN"), FieldCost("TN"))),
    (Degree("predicted", 1, 1), Degree("true", 1, 1), LeftOver()),
)
"""With n predicted paths and m true classes min(n, m) pairs are chosen, over :class:`PathPairs`.

Several pairings can be the best ones; the counts of all of them are the same.
"""


def _with_paths(pairs: Pairs) -> PathPairs:
    if not isinstance(pairs, PathPairs):
        raise BadInput("this rule pairs root paths: make the pairs by PathPairs.of_labels")
    return pairs
