"""The classes that a caller wants to see, from ``labels=``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints
from hierpair.labels.naming import check_order

__all__ = ["chosen_classes"]


def chosen_classes(labels: Iterable[Hashable] | None, hierarchy: Hierarchy) -> Ints | None:
    """Return the numbers of classes in the order of ``labels``; None for no choice.

    Raises
    ------
    BadInput
        For a text instead of a list, a set, an unknown class, or one that is there twice.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> chosen_classes(["b", "a"], tree).tolist()
    [2, 1]
    """
    if labels is None:
        return None
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise BadInput(f"labels are a list of classes, got {shown(labels)}")
    check_order(labels, "labels")
    numbers = hierarchy.index(labels)
    twice = first_repeated(numbers.tolist())
    if twice is not None:
        raise BadInput(f"labels have {shown(hierarchy.names[twice])} twice")
    return numbers.astype("int64")
