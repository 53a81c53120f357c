"""Graphs grown step by step and thinned out on the way, against all of them."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair.lca import search
from hierpair.lca.encoding import TooMany
from hierpair.lca.search import Problem, Work, smallest_graphs
from tests import effort

CLASSES, LCAS = 7, 3
WIDTH = 2 * CLASSES
ALL = (1 << LCAS) - 1
masks = st.integers(0, 2**CLASSES - 1)
paths = st.lists(masks, min_size=1, max_size=3)


def problem_of(labels, ends, marked):
    """Labels as side and paths by LCA; ``ends`` has further paths by side and LCA."""

    def written(side, a, masks):
        return [(mask | 1 << CLASSES + a) << WIDTH * side for mask in sorted({*masks})]

    every = {end: {*ends.get(end, ())} for end in product((0, 1), range(LCAS))}
    for side, choices in labels:
        for a, some in choices.items():
            every[side, a].update(some)
    return Problem(
        [{a: written(s, a, some) for a, some in choices.items()} for s, choices in labels],
        {(s, a): written(s, a, some) for (s, a), some in every.items()},
        marked,
        WIDTH,
    )


@st.composite
def problems(draw):
    choices = st.dictionaries(st.integers(0, LCAS - 1), paths, min_size=1)
    labels = draw(st.lists(st.tuples(st.sampled_from([0, 1]), choices), max_size=4))
    ends = {end: draw(paths) for end in product((0, 1), range(LCAS))}
    return problem_of(labels, ends, draw(masks))


def written_out(problem, chosen):
    """Every choice of every label, and then every path to every end that none of them met."""
    lcas = [a for a in range(LCAS) if chosen >> a & 1]
    labels = [[p for a in lcas for p in paths.get(a, ())] for paths in problem.labels]
    for choice in product(*labels):
        graphs = 0
        for path in choice:
            graphs |= path
        left = [
            problem.ends[s, a]
            for s, a in product((0, 1), lcas)
            if not graphs >> CLASSES + a >> WIDTH * s & 1
        ]
        for more in product(*left):
            grown = graphs
            for path in more:
                grown |= path
            yield grown


def numbers(problem, graphs):
    found = []
    for t, p in map(problem.sides, problem.undominated(graphs)):
        marked, both = (t | p) & problem.marked, t & p
        found.append((marked.bit_count(), both.bit_count(), t.bit_count(), p.bit_count()))
    return sorted(found)


@settings(max_examples=effort.cases(600), deadline=None)
@given(problems(), st.integers(1, ALL))
def test_nothing_that_counts_is_dropped(problem, chosen):
    for paths in problem.labels:  # each can be met
        if not any(chosen >> a & 1 for a in paths):
            chosen |= 1 << min(paths)
    found = search._graphs(problem, chosen, Work())
    assert numbers(problem, found) == numbers(problem, {*written_out(problem, chosen)})


def test_graphs_are_counted_after_the_worse_ones_are_gone(monkeypatch):
    """Six labels with two classes each to themselves: 64 graphs, of which one matters."""
    problem = Problem(
        [{0: [1 << 2 * i | 1 << 12, 2 << 2 * i | 1 << 12]} for i in range(6)],
        {(0, 0): [1 << 12], (1, 0): [1 << 36]},
        0,
        24,
    )
    monkeypatch.setattr(search, "MOST_STATES", 1)
    [found] = smallest_graphs(problem)
    assert found == sum(1 << 2 * i for i in range(6)) | 1 << 12 | 1 << 36


@pytest.mark.parametrize("side", [0, 1])
def test_classes_that_the_other_side_has_anyway_are_only_counted(monkeypatch, side):
    """Six labels, each with a class that the other side has or another such class."""
    mine, yours, end = 24 * side, 24 * (1 - side), 1 << 12
    choices = [{0: [(1 << 2 * i | end) << mine, (2 << 2 * i | end) << mine]} for i in range(6)]
    fixed = {0: [((1 << 12) - 1 | end) << yours]}
    ends = {(side, 0): [end << mine], (1 - side, 0): fixed[0]}
    monkeypatch.setattr(search, "MOST_STATES", 1)
    [found] = smallest_graphs(Problem([*choices, fixed], ends, 0, 24))
    assert found == (sum(1 << 2 * i for i in range(6)) | end) << mine | fixed[0][0]


@pytest.mark.parametrize("side", [0, 1])
def test_fewer_lcas_come_before_fewer_classes(side):
    """A label that passes an LCA, or two other classes."""
    labels = [(side, {0: [0b001, 0b110]})]
    [found] = smallest_graphs(problem_of(labels, {(1 - side, 0): [0]}, 0b001))
    assert found >> WIDTH * side & (1 << CLASSES) - 1 == 0b110


def test_a_larger_graph_with_more_in_common_can_have_the_smaller_f():
    """Two more shared classes among five more in all: from F = 1 to F = 8/9."""
    near, far, wide = 0b101, 0b111010, 0b1111010  # bits 0 and 1 are the LCAs
    problem = problem_of([(0, {0: [near], 1: [far]})], {(1, 0): [near], (1, 1): [wide]}, 0b11)
    nodes = [tuple(side & 0b1111111 for side in problem.sides(g)) for g in smallest_graphs(problem)]
    assert min(nodes, key=lambda some: search.rank(some, (0, 0))) == (near, near)


@pytest.mark.parametrize(("limit", "most"), [("MOST_STATES", 1), ("MOST_WORK", 7)])
def test_more_than_the_limits_is_too_many(monkeypatch, limit, most):
    """Two labels on each side, whose classes are open to the other: two graphs at a time."""
    labels = [(side, {0: some}) for side in (0, 1) for some in ([1, 2], [4, 8])]
    problem = problem_of(labels, {}, 0)
    smallest_graphs(problem)
    monkeypatch.setattr(search, limit, most)
    with pytest.raises(TooMany):
        smallest_graphs(problem)
