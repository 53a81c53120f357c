"""Label sets from files and back: the registry of their forms, and the three verbs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io.formats import Format, Formats, Source, Trouble, stop
from hierpair.io.labels.label_texts import (
    CSV,
    FEATURES,
    JSON_LINES,
    LINES,
    LONG,
    SCORED,
    SCORED_LABEL,
    TABLE,
    TABLE_OPTIONS,
    TSV,
)
from hierpair.io.labels.matrices import MATRIX
from hierpair.io.labels.parquet import PARQUET
from hierpair.io.text import collector_paused
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown

__all__ = [
    "LABEL_FORMATS",
    "check_meant",
    "check_unscored",
    "parse_labels",
    "read_labels",
    "table_titles",
    "write_labels",
]

LABEL_FORMATS: Formats[LabelRows] = Formats(
    "label format",
    "labels",
    (TABLE, LINES, LONG, FEATURES, SCORED, TSV, CSV, JSON_LINES, MATRIX, PARQUET),
)
"""Every form of labels by the name that ``fmt`` takes."""


@collector_paused()
@takes_hierarchy
def read_labels(
    path: str | Path,
    hierarchy: Hierarchy,
    *,
    fmt: str = "auto",
    unknown: Unknown = "error",
    columns: Columns | None = None,
    column_names: str | Path | None = None,
    on_note: Callable[[str], None] | None = None,
    refuse_scores: bool = False,
) -> LabelSets:
    """Read one label set per instance from a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    hierarchy
        The classes.
    fmt
        A name in ``LABEL_FORMATS`` (``lines``, ``table``, ``long``, ``csv``, ``tsv``,
        ``jsonl``, ``npz``, ``parquet``; ``features`` and ``scores`` for lines of
        ``label feature:value`` and ``label:score``), or ``"auto"``: by the ending of the file;
        otherwise ``jsonl`` if it starts with a brace; without tabs a form of lines; with tabs
        ``tsv`` if the first line is a header of three columns or more or ``columns`` says what
        they mean, ``long`` if the header is ``id``, ``label`` or every line has a number as third
        field, otherwise ``table``.
    unknown
        As in :meth:`hierpair.LabelSets.from_labels`.
    columns
        What the columns of a table mean; see :class:`hierpair.labels.Columns`.
    column_names
        For an indicator without names: a file with the class of every column, one a line.
    on_note
        Called with a sentence about what a user should know, such as a table without ids.
    refuse_scores
        Refuse labels with scores where no least score is set, instead of taking them all.

    Raises
    ------
    BadInput
        Names file, line, instance and label: unknown label, wrong number of fields, repeated
        id, unreadable file.
    """
    refuse_scores = refuse_scores and (columns or Columns()).min_score is None
    if refuse_scores:  # scores are kept for who asks for them
        columns = replace(columns or Columns(), highest=True)
    rows = parse_labels(path, fmt=fmt, columns=columns, column_names=column_names)
    if refuse_scores and rows.scores is not None:
        raise BadInput(
            f"{path}: the labels have scores, and these are not used here; choose the labels by a "
            "threshold (--min-score)"
        )
    if not rows.rows:
        raise BadInput(f"{path}: the file has no instances")
    for note in rows.notes if on_note is not None else ():
        on_note(note)  # type: ignore[misc]
    check_unscored(rows, hierarchy)
    return LabelSets.from_rows(rows, hierarchy, unknown=unknown)


def check_unscored(rows: LabelRows, hierarchy: Hierarchy) -> None:
    """Refuse labels that all have a score written behind them, and so are no class.

    Raises
    ------
    BadInput
        Names the first of them.
    """
    names = [name for name in rows.coded.values if name != ""]
    for name in names:
        if not (isinstance(name, str) and SCORED_LABEL.fullmatch(name)) or name in hierarchy:
            return
    if any("." in name.rpartition(":")[2] for name in names):  # not ids such as X:1
        first = rows.coded.values.index(names[0])
        place = rows.place(int(np.argmax(rows.coded.codes == first)), who=True)
        raise BadInput(
            f"{place}: every label has a score behind it, such as {shown(names[0])}; give scores a "
            "column of their own, one label a row (id TAB label TAB score)"
        )


def parse_labels(
    path: str | Path,
    *,
    fmt: str = "auto",
    columns: Columns | None = None,
    column_names: str | Path | None = None,
    trouble: Trouble = stop,
    scored: bool = False,
) -> LabelRows:
    """Return what a label file says, unchecked.

    Parameters
    ----------
    path, fmt, columns, column_names
        As for :func:`read_labels`.
    trouble
        What to do with a faulty line: by default it is an error.
    scored
        Keep the scores: tables have one label a row, matrices and objects hold scores.
    """
    columns = replace(columns or Columns(), highest=True) if scored else columns or Columns()
    options = {"columns": columns, "column_names": column_names, "scored": scored}
    source = Source(path, options, trouble)
    form = LABEL_FORMATS.choose(source, fmt)
    check_meant(path, form, columns)
    if scored and form.titles is not None:
        options["columns"] = replace(columns, long=True)
    rows = form.read(source)
    return rows if columns.paths is None else rows.as_paths(columns.paths)


def check_meant(path: str | Path, form: Format[LabelRows], columns: Columns) -> None:
    """Refuse what is said about columns of a form that has none."""
    meant = {*form.options, "paths", "highest"}
    if any(getattr(columns, x) != getattr(Columns(), x) for x in set(TABLE_OPTIONS) - meant):
        raise BadInput(
            f"{path}: this file was read as {form.name}, which has no named columns"
            f"{'' if 'min_score' in meant else ' and no scores'}; "
            "set the label format to csv, tsv or jsonl"
        )


@takes_hierarchy
def write_labels(sets: LabelSets, hierarchy: Hierarchy, fmt: str) -> tuple[str | bytes, list[str]]:
    """Return label sets as the content of a file, and notes about what the form cannot hold.

    Parameters
    ----------
    sets, hierarchy
        The labels and their classes; names and ids are written as text. Instances without ids
        get their position as id in forms that need one.
    fmt
        A name in ``LABEL_FORMATS`` of a form that can be written.

    Raises
    ------
    BadInput
        For an unknown form, or a name that the form cannot hold.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> sets = LabelSets.from_labels({"x": ["a", "b"], "y": []}, tree)
    >>> print(write_labels(sets, tree, "jsonl")[0])
    {"id": "x", "labels": ["a", "b"]}
    {"id": "y", "labels": []}
    """
    content = LABEL_FORMATS.writer(fmt)(sets, Hierarchy.of(hierarchy))
    return content, LABEL_FORMATS.notes(fmt, sets)


def table_titles(path: str | Path, fmt: str = "auto") -> tuple[str, list[str]]:
    """Return the format of a table, and the titles of its columns.

    Raises
    ------
    BadInput
        For a file that is no table with named columns.
    """
    LABEL_FORMATS.check(fmt)
    source = Source(path, {"columns": Columns()})
    if fmt == "auto":
        fmt = LABEL_FORMATS.of_ending(path)
    if fmt == "auto":
        line = next((line for line in source.lines if line.strip()), "")
        fmt = "jsonl" if line.lstrip()[:1] == "{" else "tsv" if "\t" in line else "csv"
    titles = LABEL_FORMATS[fmt].titles
    if titles is None:
        raise BadInput(f"{path}: this file was read as {fmt}, which has no named columns")
    return fmt, titles(source)
