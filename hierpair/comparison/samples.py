"""What every instance adds to a pooled score, as columns that can be summed in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures import Counts, Measure
from hierpair.measures.evidence import AugmentedSets
from hierpair.measures.keeping import holder
from hierpair.scores import Scores

__all__ = ["Sample", "on_grid", "sample_of", "values_sample"]

Floats = NDArray[np.float64]
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
        Shape ``(n_instances, n_systems · fields)``; sparse for averages over classes.
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
        """Number of instances."""
        return int(self.columns.shape[0])

    def sums(self, weights: Floats) -> Floats:
        """Return weighted sums, shape ``(rows, n_systems, fields)``, for rows of weights."""
        if sp.issparse(self.columns):
            product = np.asarray((self.columns.T @ weights.T).T)
        else:
            product = weights @ self.columns
        cube: Floats = product.reshape(len(weights), self.n_systems, self.fields)
        return cube

    def whole(self) -> Floats:
        """Return the sums over all instances, shape ``(n_systems, fields)``."""
        sums: Floats = self.sums(np.ones((1, self.n_instances)))[0]
        return sums


def on_grid(columns: Floats) -> Floats:
    """Round numbers to a grid of powers of two on which every sum of them is exact.

    Whole numbers stay as they are. The error is below 2⁻⁴⁸ of the largest number, times the
    number of rows.

    >>> on_grid(np.array([[0.5], [3.0]])).tolist()
    [[0.5], [3.0]]
    """
    largest = float(np.abs(columns).max(initial=0.0))
    room = 53 - GUARD_BITS - int(np.ceil(np.log2(max(1, len(columns)))))
    if largest == 0 or (largest < 2.0**room and (columns == np.rint(columns)).all()):
        return columns
    shift = room - int(np.ceil(np.log2(largest))) - 1
    return np.ldexp(np.rint(np.ldexp(columns, shift)), -shift)


def values_sample(values: Floats, weight: Floats | None = None) -> Sample:
    """Return the sample of a mean over instances.

    Parameters
    ----------
    values
        Shape ``(n_instances, n_systems)``, or ``(n_instances, n_systems, n_runs)``; NaN is left
        out of means.
    weight
        One weight per instance.
    """
    cube = values[:, :, None] if values.ndim == 2 else values
    n, n_systems, n_runs = cube.shape
    known = ~np.isnan(cube)
    if weight is None and known.all():
        means = on_grid(cube.mean(axis=2) if n_runs > 1 else cube[:, :, 0])
        return Sample(means, 1, lambda sums: sums[..., 0] / n, n_systems)
    w = np.ones(n) if weight is None else weight
    parts = np.stack([np.where(known, cube, 0.0) * w[:, None, None], known * w[:, None, None]], -1)

    def pool(sums: Floats) -> Floats:
        cut = sums.reshape(*sums.shape[:-1], n_runs, 2)
        means: Floats = _divided(cut[..., 0], cut[..., 1]).mean(axis=-1)
        return means

    return Sample(on_grid(parts.reshape(n, -1)), 2 * n_runs, pool, n_systems)


def sample_of(
    scores: Scores, k: int, groups: Sequence[Sequence[str]], *, need: str = "comparing"
) -> Sample:
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
            f"{need} {m.name} needs the classes of every instance; score with keep_classes=True"
        )
    counts = [[e for e in runs if isinstance(e, Counts)] for runs in found]
    if all(counts):
        return _micro(m, counts, scores.weight)
    sets = [[e for e in runs if isinstance(e, AugmentedSets)] for runs in found]
    return _by_class(m, sets, scores.weight)


def _divided(above: Floats, below: Floats) -> Floats:
    out: Floats = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def _micro(m: Measure, groups: list[list[Counts]], weight: Floats | None) -> Sample:
    """Counts are summed, then the formula is applied; of several runs the mean is taken."""
    every = [c for runs in groups for c in runs]
    names = ["n_true", "n_pred", "n_both"]
    names += ["cost"] if any(c.cost.any() for c in every) else []
    names += ["n_neither"] if every[0].n_neither is not None else []
    stacked = np.stack([np.stack([getattr(c, f) for f in names], -1) for c in every], 1)
    columns = stacked.reshape(len(stacked), -1).astype(np.float64)
    if weight is not None:
        columns = columns * weight[:, None]
    n_runs, width = len(groups[0]), len(names)

    def pool(sums: Floats) -> Floats:
        flat = sums.reshape(-1, width)
        field: Any = {name: flat[:, i] for i, name in enumerate(names)}
        field.setdefault("cost", np.zeros(len(flat)))
        values = m.values(Counts(**field, n_classes=every[0].n_classes))
        means: Floats = values.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return Sample(on_grid(columns), n_runs * width, pool, len(groups))


def _by_class(m: Measure, groups: list[list[AugmentedSets]], weight: Floats | None) -> Sample:
    """Counts per class are summed, then the formula is applied and the mean over classes taken."""
    every = [s for runs in groups for s in runs]
    used = np.unique(np.concatenate([s.column for s in every]))
    n_runs, width = len(groups[0]), len(used)
    blocks = []
    for s in every:
        at, row = np.searchsorted(used, s.column), row_numbers(s.row_ptr)
        for mask in (s.in_true, s.in_pred, s.in_true & s.in_pred):
            ones = np.ones(int(mask.sum()))
            blocks.append(
                sp.csr_array((ones, (row[mask], at[mask])), shape=(len(s.row_ptr) - 1, width))
            )
    columns = sp.hstack(blocks, format="csr")
    if weight is not None:
        columns = sp.csr_array(columns.multiply(weight[:, None]))
        columns.data = on_grid(columns.data[:, None])[:, 0]

    def pool(sums: Floats) -> Floats:
        cut = sums.reshape(-1, 3, width)
        true, pred, both = (cut[:, i] for i in range(3))
        shape = true.shape
        none = np.zeros(shape).ravel()
        values = m.values(
            Counts(true.ravel(), pred.ravel(), both.ravel(), none, width)
        ).reshape(shape)  # fmt: skip
        each = _mean_of_classes(m, values, true, pred)
        means: Floats = each.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return Sample(columns, n_runs * 3 * width, pool, len(groups))


def _mean_of_classes(m: Measure, values: Floats, true: Floats, pred: Floats) -> Floats:
    """Return means over the classes that occur, as :meth:`Measure.pooled` takes them."""
    counted = ((true > 0) | (pred > 0)) & ~np.isnan(values)
    weight = np.where(counted, true if m.options["average"] == "weighted" else 1.0, 0.0)
    unweighted = ~weight.any(axis=-1)
    weight[unweighted] = counted[unweighted]
    mean = _divided((np.where(counted, values, 0.0) * weight).sum(axis=-1), weight.sum(axis=-1))
    occurs = ((true > 0) | (pred > 0)).any(axis=-1)
    undefined = float(m.options.get("zero_division", np.nan))
    zero = np.zeros(1)
    nothing = float(m.values(Counts(zero, zero, zero, zero, 0))[0])
    return np.where(occurs, np.where(np.isnan(mean), undefined, mean), nothing)
