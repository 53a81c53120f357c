"""``hierpair report``: the page of files, cases and partials, and what is refused in a line."""

from pathlib import Path

import numpy as np
import pytest

from hierpair import load_case, read_hierarchy, read_labels, score
from hierpair.cli import main
from tests.report.pages import Page

FILES = ["tree.tsv", "truth.tsv", "one=run1.tsv", "two=run2.tsv"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\tb\na\tc\na\td\n")
    Path("truth.tsv").write_text("x\tc\ny\td\nz\tb|c\n")
    Path("run1.tsv").write_text("x\tc\ny\tc\nz\tb\n")
    Path("run2.tsv").write_text("x\td\ny\td\nz\td\n")
    Path("texts.jsonl").write_text('{"id": "x", "body": "of x"}\n{"id": "y"}\n')
    Path("texts.csv").write_text('id,text\nx,"a text, of x"\ny,<b>of y</b>\nz,of z | and more\n')
    return tmp_path


@pytest.fixture(autouse=True)
def _no_charts(monkeypatch):
    """Charts take most of the time, and tests/report looks at them."""
    monkeypatch.setattr("hierpair.report.tables.find_spec", lambda name: None)


def written(*words, code=0):
    assert main(["report", *words, "-q", "-o", "out.html"]) == code
    return Page(Path("out.html").read_text("utf-8"))


@pytest.mark.exhaustive
def test_a_page_of_files(folder):
    page = written(*FILES, "-m", "hf", "-m", "gie", "--title", "Two runs", "--seed", "4",
                   "--texts", "texts.csv", "--worst", "1")  # fmt: skip
    tree = read_hierarchy("tree.tsv")
    truth = read_labels("truth.tsv", tree)
    runs = {
        name: read_labels(f"{file}.tsv", tree) for name, file in (("one", "run1"), ("two", "run2"))
    }
    scores = score(tree, truth, runs, ["hf", "gie"])
    assert np.array_equal(np.array(page.data["scores"]), scores.values)
    assert page.data["title"] == "Two runs"
    assert "seed=4" in page.data["comparison"]["signature"]
    told = {row["id"]: row["text"] for row in page.sections["instances"]["rows"]}
    assert told == {"x": "a text, of x", "y": "<b>of y</b>", "z": "of z | and more"}
    assert all(len(one["rows"]) == 1 for one in page.sections["instances"]["lists"])


def test_one_system_has_a_page_without_a_comparison(folder):
    page = written("tree.tsv", "truth.tsv", "run1.tsv", "-m", "hf")
    assert page.data["comparison"] is None
    assert page.data["has"]["classes"] is True


@pytest.mark.exhaustive
def test_a_case_whose_instances_are_other_objects_is_not_compared(folder):
    page = written("--case", "transposon", "-m", "hf", "-m", "gie", "--no-sensitivity")
    case = load_case("transposon")
    scores = score(case.hierarchy, case.y_true, case.systems, ["hf", "gie"])
    assert np.array_equal(np.array(page.data["scores"]), scores.values)
    assert page.data["title"] == case.title
    assert any("not the same objects" in line for line in page.data["absent"])


def test_partials_have_scores_alone(folder):
    for name in ("run1", "run2"):
        assert main(["partial", "tree.tsv", "truth.tsv", f"{name}.tsv", "-m", "hf", "--part", "p",
                     "--blocks", "3", "-q", "-o", f"{name}.hp"]) == 0  # fmt: skip
    page = written("run1.hp", "run2.hp")
    assert page.data["systems"] == ["run1", "run2"]
    assert page.data["has"] == {"classes": False, "instances": False,
                                "charts": page.data["has"]["charts"]}  # fmt: skip
    assert page.data["comparison"] is not None


def test_runs_of_a_system(folder):
    for k in (3, 4):
        Path(f"run{k}.tsv").write_text(Path(f"run{k - 2}.tsv").read_text())
    page = written(*FILES, "run3.tsv", "run4.tsv", "-m", "hf", "--test", "runs",
                   "--runs", "a=one,run4", "--runs", "b=two,run3")  # fmt: skip
    assert page.data["systems"] == ["a", "b"]


@pytest.mark.parametrize("texts", ["x\tof x\ny\tof y\nz\tof z\n", "of x\nof y\nof z\n",
                                   '{"id": "x", "text": "of x"}\n{"id": "y", "text": "of y"}\n'])  # fmt: skip
def test_texts_come_in_several_forms(folder, texts):
    Path("t.txt").write_text(texts)
    page = written("tree.tsv", "truth.tsv", "run2.tsv", "-m", "hf", "--texts", "t.txt")
    told = {row["id"]: row["text"] for row in page.sections["instances"]["rows"]}
    assert told["x"] == "of x"
    assert told["y"] == "of y"


def test_what_was_said_while_reading_is_a_warning(folder):
    Path("run1.tsv").write_text("c\nc\nb\n")
    page = written("tree.tsv", "truth.tsv", "run1.tsv", "-m", "hf")
    assert any("only the truth has ids" in line for line in page.data["warnings"])


@pytest.mark.parametrize(('words', 'said'), [
    (['tree.tsv', 'truth.tsv', 'none.tsv'], 'none.tsv: there is no such file'),
    (['tree.tsv', 'truth.tsv'], 'give a hierarchy, a truth and at least one file of predictions'),
    ([*FILES, '--texts', 'none.csv'], 'none.csv: there is no such file'),
    ([*FILES, '--texts', 'texts.csv', '--text-column', 'txt'], "texts.csv: there is no column 'txt'; did you mean 'text'?; there are id, text"),
    ([*FILES, '--text-column', 'note'], '--text-column needs --texts'),
    ([*FILES, '--worst', '0'], '--worst must be a whole number of at least 1, got 0'),
    ([*FILES, '--alpha', '2'], '--alpha must be between 0 and 1, got 2.0'),
    ([*FILES, '--runs', 'a=one', '--runs', 'a=two'], "'one' is not among the runs of any system"),
    ([*FILES, '--texts', 'texts.jsonl', '--text-column', 'body'], "texts.jsonl:2, instance 'y': a label must be a name, got no key 'body' ([] for none)"),
    ([*FILES, '--runs', 'a=one'], "'two' is not among the runs of any system"),
    ([*FILES, '--case', 'transposon'], '--case cannot be given with FILE'),
])  # fmt: skip
def test_bad_inputs_are_told_in_one_line(folder, words, said, capsys):
    assert main(["report", *words, "-m", "hf", "-o", "out.html"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[-1].startswith(f"hierpair: {said}"), told
    assert not Path("out.html").exists()


def test_the_page_can_be_piped(folder, capsysbinary):
    assert main(["report", *FILES, "-m", "hf", "-q"]) == 0
    assert capsysbinary.readouterr().out.startswith(b"<!doctype html>")
