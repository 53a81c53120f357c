"""Labels in named columns: of a data frame, a CSV file, JSON lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean, listed, shown
from hierpair.hierarchy.building import plain_number
from hierpair.labels.naming import is_missing
from hierpair.labels.rows import LabelRows

__all__ = ["Columns", "column_rows", "frame_rows", "score_of"]

ID_NAMES = ("id", "instance", "instance_id")
LABEL_NAMES = ("labels", "label", "classes", "class")


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
        twice = next((c for i, c in enumerate(self.labels) if c in self.labels[:i]), None)
        if twice is not None:
            raise BadInput(f"the column {twice!r} is named twice as a level of the path")


def column_rows(
    table: Mapping[str, Sequence[Any]],
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
    named = columns.labels or (_found(table, LABEL_NAMES, source) or LABEL_NAMES[0],)
    cells = [_column(table, name, (), "label", source, needed=True) or [] for name in named]
    n = len(cells[0])
    kept = range(n)
    for name, wanted in columns.where:
        values = _column(table, name, (), "where", source, needed=True) or []
        kept = [i for i in kept if str(values[i]) == wanted]  # type: ignore[assignment]
    if columns.where and n and not kept:
        shown_filter = ", ".join(f"{k}={v}" for k, v in columns.where)
        raise BadInput(f"{source}: no row has {shown_filter}")
    levels = len(named) > 1
    separator = None if columns.long else columns.separator
    rows, ids, bare = [], [], []
    for i in kept:
        at_row = place(i)
        if given_ids is not None:
            ids.append(_id(given_ids[i], at_row, as_text))
            at_row = f"{at_row}, instance {shown(ids[-1])}"
        if levels:
            path = _path([c[i] for c in cells], at_row, as_text)
            rows.append([path] if path else [])
        else:
            cell = cells[0][i]
            if isinstance(cell, str) and not cell.strip():
                bare.append(len(rows))
            rows.append(_labels(cell, separator, at_row, as_text))
    notes: tuple[str, ...] = ()
    if given_ids is None:
        notes = (f"{source}: no column {' or '.join(ID_NAMES)}; instances are taken by position",)
    at = list(kept)
    if columns.long:
        scores = _column(table, columns.score, ("score",), "score", source, needed=False)
        if columns.min_score is not None and scores is None:
            raise BadInput(f"{source}: a least score is set, but there is no column of scores")
        return _gathered(rows, ids, at, scores, columns, place, levels, source)
    return LabelRows(
        rows, lambda i, k: place(at[i]), ids if given_ids is not None else None, levels,
        notes=notes, bare=tuple(bare),
    )  # fmt: skip


def frame_rows(frame: Any, columns: Columns) -> LabelRows:
    """Return the labels of a data frame (needs the extra ``dataframe``)."""
    try:
        import narwhals as nw
    except ModuleNotFoundError:
        raise BadInput("data frames need narwhals: pip install 'hierpair[dataframe]'") from None
    try:
        known = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise BadInput(
            "expected a data frame of pandas, polars, pyarrow or another that narwhals knows, "
            f"got {type(frame).__name__}"
        ) from None
    table = _Lazily(known)
    return column_rows(table, columns, lambda i: f"row {i}", source="the frame", as_text=False)


class _Lazily(Mapping[str, Sequence[Any]]):
    """The columns of a frame as lists, made when they are asked for."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getitem__(self, name: str) -> list[Any]:
        values: list[Any] = self.frame[name].to_list()
        return values

    def __iter__(self) -> Any:
        return iter(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame.columns)


def _found(table: Mapping[str, Any], names: Sequence[str], source: str) -> str | None:
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
    table: Mapping[str, Sequence[Any]],
    name: str | None,
    usual: Sequence[str],
    what: str,
    source: str,
    *,
    needed: bool,
) -> Sequence[Any] | None:
    chosen = name if name is not None else _found(table, usual, source)
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


def score_of(given: Any, place: str) -> float:
    """Return a finite score, or refuse it."""
    value = plain_number(given)
    if not math.isfinite(value):
        raise BadInput(f"{place}: a score must be a finite number, got {shown(given, 40)}")
    return value


def _gathered(
    rows: list[list[Any]],
    ids: list[Hashable],
    at: list[int],
    scores: Sequence[Any] | None,
    columns: Columns,
    place: Callable[[int], str],
    levels: bool,
    source: str,
) -> LabelRows:
    """Put the rows of one id together."""
    found: dict[Hashable, list[tuple[Any, int]]] = {}
    values: dict[Hashable, list[float]] = {}
    least, n_twice = columns.min_score, 0
    seen: dict[tuple[Hashable, Any], tuple[float, int]] = {}
    for labels, name, i in zip(rows, ids, at, strict=True):
        mine, scored = found.setdefault(name, []), values.setdefault(name, [])
        for label in labels:
            if scores is not None and label != "":
                value = score_of(scores[i], place(i))
                before = seen.setdefault((name, label), (value, i))
                n_twice += before[1] != i
                if before[0] != value and not columns.highest:
                    raise BadInput(
                        f"{place(i)}: instance {shown(name)} has the label {shown(label)} with "
                        f"another score at {place(before[1])}"
                    )
                if least is not None and value < least:
                    continue
                scored.append(value)
            elif scores is not None:
                scored.append(0.0)  # a blank label, which is refused or left out further on
            mine.append((label, i))
    numbers = [[i for _, i in mine] for mine in found.values()]
    return LabelRows(
        [[label for label, _ in mine] for mine in found.values()],
        lambda i, k: place(numbers[i][k]) if numbers[i] else f"instance {shown(list(found)[i])}",
        list(found),
        levels,
        notes=(f"{source}: {n_twice} labels stand there twice; the highest score counts",)
        if columns.highest and n_twice
        else (),
        scores=None if scores is None else list(values.values()),
    )
