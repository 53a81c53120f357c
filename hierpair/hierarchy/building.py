"""From named edges to checked, numbered arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import offsets, ragged_ranges

__all__ = [
    "assemble",
    "check_name",
    "check_weight",
    "in_order",
    "is_missing",
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


def plain_number(given: Any) -> float:
    """Return a number as people write it, nan for anything else.

    ``float`` alone takes ``1_0`` for 10, and true for 1.
    """
    if isinstance(given, bool) or (isinstance(given, str) and "_" in given):
        return math.nan
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def check_weight(given: Any, place: str) -> float:
    """Return an edge weight as a float, or refuse it."""
    weight = plain_number(given)
    if not 0 <= weight < LARGEST_NUMBER:
        spelled = str(given).strip().lower().lstrip("+-")
        number = not math.isnan(weight) or spelled == "nan"
        wanted = "finite and not negative" if number else "a number"
        raise BadInput(f"{place}: the edge weight must be {wanted}, got {shown(given, 40)}")
    return weight


def assemble(
    names: list[Hashable],
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
    order = np.argsort(key, kind="stable")
    double = np.flatnonzero(key[order][1:] == key[order][:-1])
    if len(double):
        second = int(order[double[0] + 1])
        raise BadInput(
            f"{place(second)}: the edge {names[tails[second]]!r} → {names[heads[second]]!r} "
            f"stands already at {place(int(order[double[0]]))}; remove one of them"
        )
    levels = _levels(n, tails, heads)
    if (levels < 0).any():
        cycle = _find_cycle(levels, tails, heads)
        shown = [repr(names[i]) for i in cycle]
        if len(shown) > 13:
            shown = [*shown[:6], f"… {len(shown) - 12} more …", *shown[-6:]]
        edge = int(np.flatnonzero((tails == cycle[0]) & (heads == cycle[1]))[0])
        raise BadInput(f"{place(edge)}: the hierarchy has a cycle: {' → '.join(shown)}")
    # Within a level, classes with several parents come last: the closure treats them apart.
    n_parents = np.bincount(heads, minlength=n)
    by_level = np.lexsort((np.arange(n), n_parents > 1, levels))
    number = np.empty(n, dtype=np.int64)
    number[by_level] = np.arange(n)
    up, down = number[tails], number[heads]
    by_child, by_parent = np.lexsort((up, down)), np.lexsort((down, up))
    return {
        "names": tuple(names[i] for i in by_level.tolist()),
        "parent_ptr": offsets(np.bincount(down, minlength=n)),
        "parents": up[by_child].astype(np.int32),
        "child_ptr": offsets(np.bincount(up, minlength=n)),
        "children": down[by_parent].astype(np.int32),
        "levels": levels[by_level].astype(np.int32),
        "weights": None if weights is None else weights[by_child],
    }


def _levels(n: int, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Longest way from a parentless class; -1 on and below cycles (Kahn, a level at a time)."""
    by_tail = np.argsort(tails, kind="stable")
    ptr, children = offsets(np.bincount(tails, minlength=n)), heads[by_tail]
    waiting = np.bincount(heads, minlength=n)
    levels = np.full(n, -1, dtype=np.int64)
    front = np.flatnonzero(waiting == 0)
    level = 0
    while len(front):
        levels[front] = level
        level += 1
        reached = children[ragged_ranges(ptr[front], ptr[front + 1] - ptr[front])]
        np.subtract.at(waiting, reached, 1)
        reached = np.unique(reached)
        front = reached[waiting[reached] == 0]
    return levels


def _find_cycle(
    levels: NDArray[np.int64], tails: NDArray[np.int64], heads: NDArray[np.int64]
) -> list[int]:
    """Return one cycle as class positions, the first one repeated at the end."""
    stuck = (levels[tails] < 0) & (levels[heads] < 0)
    some_parent = dict(zip(heads[stuck].tolist(), tails[stuck].tolist(), strict=True))
    node = next(iter(some_parent))
    seen: dict[int, int] = {}
    while node not in seen:
        seen[node] = len(seen)
        node = some_parent[node]
    walk = list(seen)[seen[node] :]
    return [node, *reversed(walk)]
