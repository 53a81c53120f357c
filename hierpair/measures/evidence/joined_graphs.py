"""Two graphs that join the labels of one instance in their lowest common ancestors, in names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.lca import Graphs
from hierpair.measures.evidence.base import ARTIFICIAL, Evidence, Name, listed_classes
from hierpair.measures.evidence.neighbourhoods import ClassNode, Neighbourhood
from hierpair.tables import Block

__all__ = ["ConstraintRow", "LcaEvidence", "lca_evidence"]

SIDES = ("true", "predicted")


@dataclass(frozen=True)
class ConstraintRow:
    """One label and the lowest common ancestors that it has with its nearest partners.

    Attributes
    ----------
    side, name
        ``"true"`` or ``"predicted"``, and its class.
    partners
        The nearest classes of the other side.
    lcas
        Its LCAs; at least one of them has to be chosen. Empty for a label without any partner.
    """

    side: str
    name: Name
    partners: tuple[Name, ...]
    lcas: tuple[Name, ...]


@dataclass(frozen=True)
class LcaEvidence(Evidence):
    """Two graphs that join the labels of both sides in their lowest common ancestors.

    Attributes
    ----------
    extension
        ``"exact"``, ``"greedy"`` or ``"full"``.
    constraints
        What every label requires.
    removed
        Labels that were left out as ancestors of others of their side: (side, class).
    lcas
        The chosen lowest common ancestors.
    shared, only_true, only_predicted
        Classes of both graphs, and of one of them, parents before children.
    edges_true, edges_predicted
        The edges of both graphs: (parent, child).
    optimal
        Whether the graphs are proved to be the minimal ones.
    f_range
        If not: the least and largest F that the minimal graphs may have.
    """

    extension: str
    constraints: tuple[ConstraintRow, ...]
    removed: tuple[tuple[str, Name], ...]
    lcas: tuple[Name, ...]
    shared: tuple[Name, ...]
    only_true: tuple[Name, ...]
    only_predicted: tuple[Name, ...]
    edges_true: tuple[tuple[Name, Name], ...]
    edges_predicted: tuple[tuple[Name, Name], ...]
    optimal: bool
    f_range: tuple[Fraction, Fraction] | None = None

    kind: ClassVar[str] = "graphs"

    @property
    def repeatable(self) -> bool:
        """Whether no limit stopped the search for the minimal graphs."""
        return self.optimal or self.extension != "exact"

    @property
    def columns(self) -> Mapping[str, float]:
        """The sizes of both graphs, and of what they share."""
        both = len(self.shared)
        n_true, n_pred = both + len(self.only_true), both + len(self.only_predicted)
        return {"n_true": n_true, "n_pred": n_pred, "n_both": both}

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return what the labels require, the classes and edges of both graphs, and the proof."""
        parts: list[str | Block] = []
        if self.constraints:
            header = ["side", "label", "nearest partner", "lowest common ancestors"]
            rows = [
                [row.side, str(row.name), listed_classes(row.partners), listed_classes(row.lcas)]
                for row in self.constraints
            ]
            parts.append(Block(header, rows, align="llll"))
        if self.removed:
            left_out = listed_classes([f"{name} ({side})" for side, name in self.removed])
            parts.append(f"left out as ancestors of other labels of their side: {left_out}")
        rows = [
            [what, str(len(classes)), listed_classes(classes)]
            for what, classes in (
                ("in both", self.shared),
                ("only true", self.only_true),
                ("only predicted", self.only_predicted),
                ("chosen LCAs", self.lcas),
            )
        ]
        parts.append(Block([f"{self.extension} graphs", "classes", ""], rows, align="lrl"))
        for side, edges in zip(SIDES, (self.edges_true, self.edges_predicted), strict=True):
            if edges:
                arrows = listed_classes([f"{parent} → {child}" for parent, child in edges])
                parts.append(f"{side} graph: {arrows}")
        if self.optimal:
            parts.append(
                "proof: no graphs that meet all constraints come before these "
                "(all aims proved optimal)"
            )
        elif self.extension == "exact":
            text = "the limit of the solver was reached before the graphs were proved minimal"
            if self.f_range is not None:
                low, high = self.f_range
                text += f"; F of the minimal ones is from {low} to {high}"
                text += f" ({float(low):.{digits}f} to {float(high):.{digits}f})"
            parts.append(text)
        return parts

    def around(
        self,
        hierarchy: Hierarchy,
        true: NDArray[np.integer],
        predicted: NDArray[np.integer],
        most: int,
    ) -> Neighbourhood:
        """Return the two graphs: their classes, their edges, and the LCAs.

        When there are more classes than ``most``, those far from all labels and LCAs are left out
        first; labels and LCAs always stay.
        """
        in_true = {*self.shared, *self.only_true}
        in_predicted = {*self.shared, *self.only_predicted}
        left_out = set(self.removed)
        labels = [
            {name for c in side.tolist() if (word, name := hierarchy.names[c]) not in left_out}
            for word, side in zip(SIDES, (true, predicted), strict=True)
        ]
        number = {**hierarchy.position, ARTIFICIAL: -1}  # it is above all other classes
        every = in_true | in_predicted | labels[0] | labels[1]
        both = {*self.edges_true, *self.edges_predicted}
        near = _nearest(labels[0] | labels[1] | {*self.lcas}, both, every, most)
        names = sorted(near, key=lambda name: number[name])
        place = {name: i for i, name in enumerate(names)}
        edges = {(place[p], place[c]) for p, c in both if p in place and c in place}
        nodes = tuple(
            ClassNode(
                name,
                0 if name == ARTIFICIAL else int(hierarchy.levels[number[name]]) + 1,
                name in labels[0],
                name in labels[1],
                name in in_true,
                name in in_predicted,
            )
            for name in names
        )
        return Neighbourhood(
            nodes,
            tuple(sorted(edges)),
            n_left_out=len(every) - len(names),
            lcas=tuple(place[a] for a in self.lcas),
        )


def _nearest(
    kept: set[Hashable], edges: set[tuple[Hashable, Hashable]], every: set[Hashable], most: int
) -> set[Hashable]:
    """Return these classes and, step by step along edges, the nearest others until there are most.

    Of equally near ones all are taken or, beyond ``most``, none.
    """
    if len(every) <= most:
        return every
    beside: dict[Hashable, list[Hashable]] = {}
    for parent, child in edges:
        beside.setdefault(parent, []).append(child)
        beside.setdefault(child, []).append(parent)
    found, front = set(kept), kept
    while front:
        front = {other for c in front for other in beside.get(c, ())} - found
        if len(found) + len(front) > most:
            break
        found |= front
    return found


def lca_evidence(
    hierarchy: Hierarchy, y_true: LabelSets, y_pred: LabelSets, graphs: Graphs, extension: str
) -> LcaEvidence:
    """Name what was found for a batch of one."""
    names = [*hierarchy.names, ARTIFICIAL]
    links, cover = graphs.links, graphs.covers[0]
    members, partners = links.members, links.partners()
    nodes = [set(side) for side in cover.nodes]
    for k in np.flatnonzero(~links.linked).tolist():
        nodes[int(members.side[k])].add(int(members.classes[k]))

    def named(classes: Iterable[int]) -> tuple[Hashable, ...]:
        return tuple(names[c] for c in sorted(classes))

    edges = [tuple((names[p], names[c]) for c, p in sorted(side)) for side in cover.edges]
    sides = np.split(members.classes, [members.n_true])
    constraints = tuple(
        ConstraintRow(
            SIDES[int(k >= members.n_true)],
            names[c],
            tuple(names[members.classes[p]] for p in partners[k]),
            tuple(names[a] for a in links.lca[(links.label == k) & links.own].tolist()),
        )
        for k, c in enumerate(members.classes.tolist())
    )
    removed = tuple(
        (word, names[c])
        for word, sets, kept in zip(SIDES, (y_true, y_pred), sides, strict=True)
        for c in sets.indices.tolist()
        if c not in kept
    )
    return LcaEvidence(
        extension,
        constraints,
        removed,
        named(cover.ends),
        named(nodes[0] & nodes[1]),
        named(nodes[0] - nodes[1]),
        named(nodes[1] - nodes[0]),
        edges[0],
        edges[1],
        cover.optimal,
        cover.f_range,
    )
