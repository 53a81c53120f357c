"""Arrays and texts of a report as one compressed container that fits into an HTML file."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = ("json", "varint", "zigzag")
"""Whatever JSON can say; whole numbers ≥ 0; whole numbers: 0, -1, 1, -2 … as 0, 1, 2, 3 …"""

BASE, PAIR_BITS = 91, 13
"""Characters that the text of a container has, and the bits that two of them hold."""

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
        ``"json"``, ``"varint"`` (an array of whole numbers ≥ 0) or ``"zigzag"`` (of any).
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
    numbers = np.asarray(values, dtype=np.int64).ravel()
    if kind == "zigzag":
        numbers = (numbers << 1) ^ (numbers >> 63)
    elif kind != "varint":
        raise ValueError(f"section {name!r}: kind must be one of {KINDS}, got {kind!r}")
    elif len(numbers) and numbers.min() < 0:
        raise ValueError(f"section {name!r}: {numbers.min()} is negative; write it as 'zigzag'")
    return Section(name, kind, len(numbers), _leb128(numbers.view(np.uint64)))


def small_json(values: Any) -> bytes:
    r"""Return JSON in UTF-8 without blanks; half of a pair of UTF-16 is escaped, as UTF-8 has none.

    >>> small_json(["é", chr(0xD800)]).decode()
    '["é","\\ud800"]'
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # its \udxxx is the escape of JSON too


def _leb128(numbers: NDArray[np.uint64]) -> bytes:
    """Write seven bits in a byte, the low ones first; the high bit says that more follow."""
    length = np.ones(len(numbers), dtype=np.int64)
    for k in range(1, MOST_BYTES):
        length += numbers >= np.uint64(1 << 7 * k)
    end = np.cumsum(length)
    start = end - length
    out = np.empty(int(length.sum()), dtype=np.uint8)
    for k in range(int(length.max(initial=0))):
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


def packed_text(sections: Iterable[Section]) -> str:
    """Return the compressed container as text that an HTML file can hold as it is.

    Numbers are mostly noise, in which it takes long to search for what repeats, and little is
    found: of them only runs of one byte are looked for.
    """
    parts = []
    for piece in [*_pieces(list(sections)), None]:
        way = zlib.Z_RLE if piece and piece.kind != "json" else zlib.Z_DEFAULT_STRATEGY
        deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, way)
        parts.append(deflate.compress(piece.data if piece else b""))
        parts.append(deflate.flush(zlib.Z_FULL_FLUSH if piece else zlib.Z_FINISH))
    return as_text(b"".join(parts))


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
