"""Ids that come twice, within a part and across parts: found wherever they stand, and named."""

import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput
from hierpair.io.datasets import PartIds, check_ids_across, ids_of, open_dataset
from hierpair.io.datasets import repeated_ids as module
from hierpair.io.datasets.arrow_columns import ArrowColumn
from hierpair.labels import Columns


def checked(data):
    """Go through all parts, as whoever scores them does; return the ranges of their ids."""
    ranges = []
    for part in data.parts:
        seen = PartIds(data.reader, part)
        for rows in data.read(part):
            ids = ids_of(rows)
            seen.add(list(dict.fromkeys(ids.listed())) if rows.meaning.long else ids)
        ranges.append(seen.checked())
    check_ids_across(data.reader, data.parts, ranges[::-1])
    return ranges


def written(folder, *files, fmt="parquet"):
    folder.mkdir(exist_ok=True)
    for k, ids in enumerate(files):
        path = folder / f"{k}.{fmt}"
        if fmt == "parquet":
            table = pa.table({"id": ids, "labels": ["a1"] * len(ids)})
            pq.write_table(table, path, row_group_size=3)
        else:
            path.write_text("id,labels\n" + "".join(f"{i},a1\n" for i in ids))
    return open_dataset(folder, rows_per_part=6, batch_rows=4)


def test_ids_that_are_all_different(tmp_path):
    data = written(
        tmp_path, [f"a{i}" for i in range(9)], [f"b{i}" for i in range(9)], ["a10", "b1x"]
    )
    found = checked(data)
    assert [(r.part, r.least, r.greatest, r.n) for r in found] == [
        ("0.parquet#0-1", "a0", "a5", 6), ("0.parquet#2", "a6", "a8", 3),
        ("1.parquet#0-1", "b0", "b5", 6), ("1.parquet#2", "b6", "b8", 3),
        ("2.parquet#0", "a10", "b1x", 2),
    ]  # fmt: skip
    assert checked(written(tmp_path / "n", [3, 1, 2], [5, 4, 10]))[1].least == "10"


@pytest.mark.parametrize("limit", [0, 2**21])
@pytest.mark.parametrize("fmt", ["parquet", "csv"])
def test_where_an_id_stands_twice(tmp_path, monkeypatch, limit, fmt):
    monkeypatch.setattr(module, "MOST_HASHES", limit)
    unit = {"parquet": ": row ", "csv": ":"}[fmt]
    add = {"parquet": 1, "csv": 2}[fmt]
    for one, other in ((0, 1), (0, 5), (4, 8), (2, 15), (0, 19), (9, 10)):
        ids = [f"d{i:02}é" for i in random.Random(one).sample(range(40), 20)]
        ids[other] = ids[one]
        folder = tmp_path / f"{one}-{other}"
        data = written(folder, ids[:10], ids[10:], fmt=fmt)
        places = [f"{folder}/{i // 10}.{fmt}{unit}{i % 10 + add}" for i in (one, other)]
        with pytest.raises(BadInput) as caught:
            checked(data)
        assert str(caught.value).startswith(
            f"{places[1]}: instance {ids[one]!r} already occurs at {places[0]}; keep one of them"
        )


def test_only_parts_that_may_have_the_same_ids_are_read_again(tmp_path, monkeypatch):
    data = written(tmp_path, ["a", "b"], ["c", "e"], ["d", "f"], ["g"])
    ranges = []
    for part in data.parts:
        seen = PartIds(data.reader, part)
        for rows in data.read(part):
            seen.add(ids_of(rows))
        ranges.append(seen.checked())
    read = []

    class Reader:
        def read(self, part, names):
            assert names == []
            read.append(part.id)
            return data.reader.read(part, names)

    check_ids_across(Reader(), data.parts, [*ranges, None])
    assert read == ["1.parquet#0", "2.parquet#0"]


def test_equal_hashes_of_other_ids_are_no_repetition(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "hashes_of", lambda ids: np.zeros(len(ids), np.uint64))
    data = written(tmp_path, ["a", "b", "d"], ["c", "e"])
    assert [r.n for r in checked(data)] == [3, 2]
    data = written(tmp_path, ["a", "b", "d"], ["c", "b"])
    with pytest.raises(BadInput, match=r"1.parquet: row 2: instance 'b' already occurs at .*row 2"):
        checked(data)


def test_rows_of_an_instance_that_are_apart(tmp_path):
    table = {"id": ["x", "x", "y", "z", "x", "u"], "label": ["a1", "a2", "a1", "a1", "a3", "r"]}
    pq.write_table(pa.table(table), tmp_path / "t.parquet", row_group_size=2)
    for rows in (1, 2, 3, 100):
        data = open_dataset(tmp_path, columns=Columns(long=True), batch_rows=rows)
        with pytest.raises(
            BadInput, match=r"row 5: instance 'x' already occurs at .*row [12]; the"
        ):
            checked(data)
    for k, ids in enumerate((["x", "x", "y"], ["z", "y"])):
        pq.write_table(
            pa.table({"id": ids, "label": ["a1", "a2", "a1"][: len(ids)]}),
            tmp_path / f"{k}.parquet",
        )
    (tmp_path / "t.parquet").unlink()
    data = open_dataset(tmp_path, columns=Columns(long=True))
    ranges = [module.IdRange(part.id, "x", "z", 2) for part in data.parts]
    with pytest.raises(
        BadInput, match=r"1.parquet: row 2: instance 'y' already occurs at .*0.*row 3"
    ):
        check_ids_across(data.reader, data.parts, ranges)


def test_hashes_are_of_the_texts_alone():
    rng = random.Random(3)
    texts = [rng.choice("aé☃b") * rng.randrange(30) + str(i) for i in range(500)]
    column = pa.array(["before", *texts])[1:]
    expected = module.hashes_of(list(texts))
    assert len(set(expected.tolist())) == 500
    for array in (
        column,
        column.cast(pa.large_string()),
        pa.concat_arrays([column[:7], column[7:]]),
    ):
        assert (module.hashes_of(ArrowColumn(array)) == expected).all()
    assert [module.hashes_of([text])[0] for text in texts[:50]] == expected[:50].tolist()
    near = ["a", "a\0", "\0a", "", "\0", "aaaaaaaa", "aaaaaaaa\0", "ab", "ba"]
    assert len(set(module.hashes_of(near).tolist())) == len(near)
    assert len(module.hashes_of([])) == len(module.hashes_of(None)) == 0
    assert (
        module.hashes_of(["doc-1"])[0] == 9332308644534573043
    )  # fixed: parts are hashed on several machines


def test_instances_without_ids_have_nothing_to_check(tmp_path):
    pq.write_table(pa.table({"labels": ["a1", "a1"]}), tmp_path / "t.parquet")
    assert checked(open_dataset(tmp_path)) == [None]


@pytest.mark.parametrize("n", range(1, 40))
def test_rows_are_found_by_hashes_of_any_size(n):
    """Few large hashes that are near each other, of which some versions of NumPy make a table."""
    ids = [f"i{k}" for k in range(n)]
    hashes = module.hashes_of(ids)
    assert hashes.max() >= 1 << 63 or n < 3
    for k, one in enumerate(hashes):
        assert module.rows_among(ids, hashes[k : k + 1]) == [k]
        assert module.rows_among([ids[k]], hashes[k : k + 1]) == [0]
        assert int(one) == int(module.hashes_of([ids[k]])[0])
