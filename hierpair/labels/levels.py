"""Labels as paths, level by level from the top, padded with blanks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.sources import known_frame
from hierpair.labels.naming import check_order, is_missing

__all__ = ["PathNames", "path_rows"]

Path = tuple[Any, ...]


def path_rows(paths: Any) -> list[list[Path]]:
    """Return the paths of every instance from level arrays.

    Two dimensions are one path per instance, three are several; ragged lists will do. Blanks
    (``""``, None, NaN) fill the end of a path; a path of blanks alone is no label. The columns
    of a data frame are the levels.
    """
    check_order(paths, "paths (one entry per instance)")
    if hasattr(paths, "columns"):
        given = known_frame(paths).rows()
    else:
        given = paths.tolist() if isinstance(paths, np.ndarray) else list(paths)
    rows: list[list[Path]] = []
    for i, entry in enumerate(given):
        if isinstance(entry, str) or not isinstance(entry, (Sequence, np.ndarray)):
            raise BadInput(
                f"instance {i}: expected a path as a list of names from the top, got {shown(entry)}"
            )
        several = [x for x in entry if isinstance(x, (list, tuple, np.ndarray))]
        if several and len(several) < len(entry):
            raise BadInput(f"instance {i}: one path, or a list of paths, got {shown(entry)}")
        listed: list[Any] = several or [entry]
        found = [_trimmed(path, f"instance {i}") for path in listed]
        rows.append([path for path in found if path])
    return rows


def _trimmed(path: Any, place: str) -> Path:
    names = [None if is_missing(name) else name for name in path]
    while names and names[-1] is None:
        names.pop()
    if None in names:
        raise BadInput(
            f"{place}: level {names.index(None) + 1} of the path is blank: {shown(names)}"
        )
    return tuple(names)


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
