"""Systems without a pairing for different instances are compared on the same ones."""

import json

import numpy as np
import pytest

from hierpair import Hierarchy, compare, score
from hierpair.comparison import agreement, by_depth, sensitivity
from hierpair.evaluation import merge, partial

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
TRUTH = [["c"], ["c"], ["b"], ["d"]] * 5
FAILS = [["a", "c"], ["c"], ["b"], ["c"]] * 5
"""No pairing for every fourth instance, which is hard."""
WORKS = [["b"], ["c"], ["b"], ["d"]] * 4 + [["b"], ["a"], ["b"], ["d"]]
BOTH = {"fails": FAILS, "works": WORKS}
PAIRED = [
    "tree_induced_error", "shortest_path(tips=single)", "total_cost(cost=hops)",
    "mean_cost(cost=hops)", "normalised_cost(cost=hops)",
]  # fmt: skip
COMMON = [i for i in range(len(TRUTH)) if i % 4]


def part(rows, kept):
    return [rows[i] for i in kept]


def scored(systems, measures, **how):
    return score(TREE, TRUTH, systems, measures, on_infeasible="nan", **how)


@pytest.mark.exhaustive
@pytest.mark.parametrize("chunk", [None, 3, 1])
def test_the_places_left_out_are_known_however_instances_are_cut(chunk):
    found = scored(BOTH, [*PAIRED, "hf"], chunk=chunk)
    names = [m.name for m in found.measures]
    assert set(found.infeasible_at) == {("fails", name) for name in names[:1] + names[2:-1]}
    for places in found.infeasible_at.values():
        assert places.tolist() == list(range(0, len(TRUTH), 4))


def test_partials_know_how_many_too():
    parts = [
        partial(TREE, TRUTH[lo:hi], FAILS[lo:hi], PAIRED[:1], on_infeasible="nan", chunk=2)
        for lo, hi in ((0, 7), (7, 20))
    ]
    (n_infeasible,) = merge(*parts).scores().n_infeasible.values()
    assert n_infeasible == len(range(0, len(TRUTH), 4))


def test_no_system_is_best_where_values_are_of_different_instances():
    found = scored(BOTH, ["tree_induced_error", "gie"])
    rows = found.to_markdown().splitlines()[2:4]
    assert [row.count("**") for row in rows] == [0, 2]
    assert "**" not in rows[1].split("|")[2]
    told = "fails: 15 of 20; works: 20 of 20"
    for text in (found.to_text(), found.to_markdown(), json.loads(found.to_json())["notes"][-1]):
        assert told in text
    for look in ({}, {"caption": "Scores"}, {"transpose": True}):
        latex = found.to_latex(**look)
        printed = [line for line in latex.splitlines() if not line.startswith("%")]
        foot = [line for line in printed if r"\multicolumn{3}{p{" in line]
        assert told in " ".join(line.split(r"\footnotesize ")[1][:-4] for line in foot)
        assert printed.index(r"\bottomrule") < printed.index(foot[0])
        assert sum(r"\textbf" in line for line in printed) == 1
    renamed = found.to_latex(rename={"fails": "A_1", "tree_induced_error": "TIE"})
    assert r"\footnotesize TIE: " in renamed
    assert r"(A\_1: 15 of 20" in renamed


def test_as_many_left_out_are_not_the_same_ones():
    turned = {"fails": FAILS, "late": FAILS[::-1]}
    truth = [["c"], ["b"], ["b"], ["c"]] * 5
    found = score(TREE, truth, turned, "tree_induced_error", on_infeasible="nan")
    assert found.n_infeasible.keys() == {(s, "tree_induced_error") for s in turned}
    assert r"\textbf" not in found.to_latex()
    assert "fails: 15 of 20; late: 15 of 20" in found.to_text()
    assert compare(found, n_bootstrap=20).records().to_dicts()[0]["n_compared"] == 10


def test_systems_that_leave_out_the_same_have_a_best_one():
    found = scored({"fails": FAILS, "too": [*FAILS[:1], ["c"], ["r"], *FAILS[3:]]}, PAIRED[:1])
    assert r"\textbf{" in found.to_latex()
    assert r"\multicolumn" not in found.to_latex()
    assert not any("same instances" in note for note in found.notes)
    told = compare(found, n_bootstrap=20)
    assert "under every one of them" not in told.to_text()
    assert {row["n_compared"] for row in told.records().to_dicts()} == {15}


@pytest.mark.parametrize("name", [PAIRED[0], *PAIRED[2:]])
@pytest.mark.parametrize(
    ("weighted", "test"),
    [(False, "permutation"), (True, "permutation"), (True, "bootstrap"), (False, "sign")],
)
def test_systems_are_compared_on_what_all_have_a_pairing_for(name, weighted, test):
    weight = np.linspace(1, 3, len(TRUTH)) if weighted else None
    found = compare(scored(BOTH, name, sample_weight=weight), test=test, n_bootstrap=200)
    kept = {s: part(rows, COMMON) for s, rows in BOTH.items()}
    alone = score(TREE, part(TRUTH, COMMON), kept, name,
                  sample_weight=None if weight is None else weight[COMMON])  # fmt: skip
    wanted = compare(alone, test=test, n_bootstrap=200)
    assert found.values.tolist() == wanted.values.tolist()
    assert found.difference.tolist() == wanted.difference.tolist()
    assert found.effect.tolist() == wanted.effect.tolist()
    assert found.ranks.tolist() == wanted.ranks.tolist()
    assert found.p.tolist() == wanted.p.tolist()
    for end in ("low", "high", "difference_low", "difference_high"):
        assert getattr(found, end) == pytest.approx(getattr(wanted, end), abs=1e-12)
    ours, theirs = (c.records(pairs=True).to_dicts()[0] for c in (found, wanted))
    assert [ours[x] for x in ("wins", "losses", "ties")] == [
        theirs[x] for x in ("wins", "losses", "ties")
    ]
    assert ours["n_compared"] == len(COMMON)
    told = "on the 15 of 20 instances that have a pairing"
    assert told in found.to_text()
    assert told in found.to_markdown()
    assert r"\footnotesize" in found.to_latex()
    assert any(told in note for note in found.to_dict()["notes"])


def test_measures_of_other_numbers_of_instances_do_not_meddle():
    names = ["gie", PAIRED[0], "hf", PAIRED[3]]
    together = compare(scored(BOTH, names), n_bootstrap=100, interval="bca")
    for k, name in enumerate(names):
        alone = compare(scored(BOTH, name), n_bootstrap=100, interval="bca")
        for what in ("p", "difference_low", "low"):
            ours, theirs = (getattr(c, what) for c in (together, alone))
            where = (slice(None), k) if what == "low" else k
            other = (slice(None), 0) if what == "low" else 0
            assert np.array_equal(ours[where], theirs[other], equal_nan=True)


def test_scores_of_their_own_are_compared_as_together():
    apart = [scored({s: rows}, PAIRED[0]) for s, rows in BOTH.items()]
    both = [compare(x, n_bootstrap=20) for x in (apart, scored(BOTH, PAIRED[0]))]
    assert both[0].values.tolist() == both[1].values.tolist()
    assert both[0].values[0, 0] != apart[1].values[0, 0] != both[0].values[1, 0]


def test_undefined_values_are_no_missing_pairings():
    """An instance with 0/0 is left out of the mean of its system alone, as before."""
    systems = {"none": [[]] * 2 + TRUTH[2:], "right": TRUTH}
    found = score(TREE, TRUTH, systems, ["hp(zero_division=nan)"])
    assert np.isnan(found.per_instance["none"]).sum() == 2
    assert not found.infeasible_at
    assert r"\textbf" in found.to_latex()
    assert np.isnan(compare(found, n_bootstrap=20).scores.per_instance["right"]).sum() == 0


def test_rankings_of_measures_and_conventions_are_of_the_same_instances():
    found = scored({**BOTH, "third": TRUTH}, ["tree_induced_error", "mean_cost(cost=hops)"])
    assert "15 of 20" in str(agreement(found))
    depths = by_depth(found, TREE, TRUTH, measure="tree_induced_error")
    rest = score(
        TREE, part(TRUTH, COMMON), {s: part(r, COMMON) for s, r in BOTH.items()}, PAIRED[0]
    )
    want = by_depth(rest, TREE, part(TRUTH, COMMON))
    assert depths.values[:, :2].tolist() == want.values.tolist()
    told = sensitivity(TREE, TRUTH, BOTH, PAIRED[0], test=None, on_infeasible="nan")
    assert told.variants[0].values.tolist() == rest.values[:, 0].tolist()
    assert "15 of 20" in told.to_table()
