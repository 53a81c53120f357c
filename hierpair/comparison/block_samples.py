"""Blocks of instances instead of instances: what partials keep, as the rows of samples.

Instances come into blocks by a hash of their ids, so the blocks are random groups of them. Sums of
random groups vary as much as the instances do: resampling the blocks estimates the same variance
(Wolter 2007, Introduction to Variance Estimation, chapter 2: the random group method), and changing
the answers of two systems on whole blocks is some of the exchanges on instances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from hierpair.comparison.samples.sample import Sample, micro_pool, on_grid, ratio_pool
from hierpair.comparison.statistics.tests_by_name import OF_INSTANCES, Plan
from hierpair.errors import BadInput, counted, shown
from hierpair.evaluation.notes import uneven_measures
from hierpair.evaluation.partial import Partial
from hierpair.evaluation.scores import NotKept, Scores
from hierpair.evaluation.sums import ClassSums, block_columns
from hierpair.measures import Measure

__all__ = [
    "block_sample",
    "check_by_block",
    "check_n_blocks",
    "in_blocks",
    "n_blocks_of",
    "of_partial",
    "under",
    "with_blocks",
]


def of_partial(scores: Scores) -> Partial | None:
    """Return the partial that scores without values of instances come from, or None."""
    return scores.partial if isinstance(scores.per_instance, NotKept) else None


def n_blocks_of(scores: Scores) -> int:
    """Return how many blocks have instances; 0 where values of instances are kept."""
    one = of_partial(scores)
    return len(_blocks(one)[0].classes) if one is not None and one.n_blocks else 0


def with_blocks(scores: Scores) -> tuple[Scores, tuple[str, ...]]:
    """Return scores under the measures that blocks can compare, and a line for those left out.

    Raises
    ------
    BadInput
        If the partial keeps no sums by block, all instances are in one block, or nothing is left.
    """
    one = of_partial(scores)
    if one is None or not one.n_blocks:
        raise BadInput(
            "these scores come from a partial that keeps no sums by block, so there is nothing to "
            "resample; make the partials with blocks (blocks=1000, --blocks 1000), or score the "
            "labels of all instances"
        )
    n = n_blocks_of(scores)
    if n < 2:
        raise BadInput(
            f"all instances are in {counted(n, 'block')}, and comparing needs at least two; make "
            "the partials with more blocks (blocks=1000, --blocks 1000)"
        )
    uneven = uneven_measures(scores)
    by_class = [m for m in scores.measures if m.average not in ("samples", "micro")]
    lines = []
    if by_class:
        lines.append(
            f"{_named(by_class)}: not compared, since no sums by block are kept of averages over "
            "classes; score the labels of all instances for that"
        )
    if some := [m for m in uneven if m not in by_class]:
        lines.append(
            f"{_named(some)}: not compared, since the systems may leave out different instances, "
            "and sums by block do not tell which ones; score the labels of all instances for that"
        )
    out = {*by_class, *uneven}
    if grown := [m for m in scores.measures if m not in out and _grows(one, m)]:
        lines.append(
            f"{_named(grown)}: not compared, since it grows with the number of instances, and "
            "blocks are not equally large; compare a mean, or score the labels of all instances"
        )
    kept = [m for m in scores.measures if m not in out and m not in grown]
    if not kept:
        raise BadInput("; ".join(lines))
    return under(scores, kept), tuple(lines)


def under(scores: Scores, measures: Sequence[Measure]) -> Scores:
    """Return the scores of a partial under some of its measures."""
    names = {m.name for m in measures}
    cut: dict[str, Any] = {
        field: {key: x for key, x in getattr(scores, field).items() if key[1] in names}
        for field in ("solved_by", "n_infeasible", "remarks")
    }
    numbers = [scores.measures.index(m) for m in measures]
    return replace(scores, measures=tuple(measures), values=scores.values[:, numbers], **cut)


def check_by_block(plan: Plan) -> None:
    """Refuse what needs the values of instances."""
    if plan.test in OF_INSTANCES:
        raise BadInput(
            f"the test {plan.test!r} compares values of instances, and here are sums of blocks; "
            "use permutation or bootstrap, or compare the scores of all instances"
        )
    if plan.effect != Plan.effect:
        raise BadInput(
            f"the effect size {plan.effect!r} is of values of instances, and here are sums of "
            "blocks; compare the scores of all instances for that"
        )
    if plan.interval == "bca":
        raise BadInput(
            "BCa intervals leave out an instance at a time, and here are sums of blocks; use "
            "percentile, or compare the scores of all instances"
        )


def block_sample(scores: Scores, k: int, groups: Sequence[Sequence[str]]) -> Sample:
    """Return the sample of measure ``k``, a row per block; a group holds the runs of one system.

    A mean over instances becomes a ratio of the sums of weighted values and of weights, since
    blocks are not equally large; a micro average has the sums of its columns.
    """
    m, one = scores.measures[k], scores.partial
    if one is None:
        raise AssertionError
    names = block_columns(one.measures, one.measures.index(m))
    of = dict(zip(one.systems, _blocks(one), strict=True))
    columns = np.stack([of[run].floats(c) for runs in groups for run in runs for c in names], 1)
    n_runs, width = len(groups[0]), len(names)
    pool = ratio_pool(n_runs) if m.average == "samples" else micro_pool(m, n_runs)
    return Sample(on_grid(columns), n_runs * width, pool, len(groups))


def check_n_blocks(n_blocks: int | None, scores: Scores) -> None:
    """Refuse a number of blocks that is none, or that these scores cannot have.

    Raises
    ------
    BadInput
        For less than 2, more than there are instances, or the scores of a partial.
    """
    if n_blocks is None:
        return
    if isinstance(n_blocks, bool) or not isinstance(n_blocks, int) or n_blocks < 2:
        raise BadInput(f"blocks must be a whole number from 2, got {shown(n_blocks)}")
    if of_partial(scores) is not None:
        raise BadInput("the blocks of a partial were made with it; leave blocks out")
    if n_blocks > scores.n_instances:
        raise BadInput(
            f"there are {counted(scores.n_instances, 'instance')}, and {n_blocks:,} blocks are "
            "asked for; leave blocks out"
        )


def in_blocks(sample: Sample, n_blocks: int, seed: int) -> Sample:
    """Return a sample whose rows are the sums of random groups, as equal in size as can be.

    >>> sample = Sample(np.arange(6.0)[:, None], 1, lambda sums: sums[..., 0] / 6, 1)
    >>> halves = in_blocks(sample, 2, seed=0)
    >>> halves.n_instances, halves.whole().tolist() == sample.whole().tolist()
    (2, True)
    """
    n = sample.n_instances
    of = np.random.default_rng(seed).permutation(n) % n_blocks
    groups = scipy.sparse.csr_array((np.ones(n), (of, np.arange(n))), shape=(n_blocks, n))
    return sample.in_groups(groups)


def _grows(one: Partial, m: Measure) -> bool:
    """Whether a score is another one if all instances come twice, as a total is.

    The sizes of random groups vary by chance. A ratio does not depend on them, but a total would
    seem to vary more than that of as many instances.
    """
    if m.average != "micro":
        return False
    names = block_columns(one.measures, one.measures.index(m))
    for of in _blocks(one):
        sums = np.array([of.floats(name).sum() for name in names])
        doubled = zip(m.definition.columns, sums, strict=True)
        once, twice = m.values({c: np.array([x, 2 * x]) for c, x in doubled})
        if not np.isclose(once, twice, rtol=1e-9, atol=0, equal_nan=True):
            return True
    return False


def _blocks(one: Partial) -> list[ClassSums]:
    return [of.blocks for of in one.sums]


def _named(measures: Sequence[Measure]) -> str:
    return ", ".join(m.name for m in measures)
