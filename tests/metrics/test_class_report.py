"""The classification report: scikit-learn's numbers, those of the functions, and how it shows itself."""

import json
import math

import numpy as np
import pytest
from sklearn import metrics as sklearn

from hierpair import Hierarchy, metrics
from hierpair.metrics import classification_report, contributions_by_class
from tests.everything import random_problem
from tests.oracles.classes import Classes

AVERAGES = ("micro", "macro", "weighted", "samples")
PET = Hierarchy.from_edges(
    [("all", "pet"), ("all", "oak"), ("pet", "cat"), ("pet", "dog"), ("cat", "lion")]
)
PROBLEMS = [
    random_problem("single labels", 21, most=1, empty=False),
    random_problem("tree", 22),
    random_problem("dag", 23, parents=2),
]


def figures(report, by):
    """By class, level or average: both sides, each precision, recall, F1 and support."""
    return {row[0]: (row[-8:-4], row[-4:]) for row in report.records(by).rows}


def indicator(sets):
    matrix = np.zeros((len(sets), sets.n_classes), dtype=int)
    for i in range(len(sets)):
        matrix[i, sets.indices[sets.indptr[i] : sets.indptr[i + 1]]] = 1
    return matrix


@pytest.mark.parametrize("zero_division", [0, 1, math.nan])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_flat_figures_are_those_of_scikit_learn(problem, zero_division):
    hierarchy, truth, prediction = problem.fresh()
    rng = np.random.default_rng(3)
    for weight in (None, rng.integers(1, 5, len(truth)).astype(float)):
        report = classification_report(
            truth, prediction, hierarchy, sample_weight=weight, zero_division=zero_division
        )
        y_true, y_pred = indicator(truth), indicator(prediction)
        labels = np.flatnonzero(y_true.any(axis=0) | y_pred.any(axis=0))
        how = {"sample_weight": weight, "output_dict": True, "zero_division": zero_division}
        wanted = sklearn.classification_report(y_true[:, labels], y_pred[:, labels], **how)
        rows = figures(report, "class")
        for k, c in enumerate(labels.tolist()):
            found = rows.pop(hierarchy.names[c])[0]
            np.testing.assert_array_equal(found, list(wanted[str(k)].values()))
        assert all(np.isnan(of[:3]).all() and of[3] == 0 for of, _ in rows.values())
        for average in AVERAGES:
            of = figures(report, "average")[f"{average} avg"][0]
            np.testing.assert_allclose(of, list(wanted[f"{average} avg"].values()), rtol=1e-14)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_levels_by_counting(problem):
    """Instance by instance: the classes of a level on both sides, with plain sets."""
    hierarchy, truth, prediction = problem.fresh()
    h = Classes(problem.edges, problem.classes)
    levels = figures(classification_report(truth, prediction, hierarchy), "level")
    for side, augment in enumerate(("none", "ancestors")):
        counted = {level: [0, 0, 0] for level in levels}
        for i in range(len(truth)):
            t, p = (h.grown(x.names_of(i, hierarchy), augment) for x in (truth, prediction))
            for k, names in enumerate((t, p, t & p)):
                for name in names - (h.single if side else set()):
                    counted[h.level(name)][k] += 1
        for level, (t, p, b) in counted.items():
            wanted = [math.nan] * 3
            if t + p:
                wanted = [b / p if p else 0, b / t if t else 0, 2 * b / (t + p)]
            np.testing.assert_array_equal(levels[level][side], [*wanted, t])


def test_a_level_is_the_longest_way_from_a_root():
    dag = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "c")])
    report = classification_report([["c"]], [["c"]], dag)
    assert [row[:2] for row in report.records().rows] == [["a", 1], ["b", 2], ["c", 3]]
    assert list(figures(report, "level")) == [1, 2, 3]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("case", ["weights", "root", "ignore", "classes"])
def test_tables_by_class_are_the_functions(problem, case):
    """Reports and contributions by class, averages and values, whatever is weighted or left out."""
    hierarchy, truth, prediction = problem.fresh()
    n, rng = len(truth), np.random.default_rng(0)
    how = {
        "weights": {"sample_weight": rng.random(n)}, "root": {"root": "include"},
        "ignore": {"ignore": [truth.names_of(i, hierarchy)[: i % 2] for i in range(n)],
                   "ignore_ancestors": problem.name == "tree"},
        "classes": {"classes": [*hierarchy.names[1::2]]},
    }[case]  # fmt: skip
    report = classification_report(truth, prediction, hierarchy, **how)
    averages, rows = figures(report, "average"), figures(report, "class")

    def known(function, **given):
        values = function(truth, prediction, hierarchy, average=None, **given)
        by_class = dict(zip(hierarchy.names, values, strict=True))
        return {c: x for c, x in by_class.items() if not math.isnan(x)}

    for side, kind in enumerate(("flat", "h")):
        given = how if side or case != "root" else {}
        for column, name in enumerate(("precision", "recall", "f1")):
            function = getattr(metrics, f"{kind}_{name}_score")
            for average in AVERAGES:
                expected = function(truth, prediction, hierarchy, average=average, **given)
                found = averages[f"{average} avg"][side][column]
                assert found == pytest.approx(expected, rel=1e-14)
            found = {c: of[side][column] for c, of in rows.items()}
            assert {c: x for c, x in found.items() if not math.isnan(x)} == pytest.approx(
                known(function, **given)
            )
    if case == "root":
        return
    for classes in [how["classes"]] if case == "classes" else ["seen", "all"]:
        how["classes"] = classes
        found = contributions_by_class(truth, prediction, hierarchy, **how)
        for column in ("precision_score", "recall_score", "accuracy_score", "error"):
            of = known(getattr(metrics, f"contribution_{column}"), **how)
            assert found.keys() <= of.keys()
            assert case == "classes" or found.keys() == of.keys()
            each = {c: getattr(x, column.removesuffix("_score")) for c, x in found.items()}
            assert each == pytest.approx({c: of[c] for c in found})


# ------------------------------------------------------------------------- how it shows itself


def test_what_text_shows_and_what_it_says_is_left_out():
    names = [f"c{k}" for k in range(30)]
    flat = Hierarchy.from_edges([("r", n) for n in names])
    truth = [n for k, n in enumerate(names) for _ in range(k + 1)]
    report = classification_report(truth, truth, flat)
    text = report.to_text()
    assert text.splitlines()[3].split()[0] == "c29"
    assert all(x in text for x in ("20 of 30 classes are shown", "10 are left out"))
    assert "c9 " not in text
    assert "left out" not in report.to_text(most=30)
    assert len(report.to_dataframe()) == report.to_csv().count("\n") == 30
    chosen = classification_report(truth, truth, flat, labels=["c3", "r"], digits=4)
    lines = [line.split() for line in chosen.to_text().splitlines()]
    assert lines[3] == ["c3", "1", *["1.0000"] * 3, "4", *["1.0000"] * 3, "4"]
    assert lines[4] == ["r", *"–––0–––0"]  # no instance has it: no figures
    assert "over all 30 classes that occur" in chosen.to_text()
    assert chosen.to_dataframe("average").loc["micro avg", "support"] == len(truth)
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("b", "c"), ("b", "d")])
    truth = ["a", "b", "c", "d", "d"]  # of equal numbers of labels those with more below come first
    rows = classification_report(truth, truth, tree).to_text().splitlines()[3:7]
    assert [row.split()[0] for row in rows] == ["d", "b", "a", "c"]


def test_json_notes_and_names():
    truth, guess = [["cat", "oak"], ["dog"], []], [["lion"], ["dog", "oak"], ["oak"]]
    report = classification_report(truth, guess, PET, sample_weight=[0.5, 1, 1])
    data = json.loads(report.to_json())
    assert [len(data[k]) for k in ("averages", "levels", "classes")] == [4, 3, 5]
    assert data["classes"][0] == {
        "class": "pet", "level": 1, "precision": None, "recall": None, "f1-score": None,
        "support": 0.0, "hp": 1.0, "hr": 1.0, "hf": 1.0, "h-support": 1.5,
    }  # fmt: skip
    assert "pet        1          –       –         –        0  1.00" in report.to_text()
    assert report.signatures[3].startswith("hp(augment=ancestors,root=exclude")
    tree = Hierarchy.from_edges([("r", "G:1"), ("r", "G:2")], titles={"G:1": "death"})
    report = classification_report([["G:1"], ["x"]], [["G:1"], ["G:2"]], tree, unknown="drop")
    assert "death (G:1)" in report.to_text()
    dropped = "y_true: labels outside the hierarchy, dropped or replaced on request: 1"
    assert dropped in report.to_text()
    assert list(figures(report, "class")) == ["G:1", "G:2"]
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    assert "the hierarchy has 2 roots" in classification_report(["b"], ["d"], forest).to_text()
    tree = Hierarchy.from_edges([("r", ("a", 1)), ("r", 7)])
    frame = classification_report([[("a", 1)], [7]], [[7], [7]], tree).to_dataframe()
    assert set(frame.index) == {("a", 1), 7}


def test_what_does_not_occur():
    """Nothing on either side, or with the weight 0; pet has such a label, and cat below it counts."""
    report = classification_report([[], []], [[], []], PET)
    assert report.records().rows == []
    assert report.to_text().startswith("Classes\n\nclass  level")
    assert len(report.to_dataframe("level")) == 0
    assert [row[4] for row in report.records("average").rows] == [0] * 4
    report = classification_report(["cat", "oak"], ["cat", "oak"], PET, sample_weight=[0, 1])
    assert list(figures(report, "class")) == ["oak"]
    report = classification_report(["pet", "cat"], ["pet", "cat"], PET, sample_weight=[0, 1])
    flat, augmented = figures(report, "class")["pet"]
    assert math.isnan(flat[2])
    assert augmented[2] == 1
