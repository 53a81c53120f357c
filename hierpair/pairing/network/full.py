"""The full network of every instance: all labels, all bounds, groups and totals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import offsets
from hierpair.pairing.constraints.builder import VERBS
from hierpair.pairing.constraints.groups import numbered
from hierpair.pairing.network.inverse_data import (
    BOUND,
    DEFAULT,
    GROUP,
    PAIR,
    SIDES,
    TOTAL,
    Arcs,
    InverseData,
)
from hierpair.pairing.pairs import Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork, to_integers

__all__ = ["build_full"]


def build_full(problem: PairingProblem, *, settle: bool = True) -> tuple[FlowNetwork, InverseData]:
    """Write the full network; see the package for its shape.

    With ``settle`` a label that needs all of its pairs gets them as lower bounds.
    """
    strange = sorted((problem.kinds or frozenset()) - frozenset(VERBS))
    if strange:
        raise BadInput(f"the network has no place for what the verb {strange[0]!r} said")
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

    arcs = Arcs()
    node: dict[Side, NDArray[np.int64]] = {}
    for number, s in enumerate(SIDES):
        labels = problem.labels(s)
        node[s] = nodes_of(1 + len(groups) + number, labels.instance)
        above = hub[s][labels.instance]
        for i, group in enumerate(groups):
            if problem.groupings[i].side == s:
                above = _through_group(problem, i, group, nodes_of(1 + i, group.owner), above, arcs)
        down, up = (above, node[s]) if s == "predicted" else (node[s], above)
        everyone = np.arange(len(up))
        arcs.add(down, up, labels.instance, BOUND, number, everyone,
                 lower=problem.lower[s], upper=problem.upper[s])  # fmt: skip
        open_ = np.flatnonzero(problem.default[s] != np.inf)
        arcs.add(up[open_], down[open_], labels.instance[open_], DEFAULT, number, open_,
                 upper=problem.lower[s][open_],
                 cost=costs.values[1 + number][open_])  # fmt: skip
    forced = problem.required[kept]
    if settle:
        forced = forced | _needed(problem, kept)
    arcs.add(
        node["predicted"][pairs.predicted_at[kept]], node["true"][pairs.true_at[kept]],
        pairs.instance[kept], PAIR, 0, kept, lower=forced.astype(np.int64),
        cost=costs.values[0],
    )  # fmt: skip
    if problem.total is not None:
        arcs.add(hub["true"], hub["predicted"], np.arange(n), TOTAL, 0, np.arange(n),
                 lower=problem.total[0], upper=problem.total[1])  # fmt: skip
    supply = np.zeros(node_ptr[-1], dtype=np.int64)
    return arcs.network(node_ptr, supply, costs)


def _through_group(
    problem: PairingProblem,
    i: int,
    group: _Groups,
    node: NDArray[np.int64],
    upper: NDArray[np.int64],
    arcs: Arcs,
) -> NDArray[np.int64]:
    """Add the arcs of one grouping; return the node that each label now hangs on."""
    bounds = problem.groupings[i]
    inside = group.of_label >= 0
    above = np.full(len(group.owner), -1, dtype=np.int64)
    above[group.of_label[inside]] = upper[inside]
    if (upper[inside] != above[group.of_label[inside]]).any():
        raise BadInput(
            f"the groups number {i + 1} ({bounds.side} side) are not nested in the groups before "
            "them: list outer groups first, each inner group within one outer group"
        )
    tail, head = (above, node) if bounds.side == "predicted" else (node, above)
    arcs.add(
        tail,
        head,
        group.owner,
        GROUP,
        SIDES.index(bounds.side),
        np.full(len(above), i),
        lower=group.lower,
        upper=group.upper,
    )
    lowest = upper.copy()
    lowest[inside] = node[group.of_label[inside]]
    return lowest


def _needed(problem: PairingProblem, kept: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a pair belongs to a label without default that needs all of its pairs."""
    needed = np.zeros(len(kept), dtype=bool)
    at = {"predicted": problem.pairs.predicted_at, "true": problem.pairs.true_at}
    for s in SIDES:
        degree = np.bincount(at[s][kept], minlength=len(problem.default[s]))
        every = (problem.lower[s] == degree) & (problem.default[s] == np.inf)
        needed |= every[at[s][kept]]
    return needed


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of one grouping: instances, the group of every label (-1: none), bounds."""

    owner: NDArray[np.int64]
    of_label: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]


def _group_numbers(problem: PairingProblem, i: int) -> _Groups:
    grouping = problem.groupings[i]
    labels = problem.labels(grouping.side)
    owner, _, label, of_label = numbered(labels.instance, grouping.group)
    lower, upper = (
        np.broadcast_to(bound, of_label.shape)[label] for bound in (grouping.lower, grouping.upper)
    )
    most = np.maximum(np.diff(problem.pairs.ptr)[owner], lower)  # more is never used
    return _Groups(owner, of_label, lower, np.minimum(upper, most))
