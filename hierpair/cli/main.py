"""What all verbs share: the parser, exit codes, and that no error shows a traceback."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from hierpair._version import __version__
from hierpair.cli import (
    check,
    compare,
    convert,
    curve,
    decode,
    examine,
    explain,
    measures,
    merge,
    partial,
    report,
    score,
    verify,
    weights,
)
from hierpair.cli.config import configured, plugins_of
from hierpair.cli.output import check_target, deliver, discard, tell
from hierpair.cli.parser import Outcome, Parser, say, settle_format
from hierpair.cli.plugins import Plugins, values_of
from hierpair.cli.reading import inputs_of
from hierpair.cli.spelling import as_typed
from hierpair.errors import BadInput, HierpairError, did_you_mean, visible_lines
from hierpair.io.files import inputs_guarded
from hierpair.tables import FORMS, spreadsheet_safe

__all__ = ["build_parser", "main"]

OK, USAGE, INTERNAL, INTERRUPTED = 0, 2, 3, 130
MODULES = (
    score, partial, merge, compare, examine, report, curve, explain, check, convert, decode, verify,
    measures, weights,
)  # fmt: skip
VERBS = tuple(module.VERB for module in MODULES)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 1: a check found something wrong; 2: wrong usage or bad input; 3: a fault in
    hierpair; 130: interrupted.
    """
    _fill_closed_streams()
    with inputs_guarded():
        code = _run(argv)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
    except (OSError, ValueError) as error:
        discard(sys.stdout)
        tell(f"hierpair: standard output: cannot be written ({error})")
        return code or USAGE
    return code


def _run(argv: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    debug, flags = "--debug" in words, []
    try:
        with Plugins(debug) as plugins:
            try:
                options = _resolved(words, plugins)
            except SystemExit as stop:
                return int(stop.code or 0)
            flags = options.words
            return _done(options)
    except HierpairError as error:
        return _ended(as_typed(" ".join(str(error).splitlines()), flags))
    except BrokenPipeError:
        if sys.stdout is not None:
            discard(sys.stdout)
        return OK
    except MemoryError:
        return _ended("out of memory; hierpair check tells what a run needs")
    except Exception as error:
        if debug:
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        return _ended(
            f"internal error: {type(error).__name__}: {' '.join(str(error).split())} "
            f"({Path(where.filename).name}:{where.lineno}); run with --debug for the details",
            INTERNAL,
        )
    except BaseException as error:
        if type(error) is KeyboardInterrupt:
            return _ended("interrupted", INTERRUPTED)
        # No part of hierpair leaves so, but a rule of a user's own may.
        return _ended(f"a plugin ended the run ({type(error).__name__}); nothing was done")


def _resolved(words: list[str], plugins: Plugins) -> argparse.Namespace:
    """Return the options of the command line and of its configuration, plugins loaded."""
    named = values_of("--plugin", words)
    for path in () if named else values_of("--config", words)[-1:]:
        named = plugins_of(path, words)
    plugins.load(named)
    options = _parsed(words)
    if getattr(options, "config", None) is not None:
        words = configured(words, options, build_parser())
        options = _parsed(words)
    if plugins.load(options.plugin):  # named by an abbreviated option
        options = _parsed(words)
    settle_format(options)
    return options


def _done(options: argparse.Namespace) -> int:
    if "" in options.files:
        raise BadInput("the name of a file is empty")
    inputs = inputs_of(options)
    if sum(given.rpartition("=")[2] == "-" for given in inputs) > 1:
        raise BadInput("only one file can be read from standard input")
    check_target(options.output, inputs)
    outcome = options.run(options)
    if not isinstance(outcome, Outcome):
        outcome = Outcome(outcome)
    content, fmt = outcome.content, getattr(options, "format", getattr(options, "to", None))
    if isinstance(content, str):
        separator = FORMS[fmt].separator if fmt in FORMS else None
        if options.csv_safe and separator is not None:
            content = spreadsheet_safe(content, separator)
        if fmt == "text":  # the forms for programs keep every character
            content = visible_lines(content)
    deliver(content, options.output)
    for message in options.last:
        say(options, message)
    return outcome.code


def _ended(message: str, code: int = USAGE) -> int:
    tell(f"hierpair: {message}")
    return code


def _fill_closed_streams() -> None:
    """Open what was closed: else the next file would get its number, and others' messages."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:  # NumPy 2.0 asks for its write when SciPy imports all of it
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Return the options; files may stand among them, where argparse alone wants them together."""
    parser = build_parser(words)
    options, rest = parser.parse_known_args(words)
    strange = [word for word in rest if word.startswith("-") and word != "-"]
    if strange or (rest and not options.takes_files):
        near = did_you_mean(strange[0].partition("=")[0], options.words) if strange else ""
        parser.error(f"unrecognized arguments: {' '.join(rest)}{near}")
    options.files = [*options.files, *rest]
    return options


def build_parser(words: Sequence[str] | None = None) -> Parser:
    """Return the parser of the whole command line.

    With the words of a command line only the verb that they name gets its options: what
    measures have is known only where they are imported, which takes half a second.
    """
    parser = Parser(
        prog="hierpair",
        description="Score hierarchical classifiers: every published measure, exact.",
    )
    parser.add_argument("--version", action="version", version=f"hierpair {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in VERBS:
        verb.add_to(verbs, filled=words is None or verb.name in words)
    return parser
