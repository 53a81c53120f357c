"""A measure in words: what it says, its range, and its conventions as sentences."""

from __future__ import annotations

from typing import Any

from hierpair.measures import Measure, empty_is_perfect

__all__ = ["conventions_in_words", "measure_record"]

LAST = ("zero_division", "average")
"""Options that are told at the end: what happens to 0/0, and how values become one score."""


def measure_record(m: Measure) -> dict[str, Any]:
    """Return what a page says of a measure."""
    return {
        "name": m.name,
        "label": m.label,
        "higher": m.higher_is_better,
        "range": m.definition.range,
        "meaning": m.definition.summary,
        "conventions": conventions_in_words(m),
        "signature": m.signature,
    }


def conventions_in_words(m: Measure) -> str:
    """Return the conventions of a measure as one sentence, by the records of its options.

    >>> from hierpair import measure
    >>> conventions_in_words(measure("subset_accuracy"))
    'The score is the mean over instances.'
    >>> conventions_in_words(measure("gie(default=4)"))  # doctest: +ELLIPSIS
    'A class without a partner costs 4; a pair costs the edges between its classes; ...'
    >>> conventions_in_words(measure("hf")).split("; ")[3]
    'no class on either side is perfect'
    """
    names = [name for name in m.options if name not in LAST]
    names += [name for name in LAST if name in m.options]
    parts = [_option_in_words(m, name) for name in names]
    if "average" not in m.options:
        parts.append("the score is the mean over instances")
    told = "; ".join(part for part in parts if part)
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def _option_in_words(m: Measure, name: str) -> str:
    """Return an option in words, with what its own words leave open for this measure."""
    told = m.definition.option(name).in_words(m.options[name])
    if name == "zero_division" and empty_is_perfect(m):
        return f"no class on either side is perfect; any other {told}"
    if name == "average" and getattr(m.recipe, "by", "class") == "level":
        return told.replace("classes", "levels")
    return told
