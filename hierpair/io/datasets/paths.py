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
from urllib.parse import unquote

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.io.datasets.parts import DataPart, is_remote
from hierpair.io.files import note_read
from hierpair.io.labels.label_files import LABEL_FORMATS

__all__ = ["WHOLE_BYTES", "found_files", "is_dataset", "is_large", "opened"]

WHOLE_BYTES = 2**26
"""Files of labels up to so many bytes are read whole; those beyond it, part by part."""

PATTERN = re.compile(r"[*?[]")
"""Signs of a pattern."""

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What folders are called for rows without a value."""


def is_dataset(path: str | PathLike[str]) -> bool:
    """Whether a path can only be a data set: a folder, a pattern, or an address.

    >>> is_dataset("day-*.parquet"), is_dataset("s3://bucket/key"), is_dataset("labels.csv")
    (True, True, False)
    """
    text = str(path)
    try:
        if is_remote(text) or Path(text).is_dir():
            return True
        return bool(PATTERN.search(text)) and not Path(text).exists()
    except (OSError, ValueError):
        return False  # the reader says what is wrong


def is_large(path: str | PathLike[str]) -> bool:
    """Whether a file is beyond what is read whole, and can be read in parts here."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return False
    if size <= WHOLE_BYTES or LABEL_FORMATS.of_ending(str(path)) == "npz":
        return False
    return all(find_spec(needed) for needed in ("duckdb", "pyarrow"))


def found_files(given: Any) -> tuple[str, list[DataPart]]:
    """Return what a data set is called, and its files as parts, in the order of their names.

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
    if isinstance(given, (str, PathLike)):
        several = [str(given)]
    elif isinstance(given, Iterable) and not isinstance(given, (bytes, dict)):
        several = [str(one) for one in given]
    else:
        raise BadInput(
            f"expected a file, a folder, a pattern or a list of these, got {shown(given, 60)}"
        )
    if not several:
        raise BadInput("a data set needs at least one file; the list is empty")
    found = [file for one in several for file in _located(one)]
    twice = first_repeated(
        path if is_remote(path) else os.path.realpath(path) for path, _, _ in found
    )
    if twice is not None:
        raise BadInput(f"{twice}: this file is given twice; its rows would count twice")
    if len(several) > 1:
        same = os.path.commonprefix([path for path, _, _ in found])  # noqa: RUF071 - cut below
        found = [(path, path[len(_folder(same)) :], size) for path, _, size in found]
    source = several[0] if len(several) == 1 else f"{several[0]} and {len(several) - 1} more"
    return source, [
        DataPart(name, path, n_bytes=size, partition=_told(name)) for path, name, size in found
    ]


def _folder(path: str) -> str:
    """Return the folder that a path begins with."""
    return path[: path.replace("\\", "/").rfind("/") + 1]


def _told(name: str) -> tuple[tuple[str, str | None], ...]:
    """Return the columns that the folders of a file tell, such as ``split=test/0.parquet``."""
    pairs = (step.partition("=") for step in name.replace("\\", "/").split("/")[:-1])
    told = {unquote(key): value for key, equals, value in pairs if key and equals}
    return tuple((key, None if x == NO_VALUE else unquote(x)) for key, x in told.items())


def _located(path: str) -> list[tuple[str, str, int]]:
    """Return what one path means: files, their names below its root, their sizes."""
    if path == "-":
        raise BadInput("-: a data set is read part by part from files, not from standard input")
    fixed = _folder(PATTERN.split(path)[0])
    with _naming(path):
        files = _remote(path) if is_remote(path) else _local(path, fixed)
    if not files and PATTERN.search(path):
        raise BadInput(f"{path}: no file fits this pattern")
    if not files:
        raise BadInput(f"{path}: there are no files in this folder")
    return sorted(files, key=lambda file: file[1])


def _local(path: str, fixed: str) -> list[tuple[str, str, int]]:
    if Path(path).is_dir():
        names, root = list(_below(path)), path.rstrip("/") + "/"
    elif PATTERN.search(path) and not Path(path).exists():
        names = [x for x in glob.glob(path, recursive=True) if not Path(x).is_dir()]  # noqa: PTH207 - absolute ones, too
        root = fixed
    else:
        names, root = [path], _folder(path)
    return [(name, name[len(root) :], _size(name)) for name in names]


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
        here = folder.rstrip("/") + "/"
        yield from (here + name for name in names if not _is_hidden(name))


def _refuse(error: OSError) -> None:
    """Refuse a folder that cannot be listed: what is in it would be lost."""
    raise BadInput(f"{error.filename}: cannot be read ({error.strerror})") from None


def _size(path: str) -> int:
    """Return the size of a file; what is none would be lost."""
    file = Path(path)
    if file.is_symlink() and not file.exists():
        raise BadInput(f"{path}: this is a link that leads nowhere; mend it or take it away")
    if file.exists() and not file.is_file():
        raise BadInput(f"{path}: this is neither a file nor a folder; take it out of the folder")
    return file.stat().st_size


def _remote(path: str) -> list[tuple[str, str, int]]:
    system, inner = _system(path)
    pattern = PATTERN.search(inner) and not system.exists(inner)
    if system.isdir(inner):
        found, root = system.find(inner, detail=True), inner.rstrip("/") + "/"
    elif pattern:
        found, root = system.glob(inner, detail=True), _folder(PATTERN.split(inner)[0])
    else:
        return [(path, path.rpartition("/")[2], int(system.info(inner)["size"]))]
    return [
        (system.unstrip_protocol(name), name[len(root) :], int(about["size"]))
        for name, about in found.items()
        if about["type"] == "file"
        and (pattern or not any(map(_is_hidden, name[len(root) :].split("/"))))
    ]


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
