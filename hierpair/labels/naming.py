"""From what users write to class numbers: collections of names, and what is no name."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import is_missing, plain_names
from hierpair.labels.coded import all_distinct

__all__ = ["check_ids", "check_order", "collected", "is_missing", "numbers_of", "single_root"]

COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


def check_order(given: object, what: str) -> None:
    """Refuse a set where the order says which entry belongs to which instance or column.

    A set of texts has another order in every run of Python, so the numbers would differ too.
    The keys of a dict count as a set.
    """
    if isinstance(given, Set):
        raise BadInput(
            f"{what} must have an order, and a {type(given).__name__} has none; give a list"
        )


def collected(labels: Any) -> tuple[list[Hashable] | None, list[Sequence[Any]], list[int]]:
    """Split the input into ids (or None) and one sequence of labels per instance.

    The third list names the instances whose labels are a set and so have no order.
    """
    ids, entries = _entries(labels)
    kinds = set(map(type, entries))
    if kinds <= {list, tuple}:
        return ids, entries, []
    if not any(issubclass(kind, COLLECTIONS) for kind in kinds):
        return ids, list(zip(entries, strict=True)), []
    if kinds <= {set, frozenset}:
        return ids, list(map(list, entries)), list(range(len(entries)))
    rows = [x if isinstance(x, (list, tuple)) else _as_collection(x) for x in entries]
    if not any(issubclass(kind, (set, frozenset)) for kind in kinds):
        return ids, rows, []
    return ids, rows, [i for i, x in enumerate(entries) if isinstance(x, (set, frozenset))]


def _entries(labels: Any) -> tuple[list[Hashable] | None, list[Any]]:
    """Return ids (or None) and what is given for every instance."""
    if isinstance(labels, (str, bytes)):
        raise BadInput(
            f"labels must be one entry per instance, got the single text {shown(labels)}"
        )
    check_order(labels, "labels (one entry per instance)")
    if isinstance(labels, Mapping):
        return plain_names(labels), list(labels.values())
    if isinstance(labels, np.ndarray):
        if labels.ndim != 1:
            raise BadInput(
                f"a label array must have one dimension, got shape {labels.shape}; give a list "
                "with one list of class names per instance, or use LabelSets.from_indicator "
                "(instances × classes) or LabelSets.from_levels (paths)"
            )
        return None, labels.tolist()
    if hasattr(labels, "tocsr"):
        raise BadInput("for an indicator matrix use LabelSets.from_indicator, which knows columns")
    if hasattr(labels, "columns"):
        raise BadInput("for a data frame use LabelSets.from_frame, which says what columns mean")
    if not isinstance(labels, Iterable):
        raise BadInput(
            f"labels must be a list with one label or one collection of labels per instance, "
            f"or a dict, got {type(labels).__name__}"
        )
    return None, list(labels)


def _as_collection(entry: Any) -> Sequence[Any]:
    if isinstance(entry, np.ndarray):
        listed: list[Any] = entry.ravel().tolist()
        return listed
    return list(entry) if isinstance(entry, COLLECTIONS) else (entry,)


def numbers_of(flat: list[Any], hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the class number of every label, -1 for an unknown one."""
    get = hierarchy.position.get
    try:
        return np.array([get(label, -1) for label in flat], dtype=np.int64)
    except TypeError:
        nested = next(x for x in flat if not _is_hashable(x))
        raise BadInput(f"a label must be one class name, got {shown(nested)}") from None


def _is_hashable(thing: object) -> bool:
    try:
        hash(thing)
    except TypeError:
        return False
    return True


def single_root(hierarchy: Hierarchy) -> int:
    """Return the number of the only root, which stands in for unknown labels."""
    if len(hierarchy.root_indices) != 1:
        raise BadInput(
            f"unknown='root' needs a single root; this hierarchy has {len(hierarchy.roots)}"
        )
    return int(hierarchy.root_indices[0])


def check_ids(ids: Sequence[Hashable], n: int) -> None:
    """Refuse ids that are not one per instance or not unique."""
    check_order(ids, "ids (one per instance)")
    if len(ids) != n:
        raise BadInput(f"got {counted(len(ids), 'id')} for {counted(n, 'instance')}")
    if not all_distinct(ids):
        seen: set[Hashable] = set()
        twice = next(x for x in ids if x in seen or seen.add(x))  # type: ignore[func-returns-value]
        raise BadInput(f"instance {shown(twice)} stands there twice; every id must be unique")
