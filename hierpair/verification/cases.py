"""Case studies that come with hierpair: pure data, two files for each source."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, check_known
from hierpair.hierarchy.arrays import Floats
from hierpair.hierarchy.graph import Hierarchy
from hierpair.io import read_hierarchy, read_labels
from hierpair.io.text import read_text, read_toml
from hierpair.labels import Columns, LabelSets, match_instances

DATA = "HIERPAIR_DATA"
"""Environment variable that names the folder of data that we must not give away."""

Lines = list[tuple[str, list[str]]]
"""The place and the fields of every line of a table."""


def case_folder() -> Path:
    """Return the folder of all cases: in an installed wheel, or beside it in a checkout."""
    here = Path(__file__).parents[1]
    installed = here / "cases"
    return installed if installed.is_dir() else here.parent / "cases"


def source_file(name: str, ending: str) -> Path:
    """Return the file of what a case is printed in: the word before its first hyphen."""
    return case_folder() / f"{name.partition('-')[0]}{ending}"


@cache
def _texts(folder: Path) -> dict[str, Any]:
    """Return what the files of a folder say of each case."""
    paths = folder.glob("*.toml")
    return {name: about for path in paths for name, about in read_toml(path).items()}


def case_names() -> list[str]:
    """Return the names of all cases."""
    return sorted(_texts(case_folder()))


def case_text(name: str) -> dict[str, Any]:
    """Return what the file of its source says of a case; refuse one that is not there."""
    known = _texts(case_folder())
    check_known("case", name, sorted(known))
    about: dict[str, Any] = known[name]
    return about


def lines_of(path: Path) -> Lines:
    """Return the place and the fields, separated by tabs, of every line of a file."""
    lines = enumerate(read_text(path).splitlines(), start=1)
    return [(f"{path}:{k}", line.split("\t")) for k, line in lines]


@contextmanager
def files_of(name: str, data: str | Path | None) -> Iterator[Path]:
    """Give a folder of the files of a case: its folder of data, or one with those that it holds."""
    folder = data_folder(name, data)
    with TemporaryDirectory() as top:
        if folder is None:
            folder = Path(top, name)
            folder.mkdir()
            for file, text in case_text(name)["data"].items():
                (folder / file).write_text(text, "utf-8")
        try:
            yield folder
        except HierpairError as error:  # it names the file that holds the case
            held = f"{source_file(name, '.toml')}: "
            raise BadInput(str(error).replace(f"{top}{os.sep}", held)) from None


def data_folder(name: str, data: str | Path | None) -> Path | None:
    """Return the folder of data of a case that do not come with hierpair; None if all come.

    It is refused if it is not there, or nothing says where.
    """
    wanted = case_text(name).get("files", {}).get("data")
    if wanted is None:
        return None
    top = os.environ.get(DATA) if data is None else data
    if top is None or not Path(top, wanted).is_dir():
        absent = "" if top is None else f"there is no folder {Path(top, wanted)}: "
        raise BadInput(
            f"{absent}the data of case {name!r} do not come with hierpair (its notes say why and "
            f"where they are); put them into a folder {wanted!r} and name the folder above it with "
            f"--data or {DATA}"
        )
    return Path(top, wanted)


@dataclass(frozen=True, eq=False, repr=False)
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
    weight: Floats | None = None
    paired: bool = True
    missing: dict[str, tuple[Hashable, ...]] = field(default_factory=dict)


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
    files = about.get("files", {})
    if not {"truth", "counts"} & {*files}:
        raise BadInput(f"the case {name!r} has no labels to score")
    with files_of(name, data) as folder:
        hierarchy = hierarchy_of(name, folder)
        absent, missing, systems = [], {}, dict[str, LabelSets]()
        if "counts" in files:
            truth, systems = _from_counts(lines_of(folder / files["counts"])[1:], hierarchy)
        else:
            truth = labels_of(about, folder / files["truth"], hierarchy)
        for system, file in about.get("systems", {}).items():
            if not (folder / file).exists():
                absent.append(system)
                continue
            found = labels_of(about, folder / file, hierarchy)
            known = set(found.ids or ())
            without = tuple(x for x in truth.ids or () if x not in known)
            if len(without) != about.get("missing", {}).get(system, 0):
                missing[system] = without
            systems[system] = match_instances(truth, found, missing="empty", system=system)
        weight = None
        if "weights" in files:
            weights = dict(fields for _, fields in lines_of(folder / files["weights"]))
            weight = np.array([float(weights[str(x)]) for x in truth.ids or ()])
    words = about["title"], about["citation"], about["notes"].strip()
    paired = about.get("paired", True)
    return Case(name, *words, hierarchy, truth, systems, tuple(absent), weight, paired, missing)


def hierarchy_of(name: str, folder: Path) -> Hierarchy:
    """Return the hierarchy of a case, from a folder of its files."""
    files = case_text(name)["files"]
    whole = read_hierarchy(folder / files["hierarchy"], roots="any")
    if "depth" not in files:
        return whole
    near, names = whole.depths <= files["depth"], whole.names
    edges = whole.edges_by(range(len(whole)))
    return Hierarchy.from_edges([(names[p], names[c]) for p, c in edges if near[c]], roots="any")


def labels_of(about: Mapping[str, Any], file: Path, hierarchy: Hierarchy) -> LabelSets:
    """Read labels as a table ``[labels]`` says."""
    how: dict[str, Any] = dict(about.get("labels", {}))
    fmt, unknown = how.pop("format", "auto"), about.get("unknown", "error")
    given = {{"id": "ids", "column": "labels"}.get(key, key): value for key, value in how.items()}
    return read_labels(file, hierarchy, fmt=fmt, unknown=unknown, columns=Columns(**given))


def _from_counts(lines: Lines, hierarchy: Hierarchy) -> tuple[LabelSets, dict[str, LabelSets]]:
    """Spread counts of (system, true, predicted) over instances, ordered by the true class.

    All systems have as many objects per true class.
    """
    systems = {}
    rows = sorted((system, true, said, int(n)) for _, (system, true, said, n) in lines)
    for system, counts in groupby(rows, key=itemgetter(0)):
        _, *sides, n = zip(*counts, strict=True)
        found = (np.repeat(hierarchy.index(side), n).astype(np.int32) for side in sides)
        truth, systems[system] = (
            LabelSets(np.arange(sum(n) + 1), x, len(hierarchy)) for x in found
        )
    return truth, systems
