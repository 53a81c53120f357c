"""One registry of measures: a measure's name is its complete specification and parses back."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError, did_you_mean, shown
from hierpair.measures.columns import Columns
from hierpair.measures.headings import heading, is_share
from hierpair.measures.measure_text import call_text, option_text, parse, plain, same
from hierpair.measures.options import AVERAGES, OPTIONS, Option, option_like, options_above
from hierpair.measures.recipes.batch import Recipe
from hierpair.pairing import Rule, cost_text

__all__ = ["AVERAGES", "REGISTRY", "Definition", "Family", "Measure", "fault", "measure"]

Direction = Literal["higher", "lower"]
Family = Literal["set", "level", "pair", "lca", "confusion", "contribution", "depth"]
Value = Callable[..., NDArray[np.float64]]


def pairing_cost(cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cost of the best pairing: the formula of measures that have no other."""
    return cost


@dataclass(frozen=True, eq=False)
class Definition:
    """What a measure is, before its options are chosen.

    Attributes
    ----------
    name, family
        How it is called, and which kind of evidence it needs.
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
        sizes and places).
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
    """

    name: str
    family: Family
    options: Mapping[str, Any]
    summary: str
    formula: str
    source: str
    direction: Direction
    range: str
    traits: frozenset[str]
    averages: tuple[str, ...]
    value: Value
    columns: tuple[str, ...]
    recipe: Callable[[Mapping[str, Any]], Recipe]
    rule: Callable[..., Rule] | None = None
    cautions: tuple[str, ...] = ()
    parts: tuple[str, str] | None = None
    by_default: bool = True
    label: str = ""
    function_name: str = ""

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


def _chosen_again(definition: Definition, chosen: tuple[tuple[str, Any], ...]) -> Measure:
    return Measure(definition, tuple((option, plain(value)) for option, value in chosen))


@dataclass(frozen=True)
class Measure:
    """A measure with its options.

    Make one with :func:`measure`.

    >>> m = measure("hf(beta=2)")
    >>> m.name
    'hf(beta=2)'
    >>> measure(m.name) == m
    True
    """

    definition: Definition
    chosen: tuple[tuple[str, Any], ...]

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel so that an option that is nan is the same one afterwards."""
        return _chosen_again, (self.definition, self.chosen)

    @cached_property
    def options(self) -> dict[str, Any]:
        """All options, chosen or default."""
        return {**self.definition.options, **dict(self.chosen)}

    @property
    def name(self) -> str:
        """The shortest name that parses back to this measure."""
        return call_text(self.definition.name, dict(self.chosen), ", ")

    @property
    def label(self) -> str:
        """What stands at the head of a printed table: ``hF (micro)``; see :mod:`.headings`."""
        d = self.definition
        return heading(
            d.name, d.label, [d.option(o).heading_of(option_text(v)) for o, v in self.chosen]
        )

    @property
    def is_share(self) -> bool:
        """Whether values are shares of 1, which can be written in per cent."""
        return is_share(self.definition.range)

    @property
    def signature(self) -> str:
        """One line that pins every convention and the version."""
        text = call_text(self.definition.name, self.options, ",", bare=True)
        return f"{text}|hierpair {__version__}"

    @property
    def of_instance(self) -> str:
        """The signature of the value of one instance: pooling plays no part in it."""
        options = {k: v for k, v in self.options.items() if k != "average"}
        return f"{call_text(self.definition.name, options, ',', bare=True)}|hierpair {__version__}"

    @property
    def higher_is_better(self) -> bool:
        """The direction."""
        return self.definition.direction == "higher"

    def __str__(self) -> str:
        return self.name

    def with_options(self, **options: Any) -> Measure:
        """Return the measure with these options changed."""
        return _bound(self.definition, {**dict(self.chosen), **options})

    @cached_property
    def recipe(self) -> Recipe:
        """What has to be computed for every instance; equal recipes are computed once."""
        return self.definition.recipe(self.options)

    @cached_property
    def average(self) -> str:
        """How it is pooled."""
        average: str = self.options.get("average", "samples")
        return average

    @cached_property
    def _formula_options(self) -> dict[str, Any]:
        names = inspect.signature(self.definition.value).parameters
        named = names.keys() - {*self.definition.columns}
        return {k: v for k, v in self.options.items() if k in named}

    def values(self, columns: Columns) -> NDArray[np.float64]:
        """Return the value of every instance, class or data set that columns are of.

        Parameters
        ----------
        columns
            By name, those that the formula takes, as a recipe computes them; and ``infeasible``
            where some instances have no value.

        Raises
        ------
        BadInput
            If the formula fails or returns something else than one number per entry.
        """
        taken = [np.asarray(columns[c], dtype=np.float64) for c in self.definition.columns]
        try:
            found = self.definition.value(*taken, **self._formula_options)
            value = np.asarray(found, dtype=np.float64)
        except HierpairError:
            raise
        except Exception as error:
            raise fault("formula", error) from error
        if value.shape != taken[0].shape or np.isinf(value).any():
            raise BadInput(
                f"its formula must give one finite number (or "
                f"nan) per entry {taken[0].shape}, got {shown(value)}"
            )
        if "infeasible" in columns:
            return np.where(columns["infeasible"], np.nan, value)
        return value.copy() if any(value is column for column in taken) else value


def measure(text: str | Measure, **conventions: Any) -> Measure:
    """Return the measure that a text names, such as ``"gie"`` or ``"hf(beta=2)"``.

    Parameters
    ----------
    text
        A name in the registry, with or without options; literals only.
    conventions
        Options for measures that have them and do not choose them in ``text``; an ``average``
        counts only for measures that can be pooled so.

    Raises
    ------
    BadInput
        For an unknown measure or option (with the nearest known one) or a bad value.
    """
    if isinstance(text, Measure):
        base, chosen = text.definition, dict(text.chosen)
    else:
        name, chosen = parse(text)
        if name not in REGISTRY:
            raise BadInput(
                f"there is no measure {name!r}{did_you_mean(name, REGISTRY)}; hierpair measures "
                f"lists all {len(REGISTRY)}"
            )
        base = REGISTRY[name]
    extra = {k: v for k, v in conventions.items() if k in base.options and k not in chosen}
    if extra.get("average", "samples") not in AVERAGES:
        OPTIONS["average"].refuse_wrong(extra["average"], base.name)
    if "average" in extra and extra["average"] not in base.averages:
        del extra["average"]
    return _bound(base, {**chosen, **extra})


def fault(part: str, error: Exception) -> BadInput:
    """Return the error of a part of a measure, which may be a user's own, with its place."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return BadInput(
        f"its {part} failed: {type(error).__name__}: {error} "
        f"({Path(where.filename).name}:{where.lineno})"
    )


def _bound(definition: Definition, given_options: Mapping[str, Any]) -> Measure:
    options = {k: plain(v) for k, v in given_options.items()}
    if "cost" in options:  # a cost has many spellings; it is read here, and only here
        options["cost"] = cost_text(options["cost"])
    for option, given in options.items():
        if option not in definition.options:
            known = ", ".join(definition.options) or "none"
            raise BadInput(
                f"{definition.name} has no option {option!r}"
                f"{did_you_mean(option, definition.options)}; it has: {known}"
            )
        definition.option(option).refuse_wrong(given, definition.name)
    defaults = dict(definition.options)
    if "cost" in options:
        defaults["cost"] = cost_text(defaults["cost"])
    chosen = {k: v for k, v in options.items() if not same(v, defaults[k])}
    return Measure(definition, tuple(sorted(chosen.items())))
