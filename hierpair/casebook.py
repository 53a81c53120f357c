"""Case studies that come with hierpair: pure data in a folder, readable without us."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels import LabelSets
from hierpair.readers import read_hierarchy
from hierpair.readers.text import read_lines

__all__ = ["Case", "case_names", "load_case"]


@dataclass(frozen=True, eq=False)
class Case:
    """A case study.

    Attributes
    ----------
    name, title, citation, notes
        What it is and where it comes from.
    hierarchy, y_true, systems
        Its data, ready for :func:`hierpair.score`.
    """

    name: str
    title: str
    citation: str
    notes: str
    hierarchy: Hierarchy
    y_true: LabelSets
    systems: dict[str, LabelSets]


def cases_folder() -> Path:
    """Return the folder of the cases: in an installed wheel, or beside it in a checkout."""
    here = Path(__file__).parent
    installed = here / "cases"
    return installed if installed.is_dir() else here.parent / "cases"


def case_names() -> list[str]:
    """Return the names of all cases."""
    return sorted(path.parent.name for path in cases_folder().glob("*/case.toml"))


def load_case(name: str) -> Case:
    """Load a case.

    Raises
    ------
    BadInput
        If there is no such case.

    Examples
    --------
    >>> case = load_case("transposon")
    >>> len(case.hierarchy), len(case.y_true), list(case.systems)[:2]
    (19, 9006, ['HC_GA', 'HC_LGA'])
    """
    folder = cases_folder() / name
    if name not in case_names():
        known = case_names()
        raise BadInput(
            f"there is no case {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}"
        )
    about = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    hierarchy = read_hierarchy(folder / about["files"]["hierarchy"])
    truths, systems = _from_counts(folder / about["files"]["counts"], hierarchy)
    return Case(
        name, about["title"], about["citation"], about["notes"].strip(), hierarchy, truths, systems
    )


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
