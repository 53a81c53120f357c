"""The result of comparing systems, in every form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair.comparison.comparison_data import ComparisonData
from hierpair.comparison.comparison_pages import page_of, pair_records, score_records
from hierpair.comparison.shared_instances import common_notes
from hierpair.evaluation.score_tables import Look
from hierpair.tables.forms import Shown
from hierpair.tables.records import Content, Records
from hierpair.tables.separated import csv_table, spreadsheet_safe

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparisonData, Shown):
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
        Effect size, positive if ``i`` is better, whatever the direction of the measure.
    wins
        Number of instances on which ``i`` is better than ``j``.
    runs
        The runs of every system, if there are several.
    run_values
        Scores of the runs, shape ``(n_systems, n_measures, n_runs)``, or None.
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

    def to_text(self, digits: int | None = None, **look: Any) -> str:
        """Return aligned tables: scores with ranks, intervals, and on request all pairs.

        Parameters as for :meth:`content`.
        """
        return self.to_table("text", digits, **look)

    def to_markdown(self, digits: int | None = None, **look: Any) -> str:
        """Return Markdown tables, the best system of each measure bold.

        Parameters as for :meth:`content`.
        """
        return self.to_table("markdown", digits, **look)

    def to_latex(self, digits: int | None = None, **look: Any) -> str:
        """Return a LaTeX tabular (booktabs) as in papers: ranks in brackets, the best bold.

        Notes and signatures are comments; intervals and pairs are further tabulars on request.
        Parameters as for :meth:`content`.
        """
        return self.to_table("latex", digits, **look)

    def to_csv(
        self, *, pairs: bool = False, separator: str = ",", spreadsheet: bool = False
    ) -> str:
        """Return separated values in full precision: a row per system and measure, or per pair.

        With ``spreadsheet`` no text is a formula to a spreadsheet.
        """
        records = self.records(pairs=pairs)
        content = csv_table(records.header, records.rows, separator)
        return spreadsheet_safe(content, separator) if spreadsheet else content

    def to_jsonl(self, *, pairs: bool = False) -> str:
        """Return one JSON object per line, as :meth:`to_csv`."""
        return self.to_table("jsonl", pairs=pairs)

    def to_json(self) -> str:
        """Return a JSON object with everything, in full precision."""
        return self.to_table("json")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists."""
        noted = self.scores.unused_scores or self.scores.n_infeasible
        notes = [*self.scores.notes[1:], *common_notes(self.scores)]
        return {
            "signature": self.signature,
            "signatures": self.scores.signatures,
            "settings": vars(self.plan),
            "n_instances": self.scores.n_instances,
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
