"""Probabilities against what happened: proper scores, calibration by level, reliability.

Calibration errors look at probabilities in bins: in bins of equal width or in ranges of equally
many, of the most probable class or of all; and, with its faults, as hiclass 5.0 does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, check_choice, counted, shown
from hierpair.hierarchy import Hierarchy, counted_classes
from hierpair.hierarchy.arrays import Floats, Ints, marked, ratio, row_numbers, starts_of_ties
from hierpair.labels import LabelSets, Unknown, lowest_labels, match_instances
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.sets import augmented_keys
from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.option import OPTIONS
from hierpair.measures.scored.system import (
    LevelPairs,
    Scored,
    levels_of,
    listed_pairs,
    pairs_by_level,
    scored_of,
)
from hierpair.tables.records import Records
from hierpair.tables.result import NumberTable, down, flattened

if TYPE_CHECKING:
    from hierpair.measures.pooling import ClassTotals
    from hierpair.measures.recipes.batch import Batch

LEVEL_SCORES = ("brier", "log_loss", "ece", "sce", "ace")
"""Scores of one level; lower is better for all."""

INFINITE = "the truth had probability 0, so the score is infinite"

TOLERANCE = 1e-5
"""Children may have so much more than their parent: rounding of single precision."""


def node_brier(
    truth: LabelSets, scores: NodeScores, *, weights: Any = 1.0, root: Any = "exclude"
) -> Floats:
    """Return Σ_v w(v) (p(v) − [v ∈ T])² of every instance, T augmented by ancestors.

    It is proper for any weights ≥ 0, and strictly proper where all are above 0.
    """
    of_class = np.where(counted_classes(scores.hierarchy, root), weights, 0.0)
    pairs = listed_pairs(truth, scores, of_class > 0)
    part = (pairs.value - pairs.true) ** 2 * of_class[pairs.column]
    return np.bincount(pairs.row, part, minlength=len(truth)).astype(np.float64)


def log_score(scored: Scored) -> Floats:
    """Return −log P(the true path) of every instance, in nats; inf where it was held impossible.

    The path that ends at a class v has the probability p(v) less that of its children. Nothing is
    clipped; a single root without a score has 1.
    """
    h, names = scored.hierarchy, scored.hierarchy.names
    row, label = lowest_labels(h, scored.truth)
    lengths = np.bincount(row, minlength=len(scored))
    scored.refuse(lengths != 1, lambda i: (
        f"the log score is of one true path each, and the labels are {lengths[i]} paths; "
        "node_brier takes any sets"
    ))  # fmt: skip
    label = label[np.argsort(row, kind="stable")]
    rows = np.arange(len(scored))
    p = scored.scores.at(rows, label)
    if h.has_one_root:  # every instance has it, whether a score says so or not
        p[(label == h.root_indices[0]) & (p == 0)] = 1
    pointer, children = h.children_of(label)
    owner, count = row_numbers(pointer), np.diff(pointer)
    scored.refuse((count > 0) & (h.shape == "DAG"), lambda i: (
        f"the true path ends at the inner class {shown(names[label[i]])}, and in a DAG the "
        "probabilities of classes do not say how probable that is"
    ))  # fmt: skip
    p -= np.bincount(owner, scored.scores.at(owner, children), minlength=len(scored))
    scored.refuse(p < -TOLERANCE, lambda i: (
        f"the children of class {shown(names[label[i]])} have {-p[i]:.3g} more than it has, so no "
        "distribution over paths has these probabilities"
    ))  # fmt: skip
    with np.errstate(divide="ignore"):
        found: Floats = np.abs(np.log(np.maximum(p, 0.0)))
    return found


def ace(level: LevelPairs, bins: int = 10) -> float:
    """Return the adaptive calibration error of a level (Nixon et al. 2019)."""
    ranges = class_ranges(level, bins)
    n, gaps = (x.reshape(level.k, -1)[level.aside[1] < level.n] for x in (ranges.n, ranges.gaps))
    return float((ratio(gaps, n, 0).sum(axis=1) / (n > 0).sum(axis=1)).mean())


BinCells = tuple[Ints, Any, Any, Any]
"""Instance of a level, cell, what was said and what happened: of every instance, or every pair."""


@dataclass(frozen=True)
class ScoreByLevel:
    """A score by level as sums by cell, such as a bin: it is the sizes of the sums of every level.

    ``cells`` says which instances are in which cells of a level, and what was said of them there.
    """

    cells: Callable[..., BinCells]
    options: tuple[tuple[str, Any], ...] = ()

    columns: ClassVar = (
        Column("off", "how far what happened is from what was said", float),
        Column("judged", "a level of an instance"),
        Column("impossible", "an instance of which nothing that was said possible is true"),
    )

    def __call__(self, options: Mapping[str, Any]) -> ScoreByLevel:
        """Return the recipe with these options."""
        return replace(self, options=tuple(options.items()))

    def entries(self, batch: Batch) -> Entries:
        """Return what the instances of a batch add to cells.

        The number of a cell is its place in the level, times that of levels, plus the level.
        """
        scored = scored_of(batch)
        how, n_levels = dict(self.options), scored.hierarchy.n_levels
        del how["over_levels"]
        none = np.empty(0, np.int64)
        parts = [(none, none, np.empty(0), none > 0)]
        for level in levels_of(scored, how.pop("root")):
            row, cell, said, happened = self.cells(level, **how)
            every, judged = np.full(level.n, level.level), np.ones(level.n, dtype=bool)
            parts.append((level.instances, every, np.zeros(level.n), judged))
            row, number = level.instances[row], cell * n_levels + level.level + 0 * row
            parts.append((row, number, happened - said, np.zeros(len(row), dtype=bool)))
        row, number, off, judged = map(np.concatenate, zip(*parts, strict=True))
        never = np.isinf(off)
        columns = {"off": np.where(never, 0, off), "judged": judged, "impossible": never}
        return Entries(len(scored), row.astype(np.int32), number, columns, n_levels)

    def compute(self, batch: Batch) -> Columns:
        """Return what an instance adds, were it alone."""
        e = batch.entries(self)
        found: dict[str, Any] = {
            name: np.bincount(e.row, np.abs(each), len(batch)) for name, each in e.columns.items()
        }
        return found | ({INFINITE: found["impossible"] > 0} if found["impossible"].any() else {})

    def pooled(self, totals: ClassTotals) -> Floats:
        """Return the mean or sum over levels, from the sums of their cells."""
        level = np.arange(totals.n_classes)[:, None] == totals.numbers % totals.n_classes
        off, judged, never = (np.abs(totals.columns[c.name]) @ level.T for c in self.columns)
        each = np.where(never > 0, np.inf, ratio(off, judged, 0.0))
        n = (judged > 0).sum(axis=1)
        over = n if dict(self.options)["over_levels"] == "mean" else np.minimum(n, 1)
        return ratio(each.sum(axis=1), over)


def of_levels(off: Floats, judged: Floats, impossible: Floats, *, over_levels: str) -> Floats:
    """Return the mean or sum over the levels of an instance."""
    found = ratio(off, judged if over_levels == "mean" else np.minimum(judged, 1))
    return np.where(impossible > 0, np.inf, found)


def brier_cells(level: LevelPairs) -> BinCells:
    """Return the squares of every pair."""
    return level.row, 0, 0, (level.value - level.true) ** 2


def loss_cells(level: LevelPairs, clip: float) -> BinCells:
    """Return the log losses of instances, of one true class each."""
    with np.errstate(divide="ignore"):
        losses = np.abs(np.log(np.clip(level.true_values(), clip, 1 - clip)))
    return np.arange(level.n), 0, 0, losses


def top_cells(level: LevelPairs, bins: int, right: Floats | None = None) -> BinCells:
    """Put the largest probability of every instance into bins, beside whether it was right.

    ``right`` says so if it is not the class of this probability that is judged.
    """
    highest, share = level.top()
    return np.arange(level.n), _bin(highest, bins), highest, share if right is None else right


def class_cells(level: LevelPairs, bins: int) -> BinCells:
    """Put the probabilities of every class into bins of its own, as shares of the classes.

    Every instance weighs the same.
    """
    more, cell = level.k / (level.k - level.aside[0]), level.column * bins + _bin(level.value, bins)
    said, happened = (each * more[level.row] / level.k for each in (level.value, level.true))
    return level.row, cell, said, happened


class Bins(NamedTuple):
    """How many probabilities fall into every bin, their sum, and the sum of what happened."""

    n: Ints
    confidence: Floats
    outcome: Floats

    @property
    def gaps(self) -> Floats:
        """How far apart both sums are in every bin."""
        return np.abs(self.outcome - self.confidence)

    def gap_sum(self) -> float:
        """Return Σ n_b |share of what happened − mean probability| over bins."""
        return float(self.gaps.sum())


def _score_of(level: LevelPairs, cells: BinCells) -> float:
    """Return how far apart the sums of all cells of a level are, per instance."""
    return _binned(cells, 0).gap_sum() / level.n


def _binned(cells: BinCells, size: int) -> Bins:
    """Add up what is in at least so many cells."""
    _, *of = map(np.ravel, np.broadcast_arrays(*cells))
    n, *sums = (np.bincount(of[0], each, size) for each in (None, *of[1:]))
    return Bins(n, *(each.astype(np.float64) for each in sums))


def class_ranges(level: LevelPairs, ranges: int) -> Bins:
    """Put the probabilities of every class into ranges of equally many instances.

    The ranges are cut at ⌊j n / R⌋ of the n sorted probabilities that count; equal ones stay
    together, in the range where the first of them is. The ranges of a class stand side by side.
    """
    order = np.lexsort((level.value, level.column))
    column, value, true = level.column[order], level.value[order], level.true[order]
    listed, n = np.bincount(column, minlength=level.k), level.n - level.aside[1]
    place = np.arange(len(value)) + (n - np.cumsum(listed))[column]
    new = marked(starts_of_ties(value, column), len(value))
    place[new & (value == 0)] = 0  # true ones without a score are as low as what is not listed
    place = place[np.maximum.accumulate(np.where(new, np.arange(len(value)), 0))]
    at = ((place + 1) * ranges - 1) // n[column]
    found = _binned((column, column * ranges + at, value, true), level.k * ranges)
    lowest = (ranges - 1) // np.maximum(n, 1)
    found.n[np.arange(level.k) * ranges + lowest] += n - listed
    return found


def _bin(p: Floats, bins: int) -> Ints:
    """Return the bin [a, b) of every probability; the last one is closed."""
    return np.minimum(np.digitize(p, np.linspace(0, 1, bins + 1)) - 1, bins - 1)


def _as_hiclass(level: LevelPairs, bins: int, right: Floats) -> tuple[float, ...]:
    """Return the scores of a level as hiclass 5.0 computes them, from all pairs.

    A top probability of 1 falls out of all bins. SCE and ACE count the instances whose
    prediction is right, whatever the class; SCE is NaN for two classes, where hiclass stops. In
    ACE equal probabilities are parted by an unstable sort, and empty ranges count as 0.
    """
    n, k = level.n, level.k
    single, true = np.zeros((n, k), dtype=np.float32), np.zeros((n, k), dtype=bool)
    single[level.row, level.column] = level.value
    true[level.row, level.column] = level.true
    eps, loss = np.finfo(np.float32).eps, math.nan
    if true.sum() == n:
        loss = float(np.mean(-np.log(np.clip(single[true], eps, 1 - eps))))
    # the sort of NumPy in single precision decides where equal probabilities go
    order = np.argsort(np.ascontiguousarray(single.T), axis=1)
    p = single.astype(np.float64)

    def gaps(p: Floats) -> float:
        row, column = np.nonzero(p != 1)
        inside = p[row, column]
        cell = column * bins + _bin(inside, bins)
        return _binned((row, cell, inside, right[row]), p.shape[1] * bins).gap_sum() / n

    cuts = np.floor(np.linspace(0, n, bins + 1)).astype(int)
    cell = np.arange(k)[:, None] * bins + np.digitize(np.arange(n), cuts) - 1
    said = np.take_along_axis(p.T, order, axis=1)
    ranges = _binned((order, cell, said, right[order]), k * bins)
    return (
        float(((p - true) ** 2).sum() / n),
        loss,
        gaps(p.max(axis=1, keepdims=True)),
        gaps(p) / k if k > 2 else math.nan,
        float(ratio(ranges.gaps, ranges.n, 0).sum() / (k * bins)),
    )


@dataclass(frozen=True, eq=False, repr=False)
class LevelScores(NumberTable):
    """Scores of the probabilities of every level.

    Attributes
    ----------
    level, n_instances, n_classes
        Number of every level that any truth reaches, the instances that have a class there, and
        the classes of the level.
    brier, log_loss, ece, sce, ace
        Scores, each an array over the levels.
    bins
        Into how many bins or ranges probabilities were put.
    """

    level: Ints
    n_instances: Ints
    n_classes: Ints
    brier: Floats
    log_loss: Floats
    ece: Floats
    sce: Floats
    ace: Floats
    bins: int = 10

    columns: ClassVar = {
        "level": "level",
        "instances": "n_instances",
        "classes": "n_classes",
        **{name: name for name in LEVEL_SCORES},
    }

    def over_levels(self, name: str, how: Literal["mean", "sum"] = "mean") -> float:
        """Return the mean or sum of a score over levels, whatever their size."""
        check_choice("the score", name, LEVEL_SCORES)
        check_choice("levels", how, ("mean", "sum"))
        values: Floats = getattr(self, name)
        return float(values.mean() if how == "mean" else values.sum())

    def shown(self) -> tuple[list[str], list[list[Any]]]:
        """Return the levels, and their mean."""
        head, rows = self.records.header, self.records.rows
        marked = [f"{name} ↓" if name in LEVEL_SCORES else name for name in head]
        return marked, [*map(list, rows), ["mean", "", "", *map(self.over_levels, LEVEL_SCORES)]]

    @property
    def notes(self) -> list[str]:  # type: ignore[override] # as it follows from the bins
        """What the numbers are over."""
        return [
            "every level is over the instances that have a true class there; "
            f"{counted(self.bins, 'bin')}; ece, sce and ace are not proper scores: constant base "
            "rates have 0"
        ]


def level_scores(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    clip: float = 0,
    root: Any = "exclude",
    y_pred: Any = None,
    preset: Literal["hiclass"] | None = None,
    unknown: Unknown = "error",
) -> LevelScores:
    """Return Brier score, log loss, ECE, SCE and ACE of every level.

    Of level l with n instances that have a true class there and K classes:

    - Brier: (1/n) Σ_i Σ_k (p_i(k) − [k is true])².
    - Log loss: −(1/n) Σ_i log p_i(true class); inf where that was 0, if nothing is clipped, and
      NaN where an instance has several true classes.
    - ECE (Guo et al. 2017): ``Σ_b (n_b/n) |share of right top classes − mean top probability|``,
      bins [a, b) of equal width, the last one closed.
    - SCE (Nixon et al. 2019): the mean over classes k of the same sum with p(k) for the top
      probability and the share of instances of k for the right ones.
    - ACE (Nixon et al. 2019): as SCE with ranges of equally many instances; equal probabilities
      stay together in the range of the first of them; the mean over ranges that are not empty.

    Parameters
    ----------
    y_true, y_score, hierarchy, root, unknown
        As for :func:`hierpair.metrics.class_areas`.
    bins
        Bins of equal width, or ranges of equally many instances.
    clip
        Probabilities are moved into [clip, 1 − clip] before their logarithm is taken.
    y_pred
        Predicted labels: what is right in ECE is then these, not the top class of the level.
    preset
        ``"hiclass"``: as hiclass 5.0 computes them from ``y_pred``, with its faults: single
        precision; a probability of 1 falls out of all bins; SCE and ACE count the right
        predictions, not the instances of class k, and SCE is not defined (NaN) for two classes;
        equal probabilities are parted by an unstable sort and empty ranges count as 0.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")])
    >>> matrices = [[[0.75, 0.25], [0.5, 0.5]], [[0.75, 0.25], [0.25, 0.75]]]
    >>> found = level_scores(["c", "d"], matrices, tree)
    >>> found.brier.tolist(), found.over_levels("ece")
    ([0.3125, 0.125], 0.1875)
    """
    OPTIONS["bins"].refuse_wrong(bins, "level_scores")
    OPTIONS["clip"].refuse_wrong(clip, "level_scores")
    if preset is not None:
        check_choice("preset", preset, ("hiclass",))
        if y_pred is None or clip:
            raise BadInput("hiclass counts the classifier's predictions and clips by 1.2e-7; give "
                           "y_pred, and leave clip out")  # fmt: skip
    scored, predicted = Scored.of_labels(y_true, y_score, hierarchy, unknown), None
    if y_pred is not None:
        given = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
        predicted = match_instances(scored.truth, given, system="y_pred")
    numbers, found = [], []
    for level in pairs_by_level(scored, root):
        right = None if predicted is None else _right(level, predicted)
        numbers.append([level.level, level.n, level.k])
        if preset is not None and right is not None:
            found.append(_as_hiclass(level, bins, right))
            continue
        one_true = level.true.sum() == level.n
        loss = _score_of(level, loss_cells(level, clip)) if one_true else math.nan
        cells = brier_cells(level), top_cells(level, bins, right), class_cells(level, bins)
        brier, *errors = (_score_of(level, each) for each in cells)
        found.append((brier, loss, *errors, ace(level, bins)))
    return LevelScores(*np.array(numbers).T, *np.array(found).T, bins=bins)  # type: ignore[misc]


def _right(level: LevelPairs, predicted: LabelSets) -> Floats:
    """Return which of the instances of a level have one of their true classes there predicted."""
    h, row, column = level.scored.hierarchy, level.row[level.true], level.column[level.true]
    keys = level.instances[row] * len(h) + level.classes[column]
    hit = np.isin(keys, augmented_keys(h, predicted))
    return np.minimum(np.bincount(row[hit], minlength=level.n), 1).astype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(NumberTable):
    """Mean probabilities and what came true, by level and bin.

    Attributes
    ----------
    level
        Numbers of the levels.
    n
        How many instances have their largest probability in every bin, shape
        ``(n_levels, bins)``.
    confidence, accuracy
        Their mean, and the share that came true; NaN in an empty bin.
    """

    level: Ints
    n: Ints
    confidence: Floats
    accuracy: Floats

    @property
    def bins(self) -> int:
        """Into how many bins of equal width [0, 1] is cut."""
        return int(self.n.shape[1])

    @property
    def signature(self) -> str:  # type: ignore[override] # as it follows from the bins
        """What was computed, in one line."""
        return f"reliability(bins={self.bins})|hierpair {__version__}"

    def error(self) -> Floats:
        """Return the calibration error of every level.

        It is the mean of ``|accuracy − confidence|`` over bins, weighted by n: the ECE.
        """
        gaps = np.nan_to_num(np.abs(self.accuracy - self.confidence))
        return ratio((self.n * gaps).sum(axis=1), self.n.sum(axis=1))

    @property
    def records(self) -> Records:
        """One record per level and bin, also of empty bins."""
        edges = np.linspace(0, 1, self.bins + 1)
        ends = {"from": edges[:-1], "to": edges[1:]}
        each = {"n": self.n, "confidence": self.confidence, "accuracy": self.accuracy}
        return flattened(self.n.shape, level=down(self.level.tolist()), **ends, **each)

    def shown(self) -> tuple[Sequence[str], list[list[Any]]]:
        """Return the bins that are not empty."""
        rows = [[k, f"{low:g}", f"{high:g}", *of] for k, low, high, *of in self.records.rows]
        return self.records.header, [row for row in rows if row[3]]

    notes = ("n counts instances of the level by their largest probability",)


def reliability(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    root: Any = "exclude",
    unknown: Unknown = "error",
) -> Reliability:
    """Return what the largest probabilities of instances came to, by level, with counts.

    :func:`hierpair.plots.plot_reliability` draws it.

    Parameters
    ----------
    y_true, y_score, hierarchy, root, unknown
        As for :func:`hierpair.metrics.class_areas`.
    bins
        How many bins [a, b) of equal width; the last one is closed.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> found = reliability(["a", "b"], [[[0.75, 0.25], [1, 0]]], tree, bins=2)
    >>> found.n.tolist(), found.confidence[0, 1], found.accuracy[0, 1]
    ([[0, 2]], np.float64(0.875), np.float64(0.5))
    """
    OPTIONS["bins"].refuse_wrong(bins, "reliability")
    levels = pairs_by_level(Scored.of_labels(y_true, y_score, hierarchy, unknown), root)
    sums = [_binned(top_cells(level, bins), bins) for level in levels]
    n, p, o = (np.array(of) for of in zip(*sums, strict=True))
    return Reliability(np.array([x.level for x in levels]), n, ratio(p, n), ratio(o, n))
