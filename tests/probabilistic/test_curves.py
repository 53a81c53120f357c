"""Curves of scores, and answers that stop early: slow references, scikit-learn, edges."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores, decode, probabilistic
from hierpair.cli.main import main
from hierpair.probabilistic import (
    answers,
    apply_threshold,
    level_thresholds,
    pooled_curve,
    pooled_curves,
    precision_recall_curves,
    selective_curve,
)
from hierpair.probabilistic.curves import AREAS
from tests import effort
from tests.oracles import distributions as reference
from tests.scenarios import hierarchy_of, random_parents
from tests.strategies import dags


def closed_row(parents, row, closure):
    """Scores that are lifted to the best below or lowered to the least above."""
    above = {v: reference.ancestors(parents, v) for v in parents}
    if closure == "min":
        return [min(row[u] for u in above[v]) for v in parents]
    return [max(row[u] for u in parents if v in above[u]) for v in parents] if closure else row


@pytest.mark.random_cases
@pytest.mark.parametrize("closure", [None, "max", "min"])
@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("root", ["exclude", "include"])
def test_against_sets_and_scikit_learn(dag, root, closure):
    """With points that straight lines need left out, areas and all numbers of hits are the same.

    An instance without scores has all scores 0.
    """
    rng = np.random.default_rng(4)
    for _ in range(effort.cases(50)):
        parents = random_parents(rng, int(rng.integers(3, 12)), dag=dag)
        shape = 5, len(parents)
        table = np.where(rng.random(shape) < 0.4, 0, np.round(rng.random(shape), 1))
        truth = [rng.choice(len(parents), n, replace=False).tolist() for n in rng.integers(1, 4, 5)]
        out = {0} if root == "exclude" else set()
        table[:, 0], table[0] = 1, 0
        counted = [v for v in parents if v not in out]
        about = {"classes": list(parents), "ids": [*"bcde"][::-1]}
        scores = NodeScores.from_array(table[:0:-1], hierarchy_of(parents), **about)
        how = {"root": root, "closure": closure, "missing": "empty"}
        truth_of = dict(zip("abcde", truth, strict=True))
        curves = precision_recall_curves(truth_of, scores, **how)
        fewer = precision_recall_curves(truth_of, scores, **how, drop_intermediate=True)
        areas = {how: curves.areas(how) for how in AREAS}
        for how in AREAS:
            assert fewer.areas(how) == pytest.approx(areas[how], abs=1e-13, nan_ok=True)
        for i, labels in enumerate(truth):
            y = reference.closed(parents, labels, out)
            if not y:
                assert np.isnan(areas["step"][i])
                continue
            row = np.array(closed_row(parents, table[i].tolist(), closure))
            points = reference.curve({v: row[v] for v in counted}, y)
            rows = slice(*curves.indptr[i : i + 2])
            assert list(zip(curves.recall[rows], curves.precision[rows], strict=True)) == [
                (float(r), float(p)) for r, p in points
            ]
            assert curves.threshold[rows].tolist() == [
                math.inf,
                *sorted({*row[counted]}, reverse=True),
            ]
            for how, area in zip(AREAS, reference.areas(points), strict=True):
                assert areas[how][i] == pytest.approx(float(area), abs=1e-13)
            if row[counted].any():
                ap = average_precision_score([v in y for v in counted], row[counted])
                assert areas["step"][i] == pytest.approx(ap, abs=1e-13)
            every, some = (
                {*zip(of.threshold[at], of.precision[at], of.n_hit[at], strict=True)}
                for of in (curves, fewer) for at in [slice(*of.indptr[i : i + 2])]
            )  # fmt: skip
            assert some <= every
            assert {hit for *_, hit in some} == {hit for *_, hit in every}
        if not np.isnan(areas["step"]).all():
            assert curves.mean_area("step") == pytest.approx(np.nanmean(areas["step"]))


TWO = Hierarchy.from_edges([("r", "a"), ("r", "b")])
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


@pytest.mark.parametrize("weights", [None, "ia", "ic"])
def test_a_namespace_has_the_curve_that_it_has_alone(weights):
    """Also its weights are counted among its own annotations."""
    both = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("s", "c"), ("s", "d")], roots="any")
    truth = [["a"], ["b", "c"], ["d"], ["a"], ["c"]]
    table = np.round(np.random.default_rng(2).random((5, 4)), 1)
    scores = NodeScores.from_array(table, both, classes="abcd")
    how = {"weights": weights, "root": "include"}
    found = pooled_curves(truth, scores, by=["x" if c in "rab" else "y" for c in both.names], **how)
    for space, root, names, at in (("x", "r", "ab", slice(2)), ("y", "s", "cd", slice(2, 4))):
        tree = Hierarchy.from_edges([(root, name) for name in names])
        own = NodeScores.from_array(table[:, at], tree, classes=names, with_root=False)
        sets = [[x for x in row if x in names] for row in truth]
        alone = pooled_curve(sets, own, **how)
        assert found[space].records().to_dicts() == alone.records().to_dicts()


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_tables_and_points_of_a_curve_weigh_recall_alike(beta):
    scores = NodeScores.from_array([[0.9, 0.1], [0.4, 0.3]], TWO, classes="ab")
    curve = pooled_curve(["a", "b"], scores)
    shown = json.loads(curve.to_table("json", beta=beta))
    assert shown["points"] == curve.records(beta).to_dicts()
    assert (
        shown["curves"][0]["fmax"] == max(row["f"] for row in shown["points"]) == curve.fmax(beta)
    )


def test_ids_are_matched_and_empty_truth_is_left_out():
    scores = NodeScores.from_array([[0.9, 0.1], [0.2, 0.8]], TWO, classes="ab", ids=["x", "y"])
    curves = precision_recall_curves({"y": ["b"], "x": ["b"]}, scores)
    assert curves.ids == ("y", "x")
    assert precision_recall_curves([["b"], ["b"]], scores).ids == ("x", "y")
    assert curves.areas("step").tolist() == [1.0, 0.5]
    assert precision_recall_curves({"x": [], "y": ["b"]}, scores).mean_area() == 1.0
    without = precision_recall_curves({"x": [], "y": []}, scores)
    assert np.isnan([without.mean_area(), *without.mean_precision(np.array([0.0, 1.0]))]).all()
    for call, message in (
        (lambda: precision_recall_curves({"y": ["b"], "z": ["a"], "x": []}, scores), "no prediction.*missing='empty'"),
        (lambda: precision_recall_curves({"x": ["b"]}, scores, missing="empty"), "no truth"),
        (lambda: precision_recall_curves({"y": ["b"], "x": []}, scores, missing="skip"), "missing must be"),
        (lambda: pooled_curve([["a"], ["b"]], scores, unknown="root"), "unknown must be"),
        (lambda: curves.areas("romberg"), "must be one of"),
        (lambda: precision_recall_curves([["a"]], [[1]]), "a LabelDistribution or NodeScores, got list"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            call()


def test_mean_precision_is_interpolated():
    rows = [[0.9, 0.8, 0.1, 0.7], [0.9, 0.1, 0.8, 0.1]]
    scores = NodeScores.from_array(rows, TREE, classes="abcd")
    curves = precision_recall_curves([["d"], ["c"]], scores)
    # first: points (1/2, 1), (1/2, 1/2), (1, 2/3), (1, 1/2); second: (1/2, 1), (1, 1), …
    got = curves.mean_precision(np.array([0.0, 0.5, 0.75, 1.0]))
    assert got.tolist() == pytest.approx([1.0, 1.0, (2 / 3 + 1) / 2, (2 / 3 + 1) / 2])


@pytest.mark.parametrize("drop", [False, True])
def test_no_instance_and_no_score_are_no_trouble(drop):
    none, zeros = (NodeScores.from_array(np.zeros((n, 3)), TWO) for n in (0, 2))
    curves = precision_recall_curves([], none, drop_intermediate=drop)
    assert len(curves) == 0
    assert np.isnan(curves.mean_area())
    areas = precision_recall_curves([["a"], []], zeros, drop_intermediate=drop).areas()
    assert areas.tolist() == pytest.approx([0.75, math.nan], nan_ok=True)  # from (0, 1) to (1, 1/2)


# --------------------------------------------------------------------- answers that stop early

RULES = ("climb", "leaf_or_root", "largest_coverage")


@st.composite
def answered(draw, **options):
    """A hierarchy with one root, probabilities of its leaves, and one true class each."""
    edges, names = draw(dags(10, single_root=True, **options))
    h = Hierarchy.from_edges(edges, classes=names, roots="any")
    leaves = [c for c in h.names if not h.descendants(c)]
    row = st.tuples(*[st.integers(0, 4)] * len(leaves)).filter(any)
    rows = draw(st.lists(st.tuples(row, st.sampled_from(h.names)), min_size=1, max_size=5))
    p = np.array([row for row, _ in rows], dtype=float)
    return h, leaves, p / p.sum(1, keepdims=True), [c for _, c in rows]


def above(h, c):
    return {c, *h.ancestors(c)}


def leaves_of(h, c):
    return {x for x in (c, *h.descendants(c)) if not h.descendants(x)}


def marginals(h, leaves, row):
    return {c: min(1.0, sum(x for leaf, x in zip(leaves, row, strict=True) if c in above(h, leaf)))
            for c in h.names}  # fmt: skip


def answer_of(h, leaves, row, rule, threshold):
    """The answer of a rule, by looking at all classes."""
    p = marginals(h, leaves, row)
    p |= dict.fromkeys(h.roots, 1.0)
    best = min(leaves, key=lambda c: (-p[c], h.names.index(c)))
    among = {"climb": above(h, best), "leaf_or_root": {best, *h.roots},
             "largest_coverage": {*h.names}}[rule]  # fmt: skip
    order = sorted(among, key=lambda c: (len(leaves_of(h, c)), -p[c], h.names.index(c)))
    for c in order:
        by_level = isinstance(threshold, dict)
        t = threshold.get(h.levels[h.names.index(c)], 0) if by_level else threshold
        if p[c] >= t - 1e-12 and (p[c] > 0 or rule == "climb"):
            return c
    return None


THRESHOLDS = (0.123, 0.377, 0.517, 0.809, 0.991)  # none is a probability of the cases


@given(answered(), st.sampled_from(RULES), st.sampled_from(THRESHOLDS))
@settings(max_examples=effort.cases(200), deadline=None)
def test_answers_are_those_of_the_reference(case, rule, threshold):
    h, leaves, p, _ = case
    scores = NodeScores.from_array(
        [[marginals(h, leaves, row)[c] for c in h.names] for row in p], h, classes=h.names
    )
    by_level = {0: 0.1, int(h.levels[-1]): threshold}
    for given_p, least in ((scores, threshold), (p, threshold), (scores, by_level)):
        found = answers(given_p, rule, least, hierarchy=h if given_p is p else None)
        for i, row in enumerate(p):
            assert found.names_of(i, h) == [answer_of(h, leaves, row, rule, least)]


@given(answered(), st.sampled_from(RULES), st.booleans())
@settings(max_examples=effort.cases(200), deadline=None)
def test_every_point_of_the_curve_is_what_its_threshold_gives(case, rule, weighted):
    h, leaves, p, y = case
    weight = np.arange(1.0, len(y) + 1) if weighted else np.ones(len(y))
    curve = selective_curve(y, p, rule, hierarchy=h, sample_weight=weight if weighted else None)
    n = len(leaves)

    def bits(c):
        return -math.log2(len(leaves_of(h, c)) / n)

    for k, t in enumerate(curve.threshold.tolist()):
        rows = []
        for row, true in zip(p, y, strict=True):
            c = h.roots[0] if t == np.inf else answer_of(h, leaves, row, rule, t)
            a = max(bits(x) for x in above(h, c) & above(h, true))
            rows.append([
                1 - math.log(len(leaves_of(h, c))) / math.log(n) if n > 1 else float(t < np.inf),
                c not in above(h, true), t < np.inf and not h.descendants(c),
                a / bits(c) if bits(c) else 1, a / bits(true) if bits(true) else 1,
            ])  # fmt: skip
        expected = weight @ np.array(rows, dtype=float) / weight.sum()
        got = [curve.coverage[k], curve.risk[k], curve.leaves[k], curve.precision[k],
               curve.recall[k]]  # fmt: skip
        assert got == pytest.approx(expected.tolist(), abs=1e-9)
    assert (np.diff(curve.threshold) < 0).all()
    x = np.concatenate([[0], curve.coverage, [1]])
    y_ = np.concatenate([[0], curve.risk, curve.risk[-1:]])
    assert curve.area() == pytest.approx(np.trapezoid(y_, x))
    points = [*zip(curve.recall, curve.precision, strict=True)]
    steps = sorted({r for r, _ in points})
    area = sum((r - s) * max(q for x, q in points if x >= r)
               for s, r in zip([0, *steps], steps, strict=False))  # fmt: skip
    assert curve.information_area() == pytest.approx(area)
    for risk in (0.0, 0.3, 1.0):
        at = curve.at_risk(risk)
        assert curve.risk[at] <= risk
        assert curve.coverage[at] == curve.coverage[curve.risk <= risk].max()
        assert curve.recall_at(1 - risk) == curve.recall[curve.risk <= risk + 1e-15].max()


@given(answered(tree=True), st.sampled_from([0.0, 0.2, 0.5]))
@settings(max_examples=effort.cases(200), deadline=None)
def test_thresholds_by_level_keep_their_risk(case, risk):
    h, leaves, p, y = case
    found = probabilistic.level_thresholds(y, p, risk, hierarchy=h)
    for level, t in found.items():
        told = []
        for row, true in zip(p, y, strict=True):
            best = answer_of(h, leaves, row, "leaf_or_root", 0)
            some = [c for c in above(h, best) if h.levels[h.names.index(c)] == level]
            told += [(max(marginals(h, leaves, row)[c], c in h.roots), c in above(h, true))
                     for c in some]  # fmt: skip

        def wrong(least, told=told):
            kept = [right for x, right in told if x >= least - 1e-12]
            return 1 - sum(kept) / len(kept) if kept else 0

        assert wrong(t) <= risk + 1e-12
        below = [x for x, _ in told if x < t - 1e-12]
        assert all(wrong(x) > risk for x in below)
        assert t == 0 or not told or wrong(0) > risk


def test_a_curve_of_the_paper_s_kind_by_hand():
    h = Hierarchy.from_edges([tuple(edge) for edge in ("ra", "rb", "ac", "ad", "be", "bf")])
    p = [[0.625, 0.25, 0.125, 0.0], [0.375, 0.125, 0.25, 0.25]]
    climb, other = (selective_curve(["c", "d"], p, rule, hierarchy=h) for rule in RULES[:2])
    # 1: r r; 0.875: a r; 0.625: c r; 0.5: c a; 0.375: c c, of which the second is wrong
    assert climb.threshold.tolist() == [np.inf, 1.0, 0.875, 0.625, 0.5, 0.375]
    assert climb.risk.tolist() == [0, 0, 0, 0, 0, 0.5]
    assert climb.gain(other) == 0.5
    assert "hAURC" in climb.to_text()


FIVE = Hierarchy.from_edges([tuple(edge) for edge in ("ra", "rb", "ac", "ad", "be")])


def test_decoding_by_a_rule(tmp_path, capsys):
    law = LabelDistribution.from_leaves([[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]], FIVE)
    found = decode(law, rule="climb", threshold=0.6)
    assert [found.sets.names_of(i, FIVE) for i in (0, 1)] == [["a"], ["r"]]
    assert found.value.tolist() == [0.8, 1.0]
    usual = decode(law, rule="climb").sets
    assert [usual.names_of(i, FIVE) for i in (0, 1)] == [["c"], ["r"]]  # from 0.5 on
    for call, message in (
        (lambda: decode(law), "give a measure, or a rule"),
        (lambda: decode(law, measure="hf", rule="climb"), "give a measure, or a rule"),
        (lambda: decode(law, rule="jump"), "rule must be"),
        (lambda: answers([[0.5, 0.2, 0.2]], hierarchy=FIVE), "scores of leaves have to add up"),
        (lambda: answers(law, threshold={7: 0.5}), "there is no level 7"),
        (lambda: answers(law, threshold={"1": 0.5}), "there is no level '1'"),
        *(
            (lambda call=call, bad=bad: call(bad), r"must be in \[0, 1\], got")
            for bad in (70, -0.1, math.nan, "0.5")
            for call in (
                lambda x: answers(law, threshold=x),
                lambda x: answers(law, threshold={1: x}),
                lambda x: apply_threshold(law, x),
                lambda x: level_thresholds(["c", "d"], law, x),
                selective_curve(["c", "d"], law).at_risk,
            )
        ),
        *(
            (
                lambda y=y, w=w: selective_curve(y, law.part(0, len(y)), sample_weight=w),
                "no instance",
            )
            for y, w in (([], None), (["c"], [0]))
        ),
        *(
            (lambda bad=bad: pooled_curve(["c", "d"], law, thresholds=bad), "must be a list of num")
            for bad in (0.5, "0.5")
        ),
        (
            lambda: answers(NodeScores.from_array([[0.2, 0.9]], FIVE, classes="ac")),
            "'c' is more probable than its parent 'a'",
        ),
        (lambda: answers([[0.5, 0.5]]), "name the hierarchy: the probabilities are no NodeScores"),
    ):
        with pytest.raises(BadInput, match=message):
            call()
    tree, p = tmp_path / "tree.tsv", tmp_path / "p.tsv"
    tree.write_text("r\ta\nr\tb\na\tc\na\td\nb\te\n")
    p.write_text("x\tc\t0.5\nx\td\t0.3\nx\te\t0.2\ny\tc\t0.3\ny\td\t0.3\ny\te\t0.4\n")
    assert main(["decode", str(tree), str(p), "--rule", "climb", "--threshold", "0.6"]) == 0
    out = capsys.readouterr()
    assert out.out.splitlines()[-2:] == ["x\ta", "y\tr"]
    assert "the rule climb at 0.6" in out.err


def test_instances_are_answered_some_at_a_time(monkeypatch):
    p, found = np.random.default_rng(2).dirichlet([1, 1, 1], 20), []
    for cells in (probabilistic.selective.CELLS, 1):
        monkeypatch.setattr(probabilistic.selective, "CELLS", cells)
        found += [[answers(p, rule, 0.6, hierarchy=FIVE).indices.tolist() for rule in RULES]]
    assert found[0] == found[1]


def test_no_order_of_instances_changes_a_bit_of_a_selective_curve():
    rng = np.random.default_rng(8)
    p, weight = rng.dirichlet(np.ones(3), 200), rng.random(200)
    truth = np.array(["c", "d", "e", "a"])[rng.integers(0, 4, 200)]
    one, other = (
        selective_curve([[x] for x in truth[by]], p[by], hierarchy=FIVE, sample_weight=weight[by])
        for by in (np.arange(200), rng.permutation(200))
    )
    for name in ("threshold", "coverage", "risk", "leaves", "precision", "recall"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    assert 0 < one.risk[-1] < 1
