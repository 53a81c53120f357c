"""The minimal graphs of one instance by enumeration: sets of LCAs, independent parts, Pareto sets.

Label-free: classes are bits, a path is a mask. See :func:`smallest_graphs` for what is minimised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from operator import or_
from typing import NamedTuple

from hierpair.lca.encoding import CodedLink, TooMany

__all__ = [
    "Outcome",
    "Part",
    "Problem",
    "Step",
    "Work",
    "best_of",
    "drawn_paths",
    "graphs_of_part",
    "parts_of",
    "smallest_graphs",
    "undominated",
]

MOST_STATES = 5_000
"""Partial graphs held at a time; with more, enumeration gives up."""

MOST_WORK = 200_000
"""Sets of LCAs and partial graphs looked at for one instance, a few tenths of a second."""

MOST_DRAWN = 5_000
"""Choices of paths held at a time; with more, another solver has to draw."""

End = tuple[int, int]
"""A side (0 true, 1 predicted) and an LCA (as a bit number)."""


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


class Outcome(NamedTuple):
    """A pair of graphs: their masks (true, predicted), sizes, and a mask of the chosen LCAs.

    ``both`` and ``size`` are the number of shared classes and of classes on both sides
    together; ``lean`` is true less predicted classes.
    """

    both: int
    size: int
    lean: int
    masks: tuple[int, int]
    chosen: int = 0

    @classmethod
    def of(cls, t: int, p: int, chosen: int = 0) -> Outcome:
        """Return the graphs that have these masks."""
        n_true, n_predicted = t.bit_count(), p.bit_count()
        both = (t & p).bit_count()
        return cls(both, n_true + n_predicted, n_true - n_predicted, (t, p), chosen)

    def joined(self, other: Outcome) -> Outcome:
        """Return the union with the graphs of an independent part."""
        return Outcome(
            self.both + other.both,
            self.size + other.size,
            self.lean + other.lean,
            (self.masks[0] | other.masks[0], self.masks[1] | other.masks[1]),
            self.chosen | other.chosen,
        )

    @property
    def lcas(self) -> tuple[int, ...]:
        """The numbers of the chosen LCAs, ascending."""
        return tuple(bits_set(self.chosen))


def best_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome with the largest F, then the most balanced, most precise, smallest.

    Equal ratios of whole numbers are equal as floats, and different ones of so few classes are
    different, so that no rounding decides. The last rules are any fixed order; the counts are
    equal.
    """
    found = list(outcomes)
    if len(found) == 1:
        return found[0]
    return min(
        found,
        key=lambda o: (
            -o.both / o.size,
            abs(o.lean),
            -o.both / (o.size - o.lean),  # with 2 predicted = size - lean
            o.size,
            o.lcas,
            o.masks,
        ),
    )


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
        key = (o.both, o.size, o.lean)
        if key not in distinct or (o.lcas, o.masks) < (distinct[key].lcas, distinct[key].masks):
            distinct[key] = o
    pairs = {(o.both, o.size) for o in distinct.values()}
    good = {(c, s) for c, s in pairs if not any(d >= c and u - s < 2 * (d - c) for d, u in pairs)}
    return [o for key, o in distinct.items() if key[:2] in good]


class Problem(NamedTuple):
    """What one instance may choose from; classes are bits.

    Attributes
    ----------
    choices
        Of the labels with a requirement that have a choice left: the side, and LCA (as a bit
        number) → the masks of all shortest paths to it.
    ends
        (side, LCA) → masks of all paths of that side that end there, for LCAs at which no label
        without a choice ends.
    marked
        Mask of all LCAs, whether they are still to be chosen from or not.
    width
        How many bits the classes have.
    fixed, ended
        By side, the classes of labels without a choice, and the LCAs at which these end.
    """

    choices: list[tuple[int, dict[int, tuple[int, ...]]]]
    ends: dict[End, tuple[int, ...]]
    marked: int
    width: int
    fixed: tuple[int, int] = (0, 0)
    ended: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, links: Iterable[CodedLink]) -> Problem:
        """Return the problem of an instance.

        Raises
        ------
        TooMany
            If a link has too many paths.
        """
        choices: dict[int, tuple[int, dict[int, tuple[int, ...]]]] = {}
        ends: dict[End, tuple[int, ...]] = {}
        marked, every, fixed, ended = 0, 0, [0, 0], [0, 0]
        for link in links:
            s, a = link.side, link.end
            every |= link.mask
            marked |= link.own << a
            if link.fixed:
                fixed[s] |= link.masks()[0]
                ended[s] |= 1 << a
            elif link.left:
                masks = link.masks()
                ends[s, a] = ends.get((s, a), ()) + masks
                if link.own:
                    choices.setdefault(link.label, (s, {}))[1][a] = masks
        return cls(
            list(choices.values()),
            ends,
            marked,
            every.bit_length(),
            (fixed[0], fixed[1]),
            (ended[0], ended[1]),
        )


class Step(NamedTuple):
    """What a label takes, or what leads to an end where no label does.

    Attributes
    ----------
    side
        0 true, 1 predicted.
    options
        Masks of paths. An end that has such a step is a bit, too, beyond those of the classes.
    unless
        That bit, for graphs that have met the end; 0 for a label, which takes an option always.
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


def _hitting_sets(problem: Problem, work: Work) -> Iterator[int]:
    """Yield all smallest sets of LCAs that meet every requirement, as masks."""
    forced = problem.ended[0] | problem.ended[1]
    requirements = []
    for _, masks in problem.choices:
        mask = sum(1 << a for a in masks)
        requirements.append(mask)
        if len(masks) == 1:
            forced |= mask
    open_ = [mask for mask in requirements if not mask & forced]
    each = [1 << a for a in bits_set(_union(open_))]
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
    bit = {end: 1 << problem.width + k for k, end in enumerate(needed)}
    steps = [Step(s, {path | bit.get((s, a), 0) for a, path in some}) for s, some in labels]
    steps += [Step(end[0], {path | bit[end] for path in needed[end]}, bit[end]) for end in needed]
    parts = parts_of(steps, fixed[0] & fixed[1])
    region = _union([part.mask for part in parts])
    found = [Outcome.of(fixed[0] & ~region, fixed[1] & ~region, chosen)]
    count = ((fixed[0] | fixed[1]) & ~region & marked).bit_count()
    for part in parts:
        fewest, outcomes = graphs_of_part(part, marked, fixed, work)
        count += fewest
        work.spend(len(found) * len(outcomes))
        found = undominated([a.joined(b) for a in found for b in outcomes])
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
    true, predicted = (_side_graphs(part, side, marked, fixed, work) for side in (0, 1))
    work.spend(len(true) * len(predicted))
    counted = [(((t | p) & marked).bit_count(), t, p) for t in true for p in predicted]
    fewest = min(counted)[0]
    return fewest, undominated([Outcome.of(t, p) for n, t, p in counted if n == fewest])


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


def drawn_paths(links: Sequence[CodedLink], best: Outcome) -> list[int] | None:
    """Return the places of paths that together have exactly the classes of the best graphs.

    Returns
    -------
    list of int or None
        None where too many choices would have to be looked at.
    """
    places: list[int] = []
    for side, mask in enumerate(best.masks):
        here = [x for x in links if x.side == side and best.chosen >> x.end & 1]
        try:
            paths = [x.paths(mask) for x in here]
        except TooMany:
            return None
        own: dict[int, list[int]] = {}
        to_end: dict[int, list[int]] = {}
        for k, x in enumerate(here):
            to_end.setdefault(x.end, []).append(k)
            if x.own:
                own.setdefault(x.label, []).append(k)
        # What is taken, and the ends that are reached → the places.
        states: dict[tuple[int, int], list[int]] = {(0, 0): []}
        for a, several in [*((None, some) for some in own.values()), *sorted(to_end.items())]:
            grown: dict[tuple[int, int], list[int]] = {}
            for (taken, done), so_far in states.items():
                if a is not None and done >> a & 1:
                    grown.setdefault((taken, done), so_far)
                    continue
                for k in several:
                    for path, at in paths[k].items():
                        grown.setdefault((taken | path, done | 1 << here[k].end), so_far + at)
            states = grown
            if len(states) > MOST_DRAWN:
                return None
        places += next(at for (taken, _), at in states.items() if taken == mask)
    return places
