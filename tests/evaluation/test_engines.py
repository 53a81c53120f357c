"""Parts that are done elsewhere: functions as engines, and what does not go together."""

import re
import sys
from pathlib import Path

import pytest

from hierpair import BadInput, Hierarchy
from hierpair.evaluation import Partial, merge, score_dataset
from hierpair.io.datasets import open_dataset
from tests.evaluation.streamed_scores import as_parts, shown, table_of

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])


@pytest.fixture
def data(tmp_path):
    truth, guess = [["a"], ["b"], ["c"], ["c"]], {"s": [["c"], ["b"], ["a"], ["c"]]}
    return open_dataset(as_parts(tmp_path / "d", table_of(truth, guess), (1, 3)))


def backwards(do, parts):
    """One by one, the last one first."""
    yield from map(do, reversed(parts))


def added(do, parts):
    """Added up already."""
    return [merge(*map(Partial.from_bytes, backwards(do, parts))).to_bytes()]


@pytest.mark.parametrize("engine", [backwards, added])
def test_an_engine_of_a_users_own_gives_the_same(data, engine, tmp_path):
    told = []
    expected = score_dataset(TREE, data, measures=["hf", "gie"])
    found = score_dataset(
        TREE, data, measures=["hf", "gie"], engine=engine, values=tmp_path / "v",
        on_progress=lambda name, rows, whole: told.append((rows, whole)),
    )  # fmt: skip
    assert shown(found) == shown(expected)
    assert found.partial.to_bytes() == expected.partial.to_bytes()
    assert [told[0], told[-1]] == [(0, 4), (4, 4)]
    assert len(told) == (4 if engine is backwards else 2)
    assert len([*(tmp_path / "v").iterdir()]) == 3


RECIPES = Path(__file__).parents[2] / "docs" / "howto" / "cluster.md"
LOCAL = {
    "ray": "import ray\nray.init(num_cpus=2, include_dashboard=False)",
    "pyspark": """from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()""",
}
"""What starts each on this machine, as people who have a cluster need not."""


@pytest.mark.parametrize("engine", LOCAL)
def test_the_recipes_of_the_page_give_the_same(engine, data, monkeypatch):
    """They run where the engine is installed; it is no dependency, so elsewhere they do not."""
    pytest.importorskip(engine, reason=f"{engine} is not installed; the recipe for it is not run")
    monkeypatch.setenv("PYTHONPATH", str(RECIPES.parents[2]))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    made = {"score_dataset": lambda *_, **how: how["engine"]}
    [recipe] = [
        code for code in re.findall(r"```py\n(.*?)```", RECIPES.read_text("utf-8"), re.S)
        if f"def on_{engine.removeprefix('py')}" in code
    ]  # fmt: skip
    exec(f"{LOCAL[engine]}\n{recipe}", made)
    try:
        found = score_dataset(
            TREE, data, measures=["hf", "gie"], engine=made[f"on_{engine.removeprefix('py')}"]
        )
    finally:
        exec("ray.shutdown()" if engine == "ray" else "spark.stop()", made)
    assert shown(found) == shown(score_dataset(TREE, data, measures=["hf", "gie"]))


def test_parts_that_an_engine_loses_or_counts_twice_are_told(data):
    some = lambda *job: [*backwards(*job)][:2]  # noqa: E731
    with pytest.raises(BadInput, match=r"there is nothing of the parts part-000\.parquet#0$"):
        score_dataset(TREE, data, measures="hf", engine=some)
    twice = lambda *job: [*backwards(*job)] * 2  # noqa: E731
    with pytest.raises(BadInput, match="a part is counted once"):
        score_dataset(TREE, data, measures="hf", engine=twice)


@pytest.mark.parametrize(("how", "message"), [
    ({"engine": "ray"}, "there is no engine 'ray'; there are dask, and functions"),
    ({"scheduler": "tcp://x:1"}, "scheduler is for engine='dask'"),
    ({"engine": backwards, "n_workers": 2}, "n_workers is for engine='dask'"),
    ({"engine": "dask", "n_jobs": 2}, "n_jobs is for this machine without an engine"),
    ({"engine": "dask", "n_workers": 0}, "n_workers must be a whole number from 1, got 0"),
    ({"engine": "dask", "n_workers": True}, "n_workers must be a whole number from 1, got True"),
    ({"engine": "dask", "n_workers": 1, "scheduler": "x"}, "name one cluster: scheduler, client or"),
])  # fmt: skip
def test_what_does_not_go_together(data, how, message):
    with pytest.raises(BadInput, match=message):
        score_dataset(TREE, data, measures="hf", **how)


def test_without_dask(data, monkeypatch):
    """The error names what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "hierpair.evaluation.cluster", raising=False)
    with pytest.raises(BadInput, match=r"pip install 'hierpair\[distributed\]'"):
        score_dataset(TREE, data, measures="hf", engine="dask")
