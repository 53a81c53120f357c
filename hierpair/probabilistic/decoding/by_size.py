"""Decoding by size: values that are sums over classes once the prediction has a size.

The best set of a size is that of the largest sums where these do not depend on the other classes;
where they do, it is a rooted subtree (a knapsack on the tree), or a choice of CP-SAT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted
from hierpair.hierarchy import Hierarchy, descendant_closure, excluded_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    groups_by,
    offsets,
    places_in,
    row_numbers,
    row_sums,
    taken,
)
from hierpair.measures.registry import Direction
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    Scenarios,
    decoded,
    need_distribution,
    one_by_one,
)
from hierpair.probabilistic.decoding.by_class import leaves_out_inner
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.solvers import Chosen, choose_set

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
    a parent's sum is never below its child's. The best size is found by trying them, up to where
    ``(1 + β²) sum of P(|Y| = d) min(k, d) / (k + β² d)``, which no set of k classes exceeds, rules
    out all larger ones (general F maximisation: Dembczyński et al. 2011; Waegeman et al.
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
    return _decode(
        distribution,
        lambda k, d: (1 + square) / (k + square * d),
        "best classes of every size, larger sizes bounded",
        root,
        closed,
        nothing_predicted=0.0 if beta else zero_division,
    )


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
    most, how = 1 if size is None else size, {"nothing_predicted": zero_division}
    method, exactly = "most probable classes", size is not None
    return _decode(distribution, lambda k, d: 1 / k, method, root, closed, most, exactly, **how)


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
    most, how = ALL if size is None else size, {"nothing_true": zero_division}
    method, exactly = "largest shares of the true sets", size is not None
    return _decode(distribution, lambda k, d: 1 / d, method, root, closed, most, exactly, **how)


ALL = 2**31
"""More classes than there are."""


def _decode(
    distribution: LabelDistribution,
    weight: Callable[[Any, Any], Any],
    method: str,
    root: Any,
    closed: bool,
    most: int | None = None,
    exactly: bool = False,
    nothing_predicted: float = 0.0,
    nothing_true: float = 0.0,
) -> Decoded:
    """Find the best set of every instance: of every size, or of one, or of that and none.

    ``weight`` makes of the sizes of both sets what a class in both adds. ``nothing_predicted`` is
    what an empty prediction is worth where something is true, and ``nothing_true`` the other way
    round; with both empty it is 1.
    """
    need_distribution(distribution, "this measure")
    if most is not None and (not isinstance(most, int) or most < 1):
        raise BadInput(f"size must be a whole number ≥ 1, got {most!r}")

    def best(s: Support) -> Best:
        for i in np.flatnonzero(s.length < (most or 0))[:1] if exactly else ():
            raise BadInput(
                f"{counted(int(s.length[i]), 'class')} with a probability, fewer than size={most}",
                distribution.name(s.first + int(i)),
            )
        zero, d = s.of_size[:, s.sizes == 0].sum(axis=1), s.sizes[s.sizes > 0, None]
        there, k = s.of_size[:, s.sizes > 0], np.arange(1, s.node.shape[1] + 1)
        start = zero + nothing_predicted * there.sum(axis=1)
        if most is None:
            ceiling = there @ (weight(k, d) * np.minimum(k, d)) + nothing_true * zero[:, None]
            ceiling[k > s.length[:, None]] = -np.inf
            ceiling = _of_more(ceiling)
        else:
            ceiling = np.where(k == np.minimum(most, s.length)[:, None], np.inf, -np.inf)
            start = np.full(len(start), -np.inf) if exactly else start

        def gains(k: int, rows: Ints) -> Floats:
            """Sum size by size in one order: a parent's gain is not below its child's then."""
            gain = np.zeros((len(rows), s.node.shape[1]))
            for size, mass in zip(s.sizes.tolist(), s.mass, strict=True):
                if size:
                    gain += weight(k, size) * mass[rows]
            gain[s.node[rows] < 0] = -1.0
            return gain

        def worth(k: int, rows: Ints) -> Floats:
            gain = gains(k, rows)
            if k < gain.shape[1]:
                gain = np.partition(gain, gain.shape[1] - k, axis=1)[:, -k:]
            value: Floats = np.maximum(gain, 0).sum(axis=1) + nothing_true * zero[rows]
            return value

        def classes(k: int, rows: Ints) -> Ints:
            top = np.argsort(-gains(k, rows), axis=1, kind="stable")[:, :k]
            return np.take_along_axis(s.node[rows], top, axis=1)

        return _best_size(start, ceiling, worth, classes)

    parts = map(best, supports(distribution, root, closed=closed))
    return decoded(distribution, parts, "higher", method)


def _of_more(most: Floats) -> Floats:
    """Return what so many classes or more are worth at most."""
    ceiling: Floats = np.maximum.accumulate(most[:, ::-1], axis=1)[:, ::-1]
    return ceiling


def _best_size(
    start: Floats,
    ceiling: Floats,
    worth: Callable[[int, Ints], Floats],
    classes: Callable[[int, Ints], Ints],
) -> Best:
    """Return the best set of every row, trying all sizes that a ceiling does not rule out.

    ``start`` is what nothing is worth, ``ceiling[:, k - 1]`` what k classes are worth at most;
    ``worth`` says of k classes and rows what the best ones are worth, and ``classes`` which these
    are, a row each.
    """
    best, size = start.copy(), np.zeros(len(start), dtype=np.int64)
    for k in range(1, ceiling.shape[1] + 1):
        rows = np.flatnonzero(ceiling[:, k - 1] > best + SLACK)
        value = worth(k, rows) if len(rows) else np.empty(0)
        better = value > best[rows] + SLACK
        best[rows[better]], size[rows[better]] = value[better], k
    found, nodes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for k in np.unique(size[size > 0]).tolist():
        some = np.flatnonzero(size == k)
        found.append(np.repeat(some, k))
        nodes.append(classes(k, some).ravel())
    return Best(np.concatenate(found), np.concatenate(nodes), best)


# ------------------------------------------------ any value of the sizes of closed sets

SetValue = Callable[[Ints, Ints, Ints], Floats]
"""Value of arrays of ``|S|``, ``|Y|`` and ``|S ∩ Y|``; it is read for whole numbers only."""


def decode_set_value(
    distribution: LabelDistribution,
    value: SetValue,
    *,
    direction: Direction = "higher",
    root: Any = "exclude",
    limit: float | None = None,
) -> Decoded:
    """Return the closed set with the best expected ``f(|S|, |Y|, |S ∩ Y|)``.

    Jaccard, Tversky, exact match, or any table: nothing is asked of f. For a distribution over
    single labels on a tree, a prediction of k classes is worth the sum of what each adds,
    ``sum of p (f(k, |Y|, d(v)) - f(k, |Y|, d(v) - 1))`` over the labels below the class, d(v)
    being its place on the path; the best rooted subtree of k classes is found by a knapsack on
    the tree, for every k that a bound does not rule out. For other distributions and hierarchies
    CP-SAT chooses the classes, an instance at a time; that can take exponential time.

    Parameters
    ----------
    distribution
        Any distribution.
    value
        f: takes arrays of ``|S|``, ``|Y|`` and ``|S ∩ Y|``, gives finite numbers.
    direction
        Whether higher or lower values are better.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    limit
        Seconds for an instance that CP-SAT solves; the best set so far then counts and the
        certificate is not exact.

    Raises
    ------
    BadInput
        For a value that is not finite for some sizes.
    SolverLimit
        If nothing was found in time.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_set_value(distribution, lambda k, a, s: s / np.maximum(1, k + a - s))
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1', '3'], 0.5667)
    """
    need_distribution(distribution, "this measure")
    sign = 1.0 if direction == "higher" else -1.0

    def signed(k: Ints, a: Ints, s: Ints) -> Floats:
        values = sign * np.asarray(value(k, a, s), dtype=np.float64)
        if not np.isfinite(values).all():
            raise BadInput("the value of a set must be finite for all sizes")
        return values

    h = distribution.hierarchy
    if distribution.is_single_path and h.shape != "DAG" and not leaves_out_inner(h, root):
        method = "knapsack on the tree for every size that a bound does not rule out"
        parts = _by_knapsack(distribution, signed, root)
    else:
        method, parts = "chosen by CP-SAT", _by_solver(distribution, signed, root, limit)
    return decoded(distribution, parts, direction, method).mapped(lambda x: sign * x)


def _table(value: SetValue, n: int, d: int) -> Floats:
    """Return the value by |S| up to n and |S ∩ Y| where |Y| is d; NaN where S is too small."""
    k, shared = np.indices((n + 1, d + 1))
    table, can_be = np.full(k.shape, np.nan), shared <= k
    table[can_be] = value(k[can_be], np.full(int(can_be.sum()), d), shared[can_be])
    return table


def _by_solver(
    distribution: LabelDistribution, value: SetValue, root: Any, limit: float | None
) -> Iterator[Best]:
    """Choose the classes of one instance after the other by CP-SAT."""
    h = distribution.hierarchy
    counted = np.setdiff1d(np.arange(len(h)), excluded_classes(h, root))
    number = np.full(len(h), -1, dtype=np.int64)
    number[counted] = np.arange(len(counted))
    above = [[int(u) for u in number[h.ancestor_numbers(int(v))] if u >= 0] for v in counted]

    def best(sets: Scenarios) -> Chosen:
        tables = [p * _table(value, len(counted), len(key)) for key, p in sets.items()]
        found = choose_set(above, list(sets), tables, limit)
        return found._replace(nodes=counted[found.nodes])

    pointer, node = closed_members(distribution, root)
    return one_by_one(distribution, pointer, number[node], best)


def _by_knapsack(distribution: LabelDistribution, value: SetValue, root: Any) -> Iterator[Best]:
    """Take the best rooted subtree of every size that a bound does not rule out."""
    h = distribution.hierarchy
    walk = preorder(h)
    walk = walk[~np.isin(walk, excluded_classes(h, root))]
    skip = np.arange(len(walk)) + descendant_closure(h).lengths(walk)
    place = np.full(len(h), -1, dtype=np.int64)
    place[walk] = np.arange(len(walk))
    n = len(walk)  # of how many subtrees a class is a part, its own too, is its place on the path
    depth = np.cumsum(1 - np.bincount(skip, minlength=n)[:n])
    table = cache(lambda d: _table(value, n, d))

    def best(s: Support, at: slice) -> Best:
        node, of_size, sizes = s.node[at], s.of_size[at], s.sizes.tolist()
        row, column = np.nonzero(node >= 0)
        dense = np.zeros((len(sizes), len(node), n))
        for full, mass in zip(dense, s.mass, strict=True):
            full[row, place[node[row, column]]] = mass[at][row, column]

        def filled(k: int, rows: Ints) -> tuple[Floats, Bools]:
            gain = np.zeros((len(rows), n))
            for d, mass in zip(sizes, dense, strict=True):
                step = np.zeros(int(depth.max()) + 1)
                step[1 : min(d, k) + 1] = np.diff(table(d)[k, : min(d, k) + 1])
                gain += mass[rows] * step[depth]
            return _filled(gain, skip, k)

        def worth(k: int, rows: Ints) -> Floats:
            without = of_size @ np.array([table(d)[k, 0] for d in sizes])
            value: Floats = filled(k, rows)[0] + without[rows]
            return value

        def classes(k: int, rows: Ints) -> Ints:
            return walk[np.nonzero(filled(k, rows)[1])[1]]

        most = of_size @ np.array([np.nanmax(table(d), axis=1) for d in sizes])
        start = of_size @ np.array([table(d)[0, 0] for d in sizes])
        return _best_size(start, _of_more(most[:, 1:]), worth, classes)

    step = max(1, CELLS // (24 * max(1, n)))
    for s in supports(distribution, root):
        for lo in range(0, len(s.node), step):
            yield best(s, slice(lo, lo + step))


def _filled(gain: Floats, skip: Ints, k: int) -> tuple[Floats, Bools]:
    """Return the most that a rooted subtree of k classes adds in every row, and its classes.

    With classes in preorder, ``most[i][:, j]`` is the most that j classes from place i on can
    add: take the class and go on with the next place, or leave it and skip its subtree.
    """
    n, places = gain.shape
    most = np.full((places + 1, n, k + 1), -np.inf)
    most[places, :, 0] = 0.0
    for i in range(places - 1, -1, -1):
        most[i] = most[skip[i]]
        take = most[i + 1, :, :-1] + gain[:, i, None]
        np.maximum(most[i, :, 1:], take, out=most[i, :, 1:])
    taken = np.zeros((n, places), dtype=bool)
    at, left = np.zeros(n, dtype=np.int64), np.full(n, k)
    rows = np.flatnonzero(np.isfinite(most[0, :, k]))
    while len(rows):
        here, rest = at[rows], left[rows]
        yes = most[here + 1, rows, rest - 1] + gain[rows, here] >= most[skip[here], rows, rest]
        taken[rows[yes], here[yes]] = True
        at[rows] = np.where(yes, here + 1, skip[here])
        left[rows] -= yes
        rows = rows[left[rows] > 0]
    return most[0, :, k], taken


def preorder(hierarchy: Hierarchy) -> Ints:
    """Return the classes of a tree or forest, each followed by its descendants."""
    order: list[int] = []
    waiting = hierarchy.root_indices[::-1].tolist()
    while waiting:
        v = waiting.pop()
        order.append(v)
        below = hierarchy.children[hierarchy.child_ptr[v] : hierarchy.child_ptr[v + 1]]
        waiting += below[::-1].tolist()
    return np.array(order, dtype=np.int64)


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
    widest = np.diff(pointer[distribution.indptr]).max(initial=1)
    step = max(1, CELLS // min(int(widest), len(distribution.hierarchy)))
    for lo in range(0, len(distribution), step):
        some = distribution.part(lo, min(len(distribution), lo + step))
        first = distribution.indptr[lo]
        ends = pointer[first : first + len(some.p) + 1]
        yield _support(some, lo, ends - ends[0], node[ends[0] : ends[-1]], closed)


def _support(
    some: LabelDistribution, first: int, pointer: Ints, node: NDArray[np.int32], closed: bool
) -> Support:
    """Return the support of some instances, given the classes of their scenarios."""
    n, n_classes = len(some), len(some.hierarchy)
    owner, size = row_numbers(some.indptr), np.diff(pointer)
    scenario, there = row_numbers(pointer), some.p > 0
    keys, place = np.unique(
        (owner[scenario] * n_classes + node)[there[scenario]], return_inverse=True
    )
    scenario = scenario[there[scenario]]
    row, classes = np.divmod(keys, n_classes)
    length = np.bincount(row, minlength=n)
    column = np.arange(len(keys)) - offsets(length)[row]
    padded = np.full((n, int(length.max(initial=0))), -1, dtype=np.int64)
    padded[row, column] = classes
    steps = _steps(some.hierarchy, keys, row, classes) if closed else []
    sizes = np.unique(size[there])
    mass, of_size = [], np.zeros((n, len(sizes)))
    for k, d in enumerate(sizes):
        p = np.where(size == d, some.p, 0.0)
        of_size[:, k] = np.bincount(owner, p, minlength=n)
        value = np.bincount(place, p[scenario], minlength=len(keys))
        for child, parent in steps:  # keeps rounding from making a child heavier than a parent
            np.minimum.at(value, child, value[parent])
        mass.append(np.zeros(padded.shape))
        mass[-1][row, column] = value
    return Support(first, padded, sizes, mass, of_size, length)


def _steps(hierarchy: Hierarchy, keys: Ints, row: Ints, node: Ints) -> list[tuple[Ints, Ints]]:
    """Return entries of children and of their parents in the same row, level by level."""
    pointer, edges = taken(hierarchy.parent_ptr, node)
    child = row_numbers(pointer)
    parent = places_in(keys, row[child] * len(hierarchy) + hierarchy.parents[edges])
    child, parent = child[parent >= 0], parent[parent >= 0]
    return [(child[at], parent[at]) for at in groups_by(hierarchy.levels[node[child]])]
