"""Measures on the command line: which ones, and an option for every option that one of them has."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.spelling import as_typed
from hierpair.errors import HierpairError

if TYPE_CHECKING:
    from hierpair.evaluation.checked import OfScores
    from hierpair.measures import Measure, Option

__all__ = ["add_conventions", "asked_measures", "conventions_of"]

PREFIX = "convention_"
"""Before the names of these options, so that none is taken for another one of the verb."""


def add_conventions(verb: argparse.ArgumentParser, *, of_scores: bool) -> None:
    """Add an option for every option of every measure, those of plugins included.

    Options that only measures of scores have are left out unless asked for.

    An option of a plugin that is called like another option of the verb gets ``--convention-``
    before its name.
    """
    from hierpair.measures import OPTIONS, REGISTRY, measures_of

    group = verb.add_argument_group(
        "conventions", "for all measures that have the option (see hierpair measures NAME)"
    )
    records: dict[str, Option] = {}
    for definition in (REGISTRY if of_scores else measures_of("labels")).values():
        records |= {
            name: OPTIONS.get(name) or definition.option(name) for name in definition.options
        }
    taken = {word for action in verb._actions for word in action.option_strings}
    for name in sorted(records, key=[*OPTIONS, *records].index):
        option = records[name]
        group.add_argument(
            f"--convention-{option.flag[2:]}" if option.flag in taken else option.flag,
            dest=PREFIX + name,
            type=_reader(option),
            default=argparse.SUPPRESS,
            metavar=name.upper(),
            help=as_typed(option.meaning, taken).replace("%", "%%"),
        )


def _reader(option: Option) -> Callable[[str], Any]:
    """Return what reads a value, with errors as the parser wants them."""
    return partial(_read, option)


def _read(option: Option, text: str) -> Any:
    try:
        return option.read(text)
    except HierpairError as error:
        reason = error.reason.removeprefix(f"{option.name} ")
        raise argparse.ArgumentTypeError(reason) from None


def conventions_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the conventions that were given."""
    return {
        name.removeprefix(PREFIX): value
        for name, value in vars(options).items()
        if name.startswith(PREFIX)
    }


def asked_measures(
    options: argparse.Namespace, *, of_scores: OfScores = False
) -> tuple[Measure, ...]:
    """Return the measures with the conventions that were given; see :func:`chosen_measures`."""
    from hierpair.evaluation.checked import chosen_measures, default_measures

    asked, conventions = options.measures or default_measures(), conventions_of(options)
    return chosen_measures(asked, conventions, of_scores=of_scores)
