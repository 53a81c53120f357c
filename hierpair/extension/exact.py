"""One instance as a label-free cover problem, for the solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.extension.links import Links
from hierpair.hierarchy import Hierarchy
from hierpair.solvers import CoverProblem, Link

__all__ = ["cover_problem"]


def cover_problem(hierarchy: Hierarchy, links: Links, rows: NDArray[np.int64]) -> CoverProblem:
    """Return the links of one instance with their nodes and edges; nodes are class numbers."""
    found = []
    for i in rows.tolist():
        lo, hi = int(links.node_ptr[i]), int(links.node_ptr[i + 1])
        steps: list[list[int]] = [[] for _ in range(int(links.length[i]) + 1)]
        for c, s in zip(links.node[lo:hi].tolist(), links.step[lo:hi].tolist(), strict=True):
            steps[s].append(c)
        edges = []
        for lower, upper in zip(steps, steps[1:], strict=False):
            for c in lower:
                above = hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]]
                edges += [(c, p) for p in above.tolist() if p in upper]
        label = int(links.label[i])
        found.append(
            Link(
                label,
                int(label >= links.members.n_true),
                int(links.lca[i]),
                bool(links.own[i]),
                tuple(map(tuple, steps)),
                tuple(edges),
            )
        )
    return CoverProblem(tuple(found))
