"""Hierarchies as people hold them: maps, vectors, lineages, codes, data frames, graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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

UPWARDS = ("is_a", "part_of", "subclass_of", "subClassOf", "broader", "child_of", "instance_of")
"""Relations of graphs that lead from a class to what is above it."""


def edges_of(thing: Any, direction: str | None = None) -> EdgeList:
    """Return what a thing of any known kind says; refuse what is no hierarchy, or may be two."""
    if hasattr(thing, "is_directed"):
        return networkx_edges(thing, direction=direction)
    if is_frame(thing):
        return frame_edges(thing)
    held = _held(thing)
    if isinstance(held, list):
        if all(x is None or _is_number(x) for x in held):
            return parent_edges(held)
        if all(isinstance(x, str) for x in held):
            return path_edges(held, direction=direction)
        if all(
            isinstance(x, (list, tuple)) and (len(x) == 2 or (len(x) == 3 and _is_number(x[2])))
            for x in held
        ):
            return EdgeList(held)
    found = None if held is None else object_edges(held, plain_name, refuse)
    if found is None and isinstance(held, Mapping):
        return map_edges(held, direction)
    if found is None:
        raise BadInput(
            f"a hierarchy is wanted, got {type(thing).__name__} {shown(thing, 40)}: a Hierarchy, "
            "edges (parent, child), a map {class: parent}, a list of parents by number, nested "
            "dicts, lineages a/b (give lineages from the top to from_paths, as lists or with "
            "another separator, and codes to from_codes), a data frame, a graph of networkx (of a "
            "matrix of links by from_numpy_array) or the name of a file (score takes hierarchy, "
            "y_true, systems; the functions take y_true, y_pred, hierarchy)"
        )
    return found


def _held(thing: Any) -> Mapping[Any, Any] | list[Any] | None:
    """Return what a collection holds as a map or a list, None for anything else."""
    if isinstance(thing, Mapping):
        return thing
    if hasattr(thing, "index") and hasattr(thing, "items"):  # a column of pandas
        numbered = list(thing.index) == list(range(len(thing)))
        if not numbered or not all(isinstance(x, (str, list, tuple)) for x in thing):
            return dict(thing.items())
    array = array_of(thing)
    if array is not None:
        pairs = array.shape[1:] == (2,) and array.dtype.kind in "iuf"
        thing = array.tolist() if array.ndim == 1 or pairs else None
    several = isinstance(thing, Iterable) and not isinstance(thing, (str, bytes))
    return list(in_order(thing)) if several else None


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
    ``"parent-to-child"`` the lists hold children. A map from names to numbers is refused.
    """
    keys = plain_names(parents)
    found = table_edges(
        {"child": keys, "parent": list(parents.values())}, lambda i: repr(keys[i]), trouble,
        name_of, none=("-1", "-1.0") if all(map(_is_numeral, keys)) else (), signs=("0", "0.0"),
        down=direction == "parent-to-child", direction=direction,
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


def parent_edges(parents: Any, direction: str | None = None) -> EdgeList:
    """Return the edges of a map, or of a list with the parent of class 0, 1, 2, …

    In a list -1, None and nan are roots.

    >>> parent_edges([-1, 0, 0, 1]).edges
    [(0, 1), (0, 2), (1, 3)]
    """
    held = _held(parents)
    if held is None:
        raise BadInput(
            "parents must be a map {class: parent} or the list of the parents of the classes "
            f"0, 1, 2, …, got {type(parents).__name__}"
        )
    if isinstance(held, Mapping):
        return map_edges(held, direction)
    found, n = map_edges(dict(enumerate(held)), "child-to-parent"), len(held)
    for parent, child in found.edges:
        if parent not in range(n):
            said = f"its parent must be a class from 0 to {n - 1}, or -1 for a root"
            raise BadInput(f"class {child}: {said}, got {shown(parent)}")
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
        while parts and (not parts[-1] or (len(parts[-1]) == 3 and parts[-1].endswith("__"))):
            parts.pop()
        odd = next((part for part in parts if separator in part), None)
        if "" in parts:
            fault(number, f"a class name is missing{between}")
        elif odd is not None:
            fault(
                number,
                f"the name {odd!r} holds the separator {separator!r}; choose another one "
                "(--hierarchy-separator ' > '; in Python, separator=' > ')",
            )
        else:
            parts = parts[::-1] if direction == "child-to-parent" else parts
            paths = list(accumulate(parts, f"{{}}{separator}{{}}".format))
            for record in zip([None, *paths], paths, strict=False):
                if record not in known:
                    known.add(record)
                    yield number, *record


def path_edges(paths: Any, separator: str = "/", direction: str | None = None) -> EdgeList:
    """Return the edges of paths, and the classes without one.

    A path is a text, or a list of names from the top whose end may be blank; a class is named by
    its whole path. Of a text that starts with the separator the rest counts. A data frame is a
    path per row.
    """
    if isinstance(paths, (str, bytes)) or not isinstance(paths, Iterable) or not separator:
        raise BadInput(
            f"paths must be a list of paths, got the {type(paths).__name__} {shown(paths)}, and "
            f"the separator a text, got {separator!r}"
        )

    def fault(number: int, said: str) -> None:
        raise BadInput(f"path {number}: {said}")

    def rows() -> Iterator[tuple[int, Sequence[Any]]]:
        held = level_rows(paths, None) if is_frame(paths) else in_order(paths)
        for number, path in enumerate(held, start=1):
            names = path
            if isinstance(path, str):
                names = path.removeprefix(separator).split(separator)
                if not names[-1].strip():
                    fault(number, f"a class name is missing in {shown(path)}")
            kinds = (list, tuple, np.ndarray)
            if not isinstance(names, kinds) or any(isinstance(x, bool) for x in names):
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
    several = isinstance(codes, Iterable) and not isinstance(codes, (str, bytes))
    given = list(codes) if several else [None]
    known = dict.fromkeys(str(code).strip() for code in given)
    if "" in known or not {*map(type, given)} <= {str, int, np.str_, np.int64}:
        raise BadInput(f"codes must be a list of texts, none of them blank, got {shown(codes)}")
    if separator is not None:
        edges = path_edges(known, separator).edges
    else:
        edges = []
        for code in known:
            shorter = (code[:k] for k in range(len(code) - 1, 0, -1))
            edges += [(above, code) for above in shorter if above in known][:1]
    return EdgeList(edges, classes=list(known), direction="parent-to-child")


# ---------------------------------------------------------------- data frames and graphs


def _columns(frame: Any) -> dict[Any, list[Any]]:
    """Return the columns of a data frame by name."""
    return {
        name: [x.strip() if isinstance(x, str) else x for x in values_of(column)]
        for name, column in frame_columns(frame).items()
    }


def frame_edges(frame: Any, child: Any = None, parent: Any = None, weight: Any = None) -> EdgeList:
    """Return what a data frame with a column of classes and one of their parents says."""
    columns = _columns(frame)
    found = read_table(
        list(columns), columns.__getitem__, "row {}".format, refuse, named=(child, parent, weight),
        about="the frame: ", name_them=" (child=…, parent=…)",
    )  # fmt: skip
    if found is None:
        raise BadInput(
            "the frame: which column is the class and which its parent? There are "
            f"{listed(columns)}; name them (child=…, parent=…), or the columns of levels from the "
            "top (levels=[…])"
        )
    return found


def level_rows(frame: Any, levels: Sequence[Any] | None) -> list[tuple[Any, ...]]:
    """Return the paths in columns of a data frame, one column per level; None: all columns."""
    columns = _columns(frame)
    if isinstance(levels, str) or (levels is not None and not levels):
        raise BadInput(f"levels must be a list of columns from the top, got {shown(levels)}")
    for name in levels or ():
        if name not in columns:
            raise unknown("column", name, columns, "the frame")
    return list(zip(*(whole_numbers(columns[name]) for name in levels or columns), strict=True))


def networkx_edges(
    graph: Any, weight: str | None = None, relations: Sequence[str] = ("is_a",),
    direction: str | None = None,
) -> EdgeList:  # fmt: skip
    """Return what a directed graph of networkx says.

    The edges of a graph of relations, such as that of obonet, have keys: those of ``relations``
    count, and lead from a class to its parent. In other graphs edges lead from parent to child.
    """
    if not getattr(graph, "is_directed", bool)():
        raise BadInput(
            "a directed graph of networkx is wanted, with edges parent → child, not an undirected "
            f"one, got {type(graph).__name__}"
        )
    about = dict(graph.nodes(data=True))
    keyed = list(graph.edges(keys=True)) if graph.is_multigraph() else []
    known = {key for *_, key in keyed}
    if not known or not all(isinstance(key, str) for key in known):
        edges = list(graph.edges() if weight is None else graph.edges(data=weight))
        return EdgeList(edges, classes=list(about)).led(direction)
    for name in relations:
        if name not in known:
            raise unknown("relation", name, sorted(known), "the graph")
    found = EdgeList(
        list(dict.fromkeys((u, v) for u, v, key in keyed if key in relations)),
        classes=list(about),
        titles={c: str(x["name"]) for c, x in about.items() if x.get("name")},
        aliases={x: c for c, at in about.items() for x in at.get("alt_id", ()) if x not in about},
    )
    upwards = direction is None and not known.isdisjoint(UPWARDS)
    turned = found.led("child-to-parent" if upwards else direction)
    return replace(turned, direction=direction)
