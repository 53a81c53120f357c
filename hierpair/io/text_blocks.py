"""Lines of a text of any size, block by block: the same lines and refusals as read at once."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import BinaryIO

from hierpair.errors import BadInput
from hierpair.io.text import (
    BOMB_RATIO,
    BOMB_TEXT,
    LONGEST_LINE,
    decoded,
    split_lines,
    text_start,
)

__all__ = ["blocks_of", "lines_in_blocks"]

BLOCK = 2**20
"""Bytes that are looked at in one go."""


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
        As :func:`hierpair.io.text.read_lines`.
    """
    number, rest, begun = 1, b"", False  # number of the first line that is still to come
    for block in blocks_of(path, file, n_bytes):
        data = rest + block
        if not begun and len(data) < LONGEST_LINE and not data.strip():
            rest = data  # what kind of file it is shows in what is not blank
            continue
        if not begun:
            data, begun = text_start(path, data), True
        # a line end at the very end may be the first half of one
        end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
        if end == 0 and len(data) > 4 * LONGEST_LINE:
            raise BadInput(
                f"{path}:{number}: a line of more than {LONGEST_LINE:,} characters; this is not a "
                "text file with one entry per line"
            )
        if b"\0" in data:
            end = len(data)  # which is refused, though its line may have no end
        rest = data[end:]
        if end:
            lines = split_lines(path, decoded(path, data[:end], number), number)
            number += len(lines)
            yield lines
    if not begun:
        rest = text_start(path, rest)
    if not rest and number == 1:
        raise BadInput(f"{path}: the file is empty")
    if rest:
        yield split_lines(path, decoded(path, rest, number), number)


def blocks_of(path: str | Path, file: BinaryIO, n_bytes: int) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked; name the file where the system cannot read on."""
    try:
        yield from _unpacked(path, file, n_bytes)
    except (BadGzipFile, EOFError, zlib.error):
        raise BadInput(f"{path}: the gzip file is damaged") from None
    except OSError as error:
        reason = error.strerror or error
        raise BadInput(f"{path}: cannot be read ({reason})") from None


def _unpacked(path: str | Path, file: BinaryIO, n_bytes: int) -> Iterator[bytes]:
    """Yield the bytes of a file as long as they are not far too many."""
    start = file.read(2)
    file.seek(0)
    if not str(path).endswith(".gz") and start != b"\x1f\x8b":
        while block := file.read(BLOCK):
            yield block
        return
    most, size = max(BOMB_TEXT, BOMB_RATIO * n_bytes), 0
    with GzipFile(fileobj=file) as packed:
        while block := packed.read(BLOCK):
            size += len(block)
            if size > most:
                raise BadInput(
                    f"{path}: {n_bytes:,} bytes unpack to more than {most:,}; "
                    "if that is meant, unpack the file first"
                )
            yield block
