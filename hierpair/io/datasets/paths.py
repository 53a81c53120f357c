"""The files of a data set: a file, a folder, a pattern, a list, on this machine or elsewhere."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.io.files import note_read
from hierpair.io.labels.label_files import LABEL_FORMATS

__all__ = [
    "WHOLE_BYTES",
    "FoundFile",
    "absolute",
    "found_files",
    "is_dataset",
    "is_large",
    "is_remote",
    "opened",
]

WHOLE_BYTES = 2**26
"""Files of labels up to so many bytes are read whole; those beyond it, part by part."""

PATTERN_SIGNS = frozenset("*?[")

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What folders are called for rows without a value."""


@dataclass(frozen=True)
class FoundFile:
    """One file of a data set, its name below the root, its size, and what its folders tell."""

    path: str
    name: str
    n_bytes: int
    partition: tuple[tuple[str, str | None], ...]


def is_dataset(path: str | PathLike[str]) -> bool:
    """Whether a path can only be a data set: a folder, a pattern, or an address.

    >>> is_dataset("day-*.parquet"), is_dataset("s3://bucket/key"), is_dataset("labels.csv")
    (True, True, False)
    """
    text = str(path)
    try:
        if is_remote(text) or Path(text).is_dir():
            return True
        return bool(PATTERN_SIGNS & {*text}) and not Path(text).exists()
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


def is_remote(path: str) -> bool:
    """Whether a path is an address, such as ``s3://bucket/key``."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a path that processes in other folders understand, too; addresses are such.

    >>> absolute("s3://bucket/key"), absolute("/data/../data/a")
    ('s3://bucket/key', '/data/a')
    """
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 - any text


def found_files(given: Any) -> tuple[str, list[FoundFile]]:
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
    if isinstance(given, (str, PathLike)):
        several, source = [str(given)], str(given)
    elif isinstance(given, Iterable) and not isinstance(given, (bytes, dict)):
        several = [str(one) for one in given]
        if not several:
            raise BadInput("a data set needs at least one file; the list is empty")
        source = several[0] if len(several) == 1 else f"{several[0]} and {len(several) - 1} more"
    else:
        raise BadInput(
            f"expected a file, a folder, a pattern or a list of these, got {shown(given, 60)}"
        )
    found = [file for one in several for file in _located(one)]
    twice = first_repeated(
        path if is_remote(path) else os.path.realpath(path) for path, _, _ in found
    )
    if twice is not None:
        raise BadInput(f"{twice}: this file is given twice; its rows would count twice")
    if len(several) > 1:
        root = len(_common_folder([path for path, _, _ in found]))
        found = [(path, path[root:], size) for path, _, size in found]
    return source, [FoundFile(path, name, size, _told(name)) for path, name, size in found]


def _told(name: str) -> tuple[tuple[str, str | None], ...]:
    """Return the columns that the folders of a file tell, such as ``split=test/0.parquet``."""
    told: dict[str, str | None] = {}
    for folder in name.replace("\\", "/").split("/")[:-1]:
        key, equals, value = folder.partition("=")
        if key and equals:
            told[unquote(key)] = None if value == NO_VALUE else unquote(value)
    return tuple(told.items())


def _common_folder(names: list[str]) -> str:
    """Return the folder that all files are in."""
    folders = [name.replace("\\", "/").split("/")[:-1] for name in names]
    same = 0
    while all(len(f) > same and f[same] == folders[0][same] for f in folders):
        same += 1
    return "".join(part + "/" for part in folders[0][:same])


def _located(path: str) -> list[tuple[str, str, int]]:
    """Return what one path means: files, their names below its root, their sizes."""
    if path == "-":
        raise BadInput("-: a data set is read part by part from files, not from standard input")
    with _naming(path):
        files = _remote(path) if is_remote(path) else _local(path)
    if not files:
        raise BadInput(
            f"{path}: no file fits this pattern"
            if PATTERN_SIGNS & set(path)
            else f"{path}: there are no files in this folder"
        )
    return sorted(files, key=lambda file: file[1])


def _local(path: str) -> list[tuple[str, str, int]]:
    here = Path(path)
    if here.is_dir():
        inside = [(p, p.relative_to(here)) for p in _below(here)]
        return [(str(p), name.as_posix(), _size(p)) for p, name in inside]
    if not here.exists() and PATTERN_SIGNS & set(path):
        names = [name for name in glob.glob(path, recursive=True) if not Path(name).is_dir()]  # noqa: PTH207 - absolute ones, too
        root = len(_fixed(path))
        return [(name, name[root:], _size(Path(name))) for name in names]
    return [(path, here.name, here.stat().st_size)]


def _below(root: Path) -> Iterator[Path]:
    """Yield all that is in a folder and in its folders, links too; not what is hidden."""
    for folder, inside, names in os.walk(root, followlinks=True, onerror=_refuse):
        here = Path(folder)
        inside[:] = [name for name in inside if not _is_hidden([name])]
        for name in inside:
            real = os.path.realpath(here / name)
            if (here / name).is_symlink() and Path(os.path.realpath(here)).is_relative_to(real):
                raise BadInput(f"{here / name}: this link leads back to a folder that it is in")
        yield from (here / name for name in names if not _is_hidden([name]))


def _refuse(error: OSError) -> None:
    """Refuse a folder that cannot be listed: what is in it would be lost."""
    raise BadInput(f"{error.filename}: cannot be read ({error.strerror})") from None


def _size(path: Path) -> int:
    """Return the size of a file; what is none would be lost."""
    if not path.is_file():
        what = "a link that leads nowhere" if path.is_symlink() else "neither a file nor a folder"
        raise BadInput(f"{path}: this is {what}; mend it or take it out of the folder")
    return path.stat().st_size


def _remote(path: str) -> list[tuple[str, str, int]]:
    system, inner = _system(path)
    if system.isdir(inner):
        found, root = system.find(inner, detail=True), len(inner.rstrip("/")) + 1
    elif PATTERN_SIGNS & set(inner) and not system.exists(inner):
        found, root = system.glob(inner, detail=True), len(_fixed(inner))
    else:
        return [(path, path.rpartition("/")[2], int(system.info(inner)["size"]))]
    return [
        (system.unstrip_protocol(name), name[root:], int(about["size"]))
        for name, about in found.items()
        if about["type"] == "file"
        and not (PATTERN_SIGNS.isdisjoint(inner) and _is_hidden(name[root:].split("/")))
    ]


def _fixed(pattern: str) -> str:
    """Return the folder of a pattern that is the same for all that fits it."""
    steps = pattern.replace("\\", "/").split("/")[:-1]
    n = next((k for k, step in enumerate(steps) if PATTERN_SIGNS & set(step)), len(steps))
    return "".join(step + "/" for step in steps[:n])


def _is_hidden(steps: Iterable[str]) -> bool:
    """Whether a file is none of the data, such as ``_SUCCESS``; ``_split=a`` is a column."""
    return any(step.startswith((".", "_")) and "=" not in step for step in steps)


def _system(path: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        raise BadInput(
            f"{path}: files elsewhere need fsspec and its package for this kind of address: "
            "pip install 'hierpair[remote]'"
        ) from None
    system, inner = url_to_fs(path)
    return system, inner


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
