"""Other tools' numbers, against the tools themselves."""

import csv
import json
import re
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets, compare, score
from hierpair.cli import main
from hierpair.cli.score import MORE
from hierpair.labels.node_scores import scores_of_labels
from hierpair.metrics import cafaeval_table, h_fbeta_score, score_like
from hierpair.metrics.presets import HIDDEN, PRESETS
from hierpair.probabilistic import pooled_curve, pooled_curves
from tests import effort
from tests.paths import BUNDLED

EDGES = [
    ("r", "a"),
    ("r", "b"),
    ("a", "c"),
    ("a", "d"),
    ("b", "e"),
    ("b", "f"),
    ("c", "g"),
    ("e", "h"),
]
TREE = Hierarchy.from_edges(EDGES)
DAG_EDGES = [*EDGES, ("e", "d"), ("f", "g"), ("c", "h")]
DAG = Hierarchy.from_edges(DAG_EDGES)
DATA = BUNDLED
OF_LABELS = [name for name, preset in PRESETS.items() if not preset.of_scores]


def path_of(name):
    parent = {c: p for p, c in EDGES}
    path = [name]
    while parent[path[0]] != "r":
        path.insert(0, parent[path[0]])
    return path


def single(rng, n=150):
    return rng.choice(list("abcdefgh"), n).tolist()


def several(rng, n=150, least=1):
    return [
        rng.choice(list("abcdefgh"), rng.integers(least, 4), replace=False).tolist()
        for _ in range(n)
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [1, 3])
def test_hiclass(most, seed):
    metrics = pytest.importorskip("hiclass.metrics")
    rng = np.random.default_rng(seed)
    sides = [several(rng) if most > 1 else [[name] for name in single(rng)] for _ in range(2)]
    arrays = []
    for labels in sides:
        array = np.full((len(labels), most, 3), "", dtype=object)
        for row, names in zip(array, labels, strict=True):
            for cell, name in zip(row, names, strict=False):
                cell[: len(path_of(name))] = path_of(name)
        arrays.append(array.astype(str) if most > 1 else array[:, 0].astype(str))
    y_true, y_pred = (LabelSets.from_levels(a, TREE) for a in arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hiclass warns for every instance with nothing in common
        for average in ("micro", "macro"):
            found = score_like(f"hiclass-{average}", TREE, y_true, {"s": y_pred})
            for name in ("precision", "recall", "f1"):
                known = getattr(metrics, name)(*arrays, average=average)
                assert found["s", name] == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("edges", [EDGES, [*EDGES, ("b", "d"), ("b", "c")]], ids=["tree", "dag"])
def test_sklearn_hierarchical_classification(edges, seed):
    metrics = pytest.importorskip("sklearn_hierarchical_classification.metrics")
    rng = np.random.default_rng(seed)
    truth, said = several(rng), several(rng)
    graph = nx.DiGraph([(metrics.ROOT if p == "r" else p, c) for p, c in edges])
    found = score_like(
        "sklearn-hierarchical-classification", Hierarchy.from_edges(edges), truth, {"s": said}
    )
    with metrics.multi_labeled(truth, said, graph) as (y_true, y_pred, numbered):
        for column, name in (("h_precision", "h_precision_score"), ("h_recall", "h_recall_score"),
                             ("h_fbeta", "h_fbeta_score")):  # fmt: skip
            known = getattr(metrics, name)(y_true, y_pred, numbered)
            assert found["s", column] == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("kind", ["tree_small", "dag_small"])
def test_hemkit(kind):
    folder = DATA / "hemkit_set_measures" / kind
    edges = [line.split() for line in (folder / "hierarchy.txt").read_text().splitlines()]
    truth, said = (
        [line.split() for line in (folder / f"{side}.txt").read_text().splitlines()]
        for side in ("true", "pred")
    )
    expected = np.loadtxt(folder / "expected.tsv", skiprows=1)
    found = score_like("hemkit", Hierarchy.from_edges(edges), truth, {"s": said})
    assert found.columns == ("hP", "hR", "hF", "SDL")
    assert found.values[0] == pytest.approx(expected.mean(axis=0), abs=1e-12)


def run_cafaeval(folder, edges, truth, said):
    """What CAFA-evaluator finds: its table over thresholds, and the rows that are best."""
    evaluation = pytest.importorskip("cafaeval.evaluation")
    names = sorted({x for edge in edges for x in edge})
    above = {name: [p for p, c in edges if c == name] for name in names}
    stanzas = [
        f"[Term]\nid: T:{name}\nname: {name}\nnamespace: all\n"
        + "".join(f"is_a: T:{p}\n" for p in above[name])
        for name in names
    ]
    (folder / "o.obo").write_text("format-version: 1.2\n\n" + "\n".join(stanzas))
    (folder / "gt.tsv").write_text("".join(f"{i}\tT:{c}\n" for i, of in truth.items() for c in of))
    (folder / "pred").mkdir()
    lines = [f"{i}\tT:{c}\t{s}\n" for i, of in said.items() for c, s in of.items()]
    (folder / "pred" / "s.tsv").write_text("".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluation.cafa_eval(
            str(folder / "o.obo"), str(folder / "pred"), str(folder / "gt.tsv")
        )


@pytest.mark.parametrize("edges", [EDGES, DAG_EDGES], ids=["tree", "dag"])
def test_cafaeval_with_labels(edges, tmp_path):
    rng = np.random.default_rng(0)
    truth = {f"p{i}": y for i, y in enumerate(several(rng, 80))}
    said = {f"p{i}": y for i, y in enumerate(several(rng, 80, least=0))}
    table, _ = run_cafaeval(
        tmp_path, edges, truth, {i: dict.fromkeys(y, 0.995) for i, y in said.items()}
    )
    found = score_like("cafaeval", Hierarchy.from_edges(edges), truth, {"s": said})
    row = table.iloc[0]
    for column in found.columns:
        assert found["s", column] == pytest.approx(row[column], abs=1e-9)


def test_cafaeval_fmax_of_scores(tmp_path):
    rng = np.random.default_rng(1)
    truth = {f"p{i}": y for i, y in enumerate(several(rng, 60))}
    said = {i: {c: round(float(rng.uniform(0.005, 0.985)), 3) + 0.0005 for c in y + truth[i]}
            for i, y in zip(truth, several(rng, 60), strict=True)}  # fmt: skip
    _, best = run_cafaeval(tmp_path, DAG_EDGES, truth, said)
    found = score_like("cafaeval", DAG, truth, {"s": said})
    row = best["f"].reset_index().iloc[0]
    for column in ("f", "pr", "rc"):
        assert found["s", column] == pytest.approx(row[column], abs=1e-9)
    assert found.thresholds["s"] == pytest.approx(row["tau"])
    assert "threshold 0." in str(found)


def test_forms_and_faults():
    found = score_like("hiclass-micro", TREE, ["g", "h"], {"x": ["c", "h"], "y": ["g", "a"]})
    assert str(found).startswith("system  precision  recall      f1")
    assert "preset=hiclass-micro|hierpair" in str(found)
    assert len(json.loads(found.to_table("json"))["scores"]) == 6
    assert found.to_table("csv").count("\n") == 6
    assert found.to_dataframe().loc["x", "f1"] == found["x", "f1"]
    for preset in OF_LABELS:
        empty = score_like(preset, TREE, ["g"], {"x": [[]]})
        assert np.isnan(PRESETS[preset].undefined) or not np.isnan(empty.values).any()


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("".join(f"{p}\t{c}\n" for p, c in EDGES))
    Path("true.tsv").write_text("1\tg\n2\te\n")
    Path("one.tsv").write_text("1\tc\n2\th\n")
    files = ["score", "tree.tsv", "true.tsv", "one.tsv", "-q"]
    assert main([*files, "--preset", "hemkit"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("system      hP      hR      hF     SDL")
    assert main([*files, "--preset", "hemkit", "-m", "hf"]) == 2
    assert "--preset cannot be given with --measures" in capsys.readouterr().err
    assert main([*files, "--preset", "hemkti"]) == 2
    assert "did you mean 'hemkit'" in capsys.readouterr().err


# --------------------------------------------------------------------- scikit-learn's habits


def test_a_scorer_chooses_in_grid_search():
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GridSearchCV

    rng = np.random.default_rng(0)
    y = np.repeat(["c", "d", "e", "f"], 40)
    x = np.repeat([[0, 0], [0, 1], [2, 0], [2, 1]], 40, axis=0) + rng.normal(0, 0.5, (160, 2))
    scorer = make_scorer(h_fbeta_score, hierarchy=TREE)
    search = GridSearchCV(LogisticRegression(), {"C": [1e-6, 1.0]}, scoring=scorer, cv=4).fit(x, y)
    assert search.best_params_ == {"C": 1.0}
    said = search.predict(x)
    assert search.score(x, y) == score(TREE, y, {"s": said}, ["hf"])["s", "hf"]
    other = GridSearchCV(LogisticRegression(), {"C": [1e-6]}, scoring=scorer, cv=4).fit(x, y)
    found = compare(score(TREE, y, {"tuned": said, "flat": other.predict(x)}, ["hf", "gie"]))
    assert found.ranks.tolist() == [[1, 1], [2, 2]]


@pytest.mark.parametrize(
    "preset", [name for name in OF_LABELS if name != "hierverb"]
)  # refuses DAGs
def test_doubts_of_the_hierarchy_stay_with_the_numbers(tmp_path, monkeypatch, capsys, preset):
    monkeypatch.chdir(tmp_path)
    Path("t.tsv").write_text("b\ta\nd\tc\nc\tr\na\tr\n")  # upside down: child TAB parent
    Path("y.tsv").write_text("x\ta\n")
    takes_scores = PRESETS[preset].scored or PRESETS[preset].of_scores
    Path("p.tsv").write_text("x\ta\t0.9\n" if takes_scores else "x\ta\n")
    files = ["t.tsv", "y.tsv", "p.tsv", "--preset", preset, "-q", "--roots", "any"]
    doubts = Hierarchy.from_edges(
        [("b", "a"), ("d", "c"), ("c", "r"), ("a", "r")], roots="any"
    ).doubts
    assert doubts
    for fmt, separator in (("csv", ","), ("tsv", "\t")):
        assert main(["score", *files, "--format", fmt]) == 0
        rows = list(csv.DictReader(capsys.readouterr().out.splitlines(), delimiter=separator))
        assert {row["doubts"] for row in rows} == {"; ".join(doubts)}
    assert main(["score", *files, "--format", "jsonl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {json.loads(line)["doubts"] for line in lines} == {"; ".join(doubts)}
    plain = score_like(preset, TREE, ["c"], {"s": ["c"]}).to_table("csv")
    assert "doubts" not in plain


def test_the_help_names_every_preset():
    [said] = re.findall(r"--preset TOOL(.*?)\{", MORE, re.DOTALL)
    of_labels, mark, of_scores = " ".join(said.split()).partition("with scores: ")
    assert mark
    for name, preset in PRESETS.items():
        assert name in (of_scores if preset.of_scores or preset.scored else of_labels), name


def test_what_is_known_of_the_labels_is_told_beside_the_numbers():
    """What is dropped, missing or cannot be right, once for all columns."""
    tree = Hierarchy.from_edges([("r", "a"), ("a", "c"), ("r", "b")])
    truth, guess = {"x": ["c"], "y": ["a", "c"]}, {"x": ["c", "zz"]}
    found = score_like("hierverb", tree, truth, {"mine": guess}, unknown="drop", missing="empty")
    told = [line for line in found.notes if line.startswith("mine: ")]
    assert told == [
        "mine: 1 label outside the hierarchy, dropped or replaced on request",
        "mine: 1 instance without prediction, counted as empty on request",
        "mine: the true set lacks ancestors of its labels, which then cannot be right (1 instance)",
    ]
    assert json.loads(found.to_json())["remarks"] == told
    assert not score_like("hemkit", tree, ["c"], {"mine": ["c"]}).remarks


@pytest.mark.parametrize("seed", range(effort.cases(50)))
def test_what_does_not_count_counts_for_no_tool(seed):
    """Presets and namespaces apart are the measures and curves that know it, also on wider trees."""
    rng = np.random.default_rng(seed)
    edges = [(f"r{k}", f"{k}{i}") for k in "ab" for i in range(3)]
    edges += [(f"{k}{i % 3}", f"{k}{i}") for k in "ab" for i in range(3, 9)]
    forest = Hierarchy.from_edges(edges, roots="any")
    names = np.array([c for c in forest.names if c[0] != "r"])
    truth, said = (
        {i: rng.choice(names, rng.integers(1, 4), replace=False).tolist() for i in range(8)}
        for _ in range(2)
    )
    known = {i: rng.choice(names, 1).tolist() for i in range(0, 8, 2)}
    interest = [*rng.choice(names, 12, replace=False).tolist(), "r" + "ab"[seed % 2]]
    how = {"ignore": known, "classes": interest, "ignore_ancestors": seed % 3 > 0}
    for name in ("hiclass-micro", "sklearn-hierarchical-classification", "hemkit", "hierverb"):
        preset = PRESETS[name]
        found = score_like(name, forest, truth, {"s": said}, **how)
        tree = forest
        if preset.hidden_root:
            tree = Hierarchy.from_edges([*edges, (HIDDEN, "ra"), (HIDDEN, "rb")])
        expected = score(tree, truth, {"s": said}, [*preset.columns.values()], **how).values[0]
        row = [found["s", column] for column in preset.columns]
        assert row == np.nan_to_num(expected, nan=preset.undefined).tolist()
    scores = {
        i: {c: float(x) for c, x in zip(said[i], rng.random(3).round(2), strict=False)}
        for i in said
    }
    counting = forest.counting(interest)
    given = LabelSets.from_labels(truth, counting)
    given = given.ignoring(known, counting, ancestors=how["ignore_ancestors"])
    by = {c: c[-1] if c[0] == "r" else c[0] for c in forest.names}
    of_scores = scores_of_labels(scores, counting)
    together = cafaeval_table(counting, given, of_scores, by=by)
    curves = pooled_curves(given, of_scores, by, root="include", zero_weight="count")
    for space, curve in curves.items():
        alone = Hierarchy.from_edges([(a, b) for a, b in edges if by[a] == space])
        some = {i: [c for c in of if by[c] == space] for i, of in truth.items()}
        left = {i: [c for c in of if by[c] == space] for i, of in known.items()}
        own = {i: {c: x for c, x in of.items() if by[c] == space} for i, of in scores.items()}
        alone = alone.counting([c for c in interest if by[c] == space])
        some = LabelSets.from_labels(some, alone)
        some = some.ignoring(left, alone, ancestors=how["ignore_ancestors"])
        own = scores_of_labels(own, alone)
        expected = pooled_curve(some, own, root="include", zero_weight="count")
        assert curve.records().rows == expected.records().rows
        rows = [r for r in together.rows if r["namespace"] == space]
        for mine, its in zip(rows, cafaeval_table(alone, some, own).rows, strict=True):
            assert mine == {**its, "namespace": space}
