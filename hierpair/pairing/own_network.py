"""What a rule wrote as a network of its own: nodes, families of arcs, and what every arc means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.pairs import Pairs
from hierpair.solvers import FlowNetwork

__all__ = ["ArcFamily", "OwnNetwork", "PairNames"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ArcFamily:
    """Arcs that were written together.

    Attributes
    ----------
    says
        What flow on them means, ``{}`` for what the arc is of.
    tail, head
        Nodes, by number.
    lower, upper, cost
        Of every arc.
    of
        What each arc is of, in words, or None.
    pair
        Of arcs that are pairs, their numbers; otherwise None.
    """

    says: str
    tail: Ints
    head: Ints
    lower: Ints
    upper: Ints
    cost: NDArray[Any]
    of: Sequence[Any] | None = None
    pair: Ints | None = None

    def text(self, at: int) -> str:
        """Return what flow on one arc means."""
        return self.says if self.of is None else self.says.replace("{}", str(self.of[at]))


class PairNames(Sequence[str]):
    """The names of some pairs, made when they are asked for."""

    def __init__(self, pairs: Pairs, numbers: Ints) -> None:
        self.pairs, self.numbers = pairs, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: Any) -> Any:  # of one place only
        return self.pairs.text(int(self.numbers[at]))


@dataclass(frozen=True, eq=False)
class OwnNetwork:
    """The networks of a batch that a rule wrote, and what their arcs say.

    Attributes
    ----------
    pairs
        The pairs of the batch.
    network
        As integers, a component per instance.
    families
        The arcs as they were written.
    family, within
        Of every arc of the network, its family and its place there.
    scale, exact
        By what costs were multiplied, and whether none was rounded.
    node_says
        What nodes that were added together are, and what each is of.
    node_kind, node_within
        Of every node, which of these it is, and its place there.
    """

    pairs: Pairs
    network: FlowNetwork
    families: tuple[ArcFamily, ...]
    family: Ints
    within: Ints
    scale: int
    exact: bool
    node_says: tuple[tuple[str, Any], ...]
    node_kind: Ints
    node_within: Ints

    def text(self, arc: int) -> str:
        """Return what flow on an arc of the network means."""
        family: ArcFamily = self.families[int(self.family[arc])]
        return family.text(int(self.within[arc]))

    def node_names(self) -> list[str]:
        """Return what every node is; those of nothing that were added together are numbered."""
        count = np.bincount(self.node_kind, minlength=1)
        seen = np.zeros_like(count)
        names = []
        for k, at in zip(self.node_kind.tolist(), self.node_within.tolist(), strict=True):
            says, of = self.node_says[k]
            seen[k] += 1
            number = f" {seen[k]}" if count[k] > 1 else ""
            names.append(says + number if of is None else says.replace("{}", str(of[at])))
        return names

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of the families over the arcs of the network: ``cost`` or ``pair``."""
        found = np.empty(len(self.family), dtype=object)
        for k, family in enumerate(self.families):
            values = getattr(family, name)
            own = self.family == k
            found[own] = None if values is None else values[self.within[own]]
        return found

    def part(self, instance: int) -> OwnNetwork:
        """Return the network of one instance, over the same pairs."""
        w = self.network
        arcs = slice(*w.arc_ptr[instance : instance + 2].tolist())
        first, last = w.node_ptr[instance : instance + 2].tolist()
        alone = FlowNetwork(
            w.tail[arcs] - first, w.head[arcs] - first, w.lower[arcs], w.upper[arcs], w.cost[arcs],
            w.supply[first:last], np.array([0, arcs.stop - arcs.start]),
            np.array([0, last - first]),
        )  # fmt: skip
        return replace(
            self, network=alone, family=self.family[arcs], within=self.within[arcs],
            node_kind=self.node_kind[first:last], node_within=self.node_within[first:last],
        )  # fmt: skip
