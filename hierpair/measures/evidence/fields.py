"""Classes in named fields: augmented sets, two graphs, levels, or a confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from hierpair.confusion import FIELDS
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Indices
from hierpair.measures.evidence.base import (
    Evidence,
    Name,
    cost_text,
    listed_classes,
)
from hierpair.measures.evidence.flows import FlowEvidence
from hierpair.measures.evidence.graphs import (
    ARTIFICIAL,
    Neighbourhood,
    distances,
    edges_within,
    part_of,
)
from hierpair.tables import Block

__all__ = [
    "ASIDE",
    "BOTH",
    "CHOSEN_LCAS",
    "ONLY_PREDICTED",
    "ONLY_TRUE",
    "SIZES",
    "Field",
    "FieldEvidence",
]

BOTH, ONLY_TRUE, ONLY_PREDICTED = "in both", "only true", "only predicted"
CHOSEN_LCAS = "chosen LCAs"
ASIDE = ("not counted", "pruned")


SIDES = {
    BOTH: (True, True), ONLY_TRUE: (True, False), ONLY_PREDICTED: (False, True),
    "TP": (True, True), "FP": (False, True), "FN": (True, False), "TN": (False, False),
}  # fmt: skip
"""Fields of what is compared: whether their classes are on the true side, and on the predicted."""

SIZES = {
    "n_true": (BOTH, ONLY_TRUE),
    "n_pred": (BOTH, ONLY_PREDICTED),
    "n_both": (BOTH,),
}
"""The fields that make up the sizes of two sets."""

MOST_ROWS = 40
"""Of more pairs than this the first ones are listed, and how many are not."""


@dataclass(frozen=True)
class Field:
    """Classes (or levels) of one field.

    Attributes
    ----------
    name
        Which field, such as ``"only true"`` or ``"TP"``.
    classes
        Its classes.
    numbers
        What each counts, if not 1, such as its weight.
    predicted, true
        Whose field it is, if not the instance's: that of a predicted label or path, and of a true
        one, each from the top; one without partner has nothing on the other side.
    """

    name: str
    classes: tuple[Name, ...]
    numbers: tuple[float, ...] = ()
    predicted: tuple[Name, ...] = ()
    true: tuple[Name, ...] = ()

    @property
    def total(self) -> float:
        """What its classes count together."""
        return math.fsum(self.numbers) if self.numbers else len(self.classes)

    def listed(self, digits: int) -> str:
        """Return its classes, each with its number in brackets where it has one."""
        if not self.numbers:
            return listed_classes(self.classes)
        each = zip(self.classes, self.numbers, strict=True)
        return listed_classes([f"{c} ({cost_text(x, digits)})" for c, x in each])


@dataclass(frozen=True)
class FieldEvidence(Evidence):
    """Classes in named fields, with what is counted of them.

    Attributes
    ----------
    title
        What the classes are, such as ``"labels with ancestors"``.
    fields
        The fields, classes of each parents before children. Sets are the fields ``"in both"``,
        ``"only true"``, ``"only predicted"``, and where there are such classes ``"not counted"``
        and ``"pruned"``. Two graphs have the fields of sets, ``"chosen LCAs"``, and for every label
        its ``"nearest"`` labels of the other side and their ``"LCAs"``. A confusion matrix has
        ``"TP"``, ``"FP"``, ``"FN"`` and ``"TN"`` for every pair of a path and a true class. Other
        recipes have a field for each column, called by its unit.
    amount
        What the numbers of classes are, if they have some.
    remarks
        What has to be known of these fields and numbers, a sentence each.
    counts
        (column, value) of what the recipe counts, as it follows from these classes and numbers.
    edges
        Of graphs: by name of the graph its edges (parent, child).
    proof
        Of paired paths: their pairing, with the proof that none is better.
    repeatable
        Whether computing it once more gives the same: not where a time limit stopped it.
    """

    title: str
    fields: tuple[Field, ...]
    amount: str = ""
    remarks: tuple[str, ...] = ()
    counts: tuple[tuple[str, float], ...] = ()
    edges: tuple[tuple[str, tuple[tuple[Name, Name], ...]], ...] = ()
    proof: FlowEvidence | None = None
    repeatable: bool = True

    kind: ClassVar[str] = "fields"

    @property
    def columns(self) -> Mapping[str, float]:
        """What is counted of the classes and their numbers."""
        return dict(self.counts)

    def of(self, *names: str) -> tuple[Name, ...]:
        """Return the classes of all fields with these names."""
        return tuple(c for field in self.fields if field.name in names for c in field.classes)

    def adding(self, sums: Mapping[str, Sequence[str]]) -> FieldEvidence:
        """Return it with what is counted: by column, the fields whose numbers add up to it."""
        counts = {
            column: math.fsum(field.total for field in self.fields if field.name in names)
            for column, names in sums.items()
        }
        return replace(self, counts=tuple(counts.items()))

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return the fields of pairs and labels, those of the instance, edges, and the proof."""
        groups, blocks = self._groups(), list[Block]()
        if groups:
            rows = [
                [*(listed_classes(end, " → ") for end in ends)]
                + [f"{len(f.classes)}  {f.listed(digits)}" if f.classes else "0" for f in fields]
                for ends, fields in [*groups.items()][:MOST_ROWS]
            ]
            names = [field.name for field in next(iter(groups.values()))]
            sums = {name.upper(): cost_text(x, digits) for name, x in self.counts}
            if sums.keys() >= {*names}:
                rows.append(["all pairs", "", *(sums[name] for name in names)])
            more = len(groups) - MOST_ROWS
            foot = [f"{more:,} more are not listed; JSON has all"] * (more > 0)
            header = [f"predicted ({self.title})", "true", *names]
            blocks.append(Block(header, rows, align="l" * len(header), foot=foot))
        if whole := [f for f in self.fields if not (f.predicted or f.true)]:
            rows = [[f.name, str(len(f.classes)), f.listed(digits)] for f in whole]
            amount = f"({self.amount})" if self.amount else ""
            blocks.append(Block([self.title, "classes", amount], rows, align="lrl"))
        blocks[-1:] = [replace(b, foot=[*b.foot, *self.remarks]) for b in blocks[-1:]]
        edges = ((name, [f"{p} → {c}" for p, c in edges]) for name, edges in self.edges)
        lines = [f"{name}: {listed_classes(texts)}" for name, texts in edges if texts]
        return [*blocks, *lines, *([] if self.proof is None else [self.proof.proof_text(digits)])]

    def around(
        self,
        hierarchy: Hierarchy,
        true: Indices,
        predicted: Indices,
        most: int,
    ) -> Neighbourhood:
        """Return the classes of graphs or of a confusion matrix; of sets, what is around labels.

        When there are more classes than ``most``, those far from all labels and LCAs are left out
        first; labels and LCAs always stay.
        """
        groups = self._groups()
        if not groups:
            return super().around(hierarchy, true, predicted, most)
        number = {**hierarchy.position, ARTIFICIAL: -1}  # it is above all other classes
        root = [] if self.edges else hierarchy.root_indices[:1].tolist()
        found: dict[int, set[str]] = {c: set() for c in root}
        for field in self.fields:
            for c in field.classes if field.name in SIDES else ():
                if c in number:  # a blank label is not
                    found.setdefault(number[c], set()).add(field.name)
        edges = [(number[p], number[c]) for _, edges in self.edges for p, c in edges]
        edges = list(dict.fromkeys(edges)) if self.edges else edges_within(hierarchy, found)
        beside: dict[int, list[int]] = {c: [] for c in found}
        for p, c in edges:
            beside[p].append(c)
            beside[c].append(p)
        labels = true.tolist(), predicted.tolist()
        lcas = [number[c] for c in self.of(CHOSEN_LCAS)]
        starts = [c for c in found if c in {*labels[0], *labels[1], *lcas}]
        steps = dict.fromkeys(found, len(found)) | distances(starts, beside.__getitem__)
        above = [{c for c in found if any(SIDES[x][k] for x in found[c])} for k in (0, 1)]
        pairs = [(number[p[-1]], number[t[-1]]) for p, t in groups if p and t and p[-1] in number]
        part = part_of(hierarchy, steps, labels, above, most, edges=edges, pairs=pairs)
        place = {number[node.name]: i for i, node in enumerate(part.nodes)}
        if self.edges:
            return replace(part, lcas=tuple(place[c] for c in lcas))
        return replace(part, fields=tuple(tuple(x for x in FIELDS if x in found[c]) for c in place))

    def _groups(self) -> dict[tuple[tuple[Name, ...], tuple[Name, ...]], list[Field]]:
        """Return the fields of pairs and of labels by these."""
        groups: dict[tuple[tuple[Name, ...], tuple[Name, ...]], list[Field]] = {}
        for field in self.fields:
            if field.predicted or field.true:
                groups.setdefault((field.predicted, field.true), []).append(field)
        return groups
