"""Reliability diagrams: what is drawn is what is in the table."""

import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets, NodeScores
from hierpair.measures.scored.calibration import reliability
from hierpair.plots import save_picture

pytest.importorskip("matplotlib")
from hierpair.plots import plot_reliability

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(1)
    truth = LabelSets.from_labels(rng.choice(list("bcd"), 50).tolist(), TREE)
    return reliability(truth, NodeScores.from_array(rng.random((50, 5)), TREE), bins=5)


def test_lines_and_bars_are_the_bins(found):
    shown = plot_reliability(found, title="$5")
    _, *lines = shown.lines  # the first one is the diagonal
    assert len(lines) == 2
    heights = np.array([bar.get_height() for bar in shown.patches]).reshape(2, 5)
    for k, line in enumerate(lines):
        filled = found.n[k] > 0
        assert line.get_xdata().tolist() == found.confidence[k][filled].tolist()
        assert line.get_ydata().tolist() == found.accuracy[k][filled].tolist()
        assert heights[k] == pytest.approx(found.n[k] / found.n[k].sum())
        error, n = found.error()[k], found.n[k].sum()
        assert line.get_label() == f"level {k + 1}: error {error:.3f}, n = {n}"
    assert shown.get_title() == "$5"


def test_the_same_file_every_time_and_it_says_what_it_shows(found, tmp_path):
    for name in ("one", "other"):
        save_picture(plot_reliability(found), tmp_path / f"{name}.svg")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert (tmp_path / "other.svg").read_text(encoding="utf-8") == text
    assert "reliability(bins=5)|hierpair" in text


def test_axes_that_are_given_are_drawn_on(found):
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert plot_reliability(found, ax=axes) is axes
