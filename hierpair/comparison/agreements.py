"""How far measures agree: on the order of systems, or on the answers to instances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierpair.comparison.analysis import Analysis, check_share, check_whole
from hierpair.comparison.common_scores import (
    common_notes,
    defined,
    groups_of,
    on_common,
    samples_of,
    scores_of,
    signs_of,
)
from hierpair.comparison.samples import bootstrap, exchange_p_values, multiplicities, stream
from hierpair.comparison.statistics import (
    COEFFICIENTS,
    all_pairs,
    bootstrap_interval,
    differences_of,
    pair_signs,
    rank_correlations,
    rounded_to,
    tau_ap,
)
from hierpair.errors import BadInput, check_choice, check_known
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.partial import Partial
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.measures import Measure, measure
from hierpair.tables.records import Form, Records, pinned
from hierpair.tables.result import crossed, down, flattened, rounded

MANY_SYSTEMS = 10
"""With so many systems they are resampled, too."""

SYSTEMS = 2
"""Stream of random numbers, beside those of resampling."""


ROUNDED = 12
"""Decimals of distances: what differs by rounding alone is joined as if it were equal."""

MATRICES = {
    "reversed_share": "reversed, share of the decisions that both make",
    "decided": "decided by the row alone, share of all; diagonal: by it at all",
}
"""What is shown as a matrix beside the correlations."""

COLUMNS = {
    "value": ["value"],
    "interval": ["low", "high"],
    "over systems, too": ["system_low", "system_high"],
    "one left out": ["left_out_low", "left_out_high"],
    "accuracy": ["accuracy"],
    "soft": ["soft_accuracy"],
    "tau_AP": ["tau_ap"],
    "turned": ["turned"],
    "reversed": ["reversed_share"],
    "discriminancy": ["discriminancy"],
    "indifferency": ["indifferency"],
}
"""What a table of pairs of measures shows, if it is known."""

EXPLAINED = {
    "interval": "interval: instances are resampled, the same for all systems and both measures "
    "(over systems, too: systems as well); one left out: least and largest value without one of "
    "the systems",
    "accuracy": "accuracy: share of the pairs of systems in the same order; soft: 1 − mean "
    "difference of their one-sided p-values; tau_AP: errors at the top count more, the other one "
    "is taken as right; turned: the first one is",
    "reversed": "reversed: share of the decisions that both measures make; discriminancy: "
    "decisions that the first alone makes for one that the other alone makes; indifferency: share "
    "that neither makes",
}
"""What is said below such a table, by a column of it."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Measures joined step by step, those that agree most first.

    The distance of two measures is 1 less their correlation, that of two clusters the mean over all
    pairs between them (average linkage, UPGMA). :func:`hierpair.plots.plot_clusters` draws them;
    :func:`scipy.cluster.hierarchy.fcluster` of ``linkage`` cuts them at a distance.

    Attributes
    ----------
    measures
        Names of the measures.
    linkage
        As of :func:`scipy.cluster.hierarchy.linkage`: the two clusters that are joined, their
        distance, and the number of measures in the new one, shape ``(n_measures − 1, 4)``.
    order
        Numbers of the measures, so that no two lines of a dendrogram cross.
    cophenetic
        Cophenetic correlation: how far the distances at which two measures are joined are those
        that they have, 1 at best; nan for fewer than three measures or equal distances.
    about
        What the correlations are.
    signatures
        One line per measure that pins all its conventions.
    """

    measures: tuple[str, ...]
    linkage: Floats
    order: tuple[int, ...]
    cophenetic: float
    about: str
    signatures: tuple[str, ...]

    def distances(self, digits: int) -> str:
        """Return what the distances are, and how well they are kept where this is defined."""
        kept = f"; cophenetic correlation {self.cophenetic:.{digits}f}"
        return f"1 − {self.about}{'' if math.isnan(self.cophenetic) else kept}"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Analysis):
    """How far every two of several measures agree, on the order of systems or on instances.

    Attributes
    ----------
    measures, signatures
        Names of the measures; a line for each that pins its conventions.
    title
        What the correlations are.
    values
        Rank correlations, measures × measures: of the scores of systems, or Kendall's tau-b of the
        values over all (instance, system). nan where a measure tells nothing apart.
    evidence
        By name what else is known of every two measures, as matrices. A *decision* is about an
        instance and two systems; a measure makes it if their values differ.

        Over systems, unless no rounds were asked for:

        - ``low``, ``high``: percentile interval of the correlation over instances that are
          resampled with replacement, the same for all systems and both measures; nan where it
          cannot be told.
        - ``system_low``, ``system_high``: the same with systems resampled, too, and no system
          compared with itself; not for few systems.
        - ``left_out_low``, ``left_out_high``: least and largest correlation if one system is left
          out; nan for two systems.
        - ``accuracy``: share of the pairs of systems that both measures put in the same order, or
          both tie.
        - ``soft_accuracy``: one minus the mean absolute difference of the one-sided p-values of the
          pairs (Thompson et al. 2024), from the paired sign-flip test; nan where it cannot be told.
        - ``tau_ap``: AP correlation of the measure of the row with that of the column, which is
          taken as right; ``turned``: with that of the row taken as right.

        Over instances:

        - ``both``, ``first_only``, ``other_only``, ``neither``: how many decisions both measures
          make, one of them alone, and none of them.
        - ``reversed``: how many of those that both make they make the other way round;
          ``reversed_share``: 1 − consistency (Huang and Ling 2005).
        - ``discriminancy``: decisions that the row alone makes for one that the column alone makes
          (the same); infinite where the column makes none that the row does not make, nan where
          neither does. ``indifferency``: share of the decisions that neither makes (the same).
        - ``decided``: share of all decisions that the row alone makes, or on the diagonal at all.
    counts
        By name what they are of: systems, and instances and decisions.
    signature
        One line that pins how it was computed, with the seed.
    notes
        What has to be known beside the numbers.
    """

    measures: tuple[str, ...]
    signatures: tuple[str, ...]
    title: str
    values: Floats
    evidence: dict[str, Any]
    counts: dict[str, int]
    signature: str
    notes: tuple[str, ...] = ()

    decimals = 3
    table = "pairs"
    told = ("signature", "title", "notes", "measures", "values", "counts")

    def __getitem__(self, key: tuple[str | Measure, str | Measure]) -> float:
        """Return the correlation of two measures, or of their names in any spelling."""
        names = [measure(name).name for name in key]
        for name in names:
            check_known("measure", name, self.measures)
        return float(self.values[tuple(map(self.measures.index, names))])

    def clusters(self) -> Clusters:
        """Return the measures in clusters, by average linkage on 1 less their correlation."""
        from scipy.cluster.hierarchy import cophenet, leaves_list, linkage
        from scipy.spatial.distance import squareform

        measures, values = self.measures, self.values
        if len(measures) < 2:
            raise BadInput("clusters need at least two measures")
        for i, k in np.argwhere(np.isnan(values)):
            raise BadInput(
                f"{measures[i]} and {measures[k]} have no correlation (nan), since one of them "
                "tells nothing apart; leave it out"
            )
        condensed = squareform(np.round(1 - (values + values.T) / 2, ROUNDED), checks=False)
        joined, fit = linkage(np.maximum(condensed, 0.0), "average"), np.nan
        if np.ptp(condensed):
            fit = float(np.corrcoef(condensed, cophenet(joined))[0, 1])
        order = tuple(leaves_list(joined).tolist())
        return Clusters(measures, joined, order, fit, self.title, self.signatures)

    def records(self) -> Records:
        """Return a record per two measures."""
        return self.flat(
            value=self.values, **self.evidence, **self.counts, signature=down(self.signatures),
            signature_other=list(self.signatures), comparison=self.signature,
        )  # fmt: skip

    def flat(self, **columns: Any) -> Records:
        """Return matrices as records, one per two measures."""
        return flattened(
            self.values.shape, measure=down(self.measures), other=self.measures, **columns
        )

    def views(self, form: Form, look: TableLook, *, pairs: bool = False) -> list[Any]:
        """Return the matrices and, with ``pairs``, all that is known of every two measures."""
        heads, known = self.heads(form), {"value": self.values, **self.evidence}
        shown = {"value": self.title} | {x: told for x, told in MATRICES.items() if x in known}
        matrices = [
            crossed(form, look, self.flat(value=known[name]), "measure", "other", heads=heads,
                    title=title, corner="")
            for name, title in shown.items()
        ]  # fmt: skip
        if not pairs or not self.evidence:
            return matrices
        columns = {head: of for head, of in COLUMNS.items() if of[0] in known}
        names = [*heads.values()]
        rows = [
            [names[i], names[k], *(tuple(known[x][i, k] for x in of) for of in columns.values())]
            for i, k in all_pairs(len(names)).tolist()
        ]
        header, align = ["measure", "other", *columns], "ll" + "r" * len(columns)
        table = rounded(header, rows, look.decimals, "Pairs of measures", align=align)
        explained = (told for head, told in EXPLAINED.items() if head in columns)
        return [*matrices, table, *explained, self.signature]


def agreement(
    scores: Scores | Partial,
    coefficient: str = "kendall_b",
    *,
    of: Literal["instances", "systems"] = "systems",
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> Agreement:
    """Return how far measures agree: on the order of systems, or on the answers to instances.

    Parameters
    ----------
    scores
        Scores of at least two systems, or a partial.
    coefficient
        ``"kendall_b"``, ``"kendall_a"`` or ``"spearman"``; of scores, errors with their sign
        turned. Over instances it is always ``"kendall_b"``.
    of
        ``"systems"``: the rankings of the systems, with intervals over resampled instances (one
        set of weights for all systems and measures), the range with one system left out, with 10
        systems or more intervals over resampled systems, pairwise and soft pairwise accuracy, and
        AP correlation. ``"instances"``: the values of all instances, and the decisions between
        two systems on an instance: how many each measure makes, and how many two measures reverse.
    n_bootstrap
        Bootstrap samples, and permutations for soft pairwise accuracy; 0: the correlations alone.
    level, seed
        Level of the intervals; seed of the random numbers.
    n_jobs
        Processes (needs the extra ``parallel``); the result does not depend on it.

    Returns
    -------
    Agreement
        Correlations of every two measures, and what else is known of them.

    Raises
    ------
    BadInput
        For fewer than two systems, an undefined score, an unknown coefficient, or partials if it
        is over instances.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "d")])
    >>> systems = {"deep": [["c", "d"]], "high": [["a"]], "none": [[]]}
    >>> scores = score(tree, [["b"]], systems, ["hp", "hr", "hf"])
    >>> round(agreement(scores)["hp", "hr"], 3)
    0.333
    >>> decisions = agreement(scores, of="instances")
    >>> decisions.evidence["reversed_share"][0].round(2).tolist()
    [0.0, 0.33, 0.0]
    """
    check_choice("of", of, ("systems", "instances"))
    check_known("coefficient", coefficient, COEFFICIENTS)
    if of == "instances" and coefficient != "kendall_b":
        raise BadInput(
            f"over instances the coefficient is kendall_b, since values are tied; got {coefficient}"
        )
    check_whole(0, n_bootstrap=n_bootstrap, seed=seed)
    check_share(level=level)
    check_jobs(n_jobs)
    joined = on_common(scores_of(scores, "a ranking needs at least two systems"))
    notes = common_notes(joined)
    if of == "instances":
        return _of_instances(joined, notes)
    upwards = (defined(joined).values * signs_of(joined.measures)).T
    values = rank_correlations(upwards[None], coefficient)[0]
    evidence, drawn = dict[str, Any](), dict[str, Any]()
    if n_bootstrap:
        evidence, lacking = _evidence(joined, coefficient, n_bootstrap, level, seed, n_jobs)
        drawn = {"bootstrap": n_bootstrap, "level": level, "seed": seed}
        notes += lacking
    n, names = len(joined.systems), tuple(m.name for m in joined.measures)
    title = f"{COEFFICIENTS[coefficient]} between rankings of {n} systems"
    signature = pinned("agreement", of="systems", coefficient=coefficient, **drawn)
    return Agreement(
        names, tuple(joined.signatures), title, values, evidence, {"n_systems": n}, signature,
        tuple(notes),
    )  # fmt: skip


def _evidence(
    scores: Scores, coefficient: str, n_bootstrap: int, level: float, seed: int, n_jobs: int
) -> tuple[dict[str, Any], list[str]]:
    """Return what stands beside the correlations of all pairs of measures, and what is lacking."""
    m, n = len(scores.measures), len(scores.systems)
    pairs, turned = all_pairs(n), signs_of(scores.measures)
    upwards = (scores.values * turned).T
    signs = pair_signs(upwards, pairs)
    accuracy = np.array([(signs == one).mean(axis=1) for one in signs])
    ap = np.array([[tau_ap(x, y) for y in upwards] for x in upwards])
    known, lacking = samples_of(scores, [*groups_of(scores).values()])
    kept, samples = [*known], [*known.values()]
    at, soft = np.ix_(kept, kept), np.full((m, m), np.nan)
    weights: dict[str, Any] = {"": None}
    if n >= MANY_SYSTEMS and coefficient != "spearman":
        drawn = stream(seed, SYSTEMS).integers(0, n, (n_bootstrap, n))
        weights["system_"] = multiplicities(drawn, n)
    ends = {side + end: np.full((m, m), np.nan) for side in weights for end in ("low", "high")}
    if samples:
        rounds = bootstrap(samples, n_bootstrap, seed, n_jobs) * turned[kept, None, None]
        for side, of in weights.items():
            found = rank_correlations(rounds.swapaxes(0, 1), coefficient, of)
            ends[side + "low"][at], ends[side + "high"][at] = bootstrap_interval(found, level)
        p = exchange_p_values(samples, pairs, n_bootstrap, seed, n_jobs)
        one_sided = 0.5 + 0.5 * signs[kept] * (p - 1)
        soft[at] = [1 - np.abs(one_sided - one).mean(axis=1) for one in one_sided]
    left = np.full((1, m, m), np.nan)
    if n > 2:
        others = np.array([np.delete(upwards, i, axis=1) for i in range(n)])
        left = rank_correlations(others, coefficient)
    beside = {
        "left_out_low": np.fmin.reduce(left), "left_out_high": np.fmax.reduce(left),
        "accuracy": accuracy, "soft_accuracy": soft, "tau_ap": ap, "turned": ap.T,
    }  # fmt: skip
    return ends | beside, [f"no interval: {line}" for line in lacking]


def _of_instances(scores: Scores, notes: list[str]) -> Agreement:
    """Return how far measures order the answers to instances alike."""
    from scipy.stats import kendalltau

    refused = {
        "needs the value of every instance, and a partial keeps sums": scores.partial,
        "counts every instance once, and these scores have sample weights": scores.weight,
    }
    for why, thing in refused.items():
        if thing is not None:
            raise BadInput(
                f"agreement over instances {why}; use of='systems' (--of systems), or score the "
                "labels of all instances without weights"
            )
    cube = np.stack([scores.per_instance[s] for s in scores.systems], axis=2)
    cube = cube * signs_of(scores.measures)[:, None]
    known = np.asarray(~np.isnan(cube).any(axis=(1, 2)))
    cube = cube[known].transpose(1, 2, 0)  # measures × systems × instances
    n_measures, n_systems, n = cube.shape
    if not n:
        raise BadInput(
            "no instance has a value under all measures and systems; leave out measures that are "
            "not defined for them"
        )
    if n < len(known):
        some = f"{n:,} of {len(known):,} instances"
        notes = [*notes, f"{some}: those with a value under all measures and systems"]
    flat = [rounded_to(of, np.abs(of).max()) for of in cube.reshape(n_measures, -1)]
    values = np.where([(of == of[0]).all() for of in flat], np.nan, np.eye(n_measures))
    for i, k in all_pairs(n_measures).tolist():
        values[i, k] = values[k, i] = kendalltau(flat[i], flat[k]).statistic
    both, agreed_more = np.zeros((2, n_measures, n_measures), dtype=np.int64)
    pairs = all_pairs(n_systems).tolist()
    for one, other in pairs:
        signs = np.sign([differences_of(of[one], of[other]) for of in cube])
        both += (np.abs(signs) @ np.abs(signs).T).astype(np.int64)
        agreed_more += (signs @ signs.T).astype(np.int64)
    n_decisions = n * len(pairs)
    first_only = np.diag(both)[:, None] - both
    neither, turned = n_decisions - both - first_only - first_only.T, (both - agreed_more) // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        discriminancy = first_only / first_only.T
    evidence = {
        "both": both, "reversed": turned, "first_only": first_only, "other_only": first_only.T,
        "neither": neither, "reversed_share": ratio(turned, both), "discriminancy": discriminancy,
        "indifferency": neither / n_decisions,
        "decided": np.where(np.eye(n_measures), both, first_only) / n_decisions,
    }  # fmt: skip
    told = (
        f"{n_decisions:,} decisions: {n:,} instances × pairs of {n_systems} systems; one is made "
        "where the two values differ"
    )
    title = f"Kendall's tau-b of the values of {n:,} instances and {n_systems} systems"
    counts = {"n_decisions": n_decisions, "n_instances": n, "n_systems": n_systems}
    return Agreement(
        tuple(m.name for m in scores.measures), tuple(m.of_instance for m in scores.measures),
        title, values, evidence, counts,
        pinned("agreement", of="instances", coefficient="kendall_b"), (told, *notes),
    )  # fmt: skip
