"""Scores in, a comparison of their systems out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hierpair.comparison.block_samples import (
    check_by_block,
    check_n_blocks,
    n_blocks_of,
    of_partial,
    with_blocks,
)
from hierpair.comparison.joined_scores import groups_of, joined_scores
from hierpair.comparison.measure_samples import samples_of
from hierpair.comparison.result import Comparison
from hierpair.comparison.samples.sample import Sample
from hierpair.comparison.shared_instances import n_compared, on_common
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
from hierpair.comparison.statistics.tests_by_name import (
    OF_INSTANCES,
    Plan,
    all_pairs,
    p_values,
    square,
)
from hierpair.errors import BadInput
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.partial import Partial
from hierpair.evaluation.processes import check_jobs, take_along
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints

__all__ = ["compare"]


PAIRS_AT_A_TIME = 1_000
"""Pairs whose bootstrap differences are held at a time."""


def compare(
    scores: Scores | Partial | Sequence[Scores | Partial],
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
    blocks: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    on_progress: OnProgress = None,
) -> Comparison:
    """Compare systems under measures on the same instances.

    Parameters
    ----------
    scores
        What :func:`hierpair.score` returned for at least two systems, or several of these for
        the same instances and measures. Where systems left out different instances
        (``on_infeasible="nan"``), all are compared on those that none of them left out.
        A :class:`Partial` with ``blocks``, or its scores, is compared by its blocks of instances,
        as said in the notes below.
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
    blocks
        Put the instances into so many random groups of equal size, and resample and exchange these
        as a whole, as said in the notes below: for very many instances, of which 1,000 groups take
        a small share of the time. Wins and effect sizes are then left out.
    seed
        Of the random numbers: same seed, same result.
    n_jobs
        Processes (needs the extra ``parallel``); the result does not depend on it.
    on_progress
        Called with ``"bootstrap"`` or ``"exchanges"``, steps done, and all steps, first with 0;
        None and False as for :func:`hierpair.score`.

    Returns
    -------
    Comparison
        Scores with intervals and ranks, and every pair with difference, test and effect size.

    Raises
    ------
    BadInput
        For a single system, systems of the same name or with other instances, an undefined
        score, weights with a test that cannot count them, an unknown option, or what the blocks
        of a partial cannot tell.

    Notes
    -----
    The blocks of a partial are random groups of its instances (by a seeded hash of their ids; with
    ``blocks``, by a seeded order), so their sums vary as the instances do (Wolter 2007, chapter 2);
    they are resampled and exchanged as a whole. With K blocks a standard error is itself known to
    about 1 / √(2(K − 1)) of it: 7 % with 100 blocks, 2.2 % with 1,000. The permutation test stays
    exact: exchanging the answers on whole blocks is some of the exchanges on instances. Tests on
    values of instances and BCa intervals are refused, wins and effect sizes are None. Of a partial
    averages over classes and totals are left out (``Comparison.left_out``), and the result depends
    on the seeds and the number of blocks, not on how the instances were cut into parts.

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
    joined = joined_scores(scores)
    refuse_of_scores(m for m in joined.measures if not m.adds_up)
    of_sums = of_partial(joined) is not None
    check_n_blocks(blocks, joined)
    by_block = of_sums or blocks is not None
    whole, left = with_blocks(joined) if of_sums else (on_common(joined), ())
    if n_jobs > 1:
        take_along(whole.measures)
    named = groups_of(whole, runs)
    groups = list(named.values())
    systems = tuple(named)
    plan = plan.resolved(len(systems), len(whole.measures))
    samples = samples_of(whole, groups, blocks, seed)
    per_run = _run_scores(whole, groups)
    if by_block:
        check_by_block(plan)
    _check(whole, plan, systems, samples, several=runs is not None)
    n, pairs = len(systems), all_pairs(len(systems))
    pooled = (
        per_run.mean(axis=2).T
        if runs is not None
        else whole.values[[whole.systems.index(g[0]) for g in groups]]
    )

    def each(k: int) -> Floats:
        return _of_instances(whole, k, groups)

    with shown_progress(on_progress, "step") as tell:
        drawn = bootstrap(samples, n_bootstrap, seed, n_jobs, tell)
        raw, corrected = p_values(
            plan, samples, each, pairs, rounds=drawn, runs=per_run, n_jobs=n_jobs, tell=tell
        )
    low, high, gap_low, gap_high = _intervals(plan, samples, drawn, pairs)
    if runs is not None:
        means = np.array([[seed_interval(of, level=level) for of in row] for row in per_run])
        low, high = means[..., 0] - means[..., 1], means[..., 0] + means[..., 1]
    signs = np.array([1 if m.higher_is_better else -1 for m in whole.measures])
    p, p_adjusted = square(pairs, raw, n), square(pairs, corrected, n)
    for matrix in (p, p_adjusted):
        matrix[:, range(n), range(n)] = 1.0
    ranks = [ranked(*of) for of in zip((pooled * signs).T, p_adjusted <= alpha, strict=True)]
    sizes, wins = (None, None) if by_block else _effects(plan, each, signs, pairs, n)
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
        effect=sizes,
        wins=wins,
        runs={s: tuple(g) for s, g in named.items()} if runs is not None else {},
        run_values=per_run.transpose(1, 0, 2) if runs is not None else None,
        n_blocks=blocks or n_blocks_of(whole),
        left_out=left,
    )


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
    if scores.weight is not None and plan.test in OF_INSTANCES:
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
    plan: Plan, each: Callable[[int], Floats], signs: Ints, pairs: Ints, n: int
) -> tuple[Floats, Ints]:
    """Return effect sizes, positive if the first is better, and wins, as matrices."""
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
    wins = square(pairs, won, n)
    wins[..., pairs[:, 1], pairs[:, 0]] = lost
    return square(pairs, sizes, n, turned=-1), wins
