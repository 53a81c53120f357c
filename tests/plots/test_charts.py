"""Charts of results and files of pictures: what is drawn is what was found, whole, and always the same."""

import zlib
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, NodeScores, compare, plots, respond, score
from hierpair.cli import main
from hierpair.comparison import agreement, by_depth, discrimination
from hierpair.measures.scored.calibration import reliability
from hierpair.plots.charts import Chart
from hierpair.plots.saving import MOST, stacked
from hierpair.probabilistic import pooled_curve, precision_recall_curves, selective_curve
from tests.comparison.test_judging_measures import scores as scores_of

pytest.importorskip("matplotlib")
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
NAMES = ["plain", "_$x_1$ & co", "漢字", "a very long name of a system, far too long for a line"]
NESTED = {"r": {"a": {"b": ["c", "d"], "e": ["f", "g"]}, "z": {"y": ["w", "x"]}}}
DEEP = Hierarchy.from_nested(NESTED)
FAST = {"splits": 5, "repeats": 1, "n_permutations": 50, "n_bootstrap": 20}
CURVES = precision_recall_curves(
    [["d"], ["c"]],
    NodeScores.from_array([[0.9, 0.8, 0.1, 0.7], [0.9, 0.1, 0.8, 0.1]], TREE, classes=list("abcd")),
)
UNSURE = [[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]]
RISKS = selective_curve(["d", "b"], UNSURE, "climb", hierarchy=TREE)
DIAGRAMS = {"plot_pairing", "plot_network", "plot_neighbourhood"}
CHARTS = [x[5:] for x in plots.__all__ if x.startswith("plot_") and x not in DIAGRAMS]


@pytest.fixture(scope="module")
def results():
    """Something to draw for every chart."""
    rng = np.random.default_rng(1)
    truth = rng.choice(list("abcd"), 200).tolist()
    systems = {
        name: [t if rng.random() > 0.1 + 0.2 * k else rng.choice(list("abcd")) for t in truth]
        for k, name in enumerate(NAMES)
    }
    scores = score(TREE, truth, systems, ["hf", "gie", "f(average=micro)"], keep_classes=True)
    sets = LabelSets.from_labels(rng.choice(list("bcd"), 50).tolist(), TREE)
    given = NodeScores.from_array(rng.random((50, 5)), TREE)
    of, steps = ["hf", "gie", "tree_induced_error"], "up1 sibling unrelated add_sibling drop"
    labels = [*["c", "d", "f", "g", ["w", "c"]] * 4]
    compared = compare(scores, n_permutations=300, n_bootstrap=200)
    return {
        **dict.fromkeys(("ranks", "intervals", "significance"), compared),
        "agreement": agreement(scores),
        "clusters": agreement(scores_of(), of="instances").clusters(),
        "depths": by_depth(scores, TREE, truth),
        "power": discrimination(scores_of(4, 60), sizes=[10, 20, 30], planted=[], **FAST),
        "responses": respond(DEEP, labels, of, steps=steps.split(), n_bootstrap=50),
        "reliability": reliability(sets, given, TREE, bins=5),
        "curves": dict.fromkeys(NAMES, CURVES),
        "risk": dict.fromkeys(NAMES, RISKS),
    }


def draw(results, name, **how):
    """Draw a chart; ranks are of an error."""
    return getattr(plots, f"plot_{name}")(results[name], *["gie"] * (name == "ranks"), **how)


def words_of(labels):
    return [t.get_text() for t in labels]


def inside(axes, path):
    """Whether all that is written is on the page."""
    plots.save_picture(axes, path, dpi=100)  # lays it out
    page, pen = axes.figure.bbox, axes.figure.canvas.get_renderer()
    told = [*axes.texts, axes.xaxis.label, axes.yaxis.label, axes.title]
    told = [text for text in told if text.get_text() and text.get_visible()]
    boxes = [one.get_window_extent(pen) for one in (*told, axes.get_legend()) if one]
    return all(b.x0 >= 0 <= b.y0 and b.x1 <= page.x1 and b.y1 <= page.y1 for b in boxes)


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_whole_always_the_same_and_says_what_pins_it(name, results, tmp_path):
    axes = draw(results, name, title="$5")
    assert inside(axes, tmp_path / "one.png")
    assert axes.get_title() == "$5"
    texts = [axes.title, *axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
    texts += axes.get_legend().get_texts() if axes.get_legend() else []
    assert not any(t.get_parse_math() for t in texts if "$" in t.get_text())
    for file in ("a", "b"):
        plots.save_picture(draw(results, name), tmp_path / f"{file}.svg")
    written = (tmp_path / "a.svg").read_text("utf-8")
    assert (tmp_path / "b.svg").read_text("utf-8") == written
    pinned = axes.get_label().splitlines()
    assert pinned or name in ("curves", "risk")
    assert all(line in written.replace("&#39;", "'") for line in pinned)
    own = Figure(figsize=(3, 3)).add_subplot()
    assert draw(results, name, ax=own) is own
    assert len(own.figure.axes) == 1


ASKED = """text position ha va rotation fontsize style weight data color facecolor edgecolor linewidth linestyle
    marker markersize hatch xy width height segments array offsets alpha zorder""".split()  # noqa: SIM905


def plain(x):
    """A property of an artist: words as they are, numbers to three decimals."""
    if x is None or isinstance(x, str):
        return x
    if isinstance(x, (list, tuple)):
        return [*map(plain, x)]
    return (np.round(np.ma.filled(np.ma.asarray(x, float), -99), 3) + 0.0).tolist()  # no -0.0


def drawn_on(axes):
    """Say of everything that the axes show what it looks like, and where it is in their units."""
    axes.figure.draw_without_rendering()
    inches = axes.figure.get_size_inches() * axes.get_position().size
    yield (
        plain([72 * inches, axes.get_xlim(), axes.get_ylim()]),
        axes.get_xscale(),
        axes.get_anchor(),
    )
    for part in axes.findobj():
        shown = part.get_visible() and getattr(part, "get_text", lambda: "one without words")()
        if shown and isinstance(part, (Line2D, Text, Patch, Collection, AxesImage)):
            by_font = part in (axes.xaxis.label, axes.yaxis.label, axes.title)  # beside the ticks
            known = [(name, getattr(part, f"get_{name}", None)) for name in ASKED[2 * by_font :]]
            yield type(part).__name__, [(name, plain(get())) for name, get in known if get]


def sign(parts):
    """A short sign of a long list, and the list, for who wants to know what has changed."""
    told = "\n".join(map(str, parts))
    return f"{zlib.crc32(told.encode()):08x}", told


@pytest.mark.parametrize(("name", "how", "wanted"), [
    ("ranks", {}, "5cd174b7"), ("intervals", {}, "65058b0a"), ("significance", {}, "0db138e6"),
    ("agreement", {}, "41cf7ab8"), ("clusters", {}, "a45953f9"), ("depths", {}, "8bac2e56"),
    ("power", {}, "eb7b1d3d"), ("power", {"show": "power"}, "97fb6dee"), ("power", {"show": "swap"}, "18867c9f"),
    ("responses", {}, "d5b526f0"), ("responses", {"show": "others"}, "601259f0"), ("reliability", {}, "04e6b434"),
    ("curves", {}, "26c3a606"),
    ("risk", {"risk": 0.4, "title": "x"}, "46034638"),
])  # fmt: skip
def test_charts_are_those_that_were_looked_at(name, how, wanted, results):
    """Whoever changes one on purpose looks at it and writes the new sign down."""
    found, told = sign(drawn_on(draw(results, name, **how)))
    assert found == wanted, told


@pytest.mark.parametrize("name", ["hf", "gie"])
def test_the_better_half_is_named_on_the_right_with_the_best_on_top(name):
    truth, said = ["c"] * 4, {"fair": 1, "bad": 3, "best": 0, "poor": 2}
    systems = {s: ["d"] * wrong + ["c"] * (4 - wrong) for s, wrong in said.items()}
    axes = plots.plot_ranks(compare(score(TREE, truth, systems, name), n_bootstrap=20))
    texts = sorted(axes.texts, key=lambda t: t.get_position()[1])  # the axis runs downwards
    named = [(t.get_ha(), s) for t in texts for s in said if s in t.get_text()]
    assert [s for side, s in named if side == "left"] == ["best", "fair"]  # where the text begins
    assert [s for side, s in named if side == "right"] == ["bad", "poor"]
    axes.figure.canvas.draw()
    sign = 1 if name == "hf" else -1  # errors are drawn by their own
    for tick, place in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True):
        assert float(tick.get_text().replace("−", "-")) == pytest.approx(sign * place)
    with pytest.raises(BadInput, match="'symmetric_difference' was not compared"):
        plots.plot_ranks(compare(score(TREE, truth, systems, name)), "symmetric_difference")


def test_lines_and_cells_are_those_of_the_comparison(results):
    found = results["ranks"]
    for k, m in enumerate(found.measures):
        up = found.upwards[:, k]
        ranks, intervals = plots.plot_ranks(found, m), plots.plot_intervals(found, m)
        bars = [line for line in ranks.lines if line.get_linewidth() > 2]
        assert ("bars join systems" in " ".join(ranks.get_xlabel().split())) == bool(bars)
        for bar, group in zip(bars, found.groups(m), strict=True):
            low, high = sorted(bar.get_xdata())
            of = {s for s, x in zip(found.systems, up, strict=True) if low <= x <= high}
            assert of >= {*group}
        at = sorted(line.get_xdata()[0] for line in ranks.lines if line.get_marker() == "o")
        assert at == pytest.approx(sorted(up))
        order = np.argsort(-up, kind="stable")
        assert words_of(intervals.get_yticklabels())[0] == found.systems[order[0]]
        lines = [tuple(line.get_xdata()) for line in intervals.lines if line.get_marker() == "None"]
        assert sorted(lines) == sorted(zip(found.low[:, k], found.high[:, k], strict=True))
        image = plots.plot_significance(found, m).images[0].get_array()
        for (row, i), (column, j) in product(enumerate(order), repeat=2):
            better = 1 if up[i] > up[j] else -1
            assert image[row, column] == (better if found.p_adjusted[k, i, j] <= 0.05 else 0)
    same = score(TREE, ["c", "d"], {"x": ["c", "d"], "y": ["c", "d"]}, ["hf", "gie"])
    assert words_of(plots.plot_agreement(agreement(same)).texts) == ["–"] * 4


def test_every_picture_says_what_its_colours_and_bars_mean():
    truth = ["c", "d", "b"] * 20
    systems = {"good": truth, "fair": [*truth[:-2], "a", "a"], "bad": ["a"] * 60}
    scores = score(TREE, truth, systems, ["hf", "gie"])
    found = compare(scores, n_permutations=500, n_bootstrap=50)
    words = ["row significantly better", "row significantly worse", "no significant difference"]
    signs = dict(zip(words, (1, -1, 0), strict=True))
    shades = {f"{x:g}".replace("-", "−"): x for x in (1, 0.5, 0, -0.5, -1)}
    of_both = plots.plot_significance(found), plots.plot_agreement(agreement(scores))
    for axes, known in zip(of_both, (signs, shades), strict=True):
        image, legend = axes.images[0], axes.get_legend()
        assert words_of(legend.get_texts()) == [*known]
        assert image.norm(-1) < image.norm(0) < image.norm(1)
        for patch, value in zip(legend.get_patches(), known.values(), strict=True):
            assert patch.get_facecolor() == pytest.approx(image.cmap(image.norm(value)), abs=0.004)


NUMBERS = [
    ("depths", {}, lambda found: found.values.T), ("power", {}, lambda found: np.sort(found.p)[:, ::-1]),
    ("power", {"show": "power"}, lambda found: found.power_by_n),
    ("power", {"show": "swap"}, lambda found: found.swap_rate),
    ("responses", {}, lambda found: [[0, *row] for row in found.numbers["in_units"][:, :3]]),
    ("responses", {"show": "others"}, lambda found: found.numbers["in_units"][:, 3:-1]),
    ("reliability", {}, lambda found: [[0, 1], *(y[n > 0] for y, n in zip(found.accuracy, found.n, strict=True))]),
    ("curves", {}, lambda found: [each.mean_precision(np.linspace(0, 1, 101)) for each in found.values()]),
    ("risk", {}, lambda found: [each.risk for each in found.values()]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "how", "numbers"), NUMBERS)
def test_lines_are_the_numbers_of_the_result(name, how, numbers, results):
    wanted = numbers(results[name])
    lines = draw(results, name, **how).lines[: len(wanted)]
    for line, heights in zip(lines, wanted, strict=True):
        np.testing.assert_allclose(line.get_ydata(), heights)


def test_bars_are_the_numbers_of_the_result(results):
    n, bars = results["reliability"].n, draw(results, "reliability").patches
    shares = n / n.sum(axis=1, keepdims=True)
    assert [bar.get_height() for bar in bars] == pytest.approx(shares.ravel())


def test_what_has_no_units_or_sizes_is_drawn_without():
    raw = plots.plot_responses(respond(DEEP, ["c", "w"], ["gie"], steps=["up1"], n_bootstrap=9))
    assert (raw.lines[0].get_ydata().tolist(), raw.get_ylabel()) == ([0.0, 1.0], "cost")
    raw = plots.plot_responses(respond(DEEP, ["c"], ["gie"], steps=["drop"], n_bootstrap=9))
    assert raw.lines[0].get_ydata().tolist() == [5.0]
    bare = discrimination(scores_of(2, 30), sizes=[], planted=[], **FAST)
    assert plots.plot_power(bare, show="power").get_ylabel() == "p, not adjusted"
    for plot in (plots.plot_power, plots.plot_responses):
        with pytest.raises(BadInput, match="show must be one of"):
            plot(bare, show="ASL")


def test_clusters(results):
    clusters, tree = results["clusters"], draw(results, "clusters")
    assert words_of(tree.get_yticklabels()) == [clusters.measures[k] for k in clusters.order]
    joined = [max(line.get_xdata()) for line in tree.get_lines()]
    np.testing.assert_allclose(joined, clusters.linkage[:, 2])
    ends = {y for line in tree.get_lines() for x, y in zip(*line.get_data(), strict=True) if not x}
    assert set(range(len(clusters.measures))) <= {round(y, 9) for y in ends}
    assert "cophenetic" in " ".join(tree.get_xlabel().split())


def test_many_names_stand_in_columns():
    for n, columns in ((20, 1), (21, 2), (41, 3)):
        chart = Chart(None, (200.0, 100.0), [f"s{k}" for k in range(n)], None)
        chart.lines([0, 1], [[0, 1]] * n)
        chart.legend()
        assert chart.axes.get_legend()._ncols == columns


def test_a_curve_alone_has_its_area_for_a_name():
    for area, words in (("step", "average precision"), ("envelope", "interpolated")):
        legend = plots.plot_curves(CURVES, area=area).get_legend()
        assert words in legend.get_title().get_text()
        assert words_of(legend.get_texts()) == [f"{CURVES.mean_area(area):.3f}"]
    legend = (alone := plots.plot_risk(RISKS, risk=0.5)).get_legend()
    assert words_of(legend.get_texts()) == [f"{RISKS.area():.3f}"]
    (at, found), at_most = alone.lines[1].get_data(), RISKS.at_risk(0.5)
    assert ([*at], [*found]) == ([RISKS.coverage[at_most]], [RISKS.risk[at_most]])


def test_a_pooled_curve_has_a_dot_at_its_best_f():
    rng = np.random.default_rng(0)
    scores = NodeScores.from_array(rng.random((30, 4)), TREE, classes=list("abcd"))
    curve = pooled_curve(rng.choice(list("cd"), 30).tolist(), scores)
    line, dot = plots.plot_curves({"mine": curve}).lines
    assert line.get_label() == f"mine  {curve.fmax():.3f} ({curve.threshold[curve.best()]:.3g})"
    best = [curve.best()]
    np.testing.assert_array_equal(dot.get_data(), (curve.recall[best], curve.precision[best]))


@pytest.mark.parametrize(("plot", "given", "how", "message"), [
    (plots.plot_risk, {}, {}, "must be SelectiveCurve"), (plots.plot_risk, {"a": 3}, {}, "must be SelectiveCurve"),
    (plots.plot_risk, dict.fromkeys("abcdefghi", RISKS), {}, "at most"), (plots.plot_curves, {}, {}, "must be Curves"),
    (plots.plot_curves, dict.fromkeys("abcdefghi", CURVES), {}, "at most"),
])  # fmt: skip
def test_what_is_no_curve_is_refused(plot, given, how, message):
    with pytest.raises(BadInput, match=message):
        plot(given, **how)


TRUTH = [["c"], ["d"], ["b"], ["c", "b"], ["a"]] * 4
GOOD, BAD = [["c"], ["d"], ["b"], ["c"], ["a"]] * 4, [["b"], ["c"], ["b"], ["d"], ["a"]] * 4
SAID = {"good": GOOD, "bad": BAD}
MEASURES = ["hf", "gie", "lca_f"]
VIEWS = {"ranks": 3, "intervals": 3, "significance": 3, "depth": 3, "agreement": 1}


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Run a command in a folder of files; return the figure that it would save."""
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\tb\na\tc\na\td\n")
    for name, labels in {"truth": TRUTH, **SAID}.items():
        rows = (f"x{i}\t{'|'.join(y)}\n" for i, y in enumerate(labels))
        Path(f"{name}.tsv").write_text("".join(rows))

    def run(verb, *args):
        kept = []
        monkeypatch.setattr(plots, "save_picture", lambda axes, *_, **__: kept.append(axes))
        assert main([verb, "tree.tsv", "truth.tsv", *args]) == 0
        return kept[0].figure

    return run


@pytest.mark.parametrize("view", [
    pytest.param(v, marks=[pytest.mark.exhaustive] * (v in ("intervals", "significance")))
    for v in VIEWS
])  # fmt: skip
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


def test_every_explanation_is_drawn(drawn, capsys):
    figure = drawn("explain", "bad.tsv", "-i", "x0", "-i", "x1", "--picture", "why.svg")
    assert len(figure.axes) == 4
    err = capsys.readouterr().err
    assert all(f"instance {i}: {m}" in err for i in ("x0", "x1") for m in ("gie", "hf"))


def test_parts_are_as_large_as_alone(tmp_path):
    found = compare(score(TREE, TRUTH, SAID, MEASURES), n_permutations=50, n_bootstrap=50)
    draw = [partial(plots.plot_ranks, found, m) for m in MEASURES]
    figure = stacked(draw).figure
    for one, ax in zip((one() for one in draw), figure.axes, strict=True):
        for axes in (one, ax):
            axes.figure.draw_without_rendering()
        mine, want = (x.get_position().size * x.figure.get_size_inches() for x in (ax, one))
        assert mine == pytest.approx(want, rel=1e-6)
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    assert all(a.y0 >= b.y1 for a, b in pairwise(boxes))
    assert stacked(draw[:1]).get_label().splitlines()[1].startswith("hf(")
    with pytest.raises(BadInput, match=f"room for {MOST} parts"):
        stacked(draw * 9)


@pytest.mark.parametrize(("ending", "head"), [("svg", b"<?xml"), ("PNG", b"\x89PNG")])
def test_files_are_the_same_every_time(results, tmp_path, ending, head):
    """Of axes, of a figure, and of a part of one."""
    part = Figure(figsize=(6, 3)).subfigures(1, 2)[0]
    axes, in_part = draw(results, "depths", title="x"), draw(results, "depths", ax=part.subplots())
    paths = [tmp_path / f"{k}.{ending}" for k in range(4)]
    for one, path in zip((axes, axes.figure, in_part, part), paths, strict=True):
        plots.save_picture(one, path, dpi=60)
        assert path.stat().st_mode & 0o600 == 0o600
    written = [path.read_bytes() for path in paths]
    assert written[0] == written[1] != written[2] == written[3]
    assert written[0].startswith(head)
    assert ending == "svg" or int.from_bytes(written[2][16:20], "big") == 6 * 60  # pixels
    assert b"Date>" not in written[0]
    assert sorted(tmp_path.iterdir()) == paths


def test_files_are_written_whole_or_not_at_all(results, tmp_path, monkeypatch):
    axes, path = draw(results, "depths"), tmp_path / "x.png"
    path.write_bytes(b"before")
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        plots.save_picture(axes, path)
    assert path.read_bytes() == b"before"
    monkeypatch.undo()
    (tmp_path / "folder.png").mkdir()
    for wrong in ("x.jpg", "picture", "nowhere/x.png", "folder.png"):
        ends = wrong.endswith("png")
        message = "cannot be written" if ends else r"must end in \.pdf, \.png, \.svg"
        with pytest.raises(BadInput, match=message):
            plots.save_picture(axes, tmp_path / wrong)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.png", "x.png"]
