"""A comparison as people read it, scores with ranks, intervals, pairs, and as records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.comparison.comparison_data import MARK, ComparisonData
from hierpair.comparison.shared_instances import common_notes, n_compared
from hierpair.comparison.statistics.tests_by_name import all_pairs
from hierpair.evaluation.looks import Look, equal_columns
from hierpair.evaluation.notes import doubts_by_system
from hierpair.measures import Measure
from hierpair.tables.records import Block, Form, Page, Records
from hierpair.tables.result import ScoreTable, laid_out
from hierpair.tables.text import number

__all__ = ["page_of", "pair_records", "score_records"]


def page_of(found: ComparisonData, form: Form, look: Look, *, pairs: bool, grouped: bool) -> Page:
    """Return the tables of a comparison for a form, with notes and signatures.

    A typeset page has intervals only where pairs are asked for. With ``grouped`` measures that
    have the same values for all systems are one column of a form that has a width.
    """
    look = look.checked(found.systems, found.measures)
    kept: Sequence[int] = range(len(found.measures))
    same: list[str] = []
    if grouped and form.width is not None:
        kept, same = equal_columns(found.values, found.measures, look)
    foot = common_notes(found.scores, lambda m: look.heading(m, typeset=form.typeset, arrow=False))
    tables = [replace(_scores(found, look, kept), foot=foot), _intervals(found, look, kept)]
    blocks = laid_out(tables[:1] if form.typeset and not pairs else tables, form, look)
    if pairs:
        blocks.append(_pairs(found, look, typeset=form.typeset))
    return Page(blocks, [*same, *found.notes], found.signatures, look.caption, look.label)


def _order(found: ComparisonData) -> list[int]:
    """Return the systems from the best to the worst by the first measure."""
    order: list[int] = np.argsort(-found.upwards[:, 0], kind="stable").tolist()
    return order


def _scores(found: ComparisonData, look: Look, kept: Sequence[int]) -> ScoreTable:
    """Return scores with ranks and the mean number of labels; the truth comes last."""
    order = _order(found)
    cells = [
        [*(_cell(found, look, i, k) for k in kept), number(found.mean_labels(found.systems[i]), 2)]
        for i in order
    ]
    is_best = found.upwards == found.upwards.max(axis=0)
    best = [{c for c, k in enumerate(kept) if is_best[i, k]} for i in order]
    systems = [found.systems[i] for i in order]
    truth = found.scores.mean_labels.get("y_true")
    if truth is not None:
        systems.append("(truth)")
        cells.append([*("" for _ in kept), number(truth, 2)])
        best.append(set())
    return ScoreTable(systems, [*(found.measures[k] for k in kept), "labels"], cells, best)


def _cell(found: ComparisonData, look: Look, i: int, k: int) -> str:
    best = int(np.argmax(found.upwards[:, k]))
    mark = MARK if found.significant[k, best, i] else ""
    return f"{look.cell(found.measures[k], float(found.values[i, k]))}{mark} ({found.ranks[i, k]})"


def _intervals(found: ComparisonData, look: Look, kept: Sequence[int]) -> ScoreTable:
    order = _order(found)
    cells = [
        [
            " … ".join(
                look.cell(found.measures[k], float(end[i, k])) for end in (found.low, found.high)
            )
            for k in kept
        ]
        for i in order
    ]
    of_blocks = f" of {found.n_blocks:,} blocks" if found.n_blocks else ""
    kind = "t over runs" if found.runs else f"{found.plan.interval} bootstrap{of_blocks}"
    title = f"{100 * found.plan.level:g} % intervals ({kind})"
    measures = [found.measures[k] for k in kept]
    return ScoreTable([found.systems[i] for i in order], measures, cells, title=title)


def _pairs(found: ComparisonData, look: Look, *, typeset: bool) -> Block:
    header = ["measure", "system", "other", "difference", "interval"]
    told = f"* p adjusted ≤ {found.plan.alpha:g}"
    if found.wins is not None:
        header += ["wins", "losses", found.plan.effect]
        told = f"wins and effects count for the first; {told}"
    header += ["p", "p adjusted"]
    by_name = {m.name: m for m in found.measures}
    decimals = 4 if look.percent else look.decimals
    rows = []
    for row in pair_records(found).to_dicts():
        m = by_name[row["measure"]]
        gap, low, high = (look.cell(m, row[k], sign=True) for k in ("difference", "low", "high"))
        p, adjusted = (number(row[k], decimals) for k in ("p", "p_adjusted"))
        names = [look.heading(m, typeset=typeset, arrow=False)]
        names += [look.name(row["system"]), look.name(row["other"])]
        counts = list[str]()
        if found.wins is not None:
            counts = [str(row["wins"]), str(row["losses"]), f"{row['effect']:+.3f}"]
        mark = " *" if row["significant"] else ""
        rows.append([*names, gap, f"{low} … {high}", *counts, p, adjusted + mark])
    return Block(header, rows, f"Pairs: {told}", align="lll" + "r" * (len(header) - 3))


def score_records(found: ComparisonData) -> Records:
    """Return a record per system and measure."""
    doubts = doubts_by_system(found.scores)
    rows = []
    for i, system in enumerate(found.systems):
        runs = found.runs.get(system, ())
        for k, m in enumerate(found.measures):
            row = {
                "system": system,
                "measure": m.name,
                "value": float(found.values[i, k]),
                "low": float(found.low[i, k]),
                "high": float(found.high[i, k]),
                "rank": int(found.ranks[i, k]),
                "better": m.definition.direction,
                "n_instances": found.scores.n_instances,
                "labels": found.mean_labels(system),
                "n_runs": max(1, len(runs)),
                "signature": m.signature,
                "comparison": found.signature,
            }
            if doubts:
                row["doubts"] = doubts[next(iter(runs), system)]
            rows.append(row | _n_compared(found, m))
    return Records.from_dicts(rows)


def pair_records(found: ComparisonData) -> Records:
    """Return a record per pair of systems and measure."""
    rows = []
    for k, m in enumerate(found.measures):
        for i, j in all_pairs(len(found.systems)).tolist():
            gain = found.upwards[i, k] - found.upwards[j, k]
            row: dict[str, Any] = {
                "measure": m.name,
                "system": found.systems[i],
                "other": found.systems[j],
                "difference": float(found.difference[k, i, j]),
                "low": float(found.difference_low[k, i, j]),
                "high": float(found.difference_high[k, i, j]),
                "better": found.systems[i] if gain > 0 else found.systems[j] if gain < 0 else "",
                **_of_instances(found, k, i, j),
                "p": float(found.p[k, i, j]),
                "p_adjusted": float(found.p_adjusted[k, i, j]),
                "significant": bool(found.significant[k, i, j]),
                "signature": m.signature,
                "comparison": found.signature,
            }
            rows.append(row | _n_compared(found, m))
    return Records.from_dicts(rows)


def _of_instances(found: ComparisonData, k: int, i: int, j: int) -> dict[str, float]:
    """Return wins, losses, ties and the effect size of a pair, where instances were compared."""
    if found.wins is None or found.effect is None:
        return {}
    won, lost = int(found.wins[k, i, j]), int(found.wins[k, j, i])
    ties = n_compared(found.scores, found.measures[k]) - won - lost
    effect = float(found.effect[k, i, j])
    return {"wins": won, "losses": lost, "ties": ties, "effect": effect}


def _n_compared(found: ComparisonData, m: Measure) -> dict[str, int]:
    """Over how many instances, where some are left out."""
    return {"n_compared": n_compared(found.scores, m)} if found.scores.n_infeasible else {}
