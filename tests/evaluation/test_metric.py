"""The metric for training loops: what it computes is what scoring all instances at once computes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, LabelSets, NodeScores, score
from hierpair.labels.node_scores import scores_of_labels
from hierpair.metric import WAITING, HierarchicalMetric
from hierpair.metrics import h_f1_score, top_accuracy_score
from tests.strategies import problems

ROOT = Path(__file__).parents[2]
TREE = Hierarchy.from_edges(
    [("r", f"a{i}") for i in range(3)]
    + [(f"a{i % 3}", f"b{i}") for i in range(9)]
    + [(f"b{i % 9}", f"c{i}") for i in range(40)]
)
LEAVES = [f"c{i}" for i in range(40)]
RANKED = ["ahd(k=5)", "top_accuracy(k=3)", "best_of(k=5, average=macro)"]
LABELS = ["hf", "mistake_severity", "hf(average=macro)", "gie", "mistake_severity(average=macro)"]
ASKED = [*LABELS[:2], *RANKED, *LABELS[2:]]


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random((n, 40))
    return p / p.sum(1, keepdims=True), rng.integers(0, 40, n)


P, Y = drawn(4)


def whole(p, y, weight=None):
    names = [LEAVES[k] for k in y]
    best = [LEAVES[k] for k in p.argmax(1)]
    of_labels = score(TREE, names, best, LABELS, sample_weight=weight)
    of_scores = score(TREE, names, (p, LEAVES), RANKED, sample_weight=weight)
    return {m.name: s["system", m.name] for s in (of_labels, of_scores) for m in s.measures}


def asked():
    return HierarchicalMetric(TREE, ASKED, classes=LEAVES)


@pytest.mark.parametrize("cuts", [[], [1, 7, 8], [64] * 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_are_the_whole_to_the_last_bit(cuts, weighted):
    p, y = drawn(200)
    weight = np.random.default_rng(1).random(200) if weighted else None
    metric = asked()

    def update(some):
        metric.update(p[some], y[some], sample_weight=None if weight is None else weight[some])

    for some in np.split(np.arange(200), np.cumsum(cuts)):
        update(some)
    expected = whole(p, y, weight)
    assert metric.compute() == expected
    assert list(metric.compute()) == [m.name for m in metric.measures]
    update(slice(5))
    assert metric.compute() != expected
    metric.reset()
    assert all(np.isnan(x) for x in metric.compute().values())


def test_more_than_waits_and_what_others_have_seen_add_up():
    p, y = drawn(2 * WAITING + 100)
    one, two = (asked() for _ in range(2))
    for lo in range(0, len(y), 1000):
        (one if lo % 2000 else two).update(p[lo : lo + 1000], y[lo : lo + 1000])
    expected, data = whole(p, y), one.to_bytes() + two.to_bytes()
    assert asked().merge_bytes(data).compute() == expected
    assert one.merge(two).compute() == expected


@given(problems(instances=6, single_root=True))
def test_label_sets_and_class_numbers(problem):
    h, _, truth, predicted = problem
    metric = HierarchicalMetric(h, ["hf", "f"])
    numbered = HierarchicalMetric(h, ["hf", "f"], classes=h.names)
    some = [i for i in range(len(truth)) if truth[i] and predicted[i]]  # no number is no place
    for i, sides in enumerate(zip(predicted, truth, strict=True)):
        metric.update(*([side] for side in sides))
        if i in some:
            numbered.update(*([[h.names.index(c) for c in side]] for side in sides))
    for found, rows in ((metric, range(len(truth))), (numbered, some)):
        if rows:
            sides = ([side[i] for i in rows] for side in (truth, predicted))
            wanted = score(h, *sides, ["hf", "f"]).values[0].tolist()
            assert [*found.compute().values()] == wanted


def test_forms_of_predictions():
    p, y = drawn(50)
    leaves = [c for c in TREE.names if c in LEAVES]
    by_name = p[:, [LEAVES.index(c) for c in leaves]]
    of_all = np.full((50, len(TREE)), 0.9)
    of_all[:, [TREE.names.index(c) for c in leaves]] = by_name
    names = [LEAVES[k] for k in y]
    for preds, target, classes in (
        (by_name, names, None), (of_all, names, None), (np.argsort(-p, axis=1)[:, :6], y, LEAVES),
    ):  # fmt: skip
        for measures in (ASKED, RANKED, *[LABELS] * (classes is None)):  # these need no ranking
            metric = HierarchicalMetric(TREE, measures, classes=classes)
            metric.update(preds, target)
            wanted = whole(p, y)
            assert metric.compute() == {m.name: wanted[m.name] for m in metric.measures}


@pytest.mark.parametrize("form", [
    list,
    lambda row: row[0] if len(row) == 1 else row,
    set,
    lambda row: np.array(row, dtype=int),
])  # fmt: skip
def test_rows_of_numbers_differ_in_length_and_may_be_sets(form):
    """Also as rankings, which are then sets: of measures of scores no two lists are alike."""
    rows, truth = [[], [0], [1, 2]], [1, 0, 2]
    metric = HierarchicalMetric(TREE, ["hf", "top_accuracy(k=40)"], classes=LEAVES)
    metric.update([*map(form, rows)], [*map(form, [[k] for k in truth])])
    named = [[LEAVES[k] for k in row] for row in rows]
    wanted = score(TREE, [LEAVES[k] for k in truth], named, "hf").values[0, 0]
    assert metric.compute() == {"hf": wanted, "top_accuracy(k=40)": 1}
    sides = ([*map(form, each)] for each in ([[k] for k in truth], rows))
    assert h_f1_score(*sides, TREE, classes=LEAVES) == wanted
    with pytest.raises(BadInput, match="which of them are among the first 1 is not said"):
        top_accuracy_score([1, 2], [form([0, 1]), form([2])], TREE, classes=LEAVES)


def test_paths_are_kept_beside_batches_without():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    metric = HierarchicalMetric(dag, ["hcm_f"])
    for preds in (["a"], LabelSets.from_levels([["r", "b", "c"]], dag)):
        metric.update(preds, ["b"])
    paths = LabelSets.from_levels([["r", "a"], ["r", "b", "c"]], dag)
    assert [*metric.compute().values()] == score(dag, ["b", "b"], paths, "hcm_f").values[0].tolist()


def amounts(rows):
    return LabelSets.from_amounts([{"c0": a, "c1": b, "a2": c} for a, b, c in rows], TREE)


@pytest.mark.parametrize(("measure", "tree", "given", "target", "form"), [
    ("bray_curtis", TREE, [[1, 2, 0], [3, 0, 4]], [[1, 1, 1], [0, 0, 5]], amounts),
    ("ahd", TREE.counting([*LEAVES[:4], *TREE.names[:13]]), P[:2], ["c1", "c7"], lambda rows: rows),
    ("top_accuracy(k=2)", TREE, np.array([["c1", "c2"], ["c3", "c4"]]), ["c2", "c7"], lambda rows: rows),
], ids=["amounts", "classes that count", "rankings by name"])  # fmt: skip
def test_batches_of_any_form_are_the_whole(measure, tree, given, target, form):
    metric = HierarchicalMetric(tree, measure, classes=LEAVES)
    for i in range(2):
        metric.update(form(given[i : i + 1]), form(target[i : i + 1]))
    said = form(given) if tree is TREE else (given, LEAVES)
    wanted = score(tree, form(target), {"preds": said}, measure).values[0].tolist()
    assert [*metric.compute().values()] == wanted


def test_what_is_changed_afterwards_was_counted_as_it_was():
    p, y = drawn(30)
    metric = HierarchicalMetric(TREE, [*ASKED, "node_brier"], classes=LEAVES)
    expected, given = whole(p, y), [p.copy(), y.copy(), np.ones(30)]
    metric.update(*given[:2], sample_weight=given[2])
    for array in given:
        array[:] = 0
    metric.update(p[:0], y[:0], sample_weight=np.ones(0))
    assert expected.items() <= metric.compute().items()
    nothing = HierarchicalMetric(TREE, ["hf", "top_accuracy(ties=name)"], classes=LEAVES)
    nothing.update(np.zeros((2, 40)), [0, 1])
    assert nothing.compute()["hf"] == 0.5 * (1 + score(TREE, ["c1"], ["c0"], "hf").values[0, 0])


def begun(measures):
    metric = HierarchicalMetric(TREE, measures, classes=LEAVES)
    metric.update(P, Y)
    return metric


SCORES = NodeScores.from_array(P, TREE, classes=LEAVES)


def test_scores_of_classes_are_what_measures_of_scores_take():
    metric = HierarchicalMetric(TREE, RANKED, classes=LEAVES)
    for some in (slice(2), slice(2, None)):
        metric.update(SCORES.take(np.arange(len(Y))[some]), Y[some])
    assert metric.compute() == begun(RANKED).compute()


@pytest.mark.parametrize(("call", "says"), [
    (lambda: HierarchicalMetric(TREE, ["fmax"]), "added up from parts"),
    (lambda: HierarchicalMetric(TREE, ["hf"], bta=2), "none of the measures has an option 'bta'"),
    (lambda: begun(["hf", "ahd"]).update(SCORES, Y), "preds: these are scores of classes, where label sets"),
    (lambda: asked().update(P[:, :7], Y), r"shape \(4, 7\), and there are 40 classes for its columns"),
    (lambda: asked().update(P, Y[:3]), "preds has 4 instances, and target has 3"),
    (lambda: asked().update(P.argmax(1), [0, 1, 2, 40]), "class number 40 is outside 0 … 39"),
    (lambda: asked().merge(begun(["hf"])), "metrics of the same measures merge"),
    (lambda: begun(["hf", "ahd"]).merge(begun(["hf"])), "metrics of the same measures merge: hf, ahd"),
    (lambda: begun(["hf", "ahd"]).merge_bytes(begun(["ahd"]).to_bytes()), "metrics of the same measures merge: hf, ahd"),
    (lambda: begun(["hf"]).update(pd.Series([0, 1], index=[1, 0]), pd.Series([0, 1])), "preds: do instances go by position"),
    (lambda: score(TREE, [LEAVES[k] for k in Y], {"s": (P, ["q", *LEAVES[1:]])}, RANKED), r"s: .*class 'q' is not in the hierarchy"),
    *((lambda p=p, x=x: score(TREE, [LEAVES[k] for k in Y], {"s": (p, x)}, RANKED), says) for p, x, says in (
        (P, [*LEAVES[1:], "c1"], "two columns of the matrix are called 'c1'"), (P + 1, LEAVES, "a score must be in"))),
    (lambda: score(TREE, [LEAVES[k] for k in Y], {"s": (P, LEAVES)}, "ahd(k=99)"), "k is 99, and a ranking has at most 40 classes"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(BadInput, match=says):
        call()


def test_what_was_refused_is_not_counted():
    metric = asked()
    with pytest.raises(BadInput, match="a score must be in"):
        metric.update(3 * P - 1, Y)
    metric.update(P, Y)
    assert metric.compute() == whole(P, Y)


@given(*(st.integers(*ends) for ends in ((1, 9), (8, 60), (1, 3), (1, 6), (0, 99))))
def test_the_highest_scores_are_all_that_a_ranking_looks_at(n, m, k, grid, seed):
    """Whatever ties there are, and wherever the highest stand."""
    tree = Hierarchy.from_edges([("r", f"x{i:02}") for i in range(m)])
    rng = np.random.default_rng(seed)
    p = np.round(rng.random((n, m)) ** 3 * grid) / grid
    p = p.astype(rng.choice([np.float32, np.float64]))
    found = scores_of_labels(p, tree, k=k)
    if m < 4 * (k + 1):  # all are kept
        return
    for i, row in enumerate(p):
        bound = np.sort(row)[-(k + 1)]
        kept = found.indices[found.indptr[i] : found.indptr[i + 1]] - 1
        assert {*np.flatnonzero((row >= bound) & (row > 0))} <= {*kept}
        assert np.array_equal(found.values[found.indptr[i] : found.indptr[i + 1]], row[kept])
    y = [tree.names[1 + c] for c in rng.integers(0, m, n)]
    names = [f"ahd(k={k}, ties=name)", f"top_accuracy(k={k}, ties=name)"]
    whole = NodeScores.from_array(p, tree, classes=tree.names[1:], with_root=False)
    assert np.array_equal(score(tree, y, p, names).values, score(tree, y, whole, names).values)
    twice = np.hstack([p, p]), [*tree.names[1:]] * 2
    for odd, says in ((p - 2, "in [0, 1]"), (p + 2, "in [0, 1]"), (twice, "two columns")):
        with pytest.raises(BadInput, match=re.escape(says)):
            scores_of_labels(odd, tree, k=k)
    with pytest.raises(BadInput, match="class 'r': a score must be in"):  # of what is no leaf, too
        score(tree, y, np.insert(p, 0, 1.5, axis=1), names)


PROCESS = """
import sys, numpy as np, torch, torch.distributed as dist
from tests.evaluation.test_metric import ASKED, LEAVES, TREE, drawn, whole
from hierpair.metric import TorchMetric
rank, port = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
p, y = drawn(101)
mine = np.arange(rank, 101, 2)
metric = TorchMetric(TREE, ASKED, classes=LEAVES)
for some in np.array_split(mine, 3):
    batch = metric(torch.tensor(p[some]), torch.tensor(y[some]))
    assert batch == whole(p[some], y[some])
assert metric.compute() == whole(p, y), rank
assert metric.compute() == whole(p, y), rank
metric.update(torch.tensor(p[:1]), torch.tensor(y[:1]))
again = np.append(np.arange(101), [0, 0])
assert metric.compute() == whole(p[again], y[again]), rank
metric.reset()
metric.update(torch.tensor(p[mine]), torch.tensor(y[mine]))
assert metric.compute() == whole(p, y), rank
dist.destroy_process_group()
"""


def test_two_processes_get_the_score_of_all_instances(tmp_path):
    pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    both = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(rank), port], cwd=ROOT, env=env,
                         stderr=subprocess.PIPE, text=True)
        for rank in (0, 1)
    ]  # fmt: skip
    told = [one.communicate(timeout=240)[1] for one in both]
    assert [one.returncode for one in both] == [0, 0], told
