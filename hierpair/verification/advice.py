"""Which measure: needs from data and from the user in, a view of an examination out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, check_known, counted
from hierpair.evaluation.checked import chosen_measures, truth_of
from hierpair.evaluation.progress import OnProgress
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io.text import read_toml
from hierpair.labels import LabelSets, Unknown
from hierpair.labels.sets import lowest_labels
from hierpair.measures import Batch, Measure, measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records, pinned
from hierpair.verification.properties import (
    DOMAINS,
    PROPERTIES,
    Counterexample,
    Examination,
    Outcome,
    examine,
)
from hierpair.verification.properties.examination import percent

SCOPE, SAMPLES = 5, 480
"""What is gone through and drawn for advice: enough to see a violation of more than 5 %."""

TOLERATED = 0.05
"""Share of witnesses that may violate a property of a need that is met."""

FROM_LABELS = ("nearness", "inner_classes", "label_counts", "alternative_paths", "coherent_labels")
"""Needs that true labels show, or show not to be there."""

FLAT = {"hf": "f", "hp": "precision", "hr": "recall"}
"""What measures are of coherent labels."""


@dataclass(frozen=True)
class DataFacts:
    """What is read from a hierarchy, and from true labels if there are any: ``told`` in one line.

    Properties are judged in their ``domains``; they show some ``needs``, and ``n_empty`` instances
    have no label.
    """

    told: str
    domains: tuple[str, ...]
    needs: tuple[str, ...] = ()
    n_empty: int = 0
    labelled: bool = False


def facts_of(hierarchy: Hierarchy, y_true: LabelSets | None = None) -> DataFacts:
    """Return what a hierarchy and true labels say.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> facts = facts_of(tree, LabelSets.from_labels([["c", "b"], ["a"], []], tree))
    >>> facts.needs, facts.n_empty, facts.domains
    (('label_counts',), 1, ('tree, one label', 'tree, several'))
    """
    told, is_dag = hierarchy.describe(","), hierarchy.shape == "DAG"
    domains: tuple[str, ...] = DOMAINS[2:] if is_dag else DOMAINS[:2]
    shown = ["alternative_paths"] * is_dag
    if y_true is None:
        return DataFacts(told, domains, tuple(shown))
    row, tip = lowest_labels(hierarchy, y_true)
    batch, n = Batch(hierarchy, y_true, y_true), y_true.lengths
    closed, alone = (
        batch.columns(measure(text).recipe)["n_true"] for text in ("hf", "hf(augment=none)")
    )
    coherent = bool((closed == alone).all() and hierarchy.depths[tip].max(initial=0) > 1)
    n_empty = int((n == 0).sum())
    if len(tip):
        single = np.bincount(row).max() == 1  # but for labels above others
        one = "inner_classes" if np.isin(tip, hierarchy.parents).any() else "nearness"
        shown.append(one if single else "label_counts")
    shown += ["coherent_labels"] * coherent
    told += f"; {counted(len(n), 'instance', ',')}, {n_empty:,} without labels"
    domains = domains[:1] if n.max(initial=0) == 1 else domains
    return DataFacts(told, domains, tuple(shown), n_empty, len(tip) > 0)


@dataclass(frozen=True)
class Need:
    """A question about the data or the evaluation, and what a measure must do if it is so.

    Attributes
    ----------
    name, question
        How it is called, and what is asked.
    properties
        What must hold.
    reversed_properties
        What must not hold: where one paper wants what another forbids.
    first, avoid
        Measures that are a first choice, and measures that are none, the usual ones.
    domains
        Where it is asked: of ``DOMAINS``; where data say otherwise, that counts.
    remark
        What has to be known beside it.
    """

    name: str
    question: str
    properties: Sequence[str] = ()
    reversed_properties: Sequence[str] = ()
    first: Sequence[str] = ()
    avoid: Sequence[str] = ()
    domains: Sequence[str] = DOMAINS
    remark: str = ""

    @property
    def asked(self) -> tuple[str, ...]:
        """All properties that it is about."""
        return (*self.properties, *self.reversed_properties)


NEEDS = {
    name: Need(name, **row)
    for name, row in read_toml(Path(__file__).with_name("needs.toml")).items()
}
"""The table of advice: every need by name."""

EXCLUSIVE = (("top_mistakes", "depth_ignored"), ("inner_classes", "too_deep_tolerated"))
"""Needs of which a paper wants one and another paper the other; who asks for one overrules data."""


def needs_named(names: Iterable[str] | str | None) -> tuple[Need, ...]:
    """Return needs by their names; the name of a property is a need for it alone."""
    found: dict[str, Need] = {}
    for name in [names] if isinstance(names, str) else names or ():
        key = str(name).replace("-", "_")
        if key in PROPERTIES:
            found[key] = Need(key, f"Must {key} hold: {PROPERTIES[key].statement}?", (key,))
        else:
            check_known("need", key, [*NEEDS, *PROPERTIES])
            found[key] = NEEDS[key]
    for pair in EXCLUSIVE:
        if found.keys() >= {*pair}:
            raise BadInput(f"the needs {' and '.join(pair)} exclude each other; choose one")
    return tuple(found.values())


def needs_of(facts: DataFacts, asked: Iterable[Need] = ()) -> tuple[Need, ...]:
    """Return the needs that data show, without those that are asked for or excluded by them.

    >>> [need.name for need in needs_of(DataFacts("", DOMAINS, ("alternative_paths",)))]
    ['alternative_paths']
    """
    taken = {need.name for need in asked}
    taken |= {name for pair in EXCLUSIVE if taken & {*pair} for name in pair}
    return tuple(NEEDS[name] for name in facts.needs if name not in taken)


@dataclass(frozen=True)
class NeedEvidence:
    """What was found of one measure for one property of a need.

    Attributes
    ----------
    need, stated
        The names of the need and of the property.
    status
        ``"holds"``, ``"rarely violated"`` (at most 5 %), ``"violated"``, ``"always violated"``,
        ``"violated in all drawn"``, ``"blind"`` (it holds, as the measure cannot see the
        difference), ``"undefined"`` (it has no values there), or ``"not tried"`` (there was no
        witness: the scope is too small, or nothing is drawn); ``"violated as wanted"`` or ``"not
        violated"`` where the need is that it is violated.
    share, n, n_undefined
        Violations among the witnesses with values, their number, and those without values, in the
        domains of the need. The share is the larger one of those of small hierarchies, of which
        there are many witnesses, and of random ones, which are few beside them.
    case
        The least violation, if there is one in the domains of the need; otherwise None.
    reason
        Why the first witness without values has none.
    """

    need: str
    stated: str
    status: str
    share: float
    n: int
    n_undefined: int
    case: Counterexample | None
    reason: str

    @property
    def meets(self) -> bool:
        """Whether it is as the need wants it."""
        return self.status in ("holds", "rarely violated", "violated as wanted")

    @property
    def fails(self) -> bool:
        """Whether it is not; what was not tried neither meets nor fails."""
        return not self.meets and self.status != "not tried"

    def __str__(self) -> str:
        told = {"undefined": f": {self.reason}"}
        if self.status in ("violated", "rarely violated", "violated as wanted"):
            told[self.status] = f" ({percent(self.share)})"
        return f"{self.stated} {self.status}{told.get(self.status, '')}"


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
    """

    measure: Measure
    rank: int
    met: tuple[str, ...]
    violated: tuple[str, ...]
    evidence: tuple[NeedEvidence, ...]
    cautions: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the measure, with the options that were given."""
        return self.measure.name

    @property
    def violations(self) -> list[NeedEvidence]:
        """The evidence against it."""
        return [found for found in self.evidence if found.fails]


def evidence_of(outcome: Outcome, need: Need, facts: DataFacts | None = None) -> NeedEvidence:
    """Return what an outcome says of a need, in the first of these that has witnesses.

    The domains of the data (or without any of the need), those with as many labels as one likes in
    the same shape, all: a property of several labels says nothing of one.
    """
    mine = need.domains if facts is None else facts.domains
    alike = tuple(d for d in DOMAINS if d.startswith(mine[0].split(",")[0]))
    for where in (mine, alike, DOMAINS):
        there = outcome.inside(where)
        if there.n or there.n_undefined:
            break
    name, reverse = outcome.stated.name, outcome.stated.name in need.reversed_properties
    share = float(np.fmax(there.gone_through.share, there.drawn.share))
    if not there.n:
        status = "undefined" if there.n_undefined else "not tried"
    elif reverse:
        status = "violated as wanted" if share > TOLERATED else "not violated"
    elif outcome.verdict == "vacuous":
        status = "blind"
    elif share > TOLERATED:
        status = there.verdict
    else:
        status = "rarely violated" if there.n_violated else "holds"
    case = outcome.counterexample if there.n_violated else None
    case = case if case is not None and case.domain in where else None
    return NeedEvidence(
        need.name, name, status, share, there.n, there.n_undefined, case, outcome.reason
    )


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
    firsts = [*dict.fromkeys(measure(name) for need in needs for name in need.first), *measures]
    found = []
    for m in sorted(measures, key=firsts.index):
        each: dict[str, list[NeedEvidence]] = {
            need.name: [evidence_of(examined[m, name], need, facts) for name in need.asked]
            for need in needs
            if examined is not None and need.asked
        }
        met = tuple(name for name, of in each.items() if all(e.meets for e in of))
        violated = tuple(name for name, of in each.items() if any(e.fails for e in of))
        evidence = tuple(e for of in each.values() for e in of)
        found.append(AdvisedMeasure(m, 0, met, violated, evidence, _cautions(m, evidence, facts)))
    found.sort(key=lambda one: [need.name in one.violated for need in needs])
    return tuple(replace(one, rank=k) for k, one in enumerate(found, start=1))


def _cautions(
    m: Measure, evidence: Sequence[NeedEvidence], facts: DataFacts | None
) -> tuple[str, ...]:
    """Return what has to be known of a measure, for these data first."""
    rare = [e for e in evidence if e.status == "rarely violated"]
    said = [f"{e}{f': {e.case}' if e.case else ''}" for e in rare]
    without = [e.reason for e in evidence if e.n_undefined and e.n]
    said += [f"it does not have a value everywhere, for example: {why}" for why in without[:1]]
    if facts and "coherent_labels" in facts.needs and m.definition.name in FLAT:
        flat = FLAT[m.definition.name]
        said.append(f"the labels are coherent: of coherent predictions it is {flat}")
    if facts and facts.n_empty:
        total = "total" in m.definition.traits
        defined = "say what an empty truth counts" if total else "it is not defined for all of them"
        said.append(f"{counted(facts.n_empty, 'instance', ',')} without labels: {defined}")
    return tuple(dict.fromkeys((*said, *m.definition.cautions)))


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Tabular):
    """Measures in the order in which they are advised; ``advice["hf"]`` is one of them.

    Attributes
    ----------
    ranked
        The measures with what speaks for and against each, the first choice first.
    needs
        What was wanted, most important first: as asked, then as the data show.
    n_asked
        How many of the needs were asked for.
    facts
        What was read from the data, or None without any.
    examination
        The evidence, or None where no need has properties.
    effort
        Scope, samples and seed of the examination.
    """

    ranked: tuple[AdvisedMeasure, ...]
    needs: tuple[Need, ...]
    n_asked: int
    facts: DataFacts | None
    examination: Examination | None
    effort: tuple[int, int, int]

    def __iter__(self) -> Iterator[AdvisedMeasure]:
        """Yield the measures, the first choice first."""
        return iter(self.ranked)

    def __getitem__(self, name: str | Measure) -> AdvisedMeasure:
        """Return what is said of a measure; refuse one that was not compared."""
        called, compared = measure(name).name, {one.name: one for one in self.ranked}
        check_known("measure", called, compared, "compared")
        return compared[called]

    @property
    def best(self) -> AdvisedMeasure:
        """The first choice."""
        return self.ranked[0]

    @property
    def open_questions(self) -> list[Need]:
        """Needs that neither were asked for nor follow from data; one of them may be yours."""
        answered = {need.name for need in self.needs} | {"report"}
        answered |= {*FROM_LABELS} if self.facts and self.facts.labelled else set()
        return [need for name, need in NEEDS.items() if name not in answered]

    @property
    def signature(self) -> str:
        """What was wanted, gone through and drawn, in one line."""
        names = "+".join(need.name for need in self.needs)
        scope, samples, seed = self.effort
        return pinned("advise", needs=names, scope=scope, samples=samples, seed=seed)

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the table."""
        said = [f"data: {self.facts.told}"] if self.facts else []
        sides = self.needs[: self.n_asked], self.needs[self.n_asked :]
        asked, others = (", ".join(need.name for need in some) or "none" for some in sides)
        said.append(f"needs: asked {asked}; others {others}")
        said += [need.remark for need in self.needs if need.remark]
        if untold := {e.stated for one in self for e in one.evidence if e.status == "not tried"}:
            said.append(
                f"not tried: {', '.join(sorted(untold))}; these need a larger scope or more samples"
            )
        if self.examination is not None:
            said.append(
                "ranked by the first need that one measure meets and another does not; met: at "
                f"most {TOLERATED:.0%} of the witnesses violate each property, of those in small "
                "hierarchies and of the random ones. Shares are no scale: a measure with fewer "
                "violations is not better"
            )
        return said

    @property
    def records(self) -> Records:
        """One record per measure, need and property; of a measure without evidence one."""
        header = ["rank", "measure", "need", "property", "status", "share", "n", "counterexample"]
        nothing = NeedEvidence("", "", "", np.nan, 0, 0, None, "")
        rows = [
            [one.rank, one.name, e.need, e.stated, e.status, e.share, e.n, str(e.case or ""),
             one.measure.signature, self.signature]
            for one in self for e in one.evidence or [nothing]
        ]  # fmt: skip
        return Records([*header, "signature", "advice"], rows)

    def content(self, digits: int | None = None) -> Content:
        """Return what is shown; shares are told in two digits."""
        return Content(lambda: self.records, self._page)

    def _page(self, form: Form) -> Page:
        each = [(one.measure.label if form.typeset else one.name, one) for one in self]
        parts = {
            ("", "rlll", "rank|measure|meets|does not meet"): [
                [str(one.rank), head, ", ".join(one.met) or "–", ", ".join(one.violated) or "–"]
                for head, one in each
            ],
            ("What speaks against", "llll", "measure|need|what was found|least case"): [
                [head, e.need, str(e), str(e.case or "")]
                for head, one in each for e in one.violations
            ],
            ("Cautions", "ll", "measure|to know"): [
                [head, text] for head, one in each if not one.violated for text in one.cautions
            ],
            ("Questions that were not answered", "ll", "need|question"): [
                [need.name, need.question] for need in self.open_questions
            ],
        }  # fmt: skip
        blocks = [
            Block(header.split("|"), rows, title, align=align)
            for (title, align, header), rows in parts.items()
            if rows
        ]
        signatures = [one.measure.signature for one in self]
        return Page(blocks, self.notes, [*signatures, self.signature])


@takes_hierarchy
def advise(
    hierarchy: Hierarchy | None = None,
    y_true: Any = None,
    *,
    needs: Iterable[str] | str | None = None,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    scope: int = SCOPE,
    samples: int = SAMPLES,
    seed: int = 0,
    unknown: Unknown = "error",
    n_jobs: int = 1,
    on_progress: OnProgress = None,
) -> Advice:
    """Advise which measure to use, with the evidence for and against each.

    Tree or DAG, numbers of labels, inner classes as labels, coherence, depths and empty sets are
    read from the data; what data cannot say is asked by ``needs``. A need is a set of properties,
    and all measures that come into question are examined for them, so the advice is derived from
    what the measures do. A need is met where each of its properties is violated by at most 5 % of
    the witnesses in small hierarchies, and by at most 5 % of the random ones.

    Parameters
    ----------
    hierarchy, y_true
        The classes, and the true labels in any form that :func:`hierpair.score` takes; without
        them only the needs count.
    needs
        Names of needs (``hierpair.verification.NEEDS``) or of properties, most important first;
        those that the data show come after them.
    measures
        Measures that are compared, also your own; by default those that the needs name.
    scope, samples, seed, n_jobs, on_progress
        As for :func:`hierpair.examine`.
    unknown
        What to do with labels outside the hierarchy, as for :func:`hierpair.score`.

    Returns
    -------
    Advice
        Measures ranked by the first need, in the order of the needs, that one meets and the other
        does not; each with needs that are met and violated, least cases, and cautions.

    Raises
    ------
    BadInput
        For unknown needs or measures, needs that exclude each other, true labels without a
        hierarchy, or labels that cannot be read.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> found = advise(tree, ["c", "d", "b"], samples=0)
    >>> [need.name for need in found.needs], found.best.name
    (['nearness'], 'hf')
    >>> found["f"].rank > found["hf"].rank
    True
    >>> print(found["f"].violations[0].case)
    0→1→2, 1→3, 0→4→5: expected f({2}, {3}) > f({2}, {5}); is 0 = 0
    """
    facts = None
    if hierarchy is not None:
        truth = None if y_true is None else truth_of(y_true, hierarchy, unknown)
        facts = facts_of(hierarchy, truth)
    elif y_true is not None:
        raise BadInput("give the hierarchy of these labels too")
    asked = needs_named(needs)
    wanted = (*asked, *(needs_of(facts, asked) if facts else ()))
    properties = [*dict.fromkeys(name for need in wanted for name in need.asked)]
    if not properties and NEEDS["report"] not in wanted:
        wanted += (NEEDS["report"],)
    if measures is None:  # of properties alone no need names any: then all that the table names
        some = wanted if any(need.first for need in wanted) else NEEDS.values()
        named = (name for need in some for name in (*need.first, *need.avoid))
        measures = [*dict.fromkeys(map(measure, named))]
    chosen, examined = chosen_measures(measures, {}), None
    if properties:
        examined = examine(
            chosen, properties=properties, scope=scope, samples=samples, seed=seed, n_jobs=n_jobs,
            on_progress=on_progress,
        )  # fmt: skip
    ranked = advised(chosen, wanted, examined, facts)
    return Advice(ranked, wanted, len(asked), facts, examined, (scope, samples, seed))
