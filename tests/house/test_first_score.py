"""What a first score loads: a small script should not wait for what it does not use."""

import subprocess
import sys

import pytest

FIRST_SCORE = """
import sys
import hierpair
tree = hierpair.Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
truth, predicted = [["c"], ["a", "b"], ["b"]], [["d"], ["a"], ["b", "c"]]
n = int(sys.argv[1])
scores = hierpair.score(
    tree, truth[:n], {"mine": predicted[:n]}, ["hf", "symmetric_difference", "f", "hf(average=micro)", "level_accuracy"]
)
print(scores["mine", "hf"], *sorted(sys.modules))
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n", "expected"), [(1, 1 / 2), (3, (1 / 2 + 2 / 3 + 1 / 2) / 3)])
def test_a_first_score_loads_only_what_it_uses(n, expected):
    done = subprocess.run(
        [sys.executable, "-c", FIRST_SCORE, str(n)], capture_output=True, text=True, check=True
    )
    value, *loaded = done.stdout.split()
    assert float(value) == pytest.approx(expected)
    assert "hierpair.measures" in loaded
    for module in (
        "scipy.sparse",  # takes as long to load as all of hierpair
        "ortools",
        "networkx",
        "pandas",
        "hierpair.io.datasets",
        "hierpair.evaluation.dataset",
        "hierpair.probabilistic",
        "hierpair.plots",
        "hierpair.report",
    ):
        assert module not in loaded, module


@pytest.mark.exhaustive
def test_small_files_need_nothing_for_large_ones(tmp_path):
    """Neither what reads Parquet nor what joins, though both are there."""
    for name, text in (
        ("tree", "r\ta\nr\tb\n"),
        ("truth", "x\ta\ny\tb\n"),
        ("run", "y\tb\nx\tb\n"),
    ):
        (tmp_path / f"{name}.tsv").write_text(text)
    program = (
        "import sys; from hierpair.cli import main; "
        "assert main(['score', 'tree.tsv', 'truth.tsv', 'run.tsv', '-m', 'hf', '-q']) == 0; "
        "print(*{'pandas', 'duckdb', 'pyarrow', 'fsspec'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stderr.strip() == ""
