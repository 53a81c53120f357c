"""Label sets of many instances as one CSR array of class numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, sorted_unique
from hierpair.hierarchy.graph import Hierarchy

__all__ = ["LabelSets", "Unknown", "match_instances"]

Unknown = Literal["error", "drop", "root"]
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True, eq=False)
class LabelSets:
    """One set of classes per instance.

    Build one with :meth:`from_labels` (names) or :meth:`from_arrays` (class numbers).

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
    fingerprint
        Whose classes these are (:attr:`Hierarchy.fingerprint`), or None if built from numbers.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> sets = LabelSets.from_labels([["a", "b"], "a", []], tree)
    >>> len(sets), sets.names_of(0, tree)
    (3, ['a', 'b'])
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    n_classes: int
    ids: tuple[Hashable, ...] | None = None
    n_unknown: int = 0
    fingerprint: str | None = None

    def __post_init__(self) -> None:
        self.indptr.setflags(write=False)
        self.indices.setflags(write=False)

    @classmethod
    def from_arrays(
        cls,
        indptr: NDArray[np.integer],
        indices: NDArray[np.integer],
        n_classes: int,
        ids: Sequence[Hashable] | None = None,
    ) -> LabelSets:
        """Build from CSR arrays of class numbers; repeated labels collapse.

        Raises
        ------
        BadInput
            For a row pointer that does not fit, numbers outside ``0 … n_classes - 1``, or
            repeated ids.
        """
        given = np.asarray(indices)
        if np.asarray(indptr).dtype.kind not in "iu":
            raise BadInput("indptr must hold whole numbers")
        pointer = np.asarray(indptr, dtype=np.int64)
        if len(pointer) == 0 or pointer[0] != 0 or pointer[-1] != len(given):
            raise BadInput("indptr must run from 0 to the number of labels")
        if (np.diff(pointer) < 0).any():
            raise BadInput("indptr must not descend")
        if len(given) and given.dtype.kind not in "iu":
            raise BadInput(f"class numbers must be integers, got {given.dtype}")
        outside = np.flatnonzero((given < 0) | (given >= n_classes))
        if len(outside):
            row = int(np.searchsorted(pointer, outside[0], side="right")) - 1
            raise BadInput(
                f"instance {row}: class number {given[outside[0]]} is outside 0 … {n_classes - 1}"
            )
        if ids is not None:
            _check_ids(ids, len(pointer) - 1)
        keys = sorted_unique(row_numbers(pointer) * n_classes + given.astype(np.int64))
        rows, label = np.divmod(keys, max(1, n_classes))
        return cls(
            offsets(np.bincount(rows, minlength=len(pointer) - 1)),
            label.astype(np.int32),
            n_classes,
            None if ids is None else tuple(ids),
        )

    @classmethod
    def from_labels(
        cls,
        labels: LabelSets | Mapping[Hashable, Any] | Iterable[Any],
        hierarchy: Hierarchy,
        *,
        unknown: Unknown = "error",
        where: Callable[[int], str] | None = None,
        source: str | None = None,
    ) -> LabelSets:
        """Build from names: a list with one label or one collection per instance, or a dict.

        Parameters
        ----------
        labels
            ``[["a", "b"], "c", []]``, a 1-D array of single labels, or ``{id: labels}``.
            A string is one label, never a sequence of characters.
        hierarchy
            The classes.
        unknown
            What to do with a label outside the hierarchy: ``"error"``, ``"drop"`` it, or take
            the ``"root"`` instead; the count is kept in ``n_unknown``.
        where
            Tells where instance ``i`` stands (such as ``"pred.txt:7"``); used in errors.
        source
            What the labels are called in errors, such as ``"y_true"`` or a system's name.

        Raises
        ------
        BadInput
            For a missing label (None, NaN, empty text), an unknown one, or repeated ids.
        """
        Hierarchy.expected(hierarchy)
        if isinstance(labels, LabelSets):
            foreign = labels.fingerprint not in (None, hierarchy.fingerprint)
            if foreign or labels.n_classes != len(hierarchy):
                raise BadInput("these label sets belong to another hierarchy")
            return labels
        if unknown not in ("error", "drop", "root"):
            raise BadInput(f"unknown must be 'error', 'drop' or 'root', got {unknown!r}")
        ids, rows = _rows(labels)
        prefix = f"{source}: " if source else ""
        place = where or (lambda i: f"{prefix}instance {ids[i] if ids else i!r}")
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        pointer = offsets(lengths)
        flat = list(chain.from_iterable(rows))
        numbers = _numbers(flat, hierarchy)
        bad = np.flatnonzero(numbers < 0)
        for i in map(int, bad):
            row = int(np.searchsorted(pointer, i, side="right")) - 1
            named = f", instance {ids[row]!r}" if ids and where else ""
            if _is_missing(flat[i]) and not (where and unknown == "drop"):
                mend = "is there a bar too many?" if where else "write an empty set for no labels"
                raise BadInput(f"{place(row)}{named}: a label is missing (got {flat[i]!r}); {mend}")
            if unknown == "error":
                raise BadInput(
                    f"{place(row)}{named}: {hierarchy.unknown_message(flat[i])} "
                    "(to go on without it, set unknown to drop or root)"
                )
        if len(bad) and unknown == "root":
            numbers[bad] = _single_root(hierarchy)
        elif len(bad):
            kept = numbers >= 0
            pointer = offsets(np.bincount(row_numbers(pointer)[kept], minlength=len(rows)))
            numbers = numbers[kept]
        sets = cls.from_arrays(pointer, numbers, len(hierarchy), ids)
        return replace(sets, n_unknown=len(bad), fingerprint=hierarchy.fingerprint)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of labels of each instance."""
        return np.diff(self.indptr)

    def part(self, lo: int, hi: int) -> LabelSets:
        """Return the instances ``lo … hi - 1``."""
        a, b = self.indptr[lo], self.indptr[hi]
        return LabelSets(
            self.indptr[lo : hi + 1] - a,
            self.indices[a:b],
            self.n_classes,
            fingerprint=self.fingerprint,
        )

    def take(self, rows: NDArray[np.integer]) -> LabelSets:
        """Return these instances in this order; a negative row number gives an empty set."""
        rows = np.asarray(rows, dtype=np.int64)
        lengths = np.where(rows >= 0, np.append(self.lengths, 0)[rows], 0)
        starts = np.where(rows >= 0, self.indptr[rows], 0)
        picked = self.indices[ragged_ranges(starts, lengths)]
        return LabelSets(
            offsets(lengths), picked, self.n_classes, None, self.n_unknown, self.fingerprint
        )

    def names_of(self, i: int, hierarchy: Hierarchy) -> list[Hashable]:
        """Return the class names of instance ``i``."""
        return [hierarchy.names[c] for c in self.indices[self.indptr[i] : self.indptr[i + 1]]]


def match_instances(
    y_true: LabelSets,
    y_pred: LabelSets,
    *,
    missing: Literal["error", "empty"] = "error",
    system: str = "y_pred",
) -> LabelSets:
    """Return the predictions in the order of the truth, matched by id where both have ids.

    Raises
    ------
    BadInput
        For different numbers of instances, or instances that only one side has. With
        ``missing="empty"`` an instance without a prediction gets an empty set; a prediction
        without a truth stays an error.
    """
    if missing not in ("error", "empty"):
        raise BadInput(f"missing must be 'error' or 'empty', got {missing!r}")
    if y_true.ids is None or y_pred.ids is None:
        if len(y_true) != len(y_pred):
            raise BadInput(
                f"y_true has {len(y_true)} instances and {system} has {len(y_pred)}; "
                "give both the same instances, or ids on both sides to match them by"
            )
        return y_pred
    if y_true.ids == y_pred.ids:
        return y_pred
    row_of = {name: i for i, name in enumerate(y_pred.ids)}
    known = set(y_true.ids)
    extra = [name for name in y_pred.ids if name not in known]
    if extra:
        raise BadInput(
            f"{system}: {len(extra)} instances have no truth, such as {extra[0]!r}; "
            "remove them or add their truth"
        )
    absent = [name for name in y_true.ids if name not in row_of]
    if absent and missing == "error":
        raise BadInput(
            f"{system}: {len(absent)} instances have no prediction, such as {absent[0]!r}; "
            "add them, or count them as empty (set missing to empty)"
        )
    order = np.array([row_of.get(name, -1) for name in y_true.ids], dtype=np.int64)
    return replace(y_pred.take(order), ids=y_true.ids)


def _rows(labels: Any) -> tuple[list[Hashable] | None, list[Sequence[Any]]]:
    """Split the input into ids (or None) and one sequence of labels per instance."""
    if isinstance(labels, (str, bytes)):
        raise BadInput(f"labels must be one entry per instance, got the single text {labels!r}")
    if isinstance(labels, Mapping):
        return list(labels), [_as_collection(x) for x in labels.values()]
    if isinstance(labels, np.ndarray):
        if labels.ndim != 1:
            raise BadInput(
                f"a label array must have one dimension, got shape {labels.shape}; "
                "give a list with one list of class names per instance"
            )
        labels = labels.tolist()
        return None, [(x,) if isinstance(x, str) else _as_collection(x) for x in labels]
    if not isinstance(labels, Iterable) or hasattr(labels, "tocsr"):
        raise BadInput(
            f"labels must be a list with one label or one collection of labels per instance, "
            f"or a dict, got {type(labels).__name__}"
        )
    return None, [_as_collection(x) for x in labels]


def _as_collection(entry: Any) -> Sequence[Any]:
    if isinstance(entry, (list, tuple)):
        return entry
    if isinstance(entry, np.ndarray):
        listed: list[Any] = entry.ravel().tolist()
        return listed
    return list(entry) if isinstance(entry, COLLECTIONS) else (entry,)


def _numbers(flat: list[Any], hierarchy: Hierarchy) -> NDArray[np.int64]:
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


def _is_missing(label: Any) -> bool:
    if isinstance(label, float):
        return math.isnan(label)
    return (
        label is None
        or type(label).__name__ in ("NAType", "NaTType")
        or (isinstance(label, str) and label == "")
    )


def _single_root(hierarchy: Hierarchy) -> int:
    if len(hierarchy.root_indices) != 1:
        raise BadInput(
            f"unknown='root' needs a single root; this hierarchy has {len(hierarchy.roots)}"
        )
    return int(hierarchy.root_indices[0])


def _check_ids(ids: Sequence[Hashable], n: int) -> None:
    if len(ids) != n:
        raise BadInput(f"got {len(ids)} ids for {n} instances")
    if len(set(ids)) != n:
        seen: set[Hashable] = set()
        twice = next(x for x in ids if x in seen or seen.add(x))  # type: ignore[func-returns-value]
        raise BadInput(f"instance {twice!r} stands there twice; every id must be unique")
