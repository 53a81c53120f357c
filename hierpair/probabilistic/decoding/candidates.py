"""The best prediction for a measure: by a decoder that is exact, or the best of many candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from hierpair.confusion import has_one_path
from hierpair.errors import BadInput, counted
from hierpair.evaluation.checked import chosen_measures
from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats, Ints, groups_by, offsets, ratio, row_numbers
from hierpair.labels import LabelSets, lowest_labels
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.measures import Measure
from hierpair.measures.recipes.paths import LevelPathRecipe
from hierpair.probabilistic.decoding import (
    Decoded,
    DecodingCertificate,
    Task,
    decode_exactly,
    label_sets,
    leaders,
    marginals_of,
    need_distribution,
    need_tree,
)
from hierpair.probabilistic.decoding.by_class import (
    best_of_classes,
    decode_distance,
    decode_hamming,
    decode_most_probable,
    lowest_of_rows,
    mixed,
    with_all_above,
)
from hierpair.probabilistic.decoding.by_size import decode_hf
from hierpair.probabilistic.decoding.exact import distinct_sets
from hierpair.probabilistic.distributions import (
    LabelDistribution,
    counted_scores,
    parent_of,
    parent_places,
)
from hierpair.probabilistic.expectation import expected_by_instance, scenario_values

Labels = Literal["any", "one", "path"]
"""How many classes may be predicted together."""

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds whose sets are candidates where no decoder is exact."""


def decode(
    distribution: LabelDistribution | NodeScores,
    measure: str | Measure,
    *,
    labels: Labels = "any",
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
    labels
        What may be predicted: ``"any"`` set of classes, ``"one"`` class, or a ``"path"``, a class
        with all that are above it but a single root. For many measures a set with several most
        specific classes is worth more on average than any one class, also where one label is true
        (:attr:`Decoded.note` says so). With ``"one"`` and ``"path"`` all classes are tried.
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
        For a measure (or ``labels``) that needs a distribution where scores are given.

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
    >>> best = decode(distribution, "hf", labels="path")
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4), best.is_exact
    (['1', '5'], 0.55, True)
    """
    (chosen,) = chosen_measures(measure, conventions)
    if labels not in ("any", "one", "path"):
        raise BadInput(f"labels must be 'any', 'one' or 'path', got {labels!r}")
    is_law = isinstance(distribution, LabelDistribution)
    task = Task(distribution if is_law else marginals_of(distribution), chosen, limit)
    if labels != "any":
        return _best_form(task, labels)
    best = decode_exactly(task)
    if not is_law:
        return best or _refused(task)
    best = best or _best_candidate(task.full, chosen, samples, seed)
    return replace(best, one_label_of=task.hierarchy if task.has_single_paths else None)


def _refused(task: Task) -> Decoded:
    """Say why the probability of each class is not enough."""
    scores = marginals_of(task.distribution)
    if decode_exactly(replace(task, distribution=scores.closed("max"))) is not None:
        scores.need_coherence()
    raise BadInput(
        f"{task.measure.name} needs more than the probability of each class; make a distribution "
        "of the scores with LabelDistribution.from_nodes (--over nodes on the command line)"
    )


def _by_instance(chosen: Measure) -> tuple[Measure, bool]:
    """Return the measure of single instances, and whether the measure itself is their mean."""
    has_samples = "samples" in chosen.definition.averages
    is_mean = has_samples and chosen.options.get("average", "samples") == "samples"
    alone = chosen.with_options(average="samples") if has_samples and not is_mean else chosen
    return alone, is_mean


# ---------------------------------------------------------------------- a single class


def _of_every_class(hierarchy: Hierarchy, labels: Labels) -> LabelSets:
    """Return what is predicted with every class: itself, or its path."""
    n, every = len(hierarchy), np.arange(len(hierarchy))
    if labels == "one":
        return LabelSets.from_arrays(np.arange(n + 1), every.astype(np.int32), n)
    owner, node = ancestor_closure(hierarchy, every).expanded(every)
    keep = (node == owner) | ~np.isin(node, excluded_classes(hierarchy, "exclude"))
    owner, node = owner[keep], node[keep]
    pointer = offsets(np.bincount(owner, minlength=n))
    return LabelSets.from_arrays(pointer, node[np.lexsort((node, owner))], n)


def _best_form(task: Task, labels: Labels) -> Decoded:
    """Return the best of one set of each class, by a table of all and all true sets."""
    distribution = need_distribution(task.distribution, f"labels={labels!r}")
    forms = _of_every_class(task.hierarchy, labels)
    alone, is_mean = _by_instance(task.measure)
    worst, n = -np.inf if alone.higher_is_better else np.inf, len(forms)
    every = np.arange(n)

    def worth(some: LabelDistribution) -> Floats:
        first, kind = distinct_sets(some.sets, np.zeros(len(some.sets), np.int64))

        def table(kinds: Ints) -> Floats:
            owner, scenario = np.tile(every, len(kinds)), np.repeat(first[kinds], n)
            found, _ = scenario_values(alone, some, scenario, forms, owner)
            value = found.reshape(len(kinds), n)
            return np.hstack([np.nan_to_num(value, nan=0.0), ~np.isnan(value)])

        found = mixed(some, kind, table, n)
        return np.nan_to_num(ratio(found[:, :n], found[:, n:]), nan=worst)

    direction, method = alone.definition.direction, f"best of {counted(n, 'class')}"
    best = best_of_classes(distribution, every, worth, direction, method, n)
    sets = replace(forms.take(best.sets.indices), ids=best.sets.ids)
    best = best.mapped(lambda x: np.where(np.isfinite(x), x, np.nan), sets=sets, is_pooled=is_mean)
    return replace(best, certificate=replace(best.certificate, exact=is_mean))


# ------------------------------------------------------------------------- candidates


def _best_candidate(
    distribution: LabelDistribution, chosen: Measure, samples: int | None, seed: int
) -> Decoded:
    """Return the best candidate of every instance by its expected value."""
    sign = 1.0 if chosen.higher_is_better else -1.0
    alone, is_mean = _by_instance(chosen)
    every, n = list(_candidates(distribution, chosen)), len(distribution)
    table = np.array([
        sign * expected_by_instance(alone, distribution, sets, samples, seed, "nan").values
        for sets in every
    ])  # fmt: skip
    table[np.isnan(table)] = -np.inf
    best = table.max(axis=0)
    which = (table >= best - 1e-12).argmax(axis=0)
    owner = row_numbers(distribution.indptr)
    left = np.flatnonzero(np.isinf(best)[owner] & (distribution.p > 0))
    scenario_values(alone, distribution, left, every[0], owner[left])  # is it only undefined?
    value = np.where(np.isinf(best), np.nan, sign * table[which, np.arange(n)])
    rows = [row_numbers(sets.indptr) for sets in every]
    keep = [which[row] == k for k, row in enumerate(rows)]
    row = np.concatenate([row[some] for row, some in zip(rows, keep, strict=True)])
    node = np.concatenate([sets.indices[some] for sets, some in zip(every, keep, strict=True)])
    top = 1.0 if chosen.definition.range == "[0, 1]" else np.nan
    top = top if chosen.higher_is_better else 0.0  # no prediction can beat it
    exact = bool(samples is None and alone is chosen and (np.abs(value - top) <= 1e-12).all())
    method = f"best of {len(every)} candidates"
    if alone is not chosen:
        method += ", compared by the value of the instance"
    certificate = DecodingCertificate(method, exact, np.full(n, top))
    sets = label_sets(distribution, row, node)
    return Decoded(sets, value, chosen.definition.direction, certificate, is_mean)


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
        return label_sets(distribution, row_numbers(sets.indptr)[keep], sets.indices[keep])

    wide = [decode_hf(distribution, beta).sets for beta in (0.5, 1, 2)]
    wide += [decode_hamming(distribution).sets]
    wide += [apply_threshold(scores, t) for t in THRESHOLDS]
    yield label_sets(distribution)
    leaves = np.flatnonzero(np.diff(h.child_ptr) == 0)
    yield kept(decode_most_probable(scores, leaves).sets)
    if distribution.is_single_path and h.shape == "tree":
        yield decode_distance(distribution).sets
    first = leaders(row_numbers(distribution.indptr), -distribution.p)  # all have a scenario
    yield kept(replace(distribution.sets.take(first), ids=distribution.ids))
    for sets in map(kept, wide):
        yield sets
        yield label_sets(distribution, *lowest_labels(h, sets))


def _best_of_level(scores: NodeScores, sets: LabelSets) -> Bools:
    """Return which classes are the most probable ones of their sets on their level."""
    row, levels = row_numbers(sets.indptr), scores.hierarchy.levels
    group = row * (int(levels.max()) + 1) + levels[sets.indices]
    best = np.zeros(len(row), dtype=bool)
    best[leaders(group, -scores.at(row, sets.indices))] = True
    return best


# --------------------------------------- rules where nothing is decoded: not optimal


def apply_threshold(
    distribution: LabelDistribution | NodeScores,
    threshold: float = 0.5,
    *,
    reached: bool = False,
    closure: Closing = None,
    root: Any = "exclude",
) -> LabelSets:
    """Return the classes with a score above a threshold.

    Parameters
    ----------
    distribution
        A distribution or scores.
    threshold
        In [0, 1].
    reached
        Whether a score at the threshold is enough.
    closure
        How to repair incoherent scores first; see :meth:`NodeScores.closed`.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> apply_threshold(distribution, 0.4).names_of(0, tree)
    ['1', '3']
    """
    scores = counted_scores(marginals_of(distribution).closed(closure), root)
    return scores.above(threshold, reached=reached)


def walk_down(distribution: LabelDistribution | NodeScores, *, stop: float = 0.0) -> LabelSets:
    """Return the end of a walk from the root to the most probable child, on a tree.

    Parameters
    ----------
    distribution
        A distribution or scores.
    stop
        The walk ends at a leaf, or before a child with a score of at most this, in [0, 1].

    Raises
    ------
    BadInput
        For a hierarchy that is no tree.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> [walk_down(distribution, stop=p).names_of(0, tree) for p in (0, 0.6)]
    [['3'], ['1']]
    """
    scores = counted_scores(marginals_of(distribution), "exclude")
    h, n = scores.hierarchy, len(scores)
    need_tree(h, "a walk from the root")
    if not 0 <= stop <= 1:
        raise BadInput(f"stop must be in [0, 1], got {stop!r}")
    row, node, p = row_numbers(scores.indptr), scores.indices, scores.values
    above, parent = parent_of(h)[node], parent_places(scores)
    first = np.zeros(len(p), dtype=bool)
    first[leaders(np.where(parent >= 0, parent, len(p) + row), -p)] = True
    moves = first & (p > stop) & ((parent >= 0) | (above == 0))
    reached = with_all_above(groups_by(h.levels[node]), parent, moves)
    return label_sets(scores, np.arange(n), lowest_of_rows(row[reached], node[reached], n))
