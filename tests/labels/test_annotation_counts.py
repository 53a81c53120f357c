"""Counts of annotations: all cases of the tool, and a slow count on random hierarchies."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, LabelSets
from hierpair.io.class_tables import class_weights, weight_lines
from hierpair.labels.annotation_counts import (
    annotation_counts,
    information_accretion,
)
from tests import effort
from tests.paths import SHARED
from tests.strategies import problems

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


@pytest.mark.parametrize("smooth", [2, True, 0.5, "1"])
def test_other_smoothing_is_refused(smooth):
    h = Hierarchy.from_edges([("r", "a")])
    with pytest.raises(BadInput, match="smooth must be 0 or 1"):
        information_accretion(h, LabelSets.from_labels(["a"], h), smooth=smooth)


def test_a_namespace_for_every_class():
    h = Hierarchy.from_edges([("r", "a")])
    with pytest.raises(BadInput, match="all 2 classes, got 1"):
        information_accretion(h, LabelSets.from_labels(["a"], h), by=["x"])


def test_weights_are_written_and_read_to_the_last_bit(tmp_path):
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "d")])
    weights = np.array([0.0, 1 / 3, np.inf, np.nan])
    path = tmp_path / "ia.tsv"
    path.write_text(weight_lines(h, weights))
    assert class_weights(str(path), h).tolist() == [0, 1 / 3, math.inf, math.inf]
    assert class_weights(str(path), h, unusable="zero").tolist() == [0, 1 / 3, 0, 0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("r\t1\na\t-2\n", r"w.tsv:2: the weight -2 is negative"),
        ("r\t1\na\tnan\n", r"w.tsv:2: 'nan' is not a number"),
        ("r\t1\nx\t1\n", r"w.tsv:2: class 'x' is not in the hierarchy"),
        ("r\t1\nr\t2\n", r"w.tsv:2: class 'r' again; it is in line 1"),
        ("r\t1\t2\n", r"w.tsv:1: expected class TAB weight, got 3 fields"),
        ("r\t1\n", r"w.tsv: 1 class of the hierarchy without a weight, such as 'a'"),
    ],
)
def test_bad_files_of_weights(tmp_path, text, said):
    path = tmp_path / "w.tsv"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        class_weights(str(path), Hierarchy.from_edges([("r", "a")]))
