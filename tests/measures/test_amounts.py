"""Amounts that labels come with, and lists in which classes come again, against loops over dicts."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    LabelSets,
    score,
)
from hierpair.io import read_labels
from hierpair.labels import Columns
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


def over(numerator, denominator, else_=0):
    return float(numerator / denominator) if denominator else else_


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
