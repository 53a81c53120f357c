"""Tables with named columns as labels: a row per instance, or a row per label."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, shown, unknown
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.hierarchy.building import plain_number
from hierpair.hierarchy.interchange import known_frame
from hierpair.labels.arrow_columns import of_names
from hierpair.labels.coded import Coded, CodedLists, Column, all_distinct, coded, coded_lists
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    PLURALS,
    SCORE_NAMES,
    Columns,
    column_named,
    found_column,
    id_in,
    ids_in,
    kept_rows,
    labels_in,
    paths_in,
)
from hierpair.labels.naming import check_order
from hierpair.labels.rows import LabelRows

__all__ = ["LONG_NOTE", "column_rows", "frame_rows", "label_columns", "looks_long", "score_of"]

LONG_NOTE = "ids come again, so this was read as one label per row (long)"


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
    id_column = column_named(table, columns.ids, ID_NAMES, "id", source, needed=columns.long)
    named = columns.labels or (found_column(table, LABEL_NAMES, source) or LABEL_NAMES[0],)
    cells = [column_named(table, name, (), "label", source, needed=True) or [] for name in named]
    at = kept_rows(table, columns, source, len(cells[0]))
    cells = [_rows_of(column, at) for column in cells]
    if id_column is not None:
        id_column = _rows_of(id_column, at)

    def where(i: int) -> str:
        """Tell where a kept row stands."""
        return place(i if at is None else int(at[i]))

    def named_place(i: int) -> str:
        if id_column is None:
            return where(i)
        if isinstance(id_column, Coded):
            cell = id_column.values[id_column.codes[i]]
        else:
            cell = id_column[i]
        return f"{where(i)}, instance {shown(id_in(cell, where(i), as_text))}"

    notes: tuple[str, ...] = ()
    if id_column is None:
        notes = (f"{source}: no column {' or '.join(ID_NAMES)}; instances are taken by position",)
    levels = len(named) > 1 and not columns.each
    bare: list[int] = []
    if len(named) > 1:
        known = [coded(column) for column in cells]
        rows = paths_in(known, named_place, as_text, each=columns.each)
    else:
        separator = None if columns.long else columns.separator
        rows, bare = labels_in(cells[0], separator, named_place, as_text)
    if id_column is not None and columns.long:
        scores = column_named(table, columns.score, SCORE_NAMES, "score", source, needed=False)
        if columns.min_score is not None and scores is None:
            raise BadInput(f"{source}: a least score is set, but there is no column of scores")
        if scores is not None:
            scores = _rows_of(scores, at)
        names = coded(id_column)
        names = names.renumbered(names.each(lambda x, i: id_in(x, where(i), as_text)))
        return _gathered(rows, names, scores, columns, where, source=source, levels=levels)
    ids = None if id_column is None else ids_in(id_column, where, as_text)
    if as_text and ids is not None and len(named) == 1 and _is_long(str(named[0]), ids, rows):
        as_long = column_rows(table, replace(columns, long=True), place, source=source)
        return replace(as_long, notes=(*as_long.notes, f"{source}: {LONG_NOTE}"))
    # among several columns of labels, such as systems, a score may belong to anything
    usual = () if columns.labels else SCORE_NAMES
    scored = columns.score or found_column(table, usual, source)
    return LabelRows(
        rows,
        lambda i, k: where(i),
        ids,
        levels,
        notes=notes,
        bare=tuple(bare),
        unused_scores=scored is not None,
    )


def frame_rows(frame: Any, columns: Columns) -> LabelRows:
    """Return the labels of a data frame (needs the extra ``dataframe``)."""
    table = _Lazily(known_frame(frame))
    return column_rows(table, columns, lambda i: f"row {i}", source="the frame", as_text=False)


def label_columns(frame: Any, columns: Sequence[str] | None, ids: str | None) -> list[str]:
    """Return the columns of a frame that hold labels: those named, or all but the ids."""
    names = list(known_frame(frame).columns)
    if isinstance(columns, str):
        raise BadInput(f"columns must be a list of names, got the text {columns!r}")
    check_order(columns, "columns")
    if columns is None:
        key = ids if ids is not None else found_column(dict.fromkeys(names), ID_NAMES, "the frame")
        return [name for name in names if name != key]
    absent = next((name for name in columns if name not in names), None)
    if absent is not None:
        raise unknown("column", absent, names, "the frame")
    return list(columns)


class _Lazily(Mapping[str, Sequence[Any] | Column]):
    """The columns of a frame, made when asked for: as lists, but for names in those of Arrow."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getitem__(self, name: str) -> Sequence[Any] | Column:
        column = self.frame[name]
        if self.frame.implementation.is_pyarrow():
            names = of_names(column.to_native())
            if names is not None:
                return names
        values: list[Any] = column.to_list()
        return values

    def __iter__(self) -> Any:
        return iter(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame.columns)


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


def _rows_of(
    column: Sequence[Any] | Column, at: NDArray[np.int64] | None
) -> Sequence[Any] | Column:
    if at is None:
        return column
    return [column[i] for i in at.tolist()] if isinstance(column, Sequence) else column.take(at)


def score_of(value: Any, place: str, label: Any = None) -> float:
    """Return a finite score, or refuse it; names the label if there is one."""
    score = plain_number(value)
    if not math.isfinite(score):
        whose = "" if label is None else f", class {shown(label)}"
        raise BadInput(f"{place}{whose}: a score must be a finite number, got {shown(value, 40)}")
    return score


def _gathered(
    rows: CodedLists,
    names: Coded,
    scores: Sequence[Any] | Column | None,
    columns: Columns,
    place: Callable[[int], str],
    *,
    source: str,
    levels: bool,
) -> LabelRows:
    """Put the rows of one id together, in the order in which ids and labels come."""
    row = row_numbers(rows.pointer)
    order = np.argsort(names.first_rows(), kind="stable")
    order = order[: len(np.unique(names.codes))]  # less the values of rows that were left out
    number = np.zeros(len(names.values), dtype=np.int64)
    number[order] = np.arange(len(order))
    owner, label = number[names.codes][row], rows.codes.astype(np.int64)
    ids = [names.values[k] for k in order.tolist()]
    value, n_twice, least = np.zeros(len(row)), 0, columns.min_score
    if scores is not None:
        filled = np.array([x != "" for x in rows.labels], dtype=bool)[label]
        value[filled] = _scores(scores, row[filled], place)
        before = _first_of_each(owner * max(1, len(rows.labels)) + label, filled)
        n_twice = int(np.count_nonzero(row[before] != row))
        odd = np.flatnonzero(value != value[before])
        if len(odd) and not columns.highest:
            i, j = int(odd[0]), int(before[odd[0]])
            raise BadInput(
                f"{place(int(row[i]))}: instance {shown(ids[owner[i]])} has the label "
                f"{shown(rows.labels[label[i]])} with another score at {place(int(row[j]))}"
            )
        if least is not None:
            kept = ~filled | (value >= least)
            row, owner, label, value = row[kept], owner[kept], label[kept], value[kept]
    by_owner = np.argsort(owner, kind="stable")
    row, label = row[by_owner], label[by_owner]
    pointer = offsets(np.bincount(owner, minlength=len(ids)))

    def where(i: int, k: int) -> str:
        alone = pointer[i] == pointer[i + 1]
        return f"instance {shown(ids[i])}" if alone else place(int(row[pointer[i] + k]))

    asked = scores is not None and columns.highest  # only who asks for scores pays for lists
    repeated = f"{source}: {counted(n_twice, 'label')} given twice; the highest score counts"
    return LabelRows(
        CodedLists(pointer, label.astype(np.int32), rows.labels),
        where,
        ids,
        levels,
        notes=(repeated,) if columns.highest and n_twice else (),
        scores=[x.tolist() for x in np.split(value[by_owner], pointer[1:-1])] if asked else None,
        unused_scores=scores is not None and least is None,
    )


def _scores(
    scores: Sequence[Any] | Column, rows: NDArray[np.int64], place: Callable[[int], str]
) -> NDArray[np.float64]:
    """Return the scores of some rows."""
    numbers: NDArray[np.float64] | None = None
    values: Any = scores
    if not isinstance(scores, Sequence):
        numbers = scores.numbers()
        values = scores.listed() if numbers is None else numbers
    if numbers is None and set(map(type, values)) == {float}:
        numbers = np.array(values)
    if numbers is not None:
        wanted = numbers[rows]
    else:
        wanted = np.fromiter((plain_number(values[i]) for i in rows.tolist()), float, len(rows))
    odd = np.flatnonzero(~np.isfinite(wanted))
    if len(odd):
        i = int(rows[odd[0]])
        score_of(values[i], place(i))
    return wanted


def _first_of_each(key: NDArray[np.int64], filled: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first entry with the same key; for one that is not filled, itself."""
    own = np.arange(len(key))
    _, first, group = np.unique(
        np.where(filled, key, -1 - own), return_index=True, return_inverse=True
    )
    earliest: NDArray[np.int64] = first[group]
    return earliest
