"""Ids that come twice in a data set: found in any order and form, and named with both places."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput
from hierpair.io.datasets import check_ids, open_dataset


def written(folder, fmt, parts):
    """Write ids, each with a label, as files."""
    folder.mkdir(exist_ok=True)
    for k, ids in enumerate(parts):
        path = folder / f"{k}.{fmt}"
        if fmt == "parquet":
            table = pa.table({"id": ids, "labels": ["a"] * len(ids)})
            pq.write_table(table, path, row_group_size=3)
        else:
            sign = "," if fmt == "csv" else "\t"
            path.write_text("".join(f"{x}{sign}a\n" for x in ["id", *ids]).replace("id,a", "id,labels", 1)
                            .replace("id\ta", "id\tlabels", 1))  # fmt: skip
    return folder


@pytest.mark.exhaustive
@pytest.mark.parametrize("fmt", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("order", ["ascending", "mixed"])
@pytest.mark.parametrize("batch", [1, 4, 1000])
def test_both_places_are_named(tmp_path, fmt, order, batch):
    names = [f"d{i:02}" for i in range(20)]
    if order == "mixed":
        random.Random(1).shuffle(names)
    form = "tsv" if fmt == "tsv" else "auto"
    good = open_dataset(
        written(tmp_path / "g", fmt, (names[:11], names[11:])), form, batch_rows=batch
    )
    check_ids(good)
    twice = [*names[11:], names[4], names[2]]
    bad = open_dataset(written(tmp_path / "b", fmt, (names[:11], twice)), form, batch_rows=batch)
    at = {"parquet": ("row 3", "row 11"), "csv": (4, 12), "tsv": (4, 12)}[fmt]
    sign = ": " if fmt == "parquet" else ":"
    with pytest.raises(BadInput) as error:
        check_ids(bad)
    assert str(error.value) == (
        f"{tmp_path}/b/1.{fmt}{sign}{at[1]}: instance {names[2]!r} already occurs at "
        f"{tmp_path}/b/0.{fmt}{sign}{at[0]}; keep one of them, or, for one label "
        "per row, say so (--rows label, Columns(long=True))"
    )


def test_blanks_around_ids_make_no_other_ids(tmp_path):
    data = open_dataset(written(tmp_path / "d", "csv", (["b", "a"], [" a\u00a0", "c"])))
    with pytest.raises(BadInput, match=r"1.csv:2: instance 'a' already occurs at .*0.csv:3; keep"):
        check_ids(data)


@pytest.mark.parametrize(("fmt", "said"), [("parquet", "0.parquet: row 3"), ("csv", "0.csv:4")])
@pytest.mark.parametrize("first", ["a", "z"])
def test_a_blank_id_is_named_by_its_line(tmp_path, fmt, said, first):
    data = open_dataset(written(tmp_path / "d", fmt, ([first, "b", " ", "c"],)))
    with pytest.raises(BadInput, match=f"{said}: the instance id is missing"):
        check_ids(data)
