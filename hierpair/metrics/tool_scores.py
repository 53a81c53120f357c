"""The numbers that another tool prints for the same labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair._version import __version__
from hierpair.errors import BadInput, counted, did_you_mean
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.measures import measure
from hierpair.metrics.presets import PRESETS, Preset, preset_named
from hierpair.probabilistic.pooled_curves import pooled_curve
from hierpair.probabilistic.scored_labels import has_scores, scores_of_labels
from hierpair.tables.forms import Shown
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ToolScores", "score_like"]

HIDDEN = "(hidden root)"
THRESHOLDS = tuple(float(t) for t in np.arange(0.01, 1, 0.01))
OPTIONS = ("sample_weight", "unknown", "missing", "chunk", "n_jobs", "on_progress")
"""Options of :func:`hierpair.score` that are about the data, not about what is measured."""


@dataclass(frozen=True, eq=False, repr=False)
class ToolScores(Shown):
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
    """

    preset: str
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    values: NDArray[np.float64]
    thresholds: dict[str, float] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return ``found[system, column]``."""
        system, column = key
        for name, known in ((system, self.systems), (column, self.columns)):
            if name not in known:
                raise BadInput(f"there is no {name!r}{did_you_mean(name, known)}; there are "
                               f"{', '.join(known)}")  # fmt: skip
        return float(self.values[self.systems.index(system), self.columns.index(column)])

    def __repr__(self) -> str:
        return f"ToolScores({self.preset!r}, {counted(len(self.systems), 'system')})"

    @property
    def signatures(self) -> list[str]:
        """What was computed: the preset, and the measure behind every column."""
        chosen = PRESETS[self.preset]
        lines = [f"{name} = {measure(text).signature}" for name, text in chosen.columns.items()]
        lines += [f"{name} = 2 {p} {r} / ({p} + {r})" for name, (p, r) in chosen.harmonic.items()]
        return [f"preset={self.preset}|hierpair {__version__}", *lines]

    @property
    def records(self) -> Records:
        """One record per system and number."""
        return Records(
            ["system", "column", "value", "threshold", "preset", "signature",
             *(["doubts"] if self.doubts else [])],
            [
                [s, c, float(self.values[i, k]), self.thresholds.get(s), self.preset,
                 self._measure(c), *(["; ".join(self.doubts)] if self.doubts else [])]
                for i, s in enumerate(self.systems)
                for k, c in enumerate(self.columns)
            ],
        )  # fmt: skip

    def _measure(self, column: str) -> str:
        chosen = PRESETS[self.preset]
        if column in chosen.columns:
            return measure(chosen.columns[column]).signature
        return f"harmonic mean of {' and '.join(chosen.harmonic[column])}|hierpair {__version__}"

    def content(
        self,
        digits: int | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
    ) -> Content:
        """Return what is shown, with 4 decimals by default.

        A caption, which is plain text, or a label makes the LaTeX tabular a table.
        """
        decimals = 4 if digits is None else digits
        page = Page([self._block(decimals)], self.notes, self.signatures, caption, label)
        return Content(lambda: self.records, lambda form: page, self._data)

    def _data(self) -> dict[str, Any]:
        return {
            "preset": self.preset,
            "tool": PRESETS[self.preset].tool,
            **({"doubts": list(self.doubts)} if self.doubts else {}),
            "scores": self.records.to_dicts(),
        }

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        preset = PRESETS[self.preset]
        chosen = [
            f"{s}: every value is at the threshold {t:.2f}, where f is largest (Fmax)"
            for s, t in self.thresholds.items()
        ]
        every = "labels without scores, so every prediction counts and no threshold is chosen"
        if preset.scored:
            chosen += [f"{s}: {every}" for s in self.systems if s not in self.thresholds]
        doubts = [f"the hierarchy has {doubt}" for doubt in self.doubts]
        return [f"as {preset.tool}", preset.note, *chosen, *doubts]

    def _block(self, digits: int) -> Block:
        rows = [
            [s, *(number(v, digits) for v in row)]
            for s, row in zip(self.systems, self.values.tolist(), strict=True)
        ]
        return Block(["system", *self.columns], rows)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame, systems × columns."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.systems), columns=list(self.columns))


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
        (Fmax). The other tools know no scores.
    how
        Of the options of :func:`hierpair.score` those about the data: ``sample_weight``,
        ``unknown``, ``missing``, ``chunk``, ``n_jobs``, ``on_progress``. A preset fixes all
        conventions, also the value of 0/0 (it is 0).

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
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    if chosen.needs_truth and (truth.lengths == 0).any():
        raise BadInput(f"{preset} knows no instances without true labels; leave them out")
    rows, thresholds = [], {}
    for name, labels in systems.items():
        if not has_scores(labels):
            rows.append(_row(chosen, hierarchy, truth, name, labels, how))
        elif not chosen.scored:
            raise BadInput(
                f"{name}: {preset} knows no scores of predictions; choose the labels by a "
                "threshold first"
            )
        else:
            row, thresholds[name] = _best_row(chosen, hierarchy, truth, name, labels, how)
            rows.append(row)
    columns = tuple(rows[0]) if rows else ()
    values = np.array([[row[c] for c in columns] for row in rows])
    doubts = tuple(hierarchy.doubts)
    return ToolScores(preset, tuple(map(str, systems)), columns, values, thresholds, doubts)


def _best_row(
    chosen: Preset,
    hierarchy: Hierarchy,
    truth: LabelSets,
    name: str,
    labels: Any,
    how: Mapping[str, Any],
) -> tuple[dict[str, float], float]:
    """Return the numbers at the threshold with the largest f, of equal ones the lowest."""
    scores = scores_of_labels(
        labels, hierarchy, unknown=how.get("unknown", "error"), source=str(name)
    )
    curve = pooled_curve(
        truth, scores, thresholds=THRESHOLDS, root="include",
        missing=how.get("missing", "error"), sample_weight=how.get("sample_weight"),
    )  # fmt: skip
    f = curve.f()
    # sums in another order differ in their last bits: the scores themselves decide between these
    close = np.flatnonzero(f >= f.max() - 1e-9)
    seen = (np.nan_to_num(curve.precision), curve.recall, curve.n_predicted)
    lowest = {tuple(float(column[k]) for column in seen): int(k) for k in close}
    found = []
    for k in sorted(lowest.values(), reverse=True):
        threshold = float(curve.threshold[k])
        sets = scores.above(threshold, reached=True)
        found.append((_row(chosen, hierarchy, truth, name, sets, how), threshold))
    return max(found, key=lambda pair: pair[0]["f"])


def _row(
    chosen: Preset,
    hierarchy: Hierarchy,
    truth: LabelSets,
    name: str,
    labels: Any,
    how: Mapping[str, Any],
) -> dict[str, float]:
    """Return the numbers of one system."""
    given = LabelSets.from_labels(
        labels, hierarchy, unknown=how.get("unknown", "error"), source=name
    )
    if chosen.hidden_root:
        taller = _with_hidden_root(hierarchy)
        truth, given = (_moved(sets, hierarchy, taller) for sets in (truth, given))
        hierarchy = taller
    scores = score(hierarchy, truth, {name: given}, list(chosen.columns.values()), **how)
    row = dict(zip(chosen.columns, scores.values[0].tolist(), strict=True))
    row = {key: 0.0 if np.isnan(value) else value for key, value in row.items()}
    for column, (p, r) in chosen.harmonic.items():
        both = row[p] + row[r]
        row[column] = 2 * row[p] * row[r] / both if both else 0.0
    return row


def _with_hidden_root(hierarchy: Hierarchy) -> Hierarchy:
    names = hierarchy.names
    above = [(HIDDEN, names[r]) for r in hierarchy.root_indices.tolist()]
    parent_of = np.repeat(np.arange(len(names)), np.diff(hierarchy.parent_ptr))
    edges = [(names[p], names[c]) for p, c in
             zip(hierarchy.parents.tolist(), parent_of.tolist(), strict=True)]  # fmt: skip
    return Hierarchy.from_edges([*above, *edges])


def _moved(sets: LabelSets, old: Hierarchy, new: Hierarchy) -> LabelSets:
    """Return label sets in the numbers of a hierarchy that holds the same names."""
    numbers = np.asarray(new.index(old.names))
    return LabelSets.from_arrays(sets.indptr, numbers[sets.indices], len(new), sets.ids)
