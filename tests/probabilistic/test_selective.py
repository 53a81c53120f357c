"""When to stop: rules and their curves against a reference that answers one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores, decode
from hierpair.cli.main import main
from hierpair.probabilistic import answers, level_thresholds, selective_curve
from tests.strategies import dags

RULES = ("climb", "leaf_or_root", "largest_coverage")


@st.composite
def cases(draw, **options):
    """A hierarchy with one root, probabilities of its leaves, and one true class each."""
    edges, names = draw(dags(10, single_root=True, **options))
    h = Hierarchy.from_edges(edges, classes=names, roots="any")
    leaves = [c for c in h.names if not h.descendants(c)]
    n = draw(st.integers(1, 5))
    p = np.array(draw(st.lists(
        st.lists(st.integers(0, 4), min_size=len(leaves), max_size=len(leaves)).filter(any),
        min_size=n, max_size=n,
    )), dtype=float)  # fmt: skip
    p /= p.sum(1, keepdims=True)
    y = draw(st.lists(st.sampled_from(h.names), min_size=n, max_size=n))
    return h, leaves, p, y


def above(h, c):
    return {c, *h.ancestors(c)}


def leaves_of(h, c):
    return {x for x in (c, *h.descendants(c)) if not h.descendants(x)}


def marginals(h, leaves, row):
    return {c: min(1.0, sum(x for leaf, x in zip(leaves, row, strict=True) if c in above(h, leaf)))
            for c in h.names}  # fmt: skip


def reference(h, leaves, row, rule, threshold):
    """The answer of a rule, by looking at all classes."""
    p = marginals(h, leaves, row)
    p |= dict.fromkeys(h.roots, 1.0)
    best = min(leaves, key=lambda c: (-p[c], h.names.index(c)))
    among = {"climb": above(h, best), "leaf_or_root": {best, *h.roots},
             "largest_coverage": {*h.names}}[rule]  # fmt: skip
    order = sorted(among, key=lambda c: (len(leaves_of(h, c)), -p[c], h.names.index(c)))
    least = threshold if isinstance(threshold, dict) else None
    for c in order:
        t = least.get(int(h.levels[h.names.index(c)]), 0) if least is not None else threshold
        if p[c] >= t - 1e-12 and (p[c] > 0 or rule == "climb"):
            return c
    return None


THRESHOLDS = (0.123, 0.377, 0.517, 0.809, 0.991)  # none is a probability of the cases


@given(cases(), st.sampled_from(RULES), st.sampled_from(THRESHOLDS))
def test_answers_are_those_of_the_reference(case, rule, threshold):
    h, leaves, p, _ = case
    scores = NodeScores.from_array(
        [[marginals(h, leaves, row)[c] for c in h.names] for row in p], h, classes=h.names
    )
    for given_p, how in ((scores, {}), (p, {"hierarchy": h})):
        found = answers(given_p, rule, threshold, **how)
        for i, row in enumerate(p):
            assert found.names_of(i, h) == [reference(h, leaves, row, rule, threshold)]
    by_level = {0: 0.1, int(h.levels[-1]): threshold}
    found = answers(scores, rule, by_level)
    for i, row in enumerate(p):
        assert found.names_of(i, h) == [reference(h, leaves, row, rule, by_level)]


@given(cases(), st.sampled_from(RULES), st.booleans())
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
            c = h.roots[0] if t == np.inf else reference(h, leaves, row, rule, t)
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


@given(cases(tree=True), st.sampled_from([0.0, 0.2, 0.5]))
def test_thresholds_by_level_keep_their_risk(case, risk):
    h, leaves, p, y = case
    found = level_thresholds(y, p, risk, hierarchy=h)
    for level, t in found.items():
        told = []
        for row, true in zip(p, y, strict=True):
            best = reference(h, leaves, row, "leaf_or_root", 0)
            some = [c for c in above(h, best) if h.levels[h.names.index(c)] == level]
            told += [(max(marginals(h, leaves, row)[c], c in h.roots), c in above(h, true))
                     for c in some]  # fmt: skip

        def wrong(least, told=told):
            kept = [right for x, right in told if x >= least - 1e-12]
            return 1 - sum(kept) / len(kept) if kept else 0

        assert wrong(t) <= risk + 1e-12
        below = [x for x, _ in told if x < t - 1e-12]
        assert all(wrong(x) > risk for x in below)


def test_a_curve_of_the_paper_s_kind_by_hand():
    h = Hierarchy.from_edges(
        [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")]
    )
    p = [[0.625, 0.25, 0.125, 0.0], [0.375, 0.125, 0.25, 0.25]]
    climb = selective_curve(["c", "d"], p, hierarchy=h)
    # 1: r r; 0.875: a r; 0.625: c r; 0.5: c a; 0.375: c c, of which the second is wrong
    assert climb.threshold.tolist() == [np.inf, 1.0, 0.875, 0.625, 0.5, 0.375]
    assert climb.coverage.tolist() == [0, 0, 0.25, 0.5, 0.75, 1]
    assert climb.risk.tolist() == [0, 0, 0, 0, 0, 0.5]
    assert climb.area() == 0.25 * 0.5 / 2
    other = selective_curve(["c", "d"], p, "leaf_or_root", hierarchy=h)
    assert other.area() == 0.5 * 0.5 / 2
    assert climb.gain(other) == 0.5
    assert climb.recall_at(0.95) == (1 + 0.5) / 2
    assert "hAURC" in climb.to_text()
    assert climb.records().to_dicts()[-1]["risk"] == 0.5


def test_decoding_by_a_rule(tmp_path, capsys):
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    law = LabelDistribution.from_leaves([[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]], h)
    found = decode(law, rule="climb", threshold=0.6)
    assert [found.sets.names_of(i, h) for i in (0, 1)] == [["a"], ["r"]]
    assert found.value.tolist() == [0.8, 1.0]
    for how in ({}, {"measure": "hf", "rule": "climb"}):
        with pytest.raises(BadInput, match="give a measure, or a rule"):
            decode(law, **how)
    with pytest.raises(BadInput, match="rule must be"):
        decode(law, rule="jump")
    with pytest.raises(BadInput, match="scores of leaves have to add up"):
        answers([[0.5, 0.2, 0.2]], hierarchy=h)
    with pytest.raises(BadInput, match="there is no level 7"):
        answers(law, threshold={7: 0.5})
    tree, p = tmp_path / "tree.tsv", tmp_path / "p.tsv"
    tree.write_text("r\ta\nr\tb\na\tc\na\td\nb\te\n")
    p.write_text("x\tc\t0.5\nx\td\t0.3\nx\te\t0.2\ny\tc\t0.3\ny\td\t0.3\ny\te\t0.4\n")
    assert main(["decode", str(tree), str(p), "--rule", "climb", "--threshold", "0.6"]) == 0
    out = capsys.readouterr()
    assert out.out.splitlines()[-2:] == ["x\ta", "y\tr"]
    assert "the rule climb at 0.6" in out.err


def test_instances_are_answered_some_at_a_time(monkeypatch):
    rng = np.random.default_rng(2)
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    p = rng.dirichlet([1, 1, 1], 20)

    def both():
        return [answers(p, rule, 0.6, hierarchy=h).indices.tolist() for rule in RULES]

    wanted = both()
    monkeypatch.setattr("hierpair.probabilistic.selective.CELLS", 1)
    assert both() == wanted
