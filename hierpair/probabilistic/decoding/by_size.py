"""Decoding by size: measures that are sums over classes once the prediction has a size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import (
    Floats,
    Ints,
    groups_by,
    offsets,
    ragged_ranges,
    row_numbers,
    row_sums,
)
from hierpair.labels.coded import places_in, taken
from hierpair.probabilistic.decoding import Best, Decoded, Task, decoded, decoder, need_distribution
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = [
    "SLACK",
    "Support",
    "closed_members",
    "decode_hf",
    "decode_hp",
    "decode_hr",
    "supports",
]

CELLS = 3_000_000
"""Instances times classes held at a time, for each size."""

SLACK = 1e-12
"""A larger set must be better by so much: less is rounding."""


def decode_hf(
    distribution: LabelDistribution,
    beta: float = 1,
    *,
    root: Any = "exclude",
    closed: bool = True,
    zero_division: float = 0,
) -> Decoded:
    """Return the set with the largest expected hierarchical F-beta, on any hierarchy.

    For predictions S of k classes the expected value is the sum over S of
    ``sum of p_j (1 + β²) / (k + β² |Y_j|)`` over the scenarios j that hold the class. So the k
    classes with the largest sums are the best of size k, and they are closed by themselves, since
    a parent's sum is never below its child's. The best size is found by trying them; from the
    largest true set on, ``(1 + β²) sum of P(|Y| = d) min(k, d) / (k + β² d)`` bounds all larger
    sizes, and ends the search (general F maximisation: Dembczyński et al. 2011; Waegeman et al.
    2014).

    Parameters
    ----------
    distribution
        Any distribution: single or several paths, on a tree, forest or DAG.
    beta
        Weight of recall, a finite number ≥ 0.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    closed
        Whether label sets are augmented by their ancestors; False decodes flat F-beta.
    zero_division
        What F is worth where 0/0: for ``beta=0`` an empty prediction with a true class.

    Returns
    -------
    Decoded
        Of equally good sets a smallest one, with higher classes first.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> distribution = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree)
    >>> best = decode_hf(distribution)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1', '2', '5'], 0.565)
    """
    if not 0 <= beta < 1e100:
        raise BadInput(f"beta must be a finite number ≥ 0, got {beta!r}")
    square = float(beta) ** 2

    form = _Form(
        lambda k, d: (1 + square) / (k + square * d),
        nothing_predicted=zero_division if beta == 0 else 0.0,
    )
    method = "best classes of every size, larger sizes bounded"
    return _decode(distribution, form, root, closed, method)


def decode_hp(
    distribution: LabelDistribution,
    *,
    size: int | None = None,
    root: Any = "exclude",
    closed: bool = True,
    zero_division: float = 0,
) -> Decoded:
    """Return the set with the largest expected hierarchical precision.

    One most probable class at the top is as good as any set: precision alone does not ask for
    more.

    Parameters
    ----------
    distribution, root, closed
        As for :func:`decode_hf`.
    size
        How many classes to predict, the most probable ones; by default one or none.
    zero_division
        What the precision of an empty prediction is worth where something is true.

    Raises
    ------
    BadInput
        If fewer than ``size`` classes of an instance have a probability.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_hp(distribution, size=2)
    >>> best.sets.names_of(0, tree), float(best.value[0])
    (['1', '3'], 0.6)
    """
    form = _Form(lambda k, d: 1 / k, _checked(size) or 1, size is None, zero_division)
    return _decode(distribution, form, root, closed, "most probable classes")


def decode_hr(
    distribution: LabelDistribution,
    *,
    size: int | None = None,
    root: Any = "exclude",
    closed: bool = True,
    zero_division: float = 0,
) -> Decoded:
    """Return the set with the largest expected hierarchical recall.

    Without ``size`` every class that may be true.

    Parameters
    ----------
    distribution, root, closed
        As for :func:`decode_hf`.
    size
        How many classes to predict: those with the largest ``sum of p_j / |Y_j|`` over the
        scenarios that hold them.
    zero_division
        What the recall of a prediction is worth where nothing is true.

    Raises
    ------
    BadInput
        If fewer than ``size`` classes of an instance have a probability.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_hr(distribution, size=2)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1', '2'], 0.65)
    """
    form = _Form(lambda k, d: 1 / d, _checked(size) or -1, size is None, 0.0, zero_division)
    return _decode(distribution, form, root, closed, "largest shares of the true sets")


def _checked(size: int | None) -> int | None:
    if size is not None and (not isinstance(size, int) or size < 1):
        raise BadInput(f"size must be a whole number ≥ 1, got {size!r}")
    return size


@dataclass(frozen=True)
class _Form:
    """How a measure depends on sizes.

    Attributes
    ----------
    weight
        From the sizes of both sets to what a class in both adds.
    only
        The one size to look at besides none: 0 is every size, -1 that of all classes there are.
    empty
        Whether nothing may be predicted.
    nothing_predicted, nothing_true
        What an empty prediction is worth where something is true, and the other way round; with
        both empty it is 1.
    """

    weight: Callable[[int, int], float]
    only: int = 0
    empty: bool = True
    nothing_predicted: float = 0.0
    nothing_true: float = 0.0


def _decode(
    distribution: LabelDistribution, form: _Form, root: Any, closed: bool, method: str
) -> Decoded:
    """Find the best set of every instance."""
    need_distribution(distribution, "this measure")

    def best(s: Support) -> Best:
        short = np.flatnonzero(s.length < form.only)
        if len(short) and not form.empty:
            raise BadInput(
                f"{counted(int(s.length[short[0]]), 'class')} with a probability, fewer than "
                f"size={form.only}",
                distribution.name(s.first + int(short[0])),
            )
        value, size = _best_sizes(s, form)
        rows, nodes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for k in np.unique(size[size > 0]).tolist():
            some = np.flatnonzero(size == k)
            top = np.argsort(-_gains(s, form, k, some), axis=1, kind="stable")[:, :k]
            rows.append(np.repeat(some, k))
            nodes.append(np.take_along_axis(s.node[some], top, axis=1).ravel())
        return Best(np.concatenate(rows), np.concatenate(nodes), value)

    parts = map(best, supports(distribution, root, closed=closed))
    return decoded(distribution, parts, "higher", method)


def _best_sizes(s: Support, form: _Form) -> tuple[Floats, Ints]:
    """Return the best value of every row and the size that has it."""
    zero = s.of_size[:, s.sizes == 0].sum(axis=1)
    there = s.of_size[:, s.sizes > 0].sum(axis=1)
    n = len(s.node)
    best = zero + form.nothing_predicted * there if form.empty else np.full(n, -np.inf)
    size = np.zeros(n, dtype=np.int64)

    def attempt(k: int, rows: Ints) -> None:
        """Value the best k classes as a prediction and keep what is better."""
        gain = _gains(s, form, k, rows)
        if k < gain.shape[1]:
            gain = np.partition(gain, gain.shape[1] - k, axis=1)[:, -k:]
        value = np.maximum(gain, 0).sum(axis=1) + form.nothing_true * zero[rows]
        better = value > best[rows] + SLACK
        best[rows[better]], size[rows[better]] = value[better], k

    if form.only:
        wanted = s.length if form.only == -1 else np.minimum(form.only, s.length)
        for k in np.unique(wanted[wanted > 0]).tolist():
            attempt(k, np.flatnonzero(wanted == k))
        return best, size
    active, positive = np.flatnonzero(s.length > 0), s.sizes > 0
    d, k = s.sizes[positive].astype(np.float64), 0
    while len(active):
        k += 1
        attempt(k, active)
        active = active[s.length[active] > k]
        if k + 1 >= s.sizes.max(initial=0) and len(active):
            factor = np.array([form.weight(k + 1, int(x)) for x in d]) * np.minimum(k + 1, d)
            bound = s.of_size[active][:, positive] @ factor + form.nothing_true * zero[active]
            active = active[bound > best[active] + SLACK]
    return best, size


def _gains(s: Support, form: _Form, k: int, rows: Ints) -> Floats:
    """Return what every class adds to a prediction of k classes; -1 where a row has ended.

    The sum is made size by size in one order, so that rounding keeps a parent's gain at or above
    its child's.
    """
    gain = np.zeros((len(rows), s.node.shape[1]))
    for d, mass in zip(s.sizes.tolist(), s.mass, strict=True):
        if d > 0:
            gain += form.weight(k, d) * mass[rows]
    gain[s.node[rows] < 0] = -1.0
    return gain


@decoder(
    lambda task: (
        task.formula in ("hf", "hp", "hr")
        and task.is_distribution
        and task.average == "samples"
        and task.is_plain
        and not np.isnan(task.options["zero_division"])
    )
)
def _hierarchical(task: Task) -> Decoded:
    o = task.options
    common = {"root": o["root"], "closed": task.is_augmented, "zero_division": o["zero_division"]}
    if task.formula == "hf":
        return decode_hf(task.full, o["beta"], **common)
    return (decode_hp if task.formula == "hp" else decode_hr)(task.full, **common)


@decoder(
    lambda task: (
        task.formula == "f"
        and task.is_distribution
        and task.average == "samples"
        and task.options["beta"] != 0
        # of no label flat F is zero_division, and hierarchical F is 1
        and bool((task.full.sets.lengths > 0)[task.full.p > 0].all())
    )
)
def _flat(task: Task) -> Decoded:
    return decode_hf(task.full, task.options["beta"], root="include", closed=False)


# ------------------------------------------------------------- probabilities by size


@dataclass(frozen=True, eq=False)
class Support:
    """The classes that may be true in some instances, ascending: parents before children.

    Attributes
    ----------
    first
        Number of the first instance.
    node
        Class numbers, shape ``(n_rows, width)``; -1 fills short rows up.
    sizes
        The sizes of true sets that occur, ascending.
    mass
        Of every size one array of shape ``(n_rows, width)``: the probability that the true set
        has this size and the class. Never above the parent's, to the last bit.
    of_size
        Probability of every size, shape ``(n_rows, n_sizes)``.
    length
        Number of classes in every row.
    """

    first: int
    node: Ints
    sizes: Ints
    mass: list[Floats]
    of_size: Floats
    length: Ints


def closed_members(
    distribution: LabelDistribution, root: Any, *, closed: bool = True
) -> tuple[Ints, NDArray[np.int32]]:
    """Return the counted classes of every scenario as CSR arrays, with ancestors or without."""
    sets = distribution.sets
    pointer, node = distribution.members() if closed else (sets.indptr, sets.indices)
    keep = ~np.isin(node, excluded_classes(distribution.hierarchy, root))
    return offsets(row_sums(keep, pointer)), node[keep]


def supports(
    distribution: LabelDistribution, root: Any, *, closed: bool = True
) -> Iterator[Support]:
    """Cut the instances into blocks and yield the support of each."""
    pointer, node = closed_members(distribution, root, closed=closed)
    widest = np.minimum(np.diff(pointer[distribution.indptr]), len(distribution.hierarchy))
    lo = 0
    while lo < len(distribution):
        width = np.maximum.accumulate(np.maximum(widest[lo:], 1))
        fits = width * np.arange(1, len(width) + 1) <= CELLS
        hi = lo + max(1, int(fits.sum()))
        some, first = distribution.part(lo, hi), int(distribution.indptr[lo])
        ends = pointer[first : first + len(some.p) + 1]
        yield _support(some, lo, ends - ends[0], node[ends[0] : ends[-1]], closed)
        lo = hi


def _support(
    some: LabelDistribution, first: int, pointer: Ints, node: NDArray[np.int32], closed: bool
) -> Support:
    """Return the support of some instances, given the classes of their scenarios."""
    n, n_classes, size = len(some), len(some.hierarchy), np.diff(pointer)
    cells = np.ones(len(node)), node, pointer
    member = scipy.sparse.csr_array(cells, shape=(len(size), n_classes))
    owner = row_numbers(some.indptr)
    sizes = np.unique(size[some.p > 0])
    parts, of_size = [], np.zeros((n, len(sizes)))
    for k, d in enumerate(sizes):
        few = np.flatnonzero((size == d) & (some.p > 0))
        p, rows = some.p[few], owner[few]
        part = scipy.sparse.csr_array((p, (rows, few)), shape=(n, len(size))) @ member
        part.sort_indices()
        parts.append(part)
        of_size[:, k] = np.bincount(rows, p, minlength=n)
    total = scipy.sparse.csr_array(sum(parts, scipy.sparse.csr_array((n, n_classes))))
    total.sort_indices()
    length, row = np.diff(total.indptr).astype(np.int64), row_numbers(total.indptr)
    column = ragged_ranges(np.zeros(n, np.int64), length)
    shape = n, int(length.max(initial=0))
    padded = np.full(shape, -1, dtype=np.int64)
    padded[row, column] = total.indices
    keys = row * n_classes + total.indices
    steps = _steps(some.hierarchy, keys, row, total.indices) if closed else []
    mass = []
    for part in parts:
        value = np.zeros(len(keys))
        value[np.searchsorted(keys, row_numbers(part.indptr) * n_classes + part.indices)] = (
            part.data
        )
        for child, parent in steps:  # keeps rounding from making a child heavier than a parent
            np.minimum.at(value, child, value[parent])
        dense = np.zeros(shape)
        dense[row, column] = value
        mass.append(dense)
    return Support(first, padded, sizes, mass, of_size, length)


def _steps(
    hierarchy: Hierarchy, keys: Ints, row: Ints, node: NDArray[np.int32]
) -> list[tuple[Ints, Ints]]:
    """Return entries of children and of their parents in the same row, level by level."""
    pointer, edges = taken(hierarchy.parent_ptr, node)
    child = row_numbers(pointer)
    parent = places_in(keys, row[child] * len(hierarchy) + hierarchy.parents[edges])
    child, parent = child[parent >= 0], parent[parent >= 0]
    return [(child[at], parent[at]) for at in groups_by(hierarchy.levels[node[child]])]
