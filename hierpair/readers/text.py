"""Text files line by line: decoding, compression, standard input, and their errors."""

from __future__ import annotations

import gzip
import sys
import zlib
from pathlib import Path

from hierpair.errors import BadInput

__all__ = ["read_lines"]


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a UTF-8 file without their line ends; ``-`` is standard input.

    Raises
    ------
    BadInput
        For a file that is missing, empty, not UTF-8, damaged, or holds a NUL byte.
    """
    data = _read_bytes(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{path}: the file is UTF-16; save it as UTF-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{path}:{line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise BadInput(f"{path}:{line}: a NUL byte; this is not a text file")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        raise BadInput(f"{path}: the file is empty")
    return lines


def _read_bytes(path: str | Path) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        raw = Path(path).read_bytes()
        packed = str(path).endswith(".gz") or raw.startswith(b"\x1f\x8b")
        return gzip.decompress(raw) if packed else raw
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: this is a folder, not a file") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BadInput(f"{path}: the gzip file is damaged") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
