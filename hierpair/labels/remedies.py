"""What may be meant by a label that is no class, and what to write."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.labels.naming import PathNames, whole_text
from hierpair.labels.rows import LabelRows

__all__ = ["remedy_for", "split_remedy", "twin_of", "unknown_message"]

LIST_SIGNS = ("|", ";", ",", " ")
"""What stands between the labels of a list."""

PATH_SIGNS = (" -> ", "->", " > ", ">", "::", "\\", "/", ".", ":")
"""What stands between the classes of a path."""

WRAPPING = "[](){}'\""
"""What languages write around lists and texts, and label files do not."""


def twin_of(name: Any, hierarchy: Hierarchy) -> Any:
    """Return the class that is written like a label of another type, or None.

    >>> tree = Hierarchy.from_edges([("r", "3"), ("r", "c")])
    >>> [twin_of(name, tree) for name in (3, 3.0, b"c", "d")]
    ['3', '3', 'c', None]
    """
    forms: list[Any] = []
    if isinstance(name, bytes):
        forms = [name.decode("utf-8", "replace")]
    elif isinstance(name, (int, float, np.number)):
        forms = [str(name), whole_text(name)]
    elif isinstance(name, str):
        forms = [number for number in (plain_number(whole_text(name)),) if number.is_integer()]
    found = next((hierarchy.position[form] for form in forms if form in hierarchy), None)
    return None if found is None else hierarchy.names[found]


def unknown_message(name: Any, hierarchy: Hierarchy) -> str:
    """Return the sentence that says that a label is no class, and which one may be meant."""
    twin = twin_of(name, hierarchy)
    if twin is None:
        return hierarchy.unknown_message(name)
    kind = type(name.item() if isinstance(name, np.generic) else name).__name__
    mend = "; decode the labels, as by .decode()" if isinstance(name, bytes) else ""
    return (
        f"class {shown(name)} is not in the hierarchy; {twin!r} is, but as "
        f"{type(twin).__name__}, not {kind}{mend}"
    )


def remedy_for(name: Any, hierarchy: Hierarchy, *, by_blanks: bool) -> str:
    """Return what to do about a field that holds a path, several labels, or none."""
    if not isinstance(name, str):
        return ""
    if name.strip().lower() in ("nan", "none", "null", "na", "n/a", "#n/a", "-"):
        return "; leave the field blank where there are no labels"
    for separator in LIST_SIGNS:
        parts = [part.strip() for part in name.split(separator)]
        if not by_blanks and len(parts) > 1:
            sign = _path_sign(parts, hierarchy)
            if sign:
                return (
                    f"; are these several paths from the top, separated by {separator!r}? Then "
                    f"give --separator '{separator}' --paths '{sign}' "
                    f"(Columns(separator={separator!r}, paths={sign!r}))"
                )
    sign = _path_sign([name], hierarchy)
    if sign:
        several = sign in LIST_SIGNS and not by_blanks
        return (
            f"; is this a path from the top to its class? Then give --paths '{sign}' "
            f"(Columns(paths={sign!r}))"
            + (f"; or several labels, one above the other? --separator {sign!r}" if several else "")
        )
    for separator in (*LIST_SIGNS, "/", *PATH_SIGNS):
        parts = [part.strip() for part in name.split(separator)]
        bare = [part.strip(WRAPPING + " ") for part in parts]
        if len(parts) > 1 and separator not in LIST_SIGNS and _above_each_other(parts, hierarchy):
            return (
                f"; is this a path? --paths '{separator}' takes paths that run from the top to the "
                "class and leave out none; or give the class alone"
            )
        if by_blanks and separator == "|" and all(part in hierarchy for part in parts):
            return "; separate labels by blanks or commas"
        if all(part in hierarchy for part in parts):
            return f"; are these several, separated by {separator!r} (--separator)?"
        if all(part in hierarchy for part in bare):
            return "; write labels without quotes and brackets, as a|b"
    return ""


def split_remedy(name: Any, hierarchy: Hierarchy) -> str:
    """Return what to do about a label in memory that is a whole path."""
    sign = _path_sign([name], hierarchy) if isinstance(name, str) else ""
    return f"; if this is a path, split it at {sign!r} for LabelSets.from_levels" if sign else ""


def _path_sign(texts: list[str], hierarchy: Hierarchy) -> str:
    """Return the text between the classes of these paths, if all of them are paths that exist."""
    resolve = PathNames(hierarchy)
    for sign in (*PATH_SIGNS, *LIST_SIGNS):
        try:
            paths = LabelRows([texts], lambda i, k: "").as_paths(sign).coded[0]
        except BadInput:
            continue
        if any(resolve(path) is None for path in paths):
            continue
        if any(len(path) > 1 for path in paths) or any(t.startswith(sign) for t in texts):
            return sign
    return ""


def _above_each_other(parts: list[str], hierarchy: Hierarchy) -> bool:
    """Whether one of these classes is an ancestor of another one."""
    if not all(part in hierarchy for part in parts):
        return False
    numbers = hierarchy.index(parts).tolist()
    return any(a in hierarchy.ancestor_numbers(b) for a in numbers for b in numbers)
