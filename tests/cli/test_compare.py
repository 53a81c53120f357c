"""``hierpair compare`` as a user meets it, and published rankings of real systems."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from hierpair import compare, load_case, score
from hierpair.cli import main
from hierpair.verification import read_published
from tests.paths import SHARED

DATA = SHARED
HAS_GERMEVAL = (DATA / "germeval2019").is_dir()


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A hierarchy, a truth, and three systems of 60 instances."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    Path("tree.tsv").write_text("r\ta\na\tb\na\tc\nr\td\nd\te\n")
    names = list("abcde")
    truth = rng.choice(names, 60)
    Path("truth.tsv").write_text("".join(f"i{k}\t{t}\n" for k, t in enumerate(truth)))
    for name, rate in (("good", 0.1), ("fair", 0.12), ("bad", 0.9)):
        said = [t if rng.random() > rate else rng.choice(names) for t in truth]
        Path(f"{name}.tsv").write_text("".join(f"i{k}\t{t}\n" for k, t in enumerate(said)))
    return ["tree.tsv", "truth.tsv", "good.tsv", "fair.tsv", "bad.tsv"]


@pytest.fixture
def run(capsys):
    def run_main(*arguments):
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run_main


def test_text(files, run):
    code, out, err = run("compare", *files, "-m", "hf", "-m", "gie", "--seed", "3", "--signatures")
    assert code == 0
    assert err.startswith("scored on a tree of 6 classes")
    rows = {line.split()[0]: line for line in out.splitlines() if line}
    assert "†" in rows["bad"] or "…" in rows["bad"]
    table = [line.split() for line in out.split("\n\n")[0].splitlines()]
    assert table[0] == ["system", "hf", "↑", "gie", "↓", "labels"]
    assert [row[2] for row in table[1:4]] == ["(1)", "(1)", "(3)"]
    assert table[4] == ["(truth)", "1.00"]
    assert "compare(test=permutation,permutations=10000," in out
    assert "seed=3)|hierpair" in out
    assert "hf(beta=1," in out


@pytest.mark.parametrize("question", [[], ["--pairs"], ["--agreement"], ["--vary", "root=include"],
                                      ["--differ", "good,bad"], ["--sensitivity"]])  # fmt: skip
@pytest.mark.parametrize("fmt", ["json", "jsonl", "csv", "tsv", "markdown", "latex", "text"])
def test_every_form_of_every_question(files, run, fmt, question):
    code, out, _ = run("compare", *files, "-m", "hf", "-m", "symmetric_difference", "--permutations", 50,
                       "--bootstrap", 50, "--format", fmt, "-o", "out", *question)  # fmt: skip
    assert (code, out) == (0, "")
    text = Path("out").read_text("utf-8")
    assert "nan" not in text
    assert "hierpair 0" in text
    if fmt == "json":
        json.loads(text)
    elif fmt == "jsonl":
        assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
    elif fmt == "latex":
        assert_latex(text)


def assert_latex(text):
    """Balanced groups and environments, equal numbers of cells, every special letter escaped."""
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") >= 1
    for table in re.findall(
        r"\\begin\{tabular\}\{(l[lr]*)\}(.*?)\\end\{tabular\}", text, re.DOTALL
    ):
        columns, body = table
        rows = [line for line in body.splitlines() if line.endswith(r" \\")]
        assert body.count(r"\toprule") == body.count(r"\midrule") == body.count(r"\bottomrule") == 1
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1
            assert row.count("{") == row.count("}")
            plain = re.sub(r"\$[^$]*\$", "", row)
            assert not re.search(r"(?<!\\)[_%#$^]", plain)
            assert plain.isascii() or "ä" in plain


def test_a_view_without_a_picture_names_it(files, run):
    quick = ["-m", "hf", "--permutations", 50, "--bootstrap", 50]
    code, _, err = run("compare", *files, *quick, "--view", "intervals")
    assert code == 0
    assert "drew intervals in intervals.svg" in err
    assert "<svg" in Path("intervals.svg").read_text("utf-8")
    assert run("explain", *files[:3], "-m", "hf", "--view", "hierarchy")[0] == 0
    assert Path("hierarchy.svg").exists()


def test_a_bar(files, run):
    options = ["-q", "-m", "hf", "--bootstrap", "50", "--fail-if-worse"]
    assert run("compare", *files, *options, "bad,good")[0] == 1
    assert run("compare", *files, *options, "good,bad")[0] == 0
    assert run("compare", *files, *options, "fair,good")[0] == 0


def test_a_baseline(files, run):
    options = ["-q", "-m", "hf", "--bootstrap", "50", "--baseline", "fair"]
    code, out, _ = run("compare", *files, *options)
    rows = {line.split()[0]: line for line in out.split("\n\n")[0].splitlines()}
    assert code == 0
    assert "† (3)" in rows["bad"]
    assert "†" not in rows["good"] + rows["fair"]
    assert "significantly better than fair" in out
    code, out, _ = run("compare", *files, *options, "--pairs", "--format", "csv")
    assert [line.split(",")[1:3] for line in out.splitlines()[1:]] == [
        ["good", "fair"], ["bad", "fair"]
    ]  # fmt: skip
    for more, n_tables in (([], 1), (["--intervals"], 2)):
        _, out, _ = run("compare", *files, *options, "--format", "latex", *more)
        assert out.count("begin{tabular}") == n_tables
        assert "labels" not in out
    assert run("compare", *files, *options, "--picture", "x.svg")[0] == 2
    assert "no system 'x'" in run("compare", *files, *options[:-1], "x")[2]


def test_runs(files, run):
    for name in ("good", "bad"):
        shutil.copy(f"{name}.tsv", f"{name}2.tsv")
    code, out, _ = run("compare", "tree.tsv", "truth.tsv", "good.tsv", "good2.tsv", "bad.tsv",
                       "bad2.tsv", "-m", "hf", "--runs", "G=good,good2", "--runs", "B=bad,bad2",
                       "--format", "csv")  # fmt: skip
    assert code == 0
    assert [line.split(",")[0] for line in out.splitlines()] == ["system", "G", "B"]
    assert run("compare", *files, "-m", "hf", "--runs", "G:good")[0] == 2


@pytest.mark.parametrize(('options', 'message'), [
    (['good.tsv'], 'needs at least two systems, and there is only good'),
    (['good.tsv', 'good.tsv'], "two systems are called 'good'"),
    (['good.tsv', 'short.tsv'], "short: 59 instances have no prediction, such as 'i0'"),
    (['good.tsv', 'bad.tsv', '-m', 'hff'], "there is no measure 'hff'"),
    (['good.tsv', 'bad.tsv', '--test', 'tt'], 'test must be one of'),
    (['good.tsv', 'bad.tsv', '--alpha', '2'], 'alpha must be between'),
    (['good.tsv', 'bad.tsv', '--differ', 'good'], 'must be two different systems, A,B'),
    (['good.tsv', 'bad.tsv', '--differ', 'bad,bad'], "--differ: must be two different systems, A,B, got 'bad,bad'"),
    (['good.tsv', 'bad.tsv', '--fail-if-worse', 'bad,bad'], "--fail-if-worse: must be two different systems, A,B, got 'bad,bad'"),
    (['good.tsv', 'bad.tsv', '--fail-if-worse', 'good,god'], "no system 'god'"),
    (['good.tsv', 'bad.tsv', '--differ', 'good,god'], "no system 'god'"),
    (['good.tsv', 'bad.tsv', '--vary', 'root'], 'must be NAME=VALUE,VALUE'),
    (['good.tsv', 'bad.tsv', '--picture', 'x.txt'], 'a picture must end in'),
    (['good.tsv', 'bad.tsv', '--agreement', 'tau'], 'tau: there is no such file'),
])  # fmt: skip
def test_wrong_usage_is_one_line(files, run, options, message):
    Path("short.tsv").write_text("i1\ta\n")
    code, out, err = run("compare", "tree.tsv", "truth.tsv", *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 or "scored on" in err
    assert re.search(message, err)


def test_cases_whose_instances_are_not_the_same_objects(run):
    code, _, err = run("compare", "--case", "transposon", "-m", "hf", "-q")
    assert code == 2
    assert "not the same objects for all systems" in err
    assert run("compare", "--case", "transposon-given", "-m", "hf", "--pairs", "-q")[0] == 2
    code, out, _ = run("compare", "--case", "transposon", "-m", "hf", "-m", "gie", "--agreement")
    assert code == 0
    assert "Kendall's tau-b between rankings of 6 systems" in out
    code, out, _ = run(
        "compare", "--case", "transposon", "-m", "hf", "--vary", "root=include", "-q"
    )
    assert code == 0
    assert "scores alone, no test" in out


@pytest.mark.skipif(not HAS_GERMEVAL, reason="the GermEval data are not here")
@pytest.mark.parametrize("task", ["a", "b"])
def test_rankings_of_germeval_are_the_published_ones(task):
    """Tables IV and V of Riehl et al. 2023: the printed F1 rank the systems as ours do."""
    name = f"germeval2019-{task}"
    case = load_case(name, DATA)
    printed = {
        p.system: float(p.printed)
        for p in read_published(name)
        if p.measure.startswith("hcm_f(") and p.system in case.systems
    }
    assert len(printed) >= 5
    systems = {s: case.systems[s] for s in printed}
    m = next(
        p.measure for p in read_published(name)
        if p.measure.startswith("hcm_f(")
    )  # fmt: skip
    found = compare(score(case.hierarchy, case.y_true, systems, [m]), n_permutations=2_000,
                    n_bootstrap=200)  # fmt: skip
    by_print = sorted(printed, key=printed.get, reverse=True)
    by_score = [found.systems[i] for i in np.argsort(-found.values[:, 0], kind="stable")]
    assert by_score == by_print
    ranks = found.ranks[:, 0][[found.systems.index(s) for s in by_print]]
    assert (np.diff(ranks) >= 0).all()
    best, last = found.systems.index(by_print[0]), found.systems.index(by_print[-1])
    assert found.significant[0, best, last]


@pytest.mark.exhaustive
@pytest.mark.parametrize("measures", [["-m", "gie", "-m", "hf"], []])
def test_differ_says_that_it_shows_one_of_several_measures(files, capsys, measures):
    words = ["compare", *files, "--differ", "good,bad"]
    for fmt in ("text", "markdown", "latex", "csv", "json"):
        assert main([*words, *measures, "--format", fmt]) == 0
        out, err = capsys.readouterr()
        assert re.search(r"only the first of \d+ measures, \w+; -m \(in Python measure=…\)", err)
        assert fmt == "csv" or "only the first of" in out
    for fmt in ("text", "json", "csv"):
        assert main([*words, "-m", "hf", "--format", fmt]) == 0
        out, err = capsys.readouterr()
        assert "only the first" not in out + err
