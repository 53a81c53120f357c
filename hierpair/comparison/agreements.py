"""How far measures agree: on the order of systems, or on the answers to instances."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hierpair.comparison.analysis import Analysis, check_share, check_whole, pinned
from hierpair.comparison.common_scores import (
    Given,
    common_notes,
    defined,
    groups_of,
    joined_scores,
    of_partial,
    on_common,
    sample_of,
    signs_of,
    with_blocks,
)
from hierpair.comparison.correlations import (
    COEFFICIENTS,
    Clusters,
    clustered,
    pair_signs,
    rank_correlations,
    spearman_rho,
    tau_ap,
)
from hierpair.comparison.samples import Sample, bootstrap, exchange_p_values, multiplicities, stream
from hierpair.comparison.statistics import (
    all_pairs,
    differences_of,
    percentile_interval,
    rounded_to,
)
from hierpair.errors import BadInput, check_choice, unknown
from hierpair.evaluation.looks import Look
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import View, down, flattened, plain

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


class OfMeasures(Analysis):
    """A correlation for every two of several measures; ``title`` says what it is."""

    measures: tuple[str, ...]
    values: Floats
    title: str

    decimals = 3
    table = "pairs"
    told = ("signature", "title", "notes", "measures", "values")

    def _places(self, key: tuple[str, str]) -> tuple[int, ...]:
        for name in key:
            if name not in self.measures:
                raise unknown("measure", name, self.measures)
        return tuple(map(self.measures.index, key))

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return the correlation of two measures, by name."""
        return float(self.values[self._places(key)])

    def clusters(self) -> Clusters:
        """Return the measures in clusters, by average linkage on 1 less their correlation."""
        return clustered(self.measures, self.values, self.title, tuple(self.signatures))

    def to_dataframe(self, **_: Any) -> pd.DataFrame:
        """Return a pandas DataFrame of the correlations, measures × measures."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.measures), columns=list(self.measures))

    def flat(self, **columns: Any) -> Records:
        """Return matrices as records, one per two measures."""
        pinned = {"measure": down(self.measures), "other": self.measures}
        return flattened(self.values.shape, **pinned, **columns)

    def matrix(self, matrix: Floats, form: Form, title: str = "") -> View:
        """Return a view of a matrix, measures × measures."""
        records, heads = self.flat(value=matrix), self.heads(form)
        return View(records, ("measure",), "other", heads=heads, title=title, corner="")


EXPLAINED = [
    "interval: instances are resampled, the same for all systems and both measures (over systems, "
    "too: systems as well); one left out: least and largest value without one of the systems",
    "accuracy: share of the pairs of systems in the same order; soft: 1 − mean difference of their "
    "one-sided p-values; tau_AP: errors at the top count more, the other one is taken as right; "
    "turned: the first one is",
]


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
        at = self._places((one, other))
        return float(self.evidence.low[at]), float(self.evidence.high[at])

    @property
    def title(self) -> str:  # type: ignore[override]  # elsewhere a field
        """What the numbers are."""
        return f"{COEFFICIENTS[self.coefficient]} between rankings of {self.n_systems} systems"

    @property
    def signature(self) -> str:
        """One line that pins how it was computed, with the seed."""
        e = self.evidence
        drawn = {} if e is None else {"bootstrap": e.n_bootstrap, "level": e.level, "seed": e.seed}
        return pinned("agreement", of="systems", coefficient=self.coefficient, **drawn)

    def content(
        self,
        digits: int | None = None,
        *,
        pairs: bool = False,
        caption: str | None = None,
        label: str | None = None,
    ) -> Content:
        """Return what is shown: the matrix (with 3 decimals), and a record per two measures.

        With ``pairs`` people see a row per two measures, too, with all that stands beside their
        correlation.
        """
        e = self.evidence if pairs and len(self.measures) > 1 else None

        def views(form: Form, look: Look) -> list[View | Block]:
            table = [self._pairs(e, form, look.decimals)] if e is not None else []
            return [self.matrix(self.values, form), *table]

        after = [] if e is None else [*EXPLAINED, self.signature]
        look = self.look(digits, caption, label)
        return self.shown_by(look, views, before=[self.title], after=after)

    def _pairs(self, e: SystemEvidence, form: Form, digits: int) -> Block:
        """Return a row per two measures, of all that is known of them."""
        columns: dict[str, list[Any]] = {
            "value": [self.values], "interval": [e.low, e.high],
            "over systems, too": [e.system_low, e.system_high],
            "one left out": [e.left_out_low, e.left_out_high], "accuracy": [e.accuracy],
            "soft": [e.soft_accuracy], "tau_AP": [e.tau_ap], "turned": [e.tau_ap.T],
        }  # fmt: skip
        if e.system_low is None:
            del columns["over systems, too"]
        names, rows = [*self.heads(form).values()], []
        for i, k in all_pairs(len(names)).tolist():
            told = [[plain(float(x[i, k]), digits) for x in sides] for sides in columns.values()]
            cells = ["–" if texts[0] == "–" else " … ".join(texts) for texts in told]
            rows.append([names[i], names[k], *cells])
        align = "ll" + "r" * len(columns)
        return Block(["measure", "other", *columns], rows, "Pairs of measures", align=align)

    def records(self) -> Records:
        """Return a record per two measures."""
        e = self.evidence
        beside = {} if e is None else {f.name: getattr(e, f.name) for f in fields(e)[:9]}
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
        shares: Floats = self.neither / self.n_decisions
        return shares

    @property
    def signature(self) -> str:
        """One line that says how it was computed; nothing is drawn."""
        return pinned("agreement", of="instances", coefficient="kendall_b")

    def views(self, form: Form, look: Look) -> list[View]:
        """Return three matrices: correlations, what is reversed, and what is decided."""
        alone = self.first_only / self.n_decisions
        np.fill_diagonal(alone, self.decided)
        every = {self.title: self.values, REVERSED: _percents(self.reversed_share),
                 ALONE: _percents(alone)}  # fmt: skip
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


REVERSED = "reversed, % of the decisions that both make"
ALONE = "decided by the row alone, % of all; diagonal: by it at all"


def _percents(matrix: Floats) -> Any:
    """Return shares as texts in per cent."""
    return np.array([[plain(x, 1) for x in row] for row in (100 * matrix).tolist()], dtype=object)


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
        Rounds, also of exchanges for soft pairwise accuracy; 0: the correlations alone.
    level, seed
        Of the intervals; of the random numbers.
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
    if coefficient not in COEFFICIENTS:
        raise unknown("coefficient", coefficient, COEFFICIENTS)
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
    if coefficient == "spearman":
        values = np.array([[spearman_rho(x, y) for y in upwards] for x in upwards])
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
    found, notes = _samples(scores)
    kept, samples = [*found], [*found.values()]
    at, soft = np.ix_(kept, kept), np.full((m, m), np.nan)
    # ends of intervals over instances, and over systems and instances
    ends = [np.full((2, m, m), np.nan)]
    if samples:
        rounds = bootstrap(samples, n_bootstrap, seed, n_jobs) * turned[kept, None, None]
        weights: list[Any] = [None]
        if n >= MANY_SYSTEMS and coefficient != "spearman":
            drawn = stream(seed, SYSTEMS).integers(0, n, (n_bootstrap, n))
            weights, ends = [None, multiplicities(drawn, n)], [ends[0], ends[0].copy()]
        for side, of in zip(ends, weights, strict=True):
            values = rank_correlations(rounds.swapaxes(0, 1), coefficient, of)
            for end, found_end in zip(side, percentile_interval(values, level), strict=True):
                end[at] = found_end
        p = exchange_p_values(samples, pairs, n_bootstrap, seed, n_jobs)
        one_sided = 0.5 + 0.5 * signs[kept] * (p - 1)
        soft[at] = [1 - np.abs(one_sided - one).mean(axis=1) for one in one_sided]
    left = np.full((1, m, m), np.nan)
    if n > 2:
        others = np.array([np.delete(upwards, i, axis=1) for i in range(n)])
        left = rank_correlations(others, coefficient)
    (low, high), of_systems = ends[0], ends[1] if len(ends) > 1 else (None, None)
    evidence = SystemEvidence(
        low, high, of_systems[0], of_systems[1], np.fmin.reduce(left), np.fmax.reduce(left),
        accuracy, soft, ap, n_bootstrap, level, seed,
    )  # fmt: skip
    return evidence, notes


def _samples(scores: Scores) -> tuple[dict[int, Sample], list[str]]:
    """Return the samples of measures that can be resampled, and why others cannot be."""
    groups, found, notes = [*groups_of(scores).values()], dict[int, Sample](), list[str]()
    known = scores.measures
    try:
        if of_partial(scores) is not None:
            cut, lines = with_blocks(scores)
            known, notes = cut.measures, [f"no interval: {line}" for line in lines]
    except BadInput as error:
        return {}, [f"no intervals: {error}"]
    for k in (k for k, m in enumerate(scores.measures) if m in known):
        try:
            found[k] = sample_of(scores, k, groups)
        except BadInput as error:
            notes.append(f"no interval: {error}")
    return found, notes


def _of_instances(scores: Scores, notes: list[str]) -> InstanceAgreement:
    """Return how far measures order the answers to instances alike."""
    from scipy.stats import kendalltau

    if of_partial(scores) is not None:
        raise BadInput(
            "agreement over instances needs the value of every instance, and a partial keeps sums "
            "alone; use of='systems' (--of systems), or score the labels of all instances"
        )
    if scores.weight is not None:
        raise BadInput(
            "agreement over instances counts every instance once, and these scores have sample "
            "weights; score without them, or use of='systems' (--of systems)"
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
        notes = [
            *notes,
            f"{n:,} of {len(known):,} instances: those with a value under all measures and systems",
        ]
    flat = [rounded_to(of, float(np.abs(of).max())) for of in cube.reshape(n_measures, -1)]
    values = np.where([(of == of[0]).all() for of in flat], np.nan, np.eye(n_measures))
    for i, k in all_pairs(n_measures).tolist():
        values[i, k] = values[k, i] = kendalltau(flat[i], flat[k]).statistic
    sums = np.zeros((4, n_measures, n_measures))
    pairs = all_pairs(n_systems).tolist()
    for one, other in pairs:
        signs = np.sign([differences_of(of[one], of[other]) for of in cube])
        made, none = np.abs(signs), 1 - np.abs(signs)
        sums += [made @ made.T, signs @ signs.T, made @ none.T, none @ none.T]
    both, agreed_more, first_only, neither = sums.astype(np.int64)
    n_decisions = n * len(pairs)
    told = (
        f"{n_decisions:,} decisions: {n:,} instances × pairs of {n_systems} systems; one is made "
        "where the two values differ"
    )
    return InstanceAgreement(
        tuple(m.name for m in scores.measures), tuple(m.of_instance for m in scores.measures),
        values, both, first_only, neither, (both - agreed_more) // 2, n_decisions, n, n_systems,
        (told, *notes),
    )  # fmt: skip
