"""Hierarchies as people hold them: nested dicts, maps, vectors, lineages, codes, frames, graphs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from hierpair.errors import BadInput, check_known, check_several, counted, listed, shown
from hierpair.hierarchy.arrays import array_of, frame_columns, is_frame, values_of
from hierpair.hierarchy.building import Place, Tell, in_order, is_missing, plain_names
from hierpair.hierarchy.edge_list import (
    ZERO,
    EdgeList,
    Naming,
    collected,
    has_role,
    names_edges,
    names_ranks,
    normal,
    read_table,
    refuse,
    table_edges,
    whole_numbers,
)


def plain_name(name: Any) -> Hashable | None:
    """Return what can be the name of a class, None for anything else."""
    odd = isinstance(name, (bool, np.bool_)) or not isinstance(name, Hashable) or is_missing(name)
    return None if odd else name


def object_edges(data: Any, name_of: Naming, trouble: Tell) -> EdgeList | None:
    """Return what nested dicts and lists of any known form say; None for a plain map, as others."""
    bare = _is_dict(data) and not _is_object(data)
    if bare and isinstance(data.get("edges"), list):
        return _listed(data, name_of)
    lengths = {len(x) if isinstance(x, list) else 0 for x in data.values()} if bare else ()
    if len(lengths) == 1 < max(lengths) and names_edges(list(data)):
        return read_table(list(data), data.__getitem__, "row {}".format, trouble, name_of=name_of)
    found = _records(data, name_of, trouble)
    deep = any(map(_has_dict, data.values())) if bare else _has_dict(data)
    return nested_edges(data, name_of, trouble) if found is None and deep else found


def _listed(data: Mapping[str, Any], name_of: Naming) -> EdgeList:
    """Return a list of edges, and the classes, other names, titles and ranks beside it."""

    def named(name: Any) -> Any:
        found = name_of(name)
        return [name] if found is None else found  # which is refused where names are numbered

    said = {key: data.get(key) or {} for key in ("aliases", "titles", "ranks")}
    classes = data.get("classes") or []
    if not isinstance(classes, list) or not all(map(_is_dict, said.values())):
        raise BadInput("classes must be a list of names; aliases, titles and ranks must map names")
    edges = [
        [*map(named, edge[:2]), *edge[2:]] if isinstance(edge, (list, tuple)) else edge
        for edge in data["edges"]
    ]
    others: Any = {
        key: {name_of(k): name_of(x) for k, x in of.items() if not is_missing(x)}
        for key, of in said.items()
    }
    return EdgeList(edges, classes=list(map(named, classes)), declared="classes" in data, **others)


def _records(data: Any, name_of: Naming, trouble: Tell) -> EdgeList | None:
    """Return what objects say that name their parents, in a list or by class; None for others."""
    keyed = _is_dict(data)
    rows = list(data.values()) if keyed else data
    if not isinstance(rows, list) or not rows or not all(map(_is_dict, rows)):
        return None
    if keyed:
        rows = [{"id": name, **row} for name, row in data.items()]
    header = list(dict.fromkeys(chain.from_iterable(rows)))
    below = {key for key in header if has_role(key, "children")}
    nested = any(
        (keyed and _is_dict(x)) or (key in below and isinstance(x, (list, Mapping)))
        for row in rows for key, x in row.items()
    )  # fmt: skip
    if nested or not (names_edges(header) or names_ranks(header)):
        return None
    return read_table(
        header, lambda key: [row.get(key) for row in rows], lambda i: f"record {i + 1}", trouble,
        name_of=name_of,
    )  # fmt: skip


def _is_dict(value: Any) -> bool:
    return isinstance(value, Mapping)


def _has_dict(value: Any) -> bool:
    return _is_dict(value) or (isinstance(value, (list, tuple)) and any(map(_is_dict, value)))


def _is_object(thing: Any) -> bool:
    """Whether a dict is one class with attributes: it has a name, and perhaps a list below it."""
    named = _is_dict(thing) and any(_is_name(k) and _is_scalar(x) for k, x in thing.items())
    return named and (bool(_lists_in(thing)) or not any(map(_is_dict, thing.values())))


def _is_name(key: Any) -> bool:
    return has_role(key, "id") or has_role(key, "name")


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, bytes, int, float, np.generic))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))


# ---------------------------------------------------------------- what holds what is below it


def nested_edges(nested: Any, name_of: Naming, trouble: Tell) -> EdgeList:
    """Return what nested dicts and lists say; a dict with a known key for its name is one class."""
    edges, classes, titles, direction = [], dict[Any, None](), dict[Any, str](), None
    counted, seen = dict[Any, Any](), set[Any]()  # what is held twice, as a part of a DAG may be
    waiting: list[tuple[Any, Any, bool | None]] = [(None, nested, False)]
    while waiting:
        above, thing, by_key = waiting.pop()
        held = None if _is_scalar(thing) else (id(thing), above)
        if thing is None or held in seen:
            continue
        seen |= {held} - {None}
        if isinstance(thing, (list, tuple, set, frozenset)):
            waiting += [(above, part, by_key) for part in reversed(list(in_order(thing)))]
            continue
        under, is_object = f" under {shown(above)}" if above is not None else "", _is_object(thing)
        entries = list(thing.items()) if _is_dict(thing) else []
        for key, value in entries:
            if not is_object and _is_number(value) and counted.setdefault(key, above) != above:
                trouble(
                    f"the key {shown(key)} stands with {shown(value)}{under} and elsewhere: "
                    "is it a class? Write it without that; otherwise leave it out"
                )
        stated = [x for key, x in entries if has_role(key, "parent") and type(x) is str]
        for entry, title, below, below_key in _classes_in(thing, under, by_key, trouble):
            if is_object and under and stated and not {str(above), titles.get(above)} & {*stated}:
                trouble(
                    f"the class {shown(entry)} stands{under} and names the parent "
                    f"{shown(stated[0])}: give the list of such objects alone"
                )
            name = name_of(entry)
            if name is None or (below_key and isinstance(below, (str, int, float))):
                trouble(
                    f"a class{under} must be a name or have a name and a list of children, "
                    f"got {shown(thing, 40)}"
                )
                continue
            classes[name] = None
            direction = "keys" if below_key else direction
            if title is not None and str(title) != str(name):
                titles[name] = str(title)
            if above is not None:
                edges.append((above, name))
            waiting.append((name, below, below_key if _is_dict(below) or not is_object else None))
    where = lambda i: repr(edges[i][1])  # noqa: E731
    return EdgeList(edges, where, list(classes), titles=titles, direction=direction)


Class = tuple[Any, Any, Any, bool]
"""Name, title, what is below, and whether that is the value of a key such as ``children``."""


def _lists_in(thing: Mapping[Any, Any]) -> list[Any]:
    return [key for key in thing if has_role(key, "children")]


def _holds_classes(value: Any) -> bool:
    parts = filter(_is_dict, value if isinstance(value, list) else [value])
    return any(_lists_in(x) or any(map(_is_dict, x.values())) for x in parts)


def _classes_in(thing: Any, under: str, by_key: bool | None, trouble: Tell) -> Iterator[Class]:
    """Yield the classes that a thing is: one, or those that the keys of a dict are.

    In a list of objects (``by_key`` is None) a dict that is no object is none.
    """
    if _is_object(thing):
        yield _one_class(thing, trouble)
        return
    if by_key is None or not _is_dict(thing):
        yield thing, None, None, False
        return
    for key, value in thing.items():
        if has_role(key, "children") or (_is_name(key) and _is_scalar(value)):
            said = f"the key {shown(key)}{under} would be a class: give its dict a name"
            trouble(f'{said} ({{"name": …, "children": […]}}), or rename the class')
        elif isinstance(value, str):
            trouble(
                f"{shown(key)}{under} has the name {shown(value, 40)}: is that its parent, "
                "or below it? Write a list of what is below, or a map of parents alone"
            )
        elif _is_dict(value) and (by_key or _lists_in(value)) and not any(
            _is_dict(x) or isinstance(x, list)
            for k, x in value.items() if not has_role(k, "children")
        ):  # fmt: skip
            yield key, *_one_class({"id": key, **value}, trouble)[1:]
        else:  # a number is an index or a size
            yield key, None, None if _is_scalar(value) else value, False


def _one_class(thing: Mapping[Any, Any], trouble: Tell) -> Class:
    """Return name, title and what is below of a dict that is one class."""
    filled = [k for k, x in thing.items() if _is_scalar(x) and x is not None]
    names = [k for k in filled if has_role(k, "name")]
    # an index counts the classes that have names beside it
    counting = ("index", "idx") if names else ()
    ids = [k for k in filled if has_role(k, "id") and normal(k) not in counting]
    name = next((thing[k] for k in (*ids, *names)), None)
    held = _lists_in(thing)
    # beside these flat lists and dicts are what is known of a class
    lists = [k for k, x in thing.items()
             if k in held or (isinstance(x, list) and not held) or _holds_classes(x)]  # fmt: skip
    if len(lists) > (len(held) == 1):
        trouble(
            f"the class {shown(name)} has {listed(lists)}: which of them holds what is below it? "
            "Of these call it children, and leave others out"
        )
    title = thing[names[0]] if ids and names else None
    return name, title, thing[held[0]] if held else None, bool(held)


# ---------------------------------------------------------------- anything

PART_OF = "part_of"

UPWARDS = ("is_a", PART_OF, "subclass_of", "subClassOf", "broader", "child_of", "instance_of")
"""Relations of graphs that lead from a class to what is above it."""


def relations_left(upwards: Sequence[tuple[Any, str]], taken: Sequence[str]) -> list[str]:
    """Say how many classes are roots because part_of, which alone leads up, is not taken.

    >>> relations_left([("hand", "part_of"), ("arm", "is_a"), ("arm", "part_of")], ["is_a"])[0][:61]
    "part_of alone leads upwards from 1 root, such as 'hand', and "
    """
    below = {child for child, relation in upwards if relation in taken}
    left = [child for child, relation in upwards if relation == PART_OF and child not in below]
    every = *taken, PART_OF
    return [
        f"{PART_OF} alone leads upwards from {counted(len({*left}), 'root')}, such as "
        f"{shown(child)}, and was not taken; --relations {','.join(every)} takes it in (in Python "
        f"relations={every})"
        for child in left[:1]
    ]


def edges_of(
    thing: Any, direction: str | None = None, separator: str = "/", name_of: Naming = plain_name,
    trouble: Tell = refuse,
) -> EdgeList:  # fmt: skip
    """Return what a thing of any known kind says; refuse what is no hierarchy, or may be two."""
    if hasattr(thing, "is_directed"):
        return networkx_edges(thing, direction=direction)
    if is_frame(thing):
        return frame_edges(thing)
    held = _held(thing)
    if isinstance(held, list):
        if all(x is None or _is_number(x) for x in held):
            return parent_edges(held, None, name_of)
        if all(isinstance(x, str) for x in held):
            return path_edges(held, separator, direction)
        lists = all(isinstance(x, (list, tuple)) for x in held)
        if lists and name_of is not plain_name:
            return _listed({"edges": held}, name_of)
        if lists and all(len(x) == 2 or (len(x) == 3 and _is_number(x[2])) for x in held):
            return EdgeList(held)
    found = None if held is None else object_edges(held, name_of, trouble)
    if found is None and isinstance(held, Mapping):
        return map_edges(held, direction, name_of, trouble)
    if found is None:
        raise BadInput(
            f"a hierarchy is wanted, got {type(thing).__name__} {shown(thing, 40)}: a Hierarchy, "
            "edges (parent, child), a map {class: parent}, a list of parents by number, nested "
            "dicts, lineages a/b (others go to from_paths, codes to from_codes), a data frame, a "
            "graph of networkx (of a matrix of links by from_numpy_array) or the name of a file "
            "(score takes hierarchy, y_true, systems; the functions y_true, y_pred, hierarchy)"
        )
    return found


def _held(thing: Any) -> Mapping[Any, Any] | list[Any] | None:
    """Return what a collection holds as a map or a list, None for anything else."""
    if isinstance(thing, Mapping):
        return thing
    is_column = hasattr(thing, "index") and hasattr(thing, "items")  # of pandas
    if is_column and list(thing.index) != list(range(len(thing))):
        return dict(thing.items())
    array = array_of(thing)
    if array is not None:
        pairs = array.shape[1:] == (2,)
        thing = array.tolist() if array.ndim == 1 or pairs else None
    several = isinstance(thing, Iterable) and not isinstance(thing, (str, bytes))
    return list(in_order(thing)) if several else None


# ---------------------------------------------------------------- maps and vectors


def map_edges(
    parents: Mapping[Any, Any], direction: str | None, name_of: Naming = plain_name,
    trouble: Tell = refuse,
) -> EdgeList:  # fmt: skip
    """Return what ``{class: parent}`` or ``{class: [parents]}`` says."""
    keys, down = plain_names(parents), direction == "parent-to-child"
    numbered = all(map(_is_numeral, keys))
    found = table_edges(
        {"child": keys, "parent": list(parents.values())}, lambda i: repr(keys[i]), trouble,
        name_of, none=("-1", "-1.0") if numbered else (), signs=None if down else ZERO,
    )  # fmt: skip
    others = [] if down else [parent for parent, _ in found.edges]
    if others and all(map(_is_numeral, others)) and not any(map(_is_numeral, keys)):
        raise BadInput(
            f"a map from names such as {shown(keys[0], 40)} to numbers is no hierarchy; give "
            "the name of the parent of every class"
        )
    return replace(found.led("child-to-parent" if down else None), direction=direction)


def _is_numeral(name: Any) -> bool:
    """Whether a class is a number from 0, or its digits."""
    return name.isdecimal() if isinstance(name, str) else _is_number(name) and name >= 0


def parent_edges(
    parents: Any, direction: str | None = None, name_of: Naming = plain_name
) -> EdgeList:
    """Return the edges of a map, or of a list with the parent of class 0, 1, 2, … (or -1, None)."""
    held = _held(parents)
    if held is None:
        raise BadInput(
            "parents must be a map {class: parent} or a list, by the number of the class, "
            f"got {type(parents).__name__}"
        )
    if isinstance(held, Mapping):
        return map_edges(held, direction)
    found = map_edges(dict(enumerate(held)), "child-to-parent", name_of)
    known = set(found.classes)
    for parent, child in found.edges:
        if parent not in known:
            raise BadInput(
                f"class {child}: its parent must be a class from 0 to {len(held) - 1}, or -1 "
                f"for a root, got {shown(parent)}"
            )
    return found


# ---------------------------------------------------------------- lineages and codes


def lineage_edges(
    rows: Iterable[tuple[int, Any]], separator: str, place: Place, trouble: Tell,
    direction: str | None, levels: Sequence[Any] = (),
) -> EdgeList:  # fmt: skip
    """Return the classes of lineages, by whole paths, below each other; the end may hold blanks.

    Where these run from the top, ``levels`` are the ranks of their classes.
    """
    upwards, known = direction == "child-to-parent", dict[tuple[str | None, str], int]()
    tops, ends, ranks = set[str](), set[str](), dict[str, str]()
    for number, path in rows:
        names = path.removeprefix(separator).split(separator) if isinstance(path, str) else path
        if isinstance(path, str) and not names[-1].strip():
            trouble(f"{place(number)}: a class name is missing in {shown(path)}")
            continue
        parts = ["" if is_missing(x) else str(x).strip() for x in whole_numbers(list(names))]
        while parts and (not parts[-1] or (len(parts[-1]) == 3 and parts[-1].endswith("__"))):
            parts.pop()
        odd = next((part for part in parts if separator in part), None)
        if "" in parts:
            trouble(f"{place(number)}: a class name is missing on the way to another")
        elif odd is not None:
            trouble(
                f"{place(number)}: the name {odd!r} holds the separator {separator!r}; choose "
                "another one (--hierarchy-separator ' > '; in Python, separator=' > ')"
            )
        else:
            parts = parts[::-1] if upwards else parts
            tops.update(parts[:1])
            ends.update(parts[-1:])
            paths = list(accumulate(parts, f"{{}}{separator}{{}}".format))
            ranks |= zip(paths, () if upwards else map(str, levels), strict=False)
            for record in zip([None, *paths], paths, strict=False):
                known.setdefault(record, number)
    # codes may all end in one number
    if direction is None and len(tops) > 2 and len(ends) == 1 and not "".join(ends).isdecimal():
        trouble(
            f"{place(0)}: the lineages begin in {len(tops)} ways and all end in "
            f"{shown(min(ends))}: do they run from the top? direction='parent-to-child' says so, "
            "direction='child-to-parent' turns them"
        )
    records = ((number, *record) for record, number in known.items())
    said = {"ranks": ranks, "direction": "parent-to-child", "separator": separator}
    return collected(place, records, **said)


def path_edges(
    paths: Any, separator: str, direction: str | None = None, levels: Sequence[Any] = ()
) -> EdgeList:
    """Return the edges of paths, and the classes without one."""
    check_several(paths, "paths must be a list of paths")
    if not separator:
        raise BadInput("the separator of paths must be a text, got ''")

    held = list(level_rows(paths, None) if is_frame(paths) else in_order(paths))
    for number, path in enumerate(held, start=1):
        kinds = (str, list, tuple, np.ndarray)
        if not isinstance(path, kinds) or any(isinstance(x, bool) for x in path):
            raise BadInput(
                f"path {number}: expected a text or a list of names, got {shown(path, 40)}"
            )
    place = lambda number: f"path {number}" if number else "paths"  # noqa: E731
    return lineage_edges(enumerate(held, 1), separator, place, refuse, direction, levels)


def code_edges(
    codes: Iterable[str], separator: str | None = None, widths: Sequence[int] | None = None
) -> EdgeList:
    """Return the edges of codes whose beginnings are the classes above them."""
    if separator is not None and widths is not None:
        raise BadInput("give the separator of codes, or the widths of their levels, not both")
    check_several(codes, "codes must be a list of texts, none of them blank")
    given = plain_names(codes)
    known = dict.fromkeys(str(code).strip() for code in given)
    if "" in known or not {*map(type, given)} <= {str, int}:
        raise BadInput(f"codes must be a list of texts, none of them blank, got {shown(codes)}")
    if separator is not None:
        return replace(path_edges(known, separator), classes=list(known))
    edges, ends = dict[tuple[str, str], None](), [*accumulate(widths or ())]
    wide = "the characters of each level (widths, --hierarchy-widths)"
    if widths is not None and (not ends or min(widths) < 1):
        raise BadInput(f"{wide} must be whole numbers > 0, one per level, got {shown(widths)}")
    for code in known:
        if widths is None:
            way = [code[:k] for k in range(1, len(code)) if code[:k] in known]
        elif len(code) in ends:
            way = [code[:end] for end in ends if end < len(code)]
        else:
            raise BadInput(
                f"code {code!r} has {len(code)} characters, and levels end after {ends}; "
                f"{wide} are {shown(widths)}"
            )
        edges |= dict.fromkeys(pairwise([*way, code]))
    return EdgeList(list(edges), classes=list(known), direction="parent-to-child")


# ---------------------------------------------------------------- data frames and graphs


def _columns(frame: Any) -> dict[Any, list[Any]]:
    return {
        name: [x.strip() if isinstance(x, str) else x for x in values_of(column)]
        for name, column in frame_columns(frame).items()
    }


def frame_edges(frame: Any, child: Any = None, parent: Any = None, weight: Any = None) -> EdgeList:
    """Return what a data frame with a column of classes and one of their parents says."""
    columns = _columns(frame)
    return read_table(
        list(columns), columns.__getitem__, "row {}".format, refuse, named=(child, parent, weight),
        about="the frame: ", mend="; name them (child=…, parent=…), or those of levels (levels=…)",
    )  # fmt: skip


def level_rows(frame: Any, levels: Sequence[Any] | None) -> list[tuple[Any, ...]]:
    """Return the paths in columns of a data frame, one column per level; None: all columns."""
    columns = _columns(frame)
    if isinstance(levels, str) or (levels is not None and not levels):
        raise BadInput(f"levels must be a list of columns from the top, got {shown(levels)}")
    for name in levels or ():
        check_known("column", name, columns, "the frame")
    return list(zip(*(whole_numbers(columns[name]) for name in levels or columns), strict=True))


def networkx_edges(
    graph: Any, weight: str | None = None, relations: Sequence[str] = ("is_a",),
    direction: str | None = None,
) -> EdgeList:  # fmt: skip
    """Return what a directed graph says; edges keyed by relations lead up to the parent."""
    if not getattr(graph, "is_directed", bool)():
        raise BadInput(
            f"a directed graph is wanted, not an undirected {type(graph).__name__} (of a "
            "tree take networkx.bfs_tree(graph, root))"
        )
    about = dict(graph.nodes(data=True))
    keyed = list(graph.edges(keys=True)) if graph.is_multigraph() else []
    known = {key for *_, key in keyed}
    if not known or not all(isinstance(key, str) for key in known):
        edges = list(graph.edges() if weight is None else graph.edges(data=weight))
        return EdgeList(edges, classes=list(about)).led(direction)
    for name in relations:
        check_known("relation", name, sorted(known), "the graph")
    found = EdgeList(
        list(dict.fromkeys((u, v) for u, v, key in keyed if key in relations)),
        classes=list(about),
        titles={c: str(x["name"]) for c, x in about.items() if x.get("name")},
        aliases={x: c for c, at in about.items() for x in at.get("alt_id", ()) if x not in about},
        notes=relations_left([(u, key) for u, _, key in keyed], relations),
    )
    upwards = direction is None and not known.isdisjoint(UPWARDS)
    turned = found.led("child-to-parent" if upwards else direction)
    return replace(turned, direction=direction)
