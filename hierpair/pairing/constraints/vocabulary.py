"""Constraints on how many: partners of labels, pairs of groups and instances, their costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Ints
from hierpair.pairing.constraints.builder import Builder
from hierpair.pairing.constraints.numbers import (
    OPEN,
    Table,
    Where,
    bounds_of,
    chosen_labels,
    freeze,
)
from hierpair.pairing.constraints.partition import by_class, groups_of_all, other_side
from hierpair.pairing.constraints.tables import checked_table
from hierpair.pairing.pairs import GroupsOf, Instances, Labels, Side

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "Cardinality",
    "CountCost",
    "Degree",
    "Groups",
    "Quota",
    "Unmatched",
]

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
        lowest = self.lower
        if isinstance(lowest, int) and lowest == AS_MANY_AS_THERE_ARE:
            lowest = builder.others(self.side)
        where = chosen_labels(self.where, builder.labels(self.side))
        builder.count(self.side, lowest, self.upper, under=self.under, over=self.over, where=where)


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
        builder.short(self.side, self.cost, chosen_labels(self.where, builder.labels(self.side)))


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
    groups: Callable[[Labels], Ints] | None = None

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
            builder.count("instance", costs=self.costs)
            return
        labels = builder.labels(self.of)
        of = self.of if self.groups is None else builder.groups(self.of, self.groups(labels))
        builder.count(of, costs=self.costs, where=chosen_labels(self.where, labels))


@dataclass(frozen=True)
class Cardinality:
    """Every instance has at least and at most so many pairs (default classes not counted).

    A bound is a number, an array with one per instance of all that are evaluated together, or a
    callable that takes :class:`Instances` and returns one per instance. Several of them intersect.
    With ``under`` and ``over`` the bounds are soft: every pair too few or too many costs so much.
    """

    lower: int | Callable[[Instances], Ints] = 0
    upper: int | Callable[[Instances], Ints] | None = None
    under: Any = None
    over: Any = None

    def __post_init__(self) -> None:
        freeze(self, "lower", "upper", "under", "over")

    def __call__(self, builder: Builder) -> None:
        """Bound the arc from the sink back to the source."""
        builder.count("instance", self.lower, self.upper, under=self.under, over=self.over)


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
    groups: Callable[[Labels], Ints]
    upper: int | Callable[[GroupsOf], Ints] | None = None
    lower: int | Callable[[GroupsOf], Ints] = 0
    absent: Literal["skip", "error"] = "skip"
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
        where = chosen_labels(self.where, builder.labels(self.side))
        of = builder.groups(self.side, self.groups(labels), partners=partners, where=where)
        builder.count(of, self.lower, self.upper, under=self.under, over=self.over)
        nothing = isinstance(self.lower, int) and self.lower == 0
        if not partners and self.where is None and self.under is None and not nothing:
            self._remark(builder, of.things, labels)

    def _remark(self, builder: Builder, there: Any, labels: Labels) -> None:
        """Say which instances have no label in some group that has a minimum."""
        every = groups_of_all(self.groups, labels)
        none = np.zeros(len(every), dtype=np.int64)
        possible = GroupsOf(labels.hierarchy, self.side, none, every, none)
        least, _ = bounds_of(self.lower, OPEN, possible)
        wanted = every[np.broadcast_to(least > 0, every.shape)]
        found = there.instance[np.isin(there.number, wanted)]
        lacks = np.bincount(found, minlength=len(labels.ptr) - 1) < len(wanted)
        if self.absent == "error":
            text = f"{builder.source}, has a minimum for a group without labels"
        else:
            text = f"the minimum of {builder.source}, asks nothing of groups without labels"
        builder.remark(text, lacks, impossible=self.absent == "error")


Groupers = Callable[[Labels], Ints] | Callable[[Instances], Ints]


@dataclass(frozen=True)
class Quota:
    """All instances together have at least and at most so many pairs; each class, or in all.

    What is said of all instances is solved at once, by :func:`hierpair.pair_data_set`; only the
    total over the data set is determined, so such a rule is no measure of instances. Sets without
    any label or instance have no bound.

    Parameters
    ----------
    side
        Whose classes are counted, ``"predicted"`` or ``"true"``; None: all pairs.
    groups
        Takes :class:`Labels` of the side (:class:`Instances` where there is none) and returns a
        whole number for each, -1 for none: the pairs of all labels with one number are counted
        together. By default each class of the side is counted, or all pairs are.
    lower, upper
        Bounds: a number; an array by class or by the number of the group; a dict by the name of the
        class or by the number of the group (others have none); or a callable that takes
        :class:`SetsOf` and returns one per set. ``upper=None`` is open.
    under, over
        Cost of every pair too few or too many; None: not allowed.
    costs
        What 0, 1, 2 … pairs of a set cost, as for a :class:`CountCost`.

    Examples
    --------
    >>> Quota("predicted", upper={"saw": 2}).upper
    {'saw': 2}
    """

    side: Side | None = None
    groups: Groupers | None = None
    lower: Any = 0
    upper: Any = None
    under: Any = None
    over: Any = None
    costs: Any = None

    spans: ClassVar[str] = "data set"

    def __post_init__(self) -> None:
        if self.side not in (None, "predicted", "true"):
            raise BadInput(
                f"the side of a Quota is 'predicted', 'true' or None, got {shown(self.side)}"
            )
        if self.groups is not None and not callable(self.groups):
            raise BadInput(f"groups of a Quota must be a callable, got {shown(self.groups)}")
        if self.costs is not None:
            object.__setattr__(self, "costs", checked_table(self.costs))
        freeze(self, "lower", "upper", "under", "over")

    def __call__(self, builder: Builder) -> None:
        """Put a node for each set between the source (or the sink) and what is in it."""
        things = builder.pairs.instances if self.side is None else builder.labels(self.side)
        groups: Any = self.groups
        classes = self.side is not None and groups in (None, by_class)
        if groups is None:
            groups = by_class if classes else _all_together
        lower, upper = (self._by_number(x, builder) for x in (self.lower, self.upper))
        if classes and lower is not self.lower:
            self._all_there(builder)
        of = builder.across(self.side, groups(things), by_class=classes)
        builder.count(of, lower, upper, under=self.under, over=self.over, costs=self.costs)

    def _by_number(self, bound: Any, builder: Builder) -> Any:
        """Return a bound by names of classes as one by their numbers."""
        if not isinstance(bound, Table) or bound.names is None or self.side is None:
            return bound
        if self.groups not in (None, by_class):
            return bound
        numbers = builder.pairs.hierarchy.index(bound.names)
        return Table(bound.numbers, tuple(np.asarray(numbers).tolist()))

    def _all_there(self, builder: Builder) -> None:
        """Refuse a minimum for a class by name that no instance has."""
        assert self.side is not None  # as it has classes
        classes = builder.labels(self.side).classes
        for name, least in zip(self.lower.names, self.lower.numbers, strict=True):
            if least != 0 and builder.pairs.hierarchy.index([name])[0] not in classes:
                raise BadInput(
                    f"a Quota wants at least {least} pairs of the {self.side} class {name!r}, "
                    "which is in no instance"
                )


def _all_together(instances: Instances) -> Ints:
    return np.zeros(len(instances), dtype=np.int64)
