"""Between which values F of the smallest graphs lies where they were not proved."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from hierpair.solvers.cover_model import CoverModel
from hierpair.solvers.cover_problem import Cover, CoverProblem

__all__ = ["Known", "f_range", "whole_bound"]

BOUND_EFFORT = 3.0
"""What CP-SAT may spend on a bound of F, in its deterministic units."""


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
    both, size = numbers
    aim = 2 * size * m.both - 2 * both * (m.size[0] + m.size[1])
    (m.model.maximize if largest else m.model.minimize)(aim)
    solver = m.cp.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.linearization_level = 2
    if seconds is None:
        solver.parameters.max_deterministic_time = BOUND_EFFORT
    else:
        solver.parameters.max_time_in_seconds = max(0.001, seconds)
    found = solver.solve(m.model) in (m.cp.OPTIMAL, m.cp.FEASIBLE)
    return whole_bound(solver) if found else None
