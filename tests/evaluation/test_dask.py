"""Data sets scored on a cluster: the bits of one process, whatever dies, or one clear error."""

import json
import logging
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hierpair
from hierpair import BadInput, Hierarchy, HierpairError, Infeasible
from hierpair.evaluation import cluster, score_dataset
from hierpair.evaluation.cluster import ENVIRONMENT, connected
from hierpair.io import write_hierarchy
from hierpair.io.datasets import open_dataset
from tests.evaluation import dask_faults
from tests.evaluation.test_datasets import NAMES, TREE, as_parts, shown, table_of

dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of processes that were killed
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

MEASURES = ["hf", "gie", "mgia", "hf(average=micro)", "hf(average=macro)", "lca_f"]
N_PARTS = 40


@pytest.fixture(scope="module")
def client():
    """A cluster of three processes, which the tests use as one that exists.

    They are forked from a process that has imported all, so that one that was killed is soon back.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["distributed", "hierpair", "tests.evaluation.dask_faults"])
    forked = {"distributed.worker.multiprocessing-method": "forkserver"}
    utils = distributed.utils  # which would preload what it likes
    preloaded = patch.object(utils, "_forkserver_preload_set", new=True, create=True)
    with preloaded, dask.config.set(forked), connected(3, n_workers=3) as client:
        yield client


@pytest.fixture
def threads():
    """A cluster in this process: one worker with four threads."""
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=4, processes=False, dashboard_address=":0",
        silence_logs=logging.CRITICAL + 1,
    )  # fmt: skip
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(autouse=True)
def _workers_as_they_were(request):
    """Faults that a test brought to the workers end with it."""
    yield
    if "client" in request.fixturenames:
        request.getfixturevalue("client").run(dask_faults.restore, on_error="ignore")


def data_in(folder):
    n = 5 * N_PARTS
    truth, one, two = ([[NAMES[i % k % 4]] for i in range(n)] for k in (4, 3, 7))
    table = table_of(truth, {"one": one, "two": two}, [1 + i % 5 / 7 for i in range(n)])
    return as_parts(folder, table, range(5, n, 5))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return open_dataset(data_in(tmp_path_factory.mktemp("d") / "parts"))


HOW = {"sample_weight": "w", "measures": MEASURES}


@pytest.fixture(scope="module")
def expected(data):
    return score_dataset(TREE, data, **HOW, keep_worst=3, blocks=4)


def same(found, expected):
    assert found.values.tobytes() == expected.values.tobytes()
    assert found.partial.to_bytes() == expected.partial.to_bytes()
    assert shown(found) == shown(expected)


def on(client, data, hierarchy=TREE, **how):
    how = {**HOW, "keep_worst": 3, "blocks": 4} | how
    return score_dataset(hierarchy, data, engine="dask", client=client, **how)


def pids(client):
    """Those of the workers that are up."""
    workers = client.cluster.workers.values()
    return {
        one.worker_address: one.pid for one in workers if one.status.name == "running" and one.pid
    }


def kill(some):
    for pid in some:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            assert pid > 0


def test_the_same_bits_and_progress_in_rows(client, data, expected):
    told = []
    found = on(client, data, on_progress=lambda *what: told.append(what))
    same(found, expected)
    assert [rows for _, rows, _ in told] == [5 * k for k in range(N_PARTS + 1)]
    assert {(name, whole) for name, _, whole in told} == {(data.source, 5 * N_PARTS)}


class Reaper:
    """Kills workers while parts are reported as done: at random ones of them, one or all workers."""

    def __init__(self, client, seed):
        self.client, self.rng = client, random.Random(seed)
        self.all_at_once = seed % 5 == 0
        self.due = {self.rng.randrange(2, N_PARTS)}
        self.calls = self.killed = 0

    def __call__(self, name, rows, whole):
        self.calls += 1
        if self.calls in self.due:
            there = sorted(pids(self.client).values())
            some = there if self.all_at_once else there[:1]
            kill(some)
            self.killed += len(some)


@pytest.mark.release
def test_workers_killed_at_random(client, data, expected):
    """Seven runs; in two of them all workers die, and with them all that hold the hierarchy."""
    killed = 0
    for seed in range(7):
        reaper = Reaper(client, seed)
        same(on(client, data, on_progress=reaper), expected)
        killed += reaper.killed
    assert killed >= 7
    client.wait_for_workers(3, timeout=60)


@pytest.mark.release
def test_a_task_done_again_after_its_side_effects(client, data, expected, tmp_path):
    """Its worker dies when the values are written; every file is there once, and complete."""
    client.wait_for_workers(3, timeout=60)
    plain = tmp_path / "plain"
    score_dataset(TREE, data, **HOW, values=plain)
    marker = tmp_path / "marker"
    client.run(dask_faults.die_once, str(marker))
    found = on(client, data, values=tmp_path / "v")
    assert marker.exists()
    same(found, expected)
    client.wait_for_workers(3, timeout=60)
    client.run(dask_faults.do_twice)
    same(on(client, data, values=tmp_path / "w"), expected)
    names = sorted(path.name for path in plain.iterdir())
    assert len(names) == N_PARTS
    for folder in (tmp_path / "v", tmp_path / "w"):
        assert sorted(path.name for path in folder.iterdir()) == names
        for name in names:
            assert pq.read_table(folder / name).equals(pq.read_table(plain / name))


@pytest.mark.parametrize("given", ["object", "path"])
def test_each_worker_loads_the_hierarchy_once(client, data, expected, tmp_path, given):
    client.wait_for_workers(3, timeout=60)
    folder, path = tmp_path / "loads", tmp_path / "tree.tsv"
    folder.mkdir()
    # another one than before, which no worker has
    edges = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", f"only {given}")]
    tree = Hierarchy.from_edges(edges)
    path.write_text(write_hierarchy(tree, "edges")[0])
    client.run(dask_faults.count_loads, str(folder))
    found = on(client, data, tree if given == "object" else path)
    assert found.n_instances == expected.n_instances
    loads = [name.name.split(".")[0] for name in folder.iterdir()]
    assert 1 <= len(loads) == len({*loads}) <= 3
    client.restart()  # with what count_loads has changed


def test_many_threads(threads, data, expected):
    """One process does one part at a time."""
    same(on(threads, data), expected)


def test_a_cluster_that_exists_by_its_address(client, data, expected, tmp_path, monkeypatch):
    """Paths that depend on the folder of this process are found by workers in other folders."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    client.run(os.chdir, str(folder))
    monkeypatch.chdir(Path(data.source).parent)
    Path("tree.tsv").write_text(write_hierarchy(TREE, "edges")[0])
    opened = open_dataset(Path(data.source).name)
    for hierarchy in (TREE, "tree.tsv"):
        found = score_dataset(
            hierarchy, opened, **HOW, keep_worst=3, blocks=4, engine="dask",
            scheduler=client.scheduler.address, values=f"v{hash(hierarchy)}",
        )  # fmt: skip
        same(found, expected)
        assert len([*Path(f"v{hash(hierarchy)}").iterdir()]) == N_PARTS


def test_the_scheduler_dies(data, tmp_path):
    """What is done is lost with it, which is said in one line; nothing is waited for for ever."""
    told = tmp_path / "scheduler.json"
    words = ["--scheduler-file", str(told)]
    processes = []

    def start(what, *more):
        line = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, *more]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen(line, start_new_session=True, cwd=tmp_path, **quiet))

    def die(name, rows, whole):
        if rows:
            processes[0].kill()

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0")
        start("worker", "--nthreads", "1", "--death-timeout", "60", "--dashboard-address", ":0")
        deadline = time.monotonic() + 120
        while not told.exists():
            assert processes[0].poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        address = json.loads(told.read_text())["address"]
        quick = dask.config.set({"distributed.comm.timeouts.connect": "5s"})
        with quick, pytest.raises(HierpairError, match=r"the cluster is lost \(") as error:
            score_dataset(TREE, data, **HOW, engine="dask", scheduler=address, on_progress=die)
        assert "nothing was added up" in str(error.value)
        assert "\n" not in str(error.value)
    finally:
        for process in processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                assert process.poll() is not None
            process.wait()


def test_workers_of_our_own_and_their_environment(data, monkeypatch):
    """They are started with what has to be there first, stopped, and nothing is left here."""
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    spawned = dask.config.set({"distributed.worker.multiprocessing-method": "spawn"})
    with spawned, connected(1, n_workers=2) as own:
        assert len(own.scheduler_info()["workers"]) == 1  # no more than there are tasks
        (pid,) = own.run(os.getpid).values()
        for name, value in ENVIRONMENT.items():
            assert own.run(os.environ.get, name) == dict.fromkeys(
                own.scheduler_info()["workers"], str(value)
            )
            told = Path(f"/proc/{pid}/environ").read_text().split("\0")
            assert f"{name}={value}" in told  # before its first instruction
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_faults_in_the_data_are_those_of_one_process(client, tmp_path):
    """The first of them in the order of the parts, with part, row, instance and label."""
    folder = data_in(tmp_path / "d")
    opened = open_dataset(folder)
    good = {k: (folder / f"part-{k:03}.parquet").read_bytes() for k in (7, 37, 38)}

    def both(kind, **how):
        found = []
        for engine in ({}, {"engine": "dask", "client": client}):
            with pytest.raises(kind) as error:
                score_dataset(TREE, opened, measures=how.get("m", "hf"), systems=["one"], **engine)
            assert type(error.value) is kind
            found.append(str(error.value))
        assert found[0] == found[1]
        for k, content in good.items():
            (folder / f"part-{k:03}.parquet").write_bytes(content)
        return found[0]

    def spoil(k, row, column, value):
        path = folder / f"part-{k:03}.parquet"
        columns = pq.read_table(path).to_pydict()
        columns[column][row] = value
        pq.write_table(pa.table(columns), path, row_group_size=3)

    spoil(37, 3, "one", "frog")
    spoil(38, 0, "one", "toad")
    message = both(BadInput)
    assert "part-037.parquet: row 4, instance 'i188': class 'frog'" in message
    path = folder / "part-037.parquet"
    path.write_bytes(good[37][: len(good[37]) // 2])
    assert str(path) in both(BadInput)
    path.unlink()
    assert f"{path}: there is no such file" in both(BadInput)
    spoil(37, 2, "id", "i35")  # of part 7
    assert "i35" in both(BadInput)
    spoil(7, 0, "one", "")
    assert "row 1: instance 'i35'" in both(Infeasible, m="tree_induced_error")


def test_a_part_twice(client, data):
    twice = replace(data, parts=data.parts + data.parts[7:8])
    with pytest.raises(BadInput, match=r"part-007\.parquet: row 1: instance .* already occurs at"):
        on(client, twice)


def test_a_worker_with_another_hierpair(client, data):
    client.wait_for_workers(3, timeout=60)
    address = sorted(pids(client))[1]
    version = hierpair.__version__
    client.run(dask_faults.set_version, "0.0.1", workers=[address])
    try:
        with pytest.raises(BadInput, match=rf"^worker {address}: there is hierpair 0\.0\.1, and"):
            on(client, data, measures=["f"])
    finally:
        client.run(dask_faults.set_version, version, workers=[address])


def measures_from(folder, monkeypatch, source):
    """Import a module with a measure of a user's own, from a folder that workers do not know."""
    folder.mkdir()
    (folder / "only_here.py").write_text("def half(x): return x / 2\n")
    (folder / f"{folder.name}_measures.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    __import__(f"{folder.name}_measures")


OWN = """
from hierpair import set_measure
{more}
@set_measure(formula="p", source="ours", direction="higher", range="[0, 1]")
def {name}(n_both, n_true):
    {body}
"""


def test_measures_of_a_users_own(client, data, tmp_path, monkeypatch):
    """They travel with their code; what they need from elsewhere is missed by name."""
    own = OWN.format(more="", name="halved", body="return n_both / n_true / 2")
    measures_from(tmp_path / "mine", monkeypatch, own)
    plain = score_dataset(TREE, data, measures=["halved", "hf"], systems=["one"])
    nothing = {"sample_weight": None, "keep_worst": 0, "blocks": 0}
    found = on(client, data, measures=["halved", "hf"], systems=["one"], **nothing)
    same(found, plain)
    needs = OWN.format(
        more="import only_here", name="needing", body="return only_here.half(n_both / n_true)"
    )
    measures_from(tmp_path / "other", monkeypatch, needs)
    with pytest.raises(BadInput, match=r"^worker tcp.*No module named 'only_here'.*your own"):
        on(client, data, measures=["needing"])


def test_a_part_that_kills_its_workers(client, data, tmp_path, monkeypatch):
    deadly = OWN.format(more="import os", name="deadly", body="os.kill(os.getpid(), 9)")
    measures_from(tmp_path / "deadly", monkeypatch, deadly)
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 1)
    with pytest.raises(
        HierpairError, match=r"part-0\d\d\.parquet \(part .*\): the workers .* died, perhaps"
    ):
        on(client, data, measures=["deadly"])
    client.wait_for_workers(3, timeout=60)


def test_no_scheduler_and_no_worker(data, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    monkeypatch.setattr(cluster, "WORKER_SECONDS", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:9"):
        with pytest.raises(BadInput, match=f"^{address}: no scheduler of Dask answers here"):
            score_dataset(TREE, data, measures="hf", engine="dask", scheduler=address)
    none = distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0")
    alone = pytest.raises(HierpairError, match="has no worker, and none came within 1 second")
    with none, distributed.Client(none, set_as_default=False) as client, alone:
        on(client, data)
