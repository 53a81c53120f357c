"""What people meet who are new to it: files in another order, a bad score, no header, a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from hierpair.cli.main import main

FILES = {
    "h.tsv": "r\ta\nr\tb\na\tc\n",
    "t.tsv": "x\ta\ny\tb\nz\tc\n",
    "gold.tsv": "x\ta|b\ny\tc\n",
    "shared.tsv": "x\tk\nx\tm\ny\tk\nz\tm\n",
    "leafy.tsv": "x\ta\ny\tq\nz\tb\n",
    "typo.tsv": "x\ta\ny\tbb\nz\tc\n",
    "bad.tsv": "x\ta\t0.5\ny\tb\t0.5\nz\tc\thigh\nx\tb\t0.25\n",
    "tabs.tsv": "x\ta\tb\ny\tb\t0.5\nz\tc\thigh\n",
    "bare.csv": "x,a\ny,b\nz,c\n",
    "one.tsv": "x\ta\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


def refused(capsys, *words):
    assert main([*words]) == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("verb", ["score", "compare", "explain"])
def test_another_file_in_the_place_of_the_hierarchy(verb, capsys):
    said = refused(capsys, verb, "gold.tsv", "leafy.tsv", "h.tsv")
    assert "gold.tsv: 2 roots" in said
    assert "a hierarchy comes first, then the truth, then predictions" in said


@pytest.mark.parametrize("verb", ["score", "curve"])
def test_one_bad_score_is_named(verb, capsys):
    said = refused(capsys, verb, "h.tsv", "t.tsv", "bad.tsv")
    assert "bad.tsv:3" in said
    assert "'high'" in said


def test_labels_separated_by_tabs_are_no_scores(capsys):
    assert "tabs.tsv:1: expected id TAB label|label" in refused(
        capsys, "score", "h.tsv", "t.tsv", "tabs.tsv"
    )


def test_a_table_without_a_header(capsys):
    said = refused(capsys, "score", "h.tsv", "t.tsv", "bare.csv")
    assert "bare.csv: there is no column 'labels'; there are x, a" in said


@pytest.mark.parametrize("given", ["runs", "mine=runs"])
def test_an_empty_folder_as_a_system(given, capsys):
    Path("runs").mkdir()
    said = refused(capsys, "score", "h.tsv", "t.tsv", given)
    assert "runs: there are no files in this folder" in said


@pytest.mark.parametrize("given", [".", ".."])
def test_a_folder_without_a_name_as_a_system(given, capsys):
    said = refused(capsys, "score", "h.tsv", "t.tsv", given)
    assert f"cannot read the system '{given}'; write NAME=FILE" in said


def test_one_is_singular(capsys):
    assert main(["score", "h.tsv", "one.tsv", "one.tsv", "-m", "hf"]) == 0
    assert "\n1 instance; " in capsys.readouterr().out
    Path("short.tsv").write_text("x\ta\ny\n")
    assert "got 1 field;" in refused(capsys, "score", "h.tsv", "t.tsv", "short.tsv")


def test_a_table_by_level(capsys):
    assert main(["score", "h.tsv", "t.tsv", "leafy.tsv", "--unknown", "drop", "--by", "level", "-q",
                 "--format", "csv", "--sort", "hf", "--fail-under", "hf=1"]) == 1  # fmt: skip
    header, *rows = (line.split(",") for line in capsys.readouterr().out.splitlines())
    accuracy, stopped = header.index("accuracy"), header.index("stopped")
    assert [(r[0], r[accuracy], r[stopped][:4]) for r in rows] == [
        ("1", "0.3333333333333333", "0.33"), ("2", "0.0", "1.0"),
    ]  # fmt: skip
    for words in (["--by", "level", "--preset", "hemkit"], ["--by", "namespace"]):
        assert "--by level goes without --preset" in refused(
            capsys, "score", "h.tsv", "t.tsv", "t.tsv", *words
        )
