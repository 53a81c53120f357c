"""Which measure: properties of measures, with counterexamples."""

from hierpair.verification.properties import (  # noqa: F401 - fill the table
    drawn_changes,
    drawn_parts,
    drawn_shapes,
    every_class,
    every_set,
    statements,
)
from hierpair.verification.properties.counterexample import Cell, Counterexample
from hierpair.verification.properties.examination import Claim, Examination
from hierpair.verification.properties.examining import examine
from hierpair.verification.properties.outcomes import VERDICTS, Outcome
from hierpair.verification.properties.printed_properties import (
    is_property,
    property_outcome,
    property_value,
)
from hierpair.verification.properties.relations import RELATIONS, TOLERANCE, Relation
from hierpair.verification.properties.small_world import World, mask_of, members
from hierpair.verification.properties.statement import (
    DOMAINS,
    DRAWN,
    EVERY,
    KINDS,
    PROPERTIES,
    Draw,
    Property,
    Witnesses,
    drawn,
    every,
    property_named,
    property_of_measures,
    witnesses,
)

__all__ = [
    "DOMAINS",
    "DRAWN",
    "EVERY",
    "KINDS",
    "PROPERTIES",
    "RELATIONS",
    "TOLERANCE",
    "VERDICTS",
    "Cell",
    "Claim",
    "Counterexample",
    "Draw",
    "Examination",
    "Outcome",
    "Property",
    "Relation",
    "Witnesses",
    "World",
    "drawn",
    "every",
    "examine",
    "is_property",
    "mask_of",
    "members",
    "property_named",
    "property_of_measures",
    "property_outcome",
    "property_value",
    "witnesses",
]
