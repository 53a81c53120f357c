"""Probabilities of every level against what happened: Brier, log loss, ECE, SCE and ACE."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, check_choice, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.scored.calibration_bins import class_bins, class_ranges, top_bins
from hierpair.measures.scored.hiclass_calibration import as_hiclass, log_loss_as_hiclass
from hierpair.measures.scored.pairs import LevelPairs, augmented_keys, pairs_by_level
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

__all__ = [
    "LEVEL_SCORES",
    "LevelScores",
    "OverLevels",
    "ace",
    "brier",
    "ece",
    "level_scores",
    "log_loss",
    "sce",
]

LEVEL_SCORES = ("brier", "log_loss", "ece", "sce", "ace")
"""Scores of one level; lower is better for all."""

FIELDS = ("level", "n_instances", "n_classes", *LEVEL_SCORES)

OverLevels = Literal["mean", "sum"]


@dataclass(frozen=True, eq=False, repr=False)
class LevelScores(Tabular):
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

    def content(self, digits: int | None = None) -> Content:
        """Return the levels, and their mean, with 4 decimals by default."""
        decimals = 4 if digits is None else digits

        def page(_: Any) -> Page:
            rows = [
                [*map(str, r[:3]), *(number(x, decimals) for x in r[3:])] for r in self.records.rows
            ]
            means = [number(self.over_levels(name), decimals) for name in LEVEL_SCORES]
            head = [*self.records.header[:3], *(f"{name} ↓" for name in LEVEL_SCORES)]
            note = "every level is over the instances that have a true class there; "
            note += f"{counted(self.bins, 'bin')}; ece, sce and ace are not proper scores: "
            note += "constant base rates have 0"
            return Page([Block(head, [*rows, ["mean", "", "", *means]])], [note])

        return Content(lambda: self.records, page)


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


def _right(level: LevelPairs, predicted: LabelSets, hierarchy: Hierarchy) -> Floats:
    """Return which of the instances of a level have one of their true classes there predicted."""
    row, column = level.row[level.true], level.column[level.true]
    keys = level.instances[row] * len(hierarchy) + level.classes[column]
    hit = np.isin(keys, augmented_keys(hierarchy, predicted))
    return np.minimum(np.bincount(row[hit], minlength=level.n), 1).astype(np.float64)
