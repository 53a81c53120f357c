"""Rules that write a flow network of their own, where no constraint says what is meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import BadInput, Infeasible, counted, shown
from hierpair.hierarchy.arrays import Floats, Ints, row_sums
from hierpair.pairing.pairings import in_a_row, paid
from hierpair.pairing.pairs import Array, Labels, Pairs, applied
from hierpair.solvers import Arcs, Flow, FlowNetwork, Layout, NetworkBuilder, blocking_bounds, solve

LARGEST_FLOW = 2**53  # bounds are below this, so that sums of hundreds stay whole

Names = Labels | Sequence[Any] | Array | None  # what each of some nodes or arcs is of


@dataclass(frozen=True, eq=False)
class ArcFamily(Arcs):
    """Arcs that a rule wrote together."""

    says: str = ""  # what flow on them means, {} for what the arc is of
    text: Callable[[int], str] = str  # the same of each in words, by its place among them
    pair: Ints | None = None  # of arcs that are pairs, their numbers


@dataclass(frozen=True)
class NetworkRule:
    """A pairing rule that is a flow network of its own, solved as it is written.

    Parameters
    ----------
    write
        Takes :class:`Pairs` of a batch and a :class:`Net`, and writes nodes, arcs and pairs on it.

    Examples
    --------
    Every instance has a desk that looks at labels once more, two at most, at a cost of 3 each:

    >>> def write(pairs, net):
    ...     labels = pairs.labels("predicted")
    ...     out = net.nodes(len(pairs.ptr) - 1, "source")
    ...     desk = net.nodes(len(pairs.ptr) - 1, "desk")
    ...     own = net.nodes(labels.instance, "label")
    ...     net.supply(out, np.diff(labels.ptr))
    ...     net.supply(desk, -np.diff(labels.ptr))
    ...     net.arcs(out[labels.instance], own, says="{} is there", of=labels)
    ...     net.arcs(own, desk[labels.instance], cost=3, says="second look at {}", of=labels)
    >>> rule = NetworkRule(write)
    """

    write: Callable[[Pairs, Net], None]

    def __post_init__(self) -> None:
        if not callable(self.write):
            raise BadInput(
                f"a NetworkRule takes a function of pairs and net, got {shown(self.write)}"
            )


class Net:
    """A flow network in the making, for a batch; arrays are over nodes or arcs, or one for all."""

    def __init__(self, pairs: Pairs) -> None:
        self.batch, self._network = pairs, NetworkBuilder()
        self._nodes: list[Callable[[int], str]] = []  # of every node its text, by its number
        self.families: list[ArcFamily] = []
        self.layout: Layout

    def nodes(self, instance: Any, says: str, *, of: Names = None) -> Ints:
        """Add a node to each of some instances, or of all, given by their number.

        ``says`` tells what a node is, ``{}`` what each is ``of``.
        """
        n, first = len(self.batch.ptr) - 1, len(self._nodes)
        each = np.arange(n) if np.array_equal(instance, n) else np.atleast_1d(instance)
        owner = _whole(each, f"the instances of the nodes {says!r}", high=n)
        text = _texts(says, of, len(owner), "nodes")
        self._nodes += [lambda at: text(at - first)] * len(owner)
        return self._network.nodes(owner)

    def supply(self, node: Any, amount: Any) -> None:
        """Let nodes send so many units (negative: take); the sum of an instance has to be 0."""
        at = _whole(np.atleast_1d(node), "the node of a supply", high=len(self._network.owner))
        self._network.supply(at, _whole(amount, "a supply", len(at), low=1 - LARGEST_FLOW))

    def arcs(
        self,
        tail: Any,
        head: Any,
        lower: Any = 0,
        upper: Any = 1,
        cost: Any = 0,
        *,
        says: str,
        of: Names = None,
        pair: Ints | None = None,
    ) -> None:
        """Add arcs; ``says`` tells what a unit on them means, ``{}`` what each is ``of``."""
        owner, what = self._network.owner, f"the node of an end of {says!r}"
        tail, head = (_whole(np.atleast_1d(x), what, high=len(owner)) for x in (tail, head))
        lower, upper = (_whole(x, f"a bound of {says!r}", len(tail)) for x in (lower, upper))
        costs = np.broadcast_to(np.asarray(cost), tail.shape)
        text = _texts(says, of, len(tail), "arcs")
        if pair is not None:
            text = lambda at: says.replace("{}", self.batch.text(int(pair[at])))  # noqa: E731
        for wrong, why in (
            (lower > upper, "has bounds that contradict each other"),
            (~np.isfinite(costs.astype(np.float64)), "has no finite cost; leave it out"),
            (owner[tail] != owner[head], "leads to a node of another instance"),
            (pair is not None and self.batch.instance[pair] != owner[tail], "is not of it"),
        ):
            for at in np.flatnonzero(wrong)[:1].tolist():
                raise BadInput(f"arc {at} of {says!r}, {text(at)!r}, {why}", int(owner[tail[at]]))
        self.families.append(ArcFamily(tail, head, lower, upper, (costs,), says, text, pair))

    def pairs(
        self,
        tail: Any,
        head: Any,
        pair: Any,
        cost: Any = 0,
        lower: Any = 0,
        *,
        says: str = "the pair {}",
    ) -> None:
        """Add arcs on which a unit is a chosen pair, given by number; each at most once."""
        pair = _whole(pair, f"the number of a pair of {says!r}", high=len(self.batch))
        self.arcs(tail, head, lower, 1, cost, says=says, pair=pair)

    @property
    def network(self) -> FlowNetwork:
        """The networks in integers, once they are finished."""
        return self.layout.network

    @cached_property
    def texts(self) -> list[str]:
        """What flow on every arc means, in the order in which they were written."""
        return [family.text(at) for family in self.families for at in range(len(family.tail))]

    def node_names(self) -> list[str]:
        """Return what every node of the network is."""
        return [self._nodes[i](i) for i in self.layout.node_order.tolist()]

    def costs(self) -> Array:
        """Return the cost of every arc of the network, as it was given."""
        given = [family.costs[0] for family in self.families]
        exact = any(cost.dtype == object for cost in given)
        return self.layout.column(given, object if exact else np.float64)


def _whole(
    value: Any, what: str, n: int | None = None, low: int = 0, high: int = LARGEST_FLOW
) -> Ints:
    """Return whole numbers below a limit, n or one for all."""
    array = np.asarray(value)
    size = array.shape if n is None else (n,)
    odd = array.dtype.kind not in "iuf" or array.ndim > 1 or array.shape not in ((), size)
    if odd or (np.floor(array) != array).any():
        raise BadInput(f"{what} must be a whole number each, got {shown(value)}")
    for wrong in array[(array < low) | (array >= high)][:1]:
        raise BadInput(f"{what} must be at least {low} and below {high}, got {wrong}")
    return np.broadcast_to(array.astype(np.int64), size)


def _texts(says: Any, of: Any, n: int, what: str) -> Callable[[int], str]:
    """Return what each of n nodes or arcs is; nodes of nothing are numbered."""
    if not isinstance(says, str) or not says:
        raise BadInput(f"{what} need a text that says what they are, got {shown(says)}")
    if of is None:
        return lambda at: f"{says} {at + 1}" if what == "nodes" and n > 1 else says
    names = of.names if isinstance(of, Labels) else of
    if len(names) != n:
        raise BadInput(f"there are {n} {what} {says!r}, and of has {counted(len(names), 'name')}")
    return lambda at: says.replace("{}", str(names[at]))


def written_network(rule: NetworkRule, pairs: Pairs) -> Net:
    """Let a rule write the networks of a batch; what is no network is refused."""
    net = Net(pairs)
    applied(rule.write, pairs, net)
    net.layout = net._network.laid_out(len(pairs.ptr) - 1, net.families)
    used = [f.pair for f in net.families if f.pair is not None]
    number, count = np.unique(np.concatenate([np.arange(0), *used]), return_counts=True)
    pairs.refuse(
        np.isin(np.arange(len(pairs)), number[count > 1]),
        lambda _, whose: f"{whose} has several arcs; it may have one",
    )
    total = row_sums(net.network.supply, net.network.node_ptr)
    for i in np.flatnonzero(total)[:1].tolist():
        raise BadInput(f"the supplies of its network add up to {total[i]}, not to 0", i)
    return net


class OwnFlow(NamedTuple):
    """A cheapest flow of every instance."""

    flow: Flow
    cost: Floats  # in the original costs; nan where there is no flow
    gap: Floats  # how far it can be from the optimum because costs had to be rounded


def solve_network(own: Net, *, on_infeasible: Literal["raise", "nan"] = "raise") -> OwnFlow:
    """Find a cheapest flow of every instance; Infeasible names bounds that cannot hold."""
    network, scaled, n = own.network, own.layout.costs[0], own.network.n_components
    flow = solve(network)
    for instance in flow.infeasible[:1].tolist() if on_infeasible == "raise" else ():
        raise Infeasible(_why(own, instance), instance)
    cost = paid([(network.component, flow.flow, own.costs())], np.ones(n, dtype=np.int64))
    room = (network.upper - network.lower) * (not scaled.exact)
    gap = np.bincount(network.component, room, n) / scaled.scale
    cost[flow.infeasible], gap[flow.infeasible] = np.nan, 0.0
    return OwnFlow(flow, cost, gap)


def _why(own: Net, instance: int) -> str:
    """Return bounds and supplies of one instance that cannot hold together."""
    alone, arcs = own.network.alone(instance)
    found = blocking_bounds(alone)
    texts = [f"{own.texts[arc]}:" for arc in own.layout.order[arcs].tolist()]
    texts += ["a supply of"] * len(found.network.tail)
    said = [f"{texts[arc]} at least {found.network.lower[arc]}" for arc in found.lower]
    said += [f"{texts[arc]} at most {found.network.upper[arc]}" for arc in found.upper]
    return f"its network has no flow; these cannot hold together: {in_a_row(said)}"
