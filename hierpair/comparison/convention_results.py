"""What the conventions of measures say of pairs of systems, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair.comparison.statistics.tests_by_name import all_pairs
from hierpair.evaluation.looks import heading_of
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.measures import Measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Conclusion", "Sensitivity", "Variant"]


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
class Sensitivity(Tabular):
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

    def __repr__(self) -> str:
        return f"Sensitivity({len(self.systems)} systems, {len(self.variants)} conventions)"

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
        given = variants[0]
        leaning = outcomes[0] or np.sign(outcomes.sum()) or 1
        alone = [
            next(o for o in v.chosen if v.chosen[o] != given.chosen[o])
            for v in variants
            if sum(v.chosen[o] != given.chosen[o] for o in v.chosen) == 1
            and v.outcome[i, j] != outcomes[0]
        ]
        better, worse = (i, j) if leaning > 0 else (j, i)
        return Conclusion(
            self.measures[base].name,
            self.systems[better],
            self.systems[worse],
            int((outcomes == leaning).sum()),
            int((outcomes == 0).sum()),
            int((outcomes == -leaning).sum()),
            tuple(dict.fromkeys(alone)),
        )

    @property
    def records(self) -> Records:
        """One record per conclusion."""
        header = ["measure", "better", "worse", "conventions", "for", "none", "against"]
        rows = []
        for c in self.conclusions:
            counts = [c.n_for, c.n_none, c.n_against]
            depends = [" ".join(c.depends_on), c.verdict, self.signature]
            rows.append([c.measure, c.better, c.worse, sum(counts), *counts, *depends])
        return Records([*header, "depends_on", "verdict", "comparison"], rows)

    @property
    def rankings(self) -> Records:
        """One record per convention and system: score and rank."""
        rows = [
            [v.measure.name, system, value, rank, v.measure.signature, self.signature]
            for v in self.variants
            for system, value, rank in zip(
                self.systems, v.values.tolist(), v.ranks.tolist(), strict=True
            )
        ]
        return Records(["measure", "system", "value", "rank", "signature", "comparison"], rows)

    @property
    def _rows(self) -> Records:
        """Conclusions, then rankings, in one table whose first column tells them apart."""
        parts = {"conclusion": self.records, "ranking": self.rankings}
        last = ("signature", "comparison")
        named = dict.fromkeys([*self.records.header, *self.rankings.header])
        columns = [*(name for name in named if name not in last), *last]
        rows = [
            [kind, *(record.get(name) for name in columns)]
            for kind, part in parts.items()
            for record in part.to_dicts()
        ]
        return Records(["kind", *columns], rows)

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

    def content(self, digits: int | None = None, **how: Any) -> Content:
        """Return what is shown: conclusions, and scores and ranks under every convention.

        A row of CSV, TSV and JSON lines is a conclusion or, of one system under one convention,
        a ranking, as its ``kind`` says; what the other kind has is blank.
        """
        decimals = 4 if digits is None else digits
        return Content(
            lambda: self._rows, lambda form: self._page(form, decimals, **how), self._data
        )

    def _data(self) -> dict[str, Any]:
        return {
            "comparison": self.signature,
            "conclusions": self.records.to_dicts(),
            "rankings": self.rankings.to_dicts(),
            **({"notes": self.common} if self.common else {}),
        }

    def _page(
        self, form: Form, digits: int, caption: str | None = None, label: str | None = None
    ) -> Page:
        ranks = []
        for v in self.variants:
            pairs = zip(v.values.tolist(), v.ranks.tolist(), strict=True)
            name = v.measure.label if form.typeset else v.measure.name
            ranks.append([name, *(f"{number(x, digits)} ({r})" for x, r in pairs)])
        rows = []
        for c in self.conclusions:
            name = heading_of(c.measure, typeset=form.typeset)
            counts = map(str, (c.n_for, c.n_none, c.n_against))
            rows.append([name, f"{c.better} > {c.worse}", *counts, c.verdict])
        title = "Scores and ranks under every convention"
        ranking = Block(["convention", *self.systems], ranks, title, fold=True)
        header = ["measure", "conclusion", "for", "none", "against", "verdict"]
        title = "Conclusions, by how many conventions find them"
        found = Block(header, rows, title, align="llrrrl")
        return Page([ranking, found], self.notes, [self.signature], caption, label)

    def to_dataframe(self, *, rankings: bool = False) -> pd.DataFrame:
        """Return a pandas DataFrame of conclusions, or of scores and ranks."""
        return (self.rankings if rankings else self.records).to_dataframe()
