"""Tables III to V of Riehl et al. 2023, every number of every system whose labels are there."""

import json
import os
from pathlib import Path

import pytest

from hierpair import (
    Hierarchy,
    LabelSets,
    hierarchical_confusion_matrix,
    load_case,
    read_hierarchy,
    score,
)
from hierpair.cli import main
from hierpair.labels import Columns, match_instances
from hierpair.readers import read_labels

DATA = Path(os.environ.get("HIERPAIR_DATA", Path(__file__).parents[2] / "shared" / "data"))
GERMEVAL = DATA / "germeval2019"
TABLES = json.loads(
    (Path(__file__).parent / "data" / "riehl2023" / "published_tables.json").read_text()
)
COUNTS = ("TP", "TN", "FP", "FN")
RATIOS = {"ACC": "hcm_acc", "PPV": "hcm_ppv", "TPR": "hcm_tpr", "F1": "hcm_f", "MCC": "hcm_mcc"}

needs_labels = pytest.mark.skipif(
    not GERMEVAL.is_dir(), reason=f"no labels at {GERMEVAL}; set HIERPAIR_DATA to their folder"
)


def rows(table):
    """The systems of Table IV or V; one whose file is not in the folder is skipped by name."""
    listed = []
    for row in TABLES[table]:
        there = (GERMEVAL / f"{row['file']}.tsv").is_file()
        mark = pytest.mark.skipif(not there, reason=f"no {row['file']}.tsv at {GERMEVAL}")
        listed.append(pytest.param(row, marks=mark, id=row["model"]))
    return listed


def options(**chosen):
    return "(" + ", ".join(f"{k}={v}" for k, v in chosen.items()) + ")"


def assert_as_printed(row, hierarchy, y_true, y_pred, **chosen):
    """Compare the four counts and the five ratios with what is printed."""
    found = hierarchical_confusion_matrix(y_true, y_pred, hierarchy, **chosen)
    assert dict(zip(COUNTS, found, strict=True)) == {c: row[c] for c in COUNTS}
    names = {column: name + options(**chosen) for column, name in RATIOS.items()}
    scores = score(hierarchy, y_true, {"system": y_pred}, list(names.values()))
    for column, name in names.items():
        # Half a unit of the last printed digit, and what a float adds to it.
        assert 100 * scores["system", name] == pytest.approx(row[column], rel=0, abs=0.005 + 1e-9)


@pytest.mark.parametrize("pairing", ["exact", "published"])
@pytest.mark.parametrize("row", TABLES["III"], ids=lambda row: row["model"])
def test_table_iii(row, pairing):
    case = load_case("transposon")
    assert_as_printed(row, case.hierarchy, case.y_true, case.systems[row["model"]], pairing=pairing)


def germeval_hierarchy(task):
    """All classes for task B; the root and the classes right below it for task A."""
    whole = read_hierarchy(GERMEVAL / "hierarchy.tsv")
    if task == "B":
        return whole
    root = whole.names[int(whole.root_indices[0])]
    return Hierarchy.from_edges(e for e in whole.to_networkx().edges if e[0] == root)


def germeval_labels(file, task, hierarchy):
    columns = Columns("book", ("labels",), where=(("task", task),))
    path = GERMEVAL / f"{file}.tsv"
    return read_labels(path, hierarchy, fmt="tsv", columns=columns, unknown="drop")


def germeval_sides(row, task):
    hierarchy = germeval_hierarchy(task)
    truth = germeval_labels("gold", task, hierarchy)
    prediction = germeval_labels(row["file"], task, hierarchy)
    return hierarchy, truth, match_instances(truth, prediction, missing="empty")


@needs_labels
@pytest.mark.parametrize("row", rows("IV"))
def test_table_iv(row):
    assert_as_printed(row, *germeval_sides(row, "A"), pairing="published", blank="count")


@needs_labels
@pytest.mark.parametrize("row", rows("V"))
def test_table_v(row):
    assert_as_printed(row, *germeval_sides(row, "B"), pairing="published")


@needs_labels
@pytest.mark.parametrize("row", rows("V"))
def test_exact_finds_no_fewer_tp_in_any_book(row):
    hierarchy, truth, prediction = germeval_sides(row, "B")
    ours, theirs = (
        hierarchical_confusion_matrix(truth, prediction, hierarchy, per="instance", pairing=pairing)
        for pairing in ("exact", "published")
    )
    assert (ours.tp >= theirs.tp).all()
    assert (ours.tp + ours.fp == theirs.tp + theirs.fp).all()
    assert (ours.tp + ours.fn == theirs.tp + theirs.fn).all()


CONTENDER = next((row for row in TABLES["IV"] if row["model"] == "Contender"), None)


@needs_labels
def test_flat_labels_without_blanks_give_the_flat_measures():
    """Without its blank fields, Contender has the micro precision, recall and F of its labels."""
    hierarchy, truth, prediction = germeval_sides(CONTENDER, "A")
    pairs = {"hcm_ppv": "precision", "hcm_tpr": "recall", "hcm_f": "f"}
    names = [*pairs, *(f"{flat}(average=micro)" for flat in pairs.values())]
    scores = score(hierarchy, truth, {"s": prediction}, names)
    for ours, flat in pairs.items():
        assert scores["s", ours] == scores["s", f"{flat}(average=micro)"]
    assert hierarchical_confusion_matrix(truth, prediction, hierarchy).fp == 859


@needs_labels
def test_the_rows_that_can_be_checked_are_checked():
    """The folder holds six systems; none of them drops out because a name changed."""
    there = {p.stem for p in GERMEVAL.glob("*.tsv")} - {"gold", "hierarchy"}
    listed = {row["file"] for table in ("IV", "V") for row in TABLES[table]}
    assert there <= listed
    assert len(there) >= 6


def through_the_command_line(capsys, row, hierarchy, task, *options, **chosen):
    """Score a system from its files; return the values of the printed ratios and counts."""
    names = {c: f"hcm_{c.lower()}" for c in COUNTS} | RATIOS
    files = [hierarchy, *(GERMEVAL / f"{name}.tsv" for name in ("gold", row["file"]))]
    given = ["score", *map(str, files), "--id-column", "book", "--label-column", "labels",
             "--where", f"task={task}", "--unknown", "drop", "--missing", "empty",
             "--format", "json", "--quiet", *options]  # fmt: skip
    chosen |= {"average": "micro"}
    text = ", ".join(f"{k}={v}" for k, v in chosen.items())
    for name in names.values():
        given += ["-m", f"{name}({text})"]
    assert main(given) == 0
    found = [r["value"] for r in json.loads(capsys.readouterr().out)["scores"]]
    return dict(zip(names, found, strict=True))


@needs_labels
def test_table_v_through_the_command_line(capsys):
    row = next(row for row in TABLES["V"] if row["model"] == "Averbis")
    found = through_the_command_line(
        capsys, row, GERMEVAL / "hierarchy.tsv", "B", pairing="published"
    )
    assert {c: found[c] for c in COUNTS} == {c: row[c] for c in COUNTS}
    for column in RATIOS:
        assert 100 * found[column] == pytest.approx(row[column], rel=0, abs=0.005 + 1e-9), column


@needs_labels
def test_blank_cells_of_table_iv_through_the_command_line(capsys, tmp_path):
    """Contender has 1,442 blank labels, 30 of them alone in their cell."""
    top = tmp_path / "top.tsv"
    lines = (GERMEVAL / "hierarchy.tsv").read_text("utf-8").splitlines()
    top.write_text("".join(f"{x}\n" for x in lines if x.startswith("root\t")), "utf-8")
    found = through_the_command_line(
        capsys, CONTENDER, top, "A", pairing="published", blank="count"
    )
    assert {c: found[c] for c in COUNTS} == {c: CONTENDER[c] for c in COUNTS}
    found = through_the_command_line(capsys, CONTENDER, top, "A", pairing="published")
    assert found["FP"] == 859


def test_the_gold_labels_may_be_in_any_order_for_the_exact_pairing():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
    sides = [["c", "e"]], [["d", "e", "b"]]
    turned = [["e", "c"]], [["b", "e", "d"]]
    counts = [
        hierarchical_confusion_matrix(*(LabelSets.from_labels(s, tree) for s in pair), tree)
        for pair in (sides, turned)
    ]
    assert counts[0] == counts[1]
