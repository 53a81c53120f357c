"""The minimal graphs of one instance by enumeration: sets of LCAs, independent parts, Pareto sets.

Label-free: classes are bits, a path is a mask. See :func:`smallest_graphs` for what is minimised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations
from math import comb
from operator import or_
from typing import NamedTuple

from hierpair.lca.encoding import TooMany, masks_of
from hierpair.solvers import Cover, Link

MOST_STATES = 5_000
"""Partial graphs held at a time; with more, enumeration gives up."""

MOST_WORK = 200_000
"""Sets of LCAs and partial graphs looked at for one instance, a few tenths of a second."""

End = tuple[int, int]
"""A side (0 true, 1 predicted) and an LCA (as a bit number)."""


class Work:
    """What may still be looked at."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def spend(self, steps: int) -> None:
        """Take the steps from what is left, or raise TooMany."""
        self.left -= steps
        if self.left < 0:
            raise TooMany


class Outcome(NamedTuple):
    """A pair of graphs and the chosen LCAs, as masks."""

    true: int
    predicted: int
    chosen: int = 0

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Shared classes, classes of both sides together, and true less predicted ones."""
        n, m = self.true.bit_count(), self.predicted.bit_count()
        return (self.true & self.predicted).bit_count(), n + m, n - m


def best_of(outcomes: Sequence[Outcome], unlinked: tuple[int, int] = (0, 0)) -> Outcome:
    """Return the outcome with the largest F, then the most balanced, most precise, smallest.

    Equal ratios of whole numbers are equal as floats, and different ones of so few classes are
    different, so that no rounding decides. The last rule is any fixed order; the counts are equal.
    ``unlinked`` are the labels that each side has beside the classes.
    """

    def order(o: Outcome) -> tuple[float, int, float, int, Outcome]:
        both, size, lean = o.numbers
        size, lean = size + sum(unlinked), lean + unlinked[0] - unlinked[1]
        # with 2 predicted = size - lean
        return -both / size, abs(lean), -both / (size - lean), size, o

    return min(outcomes, key=order) if len(outcomes) > 1 else outcomes[0]


def best_graphs(links: Iterable[Link], unlinked: tuple[int, int]) -> Cover | None:
    """Return the smallest graphs, with labels beside the links; None: too many to look at."""
    try:
        true, predicted, chosen = best_of(smallest_graphs(Problem.of(links)), unlinked)
    except TooMany:
        return None
    return Cover(chosen, (true, predicted), optimal=True)


def bits_set(mask: int) -> list[int]:
    """Return the numbers of the bits of a mask, ascending.

    >>> bits_set(0b1101)
    [0, 2, 3]
    """
    bits = []
    while mask:
        lowest = mask & -mask
        bits.append(lowest.bit_length() - 1)
        mask ^= lowest
    return bits


def undominated(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Drop outcomes that are worse than another whatever else the graphs hold.

    With k more shared classes and j more in all, F = 2 C / S rises if k S > j C; as S ≥ 2 C,
    it does whenever k ≥ 0 and j < 2 k. Of equal numbers one is kept per lean.
    """
    if len(outcomes) == 1:
        return list(outcomes)
    distinct: dict[tuple[int, int, int], Outcome] = {}
    for o in outcomes:
        numbers = o.numbers
        distinct[numbers] = min(o, distinct.get(numbers, o))
    pairs = {(both, size) for both, size, _ in distinct}
    good = {(c, s) for c, s in pairs if not any(d >= c and u - s < 2 * (d - c) for d, u in pairs)}
    return [o for numbers, o in distinct.items() if numbers[:2] in good]


class Problem(NamedTuple):
    """What one instance may choose from; classes are bits."""

    choices: list[tuple[int, dict[int, tuple[int, ...]]]]
    """Of every label with a requirement, its side, and by LCA the masks of the paths to it."""
    ends: dict[End, tuple[int, ...]]  # the masks of all paths that end there
    marked: int  # all LCAs, whether they are still to be chosen from or not
    width: int  # how many bits the classes have

    @classmethod
    def of(cls, links: Iterable[Link]) -> Problem:
        """Return the problem of an instance, or raise TooMany if a link has too many paths."""
        choices: dict[int, tuple[int, dict[int, tuple[int, ...]]]] = {}
        ends: dict[End, tuple[int, ...]] = {}
        marked, every = 0, 0
        for link in links:
            side, a = link.side, link.end
            every |= link.mask
            marked |= 1 << a
            if link.needed:
                masks = masks_of(link)
                ends[side, a] = ends.get((side, a), ()) + masks
                if link.own:
                    choices.setdefault(link.label, (side, {}))[1][a] = masks
        return cls([*choices.values()], ends, marked, every.bit_length())


class Step(NamedTuple):
    """What a label of a side takes, or what leads to an end where no label does.

    Options are masks of paths. An end that has such a step is a bit, too, beyond those of the
    classes; graphs that have that bit (``unless``) have met the end, and take nothing.
    """

    side: int
    options: set[int]
    unless: int = 0


class Part(NamedTuple):
    """Steps that depend on each other, and on no others; and the bits that they decide on."""

    steps: list[Step]
    mask: int


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
    found = [_graphs(problem, lcas, work) for lcas in _hitting_sets(problem, work)]
    fewest = min(count for count, _ in found)
    return undominated([o for count, some in found if count == fewest for o in some])


def _hitting_sets(problem: Problem, work: Work) -> list[int]:
    """Return all smallest sets of LCAs that meet every requirement, as masks."""
    requirements = [sum(1 << a for a in masks) for _, masks in problem.choices]
    forced = _union(mask for mask in requirements if mask.bit_count() == 1)
    open_ = [mask for mask in requirements if not mask & forced]
    each = [1 << a for a in bits_set(_union(open_))]
    for size in range(len(each) + 1):
        work.spend(comb(len(each), size))
        sets = map(sum, combinations(each, size))
        if found := [forced | some for some in sets if all(mask & some for mask in open_)]:
            return found
    return []


def _graphs(problem: Problem, chosen: int, work: Work) -> tuple[int, list[Outcome]]:
    """Return the fewest marked classes, and the outcomes with so many, for one set of LCAs."""
    ends, marked = problem.ends, problem.marked
    fixed, ended = [0, 0], [0, 0]
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
    bit = {end: 1 << problem.width + k for k, end in enumerate(needed)}
    steps = [Step(s, {path | bit.get((s, a), 0) for a, path in some}) for s, some in labels]
    steps += [Step(end[0], {path | bit[end] for path in needed[end]}, bit[end]) for end in needed]
    parts = parts_of(steps, fixed[0] & fixed[1])
    region = _union([part.mask for part in parts])
    found = [Outcome(fixed[0] & ~region, fixed[1] & ~region, chosen)]
    count = ((fixed[0] | fixed[1]) & ~region & marked).bit_count()
    for part in parts:
        fewest, outcomes = graphs_of_part(part, marked, fixed, work)
        count += fewest
        work.spend(len(found) * len(outcomes))
        found = undominated([Outcome(*map(or_, a, b)) for a in found for b in outcomes])
    return count, found


def parts_of(steps: Iterable[Step], decided: int) -> list[Part]:
    """Split steps into parts that share no undecided class and no end; labels come first."""
    parts: list[Part] = []
    for step in steps:
        new = Part([step], _union(step.options) & ~decided)
        apart = []
        for part in parts:
            if part.mask & new.mask:
                new = Part(part.steps + new.steps, part.mask | new.mask)
            else:
                apart.append(part)
        parts = [*apart, new]
    return parts


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def graphs_of_part(
    part: Part, marked: int, fixed: Sequence[int], work: Work
) -> tuple[int, list[Outcome]]:
    """Return the fewest marked classes, and the outcomes with so many.

    ``fixed`` are by side the classes that are taken in any case.
    """
    true, predicted = (_side_graphs(part, side, marked, fixed, work) for side in (0, 1))
    work.spend(len(true) * len(predicted))
    counted = [(((t | p) & marked).bit_count(), t, p) for t in true for p in predicted]
    fewest = min(counted)[0]
    return fewest, undominated([Outcome(t, p) for n, t, p in counted if n == fewest])


def _side_graphs(part: Part, side: int, marked: int, fixed: Sequence[int], work: Work) -> list[int]:
    """Enumerate one side step by step, and drop what another graph replaces.

    Of graphs that agree on every bit that a later step or a choice of the other side may bring,
    and on how many classes they surely share, all that follows adds the same: the best has the
    fewest LCAs to itself, then the fewest classes to itself; of equal ones the smallest mask is
    kept, as what follows leaves their order as it is.
    """
    mask = part.mask
    steps = [step for step in part.steps if step.side == side]
    if not steps:
        return [fixed[side] & mask]
    others = _union([_union(step.options) for step in part.steps if step.side != side]) & mask
    steps.sort(key=lambda step: (step.unless > 0, len(step.options)))
    sure = fixed[1 - side] & mask
    graphs = [fixed[side] & mask]
    decides = [others & ~sure]  # whether these are shared depends on the other side
    for step in reversed(steps):
        decides.append(decides[-1] | _union(step.options) & mask)
    for step in steps:
        unless, options = step.unless, {option & mask for option in step.options}
        work.spend(len(graphs) * len(options))
        grown = {g if g & unless else g | path for g in graphs for path in options}
        decides.pop()
        graphs = _without_worse(grown, decides[-1], sure & ~decides[-1], marked)
        if len(graphs) > MOST_STATES:
            raise TooMany
    met = _union([step.unless for step in steps])
    return [graph & ~met for graph in graphs]


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
