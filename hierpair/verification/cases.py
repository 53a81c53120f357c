"""Case studies that come with hierpair: pure data, two files for each source."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, did_you_mean, facts_table, listed
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.graph import Hierarchy
from hierpair.io import parse_labels, read_hierarchy
from hierpair.io.text import read_lines, read_toml
from hierpair.labels import Columns, LabelSets, match_instances
from hierpair.labels.naming import LabelRows, numbers_of

__all__ = [
    "DATA",
    "Case",
    "case_folder",
    "case_names",
    "case_text",
    "columns_of",
    "data_folder",
    "fields_of",
    "hierarchy_of",
    "inline",
    "load_case",
    "source_file",
    "wanted_folder",
]

DATA = "HIERPAIR_DATA"
"""Environment variable that names the folder of data that we must not give away."""

KINDS = ("files", "statistics")
"""Tables of a case that may name a folder of such data."""

KEYS = ("title", "citation", "licence", "origin", "notes")
"""What every case says, in texts."""

TABLES = {
    "files": ("hierarchy",),
    "systems": (),
    "labels": (),
    "missing": (),
    "data": (),
    "tables": ("scores",),
    "statistics": ("data", "hierarchy"),
}
"""Tables that it may have, and what each must say."""


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


def _texts(path: Path) -> dict[str, Any]:
    """Return what a file says of its cases, read anew only when it was changed."""
    return _read_once(path, path.stat().st_mtime_ns)


@cache
def _read_once(path: Path, _: int) -> dict[str, Any]:
    return read_toml(path)


def case_text(name: str) -> dict[str, Any]:
    """Return what the file of its source says of a case.

    Raises
    ------
    BadInput
        If there is no such case, or it says too little.
    """
    known = case_names()
    if name not in known:
        raise BadInput(
            f"there is no case {name!r}{did_you_mean(name, known)}; hierpair verify --list shows "
            f"all {len(known)}"
        )
    path = source_file(name, ".toml")
    about: dict[str, Any] = _texts(path)[name]
    place = f"{path}: case {name}"
    for key in KEYS:
        if not isinstance(about.get(key), str):
            raise BadInput(f"{place}: {key!r} is missing; it is a text in quotes")
    for table, needed in TABLES.items():
        entries = about.get(table, {})
        if not isinstance(entries, dict):
            raise BadInput(f"{place}: {table!r} must be a table; write [{name}.{table}]")
        for key in needed if entries else ():
            if not isinstance(entries.get(key), str):
                raise BadInput(f"{place}: [{name}.{table}] must name {key!r} in quotes")
    if "files" in about and not {"truth", "counts"} & set(about["files"]):
        raise BadInput(f"{place}: [{name}.files] must name 'truth' or 'counts'")
    return about


def fields_of(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the fields of every line, separated by tabs."""
    for number, line in enumerate(read_lines(path), start=1):
        yield f"{path}:{number}", line.split("\t")


def inline(name: str, file: str) -> list[tuple[str, list[str]]]:
    """Return the place and the fields of every line of a file that a case holds itself.

    Raises
    ------
    BadInput
        If it is not there, or empty.
    """
    text = case_text(name).get("data", {}).get(file)
    place = f"{source_file(name, '.toml')}: {name}, {file}"
    if not text:
        raise BadInput(f"{place}: {'the file is empty' if text == '' else 'there is no such file'}")
    return [(f"{place}:{k}", x.split("\t")) for k, x in enumerate(text.splitlines(), start=1)]


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
    remedy = (
        f"the data of case {name!r} do not come with hierpair (its notes say why and where "
        f"they are); put them into a folder {wanted!r} and name the folder above it with --data "
        f"or {DATA}"
    )
    if top is None:
        raise BadInput(remedy)
    folder = Path(top) / wanted
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}: {remedy}")
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

    def __repr__(self) -> str:
        n, systems = counted(len(self.y_true), "instance"), counted(len(self.systems), "system")
        return f"Case({self.name!r}, {counted(len(self.hierarchy), 'class')}, {n}, {systems})"

    def _repr_html_(self) -> str:
        facts = {
            "name": self.name,
            "source": self.citation,
            "hierarchy": self.hierarchy.describe(),
            "instances": f"{len(self.y_true):,}",
            "systems": listed(self.systems),
        }
        return facts_table(self.title, facts.items())


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
    absent: tuple[str, ...] = ()
    missing = {}
    if "counts" in files:
        truth, systems = _from_counts(inline(name, files["counts"]), hierarchy)
    else:
        truth = _labels(name, files["truth"], hierarchy, folder)
        systems = {}
        for system, file in about["systems"].items():
            if folder is not None and not (folder / file).exists():
                absent += (system,)
                continue
            found = _labels(name, file, hierarchy, folder)
            without = _without_line(truth, found)
            if len(without) != about.get("missing", {}).get(system, 0):
                missing[system] = without
            systems[system] = match_instances(truth, found, missing="empty", system=system)
    weight = _weights(inline(name, files["weights"]), truth) if "weights" in files else None
    words = about["title"], about["citation"], about["notes"].strip()
    paired = about.get("paired", True)
    unlisted = () if folder is None else _unlisted_files(name, about, folder)
    return Case(name, *words, hierarchy, truth, systems, absent, weight, paired, missing, unlisted)


def hierarchy_of(name: str, folder: Path | None) -> Hierarchy:
    """Return the hierarchy of a case, from a folder of data or as the case holds it."""
    files = next(about for kind in KINDS if (about := case_text(name).get(kind)))
    if folder is None:
        edges = [fields for _, fields in inline(name, files["hierarchy"])]
        hierarchy = Hierarchy.from_edges(edges, roots="any")
    else:
        hierarchy = read_hierarchy(folder / files["hierarchy"], roots="any")
    return _cut(hierarchy, files["depth"]) if "depth" in files else hierarchy


def _without_line(truth: LabelSets, found: LabelSets) -> tuple[Hashable, ...]:
    """Return the instances that a system has no prediction for, where both sides have ids."""
    if truth.ids is None or found.ids is None:
        return ()
    known = set(found.ids)
    return tuple(name for name in truth.ids if name not in known)


def _weights(lines: Iterable[tuple[str, list[str]]], truth: LabelSets) -> NDArray[np.float64]:
    """Read ``id TAB weight`` lines for the instances of the truth."""
    found = {}
    for place, (name, *weight) in lines:
        try:
            found[name] = float("\t".join(weight))
        except ValueError:
            line = "\t".join([name, *weight])
            raise BadInput(f"{place}: expected id and weight, got {line!r}") from None
    missing = [name for name in truth.ids or () if name not in found]
    if missing:
        raise BadInput(f"{place}: no weight for instance {missing[0]!r}")
    return np.array([found[str(name)] for name in truth.ids or ()])


def _cut(hierarchy: Hierarchy, depth: int) -> Hierarchy:
    """Return the classes down to a depth."""
    ptr, names = hierarchy.parent_ptr, hierarchy.names
    near = np.flatnonzero(hierarchy.depths <= depth)
    edges = [(names[p], names[c]) for c in near for p in hierarchy.parents[ptr[c] : ptr[c + 1]]]
    return Hierarchy.from_edges(edges, roots="any")


def _labels(name: str, file: str, hierarchy: Hierarchy, folder: Path | None) -> LabelSets:
    """Read labels; where blank ones may count, they are dropped, not refused."""
    how = case_text(name).get("labels", {})
    columns = columns_of(how)
    blanks = bool(how.get("blanks", False))
    if folder is not None:
        rows = parse_labels(folder / file, fmt=how.get("format", "table"), columns=columns)
    else:
        lines = inline(name, file)
        labels = [fields[-1].split(columns.separator) for _, fields in lines]
        rows = LabelRows(labels, lambda i, k: lines[i][0], [fields[0] for _, fields in lines])
        rows = rows if columns.paths is None else rows.as_paths(columns.paths)
    if blanks:
        _only_blanks_are_unknown(rows, hierarchy)
    return LabelSets.from_rows(rows, hierarchy, unknown="drop" if blanks else "error")


def columns_of(how: Mapping[str, Any]) -> Columns:
    """Return the columns that a table ``[labels]`` names."""
    return Columns(
        ids=how.get("id"),
        labels=(how["column"],) if "column" in how else (),
        separator=how.get("separator", "|"),
        where=tuple(how.get("where", {}).items()),
        paths=how.get("paths"),
    )


def _only_blanks_are_unknown(rows: LabelRows, hierarchy: Hierarchy) -> None:
    """Refuse a label that no class has: a damaged line must not pass for a blank one."""
    labels = [(x, i, k) for i, row in enumerate(rows.rows) for k, x in enumerate(row)]
    numbers = numbers_of([x for x, _, _ in labels], hierarchy)
    for at in np.flatnonzero(numbers < 0):
        label, i, k = labels[at]
        if label.strip():
            raise BadInput(f"{rows.where(i, k)}: there is no class {label!r} in the hierarchy")


def _from_counts(
    lines: list[tuple[str, list[str]]], hierarchy: Hierarchy
) -> tuple[LabelSets, dict[str, LabelSets]]:
    """Spread counts of (system, true, predicted) over instances, ordered by the true class."""
    rows: dict[str, list[tuple[str, str, int]]] = {}
    for place, fields in lines[1:]:
        if len(fields) != 4 or not fields[3].isdigit():
            raise BadInput(f"{place}: expected system, true, predicted, count")
        rows.setdefault(fields[0], []).append((fields[1], fields[2], int(fields[3])))
    truth = None
    systems = {}

    def one_each(classes: NDArray[Any]) -> LabelSets:
        pointer = offsets(np.ones(len(classes), dtype=np.int64))
        return LabelSets.from_arrays(pointer, classes, len(hierarchy))

    for system, counts in rows.items():
        counts.sort()
        repeat = np.array([n for _, _, n in counts])
        sides = [np.repeat(hierarchy.index(row[k] for row in counts), repeat) for k in (0, 1)]
        if truth is not None and not np.array_equal(truth, sides[0]):
            raise BadInput(f"{place}: {system} has other numbers of objects per true class")
        truth = sides[0]
        systems[system] = one_each(sides[1])
    if truth is None:
        raise BadInput(f"{lines[0][0]}: no counts")
    return one_each(truth), systems


def _unlisted_files(name: str, about: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    """Return the files beside those of the systems of a case that no case lists.

    Only files that end like those of the systems are looked at; cases may share a folder.
    """
    wanted = wanted_folder(about)
    listed = set(_files(about))
    for other in case_names():
        if other != name:
            text = case_text(other)
            listed |= set(_files(text)) if wanted_folder(text) == wanted else set()
    endings = {Path(file).suffix for file in about["systems"].values()}
    found = (path for path in folder.iterdir() if path.is_file() and path.suffix in endings)
    return tuple(sorted(path.name for path in found if path.name not in listed))


def _files(about: Mapping[str, Any]) -> Iterator[str]:
    for kind in (*KINDS, "systems"):
        yield from (x for x in about.get(kind, {}).values() if isinstance(x, str))
