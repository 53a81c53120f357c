"""Examining measures: which properties they have, with the least counterexamples, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

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
from hierpair.verification.properties.counting import Count, Plan, Tally, Verdict, clustered_wilson
from hierpair.verification.properties.statement import (
    DOMAINS,
    KINDS,
    PROPERTIES,
    Property,
    property_named,
)
from hierpair.verification.properties.worlds import small_worlds

LARGEST_SCOPE = 6
"""Classes below the root of the largest hierarchies that are gone through: 318 have six."""

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

PLACES = {
    "DAGs": DOMAINS[2:],
    "trees": DOMAINS[:2],
    "several labels": DOMAINS[1::2],
    "one label": DOMAINS[::2],
}
"""What domains have in common, in words."""

BOTH = slice(None)


@dataclass(frozen=True)
class Outcome:
    """What became of one property of one measure.

    Attributes
    ----------
    measure, stated
        The measure and the property.
    tally
        What was counted.
    blind
        Whether the measure never prefers a near miss to a far one.
    """

    measure: Measure
    stated: Property
    tally: Tally = field(repr=False)
    blind: bool = False

    def count(self, how: int | slice = BOTH, domains: Iterable[str] = DOMAINS) -> Count:
        """Return counts in some domains: of small hierarchies (0), random witnesses (1) or both."""
        return Count.of(self.tally.counts[how][..., [*map(DOMAINS.index, domains)], :])

    @property
    def gone_through(self) -> Count:
        """Counts of all witnesses in small hierarchies."""
        return self.count(0)

    @property
    def drawn(self) -> Count:
        """Counts of random witnesses."""
        return self.count(1)

    @property
    def by_domain(self) -> dict[str, Count]:
        """Counts of both, for trees and DAGs, with one label and several."""
        return {domain: self.count(BOTH, (domain,)) for domain in DOMAINS}

    @property
    def verdict(self) -> Verdict:
        """A word of ``VERDICTS``; ``"always violated"`` only where all were gone through."""
        found = self.count().verdict
        return "vacuous" if found == "holds" and self.stated.invariance and self.blind else found

    @property
    def share(self) -> float:
        """Violations among the witnesses of small hierarchies.

        Among the random ones where there are no others or no others violate it. Shares of random
        witnesses depend on how they are drawn; whether there are none, some or all does not.
        """
        return (self.gone_through if self._is_exact else self.drawn).share

    @property
    def _is_exact(self) -> bool:
        return bool(self.gone_through.n_violated or not self.drawn.n)

    @property
    def interval(self) -> tuple[float, float]:
        """Of a share of random witnesses, and where it holds: a Wilson interval at 95 %.

        Witnesses of one hierarchy are not independent for it. An exact share is its own interval.
        """
        if self._is_exact:
            return self.share, self.share
        return clustered_wilson([(n, bad) for random, n, bad in self.tally.clusters if random])

    @property
    def reason(self) -> str:
        """Why the first witness without values has none."""
        return self.tally.reason

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """The least violation as a case, or None; a random one is made small when it is read."""
        least = self.tally.least
        return least and Counterexample.of(self.stated, self.measure, least)

    @property
    def n(self) -> int:
        """Witnesses that have values."""
        return self.count().n

    @property
    def n_violated(self) -> int:
        """Witnesses that violate it."""
        return self.count().n_violated

    @property
    def n_undefined(self) -> int:
        """Witnesses without values, which are not counted."""
        return self.count().n_undefined

    @property
    def n_hierarchies(self) -> int:
        """Hierarchies in which the witnesses with values are."""
        return len(self.tally.clusters)

    @property
    def where(self) -> str:
        """Where it is violated, if not everywhere: ``"DAGs"``, ``"several labels"``, …."""
        for words, inside in PLACES.items():
            outside = self.count(BOTH, {*DOMAINS} - {*inside})
            if self.n_violated and outside.n and not outside.n_violated:
                return words
        return ""


class Claim(NamedTuple):
    """Whether a measure has a trait, and whether the registry says so.

    Attributes
    ----------
    measure, trait
        The measure, and ``"symmetric"``, ``"perfect"``, ``"bounded"`` or ``"total"``.
    declared, found
        Whether the registry says so, and whether no witness speaks against it.
    """

    measure: Measure
    trait: str
    declared: bool
    found: bool


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
        names = [m.name for m in self.measures]
        name = named.name if isinstance(named, Measure) else named
        if name not in names:
            raise BadInput(f"{name} was not examined{did_you_mean(name, names)}")
        found = self.outcomes.get((names.index(name), stated))
        if found is None:
            near = did_you_mean(stated, [p.name for p in self.properties])
            raise BadInput(f"the property {stated!r} was not examined{near}")
        return found

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
        examined = {p.name for p in self.properties}
        found = []
        for m in self.measures:
            told = {}
            for trait, names in TRAITS.items():
                parts = [self[m, name] for name in names if name in examined]
                if len(parts) == len(names) and all(part.n for part in parts):
                    told[trait] = not any(part.n_violated for part in parts)
            if "bounded" in examined:  # its witnesses are all cells
                told["total"] = not self[m, "bounded"].n_undefined
            for trait, holds in told.items():
                found.append(
                    Claim(m, trait, holds if m.chosen else trait in m.definition.traits, holds)
                )
        return found

    def _contradictions(self) -> Iterator[str]:
        """Yield what the registry says otherwise, with the least case."""
        for m, trait, declared, found in self.claims:
            if found and not declared:
                yield f"{m.name} is {trait} as far as was looked, and not declared so"
            elif declared and not found:
                bad = (self[m, name] for name in TRAITS.get(trait, ("bounded",)))
                why = next((o.counterexample for o in bad if o.n_violated), "it has no value")
                yield f"{m.name} is declared {trait} and is not: {why}"

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the table."""
        said = []
        if self.scope:
            n = sum(len(small_worlds(k)) for k in range(1, self.scope + 1))
            said.append(
                f"gone through: all {n} hierarchies of a root and at most {self.scope} classes, "
                "every pair of label sets; shares are of these where they have witnesses with "
                "violations, and exact"
            )
        if self.samples:
            held = [o.interval[1] for o in self if o.verdict == "holds" and o.drawn.n]
            most = percent(max(held, default=1.0), 1)
            said.append(
                f"drawn: up to {self.samples} random witnesses of a property"
                f"{' in parts of your hierarchy' if self.hierarchy else ''}, seed {self.seed}; "
                f"their shares depend on how they are drawn; where one holds, fewer than {most} "
                "violate it (95 %)"
            )
        kinds = dict.fromkeys(p.kind for p in self.properties)
        said.append("kinds: " + "; ".join(f"{k} {KINDS[k]}" for k in kinds))
        if any(o.verdict == "vacuous" for o in self):
            said.append("vacuous: it holds, as the measure cannot see the difference")
        said += self._contradictions()
        for m in self.measures:
            without = [o for o in self if o.measure == m and o.n_undefined]
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
            blocks.append(Block(header, listed, "Least violations", align="lll"))
        signatures = [*(m.signature for m in self.measures), self.signature]
        return Page(blocks, self.notes, signatures)

    def _data(self) -> dict[str, Any]:
        stated = ("name", "kind", "statement", "source")
        return {
            "examination": self.signature,
            "properties": [{name: getattr(p, name) for name in stated} for p in self.properties],
            "outcomes": self.records.to_dicts(),
            "notes": self.notes,
        }


def percent(share: float, digits: int | None = None) -> str:
    """Return a share in per cent, rounded to what can be told; neither 0 nor 100 if it is not.

    >>> percent(0.345), percent(0.0123), percent(0.9999), percent(0.0001)
    ('34 %', '1.2 %', '> 99 %', '< 0.1 %')
    """
    decimals = (1 if share < 0.0995 else 0) if digits is None else digits
    shown, least = (f"{x:.{decimals}f}" for x in (100 * share, 10.0**-decimals))
    if share > 0 and not float(shown):
        return f"< {least} %"
    if share < 1 and float(shown) == 100:
        return f"> {100 - float(least):.{decimals}f} %"
    return f"{shown} %"


def _cell(o: Outcome, digits: int | None) -> str:
    """Return a verdict in a word or as a share."""
    if o.verdict == "undefined":
        return "–"
    if o.verdict != "violated":
        return o.verdict.removesuffix(" violated").removeprefix("violated in ")
    return f"{percent(o.share, digits)} ({o.where})" if o.where else percent(o.share, digits)


@takes_hierarchy
def examine(
    measures: Sequence[str | Measure] | str | Measure,
    *,
    properties: Iterable[str | Property] | str | None = None,
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
    for name, value in {"scope": scope, "samples": samples, "seed": seed}.items():
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if not whole or (name == "scope" and value > LARGEST_SCOPE):
            about = f", classes below the root, 0 to {LARGEST_SCOPE}" * (name == "scope")
            raise BadInput(f"{name} must be a whole number ≥ 0{about}, got {shown(value)}")
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
    sees = (PROPERTIES[SEES],) * invariant
    plan = Plan(chosen, tuple(dict.fromkeys((*wanted, *sees))), scope, samples, seed, hierarchy)
    with shown_progress(on_progress, "part") as tell:
        tallies = plan.tallies(n_jobs, tell)
    seen = [tallies] * invariant
    if invariant and scope < SEEN_FROM:  # its smallest witnesses have as many classes
        seen.append(replace(plan, properties=sees, scope=SEEN_FROM, samples=0).tallies())
    outcomes = {}
    for k, m in enumerate(chosen):
        near = Count.of(np.array([one[k, SEES].counts for one in seen]))
        for p in wanted:
            outcomes[k, p.name] = Outcome(m, p, tallies[k, p.name], near.n == near.n_violated > 0)
    return Examination(chosen, wanted, outcomes, scope, samples, seed, hierarchy)
