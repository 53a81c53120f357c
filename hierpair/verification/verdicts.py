"""What became of printed numbers: verdicts, findings about files, and both as a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hierpair.errors import counted, visible_lines
from hierpair.tables.forms import Shown, small_page
from hierpair.tables.records import Block, Content, Page, Records, listing
from hierpair.tables.text import fold, terminal_width, wrapped_table
from hierpair.verification.published_numbers import Published, Value

__all__ = ["WORDS", "Finding", "Verdict", "Verification"]

WORDS = {
    "met": "met",
    "truncated": "truncated",
    "propagated": "computed from truncated numbers",
    "undecided": "not decided by the printed numbers",
    "erratum": "in error",
    "wrong": "wrong",
    "needs models": "need models or predictions",
    "no data": "without data here",
    "error": "not verified, since a file is damaged",
}
"""Every verdict, and how it is counted."""

QUIET = ("met", "no data", "needs models", "error")
"""Verdicts that need no look; damaged files are named above the table."""


@dataclass(frozen=True)
class Verdict:
    """What became of one printed number.

    Attributes
    ----------
    case, published
        Where it is from.
    computed
        The recomputed value, in the printed unit, or set of classes; NaN without data.
    verdict
        A word of ``WORDS``: ``"met"``, ``"erratum"``, ``"wrong"``, …
    remark
        What was computed to explain it, such as all changes of scores that suffice.
    """

    case: str
    published: Published
    computed: Value
    verdict: str
    remark: str = ""

    @property
    def computed_text(self) -> str:
        """The recomputed value as a text, empty without data."""
        if isinstance(self.computed, frozenset):
            return "{" + ", ".join(sorted(self.computed)) + "}"
        return "" if math.isnan(self.computed) else f"{self.computed:.6g}"

    @property
    def reason(self) -> str:
        """Why it is not simply met, and what was computed for that."""
        return ": ".join(part for part in (self.published.why, self.remark) if part)

    @property
    def why(self) -> str:
        """The reason, and in brackets the reading."""
        reading = self.published.reading
        return self.reason + (f" [{reading}]" if reading else "")


@dataclass(frozen=True)
class Finding:
    """Something about the files of a case that a reader of its verdicts must know.

    Attributes
    ----------
    case
        Whose files.
    kind
        ``"error"``: a file is damaged and the case is not verified; ``"missing"``: instances that
        should be there are not; ``"absent"``: files of systems are not there; ``"unused"``: files
        that no case lists.
    message
        What it is, with names.
    """

    case: str
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.case}: {self.kind}: {self.message}"


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """Verdicts on all printed numbers of some cases, and findings about their files."""

    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        return f"Verification({self.summary})"

    @property
    def tally(self) -> dict[str, int]:
        """How many numbers got each verdict."""
        counted = Counter(v.verdict for v in self.verdicts)
        return {word: counted[word] for word in WORDS if counted[word]}

    @property
    def sound(self) -> bool:
        """Whether no number is wrong, no file damaged and no instance missing."""
        return "wrong" not in self.tally and not any(
            finding.kind in ("error", "missing") for finding in self.findings
        )

    @property
    def damaged(self) -> bool:
        """Whether a file could not be read."""
        return any(finding.kind == "error" for finding in self.findings)

    @property
    def summary(self) -> str:
        """The tally in words."""
        parts = [f"{n} {WORDS[word]}" for word, n in self.tally.items()]
        return f"{counted(len(self.verdicts), 'printed value')}: {', '.join(parts) or 'none'}"

    @property
    def by_source(self) -> dict[str, Verification]:
        """The verdicts apart by what they are printed in: the word before the first hyphen."""
        apart: dict[str, list[Verdict]] = {}
        for v in self.verdicts:
            apart.setdefault(v.case.partition("-")[0], []).append(v)
        return {source: Verification(tuple(part)) for source, part in apart.items()}

    @property
    def records(self) -> Records:
        """One record per printed number, as texts."""
        header = ["case", "system", "measure", "where", "printed", "computed", "verdict", "why"]
        return Records(header, [[v.case, *_cells(v), v.why] for v in self.verdicts])

    def content(self, digits: int | None = None, **how: Any) -> Content:
        """Return what is shown: a table of all printed numbers, for every form but text."""
        return listing(self.records.header, self.records.rows)

    def to_table(
        self, fmt: str = "text", digits: int | None = None, *, spreadsheet: bool = False, **how: Any
    ) -> str:
        """Return the table in a form of ``--format``; text as :meth:`to_text` has it.

        With ``spreadsheet`` no text of CSV and TSV is a formula to a spreadsheet.
        """
        if fmt == "text":
            return self.to_text()
        return super().to_table(fmt, digits, spreadsheet=spreadsheet, **how)

    def _repr_html_(self) -> str:
        """Show the summary, and the numbers that are not simply met."""
        unmet = Verification(tuple(v for v in self.verdicts if v.verdict not in QUIET)).records
        block = Block(unmet.header, unmet.rows, align="llllrrll")
        notes = [self.summary, *map(str, self.findings)]
        return small_page(Page([block] if unmet.rows else [], notes))

    def to_text(self, *, every: bool = True, width: int | None = None) -> str:
        """Return findings, a table per case, and the summary.

        Parameters
        ----------
        every
            Without it only what is not simply met.
        width
            Columns that no line exceeds; by default those of the terminal, from 60 to 100.
        """
        width = terminal_width() if width is None else width
        blocks = ["\n".join(_hanging(str(finding), width)) for finding in self.findings]
        shown = (v for v in self.verdicts if every or v.verdict not in QUIET)
        for case, found in groupby(shown, key=lambda v: v.case):
            blocks.append(_block(case, list(found), width))
        apart = self.by_source
        tallies = [f"{source}: {part.summary}" for source, part in apart.items()] * (len(apart) > 1)
        lines = [line for text in (*tallies, self.summary) for line in _hanging(text, width)]
        blocks.append("\n".join(lines))
        return visible_lines("\n\n".join(blocks))


def _cells(v: Verdict) -> list[str]:
    p = v.published
    printed = f"{p.printed}{' %' if p.unit else ''}"
    return [p.system, p.measure, p.where, printed, v.computed_text, v.verdict]


def _block(case: str, verdicts: list[Verdict], width: int) -> str:
    """Return the table of a case; a column that is empty is left out."""
    header = ["system", "measure", "where", "printed", "computed", "verdict"]
    verified = [v for v in verdicts if v.verdict != "error"]
    rows = [_cells(v) for v in verified]
    n_damaged = len(verdicts) - len(rows)
    parts = "\n".join(_hanging(case, width))
    if n_damaged:
        parts += f"\n  {n_damaged} {'value' if n_damaged == 1 else 'values'} not verified"
    if not rows:
        return parts
    kept = [k for k in range(len(header)) if any(row[k] for row in rows)]
    align = "".join("lllrrl"[k] for k in kept)
    cells = [[row[k] for k in kept] for row in (header, *rows)]
    table = wrapped_table(cells[0], cells[1:], align, width, list(_notes(verified)), "  ")
    return f"{parts}\n{table}"


def _notes(verdicts: list[Verdict]) -> Iterator[str]:
    """Yield why; of rows that follow one another with the same reason, the others say less."""
    before = ("", "")
    for v in verdicts:
        reason = v.published.why, v.remark
        yield v.why if reason != before else v.why.removeprefix(v.reason).strip()
        before = reason


def _hanging(text: str, width: int) -> list[str]:
    """Return a text in lines, those after the first indented."""
    first, *rest = fold(text, width - 2)
    return [first, *(f"  {line}" for line in rest)]
