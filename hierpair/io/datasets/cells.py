"""Rows of a data set to label sets, ids and weights: as labels of small files, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import array_of, values_of
from hierpair.hierarchy.building import plain_number
from hierpair.io.datasets.tables import PartRows
from hierpair.io.labels.label_files import check_unscored
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown, column_rows
from hierpair.labels.columns import (
    ID_NAMES,
    SCORE_NAMES,
    column_named,
    found_column,
    ids_in,
    label_columns,
)

BLANK = "\0"
"""Stands in a joined table for a blank label of a list, where a blank text is no label."""


@dataclass(frozen=True, eq=False)
class BatchLabels:
    """Label sets of the same instances, in the same order.

    ``ids`` are an array of Arrow with a text per instance, None where they are known by their
    position; ``truth`` is None where no column of true labels was named; ``systems`` are the
    predicted labels by system.
    """

    ids: Any
    truth: LabelSets | None
    systems: dict[str, LabelSets]


def label_sets(
    rows: PartRows, hierarchy: Hierarchy, *, truth: str | Columns | None = None,
    systems: Sequence[str] | Mapping[str, str | Columns] = (), unknown: Unknown = "error",
    keep_ids: bool = False, hints: Mapping[str, str] | None = None,
) -> BatchLabels:  # fmt: skip
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
    hints
        By system, words to add to an error about its labels.

    Raises
    ------
    BadInput
        Names file, row, instance and label: unknown label, blank id, a cell that holds no labels;
        one label per row, which :func:`joined` puts together.
    """
    named = systems if isinstance(systems, Mapping) else {name: name for name in systems}
    ids, hint = ids_of(rows), hints or {}
    names = tuple(ids.to_pylist()) if keep_ids and ids is not None else None

    def found(column: str | Columns, hint: str = "") -> LabelSets:
        meaning = replace(rows.meaning, labels=(column,)) if isinstance(column, str) else column
        try:
            if meaning.long or rows.meaning.long:
                raise BadInput(
                    f"{rows.part.path}: one label per row (long) is put together by id first, by "
                    "joined"
                )
            given = label_rows(rows, meaning, ids)
            usual = () if meaning.labels else SCORE_NAMES
            score = meaning.score or found_column(rows.columns, usual, rows.part.path)
            where = lambda i, k: given.where(i, k) + _who(ids, i)  # noqa: E731
            known = replace(given, where=where, unused_scores=score is not None)
            check_unscored(known, hierarchy)
            return replace(LabelSets.from_rows(known, hierarchy, unknown=unknown), ids=names)
        except BadInput as error:
            raise BadInput(f"{error}{hint}") from None

    true = None if truth is None else found(truth)
    return BatchLabels(ids, true, {x: found(of, hint.get(x, "")) for x, of in named.items()})


def _who(ids: Any, i: int) -> str:
    """Return an instance by its id, for errors."""
    return "" if ids is None else f", instance {shown(ids[i].as_py())}"


def ids_of(rows: PartRows) -> Any:
    """Return the ids of all rows as an array of texts, or None without a column of ids.

    An id that is missing, or neither a text nor a whole number, is refused.
    """
    name = rows.meaning.ids
    if name is None:
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column_named(rows.columns, name, ID_NAMES, "id", rows.part.path, needed=True)
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    if isinstance(column, (pa.StringArray, pa.LargeStringArray, pa.IntegerArray)):
        texts = pc.utf8_trim_whitespace(column.cast(pa.string()))
        if pc.min(pc.fill_null(pc.binary_length(texts), 0)).as_py():
            return texts
    return pa.array(ids_in(column, rows.place, as_text=True), pa.string())


def numbers_of(rows: PartRows, name: str, what: str) -> NDArray[np.float64]:
    """Return a column as numbers, nan for what is none."""
    column = column_named(rows.columns, name, (), what, rows.part.path, needed=True)
    array = None if isinstance(column, list) else array_of(column)
    if array is None or array.dtype.kind not in "iuf":
        array = np.array(list(map(plain_number, values_of(column))))
    return array.astype(np.float64)


def weights_of(rows: PartRows, name: str) -> NDArray[np.float64]:
    """Return the weight of every row; what is no finite number ≥ 0 is refused by file and row."""
    weight = numbers_of(rows, name, "weight")
    for i in np.flatnonzero(~(np.isfinite(weight) & (weight >= 0))).tolist():
        raise BadInput(
            f"{rows.place(i)}: the weight {shown(values_of(rows.columns[name])[i])} in the column "
            f"{name!r}; weights must be finite numbers and not negative"
        )
    return weight


def label_rows(rows: PartRows, meaning: Columns, ids: Any) -> LabelRows:
    """Return the labels of all rows as they were written, ``ids`` name them in errors."""
    import pyarrow as pa
    import pyarrow.compute as pc

    named = label_columns(rows.columns, meaning, rows.part.path)

    def place(i: int, k: int = 0) -> str:
        return rows.place(i, named[0], k)

    cells, bare = rows.columns[named[0]], list[int]()
    table = {f"level {k}": rows.columns[name] for k, name in enumerate(named)}
    if len(named) == 1 and isinstance(cells, (pa.StringArray, pa.LargeStringArray)):
        blank = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(cells)), 0)
        bare = np.flatnonzero(pc.fill_null(blank, False).to_numpy(zero_copy_only=False)).tolist()
        texts = pc.if_else(pc.fill_null(blank, True), None, pc.replace_substring(cells, BLANK, ""))
        table = {"level 0": pc.split_pattern(texts, meaning.separator)}
    plain = Columns(
        labels=(*table,), separator=meaning.separator, paths=meaning.paths, each=meaning.each
    )
    found = column_rows(table, plain, lambda i: place(i) + _who(ids, i), source=rows.part.path)
    found = found if meaning.paths is None else found.as_paths(meaning.paths)
    return replace(found, where=place, hint=rows.hint, notes=(), bare=bare or found.bare)
