"""The whole table of CAFA-evaluator: its numbers at every threshold, and its best rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, check_choice, counted, shown
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.labels import LabelSets, match_instances
from hierpair.labels.annotation_counts import namespaces
from hierpair.labels.naming import Unknown
from hierpair.labels.node_scores import scores_of_labels
from hierpair.measures.scored.pooled_curve import Norm, PooledCurve, threshold_sweep
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Content, Page, Records
from hierpair.tables.result import rounded

PROPAGATIONS = ("max", "fill")

CRITERIA = {"f": "max", "f_w": "max", "s": "min", "f_micro": "max", "f_micro_w": "max"}
"""By what the tool chooses rows; of ``s_w`` it chooses none."""

SHOWN = ("namespace", "tau", "f", "pr", "rc", "cov", "s", "ru", "mi")

FINEST_STEP = 1e-6
"""A million thresholds."""

Row = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class CafaTable(Tabular):
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

    def __repr__(self) -> str:
        return f"<CafaTable: {counted(len(self.rows), 'row')}>"

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

    def content(self, digits: int | None = None) -> Content:
        """Return what is shown: the best rows as a table; every row as a record."""
        records = Records.from_dicts(self.rows) if self.rows else Records(SHOWN)
        best = [
            [how, *(row[name] for name in SHOWN)] for how, of in self.best.items() for row in of
        ]
        table = rounded(Records(["best", *SHOWN], best), digits)
        page = Page([table], NOTES, [f"cafaeval|hierpair {__version__}"])
        data = {"best": self.best, "rows": self.rows}
        return Content(lambda: records, lambda form: page, lambda: data)


NOTES = [
    "as CAFA-evaluator 1.3: thresholds are sums of rounded steps and never reach 1, classes "
    "whose weight is 0, infinite or not given are not evaluated, and the best s is unweighted",
]


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
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    said = scores_of_labels(scores, hierarchy, unknown=unknown, source="scores")
    said = match_instances(truth, said, missing="empty", surplus="drop", system="scores")
    weight = None if weights is None else _weights(hierarchy, weights)
    how: dict[str, Any] = {"thresholds": np.arange(th_step, 1, th_step), "norm": norm}
    how |= {"closure": prop, "zero_weight": "count"}
    rows: list[Row] = []
    best: dict[str, list[Row]] = {}
    for part in namespaces(hierarchy, by if by is not None else [""] * len(hierarchy)):
        own = part.sets(truth), part.scores(said), np.ones(len(part.hierarchy), dtype=bool)
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
                sign = 1 if way == "max" else -1
                row = max(here, key=lambda row: sign * row[criterion])
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
