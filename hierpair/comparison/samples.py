"""What every instance adds to a pooled score, as columns that can be summed in any order.

Every test and every interval is such a matrix (instances × systems · fields) times draws: rows of
numbers that say how often an instance counts, or whether two systems change places on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.evaluation.partial import Partial
from hierpair.evaluation.sums import block_columns
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.measures import Measure

GUARD_BITS = 2
"""Sums of three sums of all instances must still be exact."""

PAIR_CELLS = 250_000
"""Cells of one step over pairs: rows × pairs × fields."""

POOLED_CELLS = 4_000_000
"""Draws times fields of all systems that are summed up at a time."""


def pieces(n: int, step: int) -> Iterator[slice]:
    """Yield slices of so many (at least one) that cover a range."""
    step = max(1, step)
    yield from (slice(lo, lo + step) for lo in range(0, n, step))


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
        Shape ``(n_instances, n_systems · fields)``. The rows may be sums of blocks of instances,
        which are then what is resampled and exchanged.
    fields
        Numbers that an instance adds per system.
    pool
        From sums, shape ``(…, fields)``, to scores, shape ``(…)``.
    n_systems
        Number of systems.
    """

    columns: Any
    fields: int
    pool: Callable[[Floats], Floats]
    n_systems: int

    @property
    def n_instances(self) -> int:
        """Number of instances, or of blocks."""
        return int(self.columns.shape[0])

    def sums(self, draws: Floats) -> Floats:
        """Return sums over instances that count so often, shape ``(rows, n_systems, fields)``."""
        product: Floats = draws @ self.columns
        return product.reshape(len(draws), self.n_systems, self.fields)

    def whole(self) -> Floats:
        """Return the sums over all instances, shape ``(n_systems, fields)``."""
        sums: Floats = self.sums(np.ones((1, self.n_instances)))[0].astype(np.float64)
        return sums

    def scores(self) -> Floats:
        """Return the scores of all instances, by system."""
        return self.pool(self.whole())

    def pooled(self, draws: Floats) -> Floats:
        """Return the scores of draws, shape ``(rows, n_systems)``, some draws at a time."""
        parts = pieces(len(draws), POOLED_CELLS // max(1, self.n_systems * self.fields))
        return np.concatenate([self.pool(self.sums(draws[part])) for part in parts])

    def exchanged(self, draws: Floats, pairs: Ints) -> Iterator[tuple[slice, Floats]]:
        """Yield how far the scores of pairs are apart once they changed places where draws say.

        Piece by piece: some of the pairs, and absolute differences of shape ``(rows, pairs)``.
        """
        whole, moved = self.whole(), self.sums(draws)
        rows = min(len(draws), max(1, PAIR_CELLS // self.fields))
        for some in pieces(len(pairs), PAIR_CELLS // (rows * self.fields)):
            one, other = pairs[some].T
            for part in pieces(len(moved), rows):
                shift = moved[part][:, other] - moved[part][:, one]
                yield some, np.abs(self.pool(whole[one] + shift) - self.pool(whole[other] - shift))

    def for_exchanges(self) -> Sample:
        """Return the sample with all that exchanges need beside the sums."""
        return self

    def left_out(self) -> Floats | None:
        """Return the scores with one instance left out at a time, shape ``(n_instances, …)``.

        None for averages over classes, where this would take a pass per instance.
        """
        n = self.n_instances
        if n == 1:
            return self.scores()[None]
        values = self.pool(self.whole() - self.columns.reshape(n, self.n_systems, self.fields))
        # a plain mean divides by n, and one instance is missing
        return values * n / (n - 1) if self.fields == 1 else values

    def in_groups(self, groups: Any) -> Sample:
        """Return the sample of sums of groups; ``groups`` is a sparse matrix of ones."""
        return replace(self, columns=groups @ self.columns)


def alike(samples: Sequence[Sample]) -> dict[int, list[int]]:
    """Return the numbers of the samples of so many instances: they see the same draws."""
    groups: dict[int, list[int]] = {}
    for k, sample in enumerate(samples):
        groups.setdefault(sample.n_instances, []).append(k)
    return groups


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


def by_run(
    formula: Callable[[Floats], Floats], n_runs: int, width: int
) -> Callable[[Floats], Floats]:
    """Return a pool: the mean over runs of a formula of so many sums, rows of shape (…, width)."""

    def pool(sums: Floats) -> Floats:
        values = formula(sums.reshape(-1, width))
        means: Floats = values.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return pool


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
    w = (np.ones(n) if weight is None else weight)[:, None, None]
    parts = np.stack([np.where(known, cube, 0.0) * w, known * w], -1)
    return columns_sample(None, parts)


def columns_sample(m: Measure | None, cube: Floats) -> Sample:
    """Return the sample of a formula of sums of columns, or (None) of their ratio.

    The columns have the shape ``(n_instances, n_systems, n_runs, columns)``.
    """

    def formula(sums: Floats) -> Floats:
        if m is None:
            return ratio(*sums.T)
        return m.values(dict(zip(m.definition.columns, sums.T, strict=True)))

    n, n_systems, n_runs, width = cube.shape
    pool = by_run(formula, n_runs, width)
    return Sample(on_grid(cube.reshape(n, -1)), n_runs * width, pool, n_systems)


def block_sample(one: Partial, m: Measure, groups: Sequence[Sequence[str]]) -> Sample:
    """Return the sample of a measure of a partial, a row per block.

    A mean over instances becomes a ratio of the sums of weighted values and of weights, since
    blocks are not equally large; a micro average has the sums of its columns.
    """
    names = block_columns(one.measures, one.measures.index(m))
    of = {system: sums.blocks for system, sums in zip(one.systems, one.sums, strict=True)}
    cube = [[[of[run].floats(c) for c in names] for run in runs] for runs in groups]
    columns = np.moveaxis(np.array(cube), -1, 0)
    return columns_sample(None if m.average == "samples" else m, columns)
