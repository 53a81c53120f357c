"""Faults and doubts in files: a hierarchy, and labels against it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hierpair.checks.findings import Report, Tell
from hierpair.checks.label_checks import compare_sides, lint_labels
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import FAULTS, Fault
from hierpair.hierarchy.edge_list import cycles_broken
from hierpair.io import BREAKING_RULES, parse_hierarchy
from hierpair.io.datasets.paths import is_dataset, is_large

Options = Mapping[str, Any]


def lint(
    hierarchy: str | Path,
    truth: str | Path | None = None,
    systems: Mapping[str, str | Path] | None = None,
    *,
    break_cycles: str | None = None,
    hierarchy_options: Options | None = None,
    label_options: Options | None = None,
    truth_options: Options | None = None,
    system_options: Mapping[str, Options] | None = None,
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
    about = partial(report.add, str(hierarchy))
    graph = lint_hierarchy(hierarchy, about, break_cycles, **(hierarchy_options or {}))
    files = {name: str(x) for name, x in {"y_true": truth, **(systems or {})}.items() if x}
    own = {**(system_options or {}), "y_true": truth_options}
    known = set(files.values())
    in_parts = any(map(is_dataset, known)) or (len(known) == 1 and any(map(is_large, known)))
    sides: dict[str, Any] = {}
    for name, path in files.items() if graph is not None else ():
        about, options = partial(report.add, path), own.get(name)
        options = (label_options or {}) if options is None else options
        sides[name] = lint_labels(path, graph, about, in_parts=in_parts, **options)
        both = sides.get("y_true"), sides[name]
        if name != "y_true" and None not in both and not (in_parts and path == str(truth)):
            compare_sides(*both, name, about)
    return report


def lint_hierarchy(
    path: str | Path, about: Tell, break_cycles: str | None = None, roots: str | None = None,
    **options: Any,
) -> Hierarchy | None:  # fmt: skip
    """Add what is wrong with a hierarchy file, and what it is like; return it if it can be built.

    What can be mended is mended to go on: a duplicate edge is taken once, a faulty one left out.
    """
    troubles, broken, faults = list[str](), list[str](), list[Fault]()
    refusal, hierarchy, rule = list[str](), None, "format"
    try:
        edges = parse_hierarchy(path, trouble=troubles.append, **options)
        about("error", "format", troubles)
        about("warning", "left out", edges.notes)
        told, rule = cycles_broken(break_cycles, broken.append, faults.append), "hierarchy"
        hierarchy = edges.build("any", trouble=told)
        if not faults and not troubles:
            rule, tell = "misread", lambda doubt: about("warning", "several roots", [doubt])
            edges.check_roots(hierarchy, roots, tell)
    except BadInput as error:
        refusal.append(str(error))
    about("warning", "cycle", broken)
    hint = {"cycle": f" (--break-cycles {BREAKING_RULES[0]})"}
    for kind in FAULTS:
        said = ((f.place, f.message + hint.get(kind, "")) for f in faults if f.rule == kind)
        about("error", kind, said)
    about("error", rule, refusal)
    about("note", "shape", [] if hierarchy is None else [hierarchy.describe()])
    return hierarchy
