"""Labels in named columns: of a data frame, a CSV file, JSON lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, first_repeated, listed, shown
from hierpair.hierarchy.arrays import offsets
from hierpair.labels.coded import (
    Coded,
    CodedLists,
    Column,
    all_distinct,
    coded,
    coded_lists,
    values_of,
)
from hierpair.labels.long import gathered
from hierpair.labels.naming import is_missing
from hierpair.labels.rows import LabelRows

__all__ = ["ID_NAMES", "LONG_NOTE", "Columns", "column_rows", "found_column", "looks_long"]

ID_NAMES = ("id", "instance", "instance_id")
LABEL_NAMES = ("labels", "label", "classes", "class")
PLURALS = ("labels", "classes")
SCORES = ("score",)


@dataclass(frozen=True)
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


def column_rows(
    table: Mapping[str, Sequence[Any] | Column],
    columns: Columns,
    place: Callable[[int], str],
    *,
    source: str = "the table",
    as_text: bool = True,
) -> LabelRows:
    """Return the labels of a table.

    Parameters
    ----------
    table
        Column name → values, all equally long.
    columns
        What they mean.
    place
        Tells where row ``i`` stands.
    source
        What the table is called in errors.
    as_text
        Take whole numbers as their text, as files do.
    """
    given_ids = _column(table, columns.ids, ID_NAMES, "id", source, needed=columns.long)
    named = columns.labels or (found_column(table, LABEL_NAMES, source) or LABEL_NAMES[0],)
    cells = []
    for name in named:
        found = _column(table, name, (), "label", source, needed=True)
        cells.append(found if found is not None else [])
    at = _kept_rows(table, columns, source, len(cells[0]))
    if given_ids is not None:
        given_ids = _rows_of(given_ids, at)

    def where(i: int) -> str:
        """Tell where a kept row stands."""
        return place(i if at is None else int(at[i]))

    def named_place(i: int) -> str:
        if given_ids is None:
            return where(i)
        cell = (
            given_ids.values[given_ids.codes[i]] if isinstance(given_ids, Coded) else given_ids[i]
        )
        return f"{where(i)}, instance {shown(_id(cell, where(i), as_text))}"

    notes: tuple[str, ...] = ()
    if given_ids is None:
        notes = (f"{source}: no column {' or '.join(ID_NAMES)}; instances are taken by position",)
    levels = len(named) > 1
    picked = [_rows_of(column, at) for column in cells]
    bare: list[int] = []
    if levels:
        rows = _paths([coded(column) for column in picked], named_place, as_text)
    else:
        separator = None if columns.long else columns.separator
        rows, bare = _cells(picked[0], separator, named_place, as_text)
    if given_ids is not None and columns.long:
        scores = _column(table, columns.score, SCORES, "score", source, needed=False)
        if columns.min_score is not None and scores is None:
            raise BadInput(f"{source}: a least score is set, but there is no column of scores")
        if scores is not None:
            scores = _rows_of(scores, at)
        names = coded(given_ids)
        names = names.renumbered(names.each(lambda x, i: _id(x, where(i), as_text)))
        return gathered(rows, names, scores, columns, where, source=source, levels=levels)
    ids = None if given_ids is None else _ids(given_ids, where, as_text)
    if as_text and ids is not None and not levels and _is_long(str(named[0]), ids, rows):
        again = column_rows(table, replace(columns, long=True), place, source=source)
        return replace(again, notes=(*again.notes, f"{source}: {LONG_NOTE}"))
    # among several columns of labels, such as systems, a score may belong to anything
    scored = columns.score if columns.labels else columns.score or found_column(
        table, SCORES, source
    )  # fmt: skip
    return LabelRows(
        rows, lambda i, k: where(i), ids, levels, notes=notes, bare=tuple(bare),
        unused_scores=scored is not None,
    )  # fmt: skip


LONG_NOTE = "ids come again, so this was read as one label per row (long)"


def _is_long(name: str, ids: list[Hashable], rows: CodedLists) -> bool:
    """Whether a table of files has one label per row, which nobody said.

    Ids come again, each time with another label. In a column of labels, in the plural, or where
    the rows of one id lie apart, an id that comes again is rather a mistake.
    """
    if name.strip().lower() in PLURALS or all_distinct(ids):
        return False
    return looks_long(ids, rows, apart=name.strip().lower() in LABEL_NAMES)


def looks_long(ids: list[Hashable], rows: Sequence[list[Any]], *, apart: bool = False) -> bool:
    """Whether rows with repeated ids are one label each; ``apart``: they need not be together."""
    lists = coded_lists(rows)
    if len(ids) == 0 or (np.diff(lists.pointer) != 1).any():
        return False
    owner = coded(ids).codes.astype(np.int64)
    key = owner * len(lists.labels) + lists.codes
    together = np.count_nonzero(np.diff(owner)) + 1 == owner.max() + 1
    return bool((together or apart) and len(np.unique(key)) == len(key))


def _kept_rows(
    table: Mapping[str, Sequence[Any] | Column], columns: Columns, source: str, n: int
) -> NDArray[np.int64] | None:
    """Return the rows that have the wanted values; None for all."""
    if not columns.where:
        return None
    keep = np.ones(n, dtype=bool)
    for name, wanted in columns.where:
        values = _column(table, name, (), "where", source, needed=True)
        known = coded(values if values is not None else [])
        keep &= np.array([str(v) == wanted for v in known.values], dtype=bool)[known.codes]
    if n and not keep.any():
        shown_filter = ", ".join(f"{k}={v}" for k, v in columns.where)
        raise BadInput(f"{source}: no row has {shown_filter}")
    return np.flatnonzero(keep)


def _rows_of(
    column: Sequence[Any] | Column, at: NDArray[np.int64] | None
) -> Sequence[Any] | Column:
    if at is None:
        return column
    return [column[i] for i in at.tolist()] if isinstance(column, Sequence) else column.take(at)


def _cells(
    column: Sequence[Any] | Column,
    separator: str | None,
    place: Callable[[int], str],
    as_text: bool,
) -> tuple[CodedLists, list[int]]:
    """Return the labels of every row, and the rows with a blank text."""
    nested = _nested(column)
    if nested is not None:
        pointer, inside = nested

        def label(given: Any, at: int) -> Any:
            row = int(np.searchsorted(pointer, at, side="right")) - 1
            return _labels([given], separator, place(row), as_text)[0]

        return CodedLists(pointer, inside.codes, inside.each(label)), []
    known = coded(column)
    lists = known.each(lambda given, row: _labels(given, separator, place(row), as_text))
    blank = np.array([isinstance(x, str) and not x.strip() for x in known.values], dtype=bool)
    bare = np.flatnonzero(blank[known.codes]).tolist() if blank.any() else []
    return CodedLists.spread(known, lists), bare


def _nested(column: Sequence[Any] | Column) -> tuple[NDArray[np.int64], Coded] | None:
    """Return the row pointer of a column of lists, and what is in them; None for other columns."""
    if not isinstance(column, Sequence):
        return column.cells() if column.is_nested else None
    if not len(column) or not set(map(type, column)) <= {list, tuple}:
        return None
    lengths = np.fromiter(map(len, column), np.int64, count=len(column))
    return offsets(lengths), coded(list(chain.from_iterable(column)))


def _ids(
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
    return [_id(x, where(i), as_text) for i, x in enumerate(values)]


def _paths(columns: Sequence[Coded], place: Callable[[int], str], as_text: bool) -> CodedLists:
    """Return the path of every row, from its levels in columns."""
    code, n = columns[0].codes.astype(np.int64), len(columns[0])
    for column in columns[1:]:
        code = code * max(1, len(column.values)) + column.codes
        code = np.unique(code, return_inverse=True)[1].astype(np.int64)
    _, first, code = np.unique(code, return_index=True, return_inverse=True)

    def path(row: int, _: int) -> list[Any]:
        names = _path([c.values[c.codes[row]] for c in columns], place(row), as_text)
        return [names] if names else []

    different = Coded(code, first.tolist())
    return CodedLists.spread(different, different.each(path)) if n else coded_lists([])


def found_column(table: Mapping[str, Any], names: Sequence[str], source: str) -> str | None:
    """Return the only column that is called by one of these names, if there is one."""
    spelled = {str(c).strip().lower(): c for c in table}
    found = [spelled[n] for n in names if n in spelled]
    if len(found) > 1:
        raise BadInput(
            f"{source}: which column is meant, {' or '.join(map(repr, found))}? "
            "Name it (--label-column, --id-column)"
        )
    return found[0] if found else None


def _column(
    table: Mapping[str, Sequence[Any] | Column],
    name: str | None,
    usual: Sequence[str],
    what: str,
    source: str,
    *,
    needed: bool,
) -> Sequence[Any] | Column | None:
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


def _name(given: Any, as_text: bool) -> Any:
    if isinstance(given, str):
        return given.strip() if as_text else given
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    return str(given) if as_text and whole else given


def _id(given: Any, place: str, as_text: bool) -> Hashable:
    """Return an instance id, or refuse what is none."""
    name = _name(given, as_text)
    if is_missing(name):
        raise BadInput(f"{place}: the instance id is missing")
    if not isinstance(name, Hashable) or (as_text and not isinstance(name, str)):
        raise BadInput(
            f"{place}: an instance id must be a text or a whole number, got {shown(given, 40)}"
        )
    return name


def _labels(cell: Any, separator: str | None, place: str, as_text: bool) -> list[Any]:
    """Return the labels in one cell."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    if isinstance(cell, (list, tuple, set, frozenset)):
        loose = isinstance(cell, (set, frozenset))
        found = [_name(x, as_text) for x in (sorted(cell, key=repr) if loose else cell)]
        for x in found:
            if as_text and not isinstance(x, str) and x is not None:
                raise BadInput(f"{place}: a label must be a name, got {shown(x, 40)}")
        return ["" if x is None else x for x in found]
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
