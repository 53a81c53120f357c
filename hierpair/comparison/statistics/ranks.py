"""Ranks of systems, equal where no significant difference is found."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Ints

__all__ = ["cliques", "ranked"]


def ranked(values: ArrayLike, significant: ArrayLike | None = None, *, dense: bool = False) -> Ints:
    """Return the rank of every system, 1 for the best.

    Without ``significant``, equal values have equal ranks. With it, systems are gone through from
    the best value down, as in the tables of Kosmopoulos et al. (2014, §4.3): a system has the rank
    of the one before it if it differs significantly from no system of that rank. Two systems of one
    rank then never differ significantly; two of different ranks may.

    Parameters
    ----------
    values
        One number per system, higher is better: turn the sign of errors.
    significant
        Square matrix: whether two systems differ significantly.
    dense
        The next rank is one more; otherwise it is the system's position (1, 1, 3).

    Raises
    ------
    BadInput
        For a NaN, or a matrix of another shape.

    Examples
    --------
    >>> ranked([0.5, 0.9, 0.9, 0.1]).tolist()
    [3, 1, 1, 4]
    >>> differ = [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    >>> ranked([0.9, 0.8, 0.7], differ).tolist()
    [1, 1, 3]
    >>> ranked([0.9, 0.8, 0.7], differ, dense=True).tolist()
    [1, 1, 2]
    """
    v = np.asarray(values, dtype=np.float64)
    if v.ndim != 1 or np.isnan(v).any():
        raise BadInput("a ranking needs one number per system, and no nan")
    if significant is None:
        differ = v[:, None] != v
    else:
        differ = np.asarray(significant, dtype=bool)
        if differ.shape != (len(v), len(v)):
            raise BadInput(f"significant must have shape {(len(v), len(v))}, got {differ.shape}")
    ranks = np.zeros(len(v), dtype=np.int64)
    group: list[int] = []
    rank = 0
    for position, i in enumerate(np.argsort(-v, kind="stable").tolist(), start=1):
        if not group or differ[i, group].any():
            rank = rank + 1 if dense else position
            group = []
        group.append(i)
        ranks[i] = rank
    return ranks


def cliques(values: ArrayLike, significant: ArrayLike) -> list[list[int]]:
    """Return the longest runs of neighbours in the order of values none of which differ.

    These are the bars of a critical-difference picture; runs of one system are left out.

    Parameters
    ----------
    values, significant
        As for :func:`ranked`.

    Examples
    --------
    >>> cliques([0.9, 0.8, 0.7], [[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    [[0, 1], [1, 2]]
    """
    v, differ = np.asarray(values, dtype=np.float64), np.asarray(significant, dtype=bool)
    order = np.argsort(-v, kind="stable")
    runs: list[list[int]] = []
    reached = 0
    for first in range(len(order)):
        last = first + 1
        while last < len(order) and not differ[order[last], order[first:last]].any():
            last += 1
        if last - first > 1 and last > reached:
            runs.append([int(i) for i in order[first:last]])
        reached = max(reached, last)
    return runs
