"""From the classes of the smallest graphs, as bit masks, back to paths along edges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hierpair.lca.path_masks import Chain, path_masks
from hierpair.lca.search_problems import bits_of
from hierpair.solvers import Cover, CoverProblem, Link

__all__ = ["drawn_along", "drawn_paths"]

MOST_DRAWN = 5_000
"""Choices of paths held at a time; with more, another solver has to draw."""

_Paths = dict[int, Chain]
"""Mask of a path → its classes."""

_State = tuple[int, frozenset[int]]
"""The classes that are taken, and the ends that were reached."""


def drawn_along(problem: CoverProblem) -> Cover:
    """Return the graphs of all links where each of them leaves no choice."""
    paths: tuple[list[list[int]], list[list[int]]] = [], []
    for link in problem.links:
        found = _paths_of(link, [(c, s, 0) for s, step in enumerate(link.steps) for c in step])
        paths[link.side].extend(_unrolled(chain)[::-1] for chain in (found or {}).values())
    return Cover.of_paths({link.end for link in problem.links}, paths, optimal=True)


def drawn_paths(problem: CoverProblem, masks: tuple[int, int], lcas: Iterable[int]) -> Cover | None:
    """Return graphs with exactly the classes of these masks, path by path.

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
    paths: tuple[list[list[int]], list[list[int]]] = [], []
    for side, mask in enumerate(masks):
        owners: dict[int, list[tuple[int, _Paths]]] = {}
        to_end: dict[int, list[_Paths]] = {a: [] for a in ends}
        for link, bits in zip(problem.links, placed, strict=True):
            if link.side != side or link.end not in to_end:
                continue
            found = _paths_of(link, [place for place in bits if mask >> place[2] & 1])
            if found is None:
                return None
            to_end[link.end].append(found)
            if link.own:
                owners.setdefault(link.owner, []).append((link.end, found))
        chosen = _chosen(owners, to_end, mask)
        if chosen is None:
            return None
        paths[side].extend(chosen)
    return Cover.of_paths(ends, paths, optimal=True)


def _paths_of(link: Link, placed: list[tuple[int, int, int]]) -> _Paths | None:
    """Return the paths of a link along these classes (class, step, bit), or None: too many."""
    parents: dict[int, list[int]] = {}
    for lower, upper in link.edges:
        parents.setdefault(lower, []).append(upper)
    return path_masks(lambda c: parents.get(c, ()), *zip(*placed, strict=True))


def _chosen(
    owners: dict[int, list[tuple[int, _Paths]]],
    to_end: dict[int, list[_Paths]],
    target: int,
) -> list[list[int]] | None:
    """Choose one path per owner, and one to every end where no owner's path ends.

    Together they take all classes of the target. Of choices with the same ends only those are
    followed that take most classes.
    """
    choices: list[tuple[int | None, list[tuple[int, _Paths]]]]
    choices = [(None, options) for options in owners.values()]
    choices += [(end, [(end, paths) for paths in links]) for end, links in to_end.items()]
    states: dict[_State, Any] = {(0, frozenset()): None}
    for wanted, options in choices:
        grown: dict[_State, Any] = {}
        for (mask, done), trace in states.items():
            if wanted in done:
                grown.setdefault((mask, done), trace)
                continue
            for end, paths in options:
                for path, chain in paths.items():
                    grown.setdefault((mask | path, done | {end}), (chain, trace))
        states = _largest(grown)
        if len(states) > MOST_DRAWN:
            return None
    whole = next((trace for (mask, _), trace in states.items() if mask == target), None)
    return [_unrolled(chain)[::-1] for chain in _unrolled(whole)]


def _unrolled(pairs: Any) -> list[Any]:
    """Return (first, (second, … None)) as a list."""
    found = []
    while pairs is not None:
        first, pairs = pairs
        found.append(first)
    return found


def _largest(states: dict[_State, Any]) -> dict[_State, Any]:
    """Drop states with the ends of another one and fewer classes."""
    by_ends: dict[frozenset[int], list[int]] = {}
    for mask, done in sorted(states, key=lambda state: -state[0].bit_count()):
        kept = by_ends.setdefault(done, [])
        if not any(mask | other == other for other in kept):
            kept.append(mask)
    return {(mask, done): states[mask, done] for done, kept in by_ends.items() for mask in kept}
