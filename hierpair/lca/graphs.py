"""The two graphs of every instance of a batch: counted and, where asked for, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import check_choice
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.labels import LabelSets
from hierpair.lca.encoding import Code, coded, decided, encoded, sizes, without_twins
from hierpair.lca.greedy import greedy_paths
from hierpair.lca.links import Links, edges_of_links, link, without_ancestors
from hierpair.lca.search import best_graphs, bits_set
from hierpair.solvers import Cover, Link, solve_cover

__all__ = ["ARRAYS", "BOUND", "SEARCH", "SOLVED_BY", "SOLVER", "Graphs", "extended_graphs"]

SOLVED_BY = ("decided without a choice", "searched", "solved by CP-SAT", "stopped by the limit")

ARRAYS, SEARCH, SOLVER, BOUND = range(4)
"""How the graphs of an instance were found: no choice was left; by enumeration; by constraint
programming; or by it, but stopped by its limit, so that they may not be the best."""


class Drawn(NamedTuple):
    """The graphs of one instance: the LCAs they meet in; by side classes, and (class, parent)."""

    lcas: set[int]
    nodes: tuple[set[int], set[int]]
    edges: tuple[set[tuple[int, int]], set[tuple[int, int]]]


@dataclass(frozen=True, eq=False)
class Graphs:
    """Sizes of the two graphs of every instance, and how each was found.

    ``on`` says of every place in ``links.node`` whether the link leads to a chosen LCA and the
    class is in the graph of its side; minimal graphs have to be asked for it.
    """

    n_true: Ints
    n_predicted: Ints
    n_both: Ints
    solved_by: NDArray[np.int8]  # ARRAYS, SEARCH, SOLVER or BOUND
    links: Links  # what the graphs were chosen from
    on: Bools
    f_ranges: Mapping[int, tuple[Fraction, Fraction]]  # with BOUND: which F minimal ones may have

    def drawn(self, hierarchy: Hierarchy, i: int) -> Drawn:
        """Return the graphs of one instance; edges are all of the extended graphs' within them."""
        members, rows = self.links.members, self.links.rows(i)
        edges = edges_of_links(hierarchy, self.links, rows)
        on, node = self.on[edges.at], self.links.node[edges.at]
        inside = on[edges.lower] & on[edges.upper]
        side, alone = members.side, ~self.links.linked & (members.instance == i)
        of = side[self.links.label[rows]][edges.row]
        nodes, pairs = [], []
        for s in (0, 1):
            lone = members.classes[alone & (side == s)].tolist()
            nodes.append({*node[on & (of == s)].tolist(), *lone})
            some = inside & (of[edges.lower] == s)
            lower, upper = (node[end[some]].tolist() for end in (edges.lower, edges.upper))
            pairs.append({*zip(lower, upper, strict=True)})
        lcas = {*self.links.lca[rows[edges.row[on]]].tolist()}
        return Drawn(lcas, (nodes[0], nodes[1]), (pairs[0], pairs[1]))


def extended_graphs(
    hierarchy: Hierarchy,
    y_true: LabelSets,
    y_pred: LabelSets,
    extension: str = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    *,
    draw: bool = False,
    distances: Floats | None = None,
) -> Graphs:
    """Return the two graphs of every instance (Kosmopoulos et al. 2014, §2.4.2).

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes and the labels of a batch.
    extension
        ``"exact"``: the minimal graphs; ``"greedy"``: those of the corrected Algorithm 1;
        ``"full"``: the extended graphs.
    threshold
        Longest path between two classes, an even number, or None.
    limit
        For ``"exact"``: seconds that the solver may take for one instance, instead of its own
        budget; where it is over, the best graphs so far count and ``solved_by`` says ``BOUND``.
    draw
        For ``"exact"``: find which classes they are, too.
    distances
        Of all pairs of labels, in the order of :class:`hierpair.pairing.Pairs`, if known.
    """
    check_choice("extension", extension, ("exact", "greedy", "full"))
    members = without_ancestors(hierarchy, y_true, y_pred)
    links = link(hierarchy, members, threshold, distances)
    if extension == "exact":
        return _minimal_graphs(hierarchy, links, limit, draw=draw)
    code, full = encoded(links), extension == "full"
    on = np.ones(len(links.node), bool) if full else greedy_paths(hierarchy, links, code)
    solved_by = np.full(members.n_instances, ARRAYS if full else SEARCH, dtype=np.int8)
    return Graphs(*sizes(links, code, on), solved_by, links, on, {})


def _minimal_graphs(
    hierarchy: Hierarchy, links: Links, limit: float | None, *, draw: bool
) -> Graphs:
    """Return the minimal graphs; classes are not merged where these are to be drawn."""
    code = encoded(links, merged=not draw)
    known = decided(links, code)
    n_places = np.diff(links.node_ptr)
    on = np.repeat(known.chosen, n_places)
    counted, unlinked = np.stack(sizes(links, code, on)), np.stack(links.n_unlinked)
    solved_by = np.where(known.is_open, SEARCH, ARRAYS).astype(np.int8)
    f_ranges = {}
    for i, these in coded(hierarchy, links, code, known.is_open, known.needed):
        n_true, n_predicted = unlinked[:, i].tolist()
        solved_by[i], found, of = _minimal(
            hierarchy, links, i, code, these, (n_true, n_predicted), limit
        )
        t, p = found.nodes
        counted[:, i] = t.bit_count(), p.bit_count(), (t & p).bit_count()
        counted[:2, i] += unlinked[:, i]
        if found.f_range is not None:
            f_ranges[i] = found.f_range
        if draw:
            ends, *nodes = (of.node[of.ptr[i] + bits_set(mask)] for mask in (found.ends, t, p))
            rows = links.rows(i)
            for row in rows[np.isin(links.lca[rows], ends)].tolist():
                here = slice(*links.node_ptr[row : row + 2])
                on[here] = np.isin(links.node[here], nodes[code.end[row] & 1])
    return Graphs(counted[0], counted[1], counted[2], solved_by, links, on, f_ranges)


def _minimal(
    hierarchy: Hierarchy,
    links: Links,
    i: int,
    code: Code,
    these: Sequence[Link],
    unlinked: tuple[int, int],
    limit: float | None,
) -> tuple[int, Cover, Code]:
    """Enumerate the graphs of an instance; if they are too many, without twins; then solve.

    Return how they were found, the graphs, and the code of their bits.
    """
    best = best_graphs(these, unlinked)
    if best is not None:
        return SEARCH, Cover(best.chosen, best[:2], optimal=True), code
    part, code, these = without_twins(hierarchy, links, i)
    if len(part.node) < np.diff(links.node_ptr)[links.rows(i)].sum():
        best = best_graphs(these, unlinked)
        if best is not None:
            return SEARCH, Cover(best.chosen, best[:2], optimal=True), code
    cover = solve_cover(these, unlinked, limit, greedy_cover(hierarchy, part, code, i))
    return SOLVER if cover.optimal else BOUND, cover, code


def greedy_cover(hierarchy: Hierarchy, links: Links, code: Code, i: int) -> Cover:
    """Return the graphs of an instance that Algorithm 1 gives, among links that are all its own."""
    on = greedy_paths(hierarchy, links, code)
    ends = code.end[on[links.node_ptr[1:] - 1]]
    first = int(code.ptr[i])
    t, p = (
        sum({1 << k // 2 - first for k in code.slot[on].tolist() if k % 2 == s}) for s in (0, 1)
    )
    return Cover(sum({1 << k // 2 - first for k in ends.tolist()}), (t, p))
