"""What a check finds, file by file: faults, doubts, and notes that describe the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from hierpair.errors import counted
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
