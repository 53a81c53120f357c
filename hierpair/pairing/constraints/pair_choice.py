"""Constraints on single pairs: which may not, and which must be chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hierpair.hierarchy.arrays import Bools
from hierpair.pairing.constraints.builder import Builder
from hierpair.pairing.constraints.numbers import numbers_of, spread
from hierpair.pairing.pair_order import NamedPairs, named_pairs
from hierpair.pairing.pairs import Array, Pairs

__all__ = ["Forbid", "MaxDistance", "Require"]


@dataclass(frozen=True)
class Forbid:
    """Pairs for which the vectorised predicate is true, or that are listed, may not be chosen.

    ``when`` is a callable on :class:`Pairs`, or a tuple of ``(predicted, true)`` names, as for
    :class:`Require`.
    """

    when: Callable[[Pairs], Bools] | NamedPairs

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", named_pairs(self.when, "forbid"))

    def __call__(self, builder: Builder) -> None:
        """Leave the arcs out."""
        builder.count("pair", 0, 0, where=self.when(builder.pairs))


@dataclass(frozen=True)
class Require:
    """Pairs for which the predicate is true, or that are listed, must be chosen.

    ``pairs`` is a callable on :class:`Pairs`, or a tuple of ``(predicted, true)`` names, which
    binds wherever an instance has both labels on these sides. Names that occur nowhere in this
    order but do in the other are an error.
    """

    pairs: Callable[[Pairs], Bools] | NamedPairs

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", named_pairs(self.pairs, "require"))

    def __call__(self, builder: Builder) -> None:
        """Put a lower bound of 1 on the arcs."""
        builder.count("pair", 1, where=self.pairs(builder.pairs))


@dataclass(frozen=True)
class MaxDistance:
    """Classes more than ``limit`` edges apart may not be paired.

    ``limit`` is a number, or a callable that takes :class:`Pairs` and returns one per pair.
    """

    limit: float | Callable[[Pairs], Array]

    def __call__(self, builder: Builder) -> None:
        """Leave the arcs out."""
        pairs, what = builder.pairs, "a largest distance"
        given, n = self.limit, -1  # one number, or from a function one per pair
        if callable(given):
            given, n = spread(given, pairs, what)[0], len(pairs)
        limit = numbers_of(given, n, what, pairs.place)
        builder.count("pair", 0, 0, where=pairs.distance > limit)
