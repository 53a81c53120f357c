"""How a measure is declared: a decorated function becomes a definition in the registry."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.measures.pooling import Counts
from hierpair.measures.protocols import Recipe
from hierpair.measures.registry import (
    AVERAGES,
    REGISTRY,
    Definition,
    Direction,
    Family,
    Value,
    options_of,
)
from hierpair.pairing import Rule

__all__ = ["pair_measure", "set_measure"]

CONFUSION_OPTIONS = {"pairing": "exact", "empty": "root", "nested": "drop", "blank": "ignore"}


def set_measure(
    *,
    formula: str,
    source: str,
    direction: Direction,
    range: str,  # noqa: A002 - the field's word
    traits: Iterable[str] = (),
    averages: tuple[str, ...] = AVERAGES,
    cautions: Iterable[str] = (),
    family: Family = "set",
    name: str | None = None,
    parts: tuple[str, str] | None = None,
    recipe: Callable[[Mapping[str, Any]], Recipe] | None = None,
    by_default: bool = True,
    label: str = "",
) -> Callable[[Value], Value]:
    """Register a set-based measure: a formula over :class:`Counts`, options as keywords.

    With ``family="lca"`` the counts are those of the graphs that join both label sets in their
    lowest common ancestors, and the options ``extension``, ``threshold`` and ``limit`` are read
    by the library. With ``family="confusion"`` they are those along root paths; such measures
    have the options ``pairing``, ``empty``, ``nested`` and ``blank`` by themselves, and the first
    of ``averages`` is the default. Otherwise ``augment``, ``root`` and ``threshold`` are read.
    ``average`` is always read by the library, and any other option is passed to the formula.
    An F names its precision and recall as ``parts``. Declared again from the same place, as by a
    notebook's cell that is run twice, a measure is replaced; any other measure of the same name is
    an error. With ``recipe`` the counts are what the
    recipe computes that it makes from the options. With ``by_default=False`` the measure is
    computed only where it is named. ``label`` is what printed tables call it; by default the
    words of its name.
    """

    def decorate(function: Value) -> Value:
        _register(
            Definition(
                name=name or function.__name__,
                family=family,
                options=_completed(options_of(function), averages)
                if family == "confusion"
                else options_of(function),
                summary=_first_line(function),
                formula=formula,
                source=source,
                direction=direction,
                range=range,
                traits=frozenset(traits),
                averages=averages,
                value=function,
                cautions=tuple(cautions),
                parts=parts,
                recipe=recipe,
                by_default=by_default,
                label=label,
            )
        )
        return function

    return decorate


def _completed(options: dict[str, Any], averages: tuple[str, ...]) -> dict[str, Any]:
    """Add what all measures of the confusion matrix have; ``zero_division`` comes last."""
    last = {k: options.pop(k) for k in ("zero_division",) if k in options}
    average = {"average": next(iter(averages), None)}
    return {**options, **CONFUSION_OPTIONS, **average, **last}


def pair_measure(
    function: Callable[..., Rule] | None = None,
    /,
    *,
    formula: str = "cost of the best pairing",
    source: str = "your own",
    direction: Direction = "lower",
    range: str = "[0, ∞)",  # noqa: A002 - the field's word
    traits: Iterable[str] = (),
    averages: tuple[str, ...] = ("samples",),
    value: Value | None = None,
    cautions: Iterable[str] = (),
    name: str | None = None,
    recipe: Callable[[Mapping[str, Any]], Recipe] | None = None,
    by_default: bool = True,
    label: str = "",
) -> Callable[..., Any]:
    """Register a pair-based measure: a function from options to a pairing :class:`Rule`.

    Used as ``@pair_measure`` or ``@pair_measure(source=…, …)``.

    The value of an instance is the cost of its best pairing, or ``value(counts, **options)``.
    The option ``threshold`` is read by the library; ``recipe``, ``by_default`` and ``label`` are
    those of :func:`set_measure`, and so is what happens to a measure that is declared again.

    Examples
    --------
    A file of your own, used with ``hierpair score --plugin my_rules.py``::

        from hierpair import Unmatched, Hops, Degree, Rule, pair_measure

        @pair_measure()
        def at_most_two(default: float = 4) -> Rule:
            "Every true class may explain two predicted ones."
            return Rule(Hops(), (
                Degree("predicted", 1, 1), Unmatched("predicted", default),
                Degree("true", 1, 2), Unmatched("true", default),
            ))
    """

    def decorate(function: Callable[..., Rule]) -> Callable[..., Rule]:
        options = options_of(function)
        if "threshold" not in options and recipe is None:
            options["threshold"] = None
        if value is not None:
            options.update({k: v for k, v in options_of(value).items() if k not in options})
        options["average"] = next(iter(averages), None)
        _register(
            Definition(
                name=name or function.__name__,
                family="pair",
                options=options,
                summary=_first_line(function),
                formula=formula,
                source=source,
                direction=direction,
                range=range,
                traits=frozenset(traits),
                averages=averages,
                value=value or _cost,
                rule=function,
                cautions=tuple(cautions),
                recipe=recipe,
                by_default=by_default,
                label=label,
            )
        )
        return function

    return decorate if function is None else decorate(function)


def _cost(counts: Counts) -> NDArray[np.float64]:
    return counts.cost


def _register(definition: Definition) -> None:
    known = REGISTRY.get(definition.name)
    if known is not None and not _again(known, definition):
        raise BadInput(f"there is already a measure {definition.name!r}; choose another name")
    if not definition.name.isidentifier() or keyword.iskeyword(definition.name):
        raise BadInput(f"a measure's name must be one word of letters, digits and _, got "
                       f"{definition.name!r}")  # fmt: skip
    if definition.direction not in ("higher", "lower"):
        raise BadInput(f"direction must be 'higher' or 'lower', got {definition.direction!r}")
    possible = AVERAGES if definition.family in ("set", "level", "contribution") else AVERAGES[:2]
    odd = [average for average in definition.averages if average not in possible]
    if odd or not definition.averages:
        raise BadInput(
            f"averages of measure {definition.name!r} must be some of {', '.join(possible)}, "
            f"got {definition.averages!r}"
        )
    for option, default in definition.options.items():
        if default is inspect.Parameter.empty:
            raise BadInput(f"option {option!r} of measure {definition.name!r} needs a default")
    REGISTRY[definition.name] = definition


def _again(known: Definition, new: Definition) -> bool:
    """Whether the same place of a user's code declares a measure anew, as a cell run twice does.

    In a notebook every cell is a file of its own, so there the name decides.
    """
    before, now = (d.rule or d.value for d in (known, new))
    if before.__module__ != now.__module__ or now.__module__.startswith("hierpair."):
        return False
    here = [(f.__qualname__, getattr(f.__code__, "co_filename", "")) for f in (before, now)]
    return now.__module__ == "__main__" or here[0] == here[1]


def _first_line(function: Callable[..., Any]) -> str:
    lines = inspect.getdoc(function)
    return lines.splitlines()[0] if lines else ""
