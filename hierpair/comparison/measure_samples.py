"""The samples of scores: what every instance, or block of instances, adds to a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.comparison.block_samples import block_sample, in_blocks, of_partial
from hierpair.comparison.samples.class_samples import class_sample
from hierpair.comparison.samples.sample import Sample, micro_sample, values_sample
from hierpair.comparison.shared_instances import with_pairing
from hierpair.errors import BadInput
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.sums import holder

__all__ = ["sample_of_all", "sample_of_measure", "samples_of"]


def samples_of(
    scores: Scores, groups: Sequence[Sequence[str]], blocks: int | None = None, seed: int = 0
) -> list[Sample]:
    """Return the sufficient statistics of every measure, of the instances that have a pairing.

    They are those of blocks where scores come from a partial, or so many ``blocks`` are asked for.
    """
    if of_partial(scores) is not None:
        return [block_sample(scores, k, groups) for k in range(len(scores.measures))]
    if blocks is not None and scores.weight is None:  # blocks are not quite equally large
        scores = replace(scores, weight=np.ones(scores.n_instances))
    found = [sample_of_measure(scores, k, groups) for k in range(len(scores.measures))]
    return found if blocks is None else [in_blocks(s, blocks, seed) for s in found]


def sample_of_measure(scores: Scores, k: int, groups: Sequence[Sequence[str]]) -> Sample:
    """Return the sufficient statistics of one measure, of the instances that have a pairing."""
    sample, rows = sample_of_all(scores, k, groups), with_pairing(scores, scores.measures[k])
    return sample if rows is None else replace(sample, columns=sample.columns[rows])


def sample_of_all(scores: Scores, k: int, groups: Sequence[Sequence[str]]) -> Sample:
    """Return the sample of measure ``k``, of all instances; a group holds the runs of one system.

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
    found: list[list[Any]] = [
        [scores.evidence.get((run, kept_at)) for run in runs] for runs in groups
    ]
    if any(e is None for runs in found for e in runs):
        raise BadInput(
            f"comparing {m.name} needs the classes of every instance; score with keep_classes=True"
        )
    return (micro_sample if m.average == "micro" else class_sample)(m, found, scores.weight)
