"""Each kind of thing is added in one place, from outside the package: the page's blocks as a plugin."""

import json
import re
import subprocess
import sys

import pytest

from hierpair.measures import OPTIONS
from hierpair.measures.registry import REGISTRY
from tests.paths import ROOT

pytestmark = pytest.mark.house

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
ADDING = PAGE[PAGE.index("## Adding things") :]
BLOCKS = re.findall(r"```python\n(.*?)```", ADDING, re.DOTALL)
TREE = "root\tanimal\nroot\tplant\nanimal\tape\nanimal\tbear\nplant\tbeet\nplant\tash\n"
PYTHON = """
import json, sys
import hierpair
from hierpair import Hierarchy, LabelDistribution, LabelSets, decode, explain, read_labels, score
exec(compile(open("own.py").read(), "own.py", "exec"))
tree = hierpair.read_hierarchy("tree.tsv")
truth = read_labels("truth.plus", tree)
guess = read_labels("guess.plus", tree)
measures = ["strict_recall", "strict_recall(slack=0)", "gie(cost=squared)", "by_initial"]
scores = score(tree, truth, {"mine": guess}, measures)
leaves = LabelDistribution.from_leaves([[0.5, 0.5]] * 2, tree, classes=["ape", "ash"])
best = decode(leaves, "strict_recall(slack=0)")
print(json.dumps({
    "values": scores.values.tolist(),
    "explained": [why.value for m in measures for why in explain(tree, truth, guess, m, instances=range(2))],
    "each": scores.per_instance["mine"].T.tolist(),
    "form": scores.to_table("bare").splitlines()[0],
    "decoded": sorted(best.sets.names_of(0, tree)), "value": float(best.value[0]),
    "trust": score(tree, truth, {"mine": leaves}, ["trust", "trust(sure=0)"]).values.tolist(),
    "function": hierpair.metrics.function_of("strict_recall")(truth, guess, tree, slack=0),
}))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    files = {"own.py": "\n".join(BLOCKS), "tree.tsv": TREE, "use.py": PYTHON,
             "truth.plus": "ape\nbear+ash\n", "guess.plus": "ash\nbear\n",
             "truth.tsv": "0\tape\n", "p.tsv": "0\tape\t0.5\n0\tash\t0.5\n"}  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def run(folder, *line, code=0):
    line = [sys.executable, *line]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def hierpair(folder, verb, *more, tree=("tree.tsv",), **how):
    return run(folder, "-m", "hierpair", verb, *tree, *more, "--plugin", "own.py", **how)


def test_the_page_adds_nine_kinds_of_things():
    wanted = ("set_measure", "scored_measure", "named_cost", "builder.count", "LABEL_FORMATS[", "FORMS[",
              "@decoder", "@property_of_measures", "@Option")  # fmt: skip
    assert all(any(word in block for block in BLOCKS) for word in wanted)
    assert "strict_recall" not in REGISTRY
    assert "slack" not in OPTIONS


def test_all_of_them_work_from_python(folder):
    found = json.loads(run(folder, "use.py"))
    # truth {animal, ape}, guess {plant, ash}; truth {animal, bear, plant, ash}, guess {animal, bear}
    each = found["each"]
    assert each[0] == [0, (2 - 1) / 4]
    assert each[1] == [0, 2 / 4]
    assert each[2] == [5 + 5, 0 + 5]  # 4 edges squared are dearer than two defaults
    assert each[3] == [16, 9]  # a and a: allowed, 16 against two defaults of 9; ash stays alone
    assert found["explained"] == [value for row in each for value in row]
    assert found["values"] == [[sum(row) / 2 for row in each]]
    assert found["form"].startswith("mine ; strict_recall ; 0.125")
    assert found["decoded"] == ["animal", "ape", "ash", "plant"]
    assert found["value"] == 1
    assert found["function"] == 0.25
    assert found["trust"] == [[2 / 3, 1]]  # bear has no score; ape and ash have 0.5


def test_all_of_them_work_on_the_command_line(folder):
    files = ["truth.plus", "guess.plus"]
    line = [*files, "-m", "strict_recall", "-m", "gie(cost=squared)", "-m", "by_initial"]
    told = hierpair(folder, "score", *line, "--set", "slack=0", "--format", "json")
    assert [row["value"] for row in json.loads(told)["scores"]] == [0.25, 7.5, 12.5]
    assert " ; " in hierpair(folder, "score", *line, "--format", "bare")
    hierpair(folder, "score", *line, "-o", "out.bare")
    assert " ; " in (folder / "out.bare").read_text()
    line = ["truth.tsv", "p.tsv", "-m", "trust", "--set", "sure=0.6", "--format", "json"]
    assert json.loads(hierpair(folder, "score", *line))["scores"][0]["value"] == 0
    one = [*files, "--instance", "1", "-m"]
    assert '"value": 9.0' in hierpair(folder, "explain", *one, "by_initial", "--format", "json")
    assert "slack" in hierpair(folder, "explain", *one, "strict_recall")
    assert "ape" in hierpair(folder, "decode", "p.tsv", "-m", "strict_recall(slack=0)")
    line = "-m strict_recall --property parent_beats_nothing --scope 3 --samples 0"
    # the one common class of a class and its parent comes for nothing
    wanted = "expected strict_recall({2}, {1}) > strict_recall({2}, ∅); is 0 = 0"
    assert wanted in hierpair(folder, "examine", *line.split(), tree=())
    refused = hierpair(folder, "score", *files, "-m", "strict_recall(slack=-1)", code=2)
    assert "slack must be a number ≥ 0" in refused


def test_what_the_page_names_is_there():
    """Every room and module in backticks exists, and every name that is said to be in a module."""
    package = ROOT / "hierpair"
    for path in re.findall(r"`([a-z_/]+/|[a-z_/]+\.py)`", PAGE):
        assert (package / path).exists() or list(package.rglob(path.strip("/"))), path
    named = re.findall(r"`(\w+)`\s+in\s+`([a-z_/]+\.py)`", PAGE)
    assert named
    for name, path in named:
        text = (package / path).read_text("utf-8")
        assert re.search(rf"^(def |class )?{name}\b", text, re.MULTILINE), name
