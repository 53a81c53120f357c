"""Options that say how files are read, and the reading."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierpair.cli.parser import say
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.cli.progress import Meter
    from hierpair.hierarchy import Hierarchy
    from hierpair.labels import Columns, LabelSets

__all__ = [
    "Inputs",
    "add_data_option",
    "add_hierarchy_options",
    "add_label_options",
    "columns_of",
    "hierarchy_options",
    "inputs_of",
    "label_options",
    "read_inputs",
    "systems_of",
]


def inputs_of(options: argparse.Namespace) -> list[str]:
    """Return all files that a verb reads, as they were given."""
    columns = getattr(options, "columns", None)
    return [*options.files, *options.plugin, *([columns] if columns is not None else [])]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a verb works on."""

    hierarchy: Hierarchy
    truth: LabelSets
    systems: dict[str, Any]
    weight: Any = None
    paired: bool = True


def add_data_option(verb: argparse.ArgumentParser) -> None:
    """Add the option that names the folder of data that do not come with hierpair."""
    verb.add_argument("--data", metavar="DIR",
                      help="folder of data that do not come with hierpair (default: "
                      "$HIERPAIR_DATA)")  # fmt: skip


def add_hierarchy_options(verb: argparse.ArgumentParser) -> None:
    """Add the options that say how a hierarchy is read."""
    group = verb.add_argument_group("reading the hierarchy")
    group.add_argument("--hierarchy-format", default="auto", metavar="FORMAT",
                       help="edges, weighted-edges, taxonomy, parents, paths, csv, obo, json, skos "
                       "(default: by ending and content)")  # fmt: skip
    group.add_argument("--relations", default="is_a", metavar="NAMES",
                       help="OBO relations to parents, such as is_a,part_of "
                       "(default: is_a)")  # fmt: skip
    group.add_argument("--namespace", metavar="NAME", help="the only OBO namespace to take")
    group.add_argument("--parent-column", metavar="NAME",
                       help="column of parents in a CSV hierarchy (default: by usual "
                       "names)")  # fmt: skip
    group.add_argument("--child-column", metavar="NAME",
                       help="column of classes in a CSV hierarchy")  # fmt: skip
    group.add_argument("--break-cycles", metavar="RULE",
                       help="leave out edges that close a cycle: depth-first")  # fmt: skip


def add_label_options(verb: argparse.ArgumentParser, *, policies: bool = True) -> None:
    """Add the options that say how labels are read."""
    group = verb.add_argument_group("reading labels")
    group.add_argument("--label-format", default="auto", metavar="FORMAT",
                       help="lines, table, long, csv, tsv, jsonl, npz, parquet "
                       "(default: by ending and content)")  # fmt: skip
    group.add_argument("--id-column", metavar="NAME", help="column of instance ids (default: id)")
    group.add_argument("--label-column", metavar="NAME", action="append", default=[],
                       help="column of labels (default: labels); given again for each level of a "
                       "path")  # fmt: skip
    group.add_argument("--separator", default="|", metavar="TEXT",
                       help="between the labels of a field (default: |)")  # fmt: skip
    group.add_argument("--paths", metavar="TEXT",
                       help="labels are paths from the top; the text between their classes, such "
                       "as /")  # fmt: skip
    group.add_argument("--where", metavar="COLUMN=VALUE", action="append", default=[],
                       help="take only rows with this value (may be repeated)")  # fmt: skip
    group.add_argument("--long", action="store_true", help="one label per row, an id comes again")
    group.add_argument("--score-column", metavar="NAME", help="column of scores (default: score)")
    group.add_argument("--min-score", type=float, metavar="X",
                       help="leave out predicted labels with a lower score")  # fmt: skip
    group.add_argument("--columns", metavar="FILE",
                       help="class of every column of an npz matrix, one a line")  # fmt: skip
    if not policies:
        return
    group.add_argument("--unknown", choices=("error", "drop", "root"), default="error",
                       help="labels outside the hierarchy (default: error)")  # fmt: skip
    group.add_argument("--missing", choices=("error", "empty"), default="error",
                       help="instances without a prediction (default: error)")  # fmt: skip


def hierarchy_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of ``parse_hierarchy`` that were given."""
    from hierpair.readers.hierarchies import check_hierarchy_format

    check_hierarchy_format(options.hierarchy_format)
    relations = [name.strip() for name in options.relations.split(",")]
    if not all(relations):
        raise BadInput(f"cannot read --relations {options.relations!r}; write is_a,part_of")
    return {
        "fmt": options.hierarchy_format,
        "relations": tuple(relations),
        "namespace": options.namespace,
        "parent_column": options.parent_column,
        "child_column": options.child_column,
    }


def columns_of(options: argparse.Namespace, *, truth: bool = False) -> Columns:
    """Return what the columns mean; those of scores are not looked for in the truth."""
    from hierpair.labels import Columns

    where = []
    for given in options.where:
        name, equals, value = given.partition("=")
        if not equals or not name:
            raise BadInput(f"cannot read --where {given!r}; write COLUMN=VALUE")
        where.append((name, value))
    scored = options.min_score is not None or options.score_column is not None
    columns = Columns(
        options.id_column, tuple(options.label_column), options.separator,
        options.long or scored, options.score_column, options.min_score, tuple(where),
        options.paths,
    )  # fmt: skip
    return replace(columns, long=options.long, score=None, min_score=None) if truth else columns


def label_options(options: argparse.Namespace, *, truth: bool = False) -> dict[str, Any]:
    """Return the keywords of ``parse_labels`` that were given."""
    from hierpair.readers.labelfiles import check_label_format, format_of_ending

    check_label_format(options.label_format)
    endings = {format_of_ending(given) for given in options.files[1:]}
    if options.columns is not None and "npz" not in (options.label_format, *endings):
        raise BadInput("--columns names the columns of npz files, and none is given")
    return {
        "fmt": options.label_format,
        "columns": columns_of(options, truth=truth),
        "column_names": options.columns,
    }


def systems_of(given_files: list[str]) -> dict[str, str]:
    """Return the file of every system, ``FILE`` or ``NAME=FILE``."""
    systems: dict[str, str] = {}
    for given in given_files:
        name, equals, path = given.partition("=")
        if not equals or os.path.exists(given):  # noqa: PTH110 - any text will do
            name, path = Path(given).name.split(".")[0] if given != "-" else "stdin", given
        if not name or not path:
            raise BadInput(f"cannot read the system {given!r}; write NAME=FILE")
        if name in systems:
            raise BadInput(f"two systems are called {name!r}; name them: {name}-2={path}")
        systems[name] = path
    return systems


def read_inputs(options: argparse.Namespace, meter: Meter, *, scored: bool = False) -> Inputs:
    """Read a case, or a hierarchy, a truth and at least one file of predictions.

    With ``scored`` the files of predictions must have scores, and systems are NodeScores.
    """
    if options.case is not None:
        from hierpair.casebook import load_case

        if options.files:
            raise BadInput("give either --case or files, not both")
        case = load_case(options.case, options.data)
        say(options, f"{case.title}\n{case.citation}")
        if case.absent:
            say(options, f"not in the data folder: {', '.join(case.absent)}")
        return Inputs(case.hierarchy, case.y_true, dict(case.systems), case.weight, case.paired)
    from hierpair.readers import read_hierarchy, read_labels, read_scored_labels

    if len(options.files) < 3:
        raise BadInput(
            "give a hierarchy, a truth and at least one file of predictions, or --case NAME"
        )
    hierarchy_file, truth_file, *predictions = options.files
    files = systems_of(predictions)

    def note(text: str) -> None:
        meter.wipe()
        say(options, text)

    meter.reading(hierarchy_file)
    hierarchy = read_hierarchy(
        hierarchy_file, **hierarchy_options(options), break_cycles=options.break_cycles,
        on_note=note,
    )  # fmt: skip

    def labels(path: str, *, truth: bool = False) -> Any:
        meter.reading(path)
        try:
            return (read_scored_labels if scored and not truth else read_labels)(
                path, hierarchy, **label_options(options, truth=truth), unknown=options.unknown,
                on_note=note,
            )  # fmt: skip
        except BadInput as error:
            if looks_like_hierarchy(path, options):
                raise BadInput(
                    f"{error} [{path} looks like a hierarchy: the order is HIERARCHY TRUTH "
                    "PREDICTIONS]"
                ) from None
            raise

    truth = labels(truth_file, truth=True)
    systems = {name: labels(path) for name, path in files.items()}
    for name, sets in systems.items():
        if (sets.ids is None) != (truth.ids is None) and len(sets) == len(truth):
            side = "truth" if sets.ids is None else name
            note(f"{name}: only the {side} has ids, so instances are matched by position")
    return Inputs(hierarchy, truth, systems)


def looks_like_hierarchy(path: str, options: argparse.Namespace) -> bool:
    """Whether a file that is no good as labels would do as a hierarchy with a single root."""
    from hierpair.readers import read_hierarchy

    if path == "-":
        return False
    try:
        hierarchy = read_hierarchy(path, **hierarchy_options(options))
    except BadInput:
        return False
    return len(hierarchy.root_indices) == 1 and len(hierarchy) > 2
