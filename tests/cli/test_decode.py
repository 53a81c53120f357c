"""``hierpair decode`` as a user meets it."""

import json
from pathlib import Path

import pytest

from hierpair.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\t1\nr\t2\n1\t3\n1\t4\n1\t5\n")
    Path("p.tsv").write_text("x\t2\t0.25\nx\t3\t0.2\nx\t4\t0.2\nx\t5\t0.35\ny\t3\t1.0\n")
    Path("nodes.tsv").write_text("x\t1\t0.75\nx\t2\t0.25\nx\t3\t0.2\nx\t4\t0.2\nx\t5\t0.35\n")
    Path("odd.tsv").write_text("x\t1\t0.3\nx\t2\t0.2\nx\t4\t0.6\nx\t5\t0.9\n")

    def run_main(*arguments):
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run_main


def test_the_output_is_a_file_of_predictions(run):
    code, out, err = run("decode", "tree.tsv", "p.tsv", "-m", "hf")
    assert (code, out) == (0, "id\tlabels\nx\t1|2|5\ny\t1|3\n")
    assert err == (
        "expected hf ↑ 0.7825; best classes of every size, larger sizes bounded (exact)\n"
        "note: 1 of 2 predictions with several most specific classes, though one label is true: on "
        "average they are worth more than a single one; --labels one or --labels path gives that\n"
    )
    code, out, _ = run("decode", "tree.tsv", "p.tsv", "-m", "hf", "-o", "pred.tsv")
    assert (code, out) == (0, "")
    assert Path("pred.tsv").read_text() == "id\tlabels\nx\t1|2|5\ny\t1|3\n"
    Path("true.tsv").write_text("x\t5\ny\t3\n")
    code, out, _ = run("score", "tree.tsv", "true.tsv", "pred.tsv", "-m", "hf")
    assert code == 0
    assert "0.9" in out


def test_forms(run):
    for fmt in ("csv", "tsv"):
        _, out, _ = run("decode", "tree.tsv", "p.tsv", "-m", "hf", "--format", fmt)
        assert out.splitlines()[1].split("," if fmt == "csv" else "\t") == ["x", "1|2|5"]
    _, out, _ = run("decode", "tree.tsv", "p.tsv", "-m", "gie", "--format", "jsonl")
    assert [json.loads(line)["labels"] for line in out.splitlines()] == [["1"], ["3"]]
    _, _, err = run("decode", "tree.tsv", "p.tsv", "-m", "hf", "--set", "average=micro")
    assert "expected hf ↑ 0.8" in err


def test_nodes_scores_and_repairs(run):
    assert run("decode", "tree.tsv", "nodes.tsv", "-m", "hf", "--over", "nodes", "-q")[1] == (
        "id\tlabels\nx\t1|2|5\n"
    )
    code, out, err = run("decode", "tree.tsv", "odd.tsv", "-m", "hamming_loss", "--over", "scores")
    assert (code, out) == (0, "id\tlabels\nx\t4|5\n")
    code, out, _ = run(
        "decode",
        "tree.tsv",
        "odd.tsv",
        "-m",
        "symmetric_difference",
        "--over",
        "scores",
        "--closure",
        "max",
    )
    assert out == "id\tlabels\nx\t1|4|5\n"
    code, out, err = run("decode", "tree.tsv", "odd.tsv", "-m", "hf", "--over", "nodes")
    assert code == 2
    assert "class '5' is more probable than its parent '1'" in err
    code, out, _ = run("decode", "tree.tsv", "odd.tsv", "-m", "hf", "--over", "nodes",
                       "--closure", "min", "--excess", "rescale")  # fmt: skip
    assert code == 0


@pytest.mark.parametrize(('arguments', 'message'), [
    (['tree.tsv'], 'give a hierarchy and a file of probabilities'),
    (['tree.tsv', 'nodes.tsv'], '--over nodes is the other reading'),
    (['tree.tsv', 'p.tsv', '--format', 'latex'], '--format must be one of text, csv, tsv, jsonl'),
    (['tree.tsv', 'p.tsv', '--closure', 'max'], '--closure needs --over nodes or --over scores'),
    (['tree.tsv', 'p.tsv', '--set', 'root=zz'], "class 'zz' is not in the hierarchy"),
    (['tree.tsv', 'odd.tsv', '--over', 'scores'], 'hf needs more than the probability'),
    (['tree.tsv', 'no.tsv'], 'there is no such file'),
    (['tree.tsv', 'p.tsv', '--distribution-format', 'csv'], "the format of probabilities must be one of"),
    (['tree.tsv', 'p.tsv', '--limit-seconds', '0'], 'must be a number above 0'),
])  # fmt: skip
def test_bad_use_is_one_clear_message(run, arguments, message):
    code, out, err = run("decode", *arguments, "-m", "hf", "-o", "out.tsv")
    assert (code, out) == (2, "")
    assert err.startswith("hierpair: ")
    assert err.count("\n") == 1
    assert message in err
    assert not Path("out.tsv").exists()


def test_one_class_or_a_path_is_asked_for(run):
    code, out, err = run("decode", "tree.tsv", "p.tsv", "-m", "hf", "--labels", "path")
    assert (code, out) == (0, "id\tlabels\nx\t1|5\ny\t1|3\n")
    assert "best of 6 classes (exact)" in err
    assert "note" not in err
    assert run("decode", "tree.tsv", "p.tsv", "-m", "hf", "--labels", "one", "-q")[1] == (
        "id\tlabels\nx\t5\ny\t3\n"
    )


def test_a_measure_without_a_decoder_says_so(run):
    code, out, err = run("decode", "tree.tsv", "p.tsv", "-m", "lca_f")
    assert code == 0
    assert "candidates (not proved to be the best)" in err
    assert len(out.splitlines()) == 3
