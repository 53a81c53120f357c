"""A measure with its options chosen: its name is its complete specification and parses back."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError, did_you_mean, shown
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.measures.columns import Columns
from hierpair.measures.option import OPTIONS, option_text, same, written
from hierpair.measures.options import AVERAGES
from hierpair.measures.recipes.batch import Recipe
from hierpair.measures.registry import Definition, found, running
from hierpair.measures.scored.system import Scored

TRUE_CLASS_SUMS = "value", "of"
"""Sums by true class of values of instances, and how many (of which weight) have one."""


def parse(text: str) -> tuple[str, dict[str, Any]]:
    """Split the text of a measure into its name and options.

    >>> parse("hf(beta=2, average=micro)")
    ('hf', {'beta': 2, 'average': 'micro'})
    >>> parse("hcm(mcc)")
    ('hcm_mcc', {})
    >>> parse("gie(cost=decayed(w0=0.25))") == parse("gie(cost='decayed(w0=0.25)')")
    True
    """
    if not isinstance(text, str):
        raise BadInput(f"a measure is a name or a Measure, got {shown(text)}")
    call: Any = None
    try:
        call = ast.parse(text.strip() if "(" in text else f"{text.strip()}()", mode="eval").body
        name = "_".join([call.func.id, *(value.id for value in call.args)])
        chosen = {k.arg: _value(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, TypeError, AttributeError, RecursionError, MemoryError):
        chosen = {None: None}
    if None in chosen or len(call.args) > (call.func.id == "hcm"):  # hf(beta) may mean anything
        raise BadInput(
            f"cannot read the measure {text!r}; write one at a time, like hf or hf(beta=2, "
            "average='micro'), and names of files in quotes"
        )
    if len(chosen) < len(call.keywords):
        raise BadInput(f"the measure {text!r} gives an option twice")
    return name, chosen


def _value(node: ast.expr) -> Any:
    """A literal; a bare word is a text, except nan and inf, and so is a cost with options."""
    if isinstance(node, ast.Name):
        return {"nan": math.nan, "inf": math.inf}.get(node.id, node.id)
    if isinstance(node, ast.Call):
        return ast.unparse(node)
    return ast.literal_eval(node)


def call_text(name: str, options: Mapping[str, Any], separator: str, *, bare: bool = False) -> str:
    """Return a measure with options as text."""
    if not options:
        return name
    texts = [f"{k}={written(v, bare=bare)}" for k, v in options.items()]
    return f"{name}({separator.join(texts)})"


def plain(value: Any) -> Any:
    """Return NumPy numbers and fractions as Python's own, and one NaN for all."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction):
        value = float(value)
    return math.nan if isinstance(value, float) and math.isnan(value) else value


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

    def __post_init__(self) -> None:
        chosen = tuple((option, plain(value)) for option, value in self.chosen)  # one nan for all
        object.__setattr__(self, "chosen", chosen)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel so that an option that is nan is the same one afterwards."""
        return Measure, (self.definition, self.chosen)

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
        """What stands at the head of a printed table, with the options that are not the defaults.

        >>> measure("hf(average=micro, beta=2)").label
        'hF (micro, β = 2)'
        """
        d = self.definition
        texts = [d.option(o).heading_of(option_text(v)) for o, v in self.chosen]
        return f"{d.title} ({', '.join(texts)})" if texts else d.title

    @property
    def is_share(self) -> bool:
        """Whether values are shares of 1, which can be written in per cent."""
        return re.fullmatch(r"\[(0|[-−]1), 1\]", self.definition.range) is not None

    @property
    def signature(self) -> str:
        """One line that pins every convention and the version."""
        return self._signed(self.options)

    @property
    def of_instance(self) -> str:
        """The signature of the value of one instance: pooling plays no part in it."""
        return self._signed(self.options.keys() - {"average"})

    def _signed(self, names: Any) -> str:
        """Return a signature, with those of these options that say anything beside the others."""
        telling = {
            option: value for option, value in self.options.items()
            if option in names and not self.is_idle(option)
        }  # fmt: skip
        text = call_text(self.definition.name, telling, ",", bare=True)
        return f"{text}|hierpair {__version__}"

    def is_idle(self, option: str) -> bool:
        """Whether an option says nothing beside the others."""
        needless = self.definition.option(option).needless
        return needless is not None and needless(self.options)

    @property
    def higher_is_better(self) -> bool:
        """The direction."""
        return self.definition.direction == "higher"

    @property
    def sign(self) -> int:
        """1 where higher is better, -1 for errors: times a value, what is higher for the better."""
        return 1 if self.higher_is_better else -1

    def __repr__(self) -> str:
        return f"measure({self.name!r})"

    def __str__(self) -> str:
        return self.name

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

    @property
    def notes(self) -> list[str]:
        """What somebody should know who wrote its pairing rule: costs that are never paid."""
        rule = None if self.of_scores else getattr(self.recipe, "rule", None)
        never = "is never paid, since no label of that side needs a partner (a Degree from 1 does)"
        return [f"{cost} {never}" for cost in getattr(rule, "never_paid", ())]

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
        by_cell = hasattr(self.definition.recipe, "pooled")
        average: str = self.options.get("average", "macro" if by_cell else "samples")
        return average

    @property
    def by_true_class(self) -> bool:
        """Whether values of instances are averaged by true class, and then over these classes."""
        return self.definition.by_true_class and self.average == "macro"

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The columns whose sums by class give the values of classes."""
        return TRUE_CLASS_SUMS if self.by_true_class else self.definition.columns

    def class_values(self, columns: Columns) -> Floats:
        """Return the value of every class, from its sums of :attr:`class_columns`."""
        if not self.by_true_class:
            return self.values(columns)
        total, of = (columns[name] for name in self.class_columns)
        return ratio(total, of)

    def values(self, columns: Columns) -> Floats:
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
        with running("formula"):
            own = {k: self.options[k] for k in self.definition.formula_options}
            found = self.definition.value(*taken, **own)
            value = np.asarray(found, dtype=np.float64)
        infinite = not self.of_scores and bool(np.isinf(value).any())
        if value.shape != taken[0].shape or infinite:
            raise BadInput(
                f"its formula must give one finite number (or nan) per entry {taken[0].shape}, got "
                f"{shown(value)}"
            )
        if "infeasible" in columns:
            return np.where(columns["infeasible"], np.nan, value)
        return value.copy() if any(value is column for column in taken) else value

    def value_of(self, scored: Scored) -> float:
        """Return the value of a system under a measure that sees the scores of all instances.

        Raises
        ------
        BadInput
            For sample weights that it cannot count, if its function fails, or if that returns
            something else than a number.
        """
        if scored.sample_weight is not None and not self.definition.weighted:
            raise BadInput(f"{self.name} has no weighted form; leave the sample weights out")
        with running("function"):
            found = self.definition.value(scored, **self.options)
        if not isinstance(found, Real):
            raise BadInput(f"its function must return a number, got {shown(found)}")
        return float(found)


def measure(text: str | Measure, **conventions: Any) -> Measure:
    """Return the measure that a text names, such as ``"gie"`` or ``"hf(beta=2)"``.

    Parameters
    ----------
    text
        A name in the registry, with or without options; literals only. Other names by which a
        measure is known will do: ``"h_f1"`` is ``"hf"``, and that is what it is called then.
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
        base = found(name)
    extra = {k: v for k, v in conventions.items() if k in base.options and k not in chosen}
    if extra.get("average", "samples") not in (*AVERAGES, *base.averages):
        OPTIONS["average"].refuse_wrong(extra["average"], base.name)
    if "average" in extra and extra["average"] not in base.averages:
        del extra["average"]
    return _bound(base, {**chosen, **extra})


def check_options(names: Iterable[str], measures: Sequence[Measure]) -> None:
    """Refuse an option that none of the measures has."""
    known = {option for m in measures for option in m.options}
    for name in names:
        if name not in known:
            near = did_you_mean(name, known)
            raise BadInput(f"none of the measures has an option {name!r}{near}")


def _bound(definition: Definition, given_options: Mapping[str, Any]) -> Measure:
    chosen = dict[str, Any]()
    for option, given in given_options.items():
        if option not in definition.options:
            known = ", ".join(definition.options) or "none"
            raise BadInput(
                f"{definition.name} has no option {option!r}"
                f"{did_you_mean(option, definition.options)} (it has: {known})"
            )
        record = definition.option(option)  # a value has many spellings; it is read here, once
        value, default = (record.resolve(plain(x)) for x in (given, definition.options[option]))
        if not same(value, default):  # a default is always a value of it
            record.refuse_wrong(value, definition.name)
            chosen[option] = value
    return Measure(definition, tuple(sorted(chosen.items())))


def empty_is_perfect(m: Measure) -> bool:
    """Return whether two empty sets have the best value whatever the convention for 0/0 is.

    It is asked of the formula, so it holds for measures of one's own too. A measure without the
    option ``zero_division`` has no 0/0 that could be meant instead: False.

    >>> empty_is_perfect(measure("hf")), empty_is_perfect(measure("f"))
    (True, False)
    """
    if "zero_division" not in m.options:
        return False
    nothing = {name: np.zeros(1) for name in m.definition.columns}
    try:
        values = [m.with_options(zero_division=x).values(nothing)[0] for x in (0, 1)]
    except HierpairError:  # a formula of one's own that refuses empty sets
        return False
    return bool(values[0] == values[1])
