"""What users type: messages that help and never mislead, and hierarchies that were misread."""

import json

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, compare, score, score_like
from hierpair.cli import main
from hierpair.labels import LabelRows
from hierpair.readers import parse_hierarchy

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
    assert f"--paths {sign!r}" in said
    assert "--separator" not in said


@pytest.mark.parametrize("label", ["brie/cheese/food", "food/brie", "gouda/cheese"])
def test_a_path_that_is_upside_down_or_has_gaps_is_no_list_of_labels(label):
    said = refused(label)
    assert "paths that run from the top" in said
    assert "--separator" not in said


def test_several_paths_in_a_field_are_offered_both_options():
    assert "--separator ';' --paths '/'" in refused("food/cheese/brie;food/bread")


@pytest.mark.parametrize("sign", [";", ",", " ", "/"])
def test_labels_side_by_side_are_several(sign):
    said = refused(f"brie{sign}bread")
    assert f"separated by {sign!r} (--separator)" in said
    assert "--paths" not in said


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
@pytest.mark.parametrize("fmt", ["parents", "taxonomy", "paths"])
def test_a_table_of_another_kind_is_no_flat_hierarchy(files, capsys, fmt, sign):
    files(tree_txt=EDGES.replace("\t", sign))
    for verb in ("check tree.txt", "score tree.txt x.tsv x.tsv", "convert tree.txt --to edges"):
        assert main([*verb.split(), "--hierarchy-format", fmt]) in (1, 2)
        said = "".join(capsys.readouterr())
        assert "4 classes and no edge" in said
        assert "separate the fields by tabs" in said


def test_a_flat_hierarchy_may_be_meant(files):
    files(tree_txt="a\t\nb\t\n")
    assert parse_hierarchy("tree.txt", fmt="parents").classes == ["a", "b"]


def test_swapped_columns_are_found_and_stay_with_the_scores(files, capsys):
    files(tree_tsv=SWAPPED, true_tsv="1\tbrie\n2\tbread\n", one_tsv="1\tgouda\n2\tbread\n")
    assert main(["check", "tree.tsv", "--strict"]) == 1
    assert "upside down" in capsys.readouterr().out
    said = "3 roots (bread, brie, gouda) and 1 class without children (food)"
    for fmt in ("text", "json", "jsonl", "csv", "tsv", "markdown", "latex"):
        command = ["tree.tsv", "true.tsv", "one.tsv", "-m", "hf", "--quiet", "--format", fmt]
        assert main(["score", *command]) == 0
        assert said in capsys.readouterr().out, fmt
        assert main(["score", *command[:3], *command[5:], "--preset", "hemkit"]) == 0
        out = capsys.readouterr().out
        assert said in out or fmt in ("jsonl", "csv", "tsv"), fmt
        assert main(["compare", *command[:3], "b=true.tsv", *command[3:]]) == 0
        assert said in capsys.readouterr().out, fmt


@pytest.mark.parametrize(
    "edges",
    [
        [("a", "r"), ("b", "r")],
        [("x", "a"), ("y", "a"), ("x", "b"), ("z", "b"), ("a", "r"), ("b", "r")],
        [("a", "r"), ("b", "r"), ("c", "s"), ("d", "s"), ("e", "s")],
    ],
    ids=["star", "DAG", "forest"],
)
def test_upside_down_is_told_of_every_shape(edges):
    assert "swapped" in Hierarchy.from_edges(edges).doubts[0]
    right = Hierarchy.from_edges([(b, a) for a, b in edges])
    assert not any("swapped" in doubt for doubt in right.doubts)
    assert len(right.doubts) == (len(right.roots) > 1)


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


@pytest.mark.parametrize("text", ['{"a": "b"}', '[["a", "b"]]', "a\tb\n", ' {"a"', "<rdf/>" * 99])
def test_the_content_of_a_file_is_no_name_of_one(text):
    with pytest.raises(BadInput, match=r"expected the name of a file, got .*text"):
        parse_hierarchy(text)


def test_data_are_no_name_of_a_file():
    with pytest.raises(BadInput, match=r"expected the name of a file, got \{'a': None\}.*from_"):
        parse_hierarchy({"a": None})
