"""The conventions of other tools by name, and the numbers that they print for the same labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair._version import __version__
from hierpair.comparison.analysis import Analysis
from hierpair.errors import BadInput, counted, unknown
from hierpair.evaluation.looks import Look
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.io.text import read_toml
from hierpair.labels import LabelSets, match_instances
from hierpair.labels.node_scores import has_scores, scores_of_labels
from hierpair.measures import measure
from hierpair.probabilistic.curves import pooled_curve
from hierpair.tables.records import Form, Records
from hierpair.tables.result import View, down, flattened

if TYPE_CHECKING:
    import pandas as pd

HIDDEN = "(hidden root)"
THRESHOLDS = tuple(float(t) for t in np.arange(0.01, 1, 0.01))
OPTIONS = ("sample_weight", "unknown", "missing", "chunk", "n_jobs", "on_progress")
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
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
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
    values: NDArray[np.float64]
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

    def views(self, form: Form, look: Look) -> list[View]:
        """Return a row per system."""
        return [View(self.records(), ("system",), "column")]

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
            if name not in known:
                raise unknown("system or column", name, known)
        return float(self.values[self.systems.index(key[0]), self.columns.index(key[1])])

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
    thresholds: dict[str, float] = {}
    columns, rows, remarks = (*chosen.columns, *chosen.harmonic), [], list[str]()
    for name, labels in systems.items():
        said = labels
        if has_scores(labels) and not chosen.of_scores:
            if not chosen.scored:
                raise BadInput(
                    f"{name}: {preset} knows no scores of predictions; choose the labels by a "
                    "threshold first"
                )
            said, thresholds[name] = _at_the_best(hierarchy, truth, str(name), labels, how)
        found = _scores(chosen, hierarchy, truth, name, said, how)
        row = dict(zip(chosen.columns, found.values[0].tolist(), strict=True))
        if not chosen.of_scores:
            row = {c: chosen.undefined if np.isnan(x) else x for c, x in row.items()}
        for c, (p, r) in chosen.harmonic.items():
            both = row[p] + row[r]
            row[c] = 2 * row[p] * row[r] / both if both else 0.0
        rows.append([row[c] for c in columns])
        remarks += _remarks(found)
    values = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    told = tuple(dict.fromkeys(remarks))
    return ToolScores(preset, tuple(map(str, systems)), columns if rows else (), values, thresholds,
                      tuple(hierarchy.doubts), told)  # fmt: skip


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
    return scores.above(threshold, reached=True), threshold


def _scores(
    chosen: Preset,
    hierarchy: Hierarchy,
    truth: LabelSets,
    name: str,
    labels: Any,
    how: Mapping[str, Any],
) -> Scores:
    """Return the scores of one system, with the classes that the tool adds to the hierarchy."""
    old = hierarchy
    if chosen.own_roots and not isinstance(labels, LabelSets) and "unknown" not in how:
        rows = labels.values() if isinstance(labels, Mapping) else labels
        named = ([row] if isinstance(row, str) or not isinstance(row, Iterable) else row
                 for row in rows)  # fmt: skip
        more = dict.fromkeys(c for row in named for c in row if c not in hierarchy)
        hierarchy = _wider(hierarchy, classes=more)
        truth = _moved(truth, old, hierarchy)
    if not chosen.of_scores:
        unknown = how.get("unknown", "error")
        labels = LabelSets.from_labels(labels, hierarchy, unknown=unknown, source=name)
    if chosen.hidden_root:
        tops = [(HIDDEN, hierarchy.names[r]) for r in hierarchy.root_indices.tolist()]
        hierarchy = _wider(old, tops)
        truth, labels = (_moved(sets, old, hierarchy) for sets in (truth, labels))
    return score(hierarchy, truth, {name: labels}, list(chosen.columns.values()), **how)


def _wider(
    hierarchy: Hierarchy, edges: Iterable[tuple[Any, Any]] = (), classes: Iterable[Any] = ()
) -> Hierarchy:
    """Return the hierarchy with more edges and classes."""
    names, child = hierarchy.names, row_numbers(hierarchy.parent_ptr)
    pairs = zip(hierarchy.parents.tolist(), child.tolist(), strict=True)
    own = [(names[p], names[c]) for p, c in pairs]
    return Hierarchy.from_edges([*edges, *own], classes=[*names, *classes], roots="any")


def _moved(sets: LabelSets, old: Hierarchy, new: Hierarchy) -> LabelSets:
    """Return label sets in the numbers of a hierarchy that holds the same names."""
    numbers = np.asarray(new.index(old.names))
    return LabelSets.from_arrays(sets.indptr, numbers[sets.indices], len(new), sets.ids)
