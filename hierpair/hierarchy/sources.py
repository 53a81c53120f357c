"""Hierarchies as people hold them: maps, vectors, lineages, codes, data frames, graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed, shown, unknown
from hierpair.hierarchy.arrays import array_of, frame_columns, is_frame, values_of
from hierpair.hierarchy.building import Tell, in_order, is_missing, plain_names
from hierpair.hierarchy.columns import whole_numbers
from hierpair.hierarchy.edge_list import (
    EdgeList,
    Naming,
    Record,
    collected,
    read_table,
    refuse,
    table_edges,
)
from hierpair.hierarchy.nested import object_edges, plain_name

__all__ = [
    "code_edges",
    "edges_of",
    "frame_edges",
    "level_rows",
    "lineage_records",
    "map_edges",
    "networkx_edges",
    "path_edges",
    "vector_edges",
]

UPWARDS = ("is_a", "part_of", "subclass_of", "subClassOf", "broader", "child_of", "instance_of")
"""Relations of graphs that lead from a class to what is above it."""

ORDER = "(score takes hierarchy, y_true, systems; the functions take y_true, y_pred, hierarchy)"
"""What may have been meant where no hierarchy is given."""


def edges_of(thing: Any, direction: str | None = None) -> EdgeList:
    """Return what a thing of any known kind says.

    Raises
    ------
    BadInput
        For what is no hierarchy, and for what may be two; names the constructor that decides.
    """
    if hasattr(thing, "is_directed"):
        return networkx_edges(thing, direction=direction)
    if is_frame(thing):
        return frame_edges(thing)
    if isinstance(thing, Mapping):
        return object_edges(thing, plain_name, refuse) or map_edges(thing, direction)
    if hasattr(thing, "index") and hasattr(thing, "items"):  # a column of pandas
        values = thing.tolist()
        numbered = list(thing.index) == list(range(len(values)))
        if not numbered or not all(isinstance(x, (str, list, tuple)) for x in values):
            return map_edges(dict(thing.items()), direction)
        thing = values
    array = array_of(thing)
    if array is not None:
        pairs = array.shape[1:] == (2,) and array.dtype.kind in "iuf"
        if array.ndim != 1 and not pairs:
            raise BadInput(
                f"an array of shape {array.shape}: is each row a lineage from the top "
                "(from_paths), an edge (from_edges), or is it a matrix of links "
                "(networkx.from_numpy_array)?"
            )
        thing = array.tolist()
    if isinstance(thing, Iterable) and not isinstance(thing, (str, bytes)):
        return _list_edges(list(in_order(thing)), direction)
    raise BadInput(
        f"a hierarchy is wanted, got {type(thing).__name__}: a Hierarchy, edges (parent, child), a "
        "map {class: parent}, a list of parents by number, nested dicts, a data frame, a graph of "
        f"networkx or the name of a file {ORDER}"
    )


def _list_edges(things: list[Any], direction: str | None) -> EdgeList:
    """Return edges, a vector of parents, lineages, or what nested lists say."""
    if not things:
        raise BadInput("the hierarchy is empty: give at least one class")
    first = shown(things[0], 40)
    if all(x is None or _is_number(x) for x in things):
        return vector_edges(things)
    if all(isinstance(x, str) for x in things):
        if not any("/" in x for x in things):
            raise BadInput(
                f"texts such as {first} hold no lineage (a/b); with another separator give them to "
                f"from_paths, codes to from_codes {ORDER}"
            )
        return path_edges(things, direction=direction)
    if all(isinstance(x, (list, tuple)) for x in things):
        if all(len(x) == 2 or (len(x) == 3 and _is_number(x[2])) for x in things):
            return EdgeList(things)
        raise BadInput(
            f"lists of {listed(sorted({len(x) for x in things}))} entries, such as {first}: give "
            "lineages from the top to from_paths, edges (parent, child) or (parent, child, weight) "
            "to from_edges"
        )
    found = object_edges(things, plain_name, refuse)
    if found is None:
        raise BadInput(f"no form of a hierarchy begins with {first}")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


# ---------------------------------------------------------------- maps and vectors


def map_edges(
    parents: Mapping[Any, Any],
    direction: str | None = None,
    name_of: Naming = plain_name,
    trouble: Tell = refuse,
) -> EdgeList:
    """Return the edges and classes of ``{class: parent}`` or ``{class: [parents]}``.

    A blank is no parent, and so is -1 where the classes are numbers from 0. With the direction
    ``"parent-to-child"`` the lists hold children.

    Raises
    ------
    BadInput
        For names that a map to numbers gives no parents.
    """
    keys = plain_names(parents)
    numbered, down = all(map(_is_numeral, keys)), direction == "parent-to-child"
    found = table_edges(
        {"child": keys, "parent": list(parents.values())}, lambda i: repr(keys[i]), trouble,
        name_of=name_of, none=("-1", "-1.0") if numbered else (), signs=("0", "0.0"), down=down,
        direction=direction,
    )  # fmt: skip
    others = [other for other, _ in found.edges]
    if others and all(map(_is_numeral, others)) and not any(map(_is_numeral, keys)):
        raise BadInput(
            f"a map from names such as {shown(keys[0], 40)} to numbers such as {others[0]!r} is no "
            "hierarchy; give the name of the parent of every class"
        )
    return found


def _is_numeral(name: Any) -> bool:
    """Whether a class is a number from 0, or its digits."""
    return name.isdecimal() if isinstance(name, str) else _is_number(name) and name >= 0


def vector_edges(parents: Iterable[Any]) -> EdgeList:
    """Return the edges of a list with the parent of class 0, 1, 2, …; -1, None and nan are roots.

    >>> vector_edges([-1, 0, 0, 1]).edges
    [(0, 1), (0, 2), (1, 3)]
    """
    known = dict(enumerate(parents))
    found = map_edges(known, "child-to-parent")
    for parent, child in found.edges:
        if parent not in known:
            raise BadInput(
                f"class {child}: its parent must be a class from 0 to {len(known) - 1}, or -1 for "
                f"a root, got {shown(parent)}"
            )
    return found


# ---------------------------------------------------------------- lineages and codes


def lineage_records(
    rows: Iterable[tuple[int, Sequence[Any]]],
    separator: str,
    fault: Callable[[int, str], None],
    *,
    direction: str | None = None,
    between: str = "",
) -> Iterator[Record]:
    """Yield the classes of numbered lineages, each named by its whole path, with what is above.

    The end may hold blanks, or ranks without a name (``s__``). A blank name ``between`` others,
    or one that holds the separator, is a fault.
    """
    known: set[tuple[str | None, str]] = set()
    for number, names in rows:
        parts = ["" if is_missing(x) else str(x).strip() for x in whole_numbers(list(names))]
        while parts and (not parts[-1] or _is_bare_rank(parts[-1])):
            parts.pop()
        odd = next((part for part in parts if separator in part), None)
        if "" in parts:
            fault(number, f"a class name is missing{between}")
            continue
        if odd is not None:
            fault(
                number,
                f"the name {odd!r} holds the separator {separator!r}; choose another one "
                "(--hierarchy-separator ' > '; in Python, separator=' > ')",
            )
            continue
        above = None
        parts = parts[::-1] if direction == "child-to-parent" else parts
        for path in accumulate(parts, lambda upper, name: f"{upper}{separator}{name}"):
            if (above, path) not in known:
                known.add((above, path))
                yield number, above, path
            above = path


def _is_bare_rank(name: str) -> bool:
    """Whether this is how taxonomies write a rank that has no name: ``g__``."""
    return len(name) == 3 and name.endswith("__") and name[0].isalpha()


def path_edges(paths: Any, separator: str = "/", direction: str | None = None) -> EdgeList:
    """Return the edges of paths, and the classes without one.

    A path is a text, or a list of names from the top whose end may be blank; a class is named by
    its whole path. Of a text that starts with the separator the rest counts. A data frame is a
    path per row.

    Raises
    ------
    BadInput
        For a blank name within a path, or one that holds the separator.
    """
    if isinstance(paths, (str, bytes)) or not isinstance(paths, Iterable):
        raise BadInput(
            f"paths must be a list of paths, got the {type(paths).__name__} {shown(paths)}"
        )
    if not separator:
        raise BadInput("the separator of paths must not be empty")

    def fault(number: int, said: str) -> None:
        raise BadInput(f"path {number}: {said}")

    def rows() -> Iterator[tuple[int, Sequence[Any]]]:
        held = level_rows(paths, None) if is_frame(paths) else in_order(paths)
        for number, path in enumerate(held, start=1):
            names: Any = path
            if isinstance(path, str):
                names = path.removeprefix(separator).split(separator)
                if not names[-1].strip():
                    fault(number, f"a class name is missing in {shown(path)}")
            odd = not isinstance(names, (list, tuple, np.ndarray))
            if odd or any(isinstance(x, bool) for x in names):
                fault(number, f"expected a text or a list of names, got {shown(path, 40)}")
            yield number, names

    records = lineage_records(rows(), separator, fault, direction=direction)
    return collected("path {}".format, records, direction="parent-to-child")


def code_edges(codes: Iterable[str], separator: str | None = None) -> EdgeList:
    """Return the edges of codes whose beginnings are the classes above them.

    The parent of a code is the longest other code that it begins with; with a separator, the code
    up to its last one, which need not be listed itself.

    >>> code_edges(["A00-A09", "A00", "A00.1", "A01"], ".").edges
    [('A00', 'A00.1')]
    >>> code_edges(["11", "111", "1112", "112"]).edges
    [('11', '111'), ('111', '1112'), ('11', '112')]
    """
    if isinstance(codes, (str, bytes)) or not isinstance(codes, Iterable):
        raise BadInput(f"codes must be a list of texts, got {shown(codes)}")
    given: list[Any] = list(codes)
    for code in given:
        if isinstance(code, bool) or not isinstance(code, (str, int, np.integer)):
            raise BadInput(f"a code must be a text, got {shown(code)}")
    known = dict.fromkeys(str(code).strip() for code in given)
    if "" in known:
        raise BadInput("a code is blank")
    if separator is not None:
        edges = path_edges(known, separator).edges
    else:
        beginnings = ((code, [code[:k] for k in range(len(code) - 1, 0, -1)]) for code in known)
        above = (
            (next(filter(known.__contains__, parts), None), code) for code, parts in beginnings
        )
        edges = [edge for edge in above if edge[0] is not None]
    return EdgeList(edges, classes=list(known), direction="parent-to-child")


# ---------------------------------------------------------------- data frames and graphs


def _columns(frame: Any) -> tuple[list[Any], Callable[[Any], list[Any]]]:
    """Return the names of the columns of a data frame, and what gives their values."""
    held = frame_columns(frame)

    @cache
    def values(name: Any) -> list[Any]:
        return [x.strip() if isinstance(x, str) else x for x in values_of(held[name])]

    return list(held), values


def frame_edges(frame: Any, child: Any = None, parent: Any = None, weight: Any = None) -> EdgeList:
    """Return what a data frame with a column of classes and one of their parents says."""
    names, values = _columns(frame)
    how: dict[str, Any] = {"about": "the frame: ", "name_them": " (child=…, parent=…)"}
    found = read_table(names, values, "row {}".format, refuse, named=(child, parent, weight), **how)
    if found is None:
        raise BadInput(
            f"the frame: which column is the class and which its parent? There are {listed(names)};"
            " name them (child=…, parent=…), or the columns of levels from the top (levels=[…])"
        )
    return found


def level_rows(frame: Any, levels: Sequence[Any] | None) -> list[tuple[Any, ...]]:
    """Return the paths in columns of a data frame, one column per level; None: all columns."""
    names, values = _columns(frame)
    if isinstance(levels, str) or (levels is not None and not levels):
        raise BadInput(f"levels must be a list of columns from the top, got {shown(levels)}")
    for name in levels or ():
        if name not in names:
            raise unknown("column", name, names, "the frame")
    chosen = [whole_numbers(values(name)) for name in levels or names]
    return list(zip(*chosen, strict=True))


def networkx_edges(
    graph: Any,
    weight: str | None = None,
    relations: Sequence[str] = ("is_a",),
    direction: str | None = None,
) -> EdgeList:
    """Return what a directed graph of networkx says.

    The edges of a graph of relations, such as that of obonet, have keys: those of ``relations``
    count, and lead from a class to its parent. In other graphs edges lead from parent to child.
    """
    if not hasattr(graph, "is_directed"):
        raise BadInput(f"a graph of networkx is wanted, got {type(graph).__name__}")
    if not graph.is_directed():
        raise BadInput("the graph is undirected; give a DiGraph with edges parent → child")
    known = {key for *_, key in graph.edges(keys=True)} if graph.is_multigraph() else set()
    about = dict(graph.nodes(data=True))
    if not known or not all(isinstance(key, str) for key in known):
        edges = list(graph.edges() if weight is None else graph.edges(data=weight))
        bare = next((edge[:2] for edge in edges if edge[2:] == (None,)), None)
        if bare is not None:
            raise BadInput(f"edge {shown(bare)} has no attribute {weight!r}")
        return EdgeList(edges, classes=list(about)).led(direction)
    for name in relations:
        if name not in known:
            raise unknown("relation", name, sorted(known), "the graph")
    others = [(x, c) for c, node in about.items() for x in node.get("alt_id", ())]
    found = EdgeList(
        list({(u, v): None for u, v, key in graph.edges(keys=True) if key in relations}),
        classes=list(about),
        titles={c: str(x["name"]) for c, x in about.items() if x.get("name")},
        aliases={x: c for x, c in others if x not in about},
    )
    upwards = direction is None and not known.isdisjoint(UPWARDS)
    turned = found.led("child-to-parent" if upwards else direction)
    return replace(turned, direction=direction)
