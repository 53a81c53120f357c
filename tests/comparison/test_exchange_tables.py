"""Averages over classes after exchanges: those of tables, of formulas, and of exchanged labels."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

from hierpair import Hierarchy, compare, score, set_measure
from hierpair.comparison import samples
from hierpair.comparison.common_scores import samples_of
from hierpair.comparison.samples import EXCHANGES, Draws, Sample, summed, whole_up_to
from tests import effort
from tests.scenarios import hierarchy_of, random_parents

SETS = [
    f"{name}(average={average}{more})"
    for name in ("hf", "hp", "precision", "recall")
    for average in ("macro", "weighted")
    for more in ("", ", zero_division=1", ", zero_division=nan")
]
MEASURES = [
    *SETS,
    "contribution_precision(average=macro)",
    "contribution_accuracy(average=macro)",
    "contribution_accuracy(average=macro, classes=seen)",
    "contribution_accuracy(average=weighted)",
    "level_accuracy",
    "constrained_f(average=macro)",
]


def random_systems(rng, *, n=40, n_systems=3, rare=False):
    """A hierarchy, true labels, and systems that have some of them wrong."""
    parents = random_parents(rng, int(rng.integers(4, 25)), dag=bool(rng.random() < 0.5))
    classes = list(parents)[1:]
    unseen = classes[len(classes) // 2 :] if rare else []

    def labels(pool):
        return [list(rng.choice(pool, min(len(pool), int(rng.integers(0, 3))), replace=False))
                for _ in range(n)]  # fmt: skip

    truth = labels([c for c in classes if c not in unseen] or classes)
    systems = {}
    for k in range(n_systems):
        other = labels(classes)
        systems[f"s{k}"] = [
            o if rng.random() < 0.3 else t for t, o in zip(truth, other, strict=True)
        ]
    return hierarchy_of(parents), truth, systems


def gaps(sample, draws, pairs, method=None):
    """Differences of all pairs in every exchange, shape (rows, pairs)."""
    return np.concatenate([*(method or type(sample).gaps)(sample, draws, pairs)])


@pytest.mark.parametrize("seed", range(effort.cases(240)))
def test_tables_say_what_formulas_say(seed, monkeypatch):
    """By tables and by the formula, as limits have it, alone and together."""
    rng = np.random.default_rng(seed)
    hierarchy, truth, systems = random_systems(rng, rare=seed % 3)
    weight = rng.integers(0, 4, len(truth)).astype(float) if seed % 3 == 0 else None
    scores = score(hierarchy, truth, systems, MEASURES, keep_classes=True, sample_weight=weight)
    groups, pairs = [[s] for s in systems], np.array([[0, 1], [2, 0], [1, 2]])
    if seed % 4 == 0:  # runs
        groups, pairs = [["s0", "s1"], ["s2", "s1"]], np.array([[0, 1]])
    draws = Draws(EXCHANGES, len(truth), 64, seed).block(0)
    monkeypatch.setattr(samples, "MOST_STATES", (2**14, 20, 60, 300)[seed % 4])
    tabled = 0
    for sample, m in zip(samples_of(scores, groups), scores.measures, strict=True):
        tabled += getattr(sample, "tables", None) is not None
        found = gaps(sample, draws, pairs)
        plain = gaps(sample, draws, pairs, Sample.gaps)
        assert found == pytest.approx(plain, abs=1e-12, nan_ok=True), m.name
    assert tabled > len(scores.measures) / 2 or seed % 4


def test_no_formula_per_exchange():
    """A formula is asked for every state, not for every exchange."""
    asked = []

    @set_measure(formula="t", source="test", direction="higher", range="[0, 1]")
    def counted_recall(n_true, n_pred, n_both):
        """Recall that counts what it is asked."""
        asked.append(len(n_true))
        return n_both / np.maximum(n_true, 1)

    tree = Hierarchy.from_edges([("r", c) for c in "abcdefgh"])
    rng = np.random.default_rng(0)
    truth = [[c] for c in rng.choice(list("abcdefgh"), 60)]
    systems = {f"s{k}": [t if rng.random() < 0.9 else ["a"] for t in truth] for k in range(3)}
    scores = score(tree, truth, systems, "counted_recall(average=macro)", keep_classes=True)
    counts = {}
    for n_permutations in (100, 2_000):
        asked.clear()
        compare(scores, n_permutations=n_permutations, n_bootstrap=1)
        counts[n_permutations] = sum(asked)
    assert counts[2_000] == counts[100] < 8 * 2_000


def test_a_formula_need_not_take_what_no_labels_have():
    """More classes in both sets than predicted: tables ask for that, labels never."""

    @set_measure(formula="t", source="test", direction="higher", range="[0, 1]")
    def strict_share(n_true, n_pred, n_both):
        """One that divides by zero there."""
        return 1 / (1 + n_pred - n_both)

    @set_measure(formula="t", source="test", direction="lower", range="[0, inf)")
    def strict_root(n_true, n_pred, n_both):
        """One that checks."""
        assert (n_both <= n_pred).all()
        return np.sqrt(n_pred - n_both)

    rng = np.random.default_rng(0)
    tree = Hierarchy.from_edges([("r", c) for c in "abcdefgh"])
    truth = [[c] for c in rng.choice(list("abcdefgh"), 60)]
    systems = {
        f"s{k}": [t if rng.random() < 0.7 else [str(rng.choice(list("abcdefgh")))] for t in truth]
        for k in range(2)
    }
    names = ["strict_share(average=macro)", "strict_root(average=macro)"]
    scores = score(tree, truth, systems, names, keep_classes=True)
    found = compare(scores, n_permutations=200, n_bootstrap=10)
    draws = Draws(EXCHANGES, 60, 200, 0).block(0)
    for k, sample in enumerate(samples_of(scores, [[s] for s in systems])):
        assert sample.tables is None
        gap = gaps(sample, draws, np.array([[0, 1]]), Sample.gaps)[:, 0]
        observed = abs(scores.values[0, k] - scores.values[1, k])
        assert found.p[k, 0, 1] == ((gap >= observed - 1e-12).sum() + 1) / 201


def test_huge_and_broken_weights_have_no_tables():
    tree = Hierarchy.from_edges([("r", c) for c in "abcd"])
    truth = [["a"], ["b"], ["c"], ["d"]]
    systems = {"x": [["a"], ["b"], ["d"], ["c"]], "y": [["a"], ["c"], ["c"], ["d"]]}
    for weight, tabled in ((2.0**40, True), (2.0**62, False), (0.3, False)):
        scores = score(
            tree, truth, systems, "f(average=macro)", keep_classes=True,
            sample_weight=np.full(4, weight),
        )  # fmt: skip
        (sample,) = samples_of(scores, [["x"], ["y"]])
        assert np.isfinite(whole_up_to(sample.columns)) == (weight > 1)
        assert tabled or sample.tables is None
        draws, pairs = Draws(EXCHANGES, 4, 6, 0).block(0), np.array([[0, 1]])
        assert gaps(sample, draws, pairs) == pytest.approx(
            gaps(sample, draws, pairs, Sample.gaps), abs=1e-12
        )


def test_only_columns_of_classes_may_move():
    """A column of all instances together that depends on the system has no place in tables."""
    rng = np.random.default_rng(1)
    hierarchy, truth, systems = random_systems(rng)
    scores = score(hierarchy, truth, systems, "hf(average=macro)", keep_classes=True)
    (sample,) = samples_of(scores, [[s] for s in systems])
    other = sample.columns.tolil()
    other[0, -1] = 1
    moved = replace(sample, columns=other.tocsc())
    assert sample.tables is not None
    assert moved.tables is None


def test_many_pairs_are_held_in_pieces(monkeypatch):
    """What is held does not grow with pairs times exchanges."""
    rng = np.random.default_rng(0)
    hierarchy, truth, systems = random_systems(rng, n_systems=12)
    scores = score(hierarchy, truth, systems, "f(average=macro)", keep_classes=True)
    (sample,) = samples_of(scores, [[s] for s in systems])
    pairs = np.array([(i, j) for i in range(12) for j in range(i)])
    monkeypatch.setattr(samples, "MOVED_CELLS", 20_000)
    sizes = [
        piece.size for piece in sample.gaps(Draws(EXCHANGES, len(truth), 500, 0).block(0), pairs)
    ]
    assert sum(sizes) == 500 * len(pairs)
    assert max(sizes) <= 20_000 / 8


@pytest.mark.parametrize("entry", [3.0, 4_000.0, 2.0**40, np.inf])
@pytest.mark.parametrize("n_draws", [1, 4, 7])
def test_sums_in_few_bits_are_sums(entry, n_draws):
    """In 16 and in 32 bits, as floats, and of numbers that are not whole; also below zero."""
    rng = np.random.default_rng(n_draws)
    whole = rng.integers(-1, 2, (50, 9)) * (entry if np.isfinite(entry) else 0.5)
    draws = rng.integers(0, 5, (n_draws, 50)).astype(float)
    found = summed(draws, scipy.sparse.csc_array(whole))
    kinds = {3.0: np.int16, 4_000.0: np.int32}
    assert found.dtype == kinds.get(entry, np.float64)
    assert found.tolist() == (whole.T @ draws.T).tolist()
