"""A comparison as people read it: scores with ranks, intervals, pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hierpair.comparison.records import paper_form
from hierpair.comparison.shared_instances import common_notes
from hierpair.evaluation.score_tables import Block, Look, ScoreTable, equal_columns, laid_out
from hierpair.tables.formats import number

if TYPE_CHECKING:
    from hierpair.comparison.result import Comparison

__all__ = ["MARK", "in_words"]

MARK = "†"
"""Stands at a system that is significantly worse than the best."""


def in_words(found: Comparison, fmt: str, look: Look, *, pairs: bool, grouped: bool) -> str:
    """Return the tables as text, Markdown or LaTeX, with notes and signatures.

    LaTeX has intervals only where pairs are asked for. With ``grouped`` measures that have the
    same values for all systems are one column of a text.
    """
    look = look.checked(found.systems, found.measures)
    kept: Sequence[int] = range(len(found.measures))
    same: list[str] = []
    if grouped and fmt == "text":
        kept, same = equal_columns(found.values, found.measures, look)
    tables = [_scores(found, look, kept), _intervals(found, look, kept)]
    blocks = laid_out(tables[:1] if fmt == "latex" and not pairs else tables, fmt, look)
    foot = common_notes(found.scores, lambda m: look.heading(m, "latex", arrow=False))
    blocks[0] = replace(blocks[0], foot=foot)
    if pairs:
        blocks.append(_pairs(found, look, fmt))
    return paper_form(
        fmt, blocks, [*same, *found.notes], found.signatures, look.caption, look.label
    )


def _order(found: Comparison) -> list[int]:
    """Return the systems from the best to the worst by the first measure."""
    order: list[int] = np.argsort(-found.upwards[:, 0], kind="stable").tolist()
    return order


def _scores(found: Comparison, look: Look, kept: Sequence[int]) -> ScoreTable:
    """Return scores with ranks and the mean number of labels; the truth comes last."""
    order = _order(found)
    cells = [
        [*(_cell(found, look, i, k) for k in kept), number(found.mean_labels(found.systems[i]), 2)]
        for i in order
    ]
    best = [{c for c, k in enumerate(kept) if _is_best(found, i, k)} for i in order]
    systems = [found.systems[i] for i in order]
    truth = found.scores.mean_labels.get("y_true")
    if truth is not None:
        systems.append("(truth)")
        cells.append([*("" for _ in kept), number(truth, 2)])
        best.append(set())
    return ScoreTable(systems, [*(found.measures[k] for k in kept), "labels"], cells, best)


def _is_best(found: Comparison, i: int, k: int) -> bool:
    column = found.upwards[:, k]
    return bool(column[i] == column.max())


def _cell(found: Comparison, look: Look, i: int, k: int) -> str:
    best = int(np.argmax(found.upwards[:, k]))
    mark = MARK if found.significant[k, best, i] else ""
    return f"{look.cell(found.measures[k], float(found.values[i, k]))}{mark} ({found.ranks[i, k]})"


def _intervals(found: Comparison, look: Look, kept: Sequence[int]) -> ScoreTable:
    order = _order(found)
    cells = [
        [
            f"{look.cell(found.measures[k], float(found.low[i, k]))} … "
            f"{look.cell(found.measures[k], float(found.high[i, k]))}"
            for k in kept
        ]
        for i in order
    ]
    kind = "t over runs" if found.runs else f"{found.plan.interval} bootstrap"
    title = f"{100 * found.plan.level:g} % intervals ({kind})"
    measures = [found.measures[k] for k in kept]
    return ScoreTable([found.systems[i] for i in order], measures, cells, title=title)


def _pairs(found: Comparison, look: Look, fmt: str) -> Block:
    header = ["measure", "system", "other", "difference", "interval", "wins", "losses",
              found.plan.effect, "p", "p adjusted"]  # fmt: skip
    records = found.records(pairs=True)
    at = {name: position for position, name in enumerate(records.header)}
    by_name = {m.name: m for m in found.measures}
    rows = []
    for row in records.rows:
        m = by_name[row[0]]
        low, high = (look.cell(m, row[k], sign=True) for k in (4, 5))
        adjusted = number(row[at["p_adjusted"]], look.decimals if not look.percent else 4)
        rows.append(
            [look.heading(m, fmt, arrow=False), look.name(row[1]), look.name(row[2]),
             look.cell(m, row[3], sign=True), f"{low} … {high}", str(row[at["wins"]]),
             str(row[at["losses"]]), f"{row[at['effect']]:+.3f}",
             number(row[at["p"]], look.decimals if not look.percent else 4),
             adjusted + (" *" if row[at["significant"]] else "")]
        )  # fmt: skip
    told = f"Pairs: wins and effects count for the first; * p adjusted ≤ {found.plan.alpha:g}"
    return Block(header, rows, told, align="lll" + "r" * 7)
