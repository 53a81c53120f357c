"""The best prediction for a measure: by a decoder that is exact, or the best of many candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import starmap
from typing import Any, Literal, get_args

import numpy as np

from hierpair.confusion import has_one_path
from hierpair.errors import BadInput, check_choice, counted
from hierpair.evaluation.checked import chosen_measures
from hierpair.hierarchy import (
    ancestors_of,
    counted_classes,
    depth_weights,
    grown_weights,
)
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    groups_by,
    joined,
    leaders,
    marked,
    ratio,
    row_pointer,
)
from hierpair.labels import LabelSets, lowest_labels
from hierpair.labels.node_scores import NodeScores
from hierpair.measures import OPTIONS, Measure
from hierpair.measures.recipes.paths import LevelPathRecipe
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.pairing import SIDES, Degree, EdgeWeights, Hops, Unmatched
from hierpair.probabilistic.decoding import (
    NONE,
    Best,
    Decoded,
    DecodingCertificate,
    DecodingTask,
    NotExact,
    by_class,
    decode_exactly,
    decoded,
    decoder,
    distinct_sets,
    in_parts,
    label_sets,
    marginals_of,
    need_distribution,
)
from hierpair.probabilistic.decoding.by_class import (
    apply_threshold,
    best_of_classes,
    decode_distance,
    decode_h_loss,
    decode_hamming,
    decode_micro_hf,
    decode_most_probable,
    decode_node_cost,
    decode_sum,
    mixed,
)
from hierpair.probabilistic.decoding.by_size import (
    decode_hf,
    decode_hp,
    decode_hr,
    decode_set_value,
)
from hierpair.probabilistic.decoding.pairings import decode_gie, decode_pairing
from hierpair.probabilistic.distributions import LabelDistribution, LawOrScores
from hierpair.probabilistic.expectation import (
    check_samples,
    expected_by_instance,
    scenario_values,
)
from hierpair.probabilistic.selective import DecisionRule, answers

Labels = Literal["any", "one", "path"]
"""How many classes may be predicted together."""

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds whose sets are candidates where no decoder is exact."""


def decode(
    distribution: LawOrScores,
    measure: str | Measure | None = None,
    *,
    rule: DecisionRule | None = None,
    threshold: float | Mapping[int, float] | None = None,
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
    rule, threshold
        Instead of a measure: a rule with a threshold (by default 0.5), as for
        :func:`hierpair.probabilistic.answers`. The value of an answer is its probability.
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
        Options of the measure, such as ``root="include"``; without a rule ``threshold`` is one.

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
    if (rule is None) == (measure is None):
        raise BadInput("give a measure, or a rule and its threshold: climb, leaf_or_root, …")
    if rule is not None:
        if (labels, samples, limit, conventions) != ("any", None, None, {}):
            raise BadInput(
                "labels, samples, limit and options belong to measures; a rule has a threshold"
            )
        return _by_rule(distribution, rule, 0.5 if threshold is None else threshold)
    if threshold is not None:  # as an option of the measure
        conventions["threshold"] = threshold
    OPTIONS["limit"].refuse_wrong(limit, "decode")
    check_samples(samples)
    (chosen,) = chosen_measures(measure, conventions)
    check_choice("labels", labels, get_args(Labels))
    if chosen.by_true_class:  # how often a class is true is not known: the value of the instance
        alone = chosen.with_options(average="samples")
        found = decode(distribution, alone, labels=labels, samples=samples, seed=seed, limit=limit)
        proof = replace(found.certificate, exact=False)
        return replace(found, is_pooled=False, certificate=proof)
    is_law = isinstance(distribution, LabelDistribution)
    task = DecodingTask(distribution if is_law else marginals_of(distribution), chosen, limit)
    if labels != "any":
        return _best_form(task, labels)
    best = decode_exactly(task)
    if not is_law:
        return best or _refused(task)
    best = best or _best_candidate(task.full, chosen, samples, seed)
    return replace(best, one_label_of=task.hierarchy if task.has_single_paths else None)


def _by_rule(
    distribution: LawOrScores, rule: DecisionRule, threshold: float | Mapping[int, float]
) -> Decoded:
    """Return the answers of a rule, with their probabilities."""
    sets = answers(distribution, rule, threshold)
    scores = marginals_of(distribution).rooted()
    value, row = np.zeros(len(sets)), sets.row
    value[row] = scores.at(row, sets.indices)
    by_level: Any = getattr(threshold, "items", dict)()
    told = ",".join(f"{level}={x}" for level, x in by_level) or f"{threshold}"
    proof = DecodingCertificate(f"the rule {rule} at {told}", True, value)
    return Decoded(sets, value, "higher", proof)


def _refused(task: DecodingTask) -> Decoded:
    """Say why the probability of each class is not enough."""
    scores = marginals_of(task.distribution)
    if decode_exactly(replace(task, distribution=scores.closed("max"))) is not None:
        scores.need_coherence()
    raise BadInput(
        f"{task.measure.name} needs more than the probability of each class; make a distribution "
        "of the scores with LabelDistribution.from_nodes (--over nodes on the command line)"
    )


def _may_be_mean(chosen: Measure) -> tuple[bool, bool]:
    """Return whether a measure can be the mean of the values of instances, and whether it is."""
    can_be = "samples" in chosen.definition.averages
    return can_be, can_be and chosen.options.get("average", "samples") == "samples"


# ---------------------------------------------------------------------- a single class


def _of_every_class(task: DecodingTask, labels: Labels) -> LabelSets:
    """Return what is predicted with every class that can be: itself, or its path."""
    h = task.hierarchy
    every = np.flatnonzero(has_one_path(h) | (task.measure.definition.family != "confusion"))
    owner, node = ancestors_of(h, every)
    keep = node == every[owner]
    if labels == "path":
        keep |= counted_classes(h, "exclude")[node]
    return LabelSets.from_arrays(row_pointer(owner[keep], len(every)), node[keep], len(h))


def _best_form(task: DecodingTask, labels: Labels) -> Decoded:
    """Return the best of one set of each class, by a table of all and all true sets."""
    distribution = need_distribution(task.distribution, f"labels={labels!r}")
    forms = _of_every_class(task, labels)
    _, is_mean = _may_be_mean(task.measure)
    worst, n = -np.inf if task.measure.higher_is_better else np.inf, len(forms)
    every = np.arange(n)

    def worth(some: LabelDistribution) -> Floats:
        first, kind = distinct_sets(some.sets, np.zeros(len(some.sets), np.int64))

        def table(kinds: Ints) -> Floats:
            owner, scenario = np.tile(every, len(kinds)), np.repeat(first[kinds], n)
            found, _ = scenario_values(task.measure, some, scenario, forms, owner)
            value = found.reshape(len(kinds), n)
            return np.hstack([np.nan_to_num(value, nan=0.0), ~np.isnan(value)])

        found = mixed(some, kind, table, n)
        return np.nan_to_num(ratio(found[:, :n], found[:, n:]), nan=worst)

    direction, method = task.measure.definition.direction, f"best of {counted(n, 'class')}"
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
    can_be, is_mean = _may_be_mean(chosen)
    every, draws = list(_candidates(distribution, chosen)), np.random.default_rng(seed)

    def best(some: LabelDistribution, *candidates: LabelSets) -> Best:
        n, every = len(some), joined(candidates)
        first, _ = distinct_sets(every, np.tile(np.arange(n), len(candidates)))
        first.sort()  # many thresholds have the same sets
        sets, owner, most = every.take(first), first % n, np.full(n, -np.inf)
        of = expected_by_instance(chosen, some, sets, samples, draws, "nan", owner).values
        worth = np.where(np.isnan(of), -np.inf, sign * of)
        np.maximum.at(most, owner, worth)
        lead = leaders(owner, worth < most[owner] - 1e-12)
        left = np.flatnonzero(np.isinf(most)[some.row] & (some.p > 0))
        scenario_values(chosen, some, left, candidates[1], some.row[left])  # is it only undefined?
        found, value = sets.take(lead), np.where(np.isinf(most), np.nan, of[lead])
        near = np.abs(value - top) <= 1e-12
        exact = bool(samples is None and can_be == is_mean and near.all())
        return Best(found.row, found.indices, value, np.full(n, top), exact)

    width = sum(1 + int(sets.lengths.max(initial=0)) for sets in every)
    parts = zip(*(in_parts(x, by_class.CELLS, width) for x in (distribution, *every)), strict=True)
    top = 1.0 if chosen.definition.range == "[0, 1]" else np.nan
    top = top if chosen.higher_is_better else 0.0  # no prediction can beat it
    method = f"best of {len(every)} candidates"
    if can_be != is_mean:
        method += ", compared by the value of the instance"
    direction = chosen.definition.direction
    found = decoded(distribution, starmap(best, parts), direction, method, unproved="")
    return replace(found, is_pooled=is_mean)


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
        return label_sets(distribution, sets.row[keep], sets.indices[keep])

    wide = [decode_hf(distribution, beta).sets for beta in (0.5, 1, 2)]
    wide += [decode_hamming(distribution).sets]
    wide += [apply_threshold(scores, t) for t in THRESHOLDS]
    yield label_sets(distribution)
    yield kept(decode_most_probable(scores, h.leaf_indices).sets)
    if distribution.is_single_path and h.shape == "tree":
        yield decode_distance(distribution).sets
    most = distribution.sets.take(leaders(distribution.row, -distribution.p))
    yield kept(label_sets(distribution, most.row, most.indices))  # without order and amounts
    for sets in map(kept, wide):
        yield sets
        yield label_sets(distribution, *lowest_labels(h, sets))


def _best_of_level(scores: NodeScores, sets: LabelSets) -> Bools:
    """Return which classes are the most probable ones of their sets on their level."""
    row, h = sets.row, scores.hierarchy
    group = row * h.n_levels + h.levels[sets.indices]
    return marked(leaders(group, -scores.at(row, sets.indices)), len(row))


# ---------------------------- which decoder is exact for which measure: the last is asked first


# ------------------------------------------------------------------- any measure of a kind


@decoder(
    lambda task: (
        type(task.sets) is SetRecipe and task.augment == "ancestors" and task.average == "samples"
    )
)
def _sizes(task: DecodingTask) -> Decoded:
    """Any measure of augmented sets is a value of three sizes, where it is defined for them."""
    h, root = task.hierarchy, task.root
    n_classes = counted_classes(h, root).sum()

    def value(k: Ints, a: Ints, s: Ints) -> Floats:
        sizes = {"n_true": a, "n_pred": k, "n_both": s, "tp": s, "fp": k - s, "fn": a - s}
        whole = {"n_classes": np.full(len(a), n_classes), "n": np.ones(len(a))}
        return task.measure.values({**sizes, **whole})

    direction = task.measure.definition.direction
    return decode_set_value(task.full, value, direction=direction, root=root, limit=task.limit)


ONE_EACH = {Degree(side, 1, 1) for side in SIDES}


@decoder(lambda task: task.rule is not None and task.average in ("samples", "micro"))
def _pairing(task: DecodingTask) -> Decoded:
    """The cost of a pairing: where one class is true by place on the tree, else by a program."""
    rule, law, h = task.rule, task.full, task.hierarchy
    constraints = set(rule.constraints)
    alone: dict[Any, Any] = {c.side: c.cost for c in constraints if isinstance(c, Unmatched)}
    cost = [alone.get(side) for side in SIDES]
    weighted = isinstance(rule.cost, EdgeWeights) and h.weights is not None
    by_edges = h.shape == "tree" and (weighted or isinstance(rule.cost, Hops))
    numbers = all(isinstance(c, (int, float)) and 0 <= c < 1e100 for c in cost)
    one_to_one = constraints == ONE_EACH | {*map(Unmatched, SIDES, cost)}
    if law.is_single_path and constraints == ONE_EACH and (law.tips >= 0).all():
        # every class needs a partner, so one is predicted
        best = (
            decode_distance(law, weighted=weighted)
            if by_edges
            else decode_node_cost(law, rule.cost)
        )
    elif law.is_single_path and by_edges and numbers and cost[0] and one_to_one:
        best = decode_gie(law, cost[0], default_true=cost[1], weighted=weighted)
    else:
        best = decode_pairing(law, rule, limit=task.limit)
    return task.pooled(best)


# ------------------------------------------------------------------------------ class by class


@decoder(lambda task: _weights(task) is not None, weights=True)
def _sum_over_classes(task: DecodingTask) -> Decoded:
    """A sum over the classes of one set alone or of both, each with its weight, or 1 less it."""
    d, root = task.measure.definition, task.root
    weight = np.broadcast_to(np.asarray(_weights(task), dtype=np.float64), len(task.hierarchy))
    if "additive" not in d.traits:
        loss = decode_sum(task.marginals, root, (0, 1, 1), weight, "lower")
        return loss if d.direction == "lower" else loss.mapped(lambda x: 1 - x, direction="higher")
    tp, fp, fn = np.eye(3)  # one class of weight 1: in both sets, only predicted, only true
    columns = {"tp": tp, "fp": fp, "fn": fn}
    columns |= {"n_true": tp + fn, "n_pred": tp + fp, "n_both": tp}
    amounts = task.measure.values(columns).tolist()
    return decode_sum(task.marginals, root, amounts, weight, d.direction)


def _weights(task: DecodingTask) -> Any:
    """Return what a class weighs in a measure that is such a sum, otherwise None."""
    h, o, formula = task.hierarchy, task.options, task.formula
    additive = "additive" in task.measure.definition.traits and task.sets is not None
    named = ("hamming_loss", "level_hamming", "depth_loss", "depth_accuracy")
    may_be = (additive or formula in named) and task.average == "samples" and task.is_plain
    if not may_be or not task.is_coherent or o.get("normalise") == "path":
        return None
    if additive:
        return 1.0 if task.weights is None else task.weights
    counted = counted_classes(h, o["root"])
    if formula == "hamming_loss":
        return 1 / max(1, int(counted.sum()))
    if formula == "level_hamming":
        size = np.bincount(h.levels[counted], minlength=h.n_levels)
        return 1 / (np.maximum(size, 1)[h.levels] * max(1, int((size > 0).sum())))
    weight = depth_weights(h, o["w0"], o["depth"])
    if o["normalise"] == "max-path":
        weight = weight / (2 * grown_weights(h, o["w0"], o["depth"], o["root"]).max())
    return weight


@decoder(
    lambda task: (
        task.formula == "hf"
        and task.average == "micro"
        and task.options["beta"] > 0
        and task.is_plain
        and task.is_coherent  # augmenting would add classes that the threshold left out
    )
)
def _micro(task: DecodingTask) -> Decoded:
    return decode_micro_hf(task.marginals, task.options["beta"], root=task.options["root"])


@decoder(lambda task: task.formula == "h_loss")
def _first_mistakes(task: DecodingTask) -> Decoded:
    o = task.options
    return decode_h_loss(task.path_marginals, costs=o["costs"], root=o["root"])


# ------------------------------------------------------------------------------------ by size


@decoder(
    lambda task: (
        task.formula in ("hf", "hp", "hr", "f")
        and task.average == "samples"
        and task.is_plain
        and (task.formula == "f" or not np.isnan(task.options["zero_division"]))
    )
)
def _by_size(task: DecodingTask) -> Decoded:
    o, how = task.options, {"root": task.root, "closed": task.augment == "ancestors"}
    if task.formula == "f":
        if not o["beta"] or (task.full.sets.lengths == 0)[task.full.p > 0].any():
            raise NotExact("of no label flat F is zero_division, and hierarchical F is 1")
        return decode_hf(task.full, o["beta"], **how)
    how["zero_division"] = o["zero_division"]
    if task.formula == "hf":
        return decode_hf(task.full, o["beta"], **how)
    return (decode_hp if task.formula == "hp" else decode_hr)(task.full, **how)


# -------------------------------------------------------------------------------- one class


@decoder(lambda task: task.formula == "shortest_path" and task.hierarchy.has_one_root)
def _path(task: DecodingTask) -> Decoded:
    if task.hierarchy.shape == "tree":
        return decode_distance(task.distribution)
    return decode_node_cost(task.full, Hops())


# ------------------------------------------------- hits: of leaves, of levels, of label sets


@decoder(lambda task: task.formula == "leaf_accuracy" and task.has_single_paths)
def _leaf(task: DecodingTask) -> Decoded:
    """The most probable leaf; its value is a share of the probability that a leaf is true."""
    scores, leaf = task.path_marginals, task.hierarchy.is_leaf
    best = decode_most_probable(scores, np.flatnonzero(leaf))
    if not task.is_distribution:
        return best
    is_leaf = leaf[scores.indices]
    judged = np.bincount(scores.row[is_leaf], scores.values[is_leaf], minlength=len(scores))
    return best.mapped(lambda value: np.minimum(ratio(value, judged), 1.0))


@decoder(
    lambda task: (
        task.formula == "level_accuracy"
        and task.has_single_paths
        and task.options["augment"] == "none"
        and task.average != "samples"
        and task.hierarchy.shape != "DAG"
    )
)
def _each_level(task: DecodingTask) -> Decoded:
    """An argmax per level; its value is a ratio of expectations, as the mean is one of sums."""
    h, scores = task.hierarchy, task.path_marginals
    none = task.options["absent_level"] == "none-class"
    counted = np.flatnonzero(counted_classes(h, task.options["root"]))
    rows, nodes, shares = list[Any]([NONE]), list[Any]([NONE]), []
    for some in groups_by(h.levels[counted]):
        best = decode_most_probable(scores, counted[some], none=none)
        rows.append(best.sets.row)
        nodes.append(best.sets.indices)
        mass = scores.values[np.isin(scores.indices, counted[some])].sum()
        shares.append((best.value.sum(), len(scores) if none else mass))
    hits, total = np.array([x for x in shares if x[1] > 0], np.float64).reshape(-1, 2).T
    if task.average != "micro":
        hits, total = hits / total, np.ones(len(hits))
    value = ratio(hits.sum(keepdims=True), total.sum(keepdims=True))  # nan: no level is judged
    found = Best(np.concatenate(rows), np.concatenate(nodes), value)
    method = "most probable class of every level (ratio of expectations)"
    return decoded(scores, [found], "higher", method)


@decoder(lambda task: task.formula == "subset_accuracy")
def _label_set(task: DecodingTask) -> Decoded:
    """The most probable label set."""
    distribution, owner = task.full, task.full.row
    first, kind = distinct_sets(distribution.sets, owner)
    mass = np.bincount(kind, distribution.p, minlength=len(first))[kind]
    lead = leaders(owner, -mass)
    best = distribution.sets.take(lead)
    found = Best(best.row, best.indices, mass[lead])
    return decoded(distribution, [found], "higher", "most probable label set")
