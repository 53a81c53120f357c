"""Ids that come twice in a data set: found in any order and form, and named with both places."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, Hierarchy, read_labels, score
from hierpair.evaluation import score_dataset
from hierpair.io.datasets import check_ids, open_dataset
from hierpair.labels import Columns

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


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
        f"{tmp_path}/b/0.{fmt}{sign}{at[0]} (2 ids come twice); keep one of them, or, for one label "
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


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_rows_of_an_instance_may_be_apart(tmp_path, n_jobs):
    """One label per row, truth and system in columns: by id, in any order, over all files."""
    rng = random.Random(3)
    rows = [(f"i{i}", t, p) for i in range(30) for t, p in zip(
        rng.choices(["a", "b", "c", ""], k=3), rng.choices(["b", "c", "d"], k=3), strict=True)]  # fmt: skip
    rng.shuffle(rows)
    lines = [",".join(row) for row in rows]
    for name, some in (("0", lines[:50]), ("1", lines[50:])):
        (tmp_path / "d").mkdir(exist_ok=True)
        (tmp_path / "d" / f"{name}.csv").write_text("\n".join(["id,truth,one", *some]) + "\n")
    whole = tmp_path / "whole.csv"
    whole.write_text("\n".join(["id,truth,one", *lines]) + "\n")
    truth, one = (
        read_labels(whole, TREE, columns=Columns(labels=(x,), long=True)) for x in ("truth", "one")
    )
    expected = score(TREE, truth, {"one": one}, ["hf", "gie"])
    data = open_dataset(tmp_path / "d", columns=Columns(long=True))
    how = {"measures": ["hf", "gie"], "n_jobs": n_jobs}
    found = score_dataset(TREE, data, systems=["one"], **how)
    assert found.to_json() == expected.to_json()
    lines[7] = lines[7].replace("c", "zz").replace("b", "zz").replace("d", "zz").replace("a", "zz")
    (tmp_path / "d" / "0.csv").write_text("\n".join(["id,truth,one", *lines[:50]]) + "\n")
    with pytest.raises(BadInput, match=r"d, instance '.*': class 'zz' is not in"):
        score_dataset(TREE, data, systems=["one"], **how)


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_an_id_that_ends_one_file_and_begins_the_next(tmp_path, fmt):
    folder = written(tmp_path / "data", fmt, [["a", "b"], ["b", "c"]])
    with pytest.raises(BadInput, match=r"instance .b. already occurs at .*(0.csv:3|row 2); keep"):
        check_ids(open_dataset(folder))
