"""Which conclusions survive all conventions, and which depend on one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.comparison.analysis import Analysis
from hierpair.comparison.common_scores import common_notes, defined, on_common, signs_of
from hierpair.comparison.statistics import all_pairs, ranked
from hierpair.comparison.systems import compare
from hierpair.errors import BadInput, check_choice, check_several, counted
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

MOST_VARIANTS = 500
"""More conventions of one measure than this are a mistake."""


class Variant(NamedTuple):
    """A measure under one set of conventions.

    Attributes
    ----------
    measure
        With its options.
    base
        Number of the measure that was given.
    values, ranks
        Scores of the systems, and their ranks.
    outcome
        Square matrix: 1 where the first of two systems is found better, −1 where the second is,
        0 where neither is.
    """

    measure: Measure
    base: int
    values: Floats
    ranks: Ints
    outcome: NDArray[np.int8]


class Conclusion(NamedTuple):
    """What all conventions of a measure say about two systems.

    Attributes
    ----------
    measure, better, worse
        The measure as given, and the systems: by the conventions given or, if these find no
        difference, by most.
    n, n_for, n_none, n_against
        How many conventions there are, and under how many it is found, not found, and reversed.
    depends_on
        Options of which changing a single one changes the outcome.
    verdict
        In words: survives, depends on options or is reversed by them, or nothing is found; of a
        measure that has none of the options nothing was varied.
    """

    measure: str
    better: str
    worse: str
    n: int
    n_for: int
    n_none: int
    n_against: int
    depends_on: tuple[str, ...]
    verdict: str


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
        Notes on measures whose systems are compared on some of the instances only, and on random
        rounds that are too few.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    variants: tuple[Variant, ...]
    signature: str
    common: tuple[str, ...] = ()

    told = ("comparison=signature", "notes=common")

    @property
    def conclusions(self) -> list[Conclusion]:
        """One per measure and pair of systems."""
        found = []
        for base, (i, j) in product(range(len(self.measures)), all_pairs(len(self.systems))):
            own = [v for v in self.variants if v.base == base]
            outcomes, n = [int(v.outcome[i, j]) for v in own], len(own)
            first, *others = (v.measure.options.items() for v in own)
            changed = [dict(of - first) for of, x in zip(others, outcomes[1:], strict=True)
                       if x != outcomes[0]]  # fmt: skip
            alone = tuple(dict.fromkeys(next(iter(of)) for of in changed if len(of) == 1))
            leaning = outcomes[0] or int(np.sign(sum(outcomes))) or 1
            n_for, n_none, n_against = (outcomes.count(leaning * x) for x in (1, 0, -1))
            verdict = "reversed by " if n_against else "depends on "
            verdict += ", ".join(alone) or "several together"
            if n in (1, n_none, n_for):
                verdict = "no difference found" if n_none else "survives all"
            better, worse = (self.systems[k] for k in (i, j)[::leaning])
            m, verdict = self.measures[base].name, "not varied" if n == 1 else verdict
            of_all = n, n_for, n_none, n_against
            found.append(Conclusion(m, better, worse, *of_all, alone, verdict))
        return found

    @property
    def signatures(self) -> list[str]:
        """How significance was tested."""
        return [self.signature]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the tables."""
        n = Counter(c.verdict for c in self.conclusions)
        verdicts = "; ".join(f"{verdict} ({k})" for verdict, k in n.most_common())
        return [
            f"{counted(n.total(), 'comparison')} of two systems, by verdict: {verdicts}",
            "an option is named if changing it alone changes the outcome",
            *self.common,
        ]

    def all_records(self) -> dict[str, Records]:
        """Return the records of conclusions, and a record per convention and system."""
        of = self.variants
        rankings = flattened(
            (len(of), len(self.systems)), measure=down([v.measure.name for v in of]),
            system=self.systems, value=np.array([v.values for v in of]),
            rank=np.array([v.ranks for v in of]),
            signature=down([v.measure.signature for v in of]), comparison=self.signature,
        )  # fmt: skip
        header = ["measure", "better", "worse", "conventions", "for", "none", "against"]
        rows = [[*c[:-2], " ".join(c.depends_on), c.verdict, self.signature]
                for c in self.conclusions]  # fmt: skip
        conclusions = Records([*header, "depends_on", "verdict", "comparison"], rows)
        return {"conclusions": conclusions, "rankings": rankings}

    def views(self, form: Form, look: TableLook, *, rankings: bool = False) -> list[Block]:
        """Return scores and ranks under every convention, and conclusions.

        Records of CSV and the like are conclusions or, with ``rankings``, scores and ranks.
        """
        heads, ranks = self.heads(form), []
        for v in self.variants:
            name = look.heading(v.measure, typeset=form.typeset, arrow=False)
            pairs = zip(v.values.tolist(), v.ranks.tolist(), strict=True)
            ranks.append([name, *(f"{look.cell(v.measure, x)} ({r})" for x, r in pairs)])
        found = [
            [heads[c.measure], f"{c.better} > {c.worse}", *c[4:7], c.verdict]
            for c in self.conclusions
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
    for name, of in (vary or {}).items():
        check_several(of, f"the values of {name} must be a list")
        check_order(of, f"the values of {name}")
        check_options([name], given)
        for x in of if name == "average" else ():  # a measure is varied in those that it has
            check_choice(name, x, dict.fromkeys(x for m in given for x in m.definition.averages))
    listed: list[tuple[int, Measure]] = []
    for base, m in enumerate(given):
        known = sorted(m.options, key=[*OPTIONS, *m.options].index)
        varied = {name: m.definition.option(name).varied for name in known if not m.is_idle(name)}
        choices = {
            name: dict.fromkeys(x for x in (m.options[name], *of)
                                if name != "average" or x in m.definition.averages)
            for name, of in (varied if vary is None else vary).items() if name in m.options
        }  # fmt: skip
        if math.prod(map(len, choices.values())) > MOST_VARIANTS:
            raise BadInput(f"{m.name} would have more than {MOST_VARIANTS} conventions; vary fewer")
        for k, combination in enumerate(product(*choices.values())):
            variant = m.with_options(**dict(zip(choices, combination, strict=True)))
            with suppress(BadInput):  # these options may not go together
                if vary is not None or not k or variant.recipe:
                    listed.append((base, variant))
    several = list(dict.fromkeys(m for _, m in listed))
    scores = on_common(score(hierarchy, y_true, systems, several, keep_classes=True, **how))
    upwards = (scores.values * signs_of(scores.measures)).T
    if len(scores.systems) < 2:
        raise BadInput("a ranking needs at least two systems")
    ahead, notes = np.sign(upwards[:, :, None] - upwards[:, None, :]), common_notes(scores)
    if test is None:
        defined(scores, "; leave the measure out")
        ranks, signature = np.stack([*map(ranked, upwards)], 1), "scores alone, no test"
    else:
        found = compare(scores, test=test, **(comparing or {}))
        ranks, signature, ahead = found.ranks, found.signature, ahead * found.significant
        notes += filter(None, [found.too_few_rounds])
    at = [scores.measures.index(m) for _, m in listed]
    variants = tuple(
        Variant(m, base, scores.values[:, k], ranks[:, k], ahead[k].astype(np.int8))
        for k, (base, m) in zip(at, listed, strict=True)
    )
    return Sensitivity(scores.systems, given, variants, signature, tuple(notes))
