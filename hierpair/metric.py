"""A metric for training loops: batches in, scores out, whatever the batches and processes are."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed
from hierpair.evaluation.batches import task_of
from hierpair.evaluation.checked import (
    Counting,
    check_weight,
    chosen_measures,
    refuse_counting,
)
from hierpair.evaluation.partial import Partial, merge, summed, to_merge
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Array, Ints, array_of, joined
from hierpair.labels import LabelSets
from hierpair.labels.columns import names_of_columns, usual_columns
from hierpair.labels.naming import check_position, order_of_index
from hierpair.labels.node_scores import scores_of_matrix
from hierpair.labels.positions import Positions
from hierpair.measures import Measure, measure
from hierpair.measures.named import check_options
from hierpair.measures.scored.system import first_leaves, predicted_scores

__all__ = ["HierarchicalMetric"]  # and TorchMetric, where torchmetrics is installed

WAITING = 4096
"""Instances that wait to be added up together, which takes less time than batch by batch."""

SYSTEM = "preds"


def __getattr__(name: str) -> Any:
    # torchmetrics is loaded by those who ask for its class.
    if name == "TorchMetric":
        return torch_metric()
    raise AttributeError(f"module 'hierpair.metric' has no attribute {name!r}")


class HierarchicalMetric:
    """Scores of one system that comes in batches, as in the epochs of a training loop.

    What is kept of batches are the exact sums of :func:`hierpair.evaluation.partial`: the scores
    are those of :func:`hierpair.score` on all instances, to the last bit, and do not depend on the
    batches. Measures of label sets and of scores may stand together.

    Parameters
    ----------
    hierarchy
        The classes, or anything that :meth:`Hierarchy.of` takes.
    measures
        Measures or their names; all that add up: those of label sets, and of scores those that are
        means over instances, such as ``"ahd(k=5)"``.
    classes
        The class of every place, where classes are numbers, and of every column of a matrix. By
        default columns are the leaves in the order of ``hierarchy.names``, or all classes.
    unknown
        As for :func:`hierpair.score`.
    conventions
        Options for all measures that have them.

    Raises
    ------
    BadInput
        For measures that do not add up, such as ``fmax``.

    Examples
    --------
    >>> import numpy as np
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    >>> metric = HierarchicalMetric(tree, ["hf", "ahd"], classes=["c", "d", "e"])
    >>> metric.update(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]), np.array([0, 2]))
    >>> metric.update(np.array([[0.1, 0.7, 0.2]]), np.array([0]))
    >>> metric.compute()
    {'hf': 0.5, 'ahd': 1.0}
    """

    def __init__(
        self, hierarchy: Any, measures: Sequence[str | Measure] | str | Measure, *,
        classes: Sequence[Any] | None = None, unknown: Any = "error", **conventions: Any,
    ) -> None:  # fmt: skip
        self.hierarchy = Hierarchy.of(hierarchy)
        given = [measures] if isinstance(measures, (str, Measure)) else list(measures)
        self.measures = tuple(measure(m, **conventions) for m in given)
        check_options(conventions, self.measures)
        self.unknown = unknown
        self.places = None if classes is None else Positions(self.hierarchy, classes)
        self._groups: dict[bool, tuple[Measure, ...]] = {}  # of label sets, and of scores
        for of_scores in sorted({m.of_scores for m in self.measures}):
            some = [m for m in self.measures if m.of_scores == of_scores]
            self._groups[of_scores] = chosen_measures(some, {}, of_scores="sums")
            refuse_counting(some)
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        none = LabelSets.from_labels([], self.hierarchy)
        self._sums = {kind: self._summed(kind, none, none, None) for kind in self._groups}
        self._waiting: list[tuple[LabelSets, dict[bool, Any], Any]] = []

    def update(self, preds: Any, target: Any, *, sample_weight: Any = None) -> None:
        """Add a batch.

        Parameters
        ----------
        preds
            A class number per instance; a matrix of scores in [0, 1], with a column per leaf or
            class, of which measures of label sets take the leaf with the highest score; label sets,
            as :func:`hierpair.score` takes them; or :class:`NodeScores`, for measures of scores
            alone. Arrays and tensors of any library will do.
        target
            A class number or labels of every instance.
        sample_weight
            A weight ≥ 0 per instance.

        Raises
        ------
        BadInput
            For labels, numbers or scores that do not fit. Then nothing of the batch is counted; of
            a fault that a measure finds in the numbers, nothing of the batches that wait with it.
        """
        truth = self._sets(_on_host(target), "target")
        given = self._predicted(_on_host(preds))
        said = given[min(given)]  # label sets know in which order their instances stand
        if len(said) != len(truth):
            raise BadInput(f"preds has {len(said)} instances, and target has {len(truth)}")
        check_position(truth, said.ids, getattr(said, "orders", order_of_index(preds)), SYSTEM)
        weight = check_weight(_on_host(sample_weight), truth)
        self._waiting.append((truth, given, weight))
        if sum(len(sides[0]) for sides in self._waiting) >= WAITING:
            self._add_up()

    def compute(self) -> dict[str, float]:
        """Return the scores of all batches by the names of the measures; nan without an instance.

        They go on from there with the next batch; :meth:`reset` begins anew.
        """
        self._add_up()
        found = {kind: sums.scores() for kind, sums in self._sums.items()}
        return {m.name: found[m.of_scores][SYSTEM, m.name] for m in self.measures}

    def merge(self, *others: HierarchicalMetric) -> HierarchicalMetric:
        """Add what others have seen, such as in other processes; returns this metric.

        Raises
        ------
        BadInput
            For metrics of other hierarchies or measures.
        """
        for other in others:
            self._merge(other.partials())
        return self

    def partials(self) -> list[Partial]:
        """Return what the batches left behind, of measures of label sets and of scores apart."""
        self._add_up()
        return [*self._sums.values()]

    def to_bytes(self) -> bytes:
        """Return what the batches left behind as bytes, for other processes or later epochs."""
        parts = [one.to_bytes() for one in self.partials()]
        return b"".join(len(part).to_bytes(8, "little") + part for part in parts)

    def merge_bytes(self, data: bytes) -> HierarchicalMetric:
        """Add what :meth:`to_bytes` of one metric returned, or of several one after the other."""
        parts = []
        while data:
            end = 8 + int.from_bytes(data[:8], "little")
            parts.append(Partial.from_bytes(data[8:end], self.measures))
            data = data[end:]
        self._merge(parts)
        return self

    def _merge(self, parts: Sequence[Partial]) -> None:
        """Add sums, which are of some of the measures."""
        sums, fit = {**self._sums}, True
        for one in parts:
            kind = one.measures[0].of_scores
            fit &= one.measures == self._groups.get(kind)
            sums[kind] = merge(sums[kind], one) if fit else one
        if not fit or len({one.n_instances for one in sums.values()}) > 1:  # some saw more
            names = listed([m.name for m in self.measures])
            raise BadInput(f"metrics of the same measures merge: {names}")
        self._sums = sums

    # ------------------------------------------------------------------------------- one batch

    def _sets(self, labels: Any, source: str) -> LabelSets:
        """Return label sets of numbers or names."""
        if self.places is not None:
            labels = self.places.named(labels)
        return LabelSets.from_labels(labels, self.hierarchy, unknown=self.unknown, source=source)

    def _predicted(self, preds: Any) -> dict[bool, Any]:
        """Return predictions as label sets and as scores, as far as measures take them."""
        matrix: Any = array_of(preds)
        h, given, found = self.hierarchy, preds, dict[bool, Any]()
        is_matrix = matrix is not None and matrix.ndim == 2
        numbers = self._columns(matrix) if is_matrix and matrix.dtype.kind == "f" else None
        if True in self._groups:
            if numbers is not None:
                k = first_leaves(self._groups[True]) if h.of_interest is None else 0
                given = scores_of_matrix(matrix, numbers, h, k=k)
            elif self.places is not None:
                given = self.places.named(preds, rankings=is_matrix)
            found[True] = predicted_scores(
                given, h, self._groups[True], unknown=self.unknown, system=SYSTEM
            )
        if False in self._groups and numbers is not None:
            best = _best_leaves(matrix, numbers, h)
            found[False] = LabelSets.from_arrays(np.arange(len(matrix) + 1), best, len(h))
        elif False in self._groups:
            is_ranking = is_matrix and self.places is not None and True in self._groups
            labels = np.asarray(matrix)[:, 0] if is_ranking else preds  # the first is predicted
            found[False] = self._sets(labels, SYSTEM)
        return found

    def _columns(self, matrix: Array) -> Ints:
        """Return the class of every column."""
        h, places = self.hierarchy, self.places
        numbers = usual_columns(matrix.shape[1], h) if places is None else places.numbers
        if matrix.shape[1] != len(numbers):
            names_of_columns(matrix, None if places is None else places.classes, h)  # it refuses
        return numbers

    def _add_up(self) -> None:
        """Add up what waits."""
        waiting, self._waiting = self._waiting, []
        self._merge([
            self._summed(kind, *one)
            for kind in (self._groups if waiting else ())
            for one in _together([(t, given[kind], weight) for t, given, weight in waiting])
        ])  # fmt: skip

    def _summed(self, kind: bool, truth: LabelSets, given: Any, weight: Any) -> Partial:
        """Return the sums of some instances under the measures of label sets, or of scores."""
        task = task_of(
            self.hierarchy, self._groups[kind], truth, {SYSTEM: given}, weight, self.unknown,
            Counting(of_whole=False),
        )  # fmt: skip
        return to_merge(summed(task)[0], self.hierarchy)


def _best_leaves(matrix: Array, numbers: Ints, hierarchy: Hierarchy) -> Ints:
    """Return the leaf with the highest score, of equal ones that of the first column."""
    leaf = np.flatnonzero(hierarchy.is_leaf[numbers])
    of_leaves = matrix if len(leaf) == len(numbers) else matrix.take(leaf, axis=1)
    best: Ints = numbers[leaf[of_leaves.argmax(1)]]
    return best


def _on_host(thing: Any) -> Any:
    """Return a tensor without its gradient and in main memory; anything else as it is."""
    return thing.detach().cpu() if hasattr(thing, "detach") and hasattr(thing, "cpu") else thing


Batches = list[tuple[LabelSets, Any, Any]]


def _together(batches: Batches) -> Batches:
    """Return batches as one where only entries of instances tell them apart."""
    truth, given, weights = zip(*batches, strict=True)
    kinds = {(*map(_kind, sides), weight is None) for *sides, weight in batches}
    if len(kinds) > 1 or None in kinds.pop():
        return batches
    sides = (
        replace(joined(some), n_unknown=sum(side.n_unknown for side in some))
        for some in (truth, given)
    )
    return [(*sides, None if weights[0] is None else np.concatenate(weights))]


def _kind(side: Any) -> Any:
    """Return what sides that are joined have in common; None for such as are not."""
    has = [getattr(side, name, None) is not None for name in ("ids", "as_written", "amounts")]
    return None if has[0] or has[1] else (type(side), getattr(side, "holds", ""), has[2])


@cache
def torch_metric() -> Any:
    """Return the class ``TorchMetric`` of this module, which needs torchmetrics."""
    import torch
    from torchmetrics import Metric

    class TorchMetric(Metric):  # type: ignore[misc]  # torchmetrics may be absent
        """:class:`hierpair.metric.HierarchicalMetric` as a metric of torchmetrics.

        In a distributed run every process adds its own batches, and :meth:`compute` gathers what
        they left behind as bytes, so that each process gets the score of all instances.

        Parameters
        ----------
        hierarchy, measures, classes
            As for :class:`hierpair.metric.HierarchicalMetric`.
        options
            Those of torchmetrics, such as ``sync_on_compute``.
        """

        full_state_update = False
        higher_is_better = None
        is_differentiable = False

        def __init__(
            self, hierarchy: Any, measures: Any, *, classes: Any = None, **options: Any
        ) -> None:
            super().__init__(**options)
            self.inner = HierarchicalMetric(hierarchy, measures, classes=classes)
            self.add_state("gathered", default=[], dist_reduce_fx="cat")

        def update(self, preds: Any, target: Any) -> None:
            """Add a batch, as for :meth:`hierpair.metric.HierarchicalMetric.update`."""
            self.inner.update(preds, target)

        def compute(self) -> dict[str, float]:
            """Return the scores of the batches of all processes by the names of the measures."""
            if not self._is_synced:
                return self.inner.compute()
            parts = self.gathered if isinstance(self.gathered, list) else [self.gathered]
            data = b"".join(part.cpu().numpy().tobytes() for part in parts)
            return self._empty().merge_bytes(data).compute()

        def forward(self, preds: Any, target: Any) -> dict[str, float]:
            """Add a batch and return its scores alone."""
            self.update(preds, target)
            batch = self._empty()
            batch.update(preds, target)
            return batch.compute()

        def reset(self) -> None:
            """Forget all batches."""
            super().reset()
            self.inner.reset()

        def merge_state(self, incoming_state: Any) -> None:
            """Add what another metric has seen."""
            if not isinstance(incoming_state, TorchMetric):
                raise BadInput("a TorchMetric merges with another one")
            self.inner.merge(incoming_state.inner)

        def _empty(self) -> HierarchicalMetric:
            empty = copy(self.inner)
            empty.reset()
            return empty

        def _sync_dist(self, *args: Any, **how: Any) -> None:
            """Gather the bytes of all processes; torchmetrics calls this before it computes."""
            data = np.frombuffer(self.inner.to_bytes(), dtype=np.uint8)
            self.gathered = [torch.from_numpy(data.copy()).to(self.device)]
            super()._sync_dist(*args, **how)

    TorchMetric.__qualname__ = "TorchMetric"  # where pickle finds it
    return TorchMetric
