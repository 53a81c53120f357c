"""The taxonomy of NCBI: nodes.dmp, and beside it names.dmp and merged.dmp."""

from __future__ import annotations

import sys
from itertools import compress
from operator import ne
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import shown
from hierpair.hierarchy.arrays import Ints, places_in
from hierpair.hierarchy.building import Tell
from hierpair.hierarchy.edge_list import NO_RANK, EdgeList
from hierpair.io.files import FilePath
from hierpair.io.formats import Format, Source
from hierpair.io.text import lines_in_blocks

NODES, NAMES, MERGED = "nodes.dmp", "names.dmp", "merged.dmp"

SIGN, END = "\t|\t", "\t|"
"""What stands between fields, and at the end of a line."""

SCIENTIFIC = f"{SIGN}scientific name{END}"
"""How the lines of names end that give the name of a class; others are synonyms."""


SYNONYMS = (
    "synonym", "equivalent name", "genbank common name", "common name", "acronym",
    "genbank acronym", "genbank synonym",
)  # fmt: skip
"""Kinds of names that mean the class itself."""


def in_folder(path: FilePath) -> FilePath:
    """Return the file of classes of a folder that is an unpacked taxdump; other paths as is."""
    if not isinstance(path, (str, PathLike)) or str(path) == "-":
        return path
    inside = Path(path) / NODES
    return inside if inside.is_file() else path


def _columns(
    path: FilePath, n: int, wanted: str, trouble: Tell, *, ending: str = ""
) -> tuple[Ints, list[list[str]]]:
    """Return the lines that end so, and their first columns; the first two are classes."""
    found, number, numbers = [list[str]() for _ in range(n)], 1, list[Ints]()
    n_ids = 1 if ending else 2
    for lines in lines_in_blocks(path):
        some = [line for line in lines if line.endswith(ending)] if ending else lines
        rows = [line.split(SIGN, n) for line in some]
        at: Any = range(number, number + len(rows))
        plain = {*map(len, rows)} == {n + 1}
        columns = [*zip(*rows, strict=True)][:n] if plain else []
        if not plain or not all("".join(x).isdecimal() and all(x) for x in columns[:n_ids]):
            sound = list[Any]()
            for k, line in enumerate(lines, number):
                if not line.endswith(ending):
                    continue
                fields = [x.strip() for x in line.split("|", n)][:n]
                if len(fields) == n and all(map(str.isdecimal, fields[:n_ids])):
                    sound.append((k, *fields))
                elif line.strip():
                    trouble(f"{path}:{k}: expected {wanted}, got {shown(line, 40)}")
            at, *columns = zip(*sound, strict=True) if sound else [()] * (n + 1)
        for column, cells in zip(found, columns, strict=True):
            column.extend(cells)
        numbers.append(np.array(at, dtype=np.int64))
        number += len(lines)
    return np.concatenate(numbers), found


def _read(source: Source) -> EdgeList:
    """Return classes with their ranks; titles are scientific names, merged classes other names."""
    wanted = f"tax_id | parent | rank | …, with a number as class and as parent, as in {NODES}"
    lines, (classes, parents, words) = _columns(source.path, 3, wanted, source.trouble)
    if not classes:
        source.fault(0, "no line holds a class")
    edges = [(above, c) for above, c in zip(parents, classes, strict=True) if above != c]
    held = zip(classes, map(sys.intern, words), strict=True)
    names, ids = np.fromiter(classes, object), _numbers(classes)
    order = np.argsort(ids)

    def beside(name: str, wanted: str, **how: str) -> tuple[list[str], list[str]]:
        """Return the classes that a file beside names, and what it says of them."""
        path = Path(source.path).parent / name
        if str(source.path) == "-" or not path.is_file():
            return [], []
        _, (of, said) = _columns(path, 2, wanted, source.trouble, **how)
        of, said = (said, of) if not how else (of, said)
        if of == classes:  # as NCBI writes them
            return classes, said
        place = places_in(ids[order], _numbers(of))
        known = np.flatnonzero(place >= 0)
        texts = said if len(known) == len(said) else [said[k] for k in known.tolist()]
        return names[order[place[known]]].tolist(), texts

    said = "tax_id | name | …"
    titles = dict(zip(*beside(NAMES, said, ending=SCIENTIFIC), strict=True))
    synonyms = list[tuple[str, str]]()
    for kind in SYNONYMS if "names" in source.options else ():
        of, called = beside(NAMES, said, ending=f"{SIGN}{kind}{END}")
        synonyms += zip(called, of, strict=True)
    into, old = beside(MERGED, "old tax_id | new tax_id |")
    gone = places_in(ids[order], _numbers(old)) < 0
    return EdgeList(
        edges,
        lambda i: source.place([*compress(lines, map(ne, parents, classes))][i]),
        [c for above, c in zip(parents, classes, strict=True) if above == c],
        titles=titles,
        aliases={a: b for a, b, is_gone in zip(old, into, gone, strict=True) if is_gone},
        ranks={name: rank for name, rank in held if rank not in NO_RANK},
        synonyms=synonyms,
        direction="parent-to-child",
    )


def _numbers(texts: list[str]) -> Ints:
    return np.fromiter(map(int, texts), np.int64, len(texts))


TAXDUMP = Format(
    "ncbi",
    "the taxonomy of NCBI: nodes.dmp or the folder of taxdump, whose root is its own parent",
    _read,
    detect=lambda source: SIGN in source.head,
    endings=(".dmp",),
    options=("names",),
)
