"""Two ways to the same number: both sides of every limit, scores and explanations.

The quick part takes what a limit concerns; ``-m exhaustive`` takes all measures with all averages
and options.
"""

import ast
import gzip
import importlib
import math
import os
from contextlib import ExitStack
from functools import cache, partial
from itertools import pairwise, product
from pathlib import Path
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest

import hierpair
from hierpair import (
    BadInput,
    Hierarchy,
    HierpairError,
    LabelDistribution,
    LabelSets,
    compare,
    decode,
    explain,
    read_hierarchy,
    read_labels,
    score,
    write_hierarchy,
    write_labels,
)
from hierpair.checks import lint
from hierpair.comparison import by_depth, differ, respond
from hierpair.explanation import FlowEvidence
from hierpair.hierarchy import excluded_classes
from hierpair.labels import information_accretion, information_content
from hierpair.measures import (
    ConfusionRecipe,
    LcaRecipe,
    SetRecipe,
    measure,
    measures_of,
)
from hierpair.measures.recipes.sets import DepthRecipe
from hierpair.pairing import (
    Degree,
    Hops,
    Pairs,
    Rule,
    Unmatched,
    WhatIf,
    formulate,
    solve_pairing,
)
from hierpair.probabilistic import apply_threshold, decode_micro_hf, expected, walk_down
from tests import effort
from tests.everything import (
    LEVELS,
    OF_LEVELS,
    PROBLEMS,
    bits,
    defaults,
    may_round,
    outcome,
    random_problem,
    trial,
    variants,
)
from tests.limits import LIMITS, NO_PATH, set_to
from tests.scenarios import (
    distribution_of,
    hierarchy_of,
    random_parents,
    random_scenarios,
    rough,
    tidy,
)

HOME = Path(hierpair.__file__).parent


def differences(rounds, problem, *which):
    """Measures that give other numbers, or other errors, than with the defaults.

    ``rounds`` allows the last bit where a last bit may move.
    """
    fine, errors = defaults(problem, *which)
    found = outcome(problem, list(fine)) if fine else {}
    wrong = []
    for m, expected_ in fine.items():
        if bits(found[m]) == bits(expected_):
            continue
        close = np.allclose(found[m], expected_, rtol=1e-12, atol=1e-12, equal_nan=True)
        if not (rounds and may_round(problem, m) and close):
            wrong.append((m.name, expected_, found[m]))
    return wrong + [
        (m.name, was, now) for m, was in errors.items() if (now := trial(problem, m)) != was
    ]


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
    return [
        pytest.param(group, end, id=f"{', '.join(map(str, group))}: {end}")
        for group in groups
        for end in ("least", "most")
    ]


@pytest.mark.release
@pytest.mark.exhaustive
@pytest.mark.parametrize(("limits", "end"), together())
def test_all_measures_on_both_sides_of_every_limit(limits, end):
    """A few limits at a time, with two problems at either end and a sixth of all variants, in turn."""
    turn = LIMITS.index(limits[0]) + (end == "most")
    step = 6 * max(1, max(limit.step for limit in limits) // 6)
    rounds = any(limit.rounds for limit in limits)
    problems = [
        (p, (None, step, (turn + k) % step))
        for k, p in enumerate([*PROBLEMS.values()][turn % 3 :: 3])
    ]
    for problem, which in [*problems, (LEVELS, (OF_LEVELS,))]:
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
    found = {}
    for name, value in (("", 0), ("EXPONENT_ROOM", 0), ("BYTE_DEPTH", 1)):
        with ExitStack() as stack:
            for limit in LIMITS:
                if limit.name == name and not limit.beside:
                    stack.enter_context(set_to(limit, value))
            hierarchy = Hierarchy.from_edges(edges)
            u, v = (hierarchy.index(x) for x in zip(*product(names, names), strict=True))
            found[name] = hierarchy.pair_distances(u, v).tolist()
    up = dict(nx.all_pairs_shortest_path_length(hierarchy.to_networkx().reverse()))
    shared = [(up[x], up[y], up[x].keys() & up[y].keys()) for x, y in product(names, names)]
    slow = [min(one[a] + other[a] for a in both) for one, other, both in shared]
    assert found == dict.fromkeys(found, slow)


# ------------------------------------------------------------------------------ beside scores


def compared_scores(n):
    """Scores of four systems under every average."""
    hierarchy, truth, _ = random_problem("", 8, n=16, instances=n, parents=2).fresh()
    others = [random_problem("", 8 + k, n=16, instances=n, parents=2).y_pred for k in range(4)]
    systems = dict(zip("abcd", others, strict=True))
    every = ["hf", "gie", "hf(average=macro)", "contribution_f(average=weighted)", "f(average=micro)",
             "mgia(average=micro)", "level_accuracy"]  # fmt: skip
    return score(hierarchy, truth, systems, every, keep_classes=True)


def _compare():
    scores = compared_scores(20)
    drawn = {"n_permutations": 300, "n_bootstrap": 50, "seed": 3}
    found = [compare(scores, test=test, **drawn) for test in ("permutation", "bootstrap")]
    return [scores.to_json(), *(f.to_json() for f in found)]


def _listed():
    """P-values where all exchanges are listed; what is drawn depends on the blocks by design."""
    scores = compared_scores(6)
    return compare(scores, n_permutations=100, n_bootstrap=2).p.tolist()


def _responses():
    problem = PROBLEMS["tree"]
    hierarchy, truth, _ = problem.fresh()
    with patch("hierpair.comparison.perturbation.GUESSES", 0):
        return respond(
            hierarchy, truth, ["hf", "gie"], steps=["unrelated"], n_bootstrap=9
        ).to_json()


def _differ():
    problem = PROBLEMS["dag"]
    hierarchy, truth, prediction = problem.fresh()
    scores = score(hierarchy, truth, {"a": prediction, "b": truth}, ["hf", "gie"])
    found = differ(scores, "a", "b", hierarchy, truth, measure="hf", k=50)
    depths = by_depth(scores, hierarchy, truth, measure="hf")
    return repr((found, found.classes, found.subtrees, depths.values.tolist()))


@cache
def random_rows():
    rng = np.random.default_rng(5)
    found = []
    for dag, several in ((False, False), (True, False), (False, True)):
        parents = random_parents(rng, 7, dag=dag)
        rows = [random_scenarios(rng, parents, several=several) for _ in range(4)]
        found.append((parents, rows))
    return found


DECODED = ("hf", "hf(beta=2, augment=none)", "gie", "symmetric_difference", "subset_accuracy", "leaf_accuracy",
           "shortest_path", "depth_loss", "h_loss", "tree_induced_error", "mean_cost",
           "hamming_loss")  # fmt: skip


def _decode():
    """The sets to the label; means over scenarios up to rounding, as they are sums of floats."""
    found = []
    for parents, rows in random_rows():
        for name in DECODED:
            distribution = distribution_of(
                rows, hierarchy_of(parents)
            )  # a hierarchy that remembers nothing
            try:
                best = decode(distribution, name)
                value = expected(distribution, best.sets, name).value
                values = np.round([*best.value, value], 10).tolist()
                found.append((name, best.sets.indices.tolist(), values))
            except HierpairError as error:
                found.append((name, str(error)))
    return found


def _rules():
    found = []
    for parents, rows in random_rows()[:1]:
        distribution: LabelDistribution = distribution_of(rows, hierarchy_of(parents))
        scores = distribution.marginals()
        found += [
            walk_down(scores),
            apply_threshold(scores, 0.3),
            decode_micro_hf(distribution).sets,
        ]
    return [(sets.indptr.tolist(), sets.indices.tolist()) for sets in found]


def _lint(tmp_path):
    path = tmp_path / "dag.tsv"
    path.write_text("".join(f"{e[0]}\t{e[1]}\n" for e in PROBLEMS["dag"].edges))
    report = lint(path)
    return list(map(repr, report.findings))


def _files(tmp_path):
    """A hierarchy in several formats and labels, from files and from a pipe."""
    hierarchy, truth, _ = PROBLEMS["dag"].fresh()
    found = []
    for name in ("h.tsv", "h.json", "h.tsv.gz"):
        fmt = "json" if name == "h.json" else "edges"
        text = write_hierarchy(hierarchy, fmt)[0].encode()
        (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        found.append(read_hierarchy(tmp_path / name).fingerprint)
    (tmp_path / "h.rdf").write_text(SKOS)
    found.append(read_hierarchy(tmp_path / "h.rdf", fmt="skos").fingerprint)
    for fmt in ("table", "jsonl"):
        content, _ = write_labels(truth, hierarchy, fmt)
        path = tmp_path / f"y.{fmt}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        found.append(read_labels(path, hierarchy, fmt=fmt).indices.tolist())
    back, ahead = os.pipe()
    os.write(ahead, (tmp_path / "h.tsv").read_bytes())
    os.close(ahead)
    found.append(read_hierarchy(f"/dev/fd/{back}").fingerprint)
    os.close(back)
    return found


SKOS = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:Concept rdf:about="urn:a"><skos:prefLabel>ä</skos:prefLabel></skos:Concept>
  <skos:Concept rdf:about="urn:b"><skos:broader rdf:resource="urn:a"/></skos:Concept>
</rdf:RDF>
"""


def _hint():
    with pytest.raises(BadInput) as found:
        score(PROBLEMS["tree"].fresh()[0], ["C7"], ["c1"])
    return str(found.value)


def _weights():
    """Weights of classes from annotations with one parent and several, and measures by them."""
    found = []
    for name in ("tree", "dag"):
        hierarchy, truth, y_pred = PROBLEMS[name].fresh()
        counted = [f(hierarchy, truth) for f in (information_accretion, information_content)]
        by_weight = ["hf(weights=ia)", "simgic(weights=ic)", "icm"]
        values = score(hierarchy, truth, y_pred, by_weight).values
        found.append([x.tolist() for x in (*counted, values)])
    return repr(found)


def _scored():
    """All measures of scores, of laws over leaves and of scores with ties."""
    rng = np.random.default_rng(5)
    every = [tidy(rng), tidy(rng, dag=True), rough(rng), rough(rng)]
    found = {
        (name, k): p.value(name) for name in measures_of("scores") for k, p in enumerate(every)
    }
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
        sets = (LabelSets.from_labels(labels, hierarchy) for labels in (truth, y_pred))
        one = [Degree(side, 1, 1) for side in ("predicted", "true")]
        alone = [Unmatched(side, 3) for side in ("predicted", "true")]
        problem = formulate(Rule(Hops(), (*one, *alone)), Pairs.between(hierarchy, *sets))
        other = WhatIf(problem, solve_pairing(problem))
        found += [x.tolist() for x in (other.unique, other.further, other.may_fall, other.may_rise)]
    return repr(found)


CHECKS = {"optimum": _optimum, "weights": _weights, "scored": _scored, "rounded": _rounded, "compare": _compare, "listed": _listed, "differ": _differ, "responses": _responses, "decode": _decode,
          "rules": _rules, "lint": _lint, "files": _files, "hint": _hint}  # fmt: skip


@cache
def checked_by_default(check):
    return check()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("limit", "value", "check"),
    [
        pytest.param(
            x,
            value,
            check,
            id=f"{check}: {x}={value:g}",
            marks=pytest.mark.release if (i + j + k) % 2 else (),
        )
        for i, x in enumerate(LIMITS)
        for j, check in enumerate(x.checks)
        for k, value in enumerate((x.least, x.most))
    ],
)
def test_other_results_on_both_sides_of_every_limit(limit, value, check, tmp_path):
    writes = check in ("files", "lint")
    run = partial(CHECKS[check], tmp_path) if writes else CHECKS[check]
    before = run() if writes else checked_by_default(run)
    with set_to(limit, value):
        assert run() == before


# ------------------------------------------------------------------------------ the list is whole


def number(node):
    """The value of a literal, or of arithmetic with literals; None otherwise."""
    try:
        value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
    except Exception:
        return None
    return value if type(value) in (int, float) else None


def constants(tree):
    """Names in capitals that are given numbers at the top of a module."""
    for node in tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            several = isinstance(target, ast.Tuple)
            names = target.elts if several else [target]
            values = getattr(node.value, "elts", []) if several else [node.value]
            for name, value in zip(names, values, strict=False):
                known = isinstance(name, ast.Name) and name.id.strip("_").isupper()
                if known and number(value) is not None:
                    yield name.id


def sources():
    for path in sorted(HOME.rglob("*.py")):
        module = ".".join(path.relative_to(HOME).with_suffix("").parts)
        yield module, ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.exhaustive
def test_every_constant_is_listed_or_has_a_reason():
    listed = {str(limit) for limit in LIMITS}
    found = {f"{module}.{name}" for module, tree in sources() for name in constants(tree)}
    lacking = [x for x in found - listed if not x.startswith(tuple(NO_PATH))]
    assert not lacking, f"add {sorted(lacking)} to LIMITS or NO_PATH in tests/limits.py"
    stale = [x for x in NO_PATH if not any(name.startswith(x) for name in found)]
    assert not listed - found, "these are no longer there"
    assert not stale


def test_every_limit_is_a_whole_number_between_its_ends():
    for limit in LIMITS:
        value = getattr(importlib.import_module(f"hierpair.{limit.module}"), limit.name)
        assert limit.least <= value <= limit.most or str(limit) == "solvers.flow.BLOCK_ARCS"
        assert limit.concerns or limit.checks
        assert limit.path
        assert set(limit.checks) <= set(CHECKS)


@pytest.mark.release
@pytest.mark.exhaustive
def test_the_defaults_reach_many_measures():
    """What is compared above is not mostly errors."""
    found = {
        name: [m for k in (0, 1) for m in defaults(p, None, 2, k)[0]]
        for name, p in PROBLEMS.items()
    }
    assert min(map(len, found.values())) > 400
    valued = {m.definition.name for every in found.values() for m in every}
    assert valued | {*OF_LEVELS} == set(hierpair.measures.measures_of("labels"))
    assert {m.definition.name for m in defaults(LEVELS, OF_LEVELS)[0]} == set(OF_LEVELS)
    assert isinstance(PROBLEMS["tree"].fresh()[0], Hierarchy)


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
@pytest.mark.parametrize("name", PROBLEMS)
def test_explanations_show_what_scores_count(name):
    step = 1 if effort.exhaustive else 6
    every = of_instances(PROBLEMS[name], 36 * step, list(PROBLEMS).index(name))
    assert explained(PROBLEMS[name], every, step) > (130 if effort.exhaustive else 3)


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
