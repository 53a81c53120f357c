"""One registry of measures: a measure's name is its complete specification and parses back."""

from __future__ import annotations

import inspect
import math
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
from hierpair.measures.headings import heading, is_share
from hierpair.measures.measure_text import call_text, option_text, parse, plain, same
from hierpair.measures.options import AVERAGES, OPTIONS, Option, option_like, options_above
from hierpair.measures.pooling import Counts, Statistics
from hierpair.measures.protocols import CountsByClass, Recipe
from hierpair.measures.recipes.pairings import ConfusionRecipe, LcaRecipe, PairRecipe
from hierpair.measures.recipes.set_sizes import Batch, SetRecipe
from hierpair.pairing import Rule, cost_text

__all__ = ["AVERAGES", "REGISTRY", "Definition", "Family", "Measure", "measure"]

Direction = Literal["higher", "lower"]
Family = Literal["set", "level", "pair", "lca", "confusion", "contribution", "depth"]
Value = Callable[..., NDArray[np.float64]]


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
        Laws that it obeys with default options: ``"symmetric"`` (truth and prediction may
        change places), ``"perfect"`` (a perfect prediction gets the best value),
        ``"bounded"`` (in [0, 1]), ``"total"`` (defined for all label sets, whatever their
        sizes and places).
    averages
        Ways to pool that make sense for it.
    value
        Formula over :class:`Counts`.
    rule
        For pair-based measures: makes the pairing rule from the options.
    cautions
        Where its values mislead, a sentence each.
    parts
        For an F: the names of its precision and recall.
    recipe
        For measures with evidence of their own: makes the recipe from the options.
    by_default
        Whether it is computed where no measure is named, if it is total.
    label
        What it is called at the head of a printed table, if not by the words of its name.
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
    rule: Callable[..., Rule] | None = None
    cautions: tuple[str, ...] = ()
    parts: tuple[str, str] | None = None
    recipe: Callable[[Mapping[str, Any]], Recipe] | None = None
    by_default: bool = True
    label: str = ""

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
                    f"measure {self.name!r}: there is already an option {name!r} ({known.meaning}); "
                    "choose another name"
                )

    @property
    def own_options(self) -> dict[str, Option]:
        """The records that stand above its functions, of options that the library has not."""
        return options_above(self.value, self.rule)

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
        o = self.options
        if self.definition.recipe is not None:
            return self.definition.recipe(o)
        if self.definition.rule is not None:
            options = {k: v for k, v in o.items() if k in _rule_options(self.definition)}
            return PairRecipe(_rule_of(self.definition, options), o.get("threshold"))
        if self.definition.family == "lca":
            return LcaRecipe(o["extension"], o["threshold"], o["limit"])
        if self.definition.family == "confusion":
            return ConfusionRecipe(o["pairing"], o["empty"], o["nested"], o["blank"])
        augment = o.get("augment", "none")
        return SetRecipe(augment, o.get("root", "include"), o.get("threshold"))

    def values(self, counts: Counts) -> NDArray[np.float64]:
        """Return the value of every entry of the counts."""
        o = self.options
        options = {k: v for k, v in o.items() if k in _value_options(self.definition)}
        try:
            value = np.asarray(self.definition.value(counts, **options), dtype=np.float64)
        except HierpairError:
            raise
        except Exception as error:
            raise _fault(self.definition, "formula", error) from error
        if value.shape != np.shape(counts.n_true) or np.isinf(value).any():
            raise BadInput(
                f"its formula must give one finite number (or "
                f"nan) per entry {np.shape(counts.n_true)}, got {shown(value)}"
            )
        return value if counts.infeasible is None else np.where(counts.infeasible, np.nan, value)

    def measure_batch(self, batch: Batch, statistics: Statistics) -> NDArray[np.float64]:
        """Return per-instance values and add what pooling needs to the statistics."""
        average = self.options.get("average", "samples")
        if average in ("macro", "weighted") and isinstance(self.recipe, CountsByClass):
            statistics.add_classes(batch.counts(self.recipe.per_class()))
        counts = batch.counts(self.recipe)
        if counts.found_by is not None:
            statistics.add_ways(counts.found_by)
        before = statistics.n_infeasible
        statistics.add_remarks(counts)
        statistics.n_instances += len(batch.y_true) - (statistics.n_infeasible - before)
        values = self.values(counts)
        if average == "samples":
            statistics.add_values(values, batch.weight)
        elif average == "micro":
            statistics.add_counts(counts, batch.weight)
        return values

    def pooled(self, statistics: Statistics) -> float:
        """Return the pooled score; nan if there is no instance."""
        if not statistics.n_instances:
            return math.nan
        average = self.options.get("average", "samples")
        if average == "samples":
            return statistics.mean()
        if average == "micro":
            return float(self.values(statistics.whole())[0])
        classes = statistics.classes(every=self.options.get("classes") == "all")
        if not len(classes.n_true):  # no class at all: what the sums of nothing give
            return float(self.values(statistics.whole())[0])
        values = self.values(classes)
        known = ~np.isnan(values)
        if not known.any():
            return float(self.options.get("zero_division", math.nan))
        weight = classes.n_true if average == "weighted" else np.ones(len(values))
        if not weight[known].any():  # no true label at all: every class counts the same
            weight = np.ones(len(values))
        return math.fsum((values * weight)[known]) / math.fsum(weight[known])


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


def _rule_of(definition: Definition, options: Mapping[str, Any]) -> Rule:
    """Run the function that makes the rule, which may be a user's own."""
    try:
        rule = definition.rule(**options) if definition.rule is not None else None
    except HierpairError:
        raise
    except Exception as error:
        raise _fault(definition, "function", error) from error
    if not isinstance(rule, Rule):
        raise BadInput(f"its function must return a Rule, got {shown(rule)}")
    try:
        hash(rule)
    except TypeError:
        raise BadInput(
            "its rule holds an array or another thing that can change; for a cost per class "
            "use an Unmatched with where, for a cost per pair a callable"
        ) from None
    return rule


def _fault(definition: Definition, part: str, error: Exception) -> BadInput:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return BadInput(
        f"its {part} failed: {type(error).__name__}: {error} "
        f"({Path(where.filename).name}:{where.lineno})"
    )


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.name != "counts"}


def _value_options(definition: Definition) -> set[str]:
    return set(options_of(definition.value))


def _rule_options(definition: Definition) -> set[str]:
    return set(options_of(definition.rule)) if definition.rule is not None else set()


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
