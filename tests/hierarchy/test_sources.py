"""A hierarchy from anything, at every door: the same whatever it is held in, refused where it may be meant otherwise."""

import functools
import importlib
import inspect
import itertools
import json
import re
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from hierpair import BadInput, Hierarchy, read_hierarchy
from hierpair.errors import HierarchyWarning
from hierpair.io import parse_hierarchy
from tests.reading import edges_of, error_of, put, refuses

# A tree with an inner class that has one child, and a DAG with a class of two parents.
TREE = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")]
DAG = [*TREE, ("b", "c")]
LINES_OF_TREE = "".join(f"{p}\t{c}\n" for p, c in TREE)


def above(edges):
    names = dict.fromkeys(name for edge in edges for name in edge)
    return {n: [p for p, c in edges if c == n] for n in names}


def below(edges):
    return {n: [c for p, c in edges if p == n] for n in above(edges)}


def nested_of(edges, make, name="r"):
    return make(name, [nested_of(edges, make, c) for c in below(edges)[name]])


def multigraph(edges):
    relations = [*((c, p, "is_a") for p, c in edges), ("c", "e", "regulates")]
    return nx.MultiDiGraph(relations)


def frame_of(edges, parent="parent", child="child"):
    return pd.DataFrame(edges, columns=[parent, child])


FORMS = {
    "edges": list,
    "edges as lists": lambda edges: [list(edge) for edge in edges],
    "a set of edges": set,
    "a generator of edges": iter,
    "a map of lists of parents": above,
    "a map with sets of parents": lambda edges: {n: set(x) for n, x in above(edges).items()},
    "a graph of networkx": nx.DiGraph,
    "a graph of relations": multigraph,
    "an own JSON object": lambda edges: {"edges": [list(e) for e in edges]},
    "a frame of edges": frame_of,
    "a frame of sources and targets": lambda edges: frame_of(edges, "source", "target"),
    "records with lists of parents": lambda edges: [{"id": n, "parents": x} for n, x in above(edges).items()],
    "a frame with lists of parents": lambda edges: pd.DataFrame(
        [{"id": n, "name": n.upper(), "parents": x} for n, x in above(edges).items()]),
    "records with lists of children": lambda edges: [
        {"id": n, "name": n.upper(), "child_ids": x} for n, x in below(edges).items()],
    "objects by their ids": lambda edges: {n: {"child_ids": x} for n, x in below(edges).items()},
}  # fmt: skip
"""Things that hold any tree or DAG."""


def only(edges, none=None):
    """The parent of every class of a tree."""
    return {n: x[0] if x else none for n, x in above(edges).items()}


def joint(parts):
    return dict(kv for part in parts for kv in part.items())


def objects(name, children):
    return lambda edges: nested_of(edges, lambda x, parts: {name: x, children: parts, "size": 3})


NAME_KEYS = "name", "id", "label", "Key", "LabelName"
CHILD_KEYS = "children", "Subcategory", "subclasses"
TREE_FORMS = {
    "a map of parents": only,
    "a map of parents, nan for none": lambda edges: only(edges, float("nan")),
    "a Series of parents": lambda edges: pd.Series(only(edges)),
    "nested dicts": lambda edges: nested_of(edges, lambda x, parts: {x: joint(parts)}),
    "nested dicts, indices at the leaves": lambda edges: nested_of(
        edges, lambda x, parts: {x: joint(parts) or len(x)}),
    "nested lists": lambda edges: nested_of(edges, lambda x, parts: {x: parts} if parts else x),
    "dicts by name with a key for what is below": lambda edges: nested_of(
        edges, lambda x, parts: {x: {"children": parts}} if parts else x),
    **{f"objects with {n} and {c}": objects(n, c) for n in NAME_KEYS for c in CHILD_KEYS},
    "records": lambda edges: [{"id": n, "name": n * 2, "parent": x} for n, x in only(edges).items()],
    "records by their ids": lambda edges: {n: {"name": n * 2, "parent": x} for n, x in only(edges).items()},
}  # fmt: skip
"""Things that hold a tree."""


@pytest.mark.parametrize("form", [*FORMS, *TREE_FORMS])
def test_a_hierarchy_is_the_same_in_every_form_and_in_json(form, tmp_path):
    make = {**FORMS, **TREE_FORMS}[form]
    for edges in (TREE, DAG) if form in FORMS else (TREE,):
        assert edges_of(Hierarchy.of(make(edges))) == sorted(edges)
    path = tmp_path / "tree.json"
    try:
        path.write_text(json.dumps(make(TREE), allow_nan=False))
    except (TypeError, ValueError):
        return  # no JSON
    assert edges_of(read_hierarchy(path)) == sorted(TREE)


@pytest.mark.parametrize("above_each", [[0], [0, 0, 1, 1, 3], [0, 1, 2, 0, 3, 3, 0], [*range(11)]])
@pytest.mark.parametrize("root", [-1, None, float("nan")])
def test_vectors_of_parents(above_each, root):
    """The usual form of deep learning: the parent of class 0, 1, 2, … by its number."""
    vector = [root, *above_each]
    edges = sorted((str(p), str(c)) for c, p in enumerate(above_each, start=1))
    forms = [vector, tuple(vector), pd.Series(vector), dict(enumerate(vector))]
    if root == -1:
        forms += [np.array(vector), np.array(vector, dtype=float)]
    for form in forms:
        assert edges_of(Hierarchy.from_parents(form)) == edges_of(Hierarchy.of(form)) == edges


PARENT_TITLES = ["parent", "Parent ID", "parent_code", "parentId", "superclass", "is_a", "broader"]
ID_TITLES = ["id", "Code", "class_id", "term", "taxon_id", "uid", "concept"]


@pytest.mark.parametrize("parent", PARENT_TITLES)
@pytest.mark.parametrize("child", ID_TITLES)
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_columns_in_any_order_with_a_name_beside_them(parent, child, sign, tmp_path):
    rows = [(n, n * 2, x) for n, x in only(TREE, "").items()]
    for k, order in enumerate(itertools.permutations(range(3))):
        lines = [[row[i] for i in order] for row in [(child, "name", parent), *rows]]
        path = tmp_path / f"{k}.{'csv' if sign == ',' else 'tsv'}"
        path.write_text("\n".join(map(sign.join, lines)) + "\n")
        tree = read_hierarchy(path)
        assert edges_of(tree) == sorted(TREE)
        assert tree.titles["a"] == "aa"
        frame = pd.DataFrame(lines[1:], columns=lines[0]).replace("", None)
        assert Hierarchy.from_frame(frame).fingerprint == tree.fingerprint


KINDS = {
    "text": lambda x: None if x is None else str(x),
    "whole": lambda x: x,
    "float": lambda x: None if x is None else float(x),
    "text of a float": lambda x: None if x is None else f"{x}.0",
}


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, repeat=2)), ids=str)
def test_numbers_are_numbers_however_they_are_written(kinds, tmp_path):
    """Gaps in a column turn 1 into 1.0, and some columns are read as texts; a parent may have no row."""
    rootless = [(1, 2), (1, 3), (2, 4)]
    for edges in [[(1, 2), (1, 3), (2, 4), (2, 5), (3, 6)], *[rootless] * (len({*kinds}) == 1)]:
        rows = [row for row in only(edges).items() if row[1] or edges is not rootless]
        cells = [[KINDS[kind](x) for kind, x in zip(kinds, row, strict=True)] for row in rows]
        frame = pd.DataFrame(cells, columns=["id", "parent"], dtype=object)
        frame.to_csv(tmp_path / "tree.csv", index=False)
        found = [Hierarchy.from_frame(frame), Hierarchy.of(frame.to_dict("records"))]
        for tree in (*found, read_hierarchy(tmp_path / "tree.csv")):
            assert edges_of(tree) == sorted((str(p), str(c)) for p, c in edges)
        given = {c: float(p) if p else None for c, p in only(edges).items()}
        assert Hierarchy.from_parents(given).names == tuple(above(edges))


def test_one_number_in_two_spellings_is_refused():
    for edges in ([("1", "2"), ("2.0", "3"), ("1", "4")], [("1", 2), ("2", 3), ("1", 4)]):
        refuses("written in two ways", Hierarchy.from_edges, edges)
        assert len(Hierarchy.from_edges(edges, roots="any")) == 5
    assert Hierarchy.from_edges([("1", "1.0"), ("1", "1.1")]).roots == ["1"]  # codes


COLUMNS = {"id": list("123"), "code": list("xyz"), "name": list("XYZ")}


@pytest.mark.parametrize(("table", "found"), [
    (COLUMNS | {"parent": ["", "x", "x"]}, ("x", "y", "z")),
    (COLUMNS | {"parent": ["", "X", "X"]}, ("X", "Y", "Z")),
    ({"parent": ["r", "r"], "child": ["a", "b"], "id": ["r", "s"]}, ("r", "a", "b")),  # before ids
    ({"name": list("XYZ"), "label": list("XYZ"), "parent": ["", "q", "s"]}, "which column is the class"),
    (COLUMNS | {"code": list("321"), "parent": ["", "1", "1"]}, r"may be 'id' with the parent .* or 'code' with"),
], ids=range(5))  # fmt: skip
def test_names_decide_only_where_the_rows_allow_it(table, found):
    frame = pd.DataFrame(table)
    if isinstance(found, tuple):
        assert Hierarchy.from_frame(frame).names == found
    else:
        assert re.search(found, error_of(Hierarchy.from_frame, frame))


# ---------------------------------------------------------------- what may be meant otherwise

OF, EDGES_OF, PARENTS_OF = Hierarchy.of, Hierarchy.from_edges, Hierarchy.from_parents
NESTED_OF = Hierarchy.from_nested
REFUSED = [
    (OF, 3, "a hierarchy is wanted, got int"),
    (OF, [], "the hierarchy is empty"),
    (OF, ["a", "b"], "2 classes and no edge, such as 'a' .*need a separator"),
    (OF, [["a", "b", "c"], ["a", "b", "d"]], "others go to from_paths"),
    (OF, np.zeros((3, 3)), "a matrix of links"),
    (OF, nx.Graph([("a", "b")]), "undirected.*bfs_tree"),
    (OF, {"cat": 0, "dog": 1}, "to numbers"),
    (OF, [{"name": "r", "unten": [{"name": "a"}]}], "call it children"),
    (PARENTS_OF, {"r": None, "a": "r", "b": "r", "lone": None}, "'lone' has no children"),
    *((PARENTS_OF, {"r": "", "a": "r", "b": "r", "x": x}, "one parent, or a, b") for x in ("a|b", "a, b", "['a', 'b']")),
    (OF, {"id": ["x", "y", "z"], "parents": ["A|B", "A", "B"]}, "one parent, or A, B"),
    *((OF, {"id": ["r", "a", "x"], "ancestors": ["", "r", way]}, "ids run from the top")
      for way in ("a;r", "a;x;r", "r;q;a")),
    (OF, {"id": ["x", "y"], "lineage": ["r;a", "r;b"]}, "all but the highest need a row"),
    *((Hierarchy.from_paths, [["r", "a", "x"], ["r", "b", blank]], f"'r/b/{blank}' looks like a blank")
      for blank in ("nan", "None", "-")),
    *((PARENTS_OF, vector, r"its parent must be a class|its own parent")
      for vector in ([-1, 0, 3], [-1, 0.5], [-1, "a"], [0, 0])),
    (NESTED_OF, {"r": [True, False]}, "must be a name"),
    (NESTED_OF, {"cat": "all", "dog": "all"}, "is that its parent, or below it"),
    *((NESTED_OF, {"r": {key: ["a"], "b": {"c": {}}}}, f"the key '{key}'")
      for key in ("children", "child_ids", "Subcategory", "subclasses")),
    (EDGES_OF, [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")], "4 roots .* turned round there would be 2"),
    (EDGES_OF, [("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("d", "y")], "4 roots .* turned round there would be 2"),
    *((OF, thing, r"\w") for thing in (
        [{"sub": "cat", "obj": "animal"}, {"sub": "animal", "obj": "all"}],
        {"categories": [{"id": 1, "name": "cat", "supercategory": "animal"}, {"id": 2, "name": "dog"}]},
        {"tree": {"name": "all", "children": [{"name": "cat"}, {"name": "dog"}]}},
        {"hierarchy": {"all": {"animal": ["cat", "dog"]}}},
        {"taxonomy": {"cat": "animal", "animal": "all", "dog": "animal"}},
        {"directed": False, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]},
        {"animal": ["cat", "dog"], "plant": ["oak", "elm"]}, {"1": 0, "2": 1, "3": 1})),
]  # fmt: skip


@pytest.mark.parametrize(("door", "thing", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_hierarchy_or_may_be_another_is_refused(door, thing, said):
    refuses(said, door, thing)


ACCEPTED = [
    ({"animal": {"cat": True, "dog": False}, "plant": {"oak": True}}, ("animal", "plant", "cat", "dog", "oak")),
    ({"name": "r", "Part": [{"name": "x"}], "Subcategory": [{"name": "a"}]}, ("r", "a")),
    ({"id": 1, "name": "all", "children": [{"id": 2, "name": "cat"}]}, (1, 2)),
    *((thing, ("r", "a", "b", "c", "d", "e")) for thing in (
        pd.Series(list(TREE)), np.array(TREE), frame_of(TREE).to_dict("list"))),
    ({"source": ["r", "a"], "target": ["a", "x"]}, ("r", "a", "x")),
    ({"source": ["r"], "target": ["source"]}, ("r", "source", "target")),
    *((thing, ("all", "cat", "dog")) for thing in (
        [{"source": "all", "target": "cat"}, {"source": "all", "target": "dog"}],
        [{"from": "all", "to": "cat"}, {"from": "all", "to": "dog"}],
        {"name": "all", "index": 0, "children": [{"name": "cat", "index": 1}, {"name": "dog", "index": 2}]},
        {"all": {"children": [{"cat": {"data": 1}}, {"dog": {"data": 2}}], "data": 3}},
        {"name": "all", "nodes": [{"name": "cat"}, {"name": "dog"}]},
        [{"id": "all", "parent": None, "state": {"opened": True}}, {"id": "cat", "parent": "all"},
         {"id": "dog", "parent": "all", "tags": ["x"]}])),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::hierpair.errors.HierarchyWarning")
@pytest.mark.parametrize(("thing", "names"), ACCEPTED, ids=range(len(ACCEPTED)))
def test_what_means_one_thing_is_taken(thing, names):
    found = Hierarchy.of(thing)
    assert sorted(map(str, found.names)) == sorted(map(str, names))
    assert names[0] != "all" or found.names == names
    assert found.titles == ({1: "all", 2: "cat"} if names == (1, 2) else {})
    assert len(Hierarchy.from_edges([("r", "a"), ("r", "b")], classes=["lone"])) == 4


@pytest.mark.parametrize(("name", "text", "said", "how", "roots"), [  # or all names, as a tuple
    ("t.tsv", "11\tfarming\n111\tcrops\n112\tanimals\n", "codes have a format of their own", {"fmt": "codes"}, ["11"]),
    ("t.json", '{"cat": 0, "dog": 1}', "to numbers", None, None),
    ("t.tsv", "nr\ttekst\tover\nx\tall a\t\nxa\tsome b\tx\nxb\trest\tx\n", "is this a table", None, None),
    ("t.txt", "all -> animal -> cat\nall -> animal -> dog\n", "lineages need --hierarchy-separator",
     {"separator": "->"}, ["all"]),
    ("t.txt", "# Version: 2021\nA > B\nA > C\n", "--hierarchy-separator", {"separator": ">"}, ["A"]),
    ("t.txt", "#news\t#local\n#news\t#world\n", None, {}, ["#news"]),
    ("t.csv", "parent,child\n0,1\n1,2\n1,3\n", None, {}, ("0", "1", "2", "3")),  # an upper class without a row of its own
    ("t.csv", "id,parent\n1,root\n", None, {}, ("root", "1")),
    ("t.txt", '{"r": {"a": {}, "b": {}}}', None, {}, ["r"]), ("t.json", "[-1, 0, 0]", None, {}, ["0"]),
    ("t.json", "[-1, 3, 0]", "must be a class from 0 to 2", None, None),
    ("t.jsonl", '{"id": "r"}\n{"id": "a", "parent": "r"}\n{"id": "b", "parent": "r"}\n', None, {}, ("r", "a", "b")),
    ("t.txt", "1/a\n1/-\n", "looks like a blank", {"roots": "any"}, ["1"]),
    ("t.csv", "taxon_id,ancestry,name\n1,,Life\n2,1,A\n3,1/2,B\n", None, {}, ("1", "2", "3")),
])  # fmt: skip
def test_files_that_may_be_meant_otherwise_name_the_option(tmp_path, name, text, said, how, roots):
    path = put(tmp_path / name, text)
    if said is not None:
        refuses(said, read_hierarchy, path)
    if how is not None:
        tree = read_hierarchy(path, **how)
        assert (tree.names if isinstance(roots, tuple) else tree.roots) == roots


@pytest.mark.parametrize("form", ["edges", "a graph of networkx", "a map of lists of parents", "file.edges",
                                  "file.json", "file.taxonomy"])  # fmt: skip
def test_upside_down_is_refused_and_can_be_turned(form, tmp_path):
    turned = [(c, p) for p, c in TREE]
    if form in FORMS:
        thing, read = FORMS[form](turned), Hierarchy.of
    else:
        thing, read = tmp_path / form, functools.partial(read_hierarchy, fmt=form[5:])
        lines = "".join(f"{a}\t{b}\n" for a, b in turned)
        thing.write_text(json.dumps(turned) if form == "file.json" else lines)
    refuses(r"are parent and child swapped.*direction", read, thing)
    other, same = ("child-to-parent", "parent-to-child")[:: -1 if "map" in form else 1]
    assert edges_of(read(thing, direction=other)) == sorted(TREE)
    for how in ({"direction": same}, {"roots": "any"}):
        assert len(read(thing, **how).roots) == 3
    frame = frame_of(TREE, "child", "parent")  # names are exchanged, and no direction is offered
    assert re.search(r"swapped\? Exchange their names(?!.*direction=)", error_of(OF, frame))
    said = error_of(OF, frame, direction="child-to-parent")
    assert "names of columns or keys say which is the parent" in said


@pytest.mark.parametrize(("text", "roots"), [
    *((f"{head}\n{LINES_OF_TREE}", None) for head in ("über\tunter", "superclass\tkind", "a_is\tb_is", "id\tname")),
    *((f"{head}\n{LINES_OF_TREE}", ["r"])
      for head in ("superclass\tsubclass", "Parent\tChild", "from\tto", "parent_id\tid")),
    ("parent\tchild\nx\ty\nr\ta\nr\tb\n", ["r", "x"]), ("r\ta\nx\ty\nr\tb\n", ["r", "x"]),
    ("x\ty\nr\ta\nr\tb\n", None),  # a tree of one edge is a header only in the first line
])  # fmt: skip
def test_a_header_is_no_edge(text, roots, tmp_path):
    path = put(tmp_path / "tree.tsv", text)
    if roots is not None:
        assert sorted(read_hierarchy(path).roots) == roots
        return
    refuses(r"first line alone|a header|is what columns are called", read_hierarchy, path)
    assert len(read_hierarchy(path, roots="any").roots) == 2


def test_a_blank_or_a_sign_for_no_parent_is_no_class(tmp_path):
    for blank in ("-1", "nan", "None", "NULL", -1):
        words = "looks like a blank|is no class|parent of a root"
        refuses(words, Hierarchy.from_edges, [(blank, "r"), *TREE])
        refuses(words, Hierarchy.from_parents, {"r": blank, "a": "r", "b": "r"})
        assert len(Hierarchy.from_edges([(blank, "r"), *TREE], roots="any")) == 7
    path = tmp_path / "t.csv"
    for sign in ("0", "root", "-", "#", "\\N", "None", "-1", "-1.0"):
        for header in ("id,parent", "code,parent_id", "label,parent_label"):
            path.write_text(f"{header}\n1,{sign}\n2,1\n3,1\n")
            child, parent = header.split(",")
            records = [{child: c, parent: p} for c, p in [("1", sign), ("2", "1"), ("3", "1")]]
            for read, thing in ((read_hierarchy, path), (Hierarchy.of, records)):
                refuses("blank", read, thing)


def test_several_roots_alone_are_told_in_one_line(tmp_path):
    forest = [("x", "a"), ("x", "b"), ("y", "c"), ("y", "d")]
    with pytest.warns(HierarchyWarning, match=r"2 roots \(x, y\)"):
        Hierarchy.from_edges(forest)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Hierarchy.from_edges(forest, roots="any")
    path, notes = tmp_path / "tree.tsv", []
    path.write_text("".join(f"{p}\t{c}\n" for p, c in forest))
    read_hierarchy(path, on_note=notes.append)
    assert ["2 roots (x, y)" in note for note in notes] == [True]


LINES = ["A", "A{0}B", "A{0}B{0}C", "D", "D{0}B"]


@pytest.mark.parametrize("sign", ["/", " > ", ";", "--", "::", ".", "|"])
def test_lineages_with_any_separator(sign, tmp_path):
    ranks = Hierarchy.from_paths([f"d{sign}p{sign}c__", f"d{sign}q{sign}c__"], separator=sign)
    assert len(ranks.names) == 3  # a rank without a name ends a lineage
    lines = [line.format(sign) for line in LINES]
    expected = {x.format(sign) for x in LINES}
    assert set(Hierarchy.from_paths(lines, separator=sign).names) == expected
    path = put(tmp_path / "tree.txt", "\n".join(lines) + "\n")
    assert set(read_hierarchy(path, separator=sign).names) == expected
    assert set(read_hierarchy(path, separator=sign.strip()).names) == expected
    if sign != "/":
        refuses("--hierarchy-separator", read_hierarchy, path)
    upwards = [sign.join(reversed(line.split(sign))) for line in lines]
    turned = Hierarchy.from_paths(upwards, separator=sign, direction="child-to-parent")
    assert set(turned.names) == expected


@pytest.mark.parametrize(("codes", "separator", "expected"), [
    (["11", "111", "1112", "112"], None, [("11", "111"), ("11", "112"), ("111", "1112")]),
    (["1.1.1", "1.2"], ".", [("1", "1.1"), ("1", "1.2"), ("1.1", "1.1.1")]),
    (["A00", "A00.1", "A00.2"], ".", [("A00", "A00.1"), ("A00", "A00.2")]),
    (["A00", "A00.1", "A00.11"], None, [("A00", "A00.1"), ("A00.1", "A00.11")]),
])  # fmt: skip
def test_codes(codes, separator, expected, tmp_path):
    assert edges_of(Hierarchy.from_codes(codes, separator=separator)) == expected
    path = tmp_path / "codes.txt"
    path.write_text("".join(f"{code}\tname of {code}\n" for code in codes))
    tree = read_hierarchy(path, fmt="codes", separator=separator)
    assert edges_of(tree) == expected
    assert tree.titles[codes[0]] == f"name of {codes[0]}"
    path.write_text("".join(f"{code}\n" for code in codes))
    refuses("codes", read_hierarchy, path)


def test_codes_by_the_width_of_levels():
    """Codes above need not be listed; inner codes may be; what ends between levels is refused."""
    codes = ["010121", "010129", "0102", "02", "010121"]
    found = Hierarchy.from_codes(codes, widths=(2, 2, 2), roots="any")
    edges = [("01", "0101"), ("01", "0102"), ("0101", "010121"), ("0101", "010129")]
    assert (edges_of(found), sorted(found.roots)) == (edges, ["01", "02"])
    for how, words in (
        ({"widths": (1, 2, 3)}, r"'010121' has 6 .*after \[1, 3, 6\]|'0102' has 4 characters"),
        ({"widths": ()}, "whole numbers > 0"), ({"widths": (2, 0)}, "whole numbers > 0"),
        ({"widths": (2, 2), "separator": "."}, "not both"),
    ):  # fmt: skip
        refuses(words, Hierarchy.from_codes, codes, **how)


RANKS = ["order", "family", "genus"]


def test_columns_of_levels(tmp_path):
    frame = pd.DataFrame([("C", "F", "x"), ("C", "F", "y"), ("C", "G", None)], columns=RANKS)
    path, other, of_frame = tmp_path / "tree.csv", tmp_path / "other.csv", Hierarchy.from_frame
    frame.to_csv(path, index=False)
    expected = ("C", "C/F", "C/G", "C/F/x", "C/F/y")
    assert Hierarchy.from_paths(frame).names == read_hierarchy(path, levels=RANKS).names == expected
    assert read_hierarchy(path).names == ("C", "F", "G", "x", "y")  # their titles are ranks
    for text, said in (("top,middle,low\nC,F,x\n", "top, middle, low; .* --hierarchy-lev"),
                       ("\x01\x0b\x01,b\n1,2\n", "b")):  # fmt: skip
        other.write_text(text)
        assert re.fullmatch(f".*{said}.*", error_of(read_hierarchy, other))  # one line
    for read, thing, how, said in (
        (read_hierarchy, path, {"levels": ["order", "species"]}, "there is no column 'species'"),
        (of_frame, frame, {"levels": ["order", "famly"]}, "there is no column 'famly'; did you mean 'family'"),
        (of_frame, frame, {"levels": "order"}, "levels must be a list of columns"),
        (of_frame, frame, {"levels": ["order"], "child": "genus"}, "either levels or child"),
        (of_frame, frame, {"levels": ["genus", "order"]}, "path 3: a class name is missing"),
    ):  # fmt: skip
        refuses(said, read, thing, **how)
    path.write_text("order,family,genus\nC,F,x\nC,,x\nC,F/G,x\n")
    faults = []
    found = parse_hierarchy(path, levels=RANKS, trouble=faults.append)
    assert found.edges == [("C", "C/F"), ("C/F", "C/F/x")]
    assert faults[0] == f"{path}:3: a class name is missing on the way to another"
    assert faults[1].startswith(f"{path}:4: the name 'F/G' holds the separator '/'; choose")
    turned = {"separator": " > ", "direction": "child-to-parent", "trouble": faults.append}
    assert parse_hierarchy(path, levels=RANKS, **turned).edges[0] == ("x", "x > F")


# ------------------------------------------------------------------------------ doors


@pytest.mark.parametrize("thing", [3, True, object(), b"x"])
@pytest.mark.parametrize("door", ["of", "from_edges", "from_parents", "from_nested", "from_paths",
                                  "from_codes", "from_frame", "from_networkx"])  # fmt: skip
def test_every_door_refuses_what_is_no_collection(door, thing):
    with pytest.raises(BadInput):
        getattr(Hierarchy, door)(thing)


ROOMS = ("", "metrics", "labels", "comparison", "evaluation", "explanation", "probabilistic",
         "verification", "report")  # fmt: skip
WITHIN = {
    "lint": "it checks a file",
    "NodeScores": "arrays; its constructors take anything",
    "LabelDistribution": "arrays; its constructors take anything",
    "LabelDistribution.from_sets": "arrays",
    "verify_values": "the name of a file",
    "score_dataset": "it may be a file that every process reads",
    **dict.fromkeys(("Case", "ClassAreas", "Examination", "Response"), "a result"),
}
"""Public names with a hierarchy among their parameters that are no doors."""


def doors():
    """Public functions, and constructors of classes, with a hierarchy among their parameters."""
    found = {}
    for room in ROOMS:
        module = importlib.import_module(f"hierpair.{room}".rstrip("."))
        for name in module.__all__:
            found[name] = thing = getattr(module, name)
            if name in ("LabelSets", "NodeScores", "LabelDistribution"):
                ways = [k for k in vars(thing) if k.startswith("from_")]
                found |= {f"{name}.{k}": getattr(thing, k) for k in ways}
    return {key: f for key, f in found.items() if "hierarchy" in parameters_of(f)}


def parameters_of(function):
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


ALL_DOORS = doors()
DOORS = {key: function for key, function in ALL_DOORS.items() if key not in WITHIN}


def test_the_list_of_what_is_no_door_is_not_longer_than_it_must_be():
    assert WITHIN.keys() <= ALL_DOORS.keys()
    assert len(DOORS) > 100


@pytest.mark.parametrize("name", DOORS)
def test_what_is_no_hierarchy_is_refused_before_all_else(name):
    """All other arguments are nonsense, and still it is the hierarchy that the error is about."""
    needed = {key: object() for key, p in parameters_of(DOORS[name]).items()
              if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}  # fmt: skip
    refuses("a hierarchy is wanted, got ellipsis", DOORS[name], **needed | {"hierarchy": ...})
