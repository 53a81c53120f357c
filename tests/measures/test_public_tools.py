"""Values of scikit-bio, CoPHE and pyhpo; how they were made stands in the file."""

import json
import math

import pytest

from hierpair import Hierarchy, LabelSets, score
from tests.paths import ROOT

VALUES = json.loads((ROOT / "tests/data/public_tools/values.json").read_text())


@pytest.mark.parametrize("case", VALUES["unifrac"], ids=lambda case: case["tree"])
def test_unifrac_of_scikit_bio(case):
    edges = [(str(a), str(b), length) for a, b, length in case["edges"]]
    tree = Hierarchy.from_edges(edges)
    truth, said = (LabelSets.from_amounts([case[side]], tree) for side in ("true", "pred"))
    names = ["weighted", "normalised", "unweighted", "bray_curtis"]
    measures = [f"{x}_unifrac(lengths=weights)" for x in names[:3]] + ["bray_curtis(at_level=1)"]
    found = score(tree, truth, {"s": said}, measures).values[0]
    assert found == pytest.approx([case[name] for name in names], abs=1e-12)


@pytest.mark.parametrize("case", VALUES["counts"])
def test_counts_of_cophe(case):
    tree = Hierarchy.from_edges([tuple(map(str, edge)) for edge in case["edges"]])
    truth, said = ([[str(x) for x in row] for row in case[side]] for side in ("true", "pred"))
    levels = ["", *(f"at_level={level}," for level in (3, 2, 1))]
    every = [case["overall"], *case["level 3, 2, 1"]]
    for level, values in zip(levels, every, strict=True):
        names = [f"count_{x}({level}average=micro)" for x in ("precision", "recall", "f")]
        assert score(tree, truth, {"s": said}, names).values[0] == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("similarity", ["lin", "resnik"])
def test_best_matches_of_pyhpo(similarity):
    """Resnik's similarity is a share of the largest here, and plain information there."""
    dag = Hierarchy.from_edges([tuple(edge) for edge in VALUES["best match"]["edges"]])
    pairs = VALUES["best match"]["pairs"]
    truth, said = ([pair[side] for pair in pairs] for side in ("true", "pred"))
    name = f"best_match_average(cost={similarity}(intrinsic=seco))"
    found = score(dag, truth, {"s": said}, name).per_instance["s"][:, 0]
    unit = math.log(len(dag)) if similarity == "resnik" else 1
    assert found * unit == pytest.approx([pair[similarity] for pair in pairs], abs=1e-12)
