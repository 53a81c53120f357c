"""Everything above or below some classes, found by walking along the edges from them alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.hierarchy.arrays import offsets, ragged_ranges, sorted_unique

__all__ = ["MOST_REACHED", "Rows", "walk"]

MARKS = 64_000_000
"""Marks (start, class) held at a time, a byte each;"""

MARKED_CLASSES = 1_000_000
"""with more classes and more marks than that, what was found is searched instead."""

DEEP = 1000
"""With more steps than this, one start after the other takes less time than all in step."""

MOST_REACHED = 300_000_000
"""Classes reached from all starts together, some thirty bytes each."""

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint32]]


def walk(
    ptr: NDArray[np.int64],
    next_to: NDArray[np.int32],
    starts: NDArray[np.int64],
    depth: int,
    hops: int | None = None,
) -> Rows:
    """Return what is reached from each of these classes in at most ``hops`` edges, as CSR rows.

    Time and memory are proportional to what is reached, whatever there is beside it.

    Parameters
    ----------
    ptr, next_to
        CSR arrays: the edges of class ``c`` lead to ``next_to[ptr[c]:ptr[c + 1]]``; either all
        edges lead to smaller class numbers, or all to larger ones.
    starts
        Class numbers.
    depth
        No way has more edges.
    hops
        Longest distance wanted, or None.

    Returns
    -------
    pointer, classes, distance
        A row per start: what is reached, itself included, ascending; and the fewest edges to each.

    Raises
    ------
    SolverLimit
        Where more than 300 million classes are reached.
    """
    n, most = len(ptr) - 1, depth if hops is None else min(depth, hops)
    block = len(starts)
    step_by_step: Callable[..., Rows | None]
    if most > DEEP:
        step_by_step = _one_by_one
    elif int(np.diff(ptr).max(initial=0)) <= 1:
        step_by_step = _along_paths
    elif n <= MARKED_CLASSES or len(starts) * n <= MARKS:
        block, step_by_step = MARKS // n, partial(_in_step, marked=True)
    else:
        step_by_step = partial(_in_step, marked=False)
    n_reached, parts = 0, []
    block = max(1, block)
    for lo in range(0, len(starts), block):
        part = step_by_step(ptr, next_to, starts[lo : lo + block], most, MOST_REACHED - n_reached)
        if part is None:
            raise SolverLimit(
                f"{len(starts):,} labels at a time have more than {MOST_REACHED:,} ancestors or "
                "descendants together, too many to be held; score fewer instances at a time "
                "(chunk), or with fewer labels each"
            )
        parts.append(part)
        n_reached += len(part[1])
    if len(parts) == 1:
        return parts[0]
    lengths = [np.diff(pointer) for pointer, _, _ in parts] or [starts]
    classes = [classes for _, classes, _ in parts] or [np.empty(0, np.int32)]
    distance = [distance for _, _, distance in parts] or [np.empty(0, np.uint32)]
    return offsets(np.concatenate(lengths)), np.concatenate(classes), np.concatenate(distance)


def _along_paths(
    ptr: NDArray[np.int64],
    next_to: NDArray[np.int32],
    starts: NDArray[np.int64],
    hops: int,
    most: int,
) -> Rows | None:
    """Where no class has two edges, what is reached is a path: nothing is met twice."""
    following = np.full(len(ptr) - 1, -1, dtype=np.int32)
    following[np.diff(ptr) == 1] = next_to
    row, node = np.arange(len(starts)), starts.astype(np.int32)
    rows: list[NDArray[np.int64]] = []
    nodes: list[NDArray[np.int32]] = []
    n_reached = 0
    while len(node) and len(nodes) <= hops:
        rows.append(row)
        nodes.append(node)
        n_reached += len(node)
        if n_reached > most:
            return None
        node = following[node]
        if node.min() < 0:
            going = node >= 0
            row, node = row[going], node[going]
    if not nodes:
        return np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.uint32)
    lengths = [len(some) for some in nodes]
    step = np.repeat(np.arange(len(nodes), dtype=np.uint32), lengths)
    row, node = np.concatenate(rows), np.concatenate(nodes)
    pointer = offsets(np.bincount(row, minlength=len(starts)))
    downwards = len(next_to) > 0 and int(next_to[0]) > int(np.flatnonzero(following >= 0)[0])
    at = pointer[row] + step if downwards else pointer[row + 1] - 1 - step
    classes, distance = np.empty_like(node), np.empty_like(step)
    classes[at], distance[at] = node, step
    return pointer, classes, distance


def _in_step(
    ptr: NDArray[np.int64],
    next_to: NDArray[np.int32],
    starts: NDArray[np.int64],
    hops: int,
    most: int,
    *,
    marked: bool,
) -> Rows | None:
    """Breadth first from all starts; what was reached is marked, or kept sorted if it is little."""
    n = len(ptr) - 1
    node = starts.astype(np.int64)
    front = np.arange(len(starts)) * n + node
    known = np.zeros(len(starts) * n, dtype=bool) if marked else front
    fronts, n_reached = [], 0
    while len(front):
        fronts.append(front)
        n_reached += len(front)
        if n_reached > most:
            return None
        if len(fronts) - 1 == hops:
            break
        if marked:
            known[front] = True
        count = ptr[node + 1] - ptr[node]
        front = np.repeat(front - node, count) + next_to[ragged_ranges(ptr[node], count)]
        if marked:
            front = sorted_unique(front[~known[front]])
        else:
            front = sorted_unique(front)
            place = np.searchsorted(known, front)
            new = known[np.minimum(place, len(known) - 1)] != front
            front = front[new]
            known = np.insert(known, place[new], front)
        node = front % n
    return _in_rows(fronts, n, len(starts))


def _one_by_one(
    ptr: NDArray[np.int64],
    next_to: NDArray[np.int32],
    starts: NDArray[np.int64],
    hops: int,
    most: int,
) -> Rows | None:
    """Breadth first from one start after the other, compiled."""
    n = len(ptr) - 1
    graph = scipy.sparse.csr_array(
        (np.ones(len(next_to)), next_to, ptr.astype(np.int32)), shape=(n, n)
    )
    place = np.empty(n, dtype=np.int64)
    lengths, classes, distances = [0], [np.empty(0, np.int32)], [np.empty(0, np.uint32)]
    for c in starts.tolist():
        reached, before = scipy.sparse.csgraph.breadth_first_order(graph, c)
        place[reached] = np.arange(len(reached))
        nearer = place[before[reached[1:]]]  # where the class one step nearer to the start is
        nearer = np.concatenate([[0], nearer])
        distance = np.minimum(np.arange(len(reached), dtype=np.uint32), 1)
        while nearer.any():  # every round doubles the steps that have been counted
            distance += distance[nearer]
            nearer = nearer[nearer]
        within = distance <= hops
        order = np.argsort(reached[within])
        classes.append(reached[within][order].astype(np.int32))
        distances.append(distance[within][order])
        lengths.append(len(order))
        most -= len(order)
        if most < 0:
            return None
    pointer = np.cumsum(np.array(lengths, dtype=np.int64))
    return pointer, np.concatenate(classes), np.concatenate(distances)


def _in_rows(fronts: list[NDArray[np.int64]], n: int, n_rows: int) -> Rows:
    """Sort (start, class), given step by step, into rows."""
    steps = max(0, len(fronts) - 1).bit_length()
    key = np.concatenate(fronts) if fronts else np.empty(0, np.int64)
    key <<= steps
    key |= np.repeat(np.arange(len(fronts)), [len(front) for front in fronts])
    key.sort()
    distance = (key & ((1 << steps) - 1)).astype(np.uint32)
    key >>= steps
    row, node = np.divmod(key, n)
    return offsets(np.bincount(row, minlength=n_rows)), node.astype(np.int32), distance
