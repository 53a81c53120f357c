"""``hierpair compare`` about measures: agreement over systems and instances, power."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from hierpair import read_hierarchy, read_labels, score
from hierpair.cli import main
from hierpair.comparison import agreement, discrimination, respond

MEASURES = ["-m", "hf", "-m", "gie", "-m", "hp"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    Path("tree.tsv").write_text("r\ta\nr\tb\na\tc\na\td\nb\te\n")
    names = np.array(list("abcde"))
    for side, errors in (("truth", 0), ("good", 0.2), ("fair", 0.4), ("poor", 0.8)):
        labels = np.random.default_rng(0).choice(names, 60)
        wrong = rng.random(60) < errors
        drawn = np.where(wrong, rng.choice(names, 60), labels)
        Path(f"{side}.tsv").write_text("".join(f"i{k}\t{x}\n" for k, x in enumerate(drawn)))
    return ["tree.tsv", "truth.tsv", "good.tsv", "fair.tsv", "poor.tsv"]


@pytest.fixture
def run(capsys):
    def called(*arguments):
        code = main([*map(str, arguments)])
        out = capsys.readouterr()
        return code, out.out, out.err

    return called


def scores(files):
    tree = read_hierarchy(files[0])
    truth, *systems = (read_labels(name, tree) for name in files[1:])
    named = dict(zip(("good", "fair", "poor"), systems, strict=True))
    return score(tree, truth, named, ["hf", "gie", "hp"], keep_classes=True)


def test_agreement_is_that_of_the_function(files, run):
    code, out, _ = run("compare", *files, *MEASURES, "-q", "--agreement", "--of", "systems",
                       "--bootstrap", 50, "--seed", 3, "--format", "json")  # fmt: skip
    assert code == 0
    found = agreement(scores(files), n_bootstrap=50, seed=3)
    assert json.loads(out) == json.loads(found.to_json())
    code, out, _ = run("compare", *files, *MEASURES, "-q", "--agreement", "--of", "instances",
                       "--format", "csv")  # fmt: skip
    assert code == 0
    assert out.strip() == agreement(scores(files), of="instances").to_csv().strip()
    plain = run("compare", *files, *MEASURES, "-q", "--agreement")[1]
    assert "interval" not in plain
    assert "one left out" in run("compare", *files, *MEASURES, "-q", "--agreement", "spearman",
                                 "--of", "systems", "--bootstrap", 9)[1]  # fmt: skip


def test_power_is_that_of_the_function(files, run):
    code, out, _ = run("compare", *files, *MEASURES, "-q", "--power", "--sizes", "10,30", "--alpha",
                       0.1, "--permutations", 99, "--bootstrap", 20, "--format", "csv")  # fmt: skip
    assert code == 0
    found = discrimination(
        scores(files), alpha=0.1, sizes=[10, 30], n_permutations=99, n_bootstrap=20
    )
    assert list(csv.reader(io.StringIO(out))) == list(csv.reader(io.StringIO(found.to_csv())))
    assert (
        "of systems with p ≤ α"
        in run("compare", *files, "-m", "hf", "-q", "--power", "--bootstrap", 9)[1]
    )


@pytest.mark.parametrize(('options', 'message'), [
    (['--of', 'systems'], '--of needs --agreement or --view clusters'),
    (['--sizes', '5'], '--sizes needs --power or --view power'),
    (['--power', '--sizes', '5,x'], 'must be whole numbers such as 100,400'),
    (['--power', '--sizes', '99'], 'a size must be a whole number from 2 to 60'),
    (['--power', '--fail-under', 'hf=0.5'], '--fail-under cannot be given with --power'),
    (['--agreement', 'spearman', '--of', 'instances'], 'over instances the coefficient is'),
    (['--agreement', '--of', 'classes'], 'must be one of instances, systems'),
])  # fmt: skip
def test_wrong_usage_is_one_line(files, run, options, message):
    try:
        code, out, err = run("compare", *files, *MEASURES, *options, "-q")
    except SystemExit as stop:
        code, out, err = stop.code, "", message
    assert (code, out) == (2, "")
    assert message in err


def test_what_is_not_of_the_same_objects_or_has_no_values(files, run):
    case = ["--case", "transposon", "-m", "hf", "-m", "gie", "-q"]
    for question in (["--agreement", "--of", "systems"], ["--power"]):
        code, _, err = run("compare", *case, *question)
        assert code == 2
        assert "not the same objects for all systems" in err
    part = ["-m", "hf", "-m", "gie", "--part", "x", "--blocks", 5, "-q", "-o", "part.hp"]
    assert run("partial", *files, *part)[0] == 0
    for question in (["--agreement", "--of", "instances"], ["--power"]):
        code, _, err = run("compare", "part.hp", *question, "-q")
        assert code == 2
        assert "partial" in err or "needs labels" in err
    code, out, _ = run(
        "compare", "part.hp", "--agreement", "--of", "systems", "-q", "--bootstrap", 9
    )
    assert code == 0
    assert "one left out" in out


FEW = ["--property", "add_right", "--scope", 2, "--samples", 0]


@pytest.mark.exhaustive
def test_examine_with_labels_shows_responses(files, run):
    tree = read_hierarchy("tree.tsv")
    truth = read_labels("truth.tsv", tree)
    words = ["examine", "tree.tsv", "truth.tsv", "-m", "hf", "-m", "gie", "-q", "--seed", 3]
    steps = ["--steps", "up1, unrelated,drop", "--rounds", 2]
    code, out, _ = run(*words, *steps, "--only-labels", "--format", "csv")
    found = respond(
        tree, truth, ["hf", "gie"], steps=["up1", "unrelated", "drop"], rounds=2, seed=3
    )
    assert code == 0
    assert out.strip() == found.to_csv().strip()
    code, out, _ = run(*words, *steps, *FEW)
    assert code == 0
    assert "add_right" in out
    assert found.to_text() in out
    given = ["examine", *files[:2], "hf", "gie", "-q", *steps]
    text = run(*given, "--only-labels", "--picture", "r.svg")[1]
    assert "add_right" not in text
    assert "<svg" in Path("r.svg").read_text("utf-8")


@pytest.mark.parametrize(('options', 'message'), [
    (['--steps', 'up1'], '--steps needs labels'),
    (['tree.tsv', '--only-labels'], '--only-labels needs labels'),
    (['tree.tsv', 'truth.tsv', 'good.tsv'], 'hierpair compare --agreement, or --power'),
    (['tree.tsv', 'truth.tsv', '--format', 'csv'], 'csv holds one table, and here are two'),
    (['tree.tsv', 'truth.tsv', '--only-labels', *FEW], '--property cannot be given with --only-labels'),
    (['tree.tsv', 'truth.tsv', '--steps', 'uncle'], "there is no step 'uncle'"),
])  # fmt: skip
def test_examine_refuses_what_is_without_effect(files, run, options, message):
    code, out, err = run("examine", *options, "-m", "hf", "-q")
    assert (code, out) == (2, "")
    assert message in err
