"""One side of a join: its rows in the few columns that all sides share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.building import plain_number
from hierpair.io.datasets.arrow_columns import ArrowColumn, Column
from hierpair.io.datasets.batch_labels import ids_of
from hierpair.io.datasets.parts import DataSet, PartRows
from hierpair.io.labels.parquet import with_pyarrow
from hierpair.labels import Columns
from hierpair.labels.coded import values_of
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    SCORE_NAMES,
    column_named,
    found_column,
)
from hierpair.labels.tables import labels_in, score_of

__all__ = ["LEVELS", "Kind", "Side", "text_type"]

Kind = Literal["text", "list"]
"""Whether the cells of a column of labels are texts, or lists of texts."""


@dataclass(frozen=True, eq=False)
class Side:
    """The truth or a system: where its rows come from, and which of its columns are carried.

    Attributes
    ----------
    name
        What it is called in messages and in the joined table.
    data
        Its rows.
    weight
        Its column of weights, or None.
    """

    name: str
    data: DataSet
    weight: str | None = None

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Its columns of labels, several for the levels of a path."""
        meaning, table = self.data.columns, dict.fromkeys(self.data.names, ())
        if meaning.ids is None:
            raise BadInput(
                f"{self.data.source}: there is no column {' or '.join(ID_NAMES)} to join by; "
                "name the column of ids (--id-column)"
            )
        named = meaning.labels or (found_column(table, LABEL_NAMES, self.data.source),)
        for name in (*named, *filter(None, (self.weight,))):
            usual = () if name else LABEL_NAMES
            column_named(table, name, usual, "label", self.data.source, needed=True)
        return tuple(name for name in named if name is not None)

    @property
    def is_long(self) -> bool:
        """Whether it has one label per row."""
        return self.data.columns.long

    @property
    def score(self) -> str | None:
        """Its column of scores, if it has one label per row and one of them."""
        meaning, table = self.data.columns, dict.fromkeys(self.data.names, ())
        if not self.is_long:
            return None
        found = meaning.score or found_column(table, SCORE_NAMES, self.data.source)
        if meaning.min_score is not None and found is None:
            raise BadInput(
                f"{self.data.source}: a least score is set, but there is no column of scores"
            )
        return found

    @property
    def has_unused_scores(self) -> bool:
        """Whether there are scores that no label is chosen by."""
        meaning, table = self.data.columns, dict.fromkeys(self.data.names, ())
        if self.is_long:
            return self.score is not None and meaning.min_score is None
        usual = () if meaning.labels else SCORE_NAMES
        return (meaning.score or found_column(table, usual, self.data.source)) is not None

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """What the cells of its columns of labels are; texts where there is none."""
        found: list[Kind | None] = [None] * len(self.labels)
        for rows in self.rows():
            for k, name in enumerate(self.labels):
                found[k] = found[k] or self._cells(rows, name)[0]
            if None not in found:
                break
        return tuple(kind or "text" for kind in found)

    def rows(self, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield its rows, with these columns beside the ids; by default those that are carried."""
        if names is None:
            names = (*self.labels, *(x for x in (self.score, self.weight) if x is not None))
        for part in self.data.parts:
            yield from self.data.reader.rows(part, names)

    def place(self, row: int) -> str:
        """Tell where a row stands, counted through all parts; they are read again for it."""
        for rows in self.rows(()):
            if row < rows.n_rows:
                return rows.place(row)
            row -= rows.n_rows
        raise BadInput(f"{self.data.source}: the files have changed since they were read")

    def carried(self, rows: PartRows) -> tuple[Any, list[tuple[Kind, Any]], Any]:
        """Return ids, columns of labels, and the numbers beside them (or None), as Arrow has them.

        Raises
        ------
        BadInput
            Names the row of an id or a weight that is none, and of a cell that holds no labels.
        """
        pa, _ = with_pyarrow()
        ids = _ids(rows)
        cells: list[tuple[Kind, Any]] = []
        for name, kind in zip(self.labels, self.kinds, strict=True):
            found, array = self._cells(rows, name)
            if found is None:
                array = pa.nulls(len(array), text_type(kind))
            elif found != kind:
                i = int(np.flatnonzero(array.is_valid())[0])
                raise BadInput(
                    f"{rows.place(i)}: the labels are a {found} here, and a {kind} in rows before; "
                    "a join needs all of them in one form"
                )
            cells.append((kind, array))
        if self.score is not None:
            return ids, cells, _scores(rows, self.score, cells[0][1])
        return ids, cells, None if self.weight is None else _weights(rows, self.weight)

    def _cells(self, rows: PartRows, name: str) -> tuple[Kind | None, Any]:
        """Return the cells of a column of labels; None for their kind if all of them are null."""
        if rows.check is not None and len(self.labels) == 1:
            rows.check(name)
        separator = None if self.is_long else self.data.columns.separator
        cells = _as_texts(
            _column(rows, name),
            separator,
            lambda i: f"{rows.place(i)}, instance {shown(values_of(_ids_of(rows))[i])}",
        )
        if cells.null_count == len(cells):
            return None, cells
        return ("list" if ArrowColumn(cells).is_nested else "text"), cells

    def joined_columns(self, names: tuple[str, ...]) -> Columns:
        """Return what its columns mean in the joined table, where they are called by these names.

        The rows of an instance are one there, with a list of labels.
        """
        meaning = self.data.columns
        paths = meaning.paths
        if self.is_long and len(self.labels) > 1:
            paths = LEVELS
        return replace(
            Columns(), labels=names, separator=meaning.separator, paths=paths, each=meaning.each
        )


LEVELS = "\x1f"
"""Between the levels of a path that was given in columns, one label per row."""


def text_type(kind: Kind) -> Any:
    """Return the type that Arrow has for cells of a kind."""
    pa, _ = with_pyarrow()
    return pa.string() if kind == "text" else pa.list_(pa.string())


def _column(rows: PartRows, name: str) -> Sequence[Any] | Column:
    source = rows.part.path
    found = column_named(rows.columns, name, (), "label", source, needed=True)
    return [] if found is None else found


def _ids_of(rows: PartRows) -> Any:
    found = ids_of(rows)
    if found is None:
        raise AssertionError
    return found


def _ids(rows: PartRows) -> Any:
    """Return the ids as texts."""
    pa, _ = with_pyarrow()
    ids = _ids_of(rows)
    if isinstance(ids, ArrowColumn):
        return ids.array.cast(pa.string())
    return _text_array(ids, rows.place)


def _as_texts(
    column: Sequence[Any] | Column, separator: str | None, place: Callable[[int], str]
) -> Any:
    """Return cells of labels as texts or lists of texts, which mean the same labels.

    Raises
    ------
    BadInput
        As the readers of whole files, for a cell that holds no labels.
    """
    pa, _ = with_pyarrow()
    if isinstance(column, ArrowColumn):
        known = _arrow_texts(column.array)
        if known is not None:
            return known
    values = values_of(column)
    lists, _ = labels_in(column, separator, place, as_text=True)  # refuses what is no label
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {list, tuple}:
        flat = _text_array([x for row in lists for x in row], place)
        null = pa.array([value is None for value in values])
        return pa.ListArray.from_arrays(pa.array(lists.row_ends, pa.int32()), flat, mask=null)
    if any(isinstance(value, (list, tuple)) for value in values):
        i = next(i for i, x in enumerate(values) if isinstance(x, str))
        raise BadInput(
            f"{place(i)}: the labels are a text here, and a list in other rows; a join needs all "
            "of them in one form"
        )
    return _text_array([x if isinstance(x, str) else _name(x) for x in values], place)


def _name(value: Any) -> str | None:
    """Return a cell that is no text, which may be a number of a class, or nothing."""
    return None if value is None or value != value else str(value)  # noqa: PLR0124 - nan


def _arrow_texts(array: Any) -> Any:
    """Return an array of texts, whole numbers or lists of these as texts; None for any other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not ArrowColumn(array).is_nested:
        return _plain_texts(array)
    inside = _plain_texts(array.flatten())
    if inside is None:
        return None
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    pointer = pa.array(offsets(lengths), pa.int32())
    return pa.ListArray.from_arrays(pointer, inside, mask=array.is_null())


def _plain_texts(array: Any) -> Any:
    """Return an array of texts or whole numbers as texts; None for any other."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    plain = kinds.is_null(array.type) or kinds.is_integer(array.type) or _is_text(array.type)
    return array.cast(pa.string()) if plain else None


def _is_text(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def _text_array(values: Sequence[Any], place: Callable[[int], str]) -> Any:
    """Return texts as Arrow has them; half of a character is refused."""
    pa, _ = with_pyarrow()
    try:
        return pa.array(values, pa.string(), size=len(values))
    except UnicodeEncodeError as error:
        raise BadInput(
            f"{place(0)} or a row below: {shown(error.object)} holds half of a character; a join "
            "needs texts that UTF-8 can hold"
        ) from None


def _scores(rows: PartRows, name: str, labels: Any) -> Any:
    """Return the scores of labels; rows without a label need none."""
    numbers, values = _numbers(_column(rows, name))
    for i in np.flatnonzero(~np.isfinite(numbers)).tolist():
        cell = labels[i].as_py()
        if any((x or "").strip() for x in (cell if isinstance(cell, list) else [cell])):
            score_of(values[i], rows.place(i))
    return numbers


def _weights(rows: PartRows, name: str) -> Any:
    numbers, values = _numbers(_column(rows, name))
    odd = np.flatnonzero(~np.isfinite(numbers))
    if len(odd):
        i = int(odd[0])
        raise BadInput(
            f"{rows.place(i)}: a weight must be a finite number, got {shown(values[i], 40)}"
        )
    return numbers


def _numbers(column: Sequence[Any] | Column) -> tuple[Any, Any]:
    """Return a column as floats, nan for what is no number, and as it was."""
    numbers = None if isinstance(column, Sequence) else column.numbers()
    if numbers is not None:
        return numbers, numbers
    values = values_of(column)
    return np.fromiter(map(plain_number, values), float, len(values)), values
