"""``hierpair merge``: the scores of all parts together, or their sum as a file."""

from __future__ import annotations

import argparse

from hierpair.cli.looks import LOOK, check_look
from hierpair.cli.parser import Outcome, Verb, say_last
from hierpair.cli.partial_files import SUMS, how_many, read_partials
from hierpair.cli.score import told
from hierpair.cli.thresholds import THRESHOLDS, thresholds_of
from hierpair.errors import BadInput, counted
from hierpair.tables.forms import FORMS

__all__ = ["VERB"]

OPTIONS = f"""
FILE…!  what hierpair partial wrote, in any order; a sum is written as --format {SUMS}, or to a
        file -o NAME.{SUMS}
"""


def run(options: argparse.Namespace) -> Outcome:
    """Add the partials up, and show their scores or write their sum."""
    from hierpair.evaluation.checked import default_measures
    from hierpair.evaluation.partial import merge_named

    _check_shape(options)
    total = merge_named(read_partials(options.files))
    parts = how_many(options.files, total)
    if options.format == SUMS:
        say_last(
            options, f"{parts}: {counted(total.n_instances, 'instance')} on a {total.hierarchy}"
        )
        return Outcome(total.to_bytes())
    say_last(options, f"{parts}, scored on a {total.hierarchy}")
    thresholds = thresholds_of(options, total.measures, total.systems)
    by_default = [m.definition.name for m in total.measures] == default_measures()
    return told(total.scores(), options, thresholds, grouped=by_default)


def _check_shape(options: argparse.Namespace) -> None:
    if options.format != SUMS:
        check_look(options)
        return
    words = ("digits", "percent", "transpose", "rename", "caption", "label",
             "fail_under", "fail_over")  # fmt: skip
    given = next((word for word in words if getattr(options, word) not in (None, False, [])), None)
    if given is not None:
        raise BadInput(f"--{given.replace('_', '-')} is for scores, and a file of sums has none")


VERB = Verb(
    "merge",
    "scores of all parts together",
    "Add up what hierpair partial wrote, and show the scores of all instances: hierpair merge "
    f"PART.{SUMS} … They are those of scoring all instances at once, to the last bit. With -o "
    f"NAME.{SUMS} the sum is written, which can be merged again.",
    OPTIONS + LOOK + THRESHOLDS,
    run,
    formats=(*FORMS, SUMS),
)
