"""How much work scores are: what is sorted, paired and solved is counted, since times cannot be asserted."""

from collections import Counter

import pytest

from hierpair import score
from hierpair.measures.recipes import augmentation
from hierpair.pairing import Pairs
from hierpair.solvers import flow
from tests.benchmarks.workloads import generated_hierarchy, generated_labels

HIERARCHY = generated_hierarchy("dag19", 3_000)
TRUTH, PREDICTION = generated_labels(HIERARCHY, 1_000, 3.3, 3.25)

SETS = [
    "hp",
    "hr",
    "hf",
    "symmetric_difference",
    "hf(average=micro)",
    "hf(average=macro)",
    "hf(root=include)",
]
LEVELS = ["level_accuracy", "level_hamming", "level_accuracy(average=macro)"]
FLAT = ["precision", "recall", "f", "f(average=macro)", "subset_accuracy", "hamming_loss"]
PAIRS = ["gie", "mgia", "fnerror", "all_pairs", "gie(default=4)"]


@pytest.fixture
def work(monkeypatch):
    """Return a counter of what is done from now on."""
    done = Counter()

    def counted(home, name, amount):
        whole = getattr(home, name)

        def watched(*arguments, **options):
            result = whole(*arguments, **options)
            for what, n in amount(arguments, result).items():
                done[what] += n
            return result

        monkeypatch.setattr(home, name, watched)

    counted(augmentation, "_distinct", lambda _, found: {"cells": len(found[1]), "sorts": 1})

    counted(
        flow, "_block", lambda given, _: {"calls": int(len(given[1]) > 0), "arcs": len(given[1])}
    )
    between = Pairs.between.__func__

    def pairs_between(cls, *arguments, **options):
        done["pairs"] += 1
        return between(cls, *arguments, **options)

    monkeypatch.setattr(Pairs, "between", classmethod(pairs_between))
    return done


def cost_of(work, measures, truth=TRUTH, prediction=PREDICTION):
    work.clear()
    score(HIERARCHY, truth, {"mine": prediction}, measures)
    return Counter(work)


def test_all_measures_of_augmented_sets_share_one_sort(work):
    alone = cost_of(work, ["hf"])
    assert alone["cells"] > 20_000
    assert cost_of(work, [*SETS, *LEVELS]) == alone
    assert cost_of(work, LEVELS) == alone
    labels = cost_of(work, ["f"])
    assert 0 < labels["cells"] < alone["cells"] / 5
    assert cost_of(work, FLAT) == labels
    assert cost_of(work, [*FLAT, *SETS, *LEVELS]) == alone + labels
    assert cost_of(work, [*LEVELS, *SETS, *FLAT]) == alone  # labels are kept with what they bring


def test_more_entries_than_are_kept_are_sorted_for_each_recipe(work, monkeypatch):
    alone = cost_of(work, ["hf"])
    monkeypatch.setattr("hierpair.measures.recipes.batch.KEPT_ENTRIES", 1_000)
    assert cost_of(work, ["hf", "symmetric_difference"]) == alone  # one recipe
    assert cost_of(work, ["hf", "level_accuracy"])["cells"] == 2 * alone["cells"]


def test_pairs_are_laid_out_once_for_all_measures_of_pairs(work):
    assert cost_of(work, ["gie"])["pairs"] == 1
    assert cost_of(work, PAIRS)["pairs"] == 1
    assert cost_of(work, ["hf", "f", "level_accuracy"])["pairs"] == 0


def test_only_what_has_to_be_decided_is_solved(work):
    gie = cost_of(work, ["gie"])
    pairs = int((TRUTH.lengths * PREDICTION.lengths).sum())
    assert 0 < gie["arcs"] < pairs  # the full network has more arcs than pairs
    assert gie["calls"] <= gie["arcs"] / flow.BLOCK_ARCS + 1
    assert cost_of(work, ["all_pairs"])["calls"] == 0  # every pair is taken
    assert cost_of(work, SETS)["calls"] == 0
