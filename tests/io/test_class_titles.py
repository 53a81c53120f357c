"""What people call the classes: read from OBO, SKOS, tables and JSON; shown beside the ids."""

import pytest

from hierpair import BadInput, Hierarchy, read_hierarchy, write_hierarchy
from hierpair.cli import main

OBO = """format-version: 1.2

[Term]
id: G:1
name: process

[Term]
id: G:2
name: death \\! \\{of a cell\\} {source="!"} ! comment
is_a: G:1 ! process

[Term]
id: G:3
name: growth
is_a: G:1

[Term]
id: G:4
is_a: G:3
"""
TITLES = {"G:1": "process", "G:2": "death ! {of a cell}", "G:3": "growth"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.obo").write_text(OBO)
    (tmp_path / "true.tsv").write_text("1\tG:2\n")
    (tmp_path / "pred.tsv").write_text("1\tG:4\n")
    return tmp_path


def test_titles_are_read_and_written(folder):
    tree = read_hierarchy("t.obo")
    assert tree.titles == TITLES
    (folder / "again.json").write_text(write_hierarchy(tree, "json")[0])
    again = read_hierarchy("again.json")
    assert (again.titles, again.names) == (TITLES, tree.names)
    (folder / "t.csv").write_text("id,name,parent\nG:1,process,\nG:2,death,G:1\n")
    assert read_hierarchy("t.csv").titles == {"G:1": "process", "G:2": "death"}
    assert write_hierarchy(tree, "edges")[1] == [
        "3 names for people of classes are lost; json keeps them"
    ]
    with pytest.raises(BadInput, match="a title of 'x', which is no class"):
        Hierarchy.from_edges([("a", "b")], titles={"x": "y"})


def test_check_knows_names(folder, capsys):
    (folder / "pred.tsv").write_text("1\tgrowth\n2\tG:3|G:4\n")
    main(["check", "t.obo", "pred.tsv"])
    out = capsys.readouterr().out
    assert "class 'growth' is not in the hierarchy; G:3 is called so, and labels are ids" in out
    assert "such as instance '2'" in out
