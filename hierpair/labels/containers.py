"""Labels as users hold them: lists and dicts, level arrays, indicator matrices, data frames."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import (
    Floats,
    Ints,
    array_of,
    frame_columns,
    is_frame,
    offsets,
    row_numbers,
    values_of,
)
from hierpair.hierarchy.building import is_missing, plain_names
from hierpair.labels.coded import Coded, coded, different, together
from hierpair.labels.naming import LabelRows, PathNames, check_order

__all__ = [
    "check_levels",
    "depth_of",
    "frame_columns",
    "indicator_arrays",
    "indicator_rows",
    "is_frame",
    "label_rows",
    "leaves_of",
    "level_rows",
    "matrix_cells",
    "matrix_of",
    "matrix_rows",
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

SETS, SEVERAL = {set, frozenset}, (list, tuple)
"""What holds the labels of one instance."""


def label_rows(labels: Any, hierarchy: Hierarchy) -> LabelRows:
    """Return labels in any form: indicator, level array, a label or a collection an instance."""
    if is_frame(labels):
        for name in frame_columns(labels):
            if name not in hierarchy:
                raise BadInput(
                    "a data frame given directly must be an indicator, with a class as the name "
                    f"of every column, and {shown(name)} is none; "
                    "for ids and labels in columns use LabelSets.from_frame"
                )
        return indicator_rows(labels, list(frame_columns(labels)))
    matrix, classes = matrix_of(labels)
    if classes is not None:
        return indicator_rows(matrix, classes)
    if hasattr(labels, "tocsr"):
        raise BadInput(NO_CLASSES)
    is_column = hasattr(labels, "to_list") or hasattr(labels, "to_pylist")
    array = None if is_column else array_of(labels)
    if array is not None and array.ndim > 1:
        check_levels(array, hierarchy)
        hint = " (an array of two or three dimensions is read as paths, level by level)"
        return LabelRows.in_memory(level_rows(array), levels=True, hint=hint)
    return _collected(labels if array is None else array, hierarchy)


def _collected(labels: Any, hierarchy: Hierarchy) -> LabelRows:
    """Return the labels of every entry; those of a set are taken in the order of classes."""
    if isinstance(labels, (str, bytes)):
        raise BadInput(
            f"labels must be one entry per instance, got the single text {shown(labels)}"
        )
    check_order(labels, "labels (one entry per instance)")
    if not isinstance(labels, Iterable):
        raise BadInput(
            f"labels must be a list with one label or one collection of labels per instance, "
            f"or a dict, got {type(labels).__name__}"
        )
    ids, given = None, labels
    if isinstance(labels, Mapping):
        ids, given = list(labels), list(labels.values())
    if isinstance(given, (list, tuple)) and {*map(type, given)} & SETS:
        position = hierarchy.position
        given = [sorted(x, key=lambda name: position.get(name, -1)) if type(x) in SETS else x
                 for x in given]  # fmt: skip
    rows = coded(given)
    if rows.pointer is None and any(isinstance(x, SEVERAL) for x in rows.values):
        lists = rows.each(lambda x, _: list(x) if isinstance(x, SEVERAL) else [x])
        rows = rows.spread(lists)
    lengths = np.diff(rows.row_ends)
    numbers = set(map(type, rows.values)) <= {int, float} and set(rows.values) <= {0, 1}
    if numbers and len(lengths) and (lengths == max(3, lengths[0])).all():
        raise BadInput(f"rows of 0 and 1 are no names of classes: {NO_CLASSES}")
    return LabelRows.in_memory(rows, ids)


# ---------------------------------------------------------------- levels


def check_levels(labels: NDArray[Any], hierarchy: Hierarchy) -> None:
    """Refuse an array that is no level array: with names of classes, level by level.

    A matrix of numbers that are no classes is an indicator matrix without its classes.
    """
    if labels.ndim not in (2, 3):
        raise BadInput(
            "a label array has one dimension (single labels), two or three (paths, level by "
            f"level), got shape {labels.shape}"
        )
    kind = labels.dtype.kind
    if kind not in "biufc" or not labels.size:
        return
    values = np.unique(labels).tolist()
    first = labels.reshape(-1, labels.shape[-1])[0].tolist()
    path = tuple(name for name in first if not is_missing(name))
    known = all(is_missing(name) or name in hierarchy for name in values)
    if kind == "b" or not (known or PathNames(hierarchy)(path) is not None):
        between = kind == "f" and values[0] >= 0 and values[-1] <= 1 and len(values) > 2
        raise BadInput(NO_LABELS if between else NO_CLASSES)


def level_rows(paths: Any, *, each: bool = False) -> Coded:
    """Return the paths of every instance from level arrays, or with ``each`` their classes.

    Two dimensions are one path per instance, three are several; ragged lists will do. The columns
    of a data frame are the levels.
    """
    check_order(paths, "paths (one entry per instance)")
    place, columns = "instance {}".format, list[Any]()
    array = None if is_frame(paths) else array_of(paths)
    if is_frame(paths):
        columns = list(frame_columns(paths).values())
    elif array is not None and array.ndim == 2:
        columns = list(array.T)
    levels = list(map(coded, columns))
    if levels and all(level.pointer is None for level in levels):
        return paths_of(together(levels), place, each=each)
    entries = [tuple(x) if isinstance(x, list) else x for x in values_of(paths)]
    for i, entry in enumerate(entries):
        if not isinstance(entry, tuple):
            raise BadInput(
                f"{place(i)}: expected a path as a list of names from the top, got {shown(entry)}"
            )
    return paths_of(different(entries), place, each=each)


def paths_of(rows: Coded, place: Callable[[int], str], *, each: bool = False) -> Coded:
    """Return the paths of rows of levels, one or a list of them, or with ``each`` all classes.

    Blanks (``""``, None, NaN) fill the end of a path; a path of blanks alone is no label.
    """

    def path(names: Sequence[Any], row: int) -> tuple[Any, ...]:
        missing = list(map(is_missing, names))
        while missing and missing[-1]:
            missing.pop()
        if any(missing):
            spelled = ["" if is_missing(name) else name for name in names[: len(missing)]]
            raise BadInput(
                f"{place(row)}: level {missing.index(True) + 1} of the path is blank: "
                f"{shown(spelled)}"
            )
        return tuple(names[: len(missing)])

    def paths(entry: Sequence[Any], row: int) -> list[Any]:
        if each:
            return [name for name in entry if not is_missing(name)]
        several: list[Any] = [x for x in entry if isinstance(x, (list, tuple, np.ndarray))]
        if several and len(several) < len(entry):
            raise BadInput(f"{place(row)}: one path, or a list of paths, got {shown(entry)}")
        return [found for names in (several or [entry]) if (found := path(names, row))]

    return rows.spread(rows.each(paths))


# ---------------------------------------------------------------- matrices


def depth_of(thing: Any) -> int:
    """Return how deep the first entry of an array, a frame or of lists stands."""
    depth = 0
    while isinstance(thing, (list, tuple)) and thing:
        thing, depth = thing[0], depth + 1
    return depth + (2 if is_frame(thing) else len(getattr(thing, "shape", ())))


def matrix_of(thing: Any) -> tuple[Any, Sequence[Hashable] | None]:
    """Return a matrix and the classes of its columns: of a pair ``(matrix, classes)`` or a frame.

    Other things stay as they are, without classes, as do the columns of a frame that pandas
    numbered itself, 0, 1, 2, ….
    """
    if isinstance(thing, tuple) and [*map(depth_of, thing)] == [2, 1]:
        return matrix_of(thing[0])[0], thing[1]
    if not is_frame(thing):
        return thing, None
    columns = frame_columns(thing)
    arrays: list[Any] = [np.zeros((len(thing), 0), dtype=bool)]
    for column in columns.values():
        array = array_of(column)
        typed = array is not None and array.dtype != object
        arrays.append(array if typed else np.array(values_of(column)))
    titles = None if [*columns] == [*range(len(columns))] else [*columns]
    return np.column_stack(arrays), titles


def matrix_cells(matrix: Any) -> tuple[tuple[int, ...], Ints, Ints, Floats]:
    """Return the shape of a matrix, and row, column and value of what is not 0.

    >>> [x.tolist() for x in matrix_cells([[0, 2], [3, 0]])[1:]]
    [[0, 1], [1, 0], [2.0, 3.0]]
    """
    try:
        if hasattr(matrix, "tocsr"):
            csr = scipy.sparse.csr_array(matrix, copy=True)
            csr.sum_duplicates()
            csr.eliminate_zeros()
            row, column, value = row_numbers(csr.indptr), csr.indices.astype(np.int64), csr.data
            return csr.shape, row, column, value.astype(np.float64)
        found = array_of(matrix)
        dense = np.asarray(matrix if found is None else found)
        if dense.dtype.kind not in "biufO":
            raise TypeError
        row, column = np.nonzero(dense)
        return dense.shape, row, column, dense[row, column].astype(np.float64)
    except (TypeError, ValueError):
        raise BadInput("a matrix must hold equally long rows of numbers") from None


def matrix_rows(
    matrix: Any,
    classes: Sequence[Hashable] | None,
    hierarchy: Hierarchy | None = None,
    ids: Sequence[Hashable] | None = None,
) -> LabelRows:
    """Return the columns in which each row of a matrix is not 0 as labels, with what is there.

    Without classes (nor a frame, whose columns are called by classes) the columns are those of the
    hierarchy, or its leaves.
    """
    check_order(classes, "classes (one per column)")
    matrix, titles = matrix_of(matrix)
    classes = titles if classes is None else classes
    shape, row, column, value = matrix_cells(matrix)
    names, say = [], "names of columns are given"
    if classes is not None:
        names = plain_names(classes)
    elif hierarchy is not None:
        names, leaves = list(hierarchy.names), leaves_of(hierarchy)
        say = f"classes ({len(leaves)} leaves) are in the hierarchy"
        if shape[1] == len(leaves):
            names = [names[c] for c in leaves]
    if shape[1] != len(names):
        raise BadInput(
            f"the matrix has shape {shape}, and {len(names)} {say}; "
            "give a row per instance and the class of every column (classes)"
        )
    twice = first_repeated(names)
    if twice is not None:
        raise BadInput(f"two columns of the matrix are called {shown(twice)}")
    rows = Coded(column, names, offsets(np.bincount(row, minlength=shape[0])))
    return LabelRows.in_memory(rows, ids, scores=value)


def indicator_rows(
    matrix: Any,
    classes: Sequence[Hashable] | None,
    hierarchy: Hierarchy | None = None,
    ids: Sequence[Hashable] | None = None,
) -> LabelRows:
    """Return the columns in which each row of a matrix of 0 and 1 is 1 as labels."""
    rows = matrix_rows(matrix, classes, hierarchy, ids)
    value: Any = rows.scores
    for entry in np.flatnonzero(value != 1)[:1].tolist():
        name = rows.coded.values[rows.coded.codes[entry]]
        raise BadInput(
            f"{rows.place(entry)}, column {shown(name)}: an indicator matrix must hold 0 and 1, "
            f"got {value[entry]:g} (scores go into measures of scores; see NodeScores.from_array)"
        )
    return replace(rows, scores=None)


def indicator_arrays(matrix: Any, columns: Sequence[Hashable]) -> tuple[Ints, NDArray[np.integer]]:
    """Return row pointer and column numbers of the ones, checking that all else is 0."""
    found = indicator_rows(matrix, columns).coded
    return found.row_ends, found.codes


def leaves_of(hierarchy: Hierarchy) -> Ints:
    """Return the numbers of the classes without children."""
    return np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
