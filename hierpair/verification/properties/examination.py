"""Examining measures: which properties they have, with the least counterexamples, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hierpair._version import __version__
from hierpair.errors import BadInput, counted, did_you_mean, shown
from hierpair.evaluation.checked import chosen_measures, refuse_counting
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.measures import Measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.verification.properties.counterexample import Counterexample
from hierpair.verification.properties.plan import Plan, Tallies, tallies_of
from hierpair.verification.properties.statement import (
    DOMAINS,
    KINDS,
    PROPERTIES,
    Property,
    property_named,
)
from hierpair.verification.properties.tallies import Count, Found, Tally, Verdict, clustered_wilson
from hierpair.verification.properties.worlds import check_parts, check_scope, small_worlds

__all__ = ["Claim", "Examination", "Outcome", "examine"]

SEES, SEEN_FROM = "near_beats_far", 5
"""The property that an invariance is worth nothing without, and classes of its least witnesses."""

MOST_CASES = 40
"""Least cases below the table, at most; the records have all."""

TRAITS = {
    "symmetric": ("symmetric",),
    "perfect": ("identity", "constant_optimum"),
    "bounded": ("bounded",),
}
"""Traits of the registry, and the properties that say the same; ``total`` is read from what is
undefined."""


@dataclass(frozen=True)
class Outcome:
    """What became of one property of one measure.

    Attributes
    ----------
    measure, stated
        The measure and the property.
    verdict
        A word of ``VERDICTS``; ``"always violated"`` only where all were gone through.
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
        return Counterexample.of(self.stated, self.measure, self.least)

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


@dataclass(frozen=True)
class Claim:
    """Whether a measure has a trait, and whether the registry says so.

    Attributes
    ----------
    measure, trait
        The measure, and ``"symmetric"``, ``"perfect"``, ``"bounded"`` or ``"total"``.
    declared, found
        Whether the registry says so, and whether no witness speaks against it.
    sentence
        The least witness against it.
    """

    measure: Measure
    trait: str
    declared: bool
    found: bool
    sentence: str = ""

    def __str__(self) -> str:
        if self.declared and not self.found:
            return f"{self.measure.name} is declared {self.trait} and is not: {self.sentence}"
        if self.found and not self.declared:
            return f"{self.measure.name} is {self.trait} as far as was looked, and not declared so"
        return f"{self.measure.name} is {'' if self.found else 'not '}{self.trait}, as declared"


@dataclass(frozen=True, eq=False, repr=False)
class Examination(Tabular):
    """Verdicts of measures and properties: ``found[measure, property]`` is an :class:`Outcome`.

    Attributes
    ----------
    measures, properties
        What was examined.
    outcomes
        By the number of the measure and the name of the property.
    scope, samples, seed, hierarchy
        What was gone through and drawn.
    """

    measures: tuple[Measure, ...]
    properties: tuple[Property, ...]
    outcomes: Mapping[tuple[int, str], Outcome]
    scope: int
    samples: int
    seed: int
    hierarchy: Hierarchy | None = None

    def __repr__(self) -> str:
        sides = counted(len(self.measures), "measure"), len(self.properties)
        return f"Examination({sides[0]}, {sides[1]} properties)"

    def __getitem__(self, key: tuple[str | Measure, str]) -> Outcome:
        """Return what became of one property of one measure.

        Raises
        ------
        BadInput
            For a measure or a property that was not examined.
        """
        named, stated = key
        names = {m.name: m for m in self.measures}
        m = named if isinstance(named, Measure) else names.get(named)
        properties = [p.name for p in self.properties]
        if m is None or m not in self.measures:
            raise BadInput(f"{named} was not examined{did_you_mean(named, names)}")
        if stated not in properties:
            raise BadInput(
                f"the property {stated!r} was not examined{did_you_mean(stated, properties)}"
            )
        return self.outcomes[self.measures.index(m), stated]

    def __iter__(self) -> Iterator[Outcome]:
        """Yield all outcomes, property by property."""
        return (self[m, p.name] for p in self.properties for m in self.measures)

    @property
    def signature(self) -> str:
        """What was gone through and drawn, in one line."""
        of = "" if self.hierarchy is None else f",hierarchy={self.hierarchy.fingerprint[:8]}"
        return (
            f"examine(scope={self.scope},samples={self.samples},seed={self.seed}{of})"
            f"|hierpair {__version__}"
        )

    @property
    def claims(self) -> list[Claim]:
        """What the registry says of the measures, checked in both directions."""
        seen = {p.name for p in self.properties}
        found = []
        for m in self.measures:
            for trait, names in TRAITS.items():
                parts = [self[m, name] for name in names if name in seen]
                if len(parts) < len(names) or not all(part.n for part in parts):
                    continue
                bad = next((part for part in parts if part.n_violated), None)
                least = str(bad.counterexample) if bad and trait in m.definition.traits else ""
                found.append(self._claim(m, trait, bad is None, least))
            if "bounded" in seen:  # its witnesses are all cells
                cells = self[m, "bounded"]
                found.append(self._claim(m, "total", not cells.n_undefined, cells.reason))
        return found

    def _claim(self, m: Measure, trait: str, found: bool, sentence: str) -> Claim:
        declared = trait in m.definition.traits if not m.chosen else found
        return Claim(m, trait, declared, found, sentence)

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the table."""
        n = sum(len(small_worlds(k)) for k in range(1, self.scope + 1))
        said = [
            f"gone through: all {n} hierarchies of a root and at most {self.scope} classes, every "
            "pair of label sets; shares are of these where they have witnesses with violations, "
            "and exact",
        ] * bool(self.scope)
        if self.samples:
            held = [o.interval[1] for o in self if o.verdict == "holds" and o.drawn.n]
            sure = (
                f"; where it holds, fewer than {100 * max(held):.1f} % violate it" if held else ""
            )
            said.append(
                f"drawn: up to {self.samples} random witnesses of a property"
                f"{' in parts of your hierarchy' if self.hierarchy else ''}, seed {self.seed}; "
                f"their shares depend on how they are drawn{sure} (95 %)"
            )
        kinds = dict.fromkeys(p.kind for p in self.properties)
        said.append("kinds: " + "; ".join(f"{k} {KINDS[k]}" for k in kinds))
        if any(o.verdict == "vacuous" for o in self):
            said.append("vacuous: it holds, as the measure cannot see the difference")
        said += [str(c) for c in self.claims if c.declared != c.found]
        for m in self.measures:
            without = [self[m, p.name] for p in self.properties if self[m, p.name].n_undefined]
            if without:
                total = sum(o.n_undefined for o in without)
                said.append(f"{m.name}: {total:,} witnesses have no value: {without[0].reason}")
        return said

    @property
    def records(self) -> Records:
        """One record per measure and property."""
        header = ["measure", "property", "kind", "verdict", "share", "low", "high", "n"]
        header += ["n_violated", "n_undefined", "n_hierarchies", "where", "counterexample"]
        rows = [
            [
                o.measure.name, o.stated.name, o.stated.kind, o.verdict, o.share, *o.interval, o.n,
                o.n_violated, o.n_undefined, o.n_hierarchies, o.where,
                str(o.counterexample or ""), o.measure.signature, self.signature,
            ]
            for o in self
        ]  # fmt: skip
        return Records([*header, "signature", "examination"], rows)

    def content(self, digits: int | None = None, *, cases: bool | None = None) -> Content:
        """Return what is shown.

        Parameters
        ----------
        digits
            Decimals of shares in per cent; by default one below 10, otherwise none.
        cases
            Whether least cases stand below the table; by default where they are not too many.
        """
        return Content(
            lambda: self.records, lambda form: self._page(form, digits, cases), self._data
        )

    def _page(self, form: Form, digits: int | None, cases: bool | None) -> Page:
        heads = [m.label if form.typeset else m.name for m in self.measures]
        rows = [
            [p.name, p.kind, *(_cell(self[m, p.name], digits) for m in self.measures)]
            for p in self.properties
        ]
        blocks = [Block(["property", "kind", *heads], rows, fold=True)]
        found = [o for o in self if o.n_violated]
        if found and (len(found) <= MOST_CASES if cases is None else cases):
            listed = [[o.measure.name, o.stated.name, str(o.counterexample)] for o in found]
            header = ["measure", "property", "least violation"]
            blocks.append(Block(header, listed, "Least violations", align="lll", prose=True))
        signatures = [*(m.signature for m in self.measures), self.signature]
        return Page(blocks, self.notes, signatures)

    def _data(self) -> dict[str, Any]:
        outcomes = []
        for o in self:
            domains = {
                name: {"verdict": c.verdict, "n": c.n, "n_violated": c.n_violated}
                for name, c in o.by_domain.items()
            }
            case = o.counterexample and o.counterexample.to_dict()
            outcomes.append(
                {
                    "measure": o.measure.name, "property": o.stated.name, "verdict": o.verdict,
                    "share": o.share, "interval": o.interval, "n": o.n,
                    "n_violated": o.n_violated, "n_undefined": o.n_undefined,
                    "n_hierarchies": o.n_hierarchies, "by_domain": domains, "reason": o.reason,
                    "counterexample": case,
                }
            )  # fmt: skip
        stated = [
            {"name": p.name, "kind": p.kind, "statement": p.statement, "source": p.source}
            for p in self.properties
        ]
        return {
            "examination": self.signature,
            "measures": [m.signature for m in self.measures],
            "properties": stated,
            "outcomes": outcomes,
            "notes": self.notes,
        }


def _cell(o: Outcome, digits: int | None) -> str:
    """Return a verdict in a word or as a share."""
    if o.verdict == "undefined":
        return "–"
    if o.verdict != "violated":
        return o.verdict.removesuffix(" violated").removeprefix("violated in ")
    share = 100 * o.share
    decimals = (1 if share < 9.95 else 0) if digits is None else digits
    text = f"{share:.{decimals}f} %"
    if not float(text[:-2]):
        text = f"< {10.0**-decimals:.{decimals}f} %"
    if share < 100 and text == f"{100:.{decimals}f} %":
        text = f"> {100 - 10.0**-decimals:.{decimals}f} %"
    return f"{text} ({o.where})" if o.where else text


@takes_hierarchy
def examine(
    measures: Sequence[str | Measure] | str | Measure,
    *,
    properties: Iterable[str] | str | None = None,
    hierarchy: Hierarchy | None = None,
    scope: int = 5,
    samples: int = 2400,
    seed: int = 0,
    n_jobs: int = 1,
    on_progress: OnProgress = None,
) -> Examination:
    """Examine which properties measures have: by trying them, with the least counterexamples.

    Every hierarchy of a root and at most ``scope`` further classes is gone through with every
    pair of label sets, and random witnesses are drawn from larger ones. A property holds if no
    witness of either kind violates it.

    Parameters
    ----------
    measures
        Measures of label sets or their names. A verdict belongs to all options: others may have
        other properties.
    properties
        Names of properties, by default all; ``hierpair.verification.properties.PROPERTIES`` lists
        them, :func:`property_of_measures` adds others.
    hierarchy
        A hierarchy of your own: random witnesses are in parts of it, and in these with what a
        property builds into them. By default they are in any hierarchies.
    scope
        Most classes below the root of the hierarchies that are gone through, at most 6; 0: none.
    samples
        Random witnesses of every property; 0: none.
    seed
        Of the random witnesses. They depend on the property, the kind of hierarchy and their
        number besides, on nothing else that is asked for.
    n_jobs
        Processes; what is found is the same.
    on_progress
        As in :func:`hierpair.score`.

    Returns
    -------
    Examination
        ``found[measure, property]`` has ``verdict``, ``share``, ``counterexample``, …; as a whole
        it is a table in every form.

    Raises
    ------
    BadInput
        For unknown measures or properties, measures of scores, measures whose weights are counted
        from the truth, a ``limit`` that leaves instances unsolved, or a scope that is too large.

    Examples
    --------
    >>> found = examine(["gie", "hf"], properties=["add_right", "add_wrong"], scope=4, samples=0)
    >>> found["hf", "add_right"].verdict, found["hf", "add_right"].n
    ('holds', 4353)
    >>> worst = found["gie", "add_right"]
    >>> worst.verdict, round(worst.share, 2)
    ('violated', 0.34)
    >>> print(worst.counterexample)
    0→1, 0→2: expected gie({1}, {1, 2}) ≤ gie({1}, {2}); is 5 > 2
    """
    check_scope(scope)
    for name, value in (("samples", samples), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadInput(f"{name} must be a whole number ≥ 0, got {shown(value)}")
    if scope == samples == 0:
        raise BadInput("with scope=0 and samples=0 there is nothing to try; raise one of them")
    check_jobs(n_jobs)
    chosen = chosen_measures(measures, {})
    refuse_counting(chosen)
    for m in chosen:
        if m.options.get("limit") is not None:
            raise BadInput(
                f"{m.name}: with a limit some values are given up, so no property can be told; "
                "leave the limit out"
            )
    names = [properties] if isinstance(properties, (str, Property)) else properties
    wanted = tuple(dict.fromkeys(map(property_named, PROPERTIES if names is None else names)))
    if not wanted:
        raise BadInput("no property is named")
    invariant = any(p.invariance for p in wanted)
    tried = tuple(dict.fromkeys((*wanted, PROPERTIES[SEES]))) if invariant else wanted
    parts = None if hierarchy is None else check_parts(hierarchy)
    plan = Plan(chosen, tried, scope, samples, seed, parts)
    with shown_progress(on_progress, "part") as tell:
        tallies = tallies_of(plan, n_jobs, tell)
    blind = _blind(plan, tallies) if invariant else set()
    outcomes = {
        (k, p.name): outcome_of(m, p, tallies[k, p.name], blind=k in blind)
        for k, m in enumerate(chosen)
        for p in wanted
    }
    return Examination(chosen, wanted, outcomes, scope, samples, seed, hierarchy)


def _blind(plan: Plan, tallies: Tallies) -> set[int]:
    """Return the numbers of the measures that never prefer a near miss to a far one.

    Its smallest witnesses have five classes, so these are gone through whatever the scope.
    """
    more: Tallies = {}
    if plan.scope < SEEN_FROM:
        small = replace(plan, properties=(PROPERTIES[SEES],), scope=SEEN_FROM)
        more = tallies_of(replace(small, samples=0))
    blind = set()
    for k in range(len(plan.measures)):
        seen = sum((x[k, SEES].whole for x in (tallies, more) if x), Count())
        if seen.n and seen.n == seen.n_violated:
            blind.add(k)
    return blind
