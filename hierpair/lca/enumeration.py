"""The minimal graphs of one instance by enumeration: sets of LCAs, independent parts, Pareto sets.

Label-free: classes are bits, a path is a mask. See :func:`smallest_graphs` for what is minimised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from hierpair.lca.outcomes import Outcome, measured, undominated
from hierpair.lca.part_graphs import End, Part, Work, graphs_of_part

__all__ = ["Choice", "Problem", "smallest_graphs"]


@dataclass(frozen=True)
class Choice:
    """A label that has to reach an LCA of its requirement.

    Attributes
    ----------
    side
        0 true, 1 predicted.
    masks
        LCA (as a bit number) → the masks of all shortest paths to it.
    """

    side: int
    masks: dict[int, tuple[int, ...]]


class Problem(NamedTuple):
    """What one instance may choose from; classes are bits.

    Attributes
    ----------
    choices
        The labels with a requirement that have a choice left.
    ends
        (side, LCA) → masks of all paths of that side that end there, for LCAs at which no label
        without a choice ends.
    marked
        Mask of all LCAs, whether they are still to be chosen from or not.
    fixed, ended
        By side, the classes of labels without a choice, and the LCAs at which these end.
    """

    choices: list[Choice]
    ends: dict[End, tuple[int, ...]]
    marked: int
    fixed: tuple[int, int] = (0, 0)
    ended: tuple[int, int] = (0, 0)


def smallest_graphs(problem: Problem) -> list[Outcome]:
    """Return the Pareto-best pairs of graphs of an instance, without labels that have no link.

    Minimised are, in this order: the number of LCAs that meet every requirement; the number of
    marked classes (the LCAs of all requirements) in both graphs together. Of what is left, an
    outcome is kept if it can have the largest F whatever the labels without a link are.

    Raises
    ------
    TooMany
        If more than ``MOST_STATES`` partial graphs at a time, or more than ``MOST_WORK`` sets
        and partial graphs in all would be needed.
    """
    work = Work()
    fewest: int | None = None
    kept: list[Outcome] = []
    for lcas in _hitting_sets(problem, work):
        count, found = _graphs(problem, lcas, work)
        if fewest is None or count < fewest:
            fewest, kept = count, []
        if count == fewest:
            kept += found
    return undominated(kept)


def _hitting_sets(problem: Problem, work: Work) -> Iterator[tuple[int, ...]]:
    """Yield all smallest sets of LCAs that meet every requirement."""
    requirements = [c.masks.keys() for c in problem.choices]
    ended = problem.ended[0] | problem.ended[1]
    forced = {a for a in range(ended.bit_length()) if ended >> a & 1}
    forced.update(next(iter(d)) for d in requirements if len(d) == 1)
    open_ = [d for d in requirements if d.isdisjoint(forced)]
    candidates = sorted(set().union(*open_)) if open_ else []
    for size in range(len(candidates) + 1):
        found = False
        for extra in combinations(candidates, size):
            work.spend(1)
            if all(not d.isdisjoint(extra) for d in open_):
                found = True
                yield tuple(sorted(forced.union(extra)))
        if found:
            return


def _graphs(problem: Problem, lcas: tuple[int, ...], work: Work) -> tuple[int, list[Outcome]]:
    """Return the fewest marked classes, and the outcomes with so many, for one set of LCAs."""
    ends, marked = problem.ends, problem.marked
    fixed = list(problem.fixed)
    ended = {(s, a) for s in (0, 1) for a in lcas if problem.ended[s] >> a & 1}
    labels: list[tuple[int, list[tuple[int, int]]]] = []
    for c in problem.choices:
        options = [(a, path) for a in lcas if a in c.masks for path in c.masks[a]]
        reached = {a for a, _ in options}
        if len(reached) == 1:
            ended.add((c.side, options[0][0]))
        if len(options) == 1:
            fixed[c.side] |= options[0][1]
        else:
            labels.append((c.side, options))
    may_end = {(side, a) for side, options in labels for a, _ in options}
    for end in [(s, a) for s in (0, 1) for a in lcas if (s, a) not in ended]:
        if end not in may_end and len(ends[end]) == 1:
            fixed[end[0]] |= ends[end][0]
            ended.add(end)
    needed = {(s, a): ends[s, a] for s in (0, 1) for a in lcas if (s, a) not in ended}
    region = 0
    count = 0
    found = [Outcome(0, 0, 0, (0, 0), ())]
    for part in _parts(labels, needed, fixed[0] & fixed[1]):
        region |= part.mask
        fewest, outcomes = graphs_of_part(part, marked, fixed, work)
        count += fewest
        work.spend(len(found) * len(outcomes))
        found = undominated([a.joined(b) for a in found for b in outcomes])
    rest = [fixed[0] & ~region, fixed[1] & ~region]
    count += ((rest[0] | rest[1]) & marked).bit_count()
    base = measured(rest[0], rest[1])
    whole = Outcome(base[0], base[1], base[2], (fixed[0], fixed[1]), lcas)
    return count, [whole.joined(o) for o in found]


def _parts(
    labels: list[tuple[int, list[tuple[int, int]]]],
    needed: dict[End, tuple[int, ...]],
    decided: int,
) -> list[Part]:
    """Split what is undecided into parts that share no undecided class and no end."""
    found: list[tuple[Part, set[End]]] = []
    for side, options in labels:
        mask = 0
        for _, path in options:
            mask |= path
        _join(found, Part([(side, options)], {}, mask & ~decided), {(side, a) for a, _ in options})
    for end, paths in needed.items():
        mask = 0
        for path in paths:
            mask |= path
        _join(found, Part([], {end: paths}, mask & ~decided), {end})
    return [part for part, _ in found]


def _join(parts: list[tuple[Part, set[End]]], new: Part, met: set[End]) -> None:
    """Add a part, united with all that share a class or an end with it."""
    apart = []
    for part, ends in parts:
        if part.mask & new.mask or not ends.isdisjoint(met):
            new = Part(part.labels + new.labels, part.ends | new.ends, part.mask | new.mask)
            met = ends | met
        else:
            apart.append((part, ends))
    parts[:] = [*apart, (new, met)]
