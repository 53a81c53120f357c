"""Faults and doubts in files, found before anything is scored, and notes that describe them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from hierpair.errors import (
    MOST_COMPARED,
    BadInput,
    close_names,
    counted,
    instances_have,
    shown,
)
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import FAULTS
from hierpair.hierarchy.edge_list import cycles_broken
from hierpair.io import BREAKING_RULES, parse_hierarchy, parse_labels
from hierpair.io.datasets.tables import found_files, is_dataset
from hierpair.io.files import FilePath
from hierpair.io.hierarchies.registry import with_other_names
from hierpair.labels import LabelFault, LabelRows, LabelSets
from hierpair.labels.sets import are_lowest, match_instances
from hierpair.tables import Content, Shown, listing

Level = Literal["error", "warning", "note"]

Tell = Callable[..., None]
""":meth:`Report.add` for one file."""

MOST_SHOWN = 10
"""Findings of one rule that are spelled out for one file; the rest are counted."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    Attributes
    ----------
    level
        ``"error"``: scoring would refuse it; ``"warning"``: it can be scored, but may not be
        meant; ``"note"``: what describes the data.
    rule
        What was looked for.
    place
        File and line.
    message
        What was found, and what to do.
    times
        How many findings this stands for.
    file
        The file that it is about.
    """

    level: Level
    rule: str
    place: str
    message: str
    times: int = 1
    file: str = ""


@dataclass(frozen=True)
class UnknownLabel:
    """A label that is no class.

    Attributes
    ----------
    file
        The file that it is in.
    name
        The label as it was written.
    times
        How often.
    place
        Where first.
    nearest
        The nearest names of classes, or, of a name that several classes have, these classes.
    """

    file: str
    name: str
    times: int
    place: str
    nearest: tuple[str, ...]


@dataclass(frozen=True)
class Names(Shown):
    """All labels that are no classes; it shows itself as a table, with the nearest names.

    Examples
    --------
    >>> names = Names([UnknownLabel("run.tsv", "C. corax", 2, "run.tsv:3", ("Corvus corax",))])
    >>> print(names.to_table("csv"), end="")
    file,name,times,place,nearest
    run.tsv,C. corax,2,run.tsv:3,Corvus corax
    """

    labels: Sequence[UnknownLabel]

    def content(self, digits: int | None = None) -> Content:
        """Return the labels as a table; there are no numbers to round."""
        rows = [[x.file, x.name, str(x.times), x.place, "; ".join(x.nearest)] for x in self.labels]
        return listing(["file", "name", "times", "place", "nearest"], rows)


@dataclass(repr=False)
class Report(Shown):
    """All findings, in the order in which they were made; it shows itself as a table.

    Examples
    --------
    >>> report = Report([Finding("error", "cycle", "tree.tsv:3", "a cycle: a → b → a")])
    >>> report
    Report(1 error, 0 warnings, 0 notes)
    >>> print(report.to_table("csv"), end="")
    level,rule,place,message
    error,cycle,tree.tsv:3,a cycle: a → b → a
    """

    findings: list[Finding] = field(default_factory=list)
    unmatched: list[UnknownLabel] = field(default_factory=list)

    def __repr__(self) -> str:
        levels = get_args(Level)
        return f"Report({', '.join(counted(self.count(level), level) for level in levels)})"

    def content(self, digits: int | None = None) -> Content:
        """Return the findings as a table; there are no numbers to round."""
        rows = [[f.level, f.rule, f.place, f.message] for f in self.findings]
        return listing(["level", "rule", "place", "message"], rows)

    def names(self) -> Names:
        """Return all labels that are no classes, of which the findings tell the first ones."""
        return Names(self.unmatched)

    def count(self, level: Level, file: str | None = None) -> int:
        """Return the number of findings of a level, of all files or of one."""
        about = (f for f in self.findings if f.level == level and file in (None, f.file))
        return sum(f.times for f in about)

    def verdicts(self) -> list[tuple[str, str]]:
        """Return every file with what is to be said of it in a word.

        >>> report = Report()
        >>> report.add("tree.tsv", "error", "cycle", [("tree.tsv:3", "a cycle: a → b → a")])
        >>> report.add("truth.tsv", "note", "labels", ["2 instances"])
        >>> report.verdicts()
        [('tree.tsv', '1 error'), ('truth.tsv', 'sound')]
        """

        def said(file: str) -> str:
            numbers = ((self.count(level, file), level) for level in get_args(Level)[:2])
            return ", ".join(counted(n, level, ",") for n, level in numbers if n) or "sound"

        return [(file, said(file)) for file in dict.fromkeys(f.file for f in self.findings)]

    def add(self, file: str, level: Level, rule: str, found: Iterable[Any], n: int = 0) -> None:
        """Add the first messages of one rule, and how many more there are, of ``n``.

        A message comes alone, or after its place; else the place is the file, or the line of it,
        with which the message begins, and which is left out there.
        """
        told = [one if isinstance(one, tuple) else (file, one) for one in found]
        for at, message in told[:MOST_SHOWN]:
            begin = re.match(rf"({re.escape(file)}(?::\d+)?): ", message)
            place, said = (begin[1], message[begin.end() :]) if begin else (at, message)
            self.findings.append(Finding(level, rule, place, said, 1, file))
        rest = max(n, len(told)) - MOST_SHOWN
        if rest > 0:
            more = f"and {rest} more of these"
            self.findings.append(Finding(level, rule, file, more, rest, file))


LABEL_FAULTS = ("path", "truth value", "blank label", "header", "unknown label")
"""What is told of labels, in this order."""


MOST_TRIED = 500_000
"""Names among which the nearest are looked for, of all labels together."""


def _unmatched(
    path: FilePath, rows: LabelRows, faults: Sequence[LabelFault], hierarchy: Hierarchy
) -> Iterator[UnknownLabel]:
    """Yield labels that are no classes; of many names those that begin alike are compared."""
    faults = [fault for fault in faults if fault.rule == "unknown label"]
    few = min(MOST_COMPARED, max(100, MOST_TRIED // max(1, len(faults))))
    known = sorted({*map(str, hierarchy.names), *map(str, hierarchy.called)}, key=str.casefold)
    for fault in faults:
        near, name = known, str(fault.label)
        if len(known) > few:
            at = bisect_left(known, name.casefold(), key=str.casefold)
            near = known[max(0, at - few // 2) :][:few]
        several = [str(c) for c in hierarchy.classes_called(fault.label)]
        place, n = rows.place(int(fault.entries[0])), len(fault.entries)
        yield UnknownLabel(str(path), name, n, place, tuple(several or close_names(name, near)))


def lint_labels(
    path: FilePath, hierarchy: Hierarchy, about: Tell, unmatched: list[UnknownLabel], **options: Any
) -> LabelSets | None:
    """Add what is wrong with labels, and how many there are; return those that can be used."""
    troubles, faults = list[str](), list[LabelFault]()
    try:
        rows = parse_labels(path, trouble=troubles.append, **options)
        sets = LabelSets.from_rows(rows, hierarchy, unknown="drop", faults=faults.append)
    except BadInput as error:
        about("error", "format", [*troubles, str(error)])
        return None
    unmatched += _unmatched(path, rows, faults, hierarchy)
    about("error", "format", troubles)
    about("warning", "ids", rows.notes)
    for rule in LABEL_FAULTS:
        about("error", rule, *_told(rows, [fault for fault in faults if fault.rule == rule]))
    about("error", "duplicate id", rows.repeated())
    above = np.unique(sets.row[~are_lowest(hierarchy, sets)]).tolist()
    about("warning", "nested labels", [
        f"{instances_have(len(above))} a label that is an ancestor of another one, such as "
        f"instance {sets.name(i)!r}; pair-based and flat measures count both"
        for i in above[:1]
    ])  # fmt: skip
    n, lengths = len(sets), sets.lengths
    n_empty, n_classes = np.count_nonzero(lengths == 0), len(np.unique(sets.indices))
    if not n:
        about("error", "instances", ["the file has no instances"])
        return None
    about("note", "labels", [
        f"{counted(n, 'instance', ',')} with {lengths.mean():.2f} labels on average, at most "
        f"{lengths.max():,}" + f", {n_empty:,} without any" * bool(n_empty)
        + f"; {counted(n_classes, 'different class', ',')}"
    ])  # fmt: skip
    return sets


def _told(rows: LabelRows, faults: Sequence[LabelFault]) -> tuple[list[tuple[str, str]], int]:
    """Return the first faults of one rule, and how many: a label that is no class counts once."""
    told, n = list[Any](), 0
    for fault in faults:
        entries, more = fault.entries.tolist(), ""
        if fault.rule == "unknown label":
            more = f" ({len(entries)} times in all)" * (len(entries) > 1)
            entries = entries[:1]
        n += len(entries)
        for entry in entries[: MOST_SHOWN - len(told)]:
            i, _ = rows.coded.row_of(entry)
            who = f"instance {shown(rows.ids[i])}: " if rows.ids else ""
            told.append((rows.place(entry), f"{who}{fault.message()}{more}"))
    return told, n


Options = Mapping[str, Any]


def lint(
    hierarchy: FilePath, truth: FilePath | None = None,
    systems: Mapping[str, FilePath] | None = None, *, break_cycles: str | None = None,
    hierarchy_options: Options | None = None, label_options: Options | None = None,
    truth_options: Options | None = None, system_options: Mapping[str, Options] | None = None,
) -> Report:  # fmt: skip
    """Check files and describe them.

    Parameters
    ----------
    hierarchy, truth, systems
        The files; the latter two may be left out. Of folders and patterns every file is checked
        for itself.
    break_cycles
        The rule that a run would break cycles by; cycles are then warnings.
    hierarchy_options, label_options
        Keywords of :func:`hierpair.io.parse_hierarchy` (and ``roots``), and of
        :func:`hierpair.io.parse_labels`.
    truth_options
        Those for the truth, if they are not ``label_options``.
    system_options
        The same for systems, by name.

    Returns
    -------
    Report
        Errors are what scoring would refuse. Its ``names()`` are all labels that are no classes,
        with the nearest names.
    """
    report = Report()
    about = partial(report.add, str(hierarchy))
    graph = lint_hierarchy(hierarchy, about, break_cycles, **(hierarchy_options or {}))
    if graph is None:
        return report
    own = {**(system_options or {}), "y_true": truth_options}
    true = None
    for name, given in {"y_true": truth, **(systems or {})}.items():
        mine, paths = own.get(name), [] if given is None else [str(given)]
        options: Any = (label_options or {}) if mine is None else mine
        several, before = is_dataset(str(given)), dict[Any, str]()
        for path in found_files(given)[1] if several else paths:
            about = partial(report.add, path)
            side = lint_labels(path, graph, about, report.unmatched, **options)
            if several:  # instances of both sides are compared when they are scored
                is_long = getattr(options.get("columns"), "long", False)
                ids = () if side is None or is_long else side.ids or ()
                again = [x for x in ids if before.setdefault(x, path) != path]
                said = "instance {} already occurs in {}"
                about("error", "duplicate id", [said.format(shown(x), before[x]) for x in again])
                continue
            if name == "y_true":
                true = side
            elif true is not None and side is not None:
                try:
                    match_instances(true, side, system=name)
                except BadInput as error:
                    about("error", "instances", [str(error)])
    return report


def lint_hierarchy(
    path: FilePath, about: Tell, break_cycles: str | None = None, roots: str | None = None,
    **options: Any,
) -> Hierarchy | None:  # fmt: skip
    """Add what is wrong with a hierarchy, and what it is like; return it with faults left out."""
    troubles, broken, faults = list[str](), list[str](), list[Any]()
    refusal, hierarchy, rule = [], None, "format"
    try:
        edges = parse_hierarchy(path, trouble=troubles.append, **options)
        about("error", "format", troubles)
        about("warning", "left out", edges.notes)
        told, rule = cycles_broken(break_cycles, broken.append, faults.append), "hierarchy"
        hierarchy = edges.build("any", trouble=told)
        hierarchy = with_other_names(hierarchy, edges, options.get("names"))
        if not faults and not troubles:
            rule, tell = "misread", lambda doubt: about("warning", "several roots", [doubt])
            edges.check_roots(hierarchy, roots, tell)
    except BadInput as error:
        refusal.append(str(error))
    about("warning", "cycle", broken)
    hint = {"cycle": f" (--break-cycles {BREAKING_RULES[0]})"}
    for kind in FAULTS:
        said = ((f.place, f.message + hint.get(kind, "")) for f in faults if f.rule == kind)
        about("error", kind, said)
    about("error", rule, refusal)
    about("note", "shape", [] if hierarchy is None else [hierarchy.describe()])
    return hierarchy
