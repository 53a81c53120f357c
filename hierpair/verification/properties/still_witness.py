"""Whether something is a witness of a property whose witnesses are drawn: told from itself alone.

Counterexamples are made smaller as long as this is so. Nothing here knows how they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierpair.verification.properties.small_world import World, members
from hierpair.verification.properties.statement import Witnesses

__all__ = ["OF_DRAWN", "Cells", "Changed", "still"]

Labels = tuple[int, ...]


@dataclass(frozen=True)
class Cells:
    """The cells of one witness, whose first hierarchy is ``world``."""

    world: World
    truth: tuple[Labels, ...]
    predicted: tuple[Labels, ...]

    def near(self, *classes: int) -> bool:
        """Whether classes are different leaves below one class, their only parent, not the root."""
        above = {self.world.parents[c] for c in classes}
        only = len(above) == 1 and above != {(0,)} and len(*above) == 1
        return only and len(set(classes)) == len(classes) and all(map(self.leaf, classes))

    def leaf(self, c: int) -> bool:
        """Whether a class has no children."""
        return not any(c in above for above in self.world.parents)

    def apart(self, c: int, *others: int) -> bool:
        """Whether a class shares nothing but the root with others."""
        return all(self.world.unrelated[c, other] for other in others)

    def chain(self, c: int) -> bool:
        """Whether all classes above a class have one parent, and so it."""
        above = (a for a in range(1, self.world.n) if self.world.above[a, c] or a == c)
        return all(len(self.world.parents[a]) == 1 for a in above)


@dataclass(frozen=True)
class Changed:
    """A hierarchy before and after a change, by the names of its classes."""

    before: World
    after: World

    @cached_property
    def old(self) -> list[Hashable]:
        """The classes before."""
        return _names(self.before)

    @cached_property
    def new(self) -> set[Hashable]:
        """The classes that were added."""
        return set(_names(self.after)) - set(self.old)

    @cached_property
    def edges(self) -> tuple[set[tuple[Hashable, Hashable]], set[tuple[Hashable, Hashable]]]:
        """The edges before and after."""
        one, other = (
            {(_names(world)[p], _names(world)[c]) for p, c in world.edges}
            for world in (self.before, self.after)
        )
        return one, other

    @property
    def gone(self) -> set[tuple[Hashable, Hashable]]:
        """The edges that were removed."""
        return self.edges[0] - self.edges[1]

    @property
    def added(self) -> set[tuple[Hashable, Hashable]]:
        """The edges that were added."""
        return self.edges[1] - self.edges[0]

    def number(self, name: Hashable) -> int:
        """Return the number that a class had before."""
        return self.old.index(name)

    @property
    def new_way(self) -> list[Hashable]:
        """The added edges as one way through all new classes, top down; ``[]`` if they are none."""
        below = dict(self.added)
        if not self.new or len(below) != len(self.added) or len(below) != len(self.new) + 1:
            return []
        first = [p for p in below if p not in self.new]
        way = first[:1]
        while way and way[-1] in below and len(way) <= len(below):
            way.append(below[way[-1]])
        return way if set(way[1:-1]) == self.new and way[-1] not in self.new else []

    @property
    def places(self) -> set[Hashable]:
        """The old classes below which new ones hang, if nothing else was changed; else none."""
        if self.gone or not self.new or any(c not in self.new for _, c in self.added):
            return set()
        return {p for p, _ in self.added if p not in self.new}

    @property
    def new_leaves(self) -> list[set[Hashable]]:
        """The parents of every new class, if new leaves are all that was changed; else nothing."""
        if not self.places or any(p in self.new for p, _ in self.added):
            return []
        return [{p for p, c in self.added if c == leaf} for leaf in self.new]


Test = Callable[[Cells, Changed], bool]

OF_DRAWN: dict[str, Test] = {}
"""By the name of a property whose witnesses are drawn: whether something is one."""


def still(name: str, one: Witnesses) -> bool:
    """Whether the first of these witnesses is a witness of a property that is drawn.

    >>> from hierpair.verification.properties.statement import witnesses
    >>> world = World(((), (0,), (1,), (1,), (1,), (0,), (5,)))
    >>> cells = [(0b100, 0b11000), (0b100, 0b1001000)]
    >>> one = witnesses(world, [cells], 2)
    >>> still("pairing_crowd", one), still("pairing_fig12", one)
    (True, False)
    """
    cells = Cells(
        one.worlds[0],
        tuple(members(mask) for mask in one.truth[0].tolist()),
        tuple(members(mask) for mask in one.predicted[0].tolist()),
    )
    return OF_DRAWN[name](cells, Changed(one.worlds[0], one.worlds[-1]))


def _of(name: str) -> Callable[[Test], Test]:
    def registered(test: Test) -> Test:
        OF_DRAWN[name] = test
        return test

    return registered


def _one_truth(cells: Cells, n_true: int, *n_predicted: int) -> bool:
    """Whether there is one truth of so many classes and predictions of so many."""
    sizes = tuple(len(labels) for labels in cells.predicted)
    truth = cells.truth[0]
    return len(truth) == n_true and set(cells.truth) == {truth} and sizes == n_predicted


def _same_labels(cells: Cells, change: Changed) -> bool:
    """Whether a witness is a truth and a prediction before, and the same after the change."""
    sides = (cells.truth, cells.predicted)
    old, after = _names(change.before), _names(change.after)
    return len(cells.truth) == 2 and all(
        bool(one) and {old[c] for c in one} == {after[c] for c in other} for one, other in sides
    )


def _labels(cells: Cells, change: Changed) -> set[Hashable]:
    """Return the names of what is true or predicted before the change."""
    return {change.old[c] for c in (*cells.truth[0], *cells.predicted[0])}


def _names(world: World) -> list[Hashable]:
    return list(world.names or range(world.n))


@_of("flood")
def _flood(cells: Cells, _: Changed) -> bool:
    world = cells.world
    if world.n <= 8 or not _one_truth(cells, 1, 1, world.n - 1) or 0 in cells.predicted[1]:
        return False
    (t,), (s,) = cells.truth[0], cells.predicted[0]
    return bool(world.siblings[t, s]) and not world.unrelated[t, s] and 0 not in (t, s)


@_of("pairing_fig12")
def _fig12(cells: Cells, _: Changed) -> bool:
    world = cells.world
    if not _one_truth(cells, 1, 2, 2):
        return False
    (t,) = cells.truth[0]
    extra = [[c for c in labels if c != t] for labels in cells.predicted]
    if any(len(one) != 1 for one in extra) or not all(map(cells.leaf, [t, *extra[0], *extra[1]])):
        return False
    (s,), (x,) = extra
    above = {c for c in range(1, world.n) if world.above[c, t]}
    beside = all(p in above or p == 0 for c in (s, x) for p in world.parents[c])
    path = {c for c in above if not world.above[c, x]}  # of t, below the parent of x
    one_way = len(path) + 2 == world.distance[t, x]
    return beside and one_way and world.distance[t, s] == 2 < int(world.distance[t, x])


@_of("pairing_shared")
def _shared(cells: Cells, _: Changed) -> bool:
    if not _one_truth(cells, 2, 2, 2):
        return False
    both = set(cells.predicted[0]) & set(cells.predicted[1])
    if len(both) != 1:
        return False
    (b,), (c,), (x,) = both, *(set(labels) - both for labels in cells.predicted)
    depth = cells.world.depth
    return any(
        cells.near(a, b, c)
        and cells.apart(d, a, b, c)
        and cells.apart(x, a, d, b, c)
        and depth[x] == depth[c]
        and cells.chain(x)
        for a, d in (cells.truth[0], cells.truth[0][::-1])
    )


@_of("pairing_crowd")
def _crowd(cells: Cells, _: Changed) -> bool:
    if not _one_truth(cells, 1, 2, 2):
        return False
    a = set(cells.predicted[0]) & set(cells.predicted[1])
    return len(a) == 1 and _crowded(
        cells, *a, *(set(cells.predicted[0]) - a), *(set(cells.predicted[1]) - a)
    )


@_of("two_near_beat_one_far")
def _two_near(cells: Cells, _: Changed) -> bool:
    if not _one_truth(cells, 1, 2, 1):
        return False
    return _crowded(cells, *cells.predicted[0], *cells.predicted[1])


def _crowded(cells: Cells, a: int, b: int, x: int) -> bool:
    (t,), depth = cells.truth[0], cells.world.depth
    near = cells.near(t, a, b) and cells.apart(x, t, a, b)
    return near and depth[x] == depth[b] and cells.chain(x)


@_of("long_distance")
def _long_distance(cells: Cells, _: Changed) -> bool:
    return _further(cells, 12, np.inf)


@_of("long_distance_4")
def _long_distance_4(cells: Cells, _: Changed) -> bool:
    return _further(cells, 6, 10)


def _further(cells: Cells, least: int, most: float) -> bool:
    world = cells.world
    if not _one_truth(cells, 1, 1, 1):
        return False
    (t,), (p,), (further,) = cells.truth[0], *cells.predicted
    far, farther = world.distance[t, p], world.distance[t, further]
    return bool(world.above[p, further]) and least <= far < farther <= most


@_of("alternative_path")
def _alternative_path(cells: Cells, change: Changed) -> bool:
    way = change.new_way
    if not _same_labels(cells, change) or change.gone or not way:
        return False
    fork, p = change.number(way[0]), change.number(way[-1])
    steps = change.before.ways_up[p, fork] == len(way) - 1
    return bool(steps) and p in cells.predicted[0]


@_of("stem_invariance")
def _stem(cells: Cells, change: Changed) -> bool:
    new, root = change.new, change.old[0]
    below = [(p, c) for p, c in change.edges[1] if c in new]
    chain = {p for p, _ in below} | {c for _, c in below} == new | {root} and len(below) == len(new)
    one_child = len({p for p, _ in below}) == len(below)
    rest = {(root if p in new else p, c) for p, c in change.edges[1] if c not in new}
    end = {p for p, c in change.edges[1] if c not in new and (root, c) in change.edges[0]}
    moved = len(end) == 1 and end <= new and not end & {p for p, _ in below}
    stem = bool(new) and chain and one_child and moved and rest == change.edges[0]
    return stem and _same_labels(cells, change)


@_of("unused_subtree")
def _unused_subtree(cells: Cells, change: Changed) -> bool:
    if not _same_labels(cells, change) or not change.places or change.old[0] in change.places:
        return False
    labels = (*cells.truth[0], *cells.predicted[0])
    numbers = [change.number(place) for place in change.places]
    above = change.before.above
    return not any(above[place, c] or place == c for place in numbers for c in labels)


@_of("sibling_count")
def _sibling_count(cells: Cells, change: Changed) -> bool:
    labels = _labels(cells, change)
    parents = {p for p, c in change.edges[0] if c in labels}
    leaves = change.new_leaves
    beside = all(len(above) == 1 and above <= parents for above in leaves)
    return _same_labels(cells, change) and bool(leaves) and beside


@_of("refinement_below")
def _refinement_below(cells: Cells, change: Changed) -> bool:
    old, leaves = set(change.old), change.new_leaves
    below = all(len(above) == 1 and above <= old - {change.old[0]} for above in leaves)
    used = set().union(*leaves) & _labels(cells, change)
    return _same_labels(cells, change) and bool(leaves) and below and bool(used)


@_of("refinement_order")
def _refinement_order(cells: Cells, change: Changed) -> bool:
    before, after = change.edges
    ends = {m: ([p for p, c in after if c == m], [c for p, c in after if p == m])
            for m in change.new}  # fmt: skip
    if any(len(up) != 1 or len(down) != 1 for up, down in ends.values()):
        return False
    split = {(up[0], down[0]) for up, down in ends.values()}
    names = (_names(change.before), _names(change.after))
    sides = [
        [{names[k >= 2][c] for c in labels} for k, labels in enumerate(side)]
        for side in (cells.truth, cells.predicted)
    ]
    (t1, t2, t3, t4), (p, q, p_after, q_after) = sides
    same = t1 == t2 == t3 == t4 and (p, q) == (p_after, q_after) and p != q
    whole = len(after) == 2 * len(before) and split == before
    return whole and same and all((t1, p, q))


@_of("renaming")
def _renaming(cells: Cells, change: Changed) -> bool:
    one, other = cells.truth, cells.predicted
    same = len(set(one)) == 1 == len(set(other)) and bool(one[0]) and bool(other[0])
    return same and change.before.parents == change.after.parents


@_of("path_count")
def _path_count(cells: Cells, change: Changed) -> bool:
    way, world = change.new_way, change.before
    if not way or change.gone != {(way[0], way[-1])}:
        return False
    u, w = change.number(way[0]), change.number(way[-1])
    after = _names(change.after)
    for side, through in ((cells.truth, True), (cells.predicted, False)):
        one, one_after, two, two_after = side
        if (len(one), len(two)) != (1, 2) or not set(one) < set(two):
            return False
        for labels, same in ((one, one_after), (two, two_after)):
            if {change.old[c] for c in labels} != {after[c] for c in same}:
                return False
        if not all(_passes(world, c, w, u) == through for c in two):
            return False
        if not through and not all(_passes(world, c, u) for c in two):
            return False
    return True


def _passes(world: World, c: int, *places: int) -> bool:
    """Whether the one way up from a class leads through places, the last of which may end it."""
    for place in places:
        while c != place:
            if len(world.parents[c]) != 1:
                return False
            (c,) = world.parents[c]
    return True
