"""Probabilities of levels against what happened: proper scores, calibration, reliability.

Calibration errors look at probabilities in bins: in bins of equal width or in ranges of equally
many, of the most probable class or of all; and, with its faults, as hiclass 5.0 does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, check_choice, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Indices, Ints, ratio
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.options import OPTIONS
from hierpair.measures.scored.number_tables import NumberTable
from hierpair.measures.scored.pairs import LevelPairs, augmented_keys, pairs_by_level
from hierpair.tables.records import Records
from hierpair.tables.result import down, flattened

Judged = Literal["top", "classes"]
JUDGED = {
    "top": "instances by the largest probability",
    "classes": "pairs of an instance and a class",
}
"""Whose probabilities are put into bins."""

LEVEL_SCORES = ("brier", "log_loss", "ece", "sce", "ace")
"""Scores of one level; lower is better for all."""

OverLevels = Literal["mean", "sum"]


def brier(level: LevelPairs) -> float:
    """Return the Brier score of a level, in [0, 2] where classes exclude each other."""
    return float(((level.value - level.true) ** 2).sum() / level.n)


def log_loss(level: LevelPairs, clip: float = 0) -> float:
    """Return the log loss of a level in nats; of one true class each."""
    p = level.true_values()
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(np.clip(p, clip, 1 - clip))).mean())


def ece(level: LevelPairs, bins: int = 10, right: Floats | None = None) -> float:
    """Return the expected calibration error of a level (Guo et al. 2017)."""
    return top_bins(level, bins, right).gap_sum() / level.n


def sce(level: LevelPairs, bins: int = 10) -> float:
    """Return the static calibration error of a level (Nixon et al. 2019)."""
    return class_bins(level, bins).gap_sum() / level.n / level.k


def ace(level: LevelPairs, bins: int = 10) -> float:
    """Return the adaptive calibration error of a level (Nixon et al. 2019)."""
    ranges = class_ranges(level, bins)
    n_filled = (ranges.n > 0).sum(axis=1)
    return float((ratio(ranges.gaps, ranges.n, 0).sum(axis=1) / n_filled).mean())


class Bins(NamedTuple):
    """What falls into every bin, shape ``(rows, bins)``: sums, which can be added up.

    Attributes
    ----------
    n
        How many probabilities.
    confidence, outcome
        Their sum, and the sum of what happened (1 or 0).
    """

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


def _binned(
    row: Indices | int, at: Indices, shape: tuple[int, int], p: Floats, outcome: Floats | Bools
) -> Bins:
    """Put probabilities into bins, given by row and place."""
    cell, size = (row * shape[1] + at).ravel(), shape[0] * shape[1]
    sums = (np.bincount(cell, of, size) for of in (None, p.ravel(), outcome.ravel()))
    n, *more = (of.reshape(shape) for of in sums)
    return Bins(n, *(of.astype(np.float64) for of in more))


def top_bins(level: LevelPairs, bins: int, right: Floats | None = None) -> Bins:
    """Put the largest probability of every instance into bins, beside whether it was right.

    ``right`` says so if it is not the class of this probability that is judged.
    """
    highest, share = level.top()
    return _binned(0, _bin(highest, bins), (1, bins), highest, share if right is None else right)


def class_bins(level: LevelPairs, bins: int) -> Bins:
    """Put the probabilities of every class into bins, shape ``(n_classes, bins)``."""
    at = _bin(level.value, bins)
    found = _binned(level.column, at, (level.k, bins), level.value, level.true)
    found.n[:, 0] += level.n - found.n.sum(axis=1)  # what is not listed has probability 0
    return found


def class_ranges(level: LevelPairs, ranges: int) -> Bins:
    """Put the probabilities of every class into ranges of equally many instances.

    The ranges are cut at ⌊j n / R⌋ of the sorted probabilities; equal ones stay together, in the
    range where the first of them is. Shape ``(n_classes, ranges)``.
    """
    order = np.lexsort((level.value, level.column))
    column, value, true = level.column[order], level.value[order], level.true[order]
    listed = np.bincount(column, minlength=level.k)
    place = np.arange(len(value)) + (level.n - np.cumsum(listed))[column]
    new = np.ones(len(value), dtype=bool)  # whether it is the first of equal ones
    new[1:] = (value[1:] != value[:-1]) | (column[1:] != column[:-1])
    place[new & (value == 0)] = 0  # true ones without a score are as low as what is not listed
    place = place[np.maximum.accumulate(np.where(new, np.arange(len(value)), 0))]
    cuts = np.arange(ranges + 1) * level.n // ranges
    at = np.searchsorted(cuts, np.append(place, 0), side="right") - 1
    found = _binned(column, at[:-1], (level.k, ranges), value, true)
    found.n[:, at[-1]] += level.n - listed
    return found


def _bin(p: Floats, bins: int) -> Ints:
    """Return the bin [a, b) of every probability; the last one is closed."""
    at: Ints = np.minimum(_open_bin(p, bins), bins - 1)
    return at


def _open_bin(p: Floats, bins: int) -> Ints:
    return np.digitize(p, np.linspace(0, 1, bins + 1)) - 1


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
    each, top = np.broadcast_to(right, (k, n)).T, p.max(axis=1)
    class_of = np.broadcast_to(np.arange(k), (n, k))
    certain, out = top == 1, p == 1
    of_top = _binned(0, _open_bin(top[~certain], bins), (1, bins), top[~certain], right[~certain])
    of_class = _binned(class_of[~out], _open_bin(p[~out], bins), (k, bins), p[~out], each[~out])
    cuts = np.floor(np.linspace(0, n, bins + 1)).astype(int)
    at = np.broadcast_to(np.digitize(np.arange(n), cuts) - 1, (k, n))
    ranges = _binned(
        np.arange(k)[:, None], at, (k, bins), np.take_along_axis(p.T, order, axis=1), right[order]
    )
    return (
        float(((p - true) ** 2).sum() / n),
        loss,
        of_top.gap_sum() / n,
        of_class.gap_sum() / n / k if k > 2 else math.nan,
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

    def over_levels(self, name: str, how: OverLevels = "mean") -> float:
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
    truth: LabelSets,
    scores: NodeScores,
    *,
    bins: int = 10,
    clip: float = 0,
    root: Any = "exclude",
    predicted: LabelSets | None = None,
    preset: Literal["hiclass"] | None = None,
) -> LevelScores:
    """Return Brier score, log loss, ECE, SCE and ACE of every level.

    Of level l with n instances that have a true class there and K classes:

    - Brier: (1/n) Σ_i Σ_k (p_i(k) − [k is true])².
    - Log loss: −(1/n) Σ_i log p_i(true class); inf where that was 0, if nothing is clipped, and
      NaN where an instance has several true classes.
    - ECE (Guo et al. 2017): Σ_b (n_b/n) |share of right top classes − mean top probability|,
      bins [a, b) of equal width, the last one closed.
    - SCE (Nixon et al. 2019): the mean over classes k of the same sum with p(k) for the top
      probability and the share of instances of k for the right ones.
    - ACE (Nixon et al. 2019): as SCE with ranges of equally many instances; equal probabilities
      stay together in the range of the first of them; the mean over ranges that are not empty.

    Parameters
    ----------
    truth, scores
        Of the same instances in the same order; the truth is augmented by ancestors. An instance
        without a true class at a level is left out there.
    bins
        How many bins or ranges.
    clip
        Probabilities are moved into [clip, 1 − clip] before their logarithm is taken; 0: they
        stay as they are.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    predicted
        Predicted labels: what is right in ECE is then these, not the top class of the level.
    preset
        ``"hiclass"``: as hiclass 5.0 computes them, with its faults, from ``predicted``:
        single precision; a probability of 1 falls out of all bins; SCE and ACE count the right
        predictions, not the instances of class k, and SCE is not defined (NaN) for two classes;
        equal probabilities are parted by an unstable sort and empty ranges count as 0.

    Raises
    ------
    BadInput
        Where no instance has a class that counts.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    >>> law = [[0.75, 0.25, 0.5, 0.25, 0.25], [0.5, 0.5, 0.5, 0, 0.5]]
    >>> scores = NodeScores.from_array(law, tree, classes=list("abcde"))
    >>> print(level_scores(LabelSets.from_labels(["c", "e"], tree), scores).to_text(3))
    level  instances  classes  brier ↓  log_loss ↓  ece ↓  sce ↓  ace ↓
    1              2        2    0.312       0.490  0.125  0.375  0.375
    2              2        3    0.438       0.693  0.250  0.167  0.167
    mean                         0.375       0.592  0.188  0.271  0.271
    <BLANKLINE>
    every level is over the instances that have a true class there; 10 bins; ece, sce and ace are not proper scores: constant base rates have 0
    """  # noqa: E501
    OPTIONS["bins"].refuse_wrong(bins, "level_scores")
    OPTIONS["clip"].refuse_wrong(clip, "level_scores")
    if preset is not None:
        check_choice("preset", preset, ("hiclass",))
        if predicted is None or clip:
            raise BadInput("hiclass counts the classifier's predictions and clips by 1.2e-7; give "
                           "predicted, and leave clip out")  # fmt: skip
    numbers, found = [], []
    for level in pairs_by_level(truth, scores, root=root):
        right = None if predicted is None else _right(level, predicted, scores.hierarchy)
        numbers.append([level.level, level.n, level.k])
        if preset is not None and right is not None:
            found.append(_as_hiclass(level, bins, right))
            continue
        loss = log_loss(level, clip) if level.true.sum() == level.n else math.nan
        errors = ece(level, bins, right), sce(level, bins), ace(level, bins)
        found.append((brier(level), loss, *errors))
    return LevelScores(*np.array(numbers).T, *np.array(found).T, bins=bins)  # type: ignore[misc]


def _right(level: LevelPairs, predicted: LabelSets, hierarchy: Hierarchy) -> Floats:
    """Return which of the instances of a level have one of their true classes there predicted."""
    row, column = level.row[level.true], level.column[level.true]
    keys = level.instances[row] * len(hierarchy) + level.classes[column]
    hit = np.isin(keys, augmented_keys(hierarchy, predicted))
    return np.minimum(np.bincount(row[hit], minlength=level.n), 1).astype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(NumberTable):
    """Mean probabilities and what came true, by level and bin.

    Attributes
    ----------
    level
        Numbers of the levels.
    n
        How many probabilities are in every bin, shape ``(n_levels, bins)``.
    confidence, accuracy
        Their mean, and the share that came true; NaN in an empty bin.
    judged
        Whose probabilities: ``"top"``, the largest of every instance, or ``"classes"``, those of
        all classes of the level.
    """

    level: Ints
    n: Ints
    confidence: Floats
    accuracy: Floats
    judged: Judged = "top"

    @property
    def bins(self) -> int:
        """Into how many bins of equal width [0, 1] is cut."""
        return int(self.n.shape[1])

    @property
    def signature(self) -> str:  # type: ignore[override] # as it follows from the bins
        """What was computed, in one line."""
        return f"reliability(judged={self.judged},bins={self.bins})|hierpair {__version__}"

    def error(self) -> Floats:
        """Return the calibration error of every level.

        It is the mean of ``|accuracy − confidence|`` over bins, weighted by n; with
        ``judged="top"`` it is the ECE.
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

    @property
    def notes(self) -> list[str]:  # type: ignore[override] # as it follows from what is judged
        """What is counted."""
        return [f"n counts {JUDGED[self.judged]} of the level"]


def reliability(
    truth: LabelSets,
    scores: NodeScores,
    *,
    bins: int = 10,
    judged: Judged = "top",
    root: Any = "exclude",
) -> Reliability:
    """Return what probabilities came to, level by level, in bins of equal width.

    Parameters
    ----------
    truth, scores
        Of the same instances in the same order; the truth is augmented by ancestors. An instance
        without a true class at a level is left out there.
    bins
        How many bins [a, b); the last one is closed.
    judged
        ``"top"``: the largest probability of every instance and whether its class is true;
        ``"classes"``: the probabilities of all classes of the level.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Raises
    ------
    BadInput
        Where no instance has a class that counts.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> law = [[0.75, 0.25, 0.5, 0.25], [0.5, 0.5, 0.25, 0.25], [1, 0, 0.125, 0.875]]
    >>> scores = NodeScores.from_array(law, tree, classes=list("abcd"))
    >>> found = reliability(LabelSets.from_labels(["c", "b", "c"], tree), scores, bins=4)
    >>> print(found.to_text(3))  # doctest: +ELLIPSIS
    level  from    to  n  confidence  accuracy
    1       0.5  0.75  1       0.500     0.500
    1      0.75     1  2       0.875     1.000
    2       0.5  0.75  1       0.500     1.000
    2      0.75     1  1       0.875     0.000
    <BLANKLINE>
    n counts instances by the largest probability of the level
    <BLANKLINE>
    reliability(judged=top,bins=4)|hierpair ...
    >>> found.error().round(4).tolist()
    [0.0833, 0.6875]
    """
    OPTIONS["bins"].refuse_wrong(bins, "reliability")
    check_choice("judged", judged, tuple(JUDGED))
    levels = list(pairs_by_level(truth, scores, root=root))
    put = top_bins if judged == "top" else class_bins
    sums = [[of.sum(axis=0) for of in put(level, bins)] for level in levels]
    n, p, o = (np.array(of) for of in zip(*sums, strict=True))
    return Reliability(np.array([x.level for x in levels]), n, ratio(p, n), ratio(o, n), judged)
