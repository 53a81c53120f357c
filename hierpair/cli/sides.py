"""Truth and systems on the command line: their files or columns, and options for some of them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hierpair.cli.options import FACTS, Fact
from hierpair.errors import (
    BadInput,
    check_choice,
    did_you_mean,
    first_repeated,
    listed,
    unknown,
)

TRUTH = "truth"
"""What the truth is called before the colon of an option."""

TRUTH_NAMES = ("truth", "gold", "true", "y_true", "target", "actual", "reference", "ground_truth",
               "gold_label", "gold_labels", "true_label", "true_labels")  # fmt: skip
"""Columns that hold the truth in a table of systems."""

ROWS = ("instance", "label")

ENDINGS = ("txt", "tsv", "tab", "json", "dat", "out", "pred", "gz")
"""Endings that are no part of a name, beside those of forms of labels."""


@dataclass(frozen=True)
class Side:
    """One file, the keywords of ``parse_labels`` that it is read with, and a hint for errors."""

    path: str
    options: Mapping[str, Any]
    hint: str = ""


@dataclass(frozen=True)
class Sides:
    """The truth, if there is one, and the systems by name."""

    truth: Side | None
    systems: Mapping[str, Side]

    @property
    def each(self) -> list[Side]:
        """All of them."""
        return [*([self.truth] if self.truth is not None else []), *self.systems.values()]


LABEL_FORM = """
## reading labels {with files of labels} | NAME: before the value of an option, such as
  truth:csv, is for one file alone: truth, or the name of a system
--label-format FORMAT*   <label formats> (default: by ending and content)
--id-column NAME*        column of instance ids (default: id)
--label-column NAME*     column of labels (default: labels); given again for each level of a path
--each-level             the columns of labels hold a label each, and need not be a path
                         {with --label-column}
--truth-column NAME*     column of the truth in a table that holds the systems too: HIERARCHY TABLE
                         {without --label-column}
--system-columns NAMES*  columns of systems in that table, such as bert,svm (default: all others)
                         {without --label-column}
--separator TEXT*        between the labels of a field (default: |)
--paths TEXT*            labels are paths from the top; the text between their classes, such as /
--where COLUMN=VALUE*    take only rows with this value (repeatable)
--rows instance|label*   what a row of a table is: an instance, or one label of it
--long                   the same as --rows label: ids are repeated
--score-column NAME*     column of scores (default: score)
--min-score X*           leave out predicted labels with a lower score
--columns FILE*          class of every column of an npz matrix, one per line {with npz files}
"""
"""Options that say how files of labels are read."""

POLICIES = """
--unknown {error,drop,root}
                         labels outside the hierarchy [default: error] {with labels}
--missing {error,empty}  instances without a prediction [default: error] {with labels}
"""
"""What is done with labels and instances that do not fit."""


def _has_npz(options: argparse.Namespace) -> bool:
    from hierpair.io import LABEL_FORMATS

    endings = {LABEL_FORMATS.of_ending(given) for given in options.files}
    return "npz" in {*endings, *(text.rpartition(":")[2] for text in options.label_format)}


FACTS["npz files"] = Fact(_has_npz, "a matrix as a file of labels")


def sides_of(options: argparse.Namespace, *, folders: bool = False) -> Sides:
    """Return where truth and systems come from: files, or columns of one table.

    With ``folders`` the labels of a system may be a folder.
    """
    files = options.files[1:]
    if options.truth_column or options.system_columns or _is_table(options):
        return _table_sides(options, files)
    if not files:
        return Sides(None, {})
    systems = systems_of(files[1:], folders=folders)
    known = [TRUTH, *systems]
    truth = Side(files[0], label_options(options, TRUTH, known))
    return Sides(truth, {
        name: Side(path, label_options(options, name, known)) for name, path in systems.items()
    })  # fmt: skip


def systems_of(given_files: Sequence[str], *, folders: bool = False) -> dict[str, str]:
    """Return the file of every system, ``FILE`` or ``NAME=FILE``."""
    systems: dict[str, str] = {}
    for given in given_files:
        name, equals, path = given.partition("=")
        if not equals or os.path.exists(given):  # noqa: PTH110 - any text will do
            name, path = name_of(given) if given != "-" else "stdin", given
        if path and not folders and os.path.isdir(path):  # noqa: PTH112 - any text will do
            raise BadInput(
                f"{path}: this is a folder, not a file (score reads folders, part by part)"
            )
        if not name.strip(".") or not path:
            raise BadInput(f"cannot read the system {given!r}; write NAME=FILE")
        if name in systems:
            raise BadInput(f"two systems are called {name!r}; name them: {name}-2={path}")
        systems[name] = path
    return systems


def name_of(path: str) -> str:
    """Return what a file is called without the endings that say its form.

    >>> name_of("runs/bert-0.1.tsv"), name_of("model_v1.2.csv.gz"), name_of("v1.2")
    ('bert-0.1', 'model_v1.2', 'v1.2')
    """
    from hierpair.io import LABEL_FORMATS

    known = {f".{end}" for end in ENDINGS}.union(*(f.endings for f in LABEL_FORMATS.values()))
    name = Path(path).name
    while Path(name).suffix.lower() in known:
        name = Path(name).stem
    return name


def label_options(
    options: argparse.Namespace, side: str, known: Collection[str] = ()
) -> dict[str, Any]:
    """Return the keywords of ``parse_labels`` for one side; ``known`` are the names of all."""
    from hierpair.io import LABEL_FORMATS
    from hierpair.labels import Columns

    def said(name: str) -> list[str]:
        """Return what an option says of this side alone, or else of all."""
        own, common = [], []
        for text in getattr(options, name):
            before, colon, after = text.partition(":")
            if colon and before in known:
                own += [after] if before == side else []
            else:
                common.append(text)
        return own or common

    def last(name: str, otherwise: Any = None) -> Any:
        return (said(name) or [otherwise])[-1]

    fmt = last("label_format", "auto")
    if ":" in fmt:
        name = fmt.partition(":")[0]
        raise BadInput(
            f"--label-format {fmt}: there is no file called {name!r}{did_you_mean(name, known)}; "
            f"before the colon must be one of {listed(known)}"
        )
    LABEL_FORMATS.check(fmt)
    rows = last("rows", "label" if options.long else "instance")
    check_choice("--rows", rows, ROWS)
    score, least = last("score_column"), last("min_score")
    labels = said("label_column")
    columns = Columns(
        last("id_column"), tuple(labels), last("separator", "|"),
        where=tuple(map(_condition, said("where"))), paths=last("paths"), long=rows == "label",
        each=options.each_level and (len(labels) > 1 or len(options.label_column) < 2),
    )  # fmt: skip
    if side != TRUTH and (score, least) != (None, None):  # a truth has no scores
        columns = replace(columns, long=True, score=score, min_score=_least(least))
    return {"fmt": fmt, "columns": columns, "column_names": last("columns")}


def _condition(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name:
        raise BadInput(f"cannot read --where {given!r}; write COLUMN=VALUE")
    return name, value


def _least(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        raise BadInput(f"--min-score must be a number, got {text!r}") from None


# ------------------------------------------------------------- one table of truth and systems


def _titles(options: argparse.Namespace, path: str) -> tuple[str, list[str]]:
    """Return the format of a table, and the titles of its columns."""
    from hierpair.io import table_titles
    from hierpair.io.datasets.paths import is_dataset

    fmt = label_options(options, TRUTH, [TRUTH])["fmt"]
    if is_dataset(path):
        from hierpair.io.datasets import open_dataset

        return fmt, list(open_dataset(path, fmt).names)
    return table_titles(path, fmt)


def _known_titles(options: argparse.Namespace) -> list[str]:
    """Return the titles of the only file of labels, or none: reading it says what is wrong."""
    from hierpair.io.datasets.paths import is_dataset

    files = options.files[1:]
    if len(files) != 1 or files[0] == "-":
        return []
    try:
        return _titles(options, files[0])[1]
    except BadInput:
        if is_dataset(files[0]):
            raise
        return []


def _is_table(options: argparse.Namespace) -> bool:
    """Whether the only file of labels has a column of the truth, and no column of labels."""
    from hierpair.labels.columns import LABEL_NAMES

    if options.label_column:
        return False
    spelled = [title.strip().lower() for title in _known_titles(options)]
    is_truth = [title in TRUTH_NAMES for title in spelled]
    return is_truth.count(True) == 1 and not {*LABEL_NAMES} & {*spelled}


def columns_hint(options: argparse.Namespace) -> str:
    """Return what to do with a single file of labels that has several columns, or nothing."""
    titles = _known_titles(options)
    if len(titles) < 2:
        return ""
    return (f" [{options.files[1]} has the columns {listed(titles)}: if truth and systems are "
            "among them, say which one is the truth (--truth-column)]")  # fmt: skip


def _table_sides(options: argparse.Namespace, files: Sequence[str]) -> Sides:
    """Return truth and systems that are columns of one table."""
    from hierpair.labels.columns import ID_NAMES

    if len(files) != 1 or files[0] == "-":
        raise BadInput(
            "--truth-column and --system-columns are for one table with truth and systems, which "
            "is no standard input: give HIERARCHY TABLE"
        )
    path = files[0]
    fmt, titles = _titles(options, path)
    found = options.truth_column[-1:] or [t for t in titles if t.strip().lower() in TRUTH_NAMES]
    if len(found) != 1:
        raise BadInput(f"{path}: which column is the truth? There are {listed(titles)}; name "
                       "it (--truth-column)")  # fmt: skip
    truth = found[0]
    columns = label_options(options, TRUTH, [TRUTH, *titles])["columns"]
    apart = {truth, columns.ids, *(name for name, _ in columns.where)}
    if getattr(options, "texts", None) is None:
        apart.add(getattr(options, "text_column", None))
    named = _named_columns(options.system_columns, titles)
    systems = named or [
        t for t in titles
        if t not in apart and (columns.ids is not None or t.strip().lower() not in ID_NAMES)
    ]  # fmt: skip
    for name in (truth, *systems):
        if name not in titles:
            raise unknown("column", name, titles, path)
    if truth in systems:
        raise BadInput(f"the column {truth!r} is the truth, and no system")
    if not systems:
        raise BadInput(f"{path}: beside the truth {truth!r} no column is a system; there are "
                       f"{listed(titles)}")  # fmt: skip

    def side(column: str, name: str) -> Side:
        own = label_options(options, name, [TRUTH, *systems])
        how = {**own, "fmt": fmt, "columns": replace(own["columns"], labels=(column,))}
        guessed = name != TRUTH and not named
        hint = f" [the column {column!r} was taken for a system; --system-columns names them]"
        return Side(path, how, hint if guessed else "")

    return Sides(side(truth, TRUTH), {name: side(name, name) for name in systems})


def _named_columns(given: list[str], titles: list[str]) -> list[str]:
    """Return the columns of one or several lists such as ``bert,svm``; none comes twice."""
    names = [name for text in given for name in ([text] if text in titles else text.split(","))]
    twice = first_repeated(names)
    if twice is not None:
        raise BadInput(f"the column {twice!r} is named twice as a system")
    return [name if name in titles else name.strip() for name in names]
