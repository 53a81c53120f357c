"""Scores by the depth of the true labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.comparison.contrasts import scored_truth
from hierpair.comparison.shared_instances import on_common
from hierpair.errors import counted
from hierpair.evaluation.looks import Look
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, ratio, row_numbers
from hierpair.measures import Measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records

__all__ = ["DepthScores", "by_depth"]


@dataclass(frozen=True, eq=False, repr=False)
class DepthScores(Tabular):
    """Mean values of instances by the depth of their deepest true label.

    Attributes
    ----------
    measure, systems
        What was scored.
    depths, counts
        Depths that occur, and how many instances have them; a parentless class has depth 0,
        an empty truth −1.
    values
        Means, shape ``(n_depths, n_systems)``.
    n_valued
        Of how many instances they are: those without a value, such as those without a possible
        pairing, are left out. Shape ``(n_depths, n_systems)``.
    """

    measure: Measure
    systems: tuple[str, ...]
    depths: Ints
    counts: Ints
    values: Floats
    n_valued: Ints

    @property
    def sizes(self) -> list[str]:
        """By depth, of how many instances the means are, and of how many there are if of fewer."""
        told = []
        for n, valued in zip(self.counts.tolist(), self.n_valued.tolist(), strict=True):
            least, most = min(valued), max(valued)
            some = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            told.append(f"{n:,}" if least == n else f"{some} of {n:,}")
        return told

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.systems), 'system')}, {counted(len(self.depths), 'depth')}"
        return f"DepthScores({self.measure.name}, {sizes})"

    def content(
        self,
        digits: int | None = None,
        *,
        percent: bool = False,
        rename: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
    ) -> Content:
        """Return what is shown, a row per depth; parameters as for :meth:`Scores.content`."""
        look = Look(digits, percent, False, rename or {}, caption, label)
        look = look.checked(self.systems, [self.measure])

        def page(form: Form) -> Page:
            rows = [
                [str(depth), n, *(look.cell(self.measure, x) for x in values)]
                for depth, n, values in zip(
                    self.depths.tolist(), self.sizes, self.values.tolist(), strict=True
                )
            ]
            heads = ["depth", "instances", *map(look.name, self.systems)]
            block = Block(heads, rows, look.heading(self.measure, typeset=form.typeset), fold=True)
            notes = ["depth of the deepest true label; -1: no true label"]
            return Page([block], notes, [self.measure.signature], caption, label)

        return Content(self.records, page)

    def records(self) -> Records:
        """Return a record per depth and system."""
        rows = [
            [depth, n, system, value, self.measure.signature]
            for depth, n, values in self._rows()
            for system, value in zip(self.systems, values, strict=True)
        ]
        return Records(["depth", "n_instances", "system", "value", "signature"], rows)

    def _rows(self) -> Iterator[tuple[int, int, list[float]]]:
        columns = (self.depths.tolist(), self.counts.tolist(), self.values.tolist())
        return zip(*columns, strict=True)


@takes_hierarchy
def by_depth(
    scores: Scores, hierarchy: Hierarchy, y_true: Any, *, measure: str | Measure | None = None
) -> DepthScores:
    """Return mean values by the depth of the deepest true label; as :func:`differ`.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "d")])
    >>> scores = score(tree, ["b", "d"], {"x": ["a", "d"]}, ["subset_accuracy"])
    >>> found = by_depth(scores, tree, ["b", "d"])
    >>> found.depths.tolist(), found.values.tolist()
    ([1, 2], [[1.0], [0.0]])
    """
    scores = on_common(scores)
    column = scores.measure_number(measure)
    truth = scored_truth(scores, hierarchy, y_true)
    deepest = np.full(len(truth), -1, dtype=np.int64)
    np.maximum.at(deepest, row_numbers(truth.indptr), hierarchy.depths[truth.indices])
    depths, at, counts = np.unique(deepest, return_inverse=True, return_counts=True)
    means, sizes = [], []
    for name in scores.systems:
        values = scores.per_instance[name][:, column]
        known = ~np.isnan(values)
        above = np.bincount(at[known], values[known], minlength=len(depths))
        below = np.bincount(at[known], minlength=len(depths))
        means.append(ratio(above, below))
        sizes.append(below)
    return DepthScores(
        scores.measures[column],
        scores.systems,
        depths,
        counts,
        np.stack(means, axis=1),
        np.stack(sizes, axis=1),
    )
