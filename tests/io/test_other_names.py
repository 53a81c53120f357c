"""Labels that call classes by other names: exact, then without regard to capitals and blanks."""

from pathlib import Path

import pytest

from hierpair import BadInput, Hierarchy, LabelSets, read_hierarchy, read_labels, score
from hierpair.cli.main import main

OBO = r"""format-version: 1.2

[Term]
id: X:1
name: animal

[Term]
id: X:2
name: domestic cat
synonym: "house cat" EXACT []
synonym: "pet" RELATED []
synonym: "say \"miau\"" EXACT [Y:1]
alt_id: X:9
is_a: X:1 ! animal

[Term]
id: X:3
name: Dog
synonym: "HOUSE  CAT" EXACT []
is_a: X:1
"""
SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<a> a skos:Concept ; skos:prefLabel "Animal"@en, "Tier"@de .
<c> a skos:Concept ; skos:broader <a> ; skos:prefLabel "Cat"@en ; skos:altLabel "moggy" .
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.obo").write_text(OBO)
    Path("x.ttl").write_text(SKOS)
    Path("truth.tsv").write_text("1\tX:2\n2\tX:3\n")
    return tmp_path


def test_names_and_exact_synonyms_of_an_ontology(files):
    tree = read_hierarchy("x.obo", names="all")
    found = LabelSets.from_labels(
        [["Domestic CAT"], ["X:9"], ['say "miau"'], ["dog"], ["ｄｏｇ"]], tree
    )
    assert [found.names_of(i, tree) for i in range(5)] == [
        ["X:2"],
        ["X:2"],
        ["X:2"],
        ["X:3"],
        ["X:3"],
    ]
    with pytest.raises(BadInput, match="class 'pet' is not in the hierarchy"):
        LabelSets.from_labels([["pet"]], tree)
    assert score(tree, [["X:3"]], {"s": [["dog"]]}, "hf").values[0, 0] == 1
    assert score(tree, ["X:3"], {"s": {0: {"dog": 0.9}}}, "fmax").values[0, 0] == 1


def test_without_being_asked_names_are_no_labels(files):
    tree = read_hierarchy("x.obo")
    with pytest.raises(BadInput, match="X:3 is called so, and labels are ids"):
        LabelSets.from_labels([["Dog"]], tree)
    assert not tree.called


def test_names_of_concepts(files):
    pytest.importorskip("rdflib", reason="SKOS needs rdflib")
    tree = read_hierarchy("x.ttl", names="all")
    assert [tree.classes_called(x) for x in ("tier", "ANIMAL", "Moggy", "cat")] == [
        ("a",), ("a",), ("c",), ("c",)
    ]  # fmt: skip


@pytest.mark.parametrize("unknown", ["error", "drop", "root"])
def test_what_may_be_several_is_refused_whatever_is_done_with_unknown_labels(files, unknown):
    Path("run.tsv").write_text("1\tX:2\n2\thouse cat\n")
    tree = read_hierarchy("x.obo", names="all")
    wanted = r"run\.tsv:2, instance '2': 'house cat' may be X:2, X:3; write the class itself"
    with pytest.raises(BadInput, match=wanted):
        read_labels("run.tsv", tree, unknown=unknown)


@pytest.mark.parametrize(
    "text",
    ["name\tclass\nPuss\tX:2\nhound\tX:3\n", "X:2\tpuss\nX:3\tHound\n", "puss\tX:2\nhound\tX:3\n"],
)
def test_a_file_of_names(files, capsys, text):
    Path("names.tsv").write_text(text)
    Path("run.tsv").write_text("1\tPUSS\n2\thound\n")
    assert (
        main(
            [
                "score",
                "x.obo",
                "truth.tsv",
                "run.tsv",
                "-m",
                "hf",
                "--other-names",
                "names.tsv",
                "-q",
            ]
        )
        == 0
    )
    assert capsys.readouterr().out.splitlines()[1].split() == ["run", "1.0000"]
    assert main(["check", "x.obo", "truth.tsv", "run.tsv", "--other-names", "names.tsv"]) == 0
    assert main(["check", "x.obo", "truth.tsv", "run.tsv"]) == 1
    assert "class 'PUSS' is not in the hierarchy" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("puss\tX:2\nhound\tX:7\n", r"names\.tsv:2: class 'X:7' is not in the hierarchy"),
        ("X:1\tX:2\n", "names.tsv: both columns hold classes"),
        ("puss\n", r"names\.tsv:1: expected a name and a class, got 1 field"),
    ],
)
def test_files_of_names_that_cannot_be_meant(files, text, message):
    Path("names.tsv").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_hierarchy("x.obo", names="names.tsv")


def test_names_are_added_in_python(files):
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    named = tree.with_names({"Straße": "a"}).with_names([("strasse", "b"), ("x", ["a", "b"])])
    assert named.classes_called("STRASSE") == ("a", "b")
    assert named.classes_called("X") == ("a", "b")
    assert named.fingerprint == tree.fingerprint
    with pytest.raises(BadInput, match="class 'q' is not in the hierarchy"):
        tree.with_names({"x": "q"})
    with pytest.raises(BadInput, match="names must be one of titles"):
        tree.with_names("synonyms")
