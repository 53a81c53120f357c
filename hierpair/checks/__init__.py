"""What is wrong with files, found before anything is scored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hierpair.checks.findings import FileReport, Finding, Report
from hierpair.checks.hierarchy_checks import lint_hierarchy
from hierpair.checks.label_checks import compare_sides, lint_labels
from hierpair.checks.memory import memory_note
from hierpair.io.datasets.paths import is_dataset, is_large

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
    graph = lint_hierarchy(hierarchy, about, break_cycles, **(hierarchy_options or {}))
    if graph is None:
        return report
    given = {name: path for name, path in {"y_true": truth, **(systems or {})}.items() if path}
    own = {**(system_options or {}), "y_true": truth_options}
    known = {str(path) for path in given.values()}
    in_parts = any(map(is_dataset, known)) or (len(known) == 1 and any(map(is_large, known)))
    sides: dict[str, Any] = {}
    for name, path in given.items():
        about = FileReport(report, str(path))
        options = own.get(name)
        options = (label_options or {}) if options is None else options
        sides[name] = lint_labels(path, graph, about, in_parts=in_parts, **options)
        both = sides.get("y_true"), sides[name]
        apart = name != "y_true" and not (in_parts and path == truth)
        if apart and all(side is not None for side in both):
            compare_sides(*both, name, about)
    note = memory_note(graph, [side for side in sides.values() if side is not None])
    report.findings.append(Finding("note", "memory", "all files", note))
    return report
