"""Sets of pairs that span instances, with their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.constraints.bounds import NOBODY, Source
from hierpair.pairing.constraints.values import bounds_of
from hierpair.pairing.pairs import Pairs, SetsOf, Side

__all__ = ["BudgetSets"]


@dataclass(frozen=True, eq=False)
class BudgetSets:
    """Pairs of all instances that share a bound: of groups of labels, or of instances.

    Attributes
    ----------
    sets
        What the numbers of a constraint see of them.
    of_pair
        Position of every pair's set among these, -1 for none.
    lower, upper
        Bounds of every set, shape ``(n_sets,)``.
    source
        Which constraint gives them.
    """

    sets: SetsOf
    of_pair: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    source: Source = NOBODY

    @classmethod
    def of_numbers(
        cls,
        pairs: Pairs,
        side: Side | None,
        number: NDArray[np.integer],
        lower: Any,
        upper: Any,
        source: Source = NOBODY,
        *,
        by_class: bool = False,
    ) -> BudgetSets:
        """Lay sets out: ``number`` is given per label of the side, or per instance; -1: in none.

        Raises
        ------
        BadInput
            For bounds that are none or contradict themselves, and where instances are missing.
        """
        many, n_all = len(pairs.ptr) - 1, pairs.instances.n_all
        if many != n_all or not many:
            raise BadInput(
                f"{source}, is over all instances at once, and here are {many} of {n_all}; "
                "solve it with pair_data_set"
            )
        owner = pairs.instance if side is None else pairs.at(side)
        shape = (many,) if side is None else pairs.labels(side).classes.shape
        if number.shape != shape or number.dtype.kind not in "iu":
            one = "instance" if side is None else "label"
            raise BadInput(
                f"groups of {source}, must be one whole number per {one} {shape}, got "
                f"{number.dtype} of shape {number.shape}"
            )
        whose = number.astype(np.int64)
        found, at = np.unique(whose[whose >= 0], return_inverse=True)
        of_thing = np.full(len(whose), -1, dtype=np.int64)
        of_thing[whose >= 0] = at
        size = np.bincount(at, minlength=len(found))
        none = np.zeros(len(found), dtype=np.int64)
        sets = SetsOf(pairs.hierarchy, side or "true", none, found, size, side, by_class)
        low, high = (np.broadcast_to(x, found.shape) for x in bounds_of(lower, upper, sets))
        return cls(sets, of_thing[owner], low, high, source)

    @property
    def side(self) -> Side | None:
        """Of which side the labels are that are in the sets; None: of all pairs."""
        return self.sets.of

    @property
    def membership(self) -> NDArray[np.int64]:
        """Position of every member's set, -1 for none: the members are pairs."""
        return self.of_pair

    def place(self, at: int) -> tuple[str, None]:
        """Return one set in words, and that it is of no single instance."""
        return self.sets.place(at)
