"""Notes beside scores: what was left out, doubtful or not minimal, in a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hierpair.errors import counted
from hierpair.lca import BOUND, SOLVED_BY, SOLVER
from hierpair.measures import Measure
from hierpair.measures.recipes.batch import NOTHING_LEFT

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores

UNUSED_SCORES = (
    "scores of predictions were not used: every label with a score counts; --min-score X (in "
    "Python min_score) leaves out labels with a lower one"
)

LIMIT = (
    "bound: the limit of the solver was reached for {}, and the best graphs so far count, which "
    "may not be the minimal ones"
)

Sentence = tuple[str, str, str]
"""System (or another side), measure (or ""), and what is to be known of them."""


COUNTS = (
    ("n_unknown", "label", "outside the hierarchy, dropped or replaced on request"),
    ("n_missing", "instance", "without prediction, counted as empty on request"),
    ("n_infeasible", "instance", "without a possible pairing, left out on request"),
)
"""What scores count, of what, and what was done with it."""


def doubts_by_system(scores: Scores) -> dict[str, str]:
    """Return by system what casts doubt on its numbers; nothing where that is so for none.

    Tables for programs have a column of these where there are some.
    """
    if not (scores.doubts or scores.unused_scores):
        return {}
    unused = {s: [UNUSED_SCORES] * (s in scores.unused_scores) for s in scores.systems}
    return {s: "; ".join([*scores.doubts, *more]) for s, more in unused.items()}


def notes_of(scores: Scores) -> list[str]:
    """Return what has to be known beside the numbers, a line for all systems with the same."""
    told, left = list[Sentence](), list[Sentence]()
    for name, thing, what in COUNTS:
        for key, every in getattr(scores, name).items():
            of = key if isinstance(key, tuple) else (key, "")
            if n := every - scores.remarks.get(of, {}).get(NOTHING_LEFT, 0):
                told.append((*of, f"{counted(n, thing)} {what}"))
    for key, ways in scores.solved_by.items():
        if n := ways.get(SOLVED_BY[BOUND], 0):
            told.append((*key, LIMIT.format(counted(n, "instance", ","))))
    told += [(system, "", UNUSED_SCORES) for system in scores.unused_scores]
    for key, texts in scores.remarks.items():
        for text, n in texts.items():
            many = counted(n, "instance", ",")
            if text == NOTHING_LEFT:
                left.append((*key, f"{many} with {text}"))
            else:
                told.append((*key, f"{text} ({many})"))
    for i, k in np.argwhere(np.isinf(scores.values)).tolist():
        infinite = "infinite, which JSON cannot write (null)"
        told.append((scores.systems[i], scores.measures[k].name, infinite))
    notes = [f"{counted(scores.n_instances, 'instance')}; ↑ higher is better, ↓ lower is better"]
    notes += together(left, scores.systems)
    for name in ("", *(m.name for m in scores.measures)):  # none is hidden among others
        notes += together([line for line in told if line[1] == name], scores.systems)
    ignored = None if scores.scored is None else scores.scored.truth.ignored
    if ignored is not None:
        n = counted(int((ignored.lengths > 0).sum()), "instance", ",")
        notes.append(f"{n} with classes that do not count there, as asked (ignore)")
    notes += [f"{m.name}: {text}" for m in scores.measures for text in m.notes]
    return notes + uneven_notes(scores) + [f"the hierarchy has {doubt}" for doubt in scores.doubts]


def uneven_measures(scores: Scores) -> list[Measure]:
    """Return the measures whose pooled scores leave out other instances for other systems."""
    one, at = scores.partial, scores.infeasible_at
    if one is not None:
        return [m for m in scores.measures if one.truth[f"uneven {one.measures.index(m)}"]]
    return [
        m for m in scores.measures
        if len({bytes(at.get((s, m.name), b"")) for s in scores.systems}) > 1
    ]  # fmt: skip


def uneven_notes(scores: Scores, heading: Callable[[Measure], str] = lambda m: m.name) -> list[str]:
    """Return a line for every measure under which the systems have no best one."""
    return [
        f"{heading(m)}: the values are not over the same instances, so no system is marked as the "
        "best; compare (hierpair compare) takes the instances that have a pairing under all systems"
        for m in uneven_measures(scores)
    ]


def solver_notes_of(scores: Scores) -> list[str]:
    """Return how many graphs of LCA measures were found in which way, where a solver had a part."""
    told = [
        (*key, ", ".join(f"{ways[way]:,} {way}" for way in SOLVED_BY if way in ways))
        for key, ways in scores.solved_by.items()
        if ways.keys() & {SOLVED_BY[SOLVER], SOLVED_BY[BOUND]}
    ]
    return together(told, scores.systems)


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
        who = "the truth" if system == "y_true" else system
        alike.setdefault(f"{of}: {text}", []).append(who)
    return [f"{each_of(some, systems)}{line}" for line, some in alike.items()]


def each_of(some: Sequence[str], systems: Sequence[str]) -> str:
    """Return whom a number belongs to: a system, or each of several."""
    if len(some) == 1:
        return some[0]
    every = len(some) == len(systems)
    return f"each of {f'the {len(systems)} systems' if every else ', '.join(some)}"
