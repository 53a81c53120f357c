"""The labels of both sides of a batch and all pairs between them, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierpairError, shown
from hierpair.hierarchy import ancestor_closure, common_ancestor_distances
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, ragged_ranges, row_numbers
from hierpair.hierarchy.building import plain_names
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels import LabelSets

Side = Literal["predicted", "true"]

Array = NDArray[Any]
"""Numbers of any kind: integers, floats, or Fractions as objects."""

SIDES: tuple[Side, Side] = ("predicted", "true")
"""The two sides, in the order of a pair."""


def other_side(side: Side) -> Side:
    """Return the other one of the two sides."""
    return SIDES[1 - SIDES.index(side)]


class Things:
    """What constraints can have numbers for: labels, instances, groups or pairs.

    Numbers in an array, or by name, are found by the ``keys`` of things, of which there are
    ``n_keys`` (None: nobody knows).
    """

    one: ClassVar[str]
    key: ClassVar[str] = "number"
    keyed_by: ClassVar[str] = "number"
    n_keys: int | None = None

    @property
    def keys(self) -> NDArray[np.integer]:
        """Of every thing its place in numbers that are given as an array."""
        found: NDArray[np.integer] = getattr(self, self.keyed_by)
        return found

    def keys_of(self, names: Iterable[Hashable]) -> Array:
        """Return which keys some names are."""
        keys = np.array([*names])
        if keys.dtype.kind not in "iu":
            raise BadInput(
                f"numbers by name, {shown([*names])}, are of classes, not of {self.one}s"
            )
        return keys

    def place(self, at: int) -> tuple[str, int | None]:
        """Return one of the things in words, and its instance."""
        raise NotImplementedError

    def refuse(
        self,
        wrong: Bools,
        why: Callable[[int, str], str],
        error: type[HierpairError] = BadInput,
    ) -> None:
        """Raise an error about the first thing that is wrong, of which ``why`` tells in words."""
        for at in np.flatnonzero(wrong)[:1].tolist():
            whose, instance = self.place(at)
            raise error(why(at, whose), instance)

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, eq=False)
class Labels(Things):
    """The labels of one side of a batch, seen by costs, predicates and groupings.

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
    ptr: Ints
    classes: NDArray[np.int32]

    one, key, keyed_by = "label", "class", "classes"

    @property
    def n_keys(self) -> int:  # type: ignore[override]
        """How many these are."""
        return len(self.hierarchy)

    def keys_of(self, names: Iterable[Hashable]) -> Array:
        """Return which keys some names are."""
        return self.hierarchy.index(names)

    @cached_property
    def instance(self) -> Ints:
        """Instance of every label."""
        return row_numbers(self.ptr)

    @property
    def names(self) -> list[Any]:
        """Class name of every label."""
        return [self.hierarchy.names[c] for c in self.classes]

    def place(self, at: int) -> tuple[str, int]:
        """Return one label in words, and its instance."""
        name = self.hierarchy.names[self.classes[at]]
        return f"the {self.side} class {name!r}", int(self.instance[at])


@dataclass(frozen=True, eq=False)
class Instances(Things):
    """The instances of a batch, seen by a bound on all pairs of an instance.

    Attributes
    ----------
    hierarchy
        The classes.
    n_predicted, n_true
        Number of labels of each side, shape ``(n_instances,)``.
    position
        Place of every instance among all that are evaluated together, from 0.
    n_all
        How many these are.
    """

    hierarchy: Hierarchy
    n_predicted: Ints
    n_true: Ints
    position: Ints
    n_all: int

    one, key, keyed_by = "instance", "position", "position"

    @property
    def n_keys(self) -> int:  # type: ignore[override]
        """How many these are."""
        return self.n_all

    def place(self, at: int) -> tuple[str, int]:
        """Return one instance in words, and its number."""
        return "the instance", at


@dataclass(frozen=True, eq=False)
class GroupsOf(Things):
    """The groups of labels of one side, seen by a bound on the pairs of a group.

    Attributes
    ----------
    hierarchy, side
        The classes, and ``"predicted"`` or ``"true"``.
    instance, number
        Instance of every group and its number there, shape ``(n_groups,)``.
    size
        How many labels it has.
    """

    hierarchy: Hierarchy
    side: Side
    instance: Ints
    number: Ints
    size: Ints

    one = "group"

    def place(self, at: int) -> tuple[str, int | None]:
        """Return one group in words, and its instance."""
        return f"the {self.side} group {self.number[at]}", int(self.instance[at])


@dataclass(frozen=True, eq=False)
class SetsOf(GroupsOf):
    """The sets of a quota, which span instances, seen by its bounds and costs.

    Attributes
    ----------
    instance
        0 for all.
    number
        The number of each group, which is that of the class if ``by_class``, shape ``(n_sets,)``.
    size
        How many labels, or instances, are in it.
    of
        ``"predicted"`` or ``"true"``: of labels of that side; None: of instances.
    """

    of: Side | None = None
    by_class: bool = False

    def keys_of(self, names: Iterable[Hashable]) -> Array:
        """Return which keys some names are."""
        return self.hierarchy.index(names) if self.by_class else super().keys_of(names)

    def place(self, at: int) -> tuple[str, None]:
        """Return one set in words, and that it is of no single instance."""
        number = int(self.number[at])
        if self.by_class:
            return f"the {self.of} class {self.hierarchy.names[number]!r} in all instances", None
        if self.of is None and len(self) == 1:
            return "all pairs of the data set", None
        if self.of is None:
            return f"all pairs of the instances of group {number}", None
        return f"the {self.of} group {number} in all instances", None


@dataclass(frozen=True, eq=False)
class Pairs(Things):
    """All (predicted, true) pairs of a batch, in the order of the instances.

    This is what a cost or a predicate gets; all attributes are arrays over the pairs.

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
    first, n_all
        Place of the first instance among all that are evaluated together, and how many these
        are; None: no more than there are here.
    """

    hierarchy: Hierarchy
    predicted_labels: Labels
    true_labels: Labels
    ptr: Ints
    predicted_at: Ints
    true_at: Ints
    threshold: int | None = None
    cache: dict[Any, Any] = field(default_factory=dict)
    first: int = 0
    n_all: int | None = None

    @classmethod
    def between(
        cls,
        hierarchy: Hierarchy,
        y_true: LabelSets,
        y_pred: LabelSets,
        threshold: int | None = None,
        *,
        first: int = 0,
        n_all: int | None = None,
    ) -> Pairs:
        """Lay out all pairs of each instance, which may be some of many."""
        predicted = Labels(hierarchy, "predicted", y_pred.indptr, y_pred.indices)
        true = Labels(hierarchy, "true", y_true.indptr, y_true.indices)
        return cls.of_sides(predicted, true, threshold=threshold, first=first, n_all=n_all)

    @classmethod
    def of_sides(cls, predicted: Labels, true: Labels, **more: Any) -> Self:
        """Lay out all pairs of the labels of both sides."""
        n_true = np.diff(true.ptr)
        count = n_true[predicted.instance]
        return cls(
            predicted.hierarchy,
            predicted,
            true,
            offsets(np.diff(predicted.ptr) * n_true),
            np.repeat(np.arange(len(count), dtype=np.int64), count),
            ragged_ranges(true.ptr[predicted.instance], count),
            **more,
        )

    @classmethod
    def of_classes(
        cls, hierarchy: Hierarchy, predicted: NDArray[np.integer], true: NDArray[np.integer]
    ) -> Pairs:
        """Lay out pairs of class numbers, an instance each."""
        one_each = offsets(np.ones(len(true), dtype=np.int64))
        y_true, y_pred = (
            LabelSets.from_arrays(one_each, c, len(hierarchy)) for c in (true, predicted)
        )
        return cls.between(hierarchy, y_true, y_pred)

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        if side not in SIDES:
            raise BadInput(f"side must be 'predicted' or 'true', got {side!r}")
        return self.predicted_labels if side == "predicted" else self.true_labels

    def at(self, side: Side) -> Ints:
        """Return the position of every pair's label among the labels of a side."""
        return self.predicted_at if side == "predicted" else self.true_at

    one = "pair"

    def __len__(self) -> int:
        return len(self.instance)

    def place(self, at: int) -> tuple[str, int]:
        """Return one pair in words, and its instance."""
        return f"the pair {self.text(at)}", int(self.instance[at])

    def text(self, at: int) -> str:
        """Return the names of one pair, (predicted, true)."""
        names = self.hierarchy.names
        return f"({names[self.predicted[at]]!r}, {names[self.true[at]]!r})"

    @property
    def instances(self) -> Instances:
        """The instances."""
        n = len(self.ptr) - 1
        return Instances(
            self.hierarchy,
            np.diff(self.predicted_labels.ptr),
            np.diff(self.true_labels.ptr),
            np.arange(self.first, self.first + n),
            self.first + n if self.n_all is None else self.n_all,
        )

    @cached_property
    def instance(self) -> Ints:
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
    def distance(self) -> Floats:
        """Edges on the shortest path through a common ancestor; inf without one."""
        closure = ancestor_closure(self.hierarchy, self.in_use, threshold=self.threshold)
        return common_ancestor_distances(closure, self.predicted, self.true)

    @cached_property
    def weighted_distance(self) -> Floats:
        """Least sum of edge weights on a path through a common ancestor; inf without one."""
        return self.distance_on(self.hierarchy)

    def distance_on(self, weighted: Hierarchy) -> Floats:
        """Return the weighted distances under other edge weights."""
        if self.threshold is not None:
            raise BadInput("a path threshold counts edges; use it with cost='hops'")
        closure = ancestor_closure(weighted, self.in_use, weighted=True)
        return common_ancestor_distances(closure, self.predicted, self.true)

    @property
    def in_use(self) -> NDArray[np.int32]:
        """Number of every class that is a label of either side, again and again."""
        return np.concatenate([self.predicted_labels.classes, self.true_labels.classes])


# ---------------------------------------------------------------- pairs by name


@dataclass(frozen=True)
class NamedPairs:
    """Pairs of class names, (predicted, true); called with :class:`Pairs`, which of them they are.

    Raises
    ------
    BadInput
        For an unknown class, or a pair that occurs nowhere in this order but in the other one,
        if all instances that are evaluated together are there.
    """

    names: tuple[tuple[Hashable, Hashable], ...]
    verb: str

    def __repr__(self) -> str:
        return repr(self.names)

    def __call__(self, pairs: Pairs) -> Bools:
        """Return one truth value per pair."""
        mask, order = np.zeros(len(pairs), dtype=bool), OrderOfPairs({self})
        for pair in self.names:
            p, t = pairs.hierarchy.index(pair)
            here, there = (
                (pairs.predicted == one) & (pairs.true == other) for one, other in ((p, t), (t, p))
            )
            order.note(pair, pairs.instance[here])
            order.note(pair[::-1], pairs.instance[there])
            mask |= here
        if pairs.n_all is None:
            order.check()
        return mask


def named_pairs(given: Any, verb: str) -> Any:
    """Return a predicate on pairs: a callable as it is, names as :class:`NamedPairs`."""
    if callable(given):
        return given
    # a set has another order in every run, which error messages would show
    listed = sorted(given, key=repr) if isinstance(given, Set) else given
    known = isinstance(listed, Iterable) and not isinstance(listed, str)
    pairs = [
        p if isinstance(p, (tuple, list, np.ndarray)) else () for p in (listed if known else ())
    ]
    if not known or any(len(pair) != 2 for pair in pairs):
        raise BadInput(
            f"{verb} by a callable on pairs, or by a tuple of (predicted, true) pairs of names, "
            f"got {shown(given)}"
        )
    return NamedPairs(tuple(tuple(plain_names(pair)) for pair in pairs), verb)


@dataclass
class OrderOfPairs:
    """Whether pairs that rules name occur in their order, or only the other way round.

    Labels may be looked at part by part; the check comes last. ``first`` has of each pair that
    occurs, (predicted, true), the first instance.
    """

    named: set[NamedPairs] = field(default_factory=set)
    first: dict[tuple[Hashable, Hashable], Any] = field(default_factory=dict)

    def look(
        self,
        named: Sequence[NamedPairs],
        y_true: LabelSets,
        y_pred: LabelSets,
        hierarchy: Hierarchy,
    ) -> None:
        """Note in which order pairs occur in some instances."""
        self.named |= set(named)
        pairs = {pair for each in named for pair in each.names}
        for pair in (pairs | {pair[::-1] for pair in pairs}) - self.first.keys():
            p, t = hierarchy.index(pair)
            said, true = row_numbers(y_pred.indptr), row_numbers(y_true.indptr)
            here = np.intersect1d(said[y_pred.indices == p], true[y_true.indices == t])
            self.note(pair, here, y_true.ids)

    def note(
        self, pair: tuple[Hashable, Hashable], here: Ints, ids: Sequence[Any] | None = None
    ) -> None:
        """Note in which instances a pair occurs."""
        for at in here[:1].tolist():
            self.first.setdefault(pair, ids[at] if ids else at)

    def check(self) -> None:
        """Refuse a pair that was seen only the other way round."""
        for named in sorted(self.named, key=repr):
            for predicted, true in named.names:
                turned = true, predicted
                # where both orders are named, both are meant
                known = (predicted, true) in self.first or turned in named.names
                if turned in self.first and not known:
                    raise BadInput(
                        f"{named.verb} ({predicted!r}, {true!r}): pairs are (predicted, true), and "
                        f"{predicted!r} is nowhere predicted where {true!r} is true; but {true!r} "
                        f"is predicted where {predicted!r} is true: write ({true!r}, "
                        f"{predicted!r})",
                        self.first[turned],
                    )
