"""The command line as a user meets it: output, exit codes, files, plugins."""

import io
import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from hierpair import __version__
from hierpair.cli import main
from hierpair.evaluation import progress
from hierpair.measures import REGISTRY

DESCRIBED = "scored on a tree of 5 classes and 4 edges, root 'r', 2 levels below"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A small hierarchy, truth and two systems, in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\na\tb\na\tc\nr\td\n")
    Path("true.tsv").write_text("1\tb\n2\tc|d\n")
    Path("one.tsv").write_text("2\tc\n1\tb\n")
    Path("two.tsv").write_text("1\td\n2\t\n")
    return ["tree.tsv", "true.tsv", "one.tsv"]


@pytest.fixture
def run(capsys):
    def run_main(*arguments):
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run_main


def test_score_files(files, run):
    code, out, err = run("score", *files, "best=two.tsv", "-m", "hf", "-m", "gie(default=4)")
    assert (code, err) == (0, f"{DESCRIBED}\n")
    assert [line.split() for line in out.splitlines()[:3]] == [
        ["system", "hf", "↑", "gie(default=4)", "↓"],
        ["one", "0.9000", "2.0000"],
        ["best", "0.0000", "5.5000"],
    ]


def test_conventions_reach_the_measures(files, run):
    code, out, _ = run("score", *files, "--set", "root=include", "--set", "average=micro", "-m", "hf",
                       "-m", "gie", "--format", "jsonl")  # fmt: skip
    signatures = [json.loads(line)["signature"] for line in out.splitlines()]
    assert "average=micro" in signatures[0]
    assert "root=include" in signatures[0]
    assert "average=samples" in signatures[1]
    assert code == 0


def test_case(run):
    code, out, err = run("score", "--case", "transposon", "-m", "hf(average=micro)")
    assert code == 0
    assert [line.split()[-1] for line in out.splitlines()[1:7]] == [
        "0.7105",
        "0.6834",
        "0.6533",
        "0.8480",
        "0.0159",
        "0.0630",
    ]
    assert "Table III" in err
    assert run("score", "--case", "transposon", "-m", "hf", "-q")[2] == ""


def test_measures(run):
    code, out, _ = run("measures")
    assert code == 0
    listed = [line.split()[0] for line in out.splitlines()[1:]]
    assert sorted(listed) == sorted(REGISTRY)
    families = [REGISTRY[name].family for name in listed]
    assert len(list(groupby(families))) == len(set(families))  # one after the other
    code, out, _ = run("measures", "mgia")
    assert "Kosmopoulos et al. 2014, §2.3.3" in out
    for fmt in ("json", "jsonl", "csv", "tsv", "markdown", "latex"):
        code, out, _ = run("measures", "--format", fmt)
        assert code == 0
        assert "fnerror" in out
    assert run("measures", "mgai")[0] == 2


PLUGIN = '''
"""A rule of one's own: asymmetric, a predicted class too deep is cheaper than one too high."""
import numpy as np
from hierpair import Unmatched, Degree, Rule, pair_measure

def cost(pairs):
    too_high = pairs.hierarchy.depths[pairs.predicted] < pairs.hierarchy.depths[pairs.true]
    return pairs.distance * np.where(too_high, 3, 1)

@pair_measure(source="the handbook", formula="hops, three times for what stops too early")
def stops_early(default: float = 6, weight: float = 2) -> Rule:
    "Cost of stopping too early."
    return Rule(cost, (
        Degree("predicted", 1, 1), Unmatched("predicted", default),
        Degree("true", 1, 1), Unmatched("true", default),
    ))
'''


def test_plugin_rule_becomes_a_measure(files, run):
    Path("my_rules.py").write_text(PLUGIN)
    Path("high.tsv").write_text("1\ta\n2\tc|a\n")
    code, out, err = run("score", "tree.tsv", "true.tsv", "high.tsv", "--plugin", "my_rules.py",
                         "-m", "stops_early", "-m", "stops_early(default=1)")  # fmt: skip
    assert (code, err) == (0, f"{DESCRIBED}\n")
    assert out.splitlines()[1].split() == ["high", "2.5000", "2.0000"]
    code, out, _ = run("measures", "stops_early")
    assert "the handbook" in out


def test_plugin_in_processes(files, run):
    """A user's rule travels to other processes with its code."""
    Path("my_rules.py").write_text(PLUGIN)
    command = ["score", *files, "--plugin", "my_rules.py", "-m", "stops_early", "--format", "csv"]
    one = run(*command, "--jobs", "1")
    REGISTRY.pop("stops_early")
    assert one == run(*command, "--jobs", "2")
    assert one[0] == 0


def test_output_follows_links_keeps_modes_and_spares_inputs(files, run):
    Path("real.txt").write_text("old")
    Path("real.txt").chmod(0o600)
    Path("link.txt").symlink_to("real.txt")
    assert run("score", *files, "-m", "hf", "-o", "link.txt")[0] == 0
    assert Path("link.txt").is_symlink()
    assert "0.9000" in Path("real.txt").read_text()
    assert Path("real.txt").stat().st_mode & 0o777 == 0o600
    for output in ("one.tsv", "./tree.tsv"):
        code, _, err = run("score", *files, "-o", output)
        assert code == 2
        assert "this file is read; write the output elsewhere" in err
    assert run("score", *files, "-o", ".")[0] == 2
    code, out, _ = run("score", *files, "-m", "hf", "-o", "-")
    assert "0.9000" in out
    assert not Path("-").exists()


def test_output_to_a_pipe(files):
    os.mkfifo("pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True)
    assert main(["score", *files, "-m", "hf", "-o", "pipe"]) == 0
    assert "0.9000" in reader.communicate(timeout=30)[0]
    assert Path("pipe").is_fifo()


def test_unknown_labels_and_missing_instances_on_request(files, run):
    Path("odd.tsv").write_text("1\tb|zebra\n")
    assert (
        "odd.tsv:1, instance '1': class 'zebra'"
        in run("score", "tree.tsv", "true.tsv", "odd.tsv")[2]
    )
    code, out, err = run("score", "tree.tsv", "true.tsv", "odd.tsv", "--unknown", "drop",
                         "--missing", "empty", "-m", "hf")  # fmt: skip
    assert code == 0
    assert "odd: 1 label outside the hierarchy" in err
    assert "odd: 1 label outside the hierarchy" in out


def test_internal_errors_have_their_own_code(files, run, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("hierpair.evaluation.score", broken)
    code, out, err = run("score", *files)
    assert (code, out) == (3, "")
    assert "internal error: RuntimeError: boom" in err
    assert "Traceback" not in err
    with pytest.raises(RuntimeError, match="boom"):
        main(["score", *files, "--debug"])


def test_interrupt(files, run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("hierpair.evaluation.score", interrupted)
    code, out, err = run("score", *files, "-o", "out.txt")
    assert (code, out, err) == (130, "", "hierpair: interrupted\n")
    assert not Path("out.txt").exists()


@pytest.mark.exhaustive
def test_a_terminal_without_unicode_gets_the_numbers_all_the_same(files):
    result = subprocess.run(
        [sys.executable, "-m", "hierpair", "score", *files, "-q", "-m", "hf"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert result.stdout.splitlines()[0].split() == ["system", "hf", "?"]
    assert result.stdout.splitlines()[1].split() == ["one", "0.9000"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_shows_after_two_seconds(monkeypatch):
    clock, screen = iter([0.0, 1.0, 3.0, 3.1, 4.0]), io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", screen)
    meter = progress.Meter(on=True)
    for done in (500, 1500, 1600, 4000):  # too early, shown, too soon after the last, shown
        meter.show("mine", done, 4000)
    meter.write("")
    lines = ["mine: 1,500 of 4,000 instances", "mine: 4,000 of 4,000 instances"]
    assert screen.getvalue().split("\r\x1b[K") == ["", *lines, ""]


@pytest.mark.parametrize(("words", "screen"), [(["-q"], Terminal()), ([], io.StringIO())])
def test_nothing_moves_where_nobody_looks(files, monkeypatch, words, screen):
    monkeypatch.setattr(progress, "QUIET_SECONDS", -1.0)
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["score", *files, "-m", "hf", *words]) == 0
    assert "\r" not in screen.getvalue()


def test_progress_is_wired_to_the_score(files, monkeypatch, capsys):
    monkeypatch.setattr(progress, "QUIET_SECONDS", -1.0)
    monkeypatch.setattr(progress, "PAUSE_SECONDS", -1.0)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["score", *files, "-m", "hf"]) == 0
    assert "one: 2 of 2 instances" in screen.getvalue()
    assert capsys.readouterr().out.startswith("system")
    assert main(["compare", *files, "two.tsv", "-m", "hf", "--bootstrap", "20"]) == 0
    assert "bootstrap: 1 of 1 steps" in screen.getvalue()
    assert screen.getvalue().rpartition("\r\x1b[K")[2] == f"{DESCRIBED}\n"


def test_matching_by_position_is_said_where_one_side_has_ids(files, run):
    Path("lines.txt").write_text("b\nd\n")
    code, _, err = run("score", "tree.tsv", "true.tsv", "lines.txt", "-m", "hf")
    assert code == 0
    assert "lines: only the truth has ids, so instances are matched by position" in err


def test_the_version_is_there_before_anything_slow_is_imported():
    """NumPy and SciPy take longer than all else that ``hierpair --version`` does."""
    code = (
        "import sys; from hierpair.cli import main\n"
        "try: main(['--version'])\n"
        "finally: print(sorted({'numpy', 'scipy', 'ortools', 'networkx'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_which_measure(files, run):
    """Advice from files, and from needs alone; least cases are told for what speaks against."""
    code, out, _ = run("measures", "--for", "tree.tsv", "true.tsv", "--samples", "0", "--scope", "3",
                       "--format", "json")  # fmt: skip
    assert code == 0
    found = json.loads(out)
    assert found[0]["rank"] == 1
    assert {"measure", "need", "property", "status"} <= found[0].keys()
    code, out, _ = run("measures", "--for", "--need", "silence", "-m", "lca_f", "-m", "hf",
                       "--samples", "0", "--scope", "3")  # fmt: skip
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[1:3]] == [["1", "hf"], ["2", "lca_f"]]
    assert "expected lca_f({1}, ∅) ≥ lca_f({1}, {2}); is 0 < 0.5" in out


def test_systems_in_the_order_of_a_measure(files, run):
    """The best first; undefined scores last, whatever the form and the direction."""
    Path("none.tsv").write_text("1\t\n2\t\n")
    hf = ["score", *files[:2], "two.tsv", "none.tsv", "one.tsv", "-q", "--set", "zero-division=nan"]
    for sort, order in (("hp", ["one", "two", "none"]), ("gie", ["one", "two", "none"])):
        out = run(*hf, "-m", "hp", "-m", "gie", "--sort", sort, "--format", "csv")[1]
        found = list(dict.fromkeys(line.split(",")[0] for line in out.splitlines()[1:]))
        assert found == order
    code, out, _ = run("compare", *files, "two.tsv", "hf", "--sort", "hf", "--bootstrap", "9")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["one", "two"]
    assert "was not scored" in run(*hf, "-m", "hp", "--sort", "gie")[2]


def test_the_first_look_has_seven_measures_and_one_line_of_signatures(files, run):
    code, out, _ = run("score", *files, "two.tsv", "-q")
    assert code == 0
    assert out.split("\n")[0].replace(" ↑", "").replace(" ↓", "").split() == [
        "system", "hf", "hp", "hr", "gie", "mgia", "lca_f", "subset_accuracy"
    ]  # fmt: skip
    assert out.splitlines()[-1] == (
        f"hf, hp, hr, gie, mgia, lca_f, subset_accuracy|hierpair {__version__} "
        "(all conventions: --signatures)"
    )
    assert run("score", *files, "two.tsv", "-q", "--signatures")[1].count("|hierpair") == 7
    everything = run("score", *files, "all", "-q", "--format", "csv")[1]
    assert len(everything.splitlines()) == 18


def test_measures_are_named_with_and_without_the_option(files, run):
    wanted = run("score", *files, "-m", "hf", "-m", "gie(default=4)", "-q")
    assert run("score", *files, "hf", "gie(default=4)", "-q") == wanted
    assert run("score", "-q", "hf", *files, "-m", "gie(default=4)")[0] == 0
    Path("hf").write_text("1\tb\n2\tc\n")  # a file of that name is a file
    assert "hf  " in run("score", *files, "hf", "-m", "gie", "-q")[1]
    assert run("measures", "gie", "mgia") == run("measures", "-m", "gie", "-m", "mgia")


def test_a_table_by_level(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in {"h": "r\ta\nr\tb\na\tc\n", "t": "x\ta\ny\tb\nz\tc\n",
                       "p": "x\ta\ny\tq\nz\tb\n"}.items():  # fmt: skip
        Path(f"{name}.tsv").write_text(text)
    base = ["score", "h.tsv", "t.tsv", "p.tsv", "--unknown", "drop", "-q"]
    assert main([*base, "--by", "level", "--format", "csv", "--sort", "hf",
                 "--fail-under", "hf=1"]) == 1  # fmt: skip
    header, *rows = (line.split(",") for line in capsys.readouterr().out.splitlines())
    accuracy, stopped = header.index("accuracy"), header.index("stopped")
    assert [(r[0], r[accuracy], r[stopped][:4]) for r in rows] == [
        ("1", "0.3333333333333333", "0.33"), ("2", "0.0", "1.0"),
    ]  # fmt: skip
    for words in (["--by", "level", "--preset", "hemkit"], ["--by", "namespace"]):
        assert main([*base, *words]) == 2
        assert "--by level cannot be given with --preset" in capsys.readouterr().err
