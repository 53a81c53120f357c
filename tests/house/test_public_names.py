"""What others rely on: names, parameters, options, and what each is if nobody says it."""

import inspect
from dataclasses import is_dataclass
from importlib import import_module

import hierpair
from hierpair.cli.main import VERBS
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
