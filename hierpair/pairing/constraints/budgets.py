"""The constraint on how many pairs there are in a whole data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.pairing.constraints.builder import Builder
from hierpair.pairing.constraints.count_costs import SoftBounds, checked_table
from hierpair.pairing.constraints.values import Table, bounds_of
from hierpair.pairing.constraints.where import freeze
from hierpair.pairing.pairs import Instances, Labels, Side

__all__ = ["Budget", "by_class"]


Groupers = Callable[[Labels], NDArray[np.int64]] | Callable[[Instances], NDArray[np.int64]]


def by_class(labels: Labels) -> NDArray[np.int64]:
    """Group labels by their class: the number of each is its place in ``hierarchy.names``."""
    return labels.classes.astype(np.int64)


@dataclass(frozen=True)
class Budget:
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
    >>> Budget("predicted", upper={"saw": 2}).upper
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
                f"the side of a Budget is 'predicted', 'true' or None, got {shown(self.side)}"
            )
        if self.groups is not None and not callable(self.groups):
            raise BadInput(f"groups of a Budget must be a callable, got {shown(self.groups)}")
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
        hard = (
            lower if self.under is None else 0,
            upper if self.over is None else None,
        )
        place = builder.budget(self.side, np.asarray(groups(things)), *hard, by_class=classes)
        if self.under is not None or self.over is not None:
            bounds = bounds_of(lower, upper, builder.budget_sets(place))
            builder.count(("budget", place), SoftBounds(*bounds, self.under, self.over))
        if self.costs is not None:
            builder.count(("budget", place), self.costs)

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
                    f"a Budget wants at least {least} pairs of the {self.side} class {name!r}, "
                    "which is in no instance"
                )


def _all_together(instances: Instances) -> NDArray[np.int64]:
    return np.zeros(len(instances), dtype=np.int64)
