"""Label sets as indicator matrices in ``.npz`` and ``.npy`` files."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.io.formats import Format, Source
from hierpair.io.labels.label_tables import TABLE_OPTIONS
from hierpair.io.text import BOMB_BYTES, BOMB_RATIO, read_bytes, read_lines
from hierpair.io.written_names import plain_names, written_ids
from hierpair.labels import LabelRows, LabelSets
from hierpair.labels.coded import Coded
from hierpair.labels.containers import indicator_arrays

__all__ = ["MATRIX", "matrix_file"]

SPARSE = ("indices", "indptr", "data", "shape")
SPARSE_MARKS = ("format", "_is_array")

STEP = 2**20
"""Bytes that are unpacked at a time."""

HEADER_BYTES = 2**17
"""The header of an array is no longer."""

FEW, PER_BYTE = 2**22, 8
"""Rows, and entries that are not 0, become objects: more than both of these are refused,"""

FEW_CELLS = 2**26
"""and so is a dense matrix that has more entries and holds hardly anything."""


def _read(source: Source) -> LabelRows:
    """An indicator matrix: a row per instance, a column per class; or a matrix of scores."""
    path = source.path
    matrix, classes, ids = matrix_file(path, source.options["column_names"])
    scores = None
    if source.options["scored"]:
        pointer, column, scores = _scored_entries(
            path, matrix, classes, source.options["columns"].min_score
        )
    else:
        try:
            pointer, column = indicator_arrays(matrix, classes)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
    place = lambda i, k: f"{path}: row {i + 1}"  # noqa: E731
    rows = Coded(column, list(classes), pointer)
    return LabelRows(rows, place, list(ids) if ids else None, scores=scores)


def _scored_entries(
    path: str | Path, matrix: Any, classes: list[str], least: float | None
) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.float64]]:
    """Return row pointer, columns and scores of the entries that are not 0 and not too low."""
    import scipy.sparse as sp

    try:
        dense = matrix if hasattr(matrix, "tocsr") else np.asarray(matrix, dtype=np.float64)
        table = sp.csr_array(dense).astype(np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{path}: the matrix must hold numbers, got {matrix.dtype}") from None
    if table.shape[1] != len(classes):
        raise BadInput(f"{path}: {table.shape[1]} columns, and {len(classes)} names of classes")
    table.sum_duplicates()
    kept = table.data != 0 if least is None else (table.data >= least) & (table.data != 0)
    pointer = offsets(kept)[table.indptr]
    return pointer, table.indices[kept], table.data[kept]


def matrix_file(
    path: str | Path, column_names: str | Path | None = None
) -> tuple[Any, list[str], list[str] | None]:
    """Return a matrix, the classes of its columns, and the ids of its rows if it has some.

    The file holds a two-dimensional array, or the arrays that ``scipy.sparse.save_npz`` writes
    for CSR (``data``, ``indices``, ``indptr``, ``shape``); beside it ``classes`` with the names of
    the columns and, if there are any, ``ids`` of the instances. ``column_names`` is a file with
    the names of the columns for a matrix that comes without. Pickled objects are refused.
    """
    arrays, size = _arrays(path)
    absent = [name for name in SPARSE if name not in arrays]
    if not absent:
        matrix, rest = _sparse(path, arrays), set(arrays) - {*SPARSE, *SPARSE_MARKS}
    elif len(absent) == 1 or ("format" in arrays and arrays["format"].ndim == 0):
        if _kind(arrays) not in ("csr", "csc"):
            raise BadInput(f"{path}: the sparse format is {_kind(arrays)}; save it as csr")
        raise BadInput(
            f"{path}: the sparse matrix has no {' and no '.join(absent)}; write it with "
            "scipy.sparse.save_npz"
        )
    else:
        wide = [name for name, a in arrays.items() if a.ndim == 2]
        if len(wide) != 1:
            raise BadInput(
                f"{path}: expected one matrix with two dimensions (or a scipy.sparse CSR), got "
                f"{', '.join(f'{n} {a.shape}' for n, a in arrays.items()) or 'nothing'}"
            )
        matrix, rest = arrays[wide[0]], set(arrays) - {wide[0]}
    odd = rest - {"classes", "ids"}
    if odd:
        raise BadInput(f"{path}: beside the matrix only classes and ids, got {', '.join(odd)}")
    _check_size(path, matrix, size)
    own, listed = _texts(path, arrays, "classes", size), _listed(column_names)
    if own is not None and listed is not None and own != listed:
        raise BadInput(
            f"{path}: the file itself gives the class of every column, and {column_names} says "
            "otherwise; leave one of them out"
        )
    classes = own or listed
    if classes is None:
        raise BadInput(
            f"{path}: which class is which column? Save an array called classes beside the "
            "matrix, or give a file with one class per line (--columns)"
        )
    ids = _texts(path, arrays, "ids", size)
    if ids is not None and len(ids) != matrix.shape[0]:
        raise BadInput(f"{path}: {len(ids)} ids for {matrix.shape[0]} rows")
    if ids is not None and "" in ids:
        raise BadInput(f"{path}: row {ids.index('') + 1}: the instance id is missing")
    return matrix, classes, ids


def _arrays(path: str | Path) -> tuple[dict[str, NDArray[Any]], int]:
    """Return all arrays of a file, and the size of the file."""
    data = read_bytes(path, binary=True)
    if data.startswith(b"\x93NUMPY"):
        return {"matrix": _array(path, bytearray(data))}, len(data)
    room = max(BOMB_BYTES, BOMB_RATIO * len(data))
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.infolist():
                unpacked = _unpacked(path, packed, member, len(data), room)
                room -= len(unpacked)
                arrays[member.filename.removesuffix(".npy")] = _array(path, unpacked)
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # a damaged archive fails in many ways
        reason = " ".join(str(error).split())[:120]
        raise BadInput(f"{path}: not an npz file: {reason or type(error).__name__}") from None
    return arrays, len(data)


def _unpacked(
    path: str | Path, packed: zipfile.ZipFile, member: zipfile.ZipInfo, size: int, room: int
) -> bytearray:
    """Return the bytes of a member; what comes is counted, whatever the archive promises."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadInput(f"{path}: {member.filename} is packed in a way that NumPy does not write")
    unpacked = bytearray()
    stream: Any
    with packed.open(member) as stream:
        while block := stream.read1(STEP):  # read would unpack all of it first
            unpacked += block
            if len(unpacked) > room:
                raise BadInput(f"{path}: {size:,} bytes would unpack to more than {room:,}")
    return unpacked


def _array(path: str | Path, data: bytearray) -> NDArray[Any]:
    """Return the array in these bytes, whose header may promise no more than they are."""
    buffer = io.BytesIO(data[:HEADER_BYTES])
    try:
        version = np.lib.format.read_magic(buffer)
        formats = np.lib.format
        old = version == (1, 0)
        read_header = formats.read_array_header_1_0 if old else formats.read_array_header_2_0
        shape, by_columns, kind = read_header(buffer)
        if kind.hasobject:
            raise BadInput(f"{path}: holds pickled objects; save names as text (dtype str)")
        count, start = math.prod(shape), buffer.tell()
        room = len(data) - start
        wide = max(shape, default=0) > max(room, FEW)
        if min(shape, default=0) < 0 or wide or max(count, count * kind.itemsize) > room:
            raise BadInput(f"{path}: its header promises {shape} entries, which it does not hold")
        flat = np.empty(0, dtype=kind)
        if count:
            flat = np.frombuffer(data, dtype=kind, count=count, offset=start)
        array = flat.reshape(shape, order="F" if by_columns else "C")
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # a damaged header fails in many ways
        raise BadInput(f"{path}: not a NumPy array: {' '.join(str(error).split())[:120]}") from None
    return np.require(array, requirements="A")


def _check_size(path: str | Path, matrix: Any, size: int) -> None:
    """Refuse a small file whose matrix becomes large: equal entries are packed into nothing."""
    ones = int(matrix.nnz if hasattr(matrix, "tocsr") else np.count_nonzero(matrix))
    cells = 0 if hasattr(matrix, "tocsr") else matrix.size
    for n, most, what in (
        (matrix.shape[0], max(FEW, PER_BYTE * size), "rows"),
        (ones, max(FEW, PER_BYTE * size), "entries that are not 0"),
        (cells, max(FEW_CELLS, BOMB_RATIO * size), "entries; save it as a sparse matrix"),
    ):
        if n > most:
            raise BadInput(f"{path}: {size:,} bytes hold a matrix of {n:,} {what}")


def _sparse(path: str | Path, arrays: dict[str, NDArray[Any]]) -> Any:
    import scipy.sparse as sp

    kind = _kind(arrays)
    if kind not in ("csr", "csc"):
        raise BadInput(f"{path}: the sparse format is {kind}; save it as csr")
    build = sp.csr_array if kind == "csr" else sp.csc_array
    try:
        shape = tuple(int(n) for n in arrays["shape"])
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        matrix = build(parts, shape=shape)
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise BadInput(f"{path}: not a sparse matrix: {error}") from None
    return matrix


def _kind(arrays: dict[str, NDArray[Any]]) -> str:
    """Return what scipy calls the form of a sparse matrix."""
    kind = str(arrays["format"].item()) if "format" in arrays and arrays["format"].ndim == 0 else ""
    return kind.removeprefix("b'").removesuffix("'") or "csr"


def _texts(
    path: str | Path, arrays: dict[str, NDArray[Any]], name: str, size: int
) -> list[str] | None:
    if name not in arrays:
        return None
    texts = arrays[name]
    if texts.ndim != 1 or texts.dtype.kind not in "Uiu":
        raise BadInput(
            f"{path}: {name} must be one row of texts (dtype str), got {texts.dtype} {texts.shape}"
        )
    if len(texts) > max(FEW, PER_BYTE * size):
        raise BadInput(f"{path}: {size:,} bytes hold {len(texts):,} {name}")
    return [str(text).strip() for text in texts.tolist()]


def _listed(column_names: str | Path | None) -> list[str] | None:
    if column_names is None:
        return None
    return [line.strip() for line in read_lines(column_names) if line.strip()]


def _write(sets: LabelSets, hierarchy: Hierarchy) -> bytes:
    """The arrays that ``scipy.sparse.load_npz`` reads, and the names beside them."""
    arrays = {
        "format": np.array("csr"),
        "shape": np.array([len(sets), len(hierarchy)]),
        "data": np.ones(len(sets.indices), dtype=np.int8),
        "indices": sets.indices,
        "indptr": sets.indptr,
        "classes": np.array(plain_names(hierarchy, "")),
    }
    if sets.ids is not None:
        arrays["ids"] = np.array(written_ids(sets))
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()


MATRIX = Format(
    "npz",
    "a NumPy or scipy.sparse indicator matrix with the names of its columns",
    _read,
    _write,
    endings=(".npz", ".npy"),
    options=TABLE_OPTIONS,
)
