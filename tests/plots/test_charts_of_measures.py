"""Charts of responses, clusters and power: what is drawn is what was found."""

import numpy as np
import pytest

from hierpair import Hierarchy, respond
from hierpair.comparison import agreement, discrimination
from hierpair.plots import save_picture
from tests.comparison.test_agreement import scores

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from hierpair.plots import plot_clusters, plot_power, plot_responses

TREE = Hierarchy.from_nested(
    {"r": {"a": {"b": ["c", "d"], "e": ["f", "g"]}, "z": {"y": ["w", "x"]}}}
)
FAST = {"splits": 5, "repeats": 1, "n_permutations": 50, "n_bootstrap": 20}


@pytest.fixture(scope="module")
def response():
    truth = ["c", "d", "f", "g", ["w", "c"]] * 4
    steps = ["up1", "sibling", "unrelated", "add_sibling", "drop"]
    return respond(TREE, truth, ["hf", "gie", "tree_induced_error"], steps=steps, n_bootstrap=50)


@pytest.fixture(scope="module")
def power():
    return discrimination(scores(4, 60), sizes=[10, 20, 30], planted=[], **FAST)


def test_responses(response):
    axes = plot_responses(response, title="$5")
    below = plot_responses(response, show="others")
    for k, line in enumerate(axes.get_lines()[:3]):
        drawn = line.get_ydata()
        assert drawn[0] == 0
        np.testing.assert_allclose(drawn[1:], response.units[k, :3])
    heights = [[bar.get_height() for bar in group] for group in below.containers]
    np.testing.assert_allclose(heights, np.nan_to_num(response.units[:, 3:]))
    assert [t.get_text() for t in below.get_xticklabels()] == ["+ sibling", "left out"]
    assert sum(t.get_text() == "–" for t in below.texts) == 2  # the error that is not defined
    assert axes.get_title() == "$5"
    names = [t.get_text() for t in axes.get_legend().get_texts()]
    assert names == ["hf", "gie", "tree_induced_error"]


def test_responses_without_unit_or_replacement():
    raw = respond(TREE, ["c", "w"], ["gie"], steps=["up1"], n_bootstrap=9)
    axes = plot_responses(raw)
    assert axes.get_lines()[0].get_ydata().tolist() == [0.0, 1.0]
    assert axes.get_ylabel() == "cost"
    bars = plot_responses(respond(TREE, ["c"], ["gie"], steps=["drop"], n_bootstrap=9))
    assert bars.containers[0][0].get_height() == 5


def test_clusters():
    clusters = agreement(scores(), of="instances").clusters()
    display = plot_clusters(clusters)
    tree = display
    n = len(clusters.measures)
    ordered = [clusters.measures[k] for k in clusters.order]
    assert [t.get_text() for t in tree.get_yticklabels()] == ordered
    joined = [max(line.get_xdata()) for line in tree.get_lines()]
    np.testing.assert_allclose(joined, clusters.linkage[:, 2])
    ends = sorted(
        y for line in tree.get_lines() for x, y in zip(*line.get_data(), strict=True) if not x
    )
    assert set(range(n)) <= {round(y, 9) for y in ends}
    alone = plot_clusters(clusters, ax=Figure().add_subplot(), title="t")
    assert len(alone.figure.axes) == 1
    assert "cophenetic" in " ".join(alone.get_xlabel().split())


def test_power_curves(power):
    asl, by_size = (plot_power(power, show=show) for show in ("asl", "power"))
    for k in range(len(power.measures)):
        assert asl.get_lines()[k].get_ydata().tolist() == sorted(power.p[k])[::-1]
        assert by_size.get_lines()[k].get_ydata().tolist() == power.power_by_n[k].tolist()
    swap = plot_power(power, show="swap")
    np.testing.assert_allclose(swap.get_lines()[0].get_ydata(), power.swap_rate[0])
    told = [t.get_text() for t in swap.get_xticklabels()]
    assert told == ["10", "30"]  # 20 would be too near
    bare = discrimination(scores(2, 30), sizes=[], planted=[], **FAST)
    assert plot_power(bare, show="power").get_ylabel() == "p, not adjusted"


@pytest.mark.exhaustive
def test_pictures_say_what_they_show_and_fit_axes_that_are_given(response, power, tmp_path):
    clusters = agreement(scores()).clusters()
    for draw in (
        lambda **how: plot_responses(response, **how),
        lambda **how: plot_clusters(clusters, **how),
        lambda **how: plot_power(power, show="asl", **how),
    ):
        axes = Figure(figsize=(3, 3)).add_subplot()
        display = draw(ax=axes)
        assert display is axes
        save_picture(display, tmp_path / "one.svg")
        text = (tmp_path / "one.svg").read_text("utf-8").replace("&#39;", "'")
        for signature in display.get_label().splitlines():
            assert signature in text


@pytest.mark.exhaustive
def test_the_same_clusters_make_the_same_file(tmp_path):
    clusters = agreement(scores(measures=["hf", "gie"]), n_bootstrap=0).clusters()
    for name in ("one.svg", "other.svg"):
        save_picture(plot_clusters(clusters), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
