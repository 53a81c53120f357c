"""What is a name, what is an id, and which class a path from the top means."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence, Set
from os.path import commonprefix
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints, row_numbers
from hierpair.hierarchy.building import is_missing
from hierpair.hierarchy.columns import whole
from hierpair.labels.coded import all_distinct

__all__ = [
    "NO_TRUTH",
    "PathNames",
    "check_ids",
    "check_order",
    "is_missing",
    "is_truth",
    "numbers_of",
    "split_path",
]

Path = tuple[Any, ...]

NO_TRUTH = (
    "a truth value is no class; give rows of 0 and 1 as the pair (matrix, classes), or use "
    "LabelSets.from_indicator"
)


def check_order(sequence: object, what: str) -> None:
    """Refuse a set where the order says which entry belongs to which instance or column.

    A set of texts has another order in every run of Python, so the numbers would differ too.
    The keys of a dict count as a set.
    """
    if isinstance(sequence, Set):
        raise BadInput(
            f"{what} must have an order, and a {type(sequence).__name__} has none; give a list"
        )


def check_ids(ids: Sequence[Hashable], n: int) -> None:
    """Refuse ids that are not one per instance or not unique."""
    check_order(ids, "ids (one per instance)")
    if len(ids) != n:
        raise BadInput(f"got {counted(len(ids), 'id')} for {counted(n, 'instance')}")
    if not all_distinct(ids):
        twice = first_repeated(ids)
        raise BadInput(f"instance {shown(twice)} occurs twice; every id must be unique")


def numbers_of(names: Sequence[Any], hierarchy: Hierarchy) -> Ints:
    """Return the class number of every name, -1 for an unknown one."""
    get = hierarchy.position.get
    try:
        return np.array([get(name, -1) for name in names], dtype=np.int64)
    except TypeError:
        nested = next((x for x in names if not isinstance(x, Hashable)), names)
        raise BadInput(f"a label must be one class name, got {shown(nested)}") from None


def is_truth(name: Any) -> bool:
    """Whether a label is True or False, or a path with one of these."""
    held = name if isinstance(name, tuple) else (name,)
    return any(isinstance(x, (bool, np.bool_)) for x in held)


def split_path(text: str, separator: str) -> Path:
    """Return the names in a text that is a path; one before the first name says nothing.

    >>> split_path("/a/b", "/"), split_path("a/b", "/"), split_path("", "/")
    (('a', 'b'), ('a', 'b'), ('',))
    """
    names = tuple(text.split(separator))
    return names[1:] if names[0] == "" and len(names) > 1 else names


class PathNames:
    """Turns paths into class names, each path once.

    A path ``("a", "b")`` is the class ``"a/b"`` where the hierarchy names classes by their paths,
    whatever separates the names there, and otherwise the class ``"b"``, if every class on it is a
    child of the one before. ``found`` holds the class of every path seen and, in the second
    case, the numbers of the classes on it.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.found: dict[Path, tuple[Hashable | None, list[int]]] = {}

    def __call__(self, path: Path) -> Hashable | None:
        """Return the class that a path ends at; None for one that does not exist."""
        if path not in self.found:
            self.found[path] = self._resolved(path)
        return self.found[path][0]

    def _resolved(self, path: Path) -> tuple[Hashable | None, list[int]]:
        numbers = self._chain(path)
        signs = ["/"] if numbers else ["/", *path_separators(self.hierarchy)]
        numbers_as_such = [whole(name) if isinstance(name, float) else name for name in path]
        names = (sign.join(map(str, texts)) for sign in signs for texts in (path, numbers_as_such))
        joined = next((name for name in names if name in self.hierarchy), None)
        return (joined, []) if joined is not None or not numbers else (path[-1], numbers)

    def _chain(self, path: Path) -> list[int]:
        """Return the numbers of the classes on a path, if each is a child of the one before."""
        h = self.hierarchy
        numbers = [h.position.get(name, -1) for name in path]
        below = (h.parents[h.parent_ptr[c] : h.parent_ptr[c + 1]] for c in numbers[1:])
        if -1 in numbers or not all(map(np.isin, numbers, below)):
            return []
        return numbers

    def fault(self, path: Path) -> str:
        """Return why a path does not exist."""
        for name in path:
            if name not in self.hierarchy:
                return self.hierarchy.unknown_message(name)
        k = next(k for k in range(1, len(path)) if not self._chain(path[k - 1 : k + 1]))
        return (
            f"{shown(path[k])} is not a child of {shown(path[k - 1])} (levels {k} and {k + 1} of "
            f"the path {'/'.join(map(str, path))!r}); paths run from the top to the label"
        )


def path_separators(hierarchy: Hierarchy) -> list[str]:
    """Return what may stand between the names of a path where classes are named by their paths.

    >>> path_separators(Hierarchy.from_paths([["a", "b"], ["a", "c"]], separator=" > "))
    [' > ', ' >', ' ']
    """

    def found() -> list[str]:
        names, below = list(map(str, hierarchy.names)), row_numbers(hierarchy.parent_ptr).tolist()
        pairs = (
            (names[p], names[c]) for p, c in zip(hierarchy.parents.tolist(), below, strict=True)
        )
        rests = [child[len(parent) :] for parent, child in pairs if child.startswith(parent)]
        sign = re.match(r"[\W_]*", commonprefix(rests))[0]  # type: ignore[index]  # noqa: RUF071
        return [sign[:k] for k in range(len(sign), 0, -1)]

    return hierarchy.cached("path separators", found)
