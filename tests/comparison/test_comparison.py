"""Comparing systems, by instances and by blocks: every number against a slow recomputation."""

import json
import re
from dataclasses import replace
from inspect import Parameter, signature
from math import fsum

import numpy as np
import pytest
import scipy
from scipy import stats

from hierpair import BadInput, Hierarchy, compare, comparison, score
from hierpair.comparison import agreement, by_depth, samples, sensitivity
from hierpair.comparison import statistics as found_by
from hierpair.comparison.common_scores import samples_of
from hierpair.comparison.samples import EXCHANGES, RESAMPLES, ClassSample, Draws, Sample
from hierpair.comparison.statistics import adjusted, kendall_tau, ranked, sign_test
from hierpair.evaluation import merge, partial
from hierpair.evaluation.sums import block_numbers
from hierpair.plots import save_picture
from hierpair.report import report_html
from tests import effort
from tests.comparison import TREE, labels, part_of

MEASURES = [
    "subset_accuracy", "hf", "hf(average=micro)", "hf(average=macro)", "hp(average=weighted)", "gie",
    "symmetric_difference", "mgia", "lca_f(average=micro)", "f(average=micro)", "hcm_f", "hcm_mcc", "hcm_accuracy",
    "hp(zero_division=nan)", "contribution_f", "contribution_f(average=macro)",
    "contribution_accuracy(average=macro)", "contribution_accuracy(average=macro, classes=seen)",
    "contribution_precision(average=weighted, cost=wu_palmer, theta=0.4)", "depth_accuracy(average=micro)",
    "h_loss(costs=subtree)", "level_accuracy", "level_accuracy(average=micro)",
    "level_accuracy(absent_level='none-class', augment=none)", "leaf_accuracy", "level_hamming", "shortest_path",
]  # fmt: skip
OF_PAIRS = [t for t in found_by.TESTS if t != "runs"]


def part(rows, kept):
    return [rows[i] for i in kept]


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
    sides = {s: part(y, again) for s, y in systems.items()}
    heavy = None if weight is None else weight[again]
    drawn = score(TREE, part(truth, again), sides, measures, sample_weight=heavy)
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
    samples = samples_of(scores, [[s] for s in systems])[0].values()
    assert any(s.tables for s in samples if isinstance(s, ClassSample)) != weighted
    found = np.stack([s.pool(s.whole()) for s in samples], axis=1)
    assert found == pytest.approx(scores.values, abs=1e-12)
    counts, swaps = (Draws(kind, 60, 3, 7).block(0)[:1] for kind in (RESAMPLES, EXCHANGES))
    drawn = [(s, counts, swaps) for s in samples]
    check_draws(drawn, counts[0], swaps[0], truth, systems, MEASURES, weight)


def test_bca_is_scipys(data):
    scores = score(TREE, *data, "hf")
    ends = [
        compare(scores, n_permutations=9, n_bootstrap=99, interval=name).low.tolist()
        for name in ("bca", "percentile")
    ]
    assert ends[0] != ends[1]
    rng = np.random.default_rng(2)
    x = rng.exponential(1, 40)
    sample = samples.values_sample(x[:, None])
    rounds = samples.bootstrap([sample], 20_000, 0)[0]
    low, high = found_by.bootstrap_interval(rounds, 0.9, sample.scores(), sample.linear_values())
    known = stats.bootstrap((x,), np.mean, confidence_level=0.9, n_resamples=20_000, method="BCa",
                            random_state=np.random.default_rng(0)).confidence_interval  # fmt: skip
    assert (low[0], high[0]) == pytest.approx((known.low, known.high), abs=0.01)
    for whole in (rounds.min() - 1, rounds.max() + 1):  # what no resample comes near to
        ends = found_by.bootstrap_interval(rounds, 0.9, whole, x[:, None])
        turned = found_by.bootstrap_interval(-rounds, 0.9, -whole, -x[:, None])
        assert turned == pytest.approx(-ends[::-1])


def test_bca_of_what_is_not_defined_without_an_instance_is_not_known():
    sides = {"x": [["a"], [], []], "y": [["b"], ["b"], ["b"]]}
    scores = score(TREE, [["a"], ["b"], ["b"]], sides, ["hp(average=micro,zero_division=nan)"])
    found = compare(scores, interval="bca", n_bootstrap=20)
    assert np.isnan(found.low[:, 0]).tolist() == [True, False]


def test_exchanges_after_which_no_class_has_weight():
    """They change places on all instances or none, or both predict the class, which is wrong."""
    sides = {"x": [["a"]] * 3, "y": [[]] * 3}
    measures = ["hp(average=weighted,zero_division=1)"]
    scores = score(TREE, [[], [], []], sides, measures, keep_classes=True)
    assert compare(scores, n_bootstrap=9).p[0, 0, 1] == 2 / 8


@pytest.mark.parametrize("entry", [3.0, 4_000.0, 2.0**40, np.inf])
@pytest.mark.parametrize("n_draws", [1, 7])
def test_sums_in_few_bits_are_sums(entry, n_draws):
    """In 16 and in 32 bits, as floats, and of numbers that are not whole; also below zero."""
    rng = np.random.default_rng(n_draws)
    whole = rng.integers(-1, 2, (50, 9)) * (entry if np.isfinite(entry) else 0.5)
    draws = rng.integers(0, 5, (n_draws, 50)).astype(float)
    found = samples.summed(draws, scipy.sparse.csc_array(whole))
    assert found.dtype == {3.0: np.int16, 4_000.0: np.int32}.get(entry, np.float64)
    assert found.tolist() == (whole.T @ draws.T).tolist()


def test_known_values():
    rng = np.random.default_rng(9)
    for n in (6, 30, 200):
        x, y = rng.random(n), rng.random(n)
        d = found_by.differences_of(x, y)
        assert found_by.t_test(d) == pytest.approx(stats.ttest_rel(x, y).pvalue)
        known = stats.wilcoxon(x, y, method="exact" if n <= 50 else "approx").pvalue
        assert found_by.signed_rank_test(d) == pytest.approx(known)
        assert sign_test(d) == pytest.approx(stats.binomtest(int((x > y).sum()), n).pvalue)
        z = ((x > y).sum() - 0.5 * n) / (0.5 * np.sqrt(n))
        assert sign_test(d, exact=False) == pytest.approx(2 * stats.norm.sf(abs(z)))
        assert found_by.cliffs_delta(x, y) == pytest.approx(np.sign(x[:, None] - y).mean())
        ranks = stats.rankdata(np.abs(x - y))
        known = (ranks * np.sign(x - y)).sum() / ranks.sum()
        assert found_by.rank_biserial(d) == pytest.approx(known)
        p = rng.random(n) ** 3
        slow = [max(min(1, q * (p >= q).sum()) for q in p if q <= one) for one in p]
        assert adjusted(p) == pytest.approx(slow)
        assert adjusted(p, "bh") == pytest.approx(stats.false_discovery_control(p))
        assert adjusted(p, "bonferroni") == pytest.approx(np.minimum(1, n * p))
        exact = samples.on_grid(x[:, None] * 10 ** rng.uniform(-6, 9))[:, 0]
        assert float(exact.sum()) == fsum(exact) == float(exact[::-1].sum())
        u, v = rng.integers(0, 5, (2, n))
        assert kendall_tau(u, v) == pytest.approx(stats.kendalltau(u, v).statistic)
        rho = found_by.rank_correlations(np.array([[u, v]]), "spearman")[0, 0, 1]
        assert rho == pytest.approx(stats.spearmanr(u, v).statistic)
    assert kendall_tau([1, 2, 2], [1, 2, 3], "a") == pytest.approx(2 / 3)
    assert np.isnan(kendall_tau([1, 1], [1, 2]))
    assert found_by.cliffs_delta([], [1]) == 0


def test_ranks_and_cliques():
    differ = np.array([[0, 0, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], bool)
    assert ranked([4, 3, 2, 1], differ).tolist() == [1, 1, 3, 3]
    assert found_by.cliques([4, 3, 2, 1], differ) == [[0, 1], [1, 2, 3]]


def test_direction_of_errors(data):
    """Of an error less is better: rank, effect, wins, marks and agreement know it."""
    truth, systems = data
    sides = {"bad": systems["s3"], "good": truth}
    found = compare(score(TREE, truth, sides, ["hf", "gie", "symmetric_difference"]))
    assert found.ranks.tolist() == [[2, 2, 2], [1, 1, 1]]
    assert np.sign(found.effect[:, [1, 0], [0, 1]]).tolist() == [[1, -1]] * 3
    assert np.sign(found.wins[:, [1, 0], [0, 1]]).tolist() == [[1, 0]] * 3
    assert found.difference[0, 1, 0] > 0 > found.difference[1, 1, 0]
    delta = compare(found.scores, effect="cliffs_delta", n_bootstrap=9).effect[0, 1, 0]
    sides = (found.scores.per_instance[s][:, 0] for s in ("good", "bad"))
    assert delta == found_by.cliffs_delta(*sides) != found.effect[0, 1, 0]
    with pytest.raises(TypeError, match="pair"):
        found.to_csv(pair=True)
    assert {row["better"] for row in found.records(pairs=True).to_dicts()} == {"good"}
    assert f"{found.p[0, 0, 1]:.6f}" in found.to_text(digits=6, pairs=True)
    assert (agreement(found.scores).values == 1).all()
    (bold,) = (line for line in found.to_latex().splitlines() if r"\textbf" in line)
    assert bold.startswith("good")


@pytest.mark.parametrize("test", OF_PAIRS)
def test_identical_systems_and_one_instance(test, data):
    truth, systems = data
    twins = {"x": systems["s1"], "y": list(systems["s1"]), "z": systems["s3"]}
    scores = score(TREE, truth, twins, MEASURES, keep_classes=True)
    found = compare(scores, test=test, n_permutations=100, n_bootstrap=100)
    alike = {"p": 1, "p_adjusted": 1, "effect": 0, "wins": 0, "difference_low": 0}
    for name, value in alike.items():
        assert (getattr(found, name)[:, 0, 1] == value).all(), name
    assert (found.ranks[0] == found.ranks[1]).all()
    pooled = ", ".join(m.name for m in scores.measures if m.average != "samples")
    told = any(f"instances, and {pooled} are pooled otherwise" in note for note in found.notes)
    assert told == (test in found_by.OF_INSTANCES)
    for name in ("p", "low", "high", "difference_low"):  # nan of instances is left out
        assert not np.isnan(getattr(found, name)).any(), name
    scores = score(TREE, [["g"]], {"x": [["g"]], "y": [["h"]]}, MEASURES, keep_classes=True)
    found = compare(scores, test=test, n_bootstrap=20)
    assert (found.p == 1).all() or test == "sign_normal"  # eq. 6 is for more than a dozen
    assert (found.p > 0.3).all()
    assert (found.ranks == 1).all()
    listed = any("all 2 exchanges" in note for note in found.notes)
    assert listed == (test == "permutation")


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
    one, other = scores.values[:4], scores.values[4:]
    assert found.systems == ("A", "B")
    assert found.runs == {s: tuple(of) for s, of in runs.items()}
    assert found.values[0] == pytest.approx(one.mean(axis=0))
    ends = stats.t.interval(0.95, 3, loc=one.mean(axis=0), scale=stats.sem(one))
    assert np.stack([found.low[0], found.high[0]]) == pytest.approx(np.stack(ends))
    assert found.ranks.tolist() == [[1, 1, 1], [2, 2, 2]]
    assert "means over 4 runs with 95 % t intervals" in str(found)
    assert ",level=0.95,interval=t,bootstrap=300,effect=rank_biserial,seed=0)" in found.signature
    welch = compare(scores, runs=runs, test="runs", n_bootstrap=20)
    known = stats.ttest_ind(one, other, equal_var=False).pvalue
    assert welch.p[:, 0, 1] == pytest.approx(known)


@pytest.mark.parametrize(("function", "usual"), [
    (compare, ["permutation", "holm", "measure", 0.05, 0.95, "percentile", "rank_biserial", 2000, 0, 1]),
    (agreement, ["kendall_b", "systems", 2000, 0.95, 0, 1]), (sensitivity, ["permutation"]), (comparison.differ, [10]),
    (comparison.discrimination, [0.05, 0.8, 0.05, 200, 20, 2000, 1000, 0.95, 0, 1]), (comparison.perturbed, [0, "error"]),
    (comparison.respond, [1, 0, 2000, 0.95, "error", 1]), (report_html, [5, True, True, ()]), (save_picture, [300]),
])  # fmt: skip
def test_numbers_of_last_year_are_found_again(function, usual):
    """Another default would give other numbers to who asks for none."""
    known = [p.default for p in signature(function).parameters.values()]
    assert [x for x in known if x not in (None, Parameter.empty)] == usual


def test_there_are_enough_exchanges_to_find_anything(data):
    truth, _ = data
    wrong = [["b"] if t != ["b"] else ["a"] for t in truth]
    systems = {f"s{k}": truth if k % 2 else wrong for k in range(40)}
    few = compare(score(TREE, truth, systems, "hf"), n_bootstrap=20, n_permutations=1_000)
    assert few.plan.resolved(780, 1).n_permutations == 1_000
    assert replace(few.plan, n_permutations=None).resolved(780, 1).n_permutations == 31_200
    assert replace(few.plan, correction="bh").smallest_factor(780, 1) == 1
    assert not few.significant.any()
    assert any(
        "too few rounds (1,000) for 780 comparisons: no adjusted" in note for note in few.notes
    )


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
    assert json.loads(found.to_json())["baseline"] == "s1"


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


TABLED = [
    *(f"{name}(average={average}{more})" for name in ("hf", "hp", "precision", "recall")
      for average in ("macro", "weighted") for more in ("", ", zero_division=1", ", zero_division=nan")),
    "contribution_precision(average=macro)", "contribution_accuracy(average=macro)",
    "contribution_accuracy(average=macro, classes=seen)", "contribution_accuracy(average=weighted)",
    "level_accuracy", "constrained_f(average=macro)",
]  # fmt: skip


@pytest.mark.random_cases
def test_tables_say_what_formulas_say(monkeypatch):
    """By tables and by the formula, as limits have it, alone and together; not of huge or broken weights."""
    for seed in range(effort.cases(48)):
        rng = np.random.default_rng(seed)
        truth, systems = labels(40, 3, seed=seed, least=seed % 2)
        scale = (None, 1.0, 2.0**62, 0.3)[seed % 4]
        weight = None if scale is None else rng.integers(0, 4, 40) * scale
        scores = score(TREE, truth, systems, TABLED, keep_classes=True, sample_weight=weight)
        groups, pairs = [[s] for s in systems], np.array([[0, 1], [2, 0], [1, 2]])
        if seed % 3 == 0:  # runs
            groups, pairs = [["s0", "s1"], ["s2", "s1"]], np.array([[0, 1]])
        draws = Draws(EXCHANGES, 40, 64, seed).block(0)
        monkeypatch.setattr(samples, "MOST_STATES", (2**14, 20, 60, 300)[seed // 4 % 4])
        tabled = 0
        for sample, m in zip(samples_of(scores, groups)[0].values(), scores.measures, strict=True):
            tabled += getattr(sample, "tables", None) is not None
            gaps = (how.gaps(sample, draws, pairs) for how in (type(sample), Sample))
            found, plain = (np.concatenate([*each]) for each in gaps)
            assert found == pytest.approx(plain, rel=1e-12, abs=1e-12, nan_ok=True), m.name
        assert tabled > len(scores.measures) / 2 if seed < 2 else not tabled or seed % 4 < 2


# ----------------------------------------------------------------------------- blocks

BLOCK_MEASURES = ["hf", "gie", "hp(zero_division=nan)", "hf(average=micro)", "f(average=micro)",
                  "lca_f(average=micro)"]  # fmt: skip
BY_CLASS = ["hf(average=macro)", "hp(average=weighted)"]
BLOCKED = labels(300, 3)
WHOLE = np.arange(300)


def parts_of(truth, systems, cuts=(WHOLE,), measures=BLOCK_MEASURES, *, weight=None, **how):
    heavy = [None if weight is None else weight[cut] for cut in cuts]
    own = [{"part": f"part {k}", "sample_weight": of} for k, of in enumerate(heavy)]
    each = ((cut, {"blocks": 40, **how, **more}) for cut, more in zip(cuts, own, strict=True))
    return [part_of(truth, systems, measures, cut, **more) for cut, more in each]


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_same_bits_for_any_partition_and_any_order(test):
    """And any number of processes; another seed is another comparison."""
    rng = np.random.default_rng(1)
    weight = rng.random(300)
    how = {"test": test, "n_permutations": 100, "n_bootstrap": 60, "seed": 4}
    (whole,) = parts_of(*BLOCKED, weight=weight)
    wanted = compare(whole, **how)
    cuts = np.split(rng.permutation(300), sorted(rng.choice(300, 4)))
    parts = parts_of(*BLOCKED, cuts, weight=weight)
    merged = merge(*(parts[k] for k in rng.permutation(len(parts))))
    found = compare(merged, **how)
    assert compare(merged.scores(), n_jobs=2, **how).to_json() == found.to_json()
    assert found.to_json() == wanted.to_json()
    assert compare(whole, **how | {"seed": 5}).low.tolist() != wanted.low.tolist()


def test_what_is_told_while_systems_are_compared_rises_to_the_whole(scored, monkeypatch):
    monkeypatch.setattr(samples, "BLOCK_CELLS", 1)  # blocks of as few rows as there may be
    steps, asked = {}, {"n_permutations": 30, "n_bootstrap": 20}
    compare(scored, **asked, on_progress=lambda what, *at: steps.setdefault(what, []).append(at))
    assert {*steps} == {"exchanges", "bootstrap"}
    for told in steps.values():
        done, whole = map(list, zip(*told, strict=True))
        assert (done[0], done[-1], len({*whole})) == (0, whole[0], 1)
        assert len(done) > 2
        assert done == sorted({*done})


@pytest.mark.parametrize("weighted", [False, True])
def test_resampled_and_exchanged_blocks_are_those_of_the_labels(weighted):
    rng = np.random.default_rng(2)
    weight = rng.random(300) if weighted else None
    (one,) = parts_of(*BLOCKED, weight=weight)
    numbers = block_numbers([f"i{i}" for i in WHOLE], 40)
    occupied, row = np.unique(numbers, return_inverse=True)
    counts, swaps = (rng.integers(0, n, (1, len(occupied))) * 1.0 for n in (3, 2))
    drawn = [
        (s, counts, swaps) for s in samples_of(one.scores(), [["s0"], ["s1"], ["s2"]])[0].values()
    ]
    check_draws(drawn, counts[0, row], swaps[0, row], *BLOCKED, BLOCK_MEASURES, weight)


def test_with_an_instance_in_every_block_it_is_the_comparison_of_instances():
    """All exchanges of 12 instances, and of 12 blocks with one each."""
    truth, systems = labels(12, 3, seed=3)
    how = {"correction": "none", "n_bootstrap": 4_000}
    found = compare(*parts_of(truth, systems, [np.arange(12)], blocks=9_999), **how)
    wanted = compare(score(TREE, truth, systems, BLOCK_MEASURES), **how)
    assert found.n_blocks == 12
    assert "all 4,096 exchanges" in "\n".join(found.notes)
    assert found.p.tolist() == wanted.p.tolist()
    assert found.values.tolist() == wanted.values.tolist()
    assert found.high - found.low == pytest.approx(wanted.high - wanted.low, rel=0.15)


def test_what_blocks_do_not_tell_is_left_out_and_said():
    measures = ["hf", *BY_CLASS, "hf(average=micro)", "total_cost(cost=hops)"]
    truth, systems = BLOCKED
    first = {s: [(y or ["a"])[:1] for y in rows] for s, rows in systems.items()}
    (one,) = parts_of([y[:1] for y in truth], first, measures=measures, keep_worst=2)
    found = compare(one, n_bootstrap=20, n_permutations=20)
    assert [m.name for m in found.measures] == ["hf", "hf(average='micro')"]
    assert found.values.tolist() == one.scores().values[:, [0, 3]].tolist()
    assert (found.effect, found.wins, found.n_blocks) == (None, None, 40)
    by_class, total = found.left_out
    some = "hf(average='macro'), hp(average='weighted')"
    assert by_class.startswith(f"{some}: not compared, since no s")
    assert total.startswith("total_cost: not compared, since it grows with the number of instances")
    (told,) = (note for note in found.notes if "blocks" in note and "not compared" not in note)
    assert told.startswith("resampled and exchanged are 40 blocks of instances, not instances: sta")
    assert "known to about 11 %" in told
    data = json.loads(found.to_json())
    assert {by_class, total} <= {*found.notes} & {*data["notes"]}
    assert data["n_blocks"] == 40
    assert "blocks=40,seed=0)" in found.signature
    assert "effect=" not in found.signature
    assert not {"wins", "losses", "ties", "effect"} & found.records(pairs=True).to_dicts()[0].keys()
    shown = found.to_text(pairs=True)
    assert "intervals (percentile bootstrap of 40 blocks)" in shown
    assert "wins  " not in shown


# ----------------------------------------------------------------------------- instances without a pairing

SMALL = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
TRUTH = [["c"], ["c"], ["b"], ["d"]] * 5
FAILS = [["a", "c"], ["c"], ["b"], ["c"]] * 5
"""No pairing for every fourth instance, which is hard."""
WORKS = [["b"], ["c"], ["b"], ["d"]] * 4 + [["b"], ["a"], ["b"], ["d"]]
BOTH = {"fails": FAILS, "works": WORKS}
PAIRED = [
    "tree_induced_error",
    *(f"{kind}_cost(cost=hops)" for kind in ("total", "mean", "normalised")),
]
COMMON = [i for i in range(len(TRUTH)) if i % 4]


def left_out(systems, measures, truth=TRUTH, **how):
    return score(SMALL, truth, systems, measures, on_infeasible="nan", **how)


@pytest.mark.parametrize(("truth", "systems", "best", "n"), [
    (TRUTH, BOTH, False, 15),  # as many left out are not the same ones; the same have a best one
    ([["c"], ["b"], ["b"], ["c"]] * 5, {"fails": FAILS, "late": FAILS[::-1]}, False, 10),
    (TRUTH, {"fails": FAILS, "too": [*FAILS[:1], ["c"], ["r"], *FAILS[3:]]}, True, 15),
])  # fmt: skip
def test_no_system_is_best_where_values_are_of_different_instances(truth, systems, best, n):
    found = left_out(systems, "tree_induced_error", truth)
    assert found.infeasible_at["fails", "tree_induced_error"].tolist() == [*range(0, 20, 4)]
    told = "the values are not over the same instances, so no system is marked as the best"
    for text in (found.to_text(), found.to_markdown(), *json.loads(found.to_json())["notes"][-1:]):
        assert (told in text) == (not best)
    assert ("**" in found.to_markdown()) == best
    for look in ({}, {"transpose": True}, {"rename": {"fails": "A_1"}}):
        latex = found.to_latex(**look)
        assert (r"\textbf" in latex) == best
        if not best:  # the foot of the table, and not only its comment
            printed = "".join(x for x in latex.splitlines() if not x.startswith("%"))
            assert "not over the same instances" in printed
    told = compare(found, n_bootstrap=20)
    assert {row["n_compared"] for row in told.records().to_dicts()} == {n}
    assert ("under every one of them" not in told.to_text()) == best


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize(("weighted", "test"), [(True, "permutation"), (False, "sign")])
def test_systems_are_compared_on_what_all_have_a_pairing_for(name, weighted, test):
    weight = np.linspace(1, 3, len(TRUTH)) if weighted else None
    found = compare(left_out(BOTH, [name, "gie"], sample_weight=weight), test=test, n_bootstrap=200)
    kept = {s: part(rows, COMMON) for s, rows in BOTH.items()}
    alone = score(SMALL, part(TRUTH, COMMON), kept, name,
                  sample_weight=None if weight is None else weight[COMMON])  # fmt: skip
    wanted = compare(alone, test=test, n_bootstrap=200)
    for what in ("difference", "effect", "p", "difference_low", "difference_high"):
        ours, theirs = (getattr(c, what)[0] for c in (found, wanted))
        assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    for what in ("values", "ranks"):
        assert getattr(found, what)[:, 0].tolist() == getattr(wanted, what)[:, 0].tolist()
    ours, theirs = (c.records(pairs=True).to_dicts()[0] for c in (found, wanted))
    assert all(ours[x] == theirs[x] for x in ("wins", "losses", "ties"))
    assert ours["n_compared"] == len(COMMON)
    for text in (found.to_text(), found.to_markdown(), str(found.to_dict()["notes"])):
        assert "on the 15 of 20 instances that have a pairing" in text


def test_blocks_leave_out_what_is_known():
    # 0/0 is left out of the mean of its system alone
    systems = {"none": [[]] * 2 + TRUTH[2:], "right": TRUTH}
    found = score(SMALL, TRUTH, systems, ["hp(zero_division=nan)"])
    assert not found.infeasible_at
    assert np.isnan(compare(found, n_bootstrap=20).scores.per_instance["right"]).sum() == 0
    # sums of blocks know how many, and not which ones
    names = [f"x{i}" for i in range(20)]
    sides = {s: dict(zip(names, rows, strict=True)) for s, rows in BOTH.items()}
    how = {"on_infeasible": "nan", "blocks": 9, "part": "all"}
    truth = dict(zip(names, TRUTH, strict=True))
    found = compare(partial(SMALL, truth, sides, [PAIRED[0], "hf"], **how), n_bootstrap=20)
    assert [m.name for m in found.measures] == ["hf"]
    (told,) = found.left_out
    assert told.startswith("tree_induced_error: not compared, since the systems may leave out")
    with pytest.raises(BadInput, match=r"not compared, .* which ones; score the labels"):
        compare(partial(SMALL, truth, sides, PAIRED[0], **how))
    alike = {"one": sides["fails"], "two": sides["fails"]}
    assert compare(partial(SMALL, truth, alike, PAIRED[0], **how), n_bootstrap=20).left_out == ()


def test_rankings_of_measures_and_conventions_are_of_the_same_instances():
    found = left_out({**BOTH, "third": TRUTH}, ["tree_induced_error", "mean_cost(cost=hops)"])
    assert "15 of 20" in str(agreement(found))
    depths = by_depth(found, SMALL, TRUTH, measure="tree_induced_error")
    kept, truth = {s: part(r, COMMON) for s, r in BOTH.items()}, part(TRUTH, COMMON)
    rest = score(SMALL, truth, kept, PAIRED[0])
    want = by_depth(rest, SMALL, truth)
    assert depths.values[:, :2].tolist() == want.values.tolist()
    told = sensitivity(SMALL, TRUTH, BOTH, PAIRED[0], test=None, on_infeasible="nan")
    assert told.variants[0].values.tolist() == rest.values[:, 0].tolist()
    assert "15 of 20" in told.to_table()
