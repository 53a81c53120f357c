"""Where two systems differ: instances, classes and subtrees; and scores by depth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from hierpair.comparison.analysis import Analysis, check_whole
from hierpair.comparison.common_scores import on_common
from hierpair.errors import BadInput, listed
from hierpair.evaluation.checked import truth_of
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy import Hierarchy, ancestor_closure, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, ratio, sparse_rows
from hierpair.labels import LabelSets
from hierpair.measures import Measure
from hierpair.tables.records import Block, Form, Records
from hierpair.tables.result import flattened, rounded

KINDS = {
    "ahead": ("instance ahead", "Instances on which {0} is better"),
    "behind": ("instance behind", "Instances on which {1} is better"),
    "classes": ("class", "True classes that add most to the difference"),
    "subtrees": ("subtree", "Subtrees that add most to the difference"),
}
"""What differs, what one of it is, and what heads a table of it."""


class Difference(NamedTuple):
    """An instance, class or subtree on which two systems differ.

    Attributes
    ----------
    name
        Id or position of the instance, or name of the class.
    n
        Instances: those with the class, or a class of the subtree, in their truth.
    value, other
        Mean values of the two systems.
    gain
        How much better the first is on each, on average; negative where it is worse.
    share
        What these instances add to the gain over all instances.
    """

    name: Hashable
    n: int
    value: float
    other: float
    gain: float
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Analysis):
    """Where one system is better than another, and where worse.

    Attributes
    ----------
    system, other, measure
        What is compared.
    gain
        Mean over all instances by which the first is better.
    ahead, behind
        Instances with the largest gain, and with the largest loss.
    classes, subtrees
        True classes, and subtrees, by how much they add to the difference.
    first_only
        That this is the first of several measures, and nobody chose it.
    """

    system: str
    other: str
    measure: Measure
    gain: float
    ahead: tuple[Difference, ...]
    behind: tuple[Difference, ...]
    classes: tuple[Difference, ...]
    subtrees: tuple[Difference, ...]
    first_only: tuple[str, ...] = ()

    told = ("system", "other", "measure=measure.name", "gain", "notes")

    def records(self) -> Records:
        """Return a record per row."""
        header = ["kind", "name", "n", self.system, self.other, "gain", "share", "signature"]
        rows = [
            [kind, *row, *self.signatures]
            for name, (kind, _) in KINDS.items() for row in getattr(self, name)
        ]  # fmt: skip
        return Records(header, rows)

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the tables."""
        return [
            *self.first_only,
            f"{self.measure.name}: {self.system} against {self.other}; gain is positive where "
            f"{self.system} is better, {self.gain:+.4g} on average over all instances",
            "share: what these instances add to that mean; an instance with several classes counts "
            "under each",
        ]

    @property
    def signatures(self) -> list[str]:
        """One line that pins the conventions of the measure for an instance."""
        return [self.measure.of_instance]

    def views(self, form: Form, look: TableLook) -> list[Block]:
        """Return a table of each kind."""
        _, *header, _ = self.records().header
        return [
            rounded(header, of, look.decimals, title.format(self.system, self.other))
            for name, (_, title) in KINDS.items() if (of := getattr(self, name))
        ]  # fmt: skip


@takes_hierarchy
def differ(
    scores: Scores,
    system: str,
    other: str,
    hierarchy: Hierarchy,
    y_true: Any,
    *,
    measure: str | Measure | None = None,
    k: int = 10,
) -> Differences:
    """Return the instances, classes and subtrees on which two systems differ most.

    Parameters
    ----------
    scores
        Scores of both.
    system, other
        Names of the systems.
    hierarchy, y_true
        What was scored.
    measure
        One of the scored measures; by default the first, and of several a note says so.
    k
        Rows of each kind.

    Raises
    ------
    BadInput
        For an unknown system or measure, a system against itself, or a truth with other instances.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    >>> truth = ["b", "c", "d"]
    >>> scores = score(tree, truth, {"x": ["b", "c", "a"], "y": ["b", "b", "d"]}, ["hf"])
    >>> found = differ(scores, "x", "y", tree, truth)
    >>> [(row.name, row.gain) for row in found.classes]
    [('d', -1.0), ('c', 0.5)]
    """
    column = scores.measure_number(measure)
    m = scores.measures[column]
    check_whole(k=k)
    for name in (system, other):
        scores.system_number(name)
    if system == other:
        raise BadInput(f"two different systems are needed, and both are {system!r}")
    truth = scored_truth(scores, hierarchy, y_true)
    sides = np.stack([scores.per_instance[name][:, column] for name in (system, other)], axis=1)
    known = ~np.isnan(sides).any(axis=1)
    sides[~known] = 0.0
    gain, n = m.sign * (sides[:, 0] - sides[:, 1]), max(1, int(known.sum()))

    inner = ~hierarchy.is_leaf
    if hierarchy.has_one_root:  # its subtree is everything
        inner[hierarchy.root_indices] = False
    ids, each = scores.ids or range(len(truth)), scipy.sparse.eye_array(len(truth))
    has = sparse_rows(truth.indptr, truth.indices, len(hierarchy))
    ptr, above = ancestor_closure(hierarchy, truth.indices).gathered(truth.indices)
    below = sparse_rows(ptr[truth.indptr], above, len(hierarchy))
    below.sum_duplicates()
    below.data[:] = 1.0  # each once, of however many labels it is an ancestor
    class_gains, tree_gains = np.abs(has.T @ gain), np.abs(below.T @ gain) * inner
    downwards, found = np.argsort(-gain, kind="stable"), dict[str, Any]()
    for kind, names, having, largest, order in (
        ("ahead", ids, each, gain, downwards),
        ("behind", ids, each, -gain, downwards[::-1]),
        ("classes", hierarchy.names, has, class_gains, np.argsort(-class_gains, kind="stable")),
        ("subtrees", hierarchy.names, below, tree_gains, np.argsort(-tree_gains, kind="stable")),
    ):
        sums, rows = having.T @ np.column_stack([known, sides, gain]), list[Difference]()
        for c in order[:k][largest[order[:k]] > 0].tolist():
            count, one, two, total = sums[c].tolist()
            means = one / count, two / count, total / count
            rows.append(Difference(names[c], int(count), *means, total / n))
        found[kind] = tuple(rows)
    notes: Any = ()
    if measure is None and (others := [x.name for x in scores.measures if x is not m]):
        notes = (
            f"only the first of {len(others) + 1} measures, {m.name}; -m (in Python measure=…) "
            f"chooses another: {listed(others, 3)}",
        )
    return Differences(system, other, m, float(gain.sum()) / n, **found, first_only=notes)


def scored_truth(scores: Scores, hierarchy: Hierarchy, y_true: Any) -> LabelSets:
    """Return the truth that was scored, and refuse one of other instances."""
    truth = truth_of(y_true, hierarchy)
    if len(truth) != scores.n_instances or truth.ids != scores.ids:
        raise BadInput("this truth has other instances than the one that was scored")
    return truth


# ------------------------------------------------------------------------------------ depth


@dataclass(frozen=True, eq=False, repr=False)
class DepthScores(Analysis):
    """Mean values of instances by the depth of their deepest true label.

    Attributes
    ----------
    measure, systems
        What was scored.
    depths, counts
        Depths that occur, and how many instances have them; a parentless class has depth 0,
        an empty truth −1.
    values
        Means, shape ``(n_depths, n_systems)``.
    n_valued
        Of how many instances they are: those without a value, such as those without a possible
        pairing, are left out. Shape ``(n_depths, n_systems)``.
    """

    measure: Measure
    systems: tuple[str, ...]
    depths: Ints
    counts: Ints
    values: Floats
    n_valued: Ints

    @property
    def sizes(self) -> list[str]:
        """By depth, of how many instances the means are, and of how many there are if of fewer."""
        told, ends = [], np.stack([self.n_valued.min(axis=1), self.n_valued.max(axis=1)], axis=1)
        for n, valued in zip(self.counts.tolist(), ends.tolist(), strict=True):
            some = " to ".join(f"{x:,}" for x in dict.fromkeys(valued))
            told.append(f"{some} of {n:,}" if valued[0] < n else some)
        return told

    notes = ("depth of the deepest true label; -1: no true label",)
    table = "depths"

    @property
    def signatures(self) -> list[str]:
        """One line that pins the conventions of the measure."""
        return [self.measure.signature]

    def views(self, form: Form, look: TableLook) -> list[Block]:
        """Return a row per depth."""
        every = zip(self.depths.tolist(), self.sizes, self.values.tolist(), strict=True)
        rows = [[str(d), n, *(look.cell(self.measure, x) for x in of)] for d, n, of in every]
        heads = ["depth", "instances", *self.systems]
        return [Block(heads, rows, look.heading(self.measure, typeset=form.typeset), fold=True)]

    def records(self) -> Records:
        """Return a record per depth and system."""
        return flattened(
            self.values.shape, depth=self.depths[:, None], n_instances=self.counts[:, None],
            system=self.systems, value=self.values, signature=self.measure.signature,
        )  # fmt: skip


@takes_hierarchy
def by_depth(
    scores: Scores, hierarchy: Hierarchy, y_true: Any, *, measure: str | Measure | None = None
) -> DepthScores:
    """Return mean values by the depth of the deepest true label; as :func:`differ`.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "d")])
    >>> scores = score(tree, ["b", "d"], {"x": ["a", "d"]}, ["subset_accuracy"])
    >>> found = by_depth(scores, tree, ["b", "d"])
    >>> found.depths.tolist(), found.values.tolist()
    ([1, 2], [[1.0], [0.0]])
    """
    scores, truth = on_common(scores), scored_truth(scores, hierarchy, y_true)
    column = scores.measure_number(measure)
    deepest = np.full(len(truth), -1, dtype=np.int64)
    np.maximum.at(deepest, truth.row, hierarchy.depths[truth.indices])
    depths, at, counts = np.unique(deepest, return_inverse=True, return_counts=True)
    values = np.stack([scores.per_instance[name][:, column] for name in scores.systems], axis=1)
    known, n = ~np.isnan(values), len(truth)
    of = scipy.sparse.csr_array((np.ones(n), (at, np.arange(n))), (len(depths), n))
    n_valued = (of @ known).astype(np.int64)
    means = ratio(of @ np.where(known, values, 0.0), n_valued)
    return DepthScores(scores.measures[column], scores.systems, depths, counts, means, n_valued)
