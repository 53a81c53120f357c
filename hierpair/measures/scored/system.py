"""A system that gives scores: what measures of scores take, with what they share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import LabelSets, NodeScores
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.measures.class_weights import Weighting, counts_of_truth

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

    def who(self, i: int) -> Any:
        """Return the id of an instance, or its position."""
        ids = self.truth.ids or self.scores.ids
        return i if ids is None else ids[i]

    def class_weights(self, weighting: Weighting) -> Floats:
        """Return the weight of every class; of those never seen it may be infinite."""
        counts = self.counts
        if weighting.counts_truth and counts is None:
            counts = counts_of_truth(self.hierarchy, self.truth)
        return weighting.array(self.hierarchy, counts)

    def remark(self, text: str, n: int) -> None:
        """Tell beside the value of this measure what holds of so many instances."""
        self.remarks[text] = n

    def for_measure(self) -> Scored:
        """Return the same system, and what is shared, with remarks of its own."""
        return replace(self, remarks={})
