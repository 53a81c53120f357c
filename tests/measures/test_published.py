"""Measures of label sets against printed numbers, published vectors and outputs of other tools."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets, load_case, score
from hierpair.metrics import leaf_macro_accuracy_score, point_overlap_score, score_like
from tests.paths import BUNDLED, SHARED
from tests.scenarios import MODERN, hierarchy_of_case, modern
from tests.scoring import values

# ----------------------------------------------------------------- Kosmopoulos et al., Riehl et al.

KOSMOPOULOS = {c["id"]: c for c in json.loads((BUNDLED / "kosmopoulos2014.json").read_text())}
COLUMNS = {
    "GIE": "gie", "MGIA": "mgia", "fnerror": "fnerror", "PH": "hp(root='include')",
    "RH": "hr(root='include')", "FH": "hf(root='include')",
    "SDL": "symmetric_difference(root='include')",
}  # fmt: skip
ERRATA = {
    ("fig12a", "GIE"): 2, ("fig12b", "GIE"): 3, ("fig15", "MGIA"): 0, ("fig17a", "MGIA"): 0.2,
    ("fig17a", "fnerror"): 12,
}  # fmt: skip
"""Printed numbers that the paper's own definitions contradict (docs/conventions.md)."""


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("case", KOSMOPOULOS.values(), ids=KOSMOPOULOS)
def test_case_studies_of_kosmopoulos_et_al(case, column):
    """Figures 2, 7-18 and Tables 1-8: the exact value by definition, as a correctly rounded float.

    fig17b is already the cut graph; x9 is fig17a with the threshold that makes it so.
    """
    threshold = case["params"].get("path_threshold") if case["id"] != "fig17b" else None
    hierarchy = Hierarchy.from_edges(case["edges"])
    got = values(COLUMNS[column], hierarchy, [case["true"]], [case["pred"]], threshold=threshold)
    assert got == [float(Fraction(case["computed"][column]))]
    printed = case["published"].get(column)
    if (case["id"], column) in ERRATA:
        assert float(printed) == ERRATA[case["id"], column] != got[0]
    elif printed is not None:
        assert_printed(printed, got[0], case["status_by_measure"][column])


def assert_printed(printed, value, status):
    number = 5.0 + float(printed.split("+")[0]) if "+" in printed else float(printed)
    decimals = len(printed.partition(".")[2])
    close = abs(number - value) <= 0.5 * 10**-decimals + 1e-12
    truncated = math.floor(value * 10**decimals + 1e-9) / 10**decimals == number
    propagated = printed == "0.49"  # F of the truncated 0.33
    assert close if status == "match" else truncated or propagated


def test_table_iii_of_riehl_et_al():
    """On a tree with single labels, PPV, TPR and F1 of Table III are micro hP, hR and hF."""
    printed = json.loads((BUNDLED / "riehl2023" / "published_tables.json").read_text())["III"]
    case = load_case("transposon")
    scores = score(case.hierarchy, case.y_true, case.systems, ["hp", "hr", "hf"], average="micro")
    assert len(printed) == len(case.systems) == 6
    for row in printed:
        mine = scores.values[scores.systems.index(row["model"])]
        wanted = [row[column] for column in ("PPV", "TPR", "F1")]
        assert (100 * mine).round(2) == pytest.approx(wanted, abs=0.011)
        tp, fp, fn = (row[column] for column in ("TP", "FP", "FN"))
        assert mine[:2].tolist() == [tp / (tp + fp), tp / (tp + fn)]


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
                got = score(
                    hierarchy, truth, {"s": np.array(case["ranking"])}, f"{RANKED[word]}(k={k})"
                )
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


@pytest.mark.parametrize("case", modern("icm"))
def test_information_contrast_is_that_of_the_tool(case):
    found, wanted = score_like("pyevall", *sides(case)), case["expected"]
    assert found["s", "ICM"] == pytest.approx(wanted["ICM"], rel=0, abs=1e-12)
    # where every truth is the same the tool divides by zero
    norm = math.nan if "ICMNorm_error" in wanted else wanted["ICMNorm"]
    assert found["s", "ICMNorm"] == pytest.approx(norm, rel=0, abs=1e-12, nan_ok=True)


# ------------- scikit-bio, CoPHE and pyhpo; how their values were made stands in the file

PUBLIC = json.loads((BUNDLED / "public_tools" / "values.json").read_text())


@pytest.mark.parametrize("case", PUBLIC["unifrac"], ids=lambda case: case["tree"])
def test_unifrac_of_scikit_bio(case):
    edges = [(str(a), str(b), length) for a, b, length in case["edges"]]
    tree = Hierarchy.from_edges(edges)
    truth, said = (LabelSets.from_amounts([case[side]], tree) for side in ("true", "pred"))
    names = ["weighted", "normalised", "unweighted", "bray_curtis"]
    measures = [f"{x}_unifrac(lengths=weights)" for x in names[:3]] + ["bray_curtis(at_level=1)"]
    found = score(tree, truth, {"s": said}, measures).values[0]
    assert found == pytest.approx([case[name] for name in names], abs=1e-12)


@pytest.mark.parametrize("case", PUBLIC["counts"])
def test_counts_of_cophe(case):
    tree = Hierarchy.from_edges([tuple(map(str, edge)) for edge in case["edges"]])
    truth, said = ([[str(x) for x in row] for row in case[side]] for side in ("true", "pred"))
    levels = ["", *(f"at_level={level}," for level in (3, 2, 1))]
    every = [case["overall"], *case["level 3, 2, 1"]]
    for level, wanted in zip(levels, every, strict=True):
        names = [f"count_{x}({level}average=micro)" for x in ("precision", "recall", "f")]
        assert score(tree, truth, {"s": said}, names).values[0] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("similarity", ["lin", "resnik"])
def test_best_matches_of_pyhpo(similarity):
    """Resnik's similarity is a share of the largest here, and plain information there."""
    dag = Hierarchy.from_edges([tuple(edge) for edge in PUBLIC["best match"]["edges"]])
    pairs = PUBLIC["best match"]["pairs"]
    truth, said = ([pair[side] for pair in pairs] for side in ("true", "pred"))
    name = f"best_match_average(cost={similarity}(intrinsic=seco))"
    found = score(dag, truth, {"s": said}, name).per_instance["s"][:, 0]
    unit = math.log(len(dag)) if similarity == "resnik" else 1
    assert found * unit == pytest.approx([pair[similarity] for pair in pairs], abs=1e-12)
