"""Printed numbers: as printed, how they are judged, and what became of them as a table."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter

from hierpair.errors import BadInput, check_choice, counted
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.verification.cases import case_text, lines_of, source_file

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
    """Read the printed rows of a case; refuse a faulty line, by its place."""
    decimals, path = case_text(name).get("decimals", 0), source_file(name, ".tsv")
    found = []
    for place, fields in lines_of(path):
        if len(fields) != len(COLUMNS):
            raise BadInput(f"{place}: expected {' '.join(COLUMNS)}, separated by tabs")
        if fields[0] == name:
            row = Published(*fields[1:], decimals=decimals)
            check_choice(f"{place}: expect", row.expect, EXPECTATIONS)
            found.append(row)
    return found


PRINTED = re.compile(r"(\d+)/([1-9]\d*)|(-?\d+(?:\.(\d+))?)(\+Max)?(?: \(\d+(?:\.\d+)?\))?")


def printed_value(text: str) -> tuple[float, int | None]:
    """Return the number that is printed, and how many decimals it has; None for a fraction.

    >>> printed_value("6+Max"), printed_value("1/4"), printed_value("88.87 (0.15)")
    ((11.0, 0), (0.25, None), (88.87, 2))
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

    ``reading`` is what the reading gives, for a number that has one.

    >>> judged(Published("s", "hr", "Table 1", "0.66", expect="truncated"), 2 / 3)
    'truncated'
    """
    met = is_met(row, computed)
    if row.expect == "same":
        return "met" if met else "wrong"
    if row.expect == "truncated":
        follows = is_met(row, computed, cut=True)
    elif reading is None:
        follows = row.expect == "undecided" and not row.reading
    else:
        follows = is_met(row, reading) or is_met(row, reading, cut=True)
    return row.expect if follows and not met else "wrong"  # what is met needs no explanation


def is_met(row: Published, computed: Value, *, cut: bool = False) -> bool:
    """Whether a value is what is printed, within half a unit of the last decimal.

    With ``cut`` the digits behind that are cut off instead.
    """
    if isinstance(computed, frozenset) or row.printed.startswith("{"):
        labels = frozenset(re.findall(r"[^{},\s][^{},]*", row.printed))
        return row.printed.startswith("{") and computed == labels and not cut
    printed, decimals = printed_value(row.printed)
    value = computed * UNITS[row.unit]
    n = max(decimals, row.decimals) if decimals else 0
    if cut:
        near = math.trunc(value * 10**n + math.copysign(1e-9, value)) / 10**n
        return n > 0 and bool(abs(near - printed) < 1e-9)
    exact = decimals is None or not (decimals or row.unit)
    return bool(abs(value - printed) <= (0.0 if exact else 0.5 * 10**-n) + 1e-9)


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

    @classmethod
    def damaged(cls, case: str, row: Published, message: str) -> Verdict:
        """Return what becomes of a number whose file cannot be read."""
        return cls(case, replace(row, why=message), math.nan, "error")

    @property
    def why(self) -> str:
        """The reason, what was computed for that, and in brackets the reading."""
        reason = ": ".join(part for part in (self.published.why, self.remark) if part)
        reading = self.published.reading
        return reason + (f" [{reading}]" if reading else "")

    @property
    def cells(self) -> list[str]:
        """What a table shows of it, as texts; nothing is computed without data."""
        p, x = self.published, self.computed
        printed = f"{p.printed}{' %' if p.unit else ''}"
        if isinstance(x, frozenset):
            text = "{" + ", ".join(sorted(x)) + "}"
        else:
            text = "" if math.isnan(x) else f"{x:.6g}"
        return [p.system, p.measure, p.where, printed, text, self.verdict, self.why]


@dataclass(frozen=True)
class CaseRemark:
    """Something about the files of a case that a reader of its verdicts must know.

    Attributes
    ----------
    case
        Whose files.
    kind
        ``"error"``: a file is damaged and the case is not verified; ``"missing"``: instances that
        should be there are not; ``"absent"``: files of systems are not there.
    message
        What it is, with names.
    """

    case: str
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.case}: {self.kind}: {self.message}"


HEADER = ["system", "measure", "where", "printed", "computed", "verdict", "why"]


@dataclass(frozen=True, repr=False)
class Verification(Tabular):
    """Verdicts on all printed numbers of some cases, and findings about their files."""

    verdicts: tuple[Verdict, ...]
    findings: tuple[CaseRemark, ...] = ()

    @property
    def tally(self) -> dict[str, int]:
        """How many numbers got each verdict."""
        n = Counter(v.verdict for v in self.verdicts)
        return {word: n[word] for word in WORDS if n[word]}

    @property
    def damaged(self) -> bool:
        """Whether a file could not be read."""
        return any(finding.kind == "error" for finding in self.findings)

    @property
    def sound(self) -> bool:
        """Whether no number is wrong, no file damaged and no instance missing."""
        missing = any(finding.kind == "missing" for finding in self.findings)
        return not (missing or self.damaged or "wrong" in self.tally)

    @property
    def summary(self) -> str:
        """The tally in words."""
        parts = [f"{n} {WORDS[word]}" for word, n in self.tally.items()]
        return f"{counted(len(self.verdicts), 'printed value')}: {', '.join(parts) or 'none'}"

    def content(self, digits: int | None = None, *, every: bool = True) -> Content:
        """Return what is shown: a table for each case, findings, and the summary.

        Without ``every`` only what is not simply met is shown.
        """
        shown = [[v.case, *v.cells] for v in self.verdicts if every or v.verdict != "met"]
        blocks = [Block(HEADER, [row[1:] for row in rows], case, align="lllrrll", fold="cells")
                  for case, rows in groupby(shown, key=itemgetter(0))]  # fmt: skip
        page = Page(blocks, [*map(str, self.findings), self.summary])
        return Content(lambda: Records(["case", *HEADER], shown), lambda form: page)
