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
from hierpair.labels.coded import Coded, all_distinct, array_of, coded, together, values_of
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    PLURALS,
    SCORE_NAMES,
    Columns,
    column_named,
    found_column,
    kept_rows,
)
from hierpair.labels.containers import FrameColumns, path_of
from hierpair.labels.naming import check_order, is_missing
from hierpair.labels.rows import LabelRows

__all__ = [
    "LONG_NOTE",
    "column_rows",
    "frame_rows",
    "id_in",
    "ids_in",
    "label_columns",
    "labels_in",
    "looks_long",
    "score_of",
]

LONG_NOTE = "ids come again, so this was read as one label per row (long)"


def column_rows(
    table: Mapping[str, Any],
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
    cells = [coded(column_named(table, name, (), "label", source, needed=True)) for name in named]
    at = kept_rows(table, columns, source, len(cells[0]))
    if at is not None:
        cells = [column.take(at) for column in cells]
    id_values = None if id_column is None else _rows_of(values_of(id_column), at)

    def where(i: int) -> str:
        """Tell where a kept row stands."""
        return place(i if at is None else int(at[i]))

    def named_place(i: int) -> str:
        if id_values is None:
            return where(i)
        return f"{where(i)}, instance {shown(id_in(id_values[i], where(i), as_text))}"

    notes: tuple[str, ...] = ()
    if id_values is None:
        notes = (f"{source}: no column {' or '.join(ID_NAMES)}; instances are taken by position",)
    levels = len(named) > 1 and not columns.each
    bare: list[int] = []
    if len(named) > 1:
        rows = paths_in(cells, named_place, as_text, each=columns.each)
    else:
        separator = None if columns.long else columns.separator
        rows, bare = labels_in(cells[0], separator, named_place, as_text)
    if id_values is not None and columns.long:
        scores = column_named(table, columns.score, SCORE_NAMES, "score", source, needed=False)
        if columns.min_score is not None and scores is None:
            raise BadInput(f"{source}: a least score is set, but there is no column of scores")
        numbers = None if scores is None else _numbers(scores, at)
        names = coded(id_values)
        names = names.with_equal_as_one(names.each(lambda x, i: id_in(x, where(i), as_text)))
        return _gathered(rows, names, numbers, columns, where, source=source, levels=levels)
    ids = None if id_values is None else ids_in(id_values, where, as_text)
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
    """Return the labels of a data frame."""
    table, place = FrameColumns(frame), "row {}".format
    return column_rows(table, columns, place, source="the frame", as_text=False)


def label_columns(frame: Any, columns: Sequence[str] | None, ids: str | None) -> list[str]:
    """Return the columns of a frame that hold labels: those named, or all but the ids."""
    names = FrameColumns(frame).names
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


def _is_long(name: str, ids: list[Hashable], rows: Coded) -> bool:
    """Whether a table of files has one label per row, which nobody said.

    Ids come again, each time with another label. In a column of labels, in the plural, or where
    the rows of one id lie apart, an id that comes again is rather a mistake.
    """
    if name.strip().lower() in PLURALS or all_distinct(ids):
        return False
    return looks_long(ids, rows, apart=name.strip().lower() in LABEL_NAMES)


def looks_long(ids: list[Hashable], rows: Coded, *, apart: bool = False) -> bool:
    """Whether rows with repeated ids are one label each; ``apart``: they need not be together."""
    if len(ids) == 0 or (np.diff(rows.row_ends) != 1).any():
        return False
    owner = coded(ids).codes.astype(np.int64)
    key = owner * len(rows.values) + rows.codes
    together = np.count_nonzero(np.diff(owner)) + 1 == owner.max() + 1
    return bool((together or apart) and len(np.unique(key)) == len(key))


def _rows_of(column: Sequence[Any], at: NDArray[np.int64] | None) -> Sequence[Any]:
    return column if at is None else [column[i] for i in at.tolist()]


def score_of(value: Any, place: str, label: Any = None) -> float:
    """Return a finite score, or refuse it; names the label if there is one."""
    score = plain_number(value)
    if not math.isfinite(score):
        whose = "" if label is None else f", class {shown(label)}"
        raise BadInput(f"{place}{whose}: a score must be a finite number, got {shown(value, 40)}")
    return score


def _gathered(
    rows: Coded,
    names: Coded,
    scores: Sequence[Any] | NDArray[np.float64] | None,
    columns: Columns,
    place: Callable[[int], str],
    *,
    source: str,
    levels: bool,
) -> LabelRows:
    """Put the rows of one id together, in the order in which ids and labels come."""
    row = row_numbers(rows.row_ends)
    order = np.argsort(names.firsts(), kind="stable")
    order = order[: len(np.unique(names.codes))]  # less the values of rows that were left out
    number = np.zeros(len(names.values), dtype=np.int64)
    number[order] = np.arange(len(order))
    owner, label = number[names.codes][row], rows.codes.astype(np.int64)
    ids = [names.values[k] for k in order.tolist()]
    value, n_twice, least = np.zeros(len(row)), 0, columns.min_score
    if scores is not None:
        filled = np.array([x != "" for x in rows.values], dtype=bool)[label]
        value[filled] = _scores(scores, row[filled], place)
        before = _first_of_each(owner * max(1, len(rows.values)) + label, filled)
        n_twice = int(np.count_nonzero(row[before] != row))
        odd = np.flatnonzero(value != value[before])
        if len(odd) and not columns.highest:
            i, j = int(odd[0]), int(before[odd[0]])
            raise BadInput(
                f"{place(int(row[i]))}: instance {shown(ids[owner[i]])} has the label "
                f"{shown(rows.values[label[i]])} with another score at {place(int(row[j]))}"
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

    asked = scores is not None and columns.highest
    repeated = f"{source}: {counted(n_twice, 'label')} given twice; the highest score counts"
    return LabelRows(
        Coded(label.astype(np.int32), rows.values, pointer),
        where,
        ids,
        levels,
        notes=(repeated,) if columns.highest and n_twice else (),
        scores=value[by_owner] if asked else None,
        unused_scores=scores is not None and least is None,
    )


def _numbers(column: Any, at: NDArray[np.int64] | None) -> Sequence[Any] | NDArray[np.float64]:
    """Return the rows of a column of scores: an array of floats, or what else is in it."""
    array = None if isinstance(column, (list, tuple)) else array_of(column)
    if array is not None and array.dtype.kind in "iuf":
        numbers = array.astype(np.float64)
        return numbers if at is None else numbers[at]
    values = _rows_of(values_of(column), at)
    return np.array(values) if set(map(type, values)) == {float} else values


def _scores(
    values: Sequence[Any] | NDArray[np.float64],
    rows: NDArray[np.int64],
    place: Callable[[int], str],
) -> NDArray[np.float64]:
    """Return the scores of some rows."""
    if isinstance(values, np.ndarray):
        wanted = values[rows]
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


# ---------------------------------------------------------------- cells


def labels_in(
    column: Any, separator: str | None, place: Callable[[int], str], as_text: bool
) -> tuple[Coded, list[int]]:
    """Return the labels of every row, and the rows with a blank text."""
    known = coded(column)
    if known.pointer is not None:

        def label(cell: Any, entry: int) -> Any:
            return _labels([cell], separator, place(known.row_of(entry)[0]), as_text)[0]

        return replace(known, values=known.each(label)), []
    blank = np.array([isinstance(x, str) and not x.strip() for x in known.values], dtype=bool)
    bare = np.flatnonzero(blank[known.codes]).tolist() if blank.any() else []
    if separator is not None and set(map(type, known.values)) == {str}:  # most are, and may be many
        parts = [text.split(separator) for text in map(str.strip, known.values)]
        lists = [list(map(str.strip, some)) if some[0] or len(some) > 1 else [] for some in parts]
        return known.spread(lists), bare
    return known.spread(
        known.each(lambda cell, row: _labels(cell, separator, place(row), as_text))
    ), bare


def ids_in(column: Any, where: Callable[[int], str], as_text: bool) -> list[Hashable]:
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
) -> Coded:
    """Return the path of every row, from its levels in columns; or the class of each level."""

    def path(cells: list[Any], row: int) -> list[Any]:
        names = [_name(x, as_text) for x in cells]
        if each:
            return [name for name in names if not is_missing(name)]
        found = path_of(names, place(row))
        return [found] if found else []

    rows = together(columns)
    return rows.spread(rows.each(path))


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


def _name(cell: Any, as_text: bool) -> Any:
    if isinstance(cell, str):
        return cell.strip() if as_text else cell
    whole = isinstance(cell, (int, np.integer)) and not isinstance(cell, bool)
    return str(cell) if as_text and whole else cell


def _labels(cell: Any, separator: str | None, place: str, as_text: bool) -> list[Any]:
    """Return the labels in one cell; a label is a text, or a whole number, maybe with ``.0``."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    if isinstance(cell, (list, tuple, set, frozenset)):
        loose = isinstance(cell, (set, frozenset))
        cells = sorted(cell, key=repr) if loose else cell
        return ["" if x is None else _label(x, "a label must be a name", place, as_text)
                for x in cells]  # fmt: skip
    if is_missing(cell):
        return []
    if not isinstance(cell, str):
        return [_label(cell, "labels must be names", place, as_text)]
    text = cell.strip()
    if separator is None:
        return [text] if text else []
    return [x.strip() for x in text.split(separator)] if text else []


def _label(cell: Any, rule: str, place: str, as_text: bool) -> Any:
    name = _name(cell, as_text)
    if not as_text or isinstance(name, str):
        return name
    if isinstance(name, (float, np.floating)) and float(name).is_integer():
        return str(name)
    raise BadInput(f"{place}: {rule}, got {shown(cell, 40)}")
