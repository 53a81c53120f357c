"""Shares that another program computed once: exact in small hierarchies, of random witnesses roughly."""

from pathlib import Path

import numpy as np
import pytest

from hierpair import Degree, Hops, Rule, Unmatched, examine, measure, pair_measure
from hierpair.measures import REGISTRY
from hierpair.verification.properties import PROPERTIES
from hierpair.verification.properties.counting import Count, count, measured
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
    counts = dict.fromkeys(WITNESSES, 0)
    for k in range(1, 6):
        stated = [PROPERTIES[name] for name in WITNESSES if k <= PROPERTIES[name].scope]
        for world in small_worlds(k):
            found = [(p, one) for p in stated for one in p.witnesses(world)]
            for (p, one), values in zip(
                found, measured([w for _, w in found], measures), strict=True
            ):
                known = [
                    where_it_was_defined(m, world, one, v)
                    for m, v in zip(measures, values, strict=True)
                ]
                counts[p.name] = (
                    counts[p.name] + count(p, one, np.array(known), measures, drawn=False).told[0]
                )
    by_name = {m.name: k for k, m in enumerate(measures)}
    wrong = {}
    n_checked = 0
    for (name, m), share in shares.items():
        if name in WITNESSES:
            n_checked += 1
            of_m = counts[name][by_name[measure(m).name]].sum(axis=(0, 1))
            got = as_printed(Count(*of_m.tolist()))
            if got.removesuffix(".0") != share.removesuffix(".0"):
                wrong[name, m] = share, got
    assert n_checked == 550
    assert not wrong


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


def some(share):
    """Return whether none, some or all witnesses violate it, or it is undefined."""
    if share in ("–", "<.1"):
        return "some" if share == "<.1" else "undefined"
    return {0.0: "none", 100.0: "all"}.get(float(share), "some")


@pytest.mark.release
@pytest.mark.exhaustive
def test_random_witnesses_say_what_is_printed(generous):
    """Of forty measures, in 15 properties; sets of several tips are another matter in paths."""
    shares = {cell: x for cell, x in printed().items() if cell[0] not in WITNESSES}
    measures = tuple(measure(name) for name in dict.fromkeys(name for _, name in shares))
    assert (len(measures), len({name for name, _ in shares})) == (40, 15)
    names = dict.fromkeys(name for name, _ in shares)
    found = examine(measures, properties=names, scope=0, samples=SAMPLES)
    for (name, m), share in shares.items():
        # shortest_path was left out where the numbers of tips are not equal
        if m != "shortest_path" or name not in ("flood", "two_near_beat_one_far"):
            drawn = found[m, name].drawn
            got = some(str(100 * drawn.share) if drawn.n else "–")
            assert got == some(share) or (name, m) in CHANCE, (name, m, share, got)
