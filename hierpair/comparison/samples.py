"""What every instance adds to a pooled score, as columns that can be summed in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.comparison.class_columns import ClassColumns
from hierpair.errors import BadInput
from hierpair.evaluation.evidence_kept import holder
from hierpair.evaluation.results.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.measures import Columns, Entries, Measure
from hierpair.measures.pooling import ClassTotals, mean_over_classes, summed_means

__all__ = ["Sample", "micro_pool", "on_grid", "ratio_pool", "sample_of", "values_sample"]

Pool = Callable[[Floats], Floats]

GUARD_BITS = 2
"""Sums of three sums of all instances must still be exact."""

CACHED_CELLS = 84_000
"""Classes times data sets whose values are computed at a time, so that they stay in the cache.

A step over pairs of systems (``PAIR_CELLS``) is one piece where a formula has three columns.
"""


@dataclass(frozen=True, eq=False)
class Sample:
    """Sufficient statistics of one measure.

    The pooled score of a system is ``pool`` of the sums of its columns over the instances;
    resampling and exchanging instances changes the sums alone. The entries are whole multiples
    of a power of two, few enough bits that every sum is exact: results depend neither on the
    order of the sums nor on how the work is cut.

    Attributes
    ----------
    columns
        Shape ``(n_instances, n_systems · fields)``; :class:`ClassColumns` for averages over
        classes. The rows may be sums of blocks of instances, which are then what is resampled and
        exchanged.
    fields
        Numbers that an instance adds per system.
    pool
        From sums, shape ``(…, fields)``, to scores, shape ``(…)``.
    n_systems
        Number of systems.
    """

    columns: Any
    fields: int
    pool: Pool
    n_systems: int

    @property
    def n_instances(self) -> int:
        """Number of instances, or of blocks."""
        return int(self.columns.shape[0])

    def sums(self, weights: Floats) -> Floats:
        """Return weighted sums, shape ``(rows, n_systems, fields)``, for rows of weights ≥ 0."""
        return self.narrow_sums(weights).astype(np.float64, copy=False)

    def narrow_sums(self, weights: Floats, *, shared: bool = True) -> NDArray[Any]:
        """Return the sums as numbers of fewer bits, where these hold them and their differences.

        With ``shared=False`` something may be left out that is the same for all systems.
        """
        if isinstance(self.columns, ClassColumns):
            product = self.columns.sums(weights, shared=shared)
        else:
            product = weights @ self.columns
        return product.reshape(len(weights), self.n_systems, self.fields)

    def in_groups(self, groups: Any) -> Sample:
        """Return the sample of sums of groups; ``groups`` is a sparse matrix of ones."""
        by_class = isinstance(self.columns, ClassColumns)
        summed = self.columns.in_groups(groups) if by_class else groups @ self.columns
        return replace(self, columns=summed)

    def whole(self) -> Floats:
        """Return the sums over all instances, shape ``(n_systems, fields)``."""
        sums: Floats = self.sums(np.ones((1, self.n_instances)))[0]
        return sums


def on_grid(columns: Floats, n_rows: int | None = None) -> Floats:
    """Round numbers to a grid of powers of two on which every sum of them is exact.

    Whole numbers stay as they are. With ``n_rows`` no more than so many are ever summed. The
    error is below 2⁻⁴⁸ of the largest number, times the number of rows.

    >>> on_grid(np.array([[0.5], [3.0]])).tolist()
    [[0.5], [3.0]]
    """
    largest = float(np.abs(columns).max(initial=0.0))
    rows = len(columns) if n_rows is None else n_rows
    room = 53 - GUARD_BITS - int(np.ceil(np.log2(max(1, rows))))
    if largest == 0 or (largest < 2.0**room and (columns == np.rint(columns)).all()):
        return columns
    shift = room - int(np.ceil(np.log2(largest))) - 1
    return np.ldexp(np.rint(np.ldexp(columns, shift)), -shift)


def values_sample(values: Floats, weight: Floats | None = None) -> Sample:
    """Return the sample of a mean over instances; NaN is left out of it.

    The values have the shape ``(n_instances, n_systems)``, or ``(n_instances, n_systems, n_runs)``.
    """
    cube = values[:, :, None] if values.ndim == 2 else values
    n, n_systems, n_runs = cube.shape
    known = ~np.isnan(cube)
    if weight is None and known.all():
        means = on_grid(cube.mean(axis=2) if n_runs > 1 else cube[:, :, 0])
        return Sample(means, 1, lambda sums: sums[..., 0] / n, n_systems)
    w = np.ones(n) if weight is None else weight
    parts = np.stack([np.where(known, cube, 0.0) * w[:, None, None], known * w[:, None, None]], -1)
    return Sample(on_grid(parts.reshape(n, -1)), 2 * n_runs, ratio_pool(n_runs), n_systems)


def ratio_pool(n_runs: int) -> Pool:
    """Return what divides sums of values by those of weights; of several runs it takes the mean."""

    def pool(sums: Floats) -> Floats:
        cut = sums.reshape(*sums.shape[:-1], n_runs, 2)
        means: Floats = ratio(cut[..., 0], cut[..., 1]).mean(axis=-1)
        return means

    return pool


def micro_pool(m: Measure, n_runs: int) -> Pool:
    """Return what applies a formula to sums of its columns; of several runs it takes the mean."""
    names = list(m.definition.columns)

    def pool(sums: Floats) -> Floats:
        flat = sums.reshape(-1, len(names))
        values = m.values({name: flat[:, i] for i, name in enumerate(names)})
        means: Floats = values.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return pool


def sample_of(scores: Scores, k: int, groups: Sequence[Sequence[str]]) -> Sample:
    """Return the sample of measure ``k``; a group holds the runs of one system.

    Raises
    ------
    BadInput
        If what averages over classes need was not kept.
    """
    m = scores.measures[k]
    kept_at = holder(scores.measures, k)
    if kept_at is None:
        cube = np.stack(
            [np.stack([scores.per_instance[r][:, k] for r in runs], -1) for runs in groups], 1
        )
        return values_sample(cube, scores.weight)
    found = [[scores.evidence.get((run, kept_at)) for run in runs] for runs in groups]
    if any(e is None for runs in found for e in runs):
        raise BadInput(
            f"comparing {m.name} needs the classes of every instance; score with keep_classes=True"
        )
    return (_micro if m.average == "micro" else _by_class)(m, found, scores.weight)


def _micro(m: Measure, groups: list[list[Any]], weight: Floats | None) -> Sample:
    """Columns are summed, then the formula is applied; of several runs the mean is taken."""
    every: list[Columns] = [columns for runs in groups for columns in runs]
    names = list(m.definition.columns)
    stacked = np.stack([np.stack([c[name] for name in names], -1) for c in every], 1)
    columns = stacked.reshape(len(stacked), -1).astype(np.float64)
    if weight is not None:
        columns = columns * weight[:, None]
    n_runs = len(groups[0])
    return Sample(on_grid(columns), n_runs * len(names), micro_pool(m, n_runs), len(groups))


def _by_class(m: Measure, groups: list[list[Any]], weight: Floats | None) -> Sample:
    """Columns are summed by class, then the formula is applied and the mean over classes taken.

    The columns of a run are those of its entries, each with all classes that occur, and the weight.
    """
    every: list[Entries] = [e for runs in groups for e in runs]
    occurs = np.zeros(max((int(e.number.max(initial=-1)) for e in every), default=-1) + 1, bool)
    for e in every:
        occurs[e.number] = True
    n, width, n_runs = every[0].n_instances, int(occurs.sum()), len(groups[0])
    place = np.cumsum(occurs) - 1
    names = list(every[0].columns)
    each = np.ones(n) if weight is None else weight
    shown = list(every[0].whole)
    matrices = [_of_run(e, names, place, width, each) for e in every]
    data = on_grid(np.concatenate([matrix.data for matrix in matrices])[:, None], n)[:, 0]
    ends = np.cumsum([matrix.nnz for matrix in matrices])[:-1]
    for matrix, of_run in zip(matrices, np.split(data, ends), strict=True):
        matrix.data = of_run
    columns = ClassColumns.of(matrices)
    fields = len(names) * width + 1 + len(shown)

    def part(flat: Floats) -> Floats:
        by_name = np.ascontiguousarray(
            flat[:, : len(names) * width].reshape(len(flat), len(names), width).swapaxes(0, 1),
            dtype=np.float64,
        )
        total, *others = flat[:, len(names) * width :].T.astype(np.float64)
        known = dict(zip(names, by_name, strict=True))
        shared = dict.fromkeys(every[0].every, total)
        known |= {name: np.maximum(total[:, None] + known[name], 0.0) for name in shared}
        shared |= dict(zip(shown, others, strict=True))
        known |= {c: np.repeat(shared[c][:, None], width, axis=1) for c in shown}
        totals = ClassTotals(known, shared, every[0].n_classes)
        return mean_over_classes(m, totals, summed_means)

    def pool(sums: Floats) -> Floats:
        flat = sums.reshape(-1, fields)
        step = max(1, CACHED_CELLS // max(1, width))
        found = [part(flat[lo : lo + step]) for lo in range(0, len(flat), step)]
        of_runs = np.concatenate(found) if found else np.zeros(0)
        means: Floats = of_runs.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return Sample(columns, n_runs * fields, pool, len(groups))


def _of_run(e: Entries, names: Sequence[str], place: Ints, width: int, each: Floats) -> Any:
    """Return the columns of one run, a row per field: columns by class, the weight, whole ones."""
    rows: list[NDArray[Any]] = []
    instances: list[NDArray[Any]] = []
    data: list[Floats] = []
    at = place[e.number]
    for i, name in enumerate(names):
        values = e.columns[name].astype(np.float64) * each[e.row]
        some = np.flatnonzero(values)
        rows.append(at[some] + i * width)
        instances.append(e.row[some])
        data.append(values[some])
    for i, values in enumerate([each, *(each * column for column in e.whole.values())]):
        some = np.flatnonzero(values)
        rows.append(np.full(len(some), len(names) * width + i))
        instances.append(some)
        data.append(values[some])
    shape = (len(names) * width + 1 + len(e.whole), e.n_instances)
    entries = np.concatenate(data), (np.concatenate(rows), np.concatenate(instances))
    return scipy.sparse.csr_array(entries, shape=shape)
