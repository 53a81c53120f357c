"""The flow of one instance through a network that a rule wrote itself, family by family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.measures.evidence.base import Evidence, Name, cost_text
from hierpair.measures.evidence.neighbourhoods import Neighbourhood, neighbourhood
from hierpair.pairing import OwnFlow, OwnNetwork
from hierpair.solvers import check
from hierpair.tables import Block

__all__ = ["ArcRow", "NetworkEvidence", "NodeRow", "network_evidence"]


@dataclass(frozen=True)
class ArcRow:
    """One arc of a network.

    Attributes
    ----------
    family
        What the rule says of arcs that were written together.
    says
        What flow on this one means.
    lower, upper
        Its bounds.
    flow
        How many units it carries.
    cost
        What a unit costs.
    slack
        Reduced cost in the proof: by so much, at least, the cost may change towards 0 reduced
        cost before the flow has to change.
    tail, head
        Where it goes from and to, by position among the nodes.
    """

    family: str
    says: str
    lower: int
    upper: int
    flow: int
    cost: float
    slack: float
    tail: int
    head: int


@dataclass(frozen=True)
class NodeRow:
    """One node of a network.

    Attributes
    ----------
    name
        What the rule says it is; numbered where there are several.
    supply
        How many units it sends (negative: takes).
    """

    name: str
    supply: int


@dataclass(frozen=True)
class NetworkEvidence(Evidence):
    """A cheapest flow, what it says, and the proof that none is cheaper.

    Attributes
    ----------
    nodes
        All nodes, in the order in which they were added.
    arcs
        All arcs, in the order in which they were written.
    pairs
        The pairs that the flow chooses: predicted and true class.
    cost
        What the flow costs.
    bound
        What dual prices prove that every flow costs at least.
    optimal
        Whether the check without the solver found it feasible and optimal.
    gap
        How far the cost can be from the optimum because costs had to be rounded.
    """

    nodes: tuple[NodeRow, ...]
    arcs: tuple[ArcRow, ...]
    pairs: tuple[tuple[Name, Name], ...]
    cost: float
    bound: float
    optimal: bool
    gap: float

    kind: ClassVar[str] = "network"

    @property
    def columns(self) -> Mapping[str, float]:
        """The cost, added up from the arcs."""
        return {"cost": math.fsum(arc.flow * arc.cost for arc in self.arcs)}

    def around(
        self,
        hierarchy: Hierarchy,
        true: NDArray[np.integer],
        predicted: NDArray[np.integer],
        most: int,
    ) -> Neighbourhood:
        """Return the labels and their ancestors, with the chosen pairs."""
        place = hierarchy.position
        pairs = [(place[p], place[t]) for p, t in self.pairs]
        return neighbourhood(hierarchy, true, predicted, pairs=pairs, most=most)

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return the families, the arcs that carry something, and the proof."""
        families: dict[str, list[ArcRow]] = {}
        for arc in self.arcs:
            families.setdefault(arc.family, []).append(arc)
        sums = [
            [
                name,
                str(len(rows)),
                str(sum(r.flow for r in rows)),
                cost_text(math.fsum(r.flow * r.cost for r in rows), digits),
            ]
            for name, rows in families.items()
        ]
        used = [
            [
                arc.says,
                f"{arc.lower}…{arc.upper}",
                str(arc.flow),
                cost_text(arc.cost, digits),
                cost_text(arc.slack, digits),
            ]
            for arc in self.arcs
            if arc.flow
        ]
        proof = f"proof: the dual prices show that every flow costs at least {self.bound:.10g}"
        if not self.optimal:
            proof = "the flow could not be proved optimal; please report this"
        close = f" (costs were rounded; the optimum is within {self.gap:.1e})" if self.gap else ""
        return [
            Block(["arcs", "number", "flow", "cost"], sums, align="lrrr"),
            Block(["flow", "allowed", "units", "cost of 1", "slack"], used, align="lrrrr"),
            f"cost {cost_text(self.cost, digits)}\n{proof}{close}",
        ]


def network_evidence(own: OwnNetwork, found: OwnFlow) -> NetworkEvidence:
    """Spell out the flow of a batch of one, and check it without the solver."""
    network, flow = own.network, found.flow.flow
    proof = check(network, found.flow)
    reduced = network.cost + proof.potentials[network.tail] - proof.potentials[network.head]
    order = np.lexsort((own.within, own.family))
    costs = own.costs()
    rows = tuple(
        ArcRow(
            own.families[own.family[a]].says,
            own.text(a),
            int(network.lower[a]),
            int(network.upper[a]),
            int(flow[a]),
            float(costs[a]),
            float(reduced[a] / own.scale),
            int(network.tail[a]),
            int(network.head[a]),
        )
        for a in order.tolist()
    )
    pairs, names = own.pairs, own.pairs.hierarchy.names
    chosen = np.flatnonzero(found.chosen).tolist()
    nodes = zip(own.node_names(), network.supply.tolist(), strict=True)
    return NetworkEvidence(
        tuple(NodeRow(name, supply) for name, supply in nodes),
        rows,
        tuple((names[pairs.predicted[i]], names[pairs.true[i]]) for i in chosen),
        float(found.cost[0]),
        proof.bound / own.scale,
        proof.optimal,
        float(found.gap[0]),
    )
