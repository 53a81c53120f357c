"""Options of measures: read from text, checked, and written back."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from hierpair.confusion import BLANKS, EMPTY, NESTED, PAIRINGS
from hierpair.errors import BadInput, called, did_you_mean, shown
from hierpair.hierarchy import COSTS, DEPTHS
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.lca import EXTENSIONS
from hierpair.measures.recipes.set_sizes import AUGMENTATIONS
from hierpair.pairing import NAMED, NORMALISATIONS, cost_named

__all__ = [
    "MEANINGS",
    "alternatives",
    "call_text",
    "check_option",
    "option_text",
    "parse",
    "plain",
    "same",
]

MEANINGS = {
    "absent_level": "at a level where an instance has no true class: it is left out there "
    "('skip'), or \"no class of this level\" is the right answer ('none-class')",
    "augment": "how label sets grow: 'ancestors', 'descendants', 'pruned' or 'none'",
    "average": "how the values of instances or classes become one score",
    "beta": "weight of recall in F; 2 counts it twice as much as precision",
    "blank": "blank labels, which --unknown drop leaves out, do not count ('ignore'), or each is a "
    "path to no class ('count')",
    "classes": "macro averages run over the classes that occur ('seen') or over all that count "
    "('all')",
    "costs": "of a wrong class: 1 each ('ones'), an even share of its parent's ('sibling'), or the "
    "share of all classes that are below it ('subtree')",
    "default": "Dmax, the cost of a class without a partner",
    "denominator": "classes that bound the largest possible error: those of both sets together "
    "('union') or those of one set only ('symdiff')",
    "depth": "of a class with several parents: by its fewest ('min') or most edges ('max') from "
    "the root, or by the mean ('mean') or sum ('sum') of its parents' weights",
    "empty": "a prediction without labels is the path of the root alone ('root') or no path "
    "('none')",
    "extension": "graphs with the fewest LCAs ('exact'), those of Algorithm 1 ('greedy'), or with "
    "nothing taken away ('full')",
    "limit": "seconds for one instance; where they are over, the best graphs so far count",
    "max_distance": "pairs of classes further apart, in edges, cannot be chosen",
    "nested": "labels above others of their set are left out ('drop') or stay ('keep')",
    "normalise": "weighted paths as they are ('none'), as a share of the longest possible one "
    "('max-path'), or of the ways from the root to the classes of the instance ('path')",
    "pairing": "most TP, then fewest FN, then most TN ('exact'), or the published static greedy "
    "('published')",
    "cost": "of a pair: 'hops', 'weights', 'decayed(w0=0.75)', 'ancestors', 'wu_palmer', 'lin', "
    "'resnik', 'cosine(FILE)' or 'matrix(FILE)', or in Python any callable",
    "root": "a single parentless class does not count ('exclude'), counts ('include'), or the "
    "class of this name does not",
    "theta": "acceptable distance: a wrong class so far away neither adds nor takes; 'mean' is the "
    "mean over all pairs of classes",
    "threshold": "longest path between two classes, an even number of edges",
    "w0": "weight of one level: a class at depth d weighs w0 to the power of d",
    "tips": "the most specific classes of both sides are paired at the least cost, each with a "
    "partner ('best'), all with all ('sum'), or there must be one a side ('single')",
    "zero_division": "value of 0/0: 0, 1, or nan, which is left out of means",
}
"""What the options say, for every measure that has them."""


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
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        node = None
    if isinstance(node, ast.Name):
        return node.id, {}
    if isinstance(node, ast.Tuple):
        raise BadInput(f"one measure at a time, got {text!r}; give the option once for each (-m)")
    name = _called(node)
    if isinstance(node, ast.Call) and name:
        try:
            chosen = {str(k.arg): _value(k.value) for k in node.keywords}
        except (ValueError, SyntaxError):
            chosen = None
        if chosen is not None and len(chosen) < len(node.keywords):
            raise BadInput(f"the measure {text!r} gives an option twice")
        if chosen is not None and "None" not in chosen:
            return name, chosen
    raise BadInput(
        f"cannot read the measure {text!r}; write it like hf or hf(beta=2, average='micro')"
    )


def _called(node: ast.expr | None) -> str:
    """Return the name of a call without positional values; ``hcm(mcc, …)`` is ``hcm_mcc(…)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return ""
    if len(node.args) == 1 and isinstance(node.args[0], ast.Name):
        return f"{node.func.id}_{node.args[0].id}"
    return "" if node.args else node.func.id


def _value(node: ast.expr) -> Any:
    """A literal; a bare word is a text, except nan and inf, and so is a cost with options."""
    if isinstance(node, ast.Name):
        return {"nan": math.nan, "inf": math.inf}.get(node.id, node.id)
    if isinstance(node, ast.Call):
        return ast.unparse(node)
    return ast.literal_eval(node)


def check_option(name: str, averages: tuple[str, ...], option: str, given: Any) -> None:
    """Refuse a value that an option cannot have."""
    if not isinstance(given, Hashable):
        raise BadInput(f"{name}: {option} must be a single value, got {shown(given)}")
    allowed: Any
    if option == "average":
        allowed = averages
    elif option == "augment":
        allowed = tuple(AUGMENTATIONS)
    elif option in WORDS:
        allowed = WORDS[option]
    else:
        _check_number(name, option, given)
        if option == "cost":
            if not isinstance(given, str) and not callable(given):
                raise BadInput(f"{name}: cost must be a name or a callable, got {given!r}")
            cost_named(given)
        return
    if given not in allowed:
        raise BadInput(
            f"{name}: {option} must be one of {', '.join(map(repr, allowed))}, "
            f"got {given!r}{did_you_mean(given, allowed)}"
        )


WORDS: dict[str, tuple[str, ...]] = {
    "absent_level": ("skip", "none-class"),
    "blank": BLANKS,
    "classes": ("seen", "all"),
    "costs": COSTS,
    "denominator": ("union", "symdiff"),
    "depth": DEPTHS,
    "empty": EMPTY,
    "extension": EXTENSIONS,
    "nested": NESTED,
    "normalise": NORMALISATIONS,
    "pairing": PAIRINGS,
    "tips": ("best", "sum", "single"),
}
"""Options whose values are words."""

NUMBERS: dict[str, tuple[Any, ...]] = {
    "beta": (0.5, 1, 2),
    "default": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    "theta": (1, 2, 3, 4, 5, 6),
    "threshold": (None, 2, 4, 6, 8),
    "w0": (0.5, 0.75),
    "zero_division": (0, 1, math.nan),
}
"""Values that options with numbers usually have."""


def alternatives(option: str, averages: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the values that a convention may have; none for one that is not a choice.

    >>> alternatives("root", ())
    ('exclude', 'include')
    """
    every: dict[str, tuple[Any, ...]] = {
        **WORDS,
        **NUMBERS,
        "augment": tuple(AUGMENTATIONS),
        "average": averages,
        "cost": tuple(NAMED),
        "root": ("exclude", "include"),
    }
    return every.get(option, ())


NUMBER_CHECKS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "beta": ("a finite number ≥ 0", lambda x: 0 <= x < LARGEST_NUMBER),
    "default": ("a finite number > 0", lambda x: 0 < x < LARGEST_NUMBER),
    "max_distance": ("a number ≥ 0 or None", lambda x: x >= 0),
    "limit": ("a number of seconds > 0 or None", lambda x: math.isfinite(x) and x > 0),
    "theta": ("a finite number > 0 or 'mean'", lambda x: 0 < x < LARGEST_NUMBER),
    "threshold": ("an even whole number ≥ 2 or None", lambda x: 2 <= x < 2**31 and x % 2 == 0),
    "w0": ("a number > 0 and ≤ 1", lambda x: 0 < x <= 1),
    "zero_division": ("0, 1 or nan", lambda x: x in (0, 1) or math.isnan(x)),
}


def _check_number(name: str, option: str, given: Any) -> None:
    if option not in NUMBER_CHECKS:
        return
    words, good = NUMBER_CHECKS[option]
    if given is None and words.endswith("None"):
        return
    if given == "mean" and words.endswith("'mean'"):
        return
    numeric = isinstance(given, (int, float)) and not isinstance(given, bool)
    if option == "threshold":
        numeric = numeric and isinstance(given, int)
    try:
        right = numeric and good(given)
    except OverflowError:  # a whole number of hundreds of digits
        right = False
    if not right:
        raise BadInput(f"{name}: {option} must be {words}, got {shown(given)}")


def same(a: Any, b: Any) -> bool:
    """Whether two option values are the same; NaN is the same as NaN."""
    nan = isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
    return nan or (a == b and isinstance(a, bool) == isinstance(b, bool))


def call_text(name: str, options: Mapping[str, Any], separator: str, *, bare: bool = False) -> str:
    """Return a measure with options as text."""
    if not options:
        return name
    shown = [f"{k}={_literal(v, bare=bare)}" for k, v in options.items()]
    return f"{name}({separator.join(shown)})"


def option_text(value: Any) -> str:
    """Return the value of an option as people write it: a word without quotes.

    >>> option_text("micro"), option_text(2.0), option_text("decayed(w0=0.5)")
    ('micro', '2', 'decayed(w0=0.5)')
    """
    return value if isinstance(value, str) else _literal(value, bare=True)


def plain(value: Any) -> Any:
    """Return NumPy numbers and fractions as Python's own, and one NaN for all."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction):
        value = float(value)
    return math.nan if isinstance(value, float) and math.isnan(value) else value


def _literal(value: Any, *, bare: bool) -> str:
    if callable(value):
        return called(value)
    if bare and isinstance(value, str) and value.isidentifier():
        return value
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else repr(value)
