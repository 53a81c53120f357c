"""Data sets scored on a cluster: the bits of one process, whatever dies, or one clear error."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hierpair
from hierpair import BadInput, HierpairError, Infeasible, _version
from hierpair.evaluation import cluster, score_dataset
from hierpair.evaluation import dataset as parts
from hierpair.evaluation.cluster import ENVIRONMENT, connected
from hierpair.io import write_hierarchy
from hierpair.io.datasets import open_dataset
from tests.evaluation.test_datasets import NAMES, TREE, as_parts, shown, table_of

dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of processes that were killed
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def test_a_task_that_raised_a_timeout_of_its_own_is_not_waited_for():
    late = SimpleNamespace(status="error", result=Mock(side_effect=TimeoutError("of a measure")))
    with pytest.raises(TimeoutError, match="of a measure"):
        cluster._result(late, "a part")


def set_version(version):
    """Make this process look as if another hierpair was installed."""
    parts.__version__ = _version.__version__ = version


N_PARTS = 40
HOW = {
    "sample_weight": "w", "keep_worst": 3, "blocks": 4,
    "measures": ["hf", "gie", "mgia", "hf(average=micro)", "hf(average=macro)", "lca_f"],
}  # fmt: skip
PLAIN = {"sample_weight": None, "keep_worst": 0, "blocks": 0, "systems": ["one"]}


@pytest.fixture(scope="module")
def client():
    """A cluster of three processes, which the tests use as one that exists.

    They are forked from a process that has imported all, so that one that was killed is soon back.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["distributed", "hierpair", "tests.evaluation.test_dask"])
    forked = {"distributed.worker.multiprocessing-method": "forkserver"}
    utils = distributed.utils  # which would preload what it likes
    preloaded = patch.object(utils, "_forkserver_preload_set", new=True, create=True)
    with preloaded, dask.config.set(forked), connected(3, "dask", 3) as client:
        yield client


@pytest.fixture(autouse=True)
def _all_workers(request):
    """All three are up before a test."""
    if "client" in request.fixturenames:
        request.getfixturevalue("client").wait_for_workers(3, timeout=60)


def data_in(folder):
    n = 5 * N_PARTS
    truth, one, two = ([[NAMES[i % k % 4]] for i in range(n)] for k in (4, 3, 7))
    table = table_of(truth, {"one": one, "two": two}, [1 + i % 5 / 7 for i in range(n)])
    return as_parts(folder, table, range(5, n, 5))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return open_dataset(data_in(tmp_path_factory.mktemp("d") / "parts"))


@pytest.fixture(scope="module")
def expected(data):
    return score_dataset(TREE, data, **HOW)


def same(found, expected):
    assert found.partial.to_bytes() == expected.partial.to_bytes()
    assert shown(found) == shown(expected)


def on(client, data, hierarchy=TREE, **how):
    return score_dataset(hierarchy, data, engine=client, **HOW | how)


def test_the_same_bits_and_progress_in_rows(client, data, expected):
    told = []
    found = on(client, data, on_progress=lambda *what: told.append(what))
    same(found, expected)
    assert told == [(data.source, 5 * k, 5 * N_PARTS) for k in range(N_PARTS + 1)]


def test_a_cluster_that_exists_by_its_address(client, data, expected, tmp_path, monkeypatch):
    """Paths that depend on the folder of this process are found by workers in other folders."""
    client.run(os.chdir, str(tmp_path))
    monkeypatch.chdir(Path(data.source).parent)
    Path("tree.tsv").write_text(write_hierarchy(TREE, "edges")[0])
    opened = open_dataset(Path(data.source).name)
    for values, hierarchy in (("v", TREE), ("w", "tree.tsv")):
        found = score_dataset(hierarchy, opened, **HOW, values=values,
                              engine=client.scheduler.address)  # fmt: skip
        same(found, expected)
        assert len([*Path(values).iterdir()]) == N_PARTS


# ------------------------------------------------------------------------------ what dies


def pids(client):
    """Those of the workers that are up."""
    up = (one for one in client.cluster.workers.values() if one.status.name == "running")
    return {one.worker_address: one.pid for one in up if one.pid}


@pytest.mark.release
@pytest.mark.parametrize("seed", range(7))
def test_workers_killed_at_random(client, data, expected, seed, tmp_path):
    """While parts are reported as done, at a random one; twice all of them, with all that hold the hierarchy.

    Whatever is done again, every file of values is there once, and complete.
    """
    due, killed = random.Random(seed).randrange(2, N_PARTS), []

    def reap(name, rows, whole):
        if rows == 5 * due and not killed:
            there = sorted(pids(client).values())
            killed.extend(there if seed % 5 == 0 else there[:1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    same(on(client, data, on_progress=reap, values=tmp_path / "v"), expected)
    assert killed
    rows = [len(pq.read_table(path)) for path in (tmp_path / "v").iterdir()]
    assert rows == [2 * 5] * N_PARTS


@pytest.mark.parametrize(("which", "says"), [
    (0, r"^.*the cluster is lost \(.*nothing was added up.*$"),
    (1, r"^tcp.*has no worker, and none came within 1 second; start some by dask worker$"),
], ids=["scheduler", "worker"])  # fmt: skip
def test_the_scheduler_dies_or_the_only_worker(data, tmp_path, monkeypatch, which, says):
    """What is done is lost, which is said in one line; nothing is waited for for ever."""
    told = tmp_path / "scheduler.json"
    processes = []

    def start(what, *more):
        line = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(told),
                "--dashboard-address", ":0", *more]  # fmt: skip
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen(line, start_new_session=True, cwd=tmp_path, **quiet))

    def die(name, rows, whole):
        if rows:
            os.killpg(processes[which].pid, signal.SIGKILL)
            monkeypatch.setattr(cluster, "WORKER_SECONDS", 1)

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0")
        start("worker", "--nthreads", "1", "--death-timeout", "60")
        deadline = time.monotonic() + 120
        while not told.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        how = {"engine": json.loads(told.read_text())["address"], "on_progress": die}
        refused = pytest.raises(HierpairError, match=says)
        with dask.config.set({"distributed.comm.timeouts.connect": "5s"}), refused:
            score_dataset(TREE, data, **HOW, **how)
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_workers_of_our_own_and_their_environment(monkeypatch):
    """They are started with what has to be there first, stopped, and nothing is left here."""
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    spawned = dask.config.set({"distributed.worker.multiprocessing-method": "spawn"})
    with spawned, connected(1, "dask", 2) as own:
        [worker] = own.scheduler_info()["workers"]  # no more than there are tasks
        (pid,) = own.run(os.getpid).values()
        told = Path(f"/proc/{pid}/environ").read_text().split("\0")
        for name, value in ENVIRONMENT.items():
            assert own.run(os.environ.get, name) == {worker: str(value)}
            assert f"{name}={value}" in told  # before its first instruction
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# ------------------------------------------------------------------------------ what is wrong


def test_faults_in_the_data_are_those_of_one_process(client, tmp_path):
    """The first of them in the order of the parts, with part, row, instance and label."""
    opened = open_dataset(data_in(tmp_path / "d"))

    def write(k, row, column, value):
        path = tmp_path / "d" / f"part-{k:03}.parquet"
        columns = pq.read_table(path).to_pydict()
        columns[column][row] = value
        pq.write_table(pa.table(columns), path, row_group_size=3)

    def both(kind, says, measure="hf"):
        found = []
        for engine in ({}, {"engine": client}):
            with pytest.raises(kind, match=says) as error:
                score_dataset(TREE, opened, measures=measure, systems=["one"], **engine)
            assert type(error.value) is kind
            found.append(str(error.value))
        assert found[0] == found[1]

    write(37, 3, "one", "frog")
    write(38, 0, "one", "toad")
    both(BadInput, r"part-037\.parquet: row 4, instance 'i188': class 'frog'")
    write(7, 0, "one", "")
    both(Infeasible, r"row 1: instance 'i35'", "tree_induced_error")
    (tmp_path / "d" / "part-036.parquet").unlink()
    both(BadInput, r"part-036\.parquet: there is no such file")


def test_a_worker_with_another_hierpair(client, data):
    address = sorted(pids(client))[1]
    client.run(set_version, "0.0.1", workers=[address])
    try:
        with pytest.raises(BadInput, match=rf"^worker {address}: there is hierpair 0\.0\.1, and"):
            on(client, data, measures=["f"])
    finally:
        client.run(set_version, hierpair.__version__, workers=[address])


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Import a measure of a user's own from a folder that workers do not know."""

    def own(name, body, more=""):
        code = (f'from hierpair import set_measure\n{more}\n@set_measure(formula="p", source="ours", direction="higher", '
                f'range="[0, 1]")\ndef {name}(n_both, n_true):\n    {body}\n')  # fmt: skip
        Path(tmp_path, "only_here.py").write_text("def half(x): return x / 2\n")
        Path(tmp_path, f"{name}_module.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        __import__(f"{name}_module")
        return name

    return own


def test_measures_of_a_users_own(client, data, own):
    """They travel with their code; what they need from elsewhere is missed by name."""
    chosen = [own("halved", "return n_both / n_true / 2"), "hf"]
    plain = score_dataset(TREE, data, measures=chosen, systems=["one"])
    same(on(client, data, measures=chosen, **PLAIN), plain)
    needing = own("needing", "return only_here.half(n_both / n_true)", "import only_here")
    with pytest.raises(BadInput, match=r"^worker tcp.*No module named 'only_here'.*your own"):
        on(client, data, measures=[needing])


def test_a_part_that_kills_its_workers(client, data, own, monkeypatch):
    deadly = own("deadly", "os.kill(os.getpid(), 9)", "import os")
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 1)
    says = r"part-0\d\d\.parquet \(part .*\): the workers .* died, perhaps"
    with pytest.raises(HierpairError, match=says):
        on(client, data, measures=[deadly])


def test_no_scheduler(data, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:9"):
        with pytest.raises(BadInput, match=f"^{address}: no scheduler of Dask answers here"):
            score_dataset(TREE, data, measures="hf", engine=address)
