"""What is carried between problem and solver: what arcs say, and the pairing that returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets
from hierpair.pairing.packing import Packing
from hierpair.pairing.pairs import Side
from hierpair.solvers import FlowNetwork, Scaled

__all__ = [
    "BOUND",
    "DEFAULT",
    "GROUP",
    "LESS",
    "MORE",
    "PAIR",
    "QUOTA",
    "TOTAL",
    "Arcs",
    "InverseData",
    "Pairing",
]

BOUND, DEFAULT, PAIR, GROUP, TOTAL, MORE, LESS, QUOTA = range(8)


@dataclass(frozen=True, eq=False)
class InverseData:
    """What the arcs of a network say, and how to read costs back.

    Attributes
    ----------
    kind
        Of every arc: bound of a label, default, pair, group, total, quota; or a step of a table of
        costs, for more units than the cheapest number or for less.
    side
        Of every arc: 0 predicted, 1 true (of a pair, total: 0).
    subject
        Of every arc: the position of its label, pair, group, instance or set.
    counter
        Of every arc: place of what it counts among :func:`counters`; of a pair -1.
    start
        Of steps: after how many units more of them begin, or below how many there are less.
    costs
        Costs as integers: of the pairs that have arcs, predicted defaults, true defaults, tables.
    constant
        What the cheapest numbers of units cost every instance, a row for each lexicographic cost,
        as integers, shape ``(n_costs, n_instances)``; None: nothing.
    fallback_pair
        By side: the pair that a label takes as its fallback, -1 for its default class;
        None without that reduction.
    hopeless
        Instances that were seen to have no pairing when the network was written.
    """

    kind: NDArray[np.int8]
    side: NDArray[np.int8]
    subject: NDArray[np.int64]
    counter: NDArray[np.int8]
    start: NDArray[np.int64]
    costs: Scaled
    fallback_pair: dict[Side, NDArray[np.int64]] | None
    constant: NDArray[np.int64] | None = None
    hopeless: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Pairing:
    """An optimal pairing of every instance of a batch.

    Attributes
    ----------
    chosen
        Over the pairs of the problem: part of the pairing.
    missing
        By side, over its labels: partners bought from the default class.
    cost
        Cost of the pairing in the original costs, shape ``(n_instances,)``; nan for an
        instance without a pairing. A single one where quotas join all instances.
    gap
        How far each cost can be from the optimum because costs had to be rounded for the
        solver; 0 for integers, Fractions and floats that are multiples of 2**-20.
    infeasible
        Instances that have no pairing, ascending.
    units, whole
        Where labels have masses or pairs capacities: how many units every pair carries, and by
        instance how many units make the mass 1; ``missing`` is in units, too. None where every
        pair is chosen once or not at all.
    """

    chosen: NDArray[np.bool_]
    missing: dict[Side, NDArray[np.int64]]
    cost: NDArray[np.float64]
    gap: NDArray[np.float64]
    infeasible: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    units: NDArray[np.int64] | None = None
    whole: NDArray[np.int64] | None = None


@dataclass
class Arcs:
    """Collects arcs family by family and lays them out instance by instance.

    ``packing`` says how several costs are packed into those of the arcs; None: it is a single cost.
    """

    packing: Packing | None = None
    families: list[dict[str, NDArray[np.int64] | int]] = field(default_factory=list)

    def add(
        self,
        tail: NDArray[np.int64],
        head: NDArray[np.int64],
        owner: NDArray[np.int64],
        kind: int,
        side: int,
        subject: NDArray[np.int64],
        **numbers: NDArray[np.int64] | int,
    ) -> None:
        """Add arcs of one kind and side, owned by instances.

        Unless given, lower, upper, cost are 0, 1, 0, and counter and start -1 and 0.
        """
        family: dict[str, NDArray[np.int64] | int]
        family = {"tail": tail, "head": head, "owner": owner, "kind": kind, "side": side}
        self.families.append({**family, "subject": subject, **_NUMBERS, **numbers})

    def network(
        self,
        node_ptr: NDArray[np.int64],
        supply: NDArray[np.int64],
        costs: Scaled,
        fallback_pair: dict[Side, NDArray[np.int64]] | None = None,
        constant: NDArray[np.int64] | None = None,
    ) -> tuple[FlowNetwork, InverseData]:
        """Return the network with its arcs in the order of the instances, and what they say.

        The families are used up, so that arcs are not held twice.
        """
        owner = np.concatenate([np.asarray(f["owner"]) for f in self.families])
        order = np.argsort(owner, kind="stable")
        c = {name: self._column(name, order) for name in list(self.families[0]) if name != "owner"}
        kind, side, counter = (c.pop(x).astype(np.int8) for x in ("kind", "side", "counter"))
        subject, start = c.pop("subject"), c.pop("start")
        arc_ptr = offsets(np.bincount(owner, minlength=len(node_ptr) - 1))
        if self.packing is not None:
            c["cost"], *later = self.packing.digits(c["cost"])
        else:
            later = []
        network = FlowNetwork(
            **c, supply=supply, arc_ptr=arc_ptr, node_ptr=node_ptr, later=tuple(later)
        )
        inverse = InverseData(kind, side, subject, counter, start, costs, fallback_pair, constant)
        return network, inverse

    def _column(self, name: str, order: NDArray[np.int64]) -> NDArray[np.int64]:
        values = [f.pop(name) for f in self.families]
        if all(isinstance(v, int) and v == values[0] for v in values):
            return np.full(len(order), values[0], dtype=np.int64)
        sizes = [len(np.asarray(f["owner"])) for f in self.families]
        kind: Any = np.int8 if name in ("kind", "side", "counter") else np.int64
        if name == "cost" and self.packing is not None and not self.packing.short:
            kind = object
        whole = [
            np.broadcast_to(np.asarray(v, kind), n) for v, n in zip(values, sizes, strict=True)
        ]
        column: NDArray[np.int64] = np.concatenate(whole)[order]
        return column


_NUMBERS: dict[str, NDArray[np.int64] | int] = {
    "lower": 0,
    "upper": 1,
    "cost": 0,
    "counter": -1,
    "start": 0,
}
