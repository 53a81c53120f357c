"""How far measures rank systems alike: the result, in every form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair._version import __version__
from hierpair.comparison.meta_evaluation.clusters import Clusters, clustered
from hierpair.comparison.meta_evaluation.rank_correlations import COEFFICIENTS
from hierpair.comparison.meta_evaluation.system_evidence import SystemEvidence
from hierpair.errors import BadInput, unknown
from hierpair.evaluation.looks import heading_of
from hierpair.hierarchy.arrays import Floats
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Agreement"]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Tabular):
    """Rank correlations between the rankings that measures induce.

    Attributes
    ----------
    measures
        Names of the measures.
    values
        Square matrix; NaN where a measure cannot tell any systems apart.
    coefficient
        A name in :data:`COEFFICIENTS`.
    n_systems
        Systems that were ranked.
    signatures
        One line per measure that pins all its conventions.
    notes
        Measures whose systems are ranked on some of the instances only, or that have no interval.
    evidence
        Intervals, systems left out, pairwise accuracy and AP correlation; None if no rounds were
        asked for.
    """

    measures: tuple[str, ...]
    values: Floats
    coefficient: str
    n_systems: int
    signatures: tuple[str, ...]
    notes: tuple[str, ...] = ()
    evidence: SystemEvidence | None = None

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return the correlation of two measures, by name."""
        row, column = self._places(key)
        return float(self.values[row, column])

    def _places(self, key: tuple[str, str]) -> tuple[int, int]:
        for name in key:
            if name not in self.measures:
                raise unknown("measure", name, self.measures)
        row, column = (self.measures.index(name) for name in key)
        return row, column

    def interval(self, one: str, other: str) -> tuple[float, float]:
        """Return the interval of the correlation of two measures over resampled instances.

        Raises
        ------
        BadInput
            If no rounds were asked for, or for an unknown measure.
        """
        if self.evidence is None:
            raise BadInput("no intervals were computed; ask for rounds (n_bootstrap=2000)")
        at = self._places((one, other))
        return float(self.evidence.low[at]), float(self.evidence.high[at])

    def clusters(self) -> Clusters:
        """Return the measures in clusters, by average linkage on 1 less their correlation."""
        return clustered(self.measures, self.values, self.title, self.signatures)

    def __repr__(self) -> str:
        return f"Agreement({len(self.measures)} measures, {self.n_systems} systems)"

    @property
    def title(self) -> str:
        """What the numbers are."""
        name, _ = COEFFICIENTS[self.coefficient]
        return f"{name} between rankings of {self.n_systems} systems"

    @property
    def signature(self) -> str:
        """One line that pins how it was computed, with the seed."""
        e = self.evidence
        drawn = "" if e is None else f",bootstrap={e.n_bootstrap},level={e.level:g},seed={e.seed}"
        return f"agreement(of=systems,coefficient={self.coefficient}{drawn})|hierpair {__version__}"

    def content(self, digits: int | None = None, *, pairs: bool = False, **how: Any) -> Content:
        """Return what is shown: the matrix (with 3 decimals), and a record per two measures.

        With ``pairs`` people see a row per two measures, too, with all that stands beside their
        correlation.
        """
        decimals = 3 if digits is None else digits
        data = {
            "coefficient": self.coefficient,
            "n_systems": self.n_systems,
            "measures": self.measures,
            "values": self.values,
            "signatures": self.signatures,
            **({"notes": self.notes} if self.notes else {}),
        }
        if self.evidence is not None:
            data |= {"signature": self.signature, "pairs": self.records.to_dicts()}
        return Content(
            lambda: self.records,
            lambda form: self._page(form, decimals, pairs=pairs, **how),
            lambda: data,
        )

    def _page(
        self,
        form: Form,
        digits: int,
        *,
        pairs: bool,
        caption: str | None = None,
        label: str | None = None,
    ) -> Page:
        heads = [heading_of(name, typeset=form.typeset) for name in self.measures]
        rows = [
            [name, *(number(v, digits) for v in row)]
            for name, row in zip(heads, self.values.tolist(), strict=True)
        ]
        blocks, notes = [Block(["", *heads], rows, fold=True)], [self.title, *self.notes]
        signatures = list(self.signatures)
        if pairs and self.evidence is not None and len(heads) > 1:
            blocks.append(self._pairs(self.evidence, heads, digits))
            notes += EXPLAINED if self.evidence.system_low is None else [*EXPLAINED, AND_SYSTEMS]
            signatures.insert(0, self.signature)
        return Page(blocks, notes, signatures, caption, label)

    def _pairs(self, e: SystemEvidence, heads: list[str], digits: int) -> Block:
        header = ["measure", "other", "value", "interval"]
        header += [] if e.system_low is None else ["over systems, too"]
        header += ["one left out", "accuracy", "soft", "tau_AP", "turned"]
        rows = []
        for i, k in zip(*np.triu_indices(len(heads), 1), strict=True):
            ends = [(e.low, e.high), (e.left_out_low, e.left_out_high)]
            if e.system_low is not None and e.system_high is not None:
                ends.insert(1, (e.system_low, e.system_high))
            told = [
                "–"
                if np.isnan(a[i, k])
                else f"{number(a[i, k], digits)} … {number(b[i, k], digits)}"
                for a, b in ends
            ]
            rest = [e.accuracy[i, k], e.soft_accuracy[i, k], e.tau_ap[i, k], e.tau_ap[k, i]]
            value = number(float(self.values[i, k]), digits)
            rows.append(
                [heads[i], heads[k], value, *told, *(number(float(x), digits) for x in rest)]
            )
        return Block(header, rows, "Pairs of measures", align="ll" + "r" * (len(header) - 2))

    @property
    def records(self) -> Records:
        """One record per two measures."""
        named = list(enumerate(zip(self.measures, self.signatures, strict=True)))
        header = ["measure", "other", "coefficient", "value", "n_systems", "signature"]
        beside = _beside(self.evidence)
        rows = [
            [one, other, self.coefficient, float(self.values[i, j]), self.n_systems, s, t]
            + [float(matrix[i, j]) for matrix in beside.values()]
            for i, (one, s) in named
            for j, (other, t) in named
        ]
        return Records([*header, "signature_other", *beside], rows)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame, measures × measures."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.measures), columns=list(self.measures))


EXPLAINED = [
    "interval: instances are resampled, the same for all systems and both measures; one left out: "
    "least and largest value without one of the systems",
    "accuracy: share of the pairs of systems in the same order; soft: 1 − mean difference of their "
    "one-sided p-values; tau_AP: errors at the top count more, the other measure is held for true; "
    "turned: the first one is",
]
AND_SYSTEMS = "over systems, too: systems are resampled as well as instances"


def _beside(evidence: SystemEvidence | None) -> dict[str, Floats]:
    """Return what stands beside a correlation, by the name of its column."""
    if evidence is None:
        return {}
    names = [
        *("low", "high", "system_low", "system_high", "left_out_low", "left_out_high"),
        *("accuracy", "soft_accuracy", "tau_ap"),
    ]
    found = {name: getattr(evidence, name) for name in names}
    return {name: matrix for name, matrix in found.items() if matrix is not None}
