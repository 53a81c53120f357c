"""Decoders against the bundled vectors and against trying all sets on random hierarchies."""

from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores
from hierpair.measures.families import pair_measures
from hierpair.probabilistic.decoding.by_class import (
    apply_threshold,
    decode_depth_cost,
    decode_distance,
    decode_edge_cost,
    decode_h_loss,
    decode_hamming,
    decode_micro_hf,
    decode_most_probable,
    decode_node_cost,
    walk_down,
)
from hierpair.probabilistic.decoding.by_size import (
    decode_hf,
    decode_hp,
    decode_hr,
    decode_set_value,
)
from hierpair.probabilistic.decoding.pairings import decode_gie, decode_pairing
from tests import effort
from tests.oracles.distributions import (
    closed,
    closed_sets,
    expected,
    gie,
    h_loss,
    hf,
    tree_distance,
)
from tests.scenarios import (
    distribution_of,
    hierarchy_of,
    names,
    parents_of,
    random_parents,
    random_scenarios,
    vectors,
)

RANDOM = effort.cases(1200)
pytestmark = pytest.mark.random_cases
"""Random hierarchies at least, over all kinds, for every decoder: all sets are tried on each."""


def jaccard(k, a, s):
    return np.where(k + a == 0, 1.0, s / np.maximum(k + a - s, 1))


# ----------------------------------------------------------------- the bundled vectors

CASES = [
    *((f"random {i}", case) for i, case in enumerate(vectors("decodings")["random"])),
    *vectors("decodings")["special"].items(),
    *vectors("worked_examples")["examples"].items(),
]


def decoder_of(key, distribution, hierarchy):
    """What the key of a vector asks for."""
    nodes = len(hierarchy)
    if key.startswith("hF_beta="):
        beta = float(key.split()[0].removeprefix("hF_beta="))
        return decode_hf(distribution, beta, root="include" if "root counted" in key else "exclude")
    if key.startswith("jaccard"):
        return decode_set_value(distribution, jaccard)
    if key.startswith(("hP", "hR")):
        size = int(key.split("=")[1].split()[0]) if "|S|=" in key else None
        return (decode_hp if key.startswith("hP") else decode_hr)(distribution, size=size)
    if key.startswith("GIE"):
        dmax = float(Fraction(key.split("dmax=")[1].split(",")[0]))
        may = np.arange(nodes) != hierarchy.index([0])[0]
        return decode_gie(distribution, dmax, predictable=may)
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    halves = hierarchy.with_weights(0.5 ** hierarchy.levels[1:].astype(float))
    return {
        "symmetric difference (min)": lambda: decode_hamming(distribution),
        "H-loss unit costs (min)": lambda: decode_h_loss(distribution, costs="ones"),
        "tree distance, unit edges (min over nodes)": lambda: decode_distance(distribution),
        "tree distance, 1/2^depth edges (min over nodes)": lambda: decode_distance(
            LabelDistribution(halves, distribution.indptr, distribution.p, distribution.sets),
            weighted=True,
        ),
        "asymmetric edges over=2 under=1 (min over nodes)": lambda: decode_edge_cost(
            distribution, 2, 1
        ),
        "leaf accuracy (max)": lambda: decode_most_probable(distribution, leaves),
    }[key]()


@pytest.mark.parametrize(("name", "case"), CASES, ids=[name for name, _ in CASES])
def test_vectors(name, case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    leaves = {int(k): float(Fraction(v)) for k, v in case["leaf_probs"].items()}
    distribution = LabelDistribution.from_leaves(
        [list(leaves.values())], hierarchy, classes=list(leaves)
    )
    assert len(case["optimal"]) >= 20
    for key, want in case["optimal"].items():
        size = int(key.split("=")[1].split()[0]) if "|S|=" in key else 0
        if (
            size > sum(distribution.marginals().dense()[0] > 0) - 1
        ):  # vectors fill up with impossible classes
            with pytest.raises(BadInput, match="fewer than size"):
                decoder_of(key, distribution, hierarchy)
            continue
        found = decoder_of(key, distribution, hierarchy)
        assert found.value[0] == pytest.approx(want["value"]["float"], abs=1e-12), key
        assert found.is_exact
        assert found.certificate.bound[0] == pytest.approx(found.value[0], abs=1e-9)
        got = sorted(names(found.sets, hierarchy))
        assert got in [sorted(s) for s in want["argopt_all"]], key


@pytest.mark.parametrize("case", vectors("decodings_multipath"))
def test_vectors_of_several_paths(case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    rows = [(float(Fraction(s["p"])), s) for s in case["scenarios"]]
    distribution = LabelDistribution.from_scenarios([[(p, s["Y"]) for p, s in rows]], hierarchy)
    tips = LabelDistribution.from_scenarios([[(p, s["most_specific"]) for p, s in rows]], hierarchy)
    for key, want in case["optimal"].items():
        if key.startswith("hF"):
            found = decode_hf(distribution, float(key.split()[0].removeprefix("hF_beta=")))
            assert found.value[0] == pytest.approx(want["value"]["float"], abs=1e-12)
        else:
            dmax = float(Fraction(key.split("dmax=")[1].split(",")[0]))
            may = [v for v in range(len(hierarchy)) if hierarchy.names[v] != 0]
            found = decode_pairing(tips, pair_measures.gie(dmax), candidates=may)
            assert found.value[0] == pytest.approx(want["mip_value_any_size"], abs=1e-9)
            assert found.value[0] <= want["value"]["float"] + 1e-9
            if len(names(found.sets, hierarchy)) > 3:
                continue
        assert sorted(names(found.sets, hierarchy)) in [sorted(s) for s in want["argopt_all"]], key


@pytest.mark.parametrize("case", vectors("micro_hf")["cases"])
def test_vectors_of_micro_hf(case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    rows = [[(float(Fraction(p)), [int(v)]) for v, p in row.items()] for row in case["leaf_probs"]]
    found = decode_micro_hf(LabelDistribution.from_scenarios(rows, hierarchy))
    assert found.value[0] == pytest.approx(case["max_expected_ratio"]["float"], abs=1e-12)
    got = [sorted(names(found.sets, hierarchy, i)) for i in range(len(rows))]
    assert got in case["argopt_all"]
    assert got == case["decoder_sets"]


def test_every_closed_set_of_the_worked_examples_is_worth_what_is_printed():
    """The values behind Figures 3 and 4, and the optimum that the paper misses: {1, 2, 5}, 0.565."""
    data = vectors("worked_examples")
    for example in data["examples"].values():
        parents = parents_of(example["parents"])
        distribution = [
            (Fraction(p), closed(parents, [int(v)], {0})) for v, p in example["leaf_probs"].items()
        ]
        for row in example["all_closed_sets"]:
            s = frozenset(row["S"])
            assert expected(distribution, lambda y: hf(s, y)) == Fraction(row["E_hF1"]["frac"])  # noqa: B023
            assert expected(distribution, lambda y: len(s ^ y)) == Fraction(  # noqa: B023
                row["E_symdiff"]["frac"]
            )
    fig3 = data["examples"]["fig3"]
    hierarchy = hierarchy_of(parents_of(fig3["parents"]))
    distribution = LabelDistribution.from_scenarios(
        [[(float(Fraction(p)), [int(v)]) for v, p in fig3["leaf_probs"].items()]], hierarchy
    )
    best = decode_hf(distribution)
    assert names(best.sets, hierarchy) == {1, 2, 5}
    assert best.value[0] == pytest.approx(0.565)
    assert best.value[0] > data["paper_values"]["E[hF1(Y,{1,5})]"][1]


# ----------------------------------------------------------------- all sets, by trying them


def cases(seed, *, n=RANDOM, most=6, **options):
    """Random hierarchies with one distribution each: parents, hierarchy, scenarios, distribution."""
    rng = np.random.default_rng(seed)
    kind = {k: options.pop(k) for k in ("dag", "forest") if k in options}
    for _ in range(n):
        parents = random_parents(rng, int(rng.integers(2, most + 1)), **kind)
        scenarios = random_scenarios(rng, parents, **options)
        hierarchy = hierarchy_of(parents)
        yield rng, parents, hierarchy, scenarios, distribution_of([scenarios], hierarchy)


def threshold_values(distribution, value):
    """Value of every threshold set, as a plain frozenset of names."""
    scores = distribution.marginals()
    for t in {0.0, *scores.values.tolist()}:
        yield value(names(apply_threshold(distribution, t), distribution.hierarchy))
        yield value(names(apply_threshold(distribution, t, reached=True), distribution.hierarchy))


KINDS = [
    pytest.param({"dag": False}, id="tree"),
    pytest.param({"dag": True}, id="dag"),
    pytest.param({"forest": True}, id="forest"),
    pytest.param({"dag": False, "several": True}, id="tree, several paths"),
    pytest.param({"dag": True, "several": True}, id="dag, several paths"),
]


@pytest.mark.parametrize("options", KINDS)
def test_hf_is_the_best_of_all_closed_sets(options):
    for rng, parents, hierarchy, scenarios, distribution in cases(
        11, n=RANDOM // len(KINDS), **options
    ):
        beta = [Fraction(1, 2), Fraction(1), Fraction(2)][int(rng.integers(3))]
        root = ["exclude", "include"][int(rng.integers(2))]
        out = {0} if root == "exclude" and len(hierarchy.root_indices) == 1 else set()
        full = [(p, closed(parents, y, out)) for p, y in scenarios]

        def value(s, full=full, beta=beta, out=out):
            return expected(full, lambda y: hf(s - out, y, beta))  # noqa: B023

        found = decode_hf(distribution, float(beta), root=root)
        got = names(found.sets, hierarchy)
        assert closed(parents, got, out) == got
        best = max(map(value, closed_sets(parents, out)))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)
        assert float(value(got)) == pytest.approx(float(best), abs=1e-12)
        assert all(best >= x for x in threshold_values(distribution, value))


@pytest.mark.parametrize("options", KINDS)
def test_precision_recall_and_hamming_are_the_best_of_all_closed_sets(options):
    for _, parents, hierarchy, scenarios, distribution in cases(
        12, n=RANDOM // len(KINDS), **options
    ):
        out = {0} if len(hierarchy.root_indices) == 1 else set()
        full = [(p, closed(parents, y, out)) for p, y in scenarios]
        sets = list(closed_sets(parents, out))

        def precision(s, y):
            return Fraction(len(s & y), len(s)) if s else Fraction(not y)

        def recall(s, y):
            return Fraction(len(s & y), len(y)) if y else Fraction(not s)

        for decoder, value in ((decode_hp, precision), (decode_hr, recall)):
            found = decoder(distribution)
            best = max(expected(full, lambda y, s=s, value=value: value(s, y)) for s in sets)
            got = names(found.sets, hierarchy)
            assert closed(parents, got, out) == got
            assert found.value[0] == pytest.approx(float(best), abs=1e-12)
            assert float(
                expected(full, lambda y, got=got, value=value: value(got, y))
            ) == pytest.approx(float(best))
        found = decode_hamming(distribution)
        got = names(found.sets, hierarchy)
        assert closed(parents, got, out) == got
        best = min(expected(full, lambda y, s=s: len(s ^ y)) for s in sets)
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)
        assert found.certificate.bound[0] == pytest.approx(float(best), abs=1e-12)
        assert float(expected(full, lambda y, got=got: len(got ^ y))) == pytest.approx(float(best))


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("forest", [False, True])
def test_h_loss_is_the_best_of_all_closed_sets(several, forest):
    for rng, parents, hierarchy, scenarios, distribution in cases(
        13, n=RANDOM // 4, several=several, forest=forest
    ):
        root = ["exclude", "include"][int(rng.integers(2))]
        out = {0} if root == "exclude" and len(hierarchy.root_indices) == 1 else set()
        cost = {v: Fraction(int(rng.integers(0, 5)), 4) for v in parents}
        full = [(p, closed(parents, y, out)) for p, y in scenarios]

        def value(s, full=full, parents=parents, cost=cost, out=out):
            return expected(full, lambda y: h_loss(parents, s, y, cost, out))  # noqa: B023

        found = decode_h_loss(
            distribution, costs=[float(cost[v]) for v in hierarchy.names], root=root
        )
        got = names(found.sets, hierarchy)
        assert closed(parents, got, out) == got
        best = min(map(value, closed_sets(parents, out)))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)
        assert float(value(got)) == pytest.approx(float(best), abs=1e-12)


@pytest.mark.parametrize("forest", [False, True])
def test_any_value_of_sizes_is_the_best_of_all_closed_sets_on_trees(forest):
    for rng, parents, hierarchy, scenarios, distribution in cases(14, n=RANDOM // 2, forest=forest):
        root = ["exclude", "include"][int(rng.integers(2))]
        out = {0} if root == "exclude" and len(hierarchy.root_indices) == 1 else set()
        table = rng.integers(0, 9, (12, 12, 12))
        direction = ["higher", "lower"][int(rng.integers(2))]
        full = [(p, closed(parents, y, out)) for p, y in scenarios]
        found = decode_set_value(
            distribution,
            lambda k, a, s, table=table: table[k, a, s].astype(float),
            direction=direction,
            root=root,
        )
        got = names(found.sets, hierarchy)
        values = {
            s: expected(full, lambda y, s=s, table=table: int(table[len(s), len(y), len(s & y)]))
            for s in closed_sets(parents, out)
        }
        best = (max if direction == "higher" else min)(values.values())
        assert found.value[0] == pytest.approx(float(best), abs=1e-9)
        assert float(values[got]) == pytest.approx(float(best), abs=1e-9)
        assert "knapsack" in found.certificate.method


@pytest.mark.parametrize("dag", [False, True])
def test_any_value_of_sizes_is_the_best_of_all_closed_sets_by_cp_sat(dag):
    for rng, parents, hierarchy, scenarios, distribution in cases(
        15, dag=dag, several=True, n=RANDOM // 2
    ):
        table = rng.integers(0, 9, (12, 12, 12))
        full = [(p, closed(parents, y, {0})) for p, y in scenarios]
        found = decode_set_value(distribution, lambda k, a, s, table=table: table[k, a, s] / 8)
        values = {
            s: expected(
                full,
                lambda y, s=s, table=table: Fraction(int(table[len(s), len(y), len(s & y)]), 8),
            )
            for s in closed_sets(parents, {0})
        }
        best = float(max(values.values()))
        assert found.value[0] == pytest.approx(best, abs=1e-9)
        assert found.certificate.bound[0] == pytest.approx(best, abs=1e-9)
        assert float(values[names(found.sets, hierarchy)]) == pytest.approx(best, abs=1e-9)
        assert found.is_exact


@pytest.mark.exhaustive
def test_knapsack_and_fixed_sizes_agree_on_hf():
    def f1(k, a, s):
        return np.where(k + a == 0, 1.0, 2 * s / np.maximum(k + a, 1))

    for _, _, _, _, distribution in cases(16, most=12, n=500):
        assert decode_set_value(distribution, f1).value[0] == pytest.approx(
            decode_hf(distribution).value[0], abs=1e-9
        )


def test_distance_and_edge_costs_are_the_least_of_all_classes():
    for rng, parents, hierarchy, scenarios, distribution in cases(17, most=9):
        weight = {v: Fraction(int(rng.integers(1, 9)), 4) for v in parents}
        weighted = hierarchy_of(parents, {v: float(w) for v, w in weight.items()})

        def distance(v, parents=parents, scenarios=scenarios, weight=None):
            return expected(scenarios, lambda y: tree_distance(parents, v, y[0], weight))

        found = decode_distance(distribution)
        (v,) = names(found.sets, hierarchy)
        best = min(map(distance, parents))
        assert found.value[0] == found.certificate.bound[0] == pytest.approx(float(best), abs=1e-12)
        assert distance(v) == best
        again = decode_distance(distribution_of([scenarios], weighted), weighted=True)
        best = min(distance(u, weight=weight) for u in parents)
        assert again.value[0] == pytest.approx(float(best), abs=1e-12)
        assert names(again.sets, weighted) == {v}  # the same class for all lengths
        by_matrix = decode_node_cost(distribution, hierarchy.pair_distances)
        assert by_matrix.value[0] == pytest.approx(found.value[0], abs=1e-12)
        by_depth = decode_depth_cost(distribution, lambda dv, dy, dc: dv + dy - 2 * dc)
        assert by_depth.value[0] == pytest.approx(found.value[0], abs=1e-12)
        over, under = ({u: Fraction(int(rng.integers(0, 5)), 2) for u in parents} for _ in range(2))

        def cost(v, parents=parents, scenarios=scenarios, over=over, under=under):
            mine = closed(parents, [v], {0})
            theirs = [(p, closed(parents, y, {0})) for p, y in scenarios]
            return expected(
                theirs, lambda y: sum(over[u] for u in mine - y) + sum(under[u] for u in y - mine)
            )

        found = decode_edge_cost(
            distribution,
            [float(over[u]) for u in hierarchy.names],
            [float(under[u]) for u in hierarchy.names],
        )
        (v,) = names(found.sets, hierarchy)
        best = min(map(cost, parents))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)
        assert float(cost(v)) == pytest.approx(float(best), abs=1e-12)


@pytest.mark.parametrize("dag", [False, True])
def test_leaf_and_level_accuracy_are_the_best_of_all_classes(dag):
    """The truth is the leaf, or the class of the level, that is in the closed set, or none."""
    for rng, parents, hierarchy, scenarios, distribution in cases(23, dag=dag, n=RANDOM // 2):
        none = bool(rng.integers(2))
        if dag or rng.random() < 0.5:
            some = {v for v in parents if not any(v in ps for ps in parents.values())}
        else:
            depth = int(rng.integers(1, 3))
            some = {v for v in parents if len(closed(parents, [v])) == depth + 1}
        if not some:
            continue
        true = [(p, closed(parents, y) & some) for p, y in scenarios]
        answers = [frozenset({v}) for v in some] + [frozenset()] * none

        def value(s, true=true):
            return sum(p for p, y in true if y == s)

        found = decode_most_probable(distribution, hierarchy.index(sorted(some)), none=none)
        best = max(map(value, answers))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)
        assert float(value(names(found.sets, hierarchy))) == pytest.approx(float(best), abs=1e-12)


@pytest.mark.parametrize("dag", [False, True])
def test_costs_of_pairs_are_the_least_of_all_classes(dag):
    for rng, parents, hierarchy, scenarios, distribution in cases(
        18, dag=dag, n=RANDOM // (1 + dag)
    ):
        n = len(parents)
        table = rng.integers(0, 20, (n, n)) / 4
        found = decode_node_cost(distribution, table)
        at = {v: i for i, v in enumerate(hierarchy.names)}
        best = {v: sum(float(p) * table[at[v], at[y[0]]] for p, y in scenarios) for v in parents}
        assert found.value[0] == pytest.approx(min(best.values()), abs=1e-12)
        (v,) = names(found.sets, hierarchy)
        assert best[v] == pytest.approx(min(best.values()), abs=1e-12)
        if not dag:
            depth = rng.integers(0, 20, (n, n, n)) / 4
            found = decode_depth_cost(
                distribution, lambda dv, dy, dc, depth=depth: depth[dv, dy, dc]
            )

            def priced(v, depth=depth, parents=parents, scenarios=scenarios):
                a = closed(parents, [v])
                return sum(
                    float(p)
                    * depth[
                        len(a) - 1, len(closed(parents, y)) - 1, len(a & closed(parents, y)) - 1
                    ]
                    for p, y in scenarios
                )

            assert found.value[0] == pytest.approx(min(map(priced, parents)), abs=1e-12)


def subsets(nodes):
    for bits in range(1 << len(nodes)):
        yield [v for i, v in enumerate(nodes) if bits >> i & 1]


def test_gie_is_the_least_of_all_sets_and_the_programme_agrees():
    for rng, parents, hierarchy, scenarios, distribution in cases(19, most=6):
        if rng.random() < 0.2:
            scenarios = [(p / 2, y) for p, y in scenarios] + [(Fraction(1, 2), [])]  # noqa: PLW2901
            distribution = distribution_of([scenarios], hierarchy)  # noqa: PLW2901
        dmax = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5)][int(rng.integers(4))]
        away = {(u, v): tree_distance(parents, u, v) for u in parents for v in parents}

        def value(s, scenarios=scenarios, away=away, dmax=dmax):
            return expected(scenarios, lambda y: gie(lambda u, v: away[u, v], s, y, dmax))  # noqa: B023

        best = min(map(value, subsets(list(parents))))
        found = decode_gie(distribution, float(dmax))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)
        assert value(sorted(names(found.sets, hierarchy))) == best
        if rng.random() < 0.2:
            assert decode_pairing(distribution, pair_measures.gie(float(dmax))).value[
                0
            ] == pytest.approx(float(best), abs=1e-7)
        may = rng.random(len(parents)) < 0.6
        allowed = [v for i, v in enumerate(hierarchy.names) if may[i]]
        best = min(map(value, subsets(allowed)))
        found = decode_gie(distribution, float(dmax), predictable=may)
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)
        assert names(found.sets, hierarchy) <= set(allowed)


@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_pairing_is_the_least_of_all_sets(dag, many):
    """GIE and the cost behind MGIA, scored by the library's own flows for every possible set."""
    from hierpair import score

    name = "fnerror" if many else "gie"
    for rng, parents, hierarchy, scenarios, distribution in cases(
        20, dag=dag, several=True, n=RANDOM // 4, most=4
    ):
        dmax = [1, 2, 5][int(rng.integers(3))]
        sets = list(subsets(list(parents)))
        truth = [y for _ in sets for _, y in scenarios]
        said = [s for s in sets for _ in scenarios]
        scored = score(hierarchy, truth, {"s": said}, f"{name}(default={dmax})").per_instance["s"][
            :, 0
        ]
        mean = scored.reshape(len(sets), -1) @ np.array([float(p) for p, _ in scenarios])
        rule = (pair_measures.fnerror if many else pair_measures.gie)(dmax)
        found = decode_pairing(distribution, rule)
        assert found.value[0] == pytest.approx(mean.min(), abs=1e-7)
        assert found.certificate.bound[0] == pytest.approx(mean.min(), abs=1e-6)
        got = sorted(names(found.sets, hierarchy))
        assert mean[sets.index([v for v in parents if v in got])] == pytest.approx(
            mean.min(), abs=1e-7
        )


def test_micro_hf_is_the_best_of_all_pairs_of_closed_sets():
    rng = np.random.default_rng(21)
    for _ in range(RANDOM):
        parents = random_parents(rng, int(rng.integers(2, 5)), dag=bool(rng.integers(2)))
        hierarchy = hierarchy_of(parents)
        rows = [random_scenarios(rng, parents, several=bool(rng.integers(2))) for _ in range(2)]
        beta = [Fraction(1, 2), Fraction(1), Fraction(2)][int(rng.integers(3))]
        b2 = beta**2
        full = [[(p, closed(parents, y, {0})) for p, y in row] for row in rows]
        true = sum(expected(row, len) for row in full)
        sets = list(closed_sets(parents, {0}))
        best = Fraction(0)
        for s in sets:
            for t in sets:
                both = expected(full[0], lambda y, s=s: len(s & y)) + expected(
                    full[1], lambda y, t=t: len(t & y)
                )
                below = len(s) + len(t) + b2 * true
                best = max(best, (1 + b2) * both / below if below else Fraction(0))
        found = decode_micro_hf(distribution_of(rows, hierarchy), float(beta))
        assert found.value[0] == pytest.approx(float(best), abs=1e-12)


# ----------------------------------------------------------------- what is wrong elsewhere


def chain(leaves):
    """A root with one branch per entry: (number of classes in a row, probability of its end)."""
    parents, distribution, n = {0: []}, [], 1
    for length, p in leaves:
        above = 0
        for _ in range(length):
            parents[n], above, n = [above], n, n + 1
        distribution.append((p, [above]))
    return parents, distribution


def test_pruning_by_the_depth_below_a_class_misses_the_optimum():
    """A class on a short branch: bounds that look only below it leave it out (root counted)."""
    parents, distribution = chain(
        [
            (1, Fraction(32, 100)),
            (4, Fraction(24, 100)),
            (4, Fraction(22, 100)),
            (4, Fraction(22, 100)),
        ]
    )
    hierarchy = hierarchy_of(parents)
    found = decode_hf(distribution_of([distribution], hierarchy), root="include")
    assert names(found.sets, hierarchy) == {0, 1}
    assert found.value[0] == pytest.approx(0.514, abs=1e-3)
    only_root = expected(
        [(p, closed(parents, y)) for p, y in distribution], lambda y: hf(frozenset({0}), y)
    )
    assert float(only_root) == pytest.approx(0.440, abs=1e-3)
    found = decode_hf(
        LabelDistribution.from_scenarios(
            [[(0.625, [3]), (0.375, [4])]], hierarchy_of({0: [], 1: [0], 2: [1], 3: [0], 4: [2]})
        ),
        0.5,
        root="include",
    )
    assert found.value[0] == pytest.approx(25 / 32)


def test_the_optimum_need_not_be_a_threshold_set():
    parents = {0: [], 1: [0], 2: [1], 3: [1], 4: [0]}
    hierarchy = hierarchy_of(parents)
    distribution = distribution_of(
        [[(Fraction(3, 10), [2]), (Fraction(9, 20), [3]), (Fraction(1, 4), [4])]], hierarchy
    )
    found = decode_hf(distribution)
    assert names(found.sets, hierarchy) == {1, 3, 4}
    assert found.value[0] == pytest.approx(0.605)
    full = [(Fraction(3, 10), {1, 2}), (Fraction(9, 20), {1, 3}), (Fraction(1, 4), {4})]
    best = max(
        threshold_values(distribution, lambda s: expected(full, lambda y: hf(s, frozenset(y))))
    )
    assert best == Fraction(3, 5)


# ----------------------------------------------------------------- batches, rules, refusals


def test_a_batch_gives_what_its_instances_give_alone(monkeypatch):
    from hierpair.probabilistic.decoding import by_class, by_size, pairings

    rng = np.random.default_rng(22)
    parents = random_parents(rng, 12)
    hierarchy = hierarchy_of(parents)
    distribution = LabelDistribution.from_leaves(
        rng.dirichlet(np.full(12, 0.4), 40), hierarchy, classes=list(parents)
    )
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    decoders = [
        decode_hf, decode_hp, decode_hr, decode_hamming, decode_h_loss, decode_distance,
        decode_gie, lambda distribution: decode_edge_cost(distribution, 2, 1), lambda distribution: decode_set_value(distribution, jaccard),
        lambda distribution: decode_most_probable(distribution, leaves, none=True),
        lambda distribution: decode_node_cost(distribution, hierarchy.pair_distances),
        lambda distribution: decode_depth_cost(distribution, lambda a, b, c: a + b - 2 * c),
    ]  # fmt: skip
    whole = [d(distribution) for d in decoders]
    for module in (by_class, by_size, pairings):
        monkeypatch.setattr(module, "CELLS", 30)
    for decoder, found in zip(decoders, whole, strict=True):
        small = decoder(distribution)
        assert small.value.tolist() == pytest.approx(found.value.tolist(), abs=1e-12)
        assert small.sets.indices.tolist() == found.sets.indices.tolist()
        for i in (0, 17, 39):
            alone = decoder(distribution.part(i, i + 1))
            assert alone.value[0] == pytest.approx(found.value[i], abs=1e-12)
            assert alone.sets.names_of(0, hierarchy) == found.sets.names_of(i, hierarchy)


def test_rules():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    distribution = LabelDistribution.from_leaves([[0.4, 0.35, 0.25]], tree, classes="bcd")
    assert names(apply_threshold(distribution), tree) == {"a"}
    assert names(apply_threshold(distribution, 0.35), tree) == {"a", "b"}
    assert names(apply_threshold(distribution, 0.35, reached=True), tree) == {"a", "b", "c"}
    assert names(walk_down(distribution), tree) == {"c"}
    assert names(walk_down(distribution, stop=0.5), tree) == {"a"}
    scores = NodeScores.from_array([[0.2, 0.4, 0.9, 0.1]], tree, classes="abcd")
    assert names(apply_threshold(scores), tree) == {"c"}
    assert names(apply_threshold(scores, closure="max"), tree) == {"a", "c"}
    assert names(apply_threshold(scores, closure="min"), tree) == set()


def test_level_accuracy_may_say_nothing():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    distribution = LabelDistribution.from_leaves([[0.6, 0.3, 0.1]], tree, classes="bcd")
    level = tree.index(["c", "d"])
    assert names(decode_most_probable(distribution, level).sets, tree) == {"c"}
    found = decode_most_probable(distribution, level, none=True)
    assert names(found.sets, tree) == set()
    assert found.value[0] == pytest.approx(0.6)


def test_what_cannot_be_decoded_is_refused():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    distribution = LabelDistribution.from_scenarios([[(1.0, ["c"])]], dag)
    for decoder in (decode_distance, decode_edge_cost, decode_h_loss, decode_gie):
        with pytest.raises(BadInput, match="this is a DAG"):
            decoder(distribution)
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    several = LabelDistribution.from_scenarios([[(1.0, ["a", "b"])]], tree)
    for decoder in (decode_distance, decode_gie):
        with pytest.raises(BadInput, match="several"):
            decoder(several)
    scores = NodeScores.from_array([[0.5, 0.5]], tree, classes="ab")
    rule = pair_measures.gie()
    for decoder in (decode_hf, decode_hp, decode_gie, lambda some: decode_pairing(some, rule)):
        with pytest.raises(BadInput, match="LabelDistribution"):
            decoder(scores)
    with pytest.raises(BadInput, match="beta"):
        decode_hf(several, -1)
    with pytest.raises(BadInput, match="beta"):
        decode_micro_hf(several, 0)
    with pytest.raises(BadInput, match=r"\b\d+ classes with a probability, fewer than size=3"):
        decode_hp(several, size=3)
    alone = LabelDistribution.from_scenarios([[(1.0, ["a"])]], Hierarchy.from_edges([("r", "a")]))
    with pytest.raises(BadInput, match="1 class with a probability, fewer than size=2"):
        decode_hp(alone, size=2)
    with pytest.raises(BadInput, match="default"):
        decode_pairing(several, pair_measures.gie(-1))
    with pytest.raises(BadInput, match="for a Rule, got int"):
        decode_pairing(several, 5)
