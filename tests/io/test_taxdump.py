"""NCBI's taxdump: classes with ranks, names for people, and numbers that were merged into others."""

import pytest

from hierpair import BadInput, Hierarchy, read_hierarchy, score
from hierpair.cli.main import main
from hierpair.io import write_hierarchy

NODES = [(1, 1, "no rank"), (2, 1, "domain"), (20, 2, "clade"), (30, 20, "genus"), (31, 30, "species"),
         (9, 1, "domain")]  # fmt: skip
NAMES = [(1, "root", "scientific name"), (2, "Bacteria", "scientific name"), (2, "eubacteria", "synonym"),
         (30, "Escherichia", "scientific name"), (77, "gone", "scientific name")]  # fmt: skip


@pytest.fixture
def dump(tmp_path):
    def line(*fields):
        return "\t|\t".join(map(str, fields)) + "\t|\n"

    def write(nodes=NODES):
        text = "".join(line(*row, "", "0") for row in nodes)
        (tmp_path / "nodes.dmp").write_text(text)
        (tmp_path / "names.dmp").write_text("".join(line(c, n, "", k) for c, n, k in NAMES))
        (tmp_path / "merged.dmp").write_text(line(40, 31) + line(41, 55) + line(9, 31))
        return tmp_path

    return write


def test_folder_and_file_are_one(dump):
    folder = dump()
    for path in (folder, folder / "nodes.dmp", str(folder)):
        tree = read_hierarchy(path)
        assert tree.names == ("1", "2", "9", "20", "30", "31")
        assert tree.ranks == {"2": "domain", "30": "genus", "31": "species", "9": "domain"}
        assert tree.titles == {"1": "root", "2": "Bacteria", "30": "Escherichia"}
        assert tree.aliases == {"40": "31"}  # what is a class keeps its number
    assert score(str(folder), ["31"], {"s": ["40"]}, "hf").values[0, 0] == 1


def test_an_odd_line_does_not_make_names_of_synonyms(dump):
    folder = dump()
    with (folder / "names.dmp").open("a") as file:
        file.write("30\t|\tE. coli\t|\t\t|\tsynonym\t|\n31\t|\t|\t|\tscientific name\t|\n")
    assert read_hierarchy(folder).titles["30"] == "Escherichia"


def test_without_the_files_beside(dump):
    folder = dump()
    for name in ("names.dmp", "merged.dmp"):
        (folder / name).unlink()
    tree = read_hierarchy(folder / "nodes.dmp")
    assert (tree.titles, tree.aliases, tree.ranks["30"]) == ({}, {}, "genus")


def test_lines_with_other_blanks(tmp_path):
    file = tmp_path / "nodes.dmp"
    file.write_text("1 | 1 | no rank |\n\n2\t|\t1\t|\tgenus\t|\n2\t|\t2\t|\tgenus\t|\n")
    assert read_hierarchy(file).names == ("1", "2")
    file.write_text("1\t|\t1\t|\tno rank\t|\n\n2\t|\t3\t|\tgenus\t|\n3\t|\t2\t|\tgenus\t|\n")
    with pytest.raises(BadInput, match=r"nodes\.dmp:4: the hierarchy has a cycle"):
        read_hierarchy(file)


@pytest.mark.parametrize("line", ["2\t|\n", "x\t|\t1\t|\tgenus\t|\n", "3\t|\t-1\t|\t\t|\n"])
def test_what_is_no_class_is_named(tmp_path, capsys, line):
    (tmp_path / "nodes.dmp").write_text("1\t|\t1\t|\tno rank\t|\n" + line)
    assert main(["convert", str(tmp_path), "--to", "json"]) == 2
    said = capsys.readouterr().err
    assert "nodes.dmp:2: expected tax_id | parent | rank" in said
    assert len(said.splitlines()) == 1


def test_ranks_are_kept_in_json(dump, tmp_path):
    tree = read_hierarchy(dump())
    file = tmp_path / "tree.json"
    file.write_text(write_hierarchy(tree, "json")[0])
    again = read_hierarchy(file)
    assert (again.ranks, again.titles, again.names) == (tree.ranks, tree.titles, tree.names)
    assert "4 ranks of classes are lost; json keeps them" in write_hierarchy(tree, "edges")[1]
    with pytest.raises(BadInput, match="there is a rank of 'q', which is no class"):
        Hierarchy.of({"edges": [["r", "a"]], "ranks": {"q": "genus"}})
