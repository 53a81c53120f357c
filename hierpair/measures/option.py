"""What an option of measures is: its values, what they mean, how they are read and told."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from hierpair.errors import BadInput, called, did_you_mean, shown
from hierpair.hierarchy.arrays import is_array_like
from hierpair.pairing.costs import plain_number


def literal(text: str) -> Any:
    """Return a number, None or ``...`` as such, anything else as a text."""
    if text == "nan":
        return math.nan
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def same(a: Any, b: Any) -> bool:
    """Whether two option values are the same; NaN is the same as NaN."""
    if is_array_like(type(a)):
        return False
    nan = isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
    return nan or (a == b and isinstance(a, bool) == isinstance(b, bool))


def option_text(value: Any) -> str:
    """Return the value of an option as people write it: a word without quotes.

    >>> option_text("micro"), option_text(2.0), option_text("decayed(w0=0.5)")
    ('micro', '2', 'decayed(w0=0.5)')
    """
    return value if isinstance(value, str) else written(value, bare=True)


def written(value: Any, *, bare: bool) -> str:
    """Return the value of an option as text; bare words stand without quotes."""
    if callable(value):
        return called(value)
    if bare and isinstance(value, str) and value.isidentifier():
        return value
    return repr(plain_number(value))


def declared_at(function: Callable[..., Any]) -> str:
    """Return where a function is written: its module and its name there."""
    return f"{function.__module__}.{function.__qualname__}"


RARE = 4
"""How unusual a value is that is not listed; see :attr:`Option.usual`."""

USUAL = 2
"""How unusual a word is of which nothing else is said."""

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """What an option of measures is: its values, what they mean and how they are typed.

    Above a function that is declared as a measure it joins :data:`OPTIONS`, as the second example
    does: it describes that measure's option of the same name.

    Attributes
    ----------
    name
        The keyword; on the command line ``--set NAME=VALUE``.
    meaning
        What it says, in a sentence without capital and full stop; by default what is told.
    usual
        The values that are tried where conventions are searched, and how unusual each is: 1,
        papers and tools differ in it all the time; 2, often; 3, now and then; 4, seldom; 5,
        hardly anybody. Without ``check`` a text must be one of them, or one that is ``told``,
        which are usual by 2.
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
    told
        How a value is told in a sentence about the conventions of a measure, by value; ``...`` is
        for all others, with ``{}`` for the value. An empty text, as of None: nothing is
        said. As a text: a line ``value: …`` for each, which may go on in lines that are indented.
    resolve
        From a value as it is given to the one that a measure holds, which must be hashable.
    needless
        From all options of a measure to whether this one says nothing beside them: then signatures
        leave it out.
    declared_at
        Module and function above which it was declared.

    Examples
    --------
    >>> from hierpair.measures import OPTIONS
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
    meaning: str = ""
    usual: Mapping[Any, int] = field(default_factory=dict)
    kind: type = str
    domain: str = ""
    check: Callable[[Any], object] | None = field(default=None, compare=False)
    words: tuple[str | None, ...] = ()
    varied: tuple[Any, ...] = ()
    heading: Callable[[str], str] | None = field(default=None, compare=False)
    told: Any = field(default_factory=dict, compare=False)
    resolve: Callable[[Any], Any] = field(default=lambda value: value, compare=False)
    needless: Callable[[Mapping[str, Any]], bool] | None = field(default=None, compare=False)
    declared_at: str = field(default="hierpair", compare=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.told, str):
            text = re.sub(r"\n +", " ", inspect.cleandoc(self.told))
            pairs = (line.partition(":") for line in text.split("\n"))
            read = str if self.kind is str else literal
            told = {read(value): said.strip() for value, _, said in pairs}
            object.__setattr__(self, "told", told)
        if self.kind is str and self.check is None:
            words = {word: USUAL for word in self.told if word is not ...}
            object.__setattr__(self, "usual", words | {**self.usual})
        if not self.meaning:
            each = (f"{'…' if x is ... else repr(x)}: {said}" for x, said in self.told.items())
            object.__setattr__(self, "meaning", "; ".join(each).replace("{}", "…"))

    def __call__(self, function: Function) -> Function:
        """Describe an option of the measure that a function declares."""
        known, here = OPTIONS.get(self.name, self), declared_at(function)
        if known != self and known.declared_at != here:  # a cell may run twice
            raise BadInput(
                f"there is already an option {self.name!r} ({known.meaning}); choose another name"
            )
        OPTIONS[self.name] = replace(self, declared_at=here)
        return function

    @property
    def values(self) -> tuple[Any, ...]:
        """The usual values."""
        return tuple(self.usual)

    @property
    def allowed(self) -> str:
        """Which values are right, in words.

        >>> from hierpair.measures import OPTIONS
        >>> OPTIONS["theta"].allowed, OPTIONS["tips"].allowed
        ("a finite number > 0 or 'mean'", "one of 'best', 'sum', 'single'")
        """
        if not self.domain and self.kind is str and self.usual:
            return f"one of {', '.join(map(repr, self.usual))}"
        return " or ".join([self.domain or "any value", *map(repr, self.words)])

    @property
    def annotation(self) -> str:
        """Its type for editors.

        >>> from hierpair.measures import OPTIONS
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

        >>> from hierpair.measures import OPTIONS
        >>> [OPTIONS[name].how_unusual(value)
        ...  for name, value in (("average", "micro"), ("zero_division", 0), ("beta", 0.5))]
        [1, 2, 4]
        """
        return next((n for known, n in self.usual.items() if same(known, value)), RARE)

    def heading_of(self, text: str) -> str:
        """Return a value, given as text, as it stands at the head of a table."""
        return self.heading(text) if self.heading else f"{self.name.replace('_', ' ')} = {text}"

    def in_words(self, value: Any) -> str:
        """Return a value in words, as a part of a sentence; nothing where it says nothing.

        >>> from hierpair.measures import OPTIONS
        >>> OPTIONS["root"].in_words("exclude"), OPTIONS["root"].in_words("animal")
        ('a single root does not count', 'the class animal does not count')
        >>> OPTIONS["limit"].in_words(None)
        ''
        """
        told: dict[Any, str] = {None: "", **self.told}
        known = (said for v, said in told.items() if v is not ... and same(v, value))
        bare = self.meaning.replace("{}", "…")  # braces stand for its value
        other = told.get(..., f"{self.name} = {{}} ({bare})")
        return next(known, other).replace("{}", option_text(value))

    def read(self, text: str) -> Any:
        """Return the value that a text of the command line means.

        Raises
        ------
        BadInput
            For a text that is no number, where there must be one.
        """
        nothing = None in self.words or self.kind in (int, float)  # which may be the default
        if self.kind is not str and text.lower() == "none" and nothing:
            return None
        if self.kind is object:
            return self.resolve(text) if self.domain else literal(text)
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
        odd = is_array_like(type(value)) or not isinstance(value, Hashable)
        if odd or not self._is_right(value):
            near = did_you_mean(value, self.values) if self.kind is str else ""
            raise BadInput(
                f"{measure}: {self.name} must be {self.allowed}, got {shown(value)}{near}"
            )

    def _is_right(self, value: Any) -> bool:
        if any(value is word or value == word for word in self.words):
            return True
        if self.kind is str and self.usual and self.check is None:
            return value in self.usual
        number = (int, float)[: 1 if self.kind is int else 2]
        if self.kind in (int, float) and (isinstance(value, bool) or not isinstance(value, number)):
            return False
        return self.check is None or self.check(value) is not False


OPTIONS: dict[str, Option] = {}
"""The options of measures by name; all that lists or reads options has them from here."""
