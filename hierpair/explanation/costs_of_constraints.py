"""What every constraint of a pairing rule costs, summed over all instances of a data set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import BadInput, HierpairError, SolverLimit
from hierpair.evaluation.checked import chosen_measures
from hierpair.explanation.instances import batch_of, matched_sides
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import Measure, PairRecipe
from hierpair.measures.evidence.base import cost_text
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import (
    Bottleneck,
    Pairs,
    Rule,
    WhatIf,
    formulate,
    solve_pairing,
)
from hierpair.pairing.constraints.counts import constraint_text
from hierpair.pairing.what_if import saved_by
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records

__all__ = ["ConstraintCost", "ConstraintCosts", "constraint_costs"]

MOST_DISTANCES = 2_000_000
"""Pairs of labels and groups of all instances that are told of at a time, at most."""


@dataclass(frozen=True)
class ConstraintCost:
    """What one constraint costs over a data set.

    Attributes
    ----------
    measure, number, constraint
        The measure, and the constraint of its rule by number and as it is written.
    n_binding
        Instances whose best pairing costs another sum without it.
    cost
        What the best pairings cost more with the constraint than without it, summed over the
        instances that have a pairing with and without. Negative for ``Unmatched``, a permission.
    largest
        The largest such difference of an instance (the lowest where the sum is negative).
    one_unit
        What one unit more of its bounds would save: in every instance the unit that saves most,
        summed over instances. Nan for a constraint without bounds, such as ``Forbid``.
    largest_unit
        The most that it would save in an instance.
    n_blocked
        Instances that have a pairing only without it.
    n_needed
        Instances that have a pairing only with it.
    """

    measure: str
    number: int
    constraint: str
    n_binding: int
    cost: float
    largest: float
    one_unit: float
    largest_unit: float
    n_blocked: int
    n_needed: int


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintCosts(Tabular):
    """Which constraint costs how much, by measure.

    Attributes
    ----------
    system
        Whose instances.
    rows
        One per measure and constraint.
    totals
        By measure, what the best pairings cost under all constraints together.
    n_instances, n_infeasible
        Instances, and by measure how many of them have no pairing.
    notes
        What has to be known beside the numbers.
    """

    system: str
    rows: tuple[ConstraintCost, ...]
    totals: dict[str, float]
    n_instances: int
    n_infeasible: dict[str, int]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ConstraintCosts({len(self.rows)} constraints, {self.n_instances} instances)"

    def content(self, digits: int | None = None) -> Content:
        """Return what any form shows."""
        return Content(self._records, lambda form: self._page(4 if digits is None else digits))

    def _records(self) -> Records:
        header = ["system", *(f.name for f in fields(ConstraintCost))]
        return Records(header, [[self.system, *astuple(row)] for row in self.rows])

    def _page(self, digits: int) -> Page:
        blocks = []
        for name, total in self.totals.items():
            own = [row for row in self.rows if row.measure == name]
            cells = [
                [
                    f"{row.number}  {row.constraint}",
                    str(row.n_binding),
                    *(cost_text(x, digits) for x in (row.cost, row.largest)),
                    *(cost_text(x, digits) for x in (row.one_unit, row.largest_unit)),
                    _feasibility(row),
                ]
                for row in own
            ]
            without = self.n_infeasible[name]
            title = f"{name} of {self.system}: {self.n_instances} instances cost "
            title += f"{cost_text(total, digits)} in all"
            title += f", without a pairing: {without}" if without else ""
            header = ["constraint", "binds", "costs", "at most", "one unit", "at most", ""]
            blocks.append(Block(header, cells, title=title, align="lrrrrrl"))
        return Page(blocks, notes=[*MEANING, *self.notes])


MEANING = (
    "binds: instances that cost another sum without the constraint; costs: how much more they cost "
    "with it, in all and in one instance at most",
    "one unit: what one unit more of its bounds would save, in every instance the best one",
)


def _feasibility(row: ConstraintCost) -> str:
    said = [f"{row.n_blocked} paired only without it"] if row.n_blocked else []
    said += [f"{row.n_needed} paired only with it"] if row.n_needed else []
    return ", ".join(said)


def constraint_costs(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[str | Measure] | str | Measure = "gie",
    *,
    system: str = "system",
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    **conventions: Any,
) -> ConstraintCosts:
    """Return which constraint of pair-based measures costs how much, over all instances.

    Every problem is solved again without each of its constraints; beside that stands what one more
    unit of its bounds would save, which is told by the optimum itself
    (:class:`hierpair.pairing.WhatIf`).

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes and the labels, as :func:`hierpair.score` takes them (one system).
    measures
        Pair-based measures or their names.
    system
        What the system is called.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.
    conventions
        Options for all measures that have them.

    Returns
    -------
    ConstraintCosts
        A row per measure and constraint.

    Raises
    ------
    BadInput
        For labels that do not fit, and measures that are not defined by a rule of pairs.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    >>> found = constraint_costs(tree, [["b", "c"], ["d"]], [["c"], ["b"]], "gie")
    >>> for row in found.rows:
    ...     print(row.number, row.constraint, row.n_binding, row.cost, row.one_unit)
    1 Degree('predicted', lower=1, upper=1) 1 3.0 3.0
    2 Unmatched('predicted', cost=5) 0 0.0 nan
    3 Degree('true', lower=1, upper=1) 1 5.0 5.0
    4 Unmatched('true', cost=5) 0 0.0 nan
    """
    chosen = chosen_measures(measures, conventions)
    truth, prediction = matched_sides(
        hierarchy, y_true, y_pred, named_pairs_of(chosen), unknown, missing, system
    )
    rows: list[ConstraintCost] = []
    totals, infeasible = {}, {}
    notes: list[str] = []
    for m in chosen:
        if not isinstance(m.recipe, PairRecipe):
            raise BadInput(f"{m.name} has no rule of pairs, so it has no constraints")
        if isinstance(m.recipe.rule.cost, Bottleneck):
            raise BadInput(
                f"{m.name} minimises its largest cost first: without a constraint the sum may "
                "fall or rise, so that it says nothing of what the constraint costs"
            )
        found: list[_Solved] = []
        for lo, hi in _ranges(truth, prediction):
            batch = batch_of(hierarchy, truth, prediction, m, lo, hi)
            try:
                found.append(_solved(m.recipe.rule, batch.pairs(m.recipe.threshold)))
            except HierpairError as error:
                raise type(error)(f"{error.reason} (measure {m.name})", error.instance) from error
        cost = np.concatenate([one.cost for one in found])
        totals[m.name] = math.fsum(cost[~np.isnan(cost)])
        infeasible[m.name] = int(np.isnan(cost).sum())
        more, saved = (np.concatenate([x[k] for x in found], axis=1) for k in (1, 2))
        texts = map(constraint_text, m.recipe.rule.constraints)
        rows += [
            _row(m.name, number, text, *of_one)
            for number, (text, *of_one) in enumerate(zip(texts, more, saved, strict=True), start=1)
        ]
        said = dict.fromkeys(note for one in found for note in one.notes)
        if n := sum(one.n_untold for one in found):
            said[f"{n} instances are too large to tell what a unit saves"] = None
        notes += [f"{m.name}: {note}" for note in said]
    return ConstraintCosts(system, tuple(rows), totals, len(truth), infeasible, tuple(notes))


def _ranges(truth: LabelSets, prediction: LabelSets) -> Iterator[tuple[int, int]]:
    """Yield the instances, few enough at a time for distances between all of their labels."""
    size = np.cumsum((truth.lengths + prediction.lengths + 2) ** 2) // MOST_DISTANCES
    return pairwise([0, *(np.flatnonzero(np.diff(size)) + 1).tolist(), len(truth)])


class _Solved(NamedTuple):
    """Some instances, solved with all constraints and without each of them.

    ``more`` is what each constraint costs in every instance (inf: there is a pairing only without
    it, -inf: only with it, nan: the rule does not stand without it), ``saved`` what one unit of its
    bounds would save, which of ``n_untold`` instances is not told.
    """

    cost: Floats
    more: Floats
    saved: Floats
    n_untold: int
    notes: list[str]


def _solved(rule: Rule, pairs: Pairs) -> _Solved:
    problem = formulate(rule, pairs)
    best = solve_pairing(problem, on_infeasible="nan")
    more = np.full((len(rule.constraints), len(best.cost)), np.nan)
    saved, notes = more.copy(), []
    for i, _ in enumerate(rule.constraints):
        rest = replace(rule, constraints=rule.constraints[:i] + rule.constraints[i + 1 :])
        try:
            other = solve_pairing(formulate(rest, pairs), on_infeasible="nan")
        except BadInput as error:
            notes.append(f"its rule does not stand without constraint {i + 1}: {error.reason}")
            continue
        with_it, without = (np.where(np.isnan(x.cost), np.inf, x.cost) for x in (best, other))
        with np.errstate(invalid="ignore"):  # of an instance without a pairing either way
            dearer = with_it - without
            more[i] = np.where(np.abs(dearer) > best.gap + other.gap, dearer, 0.0)
    n_untold = 0
    try:
        if problem.moved is None:
            saved = saved_by(rule, problem, WhatIf(problem, best).savings)
        else:
            notes.append("of masses and capacities it is not told what a unit saves")
    except SolverLimit:
        n_untold = len(best.cost)
    return _Solved(best.cost, more, saved, n_untold, notes)


def _row(measure: str, number: int, text: str, more: Floats, saved: Floats) -> ConstraintCost:
    """Return what was found of a constraint in all instances."""
    known, bounded = not np.isnan(more).any(), not np.isnan(saved).all()
    binds, unit = more[np.isfinite(more) & (more != 0)], saved[saved > 0]
    return ConstraintCost(
        measure,
        number,
        text,
        len(binds),
        math.fsum(binds) if known else math.nan,
        max(binds.tolist(), key=abs, default=0.0) if known else math.nan,
        math.fsum(unit) if bounded else math.nan,
        max(unit.tolist(), default=0.0) if bounded else math.nan,
        int(np.isposinf(more).sum()),
        int(np.isneginf(more).sum()),
    )
