"""Options that say how files are read, and the reading."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair.cli.parser import say
from hierpair.cli.sides import LABELS, Side, columns_hint, named_files, sides_of
from hierpair.errors import BadInput, counted, listed

if TYPE_CHECKING:
    from hierpair.cli.progress import Meter
    from hierpair.hierarchy import Hierarchy
    from hierpair.labels import LabelSets

__all__ = [
    "DATA",
    "HIERARCHY",
    "LABELS",
    "Inputs",
    "hierarchy_of",
    "hierarchy_options",
    "inputs_of",
    "namespaces_of",
    "read_inputs",
]


def inputs_of(options: argparse.Namespace) -> list[str]:
    """Return all files that a verb reads, as they were given, and what may be one in a measure."""
    config = getattr(options, "config", None)
    texts = [*getattr(options, "measures", []), getattr(options, "convention_cost", None) or ""]
    inside = {word.strip() for text in texts for word in re.split(r"[()'\"=,]", text)} - {"", "-"}
    more = (getattr(options, name, None) for name in ("texts", "by", "weights", "classes"))
    told = [path for path in (config, *more) if path is not None]
    return [*options.files, *options.plugin, *named_files(options), *told, *sorted(inside)]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a verb works on.

    ``notes`` are what was said on stderr while it was read, ``title`` is that of a case.
    """

    hierarchy: Hierarchy
    truth: LabelSets
    systems: dict[str, Any]
    weight: Any = None
    paired: bool = True
    notes: tuple[str, ...] = ()
    title: str | None = None


DATA = """
--data DIR  folder of data that do not come with hierpair (default: $HIERPAIR_DATA)
"""

HIERARCHY = """
# reading the hierarchy
--hierarchy-format FORMAT
                      <hierarchy formats> [auto: by ending and content]
--relations NAMES     OBO relations to parents, such as is_a,part_of [default: is_a]
--namespace NAME      the only OBO namespace to take
--undefined {error,drop}
                      OBO, SKOS: parents that the file does not define, or obsolete ones
                      [default: error]
--parent-column NAME  column of parents in a CSV hierarchy (default: by common names)
--child-column NAME   column of classes in a CSV hierarchy
--hierarchy-levels NAMES
                      columns of levels from the top in a CSV hierarchy, such as order,family,genus
--hierarchy-separator TEXT
                      between the classes of a lineage (default: /), or the parts of a code
--direction {parent-to-child,child-to-parent}
                      which way edges lead (default: by header and keys, else parent to child)
--roots {any}         take roots that look misread, too
--break-cycles RULE   leave out edges that close a cycle: depth-first
"""


def hierarchy_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of ``parse_hierarchy`` that were given."""
    from hierpair.io import HIERARCHY_FORMATS

    HIERARCHY_FORMATS.check(options.hierarchy_format)
    relations = [name.strip() for name in options.relations.split(",")]
    if not all(relations):
        raise BadInput(f"cannot read --relations {options.relations!r}; write is_a,part_of")
    return {
        "fmt": options.hierarchy_format,
        "relations": tuple(relations),
        "namespace": options.namespace,
        "undefined": options.undefined,
        "parent_column": options.parent_column,
        "child_column": options.child_column,
        "levels": _named(options.hierarchy_levels),
        "separator": options.hierarchy_separator,
        "direction": options.direction,
    }


def _named(given: str | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(name.strip() for name in given.split(","))


def hierarchy_of(options: argparse.Namespace, note: Callable[[str], None]) -> Hierarchy:
    """Read the hierarchy, which is the first file of every verb."""
    from hierpair.io import read_hierarchy

    return read_hierarchy(
        options.files[0],
        **hierarchy_options(options),
        roots=options.roots,
        break_cycles=options.break_cycles,
        on_note=note,
    )


def namespaces_of(options: argparse.Namespace, hierarchy: Hierarchy) -> Any:
    """Return the namespace of every class: that of the OBO file, or of a file of them (--by)."""
    if options.by != "namespace":
        from hierpair.io.class_tables import class_groups

        return class_groups(options.by, hierarchy)
    from hierpair.io.hierarchies.obo import obo_namespaces

    if options.files[0] == "-":
        raise BadInput("standard input can be read once; give the hierarchy in a file (--by)")
    return obo_namespaces(options.files[0])


def read_inputs(
    options: argparse.Namespace,
    meter: Meter,
    *,
    scored: bool | None = None,
    needs_systems: bool = True,
) -> Inputs:
    """Read a case, or a hierarchy, a truth and files of predictions, at least one if needed.

    With ``scored`` the files of predictions must have scores, and systems are NodeScores; with
    False they must have none, with None it does not matter.
    """
    if getattr(options, "case", None) is not None:
        return _case(options)
    from hierpair.evaluation.notes import UNUSED_SCORES, each_of
    from hierpair.io import read_labels
    from hierpair.probabilistic.scored_labels import read_scored_labels

    sides = sides_of(options) if options.files else None
    if sides is None or sides.truth is None or (needs_systems and not sides.systems):
        for path in options.files:
            if path != "-" and not os.path.lexists(path):
                raise BadInput(f"{path}: there is no such file")
        if not needs_systems:
            raise BadInput("give a hierarchy and a truth, or --case NAME")
        raise BadInput(
            "give a hierarchy, a truth and at least one file of predictions (or one table with "
            f"--truth-column), or --case NAME{columns_hint(options) if options.files else ''}"
        )
    hierarchy_file = options.files[0]

    noted: list[str] = []

    def note(text: str) -> None:
        meter.wipe()
        say(options, text)
        noted.append(text)

    meter.reading(hierarchy_file)
    hierarchy = hierarchy_of(options, note)

    def labels(side: Side, *, truth: bool = False) -> Any:
        path = side.path
        meter.reading(path)
        try:
            how = {**side.options, "unknown": options.unknown, "on_note": note}
            if scored and not truth:
                return read_scored_labels(path, hierarchy, **how)
            refuse = scored is False and not truth
            return read_labels(path, hierarchy, **how, refuse_scores=refuse)
        except BadInput as error:
            if side.hint:
                raise BadInput(f"{error}{side.hint}") from None
            if looks_like_hierarchy(path, options):
                raise BadInput(
                    f"{error} [{path} looks like a hierarchy: the order is HIERARCHY TRUTH "
                    "PREDICTIONS]"
                ) from None
            if truth and _mostly_unknown(side, hierarchy):
                n = counted(len(hierarchy), "class")
                raise BadInput(
                    f"{error} [{hierarchy_file} was read as the hierarchy ({n}): the order is "
                    "HIERARCHY TRUTH PREDICTIONS]"
                ) from None
            raise

    truth = labels(sides.truth, truth=True)
    systems = {name: labels(side) for name, side in sides.systems.items()}
    unused = [name for name, sets in systems.items() if getattr(sets, "unused_scores", False)]
    if unused:
        note(f"{each_of(unused, list(systems))}: {UNUSED_SCORES}")
    for name, sets in systems.items():
        if (sets.ids is None) != (truth.ids is None) and len(sets) == len(truth):
            side = "truth" if sets.ids is None else name
            note(f"{name}: only the {side} has ids, so instances are matched by position")
    return Inputs(hierarchy, truth, systems, notes=tuple(noted))


def _case(options: argparse.Namespace) -> Inputs:
    """Read a bundled case."""
    from hierpair.verification import load_case

    if options.files:
        raise BadInput("give either --case or files, not both")
    case = load_case(options.case, options.data)
    say(options, f"{case.title}\n{case.citation}")
    told = [f"not in the data folder: {', '.join(case.absent)}"] if case.absent else []
    for system, missing in case.missing.items():
        n, named = len(missing), listed(missing, 3)
        told.append(f"{system} has no line for {n} of {len(case.y_true)} instances, such as "
                    f"{named}; their predictions count as empty")  # fmt: skip
    for line in told:
        say(options, line)
    data = case.hierarchy, case.y_true, dict(case.systems), case.weight, case.paired
    return Inputs(*data, tuple(told), case.title)


def _mostly_unknown(side: Side, hierarchy: Hierarchy) -> bool:
    """Whether most labels of a file are no classes: then another file was meant."""
    from hierpair.io import parse_labels

    if side.path == "-":
        return False
    try:
        rows = parse_labels(side.path, **side.options).rows
    except BadInput:
        return False
    known = [label in hierarchy for row in rows for label in row]
    return 2 * sum(known) < len(known)


def looks_like_hierarchy(path: str, options: argparse.Namespace) -> bool:
    """Whether a file that is no good as labels would do as a hierarchy with a single root."""
    from hierpair.io import read_hierarchy

    if path == "-":
        return False
    try:
        hierarchy = read_hierarchy(path, **hierarchy_options(options), roots="any")
    except BadInput:
        return False
    return len(hierarchy.root_indices) == 1 and len(hierarchy) > 2
