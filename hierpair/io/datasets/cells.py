"""Rows of a data set to label sets, ids and weights: as labels of small files, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.hierarchy.building import plain_number
from hierpair.io.datasets.tables import PartRows
from hierpair.io.labels.label_files import check_unscored
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown, column_rows
from hierpair.labels.coded import Coded, array_of, coded, values_of
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    SCORE_NAMES,
    column_named,
    found_column,
    ids_in,
)

__all__ = ["BLANK", "BatchLabels", "ids_of", "label_rows", "label_sets", "named_labels",
           "numbers_of", "weights_of"]  # fmt: skip

BLANK = "\0"
"""Stands in a joined table for a blank label of a list, where a blank text is no label."""


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
    hints: Mapping[str, str] | None = None,
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
    hints
        By system, words to add to an error about its labels.

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
    ids, of_system = ids_of(rows), hints or {}
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
            if meaning.score or not meaning.labels:
                score = meaning.score or found_column(rows.columns, SCORE_NAMES, rows.part.path)
                given = replace(given, unused_scores=score is not None)
            where = given.where
            known = replace(given, where=lambda i, k: where(i, k) + _who(ids, i))
            check_unscored(known, hierarchy)
            return replace(LabelSets.from_rows(known, hierarchy, unknown=unknown), ids=names)
        except BadInput as error:
            raise BadInput(f"{error}{hint}") from None

    true = None if truth is None else found(truth)
    return BatchLabels(ids, true, {x: found(of, of_system.get(x, "")) for x, of in named.items()})


def _who(ids: Any, i: int) -> str:
    """Return an instance by its id, for errors."""
    return "" if ids is None else f", instance {shown(ids[i].as_py())}"


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

    column = column_named(
        rows.columns, rows.meaning.ids, ID_NAMES, "id", rows.part.path, needed=True
    )
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    if isinstance(column, (pa.StringArray, pa.LargeStringArray, pa.IntegerArray)):
        texts = pc.utf8_trim_whitespace(column.cast(pa.string()))
        if not texts.null_count and not pc.any(pc.equal(pc.binary_length(texts), 0)).as_py():
            return texts
    return pa.array(ids_in(column, rows.place, as_text=True), pa.string())


def numbers_of(rows: PartRows, name: str, what: str) -> NDArray[np.float64]:
    """Return a column as numbers, nan for what is none."""
    column = column_named(rows.columns, name, (), what, rows.part.path, needed=True)
    array = None if isinstance(column, list) else array_of(column)
    if array is not None and array.dtype.kind in "iuf":
        return array.astype(np.float64)
    return np.array([plain_number(value) for value in values_of(column)], dtype=np.float64)


def weights_of(rows: PartRows, name: str) -> NDArray[np.float64]:
    """Return the weight of every row.

    Raises
    ------
    BadInput
        For a weight that is no number, negative or not finite, by file and row.
    """
    weight = numbers_of(rows, name, "weight")
    for i in np.flatnonzero(~(np.isfinite(weight) & (weight >= 0))).tolist():
        raise BadInput(
            f"{rows.place(i)}: the weight {shown(values_of(rows.columns[name])[i])} in the column "
            f"{name!r}; weights must be finite numbers and not negative"
        )
    return weight


# ---------------------------------------------------------------- labels


def named_labels(columns: Mapping[str, Any], meaning: Columns, source: str) -> tuple[str, ...]:
    """Return the columns of labels: those that are named, or the usual one."""
    named = meaning.labels or (found_column(columns, LABEL_NAMES, source),)
    for name in named:
        column_named(columns, name, LABEL_NAMES, "label", source, needed=True)
    return tuple(map(str, named))


def label_rows(rows: PartRows, meaning: Columns, ids: Any) -> LabelRows:
    """Return the labels of all rows as they were written, without ids.

    Raises
    ------
    BadInput
        For a cell that holds no labels; ``ids`` name it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    named = named_labels(rows.columns, meaning, rows.part.path)
    if rows.check is not None and len(named) == 1:
        rows.check(named[0])

    def place(i: int, k: int = 0) -> str:
        return rows.place(i, named[0], k)

    cells = rows.columns[named[0]]
    text = isinstance(cells, (pa.StringArray, pa.LargeStringArray))
    known = None if len(named) > 1 else coded(
        pc.split_pattern(cells, meaning.separator) if text else cells
    )  # fmt: skip
    if known is not None and known.pointer is not None and {*map(type, known.values)} <= {str}:
        found = _of_names(known, text, place)
    else:
        table = {f"level {k}": rows.columns[name] for k, name in enumerate(named)}
        plain = replace(meaning, ids=None, labels=tuple(table), where=(), score=None, long=False,
                        min_score=None)  # fmt: skip
        found = column_rows(table, plain, lambda i: place(i) + _who(ids, i), source=rows.part.path)
    found = found if meaning.paths is None else found.as_paths(meaning.paths)
    return replace(found, where=place, hint=rows.hint, notes=())


def _of_names(cells: Coded, text: bool, place: Callable[[int, int], str]) -> LabelRows:
    """Return lists of names, each known once; of a text, a single blank one means no labels."""
    names, codes = [name.strip() for name in cells.values], cells.codes
    if names != cells.values:  # or else no two are equal
        known = coded(names)
        names, codes = known.values, known.codes[codes]
    lengths, bare = np.diff(cells.row_ends), np.zeros(0, dtype=np.int64)
    if text and "" in names:
        alone = np.repeat(lengths == 1, lengths) & (codes == names.index(""))
        bare = row_numbers(cells.row_ends)[alone]
        codes, lengths[bare] = codes[~alone], 0
    if BLANK in names:
        names = ["" if name == BLANK else name for name in names]
    rows = Coded(codes, names, offsets(lengths))
    return LabelRows(rows, place, bare=bare.tolist())
