r"""Partials as bytes: documented, versioned, without pickle.

The form, version 5::

    hierpair partial 5\n
    32 hexadecimal digits: BLAKE2b (16 bytes) of all that follows, and \n
    arrays in the form of NumPy (npz)

The array ``header`` holds the bytes of a JSON object: ``names`` and ``signatures`` of the
measures, ``systems``, ``fingerprint``, ``numbering``, ``parts``, ``ids`` (by part, the least and
the greatest), ``files`` (digests by name), ``kept`` (worst instances, blocks, seed), and ``sums``:
of the truth and then of every system the fields of :class:`hierpair.evaluation.sums.Sums`, where
numbers are texts (``3`` or ``1/2``). Of their tables it has by column the exponent of the lowest
limb in units of 32 bits. The classes of a table are the array that is called by the number of its
sums and its name (``1 classes 0``); the limbs of a column, lowest first, that which has the name of
the column behind it.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.evaluation.sums import ClassSums, Sums

MAGIC = b"hierpair partial "
VERSION = b"5"

Arrays = dict[str, NDArray[Any]]


def sealed(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return a header and arrays as bytes; equal ones give equal bytes."""
    file = io.BytesIO()
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode("ascii")
    sorted_arrays: Any = {name: arrays[name] for name in sorted(arrays)}
    np.savez(file, header=np.frombuffer(text, dtype=np.uint8), **sorted_arrays)
    body = file.getvalue()
    return b"".join([MAGIC, VERSION, b"\n", _digest(body), b"\n", body])


def opened(data: bytes) -> tuple[dict[str, Any], Arrays]:
    """Return what :func:`sealed` was given; anything else is refused."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise BadInput(f"a partial is read from bytes, got {shown(data)}")
    first, _, rest = bytes(data).partition(b"\n")
    if first != MAGIC + VERSION:
        raise BadInput(
            f"these bytes are no partial of version {VERSION.decode()}, which this hierpair reads: "
            f"they begin with {shown(bytes(data[:20]))}"
        )
    digest, _, body = rest.partition(b"\n")
    if digest != _digest(body):
        raise BadInput("the bytes of a partial are damaged: their digest is another one")
    arrays = dict(np.load(io.BytesIO(body), allow_pickle=False))
    return json.loads(arrays.pop("header").tobytes()), arrays


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode("ascii")


def packed_sums(number: int, sums: Sums, arrays: Arrays) -> dict[str, Any]:
    """Return what the header says of sums, whose tables are put among the arrays."""
    lowest: dict[str, dict[str, int]] = {}
    for name, table in sums.tables.items():
        arrays[f"{number} {name}"] = table.classes
        arrays |= {f"{number} {name} {c}": limbs for c, (_, limbs) in table.limbs.items()}
        lowest[name] = {c: low for c, (low, _) in table.limbs.items()}
    numbers = {name: str(n) for name, n in sums.numbers.items()}
    return {**vars(sums), "tables": lowest, "numbers": numbers}


def read_sums(number: int, found: dict[str, Any], arrays: Arrays) -> Sums:
    """Return the sums of a header."""
    tables = {
        name: ClassSums(
            arrays[f"{number} {name}"],
            {c: (low, arrays[f"{number} {name} {c}"]) for c, low in columns.items()},
        )
        for name, columns in found["tables"].items()
    }
    numbers = {k: Fraction(n) if "/" in n else int(n) for k, n in found["numbers"].items()}
    worst = {k: tuple(map(tuple, some)) for k, some in found["worst"].items()}
    return Sums(**{**found, "tables": tables, "numbers": numbers, "worst": worst})
