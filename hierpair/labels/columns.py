"""Every form of labels as rows: lists, dicts, level arrays, matrices, frames, and tables."""

from __future__ import annotations

import math
from collections.abc import (
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    ValuesView,
)
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from hierpair.errors import (
    BadInput,
    check_several,
    check_unique,
    did_you_mean,
    listed,
    shown,
)
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import (
    Floats,
    Ints,
    array_of,
    frame_columns,
    is_frame,
    keys_as_they_come,
    row_numbers,
    row_pointer,
    values_of,
)
from hierpair.hierarchy.building import Place, in_order, is_missing, plain_names, plain_number
from hierpair.labels.coded import (
    Coded,
    are_texts,
    coded,
    different,
    numbered,
    split_texts,
    stripped,
    together,
)
from hierpair.labels.naming import NO_CLASSES, Ids, LabelRows, check_order, orders_of, refuse

SEVERAL = (list, tuple)
SETS = {set, frozenset}
"""What holds the labels of one instance."""


def label_rows(labels: Any, hierarchy: Hierarchy) -> LabelRows:
    """Return labels in any form: indicator, level array, a label or a collection an instance."""
    matrix, classes = matrix_of(labels)
    if is_frame(labels):
        classes = [*frame_columns(labels)]
        odd = [name for name in classes if name not in hierarchy]
        if odd:
            raise BadInput(
                "a data frame given directly must be an indicator, with a class as the name "
                f"of every column, and {shown(odd[0])} is none; "
                "for ids and labels in columns use LabelSets.from_frame"
            )
    if classes is not None:
        return indicator_rows(matrix, classes)
    if hasattr(labels, "tocsr"):
        raise BadInput(NO_CLASSES)
    is_column = hasattr(labels, "to_list") or hasattr(labels, "to_pylist")
    array = None if is_column else array_of(labels)
    if array is not None and array.ndim > 1:
        hint = "an array of two or three dimensions is read as paths, level by level"
        hint += "" if array.dtype.kind in "OUST" else f"; {NO_CLASSES}"
        return LabelRows.in_memory(level_rows(array), levels=True, hint=f" ({hint})")
    return collected(labels if array is None else array, hierarchy)


def by_id(labels: Any) -> tuple[Ids, Any]:
    """Return ids, if there are any, and what every instance has."""
    return ([*labels], [*labels.values()]) if isinstance(labels, Mapping) else (None, labels)


def collected(labels: Any, hierarchy: Hierarchy) -> LabelRows:
    """Return the labels of every entry; those of a set are taken in the order of classes."""
    check_order(labels, "labels (one entry per instance)")
    said = (
        "labels must be a list with one label or one collection of labels per instance, or a dict"
    )
    check_several(labels, said)
    ids, given = by_id(labels)
    if isinstance(given, (Iterator, ValuesView)):
        given = [*given]
    # all but arrays of Arrow; where these have null, a list is missing, and not empty
    if getattr(given, "null_count", True):
        given = values_of(given)
    if isinstance(given, SEVERAL) and {*map(type, given)} & SETS:
        place = hierarchy.position
        given = [sorted(x, key=lambda name: place.get(name, -1)) if type(x) in SETS else x
                 for x in given]  # fmt: skip
    rows = coded(given)
    if rows.pointer is None and any(isinstance(x, SEVERAL) for x in rows.values):
        rows = rows.spread([list(x) if isinstance(x, SEVERAL) else [x] for x in rows.values])
    return LabelRows.in_memory(rows, ids)


# ---------------------------------------------------------------- levels


def level_rows(paths: Any, *, each: bool = False) -> Coded:
    """Return the paths of every instance from level arrays, or with ``each`` their classes."""
    check_order(paths, "paths (one entry per instance)")
    place = "instance {}".format
    array = array_of(paths)
    if array is not None and array.ndim == 2 and len(array.T):
        return paths_of(together([*map(coded, array.T)]), place, each=each)
    entries = [tuple(x) if isinstance(x, list) else x for x in values_of(paths)]
    for i, entry in enumerate(entries):
        if not isinstance(entry, tuple):
            raise BadInput(
                f"{place(i)}: expected a path as a list of names from the top, got {shown(entry)}"
            )
    return paths_of(different(entries), place, each=each)


def paths_of(rows: Coded, place: Place, *, each: bool) -> Coded:
    """Return the paths of rows of levels, one or a list of them, or with ``each`` all classes."""

    def path(names: Sequence[Any]) -> tuple[Any, ...]:
        filled = [k for k, name in enumerate(names, start=1) if not is_missing(name)]
        return tuple(names[: max(filled, default=0)])

    def paths(entry: Sequence[Any], row: int) -> list[Any]:
        if each:
            return [name for name in entry if not is_missing(name)]
        several: list[Any] = [x for x in entry if isinstance(x, SEVERAL)]
        if several and len(several) < len(entry):
            raise BadInput(f"{place(row)}: one path, or a list of paths, got {shown(entry)}")
        return [found for names in (several or [entry]) if (found := path(names))]

    return rows.spread(rows.each(paths))


# ---------------------------------------------------------------- matrices


def depth_of(thing: Any) -> int:
    """Return how deep the first entry of an array, a frame or of lists stands."""
    depth = 0
    while isinstance(thing, SEVERAL) and thing:
        thing, depth = thing[0], depth + 1
    return depth + (2 if is_frame(thing) else len(getattr(thing, "shape", ())))


def matrix_of(thing: Any, classes: Ids = None) -> tuple[Any, Ids]:
    """Return a matrix and the classes of its columns: as given, of a pair, or of a frame."""
    check_order(classes, "classes (one per column)")
    if isinstance(thing, tuple) and [*map(depth_of, thing)] == [2, 1]:
        return matrix_of(thing[0], thing[1] if classes is None else classes)
    if not is_frame(thing):
        return thing, classes
    titles = [*frame_columns(thing)]
    if titles == [*range(len(titles))]:
        return array_of(thing), classes
    given = titles if classes is None else plain_names(classes)
    if given != titles and sorted(map(str, given)) == sorted(map(str, titles)):
        said = "the columns of the frame have the names of the classes in another order"
        raise BadInput(f"{said} than classes={shown(given, 40)}; give the frame alone")
    return array_of(thing), given


def numbers_in(thing: Any) -> Any:
    """Return a matrix of numbers of any library: of SciPy if it is sparse, otherwise of NumPy."""
    with suppress(TypeError, ValueError):
        found: Any = thing if hasattr(thing, "tocsr") else array_of(thing)
        found = np.asarray(thing) if found is None else found
        found = found.astype(np.float64) if found.dtype == object else found
        if found.ndim == 2 and found.dtype.kind in "biuf":
            return found
    raise BadInput("a matrix must hold equally long rows of numbers")


def usual_columns(n: int, hierarchy: Hierarchy) -> Ints:
    """Return the classes of so many columns that are not named: all leaves, or all classes."""
    leaves = hierarchy.leaf_indices
    return leaves if n == len(leaves) else np.arange(len(hierarchy))


def names_of_columns(matrix: Any, classes: Ids, hierarchy: Hierarchy | None) -> Sequence[Hashable]:
    """Return the classes of the columns of a matrix, as given or as usual."""
    if classes is None and hierarchy is not None:
        usual = usual_columns(matrix.shape[1], hierarchy)
        classes = [hierarchy.names[c] for c in usual.tolist()]
    names = plain_names(() if classes is None else classes)
    if matrix.shape[1] != len(names):
        raise BadInput(
            f"the matrix has shape {matrix.shape}, and there are {len(names)} classes for its "
            "columns; give a row per instance and the class of every column (classes)"
        )
    plain = [name for name in names if isinstance(name, Hashable)]  # a list is no class
    check_unique(plain, lambda name: f"two columns of the matrix are called {shown(name)}")
    return names


def matrix_cells(matrix: Any) -> tuple[Ints, Ints, Floats]:
    """Return what is not 0 of a matrix of numbers: pointer, columns and values of its rows."""
    if hasattr(matrix, "tocsr"):
        csr = scipy.sparse.csr_array(matrix, copy=True)
        csr.sum_duplicates()
        csr.eliminate_zeros()
        return csr.indptr.astype(np.int64), csr.indices.astype(np.int64), csr.data.astype(float)
    row, column = np.nonzero(matrix)
    return row_pointer(row, len(matrix)), column, matrix[row, column].astype(np.float64)


def matrix_rows(
    matrix: Any, classes: Ids, hierarchy: Hierarchy | None = None, ids: Ids = None
) -> LabelRows:
    """Return the columns in which each row of a matrix is not 0 as labels, with what is there."""
    given, classes = matrix_of(matrix, classes)
    numbers = numbers_in(given)
    names = names_of_columns(numbers, classes, hierarchy)
    pointer, column, value = matrix_cells(numbers)
    return LabelRows.in_memory(Coded(column, names, pointer), ids, scores=value)


def indicator_rows(*matrix: Any) -> LabelRows:
    """Return the columns in which each row of a matrix of 0 and 1 is 1, as :func:`matrix_rows`."""
    rows = matrix_rows(*matrix)
    value: Any = rows.scores
    refuse(value != 1, lambda k: (
        f"{rows.place(k)}, column {shown(rows.label(k))}: an indicator matrix must hold 0 and 1, "
        f"got {value[k]:g} (scores go into measures of scores; see NodeScores.from_array)"
    ))  # fmt: skip
    return replace(rows, scores=None)


def dict_rows(labels: Any, ids: Ids = None) -> LabelRows:
    """Return labels with what each has: ``{label: number}`` for every instance, or by id."""
    named, of_each = by_id(labels)
    given = [x for of in of_each for x in of.values()]
    value = np.array(list(map(plain_number, given)), np.float64)
    ids = ids if named is None else named
    rows = LabelRows.in_memory([*map(list, of_each)], ids, scores=value)
    refuse(
        np.isnan(value),
        lambda k: (
            f"{rows.place(k)}, class {shown(rows.label(k))}: expected a number, "
            f"got {shown(given[k], 40)}"
        ),
    )
    return rows


# ---------------------------------------------------------------- tables

ID_NAMES = ("id", "instance", "instance_id")
LABEL_NAMES = ("labels", "label", "classes", "class")
PREDICTED_NAMES = ("prediction", "predictions", "predicted", "pred", "y_pred")
TRUTH_NAMES = (
    "truth gold true y_true target actual reference ground_truth gold_label gold_labels true_label "
    "true_labels"
)
SCORE_NAMES = ("score", "scores")
RANKING_NAMES = ("rank", "confidence", "prob", "probability", "proba", "logit")

NO_SEPARATOR = "\0"
"""The separator of texts that are never taken apart, since files hold no NUL."""


@dataclass(frozen=True)
class Columns:
    """What the columns of a table mean.

    Attributes
    ----------
    ids
        Column of instance ids; None: ``id``, ``instance`` or ``instance_id`` if there is one.
    labels
        One column of labels, or one per level of a path; empty: the only one of ``labels``,
        ``label``, ``classes``, ``class``, ``prediction``, ``predicted``, ``pred``, ``y_pred`` ….
    separator
        Between the labels of a text.
    long
        One row per label; an id may be repeated.
    score, min_score
        With ``long``: column of scores, and the least one that counts.
    where
        Only rows in which these columns have these values: a mapping, or pairs.
    paths
        Between the names of a label that is a path from the top, such as ``"/"`` in
        ``food/cheese/brie``; None: a label is a class.
    highest
        With ``long``: of several scores of a label the highest counts; otherwise they are an
        error.
    each
        With several columns of labels: each holds a label of its own, and they need not be a
        path, as what heads predict level by level; a blank is no label.
    amounts
        With ``long``: scores are amounts of labels, of the truth as well
        (:meth:`hierpair.LabelSets.from_amounts`).
    """

    ids: str | None = None
    labels: tuple[str, ...] = ()
    separator: str = "|"
    long: bool = False
    score: str | None = None
    min_score: float | None = None
    where: Any = ()
    paths: str | None = None
    highest: bool = False
    each: bool = False
    amounts: bool = False

    def __post_init__(self) -> None:
        named: Any = self.labels
        object.__setattr__(self, "labels", (named,) if isinstance(named, str) else tuple(named))
        try:
            where = tuple((name, str(value)) for name, value in dict(self.where).items())
        except (TypeError, ValueError):
            got = shown(self.where)
            raise BadInput(
                f'where must be a mapping such as {{"task": "A"}}, or pairs, got {got}'
            ) from None
        object.__setattr__(self, "where", where)
        least, paths, in_rows = self.min_score, self.paths, self.long or self.paths is not None
        wrong = {
            "the separator of labels must not be empty": not self.separator,
            f"the names of a path need a separator of their own, got {paths!r}; such as / for "
            "food/cheese/brie": paths in ("", self.separator),
            "a lowest score (--min-score) needs one label per row: set long (--long)":
            least is not None and not self.long,
            "amounts of labels need one label per row: set long (--long)":
            self.amounts and not self.long,
            f"the least score must be a finite number, got {least}": not math.isfinite(least or 0),
            "each level is a label only where several columns of labels are named "
            "(--label-column), with one row per instance and without paths":
            self.each and (len(set(self.labels)) < 2 or in_rows),
        }  # fmt: skip
        for said in filter(wrong.get, wrong):
            raise BadInput(said)


def found_column(table: Iterable[str], names: Sequence[str], source: str) -> str | None:
    """Return the only column that is called by one of these names, if there is one."""
    spelled = {str(c).strip().lower(): c for c in table}
    usual = [spelled[n] for n in names if n in spelled]
    if len(usual) > 1:
        raise BadInput(
            f"{source}: which column is meant, {' or '.join(map(repr, usual))}? Name it "
            f"(--label-column, --id-column; for one file alone as in truth:{usual[0]})"
        )
    return usual[0] if usual else None


def column_named(
    titles: Collection[str], name: str | None, usual: Sequence[str], what: str, source: str
) -> str:
    """Return the column of this name, or the only one with a usual name."""
    chosen = name if name is not None else found_column(titles, usual, source)
    if chosen in titles:
        return str(chosen)
    wanted = f"{chosen!r}{did_you_mean(chosen, titles)}" if chosen else " or ".join(usual)
    said = f"there are {listed(titles)}; name the {what} column"
    raise BadInput(f"{source}: there is no column {wanted} ({said})")


def meant(titles: Collection[str], columns: Columns, source: str) -> Columns:
    """Return the columns with the names of those that hold labels and, if there are any, scores."""
    labels = columns.labels or (_label_column(titles, source),)
    for name in labels:
        column_named(titles, name, (), "label", source)
    # among several columns of labels, such as systems, a score may belong to anything
    usual = SCORE_NAMES if columns.long or not columns.labels else ()
    score = columns.score or found_column(titles, usual, source)
    if columns.long and (score or columns.amounts or columns.min_score is not None):
        score = column_named(titles, score, usual, "score", source)
    return replace(columns, labels=labels, score=score)


def _label_column(titles: Collection[str], source: str) -> str:
    """Return the column of labels; beside a prediction a label may be the truth, as a truth is."""
    plain = found_column(titles, LABEL_NAMES, source)
    others = TRUTH_NAMES.split() if plain is None else LABEL_NAMES
    return found_column(titles, (*others, *PREDICTED_NAMES), source) or LABEL_NAMES[0]


def wanted_rows(
    table: Mapping[str, Any], columns: Columns, place: Place, source: str, n: int
) -> tuple[Mapping[str, Any], Place, int]:
    """Return the columns of the rows with the wanted values, where each stands, and how many."""
    keep = np.ones(n, dtype=bool)
    for name, wanted in columns.where:
        known = coded(table[column_named(table, name, (), "where", source)])
        keep &= np.array([str(v) == wanted for v in known.values], dtype=bool)[known.codes]
    if keep.all():
        return table, place, n
    at = np.flatnonzero(keep)
    table = {
        name: (cells if hasattr(cells, "take") else coded(cells)).take(at)
        for name, cells in table.items()
    }
    return table, lambda i, *of: place(int(at[i]), *of), len(at)


def no_row(columns: Columns, source: str) -> str:
    """Say that the wanted values are nowhere."""
    conditions = ", ".join(f"{k}={v}" for k, v in columns.where)
    return f"{source}: no row has {conditions}"


def column_rows(
    table: Mapping[str, Any], columns: Columns, place: Place, *, source: str = "the table",
    as_text: bool = True,
) -> LabelRows:  # fmt: skip
    """Return the labels of a table: column name → values, all equally long.

    ``place`` tells where row ``i`` stands, and ``source`` what the table is called in errors.
    With ``as_text`` whole numbers are taken as their text, as files do.
    """
    told = meant(table, columns, source)
    given = len(table[told.labels[0]])
    table, place, n = wanted_rows(table, columns, place, source, given)
    if given and not n:
        raise BadInput(no_row(columns, source))
    ids: Any = columns.ids if columns.ids is not None else found_column(table, ID_NAMES, source)
    if ids is not None or columns.long:
        ids = ids_in(table[column_named(table, ids, ID_NAMES, "id", source)], place, as_text)
    who = place if ids is None else lambda i: f"{place(i)}, instance {shown(ids[i])}"
    found = replace(cell_rows(table, told, who, as_text), where=lambda i, _: place(i), ids=ids)
    several = len(told.labels) > 1 or str(told.labels[0]).strip().lower() in ("labels", "classes")
    several |= columns.separator == NO_SEPARATOR  # a text is no list of labels
    if ids and as_text and not (columns.long or several) and _looks_long(ids, found.coded):
        for name in [x for x in table if x.strip().lower() in RANKING_NAMES and told.score is None]:
            said = (
                f"ids are repeated, and a column is called {name!r}: do all labels count (--long)"
            )
            mend = f"--where {name}=1, of one file --where RUN:{name}=1, as it is called"
            mend = mend if name == "rank" else f"--score-column {name} --min-score X"
            raise BadInput(f"{source}: {said}, or some of them ({mend})?")
        columns = replace(columns, long=True)
        told = meant(table, columns, source)
        note = f"{source}: ids are repeated, so this was read as one label per row (long)"
        found = replace(found, notes=(note,))
    if columns.long:
        return _gathered(found, None if told.score is None else table[told.score], columns)
    if ids is not None:
        return found
    note = f"{source}: no column {' or '.join(ID_NAMES)}; instances are taken by position"
    beside = {
        f"the column {name!r}": map(_name, values_of(table[name]))
        for name in table if name not in told.labels
    }  # fmt: skip
    return replace(found, notes=(note,), orders=orders_of(beside))


def cell_rows(table: Mapping[str, Any], columns: Columns, place: Place, as_text: bool) -> LabelRows:
    """Return the labels in the columns of these names, of one or of several levels."""
    cells, bare = [table[name] for name in columns.labels], list[int]()
    if len(cells) > 1:
        levels = list(map(coded, cells))
        if as_text:
            levels = [replace(level, values=list(map(_name, level.values))) for level in levels]
        rows = paths_of(together(levels), place, each=columns.each)
    else:
        separator = None if columns.long else columns.separator
        rows, bare = labels_in(cells[0], separator, place, as_text)
    return LabelRows(
        rows, lambda i, _: place(i), levels=len(cells) > 1 and not columns.each, bare=bare,
        unused_scores=columns.score is not None and not columns.long,
    )  # fmt: skip


def _looks_long(ids: Any, rows: Coded) -> bool:
    """Whether rows are one label each, which nobody said: ids come again, each with another one."""
    if (np.diff(rows.row_ends) != 1).any() or len(set(ids)) == len(ids):
        return False
    owner = numbered(ids).codes.astype(np.int64)
    together = np.count_nonzero(np.diff(owner)) == owner.max()
    each_another = len(np.unique(owner * len(rows.values) + rows.codes)) == len(ids)
    return bool(together and each_another)


def no_score(value: Any, place: str) -> BadInput:
    """Return the error of what is no finite score."""
    return BadInput(f"{place}: a score must be a finite number, got {shown(value, 40)}")


def check_scale(low: float, high: float, least: float, place: str) -> None:
    """Refuse a least score between 0 and 1 of scores all beyond, or above 1 of scores up to 1."""
    shares = 0 <= low <= high <= 1
    if (0 < least <= 1 and (high <= 0 or low > 1)) or (least > 1 and shares):
        said = f"scores run from {low:g} to {high:g}, so a least one of {least:g} takes"
        what = "all (per cent?)" if low > 1 else f"none ({'per cent' if shares else 'logarithms'}?)"
        raise BadInput(f"{place}: {said} {what}; choose another least score, or leave it out")


def _gathered(found: LabelRows, scores: Any, columns: Columns) -> LabelRows:
    """Put the rows of one id together, in the order in which ids and labels come."""
    labels, names, place = found.coded, numbered(found.ids or ()), found.where
    ids, row, keeps = names.values, row_numbers(labels.row_ends), columns.highest or columns.amounts
    owner = names.codes[row].astype(np.int64)
    order, value = np.argsort(owner, kind="stable"), None
    if scores is not None:
        known = different(values_of(scores))
        value = np.array(list(map(plain_number, known.values)), np.float64)[known.codes[row]]
        for k in row[~np.isfinite(value)][:1].tolist():
            raise no_score(known.values[known.codes[k]], place(k, 0))
        if not keeps:
            key = owner * max(1, len(labels.values)) + labels.codes
            group, first = keys_as_they_come(key)
            before = first[group]
            refuse(value != value[before], lambda k: (
                f"{found.place(k)}: instance {shown(ids[owner[k]])} has the label "
                f"{shown(found.label(k))} with another score at {found.place(before[k])}"
            ))  # fmt: skip
        if columns.min_score is not None and len(value):
            check_scale(value.min(), value.max(), columns.min_score, place(0, 0))
            order = order[value[order] >= columns.min_score]
    pointer, at = row_pointer(owner[order], len(ids)), row[order]

    def where(i: int, k: int) -> str:
        alone = pointer[i] == pointer[i + 1]
        return f"instance {shown(ids[i])}" if alone else place(at[pointer[i] + k], 0)

    return replace(
        found,
        rows=Coded(labels.codes[order], labels.values, pointer),
        where=where,
        ids=ids,
        bare=(),
        scores=value[order] if value is not None and keeps else None,
        unused_scores=value is not None and columns.min_score is None and not columns.amounts,
    )


def as_amounts(rows: LabelRows, source: str) -> LabelRows:
    """Return rows whose scores are amounts of labels; without scores they are refused."""
    if rows.scores is None:
        raise BadInput(f"{source}: there is no amount beside the labels, such as id, label, score")
    return replace(rows, amounts=True)


# ---------------------------------------------------------------- cells


def _name(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell.strip()
    whole = isinstance(cell, (int, np.integer)) and not isinstance(cell, bool)
    return str(cell) if whole else cell


def labels_in(
    column: Any, separator: str | None, place: Place, as_text: bool
) -> tuple[Coded, list[int]]:
    """Return the labels of every row, and the rows with a blank text."""
    sign = separator or NO_SEPARATOR
    blank, known = split_texts(column, sign)

    def labels(cell: Any) -> list[Any]:
        if isinstance(cell, str):
            return list(map(str.strip, cell.split(sign))) if cell.strip() else []
        if isinstance(cell, (list, tuple, set, frozenset)):
            return list(in_order(cell))
        return [] if is_missing(cell) else [cell]

    def as_name(label: Any, entry: int) -> str:
        name = "" if label is None else _name(label)
        whole = isinstance(name, (float, np.floating)) and name.is_integer()
        if not isinstance(name, str) and not whole:
            where = place(found.row_of(entry)[0])
            raise BadInput(f"{where}: a label must be a name, got {shown(label)}")
        return str(name)

    found = known
    if known.pointer is None:
        lists = map(labels, known.values)
        found = known.spread(lists if are_texts(known.values) else list(lists))  # may be many
        none = np.flatnonzero(np.diff(found.row_ends) == 0).tolist()
        blank = [i for i in none if isinstance(known.values[known.codes[i]], str)]
    if as_text:
        names = stripped(found.values) if are_texts(found.values) else found.each(as_name)
        found = replace(found, values=names)
    return found, blank


def ids_in(column: Any, where: Place, as_text: bool) -> list[Hashable]:
    """Return the ids of all rows, or refuse what is none."""
    names: list[Any] = list(map(_name, values_of(column)) if as_text else values_of(column))
    if set(map(type, names)) <= {str, int} and "" not in names:
        return names
    for i, name in enumerate(names):
        if is_missing(name):
            raise BadInput(f"{where(i)}: the instance id is missing")
        if not isinstance(name, Hashable) or (as_text and not isinstance(name, str)):
            raise BadInput(
                f"{where(i)}: an instance id must be a text or a whole number, "
                f"got {shown(name, 40)}"
            )
    return names
