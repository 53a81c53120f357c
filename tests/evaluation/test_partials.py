"""Partials: any partition and any order give the same bytes; strangers and damage are refused."""

import dataclasses
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    Partial,
    compare,
    explain,
    measure,
    score,
)
from hierpair.evaluation import merge, partial
from hierpair.evaluation.partial import MAGIC
from hierpair.evaluation.sums import class_sums
from hierpair.measures import Entries
from tests import effort
from tests.evaluation.own_recipe import declared
from tests.strategies import problems

MEASURES = [
    "hf", "gie", "hf(average=micro)", "hr(average=macro)", "f(average=weighted)", "recall(average=macro)",
    "level_accuracy", "contribution_f(average=macro, classes=all)", "contribution_precision(average=weighted, theta=3)",
    "contribution_error(average=macro)", "lca_f(average=micro)", "depth_loss", "hcm_f",
]  # fmt: skip
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
TRUTH, GUESS = [["c"], ["d", "b"], ["b"], ["a"]], [["d"], ["a"], ["b"], ["c", "d"]]


SUMMED = [*MEASURES[:-1], "tree_induced_error"]


def summed(hierarchy, truth, guess, weight, lo=0, hi=None, part="all"):
    """A partial of three systems, of instances with ids; some have no pairing under the last."""
    some = slice(lo, hi)
    names = [f"i{i:02}" for i in range(len(truth))][some]
    sides = truth, guess, truth[::-1], [[*t, *g] for t, g in zip(truth, guess, strict=True)]
    first, *others = (dict(zip(names, rows[some], strict=True)) for rows in sides)
    systems = {f"s{k}": labels for k, labels in enumerate(others)}
    return partial(
        hierarchy, first, systems, SUMMED, part=part, sample_weight=weight[some],
        on_infeasible="nan", keep_worst=3, blocks=4, block_seed=5,
    )  # fmt: skip


def parts_of(hierarchy, truth, guess, weight, cuts):
    edges = sorted({0, len(truth), *cuts})
    return [
        summed(hierarchy, truth, guess, weight, lo, hi, f"rows {lo}")
        for lo, hi in zip(edges, edges[1:], strict=False)
    ]


@pytest.mark.exhaustive
@given(problems(instances=12), st.data())
@settings(max_examples=effort.cases(30), deadline=None)
def test_any_partition_and_any_order_give_the_same_bits(problem, data):
    """Also with weights that are floats, for averages over classes, and several systems."""
    hierarchy, _, truth, guess = problem
    weights = st.one_of(st.integers(0, 3), st.floats(0, 1e9), st.sampled_from([0.1, 1 / 3, 1e-300]))
    weight = data.draw(st.lists(weights, min_size=len(truth), max_size=len(truth)))
    cuts = st.lists(st.integers(0, len(truth)), max_size=4)
    whole = summed(hierarchy, truth, guess, weight)
    found = set()
    for _ in range(3):
        parts = data.draw(
            st.permutations(parts_of(hierarchy, truth, guess, weight, data.draw(cuts)))
        )
        while len(parts) > 1:  # a random tree of merges
            i = data.draw(st.integers(0, len(parts) - 2))
            parts[i : i + 2] = [merge(*parts[i : i + 2])]
        one = parts[0]
        least, greatest = (min(e for e, _ in one.ids.values()), max(e for _, e in one.ids.values()))
        renamed = {"parts": frozenset(["all"]), "ids": {"all": (least, greatest)}}
        found.add(dataclasses.replace(one, **renamed).to_bytes())
    assert found == {whole.to_bytes()}
    again = Partial.from_bytes(whole.to_bytes())
    assert again.to_bytes() == whole.to_bytes()
    assert again.scores().to_json() == whole.scores().to_json()


def test_scores_are_those_of_the_whole():
    rng = np.random.default_rng(3)
    weight = rng.random(len(TRUTH))
    parts = [
        partial(TREE, [t], [g], MEASURES, part=str(i), sample_weight=[w])
        for i, (t, g, w) in enumerate(zip(TRUTH, GUESS, weight, strict=True))
    ]
    whole = score(TREE, TRUTH, {"s": GUESS}, MEASURES, sample_weight=weight)
    total = merge(*parts[::-1])
    assert total.scores().values.tolist() == whole.values.tolist()
    assert total.scores().solved_by == {
        ("system", m): words for (_, m), words in whole.solved_by.items()
    }
    assert total.n_instances == len(TRUTH)
    assert total.parts == {"0", "1", "2", "3"}


@pytest.mark.exhaustive
@given(problems(instances=12), st.data())
@settings(max_examples=effort.cases(60), deadline=None)
def test_notes_and_scores_are_those_of_score(problem, data):
    """Everything that is shown of a partial is what score shows, to the last bit."""
    hierarchy, _, truth, guess = problem
    systems = {"one": guess, "two": truth[::-1], "three": [["?"] for _ in truth]}
    how = {"on_infeasible": "nan", "unknown": "drop"}
    whole = score(hierarchy, truth, systems, SUMMED, **how)
    cut = data.draw(st.integers(0, len(truth)))
    rows = slice(0, cut), slice(cut, None)
    parts = [
        partial(hierarchy, truth[r], {s: p[r] for s, p in systems.items()}, SUMMED, **how)
        for r in rows
    ]
    found = Partial.from_bytes(merge(*parts[::-1]).to_bytes()).scores()
    assert found.values.tobytes() == whole.values.tobytes()
    assert found.mean_labels == whole.mean_labels
    assert found.to_json() == whole.to_json()
    assert found.to_markdown() == whole.to_markdown()
    assert found.notes == whole.notes
    assert found.solver_notes == whole.solver_notes


def test_without_values_of_instances():
    found = partial(TREE, TRUTH, {"s": GUESS, "t": TRUTH}, ["hf"]).scores()
    for ask in (
        lambda: found.to_csv(per_instance=True),
        lambda: found.worst("s", "hf", 1),
        lambda: found.per_instance["t"],
    ):
        with pytest.raises(BadInput, match=r"values of instances of [st]: .*hierpair\.score"):
            ask()


def test_systems_are_told_apart():
    one = partial(TREE, TRUTH, {"s": GUESS, "t": TRUTH}, ["hf"])
    for others in ({"t": TRUTH, "s": GUESS}, {"s": GUESS}):
        with pytest.raises(
            BadInput, match=r"different systems .* one is of s, t, the other of [st]"
        ):
            merge(one, partial(TREE, TRUTH, others, ["hf"]))
    with pytest.raises(BadInput, match=r"the keys of systems are instance ids"):
        partial(TREE, {"x": ["c"]}, {"x": ["d"]}, ["hf"])
    systems = {"s": [["c"]] * 4, "bad": [*[["d"]] * 3, ["c", "d"]]}
    with pytest.raises(Infeasible, match=r"instance 3: .*system bad.*on_infeasible='nan'"):
        partial(TREE, [["c"]] * 4, systems, ["tree_induced_error"])


def test_batches_become_a_part():
    names = [f"id {i}" for i in (3, 10, 2, 1)]
    batches = [
        partial(TREE, {n: t}, {"s": {n: g}}, ["hf"])
        for n, t, g in zip(names, TRUTH, GUESS, strict=True)
    ]
    total = merge(*batches).as_part("file 1")
    wanted = partial(
        TREE, dict(zip(names, TRUTH, strict=True)), {"s": dict(zip(names, GUESS, strict=True))},
        ["hf"], part="file 1",
    )  # fmt: skip
    assert total.to_bytes() == wanted.to_bytes()
    assert total.ids == {"file 1": ("id 1", "id 3")}
    with pytest.raises(BadInput, match="of the parts file 1 already"):
        total.as_part("file 2")
    with pytest.raises(BadInput, match="part must be a text, got ''"):
        batches[0].as_part("")


def test_merging_changes_nothing():
    one, two = (partial(TREE, [t], [g], MEASURES) for t, g in zip(TRUTH, GUESS[:2], strict=False))
    before = one.to_bytes(), two.to_bytes()
    assert merge(one, two).to_bytes() == merge(two, one).to_bytes()
    assert (one.to_bytes(), two.to_bytes()) == before
    assert merge(one) is one


def test_a_part_is_counted_once():
    one = partial(TREE, TRUTH, GUESS, ["hf"], part="monday")
    two = partial(TREE, TRUTH, GUESS, ["hf"], part="tuesday")
    both = merge(one, two)
    with pytest.raises(BadInput, match="monday, which both partials have; leave one of them out"):
        merge(both, one)
    with pytest.raises(BadInput, match="monday, tuesday, which both"):
        merge(both, Partial.from_bytes(both.to_bytes()))
    with pytest.raises(BadInput, match="part must be a text, got 7"):
        partial(TREE, TRUTH, GUESS, ["hf"], part=7)


def test_unknown_and_missing_labels_are_counted():
    truth, guess = {"x": ["c", "?"], "y": ["d"]}, {"y_pred": {"x": ["!", "?", "c"]}}
    one = partial(TREE, truth, guess, ["hf"], unknown="drop", missing="empty")
    found = one.scores()
    assert (found.n_unknown, found.n_missing) == ({"y_true": 1, "y_pred": 2}, {"y_pred": 1})
    found = merge(one, one).scores()
    assert (found.n_unknown, found.n_missing) == ({"y_true": 2, "y_pred": 4}, {"y_pred": 2})
    assert found.n_instances == 4


def test_another_version_is_refused(monkeypatch):
    data = partial(TREE, TRUTH, GUESS, ["hf"]).to_bytes()
    monkeypatch.setattr("hierpair.measures.named.__version__", "9.9")
    with pytest.raises(BadInput, match=r"a partial is of .*hierpair 0.*, and here .* is .*9\.9"):
        Partial.from_bytes(data)


@pytest.mark.exhaustive
def test_partials_are_small_and_hold_no_hierarchy():
    """As large as the classes that occur, however many there are; equal recipes are kept once."""
    n = 100_000
    wide = Hierarchy.from_edges([("r", f"c{i}") for i in range(n)])
    of = ["hp(average=macro)", "hr(average=macro)", "hf(average=weighted)", "hf(average=macro)"]
    one = partial(wide, [["c5"], ["c7"]], [["c5"], ["c9"]], of)
    assert len(one.to_bytes()) < 6_000
    assert len(pickle.dumps(one)) < 20_000
    (by_class,) = one.sums[0].tables.values()
    assert by_class.classes.tolist() == wide.index(["c5", "c7", "c9"]).tolist()


def test_costs_that_are_callables_are_given_again():
    def doubled(pairs):
        return 2 * pairs.distance

    own = measure("gie", cost=doubled)
    one = partial(TREE, TRUTH, GUESS, [own])
    with pytest.raises(BadInput):
        Partial.from_bytes(one.to_bytes())
    again = Partial.from_bytes(one.to_bytes(), [own])
    assert again.scores().values.tolist() == one.scores().values.tolist()


# ------------------------------------------------------------------------------------ bytes


WHOLE = partial(
    TREE, dict(zip("wxyz", TRUTH, strict=True)), {"s": dict(zip("zyxw", GUESS, strict=True))},
    MEASURES, part="é", sample_weight=[0.1, 1, 2, 1e-9], keep_worst=2, blocks=3,
).to_bytes()  # fmt: skip


@pytest.mark.parametrize(("data", "says"), [
    (b"", "no partial of version 5, .*: they begin with b''"),
    (b"PK\x03\x04", "no partial"),
    (pickle.dumps({}), "no partial"),
    (WHOLE[:-1], "damaged"),
    (WHOLE + b"\0", "damaged"),
    (WHOLE[:40], "damaged"),
    (WHOLE.replace(MAGIC, MAGIC[:-1] + b"2", 1), "no partial of version 5, which this hierpair reads: they begin with b'hierpair partial 2"),
    ("text", "a partial is read from bytes, got 'text'"),
    (None, "a partial is read from bytes, got None"),
])  # fmt: skip
def test_bytes_that_are_no_partial(data, says):
    with pytest.raises(BadInput, match=says):
        Partial.from_bytes(data)


@given(st.data())
@settings(max_examples=effort.cases(100), deadline=None)
def test_a_flipped_bit_is_noticed(data):
    at = data.draw(st.integers(0, len(WHOLE) * 8 - 1))
    broken = bytearray(WHOLE)
    broken[at // 8] ^= 1 << at % 8
    with pytest.raises(BadInput):
        Partial.from_bytes(bytes(broken))


# ------------------------------------------------------------------------------- sums by class


NUMBERS_OF_ALL_KINDS = st.one_of(
    st.floats(-1e6, 1e6), st.integers(-(2**52), 2**52).map(float), st.floats(-1e-280, 1e-280),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100),
)  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), NUMBERS_OF_ALL_KINDS), max_size=30),
       st.lists(NUMBERS_OF_ALL_KINDS.map(abs), min_size=4, max_size=4), st.integers(0, 30),
       st.booleans())  # fmt: skip
@settings(max_examples=effort.cases(150), deadline=None)
def test_sums_by_class_against_fractions(rows, weight, cut, weighted):
    weights = np.array(weight) if weighted else None

    def summed(some):
        row, number, value = (np.array(x) for x in zip(*some, strict=True)) if some else [[]] * 3
        value = np.asarray(value, dtype=float)
        columns = {"x": value, "some": value > 0, "down": -(value > 1).astype(np.int8)}
        row, number = (np.asarray(x, dtype=np.int32) for x in (row, number))
        return class_sums(Entries(4, row, number, columns, 5), weights)

    whole = summed(rows)
    parts = summed(rows[:cut]), summed(rows[cut:])
    for total in (parts[0].plus(parts[1]), parts[1].plus(parts[0])):
        assert total.classes.tolist() == whole.classes.tolist()
        for name, (lowest, limbs) in whole.limbs.items():
            assert total.limbs[name][0] == lowest
            assert total.limbs[name][1].tolist() == limbs.tolist()
    each = {"x": lambda v: v, "some": lambda v: float(v > 0), "down": lambda v: -float(v > 1)}
    for name, of in each.items():
        for c, found in zip(whole.classes.tolist(), whole.floats(name), strict=True):
            products = [
                Fraction(of(v) * (weight[r] if weighted else 1)) for r, n, v in rows if n == c
            ]
            assert found == float(sum(products))


# ------------------------------------------------------------- a recipe from outside the package


def test_a_recipe_of_ones_own():
    """Columns, entries and a formula, declared outside: scored, merged, compared, sent as bytes."""
    with declared() as name:
        chosen = [
            name,
            f"{name}(average=macro)",
            f"{name}(average=weighted)",
            f"{name}(average=micro)",
        ]
        whole = score(TREE, TRUTH, {"s": GUESS}, chosen, keep_classes=True)
        assert whole.per_instance["s"][:, 0].tolist() == [0, 0, 1, 0]
        assert whole["s", name] == 0.25
        assert whole["s", f"{name}(average=micro)"] == 1 / 5
        assert whole["s", f"{name}(average=macro)"] == 1 / 8  # of a, b, c, d: b once of twice
        assert whole["s", f"{name}(average=weighted)"] == 1 / 5
        parts = [partial(TREE, [t], [g], chosen) for t, g in zip(TRUTH, GUESS, strict=True)]
        total = Partial.from_bytes(merge(*parts).to_bytes())
        found = total.scores()
        assert found.values.tolist() == whole.values.tolist()
        assert total.counted("kind")["system", name] == {"one": 3, "several": 1}
        assert (
            found.remarks["system", name]
            == whole.remarks["s", name]
            == {"the truth is one leaf": 2}
        )
        assert "the truth is one leaf (2 instances)" in str(whole)
        two = score(TREE, TRUTH * 3, {"s": GUESS * 3, "t": TRUTH * 3}, chosen, keep_classes=True)
        compared = compare(two, n_bootstrap=50, n_permutations=50)
        assert compared.values.tolist() == two.values.tolist()
        (why,) = explain(TREE, TRUTH, GUESS, name, instances=[2])
        assert why.value == 1


def test_a_sum_by_class_of_many_counts_with_long_weights_is_exact():
    """A limb that is taken several times fills the 53 bits of a float sooner."""
    n, times = 1 << 20, 7
    weight = np.full(n, 1 + (2**31 - 1) / 2**31)
    row, number = np.arange(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    entries = Entries(n, row, number, {"n": np.full(n, times)}, 1)
    (found,) = class_sums(entries, weight).floats("n")
    assert found == float(n * times * Fraction(weight[0]))


@pytest.mark.parametrize("name", ["icm", "icm_norm", "hf(weights='ia')", "ru(weights='ic')"])
def test_weights_counted_from_the_whole_truth_need_a_reference(name):
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    with pytest.raises(BadInput, match="reference"):
        partial(tree, ["a"], {"s": ["b"]}, [name])
