"""A bar in notebooks for long work: when there is one, what it says, and when there is none."""

import sys
import types
from importlib.machinery import ModuleSpec
from typing import ClassVar

import pytest

from hierpair import BadInput, Hierarchy, score
from hierpair.evaluation import progress

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b")])
TRUTH = ["a", "b"] * 10


class Bar:
    """What tqdm's bars have, and a record of what was done with them."""

    made: ClassVar = []

    def __init__(self, total=None, **how):
        self.total, self.how, self.n, self.steps, self.open = total, how, 0, [], True
        self.title = ""
        Bar.made.append(self)

    def set_description_str(self, text, refresh):
        self.title = text

    def update(self, n):
        self.n += n
        self.steps.append(self.n)

    def close(self):
        self.open = False


@pytest.fixture
def notebook(monkeypatch):
    """A session of IPython with tqdm, in which everything takes long."""
    Bar.made = []
    session = types.SimpleNamespace(get_ipython=object)
    tqdm, auto = types.ModuleType("tqdm"), types.ModuleType("tqdm.auto")
    tqdm.__spec__ = ModuleSpec("tqdm", None)
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "IPython", session)
    monkeypatch.setitem(sys.modules, "tqdm", tqdm)
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    return session


def scored(**how):
    return score(TREE, TRUTH, {"x": TRUTH, "y": TRUTH[::-1]}, ["hf"], chunk=5, **how)


def test_a_bar_per_system_that_is_wiped(notebook):
    scored()
    assert [bar.title for bar in Bar.made] == ["x", "y"]
    for bar in Bar.made:
        assert bar.steps == [0, 5, 10, 15, 20]
        assert bar.total == 20
        assert not bar.open
        assert bar.how["leave"] is False
        assert "desc" not in bar.how  # a widget would take it for HTML


def test_nothing_where_it_is_switched_off(notebook):
    scored(on_progress=False)
    assert Bar.made == []


def test_a_function_gets_it_instead(notebook):
    told = []
    scored(on_progress=lambda *step: told.append(step))
    assert Bar.made == []
    assert told[:2] == [("x", 0, 20), ("x", 5, 20)]


def test_nothing_outside_of_ipython(notebook, monkeypatch):
    monkeypatch.setattr(notebook, "get_ipython", lambda: None)  # imported, but no session
    scored()
    monkeypatch.delitem(sys.modules, "IPython")
    scored()
    assert Bar.made == []


def test_the_bar_is_wiped_when_the_work_fails(notebook):
    with pytest.raises(BadInput, match="is not in the hierarchy"):
        score(TREE, TRUTH, {"x": TRUTH, "y": ["c"] * 20}, ["hf"], chunk=5)
    assert len(Bar.made) == 1
    assert not Bar.made[0].open


@pytest.mark.parametrize("wrong", [True, 0, "bar"])
def test_what_is_no_function_is_refused(wrong):
    with pytest.raises(BadInput, match="on_progress is a function of three arguments"):
        scored(on_progress=wrong)
