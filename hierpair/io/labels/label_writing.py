"""Label sets in every form that the readers understand."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy import Hierarchy
from hierpair.io.written_names import checked, plain_names
from hierpair.labels import LabelSets
from hierpair.tables.formats import csv_table

__all__ = ["LABEL_WRITERS", "write_labels"]

Rows = list[list[str]]


def write_labels(sets: LabelSets, hierarchy: Hierarchy, fmt: str) -> tuple[str | bytes, list[str]]:
    """Return label sets as the content of a file, and notes about what the form cannot hold.

    Parameters
    ----------
    sets, hierarchy
        The labels and their classes; names and ids are written as text. Instances without ids
        get their position as id in forms that need one.
    fmt
        A name in ``LABEL_WRITERS``.

    Raises
    ------
    BadInput
        For an unknown form, or a name that the form cannot hold.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> sets = LabelSets.from_labels({"x": ["a", "b"], "y": []}, tree)
    >>> print(write_labels(sets, tree, "jsonl")[0])
    {"id": "x", "labels": ["a", "b"]}
    {"id": "y", "labels": []}
    """
    if fmt not in LABEL_WRITERS:
        raise BadInput(
            f"labels cannot be written as {fmt!r}; it is one of "
            f"{', '.join(LABEL_WRITERS)}{did_you_mean(fmt, LABEL_WRITERS)}"
        )
    notes = []
    if sets.ids is not None and fmt == "lines":
        notes.append("the instance ids are lost; lines go by position")
    if sets.ids is None and fmt in ("table", "long"):
        notes.append("the instances had no ids and got their positions from 0")
    return LABEL_WRITERS[fmt](sets, hierarchy), notes


def _ids(sets: LabelSets, forbidden: str = "") -> list[str]:
    if sets.ids is None:
        return [str(i) for i in range(len(sets))]
    return checked(sets.ids, forbidden, "instance")


def _rows(sets: LabelSets, hierarchy: Hierarchy, forbidden: str) -> Rows:
    used = np.unique(sets.indices)
    names = np.empty(len(hierarchy), dtype=object)
    names[used] = checked([hierarchy.names[c] for c in used.tolist()], forbidden, "class")
    flat = names[sets.indices].tolist()
    return [flat[a:b] for a, b in pairwise(sets.indptr.tolist())]


def _lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return "\n".join(" ".join(row) for row in _rows(sets, hierarchy, " ,\t\n\r"))


def _table(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = zip(_ids(sets, "\t\n\r"), _rows(sets, hierarchy, "|\t\n\r"), strict=True)
    return "\n".join(["id\tlabels", *(f"{name}\t{'|'.join(row)}" for name, row in rows)])


def _long(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = zip(_ids(sets, "\t\n\r"), _rows(sets, hierarchy, "\t\n\r"), strict=True)
    lines = [f"{name}\t{label}" for name, row in rows for label in (row or [""])]
    return "\n".join(["id\tlabel", *lines])


def _csv(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return csv_table(*_records(sets, hierarchy, "|\n\r"))


def _tsv(sets: LabelSets, hierarchy: Hierarchy) -> str:
    header, rows = _records(sets, hierarchy, "|\t\n\r")
    return "\n".join("\t".join(row) for row in [header, *rows])


def _records(sets: LabelSets, hierarchy: Hierarchy, forbidden: str) -> tuple[list[str], Rows]:
    """Return header and rows; without ids there is no column of ids."""
    joined = ["|".join(row) for row in _rows(sets, hierarchy, forbidden)]
    if sets.ids is None:
        blank = next((i for i, labels in enumerate(joined) if not labels), None)
        if blank is not None:
            raise BadInput(
                f"instance {blank} has no labels and no id, so its line would be empty; "
                "write lines, jsonl or table"
            )
        return ["labels"], [[labels] for labels in joined]
    names = _ids(sets, forbidden.replace("|", ""))
    return ["id", "labels"], [list(pair) for pair in zip(names, joined, strict=True)]


def _jsonl(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = _rows(sets, hierarchy, "")
    records: list[dict[str, object]] = [{"labels": row} for row in rows]
    if sets.ids is not None:
        records = [{"id": i, **r} for i, r in zip(_ids(sets), records, strict=True)]
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)


def _npz(sets: LabelSets, hierarchy: Hierarchy) -> bytes:
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
        arrays["ids"] = np.array(_ids(sets))
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def _parquet(sets: LabelSets, hierarchy: Hierarchy) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise BadInput("Parquet needs pyarrow: pip install 'hierpair[parquet]'") from None
    columns = {} if sets.ids is None else {"id": pa.array(_ids(sets), pa.string())}
    columns["labels"] = pa.array(_rows(sets, hierarchy, ""), pa.list_(pa.string()))
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


LABEL_WRITERS: dict[str, Callable[[LabelSets, Hierarchy], str | bytes]] = {
    "lines": _lines,
    "table": _table,
    "long": _long,
    "csv": _csv,
    "tsv": _tsv,
    "jsonl": _jsonl,
    "npz": _npz,
    "parquet": _parquet,
}
"""Writers by the names of the formats that read them back."""
