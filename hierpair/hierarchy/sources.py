"""Hierarchies in the forms that people keep them in: nested, as paths, as a table with a header.

What is read comes back as the keywords of ``Hierarchy.from_edges``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown, unknown
from hierpair.hierarchy.building import in_order, is_missing

__all__ = [
    "nested_edges",
    "parent_map_edges",
    "path_edges",
    "plain_name",
    "refuse",
    "refuse_records",
    "table_columns",
    "table_edges",
]

PARENT_NAMES = ("parent", "parent_id", "parent_class", "parentid", "broader", "source", "from")
CHILD_NAMES = (
    "child",
    "child_id",
    "child_class",
    "childid",
    "class",
    "class_id",
    "id",
    "node",
    "term",
    "narrower",
    "target",
    "to",
    "name",
    "label",
)
WEIGHT_NAMES = ("weight", "edge_weight")
TITLE_NAMES = ("title", "name", "label", "description")
"""What the columns of a table of edges are called, the usual names first."""

MISSING_WORDS = ("nan", "none", "null", "na", "n/a", "<na>", "nat")
"""What programs write for a blank, and what as a parent would become a class of its own."""


def table_columns(
    header: Sequence[Any], child: Any = None, parent: Any = None, weight: Any = None
) -> dict[str, Any] | None:
    """Return which column is ``child``, ``parent``, ``weight``, ``title``; None without the two.

    Names that are given are taken, or refused where they are no column.

    >>> table_columns(["ID", "Parent ID", "Name"])
    {'child': 'ID', 'parent': 'Parent ID', 'title': 'Name'}
    >>> table_columns(["animal", "cat"])
    """
    for name in (child, parent, weight):
        if name is not None and name not in header:
            raise unknown("column", name, header)
    chosen: dict[str, Any] = {}
    wanted = {
        "parent": (parent, PARENT_NAMES),
        "child": (child, CHILD_NAMES),
        "weight": (weight, WEIGHT_NAMES),
        "title": (None, TITLE_NAMES),
    }
    for role, (named, names) in wanted.items():
        spelled: dict[str, Any] = {}
        for name in header:
            if name not in chosen.values() and name not in (child, parent, weight):
                spelled.setdefault("_".join(str(name).lower().replace("-", " ").split()), name)
        usual = next((spelled[name] for name in names if name in spelled), None)
        column = named if named is not None else usual
        if column is not None:
            chosen[role] = column
    order = ("child", "parent", "weight", "title")
    roles: dict[str, Any] = {role: chosen[role] for role in order if role in chosen}
    return roles if {"child", "parent"} <= set(roles) else None


def table_edges(
    columns: Mapping[str, Sequence[Any]],
    place: Callable[[int], str],
    trouble: Callable[[str], None],
) -> dict[str, Any]:
    """Return edges, classes and titles of a table; a blank parent is a root.

    Parameters
    ----------
    columns
        ``child``, ``parent`` and, if there are any, ``weight`` and ``title``: equally long.
    place
        Tells where row ``i`` stands.
    trouble
        What to do with a faulty row.
    """
    edges: list[tuple[Any, ...]] = []
    rows: list[int] = []
    named: dict[Any, str] = {}
    children = set(columns["child"])
    weights = columns.get("weight")
    titles = columns.get("title")
    seen: dict[Any, None] = {}
    for i, (child, parent) in enumerate(zip(columns["child"], columns["parent"], strict=True)):
        if is_missing(child):
            trouble(f"{place(i)}: a class name is missing")
            continue
        seen[child] = None
        if titles is not None and not is_missing(titles[i]) and str(titles[i]) != str(child):
            named[child] = str(titles[i])
        if is_missing(parent):
            continue
        if str(parent).lower() in MISSING_WORDS and parent not in children:
            trouble(f"{place(i)}: the parent {shown(parent)}; leave the field of a root blank")
            continue
        edges.append((parent, child) if weights is None else (parent, child, weights[i]))
        rows.append(i)
    where = lambda i: place(rows[i])  # noqa: E731
    return {"edges": edges, "where": where, "classes": list(seen), "titles": named}


def refuse(message: str) -> None:
    """Raise a fault of what was given in memory."""
    raise BadInput(message)


def parent_map_edges(parents: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Return the edges of ``{class: parent}`` or ``{class: [parents]}``; a blank is no parent."""
    edges: list[tuple[Any, Any]] = []
    for child, value in parents.items():
        several = isinstance(value, (list, tuple, set, frozenset, np.ndarray))
        above = value if several else [] if is_missing(value) else [value]
        edges += [(parent, child) for parent in in_order(above)]
    return edges


def path_edges(paths: Iterable[Any], separator: str = "/") -> dict[str, Any]:
    """Return the edges of paths, and the classes without one.

    A path is a text, or a list of names from the top whose end may be blank; a class is named by
    its whole path. Of a text that starts with the separator the rest counts.

    Raises
    ------
    BadInput
        For a blank name within a path, or one that holds the separator.
    """
    if isinstance(paths, str):
        raise BadInput(f"paths must be a list of paths, got the text {shown(paths)}")
    if not separator:
        raise BadInput("the separator of paths must not be empty")
    edges: dict[tuple[str, str], int] = {}
    tops: dict[str, None] = {}
    for number, path in enumerate(in_order(paths), start=1):
        whole = isinstance(path, str)
        if not whole and not isinstance(path, (list, tuple)):
            raise BadInput(f"path {number}: expected a text or a list, got {shown(path)}")
        names = path.removeprefix(separator).split(separator) if whole else list(path)
        parts = ["" if is_missing(part) else str(part).strip() for part in names]
        while parts and not parts[-1] and not whole:
            parts.pop()
        if "" in parts:
            raise BadInput(f"path {number}: a class name is missing in {shown(path)}")
        odd = next((part for part in parts if separator in part), None)
        if odd is not None:
            raise BadInput(f"path {number}: the name {odd!r} holds the separator {separator!r}")
        for k in range(1, len(parts)):
            edge = separator.join(parts[:k]), separator.join(parts[: k + 1])
            edges.setdefault(edge, number)
        if parts:
            tops[parts[0]] = None
    numbers = list(edges.values())
    return {"edges": edges, "where": lambda i: f"path {numbers[i]}", "classes": tops}


def plain_name(name: Any) -> Hashable | None:
    """Return what can be the name of a class, None for anything else."""
    return name if isinstance(name, Hashable) and not is_missing(name) else None


def refuse_records(nested: Any) -> None:
    """Refuse the rows of a table where nested dicts are expected."""
    rows = nested if isinstance(nested, list) else []
    if rows and all(isinstance(row, Mapping) and table_columns(list(row)) for row in rows):
        raise BadInput("these are the rows of a table; give a data frame of them to from_frame")


def nested_edges(
    nested: Any,
    name_of: Callable[[Any], Hashable | None],
    trouble: Callable[[str], None],
) -> dict[str, Any]:
    """Return the edges and classes of nested dicts and lists.

    A dict maps a class to what is below it; a list holds classes, or dicts of them; an object
    ``{"name": …, "children": […]}`` (or ``id``) is one class; None and empty ones are nothing.

    Parameters
    ----------
    nested
        The whole.
    name_of
        Returns the name that something is, or None.
    trouble
        What to do with what is no class.
    """
    edges: list[tuple[Any, Any]] = []
    classes: dict[Any, None] = {}
    waiting: list[tuple[Any, Any]] = [(None, nested)]
    seen: set[tuple[int, Any]] = set()  # what is held twice, as a part of a DAG may be
    while waiting:
        above, thing = waiting.pop()
        if isinstance(thing, (list, tuple, set, frozenset)):
            if (id(thing), above) not in seen:
                seen.add((id(thing), above))
                waiting += [(above, part) for part in reversed(list(in_order(thing)))]
            continue
        if thing is None:
            continue
        inside = (id(thing), None) not in seen
        for entry, below in _named_parts(thing, name_of):
            name = name_of(entry)
            if name is None:
                under = f" under {shown(above)}" if above is not None else ""
                trouble(
                    f"a class{under} must be a name or have a name and a list of children, "
                    f"got {shown(entry, 40)}"
                )
                continue
            classes[name] = None
            if above is not None:
                edges.append((above, name))
            if below is not None and inside:
                waiting.append((name, below))
        if isinstance(thing, Mapping):
            seen.add((id(thing), None))
    return {"edges": edges, "classes": list(classes)}


def _named_parts(thing: Any, name_of: Callable[[Any], Hashable | None]) -> list[tuple[Any, Any]]:
    """Return the classes that a dict, an object or a name holds, each with what is below it."""
    if not isinstance(thing, Mapping):
        return [(thing, None)]
    key = next((k for k in ("name", "id") if k in thing), None)
    alone = key is not None and name_of(thing[key]) is not None
    if alone and ("children" in thing or set(thing) <= {"name", "id"}):
        return [(thing[key], thing.get("children"))]
    return list(thing.items())
