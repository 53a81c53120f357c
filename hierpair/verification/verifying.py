"""Published numbers, recomputed: one table that the command line, tests and documentation read."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, listed
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy
from hierpair.io import read_hierarchy, read_labels
from hierpair.measures import REGISTRY, Measure, measure
from hierpair.verification.cases import (
    DATA,
    Case,
    case_folder,
    case_names,
    case_text,
    data_folder,
    load_case,
    wanted_folder,
)
from hierpair.verification.lookups import is_lookup, looked_up
from hierpair.verification.printed_tables import (
    PrintedTable,
    parse_formula,
    read_table,
    sufficient_changes,
    table_value,
)
from hierpair.verification.properties import property_value
from hierpair.verification.published_numbers import (
    NEEDS,
    Published,
    Value,
    calculated,
    call_of,
    judged,
    printed_value,
    read_published,
)
from hierpair.verification.verdicts import Finding, Verdict, Verification

__all__ = ["verify"]

CELLS = ("hcm_tp", "hcm_tn", "hcm_fp", "hcm_fn")
"""The counts from which the ratios of a confusion matrix follow."""

MOST_NAMED = 5
"""Instances or files that are named of those that are missing or not used."""


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
    known = case_names()
    names = known if cases is None else list(cases)
    for name in names:
        if name not in known:
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
            about = case_text(name)
            path = case_folder(name) / "published.tsv"
            if not path.exists():
                continue
            rows = read_published(path, about.get("decimals", 0))
            found, noted = _of_case(name, about, rows, data)
        except HierpairError as error:
            message = " ".join(str(error).split())
            noted = [Finding(name, "error", message)]
            damaged = rows or [Published("", "", "", "")]
            found = [Verdict(name, replace(r, why=message), math.nan, "error") for r in damaged]
        verdicts += found
        findings += noted
    order = ("error", "missing", "absent", "unused")
    findings.sort(key=lambda finding: order.index(finding.kind))
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


def _of_case(
    name: str, about: Mapping[str, Any], rows: list[Published], data: str | Path | None
) -> tuple[list[Verdict], list[Finding]]:
    """Judge the numbers of a case by what they follow from."""
    if "files" in about:
        return _of_labels(name, about, rows, data)
    if "tables" in about:
        return _of_tables(name, about, rows), []
    if "statistics" in about:
        return _of_data_set(name, about, rows, data), []
    of_one = _of_lookup if "cases" in about else _of_property
    return [of_one(name, row) for row in rows], []


def _judged(
    name: str, row: Published, computed: Value, reading: Value | None = None, remark: str = ""
) -> Verdict:
    """Judge a number; what needs data or models is wrong only if another value is at hand."""
    nothing = not isinstance(computed, frozenset) and math.isnan(computed)
    if row.expect in NEEDS:
        same = nothing or computed == printed_value(row.printed)[0]
        return Verdict(name, row, computed, NEEDS[row.expect] if same else "wrong")
    if nothing:
        return Verdict(name, row, computed, "no data")
    return Verdict(name, row, computed, judged(row, computed, reading), remark)


def _of_tables(name: str, about: Mapping[str, Any], rows: list[Published]) -> list[Verdict]:
    """Judge numbers that follow from printed tables."""
    files = about["tables"]
    losses, unranked = (tuple(files.get(key, ())) for key in ("lower_is_better", "unranked"))
    scores = read_table(case_folder(name) / files["scores"])
    table = PrintedTable(scores, losses, files.get("ties", {}), unranked)
    changes: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
    found = []
    for row in rows:
        computed = table_value(row.measure, table, row.system)
        reading, remark = None, ""
        asked = parse_formula(row.reading) if row.reading else None
        if asked is not None and asked.kind:
            key = asked.kind, asked.columns
            if key not in changes:
                changes[key] = sufficient_changes(row.reading, table, rows)
            # Where some change suffices, the reading gives what is printed by definition.
            reading = printed_value(row.printed)[0] if changes[key] else None
            remark = " or ".join(changes[key])
        elif asked is not None:
            reading = table_value(asked, table, row.system)
        found.append(_judged(name, row, computed, reading, remark))
    return found


def _of_data_set(
    name: str, about: Mapping[str, Any], rows: list[Published], data: str | Path | None
) -> list[Verdict]:
    """Judge sizes of a data set, which need its folder unless they follow from other sizes.

    ``classes_at(K)``: classes of the hierarchy K edges below the root; ``instances(FILE)``: of a
    file of JSON lines with labels. ``levels()`` and ``sum_of_levels()`` follow from what is
    printed for ``classes_at(…)`` of the same system.
    """
    wanted = about["statistics"]
    folder = None
    with suppress(BadInput):
        folder = data_folder(name, wanted["data"], data)

    @cache
    def hierarchy(folder: Path) -> Hierarchy:
        return read_hierarchy(folder / wanted["hierarchy"], roots="any")

    def value(row: Published) -> float:
        kind, inside = call_of(row.measure) or ("", "")
        if kind in ("levels", "sum_of_levels"):
            levels = (x for x in rows if x.measure.startswith("classes_at("))
            printed = [printed_value(x.printed)[0] for x in levels if x.system == row.system]
            return float(len(printed) if kind == "levels" else sum(printed))
        if kind not in ("classes_at", "instances") or not inside:
            raise BadInput(f"cannot read {row.measure!r}; write it like classes_at(1)")
        if folder is None:
            return math.nan
        if kind == "instances":
            return float(len(read_labels(folder / inside, hierarchy(folder), fmt="jsonl")))
        return float(np.count_nonzero(hierarchy(folder).depths == int(inside)))

    return [
        _judged(name, row, math.nan if row.expect == "needs data" else value(row)) for row in rows
    ]


def _of_property(name: str, row: Published) -> Verdict:
    """Judge a claim about all hierarchies, or a number that needs models."""
    if row.expect in NEEDS:
        return _judged(name, row, math.nan)
    computed = property_value(row.measure)
    reading = property_value(row.reading) if row.reading else None
    return _judged(name, row, computed, reading)


def _of_lookup(name: str, row: Published, case: Case | None = None) -> Verdict:
    """Judge a set of classes, or a number of one instance, of two cases, or printed elsewhere."""
    if row.expect in NEEDS:
        return _judged(name, row, math.nan)
    computed = looked_up(row.measure, case, row.system, row.printed)
    if row.unit and not isinstance(computed, frozenset):  # looked up as it is printed, in percent
        return replace(_judged(name, row, computed / 100), computed=computed)
    reading = looked_up(row.reading, case, row.system, row.printed) if row.reading else None
    return _judged(name, row, computed, reading)


def _of_labels(
    name: str, about: Mapping[str, Any], rows: list[Published], data: str | Path | None
) -> tuple[list[Verdict], list[Finding]]:
    """Judge numbers that follow from labels."""
    values: dict[tuple[str, str], float] = {}
    case = None
    wanted = wanted_folder(about)
    if wanted is None or (data is not None and (Path(data) / wanted).is_dir()):
        case = load_case(name, data)
        named = {row.measure for row in rows} | {row.reading for row in rows if row.reading}
        chosen = {text: m for text in named if (m := _measure(text)) is not None}
        if case.systems and chosen:
            data_set, measures = (case.hierarchy, case.y_true), [*dict.fromkeys(chosen.values())]
            scores = score(*data_set, case.systems, measures, sample_weight=case.weight)
            for system in scores.systems:
                values |= {(system, text): scores[system, m.name] for text, m in chosen.items()}
    found = []
    for row in rows:
        if case is not None and is_lookup(row.measure):
            found.append(_of_lookup(name, row, case))
            continue
        key = row.system, row.measure
        computed = values[key] if key in values else _from_printed(row, rows)
        reading = values.get((row.system, row.reading))
        if reading is None and row.reading and not math.isnan(computed):
            reading = calculated(row.reading)
        one = _judged(name, row, computed, reading)
        found.append(replace(one, computed=computed * (100 if row.unit else 1)))
    if case is None:
        return found, []
    for k, one in enumerate(found):
        if one.verdict == "wrong" and one.published.system in case.missing:
            found[k] = replace(one, remark=_without_line(case, one.published.system, about))
    return found, list(_findings(case, about, rows))


def _without_line(case: Case, system: str, about: Mapping[str, Any]) -> str:
    """Say which instances the file of a system lacks."""
    missing, usual = case.missing[system], about.get("missing", {}).get(system, 0)
    beside = f" (the source has {usual})" if usual else ""
    first = f", such as {listed(missing, MOST_NAMED)}" if missing else ""
    return (
        f"{system}: {len(missing)} of {len(case.y_true)} instances have no line in "
        f"{about['systems'][system]}{beside}{first}; their predictions count as empty"
    )


def _findings(case: Case, about: Mapping[str, Any], rows: Iterable[Published]) -> Iterator[Finding]:
    """Yield what is not as it should be in the folder of a case."""
    for system in case.missing:
        yield Finding(case.name, "missing", _without_line(case, system, about))
    named = dict.fromkeys(row.system for row in rows if row.system)
    gone = [s for s in named if s not in case.systems and s not in case.absent]
    if gone:
        yield Finding(case.name, "missing", f"there are no predictions of {listed(gone)}")
    if case.absent:
        yield Finding(case.name, "absent", f"no file of {listed(case.absent)}")
    if case.unlisted:
        others = listed(case.unlisted, MOST_NAMED)
        remedy = "not read (for systems of your own there is hierpair score)"
        yield Finding(case.name, "unused", f"no case lists {others}; {remedy}")


def _measure(text: str) -> Measure | None:
    """Return the measure that a text names, or None for a formula."""
    word = text.partition("(")[0].strip()
    return measure(text) if word in REGISTRY else None


def _from_printed(row: Published, rows: list[Published]) -> float:
    """Return a ratio of confusion counts from the counts printed beside it, NaN without them."""
    m = _measure(row.measure)
    if m is None or m.definition.family != "confusion" or m.definition.name in CELLS:
        return math.nan
    cells = {}
    for other in rows:
        kind = other.measure.partition("(")[0]
        if other.system == row.system and kind in CELLS:
            cells[kind] = np.array([float(other.printed)])
    if len(cells) < len(CELLS):
        return math.nan
    columns = {key.removeprefix("hcm_"): cell for key, cell in cells.items()}
    return float(m.values(columns)[0])
