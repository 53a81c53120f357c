"""Charts of results and files of pictures: what is drawn is what was found, whole, and always the same."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, NodeScores, compare, respond, score
from hierpair import plots as module
from hierpair.cli import main
from hierpair.comparison import agreement, by_depth, discrimination
from hierpair.measures.scored.calibration import reliability
from hierpair.plots import (
    plot_agreement,
    plot_clusters,
    plot_curves,
    plot_depths,
    plot_intervals,
    plot_power,
    plot_ranks,
    plot_reliability,
    plot_responses,
    plot_risk,
    plot_significance,
    save_picture,
    saving,
)
from hierpair.plots.saving import MOST, stacked
from hierpair.probabilistic import pooled_curve, precision_recall_curves, selective_curve
from tests.comparison.test_judging_measures import scores as scores_of

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
NAMES = ["plain", "_$x_1$ & co", "漢字", "a very long name of a system, far too long for a line"]
DEEP = Hierarchy.from_nested(
    {"r": {"a": {"b": ["c", "d"], "e": ["f", "g"]}, "z": {"y": ["w", "x"]}}}
)
STEPS = ["up1", "sibling", "unrelated", "add_sibling", "drop"]
FAST = {"splits": 5, "repeats": 1, "n_permutations": 50, "n_bootstrap": 20}
CURVES = precision_recall_curves(
    [["d"], ["c"]],
    NodeScores.from_array([[0.9, 0.8, 0.1, 0.7], [0.9, 0.1, 0.8, 0.1]], TREE, classes=list("abcd")),
)
RISKS = selective_curve(["d", "b"], [[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]], "climb", hierarchy=TREE)


def scored(names, measures):
    rng = np.random.default_rng(1)
    truth = rng.choice(list("abcd"), 200).tolist()
    systems = {
        name: [t if rng.random() > 0.1 + 0.2 * k else rng.choice(list("abcd")) for t in truth]
        for k, name in enumerate(names)
    }
    return truth, score(TREE, truth, systems, measures, keep_classes=True)


class Results:
    """Something to draw for every chart, of these systems and measures."""

    def __init__(self, names=NAMES, measures=("hf", "gie", "f(average=micro)")):
        self.truth, self.scores = scored(names, [*measures])
        self.compared = compare(self.scores, n_permutations=300, n_bootstrap=200)
        self.agreed = agreement(self.scores)
        self.clusters = agreement(scores_of(), of="instances").clusters()
        self.depths = by_depth(self.scores, TREE, self.truth)
        self.power = discrimination(scores_of(4, 60), sizes=[10, 20, 30], planted=[], **FAST)
        labels = [*["c", "d", "f", "g", ["w", "c"]] * 4]
        of = ["hf", "gie", "tree_induced_error"]
        self.responses = respond(DEEP, labels, of, steps=STEPS, n_bootstrap=50)
        rng = np.random.default_rng(1)
        sets = LabelSets.from_labels(rng.choice(list("bcd"), 50).tolist(), TREE)
        given = NodeScores.from_array(rng.random((50, 5)), TREE)
        self.reliability = reliability(sets, given, bins=5)

    def charts(self):
        """Return what draws every chart."""
        return {
            plot_ranks: (self.compared, "gie"),
            plot_intervals: (self.compared,),
            plot_significance: (self.compared, "hf"),
            plot_agreement: (self.agreed,),
            plot_clusters: (self.clusters,),
            plot_depths: (self.depths,),
            plot_power: (self.power,),
            plot_responses: (self.responses,),
            plot_reliability: (self.reliability,),
            plot_curves: (dict.fromkeys(NAMES, CURVES),),
            plot_risk: (dict.fromkeys(NAMES, RISKS),),
        }


@pytest.fixture(scope="module")
def results():
    return Results()


DIAGRAMS = {"plot_pairing", "plot_network", "plot_own_network", "plot_neighbourhood"}


# --- what all charts promise ---------------------------------------------------------------------


def inside(axes, path):
    """Whether all that is written is on the page."""
    save_picture(axes, path, dpi=100)  # lays it out
    figure = axes.figure
    pen = figure.canvas.get_renderer()
    told = [*axes.texts, axes.xaxis.label, axes.yaxis.label, axes.title]
    told = [text for text in told if text.get_text() and text.get_visible()]
    boxes = [one.get_window_extent(pen) for one in (*told, axes.get_legend()) if one]
    return all(
        b.x0 >= 0 <= b.y0 and b.x1 <= figure.bbox.x1 and b.y1 <= figure.bbox.y1 for b in boxes
    )


@pytest.mark.parametrize("plot", [getattr(module, name) for name in module.__all__
                                  if name.startswith("plot_") and name not in DIAGRAMS])  # fmt: skip
def test_a_chart_is_whole_its_file_is_always_the_same_and_says_what_pins_it(
    plot, results, tmp_path
):
    given = results.charts()[plot]
    axes = plot(*given, title="$5")
    assert inside(axes, tmp_path / "one.png")
    assert axes.get_title() == "$5"
    texts = [axes.title, *axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
    texts += axes.get_legend().get_texts() if axes.get_legend() else []
    assert not any(t.get_parse_math() for t in texts if "$" in t.get_text())
    for name in ("a", "b"):
        save_picture(plot(*given), tmp_path / f"{name}.svg")
    written = (tmp_path / "a.svg").read_text("utf-8")
    assert (tmp_path / "b.svg").read_text("utf-8") == written
    pinned = axes.get_label().splitlines()
    assert pinned or plot in (plot_curves, plot_risk)
    assert all(line in written.replace("&#39;", "'") for line in pinned)
    own = Figure(figsize=(3, 3)).add_subplot()
    assert plot(*given, ax=own) is own
    assert len(own.figure.axes) == 1


# --- comparisons ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hf", "gie"])
def test_the_better_half_is_named_on_the_right_with_the_best_on_top(name):
    truth, said = ["c"] * 4, {"fair": 1, "bad": 3, "best": 0, "poor": 2}
    systems = {s: ["d"] * wrong + ["c"] * (4 - wrong) for s, wrong in said.items()}
    axes = plot_ranks(compare(score(TREE, truth, systems, name), n_bootstrap=20))
    texts = sorted(axes.texts, key=lambda t: t.get_position()[1])  # the axis runs downwards
    sides = {
        side: [s for t in texts if t.get_ha() == side for s in said if s in t.get_text()]
        for side in ("left", "right")  # of the text
    }
    assert sides == {"left": ["best", "fair"], "right": ["bad", "poor"]}
    axes.figure.canvas.draw()
    sign = 1 if name == "hf" else -1  # errors are drawn by their own
    for tick, place in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True):
        assert float(tick.get_text().replace("−", "-")) == pytest.approx(sign * place)
    with pytest.raises(BadInput, match="'symmetric_difference' was not compared"):
        plot_ranks(compare(score(TREE, truth, systems, name)), "symmetric_difference")


def test_lines_and_cells_are_those_of_the_comparison(results):
    found = results.compared
    for k, m in enumerate(found.measures):
        up, ranks, intervals = found.upwards[:, k], plot_ranks(found, m), plot_intervals(found, m)
        bars = [line for line in ranks.lines if line.get_linewidth() > 2]
        for bar, group in zip(bars, found.groups(m), strict=True):
            low, high = sorted(bar.get_xdata())
            assert {found.systems[i] for i in np.flatnonzero((up >= low) & (up <= high))} >= set(
                group
            )
        at = sorted(line.get_xdata()[0] for line in ranks.lines if line.get_marker() == "o")
        assert at == pytest.approx(sorted(up))
        order = np.argsort(-up, kind="stable")
        assert words_of(intervals.get_yticklabels())[0] == found.systems[order[0]]
        lines = [tuple(line.get_xdata()) for line in intervals.lines if line.get_marker() == "None"]
        assert sorted(lines) == sorted(zip(found.low[:, k], found.high[:, k], strict=True))
        image = plot_significance(found, m).images[0].get_array()
        for (row, i), (column, j) in product(enumerate(order), repeat=2):
            better = 1 if up[i] > up[j] else -1
            assert image[row, column] == (better if found.p_adjusted[k, i, j] <= 0.05 else 0)
    same = score(TREE, ["c", "d"], {"x": ["c", "d"], "y": ["c", "d"]}, ["hf", "gie"])
    assert words_of(plot_agreement(agreement(same)).texts) == ["–"] * 4


def test_every_picture_says_what_its_colours_and_bars_mean():
    truth = ["c", "d", "b"] * 20
    systems = {"good": truth, "fair": [*truth[:-2], "a", "a"], "bad": ["a"] * 60}
    scores = score(TREE, truth, systems, ["hf", "gie"])
    found = compare(scores, n_permutations=500, n_bootstrap=50)
    words = {"row significantly better": 1, "row significantly worse": -1,
             "no significant difference": 0}  # fmt: skip
    for axes, known in ((plot_significance(found), words), (plot_agreement(agreement(scores)), {})):
        image, legend = axes.images[0], axes.get_legend()
        texts = [text.get_text() for text in legend.get_texts()]
        assert not known or texts == list(known)
        assert image.norm(-1) < image.norm(0) < image.norm(1)
        for patch, text in zip(legend.get_patches(), texts, strict=True):
            value = known[text] if known else float(text.replace("−", "-"))
            assert patch.get_facecolor() == pytest.approx(image.cmap(image.norm(value)), abs=0.004)
    for axes, told in (
        (plot_ranks(found), "bars join systems without significant difference (permutation test, holm"),
        (plot_intervals(found), "hollow: significantly worse than the best"),
    ):  # fmt: skip
        assert told in axes.xaxis.label.get_text().replace("\n", " ")


# --- measures and probabilities ------------------------------------------------------------------


def words_of(labels):
    return [t.get_text() for t in labels]


def test_responses(results):
    response = results.responses
    axes, below = plot_responses(response), plot_responses(response, show="others")
    for k, line in enumerate(axes.get_lines()[:3]):
        np.testing.assert_allclose(line.get_ydata(), [0, *response.units[k, :3]])
    heights = [[bar.get_height() for bar in group] for group in below.containers]
    np.testing.assert_allclose(heights, np.nan_to_num(response.units[:, 3:]))
    middles = [[bar.get_x() + bar.get_width() / 2 for bar in group] for group in below.containers]
    np.testing.assert_allclose(np.mean(middles, axis=0), below.get_xticks(), atol=1e-9)
    assert words_of(below.get_xticklabels()) == ["+ sibling", "left out"]
    assert words_of(below.texts) == ["–"] * 2  # the error that is not defined
    assert words_of(axes.get_legend().get_texts()) == ["hf", "gie", "tree_induced_error"]
    raw = plot_responses(respond(DEEP, ["c", "w"], ["gie"], steps=["up1"], n_bootstrap=9))
    assert raw.get_lines()[0].get_ydata().tolist() == [0.0, 1.0]
    assert raw.get_ylabel() == "cost"
    bars = plot_responses(respond(DEEP, ["c"], ["gie"], steps=["drop"], n_bootstrap=9))
    assert bars.containers[0][0].get_height() == 5


def test_clusters(results):
    clusters = results.clusters
    tree = plot_clusters(clusters)
    assert words_of(tree.get_yticklabels()) == [clusters.measures[k] for k in clusters.order]
    joined = [max(line.get_xdata()) for line in tree.get_lines()]
    np.testing.assert_allclose(joined, clusters.linkage[:, 2])
    ends = {y for line in tree.get_lines() for x, y in zip(*line.get_data(), strict=True) if not x}
    assert set(range(len(clusters.measures))) <= {round(y, 9) for y in ends}
    assert "cophenetic" in " ".join(tree.get_xlabel().split())


def test_power_curves(results):
    power = results.power
    by = {show: plot_power(power, show=show) for show in ("asl", "power", "swap")}
    drawn = {show: [line.get_ydata() for line in axes.get_lines()] for show, axes in by.items()}
    for k in range(len(power.measures)):
        assert drawn["asl"][k].tolist() == sorted(power.p[k])[::-1]
        assert drawn["power"][k].tolist() == power.power_by_n[k].tolist()
        np.testing.assert_allclose(drawn["swap"][k], power.swap_rate[k])
    assert words_of(by["swap"].get_xticklabels()) == ["10", "30"]  # 20 would be too near
    bare = discrimination(scores_of(2, 30), sizes=[], planted=[], **FAST)
    assert plot_power(bare, show="power").get_ylabel() == "p, not adjusted"


def test_lines_and_bars_are_the_bins(results):
    found = results.reliability
    axes = plot_reliability(found)
    _, *lines = axes.lines  # the first one is the diagonal
    heights = np.array([bar.get_height() for bar in axes.patches]).reshape(2, 5)
    for k, (line, n) in enumerate(zip(lines, found.n, strict=True)):
        assert line.get_xdata().tolist() == found.confidence[k][n > 0].tolist()
        assert line.get_ydata().tolist() == found.accuracy[k][n > 0].tolist()
        assert heights[k] == pytest.approx(n / n.sum())
        error = found.error()[k]
        assert line.get_label() == f"level {k + 1}: error {error:.3f}, n = {n.sum()}"


def test_curves_are_drawn_as_means_and_as_points():
    axes = plot_curves({"mine": CURVES, "_theirs": CURVES}, title="Two systems")
    assert words_of(axes.get_legend().get_texts()) == [
        f"{name}  {CURVES.mean_area():.3f}" for name in ("mine", " _theirs")
    ]
    assert axes.get_legend().get_title().get_text() == "mean AUPRC by trapezoid"
    for area, words in (("step", "average precision"), ("envelope", "interpolated")):
        legend = plot_curves(CURVES, area=area).get_legend()
        assert words in legend.get_title().get_text()
        assert words_of(legend.get_texts()) == [f"{CURVES.mean_area(area):.3f}"]
    assert axes.lines[0].get_ydata()[100] == pytest.approx((2 / 3 + 1) / 2)
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 2
    one = plot_curves(CURVES, instance=1).lines[0]
    points = slice(*CURVES.indptr[1:3])
    assert one.get_xdata().tolist() == CURVES.recall[points].tolist()
    assert one.get_ydata().tolist() == CURVES.precision[points].tolist()


def test_a_pooled_curve_has_a_dot_at_its_best_f():
    rng = np.random.default_rng(0)
    scores = NodeScores.from_array(rng.random((30, 4)), TREE, classes=list("abcd"))
    curve = pooled_curve(rng.choice(list("cd"), 30).tolist(), scores)
    line, dot = plot_curves({"mine": curve}).lines
    assert line.get_label() == f"mine  {curve.fmax():.3f} ({curve.threshold[curve.best()]:.3g})"
    best = curve.best()
    assert (*dot.get_xdata(), *dot.get_ydata()) == (curve.recall[best], curve.precision[best])


def test_risk_is_drawn_over_coverage():
    p = [[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]]
    curves = {
        rule: selective_curve(["d", "b"], p, rule, hierarchy=TREE)
        for rule in ("climb", "leaf_or_root")
    }
    axes = plot_risk(curves, risk=0.2, title="Rules")
    assert words_of(axes.get_legend().get_texts()) == [
        f"{name}  {curve.area():.3f}" for name, curve in curves.items()
    ]
    for line, dot, curve in zip(axes.lines[:2], axes.lines[2:], curves.values(), strict=True):
        assert line.get_xdata().tolist() == curve.coverage.tolist()
        assert line.get_ydata().tolist() == curve.risk.tolist()
        at = curve.at_risk(0.2)
        assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (curve.coverage[at], curve.risk[at])
    assert len(plot_risk(curves["climb"]).lines) == 1


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot_risk({}), "must be SelectiveCurve"), (lambda: plot_risk({"a": 3}), "must be SelectiveCurve"),
        (lambda: plot_risk({str(k): RISKS for k in range(9)}), "at most"), (lambda: plot_curves({}), "must be Curves"),
        (lambda: plot_curves({str(k): CURVES for k in range(9)}), "at most"),
        (lambda: plot_curves(CURVES, instance=2), "there is no instance 2"),
    ],
)  # fmt: skip
def test_what_is_no_curve_is_refused(draw, message):
    with pytest.raises(BadInput, match=message):
        draw()


# --- several pictures in one, and files ----------------------------------------------------------

TRUTH = [["c"], ["d"], ["b"], ["c", "b"], ["a"]] * 4
SAID = {
    "good": [["c"], ["d"], ["b"], ["c"], ["a"]] * 4,
    "bad": [["b"], ["c"], ["b"], ["d"], ["a"]] * 4,
}
MEASURES = ["hf", "gie", "lca_f"]
VIEWS = {"ranks": 3, "intervals": 3, "significance": 3, "depth": 3, "agreement": 1}


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Run a command in a folder of files; return the figure that it saves."""
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\tb\na\tc\na\td\n")
    for name, labels in {"truth": TRUTH, **SAID}.items():
        rows = (f"x{i}\t{'|'.join(y)}\n" for i, y in enumerate(labels))
        Path(f"{name}.tsv").write_text("".join(rows))

    def run(verb, *args):
        kept = []
        save = saving.save_picture
        monkeypatch.setattr(
            "hierpair.plots.save_picture", lambda x, *a, **k: (kept.append(x), save(x, *a, **k))
        )
        assert main([verb, "tree.tsv", "truth.tsv", *args]) == 0
        return kept[0].figure

    return run


@pytest.mark.parametrize(
    "view",
    [
        pytest.param(v, marks=[pytest.mark.exhaustive] * (v in ("intervals", "significance")))
        for v in VIEWS
    ],
)
def test_every_measure_is_drawn(view, drawn, capsys):
    named = [x for m in MEASURES for x in ("-m", m)]
    figure = drawn("compare", "good.tsv", "bad.tsv", *named, "--picture", "p.svg", "--view", view,
                   "--permutations", "50", "--bootstrap", "50", "--rename", "good=Ours")  # fmt: skip
    assert len(figure.axes) == VIEWS[view]
    assert f"drew {view} in p.svg" in capsys.readouterr().err
    if VIEWS[view] == 1:
        return
    for name, ax in zip(MEASURES, figure.axes, strict=True):
        assert name in f"{ax.get_xlabel()} {ax.get_ylabel()}"
        words = [t.get_text() for t in [*ax.texts, *ax.get_yticklabels()]]
        words += [t.get_text() for t in ax.get_legend().get_texts()] if ax.get_legend() else []
        assert any("Ours" in word for word in words)
    labels = "\n".join(ax.get_label() for ax in figure.axes).splitlines()
    assert all(any(line.startswith(f"{m}(") for line in labels) for m in MEASURES)
    assert "gie(" in Path("p.svg").read_text("utf-8")


def test_every_explanation_is_drawn(drawn, capsys):
    args = ["bad.tsv", "-i", "x0", "-i", "x1", "--picture", "why.svg"]
    assert len(drawn("explain", *args).axes) == 4
    err = capsys.readouterr().err
    for text in ("instance x0: gie", "instance x0: hf", "instance x1: gie", "instance x1: hf"):
        assert text in err
    assert main(["explain", "tree.tsv", "truth.tsv", *args, "--view", "network"]) == 2
    assert "hf has no pairing to draw" in capsys.readouterr().err


def test_parts_are_as_large_as_alone(tmp_path):
    found = compare(score(TREE, TRUTH, SAID, MEASURES), n_permutations=50, n_bootstrap=50)
    draw = [lambda ax, m=m: plot_ranks(found, m, ax=ax) for m in MEASURES]
    figure = stacked(draw).figure
    for one, ax in zip((one(None) for one in draw), figure.axes, strict=True):
        for axes in (one, ax):
            axes.figure.draw_without_rendering()
        want = one.get_position().size * one.figure.get_size_inches()
        assert ax.get_position().size * figure.get_size_inches() == pytest.approx(want, rel=1e-6)
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    assert all(a.y0 >= b.y1 for a, b in pairwise(boxes))
    assert stacked(draw[:1]).get_label().splitlines()[1].startswith("hf(")
    with pytest.raises(BadInput, match=f"room for {MOST} parts"):
        stacked(draw * 9)


@pytest.mark.parametrize(("ending", "head"), [("svg", b"<?xml"), ("PNG", b"\x89PNG")])
def test_files_are_the_same_every_time(results, tmp_path, ending, head):
    """Of axes, of a figure, and of a part of one."""
    part = Figure(figsize=(6, 3)).subfigures(1, 2)[0]
    axes, in_part = (
        plot_depths(results.depths, title="x"),
        plot_depths(results.depths, ax=part.subplots()),
    )
    written = []
    for k, one in enumerate((axes, axes.figure, in_part, part)):
        path = tmp_path / f"{k}.{ending}"
        save_picture(one, path, dpi=60)
        assert path.stat().st_mode & 0o600 == 0o600
        written.append(path.read_bytes())
    assert written[0] == written[1] != written[2] == written[3]
    assert written[0].startswith(head)
    assert b"Date>" not in written[0]
    assert len([*tmp_path.iterdir()]) == 4


def test_files_are_written_whole_or_not_at_all(results, tmp_path, monkeypatch):
    axes, path = plot_depths(results.depths), tmp_path / "x.png"
    path.write_bytes(b"before")
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_picture(axes, path)
    assert path.read_bytes() == b"before"
    monkeypatch.undo()
    (tmp_path / "folder.png").mkdir()
    for wrong, message in (
        (tmp_path / "x.jpg", r"must end in \.pdf, \.png, \.svg"), ("picture", "must end in"),
        (tmp_path / "nowhere" / "x.png", "cannot be written"), (tmp_path / "folder.png", "cannot be written"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            save_picture(axes, wrong)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.png", "x.png"]
