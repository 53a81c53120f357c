"""A hierarchy is the same whatever it is held in; what may be meant otherwise is refused."""

import itertools
import json
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, read_hierarchy
from hierpair.errors import HierarchyWarning
from hierpair.hierarchy.edge_list import table_roles
from hierpair.io import parse_hierarchy
from tests import effort

# A tree with an inner class that has one child, and a DAG with a class of two parents.
TREE = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")]
DAG = [*TREE, ("b", "c")]
NUMBERS = {"r": 1, "a": 2, "b": 3, "c": 4, "d": 5, "e": 6}


def edges_of(hierarchy):
    return sorted((str(p), str(c)) for p, c in hierarchy.to_networkx().edges)


def numbered(edges):
    return [(NUMBERS[p], NUMBERS[c]) for p, c in edges]


def names_in(edges):
    return list(dict.fromkeys(name for edge in edges for name in edge))


def above(edges):
    return {n: [p for p, c in edges if c == n] for n in names_in(edges)}


def below(edges):
    return {n: [c for p, c in edges if p == n] for n in names_in(edges)}


def nested_of(edges, make, name="r"):
    return make(name, [nested_of(edges, make, c) for c in below(edges)[name]])


def multigraph(edges):
    graph = nx.MultiDiGraph()
    graph.add_edges_from((c, p, "is_a") for p, c in edges)
    graph.add_edge("c", "e", "regulates")
    return graph


def frame_of(edges, parent="parent", child="child"):
    return pd.DataFrame({parent: [p for p, _ in edges], child: [c for _, c in edges]})


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
    "records with lists of parents": lambda edges: [
        {"id": n, "parents": x} for n, x in above(edges).items()
    ],
    "a frame with lists of parents": lambda edges: pd.DataFrame(
        [{"id": n, "name": n.upper(), "parents": x} for n, x in above(edges).items()]
    ),
    "records with lists of children": lambda edges: [
        {"id": n, "name": n.upper(), "child_ids": x} for n, x in below(edges).items()
    ],
    "objects by their ids": lambda edges: {n: {"child_ids": x} for n, x in below(edges).items()},
}
"""Things that hold any tree or DAG."""

TREE_FORMS = {
    "a map of parents": lambda edges: {n: x[0] if x else None for n, x in above(edges).items()},
    "a map of parents, nan for none": lambda edges: {
        n: x[0] if x else float("nan") for n, x in above(edges).items()
    },
    "a Series of parents": lambda edges: pd.Series(
        {n: x[0] if x else None for n, x in above(edges).items()}
    ),
    "nested dicts": lambda edges: nested_of(
        edges, lambda name, parts: {name: dict(kv for part in parts for kv in part.items())}
    ),
    "nested dicts, indices at the leaves": lambda edges: nested_of(
        edges,
        lambda name, parts: {name: dict(kv for part in parts for kv in part.items()) or len(name)},
    ),
    "nested lists": lambda edges: nested_of(
        edges, lambda name, parts: {name: parts} if parts else name
    ),
    "dicts by name with a key for what is below": lambda edges: nested_of(
        edges, lambda name, parts: {name: {"children": parts}} if parts else name
    ),
    **{
        f"objects with {name} and {children}": (
            lambda edges, name=name, children=children: nested_of(
                edges, lambda x, parts: {name: x, children: parts, "size": 3}
            )
        )
        for name, children in itertools.product(
            ("name", "id", "label", "Key", "LabelName"), ("children", "Subcategory", "subclasses")
        )
    },
    "records": lambda edges: [
        {"id": n, "name": n * 2, "parent": x[0] if x else None} for n, x in above(edges).items()
    ],
    "records by their ids": lambda edges: {
        n: {"name": n * 2, "parent": x[0] if x else None} for n, x in above(edges).items()
    },
}
"""Things that hold a tree."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("edges", [TREE, DAG], ids=["tree", "DAG"])
def test_a_hierarchy_is_the_same_in_every_form(form, edges):
    assert edges_of(Hierarchy.of(FORMS[form](edges))) == sorted(edges)


@pytest.mark.parametrize("form", TREE_FORMS)
def test_a_tree_is_the_same_in_every_form(form):
    assert edges_of(Hierarchy.of(TREE_FORMS[form](TREE))) == sorted(TREE)


@pytest.mark.parametrize("form", [*FORMS, *TREE_FORMS])
def test_json_says_what_the_same_thing_says_in_memory(form, tmp_path):
    thing = {**FORMS, **TREE_FORMS}[form](TREE)
    try:
        text = json.dumps(thing, allow_nan=False)
    except (TypeError, ValueError):
        return  # no JSON
    path = tmp_path / "tree.json"
    path.write_text(text)
    assert edges_of(read_hierarchy(path)) == sorted(TREE)


@given(
    st.integers(2, 12).flatmap(
        lambda n: st.tuples(*(st.integers(0, max(0, c - 1)) for c in range(1, n)))
    )
)
@settings(max_examples=effort.cases(60), deadline=None)
def test_vectors_of_parents(above_each):
    """The usual form of deep learning: the parent of class 0, 1, 2, … by its number."""
    edges = [(p, c) for c, p in enumerate(above_each, start=1)]
    expected = sorted((str(p), str(c)) for p, c in edges)
    for root in (-1, None, float("nan")):
        vector = [root, *above_each]
        forms = [vector, tuple(vector), pd.Series(vector), dict(enumerate(vector))]
        if root == -1:
            forms += [np.array(vector), np.array(vector, dtype=float)]
        for form in forms:
            assert edges_of(Hierarchy.from_parents(form)) == expected
            assert edges_of(Hierarchy.of(form)) == expected


def test_a_parent_by_number_must_be_a_class():
    for vector in ([-1, 0, 3], [-1, 0.5], [-1, "a"], [0, 0]):
        with pytest.raises(BadInput, match=r"its parent must be a class|its own parent"):
            Hierarchy.from_parents(vector)


# ---------------------------------------------------------------- names of columns, kinds of values

PARENT_TITLES = ["parent", "Parent ID", "parent_code", "parentId", "superclass", "is_a", "broader"]
ID_TITLES = ["id", "Code", "class_id", "term", "taxon_id", "uid", "concept"]


@pytest.mark.parametrize("parent", PARENT_TITLES)
@pytest.mark.parametrize("child", ID_TITLES)
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_columns_in_any_order_with_a_name_beside_them(parent, child, sign, tmp_path):
    rows = [(n, n * 2, (x or [""])[0]) for n, x in above(TREE).items()]
    for k, order in enumerate(itertools.permutations(range(3))):
        header = [(child, "name", parent)[i] for i in order]
        lines = [sign.join(header), *(sign.join(row[i] for i in order) for row in rows)]
        path = tmp_path / f"{k}.{'csv' if sign == ',' else 'tsv'}"
        path.write_text("\n".join(lines) + "\n")
        tree = read_hierarchy(path)
        assert edges_of(tree) == sorted(TREE)
        assert tree.titles["a"] == "aa"
        frame = pd.DataFrame({title: [row[i] or None for row in rows]
                              for title, i in zip(header, order, strict=True)})  # fmt: skip
        assert Hierarchy.from_frame(frame).fingerprint == tree.fingerprint


KINDS = {
    "text": lambda x: None if x is None else str(x),
    "whole": lambda x: x,
    "float": lambda x: None if x is None else float(x),
    "text of a float": lambda x: None if x is None else f"{x}.0",
}


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, repeat=2)), ids=str)
def test_numbers_are_numbers_however_they_are_written(kinds, tmp_path):
    """Gaps in a column turn 1 into 1.0, and some columns are read as texts."""
    edges = numbered(TREE)
    rows = [(n, (x or [None])[0]) for n, x in above(edges).items()]
    of_id, of_parent = (KINDS[kind] for kind in kinds)
    frame = pd.DataFrame(
        {
            "id": [of_id(n) for n, _ in rows],
            "parent": pd.Series([of_parent(p) for _, p in rows], dtype=object),
        }
    )
    wanted = sorted((str(p), str(c)) for p, c in edges)
    assert edges_of(Hierarchy.from_frame(frame)) == wanted
    assert edges_of(Hierarchy.of(frame.to_dict("records"))) == wanted
    path = tmp_path / "tree.csv"
    frame.to_csv(path, index=False)
    assert edges_of(read_hierarchy(path)) == wanted


def test_one_number_in_two_spellings_is_refused():
    for edges in ([("1", "2"), ("2.0", "3"), ("1", "4")], [("1", 2), ("2", 3), ("1", 4)]):
        with pytest.raises(BadInput, match="written in two ways"):
            Hierarchy.from_edges(edges)
        assert len(Hierarchy.from_edges(edges, roots="any")) == 5
    assert Hierarchy.from_edges([("1", "1.0"), ("1", "1.1")]).roots == ["1"]  # codes


def test_names_decide_only_where_the_rows_allow_it():
    table = {
        "id": ["1", "2", "3"], "code": ["x", "y", "z"], "name": ["X", "Y", "Z"],
        "parent": ["", "x", "x"],
    }  # fmt: skip
    assert table_roles(list(table), table.__getitem__)["child"] == "code"
    table["parent"] = ["", "X", "X"]
    assert table_roles(list(table), table.__getitem__)["child"] == "name"
    table["parent"] = ["", "q", "s"]
    with pytest.raises(BadInput, match="which column is the class"):
        table_roles(["name", "label", "parent"], {**table, "label": table["name"]}.__getitem__)
    table |= {"code": table["id"][::-1], "parent": ["", "1", "1"]}
    with pytest.raises(BadInput, match=r"may be 'id' with the parent .* or 'code' with"):
        table_roles(list(table), table.__getitem__)


# ---------------------------------------------------------------- what may be meant otherwise


@pytest.mark.parametrize("form", ["edges", "a graph of networkx", "a map of lists of parents"])
def test_upside_down_is_refused_and_can_be_turned(form):
    turned = [(c, p) for p, c in TREE]
    with pytest.raises(BadInput, match="are parent and child swapped") as caught:
        Hierarchy.of(FORMS[form](turned))
    assert "direction=" in str(caught.value)
    other = "parent-to-child" if "map" in form else "child-to-parent"
    assert edges_of(Hierarchy.of(FORMS[form](turned), direction=other)) == sorted(TREE)
    same = "child-to-parent" if "map" in form else "parent-to-child"
    assert len(Hierarchy.of(FORMS[form](turned), direction=same).roots) == 3
    assert len(Hierarchy.of(FORMS[form](turned), roots="any").roots) == 3


@pytest.mark.parametrize("fmt", ["edges", "taxonomy", "json"])
def test_upside_down_files_are_refused_and_can_be_turned(fmt, tmp_path):
    path = tmp_path / f"tree.{'json' if fmt == 'json' else 'tsv'}"
    pairs = [(c, p) for p, c in TREE]
    path.write_text(
        json.dumps(pairs) if fmt == "json" else "".join(f"{a}\t{b}\n" for a, b in pairs)
    )
    with pytest.raises(BadInput, match=r"tree\.\w+: 3 roots .* swapped"):
        read_hierarchy(path, fmt=fmt)
    assert edges_of(read_hierarchy(path, fmt=fmt, direction="child-to-parent")) == sorted(TREE)
    assert len(read_hierarchy(path, fmt=fmt, roots="any").roots) == 3


@pytest.mark.parametrize("header", ["über\tunter", "superclass\tkind", "a_is\tb_is", "id\tname"])
def test_an_unknown_header_is_no_edge(header, tmp_path):
    path = tmp_path / "tree.tsv"
    path.write_text(f"{header}\n" + "".join(f"{p}\t{c}\n" for p, c in TREE))
    with pytest.raises(BadInput, match=r"header"):
        read_hierarchy(path)
    with pytest.warns(HierarchyWarning, match="2 roots"):  # who lists edges lists no header
        Hierarchy.of([("über", "unter"), *TREE])
    assert len(read_hierarchy(path, roots="any").roots) == 2


@pytest.mark.parametrize(
    "header", ["superclass\tsubclass", "Parent\tChild", "from\tto", "parent_id\tid"]
)
def test_a_known_header_is_passed_over(header, tmp_path):
    path = tmp_path / "tree.tsv"
    path.write_text(f"{header}\n" + "".join(f"{p}\t{c}\n" for p, c in TREE))
    assert edges_of(read_hierarchy(path)) == sorted(TREE)


@pytest.mark.parametrize("blank", ["-1", "nan", "None", "NULL", -1])
def test_a_blank_is_no_root(blank):
    with pytest.raises(BadInput, match=r"looks like a blank|is no class"):
        Hierarchy.from_edges([(blank, "r"), *TREE])
    with pytest.raises(BadInput, match=r"looks like a blank|is no class|parent of a root"):
        Hierarchy.from_parents({"r": blank, "a": "r", "b": "r"})
    assert len(Hierarchy.from_edges([(blank, "r"), *TREE], roots="any")) == 7


@pytest.mark.parametrize("key", ["children", "child_ids", "Subcategory", "subclasses"])
def test_a_key_is_no_class(key):
    with pytest.raises(BadInput, match=f"the key '{key}'"):
        Hierarchy.from_nested({"r": {key: ["a"], "b": {"c": {}}}})


def test_an_object_does_not_lose_what_an_unknown_key_holds():
    with pytest.raises(BadInput, match="call it children"):
        Hierarchy.of([{"name": "r", "unten": [{"name": "a"}]}])
    tree = Hierarchy.of({"name": "r", "Part": [{"name": "x"}], "Subcategory": [{"name": "a"}]})
    assert tree.names == ("r", "a")


def test_codes_with_their_names_are_no_edges(tmp_path):
    path = tmp_path / "naics.tsv"
    path.write_text("11\tfarming\n111\tcrops\n112\tanimals\n")
    with pytest.raises(BadInput, match="codes have a format of their own"):
        read_hierarchy(path)
    assert read_hierarchy(path, fmt="codes").roots == ["11"]


def test_truth_values_are_no_classes():
    with pytest.raises(BadInput, match="must be a name"):
        Hierarchy.from_nested({"r": [True, False]})
    leaves = {"animal": {"cat": True, "dog": False}, "plant": {"oak": True}}
    assert len(Hierarchy.of(leaves)) == 5


def test_a_map_to_numbers_is_no_hierarchy(tmp_path):
    with pytest.raises(BadInput, match="to numbers"):
        Hierarchy.of({"cat": 0, "dog": 1})
    path = tmp_path / "index.json"
    path.write_text('{"cat": 0, "dog": 1}')
    with pytest.raises(BadInput, match="to numbers"):
        read_hierarchy(path)


def test_several_roots_alone_are_told_in_one_line(tmp_path):
    forest = [("x", "a"), ("x", "b"), ("y", "c"), ("y", "d")]
    with pytest.warns(HierarchyWarning, match=r"2 roots \(x, y\)"):
        Hierarchy.from_edges(forest)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Hierarchy.from_edges(forest, roots="any")
    path = tmp_path / "tree.tsv"
    path.write_text("".join(f"{p}\t{c}\n" for p, c in forest))
    notes = []
    read_hierarchy(path, on_note=notes.append)
    assert len(notes) == 1
    assert "2 roots (x, y)" in notes[0]


def test_a_root_without_children_is_refused_unless_it_is_listed():
    with pytest.raises(BadInput, match="'lone' has no children"):
        Hierarchy.from_parents({"r": None, "a": "r", "b": "r", "lone": None})
    assert len(Hierarchy.from_edges([("r", "a"), ("r", "b")], classes=["lone"])) == 4


def test_what_is_no_hierarchy_is_refused_by_kind():
    for thing, said in [
        (3, "a hierarchy is wanted, got int"),
        ([], "the hierarchy is empty"),
        (["a", "b"], "2 classes and no edge"),
        ([["a", "b", "c"], ["a", "b", "d"]], "others go to from_paths"),
        (np.zeros((3, 3)), "a matrix of links"),
        (nx.Graph([("a", "b")]), "undirected"),
    ]:
        with pytest.raises(BadInput, match=said):
            Hierarchy.of(thing)


# ---------------------------------------------------------------- lineages and codes

LINES = ["A", "A{0}B", "A{0}B{0}C", "D", "D{0}B"]


@pytest.mark.parametrize("sign", ["/", " > ", ";", "--", "::", ".", "|"])
def test_lineages_with_any_separator(sign, tmp_path):
    lines = [line.format(sign) for line in LINES]
    expected = {x.format(sign) for x in LINES}
    assert set(Hierarchy.from_paths(lines, separator=sign).names) == expected
    path = tmp_path / "tree.txt"
    path.write_text("\n".join(lines) + "\n")
    assert set(read_hierarchy(path, separator=sign).names) == expected
    assert set(read_hierarchy(path, separator=sign.strip()).names) == expected
    if sign != "/":
        with pytest.raises(BadInput, match="--hierarchy-separator"):
            read_hierarchy(path)
    upwards = [sign.join(reversed(line.split(sign))) for line in lines]
    turned = Hierarchy.from_paths(upwards, separator=sign, direction="child-to-parent")
    assert set(turned.names) == expected


def test_ranks_without_a_name_end_a_lineage():
    tree = Hierarchy.from_paths(["d__B;p__P;c__", "d__B;p__Q;c__"], separator=";")
    assert tree.names == ("d__B", "d__B;p__P", "d__B;p__Q")


def test_comments_at_the_beginning_are_no_classes(tmp_path):
    path = tmp_path / "tree.txt"
    path.write_text("# Version: 2021\nA > B\nA > C\n")
    assert read_hierarchy(path, separator=">").roots == ["A"]
    path.write_text("#news\t#local\n#news\t#world\n")
    assert read_hierarchy(path).roots == ["#news"]


@pytest.mark.parametrize(
    ("codes", "separator", "expected"),
    [
        (["11", "111", "1112", "112"], None, [("11", "111"), ("11", "112"), ("111", "1112")]),
        (["1.1.1", "1.2"], ".", [("1", "1.1"), ("1", "1.2"), ("1.1", "1.1.1")]),
        (["A00", "A00.1", "A00.2"], ".", [("A00", "A00.1"), ("A00", "A00.2")]),
        (["A00", "A00.1", "A00.11"], None, [("A00", "A00.1"), ("A00.1", "A00.11")]),
    ],
)
def test_codes(codes, separator, expected, tmp_path):
    assert edges_of(Hierarchy.from_codes(codes, separator=separator)) == expected
    path = tmp_path / "codes.txt"
    path.write_text("".join(f"{code}\tname of {code}\n" for code in codes))
    tree = read_hierarchy(path, fmt="codes", separator=separator)
    assert edges_of(tree) == expected
    assert tree.titles[codes[0]] == f"name of {codes[0]}"
    path.write_text("".join(f"{code}\n" for code in codes))
    with pytest.raises(BadInput, match="codes"):
        read_hierarchy(path)


def test_columns_of_levels(tmp_path):
    frame = pd.DataFrame(
        {"order": ["C", "C", "C"], "family": ["F", "F", "G"], "genus": ["x", "y", None]}
    )
    path = tmp_path / "tree.csv"
    frame.to_csv(path, index=False)
    expected = ("C", "C/F", "C/G", "C/F/x", "C/F/y")
    assert Hierarchy.from_paths(frame).names == expected
    assert read_hierarchy(path, levels=["order", "family", "genus"]).names == expected
    assert read_hierarchy(path).names == ("C", "F", "G", "x", "y")  # their titles are ranks
    (tmp_path / "other.csv").write_text("top,middle,low\nC,F,x\n")
    with pytest.raises(BadInput, match=r"top, middle, low; .* --hierarchy-levels"):
        read_hierarchy(tmp_path / "other.csv")
    (tmp_path / "odd.csv").write_text("\x01\x0b\x01,b\n1,2\n")
    with pytest.raises(BadInput) as odd:
        read_hierarchy(tmp_path / "odd.csv")
    assert len(str(odd.value).splitlines()) == 1
    with pytest.raises(BadInput, match="there is no column 'species'"):
        read_hierarchy(path, levels=["order", "species"])
    path.write_text("order,family,genus\nC,F,x\nC,,x\nC,F/G,x\n")
    faults = []
    found = parse_hierarchy(path, levels=["order", "family", "genus"], trouble=faults.append)
    assert found.edges == [("C", "C/F"), ("C/F", "C/F/x")]
    assert faults[0] == f"{path}:3: a class name is missing on the way to another"
    assert faults[1].startswith(f"{path}:4: the name 'F/G' holds the separator '/'; choose")
    found = parse_hierarchy(path, levels=["order", "family", "genus"], separator=" > ",
                            direction="child-to-parent", trouble=faults.append)  # fmt: skip
    assert found.edges[0] == ("x", "x > F")


def test_ancestors_in_one_column(tmp_path):
    path = tmp_path / "taxa.csv"
    path.write_text("taxon_id\tancestry\tname\n1\t\tLife\n2\t1\tA\n3\t1/2\tB\n4\t1/2\tC\n")
    assert edges_of(read_hierarchy(path)) == [("1", "2"), ("2", "3"), ("2", "4")]


def test_a_table_is_no_taxonomy(tmp_path):
    """A table of three columns whose header is not known is asked about, never guessed."""
    path = tmp_path / "tree.tsv"
    path.write_text("nr\ttekst\tover\nx\tall a\t\nxa\tsome b\tx\nxb\trest\tx\n")
    with pytest.raises(BadInput, match="is this a table"):
        read_hierarchy(path)


# ---------------------------------------------------------------- numbers, titles and columns


@pytest.mark.parametrize("rows", [
    [("1.0", ""), ("2.0", "1.0"), ("3.0", "2.0")],
    [("2", "1.0"), ("3", "1.0"), ("4", "2.0")],
])  # fmt: skip
def test_whole_numbers_are_spelled_in_one_way(rows, tmp_path):
    """Also those of a parent that has no row."""
    path = tmp_path / "t.csv"
    path.write_text("child,parent\n" + "".join(f"{c},{p}\n" for c, p in rows))
    wanted = ("1", "2", "3", "4")[: 3 if rows[0][1] == "" else 4]
    assert read_hierarchy(path).names == wanted
    frame = pd.DataFrame(
        [(float(c), float(p or "nan")) for c, p in rows], columns=["child", "parent"]
    )
    assert Hierarchy.of(frame).names == tuple(map(int, wanted))
    given = {int(float(c)): float(p) if p else None for c, p in rows}
    assert Hierarchy.from_parents(given).names == tuple(map(int, wanted))


def test_which_end_is_the_child_where_several_columns_would_do():
    """A column called child comes before ids."""
    child = {"parent": ["r", "r"], "child": ["a", "b"], "id": ["r", "s"]}
    assert table_roles(list(child), child.get)["child"] == "child"


def test_objects_with_ids_and_names_have_titles():
    tree = Hierarchy.of({"id": 1, "name": "all", "children": [{"id": 2, "name": "cat"}]})
    assert (tree.names, tree.titles) == ((1, 2), {1: "all", 2: "cat"})


def test_a_number_below_a_number_is_a_class():
    assert set(Hierarchy.from_nested({1: {2: 3, 4: 5}}).names) == {1, 2, 3, 4, 5}


def test_a_column_of_pairs_is_a_list_of_edges():
    assert edges_of(Hierarchy.of(pd.Series(list(TREE)))) == sorted(TREE)


def test_swapped_names_of_columns_are_exchanged_and_no_direction_is_offered():
    frame = pd.DataFrame([(p, c) for p, c in TREE], columns=["child", "parent"])
    with pytest.raises(BadInput, match=r"swapped\? Exchange their names") as caught:
        Hierarchy.of(frame)
    assert "direction=" not in str(caught.value)
    with pytest.raises(BadInput, match="names of columns or keys say which is the parent"):
        Hierarchy.of(frame, direction="child-to-parent")


def test_a_flat_map_of_parents_is_not_nested():
    with pytest.raises(BadInput, match="is that its parent, or below it"):
        Hierarchy.from_nested({"cat": "all", "dog": "all"})
    with pytest.raises(BadInput, match="several parents, but none two children"):
        Hierarchy.from_edges([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")])


@pytest.mark.parametrize(("text", "header"), [
    ("parent\tchild\nx\ty\nr\ta\nr\tb\n", None), ("r\ta\nx\ty\nr\tb\n", None),
    ("x\ty\nr\ta\nr\tb\n", "'x' stands in the first line alone"),
])  # fmt: skip
def test_a_tree_of_one_edge_is_a_header_only_in_the_first_line(text, header, tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(text)
    if header is None:
        assert sorted(read_hierarchy(path).roots) == ["r", "x"]
        return
    with pytest.raises(BadInput, match=header):
        read_hierarchy(path)


def test_the_sign_between_the_names_of_a_lineage_is_told(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("all -> animal -> cat\nall -> animal -> dog\n")
    with pytest.raises(BadInput, match="lineages need --hierarchy-separator"):
        read_hierarchy(path)
