"""Files in and out: what is read is known, and is never written over; what is written is whole."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from hierpair.errors import BadInput

FilePath = str | os.PathLike[str]

GZIP = b"\x1f\x8b"
NO_PICKLE = "a pickle, which is never opened; save it as text"
UTF_16 = "UTF-16; save it as UTF-8"
HTML = "a web page (HTML); download the file itself"
GAF = (
    "a file of GO annotations (GAF); write id TAB term of the evidence that counts, without NOT, "
    "such as: awk -F'\\t' '!/^!/ && $4 !~ /NOT/ {print $2\"\\t\"$5}' (long, one term a line)"
)
OTHER_KINDS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet (.xlsx); unpack it, or save it as CSV",
    b"\xd0\xcf\x11\xe0": "an Excel file; save it as CSV",
    b"PAR1": "a Parquet file, in which only labels can come, and which ends in .parquet",
    b"\x93NUMPY": "a NumPy file, in which only labels can come, and which ends in .npy",
    b"\x89HDF": "an HDF5 file; save it as text",
    b"%PDF": "a PDF file; save it as text",
    b"\x80\x03": NO_PICKLE,
    b"\x80\x04": NO_PICKLE,
    b"\x80\x05": NO_PICKLE,
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
    GZIP: "packed by gzip twice; unpack it once",
    b"BZh": "compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ": "packed by xz; unpack it, or pack it by gzip",
    b"\x28\xb5\x2f\xfd": "packed by zstd; unpack it, or pack it by gzip",
    b"hierpair partial ": "a partial, the sums of scores; hierpair merge and compare read it",
    b"version https://git-lfs.github.com/": "only a Git LFS pointer; fetch the file: git lfs pull",
    **dict.fromkeys((b"<!doctype html", b"<html>", b"<html "), HTML),
    **dict.fromkeys((b"!gaf-version", b"!gpa-version"), GAF),
    b"@relation": "an ARFF file; write the values of its class attribute as id TAB labels (of Clus "
    "and MULAN: --separator @ --paths / for a/b@a/c)",
}
"""How files begin that people take for text, and what they are; text in small letters."""

_read: list[set[tuple[int, int]]] = []
"""The files that were read since each guard began: device and number."""


@contextmanager
def inputs_guarded() -> Iterator[None]:
    """Remember all files that are read, by device and number: none of them is overwritten."""
    _read.append(set())
    try:
        yield
    finally:
        _read.pop()


def note_read(file: IO[Any]) -> int | None:
    """Remember an open file that is read; return its size, None for a pipe."""
    with suppress(OSError, ValueError, AttributeError):  # in the memory of a notebook or a test
        about = os.fstat(file.fileno())
        if stat.S_ISREG(about.st_mode):
            for known in _read[-1:]:
                known.add((about.st_dev, about.st_ino))
            return about.st_size
    return None


def check_not_read(target: FilePath) -> None:
    """Refuse to write over a file that has been read."""
    known: set[tuple[int, int]] = set().union(*_read)
    with suppress(OSError):
        about = os.stat(target)  # noqa: PTH116 - as above
        if (about.st_dev, about.st_ino) in known:
            raise BadInput(f"{target}: this file is read; write the output elsewhere")


def file_state(path: str) -> tuple[str, int, int]:
    """Return what tells one state of a file from another: its name, time and size."""
    if not os.path.isfile(path):  # noqa: PTH113 - any text
        folder = os.path.isdir(path)  # noqa: PTH112
        what = "this is a folder" if folder else "there is no such file"
        raise BadInput(f"{path or repr(path)}: {what}")
    about = Path(path).stat()
    return path, about.st_mtime_ns, about.st_size


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file in one step, through links; one that was there keeps its permissions."""
    check_not_read(path)
    try:
        with replacing(Path(os.path.realpath(path))) as file:
            file.write(data)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from None


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Give a file to write into that takes the place of another in one step, or not at all."""
    beside = target.with_name(f".{target.name[:40]}.{os.urandom(4).hex()}")
    try:
        with beside.open("xb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
