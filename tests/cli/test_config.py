"""A repeated evaluation: a file with its options, and scores that must be reached."""

import json

import pytest

from hierpair.cli import main

FILES = {
    "tree.tsv": "r\ta\nr\tb\na\tc\na\td\nb\te\n",
    "true.tsv": "1\tc\n2\td|e\n3\te\n",
    "bert.csv": "doc;topics\n".replace(";", ",") + "1,c\n2,d\n3,d\n",
    "svm.tsv": "1\te\n2\td|e\n3\te\n",
    "counts.tsv": "c\t1\nd\t1\ne\t1\n",
}
CONFIG = """
hierarchy = "tree.tsv"
truth = "true.tsv"
measures = ["hf", "gie(default=4)"]

[systems]
svm = "svm.tsv"
bert = {file = "bert.csv", format = "csv", id-column = "doc", label-column = "topics"}

[set]
root = "include"
"""
SAME = ("score tree.tsv true.tsv svm=svm.tsv bert=bert.csv -m hf -m gie(default=4) --set root=include "
        "--label-format bert:csv --id-column bert:doc --label-column bert:topics")  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    (tmp_path / "eval").mkdir()
    for name, text in FILES.items():
        (tmp_path / "eval" / name).write_text(text)

    def command(line, code=0, config=None, inside=False):
        monkeypatch.chdir(tmp_path / "eval" if inside else tmp_path)
        if config is not None:
            (tmp_path / "eval" / "e.toml").write_text(config)
        found = main(line.split())
        out, err = capsys.readouterr()
        assert found == code, err
        return out if code == 0 else out + err

    return command


def test_a_file_says_what_the_command_line_says(run):
    wanted = run(SAME + " --format csv", inside=True)
    assert run("score --config eval/e.toml --format csv", config=CONFIG) == wanted
    assert run("score --format=csv --config=e.toml", inside=True) == wanted
    said = run("compare --config eval/e.toml --format json")
    assert json.loads(said)["scores"][0]["signature"].startswith(
        "hf(beta=1,augment=ancestors,root="
    )


def test_the_command_line_counts_more(run):
    run("score --config eval/e.toml", config=CONFIG)
    other = run("score --config eval/e.toml --format csv --set root=exclude -m hf")
    assert other.count("root=exclude") == 2
    assert "gie" not in other
    files = "eval/tree.tsv eval/true.tsv one=eval/svm.tsv"
    out = run(f"score {files} --config eval/e.toml --format csv -m hf")
    assert [line.split(",")[0] for line in out.splitlines()] == ["system", "one"]


def test_paths_are_those_of_the_file(run, tmp_path):
    config = CONFIG.replace('"gie(default=4)"', "\"gie(cost=lin('counts.tsv', smooth=1))\"")
    run("score --config eval/e.toml", config=config + '\n[output]\nfile="out.csv"\nformat="csv"\n')
    assert "lin" in (tmp_path / "eval" / "out.csv").read_text()
    assert not (tmp_path / "out.csv").exists()
    said = run("score --config eval/e.toml -o eval/e.toml", 2)
    assert "this file is read" in said


def test_columns_of_one_table_and_sections_of_verbs(run, tmp_path):
    (tmp_path / "eval" / "t.csv").write_text("id,gold,x,y\n1,c,c,d\n2,e,e,e\n3,d,d,c\n")
    config = (
        'hierarchy = {file = "tree.tsv", format = "edges"}\nmeasures = "hf"\n'
        'table = {file = "t.csv", truth-column = "gold", system-columns = ["x", "y"]}\n'
        "[score]\nfail-under = {hf = 0.2}\n[compare]\nalpha = 0.1\npairs = true\n"
    )
    out = run("score --config eval/e.toml --format csv", config=config)
    assert [line.split(",")[0] for line in out.splitlines()] == ["system", "x", "y"]
    assert "difference" in run("compare --config eval/e.toml --format csv")


@pytest.mark.parametrize(('config', 'says'), [
    ('measure = "hf"', "there is no option 'measure'; did you mean 'measures'?"),
    ('hierachy = "tree.tsv"', "there is no option 'hierachy'; did you mean 'hierarchy'?"),
    ("[options]\nroot = 'include'", "[options]: conventions, such as 'root', stand under [set]"),
    ("[set]\nrot = 'include'", "there is no convention 'rot'; did you mean 'root'?"),
    ('[compare]\nalpa = 1', "[compare]: there is no option 'alpa'; did you mean 'alpha'?"),
    ('measures = [', 'not TOML'), ('quiet = 1', 'quiet must be true or false, got 1'),
    ('sort = {a = 1}', 'sort must be a text or a number of'),
    ('systems = "x"', 'systems must be a table'),
    ('hierarchy="tree.tsv"\ntruth = 3', 'truth must be a file, or a table with file and options'),
    ('hierarchy="tree.tsv"\ntruth="true.tsv"\n[systems]\nx = {format = "csv"}', 'systems.x must be a file, or a table with file'),
    ('hierarchy="tree.tsv"\ntruth="true.tsv"\n[systems]\nx={file="svm.tsv", forma="csv"}', "systems.x: there is no option 'forma'; did you mean 'format'?"),
    ('hierarchy = "tree.tsv"\nsystems = {x = "svm.tsv"}', 'give hierarchy, truth and systems, or hierarchy and table'),
    ('table = "t.csv"\ntruth = "true.tsv"', 'give hierarchy, truth and systems, or hierarchy and table'),
    ('[set]\nroot = "sideways"', 'sideways'),
])  # fmt: skip
def test_what_is_wrong_with_a_file(run, config, says):
    whole = config if "tree.tsv" in config or "truth" in config else config + CONFIG
    if "[" in config.partition("\n")[0] or "root" in config or "systems =" in config:
        whole = config
    assert says in run("score --config eval/e.toml eval/tree.tsv eval/true.tsv eval/svm.tsv", 2,
                       config=whole)  # fmt: skip


def test_a_file_that_is_not_there(run):
    assert "no.toml: there is no such file" in run("score --config no.toml", 2)


# --------------------------------------------------------------------------------- thresholds

SCORE = "score eval/tree.tsv eval/true.tsv bert=eval/true.tsv svm=eval/svm.tsv -m hf -m gie "


@pytest.mark.parametrize(('options', 'faults'), [
    ('--fail-under hf=0.5', []), ('--fail-under hf=0.9', ['svm: hf = 0.666667 is under 0.9']),
    ('--fail-under bert:hf=0.9', []),
    ('--fail-under svm:hf=0.9', ['svm: hf = 0.666667 is under 0.9']),
    ('--fail-over gie=0.5', ['svm: gie = 1.33333 is over 0.5']),
    ('--fail-over gie=0 --fail-under hf=1', ['svm: hf = 0.666667 is under 1', 'svm: gie = 1.33333 is over 0']),
    ('--fail-under hf=0.9 --fail-under svm:hf=0.7', ['svm: hf = 0.666667 is under 0.9', 'svm: hf = 0.666667 is under 0.7']),
])  # fmt: skip
def test_thresholds(run, options, faults):
    for verb in ("score", "compare"):
        said = run(SCORE.replace("score", verb) + options, int(bool(faults)))
        found = [line for line in said.splitlines() if " is under " in line or " is over " in line]
        assert found == faults


def test_a_threshold_may_be_written_as_its_measure_was(run):
    line = SCORE + "-m hf(average=micro,beta=2) --fail-under "
    for name in ("hf(average=micro,beta=2)", "hf(beta=2,average='micro')"):
        assert "is under 1.5" in run(f"{line}{name}=1.5", 1)


@pytest.mark.parametrize("option", ["long = true", "unknown = 'drop'", "jobs = 2"])
def test_what_cannot_be_said_of_one_file_is_refused(run, option):
    config = CONFIG.replace('truth = "true.tsv"', f'truth = {{file = "true.tsv", {option}}}')
    name = option.partition(" ")[0]
    assert f"truth: '{name}' cannot be set for one file" in run(
        "score --config eval/e.toml", 2, config
    )


@pytest.mark.parametrize(('options', 'says'), [
    ('--fail-under gie=2', 'lower values of gie are better; write --fail-over gie=2'),
    ('--fail-over hf=0.5', 'higher values of hf are better; write --fail-under hf=0.5'),
    ('--fail-under hff=0.5', "there is no measure 'hff'; did you mean 'hf'?"),
    ('--fail-under mgia=0.5', "'mgia' was not scored"),
    ('--fail-under hf=high', "must be MEASURE=X or SYSTEM:MEASURE=X, and X a number, got 'hf=high'"),
    ('--fail-under hf=nan', "and X a number, got 'hf=nan'"),
    ('--fail-under hf', 'must be MEASURE=X'),
    ('--fail-under brt:hf=0.5', "no system 'brt'; did you mean 'bert'?"),
    ('--fail-under hf=0.5 --preset hemkit', '--preset cannot be given with --measures'),
])  # fmt: skip
def test_thresholds_that_cannot_be_meant(run, options, says):
    assert says in run(SCORE + options, 2)


def test_measures_with_options_have_thresholds(run):
    line = SCORE + "-m hf(beta=2) --fail-under hf(beta=2)=0.99"
    assert "svm: hf(beta=2) = 0.666667 is under 0.99" in run(line, 1)
    assert "'hf' was not scored" in run(line.replace("-m hf -m", "-m hf(beta=3) -m") +
                                      " --fail-under hf=1", 2)  # fmt: skip


def test_an_undefined_score_misses_every_threshold(run, tmp_path):
    (tmp_path / "eval" / "none.tsv").write_text("1\t\n2\t\n3\t\n")
    line = "score eval/tree.tsv eval/true.tsv eval/none.tsv -m hp --set zero_division=nan"
    assert "= nan is undefined and misses 0" in run(line + " --fail-under hp=0", 1)


def test_check_takes_the_file_of_an_evaluation(run):
    """What says how files are read counts; what says how they are scored is passed over."""
    config = 'missing = "empty"\n' + CONFIG + '[check]\nstrict = true\n[compare]\ntest = "sign"\n'
    out = run("check --config e.toml --format json", code=0, config=config, inside=True)
    wanted = run("check tree.tsv true.tsv svm=svm.tsv bert=bert.csv --strict --label-format bert:csv "
                 "--id-column bert:doc --label-column bert:topics --format json", inside=True)  # fmt: skip
    assert out == wanted
    run("score --config e.toml", inside=True)
    assert "there is no option 'strikt'" in run(
        "check --config e.toml", code=2, config="strikt = true\n" + CONFIG, inside=True
    )
    assert "there is no option 'strikt'" in run(
        "score --config e.toml", code=2, config=CONFIG + "[check]\nstrikt = true\n", inside=True
    )
    assert "give a hierarchy to check" in run("check", code=2, inside=True)
