"""What the command line says is as recorded; every option changes something, and is by default what the function takes by default."""

import inspect
import re

import pytest

import hierpair as hp
from hierpair.cli.main import VERBS
from hierpair.labels import information_accretion
from hierpair.probabilistic import pooled_curve
from hierpair.report import report_html

from .sessions import MORE, PAGES, blocks, said

FUNCTIONS = {
    "score": [hp.score], "partial": [hp.evaluation.partial], "compare": [hp.compare, hp.comparison.differ],
    "report": [report_html, hp.compare], "explain": [hp.explain], "curve": [pooled_curve],
    "decode": [hp.decode, hp.read_distribution], "weights": [information_accretion], "check": [], "convert": [],
    "measures": [hp.advise], "examine": [hp.examine, hp.respond],
}  # fmt: skip
CALLED = {"jobs": "n_jobs", "top": "k", "bootstrap": "n_bootstrap", "hierarchy_format": "fmt",
          "distribution_format": "fmt", "names": "", "threshold": ""}  # fmt: skip


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_a_default_is_that_of_the_function(verb):
    for entry in VERBS[verb].entries.values():
        for function in (*FUNCTIONS[verb], hp.read_hierarchy, hp.read_labels):
            known = inspect.signature(function).parameters
            found = known.get(CALLED.get(entry.name, entry.name))
            if found is not None and entry.default not in (None, False, "yes"):
                assert (entry.name, entry.default) == (entry.name, found.default)


ELSEWHERE = "engine scheduler workers limit-seconds debug"
"""Options that need a cluster, slow solvers or a fault."""

BLOCKS = [block for page in PAGES for block in blocks(page)]


@pytest.mark.parametrize("block", BLOCKS, ids=[block.splitlines()[0] for block in BLOCKS])
def test_what_is_said_is_what_was_recorded(block):
    assert said(block) == block, "python -m tests.cli.sessions writes what comes now"


@pytest.mark.parametrize("block", BLOCKS, ids=[block.splitlines()[0] for block in BLOCKS])
def test_every_option_changes_something(block):
    """What only repeats the words that were typed is no change."""
    for added in re.split(f"(?m)^[$] {MORE}", block)[1:]:
        words, *changes = added.splitlines()
        assert [x for x in changes if not re.match(r"[-+](curve|compare)\(", x)], words
        assert "there is no option" not in added


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_no_format_that_is_not_written(verb):
    of = VERBS[verb]
    rules = " ".join(x for e in of.entries.values() for x in e.rules)
    assert {*re.findall(r"--format (\w+)", rules)} <= {*of.formats}


def tried():
    """Yield the words that were typed after each verb, on any page."""
    for block in BLOCKS:
        first, *more = re.findall(r"(?m)^[$] (.*)$", block)
        commands = first.split(" ; ")
        added = [(x, commands[-1 if x.startswith(f"{MORE};") else 0]) for x in more]
        yield from ((command.split()[0], words.split()) for words, command in
                    [*added, *zip(commands, commands, strict=True)])  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_no_option_is_left_out(verb):
    words = {word.partition("=")[0] for of, line in tried() for word in line if of == verb}
    short = {word for e in VERBS[verb].entries.values() if words & {*e.words} for word in e.words}
    assert {*VERBS[verb].entries} - short <= {f"--{x}" for x in ELSEWHERE.split()}
