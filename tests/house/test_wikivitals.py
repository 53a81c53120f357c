"""Hierarchical WikiVitals, where the data folder is there: unequal depths, decoders against each other."""

import json
from itertools import pairwise

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import auc, precision_recall_curve

from hierpair import LabelDistribution, LabelSets, decode, read_hierarchy
from hierpair.measures.families.pair_measures import gie
from hierpair.probabilistic import apply_threshold, expected, precision_recall_curves
from hierpair.probabilistic.decoding.by_size import decode_hf, decode_set_value
from hierpair.probabilistic.decoding.pairings import decode_gie, decode_pairing
from tests.exhaustive import is_exhaustive
from tests.linear_head import LinearHead
from tests.paths import SHARED

DATA = SHARED / "hwv"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no data at {DATA}; set HIERPAIR_DATA to a folder that has them"
)


@pytest.fixture(scope="module")
def hierarchy():
    return read_hierarchy(DATA / "taxonomy.tsv")


@pytest.fixture(scope="module")
def texts():
    rows = [json.loads(line) for line in (DATA / "hwv_test.json").read_text("utf-8").splitlines()]
    return [row["token"][0] for row in rows], [row["label"] for row in rows]


@pytest.fixture(scope="module")
def distribution(hierarchy):
    """Laws over all leaves, from nearly sure to nearly even."""
    rng = np.random.default_rng(61)
    n = int((np.diff(hierarchy.child_ptr) == 0).sum())
    z = np.exp(rng.normal(size=(60, n)) * rng.uniform(1, 4, (60, 1)))
    return LabelDistribution.from_leaves(z / z.sum(axis=1, keepdims=True), hierarchy)


def test_the_data_are_those_of_the_paper(hierarchy, texts):
    """Table 1: 1,186 classes on six levels, leaves at depths 2 to 6, 2,003 test texts on single paths."""
    assert np.bincount(hierarchy.levels)[1:].tolist() == [11, 109, 381, 437, 244, 4]
    leaf = np.diff(hierarchy.child_ptr) == 0
    assert set(hierarchy.depths[leaf].tolist()) <= {2, 3, 4, 5, 6}
    sets = LabelSets.from_labels(texts[1], hierarchy)
    assert len(sets) == 2003
    tips = np.maximum.reduceat(sets.indices, sets.indptr[:-1])
    assert leaf[tips].all()
    assert (sets.lengths == hierarchy.depths[tips]).all()


@pytest.mark.exhaustive
@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_decoding_beats_every_threshold_and_is_worth_what_it_says(distribution, beta):
    best = decode_hf(distribution, beta)
    assert expected(distribution, best, f"hf(beta={beta})").values == pytest.approx(
        best.value, abs=1e-9
    )
    for t in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
        value = expected(distribution, apply_threshold(distribution, t), f"hf(beta={beta})").values
        assert (best.value >= value - 1e-9).all()


@pytest.mark.exhaustive
def test_the_knapsack_finds_the_same_value(distribution):
    few = distribution.part(0, 4)

    def f1(k, a, s):
        return np.where(k + a == 0, 1.0, 2 * s / np.maximum(k + a, 1))

    assert decode_set_value(few, f1).value == pytest.approx(decode_hf(few).value, abs=1e-9)


@pytest.mark.exhaustive
def test_facilities_on_the_tree_and_the_program_agree(distribution, hierarchy):
    some = distribution.part(0, 3)  # of each the most probable scenarios, with half of the mass
    falling = [lo + np.argsort(-some.p[lo:hi]) for lo, hi in pairwise(some.indptr)]
    top = [row[: 1 + np.searchsorted(np.cumsum(some.p[row]), 0.5)] for row in falling]
    p = np.concatenate([some.p[row] / some.p[row].sum() for row in top])
    ptr, sets = np.cumsum([0, *map(len, top)]), some.sets.take(np.concatenate(top))
    few = LabelDistribution.from_sets(hierarchy, ptr, p, sets)
    found = decode_gie(few, 2)
    used = np.unique(
        np.concatenate([hierarchy.ancestor_numbers(int(c)) for c in np.unique(few.tips)])
    )
    candidates = np.union1d(used, few.tips)
    assert decode_pairing(few, gie(2), candidates=candidates).value == pytest.approx(
        found.value, abs=1e-6
    )
    assert expected(few, found, "gie(default=2)").values == pytest.approx(found.value, abs=1e-9)


@pytest.mark.exhaustive
def test_a_head_runs_from_texts_to_decisions(hierarchy, texts):
    words = TfidfVectorizer(min_df=5, max_features=200).fit_transform(texts[0])
    model = LinearHead("conditional_softmax", hierarchy, alpha=1e-4, max_iter=8)
    model.fit(words[:400], [list(y) for y in texts[1][:400]])
    truth = LabelSets.from_labels(texts[1][400:500], hierarchy)
    scores = model.predict_scores(words[400:500])
    assert is_exhaustive(scores, 1e-9)
    curves = precision_recall_curves(truth, scores)
    dense, full = scores.dense(), np.zeros((100, len(hierarchy)))
    full[np.repeat(np.arange(100), truth.lengths), truth.indices] = 1
    for i in range(0, 100, 7):
        precision, recall, _ = precision_recall_curve(full[i, 1:], dense[i, 1:])
        assert curves.areas()[i] == pytest.approx(auc(recall, precision), abs=1e-12)
    best = decode(model.predict_distribution(words[400:500]), "hf")
    assert best.is_exact
    assert curves.mean_area() > precision_recall_curves(
        truth, LabelDistribution.from_leaves(np.full((100, 953), 1 / 953), hierarchy)
    ).mean_area()  # fmt: skip
