"""Explanations: the value is the score's, the pairing adds up, and the proof can be recomputed."""

import json
import math
import re
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hierpair as hp
from hierpair import BadInput, Hierarchy, Infeasible, explain, pair_data_set, pair_measure, score
from hierpair.evaluation import merge, partial
from hierpair.evaluation.checked import default_measures
from hierpair.explanation import (
    FieldEvidence,
    FlowEvidence,
    constraint_costs,
    instances,
)
from hierpair.io import read_labels
from hierpair.lca import SOLVED_BY
from hierpair.measures import PairRecipe, measures_of
from hierpair.pairing import Bottleneck, CountCost, Degree, Forbid, Hops, Quota, Rule, Unmatched
from hierpair.probabilistic.decoding.pairings import decode_pairing
from tests import effort
from tests.oracles.classes import Classes
from tests.scoring import values
from tests.strategies import problems

TREE = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
TWO = Hierarchy.from_edges([("r", "a"), ("s", "b")], roots="any")


@settings(max_examples=effort.cases(100), deadline=None)
@given(problems(), st.sampled_from(default_measures()))
def test_the_value_is_that_of_the_score(problem, name):
    hierarchy, _, y_true, y_pred = problem
    whys = explain(hierarchy, y_true, y_pred, name, instances=range(len(y_true)))
    assert [w.value for w in whys] == values(name, hierarchy, y_true, y_pred)
    for i, (why, true, predicted) in enumerate(zip(whys, y_true, y_pred, strict=True)):
        assert set(why.y_true) == set(true)
        assert set(why.y_pred) == set(predicted)
        place = {c: k for k, c in enumerate(hierarchy.names)}
        for field in getattr(why.evidence, "fields", ()):  # parents before children
            assert [*field.classes] == sorted(field.classes, key=lambda c: place.get(c, 0))
        json.loads(why.to_json(), parse_constant=pytest.fail)
        m, better = why.measure, "higher" if why.measure.higher_is_better else "lower"
        told = f"({better} is better) for instance {i} of system"
        assert all(words in str(why) for words in (m.of_instance, m.definition.formula, told))
        assert why.title == f"system, instance {i}: {m.name} = {why.value:.4g}"


PARTIAL = [name for name, d in measures_of("labels").items() if "total" not in d.traits]
SIDES_OF = [([["b"], ["d"]], [["c"], ["d"]]), ([["a", "b"], ["d"]], [["a", "c"], ["d"]]),
            ([["b"], ["c"]], [["b", "a", "c"], ["c", "b"]])]  # fmt: skip


@pytest.mark.parametrize("name", PARTIAL)
def test_measures_that_not_all_labels_have_are_explained(name):
    """Two instances of labels, of paths, or of lists, whatever the measure is about."""
    for sides in SIDES_OF:
        with suppress(BadInput, Infeasible):
            found = score(TREE, sides[0], {"system": sides[1]}, name).per_instance["system"][:, 0]
            break
    told = explain(TREE, *sides, name, instances=range(2))
    assert [why.value for why in told] == pytest.approx(found.tolist(), nan_ok=True)
    assert all(why.measure.of_instance in str(why) for why in told)


@pytest.mark.parametrize("true", [[], ["b"]])
def test_a_prediction_without_a_path_is_explained(true):
    for pairing in ("exact", "published"):
        (why,) = explain(TREE, [true], [[]], f"hcm_fn(empty=none, pairing={pairing})")
        assert [(f.name, f.classes) for f in why.evidence.fields if f.classes] == (
            [("FN", ("a", "b"))] if true else []
        )


def test_a_blank_label_is_told_and_not_drawn(tmp_path):
    (tmp_path / "said").write_text("0\tc|\n")
    said = read_labels(tmp_path / "said", TREE, unknown="drop")
    [why] = explain(TREE, {"0": ["b", "d"]}, said, "hcm_fp(blank=count)", instances=["0"])
    assert why.value == 2
    assert "(blank)" in str(why)
    assert len(why.neighbourhood.pairs) == 1


@settings(max_examples=effort.cases(150), deadline=None)
@given(problems(instances=1, weighted=True), st.sampled_from(
    ["gie", "fnerror", "gie(default=2.5, cost=weights)", "gie(default=1e-3)",
     "fnerror(max_distance=1)", "gie(threshold=2)"]))  # fmt: skip
def test_a_pairing_adds_up_and_its_dual_prices_prove_it(problem, name):
    hierarchy, edges, y_true, y_pred = problem
    if not edges and "weights" in name:
        return
    [why] = explain(hierarchy, y_true, y_pred, name)
    e = why.evidence
    assert e.optimal
    assert e.bound == pytest.approx(e.cost)
    labels = [*e.side("predicted"), *e.side("true")]
    paid = sum(p.cost for p in e.pairs if p.units)
    paid += sum(row.missing * row.cost for row in labels if row.missing)
    assert why.value == pytest.approx(paid) == pytest.approx(e.cost)
    assert e.counted[: len(labels)] == tuple(labels)
    for i, row in enumerate(labels):
        assert row.units == sum(p.units for p in e.pairs if i in (p.tail, p.head))
        assert row.lower <= row.units + row.missing
        assert row.units <= row.upper
    # The bound, from the dual prices alone: every pairing obeys the bounds on its labels, so it
    # costs at least this much, whatever it pairs.
    proved = 0.0
    for row in labels:
        most = row.lower if row.price >= 0 else row.upper
        proved += row.price * most
        proved += min(0.0, row.cost - row.price) * row.lower
    for p in e.pairs:
        if p.upper:
            duals = e.counted[p.tail].price + e.counted[p.head].price
            assert p.price == pytest.approx(p.cost - duals)
            proved += min(0.0, p.cost - duals)
            assert p.may_rise >= 0 <= p.may_fall
            assert math.inf in (p.may_rise, p.may_fall)
            # dual prices prove a part of what a pair may cost less; the range is all of it
            assert p.units or p.may_fall >= p.cost - duals - 1e-9
        else:
            assert math.isnan(p.may_fall)
            assert not p.units
    assert proved == pytest.approx(e.cost)


@pytest.mark.parametrize(("name", "true", "said", "lines"), [
    ("gie", "bd", "c", """predicted true cost best while/● c b 2 ≤ 3/c d 3 ≥ 2
        side counted pairs allowed missing default dual price one unit saves/predicted c 1 1 5 -3 2 (one more)
        true d 0 1 1 5 5 5 (one fewer)/true b 1 1 5 5 4 (one fewer)/cost 7 = pairs 2, defaults 5
        it is the only best pairing; the second best costs 1 more (without c–b and with c–d)"""),
    ("gie", "a", "bc", "it is one of several best ones; the second best costs 0 more ("),
    ("gie(default=1)", "b", "d", "d b 3 ≥ 2/it is the only best pairing; the second best costs 1 more (with d–b)"),
    ("mgia", "bc", "d", "mgia = 0.6000 (higher is better) for instance 0 of system/predicted d 2 1…2 5 0"),
    ("fair", "bd", "ca", "● c b 2/a b 1/c d 3 forbidden/it is the only pairing with this largest cost/"
                         "the largest cost is 2, and none smaller will do: with cheaper ones only, the predicted"),
    ("twice", "b", "c", "proof: the lexicographic costs are 2, then 1, each the least after those before it; the dual"),
    ("tabled", "b", "cd", "the true class 'b' 2 0…2 3 2 2 (one more) constraint 2, CountCost('true', costs=(0, 1, 3))"),
    ("tree_wasserstein", "bc", "dbc", "predicted true cost mass/● d b 3 1/6/c b 2"),
    ("tree_induced_error", "bc", "d", """tree_induced_error has no value: no pairing is possible for instance 0
        these cannot hold together; without any one of them the others could:
        - the predicted class 'd' may have at most 1 partner"""),
])  # fmt: skip
def test_a_pairing_is_told_in_tables_and_words(name, true, said, lines):
    own, ones = [*SIDES[::2]], lambda pairs: pairs.distance**0
    declared("fair", lambda: Rule(Bottleneck(Hops()), own))
    declared("tabled", lambda: Rule(Hops(), (own[0], CountCost("true", (0, 1, 3)))))
    declared("twice", lambda: Rule(hp.pairing.Lexicographic((Hops(), ones)), own))
    [why] = explain(TREE, [[*true]], [[*said]], name)
    told = [" ".join(x.split()) for x in str(why).split("\n")]
    asked = re.split(r"(?<!\d)/|/(?!\d)|\n *", lines)
    whole = (next(x for x in told if x == y or (len(y) > 60 and x.startswith(y))) for y in asked)
    places = [told.index(line) for line in whole]
    assert places == sorted(places)
    assert not any(line.startswith("not counted") for line in told)


def test_all_pairs_that_are_chosen_are_listed():
    flat = Hierarchy.from_edges([("r", f"c{i}") for i in range(99)])
    [why] = explain(flat, [flat.names[1:50]], [flat.names[2:51]], "gie")
    assert sum(line.startswith("●") for line in str(why).split("\n")) == 49


def test_labels_that_do_not_count_are_listed():
    [why] = explain(TREE, ["b"], [["c", "d"]], "hf", classes=["a", "b", "c"])
    assert why.left_out == ("d",)
    assert ["not", "counted", "d"] in [line.split() for line in str(why).split("\n")]


@settings(max_examples=effort.cases(100), deadline=None)
@given(problems(instances=1), st.integers(1, 8))
def test_neighbourhoods_hold_the_labels_and_what_is_above_them(problem, most):
    hierarchy, edges, y_true, y_pred = problem
    [why] = explain(hierarchy, y_true, y_pred, "gie", most=most)
    part, h = why.neighbourhood, Classes(edges, hierarchy.names)
    names = [node.name for node in part.nodes]
    places = [hierarchy.position[name] for name in names]  # parents before children
    assert (places, [*part.edges]) == (sorted(places), sorted(part.edges))
    labels = {*y_true[0], *y_pred[0]}
    above = {a for label in labels for a in hierarchy.ancestors(label)}
    assert labels <= set(names) <= labels | above
    assert len(names) <= max(most, len(labels))
    assert part.n_left_out == len(labels | above) - len(names)
    linked = [(names[u], names[v]) for u, v in part.edges]
    assert sorted(linked) == sorted(edge for edge in h.weight if {*edge} <= {*names})
    for node in part.nodes:
        hidden = {*h.children[node.name]} - {c for p, c in linked if p == node.name}
        assert (node.level, node.n_hidden) == (h.level(node.name), len(hidden))
        under = {node.name, *hierarchy.descendants(node.name)}
        said = [node.true, node.predicted, node.above_true, node.above_predicted]
        mine = [{node.name} & {*side[0]} for side in (y_true, y_pred)]
        assert said == [*map(bool, mine), *(bool(under & {*side[0]}) for side in (y_true, y_pred))]
    assert len(part.pairs) == sum(p.units > 0 for p in why.evidence.pairs)
    alone = {row.of[0] for row in why.evidence.counted if row.missing}
    assert {node.name for node in part.nodes if node.alone} == alone
    assert part.framed == tuple(name in alone for name in names)


@pytest.mark.parametrize("true", [["b"], ["d"], []])
@pytest.mark.parametrize("predicted", [["b"], []])
def test_the_three_parts_of_two_sets_are_told_though_they_are_empty(true, predicted):
    for why in explain(TREE, [true], [predicted], ["hf", "f", "hf(augment=descendants)"]):
        parts = {field.name: {*field.classes} for field in why.evidence.fields}
        both, one, other = (parts[name] for name in ("in both", "only true", "only predicted"))
        if why.measure.definition.name == "f":
            assert (both | one, both | other) == ({*true}, {*predicted})


def test_of_equally_near_classes_those_above_both_sides_are_kept():
    dag = Hierarchy.from_edges([tuple(edge) for edge in ("rp", "rq", "pc", "qc", "qd")])
    [why] = explain(dag, ["c"], ["d"], "gie", most=3)
    assert {node.name for node in why.neighbourhood.nodes} == {"c", "d", "q"}


def test_the_worst_come_first():
    y_true = {"x": ["b"], "y": ["b"], "z": ["b", "d"], "w": ["b"]}
    y_pred = {"x": ["b"], "y": ["d"], "z": [], "w": ["d"]}
    found = explain(TREE, y_true, y_pred, ["gie", "hf"], worst=3)
    assert [(w.instance, w.measure.definition.name) for w in found] == [
        (i, m) for i in "zyw" for m in ("gie", "hf")
    ]
    assert [w.instance for w in explain(TREE, y_true, y_pred, "hf", worst=1)] == ["y"]
    # one that cannot be paired comes before all others, and one of which nothing counts is none
    blocked = explain(TREE, y_true, y_pred, "tree_induced_error", worst=9, ignore={"y": ["b"]})
    assert [w.instance for w in blocked] == ["z", "w", "x"]
    both = explain(TREE, y_true, y_pred, ["gie", "hf"], worst=1, root="include")
    assert both[1].measure.name == "hf(root='include')"
    assert score(TREE, y_true, {"s": y_pred}, ["hf"]).worst("s", "hf", 2) == ["y", "z"]
    for name in ("simgic(weights=ia)", "icm"):  # weights are counted from the whole truth
        whys = explain(TREE, y_true, y_pred, name, instances=list(y_true))
        assert [why.value for why in whys] == values(name, TREE, y_true, y_pred)
    assert explain(TREE, {7: ["b"]}, {7: ["b"]}, "gie", instances=["7"])[0].instance == 7
    case = hp.load_case("transposon")
    for why in explain(case.hierarchy, case.y_true, case.systems["TERL"], worst=5):
        e = why.evidence
        assert isinstance(e, FieldEvidence) or (e.optimal and e.bound == e.cost)


def views(view, *measures):
    return [why.network_in(view) for why in explain(TREE, ["b"], ["c"], measures)]


def test_a_view_is_the_network_of_a_pairing_or_the_hierarchy():
    [gie, hcm, _] = every = explain(TREE, ["b"], ["c"], ["gie", "hcm_f", "hf"])
    assert [why.network_in("auto") for why in every] == [gie.evidence, None, None]
    assert [why.network_in("network") for why in every[:2]] == [gie.evidence, hcm.evidence.proof]
    assert views("hierarchy", "gie", "hcm_f", "hf") == [None] * 3


def test_classes_are_called_by_id_by_name_or_by_both():
    tree = Hierarchy.from_edges([("r", "G:1"), ("r", "G:2")], titles={"G:1": "death"})
    [why] = explain(tree, ["G:1"], ["G:2"], "gie")
    assert {*why.classes()} == {"r", "G:1", "G:2"}
    said = [why.named(names).y_true[0] for names in ("ids", "names", "both")]
    assert said == ["G:1", "death", "death (G:1)"]
    assert why.named().evidence.pairs[0].of == ("G:2", "death (G:1)")


ONE = {"doc_1": ["b"]}


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: explain(TREE, ONE, ONE, ["gie"], worst=3, root="include"), BadInput,
     "none of the measures has an option 'root'"),
    (lambda: explain(TREE, ONE, {}, "gie", worst=3), BadInput, "1 instance has no prediction, such as 'doc_1'"),
    (lambda: pair_data_set("gie", TREE, ONE, ONE), BadInput, "pair_data_set takes a Rule, got 'gie'"),
    (lambda: explain(TREE, ONE, ONE, worst="2"), BadInput, "must be a whole number of at least 1, got '2'"),
    (lambda: explain(TREE, ONE, ONE, worst=0), BadInput, "worst must be a whole number of at least 1, got 0"),
    (lambda: score(TREE, ONE, {"s": ONE}, ["hf"]).worst("s", "gie", 2), BadInput, "'gie' was not scored \\(there is only hf\\)"),
    (lambda: explain(TREE, [["b"]], [["c"]], "gie", instances=[7]), BadInput,
     r"there is no instance 7 \(there is only 0\)"),
    *((lambda given=given: explain(TREE, ONE, ONE, "gie", instances=given), BadInput, f"instances must be a list of ids or positions, got {given!r}")
      for given in (0, "doc_1")),
    (lambda: explain(TREE, ONE, ONE, "gie", instances=["doc1"]), BadInput,
     "there is no instance 'doc1'; did you mean 'doc_1'"),
    (lambda: explain(TWO, [[]], [["s"]], "shortest_path"), hp.Infeasible, "no label stands for the root"),
    (lambda: views("network", "hf"), BadInput, "hf has no pairing to draw; take view='hierarchy'"),
    (lambda: views("net", "gie"), BadInput, "view must be one of auto, network, hierarchy, got 'net'"),
])  # fmt: skip
def test_what_cannot_be_explained_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


@settings(max_examples=effort.cases(50), deadline=None)
@given(problems(instances=1, max_labels=4), st.sampled_from(["exact", "greedy", "full"]),
       st.sampled_from([None, 2, 4]))  # fmt: skip
def test_graphs_are_those_of_the_measure(problem, extension, threshold):
    hierarchy, edges, y_true, y_pred = problem
    options = {"extension": extension, "threshold": threshold}
    names = ["lca_precision", "lca_recall", "lca_f"]
    [p, r, f] = explain(hierarchy, y_true, y_pred, names, **options)
    e = f.evidence
    own = {side: e.of(f"only {side}") for side in ("true", "predicted")}
    shared, lcas = set(e.of("in both")), e.of("chosen LCAs")
    both, true, predicted = map(len, (shared, *own.values()))
    for why, hits, of in ((f, 2 * both, 2 * both + true + predicted), (p, both, both + predicted),
                          (r, both, both + true)):  # fmt: skip
        assert not of or why.value == pytest.approx(hits / of)
    assert any(text.startswith("proof:") for text in e.remarks) == (extension == "exact")
    assert set(lcas) <= shared
    for side, labels in (("true", y_true), ("predicted", y_pred)):
        kept = {c for field in e.fields for c in getattr(field, side)}
        assert kept | {*e.of(f"above other {side} labels")} == {*labels[0]}
    for field in e.fields:
        for side in own:
            assert not {*getattr(field, side)} & {*e.of(f"above other {side} labels")}
        assert field.name != "LCAs" or not field.classes or set(field.classes) & set(lcas)
    real = {tuple(edge[:2]) for edge in edges}
    for name, graph in e.edges:
        for parent, child in graph:
            assert parent == "(any class)" or (parent, child) in real
            assert {parent, child} <= {*shared, *own[name.removesuffix(" graph")]}
    shown, h = f.neighbourhood, Classes(edges, hierarchy.names)
    few = explain(hierarchy, y_true, y_pred, "lca_f", most=1, **options)[0].neighbourhood
    assert {*lcas} <= {node.name for node in few.nodes}
    names = [node.name for node in shown.nodes]
    assert {*names} == {*shared, *own["true"], *own["predicted"]}
    level = {c: h.level(c) + ("(any class)" in names) for c in h.names} | {"(any class)": 0}
    assert [node.level for node in shown.nodes] == [level[c] for c in names]
    assert {(names[u], names[v]) for u, v in shown.edges} == {x for _, g in e.edges for x in g}
    assert shown.framed == tuple(name in lcas for name in names)
    assert [shown.nodes[i].name for i in shown.lcas or ()] == list(lcas) or threshold
    assert f.to_dict()["fields"]["title"] == f"{extension} graphs"
    assert f"{extension} graphs" in str(f)


@pytest.mark.parametrize(("ways", "notes"), [
    ({0: 4, 3: 2}, ["s, lca_f: 4 decided without a choice, 2 stopped by the limit"]),
    ({0: 4, 2: 1}, ["s, lca_f: 4 decided without a choice, 1 solved by CP-SAT"]), ({0: 4, 1: 1}, []),
])  # fmt: skip
def test_a_limit_that_was_hit_is_a_note(ways, notes):
    scores = score(TREE, [["b"]], {"s": [["c"]]}, ["lca_f"])
    ways = {SOLVED_BY[k]: n for k, n in ways.items()}
    found = replace(scores, solved_by={("s", "lca_f"): ways})
    assert found.solver_notes == notes
    hit = "s, lca_f: bound: the limit of the solver was reached for 2 instances" in str(found)
    assert hit == (2 in ways.values())


@pytest.mark.parametrize(("name", "kind", "field", "other"), [
    ("hf", FieldEvidence, "counts", (("n_true", 3), ("n_pred", 2), ("n_both", 2))),
    ("gie", FlowEvidence, "arcs", ()),
    ("lca_f", FieldEvidence, "counts", (("n_true", 5),)),
    ("hcm_tp", FieldEvidence, "counts", (("tp", 0),)),
    ("depth_loss", FieldEvidence, "counts", (("w_single", 0.0),)),
])  # fmt: skip
def test_evidence_that_does_not_give_the_score_is_refused(name, kind, field, other, monkeypatch):
    """Something shown is changed behind the score's back: both values are named."""
    init = kind.__init__

    def changed(self, *of, **how):
        init(self, *of, **how)
        object.__setattr__(self, field, other)

    monkeypatch.setattr(kind, "__init__", changed)
    with pytest.raises(AssertionError, match=r"the score is [\d.]+, and its evidence gives [\d.]+"):
        explain(TREE, [["b", "d"]], [["c"]], name)


@pytest.mark.parametrize("value", [9.0, math.nan])
def test_the_worst_value_is_that_of_the_score(monkeypatch, value):
    real = instances.explained_at
    monkeypatch.setattr(instances, "explained_at", lambda *of: replace(real(*of), value=value))
    with pytest.raises(AssertionError, match=rf"the score is {value}, and score\(\) gives 10.0"):
        explain(TREE, ["b"], ["d"], "gie(max_distance=1)", worst=3)


@settings(max_examples=effort.cases(75), deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.data())
def test_the_pairing_of_a_confusion_matrix_is_proved(above, data):
    """Exact pairings are proved, and a published one has never more TP."""
    tree = Hierarchy.from_edges([(parent % child, child) for child, parent in enumerate(above, 1)])
    labels = st.lists(st.integers(0, len(above)), max_size=4, unique=True)
    sides, kinds = [[data.draw(labels)] for _ in "tp"], ("exact", "published")
    exact, published = (explain(tree, *sides, "hcm_tp", pairing=kind)[0] for kind in kinds)
    assert exact.evidence.proof.optimal
    assert "proof: " in str(exact)
    assert published.evidence.proof is None
    assert "proof: " not in str(published)
    assert exact.value >= published.value


# ----------------------- a data set as a whole: costs of its constraints, and pairs with quotas

TWO_LEVELS = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")])
SIDES = tuple(c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, 3)))
TRUTH = [["x", "y"], ["b"], ["x"], ["z", "y"]]
SAID = [["a"], ["b", "x"], ["z"], ["z", "x", "b"]]


def declared(name, rule, **about):
    """A measure of pairs by its rule, which may have an option."""
    rule.__name__, rule.__doc__ = name, "Mine."
    pair_measure(**about)(rule)


def test_costs_are_what_is_left_when_a_constraint_goes(monkeypatch):
    def bounded(most: int = 1):
        sides = [c for s in ("predicted", "true") for c in (Degree(s, 1, 2), Unmatched(s, 4))]
        pairs = hp.pairing.Cardinality(0, lambda x: np.where(x.position < 3, most, 9))
        return Rule(Hops(), (*sides, pairs, Forbid(lambda p: p.distance == 0)))

    declared("bounded", bounded)
    names = ["bounded", "tree_induced_error"]
    found = constraint_costs(TWO_LEVELS, TRUTH, SAID, names, system="mine")
    scores, more = (values(m, TWO_LEVELS, TRUTH, SAID) for m in ("bounded", "bounded(most=9)"))
    scores, more = np.array(scores), np.array(more)
    paired = score(TWO_LEVELS, TRUTH, {"s": SAID}, names[1], on_infeasible="nan").per_instance["s"]
    for name, each, none in ("bounded", scores, 0), (names[1], paired, 3):
        told = f"{name} of mine: 4 instances cost {np.nansum(each):g} in all, without a pairing: {none}"
        assert told in found.notes
    with monkeypatch.context() as patched:
        patched.setattr("hierpair.evaluation.batches.CHUNK", 1)
        assert constraint_costs(TWO_LEVELS, TRUTH, SAID, names, system="mine").rows == found.rows
    by = {(row.measure, row.number): row for row in found.rows}
    assert len(by) == 6 + 2
    total = by["bounded", 5]
    assert total.cost == (scores - more).sum() > 0
    assert total.largest == (scores - more).max()
    assert total.n_binding == (scores > more).sum()
    assert by["bounded", 6].cost > 0
    assert by["bounded", 2].n_needed > 0  # Unmatched is a permission
    assert by["tree_induced_error", 1].n_blocked == 3
    assert json.loads(found.to_json())[0]["measure"] == "bounded"
    assert "mine" in found.to_csv()
    text = found.to_text()
    assert "only with" in text
    assert "tree_induced_error of mine: 4 instances cost 4 in all, without a pairing: 3" in text


def test_rules_that_do_not_stand_without_a_constraint_or_have_none():
    costs = CountCost("true", (0, 4, 5)), CountCost("true", (0, 0, 3))
    declared("dented", lambda: Rule(Hops(), costs))
    declared("fair", lambda: Rule(Bottleneck(Hops()), [*SIDES[::2]]))
    found = constraint_costs(TWO_LEVELS, [["x"]], [["x", "y"]], "dented")
    assert math.isnan(found.rows[1].cost)
    assert "its rule does not stand without constraint 2: " in found.to_text()
    for name, message in (("fair", "fair minimises its largest cost first"),
                          ("hf", "hf has no rule of pairs")):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            constraint_costs(TWO_LEVELS, [["x"]], [["y"]], name)


# ------------------------------------------------------------------------------- quotas


def paired(truth, prediction, *quotas, cost=Hops()):  # noqa: B008
    return pair_data_set(Rule(cost, (*SIDES, *quotas)), TWO_LEVELS, truth, prediction)


@pytest.mark.parametrize("seed", range(2))
def test_the_price_of_a_quota_bounds_what_a_pair_more_or_less_is_worth(seed):
    drawn = np.random.default_rng(seed).random((2, 12, 5)) < 0.4
    truth, prediction = [[np.array(list("abxyz"))[row].tolist() for row in side] for side in drawn]
    totals = [paired(truth, prediction, Quota(upper=k)) for k in range(0, 25)]
    costs = [x.cost for x in totals]
    for k in range(1, 24):
        [row] = totals[k].quotas
        assert costs[k] - costs[k + 1] <= row.price <= costs[k - 1] - costs[k]
        assert row.units <= k
    most = totals[24].quotas[0].units  # as many as are worth their cost; more are asked for
    dear = lambda pairs: pairs.distance + 9  # noqa: E731
    [row] = paired(truth, prediction, Quota(lower=most - 1), cost=dear).quotas
    assert row.units == most - 1
    assert row.price < 0
    every = paired(truth, prediction, Quota("predicted", upper=2)).quotas
    says = {f"the predicted class {c!r} in all instances" for row in prediction for c in row}
    assert {row.says for row in every} == says
    assert all(row.units <= 2 and row.price >= 0 for row in every)
    thirds = paired([["a"]], [["a"]], Quota(upper=1), cost=lambda pairs: pairs.distance + 1 / 3)
    assert "cost 0.3333 = pairs 0.3333" in str(thirds)
    assert "cost 3.3e-01 = pairs 3.3e-01" in thirds.to_text(digits=0)
    one = Degree("predicted", 1, 1), Unmatched("predicted", 9), CountCost("true", (0, 1, 5))
    free = paired([["a"], ["b"]], [["a"], ["b"]], Quota(upper=2)).to_table("tsv").splitlines()
    assert free == ["instance\tpredicted\ttrue\tcost", "0\ta\ta\t0.0", "1\tb\tb\t0.0"]
    dear = pair_data_set(Rule(Hops(), one), TWO_LEVELS, [["x"], ["y"]], [["x"], []])
    assert [(row.units, row.paid) for row in dear.counted] == [(1, 1)]  # what pays, and no other


def test_what_is_of_single_instances_refuses_such_rules():
    def hidden(quota: bool = False) -> Rule:
        """It only shows its quota when it runs."""
        shared = lambda b: b.count(b.across(None, np.zeros(2, int)), 0, 1)  # noqa: E731
        return Rule(Hops(), (*SIDES, *[shared] * quota))

    declared("hidden", hidden)
    declared("few_in_all", lambda: Rule(Hops(), (*SIDES, Quota(upper=10))))
    rule = Rule(Hops(), (*SIDES, Quota(upper=1)))
    assert rule.spans
    several = hp.LabelDistribution.from_scenarios([[(0.5, ["a"]), (0.5, ["b"])]], TWO_LEVELS)
    sides = TWO_LEVELS, [["a"], ["b"]], [["a"], ["b"]]
    one = "only the total is determined and no instance has"
    for call, message in (
        (lambda: hp.measure("few_in_all").recipe, one), (lambda: score(*sides, ["few_in_all"]), one),
        (lambda: explain(*sides, "few_in_all"), one), (lambda: partial(*sides, ["few_in_all"]), one),
        (lambda: score(*sides, ["hidden(quota=True)"]), "solve and explain the whole data set with pair_data"),
        (lambda: PairRecipe(rule), "quotas over the data set"),
        (lambda: decode_pairing(several, rule), r"cannot be decoded exactly.*quotas"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            call()


def test_pairs_that_a_rule_names_in_the_other_order_are_refused():
    declared("never_xy", lambda: Rule(Hops(), (*SIDES, Forbid((("x", "y"),)))))
    told = r"pairs are \(predicted, true\), and only \('y', 'x'\) occurs; write that"
    for call in (score, explain, constraint_costs, lambda *given: partial(*given).scores()):
        with pytest.raises(BadInput, match=told):
            call(TWO_LEVELS, [["z"], ["x"]], [["z"], ["y"]], "never_xy")
    sides = ([["x"]], [["y"]]), ([["y"]], [["x"]])  # in the other order alone, and as it is named
    several = (partial(TWO_LEVELS, *given, "never_xy", part=str(given)) for given in sides)
    assert merge(*several).scores().values.tolist() == [[4.0]]
    turned, right = ([["y"], ["z"]], [["z"], ["x"]])
    found = score(TWO_LEVELS, [["x"], ["y"]], {"one": turned, "other": right}, "never_xy")
    assert found.values.tolist() == [[3.0], [5.0]]
    declared("never_both", lambda: Rule(Hops(), (*SIDES, Forbid((("x", "y"), ("y", "x"))))))
    found = score(TWO_LEVELS, [["z"], ["x"]], [["z"], ["y"]], "never_both")
    assert found.values.tolist() == [[3.0]]
