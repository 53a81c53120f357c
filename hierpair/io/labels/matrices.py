"""Label sets as indicator matrices in ``.npz`` and ``.npy`` files."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.io.formats import Format, Source
from hierpair.io.labels.label_texts import TABLE_OPTIONS
from hierpair.io.labels.parquet import refusing_damage
from hierpair.io.text import BOMB_BYTES, BOMB_RATIO, read_bytes, read_lines
from hierpair.io.written_names import plain_names, written_ids
from hierpair.labels import LabelRows, LabelSets
from hierpair.labels.coded import Coded
from hierpair.labels.columns import indicator_rows, matrix_cells

__all__ = ["MATRIX"]

SPARSE = {"format", "shape", "data", "indices", "indptr", "row", "col", "offsets", "_is_array"}
"""What ``scipy.sparse.save_npz`` calls the arrays of a matrix of any form."""

FEW, PER_BYTE = 2**22, 8
"""A matrix with more rows than both, the second times the bytes of its file, is refused: rows
become objects, and a sparse matrix may promise any number of them."""


def _read(source: Source) -> LabelRows:
    """An indicator matrix: a row per instance, a column per class; or a matrix of scores.

    The file holds a two-dimensional array, or the arrays that ``scipy.sparse.save_npz`` writes;
    beside it ``classes`` with the names of the columns and, if there are any, ``ids`` of the
    instances. The option ``column_names`` is a file with the names of the columns for a matrix
    that comes without. Pickled objects are refused.
    """
    path, options, scores = source.path, source.options, None
    data = read_bytes(path, binary=True)
    with refusing_damage(path, "no matrix of NumPy or scipy.sparse (names are texts, dtype str)"):
        matrix, arrays = _loaded(data)
        n_rows, n_columns = matrix.shape
    if n_rows > max(FEW, PER_BYTE * len(data)):
        raise BadInput(f"{path}: {len(data):,} bytes hold a matrix of {n_rows:,} rows")
    odd = ", ".join(arrays.keys() - {"classes", "ids"})
    if odd:
        raise BadInput(f"{path}: beside the matrix only classes and ids, got {odd}")
    classes = _classes(path, arrays.get("classes"), options["column_names"], n_columns)
    ids: list[Any] | None = _names(path, arrays.get("ids"), "ids", n_rows, "rows")
    if ids is not None and "" in ids:
        raise BadInput(f"{path}: row {ids.index('') + 1}: the instance id is missing")
    try:
        if options["scored"]:
            shape, row, column, scores = matrix_cells(matrix)
            least = options["columns"].min_score
            kept = ~(scores < (-math.inf if least is None else least))
            pointer = offsets(np.bincount(row[kept], minlength=shape[0]))
            column, scores = column[kept], scores[kept]
        else:
            ones = indicator_rows(matrix, classes).coded
            pointer, column = ones.row_ends, np.asarray(ones.codes, np.int64)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    rows = Coded(column, list(classes), pointer)
    return LabelRows(rows, lambda i, k: f"{path}: row {i + 1}", ids, scores=scores)


def _classes(path: str | Path, own: Any, names: str | Path | None, n: int) -> list[str]:
    """Return the classes of the columns, from the file itself or from another one."""
    classes = _names(path, own, "classes", n, "columns")
    told = None if names is None else [x for x in map(str.strip, read_lines(names)) if x]
    if None not in (classes, told) and classes != told:
        raise BadInput(
            f"{path}: the file itself gives the class of every column, and {names} says "
            "otherwise; leave one of them out"
        )
    classes = classes or told
    if classes is None:
        raise BadInput(
            f"{path}: which class is which column? Save an array called classes beside the "
            "matrix, or give a file with one class per line (--columns)"
        )
    if len(classes) != n:
        raise BadInput(f"{path}: {len(classes)} classes for {n} columns ({names})")
    return classes


def _loaded(data: bytes) -> tuple[Any, dict[str, Any]]:
    """Return the matrix in a file, and what else is in it."""
    found: Any = np.load(io.BytesIO(data), allow_pickle=False)
    if isinstance(found, np.ndarray):
        found = {"the array": found}
    else:
        size = sum(member.file_size for member in found.zip.infolist())
        if size > max(BOMB_BYTES, BOMB_RATIO * len(data)):
            raise ValueError(f"{len(data):,} bytes would unpack to {size:,}")
    if "format" in found:
        import scipy.sparse as sp

        matrix = sp.load_npz(io.BytesIO(data))
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        return matrix, {name: found[name] for name in found if name not in SPARSE}
    arrays = dict(found)
    wide = [name for name, array in arrays.items() if array.ndim == 2]
    if len(wide) != 1:
        got = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"expected one matrix with two dimensions, got {got or 'nothing'}")
    return arrays.pop(wide[0]), arrays


def _names(path: str | Path, texts: Any, name: str, n: int, of: str) -> list[str] | None:
    """Return the names beside a matrix, as many as it has rows or columns."""
    if texts is None:
        return None
    if texts.ndim != 1 or texts.dtype.kind not in "Uiu":
        raise BadInput(
            f"{path}: {name} must be one row of texts (dtype str), got {texts.dtype} {texts.shape}"
        )
    if len(texts) != n:
        raise BadInput(f"{path}: {len(texts)} {name} for {n} {of}")
    return [str(text).strip() for text in texts.tolist()]


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
