"""Real hierarchies and labels, where the data folder is there: ours against plain recomputation."""

import csv
import json

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from hierpair import read_hierarchy, score
from hierpair.cli import main
from tests.oracles import pairs_and_sets as reference
from tests.paths import SHARED

DATA = SHARED

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no data at {DATA}; set HIERPAIR_DATA to a folder that has them"
)


def germeval():
    """GermEval 2019 task B: 343 classes, 4,157 books."""
    folder = DATA / "germeval2019"
    hierarchy = read_hierarchy(folder / "hierarchy.tsv")
    sides = []
    for name in ("gold", "LT-UHH__contender"):
        with (folder / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            sides.append({r["book"]: [x for x in r["labels"].split("|") if x]
                          for r in rows if r["task"] == "B"})  # fmt: skip
    return hierarchy, *sides


def mesh():
    """MeSH 2016 (27,900 classes, a DAG) with drawn labels: near ones and far ones."""
    hierarchy = read_hierarchy(DATA / "mesh2016" / "hierarchy.txt")
    rng = np.random.default_rng(0)
    names = hierarchy.names
    true, pred = {}, {}
    for i in range(150):
        chosen = rng.choice(len(names), rng.integers(1, 9), replace=False)
        near = [hierarchy.names[p] for c in chosen for p in
                hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]]]  # fmt: skip
        true[i] = [names[c] for c in chosen]
        pred[i] = list({*true[i][::2], *near[1::2], *(names[c] for c in rng.choice(len(names), 2))})
    return hierarchy, true, pred


@pytest.mark.parametrize("load", [germeval, mesh])
def test_against_plain_recomputation(load):
    hierarchy, true, pred = load()
    scores = score(hierarchy, true, {"s": pred}, ["hf(root=include)", "gie", "fnerror"],
                   missing="empty", unknown="drop")  # fmt: skip
    edges = list(hierarchy.to_networkx().edges)
    parents = {}
    for parent, child in edges:
        parents.setdefault(child, []).append((parent, child))
    ups = {}

    def up(label):
        if label not in ups:
            relevant, front = [], [label]
            while front:
                found = [e for v in front for e in parents.get(v, [])]
                relevant += found
                front = list({p for p, _ in found})
            ups[label] = reference.up_distances(relevant, label)
        return ups[label]

    for i, name in enumerate(list(true)[:150]):
        t = {x for x in true[name] if x in hierarchy}
        p = {x for x in pred.get(name, []) if x in hierarchy}
        grown = [set().union(*(up(x) for x in side)) for side in (t, p)]
        total = len(grown[0]) + len(grown[1])
        hf = 2 * len(grown[0] & grown[1]) / total if total else 1.0
        d = np.array([[reference.distance(up(a), up(b)) for b in sorted(t)] for a in sorted(p)])
        d = d.reshape(len(p), len(t))
        gie = 5 * (len(p) + len(t)) - best(np.maximum(0, 10 - d))
        near = [np.minimum(5, d.min(axis=k, initial=5)) for k in (1, 0)]
        gain = np.maximum(0, near[0][:, None] + near[1][None, :] - d)
        error = near[0].sum() + near[1].sum() - best(gain)
        assert scores.per_instance["s"][i].tolist() == [hf, gie, error]


def best(gain):
    rows, columns = linear_sum_assignment(gain, maximize=True)
    return gain[rows, columns].sum()


def printed(capsys, *arguments):
    """Run the command line with JSON output; return its scores by measure."""
    assert main([*map(str, arguments), "--format", "json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)["scores"]
    return {row["measure"]: row["value"] for row in found}


def test_germeval_as_it_comes(capsys):
    hierarchy, true, pred = germeval()
    expected = score(hierarchy, true, {"s": pred}, ["hf", "gie"], missing="empty", unknown="drop")
    folder = DATA / "germeval2019"
    files = [folder / f"{name}.tsv" for name in ("hierarchy", "gold", "LT-UHH__contender")]
    found = printed(capsys, "score", *files, "--id-column", "book", "--label-column", "labels",
                    "--where", "task=B", "--unknown", "drop", "--missing", "empty",
                    "-m", "hf", "-m", "gie")  # fmt: skip
    assert [found["hf"], found["gie"]] == expected.values.ravel().tolist()


def test_hwv_as_it_comes(capsys, tmp_path):
    folder = DATA / "hwv"
    lines = (folder / "hwv_val.json").read_text("utf-8").splitlines()
    true = [json.loads(line)["label"] for line in lines]
    pred = [labels[:-1] for labels in true]  # one level too high
    answer = tmp_path / "high.jsonl"
    answer.write_text("\n".join(json.dumps({"label": row}) for row in pred), "utf-8")
    found = printed(capsys, "score", folder / "taxonomy.tsv", folder / "hwv_val.json", answer,
                    "-m", "hf", "-m", "hp", "-m", "symmetric_difference")  # fmt: skip
    hierarchy = read_hierarchy(folder / "taxonomy.tsv")
    assert (len(hierarchy), hierarchy.shape) == (1187, "tree")
    expected = (
        score(hierarchy, true, {"s": pred}, ["hf", "hp", "symmetric_difference"])
        .values.ravel()
        .tolist()
    )
    assert [found["hf"], found["hp"], found["symmetric_difference"]] == expected
    assert found["hp"] == 1.0


@pytest.mark.exhaustive
def test_mesh_with_lines_as_in_lshtc(capsys, tmp_path):
    hierarchy, true, pred = mesh()
    for name, rows in (("true", true), ("pred", pred)):
        (tmp_path / name).write_text("".join(f"{' '.join(r)}\n" for r in rows.values()))
    found = printed(capsys, "score", DATA / "mesh2016" / "hierarchy.txt", tmp_path / "true",
                    tmp_path / "pred", "-m", "hf", "-m", "gie", "-m", "mgia")  # fmt: skip
    expected = score(hierarchy, true, {"s": pred}, ["hf", "gie", "mgia"]).values.ravel().tolist()
    assert [found["hf"], found["gie"], found["mgia"]] == expected


@pytest.mark.parametrize("files", ["germeval2019/hierarchy.tsv germeval2019/gold.tsv --id-column "
                                   "book --label-column labels --where task=B",
                                   "hwv/taxonomy.tsv hwv/hwv_val.json", "mesh2016/hierarchy.txt"])  # fmt: skip
def test_real_files_are_in_order(capsys, files):
    given = [str(DATA / x) if "/" in x else x for x in files.split()]
    assert main(["check", *given]) == 0
    assert "error" not in capsys.readouterr().out
