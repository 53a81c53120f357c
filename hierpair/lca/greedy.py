"""Algorithm 1 of Kosmopoulos et al. (2014), corrected: feasible graphs, not always the smallest.

All instances of a batch are done at once: what is done one after the other within an instance is
done in rounds, in each of which every instance decides on at most one LCA, or one path per side.
"""

from __future__ import annotations

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, groups_by, ragged_ranges, row_sums
from hierpair.lca.encoding import Code
from hierpair.lca.links import Links, class_ranks, paths_of_links


def greedy_paths(hierarchy: Hierarchy, links: Links, code: Code) -> Bools:
    """Return which places in ``links.node`` are on a chosen path.

    Ties go to the lower level, then to the first name; of paths, the first class decides.
    """
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
    first = np.flatnonzero(np.diff(code.end[rows], prepend=-1))
    turn = np.repeat(_places(unit[rows[first]]), np.diff(first, append=len(rows)))
    for now in groups_by(turn):
        some = rows[now][~taken[code.end[rows[now]]]]
        at, ptr = paths_of_links(hierarchy, links, some, gain)
        added = links.length[some] - row_sums(gain(at), ptr)
        order = np.lexsort((ranks[members.classes[links.label[some]]], added, code.end[some]))
        best = np.zeros(len(some), dtype=bool)
        best[order[np.diff(code.end[some][order], prepend=-1) != 0]] = True
        at = at[np.repeat(best, np.diff(ptr))]
        on[at] = taken[code.slot[at]] = True
    return on


def _positions(links: Links, code: Code, ranks: Ints) -> Ints:
    """Return the place of the LCA of every link among the chosen ones of its instance, or -1.

    They are taken in the order of the number of requirements that they meet until all are met;
    then one pass drops those that are not needed.
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
    start = np.flatnonzero(np.diff(units, prepend=-1))
    return ragged_ranges(np.zeros(len(start), np.int64), np.diff(start, append=len(units)))
