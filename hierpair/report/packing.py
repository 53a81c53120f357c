"""Arrays and texts of a report as one compressed container that fits into an HTML file."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "KINDS",
    "Section",
    "as_text",
    "container",
    "packed",
    "packed_text",
    "section",
    "small_json",
]

KINDS = ("json", "words", "varint", "zigzag")
"""Whatever JSON can say; texts as numbers of words; whole numbers ≥ 0; whole numbers: 0, -1, 1,
-2 … as 0, 1, 2, 3 …"""

BASE, PAIR_BITS = 91, 13
"""Characters that the text of a container has, and the bits that two of them hold."""

LARGE = 4096
"""Bytes from which a section is compressed in a way of its own."""

WORDS = re.compile(r"[\W_]?[^\W_]+|[\W_]")
"""A word with the sign before it, or a sign alone."""

SIGNS = ["\n", *map(chr, range(0xE000, 0xF900))]
"""Signs that texts rarely have: the end of a line, and those that mean nothing by themselves."""

ONE_BYTE = 128
"""Numbers below it take one byte."""

MOST_BYTES = 10
"""Bytes of the longest number, seven bits in each."""


@dataclass(frozen=True)
class Section:
    """A part of the container: its name, how it is written, how many values it has, its bytes."""

    name: str
    kind: str
    count: int
    data: bytes


def section(name: str, kind: str, values: Any) -> Section:
    """Return a section of the container.

    Parameters
    ----------
    name
        What the page calls it.
    kind
        ``"json"``, ``"words"`` (texts; as ``"json"`` if they have every sign there is),
        ``"varint"`` (an array of whole numbers ≥ 0) or ``"zigzag"`` (of any whole numbers).
    values
        The content; of ``"json"`` anything that JSON can say.

    Examples
    --------
    >>> section("depth", "varint", [1, 300]).data.hex(" ")
    '01 ac 02'
    >>> section("change", "zigzag", [0, -1, 1]).data.hex(" ")
    '00 01 02'
    """
    if kind == "json":
        count = len(values) if isinstance(values, list | dict) else 1
        return Section(name, kind, count, small_json(values))
    if kind == "words":
        sign = next((sign for sign in SIGNS if not any(sign in text for text in values)), None)
        if sign is None:
            return section(name, "json", values)
        return Section(name, kind, len(values), _in_words(values, sign))
    numbers = np.asarray(values, dtype=np.int64).ravel()
    if kind == "zigzag":
        numbers = (numbers << 1) ^ (numbers >> 63)
    elif kind != "varint":
        raise ValueError(f"section {name!r}: kind must be one of {KINDS}, got {kind!r}")
    elif len(numbers) and numbers.min() < 0:
        raise ValueError(f"section {name!r}: {numbers.min()} is negative; write it as 'zigzag'")
    return Section(name, kind, len(numbers), _leb128(numbers.view(np.uint64)))


def _in_words(texts: Sequence[str], sign: str) -> bytes:
    """Write texts as numbers of words: many names of classes repeat words from far apart.

    The length of a header (32 bits, low byte first); the header, ``{"sign": sign, "common":
    [words], "rare": [words]}``; then numbers as of ``"varint"``: 0 is the next rare word (which
    occurs once), and from 1 on they are the common ones, the most frequent first. Words follow each
    other as in the texts, with the blank or other sign before each; ``sign`` begins every text.
    """
    words = WORDS.findall("".join(sign + text for text in texts))
    times = Counter(words)
    common = sorted((word for word, n in times.items() if n > 1), key=lambda word: -times[word])
    rare = [word for word, n in times.items() if n == 1]  # in the order in which they occur
    number = {word: k for k, word in enumerate(common, 1)}
    numbers = np.fromiter(map(number.get, words, repeat(0)), np.int64, len(words))
    header = small_json({"sign": sign, "common": common, "rare": rare})
    return struct.pack("<I", len(header)) + header + _leb128(numbers.view(np.uint64))


def small_json(values: Any) -> bytes:
    r"""Return JSON in UTF-8 without blanks; half of a pair of UTF-16 is escaped, as UTF-8 has none.

    >>> small_json(["é", chr(0xD800)]).decode()
    '["é","\\ud800"]'
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # its \udxxx is the escape of JSON too


def _leb128(numbers: NDArray[np.uint64]) -> bytes:
    """Write seven bits in a byte, the low ones first; the high bit says that more follow."""
    if not len(numbers) or numbers.max() < ONE_BYTE:
        return numbers.astype(np.uint8).tobytes()
    length = np.ones(len(numbers), dtype=np.int64)
    for k in range(1, MOST_BYTES):
        length += numbers >= np.uint64(1 << 7 * k)
    end = np.cumsum(length)
    start = end - length
    out = np.empty(int(end[-1]), dtype=np.uint8)
    for k in range(int(length.max())):
        has = np.flatnonzero(length > k)
        bits = (numbers[has] >> np.uint64(7 * k)).astype(np.uint8) & 127
        out[start[has] + k] = bits | ((length[has] > k + 1) * np.uint8(128))
    return out.tobytes()


def container(sections: Iterable[Section]) -> bytes:
    """Return the container before it is compressed.

    It is the length of the header (32 bits, low byte first), the header, which is
    ``{"sections": [{"name", "kind", "count", "bytes"}]}``, and the sections.
    """
    return b"".join(piece.data for piece in _pieces(list(sections)))


def _pieces(sections: list[Section]) -> list[Section]:
    listed = [
        {"name": s.name, "kind": s.kind, "count": s.count, "bytes": len(s.data)} for s in sections
    ]
    header = small_json({"sections": listed})
    return [Section("", "json", 1, struct.pack("<I", len(header)) + header), *sections]


def packed(sections: Iterable[Section]) -> bytes:
    """Return the container as one raw deflate stream.

    Large sections of numbers are mostly noise, in which it takes long to search for what repeats,
    and little is found: their bytes get codes by frequency only, or runs of one byte are found too.
    """
    done, plain = [], b""
    for piece in _pieces(list(sections)):
        if len(piece.data) < LARGE:
            plain += piece.data
            continue
        done += [_deflated(plain, zlib.Z_DEFAULT_STRATEGY), _smallest(piece)]
        plain = b""
    return b"".join([*done, _deflated(plain, zlib.Z_DEFAULT_STRATEGY, zlib.Z_FINISH)])


def _smallest(piece: Section) -> bytes:
    if piece.kind in ("json", "words"):
        return _deflated(piece.data, zlib.Z_DEFAULT_STRATEGY)
    return min((_deflated(piece.data, way) for way in (zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE)), key=len)


def _deflated(data: bytes, way: int, end: int = zlib.Z_FULL_FLUSH) -> bytes:
    """Return a stretch of a deflate stream that others can follow, unless it is the end."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, way)
    return deflate.compress(data) + deflate.flush(end)


def packed_text(sections: Iterable[Section]) -> str:
    """Return the compressed container as text that an HTML file can hold as it is."""
    return as_text(packed(sections))


def as_text(data: bytes) -> str:
    """Write 13 bits in two of 91 characters: 8 % less text than base64 needs.

    The characters are those of ASCII from ``#`` to ``~`` but ``<``, so that no tag begins in the
    text. The first pair says how many bits of the last pair are too many.

    >>> as_text(b"abc"), as_text(b"")
    ('%#9Fr>', '##')
    """
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
    spare = -len(bits) % PAIR_BITS
    words = np.zeros((1 + (len(bits) + spare) // PAIR_BITS, 16), dtype=np.uint8)
    words[1:, 16 - PAIR_BITS :] = np.append(bits, np.zeros(spare, np.uint8)).reshape(-1, PAIR_BITS)
    pairs = np.packbits(words, axis=1).view(">u2")[:, 0].astype(np.int64)
    pairs[0] = spare
    signs = np.stack([pairs % BASE, pairs // BASE], axis=1) + ord("#")
    signs += signs >= ord("<")
    return signs.astype(np.uint8).tobytes().decode("ascii")
