"""Numbers of classes: tables of them, and counts of annotations against the tool and against slow counts."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, LabelSets
from hierpair.io.class_tables import (
    HEADERS,
    class_counts,
    class_groups,
    class_vectors,
    class_weights,
    cost_table,
    weight_lines,
)
from hierpair.labels.annotation_counts import annotation_counts, information_accretion
from tests import effort
from tests.paths import SHARED
from tests.strategies import problems

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


@pytest.mark.parametrize(
    ("value", "said"), [("-2", "the weight -2 is negative"), ("nan", "'nan' is not a")]
)
def test_weights_are_numbers_from_0_on(written, value, said):
    with pytest.raises(BadInput, match=f"w.tsv:2: {said}"):
        class_weights(written([("r", "1"), ("a", value)]), TREE)


def test_a_list_of_costs_says_what_is_what(written):
    table = cost_table(written([("True", "predicted", "cost"), "ar2", "ra3"]), TREE)
    cost, listed = table.look_up(np.array([0, 1, 2]), np.array([1, 0, 0]))
    assert (cost.tolist(), listed.tolist()) == ([2, 3, 0], [True, True, False])
    square = cost_table(written([("true", "r", "a"), ("a", "2", "0"), ("r", "0", "3")]), TREE)
    assert square.look_up(np.array([0, 1]), np.array([1, 0]))[0].tolist() == [2, 3]


# ------------------------------------------------------------------------------ annotations

VECTORS = SHARED / "modern" / "information_accretion.json"


def cases():
    if not VECTORS.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(f"no {VECTORS}; set HIERPAIR_DATA"))]
    return [pytest.param(c, id=c["name"]) for c in json.loads(VECTORS.read_text())["cases"]]


@pytest.mark.parametrize("case", cases())
def test_information_accretion_is_that_of_the_tool(case):
    h = Hierarchy.from_edges(case["edges"], classes=case["classes"])
    sets = LabelSets.from_labels(case["truth"], h)
    for smooth, column in ((1, "with_dummy"), (0, "plain")):
        expected = case["expected"][column]
        wanted = [math.nan if expected[c] is None else float(expected[c]) for c in h.names]
        got = information_accretion(h, sets, smooth=smooth)
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def with_ancestors(h, labels):
    return {a for label in labels for a in (label, *h.ancestors(label))}


def counted_slowly(h, truth, names, edges):
    """Return by class (with it, with all its parents), in sets that hold only these names."""
    sets = [with_ancestors(h, [c for c in labels if c in names]) for labels in truth]
    sets = [s for s in sets if s]
    parents = {c: {p for p, child, *_ in edges if child == c} for c in names}
    return {c: (sum(c in s for s in sets), sum(parents[c] <= s for s in sets), len(sets))
            for c in names}  # fmt: skip


@settings(max_examples=effort.cases(150))
@given(problems(max_classes=9, max_labels=4, instances=6))
def test_counts_are_those_of_sets(problem):
    h, edges, truth, _ = problem
    counts = annotation_counts(h, LabelSets.from_labels(truth, h))
    slow = counted_slowly(h, truth, set(h.names), edges)
    found = zip(counts.of_class, counts.of_parents, counts.n_annotated, strict=True)
    assert dict(zip(h.names, found, strict=True)) == slow
    assert counts.n_instances == len(truth)


@settings(max_examples=effort.cases(80))
@given(problems(max_classes=8, max_labels=4, instances=5), st.data())
def test_namespaces_are_counted_as_if_they_were_alone(problem, data):
    h, edges, truth, _ = problem
    by = data.draw(st.lists(st.sampled_from("pfc"), min_size=len(h), max_size=len(h)))
    counts = annotation_counts(h, LabelSets.from_labels(truth, h), by=by)
    for space in set(by):
        names = {c for c, own in zip(h.names, by, strict=True) if own == space}
        inside = [e for e in edges if e[0] in names and e[1] in names]
        alone = Hierarchy.from_edges(inside, classes=sorted(names), roots="any")
        for c, slow in counted_slowly(alone, truth, names, inside).items():
            at = h.position[c]
            assert (counts.of_class[at], counts.of_parents[at], counts.n_annotated[at]) == slow


def test_many_blocks_are_one(monkeypatch):
    rng = np.random.default_rng(0)
    edges = [(int(p), c) for c in range(1, 40) for p in {*rng.integers(0, c, 2).tolist()}]
    h = Hierarchy.from_edges(edges)
    sets = LabelSets.from_labels([rng.integers(0, 40, 3).tolist() for _ in range(50)], h)
    whole = information_accretion(h, sets)
    monkeypatch.setattr("hierpair.labels.annotation_counts.BLOCK_ENTRIES", 7)
    assert information_accretion(h, sets).tolist() == whole.tolist()


@pytest.mark.parametrize(("how", "said"), [
    *(({"smooth": smooth}, "smooth must be 0 or 1") for smooth in (2, True, 0.5, "1")),
    ({"by": ["x"]}, "all 2 classes, got 1"),
])  # fmt: skip
def test_other_smoothing_and_namespaces_are_refused(how, said):
    h = Hierarchy.from_edges([("r", "a")])
    with pytest.raises(BadInput, match=said):
        information_accretion(h, LabelSets.from_labels(["a"], h), **how)


def test_weights_are_written_and_read_to_the_last_bit(tmp_path):
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "d")])
    weights = np.array([0.0, 1 / 3, np.inf, np.nan])
    path = tmp_path / "ia.tsv"
    path.write_text(weight_lines(h, weights))
    assert class_weights(str(path), h).tolist() == [0, 1 / 3, math.inf, math.inf]
    assert class_weights(str(path), h, unusable="zero").tolist() == [0, 1 / 3, 0, 0]
