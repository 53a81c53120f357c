"""Which conclusions survive all conventions, and which depend on one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
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
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels.naming import check_order
from hierpair.measures import OPTIONS, Measure
from hierpair.measures.named import check_options
from hierpair.tables.records import Block, Form, Records
from hierpair.tables.result import down, flattened, rounded
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
        if sum(self.n) == 1:
            return "not varied"
        if not (self.n_for or self.n_against):
            return "no difference found"
        if not (self.n_none or self.n_against):
            return "survives all"
        what = ", ".join(self.depends_on) or "several together"
        return f"{'reversed by' if self.n_against else 'depends on'} {what}"

    @property
    def n(self) -> tuple[int, int, int]:
        """The three numbers of conventions."""
        return self.n_for, self.n_none, self.n_against


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
        found = []
        for base, m in enumerate(self.measures):
            first, *others = self.of(base)
            for i, j in all_pairs(len(self.systems)).tolist():
                outcomes = [int(v.outcome[i, j]) for v in (first, *others)]
                leaning = outcomes[0] or int(np.sign(sum(outcomes))) or 1
                changed = [
                    [o for o, x in v.chosen.items() if x != first.chosen[o]]
                    for v in others if v.outcome[i, j] != outcomes[0]
                ]  # fmt: skip
                alone = dict.fromkeys(options[0] for options in changed if len(options) == 1)
                better, worse = (self.systems[k] for k in (i, j)[::leaning])
                n = outcomes.count(leaning), outcomes.count(0), outcomes.count(-leaning)
                found.append(Conclusion(m.name, better, worse, *n, tuple(alone)))
        return found

    def rankings(self) -> Records:
        """Return a record per convention and system: score and rank."""
        of = self.variants
        return flattened(
            (len(of), len(self.systems)), measure=down([v.measure.name for v in of]),
            system=self.systems, value=np.array([v.values for v in of]),
            rank=np.array([v.ranks for v in of]),
            signature=down([v.measure.signature for v in of]), comparison=self.signature,
        )  # fmt: skip

    @property
    def signatures(self) -> list[str]:
        """How significance was tested."""
        return [self.signature]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the tables."""
        n = Counter(c.verdict for c in self.conclusions)
        alone = n.pop("not varied", 0)
        survive, nothing = n["survives all"], n["no difference found"]
        told = {
            f"of {n.total()} comparisons of two systems {survive} have the same winner under all "
            f"conventions, {nothing} find no difference under any, and "
            f"{n.total() - survive - nothing} depend on conventions": n,
            "an option is named if changing it alone changes the outcome": n,
            "not varied, so not counted: "
            + ", ".join(m.name for k, m in enumerate(self.measures) if len(self.of(k)) == 1): alone,
        }  # fmt: skip
        return [*(note for note, some in told.items() if some), *self.common]

    def facts(self) -> dict[str, Any]:
        """Return how significance was tested."""
        return {"comparison": self.signature, "notes": self.common}

    def all_records(self) -> dict[str, Records]:
        """Return the records of conclusions, and those of rankings."""
        conclusions = Records.from_dicts([
            {"measure": c.measure, "better": c.better, "worse": c.worse, "conventions": sum(c.n),
             "for": c.n[0], "none": c.n[1], "against": c.n[2],
             "depends_on": " ".join(c.depends_on), "verdict": c.verdict,
             "comparison": self.signature}
            for c in self.conclusions
        ])  # fmt: skip
        return {"conclusions": conclusions, "rankings": self.rankings()}

    def views(self, form: Form, look: TableLook, *, rankings: bool = False) -> list[Block]:
        """Return scores and ranks under every convention, and conclusions.

        Records of CSV and the like are conclusions or, with ``rankings``, scores and ranks.
        """
        ranks, heads = [], self.heads(form)
        for v in self.variants:
            pairs = zip(v.values.tolist(), v.ranks.tolist(), strict=True)
            name = v.measure.label if form.typeset else v.measure.name
            ranks.append([name, *(f"{number(x, look.decimals)} ({r})" for x, r in pairs)])
        found = [
            [heads[c.measure], f"{c.better} > {c.worse}", *c.n, c.verdict] for c in self.conclusions
        ]
        header = ["measure", "conclusion", "for", "none", "against", "verdict"]
        told = "Conclusions, by how many conventions find them"
        title = "Scores and ranks under every convention"
        return [
            Block(["convention", *self.systems], ranks, title, fold=True),
            rounded(header, found, look.decimals, told, align="llrrrl"),
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
    varied = dict(vary or {})
    for name, values in varied.items():
        check_order(values, f"the values of {name}")
        check_options([name], given)
    if vary is None:
        varied = {name: option.varied for name, option in OPTIONS.items() if option.varied}
    listed: list[tuple[int, Measure, dict[str, Any]]] = []
    for base, m in enumerate(given):
        choices = {
            name: [m.options[name], *varied[name]] for name in varied
            if name in m.options and (vary is not None or not m.is_idle(name))
        }  # fmt: skip
        if "average" in choices:
            choices["average"] = [v for v in choices["average"] if v in m.definition.averages]
        each = [list(dict.fromkeys(values)) for values in choices.values()]
        if math.prod(map(len, each)) > MOST_VARIANTS:
            raise BadInput(f"{m.name} would have more than {MOST_VARIANTS} conventions; vary fewer")
        for k, combination in enumerate(product(*each)):
            chosen = dict(zip(choices, combination, strict=True))
            variant = m.with_options(**chosen)
            with suppress(BadInput):  # these options may not go together
                if vary is not None or not k or variant.recipe:
                    listed.append((base, variant, chosen))
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
    at = [scores.measures.index(m) for _, m, _ in listed]
    variants = tuple(
        Variant(m, base, chosen, scores.values[:, k], ranks[:, k], ahead[k].astype(np.int8))
        for k, (base, m, chosen) in zip(at, listed, strict=True)
    )
    return Sensitivity(scores.systems, given, variants, signature, tuple(common_notes(scores)))
