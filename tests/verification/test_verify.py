"""Published numbers: every verdict, the rules of judging, and that no change goes unnoticed."""

import dataclasses
import importlib
import inspect
import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest

from hierpair import BadInput, verify
from hierpair.cli import main
from hierpair.measures import REGISTRY
from hierpair.verification import Published, case_names, read_published
from hierpair.verification.cases import case_text
from hierpair.verification.formulas import PrintedTable, calculated, table_value
from hierpair.verification.judge import Numbers
from hierpair.verification.printed import NEEDS, UNITS, judged, printed_value
from tests import effort
from tests.paths import ROOT, SHARED
from tests.verification.case_edits import change_row, rows_of, write

DATA = SHARED


def of(prefix, found):
    return Counter(v.verdict for v in found.verdicts if v.case.startswith(prefix))


@pytest.mark.release
@pytest.mark.exhaustive
def test_every_bundled_number_has_the_verdict_that_is_expected(monkeypatch):
    """And the page of cases says so: all numbers are recomputed once for both."""
    found = verify()
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    fresh = importlib.import_module("write_cases").page(found)
    assert (ROOT / "docs" / "cases.md").read_text("utf-8") == fresh, (
        "run python docs/write_cases.py"
    )
    wrong = [v for v in found.verdicts if v.verdict == "wrong"]
    assert not wrong
    assert found.sound
    assert not found.findings
    # Kosmopoulos et al.: 156 values of the case studies and the ten of §3.5 on Figure 17(a); 23
    # sets of classes, and seven differences that are none.
    assert of("kosmopoulos2014-figure", found) == {
        "met": 162, "truncated": 27, "propagated": 2, "erratum": 5,
    }  # fmt: skip
    correlations = [v for v in found.verdicts if v.published.measure.startswith("kendall")]
    assert Counter(v.verdict for v in correlations) == {
        "met": 57, "erratum": 29, "undecided": 4,
    }  # fmt: skip
    ranks = [v for v in found.verdicts if "rank(" in v.published.measure]
    assert Counter((v.case[:4], v.verdict) for v in ranks) == {
        ("kosm", "met"): 324, ("kosm", "undecided"): 6,
        ("rieh", "met"): 26, ("rieh", "undecided"): 10,
    }  # fmt: skip
    assert of("riehl2023-figure4", found) == {"met": 120}
    assert of("plaud2024-figure", found) == {"met": 30, "erratum": 1}
    assert of("plaud2024-gradients", found) == {"erratum": 1}
    assert of("transposon", found) == {"met": 54}
    # Table 10, the five tables of predictions per instance; Tables 1 to 5 of Plaud et al.
    assert of("kosmopoulos2014-table10", found) == {"met": 5, "truncated": 1, "no data": 15}
    assert found.tally["needs models"] == 50 + 135
    assert of("plaud2024-table1", found) == {"met": 8, "no data": 27}
    assert of("plaud2024-table5", found) == {"met": 14, "needs models": 40}


CONTROL_SUMS = {
    "germeval2019-a": "84", "germeval2019-b": "101",
    "kosmopoulos2014-table13": "15.38", "kosmopoulos2014-table16": "12.40",
    "kosmopoulos2014-table19": "42.412", "kosmopoulos2014-table22": "13.54",
    "kosmopoulos2014-table27": "16.361", "riehl2023-table4": "33",
    "plaud2024-table1": "950091", "plaud2024-table2": "966.92", "plaud2024-table3": "3721.598",
    "plaud2024-table4": "930.01", "plaud2024-table5": "3133.34",
}  # fmt: skip
"""Sum of what nothing can recompute, case by case, and of the bounds of its intervals."""


def test_numbers_that_nothing_can_recompute_keep_their_sums():
    found = {}
    for name in case_names():
        for row in read_published(name):
            given = row.expect in NEEDS or (row.expect == "undecided" and not row.reading)
            if given and not row.measure.startswith("entry("):
                texts = re.findall(r"\d+(?:\.\d+)?", row.printed)
                found[name] = found.get(name, 0) + sum(map(Decimal, texts))
    assert found == {name: Decimal(x) for name, x in CONTROL_SUMS.items()}


@pytest.mark.exhaustive
@pytest.mark.skipif(not (DATA / "germeval2019").is_dir(), reason=f"no germeval2019 in {DATA}")
def test_numbers_whose_data_are_in_a_folder():
    found = verify(["germeval2019-a", "germeval2019-b"], data=DATA)
    assert found.tally == {"met": 180, "undecided": 3, "no data": 64}
    assert {finding.kind for finding in found.findings} == {"absent"}
    assert of("germeval", verify(["germeval2019-a", "germeval2019-b"])) == {
        "met": 95, "no data": 152,
    }  # fmt: skip


@pytest.mark.skipif(not (DATA / "hwv").is_dir(), reason=f"no hwv in {DATA}")
def test_the_statistics_of_wikivitals_follow_from_its_files():
    assert verify(["plaud2024-table1"], data=DATA).tally == {"met": 16, "no data": 19}


def test_every_case_is_used_and_says_where_it_is_from():
    for name in case_names():
        for word in ("title", "citation", "licence", "origin", "notes"):
            assert case_text(name)[word], (name, word)


@pytest.mark.parametrize(("printed", "how", "computed", "verdict"), [
    ("0.67", {}, 2 / 3, "met"), ("0.66", {}, 2 / 3, "wrong"),
    ("0.66", {"expect": "truncated"}, 2 / 3, "truncated"),
    ("0.67", {"expect": "truncated"}, 2 / 3, "wrong"),
    ("-0.14", {"expect": "truncated"}, -1 / 7, "wrong"),
    ("7", {}, 7.0, "met"), ("7", {}, 7.4, "wrong"),  # without decimals it is meant exactly
    ("79", {"unit": "%"}, 0.794, "met"), ("79", {"unit": "%"}, 0.796, "wrong"),
    ("6+Max", {}, 11.0, "met"),
    # zeros at the end may be missing
    ("0.8", {}, 0.76, "met"), ("0.8", {"decimals": 2}, 0.76, "wrong"),
    ("0.8", {"decimals": 2}, 0.804, "met"), ("2/3", {"decimals": 2}, 2 / 3, "met"),
    ("2/3", {"decimals": 2}, 0.6667, "wrong"),
    # a set is printed in braces
    ("{B, A}", {}, frozenset("AB"), "met"), ("{B, A}", {}, frozenset("A"), "wrong"),
    ("{B, A}", {}, 2.0, "wrong"), ("2", {}, frozenset("AB"), "wrong"), ("{}", {}, frozenset(), "met"),
])  # fmt: skip
def test_judging(printed, how, computed, verdict):
    assert judged(Published("", "m", "", printed, **how), computed) == verdict


def test_an_erratum_needs_its_reading_and_must_still_be_one():
    row = Published("", "mgia", "", "0.2", expect="erratum", why="w", reading="1 - 12 / 15")
    assert judged(row, 4 / 15, calculated(row.reading)) == "erratum"
    assert judged(row, 4 / 15, 0.3) == "wrong"
    assert judged(row, 0.2, 0.2) == "wrong"  # met: it needs no explanation any more
    assert judged(row, 4 / 15) == "wrong"


def test_every_row_says_what_it_must(cases):
    """A reason where it is not simply met, and the reading of what is in error."""
    for name in case_names():
        for row in read_published(name):
            assert row.unit in UNITS
            assert bool(row.why) >= (row.expect in ("erratum", "propagated", "undecided", *NEEDS))
            assert bool(row.reading) >= (row.expect in ("erratum", "propagated")), row
            assert row.printed.startswith("{") or printed_value(row.printed)
    path = cases / "costa2007.tsv"
    whole = path.read_text("utf-8")
    write(path, whole.replace("\tsame\t", "\tsme\t", 1))
    with pytest.raises(BadInput, match=r"costa2007.tsv:.*expect must be one of .* got 'sme'"):
        read_published("costa2007-claims")
    write(path, whole.replace("\tsame\t", "\t", 1))
    with pytest.raises(BadInput, match=r"costa2007.tsv:.*expected case system measure"):
        read_published("costa2007-claims")


def test_formulas():
    assert calculated("2 * 1 * 0.33 / (1 + 0.33)") == pytest.approx(0.4962, abs=1e-4)
    assert printed_value("0.49") == (0.49, 2)
    for bad in ("__import__('os')", "1 / 0", "x", "1 +", "9 ** 9"):
        with pytest.raises(BadInput, match="cannot calculate"):
            calculated(bad)
    table = PrintedTable({"A": {"x": 3, "y": 2, "z": 1}, "B": {"x": 1, "y": 2, "z": 3}}, ("B",))
    assert table_value("kendall(A, B)", table) == pytest.approx(1)
    assert table_value("-kendall(A, B)", table) == pytest.approx(-1)
    assert table_value("kendall(A, B) after B: x <-> y", table) == pytest.approx(1 / 3)
    assert table_value("kendall(A, B) after B: x <-> y; A: x <-> y", table) == pytest.approx(1)
    assert [table_value("rank(A)", table, s) for s in "xyz"] == [1, 2, 3]
    assert [table_value("rank(B)", table, s) for s in "xyz"] == [1, 2, 3]
    assert table_value("rank(A) after A: x < y", table, "x") == 2
    assert table_value("rank(B) after B: x < y", table, "x") == 2
    assert table_value("rank(A) after A: x = y", table, "y") == 1
    assert table_value("entry(B)", table, "z") == 3
    for bad, message in [
        ("tau(A, B)", "there is no formula 'tau'"), ("kendall A", "cannot read"),
        ("kendall(A, C)", "the table: there is no measure 'C'"),
        ("kendall(A, B) after A: x <-> q", "the table: there is no system 'q'"),
        ("kendall(A, B) after A x y", "cannot read the change"),
        ("rank(A)", "the table: there is no system ''"),
    ]:  # fmt: skip
        with pytest.raises(BadInput, match=message):
            table_value(bad, table)


def changed_digit(text):
    """The printed number with its last digit changed, or the set with a class less or more."""
    if text.startswith("{"):
        return "{" + text[1:-1].partition(",")[2].strip() + "}" if len(text) > 2 else "{A}"
    at = max(i for i, c in enumerate(text) if c.isdigit())
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


def recomputed(fields):
    """Whether something gives the number of a line; the others have control sums."""
    expect, reading = fields[6], fields[8]
    return expect not in NEEDS and (reading or expect != "undecided")


@pytest.mark.random_cases
def test_a_changed_digit_is_noticed(cases):
    rng = np.random.default_rng(1)
    n = 0
    names = [name for name in case_names() if not name.startswith("germeval")]
    for name in names if effort.exhaustive else names[::2]:
        path, lines, own = rows_of(cases, name)
        whole = path.read_text("utf-8")
        tables = "tables" in case_text(name) or any("hcm" in lines[k] for k in own)
        sample = 3 if tables else 2
        if not effort.exhaustive:
            sample //= 2
        # Numbers of labels and tables belong together; the others are recomputed one by one.
        together = effort.exhaustive or {"files", "tables", "statistics"} & case_text(name).keys()
        known = [i for i in own if recomputed(lines[i].split("\t"))]
        for i in rng.permutation(known)[:sample]:
            fields = lines[i].split("\t")
            fields[4] = changed_digit(fields[4])
            before, after = (lines[:i], lines[i + 1 :]) if together else (lines[:1], [])
            path.write_text("\n".join([*before, "\t".join(fields), *after]))
            found = verify([name])
            if found.verdicts[own.index(i) if together else 0].verdict == "no data":
                continue  # its files do not come with hierpair
            assert not found.sound, (name, fields)
            n += 1
        path.write_text(whole)
        if effort.exhaustive:
            assert verify([name]).sound
    assert n > (50 if effort.exhaustive else 12)


def used_measures():
    """Measure → cases that print a value of it."""
    found = {}
    for name in case_names():
        for row in read_published(name):
            word = row.measure.partition("(")[0]
            given = row.expect in NEEDS or name.startswith("germeval")
            if word in REGISTRY and not given:
                found.setdefault(word, {})[name] = True
    return found


@pytest.mark.parametrize(("text", "message"), [
    ("lcas", "cannot read 'lcas'"), ("nearest(true, 9)", "there is no label '9'"),
    ("classes(true, gie)", "gie has no such sets"), ("field(tp, 2.1)", "has 2 paths from the root"),
    ("difference(hf, kosmopoulos2014-figure8b, nothing)", "there is no case 'nothing'"),
])  # fmt: skip
def test_what_cannot_be_looked_up_is_named(text, message):
    row = Published("predictions", text, "", "1")
    with pytest.raises(BadInput, match=re.escape(message)):
        Numbers.of_case("kosmopoulos2014-figure8b", [row]).value(text, row)


@pytest.mark.exhaustive
@pytest.mark.parametrize("word", used_measures())
def test_a_bug_in_a_measure_is_noticed(word, monkeypatch):
    definition = REGISTRY[word]

    def wrong(*columns, **options):
        return definition.value(*columns, **options) * 1.02 + 0.004

    wrong.__signature__ = inspect.signature(definition.value)
    monkeypatch.setitem(REGISTRY, word, dataclasses.replace(definition, value=wrong))
    assert not verify(used_measures()[word]).sound


def test_the_command(cases, capsys):
    assert main(["verify", "kosmopoulos2014-figure11"]) == 0
    out = capsys.readouterr().out
    assert out.rstrip().endswith("20 printed values: 18 met, 2 truncated")
    assert main(["verify", "kosmopoulos2014-figure11", "--open"]) == 0
    assert capsys.readouterr().out.count("Truncated, not rounded") == 2
    change_row(cases, "kosmopoulos2014-figure11a", "\t0.73\t", "\t0.74\t")
    assert main(["verify", "kosmopoulos2014-figure11a", "--format", "json"]) == 1
    captured = capsys.readouterr()
    assert '"verdict": "wrong"' in captured.out
    assert "1 wrong" in captured.err
    assert main(["verify", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in case_names())
