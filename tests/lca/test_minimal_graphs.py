"""The search for minimal graphs, the solver that takes over, and what is said where it is not done."""

import json
import re
from fractions import Fraction
from itertools import product
from math import ceil, floor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import Hierarchy, explain, score
from hierpair.lca import BOUND, SOLVED_BY, SOLVER, search
from hierpair.lca.encoding import TooMany, encoded
from hierpair.lca.graphs import SEARCH, greedy_cover
from hierpair.lca.search import Problem, Work, smallest_graphs
from hierpair.solvers import cover, solve_cover
from hierpair.solvers.cover import Run, whole_bound
from tests import effort
from tests.extensions import graphs, linked, values, whole
from tests.lca.test_graphs import is_cover
from tests.oracles.lca import lca_minimal

# ----------------------------------------------------------------------------- the search

CLASSES, LCAS = 7, 3
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


# ----------------------------------------------------------------------------- equal sizes

GADGET = [("a", "x"), ("c", "y"), ("b", "x"), ("z", "b"), ("e", "a"), ("e", "y"), ("b", "c")]
"""The smallest case known in which graphs of equal sizes are larger than others with the same F."""


def varied_gadget(rng):
    """The gadget with edges added and subdivided, and labels exchanged or added."""
    order, edges = ["z", "b", "c", "e", "a", "x", "y"], list(GADGET)
    for k in range(int(rng.integers(0, 5))):
        if rng.random() < 0.5:
            i, j = sorted(rng.choice(len(order), 2, False).tolist())
            if (order[i], order[j]) not in edges:
                edges.append((order[i], order[j]))
        else:
            parent, child = edges.pop(int(rng.integers(len(edges))))
            order.insert(order.index(child), f"w{k}")
            edges += [(parent, f"w{k}"), (f"w{k}", child)]
    true = sorted({"x", "y", str(rng.choice([*order, *"yyyyyyy"]))})
    predicted = sorted({"x", str(rng.choice([*order, *"xxxxxxx"]))})
    return edges, *((true, predicted) if rng.random() < 0.5 else (predicted, true))


@pytest.mark.random_cases
def test_the_most_equal_sizes_of_graphs_with_the_best_f(monkeypatch):
    """By the search, by the solver, and as explained."""
    names = ["lca_precision", "lca_recall", "lca_f"]
    for k in range(effort.cases(300)):
        edges, *sides = (
            varied_gadget(np.random.default_rng(k)) if k else (GADGET, ["x", "y"], ["x"])
        )
        dag, expected = Hierarchy.from_edges(edges, roots="any"), lca_minimal(edges, *sides)
        for most in (200_000, 0):
            monkeypatch.setattr(search, "MOST_WORK", most)
            found = graphs(dag, *([side] for side in sides), draw=True)
            assert most or SEARCH not in found.solved_by
            t, p = found.drawn(dag, 0)[1]
            drawn = [
                Fraction(len(t & p) * n, m)
                for n, m in ((1, len(p)), (1, len(t)), (2, len(t) + len(p)))
            ]
            assert tuple(drawn) == values(found) == expected, k
            for why, wanted in zip(
                explain(dag, [sides[0]], [sides[1]], names), expected, strict=True
            ):
                assert why.value == float(wanted)


# ----------------------------------------------------------------------------- what is not proved

SMALL = "F of the minimal graphs is from"


def hard(n, n_lcas, n_parents, seed=0, more=0):
    """Labels with several equally near common ancestors each, among so many, and some deeper."""
    rng = np.random.default_rng(seed)
    sides = [[f"{side}{i}" for i in range(n)] for side in "tp"]
    edges = [
        (f"m{k}", label)
        for label in sides[0] + sides[1]
        for k in rng.choice(n_lcas, n_parents, False).tolist()
    ]
    edges += [(f"r{k % 3}", f"m{k}") for k in range(more)]
    lower = [f"{label}'" for label in sides[0][: more // 2]]
    edges += [(label[:-1], label) for label in lower]
    edges.append(("alone", "t-alone"))
    return (
        Hierarchy.from_edges(edges, roots="any"),
        [*lower, *sides[0][more // 2 :], "t-alone"],
        sides[1],
    )


def written(hierarchy, true, predicted):
    """The links of an instance, and its greedy graphs."""
    links = linked(hierarchy, true, predicted)
    return whole(hierarchy, links), greedy_cover(hierarchy, links, encoded(links), 0)


def f_of(cover, unlinked):
    t, p = cover.nodes
    return Fraction(2 * (t & p).bit_count(), t.bit_count() + p.bit_count() + sum(unlinked))


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_the_exact_f_is_within_the_range(monkeypatch):
    """Whatever the solver may spend, and whichever aim it fails at; LCAs never become more."""
    rng = np.random.default_rng(0)
    failed, found_fewer = set(), 0
    for seed in range(effort.cases(150)):
        n, n_lcas = int(rng.integers(4, 11)), int(rng.integers(8, 26))
        of, efforts = (n, n_lcas, 3, seed, int(rng.integers(0, 8))), (1e-4, 1e-3, 3e-3, 6e-3)
        if seed < (10 if effort.exhaustive else 3):  # such that the fewest LCAs are not proved
            of, efforts = (20, 40, 5, seed), (0.1, 0.3)
        these, start = written(*hard(*of))
        exact = solve_cover(these, (1, 0), start)
        assert exact.optimal
        assert exact.f_range is None
        for most in efforts:
            monkeypatch.setattr(cover, "MOST_EFFORT", most)
            found = solve_cover(these, (1, 0), start)
            monkeypatch.undo()
            assert is_cover(these, found)
            n_ends = [x.ends.bit_count() for x in (exact, found, start)]
            assert n_ends == sorted(n_ends)
            if found.optimal:
                assert f_of(found, (1, 0)) == f_of(exact, (1, 0))
                continue
            low, high = found.f_range
            assert 0 <= low <= f_of(exact, (1, 0)) <= high <= 1
            assert low <= f_of(found, (1, 0)) <= high
            failed.add((low == high, found.nodes == start.nodes))
            found_fewer += n_ends[1] < n_ends[2]
    assert len(failed) == 4
    assert found_fewer


@pytest.mark.parametrize(
    ("found", "bound", "whole"),
    [(10, 7.2, 8), (10, 8.0000001, 8), (10, 12.9, 12), (10, 12.9999999, 13), (10, 10, 10)],
)
def test_a_bound_is_rounded_to_the_safe_side(found, bound, whole):
    """Smaller than what was found where that is minimised, larger where it is maximised."""
    solver = SimpleNamespace(objective_value=found, best_objective_bound=bound)
    assert whole_bound(solver) == whole


@pytest.mark.parametrize("unlinked", [(0, 0), (3, 0), (0, 2), (2, 5)])
@pytest.mark.parametrize("effort_left", [0.0, 20.0])
def test_labels_without_a_link_are_in_both_bounds(monkeypatch, unlinked, effort_left):
    tree = Hierarchy.from_edges([("r", "t"), ("r", "p")])
    these, start = written(tree, ["t"], ["p"])
    monkeypatch.setattr(cover, "MOST_EFFORT", effort_left)
    f = f_of(start, unlinked)
    assert f == Fraction(2, 4 + sum(unlinked))
    for aims in (
        [],
        [(1, 1)],
        [(1, 1), (1, 1)],
        [(1, 1), (1, 1), (2, 0)],
        [(1, 1), (1, 1), (0, 0)],
    ):
        run = Run(these, unlinked, start)
        run.aims = aims
        assert run.f_range() == (f, f)
        assert run.proved_before_f == (len(aims) > 1)


def test_greedy_graphs_come_back_as_they_are(monkeypatch):
    """They are those that the solver was given."""
    tree, true, predicted = hard(14, 46, 4)
    came = []

    def late(these, unlinked, start, limit):
        came.append(start)
        return solve_cover(these, unlinked, start, 1e-9)

    monkeypatch.setattr("hierpair.lca.graphs.solve_cover", late)
    found = graphs(tree, [true], [predicted], draw=True)
    assert found.solved_by.tolist() == [BOUND]
    drawn, greedy = (
        g.drawn(tree, 0) for g in (found, graphs(tree, [true], [predicted], extension="greedy"))
    )
    assert drawn == greedy
    assert came[0].ends.bit_count() == len(drawn[0])


def test_what_the_solver_finds_is_not_worse_than_what_it_started_from(monkeypatch):
    """Where a smaller F than that of graphs found before comes out, these count."""
    these, start = written(*hard(6, 12, 3))
    run = Run(these, (1, 0), start)
    reached, worse, seen = run.reached, run.best._replace(ends=0), []

    def slower(aim, *, largest=False):
        if not largest:
            return reached(aim)
        seen.append(run.best)
        run.best = worse
        return 5, -1

    monkeypatch.setattr(run, "reached", slower)
    with pytest.raises(cover._OutOfReach):
        run.all_aims()
    assert [run.best] == seen


@pytest.mark.exhaustive
def test_a_hard_instance_is_bounded_and_said(monkeypatch):
    """The budget is the solver's own, so that it ends at the same point on every machine."""
    tree, true, predicted = hard(14, 46, 4)
    sides = [["t0"], true, ["t1"]], {"s": [["t0"], predicted, ["t1"]]}
    exact = score(tree, *sides, "lca_f")
    monkeypatch.setattr(cover, "MOST_EFFORT", 3e-3)
    found = score(tree, *sides, "lca_f")
    assert found.solved_by["s", "lca_f"][SOLVED_BY[BOUND]] == 1
    [said] = found.remarks["s", "lca_f"]
    assert said.startswith(SMALL)
    low, high = (float(x) for x in said.removeprefix(SMALL).split(" to "))
    assert low <= exact.per_instance["s"][1, 0] <= high
    assert any(said in note for note in found.notes)
    assert any("the limit of the solver was reached for 1 instance" in note for note in found.notes)
    assert (found.per_instance["s"] == score(tree, *sides, "lca_f").per_instance["s"]).all()
    monkeypatch.setattr("hierpair.evaluation.batches.CHUNK", 1)
    apart = score(tree, *sides, "lca_f")
    assert apart.remarks == found.remarks
    assert apart.notes == found.notes
    # What is explained is what was scored.
    [why] = explain(tree, [true], [predicted], ["lca_f"])
    assert why.value == found.per_instance["s"][1, 0]
    [remark] = [text for text in why.evidence.remarks if "F of the minimal ones is from" in text]
    low, high = map(Fraction, re.findall(r"from (\S+) to (\S+)", remark)[0])
    assert low <= exact.per_instance["s"][1, 0] <= high
    assert remark in str(why)
    assert remark in json.loads(why.to_json())["fields"]["remarks"]
    # Two decimals hold no less.
    assert low < high
    assert said == f"{SMALL} {floor(100 * low) / 100:.2f} to {ceil(100 * high) / 100:.2f}"


def test_a_limit_in_seconds_is_handed_on_and_has_a_range(monkeypatch):
    tree, true, predicted = hard(14, 46, 4)
    exact = graphs(tree, [true], [predicted])
    f = Fraction(2 * int(exact.n_both[0]), int(exact.n_true[0] + exact.n_predicted[0]))
    for seconds in (1e-9, 0.01):
        found = graphs(tree, [true, ["t1"], true], [predicted, ["t1"], predicted], limit=seconds)
        if found.solved_by[0] == SOLVER:
            assert found.n_both[0] == exact.n_both[0]
        else:
            low, high = found.f_ranges[0]
            assert low <= f <= high
        assert seconds > 1e-9 or sorted(found.f_ranges) == [0, 2]
    assert 0.9 <= cover.AIMS + 2 * cover.BOUND <= 1
