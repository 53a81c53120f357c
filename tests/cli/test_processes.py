"""Interpreters of their own: interrupts, closed streams, full disks, readers that leave; and plugins that end a run.

All other tests call the command line in their own process; here one is started where that is the
matter, which takes a second. The quick part starts a few, ``-m exhaustive`` all.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair.cli import main
from hierpair.measures import REGISTRY
from tests.paths import ROOT

from .conftest import write

FILES = {"t": "r\ta\nr\tb\na\tc\n", "y": "c\nb\na\nc\n", "p": "a\nb\nc\nb\n", "out.txt": "precious"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(FILES)
    return tmp_path


def start(line, **how):
    how |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-m", "hierpair", *line.split()], **how)


def shell(command):
    """Run a line of bash in which ``hierpair`` is the command line."""
    line = command.replace("hierpair", f"{sys.executable} -m hierpair")
    how = {"capture_output": True, "text": True, "errors": "replace", "timeout": 120}
    return subprocess.run(["bash", "-c", line], check=False, **how)


def snapshot():
    return {p: p.read_bytes() if p.is_file() else None for p in Path().rglob("*")}


def wait_until(true, seconds):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def ends_well(code, err):
    """With one message, and never in a trace."""
    assert (code, err[:10], err.count("\n")) == (2, "hierpair: ", 1), err
    assert not any(unwanted in err for unwanted in ("Traceback", "internal error", "\x1b"))


def test_the_version_is_there_before_anything_slow_is_imported():
    """NumPy and SciPy take longer than all else that ``hierpair --version`` does."""
    code = (
        "import sys; from hierpair.cli import main\n"
        "try: main(['--version'])\n"
        "finally: print(sorted({'numpy', 'scipy', 'ortools', 'networkx'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# ------------------------------------------------------------------------------ interrupts

ENDLESS = """
import time
from pathlib import Path
from hierpair import pair_measure
from hierpair.pairing import Rule

def cost(pairs):
    Path("started").touch()
    for _ in range(600):
        time.sleep(0.1)
    return pairs.distance

@pair_measure
def endless():
    return Rule(cost, ())
"""


@pytest.mark.parametrize(("jobs", "everybody"), [("1", False), ("2", True)])
def test_interrupted_run(jobs, everybody):
    """Ctrl-C reaches all processes of a terminal; kill reaches the first one alone."""
    Path("own.py").write_text(ENDLESS)
    before = snapshot()
    line = f"score t y p --plugin own.py -m endless --jobs {jobs} -o out.txt"
    process = start(line, start_new_session=True)
    try:
        wait_until(Path("started").exists, 60)
        time.sleep(0.3)
        (os.killpg if everybody else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out, err) == (130, "", "hierpair: interrupted\n")
    assert snapshot() == before | {Path("started"): b""}


def large(n_parts, rows=60_000):
    """A data set that takes long enough to be stopped."""
    rng = np.random.default_rng(1)
    Path("d").mkdir()
    for k in range(n_parts):
        labels = {x: np.array(list("abc"))[rng.integers(0, 3, rows)] for x in ("truth", "one")}
        ids = {"id": [f"{k}.{i}" for i in range(rows)]}
        pq.write_table(pa.table(ids | labels), Path("d", f"{k:02}.parquet"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", [
    "--jobs 1", "--jobs 2", pytest.param("--engine dask --workers 2", marks=pytest.mark.release),
])  # fmt: skip
def test_interrupted_runs_leave_whole_parts_and_no_process(how):
    large(24)
    target = Path("v")
    line = f"score t d -m hf -m gie -m lca_f --values v {how}"
    with start(line, start_new_session=True) as process:
        wait_until(lambda: process.poll() or (target.is_dir() and any(target.glob("part-*"))), 120)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "hierpair: interrupted\n")
    left = sorted(path.name for path in target.iterdir())
    assert 0 < len(left) < 24
    assert all(name.startswith("part-") for name in left), left
    assert {pq.read_table(target / name).num_rows for name in left} == {60_000}
    wait_until(lambda: not shell(f"ps -o pid= -g {process.pid}").stdout.strip(), 20)


@pytest.mark.exhaustive
def test_a_full_disk_is_one_error():
    large(2)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))  # noqa: E731
    process = start("score t d -m hf --values v", preexec_fn=limit)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert err == "hierpair: v: the values of instances cannot be written (File too large)\n"
    assert list(Path("v").iterdir()) == []


# ------------------------------------------------------------------------------ streams


@pytest.mark.parametrize(("line", "code", "says"), [
    ("hierpair score t y p -m hf 2>/dev/full", 0, ""), ("hierpair score t y nosuch 2>&-", 2, ""),
    ("hierpair score t y p -m hf >&-", 2, "hierpair: standard output is closed"), ("hierpair convert t y --to parquet >/dev/full", 2, "hierpair: standard output: cannot be written"),
    ("set -o pipefail; hierpair score t y p -o /dev/stdout | true", 0, ""), ("PYTHONIOENCODING=ascii hierpair score t y p -q -m hf", 0, ""),
    ("printf 'a\\nb\\ncc\\nb\\n' | hierpair score t y - -o out.txt", 2, "hierpair: -:3: class 'cc' is not in the hierarchy"),
    ("mkdir c; chmod 555 c; test -w c && d=/proc || d=c; hierpair score t y p -q -o $d/out.txt", 2, "hierpair: "),
])  # fmt: skip
def test_streams_that_are_closed_full_or_left(line, code, says):
    done = shell(line)
    assert done.returncode == code, done
    for unwanted in ("Traceback", "Exception", "internal"):
        assert unwanted not in done.stderr + done.stdout
    assert not says or done.stderr.splitlines()[-1].startswith(says)
    assert Path("out.txt").read_text() == "precious"
    assert "ascii" not in line or done.stdout.splitlines()[0].split() == ["system", "hf", "?"]


@pytest.mark.exhaustive
def test_a_closed_stream_is_no_part_of_the_output():
    """A file must not get the number of a closed stream, into which others write messages."""
    for name, closed in (("wanted", ""), ("found", "2>&-"), ("other", "<&- >&- 2>&-")):
        assert shell(f"hierpair score t y p -m gie --format csv -o {name} {closed}").returncode == 0
        assert Path(name).read_bytes() == Path("wanted").read_bytes()


# ------------------------------------------------------------------------------ hashes

ORDERS = """
import contextlib, hashlib, io, os, shlex, tempfile
from hierpair.cli import main
from tests.cli import sessions, test_broken_inputs as broken
from tests.cli.conftest import write

SKOS = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\\n" + "".join(
    f"<{x}> a s:Concept; s:prefLabel '{x}{x}', '{x}1', '{x}2'@de; s:broader <r>, <a>, <b> .\\n" for x in "cdefg")
SKOS += "<r> a s:Concept . <a> s:broader <r> . <b> s:broader <r> ."
given = [({**broken.BASE, **row.files}, row.command) for row in broken.ROWS.values() if ".svg" not in row.command]
given += [({}, "measures all --format json"), ({"d": "child\\tparent\\na\\t\\nb\\t\\nc\\t\\n"}, "convert d --to edges --roots any")]
given += [({"x.ttl": SKOS}, f"convert x.ttl --to {form}") for form in ("json", "edges")]
given += [({"x.obo": sessions.OBO}, f"convert x.obo --to json --relations {x}") for x in ("x", "y,z,part_of")]
for files, line in given:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write(files)
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            main(shlex.split(line))
        print(line, "|", hashlib.sha256(out.getvalue().replace(folder, "").encode()).hexdigest())
"""


def test_nothing_depends_on_hashes():
    """Sets of texts come in another order in every process; what is said and written does not."""
    first, second = (
        subprocess.Popen([sys.executable, "-c", ORDERS], env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
                         stdout=subprocess.PIPE, text=True) for seed in "12")  # fmt: skip
    one, other = (process.communicate()[0].splitlines() for process in (first, second))
    assert [x for x, y in zip(one, other, strict=True) if x != y] == []
    assert (first.returncode, second.returncode) == (0, 0)


# ------------------------------------------------------------------------------ plugins

PLUGIN = """
import os
from hierpair import pair_measure, set_measure
from hierpair.pairing import Degree, Rule

class Stop(BaseException):
    pass

class Halt(KeyboardInterrupt):
    pass

def act(pairs=None):
    {}

{}
"""
PLACES = {
    "loading": "act()",
    "rule": 'pair_measure(lambda: Rule(lambda pairs: act() or pairs.distance, (Degree("true", 1),)), name="mine")',
    "value": 'set_measure(formula="f", source="s", direction="max", range="[0, 1]", name="mine")('
             "lambda n_true: act() or 0.0 * n_true)",
}  # fmt: skip
ENDS = {
    "exit": "raise SystemExit(0)", "own": r"raise Stop('x\ny')", "halt": "raise Halt",
    "generator": "raise GeneratorExit", "error": r"raise ValueError('x\ny\x1b[31m')",
    "memory": "raise MemoryError", "recursion": "act(pairs)",  # without it, Python 3.13.0 never stops
}  # fmt: skip
RUNS = [("loading", "measures"), ("value", "score t y p -m mine --jobs 1"),
        ("rule", "score t y p -m mine --jobs 1"), ("rule", "score t y p -m mine --jobs 2")]  # fmt: skip


def plugin(place, act):
    Path("own.py").write_text(PLUGIN.format(act, PLACES[place]))


def test_a_plugin_is_a_measure_here_and_in_other_processes(capsys):
    plugin("rule", "pass")
    for jobs in ("1", "2"):
        line = f"score t y p -q -m mine --plugin own.py --format csv --jobs {jobs}"
        assert main(line.split()) == 0
        assert "p,mine,1.25," in capsys.readouterr().out
        REGISTRY.pop("mine")


@pytest.mark.parametrize(("place", "line"), RUNS)
@pytest.mark.parametrize("act", ENDS)
def test_a_plugin_that_ends_a_run(capsys, act, place, line):
    plugin(place, ENDS[act])
    ends_well(main([*line.split(), "-q", "--plugin", "own.py"]), capsys.readouterr().err)


DIES = "__import__('multiprocessing').parent_process() and os.kill(os.getpid(), 9)"


@pytest.mark.exhaustive
def test_a_plugin_that_ends_a_process():
    for act, jobs in ((DIES, 2), (ENDS["exit"], 1), (ENDS["generator"], 2), (ENDS["memory"], 1)):
        plugin("rule", act)
        done = shell(f"hierpair score t y p -q --plugin own.py -m mine --jobs {jobs}")
        ends_well(done.returncode, done.stderr)
        assert act != DIES or "a process died" in done.stderr
