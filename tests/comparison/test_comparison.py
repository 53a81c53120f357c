"""Comparing systems: every number against a slow recomputation, and tests of the tests."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from hierpair import BadInput, compare, score
from hierpair.comparison import (
    adjusted,
    agreement,
    cliffs_delta,
    cliques,
    differences_of,
    kendall_tau,
    rank_biserial,
    ranked,
    seed_interval,
    sign_test,
    signed_rank_test,
    spearman_rho,
    t_test,
)
from hierpair.comparison.common_scores import samples_of
from hierpair.comparison.samples import (
    EXCHANGES,
    RESAMPLES,
    Draws,
    bootstrap,
    exchange_p_values,
    on_grid,
    values_sample,
)
from hierpair.comparison.statistics import TESTS, bootstrap_interval
from hierpair.measures import measure
from tests.comparison import TREE, labels

MEASURES = [
    "subset_accuracy", "hf", "hf(average=micro)", "hf(average=macro)", "hp(average=weighted)", "gie",
    "symmetric_difference", "mgia", "lca_f(average=micro)", "f(average=micro)", "hcm_f", "hcm_mcc", "hcm_accuracy",
    "hp(zero_division=nan)", "contribution_f", "contribution_f(average=macro)",
    "contribution_accuracy(average=macro)", "contribution_accuracy(average=macro, classes=seen)",
    "contribution_precision(average=weighted, cost=wu_palmer, theta=0.4)", "depth_accuracy(average=micro)",
    "h_loss(costs=subtree)", "level_accuracy", "level_accuracy(average=micro)",
    "level_accuracy(absent_level='none-class', augment=none)", "leaf_accuracy", "level_hamming", "shortest_path",
]  # fmt: skip


@pytest.fixture(scope="module")
def data():
    return labels(60, 4, seed=5, step=0.15)


@pytest.fixture(scope="module")
def scored(data):
    truth, systems = data
    return score(TREE, truth, systems, MEASURES, keep_classes=True)


def check_draws(samples, counts, swaps, truth, systems, measures, weight=None):
    """What the matrix products give is what scoring resampled and exchanged labels gives."""
    again = np.repeat(np.arange(len(truth)), counts.astype(int))
    drawn = score(
        TREE, [truth[i] for i in again], {s: [y[i] for i in again] for s, y in systems.items()},
        measures, sample_weight=None if weight is None else weight[again],
    )  # fmt: skip
    one, *_, other = systems.values()
    both = zip(one, other, swaps, strict=True)
    x, y = zip(*((b, a) if swap else (a, b) for a, b, swap in both), strict=True)
    exchanged = score(TREE, truth, {"x": list(x), "y": list(y)}, measures, sample_weight=weight)
    for k, (s, resampled, turned) in enumerate(samples):
        assert s.pool(s.sums(resampled))[0] == pytest.approx(drawn.values[:, k], abs=1e-12)
        whole, moved = s.whole(), s.sums(turned)[0]
        shift = moved[-1] - moved[0]
        pooled = s.pool(np.stack([whole[0] + shift, whole[-1] - shift]))
        assert pooled == pytest.approx(exchanged.values[:, k], abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_resamples_and_exchanges_are_those_of_the_labels(data, weighted):
    truth, systems = data
    weight = np.random.default_rng(1).random(len(truth)) if weighted else None
    scores = score(TREE, truth, systems, MEASURES, keep_classes=True, sample_weight=weight)
    samples = samples_of(scores, [[s] for s in systems])
    found = np.stack([s.pool(s.whole()) for s in samples], axis=1)
    assert found == pytest.approx(scores.values, abs=1e-12)
    counts, swaps = (Draws(kind, 60, 3, 7).block(0)[:1] for kind in (RESAMPLES, EXCHANGES))
    drawn = [(s, counts, swaps) for s in samples]
    check_draws(drawn, counts[0], swaps[0], truth, systems, MEASURES, weight)


def test_all_exchanges_of_few_instances_are_tried():
    rng = np.random.default_rng(0)
    x, y = rng.random(9), rng.random(9)
    found = exchange_p_values([values_sample(np.stack([x, y], 1))], np.array([[0, 1]]), 1000, 0)
    known = stats.permutation_test(
        (x, y), lambda a, b: np.mean(a) - np.mean(b), permutation_type="samples",
        n_resamples=np.inf,
    )  # fmt: skip
    assert found[0, 0] == pytest.approx(known.pvalue)


def test_bca_is_scipys():
    rng = np.random.default_rng(2)
    x = rng.exponential(1, 40)
    sample = values_sample(x[:, None])
    rounds = bootstrap([sample], 20_000, 0)[0]
    low, high = bootstrap_interval(rounds, 0.9, sample.scores(), sample.left_out())
    known = stats.bootstrap((x,), np.mean, confidence_level=0.9, n_resamples=20_000, method="BCa",
                            random_state=np.random.default_rng(0)).confidence_interval  # fmt: skip
    assert (low[0], high[0]) == pytest.approx((known.low, known.high), abs=0.02)


@pytest.mark.exhaustive
@pytest.mark.parametrize("test", [t for t in TESTS if t != "runs"])
def test_identical_systems_give_one(test, data):
    truth, systems = data
    twins = {"x": systems["s1"], "y": list(systems["s1"]), "z": systems["s3"]}
    found = compare(score(TREE, truth, twins, MEASURES, keep_classes=True), test=test,
                    n_permutations=300, n_bootstrap=300)  # fmt: skip
    assert (found.p[:, 0, 1] == 1).all()
    assert (found.p_adjusted[:, 0, 1] == 1).all()
    assert (found.effect[:, 0, 1] == 0).all()
    assert (found.wins[:, 0, 1] == 0).all()
    assert (found.difference_low[:, 0, 1] == 0).all()
    assert (found.ranks[0] == found.ranks[1]).all()


@pytest.mark.parametrize("test", [t for t in TESTS if t != "runs"])
def test_one_instance_and_nothing_is_nan(test):
    scores = score(TREE, [["g"]], {"x": [["g"]], "y": [["h"]]}, MEASURES, keep_classes=True)
    found = compare(scores, test=test, n_bootstrap=20)
    assert (found.p == 1).all() or test == "sign_normal"  # eq. 6 is for more than a dozen
    assert (found.p > 0.3).all()
    assert (found.ranks == 1).all()
    for matrix in (found.low, found.high, found.difference_low, found.difference_high,
                   found.effect):  # fmt: skip
        assert not np.isnan(matrix).any()


def test_known_values():
    rng = np.random.default_rng(9)
    for n in (6, 30, 200):
        x, y = rng.random(n), rng.random(n)
        d = differences_of(x, y)
        assert t_test(d) == pytest.approx(stats.ttest_rel(x, y).pvalue)
        method = "exact" if n <= 50 else "approx"
        known = stats.wilcoxon(x, y, method=method).pvalue
        assert signed_rank_test(d) == pytest.approx(known)
        assert sign_test(d) == pytest.approx(stats.binomtest(int((x > y).sum()), n).pvalue)
        z = ((x > y).sum() - 0.5 * n) / (0.5 * np.sqrt(n))
        assert sign_test(d, exact=False) == pytest.approx(2 * stats.norm.sf(abs(z)))
        brute = np.sign(x[:, None] - y).mean()
        assert cliffs_delta(x, y) == pytest.approx(brute)
        ranks = stats.rankdata(np.abs(x - y))
        assert rank_biserial(d) == pytest.approx((ranks * np.sign(x - y)).sum() / ranks.sum())
    p = rng.random(20) ** 3
    assert adjusted(p, "bh") == pytest.approx(stats.false_discovery_control(p))
    assert adjusted(p, "bonferroni") == pytest.approx(np.minimum(1, 20 * p))
    mean, half = seed_interval(x[:5])
    known = stats.t.interval(0.95, 4, loc=x[:5].mean(), scale=stats.sem(x[:5]))
    assert (mean - half, mean + half) == pytest.approx(known)


def test_rank_correlations_are_scipys():
    rng = np.random.default_rng(12)
    for _ in range(200):
        x, y = rng.integers(0, 5, (2, 8))
        if len(set(x)) > 1 and len(set(y)) > 1:
            assert kendall_tau(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)
            assert spearman_rho(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    assert np.isnan(kendall_tau([1, 1], [1, 2]))
    assert np.isnan(spearman_rho([1, 1], [1, 2]))
    assert kendall_tau([1, 2, 2], [1, 2, 3], "a") == pytest.approx(2 / 3)
    with pytest.raises(BadInput, match="nan"):
        kendall_tau([1, np.nan], [1, 2])
    with pytest.raises(BadInput, match="variant"):
        kendall_tau([1, 2], [1, 2], "c")


# ---------------------------------------------------------------------------------- the result


def test_direction_of_errors(data):
    """Of an error less is better: rank, effect, wins, marks and agreement know it."""
    truth, systems = data
    found = compare(
        score(
            TREE,
            truth,
            {"bad": systems["s3"], "good": truth},
            ["hf", "gie", "symmetric_difference"],
        )
    )
    assert found.ranks.tolist() == [[2, 2, 2], [1, 1, 1]]
    assert (found.effect[:, 1, 0] > 0).all()
    assert (found.effect[:, 0, 1] < 0).all()
    assert (found.wins[:, 1, 0] > 0).all()
    assert (found.wins[:, 0, 1] == 0).all()
    assert found.difference[0, 1, 0] > 0 > found.difference[1, 1, 0]
    assert {row["better"] for row in found.records(pairs=True).to_dicts()} == {"good"}
    assert (agreement(found.scores).values == 1).all()
    bold = [line for line in found.to_latex().splitlines() if r"\textbf" in line]
    assert len(bold) == 1
    assert bold[0].startswith("good")


@pytest.mark.exhaustive
@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_same_seed_same_numbers_whatever_the_processes(data, interval, monkeypatch):
    truth, systems = data
    of_classes = ("macro", "weighted")
    measures = [m for m in MEASURES if measure(m).options["average"] not in of_classes]
    scores = score(TREE, truth, systems, measures)
    monkeypatch.setattr("hierpair.comparison.samples.BLOCK_CELLS", 2_000)
    one, again, other = (
        compare(
            scores, n_permutations=400, n_bootstrap=300, n_jobs=jobs, seed=seed, interval=interval
        )
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    two = json.loads(one.to_json())
    assert json.loads(again.to_json()) == two
    assert json.loads(other.to_json()) != two


def test_several_runs(data):
    truth, _ = data
    rng = np.random.default_rng(3)
    other = labels(60, 8, seed=3)[1].values()
    wrong = zip("AAAABBBB", 2 * [*range(4)], [0.1] * 4 + [0.7] * 4, other, strict=True)
    named = {f"{s}-{r}": [o if rng.random() < q else t for t, o in zip(truth, y, strict=True)]
             for s, r, q, y in wrong}  # fmt: skip
    scores = score(TREE, truth, named, ["hf", "hf(average=micro)", "gie"])
    runs = {s: [f"{s}-{r}" for r in range(4)] for s in "AB"}
    found = compare(scores, runs=runs, n_permutations=500, n_bootstrap=300)
    assert found.systems == ("A", "B")
    assert found.values[0] == pytest.approx(scores.values[:4].mean(axis=0))
    half = stats.t.ppf(0.975, 3) * stats.sem(scores.values[:4, 0])
    assert found.high[0, 0] - found.values[0, 0] == pytest.approx(half)
    assert found.ranks.tolist() == [[1, 1, 1], [2, 2, 2]]
    assert "means over 4 runs" in str(found)
    welch = compare(scores, runs=runs, test="runs", n_bootstrap=20)
    known = stats.ttest_ind(scores.values[:4, 0], scores.values[4:, 0], equal_var=False).pvalue
    assert welch.p[0, 0, 1] == pytest.approx(known)


def test_nan_values_are_left_out():
    truth = [["g"], [], ["e"], ["a"]] * 10
    x, y = [["g"], ["g"], [], ["a"]] * 10, [[], [], ["f"], ["b"]] * 10
    scores = score(TREE, truth, {"x": x, "y": y}, ["precision(zero_division=nan)"])
    assert np.isnan(scores.per_instance["x"]).any()
    found = compare(scores, n_permutations=500, n_bootstrap=100)
    for matrix in (found.p, found.low, found.high, found.effect, found.difference_low):
        assert not np.isnan(matrix).any()
    for test in ("sign", "wilcoxon", "t"):
        assert not np.isnan(compare(scores, test=test, n_bootstrap=20).p).any()


@pytest.mark.exhaustive
def test_scores_that_were_made_apart(data, scored):
    truth, systems = data
    parts = [score(TREE, truth, {s: y}, MEASURES, keep_classes=True) for s, y in systems.items()]
    kw = {"n_permutations": 50, "n_bootstrap": 50}
    assert compare(parts, **kw).to_json() == compare(scored, **kw).to_json()


def test_all_measures_that_average_over_classes_count_by_class():
    """So that all measures, and those that are scored by default, can be compared."""
    from hierpair.measures import counts_classes, measures_of

    told = [
        counts_classes(measure(name, average=average).recipe)
        for name, definition in measures_of("labels").items()
        for average in definition.averages
        if average in ("macro", "weighted") and not definition.by_true_class
    ]
    assert len(told) > 20
    assert all(told)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_default_measures_can_be_compared(data, test):
    from hierpair.evaluation.checked import default_measures

    truth, systems = data
    scores = score(TREE, truth, systems, keep_classes=True)
    found = compare(scores, test=test, n_permutations=50, n_bootstrap=50)
    assert [m.name for m in found.measures] == list(default_measures())
    assert not np.isnan(found.p).any()
    pooled = [s.pool(s.whole()) for s in samples_of(scores, [[s] for s in systems])]
    assert np.stack(pooled, axis=1) == pytest.approx(scores.values, abs=1e-12)


def test_levels_that_nobody_is_judged_at():
    """No true label at all: nothing is judged, which the sums of nothing say too."""
    scores = score(TREE, [[], []], {"x": [["g"], []], "y": [[], []]}, ["level_accuracy"],
                   keep_classes=True)  # fmt: skip
    (sample,) = samples_of(scores, [["x"], ["y"]])
    assert sample.pool(sample.whole()).tolist() == scores.values[:, 0].tolist()
    assert (compare(scores, n_bootstrap=20).p == 1).all()


def test_sums_on_the_grid_are_exact():
    rng = np.random.default_rng(0)
    for scale in (1.0, 7.3, 1e-6, 1e9):
        x = on_grid(rng.random((5000, 1)) * scale)[:, 0]
        from math import fsum

        assert float(x.sum()) == fsum(x) == float(x[::-1].sum()) == float(np.ones(5000) @ x)
    whole = np.arange(10.0)[:, None]
    assert on_grid(whole) is whole


def test_ranks_and_corrections():
    differ = np.zeros((4, 4), bool)
    differ[0, 2] = differ[2, 0] = differ[0, 3] = differ[3, 0] = True
    assert ranked([4, 3, 2, 1], differ).tolist() == [1, 1, 3, 3]
    assert ranked([4, 3, 2, 1], differ, dense=True).tolist() == [1, 1, 2, 2]
    assert ranked([1, 1, 1]).tolist() == [1, 1, 1]
    assert cliques([4, 3, 2, 1], differ) == [[0, 1], [1, 2, 3]]
    for wrong, message in (([1, np.nan], "no nan"), ([1, 2, [[True]]], "shape")):
        with pytest.raises(BadInput, match=message):
            ranked(wrong[:2], *wrong[2:])
    rng = np.random.default_rng(0)
    for _ in range(20):
        p, slow, most = rng.random(7) ** 3, {}, 0.0
        for k, i in enumerate(np.argsort(p)):
            slow[i] = most = max(most, min(1.0, p[i] * (7 - k)))
        assert adjusted(p) == pytest.approx([slow[i] for i in range(7)])


def test_there_are_enough_exchanges_to_find_anything(data):
    truth, _ = data
    wrong = [["b"] if t != ["b"] else ["a"] for t in truth]
    systems = {f"s{k}": truth if k % 2 else wrong for k in range(40)}
    scores = score(TREE, truth, systems, ["hf"])
    few = compare(scores, n_bootstrap=20, n_permutations=1_000)
    assert few.plan.resolved(780, 1).n_permutations == 1_000
    assert replace(few.plan, n_permutations=None).resolved(780, 1).n_permutations == 31_200
    assert not few.significant.any()
    assert any("too few for 780 comparisons" in note for note in few.notes)


def test_every_system_against_a_baseline(data):
    truth, systems = data
    scores = score(TREE, truth, systems, ["hf", "gie"])
    how = {"n_permutations": 300, "n_bootstrap": 100}
    whole, found = compare(scores, **how), compare(scores, baseline="s1", **how)
    others = [0, 2, 3]
    for k in range(2):
        p = whole.p[k, others, 1]
        assert found.p[k, others, 1].tolist() == found.p[k, 1, others].tolist() == p.tolist()
        assert found.p_adjusted[k, others, 1].tolist() == adjusted(p).tolist()
        assert np.isnan(found.p[k][np.ix_(others, others)]).sum() == 6
        assert found.ranks[:, k].tolist() == ranked(found.upwards[:, k]).tolist()
    rows = found.records(pairs=True).to_dicts()
    assert [(r["system"], r["other"]) for r in rows] == [(f"s{i}", "s1") for i in others] * 2
    for r, i in zip(rows, others * 2, strict=True):
        k = found.measure_number(r["measure"])
        assert r["low"] == pytest.approx(whole.difference_low[k, i, 1], abs=1e-12)
        assert (r["wins"], r["losses"]) == (whole.wins[k, i, 1], whole.wins[k, 1, i])
    for i in others:
        (line,) = (x for x in found.to_text().splitlines()[:9] if x.startswith(f"s{i}"))
        for k, cell in enumerate(re.findall(r"([*†]?) \(\d\)", line)):
            better = found.upwards[i, k] > found.upwards[1, k]
            assert cell == ("*" if better else "†") * int(found.significant[k, i, 1])
    assert "baseline=s1," in found.signature
    assert json.loads(found.to_json())["settings"]["baseline"] == "s1"


def test_intervals_and_what_latex_shows(scored):
    """Intervals turn round; LaTeX has no numbers of labels, and intervals with pairs or if asked."""
    found = compare(scored, n_permutations=20, n_bootstrap=200)
    low, high, turn = found.difference_low, found.difference_high, (0, 2, 1)
    assert (found.difference == -found.difference.transpose(turn)).all()
    assert (low == -high.transpose(turn)).all()
    means = [k for k, m in enumerate(scored.measures) if m.options["average"] != "macro"]
    assert ((low <= found.difference) & (found.difference <= high))[means].mean() > 0.95
    assert (found.low <= found.high).all()
    text = found.to_text()
    assert all(word in text for word in ("labels", "(truth)", "intervals ("))
    for how, n_tables in (({}, 1), ({"intervals": True}, 2), ({"pairs": True}, 3)):
        latex = found.to_latex(**how)
        assert not any(word in latex for word in ("labels \\\\", "(truth)"))
        assert latex.count("\\begin{tabular}") == n_tables
    assert "intervals (" not in found.to_text(intervals=False)
