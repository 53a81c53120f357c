"""Rows of CSV: what holds for the whole process is put back, whoever reads on."""

import csv

from hierpair.io.delimited import quoted_rows


def test_readers_side_by_side_leave_the_limit_of_fields_as_it_was():
    before = csv.field_size_limit()
    long = "x" * (before + 1)
    one, other = (quoted_rows("t.csv", [f"a,{long}", f"b,{long}"], ",") for _ in range(2))
    assert next(one) == (1, ["a", long])
    assert csv.field_size_limit() == before
    assert next(other) == (1, ["a", long])
    assert list(one) == [(2, ["b", long])]
    assert list(other) == [(2, ["b", long])]
    assert csv.field_size_limit() == before
