"""The numbers of a constraint: one for all, by class or by name, or from a user's function."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, SolverLimit, called, shown
from hierpair.hierarchy.arrays import Bools
from hierpair.hierarchy.building import plain_names
from hierpair.pairing.pairs import Array, GroupsOf, Instances, Labels, Pairs

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

Things = Labels | GroupsOf | Instances | Pairs
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
    if callable(value):
        array = np.asarray(value(things))
        if array.shape != shape:
            raise BadInput(
                f"{called(value)} must return one number per {things.one} {shape}, got shape "
                f"{array.shape}"
            )
        return array, None
    if isinstance(value, np.ndarray) and not isinstance(things, GroupsOf):
        if value.shape not in ((), shape):
            raise BadInput(
                f"{what} must be one number per {things.one} {shape}, got shape {value.shape}"
            )
        return value, None
    value = _frozen(value)
    if not isinstance(value, Table) or isinstance(things, Pairs):
        return value, None
    keys: Array = things.keys
    if value.names is None:
        array = value.array()
        if (
            array.ndim != 1
            or things.n_keys not in (None, len(array))
            or (keys.max(initial=-1) >= len(array))
        ):
            raise BadInput(
                f"{what} must be a number, or {things.by}, got {value!r}; for a number per "
                f"{things.one} give a function of {type(things).__name__}"
            )
        return array[keys], None
    known = np.append(np.asarray(things.keys_of(value.names), dtype=np.int64), -1)
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known[order], keys), len(known) - 1)]
    found = known[at] == keys
    numbers = _array([*value.numbers, 0])  # what is not named has the last one
    if numbers.dtype.kind not in "iuf":  # texts are refused where their label is known
        numbers = numbers.astype(object)
    return numbers[np.where(found, at, -1)], found


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
    if odd:
        raise BadInput(f"{rule}, got {shown(given)}")
    wrong = ~((floats >= 0) & (endless | (floats < np.inf)))
    if array.ndim == 0:  # it has to be a number even where there is nothing to have it
        if wrong:
            raise BadInput(f"{rule}, got {shown(given)}")
        return array
    for at in np.flatnonzero(wrong if chosen is None else wrong & chosen)[:1].tolist():
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
    for at in np.flatnonzero(low > high)[:1].tolist():
        alike = np.ndim(low) == np.ndim(high) == 0
        one = "an instance" if things.one == "instance" else f"a {things.one}"
        whose, instance = (one, None) if alike else things.place(at)
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
    if any(x != np.inf and x != int(x) for x in np.unique(array).tolist()):
        return array
    whole = np.minimum(array, OPEN)
    return np.where(whole < OPEN, whole, 0).astype(np.int64) + np.where(whole < OPEN, 0, OPEN)


def not_whole(array: Array, what: str, things: Things) -> BadInput:
    """Return the error about a bound that is no whole number, where nothing has a mass."""
    if array.ndim == 0:
        return BadInput(f"{what} must be a whole number, got {array.item()}")
    values = array.tolist()
    at = next(i for i, x in enumerate(values) if x != np.inf and x != int(x))
    whose, instance = things.place(at)
    return BadInput(f"{what} of {whose} is {values[at]}; it must be a whole number ≥ 0", instance)
