"""Numbers of classes from files: counts, weights, groups, vectors, and costs of pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hierpair.errors import BadInput, counted, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Indices, Ints, places_in
from hierpair.hierarchy.building import plain_number
from hierpair.hierarchy.edge_list import is_word
from hierpair.io.formats import quoted_rows
from hierpair.io.text import read_lines

LONG = ["true", "predicted", "cost"]
"""The first line of a list of pairs."""


def class_counts(path: str, hierarchy: Hierarchy) -> Floats:
    """Read lines ``class TAB count``; classes that are not listed get 0."""
    return _values(path, hierarchy, "count", 0.0)


def class_weights(
    path: str, hierarchy: Hierarchy, *, unusable: Literal["error", "zero"] = "error"
) -> Floats:
    """Read lines ``class TAB weight``; ``inf`` is the weight of a class that was never seen.

    Classes that have no line, an infinite or a negative weight are an ``"error"`` (``inf`` is
    kept), or their weight is ``"zero"``, so that they do not count.
    """
    least = 0.0 if unusable == "error" else -np.inf
    weights = _values(path, hierarchy, "weight", np.nan, least, infinite=True)
    if unusable == "zero":
        return np.where((weights > 0) & np.isfinite(weights), weights, 0.0)
    mend = "; a class that should not count has the weight 0"
    _check_all(path, hierarchy, np.isnan(weights), "weight", mend)
    return weights


def _values(
    path: str, hierarchy: Hierarchy, value: str, absent: float, least: float = 0.0, **how: bool
) -> Floats:
    values = np.full(len(hierarchy), absent)
    for place, c, [cell] in _lines(path, hierarchy, value):
        values[c] = _number(place, cell, value, least, **how)
    return values


def weight_lines(hierarchy: Hierarchy, weights: Floats) -> str:
    """Return what :func:`class_weights` reads, to the last bit; without a weight it is ``inf``."""
    known = np.where(np.isnan(weights), np.inf, weights).tolist()
    return "\n".join(f"{name}\t{x!r}" for name, x in zip(hierarchy.names, known, strict=True))


def class_groups(path: str, hierarchy: Hierarchy) -> list[Hashable]:
    """Read lines ``class TAB group``, such as its namespace; return them by number of the class."""
    groups = [""] * len(hierarchy)
    for place, c, [cell] in _lines(path, hierarchy, "group"):
        if not cell:
            raise BadInput(f"{place}: the group is blank")
        groups[c] = cell
    _check_all(path, hierarchy, [not group for group in groups], "group")
    return [*groups]


def class_vectors(path: str, hierarchy: Hierarchy) -> scipy.sparse.csr_array:
    """Read lines ``class TAB number TAB …``; classes that are not listed get a zero vector."""
    rows = dict[int, list[float]]()
    for place, c, cells in _lines(path, hierarchy, ""):
        width = len(next(iter(rows.values()), cells))
        _check_width(place, cells, width, f"{counted(width, 'number')} as in lines before")
        rows[c] = [_number(place, cell, "number", -np.inf) for cell in cells]
    table = scipy.sparse.csr_array(np.array([*rows.values()] or [[0.0]]))
    which = (np.ones(len(rows)), (list(rows), range(len(rows))))
    return scipy.sparse.csr_array(which, shape=(len(hierarchy), table.shape[0])) @ table


@dataclass(frozen=True, eq=False)
class CostTable:
    """Costs of pairs of classes, by ascending keys ``true * n_classes + predicted``."""

    keys: Ints
    cost: Floats
    n_classes: int

    def look_up(self, predicted: Indices, true: Indices) -> tuple[Floats, Bools]:
        """Return the costs of pairs, and which are listed; the others get 0."""
        at = places_in(self.keys, true.astype(np.int64) * self.n_classes + predicted)
        return np.where(at < 0, 0.0, self.cost[at]), at >= 0

    def max_cost(self, classes: Indices, other: float | None) -> Floats:
        """Return the largest cost of each of these true classes; ``other`` where one lacks."""
        row, predicted = np.divmod(self.keys, self.n_classes)
        largest = np.zeros(self.n_classes)
        np.maximum.at(largest, row, self.cost)
        if other is not None:
            listed = np.bincount(row[row != predicted], minlength=self.n_classes)
            lacks = listed < self.n_classes - 1
            largest[lacks] = np.maximum(largest[lacks], other)
        return largest[classes]


def cost_table(path: str, hierarchy: Hierarchy) -> CostTable:
    """Read costs of pairs, as a square table or as a list.

    A list begins with the line ``true TAB predicted TAB cost``. Otherwise the first line holds,
    after a first field of any content, the predicted classes, and every other line a true class
    and its costs.
    """
    (top, header), *rows = _rows(path)
    number, found = _class_numbers(hierarchy), {}
    is_list = [*map(str.casefold, header)] == LONG
    for predicted in () if is_list else header[1:]:
        _class(top, predicted, number)
    form = " TAB ".join(LONG) if is_list else f"a class and {counted(len(header) - 1, 'cost')}"
    for place, (true, *cells) in rows:
        _check_width(place, [true, *cells], len(header), form)
        pairs = [cells] if is_list else zip(header[1:], cells, strict=True)
        for predicted, cell in pairs:
            key = _class(place, true, number) * len(hierarchy) + _class(place, predicted, number)
            if key in found:
                ends = f"true {shown(true)} and predicted {shown(predicted)}"
                raise BadInput(f"{place}: a second cost for {ends}")
            found[key] = _number(place, cell, "cost")
    if not found:
        raise BadInput(f"{path}: there is no cost in it")
    keys, cost = np.array(sorted(found.items())).T
    return CostTable(keys.astype(np.int64), cost, len(hierarchy))


def _rows(path: str) -> list[tuple[str, list[str]]]:
    """Return place and fields of the lines that are not blank; in a .csv commas split them."""
    lines = read_lines(path)
    is_csv = path.removesuffix(".gz").lower().endswith(".csv")
    tabbed = enumerate((line.split("\t") for line in lines), start=1)
    rows = quoted_rows(path, lines, ",") if is_csv else tabbed
    stripped = ((f"{path}:{k}", [cell.strip() for cell in cells]) for k, cells in rows)
    found = [row for row in stripped if any(row[1])]
    if not found:
        raise BadInput(f"{path}: the file holds no line")
    return found


def _lines(path: str, hierarchy: Hierarchy, value: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield place, class and what the line says of it: a value of this name, or with "" several."""
    number, seen = _class_numbers(hierarchy), dict[int, str]()
    for k, (place, row) in enumerate(_rows(path)):
        name, *cells = row
        if not k and is_word(name) and name not in number:  # other columns may be called anything
            continue
        if value:
            _check_width(place, row, 2, f"class TAB {value}")
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
    absent = np.flatnonzero(lacks)
    if len(absent):
        such = shown(hierarchy.names[absent[0]])
        n = counted(len(absent), "class")
        raise BadInput(f"{path}: {n} of the hierarchy without a {value}, such as {such}{mend}")


def _class_numbers(hierarchy: Hierarchy) -> dict[str, int]:
    return {str(name): i for name, i in hierarchy.position.items()}


def _class(place: str, name: str, number: dict[str, int]) -> int:
    if name not in number:
        near = did_you_mean(name, number)
        raise BadInput(f"{place}: class {shown(name)} is not in the hierarchy{near}")
    return number[name]


def _number(
    place: str, cell: str, what: str, least: float = 0.0, *, infinite: bool = False
) -> float:
    value = plain_number(cell)
    if not np.isfinite(value) and not (infinite and np.isinf(value)):
        raise BadInput(f"{place}: {shown(cell)} is not a {'' if infinite else 'finite '}number")
    if value < least:
        raise BadInput(f"{place}: the {what} {cell} is negative")
    return value
