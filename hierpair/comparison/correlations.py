"""How far measures agree: on the order of systems, or on the answers to instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hierpair._version import __version__
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
from hierpair.comparison.resampling import bootstrap, exchange_p_values, multiplicities, stream
from hierpair.comparison.samples import PAIR_CELLS, Sample, pieces
from hierpair.comparison.statistics import (
    Plan,
    all_pairs,
    differences_of,
    percentile_interval,
    rounded_to,
)
from hierpair.errors import BadInput, check_choice, counted, unknown
from hierpair.evaluation.looks import Look, heading_of
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import Found, View, down, flattened, plain
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Agreement", "Clusters", "InstanceAgreement", "SystemEvidence", "agreement", "correlations",
    "kendall_tau", "pair_signs", "spearman_rho", "tau_ap",
]  # fmt: skip

MANY_SYSTEMS = 10
"""With so many systems they are resampled, too."""

SYSTEMS = 2
"""Stream of random numbers, beside those of resampling."""

ROUNDED = 12
"""Decimals of distances: what differs by rounding alone is joined as if it were equal."""


# ------------------------------------------------------------------------- rank correlations


def kendall_tau(x: ArrayLike, y: ArrayLike, variant: Literal["a", "b"] = "b") -> float:
    """Kendall's rank correlation of two rankings of the same systems.

    Parameters
    ----------
    x, y
        One number per system, higher is better in both: turn the sign of errors and ranks.
    variant
        ``"b"``: (C − D) / √((n₀ − n₁)(n₀ − n₂)), with the pairs tied in ``x`` or ``y`` taken out
        of n₀ = n(n − 1)/2; ``"a"``: (C − D) / n₀.

    Returns
    -------
    float
        In [−1, 1]; NaN if there is nothing to compare (all systems tied, or fewer than two).

    Raises
    ------
    BadInput
        If the lengths differ, a number is NaN, or the variant is unknown.

    References
    ----------
    Kendall 1938; the published tables of Kosmopoulos et al. 2014 are tau-b of the scores.

    Examples
    --------
    >>> x, y = [3, 2, 1], [3, 1, 1]
    >>> round(kendall_tau(x, y), 4), round(kendall_tau(x, y, "a"), 4)
    (0.8165, 0.6667)
    """
    a, b = _checked(x, y)
    if variant not in ("a", "b"):
        raise BadInput(f"variant must be 'a' or 'b', got {variant!r}")
    signs = pair_signs(np.stack([a, b])[None], all_pairs(len(a)))
    return float(correlations(signs, variant)[0, 0, 1])


def spearman_rho(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's correlation of the (mean) ranks.

    Parameters, range and errors are those of :func:`kendall_tau`.

    Examples
    --------
    >>> round(spearman_rho([3, 2, 1], [3, 1, 1]), 4)
    0.866
    """
    a, b = _checked(x, y)
    if len(a) < 2 or (a == a[0]).all() or (b == b[0]).all():
        return float("nan")
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)


def _checked(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise BadInput(f"two rankings need one number per system each, got {a.shape}, {b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        raise BadInput("a ranking cannot hold nan")
    return a, b


COEFFICIENTS: dict[str, tuple[str, Callable[[ArrayLike, ArrayLike], float]]] = {
    "kendall_b": ("Kendall's tau-b", kendall_tau),
    "kendall_a": ("Kendall's tau-a", lambda x, y: kendall_tau(x, y, "a")),
    "spearman": ("Spearman's rho", spearman_rho),
}
"""Rank correlations: what they are called, and how they are computed."""


def tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """AP correlation of a ranking with one that is held for true: errors at the top count more.

    2 / (n − 1) · Σ C(i) / (i − 1) − 1 over the ranks i ≥ 2 of ``x``, with C(i) the systems above
    rank i that ``y`` also puts above that one (Yilmaz, Aslam and Robertson 2008). Where ``y`` has a
    tie half a system counts; of systems tied in ``x`` it is the mean over all their orders.

    Parameters
    ----------
    x, y
        One number per system, higher is better in both. The two are not exchangeable.

    Returns
    -------
    float
        In [−1, 1]; NaN for fewer than two systems.

    Examples
    --------
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.3333, 0.7778)
    """
    a, b = _checked(x, y)
    n = len(a)
    if n < 2:
        return float("nan")
    right = 0.5 * (1 + np.sign(b[:, None] - b))  # whether y puts the row above the column
    levels = np.unique(-a)
    total = 0.0
    for level in levels:
        tied, above = -a == level, -a < level
        n_above, n_tied = int(above.sum()), int(tied.sum())
        of_above = float(right[np.ix_(above, tied)].sum()) / n_tied
        within = np.arange(n_tied)  # tied systems are in either order equally often
        total += float(ratio(of_above + 0.5 * within, n_above + within, 0.0).sum())
    return 2 * total / (n - 1) - 1


# ------------------------------------------------------------------------------------ results


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(Found):
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

    def __repr__(self) -> str:
        return (
            f"Clusters({counted(len(self.measures), 'measure')}, "
            f"cophenetic correlation {self.cophenetic:.3f})"
        )

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
        members = [[name] for name in self.measures]
        found = []
        for one, other, distance, _ in self.linkage.tolist():
            a, b = members[int(one)], members[int(other)]
            members.append(a + b)
            found.append((a, b, distance))
        return found

    @property
    def notes(self) -> list[str]:
        """What the distances are, and how well the clusters tell them."""
        return [
            f"average linkage on 1 − {self.about}; cophenetic correlation "
            f"{self.cophenetic:.3f}: where a cut is made is a choice"
        ]

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown: a row for every two clusters that are joined."""
        look = Look(3 if digits is None else digits, caption=caption, label=label)

        def views(form: Form) -> tuple[list[Block], list[str]]:
            def named(names: list[str]) -> str:
                return ", ".join(heading_of(name, typeset=form.typeset) for name in names)

            rows = [[plain(d, look.decimals), named(a), named(b)] for a, b, d in self.merges]
            return [Block(["distance", "cluster", "joined with"], rows, align="rll")], []

        def data() -> dict[str, Any]:
            steps = [{"distance": d, "cluster": a, "joined_with": b} for a, b, d in self.merges]
            return {
                "about": self.about,
                "measures": self.measures,
                "order": [self.measures[k] for k in self.order],
                "cophenetic": self.cophenetic,
                "merges": steps,
                "signatures": self.signatures,
            }

        return self.viewed(look, self.records, views, data)

    def records(self) -> Records:
        """Return a record for every two clusters that are joined."""
        header = ["distance", "cluster", "joined_with", "cophenetic", "about"]
        rows = [
            [d, " ".join(a), " ".join(b), self.cophenetic, self.about] for a, b, d in self.merges
        ]
        return Records(header, rows)


def _clustered(
    measures: tuple[str, ...], values: Floats, about: str, signatures: tuple[str, ...]
) -> Clusters:
    """Return the clusters of measures, from their correlations.

    Raises
    ------
    BadInput
        For fewer than two measures, or a correlation that is not defined.
    """
    from scipy.cluster.hierarchy import cophenet, leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(measures) < 2:
        raise BadInput("clusters need at least two measures")
    undefined = np.argwhere(np.isnan(values))
    if len(undefined):
        i, k = undefined[0].tolist()
        raise BadInput(
            f"{measures[i]} and {measures[k]} have no correlation (nan), since one of them tells "
            "nothing apart; leave it out"
        )
    distances = np.round(1 - (values + values.T) / 2, ROUNDED)
    np.fill_diagonal(distances, 0.0)
    condensed = np.maximum(squareform(distances), 0.0)
    joined = linkage(condensed, "average")
    heights = cophenet(joined)
    varied = len(condensed) > 1 and np.ptp(condensed) > 0 and np.ptp(heights) > 0
    fit = float(np.corrcoef(condensed, heights)[0, 1]) if varied else float("nan")
    order = tuple(leaves_list(joined).tolist())
    return Clusters(measures, values, joined, order, fit, about, signatures)


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
        AP correlation of the measure of the row with that of the column, which is held for true.
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


class OfMeasures(Found):
    """A correlation for every two of several measures."""

    measures: tuple[str, ...]
    values: Floats

    @property
    def title(self) -> str:
        """What the correlations are."""
        raise NotImplementedError

    def _places(self, key: tuple[str, str]) -> tuple[int, int]:
        for name in key:
            if name not in self.measures:
                raise unknown("measure", name, self.measures)
        return self.measures.index(key[0]), self.measures.index(key[1])

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return the correlation of two measures, by name."""
        return float(self.values[self._places(key)])

    def clusters(self) -> Clusters:
        """Return the measures in clusters, by average linkage on 1 less their correlation."""
        return _clustered(self.measures, self.values, self.title, tuple(self.signatures))

    def to_dataframe(self, **_: Any) -> pd.DataFrame:
        """Return a pandas DataFrame of the correlations, measures × measures."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.measures), columns=list(self.measures))

    def flat(self, **columns: Any) -> Records:
        """Return matrices as records, one per two measures, whose signatures come last."""
        pinned = {"measure": down(self.measures), "other": self.measures}
        return flattened(self.values.shape, **pinned, **columns)

    def matrix(self, matrix: Floats, form: Form, title: str = "") -> View:
        """Return a view of a matrix, measures × measures."""
        heads = {name: heading_of(name, typeset=form.typeset) for name in self.measures}
        return View(self.flat(value=matrix), ("measure",), "other", heads=heads, title=title,
                    corner="")  # fmt: skip


EXPLAINED = [
    "interval: instances are resampled, the same for all systems and both measures; one left out: "
    "least and largest value without one of the systems",
    "accuracy: share of the pairs of systems in the same order; soft: 1 − mean difference of their "
    "one-sided p-values; tau_AP: errors at the top count more, the other measure is held for true; "
    "turned: the first one is",
]
AND_SYSTEMS = "over systems, too: systems are resampled as well as instances"


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

    def __repr__(self) -> str:
        return f"Agreement({len(self.measures)} measures, {self.n_systems} systems)"

    @property
    def title(self) -> str:
        """What the numbers are."""
        name, _ = COEFFICIENTS[self.coefficient]
        return f"{name} between rankings of {self.n_systems} systems"

    @property
    def signature(self) -> str:
        """One line that pins how it was computed, with the seed."""
        e = self.evidence
        drawn = "" if e is None else f",bootstrap={e.n_bootstrap},level={e.level:g},seed={e.seed}"
        return f"agreement(of=systems,coefficient={self.coefficient}{drawn})|hierpair {__version__}"

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
        look = Look(3 if digits is None else digits, caption=caption, label=label)
        e = self.evidence if pairs and len(self.measures) > 1 else None
        after = [] if e is None else list(EXPLAINED)
        if e is not None and e.system_low is not None:
            after.append(AND_SYSTEMS)

        def views(form: Form) -> tuple[list[View | Block], list[str]]:
            table = [self._pairs(e, form, look.decimals)] if e is not None else []
            return [self.matrix(self.values, form), *table], [self.title]

        def data() -> dict[str, Any]:
            drawn = {"signature": self.signature, "pairs": self.records.to_dicts()}
            return {
                "coefficient": self.coefficient,
                "n_systems": self.n_systems,
                "measures": self.measures,
                "values": self.values,
                "signatures": self.signatures,
                **({"notes": self.notes} if self.notes else {}),
                **(drawn if self.evidence is not None else {}),
            }

        pins = [*([self.signature] if e is not None else []), *self.signatures]
        return self.viewed(look, lambda: self.records, views, data, pins, after)

    def _pairs(self, e: SystemEvidence, form: Form, digits: int) -> Block:
        header = ["measure", "other", "value", "interval", "over systems, too", "one left out"]
        header += ["accuracy", "soft", "tau_AP", "turned"]
        names = [heading_of(name, typeset=form.typeset) for name in self.measures]
        rows = []
        for i, k in all_pairs(len(names)).tolist():
            cells = [names[i], names[k], plain(float(self.values[i, k]), digits)]
            for low, high in (
                (e.low, e.high), (e.system_low, e.system_high), (e.left_out_low, e.left_out_high)
            ):  # fmt: skip
                if low is not None and high is not None:
                    a, b = (plain(float(end[i, k]), digits) for end in (low, high))
                    cells.append(a if a == "–" else f"{a} … {b}")
            rest = [e.accuracy[i, k], e.soft_accuracy[i, k], e.tau_ap[i, k], e.tau_ap[k, i]]
            rows.append([*cells, *(number(float(x), digits) for x in rest)])
        if e.system_low is None:
            header.remove("over systems, too")
        return Block(header, rows, "Pairs of measures", align="ll" + "r" * (len(header) - 2))

    @property
    def records(self) -> Records:
        """One record per two measures."""
        e = self.evidence
        beside = {} if e is None else {f.name: getattr(e, f.name) for f in fields(e)[:9]}
        return self.flat(
            coefficient=self.coefficient,
            value=self.values,
            n_systems=self.n_systems,
            signature=down(self.signatures),
            signature_other=list(self.signatures),
            **beside,
        )


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

    def __repr__(self) -> str:
        return (
            f"InstanceAgreement({counted(len(self.measures), 'measure')}, "
            f"{self.n_instances:,} instances, {counted(self.n_systems, 'system')})"
        )

    @property
    def title(self) -> str:
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
        return f"agreement(of=instances,coefficient=kendall_b)|hierpair {__version__}"

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown: three matrices, and a record per two measures."""
        look = Look(3 if digits is None else digits, caption=caption, label=label)
        told = [
            f"{self.n_decisions:,} decisions: {self.n_instances:,} instances × pairs of "
            f"{self.n_systems} systems; one is made where the two values differ"
        ]
        known = len(self.measures) > 2 and not np.isnan(self.values).any()
        after = self.clusters().notes if known else []

        def views(form: Form) -> tuple[list[View], list[str]]:
            alone = self.first_only / self.n_decisions
            np.fill_diagonal(alone, self.decided)
            return [
                self.matrix(self.values, form, self.title),
                self.matrix(_percents(self.reversed_share), form, REVERSED),
                self.matrix(_percents(alone), form, ALONE),
            ], told

        def data() -> dict[str, Any]:
            return {
                "signature": self.signature,
                "signatures": self.signatures,
                "measures": self.measures,
                "values": self.values,
                "decided": self.decided,
                "notes": [*told, *self.notes, *after],
                "pairs": self.records.to_dicts(),
            }

        pins = [self.signature, *self.signatures]
        return self.viewed(look, lambda: self.records, views, data, pins, after)

    @property
    def records(self) -> Records:
        """One record per two measures."""
        return self.flat(
            kendall_b=self.values,
            n_decisions=self.n_decisions,
            both=self.both,
            reversed=self.reversed_,
            first_only=self.first_only,
            other_only=self.first_only.T,
            neither=self.neither,
            reversed_share=self.reversed_share,
            discriminancy=self.discriminancy,
            indifferency=self.indifferency,
            n_instances=self.n_instances,
            n_systems=self.n_systems,
            signature=down(self.signatures),
            signature_other=list(self.signatures),
        )


REVERSED = "reversed, % of the decisions that both make"
ALONE = "decided by the row alone, % of all; diagonal: by it at all"


def _percents(matrix: Floats) -> Any:
    """Return shares as texts in per cent."""
    return np.array([[plain(x, 1) for x in row] for row in (100 * matrix).tolist()], dtype=object)


# ------------------------------------------------------------------------------------ computing


@overload
def agreement(
    scores: Given,
    coefficient: str = "kendall_b",
    *,
    of: Literal["systems"] = "systems",
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> Agreement: ...


@overload
def agreement(
    scores: Given,
    coefficient: str = "kendall_b",
    *,
    of: Literal["instances"],
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> InstanceAgreement: ...


def agreement(
    scores: Given,
    coefficient: str = "kendall_b",
    *,
    of: Literal["instances", "systems"] = "systems",
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> Agreement | InstanceAgreement:
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
    Plan(n_bootstrap=n_bootstrap or 1, level=level, seed=seed)  # says what is wrong with a number
    check_jobs(n_jobs)
    joined = on_common(joined_scores(scores, "a ranking needs at least two systems"))
    notes = tuple(common_notes(joined))
    if of == "instances":
        return _of_instances(joined, notes)
    defined(joined)
    _, correlation = COEFFICIENTS[coefficient]
    upwards = (joined.values * signs_of(joined.measures)).T
    values = np.array([[correlation(x, y) for y in upwards] for x in upwards])
    names, signatures = tuple(m.name for m in joined.measures), tuple(joined.signatures)
    evidence = None
    if n_bootstrap:
        evidence, lacking = _evidence(joined, coefficient, n_bootstrap, level, seed, n_jobs)
        notes = (*notes, *lacking)
    return Agreement(names, values, coefficient, len(joined.systems), signatures, notes, evidence)


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
    kept, samples, notes = _samples(scores)
    at = np.ix_(kept, kept)
    low, high, soft, system_low, system_high = (np.full((m, m), np.nan) for _ in range(5))
    over_systems = n >= MANY_SYSTEMS and coefficient != "spearman" and bool(samples)
    if samples:
        rounds = bootstrap(samples, n_bootstrap, seed, n_jobs) * turned[kept, None, None]
        rounds = rounds.swapaxes(0, 1)  # rounds × measures × systems
        found = _in_rounds(rounds, pairs, coefficient)
        low[at], high[at] = percentile_interval(found, level)
        if over_systems:
            drawn = multiplicities(stream(seed, SYSTEMS).integers(0, n, (n_bootstrap, n)), n)
            found = _in_rounds(rounds, pairs, coefficient, drawn)
            system_low[at], system_high[at] = percentile_interval(found, level)
        p = exchange_p_values(samples, pairs, n_bootstrap, seed, n_jobs)
        one_sided = 0.5 + 0.5 * signs[kept] * (p - 1)
        soft[at] = [1 - np.abs(one_sided - one).mean(axis=1) for one in one_sided]
    left = np.full((1, m, m), np.nan)
    if n > 2:
        others = np.array([np.delete(upwards, i, axis=1) for i in range(n)])
        left = _in_rounds(others, all_pairs(n - 1), coefficient)
    evidence = SystemEvidence(
        low, high, system_low if over_systems else None, system_high if over_systems else None,
        np.fmin.reduce(left), np.fmax.reduce(left), accuracy, soft, ap, n_bootstrap, level, seed,
    )  # fmt: skip
    return evidence, notes


def _samples(scores: Scores) -> tuple[list[int], list[Sample], list[str]]:
    """Return the measures that can be resampled, their samples, and why others cannot be."""
    groups = list(groups_of(scores).values())
    kept, samples, notes, known = [], [], list[str](), scores.measures
    if of_partial(scores) is not None:
        try:
            cut, lines = with_blocks(scores)
        except BadInput as error:
            return [], [], [f"no intervals: {error}"]
        known, notes = cut.measures, [f"no interval: {line}" for line in lines]
    for k, m in enumerate(scores.measures):
        try:
            if m in known:
                samples.append(sample_of(scores, k, groups))
                kept.append(k)
        except BadInput as error:
            notes.append(f"no interval: {error}")
    return kept, samples, notes


def _in_rounds(
    rounds: Floats, pairs: Ints, coefficient: str, weights: Floats | None = None
) -> Floats:
    """Return the correlations in every round, shape ``(n_rounds, n_measures, n_measures)``."""
    if coefficient == "spearman":
        from scipy.stats import rankdata

        ranks = rankdata(rounds, axis=-1)
        centred = ranks - ranks.mean(axis=-1, keepdims=True)
        square = (centred**2).sum(axis=-1)
        below = np.sqrt(square[:, :, None] * square[:, None])
        return ratio(centred @ centred.swapaxes(1, 2), below)
    parts = []
    for some in pieces(len(rounds), PAIR_CELLS // (len(pairs) * rounds.shape[1])):
        both = None if weights is None else weights[some][:, pairs].prod(axis=2)
        parts.append(correlations(pair_signs(rounds[some], pairs), coefficient[-1], both))
    return np.concatenate(parts)


def pair_signs(upwards: Floats, pairs: Ints) -> NDArray[np.float32]:
    """Return which system of every pair is ahead: 1, −1, or 0, along the last axis."""
    first, second = pairs.T
    return np.sign(upwards[..., first] - upwards[..., second]).astype(np.float32)


def correlations(
    signs: NDArray[np.float32], variant: str, weights: NDArray[Any] | None = None
) -> Floats:
    """Return Kendall's tau of all pairs of measures in every round; NaN if nothing is compared.

    Parameters
    ----------
    signs
        From :func:`pair_signs`, shape ``(n_rounds, n_measures, n_pairs)``.
    variant
        ``"a"`` or ``"b"``, as for :func:`kendall_tau`.
    weights
        How often every pair counts in a round, shape ``(n_rounds, n_pairs)``; by default once.
    """
    counts = np.ones((len(signs), signs.shape[2])) if weights is None else weights
    weighted = signs * counts[:, None].astype(np.float32)
    concordance = (weighted @ signs.swapaxes(1, 2)).astype(np.float64)
    if variant == "a":
        return ratio(concordance, counts.sum(axis=1)[:, None, None])
    untied = (weighted * signs).sum(axis=2, dtype=np.float64)
    return ratio(concordance, np.sqrt(untied[:, :, None] * untied[:, None]))


def _of_instances(scores: Scores, notes: tuple[str, ...]) -> InstanceAgreement:
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
        few = (
            f"{n:,} of {len(known):,} instances: those with a value under all measures and systems"
        )
        notes = (*notes, few)
    flat = [rounded_to(of, float(np.abs(of).max())) for of in cube.reshape(n_measures, -1)]
    values = np.ones((n_measures, n_measures))
    for i, k in all_pairs(n_measures).tolist():
        values[i, k] = values[k, i] = kendalltau(flat[i], flat[k]).statistic
    for i, of in enumerate(flat):
        if (of == of[0]).all():
            values[i], values[:, i] = np.nan, np.nan
    sums = np.zeros((4, n_measures, n_measures))
    pairs = all_pairs(n_systems).tolist()
    for one, other in pairs:
        signs = np.sign([differences_of(of[one], of[other]) for of in cube])
        made, none = np.abs(signs), 1 - np.abs(signs)
        sums += [made @ made.T, signs @ signs.T, made @ none.T, none @ none.T]
    both, agreed_more, first_only, neither = sums.astype(np.int64)
    against = (both - agreed_more) // 2
    return InstanceAgreement(
        tuple(m.name for m in scores.measures),
        tuple(m.of_instance for m in scores.measures),
        values, both, first_only, neither, against, n * len(pairs), n, n_systems, notes,
    )  # fmt: skip
