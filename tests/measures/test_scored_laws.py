"""What holds of every measure of scores, its traits, and of those that users declare."""

import contextlib
import inspect
import math
from functools import cache

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores, compare, decode, explain
from hierpair.errors import HierpairError
from hierpair.evaluation import merge, partial, score
from hierpair.measures import (
    REGISTRY,
    Option,
    measure,
    measures_of,
    scored_measure,
    set_measure,
    share,
)
from hierpair.measures.class_weights import COUNTED
from hierpair.metrics.functions import function_of
from tests import effort
from tests.limits import LIMITS, set_to
from tests.reading import ends
from tests.scenarios import Problem, perfect, rough, tidy

NAMES = list(measures_of("scores"))
TINY = 1e-9
BLOCKS = [limit for limit in LIMITS if "scored" in limit.checks]


def problems(name, n, seed=3):
    """Tidy problems; every third is a DAG if the measure is defined on it."""
    rng = np.random.default_rng(seed)
    drawn = ((i, tidy(rng, dag=i % 3 == 2)) for i in range(n))
    return [(p, rng) for i, p in drawn if i % 3 != 2 or p.value(name) is not None]


def same(one, other):
    near = {"rel": TINY, "abs": 1e-12, "nan_ok": True}
    return None not in (one, other) and one == pytest.approx(other, **near)


def check_values(name):
    """Tidy data have values in the range, whatever the order and the blocks they are taken in."""
    low, high = ends(REGISTRY[name].range)
    known = []
    for k, (problem, rng) in enumerate(problems(name, effort.cases(60) // 2)):
        value = problem.value(name)
        assert value is not None, f"{name} refuses a law over the leaves of a tree"
        assert math.isnan(value) or low - TINY <= value <= high + TINY, (name, value)
        with contextlib.ExitStack() as stack:
            for limit in BLOCKS[k % 2 :: 2]:
                stack.enter_context(set_to(limit, limit.least))
            assert same(problem.take(rng.permutation(len(problem.truth))).value(name), value)
        edges = [problem.edges[i] for i in rng.permutation(len(problem.edges))]
        turned = rng.permutation(len(problem.names))
        classes = [problem.names[i] for i in turned]
        other = Problem(edges, classes, problem.truth, problem.p[:, turned])
        assert same(other.value(name), value), f"{name}: order of classes"
        known.append(not math.isnan(value))
    assert any(known)


def check_weights(name):
    """A weight of 2 is an instance that is there twice."""
    for problem, rng in problems(name, effort.cases(30) // 2, 5):
        weight = rng.integers(0, 4, len(problem.truth))
        weight[0] = 1
        twice = problem.take(np.repeat(np.arange(len(weight)), weight))
        assert same(problem.value(name, sample_weight=weight), twice.value(name))


def check_traits(name):
    """A trait that is declared holds; one that is not fails on some data."""
    d, rng = REGISTRY[name], np.random.default_rng(6)
    best = ends(d.range)[d.direction == "higher"]
    holds = {"perfect": [], "bounded": [], "total": []}
    for i in range(max(25, effort.cases(150))):
        problem = tidy(rng) if i % 2 else rough(rng)
        value = problem.value(name)
        holds["total"].append(value is not None and not math.isnan(value))
        if holds["total"][-1]:
            holds["bounded"].append(0 <= value <= 1)
        if i % 2 and holds["total"][-1]:  # what no prediction has a value for says nothing
            holds["perfect"].append(same(perfect(problem).value(name), best))
    assert all(holds.values())
    assert {trait for trait, found in holds.items() if all(found)} == d.traits


@cache
def shared_problems():
    rng = np.random.default_rng(7)
    return [tidy(rng) for _ in range(effort.cases(12) // 2)]


@cache
def value_alone(k, m):
    """The value of a measure in the k-th of these problems: every measure stands beside it."""
    return shared_problems()[k].value(m.definition.name, m)


def check_shared(name):
    """Beside all others, with all usual options, a measure has the value that it has alone."""
    base, leaves = measure(name), REGISTRY[name].scored_classes
    chosen = [base] + [measure(n) for n in NAMES if REGISTRY[n].scored_classes == leaves]
    for option in base.definition.options:
        for value in base.definition.option(option).values:
            with contextlib.suppress(HierpairError):  # a cost that needs a file
                chosen.append(base.with_options(**{option: value}))
    compared = 0
    for k, problem in enumerate(shared_problems()):
        values = {m: value_alone(k, m) for m in chosen}
        alone = {m: value for m, value in values.items() if value is not None}
        tree = problem.hierarchy()
        for order in (list(alone), list(alone)[::-1]):
            together = score(tree, problem.truth, {"s": problem.scores(name, tree)}, order)
            wanted = [alone[m] for m in order]
            assert np.array_equal(together.values[0], wanted, equal_nan=True), name
            compared += len(order)
    assert compared


def check_parts(name):
    """What adds up is the same to the bit from any parts, and from all instances at once."""
    rng, m, compared = np.random.default_rng(8), measure(name), 0
    for problem in (tidy(rng) for _ in range(effort.cases(20) // 2)):
        tree, n = problem.hierarchy(), len(problem.truth)
        weight = rng.random(n) if REGISTRY[name].weighted else None
        given = problem.scores(name, tree)

        def part(lo, hi, tree=tree, problem=problem, given=given, weight=weight):
            weight = None if weight is None else weight[lo:hi]
            sides = problem.truth[lo:hi], {"s": given.part(lo, hi)}
            return partial(tree, *sides, [m], sample_weight=weight)

        if not m.adds_up:
            with pytest.raises(BadInput, match="is a measure of scores"):
                part(0, n)
            return
        parts = [part(n // 2, n), part(1, n // 2), part(0, 1)]
        merged = merge(*parts).scores().values
        cut, whole = (
            score(tree, problem.truth, {"s": given}, [m], sample_weight=weight, chunk=chunk)
            for chunk in (2, None)
        )
        for other in (part(0, n).scores().values, cut.values, whole.values):
            assert np.array_equal(merged, other, equal_nan=True), name
        for i, alone in enumerate(whole.per_instance["s"][:, 0].tolist()):
            assert same(problem.take([i]).value(name), alone), name
        compared += not np.isnan(merged).any()
    assert compared


CHECKS = (check_parts, check_values, check_weights, check_traits, check_shared)


@pytest.mark.random_cases
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_every_measure_of_scores(name, check):
    if check is not check_weights or REGISTRY[name].weighted:
        check(name)


@pytest.mark.parametrize("counted", COUNTED)
@pytest.mark.parametrize("name", [x for x in NAMES if "weights" in REGISTRY[x].options])
def test_weights_are_counted_from_the_whole_truth_in_any_chunks(name, counted):
    rng, tree = (
        np.random.default_rng(1),
        Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")]),
    )
    truth, p = rng.choice(list("abcd"), (12, 1)).tolist(), rng.random((12, 4))
    whole, cut = (
        score(tree, truth, {"s": (p, list("abcd"))}, measure(name, weights=counted), chunk=chunk)
        for chunk in (None, 2)
    )
    assert whole.values.tolist() == cut.values.tolist()
    if whole.measures[0].adds_up:
        assert whole.per_instance["s"].tolist() == cut.per_instance["s"].tolist()


ABOUT = {"formula": "f", "source": "ours", "direction": "lower", "range": "[0, 1]"}


def declared(function, **about):
    scored_measure(**{**ABOUT, **about})(function)


POWER = Option("power", "of a gap", kind=float, domain="above 0", check=lambda x: 0 < x < np.inf)
SWEPT = []


def gaps_of(scored):
    """What the labels of every instance lack of the score 1."""
    SWEPT.append(1)
    rows = np.repeat(np.arange(len(scored)), scored.truth.lengths)
    return rows, 1 - scored.scores.at(rows, scored.truth.indices)


@POWER
def missed(scored, *, power: float = 1):
    "What true labels lack of the score 1."
    rows, gaps = scored.shared("gaps", lambda: gaps_of(scored))
    if (gaps == 1).any():
        scored.remark("a label without a score", int((gaps == 1).sum()))
    sums = np.bincount(rows, gaps**power, minlength=len(scored))
    return float(np.average(sums, weights=scored.sample_weight))


@POWER
def gap(scored, *, power: float = 1):
    "The same, as sums of columns over instances, and by label."
    (rows, gaps), n = gaps_of(scored), len(scored)
    return {
        "total": np.bincount(rows, gaps**power, minlength=n), "of": scored.truth.lengths,
        "no score": np.bincount(rows, gaps == 1, minlength=n) > 0,
    }  # fmt: skip


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_mean_over_instances_is_one_function(check):
    """Declared from outside, it is added up, compared, and has values of instances."""
    declared(gap, traits=("perfect", "bounded"), value=share)
    check("gap")
    declared(missed, weighted=True)
    rng = np.random.default_rng(9)
    problem = tidy(rng)
    assert same(problem.value("gap"), problem.value("missed"))
    tree = problem.hierarchy()
    mine = problem.scores("gap", tree)
    systems = {"one": mine, "none": mine.take(np.full(len(problem.truth), -1))}
    found = score(tree, problem.truth, systems, ["gap", "gap(power=2)"])
    assert found.per_instance["none"].tolist() == [[1, 1]] * len(problem.truth)
    assert found.remarks["none", "gap"] == {"no score": len(problem.truth)}
    assert compare(found).p.shape == (2, 2, 2)


def test_scores_of_levels_are_compared_by_their_sums():
    """Resampled and exchanged, a system twice has no difference; what is infinite is told."""
    problem = tidy(np.random.default_rng(10))
    tree, n = problem.hierarchy(), len(problem.truth)
    mine = problem.scores("ece", tree)
    systems = {"one": mine, "same": mine, "turned": mine.take(np.arange(n)[::-1])}
    names = ["brier", "level_log_loss(clip=0.01)", "ece", "sce"]
    found = score(tree, problem.truth, systems, names, keep_classes=True)
    compared = compare(found, n_bootstrap=50, n_permutations=200)
    assert (compared.p[:, 0, 1] == 1).all()
    assert (compared.p[:, 0, 2] < 1).all()
    plain = score(tree, problem.truth, systems, names).values.T
    assert np.allclose(plain[:, [0]] - plain[:, [2]], compared.difference[:, 0, [2]])
    never = {"s": mine.take(np.full(n, -1))}
    part = partial(tree, problem.truth, never, "level_log_loss").scores()
    assert part.values.tolist() == [[math.inf]]
    told = "the truth had probability 0, so the score is infinite"
    assert part.remarks["s", "level_log_loss"] == {told: n}


# ------------------------------------------------------------------- declared from outside

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
TRUTH = {"x": ["c"], "y": ["b"], "z": ["a", "b"]}

TABLE = [[0.5, 0.25, 0.25], [0, 1, 0], [1, 0.5, 0]]
P = NodeScores.from_array(TABLE, TREE, classes="abc", ids="xyz", with_root=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_label_set_scores_all_that_it_says(name):
    """Labels are scores of 1, of what is above them, too; a dict of scores is taken as it is."""
    truth = {"x": ["c"], "y": ["b"], "z": ["b"], "u": ["c"]}
    said = {**truth, "y": ["c"]}
    above = {"c": {"r": 1, "a": 1, "c": 1}, "b": {"r": 1, "b": 1}}
    closed = {i: above[leaf] for i, [leaf] in said.items()}
    found = [score(TREE, truth, {"one": one}, [name])["one", name] for one in (said, closed)]
    assert found[0] == found[1]


@pytest.fixture
def declared_missed():
    SWEPT.clear()
    declared(missed, weighted=True, family="calibration")


@pytest.mark.usefixtures("declared_missed")
def test_values_weights_remarks_and_what_is_shared():
    found = score(TREE, TRUTH, {"one": P}, ["missed", "missed(power=2)"])
    assert found.values.tolist() == [[(0.75 + 0 + 0.5) / 3, (0.5625 + 0.25) / 3]]
    assert (len(SWEPT), found.n_instances, found.ids) == (1, 3, ("x", "y", "z"))
    assert measure("missed(power=2)").of_scores
    assert not measure("hf").of_scores
    assert "missed" in set(measures_of("scores")) - set(measures_of("labels"))
    few = score(TREE, TRUTH, {"one": P.part(0, 2)}, "missed", missing="empty")
    assert (few["one", "missed"], few.n_missing) == ((0.75 + 0 + 2) / 3, {"one": 1})
    assert any("a label without a score (2 instances)" in note for note in few.notes)
    weighted = score(TREE, TRUTH, {"one": P}, "missed", sample_weight=[1, 5, 0])
    assert weighted["one", "missed"] == 0.75 / 6


def test_an_average_of_its_own():
    @scored_measure(**ABOUT, averages=("pooled", "macro"))
    def area(scored, *, average: str = "pooled"):
        "Where it is from."
        return float(average == "pooled")

    found = score(TREE, TRUTH, {"one": P}, ["area", "area(average=macro)"])
    assert found.values.tolist() == [[1, 0]]
    assert score(TREE, TRUTH, {"one": P}, ["area"], average="macro").values.tolist() == [[0]]
    with pytest.raises(BadInput, match="average must be one of 'pooled', 'macro', got 'micro'"):
        measure("area(average=micro)")


def odd(result):
    @scored_measure(**ABOUT, name="odd")
    def odd(scored):
        "Odd."
        return 1 / 0 if result is ZeroDivisionError else result

    assert "sample_weight" not in inspect.signature(function_of("odd")).parameters
    return score(TREE, TRUTH, {"one": P}, "odd", sample_weight=[1, 1, 1] if result == 1.0 else None)


ONE = "missed is a measure of scores, so it cannot be explained"


@pytest.mark.parametrize(("call", "said"), [
    (lambda: measure("missed(power=0)"), "power must be above 0, got 0"),
    (lambda: measure("missed(pover=2)"), r"has no option 'pover'; did you mean 'power'"),
    (lambda: score(TREE, TRUTH, {"one": P.part(0, 2)}, "missed"),
     "one: 1 instance has no prediction, such as 'z'"),
    (lambda: explain(TREE, TRUTH, TRUTH, "missed"), ONE),
    (lambda: decode(LabelDistribution.from_leaves([[1.0, 0]], TREE), "missed"), ONE),
    (lambda: partial(TREE, TRUTH, {"one": TRUTH}, "missed"), ONE),
    (lambda: compare(score(TREE, TRUTH, {"one": P, "two": P}, "missed")), ONE),
    (lambda: score(TREE, TRUTH, {"one": P}, "missed").to_report("page.html"), ONE),
    (lambda: score(TREE, "truth", __file__, "missed"), ONE),
    (lambda: score(TREE, TRUTH, {"one": P}, ["missed", "hf"]),
     "missed is a measure of scores, and hf is one of label"),
    (lambda: score(TREE, TRUTH, {"one": P}, ["hf"]), r"one: these are scores of classes, where label sets are"),
    (lambda: score(TREE, TRUTH, {"one": P}, "missed").to_table(per_instance=True),
     "no values of instances of one: a measure of scores sees"),
    (lambda: score(TREE, TRUTH, {"one": P}, "missed").worst("one", "missed", 1), "no values of instances of one"),
    (lambda: odd(1.0), r"odd has no weighted form; .* \(system one\)"),
    (lambda: odd("text"), "odd: its function must return a number, got 'text'"),
    (lambda: odd(None), "odd: its function must return a number, got None"),
    (lambda: odd(ZeroDivisionError), "odd: its function failed: ZeroDivisionError"),
    (lambda: declared(lambda scored, *, other: 0.0, name="more"), "option 'other' of measure 'more' needs a default"),
    (lambda: declared(lambda scored: 0.0, name="more", family="sets"),
     "the family of a measure must be one of .*; did you mean 'set'"),
    (lambda: declared(lambda scored: 0.0, name="more", averages=("macro",)), "its option average one of them"),
    (lambda: declared(lambda scored: 0.0, name="hf"), "there is already a measure 'hf'"),
    (lambda: declared(lambda scored: 0.0, name="more", direction="up"), "direction must be"),
    *((lambda name=name: declared(lambda scored: 0.0, name=name), f"must be one word of letters, digits and _, got '{name}'")
      for name in ("two words", "class")),
    (lambda: measure("missed").recipe, "missed is a measure of scores: it has a value for all instances together"),
    (lambda: set_measure(**ABOUT, name="more")(lambda n_wrong: n_wrong),
     "'more' takes a column 'n_wrong'; its recipe computes n_true, n_pred, n_both"),
    (lambda: set_measure(**ABOUT, name="more", averages=("mean",))(lambda n_true: n_true),
     r"averages of measure 'more' must be some of samples, micro, macro, weighted, .* got \('mean',\)"),
])  # fmt: skip
@pytest.mark.usefixtures("declared_missed")
def test_what_is_refused(call, said):
    with pytest.raises(BadInput, match=said):
        call()
    assert "more" not in REGISTRY
