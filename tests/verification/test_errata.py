"""The counterexamples and lists on the page of errata, recomputed independently."""

import re
from itertools import chain, combinations

import pytest

from hierpair import Hierarchy, load_case, score, verify
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "errata.md").read_text("utf-8")


def test_the_least_costs_of_problem_1_as_printed():
    """4 for both pairs at once, not 6 one by one; 13 with the ranges as they must be, not 10."""
    tree = Hierarchy.from_edges([("r", "c"), ("r", "a"), ("a", "p"), ("r", "b"), ("b", "y")])
    scores = score(tree, [["y", "c"]], {"s": [["p", "c"]]}, ["fnerror", "mgia"])
    assert (scores["s", "fnerror"], scores["s", "mgia"]) == (4, pytest.approx(1 - 4 / 15))
    path = [f"n{k}" for k in range(21)]  # p is 8 edges below t1 and 12 above t2
    line = Hierarchy.from_edges(list(zip(path, path[1:], strict=False)))
    assert score(line, [["n0", "n20"]], {"s": [["n8"]]}, ["gie"])["s", "gie"] == 13


def test_the_best_prediction_on_figure_2():
    case = load_case("plaud2024-figure2")
    closed = [
        labels
        for labels in chain.from_iterable(combinations("12345", n) for n in range(1, 6))
        if "1" in labels or not set(labels) & set("345")
    ]
    systems = {"".join(labels): [list(labels)] * 4 for labels in closed}
    truth = [case.y_true.names_of(i, case.hierarchy) for i in range(4)]
    scores = score(
        case.hierarchy, truth, systems, ["hf", "symmetric_difference"], sample_weight=case.weight
    )
    values = {name: scores[name, "hf"] for name in systems}
    assert max(values, key=values.get) == "125"
    assert values["125"] == pytest.approx(0.565)
    assert (values["1"], values["15"]) == (pytest.approx(0.5), pytest.approx(0.55))
    assert (scores["1", "symmetric_difference"], scores["15", "symmetric_difference"]) == (
        pytest.approx(1.25),
        pytest.approx(1.55),
    )


@pytest.mark.parametrize(
    ("n", "row"), [(11, "| 12 | the 5"), (14, "| 15 |"), (20, "| 21 |"), (23, "| 24 |")]
)
def test_the_page_lists_all_changes_that_suffice(n, row):
    line = next(x for x in PAGE.splitlines() if x.startswith(row))
    listed = {tuple(pair) for pair in re.findall(r"\b([A-O]\d?) and ([A-O]\d?)\b", line)}
    found = verify([f"kosmopoulos2014-table{n}"])
    remarks = {v.remark for v in found.verdicts if v.remark}
    assert {tuple(x.split(" <-> ")) for x in " or ".join(remarks).split(" or ")} == listed
