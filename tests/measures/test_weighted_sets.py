"""Weighted sets: all cases of the tools, definitions on random hierarchies, and identities."""

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, measure, score
from hierpair.evaluation import merge, partial
from hierpair.measures.class_weights import class_weights, weights_given
from tests import effort
from tests.oracles import weighted_sets as slow
from tests.paths import SHARED
from tests.strategies import problems

WEIGHED = ("hp", "hr", "hf", "symmetric_difference")


def vectors(name):
    path = SHARED / "modern" / f"{name}.json"
    if not path.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(f"no {path}; set HIERPAIR_DATA"))]
    return [pytest.param(c, id=c["name"]) for c in json.loads(path.read_text())["cases"]]


def sides(case):
    h = Hierarchy.from_edges(case["edges"], classes=case["classes"], roots="any")
    return h, case["truth"], {i: case["prediction"].get(i, []) for i in case["truth"]}


@pytest.mark.parametrize("case", vectors("weighted_sets"))
def test_weighted_sets_are_those_of_the_tool(case):
    h, truth, prediction = sides(case)
    names = {"tp": None, "fp": "mi", "fn": "ru", "precision": "hp", "recall": "hr",
             "f": "hf", "s": "semantic_distance", "simgic": "simgic"}  # fmt: skip
    found = score(h, truth, {"s": prediction}, [m for m in names.values() if m], missing="empty",
                  weights=case["weights"], root="include")  # fmt: skip
    columns = [c for c, m in names.items() if m]
    for i, name in enumerate(found.ids):
        wanted = case["expected"]["instances"][name]
        got = dict(zip(columns, found.per_instance["s"][i], strict=True))
        if wanted["tp"] + wanted["fp"] + wanted["fn"] == 0:  # nothing weighs: perfect here, 0 there
            assert [got[c] for c in ("precision", "recall", "f", "simgic")] == [1, 1, 1, 1]
            continue
        for column, value in got.items():
            expected = wanted[column] or 0  # None: nothing is predicted
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12, err_msg=column)


@pytest.mark.parametrize("case", vectors("weighted_sets"))
def test_weighted_rows_of_the_tool(case):
    """The row of a data set, where every truth weighs something: the tool counts others as 0."""
    h, truth, prediction = sides(case)
    instances = case["expected"]["instances"].values()
    if any(x["tp"] + x["fn"] == 0 for x in instances):
        return
    chosen = {
        "ru_w": "ru", "mi_w": "mi", "s_w": "semantic_distance", "rc_w": "hr",
        "pr_micro_w": "hp(average=micro)", "rc_micro_w": "hr(average=micro)",
        "f_micro_w": "hf(average=micro)", "pr_w": "hp(zero_division=nan)",
    }  # fmt: skip
    found = score(h, truth, {"s": prediction}, list(chosen.values()), missing="empty",
                  weights=case["weights"], root="include")  # fmt: skip
    got = dict(zip(chosen, found.values[0].tolist(), strict=True))
    for norm, row in case["expected"]["data_set"].items():
        for column, value in got.items():
            if norm == "cafa" or column != "pr_w":
                found_value = 0 if math.isnan(value) else value  # no prediction weighs anything
                assert found_value == pytest.approx(row[column], rel=0, abs=1e-12), (norm, column)


@pytest.mark.parametrize("case", vectors("icm"))
def test_information_contrast_is_that_of_the_tool(case):
    h, truth, prediction = sides(case)
    found = score(h, truth, {"s": prediction}, ["icm", "icm_norm"], missing="empty")
    wanted = case["expected"]
    assert found["s", "icm"] == pytest.approx(wanted["ICM"], rel=0, abs=1e-12)
    if "ICMNorm_error" in wanted:  # every truth is the same: the tool divides by zero
        assert math.isnan(found["s", "icm_norm"])
    else:
        assert found["s", "icm_norm"] == pytest.approx(wanted["ICMNorm"], rel=0, abs=1e-12)


# ------------------------------------------------------------------------- definitions


def parents_of(edges, names):
    return {c: [p for p, child, *_ in edges if child == c] for c in names}


@given(problems(max_classes=9, max_labels=4, instances=4), st.sampled_from(["ia", "ic"]),
       st.data())  # fmt: skip
@settings(max_examples=effort.cases(60), deadline=None)
def test_values_are_those_of_sets(problem, word, data):
    h, edges, truth, predicted = problem
    parents = parents_of(edges, h.names)
    counted = {"ia": slow.accretion, "ic": slow.content}[word](parents, truth, 1)
    given_weights = {c: data.draw(st.sampled_from([0, 0.25, 1, 1 / 3, 7])) for c in h.names}
    for weights, weight in ((word, counted), (given_weights, given_weights)):
        found = score(h, truth, {"s": predicted}, ["hp", "hr", "hf(beta=2)", "simgic", "symmetric_difference", "mi"],
                      weights=weights, root="include")  # fmt: skip
        for i, (t, p) in enumerate(zip(truth, predicted, strict=True)):
            tp, fp, fn = slow.tp_fp_fn(
                weight, slow.augmented(parents, t), slow.augmented(parents, p)
            )
            perfect = not tp + fp + fn
            share = lambda a, b, perfect=perfect: 1 if perfect else a / b if b else 0  # noqa: E731
            wanted = [share(tp, tp + fp), share(tp, tp + fn), share(5 * tp, 5 * tp + 4 * fn + fp),
                      share(tp, tp + fp + fn), fp + fn, fp]  # fmt: skip
            np.testing.assert_allclose(found.per_instance["s"][i], wanted, rtol=1e-12, atol=1e-12)


@given(problems(max_classes=9, max_labels=4, instances=5, tree=True))
@settings(max_examples=effort.cases(75), deadline=None)
def test_information_contrast_is_the_recursion_on_forests(problem):
    h, edges, truth, predicted = problem
    model = slow.ContrastModel(parents_of(edges, h.names), truth)
    wanted = [model.icm(t, p) for t, p in zip(truth, predicted, strict=True)]
    found = score(h, truth, {"s": predicted}, ["icm", "icm_norm"])
    np.testing.assert_allclose(found.per_instance["s"][:, 0], wanted, rtol=0, atol=1e-9)
    own = np.mean([model.icm(t, t) for t in truth])
    if own > 1e-9:
        norm = max(0, (np.mean(wanted) + own) / (2 * own))
        assert found["s", "icm_norm"] == pytest.approx(norm, abs=1e-9)


@given(problems(max_classes=9, max_labels=4, instances=4, weighted=False))
@settings(max_examples=effort.cases(40), deadline=None)
def test_information_contrast_adds_up(problem):
    """ICM = 2 IC(P) + 2 IC(T) − 3 IC(P ∪ T) with IC(S) = W(S_aug), on DAGs as well."""
    h, _, truth, predicted = problem
    weight = dict(zip(h.names, class_weights(h, "icm", reference=truth).tolist(), strict=True))
    both = [[*t, *p] for t, p in zip(truth, predicted, strict=True)]
    of = lambda rows: np.array(  # noqa: E731
        [sum(weight[a] for a in {x for c in row for x in (c, *h.ancestors(c))}) for row in rows]
    )
    found = score(h, truth, {"s": predicted}, ["icm"]).per_instance["s"][:, 0]
    np.testing.assert_allclose(found, 2 * of(predicted) + 2 * of(truth) - 3 * of(both), atol=1e-9)


# ------------------------------------------------------------------------------ identities


@given(problems(max_classes=9, max_labels=4, instances=4), st.sampled_from(["exclude", "include"]))
@settings(max_examples=effort.cases(40), deadline=None)
def test_where_all_weigh_one_nothing_changes(problem, root):
    """To the last bit, in every average."""
    h, _, truth, predicted = problem
    ones = dict.fromkeys(h.names, 1)
    for average in ("samples", "micro", "macro", "weighted"):
        names = WEIGHED if average == "samples" else WEIGHED[:3]
        plain, weighed = (
            score(h, truth, {"s": predicted}, names, average=average, root=root, **more)
            for more in ({}, {"weights": ones})
        )
        assert plain.values.tobytes() == weighed.values.tobytes()
        assert plain.per_instance["s"].tobytes() == weighed.per_instance["s"].tobytes()
    for i, (t, p) in enumerate(zip(truth, predicted, strict=True)):
        left_out = set(h.roots) if root == "exclude" and len(h.roots) == 1 else set()
        true, pred = ({a for c in x for a in (c, *h.ancestors(c))} - left_out for x in (t, p))
        simui = len(true & pred) / len(true | pred) if true | pred else 1
        found = score(h, truth, {"s": predicted}, "simgic", root=root).per_instance["s"][i, 0]
        assert found == simui


@given(problems(max_classes=8, max_labels=3, instances=6, single_root=True))
@settings(max_examples=effort.cases(60), deadline=None)
def test_the_root_says_nothing(problem):
    h, _, truth, predicted = problem
    if any(not row for row in truth):  # then the root is not in every augmented truth
        truth = [row or [h.names[0]] for row in truth]
    found = [
        score(h, truth, {"s": predicted}, ["hf", "simgic", "ru", "mi"], weights=word, root=root,
              smooth=1).per_instance["s"]
        for word in ("ia",) for root in ("exclude", "include")
    ]  # fmt: skip
    assert found[0].tolist() == found[1].tolist()


# ------------------------------------------------------------- where weights are counted

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "d"), ("a", "e"), ("b", "f")])
TRUTH = {
    str(i): labels for i, labels in enumerate([["d"], ["e"], ["f"], ["a", "b"], ["d", "f"], []])
}
GUESS = {str(i): labels for i, labels in enumerate([["d"], ["d"], ["b"], ["e"], ["e", "f"], ["a"]])}
NAMES = ["hf(weights=ia)", "simgic(weights=ic)", "icm", "icm_norm", "ru(weights=ia, smooth=0)"]


def test_parts_need_a_reference():
    halves = [dict(list(TRUTH.items())[k : k + 3]) for k in (0, 3)]
    guesses = [{i: GUESS[i] for i in half} for half in halves]
    with pytest.raises(
        BadInput, match=r"measure hf\(weights='ia'\): .*only a part.*reference='FILE'"
    ):
        partial(TREE, halves[0], {"s": guesses[0]}, NAMES)
    parts = [
        partial(TREE, t, {"s": p}, NAMES, part=str(k), reference=TRUTH)
        for k, (t, p) in enumerate(zip(halves, guesses, strict=True))
    ]
    whole = score(TREE, TRUTH, {"s": GUESS}, NAMES, reference=TRUTH)
    assert merge(*parts).scores().values.tobytes() == whole.values.tobytes()


def test_a_class_that_was_never_seen():
    with pytest.raises(
        BadInput, match="instance 'y': class 'e' has no finite weight: it was never"
    ):
        score(
            TREE,
            {"x": ["d"], "y": ["d"]},
            {"s": {"x": ["d"], "y": ["e"]}},
            "simgic(weights=ia, smooth=0)",
        )
    found = score(TREE, {"x": ["d"]}, {"s": {"x": ["e"]}}, "simgic(weights=ia, smooth=1)")
    assert 0 <= found["s", "simgic(weights='ia')"] < 1


# ------------------------------------------------------------------------------- the option


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": "iaa"}, "weights must be one of ones, leaves, ia, .*did you mean 'ia'"),
        ({"weights": 3}, "hf: weights must be 'ones', 'leaves', 'ia'"),
        ({"weights": {"a": -1}}, "the weight of class 'a' must be a number ≥ 0, got -1"),
        ({"weights": {"a": float("nan")}}, "must be a number ≥ 0, got nan"),
        ({"weights": {"a": "x"}}, "must be a number ≥ 0, got 'x'"),
        ({"weights": {"a": 1}}, "weights: class 'r' has none"),
        ({"weights": {"A": 1}}, "weights: .*'A'"),
        ({"weights": "ia", "smooth": 2}, "smooth must be 0 or 1, got 2"),
        ({"weights": "ia", "reference": "none.tsv"}, "none.tsv: there is no such file"),
        ({"weights": "ia", "reference": 3}, "reference must be annotations"),
        ({"weights": "ia", "threshold": 4}, "leave threshold or weights out"),
        (
            {"weights": "ia", "reference": [["d"], ["q"]]},
            r"instance 1: class 'q' .*\(leave it out of the annotations that are counted\)",
        ),
        (
            {"weights": "ia", "reference": [{"d"}, {"e"}], "smooth": 0},
            "'[bf]' has no finite weight",
        ),
        ({"weights": "ia", "reference": {"d"}}, "must have an order, and a set has none"),
        ({"reference": [["d"]]}, "reference says nothing where weights='ones'"),
        ({"weights": dict.fromkeys(TREE.names, 1), "smooth": 0}, "smooth says nothing where"),
    ],
)
def test_bad_weights_are_one_sentence(options, said):
    with pytest.raises(BadInput, match=said):
        score(TREE, TRUTH, {"s": GUESS}, "hf", **options)


def test_annotations_come_in_every_form_of_labels():
    """Levels and indicators are read as such; sets have one digest in every process."""
    pd = pytest.importorskip("pandas")
    labels = [["a", "d"], ["b", "f"], ["a", "e"]]
    wanted = score(TREE, TRUTH, {"s": GUESS}, "icm", reference=labels).values.tolist()
    table = np.array([[c in row for c in TREE.names] for row in labels])
    for form in (
        np.array(labels),
        (table, TREE.names),
        (sp.csr_array(table), TREE.names),
        pd.DataFrame(table, columns=TREE.names),
        pd.Series(labels),
        iter(labels),
    ):
        found = score(TREE, TRUTH, {"s": GUESS}, "icm", reference=form)
        assert found.values.tolist() == wanted, form
    one, other = ([set(order)] for order in ("abcdefgh", "hgfedcba"))
    assert measure("icm", reference=one).signature == measure("icm", reference=other).signature
    digest = "annotations(1866074e7acd)"
    assert digest in measure("icm", reference=[{"a", "b"}, {"c"}]).signature


def test_weights_of_a_series():
    pd = pytest.importorskip("pandas")
    series = pd.Series(dict.fromkeys(TREE.names, 2.0))
    found = score(TREE, TRUTH, {"s": GUESS}, "symmetric_difference", weights=series)
    plain = score(TREE, TRUTH, {"s": GUESS}, "symmetric_difference")
    assert (found.per_instance["s"] == 2 * plain.per_instance["s"]).all()
    assert weights_given({"a": 1}) == weights_given({"a": 1.0})
    with pytest.raises(BadInput, match="weights: class 'a' has several"):
        measure("symmetric_difference", weights=pd.Series([1, 2, 3], index=["a", "b", "a"]))
