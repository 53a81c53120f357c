"""One registry of measures, and how a decorated function becomes a definition in it."""

from __future__ import annotations

import inspect
import keyword
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from hierpair.errors import BadInput, HierpairError, check_choice, did_you_mean, shown
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.measures.columns import Column
from hierpair.measures.option import OPTIONS, Option, declared_at
from hierpair.measures.options import AVERAGES
from hierpair.measures.recipes.batch import Recipe
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.measures.recipes.solved import PAIR_COLUMNS, OwnNetworkRecipe, PairRecipe
from hierpair.measures.scored.system import ScoredRecipe
from hierpair.pairing import NetworkRule, Rule

Direction = Literal["higher", "lower"]
Consumes = Literal["labels", "scores"]
ScoredClasses = Literal["all", "leaves"]


FAMILIES = {
    "set": (
        "Set-based measures",
        "how many classes are right, of the labels as they are or with what is above or below them",
    ),
    "level": ("Levels and paths", "what is right at each level, and where a path goes wrong"),
    "path": (
        "One class per level, and labels whose paths have to be right",
        "whether predictions are right with all that is above them, and whether they are paths",
    ),
    "pair": (
        "Pair-based measures",
        "how far each predicted label is from the true one it is paired with",
    ),
    "transport": (
        "Masses that are moved (Wasserstein)",
        "how far labels that share one mass have to be moved",
    ),
    "amount": (
        "Amounts below classes (counts, UniFrac)",
        "how much of both sets lies below each class",
    ),
    "answer": (
        "Set-valued answers",
        "whether the true class is among those that are left open, and how many these are",
    ),
    "lca": ("Lowest common ancestors", "what is right below the classes in which both sets meet"),
    "contribution": ("Contributions by distance (Sun & Lim)", "classes nearby are partly right"),
    "depth": (
        "Depth-dependent measures and H-loss",
        "mistakes near the top cost more than those far down",
    ),
    "confusion": (
        "The hierarchical confusion matrix",
        "hits, misses and true negatives along root paths, and all that is derived from them",
    ),
    "threshold": (
        "Scores at every threshold (CAFA)",
        "the best that any threshold makes of scores",
    ),
    "area": ("Areas under curves", "how well scores separate instances of a class from all others"),
    "ranking": ("Ranked predictions", "how good the first k classes are"),
    "calibration": (
        "Calibration and proper scores",
        "whether probabilities are what they claim to be",
    ),
    "scores": ("Other measures of scores", "what else scores tell"),
}
"""The word of a family, its title, and what it tells, in the order in which they are listed."""

OURS = "hierpair."
"""How modules of the library begin, and the module of its measures."""

BY_TRUE_CLASS = "the score is the mean over true classes of the mean value of their instances"

WRITTEN = "Euclidean F FN FP GIE HCM Hamming Jaccard LCA MCC MGIA TN TP fnerror hF hP hR"
SPELT = {x.lower(): x for x in WRITTEN.split()}
"""Words of names that are written otherwise than in small letters."""


def pairing_cost(cost: Floats) -> Floats:
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
    also
        Other names by which it is found.
    function_name
        What its function in :mod:`hierpair.metrics` is called, if not by the rule: ``_f`` becomes
        ``_fbeta``; where higher is better ``_score`` stands at the end, and where lower is better
        ``_loss``, if the name does not end in ``error``, ``cost`` or ``loss``.
    consumes
        What it is computed from: ``"labels"``, predicted label sets, instance by instance, or
        ``"scores"``, the scores of all instances at once (:class:`Scored`). A measure of scores
        has no columns and no recipe, unless it is a share of sums over instances.
    weighted
        Whether instances may have weights; those of label sets may always.
    scored_classes
        Of a measure of scores: whether it reads those of ``"all"`` classes, or of ``"leaves"``
        alone. Examples and tests give it such scores.
    by_true_class
        Whether a macro average is over true classes, of the mean values of their instances: so it
        is where no other average is over classes.
    """

    name: str
    family: str
    options: Mapping[str, Any]
    summary: str
    formula: str
    source: str
    direction: Direction
    range: str
    value: Callable[..., Any]
    recipe: Callable[[Mapping[str, Any]], Recipe] | None
    traits: frozenset[str] = frozenset()
    averages: tuple[str, ...] = ()
    rule: Callable[..., Rule | NetworkRule] | None = None
    cautions: tuple[str, ...] = ()
    parts: tuple[str, str] | None = None
    by_default: bool = True
    label: str = ""
    also: Sequence[str] = ()
    function_name: str = ""
    consumes: Consumes = "labels"
    weighted: bool = True
    scored_classes: ScoredClasses = "all"
    by_true_class: bool = False

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that its formula takes: what stands before the ``*``."""
        if self.recipe is None:
            return ()
        parameters = inspect.signature(self.value).parameters.values()
        return tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)

    @cached_property
    def formula_options(self) -> tuple[str, ...]:
        """The options that its formula takes, beside its columns."""
        return tuple(name for name in _options_of(self.value) if name not in self.columns)

    @cached_property
    def averaged_over(self) -> str:
        """What averages over classes are over, ``"class"`` or ``"level"``; empty if it has none."""
        if self.recipe is None or not {"macro", "weighted"} & {*self.averages}:
            return ""
        by = "class" if self.by_true_class else getattr(self.recipe(self.options), "by", "class")
        return str(by)

    @property
    def module(self) -> str:
        """Where it is declared, and from where it can be anew, as by a cell that is run twice."""
        functions = self.rule, self.value, getattr(self.recipe, "function", self.recipe)
        modules = (getattr(f, "__module__", None) or "" for f in functions if f is not None)
        return next((name for name in modules if not name.startswith(OURS)), OURS)

    @property
    def is_pairing_cost(self) -> bool:
        """Whether its value is the cost of the best pairing, not a formula over it."""
        return self.value is pairing_cost

    @property
    def title(self) -> str:
        """What it is called at the head of a printed table.

        >>> [REGISTRY[name].title for name in ("hf", "lca_f", "h_loss", "path_prefix", "fmax")]
        ['hF', 'LCA F', 'H-loss', 'Path prefix', 'Fmax']
        >>> [replace(REGISTRY["hf"], name=name).title for name in ("_my__own", "_")]
        ['My own', '_']
        """
        words = [SPELT.get(word, word) for word in self.name.split("_") if word] or [self.name]
        if words[0] not in SPELT.values():
            words[0] = words[0].capitalize()
        return self.label or " ".join(words)

    @property
    def function(self) -> str:
        """What its function in :mod:`hierpair.metrics` is called.

        >>> [REGISTRY[x].function for x in ("lca_f", "contribution_error", "level_hamming", "hf")]
        ['lca_fbeta_score', 'contribution_error', 'level_hamming_loss', 'h_fbeta_score']
        """
        if self.function_name:
            return self.function_name
        name = re.sub(r"(^|_)f$", r"\1fbeta", self.name)
        if self.direction == "higher":
            return name if name.endswith("_score") else f"{name}_score"
        return name if name.endswith(("error", "cost", "loss")) else f"{name}_loss"

    @property
    def known_as(self) -> set[str]:
        """All its names in small letters without signs: what stands in tables, functions, papers.

        An F is one whatever it is called, so that ``h_f1`` and ``hierarchical_f1`` are ``hf``.
        """
        head, colon, _ = self.summary.partition(":")
        names = [self.name, self.title, self.function, *self.also, *[head] * len(colon)]
        return {_folded(name) for name in names}

    def option(self, name: str) -> Option:
        """Return the record of one of its options."""
        if name == "average":
            every, own = OPTIONS[name], self.averages
            told = {average: every.told.get(average, average) for average in own}
            if self.by_true_class:
                told["macro"] = BY_TRUE_CLASS
            usual = {a: every.how_unusual(a) for a in own}
            as_one = self.consumes == "scores" and self.by_true_class
            needless = (lambda o: bool(o["average"] == "micro")) if as_one else None
            return replace(every, usual=usual, told=told, needless=needless)
        if name in OPTIONS:
            return OPTIONS[name]
        meaning = f"an option of this measure, {shown(self.options[name])} by default"
        return Option(name, meaning, kind=object)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel by name if it is the library's, else as what it holds."""
        ours = self.module == OURS
        held = {} if ours else {f.name: getattr(self, f.name) for f in fields(self)}
        return _arrived, (self.name, held)


def _arrived(name: str, held: Mapping[str, Any]) -> Definition:
    """Return a measure that has travelled: where the same is registered, the registered one."""
    known = REGISTRY.get(name)
    functions = held.get("rule"), held.get("value")
    if known is not None and (not held or functions == (known.rule, known.value)):
        return known
    return Definition(**held)


REGISTRY: dict[str, Definition] = {}
"""All measures by name; everything that lists measures reads this."""


def measures_of(consumed: Consumes) -> dict[str, Definition]:
    """Return the measures of label sets, or those of scores, by name.

    >>> "hf" in measures_of("labels"), "hf" in measures_of("scores")
    (True, False)
    """
    return {name: d for name, d in REGISTRY.items() if d.consumes == consumed}


def found(name: str) -> Definition:
    """Return the measure that a name means: its own, or one that it is usually called by.

    >>> [found(name).name for name in ("hF", "h_f1", "hierarchical_f1", "graph_induced_error")]
    ['hf', 'hf', 'hf', 'gie']
    """
    if name in REGISTRY:
        return REGISTRY[name]
    folded, every = _folded(name), REGISTRY.values()
    of_f = folded == "f"  # an F without more is any of them
    meant = [d for d in every if d.function == name]
    meant = meant or [d for d in every if folded in d.known_as and not of_f]
    if len(meant) == 1:
        return meant[0]
    ends = [d for d in every if (d.parts if of_f else any(x.endswith(folded) for x in d.known_as))]
    ends = ends if of_f or len(folded) > 1 else []  # a letter is no word that a name ends in
    if len(meant or ends) > 1:
        names = ", ".join(d.name for d in meant or ends)
        raise BadInput(f"there is no measure {name!r} alone; say which of them: {names}")
    raise BadInput(
        f"there is no measure {name!r}{did_you_mean(name, REGISTRY)} (hierpair measures lists "
        f"all {len(REGISTRY)})"
    )


def _folded(name: str) -> str:
    """Return a name without what is written in many ways."""
    bare = re.sub(r"(score|loss)*$", "", re.sub(r"[\W_]", "", name.lower()))
    return re.sub(r"f(1|beta|measure)$", "f", bare)


@contextmanager
def running(part: str) -> Iterator[None]:
    """Run a part of a measure, which may be a user's own, and tell where it fails."""
    try:
        yield
    except HierpairError:
        raise
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise BadInput(
            f"its {part} failed: {type(error).__name__}: {error} "
            f"({Path(where.filename).name}:{where.lineno})"
        ) from error


Function = TypeVar("Function", bound=Callable[..., Any])

EMPTY: Mapping[str, Any] = {}


def share(total: Floats, of: Floats) -> Floats:
    """Return a total as a share: the formula of most measures that are means over instances."""
    return ratio(total, of)


def augmented_sets(
    *,
    augment: str = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    deeper: str = "wrong",
) -> SetRecipe:
    """Return the sizes of augmented label sets: the recipe of measures that choose no other."""
    return SetRecipe(augment, root, threshold, deeper)


@dataclass(frozen=True)
class FromOptions:
    """From options to a recipe, by a function of those it names that returns it, or its rule."""

    function: Callable[..., Recipe | Rule | NetworkRule]

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The options that it names."""
        return tuple(_options_of(self.function))

    def __call__(self, options: Mapping[str, Any]) -> Recipe:
        """Return the recipe."""
        threshold = options.get("threshold")
        with running("function"):
            made = self.function(**{k: options[k] for k in options.keys() & self.named})
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
        default that of the function. Its docstring says them as well, and is followed: its first
        line is the summary, others begin with ``Formula:``, ``Source:``, ``Range:``,
        ``Direction:``, ``Traits:``, ``Label:`` or ``Function:``, and a list has the cautions.
    averages
        Ways to pool that make sense; the first is the default. Averages over classes need a recipe
        with ``entries``; without one, ``"macro"`` is the mean by true class of values of instances.
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
    Declared again in the same module, as by a notebook's cell that is run twice, a measure is
    replaced; any other measure of the same name is an error.

    Raises
    ------
    BadInput
        If the name is taken, an option has no default, the recipe has no column that the formula
        takes, or an average is not possible.
    """

    def decorate(function: Function) -> Function:
        mine = _options_of(function, keyword_only=True)
        options = mine | _options_of(recipe) | mine
        last = {k: options.pop(k) for k in ("zero_division",) if k in mine}
        options |= {} if classes is None else {"classes": classes}
        options |= {"average": next(iter(averages), None), **last}
        maker = FromOptions(recipe)
        made = maker(options)
        possible: tuple[str, ...] = AVERAGES[:2]
        if hasattr(made, "entries"):
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

        from hierpair import pair_measure
        from hierpair.pairing import Unmatched, Hops, Degree, Rule

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
        options = options | _options_of(value, keyword_only=True) | options
        options["average"] = next(iter(averages), None)
        maker = FromOptions(recipe or function)
        columns = PAIR_COLUMNS if recipe is None else maker(options).columns
        return _declare(
            function, {**known, **facts}, options, columns, AVERAGES[:2], value=value,
            rule=function, recipe=maker, averages=averages, family="pair",
        )  # fmt: skip

    return decorate if function is None else decorate(function)


def scored_measure(
    *,
    averages: tuple[str, ...] = (),
    family: str = "scores",
    weighted: bool = False,
    scored_classes: ScoredClasses = "all",
    value: Callable[..., Floats] | None = None,
    recipe: Any = None,
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
    recipe
        For a measure that is made of sums by cell, such as bins: what makes a recipe of the
        function. Its ``entries`` are what instances add to cells, and its ``pooled`` makes the
        score of their sums (:class:`ClassTotals`); ``value`` is the formula of a single instance,
        over its ``columns``.
    options
        More options and their defaults, which the recipe takes, or the function as ``**how``.

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
        own = _options_of(function, keyword_only=True)
        made, ways, every = recipe and recipe(function), averages, {**own, **options}
        if value is not None and recipe is None:
            names = inspect.signature(value).parameters
            columns = tuple(Column(name, "an instance", float) for name in names)
            made = ScoredRecipe(function, columns, of_labels=scored_classes == "leaves")
            ways, every["average"] = ("micro",), "micro"
        return _declare(
            function, {**facts, "by_default": False}, every,
            getattr(made, "columns", ()), ways, value=value or function, recipe=made,
            averages=ways, family=family, consumes="scores",
            weighted=weighted or value is not None, scored_classes=scored_classes,
        )  # fmt: skip

    return decorate


SAID = {
    "Formula": "formula", "Source": "source", "Range": "range", "Direction": "direction",
    "Traits": "traits", "Label": "label", "Also": "also", "Function": "function_name",
}  # fmt: skip
"""With which words lines of a docstring begin that say a fact of a measure."""


def said_of(text: str) -> dict[str, Any]:
    """Return what a docstring says of a measure: its summary, facts, and cautions as a list.

    A line goes on in lines that are indented; several facts stand in one, with ``;`` between them.
    """
    summary, *lines = re.sub(r"\n +", " ", inspect.cleandoc(text)).split("\n")
    told: dict[str, Any] = {"summary": summary}
    told["cautions"] = tuple(line[2:] for line in lines if line.startswith("- "))
    facts = re.split(rf"\n|; (?=(?:{'|'.join(SAID)}): )", "\n".join(lines))
    for word, _, fact in (fact.partition(": ") for fact in facts):
        if word in SAID:
            told[SAID[word]] = fact.split(", ") if word in ("Traits", "Also") else fact
    return told


def _declare(
    function: Function,
    facts: Mapping[str, Any],
    options: Mapping[str, Any],
    columns: tuple[Column, ...],
    possible: tuple[str, ...],
    **more: Any,
) -> Function:
    """Put what a function declares into the registry, with what its docstring says."""
    told: dict[str, Any] = {**facts, **more}
    said = said_of(told.pop("text", None) or function.__doc__ or "")
    said["cautions"] = (*said["cautions"], *told.get("cautions", ()))
    told |= said
    name = told["name"] = told.get("name") or function.__name__
    bounded = ["bounded"] if told.get("range", "").startswith("[0, 1]") else []
    told["traits"] = frozenset([*told.get("traits", ()), *bounded])
    d = Definition(options=options, **told)
    computed = [c.name for c in columns if c.dtype is not bool and not c.words]
    absent = [column for column in d.columns if column not in computed]
    if absent or (d.recipe is not None and not d.columns):
        what = f"a column {absent[0]!r}" if absent else "no column"
        raise BadInput(
            f"the formula of measure {name!r} takes {what}; its recipe computes "
            f"{', '.join(computed)} (options of a formula stand behind a *)"
        )
    is_ours = d.module == OURS
    if name in REGISTRY and (is_ours or d.module != REGISTRY[name].module):
        raise BadInput(f"there is already a measure {name!r}; choose another name")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise BadInput(f"a measure's name must be one word of letters, digits and _, got {name!r}")
    check_choice("direction", d.direction, ("higher", "lower"))
    check_choice("the family of a measure", d.family, FAMILIES)
    averages, default = {*d.averages}, options.get("average")
    if averages - {*possible} or (default not in averages and (averages or "average" in options)):
        raise BadInput(
            f"averages of measure {name!r} must be some of {', '.join(possible)}, and its option "
            f"average one of them; got {d.averages!r}"
        )
    for option, default in options.items():
        if default is inspect.Parameter.empty:
            raise BadInput(f"option {option!r} of measure {name!r} needs a default")
        if not is_ours and option in OPTIONS.keys() - {"average"}:
            try:
                OPTIONS[option].refuse_wrong(default, name)
            except BadInput as error:
                raise BadInput(
                    f"{error}; there is already an option of this name "
                    f"({OPTIONS[option].meaning}): choose another one"
                ) from None
    for option in [o.name for o in OPTIONS.values() if o.declared_at == declared_at(function)]:
        if option not in options:
            del OPTIONS[option]
            raise BadInput(
                f"measure {name!r} has a record of the option {option!r}, and no parameter "
                f"of that name{did_you_mean(option, options)}"
            )
    has_values = d.recipe is not None and (d.consumes == "scores" or "samples" in averages)
    if has_values and not (hasattr(d.recipe, "pooled") or averages & {"macro", "weighted"}):
        d = replace(d, averages=(*d.averages, "macro"), by_true_class=True)
    REGISTRY[name] = d
    return function


def _options_of(function: Callable[..., Any], *, keyword_only: bool = False) -> dict[str, Any]:
    """Return the options of a function and their defaults; of a formula what follows the ``*``."""
    each = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in each if p.kind is p.KEYWORD_ONLY or not keyword_only}
