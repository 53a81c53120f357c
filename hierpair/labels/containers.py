"""Labels as users hold them: lists and dicts, level arrays, indicator matrices, data frames."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints, offsets, row_numbers
from hierpair.hierarchy.building import is_missing, plain_names
from hierpair.labels.coded import Coded, array_of, coded, is_array_like, plain, together
from hierpair.labels.naming import PathNames, check_order

__all__ = [
    "are_levels",
    "collected",
    "frame_columns",
    "frame_matrix",
    "indicator_arrays",
    "indicator_of",
    "is_frame",
    "level_rows",
    "matrix_cells",
    "paths_of",
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


def is_frame(thing: Any) -> bool:
    """Whether a thing is a data frame of any library; Arrow calls columns by ``column_names``."""
    return hasattr(thing, "columns") or hasattr(thing, "column_names")


def frame_columns(frame: Any) -> dict[Any, Any]:
    """Return the columns of a data frame of any library by name."""
    if not is_frame(frame) or not hasattr(frame, "__getitem__"):
        raise BadInput(
            "expected a data frame of pandas, polars, pyarrow or another with named columns, "
            f"got {type(frame).__name__}"
        )
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    twice = first_repeated(names)
    if twice is not None:
        raise BadInput(f"two columns of the frame are called {shown(twice)}")
    return {name: frame[name] for name in names}


def collected(labels: Any, hierarchy: Hierarchy) -> tuple[list[Hashable] | None, Coded]:
    """Split the input into ids (or None) and the labels of every instance.

    An entry is one label or a collection; the labels of a set are taken in the order of classes.
    """
    if isinstance(labels, (str, bytes)):
        raise BadInput(
            f"labels must be one entry per instance, got the single text {shown(labels)}"
        )
    check_order(labels, "labels (one entry per instance)")
    ids = None
    if isinstance(labels, Mapping):
        ids, labels = plain_names(labels), list(labels.values())
    elif hasattr(labels, "to_list") or is_array_like(type(labels)):
        labels = coded(labels)
        nested = any(isinstance(x, (list, set, tuple)) for x in labels.values)
        if labels.pointer is not None or not nested:
            return None, _no_indicator(labels)
    elif not isinstance(labels, Iterable):
        raise BadInput(
            f"labels must be a list with one label or one collection of labels per instance, "
            f"or a dict, got {type(labels).__name__}"
        )
    entries = labels if isinstance(labels, (list, tuple)) else list(labels)
    kinds = set(map(type, entries))
    single = all(issubclass(kind, (str, int, float, type(None))) for kind in kinds)
    if not kinds <= {list, tuple} and not single:
        entries = [_entry(x, hierarchy) for x in entries]
        if any(isinstance(x, (list, tuple)) for x in entries):
            entries = [list(x) if isinstance(x, (list, tuple)) else [x] for x in entries]
    return ids, _no_indicator(coded(entries))


def _entry(entry: Any, hierarchy: Hierarchy) -> Any:
    """Return what an array, a tensor, a series or a set holds of one instance."""
    if isinstance(entry, (set, frozenset)):
        return sorted(entry, key=lambda name: hierarchy.position.get(name, -1))
    return entry.ravel().tolist() if isinstance(entry, np.ndarray) else plain(entry)


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
    if isinstance(labels, tuple) and len(labels) == 2:
        matrix, classes = labels
        array = is_array_like(type(matrix)) and getattr(matrix, "ndim", 0) == 2
        if array or hasattr(matrix, "tocsr") or hasattr(matrix, "columns"):
            return matrix, classes
    if is_frame(labels):
        names = list(frame_columns(labels))
        strange = next((name for name in names if name not in hierarchy), None)
        if names and strange is None:
            return labels, None
        raise BadInput(
            "a data frame given directly must be an indicator, with a class as the name of every "
            f"column, and {shown(strange)} is none; "
            "for ids and labels in columns use LabelSets.from_frame"
        )
    if hasattr(labels, "tocsr"):
        raise BadInput(NO_CLASSES)
    return None


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
    if kind == "b":
        raise BadInput(NO_CLASSES)
    if kind not in "iufc":
        return True
    values = np.unique(labels).tolist()
    if all(is_missing(name) or name in hierarchy for name in values) or _is_path(labels, hierarchy):
        return True
    between = kind == "f" and values[0] >= 0 and values[-1] <= 1 and len(values) > 2
    raise BadInput(NO_LABELS if between else NO_CLASSES)


def _is_path(labels: NDArray[Any], hierarchy: Hierarchy) -> bool:
    """Whether the first row of numbers is a path to a class that is named by its whole path."""
    try:
        paths = level_rows(labels[:1]).values
    except BadInput:
        return False
    return bool(paths) and all(PathNames(hierarchy)(path) is not None for path in paths)


def level_rows(paths: Any, *, each: bool = False) -> Coded:
    """Return the paths of every instance from level arrays, or with ``each`` their classes.

    Two dimensions are one path per instance, three are several; ragged lists will do. The columns
    of a data frame are the levels.
    """
    check_order(paths, "paths (one entry per instance)")
    place = "instance {}".format
    array, columns = None if is_frame(paths) else array_of(paths), []
    if is_frame(paths):
        columns = list(map(coded, frame_columns(paths).values()))
    elif array is not None and array.ndim == 2:
        kinds = set(map(type, array.flat)) if array.dtype == object else set()
        columns = [] if kinds & {list, tuple} else list(map(coded, array.T))
    if columns:
        return paths_of(together(columns), place, each=each)
    entries = list(map(plain, paths)) if array is None else array.tolist()
    for i, entry in enumerate(entries):
        if isinstance(entry, str) or not isinstance(entry, Sequence):
            raise BadInput(
                f"instance {i}: expected a path as a list of names from the top, got {shown(entry)}"
            )
    return paths_of(Coded(np.arange(len(entries)), entries), place, each=each)


def paths_of(rows: Coded, place: Callable[[int], str], *, each: bool = False) -> Coded:
    """Return the paths of rows of levels, one or a list of them, or with ``each`` all classes.

    Blanks (``""``, None, NaN) fill the end of a path; a path of blanks alone is no label.
    """

    def path(names: Sequence[Any], row: int) -> tuple[Any, ...]:
        missing = list(map(is_missing, names))
        n = len(names) - [*missing[::-1], False].index(False)
        if any(missing[:n]):
            spelled = ["" if gap else name for name, gap in zip(names[:n], missing, strict=False)]
            raise BadInput(
                f"{place(row)}: level {missing.index(True) + 1} of the path is blank: "
                f"{shown(spelled)}"
            )
        return tuple(names[:n])

    def paths(entry: Sequence[Any], row: int) -> list[Any]:
        if each:
            return [name for name in entry if not is_missing(name)]
        several: list[Any] = [x for x in entry if isinstance(x, (list, tuple, np.ndarray))]
        if several and len(several) < len(entry):
            raise BadInput(f"{place(row)}: one path, or a list of paths, got {shown(entry)}")
        return [found for names in (several or [entry]) if (found := path(names, row))]

    return rows.spread(rows.each(paths))


def frame_matrix(frame: Any) -> tuple[NDArray[Any], list[Hashable] | None]:
    """Return the values of a data frame and the names of its columns; None where it has none.

    Columns that pandas numbered itself, 0, 1, 2, …, have no names.
    """
    columns = frame_columns(frame)
    arrays = [array_of(column) for column in columns.values()]
    filled = [np.array(list(coded(column))) if array is None or array.dtype == object else array
              for array, column in zip(arrays, columns.values(), strict=True)]  # fmt: skip
    matrix = np.column_stack(filled) if filled else np.zeros((len(frame), 0))
    return matrix, None if list(columns) == list(range(len(columns))) else list(columns)


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
