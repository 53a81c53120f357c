"""Decoders against the bundled vectors and against trying all answers on random hierarchies."""

import itertools
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores, decode
from hierpair.measures.class_weights import class_weights
from hierpair.measures.families import pair_measures
from hierpair.probabilistic import expected as expected_score
from hierpair.probabilistic.decoding import by_class, by_size, pairings, weighted_sets
from hierpair.probabilistic.decoding.by_class import (
    apply_threshold,
    decode_depth_cost,
    decode_distance,
    decode_edge_cost,
    decode_h_loss,
    decode_hamming,
    decode_micro_hf,
    decode_most_probable,
    decode_node_cost,
    walk_down,
)
from hierpair.probabilistic.decoding.by_size import (
    decode_hf,
    decode_hp,
    decode_hr,
    decode_set_value,
)
from hierpair.probabilistic.decoding.pairings import decode_gie, decode_pairing
from tests import effort
from tests.oracles.distributions import (
    closed,
    closed_sets,
    expected,
    gie,
    h_loss,
    hf,
    tree_distance,
)
from tests.scenarios import (
    distribution_of,
    hierarchy_of,
    names,
    parents_of,
    random_parents,
    random_scenarios,
    vectors,
)

RANDOM = effort.cases(1200)
pytestmark = pytest.mark.random_cases
"""Random hierarchies at least, over all kinds, for every decoder: all sets are tried on each."""


def jaccard(k, a, s):
    return np.where(k + a == 0, 1.0, s / np.maximum(k + a - s, 1))


# ----------------------------------------------------------------- the bundled vectors

CASES = [
    *((f"random {i}", case) for i, case in enumerate(vectors("decodings")["random"])),
    *vectors("decodings")["special"].items(),
    *vectors("worked_examples")["examples"].items(),
]


def decoder_of(key, law, hierarchy):
    """What the key of a vector asks for."""
    size = int(key.split("=")[1].split()[0]) if "|S|=" in key else None
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    halves = hierarchy.with_weights(0.5 ** hierarchy.levels[1:].astype(float))
    if key.startswith("hF_beta="):
        beta = float(key.split()[0].removeprefix("hF_beta="))
        return decode_hf(law, beta, root="include" if "root counted" in key else "exclude")
    if key.startswith("GIE"):
        dmax = float(Fraction(key.split("dmax=")[1].split(",")[0]))
        return decode_gie(law, dmax, predictable=np.arange(len(hierarchy)) != hierarchy.position[0])
    known = {
        "jaccard": lambda: decode_set_value(law, jaccard),
        "hP": lambda: decode_hp(law, size=size), "hR": lambda: decode_hr(law, size=size),
        "symmetric difference": lambda: decode_hamming(law),
        "H-loss unit costs": lambda: decode_h_loss(law, costs="ones"),
        "tree distance, unit edges": lambda: decode_distance(law),
        "tree distance, 1/2^depth": lambda: decode_distance(
            LabelDistribution(halves, law.indptr, law.p, law.sets), weighted=True),
        "asymmetric edges over=2 under=1": lambda: decode_edge_cost(law, 2, 1),
        "leaf accuracy": lambda: decode_most_probable(law, leaves),
    }  # fmt: skip
    [asked] = [decoder for start, decoder in known.items() if key.startswith(start)]
    return asked()


@pytest.mark.parametrize(("name", "case"), CASES, ids=[name for name, _ in CASES])
def test_vectors(name, case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    leaves = {int(k): float(Fraction(v)) for k, v in case["leaf_probs"].items()}
    law = LabelDistribution.from_leaves([list(leaves.values())], hierarchy, classes=list(leaves))
    most = (law.marginals().dense()[0] > 0).sum() - 1
    assert len(case["optimal"]) >= 20
    for key, want in case["optimal"].items():
        if "|S|=" in key and int(key.split("=")[1].split()[0]) > most:
            with pytest.raises(BadInput, match="fewer than size"):  # vectors take impossible ones
                decoder_of(key, law, hierarchy)
            continue
        found = decoder_of(key, law, hierarchy)
        assert found.value[0] == pytest.approx(want["value"]["float"], abs=1e-12), key
        assert found.is_exact
        assert found.certificate.bound[0] == pytest.approx(found.value[0], abs=1e-9)
        got = sorted(names(found.sets, hierarchy))
        assert got in [sorted(s) for s in want["argopt_all"]], key


@pytest.mark.parametrize("case", vectors("decodings_multipath"))
def test_vectors_of_several_paths(case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    rows = [(float(Fraction(s["p"])), s) for s in case["scenarios"]]
    law, tips = (
        LabelDistribution.from_scenarios([[(p, s[which]) for p, s in rows]], hierarchy)
        for which in ("Y", "most_specific")
    )
    for key, want in case["optimal"].items():
        if key.startswith("hF"):
            found = decode_hf(law, float(key.split()[0].removeprefix("hF_beta=")))
            assert found.value[0] == pytest.approx(want["value"]["float"], abs=1e-12)
        else:
            dmax = float(Fraction(key.split("dmax=")[1].split(",")[0]))
            may = [v for v in range(len(hierarchy)) if hierarchy.names[v] != 0]
            found = decode_pairing(tips, pair_measures.gie(dmax), candidates=may)
            assert found.value[0] == pytest.approx(want["mip_value_any_size"], abs=1e-9)
            assert found.value[0] <= want["value"]["float"] + 1e-9
            if len(names(found.sets, hierarchy)) > 3:
                continue
        assert sorted(names(found.sets, hierarchy)) in [sorted(s) for s in want["argopt_all"]], key


@pytest.mark.parametrize("case", vectors("micro_hf")["cases"])
def test_vectors_of_micro_hf(case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    rows = [[(float(Fraction(p)), [int(v)]) for v, p in row.items()] for row in case["leaf_probs"]]
    found = decode_micro_hf(LabelDistribution.from_scenarios(rows, hierarchy))
    assert found.value[0] == pytest.approx(case["max_expected_ratio"]["float"], abs=1e-12)
    got = [sorted(names(found.sets, hierarchy, i)) for i in range(len(rows))]
    assert got in case["argopt_all"]
    assert got == case["decoder_sets"]


# ----------------------------------------------------------------- all answers, by trying them


def cases(seed, *, n=RANDOM, most=6, **options):
    """Random hierarchies with one distribution each: parents, hierarchy, scenarios, distribution."""
    rng = np.random.default_rng(seed)
    kind = {k: options.pop(k) for k in ("dag", "forest") if k in options}
    for _ in range(n):
        parents = random_parents(rng, int(rng.integers(2, most + 1)), **kind)
        scenarios = random_scenarios(rng, parents, **options)
        hierarchy = hierarchy_of(parents)
        yield rng, parents, hierarchy, scenarios, distribution_of([scenarios], hierarchy)


def subsets(nodes):
    for bits in range(1 << len(nodes)):
        yield [v for i, v in enumerate(nodes) if bits >> i & 1]


TREE, FOREST, DAG = {}, {"forest": True}, {"dag": True}
SETS, SETS_DAG = {"several": True}, {"several": True, "dag": True}
ALL = (TREE, FOREST, DAG, SETS, SETS_DAG)
DECODED = {}
"""By name: kinds of problems, whether less is better, and what makes of a problem its decoder,
all possible answers, and the value of an answer where a set of labels is true."""


def decoded(*kinds, lower=False):
    def declare(make):
        DECODED[make.__name__] = kinds, lower, make
        return make

    return declare


def roots(rng, hierarchy):
    """A choice of root, and the classes that then do not count."""
    root = ["exclude", "include"][int(rng.integers(2))]
    return root, {0} if root == "exclude" and len(hierarchy.root_indices) == 1 else set()


@decoded(*ALL)
def f(rng, parents, hierarchy):
    beta = [Fraction(1, 2), Fraction(1), Fraction(2)][int(rng.integers(3))]
    root, out = roots(rng, hierarchy)
    true = lambda y: closed(parents, y, out)  # noqa: E731
    return (lambda law: decode_hf(law, float(beta), root=root), closed_sets(parents, out),
            lambda s, y: hf(s, true(y), beta))  # fmt: skip


@decoded(TREE, FOREST, SETS, lower=True)
def first_mistakes(rng, parents, hierarchy):
    root, out = roots(rng, hierarchy)
    cost = {v: Fraction(int(rng.integers(0, 5)), 4) for v in parents}
    costs = [float(cost[v]) for v in hierarchy.names]
    return (lambda law: decode_h_loss(law, costs=costs, root=root), closed_sets(parents, out),
            lambda s, y: h_loss(parents, s, closed(parents, y, out), cost, out))  # fmt: skip


@decoded(TREE, FOREST, SETS, SETS_DAG)
def any_sizes(rng, parents, hierarchy):
    """By the knapsack on trees, by a binary program elsewhere; lower values are those of a turned table."""
    root, out = roots(rng, hierarchy)
    table, lower = rng.integers(0, 9, (12, 12, 12)), bool(rng.integers(2))

    def by_size(law):
        value = lambda k, a, s: (-1) ** lower * table[k, a, s] / 8  # noqa: E731
        found = decode_set_value(law, value, root=root, direction="lower" if lower else "higher")
        return found.mapped(lambda x: x * (-1) ** lower, direction="higher")

    def value(s, y):
        y = closed(parents, y, out)
        return Fraction(int(table[len(s), len(y), len(s & y)]), 8)

    return by_size, closed_sets(parents, out), value


def each(parents):
    return [frozenset({v}) for v in parents]


def tip(labels):
    (label,) = labels
    return label


@decoded(TREE, lower=True)
def weighted_distance(rng, parents, hierarchy):
    """The class is the same for all lengths of the edges."""
    weight = {v: Fraction(int(rng.integers(1, 9)), 4) for v in parents}
    weighted = hierarchy_of(parents, {v: float(w) for v, w in weight.items()})

    def by_weight(law):
        other = LabelDistribution(weighted, law.indptr, law.p, law.sets)
        found = decode_distance(other, weighted=True)
        assert names(found.sets, weighted) == names(decode_distance(law).sets, hierarchy)
        return found

    return by_weight, each(parents), lambda s, y: tree_distance(parents, tip(s), tip(y), weight)


@decoded(TREE, lower=True)
def edge_cost(rng, parents, hierarchy):
    over, under = ({u: Fraction(int(rng.integers(0, 5)), 2) for u in parents} for _ in range(2))
    costs = [[float(side[u]) for u in hierarchy.names] for side in (over, under)]

    def value(s, y):
        mine, theirs = (closed(parents, labels, {0}) for labels in (s, y))
        return sum(over[u] for u in mine - theirs) + sum(under[u] for u in theirs - mine)

    return lambda law: decode_edge_cost(law, *costs), each(parents), value


@decoded(TREE, DAG, lower=True)
def pair_cost(rng, parents, hierarchy):
    table, at = rng.integers(0, 20, (len(parents),) * 2) / 4, hierarchy.position
    return (lambda law: decode_node_cost(law, table), each(parents),
            lambda s, y: Fraction(table[at[tip(s)], at[tip(y)]]))  # fmt: skip


@decoded(TREE, lower=True)
def depth_cost(rng, parents, hierarchy):
    table = rng.integers(0, 20, (len(parents),) * 3) / 4

    def value(s, y):
        a, b = closed(parents, s), closed(parents, y)
        return Fraction(table[len(a) - 1, len(b) - 1, len(a & b) - 1])

    return lambda law: decode_depth_cost(law, lambda a, b, c: table[a, b, c]), each(parents), value


@decoded(TREE, DAG)
def accuracy(rng, parents, hierarchy):
    """The truth is the leaf, or the class of the level, that is in the closed set, or none."""
    some, none = (
        {v for v in parents if not any(v in ps for ps in parents.values())},
        rng.random() < 0.5,
    )
    if hierarchy.shape == "tree" and rng.random() < 0.5:
        some = {v for v in parents if len(closed(parents, [v])) == 2}
    any_order = rng.permutation(hierarchy.index(sorted(some)))
    return (lambda law: decode_most_probable(law, any_order, none=none),
            each(some) + [frozenset()] * none, lambda s, y: int(closed(parents, y) & some == s))  # fmt: skip


@decoded(TREE, lower=True)
def facilities(rng, parents, hierarchy):
    """GIE where some classes may be predicted alone; the program agrees."""
    dmax = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5)][int(rng.integers(4))]
    away = {(u, v): tree_distance(parents, u, v) for u in parents for v in parents}
    may = rng.random(len(parents)) < 0.6 if rng.random() < 0.5 else np.ones(len(parents), bool)
    allowed = [v for i, v in enumerate(hierarchy.names) if may[i]]

    def by_places(law):
        found = decode_gie(law, float(dmax), predictable=may)
        if may.all() and rng.random() < 0.2:
            program = decode_pairing(law, pair_measures.gie(float(dmax)))
            assert program.value[0] == pytest.approx(found.value[0], abs=1e-7)
        return found

    return (by_places, map(frozenset, subsets(allowed)),
            lambda s, y: gie(lambda u, v: away[u, v], sorted(s), y, dmax))  # fmt: skip


# ----- weighted sets: class by class, or searched for

WEIGHED = {
    "icm": lambda tp, fp, fn, aside: tp - fp - fn,
    "symmetric_difference": lambda tp, fp, fn, aside: fp + fn,
    "ru": lambda tp, fp, fn, aside: fn,
    "mi": lambda tp, fp, fn, aside: fp,
    "hf": lambda tp, fp, fn, aside: 2 * tp / (2 * tp + fp + fn),
    "hf(beta=2)": lambda tp, fp, fn, aside: 5 * tp / (5 * tp + 4 * fn + fp),
    "hf(beta=0)": lambda tp, fp, fn, aside: tp / (tp + fp) if tp + fp else aside,
    "hp": lambda tp, fp, fn, aside: tp / (tp + fp) if tp + fp else aside,
    "hr": lambda tp, fp, fn, aside: tp / (tp + fn) if tp + fn else aside,
    "simgic": lambda tp, fp, fn, aside: tp / (tp + fp + fn),
}


def weighed(name):
    def make(rng, parents, hierarchy):
        aside = int(rng.integers(2))
        weight = {v: float(rng.choice([0.0, 0.3, 1.0, 2.5, rng.random()])) for v in parents}
        how = {"weights": weight, "root": "include"}
        if name == "icm":
            how = {"reference": [[int(v)] for v in rng.choice(list(parents), 6)]}
            known = class_weights(hierarchy, "icm", **how).tolist()
            weight = dict(zip(hierarchy.names, known, strict=True))
        if name.startswith("h"):
            how["zero_division"] = aside

        def value(s, y):
            y = closed(parents, y)
            amounts = [sum(weight[c] for c in some) for some in (s & y, s - y, y - s)]
            if name[0] in "hs" and name[1] != "y" and not sum(amounts):
                return 1
            return WEIGHED[name](*amounts, aside)

        return lambda law: decode(law, name, **how), closed_sets(parents), value

    return make


for _name in WEIGHED:
    _lower = _name in ("symmetric_difference", "ru", "mi")
    DECODED[f"weighted {_name}"] = (TREE, FOREST, DAG, SETS), _lower, weighed(_name)


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, (kinds, *_) in DECODED.items() for kind in kinds]
)
def test_no_answer_is_better(name, kind):
    kinds, lower, make = DECODED[name]
    for rng, parents, hierarchy, known, law in cases(11, n=RANDOM // len(kinds), **kind):
        scenarios, distribution = known, law
        if name.startswith(("fac", "weighted ")) and rng.random() < 0.2:  # nothing may be true
            scenarios = [(p / 2, y) for p, y in known] + [(Fraction(1, 2), [])]
            distribution = distribution_of([scenarios], hierarchy)
        by_rule, answers, value = make(rng, parents, hierarchy)

        worth = {s: float(sum(p * Fraction(value(s, y)) for p, y in scenarios)) for s in answers}
        best = (min if lower else max)(worth.values())
        found = by_rule(distribution)
        assert found.value[0] == pytest.approx(best, abs=1e-9)
        assert worth[frozenset(names(found.sets, hierarchy))] == pytest.approx(best, abs=1e-9)
        assert found.certificate.bound[0] == pytest.approx(best, abs=1e-9)
        assert found.is_exact


def test_micro_hf_is_the_best_of_all_pairs_of_closed_sets():
    rng = np.random.default_rng(21)
    for _ in range(RANDOM):
        parents = random_parents(rng, int(rng.integers(2, 5)), dag=bool(rng.integers(2)))
        rows = [random_scenarios(rng, parents, several=bool(rng.integers(2))) for _ in range(2)]
        beta = [Fraction(1, 2), Fraction(1), Fraction(2)][int(rng.integers(3))]
        full = [[(p, closed(parents, y, {0})) for p, y in row] for row in rows]
        wanted = beta**2 * sum(expected(row, len) for row in full)
        sets = list(closed_sets(parents, {0}))
        hits = [[(len(s), expected(row, lambda y, s=s: len(s & y))) for s in sets] for row in full]
        best = max(
            (1 + beta**2) * (b + c) / (m + n + wanted) if m + n + wanted else Fraction(0)
            for (m, b), (n, c) in itertools.product(*hits)
        )
        found = decode_micro_hf(distribution_of(rows, hierarchy_of(parents)), float(beta))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)


def test_a_search_that_is_stopped_says_how_much_better_another_set_could_be(monkeypatch):
    star = Hierarchy.from_edges([("r", c) for c in "abcdefghijkl"])
    distribution = LabelDistribution.from_leaves([np.full(12, 1 / 12)], star)
    monkeypatch.setattr(weighted_sets, "MOST_PARTS", 20)
    found = decode(distribution, "simgic", weights=dict.fromkeys("rabcdefghijkl", 2.0))  # all tie
    assert not found.is_exact
    assert found.value[0] == pytest.approx(1 / 12)
    assert 1 / 12 < found.certificate.bound[0] < 0.12
    assert found.certificate.method.endswith("stopped before the end")


def test_the_search_decides_large_hierarchies():
    """A hundred classes with weights that no grid holds; the bound is the value."""
    rng = np.random.default_rng(5)
    tree = Hierarchy.from_edges([(max(0, (i - 1) // 3), i) for i in range(1, 100)])
    weights = dict(zip(tree.names, rng.gamma(1, 1, 100), strict=True))
    law = LabelDistribution.from_leaves(
        [rng.dirichlet([1] * 30)], tree, classes=list(range(70, 100))
    )
    for name in ("hf", "simgic"):
        found = decode(law, name, weights=weights)
        assert found.is_exact
        assert found.certificate.method == "branch and bound over weights and classes"
        mean = expected_score(law, found, name, weights=weights).values[0]
        assert found.value[0] == pytest.approx(mean, abs=1e-12)


def test_thresholds_and_bounds_by_what_is_below_miss_the_optimum():
    """Leaves of unequal depth: a class on a short branch, and one that a likelier one displaces."""
    branches = [(1,), (2, 3, 4, 5), (6, 7, 8, 9), (10, 11, 12, 13)]
    edges = [edge for way in branches for edge in zip((0, *way), way, strict=False)]
    tree = Hierarchy.from_edges(edges)
    law = LabelDistribution.from_leaves([[0.32, 0.24, 0.22, 0.22]], tree, classes=[1, 5, 9, 13])
    found = decode_hf(law, root="include")
    assert names(found.sets, tree) == {0, 1}
    assert found.value[0] == pytest.approx(0.514, abs=1e-3)  # of the root alone 0.440
    tree = Hierarchy.from_edges([(0, 1), (1, 2), (1, 3), (0, 4)])
    law = LabelDistribution.from_leaves([[0.3, 0.45, 0.25]], tree, classes=[2, 3, 4])
    found = decode_hf(law)
    assert names(found.sets, tree) == {1, 3, 4}
    assert found.value[0] == pytest.approx(0.605)
    full = [(0.3, {1, 2}), (0.45, {1, 3}), (0.25, {4})]
    by_threshold = [names(apply_threshold(law, t), tree) for t in (0, 0.25, 0.3, 0.45, 0.7)]
    assert max(expected(full, lambda y, s=s: float(hf(s, y))) for s in by_threshold) < 0.601


# ----------------------------------------------------------------- batches, rules, refusals


def test_a_batch_gives_what_its_instances_give_alone(monkeypatch):
    rng = np.random.default_rng(22)
    hierarchy = hierarchy_of(random_parents(rng, 12))
    law = LabelDistribution.from_leaves(
        rng.dirichlet(np.full(12, 0.4), 40), hierarchy, classes=list(range(12))
    )
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    decoders = [
        decode_hf, decode_hp, decode_hr, decode_hamming, decode_h_loss, decode_distance, decode_gie,
        partial(decode_edge_cost, over=2, under=1), partial(decode_set_value, value=jaccard),
        partial(decode_most_probable, classes=leaves, none=True),
        partial(decode_node_cost, cost=hierarchy.pair_distances),
        partial(decode_depth_cost, cost=lambda a, b, c: a + b - 2 * c),
    ]  # fmt: skip
    whole = [d(law) for d in decoders]
    for module in (by_class, by_size, pairings):
        monkeypatch.setattr(module, "CELLS", 30)
    for decoder, found in zip(decoders, whole, strict=True):
        small = decoder(law)
        assert small.value.tolist() == pytest.approx(found.value.tolist(), abs=1e-12)
        assert small.sets.indices.tolist() == found.sets.indices.tolist()
        for i in (0, 17, 39):
            alone = decoder(law.part(i, i + 1))
            assert alone.value[0] == pytest.approx(found.value[i], abs=1e-12)
            assert alone.sets.names_of(0, hierarchy) == found.sets.names_of(i, hierarchy)


def test_rules():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    distribution = LabelDistribution.from_leaves([[0.4, 0.35, 0.25]], tree, classes="bcd")
    assert names(apply_threshold(distribution), tree) == {"a"}
    assert names(apply_threshold(distribution, 0.35), tree) == {"a", "b"}
    assert names(apply_threshold(distribution, 0.35, reached=True), tree) == {"a", "b", "c"}
    assert names(walk_down(distribution), tree) == {"c"}
    assert names(walk_down(distribution, stop=0.5), tree) == {"a"}
    scores = NodeScores.from_array([[0.2, 0.4, 0.9, 0.1]], tree, classes="abcd")
    assert names(apply_threshold(scores), tree) == {"c"}
    assert names(apply_threshold(scores, closure="max"), tree) == {"a", "c"}
    assert names(apply_threshold(scores, closure="min"), tree) == set()


TWO = Hierarchy.from_edges([("r", "a"), ("r", "b")])
GRAPH = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
ONE_PATH = LabelDistribution.from_scenarios([[(1.0, ["c"])]], GRAPH)
SEVERAL = LabelDistribution.from_scenarios([[(1.0, ["a", "b"])]], TWO)
LAW = LabelDistribution.from_leaves([[0.3, 0.7]], TWO)
SCORES = NodeScores.from_array([[0.5, 0.5]], TWO, classes="ab")
ALONE = LabelDistribution.from_scenarios([[(1.0, ["a"])]], Hierarchy.from_edges([("r", "a")]))


@pytest.mark.parametrize(("call", "message"), [
    *((lambda d=d: d(ONE_PATH), "this is a DAG")
      for d in (decode_distance, decode_edge_cost, decode_h_loss, decode_gie)),
    *((lambda d=d: d(SEVERAL), "several") for d in (decode_distance, decode_gie)),
    *((lambda d=d: d(SCORES), "LabelDistribution")
      for d in (decode_hf, decode_hp, decode_gie, lambda some: decode_pairing(some, pair_measures.gie()))),
    (lambda: decode_hf(SEVERAL, -1), "beta"),
    (lambda: decode_micro_hf(SEVERAL, 0), "beta"),
    (lambda: decode_hp(SEVERAL, size=3), r"\b\d+ classes with a probability, fewer than size=3"),
    (lambda: decode_hp(ALONE, size=2), "1 class with a probability, fewer than size=2"),
    (lambda: decode_pairing(SEVERAL, pair_measures.gie(-1)), "default"),
    (lambda: decode_pairing(SEVERAL, 5), "for a Rule, got int"),
    (lambda: decode(LAW, "icm"), "reference='FILE'"),
    *((lambda x=x: decode(LAW, f"{x}(weights=ia, smooth=0)", reference=[["a"]]),
       "instance 0: class 'b' has no finite weight") for x in ("ru", "hf")),
    *((lambda bad=bad: decode_hamming(SCORES, weights=bad), "weights must be finite and not negative")
      for bad in (-1.0, np.nan, [0, 0, -1])),
    *((lambda bad=bad: decode_h_loss(SCORES, costs=bad), "costs must be finite and not negative")
      for bad in (np.inf, [0, 0, -1])),
])  # fmt: skip
def test_what_cannot_be_decoded_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()


def test_averages_by_true_class_are_decoded_instance_by_instance():
    """How often a class is true is not known, so the value of the instance is what can be had."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    law = LabelDistribution.from_leaves([[0.4, 0.35, 0.25], [0.2, 0.3, 0.5]], tree)
    one, other = (decode(law, "mean_cost", average=how) for how in ("samples", "macro"))
    assert one.sets.indices.tolist() == other.sets.indices.tolist()
    assert one.value.tolist() == other.value.tolist()
    assert (one.is_exact, one.is_pooled) == (True, True)
    assert (other.is_exact, other.is_pooled) == (False, False)
