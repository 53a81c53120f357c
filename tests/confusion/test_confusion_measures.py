"""Measures of the confusion matrix: by hand, pooled, per class, through files, explained, drawn."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics

from hierpair import (
    BadInput,
    Hierarchy,
    LabelSets,
    explain,
    load_case,
    measure,
    read_hierarchy,
    read_labels,
    score,
)
from hierpair.cli import main
from hierpair.labels import Columns
from hierpair.metrics import hierarchical_confusion_matrix
from hierpair.plots import plot_neighbourhood
from hierpair.verification.cases import case_text
from tests import effort
from tests.strategies import problems

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e"), ("b", "f")]
)
TRUE, PRED = [["e"], ["d", "f"], ["c"]], [["c"], ["d"], ["b"]]
"""TP 2 2 0, TN 2 2 0, FP 0 0 1, FN 1 2 2."""


def ratio(name, tp, tn, fp, fn, **options):
    columns = {"tp": tp, "tn": tn, "fp": fp, "fn": fn}
    m = measure(f"hcm_{name}").with_options(**options)
    return float(m.values({key: np.array([n]) for key, n in columns.items()})[0])


@pytest.mark.parametrize("cells", [(5, 7, 2, 3), (1, 0, 4, 4), (8, 1, 0, 2), (3, 3, 3, 3)])
def test_every_ratio_against_scikit_learn(cells):
    tp, tn, fp, fn = cells
    y_true = [1] * tp + [0] * tn + [0] * fp + [1] * fn
    y_pred = [1] * tp + [0] * tn + [1] * fp + [0] * fn
    tpr, tnr = tp / (tp + fn), tn / (tn + fp) if tn + fp else 0
    wanted = {
        "acc": metrics.accuracy_score(y_true, y_pred),
        "ppv": metrics.precision_score(y_true, y_pred),
        "tpr": metrics.recall_score(y_true, y_pred),
        "f": metrics.f1_score(y_true, y_pred),
        "mcc": metrics.matthews_corrcoef(y_true, y_pred),
        "jaccard": metrics.jaccard_score(y_true, y_pred),
        "kappa": metrics.cohen_kappa_score(y_true, y_pred),
        "fnr": fn / (fn + tp),
        "fpr": fp / (fp + tn),
        "tnr": tnr,
        "balanced_accuracy": metrics.balanced_accuracy_score(y_true, y_pred),
        "informedness": tpr + tnr - 1,
        "markedness": tp / (tp + fp) + tn / (tn + fn) - 1,
        "prevalence": (tp + fn) / sum(cells),
    }
    for name, value in wanted.items():
        assert ratio(name, *cells) == pytest.approx(value, abs=1e-12), name
    assert ratio("f", *cells, beta=2) == pytest.approx(metrics.fbeta_score(y_true, y_pred, beta=2))
    printed = (math.sqrt(tpr * (1 - tnr)) + tnr - 1) / (tpr + tnr - 1) if tpr + tnr != 1 else 0.5
    assert ratio("prevalence_threshold", *cells) == pytest.approx(printed)


def test_undefined_ratios():
    assert ratio("mcc", 4, 0, 0, 0) == 0
    assert math.isnan(ratio("mcc", 4, 0, 0, 0, zero_division=math.nan))
    assert ratio("ppv", 0, 0, 0, 0) == 1  # nothing to find, nothing said
    assert ratio("ppv", 0, 3, 0, 2) == 0
    assert ratio("ppv", 0, 3, 0, 2, zero_division=1) == 1
    assert ratio("prevalence_threshold", 0, 3, 0, 2) == 0


def test_counts_per_instance_and_pooled_by_hand():
    each = hierarchical_confusion_matrix(TRUE, PRED, TREE, per="instance")
    assert [x.tolist() for x in each] == [[2, 2, 0], [2, 2, 0], [0, 0, 1], [1, 2, 2]]
    assert hierarchical_confusion_matrix(TRUE, PRED, TREE) == (4, 4, 1, 5)
    scores = score(
        TREE, TRUE, {"s": PRED},
        ["hcm(tp)", "hcm(f)", "hcm(f, average=samples)", "hcm_fn", "hcm(tp, average=samples)"],
    )  # fmt: skip
    assert scores.values[0].tolist() == [
        4, 8 / 14, pytest.approx((4 / 5 + 2 / 3 + 0) / 3), 5, pytest.approx(4 / 3),
    ]  # fmt: skip
    with pytest.raises(BadInput, match="per must be one of all, instance, class, got 'label'"):
        hierarchical_confusion_matrix(TRUE, PRED, TREE, per="label")
    with pytest.raises(BadInput, match="pairing must be one of 'exact', 'published'"):
        hierarchical_confusion_matrix(TRUE, PRED, TREE, pairing="greedy")


def test_counts_per_class_by_hand():
    found = hierarchical_confusion_matrix(TRUE, PRED, TREE, per="class")
    names = TREE.names
    fields = {
        field: {names[c]: n for c, n in enumerate(column.tolist()) if n}
        for field, column in found._asdict().items()
    }
    assert fields == {
        "tp": {"a": 2, "c": 1, "d": 1},
        "tn": {"b": 2, "c": 1, "d": 1},
        "fp": {"b": 1},
        "fn": {"e": 1, "b": 1, "f": 1, "a": 1, "c": 1},
    }


@pytest.mark.exhaustive
@settings(max_examples=effort.cases(40), deadline=None)
@given(problems(max_classes=10, max_labels=4, instances=4, tree=True, single_root=True))
def test_the_ways_of_counting_agree(problem):
    hierarchy, _, y_true, y_pred = problem
    for empty in ("root", "none"):
        whole = hierarchical_confusion_matrix(y_true, y_pred, hierarchy, empty=empty)
        each = hierarchical_confusion_matrix(y_true, y_pred, hierarchy, empty=empty, per="instance")
        by_class = hierarchical_confusion_matrix(
            y_true, y_pred, hierarchy, empty=empty, per="class"
        )
        assert whole == tuple(int(x.sum()) for x in each) == tuple(int(x.sum()) for x in by_class)
        conventions = {"empty": empty, "chunk": 1}
        names = ["hcm_tp", "hcm_tn", "hcm_fp", "hcm_fn"]
        pooled = score(hierarchy, y_true, {"s": y_pred}, names, **conventions)
        assert pooled.values[0].tolist() == list(whole)


def test_single_labels_on_a_tree_are_micro_precision_and_recall():
    case = load_case("transposon")
    scores = score(
        case.hierarchy, case.y_true, case.systems,
        ["hcm_precision", "hp(average=micro)", "hcm_recall", "hr(average=micro)"],
    )  # fmt: skip
    assert (scores.values[:, 0] == scores.values[:, 1]).all()
    assert (scores.values[:, 2] == scores.values[:, 3]).all()


@pytest.fixture
def dag_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in case_text("riehl2023-figure4c")["data"].items():
        (tmp_path / name).write_text(text)
    return ["edges.tsv", "truth.tsv", "one=1.tsv"]


def test_paths_on_the_command_line(dag_files, capsys):
    command = [*dag_files, "two=2.tsv", "--paths", "/", "-m", "hcm(tp)", "-m", "hcm(tn)"]
    assert main(["score", *command, "--format", "csv"]) == 0
    rows = [line.split(",")[:3] for line in capsys.readouterr().out.splitlines()]
    assert rows[1:] == [
        ["one", "hcm_tp", "3.0"], ["one", "hcm_tn", "5.0"],
        ["two", "hcm_tp", "2.0"], ["two", "hcm_tn", "4.0"],
    ]  # fmt: skip
    assert main(["score", *dag_files, "-m", "hcm(tp)"]) == 2
    assert "1.tsv:1, instance '1': class 'root/A/D/I' is not in the" in capsys.readouterr().err


def test_a_path_that_does_not_exist(dag_files, capsys):
    with open("1.tsv", "w") as file:  # noqa: PTH123 - a short text
        file.write("1\troot/B/D|A/C\n")
    assert main(["score", *dag_files, "--paths", "/", "-m", "hcm_f"]) == 2
    message = capsys.readouterr().err
    assert "1.tsv:1, instance '1': 'D' is not a child of 'B'" in message
    assert main(["score", *dag_files, "--paths", "|", "-m", "hcm_f"]) == 2
    assert "the names of a path need a separator of their own" in capsys.readouterr().err


def test_paths_from_files_are_those_of_level_arrays(dag_files):
    hierarchy = read_hierarchy("edges.tsv")
    sets = read_labels("2.tsv", hierarchy, columns=Columns(paths="/"))
    same = LabelSets.from_levels([[["A", "C", "H"], ["B", "E", "M"]]], hierarchy)
    truth = read_labels("truth.tsv", hierarchy)
    for per in ("all", "class"):
        for ours, theirs in zip(
            hierarchical_confusion_matrix(truth, sets, hierarchy, per=per),
            hierarchical_confusion_matrix([["I", "F"]], same, hierarchy, per=per),
            strict=True,
        ):
            assert np.array_equal(ours, theirs)


def rows_of(evidence):
    """The fields of every pair of a path and a true class."""
    rows = {}
    for field in evidence.fields:
        rows.setdefault((field.predicted, field.true), {})[field.name] = field.classes
    return rows


@pytest.mark.exhaustive
@pytest.mark.parametrize("letter", "abcd")
def test_the_figure_is_explained_and_drawn(letter):
    case = load_case(f"riehl2023-figure4{letter}")
    wanted = {}
    for line in case_text(case.name)["data"]["fields.tsv"].splitlines()[1:]:
        system, pair, field, classes = line.split("\t")
        sets = wanted.setdefault(system, {}).setdefault(pair, {})
        sets[field] = set(filter(None, classes.split("|")))
    for system, labels in case.systems.items():
        [why] = explain(
            case.hierarchy, case.y_true, labels, "hcm_mcc", system=system, instances=["1"]
        )
        rows = rows_of(why.evidence)
        found = [{f: set(classes) for f, classes in row.items()} for row in rows.values()]
        assert sorted(found, key=str) == sorted(wanted[system].values(), key=str)
        for (_, true), row in rows.items():  # the true path is the root, TP, then FN
            path = ["root", *row["TP"], *row["FN"]]
            assert path[-1:] == list(true)
            edges = case.hierarchy.to_networkx().edges
            assert all(edge in edges for edge in pairwise(path))
        assert why.to_dict()["fields"]["title"] == "exact pairing"
        assert why.evidence.proof.optimal
        assert why.evidence.proof.cost == why.evidence.columns["fp"]
        assert "the dual prices show that every pairing costs at least" in why.to_text()
        totals = why.to_text().splitlines()
        assert any(line.startswith("in all: tp ") for line in totals)
        axes = plot_neighbourhood(why.neighbourhood, title=why.title)
        shown = {text.get_text() for text in axes.texts}
        for node, fields in zip(why.neighbourhood.nodes, why.neighbourhood.fields, strict=True):
            several = f" ({', '.join(fields)})" if len(fields) > 1 else ""
            assert f"{node.name}{several}" in shown


def test_an_instance_without_partners_is_explained():
    [why] = explain(TREE, [["c", "f"]], [["e"]], "hcm_f")
    rows = rows_of(why.evidence)
    assert list(rows) == [(("r", "a", "c", "e"), ("c",)), ((), ("f",))]
    assert rows[(), ("f",)]["FN"] == ("b", "f")
    assert "(none)" in why.to_text()
