"""``hierpair score``: systems under measures, from files read whole or part by part."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import hierpair as hp
from hierpair.cli.config import CONFIG
from hierpair.cli.looks import LOOK, THRESHOLDS, told
from hierpair.cli.options import Options, Outcome, Verb
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    POLICIES,
    READING,
    USUAL,
    Inputs,
    Side,
    Sides,
    asked_measures,
    hierarchy_of,
    read_inputs,
    sides_of,
    split_name,
)
from hierpair.errors import BadInput

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


def scoring_of(options: Options, inputs: Inputs) -> dict[str, Any]:
    """Return the keywords of ``score`` that are about the data and the run."""
    how = options.take("unknown missing on_infeasible n_jobs=jobs")
    return {**how, "sample_weight": inputs.weight, "on_progress": options.meter.show}


def scored(options: Options, inputs: Inputs, measures: Any, **how: Any) -> hp.Scores:
    """Return the scores of what was read."""
    i, how = inputs, {**how, **scoring_of(options, inputs)}
    options.last.append(f"scored on a {i.hierarchy.describe()}")
    return hp.score(i.hierarchy, i.truth, i.systems, measures, **how)


def run(options: Options) -> Outcome:
    """Score, and say on stderr what was scored."""
    parts = dataset_sides(options)
    if options.preset is not None:
        return _as_tool(options)
    asked = asked_measures(options, of_scores=True)
    if parts is not None:
        return told(score_parts(options, parts, asked), options)
    inputs = read_inputs(options, scored=asked[0].of_scores or None)
    return told(scored(options, inputs, asked), options)


def _as_tool(options: Options) -> Outcome:
    """Return the numbers of another tool."""
    from hierpair.metrics.presets import preset_named

    preset = preset_named(options.preset)
    i = read_inputs(options, scored=preset.scored or preset.of_scores)
    if options.by is not None:
        from hierpair.cli.curve import cafa_numbers

        return Outcome(cafa_numbers(i, options))
    how = scoring_of(options, i)
    del how["on_infeasible"]
    found = hp.metrics.score_like(options.preset, i.hierarchy, i.truth, i.systems, **how)
    return Outcome(found.content(options.digits, **options.take("caption label")))


# ------------------------------------------------------------------------------- part by part


def dataset_sides(options: Options) -> Sides | None:
    """Return truth and systems if they are to be read part by part; None: they are read whole.

    Raises
    ------
    BadInput
        For data sets with what only whole files can have.
    """
    from hierpair.io.datasets.paths import is_dataset, is_large

    paths = [split_name(given)[1] for given in options.files[1:]]
    several = [path for path in paths if is_dataset(path)]
    asked = bool(several or options.values is not None or options.engine is not None)
    whole = "--per-instance" if options.per_instance else "--preset" if options.preset else ""
    if several and whole:
        raise BadInput(f"{several[0]}: {whole} needs files that are read whole; --values DIR "
                       "writes the values of instances")  # fmt: skip
    if options.case is not None or whole or not (asked or any(map(is_large, paths))):
        return None
    truth, systems = sides = sides_of(options)
    if truth is None or not systems:
        trouble = (
            f"{paths[0]}: give a hierarchy and one data set with truth and systems, of which "
            "--truth-column names the truth; or HIERARCHY TRUTH PREDICTIONS"
        )
    else:
        each = [truth.path, *(side.path for side in systems.values())]
        wholes = [path for path in each if path == "-" or path.endswith((".npz", ".npy"))]
        trouble = f"{wholes[0]}: standard input and matrices are read whole" if wholes else ""
    if trouble and asked:
        raise BadInput(trouble)
    return None if trouble or not (asked or _are_columns(sides)) else sides


def _are_columns(sides: Sides) -> bool:
    """Whether truth and systems are columns of the same rows of one data set."""
    truth, systems = sides
    how = ((side.path, side.options["columns"]) for side in (truth, *systems.values()) if side)
    return len({(path, c.ids, c.where, c.long) for path, c in how}) == 1


def dataset_of(side: Side, *, table: bool = False) -> Any:
    """Open a data set; of a ``table`` truth and systems are columns."""
    from hierpair.io.datasets import open_dataset

    c = side.options["columns"]
    columns = hp.labels.Columns(ids=c.ids, where=c.where, long=c.long) if table else c
    return open_dataset(side.path, side.options["fmt"], columns=columns)


def score_parts(options: Options, sides: Sides, asked: Any) -> hp.Scores:
    """Score a data set part by part; progress is told in rows."""
    from hierpair.evaluation.dataset import score_sides

    hierarchy, (truth, systems) = hierarchy_of(options), sides
    options.last.append(f"scored on a {hierarchy.describe()}")
    assert truth is not None  # as dataset_sides has it
    how: dict[str, Any] = {
        **options.take("unknown on_infeasible values engine scheduler n_jobs=jobs"),
        "measures": asked, "hints": {name: side.hint for name, side in systems.items()},
        "n_workers": options.workers, "on_progress": partial(options.meter.show, unit="rows"),
    }  # fmt: skip
    if _are_columns(sides):
        whole, columns = dataset_of(truth, table=True), {
            name: replace(side.options["columns"], where=())
            for name, side in ((None, truth), *systems.items())
        }  # fmt: skip
        return hp.evaluation.score_dataset(
            hierarchy, whole, truth=columns.pop(None), systems=columns, **how
        )
    found = {name: dataset_of(side) for name, side in systems.items()}
    return score_sides(hierarchy, dataset_of(truth), found, missing=options.missing, **how)


SCORE = Verb(
    "score",
    "score predictions",
    "Score one or more systems under measures, or a case study that comes with hierpair (--case).",
    "hierpair score tree.tsv truth.tsv mine=run1.tsv theirs=run2.tsv -m hf -m gie",
    OPTIONS + CHOSEN + MORE + SCORING + THRESHOLDS.format(mark="#", rules=" {without --preset}")
    + LOOK.format(mark="#", rules=" {without --preset}") + PARTS + READING,
    run,
)  # fmt: skip
