"""Costs by name: what a measure's text and the command line can spell."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.pairing.pairs import Array, Pairs

Cost = Callable[[Pairs], Array]
"""What a pair costs: takes all pairs, returns a number for each (inf: impossible)."""

NAMED: dict[str, Callable[..., Cost]] = {}
"""Costs that a measure's name can spell, such as ``gie(cost=decayed(w0=0.5))``."""

CostClass = TypeVar("CostClass", bound=Callable[..., Cost])


def named_cost(name: str) -> Callable[[CostClass], CostClass]:
    """Let measures spell a class of costs: all that a cost needs to be known everywhere.

    Parameters
    ----------
    name
        What it is called, as in ``gie(cost=name(option=1))``. A later class of the same name
        takes its place.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @named_cost("flat")
    ... @dataclass(frozen=True)
    ... class Flat:
    ...     height: float = 1
    ...     def __call__(self, pairs):
    ...         return self.height * (pairs.predicted != pairs.true)
    >>> cost_text("flat"), NAMED.pop("flat")(2)
    ('flat(height=1)', Flat(height=2))
    """

    def known(cost: CostClass) -> CostClass:
        NAMED[name] = cost
        return cost

    return known


def cost_text(cost: str | Cost) -> str | Cost:
    """Return the complete text of a named cost; a callable passes through.

    >>> cost_text("wu_palmer"), cost_text(" wu_palmer( depth = max )")
    ("wu_palmer(depth='min')", "wu_palmer(depth='max')")
    """
    if not isinstance(cost, str):
        return cost
    options = ",".join(f"{k}={_plain(v)!r}" for k, v in vars(cost_named(cost)).items())
    name = _split(cost)[0]
    return f"{name}({options})" if options else name


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
    try:
        call = ast.parse(cost.strip() if rest else f"{name}()", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError("no call")
        options = {str(k.arg): _literal(k.value) for k in call.keywords}
        return NAMED[name](*map(_literal, call.args), **options)
    except BadInput:
        raise
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        raise BadInput(
            f"cannot read the cost {shown(cost)}; write it like decayed(w0=0.5), a cost from a "
            "file like matrix('FILE')"
        ) from None


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
    if isinstance(node, ast.Name) and node.id not in ("nan", "inf"):
        return node.id
    return ast.literal_eval(node)


def check_choices(given: object, **known: Iterable[Any]) -> None:
    """Refuse options of a cost or constraint that are none of those known."""
    for option, choices in known.items():
        if getattr(given, option) not in choices:
            several, got = ", ".join(map(repr, choices)), shown(getattr(given, option))
            raise BadInput(f"{option} must be one of {several}, got {got}")


def check_number(
    what: str,
    given: Any,
    which: str = "a finite number ≥ 0",
    right: Callable[[float], bool] = lambda x: 0 <= x < LARGEST_NUMBER,
) -> None:
    """Refuse what is no number of the kind that is wanted."""
    numeric = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
    if not (numeric and right(given)):
        raise BadInput(f"{what} must be {which}, got {shown(given)}")
