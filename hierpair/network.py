"""Pairing problem ⇄ flow network: ``build`` on the way down, ``read`` on the way up.

For one instance the full network is that of Kosmopoulos et al. (2014, §2.3.1, Figure 3), with
the nodes merged that free arcs join anyway: source, sink and both default classes become one
*hub*, unless the number of pairs is bounded, when source and sink stay apart.

    hub ─[at_least, at_most]→ predicted ─[0, 1] price→ true ─[at_least, at_most]→ hub
    predicted ─[0, at_least] default→ hub          hub ─[0, at_least] default→ true

A label without a partner sends its unit back to where it came from, at its default price, so
bounds on groups and totals count real pairs alone. Nested groups put nodes between the hub and
the labels.

Two exact reductions keep networks small. Where every label needs one partner or may have any
number, a label's *fallback* price is its default, or the cheapest of its pairs if that is less
and partners are unlimited; a pair as dear as both fallbacks together is in no better solution
than the fallbacks are, and its arc is left out; a label without any arc takes its fallback.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import Infeasible
from hierpair.hierarchy.arrays import offsets, row_sums, sorted_unique
from hierpair.pairing.problem import PairingProblem, Side
from hierpair.solvers import Flow, FlowNetwork, Scaled, shortage, solve, to_integers

__all__ = ["Meaning", "Pairing", "build", "read", "solve_pairing"]

SIDES: tuple[Side, Side] = ("predicted", "true")
BOUND, DEFAULT, PAIR, GROUP, TOTAL = range(5)


@dataclass(frozen=True, eq=False)
class Meaning:
    """What the arcs of a network say, and how to read prices back.

    Attributes
    ----------
    kind
        Of every arc: bound of a label, default, pair, group, total.
    side
        Of every arc: 0 predicted, 1 true (of a pair, total: 0).
    subject
        Of every arc: the position of its label, pair or grouping.
    prices
        Prices as integers: of pairs, predicted defaults, true defaults.
    fallback_pair
        By side: the pair that a label takes as its fallback, -1 for its default class;
        None without that reduction.
    """

    kind: NDArray[np.int8]
    side: NDArray[np.int8]
    subject: NDArray[np.int64]
    prices: Scaled
    fallback_pair: dict[Side, NDArray[np.int64]] | None


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
        Price of the pairing in the original prices, shape ``(n_instances,)``.
    gap
        How far each cost can be from the optimum because prices had to be rounded for the
        solver; 0 for integers, Fractions and floats that are multiples of 2**-20.
    """

    chosen: NDArray[np.bool_]
    missing: dict[Side, NDArray[np.int64]]
    cost: NDArray[np.float64]
    gap: NDArray[np.float64]


def solve_pairing(problem: PairingProblem, *, reduce: bool = True) -> Pairing:
    """Build the network, solve it, and read the pairing.

    ``reduce=False`` solves the full network of every instance, for comparison.
    """
    network, meaning = build(problem, reduce=reduce)
    return read(network, solve(network), meaning, problem)


def build(problem: PairingProblem, *, reduce: bool = True) -> tuple[FlowNetwork, Meaning]:
    """Write one block-diagonal network, a component per instance.

    Raises
    ------
    Infeasible
        If a label needs a partner and has no candidate and no default.
    SolverLimit
        If the prices are too large for the solver.
    """
    if reduce and _is_plain(problem):
        return _build_reduced(problem)
    return _build_full(problem)


def read(
    network: FlowNetwork, flow: Flow, meaning: Meaning, problem: PairingProblem
) -> Pairing:
    """Translate a flow back into pairs and defaults.

    Raises
    ------
    Infeasible
        Names the first instance without a feasible pairing, and the label, group or total
        that cannot get what it demands.
    """
    if len(flow.infeasible):
        raise _explain_infeasible(network, int(flow.infeasible[0]), meaning, problem)
    picked = meaning.subject[(meaning.kind == PAIR) & (flow.flow > 0)]
    missing: dict[Side, NDArray[np.int64]] = {}
    fallback_pairs: list[NDArray[np.int64]] = []
    for number, side in enumerate(SIDES):
        bought = np.zeros(len(problem.at_least[side]), dtype=np.int64)
        if meaning.fallback_pair is None:
            of_default = (meaning.kind == DEFAULT) & (meaning.side == number)
            bought[meaning.subject[of_default]] = flow.flow[of_default]
        else:
            at = problem.pairs.predicted_at if side == "predicted" else problem.pairs.true_at
            back = meaning.fallback_pair[side]
            alone = np.ones(len(back), dtype=bool)
            alone[at[picked]] = False
            bought[alone & (back < 0)] = 1
            fallback_pairs.append(back[alone & (back >= 0)])
        missing[side] = bought
    if fallback_pairs:
        picked = sorted_unique(np.concatenate([picked, *fallback_pairs]))
    return _priced(problem, picked, missing, meaning.prices)


# ---------------------------------------------------------------------- the reduced network


def _is_plain(problem: PairingProblem) -> bool:
    """Whether all labels need one partner and may have just one, or all may have any number."""
    if problem.groupings or problem.total is not None or problem.required.any():
        return False
    if len(problem.price) and not (problem.price[problem.candidate] >= 0).all():
        return False
    if not all((problem.at_least[s] == 1).all() for s in SIDES):
        return False
    return _all_single(problem) or _all_open(problem)


def _all_single(problem: PairingProblem) -> bool:
    return all((problem.at_most[s] == 1).all() for s in SIDES)


def _all_open(problem: PairingProblem) -> bool:
    count = {s: np.diff(problem.labels(s).ptr) for s in SIDES}
    others = {"predicted": count["true"], "true": count["predicted"]}
    return all((problem.at_most[s] >= others[s][problem.labels(s).instance]).all() for s in SIDES)


def _build_reduced(problem: PairingProblem) -> tuple[FlowNetwork, Meaning]:
    pairs = problem.pairs
    at = {"predicted": pairs.predicted_at, "true": pairs.true_at}
    fallback: dict[Side, NDArray[Any]] = dict(problem.default)
    fallback_pair: dict[Side, NDArray[np.int64]] = {
        s: np.full(len(fallback[s]), -1, dtype=np.int64) for s in SIDES
    }
    if not _all_single(problem):
        for s in SIDES:
            fallback[s], fallback_pair[s] = _cheapest(problem, s)
    limit = fallback["predicted"][at["predicted"]] + fallback["true"][at["true"]]
    kept = np.flatnonzero(problem.candidate & (problem.price < limit))
    position: dict[Side, NDArray[np.int64]] = {}
    used: dict[Side, NDArray[np.int64]] = {}
    for s in SIDES:
        in_use = np.zeros(len(fallback[s]), dtype=bool)
        in_use[at[s][kept]] = True
        used[s] = np.flatnonzero(in_use)
        position[s] = np.where(in_use, np.cumsum(in_use) - 1, -1)
        hopeless = np.flatnonzero(~in_use & (fallback[s] == np.inf))
        if len(hopeless):
            raise _no_candidate(problem, s, int(hopeless[0]))
    prices = to_integers(
        [problem.price[kept], *(np.where(fallback[s] == np.inf, 0, fallback[s]) for s in SIDES)]
    )
    pair_price = np.zeros(len(problem.price), dtype=np.int64)
    pair_price[kept] = prices.values[0]
    prices = replace(prices, values=[pair_price, *prices.values[1:]])

    # A true class with one candidate and a finite fallback needs no node: its two arcs follow
    # each other, so the pair goes straight to the hub and saves the fallback.
    tied = np.bincount(at["true"][kept], minlength=len(fallback["true"])) == 1
    tied &= fallback["true"] != np.inf
    through = tied[at["true"][kept]]
    used["true"] = used["true"][~tied[used["true"]]]
    position["true"] = np.cumsum(~tied & (position["true"] >= 0)) - 1

    # Nodes of an instance: the hub, its predicted labels, its true labels.
    n = problem.n_instances
    owner = {s: problem.labels(s).instance[used[s]] for s in SIDES}
    count = {s: np.bincount(owner[s], minlength=n) for s in SIDES}
    has_hub = (count["predicted"] > 0).astype(np.int64)
    node_ptr = offsets(has_hub + count["predicted"] + count["true"])
    first = {"predicted": node_ptr[:-1] + has_hub}
    first["true"] = first["predicted"] + count["predicted"]
    node = {
        s: first[s][owner[s]] + np.arange(len(used[s])) - offsets(count[s])[owner[s]]
        for s in SIDES
    }
    supply = np.zeros(node_ptr[-1], dtype=np.int64)
    supply[node["predicted"]], supply[node["true"]] = 1, -1
    supply[node_ptr[:-1][has_hub > 0]] = (count["true"] - count["predicted"])[has_hub > 0]

    # Arcs: pairs, then predicted → hub, then hub → true.
    tails, heads, costs, owners, subjects = [], [], [], [], []
    of_pair = pairs.instance[kept]
    head = node_ptr[of_pair]
    apart = ~through
    head[apart] = node["true"][position["true"][at["true"][kept[apart]]]]
    saved = np.where(through, prices.values[2][at["true"][kept]], 0)
    tails.append(node["predicted"][position["predicted"][at["predicted"][kept]]])
    heads.append(head)
    costs.append(pair_price[kept] - saved)
    owners.append(of_pair)
    subjects.append(kept)
    for number, s in enumerate(SIDES):
        open_ = fallback[s][used[s]] != np.inf
        hub = node_ptr[owner[s][open_]]
        label = node[s][open_]
        tails.append(label if s == "predicted" else hub)
        heads.append(hub if s == "predicted" else label)
        costs.append(prices.values[1 + number][used[s][open_]])
        owners.append(owner[s][open_])
        subjects.append(used[s][open_])
    size = np.array([len(x) for x in owners])
    order = np.argsort(np.concatenate(owners), kind="stable")
    n_arcs = len(order)
    network = FlowNetwork(
        tail=np.concatenate(tails)[order],
        head=np.concatenate(heads)[order],
        lower=np.zeros(n_arcs, np.int64),
        upper=np.ones(n_arcs, np.int64),
        cost=np.concatenate(costs)[order],
        supply=supply,
        arc_ptr=offsets(np.bincount(np.concatenate(owners), minlength=n)),
        node_ptr=node_ptr,
    )
    meaning = Meaning(
        kind=np.repeat(np.array([PAIR, DEFAULT, DEFAULT], np.int8), size)[order],
        side=np.repeat(np.array([0, 0, 1], np.int8), size)[order],
        subject=np.concatenate(subjects)[order],
        prices=prices,
        fallback_pair=fallback_pair,
    )
    return network, meaning


def _cheapest(problem: PairingProblem, side: Side) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return every label's fallback price and, where that is a pair, the pair."""
    at = problem.pairs.predicted_at if side == "predicted" else problem.pairs.true_at
    price = np.where(problem.candidate, problem.price, np.inf)
    nearest = np.full(len(problem.default[side]), np.inf, dtype=price.dtype)
    np.minimum.at(nearest, at, price)
    pair = np.full(len(nearest), -1, dtype=np.int64)
    hits = np.flatnonzero((price == nearest[at]) & problem.candidate)
    pair[at[hits]] = hits
    pair[problem.default[side] < nearest] = -1
    return np.minimum(problem.default[side], nearest), pair


# ------------------------------------------------------------------------- the full network


def _build_full(problem: PairingProblem) -> tuple[FlowNetwork, Meaning]:
    pairs = problem.pairs
    n = problem.n_instances
    kept = np.flatnonzero(problem.candidate)
    prices = to_integers(
        [
            problem.price[kept],
            *(np.where(problem.default[s] == np.inf, 0, problem.default[s]) for s in SIDES),
        ]
    )
    pair_price = np.zeros(len(problem.price), dtype=np.int64)
    pair_price[kept] = prices.values[0]
    prices = replace(prices, values=[pair_price, *prices.values[1:]])

    # Nodes of an instance: source, sink (the same node without a total), groups, labels.
    apart = int(problem.total is not None)
    groups = [_group_numbers(problem, i) for i in range(len(problem.groupings))]
    blocks = [np.full(n, 1 + apart)]
    blocks += [np.bincount(g.owner, minlength=n) for g in groups]
    blocks += [np.diff(problem.labels(s).ptr) for s in SIDES]
    node_ptr = offsets(np.sum(blocks, axis=0))
    before = np.cumsum([np.zeros(n, np.int64), *blocks], axis=0) + node_ptr[:-1]
    hub = {"predicted": node_ptr[:-1], "true": node_ptr[:-1] + apart}

    def nodes_of(block: int, owner: NDArray[np.int64]) -> NDArray[np.int64]:
        rank = np.arange(len(owner)) - offsets(np.bincount(owner, minlength=n))[owner]
        numbers: NDArray[np.int64] = before[block][owner] + rank
        return numbers

    arcs = _Arcs()
    node: dict[Side, NDArray[np.int64]] = {}
    for number, s in enumerate(SIDES):
        labels = problem.labels(s)
        node[s] = nodes_of(1 + len(groups) + number, labels.instance)
        upper = hub[s][labels.instance]
        for i, group in enumerate(groups):
            if problem.groupings[i].side != s:
                continue
            group_node = nodes_of(1 + i, group.owner)
            above = np.full(len(group.owner), -1, dtype=np.int64)
            above[group.of_label[group.of_label >= 0]] = upper[group.of_label >= 0]
            inside = group.of_label >= 0
            if (upper[inside] != above[group.of_label[inside]]).any():
                raise _not_nested(problem, i)
            bounds = problem.groupings[i]
            arcs.add(
                above if s == "predicted" else group_node,
                group_node if s == "predicted" else above,
                group.owner, GROUP, number, np.full(len(above), i),
                lower=np.full(len(above), bounds.at_least), upper=np.full(len(above), bounds.at_most),
            )  # fmt: skip
            upper = upper.copy()
            upper[inside] = group_node[group.of_label[inside]]
        down, up = (upper, node[s]) if s == "predicted" else (node[s], upper)
        everyone = np.arange(len(up))
        arcs.add(down, up, labels.instance, BOUND, number, everyone,
                 lower=problem.at_least[s], upper=problem.at_most[s])  # fmt: skip
        open_ = np.flatnonzero(problem.default[s] != np.inf)
        arcs.add(up[open_], down[open_], labels.instance[open_], DEFAULT, number, open_,
                 upper=problem.at_least[s][open_],
                 cost=prices.values[1 + number][open_])  # fmt: skip
    arcs.add(
        node["predicted"][pairs.predicted_at[kept]], node["true"][pairs.true_at[kept]],
        pairs.instance[kept], PAIR, 0, kept, lower=problem.required[kept].astype(np.int64),
        upper=np.ones(len(kept), np.int64), cost=pair_price[kept],
    )  # fmt: skip
    if problem.total is not None:
        arcs.add(hub["true"], hub["predicted"], np.arange(n), TOTAL, 0, np.arange(n),
                 lower=problem.total[0], upper=problem.total[1])  # fmt: skip
    return arcs.network(node_ptr, prices)


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of one grouping: their instances, and the group of every label (-1: none)."""

    owner: NDArray[np.int64]
    of_label: NDArray[np.int64]


def _group_numbers(problem: PairingProblem, i: int) -> _Groups:
    grouping = problem.groupings[i]
    inside = grouping.group >= 0
    instance = problem.labels(grouping.side).instance
    key = np.stack([instance[inside], grouping.group[inside]], axis=1)
    found, number = np.unique(key, axis=0, return_inverse=True)
    of_label = np.full(len(instance), -1, dtype=np.int64)
    of_label[inside] = number.ravel()
    return _Groups(found[:, 0].astype(np.int64), of_label)


def _not_nested(problem: PairingProblem, i: int) -> Infeasible:
    side = problem.groupings[i].side
    return Infeasible(
        f"the groups number {i + 1} ({side} side) are not nested in the groups before them: "
        "list outer groups first, each inner group within one outer group"
    )


class _Arcs:
    """Collects arcs family by family and lays them out instance by instance."""

    def __init__(self) -> None:
        self.columns: dict[str, list[NDArray[np.int64]]] = {
            name: []
            for name in ("tail", "head", "owner", "kind", "side", "subject", "lower", "upper", "cost")
        }

    def add(
        self,
        tail: NDArray[np.int64],
        head: NDArray[np.int64],
        owner: NDArray[np.int64],
        kind: int,
        side: int,
        subject: NDArray[np.int64],
        *,
        upper: NDArray[np.int64],
        lower: NDArray[np.int64] | None = None,
        cost: NDArray[np.int64] | None = None,
    ) -> None:
        none = np.zeros(len(tail), dtype=np.int64)
        given = {
            "tail": tail, "head": head, "owner": owner, "kind": none + kind,
            "side": none + side, "subject": subject, "upper": upper,
            "lower": none if lower is None else lower, "cost": none if cost is None else cost,
        }  # fmt: skip
        for name, values in given.items():
            self.columns[name].append(np.asarray(values, dtype=np.int64))

    def network(
        self, node_ptr: NDArray[np.int64], prices: Scaled
    ) -> tuple[FlowNetwork, Meaning]:
        whole = {name: np.concatenate(parts) for name, parts in self.columns.items()}
        order = np.argsort(whole["owner"], kind="stable")
        c = {name: values[order] for name, values in whole.items()}
        n = len(node_ptr) - 1
        network = FlowNetwork(
            c["tail"], c["head"], c["lower"], c["upper"], c["cost"],
            np.zeros(node_ptr[-1], dtype=np.int64),
            offsets(np.bincount(c["owner"], minlength=n)), node_ptr,
        )  # fmt: skip
        kind, side = c["kind"].astype(np.int8), c["side"].astype(np.int8)
        return network, Meaning(kind, side, c["subject"], prices, None)


# ------------------------------------------------------------------------------ reading back


def _priced(
    problem: PairingProblem,
    picked: NDArray[np.int64],
    missing: dict[Side, NDArray[np.int64]],
    prices: Scaled,
) -> Pairing:
    """Sum the original prices of the picked pairs and the missing partners."""
    n = problem.n_instances
    chosen = np.zeros(len(problem.price), dtype=bool)
    chosen[picked] = True
    instance = problem.pairs.instance[picked]
    if prices.exact:
        total = np.zeros(n, dtype=np.int64)
        np.add.at(total, instance, _to_exact(problem.price[picked], prices.scale))
        for number, s in enumerate(SIDES):
            total += row_sums(missing[s] * prices.values[1 + number], problem.labels(s).ptr)
        return Pairing(chosen, missing, total / prices.scale, np.zeros(n))
    cost = np.zeros(n)
    cost += np.bincount(instance, problem.price[picked].astype(np.float64), minlength=n)
    units = np.diff(problem.pairs.ptr).astype(np.float64)
    for s in SIDES:
        finite = np.where(problem.default[s] == np.inf, 0.0, problem.default[s])
        cost += np.bincount(
            problem.labels(s).instance, missing[s] * finite.astype(np.float64), minlength=n
        )
        units += np.bincount(problem.labels(s).instance, problem.at_least[s], minlength=n)
    return Pairing(chosen, missing, cost, units / prices.scale)


def _to_exact(prices: NDArray[Any], scale: int) -> NDArray[np.int64]:
    """Return prices times the scale that fits them exactly."""
    if prices.dtype == object:
        return np.array([int(x * scale) for x in prices.tolist()], dtype=np.int64)
    return np.rint(prices.astype(np.float64) * scale).astype(np.int64)


def _no_candidate(problem: PairingProblem, side: Side, at: int) -> Infeasible:
    labels = problem.labels(side)
    name = problem.pairs.hierarchy.names[labels.classes[at]]
    return Infeasible(
        f"the {side} class {name!r} must have a partner, but no candidate is left and it has "
        "no default",
        int(labels.instance[at]),
    )


def _explain_infeasible(
    network: FlowNetwork, component: int, meaning: Meaning, problem: PairingProblem
) -> Infeasible:
    """Name the demands that cannot be met even when all give way as little as possible."""
    if meaning.fallback_pair is not None:  # only the full network shows lower bounds
        network, meaning = _build_full(problem)
    lacking = shortage(network, component)
    first = int(network.arc_ptr[component])
    names = problem.pairs.hierarchy.names
    reasons = []
    for i in np.flatnonzero(lacking):
        arc = first + int(i)
        subject, side = int(meaning.subject[arc]), SIDES[meaning.side[arc]]
        wanted, gets = int(network.lower[arc]), int(network.lower[arc] - lacking[i])
        if meaning.kind[arc] == BOUND:
            name = names[problem.labels(side).classes[subject]]
            reasons.append(
                f"the {side} class {name!r} must have at least {wanted} "
                f"partner{'s' * (wanted != 1)} and can get only {gets}"
            )
        elif meaning.kind[arc] == PAIR:
            p = names[problem.pairs.predicted[subject]]
            t = names[problem.pairs.true[subject]]
            reasons.append(f"the required pair ({p!r}, {t!r}) breaks another bound")
        elif meaning.kind[arc] == GROUP:
            reasons.append(f"a {side} group must have {wanted} pairs and can get only {gets}")
        else:
            reasons.append(f"at least {wanted} pairs are demanded in all, but only {gets} fit")
    return Infeasible("; ".join(reasons), component)


