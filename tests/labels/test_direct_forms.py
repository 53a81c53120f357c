"""Indicator matrices and level arrays given directly wherever labels are accepted."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from hierpair import BadInput, Hierarchy, LabelSets, score

TREE = Hierarchy.from_edges(
    [("pet", "cat"), ("pet", "dog"), ("cat", "persian"), ("cat", "siamese"), ("dog", "poodle")]
)
ROWS = [["persian"], ["poodle"], ["cat"]]
CLASSES = ["cat", "persian", "poodle", "siamese"]
MATRIX = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
LEVELS = np.array([["pet", "cat", "persian"], ["pet", "dog", "poodle"], ["pet", "cat", ""]])


def names(labels):
    sets = LabelSets.from_labels(labels, TREE)
    return [sets.names_of(i, TREE) for i in range(len(sets))]


@pytest.mark.parametrize(
    "labels",
    [
        (MATRIX, CLASSES),
        (MATRIX.astype(bool), np.array(CLASSES)),
        (MATRIX.astype(float), tuple(CLASSES)),
        (sp.csr_array(MATRIX), CLASSES),
        (sp.coo_matrix(MATRIX), CLASSES),
        pd.DataFrame(MATRIX, columns=CLASSES),
        LEVELS,
        LEVELS.astype(object),
        np.array([[[*row]] for row in LEVELS.tolist()]),
    ],
    ids=["ints", "bools", "floats", "csr", "coo", "frame", "texts", "objects", "three dimensions"],
)
def test_every_form_says_the_same(labels):
    assert names(labels) == ROWS
    expected = score(TREE, ROWS, {"s": [["siamese"], ["dog"], ["cat"]]}, ["hf", "gie"])
    found = score(TREE, labels, {"s": [["siamese"], ["dog"], ["cat"]]}, ["hf", "gie"])
    assert found.values.tolist() == expected.values.tolist()
    back = score(TREE, [["siamese"], ["dog"], ["cat"]], {"s": labels}, ["hf"])
    there = score(TREE, [["siamese"], ["dog"], ["cat"]], {"s": ROWS}, ["hf"])
    assert back.values.tolist() == there.values.tolist()


def test_classes_that_are_numbers():
    tree = Hierarchy.from_edges([(0, 1), (0, 2), (2, 5)])
    levels = LabelSets.from_labels(np.array([[0, 2, 5], [0, 1, 1]])[:1], tree)
    assert levels.names_of(0, tree) == [5]
    padded = LabelSets.from_labels(np.array([[0, 2, 5], [0, 1, np.nan]]), tree)
    assert [padded.names_of(i, tree) for i in range(2)] == [[5], [1]]
    paired = LabelSets.from_labels((np.array([[1, 0], [1, 1]]), [1, 5]), tree)
    assert [paired.names_of(i, tree) for i in range(2)] == [[1], [1, 5]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (MATRIX, "y_true: .* of an indicator matrix .* the class of every column must be given"),
        (MATRIX.astype(bool), "y_true: instance 0: a truth value is no class"),
        (sp.csr_array(MATRIX), r"as the pair \(matrix, classes\)"),
        ((MATRIX, CLASSES[:3]), r"y_true: the matrix has shape \(3, 4\), and there are 3 classes"),
        ((MATRIX * 2, CLASSES), "instance 0, column 'persian': .* must hold 0 and 1, got 2"),
        (np.array([["pet", "poodle"]]), "'poodle' is not a child of 'pet' .*level by level"),
        (np.array([["pet", "", "cat"]]), "y_true: instance 0: level 2 of the path is blank"),
        (pd.DataFrame({"id": ["x"], "labels": ["cat"]}), "'id' is none; .* LabelSets.from_frame"),
        (pa.table({"id": ["x"], "labels": ["cat"]}), "'id' is none; .* LabelSets.from_frame"),
    ],
)
def test_what_is_not_clear_is_refused(labels, message):
    with pytest.raises(BadInput, match=message):
        LabelSets.from_labels(labels, TREE, source="y_true")


def test_a_column_without_ones_may_have_any_name():
    assert names((MATRIX, [*CLASSES[:3], "siamise"])) == ROWS


def test_an_unknown_class_of_a_column_is_named():
    matrix = np.array([[1, 0]])
    with pytest.raises(BadInput, match=r"class 'persan' is not .*did you mean 'persian'"):
        LabelSets.from_labels((matrix, ["persan", "cat"]), TREE)
    sets = LabelSets.from_labels((matrix, ["persan", "cat"]), TREE, unknown="drop")
    assert (len(sets), sets.n_unknown) == (1, 1)


def test_two_instances_in_a_tuple_stay_two_instances():
    assert names((["cat"], ["dog"])) == [["cat"], ["dog"]]
    assert names((np.array(["cat", "dog"]), ["poodle"])) == [["cat", "dog"], ["poodle"]]


def test_reprs_are_short():
    sets = LabelSets.from_labels({"x": ["cat"]}, TREE)
    assert repr(sets) == "LabelSets(1 instance, 1 label)"
    many = LabelSets.from_labels([["cat", "dog"]] * 5000, TREE)
    assert repr(many) == "LabelSets(5000 instances, 10000 labels)"
    assert repr(Hierarchy.from_edges([("r", "a")])) == "Hierarchy(2 classes, 1 edge, tree)"


def test_a_frame_of_levels():
    frame = pd.DataFrame(
        {"one": ["food", "food", "tools"], "two": ["cheese", "bread", None], "n": [1, 2, 3]}
    )
    tree = Hierarchy.from_frame(frame, levels=["one", "two"], roots="any")
    assert set(tree.names) == {"food", "tools", "food/cheese", "food/bread"}
    sets = LabelSets.from_levels(frame[["one", "two"]], tree)
    assert [sets.names_of(i, tree) for i in range(3)] == [
        ["food/cheese"],
        ["food/bread"],
        ["tools"],
    ]
    dotted = Hierarchy.from_frame(frame, levels=["one", "two"], separator=".", roots="any")
    assert "food.bread" in dotted.names
    with pytest.raises(BadInput, match="there is no column 'tow'; did you mean 'two'"):
        Hierarchy.from_frame(frame, levels=["one", "tow"])
    with pytest.raises(BadInput, match="levels must be a list of columns"):
        Hierarchy.from_frame(frame, levels="one")
    with pytest.raises(BadInput, match="either levels or child"):
        Hierarchy.from_frame(frame, levels=["one"], child="two")
    gap = pd.DataFrame({"one": ["a"], "two": [None], "three": ["c"]})
    with pytest.raises(BadInput, match="path 1: a class name is missing"):
        Hierarchy.from_frame(gap, levels=["one", "two", "three"])
