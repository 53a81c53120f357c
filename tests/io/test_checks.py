"""Checks before scoring: each fault and doubt is found where it stands, all at once, and sound files pass."""

import json
import re
from collections import Counter

import pytest

from hierpair.checks import lint

TREE = "r\tcat\nr\tdog\ncat\tlion\n"


@pytest.fixture
def check(write):
    def run(tree, *labels):
        for name, text in zip(("tree.tsv", "true.tsv", "pred.tsv"), [tree, *labels], strict=False):
            write(text, name)
        systems = {"pred": "pred.tsv"} if labels[1:] else {}
        return lint("tree.tsv", "true.tsv" if labels else None, systems)

    return run


def found(report, level):
    return [(f.rule, f.place, f.message) for f in report.findings if f.level == level]


@pytest.mark.parametrize(("texts", "level", "rule", "message"), [
    *(([tree], "warning", "several roots", "2 roots (r, s): classes under")
      for tree in ("r\ta\nr\tc\ns\tb\ns\td\n", "r\ta\nr\tc\ns\tb\n")),
    ([TREE, "1\tlino\n2\tlino\n"], "error", "unknown label",
     "instance '1': class 'lino' is not in the hierarchy; did you mean 'lion'? "
     "(to go on without it: unknown='drop' or 'root') (2 times in all)"),
    ([TREE, "1\tcat||dog\n"], "error", "blank label", "instance '1': a label is missing"),
    ([TREE, "1\tcat\n2\tcat\n1\tdog\n"], "error", "duplicate id", "'1' already occurs at true.tsv:1"),
    ([TREE, "1\tcat\tx\ty\n2\tcat\n"], "error", "format", "expected id TAB label|label, got 4 fields"),
    ([TREE, "1\tdog|r|lion|cat\n"], "warning", "nested labels", "1 instance has a label that"),
    ([TREE, "1\tcat\n2\tdog\n", "1\tcat\n"], "error", "instances", "pred: 1 instance has no prediction, such as '2'"),
    ([TREE, "1\tcat\n", "1\tcat\n3\tcat\n"], "error", "instances", "pred: 1 instance has no truth, such as '3'"),
    ([TREE, "cat\ndog\n", "cat\n"], "error", "instances", "y_true has 2 instances and pred has 1"),
])  # fmt: skip
def test_faults_and_doubts(check, texts, level, rule, message):
    """Of hierarchies the faults are those that reading refuses; tests of their files have them all."""
    report = check(*texts)
    [(seen, place, text)] = found(report, level)
    assert (seen, rule == "several roots") == (rule, place == "tree.tsv")
    assert message in text
    assert report.count("error" if level == "warning" else "warning") == 0


def test_all_faults_are_found_at_once(check):
    report = check("r\ta\nr\ta\na\ta\nb\n\tx\na\tc\nc\tr\n", "1\tc\n1\ta|zz\n2\tq||a\n")
    assert [(r, p) for r, p, _ in found(report, "error")] == [
        ("format", "tree.tsv:4"), ("blank name", "tree.tsv:5"), ("self-loop", "tree.tsv:3"),
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
    report = check('{"edges": [["r", "a"]], "classes": ["", "a", "z"]}')
    assert found(report, "error") == [("blank name", "classes", "a class name is missing (got '')")]
    report = check(TREE, '{"id": 1, "labels": ["cat"]}\n{"id":\n{"id": 2, "labels": []}\n[]\n')
    assert [place for _, place, _ in found(report, "error")] == ["true.tsv:2", "true.tsv:4"]
    report = check('{"edges": [["r", "a"], ["r", "a"]], "classes": ["r", "a"]}')
    assert [x[:2] for x in found(report, "error")] == [("duplicate edge", "tree.tsv: edge 2")]


def test_the_command(write, tmp_path, ran):
    (tmp_path / "days").mkdir()  # every file of a folder is checked for itself
    for name, text in (("tree", TREE), ("true", "1\tcat|lion\n"), ("round", f"{TREE}lion\tcat\n")):
        write(text, f"{name}.tsv")
    for x, y in (("a", "cat"), ("b", "lino")):
        write(f"id,truth,one\n{x}1,dog,{y}\n", f"days/{x}.csv")
    out = ran("check tree.tsv true.tsv").out
    assert out.startswith("tree.tsv: sound\ntrue.tsv: 1 warning\n\nlevel ")
    assert out.index("\nwarning  nested labels") < out.index("\nnote   shape")  # as its help says
    assert "note" not in ran("check tree.tsv true.tsv -q").out
    ran("check tree.tsv true.tsv --strict", 1)
    out = ran("check tree.tsv days", 1).out
    assert out.startswith("tree.tsv: sound\ndays/a.csv: sound\ndays/b.csv: 1 error\n")
    assert "instance 'b1': class 'lino' is not in the hierarchy; did you mean 'lion'?" in out
    write("id,truth,one\na1,dog,cat\na2,cat,cat\n", "days/b.csv")  # an instance of two parts
    for more, code in (("", 1), (" --rows label", 0)):
        out = ran(f"check tree.tsv days --truth-column truth --system-columns one{more}", code).out
        assert out.count("instance 'a1' already occurs in days/a.csv") == 2 * code
    found = json.loads(ran("check round.tsv --format json", 1).out)
    assert [x["place"] for x in found if x["rule"] == "cycle"] == ["round.tsv:4"]
    out = ran("check round.tsv --break-cycles depth-first").out
    assert "'lion' → 'cat' closes a cycle and is left out" in out


def test_all_names_that_did_not_match_with_the_nearest_ones(check, ran):
    """More than the findings tell, of both sides; of many classes those that begin alike."""
    classes = [f"{x}{y} word" for x in "abcdefgh" for y in range(1000)]
    classes += ["Corvus corax", "Corvus corone", "two", "TWO"]
    strange = [f"zz {k}" for k in range(30)]
    rows = ["Corvus corrax", "corvus corax|Corvus corrax", *strange]
    tree = "".join(f"r\t{name}\n" for name in classes)
    sides = ["".join(f"i{k}\t{x}\n" for k, x in enumerate(side)) for side in (["two"] * 32, rows)]
    found = check(tree, *sides).names().labels
    assert [(x.name, x.times, x.place) for x in found] == [
        ("Corvus corrax", 2, "pred.tsv:1"), ("corvus corax", 1, "pred.tsv:2"),
        *((x, 1, f"pred.tsv:{k}") for k, x in enumerate(strange, start=3)),
    ]  # fmt: skip
    nearest = [x.nearest for x in found[:3]]
    assert nearest == [("Corvus corax", "Corvus corone"), ("Corvus corax",), ()]
    out = ran("check tree.tsv true.tsv pred.tsv --names --format csv", 1).out
    head, line, *others = out.splitlines()
    assert (head, len(others)) == ("file,name,times,place,nearest", 31)
    assert line == "pred.tsv,Corvus corrax,2,pred.tsv:1,Corvus corax; Corvus corone"
    check(tree, "id\tkind\tmine\na\ttwo\tthree\n")  # not a label was read
    out, err = ran("check tree.tsv true.tsv --names --format csv", 1)
    assert (out, err.count("\n")) == ("file,name,times,place,nearest\n", 1)
    assert err.startswith("true.tsv: there is no column 'labels' (there are id, kind, mine")
