"""Partial results add up where they belong together, and nowhere else."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, measure
from hierpair.evaluation import Accumulator
from hierpair.measures import REGISTRY
from tests.strategies import problems


@pytest.mark.parametrize("average", ["samples", "micro", "macro", "weighted"])
@pytest.mark.parametrize(
    "edges",
    [
        [("r", "a"), ("a", "b"), ("b", "c")],
        [("r", "a"), ("r", "b"), ("r", "c")],
        [("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")],
        [("r", "a"), ("r", "b"), ("a", "C")],
        [("r", "a", 1), ("r", "b", 1), ("a", "c", 1)],
    ],
)
def test_accumulators_of_different_hierarchies_do_not_merge(edges, average):
    one = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    other = Hierarchy.from_edges(edges)
    parts = [Accumulator(h, ["hf"], average=average) for h in (one, other)]
    for part in parts:
        part.update([["a"]], [["b"]])
    before = parts[0].pooled()
    for a, b in (parts, parts[::-1]):
        with pytest.raises(BadInput) as found:
            a.merge(b)
        assert all(h.describe() in str(found.value) for h in (one, other))
    assert parts[0].pooled() == before
    with pytest.raises(BadInput, match="different hierarchies"):  # nor if one has seen nothing
        Accumulator(other, ["hf"], average=average).merge(parts[0])


def test_accumulators_of_the_same_hierarchy_in_another_order():
    edges = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")]
    one, other = Hierarchy.from_edges(edges), Hierarchy.from_edges(edges[::-1], classes="cb")
    assert one.numbering != other.numbering
    parts = [Accumulator(h, ["hf", "gie", "hf(average='micro')"]) for h in (one, other, one)]
    rows = [([["a"]], [["b"]]), ([["c"], ["b"]], [["b"], ["b"]])]
    for part, row in zip(parts, rows, strict=False):
        part.update(*row)
        parts[2].update(*row)
    assert parts[0].merge(parts[1]).pooled() == parts[2].pooled()
    macro = [Accumulator(h, ["hf(average='macro')"]) for h in (one, other)]
    for part, row in zip(macro, rows, strict=True):
        part.update(*row)
    with pytest.raises(BadInput, match="its classes came in another order"):
        macro[0].merge(macro[1])


@given(problems(9), st.randoms())
def test_fingerprints_know_names_edges_and_weights_but_no_order(problem, random):
    hierarchy, edges, _, _ = problem
    names = list(hierarchy.names)
    mixed = [random.sample(x, len(x)) for x in (edges, names)]
    again = Hierarchy.from_edges(mixed[0], classes=mixed[1], aliases={"alias": names[0]})
    assert again.fingerprint == hierarchy.fingerprint
    known = {hierarchy.fingerprint, Hierarchy.from_edges(edges, classes=[*names, "x"]).fingerprint}
    assert len(known) == 2
    if edges:
        weights = [float(random.randint(0, 2)) for _ in edges]
        weighted = [(*e, w) for e, w in zip(edges, weights, strict=True)]
        changed = [*weighted[:-1], (*edges[-1], weights[-1] + 0.5)]
        known |= {Hierarchy.from_edges(e, classes=names).fingerprint for e in (weighted, changed)}
        known.add(Hierarchy.from_edges(edges[1:], classes=names).fingerprint)
        assert len(known) == 5


def test_fingerprints_are_the_same_in_every_process():
    names = ["a", 1, 2.5, ("x", 3), frozenset("pq"), "\ud800", "ä\0"]
    code = (
        "from hierpair import Hierarchy\n"
        f"h = Hierarchy.from_edges([('r', n) for n in {names!r}])\n"
        "print(h.fingerprint)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in "012"
    }  # fmt: skip
    assert found == {Hierarchy.from_edges([("r", n) for n in names]).fingerprint + "\n"}
    plain = Hierarchy.from_edges([("r", "a"), ("r", 1)])
    same = Hierarchy.from_edges([(np.str_("r"), np.str_("a")), ("r", 1.0)])
    assert plain.fingerprint == same.fingerprint
    assert plain.fingerprint != Hierarchy.from_edges([("r", "a"), ("r", "1")]).fingerprint


def test_nothing_seen_is_nan_for_every_measure_and_average():
    tree = Hierarchy.from_edges([("r", "a", 1), ("a", "b", 2)])
    every = [measure(n).with_options(average=a) for n, d in REGISTRY.items() for a in d.averages]
    assert all(np.isnan(Accumulator(tree, every).pooled()))
    total = Accumulator(tree, ["hf(average='macro')"])
    total.update([], [])
    assert np.isnan(total.pooled()[0])
    total.update([[]], [[]])  # nothing to find, nothing said: perfect
    assert total.pooled() == [1.0]
