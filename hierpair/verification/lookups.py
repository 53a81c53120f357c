"""What else a row may name beside a measure: sets of classes, one instance, two cases compared."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import chain

import numpy as np

from hierpair.errors import BadInput
from hierpair.evaluation.scoring import score
from hierpair.explanation import FieldEvidence, explain
from hierpair.measures import measure
from hierpair.verification.cases import Case, case_folder, case_names, load_case
from hierpair.verification.published_numbers import call_of, known, printed_value, read_published

__all__ = ["is_lookup", "looked_up"]

SIDES = ("true", "predicted")
FIELDS = ("tp", "fp", "fn", "tn")


def is_lookup(text: str) -> bool:
    """Whether a text names one of these instead of a measure."""
    return text.partition("(")[0] in LOOKUPS


def looked_up(
    text: str, case: Case | None, system: str, printed: str = ""
) -> float | frozenset[str]:
    """Return a set of classes, or a number, that a paper says of a case.

    ``classes(SIDE, MEASURE)``: the classes that a measure compares on one side, ``true`` or
    ``predicted``. ``lcas(SIDE, LABEL)``: the LCAs that a label requires; ``lcas(SIDE)``: those of
    all labels of the side. ``nearest(SIDE, LABEL)``: the labels of the other side that are
    nearest to it. ``field(tp | fp | fn | tn, LABEL)``: the classes in a field of the confusion
    matrix of a true label. ``instance(ID, MEASURE)``: the value of one instance.
    ``difference(MEASURE, CASE, CASE)``: of the first case less that of the second, each with a
    single system. ``printed(CASE, MEASURE)``: what another case prints for the system, minus
    infinity if with another interval than ``printed`` has.

    Raises
    ------
    BadInput
        If the text says too little, or names what is not there.
    """
    name, inside = call_of(text) or (text.partition("(")[0], "")
    if not inside:
        raise BadInput(f"cannot read {text!r}: {name} needs brackets with what is looked up")
    work, n_parts = LOOKUPS[name]
    parts = _split(inside)
    if len(parts) not in n_parts:
        raise BadInput(f"{text!r}: {name} takes {' or '.join(map(str, n_parts))} parts")
    if name == "printed":
        parts.append(printed)
    value: float | frozenset[str] = work(case, system, *parts)
    return value


def _split(inside: str) -> list[str]:
    """Split at commas that are not in brackets."""
    parts, depth = [""], 0
    for c in inside:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def _classes(case: Case, system: str, side: str, text: str) -> frozenset[str]:
    found = _evidence(case, system, text)
    return _names(found.of("in both", f"only {_known(side, SIDES)}"))


def _lcas(case: Case, system: str, side: str, label: str | None = None) -> frozenset[str]:
    return _names(_required(case, system, side, label, "LCAs"))


def _nearest(case: Case, system: str, side: str, label: str) -> frozenset[str]:
    return _names(_required(case, system, side, label, "nearest"))


def _required(
    case: Case, system: str, side: str, label: str | None, name: str
) -> Iterable[Hashable]:
    """Return the classes of a field of a label of a side, or of every label."""
    found = _evidence(case, system, "lca_f")
    fields = [(getattr(f, _known(side, SIDES)), f.classes) for f in found.fields if f.name == name]
    rows = {str(of[0]): classes for of, classes in fields if of}
    return chain(*rows.values()) if label is None else rows[_known(label, rows)]


def _field(case: Case, system: str, field: str, label: str) -> frozenset[str]:
    found = _evidence(case, system, "hcm_f")
    name = _known(field, FIELDS).upper()
    rows = {str(f.true[0]): f.classes for f in found.fields if f.name == name and f.true}
    return _names(rows[_known(label, rows)])


def _instance(case: Case, system: str, instance: str, text: str) -> float:
    ids = [str(x) for x in case.y_true.ids or ()]
    at = ids.index(_known(instance, ids))
    m = measure(text)
    scores = score(case.hierarchy, case.y_true, {system: case.systems[system]}, [m])
    return float(scores.per_instance[system][at, 0])


def _difference(_: Case | None, __: str, text: str, *names: str) -> float:
    values = []
    for name in names:
        case = load_case(name)
        [(system, labels)] = case.systems.items()
        values.append(score(case.hierarchy, case.y_true, {system: labels}, [text]).values[0, 0])
    return float(np.subtract(*values))


def _printed(_: Case | None, system: str, name: str, text: str, printed: str) -> float:
    _known(name, case_names())
    rows = read_published(case_folder(name) / "published.tsv")
    found = {row.system: row.printed for row in rows if row.measure == text}
    elsewhere = found[_known(system, found)]
    interval = " (" in elsewhere and elsewhere.partition(" ")[2] != printed.partition(" ")[2]
    return -np.inf if interval else printed_value(elsewhere)[0]


def _evidence(case: Case, system: str, text: str) -> FieldEvidence:
    """Explain the only instance."""
    labels = case.systems[system]
    if len(case.y_true) != 1:
        raise BadInput(f"the case {case.name!r} has several instances; sets are those of one")
    only = case.y_true.ids[0] if case.y_true.ids else 0
    [why] = explain(case.hierarchy, case.y_true, labels, text, instances=[only])
    if not isinstance(why.evidence, FieldEvidence):
        raise BadInput(f"{text} has no such sets")
    return why.evidence


def _known(name: str, names: Iterable[str]) -> str:
    return known(name, names, "there is no", " here")


def _names(classes: Iterable[Hashable]) -> frozenset[str]:
    return frozenset(map(str, classes))


LOOKUPS: dict[str, tuple[Callable[..., float | frozenset[str]], tuple[int, ...]]] = {
    "classes": (_classes, (2,)),
    "lcas": (_lcas, (1, 2)),
    "nearest": (_nearest, (2,)),
    "field": (_field, (2,)),
    "instance": (_instance, (2,)),
    "difference": (_difference, (3,)),
    "printed": (_printed, (2,)),
}
