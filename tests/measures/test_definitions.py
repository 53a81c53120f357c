"""Every measure of label sets, with every option and average, is what its definition says.

And values, remarks and evidence by hand; amounts that labels come with; costs of vectors and files.
"""

import itertools
import math
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, LabelSets, explain, measure, score
from hierpair.errors import HierpairError
from hierpair.io import read_labels
from hierpair.labels import Columns
from hierpair.measures import REGISTRY, measures_of
from hierpair.pairing import Climb, CosineDistance, CostMatrix, Lin, Resnik
from tests import effort, limits
from tests.everything import LEVELS, OF_LEVELS, outcome, random_problem, variants
from tests.oracles.classes import Classes, ContrastModel
from tests.oracles.measures import DEFINED, average
from tests.oracles.measures import values as by_definition
from tests.scoring import all_pairs_of, pooled, values
from tests.strategies import dags, problems

SEPARATE = {"lca": "tests/lca", "confusion": "tests/confusion"}
"""Families with oracles and tests of their own."""

MORE = [measure(text) for text in (
    "hf(weights=leaves)", "hf(weights=leaves,root=include)", "symmetric_difference(weights=leaves)",
    "simgic(weights=leaves,average=micro)", "hf(augment=pruned,root=include)", "f(beta=2)",
    "gie(max_distance=0)", "gie(default=2.5,max_distance=1)", "fnerror(threshold=2,default=1)",
    "constrained_f(inconsistent=drop,parents=any)", "weighted_unifrac(lengths=depth,at_level=1)",
    "tree_wasserstein(default=3)", "contribution_f(theta=2.5)", "level_f(augment=ancestors,at_level=1)",
    "simgic(weights=ia,smooth=0)", "hf(weights=ic,smooth=0,root=include)",
    "depth_loss(w0=0.5,depth=sum,normalise=path)", "level_accuracy(augment=none,absent_level='none-class')",
)]  # fmt: skip
"""Options that no turn of single ones brings together."""


def known_cost(m):
    """Whether definitions have it; tests/pairing/test_costs.py holds the others."""
    cost = str(m.options.get("cost"))
    return not re.match("decayed|wu_palmer|lin|resnik|climb.*information", cost)


def counted_from(h, truth):
    """What is counted from the truth of a problem."""
    return SimpleNamespace(weights=cache(lambda word, smooth=1: h.weights(word, truth, smooth)))


def grown(problem):
    """Closed true sets, some without the root, and predictions that lack a class here and there."""
    h, rng = Classes(problem.edges, problem.classes), np.random.default_rng(1)
    rows = [(h.grown(t) - (h.single if i % 3 == 0 else set()), h.grown([*p, *t[:1]]))
            for i, (t, p) in enumerate(zip(problem.y_true, problem.y_pred, strict=True))]  # fmt: skip
    y_pred = [sorted(c for c in p if rng.random() < 0.85) for _, p in rows]
    return replace(problem, y_true=[sorted(t) for t, _ in rows], y_pred=y_pred)


def layered(rng):
    """Whole paths of a DAG whose parents are one level up, and a class of every level."""
    layers = [[f"c{k}.{i}" for i in range(k + 2)] for k in range(4)]
    edges = [(str(p), c) for up, low in pairwise(layers) for c in low
             for p in rng.choice(up, int(rng.integers(1, 3)), replace=False)]  # fmt: skip
    h = Classes(edges, [c for layer in layers for c in layer])

    def path(c):
        return [*(path(str(rng.choice(h.parents[c]))) if h.parents[c] else []), c]

    truth = [path(str(rng.choice(layers[i % 4]))) for i in range(15)]
    said = [
        [t if rng.random() < 0.6 else str(rng.choice(layer)) for t, layer in zip(true, layers, strict=False)]
        + ([str(rng.choice(layers[-1]))] if len(true) == 3 else [])
        for true in truth
    ]  # fmt: skip
    return replace(LEVELS, name="layers", edges=edges, classes=h.names, y_true=truth, y_pred=said,
                   weight=rng.random(15))  # fmt: skip


WAYS = ("hierarchy.closure.", "evaluation.", "measures.recipes.", "pairing.", "solvers.flow.")
"""Limits that choose how values of label sets are found."""

SINGLE = ("mean_cost", "total_cost", "normalised_cost", "mistake_severity")


def drawn(name):
    """Small problems of every shape; single labels, and paths, where a measure wants them."""
    d, rng = REGISTRY[name], np.random.default_rng(2)
    parents = 1 if d.family in ("amount", "transport") else 3
    shapes = {"tree": {}, "forest": {"roots": 3},
              "lengths": {"parents": parents, "weights": (0.5, 1.0, 2.25)}}  # fmt: skip
    how = {"n": 9, "instances": 9, "sample_weights": True, "most": 1 if name in SINGLE else 3}
    for seed in range(6 if effort.exhaustive else 1):
        if name in OF_LEVELS:
            yield replace(LEVELS, weight=rng.random(len(LEVELS.y_true)))
            yield layered(rng)
            continue
        for shape, more in shapes.items():
            p = random_problem(shape, 40 + seed, **how, **more)
            yield grown(p) if d.family == "path" else p
        if d.by_true_class:
            single = {**how, "instances": 20, "most": 1, "empty": False}
            yield random_problem("single", 50 + seed, **single)


def test_every_measure_has_a_definition():
    """ICM has that of its authors, below; lists of retrieved items are in test_ranked.py."""
    wanted = {n for n, d in measures_of("labels").items() if d.family not in SEPARATE}
    assert wanted - {"icm", "icm_norm", "retrieved_average_precision"} == set(DEFINED)


@pytest.mark.random_cases
@pytest.mark.parametrize("name", DEFINED)
def test_values_and_averages_are_those_of_the_definition(name):
    """In the quick run each variant has one of the shapes, and one of the ways to compute it."""
    compared, chosen = 0, set()
    known = [m for m in (*variants((name,)), *MORE) if m.definition.name == name and known_cost(m)]
    for turn, problem in enumerate(drawn(name)):
        first = 7 * [*DEFINED].index(name) + 5 * turn
        h = Classes(problem.edges, problem.classes)
        rows = list(zip(problem.y_true, problem.y_pred, strict=True))
        data, weight = counted_from(h, problem.y_true), problem.weight.tolist()
        for k, m in enumerate(known):
            some = k == 0 or (k + turn) % 3 == 0 or name in OF_LEVELS or effort.exhaustive
            if not some and not (m.by_true_class and problem.name == "single"):
                continue
            try:
                with limits.turn(first + k, WAYS):
                    found, *each = outcome(problem, [m], on_infeasible="nan")[m]
            except HierpairError:  # options that do not go together, or not with this hierarchy
                continue
            wanted, _ = by_definition(name, h, rows, m.options, data)
            told = f"{m} of {problem.name}"
            assert each == pytest.approx([float(x) for x in wanted], abs=1e-9, nan_ok=True), told
            by_true = m.by_true_class
            pooled = average(name, h, rows, m.options, data, weight, by_true)
            assert found == pytest.approx(float(pooled), abs=1e-9, nan_ok=True), told
            compared += not math.isnan(found)
            chosen |= {o for o, _ in m.chosen}
    assert compared
    assert {o for m in known for o, _ in m.chosen} <= chosen


# -------------------------------------------------------------------- information of classes


@given(problems(max_classes=9, max_labels=4, instances=5))
@settings(max_examples=effort.cases(75), deadline=None)
def test_information_contrast(problem):
    """The recursion of its authors on forests; 2 W(P) + 2 W(T) − 3 W(P ∪ T) is the same there."""
    hierarchy, edges, truth, predicted = problem
    h, n = Classes(edges, hierarchy.names), len(truth)
    found = score(hierarchy, truth, {"s": predicted}, ["icm", "icm_norm"])
    model, rows = ContrastModel(h, truth), list(zip(truth, predicted, strict=True))
    icm = model.icm
    if hierarchy.shape == "DAG":  # by weights log2(p(parents) / p(c))
        inside = {c: sum(set(h.parents[c]) <= s for s in model.sets) for c in h.names}
        assume(all(inside[c] > 1 for c in h.names if len(h.parents[c]) > 1))
        weight = {c: math.log2(max(1, inside[c]) / n) + model.of_class(c) for c in h.names}
        of = lambda labels: sum(weight[c] for c in h.grown(labels))  # noqa: E731
        icm = lambda t, p: 2 * of(p) + 2 * of(t) - 3 * of([*p, *t])  # noqa: E731
    each = [icm(t, p) for t, p in rows]
    assert found.per_instance["s"][:, 0] == pytest.approx(each, abs=1e-9)
    own = np.mean([icm(t, t) for t in truth])
    if own > 1e-9:
        norm = max(0, (np.mean(each) + own) / (2 * own))
        assert found["s", "icm_norm"] == pytest.approx(norm, abs=1e-9)


@given(dags(10), st.sampled_from(["seco", "sanchez", "counts"]))
@settings(max_examples=effort.cases(150), deadline=None)
def test_costs_by_information(drawn, how):
    """Of the hierarchy alone, or of counts."""
    edges, names = drawn
    h, n, counts = Classes(edges, names), len(names), {c: i + 1 for i, c in enumerate(names)}
    content = {
        "seco": lambda c: math.log(n / len(h.below(c))),
        "sanchez": lambda c: math.log((len(h.leaves) + 1) / (len(h.leaves_below(c)) / len(h.above(c)) + 1)),
        "counts": lambda c: math.log(sum(counts.values()) / sum(map(counts.get, h.below(c)))),
    }[how]  # fmt: skip
    content = {c: content(c) for c in names}
    table = all_pairs_of(Hierarchy.from_edges(edges, classes=names, roots="any"), names)
    given = {"counts": counts} if how == "counts" else {"intrinsic": how}
    largest, lin = max(content.values()), table(Lin(**given))
    resnik = table(Resnik(**given)) if largest > 1e-12 else {}
    climb = table(Climb(counts, by="information")) if how == "counts" else {}
    for (one, other), cost in lin.items():
        shared = [content[c] for c in h.common(one, other)]
        best, both = max(shared, default=0), content[one] + content[other]
        like = 2 * best / both if both > 1e-12 else float(bool(shared))
        assert 1 - cost == pytest.approx(1 if one == other else min(1, like), abs=1e-9)
        if resnik:
            assert 1 - resnik[one, other] == pytest.approx(best / largest, abs=1e-9)
        if climb:
            away = content[one] - best if shared else math.inf
            assert climb[one, other] == pytest.approx(away, abs=1e-9)


# -------------------------------------------------------------------------- by hand

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])


def test_shares_that_add_up_to_1_do_so_to_the_bit():
    assert values("weighted_unifrac(at_level=1)", TREE, [["c", "d", "a"]], [["a"]]) == [0]


def test_what_an_explanation_shows():
    (why,) = explain(TREE, [["c", "b"]], [["d"]], "best_match_average(cost=hops,default=5)")
    assert why.value == pytest.approx((0.6 + (0.6 + 0.4) / 2) / 2)
    fields = [(f.name, f.classes, f.numbers, f.predicted, f.true) for f in why.evidence.fields]
    assert fields[3:6] == [
        ("common ancestor", ("a",), (), ("d",), ("c",)),
        ("cost for the prediction", ("d",), (2.0,), ("d",), ("c",)),
        ("cost for the truth", ("c",), (2.0,), ("d",), ("c",)),
    ]
    assert dict(why.evidence.counts) == {"cost_pred": 2.0, "cost_true": 5.0}
    why = explain(TREE, ["e"], ["b"], "mistake_severity")[0]
    assert (why.value, why.evidence.cost, why.evidence.optimal) == (3, 3, True)
    why = explain(TREE, [["e", "b"]], [["d"]], "lca_depth_share")[0]
    shared, true = why.evidence.fields[-2:]
    assert dict(why.evidence.counts) == {"shared_depth": shared.total, "true_depth": true.total}
    assert "a (1)" in why.to_text()


def test_a_truth_without_ancestors_is_told():
    for name, value in (("constrained_f", 1 / 2), ("scaled_path_f", 0)):
        scores = score(TREE, [["e"], ["a"]], {"s": [["e"], ["a"]]}, [name])
        told = f"s, {name}: the true set lacks ancestors of its labels"
        assert told in str(scores)
        assert "(1 instance)" in str(scores)
        assert scores["s", name] == value
    assert "lacks" not in str(score(TREE, [["a", "c"]], {"s": [["c"]]}, ["constrained_f"]))
    path = [["a", "c", "e"]]  # whatever counts, as many labels are on the path as in the set
    assert score(TREE, path, {"s": path}, "path_factor", ignore=[["a"]]).values[0, 0] == 1


@pytest.mark.parametrize("ancestors", [True, False])
def test_what_does_not_count_is_cut_as_from_sets(ancestors):
    """Of single labels on a tree counts are sets, and shares are counts, whatever is left out."""
    tree, *_ = random_problem("tree", 1).fresh()
    rng = np.random.default_rng(1)
    names = list(tree.names)
    truth, said = ([[x] for x in rng.choice(names[1:], 40)] for _ in range(2))
    known = [rng.choice(names, rng.integers(0, 3), replace=False).tolist() for _ in truth]
    for how in ({"ignore": known, "ignore_ancestors": ancestors}, {"classes": names[2:15]}):
        found = score(tree, truth, {"s": said}, ["hf", "count_f", "normalised_unifrac"], **how)
        sets, counts, shares = found.per_instance["s"].T
        assert counts == pytest.approx(sets, nan_ok=True)
        assert 1 - shares == pytest.approx(sets, nan_ok=True)


# -------------------------------------------------------------- amounts that labels come with

SHAPES = {
    "tree": {}, "forest": {"roots": 3}, "DAG": {"parents": 3},
    "edge lengths": {"weights": (0.5, 1.0, 2.25)},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_amounts_that_labels_come_with(shape, tmp_path):
    """In every form, against shares of their sum; unweighted UniFrac and hF see only which."""
    problem, rng = random_problem(shape, 5, **SHAPES[shape]), np.random.default_rng(5)
    tree, h = problem.fresh()[0], Classes(problem.edges, problem.classes)
    sides = [
        {f"i{k}": {c: float(rng.integers(1, 9)) for c in labels} for k, labels in enumerate(side)}
        for side in (problem.y_true, problem.y_pred)
    ]
    truth, said = (LabelSets.from_amounts(side, tree) for side in sides)
    options = "lengths=weights" if shape == "edge lengths" else "lengths=depth"
    names = [f"{x}_unifrac({options})" for x in ("weighted", "normalised", "unweighted")]
    names += ["bray_curtis(at_level=1)", "abundance_l1(at_level=2)", "count_f", "hf"]
    found = score(tree, truth, {"s": said}, names).per_instance["s"]
    rows = list(zip(*(side.values() for side in sides), strict=True))
    for name, got in zip(names, found.T, strict=True):
        m = measure(name)
        data = counted_from(h, problem.y_true)
        wanted, _ = by_definition(m.definition.name, h, rows, m.options, data)
        assert got == pytest.approx([float(x) for x in wanted], abs=1e-9), name
    cells = [(i, c, v) for i, of in sides[1].items() for c, v in of.items()]
    cells = [cells[k] for k in rng.permutation(len(cells))]
    cells += [(i, "", "") for i, of in sides[1].items() if not of]
    path = tmp_path / "said.csv"
    path.write_text("".join(f"{i},{c},{v}\n" for i, c, v in [("id", "label", "share"), *cells]))
    read = read_labels(path, tree, columns=Columns(long=True, score="share", amounts=True))
    assert score(tree, truth, {"s": read}, names).per_instance["s"].tolist() == found.tolist()


def test_mistakes_are_found_for_each_root():
    given = TREE, [["a"], []], {"s": [["b"], ["a"]]}
    names = ["h_loss", "h_loss(root=include)", "h_loss(costs=ones)"]
    together = score(*given, names).per_instance["s"]
    apart = [score(*given, name).per_instance["s"][:, 0] for name in names]
    assert together.T.tolist() == [values.tolist() for values in apart]
    assert apart[0].tolist() != apart[1].tolist()


def test_amounts_come_in_every_form():
    rng, names = np.random.default_rng(3), ["b", "a", "e"]
    matrix, ids = rng.integers(0, 3, (6, 3)) * 0.5, [f"i{k}" for k in rng.permutation(6)]
    dicts = [dict(zip(names, row, strict=True)) for row in matrix.tolist()]
    framed = pd.DataFrame(matrix, columns=names)
    forms = [
        LabelSets.from_amounts(dict(zip(ids, dicts, strict=True)), TREE),
        LabelSets.from_amounts(dicts, TREE), LabelSets.from_amounts(framed, TREE),
        *(LabelSets.from_amounts(x, TREE, classes=names, ids=ids) for x in (matrix, matrix.tolist())),
    ]  # fmt: skip
    for sets, known in zip(forms, (True, False, False, True, True), strict=True):
        assert (sets.ids is not None and [*sets.ids] == ids) == known
        for i, of in enumerate(dicts):
            given = {c: x for c, x in of.items() if x}
            amounts = sets.amounts[sets.indptr[i] : sets.indptr[i + 1]].tolist()
            assert dict(zip(sets.names_of(i, TREE), amounts, strict=True)) == given


def test_amounts_are_checked():
    no_number, below = "expected a number, got", "an amount must be a number ≥ 0, got"
    for bad, said in (
        (-1, below),
        (math.inf, below),
        *((x, no_number) for x in (math.nan, "much", None, True)),
    ):
        with pytest.raises(BadInput, match=f"instance 'x', class 'a': {said} "):
            LabelSets.from_amounts({"x": {"b": 1, "a": bad}}, TREE)
    sets = LabelSets.from_amounts([{"a": 0, "b": 2}], TREE)
    assert (sets.names_of(0, TREE), sets.amounts.tolist()) == (["b"], [2.0])
    with pytest.raises(BadInput, match="here they have even shares; weighted_unifrac takes"):
        score(TREE, sets, {"s": ["a"]}, "tree_wasserstein")


# ----------------------------------------------------------------------------- costs of pairs


@given(problems(instances=4, single_root=True), st.randoms(use_true_random=False))
@settings(max_examples=effort.cases(100), deadline=None)
def test_category_similarity_is_eq_17(problem, random):
    """Con = (CS - ACS) / (1 - ACS), ACS over all pairs of classes; a zero vector is like nothing."""
    hierarchy, edges, y_true, y_pred = problem
    pairs = [*itertools.combinations(set(hierarchy.names) - {*hierarchy.roots}, 2)]
    assume(pairs)
    rows = {c: [random.choice([0, 0, 1, 2, 3]) for _ in range(3)] for c in hierarchy.names}

    def away(*classes):
        one, other = (np.array(rows[c]) / (np.linalg.norm(rows[c]) or 1) for c in classes)
        return 1 - float(one @ other)

    theta = sum(away(*pair) for pair in pairs) / len(pairs)
    given = {"cost": CosineDistance(np.array(list(rows.values()), dtype=float)), "theta": "mean"}
    if theta < 1e-9:
        with pytest.raises(BadInput, match="all classes are alike"):
            values("contribution_f", hierarchy, y_true, y_pred, **given)
        return
    for name in ("contribution_error", "contribution_f"):
        m = measure(name, **given)
        options = {**m.options, "cost": away, "theta": theta}
        of = list(zip(y_true, y_pred, strict=True))
        wanted = average(name, Classes(edges, hierarchy.names), of, options, None, [1] * len(of))
        got = score(hierarchy, y_true, {"s": y_pred}, [m]).values[0, 0]
        assert got == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("other", [None, 0.5, 9.0])
@pytest.mark.parametrize(
    "form", ["matrix", "sparse", "function", "names", "table.csv", "table.tsv", "list.tsv"]
)
def test_costs_that_are_given(form, other, tmp_path):
    """Lists may lack pairs, which cost ``other``; the worst cost counts what it costs then."""
    rng = np.random.default_rng(7)
    tree = Hierarchy.from_edges([("r", c) for c in "abcde"])
    names, whole = tree.names, form not in ("names", "list.tsv")
    cost = {(p, t): float(p != t and rng.integers(1, 9)) for p in names for t in names
            if whole or rng.random() < (0.85 if p != t else 0.5)}  # fmt: skip
    table = np.array([[cost.get((p, t), 0) for t in names] for p in names])
    path, mark = tmp_path / form, "," if "csv" in form else "\t"
    lines = [("", *names), *((t, *table[:, k]) for k, t in enumerate(names))]
    if form == "list.tsv":
        lines = [("true", "predicted", "cost"), *((t, p, x) for (p, t), x in cost.items())]
    path.write_text("\n".join(mark.join(map(str, line)) for line in lines))
    extra = {} if other is None or form in ("matrix", "sparse", "function") else {"other": other}
    if form == "function":
        given = lambda pairs: table[pairs.predicted, pairs.true]  # noqa: E731
    elif "." in form:
        given = f"matrix({str(path)!r}, other={other})"
        m = measure(f"mean_cost(cost={given})")
        assert m == measure(m.name) == measure("mean_cost", cost=given)
    else:
        given = CostMatrix({"names": cost, "sparse": sp.csr_array(table)}.get(form, table), **extra)
    pairs = [*cost, *itertools.product(names, names)] if extra else [*cost]
    pay = lambda p, t: cost.get((p, t), other * (p != t) if extra else 0)  # noqa: E731
    paid, (said, truth) = sum(pay(*pair) for pair in pairs), zip(*pairs, strict=True)
    worst = sum(max(pay(p, t) for p in names) for t in truth)
    wanted = {"total_cost": paid, "mean_cost": paid / len(pairs), "normalised_cost": paid / worst}
    for name, value in wanted.items():
        assert pooled(name, tree, truth, said, cost=given) == pytest.approx(value, rel=1e-15)
    if form == "names" and not extra:
        p, t = next(pair for pair in itertools.permutations(names, 2) if pair not in cost)
        with pytest.raises(BadInput, match=f"no cost for true '{t}' and predicted '{p}'; list it"):
            values("gie", tree, [t], [p], cost=given)
