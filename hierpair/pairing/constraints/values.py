"""The numbers of a constraint: one for all, by class or by name, or from a user's function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, called, shown
from hierpair.hierarchy.building import plain_names
from hierpair.pairing.pairs import GroupsOf, Instances, Labels, SetsOf

__all__ = [
    "OPEN",
    "NotWhole",
    "Table",
    "Things",
    "bounds_of",
    "costs_of",
    "frozen",
    "spread",
    "whole_numbers",
]

OPEN = 2**62
"""An upper bound that is none."""

Things = Labels | GroupsOf | Instances
"""What a constraint can have a number for."""

Mask = NDArray[np.bool_] | None


class NotWhole(BadInput):
    """A number that is not whole where nothing has a mass; with masses it may be any."""


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

    def array(self) -> NDArray[Any]:
        """Return the numbers as an array; Fractions stay what they are."""
        return _array(list(self.numbers)).reshape(self.shape)


def frozen(value: Any) -> Any:
    """Return a constraint's value in a form that cannot change; refuse none here.

    >>> frozen(3), frozen(np.array(3)), frozen(np.array([1, 2])), frozen({"saw": 2})
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


def _array(values: list[Any]) -> NDArray[Any]:
    try:
        array = np.array(values)
    except ValueError:  # lists of several lengths
        array = np.empty(len(values), dtype=object)
    return array


def whole_numbers(value: Any, things: Things, what: str) -> tuple[NDArray[np.int64] | int, Mask]:
    """Return bounds of labels, groups or instances, and for which they were given (None: all).

    None and infinity are open, and only an upper bound may be open.
    """
    given, mask = spread(value, things, what)
    if given is None and what == "upper":
        return OPEN, mask
    array = np.asarray(given)
    alone = array.ndim == 0
    try:
        numbers = array.astype(np.float64)
        good = array.dtype.kind in "iuf" or (
            array.dtype == object and not any(isinstance(x, str) for x in array.ravel().tolist())
        )
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good or isinstance(given, bool):
        kind = shown(given) if alone or isinstance(given, str) else f"{array.dtype} numbers"
        raise BadInput(f"{what} must be a whole number, got {kind}")
    wrong = (numbers != np.floor(numbers)) | np.isneginf(numbers)
    if what != "upper":
        wrong |= numbers >= OPEN
    if alone:
        if wrong:
            raise NotWhole(f"{what} must be a whole number, got {shown(given)}")
        return int(min(array.item(), OPEN)), mask
    wrong |= numbers < 0
    if mask is not None:
        wrong &= mask
    if wrong.any():
        at = int(wrong.argmax())
        whose, instance = things.place(at)
        raise NotWhole(
            f"{what} of {whose} is {array[at]!s}; it must be a whole number ≥ 0", instance
        )
    if array.dtype.kind in "iu":
        wide = array.astype(np.uint64) if array.dtype.kind == "u" else array.astype(np.int64)
        return np.minimum(wide, OPEN).astype(np.int64), mask
    endless = numbers >= OPEN
    return np.where(endless, OPEN, np.where(endless, 0, numbers).astype(np.int64)), mask


def bounds_of(
    lower: Any, upper: Any, things: Things, chosen: Mask = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bounds of all things, each an array or a number; what has none is open.

    Raises
    ------
    BadInput
        For bounds that contradict themselves, of the ``chosen`` things.
    """
    low, some = whole_numbers(lower, things, "lower")
    high, others = whole_numbers(upper, things, "upper")
    low = np.asarray(low if some is None else np.where(some, low, 0))
    high = np.asarray(high if others is None else np.where(others, high, OPEN))
    bad = (low < 0) | (low > high)
    if chosen is not None:
        bad = bad & chosen
    if bad.any():
        at = int(bad.argmax())
        wrong = [int(np.broadcast_to(x, bad.shape).ravel()[at]) for x in (low, high)]
        noun, counted = {
            Labels: ("a label", "partners"),
            GroupsOf: ("a group", "pairs"),
            SetsOf: ("a set of pairs of the data set", "pairs"),
            Instances: ("an instance", "pairs"),
        }[type(things)]
        most = "any number of" if wrong[1] == OPEN else f"at most {wrong[1]}"
        raise BadInput(
            f"{noun} cannot have at least {wrong[0]} and {most} {counted}; the bounds must be "
            "whole numbers with 0 ≤ lower ≤ upper",
            things.place(at)[1] if bad.ndim else None,
        )
    return low, high


def costs_of(value: Any, things: Things, what: str) -> tuple[NDArray[Any], Mask]:
    """Return a cost ≥ 0 of every thing, and for which it was given (None: for all)."""
    rule = f"{what} must be a number ≥ 0"
    given, mask = spread(value, things, what)
    try:
        array = np.broadcast_to(np.asarray(given), (len(things),))
        numbers = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{rule}, got {shown(value)}") from None
    if array.dtype.kind not in "iufO" or (np.ndim(given) == 0 and isinstance(given, bool)):
        raise BadInput(f"{rule}, got {shown(value)}")
    wrong = np.isnan(numbers) | (numbers < 0)
    if mask is not None:
        wrong &= mask
    # a single number has to be one even where there is nothing to have it
    if np.ndim(given) == 0 and (wrong.any() or not float(given) >= 0):
        raise BadInput(f"{rule}, got {shown(given)}")
    if wrong.any():
        at = int(wrong.argmax())
        whose, instance = things.place(at)
        one = what.removeprefix("a ").removeprefix("the ")
        raise BadInput(f"the {one} of {whose} is {array[at]!s}; it must be a number ≥ 0", instance)
    return array, mask


def spread(value: Any, things: Things, what: str) -> tuple[Any, Mask]:
    """Return a number or one per thing, and a mask where only some things are given."""
    shape = (len(things),)
    if isinstance(value, np.ndarray) and not isinstance(things, GroupsOf):
        if value.shape not in ((), shape):
            one = "label" if isinstance(things, Labels) else "instance"
            raise BadInput(f"{what} must be one number per {one} {shape}, got shape {value.shape}")
        return value, None
    value = frozen(value)
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


def _by_name(table: Table, things: Things, what: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the numbers that a table has for these names, 0 elsewhere, and where it has one."""
    if isinstance(things, Instances):
        raise BadInput(f"{what} of instances is a number, an array, or a function of Instances")
    assert table.names is not None  # by_name
    if isinstance(things, Labels):
        keys: NDArray[Any] = things.classes
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
