"""Checks before scoring: each fault and doubt is found where it stands, and sound files pass."""

import json

import pytest
from hypothesis import given, settings

from hierpair import BadInput, read_hierarchy, read_labels, score
from hierpair.checks import lint
from hierpair.cli import main
from tests import effort
from tests.strategies import problems

TREE = "r\tcat\nr\tdog\ncat\tlion\n"


@pytest.fixture
def check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(tree, *labels, **options):
        names = ["tree.tsv", "true.tsv", "pred.tsv"]
        for name, text in zip(names, [tree, *labels], strict=False):
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        truth = names[1] if labels else None
        return lint(names[0], truth, {"pred": names[2]} if len(labels) > 1 else {}, **options)

    return run


def found(report, level):
    return [(f.rule, f.place, f.message) for f in report.findings if f.level == level]


@pytest.mark.parametrize(
    ("tree", "rule", "place", "message"),
    [
        ("a\tb\nb\tb\n", "self-loop", "tree.tsv:2", "class 'b' is its own parent"),
        ("a\tb\n\na\tb\n", "duplicate edge", "tree.tsv:3", "already occurs at tree.tsv:1"),
        ("a\tb\n\tc\n", "blank name", "tree.tsv:2", "a class name is missing"),
        ("r\ta\na\tb\nb\tc\nc\ta\n", "cycle", "tree.tsv:4",
         "cycle: 'a' → 'b' → 'c' → 'a'; the rule depth-first would leave out 'c' → 'a' (--break-cycles"),
        ("a\tb\nc\n", "format", "tree.tsv", "tree.tsv:2: expected 2 fields, got 1"),
        (b"a\tb\nb\t\xff\n", "format", "tree.tsv", "byte 0xff is not UTF-8"),
        ("", "format", "tree.tsv", "the file is empty"),
        ("parent\tchild\tweight\na\tb\t-1\n", "edge weight", "tree.tsv:2", "not negative, got '-1'"),
    ],
)  # fmt: skip
def test_errors_in_hierarchies(check, tree, rule, place, message):
    report = check(tree)
    errors = found(report, "error")
    assert [(r, p) for r, p, _ in errors] == [(rule, place)]
    assert message in errors[0][2]


@pytest.mark.parametrize(("tree", "rule", "message"), [
    ("r\ta\nr\tc\ns\tb\ns\td\n", "several roots", "2 roots (r, s): classes under"),
    ("r\ta\nr\tc\ns\tb\n", "several roots", "2 roots (r, s): classes under"),
])  # fmt: skip
def test_doubts_about_hierarchies(check, tree, rule, message):
    report = check(tree)
    assert report.count("error") == 0
    doubts = found(report, "warning")
    assert [r for r, _, _ in doubts] == [rule]
    assert message in doubts[0][2]


@pytest.mark.parametrize(("tree", "message"), [
    ("r\ta\tb\nx\n", "'x' has no children"), ("a\tr\nb\tr\n", "are parent and child swapped"),
    ("up\tdown\nr\ta\nr\tb\n", "'up' stands in the first line alone"),
    ("class\tlower\nr\ta\nr\tb\n", "'class' is what columns are called"),
])  # fmt: skip
def test_a_hierarchy_that_looks_misread_is_an_error(check, tree, message):
    [(rule, _, said)] = found(check(tree), "error")
    assert rule == "misread"
    assert message in said


def test_all_faults_are_found_at_once(check):
    report = check("r\ta\nr\ta\na\ta\nb\n\tx\na\tc\nc\tr\n", "1\tc\n1\ta|zz\n2\tq||a\n")
    assert [(r, p) for r, p, _ in found(report, "error")] == [
        ("format", "tree.tsv"),
        ("blank name", "tree.tsv:5"),
        ("self-loop", "tree.tsv:3"),
        ("duplicate edge", "tree.tsv:2"),
        ("cycle", "tree.tsv:7"),
        ("blank label", "true.tsv:3"),
        ("unknown label", "true.tsv:2"),
        ("unknown label", "true.tsv:3"),
        ("duplicate id", "true.tsv:2"),
    ]


@pytest.mark.parametrize(
    ("true", "pred", "level", "rule", "message"),
    [
        ("1\tlino\n2\tlino\n", None, "error", "unknown label",
         "instance '1': class 'lino' is not in the hierarchy; did you mean 'lion'? "
         "(to go on without it: unknown='drop' or 'root') (2 times in all)"),
        ("1\tcat||dog\n", None, "error", "blank label", "instance '1': a label is missing"),
        ("1\tcat\n2\tcat\n1\tdog\n", None, "error", "duplicate id", "'1' already occurs at true.tsv:1"),
        ("1\tcat\tx\ty\n2\tcat\n", None, "error", "format", "expected id TAB label|label, got 4 fields"),
        ("1\tdog|r|lion|cat\n", None, "warning", "nested labels", "1 instance has a label that"),
        ("1\tcat\n2\tdog\n", "1\tcat\n", "error", "instances",
         "pred: 1 instance has no prediction, such as '2'"),
        ("1\tcat\n", "1\tcat\n3\tcat\n", "error", "instances",
         "pred: 1 instance has no truth, such as '3'"),
        ("cat\ndog\n", "cat\n", "error", "instances", "y_true has 2 instances and pred has 1"),
    ],
)  # fmt: skip
def test_labels(check, true, pred, level, rule, message):
    report = check(TREE, true, *([] if pred is None else [pred]))
    [(seen, _, text)] = found(report, level)
    assert seen == rule
    assert message in text
    assert report.count("error" if level == "warning" else "warning") == 0


def test_many_findings_are_counted(check):
    report = check(TREE, "".join(f"{i}\tx{i}\n" for i in range(25)))
    assert report.count("error") == 25
    assert len(found(report, "error")) == 11
    assert found(report, "error")[-1][2] == "and 15 more of these"


def test_notes(check):
    report = check(TREE, "1\tcat|dog\n2\t\n")
    notes = {rule: text for rule, _, text in found(report, "note")}
    assert notes["shape"] == "tree of 4 classes and 3 edges, root 'r', 2 levels below"
    assert notes["labels"].startswith("2 instances with 1.00 labels on average, at most 2, 1 ")


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text(TREE)
    (tmp_path / "true.tsv").write_text("1\tcat|lion\n")
    assert main(["check", "tree.tsv", "true.tsv"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("tree.tsv: sound\ntrue.tsv: 1 warning\n\nlevel ")
    assert "note   shape" in out
    assert main(["check", "tree.tsv", "true.tsv", "-q"]) == 0
    assert "note" not in capsys.readouterr().out
    assert main(["check", "tree.tsv", "true.tsv", "--strict"]) == 1
    capsys.readouterr()
    (tmp_path / "tree.tsv").write_text(f"{TREE}lion\tcat\n")
    assert main(["check", "tree.tsv", "--format", "json"]) == 1
    [cycle] = [r for r in json.loads(capsys.readouterr().out) if r["rule"] == "cycle"]
    assert cycle["place"] == "tree.tsv:4"
    assert main(["check", "tree.tsv", "--break-cycles", "depth-first"]) == 0
    assert "'lion' → 'cat' closes a cycle and is left out" in capsys.readouterr().out
    assert main(["check", "none.tsv"]) == 1


@pytest.mark.exhaustive
@settings(max_examples=effort.cases(50), deadline=None)
@given(problems())
def test_what_passes_the_check_can_be_scored_and_what_fails_cannot(tmp_path_factory, problem):
    hierarchy, edges, y_true, y_pred = problem
    folder = tmp_path_factory.mktemp("c")
    tree = folder / "tree.tsv"
    tree.write_text("\n".join(["child\tparent", *(f"{c}\t" for c in hierarchy.names),
                               *(f"{c}\t{p}" for p, c in edges)]))  # fmt: skip
    paths = []
    for name, rows in (("true", y_true), ("pred", y_pred)):
        paths.append(folder / name)
        paths[-1].write_text("".join(f"{i}\t{'|'.join(r)}\n" for i, r in enumerate(rows)))
    report = lint(tree, paths[0], {"pred": paths[1]}, hierarchy_options={"roots": "any"})
    assert report.count("error") == 0
    graph = read_hierarchy(tree, roots="any")
    sides = [read_labels(p, graph) for p in paths]
    score(graph, sides[0], sides[1])


def test_unknown_labels_are_named_in_the_order_of_the_file(tmp_path, capsys):
    rows = [f"{i}\tzz{30 - i}|a\n" for i in range(15)]
    (tmp_path / "h").write_text("r\ta\n")
    (tmp_path / "y").write_text("".join(rows))
    assert main(["check", str(tmp_path / "h"), str(tmp_path / "y")]) == 1
    text = capsys.readouterr().out
    places = [text.index(f"zz{30 - i}") for i in range(10)]
    assert places == sorted(places)
    assert "zz20" not in text


def test_a_blank_name_among_the_declared_classes_is_found(tmp_path):
    """Reading refuses it, so the check has to find it."""
    path = tmp_path / "h.json"
    path.write_text('{"edges": [["r", "a"]], "classes": ["", "a", "z"]}')
    with pytest.raises(BadInput, match="a class name is missing"):
        read_hierarchy(path)
    (found,) = [f for f in lint(path).findings if f.level == "error"]
    assert (found.rule, found.place) == ("blank name", "classes")
    assert found.message == "a class name is missing (got '')"


def test_every_file_of_a_folder_is_checked_for_itself(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text(TREE)
    (tmp_path / "days").mkdir()
    for name, label in (("a", "cat"), ("b", "lino")):
        (tmp_path / "days" / f"{name}.csv").write_text(f"id,truth,one\n{name}1,dog,{label}\n")
    assert main(["check", "tree.tsv", "days"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("tree.tsv: sound\ndays/a.csv: sound\ndays/b.csv: 1 error\n")
    assert "instance 'b1': class 'lino' is not in the hierarchy; did you mean 'lion'?" in out


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
