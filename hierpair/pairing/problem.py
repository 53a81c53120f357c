"""The pairing problems of a whole batch of instances, and the rules that make them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierpairError, called, shown
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.pairing.constraints.bounds import Source, constraint_text
from hierpair.pairing.constraints.builder import Builder, Remark
from hierpair.pairing.constraints.groups import Grouping
from hierpair.pairing.costs.edge_costs import Lexicographic
from hierpair.pairing.costs.lexicographic import one_cost
from hierpair.pairing.pair_order import NamedPairs
from hierpair.pairing.pairs import Labels, Pairs, Side

__all__ = ["PairingProblem", "Rule", "checked_cost", "formulate"]


@dataclass(frozen=True, eq=False)
class PairingProblem:
    """Problem 1 of Kosmopoulos et al. (2014, §2.3) for a whole batch of instances.

    Minimise the total cost of the chosen pairs plus, for every partner that a label lacks of
    its ``lower``, its default cost. All arrays are NumPy arrays over labels or pairs.

    Attributes
    ----------
    pairs
        All pairs; only those in ``candidate`` may be chosen.
    candidate, required, cost
        Over the pairs: may be chosen, must be chosen, cost.
    lower, upper, default
        By side, over its labels: bounds on the number of partners, and the cost of one
        missing partner (inf: none may be missing).
    total
        Over the instances: least and largest number of chosen pairs, or None.
    groupings
        Nested bounds, outermost first.
    first_turn
        For costs in turn, which are then one whole number each: the first of them, of the
        pairs and by side of the defaults. It makes the cost. None for a single cost.
    kinds
        The verbs of the builder that made it. A network is reduced only for verbs that it is
        proved for; None, not known, is solved in full.
    remarks
        What has to be known beside the costs, and of which instances.
    impossible
        Instances that cannot have a pairing whatever is chosen, and why.
    """

    pairs: Pairs
    candidate: NDArray[np.bool_]
    required: NDArray[np.bool_]
    cost: NDArray[Any]
    lower: dict[Side, NDArray[np.int64]]
    upper: dict[Side, NDArray[np.int64]]
    default: dict[Side, NDArray[Any]]
    total: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    groupings: tuple[Grouping, ...]
    first_turn: tuple[NDArray[Any], dict[Side, NDArray[Any]]] | None = None
    kinds: frozenset[str] | None = None
    remarks: tuple[Remark, ...] = ()
    impossible: tuple[Remark, ...] = ()

    @property
    def n_instances(self) -> int:
        """Number of instances in the batch."""
        return len(self.pairs.ptr) - 1

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.predicted_labels if side == "predicted" else self.pairs.true_labels


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

    cost: Callable[[Pairs], NDArray[Any]]
    constraints: tuple[Callable[[Builder], None], ...]
    signed: bool = False

    def __post_init__(self) -> None:
        if not callable(self.cost):
            raise BadInput(f"a cost must be callable, got {shown(self.cost)}")
        if not isinstance(self.constraints, Iterable):
            raise BadInput(f"constraints come as a tuple, (…,) for a single one; "
                           f"got {shown(self.constraints)}")  # fmt: skip
        object.__setattr__(self, "constraints", tuple(self.constraints))
        odd = [d for d in self.constraints if not callable(d)]
        if odd:
            raise BadInput(f"a constraint must be callable, got {shown(odd[0])}")

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
    builder = Builder(pairs)
    for number, constraint in enumerate(rule.constraints, start=1):
        builder.speaking(Source(number, constraint_text(constraint)))
        _run(constraint, builder)
    said = builder.compiled()
    turns = rule.cost.costs if isinstance(rule.cost, Lexicographic) else (rule.cost,)
    costs = [checked_cost(cost, pairs, signed=rule.signed) for cost in turns]
    impossible = np.any([np.isposinf(p.astype(np.float64)) for p in costs], axis=0)
    candidate = said.candidate & ~impossible
    late = max((turn for side in said.default_in_turn.values() for turn in side), default=0)
    if late >= len(turns):
        raise BadInput(
            f"a default has {late + 1} costs and the cost of pairs {len(turns)}; "
            "costs in turn are an Lexicographic of as many"
        )
    cost, default, first_turn = costs[0], said.default, None
    if len(turns) > 1:
        first_turn = (cost, default)
        cost, default = one_cost(builder, said, costs, candidate)
    return PairingProblem(
        pairs, candidate, said.required, cost, said.lower, said.upper,
        default, said.total, said.groupings, first_turn,
        said.kinds, said.remarks, said.impossible,
    )  # fmt: skip


def checked_cost(
    part: Callable[[Pairs], Any], pairs: Pairs, *, signed: bool = False
) -> NDArray[Any]:
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
