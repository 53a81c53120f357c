"""Examining measures: which properties they have, with the least counterexamples, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from hierpair.comparison.analysis import check_whole
from hierpair.errors import BadInput, counted, unknown
from hierpair.evaluation.checked import chosen_measures, refuse_counting
from hierpair.evaluation.processes import check_jobs, in_processes, take_along, travels
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.measures import Measure, measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records, pinned
from hierpair.verification.properties.counterexample import Counterexample
from hierpair.verification.properties.counting import (
    COUNTED,
    UNDEFINED,
    VIOLATED,
    most_drawn,
    obstacle,
    places,
    told_at,
)
from hierpair.verification.properties.statement import (
    DOMAINS,
    KINDS,
    PROPERTIES,
    Property,
    Witnesses,
    property_named,
)
from hierpair.verification.properties.worlds import Masks, small_worlds

LARGEST_SCOPE = 6
"""Classes below the root of the largest hierarchies that are gone through: 318 have six."""

SEES, SEEN_BY = "near_beats_far", {"scope": 5, "samples": 480}
"""The property that an invariance is worth nothing without, and what shows whether it is there."""

MOST_CASES = 40
"""Least cases below the table, at most; the records have all."""

TRAITS = {
    "symmetric": ("symmetric",),
    "perfect": ("identity", "constant_optimum"),
    "bounded": ("bounded",),
    "total": ("bounded",),
}
"""Traits of the registry, and the properties that say the same; of ``total`` all cells, which are
the witnesses of the one named, must have values."""

PLACES = {
    "DAGs": DOMAINS[2:],
    "trees": DOMAINS[:2],
    "several labels": DOMAINS[1::2],
    "one label": DOMAINS[::2],
}
"""What domains have in common, in words."""

Verdict = Literal[
    "holds", "violated", "violated in all drawn", "always violated", "undefined", "vacuous"
]

NORMAL_95 = 1.959963984540054
"""The quantile of the normal distribution for an interval at 95 %."""


@dataclass(frozen=True)
class Outcome:
    """What became of one property of one measure.

    Attributes
    ----------
    measure, stated
        The measure and the property.
    counts
        How many witnesses obey it, violate it, and have no values: by hierarchy, whether they are
        random, and domain.
    least, untold
        The least violation, and the least witness without values, or None.
    """

    measure: Measure
    stated: Property
    counts: Masks = field(repr=False)
    least: Witnesses | None = field(repr=False)
    untold: Witnesses | None = field(repr=False)

    def inside(self, domains: Iterable[str] = DOMAINS, drawn: bool | None = None) -> Outcome:
        """Return what was counted in some of ``DOMAINS``, of all witnesses or (not) drawn ones.

        The least cases stay those of all.
        """
        here = np.zeros(self.counts.shape[1:], dtype=bool)
        here[np.ix_([0, 1] if drawn is None else [int(drawn)], [*map(DOMAINS.index, domains)])] = 1
        return replace(self, counts=self.counts * here)

    @property
    def gone_through(self) -> Outcome:
        """What was counted in small hierarchies."""
        return self.inside(drawn=False)

    @property
    def drawn(self) -> Outcome:
        """What was counted in random ones."""
        return self.inside(drawn=True)

    @property
    def n(self) -> int:
        """Witnesses that have values."""
        return int(self.counts[..., :UNDEFINED].sum())

    @property
    def n_violated(self) -> int:
        """Witnesses that violate it."""
        return int(self.counts[..., VIOLATED].sum())

    @property
    def n_undefined(self) -> int:
        """Witnesses without values, which are not counted."""
        return int(self.counts[..., UNDEFINED].sum())

    @property
    def verdict(self) -> Verdict:
        """What the counts say together.

        ``"always violated"``: by every witness, also all in small hierarchies; ``"violated in all
        drawn"``: these have none; ``"vacuous"``: it holds, as the measure does not see the
        difference: it never prefers a near miss to a far one; ``"undefined"``: no witness has
        values.
        """
        if not self.n:
            return "undefined"
        if not self.n_violated:
            blind = self.stated.invariance and sees_no_distance(self.measure)
            return "vacuous" if blind else "holds"
        if self.n_violated < self.n:
            return "violated"
        return "always violated" if self.gone_through.n_violated else "violated in all drawn"

    @property
    def share(self) -> float:
        """Violations among the witnesses of small hierarchies.

        Among the random ones where there are no others or no others violate it. Shares of random
        witnesses depend on how they are drawn; whether there are none, some or all does not.
        """
        told = self.gone_through if self._is_exact else self.drawn
        return told.n_violated / told.n if told.n else np.nan

    @property
    def _is_exact(self) -> bool:
        return self.gone_through.n_violated > 0 or not self.drawn.n

    @property
    def interval(self) -> tuple[float, float]:
        """Of a share of random witnesses, and where it holds: a Wilson interval at 95 %.

        Witnesses of one hierarchy are not independent: their number is divided by the design
        effect, how much more the share varies between hierarchies than if all were drawn alone.
        Where it does not vary, the hierarchies are counted instead. An exact share is its own
        interval.
        """
        share = self.share
        if self._is_exact:
            return share, share
        n, x = self.drawn.counts[..., :UNDEFINED].sum(axis=(1, 2)).T  # obeyed and violated
        n, x = np.array([n + x, x])[:, n + x > 0]
        varies = share * (1 - share)
        between = ((x - share * n) ** 2).sum() / n.sum() ** 2 * len(n) / max(len(n) - 1, 1)
        whole = min(n.sum(), varies / between) if between else len(n)
        z2 = NORMAL_95**2
        half = np.sqrt(z2 * (varies / whole + z2 / (4 * whole**2)))
        low, high = (share + z2 / (2 * whole) + np.array([-half, half])) / (1 + z2 / whole)
        return (float(low) if share > 0 else 0.0), (float(high) if share < 1 else 1.0)

    @property
    def reason(self) -> str:
        """Why the least witness without values has none."""
        if self.untold is None:
            return ""
        return self.stated.excuse(self.measure) or obstacle(self.untold, self.measure)

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """The least violation as a case, or None; a random one is made small when it is read."""
        one = self.least
        return None if one is None else Counterexample.of(self.stated, self.measure, one)

    @property
    def n_hierarchies(self) -> int:
        """Hierarchies in which the witnesses with values are."""
        return int(self.counts[..., :UNDEFINED].any(axis=(1, 2, 3)).sum())

    @property
    def where(self) -> str:
        """Where it is violated, if not everywhere: ``"DAGs"``, ``"several labels"``, …."""
        for words, inside in PLACES.items():
            outside = self.inside({*DOMAINS} - {*inside})
            if self.n_violated and outside.n and not outside.n_violated:
                return words
        return ""

    @property
    def cell(self) -> str:
        """The verdict in a word, or as a share with where it is."""
        if self.verdict == "violated":
            return percent(self.share) + (f" ({self.where})" if self.where else "")
        words = {"undefined": "–", "always violated": "always"}
        return words.get(self.verdict, self.verdict.removeprefix("violated in "))


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
        By the names of the measure and the property.
    scope, samples, seed
        What was gone through and drawn.
    """

    measures: tuple[Measure, ...]
    properties: tuple[Property, ...]
    outcomes: Mapping[tuple[str, str], Outcome]
    scope: int
    samples: int
    seed: int

    def __getitem__(self, key: tuple[str | Measure, str]) -> Outcome:
        """Return what became of one property of one measure; refuse what was not examined."""
        pair = measure(key[0]).name, key[1]
        if pair not in self.outcomes:
            raise unknown("outcome of", ", ".join(pair), map(", ".join, self.outcomes))
        return self.outcomes[pair]

    def __iter__(self) -> Iterator[Outcome]:
        """Yield all outcomes, property by property."""
        return (self[m, p.name] for p in self.properties for m in self.measures)

    @property
    def signature(self) -> str:
        """What was gone through and drawn, in one line."""
        return pinned("examine", scope=self.scope, samples=self.samples, seed=self.seed)

    @property
    def claims(self) -> list[Claim]:
        """What the registry says of the measures, checked in both directions."""
        found = []
        for m in self.measures:
            for trait, names in TRAITS.items():
                parts = [self.outcomes[m.name, x] for x in names if (m.name, x) in self.outcomes]
                total = trait == "total"
                if len(parts) == len(names) and (total or all(o.n for o in parts)):
                    holds = not any(o.n_undefined if total else o.n_violated for o in parts)
                    declared = holds if m.chosen else trait in m.definition.traits
                    found.append(Claim(m, trait, declared, holds))
        return found

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the table."""
        said = []
        if self.scope:
            n = sum(len(small_worlds(k)) for k in range(1, self.scope + 1))
            those = f"all {n} hierarchies" if n > 1 else "the only hierarchy"
            said.append(
                f"gone through: {those} of a root and at most {counted(self.scope, 'class')}, "
                "every pair of label sets; shares are of these where they have witnesses with "
                "violations, and exact"
            )
        if self.samples:
            ends = [o.interval[1] for o in self if o.verdict == "holds" and o.drawn.n]
            most = max(ends, default=1)
            held = f"; where one holds, fewer than {100 * most:.1f} % violate it (95 %)"
            said.append(
                f"drawn: up to {most_drawn(self.samples)} random witnesses of a property, seed "
                f"{self.seed}; their shares depend on how they are drawn{held * bool(ends)}"
            )
        kinds = dict.fromkeys(p.kind for p in self.properties)
        said.append("kinds: " + "; ".join(f"{k} {KINDS[k]}" for k in kinds))
        if any(o.verdict == "vacuous" for o in self):
            said.append("vacuous: it holds, as the measure cannot see the difference")
        for m, trait, declared, holds in self.claims:
            if holds and not declared:
                said.append(f"{m.name} is {trait} as far as was looked, and not declared so")
            elif declared and not holds:
                cases = (self[m, name].counterexample for name in TRAITS[trait])
                why = next(filter(None, cases), "it has no value")
                said.append(f"{m.name} is declared {trait} and is not: {why}")
        for m in self.measures:
            if without := [o for o in self if o.measure == m and o.n_undefined]:
                total = sum(o.n_undefined for o in without)
                said.append(f"{m.name}: {total:,} witnesses have no value: {without[0].reason}")
        return said

    @property
    def records(self) -> Records:
        """One record per measure and property."""
        counts = "n", "n_violated", "n_undefined", "n_hierarchies", "where"
        header = ["measure", "property", "kind", "verdict", "share", "low", "high", *counts]
        rows = [
            [
                o.measure.name, o.stated.name, o.stated.kind, o.verdict, o.share, *o.interval,
                *(getattr(o, name) for name in counts),
                str(o.counterexample or ""), o.measure.signature, self.signature,
            ]
            for o in self
        ]  # fmt: skip
        return Records([*header, "counterexample", "signature", "examination"], rows)

    def content(self, digits: int | None = None) -> Content:
        """Return what is shown; least cases stand below the table where they are not too many."""
        return Content(lambda: self.records, self._page)

    def _page(self, form: Form) -> Page:
        heads = [m.label if form.typeset else m.name for m in self.measures]
        rows = [
            [p.name, p.kind, *(self[m, p.name].cell for m in self.measures)]
            for p in self.properties
        ]
        blocks = [Block(["property", "kind", *heads], rows, fold=True)]
        found = [o for o in self if o.n_violated]
        if 0 < len(found) <= MOST_CASES:
            listed = [[o.measure.name, o.stated.name, str(o.counterexample)] for o in found]
            header = ["measure", "property", "least violation"]
            blocks.append(Block(header, listed, "Least violations", align="lll"))
        signatures = [*(m.signature for m in self.measures), self.signature]
        return Page(blocks, self.notes, signatures)


def percent(share: float) -> str:
    """Return a share in per cent, rounded to what can be told; neither 0 nor 100 if it is not.

    >>> percent(0.345), percent(0.0123), percent(0.9999), percent(0.0001)
    ('34 %', '1.2 %', '> 99 %', '< 0.1 %')
    """
    text = f"{100 * share:.{1 if share < 0.0995 else 0}f} %"
    near = {"0.0 %": "< 0.1 %", "100 %": "> 99 %"}
    return near.get(text, text) if 0 < share < 1 else text


@cache
def sees_no_distance(m: Measure) -> bool:
    """Return whether a measure prefers no near miss to a far one wherever it was tried."""
    [outcome] = examine(m, properties=SEES, **SEEN_BY, on_progress=False)
    return outcome.verdict == "always violated"


def examine(
    measures: Sequence[str | Measure] | str | Measure,
    *,
    properties: Iterable[str | Property] | str | None = None,
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
    scope
        All hierarchies of up to so many classes below the root are tried, at most 6; 0: none.
    samples
        Random witnesses of every property, or some more, so that each kind of hierarchy has as
        many; 0: none.
    seed
        Seed of the random witnesses, which depend on the property, the kind of hierarchy and
        their number besides, on nothing else.
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
    check_whole(0, LARGEST_SCOPE, **{"scope, classes below the root,": scope})
    check_whole(0, samples=samples, seed=seed)
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
    if n_jobs > 1:
        take_along(chosen)
        travels(stated.own for stated in wanted if stated.own is not None)
    here, task = places(scope, samples), partial(told_at, chosen, wanted, seed)
    counts: dict[str, list[Masks]] = {stated.name: [] for stated in wanted}
    least = dict[tuple[str, int, int], Witnesses]()
    with shown_progress(on_progress, "part") as tell:
        for done, some in enumerate(in_processes(task, here, n_jobs), 1):
            for name, (told, firsts) in some:
                counts[name].append(told)
                for (k, state), one in firsts.items():
                    known = least.setdefault((name, k, state), one)
                    least[name, k, state] = min(known, one, key=lambda x: x.ranks[0])
            tell("properties", done, len(here))
    outcomes = {}
    for p, (k, m) in product(wanted, enumerate(chosen)):
        every = np.array([one[k] for one in counts[p.name]]).reshape(-1, *COUNTED)
        worst, untold = (least.get((p.name, k, state)) for state in (VIOLATED, UNDEFINED))
        outcomes[m.name, p.name] = Outcome(m, p, every, worst, untold)
    return Examination(chosen, wanted, outcomes, scope, samples, seed)
