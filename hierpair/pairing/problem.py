"""The pairing problems of a whole batch of instances, and the draft that demands write on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, did_you_mean
from hierpair.hierarchy import ancestor_closure, common_ancestor_distances
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels import LabelSets

__all__ = ["Draft", "Grouping", "Labels", "PairingProblem", "Pairs", "Rule", "Side", "formulate"]

Side = Literal["predicted", "true"]


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of one side of a batch, seen by prices, predicates and groupings.

    Attributes
    ----------
    hierarchy
        The classes.
    side
        ``"predicted"`` or ``"true"``.
    ptr
        Labels of instance ``i`` are at ``ptr[i]:ptr[i + 1]``.
    classes, instance
        Class number and instance of every label, shape ``(n_labels,)``.
    """

    hierarchy: Hierarchy
    side: Side
    ptr: NDArray[np.int64]
    classes: NDArray[np.int32]

    @cached_property
    def instance(self) -> NDArray[np.int64]:
        """Instance of every label."""
        return row_numbers(self.ptr)

    @property
    def names(self) -> list[Any]:
        """Class name of every label."""
        return [self.hierarchy.names[c] for c in self.classes]


@dataclass(frozen=True, eq=False)
class Pairs:
    """All (predicted, true) pairs of a batch, in the order of the instances.

    This is what a price or a predicate gets; all attributes are arrays over the pairs.

    Attributes
    ----------
    hierarchy
        The classes.
    predicted_labels, true_labels
        The two sides.
    ptr
        Pairs of instance ``i`` are at ``ptr[i]:ptr[i + 1]``.
    predicted_at, true_at
        Position of the pair's labels among the labels of their side.
    threshold
        Path threshold that cuts the hierarchy, or None.
    """

    hierarchy: Hierarchy
    predicted_labels: Labels
    true_labels: Labels
    ptr: NDArray[np.int64]
    predicted_at: NDArray[np.int64]
    true_at: NDArray[np.int64]
    threshold: int | None = None
    cache: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def between(
        cls,
        hierarchy: Hierarchy,
        y_true: LabelSets,
        y_pred: LabelSets,
        threshold: int | None = None,
    ) -> Pairs:
        """Lay out all pairs of each instance."""
        predicted = Labels(hierarchy, "predicted", y_pred.indptr, y_pred.indices)
        true = Labels(hierarchy, "true", y_true.indptr, y_true.indices)
        n_true = y_true.lengths
        count = n_true[predicted.instance]
        return cls(
            hierarchy,
            predicted,
            true,
            offsets(y_pred.lengths * n_true),
            np.repeat(np.arange(len(count), dtype=np.int64), count),
            ragged_ranges(y_true.indptr[predicted.instance], count),
            threshold,
        )

    @cached_property
    def instance(self) -> NDArray[np.int64]:
        """Instance of every pair."""
        return row_numbers(self.ptr)

    @cached_property
    def predicted(self) -> NDArray[np.int32]:
        """Number of the predicted class."""
        return self.predicted_labels.classes[self.predicted_at]

    @cached_property
    def true(self) -> NDArray[np.int32]:
        """Number of the true class."""
        return self.true_labels.classes[self.true_at]

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        """Edges on the shortest way through a common ancestor; inf without one."""
        closure = ancestor_closure(self.hierarchy, self._in_use, threshold=self.threshold)
        return common_ancestor_distances(closure, self.predicted, self.true)

    @cached_property
    def weighted_distance(self) -> NDArray[np.float64]:
        """Least sum of edge weights on a way through a common ancestor; inf without one."""
        return self.distance_on(self.hierarchy)

    def distance_on(self, weighted: Hierarchy) -> NDArray[np.float64]:
        """Return the weighted distances under other edge weights."""
        if self.threshold is not None:
            raise BadInput("a path threshold counts edges; use it with price='hops'")
        closure = ancestor_closure(weighted, self._in_use, weighted=True)
        return common_ancestor_distances(closure, self.predicted, self.true)

    @property
    def _in_use(self) -> NDArray[np.int32]:
        return np.concatenate([self.predicted_labels.classes, self.true_labels.classes])


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of labels of one side that share a bound; ``group`` is -1 for no group."""

    side: Side
    group: NDArray[np.int64]
    at_least: int
    at_most: int


@dataclass(frozen=True, eq=False)
class PairingProblem:
    """Problem 1 of Kosmopoulos et al. (2014, §2.3) for a whole batch of instances.

    Minimise the total price of the chosen pairs plus, for every partner that a label lacks of
    its ``at_least``, its default price. All arrays are NumPy arrays over labels or pairs.

    Attributes
    ----------
    pairs
        All pairs; only those in ``candidate`` may be chosen.
    candidate, required, price
        Over the pairs: may be chosen, must be chosen, price.
    at_least, at_most, default
        By side, over its labels: bounds on the number of partners, and the price of one
        missing partner (inf: none may be missing).
    total
        Over the instances: least and largest number of chosen pairs, or None.
    groupings
        Nested bounds, outermost first.
    """

    pairs: Pairs
    candidate: NDArray[np.bool_]
    required: NDArray[np.bool_]
    price: NDArray[Any]
    at_least: dict[Side, NDArray[np.int64]]
    at_most: dict[Side, NDArray[np.int64]]
    default: dict[Side, NDArray[Any]]
    total: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    groupings: tuple[Grouping, ...]

    @property
    def n_instances(self) -> int:
        """Number of instances in the batch."""
        return len(self.pairs.ptr) - 1

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.predicted_labels if side == "predicted" else self.pairs.true_labels


@dataclass(frozen=True)
class Rule:
    """A pairing rule: a price for every pair and the demands on who is paired with whom.

    Parameters
    ----------
    price
        Any vectorised callable that takes :class:`Pairs` and returns one price per pair
        (inf: the pair is impossible), such as ``Hops()`` or ``lambda pairs: pairs.distance``.
    demands
        Callables that write on a :class:`Draft`, such as ``Partners("true", 1, 1)``.
    signed
        Allow negative prices.
    """

    price: Callable[[Pairs], NDArray[Any]]
    demands: tuple[Callable[[Draft], None], ...]
    signed: bool = False


class Draft:
    """A pairing problem in the making; its verbs are all that a demand can say.

    Every verb has an exact place in a flow network, so whatever can be said can be solved. A
    verb that is not here fails by name.

    Attributes
    ----------
    pairs
        All pairs of the batch.
    """

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        sides: tuple[Side, Side] = ("predicted", "true")
        count = {s: len(self.labels(s).classes) for s in sides}
        self.candidate = np.ones(len(pairs.instance), dtype=bool)
        self.required = np.zeros(len(pairs.instance), dtype=bool)
        self.at_least = {s: np.zeros(count[s], dtype=np.int64) for s in sides}
        self.at_most = {s: self.others(s) for s in sides}
        self.default: dict[Side, NDArray[Any]] = {s: np.full(count[s], np.inf) for s in sides}
        self.total_bounds: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self.groupings: list[Grouping] = []

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("__"):
            raise AttributeError(verb)
        known = [name for name in vars(Draft) if not name.startswith("_")]
        raise BadInput(
            f"a pairing has no verb {verb!r}; it has {', '.join(known)}"
            f"{did_you_mean(verb, known)} (what a flow network cannot say has no verb)"
        )

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        if side not in ("predicted", "true"):
            raise BadInput(f"side must be 'predicted' or 'true', got {side!r}")
        return self.pairs.predicted_labels if side == "predicted" else self.pairs.true_labels

    def others(self, side: Side) -> NDArray[np.int64]:
        """Return, per label, how many labels the other side of its instance has."""
        other = self.labels("true" if side == "predicted" else "predicted")
        count: NDArray[np.int64] = np.diff(other.ptr)[self.labels(side).instance]
        return count

    def bound(
        self,
        side: Side,
        at_least: int | NDArray[np.int64],
        at_most: int | NDArray[np.int64] | None,
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        """Bound the number of partners of labels; ``at_most=None`` leaves it open."""
        chosen = slice(None) if where is None else where
        others = self.others(side)
        highest = np.maximum(others, at_least) if at_most is None else at_most + 0 * others
        lowest = at_least + 0 * others
        bad = np.flatnonzero((lowest < 0) | (lowest > highest))
        if len(bad):
            raise BadInput(
                f"a label cannot have at least {lowest[bad[0]]} and at most {highest[bad[0]]} "
                "partners; the bounds must be whole numbers with 0 ≤ at_least ≤ at_most"
            )
        self.at_least[side][chosen] = lowest[chosen]
        self.at_most[side][chosen] = highest[chosen]

    def allow_missing(
        self, side: Side, price: Any, where: NDArray[np.bool_] | None = None
    ) -> None:
        """Let labels lack partners at a price each."""
        prices = np.broadcast_to(np.asarray(price), self.default[side].shape)
        values = prices.astype(np.float64)
        if np.isnan(values).any() or (values < 0).any():
            raise BadInput(f"a default price must be a number ≥ 0, got {price!r}")
        if prices.dtype == object and self.default[side].dtype != object:
            self.default[side] = self.default[side].astype(object)
        chosen = slice(None) if where is None else where
        self.default[side][chosen] = prices[chosen]

    def forbid(self, where: NDArray[np.bool_]) -> None:
        """Take pairs out."""
        self.candidate &= ~self._mask(where)

    def require(self, where: NDArray[np.bool_]) -> None:
        """Choose these pairs in any case."""
        self.required |= self._mask(where)

    def total(self, at_least: int, at_most: int | None) -> None:
        """Bound the number of chosen pairs of every instance."""
        n = len(self.pairs.ptr) - 1
        most = np.diff(self.pairs.ptr) if at_most is None else np.full(n, at_most)
        if at_least < 0 or (at_most is not None and at_most < at_least):
            raise BadInput(f"a total cannot be at least {at_least} and at most {at_most}")
        self.total_bounds = (np.full(n, at_least), np.maximum(most, at_least))

    def within(
        self, side: Side, group: NDArray[np.int64], at_most: int, at_least: int = 0
    ) -> None:
        """Bound the pairs of each group of labels (-1: no group); groups must be nested."""
        labels = self.labels(side)
        if group.shape != labels.classes.shape:
            raise BadInput(f"expected one group per label {labels.classes.shape}, "
                           f"got shape {group.shape}")  # fmt: skip
        if at_least < 0 or at_most < at_least:
            raise BadInput(f"a group cannot have at least {at_least} and at most {at_most} pairs")
        self.groupings.append(Grouping(side, group.astype(np.int64), at_least, at_most))

    def _mask(self, where: Any) -> NDArray[np.bool_]:
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != self.candidate.shape:
            raise BadInput(
                f"expected one truth value per pair {self.candidate.shape}, "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        return mask


def formulate(rule: Rule, pairs: Pairs) -> PairingProblem:
    """Apply a rule to all pairs of a batch.

    Raises
    ------
    BadInput
        For prices of the wrong shape, NaN or (unless ``rule.signed``) negative ones, or for
        demands that contradict themselves.
    Infeasible
        For a required pair that is forbidden or impossible.
    """
    draft = Draft(pairs)
    for demand in rule.demands:
        demand(draft)
    price = np.asarray(rule.price(pairs))
    if price.shape != pairs.instance.shape:
        raise BadInput(
            f"{rule.price!r} must return one price per pair {pairs.instance.shape}, "
            f"got shape {price.shape}"
        )
    if price.dtype.kind not in "iufbO":
        raise BadInput(f"{rule.price!r} must return numbers, got {price.dtype}")
    values = price.astype(np.float64)
    wrong = np.isnan(values) if rule.signed else np.isnan(values) | (values < 0)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise BadInput(
            f"{rule.price!r} gives the pair {_pair_text(pairs, at)} the price {price[at]}; "
            "a price must be a number ≥ 0 (inf for an impossible pair)"
        )
    impossible = np.isposinf(values)
    candidate = draft.candidate & ~impossible
    clash = np.flatnonzero(draft.required & ~candidate)
    if len(clash):
        raise Infeasible(
            f"the pair {_pair_text(pairs, int(clash[0]))} is required and cannot be chosen"
        )
    return PairingProblem(
        pairs, candidate, draft.required, price, draft.at_least, draft.at_most,
        draft.default, draft.total_bounds, tuple(draft.groupings),
    )  # fmt: skip


def _pair_text(pairs: Pairs, at: int) -> str:
    names = pairs.hierarchy.names
    return (
        f"({names[pairs.predicted[at]]!r}, {names[pairs.true[at]]!r}) "
        f"of instance {pairs.instance[at]}"
    )
