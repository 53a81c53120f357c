"""Where classes stand in an outline, one row each, indented: numbers only.

Rows follow a walk down the tree of the deepest parents, so that the line from a parent to its
children passes only rows of its own descendants. All other edges, and the pairs, run in lanes
to the right of the rows that they pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hierpair.plots.diagrams.layers import Edges, layers_of

__all__ = ["Outline", "lanes", "outline"]


@dataclass(frozen=True, eq=False)
class Outline:
    """Indentation and row of every node, from 0, the parent to whose line it is attached or -1,
    and the edges to further parents: parent → its children.
    """

    layer: tuple[int, ...]
    row: tuple[int, ...]
    parent: tuple[int, ...]
    spare: dict[int, tuple[int, ...]]


def outline(levels: Sequence[int], edges: Edges, links: Edges = ()) -> Outline:
    """Lay out a directed acyclic graph row by row; siblings stand where links are short."""
    layer = layers_of(levels, edges)
    parent = [-1] * len(layer)
    for p, c in edges:
        if parent[c] < 0 or layer[p] > layer[parent[c]]:
            parent[c] = p
    spare: dict[int, list[int]] = {}
    for p, c in edges:
        if parent[c] != p:
            spare.setdefault(p, []).append(c)
    families: list[list[int]] = [[] for _ in range(len(layer) + 1)]
    for c, p in enumerate(parent):
        families[p].append(c)
    ties = [(p, c) for p, children in spare.items() for c in children]
    ties += [(a, b) for a, b in links if a != b]
    row = _resolved(families, ties)
    return Outline(
        tuple(layer), tuple(row), tuple(parent), {p: tuple(cs) for p, cs in spare.items()}
    )


def _rows(families: list[list[int]]) -> list[int]:
    row = [0] * (len(families) - 1)
    stack = families[-1][::-1]
    for k in range(len(row)):
        i = stack.pop()
        row[i] = k
        stack += families[i][::-1]
    return row


def _resolved(families: list[list[int]], ties: list[tuple[int, int]]) -> list[int]:
    """Swap neighbouring siblings as long as the ties become shorter in sum; return the rows."""
    row = _rows(families)

    def length(row: list[int]) -> int:
        return sum(abs(row[a] - row[b]) for a, b in ties)

    shortest = length(row)
    for _ in range(6):
        before = shortest
        for family in families:
            for k in range(len(family) - 1):
                family[k : k + 2] = family[k + 1], family[k]
                found = _rows(families)
                if (n := length(found)) < shortest:
                    row, shortest = found, n
                else:
                    family[k : k + 2] = family[k + 1], family[k]
        if shortest == before:
            break
    return row


def lanes(
    spans: Sequence[tuple[int, int]], right: Sequence[float], *, first: float, step: float
) -> list[float]:
    """Return where vertical lines run that pass these rows, short ones closest to the text.

    They keep a distance of ``first`` from where the text of a row ends, and of ``step`` from
    other lines in the same rows.
    """
    at = [0.0] * len(spans)
    laid: list[int] = []
    for i in sorted(range(len(spans)), key=lambda i: (spans[i][1] - spans[i][0], i)):
        low, high = spans[i]
        x = max(right[low : high + 1]) + first
        beside = sorted(at[j] for j in laid if spans[j][0] <= high and low <= spans[j][1])
        for taken in beside:
            if abs(taken - x) < step:
                x = taken + step
        at[i] = x
        laid.append(i)
    return at
