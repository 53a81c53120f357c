"""Numbers of classes from files: counts, weights, groups, vectors, and costs of pairs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.io.text import read_lines

__all__ = [
    "CostTable",
    "class_counts",
    "class_groups",
    "class_vectors",
    "class_weights",
    "cost_table",
    "file_state",
    "weight_lines",
]

LONG = ("true", "predicted", "cost")
"""First line of a list of pairs."""


def file_state(path: str) -> tuple[str, int, int]:
    """Return what tells one state of a file from another: its name, time and size."""
    if not Path(path).is_file():
        folder = Path(path).is_dir()
        raise BadInput(f"{path}: {'this is a folder' if folder else 'there is no such file'}")
    about = Path(path).stat()
    return path, about.st_mtime_ns, about.st_size


def class_counts(path: str, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Read lines ``class TAB count``; classes that are not listed get 0.

    Raises
    ------
    BadInput
        For an unknown or repeated class, or a count that is no number ≥ 0; names the line.
    """
    number = _numbers(hierarchy)
    counts = np.zeros(len(hierarchy))
    seen: dict[int, int] = {}
    for line, cells in _rows(path):
        if len(cells) != 2:
            raise BadInput(
                f"{path}:{line}: expected class TAB count, got {counted(len(cells), 'field')}"
            )
        c = _class(path, line, cells[0], number, seen)
        counts[c] = _number(path, line, cells[1])
        if counts[c] < 0:
            raise BadInput(f"{path}:{line}: the count {cells[1]} is negative")
    return counts


def class_weights(
    path: str, hierarchy: Hierarchy, *, unusable: Literal["error", "zero"] = "error"
) -> NDArray[np.float64]:
    """Read lines ``class TAB weight``; ``inf`` is the weight of a class that was never seen.

    Parameters
    ----------
    path
        The file; in a ``.csv`` commas stand between the fields.
    hierarchy
        The classes.
    unusable
        What is done with classes that have no line, an infinite or a negative weight: an
        ``"error"`` (``inf`` is kept), or their weight is ``"zero"``, so that they do not count.

    Raises
    ------
    BadInput
        For an unknown or repeated class, a weight that is no number, and what is unusable; names
        the line.
    """
    number = _numbers(hierarchy)
    weights = np.full(len(hierarchy), np.nan)
    seen: dict[int, int] = {}
    for line, cells in _rows(path):
        if len(cells) != 2:
            raise BadInput(
                f"{path}:{line}: expected class TAB weight, got {counted(len(cells), 'field')}"
            )
        c = _class(path, line, cells[0], number, seen)
        weights[c] = _number(path, line, cells[1], infinite=True)
        if weights[c] < 0 and unusable == "error":
            raise BadInput(f"{path}:{line}: the weight {cells[1]} is negative")
    if unusable == "zero":
        return np.where((weights > 0) & np.isfinite(weights), weights, 0.0)
    absent = np.flatnonzero(np.isnan(weights))
    if len(absent):
        raise BadInput(
            f"{path}: {counted(len(absent), 'class')} of the hierarchy without a weight, such as "
            f"{shown(hierarchy.names[absent[0]])}; a class that should not count has the weight 0"
        )
    return weights


def weight_lines(hierarchy: Hierarchy, weights: NDArray[np.float64]) -> str:
    """Return weights as the lines that :func:`class_weights` reads, to the last bit.

    A class without a weight was never seen, and so is written as ``inf``.
    """
    known = np.where(np.isnan(weights), np.inf, weights).tolist()
    return "\n".join(f"{name}\t{x!r}" for name, x in zip(hierarchy.names, known, strict=True))


def class_groups(path: str, hierarchy: Hierarchy) -> list[Hashable]:
    """Read lines ``class TAB group``, such as its namespace; return them by number of the class.

    Raises
    ------
    BadInput
        For an unknown or repeated class, or one without a line; names the line.
    """
    number = _numbers(hierarchy)
    groups: dict[int, str] = {}
    seen: dict[int, int] = {}
    for line, cells in _rows(path):
        if len(cells) != 2 or not cells[1]:
            raise BadInput(
                f"{path}:{line}: expected class TAB group, got {counted(len(cells), 'field')}"
            )
        groups[_class(path, line, cells[0], number, seen)] = cells[1]
    absent = [c for c in range(len(hierarchy)) if c not in groups]
    if absent:
        raise BadInput(
            f"{path}: {counted(len(absent), 'class')} of the hierarchy without a group, such as "
            f"{shown(hierarchy.names[absent[0]])}"
        )
    return [groups[c] for c in range(len(hierarchy))]


def class_vectors(path: str, hierarchy: Hierarchy) -> scipy.sparse.csr_array:
    """Read lines ``class TAB number TAB …`` or ``class TAB feature:number TAB …``.

    Classes that are not listed get a zero vector.

    Raises
    ------
    BadInput
        For an unknown or repeated class, rows of unequal length, or what is no finite number.
    """
    number = _numbers(hierarchy)
    seen: dict[int, int] = {}
    features: dict[str, int] = {}
    at: list[tuple[int, int]] = []
    data: list[float] = []
    width: int | None = None
    rows = _rows(path)
    named = any(":" in cell for _, cells in rows for cell in cells[1:])
    for line, cells in rows:
        c = _class(path, line, cells[0], number, seen)
        if not named and width not in (None, len(cells) - 1):
            raise BadInput(f"{path}:{line}: {len(cells) - 1} numbers, but {width} in lines before")
        width = len(cells) - 1
        for k, cell in enumerate(cells[1:]):
            feature, colon, value = cell.rpartition(":")
            if named and not colon:
                raise BadInput(f"{path}:{line}: expected feature:number, got {shown(cell)}")
            column = features.setdefault(feature if named else str(k), len(features))
            at.append((c, column))
            data.append(_number(path, line, value))
    where = np.array(at, dtype=np.int64).reshape(-1, 2)
    shape = (len(hierarchy), max(1, len(features)))
    return scipy.sparse.coo_array((np.array(data), (where[:, 0], where[:, 1])), shape=shape).tocsr()


@dataclass(frozen=True, eq=False)
class CostTable:
    """Costs of pairs of a true and a predicted class.

    Attributes
    ----------
    keys
        ``true * n_classes + predicted``, ascending.
    cost
        The cost of each.
    n_classes
        Number of classes of the hierarchy.
    """

    keys: NDArray[np.int64]
    cost: NDArray[np.float64]
    n_classes: int

    def look_up(
        self, predicted: NDArray[np.integer], true: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the costs of pairs, and which are listed; the others get 0."""
        wanted = true.astype(np.int64) * self.n_classes + predicted
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        listed = self.keys[at] == wanted
        return np.where(listed, self.cost[at], 0.0), listed

    def max_cost(self, classes: NDArray[np.integer], other: float | None) -> NDArray[np.float64]:
        """Return the largest cost of each of these true classes; ``other`` where one lacks."""
        row = self.keys // self.n_classes
        largest = np.zeros(self.n_classes)
        np.maximum.at(largest, row, self.cost)
        if other is not None:
            own = self.keys == row * (self.n_classes + 1)
            listed = np.bincount(row[~own], minlength=self.n_classes)
            largest[listed < self.n_classes - 1] = np.maximum(
                largest[listed < self.n_classes - 1], other
            )
        of_class: NDArray[np.float64] = largest[classes]
        return of_class


def cost_table(path: str, hierarchy: Hierarchy) -> CostTable:
    """Read costs of pairs, as a square table or as a list.

    A list begins with the line ``true TAB predicted TAB cost``. Otherwise the first line holds,
    after a first field of any content, the predicted classes, and every other line a true class
    and its costs.

    Raises
    ------
    BadInput
        For an unknown class, a pair or line that comes twice, a ragged table, or a cost that is
        no number ≥ 0; names the line.
    """
    number = _numbers(hierarchy)
    rows = _rows(path)
    n = len(hierarchy)
    found: dict[int, float] = {}

    def keep(line: int, true: int, predicted: int, cell: str) -> None:
        key = true * n + predicted
        cost = _number(path, line, cell)
        if cost < 0:
            raise BadInput(f"{path}:{line}: the cost {cell} is negative")
        if key in found:
            names = hierarchy.names
            raise BadInput(
                f"{path}:{line}: a second cost for true {shown(names[true])} and predicted "
                f"{shown(names[predicted])}"
            )
        found[key] = cost

    first_line, header = rows[0]
    if tuple(cell.casefold() for cell in header) == LONG:
        for line, cells in rows[1:]:
            if len(cells) != 3:
                raise BadInput(
                    f"{path}:{line}: expected true TAB predicted TAB cost, got "
                    f"{counted(len(cells), 'field')}"
                )
            true, predicted = (_class(path, line, cell, number) for cell in cells[:2])
            keep(line, true, predicted, cells[2])
    else:
        columns = [_class(path, first_line, cell, number) for cell in header[1:]]
        if len(set(columns)) < len(columns) or not columns:
            raise BadInput(
                f"{path}:{first_line}: the first line must name each predicted class once"
            )
        for line, cells in rows[1:]:
            true = _class(path, line, cells[0], number)
            if len(cells) != len(header):
                raise BadInput(
                    f"{path}:{line}: {len(cells) - 1} costs for {len(columns)} predicted classes"
                )
            for predicted, cell in zip(columns, cells[1:], strict=True):
                keep(line, true, predicted, cell)
    if not found:
        raise BadInput(f"{path}: there is no cost in it")
    keys = np.fromiter(found, dtype=np.int64, count=len(found))
    cost = np.fromiter(found.values(), dtype=np.float64, count=len(found))
    order = np.argsort(keys)
    return CostTable(keys[order], cost[order], n)


def _rows(path: str) -> list[tuple[int, list[str]]]:
    """Return the lines that hold something, numbered from 1, split by tabs (commas in a .csv)."""
    plain = path.removesuffix(".gz")
    mark = "," if plain.endswith(".csv") else "\t"
    rows = [
        (number, [cell.strip() for cell in line.split(mark)])
        for number, line in enumerate(read_lines(path), start=1)
        if line.strip()
    ]
    if not rows:
        raise BadInput(f"{path}: the file holds no line")
    return rows


def _numbers(hierarchy: Hierarchy) -> dict[str, int]:
    """Return the number of every class by its name as text."""
    return {str(name): i for name, i in hierarchy.position.items()}


def _class(
    path: str,
    line: int,
    name: str,
    number: dict[str, int],
    seen: dict[int, int] | None = None,
) -> int:
    c = number.get(name)
    if c is None:
        near = did_you_mean(name, number)
        raise BadInput(f"{path}:{line}: class {shown(name)} is not in the hierarchy{near}")
    if seen is not None:
        if c in seen:
            raise BadInput(f"{path}:{line}: class {shown(name)} again; it is in line {seen[c]}")
        seen[c] = line
    return c


def _number(path: str, line: int, cell: str, *, infinite: bool = False) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value) and not (infinite and np.isinf(value)):
        raise BadInput(
            f"{path}:{line}: {shown(cell)} is not a {'' if infinite else 'finite '}number"
        )
    return value
