"""Measures of label sets against outputs of other tools; printed numbers are in tests/verification."""

import csv
import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets, score
from hierpair.cli import main
from hierpair.metrics import leaf_macro_accuracy_score, point_overlap_score, score_like
from tests.paths import BUNDLED, SHARED
from tests.scenarios import MODERN, hierarchy_of_case, modern


def number(given):
    return math.nan if given is None else float(Fraction(given))


# --------------------------------------------------- tools of the last years: one table of keys

PATHS = {
    "fpa": "full_path_accuracy", "tice": "tree_inconsistency", "wap": "weighted_average_precision",
    "por": "point_overlap", "tor": "tree_overlap", "prefix": "path_prefix",
    "edge_inconsistency": "edge_inconsistency",
}  # fmt: skip
CONSTRAINED = {
    "c_micro_f1": "constrained_f", "c_macro_f1": "constrained_f(average=macro)",
    "c_precision": "constrained_precision", "c_recall": "constrained_recall",
    "p_ori_micro_f1": "path_f", "p_ori_macro_f1": "path_f(average=macro)",
    "p_precision": "path_precision", "p_recall": "path_recall", "p_micro_f1": "scaled_path_f",
    "p_macro_f1": "scaled_path_f(average=macro)", "P_acc": "subset_accuracy",
    "independent_dropped_micro_f1": "constrained_f(inconsistent=drop)",
}  # fmt: skip
MISTAKES = {
    "mistake_severity": "mistake_severity", "lca_depth": "lca_depth",
    "mean_hops_of_mistakes": "mistake_severity(cost=hops)",
    "height_ilsvrc_normalised": "mean_cost(cost=height(normalise=root))",
}  # fmt: skip
RANKED = {
    "ahd": "ahd", "ahd_mistakes_topk": "ahd_mistakes", "ahd_best": "best_of",
    "similarity_precision": "similarity_precision", "devise_precision": "hprecision",
}  # fmt: skip
LEAVES = {
    "leaf_macro_accuracy": "leaf_macro_accuracy", "leaf_accuracy": "leaf_macro_accuracy(average=micro)",
}  # fmt: skip
FILES = {
    "paths": (PATHS, 45), "constrained": (CONSTRAINED, 40), "mistakes": (MISTAKES, None),
    "proper_scores": (LEAVES, 35),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.skipif(not MODERN.is_dir(), reason=f"no modern in {SHARED}")
def test_modern_vectors(name):
    keys, n_cases = FILES[name]
    cases = json.loads((MODERN / f"{name}.json").read_text("utf-8"))["cases"]
    assert n_cases in (None, len(cases))
    for case in cases:
        classes = case.get("classes") or [c for level in case["levels"] for c in level]
        hierarchy = Hierarchy.from_edges(case["edges"], classes=classes, roots="any")
        truth = [t if isinstance(t, list) else [t] for t in case["truth"]]
        said = case.get("prediction") or [ranking[:1] for ranking in case["ranking"]]
        found = score(hierarchy, truth, {"s": said}, list(keys.values()))
        for key, measured in keys.items():
            want = pytest.approx(number(case["expected"][key]), rel=0, abs=1e-12, nan_ok=True)
            assert found["s", measured] == want, (case["name"], key)
        if name == "constrained":
            tool = score_like("hierverb", hierarchy, truth, {"s": said})
            for key in tool.columns:
                assert abs(tool["s", key] - case["expected"][key]) <= 1e-12, (case["name"], key)
        for k, word in itertools.product(range(1, 9), RANKED if name == "mistakes" else ()):
            if str(k) in case["expected"][word]:
                ranked = {"s": np.array(case["ranking"])}
                got = score(hierarchy, truth, ranked, f"{RANKED[word]}(k={k})")
                want = pytest.approx(number(case["expected"][word][str(k)]), abs=1e-12, nan_ok=True)
                assert got.values[0, 0] == want, (case["name"], word, k)
        if name == "paths":
            each = point_overlap_score(truth, said, hierarchy, average=None)
            np.testing.assert_allclose(each, case["expected"]["level_accuracy"], rtol=0, atol=1e-12)
        if name == "proper_scores":
            each = leaf_macro_accuracy_score(truth, said, hierarchy, average=None)
            recall = {c: x for c, x in zip(hierarchy.names, each, strict=True) if not math.isnan(x)}
            assert recall == pytest.approx(case["expected"]["leaf_recall"], abs=1e-12)


def sides(case):
    said = {i: case["prediction"].get(i, []) for i in case["truth"]}
    return hierarchy_of_case(case), case["truth"], {"s": said}


INSTANCE = {"fp": "mi", "fn": "ru", "precision": "hp", "recall": "hr", "f": "hf",
            "s": "semantic_distance", "simgic": "simgic"}  # fmt: skip
DATA_SET = {
    "ru_w": "ru", "mi_w": "mi", "s_w": "semantic_distance", "rc_w": "hr",
    "pr_micro_w": "hp(average=micro)", "rc_micro_w": "hr(average=micro)",
    "f_micro_w": "hf(average=micro)", "pr_w": "hp(zero_division=nan)",
}  # fmt: skip


@pytest.mark.parametrize("case", modern("weighted_sets"))
def test_weighted_sets_are_those_of_the_tool(case):
    """Instances and rows of the data set; the tool has 0 where nothing weighs."""
    names = list(dict.fromkeys([*INSTANCE.values(), *DATA_SET.values()]))
    found = score(*sides(case), names, weights=case["weights"], root="include")
    pooled_of = dict(zip(names, found.values[0].tolist(), strict=True))
    instances = case["expected"]["instances"]
    for i, name in enumerate(found.ids):
        wanted = instances[name]
        got = dict(zip(INSTANCE, found.per_instance["s"][i], strict=False))
        if wanted["tp"] + wanted["fp"] + wanted["fn"] == 0:  # perfect here, 0 there
            assert [got[c] for c in ("precision", "recall", "f", "simgic")] == [1, 1, 1, 1]
            continue
        for column, value in got.items():  # None: nothing is predicted
            assert value == pytest.approx(wanted[column] or 0, rel=0, abs=1e-12), column
    if all(x["tp"] + x["fn"] for x in instances.values()):
        for column, measured in DATA_SET.items():
            value = pooled_of[measured]
            for norm, row in case["expected"]["data_set"].items():
                if norm == "cafa" or column != "pr_w":
                    got = 0 if math.isnan(value) else value  # no prediction weighs anything
                    assert got == pytest.approx(row[column], rel=0, abs=1e-12), (norm, column)


@pytest.mark.parametrize("case", modern("icm"))
def test_information_contrast_is_that_of_the_tool(case):
    found, wanted = score_like("pyevall", *sides(case)), case["expected"]
    assert found["s", "ICM"] == pytest.approx(wanted["ICM"], rel=0, abs=1e-12)
    # where every truth is the same the tool divides by zero
    norm = math.nan if "ICMNorm_error" in wanted else wanted["ICMNorm"]
    assert found["s", "ICMNorm"] == pytest.approx(norm, rel=0, abs=1e-12, nan_ok=True)


# ------------- scikit-bio, CoPHE and pyhpo; how their values were made stands in the file

PUBLIC = json.loads((BUNDLED / "public_tools" / "values.json").read_text())


def scored(edges, truth, said, measures):
    """Scores of labels that are written as texts."""
    tree = Hierarchy.from_edges([(str(a), str(b), *length) for a, b, *length in edges])
    sides = ([{str(c): x for c, x in row.items()} if isinstance(row, dict) else [*map(str, row)]
              for row in side] for side in (truth, said))  # fmt: skip
    form = LabelSets.from_amounts if isinstance(truth[0], dict) else LabelSets.from_labels
    truth, said = (form(side, tree) for side in sides)
    return score(tree, truth, {"s": said}, measures)


@pytest.mark.parametrize("case", PUBLIC["unifrac"], ids=lambda case: case["tree"])
def test_unifrac_of_scikit_bio(case):
    names = ["weighted", "normalised", "unweighted", "bray_curtis"]
    measures = [f"{x}_unifrac(lengths=weights)" for x in names[:3]] + ["bray_curtis(at_level=1)"]
    found = scored(case["edges"], [case["true"]], [case["pred"]], measures).values[0]
    assert found == pytest.approx([case[name] for name in names], abs=1e-12)


@pytest.mark.parametrize("case", PUBLIC["counts"])
def test_counts_of_cophe(case):
    levels = ["", *(f"at_level={level}," for level in (3, 2, 1))]
    of = itertools.product(levels, ("precision", "recall", "f"))
    names = [f"count_{x}({level}average=micro)" for level, x in of]
    found = scored(case["edges"], case["true"], case["pred"], names).values[0]
    assert found == pytest.approx(sum(case["level 3, 2, 1"], case["overall"]), abs=1e-12)


@pytest.mark.parametrize("similarity", ["lin", "resnik"])
def test_best_matches_of_pyhpo(similarity):
    """Resnik's similarity is a share of the largest here, and plain information there."""
    edges, pairs = (PUBLIC["best match"][key] for key in ("edges", "pairs"))
    sides = ([pair[side] for pair in pairs] for side in ("true", "pred"))
    found = scored(edges, *sides, f"best_match_average(cost={similarity}(intrinsic=seco))")
    unit = math.log(len({c for edge in edges for c in edge})) if similarity == "resnik" else 1
    wanted = [pair[similarity] for pair in pairs]
    assert found.per_instance["s"][:, 0] * unit == pytest.approx(wanted, abs=1e-12)


def test_the_example_of_cafa_evaluator(capsys):
    """The values and thresholds that the tool prints for the example it comes with."""
    data = Path(pytest.importorskip("cafaeval").__file__).parent / "data" / "example"
    if not data.is_dir():
        pytest.skip("the example does not come with this version")
    files = [*data.glob("*.obo"), data / "ground_truth.tsv", *data.glob("predictions/*.tsv")]
    how = "--preset cafaeval --missing empty --label-format long -q --format csv"
    assert main(["score", *map(str, files), *how.split()]) == 0
    rows = csv.DictReader(capsys.readouterr().out.splitlines())
    of = ("value", "threshold")
    f = {r["system"]: tuple(round(float(r[x]), 6) for x in of) for r in rows if r["column"] == "f"}
    assert f == {
        "pred_1": (0.517120, 0.04), "pred_2": (0.539604, 0.84), "pred_3": (0.668637, 0.89),
        "pred_4": (0.776137, 0.06), "pred_5": (0.674768, 0.38),
    }  # fmt: skip
