"""No input is ever overwritten, however it is named: on the command line, in a measure, in a file."""

import ast
import os
from pathlib import Path

import pytest

import hierpair
from hierpair import BadInput
from hierpair.cli import main
from hierpair.io import files, text

CLAIMS = """
hierarchy = "t"
truth = "y"
[systems]
s = "p"
[[claims]]
system = "s"
measure = "hf"
value = "0.58"
"""
PLUGIN = """
from hierpair import Rule, pair_measure

@pair_measure(name="mine_{}")
def mine():
    return Rule(lambda pairs: pairs.distance, ())
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t").write_text("r\ta\nr\tb\na\tc\n")
    Path("y").write_text("c\nb\na\nc\n")
    Path("p").write_text("a\nb\nc\nb\n")
    Path("counts.tsv").write_text("a\t3\nb\t2\nc\t4\n")
    Path("costs.tsv").write_text(
        "true\tpredicted\tcost\na\tb\t2\na\tc\t1\nc\ta\t1\nb\tc\t2\nc\tb\t1\n"
    )
    Path("vectors.tsv").write_text("r\t1\t1\na\t1\t0\nb\t0\t1\nc\t1\t2\n")
    Path("m.npy").write_bytes(b"")
    Path("claims.toml").write_text(CLAIMS)
    return tmp_path


def spellings(name):
    """Return other names of a file: a link, a hard link, relative and odd spellings."""
    Path("sub").mkdir(exist_ok=True)
    linked, hard = Path(f"sub/link-{name}"), Path(f"sub/hard-{name}")
    linked.symlink_to(Path(name).resolve())
    os.link(name, hard)
    return [name, f"./{name}", f"sub/../{name}", str(Path(name).resolve()), str(linked), str(hard),
            f"/proc/self/cwd/{name}"]  # fmt: skip


RUNS = {
    "t": ["score", "t", "y", "p", "-m", "hf"],
    "y": ["check", "t", "y", "p"],
    "p": ["explain", "t", "y", "named=p", "-m", "hf"],
    "counts.tsv": ["score", "t", "y", "p", "-m", "mean_cost(cost=lin('counts.tsv'))"],
    "costs.tsv": ["score", "t", "y", "p", "-m", "gie", "--set", "cost=matrix('costs.tsv')"],
    "vectors.tsv": ["score", "t", "y", "p", "-m", 'total_cost(cost=cosine("vectors.tsv"))'],
    "claims.toml": ["verify", "claims.toml"],
}
NAMED_IN_CLAIMS = {name: ["verify", "claims.toml"] for name in ("t", "y", "p")}


@pytest.mark.parametrize(("name", "run"), [*RUNS.items(), *NAMED_IN_CLAIMS.items()])
def test_an_input_is_not_overwritten(folder, capsys, name, run):
    before = Path(name).read_bytes()
    for target in spellings(name):
        assert main([*run, "-q", "-o", target]) == 2, target
        assert "this file is read; write the output elsewhere" in capsys.readouterr().err
        assert Path(name).read_bytes() == before
    assert main([*run, "-q", "-o", "fresh"]) in (0, 1)


def test_a_plugin_is_not_overwritten(folder, capsys):
    Path("own.py").write_text(PLUGIN.format("one"))
    os.link("own.py", "hard.py")
    for target in ("own.py", "hard.py"):
        run = ["score", "t", "y", "p", "-q", "--plugin", "own.py", "-m", "hf"]
        assert main([*run, "-o", target]) == 2
        assert "this file is read" in capsys.readouterr().err
    assert Path("own.py").read_text() == PLUGIN.format("one")


def test_standard_input_is_not_overwritten(folder, monkeypatch, capsys):
    with Path("p").open() as given:
        monkeypatch.setattr("sys.stdin", given)
        assert main(["score", "t", "y", "-", "-q", "-m", "hf", "-o", "p"]) == 2
    assert "p: this file is read" in capsys.readouterr().err
    assert Path("p").read_text() == "a\nb\nc\nb\n"


def test_a_file_that_is_read_late_stops_the_writing(folder):
    """The guard does not depend on how a measure or a claim names its files."""
    with files.inputs_guarded():
        text.read_bytes("counts.tsv")
        with pytest.raises(BadInput, match="this file is read"):
            files.replace_file(Path("counts.tsv"), b"x")
    assert Path("counts.tsv").read_text().startswith("a\t3")
    files.replace_file(Path("counts.tsv"), b"x")  # in Python, everybody may write what they like
    assert Path("counts.tsv").read_bytes() == b"x"


def test_picture_and_output_are_two_files(folder, capsys):
    run = ["compare", "t", "y", "p", "q=y", "-q", "-m", "hf", "--picture", "x.svg"]
    Path("x.svg").write_text("old")
    for target in ("x.svg", "./x.svg"):
        assert main([*run, "-o", target]) == 2
        assert "the picture and the output are the same file" in capsys.readouterr().err
    assert Path("x.svg").read_text() == "old"


OPENERS = {"open", "read_text", "read_bytes", "fdopen", "load", "loadtxt", "genfromtxt", "fromfile",
           "ParquetFile", "read_csv"}  # fmt: skip


@pytest.mark.exhaustive
def test_files_are_opened_in_one_place():
    """What opens a file elsewhere would not be known to the guard."""
    root = Path(hierpair.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called = node.func
                name = getattr(called, "attr", getattr(called, "id", None))
                ours = isinstance(called, ast.Name) and name in ("read_text", "read_bytes")
                if name in OPENERS and not ours:
                    found.add(f"{path.relative_to(root)}: {ast.unparse(called)}")
    assert {line for line in found if not line.startswith("io/files.py")} <= {
        "cli/output.py: os.open",  # the null device
        "cli/main.py: os.open",
        "cli/main.py: Path(os.devnull).open",
        "io/labels/binary.py: np.load",  # bytes in memory
        "io/labels/binary.py: pq.ParquetFile",  # bytes in memory, or noted for the guard
        "io/text.py: Path(path).open",  # noted for the guard
        "io/datasets/tables.py: Path(path).open",  # noted for the guard
        "metrics/functions.py: EXAMPLE_VALUES.read_text",  # comes with the package
        "report/page.py: files(__package__).joinpath(*path).read_text",  # parts of every page
        "evaluation/partial.py: np.load",  # bytes in memory
        "evaluation/processes.py: MAPS.read_text",  # of the kernel: which libraries are loaded
    }
