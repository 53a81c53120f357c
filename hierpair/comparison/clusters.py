"""Measures in clusters, those that agree most joined first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.comparison.analysis import Analysis
from hierpair.errors import BadInput
from hierpair.evaluation.looks import Look
from hierpair.hierarchy.arrays import Floats
from hierpair.tables.records import Block, Form, Records
from hierpair.tables.result import plain

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
        rows = [
            [plain(d, look.decimals), *(", ".join(heads[m] for m in of) for of in both)]
            for *both, d in self.merges
        ]
        return [Block(["distance", "cluster", "joined with"], rows, align="rll")]

    def records(self) -> Records:
        """Return a record for every two clusters that are joined."""
        rows = [
            [d, " ".join(a), " ".join(b), self.cophenetic, self.about] for a, b, d in self.merges
        ]
        return Records(["distance", "cluster", "joined_with", "cophenetic", "about"], rows)


def clustered(
    measures: tuple[str, ...], values: Floats, about: str, signatures: tuple[str, ...]
) -> Clusters:
    """Return the clusters of measures, from their correlations.

    Raises
    ------
    BadInput
        For fewer than two measures, or a correlation that is not defined.
    """
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
