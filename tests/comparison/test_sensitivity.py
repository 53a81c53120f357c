"""What depends on conventions, and where systems differ, against slow recounts."""

from itertools import product

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, compare, score
from hierpair.comparison import by_depth, differ, sensitivity
from hierpair.measures import OPTIONS, measure

DAG = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "d"), ("c", "g"), ("e", "g")]
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    names = [x for x in DAG.names if x != "r"]

    def drawn(n):
        return [list(rng.choice(names, rng.integers(1, 3), replace=False)) for _ in range(n)]

    truth = drawn(80)
    systems = {}
    for k, rate in enumerate((0.3, 0.4, 0.8)):
        other = drawn(80)
        systems[f"s{k}"] = [
            o if rng.random() < rate else t for t, o in zip(truth, other, strict=True)
        ]
    return truth, systems


def test_every_combination_is_what_scoring_it_says(data):
    truth, systems = data
    found = sensitivity(DAG, truth, systems, ["hf", "gie(default=3)"], test=None)
    of_hf = found.of(0)
    expected = list(product(*(OPTIONS[name].varied for name in ("root", "average", "threshold"))))
    assert [
        (v.chosen["root"], v.chosen["average"], v.chosen["threshold"]) for v in of_hf
    ] == expected
    of_gie = found.of(1)
    assert {v.chosen["default"] for v in of_gie} == {2, 3, 5, 10}
    assert of_gie[0].measure == measure("gie(default=3)")
    assert of_hf[0].measure == measure("hf")
    for v in found.variants:
        alone = score(DAG, truth, systems, [v.measure])
        assert (v.values == alone.values[:, 0]).all()
        sign = 1 if v.measure.higher_is_better else -1
        up = sign * v.values
        assert (v.outcome == np.sign(up[:, None] - up)).all()


def test_conclusions_count_the_variants(data):
    truth, systems = data
    settings = {"n_permutations": 300, "n_bootstrap": 20}
    found = sensitivity(DAG, truth, systems, ["hf", "gie"], comparing=settings)
    assert len(found.conclusions) == len(found.to_dataframe()) == 2 * 3
    assert len(found.to_dataframe(rankings=True)) == 3 * len(found.variants)
    for base, c in [(b, c) for b in range(2) for c in found.conclusions[3 * b : 3 * b + 3]]:
        i, j = found.systems.index(c.better), found.systems.index(c.worse)
        outcomes = [int(v.outcome[i, j]) for v in found.of(base)]
        assert (c.n_for, c.n_none, c.n_against) == tuple(outcomes.count(x) for x in (1, 0, -1))
        first = found.of(base)[0]
        hanging = set()
        for v in found.of(base):
            changed = [o for o in v.chosen if v.chosen[o] != first.chosen[o]]
            if len(changed) == 1 and v.outcome[i, j] != first.outcome[i, j]:
                hanging |= set(changed)
        assert set(c.depends_on) == hanging
        assert (c.verdict == "survives all") == (set(outcomes) == {1})
        assert (c.verdict == "no difference found") == (set(outcomes) == {0})
    for v in found.variants:
        alone = compare(score(DAG, truth, systems, [v.measure]), **settings)
        assert (v.outcome != 0).tolist() == alone.significant[0].tolist()
        assert v.ranks.tolist() == alone.ranks[:, 0].tolist()


def test_options_that_change_a_conclusion_only_together_are_not_blamed_alone():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("c", "d")])
    systems = {"x": [["c", "a"], ["d"]], "y": [["a"], ["r", "b"]]}
    vary = {"root": ["exclude", "include"], "augment": ["ancestors", "none"]}
    found = sensitivity(tree, ["c", "b"], systems, "hp", vary=vary, test=None)
    assert [int(v.outcome[1, 0]) for v in found.variants] == [1, 1, 1, 0]
    (c,) = found.conclusions
    assert (c.better, c.n_for, c.n_none, c.n_against, c.depends_on) == ("y", 3, 1, 0, ())
    assert c.verdict == "depends on several together"


def test_measures_without_the_option_are_not_counted(data):
    """Nothing was varied of them, so nothing can be said to survive."""
    truth, systems = data
    alone = sensitivity(DAG, truth, systems, ["contribution_f"], vary={"theta": [2, 4]}, test=None)
    found = sensitivity(
        DAG, truth, systems, ["hf", "contribution_f", "gie"], vary={"theta": [2, 4]}, test=None
    )
    verdicts = {
        m: {c.verdict for c in found.conclusions if c.measure == m}
        for m in ("hf", "contribution_f", "gie")
    }
    assert verdicts["hf"] == verdicts["gie"] == {"not varied"}
    assert "not varied" not in verdicts["contribution_f"]
    assert found.notes == [*alone.notes, "not varied, so not counted: hf, gie"]
    assert found.notes[0].startswith("of 3 comparisons of two systems")
    nothing = sensitivity(DAG, truth, systems, ["hf"], vary={"root": ["exclude"]}, test=None)
    assert nothing.notes == ["not varied, so not counted: hf"]


@pytest.mark.parametrize("name", ["hf", "gie", "hp(zero_division=nan)"])
def test_differences_are_recounted(data, name):
    truth, systems = data
    truth = [*truth[:-1], []]
    scores = score(DAG, truth, systems, ["symmetric_difference", name])
    found = differ(scores, "s0", "s2", DAG, truth, measure=name, k=100)
    m = measure(name)
    a, b = (scores.per_instance[s][:, 1] for s in ("s0", "s2"))
    known = ~(np.isnan(a) | np.isnan(b))
    gain = np.where(known, (a - b) * (1 if m.higher_is_better else -1), 0)
    n = known.sum()
    assert found.gain == pytest.approx(gain.sum() / n)
    assert sorted(d.name for d in (*found.ahead, *found.behind)) == np.flatnonzero(gain).tolist()
    assert [d.gain for d in found.ahead] == sorted((g for g in gain if g > 0), reverse=True)
    above = {
        c: {DAG.names[i] for i in DAG.ancestor_numbers(DAG.names.index(c))} | {c} for c in DAG.names
    }
    for rows, classes_of in (
        (found.classes, set),
        (found.subtrees, lambda t: set().union(*(above[x] for x in t)) if t else set()),
    ):
        expected = {}
        for i, t in enumerate(truth):
            for c in classes_of(t) if known[i] else ():
                expected.setdefault(c, []).append(i)
        told = {}
        for d in rows:
            at = expected[d.name]
            assert d.n == len(at)
            assert (d.value, d.other) == pytest.approx((a[at].mean(), b[at].mean()))
            assert d.share == pytest.approx(gain[at].sum() / n)
            told[d.name] = d
        inner = {c for c in expected if rows is found.classes or c in {"a", "b", "c", "e"}}
        assert {c for c in inner if abs(gain[expected[c]].sum()) > 1e-12} == set(told)
        shares = [abs(d.share) for d in rows]
        assert shares == sorted(shares, reverse=True)


def test_depths_are_recounted(data):
    truth, systems = data
    truth = [*truth[:-1], []]
    scores = score(DAG, truth, systems, ["hf"])
    found = by_depth(scores, DAG, truth)
    depth = dict(zip(DAG.names, DAG.depths.tolist(), strict=True))
    deepest = np.array([max((depth[x] for x in t), default=-1) for t in truth])
    assert found.depths.tolist() == sorted(set(deepest))
    for d, count, values in zip(found.depths, found.counts, found.values, strict=True):
        assert count == (deepest == d).sum()
        means = [scores.per_instance[s][deepest == d, 0].mean() for s in systems]
        assert values == pytest.approx(means)


def test_combinations_that_a_measure_refuses_are_left_out():
    """Classes cannot weigh under a path threshold: by default it is not varied, asked for it is."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    data = tree, ["c", "b", "a"], {"x": ["c", "b", "a"], "y": ["a", "b", "b"]}
    found = sensitivity(*data, ["hf(weights=ia)", "hf"], test=None)
    thresholds = [{v.chosen["threshold"] for v in found.of(base)} for base in (0, 1)]
    assert thresholds == [{None}, {None, 4}]
    assert len(found.of(0)) == 4  # root and average
    with pytest.raises(BadInput, match="leave threshold or weights out"):
        sensitivity(*data, "hf(weights=ia)", vary={"threshold": [None, 4]}, test=None)
