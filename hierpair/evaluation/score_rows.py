"""Scores as rows that programs read, and as notes that stand beside a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import counted
from hierpair.evaluation.score_tables import Said, by_system, each_of, together
from hierpair.lca import BOUND, SOLVER, WAYS

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores
    from hierpair.measures import Measure

__all__ = [
    "UNUSED_SCORES",
    "doubts_by_system",
    "notes_of",
    "plain_id",
    "record_of",
    "rows_of",
    "uneven_measures",
    "uneven_notes",
    "ways_of",
]


UNUSED_SCORES = (
    "scores of predictions were not used: every label with a score counts; --min-score X (in "
    "Python min_score) leaves out labels with a lower one"
)


def doubts_by_system(scores: Scores) -> dict[str, str]:
    """Return by system what casts doubt on its numbers; nothing where that is so for none.

    Tables for programs have a column of these where there are some.
    """
    unused = {s: [UNUSED_SCORES] for s in scores.unused_scores}
    if not scores.doubts and not unused:
        return {}
    return {s: "; ".join([*scores.doubts, *unused.get(s, [])]) for s in scores.systems}


def notes_of(scores: Scores) -> list[str]:
    """Return what has to be known beside the numbers, a line for all systems with the same."""
    notes = [f"{counted(scores.n_instances, 'instance')}; ↑ higher is better, ↓ lower is better"]
    dropped = "outside the hierarchy, dropped or replaced on request"
    notes += by_system(scores.n_unknown, scores.systems, "label", dropped)
    absent = "without prediction, counted as empty on request"
    notes += by_system(scores.n_missing, scores.systems, "instance", absent)
    said: list[Said] = [
        (system, name, f"{_counted(n)} without a possible pairing, left out on request")
        for (system, name), n in scores.n_infeasible.items()
    ]
    said += [
        (system, name, f"{text} ({_counted(n)})")
        for (system, name), texts in scores.remarks.items()
        for text, n in texts.items()
    ]
    said += [
        (system, name, f"bound: the time limit was over for {_counted(ways[BOUND])}, and the best "
                       "graphs so far count, which may not be the minimal ones")
        for (system, name), ways in scores.found_by.items()
        if BOUND in ways
    ]  # fmt: skip
    for m in scores.measures:  # a line for every measure, so that none is hidden among others
        notes += together([line for line in said if line[1] == m.name], scores.systems)
    notes += uneven_notes(scores)
    if scores.unused_scores:
        notes.append(f"{each_of(scores.unused_scores, scores.systems)}: {UNUSED_SCORES}")
    return notes + [f"the hierarchy has {doubt}" for doubt in scores.doubts]


def uneven_measures(scores: Scores) -> list[Measure]:
    """Return the measures whose pooled scores leave out other instances for other systems."""
    none = np.zeros(0, dtype=np.int64)

    def uneven(m: Measure) -> bool:
        first, *others = (scores.infeasible_at.get((s, m.name), none) for s in scores.systems)
        return not all(np.array_equal(first, other) for other in others)

    return [m for m in scores.measures if uneven(m)] if scores.infeasible_at else []


def uneven_notes(
    scores: Scores,
    *,
    name: Callable[[str], str] = str,
    heading: Callable[[Measure], str] = lambda m: m.name,
) -> list[str]:
    """Return a line for every measure under which the systems have no best one.

    ``name`` and ``heading`` say what systems and measures are called.
    """
    notes = []
    systems = [name(system) for system in scores.systems]
    for m in uneven_measures(scores):
        alike: dict[int, list[str]] = {}
        for shown, system in zip(systems, scores.systems, strict=True):
            left_out = len(scores.infeasible_at.get((system, m.name), ()))
            alike.setdefault(scores.n_instances - left_out, []).append(shown)
        told = "; ".join(f"{each_of(of, systems)}: {n:,} of {scores.n_instances:,}"
                         for n, of in alike.items())  # fmt: skip
        notes.append(
            f"{heading(m)}: the values are not over the same instances ({told}), so "
            "no system is marked as the best; compare (hierpair compare) takes the "
            "instances that have a pairing under all systems"
        )
    return notes


def ways_of(scores: Scores, *, only_hard: bool = False) -> list[Said]:
    """Return how many graphs of LCA measures were found in which way.

    With ``only_hard`` only where CP-SAT solved some, or the limit stopped it.
    """
    return [
        (system, name, ", ".join(f"{n:,} {WAYS[way]}" for way, n in sorted(ways.items())))
        for (system, name), ways in scores.found_by.items()
        if not only_hard or ways.keys() & {SOLVER, BOUND}
    ]


def rows_of(scores: Scores, *, per_instance: bool = False) -> tuple[list[str], list[list[Any]]]:
    """Return a header and a row per system and measure, or per system and instance."""
    return _instance_rows(scores) if per_instance else _score_rows(scores)


def _score_rows(scores: Scores) -> tuple[list[str], list[list[Any]]]:
    doubts = doubts_by_system(scores)
    rows = [
        [
            system,
            m.name,
            float(scores.values[i, k]),
            m.definition.direction,
            scores.n_instances,
            scores.n_unknown.get("y_true", 0),
            scores.n_unknown.get(system, 0),
            scores.n_missing.get(system, 0),
            *([scores.n_infeasible.get((system, m.name), 0)] if scores.n_infeasible else []),
            m.signature,
            *([doubts[system]] if doubts else []),
        ]
        for i, system in enumerate(scores.systems)
        for k, m in enumerate(scores.measures)
    ]
    counts = ["n_instances", "n_unknown_true", "n_unknown", "n_missing"]
    counts += ["n_infeasible"] if scores.n_infeasible else []
    last = ["signature", "doubts"] if doubts else ["signature"]
    return ["system", "measure", "value", "better", *counts, *last], rows


def _instance_rows(scores: Scores) -> tuple[list[str], list[list[Any]]]:
    header = ["system", "instance", *(m.of_instance for m in scores.measures)]
    names = scores.ids or range(scores.n_instances)
    rows = [
        [system, name, *values]
        for system in scores.systems
        for name, values in zip(names, scores.per_instance[system].tolist(), strict=True)
    ]
    return header, rows


def record_of(header: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """Return a row as JSON knows it; NaN becomes None."""
    return {
        key: None if isinstance(x, float) and math.isnan(x) else x
        for key, x in zip(header, row, strict=True)
    }


def plain_id(thing: Any) -> Any:
    """Return an id that JSON does not know: a NumPy number as a number, the rest as text."""
    return thing.item() if isinstance(thing, np.generic) else str(thing)


def _counted(n: int) -> str:
    return f"{n:,} instance{'s' * (n != 1)}"
