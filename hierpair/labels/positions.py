"""Class numbers as nets have them: places in a list of classes that is given once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput, check_unique, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Array, Ints, array_of
from hierpair.labels.columns import SEVERAL, collected, matrix_of
from hierpair.labels.naming import check_order, order_of_index
from hierpair.labels.node_scores import ranked_scores
from hierpair.labels.sets import LabelSets

NUMBERS = (int, float, np.number)


class Positions:
    """Which class of a hierarchy each place of a list is.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> places = Positions(tree, ["b", "a"])
    >>> places.named(np.array([0, 1])).names_of(0, tree)
    ['b']
    """

    def __init__(self, hierarchy: Hierarchy, classes: Sequence[Any]) -> None:
        check_order(classes, "classes")
        self.hierarchy, self.classes = hierarchy, list(classes)
        self.numbers = hierarchy.index(self.classes).astype(np.int64)
        check_unique(
            self.numbers.tolist(), lambda c: f"classes has {shown(hierarchy.names[c])} twice"
        )

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
        array, pointer = array_of(labels), None
        if array is None and isinstance(labels, SEVERAL) and matrix_of(labels)[1] is None:
            rows = collected(labels, self.hierarchy).coded
            kinds, lengths = {*map(type, rows.values)}, {*np.diff(rows.row_ends).tolist()}
            if not kinds or bool in kinds or not all(issubclass(x, NUMBERS) for x in kinds):
                return labels  # no truth value is a number
            array, pointer = np.array(rows.values)[rows.codes], rows.pointer
            if rankings and len(lengths) == 1 and {*map(type, labels)} <= {*SEVERAL}:
                array = array.reshape(len(labels), -1)
        if array is None or array.dtype.kind not in "iuf" or array.ndim > 2:
            return labels
        if array.dtype.kind == "f":
            return (array, self.classes) if array.ndim == 2 else labels
        if array.ndim == 1:
            pointer = np.arange(len(array) + 1) if pointer is None else pointer
            numbers = self._numbers_at(array)
            found = LabelSets.from_arrays(pointer, numbers, len(self.hierarchy))
            return replace(found, orders=order_of_index(labels))
        if rankings:
            return ranked_scores(self.hierarchy, self._numbers_at(array))
        return (array, self.classes) if array.shape[1] == len(self.classes) else labels

    def _numbers_at(self, places: Array) -> Ints:
        """Return the classes at some places; whole numbers that are other classes are refused."""
        n, used = len(self.classes), np.unique(places).tolist()
        for k in used:
            if not 0 <= k < n:
                raise BadInput(f"class number {k} is outside 0 … {n - 1}, the positions in classes")
            named_by_number = isinstance(self.hierarchy.names[0], int)
            if named_by_number and k in self.hierarchy and self.classes[k] != k:
                raise BadInput(
                    f"{k} is a class and a position in classes, that of {shown(self.classes[k])}; "
                    "give labels by name, [classes[k] for k in …], or for classes that "
                    "count hierarchy.counting(classes)"
                )
        return self.numbers[places]
