"""Binary programs: closed sets of the largest worth by CP-SAT, sets that are paired by HiGHS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from hierpair.errors import Infeasible, SolverLimit
from hierpair.solvers.flow import Bools, Floats, Ints

LARGEST = 2**50  # tables are scaled so that the sum of their largest entries stays below this


class Chosen(NamedTuple):
    """The nodes, ascending, their worth or cost, a bound on that of any, whether it is proved."""

    nodes: Ints
    value: float
    bound: float
    optimal: bool


def searched(
    model: Any, *, seconds: float | None = None, effort: float | None = None, level: int = 1
) -> tuple[Any, int]:
    """Solve a model of CP-SAT, the same way on every machine; return the solver and its status."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.linearization_level = level
    if effort is not None:
        solver.parameters.max_deterministic_time = effort
    if seconds is not None:
        solver.parameters.max_time_in_seconds = seconds
    return solver, int(solver.solve(model))


def choose_set(
    above: Sequence[Sequence[int]],
    groups: Sequence[Sequence[int]],
    tables: Sequence[Floats],
    limit: float | None = None,
) -> Chosen:
    """Return nodes of the largest worth, with every node all nodes ``above`` it.

    Each of the ``groups``, sets of nodes, has a table of its worth, shape
    ``(n_nodes + 1, len(group) + 1)``: entry (k, s) is added when k nodes are chosen and s of them
    are in the group; NaN where s > k. Tables are scaled to whole numbers and rounded, each entry by
    at most one half; ``bound`` adds that, so it holds for the tables as they are. If no nodes at
    all were found within ``limit`` seconds, SolverLimit is raised.
    """
    from ortools.sat.python import cp_model

    n = len(above)
    most = sum(float(np.nanmax(np.abs(t))) for t in tables)
    scale = LARGEST / max(most, 1e-300)
    model = cp_model.CpModel()
    z = [model.new_bool_var("") for _ in range(n)]
    for v, higher in enumerate(above):
        for u in higher:
            model.add_implication(z[v], z[u])
    size = model.new_int_var(0, n, "")
    model.add(size == sum(z))
    worth = []
    for group, table in zip(groups, tables, strict=True):
        width = len(group) + 1
        whole = [0 if np.isnan(x) else round(x * scale) for x in table.ravel().tolist()]
        at = model.new_int_var(0, len(whole) - 1, "")
        model.add(at == width * size + sum(z[v] for v in group))
        target = model.new_int_var(min(whole), max(whole), "")
        model.add_element(at, whole, target)
        worth.append(target)
    model.maximize(sum(worth))
    solver, status = searched(model, seconds=limit)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise SolverLimit("no set was found within the time limit; raise the limit")
    chosen = [v for v in range(n) if solver.value(z[v])]
    value = sum(
        float(t[len(chosen), len(set(chosen).intersection(g))])
        for g, t in zip(groups, tables, strict=True)
    )
    bound = (solver.best_objective_bound + 0.5 * len(worth)) / scale
    nodes = np.array(chosen, dtype=np.int64)
    return Chosen(nodes, value, max(value, bound), status == cp_model.OPTIMAL)


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

    Once the nodes are chosen, each scenario is a flow, so only the choice needs whole numbers;
    HiGHS branches on it. Infeasible is raised if no choice has a pairing in every scenario,
    SolverLimit if nothing was found within ``limit`` seconds.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    p, nodes, targets, pairs = problem.p, problem.nodes, problem.targets, len(problem.cost)
    copy = np.arange(len(nodes.lower))
    n = len(copy) // len(p)
    scenario = {"x": problem.node // n, "d": copy // n, "w": problem.scenario}
    # which nodes are chosen, the pairs, the partners that chosen nodes lack, and that targets lack
    cost, upper = [np.zeros(n), p[scenario["x"]] * problem.cost], [np.ones(n + pairs)]
    for name, ends in (("d", nodes), ("w", targets)):
        open_ = np.isfinite(ends.missing)
        cost.append(p[scenario[name]] * np.where(open_, ends.missing, 0.0))
        upper.append(np.where(open_, ends.lower, 0.0))
    of_node, of_target, of_scenario = (
        _incidence(at, size)
        for at, size in (
            (problem.node, len(copy)),
            (problem.target, len(targets.lower)),
            (scenario["x"], len(p)),
        )
    )
    z = _incidence(copy % n, n).T  # of every place, its node
    d, w, x = (scipy.sparse.eye_array(k) for k in (len(copy), len(targets.lower), pairs))
    n_targets = np.bincount(problem.scenario, minlength=len(p))
    some = np.flatnonzero(nodes.upper < n_targets[scenario["d"]])
    few = np.flatnonzero(targets.upper < n)
    rows: list[tuple[list[Any], Any, Any]] = [
        # a chosen node has its partners or pays for them, and has no more than it may
        ([-z.multiply(nodes.lower[:, None]), of_node, d, None], np.zeros(len(copy)), np.inf),
        (
            [-z.multiply(nodes.upper[:, None]).tocsr()[some], of_node[some], None, None],
            -np.inf,
            0 * some,
        ),
        ([None, of_target, None, w], targets.lower, np.inf),
        ([None, of_target[few], None, None], -np.inf, targets.upper[few]),
        # only chosen nodes have partners
        ([-z[problem.node], x, None, None], np.where(problem.required, 0.0, -np.inf), 0.0),
    ]
    if problem.total is not None:
        rows.append(([None, of_scenario, None, None], *problem.total))
    bounds = [np.broadcast_arrays(low, high) for _, low, high in rows]
    matrix = scipy.sparse.block_array([row for row, _, _ in rows], format="csc")
    solution = milp(
        np.concatenate(cost),
        integrality=np.repeat([1, 0], [n, matrix.shape[1] - n]),
        bounds=Bounds(0, np.concatenate(upper)),
        constraints=LinearConstraint(matrix, *map(np.concatenate, zip(*bounds, strict=True))),
        options={"mip_rel_gap": 0.0} | ({} if limit is None else {"time_limit": float(limit)}),
    )
    if solution.status == 2:
        raise Infeasible("no prediction has a pairing in every scenario")
    if solution.x is None:
        raise SolverLimit(f"the program was not solved ({solution.message.strip()})")
    value = float(solution.fun)
    bound = value if solution.mip_dual_bound is None else float(solution.mip_dual_bound)
    chosen = np.flatnonzero(solution.x[:n] > 0.5)
    return Chosen(chosen, value, min(bound, value), bool(solution.status == 0))


def _incidence(row: Ints, n: int) -> Any:
    """Return the matrix of n rows that has a one in every column, in the given row."""
    shape = n, len(row)
    return scipy.sparse.csr_array((np.ones(len(row)), (row, np.arange(len(row)))), shape)
