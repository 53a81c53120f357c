"""Numbers of classes: tables of them, and counts of annotations against the tool and against slow counts."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import Hierarchy, LabelSets
from hierpair.io import class_tables as tables
from hierpair.labels.annotation_counts import annotation_counts, information_accretion
from hierpair.pairing.given_costs import CostMatrix
from tests import effort
from tests.paths import SHARED
from tests.reading import put, refuses
from tests.strategies import problems

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b, c")])
READERS = {
    "count": tables.class_counts,
    "weight": tables.class_weights,
    "group": lambda path, tree: np.array([float(x) for x in tables.class_groups(path, tree)]),
    "number": lambda path, tree: tables.class_vectors(path, tree).toarray()[:, 0],
}
VALUES = {"r": "1", "a": "2", "b, c": "3"}


def written(path, rows):
    mark = "," if path.suffix.lower() == ".csv" else "\t"
    quoted = [[f'"{x}"' if mark in x else x for x in row] for row in rows]
    return str(put(path, "\n".join(mark.join(row) for row in quoted) + "\n"))


@pytest.mark.parametrize("name", ["w.tsv", "w", "w.csv", "w.CSV"])
@pytest.mark.parametrize("kind", READERS)
def test_a_known_header_is_passed_over_and_a_class_that_is_called_so_is_one(tmp_path, kind, name):
    rows = [*VALUES.items()]
    for header in (None, "id", "node", "Class", "TERM_ID", "taxon id"):
        path = written(tmp_path / name, [(header, kind), *rows] if header else rows)
        assert READERS[kind](path, TREE).tolist() == [1, 2, 3]
    path = written(tmp_path / name, [("id", "5"), ("a", "6")])
    assert READERS[kind](path, Hierarchy.from_edges([("id", "a")])).tolist() == [5, 6]


ALL, EACH = tuple(READERS), ("count", "weight", "group")
WANTED = [
    (ALL, [("GO", "x"), *VALUES.items()], ":1: class 'GO' is not in the hierarchy"),
    (ALL, [*VALUES.items(), ("x", "1")], ":4: class 'x' is not in the hierarchy"),
    (ALL, [*VALUES.items(), ("class", "x")], ":4: class 'class' is not in the hier"),
    (ALL, [*VALUES.items(), ("r", "1")], ":4: class 'r' again; it is in line 1"),
    (("count", "weight", "number"), [("r", "x"), ("a", "1"), ("b, c", "1")], ":1: 'x' is not a (finite )?number"),
    *((EACH, [row], f":1: expected class TAB {{}}, got {len(row)} f") for row in (("r",), ("r", "1", "2"))),
    (EACH[1:], [("r", "1")], ".*2 classes of the hierarchy without a {}, such as 'a'"),
    (["weight"], [("r", "1"), ("a", "-2")], ":2: the weight -2 is negative"),
    (["weight"], [("r", "1"), ("a", "nan")], ":2: 'nan' is not a"),
]  # fmt: skip


@pytest.mark.parametrize(("kinds", "rows", "said"), WANTED, ids=range(len(WANTED)))
def test_faults_are_the_same_for_all(tmp_path, kinds, rows, said):
    path = written(tmp_path / "w.tsv", rows)
    for kind in kinds:
        refuses(rf"w\.tsv{said.format(kind)}", READERS[kind], path, TREE)


@pytest.mark.parametrize(("rows", "listed"), [
    ([("True", "predicted", "cost"), "ar2", "ra3"], False),
    ([("true", "r", "a"), ("a", "2", "0"), ("r", "0", "3")], True),
])  # fmt: skip
def test_a_list_of_costs_says_what_is_what(tmp_path, rows, listed):
    """And so does a square; in a list a pair may be missing."""
    path = written(tmp_path / "w.tsv", rows)
    wanted = {("r", "a"): 2.0, ("a", "r"): 3.0} | (
        {("r", "r"): 0.0, ("a", "a"): 0.0} if listed else {}
    )
    assert tables.cost_table(path, TREE) == wanted
    largest = [CostMatrix(path, other).max_cost(TREE, np.arange(3)) for other in (None, 0.5)]
    assert [x.tolist() for x in largest] == [[3, 2, 0], [3, 2, 0.5]]


VECTORS = SHARED / "modern" / "information_accretion.json"


@pytest.mark.skipif(not VECTORS.is_file(), reason=f"no {VECTORS}; set HIERPAIR_DATA")
def test_information_accretion_is_that_of_the_tool():
    for case in json.loads(VECTORS.read_text())["cases"]:
        h = Hierarchy.from_edges(case["edges"], classes=case["classes"])
        sets = LabelSets.from_labels(case["truth"], h)
        for how, column in (
            ({}, "with_dummy"),
            ({"smooth": 1}, "with_dummy"),
            ({"smooth": 0}, "plain"),
        ):
            wanted = [
                float(math.nan if x is None else x)
                for x in map(case["expected"][column].get, h.names)
            ]
            got = information_accretion(h, sets, **how)
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12, err_msg=case["name"])


@settings(max_examples=effort.cases(150))
@given(problems(max_classes=9, max_labels=4, instances=6), st.data())
def test_counts_are_those_of_sets(problem, data):
    """Of any blocks; a namespace is counted as if it were alone."""
    h, edges, truth, _ = problem
    by = data.draw(st.lists(st.sampled_from("pfc"), min_size=len(h), max_size=len(h)) | st.none())
    with pytest.MonkeyPatch.context() as patch:
        block = data.draw(st.sampled_from([7, 10**6]))
        patch.setattr("hierpair.labels.annotation_counts.BLOCK_ENTRIES", block)
        counts = annotation_counts(h, LabelSets.from_labels(truth, h), by=by)
    assert counts.n_instances == len(truth)
    for space in set(by or "p"):
        names = {c for c, own in zip(h.names, by or "p" * len(h), strict=True) if own == space}
        inside = [e for e in edges if e[0] in names and e[1] in names]
        alone = Hierarchy.from_edges(inside, classes=sorted(names), roots="any")
        sets = [{a for c in row if c in names for a in (c, *alone.ancestors(c))} for row in truth]
        sets = [s for s in sets if s]
        for c in names:
            at, parents = h.position[c], {p for p, child, *_ in inside if child == c}
            slow = sum(c in s for s in sets), sum(parents <= s for s in sets), len(sets)
            assert (counts.of_class[at], counts.of_parents[at], counts.n_annotated[at]) == slow


@pytest.mark.parametrize(("how", "said"), [
    *(({"smooth": smooth}, "smooth must be 0 or 1") for smooth in (2, True, 0.5, "1")),
    ({"by": ["x"]}, "all 2 classes, got 1"),
])  # fmt: skip
def test_other_smoothing_and_namespaces_are_refused(how, said):
    h = Hierarchy.from_edges([("r", "a")])
    refuses(said, information_accretion, h, LabelSets.from_labels(["a"], h), **how)


def test_weights_are_written_and_read_to_the_last_bit(tmp_path):
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "d")])
    path = put(tmp_path / "ia.tsv", tables.weight_lines(h, np.array([0.0, 1 / 3, np.inf, np.nan])))
    for how, last in ({}, math.inf), ({"unusable": "zero"}, 0):
        assert tables.class_weights(str(path), h, **how).tolist() == [0, 1 / 3, last, last]
    put(path, "r\t-2\nb\t3\n")
    assert tables.class_weights(str(path), h, unusable="zero").tolist() == [0, 0, 3, 0]
