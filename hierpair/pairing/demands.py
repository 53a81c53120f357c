"""The vocabulary: small frozen demands, each with an exact place in a flow network."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.pairing.draft import Draft
from hierpair.pairing.pairs import Labels, Pairs, Side

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "Default",
    "Forbid",
    "MaxDistance",
    "Partners",
    "Require",
    "Total",
    "Within",
    "by_level",
    "by_subtree",
]

AS_MANY_AS_THERE_ARE = -1
"""For ``Partners.at_least``: every label of the other side."""

Where = Callable[[Labels], NDArray[np.bool_]] | tuple[Hashable, ...] | None


@dataclass(frozen=True)
class Partners:
    """Every label of a side has at least and at most so many partners.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    at_least, at_most
        Bounds; ``at_most=None`` is open, ``at_least=AS_MANY_AS_THERE_ARE`` is everybody.
    where
        Only for these labels: a tuple of class names, or a callable that takes
        :class:`Labels` and returns one truth value per label.
    """

    side: Side
    at_least: int = 0
    at_most: int | None = None
    where: Where = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", _listed(self.where))

    def __call__(self, draft: Draft) -> None:
        """Write the bounds on the arc between the source (or the sink) and the label."""
        lowest: Any = self.at_least
        if self.at_least == AS_MANY_AS_THERE_ARE:
            lowest = draft.others(self.side)
        draft.bound(self.side, lowest, self.at_most, _chosen(self.where, draft.labels(self.side)))


@dataclass(frozen=True)
class Default:
    """A label of a side may lack partners at this price each (the default class)."""

    side: Side
    price: Any
    where: Where = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", _listed(self.where))
        if isinstance(self.price, np.ndarray) and self.price.ndim == 0:
            object.__setattr__(self, "price", self.price.item())

    def __call__(self, draft: Draft) -> None:
        """Open the arc to the default class of the other side."""
        draft.allow_missing(self.side, self.price, _chosen(self.where, draft.labels(self.side)))


@dataclass(frozen=True)
class Forbid:
    """Pairs for which the vectorised predicate is true may not be chosen."""

    when: Callable[[Pairs], NDArray[np.bool_]]

    def __post_init__(self) -> None:
        if not callable(self.when):
            raise BadInput(f"forbid by a callable on pairs, got {shown(self.when)}")

    def __call__(self, draft: Draft) -> None:
        """Leave the arcs out."""
        draft.forbid(self.when(draft.pairs))


@dataclass(frozen=True)
class Require:
    """Pairs for which the predicate is true, or that are listed, must be chosen.

    ``pairs`` is a callable on :class:`Pairs`, or a tuple of ``(predicted, true)`` names, which
    binds wherever an instance has both labels.
    """

    pairs: Callable[[Pairs], NDArray[np.bool_]] | tuple[tuple[Hashable, Hashable], ...]

    def __post_init__(self) -> None:
        if callable(self.pairs):
            return
        listed = _listed(self.pairs)
        good = isinstance(listed, tuple) and all(
            isinstance(p, (tuple, list)) and len(p) == 2 for p in listed
        )
        if not good:
            raise BadInput(f"require (predicted, true) pairs of names, got {shown(self.pairs)}")
        object.__setattr__(self, "pairs", tuple(map(tuple, self.pairs)))

    def __call__(self, draft: Draft) -> None:
        """Put a lower bound of 1 on the arcs."""
        if callable(self.pairs):
            draft.require(self.pairs(draft.pairs))
            return
        mask = np.zeros(len(draft.pairs.instance), dtype=bool)
        for predicted, true in self.pairs:
            p, t = draft.pairs.hierarchy.index([predicted, true])
            mask |= (draft.pairs.predicted == p) & (draft.pairs.true == t)
        draft.require(mask)


@dataclass(frozen=True)
class MaxDistance:
    """Classes more than ``limit`` edges apart may not be paired."""

    limit: float

    def __call__(self, draft: Draft) -> None:
        """Leave the arcs out."""
        if not isinstance(self.limit, (int, float)) or not self.limit >= 0:
            raise BadInput(f"a largest distance must be a number ≥ 0, got {self.limit!r}")
        draft.forbid(draft.pairs.distance > self.limit)


@dataclass(frozen=True)
class Total:
    """Every instance has at least and at most so many pairs (default classes not counted)."""

    at_least: int = 0
    at_most: int | None = None

    def __call__(self, draft: Draft) -> None:
        """Bound the arc from the sink back to the source."""
        draft.total(self.at_least, self.at_most)


@dataclass(frozen=True)
class Within:
    """Each group of labels of a side has at most so many pairs, its labels taken together.

    ``groups`` takes :class:`Labels` and returns one whole number per label, -1 for no group;
    several ``Within`` of a side must be nested, outer groups first.
    """

    side: Side
    groups: Callable[[Labels], NDArray[np.int64]]
    at_most: int
    at_least: int = 0

    def __post_init__(self) -> None:
        if not callable(self.groups):
            raise BadInput(f"groups must be a callable on labels, got {shown(self.groups)}")

    def __call__(self, draft: Draft) -> None:
        """Put a node between the source (or the sink) and the labels of a group."""
        group = np.asarray(self.groups(draft.labels(self.side)))
        if group.dtype.kind not in "iu":
            raise BadInput(f"groups must be whole numbers, got {group.dtype}")
        draft.within(self.side, group, self.at_most, self.at_least)


def by_level(labels: Labels) -> NDArray[np.int64]:
    """Group labels by their depth (fewest edges from a parentless class)."""
    return labels.hierarchy.depths[labels.classes].astype(np.int64)


@dataclass(frozen=True)
class by_subtree:  # noqa: N801 - used like the function by_level
    """Group labels by their ancestor at a depth; labels above it are in no group.

    Raises ``BadInput`` where a class has several ancestors at that depth (in a DAG).
    """

    depth: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.depth, int) or self.depth < 0:
            raise BadInput(
                f"by_subtree takes a depth, a whole number ≥ 0, got {shown(self.depth, 40)}; "
                "write by_subtree(1)"
            )

    def __call__(self, labels: Labels) -> NDArray[np.int64]:
        """Return the number of that ancestor, or -1."""
        from hierpair.hierarchy import ancestor_closure

        closure = ancestor_closure(labels.hierarchy, labels.classes)
        used, place = np.unique(labels.classes, return_inverse=True)
        top = np.full(len(used), -1, dtype=np.int64)
        for i, row in enumerate(closure.rows(used)):
            above = closure.indices[closure.indptr[row] : closure.indptr[row + 1]]
            at = above[labels.hierarchy.depths[above] == self.depth]
            if len(at) > 1:
                name = labels.hierarchy.names[used[i]]
                raise BadInput(
                    f"class {name!r} lies in {len(at)} subtrees at depth {self.depth}; "
                    "by_subtree needs a tree, or a grouping of your own"
                )
            if len(at):
                top[i] = at[0]
        return top[place]


def _listed(where: Any) -> Any:
    """Return a list of names as a tuple; refuse a single text, whose letters are not meant."""
    if where is None or callable(where):
        return where
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise BadInput(f"give several names as a tuple, got {shown(where)}")
    return tuple(where)


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
