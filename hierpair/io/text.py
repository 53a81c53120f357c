"""Bytes and text in: decoding, compression, standard input, and their errors."""

from __future__ import annotations

import gc
import io
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from os import PathLike
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.io.files import GZIP, OTHER_KINDS, read_file

__all__ = [
    "collector_paused",
    "decoded",
    "read_bytes",
    "read_lines",
    "read_text",
    "read_toml",
    "split_lines",
    "text_start",
]

LONGEST_LINE = 2**24
"""Characters; a longer line would need gigabytes once it is split."""

BOMB_BYTES, BOMB_RATIO = 2**28, 200
"""What unpacks to more bytes than both is refused: label files hardly ever shrink that much,"""

BOMB_TEXT = 2**26
"""and text makes many objects of few bytes, so that a small file of it may become no more."""


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a UTF-8 file without their line ends; ``-`` is standard input.

    Raises
    ------
    BadInput
        For a file that is missing, empty, not UTF-8, damaged, holds a NUL byte, or a line of
        more than 2**24 characters.
    """
    return split_lines(path, read_text(path))


def split_lines(path: str | Path, text: str, first_line: int = 1) -> list[str]:
    """Return the lines of a text, whatever its line ends; an endless line is refused.

    ``first_line`` is the number in the file of the first one.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    longest = max(map(len, lines), default=0)
    if longest > LONGEST_LINE:
        number = first_line + next(i for i, line in enumerate(lines) if len(line) == longest)
        raise BadInput(
            f"{path}:{number}: a line of {longest:,} characters; this is not a text file "
            "with one entry per line"
        )
    return lines


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file; errors as for :func:`read_lines`."""
    text = decoded(path, text_start(path, read_bytes(path)))
    if not text:
        raise BadInput(f"{path}: the file is empty")
    return text


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return what a TOML file says; errors as for :func:`read_lines`."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadInput(f"{path}: the TOML is nested too deeply") from None
    except ValueError as error:  # Python's own go on about its settings after a semicolon
        raise BadInput(f"{path}: not TOML: {str(error).partition(';')[0]}") from None


def text_start(path: str | Path, data: bytes) -> bytes:
    """Return the start of a text, or all of it, without the mark of UTF-8; refuse other kinds."""
    if not data:
        raise BadInput(f"{path}: the file is empty")
    data = data.removeprefix(b"\xef\xbb\xbf")
    for start, kind in OTHER_KINDS.items():
        if data.startswith(start):
            raise BadInput(f"{path}: this is {kind}")
    if data.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html>", b"<html ")):
        raise BadInput(f"{path}: this is a web page (HTML); download the file itself")
    return data


def decoded(path: str | Path, data: bytes, first_line: int = 1) -> str:
    """Return the text of UTF-8 that begins with this line of a file."""
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + first_line
        raise BadInput(f"{path}:{line}: a NUL byte; this is not a text file")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        raise BadInput(
            f"{path}:{line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None


def read_bytes(path: str | Path, *, binary: bool = False) -> bytes:
    """Return the bytes of a file, unpacked if they are gzipped; ``-`` is standard input.

    Of a file that is no text, or with ``binary`` no array or table, it may be the beginning.
    """
    if not isinstance(path, (str, PathLike)):
        raise BadInput(
            f"expected the name of a file, got {shown(path, 60)}; data in memory go to "
            "Hierarchy.from_edges, from_parents, from_nested, from_paths or from_frame, labels to "
            "LabelSets or straight to score"
        )
    if not str(path):
        raise BadInput("the name of a file is empty")
    try:
        raw = read_file(path, binary=binary)
        packed = str(path).endswith(".gz") or raw.startswith(GZIP)
        return _unpacked(path, raw, BOMB_BYTES if binary else BOMB_TEXT) if packed else raw
    except BadInput:
        raise
    except FileNotFoundError:
        _check_name(str(path))
        raise BadInput(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: this is a folder, not a file") from None
    except (BadGzipFile, EOFError, zlib.error):
        raise BadInput(f"{path}: the gzip file is damaged") from None
    except (OSError, ValueError) as error:
        _check_name(str(path))
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{path}: cannot be read ({reason})") from None


def _check_name(given: str) -> None:
    """Refuse the content of a file where its name is expected."""
    start = given.lstrip()[:1]
    if "\n" in given or "\t" in given or start in ("{", "[", "<"):
        kind = {"{": "JSON text", "[": "JSON text", "<": "XML text"}.get(start, "text")
        loads = ", or give json.loads(…) to Hierarchy.from_nested, from_edges or from_parents"
        raise BadInput(
            f"expected the name of a file, got {kind}: {shown(given, 60)}; write it to a file"
            f"{loads * (kind == 'JSON text')}"
        )


def _unpacked(path: str | Path, raw: bytes, free: int) -> bytes:
    most = max(free, BOMB_RATIO * len(raw))
    with GzipFile(fileobj=io.BytesIO(raw)) as packed:
        data = packed.read(most + 1)
    if len(data) > most:
        raise BadInput(
            f"{path}: {len(raw):,} bytes unpack to more than {most:,}; "
            "if that is meant, unpack the file first"
        )
    return data


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking at millions of new lists again and again.

    Reading makes no reference cycles, and takes a third less time without it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
