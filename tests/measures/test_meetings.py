"""Costs and measures of where two classes meet: against definitions, vectors and each other."""

import json
import math

import pytest
from hypothesis import given, settings

from hierpair import Hierarchy, Infeasible, explain, score
from hierpair.pairing import Climb, Height
from tests import effort
from tests.oracles import reviewed as slow
from tests.oracles.meetings import Meetings
from tests.paths import SHARED
from tests.scoring import all_pairs_of, pooled, values
from tests.strategies import dags, problems

VECTORS = SHARED / "modern" / "mistakes.json"
needs_vectors = pytest.mark.skipif(not VECTORS.is_file(), reason=f"no {VECTORS}")
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])


@given(dags(max_classes=9))
@settings(max_examples=effort.cases(125), deadline=None)
def test_heights_and_climbs_against_all_common_ancestors(dag):
    edges, names = dag
    hierarchy, by_hand = (
        Hierarchy.from_edges(edges, classes=names, roots="any"),
        Meetings(edges, names),
    )
    table = all_pairs_of(hierarchy, names)
    height, share, climb = table(Height()), table(Height("root")), table(Climb())
    highest = max(1, *(by_hand.height(c) for c in names))
    for t, p in height:  # pairs of a true and a predicted class
        d = by_hand.d(t, p)
        assert height[t, p] == (math.inf if d is None else d)
        assert share[t, p] == height[t, p] / highest
        met = max(map(by_hand.depth, by_hand.common(t, p)), default=-math.inf)
        assert climb[t, p] == by_hand.depth(t) - met
    tree = all(len(by_hand.parents[c]) < 2 for c in names)
    for u, v, w in [(u, v, w) for u in names for v in names for w in names] if tree else []:
        assert height[u, w] <= max(height[u, v], height[v, w])


@given(dags(max_classes=9))
@settings(max_examples=effort.cases(50), deadline=None)
def test_information_climbs_against_all_common_ancestors(dag):
    edges, names = dag
    counts = {c: i + 1 for i, c in enumerate(names)}
    ic = slow.content(edges, names, counts)
    table = all_pairs_of(Hierarchy.from_edges(edges, classes=names, roots="any"), names)
    for (t, p), got in table(Climb(counts, by="information")).items():
        shared = slow.best_shared(edges, names, ic, p, t)
        want = math.inf if shared is None else ic[t] - shared
        assert got == pytest.approx(want, abs=1e-9)


@needs_vectors
def test_vectors_of_the_top_prediction():
    cases = json.loads(VECTORS.read_text())["cases"]
    words = {
        "mistake_severity": "mistake_severity",
        "lca_depth": "lca_depth",
        "mean_hops_of_mistakes": "mistake_severity(cost=hops)",
        "height_ilsvrc_normalised": "mean_cost(cost=height(normalise=root))",
    }
    for case in cases:
        hierarchy = Hierarchy.from_edges(case["edges"], classes=case["classes"])
        top = [ranking[:1] for ranking in case["ranking"]]
        truth = [[t] for t in case["truth"]]
        for word, name in words.items():
            want = case["expected"][word]
            got = score(hierarchy, truth, {"s": top}, [name])["s", name]
            assert got == pytest.approx(math.nan if want is None else want, abs=1e-12, nan_ok=True)


@given(problems(max_classes=8, max_labels=3, single_root=True))
@settings(max_examples=effort.cases(125), deadline=None)
def test_depths_of_what_is_shared_by_definition(problem):
    hierarchy, edges, y_true, y_pred = problem
    by_hand = Meetings(edges, hierarchy.names)
    shared, share = (values(m, hierarchy, y_true, y_pred) for m in ("lca_depth", "lca_depth_share"))
    for i, (true, predicted) in enumerate(zip(y_true, y_pred, strict=True)):
        grown = [frozenset().union(*map(by_hand.ancestors, side)) for side in (true, predicted)]
        deepest = max(map(by_hand.depth, grown[0] & grown[1]), default=0)
        own = max(map(by_hand.depth, grown[0]), default=0)
        assert shared[i] == deepest
        assert share[i] == (deepest / own if own else 1)


def test_severity_has_no_value_without_mistakes_and_says_what_it_cannot_judge():
    assert math.isnan(pooled("mistake_severity", TREE, ["c"], ["c"]))
    assert pooled("mistake_severity", TREE, ["c"], ["c"], zero_division=0) == 0
    assert values("mistake_severity", TREE, ["c", "e"], ["d", "d"]) == [2, 2]
    with pytest.raises(Infeasible):
        values("mistake_severity", TREE, [["c", "d"]], [["c"]])
    why = explain(TREE, ["e"], ["b"], "mistake_severity")[0]
    assert (why.value, why.evidence.cost, why.evidence.optimal) == (3, 3, True)


def test_the_evidence_of_shared_depths_has_the_depths():
    why = explain(TREE, [["e", "b"]], [["d"]], "lca_depth_share")[0]
    assert why.value == pytest.approx(1 / 3)
    shared, true = why.evidence.fields[-2:]
    assert dict(why.evidence.counts) == {"shared_depth": shared.total, "true_depth": true.total}
    assert "a (1)" in why.to_text()
