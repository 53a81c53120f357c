"""The best prediction for a measure: by its exact decoder, or the best of many candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.confusion import has_one_path
from hierpair.errors import BadInput, HierpairError
from hierpair.evaluation.checked import chosen_measures
from hierpair.hierarchy.arrays import Bools, Floats, row_numbers
from hierpair.labels import LabelSets, lowest_labels
from hierpair.labels.node_scores import NodeScores
from hierpair.measures import Measure
from hierpair.measures.recipes.level_paths import LevelPathRecipe
from hierpair.probabilistic.decoding import weighted_decoding  # noqa: F401 - declares a decoder
from hierpair.probabilistic.decoding.decoded import Decoded, DecodingCertificate, label_sets
from hierpair.probabilistic.decoding.exact_decoders import Task, decode_exactly
from hierpair.probabilistic.decoding.f_maximisation import decode_hf
from hierpair.probabilistic.decoding.heuristics import apply_threshold
from hierpair.probabilistic.decoding.most_probable import decode_most_probable
from hierpair.probabilistic.decoding.separable_losses import decode_hamming
from hierpair.probabilistic.decoding.single_class import decode_distance
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.expectation import expected_by_instance

__all__ = ["decode"]

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds whose sets are candidates where no decoder is exact."""
REFUSED = 100
"""Instances for which a candidate may be undefined before it is given up for the rest."""


def decode(
    distribution: LabelDistribution | NodeScores,
    measure: str | Measure,
    *,
    samples: int | None = None,
    seed: int = 0,
    limit: float | None = None,
    **conventions: Any,
) -> Decoded:
    """Return the prediction with the best expected value of a measure.

    The measure decides the decoder: an exact one where there is one for the measure with its
    options, the distribution and the hierarchy. Otherwise the best of many candidates (sets of
    thresholds, the sets that are best for other measures, the ends of their paths, nothing) is
    taken for every instance, and ``certificate.exact`` is False unless its value cannot be beaten.

    Parameters
    ----------
    distribution
        A distribution, or scores where the measure needs only the probability of each class.
    measure
        Any registered measure, or its name.
    samples, seed
        Where candidates are compared: as for :func:`expected`.
    limit
        Seconds for an instance that a solver decodes.
    conventions
        Options of the measure, such as ``root="include"``.

    Returns
    -------
    Decoded
        Sets, expected values, and the certificate that says how they were found.

    Raises
    ------
    BadInput
        For a measure that needs a distribution where scores are given.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> distribution = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree)
    >>> for name in ("hf", "shortest_path", "leaf_accuracy"):
    ...     best = decode(distribution, name)
    ...     print(name, best.sets.names_of(0, tree), round(float(best.value[0]), 4), best.is_exact)
    hf ['1', '2', '5'] 0.565 True
    shortest_path ['1'] 1.25 True
    leaf_accuracy ['5'] 0.35 True
    """
    if not isinstance(distribution, (LabelDistribution, NodeScores)):
        raise BadInput(
            f"expected a LabelDistribution or NodeScores, got {type(distribution).__name__}"
        )
    (chosen,) = chosen_measures(measure, conventions)
    decoded = decode_exactly(Task(distribution, chosen, limit))
    if decoded is not None:
        return decoded
    if not isinstance(distribution, LabelDistribution):
        if decode_exactly(Task(distribution.closed("max"), chosen, limit)) is not None:
            distribution.need_coherence()
        raise BadInput(
            f"{chosen.name} needs more than the probability of each class; make a distribution of "
            "the scores with LabelDistribution.from_nodes (--over nodes on the command line)"
        )
    return _best_candidate(distribution, chosen, samples, seed)


def _best_candidate(
    distribution: LabelDistribution, chosen: Measure, samples: int | None, seed: int
) -> Decoded:
    """Return the best candidate of every instance by its expected value."""
    sign = 1.0 if chosen.higher_is_better else -1.0
    has_samples = "samples" in chosen.definition.averages
    is_mean = chosen.options.get("average", "samples") == "samples" and has_samples
    alone = chosen.with_options(average="samples") if has_samples and not is_mean else chosen
    best = np.full(len(distribution), -np.inf)
    which = np.full(len(distribution), -1)
    tried: list[LabelSets] = []
    refused: dict[int, HierpairError] = {}
    valued = np.zeros(len(distribution), dtype=bool)
    for sets in _candidates(distribution, chosen):
        expectation, there, errors = _where_defined(alone, distribution, sets, samples, seed)
        refused |= errors
        valued |= there
        value = np.where(np.isnan(expectation), -np.inf, sign * expectation)
        better = value > best + 1e-12
        best[better], which[better] = value[better], len(tried)
        tried.append(sets)
    if not valued.all():
        raise refused[next(i for i in sorted(refused) if not valued[i])]
    rows, nodes = [], []
    for k, sets in enumerate(tried):
        owner = row_numbers(sets.indptr)
        keep = which[owner] == k
        rows.append(owner[keep])
        nodes.append(sets.indices[keep])
    chosen_sets = label_sets(distribution.hierarchy, distribution, rows, nodes)
    value = np.where(np.isfinite(best), sign * best, np.nan)
    top = 1.0 if chosen.definition.range == "[0, 1]" else np.nan
    top = top if chosen.higher_is_better else 0.0  # no prediction can beat it
    bound = np.full(len(distribution), top)
    exact = bool(samples is None and alone is chosen and (np.abs(value - top) <= 1e-12).all())
    method = f"best of {len(tried)} candidates"
    if alone is not chosen:
        method += ", compared by the value of the instance"
    certificate = DecodingCertificate(method, exact, bound)
    return Decoded(chosen_sets, value, chosen.definition.direction, certificate, is_mean)


def _where_defined(
    chosen: Measure,
    distribution: LabelDistribution,
    sets: LabelSets,
    samples: int | None,
    seed: int,
) -> tuple[Floats, Bools, dict[int, HierpairError]]:
    """Return expected values, where the sets can be valued, and the errors of the others.

    Instances are halved until those that cannot be valued stand alone; after ``REFUSED`` of them
    the set is no candidate for the rest.
    """
    values, there = np.full(len(distribution), np.nan), np.zeros(len(distribution), dtype=bool)
    errors: dict[int, HierpairError] = {}
    waiting = [(0, len(distribution))]
    while waiting and len(errors) < REFUSED:
        lo, hi = waiting.pop()
        part = distribution.part(lo, hi)
        predicted = replace(sets.part(lo, hi), ids=part.ids)
        try:
            some = expected_by_instance(chosen, part, predicted, samples, seed)
        except BadInput:
            raise
        except HierpairError as error:  # not defined for such sets, as pairs of unequal numbers
            if hi - lo > 1:
                waiting += [((lo + hi) // 2, hi), (lo, (lo + hi) // 2)]
                continue
            errors[lo] = type(error)(error.reason, distribution.name(lo))
            continue
        values[lo:hi], there[lo:hi] = some.values, True
    return values, there, errors


def _candidates(distribution: LabelDistribution, chosen: Measure) -> Iterator[LabelSets]:
    """Yield sets to choose from; each is given whole, and by its most specific classes."""
    h = distribution.hierarchy
    scores = distribution.marginals()

    def kept(sets: LabelSets) -> LabelSets:
        if chosen.definition.family == "confusion":
            # needs the path of a class, and a set does not say which of several
            keep = has_one_path(h)[sets.indices]
        elif isinstance(chosen.recipe, LevelPathRecipe):
            keep = _best_of_level(scores, sets)
        else:
            return sets
        return label_sets(h, distribution, row_numbers(sets.indptr)[keep], sets.indices[keep])

    wide = [decode_hf(distribution, beta).sets for beta in (0.5, 1, 2)]
    wide += [decode_hamming(distribution).sets]
    wide += [apply_threshold(scores, t) for t in THRESHOLDS]
    yield label_sets(h, distribution)
    leaves = np.flatnonzero(np.diff(h.child_ptr) == 0)
    yield kept(decode_most_probable(scores, leaves).sets)
    if distribution.is_single_path and h.shape == "tree":
        yield decode_distance(distribution).sets
    order = np.lexsort((-distribution.p, row_numbers(distribution.indptr)))
    first = order[np.minimum(distribution.indptr[:-1], len(order) - 1)]
    first[np.diff(distribution.indptr) == 0] = -1
    yield kept(replace(distribution.sets.take(first), ids=distribution.ids))
    for sets in map(kept, wide):
        yield sets
        yield label_sets(h, distribution, *lowest_labels(h, sets))


def _best_of_level(scores: NodeScores, sets: LabelSets) -> Bools:
    """Return which classes are the most probable ones of their sets on their level."""
    row, level = row_numbers(sets.indptr), scores.hierarchy.levels[sets.indices]
    order = np.lexsort((-scores.at(row, sets.indices), level, row))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(row[order]) != 0) | (np.diff(level[order]) != 0)
    best = np.zeros(len(order), dtype=bool)
    best[order] = first
    return best
