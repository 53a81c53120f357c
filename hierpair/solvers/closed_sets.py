"""Closed sets whose value is a sum of table entries, by CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit

__all__ = ["Chosen", "SetChoice", "choose_set"]

LARGEST = 2**50
"""Tables are scaled so that the sum of their largest entries stays below this."""


@dataclass(frozen=True, eq=False)
class SetChoice:
    """Choose nodes, with every node all nodes above it.

    Attributes
    ----------
    above
        Of every node the nodes that must be chosen with it.
    groups
        Sets of nodes.
    tables
        Of every group its worth, shape ``(n_nodes + 1, len(group) + 1)``: entry (k, s) is added
        when k nodes are chosen and s of them are in the group; NaN where s > k.
    """

    above: Sequence[Sequence[int]]
    groups: Sequence[Sequence[int]]
    tables: Sequence[NDArray[np.float64]]


@dataclass(frozen=True)
class Chosen:
    """The nodes, their worth, an upper bound on the worth of any, and whether it is proved."""

    chosen: tuple[int, ...]
    value: float
    bound: float
    optimal: bool


def choose_set(problem: SetChoice, limit: float | None = None) -> Chosen:
    """Return nodes of the largest worth.

    The tables are scaled to whole numbers and rounded, each entry by at most one half; ``bound``
    adds that, so it holds for the tables as they are.

    Raises
    ------
    SolverLimit
        If no nodes at all were found in time.
    """
    from ortools.sat.python import cp_model

    n = len(problem.above)
    most = sum(float(np.nanmax(np.abs(t))) for t in problem.tables)
    scale = LARGEST / max(most, 1e-300)
    model = cp_model.CpModel()
    z = [model.new_bool_var(f"node {v}") for v in range(n)]
    for v, above in enumerate(problem.above):
        for u in above:
            model.add_implication(z[v], z[u])
    size = model.new_int_var(0, n, "size")
    model.add(size == sum(z))
    worth = []
    for g, (group, table) in enumerate(zip(problem.groups, problem.tables, strict=True)):
        width = len(group) + 1
        whole = [0 if np.isnan(x) else round(x * scale) for x in table.ravel().tolist()]
        at = model.new_int_var(0, len(whole) - 1, f"entry {g}")
        model.add(at == width * size + sum(z[v] for v in group))
        target = model.new_int_var(min(whole), max(whole), f"worth {g}")
        model.add_element(at, whole, target)
        worth.append(target)
    model.maximize(sum(worth))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    if limit is not None:
        solver.parameters.max_time_in_seconds = limit
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise SolverLimit("no set was found within the time limit; raise the limit")
    chosen = tuple(v for v in range(n) if solver.value(z[v]))
    inside = set(chosen)
    pairs = zip(problem.groups, problem.tables, strict=True)
    value = sum(float(t[len(chosen), len(inside.intersection(g))]) for g, t in pairs)
    bound = (solver.best_objective_bound + 0.5 * len(worth)) / scale
    return Chosen(chosen, value, max(value, bound), bool(status == cp_model.OPTIMAL))
