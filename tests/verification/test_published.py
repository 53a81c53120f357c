"""Printed numbers: every verdict, rules of judging, damaged files, changes that are noticed; users' claims."""

import csv
import io
import re
import shutil
from collections import Counter
from decimal import Decimal
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, measure, verify
from hierpair.cli import main
from hierpair.verification import (
    Published,
    Verification,
    case_names,
    load_case,
    read_published,
    verify_claims,
)
from hierpair.verification import cases as cases_of_hierpair
from hierpair.verification.cases import case_folder, case_text
from hierpair.verification.claims import _candidates, nearest_readings
from hierpair.verification.formulas import (
    FORMULAS,
    PrintedTable,
    calculated,
    sufficient_changes,
    table_value,
)
from hierpair.verification.judge import CALLS, Numbers
from hierpair.verification.printed import NEEDS, UNITS, judged, printed_value
from tests import effort
from tests.paths import ROOT, SHARED

GERMEVAL = SHARED / "germeval2019"
needs_germeval = pytest.mark.skipif(not GERMEVAL.is_dir(), reason=f"no germeval2019 in {SHARED}")
BOTH = ["germeval2019-a", "germeval2019-b"]


class CaseFiles:
    """A folder of cases, and changes of its files."""

    def __init__(self, home):
        self.home = Path(home)

    def write(self, name, text):
        """Write a file, and forget what was read."""
        (self.home / name).write_text(text, "utf-8")
        cases_of_hierpair._texts.cache_clear()

    def put(self, name, file, text):
        """Let a case hold another text as one of its files: a text, or a function of the old one."""
        source, head = f"{name.partition('-')[0]}.toml", f"[{name}.data]\n"
        before, rest = (self.home / source).read_text("utf-8").split(head)
        found = re.search(rf"\"{re.escape(file)}\" = '''\n(.*?)'''", rest, flags=re.DOTALL)
        new = text(found[1]) if callable(text) else text
        self.write(source, f"{before}{head}{rest[: found.start(1)]}{new}{rest[found.end(1) :]}")

    def rows_of(self, name):
        """Return the file of the printed rows of a case, its lines, and the numbers of its own."""
        path = self.home / f"{name.partition('-')[0]}.tsv"
        lines = path.read_text("utf-8").splitlines()
        return path, lines, [k for k, line in enumerate(lines) if line.startswith(f"{name}\t")]

    def change_row(self, name, before, after):
        """Change the first printed row of a case that has a text."""
        path, lines, own = self.rows_of(name)
        k = next(k for k in own if before in lines[k])
        lines[k] = lines[k].replace(before, after, 1)
        self.write(path.name, "\n".join(lines))


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    """Cases whose labels do not come with hierpair have no data unless a test gives them."""
    monkeypatch.delenv("HIERPAIR_DATA", raising=False)


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A copy of all cases, which is read instead of these."""
    home = tmp_path / "cases"
    shutil.copytree(case_folder(), home)
    monkeypatch.setattr("hierpair.verification.cases.case_folder", lambda: home)
    return CaseFiles(home)


def of(prefix, found):
    return Counter(v.verdict for v in found.verdicts if v.case.startswith(prefix))


@pytest.mark.release
@pytest.mark.exhaustive
def test_every_bundled_number_has_the_verdict_that_is_expected():
    """And the page of cases says so: all numbers are recomputed once for both."""
    found = verify()
    page = (ROOT / "docs" / "cases.md").read_text("utf-8")
    assert f"\n{found.summary}.\n" in page
    for source, some in groupby(found.verdicts, key=lambda v: v.case.partition("-")[0]):
        assert f"\n- {source}: {Verification(tuple(some)).summary}.\n" in page
    assert [v for v in found.verdicts if v.verdict == "wrong"] == []
    assert found.sound
    assert not found.findings
    assert found.tally["needs models"] == 50 + 135
    assert {prefix: of(prefix, found) for prefix in TALLIES} == TALLIES
    correlations = [v.verdict for v in found.verdicts if v.published.measure.startswith("kendall")]
    assert Counter(correlations) == {"met": 57, "erratum": 29, "undecided": 4}
    ranks = [v for v in found.verdicts if "rank(" in v.published.measure]
    assert Counter((v.case[:4], v.verdict) for v in ranks) == {
        ("kosm", "met"): 324, ("kosm", "undecided"): 6,
        ("rieh", "met"): 26, ("rieh", "undecided"): 10,
    }  # fmt: skip


TALLIES = {
    # Kosmopoulos et al.: 156 values of the case studies and the ten of §3.5 on Figure 17(a); 23
    # sets of classes, and seven differences that are none.
    "kosmopoulos2014-figure": {"met": 162, "truncated": 27, "propagated": 2, "erratum": 5},
    "riehl2023-figure4": {"met": 120}, "plaud2024-figure": {"met": 30, "erratum": 1},
    "plaud2024-gradients": {"erratum": 1}, "transposon": {"met": 54},
    # Table 10, the five tables of predictions per instance; Tables 1 to 5 of Plaud et al.
    "kosmopoulos2014-table10": {"met": 5, "truncated": 1, "no data": 15},
    "plaud2024-table1": {"met": 8, "no data": 27}, "plaud2024-table5": {"met": 14, "needs models": 40},
}  # fmt: skip


CONTROL_SUMS = {
    "germeval2019-a": "84", "germeval2019-b": "101", "riehl2023-table4": "33",
    "kosmopoulos2014-table13": "15.38", "kosmopoulos2014-table16": "12.40",
    "kosmopoulos2014-table19": "42.412", "kosmopoulos2014-table22": "13.54",
    "kosmopoulos2014-table27": "16.361", "plaud2024-table1": "950091", "plaud2024-table2": "966.92",
    "plaud2024-table3": "3721.598", "plaud2024-table4": "930.01", "plaud2024-table5": "3133.34",
}  # fmt: skip
"""Sum of what nothing can recompute, case by case, and of the bounds of its intervals."""


def test_every_row_says_what_it_must():
    """A reason where it is not simply met, the reading of what is in error; sums of the others."""
    sums = {}
    for name in case_names():
        for word in ("title", "citation", "licence", "origin", "notes"):
            assert case_text(name)[word], (name, word)
        for row in read_published(name):
            assert row.unit in UNITS
            assert bool(row.why) >= (row.expect in ("erratum", "propagated", "undecided", *NEEDS))
            assert bool(row.reading) >= (row.expect in ("erratum", "propagated")), row
            assert row.printed.startswith("{") or printed_value(row.printed)
            given = row.expect in NEEDS or (row.expect == "undecided" and not row.reading)
            if given and not row.measure.startswith("entry("):
                texts = re.findall(r"\d+(?:\.\d+)?", row.printed)
                sums[name] = sums.get(name, 0) + sum(map(Decimal, texts))
    assert sums == {name: Decimal(x) for name, x in CONTROL_SUMS.items()}


def kind_of(row):
    """What is done for a number: much the same for all of a kind."""
    name, how = row.measure.partition("(")[0], row.measure + row.reading
    named = name if name.lstrip("-") in {"holds", "fails", *CALLS, *FORMULAS} else ""
    return named, row.expect, row.unit, row.printed[0] == "{", bool(row.reading), " after " in how


def test_a_number_of_every_kind_has_the_verdict_that_is_expected():
    seen, verdicts = set(), Counter()
    for name in case_names():
        rows = read_published(name)
        first = {kind: row for row in reversed(rows) if (kind := kind_of(row)) not in seen}
        seen |= first.keys()
        numbers = Numbers.of_case(name, rows) if first else None
        for row in first.values():
            verdict = numbers.verdict(row).verdict
            verdicts[verdict] += 1
            assert verdict in ("no data", {"same": "met", **NEEDS}.get(row.expect, row.expect)), row
    assert verdicts == {
        "met": 17, "erratum": 5, "undecided": 3, "truncated": 2, "propagated": 1, "no data": 7, "needs models": 2,
    }  # fmt: skip


@pytest.mark.exhaustive
@needs_germeval
def test_numbers_whose_data_are_in_a_folder():
    found = verify(BOTH, data=SHARED)
    assert found.tally == {"met": 180, "undecided": 3, "no data": 64}
    assert {finding.kind for finding in found.findings} == {"absent"}
    assert of("germeval", verify(BOTH)) == {"met": 95, "no data": 152}


@pytest.mark.skipif(not (SHARED / "hwv").is_dir(), reason=f"no hwv in {SHARED}")
def test_the_statistics_of_wikivitals_follow_from_its_files():
    assert verify(["plaud2024-table1"], data=SHARED).tally == {"met": 16, "no data": 19}


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


@pytest.mark.parametrize(("computed", "reading", "verdict"), [
    (4 / 15, "1 - 12 / 15", "erratum"), (4 / 15, "0.3", "wrong"), (4 / 15, None, "wrong"),
    (0.2, "0.2", "wrong"),  # met, so it needs no explanation any more
])  # fmt: skip
def test_an_erratum_needs_its_reading_and_must_still_be_one(computed, reading, verdict):
    row = Published("", "mgia", "", "0.2", expect="erratum", why="w", reading=reading or "")
    assert judged(row, computed, *([calculated(reading)] if reading else [])) == verdict


TABLE = PrintedTable({"A": {"x": 3, "y": 2, "z": 1}, "B": {"x": 1, "y": 2, "z": 3}}, ("B",))


@pytest.mark.parametrize(("text", "system", "found"), [
    ("kendall(A, B)", "", 1), ("-kendall(A, B)", "", -1), ("kendall(A, B) after B: x <-> y", "", 1 / 3),
    ("kendall(A, B) after B: x <-> y; A: x <-> y", "", 1), ("rank(A)", "x", 1), ("rank(A)", "z", 3),
    ("rank(B)", "x", 1), ("rank(B)", "z", 3), ("rank(A) after A: x < y", "x", 2),
    ("rank(B) after B: x < y", "x", 2), ("rank(A) after A: x = y", "y", 1), ("entry(B)", "z", 3),
    ("tau(A, B)", "", "there is no formula 'tau'"), ("kendall A", "", "cannot read"),
    ("kendall(A, C)", "", "the table: there is no measure 'C'"),
    ("kendall(A, B) after A: x <-> q", "", "the table: there is no system 'q'"),
    ("kendall(A, B) after A x y", "", "cannot read the change"),
    ("rank(A)", "", "the table: there is no system ''"),
])  # fmt: skip
def test_formulas_of_tables(text, system, found):
    if isinstance(found, str):
        with pytest.raises(BadInput, match=found):
            table_value(text, TABLE, system)
    else:
        assert table_value(text, TABLE, system) == pytest.approx(found)


def test_calculations():
    assert calculated("2 * 1 * 0.33 / (1 + 0.33)") == pytest.approx(0.4962, abs=1e-4)
    assert printed_value("0.49") == (0.49, 2)
    for bad in ("__import__('os')", "1 / 0", "x", "1 +", "9 ** 9"):
        with pytest.raises(BadInput, match="cannot calculate"):
            calculated(bad)


@pytest.mark.parametrize(("text", "message"), [
    ("lcas", "cannot read 'lcas'"), ("nearest(true, 9)", "there is no label '9'"),
    ("classes(true, gie)", "gie has no such sets"), ("field(tp, 2.1)", "has 2 paths from the root"),
    ("difference(hf, kosmopoulos2014-figure8b, nothing)", "there is no case 'nothing'"),
])  # fmt: skip
def test_what_cannot_be_looked_up_is_named(text, message):
    row = Published("predictions", text, "", "1")
    with pytest.raises(BadInput, match=re.escape(message)):
        Numbers.of_case("kosmopoulos2014-figure8b", [row]).value(text, row)


def test_what_cannot_be_asked_is_named():
    table = PrintedTable({name: {"x": x, "y": 3 - x} for name, x in (("A", 1), ("B", 2), ("D", 1))})
    rows = [Published("", "kendall(A, B)", "", "1"), Published("", "kendall(B, D)", "", "0.5")]
    asked = "kendall(A, B) after an exchange in A"
    assert sufficient_changes(asked, table, rows) == ("x <-> y",)
    assert sufficient_changes(asked, table, [Published("", "kendall(A, B)", "", "0.5")]) == ()
    with pytest.raises(BadInput, match="asks for no change"):
        sufficient_changes("kendall(A, B)", table, rows)
    with pytest.raises(BadInput, match="the table: there is no measure 'C'"):
        sufficient_changes("kendall(A, B) after an exchange in C", table, rows)
    with pytest.raises(BadInput, match="'costa2007-claims' has no labels to score"):
        load_case("costa2007-claims")


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
    rng, n = np.random.default_rng(1), 0
    names = [name for name in case_names() if not name.startswith("germeval")]
    for name in names[:: 1 if effort.exhaustive else 2]:
        path, lines, own = cases.rows_of(name)
        tables = "tables" in case_text(name) or any("hcm" in lines[k] for k in own)
        # numbers of labels and tables belong together; the others are recomputed one by one
        together = effort.exhaustive or {"files", "tables", "statistics"} & case_text(name).keys()
        known = [i for i in own if recomputed(lines[i].split("\t"))]
        for i in rng.permutation(known)[: (2 + tables) // (1 if effort.exhaustive else 2)]:
            fields = lines[i].split("\t")
            fields[4] = changed_digit(fields[4])
            before, after = (lines[:i], lines[i + 1 :]) if together else (lines[:1], [])
            path.write_text("\n".join([*before, "\t".join(fields), *after]))
            found = verify([name])
            known = found.verdicts[own.index(i) if together else 0].verdict != "no data"
            assert not (known and found.sound), (name, fields)
            n += known
        path.write_text("\n".join(lines))
    assert n > (50 if effort.exhaustive else 12)


@pytest.mark.parametrize(("name", "before", "after", "wrong"), [
    # numbers that nothing here can give, but that are written twice
    ("kosmopoulos2014-table10", "\t27875\t", "\t27876\t", 1), ("plaud2024-table1", "\t437\t", "\t438\t", 1),
    ("plaud2024-table5", "88.87 (0.15)", "88.88 (0.15)", 1), ("plaud2024-table5", "88.87 (0.15)", "88.87 (0.16)", 1),
    # an erratum that no single change explains
    ("kosmopoulos2014-table14", "MGIA and Acc\t0.810", "MGIA and Acc\t0.812", 8),
])  # fmt: skip
def test_what_does_not_fit_together_is_wrong(cases, name, before, after, wrong):
    cases.change_row(name, before, after)
    assert verify([name]).tally["wrong"] == wrong


@pytest.mark.parametrize(("word", "message"), [
    ("\tsme", "expect must be one of .* got 'sme'"), ("", "expected case system measure"),
])  # fmt: skip
def test_broken_rows_are_named(cases, word, message):
    cases.change_row("costa2007-claims", "\tsame\t", f"{word}\t")
    with pytest.raises(BadInput, match=rf"costa2007.tsv:.*{message}"):
        read_published("costa2007-claims")


@pytest.mark.parametrize(("file", "text", "message"), [
    ("predictions.tsv", "1\tnowhere\n", "nowhere"), ("edges.tsv", "A\tB\nB\tA\n", "cycle"),
])  # fmt: skip
def test_a_damaged_file_stops_only_its_case(cases, capsys, file, text, message):
    name, *others = some = ["kosmopoulos2014-figure11a", "plaud2024-figure2", "plaud2024-table5"]
    cases.put(name, file, text)
    found = verify(some)
    assert [(finding.case, finding.kind) for finding in found.findings] == [(name, "error")]
    mine = [v for v in found.verdicts if v.case == name]
    assert all(v.verdict == "error" and message in v.published.why for v in mine)
    assert "wrong" not in found.tally
    assert {v.case for v in found.verdicts} == set(some)
    assert not found.sound
    assert main(["verify", name, *others[1:], "--format", "csv"]) == 2
    out, err = capsys.readouterr()
    row = next(row for row in csv.DictReader(io.StringIO(out)) if row["verdict"] == "error")
    assert message in row["why"]
    assert f"{name}: error: " in err


def test_a_missing_instance_is_named_first(cases, capsys):
    name, file = "plaud2024-figure2", "prediction2.tsv"
    cases.put(name, file, lambda text: text.replace("leaf 2\t1|5\n", ""))
    [finding] = verify([name]).findings
    told = "{1,5}: 1 of 4 instances have no line in prediction2.tsv, such as leaf 2"
    assert (finding.kind, finding.message[: len(told)]) == ("missing", told)
    assert main(["verify", name]) == 1
    assert f"\n{name}: missing: {{1,5}}: 1 of 4" in capsys.readouterr().out
    assert main(["score", "--case", name, "-m", "hf"]) == 0
    assert "{1,5} has no line for 1 of 4 instances, such as leaf 2" in capsys.readouterr().err
    # numbers that are wrong because of that say so
    cases.put(name, file, lambda text: text.partition("\n")[2])
    why = [v.why for v in verify([name]).verdicts if v.verdict == "wrong"]
    assert [x for x in why if "{1,5}: 2 of 4 instances have no line" in x] == why != []
    source = cases.home / "plaud2024.toml"  # a file that is not there is told once
    text = source.read_text("utf-8").replace(f'"{file}" = ', '"elsewhere.tsv" = ')
    cases.write(source.name, text)
    assert [(x.kind, x.message) for x in verify([name]).findings] == [
        ("absent", "no file of {1,5}")
    ]
    # a file of counts that is cut between two systems has nothing else to notice
    cases.put("transposon", "counts.tsv", lambda text: text[: text.index("TopDown")])
    found = verify(["transposon"])
    told = [(finding.kind, finding.message) for finding in found.findings]
    assert (told, found.sound) == ([("missing", "there are no predictions of TopDown")], False)


def test_what_is_not_there_is_refused(tmp_path, capsys):
    with pytest.raises(BadInput, match="there is no case 'kosmopolous'"):
        verify(["kosmopoulos2014-figure11a", "kosmopolous"])
    with pytest.raises(BadInput, match="there is no folder germeval2019 or hwv in"):
        verify(data=tmp_path)
    (tmp_path / "germeval2019").mkdir()  # one of the folders will do for the cases of the other
    found = verify(["plaud2024-table1", "germeval2019-a"], data=tmp_path)
    assert found.tally.keys() == {"met", "no data", "error"}
    assert "hierarchy.tsv: there is no such file" in found.to_text()
    assert main(["verify", "--data", str(tmp_path / "nowhere")]) == 2
    assert "name the folder above with --data" in capsys.readouterr().err
    assert verify("kosmopoulos2014-figure11a", data=tmp_path).sound


def test_the_command(cases, capsys):
    assert main(["verify", "kosmopoulos2014-figure11"]) == 0
    out = capsys.readouterr().out.rstrip()
    assert out.endswith("20 printed values: 18 met, 2 truncated")
    assert out.count("  met\n") == 18
    found = verify("kosmopoulos2014-figure11a")
    assert str(found) == found.to_text()
    assert found.to_table(every=False) == found.to_text(every=False) != found.to_text()
    assert len(found.to_table("csv", every=False).splitlines()) == 1 + 1
    assert main(["verify", "kosmopoulos2014-figure11", "--open"]) == 0
    out = capsys.readouterr().out
    assert (out.count("Truncated, not rounded"), out.count("  met\n")) == (2, 0)
    cases.change_row("kosmopoulos2014-figure11a", "\t0.73\t", "\t0.74\t")
    assert main(["verify", "kosmopoulos2014-figure11a", "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert '"verdict": "wrong"' in out
    assert "1 wrong" in err
    assert main(["verify", "--list"]) == 0
    listed = capsys.readouterr().out
    assert [name for name in case_names() if name not in listed] == []


# ----------------------------------------------------------------------------- a user's claims

HEAD = 'hierarchy = "tree.tsv"\ntruth = "truth.tsv"\n[systems]\nmine = "run.tsv"\n'


@pytest.fixture
def folder(tmp_path):
    edges = "root food|food cheese|cheese brie|cheese gouda|food bread|root tools|tools saw"
    (tmp_path / "tree.tsv").write_text(edges.replace(" ", "\t").replace("|", "\n") + "\n")
    (tmp_path / "truth.tsv").write_text("a\tbrie|saw\nb\tbread\nc\tgouda\n")
    (tmp_path / "run.tsv").write_text("a\tgouda\nb\ttools|bread\nc\tcheese\n")
    return tmp_path


def claims(folder, *rows, head=HEAD):
    path = folder / "claims.toml"
    path.write_text(head + "".join(f"[[claims]]\n{row}\n" for row in rows))
    return verify_claims(path)


def claim(name, value, *rest):
    return "\n".join([f'system = "mine"\nmeasure = "{name}"\nvalue = "{value}"', *rest])


@pytest.mark.parametrize(("name", "value", "why"), [
    ("hf", "0.667", "hf(average='micro') gives 0.666667"),
    ("hf", "0.771", "hf(root='include') gives 0.771429"),
    ("hf", "0.73", "F of the mean hp and the mean hr gives 0.73064"),
    ("gie", "3.00", "gie(default=3) gives 3"),
    ("hf", "0.123", "no declared convention gives it ("),
    ("hf", "70.0", "in per cent, which is written 70.0 %, it is met"),
    ("hf", "66.7", "in per cent, which is written 66.7 %, hf(average='micro') gives 66.6667"),
])  # fmt: skip
def test_the_convention_that_gives_a_number_is_named(folder, name, value, why):
    [verdict] = claims(folder, claim(name, value)).verdicts
    assert verdict.verdict == "wrong"
    assert verdict.why.startswith(why)
    if why.startswith("no"):
        assert re.search(r"\(\d+ readings tried\); nearest: hf\(.*\) gives 0", verdict.why)
    if why.startswith(name):  # what is named gives the number, computed anew from the files
        named = why.partition(" gives ")[0]
        assert claims(folder, claim(named, value)).tally == {"met": 1}


def test_three_conventions_may_differ_and_a_fit_may_be_chance(folder):
    several = "hf(average='micro',root='include',beta=2)"
    [verdict] = claims(folder, claim(several, "0.5")).verdicts
    [found] = claims(folder, claim("hf", f"{verdict.computed:.6f}")).verdicts
    assert re.search(r" gives .*readings tried; it may be chance\)$", found.why)


def test_percent_places_and_properties(folder):
    rows = ['measure = "holds(long_distance, gie)"\nvalue = "1"']
    found = claims(folder, claim("hf", "70.0", 'unit = "%"', 'where = "Table 2"'), *rows)
    assert found.tally == {"met": 2}
    assert all(told in found.to_text() for told in ("Table 2", "70.0 %"))


ONE = HEAD + "[[claims]]\n"
SEVEN = claim("hf", "0.7")


@pytest.mark.parametrize(("text", "message"), [
    ("x = [", "claims.toml: not TOML"),
    (HEAD.replace('"run.tsv"', "7") + "[[claims]]\n" + SEVEN, "must name the file of 'mine' in quotes"),
    (ONE.replace('truth = "truth.tsv"', "") + SEVEN, "'truth' is missing; a file of claims has hier"),
    (HEAD, "'claims' is missing"),
    (HEAD.replace("truth =", "trth ="), "there is no key 'trth'; did you mean 'truth'"),
    (HEAD + '[[claims]]\nsystem = "mine"\n', "claim 1: expected system, measure and value"),
    (ONE + claim("hf", "0,7"), "claim 1: a printed number is written like"),
    (ONE + claim("hff", "0.7"), "claim 1: there is no measure 'hff'"),
    (ONE + SEVEN.replace('"0.7"', "0.7"), "claim 1: write the value in quotes"),
    (ONE + SEVEN.replace('"mine"', '"mnie"'), "claim 1: there is no system 'mnie'; did you mean"),
    (ONE + claim("hf", "0.7", 'unit = "pc"'), "unit must be '%' or left out"),
    (ONE + claim("hf", "0.7", 'wher = ""'), "claim 1: there is no key 'wher'"),
    (ONE + claim("tree_induced_error", "0.7"), "claim 1: .*tree_induced_error"),
    ('labels = {fmt = "csv"}\n' + ONE + claim("hf", "1.0"), "no key 'fmt'"),
    ('[[claims]]\nmeasure = "holds(alternative, gie)"\nvalue = "1"', "claim 1: there is no property"),
    ('[[claims]]\nmeasure = "holds(gie)"\nvalue = "1"', "claim 1: cannot read"),
    ('[[claims]]\nmeasure = "holds(silence, gee)"\nvalue = "1"', "there is no measure 'gee'"),
    ('[[claims]]\nsystem = "x"\nmeasure = "holds(silence, gie)"\nvalue = "1"', "leave system out"),
])  # fmt: skip
def test_faults_are_named(folder, text, message, capsys):
    (folder / "claims.toml").write_text(text)
    with pytest.raises(BadInput, match=message.replace("[", r"\[")):
        verify_claims(folder / "claims.toml")
    assert main(["verify", str(folder / "claims.toml")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_two_usual_changes_come_before_a_rare_one():
    tried = _candidates(measure("hf"))
    names = [m.name if m is not None else "means" for *_, m in tried]
    assert names.index("hf(average='micro')") < names.index("hf(beta=0.5)")
    assert names.index("means") < names.index("hf(beta=2)")
    several = [cost for changes, cost, _ in tried if changes]
    assert several == sorted(several)
    assert len(names) == len(set(names))
    both = measure("hf(root=include, average=micro)").name, "hf(beta=0.5)"
    row = Published("s", "hf", "", "0.500")
    why = nearest_readings(row, measure("hf"), lambda m: 0.5 if m.name in both else 0.9)
    assert why.startswith(f"{both[0]} gives 0.5; {both[1]} gives 0.5 (")


@pytest.mark.parametrize(("text", "message"), [
    ("a\tgouda\nb\ttools|bread\n", "1 instance has no prediction, such as 'c'"),
    ("a\tgouda\nb\ttools|bread\nc\tchee", "'chee'"),
    ("a\tgouda\nb\ttools|bread\nc\tcheese\td\n", "theirs.tsv:3"),
    (None, "theirs.tsv"),
])  # fmt: skip
def test_a_damaged_system_does_not_stop_the_others(folder, capsys, text, message):
    if text is not None:
        (folder / "theirs.tsv").write_text(text)
    head, mine = HEAD + 'theirs = "theirs.tsv"\n', claim("hf", "0.700")
    found = claims(folder, mine.replace("mine", "theirs"), mine, head=head)
    assert [v.verdict for v in found.verdicts] == ["error", "met"]
    assert message in found.verdicts[0].why
    assert [f.kind for f in found.findings] == ["error"]
    assert not found.sound
    assert main(["verify", str(folder / "claims.toml")]) == 2
    assert message in " ".join(capsys.readouterr().out.split())


FILES = "tree.tsv truth.tsv run.tsv"


@pytest.mark.parametrize(("words", "code", "said"), [
    ("claims.toml", 1, "hf(average='micro') gives 0.666667"), ("none.toml", 2, "none.toml"),
    ("claims.toml transposon", 2, "verify one file of claims by itself"),
    # a number of three files is judged as a claim; it goes together with a measure
    (f"{FILES} -m hf --value 0.70", 0, "1 met"), (f"{FILES} -m hf", 2, "--measures needs --value"),
    (f"{FILES} -m hf --value 0.667", 1, "hf(average='micro') gives 0.666667"),
    ("tree.tsv truth.tsv -m hf --value 1", 2, "three files, HIERARCHY TRUTH RUN"),
    (f"{FILES} -m hff --value 1", 2, "there is no measure 'hff'"), (f"{FILES} -m hf --value 70.0%", 0, "1 met"),
    (FILES, 2, "tree.tsv is no case; numbers of your own files are claimed by"), ("--case x", 2, "--case; see hierpair"),
    (f"{FILES} -m hf --value x", 2, "a printed number is written like"),
    ("no.tsv truth.tsv run.tsv -m hf --value 1", 2, "no.tsv"),
])  # fmt: skip
def test_the_command_of_claims(words, code, said, folder, capsys, monkeypatch):
    claims(folder, claim("hf", "0.700"), claim("hf", "0.667"))
    monkeypatch.chdir(folder)
    assert main(["verify", *words.split()]) == code
    assert said in "".join(capsys.readouterr())
