"""``hierpair score``: systems under measures, from files read whole or part by part."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.config import CONFIG
from hierpair.cli.looks import LOOK, THRESHOLDS, digits_of, missed, thresholds_of, told
from hierpair.cli.options import Outcome, Verb
from hierpair.cli.output import Meter, say, say_last
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    READING,
    USUAL,
    Inputs,
    asked_measures,
    hierarchy_of,
    read_inputs,
)
from hierpair.cli.sides import POLICIES, Side, Sides, name_of, sides_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores
    from hierpair.io.datasets import DataSet
    from hierpair.measures import Measure

SCORING = f"""{POLICIES}
--on-infeasible {{raise,nan}}
                          instances without a possible pairing: an error, or left out of pooled
                          scores [default: raise] {{with labels}}
--jobs N:int              processes [default: 1]
{CONFIG}{DATA}"""
"""What all that scores shares."""

CHOSEN = CASE + MEASURES.format(", ".join(USUAL))
"""What is scored instead of files, and by which measures."""

OPTIONS = """
FILE…                     hierarchy, truth, and one file or NAME=FILE per system; folders and
                          patterns are read part by part
"""

MORE = """
--per-instance            values of every instance {without --transpose}
--preset TOOL             the numbers of another tool: hiclass-micro, hiclass-macro,
                          sklearn-hierarchical-classification, hemkit, pyevall, hierverb; of
                          predictions with scores cafaeval, clus, making-better-mistakes {without
                          --measures, --set, --per-instance, --on-infeasible}
--by FILE                 namespaces apart: namespace, those of the OBO file, or a file with lines
                          class TAB namespace; of every one Fmax, Smin, weighted Fmax {with --preset
                          cafaeval}
--weights FILE            weights of classes for the weighted Fmax {with --by}
"""

PARTS = """
## large data {with files of labels; without --per-instance, --preset}
--values DIR              write the values of instances as Parquet parts into a folder of their own
--engine {dask}           do the parts on a cluster {without --jobs}
--scheduler ADDRESS       of a cluster of Dask that exists {with --engine; without --workers}
--workers N:int           processes of a cluster that is started on this machine (default: one
                          per core) {with --engine}
"""


def scoring_of(options: argparse.Namespace, inputs: Inputs, meter: Meter) -> dict[str, Any]:
    """Return the keywords of ``score`` that are about the data and the run."""
    return {
        "sample_weight": inputs.weight, "unknown": options.unknown, "missing": options.missing,
        "n_jobs": options.jobs, "on_infeasible": options.on_infeasible, "on_progress": meter.show,
    }  # fmt: skip


def run(options: argparse.Namespace) -> str | Outcome:
    """Score, and say on stderr what was scored."""
    from hierpair.evaluation.notes import UNUSED_SCORES
    from hierpair.evaluation.scoring import score

    parts = dataset_sides(options)
    with Meter(options.quiet) as meter:
        if options.preset is not None:
            return _as_tool(options, meter)
        asked = asked_measures(options, of_scores=True)
        if parts is not None:
            thresholds = thresholds_of(options, asked, list(parts.systems))
            scores, about = score_parts(options, parts, asked, meter)
        else:
            inputs = read_inputs(options, meter, scored=asked[0].of_scores or None)
            thresholds = thresholds_of(options, asked, list(inputs.systems))
            scores = score(inputs.hierarchy, inputs.truth, inputs.systems, asked,
                           **scoring_of(options, inputs, meter))  # fmt: skip
            about = inputs.hierarchy.describe()
    say_last(options, f"scored on a {about}")
    known = (UNUSED_SCORES,) if parts is None else ()  # reading has said so
    shown = told(scores, options, per_instance=options.per_instance, known=known)
    return Outcome(shown, missed(scores, thresholds, options))


def _as_tool(options: argparse.Namespace, meter: Meter) -> str:
    """Return the numbers of another tool."""
    from hierpair.metrics.presets import preset_named, score_like

    preset = preset_named(options.preset)
    inputs = read_inputs(options, meter, scored=preset.scored or preset.of_scores)
    if options.by is not None:
        from hierpair.cli.curve import cafa_numbers

        return cafa_numbers(inputs, options, norm="cafa", prop="max")
    how = scoring_of(options, inputs, meter)
    del how["on_infeasible"]
    found = score_like(
        options.preset, inputs.hierarchy, inputs.truth, inputs.systems, **how
    )  # fmt: skip
    return found.to_table(
        options.format, digits_of(options), caption=options.caption, label=options.label
    )


# ------------------------------------------------------------------------------- part by part


def dataset_sides(options: argparse.Namespace) -> Sides | None:
    """Return truth and systems if they are to be read part by part; None: they are read whole.

    Raises
    ------
    BadInput
        For data sets with what only whole files can have.
    """
    from hierpair.io.datasets.paths import is_dataset, is_large

    files = options.files[1:]
    several = [path for path in map(_path, files) if is_dataset(path)]
    apart = bool(several or options.values is not None or options.engine is not None)
    whole = "--per-instance" if options.per_instance else "--preset" if options.preset else ""
    if several and whole:
        raise BadInput(f"{several[0]}: {whole} needs files that are read whole; --values DIR "
                       "writes the values of instances")  # fmt: skip
    if options.case is not None or not (apart or (not whole and any(map(is_large, files)))):
        return None
    sides = sides_of(options, folders=bool(several))
    trouble = _trouble(sides, several or files, apart=apart)
    if trouble and apart:
        raise BadInput(trouble)
    return None if trouble else sides


def _path(given: str) -> str:
    """Return the path of ``FILE`` or ``NAME=FILE``."""
    name, equals, path = given.partition("=")
    named = "/" not in name or os.path.lexists(path)  # or a folder such as days/day=2
    return path if equals and named and not os.path.lexists(given) else given


def _trouble(sides: Sides, files: list[str], *, apart: bool) -> str:
    """Return why sides cannot be read part by part together, or nothing.

    With ``apart`` they may be data sets of their own.
    """
    from hierpair.io import LABEL_FORMATS

    if sides.truth is None or not sides.systems:
        return (
            f"{''.join(files[:1])}: give a hierarchy and one data set with truth and systems, of "
            "which --truth-column names the truth; or HIERARCHY TRUTH PREDICTIONS"
        )
    for side in sides.each:
        if "npz" in (side.options["fmt"], LABEL_FORMATS.of_ending(side.path)):
            return f"{side.path}: matrices (npz) are read whole"
        if side.path == "-":
            return "-: standard input is read whole"
    if _are_columns(sides):
        return ""
    for name, side in sides.systems.items():
        if {*"*?["} & {*name} and name == name_of(side.path):
            return f"{side.path}: name the system: NAME={side.path}"
    return "" if apart else "files of their own are read whole"


def _are_columns(sides: Sides) -> bool:
    """Whether truth and systems are columns of the same rows of one data set."""
    how = ((side.path, side.options["columns"]) for side in sides.each)
    return len({(path, c.ids, c.where, c.long) for path, c in how}) == 1


def dataset_of(side: Side) -> DataSet:
    """Open the data set of which truth and systems are columns."""
    from hierpair.io.datasets import open_dataset
    from hierpair.labels import Columns

    columns = side.options["columns"]
    kept = Columns(ids=columns.ids, where=columns.where, long=columns.long)
    return open_dataset(side.path, side.options["fmt"], columns=kept)


def score_parts(
    options: argparse.Namespace, sides: Sides, asked: tuple[Measure, ...], meter: Meter
) -> tuple[Scores, str]:
    """Score a data set part by part, and say on which hierarchy; progress is told in rows."""
    from hierpair.evaluation.dataset import score_dataset, score_sides
    from hierpair.io.datasets import open_dataset

    def note(text: str) -> None:
        meter.wipe()
        say(options, text)

    meter.reading(options.files[0])
    hierarchy = hierarchy_of(options, note)
    how: dict[str, Any] = {
        "measures": asked, "unknown": options.unknown, "on_infeasible": options.on_infeasible,
        "n_jobs": options.jobs, "values": options.values, "engine": options.engine,
        "scheduler": options.scheduler, "n_workers": options.workers,
        "hints": {name: side.hint for name, side in sides.systems.items()},
        "on_progress": partial(meter.show, unit="rows"),
    }  # fmt: skip
    truth, *systems = sides.each
    if _are_columns(sides):
        columns = [replace(side.options["columns"], where=()) for side in sides.each]
        named = dict(zip(sides.systems, columns[1:], strict=True))
        data = dataset_of(truth)
        scores = score_dataset(hierarchy, data, truth=columns[0], systems=named, **how)
    else:
        opened, *others = (
            open_dataset(side.path, side.options["fmt"], columns=side.options["columns"])
            for side in (truth, *systems)
        )
        found = dict(zip(sides.systems, others, strict=True))
        how |= {"missing": options.missing}
        scores = score_sides(hierarchy, opened, found, **how)
    return scores, hierarchy.describe()


SCORE = Verb(
    "score",
    "score predictions",
    "Score one or more systems under measures, or a case study that comes with hierpair (--case).",
    "hierpair score tree.tsv truth.tsv mine=run1.tsv theirs=run2.tsv -m hf -m gie",
    OPTIONS + CHOSEN + MORE + SCORING + THRESHOLDS.format(mark="#", rules=" {without --preset}")
    + LOOK.format(mark="#", rules=" {without --preset}") + PARTS + READING,
    run,
)  # fmt: skip
