"""Notes beside scores: what was left out, doubtful or not minimal, in a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hierpair.errors import counted
from hierpair.lca import BOUND, SOLVED_BY, SOLVER
from hierpair.measures import Measure

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores

__all__ = [
    "UNUSED_SCORES",
    "by_system",
    "doubts_by_system",
    "each_of",
    "notes_of",
    "solver_notes_of",
    "together",
    "uneven_measures",
    "uneven_notes",
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
    sentences: list[Sentence] = [
        (system, name, f"{_counted(n)} without a possible pairing, left out on request")
        for (system, name), n in scores.n_infeasible.items()
    ]
    sentences += [
        (system, name, "bound: the limit of the solver was reached for "
                       f"{_counted(ways[SOLVED_BY[BOUND]])}, and the best "
                       "graphs so far count, which may not be the minimal ones")
        for (system, name), ways in scores.solved_by.items()
        if SOLVED_BY[BOUND] in ways
    ]  # fmt: skip
    sentences += [
        (system, name, f"{text} ({_counted(n)})")
        for (system, name), texts in scores.remarks.items()
        for text, n in texts.items()
    ]
    sentences += [
        (scores.systems[i], scores.measures[k].name, "infinite, which JSON cannot write (null)")
        for i, k in np.argwhere(np.isinf(scores.values)).tolist()
    ]
    for m in scores.measures:  # a line for every measure, so that none is hidden among others
        notes += together([line for line in sentences if line[1] == m.name], scores.systems)
    notes += uneven_notes(scores)
    if scores.unused_scores:
        notes.append(f"{each_of(scores.unused_scores, scores.systems)}: {UNUSED_SCORES}")
    return notes + [f"the hierarchy has {doubt}" for doubt in scores.doubts]


def uneven_measures(scores: Scores) -> list[Measure]:
    """Return the measures whose pooled scores leave out other instances for other systems."""
    if scores.partial is not None:
        differ = dict(zip(scores.partial.measures, scores.partial.uneven, strict=True))
        return [m for m in scores.measures if differ[m]]
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
            at = scores.infeasible_at.get((system, m.name))
            left_out = scores.n_infeasible.get((system, m.name), 0) if at is None else len(at)
            alike.setdefault(scores.n_instances - left_out, []).append(shown)
        told = "; ".join(f"{each_of(of, systems)}: {n:,} of {scores.n_instances:,}"
                         for n, of in alike.items())  # fmt: skip
        notes.append(
            f"{heading(m)}: the values are not over the same instances ({told}), so "
            "no system is marked as the best; compare (hierpair compare) takes the "
            "instances that have a pairing under all systems"
        )
    return notes


def solver_notes_of(scores: Scores, *, only_hard: bool = False) -> list[Sentence]:
    """Return how many graphs of LCA measures were found in which way.

    With ``only_hard`` only where CP-SAT solved some, or the limit stopped it.
    """
    return [
        (system, name, ", ".join(f"{ways[way]:,} {way}" for way in SOLVED_BY if way in ways))
        for (system, name), ways in scores.solved_by.items()
        if not only_hard or ways.keys() & {SOLVED_BY[SOLVER], SOLVED_BY[BOUND]}
    ]


def _counted(n: int) -> str:
    return f"{n:,} instance{'s' * (n != 1)}"


def by_system(
    counts: Mapping[str, int], systems: Sequence[str], thing: str, words: str
) -> list[str]:
    """Return a line for every number of things above 0, one for all systems with the same.

    >>> by_system({"y_true": 1, "a": 2, "b": 2, "c": 0}, ["a", "b", "c"], "label", "left out")
    ['y_true: 1 label left out', 'each of a, b: 2 labels left out']
    """
    alike: dict[int, list[str]] = {}
    for name in systems:
        if counts.get(name):
            alike.setdefault(counts[name], []).append(name)
    others = {name: n for name, n in counts.items() if n and name not in systems}
    return [
        *(f"{name}: {counted(n, thing)} {words}" for name, n in others.items()),
        *(f"{each_of(of, systems)}: {counted(n, thing)} {words}" for n, of in alike.items()),
    ]


Sentence = tuple[str, str, str]
"""System, measure, and what is to be known of them."""


def together(sentences: Iterable[Sentence], systems: Sequence[str]) -> list[str]:
    """Return a line for all of these systems and measures of which the same is to be known.

    >>> together([("a", "hf", "1 x"), ("b", "hf", "1 x"), ("b", "hp", "2 x")], ["a", "b"])
    ['each of the 2 systems, hf: 1 x', 'b, hp: 2 x']
    """
    measures: dict[tuple[str, str], list[str]] = {}
    for system, name, text in sentences:
        if system in systems:
            measures.setdefault((system, text), []).append(name)
    alike: dict[str, list[str]] = {}
    for (system, text), names in measures.items():
        alike.setdefault(f"{', '.join(names)}: {text}", []).append(system)
    return [f"{each_of(of, systems)}, {line}" for line, of in alike.items()]


def each_of(some: Sequence[str], systems: Sequence[str]) -> str:
    """Return whom a number belongs to: a system, or each of several."""
    if len(some) == 1:
        return some[0]
    every = len(some) == len(systems)
    return f"each of {f'the {len(systems)} systems' if every else ', '.join(some)}"
