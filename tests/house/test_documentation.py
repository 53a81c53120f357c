"""The documentation says what the code does: examples run, pages are fresh, commands work."""

import doctest
import importlib
import re
import runpy
import sys

import pytest

import hierpair
from hierpair import pair_measure, scored_measure
from hierpair.cli.main import VERBS
from hierpair.measures import REGISTRY
from hierpair.pairing import Degree, Hops, Rule, Unmatched
from tests.paths import ROOT, SHARED

pytestmark = pytest.mark.house

DOCS = ROOT / "docs"
WRITTEN = ("_build", "api", "cli", "measures")
"""Folders that a build writes; nothing in them is committed."""
PAGES = [
    ROOT / "README.md",
    *sorted(p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] not in WRITTEN),
]


def name_of(page):
    return str(page.relative_to(ROOT))


def python_blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run_examples(text, where, names):
    """Run the >>> lines of a block; return the number of failures."""
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    test = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    runner.run(test, clear_globs=False)
    names.update(test.globs)
    return runner.failures


# What docs/architecture.md adds stays added: test_adding.py runs its blocks, in processes of their own.
@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "architecture.md"], ids=name_of)
def test_python_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    names = {}
    for number, text in enumerate(python_blocks(page.read_text("utf-8"))):
        if ">>>" not in text:
            exec(compile(text, f"{page.name}, block {number}", "exec"), names)
        else:
            assert run_examples(text, f"{page.name} {number}", names) == 0
    if page == ROOT / "README.md":
        [shown] = re.findall(r"\]\(docs/(\S+\.svg)\)", page.read_text("utf-8"))
        assert written_in(tmp_path / shown) == written_in(DOCS / shown) != []


def test_the_pictures_of_rules_are_fresh(writer, tmp_path):
    """Every picture on the pages is drawn by their examples, and says what the one in the repository says."""
    pages = [DOCS / "pairing.md", DOCS / "howto" / "when-to-stop.md"]
    text = "\n".join(writer("transcript").renewed(page, tmp_path) for page in pages)
    shown = sorted(re.findall(r"\]\((?:\.\./)?rules/(\S+)\)", text))
    assert shown == sorted(path.name for path in tmp_path.glob("*.svg"))
    assert shown == sorted(path.name for path in (DOCS / "rules").iterdir())
    for name in shown:
        drawn = written_in(tmp_path / name)
        assert drawn == written_in(DOCS / "rules" / name) != [], "run python docs/transcript.py"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_console_examples_print_what_they_show(page, writer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    transcript = writer("transcript")
    for command, expected in transcript.console_examples(page.read_text("utf-8")):
        printed = transcript.ran(command)
        assert transcript.shows(expected, printed), f"{command} prints\n{printed}"


def test_shortened_examples_still_tell_right_from_wrong(writer):
    shows = writer("transcript").shows
    assert shows("a\n...\nd\n", "a\nb\nc\nd\n")
    assert shows("a\n...\nd\n", "a\nd\n")
    assert not shows("a\n...\nd\n", "a\nb\nc\n")
    assert not shows("a.c\n", "abc\n")


def test_the_start_page_leads_to_a_picture(writer, tmp_path):
    page = DOCS / "index.md"
    assert writer("transcript").renewed(page, tmp_path) == page.read_text("utf-8")
    assert written_in(tmp_path / "worst.svg") == written_in(DOCS / "worst.svg") != []


def test_the_picture_of_the_rooms_is_drawn_from_the_code(writer, tmp_path):
    writer("write_architecture").write(tmp_path)
    drawn = {text.split()[0] for text in written_in(tmp_path / "architecture.svg")}
    there = {path.stem for path in (ROOT / "hierpair").iterdir() if path.suffix in ("", ".py")}
    assert drawn == {name for name in there if not name.startswith("_")}


@pytest.fixture
def writer(monkeypatch):
    """Import a module of docs/."""
    monkeypatch.syspath_prepend(str(DOCS))
    yield importlib.import_module
    for path in DOCS.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.mark.release
@pytest.mark.exhaustive
def test_the_table_of_advice_is_fresh(writer):
    page = writer("write_which_measure").page()
    assert (DOCS / "which-measure.md").read_text("utf-8") == page, "run docs/write_which_measure.py"


def written_in(picture):
    """The texts of a picture: Matplotlib draws letters as shapes and notes the words beside them."""
    return re.findall(r"<!-- (.*?) -->", picture.read_text("utf-8"), re.DOTALL)


@pytest.mark.exhaustive
@pytest.mark.skipif(not (SHARED / "germeval2019").is_dir(), reason=f"no germeval2019 in {SHARED}")
def test_the_page_on_comparing_is_fresh(writer, tmp_path, monkeypatch):
    """With the commands that need the data of GermEval; the others are run by the test below."""
    monkeypatch.setenv("HIERPAIR_DATA", str(SHARED))
    text = writer("transcript").renewed(DOCS / "comparing.md", tmp_path)
    assert (DOCS / "comparing.md").read_text("utf-8") == text, "run python docs/transcript.py"
    for picture in tmp_path.glob("*.svg"):
        assert written_in(DOCS / picture.name) == written_in(picture), picture.name


def test_the_page_on_comparing_can_be_written_without_the_data(writer, tmp_path, monkeypatch):
    monkeypatch.delenv("HIERPAIR_DATA", raising=False)
    text = writer("transcript").renewed(DOCS / "comparing.md", tmp_path)
    assert (DOCS / "comparing.md").read_text("utf-8") == text


def pictures_of(d):
    """What the page of a measure shows: nothing is drawn of measures of scores."""
    names = [d.name, f"{d.name}-network"][: 2 if d.rule or d.family == "transport" else 1]
    return [f"{name}.svg" for name in names if d.consumes == "labels"]


@pytest.mark.parametrize("name", list(REGISTRY))
def test_every_measure_has_a_page_with_all_its_parts(name, writer, tmp_path):
    d = REGISTRY[name]
    pages = writer("write_measure_pages")
    text = pages.page(d, tmp_path)
    plain = text.replace("\\", "")
    for part in (d.summary, d.formula, d.range, d.source, f"{d.direction} is better", *d.cautions):
        assert part in plain, part
    for average in d.averages:
        assert f"`{average}`" in text
    for option, default in d.options.items():
        assert f"| `{option}` | `{default!r}` | {d.option(option).meaning}" in plain
    assert f"**{name} = " in plain
    drawn = re.findall(r"\]\((\S+\.svg)\)", text)
    assert drawn == pictures_of(d)
    for picture in drawn:
        assert "<svg " in (tmp_path / picture).read_text("utf-8")
    assert {path.name for path in tmp_path.iterdir()} == set(drawn)
    for words, *_ in pages.answers(d):
        assert f"| {words} |" in text
    assert d.cautions, f"{name} does not say where it misleads (cautions=...)"
    [example] = python_blocks(text)
    assert run_examples(example, name, {}) == 0


def test_lacking_traits_are_failure_modes(writer):
    pages = writer("write_measure_pages")
    for d in REGISTRY.values():
        text = "\n".join(pages.failure_modes(d))
        for trait in pages.traits_of(d):
            assert (f"Not *{trait}*" in text) == (trait not in d.traits)


def test_the_build_writes_pages_for_what_is_registered_alone(writer, tmp_path, monkeypatch):
    """What is on a page, and the pictures beside it, are matters of the test of each page."""

    @pair_measure()
    def freshly_made(default: float = 3) -> Rule:
        "A rule of somebody."
        return Rule(Hops(), (Degree("predicted"), Degree("true", 1), Unmatched("true", default)))

    @scored_measure(formula="1", source="ours", direction="higher", range="[0, 1]")
    def freshly_scored(scored):
        "Always the same."
        return 1.0

    pages = writer("write_measure_pages")
    (tmp_path / "measures").mkdir()
    (tmp_path / "measures" / "gone.md").write_text("a measure that was removed")
    monkeypatch.setattr(pages, "page", lambda d, folder: f"{d.name} in {folder.name}")
    pages.write(tmp_path)
    found = {p.name: p.read_text("utf-8") for p in (tmp_path / "measures").iterdir()}
    assert found == {f"{name}.md": f"{name} in measures" for name in REGISTRY}
    overview = pages.linked((DOCS / "measures.md").read_text("utf-8"))
    for name in REGISTRY:
        assert f"\nmeasures/{name}\n" in overview
        assert f"- [{name}](measures/{name}.md): {REGISTRY[name].summary}" in overview


def test_every_package_is_in_the_reference():
    """Its page is made from its ``__all__`` (docs/_templates), but for what is imported from hierpair itself."""
    listed = re.findall(r"^   (hierpair.*)$", (DOCS / "api.rst").read_text("utf-8"), re.M)
    assert sorted(listed) == ["hierpair", *(f"hierpair.{room}" for room in sorted(hierpair.ROOMS))]


def test_every_verb_and_option_is_in_the_reference(writer):
    text = writer("write_commands").page()
    assert {"score", "measures"} <= set(VERBS)
    for name, verb in VERBS.items():
        section = text.split(f"## hierpair {name}\n")[1].split("\n## ")[0]
        assert [option for option in verb.entries if f"`{option}" not in section] == []


def test_the_configuration_of_the_documentation_loads(writer):
    configuration = runpy.run_path(str(DOCS / "conf.py"))
    assert configuration["release"] == hierpair.__version__
    assert configuration["nitpicky"]
    assert not any("intersphinx" in name for name in configuration["extensions"])
    for linking in (ROOT / "README.md", DOCS / "howto" / "report.md"):
        assert f"/{configuration['REPORT']}" in linking.read_text("utf-8")


def test_what_the_build_writes_is_not_committed():
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {"docs/architecture.svg", *(f"docs/{folder}/" for folder in WRITTEN)} <= set(ignored)


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if "://" not in target and target != "architecture.svg":  # which the build draws
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_public_name_has_a_docstring_that_helps():
    for name in hierpair.__all__:
        thing = getattr(hierpair, name)
        if callable(thing):
            assert thing.__doc__, name
            assert not thing.__doc__.startswith(f"{name}("), f"{name} has no docstring of its own"


def test_every_format_is_on_the_page_of_formats():
    text = (DOCS / "formats.md").read_text("utf-8")
    for formats in (hierpair.io.HIERARCHY_FORMATS, hierpair.io.LABEL_FORMATS):
        for name, known in formats.items():
            assert all(f"`{said}`" in text for said in (name, *known.endings)), name


def test_what_is_asked_of_measures_names_those_that_there_are():
    """Every name in the table of questions is a measure, and every family of scores answers one."""
    table = re.findall(r"^\| .* \| (`.*`) \|$", (DOCS / "measures.md").read_text("utf-8"), re.M)
    named = {name for answers in table for name in re.findall(r"`(\w+)`", answers)}
    assert len(table) > 10
    assert named <= set(REGISTRY)
    families = {d.family for d in REGISTRY.values() if d.consumes == "scores"}
    assert families <= {REGISTRY[name].family for name in named}
