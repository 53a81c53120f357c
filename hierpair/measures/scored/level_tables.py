"""Tables by level: scores of the probabilities, and how often what was so probable came true."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, check_choice, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.scored.calibration import (
    Bins,
    ace,
    as_hiclass,
    brier,
    class_bins,
    ece,
    log_loss,
    log_loss_as_hiclass,
    sce,
    top_bins,
)
from hierpair.measures.scored.number_tables import NumberTable
from hierpair.measures.scored.pairs import LevelPairs, augmented_keys, pairs_by_level
from hierpair.tables.records import Records

__all__ = [
    "LEVEL_SCORES", "LevelScores", "OverLevels", "Reliability", "level_scores", "reliability",
]  # fmt: skip

Judged = Literal["top", "classes"]
JUDGED = {
    "top": "instances by the largest probability",
    "classes": "pairs of an instance and a class",
}
"""Whose probabilities are put into bins."""

LEVEL_SCORES = ("brier", "log_loss", "ece", "sce", "ace")
"""Scores of one level; lower is better for all."""

FIELDS = ("level", "n_instances", "n_classes", *LEVEL_SCORES)

OverLevels = Literal["mean", "sum"]


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

    def __repr__(self) -> str:
        return f"<LevelScores: {counted(len(self.level), 'level')}>"

    def over_levels(self, name: str, how: OverLevels = "mean") -> float:
        """Return the mean or sum of a score over levels, whatever their size."""
        check_choice("the score", name, LEVEL_SCORES)
        check_choice("levels", how, ("mean", "sum"))
        values: Floats = getattr(self, name)
        return float(values.mean() if how == "mean" else values.sum())

    @property
    def records(self) -> Records:
        """One record per level."""
        rows = zip(*(getattr(self, name).tolist() for name in FIELDS), strict=True)
        return Records(["level", "instances", "classes", *LEVEL_SCORES], [list(r) for r in rows])

    def shown(self) -> tuple[list[str], list[list[Any]]]:
        """Return the levels, and their mean."""
        head = [*self.records.header[:3], *(f"{name} ↓" for name in LEVEL_SCORES)]
        rows = [[*row] for row in self.records.rows]
        return head, [*rows, ["mean", "", "", *map(self.over_levels, LEVEL_SCORES)]]

    @property
    def notes(self) -> list[str]:
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
    if not isinstance(bins, int) or bins < 1:
        raise BadInput(f"bins must be a whole number ≥ 1, got {bins!r}")
    if not 0 <= clip < 0.5:
        raise BadInput(f"clip must be a number ≥ 0 and < 0.5, got {clip!r}")
    if preset is not None:
        check_choice("preset", preset, ("hiclass",))
        if predicted is None:
            raise BadInput("hiclass counts the classifier's predictions; give predicted")
        if clip:
            raise BadInput("hiclass clips by 1.2e-7; leave clip out")
    found = []
    for level in pairs_by_level(truth, scores, root=root):
        right = None if predicted is None else _right(level, predicted, scores.hierarchy)
        if preset is None:
            errors = (ece(level, bins, right), sce(level, bins), ace(level, bins))
            loss = log_loss(level, clip) if level.is_single else math.nan
        else:
            assert right is not None  # asked for above
            level = level.full()  # noqa: PLW2901
            errors = as_hiclass(level, bins, right)
            loss = log_loss_as_hiclass(level) if level.is_single else math.nan
        found.append((level.level, level.n, level.k, brier(level), loss, *errors))
    numbers = dict(zip(FIELDS, np.array(found).T, strict=True))
    whole = {name: numbers.pop(name).astype(np.int64) for name in FIELDS[:3]}
    return LevelScores(**whole, **numbers, bins=bins)


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

    def __repr__(self) -> str:
        return f"<Reliability: {counted(len(self.level), 'level')}, {counted(self.bins, 'bin')}>"

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
        edges = np.linspace(0, 1, self.bins + 1).tolist()
        rows = [
            [int(level), edges[b], edges[b + 1], int(self.n[i, b]),
             float(self.confidence[i, b]), float(self.accuracy[i, b])]
            for i, level in enumerate(self.level)
            for b in range(self.bins)
        ]  # fmt: skip
        return Records(["level", "from", "to", "n", "confidence", "accuracy"], rows)

    def shown(self) -> tuple[Sequence[str], list[list[Any]]]:
        """Return the bins that are not empty."""
        rows = [[k, f"{low:g}", f"{high:g}", *of] for k, low, high, *of in self.records.rows]
        return self.records.header, [row for row in rows if row[3]]

    @property
    def notes(self) -> list[str]:
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
    if not isinstance(bins, int) or bins < 1:
        raise BadInput(f"bins must be a whole number ≥ 1, got {bins!r}")
    check_choice("judged", judged, tuple(JUDGED))
    numbers, found = [], []
    for level in pairs_by_level(truth, scores, root=root):
        numbers.append(level.level)
        if judged == "top":
            found.append(top_bins(level, bins))
        else:
            each = class_bins(level, bins)
            found.append(Bins(*(a.sum(axis=0) for a in (each.n, each.confidence, each.outcome))))
    n, p, o = (np.array([getattr(b, of) for b in found]) for of in ("n", "confidence", "outcome"))
    return Reliability(np.array(numbers), n, ratio(p, n), ratio(o, n), judged)
