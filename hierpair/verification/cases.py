"""Case studies that come with hierpair: pure data, two files for each source."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, did_you_mean
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.graph import Hierarchy
from hierpair.io import parse_labels, read_hierarchy
from hierpair.io.text import read_lines, read_toml
from hierpair.labels import Columns, LabelSets, match_instances
from hierpair.labels.naming import LabelRows

DATA = "HIERPAIR_DATA"
"""Environment variable that names the folder of data that we must not give away."""

KINDS = ("files", "statistics")
"""Tables of a case that may name a folder of such data."""


def case_folder() -> Path:
    """Return the folder of all cases: in an installed wheel, or beside it in a checkout."""
    here = Path(__file__).parents[1]
    installed = here / "cases"
    return installed if installed.is_dir() else here.parent / "cases"


def source_file(name: str, ending: str) -> Path:
    """Return the file of what a case is printed in: the word before its first hyphen."""
    return case_folder() / f"{name.partition('-')[0]}{ending}"


def case_names() -> list[str]:
    """Return the names of all cases."""
    return sorted(name for path in case_folder().glob("*.toml") for name in _texts(path))


@cache
def _texts(path: Path) -> dict[str, Any]:
    """Return what a file says of its cases."""
    return read_toml(path)


def case_text(name: str) -> dict[str, Any]:
    """Return what the file of its source says of a case.

    Raises
    ------
    BadInput
        If there is no such case.
    """
    known = case_names()
    if name not in known:
        raise BadInput(
            f"there is no case {name!r}{did_you_mean(name, known)}; hierpair verify --list shows "
            f"all {len(known)}"
        )
    about: dict[str, Any] = _texts(source_file(name, ".toml"))[name]
    return about


def fields_of(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the fields of every line, separated by tabs."""
    for number, line in enumerate(read_lines(path), start=1):
        yield f"{path}:{number}", line.split("\t")


def inline(name: str, file: str) -> list[tuple[str, list[str]]]:
    """Return the place and the fields of every line of a file that a case holds itself."""
    lines = case_text(name)["data"][file].splitlines()
    place = f"{source_file(name, '.toml')}: {name}, {file}"
    return [(f"{place}:{k}", line.split("\t")) for k, line in enumerate(lines, start=1)]


def wanted_folder(about: Mapping[str, Any]) -> str | None:
    """Return the folder of data that a case needs beside its own, or None."""
    found = (str(about[kind]["data"]) for kind in KINDS if "data" in about.get(kind, {}))
    return next(found, None)


def data_folder(name: str, wanted: str, data: str | Path | None) -> Path:
    """Return the folder of data that do not come with hierpair.

    Raises
    ------
    BadInput
        If it is not there, or nothing says where.
    """
    top = data if data is not None else os.environ.get(DATA)
    folder = None if top is None else Path(top) / wanted
    if folder is None or not folder.is_dir():
        absent = "" if folder is None else f"there is no folder {folder}: "
        raise BadInput(
            f"{absent}the data of case {name!r} do not come with hierpair (its notes say why and "
            f"where they are); put them into a folder {wanted!r} and name the folder above it with "
            f"--data or {DATA}"
        )
    return folder


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
        System → instances that its file has no line for, where its notes expect another number
        of them; their predictions are empty.
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

    def __repr__(self) -> str:
        n, systems = counted(len(self.y_true), "instance"), counted(len(self.systems), "system")
        return f"Case({self.name!r}, {counted(len(self.hierarchy), 'class')}, {n}, {systems})"


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
    folder = data_folder(name, files["data"], data) if "data" in files else None
    hierarchy = hierarchy_of(name, folder)
    absent: list[str] = []
    missing = {}
    if "counts" in files:
        truth, systems = _from_counts(inline(name, files["counts"])[1:], hierarchy)
    else:
        truth, systems = _labels(name, files["truth"], hierarchy, folder), {}
        for system, file in about["systems"].items():
            if folder is not None and not (folder / file).exists():
                absent.append(system)
                continue
            found = _labels(name, file, hierarchy, folder)
            known = set(found.ids or ())
            without = tuple(x for x in truth.ids or () if x not in known)
            if len(without) != about.get("missing", {}).get(system, 0):
                missing[system] = without
            systems[system] = match_instances(truth, found, missing="empty", system=system)
    weight = None
    if "weights" in files:
        weights = dict(fields for _, fields in inline(name, files["weights"]))
        weight = np.array([float(weights[str(x)]) for x in truth.ids or ()])
    words = about["title"], about["citation"], about["notes"].strip()
    paired = about.get("paired", True)
    return Case(name, *words, hierarchy, truth, systems, tuple(absent), weight, paired, missing)


def hierarchy_of(name: str, folder: Path | None) -> Hierarchy:
    """Return the hierarchy of a case, from a folder of data or as the case holds it."""
    files = next(about for kind in KINDS if (about := case_text(name).get(kind)))
    if folder is None:
        edges = [fields for _, fields in inline(name, files["hierarchy"])]
        hierarchy = Hierarchy.from_edges(edges, roots="any")
    else:
        hierarchy = read_hierarchy(folder / files["hierarchy"], roots="any")
    if "depth" not in files:
        return hierarchy
    near = np.flatnonzero(hierarchy.depths <= files["depth"])
    above, names = hierarchy.parent_ptr, hierarchy.names
    parents = ((p, c) for c in near for p in hierarchy.parents[above[c] : above[c + 1]])
    return Hierarchy.from_edges([(names[p], names[c]) for p, c in parents], roots="any")


def _labels(name: str, file: str, hierarchy: Hierarchy, folder: Path | None) -> LabelSets:
    """Read labels; where blank ones may count, they are dropped."""
    how = case_text(name).get("labels", {})
    columns = columns_of(how)
    if folder is not None:
        rows = parse_labels(folder / file, fmt=how.get("format", "table"), columns=columns)
    else:
        lines = inline(name, file)
        labels = [fields[-1].split(columns.separator) for _, fields in lines]
        rows = LabelRows(labels, lambda i, k: lines[i][0], [fields[0] for _, fields in lines])
        rows = rows if columns.paths is None else rows.as_paths(columns.paths)
    if not how.get("blanks"):
        return LabelSets.from_rows(rows, hierarchy)
    some = [[label for label in row if label.strip()] for row in rows.rows]
    LabelSets.from_rows(LabelRows(some, rows.where, rows.ids), hierarchy)  # all others are classes
    return LabelSets.from_rows(rows, hierarchy, unknown="drop")


def columns_of(how: Mapping[str, Any]) -> Columns:
    """Return the columns that a table ``[labels]`` names."""
    return Columns(
        ids=how.get("id"),
        labels=(how["column"],) if "column" in how else (),
        separator=how.get("separator", "|"),
        where=tuple(how.get("where", {}).items()),
        paths=how.get("paths"),
    )


def _from_counts(
    lines: list[tuple[str, list[str]]], hierarchy: Hierarchy
) -> tuple[LabelSets, dict[str, LabelSets]]:
    """Spread counts of (system, true, predicted) over instances, ordered by the true class.

    Systems without as many objects per true class as the others are a fault of the file.
    """
    rows: dict[str, list[tuple[str, str, int]]] = {}
    for _, (system, true, predicted, n) in lines:
        rows.setdefault(system, []).append((true, predicted, int(n)))
    sides: dict[str, list[NDArray[np.int64]]] = {}
    for system, counts in rows.items():
        counts.sort()
        repeat = [n for *_, n in counts]
        sides[system] = [
            np.repeat(hierarchy.index(row[k] for row in counts), repeat) for k in (0, 1)
        ]

    def one_each(classes: NDArray[Any]) -> LabelSets:
        pointer = offsets(np.ones(len(classes), dtype=np.int64))
        return LabelSets.from_arrays(pointer, classes, len(hierarchy))

    truth, *others = (true for true, _ in sides.values())
    if not all(np.array_equal(truth, other) for other in others):
        raise BadInput(f"{lines[0][0]}: systems have other numbers of objects per true class")
    return one_each(truth), {system: one_each(said) for system, (_, said) in sides.items()}
