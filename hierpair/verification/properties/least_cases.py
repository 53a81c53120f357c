"""The least violation that is shown: of random ones, made small."""

from __future__ import annotations

from hierpair.measures import Measure
from hierpair.verification.properties.drawn_parts import OF_PARTS, one_of_all
from hierpair.verification.properties.measuring import measured
from hierpair.verification.properties.shrinking import shrunk
from hierpair.verification.properties.statement import Property, Witnesses
from hierpair.verification.properties.still_witness import OF_DRAWN, still
from hierpair.verification.properties.tallies import Found, Tally

__all__ = ["made_small"]


def made_small(stated: Property, m: Measure, found: Found) -> Found:
    """Return a random violation without the classes and labels that it does not need.

    What is a witness is told by its definition or, of properties that small hierarchies are gone
    through for, by being one of all; random witnesses of a user's own property stay as they are.
    """
    if not found.random:
        return found
    least = shrunk(
        found.witness,
        lambda one: _is_witness(stated, one) and violation(stated, m, one) is not None,
    )
    return violation(stated, m, least) or found


def violation(stated: Property, m: Measure, one: Witnesses) -> Found | None:
    """Return a single witness with its values if it is violated."""
    values = measured([one], [m])[0]
    tally = Tally()
    tally.add(
        stated, one, values.values[0], higher=m.higher_is_better, random=True, reason=values.reason
    )
    return tally.least


def _is_witness(stated: Property, one: Witnesses) -> bool:
    if stated.name in OF_DRAWN:
        return still(stated.name, one)
    return stated.name in OF_PARTS and one_of_all(stated.name, one)
