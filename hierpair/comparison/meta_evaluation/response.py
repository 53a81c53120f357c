"""How measures respond to controlled errors: the result, in every form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair._version import __version__
from hierpair.comparison.meta_evaluation.perturbation import UNIT, Step
from hierpair.errors import counted, unknown
from hierpair.evaluation.looks import heading_of
from hierpair.evaluation.scores import ByName
from hierpair.hierarchy.arrays import Floats
from hierpair.measures import Measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Response"]


@dataclass(frozen=True, eq=False, repr=False)
class Response(ByName, Tabular):
    """What controlled errors cost under measures.

    Matrices have the shape ``(n_measures, n_steps)``. All steps are of the same labels of the same
    instances, so that they differ in nothing but the error.

    Attributes
    ----------
    measures, steps
        The measures, and what was done to a label.
    raw, raw_low, raw_high
        Mean of v(T, T) − v(T, P), with the sign turned for errors: above 0 is worse. nan where
        the measure is not defined; with percentile intervals of a bootstrap over instances.
    units, low, high
        The same in units of the replacement by an unrelated class: ratio of the means, 0 for
        right and 1 for unrelated; nan where that was not among the steps or costs nothing.
    floor, floor_low, floor_high
        Mean value of instances all whose labels are replaced by any class: chance level. Shape
        ``(n_measures,)``.
    n_support
        Instances with a label for which every step exists.
    n_instances
        Instances with a label.
    rounds, n_bootstrap, level, seed
        Draws of every instance; rounds and level of the intervals; of the random numbers.
    notes
        What has to be known beside the numbers.
    hierarchy
        What the classes are, in one line.
    """

    measures: tuple[Measure, ...]
    steps: tuple[Step, ...]
    raw: Floats
    raw_low: Floats
    raw_high: Floats
    units: Floats
    low: Floats
    high: Floats
    floor: Floats
    floor_low: Floats
    floor_high: Floats
    n_support: int
    n_instances: int
    rounds: int
    n_bootstrap: int
    level: float
    seed: int
    notes: tuple[str, ...]
    hierarchy: str

    done = "examined"

    def __getitem__(self, key: tuple[str | Measure, str]) -> float:
        """Return ``found[measure, step]``, in units of the unrelated replacement."""
        name, step = key
        return float(self.units[self.measure_number(name), self.step_number(step)])

    def __repr__(self) -> str:
        return (
            f"Response({counted(len(self.measures), 'measure')}, "
            f"{counted(len(self.steps), 'step')}, {self.n_support:,} of "
            f"{self.n_instances:,} instances)"
        )

    def step_number(self, name: str) -> int:
        """Return the number of a step.

        Raises
        ------
        BadInput
            If it was not taken.
        """
        names = [step.name for step in self.steps]
        if name not in names:
            raise unknown("step", name, names)
        return names.index(name)

    @property
    def in_units(self) -> bool:
        """Whether the unrelated replacement is among the steps."""
        return any(step.name == UNIT for step in self.steps)

    @property
    def signature(self) -> str:
        """One line that pins how it was computed, with the seed."""
        steps = " ".join(step.name for step in self.steps)
        return (
            f"respond(steps={steps},rounds={self.rounds},bootstrap={self.n_bootstrap},"
            f"level={self.level:g},seed={self.seed})|{self.hierarchy}|hierpair {__version__}"
        )

    @property
    def signatures(self) -> list[str]:
        """How it was computed, and the conventions of every measure for an instance."""
        return [self.signature, *(m.of_instance for m in self.measures)]

    def content(
        self,
        digits: int | None = None,
        *,
        intervals: bool = False,
        caption: str | None = None,
        label: str | None = None,
    ) -> Content:
        """Return what is shown; the options of :meth:`to_table` are these.

        Parameters
        ----------
        digits
            Decimals, 2 by default.
        intervals
            Show the interval of every number; otherwise a note says how wide they are at most.
        caption, label
            Make the LaTeX tabular a table.
        """
        decimals = 2 if digits is None else digits

        def page(form: Form) -> Page:
            blocks = [self._block(form, decimals, units=False, intervals=intervals)]
            if self.in_units:
                blocks.insert(0, self._block(form, decimals, units=True, intervals=intervals))
            return Page(blocks, self._notes(intervals), self.signatures, caption, label)

        return Content(self.records, page, self.to_dict)

    def _notes(self, intervals: bool) -> list[str]:
        wide = 100 * self.level
        if intervals:
            return [*self.notes, f"in brackets: {wide:g} % intervals over instances"]
        ends = [(self.raw_low, self.raw_high, "raw")]
        if self.in_units:
            ends.insert(0, (self.low, self.high, "in units"))
        told = ", ".join(
            f"±{number(float(np.nanmax(high - low)) / 2, 3)} {what}"
            for low, high, what in ends
            if not np.isnan(high - low).all()
        )
        return [*self.notes, f"{wide:g} % intervals over instances are at most {told}"]

    def _block(self, form: Form, digits: int, *, units: bool, intervals: bool) -> Block:
        values, low, high = (
            (self.units, self.low, self.high) if units else (self.raw, self.raw_low, self.raw_high)
        )
        if not units:
            values, low, high = (
                np.column_stack(both)
                for both in zip(
                    (values, low, high), (self.floor, self.floor_low, self.floor_high), strict=True
                )
            )
        rows = [
            [heading_of(m.name, typeset=form.typeset), *_cells(of, a, b, digits, intervals)]
            for m, of, a, b in zip(self.measures, values, low, high, strict=True)
        ]
        heads = [step.words for step in self.steps]
        title = "what an error costs, in units of an unrelated class in its place"
        if not units:
            heads.append("floor")
            title = "what an error costs; floor: the value at full noise"
        return Block(["", *heads], rows, title, fold=True)

    def records(self) -> Records:
        """Return a record per measure and step, and one for the floor of each measure."""
        header = [
            *("measure", "step", "kind", "cost", "low", "high", "in_units", "units_low"),
            *("units_high", "n_support", "n_instances", "signature"),
        ]
        shape = (self.n_support, self.n_instances)
        nan = float("nan")
        rows: list[Sequence[Any]] = []
        for k, m in enumerate(self.measures):
            for s, step in enumerate(self.steps):
                of = (self.raw, self.raw_low, self.raw_high, self.units, self.low, self.high)
                numbers = [float(matrix[k, s]) for matrix in of]
                rows.append([m.name, step.name, step.kind, *numbers, *shape, m.of_instance])
            ends = [float(x[k]) for x in (self.floor, self.floor_low, self.floor_high)]
            rows.append([m.name, "floor", "value", *ends, nan, nan, nan, *shape, m.of_instance])
        return Records(header, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists."""
        return {
            "signature": self.signature,
            "signatures": [m.of_instance for m in self.measures],
            "notes": list(self.notes),
            "n_support": self.n_support,
            "n_instances": self.n_instances,
            "steps": {step.name: step.words for step in self.steps},
            "responses": self.records().to_dicts(),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per measure and step."""
        return self.records().to_dataframe()


def _cells(values: Floats, low: Floats, high: Floats, digits: int, intervals: bool) -> list[str]:
    """Return numbers as texts; a dash where there is none."""
    cells = []
    for value, a, b in zip(values.tolist(), low.tolist(), high.tolist(), strict=True):
        text = "–" if np.isnan(value) else number(value, digits)
        if intervals and not np.isnan(a):
            text += f" [{number(a, digits)}, {number(b, digits)}]"
        cells.append(text)
    return cells
