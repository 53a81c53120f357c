"""Hierarchies as lines: edges, taxonomies, parent tables, slash paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hierpair.io.hierarchies.edge_list import EdgeList, Trouble
from hierpair.io.text import numbered

__all__ = [
    "edges",
    "is_header",
    "is_known_header",
    "parents",
    "paths",
    "taxonomy",
    "weighted_edges",
]

Rows = list[tuple[int, list[str]]]


def edges(path: str | Path, lines: list[str], trouble: Trouble, n_fields: int = 2) -> EdgeList:
    """``parent child``, by a tab or, where no tab is in the file, by blanks."""
    kept = []
    for number, fields in _rows(path, lines, trouble):
        if len(fields) == n_fields:
            kept.append((number, fields))
            continue
        trouble(f"{path}:{number}: expected {n_fields} fields, got {len(fields)}"
                f"{_mend(fields, n_fields)}")  # fmt: skip
    return EdgeList([f for _, f in kept], _places(path, [n for n, _ in kept]))


def weighted_edges(path: str | Path, lines: list[str], trouble: Trouble) -> EdgeList:
    """``parent child weight``."""
    return edges(path, lines, trouble, n_fields=3)


def taxonomy(path: str | Path, lines: list[str], trouble: Trouble) -> EdgeList:
    """``parent TAB child TAB child …``."""
    found: list[tuple[str, str]] = []
    numbers: list[int] = []
    classes = []
    for number, (parent, *children) in _rows(path, lines, trouble):
        while children and not children[-1]:
            children.pop()
        classes.append(parent)
        found += [(parent, child) for child in children]
        numbers += [number] * len(children)
    return EdgeList(found, _places(path, numbers), classes)


def parents(path: str | Path, lines: list[str], trouble: Trouble) -> EdgeList:
    """``child TAB parent``; an empty parent marks a root."""
    found: list[tuple[str, str]] = []
    numbers: list[int] = []
    classes = []
    for number, fields in _rows(path, lines, trouble):
        if len(fields) > 2:
            trouble(f"{path}:{number}: expected child and parent, got {len(fields)} fields")
            continue
        if not fields[0]:
            trouble(f"{path}:{number}: a class name is missing")
            continue
        classes.append(fields[0])
        if len(fields) == 2 and fields[1]:
            found.append((fields[1], fields[0]))
            numbers.append(number)
    return EdgeList(found, _places(path, numbers), classes)


def paths(path: str | Path, lines: list[str], trouble: Trouble) -> EdgeList:
    """One class per line as ``top/middle/class``; a class is named by its path."""
    found: dict[tuple[str, str], int] = {}
    tops: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        parts = [part.strip() for part in line.strip().split("/")] if line.strip() else []
        if parts and not (parts[0] and parts[-1]):
            trouble(f"{path}:{number}: a path must not start or end with a slash")
            continue
        if not all(parts):
            trouble(f"{path}:{number}: a class name is missing between two slashes")
            continue
        if any("\t" in part for part in parts):
            trouble(f"{path}:{number}: a tab in a path; expected one class as top/middle/class")
            continue
        for k in range(1, len(parts)):
            found.setdefault(("/".join(parts[:k]), "/".join(parts[: k + 1])), number)
        if parts:
            tops[parts[0]] = None
    return EdgeList(list(found), _places(path, list(found.values())), list(tops))


def is_header(fields: list[str], *first: str) -> bool:
    """Whether a line is the header of a parent table."""
    return fields[0].lower() in first and [f.lower() for f in fields[1:2]] == ["parent"]


def is_known_header(fields: list[str]) -> bool:
    """Whether a line is a header that the formats of lines pass over."""
    names = [field.lower() for field in fields]
    down = names in (["parent", "child"], ["parent", "child", "weight"])
    return down or (len(fields) == 2 and is_header(fields, "child", "class"))


def _mend(fields: list[str], n_fields: int) -> str:
    """Return what would help a line with the wrong number of fields."""
    line = "".join(fields)
    if len(fields) > n_fields:
        return "; separate names that hold blanks by tabs"
    for sign, name in ((";", "semicolons"), (",", "commas")):
        if sign in line:
            return (
                f"; separate fields by tabs, not by {name}, or give the table a header such as "
                f"parent{sign}child"
            )
    if "/" in line:
        return "; for slash paths set the hierarchy format to paths"
    return ""


def _rows(path: str | Path, lines: list[str], trouble: Trouble) -> Rows:
    """Return the fields of the lines, without their header."""
    rows = numbered(lines)
    if not rows:
        trouble(f"{path}: no line holds a class")
        return []
    first = rows[0][1]
    down = [f.lower() for f in first[:2]] == ["parent", "child"]
    return rows[1:] if down or is_header(first, "child", "class") else rows


def _places(path: str | Path, numbers: list[int]) -> Callable[[int], str]:
    return lambda i: f"{path}:{numbers[i]}"
