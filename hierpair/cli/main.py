"""What all verbs share: the parser, exit codes, and that no error shows a traceback."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from hierpair._version import __version__
from hierpair.cli import compare, curve, explain, files, measures, partials, report, score
from hierpair.cli.config import configured
from hierpair.cli.options import Outcome, Verb
from hierpair.cli.output import as_typed, check_target, deliver, discard, say, tell
from hierpair.cli.plugins import Plugins
from hierpair.cli.reading import inputs_of, take_measures
from hierpair.errors import (
    BadInput,
    HierpairError,
    check_choice,
    did_you_mean,
    unknown,
    visible_lines,
)
from hierpair.io.files import inputs_guarded, same_file
from hierpair.tables.forms import FORMS, spreadsheet_safe

OK, USAGE, INTERNAL, INTERRUPTED = 0, 2, 3, 130
VERBS: dict[str, Verb] = {
    verb.name: verb
    for verb in (
        score.SCORE, partials.PARTIAL, partials.MERGE, compare.COMPARE, report.REPORT,
        explain.EXPLAIN, curve.CURVE, curve.DECODE, files.CHECK, files.VERIFY, files.CONVERT,
        files.WEIGHTS, measures.LIST, measures.EXAMINE,
    )
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 1: a check found something wrong; 2: wrong usage or bad input; 3: a fault in
    hierpair; 130: interrupted.
    """
    _fill_closed_streams()
    with inputs_guarded():
        code = _run(list(sys.argv[1:] if argv is None else argv))
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


def _run(words: list[str]) -> int:
    debug, flags = "--debug" in words, []
    try:
        with Plugins(debug) as plugins:
            try:
                options = _parsed(words)
                if not isinstance(options, str) and getattr(options, "config", None) is not None:
                    options = _parsed(configured(words, options, VERBS))
            except SystemExit:  # of the parser, which has said why
                return USAGE
            if isinstance(options, str):
                deliver(options, None)
                return OK
            flags = options.words
            plugins.load(options.plugin)
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


OVERVIEW = """\
usage: hierpair VERB …

Score hierarchical classifiers: every published measure, exact.

{}

What a verb does: hierpair VERB --help. Which hierpair this is: hierpair --version."""


def _parsed(words: Sequence[str]) -> argparse.Namespace | str:
    """Return the options, or a text that is asked for instead; files may stand among options."""
    if words[:1] in (["-h"], ["--help"]):
        return OVERVIEW.format("\n".join(f"  {v.name:<10}{v.help}" for v in VERBS.values()))
    if words[:1] == ["--version"]:
        return f"hierpair {__version__}"
    if not words:
        raise BadInput("name a verb, such as score; see hierpair --help")
    if words[0] not in VERBS:
        raise unknown("verb", words[0], VERBS)
    verb = VERBS[words[0]]
    asked = [word for word in words if word in ("-h", "--help", "--help-all")]
    if asked:
        return verb.help_text(everything=asked == ["--help-all"])
    options, files = verb.parser.parse_known_args(words[1:])
    ends = files.index("--") if "--" in files else len(files)
    strange = [word for word in files[:ends] if word.startswith("-") and word != "-"]
    if strange:
        name = strange[0].partition("=")[0]
        verb.parser.error(f"unrecognized arguments: {' '.join(strange)}{_meant(name, options)}")
    options.files = [word for k, word in enumerate(files) if k != ends]
    options.last = []
    return options


def _meant(word: str, options: argparse.Namespace) -> str:
    """Return what an option that there is not may be meant to be."""
    name = word.lstrip("-").replace("-", "_")
    if "set" in options:
        from hierpair.measures import OPTIONS

        if name in OPTIONS:
            return f"; a convention is given as --set {name}=VALUE, or in the name of a measure"
    return did_you_mean(word, options.words)


def _done(options: argparse.Namespace) -> int:
    """Run the verb, once all that needs no work is right."""
    if "" in options.files:
        raise BadInput("the name of a file is empty")
    take_measures(options)
    fmt = _settled_format(options)
    VERBS[options.verb].check(options)
    inputs = inputs_of(options)
    if sum(given.rpartition("=")[2] == "-" for given in inputs) > 1:
        raise BadInput("only one file can be read from standard input")
    check_target(options.output, inputs)
    _check_picture(options, inputs)
    outcome = VERBS[options.verb].run(options)
    if not isinstance(outcome, Outcome):
        outcome = Outcome(outcome)
    content = outcome.content
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


def _settled_format(options: argparse.Namespace) -> str | None:
    """Return the format; one that was not given is what the ending of the output says, or text."""
    formats = VERBS[options.verb].formats
    formats = tuple(FORMS if formats is None else formats)
    if "format" not in options:
        return getattr(options, "to", None)
    if options.format is None:
        ending = Path(options.output or "").suffix.lower()
        own = (name for name in formats if ending == f".{name}")
        written = (f.name for f in FORMS.values() if ending in f.endings)
        options.format = next(itertools.chain(written, own), "text")
        if options.format not in formats:
            raise BadInput(
                f"{options.output}: {options.verb} does not write {options.format}; it writes "
                f"{', '.join(formats)} (--format text keeps the name)"
            )
    check_choice("--format", options.format, formats)
    return str(options.format)


def _check_picture(options: argparse.Namespace, inputs: Sequence[str]) -> None:
    """Refuse a picture that cannot be written, before any work is done; name one of a view."""
    view = getattr(options, "view", None)
    if view is not None and options.picture is None and options.format != "dot":
        options.picture = f"{view}.svg"
    picture = getattr(options, "picture", getattr(options, "show", None))
    if picture is None:
        return
    from hierpair.plots.saving import check_ending

    check_ending(picture)
    check_target(picture, inputs)
    if options.output and same_file(picture, options.output):
        raise BadInput("the picture and the output are the same file")


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
