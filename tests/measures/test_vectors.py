"""Worked vectors of exact fractions: case studies, augmented sets, weights, contributions, costs."""

import json
import math
from fractions import Fraction
from operator import itemgetter

import numpy as np
import pytest

from hierpair import Hierarchy, load_case, score
from hierpair.metrics import contributions_by_class
from hierpair.pairing import CostMatrix, DecayedEdges
from tests.paths import BUNDLED
from tests.scoring import all_pairs_of, pooled, values


def vectors(name):
    """A file of vectors, the names of its classes, and its tree."""
    data = json.loads((BUNDLED / f"{name}.json").read_text())
    names = data.get("names", [f"c{i}" for i in data.get("classes", ())] + ["root"])
    parents = data.get("parents", [len(names) - 1] * (len(names) - 1))
    edges = [(names[p], names[c]) for c, p in enumerate(parents) if p is not None]
    return data, names, Hierarchy.from_edges(edges)


def exact(fraction):
    return math.nan if fraction is None else float(Fraction(fraction))


KOSMOPOULOS = {
    "GIE": "gie", "MGIA": "mgia", "fnerror": "fnerror", "PH": "hp(root='include')",
    "RH": "hr(root='include')", "FH": "hf(root='include')",
    "SDL": "symmetric_difference(root='include')",
}  # fmt: skip


@pytest.mark.parametrize(
    "case", json.loads((BUNDLED / "kosmopoulos2014.json").read_text()), ids=itemgetter("id")
)
def test_case_studies_of_kosmopoulos_et_al(case):
    """Exact by definition; what is printed is judged by ``hierpair verify``.

    fig17b is already the cut graph; x9 is fig17a with the threshold that makes it so.
    """
    threshold = case["params"].get("path_threshold") if case["id"] != "fig17b" else None
    of = Hierarchy.from_edges(case["edges"]), [case["true"]], [case["pred"]]
    for column, name in KOSMOPOULOS.items():
        assert values(name, *of, threshold=threshold) == [exact(case["computed"][column])]


def test_table_iii_of_riehl_et_al():
    """Beyond the printed percentages: exactly TP / (TP + FP) and TP / (TP + FN)."""
    case = load_case("transposon")
    printed = json.loads((BUNDLED / "riehl2023" / "published_tables.json").read_text())["III"]
    scores = score(case.hierarchy, case.y_true, case.systems, ["hp", "hr"], average="micro")
    for row in printed:
        tp, fp, fn = (row[column] for column in ("TP", "FP", "FN"))
        found = scores.values[scores.systems.index(row["model"])].tolist()
        assert found == [tp / (tp + fp), tp / (tp + fn)]


@pytest.mark.parametrize(("family", "key", "augment", "root"), [
    ("ipeirotis", "hP", "descendants", "include"), ("ipeirotis", "hR", "descendants", "include"),
    ("kiritchenko", "hP", "ancestors", "exclude"), ("kiritchenko", "hR", "ancestors", "exclude"),
])  # fmt: skip
def test_precision_and_recall_of_augmented_sets(family, key, augment, root):
    data, names, tree = vectors("ipeirotis_kiritchenko")
    pairs, how = data["pairs"], {"augment": augment, "root": root}
    of = tree, *([[names[i] for i in pair[side]] for pair in pairs] for side in ("true", "pred"))
    got = values(key.lower(), *of, zero_division=math.nan, **how)
    assert got == pytest.approx([exact(p[family][key]) for p in pairs], abs=0, nan_ok=True)
    micro = exact(data["micro_over_all_pairs"][family][key[1]])
    assert pooled(key.lower(), *of, average="micro", **how) == micro


@pytest.mark.parametrize("k", range(4))
def test_weighted_paths_and_euclidean_distances(k):
    data, names, tree = vectors("probabilistic/depth_weights")
    scheme = [s for s in data["schemes"] if "w0" in s][k]
    w0 = Fraction(scheme["w0"])
    scale = 1 if scheme["form"].endswith("depth(child)") else w0
    cost = all_pairs_of(tree, names)(DecayedEdges(float(w0)))
    for u, row in zip(names, scheme["distance_matrix"], strict=True):
        for v, distance in zip(names, row, strict=True):
            want = float(Fraction(distance) * scale)
            assert cost[u, v] == want
            assert values("depth_loss", tree, [u], [v], w0=float(w0)) == [want]
    euclidean = scheme["weighted_euclidean(3,5)"] * math.sqrt(scale)
    found = values("depth_euclidean", tree, ["1.1"], ["2.1"], w0=float(w0))
    assert found == pytest.approx([euclidean], abs=1e-15)


def test_contributions_of_sun_and_lim():
    """Per class, micro and macro, as exact fractions rounded once (macro: a mean of floats)."""
    data, names, tree = vectors("probabilistic/sunlim")
    of_keys = {"P": "precision", "R": "recall", "Acc": "accuracy", "Err": "error"}
    for case in data["cases"]:
        sides = [[[names[i] for i in row] for row in case[side]] for side in ("true", "pred")]
        how = {"theta": case.get("Dis_theta", 2), "classes": "all"}
        for key, name in of_keys.items():
            for average, error in (("micro", 0), ("macro", 1e-15)):
                got = pooled(f"contribution_{name}", tree, *sides, average=average, **how)
                assert got == pytest.approx(exact(case[average][key]["frac"]), rel=0, abs=error)
        table = contributions_by_class(*sides, tree, **how)
        assert {names[i] for i in case["classes"]} == set(table)
        for number, want in case["per_class"].items():
            row = table[names[int(number)]]
            assert [row.tp, row.fp, row.fn, row.tn] == [want[k] for k in ("TP", "FP", "FN", "TN")]
            found = (row.fp_con, row.fn_con, row.precision, row.recall, row.accuracy, row.error)
            wanted = [exact(want[k]["frac"]) for k in ("FpCon", "FnCon", *of_keys)]
            assert found == pytest.approx(wanted, abs=1e-15)


def test_cost_matrices():
    data, names, flat = vectors("probabilistic/cost_matrix")
    costs, order = np.zeros((len(flat), len(flat))), flat.index(names[:-1])
    costs[np.ix_(order, order)] = [[float(x) for x in row] for row in data["cost[true][pred]"]]
    of = flat, *([f"c{i}" for i in data[side]] for side in ("true", "pred"))
    cost = CostMatrix(costs.T)  # the vectors are by true and predicted class
    keys = {"total": "total", "mean": "mean", "normalised": "normalised_by_worst_case"}
    for given in (cost, lambda pairs: costs[pairs.true, pairs.predicted]):
        for name, key in keys.items():
            assert pooled(f"{name}_cost", *of, cost=given) == exact(data[key])
