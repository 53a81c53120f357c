"""Charts of comparisons: what is drawn is what was found, and names are written as they are."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, compare, score
from hierpair.comparison import agreement, by_depth
from hierpair.plots import save_picture

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from hierpair.plots import (
    plot_agreement,
    plot_depths,
    plot_intervals,
    plot_ranks,
    plot_significance,
)

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
NAMES = ["plain", "$x_1$ & co", "漢字", "a very long name of a system, far too long for a line"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    truth = rng.choice(list("abcd"), 200).tolist()
    systems = {
        name: [t if rng.random() > 0.1 + 0.2 * k else rng.choice(list("abcd")) for t in truth]
        for k, name in enumerate(NAMES)
    }
    scores = score(TREE, truth, systems, ["hf", "gie", "f(average=micro)"])
    return truth, scores, compare(scores, n_permutations=300, n_bootstrap=200)


def displays(data, axes=(None,) * 5):
    """One display of each kind, on the axes given or in figures of their own."""
    truth, scores, found = data
    ranks, ends, matrix, heat, depths = axes
    return [
        plot_ranks(found, "gie", ax=ranks, title="$5"),
        plot_intervals(found, ax=ends),
        plot_significance(found, "hf", ax=matrix),
        plot_agreement(agreement(scores), ax=heat),
        plot_depths(by_depth(scores, TREE, truth), ax=depths, title="by depth"),
    ]


def same_every_time(data, some, form, folder):
    """Draw and write some displays twice; SVG files also say what they show."""
    for k, (one, other) in enumerate(zip(displays(data), displays(data), strict=True)):
        if k in some:
            for name, display in (("one", one), ("other", other)):
                save_picture(display, folder / f"{name}.{form}", dpi=60)
            written = (folder / f"one.{form}").read_bytes()
            assert (folder / f"other.{form}").read_bytes() == written
            for signature in one.get_label().splitlines() if form == "svg" else ():
                assert signature in written.decode("utf-8").replace("&#39;", "'")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("form", "some"), [("png", [0]), ("pdf", [4]), ("svg", range(5))])
def test_files_are_the_same_every_time(data, form, some, tmp_path):
    same_every_time(data, some, form, tmp_path)


@pytest.mark.exhaustive
def test_axes_that_are_given_are_drawn_on(data):
    figure = Figure(figsize=(8, 24), layout="constrained")
    axes = figure.subplots(5, 1)
    assert displays(data, axes) == list(axes)
    figure.savefig("/dev/null", format="png")


def test_a_bar_for_every_group_and_a_line_for_every_system(data):
    _, _, found = data
    for k, m in enumerate(found.measures):
        axes = plot_ranks(found, m)
        bars = [line for line in axes.lines if line.get_linewidth() > 2]
        assert len(bars) == len(found.groups(m))
        for bar, group in zip(bars, found.groups(m), strict=True):
            up = [found.upwards[found.system_number(name), k] for name in group]
            low, high = sorted(bar.get_xdata())
            inside = (found.upwards[:, k] >= low) & (found.upwards[:, k] <= high)
            assert {found.systems[i] for i in np.flatnonzero(inside)} >= set(group)
            assert low <= min(up)
            assert max(up) <= high
        at = sorted(line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o")
        assert at == pytest.approx(sorted(found.upwards[:, k]))


@pytest.mark.parametrize("name", ["hf", "gie"])
def test_the_better_half_is_named_on_the_right_with_the_best_on_top(name):
    truth, said = ["c"] * 4, {"fair": 1, "bad": 3, "best": 0, "poor": 2}
    systems = {s: ["d"] * wrong + ["c"] * (4 - wrong) for s, wrong in said.items()}
    found = compare(score(TREE, truth, systems, name), n_bootstrap=20)
    texts = plot_ranks(found).texts
    texts = sorted(texts, key=lambda t: t.get_position()[1])  # the axis runs downwards
    sides = {
        side: [s for t in texts if t.get_ha() == side for s in said if s in t.get_text()]
        for side in ("left", "right")  # of the text
    }
    assert sides == {"left": ["best", "fair"], "right": ["bad", "poor"]}


def test_errors_are_labelled_with_their_own_sign(data):
    _, _, found = data
    display = plot_ranks(found, "gie")
    display.figure.canvas.draw()
    shown = [t.get_text() for t in display.get_xticklabels()]
    assert all("-" not in text and "\N{MINUS SIGN}" not in text for text in shown)


def test_intervals_are_those_of_the_comparison(data):
    _, _, found = data
    axes = plot_intervals(found, "f(average='micro')")
    k = found.measure_number("f")
    drawn = sorted(tuple(line.get_xdata()) for line in axes.lines if line.get_marker() == "None")
    assert drawn == sorted(zip(found.low[:, k], found.high[:, k], strict=True))
    labels = [t.get_text() for t in axes.get_yticklabels()]
    best = found.systems[int(np.argmax(found.upwards[:, k]))]
    assert labels[0] == best


def test_cells_say_who_is_better(data):
    _, _, found = data
    image = plot_significance(found, "gie").images[0].get_array()
    k = found.measure_number("gie")
    order = np.argsort(-found.upwards[:, k], kind="stable")
    for row, i in enumerate(order):
        for column, j in enumerate(order):
            expected = 0
            if found.p_adjusted[k, i, j] <= 0.05:
                expected = 1 if found.upwards[i, k] > found.upwards[j, k] else -1
            assert image[row, column] == expected
    assert (np.tril(image) <= 0).all()


def test_undefined_agreement_is_a_dash():
    scores = score(
        TREE, ["c"], {"x": ["c"], "y": ["d"]}, ["hf", "subset_accuracy", "hp(augment=none)"]
    )
    same = score(TREE, ["c", "d"], {"x": ["c", "d"], "y": ["c", "d"]}, ["hf", "gie"])
    assert not np.isnan(agreement(scores).values).any()
    axes = plot_agreement(agreement(same))
    assert [t.get_text() for t in axes.texts] == ["–"] * 4


def test_names_are_never_formulas(data):
    for display in displays(data):
        texts = [*display.texts, *display.get_xticklabels(), *display.get_yticklabels()]
        assert not any(t.get_parse_math() for t in texts if "$" in t.get_text())


def test_unknown_measures_are_refused(data):
    _, _, found = data
    with pytest.raises(BadInput, match="'symmetric_difference' was not compared"):
        plot_ranks(found, "symmetric_difference")


LONG = "contribution_precision(average=weighted, cost=wu_palmer, theta=0.4, zero_division=1, classes=all)"


SHORT = ["x", "y"]
MANY = ["hf", "gie", "symmetric_difference", "hp", "hr", "f", "mgia", "hcm_f", "hf(average=micro)"]


@pytest.mark.parametrize(
    ("measures", "names"),
    [
        (["hf", "gie"], SHORT),
        ([LONG, "hf"], NAMES),
        (MANY, NAMES),
        *(
            pytest.param(*rest, marks=pytest.mark.exhaustive)
            for rest in [
                (["hf", "gie"], NAMES), (["hf", "gie", "symmetric_difference"], SHORT), (["hf", "gie", "symmetric_difference"], NAMES),
                ([LONG, "hf"], SHORT), (MANY, SHORT),
            ]
        ),
    ],
)  # fmt: skip
def test_nothing_is_cut_off(measures, names, tmp_path):
    truth = ["c", "d", "b"] * 5
    systems = {name: (["c", "a", "b"] * 5)[k:] + ["d"] * k for k, name in enumerate(names)}
    scores = score(TREE, truth, systems, measures, keep_classes=True)
    found = compare(scores, n_permutations=50, n_bootstrap=50)
    shown = [
        plot_agreement(agreement(scores)),
        plot_significance(found),
        plot_ranks(found),
        plot_intervals(found),
        plot_depths(by_depth(scores, TREE, truth)),
    ]
    for display in shown:
        figure = display.figure
        save_picture(display, tmp_path / "x.png", dpi=100)  # lays it out
        page = figure.bbox
        for text in (*display.texts, display.xaxis.label, display.yaxis.label):
            box = text.get_window_extent(figure.canvas.get_renderer())
            inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.x1 and box.y1 <= page.y1
            assert inside or not text.get_text() or not text.get_visible(), text
        legend = display.get_legend()
        if legend is not None:
            box = legend.get_window_extent(figure.canvas.get_renderer())
            assert box.x0 >= 0
            assert box.x1 <= page.x1
            assert box.y0 >= 0


def test_every_picture_says_what_its_colours_and_bars_mean():
    truth = ["c", "d", "b"] * 20
    systems = {"good": truth, "fair": [*truth[:-2], "a", "a"], "bad": ["a"] * 60}
    scores = score(TREE, truth, systems, ["hf", "gie"])
    found = compare(scores, n_permutations=500, n_bootstrap=50)
    assert found.significant[0].any()
    assert not found.significant[0].all(axis=None)
    matrix = plot_significance(found)
    image = matrix.images[0]
    words = [text.get_text() for text in matrix.get_legend().get_texts()]
    assert words == [
        "row significantly better", "row significantly worse", "no significant difference"
    ]  # fmt: skip
    for patch, value in zip(matrix.get_legend().get_patches(), (1, -1, 0), strict=True):
        assert patch.get_facecolor() == image.cmap(image.norm(value))
    heat = plot_agreement(agreement(scores))
    for patch, text in zip(
        heat.get_legend().get_patches(), heat.get_legend().get_texts(), strict=True
    ):
        value = float(text.get_text().replace("−", "-"))
        shown = heat.images[0].cmap(heat.images[0].norm(value))
        assert patch.get_facecolor() == pytest.approx(shown, abs=1 / 255)
    ranks = plot_ranks(found).xaxis.label.get_text().replace("\n", " ")
    assert "bars join systems without significant difference (permutation test, holm" in ranks
    ends = plot_intervals(found).xaxis.label.get_text().replace("\n", " ")
    assert "hollow: significantly worse than the best" in ends
