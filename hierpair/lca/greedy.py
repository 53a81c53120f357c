"""Algorithm 1 of Kosmopoulos et al. (2014), corrected: feasible graphs, not always the smallest.

All instances of a batch are done at once: what is done one after the other within an instance is
done in rounds, in each of which every instance decides on at most one LCA, or one path per side.
"""

from __future__ import annotations

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, groups_by, offsets, ragged_ranges, row_sums
from hierpair.lca.encoding import Code
from hierpair.lca.links import Links, edges_of_links

__all__ = ["greedy_paths"]


def greedy_paths(hierarchy: Hierarchy, links: Links, code: Code) -> Bools:
    """Return which places in ``links.node`` are on a chosen path.

    1. LCAs are taken in the order of the number of requirements that they meet until all are met;
       those that are not needed are dropped.
    2. Every label is linked to every chosen LCA of its requirement by the path that shares most
       classes with its side so far.
    3. A chosen LCA that a side has not reached gets the path that adds the fewest classes.

    Ties go to the lower level, then to the first name, so that the order of the input means
    nothing; of paths, the first class from below that differs decides.
    """
    members, ranks = links.members, _ranks(hierarchy)
    position = _positions(links, code, ranks)
    on = np.zeros(len(links.node), dtype=bool)
    taken = np.zeros(2 * int(code.ptr[-1]), dtype=bool)
    unit = members.instance[links.label] * 2 + (code.end & 1)

    def paths(rows: Ints) -> tuple[Ints, Ints]:
        """Return the places of the paths of these links, one after the other, and their ends."""
        ptr = offsets(links.length[rows] + 1)
        at = np.empty(ptr[-1], dtype=np.int64)
        alone = np.diff(links.node_ptr)[rows] == np.diff(ptr)
        of_alone = np.repeat(alone, np.diff(ptr))
        at[of_alone] = ragged_ranges(links.node_ptr[rows[alone]], np.diff(ptr)[alone])
        if not alone.all():
            at[~of_alone] = _most_shared(hierarchy, links, rows[~alone], taken, code, ranks)
        return at, ptr

    rows = np.flatnonzero(links.own & (position >= 0))
    rows = rows[np.lexsort((links.label[rows], position[rows], unit[rows]))]
    for now in groups_by(_places(unit[rows])):
        at, _ = paths(rows[now])
        on[at] = taken[code.slot[at]] = True
    rows = np.flatnonzero(~links.own & (position >= 0) & ~taken[code.end])
    rows = rows[np.lexsort((position[rows], unit[rows]))]
    first = np.flatnonzero(np.diff(code.end[rows], prepend=-1))
    turn = np.repeat(_places(unit[rows[first]]), np.diff(first, append=len(rows)))
    for now in groups_by(turn):
        some = rows[now][~taken[code.end[rows[now]]]]
        at, ptr = paths(some)
        shared = row_sums(taken[code.slot[at]], ptr)
        start = ranks[members.classes[links.label[some]]]
        order = np.lexsort((start, links.length[some] - shared, code.end[some]))
        best = np.zeros(len(some), dtype=bool)
        best[order[np.diff(code.end[some][order], prepend=-1) != 0]] = True
        at = at[np.repeat(best, np.diff(ptr))]
        on[at] = taken[code.slot[at]] = True
    return on


def _positions(links: Links, code: Code, ranks: Ints) -> Ints:
    """Return the place of the LCA of every link among the chosen ones of its instance, or -1.

    LCAs are taken in the order of the number of requirements that they meet until all are met:
    up to the last of the first ones that meet a requirement each. Then one pass drops those that
    are not needed; what it keeps is needed, so that a second one would drop nothing.
    """
    members, rows = links.members, np.flatnonzero(links.own)
    position = np.full(int(code.ptr[-1]), -1)
    if not len(rows):
        return np.full(len(code.end), -1)
    label, lca = links.label[rows], code.end[rows] >> 1
    count = np.bincount(lca, minlength=len(position))
    each = np.empty_like(position)
    each[lca] = rows  # one of the links to every LCA
    each = each[count > 0]
    instance = members.instance[links.label[each]]
    distinct = code.end[each] >> 1
    order = np.lexsort((ranks[links.lca[each]], -count[distinct], instance))
    position[distinct[order]] = _places(instance[order])
    starts = np.flatnonzero(np.diff(label, prepend=-1))  # links are in the order of the labels
    last = np.full(members.n_instances, -1)
    met_at = np.minimum.reduceat(position[lca], starts)
    np.maximum.at(last, members.instance[label[starts]], met_at)
    position[distinct[position[distinct] > last[instance]]] = -1
    here = position[lca] >= 0
    lca, label = lca[here], label[here]
    met = np.bincount(label, minlength=len(members.classes))
    needed = np.zeros(len(position), dtype=bool)
    for now in groups_by(position[lca]):
        needed[lca[now][met[label[now]] == 1]] = True
        met[label[now][~needed[lca[now]]]] -= 1
    position[~needed] = -1
    found: Ints = position[code.end >> 1]
    return found


def _most_shared(
    hierarchy: Hierarchy, links: Links, rows: Ints, taken: Bools, code: Code, ranks: Ints
) -> Ints:
    """Return the places of the path of every link that shares most with what is taken.

    Of equally good paths the first in the order of ranks is taken, the label first: seen from
    below, the next class is always the first one from which most is shared.
    """
    edges = edges_of_links(hierarchy, links, rows)
    gain = taken[code.slot[edges.at]].astype(np.int64)
    rank = ranks[links.node[edges.at]]
    following, base = np.arange(len(gain)), len(ranks)
    for now in groups_by(edges.left[edges.lower]):
        low, up = edges.lower[now], edges.upper[now]
        starts = np.flatnonzero(np.diff(low, prepend=-1))
        value = gain[up] * base - rank[up]
        best = np.maximum.reduceat(value, starts)
        up = up[value == np.repeat(best, np.diff(starts, append=len(low)))]
        following[low[starts]] = up
        gain[low[starts]] += gain[up]
    on = np.zeros(len(gain), dtype=bool)
    here = edges.ptr[:-1]
    for _ in range(int(edges.left.max(initial=0)) + 1):
        on[here] = True
        here = following[here]  # at an LCA it stays
    places: Ints = edges.at[on]
    return places


def _ranks(hierarchy: Hierarchy) -> Ints:
    """Return the rank of every class by level, then name; the artificial class comes last."""

    def ranks() -> Ints:
        n, names = len(hierarchy), [str(name) for name in hierarchy.names]
        by_name = np.array(sorted(range(n), key=names.__getitem__), dtype=np.int64)
        ranks = np.full(n + 1, n)
        ranks[by_name[np.argsort(hierarchy.levels[by_name], kind="stable")]] = np.arange(n)
        return ranks

    return hierarchy.cached("ranks", ranks)


def _places(units: Ints) -> Ints:
    """Return how many equal neighbours come before each; equal ones stand together."""
    start = np.flatnonzero(np.diff(units, prepend=-1))
    return ragged_ranges(np.zeros(len(start), np.int64), np.diff(start, append=len(units)))
