"""Where minimal graphs are not proved: the best ones count, and F of the minimal ones is bounded."""

import json
import re
from fractions import Fraction
from itertools import product
from math import ceil, floor
from types import SimpleNamespace

import numpy as np
import pytest

from hierpair import Hierarchy, explain, score
from hierpair.lca import BOUND, SOLVED_BY, SOLVER
from hierpair.lca.encoding import encoded
from hierpair.lca.graphs import greedy_cover
from hierpair.solvers import Cover, cover, solve_cover
from hierpair.solvers.cover import Run, whole_bound
from tests import effort
from tests.extensions import graphs, linked, whole

from .test_graphs import is_cover

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


def layered(n, n_labels, seed):
    """A DAG whose LCAs are above each other, and some labels."""
    rng = np.random.default_rng(seed)
    names, level = [f"c{c:02}" for c in range(n)], np.sort(rng.integers(0, 6, n))
    edges = [
        (names[p], names[c])
        for c in range(n)
        if (above := np.flatnonzero(level < level[c])).size
        for p in rng.choice(above, min(len(above), int(rng.integers(1, 4))), False).tolist()
    ]
    sides = [[names[c] for c in rng.choice(n, n_labels, False)] for _ in "tp"]
    return Hierarchy.from_edges(edges, classes=names), *sides


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


def other_cover(these, start, n_ends, present=None):
    """Graphs with so many ends that share much, and the fewest LCAs that such graphs may have."""
    run = Run(these, (1, 0), start)
    m = run.of
    m.model.add(m.n_ends == n_ends)
    if present is None:
        m.model.minimize(m.present)
    else:
        m.model.add(m.present == present)
        m.model.maximize(3 * m.both - m.size)
    if run.solver.solve(m.model) != m.cp.OPTIMAL:
        return None
    ends, *nodes = (
        sum(c for c, v in some.items() if run.solver.value(v)) for some in (m.chosen, *m.inside)
    )
    return Cover(ends, tuple(nodes)), run.solver.value(m.present)


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_only_what_is_proved_bounds_f(monkeypatch):
    """Graphs with an LCA too many share more; they bound F only as far as they are ruled out."""
    below, n_open = set(), 0
    for seed in range(effort.cases(200)):
        hierarchy, true, predicted = layered(16, 4, seed)
        these, start = written(hierarchy, true, predicted)
        exact = solve_cover(these, (1, 0), start)
        for n_more, present_more in product((0, 1), (0, 1)):
            n_ends = exact.ends.bit_count() + n_more
            if (least := other_cover(these, start, n_ends)) is None:
                continue
            present = least[1] + present_more
            if (found := other_cover(these, start, n_ends, present)) is None:
                continue
            monkeypatch.setattr(cover, "MOST_EFFORT", (2e-2, 100)[seed % 2])
            run = Run(these, (1, 0), found[0])
            run.aims = [(exact.ends.bit_count(), n_ends), (least[1], present)]
            low, high = run.f_range()
            assert low <= f_of(exact, (1, 0)) <= high
            n_open += low < high
            if f_of(exact, (1, 0)) < f_of(found[0], (1, 0)):
                below.add((n_more, present_more))
    assert n_open > 3
    assert {(1, 0), (1, 1)} <= below  # otherwise there is nothing to be mistaken for a bound


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


@pytest.mark.exhaustive
def test_every_hard_instance_has_its_range(monkeypatch):
    tree, true, predicted = hard(14, 46, 4)
    monkeypatch.setattr(cover, "MOST_EFFORT", 3e-3)
    found = graphs(tree, [true, ["t1"], true], [predicted, ["t1"], predicted])
    assert sorted(found.f_ranges) == [0, 2]
    assert found.f_ranges[0] == found.f_ranges[2]


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
    run = Run(*written_with_unlinked())
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


def written_with_unlinked():
    these, start = written(*hard(6, 12, 3))
    return these, (1, 0), start


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


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [1e-9, 0.01, 20])
def test_a_limit_in_seconds_has_a_range_too(monkeypatch, seconds):
    tree, true, predicted = hard(14, 46, 4)
    exact = graphs(tree, [true], [predicted])
    found = graphs(tree, [true], [predicted], limit=seconds)
    sizes = exact.n_both[0], exact.n_true[0] + exact.n_predicted[0]
    if found.solved_by[0] == SOLVER:
        assert seconds > 1e-9
        assert found.n_both == exact.n_both
        assert not found.f_ranges
    else:
        low, high = found.f_ranges[0]
        assert low <= Fraction(2 * int(sizes[0]), int(sizes[1])) <= high


def test_the_aims_and_the_bounds_share_the_limit():
    assert 0.9 <= cover.AIMS + 2 * cover.BOUND <= 1
