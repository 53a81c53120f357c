"""From named edges to checked, numbered arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Ints, offsets, ragged_ranges, sorted_unique

__all__ = [
    "FAULTS",
    "Fault",
    "check_other_names",
    "closing_edges",
    "in_order",
    "is_missing",
    "numbered_edges",
    "plain_names",
    "plain_number",
]

LARGEST_NUMBER = 1e100
"""Weights, costs and options from here on count as infinite: sums of them would overflow."""

SCALARS = (np.str_, np.integer, np.floating, np.bool_)
"""Scalars of NumPy that are equal to a value of Python, and are found under it in a dict."""

FAULTS = ("edge", "blank name", "self-loop", "duplicate edge", "edge weight", "cycle")
"""What may be wrong with an edge."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with one edge, or with one class.

    Attributes
    ----------
    rule
        One of :data:`FAULTS`.
    place
        Where it stands.
    message
        What is wrong, and the mend.
    edge
        Parent and child; empty where it is no edge.
    """

    rule: str
    place: str
    message: str
    edge: tuple[Any, ...] = ()


Place = Callable[[int], str]
"""Tells where a row, or an edge, of a number stands."""

Tell = Callable[[str], None]
"""What is told a sentence: it raises, or collects."""

Trouble = Callable[[Fault], None]
"""What is told a fault: it raises, or the faulty edge is left out."""


def refuse_fault(fault: Fault) -> None:
    """Raise the fault as an error."""
    raise BadInput(f"{fault.place}: {fault.message}")


def in_order(things: Iterable[Any]) -> Iterable[Any]:
    """Return a set sorted, anything else as it is: sets have another order in every run."""
    return sorted(things, key=repr) if isinstance(things, (set, frozenset)) else things


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


def numbered_edges(
    edges: Iterable[Sequence[Any]],
    classes: Iterable[Any],
    place: Place,
    trouble: Trouble = refuse_fault,
    last: Sequence[Any] = (),
) -> dict[str, Any]:
    """Check edges and further classes by name; return the fields of a Hierarchy.

    Names are numbered as they first occur, in classes, in edges, and ``last`` of all. ``trouble``
    is told every fault, those of single edges first. If it returns, the faulty edge is left out
    (of a cycle the one that leads back, see `closing_edges`); its classes stay.

    >>> told = []
    >>> edges = [("r", "a"), ("a", "a"), ("r", "a"), ("a", "b"), ("b", "r")]
    >>> numbered_edges(edges, (), "line {}".format, told.append)["names"]
    ('r', 'a', 'b')
    >>> [(fault.rule, fault.place) for fault in told]
    [('self-loop', 'line 1'), ('duplicate edge', 'line 2'), ('cycle', 'line 4')]
    """
    rows, named = list(in_order(edges)), list[Any]()
    for name in in_order(classes):
        if said := _about_name(name):
            trouble(Fault("blank name", "classes", said))
        else:
            named.append(name)

    def faulty() -> dict[int, Fault]:
        return {i: x for i, edge in enumerate(rows) if (x := _fault_of(edge, i, place))}

    def without(faults: Mapping[int, Fault], names: list[Any] | None = None) -> dict[str, Any]:
        """Tell what is wrong with some edges, and go on without them, with these names first."""
        for fault in faults.values():
            trouble(fault)
        kept = [i for i in range(len(rows)) if i not in faults]
        rest, where = [rows[i] for i in kept], lambda i: place(kept[i])
        lost = [name for fault in faults.values() for name in fault.edge if not _about_name(name)]
        return numbered_edges(rest, names or named, where, trouble, () if names else lost)

    ends, weights = _texts(rows), list[float]()
    texts = ends is not None  # these are looked at once they are numbered
    if ends is None:
        if faults := faulty():
            return without(faults)
        ends = [name for edge in rows for name in edge[:2]]
        weights = [plain_number(edge[2]) for edge in rows if len(edge) == 3]
    names, codes = _different([*named, *ends, *last])
    pairs, n = codes[len(named) : len(named) + len(ends)].reshape(-1, 2), len(names)
    if texts and ((pairs[:, 0] == pairs[:, 1]).any() or "" in names):
        return without(faulty())
    if n == 0:
        raise BadInput("the hierarchy is empty: give at least one class")
    if weights and len(weights) != len(pairs):
        raise BadInput("some edges carry a weight and some do not; give all of them one")
    ordered = sorted_unique(pairs[:, 0] * n + pairs[:, 1])
    if len(ordered) < len(pairs):
        return without(_repeated(names, pairs, place), names)
    levels = _levels(n, ordered)
    if (levels < 0).any():
        return without(_closing(names, pairs, place), names)
    # Within a level, classes with several parents come last: the closure treats them apart.
    n_parents = np.bincount(pairs[:, 1], minlength=n)
    by_level = np.argsort(2 * levels + (n_parents > 1), kind="stable")
    number = np.empty(n, dtype=np.int64)
    number[by_level] = np.arange(n)
    up, down = number[pairs].T
    return {
        "names": tuple(np.fromiter(names, object, n)[by_level].tolist()),
        "parent_ptr": offsets(np.bincount(down, minlength=n)),
        "parents": (np.sort(down * n + up) % n).astype(np.int32),
        "child_ptr": offsets(np.bincount(up, minlength=n)),
        "children": (np.sort(up * n + down) % n).astype(np.int32),
        "levels": levels[by_level].astype(np.int32),
        "weights": np.array(weights)[np.argsort(down * n + up)] if weights else None,
    }


def _texts(rows: list[Any]) -> list[str] | None:
    """Return parent, child, parent, child … if all rows are pairs of texts, else None."""
    if not set(map(type, rows)) <= {tuple, list} or not set(map(len, rows)) <= {2}:
        return None
    names = list(chain.from_iterable(rows))
    return names if set(map(type, names)) <= {str} else None


def _fault_of(edge: Any, i: int, place: Place) -> Fault | None:
    """Return what is wrong with an edge alone."""
    if isinstance(edge, (str, Set)) or not isinstance(edge, Sized) or len(edge) not in (2, 3):
        return Fault("edge", place(i), f"expected (parent, child[, weight]), got {shown(edge)}")
    ends: Any = edge
    parent, child, *weight = ends
    if blank := _about_name(parent) or _about_name(child):
        rule, said = "blank name", blank
    elif parent == child:
        rule, said = "self-loop", f"class {shown(parent)} is its own parent; remove that edge"
    elif all(0 <= plain_number(value) < LARGEST_NUMBER for value in weight):
        return None
    else:
        nan = str(weight[0]).strip().lower().lstrip("+-") == "nan"
        number = nan or not math.isnan(plain_number(weight[0]))
        wanted = "finite and not negative" if number else "a number"
        rule, said = "edge weight", f"the edge weight must be {wanted}, got {shown(weight[0], 40)}"
    return Fault(rule, place(i), said, (parent, child))


def _different(names: list[Any]) -> tuple[list[Any], Ints]:
    """Return the different names as they first occur, and the number of each name.

    Hashes are sorted: a dict of millions of names waits for memory at every look-up. Only where
    different names share a hash are they looked up.
    """
    n = len(names)
    every, hashes = np.fromiter(names, object, n), np.fromiter(map(hash, names), np.int64, n)
    order = np.argsort(hashes)
    starts = np.flatnonzero(np.diff(hashes[order], prepend=hashes[order[:1]] ^ 1))
    first = np.empty(n, dtype=np.int64)  # where the same name, or another of its hash, comes first
    least = np.minimum.reduceat(order, starts) if n else order
    first[order] = np.repeat(least, np.diff(np.append(starts, n)))
    is_first = first == np.arange(n)
    again = np.flatnonzero(~is_first)
    if (every[first[again]] != every[again]).any():
        position = {name: i for i, name in reversed([*enumerate(names)])}
        first = np.fromiter(map(position.__getitem__, names), np.int64, n)
        is_first = first == np.arange(n)
    return plain_names(every[is_first].tolist()), (np.cumsum(is_first) - 1)[first]


def _about_name(name: Any) -> str:
    """Say what is wrong with a class name."""
    if type(name) is str and name:  # most are
        return ""
    if is_missing(name):
        return f"a class name is missing (got {name!r})"
    return (
        "" if isinstance(name, Hashable) else f"a class name must be one value, got {shown(name)}"
    )


def _repeated(names: Sequence[Any], pairs: Ints, place: Place) -> dict[int, Fault]:
    """Return the edges that were given before, and where."""
    first: dict[tuple[Any, ...], int] = {}
    found = {}
    for i, ends in enumerate(pairs.tolist()):
        edge = names[ends[0]], names[ends[1]]
        before = first.setdefault(edge, i)
        if before != i:
            said = f"the edge {edge[0]!r} → {edge[1]!r} already occurs at {place(before)}; "
            found[i] = Fault("duplicate edge", place(i), f"{said}remove one of them", edge)
    return found


def _closing(names: Sequence[Any], pairs: Ints, place: Place) -> dict[int, Fault]:
    """Return the edges that close cycles."""
    edges = [(parent, child) for parent, child in pairs.tolist()]
    closing = closing_edges(edges, names)
    return {
        i: Fault("cycle", place(i), closing[edge], (names[edge[0]], names[edge[1]]))
        for i, edge in enumerate(edges)
        if edge in closing
    }


def _levels(n: int, edges: Ints) -> Ints:
    """Longest way from a parentless class; -1 on and below cycles (Kahn, a level at a time).

    The edges are ``parent * n + child``, ascending.
    """
    tails, children = np.divmod(edges, n)
    ptr, waiting = offsets(np.bincount(tails, minlength=n)), np.bincount(children, minlength=n)
    levels, level = np.full(n, -1, dtype=np.int64), 0
    front = np.flatnonzero(waiting == 0)
    while len(front):
        levels[front] = level
        level += 1
        reached = children[ragged_ranges(ptr[front], ptr[front + 1] - ptr[front])]
        np.subtract.at(waiting, reached, 1)
        front = sorted_unique(reached[waiting[reached] == 0])
    return levels


def closing_edges(
    pairs: Sequence[tuple[int, int]], names: Sequence[Any]
) -> dict[tuple[int, int], str]:
    """Return the edges that lead back to a class above on the way down, with the cycles they close.

    The way down starts at the parentless classes, then at any other class, and follows
    children, all in the order in which the edges name them. Without the returned edges there is
    no cycle; an edge that is in no cycle is never returned.
    """
    import networkx as nx

    below = {child for parent, child in pairs if parent != child}
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(dict.fromkeys(chain.from_iterable(pairs)), key=below.__contains__))
    graph.add_edges_from(pairs)
    way: list[int] = []
    at: dict[int, int] = {}
    closing = {}
    for parent, child, kind in nx.dfs_labeled_edges(graph):
        if kind == "forward":
            at[child] = len(way)
            way.append(child)
        elif kind == "reverse":
            del at[way.pop()]
        elif child in at:
            cycle = [repr(names[c]) for c in (*way[at[child] :], child)]
            if len(cycle) > 13:
                cycle[6:-6] = [f"… {len(cycle) - 12} more …"]
            closing[parent, child] = (
                f"the hierarchy has a cycle: {' → '.join(cycle)}; the rule depth-first would "
                f"leave out {names[parent]!r} → {names[child]!r}"
            )
    return closing
