"""Options of measures: one record each, which all that handles options reads.

The parser of measures, the checks and their messages, the command line, the functions of
:mod:`hierpair.metrics`, headings of tables, the pages of the documentation, the comparison of
conventions and the search for the conventions of a claimed number: none has a list of its own.
A new option of the library is one entry of :data:`OPTIONS`; that of a user's own measure is a
record above its function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hierpair.confusion import BLANKS, EMPTY, NESTED, PAIRINGS
from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy import COSTS, DEPTHS
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.lca import EXTENSIONS
from hierpair.measures.measure_text import literal, same
from hierpair.measures.recipes.augmentation import AUGMENTATIONS
from hierpair.pairing import NAMED, NORMALISATIONS, cost_named

__all__ = ["AVERAGES", "OPTIONS", "RARE", "Option", "option_like", "options_above"]

AVERAGES = ("samples", "micro", "macro", "weighted")
"""Ways to pool."""

RARE = 4
"""How unusual a value is that is not listed; see :attr:`Option.usual`."""

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """What an option of measures is: its values, what they mean and how they are typed.

    Above a function that is declared as a measure it describes that measure's option of the same
    name, as the second example does.

    Attributes
    ----------
    name
        The keyword; ``--absent-level`` on the command line for ``absent_level``.
    meaning
        What it says, in a sentence without capital and full stop.
    usual
        The values that are tried where conventions are searched, and how unusual each is: 1,
        papers and tools differ in it all the time; 2, often; 3, now and then; 4, seldom; 5,
        hardly anybody. Without ``check`` a text must be one of them.
    kind
        ``str``, ``float`` or ``int`` for numbers, or ``object`` for what ``check`` accepts.
    domain, check
        Which values are right: in words ("a finite number ≥ 0"), and as a function that returns
        whether a value is, or raises :class:`hierpair.BadInput`.
    words
        Texts, or None, that are right beside numbers.
    varied
        The values that ``compare --sensitivity`` varies where nothing is chosen.
    heading
        How a value is written at the head of a printed table.

    Examples
    --------
    >>> OPTIONS["beta"].read("2"), OPTIONS["threshold"].read("none")
    (2.0, None)

    >>> from hierpair import set_measure
    >>> @set_measure(formula="1", source="mine", direction="higher", range="[0, 1]")
    ... @Option("bonus", "added to every instance", kind=float, domain="a number ≥ 0",
    ...         check=lambda x: x >= 0)
    ... def lucky(n_true, *, bonus: float = 0):
    ...     "Always the same."
    ...     return 0 * n_true + bonus
    """

    name: str
    meaning: str
    usual: Mapping[Any, int] = field(default_factory=dict)
    kind: type = str
    domain: str = ""
    check: Callable[[Any], object] | None = field(default=None, compare=False)
    words: tuple[str | None, ...] = ()
    varied: tuple[Any, ...] = ()
    heading: Callable[[str], str] | None = field(default=None, compare=False)

    def __call__(self, function: Function) -> Function:
        """Describe an option of the measure that a function declares."""
        function.__dict__.setdefault("__options__", {})[self.name] = self
        return function

    @property
    def values(self) -> tuple[Any, ...]:
        """The usual values."""
        return tuple(self.usual)

    @property
    def flag(self) -> str:
        """The option on the command line.

        >>> OPTIONS["zero_division"].flag
        '--zero-division'
        """
        return f"--{self.name.replace('_', '-')}"

    @property
    def allowed(self) -> str:
        """Which values are right, in words.

        >>> OPTIONS["theta"].allowed, OPTIONS["tips"].allowed
        ("a finite number > 0 or 'mean'", "one of 'best', 'sum', 'single'")
        """
        if not self.domain and self.kind is str and self.usual:
            return f"one of {', '.join(map(repr, self.usual))}"
        return " or ".join([self.domain or "any value", *map(repr, self.words)])

    @property
    def annotation(self) -> str:
        """Its type for editors.

        >>> OPTIONS["tips"].annotation, OPTIONS["threshold"].annotation
        ("Literal['best', 'sum', 'single']", 'int | None')
        """
        if self.kind is object:
            return "Any"
        if self.kind is str:
            closed = self.usual and self.check is None
            return f"Literal[{', '.join(map(repr, self.usual))}]" if closed else "str"
        texts = [f"Literal[{word!r}]" if word else "None" for word in self.words]
        return " | ".join([self.kind.__name__, *texts])

    def how_unusual(self, value: Any) -> int:
        """Return how unusual a value is.

        >>> [OPTIONS[name].how_unusual(value)
        ...  for name, value in (("average", "micro"), ("beta", 0.5), ("threshold", 80))]
        [1, 4, 4]
        """
        return next((n for known, n in self.usual.items() if same(known, value)), RARE)

    def heading_of(self, text: str) -> str:
        """Return a value, given as text, as it stands at the head of a table."""
        return self.heading(text) if self.heading else f"{self.name.replace('_', ' ')} = {text}"

    def read(self, text: str) -> Any:
        """Return the value that a text of the command line means.

        Raises
        ------
        BadInput
            For a text that is no number, where there must be one.
        """
        if self.kind is str or (self.kind is object and self.domain):
            return text
        if self.kind is object:
            return literal(text)
        if text.lower() == "none" and None in self.words:
            return None
        if text in self.words:
            return text
        try:
            return self.kind(text)
        except ValueError:
            raise BadInput(f"{self.name} must be {self.allowed}, got {shown(text)}") from None

    def refuse_wrong(self, value: Any, measure: str) -> None:
        """Refuse a value that the option of a measure cannot have.

        Raises
        ------
        BadInput
            Names the measure, the option, what it must be, and what it is.
        """
        if not isinstance(value, Hashable):
            raise BadInput(f"{measure}: {self.name} must be a single value, got {shown(value)}")
        if self._is_right(value):
            return
        near = did_you_mean(value, self.values) if self.kind is str else ""
        given = repr(value) if self.kind in (str, object) else shown(value)
        raise BadInput(f"{measure}: {self.name} must be {self.allowed}, got {given}{near}")

    def _is_right(self, value: Any) -> bool:
        if self.kind in (int, float):
            if any(value is word or value == word for word in self.words):
                return True
            numeric = isinstance(value, self.kind if self.kind is int else (int, float))
            if isinstance(value, bool) or not numeric:
                return False
        elif self.kind is str and self.usual and self.check is None:
            return value in self.usual
        try:
            return self.check is None or self.check(value) is not False
        except OverflowError:  # a whole number of hundreds of digits
            return False


def _usual(
    values: Iterable[Any], but: Mapping[Any, int] | None = None, n: int = 2
) -> dict[Any, int]:
    return {value: (but or {}).get(value, n) for value in values}


def _check_cost(cost: Any) -> bool:
    if not isinstance(cost, str) and not callable(cost):
        return False
    cost_named(cost)
    return True


def _root_heading(value: str) -> str:
    return {"include": "with root", "exclude": "without root"}.get(value, f"without {value}")


OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(
            "root",
            "a single root does not count ('exclude'), counts ('include'), or the class of this "
            "name does not count",
            {"exclude": 1, "include": 1},
            kind=object,
            domain="'exclude', 'include' or the name of a class",
            varied=("exclude", "include"),
            heading=_root_heading,
        ),
        Option(
            "average",
            "how the values of instances or classes become one score",
            {"samples": 1, "micro": 1, "macro": 2, "weighted": 4},
            varied=("samples", "micro"),
            heading=str,
        ),
        Option(
            "beta",
            "weight of recall in F; 2 counts it twice as much as precision",
            {0.5: 4, 1: 2, 2: 4},
            kind=float,
            domain="a finite number ≥ 0",
            check=lambda x: 0 <= x < LARGEST_NUMBER,
            heading="β = {}".format,
        ),
        Option(
            "default",
            "Dmax, the cost of a class without a partner",
            _usual(range(1, 11), {5: 2}, RARE),
            kind=float,
            domain="a finite number > 0",
            check=lambda x: 0 < x < LARGEST_NUMBER,
            varied=(2, 5, 10),
            heading="Dmax = {}".format,
        ),
        Option(
            "denominator",
            "classes by which the largest possible error is computed: those of the union of both "
            "sets ('union') or of their symmetric difference ('symdiff')",
            _usual(("union", "symdiff")),
        ),
        Option(
            "augment",
            "how label sets are augmented: 'ancestors', 'descendants', 'pruned' or 'none'",
            _usual(AUGMENTATIONS, {"none": 3, "descendants": 5, "pruned": 5}),
        ),
        Option(
            "extension",
            "graphs with the fewest LCAs ('exact'), those of Algorithm 1 ('greedy'), or the "
            "extended graphs without reduction ('full')",
            _usual(EXTENSIONS, {"full": 4}),
            heading=str,
        ),
        Option(
            "limit",
            "seconds per instance; after that, the best graphs found so far are used",
            kind=float,
            domain="a number of seconds > 0",
            check=lambda x: math.isfinite(x) and x > 0,
            words=(None,),
        ),
        Option(
            "pairing",
            "most TP, then fewest FN, then most TN ('exact'), or the published static greedy "
            "('published')",
            _usual(PAIRINGS),
            varied=("exact", "published"),
            heading=str,
        ),
        Option(
            "empty",
            "a prediction without labels is the path of the root alone ('root') or no path "
            "('none')",
            _usual(EMPTY),
        ),
        Option(
            "nested",
            "labels that are ancestors of others of their set are dropped ('drop') or kept "
            "('keep')",
            _usual(NESTED, {"keep": 3}),
        ),
        Option(
            "blank",
            "blank labels, which unknown='drop' drops, do not count ('ignore'), or each counts as "
            "a path to an unknown class ('count')",
            _usual(BLANKS, {"count": 3}),
        ),
        Option(
            "cost",
            "cost of a pair: 'hops', 'weights', 'decayed(w0=0.75)', 'ancestors', 'wu_palmer', "
            "'lin', "
            "'resnik', 'cosine(FILE)' or 'matrix(FILE)', or in Python any callable",
            _usual(NAMED, {"hops": 2, "weights": 3}, RARE),
            kind=object,
            domain="a name or a callable",
            check=_check_cost,
            heading=str,
        ),
        Option(
            "theta",
            "acceptable distance: a wrong class at this distance contributes 0; 'mean' is the "
            "mean over all pairs of classes",
            _usual(range(1, 7), n=RARE),
            kind=float,
            domain="a finite number > 0",
            check=lambda x: 0 < x < LARGEST_NUMBER,
            words=("mean",),
            heading="θ = {}".format,
        ),
        Option(
            "classes",
            "macro averages are taken over the classes that occur ('seen') or over all that count "
            "('all')",
            _usual(("seen", "all")),
        ),
        Option(
            "w0",
            "weight of one level: a class at depth d weighs w0 to the power of d",
            _usual((0.5, 0.75)),
            kind=float,
            domain="a number > 0 and ≤ 1",
            check=lambda x: 0 < x <= 1,
        ),
        Option(
            "depth",
            "weight of a class with several parents: by its fewest ('min') or most edges ('max') "
            "from the root, or by the mean ('mean') or sum ('sum') of its parents' weights",
            _usual(DEPTHS, {"sum": 4}, 3),
        ),
        Option(
            "normalise",
            "weighted paths as they are ('none'), relative to the longest possible one "
            "('max-path'), or to the paths from the root to the classes of the instance ('path')",
            _usual(NORMALISATIONS, {"path": 4}),
        ),
        Option(
            "costs",
            "cost of a wrong class: 1 each ('ones'), an even share of its parent's ('sibling'), "
            "or the fraction of all classes that are the class or below it ('subtree')",
            _usual(COSTS, {"subtree": 3}),
        ),
        Option(
            "absent_level",
            "at a level where an instance has no true class: it is not judged there "
            "('skip'), or \"no class of this level\" is the right answer ('none-class')",
            _usual(("skip", "none-class"), {"none-class": 3}),
        ),
        Option(
            "tips",
            "the most specific classes of both sides are paired at the least cost, each with a "
            "partner ('best'), all with all ('sum'), or each side must have one ('single')",
            _usual(("best", "sum", "single"), {"best": 2}, 3),
        ),
        Option(
            "max_distance",
            "pairs of classes further apart, in edges, cannot be chosen",
            kind=float,
            domain="a number ≥ 0",
            check=lambda x: x >= 0,
            words=(None,),
        ),
        Option(
            "threshold",
            "longest path between two classes, an even number of edges",
            _usual((None, 2, 4, 6, 8), {None: 2}, RARE),
            kind=int,
            domain="an even whole number ≥ 2",
            check=lambda x: 2 <= x < 2**31 and x % 2 == 0,
            words=(None,),
            varied=(None, 4),
        ),
        Option(
            "zero_division",
            "value of 0/0: 0, 1, or nan, which is excluded from means",
            {0: 2, 1: 2, math.nan: RARE},
            kind=float,
            domain="0, 1 or nan",
            check=lambda x: x in (0, 1) or math.isnan(x),
            heading="0/0 = {}".format,
        ),
    )
}
"""The options of the library's measures by name."""


def options_above(*functions: Callable[..., Any] | None) -> dict[str, Option]:
    """Return the records that stand above the functions of a measure."""
    found: dict[str, Option] = {}
    for function in functions:
        found |= getattr(function, "__options__", {})
    return found


def option_like(name: str, default: Any) -> Option:
    """Return the record of an option that its author does not describe: any value will do."""
    return Option(name, f"an option of this measure, {shown(default)} by default", kind=object)
