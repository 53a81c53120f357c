"""How many witnesses of a property a measure violates, by domain, and the least of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.verification.properties.statement import DOMAINS, Property, Witnesses

__all__ = ["VERDICTS", "Count", "Found", "Tally", "Verdict", "clustered_wilson", "wilson"]

Verdict = Literal[
    "holds", "violated", "violated in all drawn", "always violated", "undefined", "vacuous"
]

VERDICTS = {
    "holds": "no witness violates it",
    "violated": "some witnesses violate it",
    "violated in all drawn": "every random witness violates it, and small hierarchies have none",
    "always violated": "every witness violates it, also all in small hierarchies",
    "undefined": "no witness has values",
    "vacuous": "it holds, as the measure does not see the difference: it never prefers a near "
    "miss to a far one",
}
"""What a verdict says."""


@dataclass(frozen=True)
class Count:
    """How many witnesses obey a property.

    Attributes
    ----------
    n, n_violated, n_undefined
        Witnesses that have values, those among them that violate it, and those without values.
    n_hierarchies
        Hierarchies that the ``n`` are in.
    n_drawn
        How many of the ``n`` were drawn: that all of these violate it proves nothing.
    """

    n: int = 0
    n_violated: int = 0
    n_undefined: int = 0
    n_hierarchies: int = 0
    n_drawn: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.n + other.n,
            self.n_violated + other.n_violated,
            self.n_undefined + other.n_undefined,
            self.n_hierarchies + other.n_hierarchies,
            self.n_drawn + other.n_drawn,
        )

    @property
    def verdict(self) -> Verdict:
        """What they say together."""
        if not self.n:
            return "undefined"
        if not self.n_violated:
            return "holds"
        if self.n_violated < self.n:
            return "violated"
        return "always violated" if self.n_drawn < self.n else "violated in all drawn"

    @property
    def share(self) -> float:
        """Violations among the witnesses that have values; nan without any."""
        return self.n_violated / self.n if self.n else np.nan


@dataclass(frozen=True, eq=False)
class Found:
    """A violation.

    Attributes
    ----------
    rank
        What it is compared by: the least one is shown. Whether it was drawn, classes, labels.
    witness
        The one witness.
    values
        The values of its cells.
    """

    rank: tuple[int, ...]
    witness: Witnesses
    values: tuple[float, ...]

    @property
    def random(self) -> bool:
        """Whether it was drawn."""
        return bool(self.rank[0])


@dataclass
class Tally:
    """What is known of one measure and one property so far.

    Attributes
    ----------
    gone_through, drawn
        Counts by domain: of all witnesses in small hierarchies, and of random ones.
    n_hierarchies
        Hierarchies with witnesses that have values: small ones, random ones.
    clusters
        Of random ones: witnesses and violations of every hierarchy.
    least
        The least violation.
    reason
        Why the first witness without a value has none.
    """

    gone_through: list[Count] = field(default_factory=lambda: [Count()] * len(DOMAINS))
    drawn: list[Count] = field(default_factory=lambda: [Count()] * len(DOMAINS))
    n_hierarchies: list[int] = field(default_factory=lambda: [0, 0])
    clusters: list[tuple[int, int]] = field(default_factory=list)
    least: Found | None = None
    reason: str = ""

    @property
    def whole(self) -> Count:
        """All counts together, but for hierarchies, which are in several domains."""
        return sum((*self.gone_through, *self.drawn), Count())

    def add(
        self,
        stated: Property,
        found: Witnesses,
        values: NDArray[np.float64],
        *,
        higher: bool,
        random: bool,
        reason: str,
    ) -> None:
        """Count witnesses of one hierarchy, with the values of their cells."""
        defined = np.asarray(np.isfinite(values).all(axis=1))
        turned = values if higher or stated.relation == "in [0, 1]" else -values
        bad = np.zeros(len(found), dtype=bool)
        if defined.any():
            bad[defined] = ~stated.rule.holds(turned[defined])
        counts = self.drawn if random else self.gone_through
        domains = found.domains
        for k in range(len(DOMAINS)):
            mine = domains == k
            n, n_all = int((mine & defined).sum()), int(mine.sum())
            n_bad = int((mine & bad).sum())
            counts[k] += Count(n, n_bad, n_all - n, int(n > 0), n * random)
        self.n_hierarchies[random] += bool(defined.any())
        if random and defined.any():
            self.clusters.append((int(defined.sum()), int(bad.sum())))
        if not defined.all() and not self.reason:
            self.reason = reason
        if bad.any():
            self._consider(found, values, np.flatnonzero(bad), random)

    def _consider(
        self,
        found: Witnesses,
        values: NDArray[np.float64],
        bad: NDArray[np.int64],
        random: bool,
    ) -> None:
        """Keep the least violation: of few classes, then of few labels; then the first."""
        labels = found.n_labels[bad]
        k = int(bad[int(np.argmin(labels))])
        rank = (int(random), max(world.n for world in found.worlds), int(labels.min()))
        if self.least is None or rank < self.least.rank:
            self.least = Found(rank, found.take([k]), tuple(values[k].tolist()))

    def merge(self, other: Tally) -> None:
        """Add what was found in the hierarchies after these."""
        self.gone_through = [
            a + b for a, b in zip(self.gone_through, other.gone_through, strict=True)
        ]
        self.drawn = [a + b for a, b in zip(self.drawn, other.drawn, strict=True)]
        self.n_hierarchies = [*map(int.__add__, self.n_hierarchies, other.n_hierarchies)]
        self.clusters += other.clusters
        self.reason = self.reason or other.reason
        if other.least and (self.least is None or other.least.rank < self.least.rank):
            self.least = other.least


def wilson(n_violated: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return a Wilson interval of a share; (0, 1) of nothing.

    >>> print(*(round(x, 3) for x in wilson(0, 100)))
    0.0 0.037
    """
    if not n > 0:
        return 0.0, 1.0
    z2 = float(scipy.special.ndtri((1 + level) / 2)) ** 2
    share = n_violated / n
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return (low if n_violated else 0.0), (high if n_violated < n else 1.0)


def clustered_wilson(
    clusters: Sequence[tuple[int, int]], level: float = 0.95
) -> tuple[float, float]:
    """Return a Wilson interval of a share whose witnesses come in hierarchies.

    The number of witnesses is divided by the design effect: how much more the share varies
    between hierarchies than it would if all witnesses were drawn for themselves. Where no witness
    or every one is violated nothing varies, and the hierarchies are counted instead.

    Parameters
    ----------
    clusters
        Witnesses and violations of every hierarchy.
    level
        The level of confidence.

    Examples
    --------
    >>> alike = clustered_wilson([(10, 5)] * 20)
    >>> apart = clustered_wilson([(10, 10), (10, 0)] * 10)
    >>> print(alike[1] - alike[0] < apart[1] - apart[0])
    True
    """
    if not clusters:
        return 0.0, 1.0
    n, x = np.array(clusters, dtype=np.float64).T
    total, share, m = n.sum(), x.sum() / n.sum(), len(n)
    if share in (0.0, 1.0) or m < 2:
        return wilson(share * m, m, level)
    simple = share * (1 - share) / total
    spread = m / (m - 1) * ((x - share * n) ** 2).sum() / total**2
    effect = max(1.0, spread / simple)
    return wilson(share * total / effect, total / effect, level)
