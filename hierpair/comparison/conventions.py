"""Which conclusions survive all conventions, and which depend on one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.comparison.analysis import Analysis
from hierpair.comparison.common_scores import common_notes, defined, on_common, signs_of
from hierpair.comparison.statistics import all_pairs, ranked
from hierpair.comparison.systems import compare
from hierpair.errors import BadInput
from hierpair.evaluation.checked import chosen_measures
from hierpair.evaluation.looks import Look, heading_of
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels.naming import check_order
from hierpair.measures import OPTIONS, Measure
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import down, flattened
from hierpair.tables.text import number

MOST_VARIANTS = 500
"""More conventions of one measure than this are a mistake."""


@dataclass(frozen=True, eq=False)
class Variant:
    """A measure under one set of conventions.

    Attributes
    ----------
    measure
        With its options.
    base
        Number of the measure that was given.
    chosen
        The varied options.
    values, ranks
        Scores of the systems, and their ranks.
    outcome
        Square matrix: 1 where the first of two systems is found better, −1 where the second is,
        0 where neither is.
    """

    measure: Measure
    base: int
    chosen: dict[str, Any]
    values: Floats
    ranks: Ints
    outcome: NDArray[np.int8]


@dataclass(frozen=True)
class Conclusion:
    """What all conventions of a measure say about two systems.

    Attributes
    ----------
    measure, better, worse
        The measure as given, and the systems: by the conventions given or, if these find no
        difference, by most.
    n_for, n_none, n_against
        Under how many conventions it is found, not found, and reversed.
    depends_on
        Options of which changing a single one changes the outcome.
    """

    measure: str
    better: str
    worse: str
    n_for: int
    n_none: int
    n_against: int
    depends_on: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """In words: survives, depends on options or is reversed by them, or nothing is found.

        Of a measure that has none of the options nothing was varied.
        """
        if self.n_for + self.n_none + self.n_against == 1:
            return "not varied"
        if not (self.n_for or self.n_against):
            return "no difference found"
        if not (self.n_none or self.n_against):
            return "survives all"
        what = ", ".join(self.depends_on) or "several together"
        return f"{'reversed by' if self.n_against else 'depends on'} {what}"


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Analysis):
    """How the ranking of systems changes with conventions.

    Attributes
    ----------
    systems
        Their names.
    measures
        The measures as given.
    variants
        Every measure under every combination of its varied options, the given one first.
    signature
        How significance was tested, or that only scores were compared.
    common
        Notes on measures whose systems are compared on some of the instances only.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    variants: tuple[Variant, ...]
    signature: str
    common: tuple[str, ...] = ()

    def of(self, base: int) -> list[Variant]:
        """Return the variants of one measure."""
        return [v for v in self.variants if v.base == base]

    @property
    def conclusions(self) -> list[Conclusion]:
        """One per measure and pair of systems."""
        return [
            self._conclusion(base, i, j)
            for base in range(len(self.measures))
            for i, j in all_pairs(len(self.systems)).tolist()
        ]

    def _conclusion(self, base: int, i: int, j: int) -> Conclusion:
        variants = self.of(base)
        outcomes = np.array([v.outcome[i, j] for v in variants])
        leaning = outcomes[0] or np.sign(outcomes.sum()) or 1
        alone = dict[str, None]()
        for v, outcome in zip(variants, outcomes, strict=True):
            other = [o for o, x in v.chosen.items() if x != variants[0].chosen[o]]
            if len(other) == 1 and outcome != outcomes[0]:
                alone[other[0]] = None
        better, worse = (self.systems[k] for k in ((i, j) if leaning > 0 else (j, i)))
        found, none, against = (int((outcomes == x).sum()) for x in (leaning, 0, -leaning))
        name = self.measures[base].name
        return Conclusion(name, better, worse, found, none, against, tuple(alone))

    @property
    def records(self) -> Records:
        """One record per conclusion."""
        return Records.from_dicts([
            {"measure": c.measure, "better": c.better, "worse": c.worse,
             "conventions": c.n_for + c.n_none + c.n_against, "for": c.n_for, "none": c.n_none,
             "against": c.n_against, "depends_on": " ".join(c.depends_on), "verdict": c.verdict,
             "comparison": self.signature}
            for c in self.conclusions
        ])  # fmt: skip

    @property
    def rankings(self) -> Records:
        """One record per convention and system: score and rank."""
        return flattened(
            (len(self.variants), len(self.systems)),
            measure=down([v.measure.name for v in self.variants]), system=self.systems,
            value=np.array([v.values for v in self.variants]),
            rank=np.array([v.ranks for v in self.variants]),
            signature=down([v.measure.signature for v in self.variants]), comparison=self.signature,
        )  # fmt: skip

    @property
    def signatures(self) -> list[str]:
        """How significance was tested."""
        return [self.signature]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the tables."""
        verdicts = [c.verdict for c in self.conclusions if c.verdict != "not varied"]
        survive, nothing = verdicts.count("survives all"), verdicts.count("no difference found")
        notes = []
        if verdicts:
            notes += [
                f"of {len(verdicts)} comparisons of two systems {survive} have the same winner "
                "under "
                f"all conventions, {nothing} find no difference under any, and "
                f"{len(verdicts) - survive - nothing} depend on conventions",
                "an option is named if changing it alone changes the outcome",
            ]
        alone = [m.name for base, m in enumerate(self.measures) if len(self.of(base)) == 1]
        if alone:
            notes.append(f"not varied, so not counted: {', '.join(alone)}")
        return [*notes, *self.common]

    def content(
        self,
        digits: int | None = None,
        *,
        rankings: bool = False,
        caption: str | None = None,
        label: str | None = None,
    ) -> Content:
        """Return what is shown: conclusions, and scores and ranks under every convention.

        Records of CSV and the like are conclusions or, with ``rankings``, scores and ranks.
        """
        look = Look(digits, caption=caption, label=label)
        return self.shown_by(look, self.views, "rankings" if rankings else "conclusions")

    def facts(self) -> dict[str, Any]:
        """Return how significance was tested."""
        return {"comparison": self.signature, "notes": self.common}

    def tables(self) -> dict[str, Records]:
        """Return the records of conclusions, and those of rankings."""
        return {"conclusions": self.records, "rankings": self.rankings}

    def views(self, form: Form, look: Look) -> list[Block]:
        """Return scores and ranks, and conclusions."""
        ranks, found = [], []
        for v in self.variants:
            pairs = zip(v.values.tolist(), v.ranks.tolist(), strict=True)
            name = v.measure.label if form.typeset else v.measure.name
            ranks.append([name, *(f"{number(x, look.decimals)} ({r})" for x, r in pairs)])
        for c in self.conclusions:
            name = heading_of(c.measure, typeset=form.typeset)
            counts = map(str, (c.n_for, c.n_none, c.n_against))
            found.append([name, f"{c.better} > {c.worse}", *counts, c.verdict])
        header = ["measure", "conclusion", "for", "none", "against", "verdict"]
        told = "Conclusions, by how many conventions find them"
        title = "Scores and ranks under every convention"
        return [
            Block(["convention", *self.systems], ranks, title, fold=True),
            Block(header, found, told, align="llrrrl"),
        ]


@takes_hierarchy
def sensitivity(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[str | Measure] | str,
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    test: str | None = "permutation",
    comparing: Mapping[str, Any] | None = None,
    **how: Any,
) -> Sensitivity:
    """Return how the ranking of systems changes with conventions.

    Every measure is scored under all combinations of the options that are varied and that it
    has. A conclusion about two systems survives if every combination finds it.

    Parameters
    ----------
    hierarchy, y_true, systems, measures
        As for :func:`hierpair.score`; a measure's own options are where it starts from.
    vary
        Values per option, such as ``{"root": ["exclude", "include"]}``; by default root, average,
        Dmax (``default``), path threshold and pairing mode, without combinations that a measure
        refuses, such as weights of classes under a path threshold.
    test
        A test of :func:`hierpair.compare`: a conclusion is a significant difference. With None it
        is a difference of the scores, however small, which needs no pairing of instances.
    comparing
        Further options of :func:`hierpair.compare`.
    how
        Further options of :func:`hierpair.score`.

    Raises
    ------
    BadInput
        For an option that none of the measures has, and as the two functions do.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> found = sensitivity(tree, ["b", "c"], {"x": ["b", "b"], "y": ["a", "a"]}, ["hf"],
    ...                     vary={"root": ["exclude", "include"]}, test=None)
    >>> [(c.better, c.worse, c.verdict) for c in found.conclusions]
    [('x', 'y', 'survives all')]
    """
    given = chosen_measures(measures, {})
    records = [OPTIONS, *(m.definition.own_options for m in given)]
    varied: Mapping[str, Sequence[Any]] = {
        name: option.varied for known in records for name, option in known.items() if option.varied
    }
    if vary is not None:
        varied = {name: _checked_values(name, values, given) for name, values in vary.items()}
    listed = [
        (base, *found)
        for base, m in enumerate(given)
        for found in _variants(m, varied, all_must_be=vary is not None)
    ]
    several = list(dict.fromkeys(m for _, m, _ in listed))
    scores = on_common(score(hierarchy, y_true, systems, several, keep_classes=True, **how))
    upwards = (scores.values * signs_of(scores.measures)).T
    if len(scores.systems) < 2:
        raise BadInput("a ranking needs at least two systems")
    ahead = np.sign(upwards[:, :, None] - upwards[:, None, :])
    if test is None:
        defined(scores, "; leave the measure out")
        ranks, signature = np.stack([*map(ranked, upwards)], 1), "scores alone, no test"
    else:
        found = compare(scores, test=test, **(comparing or {}))
        ranks, signature, ahead = found.ranks, found.signature, ahead * found.significant
    variants = []
    for base, m, chosen in listed:
        k = scores.measures.index(m)
        of = scores.values[:, k], ranks[:, k], ahead[k].astype(np.int8)
        variants.append(Variant(m, base, chosen, *of))
    notes = tuple(common_notes(scores))
    return Sensitivity(scores.systems, given, tuple(variants), signature, notes)


def _checked_values(
    option: str, values: Sequence[Any], measures: Sequence[Measure]
) -> tuple[Any, ...]:
    """Return the values that an option of these measures is to take."""
    check_order(values, f"the values of {option}")
    if not any(option in m.options for m in measures):
        raise BadInput(f"none of the measures has an option {option!r}")
    if not tuple(values):
        raise BadInput(f"no values are given for {option!r}")
    return tuple(values)


def _variants(
    m: Measure, varied: Mapping[str, Sequence[Any]], *, all_must_be: bool
) -> list[tuple[Measure, dict[str, Any]]]:
    """Return a measure under all combinations of its options, the given ones first."""
    choices: dict[str, list[Any]] = {}
    for name in (name for name in varied if name in m.options):
        possible = [v for v in varied[name] if name != "average" or v in m.definition.averages]
        choices[name] = list(dict.fromkeys([m.options[name], *possible]))
    if np.prod([len(c) for c in choices.values()]) > MOST_VARIANTS:
        raise BadInput(f"{m.name} would have more than {MOST_VARIANTS} conventions; vary fewer")
    found = list[tuple[Measure, dict[str, Any]]]()
    for combination in product(*choices.values()):
        chosen = dict(zip(choices, combination, strict=True))
        variant = m.with_options(**chosen)
        try:
            is_possible = all_must_be or not found or bool(variant.recipe)
        except BadInput:  # these options do not go together
            is_possible = False
        if is_possible:
            found.append((variant, chosen))
    return found
