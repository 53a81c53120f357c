"""From named edges to checked, numbered arrays."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from itertools import islice
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import hashed_names
from hierpair.hierarchy.arrays import offsets, ragged_ranges, sorted_unique
from hierpair.hierarchy.cycles import cycle_below

__all__ = [
    "check_name",
    "check_other_names",
    "check_weight",
    "in_order",
    "is_missing",
    "numbered_edges",
    "plain_names",
    "plain_number",
]


LARGEST_NUMBER = 1e100
"""Weights, costs and options from here on count as infinite: sums of them would overflow."""


def in_order(things: Iterable[Any]) -> Iterable[Any]:
    """Return a set sorted, anything else as it is: sets have another order in every run."""
    return sorted(things, key=repr) if isinstance(things, (set, frozenset)) else things


SCALARS = (np.str_, np.integer, np.floating, np.bool_)
"""Scalars of NumPy that are equal to a value of Python, and are found under it in a dict."""


def check_name(name: object, place: str) -> None:
    """Refuse a missing class name."""
    if is_missing(name):
        raise BadInput(f"{place}: a class name is missing (got {name!r})")
    if not isinstance(name, Hashable):
        raise BadInput(f"{place}: a class name must be one value, got {shown(name)}")


def is_missing(name: Any) -> bool:
    """Whether a name is None, NaN, NA or an empty text."""
    if isinstance(name, float):
        return math.isnan(name)
    return (
        name is None
        or type(name).__name__ in ("NAType", "NaTType")
        or (isinstance(name, str) and name == "")
    )


def plain_names(names: Iterable[Any]) -> list[Any]:
    """Return names with the scalars of NumPy as the equal values of Python.

    >>> plain_names([np.str_("a"), np.int64(2), "b"])
    ['a', 2, 'b']
    """
    if isinstance(names, np.ndarray):
        return list(names.tolist())
    listed = names if isinstance(names, list) else list(names)
    if any(issubclass(kind, SCALARS) for kind in set(map(type, listed))):
        return [name.item() if isinstance(name, SCALARS) else name for name in listed]
    return listed


def plain_number(value: Any) -> float:
    """Return a number as people write it, nan for anything else.

    ``float`` alone takes ``1_0`` for 10, and true for 1.
    """
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def check_weight(value: Any, place: str) -> float:
    """Return an edge weight as a float, or refuse it."""
    weight = plain_number(value)
    if not 0 <= weight < LARGEST_NUMBER:
        spelled = str(value).strip().lower().lstrip("+-")
        number = not math.isnan(weight) or spelled == "nan"
        wanted = "finite and not negative" if number else "a number"
        raise BadInput(f"{place}: the edge weight must be {wanted}, got {shown(value, 40)}")
    return weight


def check_other_names(
    names: Iterable[Any], aliases: Mapping[Any, Any], titles: Mapping[Any, str]
) -> None:
    """Refuse another name of what is no class, or that is the name of one, and a stray title."""
    known = set(names) if aliases or titles else set()
    for alias, name in aliases.items():
        if alias in known or name not in known:
            raise BadInput(f"{shown(alias)} cannot be another name of {shown(name)}")
    stray = next((name for name in titles if name not in known), None)
    if stray is not None:
        raise BadInput(f"there is a title of {shown(stray)}, which is no class")


BLOCK = 1 << 16
"""Edges that are looked at together."""


def numbered_edges(
    edges: Iterable[Sequence[Any]], classes: Iterable[Any], place: Callable[[int], str]
) -> dict[str, Any]:
    """Check edges and further classes by name; return the fields of a Hierarchy."""
    listed = list(in_order(classes))
    for name in listed:
        check_name(name, "classes")
    edges = in_order(edges)
    if isinstance(edges, list) and len(edges) >= hashed_names.LEAST_EDGES:
        found = hashed_names.numbered_by_hash(edges, listed)
        if found is not None:
            names, both = found
            if (loop := _first_loop(both)) is not None:
                _refuse_loop(names[both[loop, 0]], place(loop))
            return _assembled(names, both[:, 0].copy(), both[:, 1].copy(), None, place)
    position, both, weights = _looked_up(edges, listed, place)
    if weights and len(weights) != len(both):
        raise BadInput("some edges carry a weight and some do not; give all of them one")
    return _assembled(
        plain_names(position),
        both[:, 0].copy(),
        both[:, 1].copy(),
        np.array(weights) if weights else None,
        place,
    )


def _looked_up(
    edges: Iterable[Sequence[Any]], classes: list[Any], place: Callable[[int], str]
) -> tuple[Iterable[Hashable], NDArray[np.int64], list[float]]:
    """Return the different names as they first occur, the numbers of both ends, and weights."""
    position: defaultdict[Hashable, int] = defaultdict()
    position.default_factory = position.__len__  # a name that is new gets the next number
    weights: list[float] = []
    for name in classes:
        position[name]
    numbered = []
    for start, block in _blocks(edges):
        names = hashed_names.plain_ends(block)
        if names is None:
            names = _checked_ends(block, start, weights, place)
        ends = np.fromiter(map(position.__getitem__, names), np.int64, len(names)).reshape(-1, 2)
        if (loop := _first_loop(ends)) is not None:
            _refuse_loop(names[2 * loop], place(start + loop))
        numbered.append(ends)
    both = np.concatenate(numbered) if numbered else np.empty((0, 2), dtype=np.int64)
    return position, both, weights


def _first_loop(ends: NDArray[np.int64]) -> int | None:
    """Return the number of the first edge from a class to itself, if there is one."""
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    return int(loops[0]) if len(loops) else None


def _blocks(edges: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[Sequence[Any]]]]:
    """Yield edges in blocks with the number of the first; edges before a failure come first."""
    stream = iter(edges)
    start = 0
    while True:
        block: list[Sequence[Any]] = []
        failure = None
        try:
            for edge in islice(stream, BLOCK):
                block.append(edge)  # noqa: PERF402 - what was read before a failure is kept
        except Exception as error:
            failure = error
        yield start, block
        if failure is not None:
            raise failure
        if len(block) < BLOCK:
            return
        start += len(block)


def _checked_ends(
    block: list[Sequence[Any]], start: int, weights: list[float], place: Callable[[int], str]
) -> list[Any]:
    """Return parent, child, parent, child … of edges of any kind, and add their weights."""
    names: list[Any] = []
    for i, edge in enumerate(block, start):
        plain = type(edge) is tuple or type(edge) is list
        odd = not plain and (isinstance(edge, (str, Set)) or not isinstance(edge, Sized))
        if odd or len(edge) not in (2, 3):
            raise BadInput(f"{place(i)}: expected (parent, child[, weight]), got {shown(edge)}")
        parent, child = edge[0], edge[1]
        for name in (parent, child):
            if type(name) is not str or not name:  # most are texts, and places take time
                check_name(name, place(i))
        if parent == child:
            _refuse_loop(parent, place(i))
        names += (parent, child)
        if len(edge) == 3:
            weights.append(check_weight(edge[2], place(i)))
    return names


def _refuse_loop(name: Any, place: str) -> NoReturn:
    raise BadInput(f"{place}: class {shown(name)} is its own parent; remove that edge")


def _assembled(
    names: Sequence[Any] | NDArray[Any],
    tails: NDArray[np.int64],
    heads: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    place: Callable[[int], str],
) -> dict[str, Any]:
    """Check a graph and number its classes level by level; return the fields of a Hierarchy."""
    n = len(names)
    if n == 0:
        raise BadInput("the hierarchy is empty: give at least one class")
    key = tails * n + heads
    ordered = sorted_unique(key.copy())
    if len(ordered) < len(key):
        order = np.argsort(key, kind="stable")
        double = np.flatnonzero(key[order][1:] == key[order][:-1])
        second = int(order[double[0] + 1])
        raise BadInput(
            f"{place(second)}: the edge {names[tails[second]]!r} → {names[heads[second]]!r} "
            f"already occurs at {place(int(order[double[0]]))}; remove one of them"
        )
    levels = _levels(n, ordered // n, ordered % n)
    if (levels < 0).any():
        cycle = cycle_below(levels, tails, heads)
        spelled = [repr(names[i]) for i in cycle]
        if len(spelled) > 13:
            spelled = [*spelled[:6], f"… {len(spelled) - 12} more …", *spelled[-6:]]
        edge = int(np.flatnonzero((tails == cycle[0]) & (heads == cycle[1]))[0])
        raise BadInput(f"{place(edge)}: the hierarchy has a cycle: {' → '.join(spelled)}")
    # Within a level, classes with several parents come last: the closure treats them apart.
    n_parents = np.bincount(heads, minlength=n)
    by_level = np.argsort(2 * levels + (n_parents > 1), kind="stable")
    number = np.empty(n, dtype=np.int64)
    number[by_level] = np.arange(n)
    up, down = number[tails], number[heads]
    if weights is not None:
        weights = weights[np.argsort(down * n + up)]
    return {
        "names": tuple(np.fromiter(names, object, n)[by_level].tolist()),
        "parent_ptr": offsets(np.bincount(down, minlength=n)),
        "parents": (np.sort(down * n + up) % n).astype(np.int32),
        "child_ptr": offsets(np.bincount(up, minlength=n)),
        "children": (np.sort(up * n + down) % n).astype(np.int32),
        "levels": levels[by_level].astype(np.int32),
        "weights": weights,
    }


def _levels(n: int, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Longest way from a parentless class; -1 on and below cycles (Kahn, a level at a time).

    The edges are sorted by their tails.
    """
    ptr, children = offsets(np.bincount(tails, minlength=n)), heads
    waiting = np.bincount(heads, minlength=n)
    levels = np.full(n, -1, dtype=np.int64)
    front = np.flatnonzero(waiting == 0)
    level = 0
    while len(front):
        levels[front] = level
        level += 1
        reached = children[ragged_ranges(ptr[front], ptr[front + 1] - ptr[front])]
        np.subtract.at(waiting, reached, 1)
        front = sorted_unique(reached[waiting[reached] == 0])
    return levels
