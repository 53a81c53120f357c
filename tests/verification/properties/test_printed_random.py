"""The printed shares of random witnesses: none, some or all come out; how many, roughly."""

import numpy as np
import pytest

from hierpair import Degree, Hops, Rule, Unmatched, examine, measure, pair_measure
from hierpair.measures import REGISTRY
from tests.verification.properties.test_planted_in_drawn import BREAKS as OF_DRAWN
from tests.verification.properties.test_printed_table import printed

CHANCE = {
    ("alternative_path", "lca_recall"),
    ("refinement_order", "hr"),
    ("long_distance", "hcm_balanced_accuracy"),
    ("long_distance_4", "descendant_f"),
}
"""Cells that one witness or one hierarchy decides. Of the other program's 640 witnesses one violated
each of the first two; here it is about one in 10,000 for ``lca_recall`` on alternative paths (and
one in 20,000 for ``lca_f``), one in 2,000 for ``hr``. The third is obeyed in one hierarchy of 40;
in the last, two classes far apart may have one below both, which the other program never drew."""

SAMPLES = 1200

FURTHEST = 45
"""Points by which a share may be off: the other program drew from other hierarchies."""


@pytest.fixture(scope="module")
def generous():
    """The rule of the README, which may give a true class two predicted ones."""

    @pair_measure()
    def generous(default: float = 4) -> Rule:
        "Every true class may explain two predicted ones."
        sides = Degree("predicted", 1, 1), Degree("true", 1, 2)
        return Rule(Hops(), (*sides, *(Unmatched(s, default) for s in ("predicted", "true"))))

    yield "generous"
    del REGISTRY["generous"]


def some(share):
    """Return whether none, some or all witnesses violate it, or it is undefined."""
    if share in ("–", "<.1"):
        return "some" if share == "<.1" else "undefined"
    return {0.0: "none", 100.0: "all"}.get(float(share), "some")


@pytest.mark.release
@pytest.mark.exhaustive
def test_random_witnesses_say_what_is_printed(generous):
    """Of forty measures, in 15 properties; sets of several tips are another matter in paths."""
    shares = {cell: x for cell, x in printed().items() if cell[0] in OF_DRAWN}
    measures = tuple(measure(name) for name in dict.fromkeys(name for _, name in shares))
    assert (len(measures), len({name for name, _ in shares})) == (40, 15)
    names = dict.fromkeys(name for name, _ in shares)
    found = examine(measures, properties=names, scope=0, samples=SAMPLES)
    wrong, off = {}, {}
    for (name, m), share in shares.items():
        if (m, name) in (("shortest_path", "flood"), ("shortest_path", "two_near_beat_one_far")):
            continue  # it was left out where the numbers of tips are not equal
        count = found[m, name].drawn
        got = str(100 * count.share) if count.n else "–"
        if some(got) != some(share) and (name, m) not in CHANCE:
            wrong[name, m] = share, got
        if some(got) == some(share) == "some":
            off[name, m] = abs(float(got) - float(share))
    assert not wrong
    assert {cell: x for cell, x in off.items() if x > FURTHEST} == {}
    assert np.mean([*off.values()]) < 12
