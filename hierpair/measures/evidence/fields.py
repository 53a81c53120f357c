"""Classes in named fields: augmented sets, two graphs, levels, or a confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Indices
from hierpair.measures.evidence.flows import FlowEvidence, cost_text, listed_classes, table_of
from hierpair.measures.evidence.graphs import (
    ARTIFICIAL,
    CHOSEN_LCAS,
    IN_SETS,
    Name,
    Neighbourhood,
    neighbourhood,
)
from hierpair.tables import Block


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
class FieldEvidence:
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

    kind: ClassVar = "fields"

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
        owned: dict[Any, dict[str, str]] = {}
        whole = []
        for f in self.fields:
            n, listed = str(len(f.classes)), f.listed(digits)
            if f.predicted or f.true:
                predicted, true = (listed_classes(end, " → ") for end in (f.predicted, f.true))
                heads = {f"predicted ({self.title})": predicted, "true": true}
                owned.setdefault((f.predicted, f.true), heads)[f.name] = f"{n}  {listed}"
            else:
                amount = f"({self.amount})" if self.amount else ""
                whole.append({self.title: f.name, "classes": n, amount: listed})
        found: list[str | Block] = [table_of(some) for some in ([*owned.values()], whole) if some]
        if owned:
            counts = (f"{name} {cost_text(x, digits)}" for name, x in self.counts)
            found.append(f"in all: {', '.join(counts)}")
        found += self.remarks
        for name, edges in self.edges:
            found.append(f"{name}: {listed_classes([f'{p} → {c}' for p, c in edges])}")
        return found if self.proof is None else [*found, self.proof.proof_text(digits)]

    def around(
        self, hierarchy: Hierarchy, true: Indices, predicted: Indices, most: int
    ) -> Neighbourhood:
        """Return the classes of graphs or of a confusion matrix; of sets, what is around labels."""
        if not any(f.predicted or f.true for f in self.fields):
            return neighbourhood(hierarchy, true, predicted, most=most)
        number = {**hierarchy.position, ARTIFICIAL: -1}  # it is above all other classes
        top = [] if self.edges else hierarchy.root_indices[:1].tolist()
        among: dict[int, set[str]] = {c: set() for c in top}
        for f in self.fields:
            for c in f.classes if f.name in IN_SETS else ():
                if c in number:  # a blank label is not
                    among.setdefault(number[c], set()).add(f.name)
        ends = {(f.predicted[-1], f.true[-1]): None for f in self.fields if f.predicted and f.true}
        return neighbourhood(
            hierarchy, true, predicted, most=most, fields=among,
            pairs=[(number[p], number[t]) for p, t in ends if p in number],
            lcas=[number[c] for c in self.of(CHOSEN_LCAS)] if self.edges else None,
            edges=[(number[p], number[c]) for _, edges in self.edges for p, c in edges],
        )  # fmt: skip
