"""The conventions of other tools by name, and the numbers that they print for the same labels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from operator import itemgetter
from pathlib import Path
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair._version import __version__
from hierpair.comparison.analysis import Analysis
from hierpair.errors import BadInput, check_choice, check_known, check_unique, shown
from hierpair.evaluation.checked import Counting, truth_of
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, counted_classes, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.io.text import read_toml
from hierpair.labels import LabelSets, NodeScores, match_instances
from hierpair.labels.annotation_counts import namespaces
from hierpair.labels.naming import Unknown
from hierpair.labels.node_scores import has_scores, scores_of_labels
from hierpair.measures import measure
from hierpair.measures.recipes.batch import NOTHING_LEFT
from hierpair.measures.scored.pooled_curve import Norm, PooledCurve, threshold_sweep
from hierpair.probabilistic.curves import pooled_curve
from hierpair.tables.records import Block, Form, Records
from hierpair.tables.result import crossed, down, flattened, rounded

HIDDEN = "(hidden root)"
THRESHOLDS = tuple(float(t) for t in np.arange(0.01, 1, 0.01))
OPTIONS = (
    *("sample_weight", "unknown", "missing", "chunk", "n_jobs", "on_progress"),
    *("ignore", "ignore_ancestors", "classes"),
)
"""Options of :func:`hierpair.score` that are about the data, not about what is measured."""


@dataclass(frozen=True)
class Preset:
    """What a tool computes, in our measures.

    Attributes
    ----------
    tool
        What it reproduces, and the version that it was compared with.
    columns
        The tool's word for each number, and the measure that it is.
    hidden_root
        A class above all parentless ones counts, too.
    harmonic
        Further columns: the harmonic mean of two others.
    needs_truth
        Instances without true labels are unknown to the tool.
    scored
        The tool chooses among thresholds on the scores of predictions, by its column ``f``.
    own_roots
        Predicted labels outside the hierarchy are roots of their own, where labels come as names.
    undefined
        What stands for a number that is not defined.
    note
        What has to be known.
    """

    tool: str
    columns: Mapping[str, str]
    hidden_root: bool = False
    harmonic: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    needs_truth: bool = False
    scored: bool = False
    own_roots: bool = False
    undefined: float = 0.0
    note: str = ""

    @property
    def of_scores(self) -> bool:
        """Whether its numbers are measures of scores, which take predictions with scores alone."""
        return any(measure(text).of_scores for text in self.columns.values())


PRESETS: dict[str, Preset] = {
    name: Preset(**about)
    for name, about in read_toml(Path(__file__).with_name("presets.toml")).items()
}
"""Every preset by name."""


def preset_named(preset: str) -> Preset:
    """Return a preset by its name.

    Raises
    ------
    BadInput
        For an unknown one.
    """
    check_known("preset", preset, PRESETS)
    return PRESETS[preset]


@dataclass(frozen=True, eq=False, repr=False)
class ToolScores(Analysis):
    """The numbers of a tool.

    Attributes
    ----------
    preset
        Its name in :data:`PRESETS`.
    systems, columns
        Names of the systems, and the tool's words for its numbers.
    values
        Shape ``(n_systems, n_columns)``.
    thresholds
        By system, the threshold at which f is largest, if predictions have scores.
    doubts
        What looks as if the hierarchy was misread (:attr:`Hierarchy.doubts`).
    remarks
        What has to be known of the labels, such as instances without a prediction.
    """

    preset: str
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    thresholds: dict[str, float] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    table = "scores"
    told = ("preset", "tool", "doubts", "remarks")

    @property
    def tool(self) -> str:
        """What it reproduces, and the version that it was compared with."""
        return PRESETS[self.preset].tool

    @property
    def measures(self) -> dict[str, str]:
        """By column what it is: the signature of a measure, or a mean of two other columns."""
        chosen = PRESETS[self.preset]
        found = {name: measure(text).signature for name, text in chosen.columns.items()}
        return found | {c: f"2 {p} {r} / ({p} + {r})" for c, (p, r) in chosen.harmonic.items()}

    @property
    def signatures(self) -> list[str]:
        """What was computed: the preset, and the measure behind every column."""
        lines = [f"{name} = {text}" for name, text in self.measures.items()]
        return [f"preset={self.preset}|hierpair {__version__}", *lines]

    def records(self) -> Records:
        """Return a record per system and number."""
        return flattened(
            self.values.shape, system=down(self.systems), column=self.columns, value=self.values,
            threshold=down([self.thresholds.get(s) for s in self.systems]), preset=self.preset,
            signature=[self.measures[c] for c in self.columns],
            doubts="; ".join(self.doubts) or None,
        )  # fmt: skip

    def views(self, form: Form, look: TableLook) -> list[Block]:
        """Return a row per system."""
        return [crossed(form, look, self.records(), "system", "column")]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        preset, at = PRESETS[self.preset], self.thresholds
        every = "labels without scores, so every prediction counts and no threshold is chosen"
        chosen = [
            f"{s}: every value is at the threshold {at[s]:.2f}, where f is largest (Fmax)"
            if s in at else f"{s}: {every}"
            for s in self.systems if preset.scored
        ]  # fmt: skip
        doubts = [f"the hierarchy has {doubt}" for doubt in self.doubts]
        return [f"as {self.tool}", preset.note, *chosen, *self.remarks, *doubts]

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return ``found[system, column]``."""
        for name, known in zip(key, (self.systems, self.columns), strict=True):
            check_known("system or column", name, known)
        return float(self.values[self.systems.index(key[0]), self.columns.index(key[1])])


@takes_hierarchy
def score_like(
    preset: str,
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Mapping[str, Any],
    **how: Any,
) -> ToolScores:
    """Return the numbers that another tool prints for the same labels.

    Parameters
    ----------
    preset
        A name in :data:`PRESETS`.
    hierarchy, y_true
        As for :func:`hierpair.score`.
    systems
        ``{name: y_pred}``. For ``"cafaeval"`` a prediction may hold scores in [0, 1],
        ``{id: {label: score}}`` or :class:`NodeScores`: labels with at least a threshold count,
        for the thresholds 0.01, 0.02, … 0.99, and all values are at the one where f is largest
        (Fmax); :func:`cafaeval_table` has its numbers at all thresholds, also weighted and by
        namespace. The other tools know no scores.
    how
        Of the options of :func:`hierpair.score` those about the data: ``sample_weight``,
        ``unknown``, ``missing``, ``chunk``, ``n_jobs``, ``on_progress``, and what does not count:
        ``ignore``, ``ignore_ancestors``, ``classes``. A preset fixes all conventions, also the
        value of 0/0 (0, in ``"pyevall"`` nan).

    Raises
    ------
    BadInput
        For an unknown preset, a convention, or what the tool does not know.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> found = score_like("hemkit", tree, [["b"]], {"mine": [["c"]]})
    >>> found["mine", "hF"]
    0.75
    >>> score_like("hiclass-micro", tree, [["b"]], {"mine": [["c"]]})["mine", "f1"]
    0.5
    """
    chosen = preset_named(preset)
    fixed = next((name for name in how if name not in OPTIONS), None)
    if fixed is not None:
        raise BadInput(
            f"a preset chooses the measures and conventions; leave {fixed!r} out (what can be "
            f"chosen: {', '.join(OPTIONS)})"
        )
    unknown = how.get("unknown", "error")
    ignore, classes = (how.pop(name, None) for name in ("ignore", "classes"))
    counting = Counting(ignore, how.pop("ignore_ancestors", True), classes)
    hierarchy = counting.of_classes(hierarchy)
    truth = truth_of(y_true, hierarchy, unknown)
    truth = counting.of_truth(truth, hierarchy, unknown)
    if chosen.needs_truth and (truth.lengths == 0).any():
        raise BadInput(f"{preset} knows no instances without true labels; leave them out")
    thresholds: dict[str, float] = {}
    check_unique(map(str, systems), lambda name: f"two systems are called {name!r}")
    sides = {str(name): labels for name, labels in systems.items()}
    for name, labels in sides.items() if not chosen.of_scores else ():
        if has_scores(labels):
            if not chosen.scored:
                raise BadInput(
                    f"{name}: {preset} knows no scores of predictions; choose the labels by a "
                    "threshold first"
                )
            sides[name], thresholds[name] = _at_the_best(hierarchy, truth, name, labels, how)
    doubts = tuple(hierarchy.doubts)
    hierarchy, truth, sides = _as_the_tool(chosen, hierarchy, truth, sides, how)
    found = score(hierarchy, truth, sides, list(chosen.columns.values()), **how)
    columns, values = [*chosen.columns], found.values
    if not chosen.of_scores:
        values = np.where(np.isnan(values), chosen.undefined, values)
    for name, both in chosen.harmonic.items():
        p, r = values[:, [*map(columns.index, both)]].T
        values = np.column_stack([values, ratio(2 * p * r, p + r, 0.0)])
        columns.append(name)
    remarks = tuple(_remarks(found))
    return ToolScores(preset, found.systems, tuple(columns), values, thresholds, doubts, remarks)


def _remarks(scores: Scores) -> list[str]:
    """Return what is known of the labels, of each system once and not of every measure."""
    told = defaultdict[tuple[str, str], dict[str, int]](dict)
    for (system, name), texts in scores.remarks.items():
        for text, n in texts.items():
            told[system, name if text == NOTHING_LEFT else ""][text] = n
    _, *notes = replace(scores, remarks=told, doubts=()).notes
    return notes


def _at_the_best(
    hierarchy: Hierarchy, truth: LabelSets, name: str, labels: Any, how: Mapping[str, Any]
) -> tuple[LabelSets, float]:
    """Return the labels at the threshold with the largest f, of equal ones the lowest, and it."""
    unknown = how.get("unknown", "error")
    scores = match_instances(
        truth, scores_of_labels(labels, hierarchy, unknown=unknown, source=name),
        missing=how.get("missing", "error"), surplus="drop" if unknown == "drop" else "error",
        system=name,
    )  # fmt: skip
    curve = pooled_curve(
        truth, scores, thresholds=THRESHOLDS, root="include", zero_weight="count",
        sample_weight=how.get("sample_weight"),
    )  # fmt: skip
    threshold = float(curve.threshold[curve.best()])
    return scores.above(threshold, reached=True), round(threshold, 9)  # as people write it


def _as_the_tool(
    chosen: Preset, hierarchy: Hierarchy, truth: LabelSets, systems: dict[str, Any],
    how: Mapping[str, Any],
) -> tuple[Hierarchy, LabelSets, dict[str, Any]]:  # fmt: skip
    """Return the hierarchy with the classes that a tool adds, and labels in its numbers."""
    names, edges, more = hierarchy.names, list[Any](), dict[Any, None]()
    if chosen.hidden_root:
        edges = [(HIDDEN, names[r]) for r in hierarchy.root_indices.tolist()]
    if chosen.own_roots and "unknown" not in how:
        for labels in systems.values():
            rows = labels.values() if isinstance(labels, Mapping) else labels
            for row in () if isinstance(labels, LabelSets) else rows:
                one = isinstance(row, str) or not isinstance(row, Iterable)
                more |= dict.fromkeys(c for c in ([row] if one else row) if c not in hierarchy)
    if not edges and not more:
        return hierarchy, truth, systems
    edges += [edge[:2] for edge in hierarchy.edges_by(names)]
    new = Hierarchy.from_edges(edges, classes=[*names, *more], roots="any")
    numbers, interest = new.index(names), hierarchy.of_interest

    def widened(labels: Any) -> Any:
        if not isinstance(labels, LabelSets):
            return labels
        found = LabelSets.from_arrays(labels.indptr, numbers[labels.indices], len(new), labels.ids)
        return replace(found, ignored=widened(labels.ignored), orders=labels.orders)

    counted = new if interest is None else new.counting(compress(names, interest))
    return counted, widened(truth), {name: widened(of) for name, of in systems.items()}


# ------------------------------------------------------------------------- CAFA-evaluator

PROPAGATIONS = ("max", "fill")

CRITERIA: dict[str, Any] = {"f": max, "f_w": max, "s": min, "f_micro": max, "f_micro_w": max}
"""By what the tool chooses rows; of ``s_w`` it chooses none."""

SHOWN = ("namespace", "tau", "f", "pr", "rc", "cov", "s", "ru", "mi")

FINEST_STEP = 1e-6
"""A million thresholds."""

Row = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class CafaTable(Analysis):
    """The numbers of CAFA-evaluator.

    Attributes
    ----------
    rows
        One per namespace and threshold with a prediction, by the tool's words; those that end in
        ``_w`` are weighted.
    best
        By criterion (:data:`CRITERIA`) the row of every namespace that the tool calls the best,
        the lowest threshold of equal ones.
    """

    rows: list[Row]
    best: dict[str, list[Row]]

    told = ("best", "notes")
    notes = (
        "as CAFA-evaluator 1.3: thresholds are sums of rounded steps and never reach 1, classes "
        "whose weight is 0, infinite or not given are not evaluated, and the best s is unweighted",
    )
    signatures = (f"cafaeval|hierpair {__version__}",)

    def numbers(self) -> list[Row]:
        """Return a row per namespace: the best f, f_w and s with their thresholds, and coverage."""
        found: dict[str, Row] = {}
        for criterion in ("f", "f_w", "s"):
            for row in self.best.get(criterion, ()):
                of = found.setdefault(row["namespace"], {"namespace": str(row["namespace"])})
                of |= {criterion: row[criterion], f"{criterion}_tau": row["tau"]}
        for row in self.best.get("f", ()):
            found[row["namespace"]]["coverage"] = row["cov_max"]
        return list(found.values())

    def records(self) -> Records:
        """Return a record per namespace and threshold."""
        return Records.from_dicts(self.rows) if self.rows else Records(SHOWN)

    def views(self, form: Form, look: TableLook) -> list[Block]:
        """Return the best rows."""
        rows = [[how, *(r[name] for name in SHOWN)] for how, of in self.best.items() for r in of]
        return [rounded(["best", *SHOWN], rows, look.decimals)]


@takes_hierarchy
def cafaeval_table(
    hierarchy: Hierarchy,
    y_true: Any,
    scores: Any,
    *,
    weights: Mapping[Hashable, float] | None = None,
    by: Mapping[Hashable, Hashable] | Sequence[Hashable] | None = None,
    norm: Norm = "cafa",
    prop: Literal["max", "fill"] = "max",
    no_orphans: bool = False,
    th_step: float = 0.01,
    unknown: Unknown = "drop",
) -> CafaTable:
    """Return all numbers that CAFA-evaluator 1.3 prints for the same labels.

    They are those of :func:`hierpair.probabilistic.pooled_curve` with the tool's conventions, at
    a cost that follows the scores instead of thresholds times instances times classes.

    Parameters
    ----------
    hierarchy
        The classes, with the edges by is_a and part_of.
    y_true
        True labels, as :func:`hierpair.score` takes them.
    scores
        ``{id: {label: score}}`` or :class:`NodeScores`.
    weights
        Information accretion of classes. A class without one, or with 0, infinity or less, is
        not evaluated.
    by
        The namespace of every class; each is evaluated apart, and an instance counts where it
        has a true label.
    norm
        ``"cafa"``, ``"pred"`` or ``"gt"``.
    prop
        ``"max"`` or ``"fill"``.
    no_orphans
        Classes without parents do not count; the weighted numbers ignore it.
    th_step
        The thresholds are ``numpy.arange(th_step, 1, th_step)``: sums of a rounded number, of
        which 23 of 99 lie above the decimal that is printed.
    unknown
        Labels outside the hierarchy are left out by the tool (``"drop"``), and so are
        predictions for instances without a truth.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> found = cafaeval_table(tree, {"x": ["a"]}, {"x": {"a": 0.8, "b": 0.3}}, th_step=0.25)
    >>> [(row["tau"], round(row["f"], 4)) for row in found.rows]
    [(0.25, 0.8), (0.5, 1.0), (0.75, 1.0)]
    >>> found.best["f"][0]["tau"]
    0.5
    """
    check_choice("prop", prop, PROPAGATIONS)
    if not (isinstance(th_step, (int, float)) and FINEST_STEP <= th_step < 1):
        raise BadInput(f"th_step must be at least {FINEST_STEP:g} and below 1, got {th_step!r}")
    truth = truth_of(y_true, hierarchy, unknown)
    said = scores_of_labels(scores, hierarchy, unknown=unknown, source="scores")
    said = match_instances(truth, said, missing="empty", surplus="drop", system="scores")
    counts = counted_classes(hierarchy, "include")
    weight = None if weights is None else _weights(hierarchy, weights)
    how: dict[str, Any] = {"thresholds": np.arange(th_step, 1, th_step), "norm": norm}
    how |= {"closure": prop, "zero_weight": "count"}
    rows: list[Row] = []
    best: dict[str, list[Row]] = {}
    for part in namespaces(hierarchy, by if by is not None else [""] * len(hierarchy)):
        own = part.sets(truth), part.scores(said), counts[part.classes]
        evaluated = np.diff(part.hierarchy.parent_ptr) >= no_orphans
        columns = _columns(threshold_sweep(*own, weights=evaluated.astype(float), **how))
        if weight is not None:
            heavy = _columns(threshold_sweep(*own, weights=weight[part.classes], **how))
            columns |= {f"{key}_w": x for key, x in heavy.items() if key != "tau"}
        shown = columns["cov"] > 0  # where any instance has a prediction
        here = [
            {"namespace": part.name, **dict(zip(columns, row, strict=True))}
            for row in np.stack([*columns.values()], axis=1)[shown].tolist()
        ]
        for criterion, way in CRITERIA.items():
            if here and criterion in columns:
                row = way(here, key=itemgetter(criterion))
                coverage = max(row["cov_w" if criterion.endswith("_w") else "cov"] for row in here)
                best.setdefault(criterion, []).append({**row, "cov_max": coverage})
        rows += here
    return CafaTable(rows, best)


def _weights(hierarchy: Hierarchy, weights: Mapping[Hashable, float]) -> Floats:
    """Return the weight of every class, 0 for those that the tool does not evaluate."""
    if not isinstance(weights, Mapping):
        raise BadInput(f"weights must be {{class: weight}}, got {type(weights).__name__}")
    found = np.zeros(len(hierarchy))
    for i, name in enumerate(hierarchy.names):
        try:
            found[i] = weights.get(name, 0.0)
        except (TypeError, ValueError):
            raise BadInput(
                f"the weight of class {shown(name)} must be a number, got {shown(weights[name])}"
            ) from None
    return np.where(np.isfinite(found) & (found > 0), found, 0.0)


def _columns(curve: PooledCurve) -> dict[str, Floats]:
    """Return the tool's columns by rising threshold; what is 0/0 is 0."""
    precision, recall = (np.nan_to_num(x) for x in curve.micro())
    columns = {
        "tau": curve.threshold,
        "n": curve.n_predicted.astype(np.float64),
        "tp": curve.found,
        "fp": curve.misinformation,
        "fn": curve.uncertainty,
        "pr": curve.precision,
        "rc": curve.recall,
        "cov": curve.coverage,
        "mi": curve.misinformation,
        "ru": curve.uncertainty,
        "f": curve.f(),
        "s": curve.s(),
        "pr_micro": precision,
        "rc_micro": recall,
        "f_micro": ratio(2 * precision * recall, precision + recall, 0.0),
    }
    return {name: np.nan_to_num(values)[::-1] for name, values in columns.items()}


# --------------------------------------------------------------------------------- PyEvALL

Weighted = Mapping[int, float]
"""The weights of some classes, by number."""


class SoftContrast(NamedTuple):
    """ICM-Soft and its normalised form, as PyEvALL calls them."""

    icm_soft: float
    icm_soft_norm: float


@takes_hierarchy
def pyevall_icm_soft(y_true: Any, y_pred: Any, hierarchy: Hierarchy) -> SoftContrast:
    """Return ICM-Soft and ICM-Soft-Norm of PyEvALL 0.2.11, on a tree or forest.

    ``2 IC(P) + 2 IC(T) − 3 IC(P ∪ T)`` of weighted labels, mean over instances: a class c with the
    weight x says ``−log₂(1 − Φ((x − μ) / σ))``, μ the mean of the weights that the truth has of c
    (of the classes below it the largest counts, too), and σ their *mean absolute* deviation, where
    the text says standard deviation. Of sets ``IC({c, …}) = IC(c) + IC(rest) − IC(common
    ancestors)``; unions take the larger weight, common ancestors the smaller one of two.

    It is offered for comparison with published numbers alone: it is neither linear nor monotone,
    and bounded by nothing.

    Parameters
    ----------
    y_true, y_pred
        A dict ``{label: weight in [0, 1]}`` for every instance, in a list or by id. A predicted
        label of no class is a root of its own, which costs log₂ n whatever its weight.
    hierarchy
        A tree or forest.

    Raises
    ------
    BadInput
        On a DAG, for weights outside [0, 1], true labels of no class, or a class that says nothing
        since all truths have the same weight of it.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> truth = [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}]
    >>> found = pyevall_icm_soft(truth, [{"a": 1, "b": 0}, {"a": 0, "b": 1}], tree)
    >>> round(found.icm_soft, 4), round(found.icm_soft_norm, 4)
    (1.3432, 0.7312)
    """
    if hierarchy.shape == "DAG":
        raise BadInput("ICM-Soft needs a tree or forest: a class with two parents has no one path")
    by_id, given = (
        side if isinstance(side, Mapping) else dict(enumerate(side)) for side in (y_true, y_pred)
    )
    true: Any = scores_of_labels(by_id, hierarchy, source="y_true")
    said = scores_of_labels(given, hierarchy, unknown="drop", source="y_pred")
    n, strange = len(true), said.n_unknown
    if not n:
        raise BadInput("y_true has no instances")
    pred = match_instances(true, said, missing="empty")
    paths = [[*hierarchy.ancestor_numbers(c).tolist(), c] for c in range(len(hierarchy))]
    dense = true.closed("max").dense()
    mean = dense.mean(axis=0)
    deviation = np.abs(dense - mean).mean(axis=0)

    def of_class(c: int, x: float) -> float:
        if deviation[c] == 0:
            raise BadInput(
                f"every true instance has the same weight of class {shown(hierarchy.names[c])}: "
                "ICM-Soft is not defined (PyEvALL stops, too)"
            )
        above = 1 - NormalDist(float(mean[c]), float(deviation[c])).cdf(x)
        return -math.log2(above) if above > 0 else math.log2(n)

    def of_set(weighted: Weighted) -> float:
        """IC({c, …}) = IC(c) + IC(rest) − IC(common ancestors of c with the rest)."""
        if not weighted:
            return 0.0
        (c, x), *rest = weighted.items()
        common = dict[int, float]()
        for other, y in rest:
            shared = [a for a in paths[c] if a in paths[other]]
            if shared:
                common[shared[-1]] = max(common.get(shared[-1], 0.0), min(x, y))
        return of_class(c, x) + of_set(dict(rest)) - of_set(common)

    def contrast(t: Weighted, p: Weighted) -> float:
        both = {c: max(t.get(c, 0.0), p.get(c, 0.0)) for c in sorted({*t, *p})}
        return 2 * of_set(p) + 2 * of_set(t) - 3 * of_set(both)

    truths = _rows(true)
    best = math.fsum(contrast(t, t) for t in truths) / n
    each = [contrast(t, p) for t, p in zip(truths, _rows(pred), strict=True)]
    total = math.fsum([*each, *[-math.log2(n)] * strange]) / n
    norm = max(0.0, (total + best) / (2 * best)) if best else math.nan
    return SoftContrast(total, norm)


def _rows(scores: NodeScores) -> list[Weighted]:
    """Return the weights of the classes of every instance."""
    pairs = [*zip(scores.indices.tolist(), scores.values.tolist(), strict=True)]
    return [dict(pairs[a:b]) for a, b in pairwise(scores.indptr.tolist())]
