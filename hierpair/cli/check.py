"""``hierpair check``: what is wrong with files, before anything is scored."""

from __future__ import annotations

import argparse

from hierpair.cli.config import CONFIG
from hierpair.cli.parser import Outcome, Verb
from hierpair.cli.reading import HIERARCHY, hierarchy_options
from hierpair.cli.sides import LABEL_FORM, sides_of
from hierpair.cli.spelling import as_typed
from hierpair.errors import BadInput, visible

__all__ = ["VERB"]

FLAGS = ("--unknown", "--missing", "--break-cycles", "--undefined", "--roots", "--direction")
"""Options of the other verbs that findings name."""

FOUND = 1
"""Exit code when something is wrong."""


OPTIONS = """
FILE…     hierarchy, truth, one file or NAME=FILE per system
--strict  warnings count as errors
"""


def run(options: argparse.Namespace) -> Outcome:
    """Check all files and list what was found."""
    from hierpair.checks import lint
    from hierpair.tables import listing, show

    if not options.files:
        raise BadInput(
            "give a hierarchy to check, and labels, or a file that names them (--config)"
        )
    sides = sides_of(options, folders=True)
    truth, systems = sides.truth, sides.systems
    report = lint(
        options.files[0], truth.path if truth else None,
        {name: side.path for name, side in systems.items()},
        break_cycles=options.break_cycles,
        hierarchy_options={**hierarchy_options(options), "roots": options.roots},
        truth_options=truth.options if truth else None,
        system_options={name: side.options for name, side in systems.items()},
    )  # fmt: skip
    wrong, doubtful = report.count("error"), report.count("warning")
    code = FOUND if wrong or (options.strict and doubtful) else 0
    levels = ("error", "warning") if options.quiet else ("error", "warning", "note")

    def table(*levels: str) -> str:
        rows = [[f.level, f.rule, f.place, as_typed(f.message, FLAGS)]
                for f in report.findings if f.level in levels]  # fmt: skip
        titles = ["level", "rule", "place", "message"]
        return show(listing(titles, rows), options.format) if rows else ""

    if options.format != "text":
        return Outcome(table(*levels) or show(listing(["level"], []), options.format), code)
    verdicts = "\n".join(f"{visible(file)}: {said}" for file, said in report.verdicts())
    parts = [verdicts, table("error", "warning"), table(*levels[2:])]
    return Outcome("\n\n".join(part for part in parts if part), code)


VERB = Verb(
    "check",
    "find what is wrong with files",
    "Check a hierarchy, and labels against it: hierpair check HIERARCHY "
    "[TRUTH [PREDICTIONS …]]. Exit code 1 when something is wrong; with --strict also for "
    "warnings. First comes a verdict on every file, then what was found, then notes on the data, "
    "which -q leaves out.",
    CONFIG + OPTIONS + HIERARCHY + LABEL_FORM,
    run,
)
