"""A bar in notebooks for long work: when there is one, what it says, and when there is none."""

import sys
import types
from importlib.machinery import ModuleSpec
from typing import ClassVar

import pytest

from hierpair import BadInput, Hierarchy, compare, score
from hierpair.evaluation import partial, progress, score_dataset
from hierpair.evaluation.progress import shown_progress
from hierpair.explanation import explain_worst
from hierpair.metrics import h_f1_score

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


def test_nothing_without_tqdm(notebook, monkeypatch):
    monkeypatch.delitem(sys.modules, "tqdm.auto")
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert scored()["x", "hf"] == 1
    assert Bar.made == []


def test_the_real_tqdm_draws_and_wipes(notebook, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "tqdm.auto")
    monkeypatch.delitem(sys.modules, "tqdm")
    pytest.importorskip("tqdm")
    with shown_progress(None, "row") as tell:
        tell("<b>x\u202e", 0, 0)
        tell("<b>x\u202e", 10, 100)
        tell("<b>x\u202e", 30, 90)
    err = capsys.readouterr().err
    assert "<b>x\\u202e:" in err
    assert err.endswith("\r")  # the line is wiped


def test_what_tqdm_says_of_missing_widgets_is_no_news(notebook, monkeypatch, tmp_path):
    (tmp_path / "tqdm").mkdir()
    (tmp_path / "tqdm" / "__init__.py").write_text("")
    (tmp_path / "tqdm" / "auto.py").write_text(
        "import warnings\nwarnings.warn('no widgets')\n"
        "from tests.evaluation.test_progress import Bar as tqdm\n"
    )
    for name in ("tqdm.auto", "tqdm"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    scored()
    assert len(Bar.made) == 2


def test_the_bar_is_wiped_when_the_work_fails(notebook):
    with pytest.raises(BadInput, match="is not in the hierarchy"):
        score(TREE, TRUTH, {"x": TRUTH, "y": ["c"] * 20}, ["hf"], chunk=5)
    assert len(Bar.made) == 1
    assert not Bar.made[0].open


def test_an_estimate_of_the_whole_may_change(notebook):
    with shown_progress(None, "row") as tell:
        for done, whole in ((0, 0), (10, 0), (20, 100), (30, 90)):
            tell("data", done, whole)
    (bar,) = Bar.made
    assert (bar.n, bar.total, bar.how["delay"]) == (30, 90, 0.0)


def test_long_names_are_cut(notebook):
    with shown_progress(None, "row") as tell:
        tell("x" * 10_000, 1, 9)
    assert Bar.made[0].title == "x" * 39 + "…"


def test_others_show_it_too(notebook, tmp_path):
    h_f1_score(TRUTH, TRUTH, TREE)
    partial(TREE, TRUTH, {"z": TRUTH}, ["hf"], chunk=5)
    explain_worst(TREE, TRUTH, TRUTH[::-1], ["hf"], system="worst")
    rows = "".join(f"{i}\t{a}\t{a}\n" for i, a in enumerate(TRUTH))
    (tmp_path / "data.tsv").write_text(f"id\ttruth\ts\n{rows}")
    score_dataset(TREE, tmp_path / "data.tsv", measures=["hf"])
    told = [bar.title for bar in Bar.made]
    assert "y_pred" in told
    assert "z" in told
    assert "worst" in told
    assert any(title.startswith(str(tmp_path)[:30]) for title in told)
    assert not any(bar.open for bar in Bar.made)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_compare_tells_its_steps(notebook, test):
    scores = scored(on_progress=False)
    told = []
    compare(
        scores, test=test, n_bootstrap=50, n_permutations=50, on_progress=lambda *x: told.append(x)
    )
    kinds = {what for what, _, _ in told}
    assert kinds == ({"bootstrap", "exchanges"} if test == "permutation" else {"bootstrap"})
    for what in kinds:
        steps = [(done, whole) for kind, done, whole in told if kind == what]
        assert steps[0][0] == 0
        assert steps[-1][0] == steps[-1][1]
        assert steps == sorted(steps)
    assert Bar.made == []


@pytest.mark.parametrize("wrong", [True, 0, "bar"])
def test_what_is_no_function_is_refused(wrong):
    with pytest.raises(BadInput, match="on_progress is a function of three arguments"):
        scored(on_progress=wrong)
