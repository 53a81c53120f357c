"""From names to class numbers: what is a name, what is an id, and what a path means."""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import is_missing
from hierpair.labels.coded import all_distinct

__all__ = [
    "PathNames",
    "check_ids",
    "check_order",
    "is_missing",
    "numbers_of",
    "single_root",
]

Path = tuple[Any, ...]


def check_order(sequence: object, what: str) -> None:
    """Refuse a set where the order says which entry belongs to which instance or column.

    A set of texts has another order in every run of Python, so the numbers would differ too.
    The keys of a dict count as a set.
    """
    if isinstance(sequence, Set):
        raise BadInput(
            f"{what} must have an order, and a {type(sequence).__name__} has none; give a list"
        )


def numbers_of(flat: list[Any], hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the class number of every label, -1 for an unknown one."""
    get = hierarchy.position.get
    try:
        return np.array([get(label, -1) for label in flat], dtype=np.int64)
    except TypeError:
        nested = next(x for x in flat if not _is_hashable(x))
        raise BadInput(f"a label must be one class name, got {shown(nested)}") from None


def _is_hashable(thing: object) -> bool:
    try:
        hash(thing)
    except TypeError:
        return False
    return True


def single_root(hierarchy: Hierarchy) -> int:
    """Return the number of the only root, which stands in for unknown labels."""
    if len(hierarchy.root_indices) != 1:
        raise BadInput(
            f"unknown='root' needs a single root; this hierarchy has {len(hierarchy.roots)}"
        )
    return int(hierarchy.root_indices[0])


def check_ids(ids: Sequence[Hashable], n: int) -> None:
    """Refuse ids that are not one per instance or not unique."""
    check_order(ids, "ids (one per instance)")
    if len(ids) != n:
        raise BadInput(f"got {counted(len(ids), 'id')} for {counted(n, 'instance')}")
    if not all_distinct(ids):
        twice = first_repeated(ids)
        raise BadInput(f"instance {shown(twice)} occurs twice; every id must be unique")


class PathNames:
    """Turns paths into class names, each path once.

    A path ``("a", "b")`` is the class ``"a/b"`` where the hierarchy names classes by their
    paths, and otherwise the class ``"b"``, if every class on it is a child of the one before.
    ``numbers`` holds the classes of every path seen, none for the former.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.known: dict[Path, Hashable] = {}
        self.numbers: dict[Path, list[int]] = {}

    def __call__(self, path: Path) -> Hashable:
        """Return the class that a path ends at; raise BadInput for one that does not exist."""
        if path not in self.known:
            self.known[path] = self._resolved(path)
        return self.known[path]

    def _resolved(self, path: Path) -> Hashable:
        joined = "/".join(map(str, path))
        if joined in self.hierarchy:
            self.numbers[path] = []
            return joined
        self.numbers[path] = numbers = self.hierarchy.index(path).tolist()
        ptr, parents = self.hierarchy.parent_ptr, self.hierarchy.parents
        for k in range(1, len(path)):
            above = parents[ptr[numbers[k]] : ptr[numbers[k] + 1]]
            if numbers[k - 1] not in above:
                raise BadInput(
                    f"{shown(path[k])} is not a child of {shown(path[k - 1])} (levels {k} and "
                    f"{k + 1} of the path {joined!r}); paths run from the top to the label"
                )
        last: Hashable = path[-1]
        return last
