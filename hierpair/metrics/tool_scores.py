"""The numbers that another tool prints for the same labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair._version import __version__
from hierpair.errors import BadInput, counted, unknown
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import has_scores, match_scores, scores_of_labels
from hierpair.measures import measure
from hierpair.metrics.presets import PRESETS, Preset, preset_named
from hierpair.probabilistic.curves import pooled_curve
from hierpair.tables.forms import Tabular
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
class ToolScores(Tabular):
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
    values: NDArray[np.float64]
    thresholds: dict[str, float] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return ``found[system, column]``."""
        system, column = key
        sides = (("system", system, self.systems), ("column", column, self.columns))
        for what, name, known in sides:
            if name not in known:
                raise unknown(what, name, known)
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
            **({"remarks": list(self.remarks)} if self.remarks else {}),
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
        return [f"as {preset.tool}", preset.note, *chosen, *self.remarks, *doubts]

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
    rows: list[dict[str, float]] = []
    thresholds: dict[str, float] = {}
    remarks: list[str] = []
    for name, labels in systems.items():
        if chosen.of_scores:
            found = score(hierarchy, truth, {name: labels}, list(chosen.columns.values()), **how)
            rows.append(dict(zip(chosen.columns, found.values[0].tolist(), strict=True)))
            remarks += _remarks(found)
        elif not has_scores(labels):
            rows.append(_row(chosen, hierarchy, truth, name, labels, how, remarks))
        elif not chosen.scored:
            raise BadInput(
                f"{name}: {preset} knows no scores of predictions; choose the labels by a "
                "threshold first"
            )
        else:
            row, thresholds[name] = _best_row(chosen, hierarchy, truth, name, labels, how, remarks)
            rows.append(row)
    columns = tuple(rows[0]) if rows else ()
    values = np.array([[row[c] for c in columns] for row in rows])
    doubts = tuple(hierarchy.doubts)
    said = tuple(dict.fromkeys(remarks))
    return ToolScores(preset, tuple(map(str, systems)), columns, values, thresholds, doubts, said)


def _remarks(scores: Scores) -> list[str]:
    """Return what is known of the labels: what was left out, replaced or cannot be right."""
    _, *others = replace(scores, remarks={}).notes
    each = [
        f"{system}: {text} ({counted(n, 'instance')})"
        for (system, _), texts in scores.remarks.items()
        for text, n in texts.items()
    ]
    others = [note for note in others if not note.startswith("the hierarchy has ")]
    return [*others, *dict.fromkeys(each)]


def _best_row(
    chosen: Preset,
    hierarchy: Hierarchy,
    truth: LabelSets,
    name: str,
    labels: Any,
    how: Mapping[str, Any],
    remarks: list[str],
) -> tuple[dict[str, float], float]:
    """Return the numbers at the threshold with the largest f, of equal ones the lowest."""
    scores = scores_of_labels(
        labels, hierarchy, unknown=how.get("unknown", "error"), source=str(name)
    )
    scores = match_scores(
        truth, scores, missing=how.get("missing", "error"),
        surplus="drop" if how.get("unknown") == "drop" else "error", system=str(name),
    )  # fmt: skip
    curve = pooled_curve(
        truth, scores, thresholds=THRESHOLDS, root="include", zero_weight="count",
        sample_weight=how.get("sample_weight"),
    )  # fmt: skip
    threshold = float(curve.threshold[curve.best()])
    sets = scores.above(threshold, reached=True)
    return _row(chosen, hierarchy, truth, name, sets, how, remarks), threshold


def _row(
    chosen: Preset,
    hierarchy: Hierarchy,
    truth: LabelSets,
    name: str,
    labels: Any,
    how: Mapping[str, Any],
    remarks: list[str],
) -> dict[str, float]:
    """Return the numbers of one system; what is to be known of it goes to the remarks."""
    if chosen.own_roots and not isinstance(labels, LabelSets) and "unknown" not in how:
        wider = _with_own_roots(hierarchy, labels)
        truth, hierarchy = _moved(truth, hierarchy, wider), wider
    given = LabelSets.from_labels(
        labels, hierarchy, unknown=how.get("unknown", "error"), source=name
    )
    if chosen.hidden_root:
        taller = _with_hidden_root(hierarchy)
        truth, given = (_moved(sets, hierarchy, taller) for sets in (truth, given))
        hierarchy = taller
    scores = score(hierarchy, truth, {name: given}, list(chosen.columns.values()), **how)
    remarks += _remarks(scores)
    row = dict(zip(chosen.columns, scores.values[0].tolist(), strict=True))
    row = {key: chosen.undefined if np.isnan(value) else value for key, value in row.items()}
    for column, (p, r) in chosen.harmonic.items():
        both = row[p] + row[r]
        row[column] = 2 * row[p] * row[r] / both if both else 0.0
    return row


def _with_hidden_root(hierarchy: Hierarchy) -> Hierarchy:
    names = hierarchy.names
    above = [(HIDDEN, names[r]) for r in hierarchy.root_indices.tolist()]
    return Hierarchy.from_edges([*above, *_edges(hierarchy)], roots="any")


def _with_own_roots(hierarchy: Hierarchy, labels: Any) -> Hierarchy:
    """Return the hierarchy with a root for every label that it does not have."""
    rows = labels.values() if isinstance(labels, Mapping) else labels
    named = [
        [row] if isinstance(row, str) or not isinstance(row, Iterable) else row for row in rows
    ]
    more = dict.fromkeys(c for row in named for c in row if c not in hierarchy)
    return Hierarchy.from_edges(_edges(hierarchy), classes=[*hierarchy.names, *more], roots="any")


def _edges(hierarchy: Hierarchy) -> list[tuple[Any, Any]]:
    names, child = hierarchy.names, row_numbers(hierarchy.parent_ptr)
    pairs = zip(hierarchy.parents.tolist(), child.tolist(), strict=True)
    return [(names[p], names[c]) for p, c in pairs]


def _moved(sets: LabelSets, old: Hierarchy, new: Hierarchy) -> LabelSets:
    """Return label sets in the numbers of a hierarchy that holds the same names."""
    numbers = np.asarray(new.index(old.names))
    return LabelSets.from_arrays(sets.indptr, numbers[sets.indices], len(new), sets.ids)
