"""``hierpair score``, ``partial`` and ``merge``: systems under measures, at once or in parts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import hierpair as hp
from hierpair.cli.config import CONFIG
from hierpair.cli.looks import LOOK, THRESHOLDS, in_order, told
from hierpair.cli.options import Answer, Keywords, Options, Verb
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    POLICIES,
    READING,
    USUAL,
    Inputs,
    LabelFile,
    LabelFiles,
    asked_measures,
    conventions_of,
    counting_of,
    hierarchy_of,
    read_inputs,
    sides_of,
    split_name,
)
from hierpair.errors import BadInput, HierpairError, counted, visible
from hierpair.tables.forms import FORMS

SCORING = f"""{POLICIES}
--on-infeasible {{raise,nan}}
                          instances without a possible pairing: an error, or left out of pooled
                          scores [default: raise] {{with labels}}
--jobs N:int              number of processes [default: 1]
{CONFIG}{DATA}"""

CHOSEN = CASE + MEASURES.format(", ".join(USUAL))

OPTIONS = """
FILE…                     hierarchy, truth, and one file or NAME=FILE per system; folders and
                          patterns are read part by part
"""

MORE = """
--per-instance            the value of every instance {without --transpose}
--preset TOOL             the numbers of another tool: hiclass-micro, hiclass-macro,
                          sklearn-hierarchical-classification, hemkit, pyevall, hierverb; for
                          predictions with scores: cafaeval, clus, making-better-mistakes {without
                          --measures, --set, --per-instance, --on-infeasible, --by level}
--by WHAT                 level: accuracy, precision, recall and F1 of every level, and how many
                          predictions stop above it, go too deep or leave the path; namespace, or a
                          file with lines class TAB namespace: with --preset cafaeval, Fmax, Smin
                          and weighted Fmax of every namespace (that of the OBO file) {with
                          --preset cafaeval or --by level; without --per-instance}
--weights FILE            weights of classes for the weighted Fmax {with --by}
"""

PARTS = """
## large data {with files of labels; without --per-instance, --preset}
--values DIR              write the values of instances as Parquet parts into a folder of their own
--engine {dask}           work on a cluster of Dask {without --jobs}
--scheduler ADDRESS       the address of a running cluster {with --engine; without --workers}
--workers N:int           start a cluster of so many processes on this machine (default: one per
                          core) {with --engine}
"""


def scoring_of(options: Options, inputs: Inputs) -> Keywords:
    """Return the keywords of ``score`` that are about the data and the run."""
    how = options.take("unknown missing on_infeasible n_jobs=jobs")
    return {**how, "sample_weight": inputs.weight, "on_progress": options.meter.show}


def scored(options: Options, inputs: Inputs, measures: Any, **how: Any) -> hp.Scores:
    """Return the scores of what was read."""
    i, how = inputs, {**how, **scoring_of(options, inputs)}
    options.last.append(f"scored on a {i.hierarchy.describe()}")
    return hp.score(i.hierarchy, i.truth, i.systems, measures, **how)


def run(options: Options) -> Answer:
    """Score, and say on stderr what was scored."""
    if options.preset is not None:
        return _as_tool(options)
    asked = asked_measures(options, of_scores=True)
    parts = dataset_sides(options, of_scores=asked[0].of_scores)
    if parts is not None:
        scores = score_parts(options, parts, asked)
    else:
        inputs = read_inputs(options, scored=asked[0].of_scores or None)
        scores = scored(options, inputs, asked)
    found = told(scores, options)
    if options.by == "level":
        given = conventions_of(options)
        if options.measures or given.keys() - {"root"}:
            options.last.append("a table by level has columns of its own; without --by level there "
                                "are the scores of the measures that are named")  # fmt: skip
        table = in_order(scores, options).by_level(root=given.get("root", "exclude"))
        shown = table.content(options.digits, **options.take("caption label"))
        return replace(found, content=shown)
    return found


def _as_tool(options: Options) -> Answer:
    """Return the numbers of another tool."""
    from hierpair.metrics.presets import preset_named

    preset = preset_named(options.preset)
    i = read_inputs(options, scored=preset.scored or preset.of_scores)
    if options.by is not None:
        from hierpair.cli.curve import cafa_numbers

        return Answer(cafa_numbers(i, options))
    how = scoring_of(options, i)
    del how["on_infeasible"]
    found = hp.metrics.score_like(options.preset, i.hierarchy, i.truth, i.systems, **how)
    return Answer(found.content(options.digits, **options.take("caption label")))


def dataset_sides(options: Options, *, of_scores: bool) -> LabelFiles | None:
    """Return truth and systems if they are to be read part by part; None: they are read whole."""
    from hierpair.io.datasets.tables import is_dataset, is_large

    paths = [split_name(given)[1] for given in options.files[1:]]
    asked = {options.values, options.engine} != {None} or any(map(is_dataset, paths))
    whole = "--per-instance" * options.per_instance or "--by level" * (options.by == "level")
    if asked and whole:
        raise BadInput(f"{whole} needs files that are read whole; --values DIR writes values")
    if options.case or whole or not (asked or any(map(is_large, paths))):
        return None
    sides = sides_of(options)
    if len(sides) < 2:
        return None
    in_parts = asked or _are_columns(sides) or (not of_scores and _can_be_joined(sides))
    return sides if in_parts else None


def _can_be_joined(sides: LabelFiles) -> bool:
    """Whether data sets say which instance a row is, and may mean nothing else if read whole."""
    with suppress(BadInput):  # which reading them says, too
        return all(x.columns.ids and not x.header for x in map(dataset_of, sides.values()))
    return False


def _are_columns(sides: LabelFiles) -> bool:
    """Whether truth and systems are columns of the same rows of one data set, an instance each."""
    how = ((side.path, side.options["columns"]) for side in sides.values())
    same = {(path, c.ids, c.where, c.long) for path, c in how}
    return len(same) == 1 and not same.pop()[-1]


def dataset_of(side: LabelFile) -> Any:
    """Open a data set."""
    from hierpair.io.datasets import open_dataset

    return open_dataset(side.path, side.options["fmt"], columns=side.options["columns"])


def score_parts(options: Options, sides: LabelFiles, asked: Any) -> hp.Scores:
    """Score a data set part by part; progress is told in rows."""
    from hierpair.evaluation.dataset import score_sides

    hierarchy = hierarchy_of(options)
    counting = counting_of(options, hierarchy)
    options.last.append(f"scored on a {counting.of_classes(hierarchy).describe()}")
    how: Keywords = {
        **options.take("unknown on_infeasible values n_jobs=jobs"),
        "measures": asked, "hints": {name: side.hint for name, side in sides.items()},
        "ignore": counting.ignore, "ignore_ancestors": counting.ancestors,
        "classes": counting.classes, "n_workers": options.workers,
        "engine": options.scheduler or options.engine,
        "on_progress": partial(options.meter.show, unit="rows"),
    }  # fmt: skip
    systems: Any
    if _are_columns(sides):
        systems = {x: replace(side.options["columns"], where=()) for x, side in sides.items()}
        how |= {"truth": systems.pop(None), "systems": systems}
        return hp.evaluation.score_dataset(hierarchy, dataset_of(sides[None]), **how)
    systems = {name: dataset_of(side) for name, side in sides.items()}
    return score_sides(hierarchy, systems.pop(None), systems, missing=options.missing, **how)


SCORE = Verb(
    "score",
    "score predictions",
    "Score predictions of one or more systems, or a case that comes with hierpair (--case).",
    "hierpair score tree.tsv truth.tsv mine=run1.tsv theirs=run2.tsv -m hf -m gie",
    OPTIONS + CHOSEN + MORE + SCORING + THRESHOLDS.format(mark="#", rules=" {without --preset}")
    + LOOK.format(mark="#", rules=" {without --preset}", scores=" {without --preset, --by level}")
    + PARTS + READING,
    run,
)  # fmt: skip

SUMS = "hp"
"""The format, and the ending, of a file of sums."""


def merged(options: Options) -> hp.Partial:
    """Return the sum of the partials of files; what it is of is told in the end."""
    from hierpair.evaluation.partial import merge_named
    from hierpair.io.text import read_bytes

    def partials() -> Iterator[tuple[str, hp.Partial]]:
        for path in options.files:
            data = read_bytes(path)
            try:
                yield path, hp.Partial.from_bytes(data)
            except HierpairError as error:
                raise BadInput(f"{path}: {error.reason}") from None

    total = merge_named(partials())
    n, parts = len(options.files), counted(len(total.parts), "part")
    options.last.append(f"{counted(n, 'partial')}, {parts}, scored on a {total.hierarchy}")
    return total


def partial_scores(options: Options) -> hp.Scores:
    """Return the scores of partials under the measures that were asked for, or all."""
    from hierpair.comparison.common_scores import under

    scores = merged(options).scores()
    if options.measures:
        places = map(scores.measure_number, asked_measures(options))
        scores = under(scores, [scores.measures[k] for k in dict.fromkeys(places)])
    elif options.set:
        raise BadInput(
            f"--set {'='.join(options.set[0])} makes other measures, and a partial has those that "
            "it was made with; choose some of them with -m, or score the labels"
        )
    return scores


PARTIAL_OPTIONS = """
FILE…                  hierarchy, truth, and one file or NAME=FILE per system; systems have the
                       same names in all parts
--part NAME            what the part is called, so that it is counted once (default: its first and
                       last id, or without ids the file of the truth, and a digest of its
                       instances)
--keep-worst K:int     keep the K worst instances by system and measure; needs ids [default: 0]
--blocks K:int         keep sums by block, for hierpair compare: every instance is put into one of
                       K by its id; 1000 are enough for most data [default: 0]
"""


def run_partial(options: Options) -> Answer:
    """Make the partial, and say on stderr what it is of."""
    asked = asked_measures(options, of_scores="sums")
    inputs = read_inputs(options, scored=asked[0].of_scores or None)
    part = part_name(options, inputs) if options.part is None else options.part
    made = hp.evaluation.partial(
        inputs.hierarchy, inputs.truth, inputs.systems, asked, part=part,
        **options.take("keep_worst blocks"), **scoring_of(options, inputs),
    )  # fmt: skip
    n = counted(made.n_instances, "instance")
    options.last.append(f"part {part}: {n}, scored on a {made.hierarchy}")
    return Answer(made.to_bytes())


def part_name(options: Options, inputs: Inputs) -> str:
    """Return what a part is called that has no name: its first and last id, and a digest of all.

    Instances without ids have the name of the file of the truth; the digest is of their classes.
    """
    truth = inputs.truth
    if truth.ids:
        called = " … ".join(visible(str(truth.ids[k]))[:40] for k in (0, -1))
        content = repr(truth.ids).encode()
    else:
        called = options.case or Path(options.files[1]).name
        content = truth.indptr.tobytes() + truth.indices.tobytes()
    return f"{called} {hashlib.blake2b(content, digest_size=8).hexdigest()}"


PARTIAL = Verb(
    "partial",
    "add up the scores of one part",
    "Score one part of a data set, and write the sums that hierpair merge adds up. The file holds "
    "no labels and no hierarchy.",
    "hierpair partial tree.tsv day1.tsv run=run1.tsv -o day1.hp",
    PARTIAL_OPTIONS + CHOSEN + SCORING + READING,
    run_partial,
    formats=(),
)


MERGED = f"""
FILE…   what hierpair partial wrote, in any order; a sum is written as --format {SUMS}, or to a
        file -o NAME.{SUMS}
"""


def run_merge(options: Options) -> Answer:
    """Add the partials up, and show their scores or write their sum."""
    total = merged(options)
    return Answer(total.to_bytes()) if options.format == SUMS else told(total.scores(), options)


WITHOUT_SUMS = f" {{without --format {SUMS}}}"

MERGE = Verb(
    "merge",
    "scores of all parts together",
    "Add up what hierpair partial wrote, and show the scores of all instances. They are those of "
    f"scoring all instances at once, to the last bit. With -o NAME.{SUMS} the sum is written, "
    "which can be merged again.",
    "hierpair merge day1.hp day2.hp",
    MERGED
    + THRESHOLDS.format(mark="#", rules=WITHOUT_SUMS)
    + LOOK.format(mark="#", rules=WITHOUT_SUMS, scores=WITHOUT_SUMS),
    run_merge,
    formats=(*FORMS, SUMS),
)
