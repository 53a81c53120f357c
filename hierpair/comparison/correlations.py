"""Rank correlations of rankings of systems, in many rounds at once, and measures in clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hierpair.comparison.analysis import Analysis, rounded
from hierpair.comparison.samples import PAIR_CELLS, pieces
from hierpair.comparison.statistics import all_pairs
from hierpair.errors import BadInput, check_choice
from hierpair.evaluation.looks import Look
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.tables.records import Block, Form, Records

COEFFICIENTS = {
    "kendall_b": "Kendall's tau-b",
    "kendall_a": "Kendall's tau-a",
    "spearman": "Spearman's rho",
}
"""Rank correlations, and what they are called."""


def kendall_tau(x: ArrayLike, y: ArrayLike, variant: Literal["a", "b"] = "b") -> float:
    """Kendall's rank correlation of two rankings of the same systems.

    Parameters
    ----------
    x, y
        One number per system, higher is better in both: turn the sign of errors and ranks.
    variant
        ``"b"``: (C − D) / √((n₀ − n₁)(n₀ − n₂)), with the pairs tied in ``x`` or ``y`` taken out
        of n₀ = n(n − 1)/2; ``"a"``: (C − D) / n₀.

    Returns
    -------
    float
        In [−1, 1]; NaN if there is nothing to compare (all systems tied, or fewer than two).

    Raises
    ------
    BadInput
        If the lengths differ, a number is NaN, or the variant is unknown.

    References
    ----------
    Kendall 1938; the published tables of Kosmopoulos et al. 2014 are tau-b of the scores.

    Examples
    --------
    >>> x, y = [3, 2, 1], [3, 1, 1]
    >>> round(kendall_tau(x, y), 4), round(kendall_tau(x, y, "a"), 4)
    (0.8165, 0.6667)
    """
    check_choice("variant", variant, ("a", "b"))
    return float(rank_correlations(_checked(x, y)[None], f"kendall_{variant}")[0, 0, 1])


def spearman_rho(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's correlation of the (mean) ranks.

    Parameters, range and errors are those of :func:`kendall_tau`.

    Examples
    --------
    >>> round(spearman_rho([3, 2, 1], [3, 1, 1]), 4)
    0.866
    """
    return float(rank_correlations(_checked(x, y)[None], "spearman")[0, 0, 1])


def _checked(x: ArrayLike, y: ArrayLike) -> Floats:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise BadInput(f"two rankings need one number per system each, got {a.shape}, {b.shape}")
    if np.isnan([a, b]).any():
        raise BadInput("a ranking cannot hold nan")
    return np.stack([a, b])


def tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """AP correlation of a ranking with one that is held for true: errors at the top count more.

    2 / (n − 1) · Σ C(i) / (i − 1) − 1 over the ranks i ≥ 2 of ``x``, with C(i) the systems above
    rank i that ``y`` also puts above that one (Yilmaz, Aslam and Robertson 2008). Where ``y`` has a
    tie half a system counts; of systems tied in ``x`` it is the mean over all their orders.

    Parameters
    ----------
    x, y
        One number per system, higher is better in both. The two are not exchangeable.

    Returns
    -------
    float
        In [−1, 1]; NaN for fewer than two systems.

    Examples
    --------
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.3333, 0.7778)
    """
    a, b = _checked(x, y)
    right = 0.5 * (1 + np.sign(b[:, None] - b))  # whether y puts the row above the column
    total = 0.0
    for level in np.unique(-a):
        tied, above = -a == level, -a < level
        n_above, n_tied = int(above.sum()), int(tied.sum())
        of_above = float(right[np.ix_(above, tied)].sum()) / n_tied
        within = np.arange(n_tied)  # tied systems are in either order equally often
        total += float(ratio(of_above + 0.5 * within, n_above + within, 0.0).sum())
    return 2 * total / (len(a) - 1) - 1 if len(a) > 1 else float("nan")


def rank_correlations(rounds: Floats, coefficient: str, weights: Floats | None = None) -> Floats:
    """Return the correlations in every round, shape ``(n_rounds, n_measures, n_measures)``.

    Rounds are higher where better, ``(n_rounds, n_measures, n_systems)``; weights, for Kendall's,
    say how often every system counts in a round, by default once.
    """
    if coefficient == "spearman":
        from scipy.stats import rankdata

        ranks = rankdata(rounds, axis=-1)
        centred = ranks - ranks.mean(axis=-1, keepdims=True)
        square = (centred**2).sum(axis=-1)
        below = np.sqrt(square[:, :, None] * square[:, None])
        return ratio(centred @ centred.swapaxes(1, 2), below)
    pairs, parts = all_pairs(rounds.shape[2]), []
    for some in pieces(len(rounds), PAIR_CELLS // max(1, len(pairs) * rounds.shape[1])):
        signs = pair_signs(rounds[some], pairs)
        counts = np.ones((len(signs), len(pairs)))
        if weights is not None:
            counts = weights[some][:, pairs].prod(axis=2)
        weighted = signs * counts[:, None].astype(np.float32)
        concordance = (weighted @ signs.swapaxes(1, 2)).astype(np.float64)
        untied = (weighted * signs).sum(axis=2, dtype=np.float64)
        below = np.sqrt(untied[:, :, None] * untied[:, None])
        if coefficient == "kendall_a":
            below = counts.sum(axis=1)[:, None, None]
        parts.append(ratio(concordance, below))
    return np.concatenate(parts)


def pair_signs(upwards: Floats, pairs: Ints) -> NDArray[np.float32]:
    """Return which system of every pair is ahead: 1, −1, or 0, along the last axis."""
    first, second = pairs.T
    return np.sign(upwards[..., first] - upwards[..., second]).astype(np.float32)


# --------------------------------------------------------------------------------- clusters


ROUNDED = 12
"""Decimals of distances: what differs by rounding alone is joined as if it were equal."""


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(Analysis):
    """Measures joined step by step, those that agree most first.

    The distance of two measures is 1 less their correlation, that of two clusters the mean over all
    pairs between them (average linkage, UPGMA).

    Attributes
    ----------
    measures
        Names of the measures.
    values
        Their correlations.
    linkage
        As of :func:`scipy.cluster.hierarchy.linkage`: the two clusters that are joined, their
        distance, and the number of measures in the new one, shape ``(n_measures − 1, 4)``.
    order
        Numbers of the measures, so that no two lines of a dendrogram cross.
    cophenetic
        Cophenetic correlation: how far the distances at which two measures are joined are those
        that they have, 1 at best; nan for fewer than three measures or equal distances.
    about
        What the correlations are.
    signatures
        One line per measure that pins all its conventions.
    """

    measures: tuple[str, ...]
    values: Floats
    linkage: Floats
    order: tuple[int, ...]
    cophenetic: float
    about: str
    signatures: tuple[str, ...]

    decimals = 3
    table = "merges"
    told = ("about", "measures", "order=ordered", "cophenetic")

    def cut(self, distance: float) -> list[list[str]]:
        """Return the clusters whose measures are joined up to this distance, the largest first."""
        from scipy.cluster.hierarchy import fcluster

        labels = fcluster(self.linkage, distance, criterion="distance")
        groups: dict[int, list[str]] = {}
        for k in self.order:
            groups.setdefault(int(labels[k]), []).append(self.measures[k])
        return sorted(groups.values(), key=len, reverse=True)

    @property
    def merges(self) -> list[tuple[list[str], list[str], float]]:
        """The two clusters of every step, and their distance."""
        members, found = [[name] for name in self.measures], []
        for one, other, distance, _ in self.linkage.tolist():
            found.append((members[int(one)], members[int(other)], distance))
            members.append(members[int(one)] + members[int(other)])
        return found

    @property
    def notes(self) -> list[str]:
        """What the distances are, and how well the clusters tell them."""
        return [
            f"average linkage on 1 − {self.about}; cophenetic correlation "
            f"{self.cophenetic:.3f}: where a cut is made is a choice"
        ]

    @property
    def ordered(self) -> list[str]:
        """The measures in the order of a dendrogram."""
        return [self.measures[k] for k in self.order]

    def views(self, form: Form, look: Look) -> list[Block]:
        """Return a row for every two clusters that are joined."""
        heads = self.heads(form)
        rows = [[d, *(", ".join(heads[m] for m in of) for of in both)] for *both, d in self.merges]
        return [rounded(["distance", "cluster", "joined with"], rows, look, align="rll")]

    def records(self) -> Records:
        """Return a record for every two clusters that are joined."""
        rows = [
            [d, " ".join(a), " ".join(b), self.cophenetic, self.about] for a, b, d in self.merges
        ]
        return Records(["distance", "cluster", "joined_with", "cophenetic", "about"], rows)


def clustered(
    measures: tuple[str, ...], values: Floats, about: str, signatures: tuple[str, ...]
) -> Clusters:
    """Return the clusters of measures, from their correlations."""
    from scipy.cluster.hierarchy import cophenet, leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(measures) < 2:
        raise BadInput("clusters need at least two measures")
    for i, k in np.argwhere(np.isnan(values)):
        raise BadInput(
            f"{measures[i]} and {measures[k]} have no correlation (nan), since one of them tells "
            "nothing apart; leave it out"
        )
    distances = np.round(1 - (values + values.T) / 2, ROUNDED)
    np.fill_diagonal(distances, 0.0)
    condensed = np.maximum(squareform(distances), 0.0)
    joined = linkage(condensed, "average")
    heights = cophenet(joined)
    varied = len(condensed) > 1 and np.ptp(condensed) > 0 and np.ptp(heights) > 0
    fit = float(np.corrcoef(condensed, heights)[0, 1]) if varied else float("nan")
    order = tuple(leaves_list(joined).tolist())
    return Clusters(measures, values, joined, order, fit, about, signatures)
