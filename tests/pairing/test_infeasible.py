"""Instances without a pairing: which bounds cannot hold together, and scores without them."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    LabelSets,
    explain,
    pair_measure,
    score,
)
from hierpair.cli import main
from hierpair.explanation import explain_worst
from hierpair.pairing import (
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Forbid,
    Groups,
    Hops,
    Mass,
    MaxDistance,
    Pairs,
    Quota,
    Require,
    Rule,
    formulate,
    solve_pairing,
)
from hierpair.solvers import certificate
from tests.pairing.rules import pairs_of

SHOP = Hierarchy.from_edges([
    ("shop", "food"), ("food", "bread"), ("food", "brie"),
    ("shop", "tools"), ("tools", "saw"), ("tools", "drill"), ("tools", "hammer"),
])  # fmt: skip
ONE = (Degree("predicted", 1, 1), Degree("true", 1, 1))


# ----------------------------------------------------------------------------- the reason

THIRD = Fraction(1, 3)
CHAIN = Hops(), (Degree("true", 2, where=("saw",)), Degree("predicted", 0, 1, where=("saw",)),
                 Capacity(5), Forbid(lambda p: p.distance > 0))  # fmt: skip
REASONS = [
    (["saw"], ["saw", "drill"], ONE,
     "instance 0: the predicted classes 'saw', 'drill' must have at least 2 partners together",
     "can get only 1: they may be paired with 'saw' only, and the true class 'saw' may have at most 1 partner",
     "it has 2 predicted and 1 true classes"),
    (["brie"], ["saw"], (*ONE, MaxDistance(1)),
     "must have at least 1 partner and can get only 0: no candidate is left and it has no default"),
    (["saw"], ["drill"], (*ONE, Cardinality(2)), "the instance must have at least 2 pairs; of what"),
    (["brie"], ["saw"], (MaxDistance(1), Cardinality(1)),
     "the instance must have at least 1 pair; of what is asked for only 0 pairs can be had"),
    (["saw", "drill"], ["saw", "drill"], (*ONE, Groups("true", lambda x: 0 * x.classes, 1)),
     ", and the true group saw, drill may have at most 1 pair"),
    (["saw"], ["drill"], (Degree("predicted", 0, 0), Require((("drill", "saw"),))),
     "cannot hold together: the pair ('drill', 'saw') is required, the predicted class 'drill' may have at most 0 partners"),
    (["saw"], ["drill"], (Require((("drill", "saw"),)), Forbid((("drill", "saw"),))),
     "instance 0: the pair ('drill', 'saw') is required and cannot be chosen"),
    (["saw"], ["drill"], (Groups("true", lambda x: 0 * x.classes, None, 2),),
     "the true group saw must have at least 2 pairs; of what is asked for only 1 pair can"),
    (["saw"], ["drill"], (Degree("predicted", 2), Degree("true", 1, 1)),
     "the predicted class 'drill' must have at least 2 partners and can get only 1"),
    (["saw", "drill"], ["saw", "hammer"], (Degree("true", 2, where=("saw",)), Degree("predicted", 0, 1), Capacity(5),
                                          Forbid((("hammer", "saw"),))),
     "the true class 'saw' must have at least 2 partners and can get only 1: it may be paired with 'saw' only, "
     "and the predicted class 'saw' may have at most 1 partner"),
    (["saw"], ["drill", "saw"], (Mass("predicted", THIRD), Mass("true", 2 * THIRD), Capacity(THIRD / 2)),
     "must have at least the mass", "may carry at most the mass 1/6"),
    (["saw"], ["drill"], (Mass("predicted", 3), Mass("true", 3), Capacity(1)), "must have at least 3 partners"),
    (["saw"], ["drill"], (Mass("predicted", THIRD), Mass("true", THIRD), Require((("drill", "saw"),))),
     "is required and cannot be chosen (or carry 1)"),
    (["saw"], [], (Mass("predicted", 1, share=True), Mass("true", 1, share=True)), "no candidate is left"),
    (["saw"], ["drill"], (Degree("true", 1), Quota("true", upper={"saw": 0})),
     "all instances together: these cannot hold",
     "the true class 'saw' in all instances may have at most 0 pairs",
     "the true class 'saw' must have at least 1 partner (instance 0)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("true", "pred", "constraints", "words"), [(*row[:3], row[3:]) for row in REASONS]
)
def test_the_reason_is_in_labels_and_numbers(true, pred, constraints, words):
    sets = (LabelSets.from_labels([rows], SHOP) for rows in (true, pred))
    with pytest.raises(Infeasible) as caught:
        solve_pairing(formulate(Rule(Hops(), constraints), Pairs.between(SHOP, *sets)))
    assert [word for word in words if word not in str(caught.value)] == []


def test_the_reason_of_many_labels_stays_short():
    flat = Hierarchy.from_edges([("r", f"c{i}") for i in range(300)])
    sets = (LabelSets.from_labels([[f"c{i}" for i in range(n)]], flat) for n in (80, 81))
    pairs, table = Pairs.between(flat, *sets), np.random.default_rng(0).random((81, 80))
    for cost in (Hops(), lambda p: table[p.predicted_at, p.true_at]):  # the latter are rounded
        with pytest.raises(Infeasible) as caught:
            solve_pairing(formulate(Rule(cost, ONE), pairs))
        text = str(caught.value)
        assert "at least 81 partners together and can get only 80" in text
        assert "(81 in all)" in text
        assert len(text) < 2500


def test_an_instance_of_a_data_set_that_is_joined_is_told_alone(monkeypatch):
    rule = Rule(Hops(), (Cardinality(lambda x: 9 * x.position), Quota(upper=100)))
    problem = formulate(rule, pairs_of(2, 2, instances=2))
    with pytest.raises(Infeasible, match=r"instance 1: .* the instance must have at least 9 pairs"):
        solve_pairing(problem)
    pairing = solve_pairing(problem, on_infeasible="nan")
    assert np.isnan(pairing.cost).tolist() == [True]
    assert pairing.infeasible.tolist() == [0, 1]
    assert not pairing.chosen.any()
    monkeypatch.setattr(certificate, "MOST_TRIALS", 0)
    with pytest.raises(Infeasible, match="these cannot hold"):
        solve_pairing(problem)


# ----------------------------------------------------------------------------- scores without them

TRUTH = {"x": ["saw"], "y": ["saw", "drill"], "z": ["brie"], "w": ["bread"]}
GUESS = {"x": ["saw", "drill"], "y": ["saw", "hammer"], "z": ["bread"], "w": ["bread", "brie"]}
MEASURES = ["tree_induced_error", "gie", "total_cost", "normalised_cost", "mean_cost"]


@pytest.mark.parametrize(("chunk", "n_jobs"), [(None, 1), (3, 1), (1, 2)])
def test_instances_without_a_pairing_are_left_out_and_counted(chunk, n_jobs):
    how = {"chunk": chunk, "n_jobs": n_jobs}
    with pytest.raises(Infeasible, match="instance 'x'"):
        score(SHOP, TRUTH, {"s": GUESS}, MEASURES, **how)
    found = score(SHOP, TRUTH, {"s": GUESS}, MEASURES, **how, on_infeasible="nan")
    others = [{k: v for k, v in side.items() if k in "yz"} for side in (TRUTH, GUESS)]
    rest = score(SHOP, others[0], {"s": others[1]}, MEASURES)
    for k, m in enumerate(MEASURES):
        left_out = m != "gie"
        assert np.isnan(found.per_instance["s"][:, k]).tolist() == [
            left_out,
            False,
            False,
            left_out,
        ]
        assert not left_out or found.values[0, k] == rest.values[0, k]
        assert found.n_infeasible.get(("s", m)) == (2 if left_out else None)
    note = "s, tree_induced_error: 2 instances without a possible pairing, left out on request"
    for text in (found.to_text(), found.to_markdown(), found.to_json()):
        assert note in text.replace("\\_", "_")
    assert "n_infeasible" in found.to_csv().splitlines()[0]
    assert "n_infeasible" not in rest.to_csv()
    none = score(SHOP, [["saw"]], {"s": [["saw", "brie"]]}, MEASURES, **how, on_infeasible="nan")
    assert np.isnan(none.values[0]).tolist() == [True, False, True, True, True]


def own(cost, *constraints):
    """A measure of a user's own."""

    @pair_measure(formula="Σ", source="ours")
    def owned() -> Rule:
        """Mine."""
        return Rule(cost, constraints)

    return "owned"


HAMMER = SHOP.index(["hammer"])[0]
PICKY = (
    *ONE,
    MaxDistance(2),
    Require((("brie", "brie"),)),
    Forbid(lambda p: p.hierarchy.depths[p.true] == 1),
)
HOLED = lambda p: np.where(p.predicted == HAMMER, np.nan, p.distance)  # noqa: E731
NONE = math.nan


@pytest.mark.parametrize(
    ("cost", "constraints", "true", "pred", "found"),
    [
        (Hops(), PICKY, ["saw", "saw", "food", "brie|bread"], ["drill", "brie", "food", "brie|bread"], [2, NONE, NONE, 0]),
        (Hops(), (*ONE, Cardinality([1, 1, 0])), ["saw", "brie", "saw"], ["saw", "bread", "saw|drill"], [0, 2, NONE]),
        (Hops(), (CountCost("instance", (None, None, 2, 2)),), ["saw|brie", "saw", "drill|saw"], ["saw|brie", "saw", "drill|saw"], [2, NONE, 2]),
        (HOLED, ONE, ["saw", "saw"], ["saw|drill", "hammer"], "instance 1: the pair .* has the cost nan"),
    ],
)  # fmt: skip
def test_one_instance_does_not_hide_another_one(cost, constraints, true, pred, found):
    truth, guess = ([row.split("|") for row in side] for side in (true, pred))
    name = own(cost, *constraints)
    if isinstance(found, str):
        with pytest.raises(BadInput, match=found):
            score(SHOP, truth, {"s": guess}, name, on_infeasible="nan")
        return
    with pytest.raises(Infeasible, match=f"instance {[*map(math.isnan, found)].index(True)}: "):
        score(SHOP, truth, {"s": guess}, name)
    scores = score(SHOP, truth, {"s": guess}, name, on_infeasible="nan")
    assert np.array_equal(scores.per_instance["s"][:, 0], found, equal_nan=True)
    assert scores.n_infeasible == {("s", name): sum(map(math.isnan, found))}
    assert scores.values[0, 0] == np.nanmean(found)


@pytest.mark.parametrize(("tips", "want"), [("best", [2, 2]), ("sum", [2, 2]), ("single", [2])])
def test_shortest_paths_without_an_end_are_left_out(tips, want):
    forest = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("s", "c")], roots="any")
    truth, guess = [["a"], ["a"], ["a"], ["a", "b"]], [["c"], [], ["b"], ["a"]]
    found = score(forest, truth, {"s": guess}, f"shortest_path(tips={tips})", on_infeasible="nan")
    values = found.per_instance["s"][:, 0]
    assert values[~np.isnan(values)].tolist() == want
    assert [*found.n_infeasible.values()] == [4 - len(want)]


def test_the_command_line_has_the_policy(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("shop\ttools\ntools\tsaw\ntools\tdrill\n")
    Path("true.tsv").write_text("x\tsaw\ny\tsaw\n")
    Path("one.tsv").write_text("x\tsaw|drill\ny\tdrill\n")
    files = ["tree.tsv", "true.tsv", "one.tsv", "-m", "tree_induced_error"]
    for words, code, said in (
        (["score"], 2, "the predicted classes 'saw', 'drill' must have"),
        (["score", "--on-infeasible", "nan"], 0, "1 instance without a possible pairing, left out on request"),
        (["explain"], 0, "no pairing: the predicted classes 'saw', 'drill'"),  # it is the worst one
    ):  # fmt: skip
        assert main([words[0], *files, *words[1:]]) == code
        assert said in "".join(capsys.readouterr())


def test_an_instance_without_a_pairing_is_explained():
    worst = explain_worst(SHOP, TRUTH, GUESS, "tree_induced_error", k=3)
    assert [w.instance for w in worst] == ["x", "w", "y"]
    assert [bool(w.evidence.blocking) for w in worst] == [True, True, False]
    (why,) = explain(SHOP, TRUTH, GUESS, "tree_induced_error", instances=["x"])
    assert math.isnan(why.value)
    assert why.title == "system, instance x: tree_induced_error: no pairing"
    for words in ("tree_induced_error has no value: no pairing is possible",
                  "they may be paired with 'saw' only", "- the true class 'saw' may have at most 1 partner"):  # fmt: skip
        assert words in why.to_text()
    assert [(p.units, p.cost) for p in why.evidence.pairs] == [(0, 0), (0, 2)]
    told = json.loads(why.to_json())
    assert told["value"] is None
    assert [(s["kind"], s["of"], s["lower"], s["upper"]) for s in told["flow"]["blocking"]] == [
        ("predicted", ["saw"], 1, None), ("predicted", ["drill"], 1, None), ("true", ["saw"], 0, 1),
    ]  # fmt: skip
