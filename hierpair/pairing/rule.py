"""Pairing rules, and the problems that they make of the pairs of a batch."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, HierpairError, called, shown
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.pairing.constraints.builder import Builder
from hierpair.pairing.constraints.source import Source, constraint_text
from hierpair.pairing.costs.lexicographic import Bottleneck, Lexicographic
from hierpair.pairing.network.compiled import check_exact
from hierpair.pairing.network.least_largest import limited
from hierpair.pairing.pair_order import NamedPairs
from hierpair.pairing.pairs import SIDES, Array, Pairs
from hierpair.pairing.problem import PairingProblem

__all__ = ["Rule", "checked_cost", "formulate"]


@dataclass(frozen=True)
class Rule:
    """A pairing rule: a cost for every pair and the constraints on who is paired with whom.

    Parameters
    ----------
    cost
        Any vectorised callable that takes :class:`Pairs` and returns one cost per pair
        (inf: the pair is impossible), such as ``Hops()`` or ``lambda pairs: pairs.distance``.
    constraints
        Constraints: callables that write on a :class:`Builder`, such as ``Degree("true", 1, 1)``.
        They all hold together, in any order; two that contradict each other are an error.
    signed
        Allow negative costs.
    """

    cost: Callable[[Pairs], Array]
    constraints: tuple[Callable[[Builder], None], ...]
    signed: bool = False

    def __post_init__(self) -> None:
        if not callable(self.cost):
            raise BadInput(f"a cost must be callable, got {shown(self.cost)}")
        if not isinstance(self.constraints, Iterable):
            raise BadInput(
                f"constraints come as a tuple, (…,) for a single one; got {shown(self.constraints)}"
            )
        object.__setattr__(self, "constraints", tuple(self.constraints))
        odd = [d for d in self.constraints if not callable(d)]
        if odd:
            raise BadInput(f"a constraint must be callable, got {shown(odd[0])}")

    @property
    def spans(self) -> Literal["instance", "data set"]:
        """Whether every instance is solved alone, or quotas make one problem of the data set."""
        over_all = any(getattr(c, "spans", "instance") == "data set" for c in self.constraints)
        return "data set" if over_all else "instance"

    @property
    def named_pairs(self) -> tuple[NamedPairs, ...]:
        """The pairs that its constraints name, whose order has to be right."""
        parts = [v for d in self.constraints for v in getattr(d, "__dict__", {}).values()]
        return tuple(v for v in parts if isinstance(v, NamedPairs))


def formulate(rule: Rule, pairs: Pairs) -> PairingProblem:
    """Apply a rule to all pairs of a batch.

    Raises
    ------
    BadInput
        For costs of the wrong shape, NaN or (unless ``rule.signed``) negative ones; for
        constraints that contradict themselves or each other, which names both; and for a pair of
        names that occurs only the other way round.
    """
    builder = _written(rule, pairs)
    cost = rule.cost.cost if isinstance(rule.cost, Bottleneck) else rule.cost
    parts = cost.costs if isinstance(cost, Lexicographic) else (cost,)
    if any(isinstance(part, Bottleneck) for part in parts):
        raise BadInput(
            "a Bottleneck cannot be one of several costs: Bottleneck(Lexicographic((…))) minimises "
            "the largest of the first cost before all of them"
        )
    costs = [checked_cost(cost, pairs, signed=rule.signed) for cost in parts]
    problem = builder.problem(costs)
    for k, count in enumerate(problem.counts):
        if not rule.signed and any((t < 0).any() for t in count.table):
            raise BadInput(
                f"{count.source}, has a negative cost; a rule whose costs may be negative is "
                "Rule(…, signed=True)"
            )
        if count.n_costs > len(costs):
            what = "a default" if k < len(SIDES) else str(count.source)
            raise BadInput(
                f"{what} has {count.n_costs} costs and the cost of pairs {len(costs)}; "
                "lexicographic costs are a Lexicographic of as many"
            )
    if isinstance(rule.cost, Bottleneck):
        if problem.joined:
            raise BadInput(
                f"{problem.quotas[0].source}, joins all instances, and a Bottleneck is of each; "
                "leave out one of them"
            )
        problem = limited(problem)
    if len(costs) > 1:
        check_exact(problem)
    return problem


def _written(rule: Rule, pairs: Pairs) -> Builder:
    """Return what the constraints say."""
    builder = Builder(pairs)
    for number, constraint in enumerate(rule.constraints, start=1):
        builder.source = Source(number, constraint_text(constraint))
        _run(constraint, builder)
    return builder


def checked_cost(part: Callable[[Pairs], Any], pairs: Pairs, *, signed: bool = False) -> Array:
    """Run a cost and refuse what is none."""
    cost = np.asarray(_run(part, pairs))
    name = called(part)
    if cost.shape != pairs.instance.shape:
        raise BadInput(
            f"the cost {name} must return one number per pair {pairs.instance.shape}, "
            f"got shape {cost.shape}"
        )
    if cost.dtype.kind not in "iufbO":
        raise BadInput(f"the cost {name} must return numbers, got {cost.dtype}")
    try:
        values = cost.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"the cost {name} must return numbers") from None
    wrong = np.isnan(values) | (np.isneginf(values) if signed else values < 0)
    if values.max(initial=0) >= LARGEST_NUMBER or values.min(initial=0) <= -LARGEST_NUMBER:
        wrong |= (np.abs(values) >= LARGEST_NUMBER) & ~np.isinf(values)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise BadInput(
            f"the pair {pairs.text(at)} has the cost {cost[at]} from {name}; a cost "
            "must be a number ≥ 0 and below 1e100, or inf for an impossible pair",
            int(pairs.instance[at]),
        )
    return cost


def _run(part: Callable[..., Any], given: Any) -> Any:
    """Run a cost or a constraint, which may be a user's own code."""
    try:
        return part(given)
    except HierpairError:
        raise
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise BadInput(
            f"{called(part)} failed: {type(error).__name__}: {error} "
            f"({Path(where.filename).name}:{where.lineno})"
        ) from error
