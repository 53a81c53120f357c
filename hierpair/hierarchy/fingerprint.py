"""Digests of a hierarchy: of what it says in any order, and of the order of its classes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Sequence

import numpy as np

from hierpair.hierarchy.arrays import Floats, Ints, Shorts, row_numbers

__all__ = ["fingerprint_of", "numbering_of"]

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
