"""Costs that are 1 less a similarity of two classes: Wu & Palmer, Lin, Resnik."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import (
    Hierarchy,
    ancestor_closure,
    common_ancestor_depths,
    descendant_sums,
    highest_common_ancestors,
)
from hierpair.io.class_tables import class_counts
from hierpair.io.files import file_state
from hierpair.pairing.costs.named_costs import named_cost
from hierpair.pairing.pairs import Pairs

__all__ = ["ByCounts", "Lin", "Resnik", "WuPalmer", "information_content", "shared_content"]


@named_cost("wu_palmer")
@dataclass(frozen=True)
class WuPalmer:
    """1 - similarity of Wu & Palmer (1994): how deep two classes meet, against their own depths.

    The similarity is the largest ``2 D / (up(u, a) + up(v, a) + 2 D)`` over the common ancestors
    a, where D is the number of classes on the way from a up to a parentless class, both included;
    0 without a common ancestor. In a tree a is the lowest common ancestor.

    Parameters
    ----------
    depth
        Where ways up differ in length: ``"min"``, the shortest, or ``"max"``, the longest.
    """

    depth: Literal["min", "max"] = "min"

    def __post_init__(self) -> None:
        if self.depth not in ("min", "max"):
            raise BadInput(f"depth must be 'min' or 'max', got {self.depth!r}")

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return 1 - similarity, in [0, 1]."""
        hierarchy = pairs.hierarchy
        depth = (hierarchy.depths if self.depth == "min" else hierarchy.levels) + 1
        closure = ancestor_closure(hierarchy, pairs.in_use)
        distance: NDArray[np.float64] = 1 - common_ancestor_depths(
            closure, pairs.predicted, pairs.true, depth
        )
        return distance


@dataclass(frozen=True)
class ByCounts:
    """How often classes were seen, in a form that cannot change."""

    counts: Any = None
    smooth: float = 0

    def __post_init__(self) -> None:
        smooth = self.smooth
        if (
            isinstance(smooth, bool)
            or not isinstance(smooth, (int, float))
            or not 0 <= smooth < 1e100
        ):
            raise BadInput(f"smooth must be a finite number ≥ 0, got {shown(smooth)}")
        counts = self.counts
        if isinstance(counts, str):
            file_state(counts)
        elif isinstance(counts, Mapping):
            for name, count in counts.items():
                numeric = isinstance(count, (int, float, np.number)) and not isinstance(count, bool)
                if not numeric or not 0 <= count < 1e100:
                    raise BadInput(
                        f"the count of class {shown(name)} must be a finite number ≥ 0, "
                        f"got {shown(count)}"
                    )
            object.__setattr__(self, "counts", tuple(counts.items()))
        elif counts is not None and not isinstance(counts, tuple):
            raise BadInput(
                f"counts are {{class: count}}, the name of a file, or None, got {shown(counts)}"
            )


@named_cost("lin")
@dataclass(frozen=True)
class Lin(ByCounts):
    """1 - similarity of Lin (1998): ``2 IC(a) / (IC(u) + IC(v))``.

    a is the common ancestor with the largest information content IC(a) = -log p(a), where p(a)
    is the share of all counts that a and its descendants have. A class is like itself (1); a pair
    without a common ancestor is not alike (0); two classes without any information, such as a
    root and its only child, are the same (1).

    Parameters
    ----------
    counts
        How often each class itself was seen: ``{class: count}`` or the name of a file with lines
        ``class TAB count``; classes that are not listed were not seen. None: every leaf once.
    smooth
        Added to the count of every class.
    """

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return 1 - similarity, in [0, 1]."""
        content, shared = shared_content(pairs, self.counts, self.smooth)
        both = content[pairs.predicted] + content[pairs.true]
        similarity = np.where(shared >= 0, 1.0, 0.0)
        np.divide(2 * np.maximum(shared, 0), both, out=similarity, where=both > 0)
        similarity[pairs.predicted == pairs.true] = 1
        return 1 - np.clip(similarity, 0, 1)


@named_cost("resnik")
@dataclass(frozen=True)
class Resnik(ByCounts):
    """1 - similarity of Resnik (1995), as a share of the largest there is: ``IC(a) / max IC``.

    a and IC are those of :class:`Lin`. A class is like itself only as far as it says something:
    a perfect prediction of a class above the most informative ones is not free.

    Parameters
    ----------
    counts, smooth
        As for :class:`Lin`.
    """

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return 1 - similarity, in [0, 1]."""
        content, shared = shared_content(pairs, self.counts, self.smooth)
        largest = float(content[np.isfinite(content)].max(initial=0.0))
        if not largest:
            raise BadInput("no class says more than another: all information contents are 0")
        return 1 - np.clip(shared / largest, 0, 1)


def information_content(hierarchy: Hierarchy, counts: Any, smooth: float) -> NDArray[np.float64]:
    """Return IC = -log(share of all counts at a class and below it), inf where it has none."""
    if counts is None:
        own = (np.diff(hierarchy.child_ptr) == 0).astype(np.float64)
    elif isinstance(counts, str):
        own = class_counts(counts, hierarchy)
    else:
        own = np.zeros(len(hierarchy))
        names, values = zip(*counts, strict=True) if counts else ((), ())
        own[hierarchy.index(names)] = values
    own = own + smooth
    total = own.sum()
    if not total > 0:
        raise BadInput("all counts are 0; information content needs at least one class that is not")
    share = np.minimum(descendant_sums(hierarchy, own) / total, 1)
    content = np.full(len(hierarchy), np.inf)
    np.log(share, out=content, where=share > 0)
    return np.where(share > 0, np.abs(content), np.inf)


def shared_content(
    pairs: Pairs, counts: Any, smooth: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the content of every class, and of each pair's best common ancestor (-1: none)."""
    hierarchy = pairs.hierarchy
    key = ("content", file_state(counts) if isinstance(counts, str) else counts, smooth)
    content = hierarchy.cached(key, lambda: information_content(hierarchy, counts, smooth))
    for classes in (pairs.predicted, pairs.true):
        unseen = np.flatnonzero(np.isinf(content[classes]))
        if len(unseen):
            name = shown(hierarchy.names[classes[unseen[0]]])
            raise BadInput(
                f"class {name} and all below it have the count 0, so its information is infinite; "
                "give it a count, or smooth=1 to all",
                int(pairs.instance[unseen[0]]),
            )
    pair_key = ("shared", *key)
    if pair_key not in pairs.cache:
        closure = ancestor_closure(hierarchy, pairs.in_use)
        best = highest_common_ancestors(closure, pairs.predicted, pairs.true, content)
        pairs.cache[pair_key] = np.where(best >= 0, content[best], -1)
    return content, pairs.cache[pair_key]
