"""Properties of measures, tried on random hierarchies: what holds, what fails, and planted bugs."""

import dataclasses
import inspect

import pytest

from hierpair import BadInput, verify
from hierpair.measures import REGISTRY
from hierpair.verification.properties import property_outcome, property_value


def test_properties_are_claims_about_all_hierarchies():
    assert property_value("fails(alternative_paths, sdl)") == 1
    assert property_value("holds(alternative_paths, sdl)") == 0
    # What fails now and then neither holds nor always fails.
    assert property_value("fails(equal_if_incoherent, hf(average=micro))") == 1
    assert property_value("holds(equal_if_incoherent, hf(average=micro))") == 0
    assert 0 < int(property_outcome("holds(equal_if_incoherent, hf)").split()[3]) < 100
    for bad, message in [
        ("alternative_paths", "cannot read 'alternative_paths'; write it like holds"),
        ("holds(alternative, gie)", "there is no property 'alternative'"),
        ("holds(alternative_paths, gee)", "there is no measure 'gee'"),
    ]:
        with pytest.raises(BadInput, match=message):
            property_value(bad)


@pytest.mark.parametrize("side", ["over", "under"])
def test_a_penalty_must_grow_with_the_distance(side):
    """Section 2.2: reduced according to the distance, which flat measures do not do."""
    for name in ("f", "subset_accuracy", "precision"):
        assert property_value(f"holds({side}_specialization, {name})") == 0
    # Two edges are as bad as three where no pair may be further apart than two.
    assert property_value(f"holds({side}_specialization, gie)") == 1
    assert property_value(f"holds({side}_specialization, gie(default=1))") == 0


@pytest.mark.parametrize(
    "word",
    [
        "gie",
        "hf",
        *(pytest.param(m, marks=pytest.mark.exhaustive) for m in ("mgia", "sdl", "lca_f")),
    ],
)
def test_a_property_notices_a_bug(word, monkeypatch):
    """A measure that is the same for everything breaks a property of Table 9."""
    definition = REGISTRY[word]

    def flat(*columns, **options):
        return 0 * definition.value(*columns, **options) + 0.5

    flat.__signature__ = inspect.signature(definition.value)
    monkeypatch.setitem(REGISTRY, word, dataclasses.replace(definition, value=flat))
    assert not verify(["kosmopoulos2014-table9"]).sound
