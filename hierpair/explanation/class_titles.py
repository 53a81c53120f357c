"""Explanations in the names that people use, where the hierarchy has them beside its ids."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from hierpair.errors import check_choice

__all__ = ["STYLES", "names_in", "renamed", "shown_names"]

STYLES = ("ids", "names", "both")
"""How classes are shown: by id, by what people call them, or by both."""


def shown_names(
    names: Iterable[Hashable], titles: Mapping[Hashable, str], style: str
) -> dict[Hashable, str]:
    """Return what each class is shown as; classes of the same title keep their ids too.

    >>> shown_names(["G:1", "G:2"], {"G:1": "death"}, "both")
    {'G:1': 'death (G:1)', 'G:2': 'G:2'}
    >>> shown_names(["G:1", "G:2"], {"G:1": "death"}, "names")
    {'G:1': 'death', 'G:2': 'G:2'}
    """
    check_choice("names", style, STYLES)
    found = {name: titles.get(name, str(name)) for name in names}
    if style == "ids":
        return {name: str(name) for name in found}
    times: dict[str, int] = {}
    for title in found.values():
        times[title] = times.get(title, 0) + 1
    return {
        name: f"{title} ({name})"
        if title != str(name) and (style == "both" or times[title] > 1)
        else title
        for name, title in found.items()
    }


def names_in(thing: Any) -> set[Hashable]:
    """Return all class names in a part of an explanation."""
    found: dict[Hashable, Hashable] = {}
    _renamed(thing, type(thing), lambda name: found.setdefault(name, name))
    return set(found)


def renamed(thing: Any, names: Mapping[Any, Any]) -> Any:
    """Return a part of an explanation with other names of classes; its types say where they are."""
    return _renamed(thing, type(thing), lambda name: names.get(name, name))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _renamed(thing: Any, hint: Any, name: Any) -> Any:
    if thing is None:
        return None
    if hint is Hashable:
        return name(thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        hints = _hints(type(thing))
        return replace(
            thing,
            **{
                f.name: _renamed(getattr(thing, f.name), hints[f.name], name) for f in fields(thing)
            },
        )
    parts = get_args(hint)
    if get_origin(hint) is tuple:
        kinds = [parts[0]] * len(thing) if parts[1:] == (...,) else parts
        return tuple(_renamed(x, kind, name) for x, kind in zip(thing, kinds, strict=True))
    if NoneType in parts:
        return _renamed(thing, next(kind for kind in parts if kind is not NoneType), name)
    return thing
