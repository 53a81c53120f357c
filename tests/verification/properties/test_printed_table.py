"""The table of shares that was computed once, by another program: exact where all is gone through."""

from pathlib import Path

import numpy as np
import pytest

from hierpair import Degree, Hops, Rule, Unmatched, measure, pair_measure
from hierpair.measures import REGISTRY
from hierpair.verification.properties import PROPERTIES
from hierpair.verification.properties.counting import Count, Tally, count, measured
from hierpair.verification.properties.worlds import small_worlds

WITNESSES = {
    "identity": 66_642, "strictness": 62_172, "strict_closed": 52_456, "symmetric": 62_172,
    "bounded": 66_642, "constant_optimum": 62_172, "ancestor_redundancy": 62_934,
    "triangle": 55_770, "add_right": 84_993, "add_right_strict": 52_463, "add_wrong": 14_129,
    "add_wrong_strict": 10_117, "swap_right": 46_187, "silence": 1_019, "nothing_true": 2_235, "partial_credit": 297,
    "near_beats_far": 5, "distance_order": 2_933, "over_graded": 107, "under_graded": 107,
    "over_beats_unrelated": 19, "under_beats_unrelated": 97, "deeper_error_milder": 228,
    "unrelated_constant": 4_864, "specific_hit": 97, "pairing_extra": 6,
}  # fmt: skip
"""How many witnesses all hierarchies with up to five classes have; of the triangle up to four."""


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


def printed():
    """Return the printed shares by property and measure."""
    text = Path(__file__).with_name("printed_shares.tsv").read_text("utf-8")
    (_, *measures), *rows = (line.split("\t") for line in text.splitlines()[1:])
    return {(p, m): x for p, *row in rows for m, x in zip(measures, row, strict=True) if x}


def test_small_hierarchies_have_as_many_witnesses_as_printed():
    """Counts do not depend on a random generator, so any two programs must agree on them."""
    for name, n in WITNESSES.items():
        stated = PROPERTIES[name]
        sizes = range(1, min(5, stated.scope) + 1)
        assert (
            sum(
                len(found)
                for k in sizes
                for world in small_worlds(k)
                for found in stated.witnesses(world)
            )
            == n
        )


def n_tips(world, masks):
    """Return how many classes of every set have none below them in it."""
    above = np.zeros_like(masks)
    for c in range(1, world.n):
        above |= np.where(masks >> c & 1, world.closed[c] & ~(1 << c), 0)
    return np.bitwise_count(masks & ~above)


def where_it_was_defined(m, world, one, values):
    """Leave out what the other program left out: unequal numbers of tips, no prediction."""
    if m.name == "shortest_path":
        return np.where(n_tips(world, one.truth) == n_tips(world, one.predicted), values, np.nan)
    return np.where(one.predicted > 0, values, np.nan) if m.name == "all_pairs" else values


def as_printed(count):
    """Return a share as the table has it."""
    if not count.n_violated:
        return "0" if count.n else "–"
    share = 100 * count.share
    return "<.1" if share < 0.05 else f"{share:.1f}" if share < 9.95 else f"{share:.0f}"


@pytest.mark.release
@pytest.mark.exhaustive
def test_every_printed_share_of_small_hierarchies_comes_out(generous):
    """To the last printed digit, for forty measures."""
    shares = printed()
    measures = [measure(name) for name in dict.fromkeys(name for _, name in shares)]
    assert len(measures) == 40
    tallies = {(p, m.name): Tally() for p in WITNESSES for m in measures}
    for k in range(1, 6):
        stated = [PROPERTIES[name] for name in WITNESSES if k <= PROPERTIES[name].scope]
        for world in small_worlds(k):
            found = [one for p in stated for one in p.witnesses(world)]
            for p, one, values in zip(stated, found, measured(found, measures)[0], strict=True):
                for m, of_m in zip(measures, values, strict=True):
                    known = where_it_was_defined(m, world, one, of_m)
                    tallies[p.name, m.name].merge(count(p, one, known, m, "", random=False))
    wrong = {}
    n_checked = 0
    for (name, m), share in shares.items():
        if name in WITNESSES:
            n_checked += 1
            got = as_printed(Count.of(tallies[name, measure(m).name].counts))
            if got.removesuffix(".0") != share.removesuffix(".0"):
                wrong[name, m] = share, got
    assert n_checked == 550
    assert not wrong
