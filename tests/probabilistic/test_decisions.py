"""decode(distribution, measure) and expected(measure, distribution, prediction): for every registered measure."""

import itertools
import re
from functools import cache

import numpy as np
import pytest

from hierpair import (
    BadInput,
    CostMatrix,
    Hierarchy,
    HierpairError,
    Infeasible,
    LabelDistribution,
    NodeScores,
    decode,
    measure,
    score,
    set_measure,
)
from hierpair.measures import REGISTRY, measures_of
from hierpair.probabilistic import decode_node_cost, expected
from tests import effort
from tests.everything import OF_LEVELS
from tests.probabilistic.test_decoding import subsets
from tests.scenarios import distribution_of, hierarchy_of, random_parents, random_scenarios

TREE = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
FIG3 = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], TREE, classes=["2", "3", "4", "5"])
KINDS = {
    "tree": ({}, {}),
    "dag": ({"dag": True}, {}),
    "tree, several paths": ({}, {"several": True}),
    "dag, several paths": ({"dag": True}, {"several": True}),
}
VARIANTS = [
    *(name for name in measures_of("labels") if name != "level_accuracy"),
    "hf(beta=2, root=include)", "hf(augment=none)", "hf(beta=0)", "hp(zero_division=1)",
    "hr(augment=none)", "symmetric_difference(augment=none)", "hf(augment=pruned)", "gie(default=1)",
    "h_loss(costs=ones)", "h_loss(costs=subtree)", "depth_loss(normalise='max-path',w0=0.5)",
    "mean_cost(cost=decayed)", "tree_induced_error(cost=decayed)",
    "gie(max_distance=1)", "fnerror(default=1)", "f(zero_division=1)", "f(beta=2)",
    "shortest_path(tips=sum)", "hamming_loss(root=include)", "level_hamming(augment=none)",
]  # fmt: skip
EXACT_ON_TREES = {
    "hf", "hp", "hr", "symmetric_difference", "hamming_loss", "level_hamming", "subset_accuracy", "leaf_accuracy",
    "shortest_path", "tree_induced_error", "gie", "fnerror", "f", "hf(beta=2, root=include)",
    "hf(augment=none)", "gie(default=1)", "gie(max_distance=1)", "shortest_path(tips=sum)",
    "h_loss", "h_loss(costs=ones)", "h_loss(costs=subtree)", "depth_loss", "depth_accuracy",
    "depth_loss(normalise='max-path',w0=0.5)", "mean_cost", "total_cost", "mean_cost(cost=decayed)",
    "tree_induced_error(cost=decayed)",
}  # fmt: skip


def all_values(name, hierarchy, scenarios):
    """Expected value of every set of classes; NaN where the measure is not defined."""
    return values_of([name], hierarchy, scenarios)[name]


def chosen(name, hierarchy):
    """A measure with what it needs: weights of ICM are counted from annotations."""
    if not name.startswith("icm"):
        return measure(name)
    return measure(name).with_options(reference=[[c] for c in hierarchy.names])


UNCLEAR = re.compile(
    "does not say which is predicted|its predicted set has several classes of level|"
    "a class has many paths in a DAG|the fewest classes that stand for an answer are found on trees"
)
"""What confusion matrices and measures of paths do not take for a prediction."""


def values_of(measures, hierarchy, scenarios):
    """The same of measures that are defined for the same sets, by their names."""
    p = np.array([float(x) for x, _ in scenarios])
    truth = [y for _, y in scenarios]
    sets = list(subsets(list(hierarchy.names)))
    every = [chosen(name, hierarchy) for name in measures]

    def values(some):
        said = [s for s in some for _ in truth]
        found = score(hierarchy, truth * len(some), {"s": said}, every).per_instance["s"]
        return found.reshape(len(some), len(truth), len(measures))

    try:
        each = values(sets)
    except HierpairError:
        each = np.full((len(sets), len(truth), len(measures)), np.nan)
        for i, s in enumerate(sets):
            try:
                each[i] = values([s])[0]
            except Infeasible:
                continue
            except BadInput as error:
                if not UNCLEAR.search(str(error)):
                    raise
    found = {}
    for name, table in zip(measures, np.moveaxis(each, -1, 0), strict=True):
        known = ~np.isnan(table)
        mass = (known * p).sum(axis=1)
        total = (np.where(known, table, 0.0) * p).sum(axis=1)
        mean = np.divide(total, mass, out=np.full(len(sets), np.nan), where=mass > 0)
        found[name] = {frozenset(s): v for s, v in zip(sets, mean.tolist(), strict=True)}
    return found


def random_problems(kind, n, paths=False):
    """Hierarchies with scenarios: the same for every measure, or the path to the first label."""
    shape, content = KINDS[kind]
    rng = np.random.default_rng(41)
    for _ in range(n):
        parents = random_parents(rng, int(rng.integers(3, 6)), **shape)
        hierarchy = hierarchy_of(parents)
        scenarios = random_scenarios(rng, parents, **content)
        if paths:
            scenarios = [(p, path_to(hierarchy, parents, labels[:1])) for p, labels in scenarios]
        yield hierarchy, scenarios


def path_to(hierarchy, parents, label):
    """The classes of one path to a label, or none: a class of every level."""
    path = list(label)
    while path and parents[path[0]]:
        path.insert(0, max(parents[path[0]], key=lambda c: hierarchy.levels[hierarchy.position[c]]))
    return path


HCM = [name for name in REGISTRY if name.startswith("hcm_")]


@cache
def hcm_values(kind, i):
    """The values of nineteen formulas of the same counts in the i-th problem."""
    (*_, problem) = random_problems(kind, i + 1)
    return values_of(HCM, *problem)


SEARCHED = [name for name in VARIANTS if name in REGISTRY and name not in EXACT_ON_TREES]
"""Measures without a decoder of their own: the same search over all sets that may be best."""


def names_and_kinds():
    """All of them; measures that share the search take the kinds in turn in the quick run."""
    for name, (turn, kind) in itertools.product(VARIANTS, enumerate(KINDS)):
        rare = name in SEARCHED and (SEARCHED.index(name) + turn) % len(KINDS)
        yield pytest.param(name, kind, marks=pytest.mark.exhaustive if rare else ())


@pytest.mark.random_cases
@pytest.mark.parametrize(("name", "kind"), list(names_and_kinds()))
def test_no_set_is_better_where_the_decoder_says_so(name, kind):
    exact = 0
    n = 6 if effort.exhaustive else 2
    if name in SEARCHED:
        n = 2 if effort.exhaustive else 1
    for i, (hierarchy, scenarios) in enumerate(random_problems(kind, n, name in OF_LEVELS)):
        distribution = distribution_of([scenarios], hierarchy)
        values = (
            hcm_values(kind, i)[name] if name in HCM else all_values(name, hierarchy, scenarios)
        )
        try:
            found = decode(distribution, chosen(name, hierarchy))
        except HierpairError:
            assert np.isnan(list(values.values())).all()
            continue
        got = frozenset(found.sets.names_of(0, hierarchy))
        defined = [v for v in values.values() if not np.isnan(v)]
        if not defined:
            assert np.isnan(found.value[0])
            continue
        higher = REGISTRY[name.partition("(")[0]].direction == "higher"
        best = max(defined) if higher else min(defined)
        assert values[got] == pytest.approx(found.value[0], abs=1e-7), got
        assert found.direction == ("higher" if higher else "lower")
        bound = found.certificate.bound[0]
        if not np.isnan(bound):
            assert bound >= best - 1e-7 if higher else bound <= best + 1e-7
        if found.is_exact:
            exact += 1
            assert found.value[0] == pytest.approx(best, abs=1e-7), (got, found.certificate)
        else:
            assert found.value[0] <= best + 1e-9 if higher else found.value[0] >= best - 1e-9
    if kind == "tree" and name in EXACT_ON_TREES:
        assert exact == n


def test_classes_with_several_paths_are_left_out_for_the_confusion_matrix():
    """A label set does not say which of the paths is predicted, so what is above the class remains."""
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")])
    distribution = LabelDistribution.from_scenarios(
        [[(0.9, ["c"]), (0.1, ["d"])], [(0.9, ["d"]), (0.1, ["c"])]], dag
    )
    found = decode(distribution, "hcm_f")
    assert "c" not in found.sets.names_of(0, dag)
    assert "d" in found.sets.names_of(1, dag)
    assert expected(distribution, found, "hcm_f", average="samples").values == pytest.approx(
        found.value
    )
    with pytest.raises(BadInput, match="'c' has 2 paths from the root"):
        expected(distribution, [["c"], ["d"]], "hcm_f", average="samples")


def test_a_candidate_that_is_undefined_for_some_instances_serves_the_others():
    """Alone or in a batch, the decision is the same; sets of two classes have no such error."""
    distribution = LabelDistribution.from_leaves(
        [[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0.3, 0.3, 0.2, 0.2]], TREE, classes=list("2345"),
        ids=list("xyz"),
    )  # fmt: skip
    for name in ("tree_induced_error(max_distance=9)", "tree_induced_error(max_distance=2)"):
        found = decode(distribution, name)
        for i in range(3):
            alone = decode(distribution.part(i, i + 1), name)
            assert alone.sets.names_of(0, TREE) == found.sets.names_of(i, TREE)
            assert alone.value[0] == pytest.approx(found.value[i])
        assert expected(distribution, found, name).values == pytest.approx(found.value)
    mixed = LabelDistribution.from_scenarios(
        {"v": [(1.0, ["2"])], "w": [(0.5, ["3"]), (0.5, ["3", "4"])]}, TREE
    )
    with pytest.raises(Infeasible, match="instance 'w'"):
        decode(mixed, "tree_induced_error")


def test_costs_are_read_the_same_way_everywhere():
    """A row per predicted class, as in cost matrices: an array, a CostMatrix and the measure agree."""
    rng = np.random.default_rng(7)
    n = len(TREE)
    table = rng.integers(1, 9, (n, n)).astype(float)
    np.fill_diagonal(table, 0)
    costs = CostMatrix(table)
    by_array, by_cost = decode_node_cost(FIG3, table), decode_node_cost(FIG3, costs)
    by_measure = decode(FIG3, set_cost("mean_cost", costs))
    for found in (by_cost, by_measure):
        assert found.value.tolist() == by_array.value.tolist()
        assert found.sets.indices.tolist() == by_array.sets.indices.tolist()
        assert found.is_exact
    best = min(expected(FIG3, [[c]], set_cost("mean_cost", costs)).value for c in TREE.names)
    assert by_measure.value[0] == pytest.approx(best)
    two = LabelDistribution.from_leaves(
        [[0.25, 0.2, 0.2, 0.35], [1, 0, 0, 0]], TREE, classes=["2", "3", "4", "5"]
    )
    total = decode(two, set_cost("total_cost", costs))
    assert total.value.shape == (1,)
    assert total.value[0] == pytest.approx(best)  # the second instance costs nothing


def set_cost(name, cost):
    return measure(name).with_options(cost=cost)


def test_pooled_measures_without_a_decoder_say_so():
    assert not decode(FIG3, "contribution_f").is_pooled
    assert decode(FIG3, "lca_f").is_pooled


def test_incoherent_scores_are_named_where_repair_would_do():
    scores = NodeScores.from_array([[0.2, 0.9]], TREE, classes=["1", "3"])
    for name in ("symmetric_difference", "level_hamming", "hf(average=micro)"):
        with pytest.raises(BadInput, match="class '3' is more probable than its parent '1'"):
            decode(scores, name)
        assert decode(scores.closed("max"), name).is_exact
    with pytest.raises(BadInput, match="needs more than the probability of each class"):
        decode(scores, "hf")


@pytest.mark.random_cases
@pytest.mark.parametrize("absent_level", ["none-class", "skip"])
def test_levels_have_their_own_argmax(absent_level):
    rng = np.random.default_rng(42)
    for _ in range(effort.cases(50)):
        parents = random_parents(rng, int(rng.integers(3, 6)))
        hierarchy = hierarchy_of(parents)
        rows = [random_scenarios(rng, parents) for _ in range(2)]
        distribution = distribution_of(rows, hierarchy)
        name = f"level_accuracy(augment=none, absent_level={absent_level!r})"
        found = decode(distribution, name)
        assert found.is_exact
        if absent_level == "none-class":
            each = [
                max(all_values(name[:-1] + ", average=samples)", hierarchy, row).values())
                for row in rows
            ]
            assert found.value[0] == pytest.approx(np.mean(each), abs=1e-9)


def test_any_set_based_measure_of_a_user_is_decoded_exactly():
    @set_measure(formula="", source="", direction="higher", range="[0, 1]")
    def my_jaccard(n_true, n_pred, n_both):
        """Mine."""
        union = n_true + n_pred - n_both
        return np.where(union == 0, 1.0, n_both / np.maximum(union, 1))

    try:
        rng = np.random.default_rng(43)
        for several in (False, True):
            for _ in range(15):
                parents = random_parents(rng, 5)
                hierarchy = hierarchy_of(parents)
                scenarios = random_scenarios(rng, parents, several=several)
                found = decode(distribution_of([scenarios], hierarchy), "my_jaccard")
                assert found.is_exact
                best = max(all_values("my_jaccard", hierarchy, scenarios).values())
                assert found.value[0] == pytest.approx(best, abs=1e-9)
        assert decode(FIG3, "my_jaccard").value[0] == pytest.approx(29 / 60)
    finally:
        del REGISTRY["my_jaccard"]


@pytest.mark.exhaustive
def test_micro_is_decoded_over_the_data_set_and_drawn_when_expected():
    distribution = LabelDistribution.from_leaves(
        [[0.25, 0.2, 0.2, 0.35], [0.5, 0.25, 0.25, 0.0]], TREE, classes=["2", "3", "4", "5"]
    )
    found = decode(distribution, "hf", average="micro")
    assert found.is_exact
    assert found.value.shape == (1,)
    with pytest.raises(BadInput, match="give samples"):
        expected(distribution, found, "hf", average="micro")
    drawn = expected(distribution, found, "hf", average="micro", samples=400, seed=1)
    exact = 0.0
    rows = [range(*distribution.indptr[i : i + 2]) for i in range(2)]
    for j, k in itertools.product(*rows):
        truth = [distribution.sets.names_of(j, TREE), distribution.sets.names_of(k, TREE)]
        said = [found.sets.names_of(i, TREE) for i in range(2)]
        exact += (
            distribution.p[j]
            * distribution.p[k]
            * score(TREE, truth, said, ["hf(average=micro)"]).values[0, 0]
        )
    assert drawn.error > 0
    assert abs(drawn.value - exact) < 4.5 * drawn.error
    assert abs(exact - found.value[0]) < 0.05  # the ratio of expectations is another number


def test_samples_approach_the_enumeration():
    rng = np.random.default_rng(44)
    distribution = LabelDistribution.from_leaves(
        rng.dirichlet(np.ones(4), 30), TREE, classes=["2", "3", "4", "5"]
    )
    said = decode(distribution, "hf")
    exact = expected(distribution, said, "hf")
    assert exact.values.tolist() == pytest.approx(said.value.tolist())
    assert exact.error == 0
    drawn = expected(distribution, said, "hf", samples=500, seed=3)
    assert (np.abs(drawn.values - exact.values) < 5 * drawn.errors + 1e-12).all()
    assert abs(drawn.value - exact.value) < 4.5 * drawn.error
    again = expected(distribution, said, "hf", samples=500, seed=3)
    assert again.values.tolist() == drawn.values.tolist()
    spread = np.std(
        [expected(distribution, said, "hf", samples=50, seed=s).value for s in range(60)], ddof=1
    )
    assert spread == pytest.approx(
        expected(distribution, said, "hf", samples=50, seed=0).error, rel=0.35
    )


def test_the_standard_error_of_two_draws_is_half_their_difference():
    rows = {f"i{k}": [(0.5, ["3"]), (0.5, ["4"])] for k in range(20)}
    distribution = LabelDistribution.from_scenarios(rows, TREE)
    said = {name: ["3"] for name in rows}
    drawn = expected(distribution, said, "subset_accuracy", samples=2)
    assert set(drawn.values) == {0, 0.5, 1}
    assert drawn.errors == pytest.approx(np.where(drawn.values == 0.5, 0.5, 0))
    assert drawn.error == pytest.approx(np.sqrt((drawn.errors**2).sum()) / 20)


def test_what_is_undefined_is_left_out_and_named():
    distribution = LabelDistribution.from_scenarios(
        {"x": [(0.5, ["3"]), (0.5, ["1"])], "y": [(1.0, ["1"])]}, TREE
    )
    found = expected(distribution, {"y": ["3"], "x": ["3"]}, "leaf_accuracy")
    assert found.values[0] == 1.0
    assert np.isnan(found.values[1])
    assert found.value == 1.0
    with pytest.raises(Infeasible, match="instance 'y'"):
        expected(distribution, {"x": ["3"], "y": ["3", "4"]}, "tree_induced_error")
    with pytest.raises(BadInput, match="no prediction"):
        expected(distribution, {"x": ["3"]}, "hf")
    with pytest.raises(BadInput, match="samples must be"):
        expected(distribution, [["3"], ["1"]], "hf", samples=1)
    with pytest.raises(BadInput, match="need a LabelDistribution"):
        expected(distribution.marginals(), [["3"], ["1"]], "hf")


def test_scores_are_enough_where_only_classes_matter():
    scores = NodeScores.from_array([[0.6, 0.7, 0.8, 0.1, 0.1]], TREE, classes=list("12345"))
    assert decode(scores, "hamming_loss").sets.names_of(0, TREE) == ["1", "2", "3"]
    assert decode(FIG3.marginals(), "shortest_path").sets.names_of(0, TREE) == ["1"]
    with pytest.raises(BadInput, match="hf needs more than the probability of each class"):
        decode(scores, "hf")
    with pytest.raises(BadInput, match="adds up to"):  # 1 and 2 exclude each other on a path
        decode(scores.closed("min"), "shortest_path")
    odd = NodeScores.from_array([[0.3, 0.2, 0.9]], TREE, classes=list("123"))
    for name in ("shortest_path", "hf(average=micro)", "symmetric_difference", "level_hamming"):
        with pytest.raises(BadInput):  # children above their parents: which set is meant?
            decode(odd, name)
    with pytest.raises(BadInput, match="expected a LabelDistribution"):
        decode([[0.5]], "hf")
    with pytest.raises(BadInput, match="there is no measure 'hff'"):
        decode(FIG3, "hff")


@pytest.mark.exhaustive
def test_ids_go_through():
    distribution = LabelDistribution.from_leaves(
        [[0.25, 0.2, 0.2, 0.35]], TREE, classes=["2", "3", "4", "5"], ids=["x"]
    )
    for name in {*EXACT_ON_TREES, *SEARCHED[::10]} - {*OF_LEVELS}:
        assert decode(distribution, chosen(name, TREE)).sets.ids == ("x",), name


@pytest.mark.parametrize("name", VARIANTS)
def test_no_instance_is_no_trouble(name):
    none = LabelDistribution.from_leaves(np.zeros((0, 4)), TREE)
    m = chosen(name, TREE)
    found = decode(none, m)
    assert len(found) == 0
    if "samples" in m.definition.averages:
        alone = m.with_options(average="samples")
        assert len(expected(none, found, alone).values) == 0
    assert len(decode(none, "level_accuracy(augment=none)")) == 0


# ----------------------------------------------------------------- one class, or a path

ONE_CLASS = [
    "hf", "hf(beta=2, root=include)", "f", "gie(default=2)", "shortest_path", "lca_f", "leaf_accuracy",
    "hcm_f", "subset_accuracy", "symmetric_difference",
]  # fmt: skip


@pytest.mark.random_cases
@pytest.mark.parametrize("labels", ["one", "path"])
@pytest.mark.parametrize("name", ONE_CLASS)
def test_the_best_of_all_classes_and_of_all_paths(name, labels):
    rng = np.random.default_rng(45)
    for _ in range(effort.cases(6)):
        parents = random_parents(rng, int(rng.integers(3, 7)))
        hierarchy = hierarchy_of(parents)
        rows = [random_scenarios(rng, parents) for _ in range(3)]
        distribution = distribution_of(rows, hierarchy)
        found = decode(distribution, name, labels=labels)
        forms = {}
        for c in hierarchy.names:
            above = [a for a in hierarchy.ancestors(c) if a not in hierarchy.roots]
            forms[c] = [c] if labels == "one" else sorted([*above, c])
        alone = {"average": "samples"} if name == "hcm_f" else {}
        worth = {
            c: expected(distribution, [said] * 3, name, **alone).values for c, said in forms.items()
        }
        best = np.nanmax if REGISTRY[name.partition("(")[0]].direction == "higher" else np.nanmin
        for i in range(3):
            said = found.sets.names_of(i, hierarchy)
            each = [values[i] for values in worth.values()]
            if np.isnan(each).all():
                assert np.isnan(found.value[i])
                continue
            assert sorted(said) in [sorted(form) for form in forms.values()]
            assert found.value[i] == pytest.approx(best(each), abs=1e-12)
        assert found.is_exact == (name != "hcm_f")
        assert found.note == ""


def test_what_is_best_may_have_several_classes_and_says_so():
    best = decode(FIG3, "hf")
    assert best.sets.names_of(0, TREE) == ["1", "2", "5"]
    assert best.note.startswith("1 of 1 prediction with several most specific classes")
    assert decode(FIG3, "shortest_path").note == ""
    several = LabelDistribution.from_scenarios([[(1.0, ["2", "3"])]], TREE)
    assert decode(several, "hf").note == ""  # several labels are true
    one = decode(FIG3, "hf", labels="one")
    assert one.certificate.method == "best of 6 classes"
    assert one.sets.names_of(0, TREE) == ["5"]
    assert one.value[0] == decode(FIG3, "hf", labels="path").value[0]
    total = decode(FIG3, "hf(average=micro)", labels="one")
    assert not total.is_exact
    assert not total.is_pooled
    with pytest.raises(BadInput, match="labels must be 'any', 'one' or 'path', got 'two'"):
        decode(FIG3, "hf", labels="two")
    with pytest.raises(BadInput, match="labels='one' needs a LabelDistribution, got NodeScores"):
        decode(
            NodeScores.from_array([[0.9, 0.9]], TREE, classes="12"),
            "symmetric_difference",
            labels="one",
        )


def test_a_class_that_cannot_be_valued_is_named_with_its_instance():
    rows = {"x": [(1.0, ["3"])], "y": [(0.5, ["3"]), (0.5, ["2", "4"])]}
    mixed = LabelDistribution.from_scenarios(rows, TREE)
    with pytest.raises(Infeasible, match="instance 'y'"):
        decode(mixed, "tree_induced_error", labels="one")
