"""Real hierarchies and labels, where the data folder is there: ours against plain recomputation and each other."""

import csv
import json

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import auc, precision_recall_curve

from hierpair import LabelDistribution, LabelSets, decode, read_hierarchy, score
from hierpair.cli import main
from hierpair.probabilistic import apply_threshold, expected, precision_recall_curves
from hierpair.probabilistic.decoding.by_size import decode_hf, decode_set_value
from tests.exhaustive import is_exhaustive
from tests.linear_head import LinearHead
from tests.oracles import pairs_and_sets as reference
from tests.paths import SHARED

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"no data at {SHARED}; set HIERPAIR_DATA to a folder that has them"
)


def germeval():
    """GermEval 2019 task B: 343 classes, 4,157 books."""
    folder = SHARED / "germeval2019"
    sides = []
    for name in ("gold", "LT-UHH__contender"):
        with (folder / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            sides.append({r["book"]: [x for x in r["labels"].split("|") if x]
                          for r in rows if r["task"] == "B"})  # fmt: skip
    return read_hierarchy(folder / "hierarchy.tsv"), *sides


def mesh():
    """MeSH 2016 (27,900 classes, a DAG) with drawn labels: near ones and far ones."""
    hierarchy = read_hierarchy(SHARED / "mesh2016" / "hierarchy.txt")
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
    parents = {}
    for parent, child in hierarchy.to_networkx().edges:
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


GERMEVAL = "--id-column book --label-column labels --where task=B".split()  # noqa: SIM905


def test_files_as_they_come(capsys, tmp_path):
    """From the command line what Python gives: GermEval, WikiVitals one level too high."""
    hierarchy, true, pred = germeval()
    names = ["hf", "gie", "hp", "symmetric_difference"]
    expected = [score(hierarchy, true, {"s": pred}, names, missing="empty", unknown="drop")]
    folder = SHARED / "germeval2019"
    runs = [[*(folder / f"{name}.tsv" for name in ("hierarchy", "gold", "LT-UHH__contender")), *GERMEVAL,
             "--unknown", "drop", "--missing", "empty"]]  # fmt: skip
    wiki, texts = SHARED / "hwv" / "taxonomy.tsv", SHARED / "hwv" / "hwv_val.json"
    labels = [json.loads(line)["label"] for line in texts.read_text("utf-8").splitlines()]
    high = [row[:-1] for row in labels]
    answer = tmp_path / "high.jsonl"
    answer.write_text("\n".join(json.dumps({"label": row}) for row in high), "utf-8")
    runs.append([wiki, texts, answer])
    expected.append(score(wiki, labels, {"s": high}, names))
    for run, wanted in zip(runs, expected, strict=True):
        measures = [word for name in names for word in ("-m", name)]
        assert main(["score", *map(str, run), *measures, "--format", "json", "--quiet"]) == 0
        rows = json.loads(capsys.readouterr().out)["scores"]
        assert [row["value"] for row in rows] == wanted.values.ravel().tolist()
    assert expected[1]["s", "hp"] == 1.0
    for files in (runs[0][:2] + GERMEVAL, runs[1][:2], [SHARED / "mesh2016" / "hierarchy.txt"]):
        assert main(["check", *map(str, files)]) == 0
        assert "error" not in capsys.readouterr().out


# ------------------------------------------------------------------------------ WikiVitals


@pytest.fixture(scope="module")
def wikivitals():
    rows = (SHARED / "hwv" / "hwv_test.json").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in rows]
    hierarchy = read_hierarchy(SHARED / "hwv" / "taxonomy.tsv")
    return hierarchy, [row["token"][0] for row in found], [row["label"] for row in found]


def test_the_data_are_those_of_the_paper(wikivitals):
    """Table 1: 1,186 classes on six levels, leaves at depths 2 to 6, 2,003 test texts on single paths."""
    hierarchy, _, labels = wikivitals
    assert np.bincount(hierarchy.levels)[1:].tolist() == [11, 109, 381, 437, 244, 4]
    leaf = np.diff(hierarchy.child_ptr) == 0
    assert set(hierarchy.depths[leaf].tolist()) <= {2, 3, 4, 5, 6}
    sets = LabelSets.from_labels(labels, hierarchy)
    assert len(sets) == 2003
    tips = np.maximum.reduceat(sets.indices, sets.indptr[:-1])
    assert leaf[tips].all()
    assert (sets.lengths == hierarchy.depths[tips]).all()


@pytest.mark.exhaustive
@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_decoding_beats_every_threshold_and_is_worth_what_it_says(wikivitals, beta):
    """Laws over all leaves, from nearly sure to nearly even; for F1 the knapsack finds the same value."""
    hierarchy, rng = wikivitals[0], np.random.default_rng(61)
    n = int((np.diff(hierarchy.child_ptr) == 0).sum())
    z = np.exp(rng.normal(size=(60, n)) * rng.uniform(1, 4, (60, 1)))
    law = LabelDistribution.from_leaves(z / z.sum(axis=1, keepdims=True), hierarchy)
    best, name = decode_hf(law, beta), f"hf(beta={beta})"
    assert expected(law, best, name).values == pytest.approx(best.value, abs=1e-9)
    for t in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
        assert (best.value >= expected(law, apply_threshold(law, t), name).values - 1e-9).all()
    if beta == 1:
        few = law.part(0, 4)
        found = decode_set_value(
            few, lambda k, a, s: np.where(k + a == 0, 1.0, 2 * s / np.maximum(k + a, 1))
        )
        assert found.value == pytest.approx(decode_hf(few).value, abs=1e-9)


@pytest.mark.exhaustive
def test_a_head_runs_from_texts_to_decisions(wikivitals):
    hierarchy, texts, labels = wikivitals
    words = TfidfVectorizer(min_df=5, max_features=200).fit_transform(texts)
    model = LinearHead("conditional_softmax", hierarchy, alpha=1e-4, max_iter=8)
    model.fit(words[:400], [list(y) for y in labels[:400]])
    truth = LabelSets.from_labels(labels[400:500], hierarchy)
    scores = model.predict_scores(words[400:500])
    assert is_exhaustive(scores, 1e-9)
    curves = precision_recall_curves(truth, scores)
    dense, full = scores.dense(), np.zeros((100, len(hierarchy)))
    full[np.repeat(np.arange(100), truth.lengths), truth.indices] = 1
    for i in range(0, 100, 7):
        precision, recall, _ = precision_recall_curve(full[i, 1:], dense[i, 1:])
        assert curves.areas()[i] == pytest.approx(auc(recall, precision), abs=1e-12)
    assert decode(model.predict_distribution(words[400:500]), "hf").is_exact
    even = LabelDistribution.from_leaves(np.full((100, 953), 1 / 953), hierarchy)
    assert curves.mean_area() > precision_recall_curves(truth, even).mean_area()
