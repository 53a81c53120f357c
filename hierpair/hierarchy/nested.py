"""Hierarchies as nested dicts and lists: maps, objects with known keys, records, nodes and links.

Objects of JSON files and of Python are read by the same rules; only what a name is differs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed, shown
from hierpair.hierarchy.building import Tell, in_order, is_missing
from hierpair.hierarchy.columns import has_role, is_word, names_edges
from hierpair.hierarchy.edge_list import EdgeList, Naming, read_table

__all__ = ["nested_edges", "object_edges", "plain_name"]


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
    if found is not None or not (any(map(_has_dict, data.values())) if bare else _has_dict(data)):
        return found
    named = next((k for k, x in data.items() if isinstance(x, str)), None) if bare else None
    if named is not None:
        raise BadInput(
            f"{shown(named)} has the name {shown(data[named], 40)}, and other classes have "
            "dicts of what is below them: is that its parent, or below it? Write [name] below"
        )
    return nested_edges(data, name_of, trouble)


def _records(data: Any, name_of: Naming, trouble: Tell) -> EdgeList | None:
    """Return what objects say that name their parents; None for other things.

    They are the items of a list, or the values of a dict whose keys are the classes.
    """
    items = list(data.values()) if _is_dict(data) else data
    if not isinstance(items, list) or not items or not all(map(_is_dict, items)):
        return None
    if _is_dict(data):
        items = [{"id": name, **row} for name, row in data.items()]
    for row in items:
        own = any(map(_is_name, row)) and any(
            has_role(k, "parent") and not _is_dict(x) for k, x in row.items()
        )
        for key, value in row.items():
            below = has_role(key, "children") and isinstance(value, (list, Mapping))
            if below or (_is_dict(value) and (_is_dict(data) or not own)):
                return None
    header = list(dict.fromkeys(key for row in items for key in row))
    if not names_edges(header):
        return None
    return read_table(
        header, lambda key: [row.get(key) for row in items], lambda i: f"record {i + 1}", trouble,
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


def _is_name(key: Any) -> bool:
    return has_role(key, "id") or has_role(key, "name")


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, bytes, int, float, np.generic))


# ---------------------------------------------------------------- what holds what is below it

Class = tuple[Any, Any, Any]
"""Name, title, and what is below."""


def nested_edges(nested: Any, name_of: Naming, trouble: Tell) -> EdgeList:
    """Return the edges, classes and titles of nested dicts and lists.

    A dict maps a class to what is below it; a list holds classes, or dicts of them; None and
    empty ones are nothing. A dict with a known key for the name of a class, such as ``name`` or
    ``id``, is that class, and what its key ``children`` (or ``child_ids``, ``Subcategory``, …)
    holds is below it; of an id and a name the name is the title. A number at a leaf is an index
    or a size.

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
    titles: dict[Any, str] = {}
    keyed = _holds_children(nested)
    waiting: list[tuple[Any, Any, bool]] = [(None, nested, False)]
    seen: set[tuple[int, Any]] = set()  # what is held twice, as a part of a DAG may be
    while waiting:
        above, thing, of_object = waiting.pop()
        under = f" under {shown(above)}" if above is not None else ""
        if isinstance(thing, (list, tuple, set, frozenset)):
            if (id(thing), above) not in seen:
                seen.add((id(thing), above))
                _refuse_rows(thing, trouble)
                waiting += [(above, part, of_object) for part in reversed(list(in_order(thing)))]
            continue
        is_object = _is_dict(thing) and _is_object(thing)
        found: list[Class] = [] if thing is None else [(thing, None, None)]
        if is_object:
            found = [_one_class(thing, under, keyed, trouble)]
        elif _is_dict(thing) and not of_object:
            entries = thing.items()
            found = [x for k, v in entries for x in _entry(k, v, thing, under, keyed, trouble)]
        for entry, title, below in found:
            name = None if _is_dict(entry) else name_of(entry)
            if name is None or (is_object and _is_scalar(below) and below is not None):
                trouble(
                    f"a class{under} must be a name or have a name and a list of children, "
                    f"got {shown(thing if is_object else entry, 40)}"
                )
                continue
            classes[name] = None
            if title is not None and str(title) != str(name):
                titles[name] = str(title)
            if above is not None:
                edges.append((above, name))
                if is_object:
                    _check_parent(name, thing, above, titles.get(above), trouble)
            if below is not None and (id(thing), None) not in seen:
                waiting.append((name, below, is_object and not _is_dict(below)))
        if _is_dict(thing):
            seen.add((id(thing), None))
    return EdgeList(edges, lambda i: repr(edges[i][1]), list(classes), titles=titles, keyed=keyed)


def _check_parent(
    name: object, thing: Mapping[Any, Any], above: object, title: object, trouble: Tell
) -> None:
    """Refuse an object that names another parent than the class under which it stands."""
    for key, stated in thing.items():
        named = has_role(key, "parent") and isinstance(stated, (str, int))
        if named and stated not in ("", True, False) and str(stated) not in (str(above), title):
            trouble(
                f"the class {shown(name)} stands under {shown(above)} and names the parent "
                f"{shown(stated)}: give the list of such objects alone"
            )
            return


def _refuse_rows(things: Any, trouble: Tell) -> None:
    """Refuse a list of dicts that all have a key in common, which would be one class."""
    dicts = [x for x in things if _is_dict(x) and not _is_object(x)]
    common = [key for key in dicts[0] if all(key in x for x in dicts)] if len(dicts) > 1 else []
    if common:
        trouble(
            f"every object of a list has the keys {listed(common)}: which is the class, and which "
            "its parent or what is below it? Call them id, parent or children"
        )


def _holds_children(nested: Any) -> bool:
    """Whether a key anywhere is known to hold what is below a class."""
    waiting: list[Any] = [nested]
    seen: set[int] = set()
    for thing in waiting:
        if isinstance(thing, (Mapping, list, tuple)) and id(thing) not in seen:
            seen.add(id(thing))
            if _is_dict(thing) and any(has_role(key, "children") for key in thing):
                return True
            waiting += thing.values() if isinstance(thing, Mapping) else thing
    return False


def _entry(
    key: Any, value: Any, beside: Mapping[Any, Any], under: str, keyed: bool, trouble: Tell
) -> Iterator[Class]:
    """Yield the class that the key of a dict is, unless it is a known key."""
    if has_role(key, "children") or (_is_name(key) and is_word(key) and _is_scalar(value)):
        trouble(
            f"the key {shown(key)}{under} would be a class: give its dict a name "
            '({"name": …, "children": […]}), or rename the class'
        )
        return
    if isinstance(value, str) and value in beside:
        trouble(
            f"{shown(key)}{under} has the name {shown(value, 40)}, a key beside it: is it its "
            f"parent, or below it? Write [{shown(value, 40)}], or give the map of parents alone"
        )
    below = value
    if _is_dict(value):
        held = [k for k in value if has_role(k, "children")]
        rest = [k for k in value if k not in held]
        attributes = held or (rest and (keyed or all(map(_is_name, rest))))
        if attributes and len(held) < 2 and all(_is_scalar(value[k]) for k in rest):
            below = value[held[0]] if held else None
            named = next((k for k in rest if has_role(k, "name")), None)
            parts = below if isinstance(below, (list, tuple)) else ()
            if named is not None and any(_is_dict(x) and _is_object(x) for x in parts):
                trouble(
                    f"is {shown(key)} a class? Its object has the name {shown(value[named], 40)}; "
                    "give the object alone, or leave out its name"
                )
            yield key, None if named is None else value[named], below
            return
    elif _is_scalar(value) and not isinstance(value, (str, bytes)):  # an index, a size, or a class
        numbers = isinstance(key, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
        below = value if numbers else None
    yield key, None, below


def _one_class(thing: Mapping[Any, Any], under: str, keyed: bool, trouble: Tell) -> Class:
    """Return name, title and what is below of a dict that is one class."""
    names = [k for k in thing if has_role(k, "name") and _is_scalar(thing[k])]
    ids = [k for k in thing if has_role(k, "id") and _is_scalar(thing[k]) and thing[k] is not None]
    if names:  # an index counts the classes that have names beside it
        ids = [k for k in ids if str(k).lower() not in ("index", "idx")]
    name = thing[(ids or names)[0]]
    held = [k for k in thing if has_role(k, "children")]
    if len(held) > 1:
        trouble(f"the class {shown(name)} has {listed(held)}: which of them is below it?")
    lists = [k for k, x in thing.items() if _has_dict(x) or isinstance(x, list)]
    if lists and not held and not keyed:
        trouble(
            f"the class {shown(name)}{under} has the key {shown(lists[0])}: if it holds what "
            "is below the class, call it children"
        )
    return name, thing[names[0]] if ids and names else None, thing[held[0]] if held else None


# ---------------------------------------------------------------- lists of edges, nodes and links


def _graph(data: Mapping[str, Any], name_of: Naming, trouble: Tell) -> EdgeList:
    """Return edges, or nodes and links, and the classes, other names and titles beside them."""
    nodes = data.get("nodes")
    links = data.get("edges") if nodes is None else data.get("links", data.get("edges"))
    if not isinstance(links, list):
        raise BadInput("nodes need links (or edges) with source and target")
    if nodes is not None and data.get("directed") is False:
        raise BadInput("the graph is undirected: give the links from parents to children")
    what, form, classes = "edge", "[parent, child]", data.get("classes", [])
    if nodes is not None:
        what, form, classes = "link", "source and target", [_get(x, "id") for x in nodes]
        links = [[_get(link, "source"), _get(link, "target")] for link in links]
    known = list(map(name_of, classes)) if isinstance(classes, list) else [None]
    if None in known:
        raise BadInput(f"classes must be a list of names, got {shown(nodes or classes, 40)}")
    kept: list[list[Any]] = []
    numbers: list[int] = []
    there = set(known)
    for number, link in enumerate(links, start=1):
        names = list(map(name_of, link[:2])) if isinstance(link, (list, tuple)) else []
        strange = [name for name in names if nodes is not None and name not in there]
        if len(names) < 2 or None in names or len(link) > 3:
            trouble(f"{what} {number}: expected {form}, got {shown(link, 40)}")
        elif strange:
            trouble(f"link {number}: {strange[0]!r} is not among the nodes")
        else:
            kept.append([*names, *link[2:]])
            numbers.append(number)
    titles, aliases = data.get("titles", {}), data.get("aliases", {})
    if not _is_dict(titles) or not all(isinstance(x, str) for x in titles.values()):
        raise BadInput(f"titles must map names to texts, got {shown(titles, 40)}")
    if not _is_dict(aliases) or None in map(name_of, aliases.values()):
        raise BadInput(f"aliases must map names to names, got {shown(aliases, 40)}")
    return EdgeList(
        kept, lambda i: f"{what} {numbers[i]}", known, declared="classes" in data,
        titles={name_of(k): x for k, x in titles.items()},
        aliases={name_of(k): name_of(x) for k, x in aliases.items()},
    )  # fmt: skip


def _get(item: Any, key: str) -> Any:
    return item.get(key) if _is_dict(item) else None
