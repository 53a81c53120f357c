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
    tree, truth[:n], {"mine": predicted[:n]}, ["hf", "sdl", "f", "hf(average=micro)", "level_accuracy"]
)
print(scores["mine", "hf"], *sorted(sys.modules))
"""


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
        "hierpair.evaluation.data_sets",
        "hierpair.probabilistic",
        "hierpair.plots",
        "hierpair.report",
    ):
        assert module not in loaded, module
