"""What every instance adds to a pooled score, as columns that can be summed in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from hierpair.errors import BadInput
from hierpair.evaluation.evidence_kept import holder
from hierpair.evaluation.results.scores import Scores
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.measures import Columns, Entries, Measure
from hierpair.measures.pooling import ClassTotals, mean_over_classes, summed_means

__all__ = ["Sample", "micro_pool", "on_grid", "ratio_pool", "sample_of", "values_sample"]

Pool = Callable[[Floats], Floats]

GUARD_BITS = 2
"""Sums of three sums of all instances must still be exact."""


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
        Shape ``(n_instances, n_systems · fields)``; sparse for averages over classes. The rows may
        be sums of blocks of instances, which are then what is resampled and exchanged.
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
        """Return weighted sums, shape ``(rows, n_systems, fields)``, for rows of weights."""
        if scipy.sparse.issparse(self.columns):
            product = np.asarray((self.columns.T @ weights.T).T)
        else:
            product = weights @ self.columns
        cube: Floats = product.reshape(len(weights), self.n_systems, self.fields)
        return cube

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
    used = np.unique(np.concatenate([e.number for e in every]))
    n, width, n_runs = every[0].n_instances, len(used), len(groups[0])
    names = list(every[0].columns)
    each = np.ones(n) if weight is None else weight
    shown = list(every[0].whole)
    blocks = []
    for e in every:
        at = np.searchsorted(used, e.number)
        for name in names:
            values = e.columns[name].astype(np.float64) * each[e.row]
            some = values != 0
            blocks.append(
                scipy.sparse.csr_array((values[some], (e.row[some], at[some])), shape=(n, width))
            )
        blocks.append(
            scipy.sparse.csr_array(np.column_stack([each, *(each * e.whole[c] for c in shown)]))
        )
    columns = scipy.sparse.hstack(blocks, format="csr")
    columns.data = on_grid(columns.data[:, None], n)[:, 0]
    fields = len(names) * width + 1 + len(shown)

    def pool(sums: Floats) -> Floats:
        flat = sums.reshape(-1, fields)
        cut = flat[:, : len(names) * width].reshape(len(flat), len(names), width)
        total, *others = flat[:, len(names) * width :].T
        known = {name: cut[:, i] for i, name in enumerate(names)}
        shared = dict.fromkeys(every[0].every, total)
        known |= {name: np.maximum(total[:, None] + known[name], 0.0) for name in shared}
        shared |= dict(zip(shown, others, strict=True))
        known |= {c: np.repeat(shared[c][:, None], width, axis=1) for c in shown}
        totals = ClassTotals(known, shared, every[0].n_classes)
        of_runs = mean_over_classes(m, totals, summed_means)
        means: Floats = of_runs.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return Sample(columns, n_runs * fields, pool, len(groups))
