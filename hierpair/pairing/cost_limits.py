"""How dear a pair or a missing partner may be in every instance, where that is minimised first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.pairs import Side

__all__ = ["CostLimit"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CostLimit:
    """Costs by their rank among all different ones, and up to which of them is paid.

    Attributes
    ----------
    of_pair, of_default
        Ranks of the costs of pairs and, by side, of missing partners.
    rank, below
        Of every instance the rank of the largest cost that may be paid, and of the next smaller
        one that it has; -1 where there is none.
    largest
        The largest cost that may be paid; nan in an instance without a pairing.
    candidate, open
        What could be chosen at any cost: pairs and, by side, missing partners.
    """

    of_pair: Ints
    of_default: dict[Side, Ints]
    rank: Ints
    below: Ints
    largest: NDArray[np.float64]
    candidate: NDArray[np.bool_]
    open: dict[Side, NDArray[np.bool_]]

    def part(self, instance: int, pairs: slice, labels: dict[Side, slice]) -> CostLimit:
        """Return it for one instance, which has these pairs and labels."""
        one = slice(instance, instance + 1)
        return replace(
            self,
            of_pair=self.of_pair[pairs],
            of_default={s: self.of_default[s][labels[s]] for s in labels},
            rank=self.rank[one],
            below=self.below[one],
            largest=self.largest[one],
            candidate=self.candidate[pairs],
            open={s: self.open[s][labels[s]] for s in labels},
        )

    def allowed(
        self, rank: Ints, of_instance: Ints, of_labels: dict[Side, Ints]
    ) -> tuple[NDArray[np.bool_], dict[Side, NDArray[Any]]]:
        """Return what may be chosen at costs up to a rank in every instance: pairs, and missing."""
        pairs = self.candidate & (self.of_pair <= rank[of_instance])
        missing = {
            s: self.open[s] & (self.of_default[s] <= rank[owner]) for s, owner in of_labels.items()
        }
        return pairs, missing
