"""Evidence of a batch, computed once and shared by measures; sizes of augmented sets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import (
    Closure,
    Hierarchy,
    ancestor_closure,
    descendant_closure,
    excluded_classes,
)
from hierpair.hierarchy.arrays import row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.measures.evidence import ARTIFICIAL, Amounts, SetEvidence
from hierpair.measures.pooling import ClassEntries, Counts
from hierpair.measures.protocols import Recipe
from hierpair.measures.recipes.pruning import prune
from hierpair.pairing import Pairs

__all__ = ["AUGMENTATIONS", "Batch", "SetRecipe", "shown_sets", "shown_sizes"]

BLOCK_ENTRIES = 500_000
"""Entries of augmented sets held at a time."""

MANY_ENTRIES = 20_000
"""An instance with more entries than this,"""

CLASSES_PER_ENTRY = 8
"""and at most so many classes for each of them, is a block of its own: marking its classes is
cheaper than sorting them."""

KEY_BITS = 32
"""Bits of a key of instance, class and side,"""

MOST_CLASS_BITS = 24
"""of which class and side may take so many: with more it would hold fewer than 256 instances, and
keys of 64 bits are used."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some instances of one system, with what has been computed for them so far.

    ``first`` is the place of the first one among all ``n_all`` that are evaluated together, and
    ``on_infeasible`` says what is done with an instance that has no pairing. A batch that is to be
    explained has ``traces``, in which recipes leave how they found what they computed.
    """

    hierarchy: Hierarchy
    y_true: LabelSets
    y_pred: LabelSets
    weight: NDArray[np.float64] | None = None
    cache: dict[Any, Any] = field(default_factory=dict)
    first: int = 0
    n_all: int | None = None
    on_infeasible: Literal["raise", "nan"] = "raise"
    traces: dict[Any, Any] | None = None

    def pairs(self, threshold: int | None) -> Pairs:
        """Return all pairs of each instance; their distances are computed once."""
        if ("pairs", threshold) not in self.cache:
            known = self.first + len(self.y_true) if self.n_all is None else self.n_all
            made = Pairs.between(
                self.hierarchy, self.y_true, self.y_pred, threshold, first=self.first, n_all=known
            )
            self.cache["pairs", threshold] = made
        pairs: Pairs = self.cache["pairs", threshold]
        return pairs

    def counts(self, recipe: Recipe) -> Counts:
        """Return the per-instance counts of a recipe, computed once."""
        if recipe not in self.cache:
            self.cache[recipe] = recipe.compute(self)
            for column in vars(self.cache[recipe]).values():
                if isinstance(column, np.ndarray):
                    column.setflags(write=False)  # measures share them
        counts: Counts = self.cache[recipe]
        return counts

    def trace(self, recipe: Recipe) -> Any:
        """Return what a recipe left for its evidence when it computed this batch."""
        self.counts(recipe)
        return {} if self.traces is None else self.traces[recipe]


@dataclass(frozen=True, eq=False)
class AugmentedSets:
    """The augmented sets of consecutive instances: their classes, and which side has each.

    Instance ``first + i`` has the classes ``column[row_ptr[i]:row_ptr[i + 1]]``.
    """

    first: int
    row_ptr: NDArray[np.int64]
    column: NDArray[np.integer]
    in_true: NDArray[np.bool_]
    in_pred: NDArray[np.bool_]


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

    def per_class(self) -> SetRecipe:
        """Return the recipe that counts per class."""
        return replace(self, by_class=True)

    def class_entries(self, batch: Batch) -> ClassEntries:
        """Return the classes of both augmented sets of every instance."""
        n_classes = len(batch.hierarchy) - len(excluded_classes(batch.hierarchy, self.root))
        no, nobody = np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int32)
        nothing = {"n_true": no, "n_pred": no, "n_both": no}
        parts = [ClassEntries(0, nobody, nobody, nothing, n_classes)]
        for part in self.augmented(batch):
            kept = part.in_true | part.in_pred
            true, predicted = part.in_true[kept], part.in_pred[kept]
            row = row_numbers(part.row_ptr)[kept].astype(np.int32)
            fields = {"n_true": true, "n_pred": predicted, "n_both": true & predicted}
            column = part.column[kept].astype(np.int32)
            parts.append(ClassEntries(len(part.row_ptr) - 1, row, column, fields, n_classes))
        return ClassEntries.joined(parts)

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets of a batch of one."""
        return shown_sets(batch, self)

    def compute(self, batch: Batch) -> Counts:
        """Augment both sets of every instance and count."""
        n = len(batch.hierarchy)
        left_out = excluded_classes(batch.hierarchy, self.root)
        sizes: list[NDArray[np.int64]] = []
        members: list[list[NDArray[np.int64]]] = [[], [], []]
        weights: list[list[NDArray[np.float64]]] = [[], [], []]
        for part in self.augmented(batch):
            masks = (part.in_true, part.in_pred, part.in_true & part.in_pred)
            sizes.append(np.stack([row_sums(m, part.row_ptr) for m in masks]))
            for k, mask in enumerate(masks if self.by_class else ()):
                members[k].append(part.column[mask])
                if batch.weight is not None:
                    weights[k].append(batch.weight[part.first + row_numbers(part.row_ptr)[mask]])
        counts: Any = np.concatenate(sizes, axis=1) if sizes else np.zeros((3, 0), np.int64)
        each = Counts(counts[0], counts[1], counts[2], np.zeros(len(counts[0])), n - len(left_out))
        if not self.by_class:
            return each
        batch.cache.setdefault(replace(self, by_class=False), each)  # the same pass gives both
        classes = [_per_class(members[k], weights[k], n + 1) for k in range(3)]
        return Counts(classes[0], classes[1], classes[2], np.zeros(n + 1), n - len(left_out))

    def augmented(self, batch: Batch) -> Iterator[AugmentedSets]:
        """Augment both sets of every instance, block by block, and leave out what does not count.

        The number of classes stands for the artificial class of a path threshold.
        """
        n = len(batch.hierarchy)
        left_out = excluded_classes(batch.hierarchy, self.root)
        if self.threshold is not None and self.augment != "ancestors":
            raise BadInput(
                f"a path threshold cuts ancestors; it cannot be used with augment={self.augment!r}"
            )
        if self.threshold is not None and self.root != "include":
            left_out = np.append(left_out, n)  # the artificial class is "any class" too
        closure = AUGMENTATIONS[self.augment](batch, self.threshold)
        for lo, hi in _blocks(batch, closure):
            grow = _marked if hi == lo + 1 else _augmented
            row_ptr, column, in_true, in_pred = grow(batch, closure, lo, hi)
            if self.augment == "pruned":
                prune(batch.hierarchy, row_ptr, column, in_true, in_pred, left_out)
            for c in left_out:
                counted = column != c
                in_true &= counted
                in_pred &= counted
            yield AugmentedSets(lo, row_ptr, column, in_true, in_pred)


def shown_sets(
    batch: Batch,
    of_true: SetRecipe,
    of_predicted: SetRecipe | None = None,
    amounts: Amounts | None = None,
    counts: Callable[[SetEvidence], Mapping[str, float]] | None = None,
) -> SetEvidence:
    """Name the classes of both augmented sets of a batch of one.

    Parameters
    ----------
    batch
        One instance.
    of_true, of_predicted
        What the true sets are, and the predicted ones if they are something else.
    amounts
        Numbers of classes.
    counts
        What the recipe counts, from what is shown; by default the sizes of the sets.
    """
    both = of_true, of_predicted or of_true
    numbers = amounts or Amounts("", np.empty(0, np.int64), np.empty(0))
    remarks = numbers.remarks
    if both[1].augment != of_true.augment:
        grown = "as they are" if both[1].augment == "none" else f"with {both[1].augment}"
        remarks = (f"only the true labels have {of_true.augment}; predicted ones are {grown}",
                   *remarks)  # fmt: skip
    true, predicted = _members(batch, *both)
    uncut = [replace(r, augment="ancestors") if r.augment == "pruned" else r for r in both]
    before = np.union1d(*_members(batch, *uncut))
    whole = np.union1d(*_members(batch, *(replace(r, root="include") for r in uncut)))
    names = [*batch.hierarchy.names, ARTIFICIAL]

    def named(classes: NDArray[np.integer]) -> tuple[Hashable, ...]:
        return tuple(names[c] for c in classes.tolist())

    shown = SetEvidence(
        of_true.augment,
        named(np.intersect1d(true, predicted)),
        named(np.setdiff1d(true, predicted)),
        named(np.setdiff1d(predicted, true)),
        named(np.setdiff1d(whole, before)),
        named(np.setdiff1d(before, np.union1d(true, predicted))),
        numbers.word,
        tuple(zip(named(numbers.classes), numbers.numbers.tolist(), strict=True)),
        remarks,
    )
    return replace(shown, counts=tuple((counts or shown_sizes)(shown).items()))


def shown_sizes(shown: SetEvidence) -> dict[str, float]:
    """Return the sizes of the sets that are shown."""
    both = len(shown.shared)
    n_true, n_pred = both + len(shown.only_true), both + len(shown.only_predicted)
    return {"n_true": n_true, "n_pred": n_pred, "n_both": both}


def _members(
    batch: Batch, of_true: SetRecipe, of_predicted: SetRecipe
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes of the true and of the predicted augmented set."""
    none = np.empty(0, dtype=np.int64)
    true = [p.column[p.in_true] for p in of_true.augmented(batch)]
    predicted = [p.column[p.in_pred] for p in of_predicted.augmented(batch)]
    return np.concatenate([none, *true]), np.concatenate([none, *predicted])


def _per_class(
    members: list[NDArray[np.int64]], weights: list[NDArray[np.float64]], width: int
) -> NDArray[Any]:
    """Count, or weigh, how often each class occurs."""
    if not members:
        return np.zeros(width)
    weight = np.concatenate(weights) if weights else None
    return np.bincount(np.concatenate(members), weight, minlength=width)


# ------------------------------------------------------------------------------ augmentations


def _plain(batch: Batch, threshold: int | None) -> None:
    return None


def _ancestors(batch: Batch, threshold: int | None) -> Closure:
    return ancestor_closure(batch.hierarchy, _in_use(batch), threshold=threshold)


def _descendants(batch: Batch, threshold: int | None) -> Closure:
    return descendant_closure(batch.hierarchy, _in_use(batch))


def _in_use(batch: Batch) -> NDArray[np.int32]:
    return np.concatenate([batch.y_true.indices, batch.y_pred.indices])


AUGMENTATIONS: dict[str, Callable[[Batch, int | None], Closure | None]] = {
    "none": _plain,
    "ancestors": _ancestors,
    "descendants": _descendants,
    "pruned": _ancestors,
}
"""How label sets grow: not at all; by ancestors (Kosmopoulos et al. 2014, eqs 2–3); by
descendants (Ipeirotis et al. 2001); by ancestors, less what over- and under-specialisation
adds (Cesa-Bianchi et al. 2006; Kosmopoulos et al. 2014, eqs 4–5)."""


def _augmented(
    batch: Batch, closure: Closure | None, lo: int, hi: int
) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the union of both augmented sets of instances lo … hi-1, and who has each class.

    Every (instance, class, side) becomes one number; sorting them puts what is equal side by
    side, the true set first.
    """
    sides = (batch.y_true, batch.y_pred)
    ptr = [s.indptr[lo : hi + 1] for s in sides]
    labels = np.concatenate([s.indices[p[0] : p[-1]] for s, p in zip(sides, ptr, strict=True)])
    bits, key_type = _key_layout(batch, closure)
    owner = np.concatenate([row_numbers(p) << bits | side for side, p in enumerate(ptr)])
    owner = owner.astype(key_type)
    if closure is None:
        keys = labels.astype(key_type) << 1 | owner
    else:
        rows = closure.pattern[closure.rows(labels)]
        keys = rows.indices.astype(key_type)
        keys <<= 1
        keys |= np.repeat(owner, np.diff(rows.indptr))
    keys.sort()
    cell = keys >> 1
    new = np.ones(len(cell), dtype=bool)
    np.not_equal(cell[1:], cell[:-1], out=new[1:])
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(keys))[: len(first)] - 1
    in_true, in_pred = (keys[first] & 1) == 0, (keys[last] & 1) == 1
    found = cell[first]
    row_ptr = np.searchsorted(found, np.arange(hi - lo + 1, dtype=np.int64) << (bits - 1))
    column = (found & ((1 << (bits - 1)) - 1)).astype(np.int64)
    return row_ptr, column, in_true, in_pred


def _marked(
    batch: Batch, closure: Closure | None, lo: int, hi: int
) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return what :func:`_augmented` does, of one instance, by a mark for every class."""
    width = batch.y_true.n_classes if closure is None else closure.n_columns
    has = np.zeros((2, width), dtype=bool)
    for mark, sets in zip(has, (batch.y_true, batch.y_pred), strict=True):
        for c in sets.indices[sets.indptr[lo] : sets.indptr[hi]].tolist():
            if closure is None:
                mark[c] = True
                continue
            row = c if closure.row_of is None else int(closure.row_of[c])
            grown = closure.indices[closure.indptr[row] : closure.indptr[row + 1]]
            mark[grown if len(grown) < width else slice(None)] = True
    found = has[0] | has[1]
    column = np.flatnonzero(found)
    return np.array([0, len(column)]), column, has[0][found], has[1][found]


def _key_layout(batch: Batch, closure: Closure | None) -> tuple[int, Any]:
    """Return the bits of class and side, and the number type that then holds the row too."""
    width = closure.n_columns if closure is not None else batch.y_true.n_classes
    bits = max(1, int(width - 1).bit_length()) + 1
    return bits, np.uint32 if bits <= MOST_CLASS_BITS else np.int64


def _blocks(batch: Batch, closure: Closure | None) -> list[tuple[int, int]]:
    """Cut the instances so that the augmented sets of a block stay small and fit the keys."""
    n = len(batch.y_true)
    bits, key_type = _key_layout(batch, closure)
    size = batch.y_true.lengths + batch.y_pred.lengths
    if closure is not None:
        size = np.zeros(n, dtype=np.int64)
        for side in (batch.y_true, batch.y_pred):
            size += row_sums(closure.lengths(side.indices), side.indptr)
    many = size > max(MANY_ENTRIES, batch.y_true.n_classes // CLASSES_PER_ENTRY)
    block = np.cumsum(np.where(many, 0, size)) // BLOCK_ENTRIES
    if key_type is np.uint32:
        block = block * n + np.arange(n) // 2 ** (KEY_BITS - bits)
    cuts = np.flatnonzero((np.diff(block) > 0) | many[1:] | many[:-1]) + 1
    edges = [0, *cuts.tolist(), n]
    return list(pairwise(edges)) if n else []
