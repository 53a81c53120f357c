"""Pairings of whole data sets: all instances at once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from hierpair.errors import BadInput, counted, shown
from hierpair.explanation.instances import matched_sides
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import Unknown
from hierpair.measures.evidence.flows import FlowEvidence, FlowRow, pair_evidence
from hierpair.pairing import Pairs, Rule, formulate, solve_pairing
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Content, Page, Records


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
        return Content(lambda: records, lambda form: self._page(digits or 4), lambda: asdict(self))

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
    missing: Literal["error", "empty"] = "error",
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
    >>> from hierpair import Quota, Degree, Hierarchy, Hops, Rule, Unmatched
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
    truth, prediction = matched_sides(
        hierarchy, y_true, y_pred, rule.named_pairs, unknown, missing, "y_pred"
    )
    problem = formulate(rule, Pairs.between(hierarchy, truth, prediction, threshold))
    found = pair_evidence(problem, solve_pairing(problem), truth.ids or range(len(truth)))
    return PairedDataSet(**vars(found), n_instances=len(truth))
