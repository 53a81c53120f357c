"""What strangers look for: metadata, the pages about the project, the list of pages for readers of text."""

import re
import tomllib

import pytest

import hierpair
from tests.paths import ROOT

pytestmark = pytest.mark.house

DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PAGES = sorted((ROOT / ".github").rglob("*.md"))


def test_the_package_says_where_it_lives():
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= set(PROJECT["urls"])
    assert all(url.startswith("https://") for url in PROJECT["urls"].values())


def test_the_oldest_python_of_the_classifiers_is_the_one_that_is_required():
    stated = [c.rpartition("3.")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c]
    assert min(map(int, stated)) == int(PROJECT["requires-python"].removeprefix(">=3."))
    assert sorted(map(int, stated)) == list(range(11, 11 + len(stated)))


def test_every_dependency_states_its_lowest_version():
    extras = PROJECT["optional-dependencies"]
    stated = [*PROJECT["dependencies"], *(d for needed in extras.values() for d in needed)]
    assert all(re.match(r"[\w-]+>=\d", d) for d in stated), stated
    lowest = {}
    for dependency in stated:
        name, version = re.match(r"([\w-]+)>=([\d.]+)", dependency).groups()
        assert lowest.setdefault(name, version) == version, f"{name} has two lowest versions"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_of_the_pages_for_forges_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_the_pages_for_forges_are_there():
    assert {"CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"} <= {p.name for p in PAGES}


def test_the_commands_of_the_contributing_page_exist():
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
