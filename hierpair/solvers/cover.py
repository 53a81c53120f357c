"""The smallest pair of graphs that meets a set of requirements, by constraint programming.

Label-free: nodes are numbers, sides are 0 and 1. CP-SAT proves one aim after the other; where it
does not come to an end, it is told between which values F of the smallest graphs lies.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

MOST_EFFORT = 54.0
"""What CP-SAT may spend on an instance without a limit, in its own deterministic units: about a
minute, and the same on every machine; each aim may spend half of what is left."""

QUICK = 0.1
"""The share of what an aim may spend before CP-SAT starts anew with linear relaxations of
everything (its level 2), which cost time where an instance is easy, and prove hard ones with
thousands of paths much faster."""


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
    links: Sequence[Link], unlinked: tuple[int, int], start: Cover, limit: float | None = None
) -> Cover:
    """Choose ends, paths and with them two sets of nodes, exactly or as well as the budget allows.

    Every label with own links takes one path along one of them to a chosen end; every chosen end
    at which no label of a side ends gets one path of that side. Aims, one after the other: fewest
    chosen ends; fewest ends of own links in both node sets together; largest
    F = 2 both / (n_0 + n_1); least ``|n_0 - n_1|``; largest both / n_1; fewest nodes. Sides have
    ``unlinked`` nodes beside. Where an aim was not proved in half of what was left of the budget
    (``limit`` seconds, else ``MOST_EFFORT``), the next ones go on from the best found, at first
    ``start``, and ``optimal`` is False.

    F is a ratio: with the best known value 2 C / S, ``2 both S - 2 C size`` is maximised until
    it can no longer be positive (Dinkelbach 1967); all numbers are whole.
    """
    run = CoverSearch(links, unlinked, start, limit)
    with suppress(_OutOfReach):
        run.all_aims()
    return run.best if run.best.optimal else run.best._replace(f_range=run.f_range())


class _OutOfReach(Exception):
    """Nothing was found for an aim within the time or the effort."""


class CoverSearch:
    """Variables, constraints and aims: the best graphs so far, and what aims have proved."""

    def __init__(
        self,
        links: Sequence[Link],
        unlinked: tuple[int, int],
        start: Cover,
        limit: float | None = None,
    ) -> None:
        from ortools.sat.python import cp_model

        self.links, self.unlinked, self.cp, self.best = links, unlinked, cp_model, start
        self.in_seconds, self.left = limit is not None, MOST_EFFORT if limit is None else limit
        self.aims: list[tuple[Fraction | int, Fraction | int]] = []
        """Of each aim that was pursued the bound and the best value found, equal if it is proved:
        of the chosen ends, of the ends in the graphs, of what F may rise by, and so on."""
        self.model = model = cp_model.CpModel()
        self.chosen = {a: model.new_bool_var("") for a in sorted({x.nodes[-1] for x in links})}
        active: list[list[Any]] = [[] for _ in links]
        by_label: dict[int, list[Any]] = defaultdict(list)
        by_end: dict[tuple[int, int], list[list[Any]]] = defaultdict(list)
        for x, terms in zip(links, active, strict=True):
            by_end[x.side, x.nodes[-1]].append(terms)
            if x.own:
                terms.append(model.new_bool_var(""))
                model.add_implication(terms[0], self.chosen[x.nodes[-1]])
                by_label[x.label] += terms
        for several in by_label.values():
            model.add_exactly_one(several)
        for (_, a), here in by_end.items():
            ended = [use for terms in here for use in terms]
            extra = [model.new_bool_var("") for _ in here]
            for terms, v in zip(here, extra, strict=True):
                terms.append(v)
            met = [self._any(ended)] if ended else []
            model.add_exactly_one([*met, *extra, self.chosen[a].negated()])
        taken: tuple[dict[int, list[Any]], ...] = (defaultdict(list), defaultdict(list))
        for x, terms in zip(links, active, strict=True):
            for node, passes in zip(x.nodes, self._passes(x, sum(terms)), strict=True):
                taken[x.side][node].append(passes)
        self.inside = [{c: self._any(terms) for c, terms in side.items()} for side in taken]
        self.both: Any = 0
        for node in sorted(self.inside[0].keys() & self.inside[1].keys()):
            v = model.new_bool_var("")
            model.add_min_equality(v, [side[node] for side in self.inside])
            self.both += v
        self.sizes = [sum(self.inside[s].values()) + unlinked[s] for s in (0, 1)]
        self.size: Any = self.sizes[0] + self.sizes[1]
        self.n_ends: Any = sum(self.chosen.values())
        ends = ([x[a] for x in self.inside if a in x] for a in self.chosen)
        self.present: Any = sum(map(self._any, ends))  # ends in at least one node set

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
        self.model.add_max_equality(v, terms)
        return v

    @property
    def proved_before_f(self) -> bool:
        """Whether the aims before F are proved, so that graphs found have no larger F."""
        return len(self.aims) > 1 and all(bound == value for bound, value in self.aims[:2])

    def all_aims(self) -> None:
        """Pursue one aim after the other; where one is not proved, go on from the best found."""
        self.model.add(self.n_ends <= self.best.ends.bit_count())
        for a, v in self.chosen.items():
            self.model.add_hint(v, bool(a & self.best.ends))
        self.held(self.n_ends)
        self.held(self.present)
        surplus = 1
        while surplus > 0:
            both, size = (int(self.solver.value(x)) for x in (self.both, self.size))
            before = self.best
            bound, surplus = self.reached(2 * size * self.both - 2 * both * self.size, largest=True)
            if surplus < 0:  # less than what it started from
                self.best = before
                raise _OutOfReach
        self.aims.append((Fraction(bound, size), Fraction(surplus, size)))
        self.model.add(size * self.both == both * self.size)
        # With F and the difference given, precision is largest for the smaller predicted side.
        most = sum(map(len, self.inside)) + sum(self.unlinked)
        lean = self.model.new_int_var(0, most, "")
        for one, other in (self.sizes, self.sizes[::-1]):
            self.model.add(lean >= one - other)
        least = self.held(lean)
        larger = least > 0 and self.held(self.sizes[1] - self.sizes[0]) > 0
        self.aims.append(self.reached(self.size, largest=larger))
        proved = all(bound == value for bound, value in self.aims)
        self.best = self.best._replace(optimal=proved)

    def held(self, aim: Any) -> int:
        """Minimise an aim, which keeps its value from here on."""
        bound, value = self.reached(aim)
        self.aims.append((bound, value))
        self.model.add(aim == value)
        return value

    def reached(self, aim: Any, *, largest: bool = False) -> tuple[int, int]:
        """Return an aim's bound and best value, at first without, then with linear relaxations."""
        model: Any = self.model
        (model.maximize if largest else model.minimize)(aim)
        share, found = self.left / 2, None
        for level, budget in ((1, QUICK * share), (2, share - QUICK * share)):
            solver = self.cp.CpSolver()  # the same on every machine
            how = solver.parameters
            how.num_workers, how.random_seed, how.linearization_level = 1, 0, level
            if self.in_seconds:
                how.max_time_in_seconds = budget
            else:
                how.max_deterministic_time = budget
            status = solver.solve(model)
            spent = solver.response_proto.deterministic_time
            self.left -= solver.wall_time if self.in_seconds else spent
            if status in (self.cp.OPTIMAL, self.cp.FEASIBLE):  # else what was found before stays
                self.solver = found = solver
                values = solver.response_proto.solution  # the next call starts from it
                model.clear_hints()
                model.proto.solution_hint.vars.extend(range(len(values)))
                model.proto.solution_hint.values.extend(values)
            if status == self.cp.OPTIMAL:
                break
        if found is None:
            raise _OutOfReach
        ends, *nodes = (
            sum(node for node, v in some.items() if found.value(v))
            for some in (self.chosen, *self.inside)
        )
        self.best = Cover(ends, (nodes[0], nodes[1]))
        return whole_bound(found), round(found.objective_value)

    def f_range(self) -> tuple[Fraction, Fraction]:
        """Return the least and largest F that the smallest graphs may have."""
        nodes, starts = [0, 0], [0, 0]
        for x in self.links:
            nodes[x.side] |= x.mask
            starts[x.side] |= x.own * x.nodes[0]
        # Classes that both may have; that one has in any case, and the other cannot have.
        shared, beside = (nodes[0] & nodes[1]).bit_count(), sum(self.unlinked)
        alone = (starts[0] & ~nodes[1] | starts[1] & ~nodes[0]).bit_count() + beside
        least, most = (sum(map(int.bit_count, some)) + beside for some in (starts, nodes))
        high = Fraction(2 * shared, 2 * shared + alone)
        if not self.proved_before_f:
            aims = self.aims or [(1, 0)]
            return Fraction(2 * aims[0][0], most), high
        t, p = self.best.nodes
        low = Fraction(2 * (t & p).bit_count(), t.bit_count() + p.bit_count() + beside)
        if len(self.aims) > 2:
            high = min(high, low + self.aims[2][0] / Fraction(least))
        return low, high


def whole_bound(solver: Any) -> int:
    """Return the bound of an aim whose values are whole numbers, rounded to the safe side."""
    reached: float = solver.objective_value
    bound: float = solver.best_objective_bound
    return math.ceil(bound - 1e-6) if bound <= reached else math.floor(bound + 1e-6)
