"""In how many instances every class is true, predicted, or both: as it is, and with what is below.

An instance counts once for a class, however many of its labels lie below the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure, mean_ancestors
from hierpair.hierarchy.arrays import Ints, offsets
from hierpair.labels import LabelSets
from hierpair.report.drawn_tree import DrawnTree, drawn_tree
from hierpair.report.label_keys import BLOCK_LABELS, MOST_ROWS, blocks_of, keys_of, merged
from hierpair.report.packing import Section, section

__all__ = ["ClassFigures", "Counts", "class_figures"]

BLOCK_ENTRIES = 6_000_000
"""Ancestors of the labels of all sides together that are held at a time."""

SHORT = 2**22
"""With no more classes keys of 32 bits, which are sorted faster, hold enough instances."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Numbers of instances, by place in the drawn tree.

    Attributes
    ----------
    flat
        Instances that have the class itself.
    augmented
        Instances that have the class or one below it.
    """

    flat: Ints
    augmented: Ints


@dataclass(frozen=True, eq=False)
class ClassFigures:
    """In how many instances every class is true, predicted by each system, and both.

    Attributes
    ----------
    true
        Of the truth.
    predicted, both
        By system: of its predictions, and of what truth and prediction share.
    """

    true: Counts
    predicted: dict[str, Counts]
    both: dict[str, Counts]

    def sections(self, tree: DrawnTree) -> list[Section]:
        """Return the counts for the page, in the order of the drawn tree, systems as 0, 1, …

        ``true``; ``missed:K`` and ``wrong:K``: what is true alone and what is predicted alone; all
        flat. ``true_o``, ``pred_o:K``, ``both_o:K`` lead to the augmented counts: these are sums
        of flat counts less these numbers, over a class and all ways down from it that are shown.
        """
        found = [
            section("true", "varint", self.true.flat),
            section("true_o", "zigzag", _overlap(self.true, tree)),
        ]
        for k, system in enumerate(self.predicted):
            predicted, both = self.predicted[system], self.both[system]
            missed, wrong = self.true.flat - both.flat, predicted.flat - both.flat
            found += [
                section(f"missed:{k}", "varint", missed),
                section(f"wrong:{k}", "varint", wrong),
                section(f"pred_o:{k}", "zigzag", _overlap(predicted, tree)),
                section(f"both_o:{k}", "zigzag", _overlap(both, tree)),
            ]
        return found


def _overlap(counts: Counts, tree: DrawnTree) -> Ints:
    """Return what a class and its children add up to beyond the class with all below it.

    These numbers are few and small, as most instances are below one of the children only.
    """
    below = np.zeros(len(tree), dtype=np.int64)
    child = np.flatnonzero(tree.above >= 0)
    np.add.at(below, tree.above[child], counts.augmented[child])
    child, parent = tree.shown_more.T
    np.add.at(below, parent, counts.augmented[child])
    return counts.flat + below - counts.augmented


def class_figures(
    hierarchy: Hierarchy,
    y_true: LabelSets,
    systems: Mapping[str, LabelSets],
    tree: DrawnTree | None = None,
) -> ClassFigures:
    """Count, for every class, the instances that have it in truth, in predictions, and in both.

    Parameters
    ----------
    hierarchy
        The classes.
    y_true
        True labels.
    systems
        Predicted labels by system, of the same instances in the same order.
    tree
        The drawn tree of the hierarchy, where it is known already.

    Returns
    -------
    ClassFigures
        Flat and augmented counts of all classes, also of those that measures leave out, in the
        order of the drawn tree.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> true = LabelSets.from_labels([["b", "c"], ["c"]], tree)
    >>> figures = class_figures(tree, true, {"s": LabelSets.from_labels([["b"], ["b"]], tree)})
    >>> figures.true.flat.tolist(), figures.true.augmented.tolist()
    ([0, 0, 1, 2], [2, 2, 1, 2])
    >>> figures.both["s"].flat.tolist(), figures.both["s"].augmented.tolist()
    ([0, 0, 1, 0], [2, 2, 1, 0])
    """
    n, names = len(hierarchy), list(systems)
    drawn = drawn_tree(hierarchy) if tree is None else tree
    each = np.zeros((1 + len(names), 2, n), dtype=np.int64)
    both = np.zeros((len(names), 2, n), dtype=np.int64)
    sides = [y_true, *systems.values()]
    for lo, hi in blocks_of(sides, *_block_size(hierarchy, drawn)):
        keys = [keys_of(side, lo, hi, drawn.place) for side in sides]
        pairs = [merged(keys[0], predicted) for predicted in keys[1:]]
        for k, some in enumerate(keys):
            each[k, 0] += _flat(some, n)
        for k, pair in enumerate(pairs):
            both[k, 0] += _flat(pair.both, n)
        if len(drawn.more):
            one, shared = _with_several_parents(hierarchy, drawn, keys)
        else:
            one, shared = _with_one_parent(drawn, keys, [pair.either for pair in pairs])
        for k in range(len(sides)):
            each[k, 1] += one[k]
        for k in range(len(names)):
            both[k, 1] += shared[k]
    return ClassFigures(
        Counts(*each[0]),
        {name: Counts(*each[k]) for k, name in enumerate(names, 1)},
        {name: Counts(*both[k]) for k, name in enumerate(names)},
    )


def _flat(keys: NDArray[np.integer], n: int) -> Ints:
    """Return how many instances have each class."""
    return np.bincount(keys % n, minlength=n)


def _with_one_parent(
    tree: DrawnTree, keys: list[Ints], either: list[Ints]
) -> tuple[list[Ints], list[Ints]]:
    """Return the augmented counts of every side, and those of what each shares with the first.

    Both sides have what one has, and the other, less what either has.
    """
    each = [_branch_sums(tree, side) for side in keys]
    shared = [each[0] + each[k] - _branch_sums(tree, any_) for k, any_ in enumerate(either, 1)]
    return each, shared


def _branch_sums(tree: DrawnTree, keys: Ints) -> Ints:
    """Add up the labels of each branch, and take off what an instance has there more than once.

    With the labels of an instance in preorder, a class that is above m of them is above the lowest
    common ancestors of m - 1 neighbours.
    """
    n = len(tree)
    row, place = np.divmod(keys, n)
    beside = np.flatnonzero(row[1:] == row[:-1])
    common = _lowest_common(tree, place[beside], place[beside + 1])
    own = np.bincount(place, minlength=n) - np.bincount(common[common >= 0], minlength=n)
    running = offsets(own)
    return running[tree.end] - running[:-1]


def _lowest_common(tree: DrawnTree, first: Ints, second: Ints) -> Ints:
    """Return the lowest common ancestors of places, the first before the second; -1 for none.

    It is the least of the parents of what stands behind the first, up to the second. Stretches of
    2, 4, 8 … places are looked at in turn; two of them cover a longer one.
    """
    found = np.empty(len(first), dtype=np.int64)
    halvings = np.frexp((second - first).astype(np.float64))[1] - 1  # of 1: 0, of 2 and 3: 1 …
    order = np.argsort(halvings.astype(np.uint8), kind="stable")
    ends = np.cumsum(np.bincount(halvings))
    least, width = tree.above.astype(np.int32), 1
    for here in np.split(order, ends[:-1]):
        begin, end = first[here] + 1, second[here] + 1
        found[here] = np.minimum(least[begin], least[end - width])
        least[:-width] = np.minimum(least[:-width], least[width:])
        width *= 2
    return found


def _with_several_parents(
    hierarchy: Hierarchy, tree: DrawnTree, keys: list[Ints]
) -> tuple[list[Ints], list[Ints]]:
    """Return what :func:`_with_one_parent` does; the ancestors of all labels are looked up."""
    n = len(tree)
    rows, labels = [], []
    for side in keys:
        row, place = np.divmod(side, n)
        rows.append(row)
        labels.append(tree.order[place])
    closure = ancestor_closure(hierarchy, np.concatenate(labels))
    grown = [_grown(closure, row, label, n) for row, label in zip(rows, labels, strict=True)]
    each = [_flat(side, n)[tree.order] for side in grown]
    shared = [_flat(_shared(grown[0], side), n)[tree.order] for side in grown[1:]]
    return each, shared


def _grown(closure: Closure, row: Ints, label: Ints, n: int) -> NDArray[np.integer]:
    """Return the keys of the ancestors of labels, each once, by class number; ascending."""
    above = closure.pattern[closure.rows(label)]
    keys = above.indices.astype(np.uint32 if n <= SHORT else np.int64)
    keys += np.repeat((row * n).astype(keys.dtype), np.diff(above.indptr))
    keys.sort()
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    grown: NDArray[np.integer] = keys[new]
    return grown


def _shared(one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return the keys that both have."""
    keys = np.concatenate([one, other])
    keys.sort()
    shared: NDArray[np.integer] = keys[1:][keys[1:] == keys[:-1]]
    return shared


def _block_size(hierarchy: Hierarchy, tree: DrawnTree) -> tuple[int, int]:
    """Return how many labels and instances are counted at a time."""
    if not len(tree.more):
        return BLOCK_LABELS, MOST_ROWS
    mean = mean_ancestors(hierarchy)
    if mean is None:
        mean = len(ancestor_closure(hierarchy).indices) / len(hierarchy)
    short = 2**32 // len(tree) if len(tree) <= SHORT else MOST_ROWS
    return max(1, int(BLOCK_ENTRIES / mean)), short
