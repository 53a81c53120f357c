"""Label sets as lines without named columns: lines of labels, tables, one label a line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hierpair.errors import BadInput, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.io.formats import Format, Source
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import Columns, LabelRows, LabelSets, column_rows
from hierpair.labels.coded import all_distinct, coded
from hierpair.labels.tables import LONG_NOTE, labels_in, looks_long, score_of

__all__ = ["FEATURES", "LINES", "LONG", "SCORED", "TABLE", "has_id_header", "refuse_foreign"]

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


def _body(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the lines from 1, less a header, blank ones and those around a CAFA submission."""
    cafa = CAFA_WORDS if _is_cafa(source.lines) else ()
    first = True
    for number, line in enumerate(source.lines, start=1):
        if not line or line.isspace() or (cafa and line.split(None, 1)[0] in cafa):
            continue
        if not first or not has_id_header(line):
            yield number, line
        first = False


def _header_of(source: Source) -> str | None:
    """Return what to do if the first line is a header; None where one was passed over."""
    first = next((line for line in source.lines if line.strip()), "")
    return None if has_id_header(first) or _is_cafa(source.lines) else TABLE_HEADER


# ---------------------------------------------------------------- the labels of an instance a line


def _read_lines(source: Source) -> LabelRows:
    """The labels of an instance on a line, separated by blanks or commas.

    Another separator may be set; the usual bar counts as not set.
    """
    path, sign = source.path, source.options["columns"].separator
    lines = coded(source.lines)
    if sign == Columns().separator:
        found = [line.replace(",", " ").split() for line in lines.values]
    else:
        parts = [line.split(sign) if line.strip() else [] for line in lines.values]
        found = [list(map(str.strip, some)) for some in parts]
    where = lambda i, k: f"{path}:{i + 1}"  # noqa: E731
    return LabelRows(lines.spread(found), where, hint=LINES_HINT, header=LINES_HEADER)


def _read_features(source: Source) -> LabelRows:
    """``label,label feature:value feature:value …``: what stands before the first feature."""
    start = int(_counts(source.lines[0]))

    def labels(line: str) -> list[str]:
        parts = line.replace(",", " ").split()
        return parts[: next((k for k, x in enumerate(parts) if FEATURE.fullmatch(x)), None)]

    path = source.path
    rows = list(map(labels, source.lines[start:]))
    return LabelRows(rows, lambda i, k: f"{path}:{i + 1 + start}")


def _read_scored(source: Source) -> LabelRows:
    """``label:score label:score …``."""
    path, options = source.path, source.options
    least = options["columns"].min_score
    rows: list[list[str]] = []
    scores: list[float] = []
    for number, line in enumerate(source.lines, start=1):
        pairs = [x.rpartition(":") for x in line.replace(",", " ").split()]
        kept = []
        for label, _, text in pairs:
            if not label:
                source.trouble(f"{path}:{number}: expected label:score, got {text!r}")
                continue
            score = score_of(text, f"{path}:{number}", label)
            if least is None or score >= least:
                kept.append(label)
                scores.append(score)
        rows.append(kept)
    return LabelRows(
        rows,
        lambda i, k: f"{path}:{i + 1}",
        scores=np.array(scores) if options.get("scored") or options["columns"].highest else None,
        unused_scores=least is None,
    )


# ---------------------------------------------------------------- tables


def _read_table(source: Source) -> LabelRows:
    path, separator = source.path, source.options["columns"].separator
    numbers, ids, texts = [], [], []
    for number, line in _body(source):
        name, tab, labels = line.partition("\t")
        if labels.count("\t") == 1 and "\t" not in labels.rstrip():
            labels = labels.rstrip()
        if not tab or "\t" in labels:
            remedy = "a tab stands even before no labels"
            if tab:
                remedy = "separate labels by bars, or give named columns a header"
            source.trouble(
                f"{path}:{number}: expected id TAB label|label, "
                f"got {counted(line.count(chr(9)) + 1, 'field')}; {remedy}"
            )
        elif not name.strip():
            source.trouble(f"{path}:{number}: the instance id is missing")
        else:
            numbers.append(number)
            ids.append(name.strip())
            texts.append(labels)
    rows, bare = labels_in(texts, separator, lambda i: f"{path}:{numbers[i]}", as_text=True)
    if not all_distinct(ids) and looks_long(list(ids), rows):
        as_long = _read_long(source)
        return replace(as_long, notes=(*as_long.notes, f"{path}: {LONG_NOTE}"))
    where = lambda i, k: f"{path}:{numbers[i]}"  # noqa: E731
    return LabelRows(rows, where, list(ids), bare=bare, header=_header_of(source))


def _read_long(source: Source) -> LabelRows:
    """``id TAB label``, or ``id TAB label TAB score``: one label a line, an id comes again."""
    path = source.path
    rows: list[list[str]] = []
    numbers: list[int] = []
    sign = "\t" if "\t" in source.text else None  # None: blanks
    for number, line in _body(source):
        fields = [field.strip() for field in line.split(sign)]
        if len(fields) > 3:
            source.trouble(
                f"{path}:{number}: expected id TAB label [TAB score], "
                f"got {counted(len(fields), 'field')}"
            )
        elif not fields[0]:
            source.trouble(f"{path}:{number}: the instance id is missing")
        else:
            rows.append(fields)
            numbers.append(number)
    # an instance without labels needs no score
    scored = {len(fields) == 3 for fields in rows if len(fields) > 1 and fields[1]}
    if len(scored) == 2:
        source.trouble(f"{path}: some lines have a score and some have none")
    names = ["id", "label", "score"][: 3 if scored == {True} else 2]
    table = {
        name: [fields[k] if k < len(fields) else "" for fields in rows]
        for k, name in enumerate(names)
    }
    columns = replace(
        source.options["columns"],
        ids="id", labels=("label",), long=True, score="score" if "score" in table else None,
    )  # fmt: skip
    found = column_rows(table, columns, lambda i: f"{path}:{numbers[i]}", source=str(path))
    return replace(found, header=None if "score" in table else _header_of(source))


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
    _read_lines,
    _write_lines,
    _are_lines,
    options=("separator",),
    notes=_lost_ids,
)
FEATURES = Format(
    "features",
    "label,label feature:value …; what is learned from is passed over (LSHTC, extreme "
    "classification)",
    _read_features,
    detect=_are_features,
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
)
LONG = Format(
    "long",
    "id TAB label [TAB score]; one label a line, an id comes again, id TAB nothing is an empty set "
    "(CAFA)",
    _read_long,
    _write_long,
    _are_long,
    options=("separator", "long", "min_score"),
    notes=_new_ids,
)
