"""A data set read to its end, to be compared with the reader of whole files."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np

from hierpair import BadInput, Hierarchy, read_labels
from hierpair.io.datasets import joined, label_sets, open_dataset
from hierpair.labels import Columns
from hierpair.labels.naming import AsWritten

EDGES = [("r", f"a{i}") for i in range(4)] + [(f"a{i % 4}", f"b{i}") for i in range(12)]
TREE = Hierarchy.from_edges([*EDGES, ("r", "p|q"), ("r", "é"), ("r", "7")])
SIZES = (1, 2, 7, 10**6)


def plain(sets, ids):
    """Return everything that label sets say, as lists; labels as they were written count."""
    written = sets.as_written or AsWritten(sets.indptr, sets.indices)
    nodes = [] if written.nodes is None else split(written.nodes, written.node_ptr)
    blank = np.zeros(len(sets), int) if written.n_blank is None else written.n_blank
    return {
        "ids": ids,
        "sets": split(sets.indices, sets.indptr),
        "rows": split(written.classes, written.ptr),
        "paths": nodes,
        "blank": blank.tolist(),
        "n_unknown": sets.n_unknown,
        "unused": sets.unused_scores,
    }


def split(flat, pointer):
    return [flat[a:b].tolist() for a, b in pairwise(pointer)]


def whole(path, hierarchy=TREE, *, columns=None, unknown="error", fmt="auto"):
    """Read a file at once; return what it says, or what is wrong with it."""
    try:
        sets = read_labels(path, hierarchy, columns=columns, unknown=unknown, fmt=fmt)
    except BadInput as error:
        return str(error)
    return plain(sets, None if sets.ids is None else list(sets.ids))


def streamed(path, hierarchy=TREE, *, columns=None, unknown="error", rows=7, fmt="auto", **how):
    """Read a data set batch by batch; return the same."""
    columns = columns or Columns()
    try:
        data = open_dataset(path, fmt, columns=columns, batch_rows=rows, **how)
        if columns.long or data.columns.long:
            with joined(data, {}) as table:
                total = read(table.data, table.truth, hierarchy, unknown)
                return {**total, "unused": bool(table.unused_scores)}
        return read(data, data.columns, hierarchy, unknown)
    except BadInput as error:
        return str(error)


def read(data, meaning, hierarchy=TREE, unknown="error"):
    """Return what one column of a data set says."""
    total = None
    for batch in data.rows():
        found = label_sets(batch, hierarchy, truth=replace(meaning, where=()), unknown=unknown)
        total = added(
            total, plain(found.truth, None if found.ids is None else found.ids.to_pylist())
        )
    return total


def added(one, other):
    if one is None:
        return other
    both = {k: one[k] + other[k] for k in ("sets", "rows", "paths", "blank", "n_unknown")}
    both["ids"] = None if one["ids"] is None else one["ids"] + other["ids"]
    return {**both, "unused": one["unused"] or other["unused"]}


def check_same(path, sizes=SIZES, **how):
    """Compare both ways of reading for all sizes of batches; return what they say."""
    expected = whole(path, **how)
    for rows in sizes:
        found = streamed(path, rows=rows, **how)
        if isinstance(expected, str) and (how.get("fmt") == "long" or "columns" in how):
            # labels that are put together know their file and instance, not their row
            found, same = (re.sub(r":( row )?\d+(?=, instance)", "", x) for x in (found, expected))
            assert found == same, rows
        else:
            assert found == expected, rows
    return expected


def where(columns, *conditions):
    return replace(columns, where=conditions)
