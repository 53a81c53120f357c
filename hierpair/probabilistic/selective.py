"""When to stop: answers at inner classes by rules with a threshold, and what each threshold costs.

A rule has for every instance an order of candidates, the most specific first, and answers with the
first one that is probable enough. So an instance changes its answer at few thresholds (its steps);
those of all instances are sorted once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, check_choice, counted, shown
from hierpair.evaluation.checked import check_weight
from hierpair.hierarchy import Hierarchy, ancestors_of, descendant_sums, takes_hierarchy
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    ends_of_ties,
    leaders,
    marked,
    pieces,
    ratio,
    row_pointer,
    running_max,
    starts_of_ties,
)
from hierpair.hierarchy.closure import remembered
from hierpair.labels import LabelSets, NodeScores, match_instances
from hierpair.labels.naming import refuse
from hierpair.labels.node_scores import Closing, scores_of_labels, summed_scores
from hierpair.labels.sets import augmented_keys
from hierpair.measures.limbs import running_sums
from hierpair.probabilistic.distributions import check_probability
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Content, Records
from hierpair.tables.result import flattened, of_points

DecisionRule = Literal["climb", "leaf_or_root", "largest_coverage"]
RULES = get_args(DecisionRule)

CELLS = 4_000_000
"""Candidates that are sorted together."""


def candidates(scores: NodeScores, rule: DecisionRule) -> tuple[Ints, Ints, Floats]:
    """Return instance, class and probability of the answers between which a rule chooses.

    They come by instance, the most specific first.
    """
    check_choice("rule", rule, RULES)
    h = scores.hierarchy
    row, node, p = scores.row, scores.indices.astype(np.int64), scores.values
    if rule != "largest_coverage":
        leaf = np.flatnonzero(h.is_leaf[node])
        best = leaf[leaders(row[leaf], -p[leaf])]
        owner, above = ancestors_of(h, node[best])
        if rule == "leaf_or_root":
            kept = (above == node[best][owner]) | (h.parent[above] < 0)
            owner, above = owner[kept], above[kept]
        row, node = row[best][owner], above.astype(np.int64)
        p = scores.at(row, node)
    order = np.lexsort((node, -p, n_leaves_of(h)[node], row))
    return row[order], node[order], p[order]


@remembered
def n_leaves_of(hierarchy: Hierarchy) -> Floats:
    """Return how many leaves are below every class; of a leaf 1."""
    return descendant_sums(hierarchy, hierarchy.is_leaf.astype(np.float64))


@takes_hierarchy
def as_scores(p: Any, hierarchy: Hierarchy | None = None, closure: Closing = None) -> NodeScores:
    """Return probabilities of classes, with 1 for a single root, and refuse incoherent ones.

    Those of classes may be repaired by a ``closure``; those of leaves alone are added up.
    """
    if hierarchy is None:
        hierarchy = getattr(p, "hierarchy", None)
        if hierarchy is None:
            raise BadInput("name the hierarchy: the probabilities are no NodeScores")
    scores = scores_of_labels(p, hierarchy, source="p")
    if hierarchy.is_leaf[scores.indices].all():  # leaves alone, as files have them
        scores = summed_scores(scores, len(hierarchy.leaf_indices))
    if scores.holds != "classes":
        raise BadInput(
            "answers at inner classes need their probabilities: scores of leaves have to add up "
            "to 1, or give a column per class"
        )
    scores = scores.rooted().closed(closure)
    scores.need_coherence()
    return scores


def _sides(y_true: Any, p: Any, hierarchy: Hierarchy | None) -> tuple[LabelSets, NodeScores]:
    """Return the truth, and the probabilities in its order."""
    scores = as_scores(p, hierarchy)
    truth = LabelSets.from_labels(y_true, scores.hierarchy, source="y_true")
    return truth, match_instances(truth, scores, system="p")


def answers(
    p: Any, rule: DecisionRule = "climb", threshold: float | Mapping[int, float] = 0.5,
    *, hierarchy: Hierarchy | None = None,
) -> LabelSets:  # fmt: skip
    """Return the answer of every instance: the most specific class that is probable enough.

    Parameters
    ----------
    p
        Probabilities: a :class:`LabelDistribution`, :class:`NodeScores`, or with ``hierarchy`` a
        matrix with a column per leaf (they add up to 1) or class.
    rule
        Among which classes: ``"climb"``, the most probable leaf and what is above it;
        ``"leaf_or_root"``, that leaf and the root; ``"largest_coverage"``, all classes, of which
        those with the fewest leaves come first, and of these the most probable.
    threshold
        The least probability of an answer, or inf for none, or by level of a class:
        ``{1: 0.9, 2: 0.8}``, where 0 holds for levels that are not named.
    hierarchy
        The classes, if ``p`` does not know them.

    Returns
    -------
    LabelSets
        A class per instance; none where no candidate is probable enough, as in a forest.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    >>> p = [[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]]
    >>> for rule in RULES:
    ...     found = answers(p, rule, 0.6, hierarchy=tree)
    ...     print(rule, [found.names_of(i, tree) for i in range(2)])
    climb [['a'], ['r']]
    leaf_or_root [['r'], ['r']]
    largest_coverage [['a'], ['a']]
    """
    scores = as_scores(p, hierarchy)
    h = scores.hierarchy
    least = np.zeros(h.n_levels)
    by_level: Any = threshold
    if not isinstance(threshold, Mapping):
        by_level = dict.fromkeys(range(h.n_levels), threshold)
    for level, x in by_level.items():
        if not isinstance(level, (int, np.integer)) or not 0 <= level < len(least):
            raise BadInput(f"threshold: there is no level {shown(level)}")
        if x != math.inf:  # no answer at all
            check_probability("threshold", x)
        least[level] = x

    def first(row: Ints, node: Ints, p_of: Floats) -> tuple[Ints, Ints]:
        some = np.flatnonzero(p_of >= least[h.levels[node]])
        at = some[starts_of_ties(row[some])]
        return row[at], node[at]

    row, node = _chosen(scores, rule, first)
    return LabelSets.from_arrays(row_pointer(row, len(scores)), node, len(h), scores.ids)


def _chosen(scores: NodeScores, rule: DecisionRule, choose: Callable[..., Any]) -> list[Any]:
    """Return what is chosen of the candidates, of so many instances at a time as fit in memory."""
    n, found = max(1, len(scores)), list[Any]()
    for part in pieces(n, CELLS // len(scores.hierarchy) if rule == "largest_coverage" else n):
        row, *more = choose(*candidates(scores.take(part), rule))
        found.append((row + part.start, *more))
    return [np.concatenate(each) for each in zip(*found, strict=True)]


# ----------------------------------------------------------------------------------- the curve


@dataclass(frozen=True, eq=False, repr=False)
class SelectiveCurve(Tabular):
    """Coverage and risk of a rule at every threshold, falling: from no answer but the root on.

    Attributes
    ----------
    threshold
        The least probability of an answer, shape ``(n_points,)``; first inf: only the root.
    coverage
        Mean of ``1 − log|L(ŷ)| / log|N|``, L(ŷ) the leaves below an answer and N all leaves.
    risk
        Share of the answers that are neither true nor above a true class.
    leaves
        Share of the answers that are leaves.
    precision, recall
        Means over instances of I(a) / I(ŷ) and I(a) / I(y) in bits of leaves, I(c) =
        ``−log₂(|L(c)| / |N|)``, a the true class above the answer (or itself) that says most, y the
        truth; 0/0 is 1.
    rule, n_instances
        The rule, and how many instances there are.
    """

    threshold: Floats
    coverage: Floats
    risk: Floats
    leaves: Floats
    precision: Floats
    recall: Floats
    rule: DecisionRule
    n_instances: int

    def __len__(self) -> int:
        return len(self.threshold)

    def area(self) -> float:
        """Return the area under risk over coverage (hAURC), by straight lines from (0, 0).

        In [0, 1], lower is better; what lies beyond the largest coverage is the largest risk's.
        """
        coverage, risk = np.r_[0.0, self.coverage, 1.0], np.r_[0.0, self.risk, self.risk[-1]]
        return float(np.trapezoid(risk, coverage))

    def gain(self, other: SelectiveCurve) -> float:
        """Return by what share its area is smaller than that of another rule, or of one's own.

        The measure of a rule is its gain against ``"leaf_or_root"`` on the same probabilities.
        """
        return 1 - self.area() / other.area() if other.area() else math.nan

    def at_risk(self, risk: float) -> int:
        """Return the number of the point of the largest coverage with at most this risk.

        Its threshold is the one to answer by, if these are instances on which one may be chosen.
        """
        check_probability("risk", risk)
        some = np.flatnonzero(self.risk <= risk)
        return int(some[np.lexsort((some, self.coverage[some]))[-1]])

    def information_area(self) -> float:
        """Return the area under the Pareto front of information precision over recall.

        Each recall has the best precision of all points that reach it.
        """
        recall, precision = self.front()
        return float((np.diff(recall, prepend=0.0) * precision).sum())

    def front(self) -> tuple[Floats, Floats]:
        """Return recall, ascending, and precision of the points that none beats in both."""
        order = np.lexsort((-self.precision, self.recall))
        recall, precision = self.recall[order], self.precision[order]
        best = np.maximum.accumulate(precision[::-1])[::-1]
        last = ends_of_ties(recall)
        return recall[last], best[starts_of_ties(recall)]

    def recall_at(self, correct: float = 0.95) -> float:
        """Return the largest information recall at which so many answers are right."""
        some = self.risk <= 1 - correct
        return float(self.recall[some].max(initial=0.0))

    def records(self) -> Records:
        """Return all points in full precision, a record each."""
        names = "threshold", "coverage", "risk", "leaves", "precision", "recall"
        return flattened((len(self),), **{name: getattr(self, name) for name in names})

    def summary(self, risk: float = 0.05) -> dict[str, Any]:
        """Return the areas, the recall where 95 % are right, and the point of a risk."""
        k = self.at_risk(risk)
        return {
            "rule": self.rule, "hAURC": self.area(), "information area": self.information_area(),
            "recall at 95 %": self.recall_at(), f"threshold at risk {risk:g}":
            float(self.threshold[k]), "coverage": float(self.coverage[k]),
            "risk": float(self.risk[k]), "leaves": float(self.leaves[k]),
        }  # fmt: skip

    def content(self, digits: int | None = None, *, risk: float = 0.05) -> Content:
        """Return what is shown: the areas, and the point of a risk; every point as a record."""
        notes = [f"{counted(self.n_instances, 'instance')}; hAURC ↓: area under risk over coverage"]
        signature = f"selective_curve(rule={self.rule})|hierpair {__version__}"
        return of_points(
            [self.summary(risk)], self.records().to_dicts(), digits, notes, [signature]
        )


def selective_curve(
    y_true: Any,
    p: Any,
    rule: DecisionRule = "climb",
    *,
    hierarchy: Hierarchy | None = None,
    sample_weight: Any = None,
) -> SelectiveCurve:
    """Return what every threshold of a rule gives: coverage, risk, information.

    Parameters
    ----------
    y_true
        True labels, as :func:`hierpair.score` takes them.
    p, rule, hierarchy
        As for :func:`answers`.
    sample_weight
        One weight ≥ 0 per instance.

    Returns
    -------
    SelectiveCurve
        Points by falling threshold (Goren et al. 2024, NeurIPS; Valmadre 2022, NeurIPS).

    Raises
    ------
    BadInput
        For labels or probabilities that do not fit, an instance without a true label, or no
        instance.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    >>> p = [[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]]
    >>> curve = selective_curve(["d", "e"], p, hierarchy=tree)
    >>> curve.threshold.tolist(), curve.risk.tolist()
    ([inf, 1.0, 0.8, 0.5, 0.4], [0.0, 0.0, 0.0, 0.5, 0.5])
    >>> other = selective_curve(["d", "e"], p, "leaf_or_root", hierarchy=tree)
    >>> round(curve.area(), 4), round(curve.gain(other), 4)
    (0.3289, 0.123)
    """
    truth, scores = _sides(y_true, p, hierarchy)
    weight = check_weight(sample_weight, truth)
    weight = np.ones(len(truth)) if weight is None else weight
    if not weight.any():
        raise BadInput("there is no instance, or all sample weights are 0")
    none = truth.lengths == 0
    refuse(none, lambda _: "there is no true label to be right or wrong about", int)
    row, node, x = _chosen(scores, rule, _steps)
    row, node = np.append(np.arange(len(truth)), row), np.append(np.full(len(truth), -1), node)
    x = np.append(np.full(len(truth), np.inf), x)  # all begin with no answer
    row, node, x = (each[np.lexsort((-x, row))] for each in (row, node, x))
    first = marked(starts_of_ties(row), len(row))  # the least specific answer
    order = np.argsort(-x, kind="stable")
    ends = ends_of_ties(x[order])
    whole = np.full(len(ends), math.fsum(weight.tolist()))
    names = "coverage", "risk", "leaves", "precision", "recall"
    means: dict[str, Any] = {
        name: running_sums(each * weight[row], first, order, ends).over(whole)
        for name, each in zip(names, _values(scores.hierarchy, truth, row, node), strict=True)
    }
    return SelectiveCurve(x[order][ends], **means, rule=rule, n_instances=len(truth))


def _steps(row: Ints, node: Ints, p: Floats) -> tuple[Ints, Ints, Floats]:
    """Return instance, class and the largest threshold of every answer of candidates."""
    kept = starts_of_ties(row, running_max(row, p))[::-1]  # above all more specific ones
    return row[kept], node[kept], p[kept]


def _values(h: Hierarchy, truth: LabelSets, row: Ints, node: Ints) -> Floats:
    """Return coverage, risk, being a leaf, and information of answers; of no answer the root's."""
    n_below, n = n_leaves_of(h), int(h.is_leaf.sum())
    bits = np.append(np.maximum(-np.log2(n_below / n), 0.0), 0.0)  # no -0.0
    coverage = np.append(1 - ratio(np.log(n_below), np.array(math.log(n)), 0.0), 0.0)
    keys, said = augmented_keys(h, truth), node >= 0
    right = ~said | np.isin(row * len(h) + node, keys)
    of_truth, shared = np.zeros(len(truth)), np.zeros(len(row))
    np.maximum.at(of_truth, keys // len(h), bits[keys % len(h)])
    owner, above = ancestors_of(h, node[said])
    at = np.flatnonzero(said)[owner]
    is_true = np.isin(row[at] * len(h) + above, keys)
    np.maximum.at(shared, at[is_true], bits[above[is_true]])
    return np.stack([
        coverage[node], ~right, np.append(h.is_leaf, False)[node],
        ratio(shared, bits[node], 1.0), ratio(shared, of_truth[row], 1.0),
    ])  # fmt: skip


def level_thresholds(
    y_true: Any, p: Any, risk: float = 0.05, *, hierarchy: Hierarchy | None = None
) -> dict[int, float]:
    """Return by level the least threshold at which at most so many answers there are wrong.

    They are those of climbing on these instances, to be used on others
    (``answers(p, "climb", thresholds)``). A level that is wrong too often whatever the threshold
    has inf; at a single root, which is never wrong, it is 0.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    >>> p = [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.1, 0.1, 0.8]]
    >>> level_thresholds(["d", "c", "e"], p, hierarchy=tree)
    {0: 0.0, 1: 0.0, 2: 0.6}
    """
    check_probability("risk", risk)
    truth, scores = _sides(y_true, p, hierarchy)
    h, found = scores.hierarchy, dict[int, float]()
    row, node, x = candidates(scores, "climb")
    right: Bools = np.isin(row * len(h) + node, augmented_keys(h, truth))
    for level in range(h.n_levels):
        here = np.flatnonzero(h.levels[node] == level)
        order = here[np.argsort(-x[here], kind="stable")]
        wrong = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
        ends = ends_of_ties(x[order])
        good = ends[wrong[ends] <= risk]
        if not len(good):
            found[level] = math.inf
        else:  # if all answers there are good, whatever their probabilities are
            found[level] = 0.0 if good[-1] == ends[-1] else float(x[order][good[-1]])
    return found
