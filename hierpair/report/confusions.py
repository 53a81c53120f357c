"""Which classes were predicted where others were missed, and how often: the most frequent ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hierpair.hierarchy.arrays import Bools, Ints, offsets, ragged_ranges
from hierpair.labels import LabelSets
from hierpair.report.drawn_tree import DrawnTree
from hierpair.report.label_keys import BLOCK_LABELS, blocks_of, keys_of, merged
from hierpair.report.packing import Section, section

__all__ = ["MOST_ALONE", "MOST_CONFUSIONS", "Confusions", "confusion_sections", "confusions"]

MOST_CONFUSIONS = 100_000
"""Confusions of all systems together that a page holds."""

MOST_ALONE = 10_000
"""Counts of labels that were missed, or wrong, alone: of all systems together, in a page."""

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
    missed_alone
        By class, in how many instances it is missed and nothing wrong is predicted.
    wrong_alone
        By class, in how many instances it is predicted wrongly and nothing is missed.
    """

    missed: Ints
    wrong: Ints
    count: Ints
    n_all: int
    missed_alone: Ints
    wrong_alone: Ints

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

    What was missed where nothing was predicted instead is in no pair:

    >>> nothing = LabelSets.from_arrays(np.zeros(4, dtype=int), np.array([], dtype=int), 3)
    >>> confusions(true, nothing).missed_alone.tolist()
    [2, 1, 0]
    """
    n = y_true.n_classes
    mistakes = _mistakes(y_true, y_pred)
    total = mistakes.totals(n)
    kept = _Pairs(*np.zeros((3, 0), dtype=np.int64))
    for lo, hi in _spans(total):
        found = mistakes.pairs(lo, hi, n)
        joined = _Pairs(*(np.concatenate(both) for both in zip(kept, found, strict=True)))
        kept = _largest(joined, total, most)
    missed_alone = np.bincount(mistakes.missed[mistakes.times == 0], minlength=n)
    return Confusions(*kept, int(total.sum()), missed_alone, mistakes.wrong_alone(n))


def confusion_sections(found: Sequence[Confusions], tree: DrawnTree) -> list[Section]:
    """Return the confusions of the systems for the page, by their places in the drawn tree.

    ``conf_missed:K`` (each as the step from the one before), ``conf_wrong:K`` (how far behind the
    missed class it stands), ``conf_times:K``; and ``conf_of``, by system: how many confusions are
    shown, and how many there are in all.

    Of classes that were missed while nothing wrong was predicted ``alone_missed:K`` (as steps) and
    ``alone_missed_times:K``, of the reverse ``alone_wrong:K`` and ``alone_wrong_times:K``; all
    absent where there are none. Only the largest counts are there; ``conf_of`` has the sums of all.
    """
    most_alone = MOST_ALONE // (2 * max(1, len(found)))
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
        for side, counts in (("missed", each.missed_alone), ("wrong", each.wrong_alone)):
            sections += _alone_sections(f"alone_{side}", k, counts[tree.order], most_alone)
    shown = [
        {
            "shown": each.n_shown,
            "all": each.n_all,
            "missed_alone": int(each.missed_alone.sum()),
            "wrong_alone": int(each.wrong_alone.sum()),
        }
        for each in found
    ]
    return [*sections, section("conf_of", "json", shown)]


def _alone_sections(name: str, k: int, counts: Ints, most: int) -> list[Section]:
    """Return the largest counts and the places where they stand."""
    largest = np.argsort(-counts, kind="stable")[:most]
    places = np.sort(largest[counts[largest] > 0])
    if not len(places):
        return []
    return [
        section(f"{name}:{k}", "varint", np.diff(places, prepend=0)),
        section(f"{name}_times:{k}", "varint", counts[places]),
    ]


class _Pairs(NamedTuple):
    """Missed and wrong classes and how often; ascending."""

    missed: Ints
    wrong: Ints
    times: Ints


@dataclass(frozen=True, eq=False)
class _Mistakes:
    """Missed labels by class, and the wrong labels of their instances.

    Missed label ``i`` is of class ``missed[i]`` (ascending), and its instance has the wrong labels
    ``wrong[first[i]:first[i] + times[i]]``; ``alone`` says of every wrong label whether its
    instance misses none.
    """

    missed: Ints
    first: Ints
    times: Ints
    wrong: Ints
    alone: Bools

    def wrong_alone(self, n: int) -> Ints:
        """Count, by class, the wrong labels of instances in which nothing is missed."""
        return np.bincount(self.wrong[self.alone], minlength=n)

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
    misses = np.zeros(n_rows, dtype=bool)
    misses[row] = True
    alone = ~misses[wrong_row]
    by_class = of * n_rows + row
    by_class.sort()
    of, row = np.divmod(by_class, max(1, n_rows))
    return _Mistakes(of, first[row], first[row + 1] - first[row], label, alone)


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
