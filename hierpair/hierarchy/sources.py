"""Hierarchies as people hold them: maps, vectors, lineages, codes, data frames, graphs.

What is read comes back as the keywords of ``Hierarchy.from_edges``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed, shown, unknown
from hierpair.hierarchy.arrays import row_numbers
from hierpair.hierarchy.building import in_order, is_missing, plain_names
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.columns import (
    MISSING_WORDS,
    lone_top,
    names_classes,
    say_direction,
    spelled_as,
    table_edges,
    table_roles,
    whole_as,
    whole_column,
)
from hierpair.hierarchy.nested import object_edges, plain_name

__all__ = [
    "DIRECTIONS",
    "UPWARDS",
    "code_edges",
    "edges_of",
    "frame_edges",
    "is_frame",
    "level_rows",
    "map_edges",
    "networkx_edges",
    "networkx_graph",
    "path_edges",
    "refuse",
    "vector_edges",
]

UPWARDS = ("is_a", "part_of", "subclass_of", "subClassOf", "broader", "child_of", "instance_of")
"""Relations of graphs that lead from a class to what is above it."""

DIRECTIONS = ("parent-to-child", "child-to-parent")
"""Which way edges lead."""


ORDER = "(score takes hierarchy, y_true, systems; the functions take y_true, y_pred, hierarchy)"
"""What may have been meant where no hierarchy is given."""


def refuse(message: str) -> None:
    """Raise a fault of what was given in memory."""
    raise BadInput(message)


def edges_of(thing: Any, direction: str | None = None) -> tuple[dict[str, Any], str | None]:
    """Return what a thing of any known kind says, and the direction that is left to apply.

    Raises
    ------
    BadInput
        For what is no hierarchy, and for what may be two; names the constructor that decides.
    """
    if hasattr(thing, "is_directed"):
        return networkx_edges(thing, direction=direction), None
    if is_frame(thing):
        return frame_edges(thing), direction
    if hasattr(thing, "index") and hasattr(thing, "items") and not isinstance(thing, Mapping):
        return _series_edges(thing, direction)
    if isinstance(thing, Mapping):
        found = object_edges(thing, plain_name, refuse)
        return (found, direction) if found is not None else (map_edges(thing, direction), None)
    if isinstance(thing, np.ndarray):
        return _array_edges(thing), direction
    if isinstance(thing, (set, frozenset)) or (
        isinstance(thing, Iterable) and not isinstance(thing, (str, bytes))
    ):
        return _list_edges(list(in_order(thing))), direction
    raise BadInput(
        f"a hierarchy is wanted, got {type(thing).__name__}: a Hierarchy, edges (parent, child), a "
        "map {class: parent}, a list of parents by number, nested dicts, a data frame, a graph of "
        f"networkx or the name of a file {ORDER}"
    )


def _series_edges(series: Any, direction: str | None) -> tuple[dict[str, Any], str | None]:
    """Return a column of pandas: lineages where every value is a text, else a map by its index."""
    values = series.tolist()
    kinds = (str, tuple, list)
    if all(isinstance(x, kinds) for x in values) and list(series.index) == list(range(len(values))):
        return _list_edges(values), direction
    return map_edges(dict(series.items()), direction), None


def _array_edges(array: Any) -> dict[str, Any]:
    """Return a vector of parents, or an array of edges."""
    if array.ndim == 1:
        return _list_edges(array.tolist())
    if array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iuf":
        return {"edges": array.tolist()}
    raise BadInput(
        f"an array of shape {array.shape}: is each row a lineage from the top (from_paths), an "
        "edge (from_edges), or is it a matrix of links (networkx.from_numpy_array)?"
    )


def _list_edges(things: list[Any]) -> dict[str, Any]:
    """Return edges, a vector of parents, lineages, or what nested lists say."""
    if not things:
        raise BadInput("the hierarchy is empty: give at least one class")
    if all(x is None or _is_number(x) for x in things):
        return vector_edges(things)
    if all(isinstance(x, str) for x in things):
        if not any("/" in x for x in things):
            raise BadInput(
                f"texts such as {shown(things[0], 40)} hold no lineage (a/b); with another "
                f"separator give them to from_paths, codes to from_codes {ORDER}"
            )
        return path_edges(things)
    pairs = [isinstance(x, (list, tuple)) and len(x) in (2, 3) for x in things]
    if all(pairs) and all(len(x) == 2 or _is_number(x[2]) for x in things):
        return {"edges": things}
    if all(isinstance(x, (list, tuple)) for x in things):
        raise BadInput(
            f"lists of {listed(sorted({len(x) for x in things}))} entries, such as "
            f"{shown(things[0], 40)}: give lineages from the top to from_paths, edges (parent, "
            "child) or (parent, child, weight) to from_edges"
        )
    found = object_edges(things, plain_name, refuse)
    if found is None:
        raise BadInput(f"no form of a hierarchy begins with {shown(things[0], 40)}")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))


# ---------------------------------------------------------------- maps and vectors


def map_edges(parents: Mapping[Any, Any], direction: str | None = None) -> dict[str, Any]:
    """Return the edges and classes of ``{class: parent}`` or ``{class: [parents]}``.

    A blank is no parent, and so is -1 where the classes are numbers from 0. With the direction
    ``"parent-to-child"`` the lists hold children.

    Raises
    ------
    BadInput
        For names that a map to numbers gives no parents.
    """
    keys = plain_names(parents)
    down = direction == "parent-to-child"
    numbered = all(map(_is_numeral, keys))
    ends: list[tuple[Any, Any]] = []
    for key, value in zip(keys, parents.values(), strict=True):
        if isinstance(value, Mapping):
            raise BadInput(f"class {shown(key)}: nested dicts are read by from_nested")
        several = isinstance(value, (list, tuple, set, frozenset, np.ndarray))
        others = plain_names(in_order(value)) if several else [] if is_missing(value) else [value]
        ends += [(key, other) for other in others if not _is_sign(other, numbered, down)]
    others = spelled_as((other for _, other in ends), set(keys))
    if others and all(map(_is_numeral, others)) and not any(map(_is_numeral, keys)):
        raise BadInput(
            f"a map from names such as {shown(keys[0], 40)} to numbers such as {others[0]!r} is no "
            "hierarchy; give the name of the parent of every class"
        )
    others = whole_as(others, keys)
    pairs = [(key, other) for (key, _), other in zip(ends, others, strict=True)]
    if down:
        return {"edges": pairs, "classes": keys}
    odd = next((p for _, p in pairs if str(p).lower() in MISSING_WORDS and p not in parents), None)
    if odd is not None:
        raise BadInput(f"the parent {shown(odd)} is no class; write None for the parent of a root")
    lone = lone_top([parent for _, parent in pairs], set(keys), ("0", "0.0"))
    if lone is not None:
        raise BadInput(
            f"is the parent {shown(pairs[lone][1])} of {shown(pairs[lone][0])} a class, or does it "
            "say that there is none? Write None for the parent of a root, or add the class"
        )
    return {"edges": [(parent, child) for child, parent in pairs], "classes": keys}


def _is_numeral(name: Any) -> bool:
    """Whether a class is a number from 0, or its digits."""
    return name.isdecimal() if isinstance(name, str) else _is_number(name) and name >= 0


def _is_sign(value: Any, numbered: bool, down: bool) -> bool:
    """Whether -1 says that a class, whose names are numbers from 0, has no parent."""
    return numbered and not down and str(value) in ("-1", "-1.0")


def vector_edges(parents: Iterable[Any]) -> dict[str, Any]:
    """Return the edges of a list with the parent of class 0, 1, 2, …; -1, None and nan are roots.

    >>> vector_edges([-1, 0, 0, 1])["edges"]
    [(0, 1), (0, 2), (1, 3)]
    """
    listed_parents = list(parents)
    n = len(listed_parents)
    found = []
    for child, value in enumerate(listed_parents):
        if is_missing(value) or (_is_number(value) and value == -1):
            continue
        whole = _is_number(value) and float(value).is_integer()
        if not whole or not 0 <= value < n:
            raise BadInput(
                f"class {child}: its parent must be a class from 0 to {n - 1}, or -1 for a root, "
                f"got {shown(value)}"
            )
        found.append((int(value), child))
    return {"edges": found, "classes": range(n)}


# ---------------------------------------------------------------- lineages and codes


def path_edges(paths: Any, separator: str = "/", *, upwards: bool = False) -> dict[str, Any]:
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
    if is_frame(paths):
        paths = level_rows(paths, None)
    elif isinstance(paths, np.ndarray):
        paths = paths.tolist()
    edges: dict[tuple[str, str], int] = {}
    tops: dict[str, None] = {}
    for number, path in enumerate(in_order(paths), start=1):
        whole = isinstance(path, str)
        if not whole and isinstance(path, (list, tuple)) and any(isinstance(x, bool) for x in path):
            raise BadInput(f"path {number}: a truth value is no class, got {shown(path, 40)}")
        if not whole and not isinstance(path, (list, tuple, np.ndarray)):
            raise BadInput(f"path {number}: expected a text or a list, got {shown(path)}")
        names = path.removeprefix(separator).split(separator) if whole else list(path)
        try:
            parts = path_names(names, ends_blank=not whole)
        except BadInput:
            raise BadInput(f"path {number}: a class name is missing in {shown(path)}") from None
        odd = next((part for part in parts if separator in part), None)
        if odd is not None:
            raise BadInput(
                f"path {number}: the name {odd!r} holds the separator {separator!r}; choose "
                "another one (separator=' > ')"
            )
        lineage_edges(parts[::-1] if upwards else parts, separator, number, edges, tops)
    numbers = list(edges.values())
    return {"edges": list(edges), "where": lambda i: f"path {numbers[i]}", "classes": list(tops)}


def path_names(names: Sequence[Any], *, ends_blank: bool) -> list[str]:
    """Return the names of a path without blanks around them; a blank one is refused.

    ``ends_blank`` tells whether blanks may fill the end; a rank without a name (``s__``) may.
    """
    parts = ["" if is_missing(part) else str(part).strip() for part in whole_column(list(names))]
    while parts and ((ends_blank and not parts[-1]) or _is_bare_rank(parts[-1])):
        parts.pop()
    if "" in parts:
        raise BadInput("a class name is missing")
    return parts


def _is_bare_rank(name: str) -> bool:
    """Whether this is how taxonomies write a rank that has no name: ``g__``."""
    return len(name) == 3 and name.endswith("__") and name[0].isalpha()


def lineage_edges(
    parts: Sequence[str],
    separator: str,
    number: int,
    edges: dict[tuple[str, str], int],
    tops: dict[str, None],
) -> None:
    """Add the edges of one path, each with the number of the path that it is first in."""
    for k in range(1, len(parts)):
        edge = separator.join(parts[:k]), separator.join(parts[: k + 1])
        edges.setdefault(edge, number)
    if parts:
        tops[parts[0]] = None


def code_edges(codes: Iterable[str], separator: str | None = None) -> dict[str, Any]:
    """Return the edges of codes whose beginnings are the classes above them.

    The parent of a code is the longest other code that it begins with; with a separator, the code
    up to its last one, which need not be listed itself.

    >>> code_edges(["A00-A09", "A00", "A00.1", "A01"], ".")["edges"]
    [('A00', 'A00.1')]
    >>> code_edges(["11", "111", "1112", "112"])["edges"]
    [('11', '111'), ('111', '1112'), ('11', '112')]
    """
    if isinstance(codes, (str, bytes)) or not isinstance(codes, Iterable):
        raise BadInput(f"codes must be a list of texts, got {shown(codes)}")
    listed_codes: list[Any] = list(codes)
    odd = [
        x for x in listed_codes if not isinstance(x, str) and not isinstance(x, (int, np.integer))
    ]
    odd += [x for x in listed_codes if x is True or x is False]
    if odd:
        raise BadInput(f"a code must be a text, got {shown(odd[0])}")
    known = dict.fromkeys(str(code).strip() for code in listed_codes)
    if "" in known:
        raise BadInput("a code is blank")
    if separator is not None:
        found = path_edges(known, separator)
        return {**found, "classes": [*known, *found["classes"]]}
    edges = []
    for code in known:
        above = next((code[:k] for k in range(len(code) - 1, 0, -1) if code[:k] in known), None)
        if above is not None:
            edges.append((above, code))
    return {"edges": edges, "classes": list(known)}


# ---------------------------------------------------------------- data frames


def is_frame(thing: Any) -> bool:
    """Whether this is a table of pandas, polars, pyarrow or the like."""
    return hasattr(thing, "columns") and (hasattr(thing, "iloc") or hasattr(thing, "schema"))


def frame_columns(frame: Any) -> dict[Any, Callable[[], list[Any]]]:
    """Return what gives the values of every column of a data frame, by its name."""
    if not is_frame(frame):
        raise BadInput(
            "expected a data frame of pandas, polars or pyarrow, got " + type(frame).__name__
        )
    names = list(getattr(frame, "column_names", frame.columns))

    def values(name: Any) -> list[Any]:
        column = frame[name]
        to_list = getattr(column, "to_pylist", None) or column.to_list
        return [x.strip() if isinstance(x, str) else x for x in to_list()]

    return {name: partial(values, name) for name in names}


def frame_edges(
    frame: Any, child: Any = None, parent: Any = None, weight: Any = None
) -> dict[str, Any]:
    """Return what a data frame with a column of classes and one of their parents says."""
    columns = frame_columns(frame)
    kept: dict[Any, list[Any]] = {}

    def values(name: Any) -> list[Any]:
        if name not in kept:
            kept[name] = whole_column(columns[name]())
        return kept[name]

    try:
        roles = table_roles(list(columns), values, child, parent, weight)
    except BadInput as error:
        raise BadInput(f"the frame: {error} (child=…, parent=…)") from None
    if roles is None:
        raise BadInput(
            f"the frame: which column is the class and which its parent? There are "
            f"{listed(columns)}; name them (child=…, parent=…), or the columns of levels from the "
            "top (levels=[…])"
        )
    table = {role: values(name) for role, name in roles.items()}
    own = names_classes(roles["child"])
    told = table_edges(table, "row {}".format, refuse, own_rows=own)
    return {**told, "keyed": say_direction(roles)}


def level_rows(frame: Any, levels: Sequence[Any] | None) -> list[list[Any]]:
    """Return the paths in columns of a data frame, one column per level; None: all columns."""
    columns = frame_columns(frame)
    if isinstance(levels, str) or (levels is not None and not levels):
        raise BadInput(f"levels must be a list of columns from the top, got {shown(levels)}")
    for name in levels or ():
        if name not in columns:
            raise unknown("column", name, columns, "the frame")
    chosen = [whole_column(columns[name]()) for name in (columns if levels is None else levels)]
    return [list(row) for row in zip(*chosen, strict=True)]


# ---------------------------------------------------------------- graphs of networkx


def networkx_edges(
    graph: Any,
    weight: str | None = None,
    relations: Sequence[str] = ("is_a",),
    direction: str | None = None,
) -> dict[str, Any]:
    """Return what a directed graph of networkx says.

    The edges of a graph of relations, such as that of obonet, have keys: those of ``relations``
    count, and lead from a class to its parent. In other graphs edges lead from parent to child.
    """
    if not hasattr(graph, "is_directed"):
        raise BadInput(f"a graph of networkx is wanted, got {type(graph).__name__}")
    if not graph.is_directed():
        raise BadInput("the graph is undirected; give a DiGraph with edges parent → child")
    keyed = graph.is_multigraph()
    known = {key for *_, key in graph.edges(keys=True)} if keyed else set()
    related = known and all(isinstance(key, str) for key in known)
    upwards = (
        related and bool(known & set(UPWARDS)) if direction is None else direction == DIRECTIONS[1]
    )
    ends: list[tuple[Any, ...]] = []
    if related:
        absent = [name for name in relations if name not in known]
        if absent:
            raise unknown("relation", absent[0], sorted(known), "the graph")
        pairs = ((u, v) for u, v, key in graph.edges(keys=True) if key in relations)
        ends = list(dict.fromkeys(pairs))
    else:
        ends = list(graph.edges() if weight is None else graph.edges(data=weight))
    if weight is not None:
        bare = next(((u, v) for u, v, w in ends if w is None), None)
        if bare is not None:
            raise BadInput(f"edge {shown(bare)} has no attribute {weight!r}")
    edges = [(v, u, *rest) for u, v, *rest in ends] if upwards else ends
    found: dict[str, Any] = {"edges": edges, "classes": list(graph.nodes())}
    if related:
        about = dict(graph.nodes(data=True))
        found["titles"] = {c: str(x["name"]) for c, x in about.items() if x.get("name")}
        found["aliases"] = {
            other: c
            for c, x in about.items()
            for other in x.get("alt_id", ())
            if other not in about
        }
    return found


def networkx_graph(graph: ClassGraph) -> Any:
    """Return a ``networkx.DiGraph`` with edges from parent to child."""
    import networkx as nx

    names, result = graph.names, nx.DiGraph()
    result.add_nodes_from(names)
    child = row_numbers(graph.parent_ptr).tolist()
    for i, (u, v) in enumerate(zip(graph.parents.tolist(), child, strict=True)):
        extra = {} if graph.weights is None else {"weight": float(graph.weights[i])}
        result.add_edge(names[u], names[v], **extra)
    return result
