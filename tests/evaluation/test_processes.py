"""Processes that share memory give what others give, and end as others do."""

import multiprocessing
import os
import pickle
import sys
from types import ModuleType

import numpy as np
import pytest

from hierpair import Hierarchy, measure, pair_measure, score
from hierpair.errors import BadInput, HierpairError
from hierpair.evaluation import processes
from hierpair.evaluation.processes import can_fork, in_processes
from hierpair.measures import REGISTRY
from hierpair.pairing import Degree, Hops, Rule, Unmatched

TREE = Hierarchy.from_edges(map(tuple, ["ra", "rb", "ac", "ad", "be"]))
LINUX = sys.platform == "linux"
needs_forks = pytest.mark.skipif(not LINUX, reason="processes are forked on Linux only")
MEASURES = ["hf", "gie", "lca_f", "hf(average=macro)", "f(average=micro)", "level_accuracy"]


def labels(seed, n=60):
    rng = np.random.default_rng(seed)
    return [list(rng.choice(list("abcde"), rng.integers(1, 4), replace=False)) for _ in range(n)]


@needs_forks
def test_what_the_first_instances_needed_is_shared(monkeypatch):
    """The closure is made once, before processes are forked."""
    monkeypatch.setattr(processes, "can_fork", lambda: True)
    tree, seen = Hierarchy.from_edges(map(tuple, ["ra", "rb", "ac", "ad", "be"])), []

    def cost(pairs):
        seen.append(("closure", False, None) in pairs.hierarchy.cache)
        return pairs.distance

    score(tree, labels(0), {"x": labels(1)}, ["hf", measure("gie", cost=cost)], chunk=5, n_jobs=2)
    assert ("closure", False, None) in tree.cache
    assert seen  # what processes append, this one does not see: it did the first instances
    assert len(seen) < 12


@pytest.fixture(params=[False, pytest.param(True, marks=needs_forks)], ids=["anew", "forked"])
def kind(request, monkeypatch):
    """How processes are started."""
    monkeypatch.setattr(processes, "can_fork", lambda: request.param)


def third(k):
    if k == 2:
        raise HierpairError("no third part", 7)
    return k


def full(k):
    return np.full(100_000, k)


def test_results_and_errors_come_in_order_and_processes_end(kind):
    """Large results, too; and when nobody reads on."""
    before = set(multiprocessing.active_children())
    assert [int(x[0]) for x in in_processes(full, range(7), 3)] == list(range(7))
    assert list(in_processes(len, [], 2)) == []
    found = in_processes(third, range(4), 2)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(HierpairError, match=r"^instance 7: no third part$"):
        next(found)
    found = in_processes(full, range(20), 2)
    next(found)
    found.close()
    assert set(multiprocessing.active_children()) <= before


def function_of(k):
    return lambda: k


def ends(k):
    return os._exit(3) if k else k


def leaves(k):
    sys.exit(k)


@pytest.mark.parametrize(("function", "error", "says"), [
    (function_of, Exception, "(?i)pickle|local object"),  # the words of Python 3.13
    (ends, HierpairError, "^a process died: .*fewer processes need less memory"),
    (leaves, HierpairError, "or a measure of your own ended it"),
])  # fmt: skip
def test_what_cannot_be_sent_back_and_what_dies_is_told(kind, function, error, says):
    with pytest.raises(error, match=says):
        list(in_processes(function, range(2), 2))


def test_what_cannot_be_sent_is_an_error(monkeypatch):
    """Nothing is sent to forked processes; without cloudpickle fewer things can be."""
    monkeypatch.setattr(processes, "can_fork", lambda: False)
    says = r"cannot be sent to other processes \(.*\(n_jobs=1, --jobs 1\)$"
    with pytest.raises(BadInput, match=says):
        list(in_processes(len, [(x for x in "a"), "b"], 2))
    monkeypatch.setattr(processes, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"pip install 'hierpair\[parallel\]' if"):
        list(in_processes(lambda k: k, [1, 2], 2))


@pytest.mark.parametrize(("maps", "threads", "platform", "may"), [
    ("/lib/libm.so.6", 1, "linux", True), ("/lib/libm.so.6\n/usr/lib/libgomp.so.1", 1, "linux", False),
    (None, 1, "linux", False), ("", 2, "linux", False), ("", 1, "darwin", False),
])  # fmt: skip
def test_when_processes_are_forked(monkeypatch, tmp_path, maps, threads, platform, may):
    """On Linux, without other threads, and beside no runtime of OpenMP."""
    monkeypatch.setattr(processes, "MAPS", tmp_path / "maps")
    if maps is not None:
        (tmp_path / "maps").write_text(maps)
    monkeypatch.setattr(processes.sys, "platform", platform)
    monkeypatch.setattr(processes.threading, "active_count", lambda: threads)
    assert can_fork() == may


def test_a_rule_of_ones_own_travels_with_its_code():
    """Where it is not registered it arrives all the same, whatever kind of process it is."""

    @pair_measure()
    def travelling(default: float = 4):
        "Every class may have one partner."
        sides = ("predicted", "true")
        return Rule(Hops(), tuple(c for s in sides for c in (Degree(s, 1), Unmatched(s, default))))

    sent = processes.packed(measure("travelling(default=3)"))
    del REGISTRY["travelling"]
    assert pickle.loads(sent).options["default"] == 3


def test_a_function_of_a_users_file_travels_with_its_code(monkeypatch):
    own = ModuleType("own")  # which other processes do not find
    exec("def twice(x): return 2 * x", vars(own))
    monkeypatch.setitem(sys.modules, "own", own)
    processes.travels([own.twice])
    sent = processes.packed(own.twice)
    monkeypatch.delitem(sys.modules, "own")
    assert pickle.loads(sent)(4) == 8
