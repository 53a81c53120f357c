"""Label sets from files and back: lines, tables, CSV, TSV, JSON lines; the registry, the verbs."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np

from hierpair.errors import BadInput, check_unique, shown
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.building import Tell, plain_number
from hierpair.hierarchy.edge_list import refuse
from hierpair.io.files import FilePath
from hierpair.io.formats import (
    TABLE_OPTIONS,
    Fields,
    Format,
    Formats,
    LazyColumns,
    Row,
    Source,
    Table,
    TableRows,
    json_objects,
    label_names,
    quoted_rows,
    split_batches,
    table_rows,
    tables_of,
    text_name,
    written_ids,
)
from hierpair.io.labels.binary import MATRIX, parquet_rows, write_parquet
from hierpair.io.text import collector_paused
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown, column_rows
from hierpair.labels.columns import (
    ID_NAMES,
    LABEL_NAMES,
    NO_SEPARATOR,
    RANKING_NAMES,
    SCORE_NAMES,
    as_amounts,
    column_named,
)
from hierpair.tables.forms import csv_table

LINES_HINT = (
    " [read as lines of labels separated by blanks or commas; "
    "ids, and names with blanks, need tabs: id TAB label|label]"
)
TABLE_HEADER = (
    "remove it, or begin it with id (id TAB labels) so that it is passed over; if it is an "
    "instance, write such a line above it"
)
LINES_HEADER = (
    "remove it; if it is an instance, write ids before the labels (id TAB label|label), under a "
    "line id TAB labels"
)
TABLE_MEND = (
    "; a tab stands even before no labels; separate labels by bars, or give named columns a header"
)
TEXT_MEND = "; or write a table with a header and a column text, or name its column (--text-column)"
NAMES_OF_IDS = (
    "ids image image_id img file filename file_name path sample sample_id doc doc_id document "
    "document_id pmid protein protein_id target_id gene key index item item_id uid uuid name query "
    "qid text_id row example example_id entry record record_id"
)
NAMES_OF_LABELS = (
    "label labels class classes category categories target targets term terms term_id go go_id "
    "go_term go_terms tag tags topic topics code codes true truth gold y y_true y_pred pred "
    "prediction predictions predicted annotation annotations species taxon label_id class_id"
)
"""A first line of two of these words, one of each kind, is a header."""

BLANK_END = "the last line is blank and counts as an instance without labels; remove it if none"

CAFA = (
    "a CAFA submission; remove the lines around its predictions: "
    "grep -vE '^(AUTHOR|MODEL|KEYWORDS|ACCURACY|END)' (long, id TAB term TAB score)"
)
BIOASQ = (
    "the documents of BioASQ; write one object per line: jq -c '.documents[] | {id: .pmid, labels}'"
)
"""What is recognised and not read, and what to write."""

SCORE = r"(?:[01]|[01]?\.\d+(?:[eE]-?\d+)?|\d+(?:\.\d+)?[eE]-\d+)"
SCORED_TRIPLE = re.compile(rf"\s*\S+\s+\S+\s+{SCORE}\s*")
"""Lines of id, label and score."""


def has_id_header(line: str) -> bool:
    r"""Whether a first line is a header: it begins with the ids, or has two known words.

    >>> has_id_header("id\tx"), has_id_header("image\tcategory"), has_id_header("image\tcat")
    (True, True, False)
    """
    name, label = (text.strip().strip('"').lower() for text in [*line.split("\t"), ""][:2])
    return name in ID_NAMES or (name in NAMES_OF_IDS.split() and label in NAMES_OF_LABELS.split())


def _form(name: str, summary: str, table: Callable[[Source], TableRows], **more: Any) -> Any:
    """Return a form of tables: whole files are one table of all of their rows."""

    def read(source: Source) -> LabelRows:
        found, path = table(source), str(source.path)
        (numbers, columns), start = found.whole(), f"{path}{found.mark}"
        told = replace(source.options["columns"], **found.meaning)
        place = lambda i: f"{start}{numbers[i]}"  # noqa: E731
        rows = column_rows(columns, told, place, source=path)
        notes = rows.notes
        if name == "lines":
            notes = () if source.lines[-1].strip() else (f"{start}{numbers[-1]}: {BLANK_END}",)
        return replace(rows, hint=found.hint, header=found.header, notes=notes)

    return Format(name, summary, read, table=table, **more)


# ---------------------------------------------------------------- the labels of an instance a line


def _line_rows(source: Source) -> TableRows:
    """Labels of an instance on a line, apart by blanks or commas, or by a separator that is set."""
    names, meaning = ("labels",), {"labels": ("labels",), "separator": "\n"}
    sign, lines = source.options["columns"].separator, source.every_line()
    apart = None if sign in (Columns.separator, "\n") else sign  # None: blanks
    parts = (x.split(apart) if apart else x.replace(",", " ").split() for x in lines)
    texts = ("\n".join(x) if "".join(x).strip() else None for x in parts)
    rows = partial(tables_of, names, enumerate(texts, start=1))
    return TableRows(names, rows, meaning, hint=LINES_HINT, header=LINES_HEADER)


# ---------------------------------------------------------------- tables


def _plain_rows(
    source: Source, names: tuple[str, ...], sign: str | None, least: int, wanted: str,
    mend: str = "", **meaning: Any,
) -> TableRows:  # fmt: skip
    """Return the rows of lines without a header, or with one that says no more than they do."""
    lines = source.every_line()
    first, line = next(((k, x) for k, x in enumerate(lines, start=1) if x.strip()), (1, ""))
    headed, n = has_id_header(line), len(names)
    rest, form = lines if headed else chain([line], lines), (least, wanted, mend)
    batches = split_batches(source, rest, names, sign, first + headed, *form)
    header = None if headed or n > 2 else TABLE_HEADER
    return TableRows(names, batches, {"ids": "id", **meaning}, header=header)


def _field_rows(source: Source, wanted: str, mend: str) -> TableRows:
    """``id TAB label|label``, or ``id TAB text``; labels by that title are all that an id has."""
    [title] = {*_titles(source)[1:2]} & {"labels", "classes"} or {"label or labels"}
    names = ("id", title)
    return _plain_rows(source, names, "\t", 2, f"id TAB {wanted}", mend, labels=names[1:])


def _long_rows(source: Source) -> TableRows:
    """``id TAB label``, or ``id TAB label TAB score``: one label a line, an id comes again."""
    sign = "\t" if "\t" in source.text else None  # None: blanks
    names = ("id", "label", "score")[: 2 + any(_third_fields(source, sign))]
    wanted = "id TAB label [TAB score]"
    return _plain_rows(source, names, sign, 1, wanted, labels=("label",), long=True)


def _titled_rows(source: Source, sign: str) -> TableRows:
    """Values with a header: after commas they may be quoted; nameless columns are numbered."""
    lines = source.every_line()
    rows: Iterable[Fields] = ((k, x.split(sign)) for k, x in enumerate(lines, start=1))
    rows = quoted_rows(source.path, lines, sign) if sign == "," else rows
    number, fields = next(table_rows(source, rows))
    header = [field.strip() or f"column {k}" for k, field in enumerate(fields, start=1)]
    place = source.place(number)
    check_unique(header, lambda title: f"{place}: two columns are called {title!r}")
    if len(fields) == 1 and (other := next((x for x in ";\t" if x in fields[0]), "")):
        mend = "set the label format to tsv" if other == "\t" else f"write {sign!r}"
        raise BadInput(f"{place}: fields are separated by {other!r}, not by {sign!r}; {mend}")
    first = number + 1 + sum(field.count("\n") for field in fields)
    return TableRows(tuple(header), split_batches(source, lines, header, sign, first))


# ---------------------------------------------------------------- JSON lines


def _json_rows(source: Source) -> TableRows:
    """An object per line, or the documents of BioASQ; a key that one lacks is no label."""
    options, given = source.options, source.options["columns"]
    rows = json_objects(source)
    start = list(islice(rows, 2))
    if not start:
        raise BadInput(f"{source.path}: no line holds a JSON object")
    number, first = start[0]
    if isinstance(first.get("documents"), list):
        raise BadInput(f"{source.path}: these are {BIOASQ}")
    names, several = dict.fromkeys(first), chain(start, rows)
    alone = len(start) == 1 and source.ending == ".json"
    alone &= names.keys().isdisjoint((given.ids, *ID_NAMES))
    if alone and any(isinstance(x, list) and len(x) > 1 for x in first.values()):
        said = "one instance, or a column? Give it an id, or write one object a line"
        raise BadInput(f"{source.place(number)}: is {shown(first, 40)} {said}")
    if options.get("scored") and given.score is None and "scores" in names:
        pairs, long = _scores(source, several), ("id", "label", "score")
        meaning = {"ids": "id", "labels": ("label",), "score": "score", "long": True}
        return TableRows(long, partial(tables_of, long, pairs), meaning)
    # a level may be missing, and of ids it is said elsewhere
    bare = {given.ids, *ID_NAMES, *(given.labels if len(given.labels) > 1 else ())}

    def column(records: list[dict[str, Any]], name: str) -> list[Any]:
        other = None if name in bare else _Absent(name)
        return [record.get(name, other) for record in records]

    def batches(n: int | None) -> Iterator[Table]:
        for numbers, table in tables_of(("record",), several, n):
            records = table["record"]
            names.update(dict.fromkeys(chain.from_iterable(records)))
            yield numbers, LazyColumns({name: partial(column, records, name) for name in names})

    return TableRows(tuple(names), batches)


def _scores(source: Source, rows: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[Row]:
    """Yield line, id, label and score of objects with ``"scores": {label: score}``."""
    seen = dict[Any, int]()
    for k, (number, record) in enumerate(rows):
        given, name = record.get("scores"), text_name(record.get("id", k))
        if name is None or not isinstance(given, dict):
            source.fault(number, "no 'scores' (such as {\"a\": 0.9}), or an id that is no text")
        elif seen.setdefault(name, number) != number:
            place = source.place(seen[name])
            source.fault(number, f"instance {shown(name)} already occurs at {place}")
        else:
            yield from ((number, name, *pair) for pair in given.items() or [(None, None)])


@dataclass(frozen=True)
class _Absent:
    """Stands for the label of an object that has no such key: only [] says that there are none."""

    name: str

    def __repr__(self) -> str:
        return f"no key {self.name!r} ([] for none)"


# ---------------------------------------------------------------- knowing them by their content


def _filled(source: Source) -> Iterator[str]:
    return (line for line in source.lines if line.strip())


def _first(source: Source) -> str:
    return next(_filled(source), "")


def _titles(source: Source) -> list[str]:
    return [title.strip().lower() for title in _first(source).split("\t")]


def _third_fields(source: Source, sign: str | None = "\t") -> list[str]:
    first = int(has_id_header(_first(source)))
    lines = (line.split(sign) for line in islice(_filled(source), first, first + 1000))
    return [found[2].strip() if len(found) == 3 else "" for found in lines]


def _are_long(source: Source) -> bool:
    """Whether lines hold id and label by their header, or id, label and score."""
    if _first(source).split()[:1] in (["AUTHOR"], ["MODEL"]):
        raise BadInput(f"{source.path}: this is {CAFA}")
    if "\t" not in source.text:
        lines = list(_filled(source))
        triples = all(map(SCORED_TRIPLE.fullmatch, lines))
        return triples and any("." in line.split()[2] for line in lines)
    titles = _titles(source)
    single = titles[0] in ID_NAMES and titles[1:2] == ["label"]
    return single or source.options["columns"].long or _are_scored(source)


def _are_scored(source: Source) -> bool:
    """Whether most third fields are scores; nan is one too."""
    thirds = _third_fields(source)
    scores = sum(x.lower() == "nan" or not math.isnan(plain_number(x)) for x in thirds)
    return 2 * scores > len(thirds)


def _are_lines(source: Source) -> bool:
    """Whether a text has no tab; where lines begin with running numbers these may be ids."""
    if "\t" in source.text and source.text.strip():
        return False
    lines = [line.replace(",", " ").split() for line in islice(_filled(source), 1000)]
    first = [int(line[0]) for line in lines if len(line) > 1 and line[0].isdecimal()]
    if len(lines) == len(first) > 2 and set(np.diff(sorted(first)).tolist()) == {1}:
        said = f"is {_first(source)!r} an id and its labels, or labels? Ids need tabs"
        raise BadInput(f"{source.path}: {said}; for labels set the label format to lines")
    return True


def _is_tsv(source: Source) -> bool:
    columns, titles = source.options["columns"], _titles(source)
    if len(titles) == 1:
        return titles[0] in LABEL_NAMES and source.ending == ".tsv"
    told = columns.ids is not None or bool(columns.labels or columns.where)
    headed = len(titles) > 2 and has_id_header(_first(source))
    if told or not headed or titles[1] != "label":
        return told or headed
    # the last of three columns may be scores; a rank is none
    scored = titles[2] in (*SCORE_NAMES, *RANKING_NAMES) or _are_scored(source)
    return titles[0] in ID_NAMES and (len(titles) > 3 or titles[2] == "rank" or not scored)


# ---------------------------------------------------------------- writing


def _joined_rows(sets: LabelSets, hierarchy: Hierarchy, ends: str) -> list[list[str]]:
    names = label_names(sets, hierarchy, f"|{ends}")
    return [[i, "|".join(row)] for i, row in zip(written_ids(sets, ends), names, strict=True)]


def _write_table(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = [["id", "labels"], *_joined_rows(sets, hierarchy, "\t\n\r")]
    return "\n".join(map("\t".join, rows))


def _write_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return "\n".join(map(" ".join, label_names(sets, hierarchy, " ,\t\n\r")))


def _write_csv(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return csv_table(["id", "labels"], _joined_rows(sets, hierarchy, "\n\r"))


def _write_json_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    records: list[dict[str, Any]] = [{"labels": x} for x in label_names(sets, hierarchy, "")]
    if sets.ids is not None:
        records = [{"id": i, **r} for i, r in zip(written_ids(sets), records, strict=True)]
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)


def _lost_ids(sets: LabelSets) -> list[str]:
    return [] if sets.ids is None else ["the instance ids are lost; lines go by position"]


def _new_ids(sets: LabelSets) -> list[str]:
    new = "the instances had no ids and got their positions from 0"
    return [new] if sets.ids is None else []


LINES = _form(
    "lines",
    "the labels of one instance on a line, separated by blanks or commas; an empty line is "
    "an empty set (LSHTC, HEMKit)",
    _line_rows, write=_write_lines,
    detect=_are_lines,
    options=("separator",), notes=_lost_ids,
)  # fmt: skip
TABLE = _form(
    "table",
    "id TAB label|label; a first line that starts with id, or of two known words such as image "
    "TAB category, is a header",
    partial(_field_rows, wanted="label|label", mend=TABLE_MEND), write=_write_table,
    detect=lambda source: True, options=("separator",), notes=_new_ids,
)  # fmt: skip
LONG = _form(
    "long",
    "id TAB label [TAB score]; one label a line, ids are repeated; id TAB nothing is an empty set "
    "(CAFA)",
    _long_rows, detect=_are_long, options=("separator", "long", "min_score"),
)  # fmt: skip
CSV = _form(
    "csv", "comma-separated values with a header", partial(_titled_rows, sign=","),
    write=_write_csv, titled=True, endings=(".csv",), options=TABLE_OPTIONS, notes=_new_ids,
)  # fmt: skip
TSV = _form(
    "tsv", "tab-separated values with a header", partial(_titled_rows, sign="\t"),
    write=_write_table, titled=True, detect=_is_tsv, options=TABLE_OPTIONS, notes=_new_ids,
)  # fmt: skip
JSON_LINES = _form(
    "jsonl", "a JSON object per line, labels as a list or a text", _json_rows,
    write=_write_json_lines, titled=True,
    detect=lambda source: re.match(r'\s*(?:\{|\[(?:[\s{["]|$))', source.text) is not None,
    endings=(".jsonl", ".ndjson"), options=TABLE_OPTIONS,
)  # fmt: skip
PARQUET = _form(
    "parquet", "a Parquet table (extra data)", parquet_rows, write=write_parquet, titled=True,
    endings=(".parquet", ".pq"), options=TABLE_OPTIONS,
)  # fmt: skip
TEXT_LINES = _form(
    "texts", "a text per instance, which holds no labels",
    partial(_field_rows, wanted="text", mend=TEXT_MEND),
)  # fmt: skip


# ---------------------------------------------------------------- the registry and its verbs

LABEL_FORMATS: Formats[LabelRows] = Formats(
    "label format", "labels", (TABLE, LINES, LONG, TSV, CSV, JSON_LINES, MATRIX, PARQUET)
)
"""Every form of labels by the name that ``fmt`` takes."""


@collector_paused()
@takes_hierarchy
def read_labels(
    path: FilePath, hierarchy: Hierarchy, *, fmt: str = "auto", unknown: Unknown = "error",
    columns: Columns | None = None, column_names: FilePath | None = None,
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
    columns = columns or Columns()
    refuse_scores &= columns.min_score is None
    if refuse_scores:  # scores are kept for who asks for them
        columns = replace(columns, highest=True)
    rows = parse_labels(path, fmt=fmt, columns=columns, column_names=column_names)
    if refuse_scores and rows.scores is not None:
        said = "the labels have scores, and these are not used here; choose the labels by a"
        raise BadInput(f"{path}: {said} threshold (--min-score)")
    if not rows.rows:
        raise BadInput(f"{path}: the file has no instances")
    if on_note is not None:
        for note in rows.notes:
            on_note(note)
    return LabelSets.from_rows(rows, hierarchy, unknown=unknown)


def parse_labels(
    path: FilePath, *, fmt: str = "auto", columns: Columns | None = None,
    column_names: FilePath | None = None, trouble: Tell = refuse, scored: bool = False,
) -> LabelRows:  # fmt: skip
    """Return what a label file says, unchecked; parameters as for :func:`read_labels`.

    ``trouble`` is told of a faulty line, by default an error. With ``scored`` scores are kept:
    tables have one label a row, matrices and objects hold scores.
    """
    columns = columns or Columns()
    scored |= columns.amounts
    columns = replace(columns, highest=True) if scored and not columns.amounts else columns
    options = {"columns": columns, "column_names": column_names, "scored": scored}
    source = Source(path, options, trouble)
    form = LABEL_FORMATS.choose(source, fmt)
    check_meant(path, form, columns)
    if scored and form.titled:
        options["columns"] = replace(columns, long=True)
    rows = form.read(source)
    rows = as_amounts(rows, str(path)) if columns.amounts else rows
    return rows if columns.paths is None else rows.as_paths(columns.paths)


def check_meant(path: FilePath, form: Format[LabelRows], columns: Columns) -> None:
    """Refuse what is said about columns of a form that has none."""
    meant = {*form.options, "paths", "highest", "amounts"}
    if any(getattr(columns, x) != getattr(Columns(), x) for x in set(TABLE_OPTIONS) - meant):
        said = f"this file was read as {form.name}, which has no named columns"
        mend = "give the format if it is csv, tsv or jsonl (fmt, --label-format)"
        raise BadInput(f"{path}: {said}; {mend}")


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
    told = {"columns": Columns(labels=LABEL_NAMES)}  # so that tabs tell a table
    is_file = os.path.isfile(str(path))  # noqa: PTH113 - any text; a pipe is read once, whole
    source = Source(path, told, in_parts=is_file)
    form = LABEL_FORMATS.choose(source, fmt)
    form = CSV if form is LINES and fmt == "auto" else form
    if form.table is None or not form.titled:
        raise BadInput(f"{path}: this file was read as {form.name}, which has no named columns")
    return form.name, list(form.table(source).names)


def read_texts(path: FilePath, column: str | None) -> dict[str, str] | list[str]:
    """Read texts: a column (by default ``text``) of a table, or lines ``id TAB text``.

    They come by id, or without ids in the order of the instances.
    """
    fmt, titles = "auto", list[str]()
    with suppress(BadInput):
        fmt, titles = table_titles(path)
    name, meaning = column or "text", Columns(separator=NO_SEPARATOR)
    if column or name in titles:
        column_named(titles, name, (), "text", str(path))
        rows = parse_labels(path, fmt=fmt, columns=replace(meaning, labels=(name,)))
    else:
        rows = TEXT_LINES.read(Source(path, {"columns": meaning}))
    texts = ["".join(map(str, row)) for row in rows.rows]
    if rows.ids is None:
        return texts
    for place, said in rows.repeated():
        raise BadInput(f"{place}: {said}; keep one of its texts")
    return dict(zip(map(str, rows.ids), texts, strict=True))
