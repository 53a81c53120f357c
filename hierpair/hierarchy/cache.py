"""What is computed once per hierarchy, bounded: a search over options must not fill the memory."""

from __future__ import annotations

from collections import Counter
from typing import Any

__all__ = ["MOST_KEPT", "BoundedCache"]

MOST_KEPT = 32
"""Entries of one kind, such as depth weights with different ``w0``; each may be as long as the
classes are many."""


class BoundedCache(dict[Any, Any]):
    """A dict that forgets the oldest of more than ``MOST_KEPT`` entries of one kind.

    The kind of an entry is the first item of its key, which says what it is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.count: Counter[Any] = Counter()

    def __setitem__(self, key: Any, value: Any) -> None:
        if key not in self:
            kind = _kind(key)
            self.count[kind] += 1
            if self.count[kind] > MOST_KEPT:
                del self[next(k for k in self if _kind(k) == kind)]
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self.count[_kind(key)] -= 1


def _kind(key: Any) -> Any:
    return key[0] if isinstance(key, tuple) and key else key
