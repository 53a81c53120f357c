"""Words out: to the terminal, or to a file that is written whole or not at all."""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from hierpair.errors import BadInput, visible_lines
from hierpair.io.files import check_not_read, replace_file

HALF = 700
LONGEST = 2 * HALF + 3
"""Characters of a line of a message, which may repeat arguments of any length."""


def check_target(output: str | None) -> None:
    """Refuse what cannot be written before any work is done; what is read, the guard refuses."""
    if output is None or output == "-":
        return
    path = Path(output)
    try:
        special = path.exists() and not path.is_file()
        fits = not path.is_dir() and Path(os.path.realpath(output)).parent.is_dir()
    except (OSError, ValueError):  # a name of 300 letters, or with a NUL
        fits = False
    if not output or not fits:
        name = output[:80] or "''"
        raise BadInput(f"{name}: cannot be written; name a file in a folder that exists")
    if not special:
        check_not_read(output)


def deliver(content: str | bytes, output: str | None) -> None:
    """Print a text (``None`` or ``-``), or write a file, in one step and through links.

    What ends in ``.gz`` is packed, as it is unpacked when it is read. Bytes need a file or a pipe.
    A device or pipe is written to; a file that fails is as it was.
    """
    path = None if output is None or output == "-" else Path(output)
    if path is None and sys.stdout is None:
        raise BadInput("standard output is closed; name a file with -o")
    if path is None and isinstance(content, bytes) and sys.stdout.isatty():
        raise BadInput("this is not for a terminal; name a file with -o")
    encoding = (sys.stdout.encoding if path is None else None) or "utf-8"
    data = content if isinstance(content, bytes) else f"{content}\n".encode(encoding, "replace")
    if path is not None and path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    try:
        if path is None and data is content:
            sys.stdout.buffer.write(data)
        elif path is None:
            sys.stdout.write(data.decode(encoding))
        elif path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            replace_file(path, data)
        if path is None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if path is None:
            discard(sys.stdout)
        where = path or "standard output"
        raise BadInput(f"{where}: cannot be written ({error.strerror})") from None


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


# The library's messages name options as in Python; a command line shows them as they are typed.

CALL = r"\w\((?:[^()]|\([^()]*\))*\)"
"""A measure, a cost or a function with its options: written like this everywhere."""

FIRST = r"^(?:n_)?(?P<first>\w+)(?= must be )"
VALUE = r"(?:'[\w.-]+'|\d[\w.]*)"
OPTION = rf"(?<!--set )\b(?P<name>[a-z]\w*)=(?P<values>{VALUE}(?: or {VALUE})*)"


def as_typed(message: str, flags: Collection[str]) -> str:
    """Return a message in which the options that a verb has are spelled as they are typed.

    >>> as_typed("to go on without it: unknown='drop' or 'root'", ["--unknown"])
    'to go on without it: --unknown drop or root'
    >>> as_typed("n_jobs must be at least 1, got 0", ["--jobs"])
    '--jobs must be at least 1, got 0'
    >>> as_typed("hf(root='include') has no value", ["--root"])
    "hf(root='include') has no value"
    >>> as_typed("ties='name' takes them by name", ["--set"])
    '--set ties=name takes them by name'
    """
    from hierpair.measures import OPTIONS  # slow, and only errors need it

    def typed(found: re.Match[str]) -> str:
        name, values = found["first"] or found["name"] or "", found["values"]
        flag = f"--{name.replace('_', '-')}"
        if flag not in flags:
            within = message[: found.start()].endswith(("(", ", "))  # a measure that is not closed
            if not values or "--set" not in flags or name not in OPTIONS or within:
                return found[0]
            return f"--set {name}={values.replace(chr(39), '')}"
        return f"{flag} {values.replace(chr(39), '')}" if values else flag

    return re.sub(f"{FIRST}|{CALL}|{OPTION}", typed, message)
