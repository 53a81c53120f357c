"""From some rows of a data set to label sets: truth and systems, with the ids beside them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.io.datasets.arrow_columns import ArrowColumn, Column
from hierpair.io.datasets.arrow_names import known_names, plain_ids
from hierpair.io.datasets.parts import PartRows, taken
from hierpair.io.labels.parquet import with_pyarrow
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown, column_rows
from hierpair.labels.coded import values_of
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    SCORE_NAMES,
    column_named,
    found_column,
)
from hierpair.labels.rows import AsWritten
from hierpair.labels.tables import ids_in

__all__ = ["BatchLabels", "ids_of", "label_sets", "sets_of"]

Ids = ArrowColumn | list[Hashable] | None
"""One text per instance; None where instances are known by their position."""


@dataclass(frozen=True, eq=False)
class BatchLabels:
    """Label sets of the same instances.

    Attributes
    ----------
    ids
        A text per instance, as a list or as a column of Arrow (``values_of`` gives a list of
        either); None where instances are known by their position.
    truth
        The true labels, or None where no column of them was named.
    systems
        The predicted labels, by the names of the systems.
    """

    ids: Ids
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
        Names file, row, instance and label: unknown label, blank id, a cell that holds no labels.
    """
    named = systems if isinstance(systems, Mapping) else {name: name for name in systems}
    ids: Ids = None if rows.meaning.long else ids_of(rows)
    found: dict[str | None, LabelSets] = {}
    wanted: dict[str | None, str | Columns] = {} if truth is None else {None: truth}
    wanted.update(named.items())
    for name, column in wanted.items():
        meaning = replace(rows.meaning, labels=(column,)) if isinstance(column, str) else column
        of_long, found[name] = sets_of(rows, hierarchy, meaning, ids, unknown)
        ids = of_long if ids is None else ids
    if keep_ids and ids is not None:
        names = tuple(values_of(ids))
        found = {name: replace(sets, ids=names) for name, sets in found.items()}
    true = found.pop(None, None)
    return BatchLabels(ids, true, {name: sets for name, sets in found.items() if name is not None})


def ids_of(rows: PartRows) -> Ids:
    """Return the ids of all rows as texts, or None without a column of ids.

    Raises
    ------
    BadInput
        For an id that is missing, or neither a text nor a whole number.
    """
    if rows.meaning.ids is None:
        return None
    column = column_named(
        rows.columns, rows.meaning.ids, ID_NAMES, "id", rows.part.path, needed=True
    )
    if isinstance(column, ArrowColumn):
        plain = plain_ids(column)
        if plain is not None:
            return plain
    names = ids_in(column if column is not None else [], rows.place, as_text=True)
    if not isinstance(column, ArrowColumn):
        return names
    pa, _ = with_pyarrow()
    return ArrowColumn(pa.array(names, pa.large_string()))


def sets_of(
    rows: PartRows, hierarchy: Hierarchy, meaning: Columns, ids: Ids, unknown: Unknown = "error"
) -> tuple[Ids, LabelSets]:
    """Return the label sets of one column, or of the columns of one path's levels.

    Parameters
    ----------
    rows, hierarchy, unknown
        As for :func:`label_sets`.
    meaning
        What the columns mean.
    ids
        The ids of the rows; errors name them. With ``meaning.long`` they are not asked for.

    Returns
    -------
    tuple
        The ids of the instances, which are the rows unless ``meaning.long``, and their labels.
    """
    source = rows.part.path
    usual = found_column(rows.columns, LABEL_NAMES, source) if not meaning.labels else None
    named = meaning.labels or (usual or LABEL_NAMES[0],)
    rows = rows.sides.get(named[0], rows)
    if rows.check is not None and len(named) == 1:
        rows.check(named[0])
    if meaning.long:
        given = replace(meaning, where=(), ids=rows.meaning.ids)
        long = column_rows(rows.columns, given, rows.place, source=source)
        if meaning.paths is not None:
            long = long.as_paths(meaning.paths)
        return long.ids, replace(_from(long, rows, hierarchy, unknown), ids=None)
    cells = [
        column_named(rows.columns, name, (), "label", source, needed=True) or [] for name in named
    ]

    def place(i: int) -> str:
        return rows.place(i) if ids is None else f"{rows.place(i)}, instance {shown(ids[i])}"

    score = meaning.score or (None if meaning.labels else found_column(
        rows.columns, SCORE_NAMES, source))  # fmt: skip
    known = _known(cells, hierarchy, meaning)
    if known is None:
        sets = _general(rows, cells, hierarchy, meaning, unknown, place)
    else:
        sets = _with_rest(known, rows, cells[0], hierarchy, meaning, unknown, place)
    return ids, replace(sets, unused_scores=True) if score is not None else sets


def _from(found: LabelRows, rows: PartRows, hierarchy: Hierarchy, unknown: Unknown) -> LabelSets:
    """Resolve names, with what the rows say about errors."""
    return LabelSets.from_rows(replace(found, hint=rows.hint), hierarchy, unknown=unknown)


def _general(
    rows: PartRows,
    cells: Sequence[Sequence[Any] | Column],
    hierarchy: Hierarchy,
    meaning: Columns,
    unknown: Unknown,
    place: Any,
) -> LabelSets:
    """Read cells as the reader of whole tables does."""
    table = {f"level {k}": column for k, column in enumerate(cells)}
    given = replace(meaning, ids=None, labels=tuple(table), where=(), score=None)
    found = column_rows(table, given, place, source=rows.part.path)
    if meaning.paths is not None:
        found = found.as_paths(meaning.paths)
    return _from(found, rows, hierarchy, unknown)


def _known(
    cells: Sequence[Sequence[Any] | Column], hierarchy: Hierarchy, meaning: Columns
) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """Return row pointer and classes of a column of plain names; -1 is to be looked at."""
    if len(cells) > 1 or meaning.paths is not None:
        return None
    return known_names(hierarchy, meaning.separator).rows_of(cells[0])


def _with_rest(
    known: tuple[NDArray[np.int64], NDArray[np.int32]],
    rows: PartRows,
    column: Sequence[Any] | Column,
    hierarchy: Hierarchy,
    meaning: Columns,
    unknown: Unknown,
    place: Any,
) -> LabelSets:
    """Return the sets of rows of which most hold names of classes and nothing else."""
    pointer, numbers = known
    rest = np.flatnonzero(
        np.bincount(row_numbers(pointer)[numbers < 0], minlength=len(pointer) - 1)
    )
    if not len(rest):
        sets = LabelSets.from_arrays(pointer, numbers, len(hierarchy))
        return replace(sets, numbering=hierarchy.numbering)
    some = taken(column, rest)
    others = _general(rows, [some], hierarchy, meaning, unknown, lambda i: place(int(rest[i])))
    return merged(pointer, numbers, rest, others)


def merged(
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
