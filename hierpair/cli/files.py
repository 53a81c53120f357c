"""Verbs on files: ``hierpair check``, ``convert``, ``weights`` and ``verify``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import hierpair as hp
from hierpair.cli.config import CONFIG
from hierpair.cli.options import Answer, Options, Verb
from hierpair.cli.output import as_typed
from hierpair.cli.reading import (
    FOLDER,
    READING,
    UNKNOWN,
    LabelFile,
    hierarchy_of,
    hierarchy_options,
    label_options,
    labels_of,
    namespaces_of,
    sides_of,
)
from hierpair.errors import BadInput, check_unique, counted, unknown, visible
from hierpair.tables.records import Content, listing

FLAGS = ("--unknown", "--missing", "--break-cycles", "--undefined", "--roots", "--direction")
"""Options of the other verbs that findings name."""


def run_check(options: Options) -> Answer:
    """Check all files and list what was found."""
    if not options.files:
        raise BadInput(
            "give a hierarchy to check, and labels, or a file that names them (--config)"
        )
    systems = sides_of(options)
    truth: Any = systems.pop(None, None)
    report = hp.lint(
        options.files[0], truth and truth.path,
        {str(name): side.path for name, side in systems.items()},
        hierarchy_options=hierarchy_options(options),
        truth_options=truth and truth.options,
        system_options={str(name): side.options for name, side in systems.items()},
        **options.take("break_cycles"),
    )  # fmt: skip
    code = int(report.count("error") > 0 or (options.strict and report.count("warning") > 0))
    found = [replace(f, message=as_typed(f.message, FLAGS)) for f in report.findings
             if f.level != "note" or not options.quiet]  # fmt: skip
    if options.names:  # what else is wrong may hide names, such as a column that is not there
        options.say(*(f"{f.place}: {f.message}" for f in found
                      if f.level == "error" and f.rule != "unknown label"))  # fmt: skip
        return Answer(report.names().content(), code)
    if options.format != "text":
        return Answer(replace(report, findings=found).content(), code)
    parts = ["\n".join(f"{visible(file)}: {said}" for file, said in report.verdicts())]
    for are_notes in (False, True):
        some = [f for f in found if (f.level == "note") == are_notes]
        parts += [str(replace(report, findings=some))] if some else []
    return Answer("\n\n".join(parts), code)


CHECK = Verb(
    "check",
    "find what is wrong with files",
    "Check a hierarchy, and labels against it. Exit code 1 when something is wrong; with --strict "
    "also for warnings. First comes a verdict on every file, then what was found, then notes on "
    "the data, which -q leaves out.",
    "hierpair check tree.tsv truth.tsv run.tsv",
    f"FILE…     hierarchy, truth, one file or NAME=FILE per system\n"
    "--strict  warnings count as errors\n"
    "--names   list the labels that are not in the hierarchy, with the nearest classes, instead;\n"
    "          other errors go to stderr\n"
    f"{CONFIG}{READING}",
    run_check,
)


WEIGHTS_OPTIONS = """
FILE…             a hierarchy, and the annotations from which its classes are counted
--kind {ia,ic,icm}
                  information accretion, what a class says beyond its parents; information content;
                  or the weights of ICM [default: ia]
--smooth N:int    added to both counts: 1, as CAFA 5 does, or 0, where a class that is never seen
                  has the weight inf [default: 1] {without --kind icm}
--by FILE         count every namespace as if it were alone: namespace, those of the OBO file, or a
                  file with lines class TAB namespace {without --kind icm}
"""


def _labels(options: Options, hierarchy: hp.Hierarchy) -> hp.LabelSets:
    """Read the second file."""
    from hierpair.evaluation.notes import UNUSED_SCORES

    if options.truth_column or options.system_columns:
        raise BadInput(
            "--truth-column and --system-columns are for a table that is scored; name the column "
            "of labels (--label-column)"
        )
    if options.amounts:
        raise BadInput("--amounts is for labels that are scored; how much there is is not written")
    side = LabelFile(options.files[1], label_options(options, "labels"))
    sets: hp.LabelSets = labels_of(options, hierarchy, side)
    if sets.n_unknown:
        n = counted(sets.n_unknown, "label")
        options.say(f"{n} outside the hierarchy, dropped or replaced on request")
    if sets.unused_scores:
        options.say(UNUSED_SCORES)
    return sets


def run_convert(options: Options) -> Answer:
    """Read one form and write another."""
    if not 0 < len(options.files) <= 2 or options.to is None:
        raise BadInput("give a hierarchy, or a hierarchy and one file of labels, and --to FORMAT")
    hierarchy = hierarchy_of(options)
    content: str | bytes
    if len(options.files) == 1:
        content, notes = hp.write_hierarchy(hierarchy, options.to)
    else:
        content, notes = hp.write_labels(_labels(options, hierarchy), hierarchy, options.to)
    options.say(*notes)
    return Answer(content)


def run_weights(options: Options) -> str:
    """Count the classes of annotations, and write a weight for each."""
    import numpy as np

    from hierpair.io.class_tables import weight_lines
    from hierpair.labels.annotation_counts import annotation_counts, counted_weights

    if len(options.files) != 2:
        raise BadInput("give a hierarchy, and a file of annotations")
    hierarchy = hierarchy_of(options)
    sets = _labels(options, hierarchy)
    counts = annotation_counts(hierarchy, sets, by=namespaces_of(options, hierarchy))
    weights = counted_weights(hierarchy, counts, options.kind, options.smooth)
    if n_unseen := int((~np.isfinite(weights)).sum()):
        options.say(f"{counted(n_unseen, 'class')} never seen: the weight is inf")
    return weight_lines(hierarchy, weights)


CONVERT = Verb(
    "convert",
    "write files in another format",
    "Convert a hierarchy, or labels on it, from one format to another.",
    "hierpair convert tree.tsv truth.tsv --to jsonl -o truth.jsonl",
    "FILE…         a hierarchy, and labels where these are converted\n"
    "--to FORMAT  hierarchies: edges, json; labels: such as table, csv, jsonl\n"
    + UNKNOWN + READING,
    run_convert,
    (),
)  # fmt: skip

WEIGHTS = Verb(
    "weights",
    "count weights of classes from annotations",
    "Count how often classes are annotated, and write a weight for each. Lines are class TAB "
    "weight, as --weights reads them.",
    "hierpair weights tree.obo annotations.tsv -o ia.tsv",
    WEIGHTS_OPTIONS + UNKNOWN + READING,
    run_weights,
    (),
)


VERIFYING = f"""
CASE…        cases (default: all); the beginning of a name selects all that begin so; or
             FILE.toml with claims of your own; or HIERARCHY TRUTH RUN with --value
-m, --measures MEASURE*
             what is claimed, such as hf or 'hf(beta=2)' (repeatable) {{with --value}}
--value X*   a number that is claimed of the run, as it is printed, such as 0.71 or 71%; one for
             each measure
             {{without --list}}
--list       list the cases with their titles
--open       show only numbers that are not simply met {{without --list}}
## rarely needed
{FOLDER}"""


def run_verify(options: Options) -> str | Content | Answer:
    """Verify claims, or verify or list cases."""
    from hierpair.verification.cases import case_text

    claims = [name for name in options.files if name.endswith(".toml")]
    if options.data is not None and (options.value or claims):
        raise BadInput("--data is for cases; claims name their files themselves")
    if options.value:
        if len(options.files) != 3 or len(options.value) != len(options.measures):
            raise BadInput(
                "--value needs three files, HIERARCHY TRUTH RUN, and a number for each measure, "
                "such as -m hf --value 0.71"
            )
        check_unique(options.measures, lambda double: f"the measure {double} is given twice")
        hierarchy, truth, run = options.files
        named = dict(zip(options.measures, options.value, strict=True))
        found = hp.verification.verify_values(hierarchy, truth, run, named)
    elif claims:
        if options.list or len(options.files) > 1:
            raise BadInput("verify one file of claims by itself, without cases and --list")
        found = hp.verification.verify_claims(claims[0])
    else:
        names = _chosen(options.files, hp.verification.case_names())
        if options.list:
            rows = [
                [x, str(len(hp.verification.read_published(x))), case_text(x)["title"]]
                for x in names
            ]
            return listing(["case", "numbers", "what it is"], rows)
        found = hp.verify(names, **options.take("data"))
    code = 2 if found.damaged else 0 if found.sound else 1
    if options.format != "text":
        options.say(*map(str, found.findings), found.summary)
    return Answer(found.content(every=not options.open), code)


def _chosen(given: list[str], known: list[str]) -> list[str]:
    """Return the cases that are named, or whose name begins so."""
    chosen: dict[str, None] = {}
    for name in given:
        found = [name] if name in known else [case for case in known if case.startswith(name)]
        chosen |= dict.fromkeys(found)
        if not found:
            if Path(name).is_file():
                raise BadInput(
                    f"{name} is no case; numbers of your own files are claimed by HIERARCHY TRUTH "
                    "RUN -m hf --value 0.71, or in a file that ends in .toml"
                )
            raise unknown("case", name, known)
    return list(chosen) or known


VERIFY = Verb(
    "verify",
    "recompute published numbers",
    "Recompute the numbers that papers print for the bundled cases, and report for each whether it "
    "is met, truncated, or in error and why. Exit code 1 if one is wrong or instances are missing, "
    "2 if a file is damaged; the other cases are verified all the same.",
    "hierpair verify kosmopoulos2014-figure17a",
    VERIFYING,
    run_verify,
)
