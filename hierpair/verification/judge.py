"""Published numbers, recomputed: what a row names is one call, and one judge compares it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, listed
from hierpair.evaluation.scoring import score
from hierpair.explanation import FieldEvidence, explain
from hierpair.hierarchy import Hierarchy
from hierpair.io import read_labels
from hierpair.measures import REGISTRY, Measure, measure
from hierpair.verification.cases import (
    DATA,
    Case,
    case_names,
    case_text,
    data_folder,
    hierarchy_of,
    inline,
    load_case,
    wanted_folder,
)
from hierpair.verification.printed import (
    NEEDS,
    UNITS,
    Finding,
    Published,
    Value,
    Verdict,
    Verification,
    judged,
    printed_value,
    read_published,
)
from hierpair.verification.printed_tables import (
    PrintedTable,
    calculated,
    call_of,
    known,
    read_table,
    sufficient_changes,
    table_value,
)
from hierpair.verification.properties import is_property, property_value

__all__ = ["Numbers", "verify"]

CELLS = ("hcm_tp", "hcm_tn", "hcm_fp", "hcm_fn")
"""The counts from which the ratios of a confusion matrix follow."""

MOST_NAMED = 5
"""Instances or files that are named of those that are missing or not used."""

ORDER = ("error", "missing", "absent", "unused")
"""Kinds of findings, the worst first."""


def verify(cases: Iterable[str] | None = None, *, data: str | Path | None = None) -> Verification:
    """Recompute the published numbers of cases.

    A case with a damaged file does not stop the others: its numbers get the verdict ``"error"``,
    and a finding says what is wrong. Findings also name the instances that a system's file lacks,
    systems without a file, and files that no case lists.

    Parameters
    ----------
    cases
        Their names; by default all.
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
    names = case_names() if cases is None else list(cases)
    for name in {*names} - {*case_names()}:
        case_text(name)  # says that there is no such case
    if data is None:
        data = os.environ.get(DATA)
    else:
        _check_data(names, data)
    verdicts: list[Verdict] = []
    findings: list[Finding] = []
    for name in names:
        rows: list[Published] = []
        try:
            rows = read_published(name)
            numbers = Numbers(name, rows, data)
            found = [numbers.verdict(row) for row in rows]
            noted = [*numbers.findings()]
        except HierpairError as error:
            message = " ".join(str(error).split())
            noted = [Finding(name, "error", message)]
            damaged = rows or [Published("", "", "", "")]
            found = [Verdict(name, replace(r, why=message), math.nan, "error") for r in damaged]
        verdicts += found
        findings += noted
    findings.sort(key=lambda finding: ORDER.index(finding.kind))
    return Verification(tuple(verdicts), tuple(findings))


def _check_data(names: Iterable[str], data: str | Path) -> None:
    """Refuse a data folder that is not there, or has nothing of what the cases need."""
    wanted = set()
    for name in names:
        with suppress(BadInput):  # named when its turn comes
            wanted.add(wanted_folder(case_text(name)) or "")
    wanted.discard("")
    if wanted and not any((Path(data) / folder).is_dir() for folder in wanted):
        raise BadInput(
            f"there is no folder {' or '.join(sorted(wanted))} in {data}; name the folder above "
            f"with --data or {DATA}"
        )


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the rows of a case may name, each computed once and only where it is needed.

    Attributes
    ----------
    name, rows
        The case and what is printed.
    data
        The folder of data that do not come with hierpair, if there is one.
    """

    name: str
    rows: list[Published]
    data: str | Path | None = None

    @cached_property
    def about(self) -> dict[str, Any]:
        """What is said of the case."""
        return case_text(self.name)

    @cached_property
    def folder(self) -> Path | None:
        """The folder of its data; None if it has its own, or they are not there."""
        with suppress(BadInput):
            return data_folder(self.name, wanted_folder(self.about) or "", self.data)
        return None

    @cached_property
    def case(self) -> Case | None:
        """Its labels; None without any."""
        if "files" not in self.about or (wanted_folder(self.about) and self.folder is None):
            return None
        return load_case(self.name, self.data)

    @property
    def labels(self) -> Case:
        """Its labels, which must be there."""
        if self.case is None:
            raise BadInput(f"the case {self.name!r} has no labels here")
        return self.case

    @cached_property
    def table(self) -> PrintedTable | None:
        """The printed table that its numbers follow from, if they do."""
        files = self.about.get("tables")
        if files is None:
            return None
        scores = read_table(inline(self.name, files["scores"]))
        losses, unranked = (tuple(files.get(key, ())) for key in ("lower_is_better", "unranked"))
        return PrintedTable(scores, losses, files.get("ties", {}), unranked)

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of its data set."""
        return hierarchy_of(self.name, self.folder)

    @cached_property
    def scores(self) -> dict[tuple[str, str], float]:
        """The values of all measures that the rows name, by system and text."""
        case = self.case
        named = {text for row in self.rows for text in (row.measure, row.reading)}
        chosen = {text: m for text in named if (m := _measure(text)) is not None}
        if case is None or not (case.systems and chosen):
            return {}
        measures = [*dict.fromkeys(chosen.values())]
        found = score(
            case.hierarchy, case.y_true, case.systems, measures, sample_weight=case.weight
        )
        return {(s, text): found[s, m.name] for s in found.systems for text, m in chosen.items()}

    def value(self, text: str, row: Published) -> Value:
        """Return what a text names: a number, or a set of classes; nan where data are not there.

        ``classes(SIDE, MEASURE)``: the classes that a measure compares on one side, ``true`` or
        ``predicted``. ``lcas(SIDE, LABEL)``: the LCAs that a label requires; ``lcas(SIDE)``: those
        of all labels of the side. ``nearest(SIDE, LABEL)``: the labels of the other side that are
        nearest to it. ``field(tp | fp | fn | tn, LABEL)``: the classes in a field of the confusion
        matrix of a true label. ``instance(ID, MEASURE)``: the value of one instance.
        ``difference(MEASURE, CASE, CASE)``: of the first case less that of the second, each with a
        single system. ``printed(CASE, MEASURE)``: what another case prints for the system, minus
        infinity if with another interval. ``classes_at(K)``: classes of the hierarchy K edges
        below the root; ``instances(FILE)``: of a file of JSON lines with labels. ``levels()`` and
        ``sum_of_levels()`` follow from what is printed for ``classes_at(…)`` of the same system.
        ``holds(…)``, ``fails(…)``: :func:`property_value`. Otherwise it is a formula over the
        printed table, a measure, or a calculation with numbers.

        Raises
        ------
        BadInput
            If the text says too little, or names what is not there.
        """
        if self.table is not None:
            return table_value(text, self.table, row.system)
        if is_property(text):
            return property_value(text)
        name = text.partition("(")[0]
        if name in CALLS:
            call, (work, of, n_parts) = call_of(text), CALLS[name]
            if call is None:
                raise BadInput(
                    f"cannot read {text!r}: {name} needs brackets with what is looked up"
                )
            if len(call.parts) not in n_parts:
                raise BadInput(f"{text!r}: {name} takes {' or '.join(map(str, n_parts))} parts")
            if of and getattr(self, of) is None:
                return math.nan
            value: Value = work(self, row, *call.parts)
            return value
        if (row.system, text) in self.scores:
            return self.scores[row.system, text]
        m = _measure(text)
        return calculated(text) if m is None else self._from_printed(m, row.system)

    def verdict(self, row: Published) -> Verdict:
        """Judge a number; what needs data or models is wrong only if another value is at hand."""
        given = row.expect in NEEDS
        computed = math.nan if given and self.table is None else self.value(row.measure, row)
        nothing = not isinstance(computed, frozenset) and math.isnan(computed)
        remark = ""
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
        if not row.reading:
            return None, ""
        call = call_of(row.reading) if self.table is not None else None
        if call is None or call.asked is None:
            return self.value(row.reading, row), ""
        if call.asked not in self._changes and self.table is not None:
            self._changes[call.asked] = sufficient_changes(row.reading, self.table, self.rows)
        found = self._changes[call.asked]
        # Where some change suffices, the reading gives what is printed by definition.
        return printed_value(row.printed)[0] if found else None, " or ".join(found)

    @cached_property
    def _changes(self) -> dict[object, tuple[str, ...]]:
        return {}

    def _from_printed(self, m: Measure, system: str) -> float:
        """Return a ratio of confusion counts from the counts printed beside it, or nan."""
        if m.definition.family != "confusion" or m.definition.name in CELLS:
            return math.nan
        mine = {r.measure.partition("(")[0]: r.printed for r in self.rows if r.system == system}
        cells = {c[4:]: np.array([float(mine[c])]) for c in CELLS if c in mine}
        return float(m.values(cells)[0]) if len(cells) == len(CELLS) else math.nan

    def _without_line(self, system: str) -> str:
        """Say which instances the file of a system lacks."""
        missing = self.labels.missing[system]
        usual = self.about.get("missing", {}).get(system, 0)
        beside = f" (the source has {usual})" if usual else ""
        first = f", such as {listed(missing, MOST_NAMED)}" if missing else ""
        return (
            f"{system}: {len(missing)} of {len(self.labels.y_true)} instances have no line in "
            f"{self.about['systems'][system]}{beside}{first}; their predictions count as empty"
        )

    def findings(self) -> Iterator[Finding]:
        """Yield what is not as it should be in the files of the case."""
        case = self.case
        if case is None:
            return
        for system in case.missing:
            yield Finding(case.name, "missing", self._without_line(system))
        named = dict.fromkeys(row.system for row in self.rows if row.system)
        gone = [s for s in named if s not in case.systems and s not in case.absent]
        if gone:
            yield Finding(case.name, "missing", f"there are no predictions of {listed(gone)}")
        if case.absent:
            yield Finding(case.name, "absent", f"no file of {listed(case.absent)}")
        if case.unlisted:
            others = listed(case.unlisted, MOST_NAMED)
            remedy = "not read (for systems of your own there is hierpair score)"
            yield Finding(case.name, "unused", f"no case lists {others}; {remedy}")

    def fields(self, row: Published, text: str) -> FieldEvidence:
        """Explain the only instance."""
        case = self.labels
        if len(case.y_true) != 1:
            raise BadInput(f"the case {case.name!r} has several instances; sets are those of one")
        only = case.y_true.ids[0] if case.y_true.ids else 0
        [why] = explain(
            case.hierarchy, case.y_true, case.systems[row.system], text, instances=[only]
        )
        if not isinstance(why.evidence, FieldEvidence):
            raise BadInput(f"{text} has no such sets")
        return why.evidence


def _measure(text: str) -> Measure | None:
    """Return the measure that a text names, or None for a formula."""
    return measure(text) if text.partition("(")[0].strip() in REGISTRY else None


def _known(name: str, names: Iterable[str]) -> str:
    return known(name, names, "there is no", " here")


def _names(classes: Iterable[Hashable]) -> frozenset[str]:
    return frozenset(map(str, classes))


def _side(name: str) -> str:
    return _known(name, ("true", "predicted"))


def _classes(of: Numbers, row: Published, side: str, text: str) -> frozenset[str]:
    return _names(of.fields(row, text).of("in both", f"only {_side(side)}"))


def _of_labels(
    of: Numbers, row: Published, text: str, name: str, side: str, label: str | None
) -> frozenset[str]:
    """Return the classes in a field of a label of a side, or of every label."""
    fields = [f for f in of.fields(row, text).fields if f.name == name]
    owners = ((getattr(f, side), f.classes) for f in fields)
    rows = {str(own[0]): classes for own, classes in owners if own}
    return _names(chain(*rows.values()) if label is None else rows[_known(label, rows)])


def _lcas(of: Numbers, row: Published, side: str, label: str | None = None) -> frozenset[str]:
    return _of_labels(of, row, "lca_f", "LCAs", _side(side), label)


def _nearest(of: Numbers, row: Published, side: str, label: str) -> frozenset[str]:
    return _of_labels(of, row, "lca_f", "nearest", _side(side), label)


def _field(of: Numbers, row: Published, field: str, label: str) -> frozenset[str]:
    name = _known(field, ("tp", "fp", "fn", "tn")).upper()
    return _of_labels(of, row, "hcm_f", name, "true", label)


def _instance(of: Numbers, row: Published, instance: str, text: str) -> float:
    case = of.labels
    ids = [str(x) for x in case.y_true.ids or ()]
    at = ids.index(_known(instance, ids))
    scores = score(case.hierarchy, case.y_true, {row.system: case.systems[row.system]}, [text])
    return float(scores.per_instance[row.system][at, 0])


def _difference(_: Numbers, __: Published, text: str, *names: str) -> float:
    one, other = (
        score(case.hierarchy, case.y_true, case.systems, [text]).values.item()
        for case in map(load_case, names)
    )
    return float(one - other)


def _printed(_: Numbers, row: Published, name: str, text: str) -> float:
    rows = read_published(_known(name, case_names()))
    found = {one.system: one.printed for one in rows if one.measure == text}
    elsewhere = found[_known(row.system, found)]
    interval = " (" in elsewhere and elsewhere.partition(" ")[2] != row.printed.partition(" ")[2]
    return -np.inf if interval else printed_value(elsewhere)[0] / UNITS[row.unit]


def _classes_at(of: Numbers, _: Published, k: str) -> float:
    return float(np.count_nonzero(of.hierarchy.depths == int(k)))


def _instances(of: Numbers, _: Published, file: str) -> float:
    return float(len(read_labels((of.folder or Path()) / file, of.hierarchy, fmt="jsonl")))


def _levels(of: Numbers, row: Published) -> list[float]:
    levels = (x for x in of.rows if x.measure.startswith("classes_at("))
    return [printed_value(x.printed)[0] for x in levels if x.system == row.system]


CALLS: dict[str, tuple[Callable[..., Any], str, tuple[int, ...]]] = {
    "classes": (_classes, "case", (2,)),
    "lcas": (_lcas, "case", (1, 2)),
    "nearest": (_nearest, "case", (2,)),
    "field": (_field, "case", (2,)),
    "instance": (_instance, "case", (2,)),
    "difference": (_difference, "", (3,)),
    "printed": (_printed, "", (2,)),
    "classes_at": (_classes_at, "folder", (1,)),
    "instances": (_instances, "folder", (1,)),
    "levels": (lambda of, row, _: float(len(_levels(of, row))), "", (1,)),
    "sum_of_levels": (lambda of, row, _: sum(_levels(of, row)), "", (1,)),
}
"""What a row may name beside measures and formulas, what that needs, and how many parts it has."""
