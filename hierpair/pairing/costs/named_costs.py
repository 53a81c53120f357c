"""Prices by name: what a measure's text and the command line can spell."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.pairing.costs.cost_matrices import CosineDistance, PriceMatrix
from hierpair.pairing.costs.edge_costs import (
    AncestorDifference,
    DecayedEdges,
    EdgeWeights,
    Hops,
    Price,
)
from hierpair.pairing.costs.similarities import Lin, Resnik, WuPalmer

__all__ = ["NAMED", "price_named", "price_text"]

NAMED: dict[str, Callable[..., Price]] = {
    "hops": Hops,
    "weights": EdgeWeights,
    "decayed": DecayedEdges,
    "ancestors": AncestorDifference,
    "wu_palmer": WuPalmer,
    "lin": Lin,
    "resnik": Resnik,
    "cosine": CosineDistance,
    "matrix": PriceMatrix,
}
"""Prices that a measure's name can spell, such as ``gie(price=decayed(w0=0.5))``."""

WITH_FILE = ("cosine", "matrix")
"""Those that need a file."""


def price_text(price: str | Price) -> str | Price:
    """Return the complete text of a named price; a callable passes through.

    >>> price_text("wu_palmer"), price_text(" wu_palmer( depth = max )")
    ("wu_palmer(depth='min')", "wu_palmer(depth='max')")
    """
    if not isinstance(price, str):
        return price
    options = vars(price_named(price))
    listed = ",".join(f"{k}={_plain(v)!r}" for k, v in options.items())
    name = _split(price)[0]
    return f"{name}({listed})" if listed else name


def price_named(price: str | Price) -> Price:
    """Return the price that a text names; a callable passes through.

    >>> price_named("wu_palmer(depth='max')")
    WuPalmer(depth='max')
    """
    if not isinstance(price, str):
        return price
    name, rest = _split(price)
    if name not in NAMED:
        raise BadInput(
            f"unknown price {price!r}; it is one of {', '.join(NAMED)}, or a callable"
            f"{did_you_mean(name, NAMED)}"
        )
    if not rest:
        try:
            return NAMED[name]()
        except TypeError:
            raise BadInput(f"the price {name} needs a file; write it like {name}('FILE')") from None
    try:
        call = ast.parse(price.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError("write it like decayed(w0=0.5)")
        options = {str(k.arg): _literal(k.value) for k in call.keywords}
        return NAMED[name](*[_literal(a) for a in call.args], **options)
    except BadInput:
        raise
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        like = f"{name}('FILE')" if name in WITH_FILE else price_text(name)
        raise BadInput(f"cannot read the price {shown(price)}; write it like {like}") from None


def _split(price: str) -> tuple[str, str]:
    """Return the name of a price, and its options as they are written."""
    name, _, rest = price.partition("(")
    return name.strip(), rest


def _plain(value: Any) -> Any:
    """Return 1.0 as 1, so that equal prices have one text."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return int(value) if whole else value


def _literal(node: ast.expr) -> Any:
    """A literal; a bare word such as ``max`` is a text, as it is in a measure."""
    if isinstance(node, ast.Attribute):  # lin(counts.tsv)
        raise BadInput(f"write the name of a file in quotes: '{ast.unparse(node)}'")
    if isinstance(node, ast.Name) and node.id not in ("nan", "inf"):
        return node.id
    return ast.literal_eval(node)
