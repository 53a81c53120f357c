"""Two ways to the same number: both sides of every limit, scores and explanations.

``-m exhaustive`` takes all measures with all averages and options on both sides of every limit.
"""

import importlib
import re
from contextlib import ExitStack
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest

import hierpair as hp
from hierpair import BadInput, Hierarchy, HierpairError, compare, comparison, decode, explain, score
from hierpair.labels import information_accretion
from hierpair.measures import measure, measures_of
from hierpair.pairing import Degree, Hops, Pairs, Rule, Unmatched, WhatIf, formulate, solve_pairing
from hierpair.probabilistic import apply_threshold, decode_micro_hf, expected, walk_down
from tests import effort, everything, scenarios
from tests.everything import LEVELS, OF_LEVELS, PROBLEMS, bits, defaults, may_round, outcome, trial
from tests.limits import LIMITS, NO_PATH, set_to
from tests.scenarios import distribution_of, hierarchy_of

HOME = Path(hp.__file__).parent


def differences(rounds, problem, *which):
    """Measures that give other numbers, or other errors, than with the defaults.

    ``rounds`` allows the last bit where a last bit may move.
    """
    fine, wrong = defaults(problem, *which)
    found = outcome(problem, list(fine)) if fine else {}
    wrong = [(m.name, x, now) for m, x in wrong.items() if (now := trial(problem, m)) != x]
    for m, x in fine.items():
        close = np.allclose(found[m], x, rtol=1e-12, atol=1e-12, equal_nan=True)
        if bits(found[m]) != bits(x) and not (rounds and may_round(problem, m) and close):
            wrong.append((m.name, x, found[m]))
    return wrong


AT_ONCE = 4
"""Limits of different modules that are set together, so that all measures meet all of them."""


def together():
    """Groups of limits, none of which sets what another one sets or needs beside it."""
    groups = []
    for limit in LIMITS:
        own = {str(limit), *limit.beside}
        for group in groups:
            others = {name for x in group for name in (str(x), *x.beside)}
            modules = {x.module for x in group}
            if len(group) < AT_ONCE and not own & others and limit.module not in modules:
                group.append(limit)
                break
        else:
            groups.append([limit])
    for group, end in product(groups, ("least", "most")):
        yield pytest.param(group, end, id=f"{', '.join(map(str, group))}: {end}")


@pytest.mark.release
@pytest.mark.exhaustive
@pytest.mark.parametrize(("limits", "end"), [*together()])
def test_all_measures_on_both_sides_of_every_limit(limits, end):
    """A few limits at a time, with two problems at either end and a sixth of all variants, in turn."""
    turn = LIMITS.index(limits[0]) + (end == "most")
    step = 6 * max(1, max(limit.step for limit in limits) // 6)
    rounds = any(limit.rounds for limit in limits)
    problems = {LEVELS: (OF_LEVELS,)}
    for k, problem in enumerate([*PROBLEMS.values()][turn % 3 :: 3]):
        problems[problem] = None, step, (turn + k) % step
    for problem, which in problems.items():
        defaults(problem, *which)
        with ExitStack() as stack:
            for limit in limits:
                stack.enter_context(set_to(limit, getattr(limit, end)))
            assert not differences(rounds, problem, *which)


@pytest.mark.parametrize("n", [30, 62, 63, 72, 126, 127, 128, 255, 256, 300])
def test_distances_where_depth_leaves_no_room_in_an_exponent_or_a_byte(n):
    """Two arms that meet at the root only, around what an exponent and a byte can carry."""
    arms = [["r", *(f"{arm}{i}" for i in range(n))] for arm in "ab"]
    edges = [edge for arm in arms for edge in pairwise(arm)] + [("a3", "a9")]
    names = [arm[i] for arm in arms for i in (1, 2, n // 2, n - 1, n)]
    found = []
    for name, value in (("", 0), ("EXPONENT_ROOM", 0), ("BYTE_DEPTH", 1)):
        with ExitStack() as stack:
            for limit in (x for x in LIMITS if x.name == name and not x.beside):
                stack.enter_context(set_to(limit, value))
            hierarchy = Hierarchy.from_edges(edges)
            u, v = (hierarchy.index(x) for x in zip(*product(names, names), strict=True))
            found.append(hierarchy.pair_distances(u, v).tolist())
    up = dict(nx.all_pairs_shortest_path_length(hierarchy.to_networkx().reverse()))
    shared = [(up[x], up[y], up[x].keys() & up[y].keys()) for x, y in product(names, names)]
    assert found == [[min(one[a] + other[a] for a in both) for one, other, both in shared]] * 3


# ------------------------------------------------------------------------------ beside scores


def compared_scores(n):
    """Scores of four systems under every average."""
    hierarchy, truth, _ = everything.random_problem("", 8, n=16, instances=n, parents=2).fresh()
    others = (everything.random_problem("", k, n=16, instances=n, parents=2) for k in range(8, 12))
    systems = {name: other.y_pred for name, other in zip("abcd", others, strict=True)}
    every = ["hf", "gie", "hf(average=macro)", "contribution_f(average=weighted)", "f(average=micro)",
             "mgia(average=micro)", "level_accuracy"]  # fmt: skip
    return score(hierarchy, truth, systems, every, keep_classes=True)


def _compare():
    scores = compared_scores(20)
    drawn = {"n_permutations": 300, "n_bootstrap": 50, "seed": 3}
    found = [compare(scores, test=test, **drawn) for test in ("permutation", "bootstrap")]
    return [x.to_json() for x in (scores, *found)]


def _listed():
    """P-values where all exchanges are listed; what is drawn depends on the blocks by design."""
    return compare(compared_scores(6), n_permutations=100, n_bootstrap=2).p.tolist()


def _responses():
    hierarchy, truth, _ = PROBLEMS["tree"].fresh()
    how = {"steps": ["unrelated"], "n_bootstrap": 9}
    with patch("hierpair.comparison.perturbation.GUESSES", 0):
        return comparison.respond(hierarchy, truth, ["hf", "gie"], **how).to_json()


def _differ():
    hierarchy, truth, prediction = PROBLEMS["dag"].fresh()
    scores = score(hierarchy, truth, {"a": prediction, "b": truth}, ["hf", "gie"])
    found = comparison.differ(scores, "a", "b", hierarchy, truth, measure="hf", k=50)
    depths = comparison.by_depth(scores, hierarchy, truth, measure="hf")
    return repr((found, found.classes, found.subtrees, depths.values.tolist()))


@cache
def random_rows():
    rng = np.random.default_rng(5)
    found = []
    for dag, several in ((False, False), (True, False), (False, True)):
        parents = scenarios.random_parents(rng, 7, dag=dag)
        rows = [scenarios.random_scenarios(rng, parents, several=several) for _ in range(4)]
        found.append((parents, rows))
    return found


DECODED = ("hf", "hf(beta=2, augment=none)", "gie", "symmetric_difference", "subset_accuracy", "leaf_accuracy",
           "shortest_path", "depth_loss", "h_loss", "tree_induced_error", "mean_cost",
           "hamming_loss")  # fmt: skip


def _decode():
    """The sets to the label; means over scenarios up to rounding, as they are sums of floats."""
    found = []
    for (parents, rows), name in product(random_rows(), DECODED):
        law = distribution_of(rows, hierarchy_of(parents))  # it remembers nothing
        try:
            best = decode(law, name)
            values = np.round([*best.value, expected(law, best.sets, name).value], 10).tolist()
            found.append((name, best.sets.indices.tolist(), values))
        except HierpairError as error:
            found.append((name, str(error)))
    return found


def _rules():
    parents, rows = random_rows()[0]
    law = distribution_of(rows, hierarchy_of(parents))
    scores = law.marginals()
    sets = walk_down(scores), apply_threshold(scores, 0.3), decode_micro_hf(law).sets
    return [(x.indptr.tolist(), x.indices.tolist()) for x in sets]


def _hint():
    with pytest.raises(BadInput) as found:
        score(PROBLEMS["tree"].fresh()[0], ["C7"], ["c1"])
    return str(found.value)


def _weights():
    """Weights of classes from annotations with one parent and several, and measures by them."""
    found = []
    for name in ("tree", "dag"):
        hierarchy, truth, y_pred = PROBLEMS[name].fresh()
        counted = information_accretion(hierarchy, truth)
        by_weight = ["hf(weights=ia)", "simgic(weights=ic)", "icm"]
        values = score(hierarchy, truth, y_pred, by_weight).values
        found.append([x.tolist() for x in (counted, values)])
    return repr(found)


def _scored():
    """All measures of scores, of laws over leaves and of scores with ties."""
    rng, tidy, rough = np.random.default_rng(5), scenarios.tidy, scenarios.rough
    every = enumerate([tidy(rng), tidy(rng, dag=True), rough(rng), rough(rng)])
    found = {(m, k): p.value(m) for (k, p), m in product(every, measures_of("scores"))}
    return {key: "refused" if x is None else repr(x) for key, x in found.items()}


def _rounded():
    """The same without the last bits, which depend on how often a mean was rounded."""
    found = _scored()
    return {k: x if x == "refused" else f"{float(x):.13g}" for k, x in found.items()}


def _optimum():
    """What constraints cost, and when a pairing stays the best one."""
    found = []
    for name in ("tree", "dag"):
        hierarchy, truth, y_pred = PROBLEMS[name].fresh()
        one = [Degree(side, 1, 1) for side in ("predicted", "true")]
        alone = [Unmatched(side, 3) for side in ("predicted", "true")]
        for both in zip(truth, y_pred, strict=True):
            sets = (hp.LabelSets.from_labels([labels], hierarchy) for labels in both)
            problem = formulate(Rule(Hops(), (*one, *alone)), Pairs.between(hierarchy, *sets))
            other = WhatIf(problem, solve_pairing(problem))
            found += [other.unique, other.further, other.may_fall.tolist(), other.may_rise.tolist()]
    return repr(found)


CHECKS = {
    f.__name__[1:]: cache(f)
    for f in (_optimum, _weights, _scored, _rounded, _compare, _listed, _differ, _responses, _decode, _rules, _hint)
}  # fmt: skip


def other_results():
    """Every second end of a limit waits for a release."""
    for i, limit in enumerate(LIMITS):
        ends = enumerate((limit.least, limit.most))
        for (j, check), (k, value) in product(enumerate(limit.checks), ends):
            marks = pytest.mark.release if (i + j + k) % 2 else ()
            yield pytest.param(limit, value, check, id=f"{check}: {limit}={value:g}", marks=marks)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("limit", "value", "check"), [*other_results()])
def test_other_results_on_both_sides_of_every_limit(limit, value, check):
    before = CHECKS[check]()
    with set_to(limit, value):
        assert CHECKS[check].__wrapped__() == before


# ------------------------------------------------------------------------------ the list is whole


PLAIN = r"^(_?[A-Z][A-Z0-9_]*(?:, _?[A-Z][A-Z0-9_]*)*)(?:: [^=\n]+)? = [-\d_.e+*/<(), ]+(?:#.*)?$"
"""Constants that are literals, or arithmetic with literals."""


@pytest.mark.exhaustive
def test_every_constant_is_listed_or_has_a_reason():
    """Names in capitals that are given numbers at the top of a module."""
    listed, found = {str(limit) for limit in LIMITS}, set()
    for path in HOME.rglob("*.py"):
        where = ".".join(path.relative_to(HOME).with_suffix("").parts)
        given = re.findall(PLAIN, path.read_text("utf-8"), re.MULTILINE)
        module = importlib.import_module(f"hierpair.{where}") if given else None
        names = {name for line in given for name in line.split(", ")}
        found |= {f"{where}.{x}" for x in names if type(getattr(module, x, None)) in (int, float)}
    lacking = [x for x in found - listed if not x.startswith(tuple(NO_PATH))]
    assert not lacking, f"add {sorted(lacking)} to LIMITS or NO_PATH in tests/limits.py"
    assert not listed - found, "these are no longer there"
    assert not [x for x in NO_PATH if not any(name.startswith(x) for name in found)]


def test_every_limit_is_a_whole_number_between_its_ends():
    for limit in LIMITS:
        value = getattr(importlib.import_module(f"hierpair.{limit.module}"), limit.name)
        assert limit.least <= value <= limit.most or str(limit) == "solvers.flow.BLOCK_ARCS"
        assert limit.path
        assert set(limit.checks) <= set(CHECKS)


@pytest.mark.release
@pytest.mark.exhaustive
def test_the_defaults_reach_many_measures():
    """What is compared above is not mostly errors."""
    found = [[*defaults(p, None, 2, 0)[0], *defaults(p, None, 2, 1)[0]] for p in PROBLEMS.values()]
    assert min(map(len, found)) > 400
    valued = {m.definition.name for every in found for m in every}
    assert valued | {*OF_LEVELS} == set(measures_of("labels"))
    assert {m.definition.name for m in defaults(LEVELS, OF_LEVELS)[0]} == set(OF_LEVELS)


# ------------------------------------------------------------------------------ explanations


@pytest.mark.exhaustive
@pytest.mark.random_cases
@pytest.mark.parametrize("problem", [*PROBLEMS.values(), LEVELS], ids=lambda p: p.name)
def test_explanations_have_the_value_of_the_score(problem):
    """Of measures that differ in what an instance is worth; what is shown is checked by ``explain``."""
    step, every = 1 if effort.exhaustive else 6, {}
    for m in everything.variants():
        every.setdefault(m.of_instance, m)
    plain = {measure(m.definition.name) for m in every.values()}
    few = {*list(every.values())[:: 36 * step], *(plain if step == 1 else [])}
    chosen = [m for m in few if not isinstance(trial(problem, m)[0], str)]
    fine = outcome(problem, chosen)
    hierarchy, truth, prediction = problem.fresh()
    some = range(0, len(truth), step)
    for why in explain(hierarchy, truth, prediction, chosen, instances=some):
        value, name = fine[why.measure][1 + why.instance], (why.measure.name, why.instance)
        if may_round(problem, why.measure):
            assert why.value == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), name
        else:
            assert bits([why.value]) == bits([value]), name
