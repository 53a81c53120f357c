"""The numbers of a constraint: one for all, by class or by name, or from a user's function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, called, shown
from hierpair.hierarchy.building import plain_names
from hierpair.pairing.pairs import GroupsOf, Instances, Labels

__all__ = ["OPEN", "Table", "costs", "kept", "limits", "limits_of_groups", "limits_of_instances"]

OPEN = 2**62
"""An upper bound that is none."""


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


def kept(value: Any) -> Any:
    """Return a statement's value in a form that cannot change; refuse none here.

    >>> kept(3), kept(np.array(3)), kept(np.array([1, 2])), kept({"saw": 2})
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


def limits(value: Any, labels: Labels, what: str) -> tuple[NDArray[np.int64] | int, Any]:
    """Return bounds of labels, and for which labels they were given (None: for all)."""
    given, mask = _of_labels(value, labels, what)
    names = labels.hierarchy.names

    def place(at: int) -> tuple[str, int]:
        return f"the {labels.side} class {names[labels.classes[at]]!r}", int(labels.instance[at])

    return _whole(given, what, place, mask), mask


def costs(value: Any, labels: Labels) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return a cost per label, and for which labels it was given (None: for all)."""
    said = "a default cost must be a number ≥ 0"
    given, mask = _of_labels(value, labels, "a default cost")
    try:
        array = np.broadcast_to(np.asarray(given), labels.classes.shape)
        numbers = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{said}, got {shown(value)}") from None
    if array.dtype.kind not in "iufO" or (np.ndim(given) == 0 and isinstance(given, bool)):
        raise BadInput(f"{said}, got {shown(value)}")
    wrong = np.isnan(numbers) | (numbers < 0)
    if mask is not None:
        wrong &= mask
    if np.ndim(given) == 0 and (wrong.any() or not _sound(given)):
        raise BadInput(f"{said}, got {shown(given)}")
    if wrong.any():
        at = int(wrong.argmax())
        name = labels.hierarchy.names[labels.classes[at]]
        raise BadInput(
            f"the default cost of the {labels.side} class {name!r} is {array[at]!s}; it must be "
            "a number ≥ 0",
            int(labels.instance[at]),
        )
    return array, mask


def _sound(number: Any) -> bool:
    """Whether a single cost is one, even where there is no label to have it."""
    return bool(float(number) >= 0)


def limits_of_groups(
    value: Any, groups: GroupsOf, what: str
) -> tuple[NDArray[np.int64] | int, NDArray[np.bool_] | None]:
    """Return bounds of groups, and for which groups they were given (None: for all)."""
    mask, given = None, value
    if isinstance(value, np.ndarray):
        given = value = kept(value)
    if isinstance(value, Table) and value.names is None:
        given = value.array()
        beyond = np.flatnonzero(groups.number >= len(given)) if given.ndim == 1 else [0]
        if given.ndim != 1 or len(beyond):
            other = f", and there is a group {groups.number[beyond[0]]}" if given.ndim == 1 else ""
            raise BadInput(
                f"{what} of groups is given by the number of the group, got {value!r}{other}; or "
                "give a function of GroupsOf"
            )
        given = given[groups.number]
    elif isinstance(value, Table):
        given, mask = _by_key(value, groups.number)
    elif callable(value):
        given = _returned(value, groups, groups.number.shape, "group")

    def place(at: int) -> tuple[str, int]:
        number = groups.number[at]
        return f"the {groups.side} group {number}", int(groups.instance[at])

    return _whole(given, what, place, mask), mask


def limits_of_instances(value: Any, instances: Instances, what: str) -> NDArray[np.int64] | int:
    """Return bounds of instances."""
    given = value
    n = len(instances.n_true)
    if isinstance(value, Table) and value.names is not None:
        raise BadInput(f"{what} of instances is a number, an array, or a function of Instances")
    if isinstance(value, Table):
        given = value.array()
        if given.shape != (instances.n_all,):
            raise BadInput(
                f"{what} must be a number or one per instance ({instances.n_all},), got {value!r}; "
                "or give a function of Instances"
            )
        given = given[instances.position]
    elif isinstance(value, np.ndarray):
        if value.shape not in ((), (n,)):
            raise BadInput(f"{what} must be one number per instance ({n},), got {value.shape}")
    elif callable(value):
        given = _returned(value, instances, (n,), "instance")
    return _whole(given, what, lambda at: ("the instance", at), None)


def _of_labels(value: Any, labels: Labels, what: str) -> tuple[Any, NDArray[np.bool_] | None]:
    """Return a number or one per label, and a mask where only some labels are given."""
    if isinstance(value, Table) and value.names is not None:
        classes = labels.hierarchy.index(value.names)
        return _by_key(Table(value.numbers, tuple(classes)), labels.classes)
    if isinstance(value, Table):
        n = len(labels.hierarchy)
        if value.shape != (n,):
            raise BadInput(
                f"{what} must be a number, or one per class ({n},) in the order of "
                f"hierarchy.names, got {value!r}; for a number per label give a function of Labels"
            )
        return value.array()[labels.classes], None
    if isinstance(value, np.ndarray):
        if value.shape not in ((), labels.classes.shape):
            raise BadInput(
                f"{what} must be one number per label {labels.classes.shape}, got shape "
                f"{value.shape}"
            )
        return value, None
    if callable(value):
        return _returned(value, labels, labels.classes.shape, "label"), None
    return value, None


def _by_key(table: Table, keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the numbers that a table by name has for these keys, 0 elsewhere, and where."""
    known = np.array(table.names, dtype=np.int64)
    numbers = _array(list(table.numbers))
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], keys), max(len(known) - 1, 0))
    if not len(known):
        return np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=bool)
    found = known[order][at] == keys
    picked = numbers[order][at]
    return np.where(found, picked, 0), found


def _returned(function: Callable[..., Any], given: Any, shape: tuple[int, ...], one: str) -> Any:
    found = function(given)
    array = np.asarray(found)
    if array.shape != shape:
        raise BadInput(
            f"{called(function)} must return one number per {one} {shape}, got shape {array.shape}"
        )
    return array


def _whole(
    given: Any,
    what: str,
    place: Callable[[int], tuple[str, int]],
    mask: NDArray[np.bool_] | None,
) -> NDArray[np.int64] | int:
    """Return whole numbers from 0; None and infinity are open."""
    if given is None and what == "upper":
        return OPEN
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
        raise BadInput(f"{what} must be a whole number, got {_shown(given, array)}")
    wrong = (numbers != np.floor(numbers)) | np.isneginf(numbers)
    if what != "upper":  # only an upper bound may be open
        wrong |= numbers >= OPEN
    if alone:
        if wrong:
            raise BadInput(f"{what} must be a whole number, got {shown(given)}")
        return int(min(array.item(), OPEN))
    wrong |= numbers < 0
    if mask is not None:
        wrong &= mask
    if wrong.any():
        at = int(wrong.argmax())
        whose, instance = place(at)
        raise BadInput(
            f"{what} of {whose} is {array[at]!s}; it must be a whole number ≥ 0", instance
        )
    if array.dtype.kind in "iu":
        wide = array.astype(np.uint64) if array.dtype.kind == "u" else array.astype(np.int64)
        small: NDArray[np.int64] = np.minimum(wide, OPEN).astype(np.int64)
        return small
    endless = numbers >= OPEN
    return np.where(endless, OPEN, np.where(endless, 0, numbers).astype(np.int64))


def _shown(given: Any, array: NDArray[Any]) -> str:
    """Return a single value as it is, and of many the kind."""
    return shown(given) if array.ndim == 0 or isinstance(given, str) else f"{array.dtype} numbers"
