"""Areas of classes: Clus and scikit-learn, a slow reference, laws and refusals."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, NodeScores
from hierpair.measures.scored.curves import class_areas
from tests import effort
from tests.measures.scored.cases import as_arrays, hierarchy_of_case, random_case, vectors
from tests.oracles import scored_classes as slow

NEAR = {"rel": 0, "abs": 1e-12}


def nan_for_none(value):
    return np.nan if value is None else value


@pytest.mark.parametrize("case", vectors("auprc"))
def test_published_areas(case):
    hierarchy = hierarchy_of_case(case)
    truth = LabelSets.from_labels(case["truth"], hierarchy)
    table = [[row.get(c, 0) for c in hierarchy.names] for row in case["scores"]]
    scores = NodeScores.from_array(table, hierarchy, with_root=False)
    ours = class_areas(truth, scores)
    clus = class_areas(truth, scores, interpolation="clus")
    straight = class_areas(truth, scores, interpolation="trapezoid")
    names = [hierarchy.names[c] for c in ours.classes]
    assert set(names) == set(case["evaluated"])
    sklearn, tool = case["expected"]["sklearn"], case["expected"]["clus"]
    for k, name in enumerate(names):
        of_tool = tool["classes"][name]
        assert ours.positives[k] == of_tool["positives"]
        for found, want in (
            (ours.auprc[k], nan_for_none(sklearn["average_precision"][name])),
            (straight.auprc[k], nan_for_none(sklearn["trapezoid_auprc"][name])),
            (ours.auroc[k], nan_for_none(sklearn["auroc"][name])),
            (np.nan_to_num(clus.auprc[k]), of_tool["auprc"]),
            (np.nan_to_num(clus.auroc[k], nan=0.5), of_tool["auroc"]),
        ):
            assert found == pytest.approx(want, **NEAR, nan_ok=True)
    for found, want in (
        (ours.micro_auprc(), sklearn["ap_micro"]),
        (ours.macro_auprc(), sklearn["ap_macro_positive"]),
        (ours.weighted_auprc(), sklearn["ap_weighted"]),
        (ours.micro_auroc(), sklearn["auroc_micro"]),
        (ours.macro_auroc(), sklearn["auroc_macro_both"]),
        (clus.micro_auprc(least=1), tool["pooled_auprc"]),
        (np.nan_to_num(clus.micro_auroc(least=1), nan=0.5), tool["pooled_auroc"]),
        (clus.macro_auprc(), tool["average_auprc"]),
        (clus.macro_auroc(zero_division=0.5), tool["average_auroc"]),
        (clus.weighted_auprc(), tool["weighted_average_auprc"]),
    ):
        assert found == pytest.approx(nan_for_none(want), **NEAR, nan_ok=True)


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(effort.cases(120)))
def test_slow_reference(seed):
    rng = np.random.default_rng(seed)
    parents, truth, scores = random_case(rng, dag=seed % 3 == 0, forest=seed % 3 == 1)
    sets, given = as_arrays(parents, truth, scores)
    roots = [v for v in parents if not parents[v]]
    rankings = slow.rankings(parents, truth, scores, roots if len(roots) == 1 else ())
    if not any(true for ranked in rankings.values() for _, true in ranked):
        with pytest.raises(BadInput, match="no instance has a true class that counts"):
            class_areas(sets, given)
        return
    kinds = {
        "step": slow.average_precision,
        "clus": slow.davis_goadrich,
        "trapezoid": slow.straight,
    }
    for interpolation, area in kinds.items():
        found = class_areas(sets, given, interpolation=interpolation)
        names = [found.hierarchy.names[c] for c in found.classes]
        assert sorted(names) == sorted(rankings)
        for name, auprc, auroc in zip(names, found.auprc, found.auroc, strict=True):
            ranked = rankings[name]
            n_true = sum(true for _, true in ranked)
            want = float(area(ranked)) if n_true else np.nan
            assert auprc == pytest.approx(want, **NEAR, nan_ok=True)
            want = float(slow.roc_area(ranked)) if 0 < n_true < len(ranked) else np.nan
            assert auroc == pytest.approx(want, **NEAR, nan_ok=True)
        for least in (0, 1, 2):
            chosen = [r for r in rankings.values() if sum(true for _, true in r) >= least]
            pooled = [pair for ranked in chosen for pair in ranked]
            if not chosen:
                with pytest.raises(BadInput, match="lower least"):
                    found.micro_auprc(least=least)
                continue
            assert found.micro_auprc(least=least) == pytest.approx(float(area(pooled)), **NEAR)
            if not all(true for _, true in pooled):
                want = float(slow.roc_area(pooled))
                assert found.micro_auroc(least=least) == pytest.approx(want, **NEAR)


def test_order_changes_no_bit():
    rng = np.random.default_rng(3)
    parents, truth, scores = random_case(rng, dag=True, n_rows=40)
    sets, given = as_arrays(parents, truth, scores)
    turned = rng.permutation(40)
    again = as_arrays(parents, [truth[i] for i in turned], [scores[i] for i in turned])
    one, other = class_areas(sets, given), class_areas(*again)
    for name in ("macro_auprc", "weighted_auprc", "micro_auprc", "macro_auroc", "micro_auroc"):
        assert getattr(one, name)() == getattr(other, name)()


def test_refusals():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    truth = LabelSets.from_labels(["a", "a"], tree)
    two = NodeScores.from_array([[0, 0.5, 0.2]] * 2, tree)
    with pytest.raises(BadInput, match="no class that counts has 3 true instances or more"):
        class_areas(truth, two).macro_auroc(least=3)
    with pytest.raises(BadInput, match="did you mean 'step'"):
        class_areas(truth, two, interpolation="steps")
    with pytest.raises(BadInput, match="no instance has a true class that counts"):
        class_areas(LabelSets.from_labels([[], "r"], tree), two)
