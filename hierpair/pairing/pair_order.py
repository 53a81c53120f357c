"""Pairs by name, (predicted, true) everywhere, and whether they occur in that order at all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.hierarchy.building import plain_names
from hierpair.labels import LabelSets
from hierpair.pairing.pairs import Pairs

__all__ = ["NamedPairs", "OrderOfPairs", "named_pairs"]


@dataclass(frozen=True)
class NamedPairs:
    """Pairs of class names, (predicted, true); called with :class:`Pairs`, which of them they are.

    Raises
    ------
    BadInput
        For an unknown class, or a pair that occurs nowhere in this order but in the other one,
        if all instances that are evaluated together are there.
    """

    names: tuple[tuple[Hashable, Hashable], ...]
    verb: str

    def __repr__(self) -> str:
        return repr(self.names)

    def __call__(self, pairs: Pairs) -> Bools:
        """Return one truth value per pair."""
        mask = np.zeros(len(pairs.instance), dtype=bool)
        for predicted, true in self.names:
            p, t = pairs.hierarchy.index([predicted, true])
            mask |= (pairs.predicted == p) & (pairs.true == t)
        if pairs.n_all is None:
            order = OrderOfPairs()
            order.look([self], *pairs.label_sets, pairs.hierarchy)
            order.check()
        return mask


def named_pairs(given: Any, verb: str) -> Any:
    """Return a predicate on pairs: a callable as it is, names as :class:`NamedPairs`."""
    if callable(given):
        return given
    if isinstance(given, str):
        raise BadInput(f"give several names as a tuple, got {shown(given)}")
    if not isinstance(given, Iterable):
        raise BadInput(
            f"{verb} by a callable on pairs, got {shown(given)}; or by a tuple of (predicted, "
            "true) names"
        )
    # a set has another order in every run, which error messages would show
    listed = tuple(sorted(given, key=repr) if isinstance(given, Set) else given)
    if not all(isinstance(p, (tuple, list, np.ndarray)) and len(p) == 2 for p in listed):
        raise BadInput(f"{verb} (predicted, true) pairs of names, got {shown(given)}")
    return NamedPairs(tuple(tuple(plain_names(pair)) for pair in listed), verb)


@dataclass
class OrderOfPairs:
    """Whether pairs that rules name occur in their order, or only the other way round.

    Labels may be looked at part by part; the check comes last.
    """

    named: set[NamedPairs] = field(default_factory=set)
    right: set[tuple[Hashable, Hashable]] = field(default_factory=set)
    turned: dict[tuple[Hashable, Hashable], Any] = field(default_factory=dict)

    def look(
        self,
        named: Sequence[NamedPairs],
        y_true: LabelSets,
        y_pred: LabelSets,
        hierarchy: Hierarchy,
    ) -> None:
        """Note in which order pairs occur in some instances."""
        self.named |= set(named)
        wanted = {pair for pairs in named for pair in pairs.names} - self.right
        for predicted, true in wanted:
            p, t = hierarchy.index([predicted, true])
            if len(_shared(y_pred, p, y_true, t)):
                self.right.add((predicted, true))
            elif p != t and len(other := _shared(y_pred, t, y_true, p)):
                at = int(other[0])
                self.turned.setdefault((predicted, true), y_true.ids[at] if y_true.ids else at)

    def merge(self, other: OrderOfPairs) -> None:
        """Add what was seen elsewhere."""
        self.named |= other.named
        self.right |= other.right
        for pair, instance in other.turned.items():
            self.turned.setdefault(pair, instance)

    def check(self) -> None:
        """Refuse a pair that was seen only the other way round."""
        for named in sorted(self.named, key=repr):
            for predicted, true in named.names:
                if (predicted, true) in self.right or (predicted, true) not in self.turned:
                    continue
                if (true, predicted) in named.names:  # both orders are meant
                    continue
                raise BadInput(
                    f"{named.verb} ({predicted!r}, {true!r}): pairs are (predicted, true), and "
                    f"{predicted!r} is nowhere predicted where {true!r} is true; but {true!r} is "
                    f"predicted where {predicted!r} is true: write ({true!r}, {predicted!r})",
                    self.turned[predicted, true],
                )


def _shared(one: LabelSets, a: int, other: LabelSets, b: int) -> Ints:
    """Return the instances that have class ``a`` on one side and class ``b`` on the other."""
    return np.intersect1d(_having(one, a), _having(other, b))


def _having(sets: LabelSets, number: int) -> Ints:
    at = np.flatnonzero(sets.indices == number)
    rows: Ints = np.searchsorted(sets.indptr, at, side="right") - 1
    return rows
