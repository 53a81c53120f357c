"""Rules that write a flow network of their own, where no constraint says what is meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, called, listed, shown
from hierpair.hierarchy.arrays import offsets
from hierpair.pairing.network.pairings import paid
from hierpair.pairing.pairs import Labels, Pairs
from hierpair.solvers import Arcs, Flow, FlowNetwork, blocking_bounds, laid_out, solve

__all__ = [
    "ArcFamily",
    "Net",
    "NetworkRule",
    "OwnFlow",
    "OwnNetwork",
    "solve_network",
    "written_network",
]

Ints = NDArray[np.int64]

LARGEST_FLOW = 2**53
"""Bounds and supplies are below this, so that sums of some hundred of them stay whole."""

MOST_NAMED = 12
"""Bounds that a message names."""


@dataclass(frozen=True, eq=False)
class ArcFamily(Arcs):
    """Arcs that a rule wrote together.

    Attributes
    ----------
    says
        What flow on them means, ``{}`` for what the arc is of.
    of
        What each arc is of, in words, or None.
    pair
        Of arcs that are pairs, their numbers; otherwise None.
    """

    says: str = ""
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

    def costs(self) -> NDArray[Any]:
        """Return the cost of every arc of the network, as it was given."""
        given = [family.costs[0] for family in self.families]
        exact = any(cost.dtype == object for cost in given)
        found = np.empty(len(self.family), dtype=object if exact else np.float64)
        for k, cost in enumerate(given):
            own = self.family == k
            found[own] = cost[self.within[own]]
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
    """A flow network in the making, for all instances of a batch at once.

    All arrays are over nodes or arcs; a single number is for all.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._owner: list[Ints] = []
        self._says: list[str] = []
        self._of: list[Any] = []
        self._count = 0
        self._supplies: list[tuple[Ints, Ints]] = []
        self.families: list[ArcFamily] = []
        """What was written, in its order."""

    def nodes(
        self,
        instance: Any,
        says: str,
        *,
        of: Labels | Sequence[Any] | NDArray[Any] | None = None,
    ) -> Ints:
        """Add a node for each of some instances; return the numbers of the nodes.

        ``instance`` is an array of instances, or the number of all, which have one node each;
        ``says`` tells what a node is, ``{}`` what each is ``of``.
        """
        n = len(self._pairs.ptr) - 1
        what = self._named(says, "nodes")
        if np.ndim(instance) == 0:
            if isinstance(instance, bool) or instance != n:
                raise BadInput(
                    f"the nodes {what!r} are one for each of {n} instances, or an array of "
                    f"instances; got {shown(instance)}"
                )
            instance = np.arange(n)
        owner = self._whole(instance, f"the instances of the nodes {what!r}", None)
        if len(owner) and not 0 <= owner.min() <= owner.max() < n:
            raise BadInput(f"the nodes {what!r} are of instances 0 to {n - 1}, got {owner.max()}")
        self._owner.append(owner)
        names = of.names if isinstance(of, Labels) else of
        if names is not None and len(names) != len(owner):
            raise BadInput(f"the {len(owner)} nodes {what!r} are of {len(names)} things")
        self._says.append(what)
        self._of.append(names)
        self._count += len(owner)
        return np.arange(self._count - len(owner), self._count)

    def supply(self, node: Any, amount: Any) -> None:
        """Let nodes send so many units (negative: take); the sum of an instance has to be 0."""
        at = self._ends(node, "supply")
        self._supplies.append((at, self._whole(amount, "a supply", len(at), low=-LARGEST_FLOW)))

    def arcs(
        self,
        tail: Any,
        head: Any,
        lower: Any = 0,
        upper: Any = 1,
        cost: Any = 0,
        *,
        says: str,
        of: Labels | Sequence[Any] | NDArray[Any] | None = None,
    ) -> None:
        """Add arcs; ``says`` tells what a unit on them means, ``{}`` what each is ``of``."""
        self._add(tail, head, lower, upper, cost, self._named(says, "arcs"), of, None)

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
        numbers = self._whole(pair, "the number of a pair", None)
        n = len(self._pairs.instance)
        wrong = np.flatnonzero((numbers < 0) | (numbers >= n))
        if len(wrong):
            raise BadInput(f"there is no pair {numbers[wrong[0]]} of {n}")
        names = PairNames(self._pairs, numbers)
        self._add(tail, head, lower, 1, cost, self._named(says, "pairs"), names, numbers)

    def _add(
        self, tail: Any, head: Any, lower: Any, upper: Any, cost: Any, says: str, of: Any,
        pair: Ints | None,
    ) -> None:  # fmt: skip
        tail, head = self._ends(tail, says), self._ends(head, says)
        n = max(len(tail), len(head))
        if n != len(tail) or n != len(head) or (pair is not None and len(pair) != n):
            counts = [len(tail), len(head)] + ([] if pair is None else [len(pair)])
            raise BadInput(f"the arcs {says!r} need as many tails as heads, got {counts}")
        lower, upper = (self._whole(x, f"a bound of {says!r}", n) for x in (lower, upper))
        bad = np.flatnonzero(lower > upper)
        if len(bad):
            at = int(bad[0])
            low, high = (int(x[at]) for x in (lower, upper))
            raise BadInput(
                f"arc {at} of {says!r} cannot carry at least {low} and at most {high}",
                self._instance(int(tail[at])),
            )
        names = of.names if isinstance(of, Labels) else of
        if names is not None and len(names) != n:
            raise BadInput(f"the {n} arcs {says!r} are of {len(names)} things")
        costs = self._costs(cost, says, n, tail)
        self.families.append(
            ArcFamily(
                tail, head, self._instances()[tail], lower, upper, (costs,), says, names, pair
            )
        )

    def _costs(self, cost: Any, says: str, n: int, tail: Ints) -> NDArray[Any]:
        try:
            costs = np.broadcast_to(np.asarray(cost), (n,))
            values = costs.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise BadInput(f"the cost of {says!r} must be {n} numbers, got {shown(cost)}") from None
        if costs.dtype.kind not in "iufO":
            raise BadInput(f"the cost of {says!r} must be numbers, got {costs.dtype}")
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            at = int(wrong[0])
            raise BadInput(
                f"the cost of arc {at} of {says!r} is {costs[at]}; leave out impossible arcs",
                self._instance(int(tail[at])),
            )
        return costs

    def _ends(self, node: Any, says: str) -> Ints:
        at = self._whole(np.atleast_1d(node), f"a node of {says!r}", None)
        wrong = np.flatnonzero((at < 0) | (at >= self._count))
        if len(wrong):
            raise BadInput(f"{says!r} has an end at node {at[wrong[0]]}; there are {self._count}")
        return at

    def _whole(self, value: Any, what: str, n: int | None, low: int = 0) -> Ints:
        """Return whole numbers, n or one for all."""
        array = np.asarray(value)
        size = array.shape if n is None else (n,)
        numbers = array.astype(np.float64) if array.dtype.kind in "iuf" else np.full((), np.nan)
        good = np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all()
        if not good or array.ndim > 1 or array.shape not in ((), size):
            raise BadInput(f"{what} must be a whole number each, got {shown(value)}")
        if len(wrong := np.flatnonzero((numbers < low) | (numbers > LARGEST_FLOW))):
            raise BadInput(
                f"{what} must be from {max(low, -LARGEST_FLOW)} to 2**53, got "
                f"{array.ravel()[wrong[0]]}"
            )
        return np.broadcast_to(array.astype(np.int64), size).copy()

    def _named(self, says: Any, what: str) -> str:
        if not isinstance(says, str) or not says:
            raise BadInput(f"{what} need a text that says what they are, got {shown(says)}")
        return says

    def _instance(self, node: int) -> int:
        return int(self._instances()[node])

    def _instances(self) -> Ints:
        return np.concatenate([np.empty(0, dtype=np.int64), *self._owner])

    def _said(self, node: int) -> str:
        return self._says[int(_numbered([len(owners) for owners in self._owner])[0][node])]

    def finished(self) -> OwnNetwork:
        """Return the network, instance by instance.

        Raises
        ------
        BadInput
            For arcs between instances, a pair of another instance or that has two arcs, and
            supplies whose sum is not 0.
        """
        n, owner = len(self._pairs.ptr) - 1, self._instances()
        for family in self.families:
            self._check_family(family, owner)
        self._check_pairs()
        supply = np.zeros(self._count, dtype=np.int64)
        for node, amount in self._supplies:
            np.add.at(supply, node, amount)
        total = np.zeros(n, dtype=np.int64)
        np.add.at(total, owner, supply)
        if total.any():
            at = int(np.flatnonzero(total)[0])
            raise BadInput(f"the supplies of its network add up to {total[at]}, not to 0", at)
        order = np.argsort(owner, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        node_ptr = offsets(np.bincount(owner, minlength=n))
        arcs = [replace(f, tail=place[f.tail], head=place[f.head]) for f in self.families]
        found = laid_out(arcs, supply[order], node_ptr)
        of_family, within = _numbered([len(f.tail) for f in arcs])
        kind, of_kind = _numbered([len(owners) for owners in self._owner])
        return OwnNetwork(
            self._pairs, found.network, tuple(self.families), of_family[found.order],
            within[found.order], found.costs[0].scale, found.costs[0].exact,
            tuple(zip(self._says, self._of, strict=True)), kind[order], of_kind[order],
        )  # fmt: skip

    def _check_family(self, family: ArcFamily, owner: Ints) -> None:
        ends = owner[family.tail], owner[family.head]
        apart = np.flatnonzero(ends[0] != ends[1])
        if len(apart):
            at = int(apart[0])
            raise BadInput(
                f"{family.text(at)!r} goes from the node {self._said(family.tail[at])!r} of "
                f"instance {ends[0][at]} to the node {self._said(family.head[at])!r} of instance "
                f"{ends[1][at]}; every instance has a network of its own"
            )
        if family.pair is not None:
            other = np.flatnonzero(self._pairs.instance[family.pair] != ends[0])
            if len(other):
                at = int(other[0])
                raise BadInput(
                    f"{family.text(at)!r} is a pair of instance "
                    f"{self._pairs.instance[family.pair[at]]}",
                    int(ends[0][at]),
                )

    def _check_pairs(self) -> None:
        used = [f.pair for f in self.families if f.pair is not None]
        count = np.bincount(np.concatenate([np.empty(0, np.int64), *used]), minlength=1)
        if count.max() > 1:
            at = int(count.argmax())
            raise BadInput(
                f"the pair {self._pairs.text(at)} has {count[at]} arcs; it may have one",
                int(self._pairs.instance[at]),
            )


def _numbered(sizes: list[int]) -> tuple[Ints, Ints]:
    """Return, of all things of several families, which family each is of and its place there."""
    within = np.concatenate([np.empty(0, dtype=np.int64), *map(np.arange, sizes)])
    return np.repeat(np.arange(len(sizes)), sizes), within


def written_network(rule: NetworkRule, pairs: Pairs) -> OwnNetwork:
    """Let a rule write the networks of a batch.

    Raises
    ------
    BadInput
        For what is no network; names the arcs and the instance.
    """
    net = Net(pairs)
    try:
        rule.write(pairs, net)
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"{called(rule.write)} failed: {type(error).__name__}: {error}") from error
    return net.finished()


@dataclass(frozen=True, eq=False)
class OwnFlow:
    """A cheapest flow of every instance.

    Attributes
    ----------
    flow
        Over the arcs of the network.
    cost, gap
        Of every instance, in the original costs, and how far it can be from the optimum because
        costs had to be rounded; nan and 0 where there is no flow.
    chosen
        Over the pairs of the batch.
    """

    flow: Flow
    cost: NDArray[np.float64]
    gap: NDArray[np.float64]
    chosen: NDArray[np.bool_]


def solve_network(own: OwnNetwork, *, on_infeasible: Literal["raise", "nan"] = "raise") -> OwnFlow:
    """Find a cheapest flow of every instance.

    Raises
    ------
    Infeasible
        Names the first instance without a flow, and bounds that cannot hold together there.
    SolverLimit
        If costs are too large for the solver.
    """
    network = own.network
    flow = solve(network)
    if len(flow.infeasible) and on_infeasible == "raise":
        instance = int(flow.infeasible[0])
        raise Infeasible(_why(own.part(instance)), instance)
    n = network.n_components
    owed = [(network.component, flow.flow, own.costs())]
    cost, gap = paid(owed, np.ones(n, dtype=np.int64)), np.zeros(n)
    if not own.exact:
        room = (network.upper - network.lower).astype(np.float64)
        gap = np.bincount(network.component, room, minlength=n) / own.scale
    cost[flow.infeasible], gap[flow.infeasible] = np.nan, 0.0
    chosen = np.zeros(len(own.pairs.instance), dtype=bool)
    for k, family in enumerate(own.families):
        if family.pair is not None:
            used = np.flatnonzero((own.family == k) & (flow.flow > 0))
            chosen[family.pair[own.within[used]]] = True
    return OwnFlow(flow, cost, gap, chosen)


def _why(own: OwnNetwork) -> str:
    """Return bounds and supplies of one instance that cannot hold together."""
    w = own.network
    sends = np.flatnonzero(w.supply)
    hub, amount = len(w.supply), w.supply[sends]
    forth = amount > 0
    fixed = np.abs(amount)
    circulation = replace(
        w,
        tail=np.concatenate([w.tail, np.where(forth, hub, sends)]),
        head=np.concatenate([w.head, np.where(forth, sends, hub)]),
        lower=np.concatenate([w.lower, fixed]),
        upper=np.concatenate([w.upper, fixed]),
        cost=np.concatenate([w.cost, np.zeros_like(fixed)]),
        supply=np.zeros(hub + 1, dtype=np.int64),
        arc_ptr=np.array([0, len(w.tail) + len(sends)]),
        node_ptr=np.array([0, hub + 1]),
    )
    every = np.ones(len(circulation.tail), dtype=bool)
    lower, upper, _ = blocking_bounds(circulation, every, every, np.where(every, 0, 0))
    said = []
    for arcs, bound, values in (
        (lower, "at least", circulation.lower),
        (upper, "at most", circulation.upper),
    ):
        for arc in arcs.tolist():
            if arc >= len(w.tail):
                said.append(f"a supply of {bound} {values[arc]}")
            else:
                said.append(f"{own.text(arc)}: {bound} {values[arc]}")
    return f"its network has no flow; these cannot hold together: {listed(said, MOST_NAMED)}"
