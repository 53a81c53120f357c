"""What is compared: several scores as one, on the instances that all systems have, and samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, cast

import numpy as np
import scipy

from hierpair.comparison.samples import (
    Sample,
    block_sample,
    class_sample,
    columns_sample,
    values_sample,
)
from hierpair.errors import BadInput, check_known, check_unique, counted
from hierpair.evaluation.notes import uneven_measures
from hierpair.evaluation.partial import Partial
from hierpair.evaluation.scores import NotKept, Scores, beside_each_other
from hierpair.evaluation.sums import (
    WAYS,
    mean_by_true_class,
    pooled_columns,
    pooled_values,
)
from hierpair.hierarchy.arrays import Ints
from hierpair.labels.naming import check_order
from hierpair.measures import Entries, Measure
from hierpair.measures.columns import without

Given = Scores | Partial | Sequence[Scores | Partial]

JOINED = (
    *("per_instance", "n_unknown", "n_missing", "solved_by", "n_infeasible", "infeasible_at"),
    *("remarks", "mean_labels", "evidence", "no_pairing_at"),
)
"""What scores hold by system."""


def joined_scores(scores: Given, least: str = "") -> Scores:
    """Return several scores of the same instances under the same measures as one.

    ``least`` says what needs two systems.
    """
    several = isinstance(scores, Iterable) and not isinstance(scores, (Scores, Partial))
    given: list[Any] = [*cast(Iterable[Any], scores)] if several else [scores]
    if not given or not all(isinstance(one, (Scores, Partial)) for one in given):
        raise BadInput("compare what score() returned, or a partial, or a list of scores")
    parts = [one.scores() if isinstance(one, Partial) else one for one in given]
    found = parts[0] if len(parts) == 1 else _joined(parts)
    if least and len(found.systems) < 2:
        raise BadInput(least)
    return found


def _joined(parts: list[Scores]) -> Scores:
    first = parts[0]
    for part in parts:
        _ = [part.per_instance[system] for system in part.systems]  # refused where none are kept
        if part.signatures != first.signatures:
            raise BadInput("these scores have different measures: score all systems with the same")
        if part.n_instances != first.n_instances or part.ids != first.ids:
            raise BadInput(
                f"{', '.join(part.systems)} and {', '.join(first.systems)} have different "
                f"instances ({part.n_instances} and {first.n_instances}); score them on the same"
            )
        one, other = (np.array(side.weight, dtype=np.float64) for side in (part, first))
        if not np.array_equal(one, other, equal_nan=True):
            raise BadInput("these scores have different sample weights")
    systems = tuple(s for part in parts for s in part.systems)
    mend = "score one of them under another name"
    check_unique(systems, lambda double: f"two systems are called {double!r}; {mend}")
    merged: dict[str, Any] = {
        name: {key: x for part in parts for key, x in getattr(part, name).items()}
        for name in JOINED
    }
    return replace(
        first, systems=systems, values=np.concatenate([part.values for part in parts]),
        unused_scores=tuple(s for part in parts for s in part.unused_scores),
        scored=beside_each_other([part.scored for part in parts]), **merged,
    )  # fmt: skip


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
        if named.count(run) != 1:
            told = f"the run {run!r} is named twice"
            raise BadInput(told if run in named else f"{run!r} is not among the runs of any system")
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
    evidence, places = dict(scores.evidence), dict(scores.infeasible_at)
    of_all = product(enumerate(scores.measures), enumerate(scores.systems))
    for (k, m), (i, system) in ((one, other) for one, other in of_all if one[1] in uneven):
        left_out = _left_out(scores, m)
        per_instance[system][left_out, k] = np.nan
        places[system, m.name] = left_out
        if m.average not in WAYS:
            values[i, k] = pooled_values(per_instance[system][:, k], scores.weight)
            continue
        columns = scores.evidence.get((system, k))
        if m.by_true_class and isinstance(columns, Entries):
            evidence[system, k] = by_class = columns.without(left_out)
            values[i, k] = mean_by_true_class(by_class, scores.weight)
            continue
        if columns is None or isinstance(columns, Entries):
            raise BadInput(
                f"the systems leave out different instances under {m.name}, which is no "
                "mean over instances and no micro average; leave the measure out"
            )
        evidence[system, k] = kept = without(columns, left_out)
        del kept["infeasible"]
        some = len(left_out) < scores.n_instances
        values[i, k] = pooled_columns(m, kept, scores.weight) if some else np.nan
    return replace(
        scores, values=values, per_instance=per_instance, evidence=evidence, infeasible_at=places,
        no_pairing_at={**scores.infeasible_at, **scores.no_pairing_at},
    )  # fmt: skip


def n_compared(scores: Scores, m: Measure) -> int:
    """Return how many instances have a pairing under all systems."""
    if of_partial(scores) is None:
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
    keys = [(system, m.name) for system in scores.systems]
    known = [scores.infeasible_at[key] for key in keys if key in scores.infeasible_at]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *known]))


# -------------------------------------------------------------------------------------- samples


def samples_of(
    scores: Scores, groups: Sequence[Sequence[str]], blocks: int | None = None, seed: int = 0
) -> list[Sample]:
    """Return the sufficient statistics of every measure, of the instances that have a pairing.

    They are those of blocks where scores come from a partial, or so many ``blocks`` are asked for:
    random groups, as equal in size as can be.
    """
    if blocks is not None and scores.weight is None:  # blocks are not quite equally large
        scores = replace(scores, weight=np.ones(scores.n_instances))
    found = [sample_of(scores, k, groups) for k in range(len(scores.measures))]
    if blocks is not None:
        for k, sample in enumerate(found):
            n = sample.n_instances
            places = np.random.default_rng(seed).permutation(n) % blocks, np.arange(n)
            sums = scipy.sparse.csr_array((np.ones(n), places), shape=(blocks, n)) @ sample.columns
            found[k] = replace(sample, columns=sums)
    return found


def sample_of(scores: Scores, k: int, groups: Sequence[Sequence[str]]) -> Sample:
    """Return the sufficient statistics of one measure; a group holds the runs of one system."""
    m, of_sums = scores.measures[k], of_partial(scores)
    if of_sums is not None:
        return block_sample(of_sums, m, groups)
    if m.average not in WAYS:
        cube = [[scores.per_instance[run][:, k] for run in runs] for runs in groups]
        sample = values_sample(np.moveaxis(np.array(cube), -1, 0), scores.weight)
    else:
        found: list[list[Any]] = [
            [scores.evidence.get((run, k)) for run in runs] for runs in groups
        ]
        if any(e is None for runs in found for e in runs):
            raise BadInput(
                f"comparing {m.name} needs the classes of every instance; score with "
                "keep_classes=True"
            )
        if m.average != "micro":
            return class_sample(m, found, scores.weight)
        columns = [[[e[c] for c in m.definition.columns] for e in runs] for runs in found]
        stacked = np.moveaxis(np.array(columns, dtype=np.float64), -1, 0)
        weight = np.ones(len(stacked)) if scores.weight is None else scores.weight
        sample = columns_sample(m, stacked * weight[:, None, None, None])
    return replace(sample, columns=np.delete(sample.columns, _left_out(scores, m), axis=0))


# --------------------------------------------------------------------------- blocks of partials


def of_partial(scores: Scores) -> Partial | None:
    """Return the partial that scores without values of instances come from, or None."""
    return scores.partial if isinstance(scores.per_instance, NotKept) else None


def n_blocks_of(scores: Scores) -> int:
    """Return how many blocks have instances; 0 where values of instances are kept."""
    one = of_partial(scores)
    return len(one.sums[0].blocks.classes) if one is not None and one.n_blocks else 0


def with_blocks(scores: Scores) -> tuple[Scores, tuple[str, ...]]:
    """Return scores under the measures that blocks can compare, and a line for those left out.

    Blocks come from a hash of ids, so their sums vary as much as the instances do (Wolter 2007,
    Introduction to Variance Estimation, chapter 2: the random group method).
    """
    one, n = of_partial(scores), n_blocks_of(scores)
    if one is None or not one.n_blocks:
        raise BadInput(
            "these scores come from a partial that keeps no sums by block, so there is nothing to "
            "resample; make the partials with blocks (blocks=1000, --blocks 1000), or score the "
            "labels of all instances"
        )
    if n < 2:
        raise BadInput(
            f"all instances are in {counted(n, 'block')}, and comparing needs at least two; make "
            "the partials with more blocks (blocks=1000, --blocks 1000)"
        )
    uneven, left = uneven_measures(scores), [*scores.measures]
    by_class = [m for m in left if m.average not in ("samples", "micro")]
    grows = [m for m in left if m.average == "micro" and m not in uneven and _grows(one, m)]
    out = {
        "no sums by block are kept of averages over classes; score the labels of all instances for "
        "that": by_class,
        "the systems may leave out different instances, and sums by block do not tell which ones; "
        "score the labels of all instances for that": [m for m in uneven if m not in by_class],
        "it grows with the number of instances, and blocks are not equally large; compare a mean, "
        "or score the labels of all instances": grows,
    }  # fmt: skip
    lines = [f"{', '.join(m.name for m in of)}: not compared, since {why}"
             for why, of in out.items() if of]  # fmt: skip
    left = [m for m in left if m not in (*by_class, *uneven, *grows)]
    if not left:
        raise BadInput("; ".join(lines))
    return under(scores, left), tuple(lines)


def under(scores: Scores, measures: Sequence[Measure]) -> Scores:
    """Return the scores of a partial under some of its measures."""
    names = {m.name for m in measures}
    cut: dict[str, Any] = {
        field: {key: x for key, x in getattr(scores, field).items() if key[1] in names}
        for field in ("solved_by", "n_infeasible", "remarks")
    }
    numbers = [scores.measures.index(m) for m in measures]
    return replace(scores, measures=tuple(measures), values=scores.values[:, numbers], **cut)


def _grows(one: Partial, m: Measure) -> bool:
    """Whether a score is another one if all instances come twice, as a total is.

    The sizes of random groups vary by chance. A ratio does not depend on them, but a total would
    seem to vary more than that of as many instances.
    """
    names = one.plan.names(one.measures.index(m)).values()
    sums = np.array([[of.blocks.floats(name).sum() for name in names] for of in one.sums]).T
    once, twice = (
        m.values(dict(zip(m.definition.columns, sums * times, strict=True))) for times in (1, 2)
    )
    return not np.allclose(once, twice, rtol=1e-9, atol=0, equal_nan=True)
