"""Arrays and texts of a report as one compressed container that fits into an HTML file."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import Ints


def small_numbers(values: Ints) -> bytes:
    """Write 0, -1, 1, -2 … as 0, 1, 2, 3 …, seven bits in a byte, the low ones first.

    The high bit says that more follow.

    >>> small_numbers(np.array([0, -1, 1, 150])).hex(" ")
    '00 01 02 ac 02'
    """
    signed = values.astype(np.int64)
    numbers = ((signed << 1) ^ (signed >> 63)).view(np.uint64)
    bits = int(numbers.max(initial=1)).bit_length()
    rest = numbers[:, None] >> np.arange(0, bits + 7, 7, dtype=np.uint64)  # the last is 0
    more = rest[:, 1:] > 0
    there = np.insert(more[:, :-1], 0, True, axis=1)
    return ((rest[:, :-1] & 127) | more * np.uint64(128))[there].astype(np.uint8).tobytes()


def small_json(values: Any) -> bytes:
    r"""Return JSON in UTF-8 without blanks; half of a pair of UTF-16 is escaped, as UTF-8 has none.

    >>> small_json(["é", chr(0xD800)]).decode()
    '["é","\\ud800"]'
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # its \udxxx is the escape of JSON too


def packed_text(sections: Mapping[str, Any]) -> str:
    """Return arrays of whole numbers, and whatever JSON can say, as text for an HTML file.

    It is the length of the header (32 bits, low byte first), the header, which is ``[[name, is of
    numbers, bytes]]``, and the sections, all compressed. In numbers, mostly noise, only runs are
    looked for. In base64 no tag begins in the text, and browsers read it by themselves.
    """
    header, pieces = list[Any](), list[tuple[bytes, int]]()
    for name, values in sections.items():
        is_numbers = isinstance(values, np.ndarray)
        data = small_numbers(values) if is_numbers else small_json(values)
        header.append([name, is_numbers, len(data)])
        pieces.append((data, zlib.Z_RLE if is_numbers else zlib.Z_DEFAULT_STRATEGY))
    start, packed = small_json(header), b""
    first = struct.pack("<I", len(start)) + start, zlib.Z_DEFAULT_STRATEGY
    for data, way in (first, *pieces):
        deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, way)
        packed += deflate.compress(data) + deflate.flush(zlib.Z_FULL_FLUSH)
    return base64.b64encode(packed + b"\x03\x00").decode()  # an empty block, the last one
