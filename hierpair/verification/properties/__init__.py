"""Which measure: properties of measures, with counterexamples."""

from hierpair.verification.properties.counterexample import Cell, Counterexample
from hierpair.verification.properties.examination import Claim, Examination, Outcome, examine
from hierpair.verification.properties.statement import (
    DOMAINS,
    PROPERTIES,
    Property,
    Relation,
    Witnesses,
    property_named,
    property_of_measures,
)
from hierpair.verification.properties.worlds import World

__all__ = [
    "DOMAINS",
    "PROPERTIES",
    "Cell",
    "Claim",
    "Counterexample",
    "Examination",
    "Outcome",
    "Property",
    "Relation",
    "Witnesses",
    "World",
    "examine",
    "property_named",
    "property_of_measures",
]
