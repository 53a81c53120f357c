"""Random draws of instances as rows of numbers, in the forms that sums of columns take."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hierpair.hierarchy.arrays import Floats

__all__ = ["Draws"]


@dataclass(frozen=True, eq=False)
class Draws:
    """How often every instance counts, a row per draw.

    Attributes
    ----------
    numbers
        Shape ``(rows, n_instances)``, none below 0.
    forms
        What :meth:`by_instance` made of them by type, which samples share.

    Examples
    --------
    >>> draws = Draws.of([[0, 1, 1], [2, 0, 1]])
    >>> draws.by_instance(np.float32).tolist(), draws.most
    ([[0.0, 2.0], [1.0, 0.0], [1.0, 1.0]], (2.0, 3.0))
    """

    numbers: NDArray[Any]
    forms: dict[Any, NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, weights: Draws | ArrayLike) -> Draws:
        """Return draws as they are, or rows of weights as draws."""
        return weights if isinstance(weights, Draws) else cls(np.asarray(weights))

    def __len__(self) -> int:
        return len(self.numbers)

    def rows(self, lo: int, hi: int) -> Draws:
        """Return some of the draws."""
        return self if lo <= 0 and hi >= len(self) else Draws(self.numbers[lo:hi])

    @cached_property
    def floats(self) -> Floats:
        """The numbers as floats of 64 bits."""
        return self.numbers.astype(np.float64, copy=False)

    @cached_property
    def are_whole(self) -> bool:
        """Whether all are whole numbers."""
        integers = self.numbers.dtype.kind in "biu"
        return integers or bool((self.numbers == np.rint(self.numbers)).all())

    @cached_property
    def most(self) -> tuple[float, float]:
        """The largest number, and the largest sum of a row."""
        rows = self.numbers.sum(axis=1, dtype=np.float64)
        return float(self.numbers.max(initial=0)), float(rows.max(initial=0.0))

    def by_instance(self, dtype: DTypeLike) -> NDArray[Any]:
        """Return the numbers with a row per instance, as sparse columns multiply them."""
        if dtype not in self.forms:
            self.forms[dtype] = np.ascontiguousarray(self.numbers.T, dtype=dtype)
        return self.forms[dtype]
