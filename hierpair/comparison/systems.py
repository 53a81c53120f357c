"""Systems compared: intervals, tests of pairs, ranks; scores in, a comparison out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from hierpair.comparison.analysis import Analysis, check_whole
from hierpair.comparison.common_scores import (
    common_notes,
    defined,
    groups_of,
    n_blocks_of,
    n_compared,
    on_common,
    samples_of,
    scores_of,
    signs_of,
    under,
)
from hierpair.comparison.samples import (
    EXCHANGES,
    ClassSample,
    Draws,
    Sample,
    bootstrap,
    bootstrap_test,
    exchange_p_values,
    pair_differences,
)
from hierpair.comparison.statistics import (
    OF_INSTANCES,
    TESTS,
    Plan,
    all_pairs,
    bootstrap_interval,
    cliffs_delta,
    cliques,
    differences_of,
    few_rounds,
    rank_biserial,
    ranked,
    seed_interval,
    square,
    welch_test,
)
from hierpair.errors import BadInput, check_known
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.notes import doubts_by_system
from hierpair.evaluation.partial import Partial
from hierpair.evaluation.processes import check_jobs, take_along
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.scores import ByName, Reported, Scores
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.measures import Measure
from hierpair.tables.records import Block, Form, Records, pinned
from hierpair.tables.result import down, flattened, score_table
from hierpair.tables.text import number

PERMUTED = "permutation"

BETTER, MARK = "*", "†"
"""Stand at a system that is significantly better than the baseline, and at one that is worse."""

RANKS_IN_BRACKETS = (
    f"in brackets ranks, equal where no significant difference is found; {MARK} "
    "significantly worse than the best"
)
"""A note that explains the signs of tables as text."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ByName, Analysis, Reported):
    """Systems under measures: scores with intervals and ranks, and all pairs.

    Matrices have the shape ``(n_measures, n_systems, n_systems)``; entry ``[k, i, j]`` is about
    system ``i`` against system ``j``.

    Attributes
    ----------
    scores
        What was compared; an instance without a pairing under one system is left out for all.
    plan
        How: test, correction, levels, rounds, seed.
    systems, measures
        Names of the systems (not of their runs), and the measures.
    pairs
        The pairs that were tested, by number; with a baseline that is the other one.
    values, low, high
        Pooled scores and their intervals, shape ``(n_systems, n_measures)``.
    ranks
        Ranks, 1 for the best, equal where no significant difference is found
        (:func:`hierpair.comparison.ranked`).
    p, p_adjusted
        p-values of the pairs, as they are and adjusted; 1 on the diagonal.
    difference, difference_low, difference_high
        Score of ``i`` less score of ``j``, with its paired bootstrap interval.
    effect
        Effect size, positive if ``i`` is better, whatever the direction of the measure; None
        where blocks of instances were compared.
    wins
        Number of instances on which ``i`` is better than ``j``; None for blocks.
    runs
        The runs of every system, if there are several.
    n_blocks
        How many blocks of instances were resampled and exchanged; 0: instances were.
    left_out
        A line for the measures that blocks cannot compare.
    baseline
        The system that all others are compared with; empty: all are with all.
    """

    scores: Scores
    plan: Plan
    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    pairs: Ints
    values: Floats
    low: Floats
    high: Floats
    ranks: Ints
    p: Floats
    p_adjusted: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    effect: Floats | None
    wins: Ints | None
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    n_blocks: int = 0
    left_out: tuple[str, ...] = ()
    baseline: str = ""

    done = "compared"
    looks = (*Analysis.looks, "percent", "transpose", "rename")
    told = (
        "signature",
        "signatures=scores.signatures",
        "settings=plan.__dict__",
        "baseline",
        "runs",
        "n_instances=scores.n_instances",
        "mean_labels=scores.mean_labels",
        "n_blocks",
        "doubts=scores.doubts",
        "notes",
    )

    @property
    def significant(self) -> Bools:
        """Whether two systems differ significantly after the correction."""
        return self.p_adjusted <= self.plan.alpha

    @property
    def upwards(self) -> Floats:
        """Scores with the sign of errors turned, so that higher is better."""
        return self.values * signs_of(self.measures)

    def groups(self, name: str | Measure | None = None) -> list[list[str]]:
        """Return the longest runs of neighbouring systems none of which differ significantly."""
        k = self.measure_number(name)
        found = cliques(self.upwards[:, k], self.significant[k])
        return [[self.systems[i] for i in run] for run in found]

    def mean_labels(self, system: str) -> float:
        """Return the mean number of labels of an instance, over the runs."""
        runs = self.runs.get(system, (system,))
        return float(np.mean([self.scores.mean_labels.get(run, np.nan) for run in runs]))

    @property
    def signature(self) -> str:
        """One line that pins how the systems were compared, with the seed."""
        o, one = self.plan, self.scores.partial
        return pinned(
            "compare", test=o.test, permutations=o.n_permutations if o.test == PERMUTED else None,
            correction=o.correction, family=o.family, baseline=self.baseline or None, alpha=o.alpha,
            level=o.level, interval="t" if self.runs else o.interval, bootstrap=o.n_bootstrap,
            effect=None if self.n_blocks else o.effect,
            blocks=one.n_blocks if one else self.n_blocks or None,
            seed=o.seed,
        )  # fmt: skip

    @property
    def signatures(self) -> list[str]:
        """How it was compared, and the conventions of every measure."""
        return [self.signature, *self.scores.signatures]

    @property
    def too_few_rounds(self) -> str:
        """What is to be told where no adjusted p-value can reach the level of significance."""
        o = self.plan
        rounds = {PERMUTED: o.n_permutations, "bootstrap": o.n_bootstrap}.get(o.test) or 0
        factor = o.smallest_factor(len(self.pairs), len(self.measures))
        return few_rounds(rounds, o.alpha, factor) if rounds and not self._n_listed else ""

    @property
    def _n_listed(self) -> int:
        """How many instances or blocks are exchanged in all ways; 0 where exchanges are drawn."""
        n = self.n_blocks or max(n_compared(self.scores, m) for m in self.measures)
        drawn = Draws(EXCHANGES, n, self.plan.n_permutations or 0, 0)
        return n if self.plan.test == PERMUTED and drawn.all_listed else 0

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        o, n = self.plan, self._n_listed
        family = "each measure" if o.family == "measure" else "all measures"
        of_family = f"correction: {o.correction} over the pairs of {family}"
        corrected = of_family if o.correction != "none" else "no correction"
        pooled = [m.name for m in self.measures if m.average != "samples"]
        n_runs = len(next(iter(self.runs.values()), ()))
        told = {
            f"in brackets ranks of the scores; {BETTER} significantly better than {self.baseline}, "
            f"{MARK} significantly worse": self.baseline,
            RANKS_IN_BRACKETS: not self.baseline,
            f"{TESTS[o.test]}{f', all {2**n:,} exchanges' if n else ''}; {corrected}, alpha = "
            f"{o.alpha:g}": True,
            self.too_few_rounds: self.too_few_rounds,
            f"resampled and exchanged are {self.n_blocks:,} blocks of instances, not instances: "
            f"standard errors are known to about {100 / sqrt(2 * max(1, self.n_blocks - 1)):.2g} "
            "%; wins and effect sizes need values of instances and are left out": self.n_blocks,
            f"scores are means over {n_runs} runs with {100 * o.level:g} % t intervals": n_runs,
            f"the test compares values of instances, and {', '.join(pooled)} are pooled otherwise: "
            "permutation and bootstrap test the pooled scores": o.test in OF_INSTANCES and pooled,
        }  # fmt: skip
        some = [note for note, holds in told.items() if holds]
        return [*self.scores.notes, *common_notes(self.scores), *self.left_out, *some]

    def checked(self, look: TableLook) -> TableLook:
        """Return the look with old names as the tables spell them."""
        return look.checked(self.systems, self.measures)

    def views(
        self, form: Form, look: TableLook, *, pairs: bool = False, intervals: bool | None = None
    ) -> list[Block]:
        """Return scores with ranks, intervals and pairs; the best by the first measure is first.

        But for papers numbers of labels stand beside the scores, and those of the truth below.

        Parameters
        ----------
        form, look
            How tables are shown; ``percent``, ``transpose`` and ``rename`` are those of scores.
        pairs
            Show all pairs of systems, too.
        intervals
            Show intervals; by default LaTeX has them with the pairs alone.
        """
        up, ms, scores, every = self.upwards, self.measures, self.scores, range(len(self.measures))
        order = np.argsort(-up[:, 0], kind="stable").tolist()
        against = self.system_number(self.baseline) if self.baseline else up.argmax(axis=0)
        better = (up > up[against, every]) & bool(self.baseline)
        differs = self.significant[every, :, against].T
        marks = np.where(differs, np.where(better, BETTER, MARK), "")

        def cells(cell: Callable[..., str], *matrices: Any) -> list[list[str]]:
            return [[*map(cell, ms, *(of[i] for of in matrices))] for i in order]

        rows = cells(lambda m, x, mark, rank: f"{look.cell(m, x)}{mark} ({rank})",
                     self.values, marks, self.ranks)  # fmt: skip
        ends = cells(lambda m, *of: " … ".join(look.cell(m, x) for x in of), self.low, self.high)
        best = (up == up.max(axis=0))[order]
        names, heads = [self.systems[i] for i in order], list[Any](ms)
        kind = "t over runs" if self.runs else f"{self.plan.interval} bootstrap"
        kind += f" of {self.n_blocks:,} blocks" if self.n_blocks else ""
        title = f"{100 * self.plan.level:g} % intervals ({kind})"
        intervals = (pairs or not form.typeset) if intervals is None else intervals
        found = [score_table(form, look, names, ms, ends, best & False, title)] * intervals
        foot = common_notes(scores, lambda m: look.heading(m, typeset=form.typeset, arrow=False))
        if not form.typeset:
            labels = [*map(self.mean_labels, names)]
            if (n := scores.mean_labels.get("y_true")) is not None:
                names, labels = [*names, "(truth)"], [*labels, n]
                rows.append([""] * len(ms))
            rows = [[*row, number(n, 2)] for row, n in zip(rows, labels, strict=True)]
            heads.append("labels")
        found.insert(0, score_table(form, look, names, heads, rows, best, foot=foot))
        return [*found, self._pairs(look, form)] if pairs else found

    def _pairs(self, look: TableLook, form: Form) -> Block:
        effects = {"wins": "wins", "losses": "losses", "effect": self.plan.effect}
        counts, rows = {} if self.effect is None else effects, []
        for r in self.records(pairs=True).to_dicts():
            m = self.measures[self.measure_number(r["measure"])]
            gap, low, high = (look.cell(m, r[k], sign=True) for k in ("difference", "low", "high"))
            p, adjusted = (number(r[k], max(4, look.decimals)) for k in ("p", "p_adjusted"))
            rows.append([
                look.heading(m, typeset=form.typeset, arrow=False), look.name(r["system"]),
                look.name(r["other"]), gap, f"{low} … {high}",
                *(f"{r[name]:+.3f}" if name == "effect" else str(r[name]) for name in counts),
                p, adjusted + " *" * r["significant"],
            ])  # fmt: skip
        told = "wins and effects count for the first; " * bool(counts)
        header = ["measure", "system", "other", "difference", "interval"]
        header += [*counts.values(), "p", "p adjusted"]
        title = f"Pairs: {told}* p adjusted ≤ {self.plan.alpha:g}"
        return Block(header, rows, title, align="lll" + "r" * (len(header) - 3))

    def all_records(self) -> dict[str, Records]:
        """Return the records of scores, and those of pairs."""
        return {"scores": self.records(), "pairs": self.records(pairs=True)}

    def records(self, *, pairs: bool = False) -> Records:
        """Return a record per system and measure, or per pair and measure."""
        scores, names = self.scores, [m.name for m in self.measures]
        known = [n_compared(scores, m) for m in self.measures]
        n_known = known if scores.n_infeasible else None
        if not pairs:
            doubts = doubts_by_system(scores)
            return flattened(
                self.values.shape, system=down(self.systems), measure=names, value=self.values,
                low=self.low, high=self.high, rank=self.ranks,
                better=[m.definition.direction for m in self.measures],
                n_instances=scores.n_instances, labels=down([*map(self.mean_labels, self.systems)]),
                n_runs=max(map(len, self.runs.values()), default=1),
                signature=scores.signatures, comparison=self.signature,
                doubts=down([doubts[self.runs.get(s, (s,))[0]] for s in self.systems])
                if doubts else None,
                n_compared=n_known,
            )  # fmt: skip
        i, j = self.pairs.T
        one, other = np.array(self.systems, dtype=object)[self.pairs.T]
        gain = (self.upwards[i] - self.upwards[j]).T
        counts: dict[str, Any] = {}
        if self.wins is not None and self.effect is not None:
            won, lost = self.wins[:, i, j], self.wins[:, j, i]
            counts = {"wins": won, "losses": lost, "ties": down(known) - won - lost}
            counts["effect"] = self.effect[:, i, j]
        return flattened(
            gain.shape, measure=down(names), system=one, other=other,
            difference=self.difference[:, i, j], low=self.difference_low[:, i, j],
            high=self.difference_high[:, i, j],
            better=np.where(gain > 0, one, np.where(gain < 0, other, "")), **counts,
            p=self.p[:, i, j], p_adjusted=self.p_adjusted[:, i, j],
            significant=self.significant[:, i, j], signature=down(scores.signatures),
            comparison=self.signature, n_compared=n_known and down(n_known),
        )  # fmt: skip


def compare(
    scores: Scores | Partial,
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
    baseline: str | None = None,
    blocks: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    on_progress: OnProgress = None,
) -> Comparison:
    """Compare systems under measures on the same instances.

    Parameters
    ----------
    scores
        What one call of :func:`hierpair.score` returned for at least two systems. Where systems
        left out different instances (``on_infeasible="nan"``), all are compared on those that none
        of them left out.
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
        Of p-values, for several tests: ``"holm"``, ``"bonferroni"``, ``"bh"``
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
    baseline
        Compare every system with this one alone: only these pairs are tested and corrected for,
        and the others have nan. Ranks are then those of the scores.
    blocks
        Put the instances into so many random groups of equal size, and resample and exchange these
        as a whole, as said in the notes below: for very many instances, of which 1,000 groups take
        a small share of the time. Wins and effect sizes are then left out.
    seed
        Seed of the random numbers: same seed, same result.
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
    The blocks of a partial are random groups of its instances (by a hash of their ids; with
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
    whole, known, left, named = _prepared(scores, plan, runs, blocks)
    take_along(whole.measures if n_jobs > 1 else ())
    groups, systems, n, samples = [*named.values()], (*named,), len(named), [*known.values()]
    by_block = blocks or n_blocks_of(whole)
    pairs = all_pairs(n)
    if baseline is not None:
        check_known("system", baseline, systems, "baseline")
        pairs = np.array([(i, systems.index(baseline)) for i in range(n) if systems[i] != baseline])
    plan, signs = plan.resolved(len(pairs), len(whole.measures)), signs_of(whole.measures)
    rows = [[whole.systems.index(run) for run in group] for group in groups]
    per_run = np.moveaxis(whole.values[np.array(rows)], 2, 0)  # measures × systems × runs
    pooled = per_run.mean(axis=2)
    with shown_progress(on_progress, "step") as tell:
        drawn = bootstrap(samples, n_bootstrap, seed, n_jobs, tell)
        if test == PERMUTED:
            raw = exchange_p_values(samples, pairs, plan.n_permutations or 0, seed, n_jobs, tell)
    sizes = wins = None
    if not by_block:
        of_values, size, won, lost = _of_instances(whole, plan, groups, pairs)
        wins = np.nan_to_num(square(pairs, won, lost, n)).astype(np.int64)
        sizes = square(pairs, size, -size, n)
    if test == "bootstrap":
        both = zip(samples, drawn, strict=True)
        raw = np.stack([bootstrap_test(sample, of, pairs) for sample, of in both])
    elif test == "runs":
        raw = np.stack([welch_test(of, pairs) for of in per_run])
    elif test in OF_INSTANCES:
        raw = of_values
    ends = [_intervals(plan, *both, pairs) for both in zip(samples, drawn, strict=True)]
    (low, high), (gap_low, gap_high) = (np.stack(of, axis=1) for of in zip(*ends, strict=True))
    if runs is not None:
        means, half = map(np.array, seed_interval(per_run, level=level))
        low, high = means - half, means + half
    p, p_adjusted = (square(pairs, of, of, n, 1.0) for of in (raw, plan.adjusted(raw)))
    differ = [None if baseline else of <= alpha for of in p_adjusted]
    ranks = [ranked(*of) for of in zip(pooled * signs[:, None], differ, strict=True)]
    return Comparison(
        whole, plan, systems, whole.measures, pairs, pooled.T, low.T, high.T,
        np.stack(ranks, axis=1), p, p_adjusted, pooled[:, :, None] - pooled[:, None, :],
        square(pairs, gap_low, -gap_high, n), square(pairs, gap_high, -gap_low, n),
        sizes, wins, {} if runs is None else {name: tuple(of) for name, of in named.items()},
        by_block, tuple(left), baseline or "",
    )  # fmt: skip


def _prepared(
    scores: Scores | Partial,
    plan: Plan,
    runs: Mapping[str, Sequence[str]] | None,
    blocks: int | None,
) -> tuple[Scores, dict[int, Sample], list[str], dict[str, list[str]]]:
    """Return what can be compared: scores, samples, what is left out and why, and runs."""
    whole = scores_of(scores)
    refuse_of_scores(m for m in whole.measures if not m.adds_up)
    of_sums = whole.partial is not None
    if of_sums and blocks is not None:
        raise BadInput("the blocks of a partial were made with it; leave blocks out")
    if blocks is not None:
        check_whole(2, whole.n_instances, blocks=blocks)
    whole = whole if of_sums else on_common(whole)
    groups = groups_of(whole, runs)
    if len(groups) < 2:
        raise BadInput(
            f"comparing needs at least two systems, and there is only {next(iter(groups))!r}"
        )
    samples, left = samples_of(whole, [*groups.values()], blocks, plan.seed)
    if left and not (of_sums and samples):
        raise BadInput("; ".join(left))
    whole = under(whole, [whole.measures[k] for k in samples]) if of_sums else whole
    of_values = plan.test in OF_INSTANCES
    told = {
        "tests of values of instances, other effect sizes and BCa intervals need every instance, "
        "and here are sums of blocks; use permutation or bootstrap, percentile intervals and no "
        "other effect size, or compare the scores of all instances": (of_sums or blocks)
        and (of_values or plan.effect != Plan.effect or plan.interval == "bca"),
        "the test 'runs' needs several runs per system; name them (--runs SYSTEM=RUN,…)":
            plan.test == "runs" and runs is None,
        f"the test {plan.test!r} does not count sample weights; use permutation or bootstrap":
            of_values and whole.weight is not None,
        "BCa intervals are not offered for averages over classes; use percentile":
            plan.interval == "bca" and any(isinstance(s, ClassSample) for s in samples.values()),
    } | {
        f"no instance has a pairing under all systems by {m}, so they cannot be compared; leave "
        "the measure out, or a system that fails often": not n_compared(whole, m)
        for m in whole.measures
    }  # fmt: skip
    for why in (why for why, holds in told.items() if holds):
        raise BadInput(why)
    defined(whole, ", so it cannot be compared; leave the measure out, or set zero_division")
    return whole, samples, left, groups


def _of_instances(
    scores: Scores, plan: Plan, groups: Sequence[Sequence[str]], pairs: Ints
) -> Floats:
    """Return p-values, effect sizes, wins and losses by measure and pair, from instances."""
    found, test = [], OF_INSTANCES.get(plan.test)
    for k, m in enumerate(scores.measures):
        each = [
            m.sign * np.mean([scores.per_instance[run][:, k] for run in g], axis=0) for g in groups
        ]
        for i, j in pairs.tolist():
            d = differences_of(each[i], each[j])
            paired = plan.effect == "rank_biserial"
            effect = rank_biserial(d) if paired else cliffs_delta(each[i], each[j])
            found.append((test(d) if test else 1.0, effect, (d > 0).sum(), (d < 0).sum()))
    return np.array(found).T.reshape(4, len(scores.measures), len(pairs))


def _intervals(plan: Plan, sample: Sample, rounds: Floats, pairs: Ints) -> list[Floats]:
    """Return both ends of the intervals of scores, and of differences of pairs."""
    beside = [sample.scores(), sample.linear_values()] if plan.interval == "bca" else []
    known: list[Any] = [rounds, *beside]
    gaps = (pair_differences(of, pairs) for of in known)
    return [bootstrap_interval(of, plan.level, *more) for of, *more in (known, gaps)]
