"""Agreement of measures, over systems and over instances, against loops by the definitions."""

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform
from scipy.stats import kendalltau, spearmanr

from hierpair import BadInput, score
from hierpair.comparison import agreement, kendall_tau, tau_ap
from hierpair.comparison.common_scores import groups_of, samples_of
from hierpair.comparison.samples import bootstrap, exchange_p_values
from hierpair.comparison.statistics import all_pairs, rank_correlations
from hierpair.evaluation import partial
from hierpair.verification import load_case
from tests import effort
from tests.comparison import NAMES, TREE, labels
from tests.paths import SHARED

MEASURES = ["hp", "hr", "hf(average=micro)", "gie", "symmetric_difference", "mgia", "subset_accuracy"]  # fmt: skip


def scores(n_systems=4, n=60, seed=0, measures=MEASURES, **how):
    truth, systems = labels(n, n_systems, seed=seed, least=1)
    return score(TREE, truth, systems, measures, **how)


def signs_of(found):
    return np.array([1 if m.higher_is_better else -1 for m in found.measures])


@pytest.mark.parametrize("coefficient", ["kendall_b", "kendall_a", "spearman"])
def test_intervals_against_loops(coefficient):
    given = scores()
    found = agreement(given, coefficient, n_bootstrap=15, seed=5, level=0.9)
    samples = samples_of(given, list(groups_of(given, None).values()))
    rounds = bootstrap(samples, 15, 5) * signs_of(given)[:, None, None]

    def slow(x, y):
        if coefficient == "spearman":
            return spearmanr(x, y).statistic
        return kendall_tau(x, y, coefficient[-1])

    for i, k in combinations(range(len(MEASURES)), 2):
        values = [slow(rounds[i, b], rounds[k, b]) for b in range(15)]
        low, high = np.nanquantile(values, [0.05, 0.95])
        names = [m.name for m in given.measures]
        assert found.interval(names[i], names[k]) == pytest.approx((low, high))
        up = (given.values * signs_of(given)).T
        others = [slow(np.delete(up[i], s), np.delete(up[k], s)) for s in range(4)]
        ends = found.evidence.left_out_low[i, k], found.evidence.left_out_high[i, k]
        assert ends == pytest.approx((np.nanmin(others), np.nanmax(others)))
    assert found.evidence.system_low is None
    again = agreement(given, coefficient, n_bootstrap=15, seed=5, level=0.9)
    assert again.to_json() == found.to_json()
    assert agreement(given, n_bootstrap=0).evidence is None
    assert "interval" in found.to_text(pairs=True)


def test_accuracies_against_loops():
    given = scores(5)
    found = agreement(given, n_bootstrap=200, seed=1).evidence
    samples = samples_of(given, list(groups_of(given, None).values()))
    pairs = all_pairs(5)
    p = exchange_p_values(samples, pairs, 200, 1)
    up = (given.values * signs_of(given)).T
    for i, k in combinations(range(len(MEASURES)), 2):
        same, gaps = [], []
        for at, (a, b) in enumerate(pairs):
            ahead = [np.sign(up[m, a] - up[m, b]) for m in (i, k)]
            same.append(ahead[0] == ahead[1])
            one_sided = [
                p[m, at] / 2 if s > 0 else 1 - p[m, at] / 2 if s < 0 else 0.5
                for m, s in zip((i, k), ahead, strict=True)
            ]
            gaps.append(abs(one_sided[0] - one_sided[1]))
        assert found.accuracy[i, k] == pytest.approx(np.mean(same))
        assert found.soft_accuracy[i, k] == pytest.approx(1 - np.mean(gaps))
        assert found.tau_ap[i, k] == pytest.approx(tau_ap(up[i], up[k]))


def test_with_many_systems_these_are_resampled_too():
    given = scores(11, n=80)
    found = agreement(given, n_bootstrap=300, seed=2).evidence
    wide = found.system_high - found.system_low
    narrow = found.high - found.low
    off = ~np.eye(len(MEASURES), dtype=bool)
    assert (wide[off] >= narrow[off]).mean() > 0.8
    assert (np.diag(found.system_low) == 1).all()


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
    cube = np.stack([given.per_instance[s] for s in given.systems]) * signs_of(given)
    n, m = given.n_instances, len(MEASURES)
    counts = {key: np.zeros((m, m), dtype=int) for key in ("both", "only", "neither", "reversed")}
    for row in range(n):
        for a, b in combinations(range(3), 2):
            d = [np.sign(round(cube[a, row, k] - cube[b, row, k], 9)) for k in range(m)]
            for i in range(m):
                for k in range(m):
                    counts["both"][i, k] += d[i] != 0 != d[k]
                    counts["reversed"][i, k] += d[i] * d[k] < 0
                    counts["only"][i, k] += d[i] != 0 == d[k]
                    counts["neither"][i, k] += d[i] == 0 == d[k]
    assert (found.both == counts["both"]).all()
    assert (found.reversed_ == counts["reversed"]).all()
    assert (found.first_only == counts["only"]).all()
    assert (found.neither == counts["neither"]).all()
    assert found.n_decisions == 3 * n
    np.testing.assert_allclose(found.indifferency + found.decided[:, None],
                               1 - found.first_only.T / (3 * n))  # fmt: skip
    hp, gie = 0, 3
    assert found.discriminancy[hp, gie] == counts["only"][hp, gie] / counts["only"][gie, hp]
    for i, k in combinations(range(m), 2):
        flat = np.round(cube, 9)
        slow = kendalltau(flat[:, :, i].ravel(), flat[:, :, k].ravel()).statistic
        assert found.values[i, k] == pytest.approx(slow)


def test_clusters_against_loops():
    found = agreement(scores(), of="instances")
    clusters = found.clusters()
    distances = 1 - found.values
    members = [[k] for k in range(len(MEASURES))]
    left = set(range(len(MEASURES)))
    for a, b, height, _ in clusters.linkage:
        gaps = {(i, k): np.mean([distances[x, y] for x in members[i] for y in members[k]])
                for i, k in combinations(sorted(left), 2)}  # fmt: skip
        assert height == pytest.approx(min(gaps.values()))
        assert gaps[int(a), int(b)] == pytest.approx(height)
        left -= {int(a), int(b)}
        left.add(len(members))
        members.append(members[int(a)] + members[int(b)])
    joined = squareform(cophenet(clusters.linkage))
    upper = np.triu_indices(len(MEASURES), 1)
    assert clusters.cophenetic == pytest.approx(np.corrcoef(joined[upper], distances[upper])[0, 1])
    names = [m for group in clusters.cut(0.2) for m in group]
    assert sorted(names) == sorted(clusters.measures)
    assert len(clusters.cut(3.0)) == 1
    assert len(clusters.cut(-1.0)) == len(MEASURES)


def partials(**how):
    truth = {f"x{i}": [NAMES[i % 8]] for i in range(40)}
    systems = {
        s: {f"x{i}": [NAMES[(i * k) % 8]] for i in range(40)} for k, s in ((1, "u"), (3, "v"))
    }
    return partial(TREE, truth, systems, ["hf", "gie", "hf(average=macro)"], **how)


def test_partials_are_ranked_and_their_blocks_resampled():
    of_sums = agreement(partials())
    assert np.isnan(of_sums.evidence.low).all()
    assert any("no sums by block" in note for note in of_sums.notes)
    of_blocks = agreement(partials(blocks=10))
    assert np.isnan(of_blocks.evidence.low).sum() == 5  # of the average over classes
    assert any("averages over classes" in note for note in of_blocks.notes)


def test_a_measure_that_tells_nothing_apart_has_no_cluster():
    given = score(
        TREE, ["c", "d"], {"u": ["c", "d"], "v": ["d", "c"]}, ["hf", "symmetric_difference"]
    )
    flat = score(
        TREE, ["c", "c"], {"u": ["g", "g"], "v": ["g", "g"]}, ["hf", "symmetric_difference"]
    )
    assert agreement(given, of="instances").clusters().cophenetic != 1
    with pytest.raises(BadInput, match="hf and hf have no correlation"):
        agreement(flat, of="instances").clusters()


@pytest.mark.exhaustive
@pytest.mark.skipif(not (SHARED / "germeval2019").is_dir(), reason="no data of GermEval")
def test_what_is_printed_of_germeval(monkeypatch):
    monkeypatch.setenv("HIERPAIR_DATA", str(SHARED))
    books = load_case("germeval2019-b")
    names = ["hf", "lca_f", "gie", "mgia", "hp", "hr", "symmetric_difference", "f", "hcm_f", "descendant_f",
             "subset_accuracy", "precision", "hamming_loss"]  # fmt: skip
    given = score(books.hierarchy, books.y_true, books.systems, names)
    found = agreement(given, n_bootstrap=500)
    for one, other, tau, low, high in (
        ("hf", "lca_f", 1.0, 0.8, 1.0), ("hf", "gie", 0.0, -0.2, 0.2), ("hf", "mgia", 0.4, 0.2, 0.6),
        ("gie", "mgia", 0.2, 0.0, 0.4), ("hp", "hr", -0.2, -0.4, 0.0), ("hf", "symmetric_difference", 0.4, 0.0, 0.6),
    ):  # fmt: skip
        assert round(found[one, other], 9) == tau
        assert found.interval(one, other) == pytest.approx((low, high))
    at = names.index("hf"), names.index("gie")
    assert found.evidence.left_out_low[at] == pytest.approx(-2 / 3)
    assert found.evidence.left_out_high[at] == pytest.approx(1 / 3)
    decisions = agreement(given, of="instances")
    decided = dict(zip(names, decisions.decided, strict=True))
    for name, share in {"hf": 65, "subset_accuracy": 20, "descendant_f": 26, "gie": 68}.items():
        assert round(100 * decided[name]) == share
    for one, other, share in (("f", "hf", 0.2), ("hcm_f", "hf", 2.5), ("lca_f", "hf", 3.0),
                              ("mgia", "hf", 3.7), ("lca_f", "mgia", 8.9), ("gie", "hf", 19.7),
                              ("gie", "hp", 33.1)):  # fmt: skip
        at = names.index(one), names.index(other)
        assert round(100 * decisions.reversed_share[at], 1) == share
    groups = [set(group) for group in decisions.clusters().cut(0.35)]
    assert len(groups) == 4
    for group in ({"precision", "hp"}, {"descendant_f"}, {"subset_accuracy"}):
        assert group in groups
