"""One label per row: instances are whole wherever a batch, a row group or a block ends."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair.io.datasets import open_dataset
from hierpair.labels import Columns

from .streamed import TREE, check_same, where

NAMES = [name for name in TREE.names if name != "p|q"]


def long_table(rng, n=25):
    """Return rows of instances with one label each, scores that are low or high, and blanks."""
    ids, labels, scores = [], [], []
    for i in range(n):
        for label in rng.sample(NAMES, rng.choice([1, 1, 2, 5, 9])) if rng.random() < 0.9 else [""]:
            ids.append(rng.choice(["d{}", " d{}"]).format(i))
            labels.append(label)
            scores.append(rng.choice([0.25, 0.5, 1.0]))
    return {"id": ids, "label": labels, "score": scores}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("seed", "coded", "least"), [(0, False, None), (1, True, 0.5), (2, False, 0.5), (3, True, None)]
)
def test_parquet(tmp_path, seed, coded, least):
    table = long_table(random.Random(seed))
    arrays = {name: pa.array(values) for name, values in table.items()}
    if coded:
        arrays |= {name: arrays[name].dictionary_encode() for name in ("id", "label")}
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(arrays), path, row_group_size=4)
    columns = Columns(long=True, min_score=least)
    said = check_same(path, (1, 3, 1000), columns=columns)
    assert said["ids"] == list(dict.fromkeys(x.strip() for x in table["id"]))
    assert len(open_dataset(path, columns=columns, rows_per_part=4).parts) > 1
    some = check_same(path, (7,), columns=where(columns, ("label", "a1")))
    assert len(some["ids"]) == table["label"].count("a1")


@pytest.mark.exhaustive
@pytest.mark.parametrize("fmt", ["csv", "tsv", "long"])
def test_text(tmp_path, fmt):
    table = long_table(random.Random(7))
    sign = "," if fmt == "csv" else "\t"
    lines = [sign.join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path = tmp_path / "t.txt"
    path.write_text("\n".join([sign.join(table), *lines]) + "\n")
    said = check_same(path, fmt=fmt, columns=Columns(long=True, min_score=0.5))
    assert len(said["ids"]) == 25


@pytest.mark.parametrize(("row", "said"), [
    ({"score": float("nan")}, "row 8: a score must be a finite number"),
    ({"id": None}, "row 8: the instance id is missing"),
])  # fmt: skip
def test_faults(tmp_path, row, said):
    table = {"id": [f"d{i // 3}" for i in range(12)], "label": ["a1", "b1", "b2"] * 4,
             "score": [0.5] * 12}  # fmt: skip
    for name, value in row.items():
        table[name][7] = value
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(table), path, row_group_size=5)
    assert said in check_same(path, columns=Columns(long=True))
