"""The taxonomy of NCBI: nodes.dmp, and beside it names.dmp and merged.dmp."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np

from hierpair.errors import shown
from hierpair.hierarchy.arrays import (
    Ints,
    OnDemand,
    as_they_come,
    keys_as_they_come,
    places_in,
)
from hierpair.hierarchy.building import NumberedEdges
from hierpair.hierarchy.edge_list import NO_RANK, EdgeList
from hierpair.io.files import FilePath
from hierpair.io.formats import Format, Source
from hierpair.io.text import texts_in_blocks

NODES, NAMES, MERGED = "nodes.dmp", "names.dmp", "merged.dmp"

SIGN, END = "\t|\t", "\t|\n"
"""What stands between fields, and at the end of a line."""

BAR, TAB, LINE_FEED, ZERO = b"|\t\n0"

NUMBER = re.compile("0|[1-9][0-9]{0,17}")

BETWEEN_BLANKS = re.compile(r"(?<=\s)\|(?=\s)")

SCIENTIFIC = "scientific name"
"""The kind of names that is the name of a class; others are synonyms."""

SYNONYMS = (
    "synonym", "equivalent name", "genbank common name", "common name", "acronym",
    "genbank acronym", "genbank synonym",
)  # fmt: skip
"""Kinds of names that mean the class itself."""


def in_folder(path: FilePath) -> FilePath:
    """Return the file of classes of a folder that is an unpacked taxdump; other paths as is."""
    if isinstance(path, (str, PathLike)) and (inside := Path(path) / NODES).is_file():
        return inside
    return path


@dataclass(frozen=True, eq=False)
class DumpFields:
    """Where the fields of the lines of a text are in its bytes, a row per line."""

    text: str
    data: bytes
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, text: str, least: int) -> DumpFields | None:
        """Return the fields of lines of equally many, if all are written as NCBI does."""
        data, n = text.encode(), text.count("\n")
        each = np.frombuffer(data, np.uint8)
        bars = np.flatnonzero(each == BAR)
        bars = bars[each[bars - 1] == TAB]  # others stand in names
        if not n or len(bars) < least * n or len(bars) % n:
            return None
        bars = bars.reshape(n, -1)
        starts, after = np.roll(bars + 2, 1), each[bars + 1]
        starts[0, 0] = 0
        ends = bars - 1
        plain = (after[:, :-1] == TAB).all() and (after[:, -1] == LINE_FEED).all()
        return cls(text, data, starts, ends) if plain and (starts <= ends).all() else None

    def texts(self, column: int, rows: Ints | slice = slice(None)) -> list[str]:
        """Return a column of some lines."""
        starts, ends = (at[rows, column].tolist() for at in (self.starts, self.ends))
        spans = zip(starts, ends, strict=True)
        if self.text.isascii():
            return [self.text[a:b] for a, b in spans]
        return [self.data[a:b].decode() for a, b in spans]

    def numbers(self, n: int) -> Ints | None:
        """Return the first columns, whole numbers of at most 18 digits, or None if one is none."""
        starts, ends = self.starts[:, :n], self.ends[:, :n]
        each, lengths = np.frombuffer(self.data, np.uint8), ends - starts
        found = np.zeros(starts.shape, np.int64)
        padded = (each[starts] == ZERO) & (lengths > 1)
        if lengths.min() < 1 or lengths.max() > 18 or padded.any():
            return None
        for k in range(lengths.max()):
            digit = each[np.minimum(starts + k, ends - 1)] - np.uint8(ZERO)  # others are above 9
            if (digit > 9).any():
                return None
            found = np.where(k < lengths, 10 * found + digit, found)
        return found


def _lines(
    source: Source, name: str, wanted: str, n_ids: int, n: int
) -> Iterator[tuple[Ints, Ints, DumpFields]]:
    """Yield some lines at a time: where they stand, the numbers in front, a row each, and fields.

    Beside the file of classes there may be no other, or an empty one.
    """
    path = source.path if name == NODES else Path(source.path).parent / name
    if name != NODES and (
        str(source.path) == "-" or not Path(path).is_file() or not Path(path).stat().st_size
    ):
        return
    for first, text in texts_in_blocks(path):
        at, fields = np.arange(first, first + text.count("\n")), DumpFields.of(text, n)
        ids = None if fields is None else fields.numbers(n_ids)
        if ids is None:
            sound = dict[int, str]()
            for k, line in enumerate(text.split("\n"), first):
                bare = line.removesuffix("|")
                parts = BETWEEN_BLANKS.split(bare)  # a bar may stand in a name
                parts = parts if len(parts) >= n else bare.split("|")
                parts = [x.strip().replace("\t", " ") for x in parts]
                if len(parts) >= n and all(map(NUMBER.fullmatch, parts[:n_ids])):
                    sound[k] = SIGN.join([*parts[:n], parts[-1]]) + END
                elif line.strip():
                    source.trouble(f"{path}:{k}: expected {wanted}, got {shown(line, 40)}")
            fields, at = DumpFields.of("".join(sound.values()), n), np.array([*sound])
            ids = None if fields is None else fields.numbers(n_ids)
        if fields is not None and ids is not None:
            yield at, ids, fields


def _read(source: Source) -> EdgeList:
    """Return classes with their ranks; titles are scientific names, merged classes other names."""
    said = f"tax_id | parent | rank | …, with a number as class and as parent, as in {NODES}"
    blocks = list[tuple[Ints, Ints]]()

    def words() -> Iterator[str]:
        for at, ids, fields in _lines(source, NODES, said, 2, 3):
            blocks.append((at, ids))
            yield from fields.texts(2)

    rank_of_line, ranks = as_they_come(words())
    if not blocks:
        source.fault(0, "no line holds a class")
        return EdgeList([])
    lines, edges = map(np.concatenate, zip(*blocks, strict=True))
    ids, parents = edges.T
    is_root = ids == parents
    roots = ids[is_root]
    every = np.concatenate([roots, edges[~is_root, ::-1].ravel()])
    codes, first = keys_as_they_come(every)
    known = np.sort(ids)
    for k in np.flatnonzero(places_in(known, parents) < 0).tolist():
        source.fault(
            lines[k],
            f"the parent {parents[k]} of {ids[k]} has no line: is it a root, which is written "
            f"{parents[k]} | {parents[k]} | no rank |, or is its line missing?",
        )
    called = {kind: list[tuple[Ints, list[str]]]() for kind in (SCIENTIFIC, *SYNONYMS, MERGED)}
    wanted = called if "names" in source.options else (SCIENTIFIC,)
    for _, of, fields in _lines(source, NAMES, "tax_id | name | …", 1, 2):
        kinds = np.array(fields.texts(-1), dtype=object)
        named = (places_in(known, of[:, 0]) >= 0) & (fields.starts[:, 1] < fields.ends[:, 1])
        for kind in wanted:
            rows = np.flatnonzero(named & (kinds == kind))
            called[kind].append((of[rows, 0], fields.texts(1, rows)))
    for _, ends, _ in _lines(source, MERGED, "old tax_id | new tax_id |", 2, 2):
        gone = (places_in(known, ends[:, 0]) < 0) & (places_in(known, ends[:, 1]) >= 0)
        called[MERGED].append((ends[gone, 1], _names(ends[gone, 0])))

    def pairs(kind: str) -> Iterator[tuple[str, str]]:
        each = (zip(_names(of), texts, strict=True) for of, texts in called[kind])
        return chain.from_iterable(each)

    def rank_of() -> dict[str, str]:
        held = zip(_names(ids), rank_of_line.tolist(), strict=True)
        return {name: ranks[k] for name, k in held if ranks[k] not in NO_RANK}

    return EdgeList(
        NumberedEdges(_names(every[first]), codes[len(roots) :].reshape(-1, 2)),
        lambda i: source.place(lines[~is_root][i]),
        _names(roots),
        titles=OnDemand(lambda: dict(pairs(SCIENTIFIC))),
        aliases=OnDemand(lambda: {text: c for c, text in pairs(MERGED)}),
        ranks=OnDemand(rank_of),
        synonyms=[(text, c) for kind in SYNONYMS for c, text in pairs(kind)],
        direction="parent-to-child",
    )


def _names(ids: Ints) -> list[str]:
    return [*map(str, ids.tolist())]


TAXDUMP = Format(
    "ncbi",
    "the taxonomy of NCBI: nodes.dmp or the folder of taxdump, whose root is its own parent",
    _read,
    detect=lambda source: SIGN in source.head,
    endings=(".dmp",),
    options=("names",),
)
