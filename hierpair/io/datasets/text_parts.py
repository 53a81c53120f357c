"""Text files as parts: blocks of lines, made into columns as the readers of whole files do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.io.datasets.line_records import RECORDS
from hierpair.io.datasets.locating import FoundFile, opened
from hierpair.io.datasets.parquet_parts import check_same
from hierpair.io.datasets.parts import BATCH_ROWS, DataPart, OnDemand, PartRows
from hierpair.io.datasets.whole_instances import whole_instances
from hierpair.io.formats import Format, Records, Row, Source
from hierpair.io.labels.label_files import LABEL_FORMATS, check_meant
from hierpair.io.text import collector_paused
from hierpair.io.text_blocks import lines_in_blocks
from hierpair.labels import Columns, LabelRows
from hierpair.labels.columns import wanted_rows

__all__ = ["TextReader", "form_of", "text_parts"]


def form_of(file: FoundFile, columns: Columns) -> str:
    """Return the form that the beginning of a file looks like."""
    head = _head(file)
    source = Source(file.path, _options(columns))
    source.lines, source.text = head, "\n".join([*head, ""])
    return LABEL_FORMATS.choose(source).name


def _head(file: FoundFile) -> list[str]:
    """Return the first lines of a file."""
    with opened(file.path) as content:
        return next(lines_in_blocks(file.path, content, file.n_bytes))


def _options(columns: Columns) -> dict[str, Any]:
    return {"columns": columns, "column_names": None, "scored": False}


def _records(path: str, form: str, columns: Columns, lines: Iterable[str]) -> Records:
    return RECORDS[form](Source(path, _options(columns)), lines)


def text_parts(
    files: Sequence[FoundFile], form: str, columns: Columns
) -> tuple[tuple[str, ...], tuple[DataPart, ...], Columns, frozenset[str]]:
    """Return the columns that all files have, a part for every file, what columns mean, and
    which columns some file holds itself, whatever its folders tell.
    """
    known: Format[LabelRows] = LABEL_FORMATS[form]
    if form not in RECORDS:
        some = ", ".join(RECORDS)
        raise BadInput(
            f"{files[0].path}: {form} is only read at once; data sets are Parquet files or text "
            f"({some})"
        )
    check_meant(files[0].path, known, columns)
    first: tuple[FoundFile, dict[str, str]] | None = None
    parts: list[DataPart] = []
    stored = set[str]()
    for file in files:
        records = _records(file.path, form, columns, _head(file))
        names = list(records.names)
        if records.check is not None:
            names = list(records.columns_of(list(records.rows)))
        stored.update(names)
        kinds = dict.fromkeys([*names, *(name for name, _ in file.partition)], "text")
        first = first or (file, kinds)
        if records.check is None:  # objects need not have the same keys
            check_same(first[0], first[1], file, kinds)
        parts.append(DataPart(file.name, file.path, n_bytes=file.n_bytes, partition=file.partition))
        meaning = replace(columns, **records.meaning)
    return tuple(first[1]) if first else (), tuple(parts), meaning, frozenset(stored)


@dataclass(frozen=True)
class TextReader:
    """Reads text in blocks of rows.

    Attributes
    ----------
    names
        The columns that are known; objects of a file may lack some.
    columns
        What the columns mean.
    form
        The form of the files, by its name in ``LABEL_FORMATS``.
    said
        What the user said about columns, of which a form without names knows no more.
    batch_rows
        How many rows are read at a time.
    guessed
        Whether the form was seen in the beginning of the file.
    """

    names: tuple[str, ...]
    columns: Columns
    form: str
    said: Columns
    batch_rows: int = BATCH_ROWS
    guessed: bool = False

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions; all columns, whatever is needed."""
        blocks = self.rows(part, names)
        return whole_instances(blocks) if self.columns.long else blocks

    def rows(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield them as they stand: rows of one instance may be apart."""
        with opened(part.path) as content:
            lines: Iterator[str] = chain.from_iterable(
                lines_in_blocks(part.path, content, part.n_bytes)
            )
            if self.guessed and self.form == "lines":
                lines = _without_tabs(part.path, lines)
            records = _records(part.path, self.form, self.said, lines)
            while True:
                with collector_paused():
                    rows = list(islice(records.rows, self.batch_rows))
                    table = records.columns_of(rows) if rows else {}
                if not rows:
                    return
                yield from self._kept(part, records, rows, table)

    def _kept(
        self, part: DataPart, records: Records, rows: list[Row], table: Mapping[str, list[Any]]
    ) -> Iterator[PartRows]:
        """Yield the rows that meet the conditions, if there are any."""
        n, check = len(rows), records.check
        told = dict(part.partition)
        columns = OnDemand(
            [*table, *self.names],
            lambda name: table[name] if name in table else [told.get(name)] * n,
        )
        numbers = [number for number, _ in rows]
        found = PartRows(
            part,
            columns,
            n,
            lambda i: f"{part.path}:{numbers[i]}",
            replace(self.columns, where=()),
            records.hint,
            None if check is None or self.columns.where else lambda name: check(rows, name),
        )
        if not self.columns.where:
            yield found
            return
        keep = wanted_rows(columns, self.columns, part.path, n)
        if keep.any():
            yield found.take(np.flatnonzero(keep))


def _without_tabs(path: str, lines: Iterator[str]) -> Iterator[str]:
    """Yield lines that were taken for lines of labels since none of the first ones has a tab."""
    for number, line in enumerate(lines, start=1):
        if "\t" in line:
            raise BadInput(
                f"{path}:{number}: a tab, and none far before it, so that the file was read as "
                "lines of labels; name the format"
            )
        yield line
