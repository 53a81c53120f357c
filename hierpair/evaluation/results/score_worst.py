"""The worst instances that a partial keeps, as tables beside its scores."""

from __future__ import annotations

from collections.abc import Sequence

from hierpair.evaluation.results.score_data import ScoreData
from hierpair.evaluation.results.score_tables import Look
from hierpair.tables.records import Block, Records

__all__ = ["worst_records", "worst_table"]


def worst_records(scores: ScoreData) -> Records:
    """Return a record per system, measure and kept instance, the worst first."""
    kept = scores.partial.sums if scores.partial is not None else ()
    rows = [
        [system, m.name, name, value]
        for system, one in zip(scores.systems, kept, strict=False)
        for m, worst in zip(scores.measures, one.worst, strict=False)
        for value, name in worst
    ]
    return Records(["system", "measure", "instance", "value"], rows)


def worst_table(scores: ScoreData, look: Look, numbers: Sequence[int]) -> Block | None:
    """Return the same under the measures with these numbers, or None where nothing is kept."""
    named = {scores.measures[k].name: scores.measures[k] for k in numbers}
    records = worst_records(scores)
    rows = [
        [look.name(system), look.name(name), instance, look.cell(named[name], value)]
        for system, name, instance, value in records.rows
        if name in named
    ]
    if not rows:
        return None
    return Block(records.header, rows, title="worst instances", align="lllr")
