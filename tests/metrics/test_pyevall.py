"""PyEvALL's ICM: the tool itself on random forests where it is installed, and its own rules."""

import json
import math

import numpy as np
import pytest

from hierpair import Hierarchy
from hierpair.metrics import pyevall_icm_soft, score_like
from tests.paths import SHARED


def random_forest(rng):
    n = int(rng.integers(3, 9))
    names = [f"c{i}" for i in range(n)]
    parent = {i: int(rng.integers(0, i)) if i and rng.random() < 0.8 else None for i in range(n)}
    edges = [(names[p], names[c]) for c, p in parent.items() if p is not None]
    return Hierarchy.from_edges(edges, classes=names), parent, names


def nested(parent, names, above=None):
    """The form that the tool reads: dicts, and a list where no child has children."""
    found = {names[c]: nested(parent, names, c) for c, p in parent.items() if p == above}
    return list(found) if above is not None and not any(found.values()) else found


@pytest.mark.filterwarnings("ignore")  # it uses what pandas will not have any more
@pytest.mark.parametrize("seed", range(6))
def test_the_tool_gives_the_same(seed, tmp_path):
    evaluation = pytest.importorskip("pyevall.evaluation")
    from pyevall.utils.utils import PyEvALLUtils

    rng = np.random.default_rng(seed)
    hierarchy, parent, names = random_forest(rng)
    rows = {
        side: {
            str(i): rng.choice(names, rng.integers(1, 4), replace=False).tolist() for i in range(12)
        }
        for side in ("truth", "guess")
    }
    paths = {}
    for side, labels in rows.items():
        items = [{"test_case": "T", "id": i, "value": sorted(v)} for i, v in labels.items()]
        paths[side] = tmp_path / f"{side}.json"
        paths[side].write_text(json.dumps(items))
    report = evaluation.PyEvALLEvaluation().evaluate(
        str(paths["guess"]), str(paths["truth"]), ["ICM", "ICMNorm"],
        **{PyEvALLUtils.PARAM_HIERARCHY: nested(parent, names),
           PyEvALLUtils.PARAM_REPORT: PyEvALLUtils.PARAM_OPTION_REPORT_EMBEDDED},
    ).report  # fmt: skip
    found = score_like("pyevall", hierarchy, rows["truth"], {"s": rows["guess"]})
    for column in ("ICM", "ICMNorm"):
        known = report["metrics"][column]["results"]["average_per_test_case"]
        assert found["s", column] == pytest.approx(known, abs=1e-12)


def test_a_label_of_no_class_is_a_root_of_its_own():
    """It costs log2 n: 2 bits of four instances."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    truth = {"1": ["a"], "2": ["b"], "3": ["a"], "4": ["b"]}
    right = score_like("pyevall", tree, truth, {"s": truth})["s", "ICM"]
    odd = {**truth, "4": ["b", "strange"]}
    assert right == 1
    assert score_like("pyevall", tree, truth, {"s": odd})["s", "ICM"] == right - math.log2(4) / 4


def test_where_all_truths_are_alike_there_is_no_norm():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    found = score_like("pyevall", tree, ["a", "a"], {"s": ["a", "b"]})
    assert math.isnan(found["s", "ICMNorm"])
    assert found["s", "ICM"] == -0.5  # one of two has b, which was never seen: p = 1/2


# ---------------------------------------------------------------------------- ICM-Soft

SOFT = SHARED / "modern" / "icm_soft.json"


@pytest.mark.exhaustive
@pytest.mark.skipif(not SOFT.is_file(), reason=f"no {SOFT}; set HIERPAIR_DATA")
def test_icm_soft_is_that_of_the_tool():
    cases = json.loads(SOFT.read_text())["cases"]
    assert len(cases) == 35
    for case in cases:
        tree = Hierarchy.from_edges(case["edges"], classes=case["classes"])
        for turned in (False, True):
            sides = [
                [dict(reversed(row.items())) if turned else row for row in case[side]]
                for side in ("truth", "prediction")
            ]
            found = pyevall_icm_soft(*sides, tree)
            wanted = case["expected"]
            assert found.icm_soft == pytest.approx(wanted["ICMSoft"], rel=0, abs=1e-12), case[
                "name"
            ]
            assert found.icm_soft_norm == pytest.approx(wanted["ICMSoftNorm"], rel=0, abs=1e-12)


def test_icm_soft_is_matched_by_id():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    truth = {"x": {"a": 0.75, "b": 0.25}, "y": {"b": 1.0}, "z": {"a": 0.5}}
    guess = {"z": {"a": 1.0}, "x": {"b": 0.5}}
    alike = pyevall_icm_soft(truth, guess, tree)
    assert alike == pyevall_icm_soft(list(truth.values()), [guess["x"], {}, guess["z"]], tree)
    assert pyevall_icm_soft(truth, truth, tree).icm_soft_norm == 1
    odd = {**guess, "x": {"b": 0.5, "strange": 0.0, "odd": 1.0}}  # two roots of their own
    assert pyevall_icm_soft(truth, odd, tree).icm_soft == pytest.approx(
        alike.icm_soft - 2 * math.log2(3) / 3
    )
