"""Recipes of amounts below classes, of set-valued answers, and of the best match of every label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, ancestors_of
from hierpair.hierarchy.arrays import Bools, Floats, marked, row_pointer
from hierpair.hierarchy.closure import nearest_common_ancestors
from hierpair.labels import LabelSets
from hierpair.measures.columns import Column, Columns
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch, Counted, Units
from hierpair.measures.recipes.sets import OneLevelRecipe
from hierpair.measures.recipes.solved import PairRecipe
from hierpair.pairing import SIDES, Degree, Rule, Unmatched, cost_named


def edge_lengths(hierarchy: Hierarchy, lengths: str) -> Floats:
    """Return the length of the edge above every class; several roots hang below a virtual top.

    ``"ones"``, ``"weights"`` (those of the edges, on trees and forests) or ``"depth"``: one over
    the depth of the class.
    """
    found = np.ones(len(hierarchy))
    if lengths == "ones":
        return found
    if lengths == "depth":
        top = not hierarchy.has_one_root
        return 1 / np.maximum(hierarchy.levels + top, 1)
    if hierarchy.weights is None:
        raise BadInput("lengths='weights' needs a hierarchy with edge weights; it has none")
    why = "in a DAG a class has no single edge above it"
    hierarchy.need_one_parent(why, "take lengths='ones' or 'depth'")
    found[hierarchy.parent >= 0] = hierarchy.weights
    return found


@dataclass(frozen=True)
class AmountRecipe(Counted):
    """How much of both label sets lies at or below every class, times the length of its edge.

    A label is 1 (``"counts"``), or as much as it came with; the labels of a set share the amount 1
    (``"shares"``); or whatever is below a class, it is 1 there (``"presence"``).
    """

    family: ClassVar = "amount"
    columns: ClassVar = (
        Column("n_true", "1 of the truth below a class", float, support=True),
        Column("n_pred", "1 of the prediction below a class", float),
        Column("n_both", "1 of what both have below a class", float),
        Column("n_single", "1 of what one side has more below a class", float),
    )

    amount: str = "counts"
    lengths: str = "ones"
    at_level: int | None = None
    root: Any = "exclude"

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count."""
        return OneLevelRecipe("none", self.root, at_level=self.at_level).counted(hierarchy)

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the classes that have labels below them, with the amounts of both sides."""
        h = batch.hierarchy
        counted, length = self.counted(h), edge_lengths(h, self.lengths)
        for part in batch.labels():
            label, above = ancestors_of(h, part.column)
            of_label = part.row
            kept = ~batch.are_aside(part.first + of_label[label], above)
            label, above = label[kept], above[kept]
            says = marked(label, len(of_label))
            label, above = label[counted[above]], above[counted[above]]
            cells, place = np.unique(of_label[label] * len(h) + above, return_inverse=True)
            row, classes = np.divmod(cells, len(h))
            n, alike = len(part), all(side.amounts is None for side in batch.sides)
            each = [
                _of_labels(part, has, side) * says
                for has, side in zip((part.in_true, part.in_pred), batch.sides, strict=True)
            ]
            whole: Any = np.ones(n)
            if self.amount == "shares":
                size: list[Any] = [np.bincount(of_label, own, n) for own in each]
                size = [np.where(own > 0, own, 1) for own in size]
                if alike:  # whole numbers of a unit: equal shares are equal
                    whole = np.lcm(*(own.astype(np.int64) for own in size)).astype(np.float64)
                each = [own * (whole / of)[of_label] for own, of in zip(each, size, strict=True)]
            below: list[Any] = [np.bincount(place, own[label], len(cells)) for own in each]
            if self.amount == "presence":
                below = [(amount > 0) * 1.0 for amount in below]
            true, predicted = below
            columns = {
                "n_true": true,
                "n_pred": predicted,
                "n_both": np.minimum(true, predicted),
                "n_single": np.abs(true - predicted),
            }
            columns = {name: x * length[classes] / whole[row] for name, x in columns.items()}
            row_ptr = row_pointer(row, len(whole))
            yield Units(part.first, row_ptr, classes, columns)


def _of_labels(part: Cells, has: Bools, side: LabelSets) -> Floats:
    """Return how much there is of every label of a side: what it came with, or 1; 0 of others."""
    each = has.astype(np.float64)
    if side.amounts is not None:
        ends = side.indptr[part.first], side.indptr[part.first + len(part)]
        each[has] = side.amounts[slice(*ends)]
    return each


@dataclass(frozen=True)
class AnswerRecipe(Counted):
    """Leaves that a set-valued answer stands for, and whether the true class is among them.

    An answer stands for the leaves at or below its classes; a true class is covered at or below
    one of them.
    """

    family: ClassVar = "answer"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("n_true", "a true label"),
        Column("n_covered", "a true label that is covered"),
        Column("n_leaves", "a leaf of the answer"),
    )

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return labels, covered ones, and leaves."""
        for part in batch.cells("none", of_predicted="descendants"):
            columns = {
                "n_true": part.in_true,
                "n_covered": part.in_true & part.in_pred,
                "n_leaves": part.in_pred & batch.hierarchy.is_leaf[part.column],
            }
            yield Units(part.first, part.row_ptr, part.column, columns)


@dataclass(frozen=True)
class FewestRecipe(AnswerRecipe):
    """The same with the least number of classes that stand for the leaves of an answer.

    They are those all of whose leaves are meant and none of whose parents is such a class.
    """

    columns: ClassVar = (
        *AnswerRecipe.columns,
        Column("n_fewest", "a class that stands for such leaves"),
    )

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the classes as well."""
        for part in super().units(batch):
            yield part
            leaf = part.columns["n_leaves"]
            row, classes = _fewest(batch.hierarchy, part.row[leaf], part.number[leaf])
            pointer = row_pointer(row, len(part.row_ptr) - 1)
            yield Units(part.first, pointer, classes, {"n_fewest": np.ones(len(row), dtype=bool)})


def _fewest(hierarchy: Hierarchy, row: Any, leaves: Any) -> tuple[Any, Any]:
    """Return the instances and classes of the fewest that stand for some leaves, on forests."""
    n = len(hierarchy)
    why = "the fewest classes that stand for an answer are found on trees and forests"
    hierarchy.need_one_parent(why, "take answer_size")
    every = hierarchy.leaf_indices
    if hierarchy.of_interest is not None:
        every = every[hierarchy.of_interest[every]]
    _, above = ancestors_of(hierarchy, every)
    n_below = np.bincount(above, minlength=n)
    owner, above = ancestors_of(hierarchy, leaves)
    cells, count = np.unique(row[owner] * n + above, return_counts=True)
    cells = cells[count == n_below[cells % n]]  # all leaves below them are meant
    row, classes = np.divmod(cells, n)
    up = hierarchy.parent[classes]
    top = (up < 0) | ~np.isin(row * n + up, cells)
    return row[top], classes[top]


@dataclass(frozen=True)
class BestMatchRecipe:
    """What the nearest label of the other side costs every label, of both sides.

    A rule for each side: its labels have at least one partner or pay the default, those of the
    other side any number.
    """

    family: ClassVar = "pair"
    columns: ClassVar = (
        Column("n_true", "a true label"),
        Column("n_pred", "a predicted label"),
        Column("cost_true", "a nearest predicted label at a cost of 1", float),
        Column("cost_pred", "a nearest true label at a cost of 1", float),
    )

    default: float = 1
    cost: Any = "lin"

    @property
    def halves(self) -> list[PairRecipe]:
        """The recipes of both sides, the predicted one first."""
        cost, default = cost_named(self.cost), self.default
        return [PairRecipe(Rule(cost, (Degree(s, 1), Unmatched(s, default)))) for s in SIDES]

    def compute(self, batch: Batch) -> Columns:
        """Add up what both sides cost."""
        of_pred, of_true = (batch.columns(half)["cost"] for half in self.halves)
        n_true, n_pred = batch.y_true.lengths, batch.y_pred.lengths
        return {"n_true": n_true, "n_pred": n_pred, "cost_true": of_true, "cost_pred": of_pred}

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the pairs of nearest labels, with their common ancestors, and what each costs."""
        h, solved = batch.hierarchy, [half.solved(batch) for half in self.halves]
        (problem, _), names = solved[1], h.names
        pairs = problem.pairs
        nearest = np.array([pairing.chosen for _, pairing in solved])
        kept = np.flatnonzero(nearest.any(axis=0))
        predicted, true = pairs.predicted[kept], pairs.true[kept]
        closure = ancestor_closure(h, np.concatenate([predicted, true]))
        _, pair, ancestor = nearest_common_ancestors(closure, predicted, true)
        fields = list[Field]()
        for k, (at, c, d) in enumerate(zip(kept, predicted, true, strict=True)):
            ends = (names[c],), (names[d],)
            shared = tuple(names[a] for a in ancestor[pair == k])
            fields.append(Field("common ancestor", shared, (), *ends))
            paid = (float(problem.cost[at]),)
            for owner, end, has in zip(NEAREST, ends, nearest[:, at], strict=True):
                fields.append(Field(owner, end if has else (), paid if has else (), *ends))
        costs = (float(pairing.cost[0]) for _, pairing in solved)
        counts = zip(("cost_pred", "cost_true"), costs, strict=True)
        lonely = "a label whose nearest one costs default or more is matched by none and costs it"
        return FieldEvidence("best match", tuple(fields), "", (lonely,), tuple(counts))


NEAREST = "cost for the prediction", "cost for the truth"
