"""Published numbers, recomputed: one table that the command line, tests and documentation read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.casebook.cases import Case, case_folder, case_names, case_text, load_case
from hierpair.casebook.laws import law_value
from hierpair.casebook.lookups import is_lookup, looked_up
from hierpair.casebook.published import Published, Value, calculated, judged, read_published
from hierpair.casebook.tables import PrintedTable, read_table, table_value
from hierpair.errors import BadInput
from hierpair.evaluate import score
from hierpair.measures import REGISTRY, Counts, Measure, measure
from hierpair.report import any_table, text_table

__all__ = ["Verdict", "Verification", "verify"]

CELLS = ("hcm_tp", "hcm_tn", "hcm_fp", "hcm_fn")
"""The counts from which the ratios of a confusion matrix follow."""

WORDS = {
    "met": "met",
    "truncated": "cut off instead of rounded",
    "propagated": "computed from cut-off numbers",
    "erratum": "in error, with a reason",
    "wrong": "wrong",
    "no data": "without data here",
}


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
        ``"met"``, ``"truncated"``, ``"propagated"``, ``"erratum"``, ``"wrong"`` or ``"no data"``.
    """

    case: str
    published: Published
    computed: Value
    verdict: str

    @property
    def computed_text(self) -> str:
        """The recomputed value as a text, empty without data."""
        if isinstance(self.computed, frozenset):
            return "{" + ", ".join(sorted(self.computed)) + "}"
        return "" if math.isnan(self.computed) else f"{self.computed:.6g}"


@dataclass(frozen=True)
class Verification:
    """Verdicts on all printed numbers of some cases."""

    verdicts: tuple[Verdict, ...]

    @property
    def tally(self) -> dict[str, int]:
        """How many numbers got each verdict."""
        counted = Counter(v.verdict for v in self.verdicts)
        return {word: counted[word] for word in WORDS if counted[word]}

    @property
    def sound(self) -> bool:
        """Whether no number is wrong."""
        return "wrong" not in self.tally

    @property
    def summary(self) -> str:
        """The tally in words."""
        parts = [f"{n} {WORDS[word]}" for word, n in self.tally.items()]
        return f"{len(self.verdicts)} printed values: {', '.join(parts) or 'none'}"

    @property
    def by_source(self) -> dict[str, Verification]:
        """The verdicts apart by what they are printed in: the word before the first hyphen."""
        sources = dict.fromkeys(v.case.partition("-")[0] for v in self.verdicts)
        return {
            source: Verification(
                tuple(v for v in self.verdicts if v.case.partition("-")[0] == source)
            )
            for source in sources
        }

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the table, as texts."""
        header = ["case", "system", "measure", "where", "printed", "computed", "verdict", "why"]
        rows = [
            [
                v.case,
                v.published.system,
                v.published.measure,
                v.published.where,
                f"{v.published.printed}{' %' if v.published.unit else ''}",
                v.computed_text,
                v.verdict,
                v.published.why
                + (f" [{v.published.reading}]" if v.published.reading else ""),
            ]
            for v in self.verdicts
        ]  # fmt: skip
        return header, rows

    def to_text(self, *, every: bool = True) -> str:
        """Return the table with the summary below; without ``every`` only what is not met."""
        header, rows = self.rows()
        shown = [row for row in rows if every or row[6] not in ("met", "no data")]
        table = text_table(header, shown, "lllllrll") + "\n\n" if shown else ""
        apart = self.by_source
        lines = [f"{source}: {part.summary}" for source, part in apart.items()]
        return table + "\n".join([*(lines if len(apart) > 1 else []), self.summary])

    def to_table(self, fmt: str) -> str:
        """Return the table in a form of ``--format``."""
        return self.to_text() if fmt == "text" else any_table(fmt, *self.rows())


def verify(cases: Iterable[str] | None = None, *, data: str | Path | None = None) -> Verification:
    """Recompute the published numbers of cases.

    Parameters
    ----------
    cases
        Their names; by default all.
    data
        Folder of data that do not come with hierpair; numbers of cases without their data get
        the verdict ``"no data"``, unless they follow from other printed numbers.

    Raises
    ------
    BadInput
        For an unknown case or a damaged one.

    Examples
    --------
    >>> verify(["kosmopoulos2014-figure18c"]).tally
    {'met': 8, 'propagated': 2}
    """
    found: list[Verdict] = []
    for name in case_names() if cases is None else cases:
        about = case_text(name)
        path = case_folder(name) / "published.tsv"
        if not path.exists():
            continue
        rows = read_published(path, about.get("decimals", 0))
        if "tables" in about:
            found += _of_tables(name, about, rows)
        elif "files" in about:
            found += _of_labels(name, about, rows, data)
        elif "cases" in about:
            found += [_of_lookup(name, row, None) for row in rows]
        else:
            found += [_of_law(name, row) for row in rows]
    return Verification(tuple(found))


def _of_tables(name: str, about: Mapping[str, Any], rows: list[Published]) -> list[Verdict]:
    """Judge numbers that follow from printed tables."""
    files, folder = about["tables"], case_folder(name)
    table = PrintedTable(
        read_table(folder / files["scores"]),
        read_table(folder / files["ranks"]) if "ranks" in files else {},
        tuple(files.get("lower_is_better", ())),
    )
    found = []
    for row in rows:
        computed = table_value(row.measure, table, row.system)
        reading = table_value(row.reading, table, row.system) if row.reading else None
        found.append(Verdict(name, row, computed, judged(row, computed, reading)))
    return found


def _of_law(name: str, row: Published) -> Verdict:
    """Judge a claim about all hierarchies."""
    computed = law_value(row.measure)
    reading = law_value(row.reading) if row.reading else None
    return Verdict(name, row, computed, judged(row, computed, reading))


def _of_lookup(name: str, row: Published, case: Case | None) -> Verdict:
    """Judge a set of classes, or a number of one instance or of two cases."""
    computed = looked_up(row.measure, case, row.system)
    reading = looked_up(row.reading, case, row.system) if row.reading else None
    return Verdict(name, row, computed, judged(row, computed, reading))


def _of_labels(
    name: str, about: Mapping[str, Any], rows: list[Published], data: str | Path | None
) -> list[Verdict]:
    """Judge numbers that follow from labels."""
    values: dict[tuple[str, str], float] = {}
    case = None
    try:
        case = load_case(name, data)
    except BadInput:
        if "data" not in about["files"] or data is not None:
            raise
    else:
        named = {row.measure for row in rows} | {row.reading for row in rows if row.reading}
        chosen = {text: m for text in named if (m := _measure(text)) is not None}
        if case.systems and chosen:
            scores = score(
                case.hierarchy, case.y_true, case.systems, [*dict.fromkeys(chosen.values())],
                sample_weight=case.weight,
            )  # fmt: skip
            for system in scores.systems:
                values |= {(system, text): scores[system, m.name] for text, m in chosen.items()}
    found = []
    for row in rows:
        if case is not None and is_lookup(row.measure):
            found.append(_of_lookup(name, row, case))
            continue
        computed = values.get((row.system, row.measure))
        if computed is None:
            computed = _from_printed(row, rows)
        if computed is None:
            found.append(Verdict(name, row, math.nan, "no data"))
            continue
        reading = None
        if row.reading:
            reading = values.get((row.system, row.reading))
            if reading is None:
                reading = calculated(row.reading)
        scale = 100 if row.unit else 1
        found.append(Verdict(name, row, computed * scale, judged(row, computed, reading)))
    return found


def _measure(text: str) -> Measure | None:
    """Return the measure that a text names, or None for a formula."""
    word = text.partition("(")[0].strip()
    return measure(text) if word in REGISTRY else None


def _from_printed(row: Published, rows: list[Published]) -> float | None:
    """Return a ratio of confusion counts from the counts that are printed beside it."""
    m = _measure(row.measure)
    if m is None or m.definition.family != "confusion" or m.definition.name in CELLS:
        return None
    cells = {}
    for other in rows:
        kind = other.measure.partition("(")[0]
        if other.system == row.system and kind in CELLS:
            cells[kind] = np.array([float(other.printed)])
    if len(cells) < len(CELLS):
        return None
    tp, tn, fp, fn = (cells[key] for key in CELLS)
    counts = Counts(tp + fn, tp + fp, tp, np.zeros(1), 0, n_neither=tn)
    return float(m.values(counts)[0])
