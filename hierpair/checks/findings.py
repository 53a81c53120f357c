"""What a check finds, file by file: faults, doubts, and notes that describe the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from hierpair.errors import counted
from hierpair.tables import Content, Shown, listing

__all__ = ["MOST_SHOWN", "FileReport", "Finding", "Level", "Report"]

Level = Literal["error", "warning", "note"]

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
    files: list[str] = field(default_factory=list)

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
        >>> FileReport(report, "tree.tsv").add("error", "cycle", "a cycle: a → b → a")
        >>> FileReport(report, "truth.tsv").add("note", "labels", "2 instances")
        >>> report.verdicts()
        [('tree.tsv', '1 error'), ('truth.tsv', 'sound')]
        """
        levels: tuple[Level, ...] = ("error", "warning")
        verdicts = []
        for file in self.files:
            numbers = ((self.count(level, file), level) for level in levels)
            said = ", ".join(counted(n, level, ",") for n, level in numbers if n)
            verdicts.append((file, said or "sound"))
        return verdicts


@dataclass
class FileReport:
    """The part of a report that is about one file.

    Attributes
    ----------
    report
        Where findings go.
    path
        The file; its name is left out of messages, since it stands in a column of its own.
    """

    report: Report
    path: str

    def __post_init__(self) -> None:
        if self.path not in self.report.files:
            self.report.files.append(self.path)

    def add(self, level: Level, rule: str, message: str, place: str = "", times: int = 1) -> None:
        """Add one finding; its place is the file where no line is known."""
        message = message.removeprefix(f"{self.path}: ")
        where = place or self.path
        self.report.findings.append(Finding(level, rule, where, message, times, self.path))

    def add_all(
        self, level: Level, rule: str, found: Iterable[tuple[str, str]], n: int | None = None
    ) -> None:
        """Add the first (place, message) pairs of one rule, of ``n`` in all, and count the rest."""
        pairs = list(found)
        for place, message in pairs[:MOST_SHOWN]:
            self.add(level, rule, message, place)
        rest = (len(pairs) if n is None else n) - MOST_SHOWN
        if rest > 0:
            self.add(level, rule, f"and {rest} more of these", times=rest)
