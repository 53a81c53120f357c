"""A user's own claims: numbers that should follow from files, and the conventions to get them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, product
from operator import itemgetter
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, HierpairError, check_known, one_line
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.io import read_hierarchy
from hierpair.io.text import read_toml
from hierpair.labels import LabelSets, match_instances
from hierpair.measures import Measure, measure
from hierpair.measures.option import same
from hierpair.verification.cases import Case, labels_of
from hierpair.verification.judge import Numbers, scored
from hierpair.verification.printed import (
    UNITS,
    CaseRemark,
    Published,
    Verdict,
    Verification,
    is_met,
    printed_value,
)
from hierpair.verification.properties.laws import against, is_property

KEYS = {"hierarchy": str, "truth": str, "systems": dict, "claims": list}
"""What a file of claims must have, and of which type it is; without labels claims alone."""

OTHER_KEYS = ("labels", "unknown", "missing")
CLAIM_KEYS = ("system", "measure", "value", "where", "unit")
LABEL_KEYS = ("format", "id", "column", "separator", "paths", "where")

MOST_CHANGES = 3
"""Conventions that are changed at the same time in search of a claimed number."""

FEW = 20
"""Readings that may be tried before a fit is called possibly chance."""

MOST_NAMED = 3
"""Readings that are named of those that give a claimed number."""

MEANS, OF_MEANS = 2, "F of the mean {} and the mean {}"
"""How unusual it is to take F of the mean precision and the mean recall, and how it is called."""


def verify_claims(path: str | Path) -> Verification:
    """Recompute the numbers of a file of claims.

    A claim is met within half a unit of its last decimal. For one that is not, the declared
    conventions of its measure are tried, up to three at a time, and the F of the mean precision
    and recall: those that give the claimed number are named, the most usual first, with how many
    were tried, since of many some fit by chance.

    A claim may be about all hierarchies: ``holds(PROPERTY, MEASURE)`` or ``fails(…)``, with the
    value ``"1"`` if it is true. It needs no system, and a file of such claims no labels.

    A system whose file cannot be read, or lacks instances, does not stop the others: a finding
    says what is wrong, and its claims get the verdict ``"error"``.

    Parameters
    ----------
    path
        A TOML file: ``hierarchy``, ``truth``, a table ``[systems]`` of files, beside the file or
        with their whole path, and a list ``[[claims]]`` of ``system``, ``measure`` and ``value``
        (as printed, in quotes, with ``%`` or a ``unit`` of that for a percentage), with ``where``
        if there is any. A table
        ``[labels]`` says how labels are read (``format``, ``id``, ``column``, ``separator``,
        ``paths``, ``where``); ``unknown`` and ``missing`` are those of :func:`hierpair.score`.

    Raises
    ------
    BadInput
        For a file that cannot be read, or says too little; names the claim.
    """
    path = Path(path)
    about = read_toml(path)
    _check_keys(str(path), about, (*KEYS, *OTHER_KEYS))
    _check_keys(f"{path}: [labels]", about.get("labels", {}), LABEL_KEYS)
    return _verified(path, about, path.parent)


def verify_values(
    hierarchy: str | Path, truth: str | Path, run: str | Path, values: Mapping[str, str]
) -> Verification:
    """Recompute numbers that somebody claims for one file of predictions.

    They are judged as :func:`verify_claims` does, with the readings that were tried for those that
    are not met.

    Parameters
    ----------
    hierarchy, truth, run
        The files.
    values
        Measure → number as it is printed, since its decimals say how exact it is; of a percentage
        with ``%``.

    Raises
    ------
    BadInput
        For a file that cannot be read, an unknown measure, or what is no number.
    """
    system = Path(run).name
    claims = [{"system": system, "measure": m, "value": x} for m, x in values.items()]
    files = {"hierarchy": str(hierarchy), "truth": str(truth), "systems": {system: str(run)}}
    return _verified(Path(system), {**files, "claims": claims}, Path())


def _check_keys(place: str, given: Iterable[str], known: Sequence[str]) -> None:
    for key in given:
        check_known("key", key, known, place)


def _verified(path: Path, about: dict[str, Any], folder: Path) -> Verification:
    """Judge claims about files in a folder; those about a damaged file are not."""
    claims = about.get("claims") or ()
    places = [f"{path}: claim {k}" for k in range(1, len(claims) + 1)]
    rows = [_claim(*each, about.get("systems", {})) for each in zip(places, claims, strict=True)]
    systems = dict.fromkeys(row.system for row in rows if row.system)
    for key, kind in KEYS.items():
        if not isinstance(about.get(key), kind) and (systems or not rows):
            raise BadInput(
                f"{path}: {key!r} is missing; a file of claims has hierarchy, truth, [systems] and "
                "[[claims]]"
            )
    case, damage = _files(path, about, folder, systems) if systems else (None, {})
    numbers = Numbers(path.name, rows, case)
    found = []
    for place, row in zip(places, rows, strict=True):
        if row.system in damage:
            found.append(Verdict.damaged(path.name, row, damage[row.system]))
            continue
        try:
            verdict = numbers.verdict(row)
        except HierpairError as error:
            raise BadInput(f"{place}: {error}") from None
        if verdict.verdict == "wrong":
            verdict = replace(verdict, remark=_why(row, numbers, verdict.computed))
        found.append(verdict)
    findings = (CaseRemark(path.name, "error", message) for message in damage.values())
    return Verification(tuple(found), tuple(findings))


def _claim(place: str, claim: Any, systems: Mapping[str, Any]) -> Published:
    """Return a claim as a printed number."""
    if not isinstance(claim, dict) or not {"measure", "value"} <= set(claim):
        raise BadInput(f"{place}: expected system, measure and value, got {claim!r}")
    _check_keys(place, claim, CLAIM_KEYS)
    system, name, value, where, unit = (claim.get(key, "") for key in CLAIM_KEYS)
    if not isinstance(value, str):
        raise BadInput(
            f"{place}: write the value in quotes, as it is printed; its decimals say how exact "
            "it is"
        )
    if value.endswith("%"):
        value, unit = value[:-1].rstrip(), "%"
    if unit not in UNITS:
        raise BadInput(f"{place}: unit must be '%' or left out, got {unit!r}")
    if is_property(name) and system:
        raise BadInput(f"{place}: {name} is about all hierarchies; leave system out")
    try:
        printed_value(value)
        if not is_property(name):
            check_known("system", system, systems)
            chosen = measure(name)
            refuse_of_scores([chosen])
            name = chosen.name
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None
    return Published(system, name, where, value, unit)


def _files(
    path: Path, about: dict[str, Any], folder: Path, claimed: Iterable[str]
) -> tuple[Case, dict[str, str]]:
    """Return the labels that claims are about, and what is wrong with the files of systems."""
    files, hierarchy = about["systems"], read_hierarchy(folder / about["hierarchy"])
    truth = labels_of(about, folder / about["truth"], hierarchy)
    systems, damage = dict[str, LabelSets](), dict[str, str]()
    for system in claimed:
        if not isinstance(files[system], str):
            raise BadInput(f"{path}: [systems] must name the file of {system!r} in quotes")
        try:
            said = labels_of(about, folder / files[system], hierarchy)
            missing = about.get("missing", "error")
            systems[system] = match_instances(truth, said, missing=missing, system=system)
        except HierpairError as error:
            damage[system] = one_line(error)
    return Case(path.name, "", "", "", hierarchy, truth, systems), damage


def _why(row: Published, numbers: Numbers, computed: Any) -> str:
    """Return what speaks against a claim: the least case, or what other readings give."""
    if is_property(row.measure):
        return next(against(row.measure), "it holds wherever it was tried")

    def value(m: Measure) -> float | None:
        with suppress(HierpairError):
            return scored(numbers.case, m, row.system)
        return None

    chosen, percent = measure(row.measure), replace(row, unit="%")
    above = "bounded" in chosen.definition.traits and printed_value(row.printed)[0] > 1
    met = is_met(percent, computed)
    if row.unit or not (above or met):
        return nearest_readings(row, chosen, value)
    why = "it is met" if met else nearest_readings(percent, chosen, value)
    return f"in per cent, which is written {row.printed} %, {why}"


def nearest_readings(
    row: Published, chosen: Measure, value: Callable[[Measure], float | None]
) -> str:
    """Return the most usual conventions that give a claimed number, or the nearest one, in words.

    Up to three readings are named, and how many were tried: all single changes of the chosen
    measure, and every reading that is no less usual than the first that fits. ``value`` returns
    the value of a measure for the labels of the claim, or None.
    """
    fits: list[tuple[int, str]] = []
    tried: list[tuple[float, str]] = []
    printed = printed_value(row.printed)[0] / UNITS[row.unit]
    for several, cost, m in _candidates(chosen):
        if fits and several and cost > fits[0][0]:
            break
        computed = _of_means(chosen, value) if m is None else value(m)
        if computed is None:
            continue
        name = m.name if m is not None else OF_MEANS.format(*chosen.definition.parts or ())
        told = f"{name} gives {computed * UNITS[row.unit]:.6g}"
        tried.append((abs(computed - printed), told))
        if is_met(row, computed):
            fits.append((cost, tried[-1][1]))
    if not fits:
        near = f"; nearest: {min(tried)[1]}" if tried else ""
        return f"no declared convention gives it ({len(tried)} readings tried){near}"
    fits.sort(key=itemgetter(0))
    more = f", and {len(fits) - MOST_NAMED} more do" if len(fits) > MOST_NAMED else ""
    chance = "; it may be chance" if len(tried) > FEW else ""
    named = "; ".join(reading for _, reading in fits[:MOST_NAMED])
    return f"{named}{more} ({len(tried)} readings tried{chance})"


def _candidates(chosen: Measure) -> list[tuple[bool, int, Measure | None]]:
    """Return whether a reading has several changes, how unusual it is, and its measure.

    Single changes come first, then all others by how unusual they are. None is the F of the means.
    """
    records = [(chosen.definition.option(x), x, now) for x, now in chosen.options.items()]
    choices = [
        [(x, v, record.how_unusual(v)) for v in record.values if not same(v, now)]
        for record, x, now in records
    ]
    found: list[tuple[bool, int, Measure | None]] = []
    for n in range(1, MOST_CHANGES + 1):
        for changes in (one for some in combinations(choices, n) for one in product(*some)):
            with suppress(BadInput):
                m = chosen.with_options(**{x: v for x, v, _ in changes})
                found.append((n > 1, sum(cost for *_, cost in changes), m))
        if n == 1 and chosen.definition.parts is not None:
            found.append((False, MEANS, None))
    return sorted(found, key=itemgetter(0, 1))


def _of_means(chosen: Measure, value: Callable[[Measure], float | None]) -> float | None:
    """Return the F of the mean precision and the mean recall."""
    means = []
    for one in map(measure, chosen.definition.parts or ()):
        kept = {x: v for x, v in chosen.options.items() if x in one.options and x != "beta"}
        means.append(value(one.with_options(**kept | {"average": "samples"})) or 0.0)
    precision, recall = means
    square = float(chosen.options.get("beta", 1)) ** 2
    below = square * precision + recall
    return (1 + square) * precision * recall / below if below else None
