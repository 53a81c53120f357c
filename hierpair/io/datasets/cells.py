"""Rows of a data set to label sets, ids and weights: what is different is looked up once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.hierarchy.building import plain_number
from hierpair.io.datasets.parts import PartRows, taken
from hierpair.io.labels.parquet import with_pyarrow
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown, column_rows
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    SCORE_NAMES,
    column_named,
    found_column,
)
from hierpair.labels.rows import AsWritten
from hierpair.labels.tables import ids_in

__all__ = ["BatchLabels", "cells_of", "ids_of", "is_list", "is_text", "label_sets", "lists_of",
           "named_labels", "numbers_of", "rows_of_labels", "sets_of", "value_of",
           "weights_of"]  # fmt: skip


@dataclass(frozen=True, eq=False)
class BatchLabels:
    """Label sets of the same instances.

    Attributes
    ----------
    ids
        A text per instance, as an array of Arrow; None where instances are known by their position.
    truth
        The true labels, or None where no column of them was named.
    systems
        The predicted labels, by the names of the systems.
    """

    ids: Any
    truth: LabelSets | None
    systems: dict[str, LabelSets]


def label_sets(
    rows: PartRows,
    hierarchy: Hierarchy,
    *,
    truth: str | Columns | None = None,
    systems: Sequence[str] | Mapping[str, str | Columns] = (),
    unknown: Unknown = "error",
    keep_ids: bool = False,
) -> BatchLabels:
    """Return the label sets of truth and systems that are columns of the same rows.

    Parameters
    ----------
    rows
        What :meth:`DataSet.read` gives.
    hierarchy
        The classes.
    truth
        The column of the true labels; :class:`hierpair.labels.Columns` where it is written in
        another way than the others, such as with another separator.
    systems
        The columns of the systems, or by the name of a system its column.
    unknown
        As in :meth:`hierpair.LabelSets.from_labels`.
    keep_ids
        Put the ids into the label sets, too: an object per row, which only some uses need.

    Returns
    -------
    BatchLabels
        Ids, truth and systems, all of the same instances in the same order.

    Raises
    ------
    BadInput
        Names file, row, instance and label: unknown label, blank id, a cell that holds no labels;
        one label per row, which :func:`joined` puts together.
    """
    named = systems if isinstance(systems, Mapping) else {name: name for name in systems}
    ids = ids_of(rows)

    def found(column: str | Columns) -> LabelSets:
        meaning = replace(rows.meaning, labels=(column,)) if isinstance(column, str) else column
        sets = sets_of(rows, hierarchy, meaning, ids, unknown)
        return replace(sets, ids=names) if names is not None else sets

    names = tuple(ids.to_pylist()) if keep_ids and ids is not None else None
    true = None if truth is None else found(truth)
    return BatchLabels(ids, true, {name: found(column) for name, column in named.items()})


# ---------------------------------------------------------------- ids and numbers


def ids_of(rows: PartRows) -> Any:
    """Return the ids of all rows as an array of texts, or None without a column of ids.

    Raises
    ------
    BadInput
        For an id that is missing, or neither a text nor a whole number.
    """
    if rows.meaning.ids is None:
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _column(rows, rows.meaning.ids, "id", ID_NAMES)
    texts = _as_texts(column)
    if texts is not None and not texts.null_count:
        texts = pc.utf8_trim_whitespace(texts)
        if not pc.any(pc.equal(pc.binary_length(texts), 0)).as_py():
            return texts
    names = ids_in(column, rows.place, as_text=True)
    return pa.array(names, pa.string())


def numbers_of(rows: PartRows, name: str) -> NDArray[np.float64]:
    """Return a column as numbers, nan for what is none."""
    import pyarrow.types as kinds

    column = _column(rows, name, "score")
    if not isinstance(column, list):
        if kinds.is_integer(column.type) or kinds.is_floating(column.type):
            plain: NDArray[np.float64] = column.to_numpy(zero_copy_only=False)
            return plain.astype(np.float64)
        column = column.to_pylist()
    return np.array([plain_number(value) for value in column], dtype=np.float64)


def weights_of(rows: PartRows, name: str) -> NDArray[np.float64]:
    """Return the weight of every row.

    Raises
    ------
    BadInput
        For a weight that is no number, negative or not finite, by file and row.
    """
    _column(rows, name, "weight")
    weight = numbers_of(rows, name)
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        i = int(bad[0])
        raise BadInput(
            f"{rows.place(i)}: the weight {shown(value_of(rows.columns[name], i))} in the column "
            f"{name!r}; weights must be finite numbers and not negative"
        )
    return weight


def value_of(column: Any, i: int) -> Any:
    """Return what stands in a row."""
    return column[i] if isinstance(column, list) else column[i].as_py()


def _column(rows: PartRows, name: str | None, what: str, usual: Sequence[str] = ()) -> Any:
    return column_named(rows.columns, name, usual, what, rows.part.path, needed=True)


def _as_texts(column: Any) -> Any:
    """Return texts or whole numbers as texts, and lists of them as such; None for all else."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if isinstance(column, list):
        types = set(map(type, column))
        if types <= {str, type(None)}:
            return _in_arrow(column, pa.string())
        return _in_arrow(column, pa.list_(pa.string())) if types <= {list, type(None)} else None
    nested = is_list(column.type)
    inner = column.type.value_type if nested else column.type
    while kinds.is_dictionary(inner):
        inner = inner.value_type
    if kinds.is_null(inner) or kinds.is_integer(inner) or is_text(inner):
        return column.cast(pa.list_(pa.string()) if nested else pa.string())
    return None


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is one of texts."""
    import pyarrow.types as kinds

    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def is_list(kind: Any) -> bool:
    """Whether a type of Arrow is one of lists."""
    import pyarrow.types as kinds

    return bool(kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind))


def _in_arrow(values: list[Any], kind: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, UnicodeEncodeError):
        return None  # lists of something else, half of a character


# ---------------------------------------------------------------- labels


def named_labels(columns: Mapping[str, Any], meaning: Columns, source: str) -> tuple[str, ...]:
    """Return the columns of labels: those that are named, or the usual one."""
    usual = () if meaning.labels else (found_column(columns, LABEL_NAMES, source),)
    if usual == (None,):
        column_named(columns, None, LABEL_NAMES, "label", source, needed=True)
    return meaning.labels or tuple(str(name) for name in usual)


def sets_of(
    rows: PartRows, hierarchy: Hierarchy, meaning: Columns, ids: Any, unknown: Unknown = "error"
) -> LabelSets:
    """Return the label sets of one column, or of the columns of one path's levels.

    Parameters
    ----------
    rows, hierarchy, unknown
        As for :func:`label_sets`.
    meaning
        What the columns mean.
    ids
        The ids of the rows; errors name them.
    """
    named = named_labels(rows.columns, meaning, rows.part.path)
    if meaning.long or rows.meaning.long:
        raise BadInput(
            f"{rows.part.path}: one label per row (long) is put together by id first, by joined"
        )
    if rows.check is not None and len(named) == 1:
        rows.check(named[0])
    score = meaning.score or (
        None if meaning.labels else found_column(rows.columns, SCORE_NAMES, rows.part.path)
    )
    sets = None
    column = _column(rows, named[0], "label")
    if len(named) == 1 and meaning.paths is None:
        texts = _as_texts(column)
        if texts is not None:
            sets = _looked_up(rows, texts, column, hierarchy, meaning, ids, unknown)
    if sets is None:
        sets = _from(rows_of_labels(rows, meaning, ids), hierarchy, unknown)
    return replace(sets, unused_scores=True) if score is not None else sets


def rows_of_labels(
    rows: PartRows, meaning: Columns, ids: Any, at: NDArray[np.int64] | None = None
) -> LabelRows:
    """Return the labels of all rows or some, as the reader of small files takes them."""
    named = named_labels(rows.columns, meaning, rows.part.path)

    def place(k: int, label: int = 0) -> str:
        return rows.place(k if at is None else int(at[k]), named[0], label)

    def named_place(k: int) -> str:
        who = "" if ids is None else f", instance {shown(ids[k if at is None else at[k]].as_py())}"
        return place(k) + who

    columns = [_column(rows, name, "label") for name in named]
    some = columns if at is None else [taken(column, at) for column in columns]
    table = {f"level {k}": column for k, column in enumerate(some)}
    plain = replace(meaning, ids=None, labels=tuple(table), where=(), score=None, long=False,
                    min_score=None)  # fmt: skip
    found = column_rows(table, plain, named_place, source=rows.part.path)
    found = found if meaning.paths is None else found.as_paths(meaning.paths)
    names = None if ids is None else (ids if at is None else ids.take(at)).to_pylist()
    return replace(found, where=place, ids=names, hint=rows.hint, notes=())


def cells_of(rows: PartRows, name: str, meaning: Columns, ids: Any) -> Any:
    """Return a column of labels as an array of texts, or of lists of texts.

    Raises
    ------
    BadInput
        For a cell that holds no labels.
    """
    if rows.check is not None:
        rows.check(name)
    column = _column(rows, name, "label")
    texts = None if isinstance(column, list) else _as_texts(column)
    if texts is not None:
        return texts
    found = rows_of_labels(rows, replace(meaning, labels=(name,), paths=None, each=False), ids)
    lists = found.coded
    return lists_of(lists.row_ends, lists.values, lists.codes)


def lists_of(pointer: NDArray[np.int64], labels: Sequence[str], codes: NDArray[Any]) -> Any:
    """Return lists of labels as Arrow has them."""
    import pyarrow as pa

    flat = pa.array(labels, pa.string()).take(pa.array(codes))
    return pa.ListArray.from_arrays(pa.array(pointer, pa.int32()), flat)


def _from(found: LabelRows, hierarchy: Hierarchy, unknown: Unknown) -> LabelSets:
    return replace(LabelSets.from_rows(found, hierarchy, unknown=unknown), ids=None)


# ---------------------------------------------------------------- names to classes


_known: WeakKeyDictionary[Hierarchy, tuple[Any, NDArray[np.int32]]] = WeakKeyDictionary()
"""By hierarchy, the names that need no second look, and their class numbers."""


def _known_names(hierarchy: Hierarchy) -> tuple[Any, NDArray[np.int32]]:
    if hierarchy not in _known:
        pa, _ = with_pyarrow()
        plain = {
            name: number
            for name, number in hierarchy.position.items()
            if isinstance(name, str) and name and name == name.strip() and _is_unicode(name)
        }
        texts = pa.array(plain, pa.string(), size=len(plain))
        _known[hierarchy] = texts, np.fromiter(plain.values(), np.int32, count=len(plain))
    return _known[hierarchy]


def _is_unicode(name: str) -> bool:
    """Whether a name has no half of a character, which Arrow cannot hold."""
    return name.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in name)


def _looked_up(
    rows: PartRows,
    texts: Any,
    column: Any,
    hierarchy: Hierarchy,
    meaning: Columns,
    ids: Any,
    unknown: Unknown,
) -> LabelSets | None:
    """Return the sets of a column whose labels are looked up at once.

    Rows with a label that is not found as it stands are read as those of a small file.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names, numbers = _known_names(hierarchy)
    if pa.types.is_string(texts.type):
        texts = pc.split_pattern(texts, meaning.separator)
    lengths = pc.fill_null(pc.list_value_length(texts), 0).to_numpy(zero_copy_only=False)
    pointer, flat = offsets(lengths), texts.flatten()
    at = pc.index_in(flat, names)
    if at.null_count:
        missed = pc.is_null(at)
        again = pc.index_in(pc.utf8_trim_whitespace(flat.filter(missed)), names)
        at = pc.replace_with_mask(at, missed, again)
    found = np.append(numbers, np.int32(-1))[pc.fill_null(at, len(numbers)).to_numpy()]
    n = len(pointer) - 1
    rest = np.flatnonzero(np.bincount(row_numbers(pointer)[found < 0], minlength=n))
    if not len(rest):
        sets = LabelSets.from_arrays(pointer, found, len(hierarchy))
        return replace(sets, numbering=hierarchy.numbering)
    others = _from(rows_of_labels(rows, replace(meaning, labels=named_labels(
        rows.columns, meaning, rows.part.path)), ids, rest), hierarchy, unknown)  # fmt: skip
    return _merged(pointer, found, rest, others)


def _merged(
    pointer: NDArray[np.int64],
    numbers: NDArray[np.int32],
    rest: NDArray[np.int64],
    others: LabelSets,
) -> LabelSets:
    """Return the sets of all rows, given those of some rows apart; what was written is kept."""
    lengths = np.diff(pointer)
    written = others.as_written or AsWritten(others.indptr, others.indices)
    lengths[rest] = np.diff(written.ptr)
    whole = offsets(lengths)
    flat = np.empty(whole[-1], dtype=np.int32)
    apart = np.zeros(len(lengths), dtype=bool)
    apart[rest] = True
    kept = np.flatnonzero(~apart)
    flat[ragged_ranges(whole[kept], lengths[kept])] = numbers[
        ragged_ranges(pointer[kept], lengths[kept])
    ]
    flat[ragged_ranges(whole[rest], lengths[rest])] = written.classes
    sets = LabelSets.from_arrays(whole, flat, others.n_classes)
    kept_as = sets.as_written
    if written.n_blank is not None:
        blank = np.zeros(len(lengths), dtype=np.int64)
        blank[rest] = written.n_blank
        kept_as = replace(kept_as or AsWritten(whole, flat), n_blank=blank)
    return replace(sets, n_unknown=others.n_unknown, numbering=others.numbering, as_written=kept_as)
