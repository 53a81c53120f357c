"""A user's own claims: numbers said to follow from files, and the conventions that give them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Any

from hierpair.casebook.published import Published, judged, printed_value
from hierpair.casebook.verifying import Verdict, Verification
from hierpair.errors import BadInput, HierpairError, did_you_mean
from hierpair.evaluate import score
from hierpair.hierarchy import Hierarchy
from hierpair.labels import Columns, LabelSets
from hierpair.measures import Measure, measure
from hierpair.measures.options import alternatives
from hierpair.readers import read_hierarchy, read_labels
from hierpair.readers.text import read_text

__all__ = ["verify_claims"]

KEYS = ("hierarchy", "truth", "systems", "labels", "unknown", "missing", "claims")
CLAIM_KEYS = ("system", "measure", "value", "where", "unit")
LABEL_KEYS = ("format", "id", "column", "separator", "paths", "where")
MOST_CHANGES = 3
"""Conventions that are changed at the same time in search of a claimed number."""

FEW = 20
"""Readings that may be tried before a fit is said to be possibly chance."""

MOST_NAMED = 3
"""Readings that are named of those that give a claimed number."""


def verify_claims(path: str | Path) -> Verification:
    """Recompute the numbers of a file of claims.

    A claim is met within half a unit of its last decimal. For one that is not, every declared
    convention of its measure is tried, one change at a time, then two, then three: those that
    give the claimed number with the fewest changes are named, with how many were tried, since of
    many some fit by chance. So is the F of the mean precision and recall.

    Parameters
    ----------
    path
        A TOML file: ``hierarchy``, ``truth``, a table ``[systems]`` of files, beside the file or
        with their whole path, and a list ``[[claims]]`` of ``system``, ``measure`` and ``value``
        (as printed, in quotes), with ``where`` and ``unit`` (``"%"``) if there is any. A table
        ``[labels]`` says how labels are read (``format``, ``id``, ``column``, ``separator``,
        ``paths``, ``where``); ``unknown`` and ``missing`` are those of :func:`hierpair.score`.

    Raises
    ------
    BadInput
        For a file that cannot be read, or says too little; names the claim.
    """
    path = Path(path)
    about = _read(path)
    folder = path.parent
    hierarchy = read_hierarchy(folder / about["hierarchy"])
    unknown = about.get("unknown", "error")
    columns = _columns(path, about.get("labels", {}))
    fmt = about.get("labels", {}).get("format", "auto")

    def labels(file: str) -> LabelSets:
        return read_labels(folder / file, hierarchy, fmt=fmt, unknown=unknown, columns=columns)

    truth = labels(about["truth"])
    systems = {name: labels(file) for name, file in about["systems"].items()}
    how = {"unknown": unknown, "missing": about.get("missing", "error")}
    found = []
    for number, claim in enumerate(about["claims"], start=1):
        row, chosen = _claim(path, number, claim, systems)
        data = (hierarchy, truth, systems[row.system], how)
        computed = _value(chosen, data)
        if computed is None:
            raise BadInput(f"{path}: claim {number}: {chosen.name} has no value for these labels")
        verdict = judged(row, computed)
        scale = 100 if row.unit else 1
        if verdict == "wrong":
            why = _reading(row, chosen, data) or "no declared convention gives it"
            row = Published(row.system, row.measure, row.where, row.printed, row.unit, why=why)
        found.append(Verdict(path.name, row, computed * scale, verdict))
    return Verification(tuple(found))


def _read(path: Path) -> dict[str, Any]:
    try:
        about = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: this is no TOML: {error}") from None
    for key in about:
        if key not in KEYS:
            raise BadInput(f"{path}: unknown key {key!r}{did_you_mean(key, KEYS)}")
    for key, kind in (("hierarchy", str), ("truth", str), ("systems", dict), ("claims", list)):
        if not isinstance(about.get(key), kind) or not about[key]:
            raise BadInput(
                f"{path}: {key!r} is missing; a file of claims has hierarchy, truth, [systems] and "
                "[[claims]]"
            )
    return about


def _columns(path: Path, how: Mapping[str, Any]) -> Columns:
    for key in how:
        if key not in LABEL_KEYS:
            raise BadInput(f"{path}: [labels] has no key {key!r}{did_you_mean(key, LABEL_KEYS)}")
    return Columns(
        ids=how.get("id"),
        labels=(how["column"],) if "column" in how else (),
        separator=how.get("separator", "|"),
        where=tuple(how.get("where", {}).items()),
        paths=how.get("paths"),
    )


def _claim(
    path: Path, number: int, claim: Any, systems: Mapping[str, LabelSets]
) -> tuple[Published, Measure]:
    place = f"{path}: claim {number}"
    if not isinstance(claim, dict) or not {"system", "measure", "value"} <= set(claim):
        raise BadInput(f"{place}: expected system, measure and value, got {claim!r}")
    for key in claim:
        if key not in CLAIM_KEYS:
            raise BadInput(f"{place}: unknown key {key!r}{did_you_mean(key, CLAIM_KEYS)}")
    if not isinstance(claim["value"], str):
        raise BadInput(
            f"{place}: write the value in quotes, as it is printed; its decimals say how exact "
            "it is"
        )
    if claim["system"] not in systems:
        raise BadInput(
            f"{place}: there is no system {claim['system']!r}"
            f"{did_you_mean(claim['system'], systems)}; there are {', '.join(systems)}"
        )
    if claim.get("unit", "") not in ("", "%"):
        raise BadInput(f"{place}: unit must be '%' or left out, got {claim['unit']!r}")
    try:
        printed_value(claim["value"])
        chosen = measure(claim["measure"])
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None
    row = Published(
        claim["system"], chosen.name, claim.get("where", ""), claim["value"], claim.get("unit", "")
    )
    return row, chosen


Data = tuple[Hierarchy, LabelSets, LabelSets, dict[str, Any]]


def _value(chosen: Measure, data: Data) -> float | None:
    """Return the pooled value of a system, None where it is not defined."""
    hierarchy, truth, prediction, how = data
    try:
        return score(hierarchy, truth, {"s": prediction}, [chosen], **how)["s", chosen.name]
    except HierpairError:
        return None


def _reading(row: Published, chosen: Measure, data: Data) -> str:
    """Return the nearest conventions that give the claimed number, in words."""
    of_means = _of_means(row, chosen, data)
    if of_means:
        return of_means
    tried = 0
    for n in range(1, MOST_CHANGES + 1):
        fit = []
        for changed in _variants(chosen, n):
            value = _value(changed, data)
            tried += value is not None
            if value is not None and judged(row, value) == "met":
                fit.append(f"{changed.name} gives {value:.6g}")
        if fit:
            more = f", and {len(fit) - MOST_NAMED} more do" if len(fit) > MOST_NAMED else ""
            chance = "; it may be chance" if tried > FEW else ""
            return f"{'; '.join(fit[:MOST_NAMED])}{more} ({tried} readings tried{chance})"
    return ""


def _variants(chosen: Measure, n: int) -> Iterator[Measure]:
    """Yield the measure with so many conventions changed."""
    choices = {
        option: [v for v in alternatives(option, chosen.definition.averages) if v != now]
        for option, now in chosen.options.items()
    }
    for options in combinations([o for o, values in choices.items() if values], n):
        for values in product(*(choices[o] for o in options)):
            try:
                yield chosen.with_options(**dict(zip(options, values, strict=True)))
            except BadInput:
                continue


def _of_means(row: Published, chosen: Measure, data: Data) -> str:
    """Say so if the F of the mean precision and the mean recall is what is claimed."""
    parts = chosen.definition.parts
    if parts is None:
        return ""
    common = {k: v for k, v in chosen.options.items() if k not in ("beta", "average")}
    pr = []
    for name in parts:
        one = measure(name)
        kept = {k: v for k, v in common.items() if k in one.options}
        value = _value(one.with_options(**kept, average="samples"), data)
        if value is None:
            return ""
        pr.append(value)
    square = float(chosen.options.get("beta", 1)) ** 2
    below = square * pr[0] + pr[1]
    if not below:
        return ""
    value = (1 + square) * pr[0] * pr[1] / below
    if judged(row, value) != "met":
        return ""
    return f"F of the mean {parts[0]} and the mean {parts[1]} gives {value:.6g}"
