"""Label sets in text: lines of labels, tables, one label a line, CSV, TSV, JSON lines."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

from hierpair.errors import BadInput, counted, did_you_mean, first_repeated, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.io.delimited import Fields, quoted_rows, split_batches, table_rows
from hierpair.io.formats import Format, LazyColumns, Records, Row, Source, batched
from hierpair.io.json_values import json_objects, parse_json, text_name
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import Columns, LabelRows, LabelSets, column_rows
from hierpair.labels.coded import coded
from hierpair.labels.columns import LABEL_NAMES, NO_SEPARATOR
from hierpair.tables.forms import csv_table

__all__ = ["CSV", "FEATURES", "JSON_LINES", "LINES", "LONG", "SCORED", "SCORED_LABEL", "TABLE",
           "TABLE_OPTIONS", "TSV", "has_id_header"]  # fmt: skip

TABLE_OPTIONS = tuple(field.name for field in fields_of(Columns))
"""All that can be said about a table with named columns."""

BIOASQ = re.compile(r'\s*\{\s*"documents"\s*:')
"""How the results of BioASQ begin: one object, with a list of documents."""

OF_LINES = {"labels": ("labels",)}
"""What the only column of lines means."""

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
    "a tab stands even before no labels; separate labels by bars, or give named columns a header"
)
IDS = ("id", "instance", "instance_id")
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

CAFA_WORDS = ("AUTHOR", "MODEL", "KEYWORDS", "ACCURACY", "END")
"""What lines around the predictions of a CAFA submission begin with."""

SCORE = r"(?:[01]|[01]?\.\d+(?:[eE]-?\d+)?|\d+(?:\.\d+)?[eE]-\d+)"
FEATURE = r"\d+:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:[\s,]+|$)"
SCORED_LABEL = re.compile(rf"\S.*:{SCORE}")
SCORED_LINE = re.compile(rf"[\s,]*(?:[^\s,]+:{SCORE}(?:[\s,]+|$))+")
SCORED_TRIPLE = re.compile(rf"\s*\S+\s+\S+\s+{SCORE}\s*")
BEFORE_FEATURES = re.compile(rf"[\s,]*+(?:(?!{FEATURE})[^\s,]++[\s,]*+)*+")
FEATURES_ALONE = re.compile(rf"[\s,]*(?:{FEATURE})+")
FEATURE_LINE = re.compile(rf"{BEFORE_FEATURES.pattern}(?:{FEATURE})+")
"""Lines that tell a form where all are like them."""


def has_id_header(line: str) -> bool:
    r"""Whether a first line is a header: it begins with the ids, or has two known words.

    >>> has_id_header("id\tx"), has_id_header("image\tcategory"), has_id_header("image\tcat")
    (True, True, False)
    """
    first, _, rest = line.partition("\t")
    name, label = (text.strip().lower() for text in (first, rest.partition("\t")[0]))
    return name in IDS or (name in NAMES_OF_IDS.split() and label in NAMES_OF_LABELS.split())


def _form(
    name: str,
    summary: str,
    records: Callable[[Source, Iterator[str]], Records],
    write: Callable[[LabelSets, Hierarchy], str] | None = None,
    *,
    titled: bool = False,
    **more: Any,
) -> Format[LabelRows]:
    """Return a form of text: whole files are one table of all of its records."""

    def read(source: Source) -> LabelRows:
        found = records(source, iter(source.lines))
        numbers, table = found.table()
        told = replace(source.options["columns"], **found.meaning)
        named = told.labels or [x for x in table if x.strip().lower() in LABEL_NAMES]
        if not named:
            raise BadInput(
                f"{source.path}: there is no column {LABEL_NAMES[0]!r}; there are {listed(table)} "
                "(the first line is taken as the header: write one, or name the label column)"
            )
        if found.check is not None and len(named) == 1 and not told.where:
            found.check(numbers, table, named[0])
        rows = column_rows(table, told, _places(source, numbers), source=str(source.path))
        notes = () if found.meaning is OF_LINES else rows.notes
        return replace(rows, hint=found.hint, header=found.header, notes=notes)

    def titles(source: Source) -> list[str]:
        return list(records(source, iter(source.lines)).names)

    return Format(
        name, summary, read, write, titles=titles if titled else None, records=records, **more
    )


# ---------------------------------------------------------------- the labels of an instance a line


def _listed(rows: Iterable[Row], labels: Callable[[str], list[str]], **more: Any) -> Records:
    """Return the records of lines that hold the labels of an instance each."""

    def spread(table: dict[str, Any]) -> dict[str, Any]:
        lines = coded(table["labels"])
        return {"labels": lines.spread(map(labels, lines.values))}

    return Records(("labels",), partial(batched, iter(rows)), OF_LINES, spread, **more)


def _words(line: str) -> list[str]:
    return line.replace(",", " ").split()


def _line_records(source: Source, lines: Iterator[str]) -> Records:
    """The labels of an instance on a line, separated by blanks or commas.

    Another separator may be set; the usual bar counts as not set.
    """
    sign = source.options["columns"].separator

    def labels(line: str) -> list[str]:
        return list(map(str.strip, line.split(sign))) if line.strip() else []

    own = _words if sign == Columns.separator else labels
    return _listed(enumerate(lines, start=1), own, hint=LINES_HINT, header=LINES_HEADER)


def _feature_records(source: Source, lines: Iterator[str]) -> Records:
    """``label,label feature:value feature:value …``: what stands before the first feature."""
    rows = islice(enumerate(lines, start=1), int(_counts(source.lines[0])), None)
    return _listed(rows, lambda line: _words(BEFORE_FEATURES.match(line)[0]))  # type: ignore[index]


def _read_scored(source: Source) -> LabelRows:
    """``label:score label:score …``."""

    def rows() -> Iterator[Row]:
        for number, line in enumerate(source.lines, start=1):
            for word in _words(line) or [":"]:
                label, _, score = word.rpartition(":")
                if score and not label:
                    source.fault(number, f"expected label:score, got {word!r}")
                else:
                    yield number, label, score

    return _scored_rows(source, rows())


def _scored_rows(
    source: Source, rows: Iterable[Row], ids: list[Hashable] | None = None
) -> LabelRows:
    """Return the labels of instances, a line each, from the line, label and score of each."""
    numbers, table = Records(("label", "score"), partial(batched, rows)).table()
    columns = replace(
        source.options["columns"], ids="id", labels=("label",), long=True, score="score", where=()
    )
    place, table = _places(source, numbers), {"id": numbers, **table}
    return replace(column_rows(table, columns, place, source=str(source.path)), ids=ids)


def _places(source: Source, numbers: Sequence[Any]) -> Callable[[int], str]:
    start = f"{source.path}:"  # the source holds the whole file, and is not kept
    return lambda i: f"{start}{numbers[i]}"


# ---------------------------------------------------------------- tables


def _fields(
    source: Source, rows: Iterable[Fields], n: int, least: int, wanted: str
) -> Iterator[Fields]:
    """Yield the first fields of rows with an id; blank ones are none."""
    around = CAFA_WORDS if _is_cafa(source) else ()
    for number, fields in rows:
        if not any(map(str.strip, fields)) or fields[0].partition(" ")[0] in around:
            continue
        if len(fields) < least or any(map(str.strip, fields[n:])):
            got = counted(len(fields), "field")
            source.fault(number, f"expected {wanted}, got {got}" + f"; {TABLE_MEND}" * (least > 1))
        elif fields[0].strip():
            yield number, [*fields[:n], *[""] * (n - len(fields))]
        else:
            source.fault(number, "the instance id is missing")


def _plain_records(
    source: Source,
    lines: Iterator[str],
    names: tuple[str, ...],
    sign: str | None,
    least: int,
    wanted: str,
    **more: Any,
) -> Records:
    """Return the records of lines without a header, or with one that says no more than they do."""
    first, line = next(((k, x) for k, x in enumerate(lines, start=1) if x.strip()), (1, ""))
    headed = has_id_header(line)
    kept = partial(_fields, source, n=len(names), least=least, wanted=wanted)
    rest, first = (lines, first + 1) if headed else (chain([line], lines), first)
    width = 0 if _is_cafa(source) else len(names)  # no line is plain
    batches = split_batches(
        source.path, iter(rest), sign, width, kept, first=first, plain=source.plain
    )
    mend = None if headed or len(names) > 2 else TABLE_HEADER
    return Records(names, batches, header=mend, **more)


def _table_records(source: Source, lines: Iterator[str]) -> Records:
    """``id TAB label|label``; where ids come again, each line may hold one label."""
    names = ("id", "label or labels")
    meaning = {"ids": "id", "labels": names[1:]}
    return _plain_records(source, lines, names, "\t", 2, "id TAB label|label", meaning=meaning)


def _long_records(source: Source, lines: Iterator[str]) -> Records:
    """``id TAB label``, or ``id TAB label TAB score``: one label a line, an id comes again."""
    sign = "\t" if "\t" in source.text else None  # None: blanks
    names = ("id", "label", "score")[: 2 + any(_third_fields(source, sign))]
    meaning = {"ids": "id", "labels": ("label",), "long": True}
    wanted = "id TAB label [TAB score]"
    return _plain_records(source, lines, names, sign, 1, wanted, meaning=meaning)


# ---------------------------------------------------------------- tables with a header


def _csv_records(source: Source, lines: Iterator[str]) -> Records:
    """Values with a header, separated by commas, quoted where they hold separators or line ends."""
    return _titled(source, lines, ",", quoted_rows(source.path, lines, ","))


def _tsv_records(source: Source, lines: Iterator[str]) -> Records:
    """Values separated by tabs; quotes mean nothing special."""
    return _titled(source, lines, "\t", ((k, x.split("\t")) for k, x in enumerate(lines, start=1)))


def _titled(source: Source, lines: Iterator[str], sign: str, rows: Iterable[Fields]) -> Records:
    """Return rows of which the first is the header; nameless columns are numbered."""
    number, fields = next(table_rows(source, rows))
    foreign = re.search("[;\t,]", fields[0])
    if foreign and len(fields) == 1:
        raise BadInput(
            f"{source.path}:{number}: the columns are separated by {foreign[0]!r}; save the file "
            "with commas as .csv, or with tabs and the label format tsv"
        )
    header = [field.strip() or f"column {k}" for k, field in enumerate(fields, start=1)]
    twice = first_repeated(header)
    if twice is not None:
        raise BadInput(f"{source.path}:{number}: two columns are called {twice!r}")
    first = number + 1 + sum(field.count("\n") for field in fields)
    kept = partial(table_rows, source, width=len(header))
    return Records(tuple(header), split_batches(
        source.path, lines, sign, len(header), kept, first=first, quoted=sign == ",",
        plain=source.plain,
    ))  # fmt: skip


# ---------------------------------------------------------------- JSON lines


def _json_records(source: Source, lines: Iterator[str]) -> Records:
    """An object per line, or the documents of BioASQ; a key that one lacks is a blank."""
    columns: Columns = source.options["columns"]
    whole = BIOASQ.match(source.text)
    rows = _documents(source, "\n".join(lines)) if whole else json_objects(source, lines)
    first = next(rows, None)
    if first is None:
        raise BadInput(f"{source.path}: no line holds a JSON object")
    names = dict.fromkeys(first[1])

    def keys(table: dict[str, Any]) -> LazyColumns:
        """Return the columns by name: objects may share no key."""
        records = table["record"]
        names.update(dict.fromkeys(chain.from_iterable(records)))
        return LazyColumns(names, lambda name: [record.get(name) for record in records], records)

    def check(numbers: Sequence[Any], table: LazyColumns, name: str) -> None:
        """Refuse an object without the key of the labels: only [] says that there are none."""
        remedy = '"" for no text' if columns.separator == NO_SEPARATOR else "[] for no labels"
        for number, record in zip(numbers, table.of, strict=True):
            if name in names and name not in record:
                said = f"no {name!r} in this object{did_you_mean(name, record)} ({remedy})"
                source.fault(number, said)

    begun = partial(batched, chain([first], rows))
    return Records(tuple(names), begun, made=keys, check=check, fields=("record",))


def _documents(source: Source, text: str) -> Iterator[Row]:
    """Yield the documents, which the number of PubMed tells from each other."""
    found = parse_json(source.path, text)["documents"]
    for k, record in enumerate(found if isinstance(found, list) else [found], start=1):
        place = f" document {k}"
        if not isinstance(record, dict):
            source.fault(place, f"expected an object, got {shown(record, 40)}")
        elif "pmid" in record:
            yield place, {"id": record["pmid"], **record}
        else:
            yield place, record


def _read_json_lines(source: Source) -> LabelRows:
    """Objects with labels or, where scores are asked for, ``"scores": {label: score}``."""
    options, ids = source.options, list[Hashable]()
    scored = options["scored"] and options["columns"].score is None
    if not scored or '"scores"' not in source.lines[0]:
        return JSON_OBJECTS.read(source)

    def rows() -> Iterator[Row]:
        for number, record in json_objects(source):
            place, given = source.place(number), record.get("scores")
            name = text_name(record.get("id", len(ids)))
            if name is None:
                raise BadInput(f"{place}: id must be a text or a whole number")
            if not isinstance(given, dict):
                raise BadInput(f"{place}: no 'scores' (an object, such as {{\"a\": 0.9}})")
            ids.append(name)
            yield from ((number, *pair) for pair in given.items() or [("", "")])

    return _scored_rows(source, rows(), ids)


# ---------------------------------------------------------------- knowing them by their content


def _first(source: Source) -> str:
    return next(_filled(source), "")


def _filled(source: Source) -> Iterator[str]:
    return (line for line in source.lines if line.strip())


def _third_fields(source: Source, sign: str | None = "\t") -> list[str]:
    """Return the third field of the first lines, blank where there are not three."""
    lines = list(islice(_filled(source), 1001))
    fields = [line.split(sign) for line in lines[bool(lines) and has_id_header(lines[0]) :][:1000]]
    return [found[2].strip() if len(found) == 3 else "" for found in fields]


def _are_lines(source: Source) -> bool:
    return "\t" not in source.text or not source.text.strip()


def _all_are(pattern: re.Pattern[str], source: Source, first: int = 0) -> bool:
    """Whether all lines are like a pattern, and there are some; tabs are of other forms."""
    if "\t" in source.text or not _first(source):
        return False
    return all(map(pattern.fullmatch, islice(_filled(source), first, None)))


def _are_features(source: Source) -> bool:
    """Whether lines hold features after the labels, and some line has labels."""
    n = int(_counts(_first(source)))
    return _all_are(FEATURE_LINE, source, n) and not _all_are(FEATURES_ALONE, source, n)


def _counts(line: str) -> bool:
    """Whether a first line holds the numbers of instances, features and labels."""
    parts = line.split()
    return len(parts) == 3 and all(map(str.isdecimal, parts))


def _is_cafa(source: Source) -> bool:
    return _first(source).split(None, 1)[:1] in (["AUTHOR"], ["MODEL"])


def _are_long(source: Source) -> bool:
    """Whether lines hold id and label by their header, or id, label and score."""
    if _is_cafa(source):
        return True
    if "\t" in source.text:
        titles = [title.strip().lower() for title in _first(source).split("\t")]
        single = titles[0] in IDS and titles[1:2] == ["label"]
        thirds = _third_fields(source)  # nan is a score too, though not one that will do
        scores = sum(x.lower() == "nan" or not math.isnan(plain_number(x)) for x in thirds)
        return single or source.options["columns"].long or 2 * scores > len(thirds)
    return _all_are(SCORED_TRIPLE, source) and "." in "".join(x.split()[2] for x in _filled(source))


def _is_tsv(source: Source) -> bool:
    """Whether lines with tabs have a header of columns, or are said to have one."""
    columns, line = source.options["columns"], _first(source)
    titles = [title.strip().lower() for title in line.split("\t")]
    if len(titles) == 1:
        return titles[0] in LABEL_NAMES and source.ending == ".tsv"
    if columns.ids is not None or columns.labels or columns.where:
        return True
    return len(titles) > 2 and has_id_header(line) and titles[1] != "label"


def _is_json_lines(source: Source) -> bool:
    return re.match(r'\s*(?:\{|\[(?:[\s{["]|$))', source.text) is not None


# ---------------------------------------------------------------- writing


def _joined_rows(sets: LabelSets, hierarchy: Hierarchy, ends: str) -> list[list[str]]:
    """Return the id of every instance and its labels with bars between them."""
    names = label_names(sets, hierarchy, f"|{ends}")
    return [[i, "|".join(row)] for i, row in zip(written_ids(sets, ends), names, strict=True)]


def _write_table(sets: LabelSets, hierarchy: Hierarchy) -> str:
    """Return lines of ids and labels, under a header."""
    rows = [["id", "labels"], *_joined_rows(sets, hierarchy, "\t\n\r")]
    return "\n".join(map("\t".join, rows))


def _write_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return "\n".join(map(" ".join, label_names(sets, hierarchy, " ,\t\n\r")))


def _write_long(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = zip(written_ids(sets, "\t\n\r"), label_names(sets, hierarchy, "\t\n\r"), strict=True)
    lines = [f"{name}\t{label}" for name, row in rows for label in (row or [""])]
    return "\n".join(["id\tlabel", *lines])


def _lost_ids(sets: LabelSets) -> list[str]:
    return [] if sets.ids is None else ["the instance ids are lost; lines go by position"]


def _new_ids(sets: LabelSets) -> list[str]:
    """Say that instances were numbered, where they had no ids."""
    new = "the instances had no ids and got their positions from 0"
    return [new] if sets.ids is None else []


def _write_csv(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return csv_table(["id", "labels"], _joined_rows(sets, hierarchy, "\n\r"))


def _write_json_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    records: list[dict[str, Any]] = [{"labels": x} for x in label_names(sets, hierarchy, "")]
    if sets.ids is not None:
        records = [{"id": i, **r} for i, r in zip(written_ids(sets), records, strict=True)]
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)


LINES = _form(
    "lines",
    "the labels of one instance on a line, separated by blanks or commas; an empty line is "
    "an empty set (LSHTC, HEMKit)",
    _line_records,
    _write_lines,
    detect=_are_lines,
    options=("separator",),
    notes=_lost_ids,
)
FEATURES = _form(
    "features",
    "label,label feature:value …; what is learned from is passed over (LSHTC, extreme "
    "classification)",
    _feature_records,
    detect=_are_features,
)
SCORED = Format(
    "scores",
    "label:score label:score …, the instances by position",
    _read_scored,
    detect=partial(_all_are, SCORED_LINE),
    options=("long", "min_score"),
)
TABLE = _form(
    "table",
    "id TAB label|label; a first line that starts with id, or of two known words such as image "
    "TAB category, is a header",
    _table_records,
    _write_table,
    detect=lambda source: True,
    options=("separator",),
    notes=_new_ids,
)
LONG = _form(
    "long",
    "id TAB label [TAB score]; one label a line, an id comes again, id TAB nothing is an empty set "
    "(CAFA)",
    _long_records,
    _write_long,
    detect=_are_long,
    options=("separator", "long", "min_score"),
    notes=_new_ids,
)
CSV = _form(
    "csv",
    "comma-separated values with a header",
    _csv_records,
    _write_csv,
    titled=True,
    endings=(".csv",),
    options=TABLE_OPTIONS,
    notes=_new_ids,
)
TSV = _form(
    "tsv",
    "tab-separated values with a header",
    _tsv_records,
    _write_table,
    titled=True,
    detect=_is_tsv,
    options=TABLE_OPTIONS,
    notes=_new_ids,
)
JSON_OBJECTS = _form(
    "jsonl",
    "a JSON object per line, labels as a list or a text",
    _json_records,
    _write_json_lines,
    titled=True,
    detect=_is_json_lines,
    endings=(".jsonl", ".ndjson"),
    options=TABLE_OPTIONS,
)
JSON_LINES = replace(JSON_OBJECTS, read=_read_json_lines)
