"""Every public function that takes a hierarchy takes whatever ``Hierarchy.of`` takes."""

import importlib
import inspect

import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    read_hierarchy,
)

ROOMS = (
    "", "metrics", "labels", "comparison", "evaluation", "explanation", "probabilistic",
    "verification", "report",
)  # fmt: skip

WITHIN = {
    "lint": "it checks a file",
    "Partial": "a record of sums",
    "NodeScores": "arrays; its constructors take anything",
    "LabelDistribution": "arrays; its constructors take anything",
    "LabelDistribution.from_sets": "arrays",
    "verify_values": "the name of a file",
    "score_dataset": "it may be a file that every process reads",
    **dict.fromkeys(("Case", "ClassAreas", "Examination", "Response"), "a result"),
}
"""Public names with a hierarchy among their parameters that are no doors."""


def doors():
    found = {}
    for room in ROOMS:
        module = importlib.import_module(f"hierpair.{room}".rstrip("."))
        for name in module.__all__:
            thing = getattr(module, name)
            called = {name: thing}
            if inspect.isclass(thing) and thing.__name__ in ("LabelSets", "NodeScores",
                                                             "LabelDistribution"):  # fmt: skip
                called |= {
                    f"{name}.{k}": getattr(thing, k) for k in vars(thing) if k.startswith("from_")
                }
            for key, function in called.items():
                try:
                    names = inspect.signature(function).parameters
                except (TypeError, ValueError):
                    continue
                if "hierarchy" in names and key not in WITHIN:
                    found[key] = function
    return found


DOORS = doors()


def test_the_list_of_what_is_no_door_is_not_longer_than_it_must_be():
    names = {name.split(".")[0] for name in WITHIN}
    assert names <= {name for room in ROOMS
                     for name in importlib.import_module(f"hierpair.{room}".rstrip(".")).__all__}  # fmt: skip
    assert len(DOORS) > 100


@pytest.mark.parametrize("name", DOORS)
def test_what_is_no_hierarchy_is_refused_before_all_else(name):
    """All other arguments are nonsense, and still it is the hierarchy that the error is about."""
    function = DOORS[name]
    needed = {
        key: object()
        for key, p in inspect.signature(function).parameters.items()
        if p.default is inspect.Parameter.empty
        and p.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        and key != "cls"
    }
    with pytest.raises(BadInput, match="a hierarchy is wanted, got ellipsis"):
        function(**needed | {"hierarchy": ...})


SIGNS = ["0", "root", "-", "#", "\\N", "None", "-1", "-1.0"]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("header", ["id,parent", "code,parent_id", "label,parent_label"])
def test_a_sign_for_no_parent_is_no_class(tmp_path, sign, header):
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n1,{sign}\n2,1\n3,1\n")
    with pytest.raises(BadInput, match="blank"):
        read_hierarchy(path)
    child, parent = header.split(",")
    with pytest.raises(BadInput, match="blank"):
        Hierarchy.of([{child: c, parent: p} for c, p in [("1", sign), ("2", "1"), ("3", "1")]])


def test_an_upper_class_without_a_row_is_a_class_where_rows_are_edges(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("parent,child\n0,1\n1,2\n1,3\n")
    assert read_hierarchy(path).roots == ["0"]


@pytest.mark.parametrize("wrong", [
    [{"sub": "cat", "obj": "animal"}, {"sub": "animal", "obj": "all"}],
    {"categories": [{"id": 1, "name": "cat", "supercategory": "animal"}, {"id": 2, "name": "dog"}]},
    {"tree": {"name": "all", "children": [{"name": "cat"}, {"name": "dog"}]}},
    {"hierarchy": {"all": {"animal": ["cat", "dog"]}}},
    {"taxonomy": {"cat": "animal", "animal": "all", "dog": "animal"}},
    {"directed": False, "nodes": [{"id": "a"}, {"id": "b"}],
     "links": [{"source": "a", "target": "b"}]},
    {"animal": ["cat", "dog"], "plant": ["oak", "elm"]},
    {"1": 0, "2": 1, "3": 1},
])  # fmt: skip
def test_what_holds_or_looks_like_another_form_is_refused(wrong):
    with pytest.raises(BadInput):
        Hierarchy.of(wrong)


@pytest.mark.parametrize("right", [
    [{"source": "all", "target": "cat"}, {"source": "all", "target": "dog"}],
    [{"from": "all", "to": "cat"}, {"from": "all", "to": "dog"}],
    {"name": "all", "index": 0, "children": [{"name": "cat", "index": 1},
                                             {"name": "dog", "index": 2}]},
    {"all": {"children": [{"cat": {"data": 1}}, {"dog": {"data": 2}}], "data": 3}},
    {"name": "all", "nodes": [{"name": "cat"}, {"name": "dog"}]},
    [{"id": "all", "parent": None, "state": {"opened": True}}, {"id": "cat", "parent": "all"},
     {"id": "dog", "parent": "all", "tags": ["x"]}],
])  # fmt: skip
def test_known_forms_with_other_things_beside_them(right):
    assert Hierarchy.of(right).names == ("all", "cat", "dog")


@pytest.mark.parametrize("thing", [3, True, object(), b"x"])
@pytest.mark.parametrize("door", ["of", "from_edges", "from_parents", "from_nested", "from_paths",
                                  "from_codes", "from_frame", "from_networkx"])  # fmt: skip
def test_every_door_refuses_what_is_no_collection(door, thing):
    with pytest.raises(BadInput):
        getattr(Hierarchy, door)(thing)


def test_a_table_of_one_class_may_have_a_parent_called_root(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,parent\n1,root\n")
    assert read_hierarchy(path).names == ("root", "1")
