"""Comparing what partials keep by block: the same for any partition, and as sure as it says."""

import json

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, compare, score
from hierpair.comparison.common_scores import samples_of
from hierpair.evaluation import merge, partial
from hierpair.evaluation.sums import block_numbers
from tests.comparison import TREE, labels
from tests.comparison.test_comparison import check_draws

MEASURES = ["hf", "gie", "hp(zero_division=nan)", "hf(average=micro)", "f(average=micro)",
            "lca_f(average=micro)"]  # fmt: skip
BY_CLASS = ["hf(average=macro)", "hp(average=weighted)"]
RESULTS = ("values", "low", "high", "ranks", "p", "p_adjusted", "difference", "difference_low",
           "difference_high")  # fmt: skip


def problem(n, seed=0, systems=3):
    """Ids, truth, and systems with more and more errors."""
    return [f"i{i}" for i in range(n)], *labels(n, systems, seed=seed)


def of_some(ids, rows, some):
    return {ids[i]: rows[i] for i in some}


def parts_of(data, cuts, measures=MEASURES, *, weight=None, blocks=40, **how):
    ids, truth, guesses = data
    return [
        partial(
            TREE, of_some(ids, truth, cut),
            {s: of_some(ids, y, cut) for s, y in guesses.items()}, measures, part=f"part {k}",
            sample_weight=None if weight is None else weight[cut], blocks=blocks, **how,
        )
        for k, cut in enumerate(cuts)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def data():
    return problem(300)


@pytest.mark.exhaustive
@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_same_bits_for_any_partition_and_any_order(data, test):
    rng = np.random.default_rng(1)
    weight = rng.random(300)
    how = {"test": test, "n_permutations": 300, "n_bootstrap": 200, "seed": 4}
    (whole,) = parts_of(data, [np.arange(300)], weight=weight)
    wanted = compare(whole, **how)
    for _ in range(3):
        order = rng.permutation(300)
        cuts = np.split(order, sorted(rng.choice(300, 4)))
        parts = parts_of(data, cuts, weight=weight)
        merged = merge(*(parts[k] for k in rng.permutation(len(parts))))
        found = compare([merged], **how)
        for name in RESULTS:
            assert getattr(found, name).tobytes() == getattr(wanted, name).tobytes(), name
        assert found.to_json() == wanted.to_json()
        assert compare(merged.scores(), n_jobs=2, **how).to_json() == wanted.to_json()
    assert compare(whole, **how | {"seed": 5}).low.tolist() != wanted.low.tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_resampled_and_exchanged_blocks_are_those_of_the_labels(data, weighted):
    ids, truth, guesses = data
    rng = np.random.default_rng(2)
    weight = rng.random(300) if weighted else None
    (one,) = parts_of(data, [np.arange(300)], weight=weight)
    samples = samples_of(one.scores(), [[s] for s in guesses])
    occupied, row = np.unique(block_numbers(ids, 40, 0), return_inverse=True)
    counts, swaps = (rng.integers(0, n, (1, len(occupied))) * 1.0 for n in (3, 2))
    drawn = [(s, counts, swaps) for s in samples]
    check_draws(drawn, counts[0, row], swaps[0, row], truth, guesses, MEASURES, weight)


def test_with_an_instance_in_every_block_it_is_the_comparison_of_instances():
    """All exchanges of 12 instances, and of 12 blocks with one each."""
    ids, truth, guesses = problem(12, seed=3)
    everywhere = np.arange(12)
    (one,) = parts_of((ids, truth, guesses), [everywhere], blocks=9_999)
    found = compare(one, correction="none", n_bootstrap=4_000)
    sides = {s: of_some(ids, y, everywhere) for s, y in guesses.items()}
    scores = score(TREE, of_some(ids, truth, everywhere), sides, MEASURES)
    wanted = compare(scores, correction="none", n_bootstrap=4_000)
    assert found.n_blocks == 12
    assert "all 4096 exchanges" in "\n".join(found.notes)
    assert found.p.tolist() == wanted.p.tolist()
    assert found.values.tolist() == wanted.values.tolist()
    assert found.high - found.low == pytest.approx(wanted.high - wanted.low, rel=0.15)


@pytest.mark.exhaustive
def test_runs_of_a_system(data):
    ids, truth, guesses = problem(300, seed=5, systems=4)
    (one,) = parts_of((ids, truth, guesses), [np.arange(300)], blocks=300)
    runs = {"A": ["s0", "s1"], "B": ["s2", "s3"]}
    found = compare(one, runs=runs, n_bootstrap=50, n_permutations=2_000)
    sides = {s: dict(zip(ids, y, strict=True)) for s, y in guesses.items()}
    scores = score(TREE, dict(zip(ids, truth, strict=True)), sides, MEASURES)
    wanted = compare(scores, runs=runs, n_bootstrap=50, n_permutations=2_000)
    assert found.values == pytest.approx(wanted.values, abs=1e-12)
    assert found.low == pytest.approx(wanted.low, abs=1e-12)
    assert found.p[:, 0, 1] == pytest.approx(wanted.p[:, 0, 1], abs=0.05)
    welch = compare(one, runs=runs, test="runs", n_bootstrap=5)
    known = compare(scores, runs=runs, test="runs", n_bootstrap=5)
    assert welch.p == pytest.approx(known.p)


def test_what_blocks_do_not_tell_is_left_out_and_said(data):
    measures = [*MEASURES[:1], *BY_CLASS, *MEASURES[3:4]]
    (one,) = parts_of(data, [np.arange(300)], measures, keep_worst=2)
    found = compare(one, n_bootstrap=20, n_permutations=20)
    assert [m.name for m in found.measures] == ["hf", "hf(average='micro')"]
    assert found.values.tolist() == one.scores().values[:, [0, 3]].tolist()
    assert found.effect is None
    assert found.wins is None
    (line,) = found.left_out
    assert line.startswith("hf(average='macro'), hp(average='weighted'): not compared, since no s")
    assert line in found.notes
    assert line in json.loads(found.to_json())["notes"]
    assert json.loads(found.to_json())["n_blocks"] == found.n_blocks == 40
    assert "blocks=40,block_seed=0,seed=0)" in found.signature
    assert "effect=" not in found.signature
    (told,) = (note for note in found.notes if "blocks" in note and "not compared" not in note)
    assert told.startswith("resampled and exchanged are 40 blocks of instances, not instances: sta")
    assert "known to about 11 %" in told
    pair = found.records(pairs=True).to_dicts()[0]
    assert not {"wins", "losses", "ties", "effect"} & pair.keys()
    shown = found.to_text(pairs=True)
    assert "intervals (percentile bootstrap of 40 blocks)" in shown
    assert "wins  " not in shown
    assert found.scores.worst("s2", "hf(average=micro)", 1) == (
        one.scores().worst("s2", "hf(average=micro)", 1)
    )


def test_instances_without_a_pairing():
    """The same ones for all systems are left out of all; others leave the measure out."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    names = [f"x{i}" for i in range(40)]
    truth = {name: ["c"] for name in names}

    def system(none, every):
        """A system that has no pairing for the first ones."""
        rows = [["a", "c"] if i < none else ["b" if i % every else "c"] for i in range(40)]
        return dict(zip(names, rows, strict=True))

    def made(measures="tree_induced_error", **systems):
        return partial(tree, truth, systems, measures, on_infeasible="nan", blocks=15, part="all")

    both = ["tree_induced_error", "hf"]
    even = made(both, one=system(10, 3), two=system(10, 4))
    found = compare(even, n_bootstrap=20, n_permutations=20)
    assert found.measures == even.measures
    assert {row["n_compared"] for row in found.records().to_dicts()} == {30, 40}
    assert not any("all systems on the" in note for note in found.notes)
    found = compare(made(both, one=system(10, 3), two=system(0, 4)), n_bootstrap=20)
    assert [m.name for m in found.measures] == ["hf"]
    (line,) = found.left_out
    assert line.startswith("tree_induced_error: not compared, since the systems may leave out")
    assert found.to_dict()["scores"][0]["n_instances"] == 40
    with pytest.raises(BadInput, match=r"not compared, .* which ones; score the labels"):
        compare(made(one=system(10, 3), two=system(0, 4)))
    apart = [made(both, one=system(10, 3)), made(both, two=system(10, 4))]
    assert compare(apart, n_bootstrap=20).left_out == (line,)
    assert compare([made(both, one=system(0, 3)), made(both, two=system(0, 4))]).left_out == ()


def test_totals_are_not_compared(data):
    """Blocks differ in size by chance, and a total would seem to vary as they do."""
    measures = ["total_cost(cost=hops)", "hf(average=micro)", "hcm_mcc", "hcm_f"]
    ids, truth, guesses = data
    sides = {s: [(y or ["a"])[:1] for y in rows] for s, rows in guesses.items()}
    (one,) = parts_of((ids, [y[:1] for y in truth], sides), [np.arange(300)], measures)
    found = compare(one, n_bootstrap=20, n_permutations=20)
    assert [m.definition.name for m in found.measures] == ["hf", "hcm_mcc", "hcm_f"]
    (line,) = found.left_out
    assert line.startswith("total_cost: not compared, since it grows with the number of instances")


@pytest.mark.exhaustive
def test_instances_in_blocks():
    """As many blocks as instances are the instances; fewer know less, and say so."""
    _, truth, guesses = problem(600)
    weight = np.random.default_rng(3).integers(1, 4, 600).astype(float)
    for measures, w in ((MEASURES[:2] + MEASURES[3:] + BY_CLASS, None), (["hf"], weight)):
        scores = score(TREE, truth, guesses, measures, sample_weight=w, keep_classes=True)
        whole, blocks = compare(scores), compare(scores, blocks=100)
        assert blocks.n_blocks == 100
        assert (blocks.values == whole.values).all()
        assert blocks.effect is None
        assert blocks.wins is None
        assert "blocks=100," in blocks.signature
        assert any("100 blocks of instances" in note for note in blocks.notes)
        width = (blocks.high - blocks.low) / (whole.high - whole.low)
        assert 0.6 < width.min() < 1 < width.max() < 1.6  # known to 7 % each, of many intervals
        assert np.abs(np.log(width)).mean() < 0.12
        again = compare(scores, blocks=100)
        for name in RESULTS:
            assert np.array_equal(getattr(again, name), getattr(blocks, name), equal_nan=True)
