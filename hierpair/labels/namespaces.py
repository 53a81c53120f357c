"""Namespaces: parts of a hierarchy that are looked at apart, without the edges between them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints, offsets, row_numbers, row_sums
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.sets import LabelSets

__all__ = ["Namespace", "namespaces"]


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
        row, new, values = row_numbers(scores.indptr)[kept], new[kept], scores.values[kept]
        order = np.lexsort((new, row))
        indptr = offsets(np.bincount(row, minlength=len(scores)))
        indices = new[order].astype(np.int32)
        return NodeScores(self.hierarchy, indptr, indices, values[order], scores.ids)


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
        lacking = next((name for name in hierarchy.names if name not in by), None)
        if lacking is not None:
            raise BadInput(f"by: class {shown(lacking)} has no namespace")
        listed = [by[name] for name in hierarchy.names]
    else:
        listed = list(by)
    if len(listed) != len(hierarchy):
        raise BadInput(
            f"by must hold the namespace of each of the {len(hierarchy)} classes, "
            f"got {len(listed)} entries"
        )
    number_of = {name: i for i, name in enumerate(dict.fromkeys(listed))}
    group = np.array([number_of[name] for name in listed], dtype=np.int64)
    child = row_numbers(hierarchy.parent_ptr)
    inside = np.flatnonzero(group[child] == group[hierarchy.parents])
    names, found = hierarchy.names, []
    for name, g in number_of.items():
        here = inside[group[child[inside]] == g]
        pairs = zip(hierarchy.parents[here].tolist(), child[here].tolist(), strict=True)
        edges = [(names[parent], names[below]) for parent, below in pairs]
        members = np.flatnonzero(group == g)
        alone = Hierarchy.from_edges(
            edges, classes=[names[c] for c in members.tolist()], roots="any"
        )
        number = np.full(len(hierarchy), -1, dtype=np.int64)
        number[members] = alone.index([names[c] for c in members.tolist()])
        classes = np.empty(len(members), dtype=np.int64)
        classes[number[members]] = members
        found.append(Namespace(name, alone, classes, number))
    return found
