"""The documentation says what the code does: examples run, pages are fresh, commands work."""

import doctest
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from hierpair.cli import main
from hierpair.measures import REGISTRY

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture(autouse=True)
def _same_registry():
    before = dict(REGISTRY)
    yield
    for name in REGISTRY.keys() - before.keys():
        del REGISTRY[name]


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_examples_run(page):
    names = {}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for number, text in enumerate(blocks(page, "python")):
        if ">>>" not in text:
            exec(compile(text, f"{page.name}, block {number}", "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(
            text, names, f"{page.name} {number}", str(page), 0
        )
        runner.run(test, clear_globs=False)
        names.update(test.globs)
    assert runner.failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_console_examples_print_what_they_show(page, capsys):
    for text in blocks(page, "console"):
        for command, expected in re.findall(
            r"^\$ hierpair (.*)\n((?:(?!\$ ).*\n?)*)", text, re.MULTILINE
        ):
            assert main(shlex.split(command)) == 0
            assert capsys.readouterr().out.strip() == expected.strip()


def test_the_page_of_measures_is_fresh():
    spec = importlib.util.spec_from_file_location(
        "write_measures", ROOT / "docs" / "write_measures.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "measures.md").read_text("utf-8") == module.page(), (
        "run python docs/write_measures.py"
    )


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_public_name_has_a_docstring_that_helps():
    import hierpair

    for name in hierpair.__all__:
        thing = getattr(hierpair, name)
        if callable(thing):
            assert thing.__doc__, name
            assert not thing.__doc__.startswith(f"{name}("), f"{name} has no docstring of its own"


def test_every_format_is_on_the_page_of_formats():
    from hierpair.readers import HIERARCHY_FORMATS, LABEL_FORMATS

    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    for name, known in [*HIERARCHY_FORMATS.items(), *LABEL_FORMATS.items()]:
        assert f"`{name}`" in text
        for ending in known.endings:
            assert f"`{ending}`" in text
