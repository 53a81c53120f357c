"""Whether a measure meets a need, by what an examination found, and the order that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hierpair.errors import counted
from hierpair.measures import Measure, measure
from hierpair.verification.label_facts import DataFacts
from hierpair.verification.needs import RECOMMENDATIONS, Need, Recommendation
from hierpair.verification.properties import DOMAINS, Counterexample, Examination, Outcome

__all__ = ["TOLERATED", "AdvisedMeasure", "NeedEvidence", "advised", "domains_of", "evidence_of"]

TOLERATED = 0.05
"""Share of witnesses that may violate a property of a need that is met."""


@dataclass(frozen=True)
class NeedEvidence:
    """What was found of one measure for one property of a need.

    Attributes
    ----------
    need, stated
        The names of the need and of the property.
    status
        ``"holds"``, ``"rarely violated"`` (at most 5 %), ``"violated"``, ``"blind"`` (it holds,
        as the measure cannot see the difference), ``"undefined"`` (it has no values there), or
        ``"not tried"`` (there was no witness: the scope is too small, or nothing is drawn);
        ``"violated as wanted"`` or ``"not violated"`` where the need is that it is violated.
    share, n, n_undefined
        Violations among the witnesses with values, their number, and those without values, in the
        domains of the need. The share is the larger one of those of small hierarchies, of which
        there are many witnesses, and of random ones, which are few beside them.
    domains
        Where that was: of ``DOMAINS``.
    outcome
        What the examination found, in all domains.
    """

    need: str
    stated: str
    status: str
    share: float
    n: int
    n_undefined: int
    domains: tuple[str, ...]
    outcome: Outcome

    @property
    def meets(self) -> bool:
        """Whether it is as the need wants it."""
        return self.status in ("holds", "rarely violated", "violated as wanted")

    @property
    def fails(self) -> bool:
        """Whether it is not; what was not tried neither meets nor fails."""
        return not self.meets and self.status != "not tried"

    @property
    def case(self) -> Counterexample | None:
        """The least violation, if there is one in the domains of the need; otherwise None."""
        least = self.outcome.counterexample
        return least if least is not None and _domain_of(least) in self.domains else None

    def __str__(self) -> str:
        if self.status == "undefined":
            return f"{self.stated} undefined: {self.outcome.reason}"
        if self.status == "violated" and self.share == 1:
            proved = any(
                self.outcome.by_domain[d].verdict == "always violated" for d in self.domains
            )
            return f"{self.stated} {'always violated' if proved else 'violated in all drawn'}"
        text = f"{self.stated} {self.status}"
        return f"{text} ({percent(self.share)})" if self.share > 0 else text


@dataclass(frozen=True)
class AdvisedMeasure:
    """One measure of an advice.

    Attributes
    ----------
    measure, rank
        The measure, and its place: 1 is the first choice.
    met, violated
        Needs, by name.
    evidence
        What was found, for every property of every need.
    cautions
        What has to be known when it is used on these data.
    recommendations
        What papers say of it.
    """

    measure: Measure
    rank: int
    met: tuple[str, ...]
    violated: tuple[str, ...]
    evidence: tuple[NeedEvidence, ...]
    cautions: tuple[str, ...]
    recommendations: tuple[Recommendation, ...]

    @property
    def name(self) -> str:
        """The name of the measure, with the options that were given."""
        return self.measure.name

    @property
    def violations(self) -> list[NeedEvidence]:
        """The evidence against it."""
        return [found for found in self.evidence if found.fails]


def domains_of(need: Need, facts: DataFacts | None) -> tuple[str, ...]:
    """Return where the properties of a need are judged: as the data are, or as the need says."""
    if facts is None:
        return need.domains
    shape = "DAG" if facts.is_dag else "tree"
    if not facts.has_labels:
        return tuple(d for d in DOMAINS if d.startswith(shape))
    return tuple(
        d for d in DOMAINS if d.startswith(shape) and (facts.most > 1 or not d.endswith("several"))
    )


def evidence_of(outcome: Outcome, need: Need, domains: Sequence[str]) -> NeedEvidence:
    """Return what an outcome says of a need, in the first of these that has witnesses.

    The domains of the data, those with as many labels as one likes in the same shape, those of the
    need, all: a property that is about several labels says nothing of one.
    """
    shapes = {d.split(",")[0] for d in domains}
    wider = tuple(d for d in DOMAINS if d.split(",")[0] in shapes)
    for where in (tuple(domains), wider, need.domains, DOMAINS):
        counts = [outcome.by_domain[d] for d in where]
        if any(c.n or c.n_undefined for c in counts):
            break
    n, bad = sum(c.n for c in counts), sum(c.n_violated for c in counts)
    without = sum(c.n_undefined for c in counts)
    drawn = [outcome.drawn_by_domain[d] for d in where]
    n_drawn, bad_drawn = sum(c.n for c in drawn), sum(c.n_violated for c in drawn)
    shares = [x / of for x, of in ((bad - bad_drawn, n - n_drawn), (bad_drawn, n_drawn)) if of]
    share = max(shares, default=float("nan"))
    name = outcome.stated.name
    if not n:
        status = "undefined" if without else "not tried"
    elif name in need.reversed_properties:
        status = "violated as wanted" if share > TOLERATED else "not violated"
    elif outcome.verdict == "vacuous":
        status = "blind"
    elif share > TOLERATED:
        status = "violated"
    else:
        status = "rarely violated" if bad else "holds"
    return NeedEvidence(need.name, name, status, share, n, without, where, outcome)


def advised(
    measures: Sequence[Measure],
    needs: Sequence[Need],
    examined: Examination | None,
    facts: DataFacts | None,
) -> tuple[AdvisedMeasure, ...]:
    """Return measures with what was found of each, ranked.

    Of two measures the first is that which meets the first need, in their order, that only one of
    them meets. Numbers of violations do not count, nor shares of them: they are no scale. Where
    both meet the same needs, the order is that of the first choices of the needs.
    """
    firsts = [measure(name) for need in needs for name in need.first]
    found = []
    for m in measures:
        evidence = tuple(
            evidence_of(examined[m, name], need, domains_of(need, facts))
            for need in needs
            for name in need.asked
            if examined is not None
        )
        against = {e.need for e in evidence if e.fails}
        untold = {e.need for e in evidence if e.status == "not tried"}
        asked = [need.name for need in needs if need.asked]
        found.append(
            AdvisedMeasure(
                m, 0,
                tuple(name for name in asked if name not in against | untold),
                tuple(name for name in asked if name in against),
                evidence, _cautions(m, evidence, facts),
                tuple(r for r in RECOMMENDATIONS if m.definition.name in r.measures),
            )
        )  # fmt: skip

    def place(one: AdvisedMeasure) -> tuple[list[bool], int]:
        fails = [need.name in one.violated for need in needs]
        return fails, firsts.index(one.measure) if one.measure in firsts else len(firsts)

    ranked = sorted(found, key=place)
    return tuple(replace(one, rank=k) for k, one in enumerate(ranked, start=1))


def _cautions(
    m: Measure, evidence: Sequence[NeedEvidence], facts: DataFacts | None
) -> tuple[str, ...]:
    """Return what has to be known of a measure, for these data first."""
    said = []
    for e in evidence:
        if e.status == "rarely violated":
            case = f": {e.case}" if e.case else ""
            said.append(f"{e.stated} is violated now and then, {percent(e.share)}{case}")
    without = [e for e in evidence if e.n_undefined and e.n]
    if without:
        said.append(
            f"it does not have a value everywhere, for example: {without[0].outcome.reason}"
        )
    if facts is not None and facts.coherent and m.definition.name in ("hf", "hp", "hr"):
        flat = {"hf": "f", "hp": "precision", "hr": "recall"}[m.definition.name]
        said.append(f"the labels are coherent: of coherent predictions it is {flat}")
    if facts is not None and facts.n_empty:
        total = "total" in m.definition.traits
        empty = f"{counted(facts.n_empty, 'instance', ',')} without labels"
        said.append(
            f"{empty}: say what an empty truth counts"
            if total
            else f"{empty}: it is not defined for all label sets"
        )
    return tuple(dict.fromkeys((*said, *m.definition.cautions)))


def percent(share: float) -> str:
    """Return a share in per cent, rounded to what can be told.

    >>> percent(0.345), percent(0.0123), percent(0.9999)
    ('34 %', '1.2 %', '> 99 %')
    """
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"


def _domain_of(case: Counterexample) -> str:
    several = any(len(c.truth) > 1 or len(c.predicted) > 1 for c in case.cells)
    in_trees = all(c.world.is_tree for c in case.cells)
    return DOMAINS[several + (0 if in_trees else 2)]
