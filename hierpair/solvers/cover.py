"""The smallest pair of graphs that meets a set of requirements, by constraint programming.

Label-free: nodes are numbers, sides are 0 and 1. CP-SAT proves one aim after the other.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hierpair.errors import SolverLimit
from hierpair.solvers.cover_bounds import Known, f_range, whole_bound
from hierpair.solvers.cover_model import CoverModel
from hierpair.solvers.cover_problem import Cover, CoverProblem

__all__ = ["solve_cover"]

MOST_EFFORT = 60.0
"""What CP-SAT may spend on an instance without a limit, in its own deterministic units: about a
minute, and the same on every machine. An aim may take half of what is left."""

QUICK_EFFORT = 3.0
"""What it may spend before it starts anew with linear relaxations of everything (its level 2): they
cost time where an instance is easy, and prove hard ones with thousands of paths much faster."""


class _OutOfReach(Exception):
    """Nothing was found for an aim within the time or the effort."""


class _Run:
    """Aim after aim on one model, with what was best so far, and what is known of the aims."""

    def __init__(self, model: CoverModel, limit: float | None, start: Cover | None) -> None:
        self.model = model
        self.solver = model.cp.CpSolver()  # the last one that found something
        self.effort = MOST_EFFORT
        self.stop = None if limit is None else time.monotonic() + limit
        self.best = start
        self.known = Known((1, len(start.ends) if start else len(model.marked)))

    def all_aims(self) -> Cover:
        """Pursue one aim after the other; where one is not proved, go on from the best found."""
        m = self.model
        ends = self.fewest_ends()
        self.known = Known(ends)
        m.model.add(sum(m.chosen.values()) == ends[1])
        present = self.minimised(m.present())
        self.known = Known(ends, present)
        size, surplus = m.size[0] + m.size[1], 1
        while surplus > 0:
            both_now, size_now, before = self.value(m.both), self.value(size), self.best
            aim = 2 * size_now * m.both - 2 * both_now * size
            bound, surplus = self.pursue(aim, largest=True)
            self.known = Known(ends, present, (both_now, size_now, bound))
            if surplus < 0:  # less than what it started from
                self.best = before
                raise _OutOfReach
        m.model.add(size_now * m.both == both_now * size)
        lean, difference = m.lean(), m.size[1] - m.size[0]
        # With F and the difference given, precision is largest for the smaller predicted side.
        leans = self.minimised(lean)
        sides = self.minimised(difference) if leans[1] else (0, 0)
        sizes = self.pursue(size, largest=leans[1] > 0 and sides[1] > 0)
        assert self.best is not None  # the second aim has found graphs
        aims = ends, present, (bound, surplus), leans, sides, sizes
        return replace(self.best, optimal=all(bound == value for bound, value in aims))

    def fewest_ends(self) -> tuple[int, int]:
        """Return the bound and the number of ends that meet all requirements.

        They do not depend on the paths, so that a small model does.
        """
        m = self.model
        small = m.cp.CpModel()
        chosen = {a: small.new_bool_var(f"end {a}") for a in m.marked}
        requirements: dict[int, list[Any]] = {}
        for link in m.problem.links:
            if link.own:
                requirements.setdefault(link.owner, []).append(chosen[link.end])
        for requirement in requirements.values():
            small.add_bool_or(requirement)
        small.minimize(sum(chosen.values()))
        bound, fewest = self._solved(small)
        found = {a for a, v in chosen.items() if self.solver.value(v)}
        if self.best is not None and len(self.best.ends) < fewest:
            fewest, found = len(self.best.ends), set(self.best.ends)
        for a in m.marked:
            m.model.add_hint(m.chosen[a], a in found)
        return bound, fewest

    def pursue(self, aim: Any, *, largest: bool = False) -> tuple[int, int]:
        """Return the bound of an aim and the best value found; its graphs become the best."""
        m = self.model
        (m.model.maximize if largest else m.model.minimize)(aim)
        found = self._solved(m.model)
        self.best = self._cover()
        self._go_on_from_here(m.model)
        return found

    def minimised(self, aim: Any) -> tuple[int, int]:
        """Return the same of an aim that is minimised, which keeps its value from here on."""
        bound, least = self.pursue(aim)
        self.model.model.add(aim == least)
        return bound, least

    def _solved(self, model: Any) -> tuple[int, int]:
        """Return the bound of the aim and the best value found, which are equal if it is proved."""
        cp, status = self.model.cp, self._status(model)
        if status == cp.INFEASIBLE:
            raise ValueError("no graphs meet the requirements")
        if status not in (cp.OPTIMAL, cp.FEASIBLE):
            raise _OutOfReach
        reached: float = self.solver.objective_value
        return whole_bound(self.solver), round(reached)

    def _status(self, model: Any) -> int:
        """Solve for a while as it is, then with all linear relaxations."""
        cp = self.model.cp
        status: int = cp.UNKNOWN
        if self.stop is not None:
            left = self.stop - time.monotonic()
            if left <= 0 and self.best is not None:
                raise _OutOfReach
            share = max(left / 2, 0.001)
            quick = share / 10
        else:
            share = self.effort / 2
            quick = min(QUICK_EFFORT, share)
        for level, budget in ((1, quick), (2, share - quick)):
            solver = cp.CpSolver()
            solver.parameters.num_workers = 1
            solver.parameters.random_seed = 0
            solver.parameters.linearization_level = level
            if self.stop is None:
                solver.parameters.max_deterministic_time = budget
            else:
                solver.parameters.max_time_in_seconds = budget
            now: int = solver.solve(model)
            self.effort = max(0.0, self.effort - solver.response_proto.deterministic_time)
            if now in (cp.OPTIMAL, cp.INFEASIBLE, cp.FEASIBLE):  # else what was found before stays
                self.solver, status = solver, now
            if now in (cp.OPTIMAL, cp.INFEASIBLE):
                break
            if now == cp.FEASIBLE:
                self._go_on_from_here(model)
        return status

    def _go_on_from_here(self, model: Any) -> None:
        """Give the next call the last solution to start from."""
        values = self.solver.response_proto.solution
        model.clear_hints()
        model.proto.solution_hint.vars.extend(range(len(values)))
        model.proto.solution_hint.values.extend(values)

    def value(self, expression: Any) -> int:
        """Return the value of an expression in the last solution."""
        return int(self.solver.value(expression))

    def _cover(self) -> Cover:
        m, value = self.model, self.solver.value
        ends = frozenset(a for a, v in m.chosen.items() if value(v))
        nodes = [frozenset(x for x, v in m.inside[s].items() if value(v)) for s in (0, 1)]
        edges = [frozenset(e for e, v in m.used[s] if value(v)) for s in (0, 1)]
        return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)


def solve_cover(
    problem: CoverProblem, limit: float | None = None, start: Cover | None = None
) -> Cover:
    """Solve exactly, or as well as the budget allows.

    Parameters
    ----------
    problem
        What to choose from.
    limit
        Seconds instead of the budget of ``MOST_EFFORT``.
    start
        Graphs that meet the requirements, which come back where nothing else was found.

    Returns
    -------
    Cover
        With ``optimal=False`` the best graphs so far: each aim was pursued for half of what was
        left, and where it was not proved, the next ones went on from the best that was found.
        ``f_range`` then holds the F of the best graphs.

    Raises
    ------
    SolverLimit
        If no graphs at all were found, and there is no start.

    Notes
    -----
    F is a ratio: with the best known value 2 C / S, ``2 both S - 2 C size`` is maximised until
    it can no longer be positive (Dinkelbach 1967); all numbers are whole.
    """
    run = _Run(CoverModel(problem), None if limit is None else 0.8 * limit, start)
    with suppress(_OutOfReach):
        run.best = run.all_aims()
    if run.best is None:
        raise SolverLimit("no extension was found within the time limit; raise the limit")
    if run.best.optimal:
        return run.best
    return replace(run.best, f_range=f_range(problem, run.best, run.known, limit and 0.1 * limit))
