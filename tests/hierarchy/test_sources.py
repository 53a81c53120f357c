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

from hierpair import Hierarchy, read_hierarchy
from hierpair.errors import HierarchyWarning
from hierpair.hierarchy import named_levels
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
    return nx.MultiDiGraph([*((c, p, "is_a") for p, c in edges), ("c", "e", "regulates")])


def frame_of(edges, parent="parent", child="child"):
    return pd.DataFrame(edges, columns=[parent, child])


FORMS = {
    "edges": list,
    "edges as lists": lambda edges: [list(edge) for edge in edges],
    "a set of edges": set, "a generator of edges": iter, "a map of lists of parents": above,
    "a map with sets of parents": lambda edges: {n: set(x) for n, x in above(edges).items()},
    "a graph of networkx": nx.DiGraph, "a graph of relations": multigraph,
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
    try:
        text = json.dumps(make(TREE), allow_nan=False)
    except (TypeError, ValueError):
        return  # no JSON
    assert edges_of(read_hierarchy(put(tmp_path / "tree.json", text))) == sorted(TREE)


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
def test_columns_in_any_order_with_a_name_beside_them(parent, child, tmp_path):
    sign = ",;\t"[(PARENT_TITLES.index(parent) + ID_TITLES.index(child)) % 3]
    rows = [(n, n * 2, x) for n, x in only(TREE, "").items()]
    for k, order in enumerate(itertools.permutations(range(3))):
        lines = [[row[i] for i in order] for row in [(child, "name", parent), *rows]]
        text = "\n".join(map(sign.join, lines)) + "\n"
        tree = read_hierarchy(put(tmp_path / f"{k}.{'csv' if sign == ',' else 'tsv'}", text))
        assert edges_of(tree) == sorted(TREE)
        assert tree.titles["a"] == "aa"
        frame = pd.DataFrame(lines[1:], columns=lines[0]).replace("", None)
        assert Hierarchy.from_frame(frame).fingerprint == tree.fingerprint


KINDS = {"text": str, "whole": int, "float": float, "text of a float": "{}.0".format}


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, repeat=2)), ids=str)
def test_numbers_are_numbers_however_they_are_written(kinds, tmp_path):
    """Gaps in a column turn 1 into 1.0, and some columns are read as texts; a parent may have no row."""
    rootless = [(1, 2), (1, 3), (2, 4)]
    for edges in [[(1, 2), (1, 3), (2, 4), (2, 5), (3, 6)], *[rootless] * (len({*kinds}) == 1)]:
        rows = [row for row in only(edges).items() if row[1] or edges is not rootless]
        cells = [[x and KINDS[k](x) for k, x in zip(kinds, row, strict=True)] for row in rows]
        frame = pd.DataFrame(cells, columns=["id", "parent"], dtype=object)
        frame.to_csv(tmp_path / "tree.csv", index=False)
        found = [Hierarchy.from_frame(frame), Hierarchy.of(frame.to_dict("records"))]
        for tree in (*found, read_hierarchy(tmp_path / "tree.csv")):
            assert edges_of(tree) == sorted((str(p), str(c)) for p, c in edges)
        given = {c: float(p) if p else None for c, p in only(edges).items()}
        assert Hierarchy.from_parents(given).names == tuple(above(edges))


COLUMNS = {"id": list("123"), "code": list("xyz"), "name": list("XYZ")}
OF, OF_EDGES, OF_PARENTS = Hierarchy.of, Hierarchy.from_edges, Hierarchy.from_parents
OF_FRAME, OF_PATHS, OF_NESTED = Hierarchy.from_frame, Hierarchy.from_paths, Hierarchy.from_nested
TURNED = "4 roots .* turned round there would be 2"
HEADER = "first line alone|a header|is what columns are called"
WIDE = ["010121", "010129", "0102", "02", "010121"]
EDGE_FIRST = "x\ty\nr\ta\nr\tb\n"
MEANT = [
    (OF, 3, "a hierarchy is wanted, got int"), (OF, [], "the hierarchy is empty"),
    (OF, ["a", "b"], "2 classes and no edge, such as 'a' .*need a separator"),
    (OF, [["a", "b", "c"], ["a", "b", "d"]], "others go to from_paths"),
    (OF, np.zeros((3, 3)), "a matrix of links"),
    (OF, nx.Graph([("a", "b")]), "undirected.*bfs_tree"),
    (OF, {"cat": 0, "dog": 1}, "to numbers"),
    (OF, [{"name": "r", "unten": [{"name": "a"}]}], "call it children"),
    (OF_PARENTS, {"r": None, "a": "r", "b": "r", "lone": None}, "'lone' has no children"),
    *((OF_PARENTS, {"r": "", "a": "r", "b": "r", "x": x}, "one parent, or a, b") for x in ("a|b", "a, b", "['a', 'b']")),
    (OF_FRAME, {"cell_type": ["a", "b"], "parent": [None, "a"]}, ["a"]),
    (OF_FRAME, {"size": [1, 2], "parent": ["r", "r"]}, "which column is the class and which its parent"),
    (OF, {"id": ["x", "y", "z"], "parents": ["A|B", "A", "B"]}, "one parent, or A, B"),
    *((OF, {"id": ["r", "a", "x"], "ancestors": ["", "r", way]}, "ids run from the top")
      for way in ("a;r", "a;x;r", "r;q;a")),
    (OF, {"id": ["x", "y"], "lineage": ["r;a", "r;b"]}, "all but the highest need a row"),
    *((OF_PATHS, [["r", "a", "x"], ["r", "b", blank]], f"'r/b/{blank}' looks like a blank")
      for blank in ("nan", "None", "-")),
    *((OF_PATHS, ["r/a", path], "path 2: expected a text or a list of names, got") for path in (3, ["r", True])),
    *((OF_PARENTS, vector, r"its parent must be a class|its own parent")
      for vector in ([-1, 0, 3], pd.Series([-1, 0, 3]), [-1, 0.5], [-1, "a"], [0, 0])),
    (OF_PARENTS, {"r": "", "a": "r", "x": ["a|r", "q"]}, "one parent, or a, r"),
    (OF_NESTED, {"r": [True, False]}, "must be a name"),
    (OF, {"id": "r", "children": [{"id": "a", "parent": "z"}]}, "the class 'a' stands under 'r' and names the parent 'z'"),
    *((OF, {"name": "r", "children": [below]}, "a class under 'r' must be a name or have a name and a list")
      for below in ({"size": 4}, {"data": None}, {"name": "a", "children": 2}, {"size": 4, "x": 3}, {"x": {"size": 3}}, ["a", {"b": []}])),
    *((OF, {"name": "r", "children": ["a"], "dog": dog}, "the class 'r' has children, dog: which of them holds what is below it?")
      for dog in ({"children": ["pug"]}, {"pug": {}}, [{"name": "x"}, {"name": "pug", "children": []}])),
    (OF, {"name": "r", "children": ["a"], "data": {"n": 1, "tags": []}, "li_attr": {}, "other": ["x"]}, ("r", "a")),
    (OF_NESTED, {"cat": "all", "dog": "all"}, "^'cat' has the name 'all': is that its parent, or below it"),
    (OF_NESTED, {"r": {"cat": "all", "dog": ["x"]}}, "^'cat' under 'r' has the name 'all'"),
    *((OF_NESTED, {"r": {key: ["a"], "b": {"c": {}}}}, f"the key '{key}'")
      for key in ("children", "child_ids", "Subcategory", "subclasses")),
    *((OF_EDGES, edges, "written in two ways", {"roots": "any"}, [*edges[0][:1], edges[1][0]])  # one number
      for edges in ([("1", "2"), ("2.0", "3"), ("1", "4")], [("1", 2), ("2", 3), ("1", 4)])),
    (OF, nx.DiGraph([("1", "a"), (1, "b"), ("1", "c"), (1, "d")]), "written in two ways"),
    (OF_EDGES, [("1", "1.0"), ("1", "1.1")], ["1"]),  # codes
    *((functools.partial(OF_EDGES, direction="child-to-parent"), [edge], r"expected \(parent, child.*, got") for edge in ("ab", ["a"])),
    (OF_EDGES, [("data", "a"), ("data", "b")], ["data"]),
    (OF, [{"id": "r", "parent": None}, {"id": "a", "parent": True}], "record 2: expected the name of a class, got True"),
    (OF_PATHS, ["r/a/"], "path 1: a class name is missing in 'r/a/'"),
    (functools.partial(Hierarchy.from_networkx, relations=["part_of"]), multigraph(TREE), "'part_of' .*there are is_a, regulates"),
    *((OF_EDGES, [("r", "Ab c"), (twin, "x"), ("r", "y"), (twin, "z")], "written in two ways", {"roots": "any"}, ["r", twin])
      for twin in ("ab c", "Ab  c", '"Ab c"', "Ab c\u200b", "\uff21b c")),
    (OF_PARENTS, {"Ab": "", "ab": "", "x": "Ab", "y": "ab"}, ["Ab", "ab"]),  # both have a row of their own
    *((OF_EDGES, [("r", "x"), (made, "y"), ("r", "z"), (made, "v")], "what spreadsheets make", {"roots": "any"}, ["r", made])
      for made in ("1-Mar", "12-Dec", "Sep-01", "1.00E+05", "1E+05")),
    *((OF_EDGES, [("r", "x"), (kept, "y"), ("r", "z"), (kept, "v")], ["r", kept]) for kept in ("1E5", "MAR1", "3-Mars", "1-2")),
    (OF, {0: "cat", 1: "dog", 2: "oak"}, "as many classes below: are these pairs"),
    (OF, {0: "cat", 1: "dog", 2: "oak", 3: "oak"}, ["cat", "dog", "oak"]),
    *((OF_NESTED, {"r": {"a": {"n": x}, "b": {"n": x}}}, f"the key 'n' stands with {x} under 'a' and elsewhere") for x in (3, True)),
    (OF_NESTED, {"r": {"a": {"n": 3}, "b": {"m": 3}}}, ["r"]),
    (OF_PATHS, ["x/a/r", "y/a/r", "z/r"], "begin in 3 ways and all end in 'r': do they run from the top", {"direction": "child-to-parent"}, ["r"]),
    *((OF_PATHS, paths, ["x", "y", *"z"[: len(paths) - 2]])
      for paths in (["x/r", "y/r"], ["x/1", "y/1", "z/1"], ["x/r", "y/r", "z/q"])),
    (OF_EDGES, [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")], TURNED),
    (OF_EDGES, [("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("d", "y")], TURNED),
    *((OF, thing, r"\w") for thing in (
        [{"sub": "cat", "obj": "animal"}, {"sub": "animal", "obj": "all"}],
        {"categories": [{"id": 1, "name": "cat", "supercategory": "animal"}, {"id": 2, "name": "dog"}]},
        {"tree": {"name": "all", "children": [{"name": "cat"}, {"name": "dog"}]}},
        {"hierarchy": {"all": {"animal": ["cat", "dog"]}}},
        {"taxonomy": {"cat": "animal", "animal": "all", "dog": "animal"}},
        {"directed": False, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]},
        {"animal": ["cat", "dog"], "plant": ["oak", "elm"]}, {"1": 0, "2": 1, "3": 1})),
    *((functools.partial(Hierarchy.from_codes, **how), WIDE, said) for said, how in (
        (r"'010121' has 6 .*after \[1, 3, 6\]|'0102' has 4 characters", {"widths": (1, 2, 3)}),
        ("whole numbers > 0", {"widths": ()}), ("whole numbers > 0", {"widths": (2, 0)}),
        ("not both", {"widths": (2, 2), "separator": "."}))),
    *((Hierarchy.from_codes, codes, "none of them blank, got") for codes in (["11", " "], ["11", 1.5])),
    # what means one thing
    (OF, {"animal": {"cat": True, "dog": False}, "plant": {"oak": True}}, ("animal", "plant", "oak", "cat", "dog")),
    (functools.partial(OF_EDGES, classes=["lone"]), [("r", "a"), ("r", "b")], ("lone", "r", "a", "b")),
    (functools.partial(OF_EDGES, classes={8, 1}), [("r", 8), ("r", 1)], ("r", 1, 8)),
    (OF, {"family": {"parent": {"mother": {}}, "child": {"son": {}}}}, ("family", "parent", "child", "son", "mother")),
    (OF, {"id": "r", "name": "r", "children": [{"id": "a", "name": "a"}]}, ("r", "a")),
    ("t.json", '{"edges": [[1, 2], [1, 3]]}', ("1", "2", "3")),
    (OF, {"name": "r", "Part": [{"name": "x"}], "Subcategory": [{"name": "a"}]}, ("r", "a")),
    (functools.partial(OF_PARENTS, direction="parent-to-child"), {"r": ["a", "na"], "a": ["1"]}, ("r", "a", "na", "1")),
    (functools.partial(OF_PARENTS, direction="parent-to-child"), {"I": ["1", "2"]}, ("I", "1", "2")),
    *((OF, {"edges": [["r", "a"], ["r", "b"]], **said}, ("r", "a", "b"))
      for said in ({"titles": {"a": None}}, {"titles": {"a": ""}}, {"aliases": {None: "a"}})),
    (OF, {"id": "r", "children": [{"id": x, "parent": "r", "parent_label": "R"} for x in "ab"]}, ("r", "a", "b")),
    (OF, {"id": 1, "name": "all", "children": [{"id": 2, "name": "cat"}]}, (1, 2)),
    (OF, {"id": None, "name": "r", "children": [{"id": None, "name": "a"}]}, ("r", "a")),
    *((OF, thing, ("r", "a", "b", "c", "d", "e")) for thing in (
        pd.Series(list(TREE)), np.array(TREE), frame_of(TREE).to_dict("list"))),
    (OF, {"source": ["r", "a"], "target": ["a", "x"]}, ("r", "a", "x")),
    (OF, {"source": ["r"], "target": ["source"]}, ("r", "source", "target")),
    *((OF, thing, ("all", "cat", "dog")) for thing in (
        [{"source": "all", "target": "cat"}, {"source": "all", "target": "dog"}],
        [{"from": "all", "to": "cat"}, {"from": "all", "to": "dog"}],
        {"name": "all", "index": 0, "children": [{"name": "cat", "index": 1}, {"name": "dog", "index": 2}]},
        {"all": {"children": [{"cat": {"data": 1}}, {"dog": {"data": 2}}], "data": 3}},
        {"name": "all", "nodes": [{"name": "cat"}, {"name": "dog"}]},
        [{"id": "all", "parent": None, "state": {"opened": True}}, {"id": "cat", "parent": "all"},
         {"id": "dog", "parent": "all", "tags": ["x"]}])),
    # names decide only where the rows allow it
    (OF_FRAME, COLUMNS | {"parent": ["", "x", "x"]}, ("x", "y", "z"), {"child": "cod"}, "column 'cod'; did you mean 'code'"),
    (OF_FRAME, COLUMNS | {"parent": ["", "X", "X"]}, ("X", "Y", "Z")),
    (OF_FRAME, {"parent": ["r", "r"], "child": ["a", "b"], "id": ["r", "s"]}, ("r", "a", "b")),  # before ids
    (OF_FRAME, {"id": ["1.0", "1.1"], "parent": ["1", "1"]}, ("1", "1.0", "1.1")),  # codes
    (OF_FRAME, {"name": list("XYZ"), "label": list("XYZ"), "parent": ["", "q", "s"]}, "which column is the class"),
    (OF_FRAME, COLUMNS | {"code": list("321"), "parent": ["", "1", "1"]}, r"may be 'id' with the parent .* or 'code' with"),
    # the names of files, and what is in them
    ("t.tsv", "11\tfarming\n111\tcrops\n112\tanimals\n", "codes have a format of their own", {"fmt": "codes"}, ["11"]),
    ("t.json", '{"cat": 0, "dog": 1}', "to numbers"),
    ("t.tsv", "nr\ttekst\tover\nx\tall a\t\nxa\tsome b\tx\nxb\trest\tx\n", "is this a table"),
    ("t.txt", "all -> animal -> cat\nall -> animal -> dog\n", "lineages need --hierarchy-separator",
     {"separator": "->"}, ["all"]),
    ("t.txt", "# Version: 2021\nA > B\nA > C\n", "--hierarchy-separator", {"separator": ">"}, ["A"]),
    ("t.txt", "#news\t#local\n#news\t#world\n", ["#news"]),
    ("t.csv", "parent,child\n0,1\n1,2\n1,3\n", ("0", "1", "2", "3")),  # an upper class without a row of its own
    ("t.csv", "id,parent\n1,root\n", ("root", "1")), (OF, {3: 0, 4: 0, 5: 3}, (0, 3, 4, 5)),
    ("t.csv", "id,parent\n1,0\n2,0\n3,1\n", "t.csv:2: is the parent '0' a class, or does it say that there is none"),
    ("t.csv", "id,parent\n0,\n1,0\n2,0\n", ("0", "1", "2")), ("t.csv", "id,parent\n1,root\n2,root\n", ["root"]),
    ("t.csv", "id,parent\nr,\na,r\nb,c\nc,b\n", r"t\.csv:5: the hierarchy has a cycle"),  # after a row without an edge
    ("t.csv", "id,parent\nr,\na,r\n\nb,b\n", r"t\.csv:5: class 'b' is its own parent"),
    ("t.txt", '{"r": {"a": {}, "b": {}}}', ["r"]), ("t.json", "[-1, 0, 0]", ["0"]),
    ("t.json", "[-1, 3, 0]", "must be a class from 0 to 2"),
    ("t.jsonl", '{"id": "r"}\n{"id": "a", "parent": "r"}\n{"id": "b", "parent": "r"}\n', ("r", "a", "b")),
    ("t.txt", "x/a/r\ny/a/r\nz/r\n", "t.txt: the lineages begin", {"direction": "parent-to-child"}, ["x", "y", "z"]),
    ("t.txt", "1/a\n1/-\n", "looks like a blank", {"roots": "any"}, ["1"]),
    ("t.csv", "taxon_id,ancestry,name\n1,,Life\n2,1,A\n3,1/2,B\n", ("1", "2", "3")),
    *(("t.tsv", f"{head}\n{LINES_OF_TREE}", HEADER, {"roots": "any"}, [head.split("\t")[0], "r"])
      for head in ("über\tunter", "superclass\tkind", "a_is\tb_is", "id\tname")),
    *(("t.tsv", f"{head}\n{LINES_OF_TREE}", ["r"])
      for head in ("superclass\tsubclass", "Parent\tChild", "from\tto", "parent_id\tid")),
    ("t.tsv", f"parent\tchild\n{EDGE_FIRST}", ["x", "r"]), ("t.tsv", "r\ta\nx\ty\nr\tb\n", ["r", "x"]),
    ("t.tsv", EDGE_FIRST, HEADER, {"roots": "any"}, ["x", "r"]),  # a header is only in the first line
]  # fmt: skip
"""A thing or a text, who reads it, and the names or the roots, or why not; and how it is read then."""


@pytest.mark.filterwarnings("ignore::hierpair.errors.HierarchyWarning")
@pytest.mark.parametrize("case", MEANT, ids=range(len(MEANT)))
def test_what_means_one_thing_is_taken_and_else_refused(case, tmp_path):
    read, thing, meant, *again = case
    if isinstance(read, str):
        read, thing = read_hierarchy, put(tmp_path / read, thing)
    if read is OF_FRAME:
        thing = pd.DataFrame(thing)
    for how, expected in [({}, meant), again][: 1 + bool(again)]:
        if isinstance(expected, str):
            refuses(expected, read, thing, **how)
            continue
        tree = read(thing, **how)
        assert (tree.names if isinstance(expected, tuple) else tree.roots) == expected
        if read is OF:
            assert tree.titles == ({1: "all", 2: "cat"} if expected == (1, 2) else {})


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
    for way, roots in (("child-to-parent", ["r"]), ("parent-to-child", ["c", "d", "e"])):
        relations = Hierarchy.of(multigraph(TREE), direction=way, roots="any")
        assert (way, sorted(relations.roots)) == (way, roots)  # is_a leads up unless it is said
    frame = frame_of(TREE, "child", "parent")  # names are exchanged, and no direction is offered
    assert re.search(r"swapped\? Exchange their names(?!.*direction=)", error_of(OF, frame))
    said = error_of(OF, frame, direction="child-to-parent")
    assert "names of columns or keys say which is the parent" in said


def test_a_blank_or_a_sign_for_no_parent_is_no_class(tmp_path):
    for blank in ("-1", "nan", "None", "NULL", -1):
        words = "looks like a blank|is no class|parent of a root"
        refuses(words, Hierarchy.from_edges, [(blank, "r"), *TREE])
        refuses(words, Hierarchy.from_parents, {"r": blank, "a": "r", "b": "r"})
        assert len(Hierarchy.from_edges([(blank, "r"), *TREE], roots="any")) == 7
    for sign in ("0", "root", "-", "--", "#", "\\N", "None", "-1", "-1.0"):
        for header in ("id,parent", "code,parent_id", "label,parent_label"):
            rows = [header.split(","), ("1", sign), ("2", "1"), ("3", "1")]
            lines = "".join(f"{c},{p}\n" for c, p in rows)
            refuses("blank", read_hierarchy, put(tmp_path / "t.csv", lines))
            refuses(
                "blank", Hierarchy.of, [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
            )


def test_several_roots_alone_are_told_in_one_line(tmp_path):
    forest, notes = [("x", "a"), ("x", "b"), ("y", "c"), ("y", "d")], []
    with pytest.warns(HierarchyWarning, match=r"2 roots \(x, y\)"):
        Hierarchy.from_edges(forest)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Hierarchy.from_edges(forest, roots="any")
    path = put(tmp_path / "tree.tsv", "".join(f"{p}\t{c}\n" for p, c in forest))
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


@pytest.mark.parametrize(("codes", "how", "expected"), [
    (["11", "111", "1112", "112"], {}, [("11", "111"), ("11", "112"), ("111", "1112")]),
    (["1.1.1", "1.2"], {"separator": "."}, [("1", "1.1"), ("1", "1.2"), ("1.1", "1.1.1")]),
    (["A00", "A00.1", "A00.2"], {"separator": "."}, [("A00", "A00.1"), ("A00", "A00.2")]),
    (["A00", "A00.1", "A00.11"], {}, [("A00", "A00.1"), ("A00.1", "A00.11")]),
    (WIDE, {"widths": (2, 2, 2)}, [("01", "0101"), ("01", "0102"), ("0101", "010121"), ("0101", "010129")]),
])  # fmt: skip
def test_codes(codes, how, expected, tmp_path):
    """Codes above need not be listed; inner codes may be; what ends between levels is refused."""
    found = Hierarchy.from_codes(codes, roots="any", **how)
    assert (edges_of(found), "02" in found.roots) == (expected, codes is WIDE)
    lines = "".join(f"{code}\tname of {code}\n" for code in dict.fromkeys(codes))
    tree = read_hierarchy(put(tmp_path / "codes.txt", lines), fmt="codes", roots="any", **how)
    assert edges_of(tree) == expected
    assert tree.titles[codes[0]] == f"name of {codes[0]}"
    bare = "".join(f"{code}\n" for code in codes)
    refuses("codes", read_hierarchy, put(tmp_path / "codes.txt", bare))


RANKS = ["order", "family", "genus"]


def test_columns_of_levels(tmp_path):
    frame = pd.DataFrame([("C", "F", "x"), ("C", "F", "y"), ("C", "G", None)], columns=RANKS)
    path, other, faults = tmp_path / "tree.csv", tmp_path / "other.csv", []
    frame.to_csv(path, index=False)
    expected = ("C", "C/F", "C/G", "C/F/x", "C/F/y")
    assert Hierarchy.from_paths(frame).names == read_hierarchy(path, levels=RANKS).names == expected
    assert read_hierarchy(path).names == ("C", "F", "G", "x", "y")  # their titles are ranks
    for text, said in (("top,middle,low\nC,F,x\n", "top, middle, low; .* --hierarchy-lev"),
                       ("\x01\x0b\x01,b\n1,2\n", "b")):  # fmt: skip
        assert re.fullmatch(f".*{said}.*", error_of(read_hierarchy, put(other, text)))  # one line
    refuses("there is no column 'species'", read_hierarchy, path, levels=["order", "species"])
    for said, how in (
        ("there is no column 'famly'; did you mean 'family'", {"levels": ["order", "famly"]}),
        ("levels must be a list of columns", {"levels": "order"}),
        ("either levels or child", {"levels": ["order"], "child": "genus"}),
        ("path 3: a class name is missing", {"levels": ["genus", "order"]}),
    ):
        refuses(said, OF_FRAME, frame, **how)
    path.write_text("order,family,genus\nC,F,x\nC,,x\nC,F/G,x\n")
    found = parse_hierarchy(path, levels=RANKS, trouble=faults.append)
    assert found.edges == [("C", "C/F"), ("C/F", "C/F/x")]
    assert faults[0] == f"{path}:3: a class name is missing on the way to another"
    assert faults[1].startswith(f"{path}:4: the name 'F/G' holds the separator '/'; choose")
    turned = {"separator": " > ", "direction": "child-to-parent", "trouble": faults.append}
    assert parse_hierarchy(path, levels=RANKS, **turned).edges[0] == ("x", "x > F")


def test_ranks_are_levels_from_the_top_and_the_usual_columns_come_first():
    ranks = ["kingdom", "phylum", "class", "order", "family", "genus", "species"]
    rows = [(f"c{k}", f"c{k - 1}" if k else None, x, "L", f"N{k}") for k, x in enumerate(ranks)]
    tree = OF_FRAME(pd.DataFrame(rows, columns=["id", "parent", "rank", "label", "name"]))
    assert named_levels(tree)[1] == tuple(ranks)
    assert tree.titles["c3"] == "N3"


@pytest.mark.parametrize("door", ["of", "from_edges", "from_parents", "from_nested", "from_paths",
                                  "from_codes", "from_frame", "from_networkx"])  # fmt: skip
def test_every_door_refuses_what_is_no_collection(door):
    for thing in (3, True, object(), b"x"):
        error_of(getattr(Hierarchy, door), thing)


ROOMS = ("", "metrics", "labels", "comparison", "evaluation", "explanation", "probabilistic",
         "verification", "report")  # fmt: skip
WITHIN = {
    "lint": "it checks a file",
    "NodeScores": "arrays; its constructors take anything",
    "LabelDistribution": "arrays; its constructors take anything",
    "LabelDistribution.from_sets": "arrays",
    "verify_values": "the name of a file",
    "score_dataset": "it may be a file that every process reads",
    **dict.fromkeys(("Case", "ClassAreas"), "a result"),
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
