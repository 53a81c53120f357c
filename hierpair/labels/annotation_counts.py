"""How often classes are annotated, alone and with all their parents, and weights from that."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, takes_hierarchy
from hierpair.hierarchy.arrays import (
    Floats,
    Ints,
    blocks,
    inverse,
    offsets,
    places_in,
    row_numbers,
    row_pointer,
    sorted_unique,
    taken,
)
from hierpair.labels.coded import numbered
from hierpair.labels.naming import Ids
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.sets import LabelSets

BLOCK_ENTRIES = 5_000_000
"""Ancestors of labels held at a time."""

By = Mapping[Hashable, Hashable] | Ids


@dataclass(frozen=True, eq=False)
class AnnotationCounts:
    """How many instances have a class, all its parents, and any class of its namespace.

    Sets are augmented by all ancestors; of a parentless class all parents are had by any.
    """

    of_class: Ints
    of_parents: Ints
    n_annotated: Ints
    n_instances: int


@takes_hierarchy
def annotation_counts(
    hierarchy: Hierarchy, annotations: LabelSets, *, by: By = None
) -> AnnotationCounts:
    """Count classes, and the parents of classes together; see :func:`information_accretion`."""
    sets = LabelSets.from_labels(annotations, hierarchy)
    counts = np.zeros((3, len(hierarchy)), dtype=np.int64)
    for part in namespaces(hierarchy, by):
        counts[:, part.classes] = _counted(part.hierarchy, part.sets(sets))
    return AnnotationCounts(counts[0], counts[1], counts[2], len(sets))


@takes_hierarchy
def information_accretion(
    hierarchy: Hierarchy, annotations: LabelSets, *, smooth: int = 1, by: By = None
) -> Floats:
    """Return what a class says once all its parents are known, in bits.

    ``ia(v) = −log2((N({v} ∪ pa(v)) + smooth) / (N(pa(v)) + smooth))``, where N counts the
    instances whose augmented set has all these classes, and N of no class all instances that are
    annotated (Clark & Radivojac 2013). On a tree the sum over a class and its ancestors is its
    information content; on a DAG it is that of a Bayesian network.

    Parameters
    ----------
    hierarchy
        The classes.
    annotations
        Label sets; they are augmented by all ancestors.
    by
        The namespace of every class, by name or in the order of ``hierarchy.names``: every
        namespace is counted as if it were alone, without the edges between namespaces.
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


def counted_weights(
    hierarchy: Hierarchy, counts: AnnotationCounts, kind: str, smooth: int = 1
) -> Floats:
    """Return the weights ``"ia"``, ``"ic"`` or ``"icm"`` of classes that are counted already.

    Those of ``"ic"`` say how seldom a class is, in bits: ``−log2((N(v) + smooth) / (N + smooth))``.
    By those of ``"icm"`` the information contrast model is a weighted set measure:
    ``w(v) = log2(p(pa(v)) / p(v))`` with ``p(S) = max(1, N(S)) / n`` over all n instances, and
    ``p(∅) = 1`` (Amigó & Delgado 2022; on a DAG, p of all parents together).
    """
    part, whole = counts.of_class, counts.n_annotated if kind == "ic" else counts.of_parents
    if kind == "icm":
        above = np.where(hierarchy.n_parents > 0, whole, counts.n_instances)
        part, whole, smooth = np.maximum(1, part), np.maximum(1, above), 0
    if isinstance(smooth, bool) or smooth not in (0, 1):
        raise BadInput(f"smooth must be 0 or 1, got {shown(smooth)}")
    with np.errstate(divide="ignore", invalid="ignore"):  # never seen: inf, or nan as its parents
        bits: Floats = np.log2((whole + smooth) / (part + smooth))
    return bits


def _counted(hierarchy: Hierarchy, sets: LabelSets) -> Ints:
    """Return how many instances have each class, all parents of each class, and any class."""
    n, n_parents = len(hierarchy), hierarchy.n_parents
    several, one = np.flatnonzero(n_parents > 1), np.flatnonzero(n_parents == 1)
    counts = np.zeros((3, n), dtype=np.int64)
    of_class, of_parents, annotated = counts
    closure = ancestor_closure(hierarchy, sets.indices)
    before = offsets(closure.lengths(sets.indices))[sets.indptr]
    for lo, hi in blocks((before[:-1], BLOCK_ENTRIES)):
        part = sets.part(lo, hi)
        owner, above = closure.expanded(part.indices)
        row = part.row[owner]
        cells = sorted_unique(above.astype(np.int64) * (hi - lo) + row)  # by class, then row
        pointer = row_pointer(cells // (hi - lo), n)
        of_class += np.diff(pointer)
        of_parents[several] += _all_parents(hierarchy, several, cells, pointer, hi - lo)
    annotated += np.count_nonzero(sets.lengths)
    of_parents[n_parents == 0] = annotated[n_parents == 0]
    of_parents[one] = of_class[hierarchy.parent[one]]
    return counts


def _all_parents(hierarchy: Hierarchy, classes: Ints, cells: Ints, pointer: Ints, n: int) -> Ints:
    """Return how many instances have all parents of a class: the rarest parent's are looked up."""
    first, above = hierarchy.parents_of(classes)
    parents, n_parents = above.astype(np.int64), np.diff(first)
    parents = parents[np.lexsort((np.diff(pointer)[parents], row_numbers(first)))]
    of_rarest, at = taken(pointer, parents[first[:-1]])
    owner, row = row_numbers(of_rarest), cells[at] % n
    for k in range(1, n_parents.max(initial=0)):
        parent = parents[first[owner] + np.where(n_parents[owner] > k, k, 0)]
        kept = places_in(cells, parent * n + row) >= 0
        owner, row = owner[kept], row[kept]
    return np.bincount(owner, minlength=len(classes))


@dataclass(frozen=True, eq=False)
class Namespace:
    """Some classes of a hierarchy, as if there were no others.

    ``number`` is the number here of every class of the whole, -1 for the others.
    """

    name: Hashable
    hierarchy: Hierarchy
    classes: Ints
    number: Ints

    def sets(self, sets: LabelSets) -> LabelSets:
        """Return the label sets of all instances, without labels of other namespaces."""
        own, n = sets.only(self.number[sets.indices] >= 0), len(self.hierarchy)
        keys = sorted_unique(own.row * n + self.number[own.indices])
        ignored = None if sets.ignored is None else self.sets(sets.ignored)
        return replace(
            LabelSets.of_keys(keys, len(sets), n),
            ids=sets.ids, numbering=self.hierarchy.numbering, ignored=ignored,
        )  # fmt: skip

    def scores(self, scores: NodeScores) -> NodeScores:
        """Return the scores of all instances, without classes of other namespaces."""
        own, h = scores.only(self.number[scores.indices] >= 0), self.hierarchy
        return NodeScores.of_cells(
            h, len(own), own.row, self.number[own.indices], own.values, own.ids
        )


def namespaces(hierarchy: Hierarchy, by: By) -> list[Namespace]:
    """Return the namespaces of a hierarchy in the order of their first classes."""
    n, classes = len(hierarchy), np.arange(len(hierarchy))
    if by is None:
        return [Namespace("", hierarchy, classes, classes)]
    if hasattr(by, "items"):
        named: Any = by
        for name in hierarchy.names:
            if name not in named:
                raise BadInput(f"by: class {shown(name)} has no namespace")
        by = [named[name] for name in hierarchy.names]
    if len(by) != n:
        raise BadInput(f"by must hold the namespaces of all {n} classes, got {len(by)} entries")
    of_class, found, every = numbered(by), [], hierarchy.edges_by(hierarchy.names)
    parents, children = hierarchy.parents, row_numbers(hierarchy.parent_ptr)
    for g, name in enumerate(of_class.values):
        own = of_class.codes == g
        edges, names = compress(every, own[parents] & own[children]), compress(hierarchy.names, own)
        alone = Hierarchy.from_edges(edges, classes=names, roots="any")
        classes = hierarchy.index(alone.names).astype(np.int64)
        if hierarchy.of_interest is not None:
            alone = replace(alone, of_interest=hierarchy.of_interest[classes])
        found.append(Namespace(name, alone, classes, inverse(classes, n)))
    return found
