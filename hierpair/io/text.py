"""Bytes and text in, at once or block by block: decoding, compression, and their errors."""

from __future__ import annotations

import gc
import io
import re
import sys
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.io.files import GZIP, OTHER_KINDS, FilePath, note_read

BLOCK = 2**20
"""Bytes that are looked at in one go."""

STREAM_BYTES = 2**30
"""A pipe that brings more is refused, since nothing tells whether it ever ends."""

LONGEST_LINE = 2**24
"""Characters; a longer line would need gigabytes once it is split."""

BOMB_BYTES, BOMB_RATIO = 2**28, 200
"""What unpacks to more bytes than both is refused: label files hardly ever shrink that much,"""

BOMB_TEXT = 2**26
"""and text makes many objects of few bytes, so that a small file of it may become no more."""


def read_lines(path: FilePath) -> list[str]:
    """Return the lines of a UTF-8 file without their ends; ``-`` is standard input."""
    return split_lines(path, read_text(path))


def split_lines(path: FilePath, text: str, first_line: int = 1) -> list[str]:
    """Return the lines of a text, whatever its line ends; an endless line is refused."""
    text = _plain_ends(text)
    lines = text.removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines, first_line) if len(text) > LONGEST_LINE else ():
        if len(line) > LONGEST_LINE:
            said = f"a line of {len(line):,} characters; this is not a text file"
            raise BadInput(f"{path}:{number}: {said} with one entry per line")
    return lines


def _plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_text(path: FilePath) -> str:
    """Return the text of a UTF-8 file; errors as for :func:`read_lines`."""
    text = _decoded(path, _text_start(path, read_bytes(path, BOMB_TEXT)))
    if not text:
        raise BadInput(f"{path}: the file is empty")
    return text


def read_toml(path: FilePath) -> dict[str, Any]:
    """Return what a TOML file says; errors as for :func:`read_lines`."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadInput(f"{path}: the TOML is nested too deeply") from None
    except ValueError as error:  # Python's own go on about its settings after a semicolon
        raise BadInput(f"{path}: not TOML: {str(error).partition(';')[0]}") from None


def _text_start(path: FilePath, data: bytes) -> bytes:
    """Return the start of a text, or all of it, without the mark of UTF-8; refuse other kinds."""
    if not data:
        raise BadInput(f"{path}: the file is empty")
    data = data.removeprefix(b"\xef\xbb\xbf")
    words = re.sub(rb"\A(%.*\n|\s)+", b"", data[:4096]).lower()
    for start, kind in OTHER_KINDS.items():
        if data.startswith(start) or words.startswith(start):
            raise BadInput(f"{path}: this is {kind}")
    return data


def _decoded(path: FilePath, data: bytes, first_line: int = 1) -> str:
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


def read_bytes(path: FilePath, free: int = BOMB_BYTES) -> bytes:
    """Return the bytes of a file, unpacked; of what is no text, and no known kind, the start."""
    blocks = blocks_of(path, free)
    head = next(blocks, b"")
    if b"\0" in head and (free < BOMB_BYTES or not head.startswith(tuple(OTHER_KINDS))):
        return head  # which tells what is wrong; the rest may be of any size
    return head + b"".join(blocks)


def blocks_of(path: FilePath, free: int) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked as long as they are not far too many."""
    if not isinstance(path, (str, PathLike)):
        raise BadInput(
            f"expected the name of a file, got {shown(path, 60)}; data in memory go to "
            "Hierarchy.from_edges, from_parents, from_nested, from_paths or from_frame, labels to "
            "LabelSets or straight to score"
        )
    size = 0
    with _opened(path) as file:
        n_bytes = note_read(file)
        packed = file.peek(2).startswith(GZIP)
        stream: Any = GzipFile(fileobj=file) if packed else file
        most = max(free, BOMB_RATIO * (n_bytes or 0))
        while block := stream.read(BLOCK):
            size += len(block)
            if packed and size > most:
                said = f"{n_bytes or 0:,} bytes unpack to more than {most:,}"
                raise BadInput(f"{path}: {said}; if that is meant, unpack the file first")
            if n_bytes is None and size > STREAM_BYTES:
                said = f"the pipe brought more than {STREAM_BYTES:,} bytes, and may never end"
                raise BadInput(f"{path}: {said}; write a file and give its name")
            yield block


@contextmanager
def _opened(path: FilePath) -> Iterator[Any]:
    """Open a file or standard input; name the one that cannot be read, or is damaged."""
    if not str(path):
        raise BadInput("the name of a file is empty")
    try:
        if str(path) != "-":
            with Path(path).open("rb") as file:
                yield file
        elif sys.stdin is None:
            raise BadInput("-: standard input is closed")
        else:
            stdin: Any = sys.stdin.buffer
            yield stdin if hasattr(stdin, "peek") else io.BufferedReader(stdin)
    except BadInput:
        raise
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: this is a folder, not a file") from None
    except (BadGzipFile, EOFError, zlib.error):
        raise BadInput(f"{path}: the gzip file is damaged") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{path}: cannot be read ({reason})") from None


def texts_in_blocks(path: FilePath) -> Iterator[tuple[int, str]]:
    """Yield the number of the first and the text of some whole lines of a UTF-8 file at a time.

    Every line ends with a line feed; errors are those of :func:`read_lines`.
    """
    blocks = blocks_of(path, BOMB_TEXT)
    number, rest = 1, _text_start(path, next(blocks, b""))  # the number of the first line to come
    for block in chain([b""], blocks, [None]):
        data = rest + (block or b"")
        # a line end at the very end may be the first half of one
        end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
        if block is None or b"\0" in data or (end == 0 and len(data) > 4 * LONGEST_LINE):
            end = len(data)  # the last line, or one which is refused, may have no end
        rest = data[end:]
        if end:
            text = _plain_ends(_decoded(path, data[:end], number))
            text = text if text.endswith("\n") else f"{text}\n"
            yield number, text
            number += text.count("\n")
    if number == 1:
        raise BadInput(f"{path}: the file is empty")


def lines_in_blocks(path: FilePath) -> Iterator[list[str]]:
    """Yield the lines of a UTF-8 file without their ends, some at a time; as :func:`read_lines`."""
    for number, text in texts_in_blocks(path):
        yield split_lines(path, text, number)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking at millions of new lists: a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
