"""Which nodes to choose so that the expected cost of pairing them is least: a mixed program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import Infeasible, SolverLimit

__all__ = ["ChosenNodes", "ExpectedPairing", "Scenario", "choose_nodes"]


@dataclass(frozen=True, eq=False)
class Scenario:
    """One set of targets that the chosen nodes may have to be paired with.

    Attributes
    ----------
    p
        Its probability.
    node, target, cost
        The pairs that may be chosen: their ends, and what they cost, shape ``(n_pairs,)``.
    required
        Which pairs must be chosen if their node is, shape ``(n_pairs,)``.
    node_lower, node_upper, node_missing
        Bounds on the partners of a chosen node, and the cost of each that it lacks (inf: none may
        be lacking), shape ``(n_nodes,)``.
    target_lower, target_upper, target_missing
        The same for the targets, shape ``(n_targets,)``.
    total
        Least and largest number of chosen pairs, or None.
    """

    p: float
    node: NDArray[np.int64]
    target: NDArray[np.int64]
    cost: NDArray[np.float64]
    required: NDArray[np.bool_]
    node_lower: NDArray[np.int64]
    node_upper: NDArray[np.int64]
    node_missing: NDArray[np.float64]
    target_lower: NDArray[np.int64]
    target_upper: NDArray[np.int64]
    target_missing: NDArray[np.float64]
    total: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class ExpectedPairing:
    """Choose some of ``n_nodes`` nodes; each scenario then has a cheapest pairing with them."""

    n_nodes: int
    scenarios: Sequence[Scenario]


@dataclass(frozen=True, eq=False)
class ChosenNodes:
    """A choice of nodes.

    Attributes
    ----------
    chosen
        The nodes, ascending.
    cost
        Its expected cost.
    bound
        No choice costs less.
    optimal
        Whether that is proved of this choice.
    """

    chosen: NDArray[np.int64]
    cost: float
    bound: float
    optimal: bool


def choose_nodes(problem: ExpectedPairing, limit: float | None = None) -> ChosenNodes:
    """Return the choice of nodes with the least expected cost of pairing them.

    Once the nodes are chosen, each scenario is a flow, so only the choice needs whole numbers;
    HiGHS branches on it.

    Parameters
    ----------
    problem
        Nodes and scenarios.
    limit
        Seconds; when they are over, the best choice so far comes back with ``optimal=False``.

    Raises
    ------
    Infeasible
        If no choice has a pairing in every scenario.
    SolverLimit
        If nothing was found in time.

    Examples
    --------
    >>> one, none = np.ones(1, np.int64), np.zeros(0, np.int64)
    >>> certain = Scenario(1.0, np.array([0, 1]), np.array([0, 0]), np.array([3.0, 2.0]),
    ...     np.zeros(2, bool), np.ones(2, np.int64), np.ones(2, np.int64), np.full(2, 5.0),
    ...     one, one, np.full(1, 5.0))
    >>> best = choose_nodes(ExpectedPairing(2, [certain]))
    >>> best.chosen.tolist(), best.cost, best.optimal
    ([1], 2.0, True)
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    program = _Program(problem.n_nodes)
    for scenario in problem.scenarios:
        program.add(scenario)
    row, column, factor = (np.concatenate(part) for part in zip(*program.entries, strict=True))
    # HiGHS counts in 32 bits, and SciPy before 1.15 does not convert
    places = (row.astype(np.int32), column.astype(np.int32))
    shape = (program.n_rows, program.n_columns)
    matrix = scipy.sparse.csr_array((factor, places), shape=shape)
    whole = np.zeros(program.n_columns)
    whole[: problem.n_nodes] = 1
    options = {"mip_rel_gap": 0.0} | ({} if limit is None else {"time_limit": float(limit)})
    solution = milp(
        np.concatenate(program.cost),
        integrality=whole,
        bounds=Bounds(0, np.concatenate(program.upper)),
        constraints=LinearConstraint(
            matrix, np.concatenate(program.row_lower), np.concatenate(program.row_upper)
        ),
        options=options,
    )
    if solution.status == 2:
        raise Infeasible("no prediction has a pairing in every scenario")
    if solution.x is None:
        raise SolverLimit(f"the program was not solved ({solution.message.strip()})")
    cost = float(solution.fun)
    bound = cost if solution.mip_dual_bound is None else float(solution.mip_dual_bound)
    chosen = np.flatnonzero(solution.x[: problem.n_nodes] > 0.5)
    return ChosenNodes(chosen, cost, min(bound, cost), bool(solution.status == 0))


class _Program:
    """Columns: z, which nodes are chosen; then of every scenario x, its pairs, d, the partners
    that chosen nodes lack, and w, those that targets lack.
    """

    def __init__(self, n_nodes: int) -> None:
        self.n_nodes = n_nodes
        self.cost, self.upper = [np.zeros(n_nodes)], [np.ones(n_nodes)]
        self.entries: list[tuple[Any, Any, Any]] = []
        self.row_lower: list[NDArray[np.float64]] = []
        self.row_upper: list[NDArray[np.float64]] = []
        self.n_rows, self.n_columns = 0, n_nodes

    def add(self, s: Scenario) -> None:
        """Add the columns and rows of a scenario."""
        n_targets = len(s.target_lower)
        x = self._columns(s.p * s.cost, np.ones(len(s.cost)))
        d = self._missing(s.p, s.node_lower, s.node_missing)
        w = self._missing(s.p, s.target_lower, s.target_missing)
        z, t, pair = np.arange(self.n_nodes), np.arange(n_targets), np.arange(len(x))
        # a chosen node has its partners or pays for them, and has no more than it may
        self._rows(0.0, np.inf, self.n_nodes, (s.node, x, 1.0), (z, d, 1.0), (z, z, -s.node_lower))
        if (s.node_upper < n_targets).any():
            self._rows(-np.inf, 0.0, self.n_nodes, (s.node, x, 1.0), (z, z, -s.node_upper))
        self._rows(s.target_lower, np.inf, n_targets, (s.target, x, 1.0), (t, w, 1.0))
        if (s.target_upper < self.n_nodes).any():
            self._rows(-np.inf, s.target_upper, n_targets, (s.target, x, 1.0))
        least = np.where(s.required, 0.0, -np.inf)  # only chosen nodes have partners
        self._rows(least, 0.0, len(x), (pair, x, 1.0), (pair, s.node, -1.0))
        if s.total is not None:
            self._rows(float(s.total[0]), float(s.total[1]), 1, (np.zeros_like(x), x, 1.0))

    def _missing(
        self, p: float, lower: NDArray[np.int64], cost: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        allowed = np.isfinite(cost)
        return self._columns(p * np.where(allowed, cost, 0.0), np.where(allowed, lower, 0.0))

    def _columns(self, cost: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.int64]:
        first = self.n_columns
        self.n_columns += len(cost)
        self.cost.append(cost)
        self.upper.append(upper)
        return np.arange(first, self.n_columns)

    def _rows(self, lower: Any, upper: Any, n: int, *terms: tuple[Any, Any, Any]) -> None:
        """Add n rows; a term is places of rows, columns, and one factor or one of each entry."""
        for row, column, factor in terms:
            factors = np.broadcast_to(np.asarray(factor, np.float64), row.shape)
            self.entries.append((row + self.n_rows, column, factors))
        self.row_lower.append(np.broadcast_to(np.asarray(lower, np.float64), (n,)))
        self.row_upper.append(np.broadcast_to(np.asarray(upper, np.float64), (n,)))
        self.n_rows += n
