"""Pairing problem ⇄ flow network: ``build`` on the way down, ``read`` on the way up.

For one instance the full network is that of Kosmopoulos et al. (2014, §2.3.1, Figure 3), with
the nodes merged that free arcs join anyway: source, sink and both default classes become one
*hub*, unless the number of pairs is bounded, when source and sink stay apart: the source is the
node of the instance, the largest set around the predicted labels.

    hub ─[lower, upper]→ predicted ─[0, 1] cost→ true ─[lower, upper]→ hub
    predicted ─[0, lower] default→ hub          hub ─[0, lower] default→ true

A label without a partner sends its unit back, at its default cost, so bounds on groups and totals
count real pairs alone. Groups put nodes between the hub and the labels, groups of a label's
partners between the label and its pairs. What numbers of pairs cost is a base arc for those that
cost nothing, an arc beside it for every step of costs of more pairs, and arcs back for fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Ints, marked
from hierpair.pairing.counts import Count, at_least
from hierpair.pairing.pairs import SIDES, Array, Side, other_side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Arcs, FlowNetwork, Layout, NetworkBuilder, solve

if TYPE_CHECKING:
    import networkx as nx

PAIR = -1  # what arcs of single pairs have as their count
ALWAYS = 2  # the sign of arcs that carry 1 at what the cheapest number costs, from a node to itself

NONE: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SetArcs(Arcs):
    """Arcs of one kind."""

    subject: Ints = field(default_factory=lambda: NONE)  # the sets of a count, or the pairs
    count: int = PAIR  # which of the counts
    sign: int = 0  # 0 for the numbers that cost nothing, 1 for more, -1 for fewer, or ALWAYS
    start: Ints | int = 0  # of these: from how many units they are counted


@dataclass(frozen=True, eq=False)
class InverseData(Layout):
    """What the arcs of a network say, and how to read costs back."""

    families: Sequence[SetArcs]  # the arcs as they were written: of counts, at last of pairs
    counts: tuple[Count, ...]  # what is counted, as it was written
    instead: Sequence[Ints]  # by side, the pair that a label takes rather than none; -1: none
    decided: Ints  # pairs that are chosen and have no arcs

    @cached_property
    def count(self) -> Array:
        """Of every arc: which of ``counts`` it is of, or :data:`PAIR`."""
        return self.column((f.count for f in self.families), np.int16)

    @cached_property
    def subject(self) -> Array:
        """Of every arc: its set, or its pair."""
        return self.column(f.subject for f in self.families)

    @cached_property
    def sign(self) -> Array:
        """Of every arc of a count: 0 for what costs nothing, 1 for more, -1 for fewer, ALWAYS."""
        return self.column((f.sign for f in self.families), np.int16)

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """The arcs of pairs, and the pairs that they are."""
        return self.arcs(-1), self.families[-1].subject


def build(problem: PairingProblem, *, reduce: bool = True) -> tuple[FlowNetwork, InverseData]:
    """Write one block-diagonal network, a component per instance; see the package for its shape.

    ``reduce=False`` writes everything that is counted, for certificates and what is told of them.
    BadInput is raised for sets that cross, which is no flow, SolverLimit for too large costs.
    """
    left = _Rest.of(problem)
    if reduce:
        left = _without_pairs(_with_cheapest(left))
    network, kept, counts = NetworkBuilder(), left.kept, left.counts
    ends, innermost = _placed(network, left)
    families: list[SetArcs] = []
    for k, (count, there, (tail, head)) in enumerate(zip(counts, left.there, ends, strict=True)):
        fixed = there & (count.lower == count.upper) & reduce
        network.supply(tail[fixed], -count.lower[fixed])
        network.supply(head[fixed], count.lower[fixed])
        at = np.flatnonzero(there & ~fixed)
        families.append(SetArcs(tail[at], head[at], count.lower[at], count.upper[at], (), at, k))
        for run in count.runs:
            own = run if there.all() else run.some(there[run.sets])
            way = (tail[own.sets], head[own.sets])[:: own.sign]
            families.append(
                SetArcs(way[0], way[1], 0, own.length, own.costs, own.sets, k, own.sign, own.start)
            )
        if count.constant:
            at = np.flatnonzero(there)
            paid = tuple(cost[at] for cost in count.constant)
            families.append(SetArcs(tail[at], tail[at], 1, 1, paid, at, k, ALWAYS))
    least, most = (x[kept] for x in problem.carried)
    for count in counts[: len(SIDES)] if reduce else ():  # labels that need all their pairs
        if count.must.any():
            every = count.must & (count.lower == count.units(kept, most))
            least = np.where(every[count.of_pair[kept]], most, least)
    costs = tuple(c[kept] for c in problem.costs)
    families.append(SetArcs(innermost[0], innermost[1], least, most, costs, kept))
    found = network.laid_out(problem.n_components, families, ((),) * len(costs))
    return found.network, InverseData(
        **vars(found), counts=counts, instead=left.instead, decided=left.decided
    )


@dataclass(frozen=True, eq=False)
class _Rest:
    """What is left to be written: sets that have a node, pairs that have an arc."""

    problem: PairingProblem
    counts: tuple[Count, ...]
    sides: Sequence[Side]  # of every count the one where its sets are around pairs
    there: Sequence[Bools]
    kept: Ints
    instead: Sequence[Ints] = ()
    decided: Ints = field(default_factory=lambda: NONE)

    @classmethod
    def of(cls, problem: PairingProblem) -> _Rest:
        """Return all of a problem, without numbers and nodes of labels that bound nothing."""
        counts, most = list(problem.counts), problem.carried[1]
        for k, count in enumerate(counts[2:], start=2):
            counts[k] = count.capped(count.units(slice(None), most))
        there = [np.ones(len(c), dtype=bool) for c in counts]
        of_labels = {c.side for c in counts[2:] if c.kind == "label"}
        for count, mine in zip(counts[:2], there, strict=False):
            if count.side in of_labels and not count.lower.any():
                mine[:] = (count.upper < count.units(slice(None), most)).any()
        sides = _sides(problem, counts)
        return cls(problem, tuple(counts), sides, there, np.flatnonzero(problem.candidate))


def _with_cheapest(left: _Rest) -> _Rest:
    """Let labels that need one partner, and may have any number, have one at most.

    One that stays alone takes its cheapest pair or its default: a least edge cover is a matching.
    """
    problem, cost = left.problem, left.problem.cost
    if len(left.counts) > len(SIDES) or problem.moved is not None or problem.required.any():
        return left  # more than the partners of labels is counted
    free = ((c.lower == 1).all() and (c.upper >= c.sizes).all() for c in left.counts)
    if len(problem.costs) > 1 or (cost < 0).any() or not all(free):
        return left
    counts, instead = [], []
    for count in left.counts:
        (default,) = count.under()
        some = np.flatnonzero(problem.candidate & (cost <= default[count.of_pair]))
        least, at = default.astype(np.result_type(default, cost)), count.of_pair[some]
        np.minimum.at(least, at, cost[some])
        near, pair = cost[some] == least[at], np.full(len(count), -1)
        pair[at[near]] = some[near]
        counts.append(replace(count, upper=np.ones_like(count.upper), runs=()).beyond(-1, [least]))
        instead.append(pair)
    return replace(left, counts=tuple(counts), instead=instead)


def _without_pairs(left: _Rest) -> _Rest:
    """Leave out pairs as dear as all that their labels pay without, and sets that bound nothing.

    Pairs that every best choice has are decided, and with them all others of their labels.
    """
    problem, (one, other, *others) = left.problem, left.counts
    if any(c.lower.any() or any(run.sign < 0 for run in c.runs) for c in others):
        return left  # not only labels ask for pairs: one less may cost more than their lack
    n_costs, (_, most) = len(problem.costs), problem.carried
    both = [
        np.where(one.lower > 0, a, 0)[one.of_pair] + np.where(other.lower > 0, b, 0)[other.of_pair]
        for a, b in zip(one.under(n_costs), other.under(n_costs), strict=True)
    ]
    needed = ~at_least(problem.costs, both) | problem.required
    kept, decided = np.flatnonzero(problem.candidate & needed & (most > 0)), [NONE]
    several = sum(count.kind in ("group", "partners") for count in others) > 1
    while True:
        apart, there = np.ones(len(kept), dtype=bool), list[Bools]()
        for k, (own, count) in enumerate(zip(left.there, left.counts, strict=True)):
            n = count.units(kept, most[kept])
            if k < len(SIDES):
                there.append(own & (n > 0))
            else:  # several groups may cross, which is refused whatever is left in them
                there.append(own & ((n > count.upper) | several))
                apart &= ~np.append(there[k], False)[count.of_pair[kept]]
        sure = kept[apart & _best(problem, (one, other), kept, both[0])]
        if not len(sure):
            return replace(left, kept=kept, there=there, decided=np.concatenate(decided))
        decided.append(sure)
        for count in (one, other):
            kept = kept[~marked(count.of_pair[sure], len(count))[count.of_pair[kept]]]


def _best(problem: PairingProblem, sides: Sequence[Count], kept: Ints, both: Array) -> Bools:
    """Return which pairs are left alone, or save more than the best others of both their labels.

    What is saved is what the labels pay without partners, less the cost of the pair. It tells where
    labels have one partner each and there is one cost, in floats or whole numbers.
    """
    cost, ends = problem.cost[kept], [(count, count.of_pair[kept]) for count in sides]
    plain = len(problem.costs) == 1 and object not in (both.dtype, cost.dtype)
    if problem.moved is not None or not (plain and all((c.upper == 1).all() for c in sides)):
        found: Bools = np.full(len(kept), problem.moved is None)
        for count, at in ends:
            found &= ((np.bincount(at, minlength=len(count)) == 1) & (count.upper > 0))[at]
        return found
    saved = np.where(problem.required[kept], np.inf, both[kept] - cost)
    beside = np.zeros(len(kept))
    for count, at in ends:
        first, second = np.zeros((2, len(count)))
        np.maximum.at(first, at, saved)
        is_first = saved == first[at]
        np.maximum.at(second, at, np.where(is_first, 0, saved))
        equal = np.bincount(at[is_first], minlength=len(count)) > 1
        beside += np.where(is_first & ~equal[at], second[at], first[at])
    largest = np.abs(saved[np.isfinite(saved)]).max(initial=0) + np.abs(cost).max(initial=0)
    rounding = 16 * np.finfo(float).eps * float(largest)
    with np.errstate(invalid="ignore"):  # inf beside inf, where labels must have partners
        return np.asarray(saved - beside > rounding)


NESTED = ("quota", "instance", "group", "label", "partners")
"""What is around what, where sets are equal."""


def _placed(network: NetworkBuilder, left: _Rest) -> tuple[list[tuple[Ints, Ints]], list[Ints]]:
    """Add hubs and nodes of sets; return tails and heads of counts, innermost nodes by side."""
    of, hub = left.problem.component, np.full(left.problem.n_components, -1)
    owners = [of(count.instance) for count in left.counts]
    for owner, mine in zip(owners, left.there, strict=True):
        hub[owner[mine]] = 0
    hub[hub == 0] = network.nodes(np.flatnonzero(hub == 0))
    node, around = [np.full(len(owner), -1) for owner in owners], [hub[owner] for owner in owners]
    for own, mine, owner in zip(node, left.there, owners, strict=True):
        own[mine] = network.nodes(owner[mine])
    at = hub[of(left.problem.pairs.instance)]
    innermost = [_nested(left, s, node, around, at.copy()) for s in SIDES]
    ends = zip(around, node, left.sides, strict=True)
    return [(a, b) if side == "predicted" else (b, a) for a, b, side in ends], innermost


def _nested(
    left: _Rest, side: Side, node: Sequence[Ints], around: Sequence[Ints], at: Ints
) -> Ints:
    """Write the node around every set of a side into ``around``; return each pair's innermost."""
    counts = left.counts
    own = [k for k, s in enumerate(left.sides) if s == side and left.there[k].any()]
    own.sort(key=lambda k: NESTED.index(counts[k].kind))
    if own in ([0], [1]):  # the labels, which every pair is in
        return node[own[0]][counts[own[0]].of_pair[left.kept]]
    groups = [counts[k] for k in own if counts[k].kind in ("group", "partners")]
    for a, b in combinations(groups, 2):
        for sets in _crossing(a, b)[:1]:
            (one, instance), (other, _) = a.place(sets[0]), b.place(sets[1])
            raise BadInput(
                f"{one} and {other} overlap, and neither contains the other; a flow "
                "can nest groups of a side, not cross them",
                instance,
            )
    size = np.zeros((len(own), len(at)), dtype=np.int64)
    for j, k in enumerate(own):
        of = counts[k].of_pair
        inside = (of >= 0) & (node[k][of] >= 0)
        size[j, inside] = counts[k].sizes[of[inside]]
    order = np.argsort(-size, axis=0, kind="stable")  # large sets first; what is in none comes last
    for outer in order:
        above = at.copy()
        for j, k in enumerate(own):
            here = np.flatnonzero((outer == j) & (size[j] > 0))
            which = counts[k].of_pair[here]
            at[here] = node[k][which]
            around[k][which] = above[here]
    return at[left.kept]


def _sides(problem: PairingProblem, counts: Sequence[Count]) -> Sequence[Side]:
    """Return where every count nests; over all instances those that cross part."""
    if not problem.joined:
        return [count.side or "predicted" for count in counts]
    crossing = [
        (a, b, sets[0])
        for a, b in combinations(range(len(counts)), 2)
        if (sets := _crossing(counts[a], counts[b]))
    ]
    crossing += [(b, a, sets[::-1]) for a, b, sets in crossing]
    side: dict[int, Side] = {}

    def put(k: int, own: Side) -> None:
        """Put a count on a side, and what crosses it on the other one."""
        side[k] = own
        for one, other, sets in crossing:
            if one == k and other not in side:
                put(other, other_side(own))
            elif one == k and side[other] == own:
                places = [counts[x].place(at) for x, at in zip((k, other), sets, strict=True)]
                names = [whose if i is None else f"{whose} (instance {i})" for whose, i in places]
                said = dict.fromkeys(quota.source for quota in problem.quotas)
                raise BadInput(
                    f"{' and '.join(said)}: {names[0]} and {names[1]} overlap, neither contains "
                    "the other, and both cross bounds of the other side; a flow can nest sets of "
                    "pairs on two sides, not cross them on a third (bounds per predicted class, "
                    "per true class and per instance together are three-dimensional matching). "
                    "Leave one of them out, or make it a cost"
                )

    for k, count in enumerate(counts):  # first labels
        if k not in side:
            put(k, count.side or "predicted")
    return [side[k] for k in range(len(counts))]


def _crossing(one: Count, other: Count) -> list[tuple[int, int]]:
    """Return sets that overlap although neither contains the other."""
    both = np.flatnonzero((one.of_pair >= 0) & (other.of_pair >= 0))
    key = one.of_pair[both] * len(other) + other.of_pair[both]
    sets, shared = np.unique(key, return_counts=True)
    a, b = np.divmod(sets, max(1, len(other)))
    at = (shared < one.sizes[a]) & (shared < other.sizes[b])
    return [*zip(a[at].tolist(), b[at].tolist(), strict=True)]


def network_graph(problem: PairingProblem, instance: int = 0) -> nx.MultiDiGraph[Any]:
    """Return the full flow network of one instance, with an optimal flow where there is one.

    Nodes have a ``name``, a ``side`` (None for source, sink and hub) and a ``kind`` (``"source"``
    and ``"sink"``, or ``"hub"`` unless all pairs are counted together, ``"label"``, ``"group"``,
    ``"partners"``). Edges have a ``kind`` (``"pair"``; ``"label"``, ``"group"``, ``"instance"`` for
    bounds; ``"default"`` for missing partners, which go back; ``"more"`` and ``"less"`` for steps
    of a table of costs), ``of`` what counts them, ``lower``, ``capacity``, ``costs`` of a unit, of
    which ``cost`` is the first, and ``flow``, which is 0 unless ``graph["feasible"]``. Tables cost
    ``graph["constant"]`` at least, which is no edge's. Where labels have masses, ``graph["whole"]``
    units make the mass 1, which costs are of.

    Examples
    --------
    >>> from hierpair import Hierarchy, LabelSets
    >>> from hierpair.pairing import Degree, Hops, Rule, Unmatched
    >>> from hierpair.pairing import Pairs, formulate
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> sets = (LabelSets.from_labels([labels], tree) for labels in (["a"], ["a", "b"]))
    >>> rule = Rule(Hops(), (Degree("predicted", 1, 1), Unmatched("predicted", 3)))
    >>> graph = network_graph(formulate(rule, Pairs.between(tree, *sets)))
    >>> [graph.nodes[node]["name"] for node in graph]
    ['hub', 'a', 'b', 'a']
    >>> sorted((a, b, e["kind"], e["cost"], e["flow"]) for a, b, e in graph.edges(data=True))[:3]
    [(0, 1, 'label', 0.0, 1), (0, 2, 'label', 0.0, 1), (1, 0, 'default', 3.0, 0)]
    """
    import networkx as nx

    if not 0 <= instance < problem.n_instances:
        raise BadInput(
            f"there is no instance number {instance}; they run from 0 to {problem.n_instances - 1}"
        )
    if problem.joined:
        raise BadInput(f"{problem.quotas[0].source}, joins all instances, and one is drawn")
    every, inverse = build(problem, reduce=False)
    network, arcs = every.alone(instance)
    flow = solve(network)
    feasible = not (len(flow.infeasible) or problem.hopeless[instance])
    graph = nx.MultiDiGraph(feasible=feasible, constant=0.0, rankdir="LR")
    if problem.moved is not None:
        graph.graph["whole"] = int(problem.moved.whole[instance])
    hub = "sink" if any(count.kind == "instance" for count in inverse.counts) else "hub"
    named, edges = {0: {"name": hub, "side": None, "kind": hub}}, list[Any]()
    prices = [
        (of / scaled.scale).tolist()
        for of, scaled in zip((network.cost, *network.later), inverse.costs, strict=True)
    ]
    ends = network.tail, network.head, network.lower, network.upper, flow.flow * feasible
    says = inverse.count[arcs], inverse.subject[arcs], inverse.sign[arcs]
    rows = zip(*(x.tolist() for x in (*ends, *says)), zip(*prices, strict=True), strict=True)
    for tail, head, lower, upper, units, k, at, sign, costs in rows:
        if sign == ALWAYS:
            graph.graph["constant"] += costs[0]
            continue
        count = None if k == PAIR else inverse.counts[k]
        is_bound = count is not None and sign == 0
        if is_bound and count is not None:
            named[tail if count.side == "true" else head] = _set(problem, count, at)
        if not is_bound and not upper:
            continue
        of = None if count is None else count.kind.replace("partners", "group")
        step = "more" if sign > 0 else "default" if k < len(SIDES) else "less"
        edges.append((tail, head, {
            "kind": "pair" if of is None else of if is_bound else step,
            "of": of, "lower": lower, "capacity": upper, "cost": costs[0], "costs": costs,
            "flow": units,
        }))  # fmt: skip
    graph.add_nodes_from(sorted(named.items()))
    graph.add_edges_from(edges)
    return graph


def _set(problem: PairingProblem, count: Count, at: int) -> dict[str, Any]:
    """Return what the node of a set is called."""
    if count.kind == "instance":
        return {"name": "source", "side": None, "kind": "source"}
    names = problem.pairs.labels(count.of_labels).names
    inside = [str(names[i]) for i in count.members(at).tolist()]
    name = inside[0] if count.kind == "label" else "{" + ", ".join(inside) + "}"
    return {"name": name, "side": count.side, "kind": count.kind}
