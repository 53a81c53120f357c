"""Floats as whole numbers of 32-bit limbs: sums that no order of addition changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats, Ints, ratio

BITS = 32
"""Bits of one limb of a sum."""

BASE = 1 << BITS

LARGEST_DIVISOR = 1 << 31


def limbs_of(values: Floats) -> tuple[int, list[Floats]]:
    """Return numbers as whole limbs below 2³² in size, and the exponent of the lowest one."""
    top = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    power = -(-top // BITS)
    rest, limbs = values, list[Floats]()
    while rest.any():
        power -= 1
        limb = np.trunc(np.ldexp(rest, -BITS * power))
        rest = rest - np.ldexp(limb, BITS * power)
        limbs.append(limb)
    return power if limbs else 0, limbs[::-1]


def canonical(lowest: int, table: Ints) -> tuple[int, Ints]:
    """Return sums with as few limbs as possible, all but the highest in [0, 2³²)."""
    limbs = np.pad(table, ((0, 1), (0, 0)))
    for k in range(len(table)):
        limbs[k + 1] += limbs[k] >> BITS
        limbs[k] &= BASE - 1
    while len(limbs) > 1 and _only_signs(limbs[-1], limbs[-2]):
        limbs[-2] += limbs[-1] << BITS
        limbs = limbs[:-1]
    used = np.flatnonzero(limbs.any(axis=1))[:1].tolist()
    return (lowest + used[0], limbs[used[0] :]) if used else (0, table[:0])


def _only_signs(high: Ints, low: Ints) -> bool:
    """Whether two limbs are one: the high one only says which numbers are negative."""
    return bool(((high == 0) | ((high == -1) & (low > 0))).all())


@dataclass(frozen=True, eq=False)
class LimbSums:
    """Exact sums that are not negative."""

    lowest: int
    limbs: Ints

    def __post_init__(self) -> None:
        lowest, limbs = canonical(self.lowest, self.limbs)
        object.__setattr__(self, "lowest", lowest)
        object.__setattr__(self, "limbs", limbs)

    def floats(self, rest: Bools | int = 0) -> Floats:
        """Return the sums as floats, each rounded once; with a ``rest``, a bit more than that.

        They are rounded where the numbers of 53 and 43 bits that the first three limbs make are
        added; that there is anything below these is said by the last bit, which no rounding keeps.
        """
        table = np.pad(self.limbs, ((2, 0), (0, 0)))
        every = np.arange(table.shape[1])
        top = len(table) - 1 - np.argmax(table[::-1] != 0, axis=0)
        high, middle, low = (table[top - k, every] for k in range(3))
        rest = rest | (high > 0) & (np.argmax(table != 0, axis=0) < top - 2)
        upper, lower = high << 21 | middle >> 11, (middle & 0x7FF) << BITS | low | rest
        found: Floats = np.ldexp(np.ldexp(upper, 43) + lower, BITS * (self.lowest + top - 4))
        return found

    def over(self, below: Floats) -> Floats:
        """Return sums divided by numbers ≥ 0; NaN for 0.

        Each is rounded once where it is divided by a whole number below 2³¹, otherwise twice.
        """
        if not ((below == np.floor(below)) & (below < LARGEST_DIVISOR)).all():
            return ratio(self.floats(), below)
        n = np.maximum(below, 1).astype(np.int64)
        quotient = np.pad(self.limbs, ((3, 0), (0, 0)))  # as many limbs as a float has room for
        left = np.zeros(len(n), dtype=np.int64)
        for limb in quotient[::-1]:
            limb[:], left = np.divmod(left << BITS | limb, n)
        return np.where(below > 0, LimbSums(self.lowest - 3, quotient).floats(left != 0), np.nan)


def running_sums(values: Floats, first: Bools, order: Ints, ends: Ints) -> LimbSums:
    """Return what the last values of all rows add up to, up to some places of an order; -1: 0."""
    lowest, limbs = limbs_of(values)
    table = np.zeros((len(limbs), len(ends)), dtype=np.int64)
    for k, limb in enumerate(limbs):
        change = limb.astype(np.int64)
        change[1:] -= np.where(first[1:], 0, change[:-1])
        table[k] = np.append(np.cumsum(change[order]), 0)[ends]
    return LimbSums(lowest, table)
