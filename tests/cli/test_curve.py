"""``hierpair curve`` with weights, norms and namespaces, from an ontology, scores and weights."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from hierpair import Hierarchy, read_hierarchy, read_labels
from hierpair.cli import main
from hierpair.io.class_tables import class_weights
from hierpair.labels.annotation_counts import information_accretion
from hierpair.metrics.presets import cafaeval_table
from hierpair.probabilistic import answers, level_thresholds, selective_curve
from hierpair.probabilistic.curves import pooled_curves
from hierpair.probabilistic.probability_files import read_scored_labels

OBO = """format-version: 1.2

[Term]
id: F:0
namespace: F
alt_id: F:00

[Term]
id: F:1
namespace: F
is_a: F:0

[Term]
id: F:2
namespace: F
is_a: F:0

[Term]
id: F:3
namespace: F
is_a: F:1
relationship: part_of F:2
relationship: part_of P:1

[Term]
id: P:0
namespace: P

[Term]
id: P:1
namespace: P
is_a: P:0
"""
TRUTH = "x\tF:3\nx\tP:1\ny\tF:2\n"
SCORES = "x\tF:1\t0.9\nx\tF:3\t0.4\nx\tP:1\t0.35\ny\tF:2\t0.7\ny\tF:1\t0.8\n"
WEIGHTS = "F:0\t0\nF:1\t0.5\nF:2\t1.5\nF:3\t2\nP:0\t0\nP:1\t1\n"
FILES = ["curve", "o.obo", "truth.tsv", "s.tsv", "--relations", "is_a,part_of", "-q"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("o.obo", OBO),
        ("truth.tsv", TRUTH),
        ("s.tsv", SCORES),
        ("ia.tsv", WEIGHTS),
    ):
        Path(name).write_text(text)
    return tmp_path


def printed(args, capsys, code=0):
    assert main([*FILES, *args]) == code
    got = capsys.readouterr()
    return got.err if code else got.out


def test_namespaces_with_weights(folder, capsys):
    data = json.loads(
        printed(["--by", "namespace", "--weights", "ia.tsv", "--format", "json"], capsys)
    )
    hierarchy = read_hierarchy("o.obo", relations=("is_a", "part_of"))
    truth = read_labels("truth.tsv", hierarchy)
    scores = read_scored_labels("s.tsv", hierarchy)
    by = {name: name[0] for name in hierarchy.names}
    plain = pooled_curves(truth, scores, by)
    heavy = pooled_curves(truth, scores, by, weights=class_weights("ia.tsv", hierarchy))
    assert [row["namespace"] for row in data["curves"]] == list(plain) == ["F", "P"]
    for row in data["curves"]:
        one, other = plain[row["namespace"]], heavy[row["namespace"]]
        assert row["fmax"] == one.fmax()
        assert row["threshold"] == one.threshold[one.best()]
        assert row["wfmax"] == other.fmax()
        assert row["smin"] == other.smin()
        assert row["coverage"] == one.coverage[one.best()]
    kinds = {(p["namespace"], p["weights"]) for p in data["points"]}
    assert kinds == {(space, how) for space in "FP" for how in ("ones", "given")}
    assert len(data["points"]) == sum(map(len, [*plain.values(), *heavy.values()]))
    text = printed(["--by", "namespace", "--weights", "ia.tsv"], capsys)
    assert text.startswith("system  namespace  Fmax ↑  threshold  precision  recall  coverage")
    assert "wFmax ↑" in text
    assert "2 instances in F, 1 instance in P with true classes" in text
    assert "weights=ia.tsv" in text
    assert "by=namespace" in text


def test_the_table_of_the_tool_at_its_grid(folder, capsys):
    how = ["--by", "namespace", "--weights", "ia.tsv", "--step", "0.25", "--root", "include",
           "--zero-weight", "count", "--norm", "gt", "--prop", "fill", "--format", "csv"]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(printed(how, capsys))))
    hierarchy = read_hierarchy("o.obo", relations=("is_a", "part_of"))
    said: dict = {}
    for line in SCORES.splitlines():
        i, c, s = line.split("\t")
        said.setdefault(i, {})[c] = float(s)
    truth = {"x": ["F:3", "P:1"], "y": ["F:2"]}
    weights = {c: float(w) for c, w in (line.split("\t") for line in WEIGHTS.splitlines())}
    table = cafaeval_table(
        hierarchy, truth, said, weights=weights, th_step=0.25, norm="gt", prop="fill",
        by={name: name[0] for name in hierarchy.names},
    )  # fmt: skip
    at = {(r["namespace"], float(r["threshold"]), r["weights"]): r for r in rows}
    for row in table.rows:
        for mark, kind in (("", "ones"), ("_w", "given")):
            mine = at[row["namespace"], row["tau"], kind]
            for name, column in (("pr", "precision"), ("rc", "recall"), ("f", "f"), ("s", "s")):
                assert float(mine[column] or 0) == pytest.approx(row[name + mark], abs=1e-12)


@pytest.mark.parametrize("verb", ["curve", "score"])
def test_the_numbers_of_the_tool_by_namespace(folder, capsys, verb):
    how = ["--preset", "cafaeval", "--by", "namespace", "--weights", "ia.tsv", "--format", "csv"]
    assert main([verb, *FILES[1:], *how]) == 0
    rows = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert [(row["system"], row["namespace"]) for row in rows] == [("s", "F"), ("s", "P")]
    hierarchy = read_hierarchy("o.obo", relations=("is_a", "part_of"))
    best = cafaeval_table(
        hierarchy, {"x": ["F:3", "P:1"], "y": ["F:2"]},
        {"x": {"F:1": 0.9, "F:3": 0.4, "P:1": 0.35}, "y": {"F:2": 0.7, "F:1": 0.8}},
        weights={"F:1": 0.5, "F:2": 1.5, "F:3": 2, "P:1": 1},
        by={name: name[0] for name in hierarchy.names},
    ).best  # fmt: skip
    for at, row in enumerate(rows):
        for criterion in ("f", "f_w", "s"):
            assert float(row[criterion]) == best[criterion][at][criterion]
            assert float(row[f"{criterion}_tau"]) == best[criterion][at]["tau"]
    assert len({row["f"] for row in rows} | {row["f_w"] for row in rows}) > 2


def test_classes_and_namespaces_from_files(folder, capsys):
    Path("by.tsv").write_text("".join(f"{c}\t{c[0].lower()}\n" for c in
                                      ("F:0", "F:1", "F:2", "F:3", "P:0", "P:1")))  # fmt: skip
    Path("some.txt").write_text("F:00\nF:1\n\nF:2\n")
    data = json.loads(
        printed(["--by", "by.tsv", "--classes", "some.txt", "--format", "json"], capsys)
    )
    assert [row["namespace"] for row in data["curves"]] == ["f"]
    assert "classes=some.txt" in data["signature"]
    counted = json.loads(printed(["--weights", "ic", "--format", "json"], capsys))
    assert np.isfinite(counted["curves"][0]["wfmax"])


def test_what_is_unknown_is_dropped_on_request(folder, capsys):
    Path("s.tsv").write_text(SCORES + "z\tF:1\t0.9\nx\tX:9\t0.9\n")
    assert "X:9" in printed([], capsys, 2)
    Path("s.tsv").write_text(SCORES + "z\tF:1\t0.9\n")
    assert "no truth" in printed([], capsys, 2)
    kept = printed(["--unknown", "drop", "--format", "csv"], capsys)
    Path("s.tsv").write_text(SCORES)
    assert kept == printed(["--format", "csv"], capsys)
    Path("few.tsv").write_text("x\tF:1\t0.9\nz\tF:1\t0.9\nw\tF:1\t0.8\n")
    allowing = [*FILES[:3], "few.tsv", *FILES[4:-1], "--unknown", "drop", "--missing", "empty"]
    assert main(allowing) == 0
    said = capsys.readouterr().err
    assert "scored on" in said


def test_weights_are_counted_in_every_namespace_apart(folder, capsys):
    Path("truth.tsv").write_text("x\tF:3\ny\tF:2\nz\tF:3\nw\tP:1\nw\tF:1\n")
    Path("s.tsv").write_text("x\tF:1\t0.9\nx\tF:3\t0.4\ny\tF:2\t0.7\nw\tP:1\t0.5\nz\tF:1\t1\n")
    counting = ["weights", *FILES[1:3], *FILES[4:], "--by", "namespace", "-o", "by.tsv"]
    assert main(counting) == 0
    how = ["--by", "namespace", "--format", "json", "--weights"]
    read, found = (json.loads(printed([*how, of], capsys)) for of in ("by.tsv", "ia"))
    assert found["curves"] == read["curves"]
    assert found["points"] == read["points"]
    hierarchy = read_hierarchy("o.obo", relations=("is_a", "part_of"))
    alone = read_hierarchy("o.obo", relations=("is_a", "part_of"), namespace="F")
    truth = read_labels("truth.tsv", alone, unknown="drop")
    want = dict(zip(alone.names, information_accretion(alone, truth).tolist(), strict=True))
    got = dict(zip(hierarchy.names, class_weights("by.tsv", hierarchy).tolist(), strict=True))
    assert want == {name: x for name, x in got.items() if name in want}
    assert "cannot be counted in namespaces apart" in printed([*how, "icm"], capsys, 2)


def test_who_says_nothing_in_a_namespace_has_no_f_there(folder, capsys):
    pytest.importorskip("matplotlib")
    Path("few.tsv").write_text("x\tF:3\t0.4\ny\tF:2\t0.7\n")
    files = [*FILES[:-1], "few.tsv", "--by", "namespace", "--format", "json"]
    assert main([*files, "--picture", "c.svg"]) == 0
    out, _ = capsys.readouterr()
    assert Path("c.svg").exists()
    rows = {(row["system"], row["namespace"]): row for row in json.loads(out)["curves"]}
    nothing = rows["few", "P"]
    assert (nothing["fmax"], nothing["recall"], nothing["coverage"], nothing["area"]) == (
        0,
        0,
        0,
        0,
    )
    assert nothing["smin"] == nothing["ru"] == 1
    alone = printed(["--by", "namespace", "--format", "json"], capsys)
    assert [r for key, r in rows.items() if key[0] == "s"] == json.loads(alone)["curves"]
    Path("s.tsv").write_text("x\tF:3\t0\ny\tF:2\t0\n")
    assert "no curve to draw" in printed(["--picture", "d.svg"], capsys, 2)
    assert not Path("d.svg").exists()
    Path("truth.tsv").write_text("x\tF:0\ny\tF:0\n")
    assert "no instance has a true class that counts" in printed(["--root", "F:0"], capsys, 2)


@pytest.mark.parametrize(('args', 'words'), [
    (['--weights', 'nosuch.tsv'], 'nosuch.tsv'), (['--by', 'nosuch.tsv'], 'nosuch.tsv'),
    (['--classes', 'nosuch.txt'], 'nosuch.txt'),
    (['--classes', 'odd.txt'], "odd.txt:2: class 'F:99' is not in the hierarchy"),
    (['--classes', 'empty.txt'], 'classes: none of them counts'),
    (['--norm', 'cafe'], 'must be one of'), (['--weights', 'negative.tsv'], 'negative'),
    (['--weights', 'endless.tsv'], "'F:3' is in use and has the weight inf"),
    (['--step', '2'], '--step: must be a number such as 0.01'),
])  # fmt: skip
def test_one_error_that_names_what_is_wrong(folder, capsys, args, words):
    Path("odd.txt").write_text("F:1\nF:99\n")
    Path("empty.txt").write_text("\n")
    Path("negative.tsv").write_text(WEIGHTS.replace("0.5", "-0.5"))
    Path("endless.tsv").write_text(WEIGHTS.replace("F:3\t2", "F:3\tinf"))
    said = printed(args, capsys, 2)
    assert words in said
    assert said.count("\n") == 1


def test_namespaces_are_those_of_an_ontology(folder, capsys):
    Path("tree.tsv").write_text("F:0\tF:1\nF:0\tF:2\nF:1\tF:3\nP:0\tP:1\nP:0\tP:2\n")
    files = ["curve", "tree.tsv", *FILES[2:4], "-q"]
    assert main([*files, "--by", "namespace"]) == 2
    assert "namespaces are read from an OBO file" in capsys.readouterr().err
    Path("o.obo").write_text(OBO.replace("id: F:1\nnamespace: F\n", "id: F:1\n"))
    assert "o.obo:9: the term 'F:1' has no namespace" in printed(["--by", "namespace"], capsys, 2)


def test_risk_over_coverage_and_thresholds_for_others(tmp_path, capsys):
    """What the functions say, of files; and the thresholds are read again as they are shown."""
    rng = np.random.default_rng(3)
    edges = [("r", a) for a in "abc"] + [(a, f"{a}{i}") for a in "abc" for i in range(3)]
    tree = Hierarchy.from_edges(edges)
    leaves = [c for c in tree.names if len(c) == 2]
    p, truth = rng.dirichlet(np.full(9, 0.3), 40), rng.choice(leaves, 40).tolist()
    files = [str(tmp_path / name) for name in ("tree.tsv", "truth.tsv", "p.tsv")]
    Path(files[0]).write_text("".join(f"{a}\t{b}\n" for a, b in edges))
    Path(files[1]).write_text("".join(f"{i}\t{c}\n" for i, c in enumerate(truth)))
    rows = [f"{i}\t{c}\t{x!r}\n" for i, of in enumerate(p.tolist())
            for c, x in zip(leaves, of, strict=True)]  # fmt: skip
    Path(files[2]).write_text("".join(rows))
    curves = {
        rule: selective_curve(truth, p, rule, hierarchy=tree)
        for rule in ("climb", "leaf_or_root", "largest_coverage")
    }

    def told(verb, *words):
        assert main([verb, *words, "-q"]) == 0
        return capsys.readouterr().out

    for rule, curve in curves.items():
        found = json.loads(
            told("curve", *files, "--rule", rule, "--risk", "0.5", "--format", "json")
        )
        row = {name: x for name, x in found["curves"][0].items() if name != "by level"}
        gain = curve.gain(curves["leaf_or_root"])
        assert row == {"system": "p", **curve.summary(0.5), "gain": gain}
        assert len(found["points"]) == len(curve)
    drawn = ["--picture", str(tmp_path / "risk.svg")]
    out = told("curve", *files, "--rule", "climb", "--risk", "0.5", *drawn)
    assert "svg" in Path(drawn[1]).read_text()
    by_level = re.search(r"0=\S+,1=\S+,2=\S+", out)[0]
    out = told("decode", files[0], files[2], "--rule", "climb", "--threshold", by_level)
    sets = answers(p, "climb", level_thresholds(truth, p, 0.5, hierarchy=tree), hierarchy=tree)
    chosen = [f"{i}\t{'|'.join(sets.names_of(i, tree))}" for i in range(40)]
    assert out.splitlines()[1:] == chosen
    assert chosen != [f"{i}\t{c}" for i, c in enumerate(np.array(leaves)[p.argmax(1)])]
    assert main(["curve", *files, "--rule", "climb", "--ignore", files[1]]) == 2
    assert "--rule cannot be given with --ignore" in capsys.readouterr().err
