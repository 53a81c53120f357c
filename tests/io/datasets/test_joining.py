"""Joining by id: the same labels and messages as matching in memory, in bounded memory."""

import pickle
import random
import sys
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, Hierarchy
from hierpair.io import read_labels
from hierpair.io.datasets import joined, label_sets, sides
from hierpair.io.datasets import open_dataset as opened
from hierpair.labels import Columns, match_instances

TREE = Hierarchy.from_edges(
    [("0", "1"), ("0", "2"), ("1", "3"), ("1", "4"), ("2", "5"), ("2", "6"), ("6", "7")]
)
LEAVES = ["3", "4", "5", "7"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield tmp_path
    assert not list((tmp_path / "temporary").iterdir())  # whatever happened


def written(path, n_files=1, row_group_size=None, **columns):
    """Write a table as one file, or where its name has no ending as a folder of several."""
    table = columns.pop("table", None) or pa.table(columns)
    if path.suffix:
        pq.write_table(table, path, row_group_size=row_group_size)
        return path
    path.mkdir()
    for k, (a, b) in enumerate(pairwise(np.linspace(0, len(table), n_files + 1).astype(int))):
        part = path / f"{k}.parquet"
        pq.write_table(table.slice(a, b - a), part, row_group_size=row_group_size)
    return path


def join(folder, truth, systems, **options):
    return joined(truth, systems, **options)


def sets_of(one):
    """Return the names of the labels that a joined table holds, by id and side."""
    found = {}
    for part in one.data.parts:
        for rows in one.data.read(part):
            labels = label_sets(rows, TREE, truth=one.truth, systems=one.systems, keep_ids=True)
            for name, sets in {"truth": labels.truth, **labels.systems}.items():
                names = [sets.names_of(i, TREE) for i in range(len(sets))]
                found.setdefault(name, {}).update(zip(sets.ids, names, strict=True))
    return found


def in_memory(true_path, systems, missing="error", **columns):
    """Return the same, read as whole files and matched in memory."""
    meant = {name: columns.get(name, Columns()) for name in ("truth", *systems)}
    true = read_labels(true_path, TREE, columns=meant["truth"])
    found = {"truth": true}
    for name, path in systems.items():
        sets = read_labels(path, TREE, columns=meant[name])
        found[name] = match_instances(true, sets, missing=missing, system=name)
    return {
        name: {sets.ids[i]: sets.names_of(i, TREE) for i in range(len(sets))}
        for name, sets in found.items()
    }


def refused(folder, truth, systems, **options):
    with pytest.raises(BadInput) as caught, join(folder, truth, systems, **options):
        pass
    return str(caught.value)


def drawn(rng, n, ids, form):
    """Return a table with a label or a few for each id, in any order."""
    ids = rng.sample(list(ids), n)
    labels = [rng.choices(LEAVES, k=rng.choice([0, 1, 1, 2])) for _ in ids]
    arrays = {
        "text": lambda: pa.array(["|".join(x) or None for x in labels]),
        "blank": lambda: pa.array([" | ".join(x) for x in labels], pa.large_string()),
        "codes": lambda: pa.array(["|".join(x) for x in labels]).dictionary_encode(),
        "lists": lambda: pa.array(labels, pa.list_(pa.string())),
        "large": lambda: pa.array([x or None for x in labels], pa.large_list(pa.large_string())),
        "numbers": lambda: pa.array([int(x[0]) if x else None for x in labels], pa.int8()),
        "number lists": lambda: pa.array([list(map(int, x)) for x in labels], pa.list_(pa.int32())),
        "pairs": lambda: pa.array([["3", "7"]] * len(ids), pa.list_(pa.string(), 2)),
    }
    return pa.table({"id": pa.array(ids), "labels": arrays[form]()})


FORMS = ["text", "blank", "codes", "lists", "large", "numbers", "number lists", "pairs"]


# ------------------------------------------------------------------------------ the same labels


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("form", "batch"), [(form, (1, 7, None)[k % 3]) for k, form in enumerate(FORMS)]
)
def test_any_order_and_form_gives_the_sets_of_matching_in_memory(folder, monkeypatch, form, batch):
    rng = random.Random(f"{form} {batch}")
    ids = [rng.choice(["item ", "ü", "", "x\0"]) + str(i) for i in range(60)]
    truth = written(folder / "truth", 3, 7, table=drawn(rng, 60, ids, rng.choice(FORMS)))
    systems = {
        name: written(folder / name, n, 5, table=drawn(rng, 60, ids, of))
        for name, n, of in (("a", 2, form), ("b", 4, rng.choice(FORMS)))
    }
    expected = in_memory_of(folder, truth, systems)
    data = {name: opened(path, batch_rows=batch or 100) for name, path in systems.items()}
    monkeypatch.setattr(sides, "ROWS_PER_PART", 25)
    with join(folder, opened(truth), data) as one:
        assert sets_of(one) == expected
        found = [x for rows in one.data.rows() for x in rows.columns["id"].to_pylist()]
        assert found == [x for rows in opened(truth).rows() for x in rows.columns["id"].to_pylist()]
        assert one.n_missing == {"a": 0, "b": 0}


def in_memory_of(folder, truth, systems, **options):
    """Return what reading whole files gives, of folders, too."""
    whole = {}
    for name, path in {"truth": truth, **systems}.items():
        parts = sorted(path.iterdir()) if path.is_dir() else [path]
        whole[name] = folder / f"{name} whole.parquet"
        pq.write_table(pa.concat_tables(map(pq.read_table, parts)), whole[name])
    return in_memory(whole.pop("truth"), whole, **options)


def test_ids_of_other_types_and_with_blanks_are_the_same_texts(folder):
    truth = written(folder / "t.parquet", id=pa.array([3, 1, 20], pa.uint16()), label=["3"] * 3)
    mine = written(folder / "m.parquet", id=["20", " 3\t", "\x1f1"], label=["7", "4", "5"])
    coded = pa.array(["1", "20", "3"]).dictionary_encode()
    other = written(folder / "o.parquet", id=coded, label=["5", "7", "4"])
    systems = {"mine": mine, "other": other}
    expected = in_memory(truth, systems)
    with join(folder, opened(truth), {k: opened(v) for k, v in systems.items()}) as one:
        assert sets_of(one) == expected
        assert expected["mine"] == {"3": ["4"], "1": ["5"], "20": ["7"]}


def test_one_label_per_row_is_gathered_into_lists(folder, monkeypatch):
    rng = random.Random(8)
    rows = [(str(i), label) for i in range(40) for label in rng.sample(LEAVES, 1 + i % 4)]
    rows += [("40", None), ("41", " "), ("42", " 3 "), ("42", None)]
    rng.shuffle(rows)
    ids, labels = zip(*rows, strict=True)
    mine = written(folder / "m.parquet", row_group_size=9, id=ids, label=labels)
    truth = written(folder / "t.parquet", id=[str(i) for i in range(43)], labels=["7|3"] * 43)
    columns = Columns(long=True)
    expected = in_memory(truth, {"mine": mine}, mine=columns)
    assert expected["mine"]["42"] == ["3"]
    both = opened(truth), opened(mine, columns=columns)
    monkeypatch.setattr(sides, "ROWS_PER_PART", 10)
    with join(folder, both[0], {"mine": both[1]}) as one:
        assert sets_of(one) == expected
    expected = in_memory(mine, {"mine": truth}, truth=columns)
    with join(folder, both[1], {"mine": both[0]}) as one:
        assert sets_of(one) == expected


def test_scores_choose_labels_and_contradict_each_other_as_in_memory(folder):
    truth = written(folder / "t.parquet", id=["x", "y", "z"], label=["3", "5", "7"])
    ids, labels, scores = ["y", "x", "x", "y", "z"], ["5", "3", "4", None, "7"], [0.5, 0.7, 0.2]
    mine = written(
        folder / "m.parquet", id=ids, label=labels, score=[*scores, None, 0.1], other=[0] * 5
    )
    columns = Columns(long=True, min_score=0.5)
    data = opened(truth), opened(mine, columns=columns)
    with join(folder, data[0], {"mine": data[1]}) as one:
        assert sets_of(one)["mine"] == {"x": ["3"], "y": ["5"], "z": []}
        assert sets_of(one) == in_memory(truth, {"mine": mine}, mine=columns)
        assert not one.unused_scores
    scored = replace(columns, min_score=None)
    with join(folder, data[0], {"mine": opened(mine, columns=scored)}) as one:
        assert one.unused_scores == {"mine"}
    for bad in (
        {"id": ["x", "x", "y", "z"], "label": ["3"] * 4, "score": [0.5, 0.4, 1.0, 1.0]},
        {"id": ["x", "y", "y", "z"], "label": ["3"] * 4, "score": ["0.5", "much", "1", "1"]},
        {"id": ["x", "y", "y", "z"], "label": ["3"] * 4, "score": [1.0, np.inf, 1.0, 1.0]},
    ):
        path = written(folder / "m.parquet", **bad)
        with pytest.raises(BadInput) as caught:
            read_labels(path, TREE, columns=columns)
        said = refused(folder, data[0], {"mine": opened(path, columns=columns)})
        assert said == str(caught.value)


def test_levels_paths_conditions_and_weights_come_along(folder):
    truth = written(
        folder / "t.parquet", id=[1, 2, 3], top=["1", "2", "2"], low=["3", "6", None],
        weight=pa.array([2, 1, 4], pa.int8()), split=["test", "test", "train"],
    )  # fmt: skip
    (folder / "m").mkdir()
    for k, (ids, labels) in enumerate(
        ((["2", "1"], ["0/2/6/7", "1/4;1/3"]), (["2", "9"], ["0/2/5", "1/3"]))
    ):
        written(folder / "m" / f"{k}.parquet", id=ids, label=labels, fold=[k + 1] * 2)
    meant = Columns(labels=("top", "low"), where=(("split", "test"),))
    mine = Columns(separator=";", paths="/", where=(("fold", "1"),))
    with join(
        folder,
        opened(truth, columns=meant),
        {"mine": opened(folder / "m", columns=mine)},
        sample_weight="weight",
    ) as one:
        assert sets_of(one) == {
            "truth": {"1": ["3"], "2": ["6"]},
            "mine": {"1": ["3", "4"], "2": ["7"]},
        }
        (rows,) = one.data.read(one.data.parts[0], [one.sample_weight])
        assert rows.columns[one.sample_weight].to_pylist() == [2.0, 1.0]
    long = Columns(labels=("top", "low"), long=True)
    other = written(folder / "o.parquet", id=[1, 2, 3, 1], top=["1", "2", "2", "1"],
                    low=["3", "6", None, "4"])  # fmt: skip
    with join(
        folder, opened(truth, columns=Columns(labels=("low",))), {"id": opened(other, columns=long)}
    ) as one:
        found = sets_of(one)
        assert found["id"] == {"1": ["3", "4"], "2": ["6"], "3": ["2"]}
        assert found == in_memory(truth, {"id": other}, truth=Columns(labels=("low",)), id=long)
    each = written(folder / "e.parquet", id=[3, 2, 1], top=["1", None, "2"], low=["6", "3", "3"])
    with join(
        folder,
        opened(truth, columns=Columns(labels=("low",))),
        {"each": opened(each, columns=Columns(labels=("top", "low"), each=True))},
    ) as one:
        assert sets_of(one)["each"] == {"1": ["2", "3"], "2": ["3"], "3": ["1", "6"]}


# ------------------------------------------------------------------------------ missing, too many


@pytest.mark.exhaustive
@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_missing_and_foreign_instances_in_the_words_of_matching(folder, seed, long):
    rng = random.Random(seed)
    ids = list(map(str, range(50)))
    truth = written(folder / "t.parquet", table=drawn(rng, 40, ids[:40], "text"))
    columns = Columns(long=long)
    for lo, hi, n in ((5, 40, 20), (0, 50, 45), (30, 50, 15), (40, 50, 10), (0, 40, 40)):
        path = written(folder / "m.parquet", row_group_size=6,
                       table=drawn(rng, n, ids[lo:hi], "numbers" if long else "text"))  # fmt: skip
        data = opened(truth), {"mine": opened(path, columns=columns)}
        for missing in ("error", "empty"):
            if (lo, hi) != (0, 40) and (hi > 40 or missing == "error"):
                with pytest.raises(BadInput) as caught:
                    in_memory(truth, {"mine": path}, missing, mine=columns)
                assert refused(folder, *data, missing=missing) == str(caught.value)
                continue
            expected = in_memory(truth, {"mine": path}, missing, mine=columns)
            with join(folder, *data, missing=missing) as one:
                assert sets_of(one) == expected
                assert one.n_missing == {"mine": 40 - n}


def test_repeated_ids_are_named_with_both_places(folder):
    good = written(folder / "g.parquet", id=list("abc"), label=["3"] * 3)
    bad = written(folder / "b", 2, id=list("cabacc"), label=["3"] * 6)
    said = refused(folder, opened(good), {"mine": opened(bad)})
    assert said == (
        f"{bad}/1.parquet: row 2: instance 'c' already occurs at {bad}/0.parquet: row 1; keep one "
        "of them, or, for one label per row, say so (--rows label, Columns(long=True))"
    )
    assert refused(folder, opened(bad), {"mine": opened(good)}) == said
    same = written(folder / "s.parquet", row_group_size=3, id=["x"] * 10, label=["3"] * 10)
    said = refused(folder, opened(same), {"mine": opened(good)})
    assert f"{same}: row 2: instance 'x' already occurs at {same}: row 1; keep" in said


@pytest.mark.parametrize("labels", [[1.5, 2.0], [["3"], [["4"]]][1:] * 2, [[1.5], []]])
def test_what_is_no_label_is_refused_as_in_memory(folder, labels):
    bad = written(folder / "b.parquet", id=["a", "b"], label=labels)
    with pytest.raises(BadInput) as caught:
        read_labels(bad, TREE)
    assert refused(folder, opened(bad), {"m": opened(bad)}) == str(caught.value)


def test_sides_need_ids_labels_and_rows(folder):
    good = opened(written(folder / "g.parquet", id=["a"], label=["3"]))
    bare = opened(written(folder / "b.parquet", label=["3"]))
    odd = opened(written(folder / "o.parquet", id=["a"], guess=["3"]))
    empty = opened(folder / "g.parquet", columns=Columns(where=(("label", "4"),)))
    for both in ((good, bare), (bare, good)):
        said = refused(folder, both[0], {"m": both[1]})
        assert said.startswith(f"{bare.source}: there is no column id or instance or instance_id")
    assert "there is no column 'labels'; there are id, guess" in refused(folder, good, {"m": odd})
    assert refused(folder, good, {"m": empty}).endswith("no row has label=4")
    assert "missing must be" in refused(folder, good, {"m": good}, missing="drop")


# ------------------------------------------------------------------------------ lists of Python


TEXTS = {
    "csv": ("id,label\n2,3|4\n1,\n3,5\n", Columns()),
    "tsv": ("label\tinstance\n3;4\t2\n\t1\n5\t3\n", Columns(separator=";")),
    "jsonl": (
        '{"id": 2, "label": ["3", "4"]}\n{"id": "1", "label": []}\n{"id": 3, "label": ["5"]}\n',
        Columns(),
    ),
    "table": ("2\t3|4\n1\t\n3\t5\n", Columns()),
    "long": ("3\t5\n2\t3\n1\t\n2\t4\n", Columns(long=True)),
}


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize("form", TEXTS)
def test_text_files_are_joined_with_parquet_files(folder, form, batch):
    text, columns = TEXTS[form]
    path = folder / f"m.{form}"
    path.write_text(text)
    truth = written(folder / "t.parquet", id=[1, 2, 3], label=[["3"], ["4", "3"], ["7"]])
    data = opened(path, form, columns=columns, batch_rows=batch)
    with join(folder, opened(truth), {"mine": data}) as one:
        assert sets_of(one)["mine"] == {"1": [], "2": ["3", "4"], "3": ["5"]}
    with join(folder, data, {"mine": opened(truth)}) as one:
        assert sets_of(one)["truth"] == {"1": [], "2": ["3", "4"], "3": ["5"]}


# ------------------------------------------------------------------------------ memory and disk


def test_a_temporary_folder_that_is_not_there_is_named(folder, monkeypatch):
    data = opened(written(folder / "g.parquet", id=["a"], label=["3"]))
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
    with (
        pytest.raises(BadInput, match=r"nowhere: no room for temporary files \(No such file"),
        joined(data, {"m": data}),
    ):
        pass


def test_without_duckdb_the_extra_is_named(folder, monkeypatch):
    data = opened(written(folder / "g.parquet", id=["a"], label=["3"]))
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert refused(folder, data, {"m": data}) == (
        "ids of data sets are compared by DuckDB: pip install 'hierpair[data]'"
    )


# What DuckDB uses is imported when it is first asked, pandas among it, and Cython's modules lose an
# interrupt that comes while they are imported: so one row is joined before anybody interrupts.


def test_an_error_within_the_block_leaves_nothing_behind(folder):
    data = opened(written(folder / "g.parquet", id=["a"], label=["3"]))

    def stopped():
        with join(folder, data, {"m": data}) as one:
            assert Path(one.data.parts[0].path).exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()


def test_errors_and_other_processes_know_the_joined_table(folder):
    truth = opened(written(folder / "t.parquet", id=["a", "b"], label=["3", "cat"]))
    mine = opened(written(folder / "m.parquet", id=["b", "a"], label=["3", "3"]))
    with join(folder, truth, {"mine": mine}) as one:
        data, part = pickle.loads(pickle.dumps((one.data, one.data.parts[0])))
        (rows,) = data.read(part)
        with pytest.raises(BadInput) as caught:
            label_sets(rows, TREE, truth=one.truth)
    said = str(caught.value)
    assert said.startswith(f"{truth.source}: row 2, instance 'b': class 'cat' is not in")
