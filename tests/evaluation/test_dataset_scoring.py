"""Data sets read part by part: the scores and notes of the whole, to the last bit."""

import pickle

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, Infeasible, Partial
from hierpair.evaluation import merge, score_dataset
from hierpair.evaluation.dataset import sides_in
from hierpair.io import write_hierarchy
from hierpair.io.datasets import open_dataset
from hierpair.labels import Columns
from tests import effort
from tests.evaluation.streamed_scores import as_parts, shown, table_of, whole_scores
from tests.strategies import problems

MEASURES = [
    "hf", "gie", "mgia", "hf(average=micro)", "hr(average=macro)", "recall(average=weighted)",
    "level_accuracy", "contribution_f(average=macro, classes=all)", "lca_f", "hcm_f", "depth_loss",
    "tree_induced_error",
]  # fmt: skip
SIZES = (1, 2, 7, 10**6)
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


@pytest.mark.exhaustive
@given(problems(instances=12, single_root=True), st.data())
@settings(
    max_examples=effort.cases(40), deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
def test_scores_and_notes_are_those_of_the_whole(tmp_path_factory, problem, data):
    """Weights, unknown labels, no prediction, no pairing, several systems, any parts and batches."""
    hierarchy, _, truth, guess = problem
    folder = tmp_path_factory.mktemp("d")
    measures = [m for m in MEASURES if m != "hcm_f" or hierarchy.shape == "tree"]
    unknown = data.draw(st.sampled_from(["error", "drop", "root"]))
    strange = ["?"] if unknown != "error" else []
    systems = {
        "one": guess,
        "two": [[*row, *strange] for row in truth[::-1]],
        "three": [data.draw(st.sampled_from([row, []])) for row in truth],
    }
    weights = st.lists(st.floats(0.01, 9), min_size=len(truth), max_size=len(truth))
    weight = data.draw(st.none() | weights)
    lists, ids = data.draw(st.booleans()), data.draw(st.booleans())
    table = table_of(truth, systems, weight, lists=lists, ids=ids)
    how = {"on_infeasible": "nan"}
    expected = whole_scores(
        hierarchy, folder / "whole.parquet", table, systems, measures,
        unknown=unknown, weighted=weight is not None, **how,
    )  # fmt: skip
    cuts = data.draw(st.lists(st.integers(0, len(truth)), max_size=3))
    parts = as_parts(folder / "parts", table, cuts)
    for rows in data.draw(st.lists(st.sampled_from(SIZES), min_size=1, max_size=2, unique=True)):
        opened = open_dataset(parts, rows_per_part=rows, batch_rows=rows)
        found = score_dataset(
            hierarchy, opened, systems=list(systems), measures=measures, unknown=unknown,
            sample_weight=None if weight is None else "w", **how,
        )  # fmt: skip
        assert shown(found) == shown(expected)
        assert found.values.tobytes() == expected.values.tobytes()
        assert found.partial.parts == {part.id for part in opened.parts}


def data_in(folder, n=40, **how):
    """A data set of three files with two systems."""
    names = ["a", "b", "c", "d"]
    truth = [[names[i % 4]] for i in range(n)]
    systems = {"one": [[names[i % 3]] for i in range(n)], "two": [[names[i % 2]] for i in range(n)]}
    return as_parts(folder, table_of(truth, systems, **how), (n // 3, 2 * n // 3)), systems


@pytest.mark.exhaustive
def test_processes_do_not_change_a_bit(tmp_path):
    """Whether the hierarchy is given, or its file."""
    folder, _ = data_in(tmp_path / "d", weight=[i / 7 for i in range(40)])
    (tmp_path / "tree.tsv").write_text(write_hierarchy(TREE, fmt="edges")[0])
    told = []
    one = score_dataset(
        TREE, open_dataset(folder, rows_per_part=5, batch_rows=3), sample_weight="w",
        measures=["hf", "gie", "lca_f"], on_progress=lambda *x: told.append(x),
    )  # fmt: skip
    steps = [done for _, done, _ in told]
    assert steps == sorted(steps)
    assert told[0] == (str(folder), 0, 40)
    assert told[-1] == (str(folder), 40, 40)
    assert len(told) > 13
    for hierarchy in (TREE, tmp_path / "tree.tsv"):
        told.clear()
        two = score_dataset(
            hierarchy, open_dataset(folder, rows_per_part=5), sample_weight="w", n_jobs=2,
            measures=["hf", "gie", "lca_f"], on_progress=lambda *x: told.append(x),
        )  # fmt: skip
        assert shown(two) == shown(one)
        assert told[-1] == (str(folder), 40, 40)


def job_for(data):
    """What is done with a part of a data set."""
    found = []
    score_dataset(
        TREE, data, systems={"x": "one"}, measures="hf",
        engine=lambda do, parts: found.append(do) or map(do, parts),
    )  # fmt: skip
    return found[0]


def test_a_part_done_twice_gives_the_same_bytes(tmp_path):
    """So that a task can be tried again; its partial is refused a second time."""
    folder, _ = data_in(tmp_path / "d")
    data = open_dataset(folder, columns=Columns(ids="id"))
    job = job_for(data)
    again = pickle.loads(pickle.dumps(job))
    bytes_of = [*map(job, enumerate(data.parts))]
    assert bytes_of == [*map(again, enumerate(data.parts))]
    first = Partial.from_bytes(bytes_of[0])
    assert first.parts == {data.parts[0].id}
    assert first.ids == {data.parts[0].id: ("i0", "i9")}
    with pytest.raises(BadInput, match=r"a part is counted once: part-000\.parquet#0-4"):
        merge(first, Partial.from_bytes(bytes_of[0]))


def test_a_job_is_read_once_per_process(tmp_path):
    folder, _ = data_in(tmp_path / "d")
    data = open_dataset(folder, columns=Columns(ids="id"))
    job = job_for(data)
    one, other = (pickle.loads(pickle.dumps(job)) for _ in range(2))
    assert one is other
    assert one.task.hierarchy.fingerprint == TREE.fingerprint


def test_systems_are_the_other_columns(tmp_path):
    data_in(tmp_path / "d", weight=[1] * 40)
    data = open_dataset(tmp_path / "d")
    assert [*sides_in(data, "truth", None, "w")[1]] == ["one", "two"]
    found = score_dataset(TREE, data, systems={"x": "two"}, sample_weight="w", measures="hf")
    assert found.systems == ("x",)
    assert "w" in sides_in(data, "truth", None)[1]
    for asked, said in (
        (
            {"truth": "trut"},
            r"there is no column 'trut'; did you mean 'truth'\?.*name the label column",
        ),
        ({"systems": ["tow"]}, "no column 'tow'; did you mean 'two'"),
        ({"systems": []}, "no system is given"),
        ({"systems": {"y_true": "one"}}, "a system cannot be called y_true"),
        ({"sample_weight": "v"}, r"no column 'v'.*name the weight column"),
        ({"ids": "one"}, "the data set has its ids in 'id'; name another"),
        ({"n_jobs": 0}, "n_jobs must be at least 1"),
        ({"on_infeasible": "x"}, "on_infeasible must be one of"),
    ):
        with pytest.raises(BadInput, match=said):
            score_dataset(TREE, data, **asked)
    pq.write_table(pa.table({"id": ["x"], "truth": ["a"]}), tmp_path / "t.parquet")
    with pytest.raises(BadInput, match="no system is given; the columns are id, truth"):
        score_dataset(TREE, tmp_path / "t.parquet")


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_name_part_row_and_instance(tmp_path, n_jobs):
    names = [["a"]] * 20
    for k, (column, value, said) in enumerate((
        ("truth", ["A"], r"part-002\.parquet: row 3, instance 'i16': class 'A' is not in the hierarchy; did you mean 'a'"),
        ("one", ["?"], r"part-002\.parquet: row 3, instance 'i16': class '\?' is not in"),
        ("w", -1.0, r"part-002\.parquet: row 3: the weight -1\.0 in the column 'w'; weights must"),
        ("w", None, r"part-002\.parquet: row 3: the weight None"),
    )):  # fmt: skip
        columns = {"truth": list(names), "one": list(names), "w": [1.0] * 20}
        columns[column][16] = value
        table = table_of(columns["truth"], {"one": columns["one"]}, columns["w"])
        folder = as_parts(tmp_path / str(k), table, (7, 14))
        with pytest.raises(BadInput, match=said):
            score_dataset(TREE, folder, sample_weight="w", measures="hf", n_jobs=n_jobs)
    truth, guess = list(names), list(names)
    guess[16] = []
    folder = as_parts(tmp_path / "x", table_of(truth, {"one": guess}), (7, 14))
    with pytest.raises(Infeasible, match=r"part-002\.parquet: row 3: instance 'i16': .*system one"):
        score_dataset(TREE, folder, measures="tree_induced_error", n_jobs=n_jobs)
    weightless = as_parts(tmp_path / "w", table_of(names, {"one": names}, [0] * 20), (7,))
    with pytest.raises(BadInput, match="all sample weights are 0"):
        score_dataset(TREE, weightless, sample_weight="w", measures="hf", n_jobs=n_jobs)


def test_a_hint_on_a_system_stands_only_behind_its_errors(tmp_path):
    hints = {"one": " [one was taken for a system]"}
    for ids, truth, one, ending in (
        ([1.5], "a", "b", "got 1.5"), (["x"], "?", "?", "or 'root')"), (["x"], "a", "?", hints["one"]),
    ):  # fmt: skip
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"id": ids, "truth": [truth], "one": [one]}), path)
        with pytest.raises(BadInput) as found:
            score_dataset(TREE, path, measures="hf", hints=hints)
        assert str(found.value).endswith(ending)
