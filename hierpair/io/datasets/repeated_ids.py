"""Ids that come twice in a data set: found by their hashes, confirmed and named by their texts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.io.datasets.arrow_columns import ArrowColumn
from hierpair.io.datasets.arrow_names import text_buffers
from hierpair.io.datasets.batch_labels import Ids, ids_of
from hierpair.io.datasets.parts import DataPart, PartReader, PartRows
from hierpair.labels.coded import values_of

__all__ = ["IdRange", "PartIds", "check_ids_across"]

MOST_HASHES = 2**21
"""Hashes that are kept in memory; more of them are put into files."""

N_BUCKETS = 256
"""Files, so that what is in one of them fits in memory."""

MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Odd numbers that mix bits well (splitmix64)."""


@dataclass(frozen=True)
class IdRange:
    """The ids of a part: where they lie in the order of texts, and how many there are.

    Attributes
    ----------
    part
        The ``id`` of the part.
    least, greatest
        The first and the last id in the order of texts.
    n
        Number of ids, which are all different.
    """

    part: str
    least: str
    greatest: str
    n: int


class PartIds:
    """The ids of one part as they are read, none of which may come twice.

    Parameters
    ----------
    reader, part
        What reads the part again if an id seems to come twice.

    Examples
    --------
    >>> ids = PartIds(None, DataPart("a#0", "a.parquet"))
    >>> ids.add(["x", "y"])
    >>> ids.add(["a"])
    >>> ids.checked()
    IdRange(part='a#0', least='a', greatest='y', n=3)
    """

    def __init__(self, reader: PartReader | None, part: DataPart) -> None:
        self.reader, self.part = reader, part
        self.least: str | None = None
        self.greatest: str | None = None
        self.n = 0
        self._hashes = Hashes()

    def add(self, ids: Ids) -> None:
        """Take the ids of some rows; None, for instances without ids, adds nothing."""
        if ids is None or not len(ids):
            return
        least, greatest = _ends(ids)
        self.least = least if self.least is None else min(self.least, least)
        self.greatest = greatest if self.greatest is None else max(self.greatest, greatest)
        self.n += len(ids)
        self._hashes.add(hashes_of(ids))

    def checked(self) -> IdRange | None:
        """Return where the ids lie; None if there were none.

        Raises
        ------
        BadInput
            For an id that came twice: names it, the file and both rows.
        """
        with closing(self._hashes):
            twice = self._hashes.repeated()
        if len(twice) and self.reader is not None:
            _refuse_repeated(self.reader, [self.part], twice)
        if self.least is None or self.greatest is None:
            return None
        return IdRange(self.part.id, self.least, self.greatest, self.n)


def check_ids_across(
    reader: PartReader, parts: Iterable[DataPart], ranges: Iterable[IdRange | None]
) -> None:
    """Refuse ids that are in two parts, of which each was checked alone.

    Only parts whose ranges of ids overlap are read again, and of them only the ids.

    Parameters
    ----------
    reader
        What reads the parts.
    parts
        All parts.
    ranges
        What :meth:`PartIds.checked` gave for them, in any order.

    Raises
    ------
    BadInput
        Names an id that comes twice, and both files and rows.
    """
    in_order = list(parts)
    for cluster in _overlapping([r for r in ranges if r is not None]):
        named = {r.part for r in cluster}
        some = [part for part in in_order if part.id in named]
        hashes = Hashes()
        with closing(hashes):
            for part in some:
                for _, ids in _ids_in(reader, part):
                    hashes.add(hashes_of(ids))
            twice = hashes.repeated()
        if len(twice):
            _refuse_repeated(reader, some, twice)


def _overlapping(ranges: Sequence[IdRange]) -> Iterator[list[IdRange]]:
    """Yield the ranges that hang together, two or more at a time."""
    cluster: list[IdRange] = []
    greatest = ""
    for one in sorted(ranges, key=lambda r: (r.least, r.greatest)):
        if cluster and one.least > greatest:
            if len(cluster) > 1:
                yield cluster
            cluster = []
        greatest = max(greatest, one.greatest) if cluster else one.greatest
        cluster.append(one)
    if len(cluster) > 1:
        yield cluster


def _ids_in(reader: PartReader, part: DataPart) -> Iterator[tuple[PartRows, Ids]]:
    """Yield the ids of all rows of a part; of several rows of one instance, its first one."""
    for rows in reader.read(part, []):
        ids = ids_of(rows)
        if rows.meaning.long and ids is not None:
            names = values_of(ids)
            new = [0, *(i for i, (a, b) in enumerate(pairwise(names), start=1) if a != b)]
            rows, ids = rows.take(np.array(new)), [names[i] for i in new]  # noqa: PLW2901
        yield rows, ids


def _refuse_repeated(
    reader: PartReader, parts: Sequence[DataPart], twice: NDArray[np.uint64]
) -> None:
    """Name the first id of equal hashes that does come twice; other texts may have its hash."""
    seen: dict[object, str] = {}
    for part in parts:
        for rows, ids in _ids_in(reader, part):
            if ids is None:
                continue
            for i in rows_among(ids, twice):
                name, place = ids[i], rows.place(i)
                if name in seen:
                    remedy = (
                        "the rows of an instance must stand together, in one file"
                        if rows.meaning.long
                        else "keep one of them, or, for one label per row, say so "
                        "(--rows label, Columns(long=True))"
                    )
                    raise BadInput(
                        f"{place}: instance {shown(name)} already occurs at {seen[name]}; {remedy}"
                    )
                seen[name] = place


def _ends(ids: ArrowColumn | list[object]) -> tuple[str, str]:
    """Return the first and the last id in the order of texts."""
    if isinstance(ids, ArrowColumn):
        import pyarrow.compute as pc

        ends = pc.min_max(ids.array).as_py()
        return ends["min"], ends["max"]
    names = [str(name) for name in ids]
    return min(names), max(names)


# ---------------------------------------------------------------- hashes


def hashes_of(ids: Ids) -> NDArray[np.uint64]:
    """Return 64 bits of every id, the same in every process: eight bytes of all at a time."""
    if ids is None or not len(ids):
        return np.zeros(0, dtype=np.uint64)
    if isinstance(ids, ArrowColumn):
        starts, letters = text_buffers(ids.array)
        starts = starts.astype(np.int64)
    else:
        encoded = [str(name).encode("utf-8", "surrogatepass") for name in ids]
        starts = np.concatenate([[0], np.cumsum([len(text) for text in encoded])])
        letters = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    padded = np.concatenate([letters[starts[0] : starts[-1]], np.zeros(8, dtype=np.uint8)])
    words = np.ndarray(len(padded) - 7, dtype="<u8", buffer=padded, strides=(1,))
    begin, length = starts[:-1] - starts[0], np.diff(starts)
    found = _mixed(length.astype(np.uint64))
    for at in range(0, int(length.max()), 8):
        rows: Any = slice(None) if at < int(length.min()) else np.flatnonzero(length > at)
        word = words[begin[rows] + at]
        if at + 8 > int(length.min()):  # what follows a short text is another one
            short = np.minimum(length[rows] - at, 8).astype(np.uint64)
            cut = (np.uint64(8) - short) * np.uint64(8)
            word = (word << cut) >> cut
        found[rows] = _mixed(found[rows] ^ word)
    return found


def rows_among(ids: Ids, hashes: NDArray[np.uint64]) -> list[int]:
    """Return the rows whose ids have one of some hashes."""
    # by a table, NumPy 2.0 cannot take numbers from 2^63 on
    found: list[int] = np.flatnonzero(np.isin(hashes_of(ids), hashes, kind="sort")).tolist()
    return found


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the numbers with all their bits mixed (the finisher of splitmix64)."""
    one, two, three = (np.uint64(m) for m in MULTIPLIERS)
    values = values + one
    values ^= values >> np.uint64(30)
    values *= two
    values ^= values >> np.uint64(27)
    values *= three
    values ^= values >> np.uint64(31)
    return values


class Hashes:
    """Many numbers, of which only those that come again are wanted.

    As long as there are few they stay in memory; then they go into files by their first bits, so
    that one file at a time is looked at.
    """

    def __init__(self) -> None:
        self.kept: list[NDArray[np.uint64]] = []
        self.n_kept = 0
        self.folder: tempfile.TemporaryDirectory[str] | None = None

    def add(self, hashes: NDArray[np.uint64]) -> None:
        """Take some numbers."""
        self.kept.append(hashes)
        self.n_kept += len(hashes)
        if self.n_kept > MOST_HASHES:
            self._put_away()

    def repeated(self) -> NDArray[np.uint64]:
        """Return the numbers that came twice, ascending."""
        if self.folder is None:
            return _repeated(self.kept)
        self._put_away()
        files = sorted(Path(self.folder.name).iterdir())
        return np.concatenate([_repeated([np.fromfile(file, np.uint64)]) for file in files])

    def close(self) -> None:
        """Remove the files."""
        self.kept = []
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None

    def _put_away(self) -> None:
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory(prefix="hierpair-ids-")
        hashes = np.sort(np.concatenate(self.kept)) if self.kept else np.zeros(0, np.uint64)
        first_bits = np.uint64(65 - N_BUCKETS.bit_length())
        cuts = np.searchsorted(hashes >> first_bits, np.arange(1, N_BUCKETS).astype(np.uint64))
        for k, some in enumerate(np.split(hashes, cuts)):
            if len(some):
                file: BinaryIO
                with (Path(self.folder.name) / f"{k:03d}").open("ab") as file:
                    some.tofile(file)
        self.kept, self.n_kept = [], 0


def _repeated(several: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Return the numbers that come twice."""
    if not several:
        return np.zeros(0, dtype=np.uint64)
    numbers = np.sort(np.concatenate(several))
    return np.unique(numbers[1:][numbers[1:] == numbers[:-1]])
