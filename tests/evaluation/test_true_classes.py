"""Macro averages of values of instances, which are over true classes, by every way to them."""

import itertools

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, Infeasible, measure, score
from hierpair.comparison.common_scores import on_common, samples_of
from hierpair.evaluation import merge, partial
from hierpair.measures import REGISTRY
from hierpair.measures.option import same
from hierpair.metrics.functions import function_of
from tests import effort
from tests.evaluation.test_score import random_data


def mean_of_means(classes, values, weights):
    """Slowly: the mean over classes of the weighted mean of the values that there are."""
    by_class = {}
    for c, x, w in zip(classes, values, weights, strict=True):
        if not np.isnan(x):
            by_class.setdefault(c, []).append((x * w, w))
    means = {c: sum(x for x, _ in some) / sum(w for _, w in some) for c, some in by_class.items()}
    return np.mean([*means.values()]) if means else np.nan, means


BY_TRUE_CLASS = {
    of: [name for name, d in REGISTRY.items() if d.by_true_class and d.consumes == of]
    for of in ("labels", "scores")
}


@pytest.mark.parametrize("consumed", ["labels", "scores"])
@pytest.mark.parametrize("seed", range(effort.cases(200)))
def test_macro_averages_are_over_true_classes(consumed, seed):
    """Under every measure that has values of instances: whole, in parts, by class, compared."""
    rng = np.random.default_rng(seed)
    edges, *_ = random_data(seed, classes=int(rng.integers(4, 9)))
    h, n = Hierarchy.from_edges(edges), int(rng.integers(1, 9))
    truth, other = rng.choice(h.names, (2, n, 1)).tolist()
    some = rng.random((n, len(h))) < 0.3
    systems = {"a": [np.array(h.names)[row].tolist() for row in some], "b": other}
    if consumed == "scores":
        leaves = np.array(h.names)[np.diff(h.child_ptr) == 0]
        truth = rng.choice(leaves, (n, 1)).tolist()
        systems = {s: rng.dirichlet(np.ones(len(leaves)), n) for s in "ab"}
    weight = rng.integers(1, 4, n).astype(float) if seed % 2 else None
    how = {"sample_weight": weight, "on_infeasible": "nan"}

    def scored(some, **of):
        chosen = [measure(name, reference=(h.names[1],), **of) for name in some]
        return score(h, truth, systems, chosen, **how)

    def takes_them(name):
        try:
            return bool(scored([name]))
        except BadInput:  # paths alone, or trees
            return False

    names = [name for name in BY_TRUE_CLASS[consumed] if takes_them(name)]
    assert len(names) > (8 if consumed == "scores" else 30)
    found, plain = scored(names, average="macro"), scored(names)
    half = n // 2
    parts = [
        partial(h, truth[at], {s: of[at] for s, of in systems.items()}, found.measures,
                on_infeasible="nan", sample_weight=None if weight is None else weight[at])
        for at in (slice(half), slice(half, None))
    ]  # fmt: skip
    np.testing.assert_array_equal(merge(*parts).scores().values, found.values)
    common = on_common(found)
    samples = np.stack([s.scores() for s in samples_of(common, [["a"], ["b"]])], axis=1)
    assert samples == pytest.approx(common.values, nan_ok=True, abs=1e-9)
    ones = np.ones(n) if weight is None else weight
    classes = [c for (c,) in truth]
    for (i, s), (k, m) in itertools.product(enumerate("ab"), enumerate(found.measures)):
        np.testing.assert_array_equal(found.per_instance[s], plain.per_instance[s])
        for scores in (common, found):
            expected, means = mean_of_means(classes, scores.per_instance[s][:, k], ones)
            assert scores.values[i, k] == pytest.approx(expected, nan_ok=True), m
        if consumed == "labels":
            assert same(plain.macro(s, names[k]), found.values[i, k])
        if (s, m.name) not in found.n_infeasible and k % 5 == n % 5:
            of = {"sample_weight": weight, **dict(m.chosen), "average": None}
            by_class = function_of(names[k])(truth, systems[s], h, **of)
            known = {c: x for c, x in zip(h.names, by_class, strict=True) if not np.isnan(x)}
            assert known == pytest.approx(means)


def test_means_by_true_class_need_one_and_may_cost_a_default():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    several = {0: ["c"], 1: ["c", "b"]}
    for ask in (lambda: score(tree, several, {"s": several}, "gie(average=macro)"),
                lambda: score(tree, several, {"s": several}, "gie").macro("s")):  # fmt: skip
        with pytest.raises(BadInput, match="needs one true class of an instance; it has 2"):
            ask()
    truth, given = ["c", "c", "b"], [["d"], [], ["b"]]
    for name, (macro, mean) in {
        "tree_induced_error": (3.5, 14 / 3), "mean_cost": (3.5, 14 / 3),
        "mistake_severity(cost=hops)": (7, 7), "total_cost": (None, 14),
    }.items():  # fmt: skip
        m = measure(name).with_options(default=12)
        found = score(tree, truth, {"s": given}, m)
        assert found.values[0, 0] == pytest.approx(mean)
        with pytest.raises(Infeasible):
            score(tree, truth, {"s": given}, name)
        if macro is not None:
            found = score(tree, truth, {"s": given}, m.with_options(average="macro"))
            assert found.values[0, 0] == macro
    lenient = score(tree, truth, {"s": given}, "mistake_severity(cost=hops)", on_infeasible="nan")
    assert lenient.macro("s", default=12) == 7  # what is right has no severity, whatever it costs
    scores = {0: {"d": 0.5, "c": 0.25}, 1: {}, 2: {"b": 1.0}}
    truth = dict(enumerate(truth))
    how = {"default": 12, "average": "macro"}
    for name, expected in (("ahd", 3.25), ("ahd_mistakes", 6.5), ("best_of", 3.25)):
        assert score(tree, truth, {"s": scores}, name, **how).values[0, 0] == expected
        with pytest.raises(BadInput, match="have the score 0"):
            score(tree, truth, {"s": scores}, name)
