"""What a verb works on: measures with their conventions, a hierarchy, a truth, predictions."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair.cli.options import FACTS, Fact
from hierpair.cli.output import Meter, say
from hierpair.cli.sides import LABEL_FORM, Side, columns_hint, sides_of
from hierpair.errors import BadInput, counted, listed, unknown

if TYPE_CHECKING:
    from hierpair.evaluation.checked import OfScores
    from hierpair.hierarchy import Hierarchy
    from hierpair.labels import LabelSets
    from hierpair.measures import Measure

DATA = """
## rarely needed
--data DIR                folder of data that do not come with hierpair (default: $HIERPAIR_DATA)
"""

CASE = """
--case NAME               a bundled case instead of files {without FILE}
"""

MEASURES = """
-m, --measures MEASURE*   a measure such as hf or 'hf(beta=2)', also without -m (repeatable); all:
                          every one that is defined for any label sets (default: {})
--set NAME=VALUE*         a convention such as root=include of all measures that have it
                          (repeatable); hierpair measures MEASURE says which
"""

USUAL = ("hf", "hp", "hr", "gie", "mgia", "lca_f", "subset_accuracy")
"""The measures of a first look."""

HIERARCHY = """
## reading the hierarchy {with files of labels}
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

READING = f"{HIERARCHY}{LABEL_FORM}"
"""How files are read."""


def are_partials(options: argparse.Namespace) -> bool:
    """Whether the files are what ``hierpair partial`` wrote."""
    from hierpair.cli.partials import all_partials

    return options.verb in ("compare", "report") and all_partials(options.files)


FACTS["FILE"] = Fact(lambda o: bool(o.files), "files")
FACTS["files of labels"] = Fact(
    lambda o: bool(o.files) and not are_partials(o), "not a case, and not partials, which have sums"
)
FACTS["labels"] = Fact(
    lambda o: (
        bool(getattr(o, "case", None))
        or ((len(o.files) > 1 or o.verb != "examine") and not are_partials(o))
    ),
    "files of them or a case; partials have sums",
)


def inputs_of(options: argparse.Namespace) -> list[str]:
    """Return the files that a verb is given, as they were given.

    What else it reads, such as the files of costs, is noted while it is read, and refused as output
    then.
    """
    columns = getattr(options, "columns", None) or []
    told = columns if isinstance(columns, list) else [columns]
    return [*options.files, *(part for text in told for part in (text, text.partition(":")[2]))]


# ------------------------------------------------------------------------------- measures


def take_measures(options: argparse.Namespace) -> None:
    """Let measures among the files be measures: what is called so, and is no file."""
    if "measures" not in options:
        return
    from hierpair.measures import REGISTRY

    def is_measure(word: str) -> bool:
        named = (
            word in REGISTRY or word == "all" or re.fullmatch(r"[a-z]\w*\(.*\)", word, re.DOTALL)
        )
        return bool(named) and not os.path.lexists(word)

    options.measures = [*options.measures, *filter(is_measure, options.files)]
    options.files = [word for word in options.files if not is_measure(word)]


def measures_of(options: argparse.Namespace, usual: tuple[str, ...] = USUAL) -> list[str]:
    """Return the measures that were asked for, or the usual ones."""
    from hierpair.evaluation.checked import default_measures

    asked = options.measures or usual
    return [name for text in asked for name in (default_measures() if text == "all" else [text])]


def conventions_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the conventions that were set.

    Raises
    ------
    BadInput
        For one that no measure has, or a value that it cannot have.
    """
    from hierpair.measures import OPTIONS, REGISTRY

    found: dict[str, Any] = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise BadInput(f"cannot read --set {text!r}; write NAME=VALUE, such as root=include")
        records = (d.option(name) for d in REGISTRY.values() if name in d.options)
        record = OPTIONS.get(name) or next(records, None)
        if record is None:
            raise unknown("convention", name, OPTIONS)
        found[name] = record.read(value.strip())
    return found


def asked_measures(
    options: argparse.Namespace, *, of_scores: OfScores = False
) -> tuple[Measure, ...]:
    """Return the measures with the conventions that were set; see :func:`chosen_measures`."""
    from hierpair.evaluation.checked import chosen_measures

    return chosen_measures(measures_of(options), conventions_of(options), of_scores=of_scores)


# ------------------------------------------------------------------------------- files


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


def hierarchy_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of ``parse_hierarchy`` that were given."""
    from hierpair.io import HIERARCHY_FORMATS

    def named(given: str | None) -> tuple[str, ...] | None:
        return None if given is None else tuple(name.strip() for name in given.split(","))

    HIERARCHY_FORMATS.check(options.hierarchy_format)
    relations = named(options.relations)
    if not all(relations or [""]):
        raise BadInput(f"cannot read --relations {options.relations!r}; write is_a,part_of")
    same = ("namespace", "undefined", "parent_column", "child_column", "direction", "roots")
    return {
        **{name: getattr(options, name) for name in same},
        "fmt": options.hierarchy_format,
        "relations": relations,
        "levels": named(options.hierarchy_levels),
        "separator": options.hierarchy_separator,
    }


def hierarchy_of(options: argparse.Namespace, note: Callable[[str], None] | None = None) -> Any:
    """Read the hierarchy, which is the first file of every verb."""
    from hierpair.io import read_hierarchy

    return read_hierarchy(
        options.files[0], **hierarchy_options(options), break_cycles=options.break_cycles,
        on_note=note or (lambda text: say(options, text)),
    )  # fmt: skip


def namespaces_of(options: argparse.Namespace, hierarchy: Hierarchy) -> Any:
    """Return the namespace of every class: that of the OBO file, or of a file of them (--by)."""
    if options.by != "namespace":
        from hierpair.io.class_tables import class_groups

        return class_groups(options.by, hierarchy)
    from hierpair.io.hierarchies.ontologies import obo_namespaces

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
    from hierpair.probabilistic.probability_files import read_scored_labels

    sides = sides_of(options) if options.files else None
    if sides is None or sides.truth is None or (needs_systems and not sides.systems):
        raise _too_few(options, needs_systems=needs_systems)
    noted: list[str] = []

    def note(text: str) -> None:
        meter.wipe()
        say(options, text)
        noted.append(text)

    meter.reading(options.files[0])
    hierarchy = hierarchy_of(options, note)

    def labels(side: Side, *, truth: bool = False) -> Any:
        meter.reading(side.path)
        try:
            how = {**side.options, "unknown": options.unknown, "on_note": note}
            if scored and not truth:
                return read_scored_labels(side.path, hierarchy, **how)
            refuse = scored is False and not truth
            return read_labels(side.path, hierarchy, **how, refuse_scores=refuse)
        except BadInput as error:
            hint = side.hint or _order_hint(side, hierarchy, options, truth=truth)
            if not hint:
                raise
            raise BadInput(f"{error}{hint}") from None

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


def _too_few(options: argparse.Namespace, *, needs_systems: bool) -> BadInput:
    """Return the error of too few files; of one that is not there, that it is not there."""
    for path in options.files:
        if path != "-" and not os.path.lexists(path):
            return BadInput(f"{path}: there is no such file")
    if not needs_systems:
        return BadInput("give a hierarchy and a truth, or --case NAME")
    return BadInput(
        "give a hierarchy, a truth and at least one file of predictions (or one table with "
        f"--truth-column), or --case NAME{columns_hint(options)}"
    )


def _case(options: argparse.Namespace) -> Inputs:
    """Read a bundled case."""
    from hierpair.verification import load_case

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


def _order_hint(
    side: Side, hierarchy: Hierarchy, options: argparse.Namespace, *, truth: bool
) -> str:
    """Return that files may stand in another order than was meant, or nothing."""
    from hierpair.io import parse_labels, read_hierarchy

    if side.path == "-":
        return ""
    order = "the order is HIERARCHY TRUTH PREDICTIONS"
    try:
        how = {**hierarchy_options(options), "roots": "any"}
        other = read_hierarchy(side.path, **how)
        if len(other.root_indices) == 1 and len(other) > 2:
            return f" [{side.path} looks like a hierarchy: {order}]"
    except BadInput:
        pass
    try:
        rows = parse_labels(side.path, **side.options).rows if truth else []
    except BadInput:
        return ""
    known = [label in hierarchy for row in rows for label in row]
    if 2 * sum(known) >= len(known):
        return ""
    n = counted(len(hierarchy), "class")
    return f" [{options.files[0]} was read as the hierarchy ({n}): {order}]"
