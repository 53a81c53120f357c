"""A measure that is bad on purpose is caught by the property it breaks, in random hierarchies."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hierpair import examine, set_measure
from hierpair.measures import REGISTRY
from hierpair.measures.columns import Column
from hierpair.verification.properties import PROPERTIES
from tests.verification.properties.test_printed_table import WITNESSES

BREAKS = {
    "flood": "seeing_nothing",
    "pairing_fig12": "seeing_nothing",
    "pairing_shared": "seeing_nothing",
    "pairing_crowd": "seeing_nothing",
    "two_near_beat_one_far": "seeing_nothing",
    "alternative_path": "of_all_above",
    "long_distance": "of_all_above",
    "long_distance_4": "of_all_above",
    "path_count": "of_products",
    "stem_invariance": "of_all_above",
    "unused_subtree": "of_classes",
    "sibling_count": "of_classes",
    "refinement_below": "of_classes",
    "refinement_order": "of_odd_and_even",
    "renaming": "of_numbers",
}


@dataclass(frozen=True)
class NumbersOfClasses:
    """What no measure may use: the numbers that classes happen to have."""

    family: ClassVar = "set"
    columns: ClassVar = (Column("number", "a class number", float),)

    def compute(self, batch):
        """Return the largest number of the predicted labels."""
        y = batch.y_pred
        highest = [
            y.indices[a:b].max(initial=0) for a, b in zip(y.indptr, y.indptr[1:], strict=False)
        ]
        return {"number": np.array(highest, dtype=np.float64)}


def numbers_of_classes():
    """Return the recipe."""
    return NumbersOfClasses()


@pytest.fixture(autouse=True, scope="module")
def planted():
    """Bad measures, for a while."""
    before = set(REGISTRY)

    @set_measure(formula="½", source="planted", direction="higher", range="[0, 1]")
    def seeing_nothing(n_both):
        """Everything is worth the same."""
        return 0 * n_both + 0.5

    @set_measure(formula="|P̂|", source="planted", direction="lower", range="[0, ∞)")
    def of_all_above(n_pred):
        """All that is above what is predicted."""
        return n_pred

    @set_measure(formula="|T̂| |P̂|", source="planted", direction="lower", range="[0, ∞)")
    def of_products(n_true, n_pred):
        """Grows with both."""
        return n_true * n_pred

    @set_measure(formula="n", source="planted", direction="lower", range="[0, ∞)")
    def of_classes(n_classes):
        """All classes there are."""
        return n_classes

    @set_measure(formula="|P̂| mod 2", source="planted", direction="lower", range="[0, 1]")
    def of_odd_and_even(n_pred):
        """Odd and even sizes."""
        return n_pred % 2

    @set_measure(
        formula="c", source="planted", direction="lower", range="[0, ∞)", averages=("samples",),
        recipe=numbers_of_classes,
    )  # fmt: skip
    def of_numbers(number):
        """What the last label happens to be called inside."""
        return number

    yield
    for name in set(REGISTRY) - before:
        del REGISTRY[name]


def test_every_property_that_is_drawn_alone_has_a_measure_that_breaks_it():
    """A property that no measure can fail would say nothing."""
    assert set(BREAKS) | set(WITNESSES) == set(PROPERTIES)


@pytest.mark.parametrize(("name", "bad"), BREAKS.items())
def test_a_measure_that_breaks_it_is_caught(name, bad):
    """With a case that fails by hand, and one that sees nothing has every equality for nothing."""
    found = examine([bad, "seeing_nothing"], properties=name, scope=0, samples=96)
    outcome = found[bad, name]
    assert outcome.verdict in ("violated", "violated in all drawn")
    assert outcome.n_hierarchies >= 2
    case = outcome.counterexample
    assert case.drawn
    assert len(case.cells) == outcome.stated.rule.arity or len(case.cells) == 2
    if PROPERTIES[name].relation != ">":
        assert found["seeing_nothing", name].n_violated == 0
