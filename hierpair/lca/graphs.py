"""The two graphs of every instance of a batch: counted and, where asked for, drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import check_choice
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import (
    Bools,
    Ints,
    groups_by,
    marked,
    places_in_rows,
    row_sums,
    starts_of_ties,
)
from hierpair.labels import LabelSets
from hierpair.lca.encoding import Code, coded, decided, encoded, sizes
from hierpair.lca.links import (
    Links,
    class_ranks,
    edges_of_links,
    link,
    paths_of_links,
    without_ancestors,
)
from hierpair.lca.search import best_graphs, bits_set
from hierpair.solvers import Cover, solve_cover

SOLVED_BY = ("decided without a choice", "searched", "solved by CP-SAT", "stopped by the limit")

ARRAYS, SEARCH, SOLVER, BOUND = range(4)
"""How the graphs of an instance were found: no choice was left; by enumeration; by constraint
programming; or by it, but stopped by its limit, so that they may not be the best."""


Drawn = tuple[set[int], list[set[int]], list[set[tuple[int, int]]]]
"""The LCAs that two graphs meet in, and by side their classes, and pairs of class and parent."""


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
        links, rows = self.links, self.links.rows(i)
        members, edges = links.members, edges_of_links(hierarchy, links, rows)
        on, node = self.on[edges.at], links.node[edges.at]
        side = members.side[links.label[rows]][edges.row]
        inside = on[edges.lower] & on[edges.upper]
        lower, upper = edges.lower[inside], edges.upper[inside]
        alone = ~links.linked & (members.instance == i)
        nodes, pairs = [], []
        for s in (0, 1):
            lone = members.classes[alone & (members.side == s)].tolist()
            nodes.append({*node[on & (side == s)].tolist(), *lone})
            ends = (node[end[side[lower] == s]].tolist() for end in (lower, upper))
            pairs.append({*zip(*ends, strict=True)})
        return {*links.lca[rows[edges.row[on]]].tolist()}, nodes, pairs


def extended_graphs(
    hierarchy: Hierarchy,
    y_true: LabelSets,
    y_pred: LabelSets,
    extension: str = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    *,
    draw: bool = False,
) -> Graphs:
    """Return the two graphs of every instance (Kosmopoulos et al. 2014, §2.4.2).

    ``extension`` is ``"exact"`` (minimal), ``"greedy"`` (the corrected Algorithm 1) or ``"full"``;
    ``threshold`` the longest path between two classes, an even number; ``limit`` seconds for one
    instance instead of the solver's own budget, after which the best so far count and
    ``solved_by`` says ``BOUND``. With ``draw`` it is found which classes are in minimal graphs,
    too.
    """
    check_choice("extension", extension, ("exact", "greedy", "full"))
    members = without_ancestors(hierarchy, y_true, y_pred)
    links = link(hierarchy, members, threshold)
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
    is_open, chosen = decided(links, code)
    on = np.repeat(chosen, np.diff(links.node_ptr))
    counted, unlinked = np.stack(sizes(links, code, on)), links.n_unlinked
    solved_by = np.where(is_open, SEARCH, ARRAYS).astype(np.int8)
    f_ranges = {}
    for i, some in coded(hierarchy, links, code, is_open):
        n_true, n_predicted = unlinked[:, i].tolist()
        beside, of = (n_true, n_predicted), code
        found = best_graphs(some, beside)
        if found is None:  # too many to look at; nothing is merged, as if they were to be drawn
            part = links.alone(i)
            of = encoded(part)
            start = greedy_cover(hierarchy, part, of, i)
            of = of._replace(single=np.zeros_like(of.single))  # CP-SAT goes from class to class
            [(_, every)] = coded(hierarchy, part, of, is_open)
            found = solve_cover(every, beside, start, limit)
            solved_by[i] = SOLVER if found.optimal else BOUND
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


def greedy_cover(hierarchy: Hierarchy, links: Links, code: Code, i: int) -> Cover:
    """Return the graphs of an instance that Algorithm 1 gives, among links that are all its own."""
    on = greedy_paths(hierarchy, links, code)
    ends = code.end[on[links.node_ptr[1:] - 1]]
    first = int(code.ptr[i])
    t, p = (
        sum({1 << k // 2 - first for k in code.slot[on].tolist() if k % 2 == s}) for s in (0, 1)
    )
    return Cover(sum({1 << k // 2 - first for k in ends.tolist()}), (t, p))


# Algorithm 1, corrected: feasible graphs, not always the smallest. All instances are done at once:
# what is done one after the other within an instance is done in rounds, in each of which every
# instance decides on at most one LCA, or one path per side.


def greedy_paths(hierarchy: Hierarchy, links: Links, code: Code) -> Bools:
    """Return which places in ``links.node`` are on a chosen path; ties by level, then name."""
    members, ranks = links.members, class_ranks(hierarchy)
    position = _positions(links, code, ranks)
    on = np.zeros(len(links.node), dtype=bool)
    taken = np.zeros(2 * int(code.ptr[-1]), dtype=bool)
    unit = members.instance[links.label] * 2 + (code.end & 1)

    def gain(at: Ints) -> Bools:
        return taken[code.slot[at]]

    # Labels are linked to every chosen LCA of theirs by the path that shares most with their side.
    rows = np.flatnonzero(links.own & (position >= 0))
    rows = rows[np.lexsort((links.label[rows], position[rows], unit[rows]))]
    for now in groups_by(_places(unit[rows])):
        at, _ = paths_of_links(hierarchy, links, rows[now], gain)
        on[at] = taken[code.slot[at]] = True
    # A chosen LCA that a side has not reached gets the path that adds the fewest classes.
    rows = np.flatnonzero(~links.own & (position >= 0) & ~taken[code.end])
    rows = rows[np.lexsort((position[rows], unit[rows]))]
    first = starts_of_ties(code.end[rows])
    turn = np.repeat(_places(unit[rows[first]]), np.diff(first, append=len(rows)))
    for now in groups_by(turn):
        some = rows[now][~taken[code.end[rows[now]]]]
        at, ptr = paths_of_links(hierarchy, links, some, gain)
        added = links.length[some] - row_sums(gain(at), ptr)
        order = np.lexsort((ranks[members.classes[links.label[some]]], added, code.end[some]))
        best = marked(order[starts_of_ties(code.end[some][order])], len(some))
        at = at[np.repeat(best, np.diff(ptr))]
        on[at] = taken[code.slot[at]] = True
    return on


def _positions(links: Links, code: Code, ranks: Ints) -> Ints:
    """Return the place of every link's LCA among the chosen ones of its instance, or -1.

    Those that meet most requirements come first, until all are met; what is not needed is dropped.
    """
    members, n_labels = links.members, len(links.members.classes)
    label, lca = links.label[links.own], (code.end >> 1)[links.own]
    position = np.full(int(code.ptr[-1]), -1)
    count = np.bincount(lca, minlength=len(position))
    distinct = np.flatnonzero(count)
    instance = np.searchsorted(code.ptr, distinct, side="right") - 1
    order = np.lexsort((ranks[code.node[distinct]], -count[distinct], instance))
    position[distinct[order]] = _places(instance[order])
    met_at = np.full(n_labels, len(position))  # of every requirement, where it is met first
    np.minimum.at(met_at, label, position[lca])
    last = np.full(members.n_instances, -1)
    np.maximum.at(last, members.instance[label], met_at[label])
    position[distinct[position[distinct] > last[instance]]] = -1
    here = position[lca] >= 0
    lca, label = lca[here], label[here]
    met = np.bincount(label, minlength=n_labels)
    needed = np.zeros(len(position), dtype=bool)
    for now in groups_by(position[lca]):
        needed[lca[now][met[label[now]] == 1]] = True
        met[label[now][~needed[lca[now]]]] -= 1
    position[~needed] = -1
    found: Ints = position[code.end >> 1]
    return found


def _places(units: Ints) -> Ints:
    """Return how many equal neighbours come before each; equal ones stand together."""
    return places_in_rows(np.append(starts_of_ties(units), len(units)))
