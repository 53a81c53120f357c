"""Scores of systems under measures, and how they are looked up and shown."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, check_known
from hierpair.evaluation.looks import TableLook, number_of
from hierpair.evaluation.notes import (
    doubts_by_system,
    notes_of,
    solver_notes_of,
    uneven_measures,
    uneven_notes,
)
from hierpair.evaluation.sums import mean_by_true_class, values_by_true_class
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels import LabelSets
from hierpair.labels.sets import that_count
from hierpair.measures import Batch, Columns, Entries, Measure
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import Result, crossed

if TYPE_CHECKING:
    import os

    import pandas as pd

    from hierpair.evaluation.by_level import LevelTable
    from hierpair.evaluation.partial import Partial


class NotKept(dict[str, Floats]):
    """The values of instances of scores that have none; ``reason`` says why, ``{}`` of whom."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason

    def __missing__(self, system: str) -> Floats:
        raise BadInput(self.reason.format(system))


class ByName:
    """Systems and measures that are found by name; ``done`` is what was done with them."""

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    done = "scored"

    def measure_number(self, name: str | Measure | None = None) -> int:
        """Return the number of a measure; the first by default."""
        return 0 if name is None else number_of(name, self.measures, self.done)

    def system_number(self, name: str) -> int:
        """Return the number of a system."""
        check_known("system", name, self.systems)
        return self.systems.index(name)


@dataclass(frozen=True, eq=False, repr=False)
class ScoredLabels:
    """The labels behind scores, by reference; the systems are in the order of the truth."""

    hierarchy: Hierarchy
    truth: LabelSets
    systems: Mapping[str, LabelSets]


class Reported:
    """A result of which a page can be written."""

    def to_report(self, path: str | os.PathLike[str], **how: Any) -> None:
        """Write one HTML file that shows everything, with drill-down; it needs no network.

        A file that exists is replaced in one step; ``how`` is as for
        :func:`hierpair.report.write_report`, such as ``title`` or ``texts``.
        """
        # The report stands on the highest floor and looks down on all others; this method only
        # leads there, so the module is named when it is called.
        import_module("hierpair.report").write_report(self, path, **how)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ByName, Result, Reported):
    """Scores of systems under measures.

    Attributes
    ----------
    systems, measures
        Names of the systems, and the measures.
    values
        Pooled scores, shape ``(n_systems, n_measures)``.
    per_instance
        By system, the value of every instance, shape ``(n_instances, n_measures)``.
    ids
        Instance ids, or None.
    n_instances
        Number of instances.
    n_unknown
        By side (``"y_true"`` and the systems), labels that were dropped or replaced.
    n_missing
        By system, instances without prediction that were counted as empty.
    solved_by
        By system and LCA measure, how many instances were solved in which way.
    n_infeasible
        By system and measure, instances that have no pairing, or had true classes of which none
        counts: their values are nan, and pooled scores leave them out.
    infeasible_at
        By system and measure, the places of the instances that its pooled score leaves out since
        they have no pairing.
    remarks
        By system and measure, sentences of what has to be known, and of how many instances.
    weight
        One weight per instance, or None.
    mean_labels
        By side (``"y_true"`` and the systems), the mean number of labels of an instance.
    evidence
        By system and number of a measure, what comparing needs of every instance: columns for
        micro averages, what it adds to classes for averages over classes (if that was kept).
    doubts
        What looks as if the hierarchy was misread (:attr:`Hierarchy.doubts`).
    unused_scores
        Systems whose labels came with scores that none of them was chosen by.
    scored
        The hierarchy and the labels themselves, or None for scores that were added up from parts.
    no_pairing_at
        Of scores that were compared: by system and measure, the places of the instances that have
        no pairing under that system itself, where ``infeasible_at`` has those of any system.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    per_instance: dict[str, Floats]
    ids: tuple[Hashable, ...] | None
    n_instances: int
    n_unknown: dict[str, int] = field(default_factory=dict)
    n_missing: dict[str, int] = field(default_factory=dict)
    solved_by: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    n_infeasible: dict[tuple[str, str], int] = field(default_factory=dict)
    infeasible_at: dict[tuple[str, str], Ints] = field(default_factory=dict)
    remarks: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    weight: Floats | None = None
    mean_labels: dict[str, float] = field(default_factory=dict)
    evidence: dict[tuple[str, int], Columns | Entries] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    unused_scores: tuple[str, ...] = ()
    partial: Partial | None = None
    scored: ScoredLabels | None = None
    no_pairing_at: dict[tuple[str, str], Ints] = field(default_factory=dict)

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return ``scores[system, measure]``."""
        if not (isinstance(key, tuple) and len(key) == 2):
            raise BadInput("look a score up by system and measure: scores['system', 'hf']")
        system, name = key
        return float(self.values[self.system_number(system), self.measure_number(name)])

    def worst(self, system: str, name: str, k: int) -> list[Hashable]:
        """Return the ids (or positions) of the ``k`` instances with the worst values.

        Of equal values the first come first; undefined values are left out. Of the scores of a
        partial they are the ids that it keeps (``keep_worst``), as texts, and of equal values
        those that come first as texts.
        """
        self.system_number(system)
        column = self.measure_number(name)
        m = self.measures[column]
        if self.partial is not None and (most := self.partial.kept.keep_worst):
            rows = self._worst_records().rows
            kept = [instance for s, of, instance, _ in rows if (s, of) == (system, m.name)]
            if k > len(kept) == most:
                raise BadInput(
                    f"only the {len(kept)} worst instances were kept, and {k} are asked for; make "
                    f"the partials with keep_worst={k}"
                )
            return kept[:k]
        names, values = self.ids or range(self.n_instances), self.per_instance[system][:, column]
        return [names[i] for i in lowest_places(m.sign * values, k)]

    def macro(
        self, system: str, name: str | Measure | None = None, *, default: float | None = None
    ) -> float:
        """Return the mean over true classes of the mean value of the instances of each.

        So rare classes count as much as frequent ones, under any measure that has values of
        instances, such as distances (FathomNet 2025; ProHOC, CVPR 2025). Of a measure that has no
        average over classes of its own, ``average="macro"`` is the same.

        Parameters
        ----------
        system, name
            The system, and the measure; the first by default.
        default
            What an instance without a possible pairing costs (scored with ``on_infeasible="nan"``);
            None: it is left out.

        Raises
        ------
        BadInput
            For instances with another number of true labels than one, and scores without labels.

        Examples
        --------
        >>> from hierpair import score
        >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
        >>> scores = score(tree, ["c", "c", "b"], {"mine": ["c", "a", "c"]}, "tree_induced_error")
        >>> scores.values.tolist(), scores.macro("mine")
        ([[1.3333333333333333]], 1.75)
        """
        k, labels = self.measure_number(name), self.scored
        values = self.per_instance[system][:, k].copy()
        if labels is None:
            raise BadInput("a mean by true class needs the labels, and these scores have none")
        truth, h = that_count(labels.hierarchy, labels.truth, labels.truth), labels.hierarchy
        if default is not None:
            none = self.infeasible_at.get((system, self.measures[k].name), np.zeros(0, np.int64))
            values[none[truth.lengths[none] > 0]] = default
        return mean_by_true_class(values_by_true_class(truth, values, len(h)), self.weight)

    def by_level(self, *, root: Any = "exclude") -> LevelTable:
        """Return what is right at each level of the hierarchy: accuracy, precision, recall, F1.

        And how many stop before a level, go too deep, or are on another path there
        (:class:`hierpair.evaluation.LevelTable`); weighted if the scores are.

        Parameters
        ----------
        root
            ``"exclude"``, ``"include"``, or the name of the class that does not count.

        Raises
        ------
        BadInput
            For scores that were added up from parts or come without labels.
        """
        from hierpair.evaluation.by_level import by_level

        if self.scored is None:
            raise BadInput(
                "a table by level is counted from labels, and these scores were added up from "
                "parts or come without labels; score files that are read whole"
            )
        labels, systems = self.scored, {name: self.scored.systems[name] for name in self.systems}
        return by_level(labels.hierarchy, labels.truth, systems, root=root, weight=self.weight)

    @property
    def signatures(self) -> list[str]:
        """One line per measure that pins all its conventions."""
        return [m.signature for m in self.measures]

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers: instances, labels and predictions left out."""
        return notes_of(self)

    @property
    def solver_notes(self) -> list[str]:
        """How the graphs of LCA measures were found, where a solver or its limit had a part."""
        return solver_notes_of(self)

    def content(
        self, digits: int | None = None, *, per_instance: bool = False, **look: Any
    ) -> Content:
        """Return what is shown; the options of :meth:`to_table` are these.

        Parameters
        ----------
        digits
            Decimals; by default 4, of values in per cent 2.
        per_instance
            One row per system and instance; columns are headed by signatures.
        look
            ``percent``: measures that are shares of 1 are multiplied by 100. ``transpose``: one row
            per measure; a text table that would be wider than 100 characters is folded.
            ``rename``: new names of systems and measures by their old ones. ``caption`` and
            ``label`` make the LaTeX tabular a table; the caption is plain text.
        """
        seen = TableLook(digits, **look).checked(self.systems, self.measures)
        known = {m.name: m for m in self.measures}

        def views(form: Form) -> list[Block]:
            heads = [seen.heading(m, typeset=form.typeset, arrow=False) for m in self.measures]
            if per_instance:
                rows = [[seen.name(s), str(i), *map(seen.cell, self.measures, values)]
                        for s, i, *values in self.records(per_instance=True).rows]  # fmt: skip
                return [Block(["system", "instance", *heads], rows, align="ll" + "r" * len(heads))]
            uneven, of = uneven_measures(self), dict(zip(self.measures, heads, strict=True))
            found = crossed(
                form, seen, self.records(), "system", "measure", heads=known,
                best=lambda m: m not in uneven, foot=uneven_notes(self, of.__getitem__),
            )  # fmt: skip
            worst = self._worst_records()
            rows = [[seen.name(s), seen.name(m), str(i), seen.cell(known[m], v)]
                    for s, m, i, v in worst.rows]  # fmt: skip
            lists = [Block(worst.header, rows, "worst instances", align="lllr")] if rows else []
            return [found, *lists]

        return self.viewed(
            seen,
            lambda: self.records(per_instance=per_instance),
            views,
            lambda: self._data(per_instance=per_instance),
            [m.of_instance for m in self.measures] if per_instance else None,
        )

    def records(self, *, per_instance: bool = False) -> Records:
        """Return a record per system and measure, or per system and instance.

        Values of instances are headed by signatures.
        """
        if per_instance:
            header = ["system", "instance", *(m.of_instance for m in self.measures)]
            names = self.ids or range(self.n_instances)
            rows = [
                [system, name, *values]
                for system in self.systems
                for name, values in zip(names, self.per_instance[system].tolist(), strict=True)
            ]
            return Records(header, rows)
        doubts = doubts_by_system(self)
        return Records.from_dicts([
            {
                "system": system,
                "measure": m.name,
                "value": float(self.values[i, k]),
                "better": m.definition.direction,
                "n_instances": self.n_instances,
                "n_unknown_true": self.n_unknown.get("y_true", 0),
                "n_unknown": self.n_unknown.get(system, 0),
                "n_missing": self.n_missing.get(system, 0),
                **({"n_infeasible": self.n_infeasible.get((system, m.name), 0)}
                   if self.n_infeasible else {}),
                "signature": m.signature,
                **({"doubts": doubts[system]} if doubts else {}),
            }
            for i, system in enumerate(self.systems)
            for k, m in enumerate(self.measures)
        ])  # fmt: skip

    def to_dataframe(  # type: ignore[override]  # a table of scores, not records
        self, *, per_instance: bool = False
    ) -> pd.DataFrame:
        """Return a pandas DataFrame: systems × measures, or one row per system and instance."""
        import pandas as pd

        names = [m.name for m in self.measures]
        if not per_instance:
            return pd.DataFrame(self.values, index=list(self.systems), columns=names)
        rows = self.records(per_instance=True).rows
        return pd.DataFrame(rows, columns=["system", "instance", *names])

    def _data(self, *, per_instance: bool) -> dict[str, Any]:
        some = {
            "solver_notes": self.solver_notes,
            "notes": self.notes[1:],
            "doubts": list(self.doubts),
            "scores": self.records().to_dicts(),
            "worst": self._worst_records().to_dicts(),
            "per_instance": self.records(per_instance=True).to_dicts() if per_instance else [],
        }
        counts = {name: getattr(self, name) for name in ("n_instances", "n_unknown", "n_missing")}
        return counts | {name: of for name, of in some.items() if of}

    def _worst_records(self) -> Records:
        """Return a record per system, measure and instance that a partial keeps, worst first."""
        rows: list[list[Any]] = []
        one: Any = self.partial
        for s, m in product(self.systems, self.measures if one is not None else ()):
            sums = one.sums[one.systems.index(s)]
            kept = sums.worst.get(str(one.measures.index(m)), ())
            rows += ([s, m.name, x, m.sign * v + 0.0] for v, x in kept)
        return Records(["system", "measure", "instance", "value"], rows)


def lowest_places(values: Floats, k: int) -> Ints:
    """Return where the ``k`` lowest values are, the lowest first; of equal ones the first.

    Undefined values are left out.

    >>> lowest_places(np.array([2.0, 1.0, np.nan, 1.0, 0.0]), 2).tolist()
    [4, 1]
    """
    return np.argsort(values, kind="stable")[: max(0, min(k, int((~np.isnan(values)).sum())))]


def worst_places(scores: Scores, system: str, column: int, k: int) -> list[int]:
    """Return where a system is worst by a measure: first where it has no possible pairing.

    What is left out since another system has no pairing, or since none of its true classes counts,
    has no value, and is nowhere.
    """
    m, blocked = scores.measures[column], scores.no_pairing_at or scores.infeasible_at
    labels: Any = scores.scored
    first = blocked.get((system, m.name), np.zeros(0, np.int64))
    truth = labels.truth.take(first)
    first = first[~Batch(labels.hierarchy, truth, truth).left_out(m.recipe)][:k]
    upwards = m.sign * scores.per_instance[system][:, column]
    return [*first.tolist(), *lowest_places(upwards, k - len(first)).tolist()]
