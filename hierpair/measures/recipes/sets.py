"""Recipes of label sets: sizes, weights, costs of mistakes, contributions, amounts, and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import (
    Hierarchy,
    ancestors_of,
    classes_at,
    depth_weights,
    grown_weights,
    mistake_costs,
)
from hierpair.hierarchy.arrays import (
    Array,
    Bools,
    Floats,
    ends_of_ties,
    marked,
    offsets,
    row_pointer,
    row_sums,
)
from hierpair.labels import LabelSets
from hierpair.measures.class_weights import NOT_FINITE, Weighting
from hierpair.measures.columns import N_NEITHER, SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence import ARTIFICIAL
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.evidence.graphs import BOTH, IN_SETS, ONLY_PREDICTED, ONLY_TRUE
from hierpair.measures.recipes.augmentation import Cells, parents_shared
from hierpair.measures.recipes.batch import Batch, Counted, Units
from hierpair.pairing import checked_cost, cost_named

SUMS: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("n_true", "w_true"), lambda true, predicted: true),
    **dict.fromkeys(("n_pred", "w_pred"), lambda true, predicted: predicted),
    **dict.fromkeys(("n_both", "w_both", "tp"), lambda true, predicted: true & predicted),
    "w_single": lambda true, predicted: true ^ predicted,
    "fp": lambda true, predicted: predicted & ~true,
    "fn": lambda true, predicted: true & ~predicted,
    "n_neither": lambda true, predicted: -(true | predicted).astype(np.int8),
}
"""The classes that a column adds up, from those of the truth and those of the prediction."""

SETS = BOTH, ONLY_TRUE, ONLY_PREDICTED


class Sets(Counted):
    """A recipe that adds up the classes of two augmented sets, or what these weigh."""

    sets: SetRecipe

    def weight(self, batch: Batch) -> Floats | None:
        """Return the weight of every class, or None where they are counted."""
        return None

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the classes of both sets, with what they weigh."""
        weight = self.weight(batch)
        for part in self.sets.cells(batch):
            names = [column.name for column in self.columns if column.name in SUMS]
            columns = {name: SUMS[name](part.in_true, part.in_pred) for name in names}
            if weight is not None:
                each = weight[part.column]
                columns = {name: each * among for name, among in columns.items()}
            yield Units(part.first, part.row_ptr, part.column, columns)

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets of a batch of one, with their weights."""
        (part,) = self.sets.cells(batch)
        h, weight, augment = batch.hierarchy, self.weight(batch), self.sets.augment
        excluded = batch.uncounted(part, self.sets.root)  # neither side has these
        where = 2 * part.in_true + part.in_pred + 4 * excluded
        named = {**dict(zip((3, 2, 1), SETS, strict=True)), 4: "not counted"}
        named |= {0: "pruned"} if augment == "pruned" else {}
        names, found = [*h.names, ARTIFICIAL], []
        for number, name in named.items():
            classes = part.column[where == number].tolist()
            of = weight if name != "not counted" else None
            weights = () if of is None else of[classes].astype(np.float64).tolist()
            if classes or name in IN_SETS:
                found.append(Field(name, tuple(names[c] for c in classes), tuple(weights)))
        with_them = "ancestors, pruned" if augment == "pruned" else augment
        title = "labels" if augment == "none" else f"labels with {with_them}"
        counts = {
            c.name: [x for x in SETS if SUMS[c.name](*map(np.array, IN_SETS[x]))]
            for c in self.columns
            if c.name in SUMS and not c.every
        }
        return FieldEvidence(title, tuple(found), "weight" * (weight is not None)).adding(counts)


@dataclass(frozen=True)
class SetRecipe(Sets):
    """Sizes of the augmented sets of every instance, or of every class.

    Parameters
    ----------
    augment
        ``"ancestors"`` (Kosmopoulos et al. 2014, eqs 2–3), ``"descendants"`` (Ipeirotis et al.
        2001), ``"pruned"``: ancestors, less what over- and under-specialisation adds (Cesa-Bianchi
        et al. 2006; Kosmopoulos et al. 2014, eqs 4–5), or ``"none"``.
    root
        ``"exclude"`` (a single parentless class does not count), ``"include"``, or the name
        of the class that does not count.
    threshold
        Path threshold, or None.
    deeper
        ``"right"``: a predicted label below true ones is the lowest of these; ``"wrong"``: it is
        what it is.
    """

    columns: ClassVar[tuple[Column, ...]] = (
        *SET_SIZES,
        Column("n_classes", "a class that counts", every=True, alone=True),
    )

    augment: str = "none"
    root: Any = "include"
    threshold: int | None = None
    deeper: str = "wrong"

    @property
    def sets(self) -> SetRecipe:  # type: ignore[override]
        """The augmented sets: its own."""
        return self

    @property
    def of_labels(self) -> bool:
        """Whether the labels are compared as they are."""
        return self.augment == "none"

    def cells(self, batch: Batch) -> Iterable[Cells]:
        """Return the augmented sets of a batch."""
        return batch.cells(self.augment, self.root, self.threshold, deeper=self.deeper)


@dataclass(frozen=True)
class OneLevelRecipe(SetRecipe):
    """Sizes of label sets without the classes of other levels."""

    family: ClassVar = "level"
    columns: ClassVar = (*SetRecipe.columns, N_NEITHER)

    at_level: int | str | None = None

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count."""
        return super().counted(hierarchy) & classes_at(hierarchy, self.at_level)

    def cells(self, batch: Batch) -> Iterable[Cells]:
        """Return the sets of a batch; nobody has the classes of other levels."""
        counted = self.counted(batch.hierarchy)
        for part in super().cells(batch):
            here = counted[part.column]
            yield replace(part, in_true=part.in_true & here, in_pred=part.in_pred & here)


@dataclass(frozen=True)
class LeafSetRecipe(OneLevelRecipe):
    """Sizes of label sets without the classes that have children."""

    family: ClassVar = "set"
    of_leaves: ClassVar = True


@dataclass(frozen=True)
class WeightedSetRecipe(Sets):
    """Weights of what two augmented sets share, and of what each has alone."""

    columns: ClassVar = (
        Column("tp", "weight 1 in both sets", float),
        Column("fp", "weight 1 in the predicted set alone", float),
        Column("fn", "weight 1 in the true set alone", float),
        *(replace(size, unit=size.unit.replace("a class", "weight 1", 1), dtype=float)
          for size in SET_SIZES),
        Column("n", "an instance"),
    )  # fmt: skip

    weighting: Weighting
    sets: SetRecipe

    @property
    def of_labels(self) -> bool:
        """Whether the labels are compared as they are."""
        return self.sets.of_labels

    def __post_init__(self) -> None:
        if self.sets.threshold is not None:
            raise BadInput(
                "a path threshold puts an artificial class on top, which has no weight; leave "
                "threshold or weights out"
            )

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count."""
        return self.sets.counted(hierarchy)

    def weight(self, batch: Batch) -> Floats:
        """Return the weight of every class."""
        return batch.class_weights(self.weighting)

    def compute(self, batch: Batch) -> Columns:
        """Weigh what both sets share and what each has alone; instances need finite weights."""
        weight = self.weight(batch)
        endless, tables = ~np.isfinite(weight), list[Array]()
        for part in self.sets.cells(batch):
            column, row = part.column, part.row
            among = 2 * part.in_true.view(np.int8) + part.in_pred
            each = weight[column]
            if endless.any():
                there = endless[column]
                for k in np.flatnonzero(there & (among > 0)).tolist():
                    text = NOT_FINITE.format(shown(batch.hierarchy.names[column[k]]))
                    batch.refuse(self, BadInput(text, part.first + int(row[k])))
                each[there] = 0  # these do not count
            sums = np.bincount(4 * row + among, each, minlength=4 * len(part))
            tables.append(sums.reshape(-1, 4))
        _, fp, fn, tp = np.concatenate(tables).T
        sizes = {"n_true": tp + fn, "n_pred": tp + fp, "n_both": tp}
        return {"tp": tp, "fp": fp, "fn": fn, **sizes, "n": np.ones(len(batch), dtype=np.int64)}

    def entries(self, batch: Batch) -> Entries:
        """Return the classes of both sets: the weight of a class cancels in its own value."""
        return batch.entries(self.sets)


@dataclass(frozen=True)
class DepthRecipe(Sets):
    """Weights of the augmented sets, in which a class weighs less the deeper it lies."""

    family: ClassVar = "depth"
    columns: ClassVar = (
        Column("w_true", "weight 1 in the true set", float),
        Column("w_pred", "weight 1 in the predicted set", float),
        Column("w_both", "weight 1 in both sets", float),
        Column("w_single", "weight 1 in one of the sets alone", float),
        Column("w_bound", "weight 1 of what could be wrong", float),
    )

    w0: float = 0.75
    depth: str = "mean"
    normalise: str = "none"
    root: Any = "exclude"

    @property
    def sets(self) -> SetRecipe:  # type: ignore[override]
        """The augmented sets."""
        return SetRecipe("ancestors", self.root)

    def weight(self, batch: Batch) -> Floats:
        """Return the weight of every class."""
        return depth_weights(batch.hierarchy, self.w0, self.depth)

    def compute(self, batch: Batch) -> Columns:
        """Weigh both augmented sets, what they share, and their difference."""
        sums = super().compute(batch)
        bound = np.ones(len(batch))
        if self.normalise == "path":
            bound = sums["w_true"] + sums["w_pred"]
        elif self.normalise != "none":
            bound *= 2 * grown_weights(batch.hierarchy, self.w0, self.depth, self.root).max()
        return {**sums, "w_bound": bound}


@dataclass(frozen=True)
class HLossRecipe(Counted):
    """Costs of wrong classes none of whose ancestors is wrong."""

    family: ClassVar = "depth"
    columns: ClassVar = (Column("cost", "a mistake that costs 1", float),)

    costs: str = "sibling"
    root: Any = "exclude"

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the wrong classes whose parents are all right, with their costs."""
        cost = mistake_costs(batch.hierarchy, self.costs)
        for part in batch.once(("mistakes", self.root), lambda: [*self._mistakes(batch)]):
            yield replace(part, columns={"cost": cost[part.number]})

    def _mistakes(self, batch: Batch) -> Iterator[Units]:
        """Return these classes, which are the same whatever they cost."""
        for part in batch.cells("ancestors", self.root):
            given = (part.in_true & part.in_pred) | batch.uncounted(part, self.root)
            single, n_parents, n_shared = parents_shared(
                batch.hierarchy, part.row_ptr, part.column, given
            )
            first = single[n_parents == n_shared]
            row_ptr, classes = np.searchsorted(first, part.row_ptr), part.column[first]
            yield Units(part.first, row_ptr, classes, {})


@dataclass(frozen=True)
class SharedDepthRecipe(Counted):
    """How deep the truth goes, and down to which level the prediction goes with it.

    The depth of a class is its longest way from a root, so that every class is deeper than its
    ancestors. Of two single classes the deepest class that both augmented sets share is their
    deepest common ancestor. Nothing shared, and nothing true, is depth 0.
    """

    family: ClassVar = "depth"
    columns: ClassVar = (
        Column("shared_depth", "a level down to the deepest shared class"),
        Column("true_depth", "a level down to the deepest true class"),
    )

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the deepest shared class and the deepest true one, with their depths."""
        for part in batch.cells("ancestors"):
            depth, row = batch.hierarchy.levels[part.column], part.row
            columns = {column.name: np.zeros_like(depth) for column in self.columns}
            masks = part.in_true & part.in_pred, part.in_true
            for found, mask in zip(columns.values(), masks, strict=True):
                at = np.flatnonzero(mask)
                deepest = at[ends_of_ties(row[at])]  # deeper classes have higher numbers
                found[deepest] = depth[deepest]
            yield Units(part.first, part.row_ptr, part.column, columns)


def unit_of(theta: Any) -> float:
    """Return what contributions are multiples of: the acceptable distance, if it is a number.

    So whole distances give whole contributions, and ratios of them are rounded once.
    """
    return 1.0 if theta == "mean" else float(theta)


@dataclass(frozen=True)
class ContributionRecipe(Counted):
    """Right, wrong and missing classes, and the contributions of the last two.

    A wrong class earns ``1 - distance / theta``, summed over all true classes of its instance, the
    sum cut at -1 and 1; a missing class the same over all predicted ones (Costa et al. 2007,
    eqs 7–10). An infinite distance, as between the trees of a forest, makes the whole sum -1.
    """

    family: ClassVar = "contribution"
    of_labels: ClassVar = True
    columns: ClassVar = (
        *SET_SIZES,
        N_NEITHER,
        Column("contribution_true", "1 / theta of what missing classes contribute", float),
        Column("contribution_pred", "1 / theta of what wrong classes contribute", float),
    )

    kept: ClassVar = True

    theta: Any = 2
    cost: Any = "hops"
    root: Any = "exclude"

    def shown_as(self, column: Column) -> tuple[str, float]:
        """Return what a column is called; contributions are shown as they are."""
        title = column.unit.removeprefix("1 / theta of ")
        return title, 1 if title == column.unit else unit_of(self.theta)

    def remarks(self, batch: Batch) -> list[str]:
        """Return how contributions come about."""
        return [
            "a contribution is the sum of 1 - d/theta over the classes of the other side, the "
            "sum cut at -1 and 1; without a common ancestor it is -1"
        ]

    def scale(self, hierarchy: Hierarchy, counted: Bools) -> float:
        """Return the acceptable distance."""
        if self.theta != "mean":
            return float(self.theta)
        cost = cost_named(self.cost)
        if not hasattr(cost, "mean_between"):
            raise BadInput(
                "theta='mean' needs a cost that knows its mean over all pairs of classes: "
                "cosine; give theta as a number"
            )
        mean = float(cost.mean_between(hierarchy, np.flatnonzero(counted)))
        if not mean > 1e-12:
            raise BadInput(
                "all classes are alike (their mean distance is 0, ACS is 1), so no acceptable "
                "distance follows from them; give theta as a number"
            )
        return mean

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the labels of all true sets, then of all predicted ones, with what they earn."""
        counted = self.counted(batch.hierarchy)
        pairs = batch.pairs(None)
        theta = self.scale(batch.hierarchy, counted)
        distance = checked_cost(cost_named(self.cost), pairs).astype(np.float64)
        if self.theta == "mean":
            theta, distance = 1.0, distance / theta
        kept = counted[pairs.predicted] & counted[pairs.true]
        same = kept & (pairs.predicted == pairs.true)
        gain = np.where(kept, theta - distance, 0.0)
        for side, sets, at in (
            ("true", batch.y_true, pairs.true_at), ("pred", batch.y_pred, pairs.predicted_at),
        ):  # fmt: skip
            n = len(sets.indices)
            known = counted[sets.indices]
            credit = np.clip(np.bincount(at, gain, minlength=n), -theta, theta)[known]
            right = marked(at[same], n)[known]
            here = np.ones(len(right), dtype=bool)
            columns: dict[str, Array] = {
                f"n_{side}": here,
                f"contribution_{side}": np.where(right, 0.0, credit),
                "n_neither": -(here if side == "true" else ~right).astype(np.int8),
            }
            if side == "true":
                columns["n_both"] = right
            pointer = offsets(row_sums(known, sets.indptr))
            yield Units(0, pointer, sets.indices[known], columns)


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
        Column("n_true", "1 of the truth at or below a class", float, support=True),
        Column("n_pred", "1 of the prediction at or below a class", float),
        Column("n_both", "1 of what both have at or below a class", float),
        Column("n_single", "1 of what one side has more at or below a class", float),
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
            says = marked(label[kept], len(of_label))
            kept &= counted[above]
            label, above = label[kept], above[kept]
            cells, place = np.unique(of_label[label] * len(h) + above, return_inverse=True)
            row, classes = np.divmod(cells, len(h))
            n = len(part)
            each = [
                _of_labels(part, has, side) * says
                for has, side in zip((part.in_true, part.in_pred), batch.sides, strict=True)
            ]
            whole: Any = np.ones(n)
            if self.amount == "shares":
                size: list[Any] = [np.bincount(of_label, own, n) for own in each]
                size = [np.where(own > 0, own, 1) for own in size]
                if all(side.amounts is None for side in batch.sides):
                    # whole numbers of a unit: equal shares are equal
                    whole = np.lcm(*(own.astype(np.int64) for own in size)).astype(np.float64)
                each = [own * (whole / of)[of_label] for own, of in zip(each, size, strict=True)]
            below: list[Any] = [np.bincount(place, own[label], len(cells)) for own in each]
            true, predicted = below
            if self.amount == "presence":
                true, predicted = (true > 0) * 1.0, (predicted > 0) * 1.0
            columns = {
                "n_true": true,
                "n_pred": predicted,
                "n_both": np.minimum(true, predicted),
                "n_single": np.abs(true - predicted),
            }
            columns = {name: x * length[classes] / whole[row] for name, x in columns.items()}
            yield Units(part.first, row_pointer(row, n), classes, columns)


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
    of_labels: ClassVar = True
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
