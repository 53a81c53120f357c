"""The smallest pair of graphs that meets a set of requirements, by constraint programming.

Label-free: nodes are numbers, sides are 0 and 1. CP-SAT proves one aim after the other; where it
does not come to an end, it is told between which values F of the smallest graphs lies.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

from hierpair.errors import SolverLimit
from hierpair.solvers.programs import searched

MOST_EFFORT = 60.0
"""What CP-SAT may spend on an instance without a limit, in its own deterministic units: about a
minute, and the same on every machine. An aim may take half of what is left."""

QUICK_EFFORT = 3.0
"""What it may spend before it starts anew with linear relaxations of everything (its level 2): they
cost time where an instance is easy, and prove hard ones with thousands of paths much faster."""

BOUND_EFFORT = 3.0
"""What it may spend on a bound of F."""


class Link(NamedTuple):
    """All shortest paths from a label to an end, as a small acyclic graph; nodes are bits."""

    label: int  # the number of the label that it starts from
    side: int  # that of the label
    end: int  # the number of the bit that it leads to
    own: bool  # whether the end meets the requirement of the label
    mask: int  # all of its nodes
    nodes: Sequence[int] = ()  # step by step from the label to the end
    lower: Sequence[int] = ()  # lower ends of the edges as places among the nodes, ascending
    upper: Sequence[int] = ()  # upper ends of the edges


class Cover(NamedTuple):
    """The chosen ends, the nodes of the chosen paths by side, and whether all aims were proved.

    If they were not, ``f_range`` is the least and largest F that the best graphs may have.
    """

    ends: int
    nodes: tuple[int, int]
    optimal: bool = False
    f_range: tuple[Fraction, Fraction] | None = None


def solve_cover(
    links: Sequence[Link],
    unlinked: tuple[int, int] = (0, 0),
    limit: float | None = None,
    start: Cover | None = None,
) -> Cover:
    """Choose ends, paths and with them two sets of nodes, exactly or as well as the budget allows.

    Every label with own links takes one path along one of them to a chosen end; every chosen end
    at which no label of a side ends gets one path of that side. Aims, one after the other: fewest
    chosen ends; fewest ends of own links in both node sets together; largest
    F = 2 both / (n_0 + n_1); least ``|n_0 - n_1|``; largest both / n_1; fewest nodes.

    With ``optimal=False`` it returns the best graphs so far: each aim was pursued for half of what
    was left, and where it was not proved, the next ones went on from the best that was found.

    F is a ratio: with the best known value 2 C / S, ``2 both S - 2 C size`` is maximised until
    it can no longer be positive (Dinkelbach 1967); all numbers are whole.

    Parameters
    ----------
    links, unlinked
        What to choose from, and the number of nodes beside it that each side has in any case.
    limit
        Seconds instead of the budget of ``MOST_EFFORT``.
    start
        Graphs that meet the requirements, which come back where nothing else was found; without
        them SolverLimit is raised.
    """
    run = Run(links, unlinked, None if limit is None else 0.8 * limit, start)
    with suppress(_OutOfReach):
        run.all_aims()
    if run.best is None:
        raise SolverLimit("no extension was found within the time limit; raise the limit")
    if run.best.optimal:
        return run.best
    seconds = None if limit is None else max(0.001, 0.1 * limit)
    return run.best._replace(f_range=run.f_range(run.best, seconds))


class CoverModel:
    """The variables and constraints; aims are added one after the other."""

    def __init__(self, links: Sequence[Link], unlinked: tuple[int, int]) -> None:
        from ortools.sat.python import cp_model

        self.cp = cp_model
        self.model = model = cp_model.CpModel()
        self.chosen = {a: model.new_bool_var("") for a in sorted({x.nodes[-1] for x in links})}
        active: list[list[Any]] = [[] for _ in links]
        by_label: dict[int, list[Any]] = defaultdict(list)
        by_end: dict[tuple[int, int], list[list[Any]]] = defaultdict(list)
        ends: dict[int, list[int]] = defaultdict(list)
        for x, terms in zip(links, active, strict=True):
            by_end[x.side, x.nodes[-1]].append(terms)
            if x.own:
                terms.append(model.new_bool_var(""))
                model.add_implication(terms[0], self.chosen[x.nodes[-1]])
                by_label[x.label] += terms
                ends[x.label].append(x.nodes[-1])
        self.requirements = [*ends.values()]
        for several in by_label.values():
            model.add_exactly_one(several)
        for (_, a), here in by_end.items():
            ended = [use for terms in here for use in terms]
            extra = [model.new_bool_var("") for _ in here]
            for terms, v in zip(here, extra, strict=True):
                terms.append(v)
                model.add_implication(v, self.chosen[a])
                for use in ended:
                    model.add_implication(use, v.negated())
            model.add_at_most_one(extra)
            model.add_bool_or([*ended, *extra, self.chosen[a].negated()])
        taken: tuple[dict[int, list[Any]], ...] = (defaultdict(list), defaultdict(list))
        for x, terms in zip(links, active, strict=True):
            for node, passes in zip(x.nodes, self._passes(x, sum(terms)), strict=True):
                taken[x.side][node].append(passes)
        self.inside = [{c: self._any(terms) for c, terms in side.items()} for side in taken]
        self.both: Any = 0
        for node in sorted(self.inside[0].keys() & self.inside[1].keys()):
            v, t, p = model.new_bool_var(""), self.inside[0][node], self.inside[1][node]
            for one in (t, p):
                model.add(v <= one)
            model.add(v >= t + p - 1)
            self.both += v
        self.sizes = [sum(self.inside[s].values()) + unlinked[s] for s in (0, 1)]
        self.size: Any = self.sizes[0] + self.sizes[1]
        self.n_ends: Any = sum(self.chosen.values())
        self.most = sum(map(len, self.inside)) + sum(unlinked)

    def _passes(self, link: Link, active: Any) -> list[Any]:
        """Send one unit from the label to the end if the link is active; return what passes."""
        if len(link.lower) < len(link.nodes):  # a single path
            return [active for _ in link.nodes]
        edges = [self.model.new_bool_var("") for _ in link.lower]
        out: list[list[Any]] = [[] for _ in link.nodes]
        into: list[list[Any]] = [[] for _ in link.nodes]
        for edge, lower, upper in zip(edges, link.lower, link.upper, strict=True):
            out[lower].append(edge)
            into[upper].append(edge)
        for place in range(1, len(link.nodes) - 1):
            self.model.add(sum(into[place]) == sum(out[place]))
        self.model.add(sum(out[0]) == active)
        return [active, *map(sum, into[1:])]

    def _any(self, terms: Sequence[Any]) -> Any:
        """Return whether any of these numbers, which are 0 or 1, is 1."""
        v = self.model.new_bool_var("")
        for term in terms:
            self.model.add(v >= term)
        self.model.add(v <= sum(terms))
        return v

    def hint(self, ends: int) -> None:
        """Say which ends graphs that are known have."""
        for a, v in self.chosen.items():
            self.model.add_hint(v, bool(a & ends))

    def surplus(self, both: int, size: int) -> Any:
        """By how much F is above that of graphs with these numbers: 2 S both - 2 C size."""
        return 2 * size * self.both - 2 * both * self.size

    def lean(self) -> Any:
        """How much larger one node set is than the other, where it is minimised."""
        lean = self.model.new_int_var(0, self.most, "")
        for one, other in (self.sizes, self.sizes[::-1]):
            self.model.add(lean >= one - other)
        return lean

    def present(self) -> Any:
        """Number of ends that are in at least one node set."""
        return sum(self._any([x[a] for x in self.inside if a in x]) for a in self.chosen)


class _OutOfReach(Exception):
    """Nothing was found for an aim within the time or the effort."""


class Run:
    """Aim after aim on one model, with what was best so far, and what is known of the aims.

    ``ends`` and ``present`` are the least and largest numbers of chosen ends, and of ends in the
    graphs, that the smallest graphs may have; ``f`` is (C, S, bound): graphs with 2 C / S were
    found, and ``2 S both - 2 C size`` is at most the bound, among those with the largest of both.
    """

    def __init__(
        self,
        links: Sequence[Link],
        unlinked: tuple[int, int],
        limit: float | None = None,
        start: Cover | None = None,
    ) -> None:
        self.links, self.unlinked, self.of = links, unlinked, CoverModel(links, unlinked)
        self.solver = self.of.cp.CpSolver()  # the last one that found something
        self.effort = MOST_EFFORT
        self.stop = None if limit is None else time.monotonic() + limit
        self.best = start
        self.ends = 1, start.ends.bit_count() if start else len(self.of.chosen)
        self.present: tuple[int, int] | None = None
        self.f: tuple[int, int, int] | None = None

    @property
    def proved_before_f(self) -> bool:
        """Whether the aims before F are proved, so that graphs found have no larger F."""
        aims = self.ends, self.present or (0, 1)
        return all(bound == value for bound, value in aims)

    def all_aims(self) -> None:
        """Pursue one aim after the other; where one is not proved, go on from the best found."""
        m = self.of
        self.ends = self.fewest_ends()
        m.model.add(m.n_ends == self.ends[1])
        self.present = self.minimised(m.present())
        surplus = 1
        while surplus > 0:
            both, size = (int(self.solver.value(x)) for x in (m.both, m.size))
            before = self.best
            bound, surplus = self.pursue(m.surplus(both, size), largest=True)
            self.f = both, size, bound
            if surplus < 0:  # less than what it started from
                self.best = before
                raise _OutOfReach
        m.model.add(size * m.both == both * m.size)
        # With F and the difference given, precision is largest for the smaller predicted side.
        leans, sides = self.minimised(m.lean()), (0, 0)
        if leans[1]:
            sides = self.minimised(m.sizes[1] - m.sizes[0])
        sizes = self.pursue(m.size, largest=leans[1] > 0 and sides[1] > 0)
        aims = (bound, surplus), leans, sides, sizes
        if self.best is not None and self.proved_before_f:
            self.best = self.best._replace(optimal=all(low == high for low, high in aims))

    def fewest_ends(self) -> tuple[int, int]:
        """Return the bound and the number of ends that meet all requirements.

        They do not depend on the paths, so that a small model does.
        """
        m, small = self.of, self.of.cp.CpModel()
        chosen = {a: small.new_bool_var("") for a in m.chosen}
        for requirement in m.requirements:
            small.add_bool_or([chosen[a] for a in requirement])
        small.minimize(sum(chosen.values()))
        bound, fewest = self.solved(small)
        found = self.taken(chosen)
        if self.best is not None and self.best.ends.bit_count() < fewest:
            fewest, found = self.best.ends.bit_count(), self.best.ends
        m.hint(found)
        return bound, fewest

    def pursue(self, aim: Any, *, largest: bool = False) -> tuple[int, int]:
        """Return the bound of an aim and the best value found; its graphs become the best."""
        m = self.of
        (m.model.maximize if largest else m.model.minimize)(aim)
        found = self.solved(m.model)
        self.best = Cover(self.taken(m.chosen), (self.taken(m.inside[0]), self.taken(m.inside[1])))
        self.go_on(m.model)
        return found

    def taken(self, some: dict[int, Any]) -> int:
        """Return the nodes whose variables are 1 in the last solution, as a mask."""
        return sum(node for node, v in some.items() if self.solver.value(v))

    def minimised(self, aim: Any) -> tuple[int, int]:
        """Return the same of an aim that is minimised, which keeps its value from here on."""
        bound, least = self.pursue(aim)
        self.of.model.add(aim == least)
        return bound, least

    def solved(self, model: Any) -> tuple[int, int]:
        """Return the bound of the aim and the best value found, which are equal if it is proved.

        It is pursued for a while as it is, then with all linear relaxations.
        """
        cp, found = self.of.cp, False
        unit, share = "effort", self.effort / 2
        quick = min(QUICK_EFFORT, share)
        if self.stop is not None:
            left = self.stop - time.monotonic()
            if left <= 0 and self.best is not None:
                raise _OutOfReach
            unit, share = "seconds", max(left / 2, 0.001)
            quick = share / 10
        for level, budget in ((1, quick), (2, share - quick)):
            solver, status = searched(model, level=level, **{unit: budget})
            self.effort = max(0.0, self.effort - solver.response_proto.deterministic_time)
            if status in (cp.OPTIMAL, cp.FEASIBLE):  # else what was found before stays
                self.solver, found = solver, True
            if status == cp.OPTIMAL:
                break
            if status == cp.FEASIBLE:
                self.go_on(model)
        if not found:
            raise _OutOfReach
        return whole_bound(self.solver), round(self.solver.objective_value)

    def go_on(self, model: Any) -> None:
        """Give the next call the last solution to start from."""
        values = self.solver.response_proto.solution
        model.clear_hints()
        model.proto.solution_hint.vars.extend(range(len(values)))
        model.proto.solution_hint.values.extend(values)

    def f_range(self, best: Cover, seconds: float | None) -> tuple[Fraction, Fraction]:
        """Return the least and largest F that the smallest graphs may have.

        For each of two bounds there are so many ``seconds``, or ``BOUND_EFFORT``.
        """
        nodes, starts = [0, 0], [0, 0]
        for x in self.links:
            nodes[x.side] |= x.mask
            starts[x.side] |= x.own * x.nodes[0]
        # Classes that both may have; that one has in any case, and the other cannot have.
        shared, beside = (nodes[0] & nodes[1]).bit_count(), sum(self.unlinked)
        alone = (starts[0] & ~nodes[1] | starts[1] & ~nodes[0]).bit_count() + beside
        least, most = (sum(map(int.bit_count, some)) + beside for some in (starts, nodes))
        t, p = best.nodes
        both, size = (t & p).bit_count(), t.bit_count() + p.bit_count() + beside
        low, high = Fraction(2 * self.ends[0], most), Fraction(2 * shared, 2 * shared + alone)
        if self.proved_before_f:
            low = Fraction(2 * both, size)
        for largest in (True,) if self.proved_before_f else (True, False):
            if self.proved_before_f and self.f is not None:
                both, size, surplus = self.f
            else:
                m, aims = CoverModel(self.links, self.unlinked), [self.ends]
                counts = [m.n_ends, m.present()]
                if self.present is not None and self.ends[0] == self.ends[1]:
                    aims.append(self.present)
                for count, (fewest, most_found) in zip(counts, aims, strict=False):
                    m.model.add(count >= fewest)
                    m.model.add(count <= most_found)
                m.hint(best.ends)
                (m.model.maximize if largest else m.model.minimize)(m.surplus(both, size))
                effort = BOUND_EFFORT if seconds is None else None
                solver, status = searched(m.model, seconds=seconds, effort=effort, level=2)
                if status not in (m.cp.OPTIMAL, m.cp.FEASIBLE):
                    continue
                surplus = whole_bound(solver)
            among = least if (surplus > 0) == largest else most
            reach = Fraction(2 * both, size) + Fraction(surplus, size * among)
            low, high = (low, min(high, reach)) if largest else (max(low, reach), high)
        return low, high


def whole_bound(solver: Any) -> int:
    """Return the bound of an aim whose values are whole numbers, rounded to the safe side."""
    reached: float = solver.objective_value
    bound: float = solver.best_objective_bound
    return math.ceil(bound - 1e-6) if bound <= reached else math.floor(bound + 1e-6)
