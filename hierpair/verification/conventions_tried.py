"""Which declared conventions give a claimed number, the usual ones first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import combinations, product

from hierpair.errors import BadInput
from hierpair.measures import Measure, measure
from hierpair.measures.measure_text import same
from hierpair.verification.published_numbers import Published, is_met

__all__ = ["nearest_readings"]

MOST_CHANGES = 3
"""Conventions that are changed at the same time in search of a claimed number."""

FEW = 20
"""Readings that may be tried before a fit is called possibly chance."""

MOST_NAMED = 3
"""Readings that are named of those that give a claimed number."""

MEANS, OF_MEANS = 2, "F of the mean {} and the mean {}"
"""How unusual it is to take F of the mean precision and the mean recall, and how it is called."""


Value = Callable[[Measure], float | None]


def nearest_readings(row: Published, chosen: Measure, value: Value) -> str:
    """Return the most usual conventions that give a claimed number, in words.

    Parameters
    ----------
    row
        The claim.
    chosen
        The measure that it names, which does not give the number.
    value
        Returns the value of a measure for the labels of the claim, or None.

    Returns
    -------
    str
        Up to three readings, and how many were tried; empty if none gives the number. All single
        changes are tried, and every reading that is no less usual than the first that fits.
    """
    fits: list[tuple[int, str]] = []
    tried = 0
    for cost, n, m in _candidates(chosen):
        if fits and n > 1 and cost > fits[0][0]:
            break
        computed = _of_means(chosen, value) if m is None else value(m)
        if computed is None:
            continue
        tried += 1
        if is_met(row, computed):
            reading = m.name if m is not None else OF_MEANS.format(*chosen.definition.parts or ())
            fits.append((cost, f"{reading} gives {computed:.6g}"))
    fits.sort(key=lambda fit: fit[0])
    if not fits:
        return ""
    more = f", and {len(fits) - MOST_NAMED} more do" if len(fits) > MOST_NAMED else ""
    chance = "; it may be chance" if tried > FEW else ""
    named = "; ".join(reading for _, reading in fits[:MOST_NAMED])
    return f"{named}{more} ({tried} readings tried{chance})"


def _candidates(chosen: Measure) -> Iterator[tuple[int, int, Measure | None]]:
    """Yield how unusual it is, how many changes, and the measure; None is the F of the means.

    Single changes come first, then all others by how unusual they are.
    """
    alone: list[tuple[int, int, Measure | None]] = [(c, 1, m) for c, m in _variants(chosen, 1)]
    if chosen.definition.parts is not None:
        alone.append((MEANS, 1, None))
    yield from sorted(alone, key=lambda candidate: candidate[0])
    several = [
        sorted(_variants(chosen, n), key=lambda found: found[0]) for n in range(2, MOST_CHANGES + 1)
    ]
    for cost, m in heapq.merge(*several, key=lambda found: found[0]):
        yield cost, 2, m


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


def _of_means(chosen: Measure, value: Value) -> float | None:
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
