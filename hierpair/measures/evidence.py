"""Evidence of a batch: sizes of augmented sets, and costs of pairings, shared by measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure, descendant_closure
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums, sorted_unique
from hierpair.labels import LabelSets
from hierpair.measures.pooling import Counts
from hierpair.network import solve_pairing
from hierpair.pairing import Pairs, Rule, formulate

__all__ = ["AUGMENTATIONS", "Batch", "PairRecipe", "SetRecipe"]

BLOCK_ENTRIES = 4_000_000
"""Entries of augmented sets held at a time."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some instances of one system, with what has been computed for them so far."""

    hierarchy: Hierarchy
    y_true: LabelSets
    y_pred: LabelSets
    weight: NDArray[np.float64] | None = None
    cache: dict[Any, Any] = field(default_factory=dict)

    def pairs(self, threshold: int | None) -> Pairs:
        """Return all pairs of each instance; their distances are computed once."""
        if ("pairs", threshold) not in self.cache:
            made = Pairs.between(self.hierarchy, self.y_true, self.y_pred, threshold)
            self.cache["pairs", threshold] = made
        pairs: Pairs = self.cache["pairs", threshold]
        return pairs

    def counts(self, recipe: SetRecipe | PairRecipe) -> Counts:
        """Return the per-instance counts of a recipe, computed once."""
        if recipe not in self.cache:
            self.cache[recipe] = recipe.compute(self)
        counts: Counts = self.cache[recipe]
        return counts


@dataclass(frozen=True)
class SetRecipe:
    """Sizes of the augmented sets of every instance, or of every class.

    Parameters
    ----------
    augment
        A name in :data:`AUGMENTATIONS`.
    root
        ``"exclude"`` (a single parentless class does not count), ``"include"``, or the name
        of the class that does not count.
    threshold
        Path threshold, or None.
    by_class
        Count per class instead of per instance.
    """

    augment: str = "none"
    root: Any = "include"
    threshold: int | None = None
    by_class: bool = False

    def compute(self, batch: Batch) -> Counts:
        """Augment both sets of every instance and count."""
        n = len(batch.hierarchy)
        uncounted = _uncounted(batch.hierarchy, self.root)
        if self.threshold is not None and self.augment != "ancestors":
            raise BadInput(
                f"a path threshold cuts ancestors; it cannot be used with augment={self.augment!r}"
            )
        if self.threshold is not None and len(uncounted):
            uncounted = np.append(uncounted, n)
        expand, closure = AUGMENTATIONS[self.augment](batch, self.threshold)
        per_class = np.zeros((3, n + 1)) if self.by_class else None
        columns: list[NDArray[np.int64]] = []
        for lo, hi in _blocks(batch, closure):
            row_ptr, column, code = _augmented(batch, closure, lo, hi)
            in_true, in_pred = expand(batch.hierarchy, row_ptr, column, code)
            for c in uncounted:
                counted = column != c
                in_true &= counted
                in_pred &= counted
            masks = (in_true, in_pred, in_true & in_pred)
            if per_class is None:
                columns.append(np.stack([row_sums(m, row_ptr) for m in masks]))
                continue
            weight = None
            if batch.weight is not None:
                weight = batch.weight[lo + row_numbers(row_ptr)]
            for k, mask in enumerate(masks):
                of = None if weight is None else weight[mask]
                per_class[k] += np.bincount(column[mask], of, minlength=n + 1)
        sizes: Any = per_class[:, :n] if per_class is not None else (
            np.concatenate(columns, axis=1) if columns else np.zeros((3, 0), np.int64)
        )  # fmt: skip
        n_classes = n - len(uncounted[uncounted < n])
        return Counts(sizes[0], sizes[1], sizes[2], np.zeros(sizes.shape[1]), n_classes)


@dataclass(frozen=True)
class PairRecipe:
    """Cost of the best pairing of every instance under a rule."""

    rule: Rule
    threshold: int | None = None

    def compute(self, batch: Batch) -> Counts:
        """Solve the pairing problems of the batch."""
        problem = formulate(self.rule, batch.pairs(self.threshold))
        plain = batch.counts(SetRecipe())
        cost = solve_pairing(problem).cost
        return Counts(plain.n_true, plain.n_pred, plain.n_both, cost, plain.n_classes)


# ------------------------------------------------------------------------------ augmentations

Expand = Callable[
    [Hierarchy, NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]],
    tuple[NDArray[np.bool_], NDArray[np.bool_]],
]

TRUE, PREDICTED = 1, 1 << 16
"""A cell of the product of labels and closure: how many labels of each side reach a class."""


def _plain(batch: Batch, threshold: int | None) -> tuple[Expand, Closure | None]:
    return _decode, None


def _ancestors(batch: Batch, threshold: int | None) -> tuple[Expand, Closure | None]:
    used = np.concatenate([batch.y_true.indices, batch.y_pred.indices])
    return _decode, ancestor_closure(batch.hierarchy, used, threshold=threshold)


def _descendants(batch: Batch, threshold: int | None) -> tuple[Expand, Closure | None]:
    used = np.concatenate([batch.y_true.indices, batch.y_pred.indices])
    return _decode, descendant_closure(batch.hierarchy, used)


def _pruned(batch: Batch, threshold: int | None) -> tuple[Expand, Closure | None]:
    return _prune, _ancestors(batch, None)[1]


AUGMENTATIONS: dict[str, Callable[[Batch, int | None], tuple[Expand, Closure | None]]] = {
    "none": _plain,
    "ancestors": _ancestors,
    "descendants": _descendants,
    "pruned": _pruned,
}
"""How label sets grow: not at all; by ancestors (Kosmopoulos et al. 2014, eqs 2–3); by
descendants (Ipeirotis et al. 2001); by ancestors, less what over- and under-specialisation
adds (Cesa-Bianchi et al. 2006; Kosmopoulos et al. 2014, eqs 4–5)."""


def _decode(
    hierarchy: Hierarchy,
    row_ptr: NDArray[np.int64],
    column: NDArray[np.int32],
    code: NDArray[np.int32],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return (code & (PREDICTED - 1)) != 0, code >= PREDICTED


def _prune(
    hierarchy: Hierarchy,
    row_ptr: NDArray[np.int64],
    column: NDArray[np.int32],
    code: NDArray[np.int32],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Drop a class of one side if all its parents are outside the other; the roots stay."""
    in_true, in_pred = _decode(hierarchy, row_ptr, column, code)
    n = len(hierarchy)
    row = row_numbers(row_ptr) * n
    both = in_true & in_pred
    shared = sorted_unique(row[both] + column[both])
    single = np.flatnonzero(~both)
    first = hierarchy.parent_ptr[column[single]]
    count = hierarchy.parent_ptr[column[single] + 1] - first
    parent = np.repeat(row[single], count) + hierarchy.parents[ragged_ranges(first, count)]
    if len(shared):
        at = np.minimum(np.searchsorted(shared, parent), len(shared) - 1)
        found = shared[at] == parent
    else:
        found = np.zeros(len(parent), dtype=bool)
    dropped = single[(count > 0) & (row_sums(found, offsets(count)) == 0)]
    in_true[dropped] = False
    in_pred[dropped] = False
    return in_true, in_pred


def _augmented(
    batch: Batch, closure: Closure | None, lo: int, hi: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return row pointer, class and code of every class in either set of instances lo … hi-1."""
    sides = (batch.y_true, batch.y_pred)
    ptr = [s.indptr[lo : hi + 1] for s in sides]
    labels = np.concatenate([s.indices[p[0] : p[-1]] for s, p in zip(sides, ptr, strict=True)])
    codes = np.repeat(np.array([TRUE, PREDICTED], np.int32), [p[-1] - p[0] for p in ptr])
    rows = np.concatenate([row_numbers(p) for p in ptr])
    width = closure.n_columns if closure is not None else batch.y_true.n_classes
    if closure is None:
        member = sp.csr_array((codes, (rows, labels)), shape=(hi - lo, width))
    else:
        shape = (hi - lo, len(closure.indptr) - 1)
        member = sp.coo_array((codes, (rows, closure.rows(labels))), shape=shape).tocsr()
        member = member @ closure.membership
    return member.indptr.astype(np.int64), member.indices, member.data


def _blocks(batch: Batch, closure: Closure | None) -> list[tuple[int, int]]:
    """Cut the instances so that the augmented sets of a block stay small."""
    n = len(batch.y_true)
    if closure is None or n == 0:
        return [(0, n)] if n else []
    size = np.zeros(n, dtype=np.int64)
    for side in (batch.y_true, batch.y_pred):
        size += row_sums(closure.lengths(side.indices), side.indptr)
    block = np.cumsum(size) // BLOCK_ENTRIES
    cuts = np.flatnonzero(np.diff(block)) + 1
    edges = [0, *cuts.tolist(), n]
    return list(zip(edges[:-1], edges[1:], strict=True))


def _uncounted(hierarchy: Hierarchy, root: Any) -> NDArray[np.int64]:
    """Return the numbers of the classes that stand for "any class" and do not count."""
    if root == "include":
        return np.empty(0, dtype=np.int64)
    if root == "exclude":
        single = len(hierarchy.root_indices) == 1
        return hierarchy.root_indices if single else np.empty(0, dtype=np.int64)
    return hierarchy.index([root]).astype(np.int64)
