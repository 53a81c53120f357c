"""The minimal graphs of one instance by enumeration: bit masks, independent parts, Pareto merging.

Label-free: classes are bits, a path is a mask. See :func:`smallest_graphs` for what is minimised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

__all__ = ["Choice", "Outcome", "TooMany", "best_of", "smallest_graphs"]

MOST_STATES = 5_000
"""Partial graphs held at a time; with more, enumeration gives up."""

MOST_WORK = 200_000
"""Sets of LCAs and partial graphs looked at for one instance, a few tenths of a second."""


class TooMany(Exception):
    """Enumeration would take too long; the instance needs another solver."""


class _Work:
    """What may still be looked at."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooMany


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


@dataclass(frozen=True)
class Outcome:
    """A pair of graphs: their masks (true, predicted), sizes, and the chosen LCAs.

    ``both`` and ``size`` are the number of shared classes and of classes on both sides
    together; ``lean`` is true less predicted classes.
    """

    both: int
    size: int
    lean: int
    masks: tuple[int, int]
    lcas: tuple[int, ...]

    def joined(self, other: Outcome) -> Outcome:
        """Return the union with the graphs of an independent part."""
        return Outcome(
            self.both + other.both,
            self.size + other.size,
            self.lean + other.lean,
            (self.masks[0] | other.masks[0], self.masks[1] | other.masks[1]),
            self.lcas + other.lcas,
        )


def best_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome with the largest F, then the most balanced, most precise, smallest.

    F = 2 both / size is compared by cross-multiplication, so no rounding decides.
    """
    best: Outcome | None = None
    for new in outcomes:
        if best is None or _better(new, best):
            best = new
    if best is None:
        raise ValueError("no outcome")
    return best


def _better(new: Outcome, old: Outcome) -> bool:
    left, right = new.both * old.size, old.both * new.size
    if left != right:
        return left > right
    if abs(new.lean) != abs(old.lean):
        return abs(new.lean) < abs(old.lean)
    # precision = both / predicted, with predicted = (size - lean) / 2
    left, right = new.both * (old.size - old.lean), old.both * (new.size - new.lean)
    if left != right:
        return left > right
    if new.size != old.size:
        return new.size < old.size
    return (new.lcas, new.masks) < (old.lcas, old.masks)  # any fixed order; the counts are equal


def smallest_graphs(
    choices: Sequence[Choice],
    ends: dict[tuple[int, int], tuple[int, ...]],
    marked: int,
) -> list[Outcome]:
    """Return the Pareto-best pairs of graphs of one part of an instance.

    Minimised are, in this order: the number of LCAs that meet every requirement; the number of
    marked classes (the LCAs of all requirements) in both graphs together. Of what is left, an
    outcome is kept if it can have the largest F whatever the other parts of the instance are.

    Parameters
    ----------
    choices
        The labels with a requirement.
    ends
        (side, LCA) → masks of all paths of that side that end there, for LCAs that no label of
        that side chose.
    marked
        Mask of all LCAs.

    Raises
    ------
    TooMany
        If more than ``MOST_STATES`` partial graphs at a time, or more than ``MOST_WORK`` sets
        and partial graphs in all would be needed.
    """
    work = _Work()
    fewest: int | None = None
    kept: list[Outcome] = []
    for lcas in _hitting_sets([frozenset(c.masks) for c in choices], work):
        count, found = _graphs(choices, ends, marked, lcas, work)
        if fewest is None or count < fewest:
            fewest, kept = count, []
        if count == fewest:
            kept += found
    return _undominated(kept)


def _hitting_sets(requirements: Sequence[frozenset[int]], work: _Work) -> Iterator[tuple[int, ...]]:
    """Yield all smallest sets of LCAs that meet every requirement."""
    forced = {next(iter(d)) for d in requirements if len(d) == 1}
    open_ = [d for d in requirements if not d & forced]
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


def _graphs(
    choices: Sequence[Choice],
    ends: dict[tuple[int, int], tuple[int, ...]],
    marked: int,
    lcas: tuple[int, ...],
    work: _Work,
) -> tuple[int, list[Outcome]]:
    """Return the fewest marked classes, and the outcomes with so many, for one set of LCAs."""
    fixed = [0, 0]
    ended: set[tuple[int, int]] = set()
    open_: list[tuple[int, list[tuple[int, int]]]] = []
    for c in choices:
        options = [(a, path) for a in lcas if a in c.masks for path in c.masks[a]]
        if len(options) == 1:
            fixed[c.side] |= options[0][1]
            ended.add((c.side, options[0][0]))
        else:
            open_.append((c.side, options))
    for end in [(s, a) for s in (0, 1) for a in lcas if (s, a) not in ended]:
        can_end = any(s == end[0] and any(a == end[1] for a, _ in o) for s, o in open_)
        if not can_end and len(ends[end]) == 1:
            fixed[end[0]] |= ends[end][0]
            ended.add(end)
    parts = _parts(open_, ends, lcas, ended, fixed)
    region = 0
    count = 0
    found = [Outcome(0, 0, 0, (0, 0), ())]
    for part_choices, part_ends in parts:
        mask = 0
        for _, options in part_choices:
            for _, path in options:
                mask |= path
        for end in part_ends:
            for path in ends[end]:
                mask |= path
        mask &= ~(fixed[0] & fixed[1])
        region |= mask
        fewest, outcomes = _of_part(part_choices, part_ends, ends, marked, fixed, mask, work)
        count += fewest
        work.spend(len(found) * len(outcomes))
        found = _undominated([a.joined(b) for a in found for b in outcomes])
    rest = [fixed[0] & ~region, fixed[1] & ~region]
    count += ((rest[0] | rest[1]) & marked).bit_count()
    base = _measured(rest[0], rest[1])
    whole = Outcome(base[0], base[1], base[2], (fixed[0], fixed[1]), lcas)
    return count, [whole.joined(o) for o in found]


def _parts(
    open_: list[tuple[int, list[tuple[int, int]]]],
    ends: dict[tuple[int, int], tuple[int, ...]],
    lcas: tuple[int, ...],
    ended: set[tuple[int, int]],
    fixed: list[int],
) -> list[tuple[list[tuple[int, list[tuple[int, int]]]], list[tuple[int, int]]]]:
    """Split what is undecided into parts that share no undecided class and no end."""
    decided = fixed[0] & fixed[1]
    items: list[tuple[int, set[tuple[int, int]], list[int], list[tuple[int, int]]]] = []
    for i, (side, options) in enumerate(open_):
        mask = 0
        for _, path in options:
            mask |= path
        items.append((mask & ~decided, {(side, a) for a, _ in options}, [i], []))
    for end in [(s, a) for s in (0, 1) for a in lcas if (s, a) not in ended]:
        mask = 0
        for path in ends[end]:
            mask |= path
        items.append((mask & ~decided, {end}, [], [end]))
    groups: list[tuple[int, set[tuple[int, int]], list[int], list[tuple[int, int]]]] = []
    for item in items:
        apart = []
        mask, at, numbers, needed = item
        for group in groups:
            if group[0] & mask or group[1] & at:
                mask, at = group[0] | mask, group[1] | at
                numbers, needed = group[2] + numbers, group[3] + needed
            else:
                apart.append(group)
        groups = [*apart, (mask, at, numbers, needed)]
    return [([open_[i] for i in numbers], needed) for _, _, numbers, needed in groups]


def _of_part(
    choices: list[tuple[int, list[tuple[int, int]]]],
    needed: list[tuple[int, int]],
    ends: dict[tuple[int, int], tuple[int, ...]],
    marked: int,
    fixed: list[int],
    mask: int,
    work: _Work,
) -> tuple[int, list[Outcome]]:
    """Enumerate one part.

    The sides do not depend on each other while labels choose, so that the states of both are all
    pairs of states of each; they count as such against the limits.
    """
    states: list[set[tuple[int, frozenset[tuple[int, int]]]]]
    states = [{(fixed[s] & mask, frozenset())} for s in (0, 1)]
    wanted = frozenset(needed)
    for side, options in choices:
        mine, other = states[side], len(states[1 - side])
        work.spend(len(mine) * other * len(options))
        distinct = {(path & mask, wanted & {(side, a)}) for a, path in options}
        grown = {(here | path, done | end) for here, done in mine for path, end in distinct}
        if len(grown) * other > MOST_STATES:
            raise TooMany
        states[side] = grown
    graphs: Iterable[tuple[int, int]]
    if needed:
        graphs = _with_ends(states, needed, ends, mask, work)
    else:
        t_only, p_only = ({here for here, _ in side} for side in states)
        graphs = product(t_only, p_only)
    fewest: int | None = None
    found: dict[tuple[int, int, int], tuple[int, int]] = {}
    for masks in graphs:
        t, p = masks
        count = ((t | p) & marked).bit_count()
        if fewest is None or count < fewest:
            fewest, found = count, {}
        if count == fewest:
            size = _measured(t, p)
            if size not in found or masks < found[size]:
                found[size] = masks
    return fewest or 0, _undominated([Outcome(*size, m, ()) for size, m in found.items()])


def _with_ends(
    states: list[set[tuple[int, frozenset[tuple[int, int]]]]],
    needed: list[tuple[int, int]],
    ends: dict[tuple[int, int], tuple[int, ...]],
    mask: int,
    work: _Work,
) -> set[tuple[int, int]]:
    """Give every end that no label chose a path, in all ways."""
    paths = {end: [path & mask for path in ends[end]] for end in needed}
    graphs: set[tuple[int, int]] = set()
    for (t, done_t), (p, done_p) in product(*states):
        here = {(t, p)}
        for end in needed:
            if end in done_t or end in done_p:
                continue
            work.spend(len(here) * len(paths[end]))
            here = {(a | w, b) if end[0] == 0 else (a, b | w) for a, b in here for w in paths[end]}
            if len(here) > MOST_STATES:
                raise TooMany
        graphs |= here
        if len(graphs) > MOST_STATES:
            raise TooMany
    return graphs


def _measured(t: int, p: int) -> tuple[int, int, int]:
    n_true, n_predicted = t.bit_count(), p.bit_count()
    return (t & p).bit_count(), n_true + n_predicted, n_true - n_predicted


def _undominated(outcomes: list[Outcome]) -> list[Outcome]:
    """Drop outcomes that are worse than another whatever else the graphs hold.

    With k more shared classes and j more in all, F = 2 C / S rises if k S > j C; as S ≥ 2 C,
    it does whenever k ≥ 0 and j < 2 k. Of equal numbers one is kept per lean.
    """
    distinct: dict[tuple[int, int, int], Outcome] = {}
    for o in outcomes:
        key = (o.both, o.size, o.lean)
        if key not in distinct or (o.lcas, o.masks) < (distinct[key].lcas, distinct[key].masks):
            distinct[key] = o
    pairs = {(o.both, o.size) for o in distinct.values()}
    good = {(c, s) for c, s in pairs if not any(d >= c and u - s < 2 * (d - c) for d, u in pairs)}
    return [o for key, o in distinct.items() if key[:2] in good]
