"""What has no order: refused where order says what belongs to what, harmless where it does not."""

import os
import subprocess
import sys

import pandas as pd
import pytest

import hierpair
from hierpair import (
    BadInput,
    Hierarchy,
    LabelSets,
    compare,
    explain,
    score,
)
from hierpair import metrics as functions
from hierpair.comparison import differ, sensitivity
from hierpair.evaluation import partial
from hierpair.labels.node_scores import NodeScores
from hierpair.metrics.presets import score_like
from hierpair.probabilistic.curves import precision_recall_curves
from hierpair.probabilistic.distributions import LabelDistribution
from tests import effort

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")]
)
LISTED = ["c", "e", "d"]
ENTRIES = {"c": 1, "e": 2, "d": 3}
UNORDERED = {
    "set": {"c", "e", "d"},
    "frozenset": frozenset("ced"),
    "keys": ENTRIES.keys(),
    "items": {"c": "c"}.items(),
}
FRAME = pd.DataFrame({"c": LISTED, "d": LISTED, "e": LISTED})
DOORS = {
    "score, truth": lambda x: score(TREE, x, {"s": LISTED}, ["hf"]),
    "score, prediction": lambda x: score(TREE, LISTED, {"s": x}, ["hf"]),
    "score, one system": lambda x: score(TREE, LISTED, x, ["hf"]),
    "score like": lambda x: score_like("hemkit", TREE, LISTED, {"s": x}),
    "partial": lambda x: partial(TREE, LISTED, x, ["hf"]),
    "explain": lambda x: explain(TREE, LISTED, x, "gie"),
    "sensitivity": lambda x: sensitivity(TREE, LISTED, {"s": x, "t": LISTED}, ["hf"], test=None),
    "function": lambda x: hierpair.metrics.h_fbeta_score(LISTED, x, TREE),
    "confusion": lambda x: functions.hierarchical_confusion_matrix(LISTED, x, TREE),
    "label sets": lambda x: LabelSets.from_labels(x, TREE),
    "levels": lambda x: LabelSets.from_levels(x, TREE),
    "columns": lambda x: LabelSets.from_indicator([[1, 0, 0]], TREE, classes=x),
    "ids": lambda x: LabelSets.from_indicator([[1], [1], [0]], TREE, classes=["a"], ids=x),
    "score columns": lambda x: NodeScores.from_array([[1, 0, 0]], TREE, classes=x),
    "score ids": lambda x: NodeScores.from_array([[1], [1], [0]], TREE, classes=["a"], ids=x),
    "distribution": lambda x: LabelDistribution.from_leaves([[1, 0, 0]], TREE, classes=x),
    "scenarios": lambda x: LabelDistribution.from_scenarios(x, TREE),
    "curves": lambda x: precision_recall_curves(
        x, NodeScores.from_array([[0.5], [0.2], [0.1]], TREE, classes=["a"])
    ),
    "measures": lambda x: score(TREE, LISTED, {"s": LISTED}, x),
    "instances": lambda x: explain(TREE, LISTED, LISTED, "gie", instances=x),
    "runs": lambda x: compare(
        score(TREE, LISTED, {"s": LISTED, "t": LISTED}, ["hf"]), runs={"one": x, "other": ["t"]}
    ),
    "values to vary": lambda x: sensitivity(
        TREE, LISTED, {"s": LISTED, "t": LISTED}, ["hf"], vary={"root": x}
    ),
    "columns of a frame": lambda x: LabelSets.from_columns(FRAME, TREE, columns=x),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", UNORDERED)
def test_a_set_of_instances_or_columns_is_refused(door, kind):
    with pytest.raises(BadInput, match=r"must have an order, and a .* has none; give a list"):
        DOORS[door](UNORDERED[kind])


def test_labels_of_one_instance_may_be_a_set():
    plain = score(TREE, [["c", "e"]], {"s": [["d", "e"]]}, ["hf", "gie"]).values
    loose = score(TREE, [{"c", "e"}], {"s": [frozenset("de")]}, ["hf", "gie"]).values
    assert (plain == loose).all()


def test_what_can_be_read_once_will_do():
    truth = [["c"], ["e"], ["d"]]
    wanted = score(TREE, truth, {"s": LISTED, "t": ["d", "e", "d"]}, ["hf"])
    found = score(TREE, iter(truth), {"s": iter(LISTED), "t": (x for x in "ded")}, ["hf"])
    assert (found.values == wanted.values).all()
    gaps = differ(compare(wanted).scores, "s", "t", TREE, iter(truth))
    at = gaps.instances()
    assert at
    shown = explain(TREE, iter(truth), iter(LISTED), "hf", instances=at)
    assert [why.value for why in shown] == [wanted.per_instance["s"][i, 0] for i in at]


PROGRAM = """
import numpy as np
import hierpair as h
rng = np.random.default_rng(5)
names = [f"n{i}" for i in range(14)]
edges = {(names[int(rng.integers(max(0, i - 6), i))], names[i]) for i in range(1, 14)}
tree = h.Hierarchy.from_edges(edges, classes=set(names))
same = h.Hierarchy.from_parents({c: {p for p, d in edges if d == c} for c in names})
rows = [set(rng.choice(names, 4, replace=False).tolist()) for _ in range(40)]
half = len(rows) // 2
found = h.score(tree, rows[:half], {"s": rows[half:]},
                ["hf", "gie", "lca_f", "hcm_tp(pairing=published)", "hcm_f(pairing=published)"])
print(tree.names, same.names, found.values.tolist())
for why in h.explain(tree, rows[:half], rows[half:], ["gie", "lca_f"], instances=[0]):
    print(why.to_text())
"""


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_sets_of_labels_and_edges_say_the_same_under_every_hash_seed():
    said = set()
    for seed in "012" if effort.exhaustive else "01":
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        said.add(done.stdout)
    assert len(said) == 1
