"""Pictures: layouts keep their laws, texts keep clear of each other, files are whole."""

import math
import subprocess
import sys
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, explain
from hierpair.explanation import ClassNode, FlowEvidence, FlowRow, Neighbourhood
from hierpair.plots import plot_neighbourhood, plot_pairing, save_picture
from hierpair.plots.layout import layered
from hierpair.plots.letters import Letters, fonts_of_figures, shortened
from hierpair.plots.neighbourhoods import neighbourhood_scene
from hierpair.plots.networks import pairing_scene
from hierpair.plots.routes import Span, place_texts
from hierpair.plots.saving import draw
from hierpair.plots.scene import Line, Scene, svg
from tests import effort

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

slow = settings(
    max_examples=12 if effort.exhaustive else 5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
quick = settings(
    max_examples=effort.cases(60), deadline=None, suppress_health_check=list(HealthCheck)
)

names = st.one_of(
    st.text(max_size=60),
    st.text("abcÄßéµ $_^{}\\%&#漢字🎉\n", max_size=30),
    st.sampled_from(["x", "Literatur & Unterhaltung", "$x_1$", "a_b", "漢字の名前", "🎉", ""]),
    st.integers(0, 30000),
)


@st.composite
def graphs(draw, most=60, parents=3):
    """Longest-path levels and edges of a random DAG, parents before children."""
    n = draw(st.integers(1, most))
    rng = draw(st.randoms(use_true_random=False))
    near = draw(st.sampled_from([3, 10, 60]))
    edges, levels = [], []
    for i in range(n):
        known = range(max(0, i - near), i)
        above = sorted(rng.sample(known, min(len(known), rng.randint(0, parents))))
        edges += [(p, i) for p in above]
        levels.append(1 + max((levels[p] for p in above), default=-1))
    return levels, edges


@st.composite
def neighbourhoods(draw, most=60):
    levels, edges = draw(graphs(most))
    n = len(levels)
    rng = draw(st.randoms(use_true_random=False))
    called = draw(st.lists(names, min_size=n, max_size=n))
    odds = draw(st.sampled_from([0.1, 0.4]))
    nodes = tuple(
        ClassNode(
            name, level, rng.random() < odds, rng.random() < odds, rng.random() < 0.5,
            rng.random() < 0.5, rng.random() < 0.2, rng.choice([0, 0, 3, 120]),
        )
        for name, level in zip(called, levels, strict=True)
    )  # fmt: skip
    pairs = {(rng.randrange(n), rng.randrange(n)) for _ in range(rng.randint(0, 6))}
    return Neighbourhood(nodes, tuple(edges), tuple(sorted(pairs)), rng.choice([0, 1, 7]))


@st.composite
def pairings(draw, most=9):
    m, n = draw(st.integers(0, most)), draw(st.integers(0, most))
    rng = draw(st.randoms(use_true_random=False))
    cost = draw(st.sampled_from([lambda: rng.randint(0, 12), lambda: rng.random() * 100]))
    default = draw(st.sampled_from([lambda: math.inf, lambda: 5.0, cost]))
    called = draw(st.lists(names, min_size=m + n, max_size=m + n))
    rows = [
        FlowRow("predicted" if i < m else "true", (name,), lower=rng.randint(0, 1),
                 upper=rng.choice([1, 3, math.inf]), cost=default(), price=cost() - 5.0,
                 missing=rng.choice([0, 0, 1, 3]))
        for i, name in enumerate(called)
    ]  # fmt: skip
    pairs = [
        FlowRow("pair", (called[i], called[m + j]), lower=rng.random() < 0.05,
               upper=rng.random() < 0.9, units=int(rng.random() < 0.3), cost=float(cost()),
               tail=i, head=m + j)
        for i in range(m) for j in range(n)
    ]  # fmt: skip
    bounds = draw(st.lists(st.just(FlowRow("instance", (), "all pairs", 0, 3)), max_size=2))
    return FlowEvidence(
        tuple(pairs), (*rows, *bounds), 12.0, 12.0, rng.random() < 0.8, rng.choice([0.0, 1e-9])
    )


# --- numbers -----------------------------------------------------------------------------------


@quick
@given(graphs(), st.data())
def test_layers_keep_order_and_separations(graph, data):
    layer, edges = graph
    n = len(layer)
    room = st.lists(st.floats(1, 80), min_size=n, max_size=n)
    before, after = data.draw(room), data.draw(room)
    places, routes = layered(layer, edges, before, after, gap=8)
    boxes = {}
    for i, (k, x) in enumerate(zip(layer, places, strict=True)):
        boxes.setdefault(k, []).append((x - before[i], x + after[i]))
    for row in boxes.values():
        for a, b in pairwise(sorted(row)):
            assert b[0] - a[1] >= 8 - 1e-6
    assert list(routes) == list(dict.fromkeys(edges))
    for (p, c), route in routes.items():
        assert (route[0], route[-1]) == (places[p], places[c])
        assert len(route) == layer[c] - layer[p] + 1
        for k, x in enumerate(route[1:-1], layer[p] + 1):
            assert all(x + 2 <= a - 8 + 1e-6 or x - 2 >= b + 8 - 1e-6 for a, b in boxes.get(k, []))


@quick
@given(graphs(parents=1))
def test_no_edges_of_a_forest_cross(graph):
    layer, edges = graph
    places, _ = layered(layer, edges, [5.0] * len(layer), [5.0] * len(layer))
    for (a, b), (c, d) in combinations(edges, 2):
        if layer[a] == layer[c] and a != c:
            assert (places[a] < places[c]) == (places[b] < places[d])


def test_fewer_edges_cross_and_long_ones_are_straight():
    # A ladder whose given order tangles every rung, and an edge that spans all layers.
    layer = [0, 0, 0, 1, 1, 1, 2]
    x, _ = layered(layer, [(0, 5), (1, 4), (2, 3), (3, 6)], [5.0] * 7, [5.0] * 7)
    assert (x[0] < x[1]) == (x[5] < x[4])
    assert (x[1] < x[2]) == (x[4] < x[3])
    _, routes = layered([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3), (0, 3)], [9.0] * 4, [9.0] * 4)
    lane = routes[0, 3][1:-1]
    assert max(lane) - min(lane) < 2
    assert layered([], [], [], []) == ([], {})
    with pytest.raises(BadInput, match="above its children"):
        layered([0, 0], [(1, 0)], [1.0] * 2, [1.0] * 2)


@quick
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=40))
def test_texts_on_arcs_do_not_touch(ends):
    spans = [Span(20.0 * a, 20.0 * b, 14, c, c) for a, b, c in ends]
    places = place_texts(spans, (50, 200), 8)
    boxes = []
    for span, place in zip(spans, places, strict=True):
        if place is not None:
            x, y = 50 + 150 * place, span.left + place * (span.right - span.left)
            boxes.append((x - 7, y - 4, x + 7, y + 4))
            assert boxes[-1][0] > 50
            assert boxes[-1][2] < 200
    for a, b in combinations(boxes, 2):
        assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
    if len(ends) <= 3:
        assert None not in places


def test_names_are_cut_and_stay_distinct():
    long = ["n" * 60 + "1", "n" * 60 + "2", "m" * 60]
    short = shortened([*long, long[0], ("a", 1), "a\n\tb\x00c", "\ud800", ""])
    assert len(set(short[:3])) == 3
    assert short[0] == short[3]
    assert max(map(len, short)) <= 40
    assert short[4:] == ["('a', 1)", "a b c", "\N{REPLACEMENT CHARACTER}", "(no name)"]
    assert fonts_of_figures().legible("a\U000e0100\U0010fffe") == "a□"


# --- pictures, measured with the renderer --------------------------------------------------------


def measured(axes, dpi):
    """Return every text with its box in points, and every named box."""
    figure = axes.figure.figure
    figure.set_dpi(dpi)
    renderer = FigureCanvasAgg(figure).get_renderer()
    unit = 72 / dpi
    texts = [
        (text, np.array(text.get_window_extent(renderer).extents) * unit)
        for text in axes.texts
        if text.get_text()
    ]
    boxes = {}
    for patch in axes.patches:
        if hasattr(patch, "get_boxstyle"):
            corners = axes.transData.transform(patch.get_bbox().get_points()).ravel() * unit
            boxes[patch.get_gid() or id(patch)] = corners
    return texts, boxes


def overlap(a, b, room=0.0):
    return a[0] < b[2] - room and b[0] < a[2] - room and a[1] < b[3] - room and b[1] < a[3] - room


def lines_of(axes, dpi, kind):
    found = {}
    for patch in axes.patches:
        name = patch.get_gid() or ""
        if name.startswith(kind):
            path = axes.transData.transform_path(patch.get_path())
            points = path.interpolated(1).to_polygons(closed_only=False)[0] * 72 / dpi
            steps = [np.linspace(a, b, 30) for a, b in pairwise(points)]
            found[tuple(map(int, name.split("-")[1:]))] = np.concatenate(steps)
    return found


def check_texts(axes):
    for dpi in (72, 100, 150):
        texts, boxes = measured(axes, dpi)
        scale = dpi / 72
        width, height = axes.figure.figure.get_size_inches() * 72
        for text, box in texts:
            assert box[0] >= -0.1, text
            assert box[2] <= width + 0.1, text
            assert box[1] >= -2 / scale, text
            assert box[3] <= height + 0.1, text
            name = text.get_gid() or ""
            if name.startswith("name-"):
                outer = boxes[name.removeprefix("name-")]
                assert outer[0] - 0.1 <= box[0], text
                assert box[2] <= outer[2] + 0.1, text
        for (a, box_a), (b, box_b) in combinations(texts, 2):
            # The extent of a line reaches below and above its letters.
            assert not overlap(box_a, box_b, 1.0), (a, b)


@pytest.mark.exhaustive
@slow
@given(neighbourhoods(), st.sampled_from(["down", "right"]))
def test_neighbourhoods_keep_clear(shown, direction):
    axes = plot_neighbourhood(shown, direction=direction)
    check_texts(axes)
    _, boxes = measured(axes, 72)
    solid = {int(k.split("-")[1]): v for k, v in boxes.items() if str(k).startswith("class-")}
    assert len(solid) == len(shown.nodes)
    for a, b in combinations(solid.values(), 2):
        assert not overlap(a, b)
    edges = lines_of(axes, 72, "edge-")
    for points in [*edges.values(), *lines_of(axes, 72, "pair-").values()]:
        assert points.min() >= 0
        assert (points <= axes.figure.get_size_inches() * 72).all()
    assert set(edges) == set(shown.edges)
    for ends, points in edges.items() if direction == "down" else ():
        for i, box in solid.items():
            if i not in ends:
                inside = (points > box[:2] + 0.1).all(axis=1) & (points < box[2:] - 0.1).all(axis=1)
                assert not inside.any(), (ends, i)
    assert set(lines_of(axes, 72, "pair-")) == {(a, b) for a, b in shown.pairs if a != b}


@pytest.mark.exhaustive
@slow
@given(pairings())
def test_networks_keep_clear(evidence):
    axes = plot_pairing(evidence)
    check_texts(axes)
    texts, boxes = measured(axes, 72)
    costs = {text.get_gid(): box for text, box in texts if (text.get_gid() or "")[:8] == "cost-arc"}
    for cost in costs.values():
        assert not any(overlap(cost, box) for box in boxes.values())
    n = len(evidence.predicted)
    wanted = {f"cost-arc-{p.tail}-{p.head - n}" for p in evidence.pairs if p.units}
    assert wanted <= set(costs)


# --- what the pictures say -----------------------------------------------------------------------

TREE = Hierarchy.from_edges(
    [("A", "B"), ("A", "C"), ("A", "D"), ("B", "E"), ("B", "F"), ("C", "G"), ("C", "H"),
     ("D", "I"), ("E", "K"), ("E", "L"), ("G", "M")]
)  # fmt: skip


def why(measure="gie", true=("L", "M", "I"), predicted=("K", "G")):
    return explain(TREE, [list(true)], [list(predicted)], measure)[0]


def said(axes):
    return [text.get_text() for text in axes.texts]


def test_a_network_tells_costs_bounds_and_proof():
    texts = said(plot_pairing(why().evidence))
    assert any(text.startswith("cost 8 = ") for text in texts)
    assert "proof: the dual prices show that every pairing costs at least 8" in " ".join(texts)
    assert texts.count("default") == 2
    assert texts.count("5 each") == 2
    assert "π −4" in texts
    assert not any(text.startswith("[") for text in texts)
    texts = said(plot_pairing(why("mgia").evidence, duals=False))
    assert texts.count("[1, 3]") == 2
    assert "[a, b]: least and most partners" in texts
    assert not any("π" in text for text in texts)
    texts = said(plot_pairing(why(true=()).evidence))
    assert texts.count("default") == 1
    assert "(none)" in texts


def test_a_network_tells_what_is_unusual():
    evidence = why().evidence
    lonely = replace(evidence.true[0], missing=3, lower=3, upper=math.inf)
    n = len(evidence.predicted)
    barred = tuple(
        replace(p, upper=p.head != n + 1, units=int(p.head == n + 2)) for p in evidence.pairs
    )
    forced = (replace(barred[0], lower=1), *barred[1:])
    bounds = (FlowRow("instance", (), "all pairs of the instance", 0, 2),) * 8
    odd = replace(evidence, counted=(*evidence.predicted, lonely, *evidence.true[1:], *bounds),
                  arcs=forced, optimal=False, bound=7.5)  # fmt: skip
    axes = plot_pairing(odd, title="odd")
    texts = said(axes)
    assert "the flow could not be proved optimal; please report this" in " ".join(texts)
    assert "[3, ∞)" in texts
    assert "5 ×3" in texts
    assert any("required" in text for text in texts)
    assert texts.count("all pairs of the instance: 0 of 0…2 ()") == 6
    assert "2 more bounds, 2 pairs not allowed" in texts
    assert axes.get_title() == "odd"
    arcs = {patch.get_gid() for patch in axes.patches}
    assert "arc-0-0" in arcs
    assert "arc-0-1" not in arcs
    near = replace(evidence, gap=1e-9)
    assert "the optimum is within 1.0e-09" in " ".join(said(plot_pairing(near)))


def test_true_labels_stand_across_their_partners():
    axes = plot_pairing(why(true=("G", "E"), predicted=("K", "M")).evidence)
    height = {t.get_gid(): t.get_position()[1] for t in axes.texts}
    names = {t.get_gid(): t.get_text() for t in axes.texts}
    level = {
        (gid.split("-")[1], names[gid]): y for gid, y in height.items() if gid and "name-" in gid
    }
    assert level["predicted", "K"] == level["true", "E"]
    assert level["predicted", "M"] == level["true", "G"]


def test_more_than_can_be_written():
    n = 13
    rows = tuple(
        FlowRow(side, (i,), "", 1, 1, 1, price=0.0)
        for side in ("predicted", "true") for i in range(n)
    )  # fmt: skip
    pairs = tuple(
        FlowRow("pair", (i, j), "", 0, 1, int(i == j), 10.0 + i + j, tail=i, head=n + j)
        for i in range(n) for j in range(n)
    )  # fmt: skip
    axes = plot_pairing(FlowEvidence(pairs, rows, 1, 1, True, 0.0))
    costs = {t.get_text() for t in axes.texts if (t.get_gid() or "").startswith("cost-")}
    assert costs == {str(10 + 2 * i) for i in range(n)}
    assert "156 costs not written" in said(axes)


def test_the_legend_tells_what_occurs_and_nothing_else():
    shown = why(true=("L", "M", "I", "H"), predicted=("K", "G", "H")).neighbourhood
    texts = said(plot_neighbourhood(shown))
    for entry in ("true and predicted", "true", "predicted", "above both", "above true",
                  "default cost paid", "paired", "children not shown"):  # fmt: skip
        assert texts.count(entry) == 1
    assert "above predicted" not in texts
    assert "other" not in texts
    bare = Neighbourhood((ClassNode("x", 3, False, False, False, False, False, 0),), (), (), 1)
    assert said(plot_neighbourhood(bare)) == ["x", "other", "1 more ancestor is not shown"]
    assert said(plot_neighbourhood(Neighbourhood((), ()), direction="right")) == ["no classes"]


def test_states_differ_without_colour():
    from hierpair.plots.neighbourhoods import LABELS
    from hierpair.plots.style import LOOKS

    def grey(colour):
        r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return (0.3 * r + 0.59 * g + 0.11 * b) // 24

    looks = {(grey(s.fill) // 3, s.width, s.dashes) for s in map(LOOKS.get, LABELS)}
    assert len(looks) >= len(LABELS) - 1  # a pale border tells "other" from "above true"


def test_direction_follows_the_room():
    def rightmost(axes):
        return {t.get_text(): t.get_position() for t in axes.texts}

    short = rightmost(plot_neighbourhood(why().neighbourhood))
    assert short["K"][1] == short["L"][1]
    nodes = why().neighbourhood.nodes
    long = tuple(replace(node, name=f"{node.name} " + "Unterhaltung" * 3) for node in nodes)
    axes = plot_neighbourhood(replace(why().neighbourhood, nodes=long))
    heights = [t.get_position()[1] for t in axes.texts if (t.get_gid() or "").startswith("name-")]
    assert len(set(heights)) == len(heights)
    with pytest.raises(BadInput, match="did you mean 'down'"):
        plot_neighbourhood(why().neighbourhood, direction="donw")
    with pytest.raises(BadInput, match="plot_neighbourhood"):
        plot_pairing(why("hf").evidence)


def test_names_are_no_formulas():
    tree = Hierarchy.from_edges([("$r$", "$x_"), ("$r$", "a_b^c"), ("$r$", "漢字🎉")])
    shown = explain(tree, [["$x_"]], [["a_b^c", "漢字🎉"]], "gie")[0]
    for axes in (
        plot_pairing(shown.evidence, title="$x_$$"), plot_neighbourhood(shown.neighbourhood)
    ):  # fmt: skip
        assert "$x_" in said(axes)
        assert "a_b^c" in said(axes)
        axes.figure.draw_without_rendering()


def test_foreign_settings_do_no_harm():
    with matplotlib.rc_context(
        {"font.family": "serif", "text.usetex": True, "lines.scale_dashes": False}
    ):
        axes = plot_neighbourhood(why().neighbourhood, title="x")
        check_texts(axes)
        check_texts(plot_pairing(why().evidence))


# --- axes and files ------------------------------------------------------------------------------


def test_the_axes_given_are_used():
    figure = Figure(figsize=(7, 3))
    left, right = figure.subplots(1, 2)
    assert plot_pairing(why().evidence, ax=left, title="x") is left
    assert plot_neighbourhood(why().neighbourhood, ax=right) is right
    assert left.get_title() == "x"
    assert figure.axes == [left, right]
    # Both shrink, and no name outgrows its box.
    for axes in (left, right):
        for dpi in (72, 100, 150):
            texts, boxes = measured(axes, dpi)
            for text, box in texts:
                if (text.get_gid() or "").startswith("name-"):
                    outer = boxes[text.get_gid().removeprefix("name-")]
                    assert outer[0] <= box[0] + 0.1
                    assert box[2] <= outer[2] + 0.1


def test_large_axes_keep_the_size_of_letters():
    figure = Figure(figsize=(20, 20))
    axes = plot_neighbourhood(why().neighbourhood, ax=figure.add_axes((0, 0, 1, 1)))
    assert {t.get_fontsize() for t in axes.texts} == {6.5, 7.0, 8.0}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("ending", "head"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")]
)
def test_files_are_the_same_every_time(tmp_path, ending, head):
    written = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.{ending}"
        axes = plot_neighbourhood(why().neighbourhood, title="x")
        save_picture(axes if name == "a" else axes.figure, path)
        written.append(path.read_bytes())
        assert path.stat().st_mode & 0o600 == 0o600
    assert written[0] == written[1]
    assert written[0].startswith(head)
    assert b"Date>" not in written[0]
    assert {p.name for p in tmp_path.iterdir()} == {f"a.{ending}", f"b.{ending}"}


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    axes = plot_pairing(why().evidence)
    path = tmp_path / "x.png"
    path.write_bytes(b"before")
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_picture(axes, path)
    assert path.read_bytes() == b"before"
    monkeypatch.undo()
    with pytest.raises(BadInput, match=r"must end in \.pdf, \.png, \.svg"):
        save_picture(axes, tmp_path / "x.jpg")
    with pytest.raises(BadInput, match="must end in"):
        save_picture(axes, "picture")
    with pytest.raises(BadInput, match="cannot be written"):
        save_picture(axes, tmp_path / "nowhere" / "x.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(BadInput, match="cannot be written"):
        save_picture(axes, tmp_path / "folder.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.png", "x.png"]


def test_a_part_of_a_figure_can_be_saved(tmp_path):
    figure = Figure(figsize=(6, 3))
    part = figure.subfigures(1, 2)[0]
    axes = plot_pairing(why().evidence, ax=part.subplots())
    save_picture(axes, tmp_path / "axes.png", dpi=72)
    save_picture(part, tmp_path / "part.png", dpi=72)
    assert (tmp_path / "axes.png").read_bytes() == (tmp_path / "part.png").read_bytes()


def test_without_matplotlib_there_is_advice(monkeypatch, tmp_path):
    evidence, around = why().evidence, why().neighbourhood
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (
        lambda: plot_pairing(evidence), lambda: plot_neighbourhood(around),
        lambda: save_picture(None, tmp_path / "x.png"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=r"pip install 'hierpair\[plot\]'"):
            call()


@pytest.mark.exhaustive
def test_no_global_state_is_touched(tmp_path):
    code = f"""
import sys, hierpair.plots as plots
assert "matplotlib" not in sys.modules
from hierpair import Hierarchy, explain
from tests import effort
tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
why = explain(tree, [["a"]], [["b"]], "gie")[0]
axes = plots.plot_pairing(why.evidence)
plots.plot_neighbourhood(why.neighbourhood)
import matplotlib
settings = lambda: {{k: matplotlib.rcParams[k] for k in matplotlib.rcParams if k != "backend"}}
before = settings()
for end in ("pdf", "svg", "png"):
    plots.save_picture(axes, {str(tmp_path)!r} + "/x." + end)
assert settings() == before
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-W", "error:Glyph:UserWarning", "-c", code], check=True, timeout=120
    )


# ----------------------------------------------------------------- curves


def test_curves_are_drawn_as_means_and_as_points(tmp_path):
    from hierpair import Hierarchy, NodeScores
    from hierpair.plots import plot_curves
    from hierpair.probabilistic import precision_recall_curves

    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    scores = NodeScores.from_array(
        [[0.9, 0.8, 0.1, 0.7], [0.9, 0.1, 0.8, 0.1]], tree, classes=list("abcd")
    )
    curves = precision_recall_curves([["d"], ["c"]], scores)
    axes = plot_curves({"mine": curves, "theirs": curves}, title="Two systems")
    assert len(axes.lines) == 2
    assert [t.get_text() for t in axes.get_legend().get_texts()] == [
        f"{name}  {curves.mean_area():.3f}" for name in ("mine", "theirs")
    ]
    assert axes.get_legend().get_title().get_text() == "mean AUPRC by trapezoid"
    for area, words in (("step", "average precision"), ("envelope", "interpolated")):
        legend = plot_curves(curves, area=area).get_legend()
        assert words in legend.get_title().get_text()
        assert legend.get_texts()[0].get_text() == f"{curves.mean_area(area):.3f}"
    assert axes.lines[0].get_ydata()[100] == pytest.approx((2 / 3 + 1) / 2)
    styles = {(line.get_color(), line.get_linestyle()) for line in axes.lines}
    assert len(styles) == 2
    one = plot_curves(curves, instance=1)
    points = slice(*curves.indptr[1:3])
    assert one.lines[0].get_xdata().tolist() == curves.recall[points].tolist()
    assert one.lines[0].get_ydata().tolist() == curves.precision[points].tolist()
    save_picture(one, tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text("utf-8").startswith("<?xml")
    with pytest.raises(BadInput, match="there is no instance 2"):
        plot_curves(curves, instance=2)
    with pytest.raises(BadInput, match="must be Curves"):
        plot_curves({})
    with pytest.raises(BadInput, match="at most"):
        plot_curves({str(k): curves for k in range(9)})


def test_risk_is_drawn_over_coverage():
    from hierpair import Hierarchy
    from hierpair.plots import plot_risk
    from hierpair.probabilistic import selective_curve

    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    p = [[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]]
    curves = {rule: selective_curve(["d", "e"], p, rule, hierarchy=tree)
              for rule in ("climb", "leaf_or_root")}  # fmt: skip
    axes = plot_risk(curves, risk=0.2, title="Rules")
    assert [t.get_text() for t in axes.get_legend().get_texts()] == [
        f"{name}  {curve.area():.3f}" for name, curve in curves.items()
    ]
    lines, dots = axes.lines[::2], axes.lines[1::2]
    for line, dot, curve in zip(lines, dots, curves.values(), strict=True):
        assert line.get_xdata().tolist() == curve.coverage.tolist()
        assert line.get_ydata().tolist() == curve.risk.tolist()
        at = curve.at_risk(0.2)
        assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (curve.coverage[at], curve.risk[at])
    assert len(plot_risk(curves["climb"]).lines) == 1
    for wrong in ({}, {"a": 3}):
        with pytest.raises(BadInput, match="must be SelectiveCurve"):
            plot_risk(wrong)
    with pytest.raises(BadInput, match="at most"):
        plot_risk({str(k): curves["climb"] for k in range(9)})


@pytest.mark.parametrize("scaled", [True, False])
def test_dashes_are_in_points_whatever_the_settings(scaled):
    scene = Scene([Line([(0, 0), (9, 0)], "pair")], fonts_of_figures())
    with matplotlib.rc_context({"lines.scale_dashes": scaled}):
        pattern = draw(scene, None, None).patches[-1].get_linestyle()[1]
    assert [d * (1.1 if scaled else 1) for d in pattern] == pytest.approx([3.0, 1.8])


def test_a_page_gets_the_same_pictures_as_elements():
    """Names are texts of their own, whatever they are; nothing needs matplotlib."""
    name = "</text><script>&\x00"
    tree = Hierarchy.from_edges([("r", name), ("r", "b")])
    found = explain(tree, [[name]], [["b"]], "gie")[0]
    for scene in (
        pairing_scene(found.evidence, Letters()), neighbourhood_scene(found.neighbourhood, Letters())
    ):  # fmt: skip
        tag, attributes, *children = svg(scene, "a picture")
        assert (tag, attributes["role"], attributes["aria-label"]) == ("svg", "img", "a picture")
        texts = [child[2] for child in children if child[0] == "text"]
        assert "</text><script>&" in texts
        assert {child[0] for child in children} <= {"text", "rect", "path", "g"}
        kept = [str(x) for child in children for x in child[1].values()]
        assert not any("script" in text for text in kept)
