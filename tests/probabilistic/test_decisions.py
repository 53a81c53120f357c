"""decode() and expected() for every registered measure, and decoders declared outside."""

import itertools
import re
from functools import cache

import numpy as np
import pytest

import hierpair as hp
from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    LabelDistribution,
    SolverLimit,
    decode,
    pairing,
)
from hierpair.cli.main import main
from hierpair.measures import REGISTRY, measure, measures_of
from hierpair.pairing import Cardinality, Degree, Forbid, Hops, Require, Rule, Unmatched
from hierpair.probabilistic import (
    decode_hf,
    decode_pairing,
    decode_set_value,
    decoder,
    expected,
)
from hierpair.probabilistic.decoding import DECODERS
from tests import effort
from tests.everything import OF_LEVELS
from tests.probabilistic.test_decoding import subsets
from tests.scenarios import distribution_of, hierarchy_of, random_parents, random_scenarios

TREE = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])


def law_of(*rows, **how):
    """Instances with probabilities of the leaves."""
    return LabelDistribution.from_leaves(rows, TREE, classes=list("2345"), **how)


FIG3 = law_of([0.25, 0.2, 0.2, 0.35])

KINDS = {
    "tree": ({}, {}),
    "forest": ({"forest": True}, {}),
    "dag": ({"dag": True}, {}),
    "tree, several paths": ({}, {"several": True}),
    "dag, several paths": ({"dag": True}, {"several": True}),
}

EXACT_ON_TREES = [
    "hf", "hp", "hr", "symmetric_difference", "hamming_loss", "level_hamming", "subset_accuracy", "leaf_accuracy",
    "shortest_path", "tree_induced_error", "gie", "fnerror", "f", "hf(beta=2, root=include)",
    "hf(augment=none)", "gie(default=1)", "gie(max_distance=1)", "shortest_path(tips=sum)",
    "h_loss", "h_loss(costs=ones)", "h_loss(costs=subtree)", "depth_loss", "depth_accuracy",
    "depth_loss(normalise='max-path',w0=0.5)", "mean_cost", "total_cost", "mean_cost(cost=decayed)",
    "tree_induced_error(cost=decayed)", "hf(beta=0.5)",
]  # fmt: skip
WEIGHTED = [f"weighted {name}" for name in (
    "hf", "hf(beta=2)", "hf(beta=0,zero_division=1)", "hp", "hp(zero_division=1)", "hr", "hr(zero_division=1)", "simgic",
    "ru", "mi", "symmetric_difference",
)]  # fmt: skip
"""Exact everywhere: class by class, or searched for."""

VARIANTS = list(dict.fromkeys([
    *(name for name in measures_of("labels") if name != "level_accuracy"), *EXACT_ON_TREES,
    "hf(beta=0)", "hp(zero_division=1)", "hr(augment=none)", "symmetric_difference(augment=none)",
    "hf(augment=pruned)", "fnerror(default=1)", "f(zero_division=1)", "f(beta=2)",
    "hamming_loss(root=include)", "level_hamming(augment=none)", "hf(threshold=2)", "hr(zero_division=nan)", *WEIGHTED,
]))  # fmt: skip


def chosen(name, hierarchy):
    """A measure with what it needs: weights of ICM are counted from annotations."""
    how = {"reference": [[c] for c in hierarchy.names]} if name.startswith("icm") else {}
    if name in WEIGHTED:
        weights = np.random.default_rng(len(hierarchy)).choice([0, 0.3, 1, 2.5], len(hierarchy))
        how = {"weights": dict(zip(hierarchy.names, weights, strict=True)), "root": "include"}
    return measure(name.removeprefix("weighted ")).with_options(**how)


UNCLEAR = re.compile(
    "does not say which is predicted|its predicted set has several classes of level|"
    "a class has many paths in a DAG|the fewest classes that stand for an answer are found on trees"
)
"""What confusion matrices and measures of paths do not take for a prediction."""


def values_of(measures, hierarchy, scenarios):
    """By name of measures: the expected value of every set of classes; NaN where it is not defined."""
    p = np.array([float(x) for x, _ in scenarios])
    truth = [y for _, y in scenarios]
    sets = list(subsets(list(hierarchy.names)))
    every = [chosen(name, hierarchy) for name in measures]

    def values(some):
        said = [s for s in some for _ in truth]
        found = hp.score(hierarchy, truth * len(some), {"s": said}, every).per_instance["s"]
        return found.reshape(len(some), len(truth), len(measures))

    try:
        each = values(sets)
    except hp.HierpairError:
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
    while path and (above := parents[path[0]]):
        path.insert(0, max(above, key=lambda c: hierarchy.levels[hierarchy.position[c]]))
    return path


HCM = [name for name in REGISTRY if name.startswith("hcm_")]


@cache
def hcm_values(kind, i):
    """The values of nineteen formulas of the same counts in the i-th problem."""
    (*_, problem) = random_problems(kind, i + 1)
    return values_of(HCM, *problem)


SEARCHED = [name for name in VARIANTS if name in REGISTRY and name not in EXACT_ON_TREES]
"""Measures without a decoder of their own: the same search over all sets that may be best."""


OF_ONE_ROOT = "hcm_"
"""Of these a prediction is undefined that has another root than the truth, which few have not."""


def names_and_kinds():
    """All of them; measures that share the search take the kinds in turn in the quick run."""
    for name, (turn, kind) in itertools.product(VARIANTS, enumerate(KINDS)):
        if kind == "forest" and name.startswith(OF_ONE_ROOT):
            continue
        rare = name in SEARCHED and (SEARCHED.index(name) + turn) % len(KINDS)
        yield pytest.param(name, kind, marks=pytest.mark.exhaustive if rare else ())


@pytest.mark.random_cases
@pytest.mark.parametrize(("name", "kind"), list(names_and_kinds()))
def test_no_set_is_better_where_the_decoder_says_so(name, kind):
    exact, more = 0, effort.exhaustive
    n = 1 + more if name in SEARCHED else 6 if more else 1 + (kind == "tree")
    for i, (hierarchy, scenarios) in enumerate(random_problems(kind, n, name in OF_LEVELS)):
        distribution = distribution_of([scenarios], hierarchy)
        every = hcm_values(kind, i) if name in HCM else values_of([name], hierarchy, scenarios)
        values, m = every[name], chosen(name, hierarchy)
        try:
            found = decode(distribution, m)
        except hp.HierpairError:
            assert np.isnan(list(values.values())).all()
            continue
        got = frozenset(found.sets.names_of(0, hierarchy))
        defined = [v for v in values.values() if not np.isnan(v)]
        if not defined:
            assert np.isnan(found.value[0])
            continue
        if "samples" in m.definition.averages:
            worth = expected(distribution, found, m.with_options(average="samples"))
            assert worth.values[0] == worth.value == pytest.approx(values[got], abs=1e-9)
            assert worth.error == 0
        higher = m.definition.direction == "higher"
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
    if name in WEIGHTED or (kind == "tree" and name in EXACT_ON_TREES):
        assert exact == n


ONE_CLASS = [
    "hf", "hf(beta=2, root=include)", "f", "gie(default=2)", "shortest_path", "lca_f", "leaf_accuracy",
    "hcm_f", "subset_accuracy", "symmetric_difference",
]  # fmt: skip


@pytest.mark.random_cases
@pytest.mark.parametrize("labels", ["one", "path"])
@pytest.mark.parametrize("name", ONE_CLASS)
def test_the_best_of_all_classes_and_of_all_paths(name, labels):
    rng = np.random.default_rng(45)
    for _ in range(6 if effort.exhaustive else 2):
        parents = random_parents(rng, int(rng.integers(3, 7)))
        hierarchy = hierarchy_of(parents)
        rows = [random_scenarios(rng, parents) for _ in range(3)]
        distribution = distribution_of(rows, hierarchy)
        found = decode(distribution, name, labels=labels)
        forms = [{c} for c in hierarchy.names]
        if labels == "path":
            forms = [
                {c, *hierarchy.ancestors(c)} - ({*hierarchy.roots} - {c}) for c in hierarchy.names
            ]
        m = measure(name, **({"average": "samples"} if name == "hcm_f" else {}))
        worth = np.array([expected(distribution, [form] * 3, m).values for form in forms])
        best = np.nanmax if m.definition.direction == "higher" else np.nanmin
        for i, each in enumerate(worth.T):
            if np.isnan(each).all():
                assert np.isnan(found.value[i])
                continue
            assert {*found.sets.names_of(i, hierarchy)} in forms
            assert found.value[i] == pytest.approx(best(each), abs=1e-12)
        assert found.is_exact == (name != "hcm_f")
        assert found.note == ""


@pytest.mark.random_cases
@pytest.mark.parametrize("absent_level", ["none-class", "skip"])
def test_levels_have_their_own_argmax(absent_level):
    name = f"level_accuracy(augment=none, absent_level={absent_level!r})"
    rng = np.random.default_rng(42)
    for _ in range(effort.cases(50)):
        parents = random_parents(rng, int(rng.integers(3, 6)))
        hierarchy = hierarchy_of(parents)
        rows = [random_scenarios(rng, parents) for _ in range(2)]
        found = decode(distribution_of(rows, hierarchy), name)
        assert found.is_exact
        if absent_level == "none-class":
            alone = name[:-1] + ", average=samples)"
            each = [max(values_of([alone], hierarchy, row)[alone].values()) for row in rows]
            assert found.value[0] == pytest.approx(np.mean(each), abs=1e-9)


# ------------------------------------------------------------------------ what is decided


def test_an_option_of_a_measure_may_have_the_name_of_that_of_a_rule():
    one, other = decode(FIG3, "mgia", threshold=2), decode(FIG3, "mgia(threshold=2)")
    assert one.value.tolist() == other.value.tolist() != decode(FIG3, "mgia").value.tolist()


def test_where_nothing_can_go_wrong_the_severity_of_mistakes_is_not_defined():
    law = LabelDistribution.from_scenarios([[(1.0, ["3"])], [(0.5, ["3"]), (0.5, ["2"])]], TREE)
    assert np.isnan(decode(law, "mistake_severity").value).tolist() == [True, False]


def test_classes_with_several_paths_are_left_out_for_the_confusion_matrix():
    """A label set does not say which of the paths is predicted, so what is above the class remains."""
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")])
    rows = [[(p, ["c"]), (1 - p, ["d"])] for p in (0.9, 0.1)]
    law = LabelDistribution.from_scenarios(rows, dag)
    found = decode(law, "hcm_f")
    assert "c" not in found.sets.names_of(0, dag)
    assert "d" in found.sets.names_of(1, dag)
    for labels in ("one", "path"):
        assert found.value == pytest.approx(decode(law, "hcm_f", labels=labels).value)
    worth = expected(law, found, "hcm_f", average="samples")
    assert worth.values == pytest.approx(found.value)
    with pytest.raises(BadInput, match="'c' has 2 paths from the root"):
        expected(law, [["c"], ["d"]], "hcm_f", average="samples")


def test_a_candidate_that_is_undefined_for_some_instances_serves_the_others():
    """Alone or in a batch, the decision is the same; sets of two classes have no such error."""
    law = law_of([0.5, 0.5, 0, 0], [1, 0, 0, 0], [0.3, 0.3, 0.2, 0.2])
    for name in ("tree_induced_error(max_distance=9)", "tree_induced_error(max_distance=2)"):
        found = decode(law, name)
        for i in range(3):
            alone = decode(law.part(i, i + 1), name)
            assert alone.sets.names_of(0, TREE) == found.sets.names_of(i, TREE)
            assert alone.value[0] == pytest.approx(found.value[i])
        assert expected(law, found, name).values == pytest.approx(found.value)


def test_a_prediction_is_worth_what_it_is_without_amounts_and_where_nothing_may_be_true():
    sets = hp.LabelSets.from_amounts([{"3": 3, "4": 1}, {"2": 1, "3": 5}], TREE)
    law = LabelDistribution.from_sets(TREE, [0, 2], np.array([0.7, 0.3]), sets)
    nothing = LabelDistribution.from_scenarios([[(0.5, ["3"]), (0.5, [])]], TREE)
    for name in ("count_f", "weighted_unifrac", "bray_curtis", "f"):
        of = nothing if name == "f" else law
        found = decode(of, name)
        assert expected(of, found, name).values == pytest.approx(found.value)


@pytest.mark.parametrize("name", [*dict.fromkeys({chosen(n, TREE).definition.family: n for n in VARIANTS}.values()),
                                  "level_accuracy(augment=none)", "hf(average=micro)"])  # fmt: skip
def test_no_instance_is_no_trouble_and_ids_go_through(name):
    none, m = LabelDistribution.from_leaves(np.zeros((0, 4)), TREE), chosen(name, TREE)
    found = decode(none, m)
    assert len(found) == 0
    if "samples" in m.definition.averages:
        assert len(expected(none, found, m.with_options(average="samples")).values) == 0
    if name not in OF_LEVELS:
        assert decode(law_of([0.25, 0.2, 0.2, 0.35], ids=["x"]), m).sets.ids == ("x",)


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
    assert (total.is_exact, total.is_pooled) == (False, False)


# ------------------------------------------------------------------------- expectations


def test_micro_is_decoded_over_the_data_set_and_drawn_when_expected():
    law = law_of([0.25, 0.2, 0.2, 0.35], [0.5, 0.25, 0.25, 0.0])
    found = decode(law, "hf", average="micro")
    assert found.is_exact
    assert found.value.shape == (1,)
    with pytest.raises(BadInput, match="give samples"):
        expected(law, found, "hf", average="micro")
    drawn = expected(law, found, "hf", average="micro", samples=400, seed=1)
    exact, said = 0.0, [found.sets.names_of(i, TREE) for i in range(2)]
    for rows in itertools.product(*(range(*law.indptr[i : i + 2]) for i in range(2))):
        truth = [law.sets.names_of(j, TREE) for j in rows]
        value = hp.score(TREE, truth, said, ["hf(average=micro)"]).values[0, 0]
        exact += law.p[list(rows)].prod() * value
    assert 0 < abs(drawn.value - exact) < 4.5 * drawn.error
    assert abs(exact - found.value[0]) < 0.05  # the ratio of expectations is another number


def test_samples_approach_the_enumeration():
    law = law_of(*np.random.default_rng(44).dirichlet(np.ones(4), 30))
    said = decode(law, "hf")
    exact = expected(law, said, "hf")
    assert exact.values.tolist() == pytest.approx(said.value.tolist())
    assert exact.error == 0
    drawn, again = (expected(law, said, "hf", samples=500, seed=3) for _ in range(2))
    assert (np.abs(drawn.values - exact.values) < 5 * drawn.errors + 1e-12).all()
    assert abs(drawn.value - exact.value) < 4.5 * drawn.error
    assert again.values.tolist() == drawn.values.tolist()
    every = [expected(law, said, "hf", samples=50, seed=s) for s in range(60)]
    spread = np.std([one.value for one in every], ddof=1)
    assert spread == pytest.approx(every[0].error, rel=0.35)


def test_the_standard_error_of_two_draws_is_half_their_difference():
    law = LabelDistribution.from_scenarios([[(0.5, ["3"]), (0.5, ["4"])]] * 20, TREE)
    drawn = expected(law, [["3"]] * 20, "subset_accuracy", samples=2)
    assert set(drawn.values) == {0, 0.5, 1}
    assert drawn.errors == pytest.approx(np.where(drawn.values == 0.5, 0.5, 0))
    assert drawn.error == pytest.approx(np.sqrt((drawn.errors**2).sum()) / 20)


def test_what_is_undefined_is_left_out_and_named():
    """A truth without a leaf has no accuracy at the leaves; also where truths are drawn."""
    rows = {"x": [(0.5, ["3"]), (0.5, ["1"])], "y": [(1.0, ["1"])]}
    law = LabelDistribution.from_scenarios(rows, TREE)
    for law_, said in ((law, {"y": ["3"], "x": ["3"]}), (law.part(0, 1), {"x": ["3"]})):
        for how in ({}, {"samples": 50, "seed": 1}):
            found = expected(law_, said, "leaf_accuracy", **how)
            assert found.values.tolist() == pytest.approx([1, np.nan][: len(said)], nan_ok=True)
            assert (found.value, found.error) == (1.0, 0.0)


# --------------------------------------------------------------- refusals, and what suffices


def test_scores_are_enough_where_only_classes_matter():
    scores = hp.NodeScores.from_array([[0.6, 0.7, 0.8, 0.1, 0.1]], TREE, classes=list("12345"))
    assert decode(scores, "hamming_loss").sets.names_of(0, TREE) == ["1", "2", "3"]
    assert decode(FIG3.marginals(), "shortest_path").sets.names_of(0, TREE) == ["1"]
    assert decode(ODD.closed("max"), "symmetric_difference").is_exact
    for name in ("symmetric_difference", "level_hamming", "hf(average=micro)"):
        with pytest.raises(BadInput, match="class '3' is more probable than its parent '1'"):
            decode(ODD, name)


ODD = hp.NodeScores.from_array([[0.2, 0.9]], TREE, classes=["1", "3"])
EXCLUSIVE = hp.NodeScores.from_array([[0.6, 0.7]], TREE, classes=["1", "2"])
SOME = LabelDistribution.from_scenarios(
    {"x": [(1.0, ["3"])], "y": [(0.5, ["3"]), (0.5, ["2", "4"])]}, TREE
)
NEEDED = "needs? (more than the probability of each class|a LabelDistribution)"


@pytest.mark.parametrize(("call", "message"), [
    (lambda: decode(ODD, "hf"), NEEDED),
    (lambda: decode(ODD, "symmetric_difference", labels="one"), "labels='one' needs a LabelDistribution"),
    (lambda: decode(EXCLUSIVE, "shortest_path"), "adds up to"),
    (lambda: decode([[0.5]], "hf"), "expected a LabelDistribution"),
    (lambda: decode(FIG3, "hff"), "there is no measure 'hff'"),
    (lambda: decode(FIG3, "hf", labels="two"), "labels must be one of any, one, path, got 'two'"),
    *((lambda how=how: decode(FIG3, rule="climb", **how), "a rule has a threshold")
      for how in ({"labels": "path"}, {"samples": 5}, {"limit": 5}, {"root": "include"})),
    (lambda: decode(FIG3, "hf", samples=1), "samples must be"),
    (lambda: decode(FIG3, "hf", threshold=0.5), "threshold must be an even whole number"),
    *((lambda bad=bad: decode(FIG3, "hf", limit=bad), "limit must be a number of seconds > 0 or None") for bad in (0, "5")),
    *((lambda how=how: decode(SOME, "tree_induced_error", labels=how), "instance 'y'") for how in ("any", "one")),
    (lambda: expected(SOME, {"x": ["3"], "y": ["3"]}, "tree_induced_error"), "instance 'y'"),
    (lambda: expected(SOME, {"x": ["3"]}, "hf"), "no prediction"),
    (lambda: expected(SOME, [["3"], ["1"]], "hf", samples=1), "samples must be"),
    (lambda: expected(SOME.marginals(), [["3"], ["1"]], "hf"), NEEDED),
])  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises((BadInput, Infeasible), match=message):
        call()


def test_a_program_that_is_not_solved_in_time_says_so():
    several = LabelDistribution.from_scenarios([[(0.5, ["3", "2"]), (0.5, ["4"])]], TREE)
    with pytest.raises(SolverLimit, match=r"was not solved \(Time limit"):
        decode_set_value(several, lambda k, a, s: s / np.maximum(1, k + a - s), limit=1e-9)


# ------------------------------------------------------------------------ declared outside


@pytest.fixture
def declared():
    """Whatever is declared in a test is gone after it."""
    before = list(DECODERS)
    yield DECODERS
    DECODERS[:] = before


def test_a_decoder_from_outside_is_found_for_its_tasks_alone(declared):
    seen = []

    @decoder(lambda task: task.formula == "hf" and task.options["beta"] == 2)
    def mine(task):
        seen.append(task.measure.name)
        return decode_hf(task.full, 2) if task.options["root"] == "include" else None

    decode(FIG3, "hf")
    assert seen == []
    assert decode(FIG3, "hf(beta=2)").is_exact  # mine gives up, and the library's own is asked
    best = decode(FIG3, "hf(beta=2, root=include)")
    assert seen == ["hf(beta=2)", "hf(beta=2, root='include')"]
    assert best.value.tolist() == decode_hf(FIG3, 2).value.tolist()
    weights = dict.fromkeys(TREE.names, 2.0) | {"2": 5}  # decoders that count are not asked here
    decoder(lambda task: task.formula == "simgic")(lambda task: pytest.fail("was asked"))
    decode(FIG3, "simgic", weights=weights)


MEASURE = """
from hierpair import set_measure
from hierpair.probabilistic import decode_hamming, decoder

@set_measure(formula="both sides but what they share", source="ours", direction="lower", range="[0, ∞)")
def apart(n_true, n_pred, n_both):
    return n_true + n_pred - 2 * n_both
"""
DECODER = """
@decoder(lambda task: task.formula == "apart" and task.options["root"] == "exclude")
def class_by_class(task):
    return decode_hamming(task.distribution)
"""


def test_the_command_decodes_a_measure_of_a_plugin_by_its_decoder(declared, tmp_path, capsys):
    """Which is asked for its tasks alone; else the library's own decide."""
    tree, law, own = (tmp_path / name for name in ("tree.tsv", "p.tsv", "own.py"))
    tree.write_text("r\ta\nr\tb\na\tc\na\td\n")
    law.write_text("x\tb\t0.25\nx\tc\t0.45\nx\td\t0.3\n")
    line, library = (
        ["decode", str(tree), str(law), "-m", "apart", "--plugin", str(own)],
        [*declared],
    )
    for code, more, labels, method in (
        (MEASURE, [], "a", "knapsack"), (MEASURE + DECODER, [], "a", "more than one half (exact)"),
        (MEASURE + DECODER, ["--set", "root=include"], "r|a", "knapsack"),
    ):  # fmt: skip
        own.write_text(code, "utf-8")
        assert main([*line, *more]) == 0
        said = capsys.readouterr()
        assert said.out == f"id\tlabels\nx\t{labels}\n"
        assert said.err.startswith(f"expected apart ↓ 1.2500; {method}")
        declared[:] = library
        del REGISTRY["apart"]


# ---------------------------------------------------------------------------- any rule


def by_listing(rule, hierarchy, law):
    """The least expected cost of all sets that have a pairing in every scenario."""
    for some in subsets(list(hierarchy.names)):
        said = hp.LabelSets.from_labels([some] * len(law.p), hierarchy)
        problem = pairing.formulate(rule, pairing.Pairs.between(hierarchy, law.sets, said))
        cost = law.p @ pairing.solve_pairing(problem, on_infeasible="nan").cost
        yield np.inf if np.isnan(cost) else cost


def both(lower, upper, cost):
    sides = ("predicted", "true")
    return (*(Degree(s, lower, upper) for s in sides), *(Unmatched(s, cost) for s in sides))


SAME = lambda p: p.predicted == p.true  # noqa: E731

RULES = {
    "one to one": both(1, 1, 2),
    "two partners wanted": both(2, 3, 1.5),
    "at least one true partner": (Degree("predicted", 1, 1), Degree("true", 1, 2), Unmatched("true", 3)),
    "at most one pair": (*both(1, 1, 2), Cardinality(0, 1)),
    "at least one pair": (*both(1, 2, 4), Cardinality(1, None)),
    "near pairs": (*both(1, None, 3), pairing.MaxDistance(1)),
    "not the same": (*both(1, 1, 3), Forbid(SAME)),
    "the same": (*both(1, 2, 3), Require(SAME)),
    "by name": (*both(1, 1, 2), Degree("true", 1, 1, where=(1,))),
    "a cost of each class": (
        Degree("predicted", 1, 1), Degree("true", 1, 1),
        Unmatched("predicted", lambda labels: 1.0 + labels.classes),
        Unmatched("true", lambda labels: 4.0 / (1 + labels.classes)),
    ),
}  # fmt: skip


@pytest.mark.random_cases
@pytest.mark.parametrize("name", RULES)
def test_no_set_costs_less_under_any_rule(name):
    rule, rng = Rule(Hops(), RULES[name]), np.random.default_rng(61)
    for k in range(1, 7 if effort.exhaustive else 3):
        parents = random_parents(rng, 4, dag=bool(k % 2))
        hierarchy = hierarchy_of(parents)
        law = distribution_of([random_scenarios(rng, parents, several=bool(k % 3))], hierarchy)
        least = min(by_listing(rule, hierarchy, law))
        if np.isinf(least):  # such as a pair wanted where nothing may be true
            with pytest.raises(Infeasible, match="no prediction has a pairing in every scenario"):
                decode_pairing(law, rule)
            continue
        best = decode_pairing(law, rule)
        assert best.is_exact
        assert best.value[0] == pytest.approx(least, abs=1e-7)
        assert best.certificate.bound[0] == pytest.approx(least, abs=1e-6)


def crowded(pairs):
    """Alone the last class costs what it costs among all; between two it costs more."""
    n_predicted = np.diff(pairs.predicted_labels.ptr)[pairs.instance]
    return pairs.distance + 0.25 * ((n_predicted > 1) & (n_predicted < 6))


ONE = both(1, 1, 2)
NOT_EXPRESSED = {
    "groups": Rule(Hops(), (*ONE, pairing.Groups("predicted", pairing.by_level, 1))),
    "lexicographic": Rule(pairing.Lexicographic((Hops(), Hops())), ONE),
    "counts": Rule(Hops(), (*ONE, pairing.CountCost("true", (0, 0, 1)))),
    "soft": Rule(Hops(), (Degree("true", 1, under=2),)),
    "everybody": Rule(Hops(), (Degree("true", pairing.AS_MANY_AS_THERE_ARE),)),
    "cost of a set": Rule(lambda p: p.distance + len(p.predicted_labels.classes), both(1, 1, 5)),
    "total": Rule(Hops(), (*ONE, Cardinality(0, lambda some: some.n_predicted - 1))),
    "tighter": Rule(  # nothing would be predicted, which costs the same either way
        Hops(), (*ONE, Cardinality(0, lambda some: np.where(some.n_predicted > 1, 0, 9)))
    ),
    "impossible": Rule(Hops(), (*ONE, Forbid(SAME), Require(SAME))),
    "largest": Rule(pairing.Bottleneck(Hops()), ONE),
    "own": Rule(Hops(), (*ONE, lambda builder: builder.count("pair", 0, 2, carried=True))),
    "hidden": Rule(crowded, both(1, 1, 1)),
    "hidden gain": Rule(lambda pairs: 1.25 + 2 * pairs.distance - crowded(pairs), both(1, 1, 2)),
    "masses": Rule(Hops(), (pairing.Mass("predicted", 1), pairing.Mass("true", 2))),
}


@pytest.mark.parametrize("name", NOT_EXPRESSED)
def test_a_rule_that_the_program_cannot_express_is_refused(name):
    several = LabelDistribution.from_scenarios([[(1.0, ["3", "2"])]], TREE)
    with pytest.raises(BadInput, match="cannot be decoded exactly: groups of labels"):
        decode_pairing(several if name.startswith("hidden") else FIG3, NOT_EXPRESSED[name])


@pytest.mark.parametrize("rule", ["counts", "largest"])
def test_measures_whose_rule_the_program_cannot_express_are_not_called_exact(rule):
    @hp.pair_measure(name=f"of_{rule}")
    def mine():
        """A further partner costs extra, or the dearest pair counts alone."""
        return NOT_EXPRESSED[rule]

    best = decode(FIG3, f"of_{rule}")
    assert not best.is_exact
    worth = expected(FIG3, [best.sets.names_of(0, TREE)], f"of_{rule}")
    assert best.value[0] == pytest.approx(worth.value, abs=1e-12)
