"""Scores in files and in every other form: presets, tables and curves say the same everywhere."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores, score
from hierpair.cli import main
from hierpair.labels.node_scores import scores_of_labels
from hierpair.metrics import class_areas, level_scores, reliability, score_like
from hierpair.metrics.presets import PRESETS
from hierpair.probabilistic import pooled_curve
from hierpair.probabilistic.probability_files import read_scored_labels

EDGES = [*(tuple(edge) for edge in ("ra", "rb", "ac", "ad", "be", "bf", "cg"))]
DAG_EDGES = [*EDGES, ("e", "g"), ("f", "d")]
TREE = Hierarchy.from_edges(EDGES)
OF_LABELS = [name for name, preset in PRESETS.items() if not preset.of_scores]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(edges, seed, n=30):
    """Write a hierarchy, a truth and predictions with scores; return them as Python has them."""
    rng = np.random.default_rng(seed)
    names = list("abcdefg")
    truth = {
        f"p{i}": rng.choice(names, rng.integers(1, 3), replace=False).tolist() for i in range(n)
    }
    said = {
        i: {c: float(np.round(rng.uniform(0.4, 1) if c in y else rng.uniform(0.01, 0.7), 3))
            for c in sorted({*rng.choice(names, 3).tolist(), *y})}
        for i, y in truth.items()
    }  # fmt: skip
    cells = [(i, c, s) for i, of in said.items() for c, s in of.items()]
    texts = {
        "tree.tsv": [f"{p}\t{c}" for p, c in edges],
        "truth.tsv": [f"{i}\t{'|'.join(y)}" for i, y in truth.items()],
        "truth.csv": ["id,class", *(f"{i},{'|'.join(y)}" for i, y in truth.items())],
        "plain.tsv": [f"{i}\t{'|'.join(of)}" for i, of in said.items()],
        "long.tsv": [f"{i}\t{c}\t{s}" for i, c, s in cells],
        "named.csv": ["id,class,conf", *(f"{i},{c},{s}" for i, c, s in cells)],
        "named.jsonl": [json.dumps({"id": i, "class": c, "conf": s}) for i, c, s in cells],
        "scores.jsonl": [json.dumps({"id": i, "scores": of}) for i, of in said.items()],
    }
    for name, lines in texts.items():
        Path(name).write_text("\n".join(lines) + "\n")
    matrix = np.array([[of.get(c, 0.0) for c in names] for of in said.values()])
    np.savez("matrix.npz", matrix=matrix, classes=names, ids=list(said))
    return Hierarchy.from_edges(edges), truth, said


def printed(line, capsys):
    assert main(line.split()) == 0
    return capsys.readouterr().out


def refused(line, capsys):
    assert main(line.split()) == 2
    return capsys.readouterr().err


def rows_of(line, capsys):
    return list(csv.DictReader(io.StringIO(printed(f"{line} -q --format csv", capsys))))


def values_of(line, capsys):
    return [float(row["value"]) for row in rows_of(line, capsys)]


@pytest.mark.parametrize("preset", OF_LABELS)
@pytest.mark.parametrize("edges", [EDGES, DAG_EDGES], ids=["tree", "dag"])
def test_every_preset_gives_the_same_on_the_command_line(preset, edges, folder, capsys):
    hierarchy, truth, said = written(edges, 0)
    plain, scored = {i: list(of) for i, of in said.items()}, PRESETS[preset].scored
    line = f"score tree.tsv truth.tsv s={'long' if scored else 'plain'}.tsv --preset {preset}"
    if preset == "hierverb" and edges == DAG_EDGES:
        with pytest.raises(BadInput, match="a class has many paths in a DAG"):
            score_like(preset, hierarchy, truth, {"s": plain})
        assert "a class has many paths in a DAG" in refused(line, capsys)
        return
    wanted = score_like(preset, hierarchy, truth, {"s": said if scored else plain})
    assert values_of(line, capsys) == wanted.values.ravel().tolist()
    assert printed(f"{line} -q", capsys) == f"{wanted}\n"
    if scored:  # and not what counts every prediction
        assert (wanted.values != score_like(preset, hierarchy, truth, {"s": plain}).values).any()
        return
    line = line.replace("plain", "long")  # refused by what knows no scores, unless they reach one
    told = refused(line, capsys)
    assert "long.tsv: the labels have scores" in told
    assert "--min-score" in told
    assert printed(f"{line} --min-score 0.01 -q", capsys)


@pytest.mark.parametrize(
    "file", ["long.tsv", "named.csv", "named.jsonl", "scores.jsonl", "matrix.npz", "table.parquet"]
)
def test_scores_are_read_from_every_format(file, folder, capsys):
    hierarchy, truth, said = written(DAG_EDGES, 5)
    if file.endswith("parquet"):
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        rows = [{"id": i, "class": c, "conf": s} for i, of in said.items() for c, s in of.items()]
        pq.write_table(pa.Table.from_pylist(rows), file)
    named = file.startswith(("named", "table"))
    line = f"score tree.tsv truth.{'csv' if named else 'tsv'} s={file} --preset cafaeval"
    line += " --score-column conf --label-column class" if named else ""
    wanted = score_like("cafaeval", hierarchy, truth, {"s": said})
    assert values_of(line, capsys) == wanted.values.ravel().tolist()


@pytest.mark.parametrize("verb", ["score --preset cafaeval", "curve"])
def test_what_has_no_scores_and_what_was_left_out_is_said(verb, folder, capsys):
    written(EDGES, 0)
    Path("pairs.tsv").write_text("id\tlabel\np0\ta\n")
    Path("plain.csv").write_text("id,labels\np0,a|c\n")
    rows = Path("long.tsv").read_text().splitlines(keepends=True)
    Path("odd.tsv").write_text("p1\tzebra\t0.5\n" + "".join(r for r in rows if "p0\t" not in r))
    line = f"{verb} tree.tsv truth.tsv --missing empty"
    for file in ("plain.tsv", "pairs.tsv", "plain.csv"):
        err = refused(f"{line} {file}", capsys)
        assert all(word in err for word in (file, "no scores", "--score-column"))
    assert "zebra" in refused(f"{line} odd.tsv", capsys)
    assert main(f"{line} odd.tsv --unknown drop".split()) == 0
    err = capsys.readouterr().err
    assert "odd.tsv: 1 label outside the hierarchy, dropped" in err
    assert ("odd: 1 instance without scores" in err) == (verb == "curve")


@pytest.mark.parametrize(("preset", "row"), [("hemkit", "x\ta\n"), ("clus", "x\ta\t0.9\n")])
def test_doubts_of_the_hierarchy_stay_with_the_numbers(preset, row, folder, capsys):
    Path("t.tsv").write_text("b\ta\nd\tc\nc\tr\na\tr\n")  # upside down: child TAB parent
    Path("y.tsv").write_text("x\ta\n")
    Path("p.tsv").write_text(row)
    tree = Hierarchy.from_edges([tuple(e) for e in ("ba", "dc", "cr", "ar")], roots="any")
    line = f"score t.tsv y.tsv p.tsv --preset {preset} --roots any"
    assert {row["doubts"] for row in rows_of(line, capsys)} == {"; ".join(tree.doubts)} != {""}


@pytest.mark.parametrize(
    ("bad", "words"), [(1.5, r"\[0, 1\]"), (-0.1, r"\[0, 1\]"), (np.nan, "finite"), ("x", "finite")]
)
def test_bad_scores_are_named(bad, words, folder):
    message = f"s: instance 'x', class 'c': a score must be.*{words}"
    with pytest.raises(BadInput, match=message):
        score_like("cafaeval", TREE, {"x": ["c"]}, {"s": {"x": {"c": bad}}})
    row = json.dumps({"id": "x", "scores": {"c": bad}})
    Path("s.jsonl").write_text(f'{{"id": "w", "scores": {{}}}}\n{row}\n')
    Path("s.tsv").write_text(f"w\ta\t0.5\nx\tc\t{bad}\ny\tc\t1\n")
    what = "(, instance 'x'|.* class 'c')?.*(a score must be|NaN is not a JSON number)"
    for file in ("s.jsonl", "s.tsv"):
        with pytest.raises(BadInput, match=f"{file}:2{what}"):
            read_scored_labels(file, TREE)


def test_of_several_scores_the_highest_counts(folder):
    Path("s.tsv").write_text("x\ta\t0.2\nx\ta\t0.9\nx\ta\t0.4\nx\tb\t0.1\n")
    found = read_scored_labels("s.tsv", TREE)
    assert found.dense()[0, TREE.index(["r", "a", "b"])].tolist() == [0.0, 0.9, 0.1]
    with pytest.raises(BadInput, match="labels without scores"):
        scores_of_labels({"x": {"a": 0.5}, "y": ["a"]}, TREE)
    other = NodeScores.from_array([[0.5]], Hierarchy.from_edges([("q", "z")]), classes="z")
    with pytest.raises(BadInput, match="another hierarchy"):
        scores_of_labels(other, TREE)


# ---------------------------------------------------------------------------------- curves


def test_the_curve_on_the_command_line(folder, capsys):
    hierarchy, truth, said = written(DAG_EDGES, 7)
    curve = pooled_curve(truth, scores_of_labels(said, hierarchy), average="micro", root="include")
    line = "curve tree.tsv truth.tsv s=long.tsv --average micro --root include"
    rows = rows_of(line, capsys)
    columns = {"threshold": curve.threshold, "precision": curve.precision, "recall": curve.recall,
               "f": curve.f()}  # fmt: skip
    for column, wanted in columns.items():
        assert [float(r[column]) for r in rows] == wanted.tolist()
    text = printed(f"{line} -q --digits 3", capsys)
    assert f"{curve.fmax():.3f}" in text.splitlines()[1]


def test_steps_and_pictures_of_curves(folder, capsys):
    written(EDGES, 2)
    Path("one.tsv").write_text("1\tg\n")
    Path("s.tsv").write_text("1\tg\t0.3\n")
    rows = rows_of("curve tree.tsv one.tsv s.tsv --step 0.1", capsys)
    reached = [float(r["threshold"]) for r in rows if float(r["recall"]) == 1]
    assert reached == [0.3, 0.2, 0.1]  # three times 0.1 is above 0.3
    assert [float(r["threshold"]) for r in rows] == [k / 10 for k in range(9, 0, -1)]  # below 1
    pytest.importorskip("matplotlib")
    line = "curve tree.tsv truth.tsv one=long.tsv two=scores.jsonl"
    assert main(f"{line} --picture curve.svg".split()) == 0
    assert "drew the curves in curve.svg" in capsys.readouterr().err
    assert "<svg " in Path("curve.svg").read_text("utf-8")
    for option, words in {
        "--picture long.tsv": "must end in", "--beta -1": "beta must be", "--root zebra": "zebra",
        "--step 1": "--step must be a number below 1",
        "--step 1e-9": "--step must be a number below 1 with at most 6 decimals",
    }.items():  # fmt: skip
        assert words in refused(f"{line} {option}", capsys)


# ----------------------------------------------------------------- tables in every other form

TRUTH = {"x": "c", "y": "d", "z": "c"}
SMALL = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
LAW = LabelDistribution.from_leaves(
    [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0, 1]], SMALL, classes="cde", ids="xyz"
)
TABLE = LAW.marginals().dense()
NAMED = {
    i: dict(zip(SMALL.names, row, strict=True))
    for i, row in zip("xyz", TABLE.tolist(), strict=True)
}
FORMS = {
    "scores": LAW.marginals(), "names": NAMED, "turned": dict(reversed(NAMED.items())),
    "levels": [TABLE[:, 1:3], TABLE[:, 3:]],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_scores(form):
    given = FORMS[form]
    for table in (class_areas, level_scores):
        assert table(TRUTH, given, SMALL).to_json() == table(TRUTH, LAW, SMALL).to_json()
    found = reliability(TRUTH, given, SMALL, bins=4)
    assert found.error() == pytest.approx(level_scores(TRUTH, LAW, SMALL, bins=4).ece)


def test_tables_hold_what_the_measures_say():
    def value(name):
        return score(SMALL, TRUTH, {"s": LAW}, [name]).values[0, 0]

    for how in ("step", "clus"):
        areas = class_areas(TRUTH, LAW, SMALL, interpolation=how)
        for name in ("micro_auprc", "macro_auprc", "weighted_auprc"):
            assert value(f"{name}(interpolation={how})") == getattr(areas, name)()
        for name in ("macro_auroc", "micro_auroc"):
            assert value(name) == getattr(areas, name)()
    levels = level_scores(TRUTH, LAW, SMALL, bins=5, clip=0.01)
    names = {"brier": "brier(", "log_loss": "level_log_loss(clip=0.01, "}
    for name in ("brier", "log_loss", "ece", "sce", "ace"):
        for how in ("mean", "sum"):
            called = names.get(name, f"{name}(bins=5, ")
            assert value(f"{called}over_levels={how})") == levels.over_levels(name, how)


def test_predictions_are_matched_by_id_and_levels_have_any_order():
    said = {"z": "c", "y": "c", "x": "c"}
    found = level_scores(TRUTH, LAW, SMALL, y_pred=said, preset="hiclass")
    turned = level_scores(TRUTH, FORMS["turned"], SMALL, y_pred=dict(TRUTH), preset="hiclass")
    assert found.ece.tolist() != turned.ece.tolist()
    again = level_scores(TRUTH, LAW, SMALL, y_pred=list("ccc"), preset="hiclass")
    assert again.records.to_dicts()[0]["brier"] == found.brier[0]
    named = NodeScores.from_levels([[[0.5, 0.25]]], SMALL, classes=[["e", "c"]], ids=["x"])
    assert named.dense()[0].tolist() == [1, 0, 0, 0.25, 0, 0.5]


def test_measures_of_scores_on_the_command_line(folder, capsys):
    for name, text in (("tree", "r\ta\nr\tb\n"), ("truth", "x\ta\ny\tb\n"), ("nobody", "x\tr\ny\tr\n"),
                       ("scores", "x\ta\t0.75\nx\tb\t0.5\ny\tb\t0.25\n")):  # fmt: skip
        Path(f"{name}.tsv").write_text(text)
    line = "score tree.tsv truth.tsv scores.tsv"
    assert "0.833" in printed(f"{line} -m micro_auprc --format csv", capsys)
    assert "Average AUPRC (weighted)" in printed(f"{line} --preset clus", capsys)
    told = refused("score tree.tsv nobody.tsv scores.tsv -m macro_auprc", capsys)
    assert "no instance has a true class that counts" in told
