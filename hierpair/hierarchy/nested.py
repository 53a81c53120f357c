"""Hierarchies as nested dicts and lists: maps, objects with known keys, records, nodes and links.

What is read comes back as the keywords of ``Hierarchy.from_edges``. Objects of JSON files and of
Python are read by the same rules; only what a name is differs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean, listed, shown
from hierpair.hierarchy.building import in_order, is_missing
from hierpair.hierarchy.columns import (
    has_role,
    is_word,
    names_edges,
    say_direction,
    table_edges,
    table_roles,
)

__all__ = ["Naming", "nested_edges", "object_edges", "plain_name"]

Naming = Callable[[Any], Hashable | None]
"""Returns the class name that something is, or None."""

Trouble = Callable[[str], None]

MOST_HINTS = 10
"""Misspelled names of one source that a likely spelling is looked for: each takes milliseconds."""


def plain_name(name: Any) -> Hashable | None:
    """Return what can be the name of a class, None for anything else."""
    good = isinstance(name, Hashable) and not is_missing(name) and not _is_truth(name)
    return name if good else None


def object_edges(data: Any, name_of: Naming, trouble: Trouble) -> dict[str, Any] | None:
    """Return what nested dicts and lists of any known form say, None for what has no such form.

    The forms are: nodes and links; ``{"edges": …}`` with classes, aliases and titles; records
    that name their parents; objects that hold or name what is below them; nested dicts and lists.
    A plain map to names, or to lists of names, is none of these: it may be read in two ways.
    """
    if isinstance(data, Mapping) and isinstance(data.get("nodes"), list) and not _is_object(data):
        return _node_link(data, name_of, trouble)
    if isinstance(data, Mapping) and isinstance(data.get("edges"), list):
        return _listed_edges(data["edges"], data, name_of, trouble)
    records = _records(data)
    if records is not None:
        keyed, table = records
        columns = {r: [_cell(x, name_of, r) for x in col] for r, col in table.items()}
        return {**table_edges(columns, lambda i: f"record {i + 1}", trouble), "keyed": keyed}
    if _holds_dicts(data):
        _refuse_mixed(data)
        return nested_edges(data, name_of, trouble)
    return None


def _refuse_mixed(data: Any) -> None:
    """Refuse a dict in which some values are dicts of what is below, and some are names."""
    if isinstance(data, Mapping) and not _is_object(data):
        named = next((k for k, x in data.items() if isinstance(x, str)), None)
        if named is not None:
            raise BadInput(
                f"{shown(named)} has the name {shown(data[named], 40)}, and other classes have "
                "dicts of what is below them: is that its parent, or below it? Write [name] below"
            )


def _cell(value: Any, name_of: Naming, role: str) -> Any:
    """Return a class as it is called; anything else as it is."""
    if role not in ("child", "parent") or is_missing(value):
        return value
    name = name_of(value)
    if name is None:
        raise BadInput(f"expected the name of a class or of its parent, got {shown(value, 40)}")
    return name


def _records(data: Any) -> tuple[bool, dict[str, list[Any]]] | None:
    """Return the columns of objects that name their parents, and whether their names say so.

    They are the items of a list, or the values of a dict whose keys are the classes; None for
    other things.
    """
    rows = list(data.values()) if isinstance(data, Mapping) else data
    if not isinstance(rows, list) or not rows or not all(isinstance(x, Mapping) for x in rows):
        return None
    if isinstance(data, Mapping):
        rows = [{"id": name, **row} for name, row in data.items()]
    held = data if isinstance(data, list) else ()  # of a dict, any value may be what is below
    if any(
        (isinstance(x, Mapping) and not (held and _is_name_or_parent(row)))
        or (isinstance(x, (list, Mapping)) and has_role(key, "children"))
        for row in rows
        for key, x in row.items()
    ):
        return None
    header = list(dict.fromkeys(key for row in rows for key in row))
    if not names_edges(header):
        return None
    rows = [row for source in rows for row in _one_parent(source)]
    columns = {key: [row.get(key) for row in rows] for key in header}
    roles = table_roles(header, columns.__getitem__)
    if roles is None:
        return None
    return say_direction(roles), {role: columns[key] for role, key in roles.items()}


def _is_name_or_parent(row: Mapping[Any, Any]) -> bool:
    """Whether an object has a name of its own and that of a parent, whatever else it holds."""
    named = any(_is_name_key(k) and _is_scalar(x) for k, x in row.items())
    return named and any(
        has_role(k, "parent") and not isinstance(x, Mapping) for k, x in row.items()
    )


def _one_parent(row: Mapping[Any, Any]) -> Iterator[Mapping[Any, Any]]:
    """Yield a record once for each of its parents, if it has a list of them."""
    several = next(
        (k for k, x in row.items() if has_role(k, "parent") and isinstance(x, list)), None
    )
    if several is None:
        yield row
        return
    for parent in row[several] or [None]:
        yield {**row, several: parent}


def _holds_dicts(data: Any) -> bool:
    """Whether a dict stands somewhere below the first level: plain maps have none."""
    if isinstance(data, Mapping):
        inside = list(data.values())
        return _is_object(data) or any(map(_has_dict, inside))
    return isinstance(data, (list, tuple)) and any(isinstance(x, Mapping) for x in data)


def _has_dict(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(isinstance(x, Mapping) for x in value)
    return isinstance(value, Mapping)


def _is_object(thing: Mapping[Any, Any]) -> bool:
    """Whether a dict is one class with attributes: it has a name, and perhaps a list below it."""
    named = any(_is_name_key(k) and not _has_dict(x) and _is_scalar(x) for k, x in thing.items())
    below = any(has_role(k, "children") for k in thing)
    return named and (below or all(_is_scalar(x) or isinstance(x, list) for x in thing.values()))


def _is_name_key(key: Any) -> bool:
    return has_role(key, "id") or has_role(key, "name")


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, bytes, int, float, np.generic))


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


# ---------------------------------------------------------------- what holds what is below it


def nested_edges(nested: Any, name_of: Naming, trouble: Trouble) -> dict[str, Any]:
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
    waiting: list[tuple[Any, Any, bool]] = [(None, nested, False)]
    seen: set[tuple[int, Any]] = set()  # what is held twice, as a part of a DAG may be
    below_keys = set(_keys_of_children(nested))
    while waiting:
        above, thing, in_object = waiting.pop()
        if isinstance(thing, (list, tuple, set, frozenset)):
            if (id(thing), above) not in seen:
                seen.add((id(thing), above))
                _refuse_rows(thing, trouble)
                parts = reversed(list(in_order(thing)))
                waiting += [(above, part, in_object) for part in parts]
            continue
        if thing is None:
            continue
        inside = (id(thing), None) not in seen
        under = f" under {shown(above)}" if above is not None else ""
        is_object = isinstance(thing, Mapping) and _is_object(thing)
        found = [(thing, None, None)] if not isinstance(thing, Mapping) or (
            in_object and not is_object
        ) else _parts(thing, under, bool(below_keys), trouble)  # fmt: skip
        for entry, title, below in found:
            name = name_of(entry) if not isinstance(entry, Mapping) else None
            if name is None or (is_object and _is_scalar(below) and below is not None):
                trouble(
                    f"a class{under} must be a name or have a name and a list of children, "
                    f"got {shown(thing if is_object else entry, 40)}"
                )
                continue
            stated = _stated_parent(thing) if is_object and above is not None else None
            if stated is not None and str(stated) not in (str(above), titles.get(above)):
                trouble(
                    f"the class {shown(name)} stands under {shown(above)} and names the parent "
                    f"{shown(stated)}: give the list of such objects alone"
                )
            classes[name] = None
            if title is not None and str(title) != str(name):
                titles[name] = str(title)
            if above is not None:
                edges.append((above, name))
            if below is not None and inside:
                waiting.append((name, below, is_object and not isinstance(below, Mapping)))
        if isinstance(thing, Mapping):
            seen.add((id(thing), None))
    told = {"edges": edges, "classes": list(classes), "titles": titles}
    return {**told, "keyed": bool(below_keys)}


def _stated_parent(thing: Mapping[Any, Any]) -> Any:
    """Return the parent that an object names, if it does."""
    names = (x for k, x in thing.items() if has_role(k, "parent") and isinstance(x, (str, int)))
    return next((x for x in names if not _is_truth(x) and str(x)), None)


def _refuse_rows(things: Any, trouble: Trouble) -> None:
    """Refuse a list of dicts that all have a key in common, which would be one class."""
    dicts = [x for x in things if isinstance(x, Mapping) and not _is_object(x)]
    common = set(dicts[0]).intersection(*dicts[1:]) if len(dicts) > 1 else set()
    if common:
        keys = listed(key for key in dicts[0] if key in common)
        trouble(
            f"every object of a list has the keys {keys}: which is the class, and which its "
            "parent or what is below it? Call them id, parent or children"
        )


def _keys_of_children(nested: Any) -> Iterator[Any]:
    """Yield every key that is known to hold what is below a class."""
    waiting, seen = [nested], set[int]()
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, Mapping) and id(thing) not in seen:
            seen.add(id(thing))
            yield from (key for key in thing if has_role(key, "children"))
            waiting += thing.values()
        elif isinstance(thing, (list, tuple)) and id(thing) not in seen:
            seen.add(id(thing))
            waiting += thing


def _parts(
    thing: Mapping[Any, Any], under: str, has_children: bool, trouble: Trouble
) -> list[tuple[Any, Any, Any]]:
    """Return the classes that a dict or an object holds: name, title, what is below."""
    if _is_object(thing):
        return [_one_class(thing, under, has_children, trouble)]
    found = []
    for key, value in thing.items():
        if has_role(key, "children") or (_is_name_key(key) and is_word(key) and _is_scalar(value)):
            trouble(
                f"the key {shown(key)}{under} would be a class: give its dict a name "
                '({"name": …, "children": […]}), or rename the class'
            )
            continue
        if isinstance(value, str) and value in thing:
            trouble(
                f"{shown(key)}{under} has the name {shown(value, 40)}, a key beside it: is it its "
                f"parent, or below it? Write [{shown(value, 40)}], or give the map of parents alone"
            )
        found.append((key, *_below(key, value, has_children, trouble)))
    return found


def _one_class(
    thing: Mapping[Any, Any], under: str, has_children: bool, trouble: Trouble
) -> tuple[Any, Any, Any]:
    """Return name, title and what is below of a dict that is one class."""
    ids = [k for k in thing if has_role(k, "id") and _is_scalar(thing[k]) and thing[k] is not None]
    names = [k for k in thing if has_role(k, "name") and _is_scalar(thing[k])]
    ids = [k for k in ids if not _is_position(k, names)]
    key = (ids or names)[0]
    title = thing[names[0]] if ids and names else None
    held = [k for k in thing if has_role(k, "children")]
    if len(held) > 1:
        trouble(f"the class {shown(thing[key])} has {listed(held)}: which of them is below it?")
    lists = [k for k, x in thing.items() if _has_dict(x) or isinstance(x, list)]
    if lists and not held and not has_children:
        trouble(
            f"the class {shown(thing[key])}{under} has the key {shown(lists[0])}: if it holds what "
            "is below the class, call it children"
        )
    return thing[key], title, thing[held[0]] if held else None


def _is_position(key: Any, names: list[Any]) -> bool:
    """Whether a key such as ``index`` counts the classes that have names beside it."""
    return bool(names) and str(key).lower() in ("index", "idx")


def _below(key: Any, value: Any, has_children: bool, trouble: Trouble) -> tuple[Any, Any]:
    """Return title and what is below of the value of a class in a dict."""
    if _is_scalar(value) and not isinstance(value, (str, bytes)):
        is_number = isinstance(key, (int, np.integer)) and not _is_truth(value)
        return None, value if is_number else None  # an index or a size at a leaf
    if not isinstance(value, Mapping):
        return None, value
    held = [k for k in value if has_role(k, "children")]
    rest = [k for k in value if k not in held]
    if len(held) == 1 and all(_is_scalar(value[k]) for k in rest):
        names = [k for k in rest if has_role(k, "name")]
        if names and any(isinstance(x, Mapping) and _is_object(x) for x in value[held[0]] or ()):
            trouble(
                f"is {shown(key)} a class? Its object has the name {shown(value[names[0]], 40)}; "
                "give the object alone, or leave out its name"
            )
        return (value[names[0]] if names else None), value[held[0]]
    if not held and rest and all(_is_scalar(value[k]) for k in rest):
        named = next((k for k in rest if _is_name_key(k)), None)
        if has_children or all(map(_is_name_key, rest)):  # attributes
            return (value[named] if named is not None else None), None
    return None, value


# ---------------------------------------------------------------- lists of edges, nodes and links


def _listed_edges(
    edges: Iterable[Any], whole: Mapping[str, Any], name_of: Naming, trouble: Trouble
) -> dict[str, Any]:
    """Return edges, and the classes, other names and titles that stand beside them."""
    kept: list[list[Any]] = []
    numbers: list[int] = []
    for number, edge in enumerate(edges, start=1):
        good = isinstance(edge, (list, tuple)) and len(edge) in (2, 3)
        names = [name_of(x) for x in edge[:2]] if good else []
        if not good or None in names:
            trouble(f"edge {number}: expected [parent, child], got {shown(edge, 40)}")
            continue
        kept.append([*names, *edge[2:]])
        numbers.append(number)
    classes, aliases = whole.get("classes", []), whole.get("aliases", {})
    titles = whole.get("titles", {})
    if not isinstance(classes, list) or any(name_of(x) is None for x in classes):
        raise BadInput(f"classes must be a list of names, got {shown(classes, 40)}")
    if not isinstance(aliases, dict) or any(name_of(x) is None for x in aliases.values()):
        raise BadInput(f"aliases must map other names to names, got {shown(aliases, 40)}")
    if not isinstance(titles, dict) or not all(isinstance(x, str) for x in titles.values()):
        raise BadInput(f"titles must map names to texts, got {shown(titles, 40)}")
    return {
        "edges": kept,
        "where": lambda i: f"edge {numbers[i]}",
        "classes": [name_of(x) for x in classes],
        "aliases": {name_of(k): name_of(v) for k, v in aliases.items()},
        "titles": {name_of(k): v for k, v in titles.items()},
    }


def _node_link(data: Mapping[str, Any], name_of: Naming, trouble: Trouble) -> dict[str, Any]:
    """Return the edges of a graph of nodes and links."""
    links = data.get("links", data.get("edges"))
    if not isinstance(links, list):
        raise BadInput("nodes need links (or edges) with source and target")
    if data.get("directed") is False:
        raise BadInput("the graph is undirected: give the links from parents to children")
    classes = [names[0] for _, names in _named(data["nodes"], "node", ("id",), name_of, trouble)]
    known = set(classes)
    ends = []
    n_hints = 0
    for number, names in _named(links, "link", ("source", "target"), name_of, trouble):
        strange = [name for name in names if name not in known]
        if strange:
            near = did_you_mean(strange[0], known) if n_hints < MOST_HINTS else ""
            n_hints += 1
            trouble(f"link {number}: {strange[0]!r} is not among the nodes{near}")
            continue
        ends.append((number, names))
    return {
        "edges": [names for _, names in ends],
        "where": lambda i: f"link {ends[i][0]}",
        "classes": classes,
    }


def _named(
    items: list[Any], what: str, keys: tuple[str, ...], name_of: Naming, trouble: Trouble
) -> Iterator[tuple[int, list[Hashable]]]:
    """Yield the number and the named entries of each item."""
    for number, item in enumerate(items, start=1):
        values = [item.get(k) for k in keys] if isinstance(item, Mapping) else [None]
        names = [name_of(x) for x in values]
        if None in names:
            trouble(f"{what} {number}: expected {' and '.join(keys)}, got {shown(item, 40)}")
            continue
        yield number, names
