"""Files in and out: bounded in what is read, written whole or not at all, never over an input."""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from pathlib import Path
from typing import Any, BinaryIO

from hierpair.errors import BadInput

__all__ = [
    "check_not_read",
    "file_state",
    "inputs_guarded",
    "note_read",
    "read_file",
    "replace_file",
    "replacing",
    "same_file",
    "write_stream",
]

STREAM_BYTES = 2**30
"""A pipe that brings more is refused, since nothing tells whether it ever ends."""

PIPE_SECONDS = 10.0
"""How long a named pipe may be without anybody at its other end."""

BLOCK = 2**20
"""Bytes that are read at a time, and looked at before more are read."""

GZIP = b"\x1f\x8b"
BINARY = (
    GZIP,
    b"PK\x03\x04",
    b"PAR1",
    b"\x93NUMPY",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"\x80",
    b"\xd0\xcf\x11\xe0",
    b"\x89HDF",
    b"\xff\xfe",
    b"\xfe\xff",
    b"%PDF",
    b"hierpair partial ",
)
"""How files begin that are no text: to be unpacked, or to be refused by their kind."""

# ---------------------------------------------------------------- what has been read

_Identity = tuple[int, int]
_read: list[dict[_Identity, str]] = []
"""The files that were read since each guard began: device and number, and what they were called."""


@contextmanager
def inputs_guarded() -> Iterator[None]:
    """Remember all files that are read; as long as this lasts, none of them is overwritten.

    Files are known by device and number, so that links, other spellings and other names of the
    same file are known, too.
    """
    _read.append({})
    try:
        yield
    finally:
        _read.pop()


def note_read(path: str | os.PathLike[str] | int) -> None:
    """Remember a file that is read by other means than :func:`read_file`; an int is a handle."""
    if not _read:
        return
    try:
        about = os.stat(path)  # noqa: PTH116 - handles too
    except (OSError, ValueError):
        return
    if stat.S_ISREG(about.st_mode):
        _read[-1].setdefault((about.st_dev, about.st_ino), str(path))


def check_not_read(target: str | os.PathLike[str]) -> None:
    """Refuse to write over a file that has been read."""
    try:
        about = os.stat(target)  # noqa: PTH116 - as above
    except (OSError, ValueError):
        return
    if any((about.st_dev, about.st_ino) in known for known in _read):
        raise BadInput(f"{target}: this file is read; write the output elsewhere")


def file_state(path: str) -> tuple[str, int, int]:
    """Return what tells one state of a file from another: its name, time and size."""
    if not os.path.isfile(path):  # noqa: PTH113 - any text
        folder = os.path.isdir(path)  # noqa: PTH112
        what = "this is a folder" if folder else "there is no such file"
        raise BadInput(f"{path or repr(path)}: {what}")
    about = Path(path).stat()
    return path, about.st_mtime_ns, about.st_size


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two names mean one file, there or not yet."""
    try:
        if os.path.samefile(one, other):  # noqa: PTH121 - any text
            return True
    except (OSError, ValueError):
        pass
    return os.path.realpath(one) == os.path.realpath(other)


# ---------------------------------------------------------------- reading


def read_file(path: str | Path, *, binary: bool = False) -> bytes:
    """Return the bytes of a file; ``-`` is standard input.

    Of a file that is no text, or with ``binary`` of none of the known kinds, the beginning is
    returned: it tells the reader what to refuse, and the rest may be of any size.

    Raises
    ------
    BadInput
        For a device, a pipe that brings more than 2**30 bytes, or a named pipe without a writer
        for ten seconds.
    OSError
        For what the system cannot open or read.
    """
    if str(path) == "-":
        if sys.stdin is None:
            raise BadInput("-: standard input is closed")
        return _bounded(sys.stdin.buffer, path, binary)
    file, start = _opened(path)
    with file:
        return start + _bounded(file, path, binary) if start else _bounded(file, path, binary)


def _opened(path: str | Path) -> tuple[BinaryIO, bytes]:
    """Open a file, without waiting for ever for the writer of a named pipe; return what came."""
    if not stat.S_ISFIFO(Path(path).stat().st_mode) or not hasattr(select, "poll"):
        return Path(path).open("rb"), b""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        waiting, start = select.poll(), b""
        waiting.register(handle, select.POLLIN)
        if not waiting.poll(PIPE_SECONDS * 1000):
            with suppress(BlockingIOError):  # raised where there is a writer that has not written
                start = os.read(handle, BLOCK)
                if not start:
                    raise BadInput(
                        f"{path}: a named pipe into which nobody wrote for {PIPE_SECONDS:g} "
                        "seconds; start what writes into it first"
                    )
        os.set_blocking(handle, True)
        return os.fdopen(handle, "rb"), start
    except BaseException:
        os.close(handle)
        raise


def _bounded(file: Any, path: str | Path, binary: bool) -> bytes:
    """Return all bytes of an open file, refusing what never ends."""
    try:
        handle = file.fileno()
        kind = os.fstat(handle).st_mode
    except (AttributeError, UnsupportedOperation, ValueError):
        return _streamed(file, path, binary)  # standard input in the memory of a notebook or a test
    note_read(handle)
    if stat.S_ISREG(kind):
        start = file.tell() if file.seekable() else 0
        head = bytes(file.read(BLOCK))
        if len(head) < BLOCK or _is_enough(head, binary):
            return head
        file.seek(start)
        return bytes(file.read())
    if stat.S_ISBLK(kind) or (stat.S_ISCHR(kind) and not os.isatty(handle) and file.read(1)):
        raise BadInput(f"{path}: this is a device, which never ends; give a file or a pipe")
    return _streamed(file, path, binary)


def _streamed(file: Any, path: str | Path, binary: bool) -> bytes:
    """Return what a pipe brings, block by block."""
    blocks: list[bytes] = []
    size, plain = 0, False
    while block := file.read(BLOCK):
        blocks.append(block)
        size += len(block)
        plain = not binary and not blocks[0].startswith(BINARY)
        if (len(blocks) == 1 and _is_enough(block, binary)) or (plain and b"\0" in block):
            break
        if size > STREAM_BYTES:
            raise BadInput(
                f"{path}: the pipe brought more than {STREAM_BYTES:,} bytes, and may never end; "
                "write a file and give its name"
            )
    return b"".join(blocks)


def _is_enough(head: bytes, binary: bool) -> bool:
    """Whether the beginning of a file tells that its reader is going to refuse it."""
    known = head.startswith(BINARY)
    if binary:
        return not known
    if head.startswith(GZIP):
        return False
    return known or b"\0" in head


# ---------------------------------------------------------------- writing


def replace_file(target: Path, data: bytes) -> None:
    """Write a file in one step; one that was there keeps its permissions.

    Raises
    ------
    BadInput
        For a file that was read under :func:`inputs_guarded`.
    """
    with replacing(target) as file:
        file.write(data)


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Give a file to write into that takes the place of another in one step, or not at all.

    Raises
    ------
    BadInput
        As :func:`replace_file`.
    """
    check_not_read(target)
    if target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
    else:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_stream(target: Path, data: bytes) -> None:
    """Write into a device or pipe; a named pipe without a reader for ten seconds is refused."""
    flags = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) * stat.S_ISFIFO(target.stat().st_mode)
    deadline = time.monotonic() + PIPE_SECONDS
    while True:
        try:
            handle = os.open(target, flags)
            break
        except OSError as error:
            if flags == os.O_WRONLY or error.errno != errno.ENXIO or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
