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
from hierpair.pairing.constraints.builder import Draft, Remark
from hierpair.pairing.constraints.groups import Grouping
from hierpair.pairing.costs.edge_costs import InTurn
from hierpair.pairing.costs.lexicographic import one_price
from hierpair.pairing.pair_order import NamedPairs
from hierpair.pairing.pairs import Labels, Pairs, Side

__all__ = ["PairingProblem", "Rule", "checked_price", "formulate"]


@dataclass(frozen=True, eq=False)
class PairingProblem:
    """Problem 1 of Kosmopoulos et al. (2014, §2.3) for a whole batch of instances.

    Minimise the total price of the chosen pairs plus, for every partner that a label lacks of
    its ``at_least``, its default price. All arrays are NumPy arrays over labels or pairs.

    Attributes
    ----------
    pairs
        All pairs; only those in ``candidate`` may be chosen.
    candidate, required, price
        Over the pairs: may be chosen, must be chosen, price.
    at_least, at_most, default
        By side, over its labels: bounds on the number of partners, and the price of one
        missing partner (inf: none may be missing).
    total
        Over the instances: least and largest number of chosen pairs, or None.
    groupings
        Nested bounds, outermost first.
    first_turn
        For prices in turn, which are then one whole number each: the first of them, of the
        pairs and by side of the defaults. It makes the cost. None for a single price.
    kinds
        The verbs of the draft that made it. A network is reduced only for verbs that it is
        proved for; None, not known, is solved in full.
    remarks
        What has to be known beside the costs, and of which instances.
    impossible
        Instances that cannot have a pairing whatever is chosen, and why.
    """

    pairs: Pairs
    candidate: NDArray[np.bool_]
    required: NDArray[np.bool_]
    price: NDArray[Any]
    at_least: dict[Side, NDArray[np.int64]]
    at_most: dict[Side, NDArray[np.int64]]
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
    """A pairing rule: a price for every pair and the demands on who is paired with whom.

    Parameters
    ----------
    price
        Any vectorised callable that takes :class:`Pairs` and returns one price per pair
        (inf: the pair is impossible), such as ``Hops()`` or ``lambda pairs: pairs.distance``.
    demands
        Constraints: callables that write on a :class:`Draft`, such as ``Partners("true", 1, 1)``.
        They all hold together, in any order; two that contradict each other are an error.
    signed
        Allow negative prices.
    """

    price: Callable[[Pairs], NDArray[Any]]
    demands: tuple[Callable[[Draft], None], ...]
    signed: bool = False

    def __post_init__(self) -> None:
        if not callable(self.price):
            raise BadInput(f"a price must be callable, got {shown(self.price)}")
        if not isinstance(self.demands, Iterable):
            raise BadInput(f"demands come as a tuple, (…,) for a single one; "
                           f"got {shown(self.demands)}")  # fmt: skip
        object.__setattr__(self, "demands", tuple(self.demands))
        odd = [d for d in self.demands if not callable(d)]
        if odd:
            raise BadInput(f"a demand must be callable, got {shown(odd[0])}")

    @property
    def named_pairs(self) -> tuple[NamedPairs, ...]:
        """The pairs that its constraints name, whose order has to be right."""
        parts = [v for d in self.demands for v in getattr(d, "__dict__", {}).values()]
        return tuple(v for v in parts if isinstance(v, NamedPairs))


def formulate(rule: Rule, pairs: Pairs) -> PairingProblem:
    """Apply a rule to all pairs of a batch.

    Raises
    ------
    BadInput
        For prices of the wrong shape, NaN or (unless ``rule.signed``) negative ones; for
        constraints that contradict themselves or each other, which names both; and for a pair of
        names that occurs only the other way round.
    """
    draft = Draft(pairs)
    for number, constraint in enumerate(rule.demands, start=1):
        draft.speaking(Source(number, constraint_text(constraint)))
        _run(constraint, draft)
    said = draft.compiled()
    turns = rule.price.prices if isinstance(rule.price, InTurn) else (rule.price,)
    prices = [checked_price(price, pairs, signed=rule.signed) for price in turns]
    impossible = np.any([np.isposinf(p.astype(np.float64)) for p in prices], axis=0)
    candidate = said.candidate & ~impossible
    late = max((turn for side in said.default_in_turn.values() for turn in side), default=0)
    if late >= len(turns):
        raise BadInput(
            f"a default has {late + 1} prices and the price of pairs {len(turns)}; "
            "prices in turn are an InTurn of as many"
        )
    price, default, first_turn = prices[0], said.default, None
    if len(turns) > 1:
        first_turn = (price, default)
        price, default = one_price(draft, said, prices, candidate)
    return PairingProblem(
        pairs, candidate, said.required, price, said.at_least, said.at_most,
        default, said.total, said.groupings, first_turn,
        said.kinds, said.remarks, said.impossible,
    )  # fmt: skip


def checked_price(
    part: Callable[[Pairs], Any], pairs: Pairs, *, signed: bool = False
) -> NDArray[Any]:
    """Run a price and refuse what is none."""
    price = np.asarray(_run(part, pairs))
    name = called(part)
    if price.shape != pairs.instance.shape:
        raise BadInput(
            f"the price {name} must return one number per pair {pairs.instance.shape}, "
            f"got shape {price.shape}"
        )
    if price.dtype.kind not in "iufbO":
        raise BadInput(f"the price {name} must return numbers, got {price.dtype}")
    try:
        values = price.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"the price {name} must return numbers") from None
    wrong = np.isnan(values) | (np.isneginf(values) if signed else values < 0)
    if values.max(initial=0) >= LARGEST_NUMBER or values.min(initial=0) <= -LARGEST_NUMBER:
        wrong |= (np.abs(values) >= LARGEST_NUMBER) & ~np.isinf(values)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise BadInput(
            f"the pair {pairs.text(at)} has the price {price[at]} from {name}; a price "
            "must be a number ≥ 0 and below 1e100, or inf for an impossible pair",
            int(pairs.instance[at]),
        )
    return price


def _run(part: Callable[..., Any], given: Any) -> Any:
    """Run a price or a constraint, which may be a user's own code."""
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
