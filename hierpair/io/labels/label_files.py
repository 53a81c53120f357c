"""Label sets from files and back: the registry of their forms, and the three verbs."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path

import numpy as np

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io.files import FilePath
from hierpair.io.formats import Format, Formats, Source, Trouble, stop
from hierpair.io.labels.binary import MATRIX, PARQUET
from hierpair.io.labels.label_texts import CSV, JSON_LINES, LINES, LONG, TABLE, TABLE_OPTIONS, TSV
from hierpair.io.text import collector_paused, read_lines
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown
from hierpair.labels.columns import LABEL_NAMES, NO_SEPARATOR

LABEL_FORMATS: Formats[LabelRows] = Formats(
    "label format", "labels", (TABLE, LINES, LONG, TSV, CSV, JSON_LINES, MATRIX, PARQUET)
)
"""Every form of labels by the name that ``fmt`` takes."""

SCORED = re.compile(r"\S.*:\d*\.\d+(?:[eE]-?\d+)?")
"""What looks like a label with its score."""

TEXT_NAMES = ("text", "texts", "title", "abstract", "document", "description", "body")
"""What a column of texts is usually called."""

Texts = dict[Hashable, str] | list[str]
"""By id, or in the order of the instances."""


@collector_paused()
@takes_hierarchy
def read_labels(
    path: str | Path, hierarchy: Hierarchy, *, fmt: str = "auto", unknown: Unknown = "error",
    columns: Columns | None = None, column_names: str | Path | None = None,
    on_note: Callable[[str], None] | None = None, refuse_scores: bool = False,
) -> LabelSets:  # fmt: skip
    """Read one label set per instance from a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    hierarchy
        The classes.
    fmt
        A name in ``LABEL_FORMATS`` (``lines``, ``table``, ``long``, ``csv``, ``tsv``,
        ``jsonl``, ``npz``, ``parquet``), or ``"auto"``: by the ending of the file; otherwise
        ``jsonl`` if it starts with a brace; without tabs ``lines``; with tabs ``tsv`` if the first
        line is a header of three columns or more or ``columns`` says what they mean, ``long`` if
        the header is ``id``, ``label`` or every line has a number as third field, otherwise
        ``table``.
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
    """Refuse labels that have a score behind them, or are features, and so are no class."""
    values = rows.coded.values
    for k, name in enumerate(values):
        if isinstance(name, str) and SCORED.fullmatch(name) and name not in hierarchy:
            place = rows.place(int(np.argmax(rows.coded.codes == k)), who=True)
            raise BadInput(
                f"{place}: {shown(name)} looks like label:score or feature:value; write labels "
                "alone, or scores in a column of their own, one label a row (id TAB label TAB "
                "score)"
            )


def parse_labels(
    path: FilePath, *, fmt: str = "auto", columns: Columns | None = None,
    column_names: FilePath | None = None, trouble: Trouble = stop, scored: bool = False,
) -> LabelRows:  # fmt: skip
    """Return what a label file says, unchecked; parameters as for :func:`read_labels`.

    ``trouble`` is told of a faulty line, by default an error. With ``scored`` scores are kept:
    tables have one label a row, matrices and objects hold scores.
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


def check_meant(path: FilePath, form: Format[LabelRows], columns: Columns) -> None:
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
    return LABEL_FORMATS.written_as(fmt, sets, hierarchy)


def table_titles(path: FilePath, fmt: str = "auto") -> tuple[str, list[str]]:
    """Return the format of a table, and the titles of its columns; refuse what has none."""
    source = Source(path, {"columns": Columns(labels=LABEL_NAMES)})  # so that tabs tell a table
    name = LABEL_FORMATS.choose(source, fmt).name
    name = "csv" if name == "lines" and fmt == "auto" else name
    titles = LABEL_FORMATS[name].titles
    if titles is None:
        raise BadInput(f"{path}: this file was read as {name}, which has no named columns")
    return name, titles(source)


def read_texts(
    path: FilePath, column: str | None = None, *, fmt: str = "auto", columns: Columns | None = None
) -> Texts:
    r"""Read the texts of instances: a column of a table, lines ``id TAB text``, or a text each.

    The column is by default ``text`` or another usual name, and without one the file is read as
    lines; ``fmt`` and ``columns`` say how a table is read, as for :func:`read_labels`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "texts.csv")
    ...     _ = file.write_text("id,text\nx,a | b\ny,c\n")
    ...     read_texts(file)
    {'x': 'a | b', 'y': 'c'}
    """
    try:
        fmt, titles = table_titles(path, fmt)
    except BadInput:
        titles = []
    usual = (name for name in titles if name.strip().lower() in TEXT_NAMES)
    name = next(usual, None) if column is None else column
    given = columns or Columns()
    meaning = Columns(ids=given.ids, where=given.where, separator=NO_SEPARATOR)
    if name is not None:
        rows = parse_labels(path, fmt=fmt, columns=replace(meaning, labels=(name,)))
    else:
        tabbed = all("\t" in line for line in read_lines(path))
        rows = parse_labels(path, fmt="table" if tabbed else "lines", columns=meaning)
    texts = ["".join(map(str, row)) for row in rows.rows]
    ids = None if rows.ids is None else list(map(str, rows.ids))
    twice = None if ids is None else first_repeated(ids)
    if twice is not None:
        raise BadInput(f"{path}: the instance {shown(twice)} has two texts; ids must be unique")
    return texts if ids is None else dict(zip(ids, texts, strict=True))
