"""Processes that share memory give what others give, and end as others do."""

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest

from hierpair import Hierarchy, compare, measure, score
from hierpair.errors import BadInput, HierpairError, Infeasible
from hierpair.evaluation import forked, processes
from hierpair.evaluation.forked import can_fork, in_forks

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
LINUX = sys.platform == "linux"
needs_forks = pytest.mark.skipif(not LINUX, reason="processes are forked on Linux only")
MEASURES = ["hf", "gie", "lca_f", "hf(average=macro)", "f(average=micro)", "level_accuracy"]


def labels(seed, n=60):
    rng = np.random.default_rng(seed)
    return [list(rng.choice(list("abcde"), rng.integers(1, 4), replace=False)) for _ in range(n)]


@pytest.mark.parametrize("first_here", [1, 7, 1_000])
@pytest.mark.parametrize("chunk", [None, 5, 30])
def test_scores_do_not_depend_on_the_kind_of_processes(monkeypatch, first_here, chunk):
    monkeypatch.setattr(processes, "FIRST_HERE", first_here)
    found = []
    for n_jobs, forks in ((1, False), (2, False), (2, LINUX), (3, LINUX)):
        monkeypatch.setattr(processes, "can_fork", lambda forks=forks: forks)
        scores = score(
            TREE, labels(0), {"x": labels(1), "y": labels(2)}, MEASURES,
            chunk=chunk, n_jobs=n_jobs, keep_classes=True,
        )  # fmt: skip
        found.append([scores.values.tolist(), scores.per_instance["y"].tolist()])
    assert all(each == found[0] for each in found)


@needs_forks
def test_what_the_first_instances_needed_is_shared(monkeypatch):
    """The closure is made once, before processes are forked."""
    monkeypatch.setattr(processes, "can_fork", lambda: True)
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    seen = []

    def cost(pairs):
        seen.append(("closure", False, None) in pairs.hierarchy.cache)
        return pairs.distance

    score(tree, labels(0), {"x": labels(1)}, ["hf", measure("gie", cost=cost)], chunk=5, n_jobs=2)
    assert ("closure", False, None) in tree.cache
    assert seen  # what processes append, this one does not see: it did the first instances
    assert len(seen) < 12


ALONE = """
import sys
from importlib.util import find_spec
for name in ("joblib", "cloudpickle"):
    sys.modules[name] = None  # as if it were not there
from hierpair import Hierarchy, score
from hierpair.evaluation import partial, processes
from hierpair.evaluation.forked import can_fork
processes.find_spec = lambda name: None if name in ("joblib", "cloudpickle") else find_spec(name)
assert can_fork(), "something has loaded OpenMP or started a thread"
tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
sides = ["a", "b", "c"] * 20, {"x": ["c", "a", "b"] * 20}
names = ["hf", "gie", "lca_f", "f(average=macro)"]
one, two = (score(tree, *sides, names, chunk=7, n_jobs=n) for n in (1, 2))
assert (one.values == two.values).all() and (one.per_instance["x"] == two.per_instance["x"]).all()
one, two = (partial(tree, *sides, names, part="p", chunk=7, n_jobs=n).to_bytes() for n in (1, 2))
assert one == two
"""


@needs_forks
def test_forked_processes_need_no_other_package():
    subprocess.run([sys.executable, "-c", ALONE], check=True)


@needs_forks
def test_processes_that_cannot_be_forked_after_all_name_the_extra(monkeypatch):
    """Something has started a thread between the question and the work."""
    answers = iter([True, False])
    monkeypatch.setattr(processes, "can_fork", lambda: next(answers))
    monkeypatch.setattr(processes, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"needs joblib: pip install 'hierpair\[parallel\]'"):
        score(TREE, labels(0), {"x": labels(1)}, ["hf"], chunk=5, n_jobs=2)


def test_processes_that_are_never_forked_name_the_extra(monkeypatch):
    monkeypatch.setattr(processes, "can_fork", lambda: True)
    monkeypatch.setattr(processes, "find_spec", lambda name: None)
    scores = score(TREE, labels(0), {"x": labels(1), "y": labels(2)}, ["hf"])
    with pytest.raises(BadInput, match="needs joblib"):
        compare(scores, n_jobs=2)


@needs_forks
def test_the_first_error_in_order_is_raised(monkeypatch):
    for forks in (False, True):
        monkeypatch.setattr(processes, "can_fork", lambda forks=forks: forks)
        truth = [["a"]] * 40
        wrong = [["a"]] * 10 + [["a", "b"]] + [["a"]] * 20 + [["c", "b"]] * 9
        with pytest.raises(Infeasible, match=r"^instance 10: "):
            score(TREE, truth, {"x": wrong}, ["tree_induced_error"], chunk=4, n_jobs=2)


@needs_forks
def test_results_come_in_order_and_large():
    found = list(in_forks(lambda k: np.full(100_000, k), range(7), 3))
    assert [int(x[0]) for x in found] == list(range(7))


ARRAYS = {
    "floats": np.linspace(0, 1, 1_001),
    "three bytes": np.array([True, False, True]),
    "none": np.zeros((0, 3)),
    "columns first": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "every other": np.arange(10)[::2],
    "one": np.array(7),
    "texts": np.array(["a", "bcd"]),
    "objects": np.array([{"a": 1}, None], dtype=object),
    "last and empty": np.zeros(0),
}


@needs_forks
@pytest.mark.parametrize("names", [list(ARRAYS), ["none", "last and empty"], ["objects"], []])
def test_arrays_come_as_they_are_and_belong_to_who_reads_them(names):
    sent = {name: ARRAYS[name] for name in names}
    for found in in_forks(lambda k: (sent, "beside them", k), range(4), 2):
        assert list(found[0]) == names
        for name, array in found[0].items():
            assert array.dtype == sent[name].dtype
            assert array.shape == sent[name].shape
            assert array.tolist() == sent[name].tolist()
            assert array.flags.writeable
            array[...] = array
    assert found[1:] == ("beside them", 3)


@needs_forks
def test_errors_of_processes_are_raised_here():
    def task(k):
        if k == 2:
            raise HierpairError("no third part")
        return k

    found = in_forks(task, range(4), 2)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(HierpairError, match="no third part"):
        next(found)


@needs_forks
def test_what_cannot_be_sent_back_is_an_error():
    with pytest.raises(Exception, match=r"(?i)pickle|local object"):  # the words of Python 3.13
        list(in_forks(lambda k: lambda: k, range(2), 2))


@needs_forks
def test_a_process_that_dies_is_told():
    with pytest.raises(BrokenPipeError):
        list(in_forks(lambda k: os._exit(3) if k else k, range(2), 2))


@needs_forks
def test_a_process_that_dies_while_it_sends_is_told(monkeypatch):
    monkeypatch.setattr(forked, "send_handle", lambda *_: os._exit(3))
    with pytest.raises(BrokenPipeError):
        list(in_forks(np.ones, [3, 4], 2))


@needs_forks
def test_arrays_for_which_there_is_no_memory_are_an_error(monkeypatch):
    def none_left(name):
        raise OSError("no memory left")

    monkeypatch.setattr(os, "memfd_create", none_left)
    with pytest.raises(OSError, match="no memory left"):
        list(in_forks(np.ones, [3, 4], 2))
    assert list(in_forks(str, [3, 4], 2)) == ["3", "4"]


@needs_forks
def test_processes_end_when_nobody_reads_on():
    before = set(multiprocessing.active_children())
    found = in_forks(lambda k: np.zeros(1_000_000), range(20), 2)
    next(found)
    found.close()
    assert set(multiprocessing.active_children()) <= before


def test_when_processes_are_not_forked(monkeypatch, tmp_path):
    """With other threads, beside a runtime of OpenMP, in a daemon, and not on Linux."""
    loaded = tmp_path / "maps"
    loaded.write_text("/lib/libm.so.6\n")
    monkeypatch.setattr(forked, "MAPS", loaded)
    monkeypatch.setattr(forked.sys, "platform", "linux")
    monkeypatch.setattr(forked.threading, "active_count", lambda: 1)
    assert can_fork()
    loaded.write_text("/lib/libm.so.6\n/usr/lib/libgomp.so.1\n")
    assert not can_fork()
    loaded.unlink()
    assert not can_fork()
    loaded.write_text("")
    monkeypatch.setattr(forked.threading, "active_count", lambda: 2)
    assert not can_fork()
    monkeypatch.setattr(forked.threading, "active_count", lambda: 1)
    monkeypatch.setitem(forked.multiprocessing.current_process()._config, "daemon", True)
    assert not can_fork()
    monkeypatch.delitem(forked.multiprocessing.current_process()._config, "daemon")
    monkeypatch.setattr(forked.sys, "platform", "darwin")
    assert not can_fork()
