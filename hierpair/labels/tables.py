"""Tables with named columns as labels: a row per instance, or a row per label."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted, shown, unknown
from hierpair.hierarchy.arrays import Floats, Ints, offsets, row_numbers
from hierpair.hierarchy.building import in_order, plain_number
from hierpair.labels.coded import (
    Coded,
    all_distinct,
    array_of,
    coded,
    numbered,
    together,
    values_of,
)
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    PLURALS,
    SCORE_NAMES,
    Columns,
    column_named,
    found_column,
    no_row,
    wanted_rows,
)
from hierpair.labels.containers import frame_columns, paths_of
from hierpair.labels.naming import check_order, is_missing
from hierpair.labels.rows import LabelRows

__all__ = [
    "LONG_NOTE",
    "column_rows",
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
    at = None
    if columns.where:
        at = np.flatnonzero(wanted_rows(table, columns, source, len(cells[0])))
        if len(cells[0]) and not len(at):
            raise BadInput(no_row(columns, source))
        cells = [column.take(at) for column in cells]

    def where(i: int) -> str:
        """Tell where a kept row stands."""
        return place(i if at is None else int(at[i]))

    ids: list[Hashable] | None = None
    if id_column is not None:
        given = values_of(id_column)
        given = given if at is None else [given[i] for i in at.tolist()]
        ids = ids_in(given, where, as_text)

    def named_place(i: int) -> str:
        return where(i) if ids is None else f"{where(i)}, instance {shown(ids[i])}"

    bare: list[int] = []
    if len(named) > 1:
        if as_text:
            cells = [replace(cell, values=list(map(_name, cell.values))) for cell in cells]
        rows = paths_of(together(cells), named_place, each=columns.each)
    else:
        separator = None if columns.long else columns.separator
        rows, bare = labels_in(cells[0], separator, named_place, as_text)
    levels = len(named) > 1 and not columns.each
    if ids is not None and columns.long:
        scores = column_named(table, columns.score, SCORE_NAMES, "score", source, needed=False)
        if columns.min_score is not None and scores is None:
            raise BadInput(f"{source}: a least score is set, but there is no column of scores")
        found = LabelRows(rows, lambda i, k: where(i), ids, levels)
        row = row_numbers(rows.row_ends)
        filled = np.flatnonzero(np.array([x != "" for x in rows.values], dtype=bool)[rows.codes])
        if scores is not None:
            value = np.zeros(len(row))
            in_table = row[filled] if at is None else at[row[filled]]
            value[filled] = _scores(scores, in_table, place)
            found = replace(found, scores=value)
        return _gathered(found, row, filled, columns, source)
    name = str(named[0]).strip().lower()
    may_be_long = as_text and ids is not None and len(named) == 1 and name not in PLURALS
    if may_be_long and looks_long(ids or [], rows, apart=name in LABEL_NAMES):
        as_long = column_rows(table, replace(columns, long=True), place, source=source)
        return replace(as_long, notes=(*as_long.notes, f"{source}: {LONG_NOTE}"))
    # among several columns of labels, such as systems, a score may belong to anything
    usual = () if columns.labels else SCORE_NAMES
    scored = columns.score or found_column(table, usual, source)
    note = f"{source}: no column {' or '.join(ID_NAMES)}; instances are taken by position"
    return LabelRows(
        rows,
        lambda i, k: where(i),
        ids,
        levels,
        notes=(note,) if ids is None else (),
        bare=tuple(bare),
        unused_scores=scored is not None,
    )


def label_columns(frame: Any, columns: Sequence[str] | None, ids: str | None) -> list[str]:
    """Return the columns of a frame that hold labels: those named, or all but the ids."""
    names = list(frame_columns(frame))
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


def looks_long(ids: list[Hashable], rows: Coded, *, apart: bool = False) -> bool:
    """Whether rows are one label each, which nobody said: ids come again, with other labels.

    Unless rows may be ``apart``, those of one id that are not together are rather a mistake.
    """
    if all_distinct(ids) or (np.diff(rows.row_ends) != 1).any():
        return False
    owner = numbered(ids).codes.astype(np.int64)
    key = owner * len(rows.values) + rows.codes
    beside = np.count_nonzero(np.diff(owner)) == owner.max()
    return bool((beside or apart) and len(np.unique(key)) == len(key))


def score_of(value: Any, place: str, label: Any = None) -> float:
    """Return a finite score, or refuse it; names the label if there is one."""
    score = plain_number(value)
    if not math.isfinite(score):
        whose = "" if label is None else f", class {shown(label)}"
        raise BadInput(f"{place}{whose}: a score must be a finite number, got {shown(value, 40)}")
    return score


def _scores(column: Any, rows: Ints, place: Callable[[int], str]) -> Floats:
    """Return the scores in some rows of a column."""
    array = None if isinstance(column, (list, tuple)) else array_of(column)
    if array is not None and array.dtype.kind in "iuf":
        found: Floats = array[rows].astype(np.float64)
        values: Sequence[Any] = array  # type: ignore[assignment]
    else:
        values = values_of(column)
        found = np.fromiter((plain_number(values[i]) for i in rows.tolist()), float, len(rows))
    for row in rows[~np.isfinite(found)].tolist():
        score_of(values[row], place(row))
    return found


def _gathered(
    found: LabelRows, row: Ints, filled: Ints, columns: Columns, source: str
) -> LabelRows:
    """Put the rows of one id together, in the order in which ids and labels come."""
    labels, names = found.coded, numbered(found.ids or ())
    ids, label, place = names.values, labels.codes.astype(np.int64), found.where
    owner, value = names.codes[row].astype(np.int64), found.scores
    order, n_twice = np.argsort(owner, kind="stable"), 0
    if value is not None:
        key = (owner * max(1, len(labels.values)) + label)[filled]
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        before = filled[first[group]]
        n_twice = int(np.count_nonzero(row[before] != row[filled]))
        odd = np.flatnonzero(value[filled] != value[before])
        if len(odd) and not columns.highest:
            i, j = int(filled[odd[0]]), int(before[odd[0]])
            raise BadInput(
                f"{place(int(row[i]), 0)}: instance {shown(ids[owner[i]])} has the label "
                f"{shown(labels.values[label[i]])} with another score at {place(int(row[j]), 0)}"
            )
        if columns.min_score is not None:
            low = np.zeros(len(value), dtype=bool)
            low[filled] = value[filled] < columns.min_score
            order = order[~low[order]]
        value = value[order]
    pointer = offsets(np.bincount(owner[order], minlength=len(ids)))
    row = row[order]

    def where(i: int, k: int) -> str:
        alone = pointer[i] == pointer[i + 1]
        return f"instance {shown(ids[i])}" if alone else place(int(row[pointer[i] + k]), 0)

    repeated = f"{source}: {counted(n_twice, 'label')} given twice; the highest score counts"
    return LabelRows(
        Coded(labels.codes[order], labels.values, pointer),
        where,
        ids,
        found.levels,
        notes=(repeated,) if columns.highest and n_twice else (),
        scores=value if columns.highest else None,
        unused_scores=value is not None and columns.min_score is None,
    )


# ---------------------------------------------------------------- cells


def _name(cell: Any) -> Any:
    """Return a name in a file as its text, as that of a whole number."""
    if isinstance(cell, str):
        return cell.strip()
    whole = isinstance(cell, (int, np.integer)) and not isinstance(cell, bool)
    return str(cell) if whole else cell


def labels_in(
    column: Any, separator: str | None, place: Callable[[int], str], as_text: bool
) -> tuple[Coded, list[int]]:
    """Return the labels of every row, and the rows with a blank text."""
    known = coded(column)

    def label(cell: Any, entry: int, rule: str = "a label must be a name") -> Any:
        name = _name(cell) if as_text else cell
        if name is None:
            return ""
        if not as_text or isinstance(name, str):
            return name
        if isinstance(name, (float, np.floating)) and name.is_integer():
            return str(name)
        row = known.row_of(entry)[0]
        raise BadInput(f"{place(row)}: {rule}, got {shown(cell, 40)}")

    def split(text: str) -> list[str]:
        if separator is None or not text:
            return [text] if text else []
        return list(map(str.strip, text.split(separator)))

    def labels(cell: Any, row: int) -> list[Any]:
        if isinstance(cell, str):
            return split(cell.strip())
        if isinstance(cell, (list, tuple, set, frozenset)):
            return [label(x, row) for x in in_order(cell)]
        return [] if is_missing(cell) else [label(cell, row, "labels must be names")]

    if known.pointer is not None:
        return replace(known, values=known.each(label)), []
    if set(map(type, known.values)) == {str}:  # mostly, and there may be many
        found = known.spread(map(split, map(str.strip, known.values)))
        return found, np.flatnonzero(np.diff(found.row_ends) == 0).tolist()
    blank = np.array([isinstance(x, str) and not x.strip() for x in known.values], dtype=bool)
    return known.spread(known.each(labels)), np.flatnonzero(blank[known.codes]).tolist()


def ids_in(column: Any, where: Callable[[int], str], as_text: bool) -> list[Hashable]:
    """Return the ids of all rows, or refuse what is none."""
    values = values_of(column)
    names: list[Any] = list(values)
    if as_text:
        names = list(map(str.strip if set(map(type, values)) == {str} else _name, values))
    if set(map(type, names)) <= {str, int} and "" not in names:
        return names
    for i, name in enumerate(names):
        if is_missing(name):
            raise BadInput(f"{where(i)}: the instance id is missing")
        if not isinstance(name, Hashable) or (as_text and not isinstance(name, str)):
            raise BadInput(
                f"{where(i)}: an instance id must be a text or a whole number, "
                f"got {shown(name, 40)}"
            )
    return names
