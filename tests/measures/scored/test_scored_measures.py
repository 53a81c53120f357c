"""What measures of scores are to the rest: one registry, one `score`, one clear refusal each."""

import inspect

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    LabelDistribution,
    NodeScores,
    compare,
    decode,
    explain,
    measure,
    score,
    scored_measure,
)
from hierpair.evaluation import partial
from hierpair.measures import REGISTRY, Option, measures_of
from hierpair.metrics.functions import function_of

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
TRUTH = {"x": ["c"], "y": ["b"], "z": ["a", "b"]}
P = NodeScores.from_array(
    [[0.5, 0.25, 0.25], [0, 1, 0], [1, 0.5, 0]],
    TREE, classes="abc", ids="xyz", with_root=False,
)  # fmt: skip
ABOUT = {
    "formula": "Σ |1 − p|^power / n", "source": "ours", "direction": "lower", "range": "[0, ∞)",
}  # fmt: skip
SWEPT = []


@pytest.fixture(autouse=True)
def missed():
    SWEPT.clear()

    @scored_measure(**ABOUT, weighted=True, family="calibration")
    @Option("power", "of a gap", kind=float, domain="above 0", check=lambda x: x > 0)
    def missed(scored, *, power: float = 1):
        "What true labels lack of the score 1."
        gaps = scored.shared("gaps", lambda: gaps_of(scored))
        if (gaps == 1).any():
            scored.remark("a label without a score", int((gaps == 1).sum()))
        rows = np.repeat(np.arange(len(scored)), np.diff(scored.truth.indptr))
        sums = np.bincount(rows, gaps**power, minlength=len(scored))
        return float(np.average(sums, weights=scored.sample_weight))

    return measure("missed")


def gaps_of(scored):
    SWEPT.append(1)
    rows = np.repeat(np.arange(len(scored)), np.diff(scored.truth.indptr))
    return 1 - scored.scores.at(rows, scored.truth.indices)


def test_its_name_is_read_as_that_of_any_measure():
    m = measure("missed(power=2)")
    assert m.name == "missed(power=2)"
    assert m.of_scores
    assert not measure("hf").of_scores
    assert "missed" in measures_of("scores")
    assert "missed" not in measures_of("labels")
    with pytest.raises(BadInput, match="power must be above 0, got 0"):
        measure("missed(power=0)")
    with pytest.raises(BadInput, match=r"has no option 'pover'; did you mean 'power'"):
        measure("missed(pover=2)")


def test_values_and_what_is_shared():
    found = score(TREE, TRUTH, {"one": P}, ["missed", "missed(power=2)"])
    assert found["one", "missed"] == (0.75 + 0 + 0.5) / 3
    assert found["one", "missed(power=2)"] == (0.5625 + 0.25) / 3
    assert len(SWEPT) == 1
    assert found.n_instances == 3
    assert found.ids == ("x", "y", "z")


def test_weights_remarks_and_missing_instances():
    found = score(TREE, TRUTH, {"one": P.part(0, 2)}, "missed", missing="empty")
    assert found["one", "missed"] == (0.75 + 0 + 2) / 3
    assert found.n_missing == {"one": 1}
    assert any("a label without a score (2 instances)" in note for note in found.notes)
    weighted = score(TREE, TRUTH, {"one": P}, "missed", sample_weight=[1, 5, 0])
    assert weighted["one", "missed"] == 0.75 / 6
    with pytest.raises(BadInput, match="one: 1 instance has no prediction, such as 'z'"):
        score(TREE, TRUTH, {"one": P.part(0, 2)}, "missed")


def test_a_measure_without_weights_refuses_them():
    @scored_measure(**ABOUT)
    def unweighted(scored):
        "One."
        return 1.0

    with pytest.raises(BadInput, match=r"unweighted has no weighted form; .* \(system one\)"):
        score(TREE, TRUTH, {"one": P}, "unweighted", sample_weight=[1, 1, 1])
    assert "sample_weight" not in inspect.signature(function_of("unweighted")).parameters


REFUSING = {
    "explain": lambda: explain(TREE, TRUTH, TRUTH, "missed"),
    "decode": lambda: decode(LabelDistribution.from_leaves([[1.0, 0]], TREE), "missed"),
    "partial": lambda: partial(TREE, TRUTH, {"one": TRUTH}, "missed"),
    "compare": lambda: compare(score(TREE, TRUTH, {"one": P, "two": P}, "missed")),
    "report": lambda: score(TREE, TRUTH, {"one": P}, "missed").to_report("page.html"),
    "data set": lambda: score(TREE, "truth", __file__, "missed"),
}


@pytest.mark.parametrize("verb", REFUSING)
def test_what_needs_values_of_instances_or_sums_of_parts_refuses_it(verb):
    with pytest.raises(BadInput, match="missed is a measure of scores, so it cannot be explained"):
        REFUSING[verb]()


def test_the_kinds_are_not_mixed_up():
    with pytest.raises(BadInput, match="missed is a measure of scores, and hf is one of label"):
        score(TREE, TRUTH, {"one": P}, ["missed", "hf"])
    with pytest.raises(BadInput, match=r"one: these are scores of classes, where label sets are"):
        score(TREE, TRUTH, {"one": P}, ["hf"])
    found = score(TREE, TRUTH, {"one": P}, "missed")
    with pytest.raises(BadInput, match="no values of instances of one: a measure of scores sees"):
        found.to_table(per_instance=True)
    with pytest.raises(BadInput, match="no values of instances of one"):
        found.worst("one", "missed", 1)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("text", "odd: its function must return a number, got 'text'"),
        (None, "odd: its function must return a number, got None"),
        (ZeroDivisionError, "odd: its function failed: ZeroDivisionError"),
    ],
)
def test_what_its_function_may_return(result, said):
    @scored_measure(**ABOUT)
    def odd(scored):
        "Odd."
        return 1 / 0 if result is ZeroDivisionError else result

    with pytest.raises(BadInput, match=said):
        score(TREE, TRUTH, {"one": P}, "odd")


def test_what_cannot_be_declared():
    def declared(function, **more):
        return scored_measure(**{**ABOUT, "name": "one_more", **more})(function)

    for function, more, said in (
        (lambda scored, *, other: 0.0, {}, "option 'other' of measure 'one_more' needs a default"),
        (
            lambda scored: 0.0,
            {"family": "sets"},
            "the family of a measure must be one of .*; did you mean 'set'",
        ),
        (lambda scored: 0.0, {"averages": ("macro",)}, "its option average one of them"),
        (lambda scored: 0.0, {"name": "hf"}, "there is already a measure 'hf'"),
        (lambda scored: 0.0, {"direction": "up"}, "direction must be"),
    ):
        with pytest.raises(BadInput, match=said):
            declared(function, **more)
    assert "one_more" not in REGISTRY


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
