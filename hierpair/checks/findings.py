"""Faults and doubts in files, found before anything is scored, and notes that describe them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.hierarchy.building import FAULTS
from hierpair.hierarchy.edge_list import cycles_broken
from hierpair.io import BREAKING_RULES, parse_hierarchy, parse_labels
from hierpair.io.datasets import DataSet, check_ids, ids_of, joined, open_dataset
from hierpair.io.datasets.paths import is_dataset, is_large
from hierpair.io.datasets.tables import label_rows
from hierpair.labels import Columns, Fault, LabelRows, LabelSets
from hierpair.labels.columns import ID_NAMES
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

    def __repr__(self) -> str:
        levels: tuple[Level, ...] = ("error", "warning", "note")
        return f"Report({', '.join(counted(self.count(level), level) for level in levels)})"

    def content(self, digits: int | None = None) -> Content:
        """Return the findings as a table; there are no numbers to round."""
        rows = [[f.level, f.rule, f.place, f.message] for f in self.findings]
        return listing(["level", "rule", "place", "message"], rows)

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
        levels: tuple[Level, ...] = ("error", "warning")
        verdicts = []
        for file in dict.fromkeys(f.file for f in self.findings):
            numbers = ((self.count(level, file), level) for level in levels)
            said = ", ".join(counted(n, level, ",") for n, level in numbers if n)
            verdicts.append((file, said or "sound"))
        return verdicts

    def add(self, file: str, level: Level, rule: str, found: Iterable[Any], n: int = 0) -> None:
        """Add the first messages of one rule, and how many more there are, of ``n``.

        A message comes alone, or after its place; else the place is the file, whose name is left
        out.
        """
        told = [one if isinstance(one, tuple) else (file, one) for one in found]
        for place, message in told[:MOST_SHOWN]:
            said = message.removeprefix(f"{file}: ")
            self.findings.append(Finding(level, rule, place, said, 1, file))
        rest = max(n, len(told)) - MOST_SHOWN
        if rest > 0:
            more = f"and {rest} more of these"
            self.findings.append(Finding(level, rule, file, more, rest, file))


LEVELS = {
    "path": "error", "truth value": "error", "blank label": "error", "header": "error",
    "repeated label": "warning", "unknown label": "error", "duplicate id": "error",
}  # fmt: skip
"""What is told of instances, in this order."""


def lint_labels(
    path: str | Path, hierarchy: Hierarchy, about: Tell, *, in_parts: bool, **options: Any
) -> LabelSets | DataSet | None:
    """Add what is wrong with labels, and how many there are; return those that can be used.

    A data set is read ``in_parts``, in bounded memory; options are those of
    :func:`hierpair.io.parse_labels`.
    """
    found = LabelFindings(hierarchy)
    try:
        usable = (_look_in_parts if in_parts else _look_at)(path, found, about, **options)
    except BadInput as error:
        about("error", "format", [str(error)])
        return None
    found.tell(about)
    return usable


def _look_at(path: str | Path, found: LabelFindings, about: Tell, **options: Any) -> LabelSets:
    troubles: list[str] = []
    rows = parse_labels(path, trouble=troubles.append, **options)
    about("error", "format", troubles)
    about("warning", "ids", rows.notes)
    sets, ids = found.look_through(rows), rows.ids
    if ids is None:
        return sets
    first: dict[Hashable, int] = {}
    again = [i for i, name in enumerate(ids) if first.setdefault(name, i) != i]
    found.note("duplicate id", again, lambda i: (
        rows.where(i, 0),
        f"instance {shown(ids[i])} already occurs at {rows.where(first[ids[i]], 0)}",
    ))  # fmt: skip
    return replace(sets.take(np.array([*first.values()], dtype=int)), ids=tuple(first))


def _look_in_parts(
    path: str | Path, found: LabelFindings, about: Tell, *, fmt: str = "auto",
    columns: Columns | None = None, column_names: str | None = None,
) -> DataSet:  # fmt: skip
    if column_names is not None:
        raise BadInput("names of columns are for matrices (npz), which are read whole")
    data = open_dataset(path, fmt, columns=columns)
    if data.columns.ids is None:
        names = " or ".join(ID_NAMES)
        about("warning", "ids", [f"no column {names}; instances are taken by position"])
    with joined(data, {}) if data.columns.long else nullcontext() as together:
        meaning = replace(data.columns, where=()) if together is None else together.truth
        for rows in (data if together is None else together.data).rows():
            ids = ids_of(rows)
            named = None if ids is None else ids.to_pylist()
            found.look_through(replace(label_rows(rows, meaning, ids), ids=named))
    try:
        check_ids(data)
    except BadInput as error:
        about("error", "duplicate id", [str(error)])
    return data


class LabelFindings:
    """What was found in labels so far: of each rule the first few, and how many."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.first: defaultdict[str, list[Any]] = defaultdict(list)
        self.n: Counter[str] = Counter()
        self.unknown: Counter[Any] = Counter()
        self.lengths: list[int] = []
        self.classes: set[int] = set()

    def note(self, rule: str, found: Sequence[Any], say: Callable[[Any], Any]) -> None:
        """Count what was found; the first few are spelled out."""
        self.n[rule] += len(found)
        first = self.first[rule]
        first += map(say, found[: MOST_SHOWN - len(first)])

    def look_through(self, rows: LabelRows) -> LabelSets:
        """Note what is wrong with some rows; return the labels that can be used, without ids."""
        ids, n_before = rows.ids, len(self.lengths)

        def who(i: int) -> Hashable:
            return n_before + i if ids is None else ids[i]

        def fault(found: Fault) -> None:
            entries = found.entries.tolist()
            if found.rule == "unknown label":  # counts once, however often it comes
                known = found.label in self.unknown
                self.unknown[found.label] += len(entries)
                entries = entries[: not known]
            self.note(found.rule, entries, lambda x: (rows.place(x), named(x) + found.message(x)))

        def named(entry: int) -> str:
            i, _ = rows.coded.row_of(entry)
            return "" if ids is None else f"instance {shown(who(i))}: "

        alone = replace(rows, ids=None)
        sets = LabelSets.from_rows(alone, self.hierarchy, unknown="drop", faults=fault)
        above = row_numbers(sets.indptr)[~are_lowest(self.hierarchy, sets)]
        self.note("nested labels", np.unique(above).tolist(), who)
        self.classes.update(np.unique(sets.indices).tolist())
        self.lengths += sets.lengths.tolist()
        return sets

    def tell(self, about: Tell) -> None:
        """Put everything into a report, and how many instances and labels there are."""
        for rule, level in LEVELS.items():
            told = self.first[rule]
            if rule == "unknown label":
                times = self.unknown.values()
                told = [(at, text + f" ({n} times in all)" * (n > 1))
                        for (at, text), n in zip(told, times, strict=False)]  # fmt: skip
            about(level, rule, told, self.n[rule])
        for name in self.first["nested labels"][:1]:
            n = instances_have(self.n["nested labels"])
            about("warning", "nested labels", [
                f"{n} a label that is an ancestor of another one, such as instance {name!r}; "
                "pair-based and flat measures count both"
            ])  # fmt: skip
        n, n_empty = len(self.lengths), self.lengths.count(0)
        if not n:
            about("error", "instances", ["the file has no instances"])
            return
        about("note", "labels", [
            f"{counted(n, 'instance', ',')} with {sum(self.lengths) / n:.2f} labels in the mean, "
            f"at most {max(self.lengths):,}" + f", {n_empty:,} without any" * bool(n_empty)
            + f"; {counted(len(self.classes), 'different class', ',')}"
        ])  # fmt: skip


def compare_sides(truth: Any, side: Any, name: str, about: Tell) -> None:
    """Add what scoring would say of instances that only one of truth and predictions has."""
    try:
        if isinstance(truth, DataSet):
            with joined(truth, {name: side}):
                pass
        else:
            match_instances(truth, side, system=name)
    except BadInput as error:
        about("error", "instances", [str(error)])


Options = Mapping[str, Any]


def lint(
    hierarchy: str | Path, truth: str | Path | None = None,
    systems: Mapping[str, str | Path] | None = None, *, break_cycles: str | None = None,
    hierarchy_options: Options | None = None, label_options: Options | None = None,
    truth_options: Options | None = None, system_options: Mapping[str, Options] | None = None,
) -> Report:  # fmt: skip
    """Check files and describe them.

    Parameters
    ----------
    hierarchy, truth, systems
        The files; the latter two may be left out. Folders and patterns, and truth and systems that
        are columns of the same large file, are read part by part, in bounded memory.
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
        Errors are what scoring would refuse.
    """
    report = Report()
    about = partial(report.add, str(hierarchy))
    graph = lint_hierarchy(hierarchy, about, break_cycles, **(hierarchy_options or {}))
    if graph is None:
        return report
    files = {name: str(x) for name, x in {"y_true": truth, **(systems or {})}.items() if x}
    own = {**(system_options or {}), "y_true": truth_options}
    known = set(files.values())
    in_parts = any(map(is_dataset, known)) or (len(known) == 1 and any(map(is_large, known)))
    sides: dict[str, Any] = {}
    for name, path in files.items():
        about, options = partial(report.add, path), own.get(name)
        options = (label_options or {}) if options is None else options
        sides[name] = lint_labels(path, graph, about, in_parts=in_parts, **options)
        both = sides.get("y_true"), sides[name]
        if name != "y_true" and None not in both and not (in_parts and path == str(truth)):
            compare_sides(*both, name, about)
    return report


def lint_hierarchy(
    path: str | Path, about: Tell, break_cycles: str | None = None, roots: str | None = None,
    **options: Any,
) -> Hierarchy | None:  # fmt: skip
    """Add what is wrong with a hierarchy file, and what it is like; return it if it can be built.

    What can be mended is mended to go on: a duplicate edge is taken once, a faulty one left out.
    """
    troubles, broken, faults = list[str](), list[str](), list[Any]()
    refusal, hierarchy, rule = list[str](), None, "format"
    try:
        edges = parse_hierarchy(path, trouble=troubles.append, **options)
        about("error", "format", troubles)
        about("warning", "left out", edges.notes)
        told, rule = cycles_broken(break_cycles, broken.append, faults.append), "hierarchy"
        hierarchy = edges.build("any", trouble=told)
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
