"""A hierarchy that many tasks need: loaded once per process, from its file or from bytes."""

from __future__ import annotations

import hashlib
import os
import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any

from hierpair.hierarchy import Hierarchy
from hierpair.io import read_hierarchy

__all__ = ["HierarchyBytes", "HierarchyFile", "HierarchySource", "source_of"]

_lock = Lock()
"""Two threads of a process would else load the same hierarchy."""


@dataclass(frozen=True)
class HierarchyFile:
    r"""A hierarchy that every process reads from its file, once.

    Attributes
    ----------
    path
        The file, where every process finds it.
    options
        Keywords of :func:`hierpair.io.read_hierarchy`, as pairs.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "tree.tsv"
    ...     _ = path.write_text("root\ta\nroot\tb\n")
    ...     HierarchyFile(str(path)).load()
    Hierarchy(3 classes, 2 edges, tree)
    """

    path: str
    options: tuple[tuple[str, Any], ...] = ()

    def load(self) -> Hierarchy:
        """Return the hierarchy.

        Raises
        ------
        BadInput
            For a file that is missing or wrong.
        """
        try:
            about = os.stat(self.path)  # noqa: PTH116 - any text
        except (OSError, ValueError):
            stamp = (0, 0)  # the reader says what is wrong
        else:
            stamp = (about.st_mtime_ns, about.st_size)
        with _lock:
            return _read(self.path, self.options, stamp)


@dataclass(frozen=True)
class HierarchyBytes:
    """A hierarchy on its way to other processes; of equal bytes each keeps what it made of them."""

    digest: str
    content: bytes = field(repr=False, compare=False)

    def load(self) -> Hierarchy:
        """Return the hierarchy."""
        with _lock:
            return _unpacked(self)


HierarchySource = Hierarchy | HierarchyFile | HierarchyBytes
"""Where a task has its hierarchy from."""


def source_of(hierarchy: Hierarchy) -> HierarchyBytes:
    """Return what carries a hierarchy to other processes."""
    content = pickle.dumps(hierarchy, protocol=pickle.HIGHEST_PROTOCOL)
    return HierarchyBytes(hashlib.sha256(content).hexdigest(), content)


@lru_cache(maxsize=2)
def _read(path: str, options: tuple[tuple[str, Any], ...], stamp: tuple[int, int]) -> Hierarchy:
    return read_hierarchy(path, **dict(options))


@lru_cache(maxsize=2)
def _unpacked(source: HierarchyBytes) -> Hierarchy:
    made: Hierarchy = pickle.loads(source.content)
    return made
