"""Scores of systems under measures, in every form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import counted
from hierpair.evaluation.results.score_data import ScoreData
from hierpair.evaluation.results.score_notes import (
    doubts_by_system,
    notes_of,
    solver_notes_of,
    together,
    uneven_measures,
    uneven_notes,
)
from hierpair.evaluation.results.score_tables import Look, ScoreTable, equal_columns, laid_out
from hierpair.evaluation.results.score_worst import worst_records, worst_table
from hierpair.evaluation.results.scored_labels import Reported
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Scores"]


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ScoreData, Tabular, Reported):
    """Scores of systems under measures.

    Attributes
    ----------
    systems, measures
        Names of the systems, and the measures.
    values
        Pooled scores, shape ``(n_systems, n_measures)``.
    per_instance
        By system, the value of every instance, shape ``(n_instances, n_measures)``.
    ids
        Instance ids, or None.
    n_instances
        Number of instances.
    n_unknown
        By side (``"y_true"`` and the systems), labels that were dropped or replaced.
    n_missing
        By system, instances without prediction that were counted as empty.
    solved_by
        By system and LCA measure, how many instances were solved in which way.
    n_infeasible
        By system and measure, instances that have no pairing: their values are nan, and pooled
        scores leave them out.
    infeasible_at
        By system and measure, the places of the instances that its pooled score leaves out since
        they have no pairing.
    remarks
        By system and measure, sentences of what has to be known, and of how many instances.
    weight
        One weight per instance, or None.
    mean_labels
        By side (``"y_true"`` and the systems), the mean number of labels of an instance.
    evidence
        By system and number of a measure, what comparing needs of every instance: columns for
        micro averages, what it adds to classes for averages over classes (if that was kept).
        Measures with the same evidence share the entry of the first.
    doubts
        What looks as if the hierarchy was misread (:attr:`Hierarchy.doubts`).
    unused_scores
        Systems whose labels came with scores that none of them was chosen by.
    scored
        The hierarchy and the labels themselves, or None for scores that were added up from parts.
    no_pairing_at
        Of scores that were compared: by system and measure, the places of the instances that have
        no pairing under that system itself, where ``infeasible_at`` has those of any system.
    """

    @property
    def signatures(self) -> list[str]:
        """One line per measure that pins all its conventions."""
        return [m.signature for m in self.measures]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers: instances, labels and predictions left out."""
        return notes_of(self)

    @property
    def solver_notes(self) -> list[str]:
        """How the graphs of LCA measures were found; a line for equal numbers of a system."""
        return [
            line for system in self.systems for line in together(solver_notes_of(self), [system])
        ]

    @property
    def hard_solver_notes(self) -> list[str]:
        """The same where a solver or the limit had a part; equal numbers of systems in a line."""
        return together(solver_notes_of(self, only_hard=True), self.systems)

    def __repr__(self) -> str:
        return (
            f"Scores({counted(len(self.systems), 'system')}, "
            f"{counted(len(self.measures), 'measure')}, {counted(self.n_instances, 'instance')})"
        )

    def content(
        self,
        digits: int | None = None,
        *,
        per_instance: bool = False,
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
        per_instance
            One row per system and instance; columns are headed by signatures.
        percent
            Measures that are shares of 1 are multiplied by 100.
        transpose
            One row per measure. A text table that would be wider than 100 characters is turned if
            it fits so, or folded.
        rename
            New names of systems and measures by their old ones.
        grouped
            In text, measures that have the same values for all systems are one column, with a
            note.
        caption, label
            Make the LaTeX tabular a table; the caption is plain text.
        """
        look = Look(digits, percent, transpose, rename or {}, caption, label)
        look = look.checked(self.systems, self.measures)

        def page(form: Form) -> Page:
            if per_instance:
                return self._instance_page(look, typeset=form.typeset)
            kept, same = list(range(len(self.measures))), list[str]()
            if grouped and form.width is not None:
                kept, same = equal_columns(self.values, self.measures, look)
            (block,) = laid_out([self._score_table(look, kept, form)], form, look)
            worst = worst_table(self, look, kept)
            blocks = [block] if worst is None else [block, worst]
            return Page(blocks, [*same, *self.notes], self.signatures, caption, label)

        return Content(
            lambda: self.records(per_instance=per_instance),
            page,
            lambda: self._data(per_instance=per_instance),
        )

    def records(self, *, per_instance: bool = False) -> Records:
        """Return a record per system and measure, or per system and instance.

        Values of instances are headed by signatures.
        """
        if per_instance:
            header = ["system", "instance", *(m.of_instance for m in self.measures)]
            names = self.ids or range(self.n_instances)
            return Records(
                header,
                [
                    [system, name, *values]
                    for system in self.systems
                    for name, values in zip(names, self.per_instance[system].tolist(), strict=True)
                ],
            )
        doubts = doubts_by_system(self)
        counts = ["n_instances", "n_unknown_true", "n_unknown", "n_missing"]
        counts += ["n_infeasible"] if self.n_infeasible else []
        last = ["signature", "doubts"] if doubts else ["signature"]
        rows = [
            [
                system,
                m.name,
                float(self.values[i, k]),
                m.definition.direction,
                self.n_instances,
                self.n_unknown.get("y_true", 0),
                self.n_unknown.get(system, 0),
                self.n_missing.get(system, 0),
                *([self.n_infeasible.get((system, m.name), 0)] if self.n_infeasible else []),
                m.signature,
                *([doubts[system]] if doubts else []),
            ]
            for i, system in enumerate(self.systems)
            for k, m in enumerate(self.measures)
        ]
        return Records(["system", "measure", "value", "better", *counts, *last], rows)

    def to_dataframe(self, *, per_instance: bool = False) -> pd.DataFrame:
        """Return a pandas DataFrame: systems × measures, or one row per system and instance."""
        import pandas as pd

        names = [m.name for m in self.measures]
        if not per_instance:
            return pd.DataFrame(self.values, index=list(self.systems), columns=names)
        records = self.records(per_instance=True)
        return pd.DataFrame(records.rows, columns=["system", "instance", *names])

    def _data(self, *, per_instance: bool) -> dict[str, Any]:
        noted = bool(self.n_infeasible or self.remarks or self.unused_scores)
        noted = noted or bool(np.isinf(self.values).any())
        each = self.records(per_instance=True).to_dicts() if per_instance else []
        return {
            "n_instances": self.n_instances,
            "n_unknown": self.n_unknown,
            "n_missing": self.n_missing,
            **({"solver_notes": self.solver_notes} if self.solved_by else {}),
            **({"notes": self.notes[1:]} if noted else {}),
            **({"doubts": list(self.doubts)} if self.doubts else {}),
            "scores": self.records().to_dicts(),
            **({"worst": worst.to_dicts()} if (worst := worst_records(self)).rows else {}),
            **({"per_instance": each} if per_instance else {}),
        }

    def _instance_page(self, look: Look, *, typeset: bool) -> Page:
        cells = [
            [
                look.name(system),
                str(name),
                *(look.cell(m, v) for m, v in zip(self.measures, values, strict=True)),
            ]
            for system, name, *values in self.records(per_instance=True).rows
        ]
        heads = [look.heading(m, typeset=typeset, arrow=False) for m in self.measures]
        block = Block(["system", "instance", *heads], cells, align="ll" + "r" * len(heads))
        return Page([block], self.notes, [m.of_instance for m in self.measures])

    def _score_table(self, look: Look, numbers: Sequence[int], form: Form) -> ScoreTable:
        """Return pooled scores by system, under the measures with these numbers."""
        measures = [self.measures[k] for k in numbers]
        cells = [
            [look.cell(m, v) for m, v in zip(measures, row, strict=True)]
            for row in self.values[:, numbers].tolist()
        ]
        foot = uneven_notes(
            self,
            name=look.name,
            heading=lambda m: look.heading(m, typeset=form.typeset, arrow=False),
        )
        return ScoreTable(self.systems, measures, cells, self._best(numbers), foot=foot)

    def _best(self, numbers: Sequence[int]) -> list[set[int]]:
        """Return, system by system, the columns under which it has the best score."""
        best: list[set[int]] = [set() for _ in self.systems]
        if len(self.systems) < 2:
            return best
        uneven = {m.name for m in uneven_measures(self)}
        for column, k in enumerate(numbers):
            if self.measures[k].name in uneven:
                continue
            higher = self.measures[k].higher_is_better
            up = self.values[:, k] if higher else -self.values[:, k]
            top = np.nanmax(up) if not np.isnan(up).all() else math.nan
            for i in np.flatnonzero(up == top).tolist():
                best[i].add(column)
        return best
