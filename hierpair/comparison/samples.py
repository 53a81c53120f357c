"""What every instance adds to a pooled score, as columns that can be summed in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.evaluation.kept_columns import holder
from hierpair.evaluation.scores import Scores
from hierpair.measures import Counts, Measure
from hierpair.measures.pooling import FIELDS, ClassEntries
from hierpair.measures.protocols import KeepsClasses

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
        if isinstance(m.recipe, KeepsClasses) or m.options.get("average") == "micro":
            mend = "score with keep_classes=True"
        else:
            mend = f"its recipe has no class_entries that would tell; {_without_classes(m)}"
        raise BadInput(f"comparing {m.name} needs the classes of every instance; {mend}")
    counts = [[e for e in runs if isinstance(e, Counts)] for runs in found]
    if all(counts):
        return _micro(m, counts, scores.weight)
    classes = [[e for e in runs if isinstance(e, ClassEntries)] for runs in found]
    return _by_class(m, classes, scores.weight)


def _without_classes(m: Measure) -> str:
    """Return how to go on with a measure that does not tell of classes."""
    other = next((a for a in m.definition.averages if a in ("samples", "micro")), None)
    if other is None:
        return "leave the measure out"
    instead = m.with_options(average=other)
    return f"take another average: name it {instead}, in Python as after -m"


def _divided(above: Floats, below: Floats) -> Floats:
    out: Floats = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def _micro(m: Measure, groups: list[list[Counts]], weight: Floats | None) -> Sample:
    """Counts are summed, then the formula is applied; of several runs the mean is taken."""
    every = [c for runs in groups for c in runs]
    names = [f for f in FIELDS if getattr(every[0], f) is not None]
    if not any(c.cost.any() for c in every):
        names.remove("cost")
    stacked = np.stack([np.stack([getattr(c, f) for f in names], -1) for c in every], 1)
    columns = stacked.reshape(len(stacked), -1).astype(np.float64)
    if weight is not None:
        columns = columns * weight[:, None]
    n_runs, width = len(groups[0]), len(names)

    def pool(sums: Floats) -> Floats:
        flat = sums.reshape(-1, width)
        known = {name: flat[:, i] for i, name in enumerate(names)}
        values = m.values(_counts(known, len(flat), every[0].n_classes))
        means: Floats = values.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return Sample(on_grid(columns), n_runs * width, pool, len(groups))


def _counts(known: dict[str, Floats], n: int, n_classes: int) -> Counts:
    """Return counts; fields that are not known are sums of nothing, as in :class:`Statistics`."""
    fields: Any = {f: known[f] if f in known else np.zeros(n) for f in FIELDS}
    return Counts(**fields, n_classes=n_classes)


def _by_class(m: Measure, groups: list[list[ClassEntries]], weight: Floats | None) -> Sample:
    """Counts per class are summed, then the formula is applied and the mean over classes taken.

    The columns of a run are its fields, each with all classes that occur, and the weight.
    """
    every = [e for runs in groups for e in runs]
    used = np.unique(np.concatenate([e.column for e in every]))
    n, width, n_runs = every[0].n_instances, len(used), len(groups[0])
    names = list(every[0].fields)
    each = np.ones(n) if weight is None else weight
    whole = sp.csr_array(each[:, None])
    blocks = []
    for e in every:
        at = np.searchsorted(used, e.column)
        for name in names:
            values = e.fields[name].astype(np.float64) * each[e.row]
            some = values != 0
            blocks.append(sp.csr_array((values[some], (e.row[some], at[some])), shape=(n, width)))
        blocks.append(whole)
    columns = sp.hstack(blocks, format="csr")
    columns.data = on_grid(columns.data[:, None], n)[:, 0]
    fields = len(names) * width + 1

    def pool(sums: Floats) -> Floats:
        flat = sums.reshape(-1, fields)
        cut = flat[:, :-1].reshape(len(flat), len(names), width)
        known = {name: cut[:, i] for i, name in enumerate(names)}
        of_runs = _mean_of_classes(m, every[0], known, flat[:, -1])
        means: Floats = of_runs.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return Sample(columns, n_runs * fields, pool, len(groups))


def _mean_of_classes(
    m: Measure, kind: ClassEntries, known: dict[str, Floats], total: Floats
) -> Floats:
    """Return means over the classes that count, as :meth:`Measure.pooled` takes them."""
    true, pred = known["n_true"], known["n_pred"]
    if kind.neither:
        union = true + pred - known["n_both"]
        known = {**known, "n_neither": np.maximum(total[:, None] - union, 0.0)}
    flat = {name: column.ravel() for name, column in known.items()}
    values = m.values(_counts(flat, true.size, kind.n_classes)).reshape(true.shape)
    every = kind.neither and m.options.get("classes") == "all"
    occurs = np.full(true.shape, True) if every else (true > 0) | (pred > 0)
    counted = occurs & ~np.isnan(values)
    weight = np.where(counted, true if m.options["average"] == "weighted" else 1.0, 0.0)
    unweighted = ~weight.any(axis=-1)
    weight[unweighted] = counted[unweighted]
    above = (np.where(counted, values, 0.0) * weight).sum(axis=-1)
    below = weight.sum(axis=-1)
    absent = kind.n_classes - true.shape[1]
    if every and absent and m.options["average"] == "macro":  # classes that no instance has
        one = m.values(_counts({"n_neither": total}, len(total), kind.n_classes))
        above, below = above + absent * np.nan_to_num(one), below + absent * ~np.isnan(one)
    mean = _divided(above, below)
    undefined = float(m.options.get("zero_division", np.nan))
    nothing = float(m.values(_counts({}, 1, kind.n_classes))[0])
    some = occurs.any(axis=-1) | (below > 0)
    return np.where(some, np.where(np.isnan(mean), undefined, mean), nothing)
