"""What is carried between problem and solver: what arcs say, and the pairing that returns."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets
from hierpair.pairing.pairs import Side
from hierpair.solvers import FlowNetwork, Scaled

__all__ = ["BOUND", "DEFAULT", "GROUP", "PAIR", "TOTAL", "Arcs", "InverseData", "Pairing"]

BOUND, DEFAULT, PAIR, GROUP, TOTAL = range(5)


@dataclass(frozen=True, eq=False)
class InverseData:
    """What the arcs of a network say, and how to read costs back.

    Attributes
    ----------
    kind
        Of every arc: bound of a label, default, pair, group, total.
    side
        Of every arc: 0 predicted, 1 true (of a pair, total: 0).
    subject
        Of every arc: the position of its label, pair or grouping.
    costs
        Costs as integers: of the pairs that have arcs, predicted defaults, true defaults.
    fallback_pair
        By side: the pair that a label takes as its fallback, -1 for its default class;
        None without that reduction.
    hopeless
        Instances that were seen to have no pairing when the network was written.
    """

    kind: NDArray[np.int8]
    side: NDArray[np.int8]
    subject: NDArray[np.int64]
    costs: Scaled
    fallback_pair: dict[Side, NDArray[np.int64]] | None
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
        instance without a pairing.
    gap
        How far each cost can be from the optimum because costs had to be rounded for the
        solver; 0 for integers, Fractions and floats that are multiples of 2**-20.
    infeasible
        Instances that have no pairing, ascending.
    """

    chosen: NDArray[np.bool_]
    missing: dict[Side, NDArray[np.int64]]
    cost: NDArray[np.float64]
    gap: NDArray[np.float64]
    infeasible: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))


@dataclass
class Arcs:
    """Collects arcs family by family and lays them out instance by instance."""

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
        """Add arcs of one kind and side, owned by instances; lower, upper, cost are 0, 1, 0."""
        family: dict[str, NDArray[np.int64] | int]
        family = {"tail": tail, "head": head, "owner": owner, "kind": kind, "side": side}
        self.families.append({**family, "subject": subject, **_NUMBERS, **numbers})

    def network(
        self,
        node_ptr: NDArray[np.int64],
        supply: NDArray[np.int64],
        costs: Scaled,
        fallback_pair: dict[Side, NDArray[np.int64]] | None = None,
    ) -> tuple[FlowNetwork, InverseData]:
        """Return the network with its arcs in the order of the instances, and what they say."""
        owner = np.concatenate([np.asarray(f["owner"]) for f in self.families])
        order = np.argsort(owner, kind="stable")
        c = {name: self._column(name, order) for name in self.families[0] if name != "owner"}
        kind, side = (c.pop(name).astype(np.int8) for name in ("kind", "side"))
        subject = c.pop("subject")
        arc_ptr = offsets(np.bincount(owner, minlength=len(node_ptr) - 1))
        network = FlowNetwork(**c, supply=supply, arc_ptr=arc_ptr, node_ptr=node_ptr)
        return network, InverseData(kind, side, subject, costs, fallback_pair)

    def _column(self, name: str, order: NDArray[np.int64]) -> NDArray[np.int64]:
        values = [f[name] for f in self.families]
        if all(isinstance(v, int) and v == values[0] for v in values):
            return np.full(len(order), values[0], dtype=np.int64)
        sizes = [len(np.asarray(f["owner"])) for f in self.families]
        small = np.int8 if name in ("kind", "side") else np.int64
        whole = [
            np.broadcast_to(np.asarray(v, small), n) for v, n in zip(values, sizes, strict=True)
        ]
        column: NDArray[np.int64] = np.concatenate(whole)[order]
        return column


_NUMBERS: dict[str, NDArray[np.int64] | int] = {"lower": 0, "upper": 1, "cost": 0}
