"""Single changes of printed scores that are enough for printed correlations to follow."""

from itertools import combinations

import pytest
from scipy.stats import kendalltau

from hierpair import BadInput
from hierpair.verification import Published, read_published, sufficient_changes
from hierpair.verification.cases import files_of, lines_of
from hierpair.verification.formulas import PrintedTable, read_table
from hierpair.verification.printed import is_met

LOSSES = ("GIE", "SDL")


def printed(n):
    name = f"kosmopoulos2014-table{n}"
    with files_of(name) as folder:
        scores = read_table(lines_of(folder / "scores.tsv"))
    return PrintedTable(scores, LOSSES), read_published(name)


def follows_by_force(table, rows, columns, one, other):
    """Exchange by hand, and count with SciPy."""
    scores = {m: dict(column) for m, column in table.scores.items()}
    for m in columns:
        scores[m][one], scores[m][other] = scores[m][other], scores[m][one]
    for row in rows:
        if row.measure.startswith("kendall("):
            a, b = row.measure[8:-1].split(", ")
            if (a in columns) != (b in columns):
                signs = [-1 if m in LOSSES else 1 for m in (a, b)]
                tau = kendalltau(list(scores[a].values()), list(scores[b].values())).statistic
                if not is_met(row, signs[0] * signs[1] * tau):
                    return False
    return True


@pytest.mark.parametrize(("n", "columns"), [(11, ["SDL"]), (14, ["MGIA", "FLCA"]), (23, ["GIE"])])
def test_no_other_exchange_suffices(n, columns):
    table, rows = printed(n)
    text = f"kendall(Acc, FH) after an exchange in {' and '.join(columns)}"
    by_force = tuple(
        f"{one} <-> {other}"
        for one, other in combinations(table.scores["Acc"], 2)
        if follows_by_force(table, rows, columns, one, other)
    )
    assert sufficient_changes(text, table, rows) == by_force


def test_what_cannot_be_asked_is_named():
    table = PrintedTable({"A": {"x": 1, "y": 2}, "B": {"x": 2, "y": 1}})
    rows = [Published("", "kendall(A, B)", "", "1")]
    asked = "kendall(A, B) after an exchange in A"
    assert sufficient_changes(asked, table, rows) == ("x <-> y",)
    assert sufficient_changes(asked, table, [Published("", "kendall(A, B)", "", "0.5")]) == ()
    with pytest.raises(BadInput, match="asks for no change"):
        sufficient_changes("kendall(A, B)", table, rows)
    with pytest.raises(BadInput, match="the table: there is no measure 'C'"):
        sufficient_changes("kendall(A, B) after an exchange in C", table, rows)
