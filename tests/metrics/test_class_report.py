"""The classification report: scikit-learn's numbers, those of score, and how it shows itself."""

import csv
import io
import json
import math

import numpy as np
import pytest
from sklearn import metrics as sklearn

from hierpair import Hierarchy, metrics, score
from hierpair.metrics import classification_report, contributions_by_class
from tests.everything import random_problem

AVERAGES = ("micro", "macro", "weighted", "samples")
SIDES = (("precision", "recall", "f"), ("hp", "hr", "hf"))
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
        wanted = sklearn.classification_report(
            y_true[:, labels], y_pred[:, labels], sample_weight=weight, output_dict=True,
            zero_division=zero_division,
        )  # fmt: skip
        rows = figures(report, "class")
        for k, c in enumerate(labels.tolist()):
            np.testing.assert_array_equal(
                rows[hierarchy.names[c]][0], list(wanted[str(k)].values())
            )
        absent = {*rows} - {hierarchy.names[c] for c in labels}
        assert all(np.isnan(rows[name][0][:3]).all() and rows[name][0][3] == 0 for name in absent)
        for average in AVERAGES:
            of = figures(report, "average")[f"{average} avg"][0]
            np.testing.assert_allclose(of, list(wanted[f"{average} avg"].values()), rtol=1e-14)


@pytest.mark.parametrize("root", ["exclude", "include"])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_averages_are_those_of_score(problem, root):
    hierarchy, truth, prediction = problem.fresh()
    weight = np.random.default_rng(0).random(len(truth))
    for given in (None, weight):
        report = classification_report(truth, prediction, hierarchy, root=root, sample_weight=given)
        for average in AVERAGES:
            names = [m for side in SIDES for m in side]
            wanted = score(hierarchy, truth, {"s": prediction}, names, average=average,
                           root=root, sample_weight=given)  # fmt: skip
            found = figures(report, "average")[f"{average} avg"]
            assert [*found[0][:3], *found[1][:3]] == wanted.values[0].tolist()
        for side, names in enumerate(SIDES):
            macro = score(hierarchy, truth, {"s": prediction}, list(names), average="macro",
                          **({"root": root} if names[0] == "hp" else {}), sample_weight=given)  # fmt: skip
            rows = [of[side][:3] for of in figures(report, "class").values()]
            means = np.nanmean(rows, axis=0)
            np.testing.assert_allclose(means, macro.values[0], rtol=1e-13)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_levels_by_counting(problem):
    """Instance by instance: the classes of a level on both sides, with plain sets."""
    hierarchy, truth, prediction = problem.fresh()
    report = classification_report(truth, prediction, hierarchy)
    root = set(hierarchy.roots) if len(hierarchy.roots) == 1 else set()

    def grown(names, augmented):
        if not augmented:
            return set(names)
        return {a for n in names for a in (n, *hierarchy.ancestors(n))} - root

    levels = figures(report, "level")
    for side, augmented in enumerate((False, True)):
        n_true, n_pred, n_both = (dict.fromkeys(levels, 0) for _ in range(3))
        for i in range(len(truth)):
            t, p = (grown(x.names_of(i, hierarchy), augmented) for x in (truth, prediction))
            for counts, names in ((n_true, t), (n_pred, p), (n_both, t & p)):
                for name in names:
                    counts[int(hierarchy.levels[hierarchy.index([name])[0]])] += 1
        for level, of in levels.items():
            t, p, b = n_true[level], n_pred[level], n_both[level]
            wanted = (
                [b / p if p else 0, b / t if t else 0, 2 * b / (t + p)] if t + p else [math.nan] * 3
            )
            np.testing.assert_array_equal(of[side], [*wanted, t])


def test_a_level_is_the_longest_way_from_a_root():
    dag = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "c")])
    report = classification_report([["c"]], [["c"]], dag)
    assert [row[:2] for row in report.records().rows] == [["a", 1], ["b", 2], ["c", 3]]
    assert list(figures(report, "level")) == [1, 2, 3]


def test_what_text_shows_and_what_it_says_is_left_out():
    names = [f"c{k}" for k in range(30)]
    flat = Hierarchy.from_edges([("r", n) for n in names])
    truth = [n for k, n in enumerate(names) for _ in range(k + 1)]
    report = classification_report(truth, truth, flat)
    text = report.to_text()
    assert text.splitlines()[3].split()[0] == "c29"
    assert "20 of 30 classes are shown" in text
    assert "10 are left out" in text
    assert "c9 " not in text
    assert "left out" not in report.to_text(most=30)
    assert len(report.to_dataframe()) == 30
    assert len(csv_rows(report)) == 31
    chosen = classification_report(truth, truth, flat, labels=["c3", "r"], digits=4)
    lines = chosen.to_text().splitlines()
    assert lines[3].split() == ["c3", "1", "1.0000", "1.0000", "1.0000", "4"] + ["1.0000"] * 3 + [
        "4"
    ]
    assert lines[4].split() == ["r", *"–––0–––0"]  # no instance has it: no figures
    assert "over all 30 classes that occur" in chosen.to_text()
    assert chosen.to_dataframe("average").loc["micro avg", "support"] == len(truth)


def csv_rows(report, **how):
    return list(csv.reader(io.StringIO(report.to_csv(**how))))


def test_what_json_and_text_show():
    truth, guess = [["cat", "oak"], ["dog"], []], [["lion"], ["dog", "oak"], ["oak"]]
    report = classification_report(truth, guess, PET, sample_weight=[0.5, 1, 1])
    data = json.loads(report.to_json())
    assert [len(data[k]) for k in ("averages", "levels", "classes")] == [4, 3, 5]
    assert data["classes"][0] == {
        "class": "pet", "level": 1, "precision": None, "recall": None, "f1-score": None,
        "support": 0.0, "hp": 1.0, "hr": 1.0, "hf": 1.0, "h-support": 1.5,
    }  # fmt: skip
    for by in ("class", "level", "average"):
        assert csv_rows(report, by=by)[0] == [by, *report.to_dataframe(by).columns]
    assert "pet        1          –       –         –        0  1.00" in report.to_text()
    assert report.signatures[3].startswith("hp(augment=ancestors,root=exclude")


def test_titles_and_dropped_labels_are_told():
    tree = Hierarchy.from_edges([("r", "G:1"), ("r", "G:2")], titles={"G:1": "death"})
    report = classification_report([["G:1"], ["x"]], [["G:1"], ["G:2"]], tree, unknown="drop")
    assert "death (G:1)" in report.to_text()
    assert (
        "y_true: labels outside the hierarchy, dropped or replaced on request: 1"
        in report.to_text()
    )
    assert list(figures(report, "class")) == ["G:1", "G:2"]
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    assert "the hierarchy has 2 roots" in classification_report(["b"], ["d"], forest).to_text()


def test_names_that_are_tuples_or_numbers_are_rows_of_the_frame():
    tree = Hierarchy.from_edges([("r", ("a", 1)), ("r", 7)])
    frame = classification_report([[("a", 1)], [7]], [[7], [7]], tree).to_dataframe()
    assert set(frame.index) == {("a", 1), 7}


def test_nothing_on_either_side():
    report = classification_report([[], []], [[], []], PET)
    assert report.records().rows == []
    assert report.to_text().startswith("Classes\n\nclass  level")
    assert len(report.to_dataframe("level")) == 0
    assert [row[4] for row in report.records("average").rows] == [0] * 4


def test_a_class_with_weight_0_does_not_occur():
    report = classification_report(["cat", "oak"], ["cat", "oak"], PET, sample_weight=[0, 1])
    assert list(figures(report, "class")) == ["oak"]
    # pet has a label with weight 0 only, and cat below it one that counts
    report = classification_report(["pet", "cat"], ["pet", "cat"], PET, sample_weight=[0, 1])
    flat, augmented = figures(report, "class")["pet"]
    assert math.isnan(flat[2])
    assert augmented[2] == 1


def test_of_equal_numbers_of_labels_those_with_more_below_come_first():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("b", "c"), ("b", "d")])
    truth = ["a", "b", "c", "d", "d"]
    rows = classification_report(truth, truth, tree).to_text().splitlines()[3:7]
    assert [row.split()[0] for row in rows] == ["d", "b", "a", "c"]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("interest", [False, True])
def test_what_does_not_count_is_in_no_table_by_class(problem, interest):
    """Reports and contributions by class are the functions with ``ignore`` and ``classes``."""
    hierarchy, truth, prediction = problem.fresh()
    n, classes = len(truth), None
    ignore = [truth.names_of(i, hierarchy)[: i % 2] for i in range(n)]
    if interest:
        classes = [*hierarchy.names[1::2]]
    how = {"ignore": ignore, "ignore_ancestors": n % 2 > 0, "classes": classes}
    report = classification_report(truth, prediction, hierarchy, **how)
    frame = report.to_dataframe("average")
    by_class = report.to_dataframe()
    functions = ("flat_precision", "flat_recall", "flat_f1", "h_precision", "h_recall", "h_f1")
    columns = ("precision", "recall", "f1-score", "hp", "hr", "hf")
    for name, column in zip(functions, columns, strict=True):
        function = getattr(metrics, f"{name}_score")
        for average in AVERAGES:
            expected = function(truth, prediction, hierarchy, average=average, **how)
            assert frame.loc[f"{average} avg", column] == pytest.approx(expected)
        values = function(truth, prediction, hierarchy, average=None, **how)
        known = {c: x for c, x in zip(hierarchy.names, values, strict=True) if not np.isnan(x)}
        assert by_class[column].dropna().to_dict() == pytest.approx(known)
    found = contributions_by_class(
        truth, prediction, hierarchy, **how | ({} if interest else {"classes": "all"})
    )
    given = how | {"average": None, **({} if interest else {"classes": "all"})}
    values = metrics.contribution_accuracy_score(truth, prediction, hierarchy, **given)
    known = {c: x for c, x in zip(hierarchy.names, values, strict=True) if not np.isnan(x)}
    assert found.keys() <= known.keys() if interest else found.keys() == known.keys()
    assert {c: of.accuracy for c, of in found.items()} == pytest.approx(
        {c: known[c] for c in found}
    )
