"""The ending of the output file says the format where nothing else does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hierpair.cli.main import main

FILES = {"h.tsv": "r\ta\nr\tb\n", "t.tsv": "x\ta\ny\tb\n", "p.tsv": "x\ta\ny\ta\n",
         "distribution.tsv": "x\ta\t0.6\nx\tb\t0.4\n"}  # fmt: skip
SCORE = ["score", "h.tsv", "t.tsv", "p.tsv", "-q", "-m", "hf"]
STARTS = {
    "o.csv": "system,measure,", "o.CSV": "system,measure,", "o.tsv": "system\tmeasure\t",
    "o.json": "{\n", "o.jsonl": '{"system"', "o.ndjson": '{"system"', "o.md": "| system |",
    "o.tex": "%", "o.txt": "system  ", "o": "system  ",
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("file", "start"), STARTS.items())
def test_the_ending_says_the_format(file, start):
    assert main([*SCORE, "-o", file]) == 0
    assert Path(file).read_text("utf-8").startswith(start)


def test_a_format_that_is_given_counts_more():
    assert main([*SCORE, "-o", "o.csv", "--format", "text"]) == 0
    assert Path("o.csv").read_text("utf-8").startswith("system  ")
    assert main([*SCORE, "-o", "o.txt", "--format", "json"]) == 0
    json.loads(Path("o.txt").read_text("utf-8"))


@pytest.mark.parametrize(
    "words",
    [
        ["measures"],
        ["check", "h.tsv", "t.tsv"],
        ["compare", "h.tsv", "t.tsv", "p.tsv", "o=p.tsv", "-m", "hf", "--bootstrap", "20"],
        ["explain", "h.tsv", "t.tsv", "p.tsv", "-m", "hf"],
        ["verify", "--list"],
        ["decode", "h.tsv", "distribution.tsv", "-m", "hf"],
        SCORE,
    ],
)
def test_of_all_verbs(words):
    assert main([*words, "-q", "-o", "o.json"]) == 0
    json.loads(Path("o.json").read_text("utf-8"))


def test_what_a_verb_does_not_write_is_said(capsys):
    words = ["explain", "h.tsv", "t.tsv", "p.tsv", "-m", "hf", "-q", "-o", "o.csv"]
    assert main(words) == 2
    assert "o.csv: explain does not write csv; it writes text, json" in capsys.readouterr().err
    assert not Path("o.csv").exists()
    assert main([*words, "--format", "text"]) == 0


def test_predictions_that_are_decoded_are_read_again():
    assert main(["decode", "h.tsv", "distribution.tsv", "-m", "hf", "-q", "-o", "o.tsv"]) == 0
    assert main(["score", "h.tsv", "o.tsv", "o.tsv", "-q", "-o", "s.json"]) == 0


def test_a_configuration_names_the_file():
    Path("c.toml").write_text(
        "hierarchy = 'h.tsv'\ntruth = 't.tsv'\nmeasures = ['hf']\n[systems]\np = 'p.tsv'\n"
        "[output]\nfile = 'o.csv'\n"
    )
    assert main(["score", "--config", "c.toml", "-q"]) == 0
    assert Path("o.csv").read_text("utf-8").startswith("system,measure,")
