"""All measures as functions: ``f(y_true, y_pred, hierarchy, *, options…)``, made from the registry.

Each has the parameters, the checks and the words of its measure, so there is no second list that
could differ from the first. What only repeats the registry, for editors and type checkers, is a
stub beside this file, which ``python docs/write_functions.py`` writes before a wheel is built, as
it writes the results of the examples in docstrings.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Hashable, Iterable, Iterator
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, check_several, check_unique, shown
from hierpair.evaluation.scoring import score, sums_by_class, values_by_class
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels.naming import check_order
from hierpair.labels.positions import Positions
from hierpair.measures import REGISTRY, Definition, measure

FUNCTIONS: dict[str, Callable[..., float | Floats]] = {}
"""Those of the library; they are names of this module, too."""

EXAMPLE_VALUES = Path(__file__).with_name("example_values.tsv")
"""The function of every example in a docstring, TAB, its result."""

WIDTH = 92
PREDICTED = {"labels": "y_pred", "scores": "y_score"}
"""What the predictions are called, by what a measure is computed from."""

ABOUT = "sample_weight", "unknown", "ignore", "ignore_ancestors", "classes"
"""Parameters about the data, not about what is measured."""

EXAMPLE = """\
>>> from hierpair import Hierarchy
>>> from hierpair.metrics import {name}
>>> tree = Hierarchy.from_edges(
...     [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")]
... )
>>> y_true, y_pred = {labels}
>>> round({name}(y_true, y_pred, tree), 6)"""

USUAL = '[["c"], ["e"]], [["d"], ["e"]]'
LABELS_OF = {"path": '[["a", "c"], ["b", "e"]], [["a", "d"], ["a", "e"]]'}
"""The labels of examples, usually and by the family of the measure."""

OF_ALL = [0.7, 0.5, 0.2, 0.3, 0.18, 0.12], [0.3, 0.1, 0.2, 0.7, 0.45, 0.25]
"""Scores of the example: those of two laws, without ties."""
SCORES = {"all": ("acdbef", OF_ALL), "leaves": ("cdef", [[*p[1:3], *p[4:]] for p in OF_ALL])}

SCORED_EXAMPLE = """\
>>> from hierpair import Hierarchy, NodeScores
>>> from hierpair.metrics import {name}
>>> tree = Hierarchy.from_edges(
...     [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")]
... )
>>> p = {p}
>>> y_score = NodeScores.from_array(p, tree, classes="{classes}", with_root=False)
>>> round({name}([["d"], ["e"]], y_score, tree), 6)"""


def registered_functions() -> Iterator[Callable[..., float | Floats]]:
    """Yield the function of every measure, and for every F with beta that of F1."""
    for name, definition in REGISTRY.items():
        yield function_of(name)
        if "fbeta" in definition.function:
            yield function_of(name, beta=1)


def function_of(name: str, **fixed: Any) -> Callable[..., float | Floats]:
    """Return the function of a measure, ``f(y_true, y_pred, hierarchy, *, options…)``.

    That of a measure of scores takes ``y_score`` for ``y_pred``.

    The measures of the library have theirs in :mod:`hierpair.metrics`; this makes that of a
    measure of your own. Of a measure that can be averaged over classes, ``average=None`` gives
    their values: an array in the order of ``hierarchy.names``, or of ``labels``.

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
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b")])
    >>> round(f2([["b"]], [["a"]], tree), 4)
    0.5556
    >>> f2([["b"]], [["a"]], tree, average=None).tolist()
    [nan, 1.0, 0.0]
    """
    base = measure(name).with_options(**fixed)
    definition = base.definition
    called = definition.function
    if fixed == {"beta": 1}:
        called = called.replace("fbeta", "f1")
    by = definition.averaged_over
    result = "float | NDArray[np.float64]" if by else "float"
    told = parameters_of(definition, fixed)
    signature = Signature([p for p, _ in told], return_annotation=result)
    first = [*signature.parameters][:3]

    def function(*positional: Any, **named: Any) -> float | Floats:
        try:
            options = signature.bind(*positional, **named).arguments
        except TypeError as error:
            raise TypeError(f"{called}(): {error}") from None
        y_true, y_pred, hierarchy = (options.pop(name) for name in first)
        hierarchy = Hierarchy.of(hierarchy)
        about: dict[str, Any] = {key: options.pop(key) for key in ABOUT if key in options}
        if isinstance(about.get(CLASSES), str) and CLASSES in definition.options:
            options[CLASSES] = about.pop(CLASSES)
        if about.get(CLASSES) is not None:
            y_true, y_pred, about[CLASSES] = by_position(
                hierarchy, y_true, y_pred, about[CLASSES], definition.family
            )
        labels = None if LABELS in definition.options else options.pop(LABELS, None)
        if by and "average" in options and options["average"] is None:
            average = "macro" if "macro" in definition.averages else "weighted"
            m = base.with_options(**options | {"average": average})  # its sums are kept by class
            at = chosen_classes(labels, hierarchy)
            values = values_by_class(*sums_by_class(hierarchy, y_true, y_pred, [m], **about), m)
            return values if at is None else values[at]
        if labels is not None:
            raise BadInput(
                f"{called}: labels are the classes whose values average=None gives; an average is "
                "over all classes"
            )
        systems = {PREDICTED[definition.consumes]: y_pred}
        found = score(hierarchy, y_true, systems, [base.with_options(**options)], **about)
        return float(found.values[0, 0])

    function.__name__ = function.__qualname__ = called
    function.__module__ = __name__
    function.__doc__ = _docstring(definition, called, fixed, told)
    function.__dict__.update(__signature__=signature, measure=definition.name)
    return function


def by_position(
    hierarchy: Hierarchy, y_true: Any, y_pred: Any, classes: Any, family: str
) -> tuple[Any, Any, Any]:
    """Return labels by name and the classes that count: none, where these name places instead."""
    places = Positions(hierarchy, list(classes))
    true, said = places.named(y_true), places.named(y_pred, rankings=family == "ranking")
    are_places = true is not y_true or said is not y_pred
    return true, said, None if are_places else classes


LABELS, CLASSES = "labels", "classes"


def chosen_classes(labels: Iterable[Hashable] | None, hierarchy: Hierarchy) -> Ints | None:
    """Return the numbers of classes in the order of ``labels``; None for no choice.

    Raises
    ------
    BadInput
        For a text instead of a list, a set, an unknown class, or one that is there twice.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> chosen_classes(["b", "a"], tree).tolist()
    [2, 1]
    """
    if labels is None:
        return None
    check_several(labels, "labels are a list of classes")
    check_order(labels, "labels")
    numbers = hierarchy.index(labels)
    check_unique(numbers.tolist(), lambda c: f"labels have {shown(hierarchy.names[c])} twice")
    return numbers.astype("int64")


def parameters_of(definition: Definition, fixed: dict[str, Any]) -> list[tuple[Parameter, str]]:
    """Return the parameters of the function of a measure, and what each is."""
    by, sides = definition.averaged_over, ["y_true", PREDICTED[definition.consumes], "hierarchy"]
    found: list[tuple[str, Any, str, str]] = []
    for option in map(definition.option, definition.options):
        if option.name not in fixed:
            default = definition.options[option.name]
            kind = option.annotation
            if default is None and "None" not in kind:
                kind += " | None"
            text = f"{option.meaning}."
            if option.name == "average" and by:
                kind += " | None"
                order = "by level from the top" if by == "level" else "as ``hierarchy.names``"
                text += (
                    f" None: the value of every {by}, {order}; nan for what an average leaves out."
                )
            if option.name == CLASSES:
                kind += " | Any"
                text += f" Or {THAT_COUNT}"
            found.append((option.name, default, kind, text))
    if by == "class" and LABELS not in definition.options:
        text = "with ``average=None``: the classes whose values are returned, in this order."
        found.append((LABELS, None, "Any", text))
    if definition.weighted:
        found.append(("sample_weight", None, "Any", "one weight ≥ 0 per instance."))
    found += [
        ("ignore", None, "Any", "labels of every instance that do not count there."),
        ("ignore_ancestors", True, "bool", "leave out their ancestors, too."),
    ]
    if CLASSES not in definition.options:
        found.append((CLASSES, None, "Any", THAT_COUNT))
    text = "labels outside the hierarchy: an error, left out, or replaced by the root."
    found.append(("unknown", "error", "Literal['error', 'drop', 'root']", text))
    plain, keyword = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    return [
        *((Parameter(name, plain, annotation=_SIDES[name][0]), _SIDES[name][1]) for name in sides),
        *((Parameter(name, keyword, default=default, annotation=kind), text)
          for name, default, kind, text in found),
    ]  # fmt: skip


def example_of(definition: Definition, called: str) -> str:
    """Return the lines of the example of a function, without its result."""
    if definition.consumes == "labels":
        return EXAMPLE.format(name=called, labels=LABELS_OF.get(definition.family, USUAL))
    classes, rows = SCORES[definition.scored_classes]
    return SCORED_EXAMPLE.format(name=called, p=list(rows), classes=classes)


THAT_COUNT = (
    "the classes that count; where labels are numbers or columns of a matrix, the class of each."
)
_LABELS = "labels of every instance: one label or a collection of them, or ``{id: labels}``."
_SIDES = {
    "y_true": ("Any", _LABELS),
    "y_pred": ("Any", _LABELS),
    "y_score": (
        "Any",
        "NodeScores, or a LabelDistribution, or ``{id: {label: score}}``.",
    ),
    "hierarchy": ("Hierarchy", "the classes."),
}


def _docstring(
    definition: Definition, called: str, fixed: dict[str, Any], told: list[tuple[Parameter, str]]
) -> str:
    """Return the whole docstring, indented as that of a function in a file."""
    parameters = []
    for p, text in told:
        kind = re.sub(r"^Literal\[(.*?)\]", r"{\1}", p.annotation).replace("Any", "object")
        default = "" if p.default is Parameter.empty else f", default {p.default!r}"
        parameters.append(_entry(f"{p.name} : {kind}{default}", text))
    raises = [_entry("BadInput", "for labels, options or weights that do not fit.")]
    if "total" not in definition.traits and definition.consumes == "labels":
        raises += [_entry("Infeasible", "for an instance without a value; the message says why.")]
    by, best = definition.averaged_over, f"{definition.direction} is better"
    result = f"float, or array with a value per {by}" if by else "float"
    beside = "".join(f"Here {key} is {value}. " for key, value in fixed.items())
    parts = [
        _wrapped(definition.summary),
        _wrapped(f"{beside}Formula: ``{definition.formula}`` ({definition.source})."),
        _section("Parameters", *parameters),
        _section("Returns", _entry(result, f"In ``{definition.range}``; {best}.")),
        _section("Raises", *raises),
    ]
    if definition.cautions:
        notes = (f"- {_wrapped(caution, 2).lstrip()}" for caution in definition.cautions)
        parts.append(_section("Notes", *notes))
    if called in _VALUES and fixed in ({}, {"beta": 1}):
        example = f"{example_of(definition, called)}\n{_VALUES[called]}"
        parts.append(_section("Examples", example))
    return textwrap.indent("\n\n".join(parts), "    ").strip() + "\n    "


def _section(title: str, *entries: str) -> str:
    return "\n".join([title, "-" * len(title), *entries])


def _entry(head: str, text: str) -> str:
    return f"{head}\n{_wrapped(text[0].upper() + text[1:], 4)}"


def _wrapped(text: str, indent: int = 0) -> str:
    space = " " * indent
    wrapper = textwrap.TextWrapper(WIDTH, initial_indent=space, subsequent_indent=space)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.fill(text)


_lines = EXAMPLE_VALUES.read_text("utf-8").splitlines()
_VALUES = dict(line.split("\t") for line in _lines)

FUNCTIONS |= {function.__name__: function for function in registered_functions()}
globals().update(FUNCTIONS)
__all__ = list(FUNCTIONS)
