"""The numbers of a constraint: one for all, by class or by name, or from a user's function."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, SolverLimit, called, shown
from hierpair.hierarchy.arrays import Bools
from hierpair.hierarchy.building import LARGEST_NUMBER, plain_names
from hierpair.pairing.pairs import Array, GroupsOf, Labels, Pairs, Things

OPEN = 2**62
"""An upper bound that is none."""

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


class Frozen:
    """A constraint, whose numbers and ``where`` are kept in a form that cannot change."""

    def __post_init__(self) -> None:
        for f in fields(self):  # type: ignore[arg-type]
            given = getattr(self, f.name)  # a tuple has one for each of the lexicographic costs
            if f.name == "where":
                kept = _listed(given)
            elif f.name == "costs":
                kept = given if given is None or callable(given) else checked_table(given)
            else:
                kept = tuple(map(_frozen, given)) if isinstance(given, tuple) else _frozen(given)
            object.__setattr__(self, f.name, kept)


def _frozen(value: Any) -> Any:
    """Return a constraint's value in a form that cannot change; refuse none here.

    >>> _frozen(3), _frozen(np.array(3)), _frozen(np.array([1, 2])), _frozen({"saw": 2})
    (3, 3, an array of shape (2,), {'saw': 2})
    """
    if isinstance(value, Mapping):
        return Table(tuple(plain_names(value.values())), tuple(plain_names(value)))
    if isinstance(value, (list, np.ndarray)):
        array = _array(value) if isinstance(value, list) else value
        if array.ndim:
            return Table(tuple(array.ravel().tolist()), None, array.shape)
        return array.item()
    return value.item() if isinstance(value, np.generic) else value


def _array(values: list[Any]) -> Array:
    try:
        return np.array(values)
    except ValueError:  # lists of several lengths
        return np.empty(len(values), dtype=object)


def _listed(where: Any) -> Any:
    """Return a list of names as a tuple; refuse a single text, whose letters are not meant."""
    if where is None or callable(where):
        return where
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise BadInput(f"give several names as a tuple, got {shown(where)}")
    names = plain_names(where)
    return tuple(sorted(names, key=repr) if isinstance(where, Set) else names)


def checked_table(table: Any) -> Any:
    """Return a table of costs that cannot change."""
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise BadInput(
            "a table of costs is a sequence of numbers for 0, 1, 2 … partners (None: not allowed), "
            f"or a function of the labels and of how many; got {shown(table)}"
        )
    entries = [tuple(map(_entry, x)) if isinstance(x, (tuple, list)) else _entry(x) for x in table]
    return tuple(None if isinstance(x, tuple) and None in x else x for x in entries)


def _entry(value: Any) -> Any:
    """Return a number of a table, None where so many are not allowed."""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        number = np.inf if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if isinstance(value, (bool, str)) or not number > -np.inf:
        raise BadInput(f"a table of costs holds numbers and None, got {shown(value)}")
    return None if number == np.inf else value


# ---------------------------------------------------------------- for whom, and which


def chosen_labels(where: Where, labels: Labels) -> Mask:
    """Return which labels a constraint is meant for; None: all."""
    if where is None:
        return None
    if isinstance(where, Iterable):
        return np.isin(labels.classes, labels.hierarchy.index(where))
    return truths(where(labels), labels)


def truths(given: Any, things: Things) -> Bools:
    """Return one truth value for each thing, all of them for None; refuse anything else."""
    mask, shape = np.asarray(True if given is None else given), (len(things),)
    if mask.dtype != bool or mask.shape not in (shape, () if given is None else shape):
        raise BadInput(
            f"expected one truth value per {things.one} {shape}, got {mask.dtype} of shape "
            f"{mask.shape}"
        )
    return np.broadcast_to(mask, shape)


def _spread(value: Any, things: Things, what: str) -> tuple[Any, Mask]:
    """Return a number or one per thing, and a mask where only some things are given."""
    shape = (len(things),)
    if callable(value):
        array = np.asarray(run(value, things))
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
    keys = things.keys
    if value.names is not None:
        numbers = _array([*value.numbers, 0])  # what is not named has the last one
        if numbers.dtype.kind not in "iuf":  # texts are refused where their label is known
            numbers = numbers.astype(object)
        at = dict(
            zip(np.asarray(things.keys_of(value.names)).tolist(), range(len(numbers)), strict=False)
        )
        found = np.array([at.get(key, -1) for key in keys.tolist()], dtype=np.int64)
        return numbers[found], found >= 0
    of_all = len(value.shape) == 1 and things.n_keys in (None, *value.shape)
    if not of_all or keys.max(initial=-1) >= value.shape[0]:
        size = "" if things.n_keys is None else f" of {things.n_keys}"
        raise BadInput(
            f"{what} must be a number, an array{size} by {things.key}, or a function of "
            f"{type(things).__name__}, got {value!r}"
        )
    return _array([*value.numbers])[keys], None


def run(part: Callable[..., Any], *given: Any) -> Any:
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


def numbers_of(
    value: Any,
    things: Things,
    what: str,
    some: Mask = None,
    *,
    rest: float = 0,
    endless: bool = True,
    signed: bool = False,
    flags: bool = False,
    says: str = "{what} of {whose} is {value}; it",
) -> tuple[Array, Mask]:
    """Return a number of every thing, and for which things it was given (None: for all).

    What is not one of ``some`` things, or was not given, has ``rest``; truth values are numbers
    where ``flags`` may be.

    Raises
    ------
    BadInput
        For what is no number, nan, negative unless ``signed``, infinite unless ``endless``, or
        otherwise 1e100 or more.
    """
    given, listed = _spread(value, things, what)
    array, n = np.asarray(given), len(things)
    try:
        floats = array.astype(np.float64)
        odd = array.dtype.kind not in ("iufOb" if flags else "iufO") or array.shape not in (
            (),
            (n,),
        )
        odd |= array.dtype == object and any(
            isinstance(x, (str, bool)) for x in array.ravel().tolist()
        )
    except (TypeError, ValueError, OverflowError):
        floats, odd = np.zeros(()), True
    right = (np.abs(floats) < LARGEST_NUMBER) | ((floats == np.inf) & endless)
    wrong = odd | ~(right & (signed | (floats >= 0)))
    rule = "must be a number" if signed else "must be a number ≥ 0"
    if (np.isfinite(floats) & (np.abs(floats) >= LARGEST_NUMBER)).any():
        rule += f" and below {LARGEST_NUMBER:g}"
    if odd or (array.ndim == 0 and wrong):  # a number, even where there is nothing to have it
        raise BadInput(f"{what} {rule}, got {shown(given)}")
    if listed is not None or some is not None:
        chosen = np.logical_and.reduce([x for x in (listed, some) if x is not None])
        wrong, array = wrong & chosen, np.where(chosen, array, rest)
    one = what.replace("a ", "the ", 1) if what.startswith("a ") else what
    things.refuse(
        wrong,
        lambda at, whose: says.format(what=one, whose=whose, value=array[at]) + f" {rule}",
    )
    return np.broadcast_to(array, (n,)), listed


def bounds_of(lower: Any, upper: Any, things: Things, some: Mask = None) -> tuple[Array, Array]:
    """Return bounds of things; what has none is free, from 0 to :data:`OPEN`.

    Raises
    ------
    BadInput
        For what are no bounds, or contradict themselves, of ``some`` things.
    """
    low, _ = numbers_of(lower, things, "lower", some, endless=False)
    high, _ = numbers_of(OPEN if upper is None else upper, things, "upper", some, rest=OPEN)
    too_large(low, "lower", things)
    counted = "partners" if isinstance(things, Labels) else "pairs"
    things.refuse(
        low > high,
        lambda at, whose: (
            f"{whose} cannot have at least {low[at]} and at most {high[at]} "
            f"{counted}; bounds are 0 ≤ lower ≤ upper"
        ),
    )
    return low, high


def too_large(array: Array, what: str, things: Things) -> None:
    """Refuse numbers that the solver cannot carry."""
    things.refuse(
        array >= OPEN,
        lambda _, whose: f"{what} of {whose} is more than the solver can carry",
        SolverLimit,
    )
