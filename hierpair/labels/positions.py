"""Class numbers as nets have them: places in a list of classes that is given once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Array, Ints, array_of, offsets
from hierpair.labels.columns import depth_of
from hierpair.labels.naming import check_order
from hierpair.labels.sets import LabelSets


@dataclass(frozen=True, eq=False)
class Positions:
    """Which class of a hierarchy each place of a list is.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> places = Positions(tree, ["b", "a"])
    >>> places.named(np.array([0, 1])).names_of(0, tree)
    ['b']
    """

    hierarchy: Hierarchy
    classes: Sequence[Any]

    def __post_init__(self) -> None:
        check_order(self.classes, "classes")
        object.__setattr__(self, "classes", list(self.classes))
        if len({*self.numbers.tolist()}) < len(self.numbers):
            raise BadInput("classes name the class of every place, and here one is there twice")

    @cached_property
    def numbers(self) -> Ints:
        """The class number of every place."""
        return self.hierarchy.index(self.classes).astype(np.int64)

    def named(self, labels: Any, *, rankings: bool = False) -> Any:
        """Return labels by name: class numbers, or scores with a column per place; others as is.

        Parameters
        ----------
        labels
            A whole number per instance, or collections of them, or a matrix of numbers with a
            column for every place; arrays and tensors will do.
        rankings
            Whether a matrix of whole numbers holds the classes of each instance, best first.

        Raises
        ------
        BadInput
            For a number that is no place, and for numbers that are classes as well as places.
        """
        array = array_of(labels)
        if array is None and isinstance(labels, (list, tuple)):
            if labels and depth_of(labels) == 2 and not rankings:
                array = np.array([k for row in labels for k in row])
                if array.dtype.kind not in "iu":
                    return labels
                lengths = np.array([len(row) for row in labels])
                return self._sets(array, offsets(lengths))
            array = np.array(labels) if depth_of(labels) in (1, 2) else None
        if array is None or array.dtype.kind not in "iuf":
            return labels
        if array.dtype.kind == "f":
            return (array, self.classes) if array.ndim == 2 else labels
        if array.ndim == 1:
            return self._sets(array, np.arange(len(array) + 1))
        if array.ndim == 2 and rankings:
            return np.array(self.classes)[self._checked(array)]
        if array.ndim == 2 and array.shape[1] == len(self.classes):
            return array, self.classes
        return labels

    def _sets(self, places: Array, pointer: Ints) -> LabelSets:
        numbers = self.numbers[self._checked(places)]
        return LabelSets.from_arrays(pointer, numbers, len(self.hierarchy))

    def _checked(self, places: Array) -> Array:
        wrong = np.flatnonzero((places < 0) | (places >= len(self.classes)))
        if len(wrong):
            raise BadInput(
                f"class number {places.ravel()[wrong[0]]} is outside 0 … {len(self.classes) - 1}, "
                "the places in classes"
            )
        self._refuse_names(places)
        return places

    def _refuse_names(self, places: Array) -> None:
        """Refuse whole numbers that are classes, too, and others than at these places."""
        if not any(isinstance(name, (int, np.integer)) for name in self.hierarchy.names[:1]):
            return
        for k in np.unique(places).tolist():
            if k in self.hierarchy and self.classes[k] != k:
                raise BadInput(
                    f"{k} is a class and a place in classes, where {shown(self.classes[k])} "
                    "stands; give labels by name, [classes[k] for k in …], or for classes that "
                    "count hierarchy.counting(classes)"
                )
