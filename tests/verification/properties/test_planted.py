"""A measure that is bad on purpose is caught by the property that it breaks, and by its least case."""

import numpy as np
import pytest

from hierpair import examine, set_measure
from hierpair.measures import REGISTRY
from hierpair.verification.properties import PROPERTIES
from tests.verification.properties.test_printed_table import WITNESSES as EVERY

STRICT = [name for name in PROPERTIES if name in EVERY and PROPERTIES[name].relation == ">"]


@pytest.fixture(autouse=True)
def planted():
    """Bad measures, for a while."""

    @set_measure(formula="½", source="planted", direction="higher", range="[0, 1]")
    def blind(n_both):
        """Everything is worth the same."""
        return 0 * n_both + 0.5

    @set_measure(formula="|P Δ T|", source="planted", direction="higher", range="[0, ∞)")
    def upside_down(n_true, n_pred, n_both):
        """The more is wrong the better."""
        return n_true + n_pred - 2 * n_both

    @set_measure(formula="|T| |P|²", source="planted", direction="lower", range="[0, ∞)")
    def lopsided(n_true, n_pred):
        """Sizes count, and not alike."""
        return n_true * n_pred**2

    @set_measure(formula="|T̂| |P̂|", source="planted", direction="lower", range="[0, ∞)")
    def deep(n_true, n_pred):
        """Labels of deep classes are expensive."""
        return n_true * n_pred

    yield
    for name in ("blind", "upside_down", "lopsided", "deep"):
        del REGISTRY[name]


def least(name, stated):
    """Return what is found of a property, in hierarchies as small as possible."""
    for scope in range(1, 6):
        outcome = next(iter(examine(name, properties=stated, scope=scope, samples=0)))
        if outcome.n_violated:
            return outcome
    return outcome


@pytest.mark.parametrize("stated", STRICT)
def test_a_measure_that_sees_nothing_is_never_strict(stated):
    """Every witness violates it: values are equal."""
    outcome = least("blind", stated)
    assert outcome.verdict == "always violated"
    assert set(outcome.counterexample.values) == {0.5}


@pytest.mark.parametrize(
    "stated", ["identity", "add_right", "add_wrong", "silence", "distance_order", "specific_hit"]
)
def test_a_measure_that_rewards_mistakes_breaks_every_order(stated):
    """The values of the least case are in the wrong order."""
    outcome = least("upside_down" if stated != "specific_hit" else "deep", stated)
    assert outcome.n_violated
    one, other = outcome.counterexample.values
    assert one < other if stated != "specific_hit" else one > other


@pytest.mark.parametrize(
    "stated", ["symmetric", "bounded", "constant_optimum", "ancestor_redundancy", "triangle"]
)
def test_a_measure_of_sizes_breaks_every_equality(stated):
    """Of truth and prediction, of perfect ones, of closed ones."""
    assert least("lopsided(augment='none')", stated).n_violated


def test_a_measure_of_depth_is_no_constant_of_the_unrelated():
    """Two classes that share nothing are the further apart the deeper they are."""
    assert least("deep", "unrelated_constant").n_violated


def test_every_property_that_is_gone_through_has_a_measure_that_breaks_it():
    """A property that no measure can fail would say nothing."""
    broken = {
        *STRICT, "identity", "add_right", "add_wrong", "silence", "distance_order", "specific_hit",
        "symmetric", "bounded", "constant_optimum", "ancestor_redundancy", "triangle",
        "unrelated_constant",
    }  # fmt: skip
    assert broken == {name for name in PROPERTIES if name in EVERY}


def test_only_what_has_values_is_counted():
    """A formula that gives nan for an empty prediction leaves these witnesses out, and says why."""

    @set_measure(formula="|P ∩ T| / |P|", source="planted", direction="higher", range="[0, 1]")
    def strict_share(n_pred, n_both):
        """No prediction, no value."""
        with np.errstate(invalid="ignore"):
            return n_both / n_pred

    try:
        found = examine("strict_share", properties=["identity", "silence"], scope=3, samples=0)
    finally:
        del REGISTRY["strict_share"]
    whole, silent = found["strict_share", "identity"], found["strict_share", "silence"]
    assert (silent.verdict, silent.n, silent.share != silent.share) == ("undefined", 0, True)
    assert whole.n_undefined == 1 + 2 * 3 + 5 * 7  # every truth without a prediction
    assert whole.reason == "its formula gives nan for truth {1} and prediction {}"
    assert "have no value: its formula gives nan" in found.notes[-1]
