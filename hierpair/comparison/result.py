"""The result of comparing systems, in every form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair.comparison.comparison_data import ComparisonData
from hierpair.comparison.comparison_pages import page_of, pair_records, score_records
from hierpair.comparison.shared_instances import common_notes
from hierpair.evaluation.looks import Look
from hierpair.evaluation.scores import Reported
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Content, Records

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparisonData, Tabular, Reported):
    """Systems under measures: scores with intervals and ranks, and all pairs.

    Matrices have the shape ``(n_measures, n_systems, n_systems)``; entry ``[k, i, j]`` is about
    system ``i`` against system ``j``.

    Attributes
    ----------
    scores
        What was compared; an instance without a pairing under one system is left out for all.
    plan
        How: test, correction, levels, rounds, seed.
    systems, measures
        Names of the systems (not of their runs), and the measures.
    values, low, high
        Pooled scores and their intervals, shape ``(n_systems, n_measures)``.
    ranks
        Ranks, 1 for the best, equal where no significant difference is found
        (:func:`hierpair.comparison.ranked`).
    p, p_adjusted
        p-values of the pairs, as they are and adjusted; 1 on the diagonal.
    difference, difference_low, difference_high
        Score of ``i`` less score of ``j``, with its paired bootstrap interval.
    effect
        Effect size, positive if ``i`` is better, whatever the direction of the measure; None
        where blocks of instances were compared.
    wins
        Number of instances on which ``i`` is better than ``j``; None for blocks.
    runs
        The runs of every system, if there are several.
    run_values
        Scores of the runs, shape ``(n_systems, n_measures, n_runs)``, or None.
    n_blocks
        How many blocks of instances were resampled and exchanged; 0: instances were.
    left_out
        A line for the measures that blocks cannot compare.
    """

    def __repr__(self) -> str:
        return f"Comparison({len(self.systems)} systems, {len(self.measures)} measures)"

    def content(
        self,
        digits: int | None = None,
        *,
        pairs: bool = False,
        percent: bool = False,
        transpose: bool = False,
        rename: Mapping[str, str] | None = None,
        grouped: bool = False,
        caption: str | None = None,
        label: str | None = None,
    ) -> Content:
        """Return what is shown; the options of :meth:`to_table` are these.

        Parameters
        ----------
        digits
            Decimals; by default 4, of values in per cent 2.
        pairs
            All pairs of systems, too; records are then of pairs.
        percent, transpose, rename, grouped, caption, label
            As for :meth:`hierpair.Scores.content`; the systems are rows.
        """
        look = Look(digits, percent, transpose, rename or {}, caption, label)
        return Content(
            lambda: self.records(pairs=pairs),
            lambda form: page_of(self, form, look, pairs=pairs, grouped=grouped),
            self.to_dict,
        )

    def records(self, *, pairs: bool = False) -> Records:
        """Return a record per system and measure, or per pair and measure."""
        return pair_records(self) if pairs else score_records(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists."""
        noted = self.scores.unused_scores or self.scores.n_infeasible or self.left_out
        notes = [*self.scores.notes[1:], *common_notes(self.scores), *self.left_out]
        return {
            "signature": self.signature,
            "signatures": self.scores.signatures,
            "settings": vars(self.plan),
            "n_instances": self.scores.n_instances,
            **({"n_blocks": self.n_blocks} if self.n_blocks else {}),
            "mean_labels": self.scores.mean_labels,
            **({"doubts": list(self.scores.doubts)} if self.scores.doubts else {}),
            **({"notes": notes} if noted else {}),
            "runs": {name: list(runs) for name, runs in self.runs.items()},
            "scores": self.records().to_dicts(),
            "pairs": self.records(pairs=True).to_dicts(),
        }

    def to_dataframe(self, *, pairs: bool = False) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per system and measure, or per pair and measure."""
        return self.records(pairs=pairs).to_dataframe()
