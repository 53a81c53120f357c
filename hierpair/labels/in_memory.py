"""Labels as users hold them: lists and dicts, level arrays, indicator matrices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.building import is_missing, plain_names
from hierpair.hierarchy.interchange import known_frame
from hierpair.labels.naming import check_order

__all__ = [
    "are_levels",
    "class_rows",
    "collected",
    "frame_matrix",
    "indicator_arrays",
    "indicator_of",
    "path_rows",
]

COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


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
        return None, labels.tolist()
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


def indicator_of(labels: Any, hierarchy: Hierarchy) -> tuple[Any, Sequence[Hashable] | None] | None:
    """Return matrix and classes where labels are an indicator that says its columns, or None.

    That is a pair ``(matrix, classes)``, dense or sparse, or a data frame whose columns are all
    called by classes (None for the classes).
    """
    if isinstance(labels, tuple) and len(labels) == 2 and _is_matrix(labels[0]):
        return labels[0], labels[1]
    if hasattr(labels, "columns"):
        names = _column_names(labels)
        strange = [n for n in names if not isinstance(n, Hashable) or n not in hierarchy]
        if names and not strange:
            return labels, None
        raise BadInput(
            "a data frame given directly must be an indicator, with a class as the name of every "
            f"column, and {shown(strange[0] if strange else None)} is none; "
            "for ids and labels in columns use LabelSets.from_frame"
        )
    if hasattr(labels, "tocsr"):
        raise BadInput(_NO_CLASSES)
    return None


_NO_CLASSES = (
    "of an indicator matrix (instances × classes) the class of every column must be given: as "
    "the pair (matrix, classes), such as (y, binarizer.classes_), or by a data frame with the "
    "classes as columns, or use LabelSets.from_indicator where columns are in the order of "
    "hierarchy.names"
)


def _is_matrix(thing: Any) -> bool:
    return hasattr(thing, "tocsr") or (isinstance(thing, np.ndarray) and thing.ndim == 2)


def are_levels(labels: Any, hierarchy: Hierarchy) -> bool:
    """Whether labels are a level array: two or three dimensions, and names of classes in them.

    A matrix of numbers that are no classes is an indicator matrix without its classes.
    """
    if not isinstance(labels, np.ndarray) or labels.ndim == 1:
        return False
    if labels.ndim not in (2, 3):
        raise BadInput(
            "a label array has one dimension (single labels), two or three (paths, level by "
            f"level), got shape {labels.shape}"
        )
    kind = labels.dtype.kind
    if kind in "biufc":
        known = kind != "b" and all(
            is_missing(name) or name in hierarchy for name in np.unique(labels).tolist()
        )
        if not known:
            raise BadInput(_NO_CLASSES)
    return True


def path_rows(paths: Any) -> list[list[tuple[Any, ...]]]:
    """Return the paths of every instance from level arrays.

    Two dimensions are one path per instance, three are several; ragged lists will do. Blanks
    (``""``, None, NaN) fill the end of a path; a path of blanks alone is no label. The columns
    of a data frame are the levels.
    """
    rows: list[list[tuple[Any, ...]]] = []
    for i, entry in enumerate(_level_entries(paths)):
        several = [x for x in entry if isinstance(x, (list, tuple, np.ndarray))]
        if several and len(several) < len(entry):
            raise BadInput(f"instance {i}: one path, or a list of paths, got {shown(entry)}")
        listed: list[Any] = several or [entry]
        trimmed = [_trimmed(path, f"instance {i}") for path in listed]
        rows.append([path for path in trimmed if path])
    return rows


def class_rows(paths: Any) -> list[list[Any]]:
    """Return the classes of every instance from a level array; a blank is no class."""
    return [[name for name in entry if not is_missing(name)] for entry in _level_entries(paths)]


def _level_entries(paths: Any) -> list[Any]:
    """Return what a level array holds of every instance."""
    check_order(paths, "paths (one entry per instance)")
    is_frame = hasattr(paths, "columns")
    entries: list[Any] = list(
        known_frame(paths).rows()
        if is_frame
        else paths.tolist()
        if isinstance(paths, np.ndarray)
        else paths
    )
    for i, entry in enumerate(entries):
        if isinstance(entry, str) or not isinstance(entry, (Sequence, np.ndarray)):
            raise BadInput(
                f"instance {i}: expected a path as a list of names from the top, got {shown(entry)}"
            )
    return entries


def _trimmed(path: Any, place: str) -> tuple[Any, ...]:
    names = [None if is_missing(name) else name for name in path]
    while names and names[-1] is None:
        names.pop()
    if None in names:
        raise BadInput(
            f"{place}: level {names.index(None) + 1} of the path is blank: {shown(names)}"
        )
    return tuple(names)


def frame_matrix(frame: Any) -> tuple[NDArray[Any], list[Hashable] | None]:
    """Return the values of a data frame and the names of its columns; None where it has none.

    Columns that pandas numbered itself, 0, 1, 2, …, have no names.
    """
    names = _column_names(frame)
    numbered = names == list(range(len(names)))
    known = known_frame(frame)
    columns = [np.asarray(known[:, i].to_numpy()) for i in range(len(names))]
    matrix = np.column_stack(columns) if columns else np.zeros((len(known), 0))
    return matrix, None if numbered else names


def _column_names(frame: Any) -> list[Hashable]:
    """Return the names of the columns of a frame; those of Arrow are no names in ``columns``."""
    arrow = type(frame).__module__.startswith("pyarrow")
    return list(frame.column_names if arrow else frame.columns)


def indicator_arrays(
    matrix: Any, columns: Sequence[Hashable], *, named: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row pointer and column numbers of the ones, checking that all else is 0."""
    if hasattr(matrix, "tocsr"):
        import scipy.sparse as sp

        csr = sp.csr_array(matrix)
        if not csr.has_canonical_format:
            csr = csr.copy()  # the caller's matrix stays as it is
            csr.sum_duplicates()
        rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
        column, values, shape = csr.indices.astype(np.int64), csr.data, csr.shape
    else:
        try:
            dense = np.asarray(matrix)
        except ValueError:
            raise BadInput("the rows of an indicator matrix must be equally long") from None
        if dense.ndim != 2:
            raise BadInput(f"an indicator matrix must have two dimensions, got shape {dense.shape}")
        shape = dense.shape
        if dense.dtype.kind not in "biuf":
            raise BadInput(f"an indicator matrix must hold 0 and 1, got {dense.dtype}")
        rows, column = np.nonzero(dense)
        values = dense[rows, column]
    if shape[1] != len(columns):
        order = "names of columns are given" if named else "classes are in the hierarchy"
        raise BadInput(
            f"the indicator matrix has {shape[1]} columns, and {len(columns)} {order}; "
            "give the class of every column (classes)"
        )
    if len(set(columns)) < len(columns):
        twice = first_repeated(columns)
        raise BadInput(f"two columns of the indicator matrix are called {shown(twice)}")
    if values.dtype.kind not in "biuf":
        raise BadInput(f"an indicator matrix must hold 0 and 1, got {values.dtype}")
    odd = np.flatnonzero((values != 1) & (values != 0))
    if len(odd):
        i = int(odd[0])
        raise BadInput(
            f"instance {rows[i]}, column {shown(columns[int(column[i])])}: an indicator matrix "
            f"must hold 0 and 1, got {values[i]} (for scores, choose a threshold first)"
        )
    ones = values == 1
    pointer = offsets(np.bincount(rows[ones], minlength=shape[0]))
    return pointer, column[ones].astype(np.int64)
