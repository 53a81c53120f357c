"""Pairings of whole data sets: all instances at once, and what every constraint of a rule costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted, shown
from hierpair.evaluation.batches import ranges_of
from hierpair.evaluation.checked import chosen_measures
from hierpair.explanation.instances import matched_sides
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import Unknown
from hierpair.labels.naming import Missing
from hierpair.measures import Measure, PairRecipe
from hierpair.measures.evidence.flows import FlowEvidence, FlowRow, cost_text, pair_evidence
from hierpair.pairing import Bottleneck, Pairs, Rule, formulate, solve_pairing
from hierpair.pairing.counts import constraint_text
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Content, Page, Records
from hierpair.tables.result import rounded


@dataclass(frozen=True, eq=False)
class PairedDataSet(Tabular, FlowEvidence):
    """An optimal pairing of all instances together: the flow with its proof.

    Which of several optima it is, is left open: only the total is determined by the rule, not what
    a single instance costs. ``pairs`` are those that are chosen, and of the labels those are
    listed that lack partners; the classes of both come after their instance.

    Attributes
    ----------
    n_instances
        How many instances there are.
    """

    n_instances: int = 0

    @property
    def quotas(self) -> tuple[FlowRow, ...]:
        """The sets that span instances."""
        return self.side("quota")

    def content(self, digits: int | None = None) -> Content:
        """Return the sums and quotas for readers, the chosen pairs for programs."""
        header = ["instance", "predicted", "true", "cost"]
        records = Records(header, [[*row.of, row.cost] for row in self.arcs])
        n = 4 if digits is None else digits
        return Content(lambda: records, lambda form: self._page(n), lambda: asdict(self))

    def _page(self, digits: int) -> Page:
        blocks = [self.table(self.quotas, digits)] if self.quotas else []
        many = f"{counted(self.n_instances, 'instance')}, {counted(len(self.arcs), 'pair')}"
        return Page(blocks, [many, *self.proof_text(digits).split("\n")])


@takes_hierarchy
def pair_data_set(
    rule: Rule,
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    *,
    threshold: int | None = None,
    unknown: Unknown = "error",
    missing: Missing = "error",
) -> PairedDataSet:
    """Pair all instances at once, under a rule that may have quotas over them.

    Σ_pairs cost + Σ_labels lacking · default + Σ_sets f(pairs in the set) is minimised over all
    instances together, by one flow network that quotas join.

    Parameters
    ----------
    rule
        Costs and constraints; a :class:`Quota` bounds pairs over all instances.
    hierarchy, y_true, y_pred
        The classes and the labels, as :func:`hierpair.score` takes them (one system).
    threshold
        Path threshold, or None.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.

    Returns
    -------
    PairedDataSet

    Raises
    ------
    BadInput
        For labels, costs or constraints that are none, and for quotas that no flow can carry.
    Infeasible
        If there is no pairing; names bounds that cannot hold together.
    SolverLimit
        If the costs are too large for so many instances: they have to stay below 2**62 divided by
        the number of nodes.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> from hierpair.pairing import Quota, Degree, Hops, Rule, Unmatched
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("b", "c")])
    >>> sides = [c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, 3))]
    >>> rule = Rule(Hops(), (*sides, Quota("predicted", upper={"a": 1})))
    >>> found = pair_data_set(rule, tree, [["a"], ["b"]], [["a"], ["a"]])
    >>> found.cost, [(pair.of, pair.cost) for pair in found.pairs]
    (6.0, [((0, 'a', 'a'), 0.0)])
    >>> [(quota.says, quota.units, quota.price) for quota in found.quotas]
    [("the predicted class 'a' in all instances", 1, 4.0)]
    """
    if not isinstance(rule, Rule):
        raise BadInput(f"pair_data_set takes a Rule, got {shown(rule)}")
    truth, prediction = matched_sides([rule], hierarchy, y_true, y_pred, unknown, missing, "y_pred")
    problem = formulate(rule, Pairs.between(hierarchy, truth, prediction, threshold))
    found = pair_evidence(problem, solve_pairing(problem), truth.ids or range(len(truth)))
    return PairedDataSet(**vars(found), n_instances=len(truth))


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
    n_blocked: int
    n_needed: int


@dataclass(frozen=True, eq=False)
class ConstraintCosts(Tabular):
    """Which constraint costs how much, by measure.

    Attributes
    ----------
    system
        Whose instances.
    rows
        One per measure and constraint.
    notes
        What the best pairings cost in all, how many instances have none, and what is not told.
    """

    system: str
    rows: tuple[ConstraintCost, ...]
    notes: tuple[str, ...]

    def content(self, digits: int | None = None) -> Content:
        """Return what any form shows."""
        header = ["system", *(f.name for f in fields(ConstraintCost))]
        records = Records(header, [[self.system, *astuple(row)] for row in self.rows])
        page = Page([rounded(*records.headed(HEADS), digits)], [MEANING, *self.notes])
        return Content(lambda: records, lambda form: page)


HEADS = {
    "measure": "measure", "number": "", "constraint": "constraint", "n_binding": "binds",
    "cost": "costs", "largest": "at most", "n_blocked": "only without", "n_needed": "only with",
}  # fmt: skip

MEANING = (
    "binds: instances whose cost changes without the constraint; costs: how much more they cost "
    "with it, in all and in one instance at most; only: instances that can be paired only so"
)


@takes_hierarchy
def constraint_costs(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[str | Measure] | str | Measure = "gie",
    *,
    system: str = "system",
    unknown: Unknown = "error",
    missing: Missing = "error",
    **conventions: Any,
) -> ConstraintCosts:
    """Return which constraint of pair-based measures costs how much, over all instances.

    Every problem is solved again without each of its constraints.

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
    >>> parents = {"a": "r", "b": "a", "c": "a", "d": "r"}
    >>> found = constraint_costs(parents, [["b", "c"], ["d"]], [["c"], ["b"]], "gie")
    >>> for row in found.rows:
    ...     print(row.number, row.constraint, row.n_binding, row.cost)
    1 Degree('predicted', lower=1, upper=1) 1 3.0
    2 Unmatched('predicted', cost=5) 0 0.0
    3 Degree('true', lower=1, upper=1) 1 5.0
    4 Unmatched('true', cost=5) 0 0.0
    """
    chosen = chosen_measures(measures, conventions)
    truth, prediction = matched_sides(
        [m.recipe for m in chosen], hierarchy, y_true, y_pred, unknown, missing, system
    )
    rows, notes = list[ConstraintCost](), dict[str, None]()
    for m in chosen:
        recipe = m.recipe
        if not isinstance(recipe, PairRecipe):
            raise BadInput(f"{m.name} has no rule of pairs, so it has no constraints")
        rule = recipe.rule
        if isinstance(rule.cost, Bottleneck):
            raise BadInput(
                f"{m.name} minimises its largest cost first: without a constraint the sum may "
                "fall or rise, so that it says nothing of what the constraint costs"
            )
        given = rule.constraints
        rests = [given[:k] + given[k + 1 :] for k in range(len(given))]
        rules = [rule, *(replace(rule, constraints=rest) for rest in rests)]
        parts: list[list[tuple[Floats, Floats]]] = [[] for _ in rules]
        lost = np.zeros(len(rules))
        for lo, hi in ranges_of(hierarchy, truth, prediction, None):
            sides = truth.part(lo, hi), prediction.part(lo, hi)
            pairs = Pairs.between(hierarchy, *sides, recipe.threshold, first=lo, n_all=len(truth))
            for k, (each, solved) in enumerate(zip(rules, parts, strict=True)):
                try:
                    found = solve_pairing(formulate(each, pairs), on_infeasible="nan")
                    solved.append((found.cost, found.gap))
                except BadInput as error:
                    if each is rule:
                        raise
                    why = f"its rule does not stand without constraint {k}: {error.reason}"
                    notes[f"{m.name}: {why}"], lost[k] = None, np.nan
                    solved.append(parts[0][-1])
        (cost, gap), *others = (map(np.concatenate, zip(*each, strict=True)) for each in parts)
        none = np.isnan(cost)
        notes[
            f"{m.name} of {system}: {counted(len(cost), 'instance')} cost "
            f"{cost_text(math.fsum(cost[~none]))} in all, without a pairing: {none.sum()}"
        ] = None
        for k, (other, off) in enumerate(others, start=1):
            dearer, none_other = cost - other, np.isnan(other)
            binds = dearer[np.abs(dearer) > gap + off].tolist()
            rows.append(
                ConstraintCost(
                    m.name, k, constraint_text(given[k - 1]), len(binds),
                    math.fsum(binds) + float(lost[k]),
                    max(binds, key=abs, default=0.0) + float(lost[k]),
                    int((none & ~none_other).sum()), int((none_other & ~none).sum()),
                )
            )  # fmt: skip
    return ConstraintCosts(system, tuple(rows), tuple(notes))
