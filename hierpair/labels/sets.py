"""Label sets of many instances, from names in every form that they come in."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, ancestors_of, takes_hierarchy
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    Ragged,
    Shorts,
    frame_columns,
    marked,
    places_in,
    row_numbers,
    row_pointer,
    sorted_unique,
    sparse_rows,
    taken,
)
from hierpair.hierarchy.building import plain_names
from hierpair.labels.columns import (
    ID_NAMES,
    Columns,
    as_amounts,
    by_id,
    column_rows,
    dict_rows,
    found_column,
    indicator_rows,
    label_rows,
    level_rows,
    matrix_rows,
)
from hierpair.labels.naming import (
    AsWritten,
    Faults,
    Ids,
    LabelRows,
    Missing,
    Named,
    Orders,
    Unknown,
    check_order,
    check_position,
    checked_ids,
    order_of_index,
    refuse,
    resolve_rows,
)


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets(Ragged):
    """One set of classes per instance.

    Build one with :meth:`from_labels` (names), :meth:`from_arrays` (class numbers),
    :meth:`from_indicator`, :meth:`from_levels`, :meth:`from_frame`, or a reader.

    Attributes
    ----------
    indptr, indices
        CSR arrays: instance ``i`` has the classes ``indices[indptr[i]:indptr[i + 1]]``,
        ascending and distinct.
    n_classes
        Number of classes of the hierarchy.
    ids
        Instance ids, or None where instances are known by their position.
    n_unknown
        Number of labels outside the hierarchy that were dropped or replaced on request.
    numbering
        Whose class numbers these are (:attr:`Hierarchy.numbering`), or None if built from numbers.
    as_written
        The labels as they came, where their order, paths or blanks say more than the sets.
    unused_scores
        Whether the labels came with scores that none of them was chosen by.
    ignored
        Of a truth: the classes that do not count, instance by instance, or None
        (:meth:`ignoring`).
    amounts
        How much there is of every label (:meth:`from_amounts`), or None: measures of amounts then
        take all labels of a set alike.
    orders
        Of instances without ids what else may tell which they are, such as an index.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> sets = LabelSets.from_labels([["a", "b"], "a", []], tree)
    >>> len(sets), sets.names_of(0, tree)
    (3, ['a', 'b'])
    """

    indptr: Ints
    indices: Shorts
    n_classes: int
    ids: Named = None
    n_unknown: int = 0
    numbering: str | None = None
    as_written: AsWritten | None = None
    unused_scores: bool = False
    ignored: LabelSets | None = None
    amounts: Floats | None = None
    orders: Orders = field(default_factory=dict)

    per_entry: ClassVar[tuple[str, ...]] = ("indices", "amounts")

    def __post_init__(self) -> None:
        self.indptr.setflags(write=False)
        self.indices.setflags(write=False)

    @classmethod
    @takes_hierarchy
    def from_labels(
        cls, labels: LabelSets | Mapping[Hashable, Any] | Iterable[Any], hierarchy: Hierarchy, *,
        unknown: Unknown = "error", source: str | None = None,
    ) -> LabelSets:  # fmt: skip
        """Build from names: a list with one label or one collection per instance, or a dict.

        Parameters
        ----------
        labels
            ``[["a", "b"], "c", []]``, a 1-D array of single labels, or ``{id: labels}``.
            A string is one label, never a sequence of characters. The labels of one instance may
            be a set; the instances may not, since a set has no order. What can be read only once,
            such as a generator, will do, and so will arrays of Arrow, tensors, series and
            categories. An array of two or three dimensions is read level by
            level, as by :meth:`from_levels`; an indicator matrix comes with its classes, as a pair
            ``(matrix, classes)``, dense or sparse, or as a data frame whose columns are classes.
        hierarchy
            The classes.
        unknown
            What to do with a label outside the hierarchy: ``"error"``, ``"drop"`` it, or take
            the ``"root"`` instead; the count is kept in ``n_unknown``.
        source
            What the labels are called in errors, such as ``"y_true"`` or a system's name.

        Raises
        ------
        BadInput
            For a missing label (None, NaN, empty text), an unknown one, repeated ids, a set of
            instances, or an indicator matrix without its classes.

        Examples
        --------
        >>> import numpy as np
        >>> tree = Hierarchy.from_edges([("pet", "cat"), ("pet", "dog"), ("cat", "persian")])
        >>> forms = [
        ...     [["dog"], ["persian", "dog"]],
        ...     (np.array([[1, 0], [1, 1]]), ["dog", "persian"]),
        ... ]
        >>> [LabelSets.from_labels(form, tree).names_of(1, tree) for form in forms]
        [['dog', 'persian'], ['dog', 'persian']]
        >>> levels = np.array([["pet", "dog", ""], ["pet", "cat", "persian"]])
        >>> LabelSets.from_labels(levels, tree).names_of(1, tree)
        ['persian']
        """
        if isinstance(labels, LabelSets):
            foreign = labels.numbering not in (None, hierarchy.numbering)
            if foreign or labels.n_classes != len(hierarchy):
                raise BadInput("these label sets belong to another hierarchy")
            return labels
        try:
            if getattr(labels, "instead_of_labels", ""):
                raise BadInput(labels.instead_of_labels)  # type: ignore[union-attr]
            rows = replace(label_rows(labels, hierarchy), orders=order_of_index(labels))
            return cls.from_rows(rows, hierarchy, unknown=unknown)
        except BadInput as error:
            raise BadInput(f"{source}: {error}" if source else str(error)) from None

    @classmethod
    @takes_hierarchy
    def from_rows(
        cls, rows: LabelRows, hierarchy: Hierarchy, *, unknown: Unknown = "error",
        faults: Faults | None = None,
    ) -> LabelSets:  # fmt: skip
        """Build from what a file or a frame says (see :class:`LabelRows`).

        With ``faults`` nothing is refused: it is called with every
        :class:`~hierpair.labels.LabelFault`, and what is at fault is left out.
        """
        found, kept, n_unknown = resolve_rows(rows, hierarchy, unknown, faults=faults)
        sets = cls.from_arrays(found.indptr, found.indices, len(hierarchy))
        tells_more = found.node_ptr is not None or found.n_blank is not None
        if rows.amounts:
            sets = _with_amounts(sets, found, rows, kept)
        return replace(
            sets,
            ids=None if rows.ids is None else tuple(plain_names(rows.ids)),
            n_unknown=n_unknown,
            numbering=hierarchy.numbering,
            as_written=found if tells_more else sets.as_written,
            unused_scores=rows.unused_scores,
            orders=rows.orders,
        )

    @classmethod
    @takes_hierarchy
    def from_levels(
        cls, paths: Any, hierarchy: Hierarchy, *, ids: Ids = None, unknown: Unknown = "error",
        each: bool = False,
    ) -> LabelSets:  # fmt: skip
        """Build from level arrays: paths from the top, padded with blanks at the end.

        Parameters
        ----------
        paths
            Shape ``(n_instances, n_levels)``, or ``(n_instances, n_labels, n_levels)`` for
            several labels; ragged lists will do, and so will a data frame with a column for every
            level. The label is the class at the end of a path.
        hierarchy
            The classes; where it names classes by their paths, ``("a", "b")`` is ``"a/b"``.
        ids, unknown
            As for :meth:`from_labels`.
        each
            The class of every level is a label, and they need not be a path: what heads predict
            level by level, for measures of paths. A blank anywhere is no class.

        Raises
        ------
        BadInput
            Without ``each`` for a class on a path that is not a child of the one before it, or a
            blank before the end.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("animal", "cat"), ("animal", "dog"), ("cat", "lion")])
        >>> sets = LabelSets.from_levels([["animal", "dog", ""], ["animal", "cat", "lion"]], tree)
        >>> sets.names_of(0, tree), sets.names_of(1, tree)
        (['dog'], ['lion'])
        >>> LabelSets.from_levels([["animal", "dog", "lion"]], tree, each=True).names_of(0, tree)
        ['animal', 'dog', 'lion']
        """
        rows = LabelRows.in_memory(level_rows(paths, each=each), ids, levels=not each)
        return cls.from_rows(rows, hierarchy, unknown=unknown)

    @classmethod
    @takes_hierarchy
    def from_indicator(
        cls, matrix: Any, hierarchy: Hierarchy, *, classes: Ids = None, ids: Ids = None,
        unknown: Unknown = "error",
    ) -> LabelSets:  # fmt: skip
        """Build from an indicator matrix: a row per instance, a column per class, 0 and 1.

        Parameters
        ----------
        matrix
            Array-like, scipy sparse, or a data frame, shape ``(n_instances, n_columns)``.
        hierarchy
            The classes.
        classes
            Class of every column, such as ``binarizer.classes_``; by default the names of the
            columns of a data frame, and otherwise the columns are in the order of
            ``hierarchy.names``: all classes, or the leaves alone.
        ids, unknown
            As for :meth:`from_labels`.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
        >>> sets = LabelSets.from_indicator([[1, 1], [0, 0]], tree, classes=["b", "a"])
        >>> sets.names_of(0, tree), sets.names_of(1, tree)
        (['a', 'b'], [])
        """
        rows = indicator_rows(matrix, classes, hierarchy, ids)
        return cls.from_rows(rows, hierarchy, unknown=unknown)

    @classmethod
    @takes_hierarchy
    def from_amounts(
        cls, amounts: Any, hierarchy: Hierarchy, *, classes: Ids = None, ids: Ids = None,
        unknown: Unknown = "error",
    ) -> LabelSets:  # fmt: skip
        """Build from amounts of classes, such as the abundance of taxa in samples.

        Measures of amounts (:func:`weighted_unifrac <hierpair.metrics.weighted_unifrac_loss>`
        and its kin) take them as shares of their sum; for other measures a class with an amount
        is a label.

        Parameters
        ----------
        amounts
            ``{id: {class: amount}}``, a list of ``{class: amount}``, or a matrix or data frame with
            a row per instance and a column per class. Amounts are numbers ≥ 0; those of one class
            add up, and a class with 0 is no label.
        hierarchy
            The classes.
        classes, ids
            The class of every column of a matrix, and instance ids, as for :meth:`from_indicator`.
        unknown
            As for :meth:`from_labels`.

        Raises
        ------
        BadInput
            For an amount that is no number ≥ 0, and as :meth:`from_labels`.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
        >>> sets = LabelSets.from_amounts({"sample 1": {"a": 30, "b": 10}}, tree)
        >>> sets.names_of(0, tree), sets.amounts.tolist()
        (['a', 'b'], [30.0, 10.0])
        """
        given = by_id(amounts)[1]
        if isinstance(given, (list, tuple)) and all(isinstance(x, Mapping) for x in given):
            rows = dict_rows(amounts, ids)
        else:
            rows = matrix_rows(amounts, classes, hierarchy, ids)
        return cls.from_rows(replace(rows, amounts=True), hierarchy, unknown=unknown)

    @classmethod
    @takes_hierarchy
    def from_frame(
        cls, frame: Any, hierarchy: Hierarchy, *, ids: str | None = None,
        labels: str | Sequence[str] | None = None, separator: str = "|", long: bool = False,
        score: str | None = None, min_score: float | None = None, unknown: Unknown = "error",
        amounts: bool = False,
    ) -> LabelSets:  # fmt: skip
        """Build from a data frame of pandas, polars, pyarrow or another with named columns.

        Parameters
        ----------
        frame
            One row per instance, or with ``long`` one row per label.
        hierarchy
            The classes.
        ids
            Column of instance ids; by default ``id``, ``instance`` or ``instance_id`` if there is
            one, otherwise instances are known by their position.
        labels
            Column of labels: lists, or texts joined by ``separator``; a blank is an empty set.
            Several columns are the levels of one path. By default ``labels``, ``label``,
            ``classes`` or ``class``.
        separator
            Between the labels of a text.
        long
            One row per label; an id may be repeated.
        score, min_score
            With ``long``: the column of scores, and the least score that counts.
        unknown
            As for :meth:`from_labels`.
        amounts
            With ``long``: scores are amounts of labels (:meth:`from_amounts`).

        Examples
        --------
        >>> import pandas as pd
        >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
        >>> frame = pd.DataFrame({"id": ["x", "y"], "labels": ["a|b", None]})
        >>> sets = LabelSets.from_frame(frame, tree)
        >>> sets.ids, sets.names_of(0, tree), sets.names_of(1, tree)
        (('x', 'y'), ['a', 'b'], [])
        """
        named: Any = labels or ()
        columns = Columns(ids, named, separator, long, score, min_score, amounts=amounts)
        table = frame_columns(frame)
        rows = column_rows(table, columns, "row {}".format, source="the frame", as_text=False)
        rows = as_amounts(rows, "the frame") if amounts else rows
        rows = replace(rows, orders=rows.orders or order_of_index(frame))
        return cls.from_rows(rows, hierarchy, unknown=unknown)

    @classmethod
    @takes_hierarchy
    def from_columns(
        cls, frame: Any, hierarchy: Hierarchy, *, columns: Sequence[str] | None = None,
        ids: str | None = None, separator: str = "|", unknown: Unknown = "error",
    ) -> dict[str, LabelSets]:  # fmt: skip
        """Build the label sets of truth and systems that are columns of one data frame.

        Parameters
        ----------
        frame
            One row per instance, one column of labels for the truth and for every system.
        hierarchy
            The classes.
        columns
            The columns of labels; by default all but the ids.
        ids, separator, unknown
            As for :meth:`from_frame`.

        Returns
        -------
        dict of str to LabelSets
            By column.

        Examples
        --------
        >>> import pandas as pd
        >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
        >>> frame = pd.DataFrame({"id": ["x", "y"], "gold": ["a", "b"], "bert": ["a", "a|b"]})
        >>> sets = LabelSets.from_columns(frame, tree)
        >>> list(sets), sets["bert"].names_of(1, tree)
        (['gold', 'bert'], ['a', 'b'])
        """
        check_order(columns, "columns")
        if columns is None:
            table = frame_columns(frame)
            key = ids if ids is not None else found_column(table, ID_NAMES, "the frame")
            columns = [name for name in table if name != key]
        return {
            name: cls.from_frame(
                frame, hierarchy, ids=ids, labels=name, separator=separator, unknown=unknown
            )
            for name in columns
        }

    @classmethod
    def from_arrays(
        cls, indptr: Indices, indices: Indices, n_classes: int, ids: Ids = None
    ) -> Self:
        """Build from CSR arrays of class numbers; repeated labels collapse.

        Raises
        ------
        BadInput
            For a row pointer that does not fit, numbers outside ``0 … n_classes - 1``, or
            repeated ids.
        """
        arrays: list[Any] = [np.asarray(indptr), np.asarray(indices)]
        if any(len(x) and x.dtype.kind not in "iu" for x in arrays):
            raise BadInput("indptr must hold whole numbers, and class numbers must be integers")
        pointer, numbers = (x.astype(np.int64) for x in arrays)
        ends = [*pointer[:1], *pointer[-1:]]
        if ends != [0, len(numbers)] or (np.diff(pointer) < 0).any():
            raise BadInput("indptr must run from 0 to the number of labels, and must not descend")
        row = row_numbers(pointer)
        refuse((numbers < 0) | (numbers >= n_classes), lambda k: (
            f"instance {row[k]}: class number {numbers[k]} is outside 0 … {n_classes - 1}"
        ))  # fmt: skip
        n, keys, given = len(pointer) - 1, row * n_classes + numbers, numbers.astype(np.int32)
        names = checked_ids(ids, n)
        if not (np.diff(keys) <= 0).any():
            return cls(pointer, given, n_classes, names)
        sets = cls.of_keys(sorted_unique(keys), n, n_classes)
        return replace(sets, ids=names, as_written=AsWritten(pointer, given))

    @classmethod
    def of_keys(cls, keys: Ints, n: int, n_classes: int) -> Self:
        """Build the sets of ``n`` instances from ascending :attr:`keys`."""
        row, classes = np.divmod(keys, n_classes)
        return cls(row_pointer(row, n), classes.astype(np.int32), n_classes)

    def take(self, rows: Indices | slice) -> Self:
        """Return these instances in this order; a negative row number gives an empty set."""
        written = None if self.as_written is None else self.as_written.take(rows)
        ignored = None if self.ignored is None else self.ignored.take(rows)
        return self.some(
            *taken(self.indptr, rows), ids=None, as_written=written, ignored=ignored,
            unused_scores=False, orders={},
            n_unknown=0 if isinstance(rows, slice) else self.n_unknown,  # of the whole
        )  # fmt: skip

    @takes_hierarchy
    def ignoring(
        self, ignore: Any, hierarchy: Hierarchy, *, ancestors: bool = True,
        unknown: Unknown = "error",
    ) -> LabelSets:  # fmt: skip
        """Return this truth without what is known, or does not count, of each instance.

        Parameters
        ----------
        ignore
            Labels of every instance, as for :meth:`from_labels`; by id, those of instances that
            have some will do.
        hierarchy
            The classes.
        ancestors
            Whether all ancestors of these labels do not count either.
        unknown
            As for :meth:`from_labels`.

        Raises
        ------
        BadInput
            As :meth:`from_labels`, and for another number of instances, or an unknown id.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
        >>> truth = LabelSets.from_labels({"x": ["b", "c"], "y": ["c"]}, tree)
        >>> truth.ignoring({"x": ["b"]}, tree).ignored.names_of(0, tree)
        ['r', 'a', 'b']
        """
        given = LabelSets.from_labels(ignore, hierarchy, unknown=unknown, source="ignore")
        known = match_instances(self, given, missing="empty", surplus="drop", system="ignore")
        if ancestors:
            keys = augmented_keys(hierarchy, known)
            known = LabelSets.of_keys(keys, len(self), len(hierarchy))
        return replace(self, ignored=known)

    @property
    def keys(self) -> Ints:
        """Instance times number of classes plus class, of every label, ascending."""
        return self.row * self.n_classes + self.indices

    def names_of(self, i: int, hierarchy: Hierarchy) -> list[Hashable]:
        """Return the class names of instance ``i``."""
        return [hierarchy.names[c] for c in self.indices[self.indptr[i] : self.indptr[i + 1]]]


def _with_amounts(sets: LabelSets, found: AsWritten, rows: LabelRows, kept: Bools) -> LabelSets:
    """Return sets with the amounts that labels came with; those with 0 are left out."""
    given: Any = rows.scores
    refuse(~((given >= 0) & np.isfinite(given)), lambda k: (
        f"{rows.place(k, who=rows.from_file)}, class {shown(rows.label(k))}: an amount must be a "
        f"number ≥ 0, got {given[k]:g}"
    ))  # fmt: skip
    keys = found.row * sets.n_classes + found.indices
    value: Any = np.bincount(places_in(sets.keys, keys), given[kept], minlength=len(sets.indices))
    return replace(sets, amounts=value, as_written=None).only(value > 0)


Instances = TypeVar("Instances", bound=Any)
"""Label sets, or scores."""


def match_instances(
    y_true: LabelSets, y_pred: Instances, *, missing: Missing = "error",
    surplus: Literal["error", "drop"] = "error", system: str = "y_pred",
) -> Instances:  # fmt: skip
    """Return the predictions in the order of the truth, matched by id where both have ids.

    Raises
    ------
    BadInput
        For different numbers of instances, or instances that only one side has. With
        ``missing="empty"`` an instance without a prediction gets an empty set; a prediction
        without a truth stays an error, but with ``surplus="drop"`` is left out.
    """
    check_choice("missing", missing, get_args(Missing))
    true, given = y_true.ids, y_pred.ids
    if true is None or given is None:
        if len(y_true) != len(y_pred):
            said = f"y_true has {counted(len(y_true), 'instance')} and {system} has {len(y_pred)}"
            raise BadInput(f"{said}; give both the same instances, or ids to match them by")
        check_position(y_true, given, getattr(y_pred, "orders", {}), system)
        return y_pred
    if true == given:
        return y_pred
    row_of, known = {name: i for i, name in enumerate(given)}, set(true)
    extra = [name for name in given if name not in known and surplus == "error"]
    if extra:
        raise without_truth(system, len(extra), extra[0], next(iter(true), None))
    absent = [name for name in true if name not in row_of and missing == "error"]
    if absent:
        raise without_prediction(system, len(absent), absent[0])
    order = np.array([row_of.get(name, -1) for name in true], dtype=np.int64)
    matched: Instances = replace(y_pred.take(order), ids=true)
    return matched


def without_truth(system: str, n: int, such: object, true: object) -> BadInput:
    """Return the error for predictions of instances that the truth does not have."""
    return BadInput(
        f"{system}: {instances_have(n)} no truth, such as {shown(such)} (the truth has ids such as "
        f"{shown(true)}); remove them, or give both sides the same ids"
    )


def without_prediction(system: str, n: int, such: object) -> BadInput:
    """Return the error for instances that a system does not have."""
    return BadInput(
        f"{system}: {instances_have(n)} no prediction, such as {shown(such)}; "
        "add them, or count them as empty (missing='empty')"
    )


def are_aside(hierarchy: Hierarchy, truth: LabelSets, row: Indices, classes: Indices) -> Bools:
    """Return which classes of instances do not count there.

    These are classes of no interest, and those that the truth says are to be ignored. What is no
    class, such as the artificial one above all, has the number of classes, and counts.
    """
    interest, ignored = hierarchy.of_interest, truth.ignored
    aside = np.zeros(len(classes), dtype=bool)
    if interest is not None:
        aside |= ~np.append(interest, True)[classes]
    if ignored is not None:
        n = len(hierarchy)
        aside |= (places_in(ignored.keys, np.asarray(row, np.int64) * n + classes) >= 0) & (
            np.asarray(classes) < n
        )
    return aside


def that_count(hierarchy: Hierarchy, truth: LabelSets, sets: LabelSets) -> LabelSets:
    """Return the labels of either side that count, in the order of the truth."""
    aside = are_aside(hierarchy, truth, sets.row, sets.indices)
    if not aside.any():
        return replace(sets, ignored=None)
    written = sets.as_written
    if written is not None:
        written = written.only(~are_aside(hierarchy, truth, written.row, written.indices))
    return sets.only(~aside, as_written=written, ignored=None)


def as_far_as_true(hierarchy: Hierarchy, truth: LabelSets, predicted: LabelSets) -> LabelSets:
    """Return predictions in which a label below true ones is the lowest of these.

    The truth says no more. A label that is true itself stays.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c")])
    >>> sides = (LabelSets.from_labels([x], tree) for x in (["a"], ["b", "c"]))
    >>> as_far_as_true(tree, *sides).names_of(0, tree)
    ['a', 'c']
    """
    n, row = len(hierarchy), predicted.row
    owner, above = ancestors_of(hierarchy, predicted.indices)
    is_true = places_in(truth.keys, row[owner] * n + above) >= 0
    keys = (owner * n + above)[is_true]
    true = LabelSets.of_keys(keys, len(row), n)  # of every label
    of, lowest = lowest_labels(hierarchy, true)
    keys = np.append(predicted.keys[true.lengths == 0], row[of] * n + lowest)
    return LabelSets.of_keys(sorted_unique(keys), len(predicted), n)


def augmented_keys(hierarchy: Hierarchy, sets: LabelSets) -> Ints:
    """Return the keys of all of the sets augmented by ancestors, ascending."""
    label, above = ancestors_of(hierarchy, sets.indices)
    return sorted_unique(sets.row[label] * len(hierarchy) + above)


@takes_hierarchy
def lowest_labels(hierarchy: Hierarchy, sets: LabelSets) -> tuple[Ints, Shorts]:
    """Return instance and class of every label that has no descendant in its own set."""
    lowest = are_lowest(hierarchy, sets)
    return sets.row[lowest], sets.indices[lowest]


@takes_hierarchy
def are_lowest(hierarchy: Hierarchy, sets: LabelSets) -> Bools:
    """Return whether each label has no descendant in its own set."""
    row, label = sets.row, sets.indices
    inner = ~hierarchy.is_leaf[label]  # a leaf is above nothing
    several = (sets.lengths > 1) & marked(row[inner], len(sets))
    some = np.flatnonzero(several[row])
    closure = ancestor_closure(hierarchy, label[some])
    places = np.arange(1, len(label) + 1)  # a zero would not be held
    beside = sparse_rows(sets.indptr, label, len(hierarchy), places)[row[some]]
    above = closure.pattern[label[some]].multiply(beside)
    times = np.bincount(above.data, minlength=len(label) + 1)[1:]
    return np.less(times, 2)  # each of some is its own ancestor
