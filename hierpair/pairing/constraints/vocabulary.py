"""Constraints on how many: partners of labels, pairs of groups and instances, their costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.pairing.constraints.builder import Absent, Builder
from hierpair.pairing.constraints.count_costs import SoftBounds, checked_table
from hierpair.pairing.constraints.grouping import groups_of_all
from hierpair.pairing.constraints.partner_groups import other_side
from hierpair.pairing.constraints.where import Where, chosen_labels, freeze
from hierpair.pairing.pairs import GroupsOf, Instances, Labels, Side

__all__ = ["AS_MANY_AS_THERE_ARE", "Cardinality", "CountCost", "Degree", "Groups", "Unmatched"]

AS_MANY_AS_THERE_ARE = -1
"""For ``Degree.lower``: every label of the other side."""


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
    under, over
        Cost of every partner that a label lacks of ``lower``, or has beyond ``upper``; None: not
        allowed. In the forms of an :class:`Unmatched` cost. Costs of several constraints add up.

    Examples
    --------
    >>> Degree("true", 1, {"saw": 2})
    Degree(side='true', lower=1, upper={'saw': 2}, where=None, under=None, over=None)
    """

    side: Side
    lower: Any = 0
    upper: Any = None
    where: Where = None
    under: Any = None
    over: Any = None

    def __post_init__(self) -> None:
        freeze(self, "lower", "upper", "under", "over")

    def __call__(self, builder: Builder) -> None:
        """Write the bounds on the arc between the source (or the sink) and the label."""
        labels = builder.labels(self.side)
        lowest = self.lower
        if isinstance(lowest, int) and lowest == AS_MANY_AS_THERE_ARE:
            lowest = builder.others(self.side)
        where = chosen_labels(self.where, labels)
        low, high = _hard(self, lowest)
        builder.bound(self.side, low, high, where)
        if self.under is not None or self.over is not None:
            bounds = builder.in_units(lowest, self.upper, labels, where)
            builder.count(self.side, SoftBounds(*bounds, self.under, self.over), where)


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
        freeze(self, "cost")

    def __call__(self, builder: Builder) -> None:
        """Open the arc to the default class of the other side."""
        builder.allow_missing(
            self.side, self.cost, chosen_labels(self.where, builder.labels(self.side))
        )


@dataclass(frozen=True)
class CountCost:
    """So many partners of a label, or pairs of a group or an instance, cost so much.

    Costs may fall and rise, but a later unit must not be cheaper than an earlier one: a flow would
    take the cheaper one first. Costs of several constraints add up.

    Parameters
    ----------
    of
        ``"predicted"`` or ``"true"``: of every label of the side, or of groups of them;
        ``"instance"``: of all pairs of an instance.
    costs
        The cost of 0, 1, 2 … partners: a sequence, with None for a number that is not allowed, as
        all beyond its end are; or a callable that takes :class:`Labels` (:class:`GroupsOf`,
        :class:`Instances`) and how many, and returns one cost for each. An entry may be a tuple
        of one for each cost of a ``Lexicographic``.
    where
        Only for these labels, as for :class:`Degree`.
    groups
        Takes :class:`Labels` and returns the group of each, -1 for none: pairs of a group are
        counted together.

    Examples
    --------
    The third partner of a true class costs 1, the fourth one 2, and there is no fifth.

    >>> CountCost("true", (0, 0, 0, 1, 3))
    CountCost(of='true', costs=(0, 0, 0, 1, 3), where=None, groups=None)
    """

    of: Side | Literal["instance"]
    costs: Any
    where: Where = None
    groups: Callable[[Labels], NDArray[np.int64]] | None = None

    def __post_init__(self) -> None:
        if self.of not in ("predicted", "true", "instance"):
            raise BadInput(f"of must be 'predicted', 'true' or 'instance', got {shown(self.of)}")
        if self.of == "instance" and (self.where is not None or self.groups is not None):
            raise BadInput("where and groups choose labels; with of='instance' there are none")
        if self.groups is not None and (self.where is not None or not callable(self.groups)):
            raise BadInput("groups is a callable on labels, -1 where a label is in none, not where")
        object.__setattr__(self, "costs", checked_table(self.costs))
        freeze(self)

    def __call__(self, builder: Builder) -> None:
        """Put an arc for every run of equal costs beside the one that bounds what is counted."""
        if self.of == "instance":
            builder.count("instance", self.costs)
            return
        labels = builder.labels(self.of)
        if self.groups is None:
            builder.count(self.of, self.costs, chosen_labels(self.where, labels))
            return
        group = np.asarray(self.groups(labels))
        if group.dtype.kind not in "iu":
            raise BadInput(f"groups must be whole numbers, got {group.dtype}")
        builder.count(builder.within(self.of, group, None), self.costs)


@dataclass(frozen=True)
class Cardinality:
    """Every instance has at least and at most so many pairs (default classes not counted).

    A bound is a number, an array with one per instance of all that are evaluated together, or a
    callable that takes :class:`Instances` and returns one per instance. Several of them intersect.
    With ``under`` and ``over`` the bounds are soft: every pair too few or too many costs so much.
    """

    lower: int | Callable[[Instances], NDArray[np.int64]] = 0
    upper: int | Callable[[Instances], NDArray[np.int64]] | None = None
    under: Any = None
    over: Any = None

    def __post_init__(self) -> None:
        freeze(self, "lower", "upper", "under", "over")

    def __call__(self, builder: Builder) -> None:
        """Bound the arc from the sink back to the source."""
        builder.total(*_hard(self, self.lower))
        if self.under is not None or self.over is not None:
            bounds = builder.in_units(self.lower, self.upper, builder.pairs.instances)
            builder.count("instance", SoftBounds(*bounds, self.under, self.over))


@dataclass(frozen=True)
class Groups:
    """Each group of labels of a side has at most so many pairs, its labels taken together.

    Several ``Groups`` of a side must be nested; of the same groups they intersect.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    groups
        Takes :class:`Labels` and returns one whole number per label, -1 for no group. The labels
        are those of the side, or with ``of="partners"`` those of the other side.
    upper, lower
        Bounds: a number; an array or a dict by the number of the group; or a callable that takes
        :class:`GroupsOf` and returns one per group. ``upper=None`` is open.
    absent
        Where an instance has no label in a group that has a minimum, the minimum means nothing:
        ``"skip"`` leaves it out there, and scores and explanations say of how many instances;
        with ``"error"`` such an instance has no pairing (:class:`~hierpair.Infeasible`). The
        groups are those that the classes of the hierarchy can be in.
    under, over
        Cost of every pair that a group has too few or too many; None: not allowed.
    of
        What is counted: the pairs of a group of ``"labels"`` of the side, or for each label of the
        side the pairs with each group of its ``"partners"``.
    where
        Only for these labels of the side, as for :class:`Degree`: others are in no group, or their
        partners are not grouped.
    """

    side: Side
    groups: Callable[[Labels], NDArray[np.int64]]
    upper: int | Callable[[GroupsOf], NDArray[np.int64]] | None = None
    lower: int | Callable[[GroupsOf], NDArray[np.int64]] = 0
    absent: Absent = "skip"
    under: Any = None
    over: Any = None
    of: Literal["labels", "partners"] = "labels"
    where: Where = None

    def __post_init__(self) -> None:
        if not callable(self.groups):
            raise BadInput(f"groups must be a callable on labels, got {shown(self.groups)}")
        if self.absent not in ("skip", "error"):
            raise BadInput(f"absent must be 'skip' or 'error', got {shown(self.absent)}")
        if self.of not in ("labels", "partners"):
            raise BadInput(f"of must be 'labels' or 'partners', got {shown(self.of)}")
        freeze(self, "lower", "upper", "under", "over")

    def __call__(self, builder: Builder) -> None:
        """Put a node between the source (or the sink) and the labels of a group."""
        partners = self.of == "partners"
        labels = builder.labels(other_side(self.side) if partners else self.side)
        group = np.asarray(self.groups(labels))
        if group.dtype.kind not in "iu":
            raise BadInput(f"groups must be whole numbers, got {group.dtype}")
        least, most = _hard(self, self.lower)
        where = chosen_labels(self.where, builder.labels(self.side))
        if where is not None and not partners:
            group = np.where(where, group, -1)
        every = None
        if not partners and self.where is None and (not isinstance(least, int) or least > 0):
            every = groups_of_all(self.groups, labels)
        place = builder.within(
            self.side, group, most, least,
            every=every, absent=self.absent, partners=partners, where=where if partners else None,
        )  # fmt: skip
        if self.under is not None or self.over is not None:
            bounds = builder.in_units(self.lower, self.upper, builder.groups(place))
            builder.count(place, SoftBounds(*bounds, self.under, self.over))


def _hard(constraint: Degree | Groups | Cardinality, lower: Any) -> tuple[Any, Any]:
    """Return the bounds of a constraint that nothing can be paid for."""
    least = lower if constraint.under is None else 0
    return least, constraint.upper if constraint.over is None else None
