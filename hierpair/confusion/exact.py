"""The exact pairing: most TP, then fewest FN, then most TN, as a pairing problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.overlap import Overlaps
from hierpair.pairing import (
    Degree,
    Labels,
    Lexicographic,
    Pairs,
    Rule,
    Unmatched,
    formulate,
    solve_pairing,
)

__all__ = ["exact_pairs", "rule_of"]


def exact_pairs(o: Overlaps) -> NDArray[np.bool_]:
    """Return which pairs are chosen, shape ``(n_pairs,)``.

    With n predicted paths and m true classes, min(n, m) pairs are chosen. Of all ways those with
    the most TP in all, then the fewest FN (an unpaired class has its distance to the root), then
    the most TN are the best; the counts of the best ones are the same.
    """
    h = o.hierarchy
    pairs = Pairs(
        h,
        Labels(h, "predicted", o.paths.ptr, o.paths.ends),
        Labels(h, "true", o.targets.ptr, o.targets.classes),
        pair_pointer(o),
        o.path,
        o.target,
    )
    return solve_pairing(formulate(rule_of(o), pairs)).chosen


def pair_pointer(o: Overlaps) -> NDArray[np.int64]:
    """Return where the pairs of every instance start."""
    count = np.diff(o.paths.ptr) * np.diff(o.targets.ptr)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(count)])


def rule_of(o: Overlaps) -> Rule:
    """Return the pairing rule of the confusion matrix for the overlaps of a batch.

    As the numbers of nodes of all predicted paths are given, most TP is the same as fewest FP,
    and as the number of pairs is, most TN is the same as the least short of the largest TN.
    """
    n, m = np.diff(o.paths.ptr), np.diff(o.targets.ptr)
    depth = o.hierarchy.depths[o.targets.classes].astype(np.int64)
    return Rule(
        Lexicographic((Counted(o.fp), Counted(o.fn), Counted(_short_of_most(o)))),
        (
            Degree("predicted", 1, 1),
            Degree("true", 1, 1),
            Unmatched("predicted", (Counted(o.paths.lengths), 0, 0),
                    lambda labels: (n > m)[labels.instance]),
            Unmatched("true", (0, Counted(depth), 0), lambda labels: (m > n)[labels.instance]),
        ),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Counted:
    """Numbers that are known already, one per pair or per label."""

    values: NDArray[np.int64]

    def __call__(self, _: Pairs | Labels) -> NDArray[np.int64]:
        """Return them."""
        return self.values


def _short_of_most(o: Overlaps) -> NDArray[np.int64]:
    ptr = pair_pointer(o)
    filled = np.flatnonzero(np.diff(ptr))
    if not len(filled):
        return o.tn
    most = np.maximum.reduceat(o.tn, ptr[filled])
    return np.repeat(most, np.diff(ptr)[filled]) - o.tn
