"""What the columns of a table mean, and their cells as labels, ids and paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, facts_table, first_repeated, listed, shown
from hierpair.hierarchy.arrays import offsets
from hierpair.labels.coded import Coded, CodedLists, Column, coded, coded_lists, values_of
from hierpair.labels.naming import is_missing

__all__ = [
    "ID_NAMES",
    "LABEL_NAMES",
    "PLURALS",
    "SCORE_NAMES",
    "Columns",
    "column_named",
    "found_column",
    "id_in",
    "ids_in",
    "kept_rows",
    "labels_in",
    "no_row",
    "paths_in",
    "wanted_rows",
]

ID_NAMES = ("id", "instance", "instance_id")
LABEL_NAMES = ("labels", "label", "classes", "class")
PLURALS = ("labels", "classes")
SCORE_NAMES = ("score",)

NO_SEPARATOR = "\0"
"""The separator of texts that are never taken apart, since files hold no NUL."""


@dataclass(frozen=True, repr=False)
class Columns:
    """What the columns of a table mean.

    Attributes
    ----------
    ids
        Column of instance ids; None: ``id``, ``instance`` or ``instance_id`` if there is one.
    labels
        One column of labels, or one per level of a path; empty: ``labels``, ``label``,
        ``classes`` or ``class``.
    separator
        Between the labels of a text.
    long
        One row per label; an id may come again.
    score, min_score
        With ``long``: column of scores, and the least one that counts.
    where
        Only rows in which these columns have these values.
    paths
        Between the names of a label that is a path from the top, such as ``"/"`` in
        ``food/cheese/brie``; None: a label is a class.
    highest
        With ``long``: of several scores of a label the highest counts; otherwise they are an
        error.
    each
        With several columns of labels: each holds a label of its own, and they need not be a
        path, as what heads predict level by level; a blank is no label.
    """

    ids: str | None = None
    labels: tuple[str, ...] = ()
    separator: str = "|"
    long: bool = False
    score: str | None = None
    min_score: float | None = None
    where: tuple[tuple[str, str], ...] = ()
    paths: str | None = None
    highest: bool = False
    each: bool = False

    def _chosen(self) -> list[tuple[str, object]]:
        """Return what differs from the defaults."""
        values = ((f.name, getattr(self, f.name), f.default) for f in fields(self))
        return [(name, value) for name, value, default in values if value != default]

    def __repr__(self) -> str:
        return f"Columns({', '.join(f'{name}={value!r}' for name, value in self._chosen())})"

    def _repr_html_(self) -> str:
        return facts_table("Columns", self._chosen() or [("columns", "by their usual names")])

    def __post_init__(self) -> None:
        if not self.separator:
            raise BadInput("the separator of labels must not be empty")
        if self.paths is not None and (not self.paths or self.paths == self.separator):
            raise BadInput(
                f"the names of a path need a separator of their own, got {self.paths!r}; "
                "such as / for food/cheese/brie"
            )
        if self.min_score is not None and not self.long:
            raise BadInput("a least score needs one label per row: set long (--long)")
        if self.min_score is not None and not math.isfinite(self.min_score):
            raise BadInput(f"the least score must be a finite number, got {self.min_score}")
        twice = first_repeated(self.labels)
        if twice is not None:
            raise BadInput(f"the column {twice!r} is named twice as a level of the path")
        if self.each and (len(self.labels) < 2 or self.long or self.paths is not None):
            raise BadInput(
                "each level is a label only where several columns of labels are named "
                "(--label-column), with one row per instance and without paths"
            )


def found_column(table: Mapping[str, Any], names: Sequence[str], source: str) -> str | None:
    """Return the only column that is called by one of these names, if there is one."""
    spelled = {str(c).strip().lower(): c for c in table}
    usual = [spelled[n] for n in names if n in spelled]
    if len(usual) > 1:
        raise BadInput(
            f"{source}: which column is meant, {' or '.join(map(repr, usual))}? "
            "Name it (--label-column, --id-column)"
        )
    return usual[0] if usual else None


def column_named(
    table: Mapping[str, Sequence[Any] | Column],
    name: str | None,
    usual: Sequence[str],
    what: str,
    source: str,
    *,
    needed: bool,
) -> Sequence[Any] | Column | None:
    """Return the values of the column of this name, or of the only one with a usual name."""
    chosen = name if name is not None else found_column(table, usual, source)
    if chosen is None and not needed:
        return None
    if chosen is None or chosen not in table:
        wanted = repr(chosen) if chosen is not None else " or ".join(usual)
        near = did_you_mean(chosen, table) if chosen else ""
        raise BadInput(
            f"{source}: there is no column {wanted}{near}; "
            f"there are {listed(table)} (name the {what} column)"
        )
    return table[chosen]


def kept_rows(
    table: Mapping[str, Sequence[Any] | Column], columns: Columns, source: str, n: int
) -> NDArray[np.int64] | None:
    """Return the rows that have the wanted values; None for all."""
    if not columns.where:
        return None
    keep = wanted_rows(table, columns, source, n)
    if n and not keep.any():
        raise BadInput(no_row(columns, source))
    return np.flatnonzero(keep)


def wanted_rows(
    table: Mapping[str, Sequence[Any] | Column], columns: Columns, source: str, n: int
) -> NDArray[np.bool_]:
    """Return whether each row has the wanted values; there may be none."""
    keep = np.ones(n, dtype=bool)
    for name, wanted in columns.where:
        values = column_named(table, name, (), "where", source, needed=True)
        known = coded(values if values is not None else [])
        keep &= np.array([str(v) == wanted for v in known.values], dtype=bool)[known.codes]
    return keep


def no_row(columns: Columns, source: str) -> str:
    """Say that the wanted values are nowhere."""
    conditions = ", ".join(f"{k}={v}" for k, v in columns.where)
    return f"{source}: no row has {conditions}"


def labels_in(
    column: Sequence[Any] | Column,
    separator: str | None,
    place: Callable[[int], str],
    as_text: bool,
) -> tuple[CodedLists, list[int]]:
    """Return the labels of every row, and the rows with a blank text."""
    nested = _nested(column)
    if nested is not None:
        pointer, inside = nested

        def label(cell: Any, at: int) -> Any:
            row = int(np.searchsorted(pointer, at, side="right")) - 1
            return _labels([cell], separator, place(row), as_text)[0]

        return CodedLists(pointer, inside.codes, inside.each(label)), []
    known = coded(column)
    lists = known.each(lambda cell, row: _labels(cell, separator, place(row), as_text))
    blank = np.array([isinstance(x, str) and not x.strip() for x in known.values], dtype=bool)
    bare = np.flatnonzero(blank[known.codes]).tolist() if blank.any() else []
    return CodedLists.spread(known, lists), bare


def ids_in(
    column: Sequence[Any] | Column, where: Callable[[int], str], as_text: bool
) -> list[Hashable]:
    """Return the ids of all rows; whole columns of one type in one go."""
    values = values_of(column)
    kinds = set(map(type, values))
    if kinds == {int}:
        return list(map(str, values)) if as_text else list(values)
    if kinds == {str}:
        names: list[Hashable] = list(map(str.strip, values)) if as_text else list(values)
        if "" not in names:
            return names
    return [id_in(x, where(i), as_text) for i, x in enumerate(values)]


def paths_in(
    columns: Sequence[Coded], place: Callable[[int], str], as_text: bool, *, each: bool = False
) -> CodedLists:
    """Return the path of every row, from its levels in columns; or the class of each level."""
    code, n = columns[0].codes.astype(np.int64), len(columns[0])
    for column in columns[1:]:
        code = code * max(1, len(column.values)) + column.codes
        code = np.unique(code, return_inverse=True)[1].astype(np.int64)
    _, first, code = np.unique(code, return_index=True, return_inverse=True)

    def path(row: int, _: int) -> list[Any]:
        cells = [c.values[c.codes[row]] for c in columns]
        if each:
            return [name for x in cells if not is_missing(name := _name(x, as_text))]
        names = _path(cells, place(row), as_text)
        return [names] if names else []

    different = Coded(code, first.tolist())
    return CodedLists.spread(different, different.each(path)) if n else coded_lists([])


def id_in(cell: Any, place: str, as_text: bool) -> Hashable:
    """Return an instance id, or refuse what is none."""
    name = _name(cell, as_text)
    if is_missing(name):
        raise BadInput(f"{place}: the instance id is missing")
    if not isinstance(name, Hashable) or (as_text and not isinstance(name, str)):
        raise BadInput(
            f"{place}: an instance id must be a text or a whole number, got {shown(cell, 40)}"
        )
    return name


def _nested(column: Sequence[Any] | Column) -> tuple[NDArray[np.int64], Coded] | None:
    """Return the row pointer of a column of lists, and what is in them; None for other columns."""
    if not isinstance(column, Sequence):
        return column.cells() if column.is_nested else None
    if not len(column) or not set(map(type, column)) <= {list, tuple}:
        return None
    lengths = np.fromiter(map(len, column), np.int64, count=len(column))
    return offsets(lengths), coded(list(chain.from_iterable(column)))


def _name(cell: Any, as_text: bool) -> Any:
    if isinstance(cell, str):
        return cell.strip() if as_text else cell
    whole = isinstance(cell, (int, np.integer)) and not isinstance(cell, bool)
    return str(cell) if as_text and whole else cell


def _labels(cell: Any, separator: str | None, place: str, as_text: bool) -> list[Any]:
    """Return the labels in one cell."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    if isinstance(cell, (list, tuple, set, frozenset)):
        loose = isinstance(cell, (set, frozenset))
        labels = [_name(x, as_text) for x in (sorted(cell, key=repr) if loose else cell)]
        for x in labels:
            if as_text and not isinstance(x, str) and x is not None:
                raise BadInput(f"{place}: a label must be a name, got {shown(x, 40)}")
        return ["" if x is None else x for x in labels]
    if is_missing(cell):
        return []
    if isinstance(cell, str):
        text = cell.strip()
        if separator is None:
            return [text] if text else []
        return [x.strip() for x in text.split(separator)] if text else []
    name = _name(cell, as_text)
    if as_text and not isinstance(name, str):
        raise BadInput(f"{place}: labels must be names, got {shown(cell, 40)}")
    return [name]


def _path(cells: list[Any], place: str, as_text: bool) -> tuple[Any, ...]:
    names = [_name(x, as_text) for x in cells]
    while names and is_missing(names[-1]):
        names.pop()
    blank = [k for k, name in enumerate(names, start=1) if is_missing(name)]
    if blank:
        raise BadInput(f"{place}: level {blank[0]} of the path is blank: {shown(names)}")
    return tuple(names)
