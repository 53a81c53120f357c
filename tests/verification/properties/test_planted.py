"""A measure that is bad on purpose is caught by every property that it breaks, with a least case."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hierpair import examine, set_measure
from hierpair.measures import REGISTRY
from hierpair.measures.columns import Column
from hierpair.verification.properties import PROPERTIES
from tests.verification.properties.test_printed import WITNESSES

BREAKS = {
    "upside_down": "identity add_right add_wrong silence distance_order",
    "lopsided": "symmetric bounded constant_optimum ancestor_redundancy triangle",
    "of_products": "specific_hit unrelated_constant path_count",
    "of_all_above": "alternative_path long_distance long_distance_4 stem_invariance",
    "of_classes": "unused_subtree sibling_count refinement_below",
    "of_odd_and_even": "refinement_order",
    "of_numbers": "renaming",
}
"""What bad measures break, beside one that sees nothing, which is never strict."""

BROKEN = {name: bad for bad, names in BREAKS.items() for name in names.split()}
BROKEN |= {name: "seeing_nothing" for name, p in PROPERTIES.items() if p.relation == ">"}


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


def strict_share(n_pred, n_both):
    """No prediction, no value."""
    with np.errstate(invalid="ignore"):
        return n_both / n_pred


BAD = {
    "seeing_nothing": ("higher", lambda n_both: 0 * n_both + 0.5),
    "upside_down": ("higher", lambda n_true, n_pred, n_both: n_true + n_pred - 2 * n_both),
    "lopsided": ("lower", lambda n_true, n_pred: n_true * n_pred**2),  # sizes, and not alike
    "of_products": ("lower", lambda n_true, n_pred: n_true * n_pred),  # deep classes are dear
    "of_all_above": ("lower", lambda n_pred: n_pred),
    "of_classes": ("lower", lambda n_classes: n_classes),
    "of_odd_and_even": ("lower", lambda n_pred: n_pred % 2),
    "of_numbers": ("lower", lambda number: number),  # what the last label is called inside
    "strict_share": ("higher", strict_share),
}


@pytest.fixture(autouse=True, scope="module")
def planted():
    """Bad measures, for a while."""
    for name, (direction, function) in BAD.items():
        function.__name__, function.__doc__ = name, "Bad on purpose."
        own = {"averages": ("samples",), "recipe": NumbersOfClasses} if name == "of_numbers" else {}
        how = {"formula": "?", "source": "planted", "range": "[0, ∞)"}
        set_measure(direction=direction, **how, **own)(function)
    yield
    for name in BAD:
        del REGISTRY[name]


def test_every_property_has_a_measure_that_breaks_it():
    """A property that no measure can fail would say nothing."""
    assert set(BROKEN) == set(PROPERTIES)


@pytest.mark.parametrize("name", [name for name in BROKEN if name in WITNESSES])
def test_a_measure_that_breaks_it_is_caught_in_small_hierarchies(name):
    """The values of the least case are in no order that is wanted."""
    bad = "lopsided(augment='none')" if BROKEN[name] == "lopsided" else BROKEN[name]
    for scope in range(1, 6):
        outcome = next(iter(examine(bad, properties=name, scope=scope, samples=0)))
        if outcome.n_violated:
            break
    values = outcome.counterexample.values
    if bad == "seeing_nothing":
        assert outcome.verdict == "always violated"
        assert set(values) == {0.5}
    elif bad == "upside_down":
        assert values[0] < values[1]
    assert outcome.n_violated


@pytest.mark.parametrize("name", [name for name in BROKEN if name not in WITNESSES])
def test_a_measure_that_breaks_it_is_caught_in_random_hierarchies(name):
    """One that sees nothing has every equality for nothing."""
    bad = BROKEN[name]
    found = examine([bad, "seeing_nothing"], properties=name, scope=0, samples=96)
    outcome = found[bad, name]
    assert outcome.verdict in ("violated", "violated in all drawn")
    assert outcome.n_hierarchies >= 2
    case = outcome.counterexample
    assert case.drawn
    assert len(case.cells) == outcome.stated.rule.arity or len(case.cells) == 2
    if PROPERTIES[name].relation != ">":
        assert found["seeing_nothing", name].n_violated == 0


def test_only_what_has_values_is_counted():
    """A formula that gives nan for an empty prediction leaves these witnesses out, and says why."""
    found = examine("strict_share", properties=["identity", "silence"], scope=3, samples=0)
    whole, silent = found["strict_share", "identity"], found["strict_share", "silence"]
    assert (silent.verdict, silent.n, silent.share != silent.share) == ("undefined", 0, True)
    assert whole.n_undefined == 1 + 2 * 3 + 5 * 7  # every truth without a prediction
    assert whole.reason == "its formula gives nan for truth {1} and prediction {}"
    assert "have no value: its formula gives nan" in found.notes[-1]
