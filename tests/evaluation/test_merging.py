"""Partial results add up where they belong together, and nowhere else."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, measure
from hierpair.evaluation import merge, partial
from hierpair.evaluation.checked import counting_truth
from hierpair.measures import measures_of


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
