"""The files of a data set: a file, a folder, a pattern, or a list of these."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, check_unique, shown
from hierpair.io.files import FilePath
from hierpair.io.labels.label_files import LABEL_FORMATS

WHOLE_BYTES = 2**26
"""Files of labels up to so many bytes are read whole; those beyond it, part by part."""

PATTERN = re.compile(r"[*?[]")
"""Signs of a pattern."""

File = tuple[str, str]
"""The path of a file, and its name below the root of the data set."""


def is_dataset(path: FilePath) -> bool:
    """Whether a path can only be a data set: a folder, a pattern, or an address.

    >>> is_dataset("day-*.parquet"), is_dataset("s3://bucket/key"), is_dataset("labels.csv")
    (True, True, False)
    """
    text = str(path)
    try:
        return "://" in text or Path(text).is_dir() or _is_pattern(text)
    except (OSError, ValueError):
        return False  # the reader says what is wrong


def _is_pattern(path: str) -> bool:
    return bool(PATTERN.search(path)) and not Path(path).exists()


def is_large(path: FilePath) -> bool:
    """Whether a file is beyond what is read whole, and can be read in parts here."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return False
    whole = size <= WHOLE_BYTES or LABEL_FORMATS.of_ending(str(path)) == "npz"
    return not whole and all(map(find_spec, ("duckdb", "pyarrow")))


def found_files(given: Any) -> tuple[str, list[File]]:
    """Return what a data set is called, and its files in order; hidden ones are passed over."""
    if not isinstance(given, (str, PathLike, Iterable)) or isinstance(given, (bytes, dict)):
        raise BadInput(f"expected a file, a folder, a pattern or a list, got {shown(given, 60)}")
    several = list(map(str, [given] if isinstance(given, (str, PathLike)) else given))
    if not several:
        raise BadInput("a data set needs at least one file; the list is empty")
    found = [file for one in several for file in _located(one)]
    said = "this file is given twice; its rows would count twice"
    check_unique((os.path.realpath(path) for path, _ in found), lambda path: f"{path}: {said}")
    if len(several) == 1:
        return several[0], found
    same = _folder(os.path.commonprefix([path for path, _ in found]))  # noqa: RUF071 - cut
    called = f"{several[0]} and {len(several) - 1} more"
    return called, [(path, path.removeprefix(same)) for path, _ in found]


def _folder(path: str) -> str:
    return path[: path.replace("\\", "/").rfind("/") + 1]


def _located(path: str) -> list[File]:
    """Return what one path means, in the order of names."""
    if "://" in path or path == "-":
        said = "a data set is read part by part from files on this machine, not from an address"
        raise BadInput(f"{path}: {said} or standard input; download or mount them first")
    names, root = [path], _folder(path)
    if Path(path).is_dir():
        names, root = list(_below(path)), path.rstrip("/") + "/"
    elif _is_pattern(path):
        root = _folder(PATTERN.split(path)[0])
        names = glob.glob(path, recursive=True)  # noqa: PTH207 - absolute ones, too
    for name in names:
        if not (Path(name).is_file() or Path(name).is_dir()):  # it would be lost
            said = "there is no such file, or it is a pipe, or a link that leads nowhere"
            raise BadInput(f"{name}: {said}")
    found = sorted((x, x.removeprefix(root)) for x in names if not Path(x).is_dir())
    if not found:
        raise BadInput(f"{path}: there are no files in this folder, or none fits this pattern")
    return found


def _below(root: str) -> Iterator[str]:
    """Yield all that is in a folder and in its folders, links too; not what is hidden."""
    seen = set()
    for folder, inside, names in os.walk(root, followlinks=True, onerror=_refuse):
        real = os.path.realpath(folder)
        if real in seen:
            raise BadInput(f"{folder}: this folder comes twice, by a link; its rows would, too")
        seen.add(real)
        for several in (inside, names):
            several[:] = (name for name in several if not name.startswith((".", "_")))
        yield from (f"{folder.rstrip('/')}/{name}" for name in names)


def _refuse(error: OSError) -> None:
    """Refuse a folder that cannot be listed: what is in it would be lost."""
    raise BadInput(f"{error.filename}: cannot be read ({error.strerror})") from None
