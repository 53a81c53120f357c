"""The counterexamples and lists on the page of errata, recomputed independently."""

import math
import re
from fractions import Fraction
from itertools import chain, combinations, product

import pytest

from hierpair import Hierarchy, load_case, measure, score, verify
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "errata.md").read_text("utf-8")


def least(cost, n_pred, n_true, upper, *, exchanged=False, dmax=5):
    """Solve Problem 1 by trying every x; ``upper`` bounds the partners of (predicted, true)."""
    pairs = [(i, j) for i in range(n_pred + 1) for j in range(n_true + 1)]
    pairs.remove((n_pred, n_true))
    ends = (n_true, n_pred) if exchanged else (n_pred, n_true)
    best = math.inf
    for x in product((0, 1), repeat=len(pairs)):
        chosen = [pair for pair, flow in zip(pairs, x, strict=True) if flow]
        rows = [sum(i == row for i, _ in chosen) for row in range(n_pred)]
        columns = [sum(j == column for _, j in chosen) for column in range(n_true)]
        if all(1 <= n <= upper[0] for n in rows) and all(1 <= n <= upper[1] for n in columns):
            paid = [(i, j) for i, j in chosen if i <= ends[0] and j <= ends[1]]
            best = min(best, sum(cost.get(pair, dmax) for pair in paid))
    return best


def test_pairs_of_mgia_cannot_be_found_separately():
    distances = {(0, 0): 4, (0, 1): 3, (1, 0): 3, (1, 1): 0}  # p, c against y, c
    assert least(distances, 2, 2, (2, 2)) == 4
    separately = min(distances[0, 0], distances[0, 1]) + min(distances[0, 0], distances[1, 0])
    assert separately == 6
    tree = Hierarchy.from_edges([("r", "c"), ("r", "a"), ("a", "p"), ("r", "b"), ("b", "y")])
    scores = score(tree, [["y", "c"]], {"s": [["p", "c"]]}, ["fnerror", "mgia"])
    assert scores["s", "fnerror"] == 4
    assert scores["s", "mgia"] == pytest.approx(1 - 4 / 15)


def test_the_sum_of_problem_1_runs_over_exchanged_ranges():
    cost = {(0, 0): 8, (0, 1): 12}
    assert least(cost, 1, 2, (1, 1)) == 13
    assert least(cost, 1, 2, (1, 1), exchanged=True) == 10
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


def test_accuracy_of_a_class_needs_the_counts_of_that_class():
    true, predicted = (
        ["1.1", "1.1", "1.2", "2.1", "2.1", "2.2"],
        ["1.1", "1.2", "1.2", "2.2", "1.1", "2.2"],
    )

    def distance(a, b):
        return 0 if a == b else 2 if a[0] == b[0] else 4

    def contribution(a, b):
        return min(1, max(-1, 1 - Fraction(distance(a, b), 2)))

    def counts(c):
        both = list(zip(true, predicted, strict=True))
        return [
            sum(t == c == p for t, p in both), sum(c not in (t, p) for t, p in both),
            sum(p == c != t for t, p in both), sum(t == c != p for t, p in both),
            sum(contribution(t, p) for t, p in both if (t == c) != (p == c)),
        ]  # fmt: skip

    tp, tn, fp, fn, con = counts("1.1")
    assert (tp, tn, fp, fn, con) == (1, 3, 1, 1, -1)
    assert Fraction(tn + tp + con, tp + tn + fp + fn) == Fraction(1, 2)
    every = [sum(x) for x in zip(*map(counts, ("1.1", "1.2", "2.1", "2.2")), strict=True)]
    assert every[:4] == [3, 15, 3, 3]
    assert Fraction(every[1] + every[0] + con, sum(every[:4])) == Fraction(17, 24)
    # The mean over the leaf classes is what hierpair computes with the index.
    tree = Hierarchy.from_edges(
        [("any", "1"), ("any", "2"), *((c[0], c) for c in ("1.1", "1.2", "2.1", "2.2"))]
    )
    m = measure("contribution_accuracy(theta=2, average=macro, classes=seen)")
    by_hand = sum(
        Fraction(tn + tp + con, 6) for tp, tn, _, _, con in map(counts, sorted(set(true)))
    )
    got = score(tree, [[c] for c in true], {"s": [[c] for c in predicted]}, [m])
    assert got["s", m.name] == pytest.approx(float(by_hand / 4))


@pytest.mark.parametrize(
    ("n", "row"), [(11, "| 12 | the 5"), (14, "| 15 |"), (20, "| 21 |"), (23, "| 24 |")]
)
def test_the_page_lists_all_changes_that_suffice(n, row):
    line = next(x for x in PAGE.splitlines() if x.startswith(row))
    listed = {tuple(pair) for pair in re.findall(r"\b([A-O]\d?) and ([A-O]\d?)\b", line)}
    found = verify([f"kosmopoulos2014-table{n}"])
    remarks = {v.remark for v in found.verdicts if v.remark}
    assert {tuple(x.split(" <-> ")) for x in " or ".join(remarks).split(" or ")} == listed
