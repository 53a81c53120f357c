"""Numbers of classes from files: counts, weights, groups, vectors, and costs of pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hierpair.errors import BadInput, counted, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Indices, Ints
from hierpair.hierarchy.building import plain_number
from hierpair.io.records import quoted_rows
from hierpair.io.text import read_lines

HEADERS = ("class", "classes", "class_id", "id", "label", "labels", "name", "node", "term",
           "term_id")  # fmt: skip
"""What the column of classes is called in a first line that is passed over; other columns may be
called anything. Where a class has this name, the line is about the class."""

LONG = ("true", "predicted", "cost")
"""What the first line of a list of pairs names, in any order."""


def class_counts(path: str, hierarchy: Hierarchy) -> Floats:
    """Read lines ``class TAB count``; classes that are not listed get 0.

    Raises
    ------
    BadInput
        For an unknown or repeated class, or a count that is no number ≥ 0; names the line.
    """
    return _values(path, hierarchy, "count", 0.0)


def class_weights(
    path: str, hierarchy: Hierarchy, *, unusable: Literal["error", "zero"] = "error"
) -> Floats:
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
    zero = unusable == "zero"
    weights = _values(path, hierarchy, "weight", np.nan, -np.inf if zero else 0.0, infinite=True)
    if zero:
        return np.where((weights > 0) & np.isfinite(weights), weights, 0.0)
    mend = "; a class that should not count has the weight 0"
    _check_all(path, hierarchy, np.isnan(weights), "weight", mend)
    return weights


def _values(
    path: str, hierarchy: Hierarchy, value: str, absent: float, *least: float, **how: bool
) -> Floats:
    """Return a number of every class, ``absent`` of those without a line."""
    values = np.full(len(hierarchy), absent)
    for place, c, [cell] in _lines(path, hierarchy, value):
        values[c] = _number(place, cell, value, *least, **how)
    return values


def weight_lines(hierarchy: Hierarchy, weights: Floats) -> str:
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
    groups = [""] * len(hierarchy)
    for place, c, [cell] in _lines(path, hierarchy, "group"):
        if not cell:
            raise BadInput(f"{place}: the group is blank")
        groups[c] = cell
    _check_all(path, hierarchy, [not group for group in groups], "group")
    return [*groups]


def class_vectors(path: str, hierarchy: Hierarchy) -> scipy.sparse.csr_array:
    """Read lines ``class TAB number TAB …`` or ``class TAB feature:number TAB …``.

    Classes that are not listed get a zero vector.

    Raises
    ------
    BadInput
        For an unknown or repeated class, rows of unequal length, or what is no finite number.
    """
    lines = list(_lines(path, hierarchy, ""))
    named = any(":" in cell for _, _, cells in lines for cell in cells)
    features, entries = dict[str, int](), list[tuple[int, int, float]]()
    for place, c, cells in lines:
        if not named and len(cells) != len(lines[0][2]):
            numbers = f"{len(cells)} numbers, but {len(lines[0][2])} in lines before"
            raise BadInput(f"{place}: {numbers}")
        for k, cell in enumerate(cells):
            feature, colon, value = cell.rpartition(":")
            if named and not colon:
                raise BadInput(f"{place}: expected feature:number, got {shown(cell)}")
            column = features.setdefault(feature or str(k), len(features))
            entries.append((c, column, _number(place, value, "number", -np.inf)))
    row, at, data = np.array(entries).reshape(-1, 3).T
    shape = (len(hierarchy), max(1, len(features)))
    return scipy.sparse.coo_array((data, (row.astype(int), at.astype(int))), shape).tocsr()


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

    keys: Ints
    cost: Floats
    n_classes: int

    def look_up(self, predicted: Indices, true: Indices) -> tuple[Floats, Bools]:
        """Return the costs of pairs, and which are listed; the others get 0."""
        wanted = true.astype(np.int64) * self.n_classes + predicted
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        listed = self.keys[at] == wanted
        return np.where(listed, self.cost[at], 0.0), listed

    def max_cost(self, classes: Indices, other: float | None) -> Floats:
        """Return the largest cost of each of these true classes; ``other`` where one lacks."""
        row, predicted = np.divmod(self.keys, self.n_classes)
        largest = np.zeros(self.n_classes)
        np.maximum.at(largest, row, self.cost)
        if other is not None:
            listed = np.bincount(row[row != predicted], minlength=self.n_classes)
            lacks = listed < self.n_classes - 1
            largest[lacks] = np.maximum(largest[lacks], other)
        of_class: Floats = largest[classes]
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
    (_, header), *rows = _rows(path)
    number, n = _numbers(hierarchy), len(hierarchy)
    words = [cell.casefold() for cell in header]
    listed = sorted(words) == sorted(LONG)
    form = " TAB ".join(header) if listed else f"a class and {counted(len(header) - 1, 'cost')}"
    for line, row in rows:
        _check_width(line, row, len(header), form)
    if listed:
        at = [words.index(word) for word in LONG]
        cells = [(line, *(row[k] for k in at)) for line, row in rows]
    else:
        pairs = partial(zip, header[1:], strict=True)
        cells = [(line, row[0], *pair) for line, row in rows for pair in pairs(row[1:])]
    found: dict[int, float] = {}
    for line, true, predicted, cell in cells:
        key = _class(line, true, number) * n + _class(line, predicted, number)
        if key in found:
            raise BadInput(
                f"{line}: a second cost for true {shown(true)} and predicted {shown(predicted)}"
            )
        found[key] = _number(line, cell, "cost")
    if not found:
        raise BadInput(f"{path}: there is no cost in it")
    keys = np.array(sorted(found), dtype=np.int64)
    return CostTable(keys, np.array([found[key] for key in keys.tolist()]), n)


def _rows(path: str) -> list[tuple[str, list[str]]]:
    """Return place and fields of the lines that are not blank; in a .csv commas split them."""
    lines = read_lines(path)
    if path.removesuffix(".gz").lower().endswith(".csv"):
        rows = quoted_rows(path, lines, ",")
    else:
        rows = ((k, line.split("\t")) for k, line in enumerate(lines, start=1))
    stripped = ((f"{path}:{k}", [cell.strip() for cell in cells]) for k, cells in rows)
    found = [row for row in stripped if any(row[1])]
    if not found:
        raise BadInput(f"{path}: the file holds no line")
    return found


def _lines(path: str, hierarchy: Hierarchy, value: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield place, class and what the line says of it: a value of this name, or with "" several."""
    number = _numbers(hierarchy)
    seen: dict[int, str] = {}
    rows = _rows(path)
    if rows[0][1][0].casefold() in HEADERS and rows[0][1][0] not in number:
        del rows[0]
    for place, (name, *cells) in rows:
        if value:
            _check_width(place, [name, *cells], 2, f"class TAB {value}")
        c = _class(place, name, number)
        if c in seen:
            raise BadInput(f"{place}: class {shown(name)} again; it is in line {seen[c]}")
        seen[c] = place.rpartition(":")[2]
        yield place, c, cells


def _check_width(place: str, cells: list[str], n: int, form: str) -> None:
    if len(cells) != n:
        raise BadInput(f"{place}: expected {form}, got {counted(len(cells), 'field')}")


def _check_all(
    path: str, hierarchy: Hierarchy, lacks: ArrayLike, value: str, mend: str = ""
) -> None:
    """Refuse a file that does not say something of every class."""
    absent = np.flatnonzero(lacks)
    if len(absent):
        raise BadInput(
            f"{path}: {counted(len(absent), 'class')} of the hierarchy without a {value}, such as "
            f"{shown(hierarchy.names[absent[0]])}{mend}"
        )


def _numbers(hierarchy: Hierarchy) -> dict[str, int]:
    """Return the number of every class by its name as text."""
    return {str(name): i for name, i in hierarchy.position.items()}


def _class(place: str, name: str, number: dict[str, int]) -> int:
    c = number.get(name)
    if c is None:
        near = did_you_mean(name, number)
        raise BadInput(f"{place}: class {shown(name)} is not in the hierarchy{near}")
    return c


def _number(
    place: str, cell: str, what: str, least: float = 0.0, *, infinite: bool = False
) -> float:
    """Return a number, refused by what it is."""
    value = plain_number(cell)
    if not np.isfinite(value) and not (infinite and np.isinf(value)):
        raise BadInput(f"{place}: {shown(cell)} is not a {'' if infinite else 'finite '}number")
    if value < least:
        raise BadInput(f"{place}: the {what} {cell} is negative")
    return value
