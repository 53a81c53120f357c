"""The minimal graphs of one instance by enumeration: sets of LCAs, then paths step by step.

Label-free: classes are bits. A pair of graphs, or a path of one side, is one mask: the true side
has the lower half of its bits, the predicted side the upper half. That a side ends in an LCA is a
bit, too, beyond those of the classes. See :func:`smallest_graphs` for what is minimised.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from itertools import accumulate, combinations, product
from math import comb
from operator import and_, or_
from typing import NamedTuple

from hierpair.lca.encoding import TooMany, masks_of
from hierpair.solvers import Cover, Link

MOST_STATES = 5_000  # partial graphs held at a time; with more, enumeration gives up
MOST_WORK = 200_000  # sets of LCAs and partial graphs looked at for one instance


class PathChoice(NamedTuple):
    """Paths of a label, or to an LCA, of which one is taken, but by graphs that have ``unless``."""

    options: Collection[int]
    unless: int


class Problem(NamedTuple):
    """What one instance may choose from."""

    labels: list[dict[int, list[int]]]  # of every label with a requirement the paths, by LCA
    ends: dict[tuple[int, int], list[int]]  # by side and LCA, all paths that end there
    marked: int  # all LCAs, whether they are still to be chosen from or not
    width: int  # how many bits a side has: one for each class, and as many for the ends

    @classmethod
    def of(cls, links: Sequence[Link]) -> Problem:
        """Return the problem of an instance, or raise TooMany if a link has too many paths."""
        labels: dict[int, dict[int, list[int]]] = defaultdict(dict)
        ends: dict[tuple[int, int], list[int]] = defaultdict(list)
        n = _union([link.mask for link in links]).bit_length()
        for link in links:
            ended, shift = 1 << n + link.end, 2 * n * link.side
            paths = [(mask | ended) << shift for mask in masks_of(link)]
            ends[link.side, link.end] += paths
            if link.own:
                labels[link.label][link.end] = paths
        return cls([*labels.values()], ends, _union([1 << link.end for link in links]), 2 * n)

    def sides(self, graphs: int) -> tuple[int, int]:
        """Return the true and the predicted half of a mask."""
        return graphs & (1 << self.width) - 1, graphs >> self.width

    def undominated(self, graphs: Collection[int]) -> list[int]:
        """Drop graphs that are worse than others whatever else, the same for all, comes to them.

        With k more shared classes and j more in all, F = 2 C / S rises if k ≥ 0 and j < 2 k.
        """
        width, low, best = self.width, (1 << self.width) - 1, dict[tuple[int, int, int, int], int]()
        for g in graphs:
            t, p = g & low, g >> width
            n_marked, both = ((t | p) & self.marked).bit_count(), (t & p).bit_count()
            numbers = n_marked, both, g.bit_count(), t.bit_count()
            best[numbers] = min(g, best.get(numbers, g))
        fewest = min(best)[0]
        pairs = {(both, size) for marked, both, size, _ in best if marked == fewest}
        return [
            g for (marked, c, s, _), g in best.items()
            if marked == fewest and not any(d >= c and u - s < 2 * (d - c) for d, u in pairs)
        ]  # fmt: skip


class WorkBudget:
    """What may still be looked at."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def spend(self, steps: int) -> None:
        """Take the steps from what is left, or raise TooMany."""
        self.left -= steps
        if self.left < 0:
            raise TooMany


def best_graphs(links: Sequence[Link], unlinked: tuple[int, int]) -> Cover | None:
    """Return the smallest graphs, with labels beside the links; None: too many to look at."""
    try:
        problem = Problem.of(links)
        found = smallest_graphs(problem)
    except TooMany:
        return None
    n = problem.width // 2

    def cover(graphs: int) -> Cover:
        t, p = problem.sides(graphs)
        classes = (1 << n) - 1
        return Cover(t >> n, (t & classes, p & classes), optimal=True)

    return min(map(cover, found), key=lambda x: rank(x.nodes, unlinked))


def rank(nodes: tuple[int, int], unlinked: tuple[int, int]) -> tuple[float, int, float, int]:
    """Return what orders graphs: largest F, most balanced, most precise, smallest."""
    t, p = nodes
    n, m, both = t.bit_count() + unlinked[0], p.bit_count() + unlinked[1], (t & p).bit_count()
    return -both / (n + m), abs(n - m), -both / m, n + m


def smallest_graphs(problem: Problem) -> list[int]:
    """Return the Pareto-best graphs: fewest LCAs that meet all requirements, then fewest marked."""
    work = WorkBudget()
    sets = _hitting_sets(problem, work)
    return problem.undominated([g for lcas in sets for g in _graphs(problem, lcas, work)])


def _hitting_sets(problem: Problem, work: WorkBudget) -> list[int]:
    """Return all smallest sets of LCAs that meet every requirement, as masks."""
    requirements = {_union([1 << a for a in paths]) for paths in problem.labels}
    forced = _union([mask for mask in requirements if mask.bit_count() == 1])
    open_ = [mask for mask in requirements if not mask & forced]
    each = [1 << a for a in bits_set(_union(open_))]
    for size in range(len(each) + 1):
        work.spend(comb(len(each), size))
        sets = map(sum, combinations(each, size))
        if found := [forced | some for some in sets if all(mask & some for mask in open_)]:
            return found
    return []


def _graphs(problem: Problem, chosen: int, work: WorkBudget) -> list[int]:
    """Return the best pairs of graphs for one set of LCAs, grown step by step.

    Of graphs that agree on what later steps may bring, the better ones are enough.
    """
    width, low = problem.width, (1 << problem.width) - 1
    lcas, fixed, open_ = bits_set(chosen), 0, list[PathChoice]()
    steps = [([path for a in lcas if a in x for path in x[a]], 0) for x in problem.labels]
    for side, a in product((0, 1), lcas):
        steps.append((problem.ends[side, a], 1 << width // 2 + a << width * side))
    for options, unless in steps:
        if len(options) == 1:
            fixed |= options[0]
        elif not unless & fixed:
            fixed |= reduce(and_, options) & ~unless
            open_.append(PathChoice(options, unless))
    graphs, ordered = {fixed}, _in_order(problem, open_, fixed)
    # what the steps after each, the last one first, may bring
    left = [*accumulate([_union(step.options) for step in ordered[:0:-1]], or_, initial=0)]
    for step in ordered:
        work.spend(len(graphs) * len(step.options))
        grown = {g | path for g in graphs for path in (step.options, (0,))[g & step.unless > 0]}
        later, alike = left.pop(), defaultdict(list)
        for g in grown if later else ():
            rest = later & ~g
            alike[g & (later | (rest & low) << width | rest >> width)].append(g)
        graphs = set()
        for some in alike.values() if later else (grown,):
            graphs.update(problem.undominated(some) if len(some) > 1 else some)
        if len(graphs) > MOST_STATES:
            raise TooMany
    return [*graphs]


def _in_order(problem: Problem, steps: list[PathChoice], fixed: int) -> list[PathChoice]:
    """Put labels before ends, and steps together that share an undecided bit."""
    t, p = problem.sides(fixed)

    def order(step: PathChoice) -> tuple[bool, int, int]:
        one, other = problem.sides(_union(step.options))
        undecided = (one | other) & ~(t & p)
        return step.unless > 0, undecided & -undecided, len(step.options)

    return sorted(steps, key=order)


def bits_set(mask: int) -> list[int]:
    """Return the numbers of the bits of a mask, ascending."""
    bits = []
    while mask:
        lowest = mask & -mask
        bits.append(lowest.bit_length() - 1)
        mask ^= lowest
    return bits


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)
