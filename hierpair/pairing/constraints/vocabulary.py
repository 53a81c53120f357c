"""The vocabulary: small frozen constraints, each with an exact place in a flow network."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.building import plain_names
from hierpair.pairing.constraints.builder import Absent, Builder
from hierpair.pairing.constraints.grouping import groups_of_all
from hierpair.pairing.constraints.values import frozen
from hierpair.pairing.pair_order import NamedPairs, named_pairs
from hierpair.pairing.pairs import GroupsOf, Instances, Labels, Pairs, Side

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "Cardinality",
    "Degree",
    "Forbid",
    "Groups",
    "MaxDistance",
    "Require",
    "Unmatched",
]

AS_MANY_AS_THERE_ARE = -1
"""For ``Degree.lower``: every label of the other side."""

Where = Callable[[Labels], NDArray[np.bool_]] | tuple[Hashable, ...] | None


@dataclass(frozen=True)
class Degree:
    """Every label of a side has at least and at most so many partners.

    Repeated for the same labels both hold: the largest ``lower`` and the smallest
    ``upper`` count, and a contradiction is an error.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    lower, upper
        Bounds: a number; an array with one per class, in the order of ``hierarchy.names``; a dict
        ``{class: bound}`` (other classes have none); or a callable that takes :class:`Labels` and
        returns one per label. ``upper=None`` is open, ``lower=AS_MANY_AS_THERE_ARE`` is
        everybody.
    where
        Only for these labels: a tuple of class names, or a callable that takes
        :class:`Labels` and returns one truth value per label.

    Examples
    --------
    >>> Degree("true", 1, {"saw": 2})
    Degree(side='true', lower=1, upper={'saw': 2}, where=None)
    """

    side: Side
    lower: Any = 0
    upper: Any = None
    where: Where = None

    def __post_init__(self) -> None:
        _freeze(self, "lower", "upper")

    def __call__(self, builder: Builder) -> None:
        """Write the bounds on the arc between the source (or the sink) and the label."""
        lowest = self.lower
        if isinstance(lowest, int) and lowest == AS_MANY_AS_THERE_ARE:
            lowest = builder.others(self.side)
        builder.bound(self.side, lowest, self.upper, _chosen(self.where, builder.labels(self.side)))


@dataclass(frozen=True)
class Unmatched:
    """A label of a side may lack partners at this cost each (the default class).

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    cost
        A number ≥ 0; an array by class, a dict by name, or a callable on :class:`Labels`, as the
        bounds of :class:`Degree`; or a tuple of these, one for each of the costs of a
        ``Lexicographic``. A label that is given two different costs is an error.
    where
        As for :class:`Degree`.
    """

    side: Side
    cost: Any
    where: Where = None

    def __post_init__(self) -> None:
        _freeze(self, "cost")

    def __call__(self, builder: Builder) -> None:
        """Open the arc to the default class of the other side."""
        builder.allow_missing(self.side, self.cost, _chosen(self.where, builder.labels(self.side)))


@dataclass(frozen=True)
class Forbid:
    """Pairs for which the vectorised predicate is true, or that are listed, may not be chosen.

    ``when`` is a callable on :class:`Pairs`, or a tuple of ``(predicted, true)`` names, as for
    :class:`Require`.
    """

    when: Callable[[Pairs], NDArray[np.bool_]] | NamedPairs

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", named_pairs(self.when, "forbid"))

    def __call__(self, builder: Builder) -> None:
        """Leave the arcs out."""
        builder.forbid(self.when(builder.pairs))


@dataclass(frozen=True)
class Require:
    """Pairs for which the predicate is true, or that are listed, must be chosen.

    ``pairs`` is a callable on :class:`Pairs`, or a tuple of ``(predicted, true)`` names, which
    binds wherever an instance has both labels on these sides. Names that occur nowhere in this
    order but do in the other are an error.
    """

    pairs: Callable[[Pairs], NDArray[np.bool_]] | NamedPairs

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", named_pairs(self.pairs, "require"))

    def __call__(self, builder: Builder) -> None:
        """Put a lower bound of 1 on the arcs."""
        builder.require(self.pairs(builder.pairs))


@dataclass(frozen=True)
class MaxDistance:
    """Classes more than ``limit`` edges apart may not be paired.

    ``limit`` is a number, or a callable that takes :class:`Pairs` and returns one per pair.
    """

    limit: float | Callable[[Pairs], NDArray[Any]]

    def __call__(self, builder: Builder) -> None:
        """Leave the arcs out."""
        limit: Any = self.limit(builder.pairs) if callable(self.limit) else self.limit
        if callable(self.limit):
            limit = np.asarray(limit)
            if limit.shape != builder.pairs.instance.shape or limit.dtype.kind not in "iuf":
                raise BadInput(
                    f"a largest distance must be one number per pair "
                    f"{builder.pairs.instance.shape}, got {limit.dtype} of shape {limit.shape}"
                )
            wrong = np.flatnonzero(~(limit >= 0))
            if len(wrong):
                at = int(wrong[0])
                raise BadInput(
                    f"the largest distance of the pair {builder.pairs.text(at)} is {limit[at]}; it "
                    "must be a number ≥ 0",
                    int(builder.pairs.instance[at]),
                )
        elif isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 0:
            raise BadInput(f"a largest distance must be a number ≥ 0, got {shown(limit)}")
        builder.forbid(builder.pairs.distance > limit)


@dataclass(frozen=True)
class Cardinality:
    """Every instance has at least and at most so many pairs (default classes not counted).

    A bound is a number, an array with one per instance of all that are evaluated together, or a
    callable that takes :class:`Instances` and returns one per instance. Several of them intersect.
    """

    lower: int | Callable[[Instances], NDArray[np.int64]] = 0
    upper: int | Callable[[Instances], NDArray[np.int64]] | None = None

    def __post_init__(self) -> None:
        _freeze(self, "lower", "upper")

    def __call__(self, builder: Builder) -> None:
        """Bound the arc from the sink back to the source."""
        builder.total(self.lower, self.upper)


@dataclass(frozen=True)
class Groups:
    """Each group of labels of a side has at most so many pairs, its labels taken together.

    Several ``Groups`` of a side must be nested, outer groups first; of the same groups they
    intersect.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    groups
        Takes :class:`Labels` and returns one whole number per label, -1 for no group.
    upper, lower
        Bounds: a number; an array or a dict by the number of the group; or a callable that takes
        :class:`GroupsOf` and returns one per group. ``upper=None`` is open.
    absent
        Where an instance has no label in a group that has a minimum, the minimum means nothing:
        ``"skip"`` leaves it out there, and scores and explanations say of how many instances;
        with ``"error"`` such an instance has no pairing (:class:`~hierpair.Infeasible`). The
        groups are those that the classes of the hierarchy can be in.
    """

    side: Side
    groups: Callable[[Labels], NDArray[np.int64]]
    upper: int | Callable[[GroupsOf], NDArray[np.int64]] | None = None
    lower: int | Callable[[GroupsOf], NDArray[np.int64]] = 0
    absent: Absent = "skip"

    def __post_init__(self) -> None:
        if not callable(self.groups):
            raise BadInput(f"groups must be a callable on labels, got {shown(self.groups)}")
        if self.absent not in ("skip", "error"):
            raise BadInput(f"absent must be 'skip' or 'error', got {shown(self.absent)}")
        _freeze(self, "lower", "upper")

    def __call__(self, builder: Builder) -> None:
        """Put a node between the source (or the sink) and the labels of a group."""
        labels = builder.labels(self.side)
        group = np.asarray(self.groups(labels))
        if group.dtype.kind not in "iu":
            raise BadInput(f"groups must be whole numbers, got {group.dtype}")
        least = self.lower
        every = None
        if not isinstance(least, int) or least > 0:
            every = groups_of_all(self.groups, labels)
        builder.within(self.side, group, self.upper, least, every=every, absent=self.absent)


def _freeze(constraint: Any, *numbers: str) -> None:
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


def _chosen(where: Where, labels: Labels) -> NDArray[np.bool_] | None:
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
