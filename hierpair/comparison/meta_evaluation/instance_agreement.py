"""How far measures order the answers to instances alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair._version import __version__
from hierpair.comparison.block_samples import of_partial
from hierpair.comparison.meta_evaluation.clusters import Clusters, clustered
from hierpair.comparison.statistics.paired_tests import DIFFERENCE_BITS, differences_of
from hierpair.comparison.statistics.tests_by_name import all_pairs
from hierpair.errors import BadInput, counted, unknown
from hierpair.evaluation.looks import heading_of
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["InstanceAgreement", "instance_agreement"]


@dataclass(frozen=True, eq=False, repr=False)
class InstanceAgreement(Tabular):
    """What measures say of instances: correlation of values, and of decisions between systems.

    A *decision* is about an instance and two systems; a measure makes it if their values differ.
    Matrices are measures × measures.

    Attributes
    ----------
    measures, signatures
        Names of the measures; a line for each that pins its conventions.
    values
        Kendall's tau-b of the values over all (instance, system); nan where all are equal.
    both, first_only, neither
        How many decisions both make, the measure of the row alone, and none of them.
    reversed_
        How many of those that both make they make the other way round.
    n_decisions, n_instances, n_systems
        Decisions there are: instances × pairs of systems.
    notes
        What has to be known beside the numbers.
    """

    measures: tuple[str, ...]
    signatures: tuple[str, ...]
    values: Floats
    both: Ints
    first_only: Ints
    neither: Ints
    reversed_: Ints
    n_decisions: int
    n_instances: int
    n_systems: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return the correlation of two measures, by name."""
        for name in key:
            if name not in self.measures:
                raise unknown("measure", name, self.measures)
        row, column = (self.measures.index(name) for name in key)
        return float(self.values[row, column])

    def __repr__(self) -> str:
        return (
            f"InstanceAgreement({counted(len(self.measures), 'measure')}, "
            f"{self.n_instances:,} instances, {counted(self.n_systems, 'system')})"
        )

    @property
    def title(self) -> str:
        """What the correlations are."""
        return (
            f"Kendall's tau-b of the values of {self.n_instances:,} instances and "
            f"{self.n_systems} systems"
        )

    @property
    def decided(self) -> Floats:
        """Share of the decisions that each measure makes."""
        return np.diag(self.both) / self.n_decisions

    @property
    def reversed_share(self) -> Floats:
        """Share reversed of the decisions that both make: 1 − consistency (Huang and Ling 2005)."""
        return ratio(self.reversed_, self.both)

    @property
    def discriminancy(self) -> Floats:
        """Decisions that the row alone makes for one that the column alone makes (the same).

        Infinite where the column makes none that the row does not make, nan where neither does.
        """
        found = ratio(self.first_only, self.first_only.T)
        found[(self.first_only.T == 0) & (self.first_only > 0)] = np.inf
        return found

    @property
    def indifferency(self) -> Floats:
        """Share of the decisions that neither makes (the same)."""
        shares: Floats = self.neither / self.n_decisions
        return shares

    def clusters(self) -> Clusters:
        """Return the measures in clusters, by average linkage on 1 less their correlation."""
        return clustered(self.measures, self.values, self.title, self.signatures)

    @property
    def signature(self) -> str:
        """One line that says how it was computed; nothing is drawn."""
        return f"agreement(of=instances,coefficient=kendall_b)|hierpair {__version__}"

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown: three matrices, and a record per two measures."""
        decimals = 3 if digits is None else digits

        def page(form: Form) -> Page:
            heads = [heading_of(name, typeset=form.typeset) for name in self.measures]

            def block(matrix: Floats, digits: int, title: str) -> Block:
                rows = [
                    [name, *("–" if np.isnan(x) else number(x, digits) for x in row)]
                    for name, row in zip(heads, matrix.tolist(), strict=True)
                ]
                return Block(["", *heads], rows, title, fold=True)

            alone = self.first_only / self.n_decisions
            np.fill_diagonal(alone, self.decided)
            blocks = [
                block(self.values, decimals, self.title),
                block(100 * self.reversed_share, 1, "reversed, % of the decisions that both make"),
                block(100 * alone, 1, "decided by the row alone, % of all; diagonal: by it at all"),
            ]
            return Page(blocks, self._notes(), [self.signature, *self.signatures], caption, label)

        return Content(lambda: self.records, page, self.to_dict)

    def _notes(self) -> list[str]:
        told = (
            f"{self.n_decisions:,} decisions: {self.n_instances:,} instances × pairs of "
            f"{self.n_systems} systems; one is made where the two values differ"
        )
        if len(self.measures) < 3 or np.isnan(self.values).any():
            return [told, *self.notes]
        return [told, *self.notes, *self.clusters().notes]

    @property
    def records(self) -> Records:
        """One record per two measures."""
        header = [
            *("measure", "other", "kendall_b", "n_decisions", "both", "reversed", "first_only"),
            *("other_only", "neither", "reversed_share", "discriminancy", "indifferency"),
            *("n_instances", "n_systems", "signature", "signature_other"),
        ]
        rows = []
        for i, (one, s) in enumerate(zip(self.measures, self.signatures, strict=True)):
            for k, (other, t) in enumerate(zip(self.measures, self.signatures, strict=True)):
                counts = (self.both, self.reversed_, self.first_only, self.first_only.T)
                shares = (self.reversed_share, self.discriminancy, self.indifferency)
                rows.append(
                    [one, other, float(self.values[i, k]), self.n_decisions]
                    + [int(matrix[i, k]) for matrix in (*counts, self.neither)]
                    + [float(matrix[i, k]) for matrix in shares]
                    + [self.n_instances, self.n_systems, s, t]
                )
        return Records(header, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists."""
        return {
            "signature": self.signature,
            "signatures": self.signatures,
            "measures": self.measures,
            "values": self.values,
            "decided": self.decided,
            "notes": list(self._notes()),
            "pairs": self.records.to_dicts(),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame of the correlations, measures × measures."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.measures), columns=list(self.measures))


def instance_agreement(scores: Scores, notes: tuple[str, ...] = ()) -> InstanceAgreement:
    """Return how far measures order the answers to instances alike.

    Raises
    ------
    BadInput
        For the scores of a partial, sample weights, or no instance with a value under all measures.
    """
    from scipy.stats import kendalltau

    if of_partial(scores) is not None:
        raise BadInput(
            "agreement over instances needs the value of every instance, and a partial keeps sums "
            "alone; use of='systems' (--of systems), or score the labels of all instances"
        )
    if scores.weight is not None:
        raise BadInput(
            "agreement over instances counts every instance once, and these scores have sample "
            "weights; score without them, or use of='systems' (--of systems)"
        )
    turned = np.array([1.0 if m.higher_is_better else -1.0 for m in scores.measures])
    cube = np.stack([scores.per_instance[s] for s in scores.systems], axis=2) * turned[:, None]
    known = ~np.isnan(cube).any(axis=(1, 2))
    cube = cube[known].transpose(1, 2, 0)  # measures × systems × instances
    n_measures, n_systems, n = cube.shape
    if not n:
        raise BadInput(
            "no instance has a value under all measures and systems; leave out measures that are "
            "not defined for them"
        )
    if n < len(known):
        few = (
            f"{n:,} of {len(known):,} instances: those with a value under all measures and systems"
        )
        notes = (*notes, few)
    flat = np.array([_on_ties(of) for of in cube.reshape(n_measures, -1)])
    values = np.ones((n_measures, n_measures))
    for i in range(n_measures):
        if (flat[i] == flat[i, 0]).all():
            values[i], values[:, i] = np.nan, np.nan
    for i, k in all_pairs(n_measures).tolist():
        if not np.isnan(values[i, k]):
            values[i, k] = values[k, i] = kendalltau(flat[i], flat[k]).statistic
    agreed, against, both, first_only, neither = (
        np.zeros((n_measures, n_measures), dtype=np.int64) for _ in range(5)
    )
    pairs = all_pairs(n_systems).tolist()
    for one, other in pairs:
        signs = np.sign([differences_of(of[one], of[other]) for of in cube])
        won, lost, tied = ((signs == sign).astype(np.float64) for sign in (1, -1, 0))
        agreed += (won @ won.T + lost @ lost.T).astype(np.int64)
        against += (won @ lost.T + lost @ won.T).astype(np.int64)
        first_only += ((won + lost) @ tied.T).astype(np.int64)
        neither += (tied @ tied.T).astype(np.int64)
    both = agreed + against
    return InstanceAgreement(
        tuple(m.name for m in scores.measures),
        tuple(m.of_instance for m in scores.measures),
        values, both, first_only, neither, against, n * len(pairs), n, n_systems, notes,
    )  # fmt: skip


def _on_ties(values: Floats) -> Floats:
    """Round values to so many bits of the largest one that what only rounding parts is tied."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0:
        return values
    step = int(np.ceil(np.log2(largest))) - DIFFERENCE_BITS
    return np.ldexp(np.rint(np.ldexp(values, -step)), step)
