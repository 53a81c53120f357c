"""Problem 2 of Kosmopoulos et al. (2014), cleaned: the minimal LCA graph extension, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.extension.links import Links
from hierpair.extension.search import Choice, Outcome, best_of, smallest_graphs
from hierpair.hierarchy import Hierarchy

__all__ = ["solve_instance"]


def local_problem(hierarchy: Hierarchy, links: Links, rows: NDArray[np.int64]):
    """Choices, ends, marked mask and the classes of the bits, for the links of one instance."""
    nodes = np.concatenate([links.node[links.node_ptr[i]:links.node_ptr[i+1]] for i in rows])
    classes = np.unique(nodes)
    bit = {int(c): k for k, c in enumerate(classes)}
    per_label: dict[int, dict[int, tuple[int, ...]]] = {}
    ends: dict[tuple[int, int], list[int]] = {}
    marked = 0
    for i in rows.tolist():
        ways = _ways_of(hierarchy, links, i, bit)
        a = bit[int(links.lca[i])]
        label = int(links.label[i])
        side = int(label >= links.members.n_true)
        ends.setdefault((side, a), []).extend(ways)
        if links.own[i]:
            per_label.setdefault(label, {})[a] = tuple(ways)
            marked |= 1 << a
    choices = [Choice(int(k >= links.members.n_true), w) for k, w in per_label.items()]
    return choices, {k: tuple(dict.fromkeys(v)) for k, v in ends.items()}, marked, classes


def _ways_of(hierarchy, links, i, bit):
    lo, hi = links.node_ptr[i], links.node_ptr[i + 1]
    by_step = {}
    for c, s in zip(links.node[lo:hi].tolist(), links.step[lo:hi].tolist()):
        by_step.setdefault(s, []).append(c)
    paths = {by_step[0][0]: [1 << bit[by_step[0][0]]]}
    for s in range(1, int(links.length[i]) + 1):
        new = {}
        here = set(by_step[s])
        for c, masks in paths.items():
            for p in hierarchy.parents[hierarchy.parent_ptr[c]:hierarchy.parent_ptr[c + 1]].tolist():
                if p in here:
                    new.setdefault(p, []).extend(m | 1 << bit[p] for m in masks)
        paths = new
    [masks] = paths.values()
    return masks


def solve_instance(hierarchy, links, instance):
    rows = np.flatnonzero(links.members.instance[links.label] == instance)
    lone = [0, 0]
    has = set(links.label[links.own].tolist())
    for k in np.flatnonzero(links.members.instance == instance).tolist():
        if k not in has:
            lone[int(k >= links.members.n_true)] += 1
    if len(rows) == 0:
        return lone[0], lone[1], 0
    choices, ends, marked, classes = local_problem(hierarchy, links, rows)
    best = best_of(smallest_graphs(choices, ends, marked))
    t, p = best.masks
    return t.bit_count() + lone[0], p.bit_count() + lone[1], (t & p).bit_count()
