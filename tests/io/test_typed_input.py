"""What users type: messages that help and never mislead, and hierarchies that were misread."""

import pytest

from hierpair import BadInput, Hierarchy, LabelSets
from hierpair.cli import main
from hierpair.io import parse_hierarchy
from hierpair.labels import LabelRows

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
    said = "3 roots (bread, brie, gouda), more than classes without children: are parent and"
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


# ----------------------------------------------------------------------------------- messages


def test_data_are_no_name_of_a_file():
    with pytest.raises(BadInput, match=r"expected the name of a file, got \{'a': None\}.*from_"):
        parse_hierarchy({"a": None})


# -------------------------------------------------------------------- hierarchies as people keep them


def edges_of(hierarchy):
    return sorted((str(p), str(c)) for p, c in hierarchy.to_networkx().edges)


def test_columns_of_a_table_can_be_named(files, capsys):
    files(tree_csv='up,down,note\n,food,"a, b"\nfood,bread,\n', true_tsv="1\tbread\n")
    assert main(["check", "tree.csv"]) == 1
    assert "name the columns (--parent-column, --child-column" in capsys.readouterr().out
    named = ["--parent-column", "up", "--child-column", "down"]
    assert main(["convert", "tree.csv", "--to", "edges", *named]) == 0
    assert capsys.readouterr().out == "parent\tchild\nfood\tbread\n"
    assert main(["check", "tree.csv", "--parent-column", "upp", "--child-column", "down"]) == 1
    assert "did you mean 'up'?" in capsys.readouterr().out


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
