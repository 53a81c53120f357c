"""What became of one property of one measure: verdict, shares, domains, counterexample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from hierpair.measures import Measure
from hierpair.verification.properties.counterexample import Counterexample
from hierpair.verification.properties.least_cases import made_small
from hierpair.verification.properties.statement import DOMAINS, Property
from hierpair.verification.properties.tallies import Count, Found, Tally, clustered_wilson

__all__ = ["VERDICTS", "Outcome", "Verdict", "outcome_of"]

Verdict = Literal["holds", "violated", "always violated", "undefined", "vacuous"]

VERDICTS = {
    "holds": "no witness violates it",
    "violated": "some witnesses violate it",
    "always violated": "every witness violates it",
    "undefined": "no witness has values",
    "vacuous": "it holds, as the measure does not see the difference: it never prefers a near "
    "miss to a far one",
}
"""What a verdict says."""


@dataclass(frozen=True)
class Outcome:
    """What became of one property of one measure.

    Attributes
    ----------
    measure, stated
        The measure and the property.
    verdict
        ``"holds"``, ``"violated"``, ``"always violated"``, ``"undefined"`` or ``"vacuous"``.
    gone_through, drawn
        Counts of all witnesses in small hierarchies, and of random ones.
    by_domain
        Counts of both, for trees and DAGs, with one label and several; each has a ``verdict``.
    drawn_by_domain
        The same of the random ones alone, which are few beside the others.
    share
        Violations among the witnesses of small hierarchies; among the random ones where there
        are no others or no others violate it. Shares of random witnesses depend on how they are
        drawn; whether there are none, some or all does not.
    interval
        Of a share of random witnesses, and where it holds: a Wilson interval at 95 %, for which
        witnesses of one hierarchy are not independent. An exact share is its own interval.
    reason
        Why the first witness without values has none.
    least
        The least violation as it was found.
    """

    measure: Measure
    stated: Property
    verdict: Verdict
    gone_through: Count
    drawn: Count
    by_domain: Mapping[str, Count]
    drawn_by_domain: Mapping[str, Count]
    share: float
    interval: tuple[float, float]
    reason: str
    least: Found | None = field(repr=False)

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """The least violation as a case, or None; a random one is made small when it is read."""
        if self.least is None:
            return None
        least = made_small(self.stated, self.measure, self.least)
        return Counterexample.of(
            self.stated, self.measure, least.witness, least.values, drawn=least.random
        )

    @property
    def n(self) -> int:
        """Witnesses that have values."""
        return self.gone_through.n + self.drawn.n

    @property
    def n_violated(self) -> int:
        """Witnesses that violate it."""
        return self.gone_through.n_violated + self.drawn.n_violated

    @property
    def n_undefined(self) -> int:
        """Witnesses without values, which are not counted."""
        return self.gone_through.n_undefined + self.drawn.n_undefined

    @property
    def n_hierarchies(self) -> int:
        """Hierarchies in which the witnesses with values are."""
        return self.gone_through.n_hierarchies + self.drawn.n_hierarchies

    @property
    def where(self) -> str:
        """Where it is violated, if not everywhere: ``"DAGs"``, ``"several labels"``, …."""
        bad = {d for d, count in self.by_domain.items() if count.n_violated}
        seen = {d for d, count in self.by_domain.items() if count.n}
        for word, mine in (
            ("DAGs", {d for d in DOMAINS if d.startswith("DAG")}),
            ("trees", {d for d in DOMAINS if d.startswith("tree")}),
            ("several labels", {d for d in DOMAINS if d.endswith("several")}),
            ("one label", {d for d in DOMAINS if not d.endswith("several")}),
        ):
            if bad and bad <= mine and seen - mine:
                return word
        return ""


def outcome_of(m: Measure, stated: Property, tally: Tally, *, blind: bool) -> Outcome:
    """Return what became of a property.

    Parameters
    ----------
    m, stated, tally
        The measure, the property, and what was counted.
    blind
        Whether the measure never prefers a near miss to a far one.
    """
    through, drawn = (
        replace(sum(counts, Count()), n_hierarchies=n)
        for counts, n in zip((tally.gone_through, tally.drawn), tally.n_hierarchies, strict=True)
    )
    whole = through + drawn
    verdict: Verdict = whole.verdict
    if verdict == "holds" and stated.invariance and blind:
        verdict = "vacuous"
    share, interval = _share(through, drawn, tally)
    return Outcome(
        m,
        stated,
        verdict,
        through,
        drawn,
        dict(zip(DOMAINS, map(Count.__add__, tally.gone_through, tally.drawn), strict=True)),
        dict(zip(DOMAINS, tally.drawn, strict=True)),
        share,
        interval,
        tally.reason,
        tally.least,
    )


def _share(through: Count, drawn: Count, tally: Tally) -> tuple[float, tuple[float, float]]:
    of_random = clustered_wilson(tally.clusters)
    if through.n_violated or not drawn.n:
        return through.share, (through.share, through.share)
    return drawn.share, of_random
