"""Numbers of classes from files: counts, weights, groups, vectors, and costs of pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Literal, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hierpair.errors import BadInput, counted, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.hierarchy.building import plain_number
from hierpair.hierarchy.edge_list import is_word
from hierpair.io.formats import Source, quoted_rows
from hierpair.io.text import read_lines

Found = TypeVar("Found")

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
    at, rows = list[int](), list[list[float]]()
    for place, c, cells in _lines(path, hierarchy, ""):
        width = len(rows[0] if rows else cells)
        _check_width(place, cells, width, f"{counted(width, 'number')} as in lines before")
        at.append(c)
        rows.append([_number(place, cell, "number", -np.inf) for cell in cells])
    some = scipy.sparse.coo_array(np.array(rows, ndmin=2))
    where = np.array(at, dtype=np.int64)[some.row], some.col
    return scipy.sparse.csr_array((some.data, where), shape=(len(hierarchy), some.shape[1]))


def cost_table(path: str, hierarchy: Hierarchy) -> dict[tuple[Hashable, Hashable], float]:
    """Read costs of pairs ``(predicted, true)``, as a square table or as a list.

    A list begins with the line ``true TAB predicted TAB cost``. Otherwise the first line holds,
    after a first field of any content, the predicted classes, and every other line a true class
    and its costs.
    """
    (top, header), *rows = _rows(path)
    called, found = {str(name): name for name in hierarchy.names}, {}
    is_list = [*map(str.casefold, header)] == LONG
    for predicted in () if is_list else header[1:]:
        _class(top, predicted, called)
    form = " TAB ".join(LONG) if is_list else f"a class and {counted(len(header) - 1, 'cost')}"
    for place, (true, *cells) in rows:
        _check_width(place, [true, *cells], len(header), form)
        below = _class(place, true, called)
        for predicted, cell in [cells] if is_list else zip(header[1:], cells, strict=True):
            pair = _class(place, predicted, called), below
            if pair in found:
                ends = f"true {shown(true)} and predicted {shown(predicted)}"
                raise BadInput(f"{place}: a second cost for {ends}")
            found[pair] = _number(place, cell, "cost")
    if not found:
        raise BadInput(f"{path}: there is no cost in it")
    return found


def _rows(path: str) -> list[tuple[str, list[str]]]:
    """Return place and fields of the lines that are not blank; in a .csv commas split them."""
    lines = read_lines(path)
    tabbed = enumerate((line.split("\t") for line in lines), start=1)
    rows = quoted_rows(path, lines, ",") if Source(path).ending == ".csv" else tabbed
    found = [
        (f"{path}:{k}", [*map(str.strip, cells)]) for k, cells in rows if "".join(cells).strip()
    ]
    if not found:
        raise BadInput(f"{path}: the file holds no line")
    return found


def _lines(path: str, hierarchy: Hierarchy, value: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield place, class and what the line says of it: a value of this name, or with "" several."""
    number = {str(name): c for name, c in hierarchy.position.items()}
    seen = dict[int, str]()
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


def _class(place: str, name: str, known: Mapping[str, Found]) -> Found:
    if name not in known:
        near = did_you_mean(name, known)
        raise BadInput(f"{place}: class {shown(name)} is not in the hierarchy{near}")
    return known[name]


def _number(
    place: str, cell: str, what: str, least: float = 0.0, *, infinite: bool = False
) -> float:
    value = plain_number(cell)
    if not np.isfinite(value) and not (infinite and np.isinf(value)):
        raise BadInput(f"{place}: {shown(cell)} is not a {'' if infinite else 'finite '}number")
    if value < least:
        raise BadInput(f"{place}: the {what} {cell} is negative")
    return value
