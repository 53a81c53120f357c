"""The smallest pair of graphs that meets a set of requirements, by constraint programming.

Label-free: nodes are numbers, sides are 0 and 1. CP-SAT settles one aim after the other.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hierpair.errors import SolverLimit
from hierpair.solvers.cover_problem import Cover, CoverProblem, Link

__all__ = ["solve_cover"]

MOST_EFFORT = 60.0
"""What CP-SAT may spend on one aim without a limit, in its own deterministic units: about a minute,
and the same on every machine."""

QUICK_EFFORT = 3.0
"""What it may spend before it starts anew with linear relaxations of everything (its level 2): they
cost time where an instance is easy, and prove hard ones with thousands of paths much faster."""


class _Model:
    """The variables and constraints; aims are added one after the other."""

    def __init__(self, problem: CoverProblem) -> None:
        from ortools.sat.python import cp_model

        self.cp = cp_model
        self.problem = problem
        self.model = model = cp_model.CpModel()
        own = [link for link in problem.links if link.own]
        self.marked = sorted({link.end for link in own})
        self.chosen = {a: model.new_bool_var(f"end {a}") for a in self.marked}
        use: dict[int, Any] = {}
        extra: dict[int, Any] = {}
        by_owner: dict[int, list[Any]] = {}
        by_end: dict[tuple[int, int], list[int]] = {}
        for i, link in enumerate(problem.links):
            if link.end in self.chosen:
                by_end.setdefault((link.side, link.end), []).append(i)
            if link.own:
                use[i] = model.new_bool_var(f"use {i}")
                model.add_implication(use[i], self.chosen[link.end])
                by_owner.setdefault(link.owner, []).append(use[i])
        for several in by_owner.values():
            model.add_exactly_one(several)
        for (_, a), numbers in by_end.items():
            ended = [use[i] for i in numbers if i in use]
            for i in numbers:
                extra[i] = model.new_bool_var(f"extra {i}")
                model.add_implication(extra[i], self.chosen[a])
                for other in ended:
                    model.add_implication(other, extra[i].negated())
            model.add_at_most_one([extra[i] for i in numbers])
            model.add_bool_or([*ended, *(extra[i] for i in numbers), self.chosen[a].negated()])
        self.taken: tuple[dict[int, list[Any]], dict[int, list[Any]]] = ({}, {})
        self.used: tuple[list[tuple[tuple[int, int], Any]], ...] = ([], [])
        for i, link in enumerate(problem.links):
            terms = [v for v in (use.get(i), extra.get(i)) if v is not None]
            if terms:
                self._walk(link, sum(terms))
        self.inside: tuple[dict[int, Any], dict[int, Any]] = ({}, {})
        self._join()

    def _join(self) -> None:
        """Say which nodes are in which side: those that some active link takes."""
        model = self.model
        for side in (0, 1):
            for node, terms in self.taken[side].items():
                v = model.new_bool_var(f"node {node} side {side}")
                for term in terms:
                    model.add(v >= term)
                model.add(v <= sum(terms))
                self.inside[side][node] = v
        shared = []
        for node in self.inside[0].keys() & self.inside[1].keys():
            both = model.new_bool_var(f"both {node}")
            for side in (0, 1):
                model.add(both <= self.inside[side][node])
            model.add(both >= self.inside[0][node] + self.inside[1][node] - 1)
            shared.append(both)
        self.both = sum(shared)
        self.size = [sum(self.inside[s].values()) + self.problem.unlinked[s] for s in (0, 1)]

    def _walk(self, link: Link, active: Any) -> None:
        """Send one unit from the start to the end if the link is active."""
        taken, used = self.taken[link.side], self.used[link.side]
        if len(link.edges) == len(link.steps) - 1:  # a single path
            for (node,) in link.steps:
                taken.setdefault(node, []).append(active)
            used += [(edge, active) for edge in link.edges]
            return
        flow = {e: self.model.new_bool_var(f"edge {e}") for e in link.edges}
        used += flow.items()
        start = link.steps[0][0]
        taken.setdefault(start, []).append(active)
        for step in link.steps[1:]:
            for node in step:
                into = sum(v for e, v in flow.items() if e[1] == node)
                taken.setdefault(node, []).append(into)
                if node != link.end:
                    self.model.add(into == sum(v for e, v in flow.items() if e[0] == node))
        self.model.add(sum(v for e, v in flow.items() if e[0] == start) == active)

    def lean(self) -> Any:
        """How much larger one node set is than the other, where it is minimised."""
        most = sum(map(len, self.inside)) + sum(self.problem.unlinked)
        lean = self.model.new_int_var(0, most, "lean")
        self.model.add(lean >= self.size[0] - self.size[1])
        self.model.add(lean >= self.size[1] - self.size[0])
        return lean

    def present(self) -> Any:
        """Number of marked nodes that are in at least one node set."""
        terms = []
        for a in self.marked:
            v = self.model.new_bool_var(f"present {a}")
            sides = [self.inside[s][a] for s in (0, 1) if a in self.inside[s]]
            for side in sides:
                self.model.add(v >= side)
            self.model.add(v <= sum(sides))
            terms.append(v)
        return sum(terms)


class _OutOfReach(Exception):
    """An aim that could not be proved within the time or the effort."""


class _Run:
    """Aim after aim on one model, with what was best so far."""

    def __init__(self, model: _Model, limit: float | None, start: Cover | None) -> None:
        self.model = model
        self.solver = model.cp.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.random_seed = 0
        self.stop = None if limit is None else time.monotonic() + limit
        self.best = start

    def fewest_ends(self) -> int:
        """Return the number of ends that meet all requirements."""
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
        if not self._in_time() or self._status(small) != m.cp.OPTIMAL:
            raise _OutOfReach
        return self._reached()

    def _in_time(self) -> bool:
        """Whether there is time, or nothing to fall back on; the solver is told how much."""
        if self.stop is not None:
            left = self.stop - time.monotonic()
            if left <= 0 and self.best is not None:
                return False
            self.solver.parameters.max_time_in_seconds = max(0.001, left)
        return True

    def _status(self, model: Any) -> int:
        """Solve; without a limit, for a while as it is, then with all linear relaxations."""
        parameters = self.solver.parameters
        if self.stop is not None:
            return int(self.solver.solve(model))
        parameters.max_deterministic_time = min(QUICK_EFFORT, MOST_EFFORT)
        parameters.linearization_level = 1
        status = int(self.solver.solve(model))
        if status not in (self.model.cp.OPTIMAL, self.model.cp.INFEASIBLE):
            parameters.max_deterministic_time = MOST_EFFORT
            parameters.linearization_level = 2
            status = int(self.solver.solve(model))
        return status

    def pursue(self, aim: Any, *, largest: bool = False) -> int:
        """Return the best value of an aim; raise ``_OutOfReach`` where it could not be proved."""
        m = self.model
        (m.model.maximize if largest else m.model.minimize)(aim)
        if not self._in_time():
            raise _OutOfReach
        status = self._status(m.model)
        if status == m.cp.INFEASIBLE:
            raise ValueError("no graphs meet the requirements")
        if status in (m.cp.OPTIMAL, m.cp.FEASIBLE):
            self.best = self._cover()
            self._go_on_from_here()
        if status != m.cp.OPTIMAL:
            raise _OutOfReach
        return self._reached()

    def settle(self, aim: Any) -> int:
        """Return the least value of an aim, which it keeps from here on."""
        least = self.pursue(aim)
        self.model.model.add(aim == least)
        return least

    def _go_on_from_here(self) -> None:
        """Give the next aim the last solution to start from."""
        model = self.model.model
        values = self.solver.response_proto.solution
        model.clear_hints()  # type: ignore[no-untyped-call]
        model.proto.solution_hint.vars.extend(range(len(values)))
        model.proto.solution_hint.values.extend(values)

    def _reached(self) -> int:
        """Return the value of the last aim."""
        reached: float = self.solver.objective_value
        return round(reached)

    def value(self, expression: Any) -> int:
        """Return the value of an expression in the last solution."""
        return int(self.solver.value(expression))

    def given_up(self) -> Cover:
        """Return the best so far."""
        if self.stop is None:
            raise SolverLimit(
                "the minimal LCA graphs are too hard to find: CP-SAT did not finish within its "
                "budget; take the best graphs that are found in so many seconds (limit=10), or "
                "those of Algorithm 1 (extension='greedy')"
            )
        if self.best is None:
            raise SolverLimit("no extension was found within the time limit; raise the limit")
        return self.best

    def _cover(self) -> Cover:
        m, value = self.model, self.solver.value
        ends = frozenset(a for a, v in m.chosen.items() if value(v))
        nodes = [frozenset(x for x, v in m.inside[s].items() if value(v)) for s in (0, 1)]
        edges = [frozenset(e for e, v in m.used[s] if value(v)) for s in (0, 1)]
        return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)


def solve_cover(
    problem: CoverProblem, limit: float | None = None, start: Cover | None = None
) -> Cover:
    """Solve exactly, or as well as the time allows.

    Parameters
    ----------
    problem
        What to choose from.
    limit
        Seconds; when they are over, the best graphs so far come back with ``optimal=False``.
    start
        Graphs that meet the requirements, which come back where the time did not do for others.

    Raises
    ------
    SolverLimit
        If no graphs at all were found in time, and there is no start; without a limit, if an aim
        takes more than ``MOST_EFFORT``.

    Notes
    -----
    F is a ratio: with the best known value 2 C / S, ``2 both S - 2 C size`` is maximised until
    it can no longer be positive (Dinkelbach 1967); all numbers are whole.
    """
    run = _Run(_Model(problem), limit, start)
    with suppress(_OutOfReach):
        return _all_aims(run)
    return run.given_up()


def _all_aims(run: _Run) -> Cover:
    """Settle one aim after the other."""
    m = run.model
    n_ends = run.fewest_ends()  # does not depend on the paths, so a small model does
    m.model.add(sum(m.chosen.values()) == n_ends)
    run.settle(m.present())
    size, surplus = m.size[0] + m.size[1], 1
    while surplus:
        both_now, size_now = run.value(m.both), run.value(size)
        surplus = run.pursue(2 * size_now * m.both - 2 * both_now * size, largest=True)
    m.model.add(size_now * m.both == both_now * size)
    lean, difference = m.lean(), m.size[1] - m.size[0]
    # With F and the difference given, precision is largest for the smaller predicted side.
    larger = run.settle(lean) > 0 and run.settle(difference) > 0
    run.pursue(size, largest=larger)
    assert run.best is not None  # the first aim has found graphs
    return replace(run.best, optimal=True)
