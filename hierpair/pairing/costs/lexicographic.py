"""Costs that are minimised one after the other, or the largest of one first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.pairing.costs.named_costs import Cost
from hierpair.pairing.pairs import Array, Pairs

__all__ = ["Bottleneck", "Lexicographic"]


@dataclass(frozen=True)
class Lexicographic:
    """Several costs, minimised one after the other: a later one decides among equals only.

    The total of the first cost is the cost of a pairing. With it a ``Unmatched`` may have a tuple
    of costs; a single one counts as the first.

    Parameters
    ----------
    costs
        Vectorised callables like any cost; whole numbers, Fractions, or floats that are
        multiples of 2**-20.
    """

    costs: tuple[Cost, ...]

    def __post_init__(self) -> None:
        costs = tuple(self.costs) if isinstance(self.costs, (tuple, list)) else ()
        if not costs or not all(map(callable, costs)):
            raise BadInput(f"lexicographic costs are a tuple of callables, got {shown(self.costs)}")
        object.__setattr__(self, "costs", costs)

    def __call__(self, pairs: Pairs) -> Array:
        """Return the costs, shape ``(n_costs, n_pairs)``."""
        return np.stack([np.asarray(cost(pairs)) for cost in self.costs])


@dataclass(frozen=True)
class Bottleneck:
    """The least largest cost: of all pairings those whose dearest pair is as cheap as can be.

    Among these the sum of the costs is minimised, and it is the cost of the pairing. Costs of
    missing partners (``Unmatched``) count like those of pairs; costs of numbers of pairs are part
    of the sum only.

    Parameters
    ----------
    cost
        A cost of pairs, ≥ 0; or a :class:`Lexicographic`, of whose first cost the largest counts,
        and which decides among pairings of the same largest cost.

    Examples
    --------
    >>> from hierpair import Degree, Hops, Rule
    >>> rule = Rule(Bottleneck(Hops()), (Degree("true", 1, 1), Degree("predicted", 1, 1)))
    """

    cost: Cost | Lexicographic

    def __post_init__(self) -> None:
        if not callable(self.cost) or isinstance(self.cost, Bottleneck):
            raise BadInput(f"a bottleneck is that of a cost of pairs, got {shown(self.cost)}")

    def __call__(self, pairs: Pairs) -> Array:
        """Return the costs."""
        found: Array = self.cost(pairs)
        return found
