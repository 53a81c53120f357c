"""Samples of averages over classes: columns are summed by class before a formula sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.comparison.samples.class_columns import ClassColumns
from hierpair.comparison.samples.class_fields import ClassFields
from hierpair.comparison.samples.draws import Draws
from hierpair.comparison.samples.exchange_tables import ExchangeTables
from hierpair.comparison.samples.sample import Sample, on_grid
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.measures import Entries, Measure

__all__ = ["ClassSample", "class_sample"]

MOVED_CELLS = 16_000_000
"""Exchanges times pairs, and times what moves of all runs, that are held at a time."""

POOLED_CELLS = 4_000_000
"""Draws times fields of all runs that are summed up at a time."""


@dataclass(frozen=True, eq=False)
class ClassSample(Sample):
    """Sufficient statistics of an average over classes.

    ``tables`` are there where averages of exchanges can be looked up.
    """

    of_run: ClassFields
    tables: ExchangeTables | None = None

    def for_exchanges(self) -> ClassSample:
        """Return the sample with its tables."""
        return replace(self, tables=ExchangeTables.of(self.columns, self.of_run))

    def exchanged(self, draws: Draws, pairs: Ints) -> Iterator[tuple[slice, Floats]]:
        """Yield differences of pairs as :meth:`Sample.exchanged` does."""
        tables = self.tables
        if tables is None:
            yield from super().exchanged(draws, pairs)
            return
        n_runs = self.fields // len(self.of_run)
        runs = pairs[:, None] * n_runs + np.arange(n_runs)[:, None]
        both = np.stack([runs, runs[..., ::-1]]).reshape(-1, 2)
        in_tables, by_formula = tables.places.size, tables.rest_sums.size
        held = max(in_tables, by_formula, 4 * len(both))  # two sides, and means of both orders
        step = max(1, MOVED_CELLS // max(1, held))
        for lo in range(0, len(draws), step):
            some = draws.rows(lo, lo + step)
            means = tables.means(some, both).reshape(2, len(pairs), n_runs, len(some)).mean(axis=2)
            yield slice(None), np.abs(means[0] - means[1]).T

    def pooled(self, draws: Draws) -> Floats:
        """Return the scores of draws, some of them at a time."""
        step = max(1, POOLED_CELLS // max(1, self.columns.shape[1]))
        parts = [draws.rows(lo, lo + step) for lo in range(0, len(draws), step)]
        return np.concatenate([super(ClassSample, self).pooled(part) for part in parts])


def class_sample(
    m: Measure, groups: Sequence[Sequence[Entries]], weight: Floats | None
) -> ClassSample:
    """Return the sample of an average over classes; a group holds the entries of a system's runs.

    The columns of a run are those of its entries, each with all classes that occur, and the weight.
    """
    every = [e for runs in groups for e in runs]
    occurs = np.zeros(max((int(e.number.max(initial=-1)) for e in every), default=-1) + 1, bool)
    for e in every:
        occurs[e.number] = True
    n, width, n_runs = every[0].n_instances, int(occurs.sum()), len(groups[0])
    place = np.cumsum(occurs) - 1
    names = list(every[0].columns)
    matrices = [_of_run(e, names, place, width, weight) for e in every]
    data = on_grid(np.concatenate([matrix.data for matrix in matrices])[:, None], n)[:, 0]
    ends = np.cumsum([matrix.nnz for matrix in matrices])[:-1]
    for matrix, of_run in zip(matrices, np.split(data, ends), strict=True):
        matrix.data = of_run
    fields = ClassFields(
        m, tuple(names), width, every[0].every, tuple(every[0].whole), every[0].n_classes
    )

    def pool(sums: Floats) -> Floats:
        of_runs = fields.means(sums.reshape(-1, len(fields)))
        means: Floats = of_runs.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return ClassSample(ClassColumns.of(matrices), n_runs * len(fields), pool, len(groups), fields)


def _of_run(
    e: Entries, names: Sequence[str], place: Ints, width: int, weight: Floats | None
) -> Any:
    """Return the columns of one run, a row per field: columns by class, the weight, whole ones."""
    at, instances = place[e.number], np.arange(e.n_instances)
    here = np.zeros(e.n_instances, dtype=np.int64)
    parts: list[tuple[Ints, NDArray[Any], NDArray[Any]]] = [
        (i * width + at, e.row, e.columns[name]) for i, name in enumerate(names)
    ]
    common = [np.ones(e.n_instances, dtype=bool), *e.whole.values()]
    parts += [(here + len(names) * width + i, instances, of) for i, of in enumerate(common)]
    rows: list[NDArray[Any]] = []
    columns: list[NDArray[Any]] = []
    data: list[Floats] = []
    for row, column, values in parts:
        some = np.flatnonzero(values)
        rows.append(row[some])
        columns.append(column[some])
        of = values[some].astype(np.float64)
        data.append(of if weight is None else of * weight[columns[-1]])
    shape = len(names) * width + len(common), e.n_instances
    entries = np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))
    return scipy.sparse.csr_array(entries, shape=shape)
