"""Areas of classes, calibration, proper scores, Fmax and Smin: tools, definitions, edge cases."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, LabelSets, NodeScores, score
from hierpair.evaluation import partial
from hierpair.labels.annotation_counts import information_accretion
from hierpair.labels.node_scores import scores_of_labels
from hierpair.measures import Batch, measure
from hierpair.measures.limbs import LimbSums, limbs_of
from hierpair.measures.scored import calibration
from hierpair.measures.scored.calibration import level_scores, node_brier, reliability
from hierpair.measures.scored.curves import class_areas
from hierpair.measures.scored.system import Scored
from hierpair.metrics import fmax_score, node_brier_loss
from hierpair.probabilistic import pooled_curve, pooled_curves
from tests import effort
from tests.oracles import scored_classes as slow
from tests.scenarios import as_arrays, hierarchy_of, hierarchy_of_case, modern, random_case

NEAR = {"rel": 0, "abs": 1e-12}
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])

# --------------------------------------------------------------------- published and recorded


def nan_for_none(value):
    return np.nan if value is None else value


@pytest.mark.parametrize("case", modern("auprc"))
def test_published_areas(case):
    hierarchy = hierarchy_of_case(case)
    truth = LabelSets.from_labels(case["truth"], hierarchy)
    table = [[row.get(c, 0) for c in hierarchy.names] for row in case["scores"]]
    scores = NodeScores.from_array(table, hierarchy, with_root=False)
    ours, clus, straight = (
        class_areas(truth, scores, scores.hierarchy, interpolation=how)
        for how in ("step", "clus", "trapezoid")
    )
    sklearn, tool = case["expected"]["sklearn"], case["expected"]["clus"]
    assert {hierarchy.names[c] for c in ours.classes} == set(case["evaluated"])
    pairs = [
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
    ]
    for k, name in enumerate(hierarchy.names[c] for c in ours.classes):
        of_tool = tool["classes"][name]
        pairs += [
            (ours.positives[k], of_tool["positives"]),
            (ours.auprc[k], sklearn["average_precision"][name]),
            (straight.auprc[k], sklearn["trapezoid_auprc"][name]),
            (ours.auroc[k], sklearn["auroc"][name]),
            (np.nan_to_num(clus.auprc[k]), of_tool["auprc"]),
            (np.nan_to_num(clus.auroc[k], nan=0.5), of_tool["auroc"]),
        ]
    for found, want in pairs:
        assert found == pytest.approx(nan_for_none(want), **NEAR, nan_ok=True)


OF_SINGLE_PRECISION = {"rel": 2e-7, "abs": 6e-7}


@pytest.mark.parametrize("case", modern("hiclass_calibration"))
def test_published_calibration(case):
    hierarchy = hierarchy_of_case(case)
    classes = [name for level in case["levels"] for name in level]
    scores = NodeScores.from_array(np.hstack(case["probabilities"]), hierarchy, classes=classes)
    true, said = (LabelSets.from_labels(case[x], hierarchy) for x in ("truth", "prediction"))
    bins = case["options"]["n_bins"]
    found = level_scores(true, scores, hierarchy, bins=bins, y_pred=said, preset="hiclass")
    for name, want in case["expected"].items():
        if "error" in want:  # hiclass stops at a level of two classes
            assert name == "sce"
            assert np.isnan(found.sce).any()
            continue
        near = OF_SINGLE_PRECISION if name == "log_loss" else NEAR
        assert getattr(found, name).tolist() == pytest.approx(want["levels"], **near)
        assert found.over_levels(name) == pytest.approx(want["average"], **near)
        assert found.over_levels(name, "sum") == pytest.approx(want["sum"], **near)


def log_score(truth, scores):
    return calibration.log_score(Scored(scores.hierarchy, truth, scores))


@pytest.mark.parametrize("case", modern("proper_scores"))
def test_recorded_scores(case):
    hierarchy = hierarchy_of_case(case)
    table = [[row.get(leaf, 0) for leaf in case["leaves"]] for row in case["law"]]
    law = LabelDistribution.from_leaves(table, hierarchy, classes=case["leaves"]).marginals()
    truth, want = LabelSets.from_labels(case["truth"], hierarchy), case["expected"]
    brier = node_brier(truth, law)
    assert brier.tolist() == pytest.approx(want["node_brier_instances"], **NEAR)
    of_leaves = score(hierarchy, truth, law, "leaf_brier")["system", "leaf_brier"]
    mean = brier.mean()
    found = mean, mean / len(case["evaluated"]), of_leaves, log_score(truth, law).mean()
    names = ("node_brier", "node_brier_per_class", "leaf_brier", "log_score")
    assert found == pytest.approx([want[name] for name in names], **NEAR)


# ------------------------------------------------------------------------------- definitions


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(effort.cases(120)))
def test_areas_calibration_and_brier_by_definition(seed):
    rng = np.random.default_rng(seed)
    grid = (8, 10)[seed % 2]  # halves and quarters often stand on the edge of a bin
    parents, truth, scores = random_case(rng, dag=seed % 3 == 0, forest=seed % 3 == 1, grid=grid)
    sets, given = as_arrays(parents, truth, scores)
    roots = [v for v in parents if not parents[v]]
    out = roots if len(roots) == 1 else []
    check_areas(sets, given, slow.rankings(parents, truth, scores, out))
    levels = list(slow.levels(parents, truth, scores, out))
    check_levels(sets, given, levels, int(rng.choice([1, 2, 4, 8])))
    known = [[v for v in parents if v not in roots and rng.random() < 0.2] for _ in truth]
    levels = list(slow.levels(parents, truth, scores, out, known))
    check_levels(sets.ignoring(known, given.hierarchy), given, levels, int(rng.choice([1, 2, 4])))
    weight = {v: Fraction(int(rng.integers(0, 9)), 4) for v in parents}
    for how, of, left_out in (({"weights": {v: float(x) for v, x in weight.items()}}, weight, out),
                              ({"root": "include"}, dict.fromkeys(parents, 1), [])):  # fmt: skip
        want = [float(slow.node_brier(parents, t, s, of, left_out))
                for t, s in zip(truth, scores, strict=True)]  # fmt: skip
        found = score(given.hierarchy, sets, {"s": given}, "node_brier", **how)
        assert found.per_instance["s"][:, 0].tolist() == pytest.approx(want, **NEAR)


def check_areas(sets, given, rankings):
    if not any(true for ranked in rankings.values() for _, true in ranked):
        with pytest.raises(BadInput, match="no instance has a true class that counts"):
            class_areas(sets, given, given.hierarchy)
        return
    kinds = (slow.average_precision, slow.davis_goadrich, slow.straight)
    for interpolation, area in zip(("step", "clus", "trapezoid"), kinds, strict=True):
        found = class_areas(sets, given, given.hierarchy, interpolation=interpolation)
        names = [found.hierarchy.names[c] for c in found.classes]
        assert sorted(names) == sorted(rankings)
        ranked = [rankings[name] for name in names]
        n_true = np.array([sum(true for _, true in pairs) for pairs in ranked])
        areas = np.array([both_areas(area, pairs) for pairs in ranked])
        assert np.stack([found.auprc, found.auroc], 1) == pytest.approx(areas, **NEAR, nan_ok=True)
        once = {"least": 1, "zero_division": 0.5}
        assert found.macro_auprc(zero_division=0.5) == found.macro_auprc(**once)
        weighted = np.nan_to_num(areas[:, 0]) @ n_true / n_true.sum()
        assert found.weighted_auprc() == pytest.approx(weighted, **NEAR)
        for least in (0, 1, 2):
            chosen = n_true >= least
            if not chosen.any():
                with pytest.raises(BadInput, match="lower least"):
                    found.micro_auprc(least=least)
                continue
            pooled = [pair for k in np.flatnonzero(chosen) for pair in ranked[k]]
            got = found.micro_auprc(least=least), found.micro_auroc(least=least)
            assert got == pytest.approx(both_areas(area, pooled), **NEAR, nan_ok=True)
            how = {"least": least, "zero_division": 0.5}
            want = np.nan_to_num(areas[chosen], nan=0.5).mean(axis=0)
            got = [found.macro_auprc(**how), found.macro_auroc(**how)]
            assert got == pytest.approx(want, **NEAR)
            assert least == 0 or found.macro_auprc(least=least) == pytest.approx(want[0])


def both_areas(area, ranked):
    n_true = sum(true for _, true in ranked)
    roc = slow.roc_area(ranked) if 0 < n_true < len(ranked) else math.nan
    return float(area(ranked)) if n_true else math.nan, float(roc)


def check_levels(sets, given, levels, bins):
    if not levels:
        with pytest.raises(BadInput, match="has a true class that counts"):
            level_scores(sets, given, given.hierarchy, bins=bins)
        return
    found = level_scores(sets, given, given.hierarchy, bins=bins)
    assert found.n_instances.tolist() == [len(judged) for _, judged in levels]
    assert found.n_classes.tolist() == [len(classes) for classes, _ in levels]
    for name in ("brier", "ece", "sce", "ace"):
        how = () if name == "brier" else (bins,)
        want = [float(getattr(slow, name)(*level, *how)) for level in levels]
        assert getattr(found, name).tolist() == pytest.approx(want, **NEAR)
    for (_, judged), loss in zip(levels, found.log_loss, strict=True):
        several = any(len(true) > 1 for _, true in judged)
        p = [float(row[next(iter(true))]) for row, true in judged]
        want = math.inf if 0 in p else -sum(map(math.log, filter(None, p))) / len(p)
        assert loss == pytest.approx(math.nan if several else want, **NEAR, nan_ok=True)
    for how, of in (("mean", np.mean), ("sum", np.sum)):
        names = {
            "brier": "",
            "ece": f",bins={bins}",
            "sce": f",bins={bins}",
            "ace": f",bins={bins}",
        }
        texts = [f"{name}(over_levels={how}{more})" for name, more in names.items()]
        got = score(given.hierarchy, sets, {"s": given}, texts).values[0]
        assert got == pytest.approx([of(getattr(found, name)) for name in names], **NEAR)
        parts = partial(given.hierarchy, sets, {"s": given}, texts[:3]).scores().values[0]
        assert parts == pytest.approx(got[:3], **NEAR)
    table = reliability(sets, given, given.hierarchy, bins=bins)
    assert table.error().tolist() == pytest.approx(found.ece.tolist(), **NEAR)


# ----------------------------------------------------------------------------------- by hand


DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")])


@pytest.mark.parametrize(("tree", "truth", "said", "p"), [
    (TREE, "c", {"a": 0.75, "b": 0.25, "c": 0.5, "d": 0.125}, 0.75 * (0.5 / 0.75)),
    (TREE, "a", {"a": 0.75, "b": 0.25, "c": 0.5, "d": 0.125}, 0.125),  # and none of its children
    (TREE, ["b", "r"], {"a": 0.75, "b": 0.25, "c": 0.5, "d": 0.125}, 0.25),
    (TREE, "r", {"r": 0.75, "a": 0.5, "b": 0}, 0.25), (TREE, "r", {"a": 0.5, "b": 0.25}, 0.25),
    (DAG, ["c"], {"a": 0.5, "b": 0.5, "c": 0.25, "d": 0.25}, 0.25), (TREE, "a", {"a": 0.25}, 0.25),
])  # fmt: skip
def test_log_score_follows_the_chain_rule(tree, truth, said, p):
    """Every instance has a single root."""
    found = score(tree, {"x": truth}, {"s": {"x": said}}, "log_score")
    assert found.values[0, 0] == pytest.approx(-math.log(p))


def test_what_makes_a_score_infinite_is_told():
    scores = NodeScores.from_array([[1, 0, 1, 0], [0, 1, 0, 0]], TREE, classes=list("abcd"))
    found = score(TREE, ["c", "d"], {"s": scores}, ["log_score", "level_log_loss"])
    assert found.values[0].tolist() == [math.inf, math.inf]
    told = "the truth had probability 0, so the score is infinite (1 instance)"
    assert found.to_text().count(told) == 2
    assert "infinite, which JSON cannot write (null)" in found.to_text()
    assert told not in score(TREE, ["c", "b"], {"s": scores}, "log_score").to_text()
    clipped = score(TREE, ["c", "d"], {"s": scores}, "level_log_loss(clip=0.25)")
    assert math.isfinite(clipped.values[0, 0])
    assert told not in clipped.to_text()


@pytest.mark.parametrize("name", ["brier", "level_log_loss", "ece", "sce"])
@pytest.mark.parametrize("how", ["mean", "sum"])
def test_an_instance_has_the_score_that_it_has_alone(name, how):
    scores = NodeScores.from_array([[0.75, 0.25, 0.5, 0.25]], TREE, classes=list("abcd"))
    truth, m = LabelSets.from_labels(["c"], TREE), measure(name, over_levels=how)
    alone = m.values(Batch(TREE, truth, scores).columns(m.recipe))
    assert alone == pytest.approx(score(TREE, truth, {"s": scores}, m).values[0])


# ------------------------------------------------------ curves of thresholds, Fmax and Smin

SMALL = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")])
TRUTH = {"x": ["c"], "y": ["b"], "z": ["a", "d"]}
SAID = {"x": {"c": 0.9, "d": 0.4}, "y": {"a": 0.7, "b": 0.35}, "z": {"d": 0.2}}


def value_of(text):
    return score(SMALL, TRUTH, {"s": SAID}, [text]).values[0, 0]


def close(got, want):
    want = np.array([np.nan if x is None else float(x) for x in want])
    return np.allclose(got, want, rtol=1e-14, atol=1e-13, equal_nan=True)


@pytest.mark.random_cases
@pytest.mark.parametrize("norm", ["cafa", "pred", "gt"])
@pytest.mark.parametrize("how", ["max", "fill", None])
@pytest.mark.parametrize("zero_weight", ["skip", "count"])
def test_every_number_is_what_the_definitions_say(norm, how, zero_weight):
    rng = np.random.default_rng(19)
    for k in range(effort.cases(80)):
        parents, truth, given = random_case(rng, dag=True, n_rows=int(rng.integers(1, 7)), grid=8)
        n, (sets, scores) = len(parents), as_arrays(parents, truth, given)
        weights = np.ones(n) if k % 3 == 0 else rng.choice([0.0, 0.3, 1.7, 1e-9, 23.0], n)
        counts = set(range(n)) if k % 2 else {c for c in range(n) if parents[c]}
        grid = None if k % 4 else [0.9, 0.55, 0.2]
        curve = pooled_curve(
            sets, scores, weights=weights[np.array(scores.hierarchy.names)], closure=how, norm=norm,
            zero_weight=zero_weight, root="include" if k % 2 else "exclude", thresholds=grid,
        )  # fmt: skip
        want, n_rows, of_truth = slow.sweep(
            parents, truth, given, {c: Fraction(w) for c, w in enumerate(weights.tolist())},
            counts, how, norm, zero_weight, grid,
        )  # fmt: skip
        assert curve.threshold.tolist() == [row["threshold"] for row in want]
        assert curve.n_predicted.tolist() == [row["n"] for row in want]
        assert curve.n_instances == n_rows
        columns = {"precision": curve.precision, "recall": curve.recall, "found": curve.found,
                   "mi": curve.misinformation, "ru": curve.uncertainty,
                   "precision_micro": curve.micro()[0], "recall_micro": curve.micro()[1]}  # fmt: skip
        known = [k for k, row in enumerate(want) if row["n"] or norm != "pred"]
        for name, got in columns.items():
            assert close(got[known], [want[k][name] for k in known]), name
        if want and n_rows:
            assert close([curve.fmax()], [slow.best_f(want, of_truth)])
            candidates = [slow.s_of(want[k]) for k in known]
            candidates += [] if norm == "pred" and known else [float(of_truth)]
            assert curve.smin() == pytest.approx(min(candidates), abs=1e-13)


def test_no_order_of_instances_changes_a_bit():
    rng, n = np.random.default_rng(3), 300
    parents, truth, _ = random_case(rng, dag=True, n_rows=n)
    table, weight = rng.random((n, len(parents))), rng.random(n)
    weights, found = rng.gamma(1.0, 3.0, len(parents)), set()
    for order in (np.arange(n), rng.permutation(n), np.arange(n)[::-1]):
        scores = NodeScores.from_array(table[order], hierarchy_of(parents))
        how = {"weights": weights, "sample_weight": weight[order]}
        found.add(str(pooled_curve([truth[i] for i in order], scores, **how).records().rows))
    assert len(found) == 1


def test_sums_and_means_of_limbs_are_rounded_once():
    rng = np.random.default_rng(9)
    for _ in range(effort.cases(200)):
        values = rng.random(20) * 10.0 ** rng.integers(-9, 9, 20) * (rng.random(20) < 0.8)
        lowest, limbs = limbs_of(values)
        table = np.array([limb.sum() for limb in limbs], dtype=np.int64).reshape(len(limbs), 1)
        sums, exact = LimbSums(lowest, table), sum(map(Fraction, values.tolist()))
        assert sums.floats().tolist() == [float(exact)]
        for n in (1, 3, 2**31 - 1, int(rng.integers(1, 10**6))):
            assert sums.over(np.array([float(n)])).tolist() == [float(exact / n)]
        assert sums.over(np.array([0.3])) == pytest.approx(float(exact) / 0.3, rel=1e-15)
    for top in range(50, 130, 5):  # half of the last bit is rounded to even, and more than that up
        for less, wanted in ((0.0, 2.0**top), (2.0 ** (top - 100), 2.0**top + 2.0 ** (top - 52))):
            lowest, limbs = limbs_of(np.array([2.0**top, 2.0 ** (top - 53), less]))
            table = np.array([limb.sum() for limb in limbs], dtype=np.int64).reshape(-1, 1)
            assert LimbSums(lowest, table).floats().tolist() == [wanted]
            assert LimbSums(lowest, 3 * table).over(np.array([3.0])).tolist() == [wanted]
    for n in (1, 3, 10**6 + 3, 2**31 - 1):  # quotients that are nearly half of a last bit
        for k in range(70):
            for more in (-1, 0, 1):
                whole = n * ((2**53 + 1) << k) + more
                table = np.array([[whole >> 32 * i & 2**32 - 1] for i in range(5)])
                assert LimbSums(0, table).over(np.array([float(n)])).tolist() == [whole / n]
    assert np.isnan(LimbSums(0, np.zeros((1, 1), dtype=np.int64)).over(np.array([0.0]))).all()


def curve_of(truth, said, **how):
    """The curve of one instance."""
    scores = NodeScores.from_array([[*said.values()]], SMALL, classes=[*said], with_root=False)
    curve = pooled_curves if "by" in how else pooled_curve
    return curve([truth], scores, **how)


@pytest.mark.parametrize(("options", "how"), [
    ("", {}), ("average='micro'", {"average": "micro"}), ("thresholds=0.25", {"thresholds": {0.25, 0.5, 0.75}}),
    ("norm='gt', prop='fill'", {"norm": "gt", "closure": "fill"}),
    ("root='include', zero_weight='count'", {"root": "include", "zero_weight": "count"}),
])  # fmt: skip
def test_they_are_the_best_points_of_the_curve(options, how):
    curve = pooled_curve(TRUTH, scores_of_labels(SAID, SMALL), **how)
    assert value_of(f"fmax({options})") == curve.fmax()
    if "average" not in how:
        assert value_of(f"smin({options})") == curve.smin()
        assert value_of(f"coverage({options})") == curve.coverage[curve.best()]


def test_weights_are_counted_from_the_truth_or_read(tmp_path):
    given = information_accretion(SMALL, LabelSets.from_labels(TRUTH, SMALL))
    curve = pooled_curve(TRUTH, scores_of_labels(SAID, SMALL), weights=given)
    file, rows = tmp_path / "ia.tsv", zip(SMALL.names, given.tolist(), strict=True)
    file.write_text("".join(f"{c}\t{w!r}\n" for c, w in rows))
    for weights in ("ia", str(file)):
        assert value_of(f"fmax(weights={weights!r})") == curve.fmax()
        assert value_of(f"smin(weights={weights!r})") == curve.smin()
    by_name = {"weights": pd.Series(given, SMALL.names)[::-1]}
    assert pooled_curve(TRUTH, scores_of_labels(SAID, SMALL), **by_name).fmax() == curve.fmax()
    scores, one_space = scores_of_labels(SAID, SMALL), dict.fromkeys(SMALL.names, "all")
    assert pooled_curves(TRUTH, scores, one_space, **by_name)["all"].fmax() == curve.fmax()
    f2 = pooled_curve(TRUTH, scores_of_labels(SAID, SMALL)).fmax(2)
    assert fmax_score(TRUTH, SAID, SMALL, beta=2) == pytest.approx(f2)


FACTS = {
    "aps": lambda curve: curve.area("aps"), "best": lambda curve: curve.threshold[curve.best()],
    "near": lambda curve: curve.threshold[curve.nearest()],
    "smin_threshold": lambda curve: curve.best_points()["smin_threshold"],
}  # fmt: skip


@pytest.mark.parametrize(("truth", "said", "how", "wanted"), [
    (["c"], {"c": 0, "d": 0}, {}, {"threshold": [], "fmax": 0, "smin": 2, "of_truth": 2, "nearest": None}),
    *((["r"], {"c": 0.9}, {"zero_weight": how}, {"n_instances": n}) for how, n in (("skip", 0), ("count", 1))),
    (["a"], {"d": 0.9}, {}, {"smin": 1, "smin_threshold": np.inf}),  # to predict nothing misses one class
    (["c"], {"c": 0.9, "d": 0.2}, {"classes": ["a", "b"]},  # which are cut after augmenting
     {"threshold": [0.9, 0.2], "recall": [1, 1], "precision": [1, 0.5]}),
    (["c", "d"], {"c": 0.9, "b": 0.6, "d": 0.3}, {}, {"fmax": 1}),
    (["c"], {"c": 0.9, "b": 0.6, "d": 0.3}, {"thresholds": [0.9, 0.8, 0.7]}, {"best": 0.7, "near": 0.7}),
    (["c"], {"c": 0.9}, {"weights": [0, 1, np.inf, 1, np.nan]}, {"fmax": 1}),  # of classes not in use
    # a threshold without predictions is no point; precision of the lower one is carried upwards
    (["c"], {"d": 0.9, "c": 0.5}, {}, {"recall": [0, 1], "area": 0.5, "aps": 0.5}),
    *((["a"], {"c": 0.6, "d": 0.2}, {"thresholds": t}, {"area": 0.5, "aps": 1}) for t in (None, [0.95, 0.9, 0.6, 0.2])),
    (["a"], {"c": 0.6, "d": 0.2}, {"thresholds": [0.9]}, {"area": 0, "aps": 0}),
])  # fmt: skip
def test_points_of_curves(truth, said, how, wanted):
    curve = curve_of(truth, said, **how)
    for name, want in wanted.items():
        got = FACTS[name](curve) if name in FACTS else getattr(curve, name)
        got = got() if callable(got) else got
        assert (got.tolist() if isinstance(got, np.ndarray) else got) == want, name


def test_without_truth_or_prediction():
    empty, some = {"x": {"c": 0.0}, "y": {}}, {"x": ["c"], "y": ["d"]}
    found = score(SMALL, some, {"s": empty}, ["fmax", "smin", "coverage"])
    assert found.values[0].tolist() == [0.0, 2.0, 0.0]
    for name in ("fmax", "smin", "coverage", "fmax(average=micro)"):
        with pytest.raises(BadInput, match=r"no instance has a true class that counts, .*exclude"):
            score(SMALL, {"x": [], "y": ["r"]}, {"s": {"x": {"c": 0.5}, "y": {}}}, [name])
    assert (
        fmax_score({"x": "a"}, {"x": {"a": 0.3}}, SMALL, thresholds=0.25) == 1
    )  # the lowest of three
    assert "Fmax" in repr(curve_of(["c"], {"c": 0.0}, thresholds=[0.5]))


def test_where_nothing_true_weighs_anything_there_is_no_recall():
    truth = {"x": ["c"], "y": ["a", "c"]}
    free = measure("fmax", weights={"r": 0, "a": 0, "b": 1, "c": 0, "d": 2})

    def of(x, y, **options):
        return score(SMALL, truth, {"s": {"x": x, "y": y}}, [free.with_options(**options)])

    for average in ("samples", "micro"):
        found = of({"d": 0.5}, {"c": 1}, average=average)
        assert np.isnan(found.values[0, 0])
        assert any("weigh nothing, so there is no recall (2 instances)" in n for n in found.notes)
    assert np.isnan(of({}, {"c": 0}).values[0, 0])
    assert of({"d": 0.5}, {"c": 1}, zero_weight="count").values[0, 0] == 0


# ----------------------------------------------------------------------------------- refusals

ONE = LabelSets.from_labels(["a", "a"], TREE)
TWO = NodeScores.from_array([[0, 0.5, 0.5, 0.25, 0.2]] * 2, TREE)
EMPTY = LabelSets.from_labels([[], "r"], TREE)
FOREST = Hierarchy.from_edges([("r", "a")], classes=["r", "a", "q"], roots="any")
HALVES = NodeScores.from_array([[0.5, 0.5, 0.5, 0.25]], TREE, classes=list("abcd"))


@pytest.mark.parametrize(("call", "why"), [
    (lambda: class_areas(ONE, TWO, TREE).macro_auroc(least=3), "no class that counts has 3 true instances or more"),
    (lambda: class_areas(ONE, TWO, TREE, interpolation="steps"), "did you mean 'step'"),
    (lambda: class_areas(EMPTY, TWO, TREE), "no instance has a true class that counts"),
    (lambda: node_brier_loss(["c", "a"], TWO, TREE, weights="ia", smooth=0), "class 'b' has no finite weight"),
    (lambda: score(TREE, [["c"], ["d", "c"]], {"s": TWO}, "level_log_loss"), "instance 1: .* several true classes at level 2"),
    (lambda: level_scores(ONE, TWO, TREE, bins=0), "bins must be a whole number from 1"),
    (lambda: level_scores(ONE, TWO, TREE, bins=2.5), "bins must be a whole number from 1"),
    (lambda: level_scores(ONE, TWO, TREE, clip=0.5), "clip must be a number ≥ 0 and < 0.5"),
    (lambda: level_scores(ONE, TWO, TREE, preset="hiclass"), "give y_pred"),
    (lambda: level_scores(ONE, TWO, TREE, preset="hiclass", y_pred=ONE, clip=0.1), "leave clip out"),
    (lambda: level_scores(ONE, TWO, TREE, preset="sklearn", y_pred=ONE), "preset must be one of hiclass"),
    (lambda: level_scores(EMPTY, TWO, TREE), "none of 2 instances has"),
    (lambda: level_scores(ONE, TWO, TREE).over_levels("auc"), "the score must be one of"),
    *((lambda x=x: NodeScores.from_array([[x, 0]], TREE, classes=list("ab")),
       r"class 'a': a score must be in \[0, 1\]") for x in (1.5, -0.1, math.nan)),
    *((lambda labels=labels: log_score(LabelSets.from_labels(labels, TREE), HALVES), why) for labels, why in (
        ([["c", "b"]], "instance 0: the log score is of one true path each, and the labels are 2"),
        ([[]], "the labels are 0 paths"),
        (["a"], "the children of class 'a' have 0.25 more than it has"),
    )),
    (lambda: score(DAG, ["a"], {"s": NodeScores.from_array([[1.0, 1.0]], DAG, classes=list("ac"))}, "log_score"),
     "in a DAG the probabilities of classes do not say"),
    (lambda: log_score(LabelSets.from_labels(["r"], FOREST),
                       NodeScores.from_array([[0.5, 0.5]], FOREST, classes=["a", "q"])),
     r"the children of class 'r' have 0\.5 more"),
    (lambda: curve_of(["c"], {"c": 0.9}).area("trapez"), "area must be"),
    (lambda: score(TREE, ["c"], {"s": np.array([["c", "d"]])}, "fmax"), "fmax: these are classes, best first, which"),
    (lambda: curve_of([], {"c": 0.0}).fmax(), "no curve"),
    *((lambda beta=beta: curve_of(["c"], {"c": 0.9}).fmax(beta), "beta must be a finite number")
      for beta in (-1, math.nan, math.inf)),
    *((lambda how=how: curve_of(["c"], {"c": 0.9}, **how), words) for how, words in (
        ({"norm": "cafe"}, "norm must be"), ({"closure": "mux"}, "closure must be"),
        ({"average": "macro"}, "average must be"), ({"zero_weight": "drop"}, "zero_weight must be"),
        ({"weights": [1.0]}, "each of the 5 classes"), ({"weights": [0, 1, -1, 1, 1]}, "the weight of class 'b' must be a number ≥ 0, got -1"),
        ({"weights": [0, np.inf, 1, 1, 1]}, "'a' is in use and has the weight inf"),
        ({"thresholds": [0]}, "thresholds must be"), ({"weights": "no such file"}, "there is no such file"),
        ({"sample_weight": ["much"]}, "sample_weight must hold one number per instance"),
        ({"by": "aabbc", "sample_weight": [1, 2]}, "sample_weight must have shape"),
        ({"classes": ["r"]}, "none of them counts"), ({"classes": ["zebra"]}, "zebra"),
    )),
])  # fmt: skip
def test_what_is_refused(call, why):
    with pytest.raises(BadInput, match=why):
        call()
