"""Parts of the parser that several verbs share, and what a verb returns."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from hierpair.cli.output import tell
from hierpair.errors import BadInput

__all__ = ["FORMATS", "Outcome", "Parser", "check_digits", "common_options", "say", "settle_format"]

FORMATS = ("text", "json", "jsonl", "csv", "tsv", "markdown", "latex")


@dataclass(frozen=True)
class Outcome:
    """What a verb found: the text or bytes to deliver, and the exit code."""

    content: str | bytes
    code: int = 0


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the whole usage is a ``--help`` away."""

    def error(self, message: str) -> NoReturn:
        """Print the message and leave."""
        tell(f"hierpair: {' '.join(message.split())}; see {self.prog} --help")
        raise SystemExit(2)


def common_options(formats: Sequence[str] = FORMATS) -> Parser:
    """Return the options that every verb has; ``formats`` are those of its output."""
    common = Parser(add_help=False)
    if formats:
        common.add_argument("--format", choices=formats,
                            help="output format (default: what the ending of -o says, else "
                            "text)")  # fmt: skip
    common.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all")
    common.add_argument("--csv-safe", action="store_true",
                        help="in csv and tsv, an apostrophe before texts that a spreadsheet would "
                        "run as formulas")  # fmt: skip
    common.add_argument("--plugin", metavar="FILE.py", action="append", default=[],
                        help="load measures of your own (may be repeated)")  # fmt: skip
    common.add_argument("--debug", action="store_true", help="show a traceback for internal errors")
    common.add_argument("-q", "--quiet", action="store_true",
                        help="no messages and no progress on stderr")  # fmt: skip
    common.set_defaults(files=[], formats=tuple(formats))
    return common


ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".md": "markdown", ".tex": "latex",
}  # fmt: skip
"""The format that the ending of an output file says; other files get text."""


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
    options.format = ENDINGS.get(ending, "text")
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
        tell(message)
