"""Scores of systems under measures, and the forms in which they leave the house."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, visible
from hierpair.evaluation.score_rows import (
    notes_of,
    plain_id,
    record_of,
    rows_of,
    uneven_measures,
    uneven_notes,
    ways_of,
)
from hierpair.evaluation.score_tables import (
    Look,
    ScoreTable,
    captioned,
    equal_columns,
    laid_out,
    together,
)
from hierpair.measures import Counts, Measure, measure
from hierpair.measures.pooling import ClassEntries
from hierpair.tables.formats import (
    csv_table,
    folded_table,
    latex_table,
    markdown_table,
    spreadsheet_safe,
    text_table,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Scores"]


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
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
    found_by
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
        By system and number of a measure, what comparing needs of every instance: counts for
        micro averages, what it adds to classes for averages over classes (if that was kept).
        Measures with the same evidence share the entry of the first.
    doubts
        What looks as if the hierarchy was misread (:attr:`Hierarchy.doubts`).
    unused_scores
        Systems whose labels came with scores that none of them was chosen by.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    per_instance: dict[str, NDArray[np.float64]]
    ids: tuple[Hashable, ...] | None
    n_instances: int
    n_unknown: dict[str, int] = field(default_factory=dict)
    n_missing: dict[str, int] = field(default_factory=dict)
    found_by: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    n_infeasible: dict[tuple[str, str], int] = field(default_factory=dict)
    infeasible_at: dict[tuple[str, str], NDArray[np.int64]] = field(default_factory=dict)
    remarks: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    weight: NDArray[np.float64] | None = None
    mean_labels: dict[str, float] = field(default_factory=dict)
    evidence: dict[tuple[str, int], Counts | ClassEntries] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    unused_scores: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return ``scores[system, measure]``."""
        if not (isinstance(key, tuple) and len(key) == 2):
            raise BadInput("look a score up by system and measure: scores['system', 'hf']")
        system, name = key
        wanted = measure(name)
        if system not in self.systems:
            raise BadInput(f"there is no system {system!r}; there are {', '.join(self.systems)}")
        for k, m in enumerate(self.measures):
            if m == wanted or m.name == name:
                return float(self.values[self.systems.index(system), k])
        alike = [k for k, m in enumerate(self.measures) if m.definition.name == name]
        if len(alike) == 1:
            return float(self.values[self.systems.index(system), alike[0]])
        raise BadInput(
            f"{name!r} was not scored; there are {', '.join(m.name for m in self.measures)}"
        )

    def worst(self, system: str, name: str, k: int) -> list[Hashable]:
        """Return the ids (or positions) of the ``k`` instances with the worst values.

        Of equal values the first come first; undefined values are left out.
        """
        wanted = measure(name)
        if system not in self.systems or wanted not in self.measures:
            raise BadInput(f"{name!r} was not scored for {system!r}")
        column = self.measures.index(wanted)
        values = self.per_instance[system][:, column]
        order = np.argsort(values if wanted.higher_is_better else -values, kind="stable")
        names = self.ids or range(self.n_instances)
        return [names[i] for i in order[~np.isnan(values[order])][:k].tolist()]

    @property
    def signatures(self) -> list[str]:
        """One line per measure that pins all its conventions."""
        return [m.signature for m in self.measures]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers: instances, labels and predictions left out."""
        return notes_of(self)

    @property
    def ways(self) -> list[str]:
        """How the graphs of LCA measures were found; a line for equal numbers of a system."""
        return [line for system in self.systems for line in together(ways_of(self), [system])]

    @property
    def ways_in_short(self) -> list[str]:
        """The same where a solver or the limit had a part; equal numbers of systems in a line."""
        return together(ways_of(self, only_hard=True), self.systems)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return (
            f"Scores({counted(len(self.systems), 'system')}, "
            f"{counted(len(self.measures), 'measure')}, {counted(self.n_instances, 'instance')})"
        )

    def to_text(
        self,
        digits: int | None = None,
        *,
        per_instance: bool = False,
        percent: bool = False,
        transpose: bool = False,
        rename: Mapping[str, str] | None = None,
        grouped: bool = False,
    ) -> str:
        """Return an aligned table, one row per system, followed by the signatures.

        Parameters
        ----------
        digits
            Decimals; by default 4, of values in per cent 2.
        per_instance
            One row per system and instance.
        percent, transpose, rename
            See ``hierpair.evaluation.score_tables.Look``: per cent, one row per measure, new names.
            A table
            that would be wider than 100 characters is turned if it fits so, or folded.
        grouped
            Measures that have the same values for all systems are one column, with a note.
        """
        look = self._look(Look(digits, percent, transpose, rename or {}))
        if per_instance:
            return self._instance_text(look)
        kept, same = list(range(len(self.measures))), list[str]()
        if grouped:
            kept, same = equal_columns(self.values, self.measures, look)
        blocks = laid_out([self._score_table(look, kept)], "text", look)
        table = "\n\n".join(folded_table(b.header, b.rows) for b in blocks)
        said = map(visible, [*same, *self.notes])
        return "\n".join([table, "", *said, "", *map(visible, self.signatures)])

    def _instance_text(self, look: Look) -> str:
        _, rows = rows_of(self, per_instance=True)
        cells = [
            [look.name(row[0]), str(row[1]),
             *(look.cell(m, v) for m, v in zip(self.measures, row[2:], strict=True))]
            for row in rows
        ]  # fmt: skip
        heads = [look.heading(m, "text", arrow=False) for m in self.measures]
        table = text_table(["system", "instance", *heads], cells, "ll" + "r" * len(heads))
        last = [*self.notes, "", *(m.of_instance for m in self.measures)]
        return "\n".join([table, "", *map(visible, last)])

    def to_markdown(
        self,
        digits: int | None = None,
        *,
        percent: bool = False,
        transpose: bool = False,
        rename: Mapping[str, str] | None = None,
    ) -> str:
        """Return a Markdown table with the best system bold, followed by the signatures.

        Parameters as for :meth:`to_text`.
        """
        look = self._look(Look(digits, percent, transpose, rename or {}))
        block = laid_out([self._score_table(look)], "markdown", look)[0]
        table = markdown_table(block.header, block.rows, block.best)
        notes = [*self.notes, *(f"`{s}`" for s in self.signatures)]
        return "\n".join([table, "", *(f"- {visible(note)}" for note in notes)])

    def to_latex(
        self,
        digits: int | None = None,
        *,
        percent: bool = False,
        transpose: bool = False,
        rename: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """Return a LaTeX tabular (booktabs), the best system bold, signatures as comments.

        Measures are headed as people write them (:attr:`Measure.label`). A caption, which is plain
        text, or a label makes the tabular a table. Of a measure whose values are not over the same
        instances no system is bold, which is said below the table. Other parameters as for
        :meth:`to_text`.
        """
        look = self._look(Look(digits, percent, transpose, rename or {}, caption, label))
        block = laid_out([self._score_table(look)], "latex", look)[0]
        foot = uneven_notes(
            self, name=look.name, heading=lambda m: look.heading(m, "latex", arrow=False)
        )
        table = latex_table(block.header, block.rows, block.best, foot)
        lines = [*(f"% {visible(s)}" for s in [*self.notes, *self.signatures]), table]
        return captioned("\n".join(lines), caption, label)

    def to_csv(
        self, *, separator: str = ",", per_instance: bool = False, spreadsheet: bool = False
    ) -> str:
        """Return separated values in full precision, one row per system and measure.

        With ``per_instance`` one row per system and instance; columns are headed by signatures.
        With ``spreadsheet`` no text is a formula to a spreadsheet
        (``hierpair.tables.formats.spreadsheet_safe``).
        """
        content = csv_table(*rows_of(self, per_instance=per_instance), separator)
        return spreadsheet_safe(content, separator) if spreadsheet else content

    def to_json(self, *, per_instance: bool = False) -> str:
        """Return a JSON object in full precision; NaN becomes null."""
        header, rows = rows_of(self)
        data: dict[str, Any] = {
            "n_instances": self.n_instances,
            "n_unknown": self.n_unknown,
            "n_missing": self.n_missing,
            **({"ways": self.ways} if self.found_by else {}),
            **({"notes": self.notes[1:]}
               if self.n_infeasible or self.remarks or self.unused_scores else {}),
            **({"doubts": list(self.doubts)} if self.doubts else {}),
            "scores": [record_of(header, row) for row in rows],
        }  # fmt: skip
        if per_instance:
            header, rows = rows_of(self, per_instance=True)
            data["per_instance"] = [record_of(header, row) for row in rows]
        return json.dumps(data, ensure_ascii=False, indent=2, default=plain_id)

    def to_jsonl(self, *, per_instance: bool = False) -> str:
        """Return one JSON object per line: scores, or per-instance values."""
        header, rows = rows_of(self, per_instance=per_instance)
        return "\n".join(
            json.dumps(record_of(header, row), ensure_ascii=False, default=plain_id) for row in rows
        )

    def to_dataframe(self, *, per_instance: bool = False) -> pd.DataFrame:
        """Return a pandas DataFrame: systems × measures, or one row per system and instance."""
        import pandas as pd

        names = [m.name for m in self.measures]
        if not per_instance:
            return pd.DataFrame(self.values, index=list(self.systems), columns=names)
        header, rows = rows_of(self, per_instance=True)
        return pd.DataFrame(rows, columns=[*header[:2], *names])

    def _look(self, look: Look) -> Look:
        return look.checked(self.systems, self.measures)

    def _score_table(self, look: Look, kept: Sequence[int] | None = None) -> ScoreTable:
        """Return pooled scores by system, under all measures or those with these numbers."""
        numbers = list(range(len(self.measures)) if kept is None else kept)
        measures = [self.measures[k] for k in numbers]
        cells = [
            [look.cell(m, v) for m, v in zip(measures, row, strict=True)]
            for row in self.values[:, numbers].tolist()
        ]
        return ScoreTable(self.systems, measures, cells, self._best(numbers))

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
