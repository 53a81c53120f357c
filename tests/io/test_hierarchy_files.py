"""Files of hierarchies: forms, faults with their lines, NCBI's dump, names for people, doubts that stay."""

import gzip
import json
import pickle
import random
import re
from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest

from hierpair import Hierarchy, LabelSets, read_hierarchy, read_labels, score
from hierpair.checks import lint
from hierpair.io import parse_hierarchy, write_hierarchy
from tests.reading import edges_of, error_of, names_in, put, refuses


@pytest.mark.parametrize(("text", "fmt"), [
    ("r\ta\nr\tb\na\tx y\nb\tx y\n", "edges"),
    ("parent\tchild\nr\ta\r\nr\tb\r\n\r\na\tx y\r\nb\tx y", "edges"),
    ("r\ta\tb\na\tx y\nb\tx y\n", "taxonomy"), ("r\ta\tb\t\t\na\tx y\nb\tx y\nx y\n", "taxonomy"),
    ("child\tparent\nr\t\na\tr\nb\tr\nx y\ta\nx y\tb\n", "csv"),
    ("\ufeffr\ta\nr\tb\na\tx y\nb\tx y\n", "edges"),
    ("\n" + "".join(f"parent: {above} child: {below} child-description: {below.title()}\n" for above, below in (
        ("None", "r"), ("r", "a"), ("r", "b"), ("a", "x y"), ("b", "x y"))), "rcv1"),
])  # fmt: skip
def test_forms(write, text, fmt):
    packed = write(gzip.compress(text.encode()), "t.gz")
    for given, chosen in ((write(text), "auto"), (write(text), fmt), (packed, fmt)):
        edges = [("a", "x y"), ("b", "x y"), ("r", "a"), ("r", "b")]
        assert edges_of(read_hierarchy(given, fmt=chosen)) == edges


CYCLE = "cycle: 'a' → 'b' → 'c' → 'a'; remove one of its edges, such as 'c' → 'a'"
BROKEN = [
    ("", "auto", "format", "the file is empty"),
    (b"a\tb\nb\t\xff\n", "auto", "format", "byte 0xff is not UTF-8"),
    ("a b\nb c d\n", "auto", "format", "file.txt:2: expected 2 fields, got 3; fields are separated by tabs"),
    ("a b\n\na b\n", "auto", "duplicate edge", "file.txt:3: the edge 'a' → 'b' already occurs at file.txt:1"),
    ("a\tb\nb\tb\n", "auto", "self-loop", "file.txt:2: class 'b' is its own parent"),
    ("r\ta\na\tb\nb\tc\nc\ta\n", "auto", "cycle", f"file.txt:4: the hierarchy has a {CYCLE}"),
    ("a\tb\nc\t\n", "edges", "blank name", "file.txt:2: a class name is missing"),
    ("a\tb\t\tc\n", "taxonomy", "blank name", "file.txt:1: a class name is missing"),
    ("parent\tchild\tweight\na\tb\t-1\n", "auto", "edge weight",
     "file.txt:2: the edge weight must be finite and not negative, got '-1'"),
    ("a b -2\n", "weighted-edges", "edge weight", "file.txt:1: the edge weight must be finite and not negative"),
    ("a b nan\n", "weighted-edges", "edge weight", "must be a number, got 'nan'"),
    ("r\ta\t0.5\nr\tb\t2\n", "auto", "format", "is this a table, or a line per parent"),
    ("r\ta\tb\nx\n", "auto", "misread", "'x' has no children"),
    ("a\tr\nb\tr\n", "auto", "misread", "are parent and child swapped"),
    ("up\tdown\nr\ta\nr\tb\n", "auto", "misread", "'up' stands in the first line alone"),
    ("class\tlower\nr\ta\nr\tb\n", "auto", "misread", "'class' is what columns are called"),
    ("a -> b/c\na -> d\n", "auto", "format", "are these lineages, separated by ' -> ' or by '/'? Set the separator"),
    ("parent: None child: a\nparent: a\n", "rcv1", "format", "file.txt:2: expected parent: … child: …, got 'parent: a'"),
    ("a/b\na//b\n", "paths", "format", "file.txt:2: a class name is missing on the way to another"),
    ("[Term]\nid: a\nis_a: b\n", "obo", "format", "file.txt:3: the parent 'b' of 'a' is not defined in the file"),
    ("[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_obsolete: true\n", "obo", "format",
     "file.txt:3: the parent 'b' of 'a' is obsolete"),
    ("[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_a: a\n", "obo", "cycle",
     "file.txt:6: the hierarchy has a cycle: 'b' → 'a' → 'b'"),
    ("1 | 1 | no rank |\n\n2\t|\t3\t|\tgenus\t|\n3\t|\t2\t|\tgenus\t|\n", "ncbi", "cycle",
     "file.txt:4: the hierarchy has a cycle"),
    ("1\t|\t1\t|\tno rank\t|\n3\t|\t1\t|\tgenus\t|\n4\t|\t9\t|\tgenus\t|\n", "ncbi", "format",
     "file.txt:3: the parent 9 of 4 has no line: is it a root, which is written 9 | 9 | no rank |, or is its line"),
    *((f"1\t|\t1\t|\tno rank\t|\n{line}", "ncbi", "format", "file.txt:2: expected tax_id | parent | rank")
      for line in ("2\t|\n", "x\t|\t1\t|\tgenus\t|\n", "3\t|\t-1\t|\t\t|\n")),
    ('{"edges": [["r", "a"]], "ranks": {"q": "genus"}}', "json", "hierarchy", "there is a rank of 'q', which is no class"),
    *((f"{start}\n", "auto", "format", said) for start, said in (
        ('<?xml version="1.0"?>', "not RDF"), ("<!-- x -->", "not RDF"),
        ("@prefix a: <u:> .", "no skos:Concept"))),
]  # fmt: skip
"""Text, form, what a check calls it, and what reading and the check say; tests of the command line have others."""


@pytest.mark.parametrize(("text", "fmt", "rule", "message"), BROKEN)
def test_faults_are_named_with_their_line(write, text, fmt, rule, message):
    write(text)
    said = error_of(read_hierarchy, "file.txt", fmt=fmt)
    assert message in said
    assert len(said.splitlines()) == 1
    report = lint("file.txt", hierarchy_options={"fmt": fmt})
    [found] = [f for f in report.findings if f.level == "error"]
    assert found.rule == rule
    assert message in f"{found.place}: {found.message}"


def test_weights_are_read_and_paths_are_known_by_their_slashes(write):
    path = write("r\ta\t0.5\nr\tb\t2\n")
    assert read_hierarchy(path, fmt="weighted-edges").distance("a", "b") == 2.5
    assert len(read_hierarchy(path, fmt="taxonomy")) == 5
    hierarchy = read_hierarchy(write("a/b/c\na/b/d\n\ne\n"), fmt="paths", roots="any")
    assert edges_of(hierarchy) == [("a", "a/b"), ("a/b", "a/b/c"), ("a/b", "a/b/d")]
    assert hierarchy.roots == ["a", "e"]
    paths = ["food/cheese/brie", "food/soft cheese/blue/old", "food/bread"]
    tree = read_hierarchy(write("\n".join(paths) + "\n"))
    assert tree.names == Hierarchy.from_paths(paths).names
    lines = write("food food/cheese\nfood/cheese food/cheese/brie\n")
    assert edges_of(read_hierarchy(lines)) == [("food", "food/cheese"), ("food/cheese", paths[0])]
    refuses(r"expected the name of a file, got \{'a': None\}.*from_", parse_hierarchy, {"a": None})
    table = write("up\tdown\nfood\tbread\n")
    assert edges_of(read_hierarchy(table, parent_column="up", child_column="down")) == [
        ("food", "bread")
    ]


def test_cycles_are_broken_by_a_named_rule(write):
    path = write("r a\na b\nb c\nc a\nb b\nc d\n")
    refuses("or break_cycles='depth-first'", read_hierarchy, path)
    notes = []
    hierarchy = read_hierarchy(path, break_cycles="depth-first", on_note=notes.append)
    assert edges_of(hierarchy) == [("a", "b"), ("b", "c"), ("c", "d"), ("r", "a")]
    said = ":{}: the edge '{}' → '{}' closes a cycle and is left out (rule depth-first)".format
    told = zip(sorted(notes), (said(4, "c", "a"), said(5, "b", "b")), strict=True)
    assert all(words in note for note, words in told), notes


def test_swapped_columns_are_found_and_stay_with_the_scores(write, ran):
    for name, text in (("tree", "cheese\tfood\nbread\tfood\nbrie\tcheese\ngouda\tcheese\n"),
                       ("true", "1\tbrie\n2\tbread\n"), ("one", "1\tgouda\n2\tbread\n")):  # fmt: skip
        write(text, f"{name}.tsv")
    assert "are parent and child swapped?" in ran("check tree.tsv", 1).out
    refuses("direction='child-to-parent' turns it round", read_hierarchy, "tree.tsv")
    said = "3 roots (bread, brie, gouda), more than classes without children: are parent and"
    for line in ("score {} -m hf", "score {} --preset hemkit", "compare {} b=true.tsv -m hf"):
        for fmt in ("text", "json", "latex"):
            line = line.format("tree.tsv true.tsv one.tsv -q --roots any")  # noqa: PLW2901
            assert said in ran(f"{line} --format {fmt}").out


def line(*fields):
    return "\t|\t".join(map(str, fields)) + "\t|\n"


def about(tree):
    """All that a hierarchy says of its classes."""
    return tree.names, tree.ranks, tree.titles, tree.aliases, tree.called


@pytest.fixture
def dump(tmp_path):
    """A folder as NCBI packs it: names that are no scientific ones, numbers merged into others."""
    nodes = [(1, 1, "no rank"), (2, 1, "domain"), (20, 2, "clade"), (30, 20, "genus"),
             (31, 30, "species"), (9, 1, "domain")]  # fmt: skip
    names = [(1, "root"), (2, "Bacteria"), (30, "Escherichia"), (77, "gone")]
    rows = [line(c, name, "", "scientific name") for c, name in names]
    rows += [line(2, "eubacteria", "", "synonym"), "30\t|\tE. coli\t|\t\t|\tsynonym\t|\n",
             "31\t|\t|\t|\tscientific name\t|\n"]  # fmt: skip
    put(tmp_path / "nodes.dmp", "".join(line(*row, "", "0") for row in nodes))
    put(tmp_path / "names.dmp", "".join(rows))
    put(tmp_path / "merged.dmp", line(40, 31) + line(41, 55) + line(9, 31))
    return tmp_path


def test_a_dump_of_ncbi(dump):
    for path in (dump, dump / "nodes.dmp", str(dump)):
        tree = read_hierarchy(path)
        assert tree.names == ("1", "2", "9", "20", "30", "31")
        assert tree.ranks == {"2": "domain", "30": "genus", "31": "species", "9": "domain"}
        assert tree.titles == {"1": "root", "2": "Bacteria", "30": "Escherichia"}  # 31 has a blank
        assert tree.aliases == {"40": "31"}  # what is a class keeps its number
    assert score(str(dump), ["31"], {"s": ["40"]}, "hf").values[0, 0] == 1
    again = read_hierarchy(put(dump / "tree.json", write_hierarchy(tree, "json")[0]))
    assert about(again) == about(tree)
    assert "4 ranks of classes are lost; json keeps them" in write_hierarchy(tree, "edges")[1]
    for change in (lambda beside: beside.write_text(""), Path.unlink):  # a new dump merges nothing
        for name in ("names.dmp", "merged.dmp"):
            change(dump / name)
        assert about(read_hierarchy(dump / "nodes.dmp")) == (tree.names, tree.ranks, {}, {}, {})


def test_a_dump_of_ncbi_that_is_written_otherwise(dump):
    plain = about(read_hierarchy(dump, names="all"))
    for odd in (("\t|\n", "\t|\r\n"), ("\t|\t", " | "), ("\t|\t", "|"), ("\t|\n", "\n")):
        for path in dump.iterdir():
            was = path.read_text()
            put(path, was.replace(*odd))
            assert about(read_hierarchy(dump, names="all")) == plain
            put(path, was)
    nodes = (dump / "nodes.dmp").read_text()
    put(dump / "nodes.dmp", nodes.replace("no rank\t|\t\t|", "no rank\t||\t|", 1))
    assert read_hierarchy(dump).ranks == {**plain[1], "1": "no rank ||"}  # no field ends there
    put(dump / "nodes.dmp", nodes)
    with (dump / "names.dmp").open("a", encoding="utf-8") as file:
        file.write(line(31, "Bär a|b", "", "scientific name") + line(31, "é", "", "synonym"))
    tree = read_hierarchy(dump, names="all")
    assert tree.titles == {**plain[2], "31": "Bär a|b"}
    assert (tree.classes_called("É"), tree.classes_called("e. coli")) == (("31",), ("30",))
    assert about(pickle.loads(pickle.dumps(tree))) == about(tree)
    for bad in ("007", "7x", "", "1" * 19):
        put(dump / "nodes.dmp", nodes + line(bad, 1, "species"))
        refuses(r"nodes.dmp:7: expected tax_id \| parent \| rank", read_hierarchy, dump)
    put(dump / "nodes.dmp", nodes)
    put(dump / "names.dmp", line("x", "y"))
    refuses(f"^{dump / 'names.dmp'}:1: expected tax_id", read_hierarchy, dump)


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
TITLES = {"X:1": "animal", "X:2": "domestic cat", "X:3": "Dog"}


def test_titles_are_kept_and_are_no_labels_unless_asked_for(write, ran):
    tree = read_hierarchy(write(OBO, "x.obo"))
    assert (tree.titles, tree.called) == (TITLES, {})
    again = read_hierarchy(write(write_hierarchy(tree, "json")[0], "again.json"))
    assert (again.titles, again.names) == (TITLES, tree.names)
    lost = write_hierarchy(tree, "edges")[1]
    assert "3 names for people of classes are lost; json keeps them" in lost
    said = "a title of 'x', which is no class"
    refuses(said, Hierarchy.from_edges, [("a", "b")], titles={"x": "y"})
    said = "X:3 is called so, .*with_names.*--other-names all"
    refuses(said, LabelSets.from_labels, [["Dog"]], tree)
    assert LabelSets.from_labels([["Dog"]], tree.with_names("titles")).names_of(0, tree) == ["X:3"]
    write("1\tX:2\n", "true.tsv")
    write("1\tDog\n2\tX:2|X:1\n", "run.tsv")
    out = ran("check x.obo true.tsv run.tsv", 1).out
    assert "class 'Dog' is not in the hierarchy; X:3 is called so, and labels are ids" in out
    assert "such as instance '2'" in out


def test_names_and_exact_synonyms_whatever_their_letters(write):
    tree = read_hierarchy(write(OBO, "x.obo"), names="all")
    labels = ["Domestic CAT", "X:9", 'say "miau"', "dog", "ｄｏｇ"]
    found = names_in(LabelSets.from_labels(labels, tree), tree)
    assert found == [["X:2"]] * 3 + [["X:3"]] * 2
    refuses("class 'pet' is not in the hierarchy", LabelSets.from_labels, [["pet"]], tree)
    assert score(tree, [["X:3"]], {"s": [["dog"]]}, "hf").values[0, 0] == 1
    assert score(tree, ["X:3"], {"s": {0: {"dog": 0.9}}}, "fmax").values[0, 0] == 1
    run = write("1\tX:2\n2\thouse cat\n", "run.tsv")
    for unknown in ("error", "drop", "root"):
        wanted = r"run\.tsv:2, instance '2': 'house cat' may be X:2, X:3; write the class itself"
        refuses(wanted, read_labels, run, tree, unknown=unknown)
    pytest.importorskip("rdflib", reason="SKOS needs rdflib")
    tree = read_hierarchy(write(SKOS, "x.ttl"), names="all")
    called = [tree.classes_called(x) for x in ("tier", "ANIMAL", "Moggy", "cat")]
    assert called == [("a",), ("a",), ("c",), ("c",)]


@pytest.mark.parametrize(("text", "said"), [
    ("name\tclass\nPuss\tX:2\nhound\tX:3\n", None), ("puss\tX:2\nhound\tX:3\n", None),
    ("puss\tX:2\nhound\tX:7\n", r"names\.tsv:2: class 'X:7' is not in the hierarchy"),
    ("X:2\tpuss\nX:3\tHound\n", r"names\.tsv:1: class 'puss' is not .*a name and the class"),
    ("Puss\tX:7\nhound\tX:3\n", r"names\.tsv:1: class 'X:7' is not in the hierarchy"),
    ("puss\n", r"names\.tsv:1: expected a name and a class, got 1 field"),
])  # fmt: skip
def test_a_file_of_names(write, ran, text, said):
    for name, content in (("x.obo", OBO), ("names.tsv", text), ("true.tsv", "1\tX:2\n2\tX:3\n"),
                          ("run.tsv", "1\tPUSS\n2\thound\n")):  # fmt: skip
        write(content, name)
    if said:
        refuses(said, read_hierarchy, "x.obo", names="names.tsv")
        return
    files, named = "x.obo true.tsv run.tsv", "--other-names names.tsv"
    out = ran(f"score {files} -m hf -q --format json {named}").out
    assert json.loads(out)["scores"][0]["value"] == 1
    ran(f"check {files} {named}")
    assert "class 'PUSS' is not in the hierarchy" in ran(f"check {files}", 1).out


def test_names_are_added_in_python():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    named = tree.with_names({"Straße": "a"}).with_names([("strasse", "b"), ("x", ["a", "b"])])
    assert named.classes_called("STRASSE") == named.classes_called("X") == ("a", "b")
    assert named.fingerprint == tree.fingerprint
    refuses("class 'q' is not in the", tree.with_names, {"x": "q"})
    refuses("names must be one of titles", tree.with_names, "synonyms")


RANKED = ["kingdom", "phylum", "order", "family", "genus", "specificEpithet"]


@pytest.mark.parametrize("seed", range(3))
def test_columns_of_ranks_with_gaps_are_put_together(seed, tmp_path):
    """Whatever rows leave out or write for nothing, in every form: parents are those of the whole lineages."""
    rng = random.Random(seed)
    whole, edges, ranks, rows = [], set(), {}, []
    for k in range(30):
        way = ["Animalia"] + [f"{x}{k % n}" for x, n in zip("POFG", (2, 4, 8, 16), strict=True)]
        whole.append([*way, f"e{k}"])
        names = [*way, f"{way[-1]} e{k}"]
        edges |= {*zip(names, names[1:], strict=False)}
        ranks |= zip(names, [*RANKED[:-1], "species"], strict=True)
    for way in whole:
        gaps = [
            x if x in way[4:] or rng.random() < 0.5 else rng.choice(["", "NA", "-"]) for x in way
        ]
        rows += rng.sample([way, gaps], 2)
    frame = pd.DataFrame(rows, columns=RANKED)
    frame.to_csv(tmp_path / "dwc.csv", index=False)
    records = [{x: v for x, v in zip(RANKED, row, strict=True) if v} for row in rows]
    put(tmp_path / "dwc.json", json.dumps(records))
    found = [read_hierarchy(tmp_path / f"dwc.{ending}") for ending in ("csv", "json")]
    for tree in (*found, Hierarchy.from_frame(frame)):
        assert (edges_of(tree), tree.ranks) == (sorted(edges), ranks)
    one = pd.DataFrame(whole[:1], columns=RANKED)
    levels = Hierarchy.from_frame(one, levels=["kingdom", "order"], roots="any")
    assert set(levels.ranks.values()) == {"kingdom", "order"}


TAXA = "kingdom\torder\tgenus\tspecies\tscientificName\ttaxonRank\n"


def test_the_taxon_of_a_row(write):
    """It has a scientific name and a rank, which may be below the columns."""
    rows = "A\tO\tG\tG s\tG s Linnaeus\tSPECIES\nA\tO\tG\t\tG t\tspecies\n"
    rows += "A\tO\t\t\tF\tfamily\nA\tO\tG\tG s\tG s u\tsubspecies\nA\t\t\t\t\t\n"
    tree = read_hierarchy(write(TAXA + rows, "taxa.tsv"))
    edges = [("A", "O"), ("G", "G s"), ("G", "G t"), ("G s", "G s u"), ("O", "F"), ("O", "G")]
    assert edges_of(tree) == edges
    assert [tree.ranks[x] for x in ("F", "G t", "G s u")] == ["family", "species", "subspecies"]
    assert tree.titles == {"G s": "G s Linnaeus"}
    ids = "taxonID\tparentNameUsageID\tkingdom\torder\tscientificName\ttaxonRank\n"
    tree = read_hierarchy(write(f"{ids}1\t\tA\t\tA\tkingdom\n2\t1\tA\tO\tO\torder\n", "taxa.tsv"))
    assert (edges_of(tree), tree.titles) == ([("1", "2")], {"1": "A", "2": "O"})
    assert tree.ranks == {"1": "kingdom", "2": "order"}
    for rows, name in (("A\tO\tM\t\t\t\nP\tQ\tM\t\t\t\n", "3: 'M'"), ("A\tO\tO\t\t\t\n", "2: 'O'"),
                       ("A\tO\tG\t\t\t\nA\t\tG\tG s\t\t\nB\tO\t\t\t\t\n", ": 'O'")):  # fmt: skip
        said = f"{name} stands here otherwise than at .*2: are these two taxa"
        refuses(said, read_hierarchy, write(TAXA + rows, "taxa.tsv"))
    # a row without the genus says what is above it
    tree = read_hierarchy(write(f"{TAXA}\t\tG\tG s\t\t\nA\tO\t\tG s\t\t\n", "taxa.tsv"))
    assert edges_of(tree) == [("A", "O"), ("G", "G s"), ("O", "G")]
    rows = "A\tO\t\t\t\t\n\tO\tG\t\t\t\nB\t\tG\t\t\t\n"
    said = "3: 'O' stands above 'G' otherwise than at .*2: are these two taxa"
    refuses(said, read_hierarchy, write(TAXA + rows, "taxa.tsv"))


FELIDS = {"genus": ["Felis"], "species": ["Felis catus"]}


@pytest.mark.parametrize(("more", "rank", "name"), [
    (FELIDS, "subfamily", "Felinae"), (FELIDS, "genus", "Felis L."), (FELIDS, "unranked", "BOLD:AAA1"),
    (FELIDS, "clade", "Felis catus L."), ({"genus": ["Felis"]}, "unranked", "Felis catus"),
])  # fmt: skip
def test_what_stands_elsewhere_or_has_no_rank_is_left_out(more, rank, name):
    frame = pd.DataFrame({"family": ["F"], **more, "scientificName": [name], "taxonRank": [rank]})
    tree = Hierarchy.from_frame(frame)
    assert (tree.names, tree.titles) == (("F", *(name for [name] in more.values())), {})


@pytest.mark.parametrize("genus", ["Panthera", None])
@pytest.mark.parametrize("columns", [*permutations(["genus", "specificEpithet", "species"])])
def test_a_species_is_its_name_rather_than_its_epithet(columns, genus):
    row = {"specificEpithet": "uncia", "species": "Uncia uncia", "genus": genus}
    tree = Hierarchy.from_frame(pd.DataFrame([row])[list(columns)])
    assert tree.ranks == {"Uncia uncia": "species"} | ({genus: "genus"} if genus else {})
    assert edges_of(tree) == ([(genus, "Uncia uncia")] if genus else [])


def test_widths_of_codes_and_names_that_are_whole_paths(write, ran):
    codes = write("010121\tHorses\n010129\n0203\n", "hs.txt")
    write("1\t010121\n2\t0203\n", "truth.tsv")
    write("1\t010129\n2\t0203\n", "run.tsv")
    line = "score hs.txt truth.tsv s=run.tsv -m hf --digits 4 --hierarchy-widths"
    assert "0.8333" in ran(f"{line} 2,2,2").out  # of 01, 0101, 010121 two are right
    by_hand = Hierarchy.from_codes(["010121", "010129", "0203"], widths=(2, 2, 2), roots="any")
    read = read_hierarchy(codes, widths=(2, 2, 2), roots="any")
    assert (read.fingerprint, read.titles) == (by_hand.fingerprint, {"010121": "Horses"})
    for widths, said in (("2,3", r"010121' has 6 characters, .*\[2, 5\]"), ("2,x", "whole number")):
        assert re.search(said, ran(f"{line} {widths}", 2).err)
    said = "widths is for CODES files; this file was read as paths"
    refuses(said, read_hierarchy, codes, widths=(2,), fmt="paths")
    table = write("order,genus\nCarnivora,Felis\nCarnivora,Canis\n", "ranks.csv")
    tree = read_hierarchy(table, levels=("order", "genus"))
    refuses("named by their whole paths: Carnivora/Felis", LabelSets.from_labels, ["Felis"], tree)
    refuses(r"'elis' is not in the hierarchy \(", LabelSets.from_labels, ["elis"], tree)
    refuses(r"9… is not in the hierarchy \(", LabelSets.from_labels, ["9" * 5000], tree)
    ids = {"GO:1234": "GO:0", "self-employed": "GO:0"}  # which are no paths, though of two parts
    for part, whole in (("1234", "GO:1234"), ("employed", "self-employed")):
        refuses(f"did you mean '{whole}'", LabelSets.from_labels, [part], ids)
