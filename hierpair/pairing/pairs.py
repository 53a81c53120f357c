"""The labels of both sides of a batch, all pairs between them, and numbers given for each."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierpairError, SolverLimit, called, shown
from hierpair.hierarchy import ancestor_closure, common_ancestor_distances
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    Shorts,
    offsets,
    ragged_ranges,
    row_numbers,
)
from hierpair.hierarchy.building import LARGEST_NUMBER, plain_names
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels import LabelSets

Side = Literal["predicted", "true"]
"""A side of a pair: ``"predicted"`` or ``"true"``."""

Array = NDArray[Any]  # numbers of any kind: integers, floats, or Fractions as objects

SIDES: tuple[Side, Side] = ("predicted", "true")
"""The two sides, in the order of a pair."""


def other_side(side: Side) -> Side:
    """Return the other one of the two sides."""
    return SIDES[1 - SIDES.index(side)]


OPEN = 2**62  # an upper bound that is none

Mask = Bools | None


@dataclass(frozen=True)
class Table:
    """Numbers by name, or by place in an array (``names`` is None), that cannot change."""

    numbers: tuple[Any, ...]
    names: tuple[Any, ...] | None = None
    shape: tuple[int, ...] = ()

    def __repr__(self) -> str:
        if self.names is not None:
            return shown(dict(zip(self.names, self.numbers, strict=True)), 40)
        return f"an array of shape {self.shape}"


def frozen(value: Any) -> Any:
    """Return what is given for numbers in a form that cannot change; refuse none here."""
    if isinstance(value, Mapping):
        return Table(tuple(plain_names(value.values())), tuple(plain_names(value)))
    if isinstance(value, (list, np.ndarray)) and np.ndim(array := _array(value)):
        return Table(tuple(array.ravel().tolist()), None, array.shape)
    return value.item() if isinstance(value, (np.ndarray, np.generic)) else value


def _array(values: Any) -> Array:
    try:
        return np.asarray(values)
    except ValueError:  # lists of several lengths
        return np.empty(len(values), dtype=object)


def applied(part: Callable[..., Any], *given: Any) -> Any:
    """Run a cost or a constraint, which may be a user's own code."""
    try:
        return part(*given)
    except HierpairError:
        raise
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise BadInput(
            f"{called(part)} failed: {type(error).__name__}: {error} "
            f"({Path(where.filename).name}:{where.lineno})"
        ) from error


@contextmanager
def named(source: str) -> Iterator[None]:
    """Say in errors which constraint they are about."""
    try:
        yield
    except HierpairError as error:
        raise type(error)(f"{source}: {error.reason}", error.instance) from error


class Things:
    """What constraints have numbers for: labels, instances, pairs, sets; arrays are by ``keys``."""

    one: ClassVar[str]
    key: ClassVar[str] = "number"
    keyed_by: ClassVar[str] = "number"

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def keys(self) -> Indices:
        """Of every thing its place in numbers that are given as an array."""
        found: Indices = getattr(self, self.keyed_by)
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
        self, wrong: Bools, why: Callable[[int, str], str], error: type[HierpairError] = BadInput
    ) -> None:
        """Raise an error about the first thing that is wrong, of which ``why`` tells in words."""
        for at in np.flatnonzero(wrong)[:1].tolist():
            whose, instance = self.place(at)
            raise error(why(at, whose), instance)

    def whole(self, numbers: Array, what: str) -> Ints:
        """Return whole numbers, of which those beyond :data:`OPEN` are none; refuse others."""
        why = "it must be a whole number ≥ 0"
        if numbers.dtype.kind not in "iu":
            self.refuse(
                numbers % 1 != 0, lambda at, whose: f"{what} of {whose} is {numbers[at]}; {why}"
            )
        return np.minimum(numbers, np.int64(OPEN)).astype(np.int64, copy=False)

    def too_large(self, numbers: Array, what: str) -> None:
        """Refuse numbers that the solver cannot carry."""
        why = "is more than the solver can carry"
        self.refuse(numbers >= OPEN, lambda _, whose: f"{what} of {whose} {why}", SolverLimit)

    def truths(self, given: Any) -> Bools:
        """Return one truth value for each thing, all of them for None; refuse anything else."""
        mask, shape = np.asarray(True if given is None else given), (len(self),)
        if mask.dtype != bool or mask.shape not in (shape, () if given is None else shape):
            raise BadInput(
                f"expected one truth value per {self.one} {shape}, got {mask.dtype} of shape "
                f"{mask.shape}"
            )
        return np.broadcast_to(mask, shape)

    def numbers(
        self,
        value: Any,
        what: str,
        some: Mask = None,
        *,
        rest: float = 0,
        endless: bool = True,
        signed: bool = False,
        flags: bool = False,
        says: str = "{what} of {whose} is {value}; it",
    ) -> tuple[Array, Mask]:
        """Return a number of every thing, else ``rest``, and where it was given (None: everywhere).

        Refused is no number (``flags`` are), nan, negative, inf if not ``endless``, 1e100 or more.
        """
        given, listed = self._spread(value, what)
        array, shapes = np.asarray(given), ((), (len(self),))
        odd = array.dtype.kind not in "iufO" + "b" * flags or array.shape not in shapes
        if array.dtype == object:
            odd |= any(isinstance(x, (str, bool)) for x in array.ravel().tolist())
        floats = np.zeros(())
        try:
            floats = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            odd = True
        large = np.abs(floats) >= LARGEST_NUMBER
        wrong = np.isnan(floats) if signed else ~(floats >= 0)
        if large.any():
            wrong |= large & ~((floats == np.inf) & endless)
        rule = "must be a number" + " ≥ 0" * (not signed)
        if (np.isfinite(floats) & large).any():
            rule += f" and below {LARGEST_NUMBER:g}"
        if odd or (array.ndim == 0 and wrong):  # a number, even where there is nothing to have it
            raise BadInput(f"{what} {rule}, got {shown(given)}")
        for chosen in (listed, some):
            if chosen is not None:
                wrong, array = wrong & chosen, np.where(chosen, array, rest)
        self.refuse(
            wrong,
            lambda at, whose: says.format(what=what, whose=whose, value=array[at]) + f" {rule}",
        )
        return np.broadcast_to(array, shapes[1]), listed

    def _spread(self, value: Any, what: str) -> tuple[Any, Mask]:
        """Return a number or one per thing, and a mask where only some things are given."""
        shape = (len(self),)
        if callable(value) or (isinstance(value, np.ndarray) and self.key != "number"):
            array = np.asarray(applied(value, self) if callable(value) else value)
            if array.shape != shape and (callable(value) or array.ndim):
                raise BadInput(
                    f"{what} must give one number per {self.one} {shape}, got shape {array.shape}"
                )
            return array, None
        value = frozen(value)
        if not isinstance(value, Table) or self.key == "pair":
            return value, None
        if value.names is not None:
            at = dict(
                zip(np.asarray(self.keys_of(value.names)).tolist(), value.numbers, strict=True)
            )
            keys = self.keys.tolist()
            listed = np.array([key in at for key in keys], dtype=bool)
            return _array([at.get(key, 0) for key in keys]), listed
        n = len(self.hierarchy) if isinstance(self, Labels) else getattr(self, "n_all", None)
        of_all = len(value.shape) == 1 and n in (None, *value.shape)
        if not of_all or self.keys.max(initial=-1) >= value.shape[0]:
            size = "" if n is None else f" of {n}"
            raise BadInput(
                f"{what} must be a number, an array{size} by {self.key}, or a function of "
                f"{type(self).__name__}, got {value!r}"
            )
        return _array([*value.numbers])[self.keys], None

    def bounds(self, lower: Any, upper: Any, some: Mask = None) -> tuple[Array, Array]:
        """Return bounds of things, from 0 to :data:`OPEN` where free; refuse contradictions."""
        most = OPEN if upper is None else upper
        low, _ = self.numbers(lower, "lower", some, endless=False)
        high, _ = self.numbers(most, "upper", some, rest=OPEN, endless=False)
        self.too_large(low, "lower")
        self.refuse(
            low > high,
            lambda at, whose: (
                f"{whose} cannot have at least {low[at]} and at most {high[at]} "
                f"{'partner' if self.one == 'label' else 'pair'}s; bounds are 0 ≤ lower ≤ upper"
            ),
        )
        return low, high


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
    classes: Shorts

    one, key, keyed_by = "label", "class", "classes"

    def keys_of(self, names: Iterable[Hashable]) -> Array:
        """Return which classes some names are."""
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

    def chosen(self, where: Any) -> Mask:
        """Return which labels a constraint is meant for, by names or a callable; None: all."""
        if isinstance(where, Iterable):
            return np.isin(self.classes, self.hierarchy.index(where))
        return None if where is None else self.truths(where(self))


PARTS = (
    "numbers of instances go by the place among all (an array, a dict, position or n_all of "
    "Instances), and here a part of them is seen; score all at once, or give a function of the "
    "labels that an instance has (n_true, n_predicted)"
)
"""Why numbers of instances cannot be looked up by place."""


@dataclass(frozen=True, eq=False)
class Instances(Things):
    """The instances of a batch, seen by a bound on all pairs of an instance."""

    hierarchy: Hierarchy
    n_predicted: Ints  # number of labels of each side, shape ``(n_instances,)``
    n_true: Ints
    first: int | None  # place of the first one among all that are evaluated together; None: unknown
    n_known: int  # how many these are, where it is known

    one, key, keyed_by = "instance", "position", "position"

    def __len__(self) -> int:
        return len(self.n_true)

    @property
    def position(self) -> Ints:
        """Place of every instance among all that are evaluated together, from 0."""
        return self._before() + np.arange(len(self))

    @property
    def n_all(self) -> int:
        """How many are evaluated together."""
        self._before()
        return self.n_known

    def _before(self) -> int:
        """Return how many instances come before these; refuse a part, where nobody knows."""
        if self.first is None:
            raise BadInput(PARTS)
        return self.first

    def place(self, at: int) -> tuple[str, int]:
        """Return one instance in words, and its number."""
        return "the instance", at


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
        Place of the first instance among all that are evaluated together (None: unknown, these
        are a part of them), and how many these are; None: no more than there are here.
    """

    hierarchy: Hierarchy
    predicted_labels: Labels
    true_labels: Labels
    ptr: Ints
    predicted_at: Ints
    true_at: Ints
    threshold: int | None = None
    cache: dict[Any, Any] = field(default_factory=dict)
    first: int | None = 0
    n_all: int | None = None

    @classmethod
    def between(
        cls,
        hierarchy: Hierarchy,
        y_true: LabelSets,
        y_pred: LabelSets,
        threshold: int | None = None,
        *,
        first: int | None = 0,
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
    def of_classes(cls, hierarchy: Hierarchy, predicted: Indices, true: Indices) -> Pairs:
        """Lay out pairs of class numbers, an instance each."""
        one_each = np.arange(len(true) + 1)
        given: Any = zip(SIDES, (predicted, true), strict=True)
        return cls.of_sides(*(Labels(hierarchy, side, one_each, own) for side, own in given))

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        if side not in SIDES:
            raise BadInput(f"side must be 'predicted' or 'true', got {side!r}")
        return self.predicted_labels if side == "predicted" else self.true_labels

    def at(self, side: Side) -> Ints:
        """Return the position of every pair's label among the labels of a side."""
        return self.predicted_at if side == "predicted" else self.true_at

    one = key = "pair"

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
        predicted, true = (np.diff(self.labels(side).ptr) for side in SIDES)
        known = len(true) if self.n_all is None else self.n_all
        return Instances(self.hierarchy, predicted, true, self.first, known)

    @cached_property
    def instance(self) -> Ints:
        """Instance of every pair."""
        return row_numbers(self.ptr)

    @cached_property
    def predicted(self) -> Shorts:
        """Number of the predicted class."""
        return self.predicted_labels.classes[self.predicted_at]

    @cached_property
    def true(self) -> Shorts:
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
    def in_use(self) -> Shorts:
        """Number of every class that is a label of either side, again and again."""
        return np.concatenate([self.predicted_labels.classes, self.true_labels.classes])


def checked_cost(part: Callable[[Pairs], Any], pairs: Pairs, *, signed: bool = False) -> Array:
    """Run a cost and refuse what is none."""
    says = "{whose} has the cost {value} from {what}; a cost"
    return pairs.numbers(part, called(part), signed=signed, flags=True, says=says)[0]
