"""Distributions: for every instance, what the true label set may be and with which probability."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, shown
from hierpair.hierarchy import (
    Hierarchy,
    ancestor_closure,
    ancestors_of,
    counted_classes,
    takes_hierarchy,
)
from hierpair.hierarchy.arrays import (
    Floats,
    Indices,
    Ints,
    Ragged,
    Shorts,
    groups_by,
    offsets,
    row_pointer,
    sparse_rows,
    taken,
)
from hierpair.labels import LabelSets
from hierpair.labels.columns import label_rows
from hierpair.labels.naming import check_order, refuse
from hierpair.labels.node_scores import Closing, NodeScores, scores_of_labels
from hierpair.labels.sets import augmented_keys
from hierpair.pairing.costs import check_number

TOLERANCE = 1e-5
"""The probabilities of an instance may add up to 1 give or take so much (single precision)."""


@dataclass(frozen=True, eq=False)
class LabelDistribution(Ragged):
    """Scenarios of every instance: label sets that may be true, each with its probability.

    Build one with :meth:`from_leaves`, :meth:`from_nodes`, :meth:`from_scenarios` or
    :func:`read_distribution`. A distribution over leaves or over paths that may stop early has one
    label per scenario, the most specific one; what the label implies (its ancestors) is added by
    the measure, as for any label set.

    Attributes
    ----------
    hierarchy
        The classes.
    indptr, p
        Instance ``i`` has the scenarios ``indptr[i] … indptr[i + 1] - 1``, of probability ``p``.
    sets
        The label set of every scenario.
    ids
        Instance ids, or None where instances are known by their position.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d")])
    >>> distribution = LabelDistribution.from_leaves([[0.25, 0.5, 0.25]], tree, classes="bcd")
    >>> distribution
    <LabelDistribution: 1 instance, 3 scenarios, single labels>
    >>> distribution.marginals().dense()[0].tolist(), tree.names
    ([1.0, 0.75, 0.25, 0.5, 0.25], ('root', 'a', 'b', 'c', 'd'))
    """

    hierarchy: Hierarchy
    indptr: Ints
    p: Floats
    sets: LabelSets
    ids: tuple[Hashable, ...] | None = None

    per_entry: ClassVar[tuple[str, ...]] = ("p",)

    @classmethod
    @takes_hierarchy
    def from_leaves(
        cls,
        p: Any,
        hierarchy: Hierarchy,
        *,
        classes: Sequence[Hashable] | None = None,
        ids: Sequence[Hashable] | None = None,
    ) -> LabelDistribution:
        """Build from the probability of each class to be the one label of an instance.

        Parameters
        ----------
        p
            :class:`NodeScores`, or dense or sparse, shape ``(n_instances, n_columns)``; every row
            adds up to 1.
        hierarchy
            The classes, a tree, forest or DAG.
        classes
            Class of every column; by default those that a data frame names, or the leaves in the
            order of ``hierarchy.names``.
            Inner classes are possible labels too.
        ids
            Instance ids.

        Raises
        ------
        BadInput
            For numbers outside [0, 1] or rows that do not add up to 1.
        """
        if isinstance(p, NodeScores):
            p = scores_of_labels(p, hierarchy, source="p")
        else:
            if classes is None and not hasattr(p, "columns"):
                classes = [hierarchy.names[c] for c in hierarchy.leaf_indices]
            p = NodeScores.from_array(p, hierarchy, classes=classes, ids=ids, with_root=False)
        return cls._of_tips(hierarchy, p.indptr, p.indices, p.values, p.ids)

    @classmethod
    @takes_hierarchy
    def from_nodes(
        cls,
        p: Any,
        hierarchy: Hierarchy,
        *,
        classes: Sequence[Hashable] | None = None,
        ids: Sequence[Hashable] | None = None,
        closure: Closing = None,
        excess: Literal["error", "rescale"] = "error",
    ) -> LabelDistribution:
        """Build from the probability of each class to be on the one path of an instance.

        A path may stop at a class: the probability of that is p(class) less what is below it, on
        a tree ``p(v) - sum of p(children of v)``. What the roots lack to 1 is the probability of
        no label at all.

        Parameters
        ----------
        p
            :class:`NodeScores`, or dense or sparse, shape ``(n_instances, n_columns)``.
        hierarchy
            The classes.
        classes, ids
            As for :meth:`NodeScores.from_array`.
        closure
            How to repair a child that is more probable than its parent: not at all (an error),
            ``"max"`` or ``"min"``; see :meth:`NodeScores.closed`.
        excess
            What to do where the children of a class add up to more than it has: an error, or
            ``"rescale"`` them to its own probability, from the top down (trees).

        Raises
        ------
        BadInput
            For incoherent probabilities, or such as no distribution over single paths has; the
            message names instance and class.
        """
        check_choice("excess", excess, ("error", "rescale"))
        if isinstance(p, NodeScores):
            p = scores_of_labels(p, hierarchy, source="p")
        else:
            p = NodeScores.from_array(p, hierarchy, classes=classes, ids=ids)
        scores = p.closed(closure)
        scores.need_coherence(TOLERANCE)
        indptr, tip, value = _stop_masses(scores, rescale=excess == "rescale")
        return cls._of_tips(hierarchy, indptr, tip, value, scores.ids)

    @classmethod
    @takes_hierarchy
    def from_scenarios(
        cls,
        scenarios: Mapping[Any, Iterable[tuple[float, Any]]]
        | Iterable[Iterable[tuple[float, Any]]],
        hierarchy: Hierarchy,
    ) -> LabelDistribution:
        """Build from explicit label sets.

        Parameters
        ----------
        scenarios
            For every instance ``[(p, labels), …]``; a dict by ids, or a list.
        hierarchy
            The classes.

        Raises
        ------
        BadInput
            For unknown labels, and probabilities that do not add up to 1.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
        >>> scenarios = [[(0.75, ["a", "b"]), (0.25, [])]]
        >>> LabelDistribution.from_scenarios(scenarios, tree).marginals().dense()[0].tolist()
        [0.75, 0.75, 0.75]
        """
        check_order(scenarios, "scenarios (one entry per instance)")
        ids, listed = None, cast(Any, scenarios)
        if isinstance(scenarios, Mapping):
            ids, listed = tuple(scenarios), scenarios.values()
        rows = [list(row) for row in listed]
        try:
            pairs = [(i, float(p), labels) for i, row in enumerate(rows) for p, labels in row]
        except (TypeError, ValueError):
            raise BadInput("a scenario is a pair (probability, labels)") from None
        told = replace(
            label_rows([labels for _, _, labels in pairs], hierarchy),
            where=lambda j, _: f"instance {shown((ids or range(len(rows)))[pairs[j][0]])}",
        )
        sets = LabelSets.from_rows(told, hierarchy)
        indptr = offsets(np.array([*map(len, rows)], dtype=np.int64))
        return cls.from_sets(hierarchy, indptr, np.array([p for _, p, _ in pairs]), sets, ids)

    @classmethod
    def from_sets(
        cls,
        hierarchy: Hierarchy,
        indptr: Indices,
        p: Floats,
        sets: LabelSets,
        ids: Sequence[Hashable] | None = None,
    ) -> LabelDistribution:
        """Build from arrays: see the attributes.

        Raises
        ------
        BadInput
            For an instance whose probabilities are not ≥ 0 or do not add up to 1.
        """
        if len(p) != len(sets) or indptr[-1] != len(p):
            raise BadInput(
                f"there are {len(p)} probabilities, {len(sets)} label sets, and indptr ends at "
                f"{indptr[-1]}"
            )
        sets = LabelSets.from_labels(sets, hierarchy)
        names = None if ids is None else tuple(ids)
        found = cls(hierarchy, np.array(indptr, np.int64), np.array(p, float), sets, names)
        rows, wrong = found.row, ~((found.p >= 0) & (found.p <= 1 + TOLERANCE))
        refuse(
            wrong,
            lambda k: f"a probability must be in [0, 1], got {found.p[k]!s}",
            lambda k: found.name(rows[k]),
        )
        total = np.bincount(rows, found.p, minlength=len(found))
        refuse(np.abs(total - 1) > TOLERANCE, lambda i: (
            f"the probabilities add up to {total[i]:.6g}, not 1; divide them by their sum, or "
            "give the rest to a scenario without labels"
        ), found.name)  # fmt: skip
        return found

    @classmethod
    def _of_tips(
        cls,
        hierarchy: Hierarchy,
        indptr: Ints,
        tip: Shorts,
        value: Floats,
        ids: Sequence[Hashable] | None,
    ) -> LabelDistribution:
        """Build from one label per scenario; a tip -1 is no label."""
        n, numbering = len(hierarchy), hierarchy.numbering
        sets = LabelSets(offsets(tip >= 0), tip[tip >= 0], n, numbering=numbering)
        return cls.from_sets(hierarchy, indptr, value, sets, ids)

    def __repr__(self) -> str:
        kind = "single labels" if self.is_single_path else "several labels"
        n = counted(len(self), "instance")
        return f"<LabelDistribution: {n}, {counted(len(self.p), 'scenario')}, {kind}>"

    @cached_property
    def is_single_path(self) -> bool:
        """Whether every scenario has at most one label."""
        return bool(self.sets.lengths.max(initial=0) <= 1)

    @cached_property
    def tips(self) -> Ints:
        """The one label of every scenario, -1 for none; only for single paths."""
        tips = np.full(len(self.p), -1)
        tips[self.sets.lengths == 1] = self.sets.indices
        return tips

    def part(self, lo: int, hi: int) -> LabelDistribution:
        """Return the instances ``lo … hi - 1``."""
        indptr, some = taken(self.indptr, slice(lo, hi))
        ids = None if self.ids is None else self.ids[lo:hi]
        return self.some(indptr, some, sets=self.sets.take(some), ids=ids)

    def members(self) -> LabelSets:
        """Return the closed set of every scenario: labels with all their ancestors."""
        h, n = self.hierarchy, len(self.p)
        if self.is_single_path:
            owner, node = ancestors_of(h, self.sets.indices)
            return LabelSets(row_pointer(self.sets.row[owner], n), node, len(h))
        return LabelSets.of_keys(augmented_keys(h, self.sets), n, len(h))

    def marginals(self) -> NodeScores:
        """Return the probability of every class to be a true label or an ancestor of one."""
        return self._total(self.members())

    def label_marginals(self) -> NodeScores:
        """Return the probability of every class to be a label itself; ancestors are not added."""
        return self._total(self.sets)

    def _total(self, sets: LabelSets) -> NodeScores:
        """Return the probability of every (instance, class) of these sets."""
        n = len(self.p)
        member = sparse_rows(sets.indptr, sets.indices, len(self.hierarchy))
        weigh = sparse_rows(self.indptr, np.arange(n), n, self.p)
        total = weigh @ member
        del weigh, member  # each is larger than what comes of them
        total.eliminate_zeros()
        total.sort_indices()
        indices, values = total.indices.astype(np.int32, copy=False), total.data
        np.minimum(values, 1.0, out=values)
        return NodeScores(self.hierarchy, total.indptr.astype(np.int64), indices, values, self.ids)

    def sample(self, size: int, seed: int | np.random.Generator = 0) -> Ints:
        """Draw scenarios, shape ``(n_instances, size)``: numbers of rows of ``sets``."""
        rng = np.random.default_rng(seed)
        running = np.concatenate([[0.0], np.cumsum(self.p)])
        low, high = running[self.indptr[:-1]], running[self.indptr[1:]]
        u = low[:, None] + rng.random((len(self), size)) * (high - low)[:, None]
        drawn = np.searchsorted(running, u, side="right") - 1
        scenario: Ints = np.minimum(drawn, self.indptr[1:, None] - 1)
        return scenario


def check_probability(what: str, given: Any) -> None:
    """Refuse what is no probability, such as a threshold in per cent."""
    check_number(what, given, "in [0, 1]", lambda x: 0 <= x <= 1)


LawOrScores: TypeAlias = LabelDistribution | NodeScores
"""A distribution, or scores where the probability of each class is enough."""


# ------------------------------------------------- from classes to the ends of their paths


class Places(NamedTuple):
    """Scores of a tree or forest, entry by entry: instance, class, score, where that of the class's
    parent is, or -1, and the entries of every level from the top.
    """

    row: Ints
    node: Shorts
    p: Floats
    parent: Ints
    levels: list[Ints]


def places_of(scores: NodeScores) -> Places:
    """Return where the scores of parents are in the same instances."""
    row, node = scores.row, scores.indices
    above = scores.hierarchy.parent[node]
    at = np.full(len(above), -1)
    below = np.flatnonzero(above >= 0)
    at[below] = scores.place(row[below], above[below])
    return Places(row, node, scores.values, at, groups_by(scores.hierarchy.levels[node]))


def counted_scores(scores: NodeScores, root: Any) -> NodeScores:
    """Return the scores of all classes but those that ``root`` excludes."""
    return scores.only(counted_classes(scores.hierarchy, root)[scores.indices])


def _stop_masses(scores: NodeScores, *, rescale: bool) -> tuple[Ints, Shorts, Floats]:
    """Return CSR arrays of (instance, class at which the path stops, probability).

    The class -1 stands for no label: what the roots lack to 1. On a DAG the set of a path is its
    last class with all ancestors, so ``p(v) = sum of stop(u) over v and its descendants u``; from
    the bottom up that gives ``stop(v) = p(v) - sum of stop(u) over proper descendants u``.
    """
    h = scores.hierarchy
    if h.shape == "DAG":
        if rescale:
            raise BadInput("excess='rescale' is defined on trees and forests, and this is a DAG")
        stop = _less_what_stops_below(scores)
    else:
        places = places_of(scores)
        value, at = _rescaled(places, len(scores)) if rescale else scores.values, places.parent
        below = np.bincount(at[at >= 0], value[at >= 0], minlength=len(value))
        stop = value - below
    rows = scores.row
    if stop.min(initial=0.0) < -TOLERANCE:
        worst = int(stop.argmin())
        raise BadInput(
            f"instance {shown(scores.name(rows[worst]))}: what is below class "
            f"{shown(h.names[int(scores.indices[worst])])} adds up to {-stop[worst]:.3g} more "
            "than it has, so no distribution over single paths has these probabilities; "
            "excess='rescale' scales it down; or give the scenarios themselves"
        )
    stop = np.maximum(stop, 0.0)
    none = 1 - np.bincount(rows, stop, minlength=len(scores))
    keep, lacking = stop > 0, np.flatnonzero(none > TOLERANCE)
    row = np.concatenate([rows[keep], lacking])
    tip = np.concatenate([scores.indices[keep], np.full(len(lacking), -1)])
    mass = np.concatenate([stop[keep], none[lacking]])
    order = np.lexsort((tip, row))
    indptr = row_pointer(row, len(scores))
    return indptr, tip[order].astype(np.int32), mass[order]


def _less_what_stops_below(scores: NodeScores) -> Floats:
    """Level by level from the bottom: what has stopped below is taken from every ancestor."""
    h, rows = scores.hierarchy, scores.row
    above = ancestor_closure(h, scores.indices)
    stop = scores.values.copy()
    for here in reversed(groups_by(h.levels[scores.indices])):
        nodes = scores.indices[here]
        owner, ancestors = above.expanded(nodes)
        proper = ancestors != nodes[owner]
        owner = here[owner[proper]]
        at = scores.place(rows[owner], ancestors[proper])
        np.subtract.at(stop, at[at >= 0], stop[owner[at >= 0]])
    return stop


def _rescaled(places: Places, n: int) -> Floats:
    """Scale the children of a class down to what it has, from the top (tree or forest)."""
    value = places.p.copy()
    for depth, here in enumerate(places.levels):
        key, room = (places.parent[here], value) if depth else (places.row[here], np.ones(n))
        total = np.bincount(key, value[here], minlength=len(room))
        share = np.minimum(1.0, np.divide(room, total, out=np.ones(len(room)), where=total > 0))
        value[here] *= share[key]
    return value
