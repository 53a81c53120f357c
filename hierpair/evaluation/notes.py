"""Notes beside scores: what was left out, doubtful or not minimal, in a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hierpair.errors import counted
from hierpair.lca import BOUND, SOLVED_BY, SOLVER
from hierpair.measures import Measure

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores

UNUSED_SCORES = (
    "scores of predictions were not used: every label with a score counts; --min-score X (in "
    "Python min_score) leaves out labels with a lower one"
)

Sentence = tuple[str, str, str]
"""System (or another side), measure (or ""), and what is to be known of them."""


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
    outside = "outside the hierarchy, dropped or replaced on request"
    absent = "without prediction, counted as empty on request"
    left_out = "without a possible pairing, left out on request"
    sides: list[Sentence] = [
        *((s, "", f"{counted(n, 'label')} {outside}") for s, n in scores.n_unknown.items() if n),
        *((s, "", f"{counted(n, 'instance')} {absent}") for s, n in scores.n_missing.items() if n),
    ]
    sentences: list[Sentence] = [
        (*key, f"{_instances(n)} {left_out}") for key, n in scores.n_infeasible.items()
    ]
    sentences += [
        (*key, "bound: the limit of the solver was reached for "
               f"{_instances(ways[SOLVED_BY[BOUND]])}, and the best graphs so far count, which may "
               "not be the minimal ones")
        for key, ways in scores.solved_by.items()
        if SOLVED_BY[BOUND] in ways
    ]  # fmt: skip
    sentences += [
        (*key, f"{text} ({_instances(n)})")
        for key, texts in scores.remarks.items()
        for text, n in texts.items()
    ]
    sentences += [
        (scores.systems[i], scores.measures[k].name, "infinite, which JSON cannot write (null)")
        for i, k in np.argwhere(np.isinf(scores.values)).tolist()
    ]
    notes = [f"{counted(scores.n_instances, 'instance')}; ↑ higher is better, ↓ lower is better"]
    notes += together(sides, scores.systems)
    for m in scores.measures:  # a line for every measure, so that none is hidden among others
        notes += together([line for line in sentences if line[1] == m.name], scores.systems)
    notes += uneven_notes(scores)
    if scores.unused_scores:
        notes.append(f"{each_of(scores.unused_scores, scores.systems)}: {UNUSED_SCORES}")
    return notes + [f"the hierarchy has {doubt}" for doubt in scores.doubts]


def uneven_measures(scores: Scores) -> list[Measure]:
    """Return the measures whose pooled scores leave out other instances for other systems."""
    if scores.partial is not None:
        differ = [scores.partial.truth[f"uneven {k}"] for k in range(len(scores.partial.measures))]
        return [m for m in scores.measures if differ[scores.partial.measures.index(m)]]

    def left_out(system: str, m: Measure) -> list[int]:
        return list(scores.infeasible_at.get((system, m.name), ()))

    if not scores.infeasible_at:
        return []
    first, *others = scores.systems
    return [m for m in scores.measures if any(left_out(s, m) != left_out(first, m) for s in others)]


def uneven_notes(
    scores: Scores,
    name: Callable[[str], str] = str,
    heading: Callable[[Measure], str] = lambda m: m.name,
) -> list[str]:
    """Return a line for every measure under which the systems have no best one."""
    notes, n = [], scores.n_instances
    for m in uneven_measures(scores):
        left_out = {s: scores.n_infeasible.get((s, m.name), 0) for s in scores.systems}
        told = "; ".join(f"{name(s)}: {n - k:,} of {n:,}" for s, k in left_out.items())
        notes.append(
            f"{heading(m)}: the values are not over the same instances ({told}), so no system is "
            "marked as the best; compare (hierpair compare) takes the instances that have a "
            "pairing under all systems"
        )
    return notes


def solver_notes_of(scores: Scores, *, only_hard: bool = False) -> list[Sentence]:
    """Return how many graphs of LCA measures were found in which way.

    With ``only_hard`` only where CP-SAT solved some, or the limit stopped it.
    """
    return [
        (*key, ", ".join(f"{ways[way]:,} {way}" for way in SOLVED_BY if way in ways))
        for key, ways in scores.solved_by.items()
        if not only_hard or ways.keys() & {SOLVED_BY[SOLVER], SOLVED_BY[BOUND]}
    ]


def _instances(n: int) -> str:
    return f"{n:,} instance{'s' * (n != 1)}"


def together(sentences: Iterable[Sentence], systems: Sequence[str]) -> list[str]:
    """Return a line for all of these systems, and the truth, of which the same is to be known.

    >>> together([("a", "hf", "1 x"), ("b", "hf", "1 x"), ("b", "hp", "2 x")], ["a", "b"])
    ['each of the 2 systems, hf: 1 x', 'b, hp: 2 x']
    """
    measures: dict[tuple[str, str], list[str]] = {}
    for system, name, text in sentences:
        if system in (*systems, "y_true"):
            measures.setdefault((system, text), []).append(name)
    alike: dict[str, list[str]] = {}
    for (system, text), names in measures.items():
        of = f", {', '.join(names)}" if names[0] else ""
        alike.setdefault(f"{of}: {text}", []).append(system)
    return [f"{each_of(some, systems)}{line}" for line, some in alike.items()]


def each_of(some: Sequence[str], systems: Sequence[str]) -> str:
    """Return whom a number belongs to: a system, or each of several."""
    if len(some) == 1:
        return some[0]
    every = len(some) == len(systems)
    return f"each of {f'the {len(systems)} systems' if every else ', '.join(some)}"
