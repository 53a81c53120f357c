"""A user's own claims: numbers that should follow from files, and the conventions to get them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, unknown
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy
from hierpair.io import read_hierarchy, read_labels
from hierpair.io.text import read_toml
from hierpair.labels import LabelSets, match_instances
from hierpair.measures import Measure, measure
from hierpair.measures.measure_text import same
from hierpair.verification.cases import columns_of
from hierpair.verification.printed import (
    UNITS,
    Finding,
    Published,
    Verdict,
    Verification,
    is_met,
    judged,
    printed_value,
)
from hierpair.verification.printed_tables import known
from hierpair.verification.properties.laws import (
    is_property,
    property_outcome,
    property_value,
)

__all__ = ["nearest_readings", "verify_claims", "verify_values"]

KEYS = ("hierarchy", "truth", "systems", "labels", "unknown", "missing", "claims")
KINDS = {"hierarchy": str, "truth": str, "systems": dict, "claims": list}
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
        (as printed, in quotes), with ``where`` and ``unit`` (``"%"``) if there is any. A table
        ``[labels]`` says how labels are read (``format``, ``id``, ``column``, ``separator``,
        ``paths``, ``where``); ``unknown`` and ``missing`` are those of :func:`hierpair.score`.

    Raises
    ------
    BadInput
        For a file that cannot be read, or says too little; names the claim.
    """
    path = Path(path)
    return _verified(path, _read(path))


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
        Measure → number as it is printed, since its decimals say how exact it is.

    Raises
    ------
    BadInput
        For a file that cannot be read, an unknown measure, or what is no number.
    """
    system = Path(run).name
    claims = [{"system": system, "measure": m, "value": x} for m, x in values.items()]
    files = {"hierarchy": str(hierarchy), "truth": str(truth), "systems": {system: str(run)}}
    return _verified(Path(system), {**files, "claims": claims}, Path())


def _verified(path: Path, about: dict[str, Any], folder: Path | None = None) -> Verification:
    """Judge claims of a file, or of another place, about files in a folder."""
    data = _Files(path, about, path.parent if folder is None else folder)
    found = []
    for number, claim in enumerate(about["claims"], start=1):
        place = f"{path}: claim {number}"
        row, chosen = _claim(place, claim, about.get("systems", {}))
        if chosen is None:
            try:
                computed = property_value(row.measure)
            except BadInput as error:
                raise BadInput(f"{place}: {error}") from None
            verdict = judged(row, computed)
            why = property_outcome(row.measure) if verdict == "wrong" else ""
        elif damage := data.damage(row.system):
            computed, verdict, why = np.nan, "error", damage.message
        else:
            computed, verdict, why = _judged(place, row, chosen, data)
        found.append(Verdict(path.name, replace(row, why=why), computed, verdict))
    claimed = {v.published.system for v in found}
    unclaimed = [s for s in about.get("systems", {}) if s not in claimed]
    damaged = (finding for finding in data.damaged.values() if finding)
    unused = (Finding(path.name, "unused", f"no claim is about {s}") for s in unclaimed)
    return Verification(tuple(found), (*damaged, *unused))


@dataclass(frozen=True)
class _Files:
    """The files that claims are about, each read once and only if it is needed."""

    path: Path
    about: dict[str, Any]
    folder: Path
    read: dict[str, LabelSets] = field(default_factory=dict)
    damaged: dict[str, Finding | None] = field(default_factory=dict)

    @cached_property
    def hierarchy(self) -> Hierarchy:
        return read_hierarchy(self.folder / self.about["hierarchy"])

    @cached_property
    def truth(self) -> LabelSets:
        return self.labels(self.about["truth"])

    @property
    def unknown(self) -> Any:
        """What becomes of labels outside the hierarchy."""
        return self.about.get("unknown", "error")

    def labels(self, file: str) -> LabelSets:
        how = self.about.get("labels", {})
        for key in how:
            known(key, LABEL_KEYS, f"{self.path}: [labels] has no key")
        return read_labels(
            self.folder / file, self.hierarchy, fmt=how.get("format", "auto"),
            unknown=self.unknown, columns=columns_of(how),
        )  # fmt: skip

    def damage(self, system: str) -> Finding | None:
        """Return what is wrong with the file of a system, None if nothing is; the truth raises."""
        if system not in self.damaged:
            truth, missing = self.truth, self.about.get("missing", "error")
            self.damaged[system] = None
            try:
                found = self.labels(self.about["systems"][system])
                self.read[system] = match_instances(truth, found, missing=missing, system=system)
            except HierpairError as error:
                message = " ".join(str(error).split())
                self.damaged[system] = Finding(self.path.name, "error", message)
        return self.damaged[system]

    def value(self, chosen: Measure, system: str) -> float | None:
        """Return the pooled value of a system, None where it is not defined."""
        systems = {"s": self.read[system]}
        with suppress(HierpairError):
            found = score(self.hierarchy, self.truth, systems, [chosen], unknown=self.unknown)
            return found["s", chosen.name]
        return None


def _judged(place: str, row: Published, chosen: Measure, data: _Files) -> tuple[float, str, str]:
    """Return the value in the unit of the claim, the verdict, and why it is wrong."""
    computed = data.value(chosen, row.system)
    if computed is None:
        raise BadInput(f"{place}: {chosen.name} has no value for these labels")
    verdict, why = judged(row, computed), ""
    if verdict == "wrong":
        why = nearest_readings(row, chosen, lambda m: data.value(m, row.system))
        if not row.unit and is_met(replace(row, unit="%"), computed):
            why = f'{computed:.6g} is it in per cent (unit = "%"); {why}'
    return computed * UNITS[row.unit], verdict, why


def _read(path: Path) -> dict[str, Any]:
    about = read_toml(path)
    for key in about:
        known(key, KEYS, f"{path}: unknown key")
    claims = about.get("claims")
    of_labels = not isinstance(claims, list) or not all(map(_is_of_all, claims))
    for key, kind in KINDS.items():
        if (of_labels or key == "claims") and not (isinstance(about.get(key), kind) and about[key]):
            raise BadInput(
                f"{path}: {key!r} is missing; a file of claims has hierarchy, truth, [systems] and "
                "[[claims]]"
            )
    for name, file in about.get("systems", {}).items():
        if not isinstance(file, str):
            raise BadInput(f"{path}: [systems] must name the file of {name!r} in quotes")
    return about


def _is_of_all(claim: Any) -> bool:
    """Whether a claim is about all hierarchies, not about labels."""
    return isinstance(claim, dict) and is_property(str(claim.get("measure", "")))


def _claim(place: str, claim: Any, systems: Mapping[str, Any]) -> tuple[Published, Measure | None]:
    """Return a claim and its measure, None for a property."""
    of_all = _is_of_all(claim)
    needed = {"measure", "value"} | ({"system"} if not of_all else set())
    if not isinstance(claim, dict) or not needed <= set(claim):
        raise BadInput(f"{place}: expected system, measure and value, got {claim!r}")
    for key in claim:
        known(key, CLAIM_KEYS, f"{place}: unknown key")
    if not isinstance(claim["value"], str):
        raise BadInput(
            f"{place}: write the value in quotes, as it is printed; its decimals say how exact "
            "it is"
        )
    if of_all and "system" in claim:
        raise BadInput(f"{place}: {claim['measure']} is about all hierarchies; leave system out")
    if not of_all and claim["system"] not in systems:
        raise unknown("system", claim["system"], systems, place)
    system, where, unit = (claim.get(key, "") for key in ("system", "where", "unit"))
    if unit not in UNITS:
        raise BadInput(f"{place}: unit must be '%' or left out, got {unit!r}")
    try:
        printed_value(claim["value"])
        chosen = None if of_all else measure(claim["measure"])
        refuse_of_scores([] if chosen is None else [chosen])
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None
    name = claim["measure"] if chosen is None else chosen.name
    return Published(system, name, where, claim["value"], unit), chosen


def nearest_readings(
    row: Published, chosen: Measure, value: Callable[[Measure], float | None]
) -> str:
    """Return the most usual conventions that give a claimed number, or the nearest one, in words.

    Up to three readings are named, and how many were tried: all single changes of the chosen
    measure, and every reading that is no less usual than the first that fits. ``value`` returns
    the value of a measure for the labels of the claim, or None.
    """
    fits: list[tuple[int, str]] = []
    tried, nearest = 0, (np.inf, "")
    printed = printed_value(row.printed)[0] / UNITS[row.unit]
    for cost, n, m in _candidates(chosen):
        if fits and n > 1 and cost > fits[0][0]:
            break
        computed = _of_means(chosen, value) if m is None else value(m)
        if computed is None:
            continue
        tried += 1
        name = m.name if m is not None else OF_MEANS.format(*chosen.definition.parts or ())
        reading = f"{name} gives {computed:.6g}"
        nearest = min(nearest, (abs(computed - printed), reading))
        if is_met(row, computed):
            fits.append((cost, reading))
    if not fits:
        near = f"; nearest: {nearest[1]}" if tried else ""
        return f"no declared convention gives it ({tried} readings tried){near}"
    fits.sort(key=itemgetter(0))
    more = f", and {len(fits) - MOST_NAMED} more do" if len(fits) > MOST_NAMED else ""
    chance = "; it may be chance" if tried > FEW else ""
    named = "; ".join(reading for _, reading in fits[:MOST_NAMED])
    return f"{named}{more} ({tried} readings tried{chance})"


def _candidates(chosen: Measure) -> Iterator[tuple[int, int, Measure | None]]:
    """Yield how unusual it is, how many changes, and the measure; None is the F of the means.

    Single changes come first, then all others by how unusual they are.
    """
    yield from sorted(_changed(chosen, [1]), key=itemgetter(0))
    yield from sorted(_changed(chosen, range(2, MOST_CHANGES + 1)), key=itemgetter(0))


def _changed(chosen: Measure, numbers: Iterable[int]) -> Iterator[tuple[int, int, Measure | None]]:
    for n in numbers:
        yield from ((cost, min(n, 2), m) for cost, m in _variants(chosen, n))
        if n == 1 and chosen.definition.parts is not None:
            yield MEANS, 1, None


def _variants(chosen: Measure, n: int) -> Iterator[tuple[int, Measure]]:
    """Yield the measure with so many conventions changed, and how unusual the changes are."""
    records = {option: chosen.definition.option(option) for option in chosen.options}
    choices = {
        option: [v for v in records[option].values if not same(v, now)]
        for option, now in chosen.options.items()
    }
    for options in combinations([o for o, values in choices.items() if values], n):
        for values in product(*(choices[o] for o in options)):
            changed = dict(zip(options, values, strict=True))
            try:
                m = chosen.with_options(**changed)
            except BadInput:
                continue
            yield sum(records[option].how_unusual(v) for option, v in changed.items()), m


def _of_means(chosen: Measure, value: Callable[[Measure], float | None]) -> float | None:
    """Return the F of the mean precision and the mean recall."""
    common = {k: v for k, v in chosen.options.items() if k not in ("beta", "average")}
    pr = []
    for name in chosen.definition.parts or ():
        one = measure(name)
        kept = {k: v for k, v in common.items() if k in one.options}
        mean = value(one.with_options(**kept, average="samples"))
        if mean is None:
            return None
        pr.append(mean)
    square = float(chosen.options.get("beta", 1)) ** 2
    below = square * pr[0] + pr[1]
    return (1 + square) * pr[0] * pr[1] / below if below else None
