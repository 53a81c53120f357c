"""Graphs of a part, each side by itself and thinned out on the way, against all of them."""

from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierpair.lca import search
from hierpair.lca.encoding import TooMany
from hierpair.lca.search import Outcome, Part, Work, graphs_of_part, measured, undominated
from tests import effort

CLASSES = 7
masks = st.integers(0, 2**CLASSES - 1)
ends = st.tuples(st.sampled_from([0, 1]), st.integers(0, 2))


@st.composite
def parts(draw):
    """A part as the enumeration makes it: an end is needed, or some label cannot miss it."""
    option = st.tuples(st.integers(0, 2), masks)
    label = st.tuples(st.sampled_from([0, 1]), st.lists(option, min_size=2, max_size=3))
    labels = draw(st.lists(label, max_size=4))
    needed = draw(st.dictionaries(ends, st.lists(masks, min_size=1, max_size=3).map(tuple)))
    fixed = draw(masks), draw(masks)
    mask = 0
    for path in (path for _, options in labels for _, path in options):
        mask |= path
    for paths in needed.values():
        for path in paths:
            mask |= path
    return Part(labels, needed, mask & ~(fixed[0] & fixed[1])), draw(masks), fixed


def written_out(part, marked, fixed):
    """Every choice of every label, and then every path to every end that none of them met."""
    every = []
    for choice in product(*[options for _, options in part.labels]):
        sides = [fixed[s] & part.mask for s in (0, 1)]
        met = set()
        for (side, _), (end, path) in zip(part.labels, choice, strict=True):
            sides[side] |= path & part.mask
            met.add((side, end))
        left = [end for end in part.ends if end not in met]
        for paths in product(*[part.ends[end] for end in left]):
            grown = list(sides)
            for (side, _), path in zip(left, paths, strict=True):
                grown[side] |= path & part.mask
            every.append(tuple(grown))
    fewest = min(((t | p) & marked).bit_count() for t, p in every)
    kept = {(t, p) for t, p in every if ((t | p) & marked).bit_count() == fewest}
    return fewest, undominated([Outcome(*measured(*both), both) for both in kept])


def by_sides(marked):
    """What is done where there are several choices."""
    return lambda part, fixed: search._sides(part, marked, fixed, Work())


def in_order(found):
    fewest, outcomes = found
    return fewest, sorted((o.both, o.size, o.lean, o.masks) for o in outcomes)


@settings(max_examples=effort.cases(400), deadline=None)
@given(parts())
def test_nothing_that_counts_is_dropped(drawn):
    assert in_order(graphs_of_part(*drawn, Work())) == in_order(written_out(*drawn))


@settings(
    max_examples=effort.cases(200),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much],
)
@given(parts().filter(lambda drawn: len(drawn[0].labels) + len(drawn[0].ends) == 1))
def test_a_single_choice_is_no_other_rule(drawn):
    """Without steps side by side, and with them."""
    part, marked, fixed = drawn
    short = in_order(graphs_of_part(*drawn, Work()))
    with patch.object(search, "_single", by_sides(marked)):
        assert in_order(graphs_of_part(part, marked, fixed, Work())) == short


def test_graphs_are_counted_after_the_worse_ones_are_gone(monkeypatch):
    """Twelve labels with two classes each to themselves: 4,096 graphs, of which one matters."""
    labels = [(0, [(0, 1 << 2 * i), (1, 2 << 2 * i)]) for i in range(12)]
    part = Part(labels, {}, (1 << 24) - 1)
    monkeypatch.setattr(search, "MOST_STATES", 1)
    assert in_order(graphs_of_part(part, 0, (0, 0), Work())) == (
        0, [(0, 12, 12, (sum(1 << 2 * i for i in range(12)), 0))],
    )  # fmt: skip


@pytest.mark.parametrize("side", [0, 1])
def test_classes_that_the_other_side_has_anyway_are_only_counted(monkeypatch, side):
    """Twelve labels, each with a class that the other side has or another such class."""
    labels = [(side, [(0, 1 << 2 * i), (1, 2 << 2 * i)]) for i in range(12)]
    fixed = [0, 0]
    fixed[1 - side] = (1 << 24) - 1
    monkeypatch.setattr(search, "MOST_STATES", 1)
    mine = sum(1 << 2 * i for i in range(12))
    both = (mine, fixed[1]) if side == 0 else (fixed[0], mine)
    assert in_order(graphs_of_part(Part(labels, {}, (1 << 24) - 1), 0, fixed, Work())) == (
        0, [(12, 36, (-12, 12)[side], both)],
    )  # fmt: skip


@pytest.mark.parametrize("side", [0, 1])
def test_fewer_lcas_come_before_fewer_classes(side):
    """A label that passes an LCA, or two other classes."""
    part = Part([(side, [(0, 0b001), (1, 0b110)])], {}, 0b111)
    masks = (0b110, 0) if side == 0 else (0, 0b110)
    assert in_order(graphs_of_part(part, 0b001, (0, 0), Work())) == (
        0, [(0, 2, (2, -2)[side], masks)],
    )  # fmt: skip


@pytest.mark.parametrize(("limit", "most"), [("MOST_STATES", 3), ("MOST_WORK", 11)])
def test_more_than_the_limits_is_too_many(monkeypatch, limit, most):
    """Two labels on each side, whose classes are all open to the other: four graphs a side."""
    options = [[(0, 1), (1, 2)], [(0, 4), (1, 8)]]
    part = Part([(side, o) for side in (0, 1) for o in options], {}, 15)
    graphs_of_part(part, 0, (0, 0), Work())
    monkeypatch.setattr(search, limit, most)
    with pytest.raises(TooMany):
        graphs_of_part(part, 0, (0, 0), Work())
