"""Parquet tables read part by part: the same labels and messages as read at once."""

import pickle
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput
from hierpair.io.datasets import label_sets, open_dataset
from hierpair.io.files import inputs_guarded, replace_file
from hierpair.labels import Columns

from .streamed import TREE, check_same, streamed, where, whole

NAMES = [name for name in TREE.names if name != "p|q"]


def cell(rng, *, odd=0.0):
    """Return the text of a cell: mostly one class, sometimes several, padded, blank, or none."""
    labels = rng.sample(NAMES, rng.choice([1, 1, 1, 1, 2, 3]))
    text = "|".join(labels)
    if rng.random() < 0.1:
        text = rng.choice([f" {text}", f"{text} ", text.replace("|", " | "), f"{text}|{labels[0]}"])
    if rng.random() < 0.1:
        text = rng.choice(["", "  ", None])
    if rng.random() < odd:
        text = rng.choice(["zz", "zz|a1", "p|q", "a1||b2", " zz "])
    return text


def written(path, columns, group=5):
    pq.write_table(pa.table(columns), path, row_group_size=group)
    return path


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.large_string())])
def test_lists_are_read_as_at_once(tmp_path, seed, kind):
    rng = random.Random(seed)
    odd = [None, "zz", " a1", "a1|b1"][: rng.choice([0, 1, 4])]
    rows = [rng.choices([*NAMES, *odd], k=rng.choice([0, 1, 1, 2, 4])) for _ in range(40)]
    rows = [None if rng.random() < 0.1 else row for row in rows]
    nested = pa.ListArray.from_arrays(
        np.concatenate([[0], np.cumsum([len(r or []) for r in rows])]).astype(np.int32),
        pa.array([x for r in rows for x in r or []], pa.string()).cast(kind),
        mask=pa.array([r is None for r in rows]),
    )
    path = written(tmp_path / "t.parquet", {"id": list(range(40)), "labels": nested})
    for unknown in ("error", "drop"):
        check_same(path, unknown=unknown)


def test_whole_numbers_are_names_and_other_numbers_are_none(tmp_path):
    path = written(tmp_path / "n.parquet", {"id": [3, 1, 2], "label": [7, 7, None]})
    assert check_same(path)["sets"] == [[TREE.position["7"]]] * 2 + [[]]
    path = written(tmp_path / "f.parquet", {"id": [3, 1, 2], "label": ["7", "7", "r"]})
    floats = written(tmp_path / "g.parquet", {"id": [3, 1], "label": [7.0, 1.5]})
    assert "row 2, instance '1': a label must be a name, got 1.5" in check_same(floats)
    flags = written(tmp_path / "h.parquet", {"id": ["x"], "label": [True]})
    assert "a label must be a name" in check_same(flags)
    assert check_same(path)["ids"] == ["3", "1", "2"]


def test_paths_and_levels(tmp_path):
    paths = ["r/a1/b1", "/r/a2", "", None, "a3/b3", "r/a1/b1|a2"] * 3
    table = {"id": [str(i) for i in range(18)], "labels": paths}
    check_same(written(tmp_path / "p.parquet", table), columns=Columns(paths="/"))
    table["labels"] = [*paths[:-1], "r/b1"]
    said = check_same(written(tmp_path / "q.parquet", table), columns=Columns(paths="/"))
    assert "row 18, instance '17': 'b1' is not a child of 'r'" in said
    levels = {"id": ["x", "y", "z", "u"], "l1": ["r", "r", None, "r"], "l2": ["a1", "a2", None, ""],
              "l3": ["b1", None, None, ""]}  # fmt: skip
    named = Columns(labels=("l1", "l2", "l3"))
    said = check_same(written(tmp_path / "l.parquet", levels), columns=named)
    assert [len(x) for x in said["sets"]] == [1, 1, 0, 1]
    levels["l2"] = [None, "a2", None, ""]
    said = check_same(written(tmp_path / "l.parquet", levels), columns=named)
    assert "level 2 of the path is blank" in said
    each = Columns(labels=("l1", "l2", "l3"), each=True)
    said = check_same(written(tmp_path / "l.parquet", levels), columns=each)
    assert [len(x) for x in said["sets"]] == [2, 2, 0, 1]


def test_rows_with_some_values(tmp_path):
    rng = random.Random(4)
    table = {"id": [f"d{i}" for i in range(50)], "labels": [cell(rng) for _ in range(50)],
             "half": [rng.choice("xy") for _ in range(50)]}  # fmt: skip
    table["labels"][30] = "zz"
    table["half"][30] = "y"
    path = written(tmp_path / "t.parquet", table)
    assert isinstance(check_same(path, columns=where(Columns(), ("half", "x"))), dict)
    said = check_same(path, columns=where(Columns(), ("half", "y")))
    assert "t.parquet: row 31, instance 'd30'" in said
    with pytest.raises(BadInput, match="there is no column 'hlf'; did you mean 'half'"):
        open_dataset(path, columns=where(Columns(), ("hlf", "y")))


def test_truth_and_systems_of_one_table(tmp_path):
    table = {"doc": ["x", "y", "z"], "truth": ["a1", "a2", "b1|b2"], "id": ["a1", "a1", "a1"],
             "svm": ["a1", "zz", None]}  # fmt: skip
    path = written(tmp_path / "t.parquet", table)
    data = open_dataset(path, columns=Columns(ids="doc"))
    assert data.names == ("doc", "truth", "id", "svm")
    assert (data.n_rows, len(data.parts)) == (3, 1)
    (rows,) = data.read(data.parts[0], ["truth", "svm", "id"])
    found = label_sets(rows, TREE, truth="truth", systems=["svm", "id"], unknown="drop")
    assert found.ids.to_pylist() == table["doc"]
    assert found.truth.ids is None
    assert found.truth.lengths.tolist() == [1, 1, 2]
    assert [(name, sets.lengths.tolist()) for name, sets in found.systems.items()] == [
        ("svm", [1, 0, 0]), ("id", [1, 1, 1]),
    ]  # fmt: skip
    assert found.systems["svm"].n_unknown == 1
    kept = label_sets(
        rows, TREE, truth="truth", systems={"s": "svm"}, unknown="drop", keep_ids=True
    )
    assert kept.truth.ids == kept.systems["s"].ids == ("x", "y", "z")
    with pytest.raises(BadInput, match=r"row 2, instance 'y': class 'zz' is not in the hierarchy"):
        label_sets(rows, TREE, systems=["svm"])
    (rows,) = data.read(data.parts[0], ["truth"])
    assert set(rows.columns) == {"doc", "truth"}
    with pytest.raises(BadInput, match="there is no column 'svm'"):
        label_sets(rows, TREE, systems=["svm"])


# ---------------------------------------------------------------- parts


def many(folder, n_files=3, n_rows=20, group=4):
    folder.mkdir(exist_ok=True)
    for k in range(n_files):
        ids = [f"{k}.{i}" for i in range(n_rows)]
        labels = [NAMES[(i * 7 + k) % len(NAMES)] for i in range(n_rows)]
        written(folder / f"part-{k}.parquet", {"id": ids, "labels": labels}, group)
    return folder


def test_parts_are_runs_of_row_groups(tmp_path):
    folder = many(tmp_path / "d")
    (folder / "_SUCCESS").write_text("")
    (folder / ".part-0.crc").write_text("x")
    data = open_dataset(folder, rows_per_part=8)
    assert [(p.id, p.first_row, p.n_rows) for p in data.parts[:4]] == [
        ("part-0.parquet#0-1", 0, 8), ("part-0.parquet#2-3", 8, 8), ("part-0.parquet#4", 16, 4),
        ("part-1.parquet#0-1", 0, 8),
    ]  # fmt: skip
    assert (len(data.parts), data.n_rows) == (9, 60)
    assert len({part.id for part in data.parts}) == 9
    places = [next(data.read(part)).place(0) for part in data.parts[:3]]
    assert places == [f"{folder}/part-0.parquet: row {r}" for r in (1, 9, 17)]
    alone = [streamed(folder / f"part-{k}.parquet") for k in range(3)]
    for size in (1, 3, 8, 100):
        both = streamed(folder, rows_per_part=size, rows=3)
        assert both["ids"] == [i for x in alone for i in x["ids"]]
        assert both["sets"] == [i for x in alone for i in x["sets"]]
    for part in (data.parts[1], pickle.loads(pickle.dumps(data.parts[1]))):
        assert len(pickle.dumps(part)) < 400
        reader = pickle.loads(pickle.dumps(data.reader))
        assert sum(rows.n_rows for rows in reader.read(part)) == 8


def test_ways_to_say_which_files(tmp_path, monkeypatch):
    folder = many(tmp_path / "d")
    ids = streamed(folder)["ids"]
    names = [str(folder / f"part-{k}.parquet") for k in range(3)]
    assert streamed(names)["ids"] == streamed(str(folder / "part-*.parquet"))["ids"] == ids
    assert open_dataset(names[::-1]).parts[0].id == "part-2.parquet#0-4"
    assert streamed(str(tmp_path / "**" / "part-[01].parquet"))["ids"] == ids[:40]
    monkeypatch.chdir(folder)
    for here in (".", "./", "part-?.parquet", "./part-?.parquet", "../d"):
        assert [p.id for p in open_dataset(here).parts] == [
            f"part-{k}.parquet#0-4" for k in range(3)
        ]
    strange = written(folder / "a[1].parquet", {"id": ["x"], "labels": ["a1"]})
    assert streamed(str(strange))["ids"] == ["x"]
    with pytest.raises(BadInput, match=r"part-1\.parquet: this file is given twice"):
        open_dataset([*names, "./part-1.parquet"])
    for wrong, said in (
        ("nowhere.parquet", "nowhere.parquet: there is no such file"),
        ("x-*.parquet", "x-.*: there are no files in this folder, or none fits"),
        ("-", "not from an address or standard input"),
        ("s3://b/x.parquet", "not from an address or standard input; download or mount"),
        ([], "needs at least one file"),
        (3, "expected a file, a folder, a pattern or a list, got 3"),
    ):
        with pytest.raises(BadInput, match=said):
            open_dataset(wrong)
    (folder / "empty").mkdir()
    with pytest.raises(BadInput, match="there are no files in this folder"):
        open_dataset(folder / "empty")
    (folder / "t.csv").write_text("id,labels\n")
    with pytest.raises(BadInput, match=r"is parquet and .*t.csv is csv; a data set is of one form"):
        open_dataset(folder)
    with pytest.raises(BadInput, match="the label format must be one of"):
        open_dataset(folder, "parket")


def test_parts_that_differ_are_refused_by_both_names(tmp_path):
    table = {"id": ["x"], "labels": ["a1"], "w": [1.5]}
    one = written(tmp_path / "1.parquet", table)
    for changed, said in (
        ({"w": None}, r"2.parquet: there is no column 'w', which .*1.parquet has"),
        ({"v": [1]}, r"1.parquet: there is no column 'v', which .*2.parquet has"),
    ):
        other = {k: v for k, v in {**table, **changed}.items() if v is not None}
        written(tmp_path / "2.parquet", other)
        with pytest.raises(BadInput, match=said):
            open_dataset([one, tmp_path / "2.parquet"])
    for labels in (pa.nulls(1), [["a1"]], ["a1"]):  # each file is read as it is
        same = {"w": pa.array([2]), "id": pa.array(["y"], pa.large_string()), "labels": labels}
        written(tmp_path / "2.parquet", same)
        assert streamed(tmp_path)["ids"] == ["x", "y"]


# ---------------------------------------------------------------- damage


def test_a_damaged_part_is_named(tmp_path):
    folder = many(tmp_path / "d")
    path = folder / "part-1.parquet"
    content = path.read_bytes()
    for wrong in (content[:-20], content[: len(content) // 2], b"", b"id,labels\n", b"PAR1"):
        path.write_bytes(wrong)
        with pytest.raises(BadInput, match=r"part-1\.parquet: not a Parquet file"):
            open_dataset(folder)
    path.write_bytes(content)
    data = open_dataset(folder, rows_per_part=4)
    path.unlink()
    part = next(p for p in data.parts if "part-1" in p.id)
    with pytest.raises(BadInput, match=r"part-1\.parquet: there is no such file"):
        list(data.read(part))
    written(path, {"id": ["x"], "labels": ["a1"]})
    with pytest.raises(BadInput, match=r"part-1\.parquet: not a Parquet file"):
        list(data.read(data.parts[7]))


def test_files_that_are_read_are_not_written_over(tmp_path):
    path = written(tmp_path / "t.parquet", {"id": ["x"], "labels": ["a1"]})
    with inputs_guarded():
        open_dataset(path)
        with pytest.raises(BadInput, match="this file is read"):
            replace_file(path, b"")


def test_texts_that_are_no_utf8_are_refused_at_once_and_in_parts(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"id": ["x"], "labels": ["a1zz"]}), path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"a1zz", b"a1\xff\xfe"))
    for said in (streamed(path), whole(path)):
        assert "Invalid UTF8 sequence" in said
