"""From named edges to checked, numbered arrays."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from itertools import chain, islice
from operator import eq
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

BLOCK = 1 << 10
"""Edges that are looked at together, so that their names stay in the cache meanwhile."""

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


def _about_weight(value: Any) -> str:
    """Say what is wrong with an edge weight."""
    spelled = str(value).strip().lower().lstrip("+-")
    number = not math.isnan(plain_number(value)) or spelled == "nan"
    wanted = "finite and not negative" if number else "a number"
    return f"the edge weight must be {wanted}, got {shown(value, 40)}"


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
) -> dict[str, Any]:
    """Check edges and further classes by name; return the fields of a Hierarchy.

    ``trouble`` is told every fault, those of the edges as they come first. If it returns, the
    faulty edge is left out (of a cycle the one that leads back, see
    `closing_edges`); its classes stay.

    >>> told = []
    >>> edges = [("r", "a"), ("a", "a"), ("r", "a"), ("a", "b"), ("b", "r")]
    >>> numbered_edges(edges, (), "line {}".format, told.append)["names"]
    ('r', 'a', 'b')
    >>> [(fault.rule, fault.place) for fault in told]
    [('self-loop', 'line 1'), ('duplicate edge', 'line 2'), ('cycle', 'line 4')]
    """
    names, ends, numbers, weights = _looked_up(edges, classes, place, trouble)
    n = len(names)
    if n == 0:
        raise BadInput("the hierarchy is empty: give at least one class")
    if weights and len(weights) != len(ends):
        raise BadInput("some edges carry a weight and some do not; give all of them one")
    weight = np.array(weights) if weights else None

    def leave_out(rule: str, found: Iterable[tuple[int, str]]) -> None:
        """Tell what is wrong with some edges, in their order, and go on without them."""
        nonlocal ends, numbers, weight
        faulty = sorted(found)
        for i, message in faulty:
            parent, child = ends[i].tolist()
            trouble(Fault(rule, place(int(numbers[i])), message, (names[parent], names[child])))
        rows = [i for i, _ in faulty]
        ends, numbers = np.delete(ends, rows, axis=0), np.delete(numbers, rows)
        weight = None if weight is None else np.delete(weight, rows)

    ordered = sorted_unique(ends[:, 0] * n + ends[:, 1])
    if len(ordered) < len(ends):
        leave_out("duplicate edge", _repeated(names, ends, numbers, place))
    levels = _levels(n, ordered // n, ordered % n)
    if (levels < 0).any():
        pairs = [(parent, child) for parent, child in ends.tolist()]
        closing = closing_edges(pairs, names)
        leave_out("cycle", ((i, closing[e]) for i, e in enumerate(pairs) if e in closing))
        ordered = sorted_unique(ends[:, 0] * n + ends[:, 1])
        levels = _levels(n, ordered // n, ordered % n)
    # Within a level, classes with several parents come last: the closure treats them apart.
    n_parents = np.bincount(ends[:, 1], minlength=n)
    by_level = np.argsort(2 * levels + (n_parents > 1), kind="stable")
    number = np.empty(n, dtype=np.int64)
    number[by_level] = np.arange(n)
    up, down = number[ends[:, 0]], number[ends[:, 1]]
    return {
        "names": tuple(np.fromiter(names, object, n)[by_level].tolist()),
        "parent_ptr": offsets(np.bincount(down, minlength=n)),
        "parents": (np.sort(down * n + up) % n).astype(np.int32),
        "child_ptr": offsets(np.bincount(up, minlength=n)),
        "children": (np.sort(up * n + down) % n).astype(np.int32),
        "levels": levels[by_level].astype(np.int32),
        "weights": None if weight is None else weight[np.argsort(down * n + up)],
    }


def _looked_up(
    edges: Iterable[Sequence[Any]],
    classes: Iterable[Any],
    place: Place,
    trouble: Trouble,
) -> tuple[list[Any], Ints, Ints, list[float]]:
    """Return the different names as they first occur, and of sound edges ends, number, weight."""
    names: list[Any] = []
    for name in in_order(classes):
        if said := _about_name(name):
            trouble(Fault("blank name", "classes", said))
        else:
            names.append(name)
    n_classes, beside, weights, start = len(names), list[Any](), list[float](), 0
    numbers, hashes = [np.empty(0, dtype=np.int64)], [_hashes(names)]
    stream = iter(in_order(edges))
    while block := list(islice(stream, BLOCK)):
        both, sound = _plain_ends(block), np.arange(start, start + len(block))
        if both is None:
            both, sound, added = _sound_ends(block, start, beside, place, trouble)
            weights += added
        start += len(block)
        names += both
        numbers.append(sound)
        hashes.append(_hashes(both))  # while the names are in the processor's cache
    n_named = len(names)
    names += beside
    different, of_name = _numbered(names, np.concatenate([*hashes, _hashes(beside)]))
    ends = of_name[n_classes:n_named].reshape(-1, 2)
    return plain_names(different), ends, np.concatenate(numbers), weights


def _hashes(names: Sequence[Any]) -> Ints:
    return np.fromiter(map(hash, names), np.int64, len(names))


def _numbered(names: list[Any], hashes: Ints) -> tuple[list[Any], Ints]:
    """Return the different names as they first occur, and the number of each.

    Hashes are sorted: a dict of millions of names waits for memory at every look-up, and takes
    twice as long. Only where different names share a hash are they looked up.
    """
    n = len(names)
    order = np.argsort(hashes)
    ordered = hashes[order]
    starts = np.flatnonzero(np.append(n > 0, ordered[1:] != ordered[:-1]))
    first = np.empty(n, dtype=np.int64)  # where the same name, or another of its hash, comes first
    least = np.minimum.reduceat(order, starts) if n else order
    first[order] = np.repeat(least, np.diff(np.append(starts, n)))
    is_first = first == np.arange(n)
    every, again = np.fromiter(names, object, n), np.flatnonzero(~is_first)
    if (every[first[again]] == every[again]).all():
        return every[is_first].tolist(), (np.cumsum(is_first) - 1)[first]
    position: defaultdict[Hashable, int] = defaultdict()
    position.default_factory = position.__len__
    numbers = np.fromiter(map(position.__getitem__, names), np.int64, n)
    return list(position), numbers


def _plain_ends(block: Sequence[Sequence[Any]]) -> list[Any] | None:
    """Return parent, child, parent, child … if all are pairs of different texts, else None."""
    if set(map(type, block)) <= {tuple, list} and set(map(len, block)) <= {2}:
        names = list(chain.from_iterable(block))
        texts = set(map(type, names)) <= {str} and "" not in names
        return names if texts and not any(map(eq, names[::2], names[1::2])) else None
    return None


def _sound_ends(
    block: list[Sequence[Any]],
    start: int,
    beside: list[Any],
    place: Place,
    trouble: Trouble,
) -> tuple[list[Any], Ints, list[float]]:
    """Return parent, child, parent, child … of edges of any kind, their numbers and weights.

    The names of faulty edges are added to those ``beside``.
    """
    names: list[Any] = []
    numbers: list[int] = []
    weights: list[float] = []
    for i, edge in enumerate(block, start):
        plain = type(edge) is tuple or type(edge) is list
        odd = not plain and (isinstance(edge, (str, Set)) or not isinstance(edge, Sized))
        if odd or len(edge) not in (2, 3):
            message = f"expected (parent, child[, weight]), got {shown(edge)}"
            trouble(Fault("edge", place(i), message))
            continue
        parent, child = edge[0], edge[1]
        weight = plain_number(edge[2]) if len(edge) == 3 else 0.0
        if said := _about_name(parent) or _about_name(child):
            rule = "blank name"
        elif parent == child:
            rule = "self-loop"
            said = f"class {shown(parent)} is its own parent; remove that edge"
        elif not 0 <= weight < LARGEST_NUMBER:
            rule, said = "edge weight", _about_weight(edge[2])
        else:
            names += (parent, child)
            numbers.append(i)
            if len(edge) == 3:
                weights.append(weight)
            continue
        trouble(Fault(rule, place(i), said, (parent, child)))
        beside += [name for name in (parent, child) if not _about_name(name)]
    return names, np.array(numbers, dtype=np.int64), weights


def _about_name(name: Any) -> str:
    """Say what is wrong with a class name."""
    if type(name) is str and name:  # most are
        return ""
    if is_missing(name):
        return f"a class name is missing (got {name!r})"
    return (
        "" if isinstance(name, Hashable) else f"a class name must be one value, got {shown(name)}"
    )


def _repeated(
    names: Sequence[Any], ends: Ints, numbers: Ints, place: Place
) -> Iterator[tuple[int, str]]:
    """Yield the edges that were given before, and say where."""
    first: dict[tuple[int, ...], int] = {}
    for i, edge in enumerate(map(tuple, ends.tolist())):
        before = first.setdefault(edge, i)
        if before != i:
            where = place(int(numbers[before]))
            spelled = f"{names[edge[0]]!r} → {names[edge[1]]!r}"
            yield i, f"the edge {spelled} already occurs at {where}; remove one of them"


def _levels(n: int, tails: Ints, heads: Ints) -> Ints:
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
