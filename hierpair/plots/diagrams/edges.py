"""The arcs of a flow network, and which of them get their cost written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hierpair.measures.evidence import PairEvidence, cost_text

__all__ = ["Edge", "edges_of", "order_of_true", "written"]

FEW, MANY = 20, 150
"""So many pairs all get their cost; of more, the chosen ones and the cheapest alternatives;
with more arcs in use than ``MANY``, as many of the dearest as there is room for."""


@dataclass(frozen=True)
class Edge:
    """An arc of the network.

    Attributes
    ----------
    left, right
        Its ends as positions among the labels; −1 is the default class.
    flow
        How often it is used.
    cost
        What one use costs.
    text
        The cost in words.
    needed
        Whether it is used or must be.
    """

    left: int
    right: int
    flow: int
    cost: float
    text: str
    needed: bool

    @property
    def to_default(self) -> bool:
        """Whether one end is a default class."""
        return self.left < 0 or self.right < 0

    @property
    def name(self) -> str:
        """What the arc is called in SVG."""
        ends = ("default" if i < 0 else str(i) for i in (self.left, self.right))
        return "arc-" + "-".join(ends)


def edges_of(evidence: PairEvidence, digits: int) -> list[Edge]:
    """Return the pairs that may be chosen, and an arc to a default class for every label."""
    edges = [
        Edge(
            p.predicted, p.true, int(p.chosen), p.cost,
            cost_text(p.cost, digits) + (" required" if p.required else ""),
            p.chosen or p.required,
        )
        for p in evidence.pairs
        if p.allowed or p.chosen
    ]  # fmt: skip
    for rows, from_left in ((evidence.predicted, True), (evidence.true, False)):
        for i, row in enumerate(rows):
            if row.default is not None:
                ends = (i, -1) if from_left else (-1, i)
                times = f" ×{row.n_missing}" if row.n_missing > 1 else ""
                text = cost_text(row.default, digits) + times
                edges.append(Edge(*ends, row.n_missing, row.default, text, row.n_missing > 0))
    return edges


def written(edges: Sequence[Edge]) -> tuple[set[int], set[int]]:
    """Return which arcs get their cost, and which of them must get it.

    What an unused default class would cost is written at the class, if it is one cost.
    """
    needed = {k for k, w in enumerate(edges) if w.needed}
    if len(needed) > MANY:
        return set(sorted(needed, key=lambda k: -edges[k].cost)[:MANY]), set()
    pairs = [k for k, w in enumerate(edges) if not w.to_default]
    if len(pairs) <= FEW:
        wanted = needed | set(pairs)
        for left in (True, False):
            ends = [k for k, w in enumerate(edges) if (w.right if left else w.left) < 0]
            if len({edges[k].cost for k in ends}) > 1:
                wanted.update(ends)
        return wanted, needed
    cheapest: dict[tuple[bool, int], int] = {}
    for k in sorted(pairs, key=lambda k: edges[k].cost):
        if not edges[k].flow:
            cheapest.setdefault((True, edges[k].left), k)
            cheapest.setdefault((False, edges[k].right), k)
    return needed | set(cheapest.values()), needed


def order_of_true(evidence: PairEvidence) -> list[int]:
    """Return the true labels in the order of their partners, so that few chosen arcs cross."""
    partners: dict[int, list[int]] = {}
    for p in evidence.pairs:
        if p.chosen:
            partners.setdefault(p.true, []).append(p.predicted)
    mean = {j: sum(ends) / len(ends) for j, ends in partners.items()}
    return sorted(range(len(evidence.true)), key=lambda j: (mean.get(j, float("inf")), j))
