"""Data sets on the command line: which files are read part by part, and their scores."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.conventions import conventions_of
from hierpair.cli.parser import say
from hierpair.cli.reading import hierarchy_of
from hierpair.cli.sides import Side, Sides, sides_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.cli.progress import Meter
    from hierpair.evaluation.scores import Scores
    from hierpair.io.datasets import DataSet

__all__ = ["PARTS", "dataset_of", "dataset_sides", "score_parts"]

PARTS = """
--values DIR              write the values of instances as Parquet parts into a folder of their own
--engine {dask}           do the parts on a cluster
--scheduler ADDRESS       of a cluster of Dask that exists
--workers N:int           processes of a cluster that is started on this machine (default: one
                          per core)
"""


def dataset_sides(options: argparse.Namespace) -> Sides | None:
    """Return truth and systems if they are to be read part by part; None: they are read whole.

    Raises
    ------
    BadInput
        For data sets with what only whole files can have.
    """
    from hierpair.io.datasets.paths import is_dataset, is_large

    files, asked = options.files[1:], _asked(options)
    if not files or getattr(options, "case", None) is not None:
        if asked:
            instead = "; for a case take --per-instance" if asked == "--values" else ""
            raise BadInput(f"{asked} is for files of labels{instead}")
        return None
    several = [path for path in map(_path, files) if is_dataset(path)]
    refused = "--per-instance" if options.per_instance else "--preset" if options.preset else ""
    if refused and (several or asked):
        instead = "; --values DIR writes the values of instances" if options.per_instance else ""
        which = several[0] if several else asked
        raise BadInput(f"{which}: {refused} needs files that are read whole{instead}")
    large = not refused and any(map(is_large, files))
    if not (several or large or asked):
        return None
    sides = sides_of(options, folders=bool(several))
    if sides.truth is None or not sides.systems:
        if several or asked:
            raise BadInput(
                f"{(several or files)[0]}: give a hierarchy and one data set with truth and "
                "systems, of which --truth-column names the truth; or HIERARCHY TRUTH PREDICTIONS"
            )
        return None
    trouble = _trouble(sides, apart=bool(several or asked))
    if trouble and (several or asked):
        raise BadInput(trouble)
    return None if trouble else sides


def _path(given: str) -> str:
    """Return the path of ``FILE`` or ``NAME=FILE``."""
    name, equals, path = given.partition("=")
    return path if equals and not os.path.lexists(given) and "/" not in name else given


def _asked(options: argparse.Namespace) -> str:
    """Return the option for which files are read part by part, whatever their size, or nothing."""
    of_engine = [
        word
        for word, value in (("--scheduler", options.scheduler), ("--workers", options.workers))
        if value is not None
    ]
    if of_engine and options.engine is None:
        raise BadInput(f"{of_engine[0]} is for --engine dask")
    if len(of_engine) > 1:
        raise BadInput("--scheduler names a cluster that has its workers; leave --workers out")
    if options.engine is not None and options.jobs != 1:
        raise BadInput("--jobs is for this machine without --engine; take --workers")
    if options.workers is not None and options.workers < 1:
        raise BadInput(f"--workers must be at least 1, got {options.workers}")
    if options.values is not None:
        return "--values"
    return "" if options.engine is None else "--engine"


def _trouble(sides: Sides, *, apart: bool) -> str:
    """Return why sides cannot be read part by part together, or nothing.

    With ``apart`` they may be data sets of their own.
    """
    every = _each(sides)
    npz = next((side.path for side in every if _is_matrix(side)), None)
    if npz is not None:
        return f"{npz}: matrices (npz) are read whole"
    if any(side.path == "-" for side in every):
        return "-: standard input is read whole"
    if not _are_columns(sides):
        odd = next((name for name in sides.systems if {*"*?["} & {*name}), None)
        if odd is not None:
            return f"{sides.systems[odd].path}: name the system: NAME={sides.systems[odd].path}"
        return "" if apart else "files of their own are read whole"
    return ""


def _is_matrix(side: Side) -> bool:
    from hierpair.io import LABEL_FORMATS

    return "npz" in (side.options["fmt"], LABEL_FORMATS.of_ending(side.path))


def _are_columns(sides: Sides) -> bool:
    """Whether truth and systems are columns of the same rows of one data set."""
    rows = set()
    for side in _each(sides):
        columns = side.options["columns"]
        rows.add((side.path, columns.ids, columns.where, columns.long))
    return len(rows) == 1


def _each(sides: Sides) -> list[Side]:
    return [*([sides.truth] if sides.truth is not None else []), *sides.systems.values()]


def dataset_of(sides: Sides) -> DataSet:
    """Open the data set of which truth and systems are columns."""
    from hierpair.io.datasets import open_dataset
    from hierpair.labels import Columns

    first = _each(sides)[0]
    columns = first.options["columns"]
    kept = Columns(ids=columns.ids, where=columns.where, long=columns.long)
    return open_dataset(first.path, first.options["fmt"], columns=kept)


def score_parts(options: argparse.Namespace, sides: Sides, meter: Meter) -> tuple[Scores, str]:
    """Score a data set part by part, and say on which hierarchy; progress is told in rows."""
    from hierpair.evaluation.dataset import score_dataset, score_sides

    def note(text: str) -> None:
        meter.wipe()
        say(options, text)

    if sides.truth is None:
        raise AssertionError
    meter.reading(options.files[0])
    hierarchy = hierarchy_of(options, note)
    how: dict[str, Any] = {
        "measures": options.measures or None, "unknown": options.unknown,
        "on_infeasible": options.on_infeasible, "n_jobs": options.jobs, "values": options.values,
        "engine": options.engine, "scheduler": options.scheduler, "n_workers": options.workers,
        "hints": {name: side.hint for name, side in sides.systems.items()},
        "on_progress": partial(meter.show, unit="rows"), **conventions_of(options),
    }  # fmt: skip
    if _are_columns(sides):
        columns = {name: _columns(side) for name, side in sides.systems.items()}
        truth = _columns(sides.truth)
        scores = score_dataset(hierarchy, dataset_of(sides), truth=truth, systems=columns, **how)
    else:
        opened = {name: _opened(side) for name, side in sides.systems.items()}
        scores = score_sides(
            hierarchy, _opened(sides.truth), opened, missing=options.missing, on_note=note, **how
        )
    return scores, hierarchy.describe()


def _opened(side: Side) -> DataSet:
    from hierpair.io.datasets import open_dataset

    return open_dataset(side.path, side.options["fmt"], columns=side.options["columns"])


def _columns(side: Side) -> Any:
    return replace(side.options["columns"], where=())
