"""Text out: to the terminal, or to a file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from hierpair.errors import BadInput, visible_lines
from hierpair.io.files import check_not_read, replace_file, same_file

__all__ = ["check_target", "deliver", "discard", "tell"]

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
