"""Algorithm 1 for all instances of a batch at once: the sizes that :func:`greedy_cover` gives.

What Algorithm 1 does one after the other within an instance is done in rounds: in each of them,
every instance has at most one LCA, or one path per side, to decide on.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, offsets, ragged_ranges
from hierpair.lca.cover_problems import ranks_of
from hierpair.lca.link_edges import LinkEdges, edges_of_links
from hierpair.lca.links import Links

__all__ = ["greedy_sizes"]

NEVER = np.iinfo(np.int64).max
"""The time of a class that no path has taken."""


class Slots(NamedTuple):
    """The classes of each side of each instance on links that lead to chosen LCAs, each once.

    Attributes
    ----------
    of
        Slot of every place in ``links.node``; -1 on other links.
    place
        (instance * width + class) * 2 + side of every slot, ascending.
    """

    of: Ints
    place: Ints


def greedy_sizes(hierarchy: Hierarchy, links: Links) -> tuple[Ints, Ints, Ints]:
    """Return the sizes of the true graphs, of the predicted ones, and of what they share.

    They are those of the graphs that :func:`hierpair.lca.greedy.greedy_cover` draws instance by
    instance, whose docstring has the three steps and how ties are broken.
    """
    width, members = len(hierarchy) + 1, links.members
    ranks = ranks_of(hierarchy)
    position = _positions(links, ranks, width)
    slots = _slots(links, position >= 0, width)
    taken = _linked(hierarchy, links, position, slots, ranks)
    _reach(hierarchy, links, position, slots, ranks, taken)
    n = members.n_instances
    unlinked = np.flatnonzero(~links.linked)
    lone = members.instance[unlinked] * 2 + members.side[unlinked]
    place = slots.place[taken]
    of_side = np.bincount(lone, minlength=2 * n)
    of_side += np.bincount((place >> 1) // width * 2 + (place & 1), minlength=2 * n)
    shared = place[1:][place[1:] >> 1 == place[:-1] >> 1]
    both = np.bincount((shared >> 1) // width, minlength=n)
    return of_side[0::2], of_side[1::2], both


def _positions(links: Links, ranks: Ints, width: int) -> Ints:
    """Return the place of the LCA of every link among the chosen ones of its instance, or -1.

    LCAs are taken in the order of the number of requirements that they meet until all are met:
    up to the last of the first ones that meet a requirement each. Then one pass drops those that
    are not needed; what it keeps is needed, so that a second one would drop nothing.
    """
    members = links.members
    at = members.instance[links.label] * width + links.lca
    rows = np.flatnonzero(links.own)
    label = links.label[rows]
    distinct, lca, count = _grouped(at[rows])
    instance = distinct // width
    order = np.lexsort((ranks[distinct % width], -count, instance))
    first = offsets(np.bincount(instance, minlength=members.n_instances))
    position = np.empty(len(distinct), dtype=np.int64)
    position[order] = np.arange(len(distinct)) - first[instance[order]]
    starts = np.flatnonzero(np.diff(label, prepend=-1))  # links are in the order of the labels
    met_at = np.minimum.reduceat(position[lca], starts) if len(rows) else starts
    last = np.full(members.n_instances, -1)
    np.maximum.at(last, members.instance[label[starts]], met_at)
    chosen = position <= last[instance]
    _drop_spare(chosen, position, lca, label, len(members.classes))
    if not len(distinct):
        return np.full(len(at), -1)
    where = np.minimum(np.searchsorted(distinct, at), len(distinct) - 1)
    return np.where((distinct[where] == at) & chosen[where], position[where], -1)


def _drop_spare(chosen: Bools, position: Ints, lca: Ints, label: Ints, n_labels: int) -> None:
    """Drop LCAs, in their order, without which every requirement is still met."""
    chosen_here = chosen[lca]
    lca, label = lca[chosen_here], label[chosen_here]
    met = np.bincount(label, minlength=n_labels)
    spare = chosen.copy()
    spare[lca[met[label] == 1]] = False  # the only one that meets some requirement
    loose = spare[lca]
    lca, label = lca[loose], label[loose]
    order = np.argsort(position[lca], kind="stable")
    lca, label = lca[order], label[order]
    for now in _runs(position[lca]):
        some, of = lca[now], label[now]
        needed = np.zeros(len(chosen), dtype=bool)
        needed[some[met[of] == 1]] = True
        dropped = ~needed[some]
        chosen[some[dropped]] = False
        met[of[dropped]] -= 1


def _slots(links: Links, wanted: Bools, width: int) -> Slots:
    """Number the classes of each side of each instance on the links wanted."""
    members = links.members
    rows = np.flatnonzero(wanted)
    count = links.node_ptr[rows + 1] - links.node_ptr[rows]
    at = ragged_ranges(links.node_ptr[rows], count)
    label = links.label[rows]
    start, side = members.instance[label] * width, members.side[label]
    class_place = np.repeat(start, count) + links.node[at]
    place, slot, _ = _grouped(class_place * 2 + np.repeat(side, count))
    of = np.full(len(links.node), -1)
    of[at] = slot
    return Slots(of, place)


def _linked(hierarchy: Hierarchy, links: Links, position: Ints, slots: Slots, ranks: Ints) -> Bools:
    """Link every label to every chosen LCA of its requirement; return the slots that are taken.

    Where there is a single path, it is known when its classes are taken: at the time of the link
    in the order of LCA and label. So rounds are needed for the others alone.
    """
    members, label = links.members, links.label
    used = np.flatnonzero(links.own & (position >= 0))
    unit = members.instance[label[used]] * 2 + members.side[label[used]]
    order = np.lexsort((label[used], position[used], unit))
    used, unit = used[order], unit[order]
    time = np.full(len(slots.place), NEVER)
    count = links.node_ptr[used + 1] - links.node_ptr[used]
    single = count == links.length[used] + 1
    now = np.flatnonzero(single)
    at = ragged_ranges(links.node_ptr[used[now]], count[now])
    np.minimum.at(time, slots.of[at], np.repeat(now, count[now]))
    forked = np.flatnonzero(~single)
    turn = _turns(unit[forked])
    order = np.argsort(turn, kind="stable")
    for some in _runs(turn[order]):
        now = forked[order[some]]
        edges = edges_of_links(hierarchy, links, used[now])
        slot, moment = slots.of[edges.at], now[edges.row]
        on, _ = _most_shared(edges, time[slot] < moment, ranks[links.node[edges.at]])
        time[slot[on]] = np.minimum(time[slot[on]], moment[on])
    return time < NEVER


def _reach(
    hierarchy: Hierarchy, links: Links, position: Ints, slots: Slots, ranks: Ints, taken: Bools
) -> None:
    """Take, for every chosen LCA that a side has not, the path that adds the fewest classes."""
    members = links.members
    rows = np.flatnonzero(~links.own & (position >= 0))
    end = slots.of[links.node_ptr[rows + 1] - 1]
    rows, end = rows[~taken[end]], end[~taken[end]]
    unit = members.instance[links.label[rows]] * 2 + members.side[links.label[rows]]
    order = np.lexsort((end, position[rows], unit))
    rows, end, unit = rows[order], end[order], unit[order]
    new = np.diff(end, prepend=-1) != 0
    turn = _turns(unit[new])[np.cumsum(new) - 1]
    order = np.argsort(turn, kind="stable")
    for some in _runs(turn[order]):
        now = order[some]
        now = now[~taken[end[now]]]
        edges = edges_of_links(hierarchy, links, rows[now])
        slot = slots.of[edges.at]
        on, shared = _most_shared(edges, taken[slot], ranks[links.node[edges.at]])
        added = links.length[rows[now]] + 1 - shared
        first = ranks[members.classes[links.label[rows[now]]]]
        order_here = np.lexsort((first, added, end[now]))
        best = order_here[np.diff(end[now][order_here], prepend=-1) != 0]
        is_best = np.zeros(len(now), dtype=bool)
        is_best[best] = True
        taken[slot[on & is_best[edges.row]]] = True


def _most_shared(edges: LinkEdges, there: Bools, ranks: Ints) -> tuple[Bools, Ints]:
    """Return the classes on the path of every link that shares most with those that are there.

    Of equally good paths the first in the order of ranks is taken, the label first: seen from
    below, the next class is always the first one from which most is shared. The second result
    is how many classes the paths share.
    """
    gain = there.astype(np.int64)
    following = np.arange(len(gain))
    base = int(ranks.max(initial=0)) + 1
    order = np.argsort(edges.left[edges.lower], kind="stable")
    lower, upper = edges.lower[order], edges.upper[order]
    for now in _runs(edges.left[lower]):
        low, up = lower[now], upper[now]
        starts = np.flatnonzero(np.diff(low, prepend=-1))
        value = gain[up] * base - ranks[up]
        best = np.maximum.reduceat(value, starts)
        up = up[value == np.repeat(best, np.diff(starts, append=len(low)))]
        following[low[starts]] = up
        gain[low[starts]] += gain[up]
    on = np.zeros(len(gain), dtype=bool)
    here = edges.ptr[:-1]
    for _ in range(int(edges.left.max(initial=0)) + 1):
        on[here] = True
        here = following[here]  # at an LCA it stays
    return on, gain[edges.ptr[:-1]]


def _grouped(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct keys, which of them each key is, and how often each comes."""
    order = np.argsort(keys)
    ranked = keys[order]
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    number = np.empty(len(keys), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return ranked[new], number, np.diff(np.flatnonzero(new), append=len(keys))


def _turns(units: Ints) -> Ints:
    """Return how many equal neighbours come before each; equal ones stand together."""
    start = np.flatnonzero(np.diff(units, prepend=-1))
    return ragged_ranges(np.zeros(len(start), np.int64), np.diff(start, append=len(units)))


def _runs(values: Ints) -> list[slice]:
    """Return the stretches of equal values, in order."""
    ends = [*np.flatnonzero(np.diff(values)) + 1, len(values)] if len(values) else []
    return [slice(lo, hi) for lo, hi in pairwise([0, *ends])]
