"""Texts of instances from files: a column of a table, or a line per instance."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from hierpair.errors import BadInput, first_repeated, shown, unknown
from hierpair.io.labels.label_files import parse_labels, table_titles
from hierpair.io.text import read_lines
from hierpair.labels import Columns
from hierpair.labels.columns import NO_SEPARATOR

__all__ = ["TEXT_NAMES", "Texts", "read_texts"]

TEXT_NAMES = ("text", "texts", "title", "abstract", "document", "description", "body")
"""What a column of texts is usually called."""

Texts = dict[Hashable, str] | list[str]
"""By id, or in the order of the instances."""


def read_texts(
    path: str | Path,
    column: str | None = None,
    *,
    fmt: str = "auto",
    columns: Columns | None = None,
) -> Texts:
    r"""Read the texts of instances.

    Parameters
    ----------
    path
        A table with a column of texts, or lines: ``id TAB text``, or a text each.
    column
        The column; by default ``text`` or another usual name, and without one the file is read as
        lines.
    fmt, columns
        Of a table: its format, and which column holds the ids, as for :func:`read_labels`.

    Raises
    ------
    BadInput
        For a file that cannot be read, a column that it does not have, or repeated ids.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "texts.csv")
    ...     _ = file.write_text("id,text\nx,a | b\ny,c\n")
    ...     read_texts(file)
    {'x': 'a | b', 'y': 'c'}
    """
    titles = list[str]()
    try:
        fmt, titles = table_titles(path, fmt)
    except BadInput:
        if column is not None:
            raise
    usual = (name for name in titles if name.strip().lower() in TEXT_NAMES)
    column = next(usual, None) if column is None else column
    if column is None:
        lines = read_lines(path)
        pairs = [line.partition("\t")[::2] for line in lines]
        if not all("\t" in line for line in lines):
            return lines
        ids, texts = [list(side) for side in zip(*pairs, strict=True)]
    elif column not in titles:
        raise unknown("column", column, titles, str(path))
    else:
        given = columns or Columns()
        rows = parse_labels(path, fmt=fmt, columns=Columns(
            ids=given.ids, where=given.where, labels=(column,), separator=NO_SEPARATOR
        ))  # fmt: skip
        texts = [str(row[0]) if row else "" for row in rows.rows]
        if rows.ids is None:
            return texts
        ids = list(rows.ids)
    twice = first_repeated(ids)
    if twice is not None:
        raise BadInput(f"{path}: the instance {shown(twice)} has two texts; ids must be unique")
    return dict(zip(ids, texts, strict=True))
