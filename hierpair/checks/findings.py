"""Faults and doubts in files, found before anything is scored, and notes that describe them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack
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
from hierpair.io.datasets import DataSet, ids_of, joined, open_dataset, repeated_ids
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
    usable: LabelSets | DataSet
    try:
        if in_parts:
            usable = _look_in_parts(path, found, about, **options)
        else:
            troubles: list[str] = []
            rows = parse_labels(path, trouble=troubles.append, **options)
            about("error", "format", troubles)
            about("warning", "ids", rows.notes)
            found.twice = {name for name, n in Counter(rows.ids or ()).items() if n > 1}
            usable = found.look_through(rows)
    except BadInput as error:
        about("error", "format", [str(error)])
        return None
    found.tell(about)
    return usable


def _look_in_parts(
    path: str | Path, found: LabelFindings, about: Tell, *, fmt: str = "auto",
    columns: Columns | None = None, column_names: str | None = None,
) -> DataSet:  # fmt: skip
    if column_names is not None:
        raise BadInput("names of columns are for matrices (npz), which are read whole")
    data = open_dataset(path, fmt, columns=columns or Columns())
    if data.columns.ids is None:
        names = " or ".join(ID_NAMES)
        about("warning", "ids", [f"no column {names}; instances are taken by position"])
    with ExitStack() as stack:
        rows_of, meaning = data, replace(data.columns, where=())
        if meaning.long:
            together = stack.enter_context(joined(data, {}))
            rows_of, meaning = together.data, together.truth
        found.twice = set(() if meaning.long else repeated_ids(rows_of))
        for rows in rows_of.rows():
            ids = ids_of(rows)
            named = None if ids is None else ids.to_pylist()
            found.look_through(replace(label_rows(rows, meaning, ids), ids=named))
    return data


class LabelFindings:
    """What was found in the labels of one file so far: of each rule the first few, and how many.

    ``twice`` are the ids that come again somewhere in the file.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.twice: Collection[Hashable] = ()
        self.first: defaultdict[str, list[Any]] = defaultdict(list)
        self.n: Counter[str] = Counter()
        self.unknown: Counter[Any] = Counter()
        self.seen: dict[Hashable, str] = {}
        self.lengths = [np.zeros(0, dtype=np.int64)]
        self.classes = np.zeros(len(hierarchy), dtype=bool)

    def note(self, rule: str, found: Sequence[Any], say: Callable[[Any], Any]) -> None:
        """Count what was found; the first few are spelled out."""
        self.n[rule] += len(found)
        first = self.first[rule]
        first += map(say, found[: MOST_SHOWN - len(first)])

    def look_through(self, rows: LabelRows) -> LabelSets:
        """Note what is wrong with some rows; return the labels that can be used."""
        alone = replace(rows, ids=None)
        ids: Sequence[Hashable] = rows.ids or ()

        def fault(found: Fault) -> None:
            entries = found.entries.tolist()
            if found.rule == "unknown label":  # counts once, however often it comes
                known = found.label in self.unknown
                self.unknown[found.label] += len(entries)
                entries = entries[: not known]
            self.note(found.rule, entries, lambda x: (rows.place(x), who(x) + found.message(x)))

        def who(entry: int) -> str:
            return f"instance {shown(ids[rows.coded.row_of(entry)[0]])}: " if ids else ""

        sets = LabelSets.from_rows(alone, self.hierarchy, unknown="drop", faults=fault)
        if rows.ids is not None:
            kept = np.delete(np.arange(len(sets)), self._again(rows))
            sets = replace(sets.take(kept), ids=tuple(ids[i] for i in kept.tolist()))
            ids = sets.ids or ()
        above = row_numbers(sets.indptr)[~are_lowest(self.hierarchy, sets)]
        n_before = sum(map(len, self.lengths))
        nested = sorted({*above.tolist()})
        self.note("nested labels", nested, lambda i: ids[i] if ids else n_before + i)
        self.classes[sets.indices] = True
        self.lengths.append(sets.lengths)
        return sets

    def _again(self, rows: LabelRows) -> list[int]:
        """Note the rows whose ids came before, and return them."""
        again = []
        for i, name in enumerate(rows.ids or ()):
            if name in self.twice:
                place = rows.where(i, 0)
                before = self.seen.setdefault(name, place)
                if before != place:
                    again.append(i)
                    said = f"instance {shown(name)} already occurs at {before}"
                    self.note("duplicate id", [said], lambda text, at=place: (at, text))  # type: ignore[misc]
        return again

    def tell(self, about: Tell) -> None:
        """Put everything into a report, and how many instances and labels there are."""
        for rule, level in LEVELS.items():
            first, times = self.first[rule], [1] * MOST_SHOWN
            if rule == "unknown label":
                times = list(self.unknown.values())
            texts = [(at, text + f" ({n} times in all)" * (n > 1))
                     for (at, text), n in zip(first, times, strict=False)]  # fmt: skip
            about(level, rule, texts, self.n[rule])
        if self.n["nested labels"]:
            n, name = self.n["nested labels"], self.first["nested labels"][0]
            about("warning", "nested labels", [
                f"{instances_have(n)} a label that is an ancestor of another one, such as instance "
                f"{name!r}; pair-based and flat measures count both"
            ])  # fmt: skip
        lengths = np.concatenate(self.lengths)
        if not len(lengths):
            about("error", "instances", ["the file has no instances"])
            return
        n_empty = np.count_nonzero(lengths == 0)
        about("note", "labels", [
            f"{counted(len(lengths), 'instance', ',')} with {lengths.mean():.2f} labels on "
            f"average, at most {lengths.max():,}" + f", {n_empty:,} without any" * bool(n_empty)
            + f"; {counted(int(self.classes.sum()), 'different class', ',')}"
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
