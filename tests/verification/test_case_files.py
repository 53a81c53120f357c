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
from tests.verification.case_edits import change_row, put

GERMEVAL = SHARED / "germeval2019"
needs_germeval = pytest.mark.skipif(not GERMEVAL.is_dir(), reason=f"no germeval2019 in {SHARED}")
BOTH = ["germeval2019-a", "germeval2019-b"]

SOME = [
    "kosmopoulos2014-figure11a", "kosmopoulos2014-table14", "plaud2024-figure2", "plaud2024-table1",
    "plaud2024-table5",
]  # fmt: skip


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


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [("predictions.tsv", "1\tnowhere\n", "nowhere"), ("edges.tsv", "A\tB\nB\tA\n", "cycle")],
)
def test_a_damaged_file_stops_only_its_case(cases, capsys, file, text, message):
    name = SOME[0]
    put(cases, name, file, text)
    found = verify(SOME)
    [finding] = found.findings
    assert (finding.case, finding.kind) == (name, "error")
    assert message in finding.message
    assert {v.verdict for v in found.verdicts if v.case == name} == {"error"}
    assert all(message in v.published.why for v in found.verdicts if v.case == name)
    assert "wrong" not in found.tally
    assert len({v.case for v in found.verdicts}) == len(SOME)
    assert not found.sound
    few = [name, "plaud2024-table5"]
    assert main(["verify", *few]) == 2
    assert " ".join(capsys.readouterr().out.split()).startswith(f"{name}: error: ")
    assert main(["verify", *few, "--format", "csv"]) == 2
    captured = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(captured.out)))
    assert message in next(row["why"] for row in rows if row["verdict"] == "error")
    assert f"{name}: error: " in captured.err


def test_an_unknown_case_stops_everything():
    with pytest.raises(BadInput, match="there is no case 'kosmopolous'"):
        verify(["kosmopoulos2014-figure11a", "kosmopolous"])


@pytest.mark.parametrize(
    ("name", "before", "after", "wrong"),
    [
        # Numbers that nothing here can give, but that are written twice.
        ("kosmopoulos2014-table10", "\t27875\t", "\t27876\t", 1),
        ("plaud2024-table5", "88.87 (0.15)", "88.88 (0.15)", 1),
        ("plaud2024-table5", "88.87 (0.15)", "88.87 (0.16)", 1),
        ("plaud2024-table1", "\t437\t", "\t438\t", 1),
        # An erratum that no single change explains.
        ("kosmopoulos2014-table14", "MGIA and Acc\t0.810", "MGIA and Acc\t0.812", 8),
    ],
)
def test_what_does_not_fit_together_is_wrong(cases, name, before, after, wrong):
    change_row(cases, name, before, after)
    assert verify([name]).tally["wrong"] == wrong


def test_a_missing_instance_is_named_first(cases, capsys):
    name, file = "plaud2024-figure2", "prediction2.tsv"
    put(cases, name, file, lambda text: text.replace("leaf 2\t1|5\n", ""))
    [finding] = verify([name]).findings
    said = "{1,5}: 1 of 4 instances have no line in prediction2.tsv, such as leaf 2"
    assert finding.kind == "missing"
    assert finding.message.startswith(said)
    assert main(["verify", name]) == 1
    assert capsys.readouterr().out.startswith(f"{name}: missing: {{1,5}}: 1 of 4")
    assert main(["score", "--case", name, "-m", "hf"]) == 0
    said = "{1,5} has no line for 1 of 4 instances, such as leaf 2"
    assert said in capsys.readouterr().err
    # Numbers that are wrong because of that say so.
    put(cases, name, file, lambda text: text.partition("\n")[2])
    wrong = [v for v in verify([name]).verdicts if v.verdict == "wrong"]
    assert wrong
    assert all("{1,5}: 2 of 4 instances have no line" in v.why for v in wrong)


def test_a_system_that_is_gone_is_named(cases):
    """A file of counts that is cut between two systems has nothing else to notice."""
    put(cases, "transposon", "counts.tsv", lambda text: text[: text.index("TopDown")])
    found = verify(["transposon"])
    [finding] = found.findings
    assert (finding.kind, finding.message) == ("missing", "there are no predictions of TopDown")
    assert not found.sound


@pytest.mark.exhaustive
@needs_germeval
def test_a_cut_file_of_a_system_names_the_books(germeval, capsys):
    """Numbers are wrong because books are missing, and that is said first."""
    file = "DFKI-SLT__full.tsv"
    shortened(germeval / file, lambda lines: lines[:-40])
    found = verify(BOTH, data=germeval.parent)
    missing = [f for f in found.findings if f.kind == "missing"]
    assert missing
    gone = set(load_case(missing[0].case, germeval.parent).missing)
    assert gone in ({"DFKI-SLT"}, {"DKFI-SLT"})
    assert f"of 4157 instances have no line in {file}, such as 978" in missing[0].message
    assert main(["verify", *BOTH, "--data", str(germeval.parent), "--open"]) == 1
    assert capsys.readouterr().out.splitlines()[0].startswith(f"{missing[0].case}: missing: ")


@pytest.mark.exhaustive
@needs_germeval
@pytest.mark.parametrize(
    ("file", "keep", "message"),
    [
        ("HUIU__multi.tsv", lambda x: [*x[:5], "no\ttabs\tat\tall\tx\n"], "HUIU__multi.tsv"),
        (
            "HSHL__LogisticRegression_NaiveBayes1.tsv",  # half a line is no blank label
            lambda x: [*x[:-1], x[-1].rstrip()[:-3]],
            "'Sachbu' is not in the hierarchy",
        ),
    ],
)
def test_a_damaged_file_of_a_system_leaves_the_other_task(germeval, file, keep, message):
    """And books that the source lacks are no finding."""
    whole = verify(BOTH[:1], data=germeval.parent)
    assert [f.kind for f in whole.findings] == ["absent"]
    assert "Comtravo-DS" in whole.findings[0].message
    shortened(germeval / file, keep)
    found = verify(BOTH, data=germeval.parent)
    damaged = [f for f in found.findings if f.kind == "error"]
    assert damaged[:1] == list(found.findings[:1])
    assert message in damaged[0].message
    assert file in damaged[0].message
    assert {v.verdict for v in found.verdicts if v.case == damaged[0].case} == {"error"}
    assert len(damaged) == 2 or "met" in found.tally


def test_a_data_folder_that_has_nothing_of_it_is_refused(tmp_path, capsys):
    with pytest.raises(BadInput, match="there is no folder germeval2019 or hwv in"):
        verify(data=tmp_path)
    assert main(["verify", "--data", str(tmp_path / "nowhere")]) == 2
    assert "name the folder above with --data" in capsys.readouterr().err
    assert verify(["kosmopoulos2014-figure11a"], data=tmp_path).sound


@pytest.mark.exhaustive
@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("80", 80), ("40", 60), ("300", 100)])
def test_no_line_is_wider_than_the_terminal(monkeypatch, capsys, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width() == width
    names = [n for n in case_names() if "table" in n and n != "kosmopoulos2014-table9"]
    main(["verify", *names, "kosmopoulos2014-section3.5", "plaud2024-figure2"])
    assert max(map(text_width, capsys.readouterr().out.splitlines())) <= width
