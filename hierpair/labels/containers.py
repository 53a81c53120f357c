"""Labels as users hold them: lists and dicts, level arrays, indicator matrices, data frames."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints, offsets, row_numbers
from hierpair.hierarchy.building import is_missing, plain_names
from hierpair.labels.coded import Coded, array_of, coded, is_array_like, plain, together
from hierpair.labels.naming import NO_TRUTH, PathNames, check_order, is_truth

__all__ = [
    "FrameColumns",
    "are_levels",
    "class_rows",
    "collected",
    "frame_matrix",
    "indicator_arrays",
    "indicator_of",
    "matrix_cells",
    "path_of",
    "path_rows",
]

NO_CLASSES = (
    "of an indicator matrix (instances × classes) the class of every column must be given: as "
    "the pair (matrix, classes), such as (y, binarizer.classes_), or by a data frame with the "
    "classes as columns, or use LabelSets.from_indicator where columns are in the order of "
    "hierarchy.names"
)

NO_LABELS = (
    "labels are wanted here, and these are numbers between 0 and 1: scores go into measures of "
    "scores (hierpair measures lists them) with a column per leaf or class, or cut them at a "
    "threshold, as by NodeScores.from_array(scores, hierarchy).above(0.5)"
)


class FrameColumns(Mapping[str, Any]):
    """The columns of a data frame of any library, by name: ``frame[name]`` is one."""

    def __init__(self, frame: Any) -> None:
        names = getattr(frame, "column_names", None)  # those of Arrow are no names in ``columns``
        if names is None:
            names = getattr(frame, "columns", None)
        if names is None or not hasattr(frame, "__getitem__"):
            raise BadInput(
                "expected a data frame of pandas, polars, pyarrow or another with named columns, "
                f"got {type(frame).__name__}"
            )
        self.frame, self.names = frame, list(names)
        twice = first_repeated(self.names)
        if twice is not None:
            raise BadInput(f"two columns of the frame are called {shown(twice)}")

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise KeyError(name)
        return self.frame[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def collected(labels: Any, hierarchy: Hierarchy) -> tuple[list[Hashable] | None, Coded]:
    """Split the input into ids (or None) and the labels of every instance."""
    if isinstance(labels, (str, bytes)):
        raise BadInput(
            f"labels must be one entry per instance, got the single text {shown(labels)}"
        )
    check_order(labels, "labels (one entry per instance)")
    if isinstance(labels, Mapping):
        return plain_names(labels), _rows(list(labels.values()), hierarchy)
    if hasattr(labels, "to_list") or is_array_like(type(labels)):
        known = coded(labels)
        if known.pointer is None and any(isinstance(x, (list, set, tuple)) for x in known.values):
            return None, _rows(list(known), hierarchy)
        return None, _no_indicator(known)
    if not isinstance(labels, Iterable):
        raise BadInput(
            f"labels must be a list with one label or one collection of labels per instance, "
            f"or a dict, got {type(labels).__name__}"
        )
    return None, _rows(labels if isinstance(labels, (list, tuple)) else list(labels), hierarchy)


def _rows(entries: Sequence[Any], hierarchy: Hierarchy) -> Coded:
    """Return the labels of every entry, which is one label or a collection of labels.

    A set has no order; its labels are taken in that of the classes.
    """
    kinds = set(map(type, entries))
    plain_kinds = {kind for kind in kinds if issubclass(kind, (str, int, float, type(None)))}
    if not kinds <= {list, tuple} and kinds != plain_kinds:
        number = hierarchy.position.get
        entries = [_entry(x) for x in entries]
        entries = [
            sorted(x, key=lambda name: number(name, -1)) if isinstance(x, (set, frozenset)) else x
            for x in entries
        ]
        if any(isinstance(x, (list, tuple)) for x in entries):
            entries = [list(x) if isinstance(x, (list, tuple)) else [x] for x in entries]
    return _no_indicator(coded(entries))


def _entry(entry: Any) -> Any:
    """Return what an array, a tensor or a series holds of one instance."""
    if is_array_like(type(entry)):
        found = plain(entry)
        array = isinstance(entry, np.ndarray) and entry.ndim > 1
        return entry.ravel().tolist() if array else found
    return entry.to_list() if hasattr(entry, "to_list") else entry


def _no_indicator(rows: Coded) -> Coded:
    """Return the labels; refuse lists of 0 and 1 of one length, which repeat these."""
    lengths = np.diff(rows.row_ends)
    numbers = set(map(type, rows.values)) <= {int, float} and set(rows.values) <= {0, 1}
    if numbers and len(lengths) and (lengths == max(3, lengths[0])).all():
        raise BadInput(f"rows of 0 and 1 are no names of classes: {NO_CLASSES}")
    return rows.lists


def indicator_of(labels: Any, hierarchy: Hierarchy) -> tuple[Any, Sequence[Hashable] | None] | None:
    """Return matrix and classes where labels are an indicator that says its columns, or None.

    That is a pair ``(matrix, classes)``, dense or sparse, or a data frame whose columns are all
    called by classes (None for the classes).
    """
    if isinstance(labels, tuple) and len(labels) == 2 and _is_matrix(labels[0]):
        return labels[0], labels[1]
    if hasattr(labels, "columns") or hasattr(labels, "column_names"):
        names = FrameColumns(labels).names
        strange = [n for n in names if not isinstance(n, Hashable) or n not in hierarchy]
        if names and not strange:
            return labels, None
        raise BadInput(
            "a data frame given directly must be an indicator, with a class as the name of every "
            f"column, and {shown(strange[0] if strange else None)} is none; "
            "for ids and labels in columns use LabelSets.from_frame"
        )
    if hasattr(labels, "tocsr"):
        raise BadInput(NO_CLASSES)
    return None


def _is_matrix(thing: Any) -> bool:
    if hasattr(thing, "tocsr") or hasattr(thing, "columns"):
        return True
    return is_array_like(type(thing)) and getattr(thing, "ndim", 0) == 2


def are_levels(labels: NDArray[Any], hierarchy: Hierarchy) -> bool:
    """Whether an array is a level array: two or three dimensions, and names of classes in them.

    A matrix of numbers that are no classes is an indicator matrix without its classes.
    """
    if labels.ndim == 1:
        return False
    if labels.ndim not in (2, 3):
        raise BadInput(
            "a label array has one dimension (single labels), two or three (paths, level by "
            f"level), got shape {labels.shape}"
        )
    kind = labels.dtype.kind
    if kind == "b" or kind not in "iufc":
        if kind == "b":
            raise BadInput(NO_CLASSES)
        return True
    values = np.unique(labels).tolist()
    if all(is_missing(name) or name in hierarchy for name in values) or _is_path(labels, hierarchy):
        return True
    between = kind == "f" and values[0] >= 0 and values[-1] <= 1 and len(values) > 2
    raise BadInput(NO_LABELS if between else NO_CLASSES)


def _is_path(labels: NDArray[Any], hierarchy: Hierarchy) -> bool:
    """Whether the first row of numbers is a path to a class that is named by its whole path."""
    try:
        paths = path_rows(labels[:1]).values
    except BadInput:
        return False
    return bool(paths) and all(PathNames(hierarchy)(path) is not None for path in paths)


def path_rows(paths: Any) -> Coded:
    """Return the paths of every instance from level arrays.

    Two dimensions are one path per instance, three are several; ragged lists will do. Blanks
    (``""``, None, NaN) fill the end of a path; a path of blanks alone is no label. The columns
    of a data frame are the levels.
    """
    columns = _level_columns(paths)
    if columns:
        rows = together(columns)
        return rows.spread(rows.each(lambda cells, i: _paths(cells, f"instance {i}")))
    return coded([_paths(entry, f"instance {i}") for i, entry in enumerate(_entries(paths))]).lists


def class_rows(paths: Any) -> Coded:
    """Return the classes of every instance from a level array; a blank is no class."""
    rows = [[name for name in entry if not is_missing(name)] for entry in _entries(paths)]
    return coded(rows).lists


def _level_columns(paths: Any) -> list[Coded]:
    """Return the columns of a frame or of an array with a path per row; none of anything else."""
    if hasattr(paths, "columns") or hasattr(paths, "column_names"):
        frame = FrameColumns(paths)
        return [coded(frame[name]) for name in frame]
    array = array_of(paths)
    if array is None or array.ndim != 2:
        return []
    columns = [coded(array[:, k]) for k in range(array.shape[1])]
    nested = any(isinstance(x, (list, tuple)) for column in columns for x in column.values)
    return [] if nested else columns


def _entries(paths: Any) -> list[Any]:
    """Return what a level array holds of every instance."""
    check_order(paths, "paths (one entry per instance)")
    columns = _level_columns(paths)
    if columns:
        return list(together(columns))
    array = array_of(paths)
    entries = [_entry(entry) for entry in paths] if array is None else array.tolist()
    for i, entry in enumerate(entries):
        if isinstance(entry, str) or not isinstance(entry, Sequence):
            raise BadInput(
                f"instance {i}: expected a path as a list of names from the top, got {shown(entry)}"
            )
    return entries


def _paths(entry: Sequence[Any], place: str) -> list[tuple[Any, ...]]:
    """Return the paths of an instance that has one, or a list of them."""
    several = [x for x in entry if isinstance(x, (list, tuple, np.ndarray))]
    if several and len(several) < len(entry):
        raise BadInput(f"{place}: one path, or a list of paths, got {shown(entry)}")
    listed: list[Any] = several or [entry]
    found = [path_of(path, place) for path in listed]
    return [path for path in found if path]


def path_of(path: Sequence[Any], place: str) -> tuple[Any, ...]:
    """Return the names of a path without the blanks at its end; refuse others."""
    if is_truth(tuple(path)):
        raise BadInput(f"{place}: {NO_TRUTH} (got {shown(path)})")
    names = [None if is_missing(name) else name for name in path]
    while names and names[-1] is None:
        names.pop()
    if None in names:
        spelled = ["" if name is None else name for name in names]
        raise BadInput(
            f"{place}: level {names.index(None) + 1} of the path is blank: {shown(spelled)}"
        )
    return tuple(names)


def frame_matrix(frame: Any) -> tuple[NDArray[Any], list[Hashable] | None]:
    """Return the values of a data frame and the names of its columns; None where it has none.

    Columns that pandas numbered itself, 0, 1, 2, …, have no names.
    """
    columns = FrameColumns(frame)
    names: list[Any] = columns.names
    arrays = []
    for name in names:
        array = array_of(columns[name])
        arrays.append(np.array(list(coded(columns[name])))
                      if array is None or array.dtype == object else array)  # fmt: skip
    matrix = np.column_stack(arrays) if arrays else np.zeros((len(frame), 0))
    return matrix, None if names == list(range(len(names))) else names


def matrix_cells(
    matrix: Any, what: str, dtype: Any = None
) -> tuple[tuple[int, ...], Ints, Ints, NDArray[Any]]:
    """Return the shape of a matrix, and row, column and value of what is not 0.

    >>> [x.tolist() for x in matrix_cells([[0, 2], [3, 0]], "a matrix")[1:]]
    [[0, 1], [1, 0], [2, 3]]
    """
    if hasattr(matrix, "tocsr"):
        csr = scipy.sparse.csr_array(matrix, dtype=dtype, copy=True)
        csr.sum_duplicates()
        there = csr.data != 0
        row, column = row_numbers(csr.indptr)[there], csr.indices[there].astype(np.int64)
        return csr.shape, row, column, csr.data[there]
    try:
        found = array_of(matrix)
        dense = np.asarray(matrix if found is None else found, dtype=dtype)
    except (TypeError, ValueError):
        raise BadInput(f"the rows of {what} must be equally long lists of numbers") from None
    if dense.ndim != 2:
        raise BadInput(f"{what} must have two dimensions, got shape {dense.shape}")
    row, column = np.nonzero(dense)
    return dense.shape, row, column, dense[row, column]


def indicator_arrays(
    matrix: Any, columns: Sequence[Hashable], *, named: bool = True
) -> tuple[Ints, Ints]:
    """Return row pointer and column numbers of the ones, checking that all else is 0."""
    what = "an indicator matrix"
    shape, row, column, value = matrix_cells(matrix, what)
    if shape[1] != len(columns):
        order = "names of columns are given" if named else "classes are in the hierarchy"
        raise BadInput(
            f"the indicator matrix has {shape[1]} columns, and {len(columns)} {order}; "
            "give the class of every column (classes)"
        )
    twice = first_repeated(columns)
    if twice is not None:
        raise BadInput(f"two columns of the indicator matrix are called {shown(twice)}")
    if value.dtype.kind not in "biuf":
        raise BadInput(f"{what} must hold 0 and 1, got {value.dtype}")
    for i in np.flatnonzero(value != 1)[:1].tolist():
        raise BadInput(
            f"instance {row[i]}, column {shown(columns[int(column[i])])}: {what} must hold 0 and "
            f"1, got {value[i]} (scores go into measures of scores; see NodeScores.from_array)"
        )
    return offsets(np.bincount(row, minlength=shape[0])), column
