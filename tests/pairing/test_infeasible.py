"""Instances without a pairing: which bounds cannot hold together, and scores without them."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from hierpair import (
    BadInput,
    Capacity,
    Cardinality,
    Degree,
    Forbid,
    Groups,
    Hierarchy,
    Hops,
    Infeasible,
    LabelSets,
    MaxDistance,
    Require,
    Rule,
    explain,
    pair_measure,
    score,
)
from hierpair.cli import main
from hierpair.evaluation import partial
from hierpair.explanation import explain_worst
from hierpair.pairing import Pairs, formulate, solve_pairing, why_infeasible
from tests import effort
from tests.pairing.random_rules import by_pair, pairs_of, priced, random_rule
from tests.pairing.test_enumeration import vector
from tests.paths import SHARED

SHOP = Hierarchy.from_edges([
    ("shop", "food"), ("food", "bread"), ("food", "brie"),
    ("shop", "tools"), ("tools", "saw"), ("tools", "drill"), ("tools", "hammer"),
])  # fmt: skip
ONE = (Degree("predicted", 1, 1), Degree("true", 1, 1))


# ----------------------------------------------------------------------------- blocking sets


def pairs_of_statement(s, every):
    """The pairs that a statement counts, by places of their labels; classes are c0, c1 …"""
    members, partners = ([int(name[1:]) for name in names] for names in (s.of, s.partners))
    if s.kind == "pair":
        return {tuple(members)}
    at = {"predicted": 0, "true": 1, None: 0}[s.side]
    return {
        pair
        for pair in every
        if s.kind == "total"
        or (pair[at] in members and (s.kind != "partners" or pair[1 - at] in partners))
    }


def can_hold(pairs, statements, every, most):
    """Whether possible pairs can meet all statements, each up to so many units: a linear program."""
    counted = [(pairs_of_statement(s, every), s.bound, float(s.value)) for s in statements]
    signs = [1 if bound == "at most" else -1 for _, bound, _ in counted]
    limits = [sign * value for sign, (*_, value) in zip(signs, counted, strict=True)]
    if not (pairs and counted):
        return all(limit >= 0 for limit in limits)
    rows = [
        [sign * (pair in own) for pair in pairs]
        for sign, (own, *_) in zip(signs, counted, strict=True)
    ]
    found = linprog(np.zeros(len(pairs)), A_ub=np.array(rows), b_ub=limits, bounds=(0, most))
    return found.status == 0


def random_counts(rng, m, n, every):
    """Constraints of all kinds, what they say, and pairs that must be chosen; each is chosen once."""
    constraints, said = random_rule(rng, m, n)
    required = tuple((f"c{p}", f"c{t}") for p, t in every if rng.random() < 0.1)
    return (*constraints, Require(required)), said, 1


def random_amounts(rng, m, n, every):
    """Bounds of labels and of the instance in parts, and what pairs may carry."""
    unit, constraints = Fraction(1, int(rng.choice([1, 2, 3]))), []
    for side, count in (("predicted", m), ("true", n)):
        for i in range(count):
            low, more = (int(x) * unit for x in rng.integers(0, (4, 3)))
            constraints.append(Degree(side, low, low + more, where=(f"c{i}",)))
    most = {p: int(rng.integers(0, 4)) * unit for p in every}
    constraints.append(by_pair(most) if rng.random() < 0.6 else Capacity(None))
    if rng.random() < 0.3:
        constraints.append(Cardinality(int(rng.integers(0, 3)) * unit, 3 * unit))
    return tuple(constraints), None, None


@pytest.mark.exhaustive
@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("made", [random_counts, random_amounts])
def test_blocking_sets_are_irreducible(made, seed):
    """They were said, cannot hold together, and without any of them the others can."""
    rng, seen = np.random.default_rng(seed), 0
    while seen < effort.cases(750):
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        every = [*itertools.product(range(m), range(n))]
        price = {pair: 0 for pair in every if rng.random() < 0.7}
        constraints, said, most = made(rng, m, n, [*price] if made is random_counts else every)
        try:
            problem = formulate(Rule(priced(price), constraints), pairs_of(m, n))
        except BadInput:
            continue
        if not len(solve_pairing(problem, on_infeasible="nan").infeasible):
            continue
        seen += 1
        blocking = why_infeasible(problem, 0).statements
        for s in blocking if said else ():
            own, more = pairs_of_statement(s, every), -1 if s.bound == "at least" else 1
            given = any(own == members and f(s.value + more) == math.inf for members, f in said)
            assert given or s.kind == "pair"
        assert not can_hold([*price], blocking, every, most)
        for one in blocking:
            assert can_hold([*price], [s for s in blocking if s is not one], every, most)


def test_what_limits_a_label_is_named_and_not_what_follows_from_it():
    said = (Degree("true", 2, where=("c0",)), Degree("predicted", 0, 1, where=("c0",)), Capacity(5))
    rule = Rule(priced({(0, 0): 1, (0, 1): 1}), said)
    with pytest.raises(Infeasible) as caught:
        solve_pairing(formulate(rule, pairs_of(2, 2)))
    assert (
        "the true class 'c0' must have at least 2 partners and can get only 1: it may be paired "
        "with 'c0' only, and the predicted class 'c0' may have at most 1 partner"
    ) in str(caught.value)


def told(s):
    """A statement as the vectors have it."""
    members, partners = (tuple(int(name[1:]) for name in names) for names in (s.of, s.partners))
    if s.kind != "pair":
        members, partners = tuple(sorted(members)), tuple(sorted(partners))
    return s.kind, s.side, (*members, *partners), s.bound, s.value


def statement_of(s):
    if "total" in s:
        return "total", None, (), s["bound"], s["value"]
    if "required_pair" in s:
        return "pair", None, tuple(s["required_pair"]), "at least", 1
    if "partners_among" in s:
        side, at = s["label"]
        return "partners", side, (at, *sorted(s["partners_among"])), s["bound"], s["value"]
    if "label" in s:
        side, at = s["label"]
        return "label", side, (at,), s["bound"], s["value"]
    side, members = s["group"]
    return "group", side, tuple(sorted(members)), s["bound"], s["value"]


VECTORS = SHARED / "pairing" / "9_blocking.json"


@pytest.mark.skipif(not VECTORS.exists(), reason="no vectors of pairing rules")
def test_blocking_vectors():
    """Cases by exhaustive enumeration with all their minimal blocking sets."""
    n_blocked = 0
    for case in json.loads(VECTORS.read_text("utf-8"))["cases"]:
        rule, pairs, _ = vector("9_blocking", case, None)
        rows = enumerate(case["rule"].get("required", []))
        required = tuple((f"c{p}", f"c{t}") for p, row in rows for t, x in enumerate(row) if x)
        rule = replace(rule, constraints=(*rule.constraints, Require(required)))
        problem, blocked = formulate(rule, pairs), case["expect"]["infeasible"]
        found = solve_pairing(problem, on_infeasible="nan")
        assert bool(len(found.infeasible)) == blocked, case["id"]
        if blocked:
            n_blocked += 1
            sets = [{*map(statement_of, s)} for s in case["expect"]["minimal_blocking_sets"]]
            assert {*map(told, why_infeasible(problem, 0).statements)} in sets, case["id"]
    assert n_blocked > 20


@pytest.mark.parametrize(
    ("true", "pred", "constraints", "message"),
    [
        (["saw"], ["saw", "drill"], ONE,
         "the predicted classes 'saw', 'drill' must have at least 2 partners together and can get " "only 1: they may be paired with 'saw' only, and the true class 'saw' may have at most 1 " "partner; it has 2 predicted and 1 true classes"),
        (["brie"], ["saw"], (*ONE, MaxDistance(1)),
         "must have at least 1 partner and can get only 0: no candidate is left and it has no default"),
        (["saw"], ["drill"], (*ONE, Cardinality(2)), "the instance must have at least 2 pairs; of what"),
        (["brie"], ["saw"], (MaxDistance(1), Cardinality(1)),
         "the instance must have at least 1 pair; of what is asked for only 0 pairs can be had"),
        (["saw", "drill"], ["saw", "drill"], (*ONE, Groups("true", lambda x: 0 * x.classes, 1)),
         ", and the true group saw, drill may have at most 1 pair"),
        (["saw"], ["drill"], (Degree("predicted", 0, 0), Require((("drill", "saw"),))),
         "cannot hold together: the pair ('drill', 'saw') is required, the predicted class 'drill' may " "have at most 0 partners"),
        (["saw"], ["drill"], (Require((("drill", "saw"),)), Forbid((("drill", "saw"),))),
         "the pair ('drill', 'saw') is required and cannot be chosen"),
        (["saw"], ["drill"], (Groups("true", lambda x: 0 * x.classes, None, 2),),
         "the true group saw must have at least 2 pairs; of what is asked for only 1 pair can"),
    ],
)  # fmt: skip
def test_the_reason_is_in_labels_and_numbers(true, pred, constraints, message):
    sets = (LabelSets.from_labels([rows], SHOP) for rows in (true, pred))
    with pytest.raises(Infeasible) as caught:
        solve_pairing(formulate(Rule(Hops(), constraints), Pairs.between(SHOP, *sets)))
    assert message in str(caught.value)


def test_the_reason_of_many_labels_stays_short():
    flat = Hierarchy.from_edges([("r", f"c{i}") for i in range(300)])
    sets = (LabelSets.from_labels([[f"c{i}" for i in range(n)]], flat) for n in (80, 81))
    with pytest.raises(Infeasible) as caught:
        solve_pairing(formulate(Rule(Hops(), ONE), Pairs.between(flat, *sets)))
    text = str(caught.value)
    assert "at least 81 partners together and can get only 80" in text
    assert "(81 in all)" in text
    assert len(text) < 2500


# ----------------------------------------------------------------------------- scores without them

TRUTH = {"x": ["saw"], "y": ["saw", "drill"], "z": ["brie"], "w": ["bread"]}
GUESS = {"x": ["saw", "drill"], "y": ["saw", "hammer"], "z": ["bread"], "w": ["bread", "brie"]}
MEASURES = ["tree_induced_error", "gie", "total_cost", "normalised_cost", "mean_cost"]


@pytest.mark.parametrize(("chunk", "n_jobs"), [(None, 1), (1, 1), (3, 1), (1, 2)])
def test_instances_without_a_pairing_are_left_out_and_counted(chunk, n_jobs):
    with pytest.raises(Infeasible, match="instance 'x'"):
        score(SHOP, TRUTH, {"s": GUESS}, MEASURES, chunk=chunk, n_jobs=n_jobs)
    found = score(
        SHOP, TRUTH, {"s": GUESS}, MEASURES, chunk=chunk, n_jobs=n_jobs, on_infeasible="nan"
    )
    others = [{k: v for k, v in side.items() if k in "yz"} for side in (TRUTH, GUESS)]
    rest = score(SHOP, others[0], {"s": others[1]}, MEASURES)
    for k, m in enumerate(MEASURES):
        values = found.per_instance["s"][:, k]
        assert np.isnan(values).tolist() == [m != "gie", False, False, m != "gie"]
        if m != "gie":
            assert found.values[0, k] == rest.values[0, k]
            assert found.n_infeasible["s", m] == 2
    assert ("s", "gie") not in found.n_infeasible
    note = "s, tree_induced_error: 2 instances without a possible pairing, left out on request"
    for text in (found.to_text(), found.to_markdown(), found.to_json()):
        assert note in text.replace("\\_", "_")
    assert "n_infeasible" in found.to_csv().splitlines()[0]
    assert "n_infeasible" not in rest.to_csv()


def test_where_no_instance_has_a_pairing_there_is_no_score():
    found = score(SHOP, [["saw"]], {"s": [["saw", "brie"]]}, MEASURES, on_infeasible="nan")
    assert np.isnan(found.values[0, [0, 2, 3, 4]]).all()
    assert not math.isnan(found["s", "gie"])


def test_a_clash_and_a_label_without_candidate_are_left_out_too():
    @pair_measure()
    def picky() -> Rule:
        return Rule(Hops(), (*ONE, MaxDistance(2), Require((("brie", "brie"),)),
                             Forbid(lambda p: p.hierarchy.depths[p.true] == 1)))  # fmt: skip

    truth = [["saw"], ["saw"], ["food"], ["brie", "bread"]]
    guess = [["drill"], ["brie"], ["food"], ["brie", "bread"]]
    found = score(SHOP, truth, {"s": guess}, "picky", on_infeasible="nan")
    assert found.per_instance["s"][:, 0].tolist()[::3] == [2, 0]
    assert np.isnan(found.per_instance["s"][1:3, 0]).all()
    assert found.values[0, 0] == 1


def test_shortest_paths_without_an_end_are_left_out():
    forest = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("s", "c")], roots="any")
    truth, guess = [["a"], ["a"], ["a"], ["a", "b"]], [["c"], [], ["b"], ["a"]]
    for tips, want in (("best", [2, 2]), ("sum", [2, 2]), ("single", [2])):
        name = f"shortest_path(tips={tips})"
        found = score(forest, truth, {"s": guess}, name, on_infeasible="nan")
        values = found.per_instance["s"][:, 0]
        assert values[~np.isnan(values)].tolist() == want
        assert found.n_infeasible[
            "s", f"shortest_path(tips='{tips}')" if tips != "best" else "shortest_path"
        ] == 4 - len(want)


def test_policies_are_checked_and_partials_raise():
    with pytest.raises(BadInput, match="on_infeasible must be one of raise, nan, got 'skip'"):
        score(SHOP, TRUTH, {"s": GUESS}, MEASURES, on_infeasible="skip")
    with pytest.raises(Infeasible):
        partial(SHOP, TRUTH, {"s": GUESS}, MEASURES)


def test_the_command_line_has_the_policy(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("shop\ttools\ntools\tsaw\ntools\tdrill\n")
    Path("true.tsv").write_text("x\tsaw\ny\tsaw\n")
    Path("one.tsv").write_text("x\tsaw|drill\ny\tdrill\n")
    files = ["tree.tsv", "true.tsv", "one.tsv", "-m", "tree_induced_error"]
    assert main(["score", *files]) == 2
    assert "the predicted classes 'saw', 'drill' must have" in capsys.readouterr().err
    assert main(["score", *files, "--on-infeasible", "nan"]) == 0
    out = capsys.readouterr().out
    assert "2.0000" in out
    assert "1 instance without a possible pairing, left out on request" in out
    assert main(["explain", *files, "--instance", "x", "--format", "json"]) == 0
    (why,) = json.loads(capsys.readouterr().out)
    assert why["value"] is None
    assert [(s["kind"], s["of"], s["lower"], s["upper"]) for s in why["flow"]["blocking"]] == [
        ("predicted", ["saw"], 1, None), ("predicted", ["drill"], 1, None),
        ("true", ["saw"], 0, 1),
    ]  # fmt: skip
    assert main(["explain", *files]) == 0  # the worst one is the one without a pairing
    assert "no pairing: the predicted classes 'saw', 'drill'" in capsys.readouterr().out


# ----------------------------------------------------------------------------- explanations


def test_an_instance_without_a_pairing_is_explained():
    why = explain(SHOP, TRUTH, GUESS, "tree_induced_error", instances=["x"])[0]
    assert math.isnan(why.value)
    text = why.to_text()
    assert "tree_induced_error has no value: no pairing is possible" in text
    assert "they may be paired with 'saw' only" in text
    assert "- the true class 'saw' may have at most 1 partner" in text
    assert [row.of for row in why.evidence.blocking] == [("saw",), ("drill",), ("saw",)]
    assert not any(p.units for p in why.evidence.pairs)
    assert [p.cost for p in why.evidence.pairs] == [0, 2]
    json.loads(why.to_json())
    assert why.title == "system, instance x: tree_induced_error: no pairing"
    worst = explain_worst(SHOP, TRUTH, GUESS, "tree_induced_error", k=3)
    assert [w.instance for w in worst] == ["x", "w", "y"]
    assert [bool(w.evidence.blocking) for w in worst] == [True, True, False]


# ----------------------------------------------------- which error of several instances is raised


def test_bounds_by_instance_do_not_hide_why_a_later_instance_has_no_pairing():
    @pair_measure(formula="Σ", source="ours")
    def apiece() -> Rule:
        """One partner each, and a number of pairs by instance."""
        return Rule(Hops(), (*ONE, Cardinality([1, 1, 0])))

    true, pred = [["saw"], ["brie"], ["saw"]], [["saw"], ["bread"], ["saw", "drill"]]
    with pytest.raises(Infeasible, match=r"instance 2: the predicted classes 'saw', 'drill'"):
        score(SHOP, true, {"s": pred}, ["apiece"])
    scores = score(SHOP, true, {"s": pred}, ["apiece"], on_infeasible="nan")
    assert scores.n_infeasible == {("s", "apiece"): 1}


@pytest.mark.parametrize(
    "constraint", [Degree("true", -2), Groups("true", lambda labels: 0 * labels.instance, None, -2)]
)
def test_no_number_of_our_own_is_in_the_message_about_a_bound(constraint):
    pairs = Pairs.between(SHOP, *[LabelSets.from_labels([["saw"]], SHOP)] * 2)
    with pytest.raises(BadInput, match="lower must be a number ≥ 0, got -2"):
        formulate(Rule(Hops(), (constraint,)), pairs)


def test_an_instance_that_is_left_out_is_not_the_error_of_another_one():
    @pair_measure(formula="Σ", source="ours")
    def holed() -> Rule:
        """A cost that is none for the hammer."""
        hammer = SHOP.index(["hammer"])[0]
        return Rule(lambda p: np.where(p.predicted == hammer, np.nan, p.distance), ONE)

    true, pred = [["saw"], ["saw"]], [["saw", "drill"], ["hammer"]]
    with pytest.raises(BadInput, match=r"instance 1: the pair .* has the cost nan"):
        score(SHOP, true, {"s": pred}, ["holed"], on_infeasible="nan")
