"""One registry of measures: their families, what each is, and by which names it is found."""

from __future__ import annotations

import inspect
import keyword
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy.arrays import Floats
from hierpair.measures.options import OPTIONS, Option
from hierpair.measures.recipes.batch import Recipe
from hierpair.pairing import NetworkRule, Rule

Direction = Literal["higher", "lower"]
Consumes = Literal["labels", "scores"]
ScoredClasses = Literal["all", "leaves"]


class Family(NamedTuple):
    """The title of a family in lists, and what its measures tell."""

    title: str
    tells: str


FAMILIES = {
    "set": Family(
        "Set-based measures",
        "how many classes are right, of the labels as they are or with what is above or below them",
    ),
    "level": Family("Levels and paths", "what is right at each level, and where a path goes wrong"),
    "path": Family(
        "One class per level, and labels whose paths have to be right",
        "whether predictions are right with all that is above them, and whether they are paths",
    ),
    "pair": Family(
        "Pair-based measures", "how far each predicted label is from the true one it is paired with"
    ),
    "transport": Family(
        "Masses that are moved (Wasserstein)", "how far labels that share one mass have to be moved"
    ),
    "lca": Family(
        "Lowest common ancestors", "what is right below the classes in which both sets meet"
    ),
    "contribution": Family(
        "Contributions by distance (Sun & Lim)", "classes nearby are partly right"
    ),
    "depth": Family(
        "Depth-dependent measures and H-loss", "mistakes near the top cost more than those far down"
    ),
    "confusion": Family(
        "The hierarchical confusion matrix",
        "hits, misses and true negatives along root paths, and all that is derived from them",
    ),
    "threshold": Family(
        "Scores at every threshold (CAFA)", "the best that any threshold makes of scores"
    ),
    "area": Family(
        "Areas under curves", "how well scores separate instances of a class from all others"
    ),
    "ranking": Family("Ranked predictions", "how good the first k classes are"),
    "calibration": Family(
        "Calibration and proper scores", "whether probabilities are what they claim to be"
    ),
    "scores": Family("Other measures of scores", "what else scores tell"),
}
"""The word of a family, its title, and what it tells, in the order in which they are listed."""

WRITTEN = (
    "Euclidean", "F", "FN", "FNR", "FP", "FPR", "GIE", "HCM", "Hamming", "Jaccard", "LCA", "MCC",
    "MGIA", "PPV", "SDL", "TN", "TNR", "TP", "TPR", "fnerror", "hF", "hP", "hR",
)  # fmt: skip
SPELT = {word.lower(): word for word in WRITTEN} | {"acc": "accuracy", "con": "Contribution"}
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
    function_name: str = ""
    consumes: Consumes = "labels"
    weighted: bool = True
    scored_classes: ScoredClasses = "all"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that its formula takes: what stands before the ``*``."""
        if self.recipe is None:
            return ()
        parameters = inspect.signature(self.value).parameters.values()
        return tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)

    @property
    def own_options(self) -> dict[str, Option]:
        """The records that stand above its functions, of options that the library has not."""
        found: dict[str, Option] = {}
        for function in (self.value, self.rule, getattr(self.recipe, "function", None)):
            found |= getattr(function, "__options__", {})
        return found

    @property
    def is_pairing_cost(self) -> bool:
        """Whether its value is the cost of the best pairing, not a formula over it."""
        return self.value is pairing_cost

    @property
    def title(self) -> str:
        """What it is called at the head of a printed table.

        >>> [REGISTRY[name].title for name in ("hf", "lca_f", "h_loss", "path_prefix", "fmax")]
        ['hF', 'LCA F', 'H-loss', 'Path prefix', 'Fmax']
        """
        words = [SPELT.get(word, word) for word in self.name.split("_") if word]
        if words[0] not in SPELT.values():
            words[0] = words[0].capitalize()
        return self.label or " ".join(words)

    @property
    def function(self) -> str:
        """What its function in :mod:`hierpair.metrics` is called.

        >>> [REGISTRY[name].function for name in ("lca_f", "con_error", "level_hamming", "hf")]
        ['lca_fbeta_score', 'con_error', 'level_hamming_loss', 'h_fbeta_score']
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
        return {*map(_folded, [self.name, self.title, self.function, *([head] if colon else [])])}

    def option(self, name: str) -> Option:
        """Return the record of one of its options."""
        if name == "average":
            every, own = OPTIONS[name], self.averages
            told = {average: every.told.get(average, average) for average in own}
            return replace(every, usual={a: every.how_unusual(a) for a in own}, told=told)
        meaning = f"an option of this measure, {shown(self.options[name])} by default"
        known = OPTIONS.get(name) or self.own_options.get(name)
        return known or Option(name, meaning, kind=object)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel by name if it is the library's; else as what it holds, which may be declared anew.

        Where the same is registered it is the registered one again, so that measures are equal.
        """
        made = getattr(self.recipe, "function", self.recipe)
        functions = filter(None, (self.value, self.rule, made))
        if all((f.__module__ or "").startswith("hierpair.") for f in functions):
            return found, (self.name,)
        return _arrived, tuple(_held(self).values())


def _held(definition: Definition) -> dict[str, Any]:
    return {f.name: getattr(definition, f.name) for f in fields(definition)}


def _arrived(*held: Any) -> Definition:
    new = Definition(*held)
    known = REGISTRY.get(new.name, new)
    same = [_held(d) | {"options": repr(dict(d.options))} for d in (known, new)]  # nan is nan
    return known if same[0] == same[1] else new


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

    Raises
    ------
    BadInput
        For a name that none has (with the nearest known one), or that several could have.

    Examples
    --------
    >>> [found(name).name for name in ("hF", "h_f1", "hierarchical_f1", "graph_induced_error")]
    ['hf', 'hf', 'hf', 'gie']
    """
    functions = {d.function: d for d in REGISTRY.values()}
    if name in REGISTRY or name in functions:
        return REGISTRY.get(name) or functions[name]
    folded = _folded(name)
    exact = [d for d in REGISTRY.values() if folded in d.known_as]
    if len(exact) == 1 and folded != "f":  # an F without more is any of them
        return exact[0]
    ends = [d for d in REGISTRY.values() if any(x.endswith(folded) for x in d.known_as)]
    several = [d for d in REGISTRY.values() if d.parts] if folded == "f" else exact or ends
    if len(several) > 1:
        names = ", ".join(d.name for d in several)
        raise BadInput(f"there is no measure {name!r} alone; say which of them: {names}")
    raise BadInput(
        f"there is no measure {name!r}{did_you_mean(name, REGISTRY)}; hierpair measures lists all "
        f"{len(REGISTRY)}"
    )


def _folded(name: str) -> str:
    """Return a name without what is written in many ways."""
    bare = re.sub(r"(score|loss)*$", "", re.sub(r"[\W_]", "", name.lower()))
    return re.sub(r"f(1|beta|measure)$", "f", bare)


def register(definition: Definition, averages: tuple[str, ...], computed: tuple[str, ...]) -> None:
    """Put a measure into the registry.

    Parameters
    ----------
    definition
        The measure.
    averages
        Ways to pool that are possible for it.
    computed
        The columns that its recipe computes.

    Raises
    ------
    BadInput
        For a name that is taken or no word, an unknown direction, family or average, a column that
        is not computed, an option without a default, or a record of an option that there is not.
    """
    d, name = definition, definition.name
    absent = [column for column in d.columns if column not in computed]
    if absent or (d.recipe is not None and not d.columns):
        what = f"a column {absent[0]!r}" if absent else "no column"
        raise BadInput(
            f"the formula of measure {name!r} takes {what}; its recipe computes "
            f"{', '.join(computed)} (options of a formula stand behind a *)"
        )
    known = REGISTRY.get(name)
    if known is not None and not _again(known, d):
        raise BadInput(f"there is already a measure {name!r}; choose another name")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise BadInput(f"a measure's name must be one word of letters, digits and _, got {name!r}")
    if d.direction not in ("higher", "lower"):
        raise BadInput(f"direction must be 'higher' or 'lower', got {d.direction!r}")
    if d.family not in FAMILIES:
        raise BadInput(
            f"there is no family {d.family!r} of measures{did_you_mean(d.family, FAMILIES)}; "
            f"there are {', '.join(FAMILIES)}"
        )
    if {*d.averages} - {*averages} or ("average" in d.options and not d.averages):
        raise BadInput(
            f"averages of measure {name!r} must be some of {', '.join(averages)}, "
            f"got {d.averages!r}"
        )
    for option, default in d.options.items():
        if default is inspect.Parameter.empty:
            raise BadInput(f"option {option!r} of measure {name!r} needs a default")
    for option, record in d.own_options.items():
        if option not in d.options:
            raise BadInput(
                f"measure {name!r} has a record of the option {option!r}, and no parameter "
                f"of that name{did_you_mean(option, d.options)}"
            )
        others = (x.own_options.get(option) for x in REGISTRY.values() if x.name != name)
        same = OPTIONS.get(option) or next(filter(None, others), record)
        if same != record:
            raise BadInput(
                f"measure {name!r}: there is already an option {option!r} ({same.meaning}); "
                "choose another name"
            )
    REGISTRY[name] = d


def _again(known: Definition, new: Definition) -> bool:
    """Whether the same place of a user's code declares a measure anew, as a cell run twice does.

    In a notebook every cell is a file of its own, so there the name decides.
    """
    before, now = (d.rule or d.value for d in (known, new))
    module = now.__module__ or ""  # None for what is executed as text
    if before.__module__ != now.__module__ or module.startswith("hierpair."):
        return False
    here = [(f.__qualname__, getattr(f.__code__, "co_filename", "")) for f in (before, now)]
    return now.__module__ == "__main__" or here[0] == here[1]


def fault(part: str, error: Exception) -> BadInput:
    """Return the error of a part of a measure, which may be a user's own, with its place."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return BadInput(
        f"its {part} failed: {type(error).__name__}: {error} "
        f"({Path(where.filename).name}:{where.lineno})"
    )
