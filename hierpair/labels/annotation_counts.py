"""How often classes are annotated, alone and with all their parents, and weights from that."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, takes_hierarchy
from hierpair.hierarchy.arrays import Ints, offsets, row_numbers, row_sums
from hierpair.labels.coded import numbered, places_in, taken
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.sets import LabelSets

__all__ = [
    "COUNTED_WEIGHTS",
    "AnnotationCounts",
    "Namespace",
    "annotation_counts",
    "counted_weights",
    "icm_weights",
    "information_accretion",
    "information_content",
    "namespaces",
]

BLOCK_ENTRIES = 5_000_000
"""Ancestors of labels held at a time."""

Floats = NDArray[np.float64]

By = Mapping[Hashable, Hashable] | Sequence[Hashable] | None


@dataclass(frozen=True, eq=False)
class AnnotationCounts:
    """How many instances have a class, and how many have all parents of it.

    Attributes
    ----------
    of_class
        Instances whose augmented set has the class.
    of_parents
        Instances whose augmented set has every parent of the class; of a parentless class
        ``n_annotated``.
    n_annotated
        Instances with any class of the namespace of the class; without namespaces, with any.
    n_instances
        All instances.
    """

    of_class: Ints
    of_parents: Ints
    n_annotated: Ints
    n_instances: int


@takes_hierarchy
def annotation_counts(
    hierarchy: Hierarchy, annotations: LabelSets, *, by: By = None
) -> AnnotationCounts:
    """Count classes, and the parents of classes together, in augmented annotations.

    Parameters
    ----------
    hierarchy
        The classes.
    annotations
        Label sets; they are augmented by all ancestors.
    by
        The namespace of every class, by name or in the order of ``hierarchy.names``: every
        namespace is counted as if it were alone, without the edges between namespaces.

    Raises
    ------
    BadInput
        For annotations of another hierarchy, or a ``by`` without one entry for each class.

    Examples
    --------
    >>> dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "d"), ("b", "d")])
    >>> counts = annotation_counts(
    ...     dag, LabelSets.from_labels([["a"], ["b"], ["a", "b"], ["d"]], dag)
    ... )
    >>> counts.of_class.tolist(), counts.of_parents.tolist()
    ([4, 3, 3, 1], [4, 4, 4, 2])
    """
    sets = LabelSets.from_labels(annotations, hierarchy)
    counts = np.zeros((3, len(hierarchy)), dtype=np.int64)
    every = np.arange(len(hierarchy))
    parts = [Namespace("", hierarchy, every, every)] if by is None else namespaces(hierarchy, by)
    for part in parts:
        counts[:, part.classes] = _counted(part.hierarchy, part.sets(sets))
    return AnnotationCounts(counts[0], counts[1], counts[2], len(sets))


@takes_hierarchy
def information_accretion(
    hierarchy: Hierarchy,
    annotations: LabelSets,
    *,
    smooth: int = 1,
    by: By = None,
) -> Floats:
    """Return what a class says once all its parents are known, in bits.

    ``ia(v) = −log2((N({v} ∪ pa(v)) + smooth) / (N(pa(v)) + smooth))``, where N counts the
    instances whose augmented set has all these classes, and N of no class all instances that are
    annotated (Clark & Radivojac 2013). On a tree the sum over a class and its ancestors is its
    information content; on a DAG it is that of a Bayesian network.

    Parameters
    ----------
    hierarchy, annotations, by
        As for :func:`annotation_counts`.
    smooth
        Added to both counts: 0 (Clark & Radivojac: a class that is never seen has ``inf``, and one
        whose parents are never seen together ``nan``) or 1 (CAFA 5: as if one more instance had
        all classes).

    Examples
    --------
    >>> dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "d"), ("b", "d")])
    >>> sets = LabelSets.from_labels([["a"], ["b"], ["a", "b"], ["d"]], dag)
    >>> information_accretion(dag, sets, smooth=0).round(3).tolist()
    [0.0, 0.415, 0.415, 1.0]
    """
    counts = annotation_counts(hierarchy, annotations, by=by)
    return counted_weights(hierarchy, counts, "ia", smooth)


@takes_hierarchy
def information_content(
    hierarchy: Hierarchy,
    annotations: LabelSets,
    *,
    smooth: int = 1,
    by: By = None,
) -> Floats:
    """Return how seldom a class is, in bits: ``−log2((N(v) + smooth) / (N + smooth))``.

    Parameters
    ----------
    hierarchy, annotations, by
        As for :func:`annotation_counts`.
    smooth
        Added to both counts: 0 or 1; with 0 a class that is never seen has ``inf``.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> sets = LabelSets.from_labels([["a"], ["a"], ["a"], ["b"]], tree)
    >>> information_content(tree, sets, smooth=0).round(3).tolist()
    [0.0, 0.415, 2.0]
    """
    counts = annotation_counts(hierarchy, annotations, by=by)
    return counted_weights(hierarchy, counts, "ic", smooth)


@takes_hierarchy
def icm_weights(hierarchy: Hierarchy, annotations: LabelSets) -> Floats:
    """Return the weights by which the information contrast model is a weighted set measure.

    ``w(v) = log2(p(pa(v)) / p(v))`` with ``p(S) = max(1, N(S)) / n`` over all n instances, and
    ``p(∅) = 1`` (Amigó & Delgado 2022; on a DAG, p of all parents together).

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("r", "c")])
    >>> icm_weights(tree, LabelSets.from_labels([["a"], ["b"], []], tree)).round(3).tolist()
    [0.585, 1.0, 1.0, 1.0]
    """
    return counted_weights(hierarchy, annotation_counts(hierarchy, annotations), "icm")


def counted_weights(
    hierarchy: Hierarchy, counts: AnnotationCounts, kind: str, smooth: int = 1
) -> Floats:
    """Return the weights ``"ia"``, ``"ic"`` or ``"icm"`` of classes that are counted already."""
    if kind == "icm":
        has_parents = np.diff(hierarchy.parent_ptr) > 0
        above = np.where(has_parents, counts.of_parents, counts.n_instances)
        return _bits(np.maximum(1, counts.of_class), np.maximum(1, above))
    if isinstance(smooth, bool) or smooth not in (0, 1):
        raise BadInput(f"smooth must be 0 or 1, got {shown(smooth)}")
    below = counts.of_parents if kind == "ia" else counts.n_annotated
    return _bits(counts.of_class + smooth, below + smooth)


COUNTED_WEIGHTS: dict[str, Callable[..., Floats]] = {
    "ia": information_accretion,
    "ic": information_content,
}
"""Weights of classes that are counted from annotations, by the word for them."""


def _bits(part: NDArray[np.integer], whole: NDArray[np.integer]) -> Floats:
    """Return ``−log2(part / whole)``, exactly 0 where both are the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.log2(whole / part)
    bits[part == 0] = np.where(whole[part == 0] == 0, np.nan, np.inf)
    return bits


def _counted(hierarchy: Hierarchy, sets: LabelSets) -> Ints:
    """Return how many instances have each class, all parents of each class, and any class."""
    n_parents = np.diff(hierarchy.parent_ptr)
    several, one = np.flatnonzero(n_parents > 1), np.flatnonzero(n_parents == 1)
    counts = np.zeros((3, len(hierarchy)), dtype=np.int64)
    of_class, of_parents, annotated = counts
    for lo, hi in _blocks(hierarchy, sets):
        by_class = _augmented(hierarchy, sets, lo, hi)
        of_class += np.diff(by_class.indptr)
        of_parents[several] += _all_parents(hierarchy, several, by_class)
    annotated += np.count_nonzero(sets.lengths)
    of_parents[n_parents == 0] = annotated[n_parents == 0]
    of_parents[one] = of_class[hierarchy.parents[hierarchy.parent_ptr[one]]]
    return counts


def _blocks(hierarchy: Hierarchy, sets: LabelSets) -> Iterator[tuple[int, int]]:
    """Yield ranges of instances whose labels have about so many ancestors together."""
    size = ancestor_closure(hierarchy, sets.indices).lengths(sets.indices)
    before = np.append(0, np.cumsum(size))[sets.indptr]
    ends = np.searchsorted(before, np.arange(0, before[-1], BLOCK_ENTRIES))
    yield from pairwise(np.unique(np.append(ends, len(sets))).tolist())


def _augmented(hierarchy: Hierarchy, sets: LabelSets, lo: int, hi: int) -> scipy.sparse.csc_array:
    """Return instances by class: column c holds those that have it, ascending."""
    part = sets.part(lo, hi)
    owner, above = ancestor_closure(hierarchy, part.indices).expanded(part.indices)
    row = row_numbers(part.indptr)[owner]
    cells = scipy.sparse.coo_array((np.ones(len(row), dtype=bool), (row, above)),
                         shape=(hi - lo, len(hierarchy)))  # fmt: skip
    matrix = cells.tocsc()
    matrix.sum_duplicates()
    return matrix


def _all_parents(hierarchy: Hierarchy, classes: Ints, by_class: scipy.sparse.csc_array) -> Ints:
    """Return for each class with several parents how many instances have them all.

    The instances of its rarest parent are looked for among those of the others.
    """
    n_rows = by_class.shape[0]
    pointer, rows = by_class.indptr.astype(np.int64), by_class.indices
    keys = row_numbers(pointer) * n_rows + rows  # ascending: by class, then by instance
    first, edges = taken(hierarchy.parent_ptr, classes)
    parents, n_parents = hierarchy.parents[edges].astype(np.int64), np.diff(first)
    parents = parents[np.lexsort((np.diff(pointer)[parents], row_numbers(first)))]
    of_rarest, at = taken(pointer, parents[first[:-1]])
    owner, row = row_numbers(of_rarest), rows[at]
    for k in range(1, n_parents.max(initial=0)):
        parent = parents[first[owner] + np.where(n_parents[owner] > k, k, 0)]
        kept = places_in(keys, parent * n_rows + row) >= 0
        owner, row = owner[kept], row[kept]
    return np.bincount(owner, minlength=len(classes))


@dataclass(frozen=True, eq=False)
class Namespace:
    """Some classes of a hierarchy, as if there were no others.

    Attributes
    ----------
    name
        What it is called.
    hierarchy
        Its classes, by their names.
    classes
        The number of each of them in the whole hierarchy.
    number
        The number here of every class of the whole hierarchy, -1 for the others.
    """

    name: Hashable
    hierarchy: Hierarchy
    classes: Ints
    number: Ints

    def sets(self, sets: LabelSets) -> LabelSets:
        """Return the label sets of all instances, without labels of other namespaces."""
        new = self.number[sets.indices]
        kept = new >= 0
        indptr = offsets(row_sums(kept, sets.indptr))
        own = LabelSets.from_arrays(indptr, new[kept], len(self.hierarchy), sets.ids)
        return replace(own, numbering=self.hierarchy.numbering)

    def scores(self, scores: NodeScores) -> NodeScores:
        """Return the scores of all instances, without classes of other namespaces."""
        new = self.number[scores.indices]
        kept = new >= 0
        row, n = row_numbers(scores.indptr)[kept], len(scores)
        values = scores.values[kept]
        return NodeScores.of_cells(self.hierarchy, n, row, new[kept], values, scores.ids)


def namespaces(
    hierarchy: Hierarchy, by: Mapping[Hashable, Hashable] | Sequence[Hashable]
) -> list[Namespace]:
    """Return the namespaces of a hierarchy in the order of their first classes.

    Parameters
    ----------
    hierarchy
        The classes.
    by
        The namespace of every class: by name, or in the order of ``hierarchy.names``.

    Raises
    ------
    BadInput
        For a class without a namespace.

    Examples
    --------
    >>> dag = Hierarchy.from_edges([("f", "f1"), ("c", "c1"), ("c", "f1")])
    >>> for part in namespaces(dag, {"f": "F", "f1": "F", "c": "C", "c1": "C"}):
    ...     print(part.name, part.hierarchy)
    F Hierarchy(2 classes, 1 edge, tree)
    C Hierarchy(2 classes, 1 edge, tree)
    """
    if isinstance(by, Mapping):
        for name in hierarchy.names:
            if name not in by:
                raise BadInput(f"by: class {shown(name)} has no namespace")
        by = [by[name] for name in hierarchy.names]
    if len(by) != len(hierarchy):
        raise BadInput(
            f"by must hold the namespace of each of the {len(hierarchy)} classes, "
            f"got {len(by)} entries"
        )
    n, name_of, found = len(hierarchy), numbered(by), []
    names = np.fromiter(hierarchy.names, object, n)
    parents, children = hierarchy.parents, row_numbers(hierarchy.parent_ptr)
    for g, name in enumerate(name_of.values):
        own = name_of.codes == g
        inside = own[parents] & own[children]
        edges = zip(names[parents[inside]].tolist(), names[children[inside]].tolist(), strict=True)
        alone = Hierarchy.from_edges(edges, classes=names[own].tolist(), roots="any")
        classes, number = hierarchy.index(alone.names).astype(np.int64), np.full(n, -1)
        number[classes] = np.arange(len(classes))
        found.append(Namespace(name, alone, classes, number))
    return found
