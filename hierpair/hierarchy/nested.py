"""Hierarchies as nested dicts and lists: maps, objects with known keys, records, nodes and links.

Objects of JSON files and of Python are read by the same rules; only what a name is differs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed, shown
from hierpair.hierarchy.building import Tell, in_order, is_missing
from hierpair.hierarchy.columns import has_role, names_edges, normal
from hierpair.hierarchy.edge_list import EdgeList, Naming, read_table


def plain_name(name: Any) -> Hashable | None:
    """Return what can be the name of a class, None for anything else."""
    odd = isinstance(name, (bool, np.bool_)) or not isinstance(name, Hashable) or is_missing(name)
    return None if odd else name


def object_edges(data: Any, name_of: Naming, trouble: Tell) -> EdgeList | None:
    """Return what nested dicts and lists of any known form say, None for what has no such form.

    The forms are: nodes and links; ``{"edges": …}`` with classes, aliases and titles; records
    that name their parents; objects that hold or name what is below them; nested dicts and lists.
    A plain map to names, or to lists of names, is none of these: it may be read in two ways.
    """
    bare = _is_dict(data) and not _is_object(data)
    if bare and isinstance(data.get("nodes", data.get("edges")), list):
        return _graph(data, name_of, trouble)
    found = _records(data, name_of, trouble)
    deep = any(map(_has_dict, data.values())) if bare else _has_dict(data)
    return nested_edges(data, name_of, trouble) if found is None and deep else found


def _records(data: Any, name_of: Naming, trouble: Tell) -> EdgeList | None:
    """Return what objects say that name their parents; None for other things.

    They are the items of a list, or the values of a dict whose keys are the classes.
    """
    keyed = _is_dict(data)
    rows = list(data.values()) if keyed else data
    if not isinstance(rows, list) or not rows or not all(map(_is_dict, rows)):
        return None
    if keyed:
        rows = [{"id": name, **row} for name, row in data.items()]
    header = list(dict.fromkeys(chain.from_iterable(rows)))
    below = [row.get(key) for row in rows for key in header if has_role(key, "children")]
    nested = any(isinstance(x, (list, Mapping)) for x in below)
    nested |= keyed and any(_is_dict(x) for row in rows for x in row.values())
    if nested or not names_edges(header):
        return None
    return read_table(
        header, lambda key: [row.get(key) for row in rows], lambda i: f"record {i + 1}", trouble,
        name_of=name_of,
    )  # fmt: skip


def _is_dict(value: Any) -> bool:
    return isinstance(value, Mapping)


def _has_dict(value: Any) -> bool:
    return _is_dict(value) or (isinstance(value, (list, tuple)) and any(map(_is_dict, value)))


def _is_object(thing: Mapping[Any, Any]) -> bool:
    """Whether a dict is one class with attributes: it has a name, and perhaps a list below it."""
    named = any(_is_name(k) and _is_scalar(x) for k, x in thing.items())
    below = any(has_role(k, "children") for k in thing)
    return named and (below or all(_is_scalar(x) or isinstance(x, list) for x in thing.values()))


def _stated_parent(thing: Mapping[Any, Any]) -> str:
    """Return the parent that an object names, or a blank."""
    stated = (x for k, x in thing.items() if has_role(k, "parent") and x not in (True, False))
    return str(next((x for x in stated if isinstance(x, (str, int))), ""))


def _is_name(key: Any) -> bool:
    return has_role(key, "id") or has_role(key, "name")


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, bytes, int, float, np.generic))


# ---------------------------------------------------------------- what holds what is below it

Class = tuple[Any, Any, Any, str]
"""Name, title, what is below, and of what that is the value by a key such as ``children``: an
``"object"``, an ``"entry"`` of a dict, or ``""``."""


def nested_edges(nested: Any, name_of: Naming, trouble: Tell) -> EdgeList:
    """Return the edges, classes and titles of nested dicts and lists.

    A dict maps a class to what is below it; a list holds classes, or dicts of them; None and
    empty ones are nothing. A dict with a known key for the name of a class, such as ``name`` or
    ``id``, is that class, and what its key ``children`` (or ``child_ids``, ``Subcategory``, …)
    holds is below it; of an id and a name the name is the title. A number at a leaf is an index
    or a size.
    """
    edges: list[tuple[Any, Any]] = []
    classes, titles, direction = dict[Any, None](), dict[Any, str](), None
    waiting: list[tuple[Any, Any, str]] = [(None, nested, "")]
    seen: set[tuple[int, Any]] = set()  # what is held twice, as a part of a DAG may be
    while waiting:
        above, thing, kind = waiting.pop()
        if isinstance(thing, (list, tuple, set, frozenset)):
            if (id(thing), above) not in seen:
                seen.add((id(thing), above))
                waiting += [(above, part, kind) for part in reversed(list(in_order(thing)))]
            continue
        under = f" under {shown(above)}" if above is not None else ""
        found: Iterable[Class] = [] if thing is None else [(thing, None, None, "")]
        is_object = _is_dict(thing) and _is_object(thing)
        if is_object:
            found = [_one_class(thing, kind, trouble)]
        elif _is_dict(thing) and kind != "object":
            found = _entries(thing, under, kind, thing is nested, trouble)
        for entry, title, below, below_kind in found:
            name = None if _is_dict(entry) else name_of(entry)
            if name is None or (below_kind and isinstance(below, (str, int, float))):
                trouble(
                    f"a class{under} must be a name or have a name and a list of children, "
                    f"got {shown(thing, 40)}"
                )
                continue
            classes[name] = None
            direction = "keys" if below_kind else direction
            if title is not None and str(title) != str(name):
                titles[name] = str(title)
            if above is not None:
                edges.append((above, name))
                stated = _stated_parent(thing) if is_object else ""
                if stated not in ("", str(above), titles.get(above)):
                    trouble(
                        f"the class {shown(name)} stands{under} and names the parent "
                        f"{shown(stated)}: give the list of such objects alone"
                    )
            if below is not None and (id(thing), None) not in seen:
                waiting.append((name, below, below_kind))
        seen.add((id(thing) if _is_dict(thing) else 0, None))
    where = lambda i: repr(edges[i][1])  # noqa: E731
    return EdgeList(edges, where, list(classes), titles=titles, direction=direction)


def _entries(
    thing: Mapping[Any, Any], under: str, kind: str, whole: bool, trouble: Tell
) -> Iterator[Class]:
    """Yield the classes that the keys of a dict are, but for known keys."""
    for key, value in thing.items():
        if has_role(key, "children") or (_is_name(key) and _is_scalar(value)):
            trouble(
                f"the key {shown(key)}{under} would be a class: give its dict a name "
                '({"name": …, "children": […]}), or rename the class'
            )
            continue
        if isinstance(value, str) and not (whole and len(thing) == 1):
            trouble(
                f"{shown(key)}{under} has the name {shown(value, 40)}: is that its parent, or "
                f"below it? Write [{shown(value, 40)}] below, or give the map of parents alone"
            )
        title, below, below_kind = None, value, ""
        if _is_dict(value):
            held = [k for k in value if has_role(k, "children")]
            rest = {k: x for k, x in value.items() if k not in held}
            attributes = held or (rest and (kind or all(map(_is_name, rest))))
            if attributes and len(held) < 2 and all(map(_is_scalar, rest.values())):
                title = next((x for k, x in rest.items() if has_role(k, "name")), None)
                below, below_kind = (value[held[0]], "entry") if held else (None, "")
        elif _is_scalar(value) and not isinstance(value, (str, bytes)):
            # a number is an index or a size, but below a number a class
            numbers = isinstance(key, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
            below = value if numbers else None
        yield key, title, below, below_kind


def _one_class(thing: Mapping[Any, Any], kind: str, trouble: Tell) -> Class:
    """Return name, title and what is below of a dict that is one class."""
    filled = [k for k, x in thing.items() if _is_scalar(x) and x is not None]
    names = [k for k in filled if has_role(k, "name")]
    ids = [k for k in filled if has_role(k, "id")]
    if names:  # an index counts the classes that have names beside it
        ids = [k for k in ids if normal(k) not in ("index", "idx")]
    name = next((thing[k] for k in (*ids, *names)), None)
    held = [k for k in thing if has_role(k, "children")]
    lists = [k for k, x in thing.items() if _has_dict(x) or isinstance(x, list)]
    if len(held) > 1 or (lists and not held and not kind):
        trouble(
            f"the class {shown(name)} has {listed(held or lists)}: which of them holds what is "
            "below it? Of these call it children"
        )
    below = thing[held[0]] if held else None
    title = thing[names[0]] if ids and names else None
    return name, title, below, "entry" if _is_dict(below) else "object" if held else ""


# ---------------------------------------------------------------- lists of edges, nodes and links


def _graph(data: Mapping[str, Any], name_of: Naming, trouble: Tell) -> EdgeList:
    """Return edges, or nodes and links, and the classes, other names and titles beside them."""
    nodes, links, classes = data.get("nodes"), data.get("edges"), data.get("classes", [])
    titles, aliases = data.get("titles", {}), data.get("aliases", {})
    if nodes is not None:
        links, classes = data.get("links", links), [_get(node, "id") for node in nodes]
    if not isinstance(links, list) or (nodes is not None and data.get("directed") is False):
        raise BadInput("nodes need links (or edges) with source and target, from parent to child")
    if not isinstance(classes, list) or not _is_dict(titles) or not _is_dict(aliases):
        raise BadInput(
            "classes must be a list of names, aliases must map names to names, and titles to texts"
        )

    def named(name: Any) -> Any:
        found = name_of(name)
        return [name] if found is None else found  # which is refused where names are numbered

    edges, numbers, there = list[Any](), list[int](), set(map(name_of, classes))
    for number, link in enumerate(links, start=1):
        ends = link if nodes is None else [_get(link, "source"), _get(link, "target")]
        if isinstance(ends, (list, tuple)):
            ends = [*map(named, ends[:2]), *ends[2:]]
        strange = [x for x in ends if isinstance(x, Hashable) and x not in there] if nodes else []
        if strange:
            trouble(f"link {number}: {shown(strange[0])} is not among the nodes")
        else:
            edges.append(ends)
            numbers.append(number)
    return EdgeList(
        edges, lambda i: f"{'edge' if nodes is None else 'link'} {numbers[i]}",
        list(map(named, classes)), declared="classes" in data,
        titles={name_of(k): str(x) for k, x in titles.items()},
        aliases={name_of(k): name_of(x) for k, x in aliases.items()},
    )  # fmt: skip


def _get(item: Any, key: str) -> Any:
    return item.get(key) if _is_dict(item) else None
