"""What strangers look for: metadata, pages about the project, what is public, and how little is loaded."""

import math
import re
import subprocess
import sys
import tomllib

import pytest

import hierpair
from tests.paths import ROOT

pytestmark = pytest.mark.house

DOCS = ROOT / "docs"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
PAGES = sorted((ROOT / ".github").rglob("*.md"))


def test_the_package_says_where_it_lives_and_what_it_needs():
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= set(PROJECT["urls"])
    assert all(url.startswith("https://") for url in PROJECT["urls"].values())
    stated = [c.rpartition("3.")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c]
    oldest = int(PROJECT["requires-python"].removeprefix(">=3."))
    assert sorted(map(int, stated)) == list(range(oldest, oldest + len(stated)))


def test_every_dependency_states_its_lowest_version():
    extras = PROJECT["optional-dependencies"]
    stated = [*PROJECT["dependencies"], *(d for needed in extras.values() for d in needed)]
    assert all(re.match(r"[\w-]+>=\d", d) for d in stated), stated
    lowest = {}
    for dependency in stated:
        name, version = re.match(r"([\w-]+)>=([\d.]+)", dependency).groups()
        assert lowest.setdefault(name, version) == version, f"{name} has two lowest versions"


def test_the_pages_for_forges_are_there_and_lead_somewhere():
    assert {"CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"} <= {p.name for p in PAGES}
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            assert "://" in target or (page.parent / target).exists(), target
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    for script in re.findall(r"(tests/\S+\.py|\.ci/run)", text):
        assert (ROOT / script).exists(), script


def test_the_citation_names_this_version_and_licence():
    text = (DOCS / "CITATION.cff").read_text("utf-8")
    stated = dict(re.findall(r"^([\w-]+): \"?([^\"\n]*)\"?$", text, re.MULTILINE))
    assert stated["version"] == hierpair.__version__
    assert stated["license"] == PROJECT["license"]
    assert stated["repository-code"] == PROJECT["urls"]["Source"]
    assert stated["url"] == PROJECT["urls"]["Documentation"]


def test_the_changelog_has_a_section_per_version_newest_first():
    text = (DOCS / "changelog.md").read_text("utf-8")
    first, *versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert first == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)", v) for v in versions), versions
    assert versions[0].split()[0] == hierpair.__version__
    kinds = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


# ------------------------------------------------------------------------------ what a first score loads

FIRST_SCORE = """
import sys
import hierpair
tree = hierpair.Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
truth, predicted = [["c"], ["a", "b"], ["b"]], [["d"], ["a"], ["b", "c"]]
measures = ["hf", "symmetric_difference", "f", "hf(average=micro)", "level_accuracy"]
print(hierpair.score(tree, truth, {"mine": predicted}, measures)["mine", "hf"], *sorted(sys.modules))
"""
SMALL_FILES = """
import sys
from hierpair.cli import main
assert main(["score", "tree.tsv", "truth.tsv", "run.tsv", "-m", "hf", "-q", "--format", "csv"]) == 0
print("nan", *sorted(sys.modules))
"""
HEAVY = {
    FIRST_SCORE: "scipy.sparse ortools networkx pandas hierpair.io.datasets hierpair.evaluation.dataset "
    "hierpair.probabilistic hierpair.plots hierpair.report",
    SMALL_FILES: "pandas duckdb pyarrow fsspec",  # though all are there
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("program", "value"), [(FIRST_SCORE, 5 / 9), (SMALL_FILES, math.nan)])
def test_a_first_score_loads_only_what_it_uses(tmp_path, program, value):
    """A small script should not wait for what it does not use, and small files need nothing for large ones."""
    for name, text in (("tree", "r\ta\nr\tb\n"), ("truth", "x\ta\n"), ("run", "x\tb\n")):
        (tmp_path / f"{name}.tsv").write_text(text)
    line, how = [sys.executable, "-c", program], {"cwd": tmp_path, "text": True}
    done = subprocess.run(line, capture_output=True, check=True, **how)
    found, *loaded = done.stdout.splitlines()[-1].split()
    assert float(found) == pytest.approx(value, nan_ok=True)
    assert "hierpair.measures" in loaded
    assert not set(HEAVY[program].split()) & set(loaded)


CONDA = {"ortools": "ortools-python", "duckdb": "python-duckdb", "dask": "dask-core"}
CONDA["matplotlib"] = "matplotlib-base"
"""What conda-forge calls packages otherwise."""


def test_the_recipe_of_conda_needs_what_pyproject_needs():
    """In its sections: the version, the oldest Python, what builds it, dependencies, extras of users, the command."""
    text = (ROOT / "recipe" / "recipe.yaml").read_text("utf-8")
    sections = re.search(r"host:\n(.*)run:\n(.*)run_constraints:.*?\n(.*)tests:", text, re.S)
    needed = (re.findall(r"^    - (?!python |pip$)(.+)$", part, re.M) for part in sections.groups())
    built, run, extras = map(set, needed)

    def named(dependencies):
        found = (re.match(r"([\w-]+)(>=.*)", d).groups() for d in dependencies)
        return {f"{CONDA.get(name, name)} {lowest}" for name, lowest in found}

    of_users = set(PROJECT["optional-dependencies"]) - {"docs", "bench", "test", "browser", "dev"}
    assert run == named(PROJECT["dependencies"])
    assert extras == named(d for e in of_users for d in PROJECT["optional-dependencies"][e])
    assert built == named(PYPROJECT["build-system"]["requires"])
    stated = dict(re.findall(r"^  (version|python_min): \"(.*)\"$", text, re.M))
    assert stated == {"version": hierpair.__version__, "python_min": PROJECT["requires-python"][2:]}
    [command] = PROJECT["scripts"].items()
    assert "- {} = {}\n".format(*command) in text
    assert f'summary: "{PROJECT["description"]}"' in text
