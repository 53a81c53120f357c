"""Numbers recomputed: what a row names is looked up, scored or calculated, and one judge says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, check_known, listed, one_line
from hierpair.evaluation.scoring import score
from hierpair.explanation import FieldEvidence, explain
from hierpair.io import read_labels
from hierpair.measures import Measure, measure
from hierpair.verification.cases import (
    DATA,
    Case,
    case_names,
    case_text,
    data_folder,
    files_of,
    hierarchy_of,
    lines_of,
    load_case,
)
from hierpair.verification.formulas import (
    PrintedTable,
    calculated,
    call_of,
    read_table,
    sufficient_changes,
    table_value,
)
from hierpair.verification.printed import (
    NEEDS,
    UNITS,
    CaseRemark,
    Published,
    Value,
    Verdict,
    Verification,
    judged,
    printed_value,
    read_published,
)
from hierpair.verification.properties.laws import against, is_property

CELLS = ("hcm_tp", "hcm_tn", "hcm_fp", "hcm_fn")
"""The counts from which the ratios of a confusion matrix follow."""

MOST_NAMED = 5
"""Instances that are named of those that are missing."""


def verify(
    cases: Iterable[str] | str | None = None, *, data: str | Path | None = None
) -> Verification:
    """Recompute the published numbers of cases.

    A case with a damaged file does not stop the others: its numbers get the verdict ``"error"``,
    and a finding says what is wrong. Findings also name the instances that a system's file lacks,
    and systems without a file.

    Parameters
    ----------
    cases
        Their names, or that of one; by default all.
    data
        Folder of data that do not come with hierpair; numbers of cases without their data get
        the verdict ``"no data"``, unless they follow from other printed numbers. By default what
        the environment variable ``HIERPAIR_DATA`` names.

    Raises
    ------
    BadInput
        For an unknown case, or a data folder that has none of the folders that are needed.

    Examples
    --------
    >>> verify(["kosmopoulos2014-figure18c"]).tally
    {'met': 8, 'propagated': 2}
    """
    names = case_names() if cases is None else [cases] if isinstance(cases, str) else [*cases]
    wanted = {case_text(name).get("files", {}).get("data") for name in names} - {None}
    if data and wanted and not any(Path(data, folder).is_dir() for folder in wanted):
        raise BadInput(
            f"there is no folder {' or '.join(sorted(wanted))} in {data}; name the folder above "
            f"with --data or {DATA}"
        )
    verdicts: list[Verdict] = []
    findings: list[CaseRemark] = []
    for name in names:
        rows = [Published("", "", "", "")]
        try:
            rows = read_published(name)
            numbers = Numbers.of_case(name, rows, data)
            found = [numbers.verdict(row) for row in rows]
            findings += numbers.findings()
        except HierpairError as error:
            message = one_line(error)
            findings.append(CaseRemark(name, "error", message))
            found = [Verdict.damaged(name, row, message) for row in rows]
        verdicts += found
    return Verification(tuple(verdicts), tuple(findings))


@dataclass(frozen=True, eq=False)
class Numbers:
    """What rows may name: labels, a printed table, a folder of data."""

    name: str
    rows: list[Published]
    case: Any = None
    table: PrintedTable | None = None
    folder: Path | None = None

    @classmethod
    def of_case(cls, name: str, rows: list[Published], data: str | Path | None = None) -> Numbers:
        """Return what the rows of a case may name."""
        about, folder, case, table = case_text(name), None, None, None
        with suppress(BadInput):
            folder = data_folder(name, data)
        files = about.get("files", {})
        if {"truth", "counts"} & {*files} and ("data" not in files or folder is not None):
            case = load_case(name, data)
        if "tables" in about:
            how = dict(about["tables"])
            with files_of(name, data) as own:
                table = PrintedTable(read_table(lines_of(own / how.pop("scores"))), **how)
        return cls(name, rows, case, table, folder)

    def value(self, text: str, row: Published) -> Value:
        """Return what a text names: a number, or a set of classes; nan where data are not there.

        It is a name of ``CALLS`` with what it is asked of, ``holds(…)`` or ``fails(…)`` (1 if it
        is so, otherwise 0), a formula over the printed table, a measure, or a calculation with
        numbers. ``classes(SIDE, MEASURE)``: the classes that a measure compares on one side,
        ``true`` or ``predicted``. ``lcas(SIDE, LABEL)``: the LCAs that a label requires, without
        it those of all labels. ``nearest(SIDE, LABEL)``: the labels of the other side that are
        nearest to it. ``field(tp | fp | fn | tn, LABEL)``: the classes in a field of the
        confusion matrix of a true label. ``difference(MEASURE, CASE, CASE)``: of the first case
        less that of the second, each with a single system. ``printed(CASE, MEASURE)``: what
        another case prints for the system, minus infinity if with another interval.
        ``classes_at(K)``: classes K edges below the root.
        """
        if self.table is not None:
            return table_value(text, self.table, row.system)
        if is_property(text):
            return float(any(against(text)) == text.strip().startswith("fails"))
        name = text.partition("(")[0].strip()
        if name in CALLS:
            work, of = CALLS[name]
            gone = self.case is not None and row.system in self.case.absent
            if of and (getattr(self, of) is None or (of == "case" and gone)):
                return math.nan
            value: Value = work(self, row, *call_of(text).parts)
            return value
        if not _is_measure(name):
            return calculated(text)
        m = measure(text)
        if self.case is None or row.system not in self.case.systems:
            return self._from_printed(m, row.system)
        return scored(self.case, m, row.system)

    def verdict(self, row: Published) -> Verdict:
        """Judge a number; what needs data or models is wrong only if another value is at hand."""
        given, remark = row.expect in NEEDS, ""
        computed = math.nan if given and self.table is None else self.value(row.measure, row)
        nothing = not isinstance(computed, frozenset) and math.isnan(computed)
        if given:
            same = nothing or computed == printed_value(row.printed)[0]
            word = NEEDS[row.expect] if same else "wrong"
        elif nothing:
            word = "no data"
        else:
            reading, remark = self._reading(row)
            word = judged(row, computed, reading)
        if word == "wrong" and self.case is not None and row.system in self.case.missing:
            remark = self._without_line(row.system)
        if not isinstance(computed, frozenset):
            computed *= UNITS[row.unit]
        return Verdict(self.name, row, computed, word, remark)

    def _reading(self, row: Published) -> tuple[Value | None, str]:
        """Return what the reading of a row gives, and what was computed to explain it."""
        table = self.table
        if not row.reading:
            return None, ""
        if table is None or call_of(row.reading).asked is None:
            return self.value(row.reading, row), ""
        found = sufficient_changes(row.reading, table, self.rows)
        # Where some change suffices, the reading gives what is printed by definition.
        return printed_value(row.printed)[0] if found else None, " or ".join(found)

    def _from_printed(self, m: Measure, system: str) -> float:
        """Return a ratio of confusion counts from the counts printed beside it, or nan."""
        mine = {r.measure.partition("(")[0]: r.printed for r in self.rows if r.system == system}
        given = m.definition.family != "confusion" or m.definition.name in CELLS
        if given or not {*CELLS} <= {*mine}:
            return math.nan
        return float(m.values({c[4:]: np.array([float(mine[c])]) for c in CELLS})[0])

    def _without_line(self, system: str) -> str:
        """Say which instances the file of a system lacks."""
        missing = self.case.missing[system]
        first = f", such as {listed(missing, MOST_NAMED)}" if missing else ""
        return (
            f"{system}: {len(missing)} of {len(self.case.y_true)} instances have no line in "
            f"{case_text(self.name)['systems'][system]}{first}; their predictions count as empty"
        )

    def findings(self) -> Iterator[CaseRemark]:
        """Yield what is not as it should be in the files of the case."""
        case = self.case
        if case is None:
            return
        told = [("missing", self._without_line(system)) for system in case.missing]
        named = {row.system for row in self.rows}
        if gone := named - {"", *case.systems, *case.absent}:
            told.append(("missing", f"there are no predictions of {listed(sorted(gone))}"))
        if case.absent:
            told.append(("absent", f"no file of {listed(case.absent)}"))
        yield from (CaseRemark(case.name, *one) for one in told)

    def fields(self, row: Published, text: str) -> FieldEvidence:
        """Return the fields of classes that explain the only instance under a measure."""
        case = self.case
        [why] = explain(case.hierarchy, case.y_true, case.systems[row.system], text, worst=1)
        if not isinstance(why.evidence, FieldEvidence):
            raise BadInput(f"{text} has no such sets")
        return why.evidence

    def owned(
        self, row: Published, text: str, name: str, side: str, label: str | None = None
    ) -> frozenset[str]:
        """Return the classes in a field of a label of a side, or of all of its labels."""
        fields = [f for f in self.fields(row, text).fields if f.name == name and getattr(f, side)]
        rows = {str(getattr(f, side)[0]): f.classes for f in fields}
        if label is not None:
            check_known("label", label, rows)
        return frozenset(str(c) for x, some in rows.items() if label in (None, x) for c in some)


def _is_measure(name: str) -> bool:
    """Whether a measure is called so, also by another name."""
    with suppress(BadInput):
        return name.isidentifier() and bool(measure(name))
    return False


def scored(case: Case, m: Measure, system: str) -> float:
    """Return a score of a system, pooled over its instances."""
    one = {system: case.systems[system]}
    found = score(case.hierarchy, case.y_true, one, [m], sample_weight=case.weight)
    return float(found.values[0, 0])


def _instance(of: Numbers, row: Published, instance: str, text: str) -> float:
    case = of.case
    at = [str(x) for x in case.y_true.ids or ()].index(instance)
    scores = score(case.hierarchy, case.y_true, {row.system: case.systems[row.system]}, [text])
    return float(scores.per_instance[row.system][at, 0])


def _difference(_: Numbers, __: Published, text: str, *names: str) -> float:
    one, other = (scored(case, measure(text), *case.systems) for case in map(load_case, names))
    return one - other


def _printed(_: Numbers, row: Published, name: str, text: str) -> float:
    found = {one.system: one.printed for one in read_published(name) if one.measure == text}
    check_known("system", row.system, found, name)
    elsewhere = found[row.system]
    interval = " (" in elsewhere and elsewhere.partition(" ")[2] != row.printed.partition(" ")[2]
    return -np.inf if interval else printed_value(elsewhere)[0] / UNITS[row.unit]


def _instances(of: Any, _: Published, file: str) -> float:
    return float(len(read_labels(of.folder / file, hierarchy_of(of.name, of.folder), fmt="jsonl")))


def _levels(of: Numbers, row: Published) -> list[float]:
    levels = (x for x in of.rows if x.measure.startswith("classes_at("))
    return [printed_value(x.printed)[0] for x in levels if x.system == row.system]


CALLS: dict[str, tuple[Callable[..., Any], str]] = {
    "classes": (
        lambda of, row, side, m: frozenset(
            map(str, of.fields(row, m).of("in both", f"only {side}"))
        ),
        "case",
    ),
    "lcas": (lambda of, row, side, x=None: of.owned(row, "lca_f", "LCAs", side, x), "case"),
    "nearest": (lambda of, row, side, x: of.owned(row, "lca_f", "nearest", side, x), "case"),
    "field": (lambda of, row, name, x: of.owned(row, "hcm_f", name.upper(), "true", x), "case"),
    "instance": (_instance, "case"),
    "difference": (_difference, ""),
    "printed": (_printed, ""),
    "classes_at": (
        lambda of, _, k: float(np.sum(hierarchy_of(of.name, of.folder).depths == int(k))),
        "folder",
    ),
    "instances": (_instances, "folder"),
    "levels": (lambda of, row: float(len(_levels(of, row))), ""),
    "sum_of_levels": (lambda of, row: sum(_levels(of, row)), ""),
}
"""What a row may name beside measures and formulas, and what that needs."""
