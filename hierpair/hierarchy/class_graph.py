"""Numbered classes and their edges as arrays, and what is computed once of them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    Shorts,
    ragged_ranges,
    row_numbers,
    sorted_unique,
)

__all__ = ["MOST_KEPT", "ClassGraph", "fingerprint_of", "numbering_of"]

Kept = TypeVar("Kept")

MOST_KEPT = 32
"""Entries of one kind, such as depth weights with different ``w0``; each may be as long as the
classes are many."""


def _kind(key: Any) -> Any:
    """Return what an entry is: the first item of its key."""
    return key[0] if isinstance(key, tuple) and key else key


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassGraph:
    """Classes as numbers, parents before their children, and the edges between them.

    Attributes
    ----------
    names, aliases, titles
        As in :class:`hierpair.Hierarchy`; empty where numbers are all that is needed.
    parent_ptr, parents
        CSR arrays: the parents of class ``c`` are ``parents[parent_ptr[c]:parent_ptr[c + 1]]``.
    child_ptr, children
        The same for children.
    levels
        Longest way from a parentless class, in edges, shape ``(n_classes,)``.
    weights
        Edge weights in the order of ``parents``, or None where every edge counts 1.
    """

    parent_ptr: Ints
    parents: Shorts
    child_ptr: Ints
    children: Shorts
    levels: Shorts
    weights: Floats | None = None
    names: tuple[Hashable, ...] = ()
    aliases: Mapping[Hashable, Hashable] = field(default_factory=dict)
    titles: Mapping[Hashable, str] = field(default_factory=dict)
    cache: dict[Any, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for array in (self.parent_ptr, self.parents, self.child_ptr, self.children, self.levels):
            array.setflags(write=False)
        if self.weights is not None:
            self.weights.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the cache from pickling: it is large and quickly made again."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init} | {"cache": {}}

    def __len__(self) -> int:
        return len(self.levels)

    def cached(self, key: Any, compute: Callable[[], Kept]) -> Kept:
        """Return what was computed under this key, or compute and keep it.

        The oldest of more than ``MOST_KEPT`` entries of one kind is forgotten.
        """
        if key not in self.cache:
            self.keep(key, compute())
        kept: Kept = self.cache[key]
        return kept

    def keep(self, key: Any, thing: object) -> None:
        """Keep what was computed under this key, and forget the oldest of too many of its kind."""
        kind = _kind(key)
        alike = [known for known in self.cache if _kind(known) == kind and known != key]
        if len(alike) >= MOST_KEPT:
            del self.cache[alike[0]]
        self.cache[key] = thing

    @property
    def shape(self) -> str:
        """``"tree"``, ``"forest"`` or ``"DAG"``."""
        many = int(np.diff(self.parent_ptr).max(initial=0)) > 1
        return "DAG" if many else "tree" if len(self.root_indices) == 1 else "forest"

    @cached_property
    def root_indices(self) -> Ints:
        """The numbers of the parentless classes."""
        return np.flatnonzero(np.diff(self.parent_ptr) == 0)

    @cached_property
    def depths(self) -> Shorts:
        """Fewest edges from a parentless class, shape ``(n_classes,)``."""
        depths = np.zeros(len(self), dtype=np.int32)
        for lo, hi, starts, parents in self.downwards():
            depths[lo:hi] = np.minimum.reduceat(depths[parents], starts) + 1
        return depths

    @cached_property
    def heights(self) -> Shorts:
        """Longest way down to a class without children, in edges, shape ``(n_classes,)``."""
        heights = np.zeros(len(self), dtype=np.int32)
        for lo, hi in self.level_ranges()[:0:-1]:  # what is below a level is finished before it
            edges = slice(self.parent_ptr[lo], self.parent_ptr[hi])
            from_child = np.repeat(heights[lo:hi] + 1, np.diff(self.parent_ptr[lo : hi + 1]))
            np.maximum.at(heights, self.parents[edges], from_child)
        return heights

    def level_ranges(self) -> list[tuple[int, int]]:
        """Return the first and the past-the-last class number of every level."""
        bounds = np.flatnonzero(np.diff(self.levels, prepend=-1))
        return list(pairwise([*bounds.tolist(), len(self)]))

    def downwards(self) -> Iterator[tuple[int, int, Ints, Shorts]]:
        """Yield first and past-the-last class of every level but the top, and their parents.

        These are one class's after the other's; the third item says where each begins. All
        parents of a level are finished before it, so that sums can be passed down.
        """
        for lo, hi in self.level_ranges()[1:]:
            first, last = self.parent_ptr[lo], self.parent_ptr[hi]
            yield lo, hi, self.parent_ptr[lo:hi] - first, self.parents[first:last]

    def ancestor_numbers(self, number: int) -> Ints:
        """Return the numbers of the proper ancestors of one class, ascending."""
        return self.reached(number, upwards=True)

    def reached(self, number: int, *, upwards: bool) -> Ints:
        """Return the numbers of all ancestors, or all descendants, of one class, ascending."""
        return np.flatnonzero(self.reaches(np.array([number]), upwards=upwards))

    def reaches(self, classes: Indices, *, upwards: bool) -> Bools:
        """Return whether each class is an ancestor, or a descendant, of one of these."""
        ptr, next_to = self.parent_ptr, self.parents
        if not upwards:
            ptr, next_to = self.child_ptr, self.children
        found = np.zeros(len(self), dtype=bool)
        front = classes
        while len(front):
            near = next_to[ragged_ranges(ptr[front], ptr[front + 1] - ptr[front])]
            front = sorted_unique(near[~found[near]])
            found[front] = True
        return found


VERSION = b"hierpair hierarchy 1"
"""Changes if the same hierarchy would get another digest."""

NAME_BYTES = 16
"""Bytes of the digest of one name."""


def fingerprint_of(
    names: Sequence[Hashable],
    parent_ptr: Ints,
    parents: Shorts,
    weights: Floats | None,
) -> str:
    """Return a digest of names, edges and weights, whatever the order of classes and edges.

    Names that are equal in Python, such as 1 and 1.0, are the same. It is the same in every
    process and on every machine for names that are texts or numbers; of other objects, such as
    tuples of these, the representation counts.
    """
    each = b"".join(hashlib.blake2b(_text(n), digest_size=NAME_BYTES).digest() for n in names)
    of_class = np.frombuffer(each, dtype=">u8").reshape(len(names), -1)
    child = row_numbers(parent_ptr)
    columns = [of_class[parents], of_class[child]]
    if weights is not None:
        columns.append((weights + 0.0).astype(">f8").view(">u8")[:, None])  # -0.0 is 0.0
    digest = hashlib.blake2b(VERSION, digest_size=16)
    for table in (of_class, np.concatenate(columns, axis=1)):
        digest.update(f"{table.shape}".encode())
        digest.update(table[np.lexsort(table.T[::-1])].tobytes())
    return digest.hexdigest()


def numbering_of(names: Sequence[Hashable]) -> str:
    """Return a digest of class names in their order."""
    digest = hashlib.blake2b(digest_size=12)
    for name in names:
        digest.update(repr(name).encode("utf-8", "backslashreplace") + b"\0")
    return digest.hexdigest()


def _text(name: Hashable) -> bytes:
    """Return bytes that are equal where names are, and different where they are not."""
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, str):
        return b"s" + name.encode("utf-8", "surrogatepass")
    if isinstance(name, (bool, int, float)) and math.isfinite(name):
        ratio = name.as_integer_ratio()
        return f"n{ratio[0]}/{ratio[1]}".encode()
    return b"o" + repr(name).encode("utf-8", "backslashreplace")
