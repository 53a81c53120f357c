"""How often what was held to be so probable came true: reliability, level by level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, check_choice, counted
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.measures.scored.calibration_bins import Bins, class_bins, top_bins
from hierpair.measures.scored.pairs import pairs_by_level
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

__all__ = ["Reliability", "reliability"]

Judged = Literal["top", "classes"]


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Tabular):
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
    def signature(self) -> str:
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

    def content(self, digits: int | None = None) -> Content:
        """Return the bins that are not empty, with 4 decimals by default."""
        decimals = 4 if digits is None else digits

        def page(_: Any) -> Page:
            rows = [
                [
                    str(level),
                    f"{low:g}",
                    f"{high:g}",
                    str(n),
                    number(p, decimals),
                    number(o, decimals),
                ]
                for level, low, high, n, p, o in self.records.rows
                if n
            ]
            whose = {
                "top": "n counts instances by the largest probability of the level",
                "classes": "n counts pairs of an instance and a class of the level",
            }
            return Page([Block(self.records.header, rows)], [whose[self.judged]], [self.signature])

        return Content(lambda: self.records, page)


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
    check_choice("judged", judged, ("top", "classes"))
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
