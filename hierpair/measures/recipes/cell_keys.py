"""Keys of instance, class and side: sorting them brings equal cells together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets

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

Sorted = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_], NDArray[np.bool_]]
"""Where instances begin, the classes of each, and which side has each class."""


@dataclass(frozen=True)
class KeyLayout:
    """How instance, class and side share the bits of a key.

    Parameters
    ----------
    n_classes
        Number of classes.
    with_both
        Whether there is a mark for "both sides" between the one of the truth, 0, and the one of
        the prediction.
    wide
        Whether there may be more instances than 32 bits can hold.
    """

    n_classes: int
    with_both: bool
    wide: bool = False

    @property
    def of_prediction(self) -> int:
        """The mark of the predicted side."""
        return 2 if self.with_both else 1

    @property
    def side_bits(self) -> int:
        """The lowest bits of a key, of the side."""
        return self.of_prediction.bit_length()

    @property
    def bits(self) -> int:
        """The bits of class and side."""
        return max(1, (self.n_classes - 1).bit_length()) + self.side_bits

    @property
    def narrow(self) -> bool:
        """Whether keys have 32 bits, which leaves some for instances."""
        return not self.wide and self.bits <= MOST_CLASS_BITS

    @property
    def key_type(self) -> Any:
        """The number type of keys."""
        return np.uint32 if self.narrow else np.int64

    @property
    def most_rows(self) -> int:
        """How many instances a narrow key can tell apart."""
        return 1 << KEY_BITS - self.bits

    def owners(self, row: NDArray[np.int64], side: NDArray[np.integer] | int) -> NDArray[Any]:
        """Return the part of keys that instances and sides give."""
        owners: NDArray[Any] = (row << self.bits | side).astype(self.key_type)
        return owners

    def keys(self, classes: NDArray[np.integer], owners: NDArray[Any]) -> NDArray[Any]:
        """Return the keys of some classes."""
        keys = classes.astype(self.key_type)
        keys <<= self.side_bits
        keys |= owners
        return keys


def distinct(keys: NDArray[Any], n_rows: int, layout: KeyLayout) -> Sorted:
    """Return the cells of sorted keys: classes of every instance, and the sides that have them.

    Equal cells stand together, the truth first.
    """
    cell = keys >> layout.side_bits
    new = np.ones(len(keys) + 1, dtype=bool)
    np.not_equal(cell[1:], cell[:-1], out=new[1:-1])
    edge = np.flatnonzero(new)
    first = keys.take(edge[:-1])
    edge -= 1
    last = keys.take(edge[1:])
    side = (1 << layout.side_bits) - 1  # in a byte that is found faster than in all bits
    in_true = (first.astype(np.uint8) & side) != layout.of_prediction
    in_pred = (last.astype(np.uint8) & side) != 0
    row = first >> layout.bits
    begins = np.ones(len(row), dtype=bool)
    np.not_equal(row[1:], row[:-1], out=begins[1:])
    start = np.flatnonzero(begins)
    lengths = np.zeros(n_rows, dtype=np.int64)
    lengths[row[start]] = np.diff(start, append=len(row))
    first >>= layout.side_bits
    first &= (1 << (layout.bits - layout.side_bits)) - 1
    return offsets(lengths), first.astype(np.int32, copy=False), in_true, in_pred


def sort_runs(keys: NDArray[Any]) -> None:
    """Sort keys in place that come in runs, each of them in order.

    Where NumPy's sort has instructions of the processor for it, nothing is faster; where it has
    none, merging runs takes a third of its time. So both are tried once: no number depends on it.
    """
    keys.sort(kind=None if len(keys) < TRIED_KEYS else _quicker(keys.dtype))


@cache
def _quicker(key_type: np.dtype[Any]) -> Literal["stable"] | None:
    """Return the quicker way of sorting runs on this machine."""
    mixed = np.arange(TRIED_KEYS, dtype=np.int64) * 40_503 % 2**16  # odd: every number once
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
