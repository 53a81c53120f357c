"""What holds of every measure of label sets: its traits, how it is pooled, how much is done."""

import math
from collections import Counter
from functools import cache
from itertools import islice

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, Infeasible, LabelSets, measure, score
from hierpair.comparison.common_scores import samples_of
from hierpair.evaluation.checked import counting_truth
from hierpair.measures import REGISTRY, Batch, measures_of
from hierpair.measures.recipes import augmentation
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.pairing import Pairs
from hierpair.solvers import flow
from tests import effort
from tests.benchmarks.workloads import generated_hierarchy, generated_labels
from tests.everything import LEVELS
from tests.reading import ends

# ------------------------------------------------------------------------------------ traits

LAW_PROBLEMS = 150
"""From this number on, the problems are of whole paths and of one class per level."""


@cache
def law_problem(i):
    """A random hierarchy with the labels of two sides: the same for every measure and law."""
    rng = np.random.default_rng([0, i])
    n = int(rng.integers(3, 10))
    forest = rng.random() < 0.3
    edges = [
        (f"c{p}", f"c{i}") for i in range(1, n)
        for p in set(rng.integers(0, i, rng.integers(not forest, 3)).tolist())
    ]  # fmt: skip
    names = [f"c{i}" for i in range(n)]
    if i >= LAW_PROBLEMS and rng.random() < 0.8:
        edges = list({child: (parent, child) for parent, child in edges}.values())
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    sides = [rng.choice(names, rng.integers(0, 4), replace=False).tolist() for _ in range(2)]
    return hierarchy, sides if i < LAW_PROBLEMS else drawn_paths(rng, hierarchy, sides)


def drawn_paths(rng, hierarchy, sides):
    """The sets, their whole paths (also the same on both sides), or a class of every level."""
    kind, levels = rng.integers(4), [hierarchy.names[lo:hi] for lo, hi in hierarchy.level_ranges()]
    if kind < 2:
        return [[str(rng.choice(level)) for level in levels] for _ in sides] if kind else sides
    drawn = [rng.choice(hierarchy.names, rng.integers(1, 4)).tolist() for _ in sides]
    true, pred = ({*side}.union(*map(hierarchy.ancestors, side)) for side in drawn)
    kept = {c for c in sorted(true if rng.random() < 0.5 else pred) if rng.random() < 0.9}
    return [sorted(true), sorted(kept)]


@cache
def law_batch(i, a, b, counts_truth):
    """What is true and predicted on sides a and b of a problem; measures share its columns.

    What is counted from the truth says nothing of one instance: there are others beside it.
    """
    hierarchy, sides = law_problem(i)
    others = [[c] for c in hierarchy.names] if counts_truth else []
    both = (LabelSets.from_labels([sides[k], *others], hierarchy) for k in (a, b))
    return Batch(hierarchy, *both)


@cache
def one(name, i, a=0, b=1):
    """The value of a measure, or None where it is not defined."""
    m = measure(name)
    batch = law_batch(i, a, b, bool(counting_truth([m])))
    try:
        return float(m.values(batch.columns(m.recipe))[0])
    except (Infeasible, BadInput):
        return None


def defined(name, i, a=0, b=1):
    value = one(name, i, a, b)
    return value is not None and math.isfinite(value)


def law_additive(name, i):
    """The value is that of one class alone, added up over the classes of the augmented sets."""
    hierarchy, sides = law_problem(i)
    m = measure(name)
    sets = getattr(m.recipe, "sets", m.recipe)
    of_sets = isinstance(sets, SetRecipe) and m.definition.family == "set"
    if not of_sets or sets.augment != "ancestors":
        return False
    tp, fp, fn = np.eye(3)
    columns = {"tp": tp, "fp": fp, "fn": fn, "n": np.ones(3), "n_classes": np.full(3, 9.0),
               "n_true": tp + fn, "n_pred": tp + fp, "n_both": tp}  # fmt: skip
    amounts = m.values(columns)
    others = [[c] for c in hierarchy.names]
    sides = (LabelSets.from_labels([x, *others], hierarchy) for x in sides)
    found = Batch(hierarchy, *sides).columns(m.recipe)
    parts = found.get("tp", found["n_both"])
    alone = [parts, found["n_pred"] - parts, found["n_true"] - parts]
    summed = sum(amount * part[0] for amount, part in zip(amounts, alone, strict=True))
    return math.isclose(summed, m.values(found)[0], abs_tol=1e-9)


PROPERTIES = {
    "additive": law_additive,
    "symmetric": lambda name, i: one(name, i) == one(name, i, 1, 0),
    "perfect": lambda name, i: one(name, i, 0, 0) == (REGISTRY[name].direction == "higher"),
    "bounded": lambda name, i: 0 <= one(name, i) <= 1,
    "total": defined,
}

NOT_SHOWN = {("retrieved_average_precision", "symmetric")}
"""Of lists against one class only those of one class have a value both ways, and the same one."""


def test_every_trait_is_a_law():
    assert {t for d in measures_of("labels").values() for t in d.traits} == PROPERTIES.keys()


@pytest.mark.random_cases
@pytest.mark.parametrize("law", PROPERTIES)
@pytest.mark.parametrize("name", measures_of("labels"))
def test_laws_hold_exactly_where_they_are_declared(name, law):
    """A declared law holds on random problems; an undeclared one fails on some."""
    declared = law in REGISTRY[name].traits or (name, law) in NOT_SHOWN
    needed = {"symmetric": ((0, 1), (1, 0)), "perfect": ((0, 1), (0, 0)), "bounded": ((0, 1),)}
    holds, telling = [], 0
    first = LAW_PROBLEMS if REGISTRY[name].family == "path" else 0
    for i in range(first, first + LAW_PROBLEMS):
        if all(defined(name, i, *sides) for sides in needed.get(law, ())):
            holds.append(PROPERTIES[law](name, i))
            telling += one(name, i) not in (0, 1)  # where nothing is right, much is the same
        if holds and not holds[-1]:
            break
        if declared and not effort.exhaustive and (telling == 10 or len(holds) == 40):
            break
    assert not declared or len(holds) > (20 if effort.exhaustive else 5)
    assert (bool(holds) and all(holds)) == declared  # mistake_severity has no perfect value


@pytest.mark.parametrize("name", measures_of("labels"))
def test_values_are_in_the_range_and_below_zero_where_it_goes_there(name):
    low, high = ends(REGISTRY[name].range)
    first = LAW_PROBLEMS if REGISTRY[name].family == "path" else 0
    known = (one(name, i) for i in range(first, first + 50) if defined(name, i))
    found = [*islice(known, 8)]
    assert low - 1e-12 <= min(found) <= max(found) <= high + 1e-12
    assert low >= 0 or min(found) < 0 or any(value < 0 for value in known)


# ------------------------------------------------------------------------------------ pooling

BY_CLASS = ["scaled_path_f(average=macro)", "constrained_f(average=macro)", "wap", "por(average=macro)",
            "hf(average=weighted)"]  # fmt: skip


def test_resampled_instances_are_pooled_like_a_data_set_of_them():
    """Averages by class or level, one with a factor of all instances, and one with weights."""
    times = np.random.default_rng(5).integers(0, 4, len(LEVELS.y_true))
    again = np.repeat(np.arange(len(times)), times)
    pick = lambda rows: [rows[i] for i in again]  # noqa: E731
    tree = LEVELS.fresh()[0]
    sides = LEVELS.y_true, {"a": LEVELS.y_pred, "b": LEVELS.y_true}
    for name in BY_CLASS:
        scores = score(tree, *sides, [name], keep_classes=True, chunk=7)
        drawn = score(tree, pick(sides[0]), {s: pick(y) for s, y in sides[1].items()}, [name])
        sample = samples_of(scores, [["a"], ["b"]])[0][0]
        whole, resampled = sample.pool(sample.sums(np.stack([times**0, times])))
        assert whole == pytest.approx(scores.values[:, 0], rel=1e-12)
        assert resampled == pytest.approx(drawn.values[:, 0], rel=1e-12)


# --------------------------------------------------- work: counted, since times cannot be asserted

HIERARCHY = generated_hierarchy("dag19", 3_000)
TRUTH, PREDICTION = generated_labels(HIERARCHY, 1_000, 3.3, 3.25)

SETS = ["hp", "hr", "hf", "symmetric_difference", "hf(average=micro)", "hf(average=macro)",
        "hf(root=include)"]  # fmt: skip
BY_LEVEL = ["level_accuracy", "level_hamming", "level_accuracy(average=macro)"]
FLAT = ["precision", "recall", "f", "f(average=macro)", "subset_accuracy", "hamming_loss"]


@pytest.fixture
def work(monkeypatch):
    """Return what scoring some measures does."""
    done = Counter()

    def counted(home, name, amount):
        whole = getattr(home, name)

        def watched(*arguments, **options):
            result = whole(*arguments, **options)
            done.update(amount(arguments, result))
            return result

        monkeypatch.setattr(home, name, watched)

    def cost_of(*measures):
        done.clear()
        score(HIERARCHY, TRUTH, {"mine": PREDICTION}, list(measures))
        return Counter(done)

    counted(augmentation, "_distinct", lambda _, found: {"cells": len(found[1]), "sorts": 1})
    counted(flow, "_block", lambda given, _: {"calls": len(given[1]) > 0, "arcs": len(given[1])})
    counted(Pairs, "between", lambda *_: {"pairs": 1})
    return cost_of


def test_all_measures_of_augmented_sets_share_one_sort(work, monkeypatch):
    alone, labels = work("hf"), work("f")
    assert 0 < labels["cells"] < alone["cells"] / 5
    assert alone["cells"] > 20_000
    assert work(*SETS, *BY_LEVEL) == work(*BY_LEVEL) == alone
    assert work(*FLAT) == labels
    assert work(*FLAT, *SETS, *BY_LEVEL) == alone + labels
    assert work(*BY_LEVEL, *SETS, *FLAT) == alone  # labels are kept with what they bring
    monkeypatch.setattr("hierpair.measures.recipes.batch.KEPT_ENTRIES", 1_000)
    assert work("hf", "symmetric_difference") == alone  # one recipe
    assert work("hf", "level_accuracy")["cells"] == 2 * alone["cells"]


def test_pairs_are_laid_out_once_and_only_what_has_to_be_decided_is_solved(work):
    gie, pairs = work("gie"), int((TRUTH.lengths * PREDICTION.lengths).sum())
    every = work("gie", "mgia", "fnerror", "all_pairs", "gie(default=4)")
    assert every["pairs"] == gie["pairs"] == 1
    assert 0 < gie["arcs"] < pairs  # the full network has more arcs than pairs
    assert gie["calls"] <= gie["arcs"] / flow.BLOCK_ARCS + 1
    assert work("all_pairs")["calls"] == 0  # every pair is taken
    sets = work(*SETS, *FLAT, *BY_LEVEL)
    assert (sets["calls"], sets["pairs"]) == (0, 0)
