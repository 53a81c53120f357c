"""Label sets: what goes in, what comes out, what is matched, what has no order, and what is refused."""

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import hierpair
from hierpair import Hierarchy, LabelSets, NodeScores, compare, explain, score
from hierpair.comparison import sensitivity
from hierpair.evaluation import partial as partial_score
from hierpair.labels import match_instances
from hierpair.labels.naming import AsWritten
from hierpair.metrics.presets import score_like
from hierpair.probabilistic.curves import precision_recall_curves
from hierpair.probabilistic.distributions import LabelDistribution
from tests.reading import error_of, names_in, refuses

TREE = Hierarchy.from_edges([("r", "cat"), ("r", "dog"), ("cat", "lion"), ("dog", "wolf")])


def names(sets):
    return names_in(sets, TREE)


def test_sets_stay_as_they_are_and_unknown_labels_are_dropped_or_lifted():
    sets = LabelSets.from_labels(["cat", "wolf"], TREE)
    assert LabelSets.from_labels(sets, TREE) is sets
    for array in (sets.indices, sets.indptr, TREE.parents, TREE.levels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    rows = [["cat", "unicorn"], ["unicorn"], ["dog"]]
    for unknown, above in (("drop", []), ("root", ["r"])):
        found = LabelSets.from_labels(rows, TREE, unknown=unknown)
        assert (names(found), found.n_unknown) == ([[*above, "cat"], above, ["dog"]], 2)
        found = LabelSets.from_amounts([{"cat": 2, "unicorn": 3}], TREE, unknown=unknown)
        assert found.amounts.tolist() == [3.0, 2.0][-len(found.indices) :]
        assert names(found) == [[*above, "cat"]]


FOREST = Hierarchy.from_edges([("a", "b"), ("c", "d")], roots="any")
REFUSED = [
    ("cat", {}, "got 'cat'"),
    ([["cat", None]], {}, "instance 0: a label is missing (got None)"),
    ([None], {}, "instance 0: a label is missing (got None)"),
    ([[pd.NA]], {}, "a label is missing (got <NA>)"),
    ([["dog"], [float("nan")]], {}, "instance 1: a label is missing (got nan)"),
    ([[""]], {}, "a label is missing (got '')"),
    ([[["cat"]]], {}, "a label must be one class name, got ['cat']"),
    (None, {}, "or a dict, got None"),
    (3, {}, "or a dict, got 3"),
    (np.array(3), {}, "or a dict, got array(3)"),
    (np.ma.array(["cat", "dog"], mask=[0, 1]), {}, "instance 1: a label is missing (got None)"),
    ((pd.DataFrame([[1, 0]], columns=["cat", "dog"]), ["dog", "cat"]), {}, "in another order than classes="),
    (["2.0"], {"hierarchy": Hierarchy.from_edges([("1", "2")])}, "class '2.0' is not in the hierarchy; write '2'"),
    (sp.csr_array(np.eye(2)), {}, "use LabelSets.from_indicator"),
    ([{"cat": 1}], {}, "a label must be one class name, got {'cat': 1} (of labels with scores"),
    (np.zeros((1, 1, 1, 1), dtype=object), {}, "a label must be one class name, got [0]"),
    ([["dog"], ["unicorn"]], {"unknown": "error"}, "instance 1: class 'unicorn' is not in the hierarchy ("),
    ({"a": ["lino"]}, {"unknown": "error"}, "'lino' is not in the hierarchy; did you mean 'lion'"),
    (["cat"], {"unknown": "ignore"}, "unknown must be"),
    (LabelSets.from_labels(["a"], FOREST), {}, "belong to another hierarchy"),
    ([["x"]], {"unknown": "root", "hierarchy": FOREST}, "needs a single root; this hierarchy has 2"),
    (["2"], {"hierarchy": Hierarchy.from_edges([(1, 2)])}, "class '2' is not in the hierarchy; 2 is, but as int, not str"),
    (["x" * 5000], {"unknown": "error"}, "x… is not in the hierarchy"),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "how", "message"), REFUSED, ids=range(len(REFUSED)))
def test_bad_labels_are_refused(labels, how, message):
    tree = how.get("hierarchy", TREE)
    for unknown in [how["unknown"]] if "unknown" in how else ["error", "drop"]:
        said = error_of(LabelSets.from_labels, labels, tree, unknown=unknown)
        assert message in said
        assert len(said) < 600


@pytest.mark.parametrize(("arrays", "message"), [
    (([0, 1], [5], 5), "instance 0: class number 5 is outside 0 … 4"),
    (([0, 1], [-1], 5), "class number -1"),
    (([0, 2], [1], 5), "indptr must run from 0"),
    (([0, 2, 1], [1], 5), "to the number of labels, and must not descend"),
    (([0, 1], [0.5], 5), "class numbers must be integers"),
    (([0, 1.7], [1], 5), "indptr must hold whole numbers"),
    (([0, 1], [1], 5, ["a", "b"]), "got 2 ids for 1 instance"),
    (([0, 1, 1], [1], 5, ["a", "a"]), "instance 'a' occurs twice"),
])  # fmt: skip
def test_bad_arrays_are_refused(arrays, message):
    arrays = [*map(np.array, arrays[:2]), *arrays[2:]]
    assert message in error_of(LabelSets.from_arrays, *arrays)


def test_instances_are_matched_by_id():
    truth, shuffled, part, extra, bare = (LabelSets.from_labels(x, TREE) for x in (
        {"a": "cat", "b": "dog", "c": []}, {"c": "wolf", "a": "lion", "b": []}, {"b": "wolf"},
        dict.fromkeys("abcd", "cat"), ["cat"]))  # fmt: skip
    assert names(match_instances(truth, shuffled)) == [["lion"], [], ["wolf"]]
    assert names(match_instances(truth, part, missing="empty")) == [[], ["wolf"], []]
    for other, missing, said in (
        (part, "error", "mine: 2 instances have no prediction, such as 'a'"),
        (extra, "error", "1 instance has no truth, such as 'd'"),
        (extra, "empty", "1 instance has no truth, such as 'd'"),
        (bare, "error", "y_true has 3 instances and mine has 1"), (part, "drop", "missing must be"),
    ):  # fmt: skip
        assert said in error_of(match_instances, truth, other, missing=missing, system="mine")


def test_paths_and_blanks_go_with_their_instances():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    paths = [[["a", "c"], ["b", "c"]], [["b"]], [], [["b", "c"]]]
    whole = LabelSets.from_levels(paths, dag)
    for rows in ([0, 1, 2, 3], [3, -1, 0, 0], [2], []):
        taken = whole.take(np.array(rows, dtype=np.int64))
        again = LabelSets.from_levels([[] if i < 0 else paths[i] for i in rows], dag)
        for sets in (taken, taken.part(0, len(rows))):
            found, wanted = ([getattr(x if name[0] == "i" else x.as_written, name).tolist() for name in (
                "indptr", "indices", "ptr", "classes", "node_ptr", "nodes")] for x in (sets, again))  # fmt: skip
            assert found == wanted, rows
    assert whole.part(1, 4).as_written.nodes.tolist() == whole.as_written.nodes.tolist()[4:]
    kept = AsWritten(np.array([0, 1, 1]), np.array([2], np.int32), n_blank=np.array([1, 3]))
    assert kept.take(np.array([1, -1, 0])).n_blank.tolist() == [3, 0, 1]


# ------------------------------------------------------------------------------ what has no order

LISTED = ["cat", "wolf", "lion"]
UNORDERED = [set(LISTED), frozenset(LISTED), dict.fromkeys(LISTED).keys(), {"cat": "cat"}.items()]
FRAME = pd.DataFrame({"cat": LISTED, "wolf": LISTED, "lion": LISTED})
BOTH = {"s": LISTED, "t": LISTED}
ONE = [[1, 0, 0]]
COLUMN = [[0.5], [0.2], [0.1]]
DOORS = {
    "score, truth": lambda x: score(TREE, x, {"s": LISTED}, ["hf"]),
    "score, prediction": lambda x: score(TREE, LISTED, {"s": x}, ["hf"]),
    "score, one system": lambda x: score(TREE, LISTED, x, ["hf"]),
    "score like": lambda x: score_like("hemkit", TREE, LISTED, {"s": x}),
    "partial": lambda x: partial_score(TREE, LISTED, x, ["hf"]),
    "explain": lambda x: explain(TREE, LISTED, x, "gie"),
    "sensitivity": lambda x: sensitivity(TREE, LISTED, {"s": x, "t": LISTED}, ["hf"], test=None),
    "function": lambda x: hierpair.metrics.h_fbeta_score(LISTED, x, TREE),
    "confusion": lambda x: hierpair.metrics.hierarchical_confusion_matrix(LISTED, x, TREE),
    "label sets": lambda x: LabelSets.from_labels(x, TREE),
    "levels": lambda x: LabelSets.from_levels(x, TREE),
    "columns": lambda x: LabelSets.from_indicator(ONE, TREE, classes=x),
    "ids": lambda x: LabelSets.from_indicator(COLUMN, TREE, classes=["cat"], ids=x),
    "score columns": lambda x: NodeScores.from_array(ONE, TREE, classes=x),
    "score ids": lambda x: NodeScores.from_array(COLUMN, TREE, classes=["cat"], ids=x),
    "distribution": lambda x: LabelDistribution.from_leaves(ONE, TREE, classes=x),
    "scenarios": lambda x: LabelDistribution.from_scenarios(x, TREE),
    "curves": lambda x: precision_recall_curves(x, NodeScores.from_array(COLUMN, TREE, classes=["cat"])),
    "measures": lambda x: score(TREE, LISTED, {"s": LISTED}, x),
    "instances": lambda x: explain(TREE, LISTED, LISTED, "gie", instances=x),
    "runs": lambda x: compare(score(TREE, LISTED, BOTH, ["hf"]), runs={"one": x, "other": ["t"]}),
    "values to vary": lambda x: sensitivity(TREE, LISTED, BOTH, ["hf"], vary={"root": x}),
    "columns of a frame": lambda x: LabelSets.from_columns(FRAME, TREE, columns=x),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_a_set_of_instances_or_columns_is_refused(door):
    for unordered in UNORDERED:
        refuses(r"must have an order, and a .* has none; give a list", DOORS[door], unordered)


PROGRAM = """
import hierpair as h
names = [f"n{i}" for i in range(14)]
edges = {(names[(7 * i) % 11 % i], names[i]) for i in range(1, 14)}
tree = h.Hierarchy.from_edges(edges, classes={*names, "\\ud800", ("x", 3), 2.5}, roots="any")
same = h.Hierarchy.from_parents({c: {p for p, d in edges if d == c} for c in names})
rows = [{names[(5 * i + k * k) % 14] for k in range(4)} for i in range(40)]
measures = ["hf", "gie", "lca_f", "hcm_tp(pairing=published)", "hcm_f(pairing=published)"]
found = h.score(same, rows[:20], {"s": rows[20:]}, measures)
print(ascii(tree.names), same.names, tree.fingerprint, found.values.tolist())
for why in h.explain(same, rows[:20], rows[20:], ["gie", "lca_f"], instances=[0]):
    print(why.to_text())
"""


@pytest.mark.exhaustive
def test_sets_of_labels_and_edges_say_the_same_under_every_hash_seed():
    run = partial(subprocess.check_output, [sys.executable, "-c", PROGRAM])
    assert len({run(env={**os.environ, "PYTHONHASHSEED": seed}) for seed in "012"}) == 1


def test_a_series_or_an_array_of_sets_is_a_set_an_instance():
    tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    rows = [{"a", "b"}, frozenset("a"), set()]
    array = np.empty(3, dtype=object)
    array[:] = rows
    for labels in (pd.Series(rows), pd.Series(rows, index=["x", "y", "z"]), array):
        assert names_in(LabelSets.from_labels(labels, tree), tree) == [["a", "b"], ["a"], []]
