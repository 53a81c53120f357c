"""From the classes of the smallest graphs, as bit masks, back to ways along edges."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from hierpair.lca.path_masks import bits_of
from hierpair.solvers import Cover, CoverProblem, Link

__all__ = ["drawn_ways"]

MOST_DRAWN = 5_000
"""Ways, or choices of ways, held at a time; with more, another solver has to draw."""

_Ways = dict[int, Any]
"""Mask of a way → its classes, the last one first: (class, (class, … None))."""

_State = tuple[int, frozenset[int]]
"""The classes that are taken, and the ends that were reached."""


def drawn_ways(problem: CoverProblem, masks: tuple[int, int], lcas: Iterable[int]) -> Cover | None:
    """Return graphs with exactly the classes of these masks, way by way.

    Parameters
    ----------
    problem
        What was searched.
    masks, lcas
        The classes that were found, by side, and the ends, as bits of :func:`bits_of`.

    Returns
    -------
    Cover or None
        None where too many choices would have to be looked at.
    """
    placed = bits_of(problem)
    end_of = {bits[-1][2]: link.end for link, bits in zip(problem.links, placed, strict=True)}
    ends = sorted(end_of[a] for a in lcas)
    nodes: list[set[int]] = [set(), set()]
    edges: list[set[tuple[int, int]]] = [set(), set()]
    for side, mask in enumerate(masks):
        inside = {b for b, one in enumerate(reversed(bin(mask))) if one == "1"}
        owners: dict[int, list[tuple[int, _Ways]]] = {}
        to_end: dict[int, list[_Ways]] = {a: [] for a in ends}
        for link, bits in zip(problem.links, placed, strict=True):
            if link.side != side or link.end not in to_end:
                continue
            ways = _ways_within(link, {c: b for c, _, b in bits if b in inside})
            if ways is None:
                return None
            to_end[link.end].append(ways)
            if link.own:
                owners.setdefault(link.owner, []).append((link.end, ways))
        chosen = _chosen(owners, to_end, mask)
        if chosen is None:
            return None
        for way in chosen:
            nodes[side].update(way)
            edges[side].update(pairwise(way))
    return Cover(
        frozenset(ends),
        (frozenset(nodes[0]), frozenset(nodes[1])),
        (frozenset(edges[0]), frozenset(edges[1])),
        True,
    )


def _ways_within(link: Link, bit: dict[int, int]) -> _Ways | None:
    """Return the ways of a link along classes that have a bit, or None: too many."""
    parents: dict[int, list[int]] = {}
    for lower, upper in link.edges:
        if lower in bit and upper in bit:
            parents.setdefault(lower, []).append(upper)
    start = link.steps[0][0]
    reached: dict[int, _Ways] = {start: {1 << bit[start]: (start, None)}} if start in bit else {}
    for _ in link.steps[1:]:
        above: dict[int, _Ways] = {}
        for c, ways in reached.items():
            for p in parents.get(c, ()):
                there = above.setdefault(p, {})
                for mask, classes in ways.items():
                    there.setdefault(mask | 1 << bit[p], (p, classes))
        if any(len(ways) > MOST_DRAWN for ways in above.values()):
            return None
        reached = above
    return reached.get(link.end, {})


def _chosen(
    owners: dict[int, list[tuple[int, _Ways]]],
    to_end: dict[int, list[_Ways]],
    target: int,
) -> list[list[int]] | None:
    """Choose one way per owner, and one to every end where no owner's way ends.

    Together they take all classes of the target. Of choices with the same ends only those are
    followed that take most classes.
    """
    turns: list[tuple[int | None, list[tuple[int, _Ways]]]]
    turns = [(None, options) for options in owners.values()]
    turns += [(end, [(end, ways) for ways in links]) for end, links in to_end.items()]
    states: dict[_State, Any] = {(0, frozenset()): None}
    for wanted, options in turns:
        grown: dict[_State, Any] = {}
        for (mask, done), trace in states.items():
            if wanted in done:
                grown.setdefault((mask, done), trace)
                continue
            for end, ways in options:
                for way, classes in ways.items():
                    grown.setdefault((mask | way, done | {end}), (classes, trace))
        states = _largest(grown)
        if len(states) > MOST_DRAWN:
            return None
    whole = next((trace for (mask, _), trace in states.items() if mask == target), None)
    return [_unrolled(classes)[::-1] for classes in _unrolled(whole)]


def _unrolled(pairs: Any) -> list[Any]:
    """Return (first, (second, … None)) as a list."""
    found = []
    while pairs is not None:
        first, pairs = pairs
        found.append(first)
    return found


def _largest(
    states: dict[_State, Any],
) -> dict[_State, Any]:
    """Drop states with the ends of another one and fewer classes."""
    by_ends: dict[frozenset[int], list[int]] = {}
    for mask, done in sorted(states, key=lambda state: -state[0].bit_count()):
        kept = by_ends.setdefault(done, [])
        if not any(mask | other == other for other in kept):
            kept.append(mask)
    return {(mask, done): states[mask, done] for done, kept in by_ends.items() for mask in kept}
