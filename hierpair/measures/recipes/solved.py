"""Recipes that solve something: best pairings, masses that are moved, graphs, and paired paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np

from hierpair.confusion import CONFUSION_RULE, FIELDS, confusion, fields_of, path_faults
from hierpair.confusion.matrix import Confusion
from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Bools
from hierpair.hierarchy.closure import nearest_common_ancestors
from hierpair.labels import LabelSets
from hierpair.lca import SOLVED_BY, Graphs, extended_graphs
from hierpair.measures.columns import INFEASIBLE, SET_SIZES, Column, Columns, without
from hierpair.measures.evidence import ARTIFICIAL, FlowEvidence
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.evidence.flows import network_evidence, pair_evidence
from hierpair.measures.evidence.graphs import BOTH, CHOSEN_LCAS, ONLY_PREDICTED, ONLY_TRUE, Name
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.pairing import (
    SIDES,
    Degree,
    Mass,
    Masses,
    NamedPairs,
    NetworkRule,
    Pairing,
    PairingProblem,
    Rule,
    Side,
    Unmatched,
    cost_named,
    formulate,
    max_costs,
    moving_prices,
    solve_network,
    solve_pairing,
    transport_costs,
    written_network,
)
from hierpair.pairing.own_networks import Net, OwnFlow

COST = Column("cost", "a pairing that costs 1", float)
PAIR_COLUMNS = (*SET_SIZES, COST, INFEASIBLE)

SPANS = (
    "its rule has quotas over the data set, so only the total is determined and no instance has a "
    "value of its own: nothing to score, compare, resample or decode; solve and explain the whole "
    "data set with pair_data_set(rule, hierarchy, y_true, y_pred)"
)
"""Why a rule with quotas is no measure."""

MISTAKES = "a mistake; the severity is the mean over these alone"
"""What is noted of the instances that a severity is over."""


def pairs_named(recipes: Iterable[Any]) -> list[tuple[Hashable, Hashable]]:
    """Return the pairs that rules name."""
    rules = [getattr(of, "rule", of) for of in recipes]
    constraints = [c for of in rules for c in getattr(of, "constraints", ())]
    given = [v for c in constraints for v in getattr(c, "__dict__", {}).values()]
    return [pair for v in given if isinstance(v, NamedPairs) for pair in v.names]


def pairs_seen(
    recipes: Iterable[Any],
    hierarchy: Hierarchy,
    truth: LabelSets,
    predictions: Iterable[LabelSets],
) -> dict[str, bool]:
    """Return whether a pair that rules name occurs, and whether it does the other way round."""

    def occurs(pair: Sequence[Hashable]) -> bool:
        p, t = hierarchy.index(pair)
        has = truth.row[truth.indices == t]
        return any(bool(np.isin(x.row[x.indices == p], has).any()) for x in predictions)

    return {repr(one): occurs(one) for pair in pairs_named(recipes) for one in (pair, pair[::-1])}


def check_named_pairs(recipes: Iterable[Any], seen: Mapping[str, bool]) -> None:
    """Refuse a pair that rules name if, of all instances, only (true, predicted) is one."""
    named = pairs_named(recipes)
    for pair in named:
        turned = pair[::-1]
        if turned not in named and seen[repr(turned)] and not seen[repr(pair)]:
            raise BadInput(
                f"a rule names {pair!r}: pairs are (predicted, true), and only {turned!r} occurs; "
                "write that"
            )


@dataclass(frozen=True)
class PairRecipe:
    """Cost of the best pairing of every instance under a rule.

    ``with_max_cost`` adds up the largest cost of every true class too, and ``note_mistakes``
    remarks upon the instances that lack a true label.
    """

    family: ClassVar = "pair"
    of_labels: ClassVar = True

    rule: Rule
    threshold: int | None = None
    with_max_cost: bool = False
    note_mistakes: bool = False

    def __post_init__(self) -> None:
        if self.rule.spans:
            raise BadInput(SPANS)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Sizes of the label sets, and the cost of their pairing."""
        largest = Column("max_cost", "a largest cost of 1 of a true class", float)
        return (*PAIR_COLUMNS, largest) if self.with_max_cost else PAIR_COLUMNS

    def compute(self, batch: Batch) -> Columns:
        """Solve the pairing problems of the batch."""
        _, pairing = self.solved(batch)
        columns = {**_sizes(batch), "cost": pairing.cost}
        if self.with_max_cost:
            sets = batch.y_true
            each = max_costs(self.rule.cost, batch.hierarchy, sets.indices)
            largest = np.bincount(sets.row, each, len(sets))
            columns["max_cost"] = largest.astype(np.float64)
        columns = without(columns, pairing.infeasible)
        if self.note_mistakes:
            columns[MISTAKES] = np.less(columns["n_both"], columns["n_true"])
        return columns

    def solved(self, batch: Batch) -> tuple[PairingProblem, Pairing]:
        """Return the problems of the batch and their best pairings."""
        problem = formulate(self.rule, batch.pairs(self.threshold))
        if problem.joined:
            raise BadInput(SPANS)
        return problem, solve_pairing(problem, on_infeasible=batch.on_infeasible)

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out the pairing, with the proof that none is cheaper."""
        return pair_evidence(*self.solved(batch))


def nearest_rule(side: Side, cost: Any, default: float) -> Rule:
    """Return the rule: labels of a side have a partner or pay the default, others any number."""
    return Rule(cost_named(cost), (Degree(side, 1), Unmatched(side, default)))


@dataclass(frozen=True)
class BestMatchRecipe:
    """What the nearest label of the other side costs every label, of both sides."""

    family: ClassVar = "pair"
    of_labels: ClassVar = True
    columns: ClassVar = (
        Column("n_true", "a true label"),
        Column("n_pred", "a predicted label"),
        Column("cost_true", "a nearest predicted label at a cost of 1", float),
        Column("cost_pred", "a nearest true label at a cost of 1", float),
    )

    default: float = 1
    cost: Any = "lin"

    @property
    def halves(self) -> list[PairRecipe]:
        """The recipes of both sides, the predicted one first."""
        return [PairRecipe(nearest_rule(side, self.cost, self.default)) for side in SIDES]

    def compute(self, batch: Batch) -> Columns:
        """Add up what both sides cost."""
        of_pred, of_true = (batch.columns(half)["cost"] for half in self.halves)
        n_true, n_pred = batch.y_true.lengths, batch.y_pred.lengths
        return {"n_true": n_true, "n_pred": n_pred, "cost_true": of_true, "cost_pred": of_pred}

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the pairs of nearest labels, with their common ancestors, and what each costs."""
        h, solved = batch.hierarchy, [half.solved(batch) for half in self.halves]
        (problem, _), names = solved[1], h.names
        pairs = problem.pairs
        nearest = np.array([pairing.chosen for _, pairing in solved])
        kept = np.flatnonzero(nearest.any(axis=0))
        predicted, true = pairs.predicted[kept], pairs.true[kept]
        closure = ancestor_closure(h, np.concatenate([predicted, true]))
        _, pair, ancestor = nearest_common_ancestors(closure, predicted, true)
        fields = list[Field]()
        for k, (at, c, d) in enumerate(zip(kept, predicted, true, strict=True)):
            ends = (names[c],), (names[d],)
            shared = tuple(names[a] for a in ancestor[pair == k])
            fields.append(Field("common ancestor", shared, (), *ends))
            paid = (float(problem.cost[at]),)
            for owner, end, has in zip(NEAREST, ends, nearest[:, at], strict=True):
                fields.append(Field(owner, end if has else (), paid if has else (), *ends))
        costs = (float(pairing.cost[0]) for _, pairing in solved)
        counts = zip(("cost_pred", "cost_true"), costs, strict=True)
        lonely = "a label whose nearest one costs default or more is matched by none and costs it"
        return FieldEvidence("best match", tuple(fields), "", (lonely,), tuple(counts))


NEAREST = "cost for the prediction", "cost for the truth"


@dataclass(frozen=True)
class OwnNetworkRecipe:
    """Cost of the cheapest flow of every instance through a network that a rule wrote itself."""

    family: ClassVar = "pair"
    of_labels: ClassVar = True
    columns: ClassVar = PAIR_COLUMNS

    rule: NetworkRule
    threshold: int | None = None

    def compute(self, batch: Batch) -> Columns:
        """Solve the networks of the batch."""
        _, found = self._solved(batch)
        return without({**_sizes(batch), "cost": found.cost}, found.flow.infeasible)

    def _solved(self, batch: Batch) -> tuple[Net, OwnFlow]:
        own = written_network(self.rule, batch.pairs(self.threshold))
        return own, solve_network(own, on_infeasible=batch.on_infeasible)

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out the flow, with the proof that none is cheaper."""
        return network_evidence(*self._solved(batch))


NO_WAY = (
    "some of the mass has no way: classes have no common ancestor; give default, the length of an "
    "edge from each root to a class above them all"
)


@dataclass(frozen=True)
class TransportRecipe:
    """The least cost of moving masses: each label of a set has an even share of the mass 1."""

    family: ClassVar = "transport"
    of_labels: ClassVar = True
    columns: ClassVar = (
        Column("n_true", "a true label"),
        Column("n_pred", "a predicted label"),
        Column("cost", "moving the mass 1 at a cost of 1", float),
        INFEASIBLE,
    )

    cost: Any = "hops"
    default: float | None = None

    def compute(self, batch: Batch) -> Columns:
        """Move the masses of the batch."""
        if any(side.amounts is not None for side in batch.sides):
            raise BadInput(
                "the labels have amounts, and here they have even shares; weighted_unifrac takes "
                "amounts"
            )
        masses = Masses.of_sets(batch.hierarchy, batch.y_true, batch.y_pred)
        cost = transport_costs(masses, cost_named(self.cost), self.default)
        for i in np.flatnonzero(np.isinf(cost)).tolist():
            batch.refuse(self, Infeasible(NO_WAY, i))
        return {"n_true": batch.y_true.lengths, "n_pred": batch.y_pred.lengths, "cost": cost}

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out what is moved, as a pairing of shares, however the cost was found."""
        if not batch.y_true.lengths[0] or not batch.y_pred.lengths[0]:
            nothing = ("nothing can be moved: a side has no labels",)
            return FlowEvidence((), (), 0.0, 0.0, True, 0.0, 1, remarks=nothing)
        shares = tuple(Mass(side, 1, share=True) for side in SIDES)
        pairs = batch.pairs(None)
        cost = moving_prices(cost_named(self.cost), pairs, self.default)
        problem = formulate(Rule(lambda _: cost, shares), pairs)
        return pair_evidence(problem, solve_pairing(problem))


def _sizes(batch: Batch) -> dict[str, Any]:
    """Return the sizes of the label sets as they are."""
    return {column.name: batch.columns(SetRecipe())[column.name] for column in SET_SIZES}


SIZES = {"n_true": (BOTH, ONLY_TRUE), "n_pred": (BOTH, ONLY_PREDICTED), "n_both": (BOTH,)}
"""The fields that make up the sizes of two sets."""

STOPPED = "the limit of the solver was reached before the graphs were proved minimal"
PROOF = "proof: no graphs that meet all constraints come before these (all aims proved optimal)"


@dataclass(frozen=True)
class LcaRecipe:
    """Sizes of the graphs that join both sets through their lowest common ancestors."""

    family: ClassVar = "lca"
    of_labels: ClassVar = True
    columns: ClassVar = (*SET_SIZES, Column("solved_by", "an instance", words=SOLVED_BY))

    extension: str = "exact"
    threshold: int | None = None
    limit: float | None = None

    def compute(self, batch: Batch) -> Columns:
        """Grow the graphs of the batch and count their classes."""
        graphs = self._graphs(batch)
        return {
            "n_true": graphs.n_true,
            "n_pred": graphs.n_predicted,
            "n_both": graphs.n_both,
            "solved_by": graphs.solved_by,
            **_ranges(graphs),
        }

    def _graphs(self, batch: Batch, *, draw: bool = False) -> Graphs:
        return extended_graphs(
            batch.hierarchy, batch.y_true, batch.y_pred, self.extension, self.threshold, self.limit,
            draw=draw,
        )  # fmt: skip

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes and edges of both graphs, and what every label requires."""
        graphs = self._graphs(batch, draw=True)
        names = [*batch.hierarchy.names, ARTIFICIAL]
        links, members = graphs.links, graphs.links.members
        chosen, (true, predicted), pairs = graphs.drawn(batch.hierarchy, 0)
        labels, n_true = members.classes.tolist(), members.n_true
        sides = (
            ("true", batch.y_true, labels[:n_true], pairs[0]),
            ("predicted", batch.y_pred, labels[n_true:], pairs[1]),
        )
        found = [(BOTH, true & predicted), (ONLY_TRUE, true - predicted)]
        found += [(ONLY_PREDICTED, predicted - true), (CHOSEN_LCAS, chosen)]
        fields = [_named(names, name, sorted(classes)) for name, classes in found]
        for side, given, kept, _ in sides:
            if removed := [c for c in given.indices.tolist() if c not in kept]:
                fields.append(_named(names, f"above other {side} labels", removed))
        for k, c in enumerate(labels):
            ends = ([], [c]) if k < n_true else ([c], [])
            near = members.classes[links.partners(k)].tolist()
            lcas = links.lca[(links.label == k) & links.own].tolist()
            fields += [_named(names, "nearest", near, *ends), _named(names, "LCAs", lcas, *ends)]
        edges = tuple(
            (f"{side} graph", tuple((names[p], names[c]) for c, p in sorted(own)))
            for side, *_, own in sides
        )
        stopped = tuple(f"{STOPPED}; {text}" for text in _ranges(graphs))
        return FieldEvidence(
            f"{self.extension} graphs", tuple(fields), edges=edges, repeatable=not stopped,
            remarks=stopped or (PROOF,) * (self.extension == "exact"),
        ).adding(SIZES)  # fmt: skip


def _named(names: Sequence[Name], name: str, classes: Iterable[int], *ends: Iterable[int]) -> Field:
    """Return a field of classes by their numbers, that of the instance or of these ends."""
    of, *owner = (tuple(names[c] for c in some) for some in (classes, *ends))
    return Field(name, of, (), *owner)


def _ranges(graphs: Graphs) -> Columns:
    """Return as remarks what is proved of F where the graphs may not be the minimal ones."""
    remarks = defaultdict[str, Bools](lambda: np.zeros(len(graphs.n_true), dtype=bool))
    for i, (low, high) in graphs.f_ranges.items():
        ends = floor(100 * low) / 100, ceil(100 * high) / 100
        remarks["F of the minimal graphs is from {:.2f} to {:.2f}".format(*ends)][i] = True
    return remarks


BLANK = "(blank)"
"""Name of a blank label that counts."""


@dataclass(frozen=True)
class ConfusionRecipe:
    """TP, FP, FN and TN of every instance along root paths."""

    family: ClassVar = "confusion"
    of_labels: ClassVar = True
    columns: ClassVar = (
        Column("tp", "a class of a true and a predicted path"),
        Column("fp", "a class of a predicted path alone"),
        Column("fn", "a class of a true path alone"),
        Column("tn", "a class beside what is shared that neither path takes"),
    )

    pairing: str = "exact"
    empty: str = "root"
    nested: str = "drop"
    blank: str = "ignore"

    def compute(self, batch: Batch) -> Columns:
        """Pair the paths of the batch and count."""
        for error in path_faults(batch.hierarchy, batch.y_pred, self.nested):
            batch.refuse(self, error)
        found = self._confusion(batch.hierarchy, *batch.left(self, batch.y_true, batch.y_pred))
        return {column.name: getattr(found, column.name) for column in self.columns}

    def _confusion(self, hierarchy: Hierarchy, true: LabelSets, predicted: LabelSets) -> Confusion:
        return confusion(hierarchy, true, predicted, *astuple(self))

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Spell out the pairs of paths and classes with their fields."""
        found = self._confusion(batch.hierarchy, batch.y_true, batch.y_pred)
        names: list[Name] = [*batch.hierarchy.names, BLANK]
        fields, pairs = fields_of(found), found.pairs
        chosen, missing = found.pairing.chosen, found.pairing.missing
        nodes, cuts = pairs.paths.nodes.tolist(), pairwise(pairs.paths.node_ptr.tolist())
        blank = [[-1] * n for n in pairs.paths.beyond.tolist()]  # the last name
        predicted = [nodes[a:b] + more for (a, b), more in zip(cuts, blank, strict=True)]
        true = [[c] for c in pairs.true_labels.classes.tolist()]
        owners = [
            (predicted[k], true[at])
            for k, at in zip(pairs.predicted_at[chosen], pairs.true_at[chosen], strict=True)
        ]
        owners += [(predicted[k], []) for k in np.flatnonzero(missing["predicted"])]
        owners += [([], true[k]) for k in np.flatnonzero(missing["true"])]
        shown = []
        for owner, ends in enumerate(owners):
            for number, name in enumerate(FIELDS):
                mine = fields.classes[(fields.owner == owner) & (fields.field == number)].tolist()
                shown.append(_named(names, name, mine[:: -1 if name == "FN" else 1], *ends))
        proof = None
        if self.pairing == "exact":
            proof = pair_evidence(formulate(CONFUSION_RULE, pairs), found.pairing)
        evidence = FieldEvidence(f"{self.pairing} pairing", tuple(shown), proof=proof)
        return evidence.adding({name.lower(): (name,) for name in FIELDS})
