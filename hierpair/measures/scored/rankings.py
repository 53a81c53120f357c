"""Rankings of classes, from scores or as lists: the first k of every instance."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, counted, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, offsets, row_numbers
from hierpair.labels.node_scores import NodeScores

__all__ = ["CANDIDATES", "TIES", "Rankings", "ranked_classes"]

CANDIDATES = ("leaves", "all")
"""Which classes are ranked: those without children, or all but a single root."""

TIES = ("error", "name")
"""What is done where equal scores leave open which classes are among the first k."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """Classes in the order in which a system would name them, best first.

    Make one with :meth:`of_scores` or :meth:`of_lists`.

    Attributes
    ----------
    hierarchy
        The classes.
    indptr, classes
        CSR arrays: instance ``i`` ranks ``classes[indptr[i]:indptr[i + 1]]``.
    by_name
        The classes that can be ranked, by name.
    values
        Their scores; classes that are not listed have 0, and stand last by name. None for lists,
        which say nothing of the classes that they do not name.
    ties
        A word of :data:`TIES`.
    ids
        Ids of the instances, or None.
    """

    hierarchy: Hierarchy
    indptr: Ints
    classes: NDArray[np.integer]
    by_name: Ints
    values: Floats | None = None
    ties: str = "error"
    ids: Sequence[Hashable] | None = None

    @classmethod
    def of_scores(
        cls, scores: NodeScores, *, candidates: str = "leaves", ties: str = "error"
    ) -> Rankings:
        """Rank classes by their scores, the highest first."""
        check_choice("ties", ties, TIES)
        h = scores.hierarchy
        by_name = ranked_classes(h, candidates)
        place = np.full(len(h), -1)
        place[by_name] = np.arange(len(by_name))
        kept = place[scores.indices] >= 0
        row, node, value = (
            row_numbers(scores.indptr)[kept],
            scores.indices[kept],
            scores.values[kept],
        )
        order = np.lexsort((place[node], -value, row))
        indptr = offsets(np.bincount(row, minlength=len(scores)))
        return cls(h, indptr, node[order], by_name, value[order], ties, scores.ids)

    @classmethod
    def of_lists(
        cls,
        rankings: Mapping[Hashable, Sequence[Hashable]] | Sequence[Sequence[Hashable]],
        hierarchy: Hierarchy,
        *,
        candidates: str = "leaves",
    ) -> Rankings:
        """Take lists of names, best first: a list, or a dict by ids.

        Raises
        ------
        BadInput
            For an unknown class, one that is named twice or is no candidate; names the instance.
        """
        ids = tuple(rankings) if isinstance(rankings, Mapping) else None
        rows = list(rankings.values() if isinstance(rankings, Mapping) else rankings)
        by_name = ranked_classes(hierarchy, candidates)
        candidate = np.zeros(len(hierarchy), dtype=bool)
        candidate[by_name] = True
        classes: list[int] = []
        for i, row in enumerate(rows):
            who = i if ids is None else ids[i]
            if isinstance(row, (str, bytes, Mapping)) or not isinstance(
                row, (Sequence, np.ndarray)
            ):
                raise BadInput(f"a ranking is a list of classes, best first, got {shown(row)}", who)
            odd = next((name for name in row if not isinstance(name, Hashable)), None)
            if odd is not None:
                raise BadInput(f"a ranking is a list of classes, and {shown(odd)} is none", who)
            at = [hierarchy.position.get(name, -1) for name in row]
            if -1 in at:
                raise BadInput(hierarchy.unknown_message(row[at.index(-1)]), who)
            if len(set(at)) < len(at):
                twice = next(name for k, name in enumerate(row) if at[k] in at[:k])
                raise BadInput(f"the ranking names class {shown(twice)} twice", who)
            odd = next((name for k, name in enumerate(row) if not candidate[at[k]]), None)
            if odd is not None:
                raise BadInput(
                    f"the ranking names class {shown(odd)}, which has classes below it; "
                    "candidates='all' ranks such classes too",
                    who,
                )
            classes += at
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        at_all = np.array(classes, dtype=np.int64)
        return cls(hierarchy, offsets(lengths), at_all, by_name, None, "error", ids)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def name(self, i: int) -> Hashable:
        """Return the id of an instance, or its position."""
        return i if self.ids is None else self.ids[i]

    def first(self, k: int) -> Ints:
        """Return the first k classes of every ranking, shape ``(n_instances, k)``.

        Raises
        ------
        BadInput
            If a ranking is shorter, or equal scores leave open which classes these are.
        """
        if k > len(self.by_name):
            raise BadInput(
                f"k is {k}, and a ranking has at most {counted(len(self.by_name), 'class')}"
            )
        lengths = np.diff(self.indptr)
        short = np.flatnonzero(lengths < k)
        if self.values is None and len(short):
            i = int(short[0])
            raise BadInput(
                f"the ranking names {counted(int(lengths[i]), 'class')}, and k is {k}", self.name(i)
            )
        self._refuse_ties(k, lengths)
        found = np.full((len(self), k), -1, dtype=np.int64)
        column = np.arange(len(self.classes)) - self.indptr[row_numbers(self.indptr)]
        kept = column < k
        found[row_numbers(self.indptr)[kept], column[kept]] = self.classes[kept]
        if len(short):  # classes with the score 0 follow by name; the first k hold enough of them
            few, n = self.by_name[:k], len(self.hierarchy)
            own = found[short] + np.arange(len(short))[:, None] * n
            listed = np.isin(few + np.arange(len(short))[:, None] * n, own[found[short] >= 0])
            gap = k - lengths[short]
            unlisted = ~listed & (np.cumsum(~listed, axis=1) <= gap[:, None])
            row, at = np.nonzero(unlisted)
            behind = np.cumsum(unlisted, axis=1)[row, at] - 1
            found[short[row], lengths[short[row]] + behind] = few[at]
        return found

    def _refuse_ties(self, k: int, lengths: Ints) -> None:
        """Refuse a k between two equal scores: the order among the first k does not matter."""
        if self.values is None or self.ties != "error":
            return
        longer = np.flatnonzero(lengths > k)
        last = self.indptr[longer] + k - 1
        tied = longer[self.values[last] == self.values[last + 1]]
        if k < len(self.by_name):
            tied = np.append(tied, np.flatnonzero(lengths < k))
        if len(tied):
            i = int(tied.min())
            value = self.values[self.indptr[i] + k - 1] if lengths[i] >= k else 0
            raise BadInput(
                f"several classes have the score {value:g}, and which of them are among the first "
                f"{k} is not said; ties='name' takes them by name",
                self.name(i),
            )


def ranked_classes(hierarchy: Hierarchy, candidates: str) -> Ints:
    """Return the classes that can be ranked, by name: the leaves, or all but a single root."""
    check_choice("candidates", candidates, CANDIDATES)

    def by_name() -> Ints:
        if candidates == "leaves":
            classes = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
        else:
            classes = np.arange(len(hierarchy))
            if len(hierarchy.root_indices) == 1 and len(hierarchy) > 1:
                classes = classes[1:]
        names = [str(hierarchy.names[c]) for c in classes]
        order = sorted(range(len(names)), key=names.__getitem__)
        return classes[order].astype(np.int64)

    return hierarchy.cached(("ranked", candidates), by_name)
