"""Arrays and texts of a report as one compressed container that fits into an HTML file."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BASE, PAIR_BITS = 91, 13
"""Characters that the text of a container has, and the bits that two of them hold."""


class Section(NamedTuple):
    """A part of the container: its name, whether it is whole numbers or JSON, and its bytes."""

    name: str
    is_numbers: bool
    data: bytes


def section(name: str, values: Any) -> Section:
    """Return a section of the container: of an array of whole numbers, or whatever JSON can say.

    Numbers are written as 0, -1, 1, -2 … to 0, 1, 2, 3 …, seven bits in a byte, the low ones
    first; the high bit says that more follow.

    >>> section("change", np.array([0, -1, 1, 150])).data.hex(" ")
    '00 01 02 ac 02'
    """
    if not isinstance(values, np.ndarray):
        return Section(name, False, small_json(values))
    signed = values.astype(np.int64)
    numbers: NDArray[np.uint64] = ((signed << 1) ^ (signed >> 63)).view(np.uint64)
    length = np.ones(len(numbers), dtype=np.int64)
    for k in range(1, 10):
        length += numbers >= np.uint64(1 << 7 * k)
    start = np.cumsum(length) - length
    out = np.empty(int(length.sum()), dtype=np.uint8)
    for k in range(int(length.max(initial=0))):
        has = np.flatnonzero(length > k)
        bits = (numbers[has] >> np.uint64(7 * k)).astype(np.uint8) & 127
        out[start[has] + k] = bits | ((length[has] > k + 1) * np.uint8(128))
    return Section(name, True, out.tobytes())


def small_json(values: Any) -> bytes:
    r"""Return JSON in UTF-8 without blanks; half of a pair of UTF-16 is escaped, as UTF-8 has none.

    >>> small_json(["é", chr(0xD800)]).decode()
    '["é","\\ud800"]'
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # its \udxxx is the escape of JSON too


def packed_text(sections: Sequence[Section]) -> str:
    """Return the compressed container as text that an HTML file can hold as it is.

    It is the length of the header (32 bits, low byte first), the header, which is ``[[name, is of
    numbers, bytes]]``, and the sections. In numbers, mostly noise, only runs are looked for.
    """
    header = small_json([[s.name, s.is_numbers, len(s.data)] for s in sections])
    parts = []
    for piece in [Section("", False, struct.pack("<I", len(header)) + header), *sections]:
        way = zlib.Z_RLE if piece.is_numbers else zlib.Z_DEFAULT_STRATEGY
        deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, way)
        parts += [deflate.compress(piece.data), deflate.flush(zlib.Z_FULL_FLUSH)]
    return as_text(b"".join(parts) + b"\x03\x00")  # an empty block, the last one


def as_text(data: bytes) -> str:
    """Write 13 bits in two of 91 characters: 8 % less text than base64 needs.

    The characters are those of ASCII from ``#`` to ``~`` but ``<``, so that no tag begins in the
    text. The first pair says how many bits of the last pair are too many.

    >>> as_text(b"abc"), as_text(b"")
    ('%#9Fr>', '##')
    """
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
    spare = -len(bits) % PAIR_BITS
    rows = np.pad(bits, (0, spare)).reshape(-1, PAIR_BITS)
    numbers = np.append(spare, rows @ (1 << np.arange(PAIR_BITS, dtype=np.uint16)[::-1]))
    signs = np.stack([numbers % BASE, numbers // BASE], axis=1) + ord("#")
    signs += signs >= ord("<")
    return signs.astype(np.uint8).tobytes().decode("ascii")
