"""For which labels a constraint is meant, and its numbers in a form that cannot change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.building import plain_names
from hierpair.pairing.constraints.values import frozen
from hierpair.pairing.pairs import Labels

__all__ = ["Where", "chosen_labels", "freeze"]

Where = Callable[[Labels], NDArray[np.bool_]] | tuple[Hashable, ...] | None


def freeze(constraint: Any, *numbers: str) -> None:
    """Put the numbers of a constraint, and its ``where``, in a form that cannot change."""
    for name in numbers:
        given = getattr(constraint, name)  # a tuple has one for each of the lexicographic costs
        kept = tuple(map(frozen, given)) if isinstance(given, tuple) else frozen(given)
        object.__setattr__(constraint, name, kept)
    if hasattr(constraint, "where"):
        object.__setattr__(constraint, "where", _listed(constraint.where))


def _listed(where: Any) -> Any:
    """Return a list of names as a tuple; refuse a single text, whose letters are not meant."""
    if where is None or callable(where):
        return where
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise BadInput(f"give several names as a tuple, got {shown(where)}")
    names = plain_names(where)
    return tuple(sorted(names, key=repr) if isinstance(where, Set) else names)


def chosen_labels(where: Where, labels: Labels) -> NDArray[np.bool_] | None:
    """Return which labels a constraint is meant for; None: all."""
    if where is None:
        return None
    if isinstance(where, Iterable):
        return np.isin(labels.classes, labels.hierarchy.index(where))
    mask = np.asarray(where(labels))
    if mask.dtype != bool or mask.shape != labels.classes.shape:
        raise BadInput(
            f"where must return one truth value per label {labels.classes.shape}, "
            f"got {mask.dtype} of shape {mask.shape}"
        )
    return mask
