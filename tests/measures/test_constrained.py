"""Constrained F and paths as units: the authors' numbers, slow references, identities, refusals."""

import json

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, score
from hierpair.comparison.common_scores import sample_of
from hierpair.metrics import score_like
from tests import effort
from tests.oracles.whole_paths import Classes, f1, factor, hits, pooled, whole_paths
from tests.paths import SHARED

MODERN = SHARED / "modern"
KEYS = {
    "c_micro_f1": "constrained_f",
    "c_macro_f1": "constrained_f(average=macro)",
    "c_precision": "constrained_precision",
    "c_recall": "constrained_recall",
    "p_ori_micro_f1": "path_f",
    "p_ori_macro_f1": "path_f(average=macro)",
    "p_precision": "path_precision",
    "p_recall": "path_recall",
    "p_micro_f1": "scaled_path_f",
    "p_macro_f1": "scaled_path_f(average=macro)",
    "P_acc": "subset_accuracy",
    "independent_dropped_micro_f1": "constrained_f(inconsistent=drop)",
}
ON_TREES = [name for name in KEYS.values() if "path_" in name]


@pytest.mark.exhaustive
@pytest.mark.skipif(not MODERN.is_dir(), reason=f"no modern in {SHARED}")
def test_the_numbers_of_the_authors():
    cases = json.loads((MODERN / "constrained.json").read_text("utf-8"))["cases"]
    for case in cases:
        hierarchy = Hierarchy.from_edges(case["edges"], classes=case["classes"], roots="any")
        found = score(hierarchy, case["truth"], {"s": case["prediction"]}, list(KEYS.values()))
        for key, name in KEYS.items():
            assert abs(found["s", name] - case["expected"][key]) <= 1e-12, (case["name"], key)
        tool = score_like("hierverb", hierarchy, case["truth"], {"s": case["prediction"]})
        for key in tool.columns:
            assert abs(tool["s", key] - case["expected"][key]) <= 1e-12, (case["name"], key)
    assert len(cases) == 40


def random_labels(rng, *, dag, instances=6, with_root=True):
    """A hierarchy with closed true sets; predictions lack ancestors here and there."""
    n = int(rng.integers(2, 10))
    names = [f"c{i}" for i in range(n)]
    roots = int(rng.integers(1, min(3, n) + 1))
    edges = []
    for i in range(roots, n):
        few = rng.choice(i, min(i, int(rng.integers(1, 4)) if dag else 1), replace=False)
        edges += [(names[p], names[i]) for p in few]
    classes = Classes(edges, names)

    def closed():
        drawn = rng.choice(names, int(rng.integers(0, 4))).tolist()
        return {*drawn}.union(*map(classes.above, drawn))

    left_out = classes.roots if len(classes.roots) == 1 and not with_root else set()
    y_true = [sorted(closed() - left_out) for _ in range(instances)]
    y_pred = []
    for t in y_true:
        guess = closed() if rng.random() < 0.7 else {*t} | closed()
        y_pred.append(sorted(c for c in guess - left_out if rng.random() < 0.85))
    return Hierarchy.from_edges(edges, classes=names, roots="any"), classes, y_true, y_pred


@pytest.mark.random_cases
@pytest.mark.parametrize("with_root", [True, False])
@pytest.mark.parametrize("dag", [False, True])
def test_hits_against_sets(dag, with_root):
    rng = np.random.default_rng(1)
    for _ in range(effort.cases(120)):
        hierarchy, classes, y_true, y_pred = random_labels(rng, dag=dag, with_root=with_root)
        for inconsistent in ("wrong", "drop"):
            for parents in ("all", "any"):
                text = f"inconsistent={inconsistent},parents={parents}"
                of_instances = [
                    hits(classes, t, p, inconsistent, parents)
                    for t, p in zip(y_true, y_pred, strict=True)
                ]
                micro, macro = pooled(of_instances, classes.names)
                names = [f"constrained_f({text})", f"constrained_f({text},average=macro)"]
                found = score(hierarchy, y_true, {"s": y_pred}, names)
                assert found.values[0] == pytest.approx([float(micro), float(macro)], abs=1e-15)
                assert found.per_instance["s"][:, 0].tolist() == [
                    float(f1(*map(len, x))) for x in of_instances
                ]


@pytest.mark.random_cases
@pytest.mark.parametrize("with_root", [True, False])
def test_whole_paths_against_sets(with_root):
    rng = np.random.default_rng(2)
    above_1 = 0
    for _ in range(effort.cases(480)):
        hierarchy, classes, y_true, y_pred = random_labels(rng, dag=False, with_root=with_root)
        triples, x = whole_paths(classes, y_true, y_pred)
        if x is None:
            continue
        micro, macro = pooled(triples, classes.leaves)
        a = factor(x)
        above_1 += a > 1
        names = [
            "path_f",
            "path_f(average=macro)",
            "path_factor",
            "scaled_path_f",
            "scaled_path_f(average=macro)",
        ]
        found = score(hierarchy, y_true, {"s": y_pred}, names).values[0]
        wanted = [float(micro), float(macro), a, micro * a, macro * a]
        assert found == pytest.approx(wanted, abs=1e-14)
    assert above_1 or not with_root


TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])


def test_a_truth_without_ancestors_is_told():
    scores = score(TREE, [["c"], ["b"]], {"s": [["c"], ["b"]]}, ["constrained_f"])
    assert scores["s", "constrained_f"] == 1 / 2
    assert "the true set lacks ancestors of its labels" in str(scores)
    assert "(1 instance)" in str(scores)
    whole = score(TREE, [["a", "c"]], {"s": [["c"]]}, ["constrained_f"])
    assert "lacks ancestors" not in str(whole)
    again = score(TREE, [["c"], ["b"]], {"s": [["c"], ["b"]]}, ["scaled_path_f"])
    assert again["s", "scaled_path_f"] == 0
    assert "s, scaled_path_f: the true set lacks ancestors of its labels" in str(again)


def test_a_dag_has_no_single_paths():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    for name in ON_TREES:
        with pytest.raises(BadInput, match=r"a class has many paths in a DAG.*'c' has 2 parents"):
            score(dag, [["a"]], {"s": [["a"]]}, [name])
    truth, guess = [["r", "a", "b", "c"]], [["r", "a", "c"]]
    found = score(dag, truth, {"s": guess}, ["constrained_f", "constrained_f(parents=any)"])
    assert found.values[0].tolist() == [4 / 7, 6 / 7]


def test_resampled_instances_are_pooled_like_a_data_set_of_them():
    """Averages by class or level, one with a factor of all instances, and one with weights."""
    rng = np.random.default_rng(5)
    hierarchy, _, y_true, y_pred = random_labels(rng, dag=False, instances=12)
    paths = [["a", "c"], ["b", "e"], ["a"], ["b"]], [["a", "d"], ["b", "c"], ["b"], ["b"]]
    for h, (true, pred), names in (
        (
            hierarchy,
            (y_true, y_pred),
            ["scaled_path_f(average=macro)", "constrained_f(average=macro)"],
        ),
        (TREE, paths, ["wap", "por(average=macro)"]),
    ):
        scores = score(h, true, {"a": pred, "b": true}, names, keep_classes=True)
        times = rng.integers(0, 4, len(true))
        drawn = np.repeat(np.arange(len(true)), times)
        again = score(h, [true[i] for i in drawn], {
            "a": [pred[i] for i in drawn], "b": [true[i] for i in drawn],
        }, names)  # fmt: skip
        for k in range(len(names)):
            sample = sample_of(scores, k, [["a"], ["b"]])
            whole, resampled = sample.pool(sample.sums(np.stack([times**0, times])))
            assert whole == pytest.approx(scores.values[:, k], rel=1e-12)
            assert resampled == pytest.approx(again.values[:, k], rel=1e-12)
