"""Truth and predictions in data sets of their own."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, Hierarchy
from hierpair.evaluation import score_dataset
from hierpair.evaluation.dataset import score_sides
from hierpair.io.datasets import open_dataset

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])


def side(path, ids, labels):
    pq.write_table(pa.table({"id": ids, "label": labels}), path)
    return open_dataset(path)


@pytest.mark.parametrize("guessed", [["y"], ["y", "x"]])
def test_values_of_another_run_are_never_removed(tmp_path, guessed):
    """Neither where the numbers of rows differ, nor where the order of the ids does."""
    pytest.importorskip("duckdb")
    truth = side(tmp_path / "truth.parquet", ["x", "y"], ["a", "b"])
    mine = side(tmp_path / "mine.parquet", guessed, ["c"] * len(guessed))
    folder = tmp_path / "values"
    folder.mkdir()
    for k in range(2):
        (folder / f"part-{k:05}.parquet").write_text("of another run")
    how = {"measures": "hf", "missing": "empty", "values": folder}
    with pytest.raises(BadInput, match="this folder holds part-00000"):
        score_sides(TREE, truth, {"mine": mine}, **how)
    assert [path.read_text() for path in folder.iterdir()] == ["of another run"] * 2
    how["values"] = tmp_path / "own"
    scores = score_sides(TREE, truth, {"mine": mine}, **how)
    assert scores.n_instances == 2
    assert pq.read_table(how["values"])["instance"].to_pylist() == ["x", "y"]


def test_values_do_not_go_into_a_folder_that_is_read(tmp_path):
    """There the next run would read them as labels."""
    folder = tmp_path / "mine"
    folder.mkdir()
    truth = side(tmp_path / "truth.parquet", ["x", "y"], ["a", "b"])
    side(folder / "0.parquet", ["x", "y"], ["c", "b"])
    for values in (folder / "values", folder):
        with pytest.raises(BadInput, match=r"this folder is in .*mine, which is read"):
            score_sides(TREE, truth, {"mine": open_dataset(folder)}, measures="hf", values=values)
        with pytest.raises(BadInput, match=r"this folder is in .*mine, which is read"):
            score_dataset(TREE, folder, truth="label", systems=["label"], values=values)
    assert [path.name for path in folder.iterdir()] == ["0.parquet"]
    values = tmp_path / "mine too"
    assert (
        score_sides(
            TREE, truth, {"mine": open_dataset(folder)}, measures="hf", values=values
        ).n_instances
        == 2
    )
