"""What is wrong with files, found before anything is scored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hierpair.checks.findings import FileReport, Finding, Report
from hierpair.checks.hierarchy_checks import lint_hierarchy
from hierpair.checks.label_checks import LabelSizes, compare_instances, lint_labels
from hierpair.checks.label_parts import are_parts, compare_parts, lint_parts
from hierpair.checks.sizes import hierarchy_notes, label_notes, memory_note
from hierpair.io.datasets.tables import BATCH_ROWS, DataSet
from hierpair.labels import LabelSets

__all__ = ["Finding", "Report", "lint"]


def lint(
    hierarchy: str | Path,
    truth: str | Path | None = None,
    systems: Mapping[str, str | Path] | None = None,
    *,
    break_cycles: str | None = None,
    hierarchy_options: Mapping[str, Any] | None = None,
    label_options: Mapping[str, Any] | None = None,
    truth_options: Mapping[str, Any] | None = None,
    system_options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Report:
    """Check files and describe them.

    Parameters
    ----------
    hierarchy, truth, systems
        The files; the latter two may be left out. Folders and patterns, and truth and systems that
        are columns of the same large file, are read part by part, in bounded memory.
    break_cycles
        The rule that a run would break cycles by; cycles are then warnings.
    hierarchy_options, label_options
        Keywords of :func:`hierpair.io.parse_hierarchy` (and ``roots``), and of
        :func:`hierpair.io.parse_labels`.
    truth_options
        Those for the truth, if they are not ``label_options``.
    system_options
        The same for systems, by name.

    Returns
    -------
    Report
        Errors are what scoring would refuse.
    """
    report = Report()
    about = FileReport(report, str(hierarchy))
    graph = lint_hierarchy(
        hierarchy, about, break_cycles=break_cycles, **dict(hierarchy_options or {})
    )
    if graph is None:
        return report
    hierarchy_notes(graph, about)
    sides: dict[str, LabelSets] = {}
    opened: dict[str, DataSet] = {}
    sizes: dict[str, LabelSizes] = {}
    given = {name: path for name, path in {"y_true": truth, **(systems or {})}.items() if path}
    in_parts = are_parts(given.values())
    for name, path in given.items():
        about = FileReport(report, str(path))
        own = truth_options if name == "y_true" else (system_options or {}).get(name)
        options = dict(own if own is not None else label_options or {})
        if in_parts:
            found = lint_parts(path, graph, about, **options)
            if found is None:
                continue
            opened[name], sizes[name] = found
            label_notes(sizes[name], about)
            if opened.keys() > {"y_true"} and path != truth:
                compare_parts(opened["y_true"], opened[name], name, about)
            continue
        checked = lint_labels(path, graph, about, **options)
        if checked is None:
            continue
        sets, sizes[name] = checked
        label_notes(sizes[name], about)
        sides[name] = sets
        if name != "y_true" and "y_true" in sides:
            compare_instances(sides["y_true"], sets, name, about)
    memory_note(graph, sizes, report, BATCH_ROWS if in_parts else None)
    return report
