"""The pairing problems of a whole batch of instances, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.constraints.budget_sets import BudgetSets
from hierpair.pairing.constraints.count_costs import CountCosts
from hierpair.pairing.constraints.grouping import Grouping
from hierpair.pairing.constraints.moved import Moved
from hierpair.pairing.constraints.partner_groups import PartnerGroups
from hierpair.pairing.cost_limits import CostLimit
from hierpair.pairing.packing import Packing
from hierpair.pairing.pairs import SIDES, Labels, Pairs, Side
from hierpair.solvers import Scaled, to_integers

__all__ = ["Counted", "PairingProblem", "Remark"]

Counted = tuple[str, Any]
"""What is counted: of ``("label", side)``, ``("group", place)``, ``("instance", None)`` or
``("budget", place)``."""


class Remark(NamedTuple):
    """What has to be known of a problem beside its cost: a sentence, and for which instances."""

    text: str
    instances: NDArray[np.bool_]

    def part(self, instance: int) -> Remark:
        """Return it for one instance."""
        return Remark(self.text, self.instances[[instance]])


Counts = dict[Counted, CountCosts]
"""What so many units cost."""


@dataclass(frozen=True, eq=False)
class PairingProblem:
    """Problem 1 of Kosmopoulos et al. (2014, §2.3) for a whole batch of instances.

    Minimise the total cost of the chosen pairs plus, for every partner that a label lacks of
    its ``lower``, its default cost, plus what the numbers of pairs cost. All arrays are NumPy
    arrays over labels or pairs.

    Attributes
    ----------
    pairs
        All pairs; only those in ``candidate`` may be chosen.
    candidate, required, cost
        Over the pairs: may be chosen, must be chosen, cost.
    lower, upper, default
        By side, over its labels: bounds on the number of partners, and the cost of one
        missing partner (inf: none may be missing).
    total
        Over the instances: least and largest number of chosen pairs, or None.
    groupings
        Bounds of groups of labels, and of groups of a label's partners; those of a side nested.
    first_cost
        For lexicographic costs, which are then packed into one number each: the first of them, of
        the pairs, by side of the defaults, and of counts. It makes the cost. None for a single one.
    packing
        How lexicographic costs are packed; None for a single cost.
    kinds
        The verbs of the builder that made it. A network is reduced only for verbs that it is
        proved for; None, not known, is solved in full.
    remarks
        What has to be known beside the costs, and of which instances.
    impossible
        Instances that cannot have a pairing whatever is chosen, and why.
    limit
        How dear a pair or a missing partner may be, where the largest cost is minimised first; the
        dearer ones are no candidates, and open defaults are inf. None: any.
    counts
        What so many partners cost a label of a side, or so many pairs a group, an instance or a
        set of a budget, for as many as can be chosen.
    moved
        Where labels have masses or pairs capacities: what every pair may carry, and in which
        units. All bounds and numbers are in units then, and costs are of the mass 1. None: every
        pair is chosen once or not at all.
    budgets
        Bounds of sets of pairs that span instances; they make one problem of all instances.
    """

    pairs: Pairs
    candidate: NDArray[np.bool_]
    required: NDArray[np.bool_]
    cost: NDArray[Any]
    lower: dict[Side, NDArray[np.int64]]
    upper: dict[Side, NDArray[np.int64]]
    default: dict[Side, NDArray[Any]]
    total: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    groupings: tuple[Grouping | PartnerGroups, ...]
    first_cost: tuple[NDArray[Any], dict[Side, NDArray[Any]], Counts] | None = None
    packing: Packing | None = None
    kinds: frozenset[str] | None = None
    remarks: tuple[Remark, ...] = ()
    impossible: tuple[Remark, ...] = ()
    counts: Counts = field(default_factory=dict)
    moved: Moved | None = None
    limit: CostLimit | None = None
    budgets: tuple[BudgetSets, ...] = ()

    @property
    def most_units(self) -> NDArray[np.int64]:
        """How many units all pairs of every instance carry at most."""
        return (
            np.diff(self.pairs.ptr) if self.moved is None else self.moved.of_instances(self.pairs)
        )

    @property
    def joined(self) -> bool:
        """Whether budgets span the instances, which are then one problem."""
        return bool(self.budgets)

    @property
    def n_components(self) -> int:
        """Number of problems that are solved apart: one per instance, or one if they are joined."""
        return 1 if self.joined else self.n_instances

    def component(self, instance: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which of these problems things of instances belong to."""
        return np.zeros_like(instance) if self.joined else instance

    @property
    def most_nodes(self) -> int:
        """Nodes that the network of one of these problems has at most."""
        nodes = np.zeros(self.n_instances, dtype=np.int64)
        for s in SIDES:
            nodes += np.diff(self.labels(s).ptr)
        for grouping in self.groupings:
            nodes += np.bincount(grouping.instance, minlength=len(nodes))
        if self.joined:
            sets = len(nodes) + sum(len(budget.lower) for budget in self.budgets)
            return 2 + sets + int(nodes.sum())
        return 2 + int(nodes.max(initial=0))

    @property
    def n_instances(self) -> int:
        """Number of instances in the batch."""
        return len(self.pairs.ptr) - 1

    @property
    def shown_costs(self) -> tuple[NDArray[Any], dict[Side, NDArray[Any]]]:
        """Costs of the pairs and, by side, of missing partners that make the cost of a pairing."""
        return self.first_cost[:2] if self.first_cost else (self.cost, self.default)

    @property
    def shown_counts(self) -> Counts:
        """What numbers of pairs add to the cost of a pairing."""
        return self.first_cost[2] if self.first_cost else self.counts

    def whole(self, costs: Sequence[NDArray[Any]]) -> Scaled:
        """Return finite costs of the problem as integers.

        Raises
        ------
        SolverLimit
            If they are too large for the solver.
        """
        if self.packing is not None:
            return self.packing.whole(costs)
        return to_integers(costs, nodes=self.most_nodes)

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)

    def part(self, instance: int) -> PairingProblem:
        """Return the problem of one instance, which has to be a problem of its own."""
        if self.joined:
            raise BadInput(
                f"{self.budgets[0].source}, joins all instances; a single one has no problem of "
                "its own",
                instance,
            )
        here = slice(*self.pairs.ptr[instance : instance + 2].tolist())
        of = {s: slice(*self.labels(s).ptr[instance : instance + 2].tolist()) for s in SIDES}
        pairs = self.pairs.part(here, of)
        columns = (self.lower, self.upper, self.default)
        lower, upper, default = ({s: x[s][of[s]] for s in SIDES} for x in columns)
        bounds = None
        if self.total is not None:
            bounds = self.total[0][[instance]], self.total[1][[instance]]
        return replace(
            self,
            pairs=pairs,
            candidate=self.candidate[here],
            required=self.required[here],
            cost=self.cost[here],
            lower=lower,
            upper=upper,
            default=default,
            total=bounds,
            groupings=tuple(g.part(instance, here, of[g.side]) for g in self.groupings),
            first_cost=None,
            counts={
                key: self._counts_of(key, costs, instance) for key, costs in self.counts.items()
            },
            limit=None if self.limit is None else self.limit.part(instance, here, of),
            remarks=tuple(r.part(instance) for r in self.remarks if r.instances[instance]),
            moved=None if self.moved is None else self.moved.part(instance, here, of),
            impossible=tuple(r.part(instance) for r in self.impossible if r.instances[instance]),
        )

    def _counts_of(self, key: Counted, costs: CountCosts, instance: int) -> CountCosts:
        """Return what the units of one instance cost."""
        what, which = key
        if what == "label":
            ptr = self.labels(which).ptr
            lo, hi = ptr[instance : instance + 2].tolist()
        elif what == "group":
            owner = self.groupings[which].instance
            lo, hi = np.searchsorted(owner, [instance, instance + 1]).tolist()
        else:
            lo, hi = instance, instance + 1
        return costs.part(lo, hi)
