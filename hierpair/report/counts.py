"""In how many instances classes are true, predicted, both, and taken for each other.

An instance counts once for a class, however many of its labels lie below the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hierpair.hierarchy import Hierarchy, mean_ancestors
from hierpair.hierarchy.arrays import (
    Ints,
    blocks,
    row_numbers,
    sparse_rows,
    starts_of_ties,
)
from hierpair.labels import LabelSets
from hierpair.labels.sets import augmented_keys
from hierpair.report.drawn_tree import DrawnTree

BLOCK = 6_000_000
"""Classes of all instances, or pairs of a missed and a wrong label, that are held at a time."""

MOST_CONFUSIONS = 100_000
"""Confusions of all systems together that a page holds."""


def class_sections(
    hierarchy: Hierarchy, y_true: LabelSets, systems: Sequence[LabelSets], tree: DrawnTree
) -> dict[str, Ints]:
    """Return counts of classes for the page, in the order of the drawn tree, systems as 0, 1, …

    ``true``; ``missed:K`` and ``wrong:K``: in how many instances a class itself is true alone, and
    predicted alone. ``true_o``, ``pred_o:K``, ``both_o:K`` lead to the augmented counts: these are
    sums of flat counts less these numbers, over a class and all ways down from it that are shown.
    They are few and small: most instances are below one child only.
    """
    n, sides = len(tree.order), [y_true, *systems]
    each, both = np.zeros((2, len(sides), 2, n), dtype=np.int64)  # both: in the truth, too
    mean = mean_ancestors(hierarchy) or tree.depth.mean() + 1
    room = np.cumsum(np.sum([side.lengths for side in sides], axis=0) * mean)
    for lo, hi in blocks((room, BLOCK)):
        parts = [side.part(lo, hi) for side in sides]
        grown = (LabelSets.of_keys(augmented_keys(hierarchy, x), hi - lo, n) for x in parts)
        for kind, of in enumerate((parts, grown)):
            every = [sparse_rows(x.indptr, x.indices, n, np.ones(len(x.indices), bool)) for x in of]
            for k, found in enumerate(every):
                shared = found.multiply(every[0])
                each[k, kind] += np.bincount(found.indices, minlength=n)[tree.order]
                both[k, kind] += np.bincount(shared.indices, minlength=n)[tree.order]
    # what is below the children of a class, less what is below the class
    child, above = np.hstack([[np.arange(n), tree.above], tree.more.T])
    for counts in (*each, *both):
        below = np.bincount(above + 1, counts[1][child], n + 1)[1:].astype(np.int64)
        counts[1] = counts[0] + below - counts[1]
    sections = dict(zip(("true", "true_o"), each[0], strict=True))
    for k, ((pred, pred_o), (hit, both_o)) in enumerate(zip(each[1:], both[1:], strict=True)):
        sections |= {f"missed:{k}": each[0, 0] - hit, f"wrong:{k}": pred - hit,
                     f"pred_o:{k}": pred_o, f"both_o:{k}": both_o}  # fmt: skip
    return sections


def confusions(
    y_true: LabelSets, y_pred: LabelSets, most: int = MOST_CONFUSIONS
) -> tuple[Ints, int]:
    """Return pairs of a missed and a wrong class, ascending, each with its number of instances
    as a third row, and the number of all pairs in all instances.

    Every missed label of an instance is paired with every wrong one. Of pairs that are equally
    frequent first one of every missed class is kept, then a second one …, and of these first those
    of the class with the most confusions.
    """
    true, pred = (
        sparse_rows(side.indptr, side.indices, side.n_classes).astype(np.int32, copy=False)
        for side in (y_true, y_pred)
    )
    both = true.multiply(pred)
    missed, wrong = (true - both).T.tocsr(), pred - both
    missed.eliminate_zeros()
    wrong.eliminate_zeros()
    total = missed @ np.diff(wrong.indptr)
    kept = np.zeros((3, 0), dtype=np.int64)
    for lo, hi in blocks((np.cumsum(total), BLOCK)):
        found = missed[lo:hi] @ wrong
        found.sort_indices()
        new = np.stack([row_numbers(found.indptr) + lo, found.indices, found.data])
        kept = np.concatenate([kept, new], axis=1)
        if kept.shape[1] > most:
            kept = kept[:, kept[2] >= np.partition(kept[2], -most)[-most]]
            tied = np.flatnonzero(kept[2] == kept[2].min())
            first = starts_of_ties(kept[0, tied])
            turn = np.arange(len(tied)) - np.repeat(first, np.diff(first, append=len(tied)))
            last = np.lexsort((-total[kept[0, tied]], turn))[::-1][: kept.shape[1] - most]
            kept = np.delete(kept, tied[last], axis=1)
    return kept, int(total.sum())


def confusion_sections(found: Sequence[tuple[Ints, int]], tree: DrawnTree) -> dict[str, Any]:
    """Return the confusions of the systems for the page, by their places in the drawn tree.

    ``conf_missed:K`` (each as the step from the one before), ``conf_wrong:K`` (how far behind the
    missed class it stands), ``conf_times:K``; and ``conf_of``, by system: how many confusions are
    shown, and how many there are in all.
    """
    sections = dict[str, Any]()
    for k, (pairs, _) in enumerate(found):
        missed, wrong = tree.place[pairs[:2]]
        order = np.lexsort((wrong, missed))
        sections[f"conf_missed:{k}"] = np.diff(missed[order], prepend=0)
        sections[f"conf_wrong:{k}"] = (wrong - missed)[order]
        sections[f"conf_times:{k}"] = pairs[2, order]
    sections["conf_of"] = [{"shown": int(pairs[2].sum()), "all": n_all} for pairs, n_all in found]
    return sections
