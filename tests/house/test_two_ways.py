"""Two ways to the same number: both networks, both solvers of LCAs, scores and explanations."""

import math

import numpy as np
import pytest

from hierpair import explain, score
from hierpair.errors import HierpairError
from hierpair.explanation import FlowEvidence
from hierpair.hierarchy import excluded_classes
from hierpair.lca.graphs import SEARCH, SOLVED_BY, SOLVER
from hierpair.measures import Batch, ConfusionRecipe, LcaRecipe, PairRecipe, SetRecipe, measure
from hierpair.measures.recipes.sets import DepthRecipe
from hierpair.pairing import formulate, solve_pairing
from tests import effort
from tests.everything import (
    LEVELS,
    PROBLEMS,
    bits,
    defaults,
    may_round,
    outcome,
    random_problem,
    trial,
    variants,
)
from tests.limits import LIMITS, set_to


def batch_of(problem):
    hierarchy, truth, prediction = problem.fresh()
    return Batch(hierarchy, truth, prediction)


# ------------------------------------------------------------------------------- networks


def pairing_rules():
    """Pair measures, one of each rule and threshold."""
    paired = [m for m in variants() if m.definition.family == "pair"]
    found = {m.recipe: m for m in paired if isinstance(m.recipe, PairRecipe)}
    return list(found.values())


@pytest.mark.exhaustive
@pytest.mark.random_cases
@pytest.mark.parametrize("name", PROBLEMS)
def test_both_networks_cost_the_same(name):
    problem = PROBLEMS[name]
    solved = 0
    rules = pairing_rules()
    if not effort.exhaustive:  # a third of the rules in each problem, all of them twice
        rules = rules[list(PROBLEMS).index(name) % 3 :: 3]
    for m in rules:
        batch = batch_of(problem)
        try:
            formulated = formulate(m.recipe.rule, batch.pairs(m.recipe.threshold))
            reduced = solve_pairing(formulated)
        except HierpairError as error:
            with pytest.raises(type(error)):
                solve_pairing(
                    formulate(m.recipe.rule, batch.pairs(m.recipe.threshold)), reduce=False
                )
            continue
        full = solve_pairing(formulated, reduce=False)
        solved += 1
        if reduced.gap.any():
            np.testing.assert_allclose(reduced.cost, full.cost, rtol=1e-12, atol=1e-12)
        else:
            assert bits(reduced.cost) == bits(full.cost), m.name
    assert solved > (30 if effort.exhaustive else 10)


# ------------------------------------------------------------------------------- LCA solvers


LCA = ("lca_precision", "lca_recall", "lca_f")
FORCED = [x for x in LIMITS if x.name in ("MOST_STATES", "MOST_WORK", "MOST_PATHS")]


def lca_outcome(problem):
    """Values of the exact LCA measures, and which solvers were used."""
    hierarchy, truth, prediction = problem.fresh()
    every = [m for m in variants(LCA) if m.options["extension"] == "exact"]
    scores = score(hierarchy, truth, {"s": prediction}, every)
    ways = {way for found in scores.solved_by.values() for way in found}
    return bits(scores.per_instance["s"].ravel()), bits(scores.values.ravel()), ways


def same_by_both_solvers(seeds):
    used = set()
    for seed in seeds:
        parents = 2 + seed % 2
        problem = random_problem(
            "", 1000 + seed, n=12 + seed % 9, instances=25, parents=parents, most=6,
            depth=4 if seed % 3 else None,
        )  # fmt: skip
        values, pooled, ways = lca_outcome(problem)
        used |= ways
        for limit in FORCED:
            with set_to(limit, limit.least):
                found = lca_outcome(problem)
            assert found[:2] == (values, pooled), (seed, limit)
            used |= found[2]
    assert {SOLVED_BY[SEARCH], SOLVED_BY[SOLVER]} <= used


@pytest.mark.exhaustive
def test_enumeration_and_cp_sat_find_graphs_of_the_same_sizes():
    same_by_both_solvers(range(3))


@pytest.mark.release
@pytest.mark.exhaustive
def test_enumeration_and_cp_sat_find_graphs_of_the_same_sizes_in_many_problems():
    same_by_both_solvers(range(4, 40))


# ------------------------------------------------------------------------------- explanations


def counts_of(evidence, m, hierarchy):
    """What the evidence that is shown says of an instance, or None where a formula has more."""
    n_classes = len(hierarchy)
    if isinstance(evidence, FlowEvidence):
        sides = evidence.predicted, evidence.true
        cost = math.fsum(p.units * p.cost for p in evidence.pairs if p.units)
        cost += math.fsum(r.missing * r.cost for s in sides for r in s if r.missing)
        cost /= evidence.whole or 1
        assert cost == pytest.approx(evidence.cost, rel=1e-12, abs=1e-12)
        assert evidence.optimal
        names = [{row.of[0] for row in side} for side in sides]
        sizes = len(names[1]), len(names[0]), len(names[0] & names[1])
        if m.definition.name == "normalised_cost" or (not evidence.arcs and evidence.whole):
            return None
        return counts(*sizes, n_classes, cost=evidence.cost)
    names = [field.name for field in evidence.fields]
    if isinstance(m.recipe, ConfusionRecipe):
        return {f.lower(): np.array([names_of(evidence, f)]) for f in ("TP", "FP", "FN", "TN")}
    if "in both" not in names:  # a field for every column
        found = {
            column.name: np.array([math.fsum(field.numbers or [1] * len(field.classes))])
            for column in m.recipe.columns
            for field in evidence.fields
            if field.name == column.unit
        }
        return found if found.keys() >= {*m.definition.columns} else None
    both, true, predicted = (
        names_of(evidence, name) for name in ("in both", "only true", "only predicted")
    )
    sizes = both + true, both + predicted, both
    if isinstance(m.recipe, LcaRecipe):
        return counts(*sizes, n_classes)
    if isinstance(m.recipe, SetRecipe):
        n_classes = len(hierarchy) - len(excluded_classes(hierarchy, m.recipe.root))
        return counts(*sizes, n_classes)
    if isinstance(m.recipe, DepthRecipe) and m.recipe.normalise == "none":
        alone = [f for f in evidence.fields if f.name in ("only true", "only predicted")]
        cost = math.fsum(x for field in alone for x in field.numbers)
        return {"w_single": np.array([cost]), "w_bound": np.ones(1)}
    return None


def names_of(evidence, name):
    """How many classes the fields of a name have."""
    return sum(len(field.classes) for field in evidence.fields if field.name == name)


def counts(n_true, n_pred, n_both, n_classes, *, cost=0.0):
    found = {"n_true": n_true, "n_pred": n_pred, "n_both": n_both, "n_classes": n_classes}
    return {name: np.array([x]) for name, x in {**found, "cost": cost}.items()}


def explained(problem, measures, step=1):
    """Compare explanations with scores; return how many showed all that the value rests on."""
    shown = 0
    hierarchy, truth, prediction = problem.fresh()
    fine = outcome(problem, measures)
    for why in explain(
        hierarchy, truth, prediction, measures, instances=range(0, len(truth), step)
    ):
        m, value = why.measure, fine[why.measure][1 + why.instance]
        if may_round(problem, m):
            assert why.value == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)
        else:
            assert bits([why.value]) == bits([value]), (m.name, why.instance)
        found = counts_of(why.evidence, m, hierarchy)
        if found is not None:
            again = m.values(found)[0]
            assert again == pytest.approx(why.value, rel=1e-12, abs=1e-12, nan_ok=True), (
                m.name, why.instance, why.evidence
            )  # fmt: skip
            shown += 1
    return shown


def of_instances(problem, step, start=0):
    """Measures that differ in what an instance is worth: averages play no part in it."""
    found = {}
    for m in variants():
        found.setdefault(m.of_instance, m)
    few = list(found.values())[start::step]
    return [m for m in few if not isinstance(trial(problem, m)[0], str)]


@pytest.mark.exhaustive
@pytest.mark.random_cases
@pytest.mark.parametrize("name", ["one label", "forest", "paths"])
def test_explanations_show_what_scores_count(name):
    every = of_instances(PROBLEMS[name], 60, 3)
    step = 1 if effort.exhaustive else 3
    assert explained(PROBLEMS[name], every, step) > 40 // step


@pytest.mark.release
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PROBLEMS)
def test_all_explanations_show_what_scores_count(name):
    every = of_instances(PROBLEMS[name], 36, list(PROBLEMS).index(name))
    assert explained(PROBLEMS[name], every) > 130


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_every_measure_is_explained_by_its_value():
    """Without any choice of options: all measures that a problem has a value for."""
    seen = set()
    for problem in (*PROBLEMS.values(), LEVELS):
        plain = [m for m in map(measure, {v.definition.name for v in variants()}) if m not in seen]
        fine = [m for m in plain if m in defaults(problem, (m.definition.name,), 10**6)[0]]
        if fine:
            explained(problem, fine, 1 if effort.exhaustive else 3)
        seen |= set(fine)
    assert {m.definition.name for m in seen} == {m.definition.name for m in variants()}
