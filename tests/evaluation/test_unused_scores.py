"""Scores of predictions that nothing was chosen by: said wherever the numbers go."""

import csv
import io
import json

import pandas as pd
import pytest

from hierpair import Hierarchy, LabelSets, compare, read_labels, score
from hierpair.cli import main
from hierpair.evaluation.notes import UNUSED_SCORES
from hierpair.labels import Columns

ROWS = [("x", "b", 0.9), ("x", "c", 0.1), ("y", "c", 0.8), ("z", "d", 0.3)]
LONG = "".join(f"{i}\t{label}\t{s}\n" for i, label, s in ROWS)
TABLE = "id,label,score\n" + "".join(f"{i},{label},{s}\n" for i, label, s in ROWS)
JSON = "".join(json.dumps({"id": i, "label": label, "score": s}) + "\n" for i, label, s in ROWS)
FORMS = {
    "p.tsv": (LONG, []),
    "named.csv": (TABLE.replace("score", "how"), ["--long", "--score-column", "how"]),
    "p.jsonl": (JSON, []),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text("r\ta\na\tb\na\tc\nr\td\n")
    (tmp_path / "true.tsv").write_text("x\tb\ny\tc\nz\td\n")
    (tmp_path / "plain.tsv").write_text("x\tb\ny\tb\nz\td\n")


def run(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr()


@pytest.mark.parametrize("name", FORMS)
def test_it_is_said_on_the_command_line(tmp_path, capsys, name):
    content, options = FORMS[name]
    (tmp_path / name).write_text(content)
    files = ["tree.tsv", "true.tsv", f"s={name}", *options]
    out, err = run(capsys, "score", *files, "-m", "hf")
    assert f"s: {UNUSED_SCORES}" in out
    assert err.count(UNUSED_SCORES) == 1
    quiet = run(capsys, "score", *files, "-m", "hf", "-q")
    assert UNUSED_SCORES in quiet.out
    assert not quiet.err
    text = run(capsys, "score", *files, "-m", "hf", "-q", "--format", "csv").out
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["doubts"] == UNUSED_SCORES
    data = json.loads(run(capsys, "score", *files, "-m", "hf", "-q", "--format", "json").out)
    assert f"s: {UNUSED_SCORES}" in data["notes"]
    assert UNUSED_SCORES in run(capsys, "explain", *files).err


def test_not_where_scores_choose_or_are_none(tmp_path, capsys):
    (tmp_path / "p.tsv").write_text(LONG)
    for words in (["s=p.tsv", "--min-score", "0"], ["s=p.tsv", "--min-score", "0.5", "--missing", "empty"],
                  ["plain.tsv"]):  # fmt: skip
        out, err = run(capsys, "score", "tree.tsv", "true.tsv", *words, "-m", "hf")
        assert "scores of predictions" not in out + err
        text = run(capsys, "score", "tree.tsv", "true.tsv", *words, "--format", "csv").out
        assert "doubts" not in text
    out, err = run(capsys, "score", "tree.tsv", "true.tsv", "p.tsv", "--preset", "cafaeval")
    assert "scores of predictions" not in out + err


def test_it_is_said_in_python(tmp_path):
    (tmp_path / "p.tsv").write_text(LONG)
    tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    truth = {"x": "b", "y": "c", "z": "d"}
    scored = read_labels("p.tsv", tree)
    chosen = read_labels("p.tsv", tree, columns=Columns(long=True, min_score=0.2))
    frame = pd.DataFrame(ROWS, columns=["id", "label", "score"])
    framed = LabelSets.from_frame(frame, tree, long=True)
    systems = {"s": scored, "t": chosen, "u": framed, "v": truth}
    found = score(tree, truth, systems, ["hf", "gie"])
    assert found.unused_scores == ("s", "u")
    assert f"each of s, u: {UNUSED_SCORES}" in found.notes
    for text in (found.to_text(), found.to_markdown(), found.to_latex()):
        assert "scores of predictions were not used" in text
    apart = [score(tree, truth, {name: x}, ["hf", "gie"]) for name, x in systems.items()]
    joined = compare(apart, n_permutations=20, n_bootstrap=20)
    assert joined.scores.unused_scores == ("s", "u")
    assert joined.to_csv().count(UNUSED_SCORES) == 4
