"""The minimal graphs of one instance by enumeration: sets of LCAs, independent parts, Pareto sets.

Label-free: classes are bits, a path is a mask. See :func:`smallest_graphs` for what is minimised.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from hierpair.lca.outcomes import Outcome, bits_set, measured, undominated
from hierpair.lca.part_graphs import End, Part, Work, graphs_of_part

__all__ = ["Choice", "Problem", "smallest_graphs"]


NOTHING = Outcome(0, 0, 0, (0, 0))
"""Empty graphs, to which the parts of an instance are joined."""


class Choice(NamedTuple):
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


def _hitting_sets(problem: Problem, work: Work) -> Iterator[int]:
    """Yield all smallest sets of LCAs that meet every requirement, as masks."""
    forced = problem.ended[0] | problem.ended[1]
    requirements = []
    for choice in problem.choices:
        mask = 0
        for a in choice.masks:
            mask |= 1 << a
        requirements.append(mask)
        if len(choice.masks) == 1:
            forced |= mask
    open_ = [mask for mask in requirements if not mask & forced]
    candidates = 0
    for mask in open_:
        candidates |= mask
    each = [1 << a for a in bits_set(candidates)]
    for size in range(len(each) + 1):
        found = False
        for extra in combinations(each, size):
            work.spend(1)
            chosen = sum(extra)
            if all(mask & chosen for mask in open_):
                found = True
                yield forced | chosen
        if found:
            return


def _graphs(problem: Problem, chosen: int, work: Work) -> tuple[int, list[Outcome]]:
    """Return the fewest marked classes, and the outcomes with so many, for one set of LCAs."""
    ends, marked = problem.ends, problem.marked
    fixed, ended = list(problem.fixed), list(problem.ended)
    labels: list[tuple[int, list[tuple[int, int]]]] = []
    for side, masks in problem.choices:
        met = [a for a in masks if chosen >> a & 1]
        options = [(a, path) for a in met for path in masks[a]]
        if len(met) == 1:
            ended[side] |= 1 << met[0]
        if len(options) == 1:
            fixed[side] |= options[0][1]
        else:
            labels.append((side, options))
    needed: dict[End, tuple[int, ...]] = {}
    for side in (0, 1):
        for a in bits_set(chosen & ~ended[side]):
            if len(ends[side, a]) > 1:
                needed[side, a] = ends[side, a]
            else:  # taken by whichever label reaches the end
                fixed[side] |= ends[side, a][0]
    region = count = 0
    found = [NOTHING]
    for part in _parts(labels, needed, fixed[0] & fixed[1]):
        region |= part.mask
        fewest, outcomes = graphs_of_part(part, marked, fixed, work)
        count += fewest
        work.spend(len(found) * len(outcomes))
        found = undominated([b if a is NOTHING else a.joined(b) for a in found for b in outcomes])
    rest = fixed[0] & ~region, fixed[1] & ~region
    count += ((rest[0] | rest[1]) & marked).bit_count()
    whole = Outcome(*measured(*rest), (fixed[0], fixed[1]), chosen)
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
