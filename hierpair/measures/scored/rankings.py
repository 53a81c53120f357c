"""Classes in the order of their scores: the first k of every instance, and how far they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from hierpair.errors import BadInput, Infeasible, counted, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, ancestors_of, counted_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    Shorts,
    falling_by_row,
    inverse,
    pieces,
    places_in_rows,
    row_numbers,
    row_pointer,
)
from hierpair.hierarchy.closure import remembered
from hierpair.labels.sets import LabelSets, are_aside
from hierpair.measures.columns import Column, Columns
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.scored.system import Scored
from hierpair.pairing import Cost, Height, Pairs, RightIsFree, checked_cost, cost_named


@dataclass(frozen=True, eq=False)
class Ranked:
    """The rankings of a system beside the true classes, one per instance.

    Classes that are not listed have the score 0 and stand last, by name; a ranking that was given
    as one says nothing of the classes that it does not name. With a ``default``, the distance of
    classes that are not ranked, an instance may have no score above 0.
    """

    scored: Scored
    k: int = 1
    cost: str | Cost = "height"
    ties: str = "error"
    candidates: str = "leaves"
    default: float | None = None

    @classmethod
    def of(cls, scored: Scored, **how: Any) -> Ranked:
        """Return the rankings under these options, once for all measures."""
        return scored.shared(("ranked", *how.items()), lambda: cls(scored, **how))

    def __post_init__(self) -> None:
        lengths = self.scored.truth.lengths
        self.scored.refuse(lengths != 1, lambda i: (
            f"a ranking is compared with one true class, and there are {lengths[i]}"
        ))  # fmt: skip

    @property
    def true(self) -> Ints:
        """The true class of every instance."""
        return self.scored.truth.indices.astype(np.int64)

    @property
    def classes(self) -> Ints:
        """The classes that can be ranked, by name."""
        return ranked_classes(self.scored.hierarchy, self.candidates)

    @property
    def wrong(self) -> Bools:
        """Whether the first class is not the true one."""
        wrong: Bools = replace(self, k=1).first[:, 0] != self.true
        return wrong

    def _order(self) -> tuple[Ints, Ints, Floats]:
        """Return row pointers, classes and scores of the candidates, by falling score."""
        scores, place = self.scored.scores, inverse(self.classes, len(self.scored.hierarchy))
        row, node = scores.row, scores.indices
        kept = place[node] >= 0
        kept &= ~are_aside(self.scored.hierarchy, self.scored.truth, row, node)
        row, node, value = row[kept], node[kept], scores.values[kept]
        order = falling_by_row(row, value, len(scores))
        if ((np.diff(row[order]) == 0) & (np.diff(value[order]) == 0)).any():  # by name, then
            order = np.lexsort((place[node], -value, row))
        indptr = row_pointer(row, len(scores))
        return indptr, node[order].astype(np.int64), value[order]

    @cached_property
    def first(self) -> Ints:
        """The first k classes of every instance, shape ``(n_instances, k)``; -1 for none.

        A ranking that is shorter is refused, and so are equal scores that leave open which these
        are.
        """
        k, by_name, refuse = self.k, self.classes, self.scored.refuse
        if k > len(by_name):
            raise BadInput(f"k is {k}, and a ranking has at most {counted(len(by_name), 'class')}")
        indptr, classes, values = self.scored.shared(("order", self.candidates), self._order)
        lengths, row, column = np.diff(indptr), row_numbers(indptr), places_in_rows(indptr)
        none = (np.bincount(row, values, len(lengths)) == 0) & (self.default is not None)
        lengths[none] = k
        refuse((lengths < k) & (self.scored.scores.holds == "ranks"), lambda i: (
            f"the ranking names {counted(int(lengths[i]), 'class')}, and k is {k}"
        ))  # fmt: skip
        found, score = np.full((len(lengths), k + 1), -1), np.zeros((len(lengths), k + 1))
        kept = column <= k
        at = row[kept], column[kept]
        found[at], score[at] = classes[kept], values[kept]
        found[none] = -1
        tied = (score[:, k - 1] == score[:, k]) & (k < len(by_name)) & ~none
        refuse(tied & (self.ties == "error"), lambda i: (
            f"several classes have the score {score[i, k]:g}, and which of them are among the "
            f"first {k} is not said; ties='name' takes them by name"
        ))  # fmt: skip
        h, truth, short = self.scored.hierarchy, self.scored.truth, np.flatnonzero(lengths < k)
        ignored = 0 if truth.ignored is None else int(truth.ignored.lengths.max(initial=0))
        for c in by_name[: k + ignored]:  # classes with the score 0 follow by name
            if not len(short):
                break
            listed = self.scored.scores.place(short, c) >= 0
            free = short[~listed & ~are_aside(h, truth, short, np.full_like(short, c))]
            found[free, lengths[free]] = c
            lengths[free] += 1
            short = short[lengths[short] < k]
        refuse(lengths < k, lambda _: f"fewer than {counted(k, 'class')} count and can be ranked")
        return found[:, :k]

    @cached_property
    def distances(self) -> Floats:
        """How far the first k classes are from the true one, shape ``(n_instances, k)``."""
        h, first, refuse = self.scored.hierarchy, self.first, self.scored.refuse
        cost, none = RightIsFree(cost_named(self.cost)), first < 0
        each = np.where(none, self.true[:, None], first)
        found = _class_distances(h, cost, self.true[:, None], each, self.scored.name)
        refuse(np.isinf(found).any(axis=1), lambda i: (
            f"the ranked class {shown(h.names[first[i, np.isinf(found[i]).argmax()]])} and the "
            f"true class {shown(h.names[self.true[i]])} have no common ancestor; put a class above "
            "all roots, or give distances as cost=matrix('FILE')"
        ), Infeasible)  # fmt: skip
        return np.where(none, self.default or 0.0, found)

    def nearest(self, *, of_classes: bool = False) -> Floats:
        """Return the k least distances to the true class of every instance, ascending.

        They are to classes that count there. With ``of_classes`` those to every class that can be
        ranked, once each.
        """
        h, true = self.scored.hierarchy, self.classes if of_classes else self.true
        how, aside = (cost_named(self.cost), self.classes, self.k), self.scored.truth.ignored
        used, place = np.unique(true, return_inverse=True)
        found = nearest_distances(h, used, *how)[place]
        if aside is not None and not of_classes:
            some = np.flatnonzero(aside.lengths)
            found[some] = nearest_distances(h, true[some], *how, aside.take(some))
        return found


@remembered
def ranked_classes(hierarchy: Hierarchy, candidates: str) -> Ints:
    """Return the classes that can be ranked, by name: the leaves, or all but a single root."""
    n = len(hierarchy)
    classes = np.arange(int(hierarchy.has_one_root and n > 1), n)
    if candidates == "leaves":
        classes = hierarchy.leaf_indices
    classes = classes[counted_classes(hierarchy, "include")[classes]]
    return np.array(sorted(classes, key=lambda c: str(hierarchy.names[c])), dtype=np.int64)


BLOCK_PAIRS = 1_000_000
"""Pairs of classes, or of a true class and an ancestor, that are looked at in one go."""

MOST_PAIRS = 200_000_000
"""Pairs of classes that are tried for the largest distance of all, at most."""


def _class_distances(
    hierarchy: Hierarchy,
    cost: Cost,
    true: Indices,
    predicted: Indices,
    name: Callable[[int], Hashable] = lambda _: None,
) -> Floats:
    """Return the distances of true classes, a column, from the predicted classes of their rows.

    Equal pairs are computed once. An error has the ``name`` of the first row that has the pair.
    """
    n, plain = len(hierarchy), cost.cost if isinstance(cost, RightIsFree) else cost
    ways = _ways(hierarchy) if isinstance(plain, Height) else None
    if ways is not None:
        height = _common_heights(hierarchy, ways, true, predicted)
        return height / cast(Height, plain).unit(hierarchy)
    pairs, place = np.unique(true * n + predicted, return_inverse=True)
    found = np.empty(len(pairs))
    for part in pieces(len(pairs), BLOCK_PAIRS):
        t, p = np.divmod(pairs[part], n)
        try:
            found[part] = checked_cost(cost, Pairs.of_classes(hierarchy, p, t))
        except BadInput as error:
            if not isinstance(error.instance, int):
                raise
            at = int((place.ravel() == part.start + error.instance).argmax())
            raise BadInput(error.reason, name(at // predicted.shape[-1])) from error
    return found[place].reshape(np.broadcast_shapes(true.shape, predicted.shape))


def h_rank_sums(similar: Floats) -> Floats:
    """Return Σ H-rank(j)/j of rows of relevances, H-rank(j) = rel(j) + Σ_i<j min(rel(j), rel(i)).

    min(a, b) is the sum of the steps between relevances that both reach, so H-rank is a sum over
    the steps of how many of the first j reach them. Relevances of levels are few; of others each
    row has its own steps.
    """
    ranks, steps = np.arange(1, similar.shape[1] + 1), np.unique(similar)
    reached: Any = steps if len(steps) <= len(ranks) else np.sort(similar, axis=1).T[:, :, None]
    total, below = np.zeros(len(similar)), np.zeros((len(similar), 1))
    for step in reached:
        near = similar >= step
        total += ((step - below) * (near.cumsum(axis=1) * near / ranks)).sum(axis=1)
        below = step
    return total


@dataclass(frozen=True)
class RetrievedRecipe:
    """The relevance of lists of retrieved items: labels in their order, which may come again."""

    family: ClassVar = "ranking"
    of_labels: ClassVar = True
    columns: ClassVar = (
        Column("gained", "H-rank over rank of an item", float),
        Column("relevant", "1 of the relevance of an item", float),
    )

    cost: Cost
    largest: float | None = None

    def compute(self, batch: Batch) -> Columns:
        """Sum up relevances, some instances at a time."""
        lengths = batch.y_true.lengths
        for i in np.flatnonzero(lengths != 1).tolist():
            said = f"a list of items is compared with one true class, and there are {lengths[i]}"
            batch.refuse(self, Infeasible(said, i))
        row, _, relevance, rank = self._relevances(batch)
        n, longest = len(batch), int(rank.max(initial=0)) + 1
        gained = np.zeros(n)
        for part in pieces(n, BLOCK_PAIRS // longest):
            of = slice(*np.searchsorted(row, (part.start, part.stop)))
            lists = np.zeros((len(gained[part]), longest))
            lists[row[of] - part.start, rank[of]] = relevance[of]
            gained[part] = h_rank_sums(lists)
        return {"gained": gained, "relevant": np.bincount(row, relevance, n)}

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the items in their order, with their relevances."""
        _, classes, relevance, _ = self._relevances(batch)
        names = tuple(batch.hierarchy.names[c] for c in classes.tolist())
        counts = ((name, float(x[0])) for name, x in self.compute(batch).items())
        fields = (Field("relevance, in the order of the list", names, tuple(relevance.tolist())),)
        return FieldEvidence("items", fields, "", (), tuple(counts))

    def _relevances(self, batch: Batch) -> tuple[Ints, Ints, Floats, Ints]:
        """Return instance, class, relevance and place (from 0) of items, list after list."""
        h, said = batch.hierarchy, batch.y_pred
        written = said if said.as_written is None else said.as_written
        row = written.row
        rank = places_in_rows(written.indptr)
        some = batch.y_true.lengths[row] == 1
        row, rank, classes = row[some], rank[some], written.indices[some].astype(np.int64)
        true = batch.y_true.indices[batch.y_true.indptr[row]].astype(np.int64)
        top = largest_distance(h, self.cost, "leaves") if self.largest is None else self.largest
        cost = RightIsFree(self.cost)
        each = true[:, None], classes[:, None], lambda k: int(row[k])
        distance = _class_distances(h, cost, *each)[:, 0]
        relevance = np.clip(1 - distance / top, 0, 1) if top else (distance == 0).astype(np.float64)
        return row, classes, relevance, rank


MOST_WAYS = 50_000_000
"""Classes times levels up to which the ways down to all classes are kept."""


@remembered
def _ways(hierarchy: Hierarchy) -> Shorts | None:
    """Return the ancestor of every class at every level, shape ``(n_levels, n_classes)``.

    Below a class stands what no other class has there. None in a DAG, and where it is too large.
    """
    n, n_levels = len(hierarchy), hierarchy.n_levels
    if hierarchy.shape == "DAG" or n * n_levels > MOST_WAYS:
        return None
    ways = np.tile(np.arange(n, 2 * n, dtype=np.int32), (n_levels, 1))
    for level, (lo, hi) in enumerate(hierarchy.level_ranges()):
        if level:
            ways[:level, lo:hi] = ways[:level, hierarchy.parents[hierarchy.parent_ptr[lo:hi]]]
        ways[level, lo:hi] = np.arange(lo, hi)
    return ways


def _common_heights(hierarchy: Hierarchy, ways: Shorts, one: Indices, other: Indices) -> Floats:
    """Return the height of the lowest common ancestor in a tree; 0 for a class with itself."""
    shared = sum((level[one] == level[other]).astype(np.int64) for level in ways)
    lowest = ways[np.maximum(shared, 1) - 1, one]
    alike = one == other  # what stands below a class is no class
    height = np.where(shared > 0, hierarchy.heights[np.where(alike, one, lowest)], np.inf)
    return np.where(alike, 0.0, height)


def nearest_distances(
    hierarchy: Hierarchy,
    true: Ints,
    cost: Cost,
    candidates: Ints,
    k: int,
    aside: LabelSets | None = None,
) -> Floats:
    """Return the k least distances of each true class to the candidates, ascending.

    Shape ``(len(true), k)``. Heights of common ancestors need no pairs of classes: of every true
    class they are found on the way up, whatever the number of classes; but for those that have
    candidates ``aside``.
    """
    if isinstance(cost, Height) and aside is None:
        return _nearest_heights(hierarchy, true, candidates, k) / cost.unit(hierarchy)
    found = np.empty((len(true), k))
    for part in pieces(len(true), BLOCK_PAIRS // len(candidates)):
        distance = _class_distances(hierarchy, cost, true[part, None], candidates)
        if aside is not None:
            out = aside.take(part)
            column = inverse(candidates, len(hierarchy))[out.indices]
            distance[out.row[column >= 0], column[column >= 0]] = np.inf
        found[part] = np.sort(np.partition(distance, k - 1, axis=1)[:, :k], axis=1)
    return found


def _nearest_heights(hierarchy: Hierarchy, true: Ints, candidates: Ints, k: int) -> Floats:
    """Return the k least heights of common ancestors with the candidates.

    An ancestor with k candidates or more below it settles all that is left at its height, so only
    those below smaller ones are looked at.
    """
    above, heights = ancestor_closure(hierarchy, np.append(true, candidates)), hierarchy.heights
    up, down = (above.pattern[some].tocsc() for some in (true, candidates))
    below, n_below = down.T, np.diff(down.indptr)
    found = np.full((len(true), k), np.inf)
    step = BLOCK_PAIRS // (k * int(np.diff(above.indptr).max()))
    for height in np.unique(heights)[::-1]:
        reached = heights <= height
        enough = up[:, reached & (n_below >= k)].sum(axis=1) > 0
        near = reached & (n_below < k)
        ways, ends = up[:, near].tocsr(), below[near]
        for part in pieces(len(true), step):
            count = np.where(enough[part], k, np.diff((ways[part] @ ends).indptr))
            found[part][np.arange(k) < count[:, None]] = height
    found[np.isin(true, candidates), 0] = 0  # all others are as far as it is high, or farther
    return found


@remembered
def largest_distance(hierarchy: Hierarchy, cost: Cost, candidates: str) -> float:
    """Return the largest distance of two classes that can be ranked, looked for once.

    Pairs are tried, block by block, until two classes are as far from each other as any can be:
    no farther than the lowest ancestor of all classes is high. Too many are refused.
    """
    of, largest = ranked_classes(hierarchy, candidates), 0.0
    n, most = len(of), np.inf
    if isinstance(cost, Height):
        n_below = np.bincount(ancestors_of(hierarchy, of)[1], minlength=len(hierarchy))
        most = np.append(hierarchy.heights[n_below == n], np.inf).min() / cost.unit(hierarchy)
    for some in pieces(n, BLOCK_PAIRS // max(1, n)):
        if largest >= most:
            break
        if some.start and n * n > MOST_PAIRS:
            raise BadInput(
                f"the largest distance of {n:,} classes would have to be looked for among all "
                "their pairs; give it as largest=…"
            )
        tried = _class_distances(hierarchy, cost, of[some, None], of)
        largest = max(largest, float(tried[np.isfinite(tried)].max(initial=0.0)))
    return largest
