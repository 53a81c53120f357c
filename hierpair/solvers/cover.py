"""The smallest pair of graphs that meets a set of demands, by constraint programming.

Label-free: nodes are numbers, sides are 0 and 1. CP-SAT settles one aim after the other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from hierpair.errors import SolverLimit

__all__ = ["Cover", "CoverProblem", "Link", "solve_cover"]


@dataclass(frozen=True)
class Link:
    """All shortest ways from a start to an end, as a small acyclic graph.

    Attributes
    ----------
    owner, side
        Number of the label that it starts from, and the label's side.
    end
        The node it leads to.
    own
        Whether the end meets the demand of the owner.
    steps
        The nodes, step by step from the start (one node) to the end (one node).
    edges
        Pairs of nodes of consecutive steps that a way may use.
    """

    owner: int
    side: int
    end: int
    own: bool
    steps: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CoverProblem:
    """Choose ends, ways and with them two sets of nodes.

    Every owner with own links takes one way along one of them to a chosen end; every chosen end
    at which no owner of a side ends gets one way of that side. Aims, one after the other: fewest
    chosen ends; fewest ends of own links in both node sets together; largest
    F = 2 both / (n_0 + n_1); least |n_0 - n_1|; largest both / n_1.

    Attributes
    ----------
    links
        All links.
    lone
        Nodes beside the links that each side has in any case.
    """

    links: tuple[Link, ...]
    lone: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Cover:
    """The chosen ends and node sets; ``optimal`` says whether all aims were proved."""

    ends: frozenset[int]
    nodes: tuple[frozenset[int], frozenset[int]]
    optimal: bool


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
        self.size = [sum(self.inside[s].values()) + self.problem.lone[s] for s in (0, 1)]

    def _walk(self, link: Link, active: Any) -> None:
        """Send one unit from the start to the end if the link is active."""
        taken = self.taken[link.side]
        if len(link.edges) == len(link.steps) - 1:  # a single way
            for (node,) in link.steps:
                taken.setdefault(node, []).append(active)
            return
        flow = {e: self.model.new_bool_var(f"edge {e}") for e in link.edges}
        start = link.steps[0][0]
        taken.setdefault(start, []).append(active)
        for step in link.steps[1:]:
            for node in step:
                into = sum(v for e, v in flow.items() if e[1] == node)
                taken.setdefault(node, []).append(into)
                if node != link.end:
                    self.model.add(into == sum(v for e, v in flow.items() if e[0] == node))
        self.model.add(sum(v for e, v in flow.items() if e[0] == start) == active)

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


def solve_cover(problem: CoverProblem, limit: float | None = None) -> Cover:
    """Solve exactly, or as well as the time allows.

    Parameters
    ----------
    problem
        What to choose from.
    limit
        Seconds; when they are over, the best graphs so far come back with ``optimal=False``.

    Raises
    ------
    SolverLimit
        If no graphs at all were found in time.

    Notes
    -----
    F is a ratio: with the best known value 2 C / S, ``2 both S - 2 C size`` is maximised until
    it can no longer be positive (Dinkelbach 1967); all numbers are whole.
    """
    m = _Model(problem)
    cp, model = m.cp, m.model
    solver = cp.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    stop = None if limit is None else time.monotonic() + limit
    best: Cover | None = None

    def attempt(aim: Any, *, largest: bool = False) -> bool:
        nonlocal best
        if largest:
            model.maximize(aim)
        else:
            model.minimize(aim)
        if stop is not None and best is not None and time.monotonic() >= stop:
            return False
        if stop is not None:
            solver.parameters.max_time_in_seconds = max(0.001, stop - time.monotonic())
        status = solver.solve(model)
        if status in (cp.OPTIMAL, cp.FEASIBLE):
            ends = frozenset(a for a, v in m.chosen.items() if solver.boolean_value(v))
            nodes = [
                frozenset(x for x, v in m.inside[s].items() if solver.boolean_value(v))
                for s in (0, 1)
            ]
            best = Cover(ends, (nodes[0], nodes[1]), False)
        elif status == cp.INFEASIBLE:
            raise ValueError("no graphs meet the demands")
        return bool(status == cp.OPTIMAL)

    def given_up() -> Cover:
        if best is None:
            raise SolverLimit("no extension was found within the time limit; raise the limit")
        return best

    n_ends = sum(m.chosen.values())
    if not attempt(n_ends):
        return given_up()
    model.add(n_ends == int(solver.objective_value))
    present = m.present()
    if not attempt(present):
        return given_up()
    model.add(present == round(solver.objective_value))
    size = m.size[0] + m.size[1]
    while True:
        both_now, size_now = int(solver.value(m.both)), int(solver.value(size))
        if not attempt(2 * size_now * m.both - 2 * both_now * size, largest=True):
            return given_up()
        if round(solver.objective_value) == 0:
            break
    model.add(size_now * m.both == both_now * size)
    lean = model.new_int_var(0, 2 * len(m.inside[0]) + 2 * len(m.inside[1]) + sum(problem.lone), "")
    model.add_abs_equality(lean, m.size[0] - m.size[1])
    if not attempt(lean):
        return given_up()
    least = round(solver.objective_value)
    model.add(lean == least)
    # With F and the difference given, precision is largest for the smaller predicted side.
    if least and not attempt(m.size[1] - m.size[0]):
        return given_up()
    if least:
        smaller = round(solver.objective_value)
        model.add(m.size[1] - m.size[0] == smaller)
        if not attempt(size, largest=smaller > 0):
            return given_up()
    assert best is not None
    return Cover(best.ends, best.nodes, True)
