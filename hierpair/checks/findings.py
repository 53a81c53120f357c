"""What a check finds: faults, doubts, and figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from hierpair.errors import counted
from hierpair.tables import Content, Shown, listing

__all__ = ["MOST_SHOWN", "Finding", "Report"]

Level = Literal["error", "warning", "figure"]

MOST_SHOWN = 10
"""Findings of one rule that are spelled out for one file; the rest are counted."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    Attributes
    ----------
    level
        ``"error"``: scoring would refuse it; ``"warning"``: it can be scored, but may not be
        meant; ``"figure"``: a number that describes the data.
    rule
        What was looked for.
    place
        File and line.
    message
        What was found, and what to do.
    times
        How many findings this stands for.
    """

    level: Level
    rule: str
    place: str
    message: str
    times: int = 1


@dataclass(repr=False)
class Report(Shown):
    """All findings, in the order in which they were made; it shows itself as a table.

    Examples
    --------
    >>> report = Report([Finding("error", "cycle", "tree.tsv:3", "a cycle: a → b → a")])
    >>> report
    Report(1 error, 0 warnings, 0 figures)
    >>> print(report.to_table("csv"), end="")
    level,rule,place,message
    error,cycle,tree.tsv:3,a cycle: a → b → a
    """

    findings: list[Finding] = field(default_factory=list)

    def __repr__(self) -> str:
        levels: tuple[Level, ...] = ("error", "warning", "figure")
        return f"Report({', '.join(counted(self.count(level), level) for level in levels)})"

    def content(self, digits: int | None = None) -> Content:
        """Return the findings as a table; there are no numbers to round."""
        rows = [[f.level, f.rule, f.place, f.message] for f in self.findings]
        return listing(["level", "rule", "place", "message"], rows)

    def add(self, level: Level, rule: str, place: str, message: str) -> None:
        """Add one finding."""
        self.findings.append(Finding(level, rule, place, message))

    def add_all(
        self, level: Level, rule: str, path: str, findings: Iterable[tuple[str, str]]
    ) -> None:
        """Add the first (place, message) pairs of one rule and count the rest."""
        listed = list(findings)
        for place, message in listed[:MOST_SHOWN]:
            self.add(level, rule, place, message)
        if len(listed) > MOST_SHOWN:
            rest = len(listed) - MOST_SHOWN
            self.findings.append(Finding(level, rule, path, f"and {rest} more of these", rest))

    def count(self, level: Level) -> int:
        """Return the number of findings of a level."""
        return sum(f.times for f in self.findings if f.level == level)
