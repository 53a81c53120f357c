"""Into the registry: what is checked of every measure, whatever it is computed from."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable
from typing import Any

from hierpair.errors import BadInput, did_you_mean
from hierpair.measures.family_names import FAMILIES
from hierpair.measures.registry import REGISTRY, Definition

__all__ = ["first_line", "options_of", "register"]


def register(definition: Definition, averages: tuple[str, ...]) -> None:
    """Put a measure into the registry.

    Parameters
    ----------
    definition
        The measure.
    averages
        Ways to pool that are possible for it.

    Raises
    ------
    BadInput
        For a name that is taken or no word, an unknown direction, family or average, or an
        option without a default.
    """
    name = definition.name
    known = REGISTRY.get(name)
    if known is not None and not _again(known, definition):
        raise BadInput(f"there is already a measure {name!r}; choose another name")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise BadInput(f"a measure's name must be one word of letters, digits and _, got {name!r}")
    if definition.direction not in ("higher", "lower"):
        raise BadInput(f"direction must be 'higher' or 'lower', got {definition.direction!r}")
    if definition.family not in FAMILIES:
        raise BadInput(
            f"there is no family {definition.family!r} of measures"
            f"{did_you_mean(definition.family, FAMILIES)}; there are {', '.join(FAMILIES)}"
        )
    odd = [average for average in definition.averages if average not in averages]
    if odd or ("average" in definition.options and not definition.averages):
        raise BadInput(
            f"averages of measure {name!r} must be some of {', '.join(averages)}, "
            f"got {definition.averages!r}"
        )
    for option, default in definition.options.items():
        if default is inspect.Parameter.empty:
            raise BadInput(f"option {option!r} of measure {name!r} needs a default")
    REGISTRY[name] = definition


def _again(known: Definition, new: Definition) -> bool:
    """Whether the same place of a user's code declares a measure anew, as a cell run twice does.

    In a notebook every cell is a file of its own, so there the name decides.
    """
    before, now = (d.rule or d.value for d in (known, new))
    module = now.__module__ or ""  # None for what is executed as text
    if before.__module__ != now.__module__ or module.startswith("hierpair."):
        return False
    here = [(f.__qualname__, getattr(f.__code__, "co_filename", "")) for f in (before, now)]
    return now.__module__ == "__main__" or here[0] == here[1]


def options_of(function: Callable[..., Any], *, keyword_only: bool = False) -> dict[str, Any]:
    """Return the options of a function and their defaults; of a formula what follows the ``*``."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if not keyword_only or p.kind is p.KEYWORD_ONLY}


def first_line(function: Callable[..., Any]) -> str:
    """Return what a measure says in one line: the first one of its docstring."""
    lines = inspect.getdoc(function)
    return lines.splitlines()[0] if lines else ""
