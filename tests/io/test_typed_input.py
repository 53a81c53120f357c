"""What users type: messages that help and never mislead, and hierarchies that were misread."""

import json

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, compare, score
from hierpair.cli import main
from hierpair.io import parse_hierarchy
from hierpair.labels import LabelRows
from hierpair.metrics import score_like

FOOD = Hierarchy.from_edges(
    [("food", "cheese"), ("food", "bread"), ("cheese", "brie"), ("cheese", "gouda")]
)
EDGES = "food\tcheese\nfood\tbread\ncheese\tbrie\ncheese\tgouda\n"
SWAPPED = "cheese\tfood\nbread\tfood\nbrie\tcheese\ngouda\tcheese\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**contents):
        for name, text in contents.items():
            stem, _, ending = name.rpartition("_")
            (tmp_path / f"{stem}.{ending}").write_text(text)

    return write


def refused(*labels, hint=""):
    with pytest.raises(BadInput) as caught:
        LabelSets.from_rows(LabelRows([list(labels)], lambda i, k: "x:1", hint=hint), FOOD)
    return str(caught.value)


# ------------------------------------------------------------------------------ paths as labels


@pytest.mark.parametrize("sign", ["/", ">", " > ", "::", "\\", ".", "->"])
def test_a_path_is_offered_paths_and_never_a_separator(sign):
    said = refused(sign.join(["food", "cheese", "brie"]))
    assert f"--paths '{sign}' (Columns(paths={sign!r}))" in said  # in a shell, and in Python
    assert "--separator" not in said


@pytest.mark.parametrize("label", ["brie/cheese/food", "food/brie", "gouda/cheese"])
def test_a_path_that_is_upside_down_or_has_gaps_may_be_a_list_of_labels(label):
    said = refused(label)
    assert "separated by '/' (--separator), or paths? Those run from the top" in said


def test_several_paths_in_a_field_are_separated_first():
    assert "separated by ';' (--separator), or paths?" in refused("food/cheese/brie;food/bread")


@pytest.mark.parametrize("sign", [";", ",", " ", "/"])
def test_labels_side_by_side_are_several(sign):
    said = refused(f"brie{sign}bread")
    assert f"separated by {sign!r} (--separator)" in said


def test_a_list_of_labels_above_each_other_may_be_either():
    said = refused("cheese,brie")
    assert "--paths ','" in said
    assert "--separator ','" in said


@pytest.mark.parametrize("tail", ["", "2\tfood/bread\n"])
def test_what_the_message_offers_gives_the_right_score(files, capsys, tail):
    files(tree_tsv=EDGES, true_tsv=f"1\tfood/cheese/brie\n{tail}")
    command = ["score", "tree.tsv", "true.tsv", "true.tsv", "-m", "gie", "--format", "csv"]
    assert main(command) == 2
    assert "--paths '/'" in capsys.readouterr().err
    assert main([*command, "--paths", "/"]) == 0
    assert ",gie,0.0," in capsys.readouterr().out
    assert main(["check", "tree.tsv", "true.tsv"]) == 1
    assert "--paths '/'" in capsys.readouterr().out


def test_a_path_in_memory_is_sent_to_levels():
    with pytest.raises(BadInput, match=r"split it at '/' for LabelSets\.from_levels"):
        LabelSets.from_labels(["food/cheese/brie"], FOOD)


# ------------------------------------------------------------------- hierarchies that were misread


@pytest.mark.parametrize("sign", [",", ";"])
@pytest.mark.parametrize("fmt", ["taxonomy", "paths"])
def test_a_table_of_another_kind_is_no_flat_hierarchy(files, capsys, fmt, sign):
    files(tree_txt=EDGES.replace("\t", sign))
    for verb in ("check tree.txt", "score tree.txt x.tsv x.tsv", "convert tree.txt --to edges"):
        assert main([*verb.split(), "--hierarchy-format", fmt]) in (1, 2)
        said = "".join(capsys.readouterr())
        assert "4 classes and no edge" in said


@pytest.mark.parametrize("start", ['<?xml version="1.0"?>', "<!-- x -->", "@prefix a: <u:> ."])
@pytest.mark.parametrize("ending", ["xml", "owl", "txt"])
def test_rdf_under_any_name_is_no_list_of_edges(files, capsys, start, ending):
    files(**{f"tree_{ending}": f"{start}\n"})
    assert main(["check", f"tree.{ending}"]) == 1
    assert "no skos:Concept" in (said := capsys.readouterr().out) or "not RDF" in said


def test_swapped_columns_are_found_and_stay_with_the_scores(files, capsys):
    files(tree_tsv=SWAPPED, true_tsv="1\tbrie\n2\tbread\n", one_tsv="1\tgouda\n2\tbread\n")
    assert main(["check", "tree.tsv"]) == 1
    assert "are parent and child swapped?" in capsys.readouterr().out
    assert main(["score", "tree.tsv", "true.tsv", "one.tsv", "-m", "hf"]) == 2
    assert "--direction child-to-parent turns it round" in capsys.readouterr().err
    turned = ["--direction", "child-to-parent", "--format", "csv"]
    assert main(["score", "tree.tsv", "true.tsv", "one.tsv", "-m", "hf", *turned]) == 0
    assert "doubts" not in capsys.readouterr().out
    said = "3 roots (bread, brie, gouda) and 1 class without children (food)"
    for fmt in ("text", "json", "jsonl", "csv", "tsv", "markdown", "latex"):
        command = ["tree.tsv", "true.tsv", "one.tsv", "-m", "hf", "--quiet", "--format", fmt,
                   "--roots", "any"]  # fmt: skip
        assert main(["score", *command]) == 0
        assert said in capsys.readouterr().out, fmt
        assert main(["score", *command[:3], *command[5:], "--preset", "hemkit"]) == 0
        out = capsys.readouterr().out
        assert said in out or fmt in ("jsonl", "csv", "tsv"), fmt
        assert main(["compare", *command[:3], "b=true.tsv", *command[3:]]) == 0
        assert said in capsys.readouterr().out, fmt


def test_several_roots_stay_with_the_scores():
    forest = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("x", "y"), ("x", "z")])
    scores = score(forest, ["b", "y"], {"s": ["b", "z"], "t": ["c", "y"]}, "hf")
    assert "the hierarchy has 2 roots (a, x)" in scores.notes[-1]
    assert json.loads(scores.to_json())["doubts"] == forest.doubts
    assert json.loads(compare(scores).to_json())["doubts"] == forest.doubts
    assert "2 roots" in score_like("hemkit", forest, ["b"], {"s": ["b"]}).to_table()
    assert score(FOOD, ["brie"], ["gouda"], "hf").notes[1:] == []
    assert "doubts" not in score(FOOD, ["brie"], ["gouda"], "hf").to_csv()


# ----------------------------------------------------------------------------------- messages


def test_names_of_numpy_are_shown_as_they_read():
    n = np.str_
    tree = Hierarchy.from_edges([(n("r"), n("b1")), (n("r"), n("b2"))], classes=np.array(["r"]))
    assert repr(tree.names) == "('r', 'b1', 'b2')"
    cases = [
        lambda: LabelSets.from_labels([np.array(["b3"])], tree),
        lambda: LabelSets.from_labels({n("x"): [n("b3")]}, tree),
        lambda: LabelSets.from_levels(np.array([["b1", "r"]]), tree),
        lambda: LabelSets.from_indicator([[1]], tree, classes=np.array(["b3"]), ids=[n("x")]),
        lambda: LabelSets.from_labels({n("x"): [n("")]}, tree),
        lambda: score(tree, {n("u"): "b1"}, {"s": {n("v"): "b1"}}),
        lambda: score(tree, {n("u"): "b1"}, {"s": {n("u"): "b1", n("v"): "b1"}}),
        lambda: LabelSets.from_arrays(np.array([0, 0, 0]), np.array([], int), 3, [n("x"), n("x")]),
        lambda: Hierarchy.from_edges([(n("a"), n("b"))] * 2),
        lambda: Hierarchy.from_edges([(n("a"), n("b")), (n("b"), n("a"))]),
        lambda: Hierarchy.from_edges([(n("a"), n("a"))]),
        lambda: tree.index([n("zz")]),
    ]
    for case in cases:
        with pytest.raises(BadInput) as caught:
            case()
        assert "np." not in str(caught.value)
    assert "np." not in repr(LabelSets.from_labels({n("x"): n("b1")}, tree).ids)


def test_rows_are_instances():
    with pytest.raises(BadInput, match=r"instances × classes"):
        score(FOOD, np.zeros((2, 3)), ["brie", "brie"])


def test_data_are_no_name_of_a_file():
    with pytest.raises(BadInput, match=r"expected the name of a file, got \{'a': None\}.*from_"):
        parse_hierarchy({"a": None})


# -------------------------------------------------------------------- hierarchies as people keep them

WANTED = [("cheese", "brie"), ("cheese", "gouda"), ("food", "bread"), ("food", "cheese")]


def edges_of(hierarchy):
    return sorted((str(p), str(c)) for p, c in hierarchy.to_networkx().edges)


def test_nested_parts_may_be_shared_and_must_not_hold_themselves():
    cheese = {"cheese": ["brie", "gouda"]}
    dag = Hierarchy.from_nested({"food": cheese, "gifts": cheese})
    assert edges_of(dag) == [*WANTED[:2], ("food", "cheese"), ("gifts", "cheese")]
    loop = {}
    loop["a"] = {"b": loop}
    with pytest.raises(BadInput, match="cycle"):
        Hierarchy.from_nested(loop)
    with pytest.raises(BadInput, match="under 'a' must be a name"):
        Hierarchy.from_nested({"a": [float("nan")]})
    assert Hierarchy.from_nested({"a": "b"}).ancestors("b") == ["a"]


def test_columns_of_a_table_can_be_named(files, capsys):
    files(tree_csv='up,down,note\n,food,"a, b"\nfood,bread,\n', true_tsv="1\tbread\n")
    assert main(["check", "tree.csv"]) == 1
    assert "name them (--parent-column, --child-column)" in capsys.readouterr().out
    named = ["--parent-column", "up", "--child-column", "down"]
    assert main(["convert", "tree.csv", "--to", "edges", *named]) == 0
    assert capsys.readouterr().out == "parent\tchild\nfood\tbread\n"
    assert main(["check", "tree.csv", "--parent-column", "upp", "--child-column", "down"]) == 1
    assert "did you mean 'up'?" in capsys.readouterr().out


@pytest.mark.parametrize("blank", [None, float("nan"), "", " ", "NA", "NaT"])
def test_a_frame_of_edges(blank):
    pd = pytest.importorskip("pandas")
    given = {"NA": pd.NA, "NaT": pd.NaT}.get(blank, blank)
    frame = pd.DataFrame({"parent": [given, "food", "food", "cheese", "cheese"],
                          "id": ["food", "cheese", "bread", "brie", "gouda"]})  # fmt: skip
    assert edges_of(Hierarchy.from_frame(frame)) == WANTED
    other = frame.rename(columns={"parent": "up", "id": "down"})
    assert edges_of(Hierarchy.from_frame(other, parent="up", child="down")) == WANTED
    with pytest.raises(BadInput, match=r"which column is the class .*child=…, parent=…"):
        Hierarchy.from_frame(other)
    parents = dict(zip(frame["id"], frame["parent"], strict=True))
    if blank != " ":
        assert edges_of(Hierarchy.from_parents(parents)) == WANTED


def test_a_frame_of_numbers_with_gaps_weights_and_titles():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"id": [1, 2, 3], "parent_id": [None, 1, 1], "weight": [None, 2.0, 0.5],
                          "name": ["food", "bread", None]})  # fmt: skip
    tree = Hierarchy.from_frame(frame)
    assert tree.names == (1, 2, 3)
    assert tree.weights.tolist() == [2.0, 0.5]
    assert tree.titles == {1: "food", 2: "bread"}
    polars = pytest.importorskip("polars")
    assert Hierarchy.from_frame(polars.DataFrame({"id": [1, 2], "parent": [None, 1]})).roots == [1]


def test_paths_are_known_by_their_slashes(files, capsys):
    paths = ["food/cheese/brie", "food/soft cheese/blue/old", "food/bread"]
    files(paths_txt="\n".join(paths) + "\n", true_tsv="1\tfood/cheese/brie\n")
    tree = parse_hierarchy("paths.txt").build()
    assert set(tree.names) == set(Hierarchy.from_paths(paths).names)
    assert main(["score", "paths.txt", "true.tsv", "true.tsv", "-m", "gie", "--format", "csv"]) == 0
    assert ",gie,0.0," in capsys.readouterr().out
    files(edges_txt="food food/cheese\nfood/cheese food/cheese/brie\n")
    assert edges_of(parse_hierarchy("edges.txt").build()) == [
        ("food", "food/cheese"), ("food/cheese", "food/cheese/brie")
    ]  # fmt: skip


def test_paths_in_memory():
    names = Hierarchy.from_paths(["a/b", "/a/c"]).names
    assert names == ("a", "a/b", "a/c")
    assert Hierarchy.from_paths([["a", "b", None], ("a", "c", "")]).names == names
    assert Hierarchy.from_paths(["a>b", "a>c"], separator=">").names == ("a", "a>b", "a>c")
    for bad, said in [(["a//b"], "missing"), (["a/"], "missing"), ("a/b", "got the str"),
                      ([("a", None, "b")], "missing"), ([("a/b", "c")], "holds the separator"),
                      ([3], "expected a text or a list")]:  # fmt: skip
        with pytest.raises(BadInput, match=said):
            Hierarchy.from_paths(bad)
