"""Floats as whole numbers of 32-bit limbs: sums that no order of addition changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats, Ints, ratio

BITS = 32
"""Bits of one limb of a sum."""

HALF = BITS // 2

BASE = 1 << BITS

REST = BITS + 3
"""Bits that are known of a sum after the first 61."""

LARGEST_DIVISOR = 1 << 31


def limbs_of(values: Floats) -> tuple[int, list[Floats]]:
    """Return numbers as whole limbs below 2³² in size, and the exponent of the lowest one."""
    top = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    power = -(-top // BITS)
    rest, limbs = values, list[Floats]()
    while rest.any():
        power -= 1
        up, down = np.ldexp(1.0, -HALF * power), np.ldexp(1.0, HALF * power)
        limb = np.trunc(rest * up * up)  # twice by half the power, which a float has room for
        rest = rest - limb * down * down
        limbs.append(limb)
    return power if limbs else 0, limbs[::-1]


def canonical(lowest: int, table: Ints) -> tuple[int, Ints]:
    """Return sums with as few limbs as possible, all but the highest in [0, 2³²)."""
    limbs = [*table, np.zeros(table.shape[1], dtype=np.int64)]
    for k in range(len(table)):
        limbs[k + 1] = limbs[k + 1] + (limbs[k] >> BITS)
        limbs[k] = limbs[k] & (BASE - 1)
    while len(limbs) > 1 and _only_signs(limbs[-1], limbs[-2]):
        high = limbs.pop()
        limbs[-1] = limbs[-1] + (high << BITS)
    while limbs and not limbs[0].any():
        limbs.pop(0)
        lowest += 1
    return (lowest, np.array(limbs)) if limbs else (0, table[:0])


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

    def after_none(self, place: Ints) -> LimbSums:
        """Return the sums before these places: 0 at place 0."""
        return LimbSums(self.lowest, np.insert(self.limbs, 0, 0, axis=1)[:, place])

    def floats(self) -> Floats:
        """Return the sums as floats, each rounded once."""
        whole, rest, power = self._leading()
        return _scaled(whole, rest != 0, power)

    def over(self, below: Floats) -> Floats:
        """Return sums divided by numbers ≥ 0; NaN for 0.

        Each is rounded once where it is divided by a whole number below 2³¹, otherwise twice.
        """
        if not ((below == np.floor(below)) & (below < LARGEST_DIVISOR)).all():
            return ratio(self.floats(), below)
        n = np.maximum(below, 1).astype(np.int64)
        whole, rest, power = self._leading()
        more = np.frexp(n.astype(np.float64))[1].astype(np.int64)  # bits that it takes away
        quotient, left = np.divmod(whole, n)
        next_bits, left = np.divmod((left << more) + (rest >> (REST - more)), n)
        inexact = (left != 0) | (rest & ((np.int64(1) << (REST - more)) - 1) != 0)
        divided = _scaled((quotient << more) + next_bits, inexact, power - more)
        return np.where(below > 0, divided, np.nan)

    def _leading(self) -> tuple[Ints, Ints, Ints]:
        """Return the first 61 bits, what comes after them, and the power of 2 of the former.

        The rest is a whole number of 35 bits, the last of which stands for all below.
        """
        table = np.pad(self.limbs, ((3, 1), (0, 0)))
        every = np.arange(table.shape[1])
        top = len(table) - 1 - np.argmax(table[::-1] != 0, axis=0)
        high, middle, low, last = (table[top - k, every] for k in range(4))
        shift = BITS - np.frexp(high.astype(np.float64))[1].astype(np.int64)  # 32 bits first
        first = (high << shift) | (middle >> (BITS - shift))
        second = ((middle << shift) & (BASE - 1)) | (low >> (BITS - shift))
        third = ((low << shift) & (BASE - 1)) | (last >> (BITS - shift))
        below = np.cumsum(table != 0, axis=0)[top - 3, every] > (last != 0)
        below |= (last << shift) & (BASE - 1) != 0
        rest = ((second & 7) << BITS) | third | below
        return (first << 29) | (second >> 3), rest, BITS * (self.lowest + top - 3) - shift - 29


def _scaled(whole: Ints, inexact: Bools, power: Ints) -> Floats:
    """Return whole numbers of at least 55 bits as floats; the last bit says what was cut off."""
    return np.ldexp((whole | inexact).astype(np.float64), power)


def running_sums(values: Floats, first: Bools, order: Ints, ends: Ints) -> LimbSums:
    """Return what the last values of all rows add up to, up to some places of an order."""
    lowest, limbs = limbs_of(values)
    table = np.zeros((len(limbs), len(ends)), dtype=np.int64)
    for k, limb in enumerate(limbs):
        change = limb.astype(np.int64)
        change[1:] -= np.where(first[1:], 0, change[:-1])
        table[k] = np.cumsum(change[order])[ends]
    return LimbSums(lowest, table)
