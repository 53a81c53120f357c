"""Decoders against trying all answers on random hierarchies."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest

from hierpair import BadInput, Hierarchy, Infeasible, LabelDistribution, NodeScores, decode
from hierpair.measures.families import pair_measures
from hierpair.pairing import CostMatrix
from hierpair.probabilistic import expected as expected_score
from hierpair.probabilistic.decoding import by_class, by_size, pairings, weighted_sets
from hierpair.probabilistic.decoding.by_class import apply_threshold, decode_distance, walk_down
from tests import effort
from tests.oracles import distributions as slow
from tests.oracles.distributions import closed, closed_sets, tree_distance
from tests.scenarios import distribution_of, hierarchy_of, names, random_parents, random_scenarios

RANDOM = effort.cases(1200)
pytestmark = pytest.mark.random_cases
"""Random hierarchies at least, over all kinds, for every decoder: all sets are tried on each."""


@dataclass
class Problem:
    """A random hierarchy with the scenarios of one instance, and a choice of what does not count."""

    rng: np.random.Generator
    parents: dict
    hierarchy: Hierarchy
    scenarios: list
    root: str

    @property
    def law(self):
        return distribution_of([self.scenarios], self.hierarchy)

    @property
    def out(self):
        one_root = len(self.hierarchy.root_indices) == 1
        return {0} if self.root == "exclude" and one_root else set()

    def any_of(self, *values):
        return values[int(self.rng.integers(len(values)))]

    def masses(self, most, of):
        return {v: Fraction(int(self.rng.integers(0, most)), of) for v in self.parents}

    def in_order(self, masses):
        return [float(masses[v]) for v in self.hierarchy.names]


def cases(n, dag=False, forest=False, several=False, nothing=False):
    rng = np.random.default_rng(11)
    for _ in range(n):
        parents = random_parents(rng, int(rng.integers(2, 7)), dag=dag, forest=forest)
        scenarios = random_scenarios(rng, parents, several=several)
        if nothing and rng.random() < 0.2:  # nothing may be true
            scenarios = [(p / 2, y) for p, y in scenarios] + [(Fraction(1, 2), [])]
        root = ["exclude", "include"][int(rng.integers(2))]
        yield Problem(rng, parents, hierarchy_of(parents), scenarios, root)


def subsets(nodes):
    for bits in range(1 << len(nodes)):
        yield [v for i, v in enumerate(nodes) if bits >> i & 1]


TREE, FOREST, DAG = {}, {"forest": True}, {"dag": True}
SETS, SETS_DAG = {"several": True}, {"several": True, "dag": True}
DECODED = {}
"""By name: kinds of problems, whether less is better, whether answers are single classes, and what
makes of a problem the decision, the value of an answer for a true set (both closed, or one class
each), and answers other than all closed sets or all classes."""


def decoded(*kinds, lower=False, one=False):
    def declare(make):
        DECODED[make.__name__] = kinds, lower, one, make
        return make

    return declare


@decoded(TREE, FOREST, SETS, lower=True)
def first_mistakes(q):
    cost = q.masses(5, 4)
    found = by_class.decode_h_loss(q.law, costs=q.in_order(cost), root=q.root)
    return found, lambda s, y: slow.h_loss(q.parents, s, y, cost, q.out)


@decoded(TREE, FOREST, SETS, SETS_DAG)
def any_sizes(q):
    """By the knapsack on trees, by a binary program elsewhere; lower values are those of a turned table."""
    table, sign = q.rng.integers(0, 9, (12, 12, 12)), q.any_of(1, -1)
    found = by_size.decode_set_value(
        q.law, lambda k, a, s: sign * table[k, a, s] / 8, root=q.root,
        direction="higher" if sign > 0 else "lower",
    ).mapped(lambda x: x * sign, direction="higher")  # fmt: skip
    return found, lambda s, y: Fraction(int(table[len(s), len(y), len(s & y)]), 8)


@decoded(TREE, DAG, lower=True, one=True)
def pair_cost(q):
    """A row per predicted class, as in cost matrices: an array, a CostMatrix and the measure agree."""
    table, at = q.rng.integers(0, 20, (len(q.parents),) * 2) / 4, q.hierarchy.position
    form = q.any_of("array", "matrix", "measure")
    if form != "array":
        np.fill_diagonal(table, 0)
    costs = table if form == "array" else CostMatrix(table)
    by = partial(decode, measure="mean_cost", cost=costs)
    by = by if form == "measure" else partial(by_class.decode_node_cost, cost=costs)
    return by(q.law), lambda u, v: Fraction(table[at[u], at[v]])


@decoded(TREE, lower=True, one=True)
def depth_cost(q):
    table = q.rng.integers(0, 20, (len(q.parents),) * 3) / 4

    def value(*both):
        a, b = (closed(q.parents, [v]) for v in both)
        return Fraction(table[len(a) - 1, len(b) - 1, len(a & b) - 1])

    return by_class.decode_depth_cost(q.law, lambda a, b, c: table[a, b, c]), value


@decoded(TREE, lower=True, one=True)
def edge_cost(q):
    """Of the edges into the classes on the predicted path and on the true one; no label is the root."""
    over, under = q.masses(9, 4), q.masses(9, 4)

    def value(u, *true):
        a, b = closed(q.parents, [u], {0}), closed(q.parents, true, {0})
        return sum(over[v] for v in a - b) + sum(under[v] for v in b - a)

    return by_class.decode_edge_cost(q.law, q.in_order(over), q.in_order(under)), value


@decoded(TREE, DAG)
def accuracy(q):
    """The truth is the leaf, or the class of the level, that is in the closed set, or none."""
    some, none = {*q.parents} - {*itertools.chain(*q.parents.values())}, q.any_of(True, False)
    if q.hierarchy.shape == "tree" and q.any_of(True, False):
        some = {v for v in q.parents if len(closed(q.parents, [v])) == 2}
    if q.any_of(True, False):  # all are equally probable
        q.scenarios = [(Fraction(1, len(q.scenarios)), y) for _, y in q.scenarios]
    any_order, p = q.rng.permutation(q.hierarchy.index(sorted(some))), q.law.marginals().dense()[0]
    found = by_class.decode_most_probable(q.law, any_order, none=none)
    for at in found.sets.indices:  # the first of equal ones
        assert at == min(c for c in any_order if p[c] == p[at])
    answers = [frozenset({v}) for v in some] + [frozenset()] * none
    return found, lambda s, y: int(y & some == s), answers


@decoded(TREE, lower=True)
def facilities(q):
    """GIE where some classes may be predicted alone; the program agrees."""
    q.root, default = "include", q.any_of(Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5))
    away = {(u, v): tree_distance(q.parents, u, v) for u in q.parents for v in q.parents}
    may = q.rng.random(len(q.parents)) < q.any_of(0.6, 1)
    found = pairings.decode_gie(q.law, float(default), predictable=may)
    if may.all() and q.rng.random() < 0.2:
        program = pairings.decode_pairing(q.law, pair_measures.gie(float(default)))
        assert program.value[0] == pytest.approx(found.value[0], abs=1e-7)

    def value(s, y):
        tips = [v for v in y if not any(v in q.parents[u] for u in y)]
        return slow.gie(lambda u, v: away[u, v], sorted(s), tips, default)

    allowed = [v for v, can in zip(q.hierarchy.names, may, strict=True) if can]
    return found, value, map(frozenset, subsets(allowed))


@pytest.mark.parametrize("seed", range(20))
def test_classes_above_no_label_are_of_no_use_to_gie(seed):
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, 30)
    laws = [random_scenarios(rng, parents) for _ in range(3)]
    law, default = distribution_of(laws, hierarchy_of(parents)), int(rng.integers(1, 6))
    whole = pairings.decode_gie(law, default, predictable=[True] * len(parents))
    part = pairings.decode_gie(law, default)
    assert part.value == pytest.approx(whole.value)
    worth = expected_score(law, part.sets, f"gie(default={default})")
    assert worth.value == pytest.approx(part.value.mean())


@pytest.mark.parametrize("seed", range(20))
def test_classes_that_cannot_be_true_are_of_no_use_where_more_alone_never_pay(seed, monkeypatch):
    rng, dag = np.random.default_rng(seed), seed % 2 == 1
    parents = random_parents(rng, 9 if dag else 20, dag=dag)
    laws = [random_scenarios(rng, parents) for _ in range(3)]
    law = distribution_of(laws, hierarchy_of(parents))
    part = decode(law, "simgic")
    assert expected_score(law, part.sets, "simgic").value == pytest.approx(part.value.mean())
    monkeypatch.setattr(by_size, "_grows", lambda *_: True)
    assert part.value == pytest.approx(decode(law, "simgic").value)


EVERY = [(name, kind) for name, (kinds, *_) in DECODED.items() for kind in kinds]


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_no_answer_is_better(name, kind):
    kinds, lower, one, make = DECODED[name]
    nothing = name in ("facilities", "edge_cost")
    for q in cases(RANDOM // len(kinds), **kind, nothing=nothing):
        found, value, *given = make(q)
        every = closed_sets(q.parents, q.out)
        answers = given[0] if given else [frozenset({v}) for v in q.parents] if one else every

        def worth_of(s, y, q=q, value=value):
            return Fraction(value(*s, *y) if one else value(s, closed(q.parents, y, q.out)))

        worth = {s: float(slow.expected(q.scenarios, partial(worth_of, s))) for s in answers}
        best = (min if lower else max)(worth.values())
        assert found.value[0] == pytest.approx(best, abs=1e-9)
        assert worth[frozenset(names(found.sets, q.hierarchy))] == pytest.approx(best, abs=1e-9)
        assert found.certificate.bound[0] == pytest.approx(best, abs=1e-9)
        assert found.is_exact


def test_micro_hf_is_the_best_of_all_pairs_of_closed_sets():
    rng = np.random.default_rng(21)
    for _ in range(RANDOM):
        parents = random_parents(rng, int(rng.integers(2, 5)), dag=bool(rng.integers(2)))
        rows = [random_scenarios(rng, parents, several=bool(rng.integers(2))) for _ in range(2)]
        beta = [Fraction(1, 2), Fraction(1), Fraction(2)][int(rng.integers(3))]
        full = [[(p, closed(parents, y, {0})) for p, y in row] for row in rows]
        wanted = beta**2 * sum(slow.expected(row, len) for row in full)
        sets = list(closed_sets(parents, {0}))
        hits = [
            [(len(s), slow.expected(row, lambda y, s=s: len(s & y))) for s in sets] for row in full
        ]
        best = max(
            (1 + beta**2) * (b + c) / (m + n + wanted) if m + n + wanted else Fraction(0)
            for (m, b), (n, c) in itertools.product(*hits)
        )
        found = by_class.decode_micro_hf(distribution_of(rows, hierarchy_of(parents)), float(beta))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)


def test_a_search_that_is_stopped_says_how_much_better_another_set_could_be(monkeypatch):
    star = Hierarchy.from_edges([("r", c) for c in "abcdefghijkl"])
    distribution = LabelDistribution.from_leaves([np.full(12, 1 / 12)], star)
    monkeypatch.setattr(weighted_sets, "MOST_PARTS", 20)
    weights = dict.fromkeys("rabcdefghijkl", 2.0)  # all tie
    found = decode(distribution, "simgic", weights=weights)
    assert not found.is_exact
    assert found.value[0] == pytest.approx(1 / 12)
    assert 1 / 12 < found.certificate.bound[0] < 0.12
    assert found.certificate.method.endswith("stopped before the end")
    monkeypatch.setattr(weighted_sets, "MOST_PARTS", 0)
    assert decode(distribution, "simgic", weights=weights).certificate.bound[0] == np.inf


def test_the_search_decides_large_hierarchies():
    """A hundred classes with weights that no grid holds; the bound is the value."""
    rng = np.random.default_rng(5)
    tree = Hierarchy.from_edges([(max(0, (i - 1) // 3), i) for i in range(1, 100)])
    weights = dict(zip(tree.names, rng.gamma(1, 1, 100), strict=True))
    p, leaves = rng.dirichlet([1] * 30), list(range(70, 100))
    law = LabelDistribution.from_leaves([p], tree, classes=leaves)
    for name in ("hf", "simgic"):
        found = decode(law, name, weights=weights)
        assert found.is_exact
        assert found.certificate.method == "branch and bound over weights and classes"
        mean = expected_score(law, found, name, weights=weights).values[0]
        assert found.value[0] == pytest.approx(mean, abs=1e-12)


# ----------------------------------------------------------------- batches, rules, refusals


def test_a_batch_gives_what_its_instances_give_alone(monkeypatch):
    rng = np.random.default_rng(22)
    hierarchy = hierarchy_of(random_parents(rng, 12))
    p = rng.dirichlet(np.full(12, 0.4), 40)
    law = LabelDistribution.from_leaves(p, hierarchy, classes=list(range(12)))
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    decoders = [
        by_size.decode_hf, by_size.decode_hp, by_size.decode_hr, by_class.decode_hamming,
        by_class.decode_h_loss, decode_distance, pairings.decode_gie,
        partial(by_class.decode_edge_cost, over=2, under=1),
        partial(by_size.decode_set_value, value=lambda k, a, s: s / np.maximum(k + a - s, 1)),
        partial(by_class.decode_most_probable, classes=leaves, none=True),
        partial(by_class.decode_node_cost, cost=hierarchy.pair_distances),
        partial(by_class.decode_depth_cost, cost=lambda a, b, c: a + b - 2 * c),
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


@pytest.mark.parametrize(("call", "message"), [
    *((lambda d=d: d(ONE_PATH), "this is a DAG")
      for d in (walk_down, decode_distance, by_class.decode_edge_cost, by_class.decode_h_loss, pairings.decode_gie)),
    *((lambda d=d: d(SEVERAL), "several") for d in (decode_distance, pairings.decode_gie)),
    *((lambda d=d: d(SCORES), "LabelDistribution")
      for d in (by_size.decode_hf, by_size.decode_hp, pairings.decode_gie, lambda some: pairings.decode_pairing(some, pair_measures.gie()))),
    (lambda: by_size.decode_hf(SEVERAL, -1), "beta"),
    (lambda: by_class.decode_micro_hf(SEVERAL, 0), "beta"),
    (lambda: pairings.decode_pairing(SEVERAL, pair_measures.gie(-1)), "default"),
    (lambda: pairings.decode_pairing(SEVERAL, 5), "for a Rule, got int"),
    (lambda: pairings.decode_gie(LAW, 0), "default must be a finite number > 0"),
    *((lambda bad=bad: pairings.decode_pairing(LAW, pair_measures.gie(), candidates=bad), "class numbers .* 0 … 2, got")
      for bad in ([3], [-1], [], [0.5])),
    *((lambda bad=bad: by_size.decode_hp(LAW, size=bad), "size must be a whole number ≥ 1, got") for bad in (0, 1.5)),
    (lambda: by_class.decode_most_probable(SCORES, []), "there is no class to choose from"),
    (lambda: by_class.decode_hamming(SCORES, weights=[1, 2]), "weights must be a number or hold one per class"),
    (lambda: by_class.decode_node_cost(LAW, [[0, 1], [1, 0]]), "expected a 3 × 3 matrix by class"),
    (lambda: by_class.decode_node_cost(LAW, pd.DataFrame(np.eye(3), TWO.names, TWO.names)), "go by its names, or by position"),
    (lambda: pairings.decode_gie(LAW, predictable=[True, False]), "predictable must be a number or hold one per class"),
    (lambda: decode(LAW, "icm"), "reference='FILE'"),
    *((lambda x=x: decode(LAW, f"{x}(weights=ia, smooth=0)", reference=[["a"]]),
       "instance 0: class 'b' has no finite weight") for x in ("ru", "hf")),
    *((lambda bad=bad: by_class.decode_hamming(SCORES, weights=bad), "weights must be finite and not negative")
      for bad in (-1.0, np.nan, [0, 0, -1])),
    *((lambda bad=bad: by_class.decode_h_loss(SCORES, costs=bad), "costs must be finite and not negative")
      for bad in (np.inf, [0, 0, -1])),
])  # fmt: skip
def test_what_cannot_be_decoded_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()


def test_costs_of_classes_may_have_their_names():
    of_class = pd.Series([4.0, 3.0, 2.0], index=["b", "r", "a"])
    for costs in (of_class, dict(of_class)):
        assert by_class.decode_hamming(LAW, weights=costs).value == pytest.approx([0.3 * 6])


def test_what_has_no_pairing_is_named_by_its_id():
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")], roots="any")
    law = LabelDistribution.from_leaves([[0.5, 0.5]], forest, ids=["x"])
    with pytest.raises(Infeasible, match="instance 'x': no prediction has a pairing"):
        by_class.decode_node_cost(law, forest.pair_distances)


def test_a_missing_true_class_may_cost_nothing():
    found = pairings.decode_gie(LAW, 2, default_true=0)
    assert (found.sets.indices.tolist(), found.value.tolist()) == ([], [0.0])


def test_no_edge_leads_into_the_root():
    law = LabelDistribution.from_scenarios([[(0.5, ["a"]), (0.5, [])]], TWO)
    found = by_class.decode_edge_cost(law, over=1, under=3)
    assert (names(found.sets, TWO), found.value.tolist()) == ({"a"}, [0.5])


def test_averages_by_true_class_are_decoded_instance_by_instance():
    """How often a class is true is not known, so the value of the instance is what can be had."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    law = LabelDistribution.from_leaves([[0.4, 0.35, 0.25], [0.2, 0.3, 0.5]], tree)
    one, other = (decode(law, "mean_cost", average=how) for how in ("samples", "macro"))
    assert one.sets.indices.tolist() == other.sets.indices.tolist()
    assert one.value.tolist() == other.value.tolist()
    assert (one.is_exact, one.is_pooled) == (True, True)
    assert (other.is_exact, other.is_pooled) == (False, False)
