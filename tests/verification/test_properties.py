"""Properties of measures, tried on random hierarchies: what holds and what fails."""

import pytest

from hierpair import BadInput, examine
from hierpair.verification.judge import Numbers
from hierpair.verification.properties import DOMAINS
from hierpair.verification.properties.laws import against


def property_value(text):
    """Whether a claim is true, as it is judged."""
    return Numbers("", []).value(text, None)


def property_outcome(text):
    """What speaks against it."""
    return next(against(text), "it holds wherever it was tried")


@pytest.mark.exhaustive
def test_properties_are_claims_about_all_hierarchies():
    assert property_value("fails(alternative_paths, symmetric_difference)") == 1
    assert property_value("holds(alternative_paths, symmetric_difference)") == 0
    # What fails now and then neither holds nor always fails.
    assert property_value("fails(equal_if_incoherent, hf(average=micro))") == 1
    assert property_value("holds(equal_if_incoherent, hf(average=micro))") == 0
    outcome = property_outcome("holds(equal_if_incoherent, hf)")
    assert outcome == "it fails in ((), (0,), (1,)), the parents of each class"
    for bad, message in [
        ("alternative_paths", "cannot calculate 'alternative_paths'; write it like 1 - 12"),
        ("holds(alternative, gie)", "there is no property 'alternative'"),
        ("holds(alternative_paths, gee)", "there is no measure 'gee'"),
    ]:
        with pytest.raises(BadInput, match=message):
            property_value(bad)


@pytest.mark.exhaustive
def test_what_a_measure_cannot_see_it_does_not_have():
    """Flat measures change with no path and no distance: that is blindness, which is told."""
    for text in ("alternative_paths, f", "long_distance, f"):
        assert property_value(f"holds({text})") == 0
        assert property_outcome(f"holds({text})").startswith("vacuous: f never prefers")
    assert property_value("holds(long_distance, mgia)") == 1


def test_every_property_of_the_table_can_be_claimed():
    assert property_value("fails(silence, gie)") == property_value("holds(silence, hf)") == 1
    assert property_outcome("holds(silence, hf)") == "it holds wherever it was tried"
    with pytest.raises(BadInput, match="path_count says nothing of hf: it is about losses"):
        property_value("holds(path_count, hf)")
    with pytest.raises(BadInput, match="no property 'add_rigt'; did you mean 'add_right'"):
        property_value("holds(add_rigt, hf)")


@pytest.mark.exhaustive
@pytest.mark.parametrize("claim", [
    # Beyond what cases/ has. Kosmopoulos et al. 2014: Table 9 by the two cases of §3.1.
    "holds(pairing_fig12, mgia)", "fails(pairing_fig12, hf(root=include))",
    "fails(pairing_fig12, symmetric_difference(root=include))", "fails(pairing_crowd, lca_f)",
    "fails(long_distance_4, gie)",
    # Riehl et al. 2023, §VI; Costa et al. 2007 on measures of distance.
    "fails(add_right, hcm_f)", "holds(two_near_beat_one_far, hcm_f)",
    "fails(deeper_error_milder, gie)", "fails(deeper_error_milder, mgia)",
])  # fmt: skip
def test_what_papers_say_of_measures(claim):
    assert property_value(claim) == 1


def test_on_trees_hf_is_milder_on_deeper_errors():
    """In DAGs now and then it is not."""
    found = examine("hf", properties="deeper_error_milder", scope=5, samples=480)
    domains = found["hf", "deeper_error_milder"].by_domain
    assert domains[DOMAINS[0]].verdict == "holds"
    assert domains[DOMAINS[0]].n > 100


@pytest.mark.exhaustive
@pytest.mark.parametrize("side", ["over", "under"])
def test_a_penalty_must_grow_with_the_distance(side):
    """Section 2.2: reduced according to the distance, which flat measures do not do."""
    for name in ("f", "subset_accuracy", "precision"):
        assert property_value(f"holds({side}_specialization, {name})") == 0
    # Two edges are as bad as three where no pair may be further apart than two.
    assert property_value(f"holds({side}_specialization, gie)") == 1
    assert property_value(f"holds({side}_specialization, gie(default=1))") == 0
