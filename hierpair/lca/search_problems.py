"""Instances with choices as bit masks: classes become bits, shortest paths become masks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums
from hierpair.lca.cover_problems import Instances
from hierpair.lca.enumeration import Choice, Problem
from hierpair.lca.no_choice import Decided, StandIns
from hierpair.lca.path_masks import Forks, masks_along, path_masks
from hierpair.solvers import CoverProblem

__all__ = ["Shape", "bits_of", "search_problem", "search_problems"]

WORD = 62
"""Bits of a mask that one number of an array holds."""

Shape = tuple[bytes, ...]
"""Links and classes of an instance by their numbers within it."""


def search_problems(
    each: Instances, standing: StandIns, known: Decided
) -> Iterator[tuple[int, Shape, Callable[[], Problem | None]]]:
    """Yield each open instance with its shape and what makes its problem.

    Instances of one shape have the same problem, which is None where a link has too many paths.

    Parameters
    ----------
    each
        The links of the open instances.
    standing
        Which classes stand for those on links.
    known
        What is decided already.
    """
    problems = _Problems(each, standing, known)
    for i in np.flatnonzero(known.is_open).tolist():  # one instance at a time in memory
        yield i, problems.shape(i), partial(problems.problem, i)


class _Problems:
    """The instances with their classes numbered from 0 in each."""

    def __init__(self, each: Instances, standing: StandIns, known: Decided) -> None:
        links, rows = each.links, each.rows
        owner, count = row_numbers(each.ptr), np.diff(links.node_ptr)[each.rows]
        at, node_ptr = ragged_ranges(links.node_ptr[rows], count), offsets(count)
        bit, n_bits = standing.number[at], standing.per_instance
        lca = standing.number[links.node_ptr[rows + 1] - 1]
        label, own = links.label[rows], links.own[rows]
        side = links.members.side[label]
        self.links, self.at, self.ptr, self.node_ptr = links, at, each.ptr, node_ptr
        what = np.stack([count, lca, side, own])
        self.of_link = np.ascontiguousarray(what.T, dtype=np.int32)
        self.short = bit.astype(np.int32)
        # What is known by now, as masks.
        end, fixed = owner * 2 + side, known.fixed[rows]
        on_fixed = np.repeat(fixed, count)
        self.marked = _Masks(owner[own], lca[own], n_bits)
        self.fixed = _Masks(np.repeat(end, count)[on_fixed], bit[on_fixed], np.repeat(n_bits, 2))
        self.ended = _Masks(end[fixed], lca[fixed], np.repeat(n_bits, 2))
        # What is left.
        left = np.flatnonzero(known.left[rows])
        forked = row_sums(standing.kept[at], node_ptr)[left] > links.length[rows[left]] + 1
        self.forks = Forks(each.hierarchy, links, rows[left[forked]])
        self.left_ptr = np.searchsorted(left, each.ptr).tolist()
        self.left_bit = bit[ragged_ranges(node_ptr[left], count[left])]
        self.words = _words(self.left_bit, count[left])
        self.bit_ptr = offsets(count[left]).tolist()
        self.fork = np.where(forked, np.cumsum(forked) - 1, -1).tolist()
        self.label, self.side = label[left].tolist(), side[left].tolist()
        self.lca, self.own = lca[left].tolist(), own[left].tolist()

    def problem(self, i: int) -> Problem | None:
        """Return the problem of an instance, or None where a link has too many paths."""
        t, p = 2 * i, 2 * i + 1
        fixed, ended = (self.fixed[t], self.fixed[p]), (self.ended[t], self.ended[p])
        return _collected(self._left(i), Problem([], {}, self.marked[i], fixed, ended))

    def _left(self, i: int) -> Iterator[tuple[int, int, int, bool, tuple[int, ...] | None]]:
        """Yield the links of an instance that are left, with the masks of their paths."""
        lo, hi = self.left_ptr[i], self.left_ptr[i + 1]
        low, high, beyond = (word[lo:hi].tolist() for word in self.words)
        for k in range(lo, hi):
            masks: tuple[int, ...] | None
            if self.fork[k] >= 0:
                found = masks_along(self._bits(k), self.forks.edges(self.fork[k]))
                masks = None if found is None else tuple(sorted(found))
            elif beyond[k - lo]:
                masks = (sum(1 << bit for bit in set(self._bits(k))),)
            else:
                masks = (low[k - lo] | high[k - lo] << WORD,)
            yield self.label[k], self.side[k], self.lca[k], self.own[k], masks

    def _bits(self, k: int) -> list[int]:
        """Return the bits of the classes of a link that is left, step by step."""
        bits: list[int] = self.left_bit[self.bit_ptr[k] : self.bit_ptr[k + 1]].tolist()
        return bits

    def shape(self, i: int) -> Shape:
        """Return what the problem of an instance depends on.

        Whose link it is follows from the first of its bits, and the steps from the classes.
        """
        lo, hi = int(self.ptr[i]), int(self.ptr[i + 1])
        part = slice(int(self.node_ptr[lo]), int(self.node_ptr[hi]))
        forked = max(self.fork[self.left_ptr[i] : self.left_ptr[i + 1]], default=-1) >= 0
        nodes = self.at[part] if forked else self.at[:0]  # then paths depend on the classes
        return (
            self.of_link[lo:hi].tobytes(),
            self.short[part].tobytes(),
            self.links.node[nodes].tobytes(),
        )


def search_problem(problem: CoverProblem) -> Problem | None:
    """Return the problem of a single instance whose links are written out: nothing is decided."""
    found = []
    for link, placed in zip(problem.links, bits_of(problem), strict=True):
        parents: dict[int, list[int]] = {}
        for lower, upper in link.edges:
            parents.setdefault(lower, []).append(upper)
        masks = path_masks(parents.__getitem__, *zip(*placed, strict=True))
        masks_or_none = None if masks is None else tuple(sorted(masks))
        found.append((link.owner, link.side, placed[-1][2], link.own, masks_or_none))
    marked = 0
    for _, _, a, own, _ in found:
        marked |= own << a
    return _collected(found, Problem([], {}, marked))


def bits_of(problem: CoverProblem) -> list[list[tuple[int, int, int]]]:
    """Return (class, step, bit) of everything on each link, step by step; the end comes last.

    Of the classes of a step that are on one link only, and no end, the first stands for all, as
    every path takes one of them. Bits are numbered by class, as those of :func:`search_problems`.
    """
    on = Counter(c for link in problem.links for step in link.steps for c in step)
    ends = {link.end for link in problem.links}
    stand_in: list[list[tuple[int, int, int]]] = []
    for link in problem.links:
        placed = []
        for s, step in enumerate(link.steps):
            first = next((c for c in step if on[c] == 1 and c not in ends), -1)
            placed += [(c, s, first if on[c] == 1 and c not in ends else c) for c in step]
        stand_in.append(placed)
    used = sorted({c for placed in stand_in for _, _, c in placed})
    bit = {c: b for b, c in enumerate(used)}
    return [[(c, s, bit[first]) for c, s, first in placed] for placed in stand_in]


def _collected(
    links: Iterable[tuple[int, int, int, bool, tuple[int, ...] | None]], problem: Problem
) -> Problem | None:
    """Put links (label, side, bit of the LCA, whether its own, masks) into a problem."""
    choices: dict[int, Choice] = {}
    ends = problem.ends
    for label, s, a, own, masks in links:
        if masks is None:
            return None
        ends[s, a] = ends[s, a] + masks if (s, a) in ends else masks
        if own:
            if label not in choices:
                choices[label] = Choice(s, {})
                problem.choices.append(choices[label])
            choices[label].masks[a] = masks
    return problem


def _words(
    bit: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the masks of rows of bits as two words, and whether any bit is beyond both."""
    if not len(count):
        return bit, bit, bit.astype(bool)
    first = offsets(count)[:-1]
    low = np.where(bit < WORD, np.int64(1) << np.minimum(bit, WORD), 0)
    above = bit - WORD
    some = (above >= 0) & (above < WORD)
    high = np.where(some, np.int64(1) << np.clip(above, 0, WORD), 0)
    return (
        np.bitwise_or.reduceat(low, first),
        np.bitwise_or.reduceat(high, first),
        np.logical_or.reduceat(above >= WORD, first),
    )


class _Masks:
    """Rows of bits as whole numbers of any length.

    Parameters
    ----------
    row, bit
        The bits that are set.
    n_bits
        How many bits each row may have.
    """

    def __init__(
        self, row: NDArray[np.int64], bit: NDArray[np.int64], n_bits: NDArray[np.int64]
    ) -> None:
        ptr = offsets((n_bits + 7) // 8)
        table = np.zeros(int(ptr[-1]) * 8, dtype=bool)
        table[ptr[row] * 8 + bit] = True
        self.bytes, self.ptr = np.packbits(table, bitorder="little").tobytes(), ptr.tolist()

    def __getitem__(self, row: int) -> int:
        return int.from_bytes(self.bytes[self.ptr[row] : self.ptr[row + 1]], "little")
