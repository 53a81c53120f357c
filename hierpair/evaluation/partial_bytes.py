r"""Partials as bytes: documented, versioned, without pickle.

The form, version 3::

    hierpair partial 3\n
    32 hexadecimal digits: BLAKE2b (16 bytes) of all that follows, and \n
    arrays in the form of NumPy (npz)

The array ``header`` holds the bytes of a JSON object: ``names`` and ``signatures`` of the
measures, ``systems``, ``fingerprint``, ``numbering``, ``parts``, ``ids`` (by part, the least and
the greatest), ``files`` (digests by name), ``kept`` (worst instances, blocks, seed), and ``sums``:
of the truth and then of every system the fields of :class:`hierpair.evaluation.sums.Sums`. Numbers
are hexadecimal texts, as are the floats of worst instances. ``tables`` say by name the columns:
the exponent of the lowest limb in units of 32 bits, and how many limbs. The array of a table is
called by the number of its sums and its name (``1 classes 0``); its rows are the classes, and then
column by column the limbs, lowest first.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.evaluation.sums import ClassSums, Sums

__all__ = ["FAULTS", "MAGIC", "VERSION", "damaged", "opened", "packed_sums", "read_sums", "sealed"]

MAGIC = b"hierpair partial "
VERSION = b"3"
FAULTS = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What reading may meet in bytes that nobody wrote."""

Arrays = dict[str, NDArray[Any]]


def sealed(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return a header and arrays as bytes; equal ones give equal bytes."""
    file = io.BytesIO()
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode("ascii")
    np.savez(file, header=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]
    body = file.getvalue()
    return b"".join([MAGIC, VERSION, b"\n", _digest(body), b"\n", body])


def opened(data: bytes) -> tuple[dict[str, Any], Arrays]:
    """Return what :func:`sealed` was given.

    Raises
    ------
    BadInput
        For anything else.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise BadInput(f"a partial is read from bytes, got {shown(data)}")
    data = bytes(data)
    first, _, rest = data.partition(b"\n")
    if not first.startswith(MAGIC):
        raise BadInput(f"these bytes are no partial: they begin with {shown(data[:20])}")
    if first != MAGIC + VERSION:
        version = first[len(MAGIC) :][:20].decode("ascii", "replace")
        raise BadInput(
            f"a partial of version {version!r}; this hierpair reads version {VERSION.decode()!r}"
        )
    digest, _, body = rest.partition(b"\n")
    if digest != _digest(body):
        raise damaged("its digest is another one")
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as file:
            arrays = dict(file)
        header = json.loads(arrays.pop("header").tobytes())
        return {str(key): value for key, value in header.items()}, arrays
    except FAULTS as error:
        raise damaged(type(error).__name__) from error


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode("ascii")


def damaged(what: str) -> BadInput:
    """Return the error about bytes that nobody wrote."""
    return BadInput(f"the bytes of a partial are damaged ({what})")


def packed_sums(number: int, sums: Sums, arrays: Arrays) -> dict[str, Any]:
    """Return what the header says of sums, whose tables are put among the arrays."""
    tables = {}
    for name, table in sums.tables.items():
        limbs = [limbs for _, limbs in table.limbs.values()]
        arrays[f"{number} {name}"] = np.vstack([table.classes, *limbs]).astype("<i8")
        tables[name] = [[c, low, len(limbs)] for c, (low, limbs) in table.limbs.items()]
    worst = {k: [[x.hex(), name] for x, name in some] for k, some in sums.worst.items()}
    numbers = {name: f"{n:x}" for name, n in sums.numbers.items()}
    return {
        "numbers": numbers, "least": dict(sums.least), "most": dict(sums.most), "tables": tables,
        "worst": worst,
    }  # fmt: skip


def read_sums(number: int, found: Mapping[str, Any], arrays: Arrays) -> Sums:
    """Return the sums of a header."""
    tables = {
        name: _table(columns, arrays[f"{number} {name}"])
        for name, columns in found["tables"].items()
    }
    worst = {
        k: tuple((float.fromhex(x), name) for x, name in some) for k, some in found["worst"].items()
    }
    numbers = {name: int(n, 16) for name, n in found["numbers"].items()}
    return Sums(numbers, found["least"], found["most"], tables, worst)


def _table(columns: list[tuple[str, int, int]], array: NDArray[Any]) -> ClassSums:
    classes, *limbs = array.astype(np.int64)
    found, at = {}, 0
    for name, lowest, n in columns:
        table = np.array(limbs[at : at + n], dtype=np.int64)
        found[name] = lowest, table.reshape(n, len(classes))
        at += n
    return ClassSums(classes, found)
