"""Words out: to the terminal, or to a file that is written whole or not at all; and progress."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from hierpair.errors import BadInput, visible_lines
from hierpair.io.files import check_not_read, replace_file, same_file

HALF = 700
LONGEST = 2 * HALF + 3
"""Characters of a line of a message, which may repeat arguments of any length."""


def check_target(output: str | None, inputs: Sequence[str]) -> None:
    """Refuse what cannot be written, or is read, before any work is done."""
    if output is None or output == "-":
        return
    if not output or not _can_be_looked_up(output):
        raise BadInput(f"{output[:80]!r} cannot be written; name a file for the output")
    if Path(output).exists() and not Path(output).is_file() and not Path(output).is_dir():
        return
    if Path(output).is_dir() or not Path(os.path.realpath(output)).parent.is_dir():
        raise BadInput(f"{output}: cannot be written; name a file in a folder that exists")
    for given in inputs:
        for path in {given, given.partition("=")[2]} - {"", "-"}:
            if same_file(path, output) and Path(output).exists():
                raise BadInput(f"{output}: this file is read; write the output elsewhere")
    check_not_read(output)


def _can_be_looked_up(path: str) -> bool:
    """Whether the system can tell if there is such a file: not for a name of 300 letters."""
    try:
        Path(path).exists()
    except OSError:
        return False
    return "\0" not in path


def deliver(content: str | bytes, output: str | None) -> None:
    """Print a text (``None`` or ``-``), or write a file; bytes need a file or a pipe.

    A regular file is replaced in one step and keeps its permissions; a link is followed; a
    device or pipe is written to.

    Raises
    ------
    BadInput
        If it cannot be written; a file that was there is then as it was.
    """
    data = content if isinstance(content, bytes) else f"{content}\n".encode(errors="replace")
    if output is None or output == "-":
        if isinstance(content, str):
            _print(content)
        elif sys.stdout is not None and sys.stdout.isatty():
            raise BadInput("this form is binary; name a file with -o")
        else:
            _print(data)
        return
    try:
        if Path(output).exists() and not Path(output).is_file():
            Path(output).write_bytes(data)
        else:
            replace_file(Path(os.path.realpath(output)), data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BadInput(f"{output}: cannot be written ({error.strerror})") from None


def _print(content: str | bytes) -> None:
    if sys.stdout is None:
        raise BadInput("standard output is closed; name a file with -o")
    try:
        if isinstance(content, str):
            encoding = sys.stdout.encoding or "utf-8"
            sys.stdout.write(content.encode(encoding, "replace").decode(encoding) + "\n")
        else:
            sys.stdout.buffer.write(content)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise BadInput(f"standard output: cannot be written ({error.strerror})") from None


def discard(stream: TextIO) -> None:
    """Let what a stream still holds vanish, so that Python does not fail on it when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def tell(message: str) -> None:
    """Print a message on standard error, of long lines both ends; if nobody can read it, go on."""
    if sys.stderr is None:
        return
    lines = [line if len(line) <= LONGEST else f"{line[:HALF]} … {line[-HALF:]}"
             for line in visible_lines(message).split("\n")]  # fmt: skip
    try:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        discard(sys.stderr)


def say(options: argparse.Namespace, message: str) -> None:
    """Print a message on stderr, unless it should be quiet."""
    if not options.quiet:
        tell(as_typed(message, options.words))


def say_last(options: argparse.Namespace, message: str) -> None:
    """Keep a message that all went well until nothing can fail any more."""
    options.last.append(message)


# The library's messages name options as in Python; a command line shows them as they are typed.

CALL = r"\w\((?:[^()]|\([^()]*\))*\)"
"""A measure, a cost or a function with its options: written like this everywhere."""

VALUE = r"(?:'[\w.-]+'|\d[\w.]*)"
OPTION = rf"\b(?P<name>[a-z]\w*)=(?P<values>{VALUE}(?: or {VALUE})*)"


def as_typed(message: str, flags: Collection[str]) -> str:
    """Return a message in which the options that a verb has are spelled as they are typed.

    >>> as_typed("to go on without it: unknown='drop' or 'root'", ["--unknown"])
    'to go on without it: --unknown drop or root'
    >>> as_typed("hf(root='include') has no value", ["--root"])
    "hf(root='include') has no value"
    """

    def typed(found: re.Match[str]) -> str:
        flag = f"--{(found['name'] or '').replace('_', '-')}"
        if flag not in flags:
            return found[0]
        return f"{flag} {found['values'].replace(chr(39), '')}"

    return re.sub(f"{CALL}|{OPTION}", typed, message)


QUIET_SECONDS = 2.0
"""Work that takes less shows nothing,"""

PAUSE_SECONDS = 0.2
"""and the line is not written more often than this."""


LARGE_FILE = 20_000_000
"""Bytes; reading so much takes about two seconds."""


class Meter:
    """Shows progress on a terminal; elsewhere, or when it should be quiet, nothing.

    Used as a context; the line is wiped at the end, whatever happens.
    """

    def __init__(self, quiet: bool) -> None:
        self.on = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.started = time.monotonic()
        self.written = 0.0
        self.began: dict[str, float] = {}
        self.dirty = False

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *_: object) -> None:
        self.wipe()

    def wipe(self) -> None:
        """Clear the line, so that a message can be written."""
        if self.dirty:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.dirty = False

    def show(self, system: str, done: int, whole: int, unit: str = "instances") -> None:
        """Say how far a system has come."""
        now = time.monotonic()
        began = self.began.setdefault(system, now)
        if done == 0 or not self.on or now - self.started < QUIET_SECONDS:
            return
        if now - self.written < PAUSE_SECONDS and done < whole:
            return
        rate = done / max(now - began, 1e-9)
        if not whole:  # as long as nobody can tell
            self._write(f"{system}: {done:,} {unit}, {rate:,.0f}/s", now)
            return
        left = (whole - done) / rate if rate else 0.0
        self._write(
            f"{system}: {done:,} of {whole:,} {unit}, {rate:,.0f}/s, {left:.0f} s left", now
        )

    def reading(self, path: str) -> None:
        """Say which file is read, if that is going to be noticed."""
        now = time.monotonic()
        try:
            size = Path(path).stat().st_size
        except (OSError, ValueError):
            size = 0  # standard input; or the reader will say what is wrong
        if self.on and (now - self.started >= QUIET_SECONDS or size > LARGE_FILE):
            self._write(f"reading {path} ({size / 1e6:,.0f} MB)", now)

    def _write(self, text: str, now: float) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self.written, self.dirty = now, True
