"""Files of cases: damaged ones, missing instances, unlisted ones; and text that fits a terminal."""

import csv
import io
import os
import shutil

import pytest

from hierpair import BadInput, load_case, verify
from hierpair.cli import main
from hierpair.tables.text import terminal_width, text_width
from hierpair.verification import case_names
from tests.paths import SHARED
from tests.verification.case_edits import change_row, copied, put

DATA = SHARED
GERMEVAL = DATA / "germeval2019"
needs_germeval = pytest.mark.skipif(not GERMEVAL.is_dir(), reason=f"no germeval2019 in {DATA}")

SOME = [
    "kosmopoulos2014-figure11a", "kosmopoulos2014-table14", "plaud2024-figure2", "plaud2024-table1",
    "plaud2024-table5",
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    monkeypatch.delenv("HIERPAIR_DATA", raising=False)


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A copy of some cases that may be changed."""
    return copied(tmp_path, monkeypatch)


@pytest.fixture
def germeval(tmp_path):
    """A data folder whose files may be changed."""
    shutil.copytree(GERMEVAL, tmp_path / "data" / "germeval2019", copy_function=os.link)
    return tmp_path / "data" / "germeval2019"


def shortened(path, keep):
    """Keep some lines of a file that may be a link."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.unlink()
    path.write_text("".join(keep(lines)), "utf-8")


# ------------------------------------------------------------------------------ damaged files


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "file", "text", "message"),
    [
        ("kosmopoulos2014-figure11a", "predictions.tsv", "1\tnowhere\n", "nowhere"),
        ("kosmopoulos2014-figure11a", "edges.tsv", "A\tB\nB\tA\n", "cycle"),
    ],
)
def test_a_damaged_file_stops_only_its_case(cases, capsys, name, file, text, message):
    put(cases, name, file, text)
    check_damaged(name, message, capsys)


def check_damaged(name, message, capsys):
    """Check that a case is an error, and the only one."""
    found = verify(SOME)
    [finding] = found.findings
    assert (finding.case, finding.kind) == (name, "error")
    assert message in finding.message
    assert {v.verdict for v in found.verdicts if v.case == name} == {"error"}
    assert all(message in v.published.why for v in found.verdicts if v.case == name)
    assert "wrong" not in found.tally
    assert len({v.case for v in found.verdicts}) == len(SOME)
    assert not found.sound
    assert main(["verify", *SOME]) == 2
    out = capsys.readouterr().out
    assert out.startswith(f"{name}: error: ")
    assert main(["verify", *SOME, "--format", "csv"]) == 2
    captured = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(captured.out)))
    assert len(rows) == len(found.verdicts)
    assert message in next(row["why"] for row in rows if row["verdict"] == "error")
    assert f"{name}: error: " in captured.err


def test_an_unknown_case_stops_everything():
    with pytest.raises(BadInput, match="there is no case 'kosmopolous'"):
        verify(["kosmopoulos2014-figure11a", "kosmopolous"])


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        # Numbers that nothing here can give, but that are written twice.
        ("kosmopoulos2014-table10", "\t27875\t", "\t27876\t"),
        ("plaud2024-table5", "88.87 (0.15)", "88.88 (0.15)"),
        ("plaud2024-table5", "88.87 (0.15)", "88.87 (0.16)"),
        ("plaud2024-table1", "\t437\t", "\t438\t"),
    ],
)
def test_two_copies_of_a_number_must_be_the_same(cases, name, before, after):
    change_row(cases, name, before, after)
    assert verify([name]).tally["wrong"] == 1


def test_an_erratum_that_no_single_change_explains_is_wrong(cases):
    before = "kendall(MGIA, Acc)\tTable 15, MGIA and Acc\t0.810"
    change_row(cases, "kosmopoulos2014-table14", before, before.replace("0.810", "0.812"))
    assert verify(["kosmopoulos2014-table14"]).tally["wrong"] == 8


# ------------------------------------------------------------------------------ missing, unlisted


def test_a_missing_instance_is_named_first(cases, capsys):
    put(
        cases,
        "plaud2024-figure2",
        "prediction2.tsv",
        lambda text: text.replace("leaf 2\t1|5\n", ""),
    )
    found = verify(["plaud2024-figure2"])
    [finding] = found.findings
    assert finding.kind == "missing"
    assert finding.message.startswith(
        "{1,5}: 1 of 4 instances have no line in prediction2.tsv, such as leaf 2"
    )
    assert main(["verify", "plaud2024-figure2"]) == 1
    assert capsys.readouterr().out.startswith("plaud2024-figure2: missing: {1,5}: 1 of 4")


def test_a_number_that_is_wrong_for_missing_instances_says_so(cases):
    put(cases, "plaud2024-figure2", "prediction2.tsv", lambda text: text.partition("\n")[2])
    wrong = [v for v in verify(["plaud2024-figure2"]).verdicts if v.verdict == "wrong"]
    assert wrong
    assert all("{1,5}: 1 of 4 instances have no line" in v.why for v in wrong)


def test_a_system_that_is_gone_is_named(cases):
    """A file of counts that is cut between two systems has nothing else to notice."""
    put(cases, "transposon", "counts.tsv", lambda text: text[: text.index("TopDown")])
    found = verify(["transposon"])
    [finding] = found.findings
    assert (finding.kind, finding.message) == ("missing", "there are no predictions of TopDown")
    assert not found.sound


def test_scoring_a_case_says_what_is_missing(cases, capsys):
    put(
        cases,
        "plaud2024-figure2",
        "prediction2.tsv",
        lambda text: text.replace("leaf 2\t1|5\n", ""),
    )
    assert main(["score", "--case", "plaud2024-figure2", "-m", "hf"]) == 0
    said = "{1,5} has no line for 1 of 4 instances, such as leaf 2"
    assert said in capsys.readouterr().err


@pytest.mark.exhaustive
@needs_germeval
def test_a_cut_file_of_a_system_names_the_books(germeval, capsys):
    """Numbers are wrong because books are missing, and that is said first."""
    file = "DFKI-SLT__full.tsv"
    shortened(germeval / file, lambda lines: lines[:-40])
    names = ["germeval2019-a", "germeval2019-b"]
    found = verify(names, data=germeval.parent)
    missing = [f for f in found.findings if f.kind == "missing"]
    assert missing
    gone = set(load_case(missing[0].case, germeval.parent).missing)
    assert gone in ({"DFKI-SLT"}, {"DKFI-SLT"})
    assert f"of 4157 instances have no line in {file}, such as 978" in missing[0].message
    assert main(["verify", *names, "--data", str(germeval.parent), "--open"]) == 1
    assert capsys.readouterr().out.splitlines()[0].startswith(f"{missing[0].case}: missing: ")


@pytest.mark.exhaustive
@needs_germeval
def test_books_that_the_source_lacks_are_no_finding(germeval):
    found = verify(["germeval2019-a"], data=germeval.parent)
    assert [f.kind for f in found.findings] == ["absent"]
    assert "Comtravo-DS" in found.findings[0].message


@pytest.mark.exhaustive
@needs_germeval
def test_a_malformed_file_of_a_system_leaves_the_other_task(germeval):
    shortened(germeval / "HUIU__multi.tsv", lambda lines: [*lines[:5], "no\ttabs\tat\tall\tx\n"])
    found = verify(["germeval2019-a", "germeval2019-b"], data=germeval.parent)
    assert [f.kind for f in found.findings][:1] == ["error"]
    assert "HUIU__multi.tsv" in found.findings[0].message
    assert {v.verdict for v in found.verdicts if v.case == "germeval2019-a"} == {"error"}
    assert "met" in {v.verdict for v in found.verdicts if v.case == "germeval2019-b"}


@pytest.mark.exhaustive
@needs_germeval
def test_half_a_line_is_no_blank_label(germeval):
    path = germeval / "HSHL__LogisticRegression_NaiveBayes1.tsv"
    shortened(path, lambda lines: [*lines[:-1], lines[-1].rstrip()[:-3]])
    found = verify(["germeval2019-a", "germeval2019-b"], data=germeval.parent)
    [damaged] = [f for f in found.findings if f.kind == "error"]
    assert "'Sachbu' is not in the hierarchy" in damaged.message
    assert path.name in damaged.message


def test_a_data_folder_that_has_nothing_of_it_is_refused(tmp_path, capsys):
    with pytest.raises(BadInput, match="there is no folder germeval2019 or hwv in"):
        verify(data=tmp_path)
    assert main(["verify", "--data", str(tmp_path / "nowhere")]) == 2
    assert "name the folder above with --data" in capsys.readouterr().err
    assert verify(["kosmopoulos2014-figure11a"], data=tmp_path).sound


# ------------------------------------------------------------------------------ width


@pytest.mark.exhaustive
@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("80", 80), ("40", 60), ("300", 100)])
def test_no_line_is_wider_than_the_terminal(monkeypatch, capsys, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width() == width
    names = [n for n in case_names() if "table" in n and n != "kosmopoulos2014-table9"]
    main(["verify", *names, "kosmopoulos2014-section3.5", "plaud2024-figure2"])
    assert max(map(text_width, capsys.readouterr().out.splitlines())) <= width
