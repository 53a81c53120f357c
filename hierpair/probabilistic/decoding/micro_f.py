"""Exact decoding of a ratio of sums over a data set: expected micro hF_β."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import counted_entries, marginals_of
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["decode_micro_hf"]

MOST_STEPS = 1000


def decode_micro_hf(
    distribution: LabelDistribution | NodeScores, beta: float = 1, *, root: Any = "exclude"
) -> Decoded:
    """Return the sets that maximise the ratio of expectations of micro hF-beta.

    ``(1 + β²) sum E|S_i ∩ Y_i| / (sum |S_i| + β² sum E|Y_i|)``, over all instances together. For
    a ratio F a class belongs to its set if ``(1 + β²) p > F``; repeating that with the ratio that
    it reaches ends at the largest ratio (Dinkelbach 1967). So one threshold, F / (1 + β²), is best
    for all instances; coherent probabilities give closed sets. The expectation of the ratio
    itself is another number; for many instances both are close.

    Parameters
    ----------
    distribution
        A distribution or scores.
    beta
        Weight of recall, a finite number > 0.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Returns
    -------
    Decoded
        ``value`` has one entry. The bound is the largest ratio that any sets can have.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2], [0.9, 0.1, 0.0]], tree)
    >>> best = decode_micro_hf(distribution)
    >>> best.sets.names_of(0, tree), best.sets.names_of(1, tree), best.value.round(4).tolist()
    (['1', '3'], ['2'], [0.7241])
    """
    if not 0 < beta < 1e100:
        raise BadInput(f"beta must be a finite number > 0, got {beta!r}")
    scores = marginals_of(distribution)
    square = float(beta) ** 2
    row, node, p = counted_entries(scores, root)
    true = square * p.sum()
    ratio = 0.0
    for _ in range(MOST_STEPS):
        chosen = (1 + square) * p > ratio
        below = float(chosen.sum() + true)
        reached = float((1 + square) * p[chosen].sum()) / below if below else 0.0
        if reached <= ratio:
            break
        ratio = reached
    chosen = (1 + square) * p > ratio
    method = f"one threshold for all instances, {ratio / (1 + square):.6g}"
    return proved(scores, row[chosen], node[chosen], np.array([ratio]), "higher", method)


@decoder(
    lambda task: (
        task.formula == "hf"
        and task.average == "micro"
        and task.options["beta"] > 0
        and task.options["augment"] in ("ancestors", "none")
        # augmenting would add classes that the threshold left out
        and (not task.is_augmented or task.marginals.is_coherent())
    )
)
def _micro(task: Task) -> Decoded:
    return decode_micro_hf(task.marginals, task.options["beta"], root=task.options["root"])
