"""Random tables of truth and systems as Parquet parts, and their scores read whole."""

from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq

from hierpair import read_labels, score
from hierpair.labels import Columns


def table_of(truth, systems, weight=None, *, lists=False, ids=True):
    """A table of label columns: texts with separators, or lists; None for no value."""

    def cell(labels):
        return labels if labels is None or lists else "|".join(labels)

    kind = pa.list_(pa.string()) if lists else pa.string()
    columns = {"id": [f"i{k}" for k in range(len(truth))]} if ids else {}
    for name, rows in {"truth": truth, **systems}.items():
        columns[name] = pa.array([cell(row) for row in rows], kind)
    if weight is not None:
        columns["w"] = pa.array(weight)
    return pa.table(columns)


def as_parts(folder, table, cuts=(), row_group_size=3):
    """Write the rows between cuts as files of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    edges = sorted({0, len(table), *cuts})
    for k, (a, b) in enumerate(pairwise(edges)):
        path = folder / f"part-{k:03}.parquet"
        pq.write_table(table.slice(a, b - a), path, row_group_size=row_group_size)
    return folder


def whole_scores(
    hierarchy, path, table, systems, measures, *, unknown="error", weighted=False, **how
):
    """The scores of the same table in one file, read at once."""
    pq.write_table(table, path)
    sides = [
        read_labels(path, hierarchy, columns=Columns(labels=(name,)), unknown=unknown)
        for name in ("truth", *systems)
    ]
    weight = table["w"].to_pylist() if weighted else None
    return score(
        hierarchy, sides[0], dict(zip(systems, sides[1:], strict=True)), measures,
        sample_weight=weight, **how,
    )  # fmt: skip


def shown(scores):
    """Everything that is shown of scores."""
    return scores.to_json(), scores.to_text(), scores.notes, scores.solver_notes
