"""How the command line ends when a plugin, a process or a stream lets it down: never in a trace.

A process of its own takes a second: the quick part starts one where it is the matter, and otherwise
calls the command line; ``-m exhaustive`` starts one for every way to end.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from hierpair import BadInput, Hierarchy, measure, score
from hierpair.cli import main
from hierpair.errors import HierpairError
from hierpair.evaluation.processes import in_processes

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t").write_text("r\ta\nr\tb\na\tc\n")
    Path("y").write_text("c\nb\na\nc\n")
    Path("p").write_text("a\nb\nc\nb\n")
    return tmp_path


def shell(command, **how):
    """Run a line of bash in which ``hierpair`` is the command line."""
    line = command.replace("hierpair", f"{sys.executable} -m hierpair")
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, errors="replace", check=False,
                          timeout=120, **how)  # fmt: skip


def is_one_message(done, code=2):
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("hierpair: ")
    assert "internal error" not in done.stderr


@pytest.fixture
def here(capsys):
    """Run the command line in this process."""

    def run(command):
        code = main(command.split()[1:])
        return subprocess.CompletedProcess(command, code, *capsys.readouterr())

    return run


# ---------------------------------------------------------------- streams

VERBS = ["score t y p -m hf", "check t y", "measures", "explain t y p -m hf", "convert t y --to parquet",
         "score t y nosuch", "nosuch", "score t y p -m nosuch"]  # fmt: skip


def check_messages(verb, closed):
    done = shell(f"hierpair {verb} {closed}")
    sound = "nosuch" not in verb and "1>" not in closed
    assert done.returncode == (0 if sound else 2)
    assert done.stderr == ""
    assert "Traceback" not in done.stdout


def check_output(verb, closed):
    done = shell(f"hierpair {verb} {closed}")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "internal" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("hierpair: ")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("verb", "closed"), [("score t y p -m hf", "2>/dev/full"), ("score t y nosuch", "2>&-")]
)
def test_nobody_reads_the_messages(folder, verb, closed):
    check_messages(verb, closed)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("verb", "closed"), [("score t y p -m hf", ">&-"), ("convert t y --to parquet", ">/dev/full")]
)
def test_nobody_takes_the_output(folder, verb, closed):
    check_output(verb, closed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("closed", ["2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_part_of_the_output(folder, here, closed):
    """A file must not get the number of a closed stream, into which others write messages."""
    assert here("hierpair score t y p -m gie --format csv -o wanted").returncode == 0
    assert shell(f"hierpair score t y p -m gie --format csv -o found {closed}").returncode == 0
    assert Path("found").read_bytes() == Path("wanted").read_bytes()


@pytest.mark.exhaustive
@pytest.mark.parametrize("verb", ["score t y p", "--help"])
def test_a_reader_that_leaves_early(folder, verb):
    done = shell(f"set -o pipefail; hierpair {verb} -o /dev/stdout | true" if verb != "--help"
                 else f"set -o pipefail; hierpair {verb} | true")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("number", ["1e308", "1e101", "1.7976931348623157e308", "inf", "nan"])
@pytest.mark.parametrize("name", ["contribution_f(theta={})", "contribution_precision(theta={})", "gie(default={})",
                                  "contribution_error(theta={})", "mgia(default={})", "hf(beta={})",
                                  "mean_cost(cost=decayed(w0={}))"])  # fmt: skip
def test_numbers_without_measure_are_refused(folder, capsys, name, number):
    code = main(["score", "t", "y", "p", "-q", "-m", name.format(number)])
    said = capsys.readouterr().err
    assert code == 2
    assert len(said.splitlines()) == 1
    assert "internal" not in said


def test_the_largest_numbers_give_finite_scores():
    for name in ("contribution_f(theta=9e99)", "hf(beta=9e99)", "contribution_error(theta=1e-300)"):
        assert 0 <= score(TREE, ["c", "b"], ["a", "b"], [name]).values[0, 0] <= 1


def test_weights_and_costs_that_overflow_are_refused():
    with pytest.raises(BadInput, match="finite and not negative, got 1e\\+308"):
        Hierarchy.from_edges([("r", "a", 1e308)])
    with pytest.raises(BadInput, match="finite and not negative"):
        TREE.with_weights([1e300, 1, 1])
    huge = measure("gie", cost=lambda pairs: pairs.distance * 1e200)
    with pytest.raises(BadInput, match="a cost must be a number"):
        score(TREE, ["c"], ["b"], [huge])


# ---------------------------------------------------------------- plugins and processes

PLUGIN = """
import os
import numpy as np
from hierpair import Rule, pair_measure, set_measure

class Stop(BaseException):
    pass

class Halt(KeyboardInterrupt):
    pass

def act(pairs=None):
    {act}

{register}
"""
IN_RULE = """
def cost(pairs):
    act()
    return pairs.distance

@pair_measure
def mine():
    return Rule(cost, ())
"""
IN_VALUE = """
@set_measure(formula="f", source="s", direction="max", range="[0, 1]")
def mine(n_true):
    act()
    return np.zeros(len(n_true))
"""
ENDS = {
    "exit": "raise SystemExit(0)",
    "own": "raise Stop('x\\ny')",
    "halt": "raise Halt",
    "generator": "raise GeneratorExit",
    "error": "raise ValueError('x\\ny\\x1b[31m')",
    "memory": "raise MemoryError",
    "recursion": "act(pairs)",  # without it, Python 3.13.0 never stops
}


def plugin(act, register):
    """Write a plugin that ends a run; return what it adds to a command."""
    text = PLUGIN.format(act=ENDS[act].replace("\n", "\\n"), register=register)
    Path("own.py").write_text(text)
    return "-q --plugin own.py"


def ends_well(done):
    is_one_message(done)
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("register", [IN_RULE, IN_VALUE], ids=["rule", "value"])
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("act", ENDS)
def test_a_plugin_that_ends_a_run(folder, here, act, jobs, register):
    ends_well(here(f"hierpair score t y p -m mine --jobs {jobs} {plugin(act, register)}"))


@pytest.mark.parametrize("act", ENDS)
def test_a_plugin_that_ends_the_loading(folder, here, act):
    ends_well(here(f"hierpair measures {plugin(act, 'act()')}"))


PROCESSES = [
    pytest.param(act, verb, register, id=f"{act}-{verb}-{name}",
                 marks=() if (act, verb) == ("own", "measures") else pytest.mark.exhaustive)
    for act in ENDS for verb, name, register in (
        ("score t y p -m mine --jobs 1", "value", IN_VALUE),
        ("score t y p -m mine --jobs 2", "rule", IN_RULE),
        ("measures", "loading", "act()"),
    )
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize(("act", "verb", "register"), PROCESSES)
def test_a_plugin_that_ends_a_process(folder, act, verb, register):
    ends_well(shell(f"hierpair {verb} {plugin(act, register)}"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "act", ["__import__('multiprocessing').parent_process() and os.kill(os.getpid(), 9)"]
)
def test_a_process_that_dies(folder, act):
    Path("own.py").write_text(PLUGIN.format(act=act, register=IN_RULE))
    done = shell("hierpair score t y p -q --plugin own.py -m mine --jobs 2")
    is_one_message(done)
    assert "a process died" in done.stderr


def test_what_cannot_be_sent_to_a_process(monkeypatch):
    monkeypatch.setattr("hierpair.evaluation.processes.can_fork", lambda: False)
    with pytest.raises(HierpairError, match="cannot be sent to other processes"):
        list(in_processes(len, [(x for x in "a"), (x for x in "b")], 2))
