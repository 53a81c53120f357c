"""Label sets as indicator matrices in ``.npz`` and ``.npy`` files."""

from __future__ import annotations

import io
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.labels import Columns, LabelRows
from hierpair.labels.indicator import indicator_arrays
from hierpair.readers.text import BOMB_BYTES, BOMB_RATIO, read_bytes, read_lines

__all__ = ["matrix_file", "npz"]

SPARSE = ("indices", "indptr", "data", "shape")
SPARSE_MARKS = ("format", "_is_array")


def npz(path: str | Path, columns: Columns, column_names: str | Path | None = None) -> LabelRows:
    """An indicator matrix: a row per instance, a column per class.

    The file holds a two-dimensional array, or the arrays that ``scipy.sparse.save_npz`` writes
    for CSR (``data``, ``indices``, ``indptr``, ``shape``); beside it ``classes`` with the names of
    the columns and, if there are any, ``ids`` of the instances. ``column_names`` is a file with
    the names of the columns for a matrix that comes without. Pickled objects are refused.
    """
    matrix, classes, ids = matrix_file(path, column_names)
    try:
        pointer, column = indicator_arrays(matrix, classes)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    listed = column.tolist()
    ends = pointer.tolist()
    rows = [[classes[c] for c in listed[a:b]] for a, b in pairwise(ends)]
    return LabelRows(rows, lambda i, k: f"{path}: row {i + 1}", list(ids) if ids else None)


def matrix_file(
    path: str | Path, column_names: str | Path | None = None
) -> tuple[Any, list[str], list[str] | None]:
    """Return a matrix, the classes of its columns, and the ids of its rows if it has some."""
    arrays = _arrays(path)
    if all(name in arrays for name in SPARSE):
        matrix, rest = _sparse(path, arrays), set(arrays) - {*SPARSE, *SPARSE_MARKS}
    elif "format" in arrays and arrays["format"].ndim == 0:
        raise BadInput(f"{path}: the sparse format is {_kind(arrays)}; save it as csr")
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
    classes, given = _texts(path, arrays, "classes"), _given(column_names)
    if classes is not None and given is not None and classes != given:
        raise BadInput(
            f"{path}: the file says itself which class is which column, and {column_names} says "
            "otherwise; leave one of them out"
        )
    classes = classes or given
    if classes is None:
        raise BadInput(
            f"{path}: which class is which column? Save an array called classes beside the "
            "matrix, or give a file with one class per line (--columns)"
        )
    ids = _texts(path, arrays, "ids")
    if ids is not None and len(ids) != matrix.shape[0]:
        raise BadInput(f"{path}: {len(ids)} ids for {matrix.shape[0]} rows")
    if ids is not None and "" in ids:
        raise BadInput(f"{path}: row {ids.index('') + 1}: the instance id is missing")
    return matrix, classes, ids


def _arrays(path: str | Path) -> dict[str, NDArray[Any]]:
    data = read_bytes(path)
    if data.startswith(b"\x93NUMPY"):
        return {"matrix": _array(path, io.BytesIO(data), len(data))}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = packed.infolist()
            size = sum(m.file_size for m in members)
            if size > max(BOMB_BYTES, BOMB_RATIO * len(data)):
                raise BadInput(f"{path}: {len(data):,} bytes would unpack to {size:,}")
            return {
                m.filename.removesuffix(".npy"): _array(path, packed.open(m), m.file_size)
                for m in members
            }
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # a damaged archive fails in many ways
        said = " ".join(str(error).split())[:120]
        raise BadInput(f"{path}: not an npz file: {said or type(error).__name__}") from None


def _array(path: str | Path, stream: Any, size: int) -> NDArray[Any]:
    """Read one array whose header promises no more than the file holds, and no pickle."""
    buffer = io.BytesIO(stream.read())
    try:
        version = np.lib.format.read_magic(buffer)
        header = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else (np.lib.format.read_array_header_2_0)
        )
        shape, _, kind = header(buffer)
        if kind.hasobject:
            raise BadInput(f"{path}: holds pickled objects; save names as text (dtype str)")
        count = 1
        for n in shape:
            count *= n
        if min(shape, default=0) < 0 or count * kind.itemsize > size:
            raise BadInput(f"{path}: its header promises {shape} entries, which it does not hold")
        buffer.seek(0)
        found: NDArray[Any] = np.lib.format.read_array(buffer, allow_pickle=False)
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # a damaged header fails in many ways
        raise BadInput(f"{path}: not a NumPy array: {' '.join(str(error).split())[:120]}") from None
    return found


def _sparse(path: str | Path, arrays: dict[str, NDArray[Any]]) -> Any:
    import scipy.sparse as sp

    kind = _kind(arrays)
    if kind not in ("csr", "csc"):
        raise BadInput(f"{path}: the sparse format is {kind}; save it as csr")
    make = sp.csr_array if kind == "csr" else sp.csc_array
    try:
        shape = tuple(int(n) for n in arrays["shape"])
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        matrix = make(parts, shape=shape)
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise BadInput(f"{path}: not a sparse matrix: {error}") from None
    return matrix


def _kind(arrays: dict[str, NDArray[Any]]) -> str:
    """Return what scipy calls the form of a sparse matrix."""
    kind = str(arrays["format"].item()) if "format" in arrays and arrays["format"].ndim == 0 else ""
    return kind.removeprefix("b'").removesuffix("'") or "csr"


def _texts(path: str | Path, arrays: dict[str, NDArray[Any]], name: str) -> list[str] | None:
    if name not in arrays:
        return None
    found = arrays[name]
    if found.ndim != 1 or found.dtype.kind not in "Uiu":
        raise BadInput(
            f"{path}: {name} must be one row of texts (dtype str), got {found.dtype} {found.shape}"
        )
    return [str(x).strip() for x in found.tolist()]


def _given(column_names: str | Path | None) -> list[str] | None:
    if column_names is None:
        return None
    return [line.strip() for line in read_lines(column_names) if line.strip()]
