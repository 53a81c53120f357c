"""The smallest pair of graphs that meets a set of requirements, by constraint programming.

Label-free: nodes are numbers, sides are 0 and 1. CP-SAT proves one aim after the other; where it
does not come to an end, it is told between which values F of the smallest graphs lies.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from hierpair.errors import SolverLimit
from hierpair.solvers.programs import searched

__all__ = ["Cover", "CoverProblem", "Link", "solve_cover"]

MOST_EFFORT = 60.0
"""What CP-SAT may spend on an instance without a limit, in its own deterministic units: about a
minute, and the same on every machine. An aim may take half of what is left."""

QUICK_EFFORT = 3.0
"""What it may spend before it starts anew with linear relaxations of everything (its level 2): they
cost time where an instance is easy, and prove hard ones with thousands of paths much faster."""

BOUND_EFFORT = 3.0
"""What it may spend on a bound of F."""


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
    f_range
        If not: the least and largest F that the best graphs may have, where that was asked.
    """

    ends: frozenset[int]
    nodes: tuple[frozenset[int], frozenset[int]]
    edges: tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]
    optimal: bool
    f_range: tuple[Fraction, Fraction] | None = None

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


class CoverModel:
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

    def surplus(self, both: int, size: int) -> Any:
        """By how much F is above that of graphs with these numbers: 2 S both - 2 C size."""
        return 2 * size * self.both - 2 * both * (self.size[0] + self.size[1])

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


class Known(NamedTuple):
    """What is known of the aims: their proved bounds, and the best values found.

    Attributes
    ----------
    ends
        Least and largest number of ends that the smallest graphs may have.
    present
        The same of ends of own links in the graphs, among those with the largest number of ends.
    f
        (C, S, bound): graphs with 2 C / S were found, and ``2 S both - 2 C size`` is at most the
        bound, among those with the largest numbers of both.
    """

    ends: tuple[int, int]
    present: tuple[int, int] | None = None
    f: tuple[int, int, int] | None = None

    @property
    def proved_before_f(self) -> bool:
        """Whether the aims before F are proved, so that graphs found have no larger F."""
        return (
            self.present is not None
            and self.ends[0] == self.ends[1]
            and (self.present[0] == self.present[1])
        )


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
            bound, surplus = self.pursue(m.surplus(both_now, size_now), largest=True)
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
            spend = "effort" if self.stop is None else "seconds"
            solver, now = searched(model, level=level, **{spend: budget})
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


def whole_bound(solver: Any) -> int:
    """Return the bound of an aim whose values are whole numbers, rounded to the safe side."""
    reached: float = solver.objective_value
    bound: float = solver.best_objective_bound
    return math.ceil(bound - 1e-6) if bound <= reached else math.floor(bound + 1e-6)


def f_range(
    problem: CoverProblem, best: Cover, known: Known, seconds: float | None
) -> tuple[Fraction, Fraction]:
    """Return the least and largest F that the smallest graphs may have.

    Parameters
    ----------
    problem, best, known
        What was to be solved, the best graphs so far, and what is proved.
    seconds
        For each of two bounds, or None for ``BOUND_EFFORT``.
    """
    sizes = _sizes(problem)
    low = Fraction(2 * known.ends[0], sizes.most)
    high = Fraction(2 * sizes.shared, 2 * sizes.shared + sizes.alone)
    t, p = best.nodes
    both, size = len(t & p), len(t) + len(p) + sum(problem.unlinked)
    f = Fraction(2 * both, size)
    if known.proved_before_f:
        low = f
    if known.proved_before_f and known.f is not None:
        c, s, bound = known.f
        return low, min(high, Fraction(2 * c, s) + sizes.per_class(bound, s, largest=True))
    for largest in (True,) if known.proved_before_f else (True, False):
        surplus = _surplus(problem, (both, size), best, known, seconds, largest=largest)
        if surplus is not None:
            reach = f + sizes.per_class(surplus, size, largest=largest)
            low, high = (low, min(high, reach)) if largest else (max(low, reach), high)
    return low, high


class _Sizes(NamedTuple):
    """What holds of all pairs of graphs.

    Attributes
    ----------
    shared
        Classes that they may share.
    alone
        Classes that one side has in any case, and the other cannot have.
    least, most
        Classes of both sides together, shared ones twice.
    """

    shared: int
    alone: int
    least: int
    most: int

    def per_class(self, surplus: int, size: int, *, largest: bool) -> Fraction:
        """Return by how much F may differ from 2 C / S, where ``2 S both - 2 C size`` is this."""
        fewest = (surplus > 0) == largest
        return Fraction(surplus, size * (self.least if fewest else self.most))


def _sizes(problem: CoverProblem) -> _Sizes:
    nodes: tuple[set[int], set[int]] = (set(), set())
    starts: tuple[set[int], set[int]] = (set(), set())
    for link in problem.links:
        nodes[link.side].update(c for step in link.steps for c in step)
        if link.own:
            starts[link.side].add(link.steps[0][0])
    beside = sum(problem.unlinked)
    return _Sizes(
        shared=len(nodes[0] & nodes[1]),
        alone=len(starts[0] - nodes[1]) + len(starts[1] - nodes[0]) + beside,
        least=len(starts[0]) + len(starts[1]) + beside,
        most=len(nodes[0]) + len(nodes[1]) + beside,
    )


def _surplus(
    problem: CoverProblem,
    numbers: tuple[int, int],
    best: Cover,
    known: Known,
    seconds: float | None,
    *,
    largest: bool,
) -> int | None:
    """Return a bound of ``2 S both - 2 C size``, or None: the solver found none.

    Graphs may have as many ends, and ends of own links, as is not ruled out.
    """
    m = CoverModel(problem)
    n_ends, present = sum(m.chosen.values()), m.present()
    m.model.add(n_ends >= known.ends[0])
    m.model.add(n_ends <= known.ends[1])
    if known.present is not None and known.ends[0] == known.ends[1]:
        m.model.add(present >= known.present[0])
        m.model.add(present <= known.present[1])
    for a, v in m.chosen.items():
        m.model.add_hint(v, a in best.ends)
    (m.model.maximize if largest else m.model.minimize)(m.surplus(*numbers))
    effort = BOUND_EFFORT if seconds is None else None
    seconds = seconds and max(0.001, seconds)
    solver, status = searched(m.model, seconds=seconds, effort=effort, level=2)
    found = status in (m.cp.OPTIMAL, m.cp.FEASIBLE)
    return whole_bound(solver) if found else None
