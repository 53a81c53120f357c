"""The graphs of one part of an instance: each side by itself, then both together.

Label-free: classes are bits, a path is a mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from hierpair.lca.outcomes import Outcome, measured, undominated

__all__ = ["End", "Part", "TooMany", "Work", "graphs_of_part"]

MOST_STATES = 5_000
"""Partial graphs held at a time; with more, enumeration gives up."""

MOST_WORK = 200_000
"""Sets of LCAs and partial graphs looked at for one instance, a few tenths of a second."""

End = tuple[int, int]
"""A side (0 true, 1 predicted) and an LCA (as a bit number)."""


class TooMany(Exception):
    """Enumeration would take too long; the instance needs another solver."""


class Work:
    """What may still be looked at."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def spend(self, steps: int) -> None:
        """Take the steps from what is left.

        Raises
        ------
        TooMany
            If there are not so many.
        """
        self.left -= steps
        if self.left < 0:
            raise TooMany


class Part(NamedTuple):
    """Choices that depend on each other, and on no others.

    Attributes
    ----------
    labels
        By label: its side, and the (LCA, path) that it may take.
    ends
        Ends that have to be reached, with the masks of all paths that do; a label that is open
        may reach them too, and then they need no path of their own.
    mask
        The classes that the part decides on.
    """

    labels: list[tuple[int, list[tuple[int, int]]]]
    ends: dict[End, tuple[int, ...]]
    mask: int


def graphs_of_part(
    part: Part, marked: int, fixed: Sequence[int], work: Work
) -> tuple[int, list[Outcome]]:
    """Return the fewest marked classes, and the outcomes with so many.

    Parameters
    ----------
    part
        What is chosen from.
    marked
        Mask of all LCAs.
    fixed
        By side, the classes that are taken in any case.
    work
        What may be looked at.
    """
    if len(part.labels) + len(part.ends) == 1:
        t_graphs, p_graphs = _single(part, fixed)
    else:
        t_graphs, p_graphs = _sides(part, marked, fixed, work)
    work.spend(len(t_graphs) * len(p_graphs))
    fewest: int | None = None
    found: dict[tuple[int, int, int], tuple[int, int]] = {}
    for masks in product(t_graphs, p_graphs):
        t, p = masks
        count = ((t | p) & marked).bit_count()
        if fewest is None or count < fewest:
            fewest, found = count, {}
        if count == fewest:
            size = measured(t, p)
            if size not in found or masks < found[size]:
                found[size] = masks
    return fewest or 0, undominated([Outcome(*size, m) for size, m in found.items()])


def _single(part: Part, fixed: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the graphs of each side where a single label or end has a choice."""
    if part.labels:
        side, options = part.labels[0]
        paths = {path for _, path in options}
    else:
        (((side, _), of_end),) = part.ends.items()
        paths = set(of_end)
    t, p = fixed[0] & part.mask, fixed[1] & part.mask
    mine = [(p if side else t) | path & part.mask for path in paths]
    return ([t], mine) if side else (mine, [p])


def _sides(
    part: Part, marked: int, fixed: Sequence[int], work: Work
) -> tuple[list[int], list[int]]:
    """Return the graphs of each side that may be needed; neither depends on the other's choice."""
    width = part.mask.bit_length()
    bit = {end: 1 << width + i for i, end in enumerate(part.ends)}  # set where the end is met
    steps: tuple[list[_Step], list[_Step]] = ([], [])
    for side, options in part.labels:
        steps[side].append(
            _Step({path & part.mask | bit.get((side, a), 0) for a, path in options}, 0)
        )
    for side in (0, 1):
        steps[side].sort(key=lambda step: len(step.options))
    for (side, a), paths in part.ends.items():
        steps[side].append(_Step({path & part.mask for path in paths}, bit[side, a]))
    sure = [mask & part.mask for mask in fixed]
    able = [sure[s] | _union(step.options for step in steps[s]) & part.mask for s in (0, 1)]
    t = _side_graphs(steps[0], sure[0], _Other(sure[1], able[1]), marked & part.mask, work)
    p = _side_graphs(steps[1], sure[1], _Other(sure[0], able[0]), marked & part.mask, work)
    return t, p


class _Step(NamedTuple):
    """What one label may take; or what leads to an end, for graphs that have not met it.

    ``unless`` is the bit of that end, or 0: the options of a label go to every graph.
    """

    options: set[int]
    unless: int


class _Other(NamedTuple):
    """The classes that the other side has in any case, and those that it may have."""

    sure: int
    able: int


def _union(sets: Iterable[set[int]]) -> int:
    mask = 0
    for options in sets:
        for option in options:
            mask |= option
    return mask


def _side_graphs(
    steps: list[_Step], start: int, other: _Other, marked: int, work: Work
) -> list[int]:
    """Enumerate one side step by step, and drop what another graph replaces.

    Of graphs that agree on every class that a later step or a choice of the other side may bring,
    on the ends that they have met, and on how many classes they surely share, all that follows
    adds the same: the best has the fewest LCAs to itself, then the fewest classes to itself; of
    equal ones the smallest mask is kept, as what follows leaves their order as it is.
    """
    graphs = [start]
    open_ = other.able & ~other.sure  # whether these are shared depends on the other side
    for i, (options, unless) in enumerate(steps):
        work.spend(len(graphs) * len(options))
        if unless:
            grown = {g ^ unless if g & unless else g | path for g in graphs for path in options}
        else:
            grown = {g | path for g in graphs for path in options}
        later = 0
        for step in steps[i + 1 :]:
            later |= step.unless
        decides = open_ | later | _union(step.options for step in steps[i + 1 :])
        graphs = _without_worse(grown, decides, other.sure & ~decides, marked)
        if len(graphs) > MOST_STATES:
            raise TooMany
    return graphs


def _without_worse(graphs: set[int], decides: int, sure: int, marked: int) -> list[int]:
    """Keep the best of graphs that agree on the classes that decide, and in number on sure ones."""
    best: dict[tuple[int, int], tuple[int, int, int]] = {}
    alone = ~(decides | sure)
    for graph in graphs:
        key = graph & decides, (graph & sure).bit_count()
        mine = graph & alone
        value = (mine & marked).bit_count(), mine.bit_count(), graph
        if key not in best or value < best[key]:
            best[key] = value
    return [graph for _, _, graph in best.values()]
