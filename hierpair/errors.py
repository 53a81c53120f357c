"""The errors that hierpair raises: each names the culprit, what was found, and what would do."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from typing import Any

__all__ = ["BadInput", "HierarchyWarning", "HierpairError", "Infeasible", "SolverLimit"]

MOST_COMPARED = 5_000
"""Names among which a misspelled one is looked for, at most,"""

LONGEST_COMPARED = 200
"""and their length: comparing takes the square of it, and nobody misspells so much."""


class HierpairError(Exception):
    """Base of all errors that hierpair raises on purpose.

    Attributes
    ----------
    reason
        What is wrong and what would do.
    instance
        Position or id of the instance that it happened to, or None.
    """

    def __init__(self, reason: str, instance: object = None) -> None:
        super().__init__(reason, instance)
        self.reason = reason
        self.instance = instance

    def __str__(self) -> str:
        if self.instance is None:
            return self.reason
        return f"instance {shown(self.instance)}: {self.reason}"


class BadInput(HierpairError, ValueError):
    """The input cannot be used as it is: the message names the place and the mend."""


class HierarchyWarning(UserWarning):
    """The hierarchy has several roots: this is ordinary, but may show that a file was misread."""


class Infeasible(HierpairError):
    """The constraints of a pairing rule contradict each other for some instance."""


class SolverLimit(HierpairError):
    """The numbers are too large, or the solver gave up; nothing was rounded or guessed."""


def shown(thing: object, most: int = 80) -> str:
    """Return the representation of a thing in one line, cut to a readable length.

    A NumPy scalar is shown as the plain value that it stands for.

    >>> shown("x" * 200, 10)
    "'xxxxxxxxx…"
    """
    numpy = sys.modules.get("numpy")  # where it was not imported, nothing is of its types
    try:
        if numpy is None or type(thing) in (str, int):
            text = repr(thing)
        else:
            with numpy.printoptions(legacy="1.25"):  # 'b1', not np.str_('b1')
                text = repr(thing)
    except RecursionError:
        return f"a deeply nested {type(thing).__name__}"
    except ValueError:  # Python does not spell out thousands of digits
        return "a number of thousands of digits"
    text = " ".join(text.split()) if "\n" in text else text  # arrays and frames
    return text if len(text) <= most else f"{text[:most]}…"


def shortened(text: str, most: int = LONGEST_COMPARED) -> str:
    """Return a text of at most so many letters; of a longer one the beginning and ….

    >>> shortened("x" * 200, 5), shortened("short", 5)
    ('xxxx…', 'short')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_line(thing: object) -> str:
    """Return what a thing says, such as an error, in one line."""
    return " ".join(str(thing).split())


def visible(text: str) -> str:
    r"""Return a text in which signs that steer a terminal or reorder a line are spelled out.

    >>> visible("a\x1b[31mb\nc"), visible("käse 🧀")
    ('a\\x1b[31mb\\nc', 'käse 🧀')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_spelled, text))


def visible_lines(text: str) -> str:
    """Return a text of several lines, each as :func:`visible` has it; tabs between fields stay."""
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def _spelled(c: str) -> str:
    """Return a character, or how Python writes it if it has no place in a line of text."""
    hidden = unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in REORDERING
    return c.encode("unicode_escape").decode() if hidden else c


REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
                       "\u2066\u2067\u2068\u2069\ufeff")  # fmt: skip
"""Marks that turn the direction of text: what stands after them is shown elsewhere."""


def listed(names: Iterable[object], most: int = 20) -> str:
    """Return names in one line; of many only the first ones.

    >>> listed("abc"), listed(range(9), 2), listed([])
    ('a, b, c', '0, 1, … (9 in all)', 'none')
    """
    known = list(names)
    texts = [shown(n, 40).strip("'\"") for n in known[:most]]
    if len(known) > most:
        texts.append(f"… ({len(known)} in all)")
    return ", ".join(texts) or "none"


def instances_have(n: int) -> str:
    """Return the beginning of what is said of so many instances.

    >>> instances_have(1), instances_have(2)
    ('1 instance has', '2 instances have')
    """
    return f"{n} instance has" if n == 1 else f"{n} instances have"


def counted(n: int, thing: str, form: str = "") -> str:
    """Return a number of things that is told in a sentence, in a form such as ``","``.

    >>> counted(1, "class"), counted(2000, "class"), counted(0, "line")
    ('1 class', '2000 classes', '0 lines')
    """
    return f"{n:{form}} {thing}" + ("" if n == 1 else "es" if thing.endswith("s") else "s")


def first_repeated(things: Iterable[Hashable]) -> Any:
    """Return the first thing that was there before, or None.

    >>> first_repeated("abcbc"), first_repeated([1, 2])
    ('b', None)
    """
    seen: set[Hashable] = set()
    for thing in things:
        if thing in seen:
            return thing
        seen.add(thing)
    return None


def check_unique(things: Iterable[Hashable], said: Callable[[Any], str]) -> None:
    """Refuse a thing that was there before, in the words that a function has for it."""
    known = list(things)
    if len(set(known)) < len(known):
        raise BadInput(said(first_repeated(known)))


def check_several(things: object, said: str) -> None:
    """Refuse a text, or what is no collection, where several things are wanted.

    >>> check_several(["a", "b"], "classes must be a list of names")
    """
    single = isinstance(things, (str, bytes)) or getattr(things, "shape", None) == ()
    if single or not isinstance(things, Iterable):
        raise BadInput(f"{said}, got {shown(things, 40)}")


def called(function: object) -> str:
    """Return how a callable is called, without its address in memory.

    >>> called(len), called(lambda: 0)
    ('len', '<lambda>')
    """
    name = getattr(function, "__name__", None)
    if name is not None:
        return str(name)
    text = repr(function)
    plain = " at 0x" not in text and "\n" not in text and len(text) <= 80
    return text if plain else type(function).__name__


def unknown(what: str, name: object, known: Iterable[object], place: str = "") -> BadInput:
    """Return the error of a name that is none of those that are known at a place.

    >>> str(unknown("system", "a", ["b", "c"], "claim 1"))
    "claim 1: there is no system 'a' (there are b, c)"
    """
    names = list(known)
    text = f"there is no {what} {shown(name)}{did_you_mean(name, names)}"
    return BadInput(f"{place}{': ' if place else ''}{text} ({there_are(names)})")


def check_known(what: str, name: object, known: Collection[object], place: str = "") -> None:
    """Refuse a name that is none of those that are known at a place.

    >>> check_known("system", "a", ["a", "b"])
    """
    if name not in known:
        raise unknown(what, name, known, place)


def there_are(names: Sequence[object]) -> str:
    """Return what there is, in a sentence.

    >>> there_are(["a", "b"]), there_are(["a"])
    ('there are a, b', 'there is only a')
    """
    return f"there {'is only' if len(names) == 1 else 'are'} {listed(names)}"


def check_choice(what: str, given: object, known: Iterable[object]) -> None:
    """Refuse what is none of several choices.

    >>> check_choice("view", "network", ["auto", "network"])
    """
    choices = list(known)
    if given not in choices:
        near = did_you_mean(given, choices)
        raise BadInput(f"{what} must be one of {listed(choices)}, got {shown(given)}{near}")


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return ``; did you mean 'x'?`` for the closest known word, or an empty string.

    A word that differs only in capitals is the closest. Of ids, which have digits, none is named
    where several are equally near.

    >>> did_you_mean("hff", ["hf", "gie"])
    "; did you mean 'hf'?"
    >>> did_you_mean("pots", ["Sports", "Pots"])
    "; did you mean 'Pots'?"
    >>> did_you_mean("sku-999", ["sku-009", "sku-019"]), did_you_mean("zzz", ["hf", "gie"])
    ('', '')
    """
    text, close = str(word), close_names(word, known, 2)
    if len(close) == 2 and any(c.isdigit() for c in text):
        forms = (name.casefold() for name in close)
        first, second = (SequenceMatcher(None, x, text.casefold()).ratio() for x in forms)
        close = close if first > second else []
    return f"; did you mean {close[0]!r}?" if close else ""


def close_names(word: object, known: Iterable[object], most: int = 3) -> list[str]:
    """Return known words that are close to a word, the closest first.

    A word that differs only in capitals stands alone; CAT is as close to carts as cat is.

    >>> close_names("hff", ["gie", "hf", "hfs"]), close_names("HF", ["hf", "hfs"])
    (['hf', 'hfs'], ['hf'])
    """
    text = str(word).casefold()
    if len(text) > LONGEST_COMPARED:
        return []
    names = [str(k) for k in islice(known, MOST_COMPARED)]
    folded = {x.casefold(): x for x in reversed(names) if len(x) <= LONGEST_COMPARED}
    close = [text] if text in folded else get_close_matches(text, folded, n=most, cutoff=0.6)
    return [folded[form] for form in close]
