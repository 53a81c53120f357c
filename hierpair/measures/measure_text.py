"""A measure with its options as text: read, and written so that it can be read back."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from hierpair.errors import BadInput, called, shown


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
        f"cannot read the measure {text!r}; write one at a time, like hf or hf(beta=2, "
        "average='micro'), and names of files in quotes"
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


def literal(text: str) -> Any:
    """Return a number or None as such, anything else as a text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def same(a: Any, b: Any) -> bool:
    """Whether two option values are the same; NaN is the same as NaN."""
    nan = isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
    return nan or (a == b and isinstance(a, bool) == isinstance(b, bool))


def call_text(name: str, options: Mapping[str, Any], separator: str, *, bare: bool = False) -> str:
    """Return a measure with options as text."""
    if not options:
        return name
    texts = [f"{k}={_written(v, bare=bare)}" for k, v in options.items()]
    return f"{name}({separator.join(texts)})"


def option_text(value: Any) -> str:
    """Return the value of an option as people write it: a word without quotes.

    >>> option_text("micro"), option_text(2.0), option_text("decayed(w0=0.5)")
    ('micro', '2', 'decayed(w0=0.5)')
    """
    return value if isinstance(value, str) else _written(value, bare=True)


def plain(value: Any) -> Any:
    """Return NumPy numbers and fractions as Python's own, and one NaN for all."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction):
        value = float(value)
    return math.nan if isinstance(value, float) and math.isnan(value) else value


def _written(value: Any, *, bare: bool) -> str:
    if callable(value):
        return called(value)
    if bare and isinstance(value, str) and value.isidentifier():
        return value
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else repr(value)
