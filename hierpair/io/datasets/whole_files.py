"""Which files of labels are read whole, and which part by part."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from hierpair.io.datasets.locating import PATTERN_SIGNS, is_remote
from hierpair.io.labels.label_files import LABEL_FORMATS

__all__ = ["WHOLE_BYTES", "is_dataset", "is_large"]

WHOLE_BYTES = 2**26
"""Files of labels up to so many bytes are read whole; those beyond it, part by part."""


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
    """Whether a file is beyond what is read whole, and of a form that can be read in parts."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError):
        return False
    return size > WHOLE_BYTES and LABEL_FORMATS.of_ending(str(path)) != "npz"
