"""Amounts below classes, set-valued answers and best matches against loops over dicts."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Degree,
    Hierarchy,
    Hops,
    Infeasible,
    LabelSets,
    Rule,
    Unmatched,
    explain,
    pair_measure,
    score,
)
from hierpair.io import read_labels
from hierpair.labels import Columns
from hierpair.measures import REGISTRY
from tests.everything import random_problem

SHAPES = {
    "tree": {}, "forest": {"roots": 3}, "DAG": {"parents": 3},
    "edge lengths": {"weights": (0.5, 1.0, 2.25)},
}  # fmt: skip


class Slow:
    """A random problem, and the same in sets and dicts."""

    def __init__(self, shape, seed):
        self.problem = random_problem(shape, seed, **SHAPES[shape])
        self.tree, *_ = self.problem.fresh()
        self.above = {c: {*self.tree.ancestors(c), c} for c in self.tree.names}
        self.level = dict(zip(self.tree.names, self.tree.levels.tolist(), strict=True))
        inner = {e[0] for e in self.problem.edges}
        self.leaves = {
            c: {x for x in self.tree.names if x not in inner and c in self.above[x]}
            for c in self.tree.names
        }
        self.pairs = [
            (sorted(set(t)), sorted(set(p)))
            for t, p in zip(self.problem.y_true, self.problem.y_pred, strict=True)
        ]

    def length(self, c, how):
        if how == "depth":
            several = len(self.tree.roots) > 1
            return Fraction(1, max(self.level[c] + several, 1))
        if how == "weights":
            return Fraction(next((e[2] for e in self.problem.edges if e[1] == c), 1))
        return Fraction(1)

    def amounts(self, labels, amount):
        below = Counter()
        for label in labels:
            for c in self.above[label]:
                below[c] += Fraction(1, len(labels)) if amount == "shares" else 1
        return Counter(dict.fromkeys(below, 1)) if amount == "presence" else below

    def sums(self, true, predicted, amount, lengths="ones", at_level=None):
        """Return what both sides have, what they share, and what one has more."""
        x, y = self.amounts(true, amount), self.amounts(predicted, amount)
        some = [
            c for c in self.tree.names
            if (self.tree.roots != [c]) and at_level in (None, self.level[c])
        ]  # fmt: skip
        w = {c: self.length(c, lengths) for c in some}
        return (
            sum(w[c] * x[c] for c in some), sum(w[c] * y[c] for c in some),
            sum(w[c] * min(x[c], y[c]) for c in some), sum(w[c] * abs(x[c] - y[c]) for c in some),
        )  # fmt: skip

    def scored(self, name):
        truth, predicted = (list(side) for side in zip(*self.pairs, strict=True))
        return score(self.tree, truth, {"s": predicted}, [name]).per_instance["s"][:, 0].tolist()


def over(numerator, denominator, else_=0):
    return float(numerator / denominator) if denominator else else_


CASES = [*itertools.product(SHAPES, range(3))]
on_trees = pytest.mark.parametrize("slow", [x for x in CASES if x[0] == "tree"], indirect=True)


@pytest.fixture(params=CASES, ids=lambda x: f"{x[0]}-{x[1]}")
def slow(request):
    return Slow(*request.param)


def test_counts_below_classes(slow):
    for level in (None, 1, 2):
        names = [f"count_{x}(at_level={level})" for x in ("precision", "recall", "f")]
        wanted = []
        for true, predicted in slow.pairs:
            t, p, both, _ = slow.sums(true, predicted, "counts", at_level=level)
            empty = 1.0 if t + p == 0 else 0
            wanted.append((over(both, p, empty), over(both, t, empty), over(2 * both, t + p, 1.0)))
        found = np.array([slow.scored(name) for name in names]).T
        assert found == pytest.approx(np.array(wanted), abs=1e-12)


@on_trees
def test_counts_are_the_cost_of_a_pairing(slow):
    """FP + FN is the best one-to-one pairing at the edges between labels, else up to the top."""
    depth = slow.tree.levels

    @pair_measure
    def moved():
        sides = ("predicted", "true")
        return Rule(Hops(), tuple(
            c for s in sides for c in (Degree(s, 1, 1), Unmatched(s, lambda x: depth[x.classes]))
        ))  # fmt: skip

    try:
        cost = [float(slow.sums(t, p, "counts")[3]) for t, p in slow.pairs]
        assert slow.scored("moved") == cost
    finally:
        del REGISTRY["moved"]


def test_unifrac_and_shares(slow):
    lengths = ["ones", "depth"] + ["weights"] * (slow.problem.name == "edge lengths")
    for how, level in [(x, None) for x in lengths] + [("ones", 1), ("ones", 2)]:
        options = f"lengths={how},at_level={level}"
        weighted, normalised = (
            slow.scored(f"weighted_unifrac({options})"),
            slow.scored(f"normalised_unifrac({options})"),
        )
        for k, (true, predicted) in enumerate(slow.pairs):
            t, p, _, single = slow.sums(true, predicted, "shares", how, level)
            assert weighted[k] == pytest.approx(float(single), abs=1e-12)
            assert normalised[k] == pytest.approx(over(single, t + p), abs=1e-12)
        if how == "ones":
            assert slow.scored(f"bray_curtis(at_level={level})") == normalised
            assert slow.scored(f"abundance_l1(at_level={level})") == weighted
        if level is None:
            found = slow.scored(f"unweighted_unifrac(lengths={how})")
            sums = (slow.sums(t, p, "presence", how) for t, p in slow.pairs)
            wanted = [over(single, t + p - both) for t, p, both, single in sums]
            assert found == pytest.approx(wanted, abs=1e-12)


def test_equal_shares_are_equal():
    """Seven labels of a seventh each are as much as one label, to the bit."""
    tree = Hierarchy.from_edges([("r", "a"), *(("a", f"a{i}") for i in range(7))])
    seven = [[f"a{i}" for i in range(7)]]
    assert score(tree, seven, {"s": [["a"]]}, "weighted_unifrac(at_level=1)").values[0, 0] == 0


@on_trees
@pytest.mark.parametrize("ancestors", [True, False])
def test_what_does_not_count_is_cut_as_from_sets(slow, ancestors):
    """Of single labels on a tree counts are sets, and shares are counts, whatever is left out."""
    rng = np.random.default_rng(1)
    names = list(slow.tree.names)
    truth, said = ([[x] for x in rng.choice(names[1:], 40)] for _ in range(2))
    known = [rng.choice(names, rng.integers(0, 3), replace=False).tolist() for _ in truth]
    for how in ({"ignore": known, "ignore_ancestors": ancestors}, {"classes": names[2:15]}):
        found = score(slow.tree, truth, {"s": said}, ["hf", "count_f", "normalised_unifrac"], **how)
        sets, counts, shares = found.per_instance["s"].T
        assert counts == pytest.approx(sets, nan_ok=True)
        assert 1 - shares == pytest.approx(sets, nan_ok=True)


@on_trees
def test_of_sets_of_one_size_weighted_unifrac_is_the_wasserstein_distance(slow):
    found, wanted = slow.scored("weighted_unifrac"), slow.scored("tree_wasserstein")
    for one, other in zip(found, wanted, strict=True):
        assert np.isnan(other) or one == pytest.approx(other, abs=1e-12)


WORTH = {"1/s": (1, 0), "u65": (1.6, 0.6), "u80": (2.2, 1.2)}


def test_answers(slow):
    rows = []
    for true, predicted in slow.pairs:
        leaves = set().union(*(slow.leaves[c] for c in predicted))
        right = sum(bool(slow.above[c] & set(predicted)) for c in true)
        rows.append((over(right, len(true), np.nan), len(leaves)))
    coverage, size = np.array(rows).T
    assert slow.scored("answer_coverage") == pytest.approx(coverage, nan_ok=True)
    assert slow.scored("answer_size") == size.tolist()
    for name, (a, b) in WORTH.items():
        worth = [a / s - b / s**2 if s else 0 for s in size]
        found = slow.scored(f"answer_utility(utility='{name}')")
        assert found == pytest.approx(coverage * worth, nan_ok=True)


def test_the_fewest_classes_by_trying_all():
    for seed in range(20):
        slow = Slow(("tree", "forest")[seed % 2], seed)
        slow.problem = random_problem("small", seed, n=9, roots=1 + seed % 2)
        small = Slow.__new__(Slow)
        small.problem, small.tree = slow.problem, slow.problem.fresh()[0]
        inner = {e[0] for e in small.problem.edges}
        leaves = {c: frozenset(x for x in small.tree.names if x not in inner
                               and c in {*small.tree.ancestors(x), x}) for c in small.tree.names}  # fmt: skip
        answers = small.problem.y_pred
        found = score(small.tree, answers, {"s": answers}, "answer_complexity").per_instance["s"]
        for said, n in zip(answers, found[:, 0].tolist(), strict=True):
            meant = frozenset().union(*(leaves[c] for c in said))
            sizes = (
                k for k in range(len(leaves) + 1)
                for some in itertools.combinations(leaves, k)
                if frozenset().union(*(leaves[c] for c in some)) == meant
            )  # fmt: skip
            assert n == next(sizes)


def test_a_dag_has_no_fewest_classes():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(BadInput, match="'c' has several parents; take answer_size"):
        score(dag, [["c"]], {"s": [["a"]]}, "answer_complexity")


@pytest.mark.parametrize(
    ("cost", "default"), [("hops", 5), ("hops", 2), ("lin", 1), ("wu_palmer", 1)]
)
def test_best_matches(slow, cost, default):
    options = f"cost={cost},default={default}"
    halves = [slow.scored(f"best_match_{x}({options})") for x in ("precision", "recall")]
    both = slow.scored(f"best_match_average({options})")
    names = slow.tree.names
    every = [([c], [d]) for c in names for d in names]
    each = score(slow.tree, [d for _, d in every], {"s": [c for c, _ in every]},
                 [f"all_pairs(cost={cost})"], on_infeasible="nan").per_instance["s"][:, 0]  # fmt: skip
    cost_of = dict(zip(((c, d) for (c,), (d,) in every), each.tolist(), strict=True))
    for k, (true, predicted) in enumerate(slow.pairs):
        s = {(p, t): max(0, 1 - cost_of[p, t] / default) for p in predicted for t in true}
        half = [
            np.mean([max((s[p, t] for t in true), default=0) for p in predicted] or [0]),
            np.mean([max((s[p, t] for p in predicted), default=0) for t in true] or [0]),
        ]
        assert [halves[0][k], halves[1][k]] == pytest.approx(half, abs=1e-12)
        assert both[k] == pytest.approx(sum(half) / 2, abs=1e-12)


def test_what_is_explained_has_the_common_ancestors():
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    (why,) = explain(tree, [["b", "d"]], [["c"]], "best_match_average(cost=hops,default=5)")
    assert why.value == 0.55
    fields = [(f.name, f.classes, f.numbers, f.predicted, f.true) for f in why.evidence.fields]
    assert fields[3:6] == [
        ("common ancestor", ("a",), (), ("c",), ("b",)),
        ("cost for the prediction", ("c",), (2.0,), ("c",), ("b",)),
        ("cost for the truth", ("b",), (2.0,), ("c",), ("b",)),
    ]
    assert dict(why.evidence.counts) == {"cost_pred": 2.0, "cost_true": 5.0}


@pytest.mark.parametrize("shape", ["tree", "DAG"])
@pytest.mark.parametrize("cost", ["height", "hops"])
def test_hierarchical_average_precision(shape, cost):
    """Relevance lists of whole rankings, one by one."""
    tree, *_ = random_problem(shape, 3, n=14, **SHAPES[shape]).fresh()
    inner = {tree.names[p] for p in tree.parents}
    leaves = [c for c in tree.names if c not in inner]
    rng = np.random.default_rng(0)
    truth = rng.choice(leaves, 20).tolist()
    ranked = np.array([rng.permutation(leaves) for _ in truth])
    every = list(itertools.product(leaves, leaves))
    each = score(tree, [[d] for _, d in every], {"s": [[c] for c, _ in every]},
                 [f"mean_cost(cost={cost})"]).per_instance["s"][:, 0].tolist()  # fmt: skip
    far = dict(zip(every, map(Fraction, each), strict=True))
    largest = max(far.values())
    for k in (1, 3, len(leaves)):
        wanted = []
        for y, row in zip(truth, ranked.tolist(), strict=True):
            rel = [1 - far[c, y] / largest for c in row[:k]]
            gained = [
                (sum(min(rel[j], rel[i]) for i in range(j)) + rel[j]) / (j + 1) for j in range(k)
            ]
            best = sorted((1 - far[c, y] / largest for c in leaves), reverse=True)[:k]
            wanted.append(float(sum(gained) / sum(best)))
        found = score(tree, truth, {"s": ranked}, [f"h_average_precision(k={k},cost={cost})"])
        assert found.per_instance["s"][:, 0] == pytest.approx(wanted)
        assert found.values[0, 0] == pytest.approx(np.mean(wanted))


@pytest.mark.parametrize("shape", SHAPES)
def test_amounts_that_labels_come_with(shape, tmp_path):
    """In every form, against shares of their sum; unweighted UniFrac and hF see only which."""
    slow, rng = Slow(shape, 5), np.random.default_rng(5)
    sides = [
        {f"i{k}": {c: float(rng.integers(1, 9)) for c in pair[of]}
         for k, pair in enumerate(slow.pairs)}
        for of in (0, 1)
    ]  # fmt: skip
    truth, said = (LabelSets.from_amounts(side, slow.tree) for side in sides)
    options = "lengths=weights" if shape == "edge lengths" else "lengths=depth"
    names = [f"{x}_unifrac({options})" for x in ("weighted", "normalised", "unweighted")]
    names += ["bray_curtis(at_level=1)", "abundance_l1(at_level=2)", "count_f", "hf"]
    wanted, how = [], options.partition("=")[2]
    for t, p in zip(sides[0].values(), sides[1].values(), strict=True):
        alike = {}
        for amount, x, y in [(a, t, p) for a in ("shares", "counts", "presence")]:
            parts = [({c: Fraction(v) for c, v in z.items()}, sum(z.values())) for z in (x, y)]
            below = []
            for of, total in parts:
                sums = Counter()
                for label, v in of.items():
                    for c in slow.above[label]:
                        sums[c] += v / Fraction(total) if amount == "shares" else v
                below.append(Counter(dict.fromkeys(sums, 1)) if amount == "presence" else sums)
            alike[amount] = below

        def sums(amount, lengths="ones", level=None, alike=alike):
            of = alike[amount]
            some = {
                c: slow.length(c, lengths) for c in slow.tree.names
                if slow.tree.roots != [c] and level in (None, slow.level[c])
            }  # fmt: skip
            each = [(of[0][c], of[1][c], w) for c, w in some.items()]
            return [
                sum(w * x for x, _, w in each), sum(w * y for _, y, w in each),
                sum(w * min(x, y) for x, y, w in each), sum(w * abs(x - y) for x, y, w in each),
            ]  # fmt: skip

        a, b, _, single = sums("shares", how)
        u, v, both, one = sums("presence", how)
        at_one, at_two, counts = sums("shares", level=1), sums("shares", level=2), sums("counts")
        plain = sums("presence")
        wanted.append([
            float(single), over(single, a + b), over(one, u + v - both),
            over(at_one[3], at_one[0] + at_one[1]), float(at_two[3]),
            over(2 * counts[2], counts[0] + counts[1], 1.0),
            over(2 * plain[2], plain[0] + plain[1]),
        ])  # fmt: skip
    found = score(slow.tree, truth, {"s": said}, names).per_instance["s"]
    assert found[:, :6] == pytest.approx(np.array(wanted)[:, :6], abs=1e-9)
    empty = [not (t and p) for t, p in slow.pairs]
    assert found[~np.array(empty), 6] == pytest.approx(np.array(wanted)[~np.array(empty), 6])

    order = rng.permutation(sum(map(len, sides[1].values())))
    rows = [(i, c, v) for i, of in sides[1].items() for c, v in of.items()]
    rows = [rows[k] for k in order] + [(i, "", "") for i, of in sides[1].items() if not of]
    path = tmp_path / "said.csv"
    path.write_text("".join(f"{i},{c},{v}\n" for i, c, v in [("id", "label", "share"), *rows]))
    read = read_labels(path, slow.tree, columns=Columns(long=True, score="share", amounts=True))
    again = score(slow.tree, truth, {"s": read}, names).per_instance["s"]
    assert again.tolist() == found.tolist()


def test_amounts_are_checked():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    for bad in (-1, float("nan"), float("inf"), "much", None, True):
        with pytest.raises(BadInput, match="instance 'x', class 'a': an amount must be a number"):
            LabelSets.from_amounts({"x": {"b": 1, "a": bad}}, tree)
    sets = LabelSets.from_amounts([{"a": 0, "b": 2}], tree)
    assert (sets.names_of(0, tree), sets.amounts.tolist()) == (["b"], [2.0])
    with pytest.raises(BadInput, match="here they have even shares; weighted_unifrac takes"):
        score(tree, sets, {"s": ["a"]}, "tree_wasserstein")


@pytest.mark.parametrize("cost", ["height", "lin(intrinsic=seco)"])
@pytest.mark.parametrize("shape", ["tree", "forest", "DAG"])
def test_average_precision_of_lists_in_which_classes_come_again(shape, cost):
    """Relevance lists one by one, of few levels and of many; also from a file of labels."""
    tree, *_ = random_problem(shape, 4, n=14, **SHAPES[shape]).fresh()
    rng, names = np.random.default_rng(2), list(tree.names)
    truth = rng.choice(names, 30).tolist()
    lists = [rng.choice([*names[-8:], y], rng.integers(0, 25)).tolist() for y in truth]
    every = list(itertools.product(names, names))
    far = dict(zip(every, score(
        tree, [[d] for _, d in every], {"s": [[c] for c, _ in every]}, [f"mean_cost(cost={cost})"],
        on_infeasible="nan",
    ).per_instance["s"][:, 0].tolist(), strict=True))  # fmt: skip
    name, wanted = f"retrieved_average_precision(cost={cost},largest=0.75)", []
    for y, items in zip(truth, lists, strict=True):
        rel = [0 if np.isnan(far[c, y]) else max(0, 1 - far[c, y] / 0.75) for c in items]
        rank = [sum(min(rel[j], x) for x in rel[: j + 1]) / (j + 1) for j in range(len(rel))]
        wanted.append(over(sum(rank), sum(rel)))
    found = score(tree, truth, {"s": lists}, [name])
    assert found.per_instance["s"][:, 0] == pytest.approx(wanted)
    assert 0.1 < found.values[0, 0] < 0.9
    with pytest.raises(Infeasible, match="compared with one true class, and there are 2"):
        score(tree, [names[-2:]], {"s": [["a"] * 0]}, [name])
