"""The pairing problems of a whole batch of instances, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.constraints.count_costs import CountCosts
from hierpair.pairing.constraints.moved import Moved
from hierpair.pairing.constraints.partition import Kind, Partition
from hierpair.pairing.constraints.source import NOBODY
from hierpair.pairing.cost_limits import CostLimit
from hierpair.pairing.packing import Packing
from hierpair.pairing.pairs import SIDES, Labels, Pairs, Side
from hierpair.solvers import Scaled, to_integers

__all__ = ["Counted", "PairingProblem", "Remark"]

Counted = tuple[Kind, Any]
"""What is counted: the key of a :class:`Partition`."""


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
    sets
        What else is counted: groups of labels, and of a label's partners, those of a side nested;
        instances; and sets across instances, which make one problem of all of them.
    first_cost
        For lexicographic costs, which are then packed into one number each: the first of them, of
        the pairs, by side of the defaults, and of counts. It makes the cost. None for a single one.
    packing
        How lexicographic costs are packed; None for a single cost.
    remarks
        What has to be known beside the costs, and of which instances.
    impossible
        Instances that cannot have a pairing whatever is chosen, and why.
    limit
        How dear a pair or a missing partner may be, where the largest cost is minimised first; the
        dearer ones are no candidates, and open defaults are inf. None: any.
    counts
        What so many partners cost a label of a side, or so many pairs a group, an instance or a
        set of a quota, for as many as can be chosen.
    moved
        Where labels have masses or pairs capacities: what every pair may carry, and in which
        units. All bounds and numbers are in units then, and costs are of the mass 1. None: every
        pair is chosen once or not at all.
    """

    pairs: Pairs
    candidate: NDArray[np.bool_]
    required: NDArray[np.bool_]
    cost: NDArray[Any]
    lower: dict[Side, NDArray[np.int64]]
    upper: dict[Side, NDArray[np.int64]]
    default: dict[Side, NDArray[Any]]
    sets: tuple[Partition, ...] = ()
    first_cost: tuple[NDArray[Any], dict[Side, NDArray[Any]], Counts] | None = None
    packing: Packing | None = None
    remarks: tuple[Remark, ...] = ()
    impossible: tuple[Remark, ...] = ()
    counts: Counts = field(default_factory=dict)
    moved: Moved | None = None
    limit: CostLimit | None = None

    @property
    def most_units(self) -> NDArray[np.int64]:
        """How many units all pairs of every instance carry at most."""
        return (
            np.diff(self.pairs.ptr) if self.moved is None else self.moved.of_instances(self.pairs)
        )

    @property
    def joined(self) -> bool:
        """Whether some sets span the instances, which are then one problem."""
        return bool(self.quotas)

    @property
    def quotas(self) -> tuple[Partition, ...]:
        """The sets that span instances."""
        return tuple(own for own in self.sets if own.kind == "quota")

    @property
    def groups(self) -> tuple[Partition, ...]:
        """The groups of labels, and of partners."""
        return tuple(own for own in self.sets if own.kind in ("group", "partners"))

    @property
    def total(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Least and largest number of pairs of every instance, where a constraint bounds them."""
        said = (x for x in self.sets if x.kind == "instance" and x.source != NOBODY)
        return next(((x.lower, x.upper) for x in said), None)

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
        for group in self.groups:
            nodes += np.bincount(group.instance, minlength=len(nodes))
        if self.joined:
            sets = len(nodes) + sum(len(quota.lower) for quota in self.quotas)
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
                f"{self.quotas[0].source}, joins all instances; a single one has no problem of "
                "its own",
                instance,
            )
        here = slice(*self.pairs.ptr[instance : instance + 2].tolist())
        of = {s: slice(*self.labels(s).ptr[instance : instance + 2].tolist()) for s in SIDES}
        pairs = self.pairs.part(here, of)
        columns = (self.lower, self.upper, self.default)
        lower, upper, default = ({s: x[s][of[s]] for s in SIDES} for x in columns)
        return replace(
            self,
            pairs=pairs,
            candidate=self.candidate[here],
            required=self.required[here],
            cost=self.cost[here],
            lower=lower,
            upper=upper,
            default=default,
            sets=tuple(own.part(instance, pairs, here, of) for own in self.sets),
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
        if key[0] == "label":
            owner = self.labels(key[1]).instance
        else:
            owner = next(own.instance for own in self.sets if own.key == key)
        lo, hi = np.searchsorted(owner, [instance, instance + 1]).tolist()
        return costs.part(lo, hi)
