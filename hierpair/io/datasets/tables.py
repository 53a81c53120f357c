"""Data sets of any size: files, what can be read on its own, rows as columns and as label sets."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import chain, groupby
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_unique, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import values_of
from hierpair.hierarchy.building import plain_number
from hierpair.io.files import FilePath
from hierpair.io.formats import Source, TableRows
from hierpair.io.labels.binary import with_pyarrow
from hierpair.io.labels.label_files import LABEL_FORMATS, check_meant
from hierpair.io.text import collector_paused
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown
from hierpair.labels.coded import are_texts
from hierpair.labels.columns import (
    ID_NAMES,
    cell_rows,
    column_named,
    found_column,
    ids_in,
    meant,
    wanted_rows,
)

ROWS_PER_PART = 2**20
"""Rows that a part has at least where a file has so many: below it, starting tasks costs more."""

BATCH_ROWS = 2**17
"""Rows that are in memory at a time."""

KEYED_ROWS = 1000
"""Objects whose keys are the columns of a file of JSON lines."""

WHOLE_BYTES = 2**26
"""Files of labels up to so many bytes are read whole; those beyond it, part by part."""

PATTERN = re.compile(r"[*?[]")
"""Signs of a pattern."""


def is_dataset(path: FilePath) -> bool:
    """Whether a path can only be a data set: a folder, a pattern, or an address.

    >>> is_dataset("day-*.parquet"), is_dataset("s3://bucket/key"), is_dataset("labels.csv")
    (True, True, False)
    """
    text = str(path)
    return "://" in text or os.path.isdir(text) or _is_pattern(text)  # noqa: PTH112 - any text


def _is_pattern(path: str) -> bool:
    return bool(PATTERN.search(path)) and not os.path.exists(path)  # noqa: PTH110 - any text


def is_large(path: FilePath) -> bool:
    """Whether a file is beyond what is read whole, and can be read in parts here."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return False
    whole = size <= WHOLE_BYTES or LABEL_FORMATS.of_ending(str(path)) == "npz"
    return not whole and all(map(find_spec, ("duckdb", "pyarrow")))


def found_files(given: Any) -> tuple[str, list[str], str]:
    """Return what a data set is called, its files in order but for hidden ones, and its folder."""
    if not isinstance(given, (PathLike, Iterable)) or isinstance(given, (bytes, dict)):
        raise BadInput(f"expected a file, a folder, a pattern or a list, got {shown(given, 60)}")
    several = list(map(str, [given] if isinstance(given, (str, PathLike)) else given))
    if not several:
        raise BadInput("a data set needs at least one file; the list is empty")
    found = [path for one in several for path in _located(one)]
    said = "this file is given twice; its rows would count twice"
    check_unique(map(os.path.realpath, found), lambda path: f"{path}: {said}")
    more = f" and {len(several) - 1} more" if len(several) > 1 else ""
    # a folder or a pattern says it for good, however many files there are
    given = [f"{x}/" if Path(x).is_dir() else PATTERN.split(x)[0] for x in several]
    root = os.path.dirname(os.path.commonprefix([*found, *given]))  # noqa: PTH120, RUF071 - any text
    return several[0] + more, found, f"{root}/"


def _located(path: str) -> list[str]:
    """Return the files that one path means, in the order of names."""
    if "://" in path or path == "-":
        said = "a data set is read part by part from files on this machine, not from an address"
        raise BadInput(f"{path}: {said} or standard input; download or mount them first")
    names = [path]
    if _is_pattern(path):
        names = glob.glob(path, recursive=True)  # noqa: PTH207 - absolute ones, too
    elif Path(path).is_dir():
        names = list(_below(path, set()))
    found = sorted(name for name in names if not Path(name).is_dir())
    for name in found:
        if not Path(name).is_file():  # it would be lost
            said = "there is no such file, or it is a pipe, or a link that leads nowhere"
            raise BadInput(f"{name}: {said}")
    if not found:
        raise BadInput(f"{path}: there are no files in this folder, or none fits this pattern")
    return found


def _below(folder: str, seen: set[str]) -> Iterator[str]:
    """Yield the files in a folder and in its folders, links too; not what is hidden."""
    real = os.path.realpath(folder)
    if real in seen:
        raise BadInput(f"{folder}: this folder comes twice, by a link; its rows would, too")
    seen.add(real)
    try:
        names = os.listdir(folder)  # noqa: PTH208 - any text
    except OSError as error:  # what is in it would be lost
        raise BadInput(f"{folder}: cannot be read ({error.strerror})") from None
    for name in names:
        path = f"{folder.rstrip('/')}/{name}"
        if not name.startswith((".", "_")):
            yield from _below(path, seen) if Path(path).is_dir() else [path]


@dataclass(frozen=True)
class DataPart:
    """Some rows of one file: small, and the same in every process.

    The ``id`` names the part for good: the file below the folder, or the beginning of the pattern,
    that was given, and its row groups, whose numbers are ``row_groups``. Where its rows begin in
    the file, from 0, and how many there are, is None where only reading tells, as for text.
    """

    id: str
    path: str
    first_row: int = 0
    n_rows: int | None = None
    row_groups: range = range(0)

    def anywhere(self) -> Self:
        """Return the same part for processes that stand in other folders."""
        return replace(self, path=os.path.abspath(self.path))  # noqa: PTH100 - any text


@dataclass(frozen=True, eq=False)
class PartRows:
    """Some rows of a part, column by column.

    A column holds the values of all rows: an array of Arrow, or what a form holds (a list, labels
    that are numbered); a table without any of the wanted columns has rows, too. ``place`` tells
    where row ``i`` stands, as ``"a.parquet: row 7"``; a column of labels and the number of a label
    may be given, too. ``meaning`` is what the columns mean: conditions on rows are met, so that its
    ``where`` is empty. ``hint`` are words to add to an error about a label.
    """

    part: DataPart
    columns: Mapping[str, Any]
    n_rows: int
    place: Callable[..., str]
    meaning: Columns
    hint: str = ""

    @cached_property
    def ids(self) -> Any:
        """The ids as an array of texts of Arrow, or None without a column of ids.

        An id that is missing, or neither a text nor a whole number, is refused.
        """
        name = self.meaning.ids
        if name is None:
            return None
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self.columns[column_named(self.columns, name, ID_NAMES, "id", self.part.path)]
        if isinstance(column, pa.DictionaryArray):
            column = column.dictionary_decode()
        if isinstance(column, (pa.StringArray, pa.LargeStringArray, pa.IntegerArray)):
            texts = pc.utf8_trim_whitespace(column.cast(pa.string()))
            if pc.min(pc.fill_null(pc.binary_length(texts), 0)).as_py():
                return texts
        return pa.array(ids_in(column, self.place, as_text=True), pa.string())


@dataclass(frozen=True, eq=False)
class DataSet:
    """Labels in one or many files, read part by part; see :func:`open_dataset`.

    ``source`` is what it is called in messages, ``names`` are those of its columns (objects of a
    file may lack some), and ``parts`` what can be read on its own, in the order of files and rows.
    ``columns`` say what the columns mean; their ``ids`` name the column of ids, or are None without
    one. ``form`` names the form of the files, of which ``batch_rows`` are read at a time, and
    ``header`` says what to do if the first row is a header, None where it cannot be one. Of a
    joined table ``stood`` holds the data set that a column is of.
    """

    source: str
    names: tuple[str, ...]
    parts: tuple[DataPart, ...]
    columns: Columns
    form: str
    batch_rows: int
    header: str | None = None
    stood: Mapping[str, DataSet] = field(default_factory=dict)

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, before conditions on them; None where only reading tells."""
        known = [part.n_rows for part in self.parts]
        return None if None in known else sum(n or 0 for n in known)

    @property
    def reader(self) -> DataSet:
        """What a process needs that is given the parts."""
        return replace(self, parts=())

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions, a bounded number at a time.

        ``names`` are the columns that are needed beside the ids; by default all.
        """
        import pyarrow as pa

        needed = {*(self.names if names is None else names), *dict(self.columns.where)}
        needed |= {self.columns.ids} - {None}
        none = dict.fromkeys(needed.intersection(self.names))  # for keys that no object has
        _, found = _opened(part.path, self.form, self.columns, part=part, needed=needed)
        batches, start = found.batches(self.batch_rows), f"{part.path}{found.mark}"
        while True:
            with collector_paused():
                numbers, table = next(batches, ((), {}))
                columns = {name: _of_arrow(table[name]) for name in table if name in needed}
            if not (n := len(numbers)):
                return
            place: Callable[..., str] = partial(_at, start, numbers)
            if self.stood:
                place = partial(self._stands, columns["id"])
            every = {name: pa.nulls(n, pa.string()) for name in none} | columns
            wanted, place, n = wanted_rows(every, self.columns, place, part.path, n)
            if n:
                told = replace(self.columns, where=())
                yield PartRows(part, wanted, n, place, told, found.hint)

    def _stands(self, ids: Any, i: int, column: str = "", *_: Any) -> str:
        """Tell where a row of a joined table stood in the data set of a column, read again."""
        data = self.stood.get(column, self)
        if data is self or data.columns.long:
            return data.source
        return next(iter(data.places(ids[i].as_py()).values()))

    def places(self, name: str) -> dict[int, str]:
        """Return by number where the rows with an id stand; all are read again for it."""
        found, n = dict[int, str](), 0
        for rows in self.rows(()):
            at = np.flatnonzero(np.array(rows.ids) == name).tolist()
            found |= {n + i: rows.place(i) for i in at}
            n += rows.n_rows
        return found

    def rows(self, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of all parts."""
        return chain.from_iterable(self.read(part, names) for part in self.parts)


def open_dataset(
    path: FilePath | Sequence[FilePath], fmt: str = "auto", *,
    columns: Columns | None = None, rows_per_part: int = ROWS_PER_PART,
    batch_rows: int = BATCH_ROWS,
) -> DataSet:  # fmt: skip
    """Open labels in one or many files, to be read part by part in bounded memory.

    Parameters
    ----------
    path
        A file; a folder with all that is in it and in its folders; a pattern such as
        ``day-*/part-*.parquet``; or a list of these.
    fmt
        A name in ``LABEL_FORMATS``, or ``"auto"``: by the endings of the files.
    columns
        What the columns mean. The columns of truth and systems are named when they are read, by
        :func:`label_sets`.
    rows_per_part
        A part of a Parquet file ends where it has so many rows; a file of text is one part.
    batch_rows
        How many rows are read at a time.

    Raises
    ------
    BadInput
        For files that are missing, damaged, of several forms, or without rows; parts with other
        columns, by both files and the column; a column that is not there.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow, pyarrow.parquet
    >>> from hierpair import Hierarchy
    >>> from hierpair.io.datasets import label_sets, open_dataset
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k, labels in enumerate((["a", "b"], ["b"])):
    ...         ids = [f"{k}.{i}" for i in range(len(labels))]
    ...         table = pyarrow.table({"id": ids, "truth": labels})
    ...         pyarrow.parquet.write_table(table, pathlib.Path(folder) / f"{k}.parquet")
    ...     data = open_dataset(folder)
    ...     for part in data.parts:
    ...         for rows in data.read(part):
    ...             truth = label_sets(rows, tree, "truth")
    ...             print(part.id, rows.ids.to_pylist(), truth.names_of(0, tree))
    0.parquet#0 ['0.0', '0.1'] ['a']
    1.parquet#0 ['1.0'] ['b']
    """
    columns = columns or Columns()
    with_pyarrow()
    source, located, root = found_files(path)
    start, form = located[0], ""
    parts, first = [], dict[str, None]()
    for at in located:
        file = DataPart(at.removeprefix(root), at)
        its, rows = _opened(at, fmt, columns)
        form = form or its
        if its != form:
            said = f"{source}: {start} is {form} and {at} is {its}; a data set is of one form"
            raise BadInput(f"{said}: give a pattern, or name the format")
        check_meant(at, LABEL_FORMATS[form], columns)
        names, some = rows.names, [file]
        if rows.groups is not None:
            some = _parquet_parts(file, rows.groups, rows_per_part)
        elif form == "jsonl":  # not every object has all keys
            names = tuple(next(rows.batches(KEYED_ROWS), ((), {}))[1])
        here = dict.fromkeys(names)
        first = first or here
        for column in sorted(first.keys() ^ here.keys() if form != "jsonl" else ()):
            absent, there = (at, start) if column in first else (start, at)
            raise BadInput(f"{absent}: there is no column {column!r}, which {there} has")
        parts += some
    if not parts:
        raise BadInput(f"{source}: the file has no instances")
    told = replace(columns, **rows.meaning)
    for one in (told.ids, *told.labels, told.score, *dict(told.where)):
        if one is not None:
            column_named(first, one, (), "wanted", source)
    meaning = replace(told, ids=told.ids or found_column(first, ID_NAMES, source))
    return DataSet(source, tuple(first), tuple(parts), meaning, form, batch_rows, rows.header)


def _opened(path: str, fmt: str, columns: Columns, **more: Any) -> tuple[str, TableRows]:
    """Return the form of a file, and its rows, as for whole files."""
    options = {"columns": columns, "column_names": None, "scored": False, **more}
    source = Source(path, options, in_parts=True)
    form = LABEL_FORMATS.choose(source, fmt)
    if form.table is None:
        raise BadInput(f"{path}: {form.name} is only read whole; data sets are Parquet or text")
    return form.name, form.table(source)


def _of_arrow(cells: Any) -> Any:
    """Return texts as an array of Arrow; other columns as they are."""
    import pyarrow as pa

    return pa.array(cells, pa.string()) if isinstance(cells, list) and are_texts(cells) else cells


def _at(start: str, numbers: Sequence[int], i: int, *_: Any) -> str:
    return f"{start}{numbers[i]}"


def _parquet_parts(file: DataPart, sizes: Sequence[int], rows_per_part: int) -> list[DataPart]:
    """Return runs of row groups with so many rows."""
    parts, first = [], np.cumsum([0, *sizes]).tolist()
    for _, run in groupby(range(len(sizes)), lambda k: first[k] // rows_per_part):
        some = [*run]
        start, end = some[0], some[-1] + 1
        name = f"{file.id}#{start}" + f"-{end - 1}" * (len(some) > 1)
        if n := first[end] - first[start]:
            parts.append(DataPart(name, file.path, first[start], n, range(start, end)))
    return parts


def label_sets(
    rows: PartRows, hierarchy: Hierarchy, column: str | Columns, *,
    unknown: Unknown = "error", hint: str = "",
) -> LabelSets:  # fmt: skip
    """Return the label sets of one column, in the order of the rows and without their ids.

    Parameters
    ----------
    rows
        What :meth:`DataSet.read` gives.
    hierarchy
        The classes.
    column
        The column of the labels; :class:`hierpair.labels.Columns` where it is written in another
        way than the others, such as with another separator.
    unknown
        As in :meth:`hierpair.LabelSets.from_labels`.
    hint
        Words to add to an error about a label.

    Raises
    ------
    BadInput
        Names file, row, instance and label: unknown label, blank id, a cell that holds no labels;
        one label per row, which :func:`joined` puts together.
    """
    meaning = replace(rows.meaning, labels=(column,)) if isinstance(column, str) else column
    try:
        if meaning.long or rows.meaning.long:
            raise BadInput(f"{rows.part.path}: one label per row (long): join it first (joined)")
        return LabelSets.from_rows(written_labels(rows, meaning), hierarchy, unknown=unknown)
    except BadInput as error:
        raise BadInput(f"{error}{hint}") from None


def column_numbers(rows: PartRows, name: str, what: str) -> NDArray[np.float64]:
    """Return a column as numbers, nan for what is none."""
    column = rows.columns[column_named(rows.columns, name, (), what, rows.part.path)]
    return np.array([plain_number(x) for x in values_of(column)], dtype=np.float64)


def weights_of(rows: PartRows, name: str) -> NDArray[np.float64]:
    """Return the weight of every row; what is no finite number ≥ 0 is refused by file and row."""
    weight = column_numbers(rows, name, "weight")
    for i in np.flatnonzero(~(np.isfinite(weight) & (weight >= 0))).tolist():
        said = f"the weight {shown(values_of(rows.columns[name])[i])} in the column {name!r}"
        raise BadInput(f"{rows.place(i)}: {said}; weights must be finite numbers and not negative")
    return weight


def written_labels(rows: PartRows, meaning: Columns) -> LabelRows:
    """Return the labels of all rows as they were written; ids name them in errors."""
    ids, told = rows.ids, meant(rows.columns, meaning, rows.part.path)

    def place(i: int, k: int = 0) -> str:
        who = "" if ids is None else f", instance {shown(ids[i].as_py())}"
        return f"{rows.place(i, told.labels[0], k)}{who}"

    found = replace(cell_rows(rows.columns, told, place, as_text=True), where=place, hint=rows.hint)
    return found if meaning.paths is None else found.as_paths(meaning.paths)
