"""How a measure is declared: a decorated function becomes a definition in the registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierpairError, shown
from hierpair.measures.columns import Column
from hierpair.measures.recipes.batch import Recipe, counts_classes
from hierpair.measures.recipes.own_networks import OwnNetworkRecipe
from hierpair.measures.recipes.pairings import PAIR_COLUMNS, PairRecipe
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.measures.registering import first_line, options_of, register
from hierpair.measures.registry import AVERAGES, Definition, Direction, fault, pairing_cost
from hierpair.pairing import NetworkRule, Rule

__all__ = ["augmented_sets", "pair_measure", "set_measure"]

Value = Callable[..., NDArray[np.float64]]
"""A formula over columns."""

LAST = "zero_division"
"""The option that stands at the end of signatures."""


def augmented_sets(
    *, augment: str = "ancestors", root: Any = "exclude", threshold: int | None = None
) -> SetRecipe:
    """Return the sizes of augmented label sets: the recipe of measures that choose no other."""
    return SetRecipe(augment, root, threshold)


@dataclass(frozen=True)
class FromOptions:
    """From the options of a measure to its recipe, by a function that names those it reads."""

    function: Callable[..., Recipe]

    def __call__(self, options: Mapping[str, Any]) -> Recipe:
        """Return the recipe."""
        names = inspect.signature(self.function).parameters
        made: Recipe = _tried(self.function, {k: v for k, v in options.items() if k in names})
        return made


@dataclass(frozen=True)
class FromRule:
    """From the options of a pair-based measure to its recipe, by the function of its rule."""

    function: Callable[..., Rule | NetworkRule]

    def __call__(self, options: Mapping[str, Any]) -> Recipe:
        """Return the recipe."""
        names = inspect.signature(self.function).parameters
        rule = _tried(self.function, {k: v for k, v in options.items() if k in names})
        if isinstance(rule, NetworkRule):
            return OwnNetworkRecipe(rule, options.get("threshold"))
        if not isinstance(rule, Rule):
            raise BadInput(f"its function must return a Rule or a NetworkRule, got {shown(rule)}")
        try:
            hash(rule)
        except TypeError:
            raise BadInput(
                "its rule holds an array or another thing that can change; for a cost per class "
                "use an Unmatched with where, for a cost per pair a callable"
            ) from None
        return PairRecipe(rule, options.get("threshold"))


def _tried(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Run a function, which may be a user's own."""
    try:
        return function(**options)
    except HierpairError:
        raise
    except Exception as error:
        raise fault("function", error) from error


def set_measure(
    *,
    formula: str,
    source: str,
    direction: Direction,
    range: str,  # noqa: A002 - the field's word
    traits: Iterable[str] = (),
    averages: tuple[str, ...] = AVERAGES,
    cautions: Iterable[str] = (),
    name: str | None = None,
    parts: tuple[str, str] | None = None,
    recipe: Callable[..., Recipe] = augmented_sets,
    classes: str | None = None,
    by_default: bool = True,
    label: str = "",
    function_name: str = "",
) -> Callable[[Value], Value]:
    """Register a measure: a formula over columns, with its options as keywords.

    The formula takes the columns of its recipe by name, as positional parameters, and options as
    keyword-only ones: ``def jaccard(n_true, n_pred, n_both, *, zero_division=0)``. It is applied
    to instances, to classes and to the sums of a data set alike, so it is written with arrays.

    Parameters
    ----------
    formula, source, direction, range, traits, cautions, by_default, label, function_name
        As in :class:`Definition`.
    averages
        Ways to pool that make sense; the first is the default. Averages over classes need a recipe
        with ``entries``.
    name
        By default that of the function.
    parts
        The names of the precision and recall of an F.
    recipe
        From options, as keywords, to the recipe that computes the columns; its options are options
        of the measure too. By default the sizes ``n_true``, ``n_pred`` and ``n_both`` of
        augmented sets, and ``n_classes``, with the options ``augment``, ``root`` and
        ``threshold``. An option of the recipe that the formula names too is passed to both, and
        the formula's default counts.
    classes
        The default of the option ``classes``, for recipes where every class that counts has a
        value, whether it occurs (``"seen"``) or not (``"all"``).

    Notes
    -----
    Declared again from the same place, as by a notebook's cell that is run twice, a measure is
    replaced; any other measure of the same name is an error.

    Raises
    ------
    BadInput
        If the name is taken, an option has no default, the recipe has no column that the formula
        takes, or an average is not possible.
    """

    def decorate(function: Value) -> Value:
        mine = options_of(function, keyword_only=True)
        last = {LAST: mine.pop(LAST)} if LAST in mine else {}
        options = {**mine, **{k: v for k, v in options_of(recipe).items() if k not in mine}}
        if classes is not None:
            options["classes"] = classes
        options |= {"average": next(iter(averages), None), **last}
        made = FromOptions(recipe)(options)
        _register(
            Definition(
                name=name or function.__name__,
                family=getattr(made, "family", "set"),
                options=options,
                summary=first_line(function),
                formula=formula,
                source=source,
                direction=direction,
                range=range,
                traits=frozenset(traits),
                averages=averages,
                value=function,
                columns=_columns_of(function),
                recipe=FromOptions(recipe),
                cautions=tuple(cautions),
                parts=parts,
                by_default=by_default,
                label=label,
                function_name=function_name,
            ),
            made.columns,
            by_class=counts_classes(made),
        )
        return function

    return decorate


def pair_measure(
    function: Callable[..., Rule | NetworkRule] | None = None,
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
    recipe: Callable[..., Recipe] | None = None,
    by_default: bool = True,
    label: str = "",
    function_name: str = "",
) -> Callable[..., Any]:
    """Register a pair-based measure: a function from options to a pairing :class:`Rule`.

    Used as ``@pair_measure`` or ``@pair_measure(source=…, …)``.

    The value of an instance is the cost of its best pairing, or a formula ``value`` over the
    columns ``n_true``, ``n_pred``, ``n_both`` and ``cost``, written as for :func:`set_measure`.
    The option ``threshold`` is read by the library; ``recipe``, ``by_default``, ``label`` and
    ``function_name`` are those of :func:`set_measure`, and so is what happens to a
    measure that is declared again.

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

    def decorate(function: Callable[..., Rule | NetworkRule]) -> Callable[..., Rule | NetworkRule]:
        options = options_of(function)
        if "threshold" not in options and recipe is None:
            options["threshold"] = None
        if value is not None:
            more = options_of(value, keyword_only=True)
            options.update({k: v for k, v in more.items() if k not in options})
        options["average"] = next(iter(averages), None)
        _register(
            Definition(
                name=name or function.__name__,
                family="pair",
                options=options,
                summary=first_line(function),
                formula=formula,
                source=source,
                direction=direction,
                range=range,
                traits=frozenset(traits),
                averages=averages,
                value=value or pairing_cost,
                columns=_columns_of(value or pairing_cost),
                recipe=FromRule(function) if recipe is None else FromOptions(recipe),
                rule=function,
                cautions=tuple(cautions),
                by_default=by_default,
                label=label,
                function_name=function_name,
            ),
            PAIR_COLUMNS if recipe is None else FromOptions(recipe)(options).columns,
            by_class=False,
        )
        return function

    return decorate if function is None else decorate(function)


def _register(definition: Definition, columns: tuple[Column, ...], *, by_class: bool) -> None:
    """Put it into the registry if its columns and averages are possible."""
    possible = AVERAGES[: 3 if by_class else 2]
    if by_class and any(column.support for column in columns):
        possible = AVERAGES
    computed = [column.name for column in columns if column.is_sum]
    absent = [column for column in definition.columns if column not in computed]
    if absent or not definition.columns:
        what = f"a column {absent[0]!r}" if absent else "no column"
        raise BadInput(
            f"the formula of measure {definition.name!r} takes {what}; its recipe computes "
            f"{', '.join(computed)} (options of a formula stand behind a *)"
        )
    register(definition, possible)


def _columns_of(formula: Callable[..., Any]) -> tuple[str, ...]:
    """Return the columns that a formula takes: what stands before the ``*``."""
    parameters = inspect.signature(formula).parameters.values()
    return tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
