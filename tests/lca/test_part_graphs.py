"""Graphs of a part, each side by itself and thinned out on the way, against all of them."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair.lca import search
from hierpair.lca.encoding import TooMany
from hierpair.lca.search import (
    Outcome,
    Part,
    Step,
    Work,
    graphs_of_part,
    parts_of,
    undominated,
)
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
    return labels, needed, draw(masks), (draw(masks), draw(masks))


def part_of(labels, needed, fixed):
    """All choices as one part, whether they depend on each other or not."""
    bit = {end: 1 << CLASSES + k for k, end in enumerate(needed)}
    steps = [Step(s, {path | bit.get((s, a), 0) for a, path in some}) for s, some in labels]
    steps += [Step(end[0], {path | bit[end] for path in needed[end]}, bit[end]) for end in needed]
    mask = 0
    for option in (option for step in steps for option in step.options):
        mask |= option
    return Part(steps, mask & ~(fixed[0] & fixed[1]))


def written_out(labels, needed, marked, fixed):
    """Every choice of every label, and then every path to every end that none of them met."""
    region = part_of(labels, needed, fixed).mask & (1 << CLASSES) - 1
    every = []
    for choice in product(*[options for _, options in labels]):
        sides = [fixed[s] & region for s in (0, 1)]
        met = set()
        for (side, _), (end, path) in zip(labels, choice, strict=True):
            sides[side] |= path & region
            met.add((side, end))
        left = [end for end in needed if end not in met]
        for paths in product(*[needed[end] for end in left]):
            grown = list(sides)
            for (side, _), path in zip(left, paths, strict=True):
                grown[side] |= path & region
            every.append(tuple(grown))
    fewest = min(((t | p) & marked).bit_count() for t, p in every)
    kept = {(t, p) for t, p in every if ((t | p) & marked).bit_count() == fewest}
    return fewest, undominated([Outcome(*both) for both in kept])


def in_order(found):
    fewest, outcomes = found
    return fewest, sorted((*o.numbers, o[:2]) for o in outcomes)


@settings(max_examples=effort.cases(400), deadline=None)
@given(parts())
def test_nothing_that_counts_is_dropped(drawn):
    labels, needed, marked, fixed = drawn
    found = graphs_of_part(part_of(labels, needed, fixed), marked, fixed, Work())
    assert in_order(found) == in_order(written_out(*drawn))


@settings(max_examples=effort.cases(400), deadline=None)
@given(parts())
def test_parts_share_nothing_that_is_undecided(drawn):
    """The best graphs of the parts are together those of all choices."""
    labels, needed, marked, fixed = drawn
    whole = part_of(labels, needed, fixed)
    found = parts_of(whole.steps, fixed[0] & fixed[1])
    assert sum(len(part.steps) for part in found) == len(whole.steps)
    count, outcomes = 0, [Outcome(0, 0)]
    for i, part in enumerate(found):
        assert not any(part.mask & other.mask for other in found[:i])
        fewest, some = graphs_of_part(part, marked, fixed, Work())
        count += fewest
        outcomes = undominated([Outcome(a[0] | b[0], a[1] | b[1]) for a in outcomes for b in some])
    fewest, expected = written_out(*drawn)
    assert count == fewest
    assert {o.numbers for o in outcomes} == {o.numbers for o in expected}


def test_graphs_are_counted_after_the_worse_ones_are_gone(monkeypatch):
    """Twelve labels with two classes each to themselves: 4,096 graphs, of which one matters."""
    part = Part([Step(0, {1 << 2 * i, 2 << 2 * i}) for i in range(12)], (1 << 24) - 1)
    monkeypatch.setattr(search, "MOST_STATES", 1)
    assert in_order(graphs_of_part(part, 0, (0, 0), Work())) == (
        0, [(0, 12, 12, (sum(1 << 2 * i for i in range(12)), 0))],
    )  # fmt: skip


@pytest.mark.parametrize("side", [0, 1])
def test_classes_that_the_other_side_has_anyway_are_only_counted(monkeypatch, side):
    """Twelve labels, each with a class that the other side has or another such class."""
    part = Part([Step(side, {1 << 2 * i, 2 << 2 * i}) for i in range(12)], (1 << 24) - 1)
    fixed = [0, 0]
    fixed[1 - side] = (1 << 24) - 1
    monkeypatch.setattr(search, "MOST_STATES", 1)
    mine = sum(1 << 2 * i for i in range(12))
    both = (mine, fixed[1]) if side == 0 else (fixed[0], mine)
    assert in_order(graphs_of_part(part, 0, fixed, Work())) == (
        0, [(12, 36, (-12, 12)[side], both)],
    )  # fmt: skip


@pytest.mark.parametrize("side", [0, 1])
def test_fewer_lcas_come_before_fewer_classes(side):
    """A label that passes an LCA, or two other classes."""
    part = Part([Step(side, {0b001, 0b110})], 0b111)
    masks = (0b110, 0) if side == 0 else (0, 0b110)
    assert in_order(graphs_of_part(part, 0b001, (0, 0), Work())) == (
        0, [(0, 2, (2, -2)[side], masks)],
    )  # fmt: skip


@pytest.mark.parametrize(("limit", "most"), [("MOST_STATES", 3), ("MOST_WORK", 11)])
def test_more_than_the_limits_is_too_many(monkeypatch, limit, most):
    """Two labels on each side, whose classes are all open to the other: four graphs a side."""
    part = Part([Step(side, o) for side in (0, 1) for o in ({1, 2}, {4, 8})], 15)
    graphs_of_part(part, 0, (0, 0), Work())
    monkeypatch.setattr(search, limit, most)
    with pytest.raises(TooMany):
        graphs_of_part(part, 0, (0, 0), Work())
