"""Edges of all kinds give the same hierarchy and messages; what is wrong with one is told."""

import subprocess
import sys
from collections import UserList

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy
from hierpair.hierarchy import arrays, building
from tests import effort
from tests.strategies import dags

FIELDS = ("names", "parent_ptr", "parents", "child_ptr", "children", "levels")


def same(one, other):
    assert one.names == other.names
    for field in FIELDS[1:]:
        assert getattr(one, field).tolist() == getattr(other, field).tolist(), field
    assert one.fingerprint == other.fingerprint


@given(dags())
@settings(max_examples=effort.cases(100), deadline=None)
def test_edges_of_any_kind_give_the_same(dag):
    edges, names = dag
    plain = Hierarchy.from_edges(edges, classes=names, roots="any")
    mixed = [UserList(edge) if i % 2 else edge for i, edge in enumerate(edges)]
    for others in (map(UserList, edges), map(list, edges), iter(edges), mixed):
        same(Hierarchy.from_edges(others, classes=names, roots="any"), plain)


@given(st.lists(st.text(max_size=2)))
def test_texts_are_numbered_as_they_come_also_where_two_have_one_hash(texts):
    wanted = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    for found in (hash, len):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "hash", found, raising=False)
            codes, names = arrays.texts_as_they_come(texts)
        assert names == list(wanted)
        assert codes.tolist() == [wanted[text] for text in texts]


def test_equal_names_of_different_types_are_one_class():
    tree = Hierarchy.from_edges(
        [(np.str_("r"), 1), ("r", 2.0), (1.0, True + 2), (np.int64(2), "x")]
    )
    assert tree.names == ("r", 1, 2.0, 3, "x")


FAULTY = (
    ("edge", "ab", "expected (parent, child[, weight]), got 'ab'"),
    ("blank name", ("b", ""), "a class name is missing (got '')"),
    ("blank name", (None, "c"), "a class name is missing (got None)"),
    ("self-loop", ("b", "b"), "class 'b' is its own parent; remove that edge"),
    ("duplicate edge", ("r", "a"), "the edge 'r' → 'a' already occurs at line 0; remove one of them"),
    ("cycle", ("c", "r"), "a cycle: 'r' → 'a' → 'c' → 'r'; the rule depth-first would leave out 'c' → 'r'"),
)  # fmt: skip


@pytest.mark.parametrize("chosen", [*range(len(FAULTY)), None])
def test_every_fault_is_told_and_the_rest_is_numbered(chosen):
    """One kind after the other, and all at once; the classes of a faulty edge stay."""
    faulty = FAULTY if chosen is None else FAULTY[chosen : chosen + 1]
    good = [("r", "a"), ("r", "b"), ("a", "c")]
    told = []
    edges = [*good, *(edge for _, edge, _ in faulty)]
    numbered = building.numbered_edges(edges, ["lone"], "line {}".format, told.append)
    same(Hierarchy(**numbered), Hierarchy.from_edges(good, classes=["lone"]))
    assert [(f.rule, f.place) for f in told] == [
        (rule, f"line {i}") for i, (rule, _, _) in enumerate(faulty, len(good))
    ]
    assert all(f.message.endswith(m) for f, (_, _, m) in zip(told, faulty, strict=True))
    with pytest.raises(BadInput) as caught:
        building.numbered_edges(edges, ["lone"], "line {}".format)
    assert str(caught.value) == f"{told[0].place}: {told[0].message}"


def test_bad_weights_and_bad_classes_are_told():
    told = []
    edges = [("r", "a", 1.0), ("r", "b", -1), ("a", "c", "x"), ("r", "a", 5), ("a", "b", 3.0)]
    numbered = building.numbered_edges(edges, ["", "z", []], "line {}".format, told.append)
    assert [(f.rule, f.place) for f in told] == [
        ("blank name", "classes"),
        ("blank name", "classes"),
        ("edge weight", "line 1"),
        ("edge weight", "line 2"),
        ("duplicate edge", "line 3"),
    ]
    assert numbered["names"] == ("z", "r", "c", "a", "b")
    assert numbered["weights"].tolist() == [1.0, 3.0]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14, unique=True))
@settings(max_examples=effort.cases(200), deadline=None)
def test_the_edges_left_out_of_cycles_are_those_of_the_rule(edges):
    edges = [edge for edge in edges if edge[0] != edge[1]]
    told = []
    numbered = building.numbered_edges(edges, [9], str, told.append)
    back = back_edges_by_hand(edges)
    assert [(f.rule, f.place, f.edge) for f in told] == [
        ("cycle", str(i), edges[i]) for i in sorted(back)
    ]
    names = [9, *dict.fromkeys(name for edge in edges for name in edge)]
    rest = [edge for i, edge in enumerate(edges) if i not in back]
    same(Hierarchy(**numbered), Hierarchy.from_edges(rest, classes=names, roots="any"))


def back_edges_by_hand(edges):
    """The rule, recursively."""
    names = list(dict.fromkeys(name for edge in edges for name in edge))
    below = {child for parent, child in edges if parent != child}
    back, done = set(), set()

    def down(name, above):
        done.add(name)
        for i, (parent, child) in enumerate(edges):
            if parent == name and child in above:
                back.add(i)
            elif parent == name and child not in done:
                down(child, {*above, child})

    for name in sorted(names, key=below.__contains__):
        if name not in done:
            down(name, {name})
    return back


def test_many_cycles_take_no_quadratic_time():
    edges = [(i, i + 1) for i in range(3000)] + [(i + 1, i) for i in range(3000)]
    assert set(building.closing_edges(edges, range(3001))) == {*edges[3000:]}


def test_networkx_is_not_loaded_where_there_is_no_cycle():
    code = (
        "import sys; from hierpair import Hierarchy; Hierarchy.from_edges([('r', 'a')]); "
        "assert 'networkx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
