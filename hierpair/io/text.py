"""Bytes and text in, at once or block by block: decoding, compression, and their errors."""

from __future__ import annotations

import gc
import io
import re
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from hierpair.errors import BadInput, shown
from hierpair.io.files import GZIP, OTHER_KINDS, read_file

__all__ = [
    "blocks_of",
    "collector_paused",
    "lines_in_blocks",
    "read_bytes",
    "read_lines",
    "read_text",
    "read_toml",
    "split_lines",
]

BLOCK = 2**20
"""Bytes that are looked at in one go."""

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
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n").split("\n") if text else []
    longest = max(map(len, lines), default=0) if len(text) > LONGEST_LINE else 0
    if longest > LONGEST_LINE:
        number = first_line + next(i for i, line in enumerate(lines) if len(line) == longest)
        raise BadInput(
            f"{path}:{number}: a line of {longest:,} characters; this is not a text file "
            "with one entry per line"
        )
    return lines


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file; errors as for :func:`read_lines`."""
    text = _decoded(path, _text_start(path, read_bytes(path)))
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


def _text_start(path: str | Path, data: bytes) -> bytes:
    """Return the start of a text, or all of it, without the mark of UTF-8; refuse other kinds."""
    if not data:
        raise BadInput(f"{path}: the file is empty")
    data = data.removeprefix(b"\xef\xbb\xbf")
    words = re.sub(rb"\A(%.*\n|\s)+", b"", data[:4096]).lower()
    for start, kind in OTHER_KINDS.items():
        if data.startswith(start) or words.startswith(start):
            raise BadInput(f"{path}: this is {kind}")
    return data


def _decoded(path: str | Path, data: bytes, first_line: int = 1) -> str:
    """Return the text of UTF-8 that begins with this line of a file."""
    at, said = data.find(b"\0"), "a NUL byte; this is not a text file"
    if at < 0:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            at = error.start
            said = f"byte 0x{data[at]:02x} is not UTF-8; save the file as UTF-8"
    line = data.count(b"\n", 0, at) + first_line
    raise BadInput(f"{path}:{line}: {said}")


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
    with _faults_named(path):
        raw = read_file(path, binary=binary)
    if not _is_packed(path, raw):
        return raw
    free = BOMB_BYTES if binary else BOMB_TEXT
    return b"".join(blocks_of(path, io.BytesIO(raw), len(raw), free))


def _is_packed(path: str | Path, start: bytes) -> bool:
    return str(path).endswith(".gz") or start.startswith(GZIP)


def blocks_of(
    path: str | Path, file: BinaryIO, n_bytes: int, free: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked as long as they are not far too many."""
    packed = _is_packed(path, file.read(2))
    file.seek(0)
    most, size = max(BOMB_TEXT if free is None else free, BOMB_RATIO * n_bytes), 0
    with _faults_named(path):
        stream: Any = GzipFile(fileobj=file) if packed else file
        while block := stream.read(BLOCK):
            size += len(block)
            if packed and size > most:
                raise BadInput(
                    f"{path}: {n_bytes:,} bytes unpack to more than {most:,}; "
                    "if that is meant, unpack the file first"
                )
            yield block


@contextmanager
def _faults_named(path: str | Path) -> Iterator[None]:
    """Name the file that the system cannot read, or that is damaged."""
    try:
        yield
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
    if "\n" in given or "\t" in given or given.lstrip().startswith(("{", "[", "<")):
        raise BadInput(
            f"expected the name of a file, got text: {shown(given, 60)}; write it to a file, or "
            "give json.loads(…) of JSON to Hierarchy.from_nested, from_edges or from_parents"
        )


def lines_in_blocks(path: str | Path, file: BinaryIO, n_bytes: int) -> Iterator[list[str]]:
    """Yield the lines of an open UTF-8 file without their ends, some at a time.

    Parameters
    ----------
    path
        What the file is called in errors.
    file
        The bytes; what is packed by gzip is unpacked.
    n_bytes
        The size of the file: what unpacks to far more is refused.

    Raises
    ------
    BadInput
        As :func:`read_lines`.
    """
    blocks = blocks_of(path, file, n_bytes)
    number, rest = 1, _text_start(path, next(blocks, b""))  # the number of the first line to come
    for block in chain([b""], blocks):
        data = rest + block
        # a line end at the very end may be the first half of one
        end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
        if b"\0" in data or (end == 0 and len(data) > 4 * LONGEST_LINE):
            end = len(data)  # which is refused, though its line may have no end
        rest = data[end:]
        if end:
            lines = split_lines(path, _decoded(path, data[:end], number), number)
            number += len(lines)
            yield lines
    if not rest and number == 1:
        raise BadInput(f"{path}: the file is empty")
    if rest:
        yield split_lines(path, _decoded(path, rest, number), number)


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
