"""Label sets: what goes in, what comes out, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from hierpair import BadInput, Hierarchy, LabelSets
from hierpair.labels import match_instances

TREE = Hierarchy.from_edges([("r", "cat"), ("r", "dog"), ("cat", "lion"), ("dog", "wolf")])


def names(sets):
    return [sets.names_of(i, TREE) for i in range(len(sets))]


def test_labels_that_are_ready_stay_as_they_are():
    sets = LabelSets.from_labels(["cat", "wolf"], TREE)
    assert LabelSets.from_labels(sets, TREE) is sets


def test_sets_and_hierarchies_do_not_change():
    sets = LabelSets.from_labels(["cat"], TREE)
    for array in (sets.indices, sets.indptr, TREE.parents, TREE.levels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_unknown_labels():
    rows = [["cat", "unicorn"], ["unicorn"], ["dog"]]
    with pytest.raises(BadInput, match=r"instance 0: class 'unicorn' is not in the hierarchy \("):
        LabelSets.from_labels(rows, TREE)
    with pytest.raises(BadInput, match="'lino' is not in the hierarchy; did you mean 'lion'"):
        LabelSets.from_labels({"a": ["lino"]}, TREE)
    dropped = LabelSets.from_labels(rows, TREE, unknown="drop")
    assert (names(dropped), dropped.n_unknown) == ([["cat"], [], ["dog"]], 2)
    lifted = LabelSets.from_labels(rows, TREE, unknown="root")
    assert (names(lifted), lifted.n_unknown) == ([["r", "cat"], ["r"], ["dog"]], 2)
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")], roots="any")
    with pytest.raises(BadInput, match="needs a single root; this hierarchy has 2"):
        LabelSets.from_labels([["x"]], forest, unknown="root")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("cat", "got 'cat'"),
        ([["cat", None]], "instance 0: a label is missing (got None)"),
        ([None], "instance 0: a label is missing (got None)"),
        ([[pd.NA]], "a label is missing (got <NA>)"),
        ([["dog"], [float("nan")]], "instance 1: a label is missing (got nan)"),
        ([[""]], "a label is missing (got '')"),
        ([[["cat"]]], "a label must be one class name, got ['cat']"),
        (None, "or a dict, got None"),
        (3, "or a dict, got 3"),
        (sp.csr_array(np.eye(2)), "use LabelSets.from_indicator"),
        ([{"cat": 1}], "a label must be one class name, got {'cat': 1}"),
        (np.zeros((1, 1, 1, 1), dtype=object), "a label must be one class name, got [0]"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    for unknown in ("error", "drop"):
        with pytest.raises(BadInput) as caught:
            LabelSets.from_labels(labels, TREE, unknown=unknown)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([0, 1], [5], 5), "instance 0: class number 5 is outside 0 … 4"),
        (([0, 1], [-1], 5), "class number -1"),
        (([0, 2], [1], 5), "indptr must run from 0"),
        (([0, 2, 1], [1], 5), "to the number of labels, and must not descend"),
        (([0, 1], [0.5], 5), "class numbers must be integers"),
        (([0, 1.7], [1], 5), "indptr must hold whole numbers"),
        (([0, 1], [1], 5, ["a", "b"]), "got 2 ids for 1 instance"),
        (([0, 1, 1], [1], 5, ["a", "a"]), "instance 'a' occurs twice"),
    ],
)
def test_bad_arrays_are_refused(arrays, message):
    with pytest.raises(BadInput) as caught:
        LabelSets.from_arrays(np.array(arrays[0]), np.array(arrays[1]), *arrays[2:])
    assert message in str(caught.value)


def test_unknown_labels_that_look_known():
    numbers = Hierarchy.from_edges([(1, 2)])
    with pytest.raises(
        BadInput, match="class '2' is not in the hierarchy; 2 is, but as int, not str"
    ):
        LabelSets.from_labels(["2"], numbers)
    german = Hierarchy.from_edges([("r", "Käse")])
    with pytest.raises(BadInput) as caught:
        LabelSets.from_labels(["x" * 5000], german)
    assert len(str(caught.value)) < 300


def test_another_hierarchy_and_bad_options():
    with pytest.raises(BadInput, match="belong to another hierarchy"):
        LabelSets.from_labels(
            LabelSets.from_labels(["a"], Hierarchy.from_edges([("a", "b")])), TREE
        )
    with pytest.raises(BadInput, match="unknown must be"):
        LabelSets.from_labels(["cat"], TREE, unknown="ignore")


def test_instances_are_matched_by_id():
    truth = LabelSets.from_labels({"a": "cat", "b": "dog", "c": []}, TREE)
    shuffled = LabelSets.from_labels({"c": "wolf", "a": "lion", "b": []}, TREE)
    assert names(match_instances(truth, shuffled)) == [["lion"], [], ["wolf"]]
    part = LabelSets.from_labels({"b": "wolf"}, TREE)
    with pytest.raises(BadInput, match="mine: 2 instances have no prediction, such as 'a'"):
        match_instances(truth, part, system="mine")
    assert names(match_instances(truth, part, missing="empty")) == [[], ["wolf"], []]
    extra = LabelSets.from_labels({"a": [], "b": [], "c": [], "d": []}, TREE)
    for missing in ("error", "empty"):
        with pytest.raises(BadInput, match="1 instance has no truth, such as 'd'"):
            match_instances(truth, extra, missing=missing)
    with pytest.raises(BadInput, match="y_true has 3 instances and y_pred has 1"):
        match_instances(truth, LabelSets.from_labels(["cat"], TREE))
    with pytest.raises(BadInput, match="missing must be"):
        match_instances(truth, part, missing="drop")
