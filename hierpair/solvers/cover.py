"""The smallest pair of graphs that meets a set of requirements, by constraint programming.

Label-free: nodes are numbers, sides are 0 and 1. CP-SAT settles one aim after the other.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from hierpair.errors import SolverLimit

__all__ = ["Cover", "CoverProblem", "Link", "solve_cover"]

MOST_EFFORT = 60.0
"""What CP-SAT may spend on one aim without a limit, in its own deterministic units: about a minute,
and the same on every machine."""

QUICK_EFFORT = 3.0
"""What it may spend before it starts anew with linear relaxations of everything (its level 2): they
cost time where an instance is easy, and prove hard ones with thousands of paths much faster."""


@dataclass(frozen=True)
class Link:
    """All shortest paths from a start to an end, as a small acyclic graph.

    Attributes
    ----------
    owner, side
        Number of the label that it starts from, and the label's side.
    end
        The node it leads to.
    own
        Whether the end meets the requirement of the owner.
    steps
        The nodes, step by step from the start (one node) to the end (one node).
    edges
        Pairs of nodes of consecutive steps that a path may use.
    """

    owner: int
    side: int
    end: int
    own: bool
    steps: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CoverProblem:
    """Choose ends, paths and with them two sets of nodes.

    Every owner with own links takes one path along one of them to a chosen end; every chosen end
    at which no owner of a side ends gets one path of that side. Aims, one after the other: fewest
    chosen ends; fewest ends of own links in both node sets together; largest
    F = 2 both / (n_0 + n_1); least ``|n_0 - n_1|``; largest both / n_1; fewest nodes.

    Attributes
    ----------
    links
        All links.
    unlinked
        Nodes beside the links that each side has in any case.
    """

    links: tuple[Link, ...]
    unlinked: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Cover:
    """What was chosen.

    Attributes
    ----------
    ends
        The chosen ends.
    nodes, edges
        By side, the nodes of the chosen paths, and their edges (lower node, upper node).
    optimal
        Whether all aims were proved.
    """

    ends: frozenset[int]
    nodes: tuple[frozenset[int], frozenset[int]]
    edges: tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]
    optimal: bool

    @classmethod
    def of_paths(
        cls,
        ends: Iterable[int],
        paths: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]],
        *,
        optimal: bool,
    ) -> Cover:
        """Return the cover that takes these paths, by side, from their starts to their ends."""
        nodes = [frozenset(c for path in side for c in path) for side in paths]
        edges = [frozenset(edge for path in side for edge in pairwise(path)) for side in paths]
        return cls(frozenset(ends), (nodes[0], nodes[1]), (edges[0], edges[1]), optimal)

    def renumbered(self, number: Sequence[int]) -> Cover:
        """Return the same with other numbers of nodes."""
        nodes = [frozenset(number[c] for c in side) for side in self.nodes]
        edges = [frozenset((number[a], number[b]) for a, b in side) for side in self.edges]
        ends = frozenset(number[a] for a in self.ends)
        return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), self.optimal)


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


class _Run:
    """Aim after aim on one model, with what was best so far."""

    def __init__(self, model: _Model, limit: float | None, start: Cover | None) -> None:
        self.model = model
        self.solver = model.cp.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.random_seed = 0
        self.stop = None if limit is None else time.monotonic() + limit
        self.best = start

    def fewest_ends(self) -> int | None:
        """Return the number of ends that meet all requirements, if it is found in time."""
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
            return None
        return self.aim

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

    def attempt(self, aim: Any, *, largest: bool = False) -> bool:
        """Pursue one aim; return whether it was proved optimal."""
        m = self.model
        (m.model.maximize if largest else m.model.minimize)(aim)
        if not self._in_time():
            return False
        status = self._status(m.model)
        if status == m.cp.INFEASIBLE:
            raise ValueError("no graphs meet the requirements")
        if status in (m.cp.OPTIMAL, m.cp.FEASIBLE):
            self.best = self._cover()
            self._go_on_from_here()
        return bool(status == m.cp.OPTIMAL)

    def _go_on_from_here(self) -> None:
        """Give the next aim the last solution to start from."""
        model = self.model.model
        values = self.solver.response_proto.solution
        model.clear_hints()  # type: ignore[no-untyped-call]
        model.proto.solution_hint.vars.extend(range(len(values)))
        model.proto.solution_hint.values.extend(values)

    @property
    def aim(self) -> int:
        """The value of the last aim."""
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
    m = _Model(problem)
    run = _Run(m, limit, start)
    n_ends = run.fewest_ends()  # does not depend on the paths, so a small model does
    if n_ends is None:
        return run.given_up()
    m.model.add(sum(m.chosen.values()) == n_ends)
    present = m.present()
    if not run.attempt(present):
        return run.given_up()
    m.model.add(present == run.aim)
    size = m.size[0] + m.size[1]
    while True:
        both_now, size_now = run.value(m.both), run.value(size)
        if not run.attempt(2 * size_now * m.both - 2 * both_now * size, largest=True):
            return run.given_up()
        if run.aim == 0:
            break
    m.model.add(size_now * m.both == both_now * size)
    lean, difference = m.lean(), m.size[1] - m.size[0]
    if not run.attempt(lean):
        return run.given_up()
    m.model.add(lean == run.aim)
    # With F and the difference given, precision is largest for the smaller predicted side.
    if run.aim:
        if not run.attempt(difference):
            return run.given_up()
        m.model.add(difference == run.aim)
        if not run.attempt(size, largest=run.aim > 0):
            return run.given_up()
    elif not run.attempt(size):
        return run.given_up()
    assert run.best is not None  # the first aim has found graphs
    return replace(run.best, optimal=True)
