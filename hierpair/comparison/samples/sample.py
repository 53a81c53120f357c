"""What every instance adds to a pooled score, as columns that can be summed in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.comparison.samples.class_columns import ClassColumns
from hierpair.comparison.samples.draws import Draws
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.measures import Columns, Measure

__all__ = ["Sample", "micro_pool", "micro_sample", "on_grid", "ratio_pool", "values_sample"]

Pool = Callable[[Floats], Floats]

GUARD_BITS = 2
"""Sums of three sums of all instances must still be exact."""

PAIR_CELLS = 250_000
"""Cells of one step over pairs: rows × pairs × fields."""


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

    def sums(self, weights: Draws | Floats) -> Floats:
        """Return weighted sums, shape ``(rows, n_systems, fields)``, for rows of weights ≥ 0."""
        return self.narrow_sums(weights).astype(np.float64, copy=False)

    def narrow_sums(self, weights: Draws | Floats, *, shared: bool = True) -> NDArray[Any]:
        """Return the sums as numbers of fewer bits, where these hold them and their differences.

        With ``shared=False`` something may be left out that is the same for all systems.
        """
        draws = Draws.of(weights)
        if isinstance(self.columns, ClassColumns):
            product = self.columns.sums(draws, shared=shared)
        else:
            product = draws.floats @ self.columns
        return product.reshape(len(draws), self.n_systems, self.fields)

    def pooled(self, draws: Draws) -> Floats:
        """Return the scores of draws, shape ``(rows, n_systems)``."""
        return self.pool(self.narrow_sums(draws))

    def exchanged(self, draws: Draws, pairs: Ints) -> Iterator[tuple[slice, Floats]]:
        """Yield how far the scores of pairs are apart once they changed places where draws say.

        Piece by piece: some of the pairs, and absolute differences of shape ``(rows, pairs)``.
        """
        whole, moved = self.whole(), self.narrow_sums(draws, shared=False)
        rows = min(len(draws), max(1, PAIR_CELLS // self.fields))
        step = max(1, PAIR_CELLS // (rows * self.fields))
        for lo in range(0, len(pairs), step):
            one, other = pairs[lo : lo + step].T
            for first in range(0, len(moved), rows):
                of = moved[first : first + rows]
                shift = of[:, other] - of[:, one]
                a, b = self.pool(whole[one] + shift), self.pool(whole[other] - shift)
                yield slice(lo, lo + step), np.abs(a - b)

    def for_exchanges(self) -> Sample:
        """Return the sample with all that exchanges need beside the sums."""
        return self

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


def micro_sample(m: Measure, groups: list[list[Any]], weight: Floats | None) -> Sample:
    """Columns are summed, then the formula is applied; of several runs the mean is taken."""
    every: list[Columns] = [columns for runs in groups for columns in runs]
    names = list(m.definition.columns)
    stacked = np.stack([np.stack([c[name] for name in names], -1) for c in every], 1)
    columns = stacked.reshape(len(stacked), -1).astype(np.float64)
    if weight is not None:
        columns = columns * weight[:, None]
    n_runs = len(groups[0])
    return Sample(on_grid(columns), n_runs * len(names), micro_pool(m, n_runs), len(groups))
