"""Joining by id: the same labels and messages as matching in memory, in bounded memory; ids that come twice."""

import pickle
import random
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, Hierarchy
from hierpair.io import read_labels
from hierpair.io.datasets import check_ids, joined, label_sets, sides
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


def sets_of(one):
    """Return the names of the labels that a joined table holds, by side and id."""
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
    found, truth = {}, None
    for name, path in {"truth": true_path, **systems}.items():
        if path.is_dir():
            whole = path.with_name(f"{name} whole.parquet")
            pq.write_table(pa.concat_tables(map(pq.read_table, sorted(path.iterdir()))), whole)
            path = whole  # noqa: PLW2901
        sets = read_labels(path, TREE, columns=columns.get(name, Columns()))
        if truth is not None:
            sets = match_instances(truth, sets, missing=missing, system=name)
        truth = truth or sets
        found[name] = {x: sets.names_of(i, TREE) for i, x in enumerate(sets.ids)}
    return found


def joined_sets(truth, systems, expected=None, **options):
    """Join, compare with what memory gives (or with what is expected), and return the sets."""
    sides = {
        name: (path, Columns(**how)) for name, (path, how) in {"truth": truth, **systems}.items()
    }
    data = {name: opened(path, columns=columns) for name, (path, columns) in sides.items()}
    with joined(data.pop("truth"), data, **options) as one:
        found = sets_of(one)
    if expected is None:
        paths = {name: path for name, (path, _) in sides.items()}
        columns = {name: columns for name, (_, columns) in sides.items()}
        expected = in_memory(paths.pop("truth"), paths, **columns)
    assert found == expected
    return found


def refused(truth, systems, **options):
    with pytest.raises(BadInput) as caught, joined(truth, systems, **options):
        pass
    return str(caught.value)


ARRAYS = {
    "text": lambda rows: pa.array(["|".join(x) or None for x in rows]),
    "blank": lambda rows: pa.array([" | ".join(x) for x in rows], pa.large_string()),
    "codes": lambda rows: pa.array(["|".join(x) for x in rows]).dictionary_encode(),
    "lists": lambda rows: pa.array(rows, pa.list_(pa.string())),
    "large": lambda rows: pa.array([x or None for x in rows], pa.large_list(pa.large_string())),
    "numbers": lambda rows: pa.array([int(x[0]) if x else None for x in rows], pa.int8()),
    "number lists": lambda rows: pa.array([list(map(int, x)) for x in rows], pa.list_(pa.int32())),
    "pairs": lambda rows: pa.array([["3", "7"]] * len(rows), pa.list_(pa.string(), 2)),
}
FORMS = list(ARRAYS)


def drawn(rng, n, ids, form):
    """Return a table with a label or a few for each id, in any order."""
    ids = rng.sample(list(ids), n)
    labels = [rng.choices(LEAVES, k=rng.choice([0, 1, 1, 2])) for _ in ids]
    return pa.table({"id": pa.array(ids), "labels": ARRAYS[form](labels)})


# ------------------------------------------------------------------------------ the same labels


@pytest.mark.parametrize("form", FORMS)
def test_any_order_and_form_gives_the_sets_of_matching_in_memory(folder, monkeypatch, form):
    rng, batch = random.Random(form), (1, 7, 100)[FORMS.index(form) % 3]
    ids = [rng.choice(["item ", "ü", "", "x\0"]) + str(i) for i in range(60)]
    truth = written(folder / "truth", 3, 7, table=drawn(rng, 60, ids, rng.choice(FORMS)))
    systems = {
        name: written(folder / name, n, 5, table=drawn(rng, 60, ids, of))
        for name, n, of in (("a", 2, form), ("b", 4, rng.choice(FORMS)))
    }
    data = {name: opened(path, batch_rows=batch) for name, path in systems.items()}
    monkeypatch.setattr(sides, "ROWS_PER_PART", 25)
    with joined(opened(truth), data) as one:
        assert sets_of(one) == in_memory(truth, systems)
        found = [x for rows in one.data.rows() for x in rows.columns["id"].to_pylist()]
        assert found == [x for rows in opened(truth).rows() for x in rows.columns["id"].to_pylist()]
        assert one.n_missing == {"a": 0, "b": 0}


def test_ids_of_other_types_and_with_blanks_are_the_same_texts(folder):
    truth = written(folder / "t.parquet", id=pa.array([3, 1, 20], pa.uint16()), label=["3"] * 3)
    mine = written(folder / "m.parquet", id=["20", " 3\t", "\x1f1"], label=["7", "4", "5"])
    coded = pa.array(["1", "20", "3"]).dictionary_encode()
    other = written(folder / "o.parquet", id=coded, label=["5", "7", "4"])
    found = joined_sets((truth, {}), {"mine": (mine, {}), "other": (other, {})})
    assert found["mine"] == found["other"] == {"3": ["4"], "1": ["5"], "20": ["7"]}


def test_one_label_per_row_is_gathered_into_lists(folder, monkeypatch):
    rng = random.Random(8)
    rows = [(str(i), label) for i in range(40) for label in rng.sample(LEAVES, 1 + i % 4)]
    rows += [("40", None), ("41", " "), ("42", " 3 "), ("42", None)]
    rng.shuffle(rows)
    ids, labels = zip(*rows, strict=True)
    mine = written(folder / "m.parquet", row_group_size=9, id=ids, label=labels), {"long": True}
    truth = written(folder / "t.parquet", id=[str(i) for i in range(43)], labels=["7|3"] * 43), {}
    monkeypatch.setattr(sides, "ROWS_PER_PART", 10)
    assert joined_sets(truth, {"mine": mine})["mine"]["42"] == ["3"]
    joined_sets(mine, {"mine": truth})


def test_scores_choose_labels_and_contradict_each_other_as_in_memory(folder):
    truth = written(folder / "t.parquet", id=["x", "y", "z"], label=["3", "5", "7"])
    mine = written(folder / "m.parquet", id=["y", "x", "x", "y", "z"], label=["5", "3", "4", None, "7"],
                   score=[0.5, 0.7, 0.2, None, 0.1], other=[0] * 5)  # fmt: skip
    found = joined_sets((truth, {}), {"mine": (mine, {"long": True, "min_score": 0.5})})
    assert found["mine"] == {"x": ["3"], "y": ["5"], "z": []}
    for how, unused in (({}, {"mine"}), ({"min_score": 0.5}, set())):
        columns = Columns(long=True, **how)
        with joined(opened(truth), {"mine": opened(mine, columns=columns)}) as one:
            assert one.unused_scores == unused
    for ids, scores in (("xxyz", [0.5, 0.4, 1.0, 1.0]), ("xyyz", ["0.5", "much", "1", "1"]),
                        ("xyyz", [1.0, np.inf, 1.0, 1.0])):  # fmt: skip
        path = written(folder / "m.parquet", id=list(ids), label=["3"] * 4, score=scores)
        with pytest.raises(BadInput) as caught:
            read_labels(path, TREE, columns=columns)
        assert refused(opened(truth), {"mine": opened(path, columns=columns)}) == str(caught.value)


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
    mine = opened(folder / "m", columns=Columns(separator=";", paths="/", where=(("fold", "1"),)))
    with joined(opened(truth, columns=meant), {"mine": mine}, sample_weight="weight") as one:
        assert sets_of(one) == {
            "truth": {"1": ["3"], "2": ["6"]},
            "mine": {"1": ["3", "4"], "2": ["7"]},
        }
        (rows,) = one.data.read(one.data.parts[0], [one.sample_weight])
        assert rows.columns[one.sample_weight].to_pylist() == [2.0, 1.0]
    other = written(folder / "o.parquet", id=[1, 2, 3, 1], top=["1", "2", "2", "1"],
                    low=["3", "6", None, "4"])  # fmt: skip
    each = written(folder / "e.parquet", id=[3, 2, 1], top=["1", None, "2"], low=["6", "3", "3"])
    for path, how, expected in (
        (other, {"long": True}, {"1": ["3", "4"], "2": ["6"], "3": ["2"]}),
        (each, {"each": True}, {"1": ["2", "3"], "2": ["3"], "3": ["1", "6"]}),
    ):
        columns = {"labels": ("top", "low"), **how}
        found = joined_sets((truth, {"labels": ("low",)}), {"id": (path, columns)})
        assert found["id"] == expected


# ------------------------------------------------------------------------------ missing, too many, twice


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize(
    ("low", "high", "n"), [(5, 40, 20), (0, 50, 45), (30, 50, 15), (40, 50, 10), (0, 40, 40)]
)
def test_missing_and_foreign_instances_in_the_words_of_matching(folder, low, high, n, long):
    rng = random.Random(n)
    ids = list(map(str, range(50)))
    truth = written(folder / "t.parquet", table=drawn(rng, 40, ids[:40], "text"))
    path = written(folder / "m.parquet", row_group_size=6,
                   table=drawn(rng, n, ids[low:high], "numbers" if long else "text"))  # fmt: skip
    columns = Columns(long=long)
    data = opened(truth), {"mine": opened(path, columns=columns)}
    for missing in ("error", "empty"):
        if high > 40 or (n < 40 and missing == "error"):
            with pytest.raises(BadInput) as caught:
                in_memory(truth, {"mine": path}, missing, mine=columns)
            assert refused(*data, missing=missing) == str(caught.value)
            continue
        with joined(*data, missing=missing) as one:
            assert sets_of(one) == in_memory(truth, {"mine": path}, missing, mine=columns)
            assert one.n_missing == {"mine": 40 - n}


@pytest.mark.parametrize("fmt", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("batch", [1, 4, 1000])
def test_both_places_of_an_id_are_named(tmp_path, fmt, batch):
    """Of files in any order; on a side of a join and of a whole data set."""
    names = [f"d{i:02}" for i in range(20)]
    random.Random(batch).shuffle(names)
    sign, at = {"csv": (",", ":"), "tsv": ("\t", ":"), "parquet": ("", ": row ")}[fmt]
    given = (names[:11], [*names[11:], names[4], names[2]])
    for k, ids in enumerate(given):
        path = tmp_path / f"{k}.{fmt}"
        if sign:
            path.write_text(f"id{sign}labels\n" + "".join(f"{x}{sign}3\n" for x in ids))
        else:
            written(path, row_group_size=3, id=ids, labels=["3"] * len(ids))
    said = (
        f"{tmp_path}/1.{fmt}{at}{12 if sign else 11}: instance {names[2]!r} already occurs at "
        f"{tmp_path}/0.{fmt}{at}{4 if sign else 3}; keep one of them, or, for one label per row, say so "
        "(--rows label, Columns(long=True))"
    )
    good, bad = (opened(x, batch_rows=batch) for x in (tmp_path / f"0.{fmt}", tmp_path))
    check_ids(good)
    with pytest.raises(BadInput) as caught:
        check_ids(bad)
    assert str(caught.value) == said
    assert refused(good, {"mine": bad}) == refused(bad, {"mine": good}) == said


def test_blanks_around_ids_make_no_other_ids_and_alone_none(tmp_path):
    again, none = "instance 'a' already occurs at", "the instance id is missing"
    for ids, said in ((["b", " a\u00a0", "a"], again), (["a", "b", " "], none)):
        text, table = tmp_path / "t.csv", written(tmp_path / "t.parquet", id=ids, labels=["3"] * 3)
        text.write_text("".join(f"{line}\n" for line in ["id,labels", *(f"{x},3" for x in ids)]))
        for path, place in ((text, ":4"), (table, ": row 3")):
            with pytest.raises(BadInput, match=f"{path}{place}: {said}"):
                check_ids(opened(path))


# ------------------------------------------------------------------------------ refused


@pytest.mark.parametrize("labels", [[1.5, 2.0], [[["4"]], [["4"]]], [[1.5], []]])
def test_what_is_no_label_is_refused_as_in_memory(folder, labels):
    bad = written(folder / "b.parquet", id=["a", "b"], label=labels)
    with pytest.raises(BadInput) as caught:
        read_labels(bad, TREE)
    assert refused(opened(bad), {"m": opened(bad)}) == str(caught.value)


def test_sides_need_ids_labels_rows_duckdb_and_a_folder(folder, monkeypatch):
    good = opened(written(folder / "g.parquet", id=["a"], label=["3"]))
    bare = opened(written(folder / "b.parquet", label=["3"]))
    odd = opened(written(folder / "o.parquet", id=["a"], guess=["3"]))
    empty = opened(folder / "g.parquet", columns=Columns(where=(("label", "4"),)))
    for both in ((good, bare), (bare, good)):
        said = refused(both[0], {"m": both[1]})
        assert said.startswith(f"{bare.source}: there is no column id or instance or instance_id")
    assert "there is no column 'labels'; there are id, guess" in refused(good, {"m": odd})
    assert refused(good, {"m": empty}).endswith("no row has label=4")
    assert "missing must be" in refused(good, {"m": good}, missing="drop")
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
        assert "nowhere: no room for temporary files (No such file" in refused(good, {"m": good})
    monkeypatch.setitem(sys.modules, "duckdb", None)
    said = "ids of data sets are compared by DuckDB: pip install 'hierpair[data]'"
    assert refused(good, {"m": good}) == said


def test_errors_and_other_processes_know_the_joined_table_and_nothing_is_left_behind(folder):
    truth = opened(written(folder / "t.parquet", id=["a", "b"], label=["3", "cat"]))
    mine = opened(written(folder / "m.parquet", id=["b", "a"], label=["3", "3"]))
    with pytest.raises(KeyboardInterrupt), joined(truth, {"mine": mine}) as one:  # noqa: PT012
        assert Path(one.data.parts[0].path).exists()
        data, part = pickle.loads(pickle.dumps((one.data, one.data.parts[0])))
        (rows,) = data.read(part)
        with pytest.raises(BadInput) as caught:
            label_sets(rows, TREE, truth=one.truth)
        raise KeyboardInterrupt
    said = f"{truth.source}: row 2, instance 'b': class 'cat' is not in"
    assert str(caught.value).startswith(said)
