"""Exact decoding of any value of |S|, |Y| and |S ∩ Y| for closed sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.probabilistic.decoding.decoded import Decoded, Direction, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import (
    merged_scenarios,
    need_distribution,
    preorder,
)
from hierpair.probabilistic.decoding.size_probabilities import Support, closed_members, supports
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.stopping import parent_of
from hierpair.solvers import choose_set

__all__ = ["SetValue", "decode_set_value"]

SetValue = Callable[[Ints, Ints, Ints], Floats]
"""Value of arrays of ``|S|``, ``|Y|`` and ``|S ∩ Y|``; it is read for whole numbers only."""

CELLS = 2_000_000
"""Instances times classes times sizes held at a time."""

SLACK = 1e-12


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

    def signed(k: Ints, a: Ints, s: Ints) -> NDArray[Any]:
        values = np.asarray(value(k, a, s), dtype=np.float64)
        if not np.isfinite(values).all():
            raise BadInput("the value of a set must be finite for all sizes")
        return sign * values

    h = distribution.hierarchy
    left_out = excluded_classes(h, root)
    plain = h.shape != "DAG" and not np.diff(h.parent_ptr)[left_out].any()
    if distribution.is_single_path and plain:
        return _by_knapsack(distribution, signed, sign, direction, root)
    return _by_solver(distribution, signed, sign, direction, root, limit)


def _by_knapsack(
    distribution: LabelDistribution, value: SetValue, sign: float, direction: Direction, root: Any
) -> Decoded:
    h = distribution.hierarchy
    order, skip = _counted_preorder(h, excluded_classes(h, root))
    place = np.full(len(h), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    depth = (place >= 0).astype(
        np.int64
    )  # how many counted classes a class has above it, itself too
    for a, b in h.level_ranges()[1:]:
        depth[a:b] += depth[parent_of(h)[a:b]]
    depth = depth[order]
    best = np.empty(len(distribution))
    rows: list[Ints] = []
    nodes: list[Ints] = []
    for support in supports(distribution, root):
        step = max(1, CELLS // (16 * max(1, len(order))))
        for lo in range(0, len(support.node), step):
            some = slice(lo, min(len(support.node), lo + step))
            knapsack = _Knapsack(support, some, place, skip, depth, value)
            values, chosen = knapsack.solve()
            first = support.first + some.start
            best[first : first + len(values)] = values
            row, at = np.nonzero(chosen)
            rows.append(row + first)
            nodes.append(order[at])
    method = "knapsack on the tree for every size that a bound does not rule out"
    return proved(distribution, rows, nodes, sign * best, direction, method)


def _counted_preorder(hierarchy: Hierarchy, left_out: Ints) -> tuple[Ints, Ints]:
    """Return counted classes, each followed by its descendants, and where its subtree ends."""
    h = hierarchy
    size = np.ones(len(h), dtype=np.int64)
    parent = parent_of(h)
    for v in range(len(h) - 1, -1, -1):
        if parent[v] >= 0:
            size[parent[v]] += size[v]
    order = preorder(h)
    walk = order[~np.isin(order, left_out)]
    return walk, np.arange(len(walk)) + size[walk]


class _Knapsack:
    """Best rooted subtrees of every size, for some instances at a time.

    With classes in preorder, ``most[i][:, j]`` is the most that j classes from place i on can
    add: take the class and go on with the next place, or leave it and skip its subtree.
    """

    def __init__(
        self, support: Support, some: slice, place: Ints, skip: Ints, depth: Ints, value: SetValue
    ) -> None:
        self.skip, self.depth, self.value = skip, depth, value
        self.sizes, self.of_size = support.sizes, support.of_size[some]
        node = support.node[some]
        row, column = np.nonzero(node >= 0)
        self.n_rows, self.n_places = len(node), len(skip)
        self.mass = []
        for mass in support.mass:
            full = np.zeros((self.n_rows, self.n_places))
            full[row, place[node[row, column]]] = mass[some][row, column]
            self.mass.append(full)

    def solve(self) -> tuple[Floats, Bools]:
        """Return the best value of every row and its classes by place."""
        ceiling = self._ceiling()
        best = self._base(0)
        chosen = np.zeros((self.n_rows, self.n_places), dtype=bool)
        for k in range(1, self.n_places + 1):
            open_rows = np.flatnonzero(ceiling[:, k] > best + SLACK)
            if not len(open_rows):
                break
            gain = self._gains(k)[open_rows]
            values, taken = self._fill(gain, k)
            values += self._base(k)[open_rows]
            better = values > best[open_rows] + SLACK
            best[open_rows[better]] = values[better]
            chosen[open_rows[better]] = taken[better]
        return best, chosen

    def _values(self, k: int, d: int, shared: Ints) -> Floats:
        n = len(shared)
        return self.value(np.full(n, k), np.full(n, d), shared)

    def _base(self, k: int) -> Floats:
        """Value of k classes none of which is true."""
        zero = np.zeros(1, dtype=np.int64)
        worth = [float(self._values(k, int(d), zero)[0]) for d in self.sizes]
        base: Floats = self.of_size @ np.array(worth)
        return base

    def _gains(self, k: int) -> Floats:
        gain = np.zeros((self.n_rows, self.n_places))
        for d, mass in zip(self.sizes.tolist(), self.mass, strict=True):
            if d:
                worth = self._values(k, d, np.arange(min(d, k) + 1))
                step = np.zeros(int(self.depth.max()) + 1)
                step[1 : len(worth)] = np.diff(worth)
                gain += mass * step[self.depth]
        return gain

    def _ceiling(self) -> Floats:
        """Bound the values of all predictions with at least k classes, for every k."""
        each = np.empty((len(self.sizes), self.n_places + 1))
        for i, d in enumerate(self.sizes.tolist()):
            for k in range(self.n_places + 1):
                each[i, k] = self._values(k, d, np.arange(min(d, k) + 1)).max()
        bound = self.of_size @ each
        running: Floats = np.maximum.accumulate(bound[:, ::-1], axis=1)[:, ::-1]
        return running

    def _fill(self, gain: Floats, k: int) -> tuple[NDArray[Any], Bools]:
        n, places = gain.shape
        most = np.full((places + 1, n, k + 1), -np.inf)
        most[places, :, 0] = 0.0
        for i in range(places - 1, -1, -1):
            most[i] = most[self.skip[i]]
            take = most[i + 1, :, :-1] + gain[:, i, None]
            np.maximum(most[i, :, 1:], take, out=most[i, :, 1:])
        taken = np.zeros((n, places), dtype=bool)
        at, left = np.zeros(n, dtype=np.int64), np.full(n, k)
        rows = np.arange(n)
        open_rows = rows[np.isfinite(most[0, :, k])]
        while len(open_rows):
            here, rest = at[open_rows], left[open_rows]
            take = most[here + 1, open_rows, rest - 1] + gain[open_rows, here]
            leave = most[self.skip[here], open_rows, rest]
            yes = take >= leave
            taken[open_rows[yes], here[yes]] = True
            at[open_rows] = np.where(yes, here + 1, self.skip[here])
            left[open_rows] -= yes
            open_rows = open_rows[left[open_rows] > 0]
        return most[0, :, k], taken


def _by_solver(
    distribution: LabelDistribution,
    value: SetValue,
    sign: float,
    direction: Direction,
    root: Any,
    limit: float | None,
) -> Decoded:
    h = distribution.hierarchy
    counted = np.setdiff1d(np.arange(len(h)), excluded_classes(h, root))
    number = np.full(len(h), -1, dtype=np.int64)
    number[counted] = np.arange(len(counted))
    above = [
        [int(number[p]) for p in h.ancestor_numbers(int(v)) if number[p] >= 0] for v in counted
    ]
    pointer, node = closed_members(distribution, root)
    best, bound = np.empty(len(distribution)), np.empty(len(distribution))
    exact = True
    rows: list[Ints] = []
    nodes: list[Ints] = []
    sizes = np.arange(len(counted) + 1)
    for i in range(len(distribution)):
        merged = merged_scenarios(distribution, i, pointer, number[node])
        tables = []
        for key, p in merged.items():
            chosen, shared = np.meshgrid(sizes, np.arange(len(key) + 1), indexing="ij")
            worth = np.full(chosen.shape, np.nan)
            can_be = shared <= chosen
            true = np.full(int(can_be.sum()), len(key))
            worth[can_be] = p * value(chosen[can_be], true, shared[can_be])
            tables.append(worth)
        try:
            choice = choose_set(above, list(merged), tables, limit)
        except SolverLimit as error:
            raise SolverLimit(error.reason, distribution.name(i)) from None
        best[i], bound[i] = choice.value, choice.bound
        exact = exact and choice.optimal
        rows.append(np.full(len(choice.nodes), i))
        nodes.append(counted[choice.nodes])
    method = "chosen by CP-SAT" if exact else "chosen by CP-SAT, stopped by the time limit"
    best, bound = sign * best, sign * bound
    return proved(distribution, rows, nodes, best, direction, method, bound=bound, exact=exact)


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
