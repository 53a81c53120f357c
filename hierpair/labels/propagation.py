"""Scores of classes handed to their ancestors, some instances at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy, ancestor_closure, mean_ancestors
from hierpair.hierarchy.arrays import Bools, Floats, Ints, ragged_ranges, row_numbers

__all__ = ["Raised", "raised_scores"]

CELLS = 4_000_000
"""Instances times classes that are looked at together: what is held beside the scores."""

MOST_ABOVE = 100
"""With more ancestors of a class, in the mean, scores rise level by level."""

NONE = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Raised:
    """What some instances have once scores were handed to ancestors.

    Attributes
    ----------
    rows
        First and past-the-last instance.
    entries
        Places of their scores in the arrays given: instance by instance, by falling score.
    owner, classes
        Whose score each class has: a position in ``entries``, and the class.
    cells
        Instance, counted from the first one, times the number of classes plus class.
    """

    rows: tuple[int, int]
    entries: Ints
    owner: NDArray[np.int32]
    classes: Ints
    cells: Ints


def raised_scores(
    hierarchy: Hierarchy, indptr: Ints, indices: NDArray[np.int32], values: Floats, how: str | None
) -> Iterator[Raised]:
    """Yield all classes that have a score, and which of the scores given it is.

    Parameters
    ----------
    hierarchy
        The classes.
    indptr, indices, values
        Scores above 0, as in :class:`NodeScores`.
    how
        ``"max"``: the largest one given to a class or below it; ``"fill"``: that of the class
        itself if one was given, else the largest of its children, which may be filled in turn;
        None: only those given.
    """
    n = len(hierarchy)
    height = max(1, CELLS // n)
    best = np.full(min(height, len(indptr) - 1) * n, NONE, dtype=np.int32)
    given = np.zeros(len(best) if how == "fill" else 0, dtype=bool)
    for lo in range(0, len(indptr) - 1, height):
        hi = min(lo + height, len(indptr) - 1)
        some = slice(int(indptr[lo]), int(indptr[hi]))
        row = row_numbers(indptr[lo : hi + 1])
        falling = np.lexsort((-values[some], row))
        classes = indices[some][falling].astype(np.int64)
        owner = np.arange(len(classes), dtype=np.int32)
        cells = row[falling] * n + classes
        if how == "max" and _is_low(hierarchy, classes):
            cells, owner, classes = _expanded(hierarchy, cells, classes, best)
        elif how is not None and len(classes):
            best[cells] = owner
            given[cells if how == "fill" else []] = True
            filled = _risen(hierarchy, cells, classes, best, given)
            given[cells if how == "fill" else []] = False
            cells, classes = (np.concatenate(part) for part in zip(*filled, strict=True))
            owner = best[cells]
            best[cells] = NONE
        yield Raised((lo, hi), some.start + falling, owner, classes, cells)


def _is_low(hierarchy: Hierarchy, classes: Ints) -> bool:
    """Whether classes have so few ancestors that all of them may be listed."""
    if mean_ancestors(hierarchy) is not None:
        return False
    n_above = int(ancestor_closure(hierarchy, classes).lengths(classes).sum())
    return n_above <= MOST_ABOVE * len(classes)


def _expanded(
    hierarchy: Hierarchy, cells: Ints, classes: Ints, best: NDArray[np.int32]
) -> tuple[Ints, NDArray[np.int32], Ints]:
    """Return cells above the given ones, the first score of each, and its class.

    All ancestors of all given classes are listed; ``best`` is left as it was.
    """
    owner, above = ancestor_closure(hierarchy, classes).expanded(classes)
    to = (cells - classes)[owner] + above
    turn = np.arange(len(to), dtype=np.int32)
    best[to[::-1]] = turn[::-1]  # the first one is written last
    first = np.flatnonzero(best[to] == turn)
    cells = to[first]
    best[cells] = NONE
    return cells, owner[first].astype(np.int32), above[first].astype(np.int64)


Cells = tuple[Ints, Ints]
"""Places in a table of instances and classes, and the class of each."""


def _risen(
    hierarchy: Hierarchy, cells: Ints, classes: Ints, best: NDArray[np.int32], given: Bools
) -> list[Cells]:
    """Write into every cell above the given ones its score; return all cells that have one.

    Scores are numbers that fall from the best one, 0. Levels are done from the lowest one: all
    children of a class are done before it.
    """
    waiting: dict[int, list[Cells]] = {}
    _put(waiting, cells, classes, hierarchy.levels)
    done = []
    while waiting:
        lowest = waiting.pop(max(waiting))
        at, node = (np.concatenate(part) for part in zip(*lowest, strict=True))
        done.append((at, node))
        first = hierarchy.parent_ptr[node]
        count = hierarchy.parent_ptr[node + 1] - first
        above = hierarchy.parents[ragged_ranges(first, count)]
        to = np.repeat(at - node, count) + above
        score = np.repeat(best[at], count)
        if len(given):
            free = ~given[to]
            to, above, score = to[free], above[free], score[free]
        known = best[to]
        new = np.flatnonzero(known == NONE)
        fresh, turn = to[new], -1 - np.arange(len(new), dtype=np.int32)
        best[fresh] = turn
        once = best[fresh] == turn  # who wrote last
        best[fresh] = NONE
        better = score < known
        np.minimum.at(best, to[better], score[better])
        _put(waiting, fresh[once], above[new[once]].astype(np.int64), hierarchy.levels)
    return done


def _put(
    waiting: dict[int, list[Cells]], cells: Ints, classes: Ints, levels: NDArray[np.int32]
) -> None:
    """Put cells where those of their level wait."""
    if not len(cells):
        return
    level = levels[classes]
    for one in np.flatnonzero(np.bincount(level)).tolist():
        here = np.flatnonzero(level == one)
        waiting.setdefault(one, []).append((cells[here], classes[here]))
