"""Instances without a pairing: which bounds cannot hold together, and scores without them."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from hierpair import (
    BadInput,
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
from hierpair.measures import REGISTRY
from hierpair.pairing import Pairs, formulate, solve_pairing, why_infeasible
from tests import effort
from tests.paths import SHARED

SHOP = Hierarchy.from_edges([
    ("shop", "food"), ("food", "bread"), ("food", "brie"),
    ("shop", "tools"), ("tools", "saw"), ("tools", "drill"), ("tools", "hammer"),
])  # fmt: skip
ONE = (Degree("predicted", 1, 1), Degree("true", 1, 1))


# ----------------------------------------------------------------------------- blocking sets

SIDES = {"predicted": "p", "true": "t"}


@pytest.fixture(autouse=True)
def _same_registry():
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def random_case(rng):
    """Labels, possible pairs, and statements as tuples (kind, side, members, bound, value).

    Members of "partners" are a label of the side, then labels of the other one.
    """
    n = {"predicted": int(rng.integers(1, 4)), "true": int(rng.integers(1, 4))}
    pairs = {(p, t) for p in range(n["predicted"]) for t in range(n["true"]) if rng.random() < 0.7}
    said = []
    for side, count in n.items():
        for i in range(count):
            low = int(rng.integers(0, 3))
            said += [("label", side, (i,), "at least", low)] * (low > 0)
            if rng.random() < 0.6:
                said.append(("label", side, (i,), "at most", low + int(rng.integers(0, 2))))
        if rng.random() < 0.4:
            members = tuple(i for i in range(count) if rng.random() < 0.8)
            low = int(rng.integers(0, 3))
            if members:
                said.append(("group", side, members, "at most", low + int(rng.integers(0, 2))))
                said += [("group", side, members, "at least", low)] * (low > 0)
        other = n["true" if side == "predicted" else "predicted"]
        if rng.random() < 0.4:
            members = (
                int(rng.integers(0, count)),
                *(i for i in range(other) if rng.random() < 0.8),
            )
            low = int(rng.integers(0, 2))
            if len(members) > 1:
                said.append(("partners", side, members, "at most", low + int(rng.integers(0, 2))))
                said += [("partners", side, members, "at least", low)] * (low > 0)
    if rng.random() < 0.5:
        low = int(rng.integers(0, 5))
        said += [("total", None, (), "at least", low)] * (low > 0)
        said.append(("total", None, (), "at most", low + int(rng.integers(0, 2))))
    for pair in sorted(pairs):
        if rng.random() < 0.15:
            said.append(("pair", None, pair, "at least", 1))
    return n, sorted(pairs), said


def holds(chosen, statement):
    kind, side, members, bound, value = statement
    if kind == "pair":
        return members in chosen
    at = {"predicted": 0, "true": 1, None: 0}[side]
    if kind == "partners":
        units = sum(pair[at] == members[0] and pair[1 - at] in members[1:] for pair in chosen)
    else:
        units = sum(kind == "total" or pair[at] in members for pair in chosen)
    return units >= value if bound == "at least" else units <= value


def possible(pairs, statements):
    return any(
        all(holds(set(chosen), s) for s in statements)
        for k in range(len(pairs) + 1)
        for chosen in itertools.combinations(pairs, k)
    )


def problem_of(n, pairs, said, cost=None):
    """The same as a rule over a flat hierarchy."""
    names = {"predicted": [f"p{i}" for i in range(n["predicted"])],
             "true": [f"t{i}" for i in range(n["true"])]}  # fmt: skip
    hierarchy = Hierarchy.from_parents(
        dict.fromkeys([*names["predicted"], *names["true"]]), roots="any"
    )
    table = {(names["predicted"][p], names["true"][t]) for p, t in pairs}
    constraints = []
    for kind, side, members, bound, value in sorted(said, key=lambda s: -len(s[2])):
        most, least = (value, 0) if bound == "at most" else (None, value)
        if kind == "label":
            constraints.append(Degree(side, least, most, where=(names[side][members[0]],)))
        elif kind == "group":
            inside = hierarchy.index([names[side][i] for i in members])
            constraints.append(Groups(
                side, lambda x, inside=inside: np.where(np.isin(x.classes, inside), 0, -1), most, least))  # fmt: skip
        elif kind == "partners":
            other = "true" if side == "predicted" else "predicted"
            inside = hierarchy.index([names[other][i] for i in members[1:]])
            constraints.append(Groups(
                side, lambda x, inside=inside: np.where(np.isin(x.classes, inside), 0, -1), most, least,
                of="partners", where=(names[side][members[0]],)))  # fmt: skip
        elif kind == "total":
            constraints.append(Cardinality(least, most))
        else:
            constraints.append(
                Require(((names["predicted"][members[0]], names["true"][members[1]]),))
            )

    def allowed(x):
        where = zip(x.predicted, x.true, strict=True)
        return np.array(
            [0.0 if (hierarchy.names[p], hierarchy.names[t]) in table else np.inf for p, t in where]
        )

    sets = (LabelSets.from_labels([names[s]], hierarchy) for s in ("true", "predicted"))
    return formulate(Rule(cost or allowed, tuple(constraints)), Pairs.between(hierarchy, *sets))


def told(problem):
    found = set()
    for s in why_infeasible(problem, 0).statements:
        members = [int(name[1:]) for name in s.of]
        within = sorted(int(name[1:]) for name in s.partners)
        members = members if s.kind == "pair" else sorted(members)
        found.add((s.kind, s.side, (*members, *within), s.bound, s.value))
    return found


@pytest.mark.exhaustive
@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
def test_blocking_sets_are_irreducible(seed):
    """Against enumeration: they cannot hold together, and without any of them they can."""
    rng = np.random.default_rng(seed)
    seen = 0
    while seen < effort.cases(750):
        n, pairs, said = random_case(rng)
        try:
            problem = problem_of(n, pairs, said)
        except BadInput:
            continue
        if possible(pairs, said):
            assert not len(solve_pairing(problem, on_infeasible="nan").infeasible)
            continue
        seen += 1
        with pytest.raises(Infeasible):
            solve_pairing(problem)
        blocking = told(problem)
        assert blocking <= {tuple(s) for s in said}
        assert not possible(pairs, blocking)
        for one in blocking:
            assert possible(pairs, blocking - {one})


KINDS = {"degree": "label", "group": "group", "total": "total", "partner_group": "partners"}


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


DATA = SHARED
VECTORS = DATA / "pairing" / "9_blocking.json"


@pytest.mark.skipif(not VECTORS.exists(), reason="no vectors of pairing rules")
def test_blocking_vectors():
    """Cases by exhaustive enumeration with all their minimal blocking sets."""
    n_blocked = 0
    for case in json.loads(VECTORS.read_text("utf-8"))["cases"]:
        said = []
        for d in case["rule"]["demands"]:
            of = KINDS[d["type"]]
            members = [tuple(sorted(d.get("members", ())))]
            if of == "label":
                members = [(i,) for i in d["labels"]]
            elif of == "partners":
                members = [(d["label"], *sorted(d["members"]))]
            for m in members:
                for bound, key in (("at least", "at_least"), ("at most", "at_most")):
                    if d[key] is not None and (d[key] > 0 or bound == "at most"):
                        said.append((of, d.get("side"), m, bound, d[key]))
        required = case["rule"].get("required", [])
        said += [("pair", None, (p, t), "at least", 1)
                 for p, row in enumerate(required) for t, units in enumerate(row) if units]  # fmt: skip
        n = {side: len(case[side]) for side in SIDES}
        pairs = [
            (p, t)
            for p, row in enumerate(case["price"])
            for t, x in enumerate(row)
            if x is not None
        ]
        problem = problem_of(n, pairs, said)
        pairing = solve_pairing(problem, on_infeasible="nan")
        assert bool(len(pairing.infeasible)) == case["expect"]["infeasible"], case["id"]
        if case["expect"]["infeasible"]:
            n_blocked += 1
            sets = [
                {statement_of(s) for s in one} for one in case["expect"]["minimal_blocking_sets"]
            ]
            assert told(problem) in sets, case["id"]
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
