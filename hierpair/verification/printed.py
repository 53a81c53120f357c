"""Printed numbers: as printed, how they are judged, and what became of them as a table."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from hierpair.errors import BadInput, check_choice, counted, visible_lines
from hierpair.tables.forms import Shown, small_page
from hierpair.tables.records import Block, Content, Page, Records, listing
from hierpair.tables.text import fold, terminal_width, wrapped_table
from hierpair.verification.cases import case_text, fields_of, source_file

__all__ = [
    "NEEDS",
    "UNITS",
    "Finding",
    "Published",
    "Value",
    "Verdict",
    "Verification",
    "is_met",
    "judged",
    "printed_value",
    "read_published",
]

Value = float | frozenset[str]
"""A computed value: a number, or a set of classes."""

COLUMNS = ("case", "system", "measure", "where", "printed", "unit", "expect", "why", "reading")
NEEDS = {"needs models": "needs models", "needs data": "no data"}
"""Expectations of numbers that nothing here can give, and their verdicts."""

EXPECTATIONS = ("same", "truncated", "propagated", "undecided", "erratum", *NEEDS)
UNITS = {"": 1.0, "%": 100.0}
DMAX = 5
"""``6+Max`` is printed where a cost holds one default cost."""

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
class Published:
    """One printed number, or set of classes.

    Attributes
    ----------
    system
        Whose number; empty for a number of the whole table.
    measure
        What it is: a measure of the registry, a formula over the printed tables of the case, or
        what can be looked up in its labels.
    where
        Where it is printed.
    printed, unit
        The number as printed, ``"%"`` where it is a percentage; a fraction like ``2/3`` is meant
        exactly; ``88.87 (0.15)`` has an interval; ``{A, B}`` is a set of classes.
    expect
        ``"same"``: the computed value is within half a unit of the last printed decimal (or
        percent); a number printed without decimals is meant exactly;
        ``"truncated"``: it is truncated, not rounded; ``"propagated"``: it was computed from
        truncated numbers;
        ``"undecided"``: it does not follow from what is printed, but from a reading that may be
        meant, or from what is not printed: no error is claimed; ``"erratum"``: it does not follow;
        ``"needs models"``, ``"needs data"``: nothing here can give it.
    why, reading
        The reason, and the reading that gives the printed number: a measure or a formula. An
        erratum has both; what is undecided has a reason.
    decimals
        Least decimals of a number with a point, where zeros at the end are not printed.
    """

    system: str
    measure: str
    where: str
    printed: str
    unit: str = ""
    expect: str = "same"
    why: str = ""
    reading: str = ""
    decimals: int = field(default=0, kw_only=True)


def read_published(name: str) -> list[Published]:
    """Read the printed rows of a case from the file of its source.

    Raises
    ------
    BadInput
        For another header, a line with other fields, or a row that says too little; names the
        line.
    """
    (place, header), *rest = fields_of(source_file(name, ".tsv"))
    if tuple(header) != COLUMNS:
        raise BadInput(f"{place}: expected the header {' '.join(COLUMNS)}, separated by tabs")
    decimals = case_text(name).get("decimals", 0)
    found = []
    for place, fields in rest:
        if fields[0] != name:
            continue
        if len(fields) != len(COLUMNS):
            raise BadInput(f"{place}: expected {len(COLUMNS)} fields, got {len(fields)}")
        row = Published(*fields[1:], decimals=decimals)
        try:
            _check(row)
        except BadInput as error:
            raise BadInput(f"{place}: {error}") from None
        found.append(row)
    return found


def _check(row: Published) -> None:
    check_choice("expect", row.expect, EXPECTATIONS)
    if row.unit not in UNITS:
        raise BadInput(f"unit must be % or blank, got {row.unit!r}")
    if row.expect in ("erratum", "propagated") and not (row.why and row.reading):
        raise BadInput(
            f"{row.expect} needs a reason (why) and the reading under which the printed number "
            "arises"
        )
    if row.expect in ("undecided", *NEEDS) and not row.why:
        raise BadInput(f"{row.expect} needs a reason (why)")
    if not row.printed.startswith("{"):
        printed_value(row.printed)


PRINTED = re.compile(r"(\d+)/([1-9]\d*)|(-?\d+(?:\.(\d+))?)(\+Max)?(?: \(\d+(?:\.\d+)?\))?")


def printed_value(text: str) -> tuple[float, int | None]:
    """Return the number that is printed, and how many decimals it has; None for a fraction.

    An interval in brackets behind the number is read over.

    >>> printed_value("0.66"), printed_value("6+Max"), printed_value("1/4")
    ((0.66, 2), (11.0, 0), (0.25, None))
    >>> printed_value("88.87 (0.15)")
    (88.87, 2)
    """
    found = PRINTED.fullmatch(text)
    if found is None:
        raise BadInput(f"a printed number is written like 0.66, 2/3 or 6+Max, got {text!r}")
    above, below, whole, decimals, most = found.groups()
    if above:
        return int(above) / int(below), None
    return float(whole) + (DMAX if most else 0), len(decimals or "")


def judged(row: Published, computed: Value, reading: Value | None = None) -> str:
    """Return the verdict on a number: ``"met"``, ``"wrong"``, or what is expected of it.

    Parameters
    ----------
    row
        What is printed and expected.
    computed
        What it is by definition, in the unit of the measure.
    reading
        What the reading gives, for a number that has one.

    Examples
    --------
    >>> judged(Published("s", "hr", "Table 1", "0.66", expect="truncated"), 2 / 3)
    'truncated'
    >>> judged(Published("s", "hr", "Table 1", "0.66"), 2 / 3)
    'wrong'
    """
    met = is_met(row, computed)
    if row.expect == "same":
        return "met" if met else "wrong"
    if met:
        return "wrong"  # it needs no explanation any more
    if row.expect == "truncated":
        follows = _is_cut(row, computed)
    elif reading is None:
        follows = row.expect == "undecided" and not row.reading
    else:
        follows = is_met(row, reading) or _is_cut(row, reading)
    return row.expect if follows else "wrong"


def is_met(row: Published, computed: Value) -> bool:
    """Whether a value is what is printed, within half a unit of the last decimal."""
    if isinstance(computed, frozenset) or row.printed.startswith("{"):
        classes = re.fullmatch(r"\{(.*)\}", row.printed)
        listed = (x.strip() for x in (classes[1] if classes else "").split(","))
        return classes is not None and computed == frozenset(filter(None, listed))
    value, decimals = printed_value(row.printed)
    exact = decimals is None or not (decimals or row.unit)
    near = 0.0 if exact else 0.5 * 10 ** -_decimals(row)
    return bool(abs(computed * UNITS[row.unit] - value) <= near + 1e-9)


def _is_cut(row: Published, computed: Value) -> bool:
    decimals = 0 if row.printed.startswith("{") else _decimals(row)
    if isinstance(computed, frozenset) or not decimals:
        return False
    computed *= UNITS[row.unit]
    cut = math.trunc(computed * 10**decimals + math.copysign(1e-9, computed)) / 10**decimals
    return bool(abs(cut - printed_value(row.printed)[0]) < 1e-9)


def _decimals(row: Published) -> int:
    decimals = printed_value(row.printed)[1]
    return max(decimals, row.decimals) if decimals else 0


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
        kinds = {finding.kind for finding in self.findings}
        return "wrong" not in self.tally and not kinds & {"error", "missing"}

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
    def unmet(self) -> Verification:
        """The verdicts that need a look."""
        some = tuple(v for v in self.verdicts if v.verdict not in QUIET)
        return Verification(some, self.findings)

    @property
    def records(self) -> Records:
        """One record per printed number, as texts."""
        header = ["case", *HEADER, "why"]
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
        unmet = self.unmet.records
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
        apart = self.by_source
        tallies = [f"{source}: {part.summary}" for source, part in apart.items()] * (len(apart) > 1)
        shown = (self if every else self.unmet).verdicts
        blocks = [
            *(_hanging(str(finding), width) for finding in self.findings),
            *(_block(case, [*of], width) for case, of in groupby(shown, key=lambda v: v.case)),
            "\n".join(_hanging(text, width) for text in (*tallies, self.summary)),
        ]
        return visible_lines("\n\n".join(blocks))


HEADER = ["system", "measure", "where", "printed", "computed", "verdict"]


def _cells(v: Verdict) -> list[str]:
    p = v.published
    printed = f"{p.printed}{' %' if p.unit else ''}"
    return [p.system, p.measure, p.where, printed, v.computed_text, v.verdict]


def _block(case: str, verdicts: list[Verdict], width: int) -> str:
    """Return the table of a case; a column that is empty is left out."""
    verified = [v for v in verdicts if v.verdict != "error"]
    rows = [_cells(v) for v in verified]
    n_damaged = len(verdicts) - len(rows)
    parts = [_hanging(case, width)]
    if n_damaged:
        parts.append(f"  {counted(n_damaged, 'value')} not verified")
    if rows:
        kept = [k for k in range(len(HEADER)) if any(row[k] for row in rows)]
        header, *cells = ([row[k] for k in kept] for row in (HEADER, *rows))
        align = "".join("lllrrl"[k] for k in kept)
        parts.append(wrapped_table(header, cells, align, width, list(_notes(verified)), "  "))
    return "\n".join(parts)


def _notes(verdicts: list[Verdict]) -> Iterator[str]:
    """Yield why; of rows that follow one another with the same reason, the others say less."""
    before = ("", "")
    for v in verdicts:
        reason = v.published.why, v.remark
        yield v.why if reason != before else v.why.removeprefix(v.reason).strip()
        before = reason


def _hanging(text: str, width: int) -> str:
    """Return a text in lines, those after the first indented."""
    return "\n  ".join(fold(text, width - 2))
