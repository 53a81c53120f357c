"""All numbers of CAFA-evaluator: its vectors, the tool itself on random data, and its faults."""

import json
import warnings

import numpy as np
import pytest

from hierpair import Hierarchy
from hierpair.labels.node_scores import scores_of_labels
from hierpair.metrics.presets import CRITERIA, cafaeval_table
from hierpair.probabilistic import pooled_curve
from tests import effort
from tests.paths import SHARED

VECTORS = SHARED / "modern" / "cafa.json"
WITHIN = 1e-12


def cases():
    return json.loads(VECTORS.read_text("utf-8"))["cases"] if VECTORS.exists() else []


def table_of(case):
    hierarchy = Hierarchy.from_edges(
        [tuple(e) for e in case["edges"]], classes=case["classes"], roots="any"
    )
    weights, options = case["weights"], case["options"]
    if weights is not None:
        weights = {c: float(x) for c, x in weights.items() if x is not None}
    how = {name: options[name] for name in ("norm", "prop", "no_orphans", "th_step")}
    return cafaeval_table(
        hierarchy, case["truth"], case["scores"], weights=weights, by=case["namespace"], **how
    )


def same(got, want):
    assert set(got) == set(want)
    for name, x in want.items():
        assert got[name] == (x if name == "namespace" else pytest.approx(x, abs=WITHIN)), name


@pytest.mark.skipif(not VECTORS.exists(), reason=f"there is no {VECTORS}")
def test_every_number_of_the_vectors():
    n = 0
    for case in cases():
        found, want = table_of(case), case["expected"]
        place = {(row["namespace"], row["tau"]): row for row in found.rows}
        if case["options"]["th_step"] != 0.01:
            assert len(place) == len(want["rows"])
        for row in want["rows"]:
            same(place[row["namespace"], row["tau"]], row)
            n += len(row) - 1
        for criterion, rows in want["best"].items():
            mine = {row["namespace"]: row for row in found.best.get(criterion, [])}
            assert set(mine) == {row["namespace"] for row in rows}
            for row in rows:
                same(mine[row["namespace"]], row)
                n += len(row) - 1
    assert n > 20_000


def write_case(folder, parents, spaces, truth, said, weights):
    lines = ["format-version: 1.2", ""]
    for c, above in parents.items():
        lines += ["[Term]", f"id: T:{c}", f"name: {c}", f"namespace: {spaces[c]}"]
        lines += [f"is_a: T:{p}" if p % 2 else f"relationship: part_of T:{p}" for p in above]
        lines.append("")
    (folder / "o.obo").write_text("\n".join(lines))
    (folder / "gt.tsv").write_text("".join(f"{i}\tT:{c}\n" for i, of in truth.items() for c in of))
    (folder / "pred").mkdir()
    rows = [f"{i}\tT:{c}\t{s!r}\n" for i, of in said.items() for c, s in of.items()]
    (folder / "pred" / "s.tsv").write_text("".join(rows))
    (folder / "ia.tsv").write_text("".join(f"T:{c}\t{w!r}\n" for c, w in weights.items()))


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_the_tool_itself_on_random_data(tmp_path):
    evaluation = pytest.importorskip("cafaeval.evaluation")
    rng = np.random.default_rng(20)
    for k in range(effort.cases(48)):
        n = int(rng.integers(3, 25))
        parents = {0: []} | {
            c: sorted({int(p) for p in rng.choice(c, min(c, 1 + int(rng.random() < 0.4)))})
            for c in range(1, n)
        }
        spaces = {c: "FP"[k % 2 and int(rng.random() < 0.4)] for c in parents}
        truth = {f"i{i}": [int(c) for c in rng.choice(n, rng.integers(1, 4))] for i in range(9)}
        said = {i: {int(c): float(round(rng.random(), 3)) or 0.5 for c in rng.choice(n, 4)}
                for i in [*list(truth)[: rng.integers(1, 9)], "unknown"]}  # fmt: skip
        weights = {c: float(rng.choice([0.0, 0.4, 1.3, 7.0, np.inf])) for c in parents}
        folder = tmp_path / str(k)
        folder.mkdir()
        write_case(folder, parents, spaces, truth, said, weights)
        how = {"norm": ("cafa", "pred", "gt")[k % 3], "prop": ("max", "fill")[k % 2],
               "no_orphans": bool(k % 4 == 1), "th_step": 0.05}  # fmt: skip
        paths = (str(folder / "o.obo"), str(folder / "pred"), str(folder / "gt.tsv"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table, best = evaluation.cafa_eval(*paths, ia=str(folder / "ia.tsv"), **how)
        hierarchy = Hierarchy.from_edges(
            [(p, c) for c, above in parents.items() for p in above], classes=list(parents)
        )
        found = cafaeval_table(hierarchy, truth, said, weights=weights, by=spaces, **how)
        if table is None:
            assert not found.rows
            continue
        rows = {(row["namespace"], row["tau"]): row for row in found.rows}
        wanted = table.reset_index().drop(columns="filename")
        assert len(rows) == len(wanted)
        for row in wanted.rename(columns={"ns": "namespace"}).to_dict("records"):
            same(rows[row["namespace"], row["tau"]], row)
        for criterion, way in CRITERIA.items():
            tool = best[criterion].reset_index().set_index("ns")[criterion]
            for row in found.best[criterion]:
                assert row[criterion] == pytest.approx(tool[row["namespace"]], abs=WITHIN), way


TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])


def test_faults_of_the_tool_are_reproduced_and_ours_stand_beside():
    truth, said = {"x": ["a"]}, {"x": {"a": 0.35}}
    found = cafaeval_table(TREE, truth, said)
    assert found.rows[-1]["tau"] == pytest.approx(0.34)  # 0.35 is 0.35000000000000003 there
    certain = {"x": {"a": 1.0, "b": 0.995}}
    assert cafaeval_table(TREE, truth, certain, th_step=0.25).best["f"][0]["f"] == pytest.approx(
        0.8
    )
    ours = pooled_curve(truth, scores_of_labels(certain, TREE))
    assert ours.fmax() == 1.0
    rooted = {"x": ["a"], "y": ["r"]}
    perfect = {"x": {"a": 0.9}, "y": {"r": 0.9}}
    tool = cafaeval_table(TREE, rooted, perfect, no_orphans=True)
    assert tool.best["f"][0]["f"] == pytest.approx(2 / 3)
    assert pooled_curve(rooted, scores_of_labels(perfect, TREE)).fmax() == 1.0
    heavy = {"r": 0.0, "a": 0.1, "b": 5.0, "c": 2.0}
    of_two = {"x": ["c", "b"]}, {"x": {"c": 0.9, "b": 0.2}}
    tool = cafaeval_table(TREE, *of_two, weights=heavy)
    assert "s_w" in tool.rows[0]
    assert "s_w" not in tool.best


def test_forms_and_what_it_refuses():
    truth, said = {"x": ["a"], "y": ["c"]}, {"x": {"a": 0.5}, "y": {"b": 0.5}}
    found = cafaeval_table(TREE, truth, said, by=dict.fromkeys("rabc", "F"))
    assert found.to_csv().startswith("namespace,tau,n,tp,fp,fn,pr,rc,cov,mi,ru,f,s,pr_micro")
    assert found.to_table().startswith("best")
    assert '"best"' in found.to_json()
    assert repr(found) == "CafaTable(50 rows)"
    nothing = cafaeval_table(TREE, truth, {"z": {"a": 0.5}})
    assert (nothing.rows, nothing.best) == ([], {})
    assert nothing.to_csv() == "namespace,tau,f,pr,rc,cov,s,ru,mi"
