"""One registry of label formats: what each is called, how it is known, and who reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.io.hierarchies.edge_list import Trouble, stop
from hierpair.io.hierarchies.json_hierarchies import parse_json
from hierpair.io.labels import label_lines as labellines
from hierpair.io.labels import label_tables as labeltables
from hierpair.io.labels.indicator_files import npz
from hierpair.io.text import collector_paused, read_text, split_lines
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown
from hierpair.labels.columns import LABEL_NAMES

__all__ = [
    "LABEL_FORMATS",
    "LabelFormat",
    "check_label_format",
    "format_of_ending",
    "parse_labels",
    "read_labels",
    "rows_of_text",
    "table_titles",
]


@dataclass(frozen=True)
class LabelFormat:
    """A format: its reader takes the file's name, its lines, the columns, what to do in trouble.

    ``binary`` formats are read from the file itself, not from lines. Without named ``columns``
    only the fields of :class:`Columns` in ``options`` mean something.
    """

    summary: str
    read: Callable[..., LabelRows]
    endings: tuple[str, ...] = ()
    binary: bool = False
    columns: bool = False
    options: tuple[str, ...] = ("separator",)


LABEL_FORMATS = {
    "lines": LabelFormat(
        "the labels of one instance on a line, separated by blanks or commas; an empty line is "
        "an empty set (LSHTC, HEMKit)",
        labellines.lines,
    ),
    "table": LabelFormat(
        "id TAB label|label; a first line that starts with id is a header", labellines.table
    ),
    "long": LabelFormat(
        "id TAB label [TAB score]; one label a line, an id comes again, id TAB nothing is an "
        "empty set",
        labellines.long,
        options=("separator", "long", "min_score"),
    ),
    "csv": LabelFormat(
        "comma-separated values with a header", labeltables.csv_table, (".csv",), columns=True
    ),
    "tsv": LabelFormat("tab-separated values with a header", labeltables.tsv_table, columns=True),
    "jsonl": LabelFormat(
        "a JSON object per line, labels as a list or a text",
        labeltables.json_lines,
        (".jsonl", ".ndjson"),
        columns=True,
    ),
    "npz": LabelFormat(
        "a NumPy or scipy.sparse indicator matrix with the names of its columns",
        npz,
        (".npz", ".npy"),
        binary=True,
    ),
    "parquet": LabelFormat(
        "a Parquet table (extra parquet)",
        labeltables.parquet,
        (".parquet", ".pq"),
        binary=True,
        columns=True,
    ),
}
"""Every label format by the name that ``fmt`` takes."""


@collector_paused()
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
        ``jsonl``, ``npz``, ``parquet``), or ``"auto"``: by the ending of the file; otherwise
        ``jsonl`` if it starts with a brace; without tabs ``lines``; with tabs ``tsv`` if the
        first line is a header of three columns or more or ``columns`` says what they mean,
        ``long`` if the header is ``id``, ``label`` or every line has a number as third field,
        otherwise ``table``.
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
    return LabelSets.from_rows(rows, hierarchy, unknown=unknown)


def parse_labels(
    path: str | Path,
    *,
    fmt: str = "auto",
    columns: Columns | None = None,
    column_names: str | Path | None = None,
    trouble: Trouble = stop,
) -> LabelRows:
    """Return what a label file says, unchecked; parameters as for :func:`read_labels`."""
    check_label_format(fmt)
    given = columns or Columns()
    if fmt == "auto":
        fmt = format_of_ending(path)
    if fmt in LABEL_FORMATS and LABEL_FORMATS[fmt].binary:
        rows: LabelRows = LABEL_FORMATS[fmt].read(path, given, column_names)
        return rows if given.paths is None else rows.as_paths(given.paths)
    text = read_text(path)
    if fmt == "auto":
        fmt = detect_labels(path, text, given)
    return rows_of_text(path, text, fmt, given, trouble)


def rows_of_text(
    path: str | Path, text: str, fmt: str, given: Columns, trouble: Trouble
) -> LabelRows:
    """Return what the text of a label file in a known format says."""
    chosen = LABEL_FORMATS[fmt]
    free = (*chosen.options, "paths", "highest")
    said = replace(given, **{name: getattr(Columns(), name) for name in free})
    if not chosen.columns and said != Columns():
        raise BadInput(
            f"{path}: this file was read as {fmt}, which has no named columns"
            f"{'' if fmt == 'long' else ' and no scores'}; "
            "set the label format to csv, tsv or jsonl"
        )
    rows = chosen.read(path, split_lines(path, text), given, trouble)
    return rows if given.paths is None else rows.as_paths(given.paths)


def check_label_format(fmt: str) -> None:
    """Refuse a name that is no format of labels."""
    if fmt != "auto" and fmt not in LABEL_FORMATS:
        raise BadInput(
            f"unknown label format {fmt!r}; it is one of {', '.join(['auto', *LABEL_FORMATS])}"
            f"{did_you_mean(fmt, LABEL_FORMATS)}"
        )


def format_of_ending(path: str | Path) -> str:
    """Return the format that the ending of a file tells, or ``"auto"``."""
    ending = Path(str(path).removesuffix(".gz")).suffix.lower()
    return next((name for name, f in LABEL_FORMATS.items() if ending in f.endings), "auto")


def table_titles(path: str | Path, fmt: str = "auto") -> tuple[str, list[str]]:
    """Return the format of a table, and the titles of its columns.

    Raises
    ------
    BadInput
        For a file that is no table with named columns.
    """
    check_label_format(fmt)
    if fmt == "auto":
        fmt = format_of_ending(path)
    if fmt == "parquet":
        return fmt, labeltables.parquet_titles(path)
    if fmt not in ("auto", "csv", "tsv", "jsonl"):
        raise BadInput(f"{path}: this file was read as {fmt}, which has no named columns")
    lines = split_lines(path, read_text(path))
    first = next((line for line in lines if line.strip()), "")
    if fmt == "auto":
        fmt = "jsonl" if first.lstrip()[:1] == "{" else "tsv" if "\t" in first else "csv"
    if fmt == "jsonl":
        record = parse_json(path, first)
        return fmt, list(record) if isinstance(record, dict) else []
    return fmt, labeltables.titles(path, lines, "\t" if fmt == "tsv" else ",")


def detect_labels(path: str | Path, text: str, columns: Columns) -> str:
    """Return the format that the content tells."""
    if (
        text.lstrip()[:1] == "{"
        or text.split(maxsplit=1)[:1] == ["["]
        or (text.lstrip().startswith(("[{", "[[", '["')))
    ):
        return "jsonl"
    if "\t" not in text or not text.strip():
        head = text.split("\n", 1)[0].strip().lower()
        titled = head in LABEL_NAMES and str(path).removesuffix(".gz").endswith(".tsv")
        return "tsv" if titled else "lines"
    lines: Sequence[str] = [line for line in split_lines(path, text) if line.strip()]
    header = [field.strip().lower() for field in lines[0].split("\t")]
    if columns.ids is not None or columns.labels or columns.where:
        return "tsv"
    titled = header[0] in labellines.IDS
    if len(header) > 2 and titled and header[1:2] != ["label"]:
        return "tsv"
    single = titled and header[1:2] == ["label"]
    scored = _are_scored(lines[titled:])
    return "long" if columns.long or single or scored else "table"


def _are_scored(lines: Sequence[str]) -> bool:
    """Whether the third field is a score: of all lines, or of most, whose reader names the rest."""
    if all(map(_is_scored, lines)):
        return True
    fields = [line.count("\t") + 1 for line in lines[:3]]  # valid tables are not gone through
    return set(fields) == {3} and 2 * sum(map(_is_scored, lines)) > len(lines)


def _is_scored(line: str) -> bool:
    fields = line.split("\t")
    spelled = {"nan", "+nan", "-nan"}  # a score too, though not one that will do
    return len(fields) == 3 and (
        not math.isnan(plain_number(fields[2])) or fields[2].strip().lower() in spelled
    )
