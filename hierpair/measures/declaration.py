"""How a measure is declared: a decorated function becomes a definition in the registry.

That of a measure of label sets is a formula over the columns of a recipe, or makes a rule of pairs;
that of a measure of scores takes a system that gives scores. What is a share of sums over instances
has columns and a recipe then, too, and is added up from parts like all others; what looks at all
scores at once is a number of the whole.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from hierpair.errors import BadInput, HierpairError, shown
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.labels import NodeScores
from hierpair.measures.class_weights import Weighting
from hierpair.measures.columns import Column, Columns
from hierpair.measures.options import AVERAGES
from hierpair.measures.recipes.batch import Batch, Recipe, counts_classes
from hierpair.measures.recipes.pairings import PAIR_COLUMNS, OwnNetworkRecipe, PairRecipe
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.measures.registry import (
    Definition,
    ScoredClasses,
    fault,
    pairing_cost,
    register,
)
from hierpair.measures.scored.system import Scored
from hierpair.pairing import NetworkRule, Rule

Function = TypeVar("Function", bound=Callable[..., Any])

EMPTY: Mapping[str, Any] = {}


def share(total: Floats, of: Floats) -> Floats:
    """Return a total as a share: the formula of most measures that are means over instances."""
    return ratio(total, of)


def augmented_sets(
    *, augment: str = "ancestors", root: Any = "exclude", threshold: int | None = None
) -> SetRecipe:
    """Return the sizes of augmented label sets: the recipe of measures that choose no other."""
    return SetRecipe(augment, root, threshold)


@dataclass(frozen=True)
class FromOptions:
    """From the options of a measure to its recipe, by a function that names those it reads.

    The function returns the recipe, or a rule of which it is made.
    """

    function: Callable[..., Recipe | Rule | NetworkRule]

    def __call__(self, options: Mapping[str, Any]) -> Recipe:
        """Return the recipe."""
        named, threshold = _options_of(self.function), options.get("threshold")
        try:
            made = self.function(**{k: v for k, v in options.items() if k in named})
        except HierpairError:
            raise
        except Exception as error:
            raise fault("function", error) from error
        if isinstance(made, NetworkRule):
            return OwnNetworkRecipe(made, threshold)
        if not isinstance(made, Rule):
            if hasattr(made, "compute"):
                return made
            raise BadInput(f"its function must return a Rule or a NetworkRule, got {shown(made)}")
        try:
            hash(made)
        except TypeError:
            raise BadInput(
                "its rule holds an array or another thing that can change; for a cost per class "
                "use an Unmatched with where, for a cost per pair a callable"
            ) from None
        return PairRecipe(made, threshold)


def set_measure(
    *,
    averages: tuple[str, ...] = AVERAGES,
    parts: tuple[str, str] | None = None,
    recipe: Callable[..., Recipe] = augmented_sets,
    classes: str | None = None,
    **facts: Any,
) -> Callable[[Function], Function]:
    """Register a measure: a formula over columns, with its options as keywords.

    The formula takes the columns of its recipe by name, as positional parameters, and options as
    keyword-only ones: ``def jaccard(n_true, n_pred, n_both, *, zero_division=0)``. It is applied
    to instances, to classes and to the sums of a data set alike, so it is written with arrays.

    Parameters
    ----------
    facts
        ``formula``, ``source``, ``direction`` and ``range``; ``traits``, ``cautions``,
        ``by_default``, ``label`` and ``function_name`` as in :class:`Definition`; ``name``, by
        default that of the function.
    averages
        Ways to pool that make sense; the first is the default. Averages over classes need a recipe
        with ``entries``.
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

    def decorate(function: Function) -> Function:
        mine = _options_of(function, keyword_only=True)
        last = {k: mine.pop(k) for k in ("zero_division",) if k in mine}
        options = {**mine, **{k: v for k, v in _options_of(recipe).items() if k not in mine}}
        if classes is not None:
            options["classes"] = classes
        options |= {"average": next(iter(averages), None), **last}
        maker = FromOptions(recipe)
        made = maker(options)
        possible: tuple[str, ...] = AVERAGES[:2]
        if counts_classes(made):
            possible = AVERAGES[: 4 if any(column.support for column in made.columns) else 3]
        return _declare(
            function, facts, options, made.columns, possible, value=function, recipe=maker,
            averages=averages, parts=parts, family=getattr(made, "family", "set"),
        )  # fmt: skip

    return decorate


def pair_measure(
    function: Callable[..., Rule | NetworkRule] | None = None,
    /,
    *,
    averages: tuple[str, ...] = ("samples",),
    value: Callable[..., Floats] = pairing_cost,
    recipe: Callable[..., Recipe] | None = None,
    **facts: Any,
) -> Callable[..., Any]:
    """Register a pair-based measure: a function from options to a pairing :class:`Rule`.

    Used as ``@pair_measure`` or ``@pair_measure(source=…, …)``.

    The value of an instance is the cost of its best pairing, or a formula ``value`` over the
    columns ``n_true``, ``n_pred``, ``n_both`` and ``cost``, written as for :func:`set_measure`.
    The option ``threshold`` is read by the library; all else is as for :func:`set_measure`, and so
    is what happens to a measure that is declared again.

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
    known = {"formula": "cost of the best pairing", "source": "your own",
                    "direction": "lower", "range": "[0, ∞)"}  # fmt: skip

    def decorate(function: Function) -> Function:
        options = _options_of(function)
        if recipe is None:
            options.setdefault("threshold", None)
        of_value = _options_of(value, keyword_only=True)
        options |= {k: v for k, v in of_value.items() if k not in options}
        options["average"] = next(iter(averages), None)
        maker = FromOptions(recipe or function)
        columns = PAIR_COLUMNS if recipe is None else maker(options).columns
        return _declare(
            function, {**known, **facts}, options, columns, AVERAGES[:2], value=value,
            rule=function, recipe=maker, averages=averages, family="pair",
        )  # fmt: skip

    return decorate if function is None else decorate(function)


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
        named = {k: v for k, v in self.options if k in ("weights", "smooth", "reference")}
        return Weighting(**named) if named else None

    def __call__(self, options: Mapping[str, Any]) -> ScoredRecipe:
        """Return the recipe with these options."""
        return replace(self, options=tuple(options.items()))

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


def scored_measure(
    *,
    averages: tuple[str, ...] = (),
    family: str = "scores",
    weighted: bool = False,
    scored_classes: ScoredClasses = "all",
    value: Callable[..., Floats] | None = None,
    options: Mapping[str, Any] = EMPTY,
    **facts: Any,
) -> Callable[[Function], Function]:
    """Register a measure of scores: a function from a :class:`Scored` system to a number.

    The function takes the system, and options as keyword-only parameters with defaults:
    ``def fmax(scored, *, root="exclude")``. It sees the scores of all instances at once, and
    returns one number for them, or nan where there is none. What several measures need is
    computed once, by :meth:`Scored.shared`. Tables by threshold, level or class are plain
    functions of their own: a measure is the number.

    Parameters
    ----------
    facts
        As for :func:`set_measure`. Measures of scores are never computed unasked.
    averages
        The values of the option ``average``, if it has one.
    family
        As in :class:`Definition`.
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
        called = facts.get("name") or function.__name__
        own = _options_of(function, keyword_only=True)
        given = inspect.signature(function).parameters.values()
        _, *more = [p.name for p in given if p.kind < p.KEYWORD_ONLY] or [""]
        if more:
            raise BadInput(
                f"the function of measure {called!r} takes a system and options behind a *, and "
                f"{more[0]!r} is neither"
            )
        if averages and own.get("average") not in averages:
            raise BadInput(
                f"measure {called!r} has averages, so its function needs an option average that "
                f"is one of them by default: {', '.join(averages)}"
            )
        recipe, columns = None, tuple[Column, ...]()
        if value is not None:
            names = inspect.signature(value).parameters
            columns = tuple(Column(name, "an instance", float) for name in names)
            recipe = ScoredRecipe(function, columns)
        return _declare(
            function, {**facts, "by_default": False}, {**own, **options}, columns,
            averages or AVERAGES, value=value or function, recipe=recipe, averages=averages,
            family=family, consumes="scores", weighted=weighted or value is not None,
            scored_classes=scored_classes,
        )  # fmt: skip

    return decorate


def _declare(
    function: Function,
    facts: Mapping[str, Any],
    options: Mapping[str, Any],
    columns: tuple[Column, ...],
    possible: tuple[str, ...] = AVERAGES,
    **more: Any,
) -> Function:
    """Register what a function declares, with what it says in one line."""
    lines = (inspect.getdoc(function) or "").splitlines()
    told: dict[str, Any] = {**facts, **more}
    told["name"] = told.get("name") or function.__name__
    bounded = ["bounded"] if facts.get("range", "").startswith("[0, 1]") else []
    told["traits"] = frozenset([*told.get("traits", ()), *bounded])
    told["cautions"] = tuple(told.get("cautions", ()))
    definition = Definition(options=options, summary=lines[0] if lines else "", **told)
    register(definition, possible, tuple(column.name for column in columns if column.is_sum))
    return function


def _options_of(function: Callable[..., Any], *, keyword_only: bool = False) -> dict[str, Any]:
    """Return the options of a function and their defaults; of a formula what follows the ``*``."""
    found = {}
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY or not keyword_only:
            found[p.name] = p.default
    return found
