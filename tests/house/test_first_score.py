"""What a first score loads: a small script should not wait for what it does not use."""

import subprocess
import sys

FIRST_SCORE = """
import sys
import hierpair
tree = hierpair.Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
scores = hierpair.score(tree, [["c"]], {"mine": [["d"]]}, ["hf", "level_accuracy"])
print(scores["mine", "hf"], *sorted(sys.modules))
"""


def test_a_first_score_loads_only_what_it_uses():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_SCORE], capture_output=True, text=True, check=True
    )
    value, *loaded = done.stdout.split()
    assert value == "0.5"
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
