"""The files of a data set: a file, a folder, a pattern, a list, on this machine or elsewhere."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.io.files import note_read
from hierpair.io.labels.label_files import LABEL_FORMATS

__all__ = ["WHOLE_BYTES", "absolute", "found_files", "is_dataset", "is_large", "is_remote",
           "opened"]  # fmt: skip

WHOLE_BYTES = 2**26
"""Files of labels up to so many bytes are read whole; those beyond it, part by part."""

PATTERN = re.compile(r"[*?[]")
"""Signs of a pattern."""

File = tuple[str, str, int]
"""The path of a file, its name below the root of the data set, and its size."""


def is_remote(path: str) -> bool:
    """Whether a path is an address, such as ``s3://bucket/key``."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a path that processes in other folders understand, too; addresses are such.

    >>> absolute("s3://bucket/key"), absolute("/data/../data/a")
    ('s3://bucket/key', '/data/a')
    """
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 - any text


def is_dataset(path: str | PathLike[str]) -> bool:
    """Whether a path can only be a data set: a folder, a pattern, or an address.

    >>> is_dataset("day-*.parquet"), is_dataset("s3://bucket/key"), is_dataset("labels.csv")
    (True, True, False)
    """
    text = str(path)
    try:
        return is_remote(text) or Path(text).is_dir() or _is_pattern(text)
    except (OSError, ValueError):
        return False  # the reader says what is wrong


def _is_pattern(path: str) -> bool:
    return bool(PATTERN.search(path)) and not Path(path).exists()


def is_large(path: str | PathLike[str]) -> bool:
    """Whether a file is beyond what is read whole, and can be read in parts here."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return False
    if size <= WHOLE_BYTES or LABEL_FORMATS.of_ending(str(path)) == "npz":
        return False
    return all(find_spec(needed) for needed in ("duckdb", "pyarrow"))


def found_files(given: Any) -> tuple[str, list[File]]:
    """Return what a data set is called, and its files in the order of their names.

    Parameters
    ----------
    given
        A file, a folder with all that is in it, a pattern such as ``day-*/part-*.parquet``, or a
        list of these. Names that start with a dot or an underscore are passed over in folders.

    Raises
    ------
    BadInput
        For what is not there, a folder without files, or a file given twice.
    """
    if not isinstance(given, (str, PathLike, Iterable)) or isinstance(given, (bytes, dict)):
        raise BadInput(
            f"expected a file, a folder, a pattern or a list of these, got {shown(given, 60)}"
        )
    several = list(map(str, [given] if isinstance(given, (str, PathLike)) else given))
    if not several:
        raise BadInput("a data set needs at least one file; the list is empty")
    found = [file for one in several for file in _located(one)]
    twice = first_repeated(
        path if is_remote(path) else os.path.realpath(path) for path, *_ in found
    )
    if twice is not None:
        raise BadInput(f"{twice}: this file is given twice; its rows would count twice")
    if len(several) == 1:
        return several[0], found
    same = _folder(os.path.commonprefix([path for path, *_ in found]))  # noqa: RUF071 - cut
    named = [(path, path[len(same) :], size) for path, _, size in found]
    return f"{several[0]} and {len(several) - 1} more", named


def _folder(path: str) -> str:
    """Return the folder that a path begins with."""
    return path[: path.replace("\\", "/").rfind("/") + 1]


def _located(path: str) -> list[File]:
    """Return what one path means, in the order of names."""
    if path == "-":
        raise BadInput("-: a data set is read part by part from files, not from standard input")
    with _naming(path):
        files = sorted(_remote(path) if is_remote(path) else _local(path), key=lambda x: x[1])
    if not files:
        pattern = PATTERN.search(path)
        said = "no file fits this pattern" if pattern else "there are no files in this folder"
        raise BadInput(f"{path}: {said}")
    return files


def _local(path: str) -> Iterator[File]:
    names, root = [path], _folder(PATTERN.split(path)[0])
    if Path(path).is_dir():
        names, root = list(_below(path)), path.rstrip("/") + "/"
    elif _is_pattern(path):
        found = glob.glob(path, recursive=True)  # noqa: PTH207 - absolute ones, too
        names = [name for name in found if not Path(name).is_dir()]
    else:
        root = _folder(path)
    for name in names:
        file = Path(name)
        if not file.is_file() and (file.exists() or file.is_symlink()):  # it would be lost
            raise BadInput(
                f"{name}: this is neither a file nor a folder, or a link that leads nowhere; take "
                "it away"
            )
        yield name, name[len(root) :], file.stat().st_size


def _below(root: str) -> Iterator[str]:
    """Yield all that is in a folder and in its folders, links too; not what is hidden."""
    seen = set[str]()
    for folder, inside, names in os.walk(root, followlinks=True, onerror=_refuse):
        real = os.path.realpath(folder)
        if real in seen:
            raise BadInput(
                f"{folder}: this folder comes twice, by a link; its rows would count twice"
            )
        seen.add(real)
        inside[:] = sorted(name for name in inside if not _is_hidden(name))
        yield from (f"{folder.rstrip('/')}/{name}" for name in names if not _is_hidden(name))


def _refuse(error: OSError) -> None:
    """Refuse a folder that cannot be listed: what is in it would be lost."""
    raise BadInput(f"{error.filename}: cannot be read ({error.strerror})") from None


def _remote(path: str) -> Iterator[File]:
    system, inner = _system(path)
    whole = system.isdir(inner)
    if whole:
        found, root = system.find(inner, detail=True), inner.rstrip("/") + "/"
    elif PATTERN.search(inner) and not system.exists(inner):
        found, root = system.glob(inner, detail=True), _folder(PATTERN.split(inner)[0])
    else:
        found, root = {inner: {**system.info(inner), "type": "file"}}, _folder(inner)
    for name, about in found.items():
        below = name[len(root) :]
        if about["type"] == "file" and not (whole and any(map(_is_hidden, below.split("/")))):
            yield system.unstrip_protocol(name), below, int(about["size"])


def _is_hidden(name: str) -> bool:
    """Whether a file is none of the data, such as ``_SUCCESS``; ``_split=a`` is a column."""
    return name.startswith((".", "_")) and "=" not in name


def _system(path: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        raise BadInput(
            f"{path}: files elsewhere need fsspec and its package for this kind of address: "
            "pip install 'hierpair[remote]'"
        ) from None
    found: tuple[Any, str] = url_to_fs(path)
    return found


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Name the path in what a file system raises."""
    try:
        yield
    except BadInput:
        raise
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except Exception as error:  # every file system has its own
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:160]
        raise BadInput(f"{path}: cannot be read ({reason})") from None


def opened(path: str) -> BinaryIO:
    """Return a file for reading its bytes, from anywhere in it."""
    with _naming(path):
        if is_remote(path):
            system, inner = _system(path)
            remote: BinaryIO = system.open(inner, "rb")
            return remote
        note_read(path)
        return Path(path).open("rb")
