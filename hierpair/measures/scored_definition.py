"""How a measure of scores is declared: a function of a system that gives scores.

What is a share of sums over instances has columns and a recipe, like a measure of label sets, and
is added up from parts as these are; what looks at all scores at once is a number of the whole.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.labels import NodeScores
from hierpair.measures.class_weights import Weighting
from hierpair.measures.columns import Column, Columns
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.registering import first_line, options_of, register
from hierpair.measures.registry import AVERAGES, Definition, Direction, ScoredClasses
from hierpair.measures.scored.scored_system import Scored

__all__ = ["ScoredRecipe", "scored_measure", "share"]

Function = TypeVar("Function", bound=Callable[..., Any])


def share(total: Floats, of: Floats) -> Floats:
    """Return a total as a share: the formula of most measures that are means over instances."""
    return ratio(total, of)


@dataclass(frozen=True)
class ScoredRecipe:
    """What a function computes of every instance whose prediction is scores.

    Its columns are numbers that can be added up; a column of bools beside them is a remark.
    """

    function: Callable[..., Mapping[str, Any]]
    columns: tuple[Column, ...]
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def weighting(self) -> Weighting | None:
        """How classes weigh, if it has such options."""
        chosen = dict(self.options)
        named = {name: chosen[name] for name in WEIGHTING if name in chosen}
        return Weighting(**named) if named else None

    def __call__(self, options: Mapping[str, Any]) -> ScoredRecipe:
        """Return the recipe with these options."""
        return ScoredRecipe(self.function, self.columns, tuple(options.items()))

    def compute(self, batch: Batch) -> Columns:
        """Return the columns of a batch whose predictions are scores."""
        given: Any = batch.y_pred
        if not isinstance(given, NodeScores):
            raise BadInput("it is a measure of scores, and these are label sets")
        truth, scores = replace(batch.y_true, ids=None), replace(given, ids=None)  # by position
        made = Scored(batch.hierarchy, truth, scores, counts=batch.counts)
        return self.of(batch.cache.setdefault("scored", made))

    def of(self, scored: Scored) -> Columns:
        """Return the columns of a system, one row per instance."""
        found = self.function(scored, **dict(self.options))
        known = {column.name for column in self.columns}
        return {
            name: np.array(np.broadcast_to(x, len(scored)))
            for name, x in found.items()
            if name in known or np.any(x)
        }


EMPTY: Mapping[str, Any] = {}

KEYWORDS = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)

WEIGHTING = ("weights", "smooth", "reference")


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
    value: Callable[..., Floats] | None = None,
    options: Mapping[str, Any] = EMPTY,
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
    value
        For a measure that is a mean over instances, or a share of sums over them: the formula
        over these sums, such as :func:`share` (``total / of``). The function then returns the
        columns that it names, ``{"total": …, "of": 1}``, a number per instance or one for all. It
        may see any part of the instances, so that values of instances, sums of parts and
        comparisons are had; weights count.
    options
        More options and their defaults, which the function takes as ``**how``.

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
        own = options_of(function, keyword_only=True)
        given = inspect.signature(function).parameters.values()
        _, *more = [p.name for p in given if p.kind not in KEYWORDS] or [""]
        if more:
            raise BadInput(
                f"the function of measure {called!r} takes a system and options behind a *, and "
                f"{more[0]!r} is neither"
            )
        columns = () if value is None else tuple(inspect.signature(value).parameters)
        if averages and own.get("average") not in averages:
            raise BadInput(
                f"measure {called!r} has averages, so its function needs an option average that "
                f"is one of them by default: {', '.join(averages)}"
            )
        register(
            Definition(
                name=called,
                family=family,
                options={**own, **options},
                summary=first_line(function),
                formula=formula,
                source=source,
                direction=direction,
                range=range,
                traits=frozenset(traits),
                averages=averages,
                value=value or function,
                columns=columns,
                recipe=None
                if value is None
                else ScoredRecipe(
                    function, tuple(Column(name, "an instance", float) for name in columns)
                ),
                cautions=tuple(cautions),
                by_default=False,
                label=label,
                function_name=function_name,
                consumes="scores",
                weighted=weighted or value is not None,
                scored_classes=scored_classes,
            ),
            averages or AVERAGES,
        )
        return function

    return decorate
