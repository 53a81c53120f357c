"""Lines of classes: headers are never classes, every reader refuses the same faults at the same place."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy
from hierpair.io.class_tables import (
    HEADERS,
    class_counts,
    class_groups,
    class_vectors,
    class_weights,
    cost_table,
)

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b, c")])
READERS = {
    "count": class_counts,
    "weight": class_weights,
    "group": lambda path, tree: np.array([float(x) for x in class_groups(path, tree)]),
    "number": lambda path, tree: class_vectors(path, tree).toarray()[:, 0],
}
VALUES = {"r": "1", "a": "2", "b, c": "3"}


@pytest.fixture
def written(tmp_path):
    def write(rows, name="w.tsv", mark="\t"):
        quoted = [[f'"{x}"' if mark in x else x for x in row] for row in rows]
        path = tmp_path / name
        path.write_text("\n".join(mark.join(row) for row in quoted) + "\n")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("name", "mark"), [("w.tsv", "\t"), ("w", "\t"), ("w.csv", ","), ("w.CSV", ",")]
)
@pytest.mark.parametrize("header", [None, *HEADERS, "Class", "TERM_ID"])
@pytest.mark.parametrize("kind", READERS)
def test_a_known_header_is_passed_over(written, kind, header, name, mark):
    rows = [*VALUES.items()]
    path = written([(header, kind), *rows] if header else rows, name, mark)
    assert READERS[kind](path, TREE).tolist() == [1, 2, 3]


@pytest.mark.parametrize("kind", READERS)
def test_a_class_that_is_called_like_a_header_is_one(written, kind):
    tree = Hierarchy.from_edges([("id", "a")])
    assert READERS[kind](written([("id", "5"), ("a", "6")]), tree).tolist() == [5, 6]


FAULTS = {
    "unknown header": ([("GO", "x"), *VALUES.items()], ":1: class 'GO' is not in the hierarchy"),
    "unknown class": ([*VALUES.items(), ("x", "1")], ":4: class 'x' is not in the hierarchy"),
    "second header": ([*VALUES.items(), ("class", "x")], ":4: class 'class' is not in the hier"),
    "twice": ([*VALUES.items(), ("r", "1")], ":4: class 'r' again; it is in line 1"),
    "no number": ([("r", "x"), ("a", "1"), ("b, c", "1")], ":1: 'x' is not a (finite )?number"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", READERS)
def test_faults_are_the_same_for_all(written, kind, fault):
    rows, message = FAULTS[fault]
    if (kind, fault) == ("group", "no number"):
        return
    with pytest.raises(BadInput, match=rf"w\.tsv{message}"):
        READERS[kind](written(rows), TREE)


@pytest.mark.parametrize("kind", ["count", "weight", "group"])
def test_one_value_in_every_line(written, kind):
    for row in (("r",), ("r", "1", "2")):
        with pytest.raises(BadInput, match=f"w.tsv:1: expected class TAB {kind}, got {len(row)} f"):
            READERS[kind](written([row]), TREE)


@pytest.mark.parametrize("kind", ["weight", "group"])
def test_all_classes_are_there(written, kind):
    with pytest.raises(BadInput, match=f"2 classes of the hierarchy without a {kind}, such as 'a'"):
        READERS[kind](written([("r", "1")]), TREE)


def test_a_list_of_costs_says_what_is_what(written):
    table = cost_table(written([("True", "predicted", "cost"), "ar2", "ra3"]), TREE)
    cost, listed = table.look_up(np.array([0, 1, 2]), np.array([1, 0, 0]))
    assert (cost.tolist(), listed.tolist()) == ([2, 3, 0], [True, True, False])
    square = cost_table(written([("true", "r", "a"), ("a", "2", "0"), ("r", "0", "3")]), TREE)
    assert square.look_up(np.array([0, 1]), np.array([1, 0]))[0].tolist() == [2, 3]
