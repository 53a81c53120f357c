"""Data sets read part by part, here or by an engine: the scores and notes of the whole, to the last bit."""

import pickle
import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, Infeasible, Partial, read_labels, score
from hierpair.evaluation import merge, score_dataset
from hierpair.evaluation.dataset import score_sides, sides_in
from hierpair.io import write_hierarchy
from hierpair.io.datasets import open_dataset
from hierpair.labels import Columns
from tests import effort
from tests.paths import ROOT
from tests.strategies import problems

MEASURES = [
    "hf", "gie", "mgia", "hf(average=micro)", "hr(average=macro)", "recall(average=weighted)",
    "level_accuracy", "contribution_f(average=macro, classes=all)", "lca_f", "hcm_f", "depth_loss",
    "tree_induced_error",
]  # fmt: skip
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
NAMES = ["a", "b", "c", "d"]


def table_of(truth, systems, weight=None, *, lists=False, ids=True):
    """A table of label columns: texts with separators, or lists."""
    kind = pa.list_(pa.string()) if lists else pa.string()
    columns = {"id": [f"i{k}" for k in range(len(truth))]} if ids else {}
    for name, rows in {"truth": truth, **systems}.items():
        columns[name] = pa.array([row if lists else "|".join(row) for row in rows], kind)
    if weight is not None:
        columns["w"] = pa.array(weight)
    return pa.table(columns)


def as_parts(folder, table, cuts=(), row_group_size=3):
    """Write the rows between cuts as files of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for k, (a, b) in enumerate(pairwise(sorted({0, len(table), *cuts}))):
        path = folder / f"part-{k:03}.parquet"
        pq.write_table(table.slice(a, b - a), path, row_group_size=row_group_size)
    return folder


def data_in(folder, n=40, weight=None, cuts=(13, 26)):
    """A data set of some files with two systems."""
    truth, one, two = ([[NAMES[i % k % 4]] for i in range(n)] for k in (4, 3, 7))
    return as_parts(folder, table_of(truth, {"one": one, "two": two}, weight), cuts)


def shown(scores):
    """Everything that is shown of scores, and their bits."""
    told = scores.to_json(), scores.to_text(), scores.notes, scores.solver_notes
    return *told, scores.values.tobytes()


FEW = settings(
    max_examples=effort.cases(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
SIZES = st.lists(st.sampled_from((1, 2, 7, 10**6)), min_size=1, max_size=2, unique=True)


@given(problems(instances=12, single_root=True), st.data())
@FEW
def test_scores_and_notes_are_those_of_the_whole(tmp_path_factory, problem, data):
    """Weights, unknown labels, what does not count, no prediction, several systems, any parts."""
    hierarchy, _, truth, guess = problem
    folder, some = tmp_path_factory.mktemp("d"), data.draw
    measures = [m for m in MEASURES if m != "hcm_f" or hierarchy.shape == "tree"]
    unknown = some(st.sampled_from(["error", "drop", "root"]))
    strange = ["?"] if unknown != "error" else []
    systems = {"one": guess, "two": [[*row, *strange] for row in truth[::-1]],
               "three": [some(st.sampled_from([row, []])) for row in truth]}  # fmt: skip
    weights = st.lists(st.floats(0.01, 9), min_size=len(truth), max_size=len(truth))
    weight = some(st.none() | weights)
    classes = st.sampled_from(hierarchy.names)
    count = {"classes": some(st.none() | st.lists(classes, min_size=1, unique=True))}
    known = some(st.none() | st.dictionaries(st.sampled_from(["i0", "i3", "i5"]), classes))
    known = known and {i: [c] for i, c in known.items() if int(i[1:]) < len(truth)}
    if known:
        count |= {"ignore": known, "ignore_ancestors": some(st.booleans())}
    ids = bool(known) or some(st.booleans())
    table = table_of(truth, systems, weight, lists=some(st.booleans()), ids=ids)
    pq.write_table(table, folder / "whole.parquet")
    sides = [read_labels(folder / "whole.parquet", hierarchy, columns=Columns(labels=(name,)), unknown=unknown)
             for name in ("truth", *systems)]  # fmt: skip
    how = {"measures": measures, "on_infeasible": "nan"}
    whole = dict(zip(systems, sides[1:], strict=True))
    expected = score(hierarchy, sides[0], whole, sample_weight=weight, **how, **count)
    expected = replace(expected, scored=None)  # of labels it is told how many do not count
    how |= count | {"systems": list(systems), "unknown": unknown, "sample_weight": weight and "w"}
    cuts = some(st.lists(st.integers(0, len(truth)), max_size=3))
    parts = as_parts(folder / "parts", table, cuts)
    for rows in some(SIZES):
        opened = open_dataset(parts, rows_per_part=rows, batch_rows=rows)
        found = score_dataset(hierarchy, opened, **how)
        assert shown(found) == shown(expected)
        assert found.partial.parts == {part.id for part in opened.parts}


@pytest.mark.exhaustive
def test_processes_do_not_change_a_bit(tmp_path):
    """Whether the hierarchy is given, or its file."""
    folder = data_in(tmp_path / "d", weight=[i / 7 for i in range(40)])
    path, found = tmp_path / "tree.tsv", []
    path.write_text(write_hierarchy(TREE, fmt="edges")[0])
    how = {"sample_weight": "w", "measures": ["hf", "gie", "lca_f"]}
    for hierarchy, n_jobs in ((TREE, 1), (TREE, 2), (path, 2)):
        told, opened = [], open_dataset(folder, rows_per_part=5, batch_rows=3)
        scores = score_dataset(hierarchy, opened, n_jobs=n_jobs, **how,
                               on_progress=lambda *x, told=told: told.append(x))  # fmt: skip
        found.append(shown(scores))
        assert told == sorted(told)
        assert (told[0], told[-1]) == ((str(folder), 0, 40), (str(folder), 40, 40))
        assert n_jobs > 1 or len(told) > 13
    assert found[0] == found[1] == found[2]


def test_a_part_done_twice_gives_the_same_bytes_and_is_counted_once(tmp_path):
    """So that a task can be tried again; its job is read once per process, and values are replaced."""
    data = open_dataset(data_in(tmp_path / "d"), columns=Columns(ids="id"))
    found = []
    score_dataset(TREE, data, systems={"x": "one"}, measures="hf", values=tmp_path / "v",
                  engine=lambda do, parts: found.append(do) or map(do, parts))  # fmt: skip
    values = pq.read_table(tmp_path / "v")
    again, other = (pickle.loads(pickle.dumps(found[0])) for _ in range(2))
    assert again is other
    assert again.task.hierarchy.fingerprint == TREE.fingerprint
    each = [[*map(do, enumerate(data.parts))] for do in (found[0], again)]
    assert each[0] == each[1]
    assert pq.read_table(tmp_path / "v") == values
    assert len([*(tmp_path / "v").iterdir()]) == 3
    first, at = Partial.from_bytes(each[0][0]), data.parts[0].id
    assert first.parts == {at}
    with pytest.raises(BadInput, match=r"a part is counted once: part-000\.parquet#0-4"):
        merge(first, first)


def test_systems_are_the_other_columns(tmp_path):
    data = open_dataset(data_in(tmp_path / "d", weight=[1] * 40))
    assert [*sides_in(data, "truth", None, "w")[1]] == ["one", "two"]
    assert "w" in sides_in(data, "truth", None)[1]
    found = score_dataset(TREE, data, systems={"x": "two"}, sample_weight="w", measures="hf")
    assert found.systems == ("x",)
    pq.write_table(pa.table({"id": ["x"], "truth": ["a"]}), tmp_path / "t.parquet")
    with pytest.raises(BadInput, match="no system is given; the columns are id, truth"):
        score_dataset(TREE, tmp_path / "t.parquet")
    a_label_each = replace(data, columns=replace(data.columns, long=True))
    with pytest.raises(BadInput, match=r"one label per row \(long\): join it first"):
        score_dataset(TREE, a_label_each, measures="hf")


@pytest.mark.parametrize(("how", "says"), [
    ({"truth": "trut"}, r"there is no column 'trut'; did you mean 'truth'\?.*name the label column"),
    ({"systems": ["tow"]}, "no column 'tow'; did you mean 'two'"), ({"systems": []}, "no system is given"),
    ({"systems": {"y_true": "one"}}, "a system cannot be called y_true"),
    ({"sample_weight": "v"}, r"no column 'v'.*name the weight column"),
    ({"truth": 3}, "truth is the name of a column of the data set, got 3"),
    ({"sample_weight": [1]}, r"sample_weight is the name of a column of the data set, got \[1\]"),
    ({"n_jobs": 0}, "n_jobs must be at least 1"),
    ({"on_infeasible": "x"}, "on_infeasible must be one of"), ({"ignore": [["c"]] * 40}, "matched with a data set by ids"),
    ({"engine": "ray"}, "there is no engine 'ray'; there are dask, addresses, and functions"),
    ({"engine": map, "n_workers": 2}, "n_workers is for engine='dask'"),
    ({"engine": "dask", "n_jobs": 2}, "n_jobs is for this machine without an engine"),
    ({"engine": "dask", "n_workers": 0}, "n_workers must be at least 1, got 0"),
])  # fmt: skip
def test_what_cannot_be_meant(tmp_path, how, says):
    with pytest.raises(BadInput, match=says):
        score_dataset(TREE, open_dataset(data_in(tmp_path / "d")), measures="hf", **how)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(("column", "value", "says"), [
    ("truth", ["A"], r"row 3, instance 'i16': class 'A' is not in the hierarchy; did you mean 'a'"),
    ("one", ["?"], r"row 3, instance 'i16': class '\?' is not in"),
    ("w", -1.0, r"row 3: the weight -1\.0 in the column 'w'; weights must"), ("w", None, r"row 3: the weight None"),
    ("one", [], r"row 3: instance 'i16': .*system one"),
])  # fmt: skip
def test_errors_name_part_row_and_instance(tmp_path, n_jobs, column, value, says):
    columns = {"truth": [["a"]] * 20, "one": [["a"]] * 20, "w": [1.0] * 20}
    columns[column][16] = value
    table = table_of(columns["truth"], {"one": columns["one"]}, columns["w"])
    folder = as_parts(tmp_path / "d", table, (7, 14))
    kind = Infeasible if value == [] else BadInput
    with pytest.raises(kind, match=rf"part-002\.parquet: {says}"):
        score_dataset(TREE, folder, sample_weight="w", measures="tree_induced_error", n_jobs=n_jobs)


def test_weights_that_are_all_0_and_hints_on_systems(tmp_path):
    folder = data_in(tmp_path / "w", weight=[0] * 40)
    with pytest.raises(BadInput, match="all sample weights are 0"):
        score_dataset(TREE, folder, sample_weight="w", measures="hf")
    hints, path = {"one": " [one was taken for a system]"}, tmp_path / "t.parquet"
    for ids, truth, ending in (  # a hint stands behind errors of its system alone
        ([1.5], "a", "got 1.5"), (["x"], "?", "or 'root')"), (["x"], "a", hints["one"]),
    ):  # fmt: skip
        pq.write_table(pa.table({"id": ids, "truth": [truth], "one": ["?"]}), path)
        with pytest.raises(BadInput, match=f"{re.escape(ending)}$"):
            score_dataset(TREE, path, measures="hf", hints=hints)


# ------------------------------------------------------------------ sides, and values of instances


def side(path, ids, labels):
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"id": ids, "label": labels}), path)
    return open_dataset(path)


@pytest.mark.parametrize("guessed", [["y"], ["y", "x"]])
def test_values_replace_nothing_and_do_not_go_where_labels_are_read(tmp_path, guessed):
    """Neither where the numbers of rows differ, nor where the order of the ids does."""
    truth = side(tmp_path / "truth.parquet", ["x", "y"], ["a", "b"])
    folder, other = tmp_path / "mine", tmp_path / "other"
    side(folder / "0.parquet", guessed, ["c"] * len(guessed))
    other.mkdir()
    (other / "part-00000.parquet").write_text("of another run")
    mine, how = {"mine": open_dataset(folder)}, {"measures": "hf"}

    def sides(values):
        return score_sides(TREE, truth, mine, missing="empty", values=values, **how)

    def columns(values):
        how_ = {"truth": "label", "systems": ["label"], "values": values}
        return score_dataset(TREE, folder, **how, **how_)

    read = "this folder is in .*mine, which is read"
    for call in (sides, columns):
        for values, says in (
            (other, "holds part-00000"),
            (folder, read),
            (folder / "values", read),
        ):
            with pytest.raises(BadInput, match=says):
                call(values)
    assert [path.read_text() for path in other.iterdir()] == ["of another run"]
    assert [path.name for path in folder.iterdir()] == ["0.parquet"]
    assert sides(tmp_path / "mine too").n_instances == 2
    assert pq.read_table(tmp_path / "mine too")["instance"].to_pylist() == ["x", "y"]
    bare, none = tmp_path / "bare.parquet", tmp_path / "none.csv"
    pq.write_table(pa.table({"truth": ["a", "b"], "one": ["b", "b"]}), bare)
    score_dataset(TREE, bare, **how, values=tmp_path / "places")
    rows = pq.read_table(tmp_path / "places")["instance"].to_pylist()
    assert rows == [f"{bare}: row 1", f"{bare}: row 2"]
    none.write_text("truth,one\n")
    with pytest.raises(BadInput, match=r"none.csv: there are no instances"):
        score_dataset(TREE, none, **how)


# ------------------------------------------------------------------------------ engines


def backwards(do, parts):
    """One by one, the last one first."""
    yield from map(do, reversed(parts))


def added(do, parts):
    """Added up already."""
    return [merge(*map(Partial.from_bytes, backwards(do, parts))).to_bytes()]


@pytest.mark.parametrize("engine", [backwards, added])
def test_an_engine_of_a_users_own_gives_the_same(engine, tmp_path):
    told, data, how = [], open_dataset(data_in(tmp_path / "d")), {"measures": ["hf", "gie"]}
    expected = score_dataset(TREE, data, **how)
    how["on_progress"] = lambda name, rows, whole: told.append((rows, whole))
    found = score_dataset(TREE, data, engine=engine, values=tmp_path / "v", **how)
    assert shown(found) == shown(expected)
    assert found.partial.to_bytes() == expected.partial.to_bytes()
    assert [told[0], told[-1], len(told)] == [(0, 40), (40, 40), 4 if engine is backwards else 2]
    assert len([*(tmp_path / "v").iterdir()]) == 3


@pytest.mark.parametrize(("engine", "says"), [
    (lambda *job: [*backwards(*job)][:2], r"there is nothing of the parts part-000\.parquet#0-4$"),
    (lambda *job: [*backwards(*job)] * 2, "a part is counted once"),
])  # fmt: skip
def test_parts_that_an_engine_loses_or_counts_twice_are_told(tmp_path, engine, says):
    with pytest.raises(BadInput, match=says):
        score_dataset(TREE, data_in(tmp_path / "d"), measures="hf", engine=engine)


def test_without_dask(tmp_path, monkeypatch):
    """The error names what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "hierpair.evaluation.cluster", raising=False)
    with pytest.raises(BadInput, match=r"pip install 'hierpair\[distributed\]'"):
        score_dataset(TREE, data_in(tmp_path / "d"), measures="hf", engine="dask")


LOCAL = {
    "ray": "import ray\nray.init(num_cpus=2, include_dashboard=False)",
    "pyspark": """from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()""",
}
"""What starts each on this machine, as people who have a cluster need not."""


@pytest.mark.parametrize("engine", LOCAL)
def test_the_recipes_of_the_page_give_the_same(engine, tmp_path, monkeypatch):
    """They run where the engine is installed; it is no dependency, so elsewhere they do not."""
    pytest.importorskip(engine, reason=f"{engine} is not installed; the recipe for it is not run")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    data, name = open_dataset(data_in(tmp_path / "d")), f"on_{engine.removeprefix('py')}"
    text = Path(ROOT, "docs", "howto", "cluster.md").read_text("utf-8")
    codes = re.findall(r"```py\n(.*?)```", text, re.S)
    [recipe] = [code for code in codes if f"def {name}" in code]
    made = {"score_dataset": lambda *_, **how: how["engine"]}
    exec(f"{LOCAL[engine]}\n{recipe}", made)
    try:
        found = score_dataset(TREE, data, measures=["hf", "gie"], engine=made[name])
    finally:
        exec("ray.shutdown()" if engine == "ray" else "spark.stop()", made)
    assert shown(found) == shown(score_dataset(TREE, data, measures=["hf", "gie"]))
