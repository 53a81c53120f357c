"""Ranked predictions: definitions on trees and DAGs, identities, ties, and errors."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, Infeasible, NodeScores, measure, score
from hierpair.labels import node_scores as labels
from hierpair.measures.scored.rankings import largest_distance
from hierpair.metrics import score_like
from hierpair.pairing import CostMatrix, cost_named
from tests import effort, limits
from tests.everything import random_problem
from tests.oracles.classes import Classes
from tests.strategies import dags

TREE = Hierarchy.from_edges(zip("rraabbb", "abcdefg", strict=True))

MEASURES = (
    "top_accuracy", "ahd", "ahd_mistakes", "best_of", "similarity_precision", "hprecision", "h_average_precision",
)  # fmt: skip


def ranked_scores(truth, given, hierarchy, *, k=(1,), names=None, **how):
    """All numbers of scores, or of lists of classes, best first: {(measure, k): number}."""
    chosen = {(name, x): measure(name, **how, k=x) for name in names or MEASURES for x in k}
    if not isinstance(given, dict):
        given = labels.ranked_scores(hierarchy, np.array([hierarchy.index(row) for row in given]))
    found = score(hierarchy, truth, {"s": given}, list(chosen.values())).values[0]
    return dict(zip(chosen, found.tolist(), strict=True))


def gained(relevance):
    """At every rank the mean of what is known to be as relevant as the item, or less."""
    ranks = enumerate(relevance, 1)
    return sum(Fraction(sum(min(here, x) for x in relevance[:j]), j) for j, here in ranks)


def by_definition(d, truth, rankings, k, pool, top=None):
    """All numbers at k, class by class, of distances d."""
    n = len(truth)
    rows = [[d(t, p) for p in ranking[:k]] for t, ranking in zip(truth, rankings, strict=True)]
    wrong = [row for row, t, r in zip(rows, truth, rankings, strict=True) if r[0] != t]
    top = max(d(u, v) for u in pool for v in pool) if top is None else top
    nearest = [sorted(d(t, x) for x in pool)[:k] for t in truth]
    like, most = ([[top - x for x in row] for row in some] for some in (rows, nearest))
    similar, ideal = (sum(map(sum, some)) for some in (like, most))
    each = [gained(row) / sum(of) if sum(of) else 0 for row, of in zip(like, most, strict=True)]
    inside = sum(x <= near[-1] for row, near in zip(rows, nearest, strict=True) for x in row)
    return {
        "top_accuracy": sum(t in r[:k] for t, r in zip(truth, rankings, strict=True)) / n,
        "ahd": sum(map(sum, rows)) / (n * k),
        "ahd_mistakes": sum(map(sum, wrong)) / (len(wrong) * k) if wrong else math.nan,
        "best_of": sum(map(min, rows)) / n,
        "similarity_precision": similar / ideal if top and ideal else math.nan,
        "hprecision": inside / (n * k),
        "h_average_precision": float(sum(each)) / n,
    }


def heights(h):
    """How far a class is from another: the least height of a common ancestor, 0 for itself."""
    return lambda t, p: 0 if t == p else min(map(h.height, h.common(t, p)), default=None)


@given(dags(max_classes=11, single_root=True), st.randoms(use_true_random=False), st.booleans(),
       st.booleans())  # fmt: skip
@settings(max_examples=effort.cases(150), deadline=None)
def test_all_numbers_by_definition(dag, random, inner, given_costs):
    """Of heights, and of distances that are given and need not be those of the hierarchy.

    What has the same score, or none, follows by name.
    """
    edges, names = dag
    hierarchy, h = Hierarchy.from_edges(edges, classes=names), Classes(edges, names)
    d, costs, root = heights(h), {}, hierarchy.roots[0]
    if given_costs:
        table = [[(p != t) * random.randint(1, 9) for t in names] for p in names]
        table = dict(zip(itertools.product(names, names), itertools.chain(*table), strict=True))
        d, costs = lambda t, p: table[p, t], {"cost": CostMatrix(table)}
    pool = [c for c in names if c != root or len(names) == 1] if inner else h.leaves
    truth = [random.choice(names if inner else pool) for _ in range(4)]
    drawn = lambda: {c: random.choice([1, 2, 3]) / 4 for c in pool if random.random() < 0.7}  # noqa: E731
    scores = [drawn() for _ in truth]
    rankings = [sorted(pool, key=lambda c: (-row.get(c, 0), c)) for row in scores]
    ks = tuple(range(1, len(pool) + 1))
    how = {"k": ks, "candidates": "all" if inner else "leaves", **costs}
    furthest = max(d(t, p) for t in truth for p in pool)
    if furthest > max(d(u, v) for u in pool for v in pool):  # the root is true
        with pytest.raises(BadInput, match=r"from the true class .* and the largest is"):
            ranked_scores(truth, rankings, hierarchy, **how)
        how["largest"] = furthest
    found = ranked_scores(truth, rankings, hierarchy, **how)
    for turn in range(6):
        with limits.turn(turn, "measures.scored.rankings."):
            again = Hierarchy.from_edges(edges, classes=names)
            assert str(ranked_scores(truth, rankings, again, **how)) == str(found)
    sides = {i: [t] for i, t in enumerate(truth)}, dict(enumerate(scores))
    assert str(ranked_scores(*sides, hierarchy, ties="name", **how)) == str(found)
    for k in ks:
        want = by_definition(d, truth, rankings, k, pool, how.get("largest"))
        of_k = {name: found[name, k] for name in want}
        assert of_k == pytest.approx(want, abs=1e-12, nan_ok=True), k


def test_large_distances_are_found_without_all_pairs_or_asked_for(monkeypatch):
    """Sums settle it where one class meets the others high up; else pairs are tried, if few."""
    for limit in ("BLOCK_PAIRS", "MOST_PAIRS"):
        monkeypatch.setattr(f"hierpair.measures.scored.rankings.{limit}", 5)
    assert largest_distance(TREE, cost_named("height"), "leaves") == 2
    assert largest_distance(TREE, cost_named("height(normalise=root)"), "leaves") == 1
    one_is_enough = Hierarchy.from_edges(zip("rrabab", "abpqxx", strict=True))  # p and q meet in r
    assert largest_distance(one_is_enough, cost_named("height"), "leaves") == 2
    # every leaf is below two of a, b, c, so the lower classes have all of them more than once
    pool = [p + q for p in "abc" for q in "xy"]
    kin = {"a": "ab", "b": "bc", "c": "ca"}
    below = [(p, c) for p in "abc" for c in pool if c[0] in kin[p]]
    dag = Hierarchy.from_edges([*zip("rrr", "abc", strict=True), *below])
    message = r"the largest distance of 6 classes .* give it as largest=…"
    with pytest.raises(BadInput, match=message):
        ranked_scores(["ax"], [pool], dag, k=(2,))
    assert ranked_scores(["ax"], [pool], dag, k=(2,), largest=1)["hprecision", 2] == 1


@pytest.mark.parametrize(("said", "fine"), [
    ({"c": 0.5, "d": 0.25, "e": 0.25, "f": 0.125}, (1, 3, 4, 5)),
    ({"g": 0.5}, (1, 5)),  # all others have 0
])  # fmt: skip
def test_ties_matter_only_where_they_decide(said, fine):
    for k in range(1, 6):
        if k in fine:
            found = ranked_scores({"x": "d"}, {"x": said}, TREE, k=(k,))
            assert found["top_accuracy", k] == (k > 1)
            continue
        tied = sorted(said.values())[-k] if k <= len(said) else 0
        message = rf"'x': several classes have the score {tied}, .* among the first {k} is not"
        with pytest.raises(BadInput, match=message):
            ranked_scores({"x": "d"}, {"x": said}, TREE, k=(k,))


def test_ties_go_by_name_whatever_the_level():
    tree = Hierarchy.from_edges([("r", "z"), ("r", "m"), ("m", "a")])
    said = {"s": {"x": {"a": 0.5, "z": 0.5}}}
    assert score(tree, {"x": "a"}, said, "top_accuracy(ties=name)").values == 1


TWO_TREES = Hierarchy.from_edges([("r", "a"), ("s", "b")])
LOPSIDED = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


@pytest.mark.parametrize(("truth", "rankings", "options", "message"), [
    (["c"], [["c", "d"]], {"k": (3,)}, "instance 0: the ranking names 2 classes, and k is 3"),
    (["c"], [list("cdefg")], {"k": (6,)}, "k is 6, and a ranking has at most 5 classes"),
    (["c"], [list("cdefg")], {"k": (6,), "cost": "hops", "names": ["hprecision"]}, "k is 6, and a ranking"),
    ([["c", "d"]], [["c"]], {}, "instance 0: a ranking is compared with one true class, .* 2"),
    ([[]], [["c"]], {}, "one true class, and there are 0"),
    (["c", "d"], [["e"], ["d"]], {"cost": lambda pairs: pairs.distance + 1},
     "instance 1: the cost of predicting 'd' where it is true is 1.0; it must be 0"),
    (["c", "d"], [["c"], ["e"]], {"cost": lambda pairs: -pairs.distance},
     r"instance 1: the pair \('e', 'd'\) has the cost -4.0"),
    (["c"], [["c", "e"]], {"k": (2,), "largest": 1}, r"instance 0: the ranked class 'e' .* and the largest is 1"),
    ({"x": "c"}, {"x": {"c": 0.5, "d": 0.25}}, {"hierarchy": LOPSIDED, "k": (2,), "largest": 1, "ideal": "classes"},
     "the 2 nearest classes are up to 2 away, and the largest"),
    (["a", "a"], [["a"], ["b"]], {"hierarchy": TWO_TREES}, "instance 1: the ranked class 'b' and the true class 'a'"),
])  # fmt: skip
def test_what_is_wrong_is_told(truth, rankings, options, message):
    how = {"hierarchy": TREE} | options
    with pytest.raises((BadInput, Infeasible), match=message):
        ranked_scores(truth, rankings, **how)


def test_what_is_similar_by_rounding_alone_is_not_similar():
    """Nothing is nearer than the largest distance: 0.3 and 0.1 + 0.2 are the same one."""
    star = Hierarchy.from_edges([("r", "b"), ("r", "c")])
    apart = np.where(np.eye(len(star)), 0.0, 0.3)
    b, c = star.index(["b", "c"])
    apart[b, c] = apart[c, b] = 0.1 + 0.2
    m = measure("similarity_precision", cost=CostMatrix(apart), k=1)
    said = {"s": {"x": {"b": 0.5, "c": 0.25}}}
    assert math.isnan(score(star, {"x": "r"}, said, m).values[0, 0])


def test_the_preset_has_the_numbers_of_the_code():
    """That code divides the precision by the best of all leaves instead of that of each truth."""
    rng = np.random.default_rng(6)
    edges = [(int(rng.integers(0, i)), i) for i in range(1, 60)]
    hierarchy, h = Hierarchy.from_edges(edges), Classes(edges, range(60))
    d, leaves = heights(h), h.leaves
    truth = rng.choice(leaves, 60).tolist()
    p = rng.dirichlet(np.ones(len(leaves)), 60)
    scores = NodeScores.from_array(p, hierarchy, classes=leaves)
    rankings = [[leaves[j] for j in np.argsort(-row)] for row in p]
    found = score_like("making-better-mistakes", hierarchy, truth, {"s": scores})
    like = {(u, v): 1 - d(u, v) / h.height(0) for u in leaves for v in leaves}
    words = {"accuracy_top/": "top_accuracy", "ilsvrc_dist_avg/": "ahd", "ilsvrc_dist_top/": "best_of",
             "ilsvrc_dist_mistakes/avg": "ahd_mistakes", "ilsvrc_dist_precision/": "precision"}  # fmt: skip
    for k in (1, 5, 20):
        want = by_definition(d, truth, rankings, k, leaves)
        reached = sum(like[t, c] for t, row in zip(truth, rankings, strict=True) for c in row[:k])
        best = sum(sum(sorted((like[u, v] for v in leaves), reverse=True)[:k]) for u in leaves)
        want["precision"] = reached / best * len(leaves) / len(truth)
        for word, name in words.items():
            assert found["s", f"{word}{k:02d}"] == pytest.approx(want[name], abs=1e-12), (word, k)
    assert len(found.columns) == 15


@pytest.mark.parametrize("more", [{}, {"roots": 3}, {"parents": 3}], ids=["tree", "forest", "DAG"])
def test_average_precision_of_lists_in_which_classes_come_again(more):
    """What has no ancestor in common, or is further than the largest distance, is not relevant."""
    problem = random_problem("lists", 4, n=14, **more)
    tree, rng, names = problem.fresh()[0], np.random.default_rng(2), problem.classes
    d, truth = heights(Classes(problem.edges, names)), rng.choice(names, 30).tolist()
    lists = [rng.choice([*names[-8:], y], rng.integers(0, 25)).tolist() for y in truth]
    like = lambda y, c: max(0, 3 - (3 if d(y, c) is None else d(y, c)))  # noqa: E731
    rows = [[like(y, c) for c in items] for y, items in zip(truth, lists, strict=True)]
    name = "retrieved_average_precision(largest=3)"
    found = score(tree, truth, {"s": lists}, [name])
    wanted = [float(gained(row) / sum(row)) if sum(row) else 0 for row in rows]
    assert found.per_instance["s"][:, 0] == pytest.approx(wanted)
    assert 0.1 < found.values[0, 0] < 0.9
    with pytest.raises(Infeasible, match="compared with one true class, and there are 2"):
        score(tree, [names[-2:]], {"s": [["a"] * 0]}, [name])
    below = measure("retrieved_average_precision", cost=lambda pairs: -pairs.distance, largest=3)
    with pytest.raises(BadInput, match=r"instance 1: the pair \('d', 'c'\) has the cost -2"):
        score(LOPSIDED, ["c", "c"], {"s": [["c", "c", "c"], ["d"]]}, [below])
