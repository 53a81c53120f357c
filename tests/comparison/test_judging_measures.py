"""Judging measures: agreement, discrimination, conventions and responses to errors, against loops."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform
from scipy.stats import kendalltau, spearmanr

from hierpair import BadInput, Hierarchy, compare, score
from hierpair.comparison import agreement, by_depth, differ, discrimination, perturbed, power
from hierpair.comparison import perturbation as errors
from hierpair.comparison.common_scores import groups_of, samples_of
from hierpair.comparison.conventions import sensitivity
from hierpair.comparison.perturbation import Tips, drawn, read_steps
from hierpair.comparison.responses import respond
from hierpair.comparison.samples import bootstrap, exchange_p_values, stream, values_sample
from hierpair.comparison.statistics import all_pairs, kendall_tau, rank_correlations, tau_ap
from hierpair.evaluation import partial
from hierpair.labels import LabelSets
from hierpair.measures import OPTIONS, measure
from tests import effort
from tests.comparison import NAMES, TREE, labels
from tests.everything import random_problem
from tests.oracles.classes import Classes

MEASURES = ["hp", "hr", "hf(average=micro)", "gie", "symmetric_difference", "mgia", "subset_accuracy"]  # fmt: skip


def scores(n_systems=4, n=60, seed=0, measures=MEASURES, **how):
    truth, systems = labels(n, n_systems, seed=seed, least=1)
    return score(TREE, truth, systems, measures, **how)


def samples(given):
    return [*samples_of(given, list(groups_of(given, None).values()))[0].values()]


SIGNS = np.array([1, 1, 1, -1, -1, 1, 1])
PAIRS = [*combinations(range(len(MEASURES)), 2)]


@pytest.mark.parametrize("coefficient", ["kendall_b", "kendall_a", "spearman"])
def test_intervals_against_loops(coefficient):
    given = scores()
    found = agreement(given, coefficient, n_bootstrap=15, seed=5, level=0.9)
    rounds = bootstrap(samples(given), 15, 5) * SIGNS[:, None, None]
    up = (given.values * SIGNS).T

    def slow(x, y):
        if coefficient == "spearman":
            return spearmanr(x, y).statistic
        return kendall_tau(x, y, coefficient[-1])

    for i, k in PAIRS:
        values = [slow(*of) for of in zip(rounds[i], rounds[k], strict=True)]
        wanted = np.nanquantile(values, [0.05, 0.95])
        assert [found.evidence[end][i, k] for end in ("low", "high")] == pytest.approx(wanted)
        others = [slow(np.delete(up[i], s), np.delete(up[k], s)) for s in range(4)]
        ends = [found.evidence[f"left_out_{end}"][i, k] for end in ("low", "high")]
        assert ends == pytest.approx([np.nanmin(others), np.nanmax(others)])
    assert "system_low" not in found.evidence
    again = agreement(given, coefficient, n_bootstrap=15, seed=5, level=0.9)
    assert again.to_json() == found.to_json()
    assert agreement(given, n_bootstrap=0).evidence == {}
    text = found.to_text(pairs=True)
    assert "interval: " in text
    assert "reversed" not in text


def test_accuracies_against_loops():
    given = scores(5)
    found = agreement(given, n_bootstrap=200, seed=1).evidence
    a, b = all_pairs(5).T
    p = exchange_p_values(samples(given), all_pairs(5), 200, 1)
    up = (given.values * SIGNS).T
    ahead = np.sign(up[:, a] - up[:, b])
    one_sided = np.where(ahead > 0, p / 2, np.where(ahead < 0, 1 - p / 2, 0.5))
    for i, k in PAIRS:
        assert found["accuracy"][i, k] == pytest.approx((ahead[i] == ahead[k]).mean())
        gaps = np.abs(one_sided[i] - one_sided[k])
        assert found["soft_accuracy"][i, k] == pytest.approx(1 - gaps.mean())
        assert found["tau_ap"][i, k] == pytest.approx(tau_ap(up[i], up[k]))


def test_with_many_systems_these_are_resampled_too():
    given = scores(11, n=80)
    result = agreement(given, n_bootstrap=300, seed=2)
    ends = re.findall(
        r"(-?[\d.]+) … (-?[\d.]+)(?=\s|$)", result.to_text(pairs=True).replace("−", "-")
    )
    assert len({*ends}) > 10
    assert all(float(low) <= float(high) for low, high in ends)
    found = result.evidence
    wide, narrow = found["system_high"] - found["system_low"], found["high"] - found["low"]
    off = ~np.eye(len(MEASURES), dtype=bool)
    assert (wide[off] >= narrow[off]).mean() > 0.8
    assert (np.diag(found["system_low"]) == 1).all()


def test_tau_of_doubled_systems_leaves_out_what_is_compared_with_itself():
    rng = np.random.default_rng(3)
    for _ in range(effort.cases(100)):
        values = rng.integers(0, 4, (2, 5)).astype(float)
        drawn = rng.integers(0, 5, 5)
        counts = np.bincount(drawn, minlength=5)
        fast = rank_correlations(values[None], "kendall_b", counts[None])[0, 0, 1]
        above, one, other = 0, 0, 0
        for a, b in combinations(drawn.tolist(), 2):
            if a != b:
                x, y = (np.sign(v[a] - v[b]) for v in values)
                above, one, other = above + x * y, one + x * x, other + y * y
        slow = above / (one * other) ** 0.5 if one * other else np.nan
        assert fast == pytest.approx(slow, nan_ok=True)


def test_ap_correlation_against_its_definition():
    rng = np.random.default_rng(1)
    for _ in range(effort.cases(200)):
        n = int(rng.integers(2, 7))
        x, y = rng.integers(0, 4, n).astype(float), rng.permutation(n).astype(float)
        means = []
        for _ in range(300):  # the mean over orders of systems that are tied in x
            order = np.lexsort((rng.random(n), -x))
            total = sum(np.mean([y[order[j]] > y[order[i]] for j in range(i)]) for i in range(1, n))
            means.append(2 * total / (n - 1) - 1)
        slack = 0 if len(set(x)) == n else 5 * np.std(means) / 300**0.5
        assert tau_ap(x, y) == pytest.approx(np.mean(means), abs=slack + 1e-9)


def test_decisions_against_loops():
    given = scores(3, n=40)
    found = agreement(given, of="instances")
    assert found.signature.startswith("agreement(of=instances,coefficient=kendall_b)|")
    cube = np.stack([given.per_instance[s] for s in given.systems]).round(9) * SIGNS
    a, b = all_pairs(3).T
    decisions = np.sign((cube[a] - cube[b]).round(9)).reshape(-1, len(MEASURES)).T
    known, n = found.evidence, found.counts["n_decisions"]
    assert n == 3 * given.n_instances == len(decisions[0])
    for i, x in enumerate(decisions):
        for k, y in enumerate(decisions):
            assert known["both"][i, k] == ((x != 0) & (y != 0)).sum()
            assert known["reversed"][i, k] == (x * y < 0).sum()
            assert known["first_only"][i, k] == ((x != 0) & (y == 0)).sum()
            assert known["neither"][i, k] == ((x == 0) & (y == 0)).sum()
            slow = kendalltau(cube[:, :, i].ravel(), cube[:, :, k].ravel()).statistic
            assert i == k or found.values[i, k] == pytest.approx(slow)
    decided = np.diag(known["decided"])
    assert decided.tolist() == [(x != 0).mean() for x in decisions]
    others = 1 - known["other_only"] / n
    np.testing.assert_allclose(known["indifferency"] + decided[:, None], others)
    hp, gie = 0, 3
    first = known["first_only"]
    assert known["discriminancy"][hp, gie] == first[hp, gie] / first[gie, hp]


def test_clusters_against_loops():
    found = agreement(scores(), of="instances")
    clusters = found.clusters()
    distances = 1 - found.values
    members = [[k] for k in range(len(MEASURES))]
    left = {*range(len(MEASURES))}
    for a, b, height, _ in clusters.linkage:
        gaps = {(i, k): distances[np.ix_(members[i], members[k])].mean()
                for i, k in combinations(sorted(left), 2)}  # fmt: skip
        assert height == pytest.approx(min(gaps.values()))
        assert gaps[int(a), int(b)] == pytest.approx(height)
        left = left - {int(a), int(b)} | {len(members)}
        members.append(members[int(a)] + members[int(b)])
    joined = squareform(cophenet(clusters.linkage))
    upper = np.triu_indices(len(MEASURES), 1)
    assert clusters.cophenetic == pytest.approx(np.corrcoef(joined[upper], distances[upper])[0, 1])


def partials(**how):
    truth, u, v = ({f"x{i}": [NAMES[(i * k) % 8]] for i in range(40)} for k in (1, 1, 3))
    return partial(TREE, truth, {"u": u, "v": v}, ["hf", "gie", "hf(average=macro)"], **how)


def test_measures_are_found_in_any_spelling():
    truth, systems = labels(30, 3, seed=1)
    names = ["hf", "hf(average=macro)"]
    found = agreement(
        score(TREE, truth, systems, names, keep_classes=True), n_bootstrap=np.int64(9)
    )
    assert (
        found[tuple(names)]
        == found[measure("hf(beta=1)"), "hf(average='macro')"]
        == found.values[0, 1]
    )
    assert "bootstrap=9," in found.signature


def test_of_measures_of_scores_there_are_correlations_alone():
    said = {name: {"i": {label: 0.9}, "j": {"b": 0.9}} for name, label in (("x", "a"), ("y", "b"))}
    given = score(TREE, {"i": "a", "j": "b"}, said, ["fmax", "macro_auprc"])
    found = agreement(given, n_bootstrap=9)
    assert found.notes == ("no interval: fmax, macro_auprc: not compared, since a measure of scores sees all "
                           "instances at once",)  # fmt: skip
    assert np.isnan(found.evidence["low"]).all()


def test_partials_are_ranked_and_their_blocks_resampled():
    of_sums = agreement(partials())
    assert np.isnan(of_sums.evidence["low"]).all()
    assert any("sums of 0 blocks" in note for note in of_sums.notes)
    of_blocks = agreement(partials(blocks=10))
    assert np.isnan(of_blocks.evidence["low"]).sum() == 5  # of the average over classes
    assert any("averages over classes" in note for note in of_blocks.notes)


def test_a_measure_that_tells_nothing_apart_has_no_cluster():
    two = ["hf", "symmetric_difference"]
    given = score(TREE, ["c", "d"], {"u": ["c", "d"], "v": ["d", "c"]}, two)
    flat = score(TREE, ["c", "c"], {"u": ["g", "g"], "v": ["g", "g"]}, two)
    assert agreement(given, of="instances").clusters().cophenetic != 1
    with pytest.raises(BadInput, match="hf and hf have no correlation"):
        agreement(flat, of="instances").clusters()


# ----------------------------------------------------------------------------- discrimination

KINDS = ["hf", "gie", "hf(average=micro)", "hf(average=macro)"]
FAST = {"splits": 10, "repeats": 2, "n_permutations": 100, "n_bootstrap": 50}


def kept(n_systems=3, n=40, **how):
    return scores(n_systems, n, measures=KINDS, keep_classes=True, **how)


def test_p_values_of_subsamples_are_those_of_scipy():
    rng = np.random.default_rng(0)
    values = np.round(rng.random((30, 4)), 1)
    values[:, 3] = values[:, 0]  # no difference at all
    weights = rng.integers(0, 3, (5, 30)).astype(float)
    found = power.paired_p_values(weights, values, all_pairs(4))
    for counts, row in zip(weights.astype(int), found, strict=True):
        for (a, b), p in zip(all_pairs(4), row, strict=True):
            d = np.repeat(values[:, a] - values[:, b], counts)
            assert p == pytest.approx(stats.ttest_1samp(d, 0).pvalue if d.any() else 1, abs=1e-12)
    shifted = np.stack([np.zeros(6), np.ones(6)], axis=1)
    assert power.paired_p_values(np.ones((1, 6)), shifted, all_pairs(2)).tolist() == [[0.0]]


def test_swaps_and_power_by_size_against_scores_of_the_subsamples():
    given = kept()
    of, pairs = given.scored, all_pairs(3)
    every, sizes = samples(given), (5, 20, 30)
    linear = [sample.linear_values() for sample in every]
    assert np.isnan(linear[3]).all()
    others = {x: labels.take(np.arange(1, 40)) for x, labels in of.systems.items()}
    left = score(TREE, of.truth.take(np.arange(1, 40)), others, KINDS).values.T
    for k, adds in enumerate(linear[:3]):
        assert adds[0] == pytest.approx(40 * given.values[:, k] - 39 * left[k])
    shares, swaps = power.shares_by_size(every, linear, pairs, sizes, 0.1, 3, 3)
    ranks = stream(3, 3, 0).random((3, 40)).argsort(axis=1).argsort(axis=1)
    assert np.isnan(swaps[:, 2]).all()
    assert np.isnan(shares[3]).all()
    signs = np.array([1, -1, 1, 1])
    for s, size in enumerate(sizes):
        swapped, significant = np.zeros(4), np.zeros(4)
        for places in ranks:
            halves = []
            for low in (0, size) if 2 * size <= 40 else ():
                rows = np.flatnonzero((places >= low) & (places < low + size))
                part = {x: of.systems[x].take(rows) for x in given.systems}
                halves.append(score(TREE, of.truth.take(rows), part, KINDS).values * signs)
            one = np.flatnonzero(places < size)
            for a, b in pairs:
                gaps = [np.sign((half[a] - half[b]).round(9)) for half in halves]
                swapped += gaps[0] * gaps[1] < 0 if gaps else 0
                for k in range(3):
                    d = linear[k][one, a] - linear[k][one, b]
                    significant[k] += d.any() and stats.ttest_1samp(d, 0).pvalue <= 0.1
        np.testing.assert_allclose(shares[:3, s], significant[:3] / 9)
        if size < 30:
            np.testing.assert_allclose(swaps[:, s], swapped / 9)


def test_numbers_of_whole_samples_against_loops():
    given = kept(4)
    found = discrimination(given, alpha=0.2, **FAST)
    assert (found.sizes, found.shares) == ((20,), (0.02, 0.05))  # half of all; an answer or more
    asked = discrimination(given, sizes=[20, 3], planted=[0.5, 0.1, 0.5], **FAST)
    assert (asked.sizes, asked.shares) == ((3, 20), (0.1, 0.5))
    assert discrimination(given, planted=[], **FAST).shares == ()
    pairs = list(combinations(range(4), 2))
    p = exchange_p_values(samples(given), np.array(pairs), 100, 0)
    assert found.p.tolist() == p.tolist()
    assert found.power.tolist() == (p <= 0.2).mean(axis=1).tolist()
    z = stats.norm.ppf(0.9) + stats.norm.ppf(0.8)
    for at, (a, b) in enumerate(pairs):
        d = given.per_instance[f"s{a}"][:, 0] - given.per_instance[f"s{b}"][:, 0]
        assert found.needed[0, at] == pytest.approx((z * d.std(ddof=1) / d.mean()) ** 2)
    assert np.isnan(found.needed[3]).all()
    low, high = found.power_low[:3], found.power_high[:3]
    assert ((low <= found.power[:3]) & (found.power[:3] <= high) & (low < high)).all()


def test_power_of_what_is_not_defined_without_an_instance_is_not_known():
    sides = {"x": [["c"], [], []], "y": [["d"]] * 3}
    given = score(TREE, [["c"], ["d"], ["d"]], sides, ["hp(average=micro,zero_division=nan)"])
    found = discrimination(given, sizes=[2], planted=[], **FAST)
    known = [found.power_low, found.power_high, found.needed[0], found.power_by_n[0]]
    assert np.isnan(known).all()
    assert found.power.tolist() == [0.0]


def test_sign_flips_against_all_of_them(monkeypatch):
    """A system against one that has nothing: exchanges, in blocks, turn the signs of its values."""
    monkeypatch.setattr("hierpair.comparison.samples.BLOCK_CELLS", 800)
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
    wrong = power.wrong_answers(TREE, labels.truth, labels.systems["s0"], rng)
    for i in range(60):
        of = [{c for x in s.names_of(i, TREE) for c in [*TREE.ancestors(x), x]} - {"r"}
              for s in (labels.truth, wrong)]  # fmt: skip
        assert not of[0] & of[1]
    assert (wrong.lengths > 0).sum() > 10
    closed = [[*TREE.ancestors(x)[1:], x] for x in "cdefghgh"]
    named = score(TREE, ["e"] * 8, {"u": closed}, ["hf"]).scored
    found = power.wrong_answers(TREE, named.truth, named.systems["u"], rng)
    for i, above in enumerate(closed):
        new = found.names_of(i, TREE)
        assert (len(new), new[0]) == (len(above), "a") if new else above[0] == "b"


def test_planted_differences_against_loops(monkeypatch):
    """Every answer is replaced in turn, scored alone and weighted, and compared with what it was."""
    planted, wrong_answers = [], power.wrong_answers

    def kept_answers(*given):
        planted.append(wrong_answers(*given))
        return planted[-1]

    monkeypatch.setattr(power, "wrong_answers", kept_answers)
    n, weight = 30, np.arange(1.0, 31)
    given = scores(2, n, measures=["hf", "gie"], sample_weight=weight, on_infeasible="nan")
    found = discrimination(given, alpha=0.3, planted=[0.1, 0.5], seed=9, **FAST)
    draws, tests = stream(9, power.PLANTED), [x for x in given.systems for _ in range(2)]
    u = [draws.random(n) for _ in tests]
    rows, new = [np.flatnonzero(x <= max(0.5, x.min())) for x in u], planted[0]
    most, first = max(map(len, rows)), np.cumsum([0, *map(len, rows)])
    expected = np.zeros((2, 2))
    for t, name in enumerate(tests):
        some = new.take(np.arange(first[t], first[t + 1]))
        after = score(TREE, given.scored.truth.take(rows[t]), {"x": some}, ["hf", "gie"])
        for k, sign in enumerate((1, -1)):
            loss = sign * (given.per_instance[name][rows[t], k] - after.per_instance["x"][:, k])
            for q, share in enumerate((0.1, 0.5)):
                d = np.zeros((most, 2))
                d[: len(loss), 0] = loss * weight[rows[t]] * (u[t][rows[t]] < share)
                p = exchange_p_values([values_sample(d)], np.array([[0, 1]]), 100, 9)
                expected[k, q] += p[0, 0] <= 0.3 and d.sum() > 0
    np.testing.assert_allclose(found.planted_power, expected / len(tests))
    assert expected[0, 0] != expected[1, 0]  # and without weights they would be equal


def test_the_least_size_has_only_small_swap_rates_above_it():
    given = scores(2, 100, measures=["hf", "hr"])
    found = discrimination(given, sizes=[5, 10, 20, 40], planted=[], **FAST)
    object.__setattr__(found, "swap_rate", np.array([[0.2, 0.04, 0.06, 0.01], [0.3] * 4]))
    assert np.array_equal(found.minimum_size, [40, np.nan], equal_nan=True)
    assert "–" in found.to_text()


# ----------------------------------------------------------------------------- conventions

DAG = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "d"), ("c", "g"), ("e", "g")]
)


DAG_NAMES = [x for x in DAG.names if x != "r"]
TRUTH, SYSTEMS = labels(80, 3, seed=2, step=0.25, least=1, names=DAG_NAMES)
EMPTY_LAST = [*TRUTH[:-1], []]


def test_every_combination_is_what_scoring_it_says():
    found = sensitivity(DAG, TRUTH, SYSTEMS, ["hf", "gie(default=3)"], test=None)
    of_hf, of_gie = ([v.measure for v in found.variants if v.base == base] for base in (0, 1))
    names = ("root", "average", "threshold")
    expected = [*product(*(OPTIONS[name].varied for name in names))]
    assert [tuple(m.options[name] for name in names) for m in of_hf] == expected
    assert {m.options["default"] for m in of_gie} == {2, 3, 5, 10}
    assert of_gie[0] == measure("gie(default=3)")
    assert of_hf[0] == measure("hf")
    for v in found.variants:
        alone = score(DAG, TRUTH, SYSTEMS, [v.measure])
        assert (v.values == alone.values[:, 0]).all()
        up = v.values * (1 if v.measure.higher_is_better else -1)
        assert (v.outcome == np.sign(up[:, None] - up)).all()


def test_conclusions_count_the_variants():
    settings = {"n_permutations": 300, "n_bootstrap": 20}
    found = sensitivity(DAG, TRUTH, SYSTEMS, ["hf", "gie"], comparing=settings)
    assert len(found.conclusions) == len(found.to_dataframe()) == 2 * 3
    ranked = found.to_dataframe(rankings=True)
    assert ranked["measure"].tolist() == [v.measure.name for v in found.variants for _ in range(3)]
    for name in ("value", "rank"):
        of_all = [getattr(v, f"{name}s") for v in found.variants]
        assert ranked[name].tolist() == np.concatenate(of_all).tolist()
    for base, c in [(b, c) for b in range(2) for c in found.conclusions[3 * b : 3 * b + 3]]:
        i, j = found.systems.index(c.better), found.systems.index(c.worse)
        own = [v for v in found.variants if v.base == base]
        outcomes = [int(v.outcome[i, j]) for v in own]
        assert (c.n_for, c.n_none, c.n_against) == tuple(outcomes.count(x) for x in (1, 0, -1))
        first, hanging = own[0], set()
        for v in own:
            options = v.measure.options
            changed = [o for o in options if options[o] != first.measure.options[o]]
            if len(changed) == 1 and v.outcome[i, j] != first.outcome[i, j]:
                hanging |= set(changed)
        assert set(c.depends_on) == hanging
        how = "reversed by" if -1 in outcomes else "depends on"
        told = {(1,): "survives all", (0,): "no difference found"}.get((*set(outcomes),))
        what = ", ".join(c.depends_on) or "several together"
        assert c.verdict == (told or f"{how} {what}")
    rows = iter(found.all_records()["rankings"].rows)
    for v in found.variants:
        m = v.measure
        for s, x, rank in zip(found.systems, v.values, v.ranks, strict=True):
            assert next(rows) == [m.name, s, x, rank, m.signature, found.signature]
        alone = compare(score(DAG, TRUTH, SYSTEMS, [v.measure]), **settings)
        assert (v.outcome != 0).tolist() == alone.significant[0].tolist()
        assert v.ranks.tolist() == alone.ranks[:, 0].tolist()


def test_options_that_change_a_conclusion_only_together_are_not_blamed_alone():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("c", "d")])
    systems = {"x": [["c", "a"], ["d"]], "y": [["a"], ["r", "b"]]}
    vary = {"root": ["exclude", "include"], "augment": ["ancestors", "none"]}
    found = sensitivity(tree, ["c", "b"], systems, "hp", vary=vary, test=None)
    assert [int(v.outcome[1, 0]) for v in found.variants] == [1, 1, 1, 0]
    (c,) = found.conclusions
    assert (c.better, c.n_for, c.n_none, c.n_against, c.depends_on) == ("y", 3, 1, 0, ())
    assert c.verdict == "depends on several together"
    how = {"vary": {"root": vary["root"]}, "test": None}
    (c,) = sensitivity(tree, ["c", "b"], systems, "hp(augment=none)", **how).conclusions
    assert (c.verdict, c.depends_on) == ("depends on root", ("root",))


def test_measures_without_the_option_are_not_counted():
    """Nothing was varied of them, so nothing can be said to survive."""
    given, how = (DAG, TRUTH, SYSTEMS), {"vary": {"theta": [2, 4]}, "test": None}
    found = sensitivity(*given, ["hf", "contribution_f", "gie"], **how)
    untold = [c.measure for c in found.conclusions if c.verdict == "not varied"]
    assert untold == ["hf"] * 3 + ["gie"] * 3
    assert found.notes[0].startswith("9 comparisons of two systems, by verdict: not varied (6); ")
    nothing = sensitivity(*given, ["hf"], vary={"root": ["exclude"]}, test=None)
    assert nothing.notes[0] == "3 comparisons of two systems, by verdict: not varied (3)"


@pytest.mark.parametrize("name", ["hf", "gie", "hp(zero_division=nan)"])
def test_differences_are_recounted(name):
    scores = score(DAG, EMPTY_LAST, SYSTEMS, ["symmetric_difference", name])
    found = differ(scores, "s0", "s2", DAG, EMPTY_LAST, measure=name, k=100)
    m = measure(name)
    a, b = (scores.per_instance[s][:, 1] for s in ("s0", "s2"))
    known = ~(np.isnan(a) | np.isnan(b))
    gain = np.where(known, (a - b) * (1 if m.higher_is_better else -1), 0)
    n = known.sum()
    assert found.gain == pytest.approx(gain.sum() / n)
    assert sorted(d.name for d in (*found.ahead, *found.behind)) == np.flatnonzero(gain).tolist()
    assert [d.gain for d in found.ahead] == sorted((g for g in gain if g > 0), reverse=True)
    grown = [{a for c in t for a in (c, *DAG.ancestors(c))} & {*"abce"} for t in EMPTY_LAST]
    for rows, sets in ((found.classes, EMPTY_LAST), (found.subtrees, grown)):
        at = {c: [i for i in np.flatnonzero(known) if c in sets[i]] for c in DAG.names}
        for d in rows:
            here = at[d.name]
            assert d.n == len(here)
            assert (d.value, d.other) == pytest.approx((a[here].mean(), b[here].mean()))
            assert d.share == pytest.approx(gain[here].sum() / n)
        told = {c for c, here in at.items() if abs(gain[here].sum()) > 1e-12}
        assert sorted(d.name for d in rows) == sorted(told)
        shares = [abs(d.share) for d in rows]
        assert shares == sorted(shares, reverse=True)


def test_depths_are_recounted():
    scores = score(DAG, EMPTY_LAST, SYSTEMS, ["hf"])
    found = by_depth(scores, DAG, EMPTY_LAST)
    depth = dict(zip(DAG.names, DAG.depths.tolist(), strict=True))
    deepest = np.array([max((depth[x] for x in t), default=-1) for t in EMPTY_LAST])
    assert found.depths.tolist() == sorted(set(deepest))
    for d, count, values in zip(found.depths, found.counts, found.values, strict=True):
        assert count == (deepest == d).sum()
        means = [scores.per_instance[s][deepest == d, 0].mean() for s in SYSTEMS]
        assert values == pytest.approx(means)


def test_combinations_that_a_measure_refuses_are_left_out():
    """Classes cannot weigh under a path threshold: by default it is not varied, asked for it is."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    data = tree, ["c", "b", "a"], {"x": ["c", "b", "a"], "y": ["a", "b", "b"]}
    found = sensitivity(*data, ["hf(weights=ia)", "hf"], test=None)
    thresholds = [(v.base, v.measure.options["threshold"]) for v in found.variants]
    assert {*thresholds} == {(0, None), (1, None), (1, 4)}
    assert thresholds.count((0, None)) == 4  # root and average
    with pytest.raises(BadInput, match="leave threshold or weights out"):
        sensitivity(*data, "hf(weights=ia)", vary={"threshold": [None, 4]}, test=None)


# ----------------------------------------------------------------------------- responses to errors

ALL = ("up1", "up2", "down1", "down2", "sibling", "cousin", "unrelated", "add_sibling",
       "add_3_unrelated", "drop", "drop_all", "noise_0.4")  # fmt: skip


class Slow(Classes):
    """The relations of a hierarchy, from sets of names, by their definitions."""

    def __init__(self, h):
        super().__init__([*h.to_networkx().edges], h.names)
        self.up = {c: self.above(c) for c in h.names}
        self.depth = {c: min(map(self.ups(c).get, self.up[c] & {*self.roots})) for c in h.names}

    def walks(self, c, k, step):
        front = {c}
        for _ in range(k):
            front = {x for f in front for x in step[f]}
        return front - (self.single if step is self.parents else set())

    def out_of_line(self, c, found):
        return {x for x in found if x not in self.up[c] and c not in self.up[x]}

    def siblings(self, c):
        above = {*self.parents[c]} - self.single
        return self.out_of_line(c, {x for p in above for x in self.children[p]})

    def cousins(self, c):
        above = {x: {*self.parents[x]} - self.single for x in self.up[c]}
        lines = [(p, g) for p in above[c] for g in above[p]]
        found = {x for p, g in lines for q in {*self.children[g]} - {p} for x in self.children[q]}
        near = {x for p in self.parents[c] for x in self.children[p]}
        return self.out_of_line(c, found - near)

    def unrelated(self, c, labels):
        above = {x for t in labels for x in self.up[t]} - self.single
        deep = {x for x, depth in self.depth.items() if depth == self.depth[c]} - self.single
        return {x for x in deep if not self.up[x] & above}


@pytest.mark.parametrize("shape", [{}, {"parents": 3}, {"parents": 3, "roots": 3}])
def test_relatives_are_what_they_are_called(shape, monkeypatch):
    rng = np.random.default_rng(7)
    for seed in range(effort.cases(30)):
        monkeypatch.setattr(errors, "GUESSES", int(rng.integers(0, 3)))
        edges = random_problem("", seed, int(rng.integers(6, 40)), depth=6, **shape).edges
        check_relatives(Hierarchy.from_edges(edges, roots="any"), rng, tree=not shape)


def check_relatives(h, rng, *, tree):
    """Compare what is drawn for every class, as the only label of some instances, with all that may be."""
    slow = Slow(h)
    classes = np.repeat([h.names.index(c) for c in h.names if c not in slow.single], 8)
    tips = Tips(h, errors.sets_of(np.arange(len(classes)), classes, len(classes), len(h)))
    labels = [h.names[c] for c in classes.tolist()]

    def agree(drawn_classes, definition, *, complete=True):
        for c, x in zip(labels, drawn_classes.tolist(), strict=True):
            possible = definition(c)
            assert h.names[x] in possible if x >= 0 else not (complete and possible)

    u = rng.random((3, len(classes)))
    for k in (1, 2, 3):
        for up, step in ((True, slow.parents), (False, slow.children)):
            agree(tips.line(u[:k], up=up)[-1], lambda c, k=k, step=step: slow.walks(c, k, step))
    agree(tips.kin(1, u[:2]), slow.siblings, complete=tree)
    agree(tips.kin(2, u), slow.cousins, complete=tree)
    first = tips.unrelated(tips.tops, [], rng)
    agree(first, lambda c: slow.unrelated(c, [c]))
    second = tips.unrelated(tips.tops, [first], rng)
    assert not ((first == second) & (first >= 0)).any()


def test_every_relative_may_be_drawn():
    """Which way leads up says nothing of the way down: all children of both parents occur."""
    edges = [("r", x) for x in "gh"] + [("g", "p"), ("g", "s"), ("h", "q"), ("h", "t")]
    edges += [
        (p, x) for p, below in {"p": "xab", "q": "xcd", "s": "ef", "t": "ij"}.items() for x in below
    ]
    h, rng = Hierarchy.from_edges(edges), np.random.default_rng(1)
    many = np.full(400, h.names.index("x"))
    tips = Tips(h, errors.sets_of(np.arange(400), many, 400, len(h)))
    for k, relatives in ((1, "abcd"), (2, "efij")):
        drawn_ones = tips.kin(k, rng.random((k + 1, 400)))
        assert {h.names[x] for x in drawn_ones.tolist()} == {*relatives}


def case(*, dag=False):
    rng = np.random.default_rng(3)
    edges = [((i - 1) // 3, i) for i in range(1, 60)]
    edges += [(rng.integers(1, i), i) for i in range(20, 60, 7)] if dag else []
    h = Hierarchy.from_edges([(f"c{a}", f"c{b}") for a, b in edges])
    names = [x for x in h.names if x != "c0"]
    return h, [[*rng.choice(names, rng.integers(0, 4), replace=False)] for _ in range(60)]


@pytest.mark.parametrize("dag", [False, True])
def test_label_sets_with_errors_are_what_the_steps_say(dag):
    h, truth = case(dag=dag)
    slow = Slow(h)
    tips = Tips.of(h, LabelSets.from_labels(truth, h))
    steps = read_steps([s for s in ALL if not s.startswith("down")])
    draw = drawn(tips, steps, seed=4, number=0)
    assert 5 < len(draw.rows) == len(set(draw.rows.tolist())) == len(draw.truth)
    relation = {"sibling": slow.siblings, "cousin": slow.cousins}
    relation |= {f"up{k}": lambda c, k=k: slow.walks(c, k, slow.parents) for k in (1, 2)}
    for i, row in enumerate(draw.rows.tolist()):
        labels = set(truth[row])
        t = {c for c in labels if not any(c != x and c in slow.up[x] for x in labels)}
        of = {s: set(draw.systems[s].names_of(i, h)) for s in draw.systems}
        assert set(draw.truth.names_of(i, h)) == t
        (gone,) = t - of["drop"]
        assert of["drop"] == t - {gone}
        assert of["drop_all"] == set()
        for name, relatives in relation.items():
            (new,) = of[name] - (t - {gone})
            assert new in relatives(gone)
        assert of["add_sibling"] == t | of["sibling"]
        new = of["add_3_unrelated"] - t
        assert len(new) == 3
        assert of["unrelated"] - t <= new <= slow.unrelated(gone, t)  # the first of them
    noisy = errors.sets_of(tips.row, errors.replaced(tips, 0.4, 4, 0), len(truth), len(h))
    found, before = draw.systems["noise_0.4"].indices, draw.truth.indices
    assert found.tolist() == noisy.take(draw.rows).indices.tolist() != before.tolist()


def test_costs_against_loops():
    rounds = 2
    h, truth = case()
    measures = ["gie", "contribution_f", "hf(average=micro)"]
    steps = ["up1", "sibling", "unrelated", "add_2_unrelated", "drop", "noise_0.5"]
    found = respond(h, truth, measures, steps=steps, rounds=rounds, seed=2, n_bootstrap=200)
    tips = Tips.of(h, LabelSets.from_labels(truth, h))
    signs = np.array([1 if m.higher_is_better else -1 for m in found.measures])
    costs = {}  # by step, by instance: the costs of its draws
    for number in range(rounds):
        draw = drawn(tips, read_steps(steps), 2, number)
        each = score(h, draw.truth, {"": draw.truth, **draw.systems}, measures).per_instance
        for step in steps:
            for row, t, p in zip(draw.rows.tolist(), each[""], each[step], strict=True):
                costs.setdefault(step, {}).setdefault(row, []).append(signs * (t - p))
    means = [np.mean([np.mean(x, axis=0) for x in of.values()], axis=0) for of in costs.values()]
    cost, low, high, units = (found.numbers[x] for x in ("cost", "low", "high", "in_units"))
    np.testing.assert_allclose(cost[:, :-1], np.transpose(means), atol=1e-12)
    assert (low <= cost + 1e-12).all()
    assert (high >= cost - 1e-12).all()
    np.testing.assert_allclose(units[:, :-1], (cost / cost[:, 2:3])[:, :-1])
    assert found["gie", "unrelated"] == 1
    again = respond(h, truth, measures, steps=steps, rounds=rounds, seed=2, n_bootstrap=200)
    assert again.to_csv() == found.to_csv()
    assert found.n_support == len(costs["drop"])
    assert found.n_instances == sum(bool(row) for row in truth)
    some = np.flatnonzero(tips.sets.lengths)

    def noisy(rate, k):
        noise = errors.replaced(tips, rate, 2, k)
        return errors.sets_of(tips.row, noise, len(truth), len(h)).take(some)

    whole, sides = noisy(0, 0), {str(k): noisy(1, k) for k in range(rounds)}
    floor = [each.mean(0) for each in score(h, whole, sides, measures).per_instance.values()]
    np.testing.assert_allclose(cost[:, -1], np.mean(floor, axis=0), atol=1e-12)


def test_what_is_not_defined_is_said():
    tree = Hierarchy.from_nested({"r": {"a": {"b": ["c", "d"]}, "z": {"y": ["w", "x"]}}})
    found = respond(tree, ["c", "w"], ["tree_induced_error", "hf"], n_bootstrap=20,
                    steps=["up1", "add_sibling", "unrelated"])  # fmt: skip
    units = np.isnan(found.numbers["in_units"][:, :-1])
    assert units.tolist() == [[False, True, False], [False, False, False]]
    assert "tree_induced_error, add_sibling: no value in 2 of 2 instances" in found.notes
    assert "–  6.00 [6.00, 6.00]" in found.to_text(intervals=True)  # of no value no interval


def test_default_steps_that_no_label_has_together_are_left_out():
    star = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    found = respond(star, ["a", "b"], ["hf"], n_bootstrap=9)
    assert [s.name for s in found.steps] == ["unrelated", "add_unrelated", "drop", "drop_all"]
    (note,) = (note for note in found.notes if note.startswith("left out, since"))
    rare = "add_cousin add_sibling add_up1 cousin sibling up1 up2"
    assert sorted(note.partition(": ")[2].split(", ")) == rare.split()
    assert found["hf", "drop"] == 1
    lone = respond(Hierarchy.from_edges([("r", "a")]), ["a"], ["hf"], n_bootstrap=9)
    assert [s.name for s in lone.steps] == ["drop", "drop_all"]


def test_label_sets_with_errors_can_be_scored_as_systems():
    h, truth = case()
    draw = perturbed(h, truth, ["up1", "unrelated"], seed=2)
    given = score(h, draw.truth, draw.systems, ["hf"])
    found = respond(h, truth, ["hf"], steps=["up1", "unrelated"], seed=2, n_bootstrap=9)
    assert (1 - given.values[:, 0]).tolist() == pytest.approx(
        found.numbers["cost"][0, :-1].tolist()
    )
    assert draw.rows.tolist() == sorted(set(draw.rows.tolist()))
    with pytest.raises(BadInput, match="no label has all these steps"):
        perturbed(h, [["c0"]], ["sibling"])
