"""Checks before scoring: each fault and doubt is found where it stands, all at once, and sound files pass."""

import json
import re
from collections import Counter

import pytest

from hierpair.checks import lint
from hierpair.cli import main

TREE = "r\tcat\nr\tdog\ncat\tlion\n"


@pytest.fixture
def check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(tree, *labels):
        names = ["tree.tsv", "true.tsv", "pred.tsv"]
        for name, text in zip(names, [tree, *labels], strict=False):
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        truth = names[1] if labels else None
        return lint(names[0], truth, {"pred": names[2]} if len(labels) > 1 else {})

    return run


def found(report, level):
    return [(f.rule, f.place, f.message) for f in report.findings if f.level == level]


@pytest.mark.parametrize("tree", ["r\ta\nr\tc\ns\tb\ns\td\n", "r\ta\nr\tc\ns\tb\n"])
def test_doubts_of_hierarchies(check, tree):
    """Faults are those that reading refuses; tests of files of hierarchies have them all."""
    report = check(tree)
    [(rule, place, said)] = found(report, "warning")
    assert (rule, place) == ("several roots", "tree.tsv")
    assert "2 roots (r, s): classes under" in said
    assert report.count("error") == 0


@pytest.mark.parametrize(("true", "pred", "level", "rule", "message"), [
    ("1\tlino\n2\tlino\n", None, "error", "unknown label",
     "instance '1': class 'lino' is not in the hierarchy; did you mean 'lion'? "
     "(to go on without it: unknown='drop' or 'root') (2 times in all)"),
    ("1\tcat||dog\n", None, "error", "blank label", "instance '1': a label is missing"),
    ("1\tcat\n2\tcat\n1\tdog\n", None, "error", "duplicate id", "'1' already occurs at true.tsv:1"),
    ("1\tcat\tx\ty\n2\tcat\n", None, "error", "format", "expected id TAB label|label, got 4 fields"),
    ("1\tdog|r|lion|cat\n", None, "warning", "nested labels", "1 instance has a label that"),
    ("1\tcat\n2\tdog\n", "1\tcat\n", "error", "instances", "pred: 1 instance has no prediction, such as '2'"),
    ("1\tcat\n", "1\tcat\n3\tcat\n", "error", "instances", "pred: 1 instance has no truth, such as '3'"),
    ("cat\ndog\n", "cat\n", "error", "instances", "y_true has 2 instances and pred has 1"),
])  # fmt: skip
def test_faults_and_doubts_of_labels(check, true, pred, level, rule, message):
    report = check(TREE, true, *([] if pred is None else [pred]))
    [(seen, _, text)] = found(report, level)
    assert seen == rule
    assert message in text
    assert report.count("error" if level == "warning" else "warning") == 0


def test_all_faults_are_found_at_once(check):
    report = check("r\ta\nr\ta\na\ta\nb\n\tx\na\tc\nc\tr\n", "1\tc\n1\ta|zz\n2\tq||a\n")
    assert [(r, p) for r, p, _ in found(report, "error")] == [
        ("format", "tree.tsv"), ("blank name", "tree.tsv:5"), ("self-loop", "tree.tsv:3"),
        ("duplicate edge", "tree.tsv:2"), ("cycle", "tree.tsv:7"), ("blank label", "true.tsv:3"),
        ("unknown label", "true.tsv:2"), ("unknown label", "true.tsv:3"), ("duplicate id", "true.tsv:2"),
    ]  # fmt: skip


def test_many_findings_are_counted_and_named_in_the_order_of_the_file(check):
    report = check(TREE, "".join(f"{i}\tx{30 - i}\n" for i in range(25)))
    assert report.count("error") == 25
    *told, last = [text for _, _, text in found(report, "error")]
    assert last == "and 15 more of these"
    assert [f"'x{30 - i}'" in text for i, text in enumerate(told)] == [True] * 10
    rows = [f"d{i % 400}\t{'cat|cat|zz' if i < 400 else '|dog'}\n" for i in range(500)]
    report = check(TREE, "id\tlabels\n" + "".join(rows))
    times = Counter()
    for f in report.findings:
        times[f.rule] += f.times * (f.level != "note")
    assert +times == {"duplicate id": 100, "blank label": 100, "unknown label": 1}
    first = {rule: (place, text) for rule, place, text in reversed(found(report, "error"))}
    place, text = first["unknown label"]
    assert (place, first["blank label"][0]) == ("true.tsv:2", "true.tsv:402")
    assert re.search(r"instance 'd0': class 'zz' is not .*\(400 times in all\)", text)
    notes = {rule: text for rule, _, text in found(report, "note")}
    assert notes["labels"].startswith("500 instances with 1.00 labels")
    assert notes["shape"] == "tree of 4 classes and 3 edges, root 'r', 2 levels below"
    few = {rule: text for rule, _, text in found(check(TREE, "1\tcat|dog\n2\t\n"), "note")}
    assert few["labels"].startswith("2 instances with 1.00 labels on average, at most 2, 1 ")


def test_a_blank_name_among_the_declared_classes_is_found(tmp_path):
    path = tmp_path / "h.json"
    path.write_text('{"edges": [["r", "a"]], "classes": ["", "a", "z"]}')
    said = "a class name is missing (got '')"
    assert found(lint(path), "error") == [("blank name", "classes", said)]


def test_the_command(tmp_path, monkeypatch, capsys):
    def ran(line, code):
        assert main(["check", *line.split()]) == code
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    (tmp_path / "days").mkdir()  # every file of a folder is checked for itself
    files = {"tree.tsv": TREE, "true.tsv": "1\tcat|lion\n", "round.tsv": f"{TREE}lion\tcat\n"}
    files |= {
        f"days/{x}.csv": f"id,truth,one\n{x}1,dog,{y}\n" for x, y in (("a", "cat"), ("b", "lino"))
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    out = ran("tree.tsv true.tsv", 0)
    assert out.startswith("tree.tsv: sound\ntrue.tsv: 1 warning\n\nlevel ")
    assert "note   shape" in out
    assert "note" not in ran("tree.tsv true.tsv -q", 0)
    ran("tree.tsv true.tsv --strict", 1)
    out = ran("tree.tsv days", 1)
    assert out.startswith("tree.tsv: sound\ndays/a.csv: sound\ndays/b.csv: 1 error\n")
    assert "instance 'b1': class 'lino' is not in the hierarchy; did you mean 'lion'?" in out
    [cycle] = [r for r in json.loads(ran("round.tsv --format json", 1)) if r["rule"] == "cycle"]
    assert cycle["place"] == "round.tsv:4"
    out = ran("round.tsv --break-cycles depth-first", 0)
    assert "'lion' → 'cat' closes a cycle and is left out" in out


def test_all_names_that_did_not_match_with_the_nearest_ones(tmp_path, monkeypatch, capsys):
    """More than the findings tell, of both sides; of many classes those that begin alike."""
    monkeypatch.chdir(tmp_path)
    edges = [("r", f"{x}{y} word") for x in "abcdefgh" for y in range(1000)]
    edges += [("r", "Corvus corax"), ("r", "Corvus corone"), ("r", "two"), ("r", "TWO")]
    (tmp_path / "tree.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in edges))
    strange = [f"zz {k}" for k in range(30)]
    rows = [["Corvus corrax"], ["corvus corax", "Corvus corrax"], *([x] for x in strange)]
    text = "".join(f"i{k}\t{'|'.join(row)}\n" for k, row in enumerate(rows))
    (tmp_path / "run.tsv").write_text(text)
    (tmp_path / "truth.tsv").write_text("".join(f"i{k}\tCorvus corax\n" for k in range(len(rows))))
    found = lint("tree.tsv", "truth.tsv", {"run": "run.tsv"}).names().labels
    assert [(x.name, x.times, x.place) for x in found] == [
        ("Corvus corrax", 2, "run.tsv:1"), ("corvus corax", 1, "run.tsv:2"),
        *((x, 1, f"run.tsv:{k}") for k, x in enumerate(strange, start=3)),
    ]  # fmt: skip
    assert [x.nearest for x in found[:3]] == [
        ("Corvus corax", "Corvus corone"), ("Corvus corax",), ()
    ]  # fmt: skip
    assert main(["check", "tree.tsv", "truth.tsv", "run.tsv", "--names", "--format", "csv"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "file,name,times,place,nearest",
        "run.tsv,Corvus corrax,2,run.tsv:1,Corvus corax; Corvus corone",
    ]
    assert len(lines) == 33
