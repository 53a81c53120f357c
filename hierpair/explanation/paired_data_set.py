"""The pairing of a whole data set: its total cost, its pairs, and what its quotas are worth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, shown
from hierpair.explanation.matched import matched_sides
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import Unknown
from hierpair.measures.evidence.base import cost_text
from hierpair.measures.evidence.pairing_proof import Proof, proof_of
from hierpair.pairing import (
    OPEN,
    SIDES,
    Pairing,
    PairingProblem,
    Pairs,
    Rule,
    formulate,
    solve_pairing,
)
from hierpair.tables import Block, Content, Page, Records, Tabular

__all__ = ["PairedDataSet", "QuotaRow", "pair_data_set"]


@dataclass(frozen=True)
class QuotaRow:
    """One set of pairs that a quota bounds.

    Attributes
    ----------
    counted
        The set in words.
    n
        How many pairs it has.
    lower, upper
        Its hard bounds; ``upper`` is None where it is open.
    paid
        What its number of pairs costs.
    price
        Dual price: one more pair in the set saves at most this, one less costs at least this.
        Negative where the set has to have more pairs than are worth their cost.
    constraint
        Which constraint bounds it.
    """

    counted: str
    n: int
    lower: int
    upper: int | None
    paid: float
    price: float
    constraint: str


@dataclass(frozen=True, eq=False, repr=False)
class PairedDataSet(Tabular):
    """An optimal pairing of all instances together.

    Which of several optima it is, is left open: only the total is determined by the rule, not what
    a single instance costs.

    Attributes
    ----------
    cost
        Total cost of the pairs, the missing partners, and the numbers of pairs.
    bound, optimal
        What dual prices prove that every pairing of the data set costs at least, and whether the
        check without the solver found this one optimal.
    gap
        How far ``cost`` can be from the optimum because costs had to be rounded.
    quotas
        The sets that span instances.
    pairs
        The chosen pairs: instance, predicted class, true class, cost.
    missing
        Labels that lack partners: instance, side, class, how many, and their cost.
    n_instances
        How many instances there are.
    lexicographic
        Of several costs, the total of each; the other numbers are those of the first. Else empty.
    """

    cost: float
    bound: float
    optimal: bool
    gap: float
    quotas: tuple[QuotaRow, ...]
    pairs: tuple[tuple[Hashable, Hashable, Hashable, float], ...]
    missing: tuple[tuple[Hashable, str, Hashable, int, float], ...]
    n_instances: int
    lexicographic: tuple[float, ...] = ()

    def __repr__(self) -> str:
        what = f"{counted(len(self.pairs), 'pair')} in {counted(self.n_instances, 'instance')}"
        return f"<PairedDataSet: {what}, cost {self.cost:g}>"

    def content(self, digits: int | None = None) -> Content:
        """Return the sums and quotas for readers, the chosen pairs for programs."""
        return Content(self._records, lambda form: self._page(digits or 4), self._data)

    def _records(self) -> Records:
        return Records(["instance", "predicted", "true", "cost"], [list(row) for row in self.pairs])

    def _data(self) -> dict[str, Any]:
        names = ("cost", "bound", "optimal", "gap", "n_instances", "lexicographic")
        return {
            **{name: getattr(self, name) for name in names},
            "quotas": [asdict(row) for row in self.quotas],
            "pairs": self._records().to_dicts(),
            "missing": [
                dict(zip(("instance", "side", "class", "n", "cost"), row, strict=True))
                for row in self.missing
            ],
        }

    def _page(self, digits: int) -> Page:
        rows = [
            [
                row.counted,
                str(row.n),
                f"{row.lower}…{'' if row.upper is None else row.upper}",
                cost_text(row.paid, digits),
                cost_text(row.price, digits),
            ]
            for row in self.quotas
        ]
        header = ["quota", "pairs", "allowed", "paid", "dual price"]
        blocks = [Block(header, rows, align="lrrrr")] if rows else []
        return Page(blocks, self._notes(digits))

    def _notes(self, digits: int) -> list[str]:
        of_pairs = sum(row[3] for row in self.pairs)
        of_missing = sum(row[4] for row in self.missing)
        counts = self.cost - of_pairs - of_missing
        many = counted(len(self.pairs), "pair")
        text = (
            f"{counted(self.n_instances, 'instance')}, {many}: cost {cost_text(self.cost, digits)}"
        )
        text += f" = pairs {cost_text(of_pairs, digits)}, defaults {cost_text(of_missing, digits)}"
        if abs(counts) > 1e-9 * max(1.0, abs(self.cost)):
            text += f", numbers of pairs {cost_text(counts, digits)}"
        proof = f"proof: the dual prices show that every pairing costs at least {self.bound:.10g}"
        if not self.optimal:
            proof = "the flow could not be proved optimal; please report this"
        close = f" (costs were rounded; the optimum is within {self.gap:.1e})" if self.gap else ""
        notes = [text, proof + close]
        if self.lexicographic:
            each = ", then ".join(cost_text(x, digits) for x in self.lexicographic)
            notes.append(
                f"the lexicographic costs are {each}, each the least after those before it"
            )
        return notes


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
    >>> found.cost, found.pairs, [(b.counted, b.n, b.price) for b in found.quotas]
    (6.0, ((0, 'a', 'a', 0.0),), [("the predicted class 'a' in all instances", 1, 4.0)])
    """
    if not isinstance(rule, Rule):
        raise BadInput(f"pair_data_set takes a Rule, got {shown(rule)}")
    named = rule.named_pairs
    truth, prediction = matched_sides(
        hierarchy, y_true, y_pred, named, unknown=unknown, missing=missing, system="y_pred"
    )
    problem = formulate(rule, Pairs.between(hierarchy, truth, prediction, threshold))
    pairing = solve_pairing(problem)
    proof = proof_of(problem, pairing)
    ids = range(len(truth)) if truth.ids is None else truth.ids
    return PairedDataSet(
        float(pairing.cost.sum()),
        proof.bound,
        proof.optimal,
        proof.gap,
        tuple(_quota_rows(problem, pairing, proof)),
        _chosen(problem, pairing, ids),
        _lacking(problem, pairing, ids),
        len(truth),
        proof.lexicographic,
    )


def _quota_rows(problem: PairingProblem, pairing: Pairing, proof: Proof) -> list[QuotaRow]:
    rows = []
    chosen = np.flatnonzero(pairing.chosen)
    for k, quota in enumerate(problem.counts):
        if quota.kind != "quota":
            continue
        units = quota.units(chosen)
        paid, hard = quota.paid(units), quota.hard()
        base = np.flatnonzero((proof.inverse.count == k) & (proof.inverse.sign == 0))
        for arc in base.tolist():
            at = int(proof.inverse.subject[arc])
            lower, upper = int(hard.lower[at]), int(hard.upper[at])
            if quota.is_hard and not lower and upper >= OPEN:
                continue  # nothing is said of it
            rows.append(
                QuotaRow(
                    quota.place(at)[0],
                    int(units[at]),
                    lower,
                    upper if upper < OPEN else None,
                    float(paid[at]),
                    0.0 - float(proof.reduced[arc]),
                    str(quota.source),
                )
            )
    return rows


def _chosen(
    problem: PairingProblem, pairing: Pairing, ids: Any
) -> tuple[tuple[Hashable, Hashable, Hashable, float], ...]:
    names, pairs = problem.pairs.hierarchy.names, problem.pairs
    picked = np.flatnonzero(pairing.chosen)
    columns: list[NDArray[Any]] = [pairs.instance, pairs.predicted, pairs.true]
    rows = zip(*(x[picked].tolist() for x in columns), strict=True)
    costs = problem.cost[picked].tolist()
    return tuple(
        (ids[i], names[p], names[t], float(cost))
        for (i, p, t), cost in zip(rows, costs, strict=True)
    )


def _lacking(
    problem: PairingProblem, pairing: Pairing, ids: Any
) -> tuple[tuple[Hashable, str, Hashable, int, float], ...]:
    names, defaults = problem.pairs.hierarchy.names, problem.default
    found = []
    for side in SIDES:
        labels, missed = problem.labels(side), pairing.missing[side]
        for k in np.flatnonzero(missed).tolist():
            n, instance = int(missed[k]), ids[int(labels.instance[k])]
            paid = n * float(defaults[side][k])
            found.append((instance, side, names[int(labels.classes[k])], n, paid))
    return tuple(found)
