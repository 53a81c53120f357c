"""Decoding by size: values that are sums over classes once the prediction has a size.

The best set of a size is that of the largest sums where these do not depend on the other classes;
where they do, it is a rooted subtree (a knapsack on the tree), or the choice of a binary program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, counted
from hierpair.hierarchy import Hierarchy, ancestor_closure, counted_classes, descendant_closure
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    inverse,
    marked,
    offsets,
    places_in,
    places_in_rows,
    row_numbers,
    row_sums,
    sorted_unique,
)
from hierpair.labels import LabelSets
from hierpair.labels.naming import refuse
from hierpair.measures.registry import Direction
from hierpair.pairing.costs import check_number
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    NotExact,
    decoded,
    in_parts,
    need_distribution,
    one_by_one,
)
from hierpair.probabilistic.decoding.by_class import leaves_out_inner
from hierpair.probabilistic.distributions import LabelDistribution, counted_scores
from hierpair.solvers import BinaryProgram, Chosen

CELLS = 300_000
"""Instances times classes that may be true that are held at a time, for each size."""

ALL = 2**31
"""More classes than there are."""

FINEST_COST = 2.0**20
"""HiGHS tells costs apart to about 10⁻⁶, so worth is in units of which the largest has so many."""
SLACK = 1e-12
"""A larger set must be better by so much: less is rounding."""

SetValue = Callable[[Any, Any, Any], Any]
"""Value of arrays of ``|S|``, ``|Y|`` and ``|S ∩ Y|``; it is read for whole numbers only."""


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
    check_number("beta", beta)
    square = float(beta) ** 2
    value = _linear(lambda k, a: (1 + square) / (k + square * a), 0.0 if beta else zero_division)
    method = "best classes of every size, larger sizes bounded"
    return _largest_sums(distribution, value, method, root, closed)


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
    value, method = _linear(lambda k, a: 1 / k, zero_division), "most probable classes"
    return _largest_sums(distribution, value, method, root, closed, size, 1)


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
    value, method = _linear(lambda k, a: 1 / a, 0, zero_division), "largest shares of the true sets"
    return _largest_sums(distribution, value, method, root, closed, size, ALL)


def _linear(
    share: Callable[[Ints, Ints], Floats], nothing_predicted: float, nothing_true: float = 0.0
) -> SetValue:
    """Return a value of sets to which every right class adds a share that the sizes make."""

    def value(k: Any, a: Any, s: Any) -> Floats:
        aside = np.where(a > 0, nothing_predicted, np.where(k > 0, nothing_true, 1.0))
        both = s * share(np.maximum(k, 1), np.maximum(a, 1))
        return np.where((k > 0) & (a > 0), both, aside)

    return value


def _largest_sums(
    distribution: LabelDistribution,
    value: SetValue,
    method: str,
    root: Any,
    closed: bool,
    size: int | None = None,
    otherwise: int | None = None,
) -> Decoded:
    """Decode a linear value: of every size, or of one, the classes with the largest sums."""
    need_distribution(distribution, "this measure")
    if size is not None:
        if not isinstance(size, int) or size < 1:
            raise BadInput(f"size must be a whole number ≥ 1, got {size!r}")
        true = distribution.marginals() if closed else distribution.label_marginals()
        lengths = counted_scores(true, root).lengths
        refuse(lengths < size, lambda i: (
            f"{counted(int(lengths[i]), 'class')} with a probability, fewer than size={size}"
        ), distribution.name)  # fmt: skip

    def largest(gain: Floats, k: int) -> Choice:
        top = np.partition(gain, -k, axis=1)[:, -k:] if k < gain.shape[1] else gain

        def taken() -> Bools:  # of equal ones those at the top
            least: Floats = top.min(axis=1, keepdims=True)
            above, level = gain > least, gain == least
            room = k - above.sum(axis=1, keepdims=True)
            return np.asarray(above | (level & (np.cumsum(level, axis=1) <= room)))

        return top.sum(axis=1), taken

    def best(some: LabelDistribution) -> Best:
        s = _support(some, root, closed)
        k, d = np.arange(1, s.node.shape[1] + 1), s.sizes[:, None]
        most = value(k, d, np.minimum(k, d))
        return _best_size(s, value, most, largest, only=size or otherwise, empty=size is None)

    parts = map(best, in_parts(distribution, CELLS, _most_classes(distribution)))
    return decoded(distribution, parts, "higher", method)


# ------------------------------------------------ any value of the sizes of closed sets


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
    a binary program chooses the classes, an instance at a time; that can take exponential time.

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
        Seconds for a binary program of an instance; the best set so far then counts and the
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
    sign, h = 1.0 if direction == "higher" else -1.0, distribution.hierarchy

    def signed(k: Any, a: Any, s: Any) -> Floats:
        values = sign * np.asarray(value(*np.broadcast_arrays(k, a, s)), dtype=np.float64)
        if not np.isfinite(values).all():
            raise NotExact("the value of a set must be finite for all sizes")
        return values

    if distribution.is_single_path and h.shape != "DAG" and not leaves_out_inner(h, root):
        method = "knapsack on the tree for every size that a bound does not rule out"
        parts = _by_knapsack(distribution, signed, root)
    else:
        method, parts = "chosen by a binary program", _by_solver(distribution, signed, root, limit)
    return decoded(distribution, parts, direction, method).mapped(lambda x: sign * x)


def _table(value: SetValue, n: int, d: int) -> Floats:
    """Return the value by |S| up to n and |S ∩ Y| where |Y| is d; NaN where S is too small."""
    k, shared = np.indices((n + 1, d + 1))
    table, can_be = np.full(k.shape, np.nan), shared <= k
    table[can_be] = value(k[can_be], np.full(int(can_be.sum()), d), shared[can_be])
    return table


def _grows(distribution: LabelDistribution, value: SetValue, root: Any) -> bool:
    """Return whether a set may be worth more for a class that cannot be true."""
    n, sizes = len(distribution.hierarchy), closed_members(distribution, root).lengths
    tables = (_table(value, n, d)[1:] for d in np.unique(sizes).tolist())
    return any((np.diff(table, axis=0) > 0).any() for table in tables)


def _by_solver(
    distribution: LabelDistribution, value: SetValue, root: Any, limit: float | None
) -> Iterator[Best]:
    """Choose the classes of one instance after the other by a binary program.

    One size is chosen, and of every true set shares of the entries of its table of that size, with
    the mean number of right classes; only where the value is not concave in that number they have
    to be whole.
    """
    h, every = distribution.hierarchy, _grows(distribution, value, root)
    counted = np.flatnonzero(counted_classes(h, root))

    def best(p: Floats, sets: LabelSets) -> Chosen:
        node = counted if every else np.unique(sets.indices).astype(np.int64)
        n, sizes = len(node), np.arange(len(node) + 1)
        tables = [x * _table(value, n, d) for x, d in zip(p, sets.lengths.tolist(), strict=True)]
        most = sum(float(np.nanmax(np.abs(table))) for table in tables)
        scale = 2.0 ** np.floor(np.log2(FINEST_COST / most)) if most > 0 else 1.0
        program, (pointer, above) = BinaryProgram(n), ancestor_closure(h, node).gathered(node)
        lower, higher = row_numbers(pointer), places_in(node, above.astype(np.int64))
        edges = np.flatnonzero((higher >= 0) & (higher != lower))
        below, rows = lower[edges], np.arange(len(edges))
        program.constrain(len(edges), -np.inf, 0, (rows, below, 1), (rows, higher[edges], -1))
        size = program.variables(np.zeros(n + 1), whole=True)
        program.constrain(1, 1, 1, (0, size, 1))
        program.constrain(1, 0, 0, (0, size, sizes), (0, sizes[:-1], -1))
        places = np.split(places_in(node, sets.indices.astype(np.int64)), sets.indptr[1:-1])
        for true, table in zip(places, tables, strict=True):
            k, s = np.nonzero(~np.isnan(table))
            bends = (np.diff(table, 2, axis=1) > 0).sum(axis=1)
            entry = program.variables(-scale * table[k, s], whole=bends[k] > 0)
            program.constrain(n + 1, 0, 0, (k, entry, 1), (sizes, size, -1))
            program.constrain(1, 0, 0, (0, entry, s), (0, true, -1))
        found = program.solve(limit)
        taken = len(found.nodes)
        each = zip(places, tables, strict=True)
        worth = sum(float(t[taken, np.isin(found.nodes, true).sum()]) for true, t in each)
        bound = max(worth, -found.bound / scale)
        return Chosen(node[found.nodes], worth, bound, found.optimal)

    return one_by_one(distribution, closed_members(distribution, root), best)


def _by_knapsack(distribution: LabelDistribution, value: SetValue, root: Any) -> Iterator[Best]:
    """Take the best rooted subtree of every size that a bound does not rule out."""
    h, every = distribution.hierarchy, _grows(distribution, value, root)
    walk = preorder(h)
    walk = walk[counted_classes(h, root)[walk]]
    n = len(walk)
    skip = np.arange(n) + descendant_closure(h).lengths(walk)
    # of how many subtrees a class is a part, its own too, is its place on the path
    depth = np.cumsum(1 - np.bincount(skip, minlength=n)[:n])

    def best(some: LabelDistribution) -> Best:
        may = every | marked(closed_members(some, root).indices, len(h))[walk]
        s, to = _support(some, root, walk=walk[may]), offsets(may)
        most = [np.nanmax(_table(value, to[-1], d)[1:], axis=1) for d in s.sizes.tolist()]
        return _best_size(s, value, np.array(most), partial(_filled, to[skip[may]]), depth[may])

    return map(best, in_parts(distribution, CELLS, 3 * n))


def _filled(skip: Ints, gain: Floats, k: int) -> Choice:
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

    def taken() -> Bools:
        found, rows = np.zeros(gain.shape, dtype=bool), np.arange(n)
        at, left = np.zeros(n, dtype=np.int64), np.full(n, k)
        while len(rows):
            here, rest = at[rows], left[rows]
            with_it = most[here + 1, rows, rest - 1] + gain[rows, here]
            yes = with_it >= most[skip[here], rows, rest]
            found[rows, here] = yes
            at[rows] = np.where(yes, here + 1, skip[here])
            left[rows] -= yes
            rows = rows[left[rows] > 0]
        return found

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


# ------------------------------------------------------------- the best of all sizes


class _Support(NamedTuple):
    """Classes of some instances, a row each, and how probable they are by size of the true set.

    Without a ``walk`` those that may be true, ascending: parents before children; -1 fills up. Of
    every size the ``mass`` of a class is never above its parent's: it adds up the same scenarios
    in the same order, less some.
    """

    node: Ints
    length: Ints
    sizes: Ints
    of_size: Floats
    mass: Floats


def _most_classes(distribution: LabelDistribution) -> int:
    """Return a bound for the classes that may be true in an instance."""
    h, sets = distribution.hierarchy, distribution.sets
    grown = ancestor_closure(h, sets.indices).lengths(sets.indices)
    each = row_sums(row_sums(grown, sets.indptr), distribution.indptr)
    return int(each.max(initial=0).clip(1, len(h)))


def _support(
    some: LabelDistribution, root: Any, closed: bool = True, walk: Ints | None = None
) -> _Support:
    n, there = len(some), np.flatnonzero(some.p > 0)
    sets, owner, p = (
        closed_members(some, root, closed=closed).take(there),
        some.row[there],
        some.p[there],
    )
    sizes, which = np.unique(sets.lengths, return_inverse=True)
    order = np.arange(len(some.hierarchy)) if walk is None else walk
    key = owner[sets.row] * len(order) + inverse(order, len(some.hierarchy))[sets.indices]
    found = sorted_unique(key.copy()) if walk is None else np.arange(n * len(order))
    rows, classes = np.divmod(found, max(1, len(order)))
    length = np.bincount(rows, minlength=n)
    node, place = np.full((n, int(length.max(initial=0))), -1), places_in_rows(offsets(length))
    node[rows, place] = order[classes]
    shape = len(sizes), *node.shape
    cell = (which[sets.row] * n + owner[sets.row]) * shape[2] + place[np.searchsorted(found, key)]
    mass = np.bincount(cell, p[sets.row], int(np.prod(shape))).reshape(shape)
    of_size: Any = np.bincount(owner * len(sizes) + which, p, n * len(sizes)).reshape(n, -1)
    return _Support(node, length, sizes, of_size, np.minimum(mass, 1.0))


Choice = tuple[Floats, Callable[[], Bools]]
"""What the best classes of a size add in every row, and which columns they are."""


def _best_size(
    s: _Support,
    value: SetValue,
    most: Floats,
    chosen: Callable[[Floats, int], Choice],
    depth: Any = 1,
    only: int | None = None,
    empty: bool = True,
) -> Best:
    """Return the best set of every row, trying all sizes that a bound does not rule out.

    A right class at some ``depth`` adds what one more right class is worth there. ``most`` says
    what k classes are worth at most for a true set of each size; with ``only`` that many are
    taken instead, or none where an ``empty`` set is allowed.
    """
    sizes, nothing = np.arange(1, s.node.shape[1] + 1), 0 * s.sizes
    best = (s.of_size * value(0, s.sizes, nothing)).sum(axis=1)
    if only is None:
        ceiling = s.of_size @ most
        ceiling[sizes > s.length[:, None]] = -np.inf
    else:
        ceiling = np.where(sizes == np.minimum(only, s.length)[:, None], np.inf, -np.inf)
        best = best if empty else np.full(len(best), -np.inf)
    taken, deepest = np.zeros(s.node.shape, dtype=bool), int(np.max(depth, initial=0))
    for k in sizes.tolist():
        rows = np.flatnonzero(ceiling[:, k - 1] > best + SLACK)
        if not len(rows):
            continue
        right = np.minimum(np.arange(deepest + 1), np.minimum(s.sizes, k)[:, None])
        steps = np.diff(value(k, s.sizes[:, None], right), axis=1)
        gain = np.zeros((len(rows), len(sizes)))
        for mass, step in zip(s.mass, steps, strict=True):
            gain += mass[rows] * step[depth - 1]
        added, which = chosen(gain, k)
        worth = added + (s.of_size @ value(k, s.sizes, nothing))[rows]
        better = worth > best[rows] + SLACK
        if better.any():
            best[rows[better]], taken[rows[better]] = worth[better], which()[better]
    row, column = np.nonzero(taken)
    return Best(row, s.node[row, column], best)


def closed_members(distribution: LabelDistribution, root: Any, *, closed: bool = True) -> LabelSets:
    """Return the counted classes of every scenario, with ancestors or without."""
    sets = distribution.members() if closed else distribution.sets
    return sets.only(counted_classes(distribution.hierarchy, root)[sets.indices])
