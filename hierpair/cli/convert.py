"""``hierpair convert``: hierarchies and labels from one form to another."""

from __future__ import annotations

import argparse

from hierpair.cli.parser import Outcome, Verb, say
from hierpair.cli.reading import HIERARCHY, LABELS, hierarchy_of
from hierpair.cli.sides import label_options
from hierpair.errors import BadInput, counted

__all__ = ["VERB"]


OPTIONS = """
FILE…!        a hierarchy, and labels where these are converted
--to FORMAT!  hierarchies: <written hierarchy formats>; labels: <written label formats>
"""


def run(options: argparse.Namespace) -> Outcome:
    """Read one form and write another."""
    from hierpair.io import read_labels, write_hierarchy, write_labels

    def note(text: str) -> None:
        say(options, text)

    if len(options.files) > 2:
        raise BadInput("give a hierarchy, or a hierarchy and one file of labels")
    hierarchy = hierarchy_of(options, note)
    content: str | bytes
    if len(options.files) == 1:
        content, notes = write_hierarchy(hierarchy, options.to)
    else:
        sets = read_labels(options.files[1], hierarchy, **label_options(options, "labels"),
                           unknown=options.unknown, on_note=note)  # fmt: skip
        content, notes = write_labels(sets, hierarchy, options.to)
        if sets.n_unknown:
            notes.append(
                f"{counted(sets.n_unknown, 'label')} outside the hierarchy, dropped or replaced"
            )
    for text in notes:
        note(text)
    return Outcome(content)


VERB = Verb(
    "convert",
    "write another form",
    "Convert a hierarchy: hierpair convert HIERARCHY --to FORMAT, or labels: "
    "hierpair convert HIERARCHY LABELS --to FORMAT.",
    OPTIONS + HIERARCHY + LABELS,
    run,
    (),
)
