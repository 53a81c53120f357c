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

from hierpair import BadInput, Hierarchy, read_labels
from hierpair.io.datasets import check_ids, joined, label_sets, open_dataset, sides
from hierpair.labels import Columns, match_instances
from tests.reading import error_of, names_in

NUMBERED = Hierarchy.from_edges(list(zip("0011226", "1234567", strict=True)))
LEAVES = ["3", "4", "5", "7"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield tmp_path
    assert not list((tmp_path / "temporary").iterdir())  # whatever happened


def written(path, table=None, group=5, n_files=1, **columns):
    """Write a table as one file, or where its name has no ending as a folder of several."""
    table = pa.table(table or columns)
    if path.suffix:
        pq.write_table(table, path, row_group_size=group)
        return path
    path.mkdir()
    for k, (a, b) in enumerate(pairwise(np.linspace(0, len(table), n_files + 1).astype(int))):
        pq.write_table(table.slice(a, b - a), path / f"{k}.parquet", row_group_size=group)
    return path


def refused(truth, systems, **options):
    return error_of(joined(truth, systems, **options).__enter__)


def sets_of(one):
    """Return the names of the labels that a joined table holds, by side and id."""
    found = {}
    for rows in one.data.rows():
        labels = label_sets(rows, NUMBERED, truth=one.truth, systems=one.systems, keep_ids=True)
        for name, sets in {"truth": labels.truth, **labels.systems}.items():
            found.setdefault(name, {}).update(zip(sets.ids, names_in(sets, NUMBERED), strict=True))
    return found


def in_memory(paths, columns, missing):
    """Return the same, read as whole files and matched in memory, and how many are missing."""
    found, truth, lacking = {}, None, {}
    for name, path in paths.items():
        if path.is_dir():
            tables = pa.concat_tables(map(pq.read_table, sorted(path.iterdir())))
            path = written(path.with_name(f"{name} whole.parquet"), tables)  # noqa: PLW2901
        sets = read_labels(path, NUMBERED, columns=columns[name])
        if truth is not None:
            lacking[name] = len({*truth.ids} - {*sets.ids})
            sets = match_instances(truth, sets, missing=missing, system=name)
        truth = truth or sets
        found[name] = dict(zip(sets.ids, names_in(sets, NUMBERED), strict=True))
    return found, lacking


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
FORMS = [*ARRAYS, "rows", "scored rows", "levels", "each"]
SPELLED = [lambda ids: pa.array(ids, pa.uint16()), lambda ids: pa.array(map(str, ids)),
           lambda ids: pa.array([f"\x1f{x} \t" for x in ids]),
           lambda ids: pa.array(map(str, ids)).dictionary_encode()]  # fmt: skip


def drawn(rng, ids, form):
    """Return a table with a label or a few for each id, in any order, and what its columns mean."""
    ids = rng.sample(ids, len(ids))
    of_rows = [rng.sample(LEAVES, rng.choice([0, 1, 1, 2])) for _ in ids]
    if form in ARRAYS:
        return ids, {"labels": ARRAYS[form](of_rows)}, {}
    if "rows" not in form:
        levels = zip(*rng.choices(["13", "26", "2\0", "14"], k=len(ids)), strict=True)
        cells = [[None if x == "\0" else x for x in level] for level in levels]
        how = {"labels": ("top", "low"), "each": form == "each"}
        return ids, dict(zip(how["labels"], cells, strict=True)), how
    rows = [(i, x) for i, some in zip(ids, of_rows, strict=True) for x in [*some, None, " "][:2]]
    rows = [(i, x, rng.random() if x in LEAVES else None) for i, x in rows]
    ids, labels, scores = zip(*rng.sample(rows, len(rows)), strict=True)
    scored = {"score": scores} if form == "scored rows" else {}
    return ids, {"label": labels, **scored}, {"long": True, "min_score": 0.5 if scored else None}


@pytest.mark.parametrize("seed", range(30))
def test_joining_gives_what_matching_in_memory_gives(folder, monkeypatch, seed):
    """Of any forms, in any order and parts; or the same words where instances are missing or foreign."""
    rng, truth = random.Random(seed), list(range(60))
    paths, columns, missing = {}, {}, rng.choice(["error", "empty"])
    others = [range(60)] * 3 + [range(5, 40), range(5, 65), range(60, 70)]
    for name in ("truth", "a", "b"):
        some = truth if seed < 12 or name != "a" else list(rng.choice(others))
        ids, table, how = drawn(rng, some, FORMS[seed % 12] if name == "a" else rng.choice(FORMS))
        table = {"id": rng.choice(SPELLED)(ids), **table}
        path = folder / rng.choice([name, f"{name}.parquet"])
        paths[name] = written(path, table, rng.choice([5, 100]), rng.randint(1, 4))
        columns[name] = Columns(**how)
    batch = rng.choice([1, 7, 100])
    data = {k: open_dataset(x, columns=columns[k], batch_rows=batch) for k, x in paths.items()}
    monkeypatch.setattr(sides, "ROWS_PER_PART", 25)
    table = joined(data.pop("truth"), data, missing=missing)
    try:
        expected, said = in_memory(paths, columns, missing), ""
    except BadInput as error:
        said = str(error)
    if said:
        assert error_of(table.__enter__) == said
        return
    with table as one:
        found = sets_of(one)
        assert (found, one.n_missing) == expected
        assert [[*sets] for sets in found.values()] == [[*expected[0]["truth"]]] * 3


def test_scores_that_are_not_used_are_told_and_contradict_each_other_as_in_memory(folder):
    truth = open_dataset(written(folder / "t.parquet", id=["x", "y", "z"], label=["3", "5", "7"]))
    for ids, scores, how, unused in (
        ("xyyz", [0.5, 0.7, None, 0.1], {}, {"mine"}), ("xyyz", [0.5, 0.7, None, 0.1], {"min_score": 0.5}, set()),
        ("xxyz", [0.5, 0.4, 1.0, 1.0], {}, None), ("xyyz", ["0.5", "much", "1", "1"], {}, None),
        ("xyyz", [1.0, np.inf, 1.0, 1.0], {}, None),
    ):  # fmt: skip
        columns, labels = Columns(long=True, **how), [None if x is None else "3" for x in scores]
        path = written(folder / "m.parquet", id=list(ids), label=labels, score=scores)
        systems = {"mine": open_dataset(path, columns=columns)}
        if unused is None:
            assert refused(truth, systems) == error_of(read_labels, path, NUMBERED, columns=columns)
            continue
        with joined(truth, systems) as one:
            assert one.unused_scores == unused


def test_paths_conditions_and_weights_come_along(folder):
    truth = written(
        folder / "t.parquet", id=[1, 2, 3], top=["1", "2", "2"], low=["3", "6", None],
        weight=pa.array([2, 1, 4], pa.int8()), split=["test", "test", "train"],
    )  # fmt: skip
    labels = ["0/2/6/7", "1/4;1/3", "0/2/5", "1/3"]
    mine = written(folder / "m", n_files=2, id=list("2129"), labels=labels, fold=[1, 1, 2, 2])
    meant = Columns(labels=("top", "low"), where=(("split", "test"),))
    how = Columns(separator=";", paths="/", where=(("fold", "1"),))
    data = {"mine": open_dataset(mine, columns=how)}
    with joined(open_dataset(truth, columns=meant), data, sample_weight="weight") as one:
        found = {"truth": {"1": ["3"], "2": ["6"]}, "mine": {"1": ["3", "4"], "2": ["7"]}}
        assert sets_of(one) == found
        (rows,) = one.data.read(one.data.parts[0], [one.sample_weight])
        assert rows.columns[one.sample_weight].to_pylist() == [2.0, 1.0]


@pytest.mark.parametrize(("fmt", "sign"), [("csv", ","), ("tsv", "\t"), ("parquet", "")])
@pytest.mark.parametrize("batch", [1, 4, 1000])
def test_both_places_of_an_id_are_named(tmp_path, fmt, sign, batch):
    """Of files in any order; on a side of a join and of a whole data set."""
    names = [f"d{i:02}" for i in range(20)]
    random.Random(batch).shuffle(names)
    for k, ids in enumerate((names[:11], [*names[11:], names[4], names[2]])):
        path = tmp_path / f"{k}.{fmt}"
        if sign:
            path.write_text(f"id{sign}labels\n" + "".join(f"{x}{sign}3\n" for x in ids))
        else:
            written(path, group=3, id=ids, labels=["3"] * len(ids))
    here, there = ("1.csv:12", "0.csv:4") if sign else ("1.csv: row 11", "0.csv: row 3")
    said = (
        f"{tmp_path}/{here}: instance {names[2]!r} already occurs at {tmp_path}/{there}; keep one of "
        "them, or, for one label per row, say so (--rows label, Columns(long=True))"
    ).replace("csv", fmt)
    good, bad = (open_dataset(x, batch_rows=batch) for x in (tmp_path / f"0.{fmt}", tmp_path))
    check_ids(good)
    assert error_of(check_ids, bad) == said
    assert refused(good, {"mine": bad}) == refused(bad, {"mine": good}) == said


def test_blanks_around_ids_make_no_other_ids_and_alone_none(tmp_path):
    again, none = "instance 'a' already occurs at", "the instance id is missing"
    for ids, said in ((["b", " a\u00a0", "a"], again), (["a", "b", " "], none)):
        text, table = tmp_path / "t.csv", written(tmp_path / "t.parquet", id=ids, labels=["3"] * 3)
        text.write_text("".join(f"{line}\n" for line in ["id,labels", *(f"{x},3" for x in ids)]))
        for path, place in ((text, ":4"), (table, ": row 3")):
            assert error_of(check_ids, open_dataset(path)).startswith(f"{path}{place}: {said}")


def test_sides_need_ids_labels_rows_duckdb_and_a_folder(folder, monkeypatch):
    for labels in ([1.5, 2.0], [[["4"]], [["4"]]], [[1.5], []]):  # what is no label
        bad = written(folder / "b.parquet", id=["a", "b"], label=labels)
        data = open_dataset(bad)
        assert refused(data, {"m": data}) == error_of(read_labels, bad, NUMBERED)
    good = open_dataset(written(folder / "g.parquet", id=["a"], label=["3"]))
    bare = open_dataset(written(folder / "b.parquet", label=["3"]))
    odd = open_dataset(written(folder / "o.parquet", id=["a"], guess=["3"]))
    empty = open_dataset(folder / "g.parquet", columns=Columns(where=(("label", "4"),)))
    for both in ((good, bare), (bare, good)):
        said = refused(both[0], {"m": both[1]})
        assert said.startswith(f"{bare.source}: there is no column id or instance or instance_id")
    assert "there is no column 'labels'; there are id, guess" in refused(good, {"m": odd})
    logs = written(folder / "l.parquet", id=["a", "a"], label=["3", "4"], score=[-0.5, -2.0])
    least = Columns(long=True, min_score=0.5)
    said = error_of(read_labels, logs, NUMBERED, columns=least).replace(": row 1", "")
    assert refused(good, {"m": open_dataset(logs, columns=least)}) == said
    assert refused(good, {"m": empty}).endswith("no row has label=4")
    assert "missing must be" in refused(good, {"m": good}, missing="drop")
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
        assert "nowhere: no room for temporary files (No such file" in refused(good, {"m": good})
    monkeypatch.setitem(sys.modules, "duckdb", None)
    said = "ids of data sets are compared by DuckDB: pip install 'hierpair[data]'"
    assert refused(good, {"m": good}) == said


def test_errors_and_other_processes_know_the_joined_table_and_nothing_is_left_behind(folder):
    truth = open_dataset(written(folder / "t.parquet", id=["a", "b"], label=["3", "cat"]))
    mine = open_dataset(written(folder / "m.parquet", id=["b", "a"], label=["3", "3"]))
    with pytest.raises(KeyboardInterrupt), joined(truth, {"mine": mine}) as one:  # noqa: PT012
        assert Path(one.data.parts[0].path).exists()
        data, part = pickle.loads(pickle.dumps((one.data, one.data.parts[0])))
        (rows,) = data.read(part)
        said = error_of(label_sets, rows, NUMBERED, truth=one.truth)
        raise KeyboardInterrupt
    assert said.startswith(f"{truth.source}: row 2, instance 'b': class 'cat' is not in")
