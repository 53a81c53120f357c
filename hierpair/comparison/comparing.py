"""Scores in, a comparison of their systems out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.comparison.result import Comparison
from hierpair.comparison.samples import Sample, sample_of
from hierpair.comparison.shared_instances import n_compared, on_common, with_pairing
from hierpair.comparison.statistics.intervals import (
    bca_interval,
    left_out,
    percentile_interval,
    seed_interval,
)
from hierpair.comparison.statistics.paired_tests import (
    cliffs_delta,
    differences_of,
    rank_biserial,
    wins_and_losses,
)
from hierpair.comparison.statistics.ranks import ranked
from hierpair.comparison.statistics.resampling import bootstrap
from hierpair.comparison.statistics.tests_by_name import Plan, all_pairs, p_values, square
from hierpair.errors import BadInput, unknown
from hierpair.evaluation.batches import check_jobs, take_along
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels.naming import check_order

__all__ = ["compare", "groups_of", "joined_scores", "samples_of"]


PAIRS_AT_A_TIME = 1_000
"""Pairs whose bootstrap differences are held at a time."""


def compare(
    scores: Scores | Sequence[Scores],
    *,
    test: str = "permutation",
    correction: str = "holm",
    family: str = "measure",
    alpha: float = 0.05,
    level: float = 0.95,
    interval: str = "percentile",
    effect: str = "rank_biserial",
    n_permutations: int | None = None,
    n_bootstrap: int = 2_000,
    runs: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    n_jobs: int = 1,
) -> Comparison:
    """Compare systems under measures on the same instances.

    Parameters
    ----------
    scores
        What :func:`hierpair.score` returned for at least two systems, or several of these for
        the same instances and measures. Where systems left out different instances
        (``on_infeasible="nan"``), all are compared on those that none of them left out.
    test
        How two systems are compared:

        - ``"permutation"``: the paired sign-flip permutation test of the pooled scores. The
          answers of two systems change places on random instances;
          p = (b + 1) / (B + 1), exact where all exchanges can be tried.
        - ``"bootstrap"``: the paired bootstrap test of the pooled scores (Efron and Tibshirani
          1993, §16).
        - ``"sign"``: the micro sign test on the values of the instances, with the exact
          binomial distribution; ``"sign_normal"``: with the normal approximation of Kosmopoulos
          et al. 2014, §4.2, eq. 6.
        - ``"wilcoxon"``: Wilcoxon's signed rank test, ``"t"``: the paired t test, on the same
          values.
        - ``"runs"``: Welch's t test on the scores of several ``runs`` per system.

        All are two-sided.
    correction
        Of the p-values for the number of pairs: ``"holm"``, ``"bonferroni"``, ``"bh"``
        (Benjamini and Hochberg) or ``"none"``.
    family
        What is corrected together: all pairs of one ``"measure"``, or ``"all"``.
    alpha
        Level of significance.
    level
        Of the confidence intervals.
    interval
        Bootstrap intervals over instances: ``"percentile"`` or ``"bca"`` (Efron 1987).
    effect
        ``"rank_biserial"`` (matched pairs) or ``"cliffs_delta"``; positive for the better system.
    n_permutations, n_bootstrap
        Random exchanges and resamples. By default there are at least 10,000 exchanges, and with
        many systems as many as the correction needs for a pair to be significant at all.
    runs
        ``{system: [names of its runs]}``, such as training seeds. The score of a system is then
        the mean over its runs, with a t interval (ddof 1); instances are compared by the mean of
        the runs.
    seed
        Of the random numbers: same seed, same result.
    n_jobs
        Processes (needs the extra ``parallel``); the result does not depend on it.

    Returns
    -------
    Comparison
        Scores with intervals and ranks, and every pair with difference, test and effect size.

    Raises
    ------
    BadInput
        For a single system, systems of the same name or with other instances, an undefined
        score, weights with a test that cannot count them, or an unknown option.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> truth = ["b", "c", "b", "c", "b", "c", "b", "c"]
    >>> scores = score(tree, truth, {"always b": ["b"] * 8, "right": truth}, ["hf", "gie"])
    >>> found = compare(scores)
    >>> found.ranks.tolist(), float(found.p[0, 0, 1])
    ([[1, 1], [1, 1]], 0.125)
    """
    rounds = (n_permutations, n_bootstrap)
    plan = Plan(test, correction, family, alpha, level, interval, effect, *rounds, seed)
    check_jobs(n_jobs)
    whole = on_common(joined_scores(scores))
    if n_jobs > 1:
        take_along(whole.measures)
    named = groups_of(whole, runs)
    groups = list(named.values())
    systems = tuple(named)
    plan = plan.resolved(len(systems), len(whole.measures))
    samples = samples_of(whole, groups)
    per_run = _run_scores(whole, groups)
    _check(whole, plan, systems, samples, several=runs is not None)
    n, pairs = len(systems), all_pairs(len(systems))
    pooled = (
        per_run.mean(axis=2).T
        if runs is not None
        else whole.values[[whole.systems.index(g[0]) for g in groups]]
    )

    def each(k: int) -> Floats:
        return _of_instances(whole, k, groups)

    drawn = bootstrap(samples, n_bootstrap, seed, n_jobs)
    raw, corrected = p_values(plan, samples, each, pairs, rounds=drawn, runs=per_run, n_jobs=n_jobs)
    low, high, gap_low, gap_high = _intervals(plan, samples, drawn, pairs)
    if runs is not None:
        means = np.array([[seed_interval(of, level=level) for of in row] for row in per_run])
        low, high = means[..., 0] - means[..., 1], means[..., 0] + means[..., 1]
    signs = np.array([1 if m.higher_is_better else -1 for m in whole.measures])
    p, p_adjusted = square(pairs, raw, n), square(pairs, corrected, n)
    for matrix in (p, p_adjusted):
        matrix[:, range(n), range(n)] = 1.0
    ranks = [ranked(*of) for of in zip((pooled * signs).T, p_adjusted <= alpha, strict=True)]
    sizes, won, lost = _effects(plan, each, signs, pairs)
    wins = square(pairs, won, n)
    wins[..., pairs[:, 1], pairs[:, 0]] = lost
    return Comparison(
        scores=whole,
        plan=plan,
        systems=systems,
        measures=whole.measures,
        values=pooled,
        low=low.T,
        high=high.T,
        ranks=np.stack(ranks, axis=1),
        p=p,
        p_adjusted=p_adjusted,
        difference=pooled.T[:, :, None] - pooled.T[:, None, :],
        difference_low=_turned(pairs, gap_low, gap_high, n),
        difference_high=_turned(pairs, gap_high, gap_low, n),
        effect=square(pairs, sizes, n, turned=-1),
        wins=wins,
        runs={s: tuple(g) for s, g in named.items()} if runs is not None else {},
        run_values=per_run.transpose(1, 0, 2) if runs is not None else None,
    )


JOINED = (
    *("per_instance", "n_unknown", "n_missing", "solved_by", "n_infeasible", "infeasible_at"),
    *("remarks", "mean_labels", "evidence"),
)
"""What scores hold by system."""


def joined_scores(scores: Scores | Sequence[Scores]) -> Scores:
    """Return several scores of the same instances under the same measures as one.

    Raises
    ------
    BadInput
        For other instances, other measures, or a name that comes twice.
    """
    parts = [scores] if isinstance(scores, Scores) else list(scores)
    if not parts or not all(isinstance(part, Scores) for part in parts):
        raise BadInput("compare what score() returned, or a list of these")
    first = parts[0]
    for part in parts[1:]:
        if part.signatures != first.signatures:
            raise BadInput("these scores have different measures: score all systems with the same")
        if part.n_instances != first.n_instances or part.ids != first.ids:
            raise BadInput(
                f"{', '.join(part.systems)} and {', '.join(first.systems)} have different "
                f"instances ({part.n_instances} and {first.n_instances}); score them on the same"
            )
        if not _same_weights(part.weight, first.weight):
            raise BadInput("these scores have different sample weights")
    systems = [s for part in parts for s in part.systems]
    double = next((s for s in systems if systems.count(s) > 1), None)
    if double is not None:
        raise BadInput(f"two systems are called {double!r}; score one of them under another name")
    if len(parts) == 1:
        return first
    merged: dict[str, Any] = {}
    for name in JOINED:
        merged[name] = {key: x for part in parts for key, x in getattr(part, name).items()}
    values = np.concatenate([part.values for part in parts])
    merged["unused_scores"] = tuple(s for part in parts for s in part.unused_scores)
    return replace(first, systems=tuple(systems), values=values, **merged)


def _same_weights(one: Floats | None, other: Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def groups_of(scores: Scores, runs: Mapping[str, Sequence[str]] | None) -> dict[str, list[str]]:
    """Return the runs of every system; without ``runs`` every system is its own."""
    if runs is None:
        return {name: [name] for name in scores.systems}
    for name, given in runs.items():
        check_order(given, f"the runs of {name}")
    groups = {str(name): [str(run) for run in given] for name, given in runs.items()}
    named = [run for given in groups.values() for run in given]
    for run in named:
        if run not in scores.systems:
            raise unknown("run", run, scores.systems)
        if named.count(run) > 1:
            raise BadInput(f"the run {run!r} is named twice")
    left = [s for s in scores.systems if s not in named]
    if left:
        raise BadInput(f"{left[0]!r} is not among the runs of any system")
    sizes = {name: len(given) for name, given in groups.items()}
    if len(set(sizes.values())) > 1 or min(sizes.values(), default=0) < 2:
        told = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise BadInput(f"every system needs the same number of runs, at least two; {told}")
    return groups


def samples_of(scores: Scores, groups: Sequence[Sequence[str]]) -> list[Sample]:
    """Return the sufficient statistics of every measure, of the instances that have a pairing."""
    samples = [sample_of(scores, k, groups) for k in range(len(scores.measures))]
    kept = [with_pairing(scores, m) for m in scores.measures]
    pairs = zip(samples, kept, strict=True)
    return [s if rows is None else replace(s, columns=s.columns[rows]) for s, rows in pairs]


def _run_scores(scores: Scores, groups: Sequence[Sequence[str]]) -> Floats:
    """Return the scores of runs, shape ``(n_measures, n_systems, n_runs)``."""
    rows = [[scores.systems.index(run) for run in g] for g in groups]
    return np.moveaxis(scores.values[np.array(rows)], 2, 0)


def _of_instances(scores: Scores, k: int, groups: Sequence[Sequence[str]]) -> Floats:
    """Return values of instances, shape ``(n_instances, n_systems)``, means over runs."""
    return np.stack(
        [np.mean([scores.per_instance[run][:, k] for run in g], axis=0) for g in groups], 1
    )


def _check(
    scores: Scores, plan: Plan, systems: Sequence[str], samples: Sequence[Sample], *, several: bool
) -> None:
    """Refuse what cannot be compared."""
    if len(systems) < 2:
        raise BadInput(f"comparing needs at least two systems, and there is only {systems[0]!r}")
    for name, values in scores.per_instance.items():
        if values.shape != (scores.n_instances, len(scores.measures)):
            raise BadInput(f"{name} has values of another number of instances or measures")
    for i, k in np.argwhere(np.isnan(scores.values))[:1]:
        if not n_compared(scores, scores.measures[k]):
            raise BadInput(
                f"no instance has a pairing under all systems by {scores.measures[k]}, so they "
                "cannot be compared; leave the measure out, or a system that fails often"
            )
        raise BadInput(
            f"the {scores.measures[k]} of {scores.systems[i]} is not defined (nan), so it cannot "
            "be compared; leave the measure out, or set zero_division"
        )
    if plan.test == "runs" and not several:
        raise BadInput("the test 'runs' needs several runs per system; name them with runs")
    if scores.weight is not None and plan.test in ("sign", "sign_normal", "wilcoxon", "t"):
        raise BadInput(
            f"the test {plan.test!r} does not count sample weights; use permutation or bootstrap"
        )
    if plan.interval == "bca":
        for sample in samples:
            if not isinstance(sample.columns, np.ndarray):
                left_out(sample)


def _intervals(plan: Plan, samples: Sequence[Sample], rounds: Floats, pairs: Ints) -> list[Floats]:
    """Return both ends of the intervals of scores, and of differences of pairs."""
    is_bca = plan.interval == "bca"
    interval: Callable[..., tuple[Floats, Floats]] = bca_interval if is_bca else percentile_interval
    step = 1 if is_bca else PAIRS_AT_A_TIME
    found = []
    for sample, of in zip(samples, rounds, strict=True):
        known = (of, sample.pool(sample.whole()), left_out(sample)) if is_bca else (of,)
        between = [
            interval(*(values[..., i] - values[..., j] for values in known), plan.level)
            for i, j in (pairs[lo : lo + step].T for lo in range(0, len(pairs), step))
        ]
        gaps = (np.concatenate(side) for side in zip(*between, strict=True))
        found.append((*interval(*known, plan.level), *gaps))
    return [np.stack(ends) for ends in zip(*found, strict=True)]


def _turned(pairs: Ints, ahead: Floats, behind: Floats, n: int) -> Floats:
    """Return one end of intervals of differences: turned round, low is minus high."""
    out: Floats = square(pairs, ahead, n)
    out[..., pairs[:, 1], pairs[:, 0]] = -behind
    return out


def _effects(
    plan: Plan, each: Callable[[int], Floats], signs: Ints, pairs: Ints
) -> tuple[Floats, Ints, Ints]:
    """Return effect sizes, wins and losses of the first of every pair; better is positive."""
    sizes = np.zeros((len(signs), len(pairs)))
    won, lost = (np.zeros(sizes.shape, dtype=np.int64) for _ in range(2))
    for k, sign in enumerate(signs):
        of = each(k)
        for at, (i, j) in enumerate(pairs):
            d = sign * differences_of(of[:, i], of[:, j])
            won[k, at], lost[k, at] = wins_and_losses(d)
            if plan.effect == "rank_biserial":
                sizes[k, at] = rank_biserial(d)
            else:
                sizes[k, at] = cliffs_delta(sign * of[:, i], sign * of[:, j])
    return sizes, won, lost
