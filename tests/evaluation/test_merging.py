"""Partial results add up where they belong together, and nowhere else."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, measure
from hierpair.evaluation import merge, partial
from hierpair.evaluation.checked import counting_truth
from hierpair.measures import measures_of
from tests import effort
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
def test_partials_of_different_hierarchies_do_not_merge(edges, average):
    one = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    other = Hierarchy.from_edges(edges)
    parts = [partial(h, [["a"]], [["b"]], ["hf"], average=average) for h in (one, other)]
    before = parts[0].to_bytes()
    for a, b in (parts, parts[::-1]):
        with pytest.raises(BadInput) as found:
            merge(a, b)
        assert all(h.describe() in str(found.value) for h in (one, other))
    assert parts[0].to_bytes() == before
    with pytest.raises(BadInput, match="different hierarchies"):  # nor if one has seen nothing
        merge(partial(other, [], [], ["hf"], average=average), parts[0])


def test_partials_of_the_same_hierarchy_in_another_order():
    edges = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")]
    one, other = Hierarchy.from_edges(edges), Hierarchy.from_edges(edges[::-1], classes="cb")
    assert one.numbering != other.numbering
    chosen = ["hf", "gie", "hf(average='micro')"]
    rows = [([["a"]], [["b"]]), ([["c"], ["b"]], [["b"], ["b"]])]
    parts = [partial(h, *row, chosen) for h, row in zip((one, other), rows, strict=True)]
    whole = partial(one, *([*a, *b] for a, b in zip(*rows, strict=True)), chosen)
    assert merge(*parts).to_bytes() == whole.to_bytes()
    macro = [
        partial(h, *row, "hf(average='macro')") for h, row in zip((one, other), rows, strict=True)
    ]
    with pytest.raises(BadInput, match="different orders of the classes"):
        merge(*macro)


@pytest.mark.exhaustive
@given(problems(9), st.randoms())
def test_fingerprints_know_names_edges_and_weights_but_no_order(problem, random):
    hierarchy, edges, _, _ = problem
    names = list(hierarchy.names)
    mixed = [random.sample(x, len(x)) for x in (edges, names)]
    again = Hierarchy.from_edges(
        mixed[0], classes=mixed[1], aliases={"alias": names[0]}, roots="any"
    )
    assert again.fingerprint == hierarchy.fingerprint
    known = {
        hierarchy.fingerprint,
        Hierarchy.from_edges(edges, classes=[*names, "x"], roots="any").fingerprint,
    }
    assert len(known) == 2
    if edges:
        weights = [float(random.randint(0, 2)) for _ in edges]
        weighted = [(*e, w) for e, w in zip(edges, weights, strict=True)]
        changed = [*weighted[:-1], (*edges[-1], weights[-1] + 0.5)]
        known |= {
            Hierarchy.from_edges(e, classes=names, roots="any").fingerprint
            for e in (weighted, changed)
        }
        known.add(Hierarchy.from_edges(edges[1:], classes=names, roots="any").fingerprint)
        assert len(known) == 5


@pytest.mark.random_cases
def test_fingerprints_are_the_same_in_every_process():
    names = ["a", 1, 2.5, ("x", 3), "\ud800", "ä\0"]
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
        for seed in ("012" if effort.exhaustive else "1")
    }  # fmt: skip
    assert found == {Hierarchy.from_edges([("r", n) for n in names]).fingerprint + "\n"}
    plain = Hierarchy.from_edges([("r", "a"), ("r", 1)])
    same = Hierarchy.from_edges([(np.str_("r"), np.str_("a")), ("r", 1.0)])
    assert plain.fingerprint == same.fingerprint
    assert plain.fingerprint != Hierarchy.from_edges([("r", "a"), ("r", "1")]).fingerprint


def test_nothing_seen_is_nan_for_every_measure_and_average():
    tree = Hierarchy.from_edges([("r", "a", 1), ("a", "b", 2)])
    every = [
        measure(n).with_options(average=a)
        for n, d in measures_of("labels").items()
        for a in d.averages
    ]
    every = [m.with_options(reference=["a"]) if counting_truth([m]) else m for m in every]
    nothing = partial(tree, [], [], every)
    assert np.isnan(nothing.scores().values).all()
    assert merge(nothing, nothing).to_bytes() == nothing.to_bytes()
    total = partial(tree, [], [], "hf(average='macro')")
    one = partial(tree, [[]], [[]], "hf(average='macro')")  # nothing to find, nothing said: perfect
    assert merge(total, one).scores().values.tolist() == [[1.0]]
