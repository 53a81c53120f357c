"""Instances in blocks by their ids, and exact sums of every block."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hierpair.evaluation.batches import Found
from hierpair.evaluation.evidence_kept import holder
from hierpair.evaluation.partials.exact_sums import ClassSums, class_sums
from hierpair.measures import Columns, Entries, Measure

__all__ = ["all_block_columns", "block_columns", "block_numbers", "block_sums"]


def block_numbers(ids: Sequence[str], n_blocks: int, seed: int) -> NDArray[np.int64]:
    """Return the block of every id: a hash of the id and the seed, the same on every machine.

    >>> block_numbers(["a", "b", "a"], 1000, seed=0).tolist()
    [928, 668, 928]
    """
    salt = seed.to_bytes(16, "little")
    each = (
        blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt).digest()
        for name in ids
    )
    hashes = np.frombuffer(b"".join(each), dtype="<u8")
    return (hashes % np.uint64(n_blocks)).astype(np.int64)


def block_columns(measures: Sequence[Measure], k: int) -> tuple[str, ...]:
    """Return the names under which the sums of a measure are kept by block.

    Of a mean over instances these are the sums of weighted values and of weights, of a micro
    average those of its columns, in the order of the measure. Of an average over classes nothing
    is kept.

    >>> from hierpair import measure
    >>> block_columns([measure("gie"), measure("hp(average=micro)")], 1)
    ('1 n_true', '1 n_pred', '1 n_both')
    """
    m, at = measures[k], holder(measures, k)
    if m.average == "samples":
        return f"{k} value", f"{k} weight"
    return tuple(f"{at} {c}" for c in m.definition.columns) if m.average == "micro" else ()


def all_block_columns(measures: Sequence[Measure]) -> list[str]:
    """Return the names of all sums that are kept by block."""
    names = (block_columns(measures, k) for k in range(len(measures)))
    return list(dict.fromkeys(name for some in names for name in some))


def block_sums(
    measures: Sequence[Measure],
    found: Found,
    weight: NDArray[np.float64] | None,
    blocks: NDArray[np.int64],
    n_blocks: int,
) -> ClassSums:
    """Return the exact sums of every block; together they are those of the totals."""
    columns: dict[str, NDArray[np.float64]] = {}
    for k, m in enumerate(measures):
        if m.average == "samples":
            values = found.values[:, k]
            known = ~np.isnan(values)
            columns[f"{k} value"] = np.where(known, values, 0.0)
            columns[f"{k} weight"] = known.astype(np.float64)
        elif m.average == "micro":
            at = cast("int", holder(measures, k))
            kept = cast("Columns", found.kept[at]) if len(blocks) else {}
            for c in m.definition.columns:
                columns[f"{at} {c}"] = np.asarray(kept.get(c, ()), dtype=np.float64)
    rows = np.arange(len(blocks), dtype=np.int32)
    entries = Entries(len(blocks), rows, blocks.astype(np.int32), columns, n_blocks)
    return class_sums(entries, weight)
