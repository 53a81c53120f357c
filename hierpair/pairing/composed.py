"""Costs made of others: several in order, the largest first, mistakes alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Indices
from hierpair.labels import LabelSets
from hierpair.pairing.named_costs import Cost
from hierpair.pairing.pairs import Array, Pairs, checked_cost

MOST_PAIRS = 50_000_000
"""Pairs that are tried, at most, for a cost that cannot tell its largest values itself."""

BLOCK_PAIRS = 1_000_000
"""Pairs tried at a time."""


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
            raise BadInput(f"a Bottleneck takes a cost of pairs, got {shown(self.cost)}")

    def __call__(self, pairs: Pairs) -> Array:
        """Return the costs."""
        found: Array = self.cost(pairs)
        return found


@dataclass(frozen=True)
class RightIsFree:
    """A cost of pairs that has to be 0 where the predicted class is the true one."""

    cost: Cost

    def __post_init__(self) -> None:
        if isinstance(self.cost, Bottleneck):
            raise BadInput(
                "a mean or sum of costs has no bottleneck; use Rule(Bottleneck(…), …) in a rule of "
                "your own"
            )

    def __call__(self, pairs: Pairs) -> Any:
        """Return the costs, and refuse a class that costs something to get right."""
        found = checked_cost(self.cost, pairs)
        names = pairs.hierarchy.names
        pairs.refuse(
            (pairs.predicted == pairs.true) & (found != 0),
            lambda at, _: (
                f"the cost of predicting {shown(names[pairs.true[at]])} where it is true "
                f"is {found[at]}; it must be 0"
            ),
        )
        return found

    def max_cost(self, hierarchy: Hierarchy, classes: Indices) -> Floats:
        """Return the largest cost of each of these true classes."""
        return max_costs(self.cost, hierarchy, classes)


def max_costs(cost: Cost, hierarchy: Hierarchy, classes: Indices) -> Floats:
    """Return the largest finite cost of each of these true classes, over all predicted classes.

    A cost that has a method ``max_cost(hierarchy, classes)`` is asked; others are tried on all
    classes, block by block.

    Raises
    ------
    BadInput
        If more than 50 million pairs would have to be tried.
    """
    if hasattr(cost, "max_cost"):
        known: Floats = cost.max_cost(hierarchy, classes)
        return known
    used, place = np.unique(classes, return_inverse=True)
    n = len(hierarchy)
    if len(used) * n > MOST_PAIRS:
        raise BadInput(
            f"the largest cost of {len(used):,} true classes would have to be looked for among "
            f"{n:,} classes each; give the costs as a matrix, or take mean_cost"
        )
    found, every = np.zeros(len(used)), np.arange(n)
    block = max(1, BLOCK_PAIRS // n)
    for lo in range(0, len(used), block):
        part = used[lo : lo + block]  # against all classes, as if both were sets of labels
        true, all_ = (LabelSets.from_arrays(np.array([0, len(x)]), x, n) for x in (part, every))
        tried = checked_cost(cost, Pairs.between(hierarchy, true, all_)).astype(np.float64)
        tried[np.isinf(tried)] = 0
        found[lo : lo + block] = tried.reshape(n, len(part)).max(axis=0)
    return found[place]
