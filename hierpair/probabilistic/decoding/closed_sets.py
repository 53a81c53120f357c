"""The best closed set for any value of |S|, |Y| and |S ∩ Y|: a knapsack on trees, else CP-SAT."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, descendant_closure, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    Direction,
    Scenarios,
    Task,
    decoded,
    decoder,
    need_distribution,
    one_by_one,
)
from hierpair.probabilistic.decoding.by_size import SLACK, closed_members, supports
from hierpair.probabilistic.distributions import LabelDistribution, parent_of
from hierpair.solvers import Chosen, choose_set

__all__ = ["SetValue", "decode_set_value", "preorder"]

SetValue = Callable[[Ints, Ints, Ints], Floats]
"""Value of arrays of ``|S|``, ``|Y|`` and ``|S ∩ Y|``; it is read for whole numbers only."""

CELLS = 2_000_000
"""Instances times classes times sizes held at a time."""


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
    left_out = excluded_classes(h, root)
    plain = h.shape != "DAG" and not np.diff(h.parent_ptr)[left_out].any()
    if distribution.is_single_path and plain:
        method = "knapsack on the tree for every size that a bound does not rule out"
        parts = _by_knapsack(distribution, signed, root)
    else:
        method, parts = "chosen by CP-SAT", _by_solver(distribution, signed, root, limit)
    signs = (
        part._replace(
            value=sign * part.value, bound=None if part.bound is None else sign * part.bound
        )
        for part in parts
    )
    return decoded(distribution, signs, direction, method)


def _table(value: SetValue, n: int, d: int) -> Floats:
    """Return the value by |S| up to n and |S ∩ Y| where |Y| is d; NaN where S is too small."""
    k, shared = np.meshgrid(np.arange(n + 1), np.arange(d + 1), indexing="ij")
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
    depth = (place >= 0).astype(np.int64)  # how many counted classes are above a class, itself too
    for a, b in h.level_ranges()[1:]:
        depth[a:b] += depth[parent_of(h)[a:b]]
    depth, table = depth[walk], cache(lambda d: _table(value, len(walk), d))

    def best(node: Ints, sizes: list[int], masses: list[Floats], of_size: Floats) -> Best:
        shape, (row, column) = (len(node), len(walk)), np.nonzero(node >= 0)
        dense = [np.zeros(shape) for _ in masses]
        for full, mass in zip(dense, masses, strict=True):
            full[row, place[node[row, column]]] = mass[row, column]
        most = of_size @ np.array([np.nanmax(table(d), axis=1) for d in sizes])
        ceiling = np.maximum.accumulate(most[:, ::-1], axis=1)[:, ::-1]  # of k classes or more
        best = of_size @ np.array([table(d)[0, 0] for d in sizes])
        chosen = np.zeros(shape, dtype=bool)
        for k in range(1, len(walk) + 1):
            some = np.flatnonzero(ceiling[:, k] > best + SLACK)
            if not len(some):
                break
            gain = np.zeros(shape)
            for d, mass in zip(sizes, dense, strict=True):
                if d:
                    step = np.zeros(int(depth.max()) + 1)
                    step[1 : min(d, k) + 1] = np.diff(table(d)[k, : min(d, k) + 1])
                    gain += mass * step[depth]
            values, taken = _filled(gain[some], skip, k)
            values += (of_size @ np.array([table(d)[k, 0] for d in sizes]))[some]
            better = values > best[some] + SLACK
            best[some[better]], chosen[some[better]] = values[better], taken[better]
        row, at = np.nonzero(chosen)
        return Best(row, walk[at], best)

    step = max(1, CELLS // (16 * max(1, len(walk))))
    for s in supports(distribution, root):
        for lo in range(0, len(s.node), step):
            at = slice(lo, lo + step)
            masses = [mass[at] for mass in s.mass]
            yield best(s.node[at], s.sizes.tolist(), masses, s.of_size[at])


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


@decoder(
    lambda task: (
        task.is_distribution
        and type(task.measure.recipe) is SetRecipe
        and task.is_augmented
        and task.average == "samples"
    ),
    general=True,
)
def _by_sizes(task: Task) -> Decoded | None:
    """Any measure of augmented sets is a value of three sizes; None where it is not defined."""
    h, root = task.hierarchy, task.options["root"]
    n_classes = len(h) - len(excluded_classes(h, root))

    def value(k: Any, a: Any, s: Any) -> Floats:
        whole = np.full(len(a), n_classes)
        return task.measure.values({"n_true": a, "n_pred": k, "n_both": s, "n_classes": whole})

    size = np.arange(3)
    if np.isnan(value(size, size[::-1].copy(), np.zeros(3, np.int64))).any():
        return None
    direction = task.measure.definition.direction
    return decode_set_value(task.full, value, direction=direction, root=root, limit=task.limit)
