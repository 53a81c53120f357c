"""Random witnesses with two hierarchies: one of them is the other one, changed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hierpair.verification.properties.small_world import World, mask_of
from hierpair.verification.properties.statement import Draw, Witnesses, drawn
from hierpair.verification.properties.worlds import MOST_LABELS, Growing, label_sets, moved

__all__: list[str] = []

Masks = NDArray[np.int64]

MOST_NEW = 3
"""Classes that a change adds in one place."""

REFINED = 5
"""Classes below which new leaves are put."""


@drawn("alternative_path")
def alternative_path(draw: Draw) -> Witnesses | None:
    """A second way of equal length from a class above p to p, which is predicted."""
    rng, old = draw.rng, draw.world
    steps = np.where(old.above, old.ways_up.T, 0)  # [a, c]: fewest edges from c up to a
    forks = np.argwhere(steps >= 2)
    if not len(forks):
        return None
    fork, p = forks[rng.integers(len(forks))].tolist()
    tree = Growing(old)
    tree.parents[p].append(tree.below(fork, int(steps[fork, p]) - 1))
    others = None if draw.several else np.delete(np.arange(1, old.n), p - 1)
    truth, predicted = label_sets(draw, draw.n, others), label_sets(draw, draw.n)
    return _before_and_after(old, tree, truth, _with(draw, predicted, p))


@drawn("stem_invariance")
def stem_invariance(draw: Draw) -> Witnesses | None:
    """Some classes more between the root and all others."""
    tree = Growing(draw.world)
    end = tree.below(0, int(draw.rng.integers(1, MOST_NEW + 1)))
    for above in tree.parents[1 : draw.world.n]:
        above[:] = [p or end for p in above]
    return _before_and_after(draw.world, tree, label_sets(draw, draw.n), label_sets(draw, draw.n))


@drawn("unused_subtree")
def unused_subtree(draw: Draw) -> Witnesses | None:
    """A subtree below a class that is neither a label nor above one."""
    rng, old = draw.rng, draw.world
    outside = ~(old.above | np.eye(old.n, dtype=bool))
    outside[:, 0] = False
    places = np.flatnonzero(outside.sum(axis=1) > 1)
    if not len(places):
        return None
    place = int(rng.choice(places))
    tree = Growing(old)
    last = tree.below(place)
    for _ in range(int(rng.integers(MOST_NEW))):
        last = tree.below(place if rng.random() < 0.5 else last)
    among = np.flatnonzero(outside[place])
    return _before_and_after(
        old, tree, label_sets(draw, draw.n, among), label_sets(draw, draw.n, among)
    )


@drawn("sibling_count")
def sibling_count(draw: Draw) -> Witnesses | None:
    """New leaves beside a class that is true or predicted."""
    rng, old = draw.rng, draw.world
    c = int(rng.integers(1, old.n))
    tree = Growing(old)
    for _ in range(int(rng.integers(1, MOST_NEW + 1))):
        tree.below(int(rng.choice(old.parents[c])))
    truth, predicted = label_sets(draw, draw.n), label_sets(draw, draw.n)
    is_true = rng.random(draw.n) < 0.5
    truth = np.where(is_true, _with(draw, truth, c), truth)
    predicted = np.where(is_true, predicted, _with(draw, predicted, c))
    return _before_and_after(old, tree, truth, predicted)


@drawn("refinement_below")
def refinement_below(draw: Draw) -> Witnesses | None:
    """New leaves below classes, of which some are true and some are predicted."""
    rng, old = draw.rng, draw.world
    among = rng.permutation(np.arange(1, old.n))[:REFINED]
    truth, predicted = label_sets(draw, draw.n, among), label_sets(draw, draw.n, among)
    tree = Growing(old)
    for c in among.tolist():
        for _ in range(int(rng.integers(1, MOST_NEW + 1))):
            tree.below(c)
    return _before_and_after(old, tree, truth, predicted)


@drawn("refinement_order")
def refinement_order(draw: Draw) -> Witnesses | None:
    """A class in the middle of every edge, and two predictions of one truth."""
    old, tree = draw.world, Growing(draw.world)
    for above in tree.parents[1 : old.n]:
        above[:] = [tree.below(p) for p in above]
    new, number = tree.finished()
    truth, p, q = (label_sets(draw, draw.n) for _ in range(3))
    rows = np.unique(np.stack([truth, p, q])[:, p != q], axis=1)
    (truth, p, q), after = rows, moved(rows, number)
    return Witnesses(
        np.stack([truth, truth, after[0], after[0]], axis=1),
        np.stack([p, q, after[1], after[2]], axis=1),
        (old, old, new, new),
    )


@drawn("renaming")
def renaming(draw: Draw) -> Witnesses | None:
    """Other names, by which classes and edges are put in order."""
    old = draw.world
    order = draw.rng.permutation(old.n)
    new = World(old.parents, tuple(f"class {k:02}" for k in order.tolist()))
    truth, predicted = label_sets(draw, draw.n), label_sets(draw, draw.n)
    return _pairs(truth, predicted, truth, predicted, old, new)


@drawn("path_count")
def path_count(draw: Draw) -> Witnesses | None:
    """A stretch to some true classes that gets longer, and predictions beside it."""
    rng = draw.rng
    before = Growing(draw.world)
    fork = int(rng.integers(draw.world.n))
    first = before.below(fork)
    left, right = before.below(first, int(rng.integers(2))), before.below(fork)
    ends = [before.below(side, int(rng.integers(1, 3))) for side in (left, right) for _ in range(3)]
    old, start = before.finished()
    after = Growing(old)
    w, u = int(start[first]), int(start[fork])
    after.parents[w] = [after.below(u, int(rng.integers(1, 3)))]
    new, number = after.finished()
    true, predicted = start[ends[:3]].tolist(), start[ends[3:]].tolist()
    one_and_two = [(x, mask_of(two)) for two in combinations(range(3), 2) for x in two]
    rows = [(t, tt, p, pp) for t, tt in one_and_two for p, pp in one_and_two]
    chosen = rng.permutation(len(rows))[: draw.n].tolist()
    sides = [
        np.array([_sets(classes, *rows[k][lo : lo + 2]) for k in chosen]).T
        for classes, lo in ((true, 0), (predicted, 2))
    ]
    (t1, t2), (p1, p2) = sides
    return Witnesses(
        np.stack([t1, moved(t1, number), t2, moved(t2, number)], axis=1),
        np.stack([p1, moved(p1, number), p2, moved(p2, number)], axis=1),
        (old, new, old, new),
    )


def _sets(classes: list[int], one: int, two: int) -> tuple[int, int]:
    """Return one of some classes, and two of them, as bits."""
    return 1 << classes[one], sum(1 << c for k, c in enumerate(classes) if two >> k & 1)


def _with(draw: Draw, sets: Masks, c: int) -> Masks:
    """Return sets with a class more, or instead of what they hold or of the first of too many."""
    if not draw.several:
        return np.full_like(sets, 1 << c)
    full = (np.bitwise_count(sets) == MOST_LABELS) & (sets >> c & 1 == 0)
    return np.where(full, sets & (sets - 1), sets) | np.int64(1) << c


def _before_and_after(old: World, tree: Growing, truth: Masks, predicted: Masks) -> Witnesses:
    """Return the same labels before and after a change."""
    new, number = tree.finished()
    return _pairs(truth, predicted, moved(truth, number), moved(predicted, number), old, new)


def _pairs(
    truth: Masks, predicted: Masks, true_after: Masks, pred_after: Masks, old: World, new: World
) -> Witnesses:
    rows = np.unique(np.stack([truth, true_after, predicted, pred_after]), axis=1)
    return Witnesses(rows[:2].T, rows[2:].T, (old, new))
