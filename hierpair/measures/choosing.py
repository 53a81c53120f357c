"""A measure with its options chosen: its name is its complete specification and parses back."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError, did_you_mean, facts_table, shown
from hierpair.measures.columns import Columns
from hierpair.measures.headings import heading, is_share
from hierpair.measures.measure_text import call_text, option_text, parse, plain, same
from hierpair.measures.options import AVERAGES, OPTIONS
from hierpair.measures.recipes.batch import Recipe
from hierpair.measures.registry import REGISTRY, Definition, fault
from hierpair.measures.scored.scored_system import Scored
from hierpair.measures.scored_definition import ScoredRecipe

__all__ = ["Measure", "measure"]


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
        text = call_text(self.definition.name, self._telling, ",", bare=True)
        return f"{text}|hierpair {__version__}"

    @property
    def _telling(self) -> dict[str, Any]:
        """The options that say anything beside the others."""
        needless = {o: self.definition.option(o).needless for o in self.options}
        return {
            option: value
            for option, value in self.options.items()
            if (says_nothing := needless[option]) is None or not says_nothing(self.options)
        }

    @property
    def of_instance(self) -> str:
        """The signature of the value of one instance: pooling plays no part in it."""
        options = {k: v for k, v in self._telling.items() if k != "average"}
        return f"{call_text(self.definition.name, options, ',', bare=True)}|hierpair {__version__}"

    @property
    def higher_is_better(self) -> bool:
        """The direction."""
        return self.definition.direction == "higher"

    def __repr__(self) -> str:
        return f"measure({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def _repr_html_(self) -> str:
        d = self.definition
        values = ("values", f"{d.range}, {d.direction} is better")
        facts = [
            ("formula", d.formula),
            ("source", d.source),
            values,
            ("signature", self.signature),
        ]
        return facts_table(f"{self.name}: {d.summary}", facts)

    def with_options(self, **options: Any) -> Measure:
        """Return the measure with these options changed."""
        return _bound(self.definition, {**dict(self.chosen), **options})

    @property
    def of_scores(self) -> bool:
        """Whether it is computed from scores of classes, not from label sets."""
        return self.definition.consumes == "scores"

    @property
    def adds_up(self) -> bool:
        """Whether it has values of instances, and sums of parts that give its score."""
        return self.definition.recipe is not None

    @cached_property
    def recipe(self) -> Recipe:
        """What has to be computed for every instance; equal recipes are computed once.

        Raises
        ------
        HierpairError
            What the function of a user's own says that makes it, with the name of the measure;
            and for a measure of scores, which has none.
        """
        if self.definition.recipe is None:
            raise BadInput(
                f"{self.name} is a measure of scores: it has a value for all instances together, "
                "and none for an instance; hierpair.score (hierpair score) computes it"
            )
        try:
            return self.definition.recipe(self.options)
        except HierpairError as error:
            raise type(error)(f"measure {self.name}: {error.reason}") from error

    @cached_property
    def average(self) -> str:
        """How it is pooled."""
        pooled = "micro" if self.of_scores and self.adds_up else "samples"
        average: str = self.options.get("average", pooled)
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
        infinite = not self.of_scores and bool(np.isinf(value).any())
        if value.shape != taken[0].shape or infinite:
            raise BadInput(
                f"its formula must give one finite number (or "
                f"nan) per entry {taken[0].shape}, got {shown(value)}"
            )
        if "infeasible" in columns:
            return np.where(columns["infeasible"], np.nan, value)
        return value.copy() if any(value is column for column in taken) else value

    def value_of(self, scored: Scored) -> float:
        """Return the value of a system that gives scores, under a measure of scores.

        Raises
        ------
        BadInput
            For sample weights that it cannot count, if its function fails, or if that returns
            something else than a number.
        """
        if scored.sample_weight is not None and not self.definition.weighted:
            raise BadInput(f"{self.name} has no weighted form; leave the sample weights out")
        if self.adds_up:
            return self._of_sums(scored)
        try:
            found = self.definition.value(scored, **self.options)
        except HierpairError:
            raise
        except Exception as error:
            raise fault("function", error) from error
        if not isinstance(found, Real):
            raise BadInput(f"its function must return a number, got {shown(found)}")
        return float(found)

    def _of_sums(self, scored: Scored) -> float:
        """Return the value of the sums of columns over instances, each rounded once."""
        columns = cast(ScoredRecipe, self.recipe).of(scored)
        for text, holds in columns.items():
            if text not in self.definition.columns:
                scored.remark(text, int(holds.sum()))
        weight = 1.0 if scored.sample_weight is None else scored.sample_weight
        sums = {c: (columns[c] * weight).tolist() for c in self.definition.columns}
        return float(self.values({c: np.array([math.fsum(x)]) for c, x in sums.items()})[0])


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
    if extra.get("average", "samples") not in (*AVERAGES, *base.averages):
        OPTIONS["average"].refuse_wrong(extra["average"], base.name)
    if "average" in extra and extra["average"] not in base.averages:
        del extra["average"]
    return _bound(base, {**chosen, **extra})


def _bound(definition: Definition, given_options: Mapping[str, Any]) -> Measure:
    chosen = dict[str, Any]()
    for option, given in given_options.items():
        if option not in definition.options:
            known = ", ".join(definition.options) or "none"
            raise BadInput(
                f"{definition.name} has no option {option!r}"
                f"{did_you_mean(option, definition.options)}; it has: {known}"
            )
        record = definition.option(option)  # a value has many spellings; it is read here, once
        value, default = (record.held(plain(x)) for x in (given, definition.options[option]))
        if not same(value, default):  # a default is always a value of it
            record.refuse_wrong(value, definition.name)
            chosen[option] = value
    return Measure(definition, tuple(sorted(chosen.items())))
