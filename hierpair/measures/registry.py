"""One registry of measures: what each of them is, before its options are chosen."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean
from hierpair.measures.measure_text import same
from hierpair.measures.option import Option, option_like, options_above
from hierpair.measures.options import AVERAGES, OPTIONS
from hierpair.measures.recipes.batch import Recipe
from hierpair.pairing import NetworkRule, Rule

__all__ = [
    "AVERAGES",
    "REGISTRY",
    "Consumes",
    "Definition",
    "Direction",
    "ScoredClasses",
    "fault",
    "measures_of",
    "pairing_cost",
]

Direction = Literal["higher", "lower"]
Consumes = Literal["labels", "scores"]
ScoredClasses = Literal["all", "leaves"]


def pairing_cost(cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cost of the best pairing: the formula of measures that have no other."""
    return cost


@dataclass(frozen=True, eq=False)
class Definition:
    """What a measure is, before its options are chosen.

    Attributes
    ----------
    name, family
        How it is called, and with which others it stands; see :data:`FAMILIES`.
    options
        Its options with their defaults.
    summary, formula, source
        What it says in one line, its formula, and paper, section, equation.
    direction, range
        Whether higher or lower is better, and between which values it lies.
    traits
        Properties that it has with default options: ``"symmetric"`` (truth and prediction may
        change places), ``"perfect"`` (a perfect prediction gets the best value),
        ``"bounded"`` (in [0, 1]), ``"total"`` (defined for all label sets, whatever their
        sizes and places), ``"additive"`` (every class of both augmented sets adds an amount of its
        own, whatever the others do: what is best is best class by class).
    averages
        Ways to pool that make sense for it.
    value, columns
        Its formula, and the names of the columns that it takes.
    recipe
        From its options to the recipe that computes the columns.
    rule
        For pair-based measures: makes the pairing rule from the options.
    cautions
        Where its values mislead, a sentence each.
    parts
        For an F: the names of its precision and recall.
    by_default
        Whether it is computed where no measure is named, if it is total.
    label
        What it is called at the head of a printed table, if not by the words of its name.
    function_name
        What its function in :mod:`hierpair.metrics` is called, if not by the rule: ``_f`` becomes
        ``_fbeta``; where higher is better ``_score`` stands at the end, and where lower is better
        ``_loss``, if the name does not end in ``error``, ``cost`` or ``loss``.
    consumes
        What it is computed from: ``"labels"``, predicted label sets, instance by instance, or
        ``"scores"``, the scores of all instances at once (:class:`Scored`). A measure of scores
        has no columns and no recipe.
    weighted
        Whether instances may have weights; those of label sets may always.
    scored_classes
        Of a measure of scores: whether it reads those of ``"all"`` classes, or of ``"leaves"``
        alone. Examples and tests give it such scores.
    """

    name: str
    family: str
    options: Mapping[str, Any]
    summary: str
    formula: str
    source: str
    direction: Direction
    range: str
    traits: frozenset[str]
    averages: tuple[str, ...]
    value: Callable[..., Any]
    columns: tuple[str, ...]
    recipe: Callable[[Mapping[str, Any]], Recipe] | None
    rule: Callable[..., Rule | NetworkRule] | None = None
    cautions: tuple[str, ...] = ()
    parts: tuple[str, str] | None = None
    by_default: bool = True
    label: str = ""
    function_name: str = ""
    consumes: Consumes = "labels"
    weighted: bool = True
    scored_classes: ScoredClasses = "all"

    def __post_init__(self) -> None:
        for name, option in self.own_options.items():
            known = OPTIONS.get(name)
            users = (d for d in REGISTRY.values() if d.name != self.name)
            known = known or next(
                (d.own_options[name] for d in users if name in d.own_options), None
            )
            if name not in self.options:
                raise BadInput(
                    f"measure {self.name!r} has a record of the option {name!r}, and no parameter "
                    f"of that name{did_you_mean(name, self.options)}"
                )
            if known is not None and known != option:
                raise BadInput(
                    f"measure {self.name!r}: there is already an option {name!r} "
                    f"({known.meaning}); "
                    "choose another name"
                )

    @property
    def own_options(self) -> dict[str, Option]:
        """The records that stand above its functions, of options that the library has not."""
        return options_above(self.value, self.rule, getattr(self.recipe, "function", None))

    @property
    def is_pairing_cost(self) -> bool:
        """Whether its value is the cost of the best pairing, not a formula over it."""
        return self.value is pairing_cost

    def option(self, name: str) -> Option:
        """Return the record of one of its options."""
        if name == "average":
            averages = OPTIONS[name]
            return replace(averages, usual={a: averages.how_unusual(a) for a in self.averages})
        known = OPTIONS.get(name) or self.own_options.get(name)
        return known or option_like(name, self.options[name])

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what it holds, and be the registered one again where that is the same."""
        return _arrived, tuple(getattr(self, f.name) for f in fields(self))


REGISTRY: dict[str, Definition] = {}
"""All measures by name; everything that lists measures reads this."""


def measures_of(consumed: Consumes) -> dict[str, Definition]:
    """Return the measures of label sets, or those of scores, by name.

    >>> "hf" in measures_of("labels"), "hf" in measures_of("scores")
    (True, False)
    """
    return {name: d for name, d in REGISTRY.items() if d.consumes == consumed}


def _arrived(*held: Any) -> Definition:
    """Return the registered definition that holds the same, so that its measures are equal."""
    new = Definition(*held)
    known = REGISTRY.get(new.name)
    if known is None or list(new.options) != list(known.options):
        return new
    alike = all(same(value, known.options[option]) for option, value in new.options.items())
    others = [f.name for f in fields(new) if f.name != "options"]
    alike = alike and all(getattr(new, name) == getattr(known, name) for name in others)
    return known if alike else new


def fault(part: str, error: Exception) -> BadInput:
    """Return the error of a part of a measure, which may be a user's own, with its place."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return BadInput(
        f"its {part} failed: {type(error).__name__}: {error} "
        f"({Path(where.filename).name}:{where.lineno})"
    )
