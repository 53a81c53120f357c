"""The numbers of a constraint: one for all, by class or by name, or from a user's function."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, SolverLimit, called, shown
from hierpair.hierarchy.arrays import Bools
from hierpair.hierarchy.building import plain_names
from hierpair.pairing.pairs import Array, GroupsOf, Instances, Labels

__all__ = [
    "OPEN",
    "Mask",
    "Table",
    "Things",
    "Where",
    "bounds_of",
    "chosen_labels",
    "costs_of",
    "freeze",
    "not_whole",
    "numbers_of",
    "spread",
    "too_large",
    "truths",
]

OPEN = 2**62
"""An upper bound that is none."""

Things = Labels | GroupsOf | Instances
"""What a constraint can have a number for."""

Mask = Bools | None

Where = Callable[[Labels], Bools] | tuple[Hashable, ...] | None


# ---------------------------------------------------------------- in a form that cannot change


@dataclass(frozen=True)
class Table:
    """Numbers by class or by name in a form that cannot change, so that a rule can be hashed.

    ``names`` is None for an array, whose place says what a number belongs to.
    """

    numbers: tuple[Any, ...]
    names: tuple[Any, ...] | None = None
    shape: tuple[int, ...] = ()

    def __repr__(self) -> str:
        if self.names is not None:
            return shown(dict(zip(self.names, self.numbers, strict=True)), 40)
        return f"an array of shape {self.shape}"

    def array(self) -> Array:
        """Return the numbers as an array; Fractions stay what they are."""
        return _array(list(self.numbers)).reshape(self.shape)


def freeze(constraint: Any, *numbers: str) -> None:
    """Put the numbers of a constraint, and its ``where``, in a form that cannot change."""
    for name in numbers:
        given = getattr(constraint, name)  # a tuple has one for each of the lexicographic costs
        kept = tuple(map(_frozen, given)) if isinstance(given, tuple) else _frozen(given)
        object.__setattr__(constraint, name, kept)
    if hasattr(constraint, "where"):
        object.__setattr__(constraint, "where", _listed(constraint.where))


def _frozen(value: Any) -> Any:
    """Return a constraint's value in a form that cannot change; refuse none here.

    >>> _frozen(3), _frozen(np.array(3)), _frozen(np.array([1, 2])), _frozen({"saw": 2})
    (3, 3, an array of shape (2,), {'saw': 2})
    """
    if isinstance(value, Table):
        return value
    if isinstance(value, Mapping):
        return Table(tuple(plain_names(value.values())), tuple(plain_names(value)))
    if isinstance(value, (list, np.ndarray)):
        array = _array(value) if isinstance(value, list) else value
        if array.ndim == 0:
            return array.item()
        return Table(tuple(array.ravel().tolist()), None, array.shape)
    return value.item() if isinstance(value, np.generic) else value


def _array(values: list[Any]) -> Array:
    try:
        array = np.array(values)
    except ValueError:  # lists of several lengths
        array = np.empty(len(values), dtype=object)
    return array


def _listed(where: Any) -> Any:
    """Return a list of names as a tuple; refuse a single text, whose letters are not meant."""
    if where is None or callable(where):
        return where
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise BadInput(f"give several names as a tuple, got {shown(where)}")
    names = plain_names(where)
    return tuple(sorted(names, key=repr) if isinstance(where, Set) else names)


# ---------------------------------------------------------------- for whom, and which


def chosen_labels(where: Where, labels: Labels) -> Mask:
    """Return which labels a constraint is meant for; None: all."""
    if where is None:
        return None
    if isinstance(where, Iterable):
        return np.isin(labels.classes, labels.hierarchy.index(where))
    return truths(where(labels), labels.classes.shape, "label")


def truths(given: Any, shape: tuple[int, ...], one: str) -> Bools:
    """Return one truth value for each; refuse anything else."""
    mask = np.asarray(given)
    if mask.dtype != bool or mask.shape != shape:
        raise BadInput(
            f"expected one truth value per {one} {shape}, got {mask.dtype} of shape {mask.shape}"
        )
    return mask


def spread(value: Any, things: Things, what: str) -> tuple[Any, Mask]:
    """Return a number or one per thing, and a mask where only some things are given."""
    shape = (len(things),)
    if isinstance(value, np.ndarray) and not isinstance(things, GroupsOf):
        if value.shape not in ((), shape):
            one = "label" if isinstance(things, Labels) else "instance"
            raise BadInput(f"{what} must be one number per {one} {shape}, got shape {value.shape}")
        return value, None
    value = _frozen(value)
    if isinstance(value, Table):
        return (_by_place if value.names is None else _by_name)(value, things, what)
    if callable(value):
        array = np.asarray(value(things))
        if array.shape != shape:
            one = "instance" if isinstance(things, Instances) else "group"
            one = "label" if isinstance(things, Labels) else one
            raise BadInput(
                f"{called(value)} must return one number per {one} {shape}, got shape {array.shape}"
            )
        return array, None
    return value, None


def _by_place(table: Table, things: Things, what: str) -> tuple[Any, Mask]:
    """Return the numbers of an array by class, by the number of the group, or by instance."""
    array = table.array()
    if isinstance(things, GroupsOf):
        beyond = np.flatnonzero(things.number >= len(array)) if array.ndim == 1 else [0]
        if array.ndim != 1 or len(beyond):
            other = f", and there is a group {things.number[beyond[0]]}" if array.ndim == 1 else ""
            raise BadInput(
                f"{what} of groups is given by the number of the group, got {table!r}{other}; or "
                "give a function of GroupsOf"
            )
        return array[things.number], None
    if isinstance(things, Labels):
        if array.shape != (n := len(things.hierarchy),):
            raise BadInput(
                f"{what} must be a number, or one per class ({n},) in the order of "
                f"hierarchy.names, got {table!r}; for a number per label give a function of Labels"
            )
        return array[things.classes], None
    if array.shape != (things.n_all,):
        raise BadInput(
            f"{what} must be a number or one per instance ({things.n_all},), got {table!r}; "
            "or give a function of Instances"
        )
    return array[things.position], None


def _by_name(table: Table, things: Things, what: str) -> tuple[Array, Bools]:
    """Return the numbers that a table has for these names, 0 elsewhere, and where it has one."""
    if isinstance(things, Instances):
        raise BadInput(f"{what} of instances is a number, an array, or a function of Instances")
    assert table.names is not None  # by_name
    if isinstance(things, Labels):
        keys: Array = things.classes
        known = np.asarray(things.hierarchy.index(table.names), dtype=np.int64)
    else:
        keys, known = things.number, np.array(table.names, dtype=np.int64)
    if not len(known):
        return np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=bool)
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], keys), len(known) - 1)
    found = known[order][at] == keys
    numbers = _array(list(table.numbers))[order][at]
    if numbers.dtype.kind not in "iuf":  # texts are refused where their label is known
        numbers = numbers.astype(object)
    return np.where(found, numbers, 0), found


# ---------------------------------------------------------------- bounds and costs


def numbers_of(
    given: Any,
    n: int,
    what: str,
    place: Callable[[int], tuple[str, int | None]],
    chosen: Mask = None,
    *,
    endless: bool = True,
) -> Array:
    """Return numbers ≥ 0, one for all (of no dimension) or n, of those that are chosen.

    Raises
    ------
    BadInput
        For what is no number, negative, nan or, unless ``endless``, infinite.
    """
    rule = f"{what} must be a number ≥ 0"
    array = np.asarray(given)
    try:
        floats = array.astype(np.float64)
        odd = array.dtype.kind not in "iufO" or array.shape not in ((), (n,))
        odd |= array.dtype == object and any(
            isinstance(x, (str, bool)) for x in array.ravel().tolist()
        )
    except (TypeError, ValueError, OverflowError):
        odd = True
    if odd or isinstance(given, bool):
        raise BadInput(f"{rule}, got {shown(given)}")
    wrong = ~(floats >= 0) if endless else ~((floats >= 0) & (floats < np.inf))
    if array.ndim == 0:  # it has to be a number even where there is nothing to have it
        if wrong:
            raise BadInput(f"{rule}, got {shown(given)}")
        return array
    wrong = wrong if chosen is None else wrong & chosen
    if wrong.any():
        at = int(wrong.argmax())
        whose, instance = place(at)
        one = what.replace("a ", "the ", 1) if what.startswith("a ") else what
        raise BadInput(f"{one} of {whose} is {array[at]!s}; it must be a number ≥ 0", instance)
    return array


def costs_of(value: Any, things: Things, what: str) -> tuple[Array, Mask]:
    """Return a cost ≥ 0 of every thing, and for which it was given (None: for all)."""
    given, mask = spread(value, things, what)
    array = numbers_of(given, len(things), what, things.place, mask)
    return np.broadcast_to(array, (len(things),)), mask


def bounds_of(lower: Any, upper: Any, things: Things, chosen: Mask = None) -> tuple[Array, Array]:
    """Return bounds, one for all (of no dimension) or one each; what has none is free.

    They are whole numbers of 64 bits wherever all of them are, and :data:`OPEN` is no upper bound.

    Raises
    ------
    BadInput
        For what are no bounds, or contradict themselves, of the ``chosen`` things.
    """
    n, found = len(things), []
    for value, what, free in ((lower, "lower", 0), (upper, "upper", OPEN)):
        given, mask = spread(value, things, what)
        given = OPEN if given is None and free else given
        some = mask if chosen is None else chosen if mask is None else chosen & mask
        array = numbers_of(given, n, what, things.place, some, endless=free > 0)
        if some is not None:
            array = np.where(some, array, free)
        found.append(_in_int64(array))
    low, high = found
    too_large(low, "lower", things)
    bad = low > high
    if bad.any():
        at = int(bad.argmax())
        one = {Labels: "a label", Instances: "an instance"}.get(type(things), "a group")
        whose, instance = things.place(at) if bad.ndim else (one, None)
        least, most = (np.broadcast_to(x, (at + 1,))[at] for x in found)
        counted = "partners" if isinstance(things, Labels) else "pairs"
        raise BadInput(
            f"{whose} cannot have at least {least} and at most {most} {counted}; bounds are "
            "0 ≤ lower ≤ upper",
            instance,
        )
    return low, high


def too_large(array: Array, what: str, things: Things) -> None:
    """Refuse numbers that the solver cannot carry."""
    large = np.flatnonzero(np.ravel(array >= OPEN))
    if len(large) and len(things):
        whose, instance = things.place(int(large[0]))
        raise SolverLimit(f"{what} of {whose} is more than the solver can carry", instance)


def _in_int64(array: Array) -> Array:
    """Return numbers as 64-bit integers if all are whole, else as they are."""
    if array.dtype.kind in "iu":
        wide = array.astype(np.uint64 if array.dtype.kind == "u" else np.int64)
        return np.minimum(wide, OPEN).astype(np.int64)
    if array.dtype == object:
        if not all(x == np.inf or x == int(x) for x in array.ravel().tolist()):
            return array
        whole = [min(x, OPEN) for x in array.ravel().tolist()]
        return np.array([int(x) for x in whole], dtype=np.int64).reshape(array.shape)
    if (array != np.floor(array)).any():
        return array
    return np.where(array >= OPEN, OPEN, np.where(array >= OPEN, 0, array).astype(np.int64))


def not_whole(array: Array, what: str, things: Things) -> BadInput:
    """Return the error about a bound that is no whole number, where nothing has a mass."""
    if array.ndim == 0:
        return BadInput(f"{what} must be a whole number, got {array.item()}")
    values = array.tolist()
    at = next(i for i, x in enumerate(values) if x != np.inf and x != int(x))
    whose, instance = things.place(at)
    return BadInput(f"{what} of {whose} is {values[at]}; it must be a whole number ≥ 0", instance)
