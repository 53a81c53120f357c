"""The pairing problems of a whole batch of instances, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.constraints.grouping import Grouping
from hierpair.pairing.pairs import SIDES, Labels, Pairs, Side

__all__ = ["PairingProblem", "Remark"]


class Remark(NamedTuple):
    """What has to be known of a problem beside its cost: a sentence, and for which instances."""

    text: str
    instances: NDArray[np.bool_]

    def part(self, instance: int) -> Remark:
        """Return it for one instance."""
        return Remark(self.text, self.instances[[instance]])


@dataclass(frozen=True, eq=False)
class PairingProblem:
    """Problem 1 of Kosmopoulos et al. (2014, §2.3) for a whole batch of instances.

    Minimise the total cost of the chosen pairs plus, for every partner that a label lacks of
    its ``lower``, its default cost. All arrays are NumPy arrays over labels or pairs.

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
        Nested bounds, outermost first.
    first_cost
        For lexicographic costs, which are then one whole number each: the first of them, of the
        pairs and by side of the defaults. It makes the cost. None for a single cost.
    kinds
        The verbs of the builder that made it. A network is reduced only for verbs that it is
        proved for; None, not known, is solved in full.
    remarks
        What has to be known beside the costs, and of which instances.
    impossible
        Instances that cannot have a pairing whatever is chosen, and why.
    """

    pairs: Pairs
    candidate: NDArray[np.bool_]
    required: NDArray[np.bool_]
    cost: NDArray[Any]
    lower: dict[Side, NDArray[np.int64]]
    upper: dict[Side, NDArray[np.int64]]
    default: dict[Side, NDArray[Any]]
    total: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    groupings: tuple[Grouping, ...]
    first_cost: tuple[NDArray[Any], dict[Side, NDArray[Any]]] | None = None
    kinds: frozenset[str] | None = None
    remarks: tuple[Remark, ...] = ()
    impossible: tuple[Remark, ...] = ()

    @property
    def n_instances(self) -> int:
        """Number of instances in the batch."""
        return len(self.pairs.ptr) - 1

    @property
    def shown_costs(self) -> tuple[NDArray[Any], dict[Side, NDArray[Any]]]:
        """Costs of the pairs and, by side, of missing partners that make the cost of a pairing."""
        return self.first_cost or (self.cost, self.default)

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)

    def part(self, instance: int) -> PairingProblem:
        """Return the problem of one instance."""
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
            groupings=tuple(g.part(instance, of[g.side]) for g in self.groupings),
            first_cost=None,
            remarks=tuple(r.part(instance) for r in self.remarks if r.instances[instance]),
            impossible=tuple(r.part(instance) for r in self.impossible if r.instances[instance]),
        )
