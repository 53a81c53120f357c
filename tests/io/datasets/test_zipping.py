"""Truth and systems in files of their own: side by side, whatever their parts and batches are."""

import json
import pickle
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, read_labels
from hierpair.io.datasets import OtherOrder, label_sets, open_dataset, zipped
from hierpair.labels import Columns
from hierpair.labels.coded import values_of

from .streamed import TREE, added, plain, where

NAMES = [name for name in TREE.names if name != "p|q"]


def parquet(folder, ids, labels, sizes, name="labels", group=4, **more):
    """Write files of so many rows."""
    folder.mkdir(parents=True, exist_ok=True)
    at = 0
    for k, size in enumerate(sizes):
        rows = slice(at, at + size)
        table = {"id": ids[rows], name: labels[rows], **{x: v[rows] for x, v in more.items()}}
        pq.write_table(pa.table(table), folder / f"{k}.parquet", row_group_size=group)
        at += size
    return folder


def read(both, unknown="error"):
    """Read all parts; return what the label sets say, by side."""
    total = {}
    reader, parts = pickle.loads(pickle.dumps((both.data.reader, both.data.parts)))
    for part in parts:
        names = [x for meaning in (both.truth, *both.systems.values()) for x in meaning.labels]
        for rows in reader.read(part, names):
            found = label_sets(rows, TREE, truth=both.truth, systems=both.systems, unknown=unknown)
            ids = None if found.ids is None else list(values_of(found.ids))
            for name, sets in {"truth": found.truth, **found.systems}.items():
                total[name] = added(total.get(name), plain(sets, ids))
    return total


def whole(path, columns=None, unknown="error"):
    sets = read_labels(path, TREE, columns=columns, unknown=unknown)
    return plain(sets, None if sets.ids is None else list(sets.ids))


def some_labels(rng, n):
    return ["|".join(rng.sample(NAMES, rng.choice([1, 1, 2]))) if rng.random() < 0.9 else ""
            for _ in range(n)]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_sides_with_other_parts(tmp_path, seed):
    rng = random.Random(seed)
    n = 30
    ids = [f"d{i}" for i in rng.sample(range(99), n)]
    sides = {}
    for name in ("truth", "svm", "knn"):
        cuts = sorted(rng.choices(range(n + 1), k=rng.choice([0, 1, 3])))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, n], strict=True)]
        labels = some_labels(rng, n)
        folder = parquet(tmp_path / name, ids, labels, sizes, group=rng.choice([2, 5, 100]))
        parquet(tmp_path / "whole" / name, ids, labels, [n])
        sides[name] = open_dataset(
            folder, rows_per_part=rng.choice([1, 4, 99]), batch_rows=rng.choice([1, 3, 99])
        )
    truth = sides.pop("truth")
    both = zipped(truth, sides)
    assert [part.id for part in both.data.parts] == [part.id for part in truth.parts]
    assert both.data.n_rows == n
    assert both.notes == ()
    found = read(both)
    for name in ("truth", "svm", "knn"):
        assert found[name] == whole(tmp_path / "whole" / name / "0.parquet")


def test_what_a_part_reads(tmp_path):
    ids, labels = [f"d{i}" for i in range(20)], ["a1"] * 20
    truth = open_dataset(parquet(tmp_path / "t", ids, labels, [10, 10]), rows_per_part=4)
    svm = open_dataset(parquet(tmp_path / "s", ids, labels, [6, 14], group=7), rows_per_part=7)
    both = zipped(truth, {"svm": svm})
    said = [[(p.part.id, p.skip, p.most) for p in part.sides[1]] for part in both.data.parts]
    assert said == [
        [("0.parquet#0", 0, 4)], [("0.parquet#0", 4, 2), ("1.parquet#0", 0, 2)],
        [("1.parquet#0", 2, 2)], [("1.parquet#0", 4, 3), ("1.parquet#1", 0, 1)],
        [("1.parquet#1", 1, 4)], [("1.parquet#1", 5, 2)],
    ]  # fmt: skip
    assert sum(part.n_bytes for part in both.data.parts) < 1.1 * (truth.n_bytes + svm.n_bytes)
    with pytest.raises(BadInput, match="this part is of one data set, not of several"):
        list(both.data.read(truth.parts[0]))


def test_text_and_parquet_long_and_wide_conditions_and_paths(tmp_path):
    rng = random.Random(5)
    ids, labels = [f"d{i}" for i in range(12)], [rng.sample(NAMES, 2) for _ in range(12)]
    joined = ["|".join(x) for x in labels]
    twice = [i for i in ids for _ in (0, 1)]
    flat = [x for row in labels for x in row]
    scores = [0.25, 0.75] * 12
    parquet(tmp_path / "p", ids, joined, [12])
    parquet(tmp_path / "long", twice, flat, [24], "label", score=scores)
    halves = parquet(tmp_path / "half", [x for i in ids for x in (i, i + "x")],
                     [x for j in joined for x in (j, "zz")], [24], keep=["y", "n"] * 12)  # fmt: skip
    (tmp_path / "t.csv").write_text(
        "id,labels\n" + "".join(f"{i},{x}\n" for i, x in zip(ids, joined, strict=True))
    )
    (tmp_path / "j.jsonl").write_text("".join(
        json.dumps({"id": i, "labels": x}) + "\n" for i, x in zip(ids, labels, strict=True)))  # fmt: skip
    long = "".join(f"{i}\t{x}\t{s}\n" for i, x, s in zip(twice, flat, scores, strict=True))
    (tmp_path / "l.tsv").write_text(long)
    (tmp_path / "lines.txt").write_text("".join(" ".join(x) + "\n" for x in labels))
    parquet(tmp_path / "levels", twice, ["r"] * 24, [24], "l1", l2=["a1", "a2"] * 12)
    parquet(tmp_path / "each", ids, ["a1", "a2"] * 6, [12], "l1", l2=["b1", None, ""] * 4)
    wanted = {
        "csv": (tmp_path / "t.csv", None),
        "json": (tmp_path / "j.jsonl", None),
        "rows": (tmp_path / "l.tsv", Columns(long=True, min_score=0.5)),
        "long": (tmp_path / "long" / "0.parquet", Columns(long=True)),
        "half": (halves / "0.parquet", where(Columns(), ("keep", "y"))),
        "lines": (tmp_path / "lines.txt", None),
        "levels": (tmp_path / "levels" / "0.parquet", Columns(labels=("l1", "l2"), long=True)),
        "each": (tmp_path / "each" / "0.parquet", Columns(labels=("l1", "l2"), each=True)),
    }
    for rows in (1, 5, 99):
        truth = open_dataset(tmp_path / "p", batch_rows=3)
        sets = {
            x: open_dataset(path, columns=c, batch_rows=rows) for x, (path, c) in wanted.items()
        }
        both = zipped(truth, sets)
        assert both.notes == (
            "lines: only the truth has ids, so instances are matched by position",
        )
        assert len(both.data.parts) == 1
        found = read(both)
        for name, (path, columns) in wanted.items():
            assert {**found[name], "ids": 0} == {**whole(path, columns), "ids": 0}, name
        assert found["long"]["unused"]
        back = zipped(sets["half"], {"p": truth, "l": sets["long"]})
        assert read(back)["p"] == whole(tmp_path / "p" / "0.parquet")


def test_faults_name_the_file_of_their_side(tmp_path):
    ids = ["x", "y", "z"]
    truth = open_dataset(parquet(tmp_path / "t", ids, ["a1", "a2", "b1"], [3]))
    svm = parquet(tmp_path / "s", ids, ["a1", "a2", "zz"], [1, 2])
    both = zipped(truth, {"svm": open_dataset(svm)})
    assert read(both, "drop")["svm"]["n_unknown"] == 1
    with pytest.raises(BadInput) as caught:
        read(both)
    assert str(caught.value).startswith(f"{svm}/1.parquet: row 2, instance 'z': class 'zz' is not")
    path = tmp_path / "j.jsonl"
    path.write_text('{"id": "x", "labels": []}\n{"id": "y", "labels": []}\n{"id": "z"}\n')
    with pytest.raises(BadInput, match=r"j.jsonl:3: no 'labels' in this object"):
        read(zipped(truth, {"j": open_dataset(path)}))
    (tmp_path / "lines").write_text("a1\na2\na1/zz\n")
    with pytest.raises(BadInput, match=r"lines:3, instance 'z': class 'a1/zz' .*read as lines of"):
        read(zipped(truth, {"j": open_dataset(tmp_path / "lines")}))
    with pytest.raises(BadInput, match="there is no column 'labels'; did you mean 'lab'"):
        zipped(truth, {"j": open_dataset(parquet(tmp_path / "u", ids, ids, [3], "lab"))})


def test_columns_of_one_name_stay_apart(tmp_path):
    ids = ["x", "y"]
    truth = parquet(tmp_path / "t", ids, ["a1", "a2"], [2], **{"svm: labels": [1.0, 2.0]})
    svm = parquet(tmp_path / "s", ids, ["b1", "b2"], [2])
    both = zipped(open_dataset(truth), {"svm": open_dataset(svm)})
    assert both.systems["svm"].labels == ("svm: labels'",)
    (rows,) = both.data.read(both.data.parts[0], ["svm: labels"])
    assert rows.columns["svm: labels"].listed() == [1.0, 2.0]
    assert set(rows.columns) == {"id", "svm: labels", "svm: id"}
    assert read(both)["svm"]["sets"] == [[TREE.position["b1"]], [TREE.position["b2"]]]


@pytest.mark.parametrize("fmt", ["parquet", "csv"])
@pytest.mark.parametrize(("other", "said"), [
    (["a", "c", "b"], "instance 'c' of svm stands where the truth has 'b'"),
    (["a", "b", "x"], "instance 'x' of svm stands where the truth has 'c'"),
    (["a", "b"], "3 rows, and .*2 rows|the truth has an instance .'c'. after the last one of svm in"),
    (["a", "b", "c", "d"], "4 rows|svm has an instance .'d'. after the last one of the truth in"),
])  # fmt: skip
def test_another_order_is_refused(tmp_path, fmt, other, said):
    sets = []
    for name, ids in (("t", ["a", "b", "c"]), ("s", other)):
        if fmt == "parquet":
            sets.append(open_dataset(parquet(tmp_path / name, ids, ["a1"] * len(ids), [len(ids)])))
        else:
            path = tmp_path / f"{name}.csv"
            path.write_text("id,labels\n" + "".join(f"{i},a1\n" for i in ids))
            sets.append(open_dataset(path, batch_rows=2))
    with pytest.raises(OtherOrder, match=said):
        read(zipped(sets[0], {"svm": sets[1]}))
