"""A function of the scikit-learn habit from a measure of the registry: signature and docstring."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from typing import Any

from hierpair.errors import BadInput, did_you_mean
from hierpair.evaluation.scoring import score
from hierpair.measures import REGISTRY, Definition, Option, measure
from hierpair.metrics.example_values import EXAMPLE_VALUES

__all__ = ["example_of", "function_name", "function_of", "parameters_of", "registered_functions"]

WIDTH = 92
FIXED = ("y_true", "y_pred", "hierarchy")

EXAMPLE = """\
>>> from hierpair import Hierarchy
>>> from hierpair.metrics import {name}
>>> tree = Hierarchy.from_edges(
...     [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")]
... )
>>> round({name}([["c"], ["e"]], [["d"], ["e"]], tree), 6)"""


def function_name(definition: Definition) -> str:
    """Return what the function of a measure is called.

    See :attr:`Definition.function_name` for the rule and what goes before it.

    >>> [function_name(REGISTRY[name]) for name in ("lca_f", "con_error", "level_hamming", "hf")]
    ['lca_fbeta_score', 'con_error', 'level_hamming_loss', 'h_fbeta_score']
    """
    if definition.function_name:
        return definition.function_name
    name = re.sub(r"(^|_)f$", r"\1fbeta", definition.name)
    if definition.direction == "higher":
        return name if name.endswith("_score") else f"{name}_score"
    return name if name.endswith(("error", "cost", "loss")) else f"{name}_loss"


def registered_functions() -> Iterator[Callable[..., float]]:
    """Yield the function of every measure, and for every F with beta that of F1."""
    for name, definition in REGISTRY.items():
        yield function_of(name)
        if "beta" in definition.options:
            yield function_of(name, beta=1)


def function_of(name: str, **fixed: Any) -> Callable[..., float]:
    """Return the function of a measure, ``f(y_true, y_pred, hierarchy, *, options…)``.

    The measures of the library have theirs in :mod:`hierpair.metrics`; this makes that of a
    measure of your own.

    Parameters
    ----------
    name
        A measure in the registry, without options.
    fixed
        Options that have this value and are no parameters.

    Raises
    ------
    BadInput
        For an unknown measure or option, or a wrong value.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> f2 = function_of("hf", beta=2)
    >>> f2.__name__, "Here beta is 2" in f2.__doc__
    ('h_fbeta_score', True)
    >>> round(f2([["b"]], [["a"]], Hierarchy.from_edges([("r", "a"), ("a", "b")])), 4)
    0.5556
    """
    if name not in REGISTRY:
        raise BadInput(f"there is no measure {name!r}{did_you_mean(name, REGISTRY)}")
    definition = REGISTRY[name]
    base = measure(name).with_options(**fixed)
    called = function_name(definition)
    if fixed == {"beta": 1}:
        called = called.replace("fbeta", "f1")
    signature = Signature(parameters_of(definition, fixed), return_annotation="float")

    def function(*positional: Any, **named: Any) -> float:
        try:
            given = signature.bind(*positional, **named)
        except TypeError as error:
            raise TypeError(f"{called}(): {error}") from None
        options = given.arguments
        y_true, y_pred, hierarchy = (options.pop(parameter) for parameter in FIXED)
        about = {key: options.pop(key) for key in ("sample_weight", "unknown") if key in options}
        chosen = [base.with_options(**options)]
        return float(score(hierarchy, y_true, {"y_pred": y_pred}, chosen, **about).values[0, 0])

    function.__name__ = function.__qualname__ = called
    function.__module__ = "hierpair.metrics.functions"
    function.__doc__ = _docstring(definition, called, fixed)
    function.__dict__["__signature__"] = signature
    return function


def parameters_of(definition: Definition, fixed: dict[str, Any]) -> list[Parameter]:
    """Return the parameters of the function of a measure."""
    types = {"hierarchy": "Hierarchy"}
    found = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=types.get(name, "Any"))
        for name in FIXED
    ]
    keywords = [
        (name, default, definition.option(name).annotation)
        for name, default in definition.options.items()
        if name not in fixed
    ]
    for name, default, annotation in (
        *keywords,
        ("sample_weight", None, "Any"),
        ("unknown", "error", "Literal['error', 'drop', 'root']"),
    ):
        found.append(
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    return found


def example_of(name: str) -> str:
    """Return the lines of an example, without its result."""
    return EXAMPLE.format(name=name)


def _docstring(definition: Definition, called: str, fixed: dict[str, Any]) -> str:
    """Return the whole docstring, indented as that of a function in a file."""
    best = "higher is better" if definition.direction == "higher" else "lower is better"
    options = [
        _entry(
            f"{option.name} : {_kind(option)}, default {definition.options[option.name]!r}",
            f"{option.meaning}.",
        )
        for option in map(definition.option, definition.options)
        if option.name not in fixed
    ]
    raises = ["BadInput", "    For labels, options or weights that do not fit."]
    if "total" not in definition.traits:
        raises += ["Infeasible", "    For an instance without a value; the message says why."]
    parts = [
        _wrapped(definition.summary),
        _wrapped(
            "".join(f"Here {key} is {value}. " for key, value in fixed.items())
            + f"Formula: ``{definition.formula}`` ({definition.source})."
        ),
        _section(
            "Parameters",
            "y_true, y_pred",
            "    Labels of every instance: one label or a collection of them, or ``{id: labels}``.",
            "hierarchy : Hierarchy",
            "    The classes.",
            *options,
            "sample_weight : array of shape (n_instances,), optional",
            "    One weight ≥ 0 per instance.",
            "unknown : 'error', 'drop' or 'root', default 'error'",
            "    Labels outside the hierarchy: an error, left out, or replaced by the root.",
        ),
        _section("Returns", _entry("float", f"In ``{definition.range}``; {best}.")),
        _section("Raises", *raises),
    ]
    if definition.cautions:
        notes = (f"- {_wrapped(caution, 2).lstrip()}" for caution in definition.cautions)
        parts.append(_section("Notes", *notes))
    if called in EXAMPLE_VALUES and fixed in ({}, {"beta": 1}):
        parts.append(_section("Examples", f"{example_of(called)}\n{EXAMPLE_VALUES[called]}"))
    return textwrap.indent("\n\n".join(parts), "    ").strip() + "\n    "


def _kind(option: Option) -> str:
    """Return the values of an option as docstrings list them."""
    return re.sub(r"^Literal\[(.*)\]$", r"{\1}", option.annotation).replace("Any", "object")


def _section(title: str, *entries: str) -> str:
    return "\n".join([title, "-" * len(title), *entries])


def _entry(head: str, text: str) -> str:
    return f"{head}\n{_wrapped(text[0].upper() + text[1:], 4)}"


def _wrapped(text: str, indent: int = 0) -> str:
    space = " " * indent
    wrapper = textwrap.TextWrapper(WIDTH, initial_indent=space, subsequent_indent=space)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.fill(text)
