"""What a verb works on: measures with their conventions, a hierarchy, a truth, predictions."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import hierpair as hp
from hierpair.cli.options import FACTS, KINDS, Keywords, Options, read_as
from hierpair.errors import BadInput, check_choice, listed, unknown

OF_INTEREST = """
## rarely needed
--classes FILE           a class per line: only these count, once ancestors are added {with labels}
"""

COUNTING = f"""
## rarely needed
--ignore FILE            labels by instance id that do not count, such as those known before
                         {{with labels}}
--ignore-ancestors {{yes,no}}
                         leave out their ancestors, too [default: yes] {{with --ignore}}
{OF_INTEREST}"""

FOLDER = """
--data DIR                folder of data of cases that are not bundled (default: $HIERPAIR_DATA)
"""

DATA = COUNTING + FOLDER

CASE = """
--case NAME               a bundled case instead of files {without FILE}
"""

MEASURES = """
-m, --measures MEASURE*   a measure such as hf or 'hf(beta=2)', also without -m (repeatable); all:
                          the common measures of label sets (default: {})
--set NAME=VALUE:pair*    a convention, such as root=include, for all measures that have it
                          (repeatable); hierpair measures MEASURE lists those of a measure
"""

USUAL = ("hf", "hp", "hr", "gie", "mgia", "lca_f", "subset_accuracy")
"""The measures of a first look."""

UNKNOWN = """
--unknown {error,drop,root}
                         labels outside the hierarchy: an error, left out, or taken as the root
                         [default: error] {with labels}
"""

POLICIES = (
    UNKNOWN
    + """\
--missing {error,empty}  instances without a prediction: an error, or counted as empty
                         [default: error] {with labels}
"""
)

HIERARCHY = """
## reading the hierarchy {with files of labels}
--hierarchy-format FORMAT
                      such as edges, paths, csv, obo, json, skos; auto is by ending and content
                      [default: auto]
--relations NAMES:names
                      OBO relations to parents, such as is_a,part_of [default: is_a]
--namespace NAME      the only OBO namespace to take
--undefined {error,drop}
                      OBO, SKOS: parents that are obsolete or not in the file: an error, or left
                      out [default: error]
--parent-column NAME  column of parents in a CSV hierarchy (default: by common names)
--child-column NAME   column of classes in a CSV hierarchy
--hierarchy-levels NAMES:names
                      columns of levels from the top in a CSV hierarchy, such as order,family,genus
--hierarchy-separator TEXT
                      text between the classes of a lineage (default: /) or the parts of a code
--hierarchy-widths NUMBERS:numbers
                      codes: how many characters each level adds, such as 2,2,2 for HS 010121
--direction {parent-to-child,child-to-parent}
                      which way edges lead (default: by header and keys, else parent to child)
--other-names FILE    labels may use other names of classes: all, the names and exact synonyms of
                      the hierarchy; or also those of a file of two columns, name and class
--roots {any}         go on though the roots look as if the file was misread
--break-cycles {depth-first}
                      leave out edges that close a cycle
"""

READING = f"""{HIERARCHY}
## reading labels {{with files of labels}}
--label-format FORMAT*   such as table, csv, jsonl, npz (default: by ending and content); here and
                         below a value with truth: or the name of a system before it, such as
                         truth:csv, is for this file alone
--id-column NAME*        column of instance ids (default: id)
--label-column NAME*     column of labels (default: labels); once for each level of a path
--each-level             each column of labels holds one label; together they need not be a path
                         {{with --label-column}}
--truth-column NAME*     column of the truth in a table that holds the systems too: HIERARCHY TABLE
                         {{without --label-column}}
--system-columns NAMES:names*
                         columns of systems in that table, such as bert,svm (default: all others)
                         {{without --label-column}}
--separator TEXT*        text between the labels of a field (default: |)
--paths TEXT*            labels are paths from the top; the text between their classes, such as /
--where COLUMN=VALUE*    read only rows with this value (repeatable)
--rows instance|label*   what a row of a table is: an instance, or one label of it
--long                   the same as --rows label: ids are repeated
--score-column NAME*     column of scores (default: score)
--min-score X*           leave out predicted labels with a lower score
--amounts                scores are amounts of labels, of the truth too, such as those of taxa in
                         a sample
--columns FILE*          class of every column of an npz matrix, one per line
"""
"""How files are read."""

OF_TRUTH = re.sub(r"(?m)^(--(min-score|score-column) .*)", r"\1 {with --amounts}", READING)
"""How files are read where no predictions are, which alone have other scores than amounts."""


def are_partials(options: Options) -> bool:
    """Whether the files are what ``hierpair partial`` wrote, which their ending says."""
    able = options.verb.name in ("compare", "report")
    return able and any(path.endswith((".hp", ".hp.gz")) for path in options.files)


def _has_labels(options: Options) -> bool:
    return bool(options.case or (options.files and not are_partials(options)))


FACTS["FILE"] = lambda o: bool(o.files)
FACTS["files of labels"] = lambda o: o.case is None and _has_labels(o)
FACTS["labels"] = _has_labels


def take_measures(options: Options) -> None:
    """Let measures among the files be measures: what is called so, and is no file."""
    if options.measures is None:
        return

    def is_measure(word: str) -> bool:
        called = word in hp.measures.REGISTRY or re.fullmatch(
            r"all|[a-z]\w*\(([^)]*|.*\))", word, re.DOTALL
        )
        return bool(called) and not os.path.lexists(word)

    options.measures = [*options.measures, *filter(is_measure, options.files)]
    options.files = [word for word in options.files if not is_measure(word)]


def measures_of(options: Options, usual: Sequence[str] = USUAL) -> list[str]:
    """Return the measures that were asked for, or the usual ones."""
    from hierpair.evaluation.checked import default_measures

    asked = options.measures or usual
    return [name for text in asked for name in (default_measures() if text == "all" else [text])]


def conventions_of(options: Options) -> Keywords:
    """Return the conventions that were set, or refuse one that no measure has."""
    found: Keywords = {}
    for given, value in options.set:
        name = given.replace("-", "_")
        records = (d.option(name) for d in hp.measures.REGISTRY.values() if name in d.options)
        record = hp.measures.OPTIONS.get(name) or next(records, None)
        if record is None:
            raise unknown("convention", name, hp.measures.OPTIONS)
        found[name] = record.read(value)
    return found


def asked_measures(options: Options, *, of_scores: Any = False) -> tuple[hp.Measure, ...]:
    """Return the measures with the conventions that were set; see :func:`chosen_measures`."""
    from hierpair.evaluation.checked import chosen_measures

    return chosen_measures(measures_of(options), conventions_of(options), of_scores=of_scores)


TRUTH = "truth"
"""What the truth is called before the colon of an option."""

ENDINGS = ".txt .tsv .tab .json .dat .out .pred .gz"
"""Endings that are no part of a name, beside those of forms of labels."""


@dataclass(frozen=True)
class LabelFile:
    """One file, the keywords of ``parse_labels`` that it is read with, and a hint for errors."""

    path: str
    options: Mapping[str, Any]
    hint: str = ""


LabelFiles = dict[str | None, LabelFile]
"""The truth, which has no name, if there is one, and the systems by name."""


def sides_of(options: Options) -> LabelFiles:
    """Return where truth and systems come from: files, or columns of one table."""
    files = options.files[1:]
    asked = bool(options.truth_column or options.system_columns)
    if len(files) == 1 and files[0] != "-":
        of_table = None if options.label_column else _columns_of(options, files[0], asked)
        if of_table is not None:
            return of_table
    elif asked:
        raise BadInput(
            "--truth-column and --system-columns are for one file, a table that holds the truth "
            "and the systems: give HIERARCHY TABLE"
        )
    paths: dict[str | None, str] = {None: files[0]} if files else {}
    paths.update(systems_of(files[1:]))
    known = {name or TRUTH for name in paths}
    return {name: LabelFile(path, label_options(options, name or TRUTH, known))
            for name, path in paths.items()}  # fmt: skip


def split_name(given: str) -> tuple[str, str]:
    """Return name and path of ``NAME=FILE``; of a file alone the name is empty.

    >>> split_name("mine=run.tsv"), split_name("days/day=2")
    (('mine', 'run.tsv'), ('', 'days/day=2'))
    """
    name, equals, path = given.partition("=")
    is_path = os.path.lexists(given) or ("/" in name and not os.path.lexists(path))
    return (name, path) if equals and not is_path else ("", given)


def systems_of(given_files: Sequence[str]) -> dict[str, str]:
    """Return the file of every system, ``FILE`` or ``NAME=FILE``."""
    systems: dict[str, str] = {}
    for given in given_files:
        name, path = split_name(given)
        if path == given and not given.startswith("="):
            name = name_of(given) if given != "-" else "stdin"
        if not name.strip(".") or not path:
            raise BadInput(f"cannot read the system {given!r}; write NAME=FILE")
        if name in systems:
            raise BadInput(f"two systems are called {name!r}; name them: {name}-2={path}")
        systems[name] = path
    return systems


def name_of(path: str) -> str:
    """Return what a file is called without the endings that say its form.

    >>> name_of("runs/bert-0.1.tsv"), name_of("model_v1.2.csv.gz"), name_of("v1.2")
    ('bert-0.1', 'model_v1.2', 'v1.2')
    """
    known = {*ENDINGS.split()}.union(*(f.endings for f in hp.io.LABEL_FORMATS.values()))
    name = Path(path).name
    while Path(name).suffix.lower() in known:
        name = Path(name).stem
    return name


def label_options(options: Options, side: str, known: Collection[str] = ()) -> Keywords:
    """Return the keywords of ``parse_labels`` for one side; ``known`` are the names of all."""

    def said(name: str, kind: str = "") -> list[Any]:
        """Return what an option says of this side alone, or else of all."""
        given = [(text, *text.partition(":")) for text in getattr(options, name)]
        own = [after for _, before, colon, after in given if colon and before == side in known]
        texts = own or [text for text, before, colon, _ in given
                        if not colon or before not in known]  # fmt: skip
        try:
            return [read_as(kind, text) for text in texts]
        except ValueError:
            word = f"--{name.replace('_', '-')}"
            raise BadInput(f"{word} must be {KINDS[kind][-1]}, got {texts[-1]!r}") from None

    def last(name: str, otherwise: Any = None, kind: str = "") -> Any:
        return (said(name, kind) or [otherwise])[-1]

    rows = last("rows", "label" if options.long else "instance")
    check_choice("--rows", rows, ("instance", "label"))
    labels, score, least = said("label_column"), last("score_column"), said("min_score")
    columns = hp.labels.Columns(
        last("id_column"), tuple(labels), last("separator", "|"),
        where=tuple(said("where", "pair")), paths=last("paths"), long=rows == "label",
        each=options.each_level and (len(labels) > 1 or len(options.label_column) < 2),
    )  # fmt: skip
    amounts = options.amounts
    if amounts or (side != TRUTH and (least or score is not None)):  # a truth has no other scores
        least = last("min_score", kind="float")
        columns = replace(columns, long=True, score=score, min_score=least, amounts=amounts)
    fmt = last("label_format", "auto")
    hp.io.LABEL_FORMATS.check(fmt)
    return {"fmt": fmt, "columns": columns, "column_names": last("columns")}


def _columns_of(options: Options, path: str, asked: bool) -> LabelFiles | None:
    """Return truth and systems that are columns of one table; None if it is a table of labels."""
    from hierpair.io.datasets import open_dataset
    from hierpair.io.datasets.tables import is_dataset
    from hierpair.labels.columns import ID_NAMES, LABEL_NAMES, TRUTH_NAMES

    fmt = label_options(options, TRUTH, [TRUTH])["fmt"]
    try:
        if is_dataset(path):
            titles = [*open_dataset(path, fmt).names]
        else:
            fmt, titles = hp.io.table_titles(path, fmt)
    except BadInput:  # which reading the labels says, too
        if asked or is_dataset(path):
            raise
        return None

    def called(names: Collection[str]) -> list[str]:
        return [title for title in titles if title.strip().lower() in names]

    truths = options.truth_column[-1:] or called(TRUTH_NAMES.split())
    if not asked and (len(truths) != 1 or called(LABEL_NAMES)):
        return None
    if len(truths) != 1:
        raise BadInput(f"{path}: which column is the truth? There are {listed(titles)}; name "
                       "it (--truth-column)")  # fmt: skip
    [truth] = truths
    columns = label_options(options, TRUTH, [TRUTH, *titles])["columns"]
    ids = called(ID_NAMES) if columns.ids is None else [columns.ids]
    apart = {truth, *ids, *(name for name, _ in columns.where)}
    named = [name for names in options.system_columns for name in names]
    systems = named or [title for title in titles if title not in apart]
    if truth in systems:
        raise BadInput(f"the column {truth!r} is the truth, and no system")

    found: LabelFiles = {}
    for column in (truth, *systems):
        name = None if column == truth else column
        own = label_options(options, name or TRUTH, [TRUTH, *systems])
        how = {**own, "fmt": fmt, "columns": replace(own["columns"], labels=(column,))}
        hint = f" [the column {column!r} was taken for a system; --system-columns names them]"
        found[name] = LabelFile(path, how, hint if name and not named else "")
    return found


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a verb works on; ``title`` is that of a case."""

    hierarchy: hp.Hierarchy
    truth: hp.LabelSets
    systems: Keywords
    weight: Any = None
    paired: bool = True
    title: str | None = None


def hierarchy_options(options: Options) -> Keywords:
    """Return the keywords of ``parse_hierarchy`` that were given."""
    hp.io.HIERARCHY_FORMATS.check(options.hierarchy_format)
    return options.take(
        "relations levels=hierarchy_levels namespace undefined parent_column child_column "
        "direction roots names=other_names fmt=hierarchy_format separator=hierarchy_separator "
        "widths=hierarchy_widths"
    )


def hierarchy_of(options: Options) -> Any:
    """Read the hierarchy, which is the first file of every verb."""
    options.meter.write(f"reading {options.files[0]}")
    how = {**hierarchy_options(options), **options.take("break_cycles")}
    return hp.read_hierarchy(options.files[0], **how, on_note=options.say)


def labels_of(
    options: Options, hierarchy: hp.Hierarchy, side: LabelFile, *, scored: bool | None = None
) -> Any:
    """Read one file of labels: with scores, without them, or (None) as it comes."""
    options.meter.write(f"reading {side.path}")
    how = {**side.options, **options.take("unknown"), "on_note": options.say}
    try:
        if scored:
            return hp.probabilistic.read_scored_labels(side.path, hierarchy, **how)
        return hp.read_labels(side.path, hierarchy, **how, refuse_scores=scored is False)
    except BadInput as error:
        raise BadInput(f"{error}{side.hint}") from None


def namespaces_of(options: Options, hierarchy: hp.Hierarchy) -> Any:
    """Return the namespace of every class: that of the OBO file, or of a file of them (--by)."""
    if options.by is None:
        return None
    if options.by != "namespace":
        from hierpair.io.class_tables import class_groups

        return class_groups(options.by, hierarchy)
    from hierpair.io.hierarchies.ontologies import obo_namespaces

    if options.files[0] == "-":
        raise BadInput("standard input can be read once; give the hierarchy in a file (--by)")
    return obo_namespaces(options.files[0])


def read_inputs(
    options: Options, *, scored: bool | None = None, needs_systems: bool = True
) -> Inputs:
    """Read a case, or a hierarchy, a truth and files of predictions, at least one if needed.

    With ``scored`` these must have scores, and systems are NodeScores; with False, none.
    """
    if options.case is not None:
        return with_counting(options, _case(options))
    from hierpair.evaluation.notes import UNUSED_SCORES, each_of

    sides = sides_of(options)
    if len(sides) < 1 + needs_systems:
        for path in (side.path for side in sides.values()):
            if path != "-" and not os.path.lexists(path):
                raise BadInput(f"{path}: there is no such file")
        other = ", or --case NAME" if "--case" in options.verb.entries else ""
        raise BadInput(
            "give a hierarchy, a truth and at least one file of predictions (or one table with "
            f"--truth-column){other}"
        )
    kinds = {hp.io.LABEL_FORMATS.of_ending(side.path) for side in sides.values()}
    if options.columns and "npz" not in kinds.union(x.options["fmt"] for x in sides.values()):
        raise BadInput("--columns names the columns of an npz matrix, and no file is one")
    hierarchy = hierarchy_of(options)
    systems: Any = {name: labels_of(options, hierarchy, side, scored=scored if name else None)
             for name, side in sides.items()}  # fmt: skip
    truth = systems.pop(None)
    unused = [name for name, sets in systems.items() if getattr(sets, "unused_scores", False)]
    if unused:
        options.say(f"{each_of(unused, list(systems))}: {UNUSED_SCORES}")
    for name, sets in systems.items():
        if (sets.ids is None) != (truth.ids is None) and len(sets) == len(truth):
            side = "truth" if sets.ids is None else name
            options.say(f"{name}: only the {side} has ids, so instances are matched by position")
    return with_counting(options, Inputs(hierarchy, truth, systems))


def counting_of(options: Options, hierarchy: hp.Hierarchy) -> Any:
    """Return what counts, of classes and instances."""
    from hierpair.evaluation.checked import Counting

    ignore = None
    if options.ignore is not None:
        side = LabelFile(options.ignore, label_options(options, TRUTH, [TRUTH]))
        ignore = labels_of(options, hierarchy, side)
    classes = classes_in(options.classes, hierarchy)
    return Counting(ignore, options.ignore_ancestors != "no", classes)


def with_counting(options: Options, inputs: Inputs) -> Inputs:
    """Return what a verb works on, with what does not count of it."""
    counting = counting_of(options, inputs.hierarchy)
    hierarchy = counting.of_classes(inputs.hierarchy)
    truth = counting.of_truth(inputs.truth, hierarchy)
    systems = {name: hp.labels.node_scores.scores_of_labels(given, hierarchy)
               if isinstance(given, hp.NodeScores) else given
               for name, given in inputs.systems.items()}  # fmt: skip
    return replace(inputs, hierarchy=hierarchy, truth=truth, systems=systems)


def classes_in(path: str | None, hierarchy: hp.Hierarchy) -> list[str] | None:
    """Return the classes that are listed in a file."""
    if path is None:
        return None
    from hierpair.io.text import read_lines

    names = [text.strip() for text in read_lines(path)]
    for line, name in enumerate(names, start=1):
        if name and name not in hierarchy:
            raise BadInput(f"{path}:{line}: {hierarchy.unknown_message(name)}")
    return [*filter(None, names)]


def _case(options: Options) -> Inputs:
    """Read a bundled case; what it is called is told when all went well."""
    case = hp.load_case(options.case, options.data)
    options.last += [case.title, case.citation]
    if case.absent:
        options.say(f"not in the data folder: {', '.join(case.absent)}")
    for system, missing in case.missing.items():
        options.say(f"{system} has no line for {len(missing)} of {len(case.y_true)} instances, "
                    f"such as {listed(missing, 3)}; their predictions count as empty")  # fmt: skip
    data = case.hierarchy, case.y_true, dict(case.systems), case.weight, case.paired
    return Inputs(*data, case.title)
