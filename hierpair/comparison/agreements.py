"""How far measures agree: on the order of systems, or on the answers to instances."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hierpair.comparison.analysis import Analysis, check_share, check_whole
from hierpair.comparison.common_scores import (
    Given,
    common_notes,
    defined,
    groups_of,
    joined_scores,
    of_partial,
    on_common,
    samples_of,
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
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.tables.records import Block, Form, Records, pinned
from hierpair.tables.result import View, down, flattened, rounded

if TYPE_CHECKING:
    import pandas as pd

MANY_SYSTEMS = 10
"""With so many systems they are resampled, too."""

SYSTEMS = 2
"""Stream of random numbers, beside those of resampling."""


@dataclass(frozen=True, eq=False)
class SystemEvidence:
    """What stands beside the correlation of two measures; all matrices are measures × measures.

    Attributes
    ----------
    low, high
        Percentile interval of the correlation over instances that are resampled with
        replacement, the same for all systems and both measures; nan where it cannot be told.
    system_low, system_high
        The same with systems resampled, too, and no system compared with itself; None for few
        systems.
    left_out_low, left_out_high
        Least and largest correlation if one system is left out; nan for two systems.
    accuracy
        Share of the pairs of systems that both measures put in the same order, or both tie.
    soft_accuracy
        One minus the mean absolute difference of the one-sided p-values of the pairs (Thompson et
        al. 2024), from the paired sign-flip test; nan where it cannot be told.
    tau_ap
        AP correlation of the measure of the row with that of the column, which is taken as right.
    n_bootstrap, level, seed
        Rounds, also of exchanges; level of the intervals; of the random numbers.
    """

    low: Floats
    high: Floats
    system_low: Floats | None
    system_high: Floats | None
    left_out_low: Floats
    left_out_high: Floats
    accuracy: Floats
    soft_accuracy: Floats
    tau_ap: Floats
    n_bootstrap: int
    level: float
    seed: int


ROUNDED = 12
"""Decimals of distances: what differs by rounding alone is joined as if it were equal."""


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(Analysis):
    """Measures joined step by step, those that agree most first.

    The distance of two measures is 1 less their correlation, that of two clusters the mean over all
    pairs between them (average linkage, UPGMA).

    Attributes
    ----------
    measures
        Names of the measures.
    values
        Their correlations.
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
    values: Floats
    linkage: Floats
    order: tuple[int, ...]
    cophenetic: float
    about: str
    signatures: tuple[str, ...]

    decimals = 3
    table = "merges"
    told = ("about", "measures", "order=ordered", "cophenetic")

    def cut(self, distance: float) -> list[list[str]]:
        """Return the clusters whose measures are joined up to this distance, the largest first."""
        from scipy.cluster.hierarchy import fcluster

        labels = fcluster(self.linkage, distance, criterion="distance")
        groups: dict[int, list[str]] = {}
        for k in self.order:
            groups.setdefault(int(labels[k]), []).append(self.measures[k])
        return sorted(groups.values(), key=len, reverse=True)

    @property
    def merges(self) -> list[tuple[list[str], list[str], float]]:
        """The two clusters of every step, and their distance."""
        members, found = [[name] for name in self.measures], []
        for one, other, distance, _ in self.linkage.tolist():
            found.append((members[int(one)], members[int(other)], distance))
            members.append(members[int(one)] + members[int(other)])
        return found

    @property
    def notes(self) -> list[str]:
        """What the distances are, and how well the clusters tell them."""
        return [
            f"average linkage on 1 − {self.about}; cophenetic correlation "
            f"{self.cophenetic:.3f}: where a cut is made is a choice"
        ]

    @property
    def ordered(self) -> list[str]:
        """The measures in the order of a dendrogram."""
        return [self.measures[k] for k in self.order]

    def views(self, form: Form, look: TableLook) -> list[Block]:
        """Return a row for every two clusters that are joined."""
        heads = self.heads(form)
        rows = [[d, *(", ".join(heads[m] for m in of) for of in both)] for *both, d in self.merges]
        return [rounded(["distance", "cluster", "joined with"], rows, look.decimals, align="rll")]

    def records(self) -> Records:
        """Return a record for every two clusters that are joined."""
        rows = [
            [d, " ".join(a), " ".join(b), self.cophenetic, self.about] for a, b, d in self.merges
        ]
        return Records(["distance", "cluster", "joined_with", "cophenetic", "about"], rows)


class OfMeasures(Analysis):
    """A correlation for every two of several measures; ``title`` says what it is."""

    measures: tuple[str, ...]
    values: Floats
    title: str

    decimals = 3
    table = "pairs"
    told = ("signature", "title", "notes", "measures", "values")

    def places(self, *names: str) -> tuple[int, ...]:
        """Return the numbers of measures."""
        for name in names:
            check_known("measure", name, self.measures)
        return tuple(map(self.measures.index, names))

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return the correlation of two measures, by name."""
        return float(self.values[self.places(*key)])

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
        distances = np.round(1 - (values + values.T) / 2, ROUNDED)
        np.fill_diagonal(distances, 0.0)
        condensed = np.maximum(squareform(distances), 0.0)
        joined = linkage(condensed, "average")
        heights = cophenet(joined)
        varied = len(condensed) > 1 and np.ptp(condensed) > 0 and np.ptp(heights) > 0
        fit = float(np.corrcoef(condensed, heights)[0, 1]) if varied else np.nan
        order = tuple(leaves_list(joined).tolist())
        signatures = tuple(self.signatures)
        return Clusters(measures, values, joined, order, fit, self.title, signatures)

    def to_dataframe(self, **_: Any) -> pd.DataFrame:
        """Return a pandas DataFrame of the correlations, measures × measures."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.measures), columns=list(self.measures))

    def flat(self, **columns: Any) -> Records:
        """Return matrices as records, one per two measures."""
        pinned = {"measure": down(self.measures), "other": self.measures}
        return flattened(self.values.shape, **pinned, **columns)

    def matrix(self, matrix: Floats, form: Form, title: str) -> View:
        """Return a view of a matrix, measures × measures."""
        records, heads = self.flat(value=matrix), self.heads(form)
        return View(records, "measure", "other", heads=heads, title=title, corner="")


EXPLAINED = (
    "interval: instances are resampled, the same for all systems and both measures (over systems, "
    "too: systems as well); one left out: least and largest value without one of the systems",
    "accuracy: share of the pairs of systems in the same order; soft: 1 − mean difference of their "
    "one-sided p-values; tau_AP: errors at the top count more, the other one is taken as right; "
    "turned: the first one is",
)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(OfMeasures):
    """Rank correlations between the rankings that measures induce.

    Attributes
    ----------
    measures
        Names of the measures.
    values
        Square matrix; NaN where a measure cannot tell any systems apart.
    coefficient
        A name in :data:`COEFFICIENTS`.
    n_systems
        Systems that were ranked.
    signatures
        One line per measure that pins all its conventions.
    notes
        Measures whose systems are ranked on some of the instances only, or that have no interval.
    evidence
        Intervals, systems left out, pairwise accuracy and AP correlation; None if no rounds were
        asked for.
    """

    measures: tuple[str, ...]
    values: Floats
    coefficient: str
    n_systems: int
    signatures: tuple[str, ...]
    notes: tuple[str, ...] = ()
    evidence: SystemEvidence | None = None

    def interval(self, one: str, other: str) -> tuple[float, float]:
        """Return the interval of the correlation of two measures over resampled instances.

        Raises
        ------
        BadInput
            If no rounds were asked for, or for an unknown measure.
        """
        if self.evidence is None:
            raise BadInput("no intervals were computed; ask for rounds (n_bootstrap=2000)")
        at = self.places(one, other)
        return float(self.evidence.low[at]), float(self.evidence.high[at])

    @property
    def title(self) -> str:  # type: ignore[override]  # elsewhere a field
        """What the numbers are."""
        return f"{COEFFICIENTS[self.coefficient]} between rankings of {self.n_systems} systems"

    @property
    def signature(self) -> str:
        """One line that pins how it was computed, with the seed."""
        e = self.evidence
        drawn = {"bootstrap": e.n_bootstrap, "level": e.level, "seed": e.seed} if e else {}
        return pinned("agreement", of="systems", coefficient=self.coefficient, **drawn)

    def views(self, form: Form, look: TableLook, *, pairs: bool = False) -> list[Any]:
        """Return the matrix and, with ``pairs``, all that is known of every two measures."""
        e, matrix = self.evidence, self.matrix(self.values, form, self.title)
        if e is None or not pairs:
            return [matrix]
        columns: dict[str, list[Any]] = {
            "value": [self.values], "interval": [e.low, e.high],
            "over systems, too": [e.system_low, e.system_high],
            "one left out": [e.left_out_low, e.left_out_high], "accuracy": [e.accuracy],
            "soft": [e.soft_accuracy], "tau_AP": [e.tau_ap], "turned": [e.tau_ap.T],
        }  # fmt: skip
        known = {name: sides for name, sides in columns.items() if sides[0] is not None}
        names = [*self.heads(form).values()]
        rows = [
            [names[i], names[k], *(tuple(x[i, k] for x in sides) for sides in known.values())]
            for i, k in all_pairs(len(names)).tolist()
        ]
        align = "ll" + "r" * len(known)
        header, title = ["measure", "other", *known], "Pairs of measures"
        table = rounded(header, rows, look.decimals, title, align=align)
        return [matrix, table, *EXPLAINED, self.signature]

    def records(self) -> Records:
        """Return a record per two measures."""
        e = self.evidence
        beside = {f.name: getattr(e, f.name) for f in fields(e)[:9]} if e else {}
        return self.flat(
            coefficient=self.coefficient, value=self.values, n_systems=self.n_systems,
            signature=down(self.signatures), signature_other=list(self.signatures), **beside,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class InstanceAgreement(OfMeasures):
    """What measures say of instances: correlation of values, and of decisions between systems.

    A *decision* is about an instance and two systems; a measure makes it if their values differ.
    Matrices are measures × measures.

    Attributes
    ----------
    measures, signatures
        Names of the measures; a line for each that pins its conventions.
    values
        Kendall's tau-b of the values over all (instance, system); nan where all are equal.
    both, first_only, neither
        How many decisions both make, the measure of the row alone, and none of them.
    reversed_
        How many of those that both make they make the other way round.
    n_decisions, n_instances, n_systems
        Decisions there are: instances × pairs of systems.
    notes
        What has to be known beside the numbers.
    """

    measures: tuple[str, ...]
    signatures: tuple[str, ...]
    values: Floats
    both: Ints
    first_only: Ints
    neither: Ints
    reversed_: Ints
    n_decisions: int
    n_instances: int
    n_systems: int
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:  # type: ignore[override]  # elsewhere a field
        """What the correlations are."""
        return (
            f"Kendall's tau-b of the values of {self.n_instances:,} instances and "
            f"{self.n_systems} systems"
        )

    @property
    def decided(self) -> Floats:
        """Share of the decisions that each measure makes."""
        return np.diag(self.both) / self.n_decisions

    @property
    def reversed_share(self) -> Floats:
        """Share reversed of the decisions that both make: 1 − consistency (Huang and Ling 2005)."""
        return ratio(self.reversed_, self.both)

    @property
    def discriminancy(self) -> Floats:
        """Decisions that the row alone makes for one that the column alone makes (the same).

        Infinite where the column makes none that the row does not make, nan where neither does.
        """
        found = ratio(self.first_only, self.first_only.T)
        found[(self.first_only.T == 0) & (self.first_only > 0)] = np.inf
        return found

    @property
    def indifferency(self) -> Floats:
        """Share of the decisions that neither makes (the same)."""
        return self.neither / self.n_decisions

    @property
    def signature(self) -> str:
        """One line that says how it was computed; nothing is drawn."""
        return pinned("agreement", of="instances", coefficient="kendall_b")

    def views(self, form: Form, look: TableLook) -> list[View]:
        """Return three matrices: correlations, what is reversed, and what is decided."""
        alone = self.first_only / self.n_decisions + np.diag(self.decided)
        every = {self.title: self.values, REVERSED: self.reversed_share, ALONE: alone}
        return [self.matrix(matrix, form, title) for title, matrix in every.items()]

    def records(self) -> Records:
        """Return a record per two measures."""
        return self.flat(
            kendall_b=self.values, n_decisions=self.n_decisions, both=self.both,
            reversed=self.reversed_, first_only=self.first_only, other_only=self.first_only.T,
            neither=self.neither, reversed_share=self.reversed_share,
            discriminancy=self.discriminancy, indifferency=self.indifferency,
            n_instances=self.n_instances, n_systems=self.n_systems,
            signature=down(self.signatures), signature_other=list(self.signatures),
        )  # fmt: skip


REVERSED = "reversed, share of the decisions that both make"
ALONE = "decided by the row alone, share of all; diagonal: by it at all"


def agreement(
    scores: Given,
    coefficient: str = "kendall_b",
    *,
    of: Literal["instances", "systems"] = "systems",
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> Any:
    """Return how far measures agree: on the order of systems, or on the answers to instances.

    Parameters
    ----------
    scores
        Scores of at least two systems, partials, or a list of these.
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
    Agreement or InstanceAgreement
        Over systems, or over instances; both have ``clusters()``.

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
    >>> decisions.decided.round(2).tolist(), decisions.reversed_share[0].round(2).tolist()
    ([1.0, 1.0, 0.67], [0.0, 0.33, 0.0])
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
    joined = on_common(joined_scores(scores, "a ranking needs at least two systems"))
    notes = common_notes(joined)
    if of == "instances":
        return _of_instances(joined, notes)
    upwards = (defined(joined).values * signs_of(joined.measures)).T
    values = rank_correlations(upwards[None], coefficient)[0]
    names, signatures = tuple(m.name for m in joined.measures), tuple(joined.signatures)
    evidence = None
    if n_bootstrap:
        evidence, lacking = _evidence(joined, coefficient, n_bootstrap, level, seed, n_jobs)
        notes += lacking
    n = len(joined.systems)
    return Agreement(names, values, coefficient, n, signatures, tuple(notes), evidence)


def _evidence(
    scores: Scores, coefficient: str, n_bootstrap: int, level: float, seed: int, n_jobs: int
) -> tuple[SystemEvidence, list[str]]:
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
    over_systems = n >= MANY_SYSTEMS and coefficient != "spearman"
    ends: Any = np.full((2, 2, m, m), np.nan)  # over instances; over systems and instances
    if samples:
        rounds = bootstrap(samples, n_bootstrap, seed, n_jobs) * turned[kept, None, None]
        weights: list[Any] = [None]
        if over_systems:
            drawn = stream(seed, SYSTEMS).integers(0, n, (n_bootstrap, n))
            weights.append(multiplicities(drawn, n))
        for side, of in zip(ends, weights, strict=False):
            values = rank_correlations(rounds.swapaxes(0, 1), coefficient, of)
            side[0][at], side[1][at] = bootstrap_interval(values, level)
        p = exchange_p_values(samples, pairs, n_bootstrap, seed, n_jobs)
        one_sided = 0.5 + 0.5 * signs[kept] * (p - 1)
        soft[at] = [1 - np.abs(one_sided - one).mean(axis=1) for one in one_sided]
    left = np.full((1, m, m), np.nan)
    if n > 2:
        others = np.array([np.delete(upwards, i, axis=1) for i in range(n)])
        left = rank_correlations(others, coefficient)
    (low, high), of_systems = ends[0], ends[1] if over_systems else (None, None)
    return SystemEvidence(
        low, high, of_systems[0], of_systems[1], np.fmin.reduce(left), np.fmax.reduce(left),
        accuracy, soft, ap, n_bootstrap, level, seed,
    ), [f"no interval: {line}" for line in lacking]  # fmt: skip


def _of_instances(scores: Scores, notes: list[str]) -> InstanceAgreement:
    """Return how far measures order the answers to instances alike."""
    from scipy.stats import kendalltau

    refused = {
        "needs the value of every instance, and a partial keeps sums": of_partial(scores),
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
    told = (
        f"{n_decisions:,} decisions: {n:,} instances × pairs of {n_systems} systems; one is made "
        "where the two values differ"
    )
    return InstanceAgreement(
        tuple(m.name for m in scores.measures), tuple(m.of_instance for m in scores.measures),
        values, both, first_only, n_decisions - both - first_only - first_only.T,
        (both - agreed_more) // 2, n_decisions, n, n_systems, (told, *notes),
    )  # fmt: skip
