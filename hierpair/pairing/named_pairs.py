"""Pairs that a rule names, (predicted, true), and whether they occur in this order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Bools, Ints, row_numbers
from hierpair.hierarchy.building import plain_names
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels import LabelSets
from hierpair.pairing.pairs import Pairs


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
        mask, order = np.zeros(len(pairs), dtype=bool), OrderOfPairs({self})
        for pair in self.names:
            for way in (pair, pair[::-1]):
                p, t = pairs.hierarchy.index(way)
                here = (pairs.predicted == p) & (pairs.true == t)
                order.note(way, pairs.instance[here])
                mask |= here & (way is pair)
        if pairs.n_all is None:
            order.check()
        return mask


def named_pairs(given: Any, verb: str) -> Any:
    """Return a predicate on pairs: a callable as it is, names as :class:`NamedPairs`."""
    if callable(given):
        return given
    # a set has another order in every run, which error messages would show
    listed = sorted(given, key=repr) if isinstance(given, Set) else given
    known = [] if isinstance(listed, str) or not isinstance(listed, Iterable) else [*listed]
    pairs = [p for p in known if isinstance(p, (tuple, list, np.ndarray)) and len(p) == 2]
    if len(pairs) < len(known) or isinstance(given, str) or not isinstance(given, Iterable):
        raise BadInput(
            f"{verb} by a callable on pairs, or by a tuple of (predicted, true) pairs of names, "
            f"got {shown(given)}"
        )
    return NamedPairs(tuple(tuple(plain_names(pair)) for pair in pairs), verb)


@dataclass
class OrderOfPairs:
    """Whether pairs that rules name occur in their order, or only the other way round.

    Labels may be looked at part by part; the check comes last. ``first`` has of each pair that
    occurs, (predicted, true), the first instance.
    """

    named: set[NamedPairs] = field(default_factory=set)
    first: dict[tuple[Hashable, Hashable], Any] = field(default_factory=dict)

    def look(
        self,
        named: Sequence[NamedPairs],
        y_true: LabelSets,
        y_pred: LabelSets,
        hierarchy: Hierarchy,
    ) -> None:
        """Note in which order pairs occur in some instances."""
        self.named |= set(named)
        pairs = {pair for each in named for pair in each.names}
        for pair in (pairs | {pair[::-1] for pair in pairs}) - self.first.keys():
            p, t = hierarchy.index(pair)
            said, true = row_numbers(y_pred.indptr), row_numbers(y_true.indptr)
            here = np.intersect1d(said[y_pred.indices == p], true[y_true.indices == t])
            self.note(pair, here, y_true.ids)

    def note(
        self, pair: tuple[Hashable, Hashable], here: Ints, ids: Sequence[Any] | None = None
    ) -> None:
        """Note in which instances a pair occurs."""
        for at in here[:1].tolist():
            self.first.setdefault(pair, ids[at] if ids else at)

    def check(self) -> None:
        """Refuse a pair that was seen only the other way round."""
        for named in sorted(self.named, key=repr):
            for predicted, true in named.names:
                turned = true, predicted
                # where both orders are named, both are meant
                known = (predicted, true) in self.first or turned in named.names
                if turned in self.first and not known:
                    raise BadInput(
                        f"{named.verb} ({predicted!r}, {true!r}): pairs are (predicted, true), and "
                        f"{predicted!r} is nowhere predicted where {true!r} is true; but {true!r} "
                        f"is predicted where {predicted!r} is true: write ({true!r}, "
                        f"{predicted!r})",
                        self.first[turned],
                    )
