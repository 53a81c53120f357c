"""In how many instances classes are true, predicted, both, and taken for each other.

An instance counts once for a class, however many of its labels lie below the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure, mean_ancestors
from hierpair.hierarchy.arrays import Bools, Ints, offsets, ragged_ranges, row_numbers
from hierpair.labels import LabelSets
from hierpair.report.drawn_tree import DrawnTree, drawn_tree
from hierpair.report.packing import Section, section

BLOCK_LABELS = 4_000_000
"""Labels of all sides together that are held at a time."""


MOST_ROWS = 2**31
"""Instances of a block, unless less is asked for."""


def blocks_of(
    sides: Sequence[LabelSets], most_labels: int, most_rows: int = MOST_ROWS
) -> Iterator[tuple[int, int]]:
    """Cut the instances of all sides into blocks with few enough labels of all sides together."""
    labels = np.sum([side.lengths for side in sides], axis=0)
    block = np.cumsum(labels) // most_labels
    few = np.arange(len(labels)) // most_rows
    edges = [0, *(np.flatnonzero(np.diff(block) | np.diff(few)) + 1).tolist(), len(labels)]
    return (cut for cut in pairwise(edges) if cut[0] < cut[1])


def keys_of(sets: LabelSets, lo: int, hi: int, number: NDArray[np.integer] | None = None) -> Ints:
    """Return the labels of instances ``lo … hi - 1``, ascending: row times classes, plus class.

    Parameters
    ----------
    sets
        The label sets.
    lo, hi
        The instances; the first of them is row 0.
    number
        Another number of every class, by which the labels of an instance are then sorted.
    """
    pointer = sets.indptr[lo : hi + 1]
    labels = sets.indices[pointer[0] : pointer[-1]]
    keys = row_numbers(pointer) * sets.n_classes
    if number is None:  # ascending in every row, as label sets are
        return keys + labels
    keys += number[labels]
    keys.sort()
    return keys


@dataclass(frozen=True, eq=False)
class Merged:
    """The keys of two sides, ascending.

    Attributes
    ----------
    keys
        All of them; what both sides have stands there twice.
    second
        Whether each is of the second side.
    again
        Whether each is the same as the one before.

    Examples
    --------
    >>> both = merged(np.array([1, 4]), np.array([0, 4, 6]))
    >>> both.both.tolist(), both.either.tolist()
    ([4], [0, 1, 4, 6])
    >>> [part.tolist() for part in both.alone()]
    [[1], [0, 6]]
    """

    keys: Ints
    second: Bools
    again: Bools

    @property
    def both(self) -> Ints:
        """What both sides have."""
        return self.keys[self.again]

    @property
    def either(self) -> Ints:
        """What one side has, or both."""
        return self.keys[~self.again]

    def alone(self) -> tuple[Ints, Ints]:
        """Return what only the first, and what only the second side has."""
        single = ~self.again
        single[:-1] &= single[1:]
        return self.keys[single & ~self.second], self.keys[single & self.second]


def merged(one: Ints, other: Ints) -> Merged:
    """Merge the keys of two sides, ascending ones."""
    keys = np.concatenate([one << 1, other << 1 | 1])
    keys.sort(kind="stable")  # which merges what is sorted already
    second = (keys & 1).astype(bool)
    keys >>= 1
    again = np.zeros(len(keys), dtype=bool)
    np.equal(keys[1:], keys[:-1], out=again[1:])
    return Merged(keys, second, again)


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


MOST_CONFUSIONS = 100_000
"""Confusions of all systems together that a page holds."""

BLOCK_PAIRS = 5_000_000
"""Pairs of a missed and a wrong label that are held at a time."""


@dataclass(frozen=True, eq=False)
class Confusions:
    """Classes that were missed, classes that were predicted instead, and in how many instances.

    Attributes
    ----------
    missed, wrong
        Class numbers, ascending by ``missed``, then by ``wrong``.
    count
        In how many instances ``missed`` is true and not predicted, and ``wrong`` predicted and
        not true.
    n_all
        The sum of all counts, also of those that were left out.
    """

    missed: Ints
    wrong: Ints
    count: Ints
    n_all: int

    @property
    def n_shown(self) -> int:
        """The sum of the counts that were kept."""
        return int(self.count.sum())


def confusions(y_true: LabelSets, y_pred: LabelSets, most: int = MOST_CONFUSIONS) -> Confusions:
    """Count pairs of a missed and a wrong class; return the most frequent ones.

    Every missed label of an instance is paired with every wrong one. Where instances have one
    label each, this is the confusion matrix off its diagonal.

    Parameters
    ----------
    y_true, y_pred
        Labels of the same instances in the same order.
    most
        How many pairs are kept. Of pairs that are equally frequent first one of every missed class
        is kept, then a second one …, and of these first those of the class with the most
        confusions.

    Returns
    -------
    Confusions
        The pairs, their counts, and the number of all confusions.

    Examples
    --------
    >>> true = LabelSets.from_arrays(np.arange(4), np.array([0, 0, 1]), 3)
    >>> pred = LabelSets.from_arrays(np.arange(4), np.array([1, 1, 2]), 3)
    >>> found = confusions(true, pred)
    >>> np.stack([found.missed, found.wrong, found.count]).T.tolist()
    [[0, 1, 2], [1, 2, 1]]
    >>> found = confusions(true, pred, most=1)
    >>> found.count.tolist(), found.n_shown, found.n_all
    ([2], 2, 3)
    """
    n = y_true.n_classes
    mistakes = _mistakes(y_true, y_pred)
    total = mistakes.totals(n)
    kept = _Pairs(*np.zeros((3, 0), dtype=np.int64))
    for lo, hi in _spans(total):
        found = mistakes.pairs(lo, hi, n)
        joined = _Pairs(*(np.concatenate(both) for both in zip(kept, found, strict=True)))
        kept = _largest(joined, total, most)
    return Confusions(*kept, int(total.sum()))


def confusion_sections(found: Sequence[Confusions], tree: DrawnTree) -> list[Section]:
    """Return the confusions of the systems for the page, by their places in the drawn tree.

    ``conf_missed:K`` (each as the step from the one before), ``conf_wrong:K`` (how far behind the
    missed class it stands), ``conf_times:K``; and ``conf_of``, by system: how many confusions are
    shown, and how many there are in all.
    """
    sections = []
    for k, each in enumerate(found):
        missed, wrong = tree.place[each.missed], tree.place[each.wrong]
        order = np.lexsort((wrong, missed))
        missed, wrong = missed[order], wrong[order]
        sections += [
            section(f"conf_missed:{k}", "varint", np.diff(missed, prepend=0)),
            section(f"conf_wrong:{k}", "zigzag", wrong - missed),
            section(f"conf_times:{k}", "varint", each.count[order]),
        ]
    shown = [{"shown": each.n_shown, "all": each.n_all} for each in found]
    return [*sections, section("conf_of", "json", shown)]


class _Pairs(NamedTuple):
    """Missed and wrong classes and how often; ascending."""

    missed: Ints
    wrong: Ints
    times: Ints


@dataclass(frozen=True, eq=False)
class _Mistakes:
    """Missed labels by class, and the wrong labels of their instances.

    Missed label ``i`` is of class ``missed[i]`` (ascending), and its instance has the wrong labels
    ``wrong[first[i]:first[i] + times[i]]``.
    """

    missed: Ints
    first: Ints
    times: Ints
    wrong: Ints

    def totals(self, n: int) -> Ints:
        """Return the number of confusions of every missed class."""
        running = offsets(self.times)
        ends = running[np.searchsorted(self.missed, np.arange(n + 1))]
        return np.diff(ends)

    def pairs(self, lo: int, hi: int, n: int) -> _Pairs:
        """Count the confusions of missed classes ``lo … hi - 1``."""
        a, b = np.searchsorted(self.missed, [lo, hi]).tolist()
        if hi == lo + 1:  # there may be more of them than can be held
            counts = np.zeros(n, dtype=np.int64)
            for c, d in _spans(self.times[a:b]):
                counts += np.bincount(self._wrong_labels(a + c, a + d), minlength=n)
            wrong = np.flatnonzero(counts)
            return _Pairs(np.full(len(wrong), lo), wrong, counts[wrong])
        keys = np.repeat(self.missed[a:b] * n, self.times[a:b]) + self._wrong_labels(a, b)
        keys.sort()
        new = np.flatnonzero(np.diff(keys, prepend=-1))
        return _Pairs(*np.divmod(keys[new], n), np.diff(new, append=len(keys)))

    def _wrong_labels(self, a: int, b: int) -> Ints:
        return self.wrong[ragged_ranges(self.first[a:b], self.times[a:b])]


def _mistakes(y_true: LabelSets, y_pred: LabelSets) -> _Mistakes:
    """Find the labels that only one side has."""
    n, n_rows = y_true.n_classes, len(y_true)
    missed, wrong = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for lo, hi in blocks_of([y_true, y_pred], BLOCK_LABELS):
        one, other = merged(keys_of(y_true, lo, hi), keys_of(y_pred, lo, hi)).alone()
        missed.append(one + lo * n)
        wrong.append(other + lo * n)
    wrong_row, label = np.divmod(np.concatenate(wrong), n)
    first = offsets(np.bincount(wrong_row, minlength=n_rows))
    row, of = np.divmod(np.concatenate(missed), n)
    by_class = of * n_rows + row
    by_class.sort()
    of, row = np.divmod(by_class, max(1, n_rows))
    return _Mistakes(of, first[row], first[row + 1] - first[row], label)


def _spans(times: Ints) -> Iterator[tuple[int, int]]:
    """Cut things with so many pairs each into spans whose pairs fit into memory."""
    many = times > BLOCK_PAIRS
    span = np.cumsum(np.where(many, 0, times)) // BLOCK_PAIRS
    cuts = np.flatnonzero((np.diff(span) > 0) | many[1:] | many[:-1]) + 1
    return (cut for cut in pairwise([0, *cuts.tolist(), len(times)]) if cut[0] < cut[1])


def _largest(pairs: _Pairs, total: Ints, most: int) -> _Pairs:
    """Return the most frequent pairs; see :func:`confusions` for which of equally frequent ones."""
    if len(pairs.times) <= most:
        return pairs
    at_least = np.cumsum(np.bincount(pairs.times)[::-1])[::-1]
    least = int(np.flatnonzero(at_least >= most)[-1])
    kept = pairs.times > least
    tied = np.flatnonzero(pairs.times == least)
    missed = pairs.missed[tied]
    new = np.flatnonzero(np.diff(missed, prepend=-1))
    turn = np.arange(len(tied)) - np.repeat(new, np.diff(new, append=len(tied)))
    wanted = most - int(kept.sum())
    last = int(np.searchsorted(np.cumsum(np.bincount(turn)), wanted))
    kept[tied[turn < last]] = True
    rest = tied[turn == last]
    order = np.argsort(-total[pairs.missed[rest]], kind="stable")
    kept[rest[order[: most - int(kept.sum())]]] = True
    return _Pairs(*(column[kept] for column in pairs))
