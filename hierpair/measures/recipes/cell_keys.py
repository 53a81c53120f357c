"""Keys of instance, class and side: sorting them brings equal cells together."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.hierarchy.arrays import Array, Bools, Indices, Ints, Shorts, offsets

__all__ = ["KeyLayout", "Sorted", "distinct", "sort_runs"]

KEY_BITS = 32
"""Bits of a key of instance, class and side,"""

MOST_CLASS_BITS = 24
"""of which class and side may take so many: with more it would hold fewer than 256 instances, and
keys of 64 bits are used."""

TRIED_KEYS = 8_192
"""Keys on which two ways of sorting are tried once; fewer keys are sorted without a trial."""

TRIALS = 3
"""How often each is tried; the quickest time counts."""

Sorted = tuple[Ints, Shorts, Bools, Bools]
"""Where instances begin, the classes of each, and which side has each class."""


class KeyLayout(NamedTuple):
    """How instance, class and side share the bits of a key.

    The lowest ``side_bits`` are of the side: 0 is the truth, ``predicted`` the prediction, and what
    lies between them both sides. Class and side take ``bits``, the instance those above.
    """

    predicted: int
    side_bits: int
    bits: int
    key_type: Any

    @classmethod
    def of(cls, n_classes: int, *, with_both: bool, wide: bool = False) -> KeyLayout:
        """Lay out keys.

        Parameters
        ----------
        n_classes
            Number of classes.
        with_both
            Whether there is a mark for both sides.
        wide
            Whether there are more instances than narrow keys can tell apart.
        """
        predicted = 2 if with_both else 1
        side_bits = predicted.bit_length()
        bits = max(1, int(n_classes - 1).bit_length()) + side_bits
        narrow = bits <= MOST_CLASS_BITS and not wide
        return cls(predicted, side_bits, bits, np.uint32 if narrow else np.int64)

    @property
    def with_both(self) -> bool:
        """Whether there is a mark for both sides."""
        return self.predicted == 2

    @property
    def most_rows(self) -> int | None:
        """How many instances a narrow key can tell apart; None where the key is wide."""
        return 1 << max(0, KEY_BITS - self.bits) if self.key_type is np.uint32 else None

    def owners(self, row: Ints, side: Indices | int) -> Array:
        """Return the part of keys that instances and sides give."""
        owners: Array = (row << self.bits | side).astype(self.key_type)
        return owners

    def keys(self, classes: Indices, owners: Array) -> Array:
        """Return the keys of some classes."""
        keys = classes.astype(self.key_type)
        keys <<= self.side_bits
        keys |= owners
        return keys


def distinct(keys: Array, n_rows: int, layout: KeyLayout) -> Sorted:
    """Return the cells of sorted keys: classes of every instance, and the sides that have them.

    Equal cells stand together, the truth first.
    """
    side_bits, predicted = layout.side_bits, layout.predicted
    cell = keys >> side_bits
    new = np.ones(len(keys) + 1, dtype=bool)
    np.not_equal(cell[1:], cell[:-1], out=new[1:-1])
    edge = np.flatnonzero(new)
    first = keys.take(edge[:-1])
    edge -= 1
    last = keys.take(edge[1:])
    side = (1 << side_bits) - 1  # in a byte that is found faster than in all bits
    in_true = (first.astype(np.uint8) & side) != predicted
    in_pred = (last.astype(np.uint8) & side) != 0
    row = first >> layout.bits
    begins = np.ones(len(row) + 1, dtype=bool)
    np.not_equal(row[1:], row[:-1], out=begins[1:-1])
    begin = np.flatnonzero(begins)
    lengths = np.zeros(n_rows, dtype=np.int64)
    lengths[row[begin[:-1]]] = begin[1:] - begin[:-1]
    first >>= side_bits
    first &= (1 << (layout.bits - side_bits)) - 1
    return offsets(lengths), first.astype(np.int32, copy=False), in_true, in_pred


def sort_runs(keys: Array) -> None:
    """Sort keys in place that come in runs, each of them in order.

    Where NumPy's sort has instructions of the processor for it, nothing is faster; where it has
    none, merging runs takes a third of its time. So both are tried once: no number depends on it.
    """
    keys.sort(kind=None if len(keys) < TRIED_KEYS else _quicker(keys.dtype))


@cache
def _quicker(key_type: np.dtype[Any]) -> Literal["stable"] | None:
    """Return the quicker way of sorting runs on this machine."""
    mixed = np.arange(TRIED_KEYS, dtype=np.int64) * 40_503 % TRIED_KEYS  # each number once
    runs = np.sort(mixed.reshape(-1, 32), axis=1).reshape(-1, 256)
    sample = (runs | np.arange(len(runs))[:, None] << 16).ravel().astype(key_type)

    def seconds(kind: Literal["stable"] | None) -> float:
        times = []
        for _ in range(TRIALS):
            keys = sample.copy()
            start = perf_counter()
            keys.sort(kind=kind)
            times.append(perf_counter() - start)
        return min(times)

    return "stable" if seconds("stable") < seconds(None) else None
