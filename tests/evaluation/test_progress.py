"""A line of progress for long work: when there is one, what it says, and when there is none."""

import sys
import types

import pytest

from hierpair import BadInput, Hierarchy, score
from hierpair.evaluation import progress

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b")])
TRUTH = ["a", "b"] * 10


@pytest.fixture
def screen(monkeypatch, capsys):
    """What a session of IPython shows, in which everything takes long."""
    session = types.SimpleNamespace(get_ipython=object)
    monkeypatch.setitem(sys.modules, "IPython", session)
    monkeypatch.setattr(progress, "QUIET_SECONDS", -1.0)
    monkeypatch.setattr(progress, "PAUSE_SECONDS", -1.0)
    return lambda: capsys.readouterr().err


def scored(**how):
    return score(TREE, TRUTH, {"x": TRUTH, "y": TRUTH[::-1]}, ["hf"], chunk=5, **how)


def test_a_line_that_is_wiped_in_the_end(screen):
    scored()
    steps = [f"{done} of 20 instances" for done in (0, 5, 10, 15, 20)]
    lines = [f"{name}: {step}" for name in "xy" for step in steps]
    assert screen().split("\r\x1b[K") == ["", *lines, ""]


def test_nothing_where_it_is_switched_off_or_told_to_a_function(screen):
    told = []
    scored(on_progress=False)
    scored(on_progress=lambda *step: told.append(step))
    assert screen() == ""
    assert told[:2] == [("x", 0, 20), ("x", 5, 20)]


def test_nothing_outside_of_ipython(screen, monkeypatch):
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)  # but no session
    scored()
    monkeypatch.delitem(sys.modules, "IPython")
    scored()
    assert screen() == ""


def test_the_line_is_wiped_when_the_work_fails(screen):
    with pytest.raises(BadInput, match="is not in the hierarchy"):
        score(TREE, TRUTH, {"x": TRUTH, "y": ["c"] * 20}, ["hf"], chunk=5)
    assert screen().endswith("\r\x1b[K")
