"""How well measures tell systems apart, against loops and scores of subsamples that are made anew."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from hierpair import score
from hierpair.comparison import discrimination
from hierpair.comparison.common_scores import groups_of, samples_of
from hierpair.comparison.power import (
    linear_values,
    paired_p_values,
    shares_by_size,
    wrong_answers,
)
from hierpair.comparison.samples import exchange_p_values, stream, values_sample
from hierpair.comparison.statistics import all_pairs
from hierpair.verification import load_case
from tests.comparison import TREE
from tests.comparison.test_agreement import scores
from tests.paths import SHARED

MEASURES = ["hf", "gie", "hf(average=micro)", "hf(average=macro)"]
FAST = {"splits": 10, "repeats": 2, "n_permutations": 100, "n_bootstrap": 50}


def kept(n_systems=3, n=40, **how):
    return scores(n_systems, n, measures=MEASURES, keep_classes=True, **how)


def samples(given):
    return samples_of(given, list(groups_of(given, None).values()))


def test_p_values_of_subsamples_are_those_of_scipy():
    rng = np.random.default_rng(0)
    values = np.round(rng.random((30, 4)), 1)
    values[:, 3] = values[:, 0]  # no difference at all
    pairs = all_pairs(4)
    weights = rng.integers(0, 3, (5, 30)).astype(float)
    found = paired_p_values(weights, values, pairs)
    for row, counts in enumerate(weights.astype(int)):
        for at, (a, b) in enumerate(pairs):
            d = np.repeat(values[:, a] - values[:, b], counts)
            slow = 1.0 if not d.any() else stats.ttest_1samp(d, 0).pvalue
            assert found[row, at] == pytest.approx(slow, abs=1e-12)
    shifted = np.stack([np.zeros(6), np.ones(6)], axis=1)
    assert paired_p_values(np.ones((1, 6)), shifted, all_pairs(2)).tolist() == [[0.0]]


def test_linear_values_are_values_or_those_of_the_jackknife():
    given = kept()
    mean, _, micro, macro = (linear_values(sample) for sample in samples(given))
    names = given.systems
    np.testing.assert_allclose(mean, np.stack([given.per_instance[s][:, 0] for s in names], 1))
    assert macro is None
    for i in (0, 7):
        rows = np.delete(np.arange(40), i)
        labels = given.scored
        less = score(TREE, labels.truth.take(rows), {s: labels.systems[s].take(rows) for s in names},
                     ["hf(average=micro)"])  # fmt: skip
        slow = 40 * given.values[:, 2] - 39 * less.values[:, 0]
        np.testing.assert_allclose(micro[i], slow)


def test_swaps_and_power_by_size_against_scores_of_the_subsamples():
    given = kept()
    labels, pairs = given.scored, all_pairs(3)
    linear = [linear_values(sample) for sample in samples(given)]
    power, swaps = shares_by_size(samples(given), linear, pairs, (5, 20, 30), 0.1, 3, 3)
    ranks = stream(3, 3, 0).random((3, 40)).argsort(axis=1).argsort(axis=1)
    assert np.isnan(swaps[:, 2]).all()
    assert np.isnan(power[3]).all()
    signs = np.array([1, -1, 1, 1])
    for s, size in enumerate((5, 20, 30)):
        swapped, significant = np.zeros(4), np.zeros(4)
        for places in ranks:
            halves = []
            for lo in (0, size):
                rows = np.flatnonzero((places >= lo) & (places < lo + size))
                part = {x: labels.systems[x].take(rows) for x in given.systems}
                halves.append(score(TREE, labels.truth.take(rows), part, MEASURES).values * signs)
                if lo + size == 2 * size or 2 * size > 40:
                    break
            one = np.flatnonzero(places < size)
            for a, b in pairs:
                if len(halves) == 2:
                    swapped += np.sign((halves[0][a] - halves[0][b]).round(9)) * np.sign(
                        (halves[1][a] - halves[1][b]).round(9)) < 0  # fmt: skip
                for k in range(3):
                    d = linear[k][one, a] - linear[k][one, b]
                    significant[k] += d.any() and stats.ttest_1samp(d, 0).pvalue <= 0.1
        np.testing.assert_allclose(power[:3, s], significant[:3] / 9)
        if size < 30:
            np.testing.assert_allclose(swaps[:, s], swapped / 9)


def test_numbers_of_whole_samples_against_loops():
    given = kept(4)
    found = discrimination(given, sizes=[10, 20], alpha=0.2, **FAST)
    pairs = list(combinations(range(4), 2))
    p = exchange_p_values(samples(given), np.array(pairs), 100, 0)
    assert found.p.tolist() == p.tolist()
    assert found.power.tolist() == (p <= 0.2).mean(axis=1).tolist()
    assert found.asl("gie").tolist() == sorted(p[1])
    z = stats.norm.ppf(0.9) + stats.norm.ppf(0.8)
    for at, (a, b) in enumerate(pairs):
        d = given.per_instance[f"s{a}"][:, 0] - given.per_instance[f"s{b}"][:, 0]
        assert found.needed[0, at] == pytest.approx((z * d.std(ddof=1) / d.mean()) ** 2)
    assert np.isnan(found.needed[3]).all()
    assert (found.power_low[:3] <= found.power_high[:3]).all()
    wins = (p[0] <= 0.2).astype(int) - (p[1] <= 0.2)
    n, k = np.abs(wins).sum(), (wins > 0).sum()
    slow = stats.binomtest(int(k), int(n)).pvalue if n else 1.0
    assert found.contrast("hf", "gie") == pytest.approx(slow)


def test_sign_flips_against_all_of_them():
    """A system against one that has nothing: exchanges turn the signs of its values."""
    rng = np.random.default_rng(2)
    d = np.round(rng.normal(size=(8, 6)), 1)
    d[:, 5] = 0
    sample = values_sample(np.column_stack([d, np.zeros(8)]))
    pairs = np.array([[column, 6] for column in range(6)])
    exact, drawn = (exchange_p_values([sample], pairs, rounds, 0)[0] for rounds in (256, 255))
    flips = np.array([[1 - 2 * (k >> i & 1) for i in range(8)] for k in range(256)])
    for column in range(6):
        sums = np.abs((flips * d[:, column]).sum(axis=1))
        slow = (sums >= abs(d[:, column].sum()) - 1e-9).mean()
        assert exact[column] == slow
        assert drawn[column] == pytest.approx(slow, abs=0.12)
    assert exact[5] == 1


def test_wrong_answers_share_nothing_with_the_truth():
    given = scores(2, 60, measures=["hf"])
    labels, rng = given.scored, np.random.default_rng(0)
    wrong = wrong_answers(TREE, labels.truth, labels.systems["s0"], rng)
    for i in range(60):
        of = [{c for x in s.names_of(i, TREE) for c in [*TREE.ancestors(x), x]} - {"r"}
              for s in (labels.truth, wrong)]  # fmt: skip
        assert not of[0] & of[1]
    assert (wrong.lengths > 0).sum() > 10
    closed = [[*TREE.ancestors(x)[1:], x] for x in "cdefghgh"]
    named = score(TREE, ["e"] * 8, {"u": closed}, ["hf"]).scored
    found = wrong_answers(TREE, named.truth, named.systems["u"], rng)
    for i, above in enumerate(closed):
        new = found.names_of(i, TREE)
        assert len(new) == (0 if above[0] == "b" and not new else len(above))
        assert not new or new[0] == "a"


def test_planted_answers_are_found_the_more_the_more_there_are():
    given = scores(2, 400, measures=["hf", "subset_accuracy"])
    found = discrimination(given, sizes=[], planted=[0.0025, 0.01, 0.5], **{**FAST, "repeats": 30})
    assert found.planted_power[:, 0].tolist() == [0.0, 0.0]  # one answer has p = 1
    assert (np.diff(found.planted_power, axis=1) >= 0).all()
    assert found.planted_power[0, 2] == 1
    assert found.least_planted[0] == 0.5
    assert "Planted" in found.to_text()


def test_the_least_size_has_only_small_swap_rates_above_it():
    given = scores(2, 100, measures=["hf", "hr"])
    found = discrimination(given, sizes=[5, 10, 20, 40], planted=[], **FAST)
    rates = np.array([[0.2, 0.04, 0.06, 0.01], [0.3, 0.3, 0.3, 0.3]])
    object.__setattr__(found, "swap_rate", rates)
    assert found.minimum_size.tolist()[0] == 40
    assert np.isnan(found.minimum_size[1])
    assert "–" in found.to_text()


def test_the_same_seed_gives_the_same_table_and_sizes_have_defaults():
    given = kept(3, 120)
    one, same, other = (discrimination(given, seed=s, **FAST).to_json() for s in (1, 1, 2))
    assert one == same != other
    assert discrimination(given, **FAST).sizes == (25, 50, 60)
    weighted = scores(2, 60, measures=["hf"], sample_weight=np.arange(60))
    assert discrimination(weighted, **FAST).power.shape == (1,)


@pytest.mark.exhaustive
@pytest.mark.skipif(not (SHARED / "germeval2019").is_dir(), reason="no data of GermEval")
def test_the_table_of_germeval(monkeypatch):
    monkeypatch.setenv("HIERPAIR_DATA", str(SHARED))
    books = load_case("germeval2019-b")
    names = ["recall", "hf", "f", "lca_f", "hcm_f(average=samples)", "hcm_mcc(average=samples)", "gie",
             "mgia", "subset_accuracy", "symmetric_difference", "depth_accuracy(average=samples)"]  # fmt: skip
    given = score(books.hierarchy, books.y_true, books.systems, names)
    found = discrimination(given, sizes=[400, 2078], planted=[0.0025], n_bootstrap=50, repeats=10)
    assert found.power.round(9).tolist() == [1, 1, 1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.6, 0.6]
    power = [0.81, 0.56, 0.56, 0.59, 0.56, 0.62, 0.53, 0.52, 0.55, 0.36, 0.42]
    assert np.abs(found.power_by_n[:, 0] - power).max() < 0.04
    small = [0.04, 0.13, 0.13, 0.10, 0.13, 0.11, 0.15, 0.16, 0.13, 0.21, 0.19]
    large = [0, 0.01, 0.01, 0.04, 0.01, 0.06, 0.02, 0.06, 0.03, 0.17, 0.13]
    assert np.abs(found.swap_rate - np.stack([small, large], 1)).max() < 0.03
    needed = [135, 810, 888, 571, 725, 423, 1221, 1173, 842, 1149, 836]
    assert np.abs(found.median_needed / needed - 1).max() < 0.005
    planted = dict(zip(names, found.planted_power[:, 0], strict=True))
    assert planted.pop("subset_accuracy") < 0.35
    assert min(planted.values()) > 0.85
    assert found.contrast("recall", "symmetric_difference") == pytest.approx(0.125)
