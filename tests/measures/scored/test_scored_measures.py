"""What measures of scores are to the rest: one registry, one `score`, one clear refusal each."""

import inspect
import json
import math

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
from hierpair.cli.main import main
from hierpair.evaluation import partial
from hierpair.measures import REGISTRY, Option, measures_of
from hierpair.metrics import score_like
from hierpair.metrics.functions import function_of
from hierpair.metrics.presets import PRESETS, Preset

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


def test_a_default_may_be_chosen_where_no_other_measure_can_have_it():
    assert measure("tree_wasserstein(default=None)") == measure("tree_wasserstein")
    with pytest.raises(BadInput, match="default must be a finite number > 0, got None"):
        measure("gie(default=None)")


def test_values_and_what_is_shared():
    found = score(TREE, TRUTH, {"one": P}, ["missed", "missed(power=2)"])
    assert found["one", "missed"] == (0.75 + 0 + 0.5) / 3
    assert found["one", "missed(power=2)"] == (0.5625 + 0.25) / 3
    assert len(SWEPT) == 1
    assert found.n_instances == 3
    assert found.ids == ("x", "y", "z")


def test_the_forms_in_which_scores_come():
    by_id = {"y": {"b": 1.0}, "x": {"a": 0.5, "b": 0.25, "c": 0.25}, "z": {"a": 1.0, "b": 0.5}}
    leaves = LabelDistribution.from_leaves([[0.5, 0.5]] * 3, TREE, classes=["b", "c"], ids="xyz")
    systems = {"array": P, "by id": by_id, "sets": TRUTH, "distribution": leaves}
    found = score(TREE, TRUTH, systems, "missed")
    assert found.values[:, 0].tolist() == [1.25 / 3, 1.25 / 3, 0, 2 / 3]


def test_weights_remarks_and_missing_instances():
    found = score(TREE, TRUTH, {"one": P.part(0, 2)}, "missed", missing="empty")
    assert found["one", "missed"] == (0.75 + 0 + 2) / 3
    assert found.n_missing == {"one": 1}
    assert any("a label without a score (2 instances)" in note for note in found.notes)
    weighted = score(TREE, TRUTH, {"one": P}, "missed", sample_weight=[1, 5, 0])
    assert weighted["one", "missed"] == 0.75 / 6
    with pytest.raises(BadInput, match="one: 1 instance has no prediction, such as 'z'"):
        score(TREE, TRUTH, {"one": P.part(0, 2)}, "missed")


def test_who_has_no_truth_is_dropped_on_request():
    more = {"y": {"b": 1.0}, "w": {"a": 1.0}, "x": {"a": 0.5, "b": 0.25}}
    fewer = {"y": {"b": 1.0}, "x": {"a": 0.5, "b": 0.25}}
    how = {"missing": "empty", "unknown": "drop"}
    found = score(TREE, TRUTH, {"more": more, "fewer": fewer}, "missed", **how)
    assert found["more", "missed"] == found["fewer", "missed"]
    assert found.n_missing == {"more": 1, "fewer": 1}
    with pytest.raises(BadInput, match="more: 1 instance has no truth, such as 'w'"):
        score(TREE, TRUTH, {"more": more}, "missed", missing="empty")
    for preset in ("cafaeval", "clus"):
        tool = score_like(preset, TREE, TRUTH, {"more": more, "fewer": fewer}, **how)
        assert tool.values[0].tolist() == tool.values[1].tolist()
        with pytest.raises(BadInput, match="more: 1 instance has no truth, such as 'w'"):
            score_like(preset, TREE, TRUTH, {"more": more}, missing="empty")


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
    with pytest.raises(BadInput, match="missed is a measure of scores, with one value for all"):
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


def test_scores_of_another_hierarchy_are_refused():
    other = Hierarchy.from_edges([("q", "z")])
    turned = Hierarchy.from_edges([("r", "b"), ("r", "a"), ("a", "c")])
    for tree, said in ((other, "belong to another hierarchy"), (turned, "another order")):
        given = NodeScores.from_array(np.zeros((3, len(tree))), tree)
        with pytest.raises(BadInput, match=f"one: these scores .*{said}"):
            score(TREE, TRUTH, {"one": given}, "missed")


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


def test_infinity_is_a_value():
    @scored_measure(**ABOUT)
    def everything(scored):
        "Everything."
        return math.inf

    found = score(TREE, TRUTH, {"one": P}, "everything")
    assert found["one", "everything"] == math.inf
    assert " inf" in found.to_text()
    told = json.loads(found.to_table("json"))
    assert told["scores"][0]["value"] is None
    assert told["notes"] == ["one, everything: infinite, which JSON cannot write (null)"]


def test_nan_is_a_value():
    @scored_measure(**ABOUT)
    def nothing(scored):
        "Nothing."
        return np.float64("nan")

    assert math.isnan(score(TREE, TRUTH, {"one": P}, "nothing")["one", "nothing"])


def test_what_cannot_be_declared():
    def declared(function, **more):
        return scored_measure(**{**ABOUT, "name": "one_more", **more})(function)

    for function, more, said in (
        (lambda scored, other: 0.0, {}, "'other' is neither"),
        (lambda scored, *, other: 0.0, {}, "option 'other' of measure 'one_more' needs a default"),
        (
            lambda scored: 0.0,
            {"family": "sets"},
            "the family of a measure must be one of .*; did you mean 'set'",
        ),
        (lambda scored: 0.0, {"averages": ("macro",)}, "needs an option average"),
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


def test_its_function_and_the_words_of_it():
    function = function_of("missed")
    assert function.__name__ == "missed_loss"
    parameters = list(inspect.signature(function).parameters)
    assert parameters == [
        "y_true", "y_score", "hierarchy", "power", "sample_weight", "unknown",
    ]  # fmt: skip
    assert "y_score : object" in function.__doc__
    assert function(TRUTH, P, TREE, power=2) == (0.5625 + 0.25) / 3


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text("r\ta\nr\tb\na\tc\n")
    (tmp_path / "truth.tsv").write_text("x\tc\ny\tb\nz\ta\nz\tb\n")
    rows = "x\ta\t0.5\nx\tb\t0.25\nx\tc\t0.25\ny\tb\t1\nz\ta\t1\nz\tb\t0.5\n"
    (tmp_path / "one.tsv").write_text(rows)
    files = ["score", "tree.tsv", "truth.tsv"]
    assert main([*files, "one.tsv", "-m", "missed", "--set", "power=2", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["scores"]
    assert row["value"] == (0.5625 + 0.25) / 3
    assert row["measure"] == "missed(power=2)"
    for line, said in (
        ([*files, "one.tsv", "-m", "missed", "-m", "hf"], "one of label sets"),
        ([*files, "truth.tsv", "-m", "missed"], "truth.tsv: the labels have no scores"),
        ([*files, "one.tsv", "-m", "missed", "--per-instance"], "no values of instances"),
        (["compare", *files[1:], "one.tsv", "two=one.tsv", "-m", "missed"], "one value for all"),
        (["explain", *files[1:], "one.tsv", "-m", "missed"], "one value for all"),
        (["report", *files[1:], "one.tsv", "-m", "missed", "-o", "p.html"], "one value for all"),
        (["partial", *files[1:], "one.tsv", "-m", "missed", "-o", "p.hpp"], "one value for all"),
    ):
        assert main(line) == 2
        said_so = capsys.readouterr().err
        assert said in said_so, (line, said_so)
    main([*files, "one.tsv", "-m", "missed", "--fail-over", "missed=0.1"])
    assert "missed" in capsys.readouterr().err
    main(["measures", "missed"])
    shown = capsys.readouterr().out
    for part in ("What true labels lack", "of       scores", "Σ |1 − p|^power / n", "power=1"):
        assert part in shown, shown
    main(["measures"])
    assert any(
        line.split()[:3] == ["missed", "calibration", "scores"]
        for line in capsys.readouterr().out.split("\n")
    )


def test_a_preset_of_measures_of_scores(tmp_path, monkeypatch, capsys):
    known = Preset("a tool", {"gap": "missed", "square": "missed(power=2)"}, note="by hand")
    monkeypatch.setitem(PRESETS, "tool", known)
    found = score_like("tool", TREE, TRUTH, {"one": P})
    assert found["one", "gap"] == (0.75 + 0 + 0.5) / 3
    assert found["one", "square"] == (0.5625 + 0.25) / 3
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text("r\ta\nr\tb\na\tc\n")
    (tmp_path / "truth.tsv").write_text("x\tc\n")
    (tmp_path / "one.tsv").write_text("x\tc\t0.25\n")
    files = ["tree.tsv", "truth.tsv", "one.tsv"]
    assert main(["score", *files, "--preset", "tool", "--format", "json"]) == 0
    assert [row["value"] for row in json.loads(capsys.readouterr().out)["scores"]] == [0.75, 0.5625]


def test_a_family_is_listed(capsys):
    assert main(["measures", "calibration"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["measure", "family", "of", "better", "meaning"]
    assert {row.split()[1] for row in rows} == {"calibration"}
    assert "missed" in {row.split()[0] for row in rows}
    assert main(["measures", "calibrations"]) == 2
