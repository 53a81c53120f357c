"""The result of comparing systems, and the forms in which it leaves the house."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair._version import __version__
from hierpair.comparison.comparison_text import MARK, in_words
from hierpair.comparison.records import Records, json_text, record_form
from hierpair.comparison.shared_instances import common_notes, n_compared
from hierpair.comparison.statistics.ranks import cliques
from hierpair.comparison.statistics.resampling import is_exact
from hierpair.comparison.statistics.tests_by_name import TESTS, Plan, all_pairs
from hierpair.errors import BadInput, did_you_mean
from hierpair.evaluation.score_rows import doubts_by_system
from hierpair.evaluation.score_tables import Look
from hierpair.evaluation.scores import Scores
from hierpair.measures import Measure, measure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
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

    scores: Scores
    plan: Plan
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    low: Floats
    high: Floats
    ranks: NDArray[np.int64]
    p: Floats
    p_adjusted: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    effect: Floats
    wins: NDArray[np.int64]
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    run_values: Floats | None = None

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Comparison({len(self.systems)} systems, {len(self.measures)} measures)"

    # ---------------------------------------------------------------------------- looking up

    def measure_number(self, name: str | Measure | None = None) -> int:
        """Return the number of a measure; the first by default.

        Raises
        ------
        BadInput
            If it was not compared.
        """
        if name is None:
            return 0
        wanted = measure(name)
        names = [m.name for m in self.measures]
        alike = [k for k, m in enumerate(self.measures) if m.definition.name == str(name)]
        if wanted in self.measures:
            return self.measures.index(wanted)
        if len(alike) == 1:
            return alike[0]
        raise BadInput(f"{wanted.name!r} was not compared; there are {', '.join(names)}")

    def system_number(self, name: str) -> int:
        """Return the number of a system.

        Raises
        ------
        BadInput
            If there is no such system.
        """
        if name not in self.systems:
            raise BadInput(f"there is no system {name!r}{did_you_mean(name, self.systems)}; there "
                           f"are {', '.join(self.systems)}")  # fmt: skip
        return self.systems.index(name)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether two systems differ significantly after the correction."""
        found: NDArray[np.bool_] = self.p_adjusted <= self.plan.alpha
        return found

    @property
    def upwards(self) -> Floats:
        """Scores with the sign of errors turned, so that higher is better."""
        signs = np.array([1 if m.higher_is_better else -1 for m in self.measures])
        turned: Floats = self.values * signs
        return turned

    def groups(self, name: str | Measure | None = None) -> list[list[str]]:
        """Return the longest runs of neighbouring systems none of which differ significantly."""
        k = self.measure_number(name)
        found = cliques(self.upwards[:, k], self.significant[k])
        return [[self.systems[i] for i in run] for run in found]

    # ------------------------------------------------------------------------------- in words

    @property
    def signature(self) -> str:
        """One line that pins how the systems were compared, with the seed."""
        o = self.plan
        drawn = {
            "permutation": f",permutations={o.n_permutations}",
            "bootstrap": "",
        }.get(o.test, "")
        return (
            f"compare(test={o.test}{drawn},correction={o.correction},family={o.family},"
            f"alpha={o.alpha:g},level={o.level:g},interval={'t' if self.runs else o.interval},"
            f"bootstrap={o.n_bootstrap},effect={o.effect},seed={o.seed})|hierpair {__version__}"
        )

    @property
    def signatures(self) -> list[str]:
        """How it was compared, and the conventions of every measure."""
        return [self.signature, *self.scores.signatures]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        o = self.plan
        n = max(n_compared(self.scores, m) for m in self.measures)
        exact = o.test == "permutation" and is_exact(n, o.n_permutations or 0)
        notes = [
            *self.scores.notes,
            *common_notes(self.scores),
            f"in brackets ranks, equal where no significant difference is found; {MARK} "
            "significantly worse than the best",
            f"{TESTS[o.test]}{f', all {2**n} exchanges' if exact else ''}; correction: "
            f"{o.correction} over the pairs of "
            f"{'each measure' if o.family == 'measure' else 'all measures'}, alpha = {o.alpha:g}",
        ]
        rounds = {"permutation": o.n_permutations, "bootstrap": o.n_bootstrap}.get(o.test)
        factor = o.smallest_factor(len(self.systems), len(self.measures))
        if rounds is not None and not exact and factor / (rounds + 1) > o.alpha:
            notes.append(
                f"{rounds:,} rounds are too few for {factor:,} comparisons: no adjusted p-value "
                f"can be below {factor / (rounds + 1):.2g}"
            )
        if self.runs:
            runs = len(next(iter(self.runs.values())))
            notes.append(f"scores are means over {runs} runs with {100 * o.level:g} % t intervals")
        elif (pooled := self._pooled_otherwise) and o.test in ("sign", "wilcoxon", "t"):
            notes.append(
                f"the test compares values of instances, and {', '.join(pooled)} are pooled "
                "otherwise: permutation and bootstrap test the pooled scores"
            )
        return notes

    @property
    def _pooled_otherwise(self) -> list[str]:
        return [m.name for m in self.measures if m.options.get("average") not in (None, "samples")]

    # ---------------------------------------------------------------------------------- forms

    def to_text(self, digits: int | None = None, *, pairs: bool = False, **look: Any) -> str:
        """Return aligned tables: scores with ranks, intervals, and on request all pairs.

        Parameters
        ----------
        digits
            Decimals; by default 4, of values in per cent 2.
        pairs
            All pairs of systems, too.
        look
            ``percent``, ``transpose``, ``rename``, and ``grouped`` as for
            :meth:`hierpair.Scores.to_text`; the systems are rows.
        """
        return self.to_table("text", digits, pairs=pairs, **look)

    def to_markdown(self, digits: int | None = None, *, pairs: bool = False, **look: Any) -> str:
        """Return Markdown tables, the best system of each measure bold.

        Parameters as for :meth:`to_text`, but for ``grouped``.
        """
        return self.to_table("markdown", digits, pairs=pairs, **look)

    def to_latex(self, digits: int | None = None, *, pairs: bool = False, **look: Any) -> str:
        """Return a LaTeX tabular (booktabs) as in papers: ranks in brackets, the best bold.

        Notes and signatures are comments; intervals and pairs are further tabulars on request.
        Parameters as for :meth:`hierpair.Scores.to_latex`, with ``caption`` and ``label``.
        """
        return self.to_table("latex", digits, pairs=pairs, **look)

    def to_csv(
        self, *, pairs: bool = False, separator: str = ",", spreadsheet: bool = False
    ) -> str:
        """Return separated values in full precision: a row per system and measure, or per pair.

        With ``spreadsheet`` no text is a formula to a spreadsheet.
        """
        fmt = "tsv" if separator == "\t" else "csv"
        return record_form(fmt, self.records(pairs=pairs), spreadsheet=spreadsheet)

    def to_jsonl(self, *, pairs: bool = False) -> str:
        """Return one JSON object per line, as :meth:`to_csv`."""
        return record_form("jsonl", self.records(pairs=pairs))

    def to_json(self) -> str:
        """Return a JSON object with everything, in full precision."""
        return json_text(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists."""
        return {
            "signature": self.signature,
            "signatures": self.scores.signatures,
            "settings": vars(self.plan),
            "n_instances": self.scores.n_instances,
            "mean_labels": self.scores.mean_labels,
            **({"doubts": list(self.scores.doubts)} if self.scores.doubts else {}),
            **({"notes": [*self.scores.notes[1:], *common_notes(self.scores)]}
               if self.scores.unused_scores or self.scores.n_infeasible else {}),
            "runs": {name: list(runs) for name, runs in self.runs.items()},
            "scores": self.records().to_dicts(),
            "pairs": self.records(pairs=True).to_dicts(),
        }  # fmt: skip

    def to_dataframe(self, *, pairs: bool = False) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per system and measure, or per pair and measure."""
        return self.records(pairs=pairs).to_dataframe()

    def to_table(
        self,
        fmt: str,
        digits: int | None = None,
        *,
        pairs: bool = False,
        grouped: bool = False,
        spreadsheet: bool = False,
        **look: Any,
    ) -> str:
        """Return the form that ``--format`` names; parameters as for :meth:`to_text`.

        With ``spreadsheet`` no text of CSV and TSV is a formula to a spreadsheet.
        """
        if fmt == "json":
            return self.to_json()
        if fmt not in ("text", "markdown", "latex"):
            return record_form(fmt, self.records(pairs=pairs), spreadsheet=spreadsheet)
        shape = Look(digits, **{k: v for k, v in look.items() if v is not None})
        return in_words(self, fmt, shape, pairs=pairs, grouped=grouped)

    def records(self, *, pairs: bool = False) -> Records:
        """Return a record per system and measure, or per pair and measure."""
        return self._pair_records() if pairs else self._score_records()

    def _score_records(self) -> Records:
        header = ["system", "measure", "value", "low", "high", "rank", "better", "n_instances",
                  "labels", "n_runs", "signature", "comparison"]  # fmt: skip
        doubts = doubts_by_system(self.scores)
        header += ["doubts"] if doubts else []
        header += self._compared_head
        rows = [
            [system, m.name, float(self.values[i, k]), float(self.low[i, k]),
             float(self.high[i, k]), int(self.ranks[i, k]), m.definition.direction,
             self.scores.n_instances, self.mean_labels(system),
             max(1, len(self.runs.get(system, ()))), m.signature, self.signature,
             *([doubts[self.runs.get(system, (system,))[0]]] if doubts else []),
             *self._compared_cell(m)]
            for i, system in enumerate(self.systems)
            for k, m in enumerate(self.measures)
        ]  # fmt: skip
        return Records(header, rows)

    def _pair_records(self) -> Records:
        header = ["measure", "system", "other", "difference", "low", "high", "better", "wins",
                  "losses", "ties", "effect", "p", "p_adjusted", "significant", "signature",
                  "comparison", *self._compared_head]  # fmt: skip
        rows = []
        for k, m in enumerate(self.measures):
            for i, j in all_pairs(len(self.systems)).tolist():
                gain = self.upwards[i, k] - self.upwards[j, k]
                better = self.systems[i] if gain > 0 else self.systems[j] if gain < 0 else ""
                won, lost = int(self.wins[k, i, j]), int(self.wins[k, j, i])
                rows.append(
                    [m.name, self.systems[i], self.systems[j], float(self.difference[k, i, j]),
                     float(self.difference_low[k, i, j]), float(self.difference_high[k, i, j]),
                     better, won, lost, n_compared(self.scores, m) - won - lost,
                     float(self.effect[k, i, j]), float(self.p[k, i, j]),
                     float(self.p_adjusted[k, i, j]), bool(self.significant[k, i, j]),
                     m.signature, self.signature, *self._compared_cell(m)]
                )  # fmt: skip
        return Records(header, rows)

    @property
    def _compared_head(self) -> list[str]:
        """Head of the column that says over how many instances; where some are left out."""
        return ["n_compared"] if self.scores.n_infeasible else []

    def _compared_cell(self, m: Measure) -> list[int]:
        return [n_compared(self.scores, m)] if self.scores.n_infeasible else []

    def mean_labels(self, system: str) -> float:
        """Return the mean number of labels of an instance, over the runs."""
        runs = self.runs.get(system, (system,))
        return float(np.mean([self.scores.mean_labels.get(run, np.nan) for run in runs]))
