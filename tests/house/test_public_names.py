"""What others rely on: names, parameters, options, and what each is if nobody says it."""

import inspect
from dataclasses import is_dataclass
from importlib import import_module

import numpy as np
import pytest

import hierpair
from hierpair import Hierarchy, comparison, probabilistic, score, verification
from hierpair.cli.main import VERBS
from hierpair.probabilistic import LabelDistribution
from tests.paths import ROOT

PLAIN = (type(None), bool, int, float, str, tuple)


def taken(function):
    """The parameters of a function, with their defaults; of one that is no plain value ``=``."""
    for p in inspect.signature(function).parameters.values():
        default = repr(p.default) if isinstance(p.default, PLAIN) else ""
        yield p.name if p.default is p.empty else f"{p.name}={default}".replace(" ", "")


def with_defaults(thing):
    """The public functions of a class that have defaults, each with these."""
    for name in sorted(name for name in vars(thing) if not name.startswith("_")):
        function = getattr(thing, name)
        known = inspect.isfunction(function) or inspect.ismethod(function)
        if given := [one for one in (taken(function) if known else ()) if "=" in one]:
            yield f"{name}({','.join(given)})"


def public_names():
    """Names of every package with their parameters, and verbs with their options."""
    for room in ("hierpair", *(f"hierpair.{room}" for room in hierpair.ROOMS)):
        for name in import_module(room).__all__:
            thing, told = getattr(import_module(room), name), []
            if inspect.isfunction(thing) or (isinstance(thing, type) and is_dataclass(thing)):
                told += taken(thing)
            if isinstance(thing, type) and thing.__module__.startswith("hierpair"):
                told += with_defaults(thing)
            yield " ".join([f"{room}.{name}", *told])
    for name, verb in VERBS.items():
        defaults = {word: entry.default for word, entry in verb.entries.items()}
        told = (word if x is None else f"{word}={x}" for word, x in defaults.items())
        yield " ".join([f"hierpair {name}", *told])


def test_what_is_public_is_what_was_promised():
    """A line that changes, or goes, is a change that docs/stability.md allows a major version only."""
    promised = (ROOT / "tests" / "data" / "public_names.txt").read_text("utf-8").splitlines()
    assert sorted(public_names()) == promised


# ----------------------------------------------------------------------------- random numbers

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), *((x, x + y) for x in "ab" for y in "cde")])
TRUTH = ["ac", "ad", "bc", "be", "a"] * 4
SYSTEMS = {"u": ["ac", "ae", "b", "be", "a"] * 4, "v": ["ad", "a", "bc", "bd", "bc"] * 4}
SCORES = score(TREE, TRUTH, SYSTEMS, ["hf", "gie", "hf(average=macro)"], keep_classes=True)
SCENARIOS = [(0.5, ["ac", "bc"]), (0.3, ["ad"]), (0.2, ["b"])]
CERTAIN = LabelDistribution.from_scenarios([SCENARIOS] * 2, TREE)
DRAWING = {
    "agreement": lambda **how: comparison.agreement(SCORES, n_bootstrap=20, **how),
    "compare": lambda **how: comparison.compare(
        SCORES, blocks=5, n_permutations=20, n_bootstrap=20, **how
    ),
    "discrimination": lambda **how: comparison.discrimination(
        SCORES, planted=[0.5], splits=3, repeats=2, n_permutations=20, n_bootstrap=20, **how
    ),
    "perturbed": lambda **how: comparison.perturbed(
        TREE, TRUTH, ["up1", "sibling", "noise_0.5", "add_unrelated"], **how
    ),
    "respond": lambda **how: comparison.respond(
        TREE, TRUTH, ["hf"], steps=["up1", "noise_0.5"], rounds=2, n_bootstrap=20, **how
    ),
    "decode": lambda **how: probabilistic.decode(CERTAIN, "lca_f", samples=5, **how),
    "expected": lambda **how: [
        probabilistic.expected(CERTAIN, ["ac", "b"], m, samples=5, **how)
        for m in ("gie", "hf(average=micro)")
    ],
    "advise": lambda **how: verification.advise(
        measures=["hf"], needs=["symmetric"], scope=2, samples=20, **how
    ),
    "examine": lambda **how: verification.examine(
        ["hf"], properties=["symmetric"], scope=2, samples=20, **how
    ),
}


def functions_with(word):
    """The public functions that have a parameter, by name."""
    for room in hierpair.ROOMS:
        for name in import_module(f"hierpair.{room}").__all__:
            thing = getattr(import_module(f"hierpair.{room}"), name)
            if inspect.isfunction(thing) and word in inspect.signature(thing).parameters:
                yield name


def test_every_function_that_draws_is_asked():
    assert {*functions_with("seed")} == {*DRAWING}


@pytest.mark.parametrize("name", DRAWING)
def test_all_random_numbers_come_of_the_seed(name, monkeypatch):
    """No number depends on another seed, and two of them are not the same numbers again."""
    seeds, default_rng = [], np.random.default_rng

    def noted(seed=None):
        if not isinstance(seed, np.random.Generator):  # which is handed on
            seeds.append(seed)
        return default_rng(seed)

    monkeypatch.setattr(np.random, "default_rng", noted)
    DRAWING[name](seed=7)
    made = [x.entropy if isinstance(x, np.random.SeedSequence) else x for x in seeds]
    assert made
    assert {x[0] if isinstance(x, tuple) else x for x in made} == {7}
