"""What is compared: scores on the instances that all systems have, and samples of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from hierpair.comparison.samples import (
    Sample,
    class_sample,
    columns_sample,
    values_sample,
)
from hierpair.errors import BadInput, check_known, counted
from hierpair.evaluation.notes import uneven_measures
from hierpair.evaluation.partial import Partial
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.sums import (
    WAYS,
    mean_by_true_class,
    pooled_columns,
    pooled_values,
)
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels.naming import check_order
from hierpair.measures import Measure


def scores_of(given: Scores | Partial, least: str = "") -> Scores:
    """Return what is compared as scores; ``least`` says what needs two systems."""
    found = given.scores() if isinstance(given, Partial) else given
    if not isinstance(found, Scores):
        raise BadInput(
            "compare what one score() of all systems returned, or one partial of all systems; got "
            f"{type(given).__name__}"
        )
    if least and len(found.systems) < 2:
        raise BadInput(least)
    return found


def groups_of(
    scores: Scores, runs: Mapping[str, Sequence[str]] | None = None
) -> dict[str, list[str]]:
    """Return the runs of every system; without ``runs`` every system is its own."""
    if runs is None:
        return {name: [name] for name in scores.systems}
    for name, given in runs.items():
        check_order(given, f"the runs of {name}")
    groups = {str(name): [*map(str, given)] for name, given in runs.items()}
    named = [run for given in groups.values() for run in given]
    for run in (*named, *scores.systems):
        check_known("run", run, scores.systems)
        if (n := named.count(run)) != 1:
            told = f"is named {n} times" if n else "is named in none"
            raise BadInput(f"the run {run!r} must be one of one system, and {told}")
    if len({*map(len, groups.values())}) > 1 or len(named) < 2 * len(groups):
        told = ", ".join(f"{name} has {len(given)}" for name, given in groups.items())
        raise BadInput(f"every system needs the same number of runs, at least two; {told}")
    return groups


def signs_of(measures: Sequence[Measure]) -> Ints:
    """Return 1 for measures where higher is better, -1 for the others."""
    return np.array([m.sign for m in measures])


def defined(scores: Scores, why: str = "") -> Scores:
    """Return scores, or refuse one that is not defined; ``why`` says what can be done."""
    for i, k in np.argwhere(np.isnan(scores.values))[:1]:
        name = f"the {scores.measures[k]} of {scores.systems[i]}"
        raise BadInput(f"{name} is not defined (nan){why}")
    return scores


# ------------------------------------------------------------------- instances without a pairing


def on_common(scores: Scores) -> Scores:
    """Return scores in which every system leaves out the same instances under a measure.

    An instance without a pairing under one system is left out for all of them, and their pooled
    scores are of the others. ``n_infeasible`` and ``no_pairing_at`` still are of each system.
    """
    uneven = uneven_measures(scores)
    if not uneven:
        return scores
    values = scores.values.copy()
    per_instance = {name: of.copy() for name, of in scores.per_instance.items()}
    evidence, places = dict[Any, Any](scores.evidence), dict(scores.infeasible_at)
    for k, m in enumerate(scores.measures):
        left_out, plain = _left_out(scores, m), m.average not in WAYS
        for i, system in enumerate(scores.systems if m in uneven else ()):
            columns: Any = evidence.get((system, k))
            places[system, m.name] = left_out
            if scores.partial or not (plain or m.by_true_class or isinstance(columns, dict)):
                raise BadInput(
                    f"the systems leave out different instances under {m.name}, and these scores "
                    "do not tell what it is without them; leave the measure out"
                )
            per_instance[system][left_out, k] = np.nan
            if plain:
                values[i, k] = pooled_values(per_instance[system][:, k], scores.weight)
            elif m.by_true_class:
                evidence[system, k] = of_others = columns.without(left_out)
                values[i, k] = mean_by_true_class(of_others, scores.weight)
            else:
                weight = _weight(scores, left_out)
                values[i, k] = pooled_columns(m, columns, weight) if weight.any() else np.nan
    return replace(
        scores, values=values, per_instance=per_instance, evidence=evidence, infeasible_at=places,
        no_pairing_at={**scores.infeasible_at, **scores.no_pairing_at},
    )  # fmt: skip


def _weight(scores: Scores, left_out: Ints) -> Floats:
    """Return the weight of every instance, 0 for those that are left out."""
    weight = np.ones(scores.n_instances) if scores.weight is None else scores.weight.copy()
    weight[left_out] = 0
    return weight


def n_compared(scores: Scores, m: Measure) -> int:
    """Return how many instances have a pairing under all systems."""
    if scores.partial is None:
        return scores.n_instances - len(_left_out(scores, m))
    return scores.n_instances - max(_n_infeasible(scores, m))  # the same ones for all systems


def common_notes(scores: Scores, heading: Callable[[Measure], str] = lambda m: m.name) -> list[str]:
    """Return, of scores from :func:`on_common`, a line for every measure that it cut."""
    return [
        f"{heading(m)}: all systems on the {n_compared(scores, m):,} of {scores.n_instances:,} "
        "instances that have a pairing under every one of them"
        for m in scores.measures
        if {*_n_infeasible(scores, m)} != {scores.n_instances - n_compared(scores, m)}
    ]


def _n_infeasible(scores: Scores, m: Measure) -> list[int]:
    return [scores.n_infeasible.get((system, m.name), 0) for system in scores.systems]


def _left_out(scores: Scores, m: Measure) -> Ints:
    """Return the instances that have no pairing under one system or more."""
    at, none = scores.infeasible_at, np.zeros(0, dtype=np.int64)
    return np.unique(np.concatenate([at.get((s, m.name), none) for s in scores.systems]))


# -------------------------------------------------------------------------------------- samples


def samples_of(
    scores: Scores, groups: Sequence[Sequence[str]], blocks: int | None = None, seed: int = 0
) -> tuple[dict[int, Sample], list[str]]:
    """Return the sufficient statistics of measures, by number, and a line for those without any.

    They are of the instances that have a pairing, or of blocks: those of a partial, or so many
    ``blocks``, random groups that are as equal in size as can be. A group of ``groups`` holds the
    runs of one system.
    """
    samples, lacking, n_blocks = dict[int, Sample](), dict[str, list[str]](), n_blocks_of(scores)
    if scores.partial is not None and n_blocks < 2:
        return {}, [
            f"these scores come from a partial that keeps sums of {counted(n_blocks, 'block')} of "
            "instances, and at least two are needed to resample; make the partials with more "
            "(blocks=1000, --blocks 1000), or score the labels of all instances"
        ]
    if blocks is not None and scores.weight is None:  # blocks are not quite equally large
        scores = replace(scores, weight=np.ones(scores.n_instances))
    for k, m in enumerate(scores.measures):
        found = sample_of(scores, k, groups)
        if isinstance(found, str):
            lacking.setdefault(found, []).append(m.name)
            continue
        if blocks is not None:
            n = found.n_instances
            places = np.random.default_rng(seed).permutation(n) % blocks, np.arange(n)
            sums = scipy.sparse.csr_array((np.ones(n), places), shape=(blocks, n)) @ found.columns
            found = replace(found, columns=sums)
        samples[k] = found
    return samples, [f"{', '.join(m)}: not compared, since {why}" for why, m in lacking.items()]


def sample_of(scores: Scores, k: int, groups: Sequence[Sequence[str]]) -> Sample | str:
    """Return the sample of a measure, or why there is none; a group holds the runs of a system.

    Blocks come from a hash of ids, so their sums vary as much as the instances do (Wolter 2007,
    Introduction to Variance Estimation, chapter 2: the random group method). A mean over instances
    becomes a ratio of the sums of weighted values and of weights, as blocks are not equally large.
    """
    m, one = scores.measures[k], scores.partial

    def cube(of: Mapping[str, Sequence[Any]]) -> Floats:
        columns = [[of[run] for run in runs] for runs in groups]
        return np.moveaxis(np.array(columns, dtype=np.float64), -1, 0)

    if one is not None:
        need = "; score the labels of all instances for that"
        if m.average not in ("samples", "micro"):
            return f"no sums by block are kept of averages over classes{need}"
        if m in uneven_measures(scores):
            why = "the systems may leave out different instances, and sums by block do not tell"
            return f"{why} which ones{need}"
        sums, names = zip(one.systems, one.sums, strict=True), one.plan.names(one.measures.index(m))
        of = cube({s: [x.blocks.floats(name) for name in names.values()] for s, x in sums})
        sample = columns_sample(None if m.average == "samples" else m, of)
        twice = sample.pool(2 * sample.whole())
        if not np.allclose(sample.scores(), twice, rtol=1e-9, atol=0, equal_nan=True):
            return f"it grows with the number of instances, and blocks are not equally large{need}"
        return sample
    if not scores.per_instance:
        return "a measure of scores sees all instances at once"
    left_out = _left_out(scores, m)
    if m.average not in WAYS:
        values = cube({run: [of[:, k]] for run, of in scores.per_instance.items()})
        sample = values_sample(values[..., 0], scores.weight)
    else:
        held: dict[str, Any] = {run: scores.evidence.get((run, k)) for run in scores.systems}
        if None in held.values():
            return "that needs the classes of every instance; score with keep_classes=True"
        if m.average != "micro":
            return class_sample(m, [[held[run] for run in runs] for runs in groups], scores.weight)
        weight, columns = _weight(scores, left_out), m.definition.columns
        each = {run: [e[c] * weight for c in columns] for run, e in held.items()}
        sample = columns_sample(m, cube(each))
    return replace(sample, columns=np.delete(sample.columns, left_out, axis=0))


# --------------------------------------------------------------------------- blocks of partials


def n_blocks_of(scores: Scores) -> int:
    """Return how many blocks have instances; 0 where values of instances are kept."""
    one = scores.partial
    return len(one.sums[0].blocks.classes) if one is not None and one.n_blocks else 0


def under(scores: Scores, measures: Sequence[Measure]) -> Scores:
    """Return the scores of a partial under some of its measures."""
    names = {m.name for m in measures}
    cut: dict[str, Any] = {
        field: {key: x for key, x in getattr(scores, field).items() if key[1] in names}
        for field in ("solved_by", "n_infeasible", "remarks")
    }
    numbers = [scores.measures.index(m) for m in measures]
    return replace(scores, measures=tuple(measures), values=scores.values[:, numbers], **cut)
