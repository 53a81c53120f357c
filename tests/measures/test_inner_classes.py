"""Answers at inner classes: weights of leaves, coarse truths, outcomes, information of classes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, score
from hierpair.measures.class_weights import class_weights
from hierpair.pairing import cost_named
from hierpair.pairing.pairs import Pairs
from tests.strategies import dags, problems


def above(h, labels):
    return {*labels, *(a for c in labels for a in h.ancestors(c))}


def below(h, c):
    return {c, *h.descendants(c)}


def leaves(h, c):
    return {x for x in below(h, c) if not h.descendants(x)}


@given(dags(12))
def test_classes_weigh_how_far_they_narrow_down_the_leaves(drawn):
    edges, names = drawn
    h = Hierarchy.from_edges(edges, classes=names, roots="any")
    n = len({x for c in names for x in leaves(h, c)})
    bits = {c: -math.log2(len(leaves(h, c)) / n) for c in names}
    parents = {c: [e[0] for e in edges if e[1] == c] for c in names}
    for c, weight in zip(h.names, class_weights(h, "leaves").tolist(), strict=True):
        expected = bits[c] - max((bits[p] for p in parents[c]), default=0)
        assert weight == pytest.approx(expected)
        assert weight >= 0


@given(problems(max_labels=1, tree=True, single_root=True, instances=5))
def test_on_a_tree_precision_and_recall_are_ratios_of_information(problem):
    h, _, truth, predicted = problem
    pairs = [(t[0], p[0]) for t, p in zip(truth, predicted, strict=True) if t and p]
    if not pairs:
        return
    n = len(leaves(h, h.roots[0]))

    def bits(c):
        return -math.log2(len(leaves(h, c)) / n)

    found = score(h, *map(list, zip(*pairs, strict=True)), ["hp", "hr", "hf"], weights="leaves",
                  root="include").per_instance["system"]  # fmt: skip
    for (y, said), values in zip(pairs, found, strict=True):
        a = max(above(h, [y]) & above(h, [said]), key=lambda c: len(h.ancestors(c)))
        if bits(said) and bits(y):
            expected = [
                bits(a) / bits(said),
                bits(a) / bits(y),
                2 * bits(a) / (bits(said) + bits(y)),
            ]
            assert values == pytest.approx(expected)


COARSE = ["hp", "hr", "hf", "symmetric_difference", "f", "subset_accuracy", "hf(average=macro)",
          "f(average=macro)", "hf(weights=leaves)", "right"]  # fmt: skip


@given(problems(instances=4))
def test_below_the_truth_is_the_truth(problem):
    h, _, truth, predicted = problem

    def as_far_as(true, c):
        over = {t for t in true if t in above(h, [c])}
        return [t for t in over if not over & {*h.descendants(t)}] or [c]

    as_far = [
        list(dict.fromkeys(x for c in said for x in as_far_as(true, c)))
        for true, said in zip(truth, predicted, strict=True)
    ]
    found = score(h, truth, predicted, COARSE, deeper="right").values
    assert np.array_equal(found, score(h, truth, as_far, COARSE).values)


@given(problems(instances=6))
def test_outcomes_are_one_of_four(problem):
    h, _, truth, predicted = problem
    names = ["right", "stopped_early", "too_deep", "off_path", "answered_leaf"]
    found = score(h, truth, predicted, names, root="include").per_instance["system"]
    assert (found[:, :4].sum(axis=1) == 1).all()
    for t, p, values in zip(truth, predicted, found, strict=True):
        true, said = above(h, t), above(h, p)
        expected = [true == said, said < true, true < said, not (true <= said or said <= true),
                    any(not h.descendants(c) for c in p)]  # fmt: skip
        assert values.tolist() == expected
        if len(t) == len(p) == 1:
            assert expected[1] == (p[0] in h.ancestors(t[0]))
            assert expected[2] == (t[0] in h.ancestors(p[0]))


@given(dags(10), st.sampled_from(["seco", "sanchez"]))
def test_information_of_the_hierarchy_alone(drawn, how):
    edges, names = drawn
    h = Hierarchy.from_edges(edges, classes=names, roots="any")
    n, n_leaves = len(names), len({x for c in names for x in leaves(h, c)})
    content = {
        c: math.log(n / len(below(h, c))) if how == "seco" else
        -math.log((len(leaves(h, c)) / len(above(h, [c])) + 1) / (n_leaves + 1))
        for c in names
    }  # fmt: skip
    every = np.arange(n, dtype=np.int32)
    u, v = np.repeat(every, n), np.tile(every, n)
    pairs = Pairs.of_classes(h, u, v)
    lin = cost_named(f"lin(intrinsic={how})")(pairs)
    for k in range(n * n):
        one, other = h.names[u[k]], h.names[v[k]]
        shared = above(h, [one]) & above(h, [other])
        best = max((content[c] for c in shared), default=0)
        both = content[one] + content[other]
        like = 1 if one == other else (2 * best / both if both > 1e-12 else float(bool(shared)))
        assert 1 - lin[k] == pytest.approx(min(1, like), abs=1e-9)
    largest = max(content.values())
    if largest > 1e-12:
        resnik = cost_named(f"resnik(intrinsic={how})")(pairs)
        best = [max((content[c] for c in above(h, [h.names[a]]) & above(h, [h.names[b]])), default=0)
                for a, b in zip(u, v, strict=True)]  # fmt: skip
        assert 1 - resnik == pytest.approx(np.array(best) / largest, abs=1e-9)


def test_what_does_not_go_together_is_refused():
    with pytest.raises(BadInput, match="counts classes alone; leave counts out"):
        cost_named("lin(intrinsic=seco, smooth=1)")
    with pytest.raises(BadInput, match="intrinsic"):
        cost_named("lin(intrinsic=zhou)")
