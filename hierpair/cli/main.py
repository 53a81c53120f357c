"""What all verbs share: the words typed, exit codes, and that no error shows a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Collection, Sequence
from pathlib import Path
from types import ModuleType

from hierpair._version import __version__
from hierpair.cli import compare, curve, files, measures, score
from hierpair.cli.config import configured
from hierpair.cli.options import Answer, Options, Verb
from hierpair.cli.output import as_typed, check_target, deliver, discard, tell
from hierpair.cli.reading import take_measures
from hierpair.errors import (
    BadInput,
    HierpairError,
    check_choice,
    one_line,
    unknown,
    visible_lines,
)
from hierpair.io.files import inputs_guarded
from hierpair.io.text import read_text
from hierpair.tables.forms import FORMS, show, spreadsheet_safe
from hierpair.tables.records import Content

VERBS: dict[str, Verb] = {
    verb.name: verb
    for verb in (
        score.SCORE, score.PARTIAL, score.MERGE, compare.COMPARE, compare.REPORT,
        measures.EXPLAIN, curve.CURVE, curve.DECODE, files.CHECK, files.VERIFY, files.CONVERT,
        files.WEIGHTS, measures.LIST, measures.EXAMINE,
    )
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 1: a check found something wrong; 2: wrong usage or bad input; 3: a fault in
    hierpair; 130: interrupted.
    """
    _fill_closed_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    flags: Collection[str] = ()
    code = 2
    try:
        with inputs_guarded():
            options = _parsed(words)
            if isinstance(options, str):
                deliver(options, None)
                return 0
            flags = options.verb.entries
            for path in options.plugin:
                _load(path)
            return _done(options)
    except HierpairError as error:
        message = as_typed(" ".join(str(error).splitlines()), flags)
    except BrokenPipeError:
        if sys.stdout is not None:
            discard(sys.stdout)
        return 0
    except MemoryError:
        message = "out of memory; hierpair check tells what a run needs"
    except Exception as error:
        if "--debug" in words:
            raise
        at = traceback.extract_tb(error.__traceback__)[-1]
        code, message = 3, (
            f"internal error: {type(error).__name__}: {one_line(error)} "
            f"({Path(at.filename).name}:{at.lineno}); run with --debug for the details"
        )  # fmt: skip
    except BaseException as error:
        # No part of hierpair leaves so, but a rule of a user's own may.
        message = f"a plugin ended the run ({type(error).__name__}); nothing was done"
        if type(error) is KeyboardInterrupt:
            code, message = 130, "interrupted"
    tell(f"hierpair: {message}")
    return code


OVERVIEW = """\
usage: hierpair VERB …

Score hierarchical classifiers: every published measure, exact.

{}

What a verb does: hierpair VERB --help. Which hierpair this is: hierpair --version."""


def _parsed(words: Sequence[str]) -> Options | str:
    """Return the options, or a text that is asked for instead."""
    if words[:1] in (["-h"], ["--help"]):
        return OVERVIEW.format("\n".join(f"  {v.name:<10}{v.help}" for v in VERBS.values()))
    if words[:1] == ["--version"]:
        return f"hierpair {__version__}"
    if not words:
        raise BadInput("name a verb, such as score; see hierpair --help")
    if words[0] not in VERBS:
        if Path(words[0]).exists():
            raise BadInput(f"name a verb first, such as hierpair score {words[0]} …")
        raise unknown("verb", words[0], VERBS)
    verb = VERBS[words[0]]
    asked = {"-h", "--help", "--help-all"}.intersection(words)
    if asked:
        return verb.help_text(everything=asked == {"--help-all"})
    try:
        options = verb.read(words[1:])
        return options if options.config is None else configured(options, VERBS)
    except BadInput as error:
        raise BadInput(f"{error}; see hierpair {verb.name} --help") from None


def _done(options: Options) -> int:
    """Run the verb, once all that needs no work is right."""
    if "" in options.files:
        raise BadInput("the name of a file is empty")
    take_measures(options)
    _settle_format(options)
    options.verb.check(options)
    if sum(given.rpartition("=")[2] == "-" for given in options.files) > 1:
        raise BadInput("only one file can be read from standard input")
    check_target(options.output)
    _check_picture(options)
    try:
        found = options.verb.run(options)
    finally:
        options.meter.write("")
    outcome = found if isinstance(found, Answer) else Answer(found)
    content = outcome.content
    if isinstance(content, Content):
        content = show(content, options.format)
    if isinstance(content, str):
        if options.csv_safe:
            content = spreadsheet_safe(content, FORMS[options.format].separator or ",")
        if options.format == "text":  # the forms for programs keep every character
            content = visible_lines(content)
    deliver(content, options.output)
    options.say(*options.last)
    return outcome.code


FOREIGN = ("xlsx", "xls", "ods", "pdf", "parquet")
"""Endings by which people mean a format that no verb writes, but for what is converted to it."""


def _settle_format(options: Options) -> None:
    """Choose the format if none was given: what the ending of the output says, or text."""
    verb, ending = options.verb, Path((options.output or "").removesuffix(".gz")).suffix.lower()
    formats = verb.formats
    if not formats:
        if ending[1:] in FOREIGN and ending[1:] != options.to:
            raise BadInput(f"{options.output}: {verb.name} does not write {ending[1:]}")
        return
    if options.format is None:
        forms = (name for name, form in FORMS.items() if ending in form.endings)
        named = ending[1:] in (*formats, *FOREIGN, score.SUMS)
        options.format = ending[1:] if named else next(forms, "text")
        if options.format not in formats:
            raise BadInput(
                f"{options.output}: {verb.name} does not write {options.format}; it writes "
                f"{', '.join(formats)} (--format text keeps the name)"
            )
    check_choice("--format", options.format, formats)


def _check_picture(options: Options) -> None:
    """Refuse a picture that cannot be written, before any work is done; name one of a view."""
    if options.view is not None and options.picture is None:
        options.picture = f"{options.view}.svg"
    if options.picture is None:
        return
    from hierpair.plots.saving import check_ending

    check_ending(options.picture)
    check_target(options.picture)
    real = os.path.realpath
    if options.output and real(options.picture) == real(options.output):
        raise BadInput("the picture and the output are the same file")


def _load(path: str) -> None:
    """Import a file of a user's own; an error names the line of it that failed."""
    module = ModuleType(f"hierpair_plugin_{path.encode(errors='replace').hex()}")
    text = read_text(path)
    sys.modules[module.__name__], module.__file__ = module, path
    try:
        exec(compile(text, path, "exec", dont_inherit=True), vars(module))
    except KeyboardInterrupt:
        raise
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [None, *(frame.lineno for frame in frames if frame.filename == path)]
        line = getattr(error, "lineno", None) or lines[-1]
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        place = f"{path}:{line}" if line else path
        raise BadInput(f"{place}: {type(error).__name__}: {said}") from None


def _fill_closed_streams() -> None:
    """Open what was closed: else the next file would get its number, and others' messages."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:  # NumPy 2.0 asks for its write when SciPy imports all of it
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
