"""Case studies that come with hierpair: pure data in a folder, readable without us."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.graph import Hierarchy
from hierpair.io import parse_labels, read_hierarchy
from hierpair.io.text import read_lines
from hierpair.labels import Columns, LabelSets, Unknown, match_instances
from hierpair.labels.naming import numbers_of
from hierpair.labels.rows import LabelRows
from hierpair.verification.case_folders import (
    DATA,
    case_folder,
    case_names,
    case_text,
    data_folder,
    unlisted_files,
)

__all__ = ["DATA", "Case", "case_folder", "case_names", "case_text", "load_case"]


@dataclass(frozen=True, eq=False)
class Case:
    """A case study.

    Attributes
    ----------
    name, title, citation, notes
        What it is and where it comes from.
    hierarchy, y_true, systems
        Its data, ready for :func:`hierpair.score`.
    absent
        Systems whose files are not in the data folder.
    missing
        System → instances that its file has no line for, where case.toml expects another number
        of them; their predictions are empty.
    unlisted
        Files beside those of the systems that no case lists; they are not read.
    weight
        One weight per instance, or None; scores of the case are weighted by it.
    paired
        Whether an instance is the same object for all systems. If not, only pooled scores mean
        something: systems must not be compared instance by instance.
    """

    name: str
    title: str
    citation: str
    notes: str
    hierarchy: Hierarchy
    y_true: LabelSets
    systems: dict[str, LabelSets]
    absent: tuple[str, ...] = ()
    weight: NDArray[np.float64] | None = None
    paired: bool = True
    missing: dict[str, tuple[Hashable, ...]] = field(default_factory=dict)
    unlisted: tuple[str, ...] = ()


def load_case(name: str, data: str | Path | None = None) -> Case:
    """Load a case.

    Parameters
    ----------
    name
        Its name.
    data
        Folder of the data that do not come with hierpair, laid out as the case's notes say; by
        default what the environment variable ``HIERPAIR_DATA`` names.

    Raises
    ------
    BadInput
        If there is no such case, or its data are not there.

    Examples
    --------
    >>> case = load_case("transposon")
    >>> len(case.hierarchy), len(case.y_true), list(case.systems)[:2]
    (19, 9006, ['HC_GA', 'HC_LGA'])
    """
    about = case_text(name)
    if "files" not in about:
        raise BadInput(f"the case {name!r} has no labels to score")
    files = about["files"]
    folder = case_folder(name)
    if "data" in files:
        folder = data_folder(name, files["data"], data)
    hierarchy = read_hierarchy(folder / files["hierarchy"])
    if "depth" in files:
        hierarchy = _cut(hierarchy, files["depth"])
    absent: tuple[str, ...] = ()
    missing = {}
    if "counts" in files:
        truth, systems = _from_counts(folder / files["counts"], hierarchy)
    else:
        labels = about.get("labels", {})
        truth = _labels(folder / files["truth"], hierarchy, labels)
        systems = {}
        for system, file in about["systems"].items():
            if "data" in files and not (folder / file).exists():
                absent += (system,)
                continue
            found = _labels(folder / file, hierarchy, labels)
            without = _without_line(truth, found)
            if len(without) != about.get("missing", {}).get(system, 0):
                missing[system] = without
            systems[system] = match_instances(truth, found, missing="empty", system=system)
    weight = _weights(folder / files["weights"], truth) if "weights" in files else None
    return Case(
        name, about["title"], about["citation"], about["notes"].strip(), hierarchy, truth,
        systems, absent, weight, about.get("paired", True), missing,
        tuple(unlisted_files(name, about, folder)),
    )  # fmt: skip


def _without_line(truth: LabelSets, found: LabelSets) -> tuple[Hashable, ...]:
    """Return the instances that a system has no prediction for, where both sides have ids."""
    if truth.ids is None or found.ids is None:
        return ()
    known = set(found.ids)
    return tuple(name for name in truth.ids if name not in known)


def _weights(path: Path, truth: LabelSets) -> NDArray[np.float64]:
    """Read ``id TAB weight`` lines for the instances of the truth."""
    found = {}
    for number, line in enumerate(read_lines(path), start=1):
        name, _, weight = line.partition("\t")
        try:
            found[name] = float(weight)
        except ValueError:
            raise BadInput(f"{path}:{number}: expected id and weight, got {line!r}") from None
    missing = [name for name in truth.ids or () if name not in found]
    if missing:
        raise BadInput(f"{path}: no weight for instance {missing[0]!r}")
    return np.array([found[str(name)] for name in truth.ids or ()])


def _cut(hierarchy: Hierarchy, depth: int) -> Hierarchy:
    """Return the classes down to a depth."""
    frame = [
        (hierarchy.names[p], hierarchy.names[c])
        for c in range(len(hierarchy))
        if hierarchy.depths[c] <= depth
        for p in hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]]
    ]
    return Hierarchy.from_edges(frame)


def _labels(path: Path, hierarchy: Hierarchy, how: dict[str, Any]) -> LabelSets:
    """Read labels; where blank ones may count, they are dropped, not refused."""
    columns = Columns(
        ids=how.get("id"),
        labels=(how["column"],) if "column" in how else (),
        where=tuple(how.get("where", {}).items()),
        paths=how.get("paths"),
    )
    rows = parse_labels(path, fmt=how.get("format", "table"), columns=columns)
    blanks = bool(how.get("blanks", False))
    if blanks:
        _only_blanks_are_unknown(rows, hierarchy)
    unknown: Unknown = "drop" if blanks else "error"
    return LabelSets.from_rows(rows, hierarchy, unknown=unknown)


def _only_blanks_are_unknown(rows: LabelRows, hierarchy: Hierarchy) -> None:
    """Refuse a label that no class has: a damaged line must not pass for a blank one."""
    places = [(i, k) for i, row in enumerate(rows.rows) for k in range(len(row))]
    numbers = numbers_of([rows.rows[i][k] for i, k in places], hierarchy)
    for at in np.flatnonzero(numbers < 0):
        i, k = places[at]
        label = rows.rows[i][k]
        if label.strip():
            raise BadInput(f"{rows.where(i, k)}: there is no class {label!r} in the hierarchy")


def _from_counts(path: Path, hierarchy: Hierarchy) -> tuple[LabelSets, dict[str, LabelSets]]:
    """Spread counts of (system, true, predicted) over instances, ordered by the true class."""
    rows: dict[str, list[tuple[str, str, int]]] = {}
    for number, line in enumerate(read_lines(path)[1:], start=2):
        fields = line.split("\t")
        if len(fields) != 4 or not fields[3].isdigit():
            raise BadInput(f"{path}:{number}: expected system, true, predicted, count")
        rows.setdefault(fields[0], []).append((fields[1], fields[2], int(fields[3])))
    truth = None
    systems = {}
    for system, counted in rows.items():
        counted.sort()
        repeat = np.array([n for _, _, n in counted])
        sides = [np.repeat(hierarchy.index(row[k] for row in counted), repeat) for k in (0, 1)]
        if truth is not None and not np.array_equal(truth, sides[0]):
            raise BadInput(f"{path}: {system} has other numbers of objects per true class")
        truth = sides[0]
        one_each = offsets(np.ones(len(truth), dtype=np.int64))
        systems[system] = LabelSets.from_arrays(one_each, sides[1], len(hierarchy))
    if truth is None:
        raise BadInput(f"{path}: no counts")
    one_each = offsets(np.ones(len(truth), dtype=np.int64))
    return LabelSets.from_arrays(one_each, truth, len(hierarchy)), systems
