"""``hierpair check``: what is wrong with files, before anything is scored."""

from __future__ import annotations

import argparse

from hierpair.cli.config import CONFIG
from hierpair.cli.parser import Outcome, Verb
from hierpair.cli.reading import HIERARCHY, hierarchy_options
from hierpair.cli.sides import LABEL_FORM, sides_of
from hierpair.cli.spelling import as_typed
from hierpair.errors import BadInput

__all__ = ["VERB"]

FLAGS = ("--unknown", "--missing", "--break-cycles", "--undefined")
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
    rows = [[f.level, f.rule, f.place, as_typed(f.message, FLAGS)] for f in report.findings]
    table = show(listing(["level", "rule", "place", "message"], rows), options.format)
    wrong, doubtful = report.count("error"), report.count("warning")
    if options.format == "text":
        table += f"\n\n{_counted(wrong, 'error')}, {_counted(doubtful, 'warning')}"
    return Outcome(table, FOUND if wrong or (options.strict and doubtful) else 0)


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


VERB = Verb(
    "check",
    "find what is wrong with files",
    "Check a hierarchy, and labels against it: hierpair check HIERARCHY "
    "[TRUTH [PREDICTIONS …]]. Exit code 1 when something is wrong; with --strict also for "
    "warnings.",
    CONFIG + OPTIONS + HIERARCHY + LABEL_FORM,
    run,
)
