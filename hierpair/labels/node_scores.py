"""Scores of classes: a number in [0, 1] per instance and class, in whatever form they come."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import scipy

from hierpair.errors import BadInput, check_choice, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, ancestors_of, takes_hierarchy
from hierpair.hierarchy.arrays import (
    Array,
    Floats,
    Indices,
    Ints,
    Ragged,
    Shorts,
    array_of,
    falling_by_row,
    is_frame,
    marked,
    offsets,
    pieces,
    places_in,
    row_numbers,
    row_pointer,
    sparse_rows,
    starts_of_ties,
)
from hierpair.labels.coded import Coded
from hierpair.labels.columns import (
    depth_of,
    dict_rows,
    level_rows,
    matrix_cells,
    matrix_of,
    names_of_columns,
    numbers_in,
)
from hierpair.labels.naming import (
    Ids,
    LabelRows,
    Named,
    Unknown,
    path_end,
    refuse,
    resolve_rows,
)
from hierpair.labels.sets import LabelSets

Closing = Literal["max", "min", "fill"] | None
"""The repairs of ``NodeScores.closed``: ``"max"``, ``"min"``, ``"fill"``, or ``None``."""

CLOSURES: tuple[Closing, ...] = (None, "max", "min", "fill")

CELLS = 4_000_000
"""Instances times classes that are looked at together: what is held beside the scores."""

NONE = np.iinfo(np.int32).max

TOLERANCE = 1e-6
"""A score may exceed 1, or that of a parent, by so much: rounding of single precision."""


@dataclass(frozen=True, eq=False, repr=False)
class NodeScores(Ragged):
    """A score in [0, 1] for every instance and class; a class that is not listed has 0.

    Make one with :meth:`from_array` or :func:`read_scores`, or take the marginals of a
    :class:`LabelDistribution`. The scores need not be probabilities of one distribution: those of
    independent sigmoids are neither coherent nor exhaustive. Curves and thresholds need no more
    than this.

    Attributes
    ----------
    hierarchy
        The classes.
    indptr, indices, values
        CSR arrays: instance ``i`` gives class ``indices[k]`` the score ``values[k]`` for ``k`` in
        ``indptr[i] … indptr[i + 1] - 1``; classes ascending, scores above 0.
    ids
        Instance ids, or None where instances are known by their position.
    holds
        ``"classes"``; ``"leaves"`` where inner classes were given no scores, or ``"ranks"`` where
        the order of the scores is all that they say. Measures that need more refuse these.
    n_unknown
        Number of labels outside the hierarchy that were dropped or replaced on request.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b"), ("a", "c")])
    >>> scores = NodeScores.from_array([[0.3, 0.2, 0.9]], tree, classes=["a", "b", "c"])
    >>> scores.dense().tolist()
    [[1.0, 0.3, 0.2, 0.9]]
    >>> scores.incoherence()[0], scores.closed("max").incoherence()[0]
    (0.6000000000000001, 0.0)
    """

    hierarchy: Hierarchy
    indptr: Ints
    indices: Shorts
    values: Floats
    ids: Named = None
    holds: Literal["classes", "leaves", "ranks"] = "classes"
    n_unknown: int = 0

    per_entry: ClassVar[tuple[str, ...]] = ("indices", "values")
    unused_scores: ClassVar[bool] = False

    instead_of_labels: ClassVar[str] = (
        "these are scores of classes, where label sets are wanted: choose measures of scores "
        "(hierpair measures lists them), or cut the scores at a threshold, as by scores.above(0.5)"
    )
    """What is wrong where label sets are wanted."""

    @classmethod
    @takes_hierarchy
    def from_array(
        cls, scores: Any, hierarchy: Hierarchy, *, classes: Ids = None, ids: Ids = None,
        with_root: bool = True,
    ) -> NodeScores:  # fmt: skip
        """Build from a dense or sparse matrix, shape ``(n_instances, n_columns)``.

        Parameters
        ----------
        scores
            Numbers in [0, 1].
        hierarchy
            The classes.
        classes
            Class of every column; by default the columns are in the order of
            ``hierarchy.names``: all classes, or the leaves alone. A single root without a column
            (or with score 0) has score 1: every instance has it.
        ids
            Instance ids.
        with_root
            Whether a single root without a score gets 1.

        Raises
        ------
        BadInput
            For scores outside [0, 1], NaN, or columns that do not fit.
        """
        matrix, numbers = matrix_of_classes(scores, classes, hierarchy)
        found = cls.from_rows(named_cells(matrix_cells(matrix), numbers, hierarchy, ids), hierarchy)
        return found.rooted() if with_root else found

    @classmethod
    @takes_hierarchy
    def from_rows(
        cls, rows: LabelRows, hierarchy: Hierarchy, *, unknown: Unknown = "error"
    ) -> NodeScores:
        """Build from labels with scores as they were written; of two for a class the higher counts.

        Raises
        ------
        BadInput
            As for :meth:`LabelSets.from_labels`, and for a score outside [0, 1].
        """
        found, kept, n_unknown = resolve_rows(rows, hierarchy, unknown)
        given: Any = rows.scores
        refuse(~((given >= 0) & (given <= 1 + TOLERANCE)), lambda k: (
            f"{rows.place(k, who=rows.from_file)}, class {shown(rows.label(k))}: a score must be "
            f"in [0, 1], got {given[k]:g} (of logits take a softmax or sigmoid first)"
        ))  # fmt: skip
        value = np.minimum(given, 1.0)[kept]
        ids = None if rows.ids is None else tuple(rows.ids)
        scores = cls.of_cells(hierarchy, len(found), found.row, found.indices, value, ids)
        return replace(scores, n_unknown=n_unknown)

    def rooted(self) -> NodeScores:
        """Return the scores with 1 for a single root without a score."""
        if not self.hierarchy.has_one_root:
            return self
        lacking = ~marked(self.row[self.indices == 0], len(self))  # 0 is the root
        at = self.indptr[:-1][lacking]
        return replace(
            self, indptr=offsets(self.lengths + lacking),
            indices=np.insert(self.indices, at, 0), values=np.insert(self.values, at, 1.0),
        )  # fmt: skip

    @classmethod
    def of_cells(
        cls, hierarchy: Hierarchy, n: int, row: Ints, classes: Indices, values: Floats,
        ids: Named = None,
    ) -> NodeScores:  # fmt: skip
        """Return scores of ``n`` instances, in any order; of two of a class the higher counts."""
        key = row * len(hierarchy) + classes
        if not values.all() or (np.diff(key) <= 0).any():
            order = np.argsort(key, kind="stable")
            key = key[order]
            first = starts_of_ties(key)
            values = np.maximum.reduceat(values[order], first)
            row, classes = np.divmod(key[first[values > 0]], len(hierarchy))
            values = values[values > 0]
        indptr = row_pointer(row, n)
        return cls(hierarchy, indptr, classes.astype(np.int32), values, ids)

    @classmethod
    @takes_hierarchy
    def from_levels(
        cls, probabilities: Sequence[Any], hierarchy: Hierarchy, *,
        classes: Sequence[Sequence[Hashable]] | None = None, ids: Ids = None,
    ) -> NodeScores:  # fmt: skip
        """Build from a matrix per level, as hiclass and classifiers with a head per level give.

        Parameters
        ----------
        probabilities
            A matrix of numbers in [0, 1] for every level, from the top, shape
            ``(n_instances, n_columns_of_the_level)``.
        hierarchy
            The classes.
        classes
            The classes of the columns of every matrix; by default those of each level in the
            order of ``hierarchy.names``, from the one below a single root.
        ids
            Instance ids.

        Raises
        ------
        BadInput
            For another number of matrices or columns than of levels or classes, matrices of
            unlike length, and as :meth:`from_array`.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
        >>> NodeScores.from_levels([[[0.75, 0.25]], [[0.5]]], tree).dense().tolist()
        [[1.0, 0.75, 0.25, 0.5]]
        """
        if classes is None:
            ranges = hierarchy.level_ranges()[hierarchy.has_one_root :]
            classes = [hierarchy.names[lo:hi] for lo, hi in ranges]
        shapes = [*map(np.shape, probabilities)]
        widths = [len(level) for level in classes]
        if not shapes or shapes != [(shapes[0][0], width) for width in widths]:
            raise BadInput(
                f"there are levels of {widths} classes, and matrices of shape {shapes}; give one "
                "per level, a row per instance (classes names their columns)"
            )
        columns = [name for level in classes for name in level]
        return cls.from_array(np.hstack(probabilities), hierarchy, classes=columns, ids=ids)

    def take(self, rows: Indices | slice) -> NodeScores:
        """Return these instances, of a slice with ids; a negative row number gives no scores."""
        ids = self.ids[rows] if self.ids is not None and isinstance(rows, slice) else None
        return replace(super().take(rows), ids=ids)

    def dense(self) -> Floats:
        """Return all scores, shape ``(n_instances, n_classes)``."""
        out = np.zeros((len(self), len(self.hierarchy)))
        out[self.row, self.indices] = self.values
        return out

    def at(self, rows: Indices, classes: Indices) -> Floats:
        """Return the scores of these classes for these instances, shape ``(n,)``."""
        place, found = self.place(rows, classes), np.zeros(len(rows))
        there = place >= 0
        found[there] = self.values[place[there]]
        return found

    def place(self, rows: Indices, classes: Indices) -> Ints:
        """Return where in ``values`` the scores of these instances and classes are, or -1."""
        n = len(self.hierarchy)
        wanted = np.asarray(rows, np.int64) * n + classes
        return places_in(self.row * n + self.indices, wanted)

    def above(self, threshold: float, *, reached: bool = False) -> LabelSets:
        """Return the classes with a score above the threshold (with ``reached``: at least)."""
        keep = self.values >= threshold if reached else self.values > threshold
        kept, h = self.only(keep), self.hierarchy
        return LabelSets(kept.indptr, kept.indices, len(h), self.ids, numbering=h.numbering)

    def incoherence(self) -> tuple[float, int, int, int]:
        """Return the largest ``p(child) - p(parent)``, and its instance, child and parent.

        (0.0, -1, -1, -1) where no child has a higher score than any of its parents.
        """
        pointer, above = self.hierarchy.parents_of(self.indices)
        child = row_numbers(pointer)
        rows = self.row[child]
        excess = self.values[child] - self.at(rows, above)
        if not len(excess) or excess.max() <= 0:
            return 0.0, -1, -1, -1
        k = int(excess.argmax())
        return float(excess[k]), int(rows[k]), int(self.indices[child[k]]), int(above[k])

    def is_coherent(self, tolerance: float = TOLERANCE) -> bool:
        """Whether no child has a higher score than any of its parents."""
        return self.incoherence()[0] <= tolerance

    def need_coherence(self, tolerance: float = TOLERANCE) -> None:
        """Refuse a child with a higher score than its parent.

        Raises
        ------
        BadInput
            If there is one; names the instance, both classes and the repairs.
        """
        worst, row, child, parent = self.incoherence()
        if worst > tolerance:
            name = self.hierarchy.names
            raise BadInput(
                f"instance {shown(self.name(row))}: class {shown(name[child])} is more probable "
                f"than its parent {shown(name[parent])} (by {worst:.3g}); closure='max' raises the "
                "parent, closure='min' lowers the child"
            )

    def matrix(self) -> scipy.sparse.csr_array:
        """Return the scores as a sparse matrix, shape ``(n_instances, n_classes)``."""
        return sparse_rows(self.indptr, self.indices, len(self.hierarchy), self.values)

    def closed(self, closure: Closing) -> NodeScores:
        """Return coherent scores by a named repair.

        ``None`` changes nothing; ``"max"`` gives every class the highest score below it (every
        threshold then gives the augmented set); ``"min"`` gives it the lowest score above it;
        ``"fill"`` gives a class without a score the highest of its children, which may have been
        filled themselves, and leaves a class its own, also below that of a child.
        """
        check_choice("closure", closure, CLOSURES)
        if closure is None or not len(self.values):
            return self
        h, at, classes = self.hierarchy, np.arange(len(self.values)), self.indices
        rows, values = self.row, self.values
        if closure == "min":
            above = ancestor_closure(h, classes)
            owner, ancestors = above.expanded(classes)
            scores = self.at(rows[owner], ancestors)
            values = np.minimum.reduceat(scores, offsets(above.lengths(classes))[:-1])
        else:
            parts = [*raised_scores(h, self.indptr, classes, values, closure)]
            at = np.concatenate([part.entries[part.owner] for part in parts])
            classes = np.concatenate([part.classes for part in parts])
        closed = self.of_cells(h, len(self), rows[at], classes, values[at], self.ids)
        return replace(closed, holds=self.holds)


def matrix_of_classes(matrix: Any, classes: Ids, hierarchy: Hierarchy) -> tuple[Any, Ints]:
    """Return a matrix of numbers, and the class of every column."""
    given, classes = matrix_of(matrix, classes)
    numbers = numbers_in(given)
    columns = hierarchy.index(names_of_columns(numbers, classes, hierarchy))
    return numbers, columns.astype(np.int64)


def named_cells(
    cells: tuple[Ints, Ints, Floats], classes: Ints, hierarchy: Hierarchy, ids: Ids
) -> LabelRows:
    """Return cells of a matrix, whose columns are these classes, as labels with scores."""
    pointer, column, value = cells
    rows = Coded(classes[column], hierarchy.names, pointer)
    return LabelRows.in_memory(rows, ids, scores=value)


@dataclass(frozen=True, eq=False)
class Propagated:
    """Scores of instances ``rows[0] … rows[1] - 1``, handed to ancestors.

    ``entries`` are places of scores given, by instance and falling; ``owner`` says which of them
    each of ``classes`` has; ``cells`` are instance times number of classes plus class.
    """

    rows: tuple[int, int]
    entries: Ints
    owner: Shorts
    classes: Ints
    cells: Ints


def raised_scores(
    hierarchy: Hierarchy, indptr: Ints, indices: Shorts, values: Floats, how: str | None
) -> Iterator[Propagated]:
    """Yield all classes that have a score, and which of the scores given it is.

    ``how`` is ``"max"``: the largest given to a class or below it; ``"fill"``: its own if there is
    one, else the largest of its children, which may be filled; None: only those given.
    """
    n = len(hierarchy)
    parts = [*pieces(len(indptr) - 1, CELLS // n)]
    best = np.full(sum(part.stop for part in parts[:1]) * n, NONE, dtype=np.int32)
    for lo, hi in ((part.start, part.stop) for part in parts):
        some = slice(int(indptr[lo]), int(indptr[hi]))
        row = row_numbers(indptr[lo : hi + 1])
        falling = falling_by_row(row, values[some], hi - lo)
        cells = row[falling] * n + indices[some][falling]
        owner = np.arange(len(cells), dtype=np.int32)
        if how is not None and len(cells):
            best[cells] = owner - NONE if how == "fill" else owner  # nothing is below 0
            cells = np.concatenate(list(_risen(hierarchy, cells, best)))
            owner = best[cells] % NONE
            best[cells] = NONE
        yield Propagated((lo, hi), some.start + falling, owner, cells % n, cells)


def _risen(hierarchy: Hierarchy, cells: Ints, best: Shorts) -> Iterator[Ints]:
    """Write scores, as ranks from 0, into the cells above, level by level; yield these cells."""
    n = len(hierarchy)
    while len(cells):
        levels = hierarchy.levels[cells % n]
        here = levels == levels.max()
        at = cells[here]
        yield at
        pointer, above = hierarchy.parents_of(at % n)
        count = np.diff(pointer)
        to = np.repeat(at - at % n, count) + above
        score = np.repeat(best[at] % NONE, count)
        better = score < best[to]
        to, score = to[better], score[better]
        new = to[best[to] == NONE]
        turn = NONE - 1 - np.arange(len(new), dtype=np.int32)
        best[new] = turn
        new = new[best[new] == turn]  # who wrote last
        np.minimum.at(best, to, score)
        cells = np.append(cells[~here], new)


NUMBERS = 3_000_000
"""Numbers of a matrix that are looked at together."""

SUMS_TO_ONE = 1e-3
"""Scores of leaves that add up to 1, but for so much, are those of a distribution."""


def has_scores(labels: Any) -> bool:
    """Whether predictions are scores of classes: a matrix, one per level, or dicts by id."""
    if isinstance(labels, Mapping):
        return any(isinstance(of, Mapping) for of in labels.values())
    ready = isinstance(labels, NodeScores) or hasattr(labels, "marginals")
    return ready or _is_by_level(labels) or _is_scores(matrix_of(labels)[0])


def scores_of_labels(
    labels: Any, hierarchy: Hierarchy, *, unknown: Unknown = "error", source: str = "y_pred",
    ids: Ids = None, k: int = 0,
) -> NodeScores:  # fmt: skip
    """Return scores of classes, in whatever form they come, as :class:`NodeScores`.

    Of leaves whose scores add up to 1 every inner class has the sum of those below it. With ``k``
    those of a matrix may be left out that cannot be among the first k leaves.
    """
    hierarchy = Hierarchy.of(hierarchy)
    if hasattr(labels, "marginals"):  # a distribution, which a higher room knows
        labels = labels.marginals()
    if isinstance(labels, NodeScores):
        own = labels.hierarchy
        if own is hierarchy:
            return labels
        if own.numbering == hierarchy.numbering and own.fingerprint == hierarchy.fingerprint:
            return replace(labels, hierarchy=hierarchy)  # where other classes may count
        said = "these scores belong to another hierarchy, or to another order of its classes"
        raise BadInput(f"{source}: {said}")
    try:
        if isinstance(labels, Mapping):
            for name, of in labels.items():
                if not isinstance(of, Mapping) and of not in ([], ()):
                    said = "has labels without scores; write {label: score} for all"
                    raise BadInput(f"instance {name!r} {said}")
            rows = dict_rows({name: of or {} for name, of in labels.items()})
            return NodeScores.from_rows(rows, hierarchy, unknown=unknown)
        if _is_by_level(labels):
            return NodeScores.from_levels(labels, hierarchy, ids=ids)
        if matrix_of(labels)[1] is None and hierarchy.of_interest is not None:
            raise BadInput("this matrix does not name its columns, and classes says which classes "
                           "count; are these its columns? Write the pair (matrix, columns), and "
                           "leave classes out if all classes count")  # fmt: skip
        return scores_of_matrix(*matrix_of_classes(labels, None, hierarchy), hierarchy, ids, k)
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from None


def scores_of_matrix(
    matrix: Any, classes: Ints, hierarchy: Hierarchy, ids: Ids = None, k: int = 0
) -> NodeScores:
    """Return the scores in a matrix whose columns are these classes, as from labels."""
    highest = _highest_leaves(matrix, classes, hierarchy, k) if k else None
    rows = named_cells(highest or matrix_cells(matrix), classes, hierarchy, ids)
    found = NodeScores.from_rows(rows, hierarchy)
    return replace(found, holds="leaves") if highest else summed_scores(found, matrix.shape[1])


def _highest_leaves(
    matrix: Any, classes: Ints, hierarchy: Hierarchy, k: int
) -> tuple[Ints, Ints, Floats] | None:
    """Return the cells that can be among the first k leaves; None where all are looked at.

    These are all that are at least the k + 1st highest, so that equal ones are there, too.
    """
    leaf = hierarchy.is_leaf[classes]
    if not (isinstance(matrix, np.ndarray) and len(matrix) and leaf.sum() >= 4 * (k + 1)):
        return None
    if not matrix.min() >= 0 or not (leaf.all() or matrix.max() <= 1):  # refused where all is read
        return None
    of_leaves = matrix if leaf.all() else matrix.compress(leaf, axis=1)
    n, m = of_leaves.shape
    cells = [_highest(of_leaves[part], k + 1) + part.start * m for part in pieces(n, NUMBERS // m)]
    row, column = np.divmod(np.concatenate(cells), m)
    value = of_leaves[row, column].astype(np.float64)
    return row_pointer(row, n), np.flatnonzero(leaf)[column], value


def _highest(matrix: Array, k: int) -> Ints:
    """Return the places of all numbers of a row that are at least its k-th highest one.

    The k-th highest of the maxima of groups of columns is no higher than that; few others reach it.
    Every third number of a group is enough to look at.
    """
    n, m = matrix.shape
    n_groups = min(m, max(2 * k, int(np.sqrt(m))))
    width = n_groups * max(1, m // n_groups // 10)  # maxima of long rows come first: they are fast
    rows, columns = matrix.strides
    groups = np.lib.stride_tricks.as_strided(
        matrix, (n, m // width, width), (rows, columns * width, columns), writeable=False
    )
    best = groups[:, ::3].max(axis=1).reshape(n, -1, n_groups).max(axis=1)
    bound = np.partition(best, n_groups - k, axis=1)[:, n_groups - k]
    return np.flatnonzero((matrix >= bound[:, None]).ravel())


def _is_by_level(labels: Any) -> bool:
    kinds = (int, float, np.number)
    return isinstance(labels, (list, tuple)) and bool(labels) and all(
        depth_of(x) == 2 and not is_frame(x) and not hasattr(x, "tocsr") and len(x)
        and len(x[0]) and isinstance(x[0][0], kinds)
        for x in labels
    )  # fmt: skip


def _is_scores(matrix: Any) -> bool:
    """Whether there is a matrix of numbers between whole ones; those may be classes, or flags."""
    if isinstance(matrix, list) and depth_of(matrix) == 2 and float in map(type, matrix[0]):
        with suppress(BadInput):
            matrix = numbers_in(matrix)
    is_sparse = hasattr(matrix, "tocsr")
    values = matrix.data if is_sparse else array_of(matrix)
    if values is None or not (is_sparse or values.ndim == 2):
        return False
    if values.dtype.kind != "f" or not values.size:
        return False
    parts = (np.modf(values[part])[0] for part in pieces(len(values), 1000))
    return any((np.abs(x) > 0).any() for x in parts) or bool(0 <= values.min() <= values.max() <= 1)


def summed_scores(scores: NodeScores, n_columns: int, *, with_root: bool = True) -> NodeScores:
    """Return the scores of a matrix; what leaves sum up to 1 is summed for inner classes.

    Of other columns a single root without a score has 1, unless not ``with_root``.
    """
    hierarchy, row = scores.hierarchy, scores.row
    leaf = hierarchy.is_leaf
    if n_columns != leaf.sum() or not leaf[scores.indices].all():
        return scores.rooted() if with_root else scores
    total = np.bincount(row, scores.values, len(scores))
    if (np.abs(total - 1) > SUMS_TO_ONE).any():
        return replace(scores, holds="leaves")
    owner, above = ancestors_of(hierarchy, scores.indices)
    shape = len(scores), len(hierarchy)
    summed = scipy.sparse.coo_array((scores.values[owner], (row[owner], above)), shape=shape)
    pointer, node, value = matrix_cells(summed)
    return NodeScores(
        hierarchy, pointer, node.astype(np.int32), np.minimum(value, 1.0), scores.ids
    )  # fmt: skip


def scores_of_rankings(rankings: Any, hierarchy: Hierarchy) -> NodeScores | None:
    """Return a matrix of leaves, best first, as scores that fall; None for anything else."""
    array = array_of(rankings)
    if array is None or array.ndim != 2 or array.dtype.kind not in "iuUO" or not array.shape[1]:
        return None
    if all(path_end(path, hierarchy)[0] >= 0 for path in level_rows(array).values):
        return None
    numbers, (n, k) = hierarchy.index(array.ravel().tolist()), array.shape
    if not hierarchy.is_leaf[numbers].all():  # a path with a fault in it
        return None
    return ranked_scores(hierarchy, numbers.reshape(n, k))


def ranked_scores(hierarchy: Hierarchy, ranked_classes: Indices) -> NodeScores:
    """Return class numbers, best first, as scores that fall; shape ``(n_instances, k)``."""
    n, k = ranked_classes.shape
    row, rank = np.divmod(np.arange(n * k), k)
    numbers = ranked_classes.ravel()
    ranked = NodeScores.of_cells(hierarchy, n, row, numbers, (k - rank) / k)
    if len(ranked.values) < n * k:
        raise BadInput(
            "a row of classes, best first, names a class twice; of items that are told by their "
            "classes take retrieved_average_precision"
        )
    return replace(ranked, holds="ranks")


def unmatched(truth: LabelSets, given: LabelSets | NodeScores) -> tuple[int, int]:
    """Return how many instances of a truth are not predicted, and how many have no truth."""
    if truth.ids is None or given.ids in (None, truth.ids):
        return 0, 0
    true, said = set(truth.ids), set(given.ids)
    return len(true - said), len(said - true)
