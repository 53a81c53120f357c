"""The full network of every instance: all labels, all bounds, groups and totals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import offsets
from hierpair.pairing.constraints.builder import VERBS
from hierpair.pairing.constraints.grouping import Grouping
from hierpair.pairing.network.inverse_data import (
    BOUND,
    DEFAULT,
    GROUP,
    PAIR,
    TOTAL,
    Arcs,
    InverseData,
)
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork, to_integers

__all__ = ["build_full"]


def build_full(problem: PairingProblem, *, hold: bool = True) -> tuple[FlowNetwork, InverseData]:
    """Write the full network; see the package for its shape.

    With ``hold`` a label that needs all of its pairs gets them as lower bounds.
    """
    strange = sorted((problem.kinds or frozenset()) - frozenset(VERBS))
    if strange:
        raise BadInput(f"the network has no place for the verb {strange[0]!r}")
    pairs = problem.pairs
    n = problem.n_instances
    kept = np.flatnonzero(problem.candidate)
    costs = to_integers(
        [
            problem.cost[kept],
            *(np.where(problem.default[s] == np.inf, 0, problem.default[s]) for s in SIDES),
        ]
    )

    # Nodes of an instance: source, sink (the same node without a total), groups, labels.
    apart = int(problem.total is not None)
    groups = problem.groupings
    blocks = [np.full(n, 1 + apart)]
    blocks += [np.bincount(g.instance, minlength=n) for g in groups]
    blocks += [np.diff(problem.labels(s).ptr) for s in SIDES]
    node_ptr = offsets(np.sum(blocks, axis=0))
    before = np.cumsum([np.zeros(n, np.int64), *blocks], axis=0) + node_ptr[:-1]
    hub = {"predicted": node_ptr[:-1], "true": node_ptr[:-1] + apart}

    def nodes_of(block: int, owner: NDArray[np.int64]) -> NDArray[np.int64]:
        rank = np.arange(len(owner)) - offsets(np.bincount(owner, minlength=n))[owner]
        numbers: NDArray[np.int64] = before[block][owner] + rank
        return numbers

    arcs = Arcs()
    node: dict[Side, NDArray[np.int64]] = {}
    for number, s in enumerate(SIDES):
        labels = problem.labels(s)
        node[s] = nodes_of(1 + len(groups) + number, labels.instance)
        above = hub[s][labels.instance]
        for i, group in enumerate(groups):
            if group.side == s:
                inner = nodes_of(1 + i, group.instance)
                above = _through_group(problem, i, group, inner, above, arcs)
        down, up = (above, node[s]) if s == "predicted" else (node[s], above)
        everyone = np.arange(len(up))
        bounds = {"lower": problem.lower[s], "upper": problem.upper[s]}
        arcs.add(down, up, labels.instance, BOUND, number, everyone, **bounds)
        open_ = np.flatnonzero(problem.default[s] != np.inf)
        rest = {"upper": problem.lower[s][open_], "cost": costs.values[1 + number][open_]}
        arcs.add(up[open_], down[open_], labels.instance[open_], DEFAULT, number, open_, **rest)
    forced = problem.required[kept]
    if hold:
        forced = forced | _needed(problem, kept)
    tail, head = (node[s][pairs.at(s)[kept]] for s in SIDES)
    held = {"lower": forced.astype(np.int64), "cost": costs.values[0]}
    arcs.add(tail, head, pairs.instance[kept], PAIR, 0, kept, **held)
    if problem.total is not None:
        bounds = dict(zip(("lower", "upper"), problem.total, strict=True))
        arcs.add(hub["true"], hub["predicted"], np.arange(n), TOTAL, 0, np.arange(n), **bounds)
    supply = np.zeros(node_ptr[-1], dtype=np.int64)
    return arcs.network(node_ptr, supply, costs)


def _through_group(
    problem: PairingProblem,
    i: int,
    group: Grouping,
    node: NDArray[np.int64],
    upper: NDArray[np.int64],
    arcs: Arcs,
) -> NDArray[np.int64]:
    """Add the arcs of one grouping; return the node that each label is now joined to."""
    inside = group.of_label >= 0
    above = np.full(len(group.instance), -1, dtype=np.int64)
    above[group.of_label[inside]] = upper[inside]
    if (upper[inside] != above[group.of_label[inside]]).any():
        raise BadInput(
            f"the groups number {i + 1} ({group.side} side) are not nested in the groups before "
            "them: list outer groups first, each inner group within one outer group"
        )
    tail, head = (above, node) if group.side == "predicted" else (node, above)
    most = np.maximum(np.diff(problem.pairs.ptr)[group.instance], group.lower)  # no more is used
    bounds = {"lower": group.lower, "upper": np.minimum(group.upper, most)}
    number, which = SIDES.index(group.side), np.full(len(above), i)
    arcs.add(tail, head, group.instance, GROUP, number, which, **bounds)
    lowest = upper.copy()
    lowest[inside] = node[group.of_label[inside]]
    return lowest


def _needed(problem: PairingProblem, kept: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a pair belongs to a label without default that needs all of its pairs."""
    needed = np.zeros(len(kept), dtype=bool)
    for s in SIDES:
        at = problem.pairs.at(s)[kept]
        degree = np.bincount(at, minlength=len(problem.default[s]))
        every = (problem.lower[s] == degree) & (problem.default[s] == np.inf)
        needed |= every[at]
    return needed
