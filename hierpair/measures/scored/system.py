"""Pairs of an instance and a class, and systems that give scores: what measures of scores take.

Of a large matrix of scores only the highest columns are taken where measures see no more: without
sorting or copying it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from hierpair.errors import BadInput, HierpairError, counted, shown
from hierpair.hierarchy import Hierarchy, counted_classes, takes_hierarchy
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    inverse,
    marked,
    sparse_rows,
    starts_of_ties,
)
from hierpair.labels import LabelSets, NodeScores, Unknown, match_instances
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.labels.naming import refuse
from hierpair.labels.node_scores import (
    has_scores,
    scores_of_labels,
    scores_of_rankings,
)
from hierpair.labels.sets import are_aside, augmented_keys
from hierpair.measures.class_weights import Weighting
from hierpair.measures.columns import Column, Columns

if TYPE_CHECKING:
    from hierpair.measures.named import Measure
    from hierpair.measures.recipes.batch import Batch

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of one system beside the truth: what a measure of scores is computed from.

    Attributes
    ----------
    hierarchy
        The classes.
    truth
        True label sets, as they were given.
    scores
        Scores in [0, 1], rows in the order of the truth; a class that is not listed has 0.
    sample_weight
        One weight ≥ 0 per instance, or None where all count the same. Only a measure that is
        declared with ``weighted=True`` gets one.
    counts
        How often classes are annotated in the whole truth, if this is a part of it.
    remarks
        What has to be told beside the value; see :meth:`remark`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> truth = LabelSets.from_labels([["a"]], tree)
    >>> scored = Scored(tree, truth, NodeScores.from_array([[0.9, 0.1]], tree, classes="ab"))
    >>> scored.shared("sum", lambda: float(scored.scores.values.sum()))
    2.0
    >>> scored.shared("sum", lambda: 1 / 0)  # it is known
    2.0
    """

    hierarchy: Hierarchy
    truth: LabelSets
    scores: NodeScores
    sample_weight: Floats | None = None
    counts: AnnotationCounts | None = None
    remarks: dict[str, int] = field(default_factory=dict)
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    @takes_hierarchy
    def of_labels(
        cls, y_true: Any, y_score: Any, hierarchy: Hierarchy, unknown: Unknown = "error"
    ) -> Scored:
        """Return labels and scores, in any form, with the scores in the order of the truth."""
        truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
        given = scores_of_labels(
            y_score, hierarchy, unknown=unknown, source="y_score", ids=truth.ids
        )
        return cls(hierarchy, truth, match_instances(truth, given, system="y_score"))

    def __len__(self) -> int:
        return len(self.truth)

    def shared(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what is computed once for all measures of this system.

        Parameters
        ----------
        key
            What it is: a word of the module that computes it, and the options that it depends on,
            such as ``("threshold_sweep", closure, root)``.
        compute
            Called without arguments if it is not known.
        """
        if key not in self._known:
            self._known[key] = compute()
        found: T = self._known[key]
        return found

    @property
    def name(self) -> Callable[[int], Hashable]:
        """From a position to what the instance is called."""
        return (self.truth.ids or self.scores.ids or range(len(self))).__getitem__

    def refuse(
        self, bad: Any, why: Callable[[int], str], error: type[HierpairError] = BadInput
    ) -> None:
        """Raise an error that names the first instance of which something holds."""
        refuse(bad, why, self.name, error)

    def class_weights(self, weighting: Weighting) -> Floats:
        """Return the weight of every class; of those never seen it may be infinite."""
        return weighting.array(self.hierarchy, self.counts, self.truth)

    def remark(self, text: str, n: int) -> None:
        """Tell beside the value of this measure what holds of so many instances."""
        self.remarks[text] = n

    def only(self, rows: Ints, counts: AnnotationCounts | None) -> Scored:
        """Return some instances, called as they were, with the counts of the whole truth."""
        truth = replace(self.truth.take(rows), ids=tuple(map(self.name, rows.tolist())))
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        return Scored(self.hierarchy, truth, self.scores.take(rows), weight, counts)

    def for_measure(self) -> Scored:
        """Return the same system, and what is shared, with remarks of its own."""
        return replace(self, remarks={})


def scored_of(batch: Batch) -> Scored:
    """Return the system of a batch whose predictions are scores, the same for all its recipes."""
    given: Any = batch.y_pred
    if not isinstance(given, NodeScores):
        raise BadInput("it is a measure of scores, and these are label sets")
    truth, scores = replace(batch.sides[0], ids=None), replace(given, ids=None)  # by position
    made = Scored(batch.hierarchy, truth, scores, counts=batch.counts)
    return batch.once("scored", lambda: made)


@dataclass(frozen=True)
class ScoredRecipe:
    """What a function computes of instances whose prediction is scores: sums, and remarks."""

    function: Callable[..., Mapping[str, Any]]
    columns: tuple[Column, ...]
    options: tuple[tuple[str, Any], ...] = ()
    of_labels: bool = False

    @property
    def weighting(self) -> Weighting | None:
        """How classes weigh, if it has such options."""
        named = {k: v for k, v in self.options if k in ("weights", "smooth", "reference")}
        return Weighting(**named) if named else None

    def __call__(self, options: Mapping[str, Any]) -> ScoredRecipe:
        """Return the recipe with these options; how values are pooled plays no part in it."""
        return replace(self, options=tuple((k, v) for k, v in options.items() if k != "average"))

    def compute(self, batch: Batch) -> Columns:
        """Return the columns of a batch whose predictions are scores."""
        scored, rows = scored_of(batch), np.flatnonzero(~batch.left_out(self))
        if len(rows) == len(batch):
            return self.of(scored)
        found = dict(self.of(scored.only(rows, batch.counts)))
        for name, x in found.items():
            found[name] = np.zeros(len(batch), x.dtype)
            found[name][rows] = x
        return found

    def of(self, scored: Scored) -> Columns:
        """Return the columns of a system, one row per instance."""
        found = self.function(scored, **dict(self.options))
        known = {column.name for column in self.columns}
        return {
            name: np.array(np.broadcast_to(x, len(scored)))
            for name, x in found.items()
            if name in known or np.any(x)
        }


NEEDED = {
    "leaves": "these are scores of leaves that do not add up to 1, and the measure reads inner "
    "classes too: give a column per class, as by NodeScores.from_array",
    "ranks": "these are classes, best first, which have no scores",
}


def predicted_scores(
    given: Any,
    hierarchy: Hierarchy,
    measures: Iterable[Measure],
    *,
    unknown: Unknown,
    system: str,
    ids: Sequence[Hashable] | None = None,
    k: int = 0,
) -> NodeScores:
    """Return what a system predicts as scores: given so, as rankings, or as label sets (1 each).

    With ``k`` no measure looks beyond the first k leaves, so that others may be left out.
    """
    if has_scores(given):
        scores = scores_of_labels(given, hierarchy, unknown=unknown, source=system, ids=ids, k=k)
    elif (ranked := scores_of_rankings(given, hierarchy)) is not None:
        scores = ranked
    else:
        sets = LabelSets.from_labels(given, hierarchy, unknown=unknown, source=system)
        keys = augmented_keys(hierarchy, sets)
        all_said = LabelSets.of_keys(keys, len(sets), len(hierarchy))
        scores = NodeScores(
            hierarchy, all_said.indptr, all_said.indices, np.ones(len(keys)), sets.ids
        )
    for m in measures:
        enough = m.definition.family == "ranking" or (
            scores.holds == "leaves" and m.definition.scored_classes == "leaves"
        )
        if scores.holds != "classes" and not enough:
            raise BadInput(f"{m.name}: {NEEDED[scores.holds]} (system {system})")
    return scores


def first_leaves(measures: Iterable[Measure]) -> int:
    """Return how many of the first leaves measures of rankings look at; 0 where others see more."""
    firsts = [
        m.options["k"]
        if m.definition.family == "ranking" and m.options.get("candidates") == "leaves" else 0
        for m in measures
    ]  # fmt: skip
    return max(firsts) if all(firsts) else 0


class ListedPairs(NamedTuple):
    """Instance, class, score and truth of pairs that have a score or are true.

    Every other pair is false and has the score 0.
    """

    row: Ints
    column: Ints
    value: Floats
    true: Bools


def listed_pairs(truth: LabelSets, scores: NodeScores, counts: Bools) -> ListedPairs:
    """Return the pairs of a truth, which is augmented by ancestors, and of its scores.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> scores = NodeScores.from_array([[0.9, 0.2]], tree, classes=["a", "b"])
    >>> truth = LabelSets.from_labels([["c"]], tree)
    >>> pairs = listed_pairs(truth, scores, counted_classes(tree, "exclude"))
    >>> pairs.value.tolist(), pairs.true.tolist()
    ([0.9, 0.2, 0.0], [True, False, True])
    """
    row, column = scores.row, scores.indices
    kept = counts[column] & ~are_aside(scores.hierarchy, truth, row, column)
    true_row, true_column = true_cells(scores.hierarchy, truth, counts)
    place = scores.place(true_row, true_column)
    without = place < 0
    true = marked(place[~without], len(kept))
    return ListedPairs(
        np.append(row[kept], true_row[without]),
        np.append(column[kept], true_column[without]),
        np.append(scores.values[kept], np.zeros(int(without.sum()))),
        np.append(true[kept], without[without]),
    )


def true_cells(hierarchy: Hierarchy, truth: LabelSets, counts: Bools) -> tuple[Ints, Ints]:
    """Return instance and class of the augmented truth, in order; of classes that count."""
    row, column = np.divmod(augmented_keys(hierarchy, truth), len(hierarchy))
    kept = counts[column] & ~are_aside(hierarchy, truth, row, column)
    return row[kept], column[kept]


@dataclass(frozen=True, eq=False)
class LevelPairs:
    """The instances of a system that have a true class at a level, and the classes of that level.

    The listed pairs are given row by row, by positions among ``instances`` and among ``classes``;
    a pair of them that is not listed is false and has probability 0, or does not count: ``aside``
    says of how many classes of every instance that is so, and of how many instances of every class.
    """

    scored: Scored
    level: int
    classes: Ints
    instances: Ints
    row: Ints
    column: Ints
    value: Floats
    true: Bools
    aside: tuple[Ints, Ints]

    @property
    def n(self) -> int:
        """How many instances are judged."""
        return len(self.instances)

    @property
    def k(self) -> int:
        """How many classes the level has."""
        return len(self.classes)

    def true_values(self) -> Floats:
        """Return the probability of the one true class of every instance."""
        several = np.bincount(self.instances[self.row[self.true]], minlength=len(self.scored)) > 1
        self.scored.refuse(several, lambda _: (
            f"there are several true classes at level {self.level}, and log loss is of one; "
            "brier takes any sets"
        ))  # fmt: skip
        return self.value[self.true]

    def top(self) -> tuple[Floats, Floats]:
        """Return the largest probability of every instance, and the share of right classes there.

        Of m classes that share the largest probability each is chosen one time in m, so nothing
        depends on the order of classes.
        """
        highest = np.maximum.reduceat(self.value, starts_of_ties(self.row))
        tied = self.value == highest[self.row]
        hits = np.bincount(self.row[tied & self.true], minlength=self.n)
        n_tied = np.bincount(self.row[tied])
        return highest, hits / np.where(highest > 0, n_tied, self.k - self.aside[0])


def pairs_by_level(scored: Scored, root: Any) -> list[LevelPairs]:
    """Return the levels that any instance has a true class of, from the top; one at least."""
    found = levels_of(scored, root)
    if not found:
        raise BadInput(
            f"none of {counted(len(scored), 'instance')} has a true class that counts, so there is "
            f"no level to judge (root={shown(root)})"
        )
    return found


def levels_of(scored: Scored, root: Any) -> list[LevelPairs]:
    """Return the same, once per system; there may be none, as in a part of a truth."""
    return scored.shared(("pairs by level", root), lambda: _by_level(scored, root))


def _by_level(scored: Scored, root: Any) -> list[LevelPairs]:
    h, n, known = scored.hierarchy, len(scored), scored.truth.ignored
    known = known or LabelSets.of_keys(np.zeros(0, np.int64), n, len(h))
    off = sparse_rows(known.indptr, known.indices, len(h), np.ones_like(known.indices))
    counts, level_of = counted_classes(h, root), h.levels
    pairs = listed_pairs(scored.truth, scored.scores, counts)
    order, found = np.lexsort((pairs.column, pairs.row)), []
    row, column, value, true = (each[order] for each in pairs)
    level = level_of[column]
    for number in np.unique(level[true]).tolist():
        here = level == number
        judged = np.unique(row[here & true])
        place = inverse(judged, n)[row]
        here &= place >= 0
        classes = np.flatnonzero((level_of == number) & counts)
        column_at = inverse(classes, len(h))[column[here]]
        cells = off[judged][:, classes]
        found.append(LevelPairs(
            scored, number, classes, judged, place[here], column_at, value[here], true[here],
            (cells.sum(axis=1), cells.sum(axis=0)),
        ))  # fmt: skip
    return found
