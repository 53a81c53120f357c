"""Parts of the parser that several verbs share, and what a verb returns."""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from hierpair.cli.arguments import add_options
from hierpair.cli.conventions import add_conventions
from hierpair.cli.output import deliver, tell
from hierpair.cli.spelling import as_typed
from hierpair.errors import BadInput, did_you_mean, listed, shown
from hierpair.tables.forms import FORMS

__all__ = ["Outcome", "Parser", "Verb", "check_digits", "say", "say_last", "settle_format"]


@dataclass(frozen=True)
class Verb:
    """What comes after ``hierpair``: its words of help, its options, and what it does.

    ``formats`` are those of its output, by default all; of an empty list it has no ``--format``.
    With ``has_measures`` all options of measures are options of the verb, and with
    ``has_scored`` also those of measures of scores. In ``options``,
    ``<label formats>`` and the like stand for the names of the formats.
    """

    name: str
    help: str
    description: str
    options: str
    run: Callable[[argparse.Namespace], Outcome | str]
    formats: Sequence[str] | None = None
    has_measures: bool = False
    has_scored: bool = False

    def add_to(self, verbs: Any, *, filled: bool) -> None:
        """Add the verb to the parser of all, with its options or, for the list, without."""
        parser = verbs.add_parser(
            self.name, parents=[common_options(self.formats)] if filled else (), help=self.help,
            description=self.description,
        )  # fmt: skip
        if not filled:
            return
        add_options(parser, with_formats(self.options))
        if self.has_measures:
            # last: they give way to the verb's own options
            add_conventions(parser, of_scores=self.has_scored)
        parser.set_defaults(
            run=self.run,
            takes_files=any(action.dest == "files" for action in parser._actions),
            words=[word for action in parser._actions for word in action.option_strings],
        )


@dataclass(frozen=True)
class Outcome:
    """What a verb found: the text or bytes to deliver, and the exit code."""

    content: str | bytes
    code: int = 0


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the whole usage is a ``--help`` away."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is no choice, and say which one may be meant."""
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        near = did_you_mean(value, known)
        if action.dest == "verb":
            raise argparse.ArgumentError(
                None, f"there is no verb {shown(value)}{near}; there are {listed(known)}"
            )
        raise argparse.ArgumentError(
            action, f"must be one of {listed(known)}, got {shown(value)}{near}"
        )

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Take ``--`` as the value of an option (``--paths=--``), where argparse loses it."""
        if action.option_strings and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help or the version; unlike argparse, fail where it cannot be written."""
        if message and (file is None or file is sys.stdout):
            deliver(message.removesuffix("\n"), None)
        elif message:
            tell(message)

    def error(self, message: str) -> NoReturn:
        """Print the message and leave."""
        tell(f"hierpair: {' '.join(message.split())}; see {self.prog} --help")
        raise SystemExit(2)


FORMAT = """
--format {{{}}}
    output format (default: by the extension of -o, else text)
"""

COMMON = """
-o, --output FILE  write to a file, in whole or not at all
--csv-safe         in csv and tsv, an apostrophe before texts that a spreadsheet would run as
                   formulas
--plugin FILE.py*  load measures of your own (may be repeated)
--debug            show a traceback for internal errors
-q, --quiet        no messages and no progress on stderr
"""


def common_options(formats: Sequence[str] | None = None) -> Parser:
    """Return the options that every verb has; ``formats`` are those of its output."""
    common = Parser(add_help=False)
    formats = tuple(FORMS if formats is None else formats)
    if formats:
        add_options(common, FORMAT.format(",".join(formats)))
    add_options(common, COMMON)
    common.set_defaults(files=[], formats=formats, last=[])
    return common


def with_formats(text: str) -> str:
    """Return the text of options with the names of formats, also those that plugins add."""

    def names(found: re.Match[str]) -> str:
        which, kind = found.groups()
        if kind == "probability":
            from hierpair.probabilistic.probability_files import DISTRIBUTION_FORMATS

            return ", ".join(DISTRIBUTION_FORMATS)
        from hierpair import io

        known = io.HIERARCHY_FORMATS if kind == "hierarchy" else io.LABEL_FORMATS
        return ", ".join(known.written_forms if which else known)

    return re.sub(r"<(written )?(hierarchy|label|probability) formats>", names, text)


def settle_format(options: argparse.Namespace) -> None:
    """Set the format that was not given to what the ending of the output says, or to text.

    Raises
    ------
    BadInput
        Where the verb does not write what the ending says.
    """
    if not options.formats or options.format is not None:
        return
    ending = Path(options.output or "").suffix.lower()
    own = (name for name in options.formats if ending == f".{name}")
    written = (f.name for f in FORMS.values() if ending in f.endings)
    options.format = next(itertools.chain(written, own), "text")
    if options.format not in options.formats:
        raise BadInput(f"{options.output}: {options.verb} does not write {options.format}; it "
                       f"writes {', '.join(options.formats)} (--format text keeps the "
                       "name)")  # fmt: skip


MOST_DIGITS = 100
"""Decimals; a float has fewer that mean anything."""


def check_digits(digits: int) -> None:
    """Refuse a number of decimals that cannot be printed."""
    if not 0 <= digits <= MOST_DIGITS:
        raise BadInput(f"digits must be at least 0 and at most {MOST_DIGITS}, got {digits}")


def say(options: argparse.Namespace, message: str) -> None:
    """Print a message on stderr, unless it should be quiet."""
    if not options.quiet:
        tell(as_typed(message, options.words))


def say_last(options: argparse.Namespace, message: str) -> None:
    """Keep a message that all went well until nothing can fail any more."""
    options.last.append(message)
