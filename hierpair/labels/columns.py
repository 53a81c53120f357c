"""What the columns of a table mean, and the labels in them: a row per instance, or per label."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from hierpair.errors import (
    BadInput,
    counted,
    did_you_mean,
    facts_table,
    first_repeated,
    listed,
    shown,
)
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, row_numbers
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
from hierpair.labels.containers import paths_of
from hierpair.labels.naming import LabelRows, is_missing

__all__ = [
    "ID_NAMES",
    "LABEL_NAMES",
    "LONG_NOTE",
    "PLURALS",
    "SCORE_NAMES",
    "Columns",
    "column_named",
    "column_rows",
    "found_column",
    "ids_in",
    "labels_in",
    "looks_long",
    "no_row",
    "score_of",
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
        Only rows in which these columns have these values: a mapping, or pairs.
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
    where: Any = ()
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
        named: Any = self.labels
        object.__setattr__(self, "labels", (named,) if isinstance(named, str) else tuple(named))
        object.__setattr__(self, "where", _pairs(self.where))
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


def _pairs(where: Any) -> tuple[tuple[str, str], ...]:
    """Return columns and the values that they must have, as texts."""
    try:
        pairs = where.items() if isinstance(where, Mapping) else where
        if isinstance(pairs, str):
            raise TypeError
        return tuple((name, str(value)) for name, value in pairs)
    except (TypeError, ValueError):
        raise BadInput(
            f'where must be a mapping such as {{"task": "A"}}, or pairs, got {shown(where)}'
        ) from None


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
    table: Mapping[str, Any],
    name: str | None,
    usual: Sequence[str],
    what: str,
    source: str,
    *,
    needed: bool,
) -> Any:
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


def wanted_rows(table: Mapping[str, Any], columns: Columns, source: str, n: int) -> Bools:
    """Return whether each row has the wanted values; there may be none."""
    keep = np.ones(n, dtype=bool)
    for name, wanted in columns.where:
        known = coded(column_named(table, name, (), "where", source, needed=True))
        keep &= np.array([str(v) == wanted for v in known.values], dtype=bool)[known.codes]
    return keep


def no_row(columns: Columns, source: str) -> str:
    """Say that the wanted values are nowhere."""
    conditions = ", ".join(f"{k}={v}" for k, v in columns.where)
    return f"{source}: no row has {conditions}"


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
    named = columns.labels or (found_column(table, LABEL_NAMES, source) or LABEL_NAMES[0],)
    if columns.where:
        n = len(column_named(table, named[0], (), "label", source, needed=True))
        at = np.flatnonzero(wanted_rows(table, columns, source, n))
        if n and not len(at):
            raise BadInput(no_row(columns, source))
        some = {name: coded(column).take(at) for name, column in table.items()}
        rest = replace(columns, where=())
        return column_rows(some, rest, lambda i: place(int(at[i])), source=source, as_text=as_text)

    def column(name: str | None, usual: Sequence[str], what: str, *, needed: bool) -> Any:
        return column_named(table, name, usual, what, source, needed=needed)

    id_column = column(columns.ids, ID_NAMES, "id", needed=columns.long)
    ids = None if id_column is None else ids_in(id_column, place, as_text)

    def who(i: int) -> str:
        return place(i) if ids is None else f"{place(i)}, instance {shown(ids[i])}"

    cells = [column(name, (), "label", needed=True) for name in named]
    bare: list[int] = []
    if len(named) > 1:
        levels = list(map(coded, cells))
        if as_text:
            levels = [replace(level, values=list(map(_name, level.values))) for level in levels]
        rows = paths_of(together(levels), who, each=columns.each)
    else:
        rows, bare = labels_in(cells[0], None if columns.long else columns.separator, who, as_text)
    found = LabelRows(rows, lambda i, k: place(i), ids, levels=len(named) > 1 and not columns.each)
    if columns.long:
        scores = column(columns.score, SCORE_NAMES, "score", needed=False)
        if columns.min_score is not None and scores is None:
            raise BadInput(f"{source}: a least score is set, but there is no column of scores")
        value = None if scores is None else _scores(scores, row_numbers(rows.row_ends), place)
        return _gathered(replace(found, scores=value), columns, source)
    name = str(named[0]).strip().lower()
    may_be_long = as_text and len(named) == 1 and name not in PLURALS
    if may_be_long and ids and looks_long(ids, rows, apart=name in LABEL_NAMES):
        as_long = column_rows(table, replace(columns, long=True), place, source=source)
        return replace(as_long, notes=(*as_long.notes, f"{source}: {LONG_NOTE}"))
    # among several columns of labels, such as systems, a score may belong to anything
    scored = columns.score or found_column(table, () if columns.labels else SCORE_NAMES, source)
    note = f"{source}: no column {' or '.join(ID_NAMES)}; instances are taken by position"
    notes = (note,) if ids is None else ()
    return replace(found, notes=notes, bare=bare, unused_scores=scored is not None)


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


def _scores(column: Any, rows: Ints, where: Callable[[int], str]) -> Floats:
    """Return the scores in some rows of a column."""
    array = array_of(column)
    if array is None or array.dtype.kind not in "iuf":
        array = np.array(list(map(plain_number, values_of(column))))
    found: Floats = array[rows].astype(np.float64)
    for row in rows[~np.isfinite(found)][:1].tolist():
        score_of(values_of(column)[row], where(row))
    return found


def _gathered(found: LabelRows, columns: Columns, source: str) -> LabelRows:
    """Put the rows of one id together, in the order in which ids and labels come."""
    labels, names, place = found.coded, numbered(found.ids or ()), found.where
    ids, value, row = names.values, found.scores, row_numbers(labels.row_ends)
    owner, n_twice = names.codes[row].astype(np.int64), 0
    order = np.argsort(owner, kind="stable")
    if value is not None:
        key = owner * max(1, len(labels.values)) + labels.codes
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        before = first[group]
        n_twice = int(np.count_nonzero(row[before] != row))
        for i in np.flatnonzero(value != value[before])[: not columns.highest].tolist():
            raise BadInput(
                f"{place(row[i], 0)}: instance {shown(ids[owner[i]])} has the label "
                f"{shown(labels.values[labels.codes[i]])} with another score at "
                f"{place(row[before[i]], 0)}"
            )
        if columns.min_score is not None:
            order = order[value[order] >= columns.min_score]
        value = value[order]
    pointer = offsets(np.bincount(owner[order], minlength=len(ids)))
    row = row[order]

    def where(i: int, k: int) -> str:
        alone = pointer[i] == pointer[i + 1]
        return f"instance {shown(ids[i])}" if alone else place(row[pointer[i] + k], 0)

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
        name = "" if cell is None else _name(cell) if as_text else cell
        if not as_text or isinstance(name, str):
            return name
        if isinstance(name, (float, np.floating)) and name.is_integer():
            return str(name)
        raise BadInput(f"{place(known.row_of(entry)[0])}: {rule}, got {shown(cell, 40)}")

    def split(text: str) -> list[str]:
        return list(map(str.strip, text.split(separator or "\0"))) if text else []

    def labels(cell: Any, row: int) -> list[Any]:
        if isinstance(cell, str):
            return split(cell.strip())
        if isinstance(cell, (list, tuple, set, frozenset)):
            return [label(x, row) for x in in_order(cell)]
        return [] if is_missing(cell) else [label(cell, row, "labels must be names")]

    if known.pointer is not None:
        return replace(known, values=known.each(label)), []
    lists: Any = map(split, map(str.strip, known.values))  # there may be many
    if set(map(type, known.values)) != {str}:
        lists = known.each(labels)
    found = known.spread(lists)
    blank = np.flatnonzero(np.diff(found.row_ends) == 0)
    codes = known.codes[blank].tolist()
    return found, [i for i, k in zip(blank.tolist(), codes, strict=True)
                   if isinstance(known.values[k], str)]  # fmt: skip


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
