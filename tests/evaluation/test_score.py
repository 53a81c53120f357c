"""Scores: orders and chunks, against scikit-learn, weights, what is undefined, forms, levels, refusals."""

import io
import itertools
import json
import math
import sys
import types
from collections import Counter
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hierpair
from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    LabelSets,
    compare,
    measure,
    read_labels,
    score,
)
from hierpair.comparison.common_scores import on_common, samples_of
from hierpair.evaluation import merge, partial, progress
from hierpair.evaluation.checked import default_measures
from hierpair.evaluation.notes import UNUSED_SCORES
from hierpair.evaluation.sums import class_sums, exact_sum
from hierpair.labels import Columns
from hierpair.measures import REGISTRY, Entries
from hierpair.measures.option import same
from hierpair.measures.recipes import augmentation
from hierpair.metrics.functions import function_of
from tests import effort
from tests.strategies import problems

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
EVERYTHING = [
    *default_measures(),
    *(f"{m}(average='{a}')" for m in ("precision", "recall", "f", "hp", "hr", "hf")
      for a in ("micro", "macro", "weighted")),
    "mgia(average=micro)", "hf(augment=descendants)", "hf(augment=pruned, average=macro)",
    "hf(threshold=4, average=macro)", "gie(default=2.5, threshold=4)", "hf(root=include, beta=0.5)",
]  # fmt: skip


def random_data(seed, n=60, classes=25):
    """Edges of a DAG, and truth and prediction of some instances."""
    rng = np.random.default_rng(seed)
    edges = [(f"c{p}", f"c{i}") for i in range(1, classes)
             for p in set(rng.integers(0, i, rng.integers(1, 3)).tolist())]  # fmt: skip
    names = [f"c{i}" for i in range(classes)]
    sides = [[rng.choice(names, rng.integers(0, 5), replace=False).tolist() for _ in range(n)]
             for _ in range(2)]  # fmt: skip
    return edges, *sides


# --------------------------------------------------------------------------- orders and sums


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in (1, 2, 3))]
)
def test_scores_do_not_depend_on_orders_chunks_or_merging(seed, monkeypatch):
    """Bit for bit: class numbering, label order, instance order, chunk size, parts; also weighted."""
    edges, true, pred = random_data(seed)
    rng, hierarchy, seen = np.random.default_rng(seed), Hierarchy.from_edges(edges), []
    times = rng.integers(0, 4, len(true))
    base = score(hierarchy, true, {"s": pred}, EVERYTHING, sample_weight=times)
    for chunk, n_jobs in ((1, 1), (4, 2), (int(rng.integers(5, 70)), 1)):  # some weigh nothing
        shuffled = Hierarchy.from_edges([edges[i] for i in rng.permutation(len(edges))])
        order = rng.permutation(len(true))
        mixed = [[list(rng.permutation(rows[i])) for i in order] for rows in (true, pred)]
        how = {"chunk": chunk, "n_jobs": n_jobs, "sample_weight": times[order]}
        again = score(shuffled, mixed[0], {"s": mixed[1]}, EVERYTHING, **how)
        assert again.values.tobytes() == base.values.tobytes()
        assert again.per_instance["s"].tobytes() == base.per_instance["s"][order].tobytes()
    rows = (slice(40, 60), slice(0, 1), slice(1, 40))
    parts = [partial(hierarchy, true[some], pred[some], EVERYTHING, sample_weight=times[some])
             for some in rows]  # fmt: skip
    assert merge(*parts).scores().values.tobytes() == base.values.tobytes()
    repeated = [[rows[i] for i, k in enumerate(times) for _ in range(k)] for rows in (true, pred)]
    expected = score(hierarchy, repeated[0], {"s": repeated[1]}, EVERYTHING)
    assert base.values[0] == pytest.approx(expected.values[0], abs=1e-12)
    monkeypatch.setattr("hierpair.evaluation.batches.CHUNK_PAIRS", 10)
    monkeypatch.setattr("hierpair.measures.recipes.augmentation.BLOCK_ENTRIES", 10)
    how = {"on_progress": lambda *step: seen.append(step), "sample_weight": times}
    cut = score(Hierarchy.from_edges(edges), true, {"s": pred}, EVERYTHING, **how)
    assert cut.values.tobytes() == base.values.tobytes()
    assert seen[-1] == ("s", 60, 60)
    assert len(seen) > 3


FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(st.lists(FLOATS, max_size=30), st.randoms())
@settings(max_examples=effort.cases(150))
def test_exact_sums_are_exact_and_merge(values, random):
    cut = random.randint(0, len(values))
    parts = [exact_sum(np.array(some, dtype=float)) for some in (values[:cut], values[cut:])]
    assert float(sum(parts)) == math.fsum(values)
    extreme = np.array([5e-324, 1.7e308, -1.7e308, 2.2e-308, 1.0])
    assert exact_sum(extreme) == sum(map(Fraction, extreme.tolist()))


@given(
    st.lists(st.tuples(st.integers(0, 3), FLOATS), max_size=30), st.floats(0, 1e30), st.booleans()
)
@settings(max_examples=effort.cases(150))
def test_sums_by_class_are_rounded_once(rows, more, weighted):
    number, values = np.array([k for k, _ in rows], int), np.array([x for _, x in rows], float)
    weight = 1 / np.arange(1, len(rows) + 1) if weighted else None
    table = class_sums(Entries(len(rows), np.arange(len(rows)), number, {"x": values}, 4), weight)
    exact = [*map(Fraction, (values * weight if weighted else values).tolist())]
    for plus in (Fraction(0), Fraction(more), Fraction(more) + 2**70):
        wanted = [
            plus + sum(x for x, k in zip(exact, number, strict=True) if k == c)
            for c in table.classes
        ]
        assert table.floats("x", plus).tolist() == [*map(float, wanted)]


# ------------------------------------------------------------------------------- refusals

HF = {"s": ["a"]}, ["hf"]
GIE = {"s": ["a"]}, ["gie"]


@pytest.mark.parametrize(("truth", "given", "options", "message"), [
    (["a"], ({},), {}, "no system is given"), (["a"], ({1: ["a"], "1": ["a"]},), {}, "two systems are called '1'"), (["a"], ({"y_true": ["a"]},), {}, "a system cannot be called y_true"),
    ([], ({"s": []},), {}, "y_true has no instances"), (["a"], ({"s": ["a", "a"]},), {}, "y_true has 1 instance and s has 2"),
    (["a"], ({"s": ["x"]},), {}, "class 'x' is not in the hierarchy"), (["a"], ({"s": ["a"]}, []), {}, "no measure is given"),
    (["a"], HF, {"chunk": 1.5}, "chunk must be at least 1, got 1.5"), (["a"], HF, {"n_jobs": 0}, "n_jobs must be at least 1, got 0"),
    (["a"], HF, {"chunk": 0}, "chunk must be at least 1, got 0"), (["a"], HF, {"root": "rr"}, "class 'rr' is not in"),
    (["a"], GIE, {"beta": 2}, "none of the measures has an option 'beta'"), (["a"], GIE, {"average": "micro"}, "can be averaged as 'micro'"),
    (["a"], GIE, {"average": "mikro"}, "average must be one of 'samples'"),
    (["c", ["c", "a"]], ({"s": ["a", "a"]}, ["gie(average=macro)"]), {"chunk": 1},
     "instance 1: a mean by true class needs one true class of an instance; it has 2 true classes (measure gie("),
    (["a"], ({"s": ["a"]}, ["gei"]), {}, "there is no measure 'gei'; did you mean 'gie'?"),
    (["a"], ({"s": ["a"]}, ["hf(threshold=4, augment=descendants)"]), {}, "path threshold cuts"),
    (["a"], ({"s": ["a"]}, ["gie(cost=decayed, threshold=4)"]), {}, "a path threshold counts edges"),
    (["a"], ({"s": ["a"]}, ["gie(cost=weights)"]), {}, "needs a hierarchy with edge weights"),
    *((["a", "a"], ({"s": ["a", "r"]}, ["hf"]), {"sample_weight": weight}, message) for weight, message in (
        ([1], "sample_weight must have shape (2,), got (1,)"), ([1, -1], "sample_weight of instance 1 is -1.0"),
        ([1, math.nan], "sample_weight of instance 1 is nan"), (["x", 1], "sample_weight must hold one number per instance"),
        ([0, 0], "all sample weights are 0"), ([1e308, 1], "sample_weight of instance 0 is 1e"))),
    ({"i": ["a"], "j": ["b"]}, ({"i": ["a"], "j": ["b"]},), {}, "the keys of systems are instance ids; wrap"),
    (["c", "c"], ({"good": ["c", "a"], "bad": ["c", "aa"]},), {}, "bad: instance 1: class 'aa'"),
    (["aa"], ({"good": ["a"]},), {}, "y_true: instance 0: class 'aa'"),
])  # fmt: skip
def test_bad_calls_are_refused(truth, given, options, message):
    with pytest.raises(BadInput) as caught:
        score(TREE, truth, *given, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["fmax", "brier"])
def test_scores_of_instances_without_a_truth_are_dropped_on_request(name):
    truth, given = {"x": ["c"], "y": ["b"]}, {"x": {"c": 0.5}}
    more, how = {"s": {**given, "z": {"a": 1.0}}}, {"missing": "empty", "sample_weight": [1, 2]}
    with pytest.raises(BadInput, match="no truth"):
        score(TREE, truth, more, name, **how)
    dropped = score(TREE, truth, more, name, unknown="drop", **how)
    assert dropped.values == score(TREE, truth, {"s": given}, name, **how).values
    assert dropped.n_missing == {"s": 1}


def test_sums_stand_beside_what_sees_all_instances_at_once_system_by_system():
    truth, names = ["c", "b"], ["brier", "ace", "leaf_brier"]
    given = {"s": [[0.7, 0.3], [0.5, 0.5]], "t": [[0.2, 0.8], [0.9, 0.1]]}
    given = {name: (np.array(rows), ["c", "b"]) for name, rows in given.items()}
    tree = Hierarchy.from_edges([("r", "c"), ("r", "b")])
    alone = [[score(tree, truth, {s: p}, m)[s, m] for m in names] for s, p in given.items()]
    assert score(tree, truth, given, names).values.tolist() == alone


# ------------------------------------------------------------------------------- what is shown


def test_scores_are_looked_up_and_written_in_full():
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b_1"), ("a", "c&d")])
    systems = {"one|1": {"y": "c&d", "x": "a"}, "two_2": {"x": "b_1", "y": "c&d"}}
    names = ["hf", "hf(beta=1)", "gie", "hp(zero_division=nan)"]  # given twice, scored once
    scores = score(tree, {"x": "b_1", "y": "c&d"}, systems, names)
    assert [m.name for m in scores.measures] == ["hf", "gie", "hp(zero_division=nan)"]
    assert scores["one|1", "hp(zero_division=nan)"] == 1
    row = {"system": "one|1", "instance": "x"}
    row |= {m.of_instance: x for m, x in zip(scores.measures, (2 / 3, 1, 1), strict=True)}
    assert json.loads(scores.to_table("jsonl", per_instance=True).splitlines()[0]) == row
    table = scores.to_table("tsv", per_instance=True).splitlines()
    assert [x.split("\t")[:2] for x in table[:2]] == [["system", "instance"], ["one|1", "x"]]
    for ask, says in (
        (lambda: scores["three", "hf"], "there is no system 'three'"),
        *(
            (lambda of=of: scores[of], "look a score up by")
            for of in ("one|1", "hf", ("one|1",), ("one|1", "hf", "gie"))
        ),
        (lambda: scores["one|1", "f"], "'f' was not scored"),
    ):
        with pytest.raises(BadInput, match=says):
            ask()


def test_different_costs_are_different_measures():
    own = [measure("gie", cost=of) for of in (lambda x: 2 * x.distance, lambda x: 3 * x.distance)]
    with pytest.raises(BadInput, match="two different measures would both be called"):
        score(TREE, ["a"], {"s": ["b"]}, own)
    own[0].options["cost"].__name__ = "twice"
    again = [measure("gie", cost=m.options["cost"]) for m in own]
    assert score(TREE, ["a"], {"s": ["b"]}, again).values.tolist() == [[4.0, 6.0]]
    matrix = measure("gie", cost=hierpair.pairing.CostMatrix(np.zeros((3, 3)))).signature
    assert "cost=CostMatrix" in matrix
    assert "\n" not in matrix


@pytest.mark.parametrize(("measure", "said"), [
    ("hf", {"i": "c", "j": "b"}), ("brier", {"i": {"a": 0.75, "b": 0.5, "c": 0.25}, "j": {"a": 1.0, "b": 1.0}}),
])  # fmt: skip
def test_an_instance_of_weight_0_counts_as_one_that_is_not_there(measure, said):
    both = score(TREE, {"i": "b", "j": "c"}, {"s": said}, measure, sample_weight=[3, 0])
    one = score(TREE, {"i": "b"}, {"s": {"i": said["i"]}}, measure)
    assert both.values.tolist() == one.values.tolist()


def test_scores_of_predictions_that_chose_nothing_are_told(tmp_path):
    rows = [("x", "b", 0.9), ("x", "c", 0.1), ("y", "c", 0.8)]
    path = tmp_path / "p.tsv"
    path.write_text("".join(f"{i}\t{label}\t{s}\n" for i, label, s in rows))
    frame = pd.DataFrame(rows, columns=["id", "label", "score"])
    framed = LabelSets.from_frame(frame, TREE, long=True)
    chosen = read_labels(path, TREE, columns=Columns(long=True, min_score=0.2))
    truth = {"x": "b", "y": "c"}
    systems = {"s": read_labels(path, TREE), "t": chosen, "u": framed, "v": truth}
    found = score(TREE, truth, systems, ["hf", "gie"])
    assert found.unused_scores == ("s", "u")
    assert f"each of s, u: {UNUSED_SCORES}" in found.notes
    assert compare(found, n_permutations=20, n_bootstrap=20).to_csv().count(UNUSED_SCORES) == 4


def test_progress_shows_after_two_seconds(monkeypatch):
    clock, screen = iter([0.0, 1.9, 2.1, 2.2, 4.0]), io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", screen)
    meter = progress.Meter(on=True)
    for done in (500, 1500, 1600, 4000):  # too early, shown, too soon after the last, shown
        meter.show("mine", done, 4000)
    meter.write("")
    lines = ["mine: 1,500 of 4,000 instances", "mine: 4,000 of 4,000 instances"]
    assert screen.getvalue().split("\r\x1b[K") == ["", *lines, ""]


def test_a_line_of_progress_in_a_notebook_that_is_wiped_in_the_end(monkeypatch, capsys):
    """What a session of IPython shows, in which everything takes long."""
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=object))
    for name in ("QUIET_SECONDS", "PAUSE_SECONDS"):
        monkeypatch.setattr(progress, name, -1.0)
    truth, told = ["a", "b"] * 10, []

    def scored(second=truth[::-1], **how):
        score(TREE, truth, {"x": truth, "y": second}, ["hf"], chunk=5, **how)
        return capsys.readouterr().err

    lines = [f"{name}: {done} of 20 instances" for name in "xy" for done in (0, 5, 10, 15, 20)]
    assert scored().split("\r\x1b[K") == ["", *lines, ""]
    assert scored(on_progress=False) == scored(on_progress=lambda *step: told.append(step)) == ""
    assert told[:2] == [("x", 0, 20), ("x", 5, 20)]
    with pytest.raises(BadInput, match="is not in the hierarchy"):
        scored(["q"] * 20)
    assert capsys.readouterr().err.endswith("\r\x1b[K")
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)  # but no session
    assert scored() == ""


# ------------------------------------------------------------------------------- by level

KINDS = ("right", "stopped", "too_deep", "off_path")


def level_rows(h, truth, predicted, weight, root):
    """Sums by level, one label after the other."""
    gone = set() if root == "include" else {*h.roots}
    rows = {}
    for true, said, w in zip(truth, predicted, weight, strict=True):
        sides = [{x for c in side for x in (c, *h.ancestors(c))} - gone for side in (true, said)]
        for level in {int(x) for x in h.levels}:
            t, p = ({c for c in side if h.levels[h.names.index(c)] == level} for side in sides)
            sums = rows.setdefault(level, Counter())
            kind = KINDS[0 if t == p else 1 if not p else 2 if not t else 3]
            sums.update({"n": bool(t), "t": w * len(t), "p": w * len(p), "both": w * len(t & p),
                         "judged": w * bool(t), "hit": w * (bool(t) and t == p), kind: w * bool(t | p),
                         "leaf": w * any(h.child_ptr[h.position[c]] == h.child_ptr[h.position[c] + 1] for c in p)})  # fmt: skip
    return rows


@given(problems(instances=6, single_root=True), st.sampled_from(["exclude", "include"]))
def test_every_number_by_level_is_that_of_the_reference(problem, root):
    h, _, truth, predicted = problem
    weight = np.arange(1.0, len(truth) + 1)
    systems = {"a": predicted, "b": predicted[::-1]}
    found = score(h, truth, systems, ["hf"], sample_weight=weight).by_level(root=root)

    def share(a, b):
        return a / b if b else np.nan

    for k, said in enumerate(systems.values()):
        rows = level_rows(h, truth, said, weight, root)
        for at, level in enumerate(found.levels):
            r = rows[level]
            every = sum(r[kind] for kind in KINDS)
            expected = {
                "accuracy": share(r["hit"], r["judged"]), "precision": share(r["both"], r["p"]),
                "recall": share(r["both"], r["t"]), "f1": share(2 * r["both"], r["t"] + r["p"]),
                **{kind: share(r[kind], every) for kind in KINDS}, "answered_leaf": share(r["leaf"], every),
            }  # fmt: skip
            assert found.n_instances[at] == r["n"]
            for name, value in expected.items():
                np.testing.assert_allclose(found.values[name][at, k], value, rtol=1e-12)


def test_a_table_by_level():
    """Levels without a class that counts are left out; scores of parts have none."""
    scores = score(TREE, ["c", "b"], {"s": ["a", "c"]}, ["hf"])
    table = scores.by_level()
    assert (table.levels, scores.by_level(root="include").levels) == ((1, 2), (0, 1, 2))
    row = table.records().to_dicts()[1]
    assert [row[name] for name in ("level", "n_classes", "n_instances")] == [2, 1, 1]
    assert "level  system  instances  accuracy" in table.to_text()
    with pytest.raises(BadInput, match="added up from parts"):
        partial(TREE, ["a"], {"s": ["a"]}, ["hf"]).scores().by_level()


def test_levels_are_ranks_where_classes_have_some():
    """x has none, and M is a genus at another depth than E: their ranks are what counts."""
    edges = [pair.split() for pair in ("life Bac", "Bac x", "x E", "E coli", "life Arc", "Arc M")]
    ranks = {"Bac": "domain", "Arc": "domain", "E": "genus", "M": "genus", "coli": "species"}
    tree, sides = (
        Hierarchy.of({"edges": edges, "ranks": ranks}),
        (["coli", "M", "E"], ["E", "E", "x"]),
    )
    names = ["level_f(at_level=genus)", "level_f(at_level=genus,augment=ancestors)"]
    scores = score(tree, *sides, names)
    table = scores.by_level()
    assert table.levels == ("domain", "genus", "species")
    assert table.n_instances.tolist() == [3, 3, 1]
    assert table.values["accuracy"][:, 0].tolist() == [2 / 3, 1 / 3, 0]
    assert table.values["stopped"][:, 0].tolist() == [0, 1 / 3, 1]
    assert [row[0] for row in table.records().rows] == ["domain", "genus", "species"]
    assert scores.per_instance["system"].T.tolist() == [[0, 0, 0], [1, 0, 0]]
    says = r"there is no rank 'genera' \(there are domain, genus, species\)"
    with pytest.raises(BadInput, match=says):
        score(tree, *sides, "level_f(at_level=genera)")
    with pytest.raises(BadInput, match=r"there is no rank 'genus' \(there are none\)"):
        score(edges, *sides, "level_f(at_level=genus)")


# ------------------------------------------------------------------------------ by true class


def mean_of_means(classes, values, weights):
    """Slowly: the mean over classes of the weighted mean of the values that there are."""
    rows = [*zip(classes, values, weights, strict=True)]
    means = {}
    for c in {c for c, x, _ in rows if not np.isnan(x)}:
        some = [(x * w, w) for of, x, w in rows if of == c and not np.isnan(x)]
        means[c] = sum(x for x, _ in some) / sum(w for _, w in some)
    return np.mean([*means.values()]) if means else np.nan, means


BY_TRUE_CLASS = {
    of: [name for name, d in REGISTRY.items() if d.by_true_class and d.consumes == of]
    for of in ("labels", "scores")
}


@pytest.mark.parametrize("consumed", ["labels", "scores"])
@pytest.mark.parametrize("seed", range(effort.cases(96)))
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
    ones = rng.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)
    weight = ones if seed % 2 else None
    how = {"sample_weight": weight, "on_infeasible": "nan"}

    def scored(some, **of):
        chosen = [measure(name, reference=(h.names[1],), **of) for name in some]
        return score(h, truth, systems, chosen, **how)

    names = []
    for name in BY_TRUE_CLASS[consumed]:
        with suppress(BadInput):  # for paths alone, or trees
            names += [name] if scored([name]) else []
    assert len(names) > (8 if consumed == "scores" else 30)
    found, plain, parts = scored(names, average="macro"), scored(names), []
    for at in (slice(n // 2), slice(n // 2, None)):
        some = {s: of[at] for s, of in systems.items()}
        how["sample_weight"] = None if weight is None else weight[at]
        parts.append(partial(h, truth[at], some, found.measures, **how))
    np.testing.assert_array_equal(merge(*parts).scores().values, found.values)
    common = on_common(found)
    samples = np.stack([s.scores() for s in samples_of(common, [["a"], ["b"]])[0].values()], axis=1)
    assert samples == pytest.approx(common.values, nan_ok=True, abs=1e-9)
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
    with pytest.raises(BadInput, match="instance 1: its value is infinite"):
        score(tree, ["c", "c"], {"s": ["c", "d"]}, "log_score(average=macro)")
    truth, given, how = ["c", "c", "b"], {"s": [["d"], [], ["b"]]}, {"default": 12}
    for name, (macro, mean) in {
        "tree_induced_error": (3.5, 14 / 3), "mean_cost": (3.5, 14 / 3),
        "mistake_severity(cost=hops)": (7, 7), "total_cost": (None, 14),
    }.items():  # fmt: skip
        assert score(tree, truth, given, name, **how).values[0, 0] == pytest.approx(mean)
        with pytest.raises(Infeasible):
            score(tree, truth, given, name)
        if macro is not None:
            assert score(tree, truth, given, name, average="macro", **how).values == macro
    lenient = score(tree, truth, given, "mistake_severity(cost=hops)", on_infeasible="nan")
    assert lenient.macro("s", default=12) == 7  # what is right has no severity, whatever it costs
    truth, given = dict(enumerate(truth)), {"s": {0: {"d": 0.5, "c": 0.25}, 1: {}, 2: {"b": 1.0}}}
    for name, expected in (("ahd", 3.25), ("ahd_mistakes", 6.5), ("best_of", 3.25)):
        assert score(tree, truth, given, name, average="macro", **how).values == expected
        with pytest.raises(BadInput, match="have the score 0"):
            score(tree, truth, given, name)


def test_keys_of_32_and_of_64_bits_and_marks_give_the_same(monkeypatch):
    tree = {str(i): str((i - 1) // 3) for i in range(1, 400)}
    rng = np.random.default_rng(0)
    truth, run = (rng.integers(0, 400, (300, 2)).astype(str).tolist() for _ in range(2))
    measures = ["hf", "hp", "gie", "weighted_unifrac", "hf(average=macro)", "hf(threshold=4)"]
    measures += ["descendant_f", "descendant_precision", "contribution_f"]
    found = []
    marks = {"MANY_ENTRIES": 0, "CLASSES_PER_ENTRY": 2**40}
    for limits in ({"ROW_BITS": 12}, {"ROW_BITS": 32}, marks):
        for name, value in limits.items():
            monkeypatch.setattr(augmentation, name, value)
        found.append(score(tree, truth, {"s": run}, measures).values.tolist())
    assert found[0] == found[1] == found[2]
