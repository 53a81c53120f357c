"""Label sets as lines without named columns: lines of labels, tables, one label a line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress, islice
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted, listed
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.io.formats import Format, Records, Row, Source, Table, fields_as_columns
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import Columns, LabelRows, LabelSets, column_rows
from hierpair.labels.coded import all_distinct, coded
from hierpair.labels.columns import LABEL_NAMES
from hierpair.labels.tables import LONG_NOTE, looks_long, score_of

__all__ = ["FEATURES", "LINES", "LONG", "SCORED", "TABLE", "collected", "has_id_header",
           "refuse_foreign", "scored_rows"]  # fmt: skip

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

SCORE = re.compile(r"[01]|[01]?\.\d+(?:[eE]-?\d+)?|\d+(?:\.\d+)?[eE]-\d+")
LABEL_SCORE = re.compile(rf"(\S+):({SCORE.pattern})")
FEATURE = re.compile(r"\d+:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def has_id_header(line: str) -> bool:
    r"""Whether a first line is a header: it begins with the ids, or has two known words.

    >>> has_id_header("id\tx"), has_id_header("image\tcategory"), has_id_header("image\tcat")
    (True, True, False)
    """
    first, _, rest = line.partition("\t")
    name, label = (text.strip().lower() for text in (first, rest.partition("\t")[0]))
    return name in IDS or (name in NAMES_OF_IDS.split() and label in NAMES_OF_LABELS.split())


def _body(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines from 1, less a header and blank ones."""
    first = True
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            continue
        if not first or not has_id_header(line):
            yield number, line
        first = False


def collected(records_of: Callable[[Source, Iterable[str]], Records]) -> Callable[..., LabelRows]:
    """Return the reader of whole files of a form: one table of all of its records."""

    def read(source: Source) -> LabelRows:
        path, columns = source.path, source.options["columns"]
        records = records_of(source, source.lines)
        numbers, table = records.columns_of(records.rows)
        told, start = replace(columns, **records.meaning), f"{path}{records.place}"
        named = told.labels or [x for x in table if x.strip().lower() in LABEL_NAMES]
        if not named:
            raise BadInput(
                f"{path}: there is no column {LABEL_NAMES[0]!r}; there are {listed(table)} "
                f"({records.header or 'name the label column'})"
            )
        if records.check is not None and len(named) == 1 and not told.where:
            records.check(numbers, table, named[0])
        found = column_rows(table, told, lambda i: f"{start}{numbers[i]}", source=str(path))
        first = bool(numbers) and not any(map(str.strip, source.lines[: numbers[0] - 1]))
        return replace(
            found,
            hint=records.hint,
            header=(records.header or None) if first and "score" not in table else None,
            notes=() if records.meaning is OF_LINES else found.notes,
        )

    return read


# ---------------------------------------------------------------- the labels of an instance a line


def _lists_of(labels: Callable[[str], list[str]]) -> Callable[[Iterable[Row]], Table]:
    """Return what makes a column of lines that hold the labels of an instance each."""

    def columns_of(rows: Iterable[Row]) -> Table:
        numbers, table = fields_as_columns(["line"])(rows)
        lines = coded(table["line"])
        return numbers, {"labels": lines.spread(map(labels, lines.values))}

    return columns_of


def _line_records(source: Source, lines: Iterable[str]) -> Records:
    """The labels of an instance on a line, separated by blanks or commas.

    Another separator may be set; the usual bar counts as not set.
    """
    sign, usual = source.options["columns"].separator, Columns.separator

    def labels(line: str) -> list[str]:
        if sign == usual:
            return line.replace(",", " ").split()
        return list(map(str.strip, line.split(sign))) if line.strip() else []

    rows = enumerate(lines, start=1)
    return Records(("labels",), rows, _lists_of(labels), OF_LINES, LINES_HINT, LINES_HEADER)


def _feature_records(source: Source, lines: Iterable[str]) -> Records:
    """``label,label feature:value feature:value …``: what stands before the first feature."""

    def labels(line: str) -> list[str]:
        parts = line.replace(",", " ").split()
        return parts[: next((k for k, x in enumerate(parts) if FEATURE.fullmatch(x)), None)]

    rows = islice(enumerate(lines, start=1), int(_counts(source.lines[0])), None)
    return Records(("labels",), rows, _lists_of(labels), OF_LINES)


def _read_scored(source: Source) -> LabelRows:
    """``label:score label:score …``."""

    def rows() -> Iterator[tuple[str, list[tuple[str, str]]]]:
        for number, line in enumerate(source.lines, start=1):
            parts = [x.rpartition(":") for x in line.replace(",", " ").split()]
            for label, _, text in parts:
                if not label:
                    source.trouble(f"{source.path}:{number}: expected label:score, got {text!r}")
            yield f"{source.path}:{number}", [(x, score) for x, _, score in parts if x]

    return scored_rows(source, rows())


def scored_rows(
    source: Source,
    rows: Iterable[tuple[str, Iterable[tuple[str, Any]]]],
    ids: list[Hashable] | None = None,
) -> LabelRows:
    """Return the labels of instances, given their places and pairs of label and score."""
    columns = source.options["columns"]
    places, labels = list[str](), list[list[str]]()
    scores: list[float] = []
    for place, pairs in rows:
        known = [(label, score_of(score, place, label)) for label, score in pairs]
        kept = [(x, s) for x, s in known if columns.min_score is None or s >= columns.min_score]
        places.append(place)
        labels.append([label for label, _ in kept])
        scores += [score for _, score in kept]
    return LabelRows(
        labels, lambda i, k: places[i], ids, scores=np.array(scores) if columns.highest else None,
        unused_scores=columns.min_score is None,
    )  # fmt: skip


# ---------------------------------------------------------------- tables


def _table_records(source: Source, lines: Iterable[str]) -> Records:
    names, told = ("id", "labels"), {"ids": "id", "labels": ("labels",)}
    rows = _table_rows(source, lines)
    return Records(names, rows, fields_as_columns(names), told, header=TABLE_HEADER)


def _table_rows(source: Source, lines: Iterable[str]) -> Iterator[Row]:
    for number, line in _body(lines):
        name, tab, labels = line.partition("\t")
        if labels.count("\t") == 1 and "\t" not in labels.rstrip():
            labels = labels.rstrip()
        if not tab or "\t" in labels:
            remedy = "a tab stands even before no labels"
            if tab:
                remedy = "separate labels by bars, or give named columns a header"
            source.trouble(
                f"{source.path}:{number}: expected id TAB label|label, "
                f"got {counted(line.count(chr(9)) + 1, 'field')}; {remedy}"
            )
        elif not name.strip():
            source.trouble(f"{source.path}:{number}: the instance id is missing")
        else:
            yield number, name, labels


def _read_table(source: Source) -> LabelRows:
    """As it stands, or with one label a line where ids come again."""
    found = collected(_table_records)(source)
    if found.ids and not all_distinct(found.ids) and looks_long(found.ids, found.coded):
        found = collected(_long_records)(source)
        return replace(found, notes=(*found.notes, f"{source.path}: {LONG_NOTE}"))
    return found


def _long_records(source: Source, lines: Iterable[str]) -> Records:
    """``id TAB label``, or ``id TAB label TAB score``: one label a line, an id comes again."""
    names = ("id", "label", "score")
    scored: set[bool] = set()

    def columns_of(rows: Iterable[Row]) -> Table:
        numbers, table = fields_as_columns(names)(rows)
        # an instance without labels needs no score
        scored.update(map(bool, compress(table["score"], table["label"])))
        if len(scored) == 2:
            source.trouble(f"{source.path}: some lines have a score and some have none")
        return numbers, {name: table[name] for name in names[: 3 if scored == {True} else 2]}

    told = {"ids": "id", "labels": ("label",), "long": True}
    rows = _long_rows(source, lines)
    return Records(names[:2], rows, columns_of, told, header=TABLE_HEADER)


def _long_rows(source: Source, lines: Iterable[str]) -> Iterator[Row]:
    sign = "\t" if "\t" in source.text else None  # None: blanks
    around = CAFA_WORDS if _is_cafa(source.lines) else ()
    for number, line in _body(lines):
        if around and line.split(None, 1)[0] in around:
            continue
        fields = [field.strip() for field in line.split(sign)]
        if len(fields) > 3:
            source.trouble(
                f"{source.path}:{number}: expected id TAB label [TAB score], "
                f"got {counted(len(fields), 'field')}"
            )
        elif not fields[0]:
            source.trouble(f"{source.path}:{number}: the instance id is missing")
        else:
            yield number, *fields, *[""] * (3 - len(fields))


# ---------------------------------------------------------------- knowing them by their content


def refuse_foreign(source: Source) -> None:
    """Refuse forms of other programs that would be misread, with what to write."""
    first = next((line for line in source.lines if line.strip() and line[0] != "%"), "").lower()
    if first.startswith(("!gaf-version", "!gpa-version")):
        raise BadInput(
            f"{source.path}: this is a file of GO annotations (GAF); write id TAB term of the "
            "evidence that counts, without NOT, such as: "
            "awk -F'\\t' '!/^!/ && $4 !~ /NOT/ {print $2\"\\t\"$5}' (long, one term a line)"
        )
    if first.startswith("@relation"):
        raise BadInput(
            f"{source.path}: this is an ARFF file; write the values of its class attribute as "
            "id TAB labels (of Clus and MULAN: --separator @ --paths / for a/b@a/c)"
        )


def _are_lines(source: Source) -> bool:
    if "\t" in source.text and source.text.strip():
        return False
    lines = _filled(source)
    return not lines or not (_is_cafa(lines[:1]) or _are_triples(lines))


def _filled(source: Source) -> list[str]:
    return [line for line in source.lines if line.strip()]


def _are_features(source: Source) -> bool:
    """Whether lines hold features after the labels, and some line has labels."""
    if "\t" in source.text or ":" not in source.text:
        return False
    lines = _filled(source)
    lines = lines[_counts(lines[0]) :]
    if not lines or not all(map(_has_features, lines)):
        return False
    return not all(FEATURE.fullmatch(line.split(None, 1)[0]) for line in lines)


def _has_features(line: str) -> bool:
    parts = line.replace(",", " ").split()
    first = next((k for k, x in enumerate(parts) if FEATURE.fullmatch(x)), len(parts))
    return first < len(parts) and all(FEATURE.fullmatch(x) for x in parts[first:])


def _counts(line: str) -> bool:
    """Whether a first line holds the numbers of instances, features and labels."""
    parts = line.split()
    return len(parts) == 3 and all(map(str.isdecimal, parts))


def _are_scored(source: Source) -> bool:
    """Whether lines hold ``label:score`` and nothing else."""
    if "\t" in source.text or ":" not in source.text:
        return False
    parts = (x for line in source.lines for x in line.replace(",", " ").split())
    return all(map(LABEL_SCORE.fullmatch, parts))


def _is_cafa(lines: Sequence[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return first.split(None, 1)[:1] in (["AUTHOR"], ["MODEL"])


def _are_long(source: Source) -> bool:
    lines = _filled(source)
    if not lines:
        return False
    if _is_cafa(lines):
        return True
    if "\t" not in source.text:
        return _are_triples(lines)
    header = [field.strip().lower() for field in lines[0].split("\t")]
    titled = has_id_header(lines[0])
    single = header[0] in IDS and header[1:2] == ["label"]
    return source.options["columns"].long or single or _have_scores(lines[titled:])


def _are_triples(lines: Sequence[str]) -> bool:
    """Whether lines hold id, label and a score between 0 and 1, with blanks between them."""
    parts = (line.split() for line in lines)
    return all(len(p) == 3 and SCORE.fullmatch(p[2]) for p in parts) and any(
        "." in line.split()[2] for line in lines
    )


def _have_scores(lines: Sequence[str]) -> bool:
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


# ---------------------------------------------------------------- writing


def _write_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return "\n".join(" ".join(row) for row in label_names(sets, hierarchy, " ,\t\n\r"))


def _write_table(sets: LabelSets, hierarchy: Hierarchy) -> str:
    names = label_names(sets, hierarchy, "|\t\n\r")
    rows = zip(written_ids(sets, "\t\n\r"), names, strict=True)
    return "\n".join(["id\tlabels", *(f"{name}\t{'|'.join(row)}" for name, row in rows)])


def _write_long(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = zip(written_ids(sets, "\t\n\r"), label_names(sets, hierarchy, "\t\n\r"), strict=True)
    lines = [f"{name}\t{label}" for name, row in rows for label in (row or [""])]
    return "\n".join(["id\tlabel", *lines])


def _lost_ids(sets: LabelSets) -> list[str]:
    return [] if sets.ids is None else ["the instance ids are lost; lines go by position"]


def _new_ids(sets: LabelSets) -> list[str]:
    new = "the instances had no ids and got their positions from 0"
    return [new] if sets.ids is None else []


LINES = Format(
    "lines",
    "the labels of one instance on a line, separated by blanks or commas; an empty line is "
    "an empty set (LSHTC, HEMKit)",
    collected(_line_records),
    _write_lines,
    _are_lines,
    options=("separator",),
    notes=_lost_ids,
    records=_line_records,
)
FEATURES = Format(
    "features",
    "label,label feature:value …; what is learned from is passed over (LSHTC, extreme "
    "classification)",
    collected(_feature_records),
    detect=_are_features,
    records=_feature_records,
)
SCORED = Format(
    "scores",
    "label:score label:score …, the instances by position",
    _read_scored,
    detect=_are_scored,
    options=("long", "min_score"),
)
TABLE = Format(
    "table",
    "id TAB label|label; a first line that starts with id, or of two known words such as image "
    "TAB category, is a header",
    _read_table,
    _write_table,
    lambda source: True,
    options=("separator",),
    notes=_new_ids,
    records=_table_records,
)
LONG = Format(
    "long",
    "id TAB label [TAB score]; one label a line, an id comes again, id TAB nothing is an empty set "
    "(CAFA)",
    collected(_long_records),
    _write_long,
    _are_long,
    options=("separator", "long", "min_score"),
    notes=_new_ids,
    records=_long_records,
)
