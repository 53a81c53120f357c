"""Binary programs: which nodes to choose, where everything else is linear; HiGHS branches on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from hierpair.errors import Infeasible, SolverLimit
from hierpair.solvers.flow import Array, Bools, Floats, Ints

FINEST_COST = 2.0**20
"""HiGHS tells costs apart to about 10⁻⁶, so worth is in units of which the largest has so many."""


class Chosen(NamedTuple):
    """The nodes, ascending, their worth or cost, a bound on that of any, whether it is proved."""

    nodes: Ints
    value: float
    bound: float
    optimal: bool


class BinaryProgram:
    """Choose some of n nodes, variables 0 to n - 1, so that linear costs are least.

    Variables, each from 0 to its ``upper`` bound, and constraints are added family by family.
    """

    def __init__(self, n: int) -> None:
        self._costs, self._uppers, self._whole = [np.zeros(n)], [np.ones(n)], [np.ones(n, bool)]
        self._entries: list[tuple[Ints, Ints, Floats]] = []
        self._bounds: list[tuple[Array, Array]] = []
        self.n, self._n_rows, self._n_columns = n, 0, n

    def variables(self, cost: Floats, upper: Array | float = 1.0, whole: Any = False) -> Ints:
        """Add a variable for each of these costs, of whole numbers or any; return their numbers."""
        n = len(cost)
        self._costs.append(cost)
        self._uppers.append(np.broadcast_to(upper, n))
        self._whole.append(np.broadcast_to(whole, n))
        self._n_columns += n
        return np.arange(self._n_columns - n, self._n_columns)

    def constrain(self, n: int, lower: Any, upper: Any, *terms: tuple[Any, Ints, Any]) -> None:
        """Add n constraints, each ``lower ≤ Σ factor · variable ≤ upper``.

        Terms are of whose constraint they are, from 0, their variable, and its factor.
        """
        for row, column, factor in terms:
            at, where, by = np.broadcast_arrays(row, column, np.asarray(factor, np.float64))
            self._entries.append((at + self._n_rows, where, by))
        self._bounds.append((np.broadcast_to(lower, n), np.broadcast_to(upper, n)))
        self._n_rows += n

    def solve(self, limit: float | None = None, none: str = "no choice is possible") -> Chosen:
        """Return the choice of least cost, or the best found within ``limit`` seconds.

        Infeasible says ``none``, where no choice meets the constraints; SolverLimit is raised where
        nothing was found in time.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        row, column, factor = map(np.concatenate, zip(*self._entries, strict=True))
        shape = self._n_rows, self._n_columns
        matrix = scipy.sparse.csc_array((factor, (row, column)), shape)
        between = map(np.concatenate, zip(*self._bounds, strict=True))
        found = milp(
            np.concatenate(self._costs),
            integrality=np.concatenate(self._whole).astype(np.int64),
            bounds=Bounds(0, np.concatenate(self._uppers)),
            constraints=LinearConstraint(matrix, *between),
            options={"mip_rel_gap": 0.0, "time_limit": limit},
        )
        if found.status == 2:
            raise Infeasible(none)
        if found.x is None:
            raise SolverLimit(f"the program was not solved ({found.message.strip()})")
        value = float(found.fun)
        bound = value if found.mip_dual_bound is None else float(found.mip_dual_bound)
        nodes = np.flatnonzero(found.x[: self.n] > 0.5)
        return Chosen(nodes, value, min(bound, value), bool(found.status == 0))


def choose_set(
    above: Sequence[Sequence[int]],
    groups: Sequence[Sequence[int]],
    tables: Sequence[Floats],
    limit: float | None = None,
) -> Chosen:
    """Return nodes of the largest worth, with every node all nodes ``above`` it.

    Each of the ``groups``, sets of nodes, has a table of its worth, shape
    ``(n_nodes + 1, len(group) + 1)``: entry (k, s) is added when k nodes are chosen and s of them
    are in the group; NaN where s > k. One size is chosen, and of every group shares of its entries
    of that size with the mean s; only where worth is not concave in s they have to be whole. If no
    nodes at all were found within ``limit`` seconds, SolverLimit is raised.
    """
    n = len(above)
    most = sum(float(np.nanmax(np.abs(t))) for t in tables)
    scale = 2.0 ** np.floor(np.log2(FINEST_COST / most)) if most > 0 else 1.0
    program, every, sizes = BinaryProgram(n), np.arange(n), np.arange(n + 1)
    lower = np.repeat(every, [len(higher) for higher in above])
    higher = np.array([u for some in above for u in some], dtype=np.int64)
    edges = np.arange(len(lower))
    program.constrain(len(edges), -np.inf, 0, (edges, lower, 1), (edges, higher, -1))
    size = program.variables(np.zeros(n + 1), whole=True)
    program.constrain(1, 1, 1, (0, size, 1))
    program.constrain(1, 0, 0, (0, size, sizes), (0, every, -1))
    for group, table in zip(groups, tables, strict=True):
        k, s = np.nonzero(~np.isnan(table))
        bends = (np.diff(table, 2, axis=1) > 0).sum(axis=1)
        entry = program.variables(-scale * table[k, s], whole=bends[k] > 0)
        program.constrain(n + 1, 0, 0, (k, entry, 1), (sizes, size, -1))
        program.constrain(1, 0, 0, (0, entry, s), (0, np.array([*group], dtype=np.int64), -1))
    found = program.solve(limit)
    value = sum(
        float(t[len(found.nodes), np.isin(found.nodes, g).sum()])
        for g, t in zip(groups, tables, strict=True)
    )
    return Chosen(found.nodes, value, max(value, -found.bound / scale), found.optimal)


class Ends(NamedTuple):
    """Of nodes or targets, bounds on their partners, and what each costs that they lack.

    inf: none may be lacking.
    """

    lower: Ints
    upper: Ints
    missing: Floats


@dataclass(frozen=True, eq=False)
class ExpectedPairing:
    """Choose some of n nodes; each scenario then has a cheapest pairing of these with its targets.

    Node v of scenario s is the place ``s · n + v``.
    """

    p: Floats  # probability of every scenario
    nodes: Ends  # what holds of every node that is chosen, scenario by scenario
    targets: Ends  # what holds of every target of all scenarios
    scenario: Ints  # whose each target is
    node: Ints  # of every pair that may be chosen, the place of its node
    target: Ints  # of every pair, that of its target
    cost: Floats  # what every pair costs
    required: Bools  # which pairs must be chosen if their node is
    total: tuple[Ints, Ints] | None = None  # bounds on the chosen pairs of every scenario


def choose_nodes(problem: ExpectedPairing, limit: float | None = None) -> Chosen:
    """Return the choice of nodes with the least expected cost of pairing them, or the best in time.

    Once the nodes are chosen, each scenario is a flow, so only the choice needs whole numbers.
    Infeasible is raised if no choice has a pairing in every scenario, SolverLimit if nothing was
    found within ``limit`` seconds.
    """
    p, nodes, targets, n_pairs = problem.p, problem.nodes, problem.targets, len(problem.cost)
    copy, every = np.arange(len(nodes.lower)), np.arange(len(targets.lower))
    n = len(copy) // len(p)
    program, v, scenario = BinaryProgram(n), copy % n, problem.node // n
    pair = program.variables(p[scenario] * problem.cost)
    lack, lacking = (
        program.variables(p[of] * np.where(may, ends.missing, 0.0), np.where(may, ends.lower, 0.0))
        for of, ends, may in (
            (copy // n, nodes, np.isfinite(nodes.missing)),
            (problem.scenario, targets, np.isfinite(targets.missing)),
        )
    )
    # a chosen node has its partners or pays for them, and has no more than it may
    partners, found = (problem.node, pair, 1), (problem.target, pair, 1)
    program.constrain(len(copy), 0, np.inf, (copy, v, -nodes.lower), partners, (copy, lack, 1))
    program.constrain(len(copy), -np.inf, 0, (copy, v, -nodes.upper), partners)
    program.constrain(len(every), targets.lower, np.inf, found, (every, lacking, 1))
    program.constrain(len(every), -np.inf, targets.upper, found)
    # only chosen nodes have partners
    least, own = np.where(problem.required, 0.0, -np.inf), np.arange(n_pairs)
    program.constrain(n_pairs, least, 0.0, (own, problem.node % n, -1), (own, pair, 1))
    if problem.total is not None:
        program.constrain(len(p), *problem.total, (scenario, pair, 1))
    return program.solve(limit, "no prediction has a pairing in every scenario")
