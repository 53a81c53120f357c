"""Pictures of instances: layouts keep their laws, texts keep clear of each other, everything is named."""

import math
import sys
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise, product
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, explain, pair_data_set
from hierpair.explanation import ClassNode, FlowRow, Neighbourhood
from hierpair.measures.evidence.flows import network_evidence
from hierpair.pairing import Cardinality, CountCost, Degree, Groups, Rule, Unmatched, formulate
from hierpair.pairing.counts import by_level
from hierpair.pairing.network import network_graph
from hierpair.pairing.own_networks import NetworkRule, solve_network, written_network
from hierpair.plots import plot_network, plot_pairing, save_picture
from hierpair.plots.graphs import graph_scene
from hierpair.plots.layout import layered
from hierpair.plots.letters import Letters, fonts_of_figures, shortened
from hierpair.plots.neighbourhoods import neighbourhood_scene, plot_neighbourhood
from hierpair.plots.networks import _own_network, _rule_network, pairing_scene
from hierpair.plots.routes import place_texts
from hierpair.plots.saving import draw
from hierpair.plots.scene import Box, Line, Text, svg
from tests import effort
from tests.everything import random_problem
from tests.pairing.rules import pairs_of, random_counts
from tests.plots.test_charts import drawn_on, plain, sign
from tests.strategies import dags

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

ALL_KINDS = {"deadline": None, "suppress_health_check": list(HealthCheck)}
quick = settings(max_examples=effort.cases(60), **ALL_KINDS)
odd = st.one_of(
    st.text("abcÄßéµ $_^{}\\%&#漢字🎉\n", min_size=1, max_size=60),
    st.sampled_from(["Literatur & Unterhaltung", "$x_1$", "a_b", "漢字の名前", "🎉"]),
    st.integers(0, 30000),
)


@st.composite
def explained(draw):
    """An instance of a hierarchy with odd names, explained."""
    edges, classes = draw(dags(max_classes=40))
    called = draw(st.lists(odd, min_size=len(classes), max_size=len(classes), unique_by=str))
    name = dict(zip(classes, called, strict=True))
    named = [(name[p], name[c]) for p, c in edges]
    hierarchy = Hierarchy.from_edges(named, classes=called, roots="any")
    sides = [draw(st.lists(st.sampled_from(called), max_size=7, unique=True)) for _ in "tp"]
    of, default = draw(st.sampled_from(["gie", "mgia"])), draw(st.sampled_from([2, 5.25, 40]))
    return explain(hierarchy, sides[:1], sides[1:], f"{of}(default={default})")[0]


@quick
@given(st.integers(0, 9999), st.sampled_from([3, 10, 60]), st.integers(1, 60), st.data())
def test_layers_keep_order_and_separations(seed, near, n, data):
    named = random_problem("", seed, n, 0, parents=3, roots=min(n, 3), depth=near).edges
    edges = sorted(((int(p[1:]), int(c[1:])) for p, c in named), key=lambda edge: edge[1])
    layer = [0] * n
    for p, c in edges:
        layer[c] = max(layer[c], layer[p] + 1)
    room = st.lists(st.floats(1, 80), min_size=n, max_size=n)
    before, after = data.draw(room), data.draw(room)
    places, routes = layered(layer, edges, np.transpose([before, after]), gap=8)
    boxes = {}
    for i, (k, x) in enumerate(zip(layer, places, strict=True)):
        boxes.setdefault(k, []).append((x - before[i], x + after[i]))
    assert all(b[0] - a[1] >= 8 - 1e-6 for row in boxes.values() for a, b in pairwise(sorted(row)))
    assert list(routes) == list(dict.fromkeys(edges))
    for (p, c), route in routes.items():
        assert (route[0], route[-1]) == (places[p], places[c])
        assert len(route) == layer[c] - layer[p] + 1
        for k, x in enumerate(route[1:-1], layer[p] + 1):
            assert all(x + 2 <= a - 8 + 1e-6 or x - 2 >= b + 8 - 1e-6 for a, b in boxes.get(k, []))


def test_fewer_edges_cross_and_long_ones_are_straight():
    # A ladder whose given order tangles every rung, and an edge that spans all layers.
    layer = [0, 0, 0, 1, 1, 1, 2]
    x, _ = layered(layer, [(0, 5), (1, 4), (2, 3), (3, 6)], 5.0)
    assert (x[0] < x[1]) == (x[5] < x[4])
    assert (x[1] < x[2]) == (x[4] < x[3])
    _, routes = layered([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3), (0, 3)], 9.0)
    lane = routes[0, 3][1:-1]
    assert max(lane) - min(lane) < 2
    assert layered([], [], 5.0) == ([], {})


@quick
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=40))
def test_texts_on_arcs_do_not_touch(ends):
    lines, used = [((50, 20 * a), (200, 20 * b)) for a, b, _ in ends], [c for *_, c in ends]
    places = place_texts(lines, [14] * len(ends), 8, used, used)
    boxes = [(at[0] - 7, at[1] - 4, at[0] + 7, at[1] + 4) for at in places if at]
    assert all(50 < box[0] < box[2] < 200 for box in boxes)
    for at, ((x, y), (u, v)) in zip(places, lines, strict=True):
        assert at is None or at[1] == pytest.approx(y + (at[0] - x) / (u - x) * (v - y))
    assert not any(overlap(a, b, -1e-9) for a, b in combinations(boxes, 2))
    assert len(ends) > 3 or None not in places


def test_names_are_cut_and_stay_distinct():
    long = ["n" * 60 + "1", "n" * 60 + "2", "m" * 60]
    short = shortened([*long, long[0], ("a", 1), "a\n\tb\x00c\u202e", "\ud800", ""])
    assert short[0] == short[3]
    assert len({*short[:3]}) == 3
    assert max(map(len, short)) <= 40
    assert short[4:] == ["('a', 1)", "a b c", "\N{REPLACEMENT CHARACTER}", "(no name)"]
    assert fonts_of_figures().legible("a\U000e0100\U0010fffe") == "a□"


# --- pictures, measured with the renderer --------------------------------------------------------


def measured(axes, dpi):
    """Return every text with its box in points, and every named box."""
    figure = axes.figure.figure
    figure.set_dpi(dpi)
    pen, unit = FigureCanvasAgg(figure).get_renderer(), 72 / dpi
    told = [text for text in axes.texts if text.get_text()]
    texts = [(text, np.array(text.get_window_extent(pen).extents) * unit) for text in told]
    boxes = {}
    for patch in axes.patches:
        if hasattr(patch, "get_boxstyle"):
            corners = axes.transData.transform(patch.get_bbox().get_points()).ravel() * unit
            boxes[patch.get_gid() or id(patch)] = corners
    return texts, boxes


def overlap(a, b, room=0.0):
    return a[0] < b[2] - room and b[0] < a[2] - room and a[1] < b[3] - room and b[1] < a[3] - room


def check_names(texts, boxes):
    for text, box in texts:
        if (text.get_gid() or "").startswith("name-"):
            left, _, right, _ = boxes[text.get_gid().removeprefix("name-")]
            assert left - 0.1 <= box[0] <= box[2] <= right + 0.1, text


def check_texts(axes):
    width, height = axes.figure.figure.get_size_inches() * 72
    for dpi in (72, 100, 150):
        texts, boxes = measured(axes, dpi)
        for text, (left, low, right, high) in texts:
            assert -0.1 <= left <= right <= width + 0.1, text
            assert -2 * 72 / dpi <= low <= high <= height + 0.1, text
        check_names(texts, boxes)
        for (a, box_a), (b, box_b) in combinations(texts, 2):
            # The extent of a line reaches below and above its letters.
            assert not overlap(box_a, box_b, 1.0), (a, b)


def laid_out(outlined, draws, *given):
    """What is drawn in layers, or as an outline, where the layers fit badly."""
    fits = [0.0, 0.0, 1.0] if outlined else [1.0]
    with mock.patch("hierpair.plots.neighbourhoods._fit", side_effect=fits):
        return draws(*given)


def ends_of(axes, kind):
    """The ends of lines of a kind by their names, and their points."""
    found = {}
    for patch in axes.patches:
        if (name := patch.get_gid() or "").startswith(kind):
            points = axes.transData.transform_path(patch.get_path()).interpolated(30).vertices
            found[tuple(map(int, name.split("-")[1:]))] = points
    return found


@settings(max_examples=60 if effort.exhaustive else 5, **ALL_KINDS)
@given(explained(), st.booleans())
def test_pictures_keep_clear(why, outlined):
    shown, evidence = why.neighbourhood, why.evidence
    axes = laid_out(outlined, plot_neighbourhood, shown)
    check_texts(axes)
    _, boxes = measured(axes, 72)
    solid = {int(k.split("-")[1]): v for k, v in boxes.items() if str(k).startswith("class-")}
    assert len(solid) == len(shown.nodes)
    assert not any(overlap(a, b) for a, b in combinations(solid.values(), 2))
    edges = ends_of(axes, "edge-")
    assert set(edges) == set(shown.edges)
    for ends, points in edges.items() if not outlined else ():
        for i, box in solid.items():
            inside = (points > box[:2] + 0.1).all(axis=1) & (points < box[2:] - 0.1).all(axis=1)
            assert i in ends or not inside.any(), (ends, i)
    assert set(ends_of(axes, "pair-")) == {(a, b) for a, b in shown.pairs if a != b}
    axes = plot_pairing(evidence)
    check_texts(axes)
    texts, boxes = measured(axes, 72)
    costs = {text.get_gid(): box for text, box in texts if (text.get_gid() or "")[:8] == "cost-arc"}
    assert not any(overlap(*two) for two in product(costs.values(), boxes.values()))
    assert all(text.get_bbox_patch() for text, _ in texts if text.get_gid() in costs)
    assert {f"cost-arc-{p.tail}-{p.head}" for p in evidence.pairs if p.units} <= set(costs)


ONE = Rule(lambda pairs: 1.0 + pairs.true_at, (Degree("predicted", 1, 1),))
RULE = Rule(
    lambda pairs: 1.0 + pairs.true_at,
    (
        Degree("true", 1), Unmatched("true", 5), CountCost("predicted", (1, 0, 2)),
        Groups("true", by_level, 2), Groups("predicted", by_level, 1, of="partners"),
        Cardinality(0, 2, over=3),
    ),
)  # fmt: skip


def drawn(nodes, arcs):
    """Boxes of the nodes and lines of the arcs: apart, and on the page; each line ends at boxes.

    Returns these, and the texts that should be there and have no room.
    """
    scene = graph_scene(nodes, arcs, Letters())
    boxes = [shape.corners for shape in scene.shapes if isinstance(shape, Box)]
    lines = [shape for shape in scene.shapes if isinstance(shape, Line)]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    assert (len(boxes), len(lines)) == (len(nodes), len(arcs))
    low, high = np.reshape(scene.corners, (2, 2))
    for line in lines:
        points = np.array(line.points)
        assert ((low <= points) & (points <= high)).all()
        for x, _ in (points[0], points[-1]):
            assert any(box[0] <= x <= box[2] + 3 for box in boxes)
    texts = {shape.text for shape in scene.shapes if isinstance(shape, Text)}
    return boxes, lines, {arc.text for arc in arcs if arc.needed} - texts


def evidence_of(write, n=1):
    own = written_network(NetworkRule(write), pairs_of(n, n))
    return network_evidence(own, solve_network(own))


def said_by(evidence):
    return [node.says for node in evidence.counted]


@pytest.mark.random_cases
def test_networks_are_drawn():
    """Of rules; and of any arcs, both ways, parallel ones and loops."""
    crowded, cases = 0, effort.cases(75)
    for k in range(cases):
        rng = np.random.default_rng([31, k])
        rule, pairs, *_ = random_counts(rng)
        with suppress(BadInput):  # constraints that contradict each other
            graph = network_graph(formulate(rule, pairs), 0)
            _, lines, lacking = drawn(*_rule_network(graph, 4))
            crowded += bool(lacking)
            assert len(lines) == graph.number_of_edges()
        n, m = int(rng.integers(1, 9)), int(rng.integers(1, 20))
        (tail, head), upper, cost = (rng.integers(0, n, (2, m)), *rng.integers(0, 9, (2, m)))

        def write(pairs, net, n=n, tail=tail, head=head, upper=upper, cost=cost):
            at = net.nodes(np.zeros(n, dtype=int), "node")
            net.arcs(at[tail], at[head], 0, upper % 4, cost - 3, says="way")

        evidence = evidence_of(write)
        drawn(*_own_network(evidence, said_by(evidence), 4))
    assert crowded <= 0.03 * cases


def says(axes, tmp_path, *texts):
    save_picture(axes, tmp_path / "n.svg")
    said = (tmp_path / "n.svg").read_text("utf-8")
    assert [text for text in texts if f"<!-- {text} -->" not in said] == []
    return said


def test_pictures_name_everything(tmp_path):
    axes = plot_network(formulate(RULE, pairs_of(2, 2)), title="A rule")
    says(
        axes, tmp_path, "source", "sink", "{c0, c1}", "[0, 2]", "≤2 at 3 more", "≤1 at 5", "A rule"
    )
    none = Rule(lambda p: 1.0 * p.true_at, (Degree("true", 3, 3),))
    said = says(plot_network(formulate(none, pairs_of(2, 2))), tmp_path)
    assert all(text in said for text in ("no pairing is possible", "hub: source and sink in one"))

    def write(pairs, net):
        labels = pairs.labels("true")
        start = net.nodes(1, "start")
        own = net.nodes(labels.instance, "{} true", of=labels)
        net.arcs(start[labels.instance], own, 1, says="{} is there", of=labels)
        net.arcs(own, start[labels.instance], 0, 5, 2, says="back")

    evidence = evidence_of(write, 2)
    texts = "c0 true", "2, 1 of [0, 5]", "… is there: 2 units, cost 0", "back: 2 units, cost 4"
    said = says(plot_pairing(evidence, title="A network"), tmp_path, "A network", *texts)
    assert said.count("<!-- start -->") == 2  # where all begins and where it ends


TREE = Hierarchy.from_edges(
    [("A", "B"), ("A", "C"), ("A", "D"), ("B", "E"), ("B", "F"), ("C", "G"), ("C", "H"),
     ("D", "I"), ("E", "K"), ("E", "L"), ("G", "M")]
)  # fmt: skip


def why(measure="gie", true=("L", "M", "I"), predicted=("K", "G")):
    return explain(TREE, [list(true)], [list(predicted)], measure)[0]


def said(axes):
    return [text.get_text() for text in axes.texts]


def named_classes(n=30):
    """A hierarchy in which classes have up to three parents, and labels of both sides all over it."""
    edges = random_problem("", 3, n, 0, parents=3, depth=5).edges
    names = list(dict.fromkeys(x for edge in edges for x in edge))
    return explain(Hierarchy.from_edges(edges), [names[5::7]], [names[4::6]], "gie")[0]


def unusual():
    """What is missing, forced, barred, too much to tell, and not proved."""
    evidence = why().evidence
    lonely = replace(evidence.side("true")[0], missing=3, lower=3, upper=math.inf)
    n = len(evidence.side("predicted"))
    pairs = [replace(p, upper=p.head != n + 1, units=int(p.head == n + 2)) for p in evidence.pairs]
    pairs[0] = replace(pairs[0], lower=1)
    bounds = (FlowRow("instance", (), "all pairs of the instance", 0, 2),) * 8
    unpaid = replace(evidence.side("true")[1], cost=math.inf)
    counted = (*evidence.side("predicted"), lonely, unpaid, *evidence.side("true")[2:], *bounds)
    return replace(evidence, counted=counted, arcs=tuple(pairs), optimal=False, bound=7.5)


def both_ways(pairs, net):
    """Two nodes, between which units go and come back."""
    start, own = net.nodes(1, "start"), net.nodes(2 * [0], "{} own", of=["a", "b"])
    net.arcs(start[[0, 0]], own, 1, 3, 2, says="there")
    net.arcs(own, own[::-1], 0, 2, says="across")
    net.arcs(own, start[[0, 0]], 0, 5, says="back")


@pytest.mark.parametrize(("scene", "wanted"), [
    (lambda own: pairing_scene(why().evidence, own), "888b322c"),
    (lambda own: pairing_scene(why("mgia").evidence, own), "b0341d84"),
    (lambda own: pairing_scene(unusual(), own), "b959a968"), (lambda own: pairing_scene(replace(why().evidence, gap=1e-9), own), "a4e3b971"),
    (lambda own: pairing_scene(named_classes().evidence, own, 2), "bdc4022e"),
    (lambda own: pairing_scene(why(true=()).evidence, own), "9aa8fabc"),
    (lambda own: neighbourhood_scene(why(true="LMIH", predicted="KGH").neighbourhood, own), "a730d80c"),
    (lambda own: laid_out(True, neighbourhood_scene, why().neighbourhood, own), "14fc5ef7"),
    (lambda own: neighbourhood_scene(why("hcm_f").neighbourhood, own), "795314c2"),
    (lambda own: neighbourhood_scene(why("lca_f").neighbourhood, own), "7d49f1df"),
    (lambda own: laid_out(False, neighbourhood_scene, named_classes().neighbourhood, own), "068555f3"),
    (lambda own: laid_out(True, neighbourhood_scene, named_classes().neighbourhood, own), "656ac9cc"),
    (lambda own: graph_scene(*_rule_network(network_graph(formulate(RULE, pairs_of(2, 2)), 0), 4), own), "d9aa9d1a"),
    (lambda own: graph_scene(*_own_network(evidence_of(both_ways), ["start", "a", "b"], 4), own), "ea49834a"),
])  # fmt: skip
def test_pictures_are_those_that_were_looked_at(scene, wanted):
    """Whoever changes one on purpose looks at it and writes the new sign down."""
    drawn = scene(Letters())
    shapes = [(type(one).__name__, *map(plain, vars(one).values())) for one in drawn.shapes]
    pictured = drawn_on(draw(drawn, None, "A title"))
    found, told = sign([*shapes, *svg(drawn, "a picture"), *pictured])
    assert found == wanted, told


def test_the_legend_tells_what_occurs_and_nothing_else():
    bare = Neighbourhood((ClassNode("x", 3, False, False, False, False, False, 0),), (), (), 1)
    assert said(plot_neighbourhood(bare)) == ["x", "other", "1 more ancestor is not shown"]
    assert said(plot_neighbourhood(Neighbourhood((), ()))) == ["no classes"]


def test_direction_follows_the_room():
    shown = why().neighbourhood
    at = {t.get_text(): t.get_position()[1] for t in plot_neighbourhood(shown).texts}
    assert at["K"] == at["L"]
    long = tuple(replace(node, name=f"{node.name} {'Unterhaltung' * 3}") for node in shown.nodes)
    axes = plot_neighbourhood(replace(shown, nodes=long))
    heights = [t.get_position()[1] for t in axes.texts if (t.get_gid() or "").startswith("name-")]
    assert len(set(heights)) == len(heights)
    chains = [(f"{k}{'x' * d}", f"{k}{'x' * (d + 1)}") for k in range(19) for d in (0, 1)]
    tree = Hierarchy.from_edges([*(("r", f"{k}") for k in range(19)), *chains])
    many = explain(tree, [[f"{k}xx" for k in range(19)]], [[]], "hf")[0].neighbourhood
    drawn = neighbourhood_scene(many, Letters())  # rows of all classes would be higher than a page
    assert len({one.y for one in drawn.shapes if getattr(one, "name", "")[:5] == "name-"}) == 4


def test_a_mass_is_told_as_one_number_or_as_bounds():
    whole = why("tree_wasserstein").evidence
    partly = replace(whole, counted=(replace(whole.counted[0], lower=0), *whole.counted[1:]))
    for evidence, bounded in ((whole, False), (partly, True)):
        assert ("[0, 1/2]" in said(plot_pairing(evidence))) == bounded


def test_names_are_no_formulas_and_foreign_settings_do_no_harm():
    tree = Hierarchy.from_edges([("$r$", "$x_"), ("$r$", "a_b^c"), ("$r$", "漢字🎉")])
    shown = explain(tree, [["$x_"]], [["a_b^c", "漢字🎉"]], "gie")[0]
    pairing = plot_pairing(shown.evidence, title="$x_$$")
    for axes in (pairing, plot_neighbourhood(shown.neighbourhood)):
        assert {"$x_", "a_b^c"} <= {*said(axes)}
        axes.figure.draw_without_rendering()
    assert pairing.title.get_window_extent().y1 <= pairing.figure.bbox.y1
    foreign = {"font.family": "serif", "text.usetex": True, "lines.scale_dashes": False}
    with matplotlib.rc_context(foreign):
        check_texts(plot_neighbourhood(why().neighbourhood, title="x"))
        check_texts(plot_pairing(why().evidence))


def test_the_axes_given_are_used():
    figure = Figure(figsize=(7, 3))
    left, right = figure.subplots(1, 2)
    assert plot_pairing(why().evidence, ax=left, title="x") is left
    assert plot_neighbourhood(why().neighbourhood, ax=right) is right
    assert left.get_title() == "x"
    assert figure.axes == [left, right]
    for axes in (left, right):  # both shrink, and no name outgrows its box
        for dpi in (72, 100, 150):
            check_names(*measured(axes, dpi))
    figure = Figure(figsize=(20, 20))
    axes = plot_neighbourhood(why().neighbourhood, ax=figure.add_axes((0, 0, 1, 1)))
    assert {t.get_fontsize() for t in axes.texts} == {6.5, 7.0, 8.0}
    check_names(*measured(axes, 100))


def test_a_page_gets_the_same_pictures_as_elements():
    """Names are texts of their own, whatever they are; nothing needs matplotlib."""
    name = "</text><script>&\x00"
    tree = Hierarchy.from_edges([("r", name), ("r", "b")])
    found = explain(tree, [[name]], [["b"]], "gie")[0]
    of_pairing = pairing_scene(found.evidence, Letters())
    for scene in (of_pairing, neighbourhood_scene(found.neighbourhood, Letters())):
        tag, attributes, *children = svg(scene, "a picture")
        assert (tag, attributes["role"], attributes["aria-label"]) == ("svg", "img", "a picture")
        texts = [child[2] for child in children if child[0] == "text"]
        assert "</text><script>&" in texts
        assert {child[0] for child in children} <= {"text", "rect", "path", "g"}
        kept = [str(x) for child in children for x in child[1].values()]
        assert not any("script" in text for text in kept)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: plot_pairing(why("hf").evidence), "plot_neighbourhood"),
    (lambda: plot_pairing(pair_data_set(ONE, TREE, ["L"], ["K"])), "one instance is drawn"),
    (lambda: plot_network(formulate(RULE, pairs_of(1, 1)), 3), "no instance number 3"),
    (lambda: evidence_of(lambda pairs, net: net.nodes([0], "{}", of=["a", "b"])), r"there are 1 nodes .*, and of has 2 names"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()


def test_without_matplotlib_there_is_advice(monkeypatch, tmp_path):
    evidence, around = why().evidence, why().neighbourhood
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    saving = save_picture, None, tmp_path / "x.png"
    for call, *what in ((plot_pairing, evidence), (plot_neighbourhood, around), saving):
        with pytest.raises(BadInput, match=r"pip install 'hierpair\[plot\]'"):
            call(*what)
