"""From named edges to checked, numbered arrays."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shortened, shown
from hierpair.hierarchy.arrays import (
    Indices,
    Ints,
    as_they_come,
    inverse,
    row_pointer,
    sorted_unique,
    taken,
    texts_as_they_come,
)

LARGEST_NUMBER = 1e100
"""Weights, costs and options from here on count as infinite: sums of them would overflow."""

SCALARS = (np.str_, np.integer, np.floating, np.bool_)
"""Scalars of NumPy that are equal to a value of Python, and are found under it in a dict."""

FAULTS = ("edge", "blank name", "self-loop", "duplicate edge", "edge weight", "cycle")
"""What may be wrong with an edge."""


@dataclass(frozen=True)
class EdgeFault:
    """What is wrong with one edge (parent and child; empty where it is no edge), or with one class.

    The rule is one of :data:`FAULTS`; the place is where it stands, and the message what is wrong,
    with the mend.
    """

    rule: str
    place: str
    message: str
    edge: tuple[Any, ...] = ()


Place = Callable[..., str]
"""Tells where a row, or an edge, of a number stands."""

Tell = Callable[[str], None]
"""What is told a sentence: it raises, or collects."""

Trouble = Callable[[EdgeFault], None]
"""What is told a fault: it raises, or the faulty edge is left out."""


@dataclass(frozen=True, eq=False)
class NumberedEdges(Sequence[tuple[str, str]]):
    """Edges by the numbers of parent and child among names, which are texts that all differ.

    Names stand in the order in which they first occur in classes and edges.
    """

    names: list[str]
    pairs: Indices

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, i: Any) -> Any:
        return tuple(self.names[c] for c in self.pairs[i].tolist())


def refuse_fault(fault: EdgeFault) -> None:
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
    """Return names with the scalars of NumPy as the equal values of Python."""
    each = names.tolist() if isinstance(names, np.ndarray) else names
    return [name.item() if isinstance(name, SCALARS) else name for name in each]


def normal_name(name: Any) -> str:
    """Return a name without regard to capitals, blanks, and forms of the same characters."""
    return " ".join(unicodedata.normalize("NFKC", str(name)).casefold().split())


def plain_number(value: Any) -> float:
    """Return a number as people write it, nan for anything else, such as ``1_0`` or true."""
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def check_other_names(names: Iterable[Any], **said: Mapping[Any, Any]) -> None:
    """Refuse another name of what is no class, or that is the name of one; stray titles, ranks."""
    known = set(names) if any(said.values()) else set()
    for alias, name in said.pop("aliases", {}).items():
        if alias in known or name not in known:
            raise BadInput(f"{shown(alias)} cannot be another name of {shown(name)}")
    for what, of in said.items():
        for name in () if known.issuperset(of) else of:
            if name not in known:
                one = what.removesuffix("s")
                raise BadInput(f"there is a {one} of {shown(name)}, which is no class")


def numbered_edges(
    edges: Iterable[Sequence[Any]], classes: Iterable[Any], place: Place,
    trouble: Trouble = refuse_fault,
) -> dict[str, Any]:  # fmt: skip
    """Check edges and further classes by name; return the fields of a Hierarchy.

    Names are numbered as they first occur, in classes, in edges, and in faulty ones last. Where
    ``trouble`` returns, the faulty edge is left out (of a cycle the one that leads back).
    """
    rows, named = edges if isinstance(edges, NumberedEdges) else list(edges), []
    for name in classes:
        if said := _about_name(name):
            trouble(EdgeFault("blank name", "classes", said))
        else:
            named.append(name)
    kept: Sequence[int] = range(len(rows))
    # what may be wrong with texts is seen in their numbers
    found = rows if isinstance(rows, NumberedEdges) else _numbered_texts(named, rows)
    names, pairs, third = found.names, found.pairs.astype(np.int64), list[Any]()
    keys = pairs[:, 0] * len(names) + pairs[:, 1]
    loops = pairs[:, 0] == pairs[:, 1]
    if not names or "" in names or loops.any() or len(sorted_unique(keys)) < len(rows):
        kept, lost = _sound_edges(rows, place, trouble)
        rows = [rows[i] for i in kept]
        codes, names = as_they_come([*named, *(name for row in rows for name in row[:2]), *lost])
        pairs = codes[len(named) :][: 2 * len(rows)].reshape(-1, 2).astype(np.int64)
        third = [edge[2] for edge in rows if len(edge) == 3]
    weights = np.array(list(map(plain_number, third)))
    if not names:
        raise BadInput("the hierarchy is empty: give at least one class")
    if 0 < len(weights) < len(rows):
        raise BadInput("some edges carry a weight and some do not; give all of them one")
    names, n = plain_names(names), len(names)
    levels = _levels(n, pairs)
    if (levels < 0).any():
        closing = closing_edges([(u, v) for u, v in pairs.tolist()], names)
        at = [i for i, (u, v) in enumerate(pairs.tolist()) if (u, v) in closing]
        for i in at:
            u, v = pairs[i].tolist()
            trouble(EdgeFault("cycle", place(kept[i]), closing[u, v], (names[u], names[v])))
        pairs, weights = np.delete(pairs, at, 0), np.delete(weights, at if len(weights) else [])
        levels = _levels(n, pairs)
    # Within a level, classes with several parents come last: the closure treats them apart.
    several = np.bincount(pairs[:, 1], minlength=n) > 1
    by_level = np.argsort(2 * levels + several, kind="stable")
    up, down = inverse(by_level, n)[pairs].T
    order = np.argsort(down * n + up)
    return {
        "names": tuple(np.fromiter(names, object, n)[by_level].tolist()),
        "parent_ptr": row_pointer(down, n),
        "parents": up[order].astype(np.int32),
        "child_ptr": row_pointer(up, n),
        "children": (np.sort(up * n + down) % n).astype(np.int32),
        "levels": levels[by_level].astype(np.int32),
        "weights": weights[order] if len(weights) else None,
    }


def _numbered_texts(named: list[Any], rows: list[Any]) -> NumberedEdges:
    """Number the classes and both ends of all edges if all are plain texts, or nothing."""
    every = list[str]()
    if set(map(type, rows)) <= {tuple, list} and set(map(len, rows)) <= {2}:
        every = [*named, *chain.from_iterable(rows)]
    codes, names = texts_as_they_come(every if set(map(type, every)) <= {str} else [])
    return NumberedEdges(names, codes[len(named) :].reshape(-1, 2))


def _sound_edges(
    rows: Sequence[Any], place: Place, trouble: Trouble
) -> tuple[list[int], list[Any]]:
    """Tell what is wrong with single edges; return the numbers of the others, and lost names."""
    lost, first = list[Any](), dict[Any, int]()
    for i, edge in enumerate(rows):
        rule, said = _fault_of(edge)
        ends = () if rule == "edge" else tuple(edge[:2])
        if not rule and (before := first.setdefault(ends, i)) != i:
            rule, said = "duplicate edge", " → ".join(map(shown, ends))
            said = f"the edge {said} already occurs at {place(before)}; remove one of them"
        if rule:
            trouble(EdgeFault(rule, place(i), said, ends))
            lost += [name for name in ends if not _about_name(name)]
    return list(first.values()), lost


def is_edge(edge: Any) -> bool:
    """Whether a thing has a first and a second, parent and child, and perhaps a third."""
    odd = not isinstance(edge, Sized) or isinstance(edge, (str, Set, Mapping))
    return not odd and len(edge) in (2, 3)


def _fault_of(edge: Any) -> tuple[str, str]:
    """Return the rule that an edge alone breaks and what is wrong with it, or blanks."""
    if not is_edge(edge):
        return "edge", f"expected (parent, child[, weight]), got {shown(edge)}"
    parent, child, *weight = edge
    if blank := _about_name(parent) or _about_name(child):
        return "blank name", blank
    if parent == child:
        return "self-loop", f"class {shown(parent)} is its own parent; remove that edge"
    if all(0 <= plain_number(value) < LARGEST_NUMBER for value in weight):
        return "", ""
    wanted = "a number" if math.isnan(plain_number(weight[0])) else "finite and not negative"
    return "edge weight", f"the edge weight must be {wanted}, got {shown(weight[0], 40)}"


def _about_name(name: Any) -> str:
    if is_missing(name):
        return f"a class name is missing (got {name!r})"
    odd = not isinstance(name, Hashable)
    return f"a class name must be one value, got {shown(name)}" if odd else ""


def _levels(n: int, pairs: Ints) -> Ints:
    """Longest way from a parentless class; -1 on and below cycles (Kahn, a level at a time)."""
    up, down = np.divmod(np.sort(pairs[:, 0] * n + pairs[:, 1]), n)
    ptr, waiting = row_pointer(up, n), np.bincount(down, minlength=n)
    levels, level = np.full(n, -1), 0
    front = np.flatnonzero(waiting == 0)
    while len(front):
        levels[front] = level
        level += 1
        reached = down[taken(ptr, front)[1]]
        np.subtract.at(waiting, reached, 1)
        front = sorted_unique(reached[waiting[reached] == 0])
    return levels


def closing_edges(
    pairs: Sequence[tuple[int, int]], names: Sequence[Any]
) -> dict[tuple[int, int], str]:
    """Return the edges that lead back to a class above, depth first in their order, with cycles."""
    import networkx as nx

    below = {child for _, child in pairs}
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(dict.fromkeys(chain.from_iterable(pairs)), key=below.__contains__))
    graph.add_edges_from(pairs)
    at, closing = dict[int, None](), {}  # the way down to here
    for parent, child, kind in nx.dfs_labeled_edges(graph):
        if kind == "forward":
            at[child] = None
        elif kind == "reverse":
            del at[child]
        elif child in at:
            way = list(at)
            cycle = " → ".join(repr(names[c]) for c in (*way[way.index(child) :], child))
            closing[parent, child] = (
                f"the hierarchy has a cycle: {shortened(cycle, 120)}; remove one of its edges, "
                f"such as {names[parent]!r} → {names[child]!r}"
            )
    return closing
