"""How a measure of scores is declared: a function of a system that gives scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TypeVar

from hierpair.errors import BadInput
from hierpair.measures.registering import first_line, options_of, register
from hierpair.measures.registry import AVERAGES, Definition, Direction, ScoredClasses

__all__ = ["scored_measure"]

Function = TypeVar("Function", bound=Callable[..., float])


def scored_measure(
    *,
    formula: str,
    source: str,
    direction: Direction,
    range: str,  # noqa: A002 - the field's word
    traits: Iterable[str] = (),
    averages: tuple[str, ...] = (),
    cautions: Iterable[str] = (),
    name: str | None = None,
    family: str = "scores",
    weighted: bool = False,
    scored_classes: ScoredClasses = "all",
    label: str = "",
    function_name: str = "",
) -> Callable[[Function], Function]:
    """Register a measure of scores: a function from a :class:`Scored` system to a number.

    The function takes the system, and options as keyword-only parameters with defaults:
    ``def fmax(scored, *, root="exclude")``. It sees the scores of all instances at once, and
    returns one number for them, or nan where there is none. What several measures need is
    computed once, by :meth:`Scored.shared`. Tables by threshold, level or class are plain
    functions of their own: a measure is the number.

    Parameters
    ----------
    formula, source, direction, range, traits, cautions, family, label, function_name
        As in :class:`Definition`. Measures of scores are never computed unasked.
    averages
        The values of the option ``average``, if it has one.
    name
        By default that of the function.
    weighted
        Whether it counts :attr:`Scored.sample_weight`; else weights are refused.
    scored_classes
        ``"leaves"`` if it reads the scores of leaves alone, such as a ranking of them.

    Raises
    ------
    BadInput
        If the name is taken, the family is unknown, an option has no default or stands before the
        ``*``, or its averages and the option ``average`` do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from hierpair import Hierarchy, NodeScores, score
    >>> @scored_measure(
    ...     formula="mean of the largest score", source="ours", direction="higher", range="[0, 1]"
    ... )
    ... def certainty(scored, *, at_least: float = 0):
    ...     "How sure a system is."
    ...     best = scored.scores.matrix().max(axis=1).toarray()
    ...     return float(np.maximum(best, at_least).mean())
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> p = NodeScores.from_array([[0.9, 0.1], [0.5, 0.5]], tree, classes="ab", with_root=False)
    >>> score(tree, [["a"], ["b"]], {"mine": p}, ["certainty"])["mine", "certainty"]
    0.7
    """

    def decorate(function: Function) -> Function:
        called = name or function.__name__
        options = options_of(function, keyword_only=True)
        _, *more = [p for p in inspect.signature(function).parameters if p not in options] or [""]
        if more:
            raise BadInput(
                f"the function of measure {called!r} takes a system and options behind a *, and "
                f"{more[0]!r} is neither"
            )
        if averages and options.get("average") not in averages:
            raise BadInput(
                f"measure {called!r} has averages, so its function needs an option average that "
                f"is one of them by default: {', '.join(averages)}"
            )
        register(
            Definition(
                name=called,
                family=family,
                options=options,
                summary=first_line(function),
                formula=formula,
                source=source,
                direction=direction,
                range=range,
                traits=frozenset(traits),
                averages=averages,
                value=function,
                columns=(),
                recipe=None,
                cautions=tuple(cautions),
                by_default=False,
                label=label,
                function_name=function_name,
                consumes="scores",
                weighted=weighted,
                scored_classes=scored_classes,
            ),
            averages or AVERAGES,
        )
        return function

    return decorate
