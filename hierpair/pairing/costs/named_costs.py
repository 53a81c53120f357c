"""Costs by name: what a measure's text and the command line can spell."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.pairing.costs.cost_matrices import CosineDistance, CostMatrix
from hierpair.pairing.costs.edge_costs import (
    AncestorDifference,
    Cost,
    DecayedEdges,
    EdgeWeights,
    Hops,
)
from hierpair.pairing.costs.similarities import Lin, Resnik, WuPalmer

__all__ = ["NAMED", "cost_named", "cost_text"]

NAMED: dict[str, Callable[..., Cost]] = {
    "hops": Hops,
    "weights": EdgeWeights,
    "decayed": DecayedEdges,
    "ancestors": AncestorDifference,
    "wu_palmer": WuPalmer,
    "lin": Lin,
    "resnik": Resnik,
    "cosine": CosineDistance,
    "matrix": CostMatrix,
}
"""Costs that a measure's name can spell, such as ``gie(cost=decayed(w0=0.5))``."""

WITH_FILE = ("cosine", "matrix")
"""Those that need a file."""


def cost_text(cost: str | Cost) -> str | Cost:
    """Return the complete text of a named cost; a callable passes through.

    >>> cost_text("wu_palmer"), cost_text(" wu_palmer( depth = max )")
    ("wu_palmer(depth='min')", "wu_palmer(depth='max')")
    """
    if not isinstance(cost, str):
        return cost
    options = vars(cost_named(cost))
    listed = ",".join(f"{k}={_plain(v)!r}" for k, v in options.items())
    name = _split(cost)[0]
    return f"{name}({listed})" if listed else name


def cost_named(cost: str | Cost) -> Cost:
    """Return the cost that a text names; a callable passes through.

    >>> cost_named("wu_palmer(depth='max')")
    WuPalmer(depth='max')
    """
    if not isinstance(cost, str):
        return cost
    name, rest = _split(cost)
    if name not in NAMED:
        raise BadInput(
            f"unknown cost {cost!r}; it is one of {', '.join(NAMED)}, or a callable"
            f"{did_you_mean(name, NAMED)}"
        )
    if not rest:
        try:
            return NAMED[name]()
        except TypeError:
            raise BadInput(f"the cost {name} needs a file; write it like {name}('FILE')") from None
    try:
        call = ast.parse(cost.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError("write it like decayed(w0=0.5)")
        options = {str(k.arg): _literal(k.value) for k in call.keywords}
        return NAMED[name](*[_literal(a) for a in call.args], **options)
    except BadInput:
        raise
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        like = f"{name}('FILE')" if name in WITH_FILE else cost_text(name)
        raise BadInput(f"cannot read the cost {shown(cost)}; write it like {like}") from None


def _split(cost: str) -> tuple[str, str]:
    """Return the name of a cost, and its options as they are written."""
    name, _, rest = cost.partition("(")
    return name.strip(), rest


def _plain(value: Any) -> Any:
    """Return 1.0 as 1, so that equal costs have one text."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return int(value) if whole else value


def _literal(node: ast.expr) -> Any:
    """A literal; a bare word such as ``max`` is a text, as it is in a measure."""
    if isinstance(node, ast.Attribute):  # lin(counts.tsv)
        raise BadInput(f"write the name of a file in quotes: '{ast.unparse(node)}'")
    if isinstance(node, ast.Name) and node.id not in ("nan", "inf"):
        return node.id
    return ast.literal_eval(node)
