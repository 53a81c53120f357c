"""Scores: pooling, weights, matching, invariances, forms out."""

import csv
import io
import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.preprocessing import MultiLabelBinarizer

import hierpair
from hierpair import BadInput, Hierarchy, Infeasible, LabelSets, measure, score
from hierpair.comparison.common_scores import on_common, samples_of
from hierpair.evaluation import merge, partial
from hierpair.evaluation.checked import default_measures
from hierpair.evaluation.sums import exact_sum
from hierpair.measures import REGISTRY
from hierpair.measures.option import same
from hierpair.metrics.functions import function_of
from tests import effort
from tests.strategies import problems

EVERYTHING = [
    *default_measures(),
    *(f"{m}(average='{a}')" for m in ("precision", "recall", "f", "hp", "hr", "hf")
      for a in ("micro", "macro", "weighted")),
    "mgia(average=micro)", "hf(augment=descendants)", "hf(augment=pruned, average=macro)",
    "hf(threshold=4, average=macro)", "gie(default=2.5, threshold=4)", "hf(root=include, beta=0.5)",
]  # fmt: skip


def random_data(seed, n=60, classes=25):
    rng = np.random.default_rng(seed)
    edges = [(f"c{p}", f"c{i}") for i in range(1, classes)
             for p in set(rng.integers(0, i, rng.integers(1, 3)).tolist())]  # fmt: skip
    names = [f"c{i}" for i in range(classes)]
    rows = [
        [rng.choice(names, rng.integers(0, 5), replace=False).tolist() for _ in range(n)]
        for _ in range(2)
    ]
    return edges, *rows


# --------------------------------------------------------------------------- invariances


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
def test_scores_do_not_depend_on_orders_chunks_or_processes(seed):
    """Bit for bit: class numbering, label order, instance order, chunk size, processes, merging."""
    edges, true, pred = random_data(seed)
    rng = np.random.default_rng(seed)
    base = score(Hierarchy.from_edges(edges), true, {"s": pred}, EVERYTHING)
    expected = base.values.tobytes()
    for _ in range(3):
        shuffled = Hierarchy.from_edges([edges[i] for i in rng.permutation(len(edges))])
        order = rng.permutation(len(true))
        mixed = [[list(rng.permutation(rows[i])) for i in order] for rows in (true, pred)]
        again = score(
            shuffled, mixed[0], {"s": mixed[1]}, EVERYTHING, chunk=int(rng.integers(1, 70))
        )
        assert again.values.tobytes() == expected
        assert again.per_instance["s"].tobytes() == base.per_instance["s"][order].tobytes()
    hierarchy = Hierarchy.from_edges(edges)
    rows = (slice(40, 60), slice(0, 1), slice(1, 40))
    parts = [partial(hierarchy, true[some], pred[some], EVERYTHING) for some in rows]
    merged = merge(*parts).scores()
    assert merged.values.tobytes() == expected


def test_infeasible_names_the_instance_across_chunks_and_processes():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    true, pred = {f"d{i}": "a" for i in range(9)}, {f"d{i}": "a" for i in range(9)}
    pred["d7"] = ["a", "b"]
    for options in ({}, {"chunk": 2}, {"chunk": 1, "n_jobs": 2}):
        with pytest.raises(Infeasible, match=r"instance 'd7': .*tree_induced_error"):
            score(tree, true, {"s": pred}, ["tree_induced_error"], **options)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), max_size=30), st.randoms()
)
@settings(max_examples=effort.cases(150))
def test_exact_sum_is_exact_and_merges(values, random):
    cut = random.randint(0, len(values))
    parts = [exact_sum(np.array(some, dtype=float)) for some in (values[:cut], values[cut:])]
    assert float(sum(parts)) == math.fsum(values)


def test_exact_sum_of_extreme_floats():
    values = np.array([5e-324, 1.7e308, -1.7e308, 2.2e-308, 1.0])
    assert exact_sum(values) == sum(map(Fraction, values.tolist()))


# ------------------------------------------------------------------- against scikit-learn


@given(problems(max_classes=8, max_labels=4, instances=6))
@settings(max_examples=effort.cases(60), deadline=None)
def test_flat_measures_follow_scikit_learn(problem):
    hierarchy, _, y_true, y_pred = problem
    seen = sorted({c for rows in (y_true, y_pred) for labels in rows for c in labels})
    if len(seen) < 2:  # one column makes scikit-learn see a binary problem
        return
    every = MultiLabelBinarizer(classes=seen).fit(y_true)
    t, p = every.transform(y_true), every.transform(y_pred)
    for average in ("micro", "samples", "macro", "weighted"):
        for zero in (0, 1):
            scores = score(hierarchy, y_true, {"s": y_pred}, ["precision", "recall", "f(beta=2)"],
                           average=average, zero_division=zero)  # fmt: skip
            options = {"average": average, "zero_division": zero}
            expected = [
                metrics.precision_score(t, p, **options),
                metrics.recall_score(t, p, **options),
                metrics.fbeta_score(t, p, beta=2, **options),
            ]
            assert scores.values[0] == pytest.approx(expected, abs=1e-12)
    flat = score(
        hierarchy, y_true, {"s": y_pred}, ["subset_accuracy", "hamming_loss(root=include)"]
    )
    every_class = MultiLabelBinarizer(classes=list(hierarchy.names)).fit(y_true)
    t, p = every_class.transform(y_true), every_class.transform(y_pred)
    assert flat.values[0] == pytest.approx(
        [metrics.accuracy_score(t, p), metrics.hamming_loss(t, p)], abs=1e-12
    )


@given(problems(max_classes=8, max_labels=3, instances=5), st.sampled_from(["ancestors", "pruned"]))
@settings(max_examples=effort.cases(100), deadline=None)
def test_hierarchical_averages_are_flat_ones_of_augmented_sets(problem, augment):
    """Micro, macro and weighted hP, hR, hF: scikit-learn on the augmented label sets."""
    hierarchy, edges, y_true, y_pred = problem
    from tests.oracles import pairs_and_sets as reference

    grown = [
        [reference.ancestor_sets(edges, labels) for labels in rows] for rows in (y_true, y_pred)
    ]
    if augment == "pruned":
        grown = [
            [reference.pruned(edges, t, p) for t, p in zip(*grown, strict=True)],
            [reference.pruned(edges, p, t) for t, p in zip(*grown, strict=True)],
        ]
    seen = sorted(set().union(*grown[0], *grown[1]))
    if len(seen) < 2:
        return
    every = MultiLabelBinarizer(classes=seen).fit(grown[0])
    t, p = every.transform(grown[0]), every.transform(grown[1])
    for average in ("micro", "macro", "weighted"):
        got = score(hierarchy, y_true, {"s": y_pred}, ["hp", "hr", "hf"], average=average,
                    root="include", augment=augment)  # fmt: skip
        options = {"average": average, "zero_division": 0}
        expected = [f(t, p, **options) for f in
                    (metrics.precision_score, metrics.recall_score, metrics.f1_score)]  # fmt: skip
        assert got.values[0] == pytest.approx(expected, abs=1e-12)


# ---------------------------------------------------------------------- weights and pooling


def test_weights_repeat_instances():
    edges, true, pred = random_data(5, n=30)
    hierarchy = Hierarchy.from_edges(edges)
    times = np.random.default_rng(5).integers(0, 4, 30)
    weighted = score(hierarchy, true, {"s": pred}, EVERYTHING, sample_weight=times)
    repeated = [[rows[i] for i in range(30) for _ in range(times[i])] for rows in (true, pred)]
    expected = score(hierarchy, repeated[0], {"s": repeated[1]}, EVERYTHING)
    assert weighted.values[0] == pytest.approx(expected.values[0], abs=1e-12)


def test_weights_go_with_their_instances_however_these_are_cut():
    edges, true, pred = random_data(7, n=30)
    hierarchy, weight = Hierarchy.from_edges(edges), np.linspace(1, 3, 30)
    names = ["hf", "hf(average=micro)", "f(average=weighted)", "gie"]
    whole = score(hierarchy, true, {"s": pred}, names, sample_weight=weight)
    for how in ({"chunk": 7}, {"chunk": 4, "n_jobs": 2}):
        cut = score(hierarchy, true, {"s": pred}, names, sample_weight=weight, **how)
        assert cut.values.tobytes() == whole.values.tobytes()


def test_weighted_classes_over_several_blocks(monkeypatch):
    edges, true, pred = random_data(6, n=50)
    hierarchy = Hierarchy.from_edges(edges)
    weight = np.random.default_rng(6).integers(1, 5, 50)
    names = ["hf(average=macro)", "f(average=weighted)"]
    expected = score(hierarchy, true, {"s": pred}, names, sample_weight=weight).values
    monkeypatch.setattr("hierpair.measures.recipes.augmentation.BLOCK_ENTRIES", 10)
    assert (
        score(hierarchy, true, {"s": pred}, names, sample_weight=weight).values.tolist()
        == expected.tolist()
    )


def test_a_chunk_without_weight_is_fine():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    for options in ({"chunk": 1}, {"n_jobs": 2}):
        scores = score(tree, ["a", "a", "b"], {"s": ["a", "b", "b"]}, ["hf"],
                       sample_weight=[1, 0, 0], **options)  # fmt: skip
        assert scores.values[0, 0] == 1


def test_many_pairs_are_cut_into_chunks(monkeypatch):
    monkeypatch.setattr("hierpair.evaluation.batches.CHUNK_PAIRS", 10)
    seen = []
    edges, true, pred = random_data(3, n=20)
    score(Hierarchy.from_edges(edges), true, {"s": pred}, ["gie"],
          on_progress=lambda *step: seen.append(step))  # fmt: skip
    assert seen[-1] == ("s", 20, 20)
    assert len(seen) > 3


def test_a_part_that_fails_leaves_no_trace():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    chosen = ["hf", "tree_induced_error"]
    before = partial(tree, ["a"], ["b"], chosen)
    with pytest.raises(Infeasible, match=r"^instance 3: "):
        partial(tree, ["a"] * 4, ["a", "a", "a", ["a", "b"]], chosen, chunk=2)
    after = partial(tree, ["a"], ["b"], chosen)
    assert before.to_bytes() == after.to_bytes()
    assert after.scores().values.tolist() == [[0.0, 2.0]]


def test_labels_of_another_hierarchy_are_refused():
    edges = [("r", "a"), ("r", "b"), ("a", "c")]
    one, other = Hierarchy.from_edges(edges), Hierarchy.from_edges([("r", "b"), *edges[::2]])
    labels = LabelSets.from_labels(["a", "b"], one)
    with pytest.raises(BadInput, match="belong to another hierarchy"):
        score(other, labels, {"s": ["a", "b"]}, ["hf"])
    assert score(Hierarchy.from_edges(edges), labels, {"s": ["a", "b"]}, ["hf"]).values[0, 0] == 1


def test_a_formula_has_to_give_a_number_per_entry():
    def broken(n_true):
        return 1.0

    hierpair.set_measure(formula="1", source="none", direction="higher", range="1", name="broken")(
        broken
    )
    try:
        with pytest.raises(BadInput, match="must give one finite number"):
            score(Hierarchy.from_edges([("r", "a")]), ["a"], {"s": ["a"]}, ["broken"])
    finally:
        del REGISTRY["broken"]


def test_nan_values_are_left_out_of_means():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    scores = score(
        tree, [["a"], ["a"], []], {"s": [["a"], [], []]}, ["hp(zero_division=nan)", "hp"]
    )
    assert scores.values[0].tolist() == [1.0, 2 / 3]
    none = score(tree, [["a"]], {"s": [[]]}, ["precision(zero_division=nan)"])
    assert math.isnan(none["s", "precision(zero_division=nan)"])


def test_mean_of_f_is_not_f_of_means():
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("r", "c")])
    true, pred = ["b", "c"], ["a", ["c", "b"]]
    scores = score(tree, true, {"s": pred}, ["hp", "hr", "hf"])
    hp, hr, hf = scores.values[0]
    assert hf == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert hf != pytest.approx(2 * hp * hr / (hp + hr))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1], "sample_weight must have shape (2,), got (1,)"),
        ([1, -1], "sample_weight of instance 1 is -1.0"),
        ([1, math.nan], "sample_weight of instance 1 is nan"),
        (["x", 1], "sample_weight must hold one number per instance"),
        ([0, 0], "all sample weights are 0"),
        ([1e308, 1], "sample_weight of instance 0 is 1e"),
    ],
)
def test_bad_weights(weight, message):
    tree = Hierarchy.from_edges([("r", "a")])
    with pytest.raises(BadInput) as caught:
        score(tree, ["a", "a"], {"s": ["a", "r"]}, ["hf"], sample_weight=weight)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], {}), {}, "no system is given"),
        ((["a"], {"y_true": ["a"]}), {}, "a system cannot be called y_true"),
        ((["a"], {"s": ["a"]}, ["hf"]), {"chunk": 1.5}, "chunk must be a whole number"),
        (([], {"s": []}), {}, "y_true has no instances"),
        ((["a"], {"s": ["a", "a"]}), {}, "y_true has 1 instance and s has 2"),
        ((["a"], {"s": ["b"]}), {}, "class 'b' is not in the hierarchy"),
        ((["a"], {"s": ["a"]}, ["hf"]), {"chunk": 0}, "chunk must be a whole number of at least 1, got 0"),
        ((["a"], {"s": ["a"]}, ["hf"]), {"n_jobs": 0}, "n_jobs must be at least 1, got 0"),
        ((["a"], {"s": ["a"]}, ["gie"]), {"beta": 2}, "none of the measures has an option 'beta'"),
        ((["a"], {"s": ["a"]}, []), {}, "no measure is given"),
        ((["a"], {"s": ["a"]}, ["gie"]), {"average": "micro"}, "can be averaged as 'micro'"),
        ((["a"], {"s": ["a"]}, ["gie"]), {"average": "mikro"}, "average must be one of 'samples'"),
        ((["a"], {"s": ["a"]}, ["gei"]), {}, "there is no measure 'gei'; did you mean 'gie'?"),
        ((["a"], {"s": ["a"]}, ["hf"]), {"root": "rr"}, "class 'rr' is not in the hierarchy"),
        ((["a"], {"s": ["a"]}, ["hf(threshold=4, augment=descendants)"]), {}, "path threshold cuts"),
        ((["a"], {"s": ["a"]}, ["gie(cost=decayed, threshold=4)"]), {}, "a path threshold counts edges"),
        ((["a"], {"s": ["a"]}, ["gie(cost=weights)"]), {}, "needs a hierarchy with edge weights"),
    ],
)  # fmt: skip
def test_bad_calls_are_refused(arguments, options, message):
    tree = Hierarchy.from_edges([("r", "a")])
    with pytest.raises(BadInput) as caught:
        score(tree, *arguments, **options)
    assert message in str(caught.value)


def test_a_measure_given_twice_is_scored_once():
    tree = Hierarchy.from_edges([("r", "a")])
    scores = score(tree, ["a"], {"s": ["a"]}, ["hf", "hf(beta=1)", "gie"])
    assert [m.name for m in scores.measures] == ["hf", "gie"]
    assert scores.to_text()


def test_labels_by_id_are_not_taken_for_systems():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    labels = {"i": ["a", "b"], "j": ["b", "a"]}
    with pytest.raises(BadInput, match="the keys of systems are instance ids; wrap"):
        score(tree, labels, labels, ["hf"])


def test_errors_name_the_side_and_the_system():
    tree = Hierarchy.from_edges([("r", "cat"), ("r", "dog")])
    with pytest.raises(BadInput, match=r"^bad: instance 1: class 'dgo'"):
        score(tree, ["cat", "cat"], {"good": ["cat", "dog"], "bad": ["cat", "dgo"]})
    with pytest.raises(BadInput, match=r"^y_true: instance 0: class 'dgo'"):
        score(tree, ["dgo"], {"good": ["cat"]})
    with pytest.raises(Infeasible, match=r"it has 2 predicted and 1 true classes .*system bad"):
        score(tree, ["cat"], {"bad": [["cat", "dog"]]}, ["tree_induced_error"])
    with pytest.raises(BadInput, match="y_true: labels must be a list"):
        hierpair.metrics.h_fbeta_score(tree, ["cat"], ["cat"])


def test_partials_of_different_measures_do_not_merge():
    tree = Hierarchy.from_edges([("r", "a")])
    empty = lambda *measures: partial(tree, [], [], measures)  # noqa: E731
    with pytest.raises(BadInput, match=r"of hf\(beta=1,.*the other of hf\(beta=2,"):
        merge(empty("hf"), empty("hf(beta=2)"))
    with pytest.raises(BadInput, match=r"of hf.*, gie.*the other of gie.*, hf"):
        merge(empty("hf", "gie"), empty("gie", "hf"))
    with pytest.raises(BadInput, match="partials merge with each other, got None"):
        merge(empty("hf"), None)
    with pytest.raises(BadInput, match="no measure is given"):
        empty()


# ------------------------------------------------------------------------------- forms out


@pytest.fixture
def scores():
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b_1"), ("a", "c&d")])
    true = {"x": "b_1", "y": "c&d"}
    systems = {"one|1": {"y": "c&d", "x": "a"}, "two_2": {"x": "b_1", "y": "c&d"}}
    return score(tree, true, systems, ["hf", "gie", "hp(zero_division=nan)"])


def test_csv_and_json_are_exact(scores):
    rows = list(csv.DictReader(io.StringIO(scores.to_csv())))
    assert float(rows[0]["value"]) == scores["one|1", "hf"]
    assert rows[0]["better"] == "higher"
    table = list(
        csv.reader(io.StringIO(scores.to_csv(separator="\t", per_instance=True)), delimiter="\t")
    )
    assert table[0] == ["system", "instance", *(m.of_instance for m in scores.measures)]
    assert table[1][:2] == ["one|1", "x"]
    data = json.loads(scores.to_json(per_instance=True))
    assert data["scores"][0]["value"] == scores["one|1", "hf"]
    assert data["per_instance"][0][scores.measures[0].of_instance] == 2 / 3
    lines = [json.loads(x) for x in scores.to_jsonl(per_instance=True).splitlines()]
    assert lines == data["per_instance"]


def test_lookup(scores):
    assert scores["one|1", "gie"] == 0.5
    assert scores["one|1", "hp(zero_division=nan)"] == 1.0
    with pytest.raises(BadInput, match="there is no system 'three'"):
        scores["three", "hf"]
    with pytest.raises(BadInput, match="look a score up by system and measure"):
        scores["one|1"]
    with pytest.raises(BadInput, match="separator must be one character"):
        scores.to_csv(separator="out.csv")
    with pytest.raises(BadInput, match="'symmetric_difference' was not scored"):
        scores["one|1", "symmetric_difference"]


# ---------------------------------------------------------------------------- functions


def test_different_costs_are_different_measures():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])

    def twice(pairs):
        return 2 * pairs.distance

    def thrice(pairs):
        return 3 * pairs.distance

    own = [measure("gie", cost=twice), measure("gie", cost=thrice)]
    assert score(tree, ["a"], {"s": ["b"]}, own).values.tolist() == [[4.0, 6.0]]
    same = [measure("gie", cost=lambda pairs, k=k: k * pairs.distance) for k in (1, 2)]
    with pytest.raises(BadInput, match="two different measures would both be called"):
        score(tree, ["a"], {"s": ["b"]}, same)
    matrix = measure("gie", cost=hierpair.CostMatrix(np.zeros((3, 3))))
    assert "cost=CostMatrix" in matrix.signature
    assert "\n" not in matrix.signature


@pytest.mark.parametrize("labels", [[], ["r"]])
def test_a_perfect_empty_answer_under_every_average(labels):
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    for average in ("samples", "micro", "macro", "weighted"):
        scores = score(tree, [labels], {"s": [labels]}, ["hp", "hr", "hf"], average=average)
        assert scores.values.tolist() == [[1, 1, 1]]


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
